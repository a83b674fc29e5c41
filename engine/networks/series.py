"""Sums whose leading terms cancel near 0: there they are computed by their power series.

`x - sin x` has lost all digits at 1e-9. An e-class is read as a series in one other e-class, its
place, and with it how much larger than it the rounding errors are that its e-nodes make. Most
e-graphs have no sum in which leading terms cancel: a few coefficients show that. Only below sums
that lose digits are many computed.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import gcd, log2
from typing import Final, NamedTuple

from eggrad.engine.extraction.extract import reached
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.extraction.stability import LOSSY
from eggrad.engine.indices.spec import hadamard
from eggrad.engine.networks.exponential_reading import Arithmetic, elements, exponential, is_call
from eggrad.engine.networks.networks import raised, read_by_operands
from eggrad.engine.networks.power_series import (
    Place,
    Series,
    function_of_series,
    moved,
    number,
    place_itself,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.engine.terms.term_patterns import substituted

# Coefficients that are read: to find leading terms that cancel, sums that lose digits, and all.
FIRST: Final = 3
FEW: Final = 10
MANY: Final = 48
# Coefficients of a polynomial, and bounds of the bits that may be lost where it is not used any
# more: of errors that all add up, which they do not; so three bits fewer are what is seen.
MOST_COEFFICIENTS: Final = 32
BITS: Final = 8
MOST_BITS: Final = 16
# A relative error that no double shows, how far the terms of a polynomial may cancel at the edge,
# and how near to the end of convergence that is.
NEGLIGIBLE: Final = 2.0**-54
MOST_CANCELLED: Final = 10
NEAREST: Final = 0.75
# Radii, in order: four in each octave.
RADII: Final = tuple(Fraction(m, 8) * Fraction(2) ** j for j in range(-12, 7) for m in range(4, 8))


class Loss(NamedTuple):
    """A relative rounding error, `size·zᵒʳᵈᵉʳ` in units of one: below 0 all digits go."""

    order: int = 0
    size: float = 1.0

    def beside(self, other: "Loss") -> "Loss":
        """Both errors: near 0 the one of the lower order counts."""
        if self.order == other.order:
            return Loss(self.order, self.size + other.size)
        return min(self, other)

    def of(self, order: int, factor: Fraction) -> "Loss":
        """The same error of a part that is `factor·zᵒʳᵈᵉʳ` times the whole."""
        return Loss(self.order + order, self.size * float(abs(factor)))

    def bits(self, radius: Fraction, value: float) -> float:
        """The bits that are lost at a distance from 0, where the value is so much larger."""
        return log2(1 + self.size * float(radius) ** self.order / value)


KEPT: Final = Loss()


class Reader:
    """Reads e-classes as series, and notes in which places leading terms cancel.

    With `places` no other e-class is one, and only the e-classes `within` some are read.
    """

    def __init__(
        self,
        graph: Snapshot,
        order: int,
        places: Collection[Place] | None = None,
        within: Collection[int] | None = None,
    ) -> None:
        """Read so many coefficients of each e-class."""
        self.graph = graph
        self.order = order
        self.places = places
        self.within = within
        self.cancelled: dict[Place, None] = {}

    def read(self) -> dict[int, Series]:
        """What can be read, operands first."""
        # No reader has it: a cycle of references would keep the snapshot.
        arithmetic = Arithmetic(number, self._plus, Series.times, Series.power, moved)
        return read_by_operands(self.graph, partial(self._series, arithmetic))

    def _series(
        self, arithmetic: Arithmetic[Series], cls: int, found: Mapping[int, Series]
    ) -> Series | None:
        c = self.graph.number(cls)
        if c is not None:
            return number(c)
        if self.within is not None and cls not in self.within:
            return None
        nodes = sorted(self.graph.members[cls], key=self.graph.choice[cls].__ne__)
        ways = (self._of_node(arithmetic, m, found) for m in nodes)
        series = next((s for s in ways if s is not None), None)
        return series or self._place(cls)

    def _place(self, cls: int) -> Series | None:
        place = (cls, tuple(range(len(self.graph.dims[cls]))))
        if self.places is None:
            is_place = not any(map(self._is_guard, self.graph.members[cls]))
        else:
            is_place = place in self.places
        return place_itself(place, self.order) if is_place else None

    def _is_guard(self, m: ENode) -> bool:
        """Whether an e-node is a place where it is far from 0, and a number elsewhere."""
        return m.constructor == "function3" and self.graph.number(m.children[1]) is not None

    def _of_node(
        self, arithmetic: Arithmetic[Series], m: ENode, found: Mapping[int, Series]
    ) -> Series | None:
        if m.constructor in ("function", "numeric"):
            operand = found.get(m.children[0])
            whole = operand and function_of_series(m.data[0], operand)
            if whole and whole.place and is_call(m, "log"):
                self.cancelled[whole.place] = None
            return whole
        return arithmetic.read(self.graph, m, found, elements(self.graph))

    def _plus(self, a: Series, b: Series) -> Series | None:
        total = a.plus(b)
        place = a.place or b.place
        is_less = a.low == b.low and (total is None or total.low > a.low)
        if place is not None and {a.place, b.place} <= {place, None} and is_less:
            self.cancelled[place] = None
        return total


def with_series(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Sums that lose digits near 0, the outermost ones, with their polynomials there."""
    if not any(_cancels(graph, c) for c in graph.choice):
        return
    first = Reader(graph, FIRST)
    first.read()
    if not first.cancelled:
        return
    found = Reader(graph, FEW, first.cancelled).read()
    losses = _losses(graph, found)
    losing = {
        c: loss for c, loss in losses.items() if loss.order < 0 and not _is_of_exponential(graph, c)
    }
    if not any(_cancels(graph, c) for c in losing):
        return
    series = Reader(graph, MANY, first.cancelled, graph.below(losing)).read()
    written: dict[int, Term] = {}

    def below(cls: int) -> Iterable[int]:
        if cls in series and cls in losing and _is_whole(graph, cls, losing):
            term = _written(graph, cls, series[cls], losing[cls])
            if term is not None:
                written[cls] = term
                return ()
        # What is vouched for will be computed, else the cheapest.
        nodes = [m for m in graph.members[cls] if m.stable] or [graph.choice[cls]]
        return (c for m in nodes for c in m.children)

    reached(graph.root_classes, below)
    yield from written.items()


