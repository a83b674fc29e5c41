"""Axes as long as products of symbols: ravel, reshape and kron against NumPy's, and refusals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.frontend.expression.merged import Merged
from tests.support.values import evaluated

SHAPES = {"A": ("m", "n"), "B": ("p", "k"), "X": ("n", "k"), "S": ("m", "m"), "R": (1, "n")}
E = {name: eg.variable(name, dims) for name, dims in SHAPES.items()} | {"c": eg.variable("c")}
SIZES = [{"m": 2, "n": 3, "p": 4, "k": 5}, {"m": 1, "n": 3, "p": 1, "k": 2}]


def values_at(sizes: dict[str, int]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shapes = {name: [sizes.get(str(d), 1) for d in dims] for name, dims in SHAPES.items()}
    return {"c": np.array(2.0)} | {name: rng.normal(size=own) for name, own in shapes.items()}


CALLS: dict[str, Callable[..., Any]] = {
    "ravel": lambda A, **_: A.ravel(),
    "flatten": lambda A, **_: A.flatten(),
    "reshape": lambda A, **_: np.reshape(A, -1),
    "reshape to a number": lambda X, **_: X[:2, :1].reshape(np.int64(2)),
    "reshape to the size": lambda A, **_: A.reshape(A.size),
    "reshape to a product": lambda A, **_: A.reshape(A.shape[0] * A.shape[1]),
    "column": lambda A, **_: A.reshape(-1, 1),
    "row": lambda A, **_: np.reshape(A, (1, -1)),
    "row of one": lambda R, **_: R.reshape(-1) + R.ravel(),
    "some axes": lambda A, B, **_: np.einsum("ij,kl->ijkl", A, B).reshape(
        A.shape[0], -1, B.shape[1]
    ),
    "blocks": lambda A, B, **_: np.einsum("ik,jl->ijkl", A, B).reshape(
        A.shape[0] * B.shape[0], A.shape[1] * B.shape[1]
    ),
    "operators": lambda A, c, **_: -A.ravel() / c + (A.ravel() - 2) ** 2,
    "from the right": lambda A, c, **_: c * A.ravel() + (c - A.ravel()),
    "ufuncs": lambda A, c, **_: np.exp(A.ravel()) + np.maximum(np.add(c, A.ravel()), 0),
    "where": lambda A, c, **_: np.where(A.ravel() > 0, A.ravel(), c) + np.clip(A.ravel(), 0, 1),
    "where of the other": lambda A, c, **_: np.where(c < A.ravel(), A.ravel() ** 2, 1),
    "centred": lambda A, **_: A.ravel() - A.ravel().mean(),
    "deviation": lambda A, **_: np.std(A.ravel()),
    "zeros": lambda A, **_: np.zeros_like(A.ravel()),
    "sum": lambda A, **_: np.sum(A.ravel() ** 2) + A.ravel().sum(),
    "extremes": lambda A, **_: A.ravel().max() - A.ravel().min(axis=-1),
    "norm": lambda A, **_: np.linalg.norm(A.ravel()),
    "dot": lambda A, **_: A.ravel() @ A.ravel() + np.dot(A.ravel(), 2 * A.ravel()),
    "outer": lambda A, X, **_: np.outer(A.ravel(), X[0]) @ X[1],
    "outer from the left": lambda A, X, **_: X[0] @ np.outer(X[0], A.ravel()),
    "back": lambda A, **_: (2 * A.ravel()).reshape(A.shape),
    "kron": lambda A, B, **_: np.kron(A, B),
    "kron of vectors": lambda A, B, **_: np.kron(A[0], B[0]),
    "kron of a matrix and a vector": lambda A, B, **_: np.kron(A, B[0]),
    "kron of a vector and a matrix": lambda A, B, **_: np.kron(A[0], B) * 2,
    "kron with a number": lambda A, **_: np.kron(A, 2) + np.kron(2, A),
    "kron of a row": lambda R, B, **_: np.kron(R, B) * 2,
    "kron transposed": lambda A, B, **_: np.kron(A, B).T + np.transpose(np.kron(A, B)),
    "kron times a vector": lambda A, B, X, **_: np.kron(A, B) @ X.ravel(),
    "a vector times kron": lambda A, B, X, **_: X.ravel() @ np.kron(A, B).T,
    "kron times kron": lambda A, B, X, **_: np.kron(A, B) @ np.kron(X, B.T),
    "sums of kron": lambda A, B, **_: np.kron(A, B).sum(axis=0) + np.mean(np.kron(A, B), axis=0),
    "trace of kron": lambda S, B, **_: np.trace(np.kron(S, B @ B.T)) + np.kron(S, S).trace(),
    "vec of a product": lambda A, B, X, **_: (np.kron(A, B) @ X.ravel()).reshape(
        A.shape[0], B.shape[0]
    ),
}


@pytest.mark.parametrize("sizes", SIZES, ids=["sizes", "ones"])
@pytest.mark.parametrize("name", CALLS)
def test_values(name: str, sizes: dict[str, int]) -> None:
    values = values_at(sizes)
    expected, found = CALLS[name](**values), CALLS[name](**E)
    assert isinstance(found, Merged | eg.Expression)
    value = evaluated(found, values)
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)
    assert found.ndim == value.ndim


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("zeros", "deviation")])
def test_gradients_of_sums(name: str) -> None:
    values = values_at(SIZES[0])
    total = np.sum(CALLS[name](**E) ** 2)
    for variable in total.variables[:1]:
        found = evaluated(eg.gradient(total, variable.name), values)
        expected = oracle.numeric_derivative(total.term, variable, values)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_sizes() -> None:
    r = E["A"].ravel()
    assert r.shape == (E["A"].size,)
    assert evaluated(r / r.shape[0], values_at(SIZES[0])).shape == (6,)
    assert repr(np.kron(E["A"], E["B"])).startswith("<Merged of axes (m·p, n·k), entries")
    u = eg.variable("U", (None, None))
    assert isinstance(r + u.ravel(), Merged)
    # What meets numbers has axes of its own again.
    C, D = eg.variable("C", (2, 3)), eg.variable("D", (2, "n"))
    assert (r * np.sum(A + C)).shape == (6,)
    assert ((r + D.ravel()) * np.sum(A + C)).shape == (6,)


r, A, S, X = (E["A"].ravel(), E["A"], E["S"], E["X"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: r + S.ravel(),
            r"\+ of axes .*: sizes n and m would have to be equal; n is",
        ),
        (lambda: r @ X.ravel(), r"@ of axes \(m·n\) and \(n·k\): sizes m and n would"),
        (lambda: r + A, "axis as long as a product of sizes meets one of the same sizes"),
        (lambda: r + np.ones(6), r"of axes \(m·n\) and \(6\): an axis as long as a product"),
        (lambda: r + A.T.ravel(), r"\(m·n\) and \(n·m\): .* in the same order"),
        (lambda: np.kron(A, X) @ A, r"@ of axes \(m·n, n·k\) and \(m, n\): an axis as long"),
        (lambda: np.trace(np.kron(A, A)), r"trace of \(m·m, n·n\): sizes m and n"),
        (lambda: np.sum(r, axis=1), "sum: there is no axis 1"),
        (lambda: r[0], "are those of its property 'entries'"),
        (lambda: len(r), "is not known"),
        (lambda: list(r), "is not known"),
        (lambda: r.argmax(0), r"numpy.ndarray.argmax of an array with axes as long as products"),
        (lambda: np.sort(r), "numpy.sort of an array with axes as long as products"),
        (lambda: np.concatenate([r, r]), "numpy.concatenate of an array with axes as long"),
        (lambda: np.add.outer(r, r), "numpy.add.outer of an array with axes"),
        (lambda: np.linalg.norm(r, 1), "linalg.norm with ord=1 of an array with axes"),
        (lambda: eg.gradient(r, "A"), "is no expression; its property 'entries' is one"),
        (lambda: X.reshape(A.size), r"reshape from \(n, k\): a size is an integer, a symbol, or"),
        (lambda: r.reshape("n", "m"), "only axes whose sizes are integers are merged and split"),
    ],
)
def test_what_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        call()
