"""Laws as egglog text: declarations, rewrite rules, facts, and the rules of the shape analysis."""

from ast import literal_eval
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, Generic, TypeVar, cast

import cloudpickle  # pyright: ignore[reportMissingTypeStubs]

from eggrad.engine.errors import EggradError
from eggrad.engine.indices.spec import Dims, output_dims
from eggrad.engine.indices.texts import fraction_of, fraction_text
from eggrad.engine.laws.language import (
    CONSTRUCTORS,
    DIFFERENTIAL,
    SLOPE_NODES,
    Call,
    Condition,
    Differ,
    Known,
    Law,
    Literal,
    Node,
    Parameter,
    Tensor,
    Variable,
    pullback_node,
)
from eggrad.engine.laws.primitives import has_length_one, has_other_spec, is_declared, is_empty
from eggrad.engine.laws.rule import Fact, Rule, Same, mirrored
from eggrad.engine.laws.statements import nodes_of
from eggrad.engine.recent import Recent
from eggrad.engine.terms.fixed_arrays import Entries
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.operations import result_dims
from eggrad.engine.terms.term import (
    FUNCTION_NODES,
    NUMERIC_NAMES,
    NUMERIC_NODES,
    Parts,
    Term,
    parts,
    postorder,
)

# Python values as egglog sees them: canonical text.
#
# egglog compares Python objects by their pickled bytes, and those tell apart equal tuples that do
# and do not share their parts. So every value travels as one string.


def encode(value: object) -> str:
    """The text of a number, a word, or nested tuples of words and integers.

    >>> encode((("n", 2), 0))
    "(('n', 2), 0)"
    """
    return _encode(type(value), value)


@lru_cache(maxsize=65536)
def _encode(_: type, value: object) -> str:
    if isinstance(value, Fraction):
        return f"q{fraction_text(value)}"
    # A named tuple is a tuple: its text has no names.
    return tuple.__repr__(value) if isinstance(value, tuple) else repr(value)


@lru_cache(maxsize=65536)
def decode(text: str) -> Any:
    """The value of a text.

    >>> decode(encode((("n", 2), 0)))
    (('n', 2), 0)
    """
    return fraction_of(text[1:]) if text.startswith("q") else literal_eval(text)


class Encoded:
    """A function on values as a function on their texts."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Wrap the function; it must be one that pickle finds by name."""
        self.function = function

    def __call__(self, *texts: str) -> str:
        """Decode, apply, encode."""
        return encode(self.function(*map(decode, texts)))


def literal(value: object) -> str:
    """A Python value, or a function on values, as egglog text."""
    return _literal(type(value), value)


@lru_cache(maxsize=65536)
def _literal(_: type, value: object) -> str:
    plain = Encoded(value) if callable(value) else encode(value)
    pickled = cast(bytes, cloudpickle.dumps(plain))  # pyright: ignore[reportUnknownMemberType]
    return f'(py-object "{b64encode(pickled).decode()}")'


# Which rules can match at all: those whose left sides are made of symbols that occur.
#
# A symbol is a constructor, the name of a function, or a property; axes of length 0 or 1 have
# one. What occurs is what terms are
# made of that are loaded, and what rules that have matched put on their right sides. A rule that is
# left out would not have matched, so nothing depends on it; but every rule costs time in each
# iteration, and in each copy of the e-graph.


# Constructors whose first argument is the name of an operation.
NAMED: Final = frozenset({*FUNCTION_NODES.values(), *SLOPE_NODES.values(), *NUMERIC_NAMES})
# Begins the symbol of a property.
KNOWN: Final = "known "
# Begins the symbol of what is declared of a variable.
DECLARED: Final = "declared "
# The lengths whose axes have a symbol, and the conditions that ask for one.
LENGTHS: Final = {0: "length 0", 1: "length 1"}
ASK_FOR_LENGTH: Final = {is_empty: 0, has_length_one: 1, has_other_spec: 1}
# Stands for all names, or all properties, where a pattern computes one.
ANY: Final = "*"
# Sets of symbols for which it is remembered which rules can match, at most.
REMEMBERED: Final = 256

Symbols = frozenset[str]
L = TypeVar("L", Rule, Fact)


@dataclass(frozen=True)
class Selection:
    """The laws of each stage that can match, and those that lead to wider e-classes."""

    stages: Mapping[str, Sequence[Rule | Fact]]
    widening: Sequence[Rule] = ()


