"""Adjoints of element-wise definitions: Urban and van der Smagt 2017, section 5, algorithm 4.

The derivative by every entry that is read comes from the rules. This file finds the points at
which an entry is read, over which the products of derivatives and cotangents are summed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from eggrad.engine.affine import Affine
from eggrad.engine.chained_adjoints import Level, pull_back_levels
from eggrad.engine.index_conditions import Condition, nonnegative, zero
from eggrad.engine.integer_ranges import Range
from eggrad.engine.integer_solutions import Problem, Solutions, solve
from eggrad.engine.term import Term
from eggrad.frontend.elementwise_scalars import Opaque, Scalars
from eggrad.frontend.elementwise_syntax import (
    Binary,
    Call,
    Choice,
    Negative,
    Node,
    Number,
    Read,
    Sum,
    binary,
    choice,
    fresh_name,
    names_within,
    substitute,
    walk,
)
from eggrad.rules.standard import system

__all__ = ["Frame", "Occurrence", "adjoint_body", "head_names", "occurrences"]

ZERO: Final = Number(Fraction(0))
LETTERS: Final = "ijklmnpqrstuvwxyz"
MARK: Final = "'"


@dataclass(frozen=True)
class Path:
    """What stands around a place in a body: sums, and conditions that hold or do not all hold."""

    sums: tuple[tuple[str, Range], ...] = ()
    conditions: tuple[Condition, ...] = ()
    excluded: tuple[tuple[Condition, ...], ...] = ()

    def within(self, part: Opaque) -> "Iterator[tuple[Path, Node]]":
        """The paths to the bodies of a sum or a choice."""
        if isinstance(part, Sum):
            yield replace(self, sums=(*self.sums, (part.index, part.range))), part.body
        elif isinstance(part, Choice):
            yield replace(self, conditions=(*self.conditions, *part.conditions)), part.then
            yield replace(self, excluded=(*self.excluded, part.conditions)), part.otherwise

    def known(self) -> list[Condition]:
        """The conditions that hold, those of the sums' ranges among them."""
        bounds = [nonnegative(f) for n, own in self.sums for f in own.constraints(n)]
        return [*bounds, *self.conditions]


@dataclass(frozen=True)
class Occurrence:
    """A reading, its path, and the adjoint of the entry that is read there."""

    read: Read
    path: Path
    adjoint: Node


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
        levels.append(Level(term, tuple(own), above))
        paths.append(path)
        parts.append(own)
    if not levels:
        return []
    root = scalars.term(cotangent)
    found = iter(pull_back_levels(system(), levels, root).terms)
    result: list[Occurrence] = []
    for path, own in zip(paths, parts, strict=True):
        for part in own.values():
            adjoint = scalars.node(next(found))
            if isinstance(part, Read) and adjoint != ZERO:
                result.append(Occurrence(part, path, adjoint))
    return result


def _parts(node: Node) -> list[Opaque]:
    """The parts of a body that are variables in its scalar term, each once."""
    found: dict[Opaque, None] = {}
    stack = [node]
    while stack:
        match stack.pop():
            case (Read() | Sum() | Choice()) as part:
                found[part] = None
            case Call(_, operand) | Negative(operand):
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


def adjoint_body(found: Sequence[Occurrence], frame: Frame) -> Node:
    """The sum of what each of some readings of one argument contributes to its adjoint."""
    parts = [p for o in found if (p := _contribution(o, frame)) is not None]
    result = parts[0] if parts else ZERO
    for part in parts[1:]:
        result = binary("+", result, part)
    return result


def _contribution(own: Occurrence, frame: Frame) -> Node | None:
    """The adjoints of an entry, summed over all points at which it is read; None if none are."""
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
    used = set(unknowns)

    def fresh(name: str) -> str:
        new = fresh_name(f"'{name.lstrip(MARK)}", used)
        used.add(new)
        return new

    solved = solve(Problem(unknowns, tuple(conditions), frame.known, preferred, fresh))
    return None if solved is None else _written(own, solved, frame)


def _written(own: Occurrence, solved: Solutions, frame: Frame) -> Node:
    """A contribution in the indices of the head, and of sums over the solutions."""
    taken = set(frame.taken)
    names: dict[str, str] = {}
    for n in solved.ranges:
        names[n] = fresh_name(n.lstrip(MARK), taken)
        taken.add(names[n])
    new = {n: Affine.of(name) for n, name in names.items()}
    values = {n.lstrip(MARK): f.substitute(new) for n, f in solved.values.items()}
    result = substitute(own.adjoint, values, frozenset(taken))
    for excluded in own.path.excluded:
        result = choice(tuple(c.substitute(values) for c in excluded), ZERO, result)
    for n, span in reversed(solved.ranges.items()):
        lower = tuple(f.substitute(new) for f in span.lower)
        upper = tuple(f.substitute(new) for f in span.upper)
        result = Sum(names[n], Range(lower, upper), result)
    return choice(solved.conditions, result, ZERO)


def head_names(found: Sequence[Occurrence], axes: int, taken: set[str]) -> tuple[str, ...]:
    """A name for each axis of an argument: the first reading's index there, if it is one alone."""
    names: list[str] = []
    used = {n for o in found for n in names_within(o.adjoint)} | taken
    used |= {n for o in found for n, _ in o.path.sums}
    for axis in range(axes):
        bare = found[0].read.indices[axis].bare() if found else None
        if bare is None or bare in names or bare not in used:
            spare = next((c for c in LETTERS if c not in used), None)
            bare = fresh_name("i", used) if spare is None else spare
        names.append(bare)
        used.add(bare)
    return tuple(names)
