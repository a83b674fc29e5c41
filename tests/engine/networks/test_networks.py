"""The order in which the factors of a network are multiplied."""

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.costs.cost import count
from eggrad.engine.networks.networks import cheap_path, cheapest_path, smallest_first
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import postorder
from eggrad.rules.standard import system
from tests.support.tiers import samples

Factors = list[frozenset[int]]
LENGTHS = (1, 2, 10, 100)


def price(factors: Factors, out: frozenset[int], lengths: Mapping[int, int], i: int, j: int):
    """What one product costs, and the factors after it."""
    rest = [f for k, f in enumerate(factors) if k not in (i, j)]
    points = factors[i] | factors[j]
    kept = points & out.union(*rest)
    every, sums = (prod(lengths[x] for x in own) for own in (points, kept))
    return 2 * every - sums, [*rest, kept]


def brute_force(factors: Factors, out: frozenset[int], lengths: Mapping[int, int]) -> int:
    if len(factors) == 1:
        return 0
    steps = (price(factors, out, lengths, *pair) for pair in combinations(range(len(factors)), 2))
    return min(own + brute_force(rest, out, lengths) for own, rest in steps)


@st.composite
def networks(draw: st.DrawFn) -> tuple[Factors, frozenset[int], dict[int, int]]:
    indices = st.frozensets(st.integers(0, 3), min_size=1, max_size=3)
    factors = draw(st.lists(indices, min_size=2, max_size=5))
    out = draw(st.frozensets(st.sampled_from(sorted(frozenset().union(*factors))), max_size=2))
    lengths = draw(st.tuples(*[st.sampled_from(LENGTHS)] * 4))
    return factors, out, dict(enumerate(lengths))


@settings(max_examples=samples(150, 600), deadline=None)
@given(networks())
def test_no_order_is_cheaper(network: tuple[Factors, frozenset[int], dict[int, int]]) -> None:
    factors, out, lengths = network
    numbers, left, total = list(range(len(factors))), list(factors), 0
    for pair in cheapest_path(factors, out, lengths):
        i, j = (numbers.index(k) for k in pair)
        own, left = price(left, out, lengths, i, j)
        total += own
        numbers = [n for n in numbers if n not in pair] + [2 * len(factors) - len(left) - 1]
    assert len(left) == 1
    assert total == brute_force(factors, out, lengths)


def test_long_networks_have_an_order() -> None:
    factors = [frozenset({k, k + 1}) for k in range(30)]
    lengths = dict.fromkeys(range(31), 10)
    for search in (cheap_path, cheapest_path, smallest_first):
        pairs = search(factors, frozenset({0, 30}), lengths)
        assert sorted(k for pair in pairs for k in pair) == list(range(58))


# The Jacobian of a chain with a bottleneck takes as few operations as the best of all orders.


WIDTHS = ("n0", "n1", "n2", "k", "n3", "n4", "n5")
SIZES = dict.fromkeys(WIDTHS, 100) | {"k": 5}


def chain() -> tuple[eg.Expression, list[eg.Expression]]:
    """A6 tanh(A5 .. tanh(A1 x)), and the derivatives of its layers."""
    z = eg.variable("x", WIDTHS[:1])
    slopes: list[eg.Expression] = []
    for k in range(1, 6):
        z = eg.tanh(eg.variable(f"A{k}", (WIDTHS[k], WIDTHS[k - 1])) @ z)
        slopes.append(1 - z**2)
    return eg.variable("A6", (WIDTHS[6], WIDTHS[5])) @ z, slopes


def product(rows: int, inner: int, columns: int) -> int:
    """Operations of a matrix product, multiplications and additions."""
    return rows * columns * (2 * inner - 1)


# The factors from left to right: matrices, and slopes that scale rows or columns.
CHAIN = [SIZES[w] for w in reversed(WIDTHS)]


@cache
def cheapest(first: int, last: int) -> int:
    """The fewest operations for the matrices `first` to `last` with the slopes between them."""
    if first == last:
        return 0
    rows, columns = CHAIN[first], CHAIN[last + 1]
    return min(
        cheapest(first, k)
        + cheapest(k + 1, last)
        + min(rows * CHAIN[k + 1], CHAIN[k + 1] * columns)
        + product(rows, CHAIN[k + 1], columns)
        for k in range(first, last)
    )


def one_way(order: range) -> int:
    """Operations of forward or reverse mode: one matrix after the other."""
    total = 0
    ends = CHAIN[0] if order.step > 0 else CHAIN[-1]
    for k in order:
        rows, columns = CHAIN[k], CHAIN[k + 1]
        if order.step > 0:
            total += ends * rows + product(ends, rows, columns)
        else:
            total += columns * ends + product(rows, columns, ends)
    return total


def test_no_order_of_a_chain_is_cheaper() -> None:
    f, slopes = chain()
    jacobian = eg.simplify(eg.jacobian(f, "x"), sizes=SIZES)
    ours = count([jacobian.term], SIZES) - count([s.term for s in slopes], SIZES)
    assert ours <= 1.01 * cheapest(0, 5)
    assert ours < one_way(range(1, 6))
    assert ours < one_way(range(4, -1, -1))


def test_terms_that_share_a_delta_are_joined_though_they_have_other_axes() -> None:
    """δᵢⱼ·xₖ - δᵢⱼ·yᵢ has entries for every pair of i and k, not for every j as well."""
    x, y = terms.variable("x", ("n",)), terms.variable("y", ("m",))
    both = terms.delta(("m",)), terms.constant(1, ("n",))
    first = terms.einsum("ij,k->ijk", both[0], x)
    second = terms.einsum("ij,ik->ijk", both[0], terms.einsum("i,k->ik", y, both[1]))
    (found,) = system().simplify([terms.subtract(first, second)]).terms
    assert found.op == "einsum"
    assert "delta" in {a.op for a in found.args}
    assert all(n.order < 3 for n in postorder(found) if n is not found)