def symbols_of(*roots: Term) -> Symbols:
    """The symbols that some terms are made of.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> sorted(symbols_of(apply("exp", variable("x"))))
    ['exp', 'function', 'variable']
    """
    return frozenset(s for t in postorder(*roots) for s in symbols_of_parts(parts(t), t.dims))


def symbols_of_parts(known: Parts, dims: Dims) -> list[str]:
    """The symbols of an e-node: constructor, name of an operation, lengths of axes."""
    constructor, data, _ = known
    found = [constructor, *(symbol for d, symbol in LENGTHS.items() if d in dims)]
    if constructor == "variable":
        found += [DECLARED + word for word in cast(Variable, data[0])[2]]
    return [*found, str(data[0])] if constructor in NAMED else found


class _Law(Generic[L]):
    """A law with what has to occur for it to match, in one of its directions, and what it makes."""

    def __init__(self, law: L) -> None:
        directions = [_of_fact(law)] if isinstance(law, Fact) else list(_of_rule(law))
        self.law = law
        self.needs = tuple(
            (frozenset(n for n in needs if not _is_known(n)), frozenset(filter(_is_known, needs)))
            for needs, _ in directions
        )
        self.gives = frozenset(s for _, gives in directions for s in gives)


class Relevance:
    """The rules and facts of some stages; `select` says which of them can match.

    `asked` are properties that others than rules ask for, where one of some symbols occurs; where
    none is named, always. `facts` are those that may follow at once, else those of the stages.
    """

    def __init__(
        self,
        stages: Mapping[str, Sequence[Rule | Fact]],
        asked: Mapping[str, Symbols] | None = None,
        facts: Iterable[Fact] | None = None,
    ) -> None:
        """Read the symbols of all laws."""
        self.stages = stages
        self.asked = asked or {}
        laws = dict.fromkeys(law for stage in stages.values() for law in stage)
        stated = (f for f in laws if isinstance(f, Fact))
        self.facts = [*dict.fromkeys(stated if facts is None else facts)]
        self.fact_names = {f"{f.ruleset}.{f.name}" for f in self.facts}
        self._rules = [_Law(r) for r in laws if isinstance(r, Rule)]
        self._facts = [_Law(f) for f in self.facts]
        self._gives = {
            f"{m.law.ruleset}.{m.law.name}": m.gives for m in (*self._rules, *self._facts)
        }
        self._known = Recent[Symbols, Selection](REMEMBERED)
        self._with_implied: dict[str, Symbols] = {}

    def made_by(self, laws: Iterable[str]) -> set[str]:
        """The symbols on the right sides of some laws, named as `ruleset.rule`."""
        return {s for name in laws for s in self._made(name)}

    def _made(self, name: str) -> Symbols:
        """What a law makes; a fact concludes at once what follows from it alone."""
        found = self._with_implied.get(name)
        if found is None:
            found = self._gives.get(name, frozenset())
            for fact in self.facts if found and name in self.fact_names else ():
                if f"{fact.ruleset}.{fact.name}" == name and isinstance(fact.claim.property, str):
                    found = found.union(KNOWN + str(p) for p in _implied(fact, self.facts))
            self._with_implied[name] = found
        return found

    def select(self, symbols: Symbols) -> Selection:
        """The rules that can match where some symbols occur."""
        found = self._known.get(symbols)
        if found is None:
            found = self._select(symbols)
            self._known.put(symbols, found)
        return found

    def _select(self, symbols: Symbols) -> Selection:
        asked = {p for p, causes in self.asked.items() if not causes or causes & symbols}
        chosen: set[tuple[str, str]] = set()
        widening: list[Rule] = []
        for law in self._rules:
            rule = law.law
            ready = [known for needs, known in law.needs if _occur(needs, symbols)]
            asked = asked.union(*ready)
            if any(_occur(known, symbols) for known in ready):
                chosen.add((rule.ruleset, rule.name))
            if ready and rule.widens:
                widening.append(rule)
        chosen.update((f.ruleset, f.name) for f in self._answering(asked, symbols))
        stages = {
            n: tuple(law for law in laws if (law.ruleset, law.name) in chosen)
            for n, laws in self.stages.items()
        }
        return Selection(stages, tuple(widening))

    def _answering(self, asked: set[str], symbols: Symbols) -> tuple[Fact, ...]:
        """The facts that conclude what is asked for, or what those ask for in turn."""
        able = [
            f
            for f in self._facts
            if any(_occur(needs, symbols) for needs, _ in f.needs)
            and (not f.law.decides or any(_occur(frozenset({n}), symbols) for n in f.law.decides))
        ]
        found: set[_Law[Fact]] = set()
        while True:
            fresh = [f for f in able if f not in found and _may_answer(f.gives, asked)]
            if not fresh:
                return tuple(f.law for f in able if f in found)
            found.update(fresh)
            asked = asked.union(*(known for f in fresh for _, known in f.needs))


