"""Entries that arrays of integers choose, and functions of order, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg

RNG = np.random.default_rng(0)
VECTOR, MATRIX, CUBE = (RNG.uniform(0.3, 2, shape) for shape in ((6,), (3, 4), (3, 4, 5)))
LABELS, PLACES, MASK = np.array([1, 3, 0]), np.array([0, 2, 2, 5]), VECTOR > 1

CHOSEN: list[tuple[str, Callable[[Any], Any], Any]] = [
    ("integers", lambda x: x[PLACES], VECTOR),
    ("a list", lambda x: x[[0, -1, 3]], VECTOR),
    ("a mask", lambda x: x[MASK], VECTOR),
    ("a list of truth values", lambda x: x[[True, False] * 3], VECTOR),
    ("a matrix of integers", lambda x: x[np.array([[0, 1], [2, -1]])], VECTOR),
    ("none", lambda x: x[[]], VECTOR),
    ("one", lambda x: x[[4]], VECTOR),
    ("a label in each row", lambda x: x[np.arange(3), LABELS], MATRIX),
    ("a triangle", lambda x: x[np.tril_indices(3, 0, 4)], MATRIX),
    ("ix_", lambda x: x[np.ix_([0, 2], [1, 2])], MATRIX),
    ("rows", lambda x: x[[2, 0, 0]], MATRIX),
    ("columns", lambda x: x[:, [2, 0, 0]], MATRIX),
    ("an integer beside", lambda x: x[1, [2, 0, 0]], MATRIX),
    ("between slices", lambda x: x[:, LABELS, 1:3], CUBE),
    ("apart", lambda x: x[[0, 1], :, [3, 4]], CUBE),
    ("an integer apart", lambda x: x[1, :, [1, 2]], CUBE),
    ("new axes", lambda x: x[None, [0, 1], None], CUBE),
    ("after an ellipsis", lambda x: x[..., [0, 4]], CUBE),
    ("a mask after an ellipsis", lambda x: x[..., [True, False, True, False, True]], CUBE),
    ("a mask of two axes after one", lambda x: x[:, CUBE[0] > 1], CUBE),
    ("a mask of all axes", lambda x: x[CUBE > 1], CUBE),
    ("a mask of the first axes", lambda x: x[MATRIX > 1], CUBE),
    ("a mask and a slice", lambda x: x[:, [True, False, True, False], ::2], CUBE),
    ("broadcast", lambda x: x[np.array([[0], [2]]), LABELS], MATRIX),
    ("take", lambda x: np.take(x, [1, 11]), MATRIX),
    ("take along an axis", lambda x: np.take(x, [[1, 1]], axis=1), MATRIX),
    ("take, wrapped", lambda x: np.take(x, [7, -1], mode="wrap"), VECTOR),
    ("take_along_axis", lambda x: np.take_along_axis(x, LABELS[:, None], 1), MATRIX),
    ("sort", np.sort, VECTOR),
    ("sort columns", lambda x: np.sort(x, axis=0), MATRIX),
    ("sort all", lambda x: np.sort(x, axis=None), MATRIX),
    ("median", np.median, MATRIX),
    ("median of an even number", lambda x: np.median(x, axis=1, keepdims=True), MATRIX),
    ("percentiles", lambda x: np.percentile(x, [25, 60], axis=0), MATRIX),
    ("quantile of axes", lambda x: np.quantile(x, 0.3, axis=(0, 2)), CUBE),
    ("quantile, lower", lambda x: np.quantile(x, 0.3, method="lower"), VECTOR),
    ("partition", lambda x: np.partition(x, 2)[2], VECTOR),
    ("at argmax", lambda x: x[np.argmax(x)], VECTOR),
    ("before argmax", lambda x: x[np.argmax(x) - 1], VECTOR),
    ("at minus argmax", lambda x: x[-1 - np.argmax(x)], VECTOR),
    ("at a choice", lambda x: x[np.where(x > 0, 1, 2)], VECTOR),
    ("at tests", lambda x: x[(x > 0).astype(int)], VECTOR),
    ("at counts", lambda x: x[np.cumsum(x > 0) % 3], VECTOR),
    ("at argmax of rows", lambda x: np.take_along_axis(x, np.argmax(x, 1)[:, None], 1), MATRIX),
    ("the greatest", lambda x: np.sort(x)[-3:], VECTOR),
    ("in another order", lambda x: x[np.argsort(x)[::-1]], VECTOR),
    ("differences of rows", lambda x: x[[0, 1]] - x[[2, 2]], MATRIX),
]  # fmt: skip
EACH = pytest.mark.parametrize(
    ("function", "at"), [pytest.param(f, at, id=name) for name, f, at in CHOSEN]
)


def differences(function: Callable[[Any], Any], at: Any, step: float = 1e-6) -> Any:
    found = np.zeros(np.shape(function(at)) + at.shape)
    for place in np.ndindex(at.shape):
        for sign in (1, -1):
            moved = at.copy()
            moved[place] += sign * step
            found[(..., *place)] += sign * function(moved) / (2 * step)
    return found


@EACH
def test_value_and_jacobian(function: Callable[[Any], Any], at: Any) -> None:
    def squared(x: Any) -> Any:
        return function(x) ** 2

    variable = eg.variable("x", at.shape)
    f = squared(variable)
    wanted = squared(at)
    assert f.shape == np.shape(wanted)
    np.testing.assert_allclose(f.evaluate({"x": at}), wanted)
    np.testing.assert_allclose(f.evaluate({"x": at}, reference=True), wanted)
    np.testing.assert_allclose(eg.compile(f)(at), wanted)
    np.testing.assert_allclose(eg.jacobian(squared)(at), differences(squared, at), atol=1e-7)


def test_a_variable_of_integers() -> None:
    """Edges of a graph: what is derived holds for any edges, and takes no array of n times k."""
    rng = np.random.default_rng(1)
    x = eg.variable("x", ("n", 3))
    i, j = (eg.variable(name, ("k",), ["integer"]) for name in "ij")
    energy = np.sum(np.exp(-np.sum((x[i] - x[j]) ** 2, axis=1)))
    slope = eg.gradient(energy, x)
    at = rng.standard_normal((5, 3))
    edges = rng.integers(0, 5, (2, 7))
    found = slope.evaluate({"x": at, "i": edges[0], "j": edges[1]})

    def plain(x: Any) -> Any:
        return np.sum(np.exp(-np.sum((x[edges[0]] - x[edges[1]]) ** 2, axis=1)))

    np.testing.assert_allclose(found, differences(plain, at), atol=1e-6)
    many = {"x": np.ones((100_000, 3)), "i": np.arange(50_000), "j": np.arange(50_000)}
    assert not slope.evaluate(many).any()


@pytest.mark.parametrize("spec", ["ki,li->kl", "ki,kj->ij", "ki,li->", "ki,ki->ki", "ki,lj->kl"])
def test_products_of_a_selection_with_itself(spec: str) -> None:
    y = eg.variable("y", ("k",), ["integer"])
    chosen = eg.delta(("n",))[y]
    f = np.einsum(spec, chosen, chosen)
    values = {"y": [2, 0, 2, -1], "n": 3}
    known = np.eye(3)[[2, 0, 2, 2]]
    for found in (f.evaluate(values), f.evaluate(values, reference=True), eg.compile(f)(**values)):
        np.testing.assert_array_equal(found, np.einsum(spec, known, known))


def test_a_place_for_each_axis_is_a_selection_from_each() -> None:
    declared = "declare a[m] b[m] M[n,k] expression "
    together = eg.parse(f"{declared}selection[n,k](a, b) *(ijk,jk->i) M").expression
    apart = "selection[k](b) *(ik,ik->i) (selection[n](a) *(ij,jk->ik) M)"
    assert eg.equivalent(together, eg.parse(declared + apart).expression)
    assert "selection" not in str(eg.gradient(eg.sum(together), "a"))
    for wrong in ("[n,k,m](a, b)", "[n](a, b)", "[n,k](a, M)"):
        with pytest.raises(eg.ShapeError, match="an index for each"):
            eg.parse(f"{declared}selection{wrong}")


@pytest.mark.parametrize("k", [3, 70, 5000])
def test_several_arrays_at_the_same_places(k: int) -> None:
    rng = np.random.default_rng(1)
    x, z, w = (eg.variable(name, ("n",)) for name in "xzw")
    y = eg.variable("y", ("k",), ["integer"])
    values = {name: rng.standard_normal(40) for name in "xzw"} | {"y": rng.integers(0, 40, k)}
    for known in (None, {"n": 1000, "k": 5000}):
        found = eg.compile([x[y], z[y], w[y]], sizes=known)(**values)
        for name, own in zip("xzw", found, strict=True):
            np.testing.assert_array_equal(own, values[name][values["y"]])


def test_second_derivatives() -> None:
    def loss(x: Any) -> Any:
        return np.sum(np.exp(x[PLACES]) * np.sort(x)[:4])

    found = eg.hessian(loss)(VECTOR)
    np.testing.assert_allclose(found, differences(eg.grad(loss), VECTOR), atol=1e-5)


def test_ties_go_to_the_places_that_are_chosen() -> None:
    at = np.array([2.0, 1.0, 2.0])
    np.testing.assert_array_equal(eg.grad(lambda x: np.sort(x)[2])(at), [0, 0, 1])
    np.testing.assert_array_equal(eg.grad(lambda x: x[np.argmax(x)])(at), [1, 0, 0])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.array([0.5]), "array of float64"),
        (["a"], "not by"),
        ([0, 7], "index 7 is out of range for axis 0 of size 6"),
        (np.array([True, False]), r"mask of shape \(2,\)"),
        (([0], [1]), "2 indices"),
        (eg.variable("i", (2,)), "declared"),
        (eg.variable("y", (6,)) > 0, "numpy.where"),
        ([[1, 2], [3]], "no array"),
        (True, "a mask has the axes"),
        (np.array(True), "a mask has the axes"),
    ],
)
def test_what_is_no_index_is_refused(key: Any, message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        eg.variable("x", (6,))[key]


def test_a_place_out_of_range_is_refused_when_values_are_known() -> None:
    x, i = eg.variable("x", ("n",)), eg.variable("i", ("k",), ["integer"])
    assert x[np.array([True, False, True])].variables[0].dims == (3,)
    with pytest.raises(eg.ShapeError, match="index 3 is out of range for an axis of size 3"):
        x[i].evaluate({"x": [1, 2, 3], "i": [0, 3]})


def test_a_remainder_of_integers_is_an_index() -> None:
    x = eg.variable("x", (5,))
    left = np.mod(np.floor(x).astype(int) + 1, 5)
    picked = x[left]
    at = np.array([0.4, 3.2, 4.7, -1.5, 9.9])
    wanted = at[np.mod(np.floor(at).astype(int) + 1, 5)]
    assert np.allclose(picked.evaluate({"x": at}), wanted)
    with pytest.raises(eg.UnsupportedOperation, match="has integers"):
        x[np.mod(x, 5)]
