"""Sums shown to be nonzero by values, whatever the sizes of their axes are."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.nonzero_sums import ANALYTIC, nonzero_sums, shortened
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array, concrete
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    indicator,
    postorder,
    substitute_sizes,
    subtract,
    variable,
    variables,
)
from tests.support.random_expressions import random_expression

ONE = constant(1)


def multiple(number: Fraction, t: Term) -> Term:
    return einsum(((), tuple(range(t.order)), tuple(range(t.order))), constant(number), t)


def inverse(t: Term) -> Term:
    return divide(ONE, t)


def rest_of_mean(size: int) -> Term:
    """Σ (x - m), where m is a fifth of the sum: 0 if there are five entries."""
    x = variable("x", (size,))
    mean = multiple(Fraction(1, 5), einsum("i->", x))
    return subtract(einsum("i->", x), einsum("i,->", constant(1, (size,)), mean))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 10**6])
def test_sums_along_axes_count_all_entries(size: int) -> None:
    whole = rest_of_mean(size)
    assert (whole in [t for _, t in nonzero_sums([inverse(whole)])]) == (size != 5)


@pytest.mark.parametrize("size", [3, 5, 10**6])
def test_entries_that_differ_from_their_mean(size: int) -> None:
    x = variable("x", (size,))
    mean = multiple(Fraction(1, size), einsum("i->", x))
    own = subtract(x, einsum("i,->i", constant(1, (size,)), mean))
    assert [t for _, t in nonzero_sums([inverse(own)])] == [own]


@pytest.mark.parametrize("n", [2, 20, 10**9])
def test_a_layer_of_any_size(n: int) -> None:
    x, w, b = variable("x", (n, n)), variable("w", (n, 3)), variable("b", (n, 3))
    layer = add(einsum("ij,jk->ik", x, w), b)
    assert [t for _, t in nonzero_sums([apply("log", layer)])] == [layer]


@pytest.mark.parametrize("size", [4, 10**9])
def test_entries_that_differ_along_an_axis_are_all_looked_at(size: int) -> None:
    x = variable("x", (size,))
    first = einsum("i,i->i", indicator((size,), [("=", ((0, 1),))]), x)
    beside = subtract(x, first)
    diagonal = add(delta((size,)), delta((size,)))
    assert not nonzero_sums([inverse(beside), inverse(diagonal)])


def test_what_comparisons_are_made_of_is_left_out() -> None:
    x, y = variable("x"), variable("y")
    own = subtract(x, y)
    assert not nonzero_sums([inverse(apply("greater", own, x))])
    assert not nonzero_sums([divide(own, x)])


def blown_up(value: Array, dims: Dims) -> Array:
    """The array with the first place of a shortened axis, and the last, for half of it."""
    for axis, n in enumerate(concrete(dims, {})):
        own = value.shape[axis]
        value = value.take([k if own == n else int(k >= n // 2) for k in range(n)], axis)
    return value


@pytest.mark.parametrize("seed", range(60))
def test_shortened_terms_have_the_values_of_the_long_ones(seed: int) -> None:
    root, _ = random_expression(Random(seed))
    (root,) = substitute_sizes([root], {"m": 3, "n": 5})
    found: dict[Term, None] = {}
    for t in postorder(root):
        if (t.op in ANALYTIC or t.op == "power") and all(a in found for a in t.args):
            found[t] = None
    short = shortened([*found])
    values = oracle.random_values(variables(*short), {}, np.random.default_rng(seed), "normal")
    # Powers of negative numbers have no value on either side.
    every = {v.name: blown_up(values[v.name], v.dims) for v in variables(*found)}
    for t, own, whole in zip(
        found, oracle.evaluate(short, values), oracle.evaluate([*found], every), strict=True
    ):
        expected = blown_up(own, t.dims)
        np.testing.assert_allclose(
            whole, expected, rtol=1e-9, atol=1e-9 * np.nanmax(np.abs(own), initial=1.0)
        )