def _may_answer(gives: Symbols, asked: set[str]) -> bool:
    every = KNOWN + ANY
    return not gives.isdisjoint(asked) or (bool(asked) and (every in asked or every in gives))


def _occur(needs: Symbols, symbols: Symbols) -> bool:
    return needs <= symbols or all(s in symbols or _is_computed(s, symbols) for s in needs)


def _is_computed(symbol: str, symbols: Symbols) -> bool:
    """Whether a name or a property may occur because a pattern computes one."""
    if _is_known(symbol):
        return KNOWN + ANY in symbols or (symbol == KNOWN + ANY and any(map(_is_known, symbols)))
    return ANY in symbols and symbol not in SORTS


def symbols_made(rule: Rule) -> Symbols:
    """The symbols on the right side of a rule, in both directions."""
    return frozenset(s for _, gives in _of_rule(rule) for s in gives)


def _of_rule(rule: Rule) -> Iterator[tuple[Symbols, Symbols]]:
    law = rule.statement
    conditions = frozenset(s for c in law.conditions for s in _symbols(c))
    sides = [(law.left, law.right)] + ([(law.right, law.left)] if law.both else [])
    for left, right in sides:
        yield frozenset(_symbols(left)) | conditions, frozenset(_symbols(right))


def _of_fact(fact: Fact) -> tuple[Symbols, Symbols]:
    needs = [s for c in (fact.claim.tensor, *fact.conditions) for s in _symbols(c)]
    return frozenset(needs), frozenset({_property(fact.claim)})


def _is_known(symbol: str) -> bool:
    return symbol.startswith(KNOWN)


def _property(known: Known) -> str:
    return KNOWN + (known.property if isinstance(known.property, str) else ANY)


def _symbols(pattern: object) -> Iterator[str]:
    """The symbols of a pattern; a parameter for a name stands for one that occurs already."""
    if isinstance(pattern, Known):
        yield _property(pattern)
    if isinstance(pattern, Call) and isinstance(pattern.function, Condition):
        test = pattern.function.function
        if test is is_declared:
            yield DECLARED + str(pattern.args[1])
        if test in ASK_FOR_LENGTH:
            yield LENGTHS[ASK_FOR_LENGTH[test]]
    for node in nodes_of(pattern):
        yield _constructor(node)
        if node.constructor in NAMED:
            name = node.args[0].value if isinstance(node.args[0], Literal) else node.args[0]
            if isinstance(name, str):
                yield name
            elif not isinstance(name, Parameter):
                yield ANY


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


Shape = tuple[Callable[..., object], tuple[int, ...]]
"""How dims follow from arguments, and the places of those."""

# The sorts of the arguments of every constructor.
SORTS: Final = {**CONSTRUCTORS, **DIFFERENTIAL}
# How the dims of each constructor's terms follow from its arguments.
TERM_SHAPES: Final[dict[str, Shape]] = {
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
    **{name: (result_dims, tuple(range(2 + n))) for n, name in NUMERIC_NODES.items()},
}


def _derived(a: Dims, x: tuple[str, Dims]) -> Dims:
    return a + x[1]


def _passed_on(constructor: str, place: int, *args: Any) -> Dims:
    """The axes of a cotangent before those of the node, then those of the operand."""
    *arguments, cotangent = args
    function, places = TERM_SHAPES[constructor]
    node = cast(Dims, function(*(arguments[k] for k in places)))
    operands = [
        a for a, sort in zip(arguments, CONSTRUCTORS[constructor], strict=True) if sort == "Tensor"
    ]
    return (*cotangent[: len(cotangent) - len(node)], *operands[place])


SHAPES: Final[dict[str, Shape]] = {
    **TERM_SHAPES,
    "derivative": (_derived, (0, 1)),
    **dict.fromkeys(SLOPE_NODES.values(), (_own, (2,))),
    **{
        pullback_node(name): (partial(_passed_on, name), tuple(range(2 + len(CONSTRUCTORS[name]))))
        for name in TERM_SHAPES
        if pullback_node(name) in DIFFERENTIAL
    },
}


# The ruleset that deletes what is no term.
DELETION: Final = "deletion"
# Begins the names of relations on the nodes of a constructor.
STABLE: Final = "stable"


