"""Sums of outer products against the oracle, and when they become one matrix product."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t

SIZES = ("k", "l", "m", "n")


@st.composite
def sums(draw: st.DrawFn) -> t.Term:
    """A sum of outer products of one order, with signs, and at times something else in it."""
    order = draw(st.integers(2, 4))
    dims = SIZES[:order]
    summands: list[t.Term] = []
    for k in range(draw(st.integers(2, 6))):
        left = draw(st.sets(st.integers(0, order - 1), min_size=1, max_size=order - 1))
        axes = [draw(st.permutations(sorted(left)))]
        axes.append(draw(st.permutations([i for i in range(order) if i not in left])))
        factors = [
            t.variable(f"{name}{k}", tuple(dims[i] for i in part))
            for name, part in zip("ab", axes, strict=True)
        ]
        summands.append(t.einsum((*map(tuple, axes), tuple(range(order))), *factors))
    if draw(st.booleans()):
        summands.append(draw(st.sampled_from([t.variable("T", dims), t.constant(2, dims)])))
    while len(summands) > 1:
        a, b = summands.pop(), summands.pop(draw(st.integers(0, len(summands) - 1)))
        build = draw(st.sampled_from([t.add, t.subtract, lambda x, y: t.add(t.negate(x), y)]))
        summands.append(build(a, b))
    return summands[0]


@settings(max_examples=150, deadline=None)
@given(sums(), st.integers(0, 2**32 - 1))
def test_a_sum_of_outer_products_is_the_oracle(term: t.Term, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes([term], rng, choices=(0, 1, 2, 3))
    values = oracle.random_values(t.variables(term), sizes, rng)
    result = compile_terms([term], sizes=dict.fromkeys(SIZES, 100) | sizes, single=True)(**values)
    np.testing.assert_allclose(result, oracle.value(term, values, sizes), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("count", "stacked"), [(2, False), (4, True)])
def test_a_few_small_outer_products_are_added_as_they_are(count: int, stacked: bool) -> None:
    term = t.constant(0, (3, 3))
    for k in range(count):
        u, v = t.variable(f"u{k}", (3,)), t.variable(f"v{k}", (3,))
        term = t.add(term, t.einsum("i,j->ij", u, v))
    assert ("np.array([" in compile_terms([term]).source) is stacked