def _cancels(graph: Snapshot, cls: int) -> bool:
    """Whether an e-class is a sum, or the logarithm of what may go to 1."""
    return any(m.constructor in LOSSY or is_call(m, "log") for m in graph.members[cls])


def _is_of_exponential(graph: Snapshot, cls: int) -> bool:
    """Whether an e-class is a rational function of one exponential or its logarithm.

    These have laws of their own.
    """
    logs = (m.children[0] for m in graph.members[cls] if is_call(m, "log"))
    return any(exponential(graph, c) is not None for c in (cls, *logs))


def _is_whole(graph: Snapshot, cls: int, losing: Container[int]) -> bool:
    """Whether an e-class is a sum, or a product of one that loses digits and what may lose some.

    Of such a product other forms may be computed, in which something else cancels.
    """

    def may_lose(c: int) -> bool:
        nodes = graph.members[c]
        return not any(m.stable for m in nodes) and any(
            m.constructor in LOSSY or is_call(m, "exp") or is_call(m, "log") for m in nodes
        )

    operands = graph.choice[cls].children
    return _cancels(graph, cls) or any(c not in losing and may_lose(c) for c in operands)


def _losses(graph: Snapshot, found: Mapping[int, Series]) -> dict[int, Loss]:
    """What the best e-node of each e-class that was read loses."""
    known: dict[int, Loss] = {}
    for cls in graph.choice:
        place = found[cls].place if cls in found else None
        if place and place[0] == cls:
            known[cls] = KEPT
        elif cls in found:
            ways = (_loss(graph, found[cls], m, found, known) for m in graph.members[cls])
            known[cls] = max(
                (w for w in ways if w is not None), key=lambda w: (w.order, -w.size), default=KEPT
            )
    return known


def _loss(
    graph: Snapshot,
    whole: Series,
    m: ENode,
    found: Mapping[int, Series],
    known: Mapping[int, Loss],
) -> Loss | None:
    """What an e-node loses; None where it is not known what its operands do."""
    if m.stable and m.constructor not in LOSSY:
        return KEPT
    operands = m.children[:1] if m.constructor == "power" else m.children
    if any(c not in known or c not in found for c in operands):
        return None
    parts = [(found[c], known[c]) for c in operands]
    match m.constructor:
        case "add" | "subtract":
            own = [_within(s, loss, whole) for s, loss in parts]
            return own[0].beside(own[1]).beside(KEPT)
        case "ein" | "divide":
            return parts[0][1].beside(parts[1][1]).beside(KEPT)
        case "scale" | "negate":
            return parts[0][1]
        case "power":
            p = graph.number(m.children[1])
            return parts[0][1].of(0, p).beside(KEPT) if p else None
        case "function" | "numeric":
            return _through(*parts[0], whole).beside(KEPT)
        case _:
            return None


