"""Laws as egglog text: declarations, rewrite rules, facts, and the rules of the shape analysis."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from eggrad.engine.egraph.encoding import encode, literal
from eggrad.engine.errors import EggradError
from eggrad.engine.indices.spec import Dims, output_dims
from eggrad.engine.laws.language import (
    CONSTRUCTORS,
    Call,
    Differ,
    Known,
    Law,
    Literal,
    Node,
    Parameter,
    Tensor,
)
from eggrad.engine.laws.mirror import Same, mirrored
from eggrad.engine.laws.rule import Fact, Rule, nodes_of
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.fixed_arrays import Entries
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.numeric_operations import result_dims

__all__ = [
    "STABLE",
    "combined",
    "declarations",
    "fact_rule",
    "law_rules",
    "property_text",
    "settling_of",
    "shape_of",
    "table",
    "tables_of",
    "widening_rules",
]


def _own(d: Dims) -> Dims:
    return d


def _shape(x: Entries) -> Dims:
    return x[0]


def _twice(d: Dims) -> Dims:
    return d + d


def _scalar(_: object) -> Dims:
    return ()


def _quotient(a: Dims, b: Dims) -> Dims:
    return a or b


def _cofactors(k: int, a: Dims) -> Dims:
    return a * k


# How the dims of each constructor's terms follow from its arguments (their places).
SHAPES: Final[dict[str, tuple[Callable[..., object], tuple[int, ...]]]] = {
    "constant": (_own, (1,)),
    "array": (_shape, (0,)),
    "delta": (_twice, (0,)),
    "indicator": (_own, (0,)),
    "size": (_scalar, (0,)),
    "ein": (output_dims, (0, 1, 2)),
    "ein1": (output_dims, (0, 1)),
    "scale": (_own, (1,)),
    "add": (_own, (0,)),
    "subtract": (_own, (0,)),
    "negate": (_own, (0,)),
    "divide": (_quotient, (0, 1)),
    "power": (_own, (0,)),
    **dict.fromkeys(FUNCTION_NODES.values(), (_own, (1,))),
    **{f.name: (_scalar if f.is_scalar else _own, (0,)) for f in MATRIX_FUNCTIONS.values()},
    "cofactors": (_cofactors, (0, 1)),
    "numeric": (result_dims, (0, 1, 2)),
    "numeric2": (result_dims, (0, 1, 2, 3)),
}


# Begins the names of relations on the nodes of a constructor.
STABLE: Final = "stable"


def declarations() -> Iterator[str]:
    """The sort of tensors, the analysis `dims`, names of classes, and what is known of them."""
    yield "(sort Tensor)"
    yield "(function dims (Tensor) PyObject :no-merge)"
    # A table of names, not `let`: every `let` would be one more function to visit.
    yield "(function named (i64) Tensor :merge old)"
    # What is known of a class, and the classes that are defined at more values and equal it else.
    yield "(relation known (String Tensor))"
    yield "(relation wider (Tensor Tensor))"


def table(name: str) -> Iterator[str]:
    """A constructor, or the relation `stable_` on its nodes."""
    relation, _, constructor = name.rpartition("_")
    sorts = CONSTRUCTORS[constructor]
    arguments = " ".join("PyObject" if s == "Object" else s for s in sorts)
    if relation:
        yield f"(relation {name} ({arguments}))"
        return
    yield f"(constructor {name} ({arguments}) Tensor)"
    if name in SHAPES:
        yield from (f"(ruleset {shape_of(name)})", _shape_rule(name))
        yield f"(ruleset {settling_of(name)})"
        if name != "constant":
            yield _settle_rule(name)
        if name == "power":
            yield _idempotent_rule()


def tables_of(law: Rule | Fact) -> list[str]:
    """The tables that a law speaks of."""
    if isinstance(law, Fact):
        patterns: list[object] = [law.claim, *law.conditions]
    else:
        patterns = [law.statement.left, law.statement.right, *law.statement.conditions]
    found = list(dict.fromkeys(node.constructor for p in patterns for node in nodes_of(p)))
    stable = not isinstance(law, Fact) and law.stable
    return found + [f"{STABLE}_{name}" for name in found] * stable


def property_text(name: object) -> str:
    """A property as egglog has it: comparing strings takes less time than decoding objects."""
    return f'"{encode(name)}"'


def shape_of(constructor: str) -> str:
    """The ruleset that gives the terms of a constructor their dims."""
    return f"shape_{constructor}"


def settling_of(constructor: str) -> str:
    """The ruleset that retires the terms of a constructor that are constants."""
    return f"settle_{constructor}"


def law_rules(rule: Rule, ruleset: str) -> Iterator[str]:
    """A ruleset of every variant of a rule's law that unites classes."""
    yield f"(ruleset {ruleset})"
    if rule.is_conditional or not rule.widens:
        for label, law in _variants(rule):
            yield _rule(law, rule, f':ruleset {ruleset} :name "{label}"')


