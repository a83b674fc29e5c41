"""Positive e-classes made of unlike exponentials, by their logarithms: nothing overflows there.

`log(exp a + exp b + 1)` is no function of one exponential. But the logarithm of a sum of positive
terms follows from theirs, as that of a product, quotient or power does.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices, Spec
from eggrad.engine.networks.exponential_products import multiplied_first, on_the_same_axes
from eggrad.engine.networks.exponential_reading import Arithmetic, elements, is_call, is_exponential
from eggrad.engine.networks.exponential_writing import Writer
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
        element = [_of_element(graph, cls)]
        # exp(log a) = a says nothing of the logarithm of a.
        ways = chain(nodes, element) if _is_exp_of_log(graph, cls) else chain(element, nodes)
        return next((w for w in ways if w is not None), None)

    return read_by_operands(graph, logarithm)


def _is_exp_of_log(graph: Snapshot, cls: int) -> bool:
    """Whether an e-class is the exponential of its logarithm."""
    powers = (m.children[0] for m in graph.members[cls] if is_call(m, "exp"))
    return any(is_call(m, "log") and m.children[0] == cls for c in powers for m in graph.members[c])


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
    writer = Writer(graph, graph.dims[cls])

    def number(c: Fraction) -> Logarithm | None:
        return Logarithm(writer.total(writer.log_of(c))) if c > 0 else None

    def spread(logarithm: Logarithm, part: Indices, _: Indices) -> Logarithm:
        high, low = (t and writer.spread(t, part) for t in logarithm[:2])
        return Logarithm(high, low, logarithm.mixed)

    if node.constructor == "ein1" and (a := found.get(node.children[0])) is not None:
        return _summed(a, node.spec)
    arithmetic = Arithmetic(number, _sum, _product, _power, spread)
    return arithmetic.read(graph, node, found, elements(graph))


def _summed(a: Logarithm, spec: Spec) -> Logarithm | None:
    """Of a sum, or another order of the axes; sums of exponentials alone have a law."""
    source, kept = spec
    if len({*source}) < len(source) or (len(kept) < len(source) and not a.mixed):
        return None
    if len(kept) == len(source):
        high, low = (t and terms.einsum(spec, t) for t in a[:2])
        return Logarithm(high, low, a.mixed)
    return Logarithm(terms.numeric("logsumexp", a.term, data=spec), mixed=True)


def _sum(a: Logarithm, b: Logarithm) -> Logarithm:
    return Logarithm(terms.numeric("logaddexp", a.term, b.term), mixed=True)


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
        logarithm = known.get(cls)
        if logarithm is not None and logarithm.mixed and logarithm.low is not None:
            high = logarithm.high or terms.constant(0, graph.dims[cls])
            yield cls, terms.numeric("exp_difference", high, logarithm.low)
        for m in graph.members[cls]:
            if is_call(m, "log"):
                inner = known.get(m.children[0])
                if inner is not None and inner.mixed:
                    yield cls, inner.term


def over_mixed_first(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """A product whose positive factors on the same axes are multiplied first, if one divides."""
    known = logarithms(graph)
    for places in on_the_same_axes(network, known.__contains__):
        logs = [known[network.factors[k][0]] for k in places]
        if any(a.mixed and a.low is not None for a in logs):
            yield multiplied_first(graph, network, places)
