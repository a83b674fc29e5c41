"""Laws matched against terms, in Python: which instances of a law begin with a term.

egglog matches laws faster; this is for proofs, which have to know every instance they use.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import MISTAKES, RuleError
from eggrad.engine.indices.spec import Dims, scaling
from eggrad.engine.laws.language import (
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
    Wrt,
)
from eggrad.engine.laws.rule import Fact, Rule, Same, mirrored
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.fixed_arrays import fixed_array_called
from eggrad.engine.terms.functions import record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import (
    FUNCTION_NODES,
    NUMERIC_NAMES,
    Term,
    is_multiple,
    parts,
    product_parts,
)

# Patterns whose parameters are all bound, as terms: what a law says at one instance.
#
# Derivatives, slopes and pullbacks are no terms. They become *holes*: variables whose values
# follow from those of the others by numeric differentiation.


# The value of every size symbol that an instance may have.
SYMBOLS: Mapping[str, int] = {"n": 2}

Values = Mapping[str, Array]


class Reject(Exception):
    """The law does not apply to what its parameters are bound to."""


@dataclass(frozen=True)
class Hole:
    """What is no term: the constructor, its arguments and axes, and how its value follows."""

    constructor: str
    args: tuple[object, ...]
    dims: Dims
    value: Callable[[Values], Array]


@dataclass
class Closing:
    """What the parameters of a law are bound to, and the holes met so far."""

    bound: Mapping[str, Any]
    holes: dict[str, Hole] = field(default_factory=dict[str, Hole])
    # The derivative of a term as another one; differences, where none is given.
    derive: Callable[[Term, Term], Term] | None = None

    def build(self, pattern: object) -> Any:
        """The term or value of a pattern; `Reject` where a primitive does not apply."""
        match pattern:
            case Parameter(name=name):
                return self.bound[name]
            case Literal(value=value):
                return value
            case Node(constructor="derivative", args=(a, x)):
                return self._derivative(self.build(a), self.build(x))
            case Node(constructor=name, args=(f, place, *args)) if name in SLOPE_NODES.values():
                applied = terms.apply(record(self.build(f)), *map(self.build, args))
                return self._slope(applied, place)
            case Node(constructor="pullback", args=(node, place, cotangent)):
                return self._pullback(self.build(node), place, self.build(cotangent))
            case Node(constructor=name, args=args):
                return node_term(name, tuple(self.build(a) for a in args))
            case Known(property=p):
                # Whether the values have it is for those to say who know them.
                return self.build(p)
            case Call(function=None, args=args):
                return self.build(args[0]).dims
            case Call(function=function, args=args):
                plain = function.function if isinstance(function, Condition) else function
                return self._call(cast(Callable[..., Any], plain), [self.build(a) for a in args])
            case _:
                return pattern

    def _call(self, function: Callable[..., Any], args: list[Any]) -> Any:
        try:
            found = function(*args)
        except MISTAKES as error:
            shown = f"{function.__name__}({', '.join(map(repr, args))})"
            raise RuleError(f"{shown} raises {type(error).__name__}: {error}") from error
        if found is None:
            raise Reject
        return found

    def fill(self, values: Values) -> Values:
        """The values, with those of the holes; a hole may depend on those before it."""
        filled = dict(values)
        for name, hole in self.holes.items():
            filled[name] = hole.value(filled)
        return filled

    def _hole(self, hole: Hole) -> Term:
        name = f"hole{len(self.holes)}"
        self.holes[name] = hole
        return terms.variable(name, hole.dims)

    def _derivative(self, a: Term, x: Wrt) -> Term:
        wrt = terms.variable(x[0], x[1])
        dims = a.dims + wrt.dims
        return self._hole(
            Hole("derivative", (a, wrt), dims, lambda v: self._differentiated(a, wrt, v))
        )

    def _slope(self, function: Term, place: int) -> Term:
        def value(values: Values) -> Array:
            args = [oracle.value(a, values, SYMBOLS) for a in function.args]
            return self._slope_value(function, place, args)

        return self._hole(Hole("slope", (function, place), function.dims, value))

    def _pullback(self, node: Term, place: int, g: Term) -> Term:
        lead = g.dims[: g.order - node.order]
        dims = lead + node.args[place].dims

        def value(values: Values) -> Array:
            return self._pulled(node, place, oracle.value(g, values, SYMBOLS), values)

        return self._hole(Hole("pullback", (node, place, g), dims, value))

    def _differentiated(self, a: Term, wrt: Term, values: Values) -> Array:
        """The value of a derivative: of another term where that is given, or by differences."""
        if self.derive is None:
            return _derivative(a, wrt, values)
        return oracle.value(self.derive(a, wrt), values, SYMBOLS)

    def _slope_value(self, function: Term, place: int, args: Sequence[Array]) -> Array:
        """The derivative of an element-wise function by one operand, entry by entry."""
        shape, n = args[place].shape, args[place].size
        probes = [terms.variable(f"probe{k}", tuple(shape)) for k in range(len(args))]
        values = {f"probe{k}": a for k, a in enumerate(args)}
        jacobian = self._differentiated(
            terms.rebuild(function, tuple(probes)), probes[place], values
        )
        return jacobian.reshape(n, n)[np.arange(n), np.arange(n)].reshape(shape)

    def _pulled(self, node: Term, place: int, g: Array, values: Values) -> Array:
        """The cotangent of a node, contracted with the node's Jacobian in one operand."""
        probes = [terms.variable(f"operand{k}", a.dims) for k, a in enumerate(node.args)]
        inner = {f"operand{k}": oracle.value(a, values, SYMBOLS) for k, a in enumerate(node.args)}
        again = terms.rebuild(node, tuple(probes))
        jacobian = self._differentiated(again, probes[place], inner)
        return np.tensordot(g, jacobian, axes=node.order)