def declarations() -> Iterator[str]:
    """The sort of tensors, the analysis `dims`, names of e-classes, and what is known of them."""
    yield "(sort Tensor)"
    yield "(function dims (Tensor) PyObject :no-merge)"
    # A table of names, not `let`: every `let` would be one more function to visit.
    yield "(function named (i64) Tensor :merge old)"
    # What is known of an e-class, and the e-classes that equal it and are defined at more.
    yield "(relation known (String Tensor))"
    yield "(relation wider (Tensor Tensor i64))"
    yield f"(ruleset {DELETION})"


def table_of(constructor: str) -> str:
    """The name of a constructor in egglog.

    egglog calls what it binds in a rule by the name of its table and a number. Did the name of
    one end with a digit, as that of another and a digit does, two parts of a rule would be one.
    """
    return f"{constructor}_"


def table(name: str) -> Iterator[str]:
    """A constructor, or the relation `stable_` on its nodes."""
    relation = name.startswith(f"{STABLE}_")
    constructor = name.removeprefix(f"{STABLE}_")
    sorts = SORTS[constructor]
    arguments = " ".join("PyObject" if s == "Object" else s for s in sorts)
    if relation:
        yield f"(relation {STABLE}_{table_of(constructor)} ({arguments}))"
        return
    yield f"(constructor {table_of(name)} ({arguments}) Tensor)"
    if name in DIFFERENTIAL:
        yield _deletion(name)
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
    found = list(dict.fromkeys(_constructor(node) for p in patterns for node in nodes_of(p)))
    stable = not isinstance(law, Fact) and law.stable
    return found + [f"{STABLE}_{name}" for name in found] * stable


def _constructor(node: Node) -> str:
    """What a node of a pattern is an e-node of."""
    name = node.constructor
    return pullback_node(node.args[0].constructor) if name == "pullback" else name


def property_text(name: object) -> str:
    """A property as egglog has it: comparing strings takes less time than decoding objects."""
    return f'"{encode(name)}"'


def shape_of(constructor: str) -> str:
    """The ruleset that gives the terms of a constructor their dims."""
    return f"shape_{constructor}"


def settling_of(constructor: str) -> str:
    """The ruleset that subsumes the terms of a constructor that are constants."""
    return f"settle_{constructor}"


def law_rules(rule: Rule, ruleset: str) -> Iterator[str]:
    """A ruleset of every variant of a rule's law that unites e-classes."""
    yield f"(ruleset {ruleset})"
    if rule.is_conditional or not rule.widens:
        for label, law in _variants(rule):
            yield _rule(law, rule, f':ruleset {ruleset} :name "{label}"')


def widening_rules(rule: Rule, ruleset: str) -> Iterator[str]:
    """A ruleset of every variant of a rule that leads from a narrower side to a wider one."""
    yield f"(ruleset {ruleset})"
    for label, law in _variants(rule):
        yield _widening_rule(law, rule, f':ruleset {ruleset} :name "{label}w"')


def _variants(rule: Rule) -> Iterator[tuple[str, Law]]:
    for k, law in enumerate(mirrored(rule.statement)):
        yield f"{rule.ruleset}.{rule.name}/{k}", law


def fact_rule(fact: Fact, others: Sequence[Fact], ruleset: str) -> Iterator[str]:
    """A ruleset of the rule that concludes a fact, and at once those that follow from it alone."""
    yield f"(ruleset {ruleset})"
    for k, (form, conditions) in enumerate(fact.forms or ((None, fact.conditions),)):
        body = _Body()
        if form is not None:
            body.match_root(form)
        for c in conditions:
            body.emit(c)
        root = "root" if form is not None else body.emit(fact.claim.tensor)
        head = " ".join(f"(known {property_text(p)} {root})" for p in _implied(fact, others))
        label = f':ruleset {ruleset} :name "{fact.ruleset}.{fact.name}/{k}"'
        yield f"(rule ({body.text}) ({head}) {label})"


def _deletion(constructor: str) -> str:
    """The rule that deletes the e-nodes of a constructor."""
    call = f"({table_of(constructor)} {' '.join(f'a{i}' for i in range(len(SORTS[constructor])))})"
    label = f':ruleset {DELETION} :name "delete.{constructor}"'
    return f"(rule ((= e {call})) ((delete {call})) {label})"


def combined(name: str, rulesets: str) -> str:
    """Several rulesets as one."""
    return f"(unstable-combined-ruleset {name} {rulesets})"


