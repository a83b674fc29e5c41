"""Laws and facts as certificates have them: patterns as JSON, and what letters stand for."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import Spec
from eggrad.engine.indices.texts import fraction_text
from eggrad.engine.laws.language import (
    Attribute,
    Call,
    Comparison,
    Condition,
    Differ,
    Known,
    Literal,
    Negation,
    Node,
    Number,
    Parameter,
    Part,
    Tensor,
)
from eggrad.engine.laws.matching import patterns
from eggrad.engine.laws.rule import Fact, Rule, Same
from eggrad.engine.laws.statements import parameters_of
from eggrad.engine.terms.term import Term
from eggrad.frontend.certificates.checker import COMPUTED


def law_described(rule: Rule, variant: int) -> dict[str, Any]:
    """A variant of a law; raises `UnsupportedOperation` for what the checker cannot compute."""
    pattern = patterns(rule)[variant]
    sides = (pattern.law.left, pattern.law.right)
    left, right = reversed(sides) if pattern.reversed else sides
    conditions = pattern.law.conditions
    return {
        "left": _pattern(left),
        "right": _pattern(right),
        "when": _conditions(conditions),
        "letters": _letters(left, right, *conditions),
    }


def fact_described(fact: Fact, form: int) -> dict[str, Any]:
    """A form of a fact, as `law_described`."""
    of, conditions = fact.forms[form] if fact.forms else (fact.claim.tensor, fact.conditions)
    return {
        "property": str(fact.claim.property),
        "of": _pattern(of),
        "when": _conditions(conditions),
        "letters": _letters(of, *conditions),
    }


def _letters(*parts: object) -> dict[str, str]:
    """What each letter stands for."""
    found: dict[str, str] = {}
    for part in parts:
        for p in parameters_of(part):
            found[p.name] = _KINDS.get(p.kind, "other")  # pyright: ignore[reportArgumentType]
        if isinstance(part, Same):
            found[part.parameter.name] = "spec"
            found |= _letters(part.value)
    return found


_KINDS: Final = {Tensor: "term", Number: "number", int: "number", Spec: "spec", str: "name"}


@cache
def is_described(fact: Fact) -> bool:
    """Whether the checker can compute what a fact asks for."""
    try:
        fact_described(fact, 0)
    except UnsupportedOperation:
        return False
    return True


def _conditions(conditions: Sequence[object]) -> list[Any]:
    # Whether two tensors are known to be equal says where to search, not what is true.
    return [_pattern(c) for c in conditions if not isinstance(c, Differ)]


def _pattern(p: object) -> list[Any]:
    match p:
        case Parameter(name=name):
            return ["letter", name]
        case Literal(value=value):
            return ["value", *value_described(value)]
        case Node(constructor=constructor, args=args):
            return ["node", constructor, *map(_pattern, args)]
        case Known(property=name, tensor=tensor):
            return ["known", str(name), _pattern(tensor)]
        case Same(parameter=parameter, value=value):
            return ["same", parameter.name, _pattern(value)]
        case Call(function=function, args=args):
            return _computed(function, [_pattern(a) for a in args])
        case _:
            return ["value", *value_described(p)]


def _computed(function: Callable[..., Any] | None, args: list[Any]) -> list[Any]:
    match function:
        case None:
            return ["axes", *args]
        case Attribute(__name__=name):
            return ["record", name, *args]
        case Part(start=start, stop=stop, several=several):
            return ["part", start, stop if several else "", *args]
        case Comparison(sign=sign, number=number):
            return ["compare", sign, *args, value_described(number)]
        case Negation(test=test):
            return ["not", _computed(test, args)]
        case Condition(function=test):
            return _computed(test, args)
        case _:
            name = getattr(function, "__name__", "")
            if name not in COMPUTED:
                raise UnsupportedOperation(f"a certificate has no {name or function!r}")
            return ["call", name, *args]


def value_described(value: object, numbers: Mapping[Term, int] | None = None) -> list[Any]:
    """A value with its kind; a term has a number among those of the certificate."""
    match value:
        case Term() if numbers is not None:
            return ["term", numbers[value]]
        case Fraction() | int() if not isinstance(value, bool):
            return ["number", fraction_text(Fraction(value))]
        case tuple() if value and all(isinstance(part, tuple) for part in value):  # pyright: ignore
            return ["spec", value]
        case str():
            return ["name", value]
        case bool() | tuple() | None:
            return ["other", value]
        case _:
            raise UnsupportedOperation(f"a certificate has no {type(value).__name__}")
