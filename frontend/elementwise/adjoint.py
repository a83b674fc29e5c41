"""Adjoints of element-wise definitions: Urban and van der Smagt 2017, section 5, algorithm 4.

The derivative by every entry that is read comes from the rules: the body is a scalar term for
them, in which entries of arguments, sums and choices are variables. This file finds the points at
which an entry is read, over which the products of derivatives and cotangents are summed.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, reduce
from typing import Final

from eggrad.engine.indices.integer_conditions import (
    Condition,
    Problem,
    Range,
    Solutions,
    nonnegative,
    solve,
    zero,
)
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.saturation import system as saturation
from eggrad.engine.saturation.schedule import Result
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.calculus.kept import kept_result
from eggrad.frontend.elementwise.paths import Path
from eggrad.frontend.elementwise.syntax import (
    ZERO,
    Binary,
    Call,
    Choice,
    Negative,
    Node,
    Number,
    Opaque,
    Read,
    Sum,
    binary,
    choice,
    fresh_name,
    names_within,
    negative,
    settled,
    substitute,
    walk,
)
from eggrad.frontend.text.functions import applied
from eggrad.frontend.text.words import format_number
from eggrad.rules.standard import system

ONE: Final = Fraction(1)
HALF: Final = Fraction(1, 2)


class Scalars:
    """A name for every part that is no operation on numbers; equal parts have one."""

    def __init__(self) -> None:
        """Begin without any part."""
        self._names: dict[Opaque, str] = {}
        self._parts: dict[str, Opaque] = {}

    def variable(self, part: Opaque) -> Term:
        """The variable that stands for a part."""
        if part not in self._names:
            name = f"v{len(self._names)}"
            self._names[part] = name
            self._parts[name] = part
        return terms.variable(self._names[part])

    def term(self, node: Node) -> Term:
        """The scalar term of a node.

        >>> Scalars().term(Call("exp", (Negative(Number(Fraction(2))),))).op
        'exp'
        """
        match node:
            case Number(value):
                return terms.constant(value)
            case Negative(operand):
                return terms.negate(self.term(operand))
            case Binary(operator, left, right):
                return _OPERATIONS[operator](self.term(left), self.term(right))
            case Call(function, arguments, declared):
                return applied(function, declared, [self.term(a) for a in arguments])
            case _:
                return self.variable(node)

    def node(self, term: Term) -> Node:
        """The node of a scalar term: signs and numbers in front, divisors at the end.

        >>> x = terms.variable("v0")
        >>> scalars = Scalars()
        >>> _ = scalars.variable(Read("x", ()))
        >>> scalars.node(terms.einsum(",->", x, x))
        Binary(operator='**', left=Read(name='x', indices=()), right=Number(value=Fraction(2, 1)))
        """
        match term.op:
            case "variable":
                return self._parts[term.name]
            case "add" | "subtract":
                return self._sum(term)
            case "constant" | "negate" | "einsum" | "divide":
                return self._product(term)
            case "power" if _is_negative_power(term):
                return self._product(term)
            case "power":
                base = self.node(term.args[0])
                if term.args[1].data == HALF:
                    return Call("sqrt", (base,))
                return Binary("**", base, self.node(term.args[1]))
            case function:
                declared = term.data if isinstance(term.data, OwnFunction) else None
                return Call(function, tuple(map(self.node, term.args)), declared)

    def _sum(self, term: Term) -> Node:
        """Differences instead of sums with negatives, first what has no sign; equal ones once."""
        summands = [self._product(t, Fraction(n)) for t, n in _summands(term).items()]
        return reduce(added, sorted(summands, key=_is_negative))

    def _product(self, term: Term, number: Fraction = ONE) -> Node:
        """A multiple of a product over a product, with one number and one sign in front."""
        over: list[Term] = []
        under: list[Term] = []
        stack = [(term, True)]
        while stack:
            t, above = stack.pop()
            if t.op == "constant" and t.data:
                value = t.value
                number = number * value if above else number / value
            elif t.op == "negate":
                number = -number
                stack.append((t.args[0], above))
            elif t.op == "add" and t.args[0] is t.args[1]:
                number = number * 2 if above else number / 2
                stack.append((t.args[0], above))
            elif t.op == "einsum":
                stack += [(a, above) for a in reversed(t.args)]
            elif t.op == "divide":
                stack += [(t.args[1], not above), (t.args[0], above)]
            elif t.op == "power" and _is_negative_power(t):
                base, exponent = t.args
                positive = terms.constant(-exponent.value)
                stack.append((_power(base, positive), not above))
            else:
                (over if above else under).append(t)
        top, bottom = self._powers(over), self._powers(under)
        return _quotient(number, top, bottom)

    def _powers(self, factors: Sequence[Term]) -> list[Node]:
        counts = Counter(factors)
        return [
            Binary("**", self._factor(t), Number(Fraction(n))) if n > 1 else self._factor(t)
            for t, n in counts.items()
        ]

    def _factor(self, term: Term) -> Node:
        return ZERO if term.op == "constant" else self.node(term)


def _summands(term: Term) -> dict[Term, int]:
    """The terms that a sum adds, and how often each."""
    counts: dict[Term, int] = {}
    stack = [(term, 1)]
    while stack:
        t, sign = stack.pop()
        if t.op in ("add", "subtract"):
            left, right = t.args
            stack += [(right, -sign if t.op == "subtract" else sign), (left, sign)]
        else:
            counts[t] = counts.get(t, 0) + sign
    return counts


def added(left: Node, right: Node) -> Node:
    """A sum; a difference where the right side is negative, one side where the other is zero."""
    if left == ZERO:
        return right
    if right == ZERO:
        return left
    if _is_negative(right):
        return binary("-", left, _opposite(right))
    return binary("+", left, right)


_OPERATIONS: Final[Mapping[str, Callable[[Term, Term], Term]]] = {
    "+": terms.add,
    "-": terms.subtract,
    "*": partial(terms.einsum, ",->"),
    "/": terms.divide,
    "**": terms.power,
}


def _quotient(number: Fraction, top: list[Node], bottom: list[Node]) -> Node:
    size, divisor = abs(number), number.denominator
    # A decimal fraction where people would write one: x / 2, but 0.1 * x, and 0.5 alone.
    short = divisor % 10 == 0 or not (top or bottom)
    if divisor > 1 and not (short and "." in format_number(size)):
        bottom = [*bottom, Number(Fraction(divisor))]
        size = Fraction(size.numerator)
    alone = not top or size != 1
    if alone:
        top = [Number(size if number >= 0 else -size), *top]
    result = top[0]
    for other in top[1:]:
        result = binary("*", result, other)
    for other in bottom:
        result = binary("/", result, other)
    return result if alone or number > 0 else negative(result)


def _is_negative_power(term: Term) -> bool:
    exponent = term.args[1]
    return exponent.op == "constant" and exponent.value < 0


def _power(base: Term, exponent: Term) -> Term:
    return base if exponent.data == 1 else terms.power(base, exponent)


def _is_negative(node: Node) -> bool:
    return isinstance(node, Negative) or (_leading(node) < 0)


def _leading(node: Node) -> Fraction:
    """The number with which a product begins; 1 where there is none."""
    while isinstance(node, Binary) and node.operator in ("*", "/"):
        node = node.left
    return node.value if isinstance(node, Number) else Fraction(1)


def _opposite(node: Node) -> Node:
    """A negative summand with the other sign."""
    match node:
        case Negative(operand):
            return operand
        case Number(value):
            return Number(-value)
        case Binary(operator, left, right):
            return binary(operator, _opposite(left), right)
        case _:
            return negative(node)


# Adjoints ----------------------------------------------------------------------------------


LETTERS: Final = "ijklmnpqrstuvwxyz"
MARK: Final = "'"


Level = tuple[Term, tuple[Term, ...], tuple[int, Term] | None]
"""The arguments of a `Level` of the engine."""


@dataclass(frozen=True)
class Occurrence:
    """A reading, its path, and the adjoint of the entry that is read there.

    `complete` is False where a budget cut the simplification of the adjoint short.
    """

    read: Read
    path: Path
    adjoint: Node
    complete: bool


def occurrences(body: Node, cotangent: Node) -> list[Occurrence]:
    """The readings in a body whose entries have an adjoint, in the order of the text.

    A reading that occurs twice under the same sums and conditions is one.
    """
    scalars = Scalars()
    levels: list[Level] = []
    paths: list[Path] = []
    parts: list[dict[Term, Opaque]] = []
    waiting: list[tuple[Path, Node, tuple[int, Term] | None]] = [(Path(), body, None)]
    while waiting:
        path, node, above = waiting.pop(0)
        term = scalars.term(node)
        opaque = {scalars.variable(p): p for p in _parts(node) if _has_reading(p)}
        if not opaque:
            continue
        for variable, part in opaque.items():
            for inner, child in path.within(part):
                waiting.append((inner, child, (len(levels), variable)))
        levels.append((term, tuple(opaque), above))
        paths.append(path)
        parts.append(opaque)
    if not levels:
        return []
    root = scalars.term(cotangent)
    derived = _derivatives(tuple(levels), root)
    warn_of(derived.report)
    found = iter(derived.terms)
    result: list[Occurrence] = []
    for path, opaque in zip(paths, parts, strict=True):
        for part in opaque.values():
            adjoint = scalars.node(next(found))
            if isinstance(part, Read) and adjoint != ZERO:
                result.append(Occurrence(part, path, adjoint, derived.complete))
    return result


@lru_cache(maxsize=256)
def _derivatives(levels: tuple[Level, ...], cotangent: Term) -> Result:
    """Many definitions, such as all products of two readings, have the same scalar terms."""
    engine_levels = [saturation.Level(*level) for level in levels]

    given = [cotangent, *(t for level in engine_levels for t in (level.term, *level.wrt))]
    nested = [(len(level.wrt), level.above) for level in engine_levels]
    ask = partial(saturation.pull_back_levels, system(), engine_levels, cotangent)
    return kept_result("levels", given, nested, ask)


def _parts(node: Node) -> list[Opaque]:
    """The parts of a body that are variables in its scalar term, each once."""
    found: dict[Opaque, None] = {}
    stack = [node]
    while stack:
        match stack.pop():
            case (Read() | Sum() | Choice()) as part:
                found[part] = None
            case Call(_, arguments):
                stack += reversed(arguments)
            case Negative(operand):
                stack.append(operand)
            case Binary(_, left, right):
                stack += [right, left]
            case _:
                pass
    return list(found)


def _has_reading(part: Opaque) -> bool:
    return any(isinstance(n, Read) for n in walk(part))


@dataclass(frozen=True)
class Frame:
    """What all parts of an adjoint share.

    `sizes` are those of the indices of the definition, `head` those of the adjoint's indices. Of
    these `places` are the ones at which the argument is read. `pinned` has the index of the head,
    if there is one, to which an index of the definition is equal.
    """

    sizes: Mapping[str, Affine]
    head: Mapping[str, Affine]
    places: tuple[str, ...]
    pinned: Mapping[str, str]

    @property
    def known(self) -> tuple[Affine, ...]:
        """That the indices of the head are in their ranges."""
        forms = ((Affine.of(n), size) for n, size in self.head.items())
        return tuple(f for n, size in forms for f in (n, size - n - 1))

    @property
    def taken(self) -> frozenset[str]:
        """The names that no sum's index may have."""
        forms = (*self.sizes.values(), *self.head.values())
        return frozenset(self.head).union(*(f.names for f in forms))