def widening_rules(rule: Rule, ruleset: str) -> Iterator[str]:
    """A ruleset of every variant of a rule that leads from a narrower side to a wider one."""
    yield f"(ruleset {ruleset})"
    for label, law in _variants(rule):
        yield _widening_rule(law, f':ruleset {ruleset} :name "{label}w"')


def _variants(rule: Rule) -> Iterator[tuple[str, Law]]:
    for k, law in enumerate(mirrored(rule.statement)):
        yield f"{rule.ruleset}.{rule.name}/{k}", law


def fact_rule(fact: Fact, others: Sequence[Fact], ruleset: str) -> Iterator[str]:
    """A ruleset of the rule that concludes a fact, and at once those that follow from it alone."""
    body = _Body()
    own = fact.claim.tensor
    if isinstance(own, Node):
        body.match_root(own)
    for c in fact.conditions:
        body.emit(c)
    root = "root" if isinstance(own, Node) else body.emit(own)
    head = " ".join(f"(known {property_text(p)} {root})" for p in _implied(fact, others))
    yield f"(ruleset {ruleset})"
    label = f':ruleset {ruleset} :name "{fact.ruleset}.{fact.name}/0"'
    yield f"(rule ({body.text}) ({head}) {label})"


def combined(name: str, rulesets: str) -> str:
    """Several rulesets as one."""
    return f"(unstable-combined-ruleset {name} {rulesets})"


def _widening_rule(law: Law, label: str) -> str:
    """Note that the right side is wider than the left one, whatever is known.

    A property that is computed has to be one: it may say that the law is another one there.
    """
    body = _Body()
    body.match_root(law.left)
    for c in law.conditions:
        body.emit(c.property if isinstance(c, Known) else c)
    right = body.emit(law.right)
    return f"(rule ({body.text}) ((wider root {right})) {label})"


def _implied(fact: Fact, others: Sequence[Fact]) -> list[object]:
    """The property that a fact concludes, and those that follow from it alone."""
    found = [fact.claim.property]
    follows = [
        ({c.property for c in f.conditions if isinstance(c, Known)}, f.claim.property)
        for f in others
        if isinstance(f.claim.tensor, Parameter)
    ]
    while fresh := [p for asked, p in follows if p not in found and asked.issubset(found)]:
        found += dict.fromkeys(fresh)
    return found


def _rule(law: Law, rule: Rule, label: str) -> str:
    body = _Body()
    left = body.match_root(law.left)
    for c in law.conditions:
        body.emit(c)
    right = body.emit(law.right)
    head = f"(union root {right})" + (f" (subsume {left})" if rule.replaces else "")
    if rule.stable:
        head += f" (stable_{right[1:]}"
    return f"(rule ({body.text}) ({head}) {label})"


