"""Positive e-classes made of unlike exponentials, by their logarithms: nothing overflows there.

`log(exp a + exp b + 1)` is no function of one exponential. But the logarithm of a sum of positive
terms follows from theirs, as that of a product, quotient or power does.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices
from eggrad.engine.networks.exponential_products import (
    joined,
)
from eggrad.engine.networks.exponential_reading import (
    elements,
    in_result,
    is_exponential,
    spreads,
)
from eggrad.engine.networks.exponential_writing import (
    Writer,
)
from eggrad.engine.networks.networks import Network, read_by_operands, scaled
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term


class Logarithm(NamedTuple):
    """`high - low`, the logarithm of an e-class; a `mixed` one is of unlike exponentials."""

    high: Term | None
    low: Term | None = None
    mixed: bool = False

    @property
    def term(self) -> Term:
        """The difference."""
        if self.low is None:
            assert self.high is not None
            return self.high
        negative = scaled(Fraction(-1), self.low)
        return negative if self.high is None else terms.add(self.high, negative)


def logarithms(graph: Snapshot) -> Mapping[int, Logarithm]:
    """The logarithms of e-classes that are positive because of how they are made."""
    return graph.remember("logarithms", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Logarithm]:
    if not any(map(is_exponential, elements(graph).values())):
        return {}

    def logarithm(cls: int, found: Mapping[int, Logarithm]) -> Logarithm | None:
        nodes = (_of_node(graph, cls, m, found) for m in graph.members[cls])
        ways = chain([_of_element(graph, cls)], nodes)
        return next((w for w in ways if w is not None), None)

    return read_by_operands(graph, logarithm)


def _of_element(graph: Snapshot, cls: int) -> Logarithm | None:
    """Of a rational function of one exponential with positive coefficients."""
    e = elements(graph).get(cls)
    if e is None or min(*e.numerator, *e.denominator) < 0:
        return None
    writer = Writer(graph, graph.dims[cls])
    high = writer.total(writer.log_of_sum(e, e.numerator, e.form))
    low = writer.log_of_sum(e, e.denominator)
    return Logarithm(high, writer.total(low) if low else None)


def _of_node(
    graph: Snapshot, cls: int, node: ENode, found: Mapping[int, Logarithm]
) -> Logarithm | None:
    operands = [found.get(c) for c in node.children]
    writer = Writer(graph, graph.dims[cls])

    def spread(own: Logarithm, part: Indices) -> Logarithm:
        high, low = (t if t is None else writer.spread(t, part) for t in (own.high, own.low))
        return Logarithm(high, low, own.mixed)

    match node.constructor, operands:
        case "scale", [Logarithm() as a] if node.value > 0:
            return _product(a, Logarithm(writer.total(writer.log_of(node.value))))
        case "add", [Logarithm() as a, Logarithm() as b]:
            return Logarithm(terms.numeric("logaddexp", a.term, b.term), mixed=True)
        case "ein", [Logarithm() as a, Logarithm() as b] if spreads(node.spec):
            first, second = in_result(node.spec)
            return _product(spread(a, first), spread(b, second))
        case "ein1", [Logarithm() as a] if len({*node.spec[0]}) == len(node.spec[0]):
            # A sum, or another order of the axes; sums of exponentials alone have a law.
            source, kept = node.spec
            if len(kept) < len(source) and not a.mixed:
                return None
            if len(kept) == len(source):
                high, low = (t and terms.einsum(node.spec, t) for t in a[:2])
                return Logarithm(high, low, a.mixed)
            return Logarithm(terms.numeric("logsumexp", a.term, data=node.spec), mixed=True)
        case "power", [Logarithm() as a, _]:
            p = elements(graph).get(node.children[1])
            return None if p is None or is_exponential(p) else _power(a, p.numerator[0])
        case "divide", [Logarithm() as a, Logarithm() as b]:
            every = tuple(range(len(graph.dims[cls])))
            parts = (every if graph.dims[c] else () for c in node.children)
            top, bottom = map(spread, (a, b), parts)
            return _product(top, _power(bottom, Fraction(-1)))
        case _:
            return None


def _product(a: Logarithm, b: Logarithm) -> Logarithm:
    high, low = (
        x if y is None else y if x is None else terms.add(x, y)
        for x, y in zip(a[:2], b[:2], strict=True)
    )
    return Logarithm(high, low, a.mixed or b.mixed)


def _power(a: Logarithm, p: Fraction) -> Logarithm:
    high, low = (t and scaled(abs(p), t) for t in a[:2])
    return Logarithm(high, low, a.mixed) if p > 0 else Logarithm(low, high, a.mixed)


def logarithms_of_mixed(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The logarithms of sums of unlike exponentials, and what is divided by such sums."""
    known = logarithms(graph)
    for cls in graph.classes:
        own = known.get(cls)
        if own is not None and own.mixed and own.low is not None:
            high = own.high or terms.constant(0, graph.dims[cls])
            yield cls, terms.numeric("exp_difference", high, own.low)
        for m in graph.members[cls]:
            if m.constructor == "function" and m.data[0] == "log":
                inner = known.get(m.children[0])
                if inner is not None and inner.mixed:
                    yield cls, inner.term


def joined_over_mixed(graph: Snapshot, network: Network) -> Iterator[Term]:
    """A product whose positive factors on the same axes are multiplied first, if one divides."""
    known = logarithms(graph)
    grouped: dict[Indices, list[int]] = {}
    for place, (cls, part) in enumerate(network.factors):
        if cls in known:
            grouped.setdefault(part, []).append(place)
    for places in grouped.values():
        own = [known[network.factors[k][0]] for k in places]
        divides = any(a.mixed and a.low is not None for a in own)
        if divides and 1 < len(places) < len(network.factors):
            yield joined(graph, network, places)
