"""Where a place in the body of an element-wise definition is: sums and conditions around it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final

from eggrad.engine.indices.integer_conditions import (
    Condition,
    Problem,
    Range,
    divisible,
    first_solution,
    implied,
    nonnegative,
)
from eggrad.engine.indices.rational_affine import Affine
from eggrad.frontend.elementwise.syntax import Choice, Node, Opaque, Read, Sum, parts

# Cases in which a wrong place is looked for: remainders, and conditions that do not hold.
CASES: Final = 1_000


@dataclass(frozen=True)
class Path:
    """What stands around a place in a body: sums, and conditions that hold or do not all hold."""

    sums: tuple[tuple[str, Range], ...] = ()
    conditions: tuple[Condition, ...] = ()
    excluded: tuple[tuple[Condition, ...], ...] = ()

    def within(self, part: Opaque) -> "Iterator[tuple[Path, Node]]":
        """The paths to the bodies of a sum or a choice."""
        if isinstance(part, Sum):
            yield self.summed(part.index, part.range), part.body
        elif isinstance(part, Choice):
            yield self.where(part.conditions), part.then
            yield self.elsewhere(part.conditions), part.otherwise

    def summed(self, index: str, span: Range) -> "Path":
        """The path into a sum."""
        return replace(self, sums=(*self.sums, (index, span)))

    def where(self, conditions: tuple[Condition, ...]) -> "Path":
        """The path to where conditions hold."""
        return replace(self, conditions=(*self.conditions, *conditions))

    def elsewhere(self, conditions: tuple[Condition, ...]) -> "Path":
        """The path to where some of the conditions do not hold."""
        if len(conditions) == 1 and conditions[0].alternatives == 1:
            return self.where(tuple(conditions[0].negations()))
        return replace(self, excluded=(*self.excluded, conditions))

    def known(self) -> list[Condition]:
        """The conditions that hold, those of the sums' ranges among them."""
        bounds = [nonnegative(f) for n, span in self.sums for f in span.constraints(n)]
        return [*bounds, *self.conditions]


def readings(node: Node, path: Path | None = None) -> Iterator[tuple[Path, Read]]:
    """All readings within a body, and what stands around each.

    >>> from eggrad.engine.indices.integer_conditions import zero
    >>> i = Affine.of("i")
    >>> body = Choice((zero(i),), Read("x", (i,)), Read("x", (i - 1,)))
    >>> [len(path.known()) for path, _ in readings(body)]
    [1, 0]
    """
    here = path or Path()
    if isinstance(node, Read):
        yield here, node
    inner = (
        here.within(node) if isinstance(node, Sum | Choice) else ((here, p) for p in parts(node))
    )
    for around, part in inner:
        yield from readings(part, around)


def misread_at(
    form: Affine, length: Affine, path: Path, sizes: Mapping[str, Affine]
) -> dict[str, int] | None:
    """Values of the indices on a path at which a form is not the place of an entry, if there are.

    `sizes` are those of the head's indices. None also where sizes are not known as numbers, and
    where nothing was found in some thousand steps.

    >>> misread_at(Affine.of("i") + 1, Affine({}, 4), Path(), {"i": Affine({}, 4)})
    {'i': 3}
    """
    names = (*sizes, *(n for n, _ in path.sums))
    known = path.known()
    for n, size in sizes.items():
        known += [nonnegative(Affine.of(n)), nonnegative(size - Affine.of(n) - 1)]
    forms = (form, length, *(c.form for c in known))
    if any(n not in names for f in forms for n in f.names):
        return None
    constraints = [f for c in known for f in c.constraints()]
    divisor = form.denominator
    cases = [sum(c.alternatives for c in conditions) for conditions in path.excluded]
    if divisor * prod(cases) > CASES:
        return None
    whole = form.integral()
    sides = [-whole - 1, whole - length * divisor]
    wrong = [nonnegative(side) for side in sides if not implied(-side - 1, constraints)]
    wrong += [divisible(whole - rest, divisor) for rest in range(1, divisor)]
    apart = [[n for c in conditions for n in c.negations()] for conditions in path.excluded]
    for one in wrong:
        for others in product(*apart):
            asked = (*known, one, *others)
            found = first_solution(Problem(names, asked, (), names))
            if found is not None:
                return found
    return None