def _within(part: Series, loss: Loss, whole: Series) -> Loss:
    """The error of a part, relative to the whole."""
    return loss.of(part.low - whole.low, part.coefficients[0] / whole.coefficients[0])


def _through(operand: Series, loss: Loss, whole: Series) -> Loss:
    """What a function makes of the error of its operand."""
    if not operand.low:
        return _within(operand, loss, whole)
    start = 1 if whole.low == 0 else 0
    places = (k for k, c in enumerate(whole.coefficients) if c and k >= start)
    k = next(places, None)
    if k is None:
        return KEPT
    power = Fraction(whole.low + k, operand.low)
    return loss.of(k, power * whole.coefficients[k] / whole.coefficients[0])


# What is written.


class _Cut(NamedTuple):
    """Up to which power coefficients are used, within which radius."""

    end: int
    radius: Fraction


def _cut(series: Series, loss: Loss) -> _Cut | None:
    """The fewest coefficients with a radius at which little is lost, if there is one."""
    first = series.coefficients[0]
    numbers = [float(c / first) for c in series.coefficients]
    growth = max(abs(c) ** (1 / k) for k, c in enumerate(numbers) if k >= len(numbers) // 2)
    ends = [k for k, c in enumerate(numbers[:-1], 1) if c][:MOST_COEFFICIENTS]
    best, least = None, float(MOST_BITS)
    for end in ends:
        radius = _radius(numbers, end, growth)
        if radius is not None:
            value = sum(abs(c) * float(radius) ** k for k, c in enumerate(numbers[:end]))
            bits = loss.bits(radius, value)
            if bits <= least:
                best, least = _Cut(end, radius), bits
            if bits <= BITS:
                break
    return best


def _radius(numbers: Sequence[float], end: int, growth: float) -> Fraction | None:
    """A large radius at which the terms that are left out do not count, and others do not cancel.

    What comes after the last that is known is taken to grow as these do.
    """

    def fits(radius: Fraction) -> bool:
        r = float(radius)
        ratio = growth * r
        if ratio > NEAREST:
            return False
        values = [c * r**k for k, c in enumerate(numbers)]
        kept = values[:end]
        size = sum(map(abs, kept))
        rest = sum(map(abs, values[end:])) + ratio ** len(numbers) / (1 - ratio)
        at_ends = (sum(kept), sum(kept[::2]) - sum(kept[1::2]))
        return rest <= NEGLIGIBLE * size and size <= MOST_CANCELLED * min(map(abs, at_ends))

    low, high = -1, len(RADII)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(RADII[middle]) else (low, middle)
    return RADII[low] if low >= 0 else None


def _written(graph: Snapshot, cls: int, series: Series, loss: Loss) -> Term | None:
    """A choice between the polynomial and what there is, whose place is never near 0.

    None where the e-class has another way to the place than by its term.
    """
    dims = graph.dims[cls]
    if series.place is None or series.place[1] != tuple(range(len(dims))):
        return None
    z = graph.term(series.place[0])
    cut = _cut(series, loss) if z.dims == dims else None
    if cut is None:
        return None
    edge = terms.constant(cut.radius, dims)
    near = terms.apply("greater", edge, terms.apply("abs", z))
    hidden = terms.variable("", dims)
    whole = substituted(graph.term(cls), {z: hidden})
    if not {*terms.variables(z)}.isdisjoint(terms.variables(whole)):
        return None
    far = substituted(whole, {hidden: terms.apply("where", near, edge, z)})
    return terms.apply("where", near, _polynomial(z, series, cut.end), far)


def _polynomial(z: Term, series: Series, end: int) -> Term:
    """The first terms of a series by Horner's scheme, in a power of the place."""
    kept = series.coefficients[:end]
    step = gcd(*(k for k, c in enumerate(kept) if c)) or 1
    times = partial(terms.einsum, hadamard(z.order))
    base = raised(z, step)
    total = terms.constant(kept[-1], z.dims)
    for c in reversed(kept[:-1:step]):
        total = times(base, total)
        if c:
            total = terms.add(terms.constant(c, z.dims), total)
    return times(raised(z, series.low), total) if series.low else total