@dataclass(frozen=True)
class Contribution:
    """Where `conditions` hold, the sum of `value` over `ranges`, outermost first."""

    conditions: tuple[Condition, ...]
    ranges: tuple[tuple[str, Range], ...]
    value: Node


def adjoint_body(found: Sequence[Occurrence], frame: Frame) -> Node:
    """The sum of what each of some readings of one argument contributes to its adjoint."""
    whole: dict[tuple[Condition, ...], dict[tuple[tuple[str, Range], ...], Node]] = {}
    for o in found:
        contribution = _contribution(o, frame)
        if contribution is not None:
            sums = whole.setdefault(contribution.conditions, {})
            before = sums.get(contribution.ranges)
            sums[contribution.ranges] = (
                contribution.value if before is None else added(before, contribution.value)
            )
    result: Node = ZERO
    for conditions, sums in whole.items():
        part: Node = ZERO
        for spans, value in sums.items():
            total = value
            for n, span in reversed(spans):
                total = Sum(n, span, total)
            part = added(part, total)
        result = added(result, choice(conditions, part, ZERO))
    return result


def _contribution(occurrence: Occurrence, frame: Frame) -> Contribution | None:
    """The adjoint of an entry at all points at which it is read; None if there are none."""
    heads, sums = list(frame.sizes), [n for n, _ in occurrence.path.sums]
    # In front of a name, a mark that no name has, tells old indices from those of the head.
    old = {n: Affine.of(f"'{n}") for n in (*heads, *sums)}
    conditions = [c.substitute(old) for c in occurrence.path.known()]
    for n, size in frame.sizes.items():
        conditions += [nonnegative(old[n]), nonnegative(size - old[n] - 1)]
    pairs = [*zip(occurrence.read.indices, frame.places, strict=True)]
    pairs += [(Affine.of(n), h) for n, h in frame.pinned.items()]
    conditions += [zero(f.substitute(old) - Affine.of(h)) for f, h in pairs]
    unknowns = tuple(f"'{n}" for n in (*heads, *sums))
    preferred = tuple(f"'{n}" for n in (*sums, *heads))
    solved = solve(Problem(unknowns, tuple(conditions), frame.known, preferred))
    return None if solved is None else _written(occurrence, solved, frame)