def _widening_rule(law: Law, rule: Rule, label: str) -> str:
    """Note that the right side is wider than the left one, whatever is known; 1 is for code alone.

    A property that is computed has to be one: it may say that the law is another one there.
    """
    body = _Body()
    body.match_root(law.left)
    for c in law.conditions:
        body.emit(c.property if isinstance(c, Known) else c)
    right = body.emit(law.right)
    return f"(rule ({body.text}) ((wider root {right} {int(rule.stable)})) {label})"


def _implied(fact: Fact, others: Sequence[Fact]) -> list[object]:
    """The property that a fact concludes, and those that follow from it alone."""
    found = [fact.claim.property]
    follows = [
        ({c.property for c in f.conditions if isinstance(c, Known)}, f.claim.property)
        for f in others
        if f.is_of_any_form
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
    head = " ".join([*body.made, f"(union root {right})"])
    head += f" (subsume {left})" if rule.replaces else ""
    if rule.stable:
        head += f" (stable_{right[1:]}"
    return f"(rule ({body.text}) ({head}) {label})"


def _shape_rule(name: str) -> str:
    """The rule that gives every term of a constructor its dims."""
    function, places = SHAPES[name]
    sorts = SORTS[name]
    args = [f"a{i}" for i in range(len(sorts))]
    inner = [f"(dims a{i})" if sorts[i] == "Tensor" else f"a{i}" for i in places]
    # A call of Python takes some 8 microseconds.
    same = inner[0] if function is _own else f"(py-call {literal(function)} {' '.join(inner)})"
    body = f"(= root ({table_of(name)} {' '.join(args)})) (= d {same})"
    return f'(rule ({body}) ((set (dims root) d)) :ruleset {shape_of(name)} :name "shapes.{name}")'


def _settle_rule(name: str) -> str:
    """A class that has a constant needs no other member matched: it would feed loops like 2·0."""
    call = f"({table_of(name)} {' '.join(f'a{i}' for i in range(len(SORTS[name])))})"
    return (
        f"(rule ((= e ({table_of('constant')} c n)) (= e {call})) ((subsume {call})) "
        f':ruleset {settling_of(name)} :name "settle.{name}")'
    )


def _idempotent_rule() -> str:
    """A power of a class that is the class itself says nothing: of a product, x·x⁻¹, no end."""
    # A variable that occurs twice in a row is compared, as in `_Body`.
    same = "(= e (ordering-min e a)) (= e (ordering-max e a))"
    power = f"({table_of('power')} a p)"
    return (
        f"(rule ((= e {power}) {same}) ((subsume {power})) "
        f':ruleset {settling_of("power")} :name "settle.idempotent")'
    )


class _Body:
    """The body of one egglog rule: patterns matched, conditions and computed values bound."""

    def __init__(self) -> None:
        self.facts: list[str] = []
        self.bound: dict[str, str] = {}
        self.matching = False
        # Nodes that are e-nodes already, and those that are made beside the right side.
        self.there: set[str] = set()
        self.made: list[str] = []

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
            case Node(constructor="pullback", args=(node, place, cotangent)):
                arguments = " ".join(self._arguments(node.args))
                # Laws read the node's dims.
                inner = f"({table_of(node.constructor)} {arguments})"
                if self.matching:
                    self.there.add(inner)
                else:
                    self.made.append(inner)
                name = table_of(_constructor(pattern))
                return f"({name} {self.emit(place)} {arguments} {self.emit(cotangent)})"
            case Node(constructor=name, args=args):
                text = f"({table_of(name)} {' '.join(self._arguments(args))})"
                if self.matching:
                    self.there.add(text)
                return text
            case Call(function=None, args=args):
                return self._dims(args[0])
            case Call(function=function, args=args):
                inner = " ".join(self.emit(a) for a in args)
                return self._bind(f"(py-call {literal(function)} {inner})", partial=True)
            case _:
                return literal(pattern)

    def _dims(self, pattern: object) -> str:
        """The dims of a pattern: of what is no e-node yet, worked out."""
        text = self.emit(pattern)
        if not isinstance(pattern, Node) or text in self.there or pattern.constructor not in SHAPES:
            return self._bind(f"(dims {text})")
        name = pattern.constructor
        function, places = SHAPES[name]
        inner = (
            self._dims(pattern.args[k])
            if SORTS[name][k] == "Tensor"
            else self.emit(pattern.args[k])
            for k in places
        )
        return self._bind(f"(py-call {literal(function)} {' '.join(inner)})", partial=True)

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
