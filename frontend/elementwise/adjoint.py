"""Adjoints of element-wise definitions: Urban and van der Smagt 2017, section 5, algorithm 4.

The derivative by every entry that is read comes from the rules. This file finds the points at
which an entry is read, over which the products of derivatives and cotangents are summed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
from eggrad.engine.saturation.schedule import Result
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.elementwise.paths import Path
from eggrad.frontend.elementwise.scalars import Opaque, Scalars, added
from eggrad.frontend.elementwise.syntax import (
    ZERO,
    Binary,
    Call,
    Choice,
    Negative,
    Node,
    Read,
    Sum,
    choice,
    fresh_name,
    names_within,
    settled,
    substitute,
    walk,
)

__all__ = ["Frame", "Occurrence", "adjoint_body", "head_names", "occurrences"]

LETTERS: Final = "ijklmnpqrstuvwxyz"
MARK: Final = "'"


Level = tuple[Term, tuple[Term, ...], tuple[int, Term] | None]
"""The arguments of a `system.Level`."""


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
        own = {scalars.variable(p): p for p in _parts(node) if _has_reading(p)}
        if not own:
            continue
        for variable, part in own.items():
            for inner, child in path.within(part):
                waiting.append((inner, child, (len(levels), variable)))
        levels.append((term, tuple(own), above))
        paths.append(path)
        parts.append(own)
    if not levels:
        return []
    root = scalars.term(cotangent)
    derived = _derivatives(tuple(levels), root)
    warn_of(derived.report)
    found = iter(derived.terms)
    result: list[Occurrence] = []
    for path, own in zip(paths, parts, strict=True):
        for part in own.values():
            adjoint = scalars.node(next(found))
            if isinstance(part, Read) and adjoint != ZERO:
                result.append(Occurrence(part, path, adjoint, derived.complete))
    return result


@lru_cache(maxsize=256)
def _derivatives(levels: tuple[Level, ...], cotangent: Term) -> Result:
    """Many definitions, such as all products of two readings, have the same scalar terms."""
    # What they need is loaded at the first adjoint.
    from eggrad.engine.saturation import system as saturation
    from eggrad.rules.standard import system

    own = [saturation.Level(*level) for level in levels]
    return saturation.pull_back_levels(system(), own, cotangent)


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
        own = ((Affine.of(n), size) for n, size in self.head.items())
        return tuple(f for n, size in own for f in (n, size - n - 1))

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
        own = _contribution(o, frame)
        if own is not None:
            sums = whole.setdefault(own.conditions, {})
            before = sums.get(own.ranges)
            sums[own.ranges] = own.value if before is None else added(before, own.value)
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


def _contribution(own: Occurrence, frame: Frame) -> Contribution | None:
    """The adjoint of an entry at all points at which it is read; None if there are none."""
    heads, sums = list(frame.sizes), [n for n, _ in own.path.sums]
    # In front of a name, a mark that no name has, tells old indices from those of the head.
    old = {n: Affine.of(f"'{n}") for n in (*heads, *sums)}
    conditions = [c.substitute(old) for c in own.path.known()]
    for n, size in frame.sizes.items():
        conditions += [nonnegative(old[n]), nonnegative(size - old[n] - 1)]
    pairs = [*zip(own.read.indices, frame.places, strict=True)]
    pairs += [(Affine.of(n), h) for n, h in frame.pinned.items()]
    conditions += [zero(f.substitute(old) - Affine.of(h)) for f, h in pairs]
    unknowns = tuple(f"'{n}" for n in (*heads, *sums))
    preferred = tuple(f"'{n}" for n in (*sums, *heads))
    solved = solve(Problem(unknowns, tuple(conditions), frame.known, preferred))
    return None if solved is None else _written(own, solved, frame)


def _written(own: Occurrence, solved: Solutions, frame: Frame) -> Contribution:
    """A contribution in the indices of the head, and of sums over the solutions."""
    taken = set(frame.taken)
    names: dict[str, str] = {}
    for n in solved.ranges:
        names[n] = fresh_name(n.strip(MARK), taken)
        taken.add(names[n])
    new = {n: Affine.of(name) for n, name in names.items()}
    values = {n.strip(MARK): f.substitute(new) for n, f in solved.values.items()}
    holding = (*solved.conditions, *(c.substitute(values) for c in own.path.conditions))
    result = settled(substitute(own.adjoint, values, frozenset(taken)), frozenset(holding))
    for excluded in own.path.excluded:
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