def node_term(name: str, args: tuple[Any, ...]) -> Term:
    """The term of an e-graph constructor."""
    match name:
        case "ein" | "ein1":
            return terms.einsum(args[0], *args[1:])
        case "constant":
            return terms.constant(*args)
        case "scale":
            return terms.einsum(scaling(args[1].order), terms.constant(args[0]), args[1])
        case _ if name in FUNCTION_NODES.values():
            return terms.apply(record(args[0]), *args[1:])
        case _ if name in NUMERIC_NAMES:
            return terms.numeric(args[0], *args[2:], data=args[1])
        case _ if name in MATRIX_FUNCTIONS:
            return terms.apply(name, *args)
        case "variable":
            return terms.variable(*args[0])
        case "array":
            return terms.array(fixed_array_called(args[0][2]))
        case _:
            return getattr(terms, name)(*args)


def _derivative(a: Term, wrt: Term, values: Values) -> Array:
    """The derivative by differences; undefined near kinks and poles, where steps disagree."""
    wide, narrow = (
        oracle.numeric_derivative(a, wrt, values, SYMBOLS, step) for step in (1e-3, 1e-4)
    )
    with np.errstate(invalid="ignore"):
        agree = np.abs(wide - narrow) <= 1e-5 * (1 + np.abs(narrow))
    return np.where(agree, wide, np.nan)


Bound = Mapping[str, Any]
Arguments = tuple[object, ...]
View = tuple[str, Arguments]
"""A constructor that a term may be read as, with its arguments."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """A variant of a rule's law; a `reversed` one leads from its right side to its left."""

    rule: Rule
    law: Law
    reversed: bool

    @property
    def constructor(self) -> str:
        """What the side that is matched begins with."""
        return self.law.node.constructor


@lru_cache(maxsize=4096)
def patterns(rule: Rule) -> tuple[Pattern, ...]:
    """Every variant of a rule's law, as `mirrored` makes them."""
    left = rule.statement.left
    return tuple(Pattern(rule, law, law.right is left) for law in mirrored(rule.statement))


@dataclass(frozen=True, eq=False)
class Instance:
    """Both sides of a law at some bindings: the first is the one that was matched."""

    first: Term
    second: Term
    bound: Bound


def views(t: Term) -> Iterator[View]:
    """The constructors that a term may be read as: a multiple is a product as well."""
    constructor, data, operands = parts(t)
    yield constructor, data + operands
    if is_multiple(t):
        constructor, data, operands = product_parts(t)
        yield constructor, data + operands