def _written(occurrence: Occurrence, solved: Solutions, frame: Frame) -> Contribution:
    """A contribution in the indices of the head, and of sums over the solutions."""
    taken = set(frame.taken)
    names: dict[str, str] = {}
    for n in solved.ranges:
        names[n] = fresh_name(n.strip(MARK), taken)
        taken.add(names[n])
    new = {n: Affine.of(name) for n, name in names.items()}
    values = {n.strip(MARK): f.substitute(new) for n, f in solved.values.items()}
    holding = (*solved.conditions, *(c.substitute(values) for c in occurrence.path.conditions))
    result = settled(substitute(occurrence.adjoint, values, frozenset(taken)), frozenset(holding))
    for excluded in occurrence.path.excluded:
        result = choice(tuple(c.substitute(values) for c in excluded), ZERO, result)
    ranges: list[tuple[str, Range]] = []
    for n, span in solved.ranges.items():
        lower = tuple(f.substitute(new) for f in span.lower)
        upper = tuple(f.substitute(new) for f in span.upper)
        ranges.append((names[n], Range(lower, upper)))
    return Contribution(solved.conditions, tuple(ranges), result)


def head_names(found: Sequence[Occurrence], axes: int, taken: frozenset[str]) -> tuple[str, ...]:
    """A name for each axis of an argument, none of which is taken.

    That of an index of which the first reading's place there is nothing but a value, or a letter.
    """
    used = {n for o in found for n in names_within(o.adjoint)}
    used |= {n for o in found for n, _ in o.path.sums} | taken
    names: list[str] = []
    for axis in range(axes):
        bare = found[0].read.indices[axis].bare() if found else None
        if bare is None or bare in (*names, *taken):
            spare = next((c for c in LETTERS if c not in used), None)
            bare = fresh_name("i", used) if spare is None else spare
        names.append(bare)
        used.add(bare)
    return tuple(names)