def _shape_rule(name: str) -> str:
    """The rule that gives every term of a constructor its dims."""
    function, places = SHAPES[name]
    sorts = CONSTRUCTORS[name]
    args = [f"a{i}" for i in range(len(sorts))]
    inner = [f"(dims a{i})" if sorts[i] == "Tensor" else f"a{i}" for i in places]
    # A call of Python takes some 8 microseconds.
    same = inner[0] if function is _own else f"(py-call {literal(function)} {' '.join(inner)})"
    body = f"(= root ({name} {' '.join(args)})) (= d {same})"
    return f'(rule ({body}) ((set (dims root) d)) :ruleset {shape_of(name)} :name "shapes.{name}")'


def _settle_rule(name: str) -> str:
    """A class that has a constant needs no other member matched: it would feed loops like 2·0."""
    call = f"({name} {' '.join(f'a{i}' for i in range(len(CONSTRUCTORS[name])))})"
    return (
        f"(rule ((= e (constant c n)) (= e {call})) ((subsume {call})) "
        f':ruleset {settling_of(name)} :name "settle.{name}")'
    )


def _idempotent_rule() -> str:
    """A power of a class that is the class itself says nothing: of a product, x·x⁻¹, no end."""
    # A variable that occurs twice in a row is compared, as in `_Body`.
    same = "(= e (ordering-min e a)) (= e (ordering-max e a))"
    return (
        f"(rule ((= e (power a p)) {same}) ((subsume (power a p))) "
        f':ruleset {settling_of("power")} :name "settle.idempotent")'
    )


class _Body:
    """The body of one egglog rule: patterns matched, conditions and computed values bound."""

    def __init__(self) -> None:
        self.facts: list[str] = []
        self.bound: dict[str, str] = {}
        self.matching = False

    @property
    def text(self) -> str:
        return " ".join(self.facts)

    def match_root(self, left: Tensor) -> str:
        """Match the left side; return its text."""
        if not isinstance(left, Node):
            raise EggradError("the left side of a rule must be a term, not a bare variable")
        self.matching = True
        text = self.emit(left)
        self.facts.append(f"(= root {text})")
        self.matching = False
        return text

    def emit(self, pattern: object) -> str:
        """Text of a pattern; what is computed is bound in the body, where failing is allowed."""
        match pattern:
            case Parameter(name=name):
                return name
            case Differ(first=first, second=second):
                self.facts.append(f"(!= {self.emit(first)} {self.emit(second)})")
                return ""
            case Known(property=p, tensor=tensor):
                self.facts.append(f"(known {self._property(p)} {self.emit(tensor)})")
                return ""
            case Same(parameter=parameter, value=value):
                self.facts.append(f"(= {parameter.name} {self.emit(value)})")
                return ""
            case Literal(value=value):
                return self.emit(value)
            case Node(constructor=name, args=args):
                return f"({name} {' '.join(self._arguments(args))})"
            case Call(function=None, args=args):
                return self._bind(f"(dims {self.emit(args[0])})")
            case Call(function=function, args=args):
                inner = " ".join(self.emit(a) for a in args)
                return self._bind(f"(py-call {literal(function)} {inner})", partial=True)
            case _:
                return literal(pattern)

    def _arguments(self, args: tuple[object, ...]) -> list[str]:
        """The arguments of a node; a parameter's second occurrence is matched by comparison.

        egglog 13 reads deleted rows when one pattern row repeats a variable.
        """
        found = [self.emit(a) for a in args]
        if self.matching:
            for k, name in enumerate(found):
                if isinstance(args[k], Parameter) and name in found[:k]:
                    found[k] = twin = f"{name}_twin{len(self.facts)}"
                    self.facts.append(f"(= {name} (ordering-min {name} {twin}))")
                    self.facts.append(f"(= {name} (ordering-max {name} {twin}))")
        return found

    def _property(self, p: object) -> str:
        return property_text(p) if isinstance(p, str) else f"(py-to-string {self.emit(p)})"

    def _bind(self, call: str, partial: bool = False) -> str:
        name = self.bound.get(call)
        if name is None:
            name = self.bound[call] = f"v{len(self.bound)}"
            self.facts.append(f"(= {name} {call})")
            if partial:
                self.facts.append(f"(!= {name} {literal(None)})")
        return name
