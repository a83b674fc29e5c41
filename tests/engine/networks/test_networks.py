"""The order in which the factors of a network are multiplied."""

from collections.abc import Mapping
from itertools import combinations
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.networks.networks import contraction_path

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


@settings(max_examples=300, deadline=None)
@given(networks())
def test_no_order_is_cheaper(network: tuple[Factors, frozenset[int], dict[int, int]]) -> None:
    factors, out, lengths = network
    numbers, left, total = list(range(len(factors))), list(factors), 0
    for pair in contraction_path(factors, out, lengths, exact=True):
        i, j = (numbers.index(k) for k in pair)
        own, left = price(left, out, lengths, i, j)
        total += own
        numbers = [n for n in numbers if n not in pair] + [2 * len(factors) - len(left) - 1]
    assert len(left) == 1
    assert total == brute_force(factors, out, lengths)


def test_long_networks_have_an_order() -> None:
    factors = [frozenset({k, k + 1}) for k in range(30)]
    lengths = dict.fromkeys(range(31), 10)
    for exact in (False, True):
        pairs = contraction_path(factors, frozenset({0, 30}), lengths, exact=exact)
        assert sorted(k for pair in pairs for k in pair) == list(range(58))
