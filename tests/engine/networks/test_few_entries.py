"""Code for tensors with few entries: what is 0 is neither computed nor multiplied."""

import numpy as np
import pytest

import eggrad as eg
from tests.support.array_libraries import converter
from tests.support.values import evaluated

X, FIXED = eg.variable("x", ("n",)), eg.variable("x", (300,))
FIRST, SECOND = (eg.variable(name, ("m",), ["integer"]) for name in "ab")


def differences(found: eg.Expression, order: int) -> eg.Expression:
    for _ in range(order):
        found = found[1:] - found[:-1]
    return found


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("x", [X, FIXED], ids=["symbol", "number"])
def test_the_hessian_of_differences_is_written_band_by_band(x: eg.Expression, order: int) -> None:
    hessian = eg.hessian(np.sum(np.sqrt(1 + differences(x, order) ** 2)), x)
    function = eg.compile(hessian, sizes={"n": 300})
    assert function.source.count("np.zeros(") == 1
    assert "dot(" not in function.source
    for n in (order, order + 1, 5, 9) if x is X else (300,):
        values = {"x": np.random.default_rng(n).normal(size=n)}
        np.testing.assert_allclose(function(**values), evaluated(hessian, values, reference=True))


def test_what_is_undefined_beside_a_band_is_not_looked_at() -> None:
    hessian = eg.hessian(np.sum(np.log(X[1:] - X[:-1])), X)
    values = {"x": np.array([0.0, 1.0, 3.0, 7.0])}
    found = eg.compile(hessian)(**values)
    np.testing.assert_allclose(found, evaluated(hessian, values, reference=True))


@pytest.mark.parametrize("backend", ["numpy", "jax", "torch"])
def test_the_hessian_of_pairs_is_written_pair_by_pair(backend: str) -> None:
    """Places may occur often, as both of a pair, and be counted from the end."""
    if backend != "numpy":
        pytest.importorskip(backend)
    hessian = eg.hessian(np.sum(np.log1p(np.exp(X[FIRST] - X[SECOND]))), X)
    function = eg.compile(hessian, sizes={"n": 300, "m": 900}, backend=backend)
    values = {
        "a": np.array([0, 1, 1, 3, -1, 2]),
        "b": np.array([1, 0, 0, 3, 2, -2]),
        "x": np.random.default_rng(0).normal(size=4),
    }
    want = evaluated(hessian, values, reference=True)
    np.testing.assert_allclose(np.asarray(function(**values)), want, atol=1e-15)
    if backend == "numpy":
        # No array has an axis for the pairs and one for the entries.
        assert "(n,), a, t" not in function.source.replace("((0, 1), (0,), (1,)), (n,), a, t", "")
        assert "(n, n)" in function.source


def test_entries_of_a_matrix_are_read_at_pairs_of_places() -> None:
    matrix = eg.variable("M", ("n", "k"))
    read = matrix[FIRST, SECOND]
    function = eg.compile([read, eg.gradient(np.sum(read**2), matrix)], sizes={"n": 300, "k": 200})
    assert "selected(" not in function.source
    values = {"M": np.random.default_rng(0).normal(size=(4, 3))}
    values |= {"a": np.array([0, 3, -1, 0]), "b": np.array([2, 0, 1, 2])}
    found = function(**values)
    np.testing.assert_array_equal(found[0], values["M"][values["a"], values["b"]])
    want = np.zeros((4, 3))
    np.add.at(want, (values["a"], values["b"]), 2 * found[0])
    np.testing.assert_allclose(found[1], want)
    with pytest.raises(eg.ShapeError, match="out of range"):
        function(**values | {"b": np.array([2, 0, 1, 3])})
    with pytest.raises(eg.EggradError, match="integer"):
        function(**values | {"b": np.array([2, 0, 1, 0.5])})


def test_pairs_of_rows_that_are_known() -> None:
    pairs = np.array([[1, 2], [0, 1], [2, 2], [0, 1]])
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, 3, 2))
    scores, found = eg.value_and_grad(
        lambda u: np.sum(np.sum(u[pairs[:, 0]] * v[pairs[:, 1]], axis=1) ** 2)
    )(u)
    each = np.sum(u[pairs[:, 0]] * v[pairs[:, 1]], axis=1)
    want = np.zeros((3, 2))
    np.add.at(want, pairs[:, 0], 2 * each[:, None] * v[pairs[:, 1]])
    np.testing.assert_allclose(scores, np.sum(each**2))
    np.testing.assert_allclose(found, want)


@pytest.mark.parametrize("backend", ["numpy", "jax", "torch"])
def test_places_are_exact_in_any_precision(backend: str) -> None:
    """A float32 has no 2^24 + 1."""
    if backend != "numpy":
        pytest.importorskip(backend)
    convert = converter(backend) if backend != "numpy" else np.asarray
    matrix = eg.variable("M", ("n", "k"))
    function = eg.compile(matrix[FIRST, SECOND], sizes=dict.fromkeys("nkm", 1000), backend=backend)
    values = np.zeros((2**24 + 5, 1), np.float32)
    values[-5:, 0] = np.arange(5)
    a, b = 2**24 + np.array([3, 1, 4]), np.zeros(3, int)
    found = function(M=convert(values), a=convert(a), b=convert(b))
    np.testing.assert_array_equal(np.asarray(found), [3, 1, 4])