@dataclass(frozen=True)
class Matcher:
    """What a pattern is matched in: the e-nodes of a term's e-class, and whether two are equal.

    What was `seen` at earlier calls is left out, if they are to be remembered. `known` says
    whether a term has a property.
    """

    members: Callable[[Term, str], Iterable[Arguments]]
    same: Callable[[Term, Term], bool]
    seen: set[Hashable] | None = None
    known: Callable[[str, Term], bool] = lambda _p, _t: False

    def instances(self, pattern: Pattern, arguments: Arguments) -> Iterator[Instance]:
        """The instances of a law whose matched side has its constructor with these arguments."""
        left = pattern.law.node
        pairs = tuple(zip(left.args, arguments, strict=True))
        for bound, computed in self._extend(pairs, {}, ()):
            key = (pattern, *bound.items()) if self.seen is not None else None
            if self.seen is not None and key in self.seen:
                continue
            found = self._close(pattern, bound, computed)
            # What is not known yet may be so later.
            if self.seen is not None and (found or not pattern.rule.is_conditional):
                self.seen.add(key)
            if found is not None:
                yield found

    def concludes(self, fact: Fact, arguments: Arguments) -> tuple[int, Bound] | None:
        """The number of a fact's form that its constructor makes of some arguments, and bindings.

        None where the fact says nothing of it.
        """
        for k, (form, conditions) in enumerate(fact.forms):
            pairs = tuple(zip(form.args, arguments, strict=True))
            for bound, _ in self._extend(pairs, {}, ()):
                held = self._held(conditions, bound)
                if held is not None:
                    return k, held
        return None

    def follows(self, fact: Fact, t: Term) -> Bound | None:
        """The bindings by which a fact concludes a property of a term from others that it has."""
        return self._held(fact.conditions, {fact.claim.tensor.name: t})

    def needs(self, fact: Fact, whole: Node, arguments: Arguments) -> Iterator[tuple[str, Term]]:
        """What a fact says of operands, given that what is made of them is defined."""
        pairs = tuple(zip(whole.args, arguments, strict=True))
        for bound, _ in self._extend(pairs, {}, ()):
            if self._held(fact.conditions[1:], bound) is not None:
                yield fact.claim.property, Closing(bound).build(fact.claim.tensor)

    def _held(self, conditions: Iterable[Tensor], bound: Bound) -> Bound | None:
        """The bindings, and those that conditions make, where these hold."""
        values = dict(bound)
        try:
            return values if self._hold(conditions, values) else None
        except Reject:
            return None

    def _hold(self, conditions: Iterable[Tensor], values: dict[str, Any]) -> bool:
        """Whether conditions hold, which may bind more; `Reject` where one has no value."""
        closing = Closing(values)
        for c in conditions:
            if isinstance(c, Same):
                value = closing.build(c.value)
                if not self._equal(values.setdefault(c.parameter.name, value), value):
                    return False
            elif isinstance(c, Known):
                if not self.known(closing.build(c.property), closing.build(c.tensor)):
                    return False
            elif isinstance(c, Differ):
                if self.same(closing.build(c.first), closing.build(c.second)):
                    return False
            elif not closing.build(c):
                return False
        return True

    def _extend(
        self,
        pairs: tuple[tuple[object, object], ...],
        bound: Bound,
        computed: tuple[tuple[Call, object], ...],
    ) -> Iterator[tuple[Bound, tuple[tuple[Call, object], ...]]]:
        """Match patterns with values, one after the other; computed values are left for later."""
        for k, (pattern, value) in enumerate(pairs):
            match pattern:
                case Parameter(name=name):
                    if name not in bound:
                        bound = {**bound, name: value}
                    elif not self._equal(bound[name], value):
                        return
                case Node(constructor=constructor, args=args):
                    for found in self.members(cast(Term, value), constructor):
                        inner = tuple(zip(args, found, strict=True))
                        yield from self._extend(inner + pairs[k + 1 :], bound, computed)
                    return
                case Call():
                    computed = (*computed, (pattern, value))
                case Literal(value=wanted):
                    if wanted != value:
                        return
                case wanted:
                    if wanted != value:
                        return
        yield bound, computed

    def _equal(self, a: object, b: object) -> bool:
        return self.same(a, b) if isinstance(a, Term) and isinstance(b, Term) else a == b

    def _close(
        self, pattern: Pattern, found: Bound, computed: tuple[tuple[Call, object], ...]
    ) -> Instance | None:
        """Both sides, if the conditions hold."""
        bound = dict(found)
        closing = Closing(bound)
        try:
            if not self._hold(pattern.law.conditions, bound):
                return None
            if any(closing.build(call) != value for call, value in computed):
                return None
            left, right = closing.build(pattern.law.left), closing.build(pattern.law.right)
            return Instance(left, right, bound)
        except Reject:
            return None


def matcher_of_terms(known: Callable[[str, Term], bool] = lambda _p, _t: False) -> Matcher:
    """The matcher that sees terms as they stand: nothing is equal to anything else."""

    def members(t: Term, constructor: str) -> Iterator[Arguments]:
        return (arguments for name, arguments in views(t) if name == constructor)

    return Matcher(members, lambda a, b: a is b, known=known)
