"""Laws in the notation of books: the sentence of a law that says no more than the law does."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from eggrad.engine.indices.spec import TRANSPOSE
from eggrad.engine.laws.language import (
    Attribute,
    Call,
    Comparison,
    Condition,
    Known,
    Law,
    Literal,
    Negation,
    Node,
    Parameter,
    Part,
    Tensor,
    plus,
)
from eggrad.engine.laws.properties import INTEGER, PROBABILITY, PROPERTIES, SIGNS, TOTAL
from eggrad.engine.laws.spelling import name_of, spelled
from eggrad.engine.terms.term import FUNCTION_NODES

# How tightly what is written binds.
SUM, PRODUCT, APPLIED, POWER, ATOM = range(5)

Written = tuple[str, int]

_SUPERSCRIPTS: Final = dict(zip("0123456789-bkp", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵇᵏᵖ", strict=True))
_BETWEEN: Final = {
    "greater": ">",
    "greater_equal": "≥",
    "less": "<",
    "less_equal": "≤",
    "equal": "=",
    "not_equal": "≠",
    "logical_and": "and",
    "logical_or": "or",
}
_AROUND: Final = {
    "abs": "|{}|",
    "magnitude": "|{}|",
    "floor": "⌊{}⌋",
    "ceil": "⌈{}⌉",
    "logical_not": "[not {}]",
}
_AFTER: Final = {"pseudoinverse": "⁺", "reciprocal": "⁻¹"}
_SHORT: Final = {"maximum": "max", "minimum": "min", "sign_of": "sign"}
_SIGNS: Final = {"==": "=", "!=": "≠", ">": ">", ">=": "≥", "<": "<", "<=": "≤"}
_COMPARED: Final = ("{} > 0", "{} >= 0", "{} < 0", "{} <= 0", "{} != 0", "{} >= 1", "{} <= 1")
_SUBSCRIPTS: Final = "₁₂₃"
HALF: Final = Fraction(1, 2)
# Properties whose names are no adjectives.
_WORDS: Final = {
    INTEGER: "an integer",
    PROBABILITY: "a probability",
    SIGNS: "1 or -1",
    TOTAL: "defined",
}
# What a product or a transpose is written for.
_SEEN: Final = ("is_declared", "is_elementwise", "is_matrix_product", "holds")


def sentence_of(statement: Law | Known, conditions: Sequence[Tensor]) -> str:
    """What a law or a fact says, in one line.

    >>> from eggrad.engine.laws.language import fn, tensors
    >>> a, b = tensors("a b")
    >>> sentence_of(fn("exp", a + b) >> fn("exp", a) * fn("exp", b), [])
    'exp(a + b) = exp a·exp b.'
    """
    if isinstance(statement, Known):
        return f"{_holds(statement)}{_if(statement, conditions)}."
    sides = f"{written(statement.left)} = {written(statement.right)}"
    return f"{sides}{_where(conditions)}."


def _where(conditions: Sequence[Tensor]) -> str:
    """What a law asks for; that something is defined goes without saying."""
    asked = [c for c in conditions if not _is_known(c, TOTAL)]
    said = [s for c in asked if (s := _condition(c))]
    words = any(isinstance(c, Known) and not _is_compared(c.property) for c in asked)
    return (f" {'if' if words else 'for'} {_listed(said)}" if said else "") + _tests(asked)


def _if(claim: Known, conditions: Sequence[Tensor]) -> str:
    """What a fact asks for: `a and b are` where they have to be what the whole is."""
    pairs = [(c, _is_known(c, claim.property)) for c in conditions]
    if _is_compared(claim.property) or not any(alike for _, alike in pairs):
        return _where(conditions)
    others = [written(c.tensor) for c, alike in pairs if alike and isinstance(c, Known)]
    rest = [s for c, alike in pairs if not alike and (s := _condition(c))]
    verb = "are" if len(others) > 1 else "is"
    said = f" if {_listed(others)} {verb}" + (f", and {_listed(rest)}" if rest else "")
    return said + _tests(conditions)


def _tests(conditions: Sequence[Any]) -> str:
    """What conditions on specs, names and the like ask, by their sentences."""
    calls = [c for c in conditions if isinstance(c, Call)]
    said = [s for c in calls if (s := _test(c))]
    declared = [str(c.args[1]) for c in calls if name_of(c.function) == "is_declared"]
    whole = f" if it is declared {declared[0]}" if declared else ""
    return f"{whole}, where {_listed(said)}" if said else whole


def _test(c: Call) -> str:
    match c.function:
        case Negation(test=Attribute()):
            return spelled(c).replace("~", "not ")
        case Negation(test=test):
            return f"it is not so that {_test(Call(Condition(test), c.args))}"
        case Condition(function=Attribute() | Part()):
            return spelled(c)
        case Condition(function=test) if name_of(c.function) not in _SEEN:
            sentence = str(test.__doc__).splitlines()[0]
            return sentence.removeprefix("Whether ").removesuffix(".")
        case _:
            return ""


def _is_known(c: object, word: object) -> bool:
    return isinstance(c, Known) and c.property == word


def _is_compared(word: object) -> bool:
    """Whether a property is written as a comparison, such as a > 0."""
    return word in PROPERTIES and PROPERTIES[str(word)].domain in _COMPARED


def _holds(known: Known) -> str:
    word, subject = str(known.property), written(known.tensor)
    if not _is_compared(word):
        return f"{subject} is {_WORDS.get(word, word)}"
    text = PROPERTIES[word].domain.format(subject)
    for sign in (">=", "<=", "!="):
        text = text.replace(sign, _SIGNS[sign])
    return text


def _condition(c: Any) -> str:
    match c:
        case Known(property=str()):
            return _holds(c)
        case Call(function=Comparison(sign=sign, number=number), args=(compared,)):
            return f"{written(compared)} {_SIGNS[sign]} {number}"
        case _:
            return ""


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def written(pattern: object) -> str:
    """A pattern as a book has it.

    >>> from eggrad.engine.laws.language import fn, tensors
    >>> (a,) = tensors("a")
    >>> written((a - 1) ** -2 * fn("log", a))
    '(a - 1)⁻²·log a'
    """
    return _written(pattern)[0]


def _at(level: int, pattern: object) -> str:
    text, binding = _written(pattern)
    return text if binding >= level else f"({text})"


def _written(pattern: object) -> Written:
    match pattern:
        case Parameter(name=name):
            return name, ATOM
        case Literal(value=value):
            return _written(value)
        case Fraction() | int():
            return str(pattern), ATOM if Fraction(pattern).denominator == 1 else PRODUCT
        case Call(function=Attribute() | Part()):
            return spelled(pattern), ATOM
        case Call(function=function, args=(c, d)) if function is plus:
            return f"{_at(SUM, c)} + {_at(PRODUCT, d)}", SUM
        case Call(function=function, args=args):
            opposite = function is not None and function.__name__ == "opposite"
            minus = f"-{_at(PRODUCT, args[0])}", SUM
            return minus if opposite else _applied(name_of(pattern.function), args)
        case Node(constructor=name, args=args):
            return _node(name, args)
        case _:
            return str(pattern), ATOM


def _node(name: str, args: tuple[Any, ...]) -> Written:
    match name, args:
        case "delta", _:
            return "δ", ATOM
        case "indicator", (_, p):
            return f"[{written(p)}]", ATOM
        case (("constant" | "variable"), (a, *_)):
            return _written(a)
        case "add", (a, Node(constructor="scale", args=(Fraction() as c, b))) if c == -1:
            return f"{_at(SUM, a)} - {_at(PRODUCT, b)}", SUM
        case (("add" | "subtract"), (a, b)):
            right = _at(SUM if name == "add" else PRODUCT, b)
            right = f"({right})" if right.startswith("-") else right
            return f"{_at(SUM, a)} {'+' if name == 'add' else '-'} {right}", SUM
        case "negate", (a,):
            return f"-{_at(PRODUCT, a)}", SUM
        case "scale", (Fraction() as c, a) if c == -1:
            return f"-{_at(PRODUCT, a)}", SUM
        case "scale", (Fraction() as c, a) if c.numerator == 1 != c.denominator:
            return f"{_at(APPLIED, a)}/{c.denominator}", PRODUCT
        case "scale", (c, a):
            return f"{_at(PRODUCT, c)}·{_at(PRODUCT, a)}", PRODUCT
        case "divide", (a, b):
            return f"{_at(PRODUCT, a)} / {_at(APPLIED, b)}", PRODUCT
        case "ein", (_, a, Node("power", (b, Node("constant", (Fraction() as c, _))))) if c == -1:
            return f"{_at(PRODUCT, a)} / {_at(APPLIED, b)}", PRODUCT
        case "ein", (_, Node(constructor="constant"), b):
            return f"{_at(APPLIED, b)} ⊗ 1", PRODUCT
        case "ein", (_, a, b):
            times = f"{_at(PRODUCT, a)}·{_at(PRODUCT, b)}", PRODUCT
            return (f"{_at(ATOM, a)}²", POWER) if a is b else times
        case "ein1", (s, a):
            transposed = isinstance(s, tuple) and s == TRANSPOSE
            return (f"{_at(ATOM, a)}'", POWER) if transposed else _written(a)
        case "power", (a, p):
            return _power(a, p)
        case "inv", (a,):
            return f"{_at(ATOM, a)}⁻¹", POWER
        case (("numeric" | "numeric2"), (f, _, *operands)):
            return _applied(written(f), operands)
        case (("slope" | "slope2" | "slope3"), (f, place, *operands)):
            index = _SUBSCRIPTS[place] if len(operands) > 1 else ""
            return f"{written(f)}{index}'({', '.join(map(written, operands))})", ATOM
        case "derivative", (a, _):
            return _applied("D", [a])
        case _ if name in FUNCTION_NODES.values():
            return _applied(written(args[0]), args[1:])
        case _:
            return _applied(name, args)


def _power(a: object, p: object) -> Written:
    exponent = p.args[0] if isinstance(p, Node) and p.constructor == "constant" else p
    if isinstance(exponent, Fraction) and exponent == HALF:
        return f"√{_at(ATOM, a)}", POWER
    text = written(exponent)
    raised = "".join(_SUPERSCRIPTS.get(c, "") for c in text)
    above = raised if len(raised) == len(text) else f"^{text}" if len(text) == 1 else f"^({text})"
    return f"{_at(ATOM, a)}{above}", POWER


def _applied(name: str, operands: Sequence[object]) -> Written:
    if name in _BETWEEN and len(operands) == 2:
        return f"[{written(operands[0])} {_BETWEEN[name]} {written(operands[1])}]", ATOM
    if name in _AROUND:
        return _AROUND[name].format(written(operands[0])), ATOM
    if name in _AFTER:
        return f"{_at(ATOM, operands[0])}{_AFTER[name]}", POWER
    name = _SHORT.get(name, name)
    if len(operands) == 1 and (len(name) > 1 or name == "D"):
        text, level = _written(operands[0])
        if level in (APPLIED, ATOM) and not text.startswith("("):
            return f"{name} {text}", APPLIED
    return f"{name}({', '.join(map(written, operands))})", APPLIED if len(name) > 1 else ATOM
