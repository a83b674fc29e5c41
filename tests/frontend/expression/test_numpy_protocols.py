"""What NumPy's functions on expressions refuse, and what they say."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.expression.numpy_ufuncs import UFUNCS

A, S = eg.variable("A", ("m", "n")), eg.variable("S", ("k", "k"))
T = eg.variable("T", ("m", "n", "k"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("m",))

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "cumprod": (
        lambda: np.cumprod(x),
        "numpy.cumprod of expressions is not supported; the nearest",
    ),
    "svd": (lambda: np.linalg.svd(S), "numpy.linalg.svd of expressions is not supported"),
    "nextafter": (lambda: np.nextafter(y, y), "numpy.nextafter of expressions is not supported"),
    "outer ufunc": (lambda: np.add.outer(x, y), "numpy.add.outer of expressions"),
    "dtype": (lambda: np.sum(x, dtype=float), "numpy.sum of expressions does not take the option"),
    "out": (lambda: np.exp(x, out=np.ones(4)), "numpy.exp of expressions does not take the option"),
    "where=": (lambda: np.exp(x, where=np.ones(4, bool)), "the option 'where'"),
    "arguments": (lambda: np.tensordot(x), "missing"),
    "an array of expressions": (lambda: np.array([x, x]), "cannot become an array"),
    "as an array": (lambda: np.asarray(x), "cannot become an array"),
    "an array of texts": (lambda: x + np.array(["a"]), "an array has real numbers here"),
    "an array of complex numbers": (lambda: np.array([1j]) * x, "an array has real numbers here"),
    "truth": (lambda: bool(x), "neither true nor false"),
    "truth of a comparison": (lambda: bool(x > 1), "write numpy.where"),
    "iteration": (lambda: list(x), "size n is not known"),
    "indexing": (lambda: x[[0, 2]], "integers, slices, None"),
    "where on a list": (lambda: np.where([x], x, 2), "the condition is a comparison"),
    "reshape": (lambda: np.reshape(A, "n"), "only axes whose sizes are integers are merged"),
    "vdot": (lambda: np.vdot(A, x), "as many axes"),
    "outer of matrices": (lambda: np.outer(A, x), "the arguments are vectors"),
    "norm": (lambda: np.linalg.norm(S, 2), "supported are None, 1 and 2 for vectors"),
    "vector_norm": (lambda: np.linalg.vector_norm(x, ord=3), "supported are 1 and 2"),
    "matrix_power": (lambda: np.linalg.matrix_power(S, 0.5), "the exponent is an integer"),
    "kron of other blocks": (lambda: np.kron(A, S) + np.kron(S, A), "in the same order alone"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((eg.UnsupportedOperation, TypeError), match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: np.sum(x, axis=1), "sum: there is no axis 1"),
        (lambda: np.squeeze(A, axis=0), "squeeze: axis 0 has size m, not 1"),
        (lambda: np.average(T, weights=A), "weights with 2 axes for a tensor with 3"),
        (lambda: np.linalg.inv(x), "inv needs a square matrix"),
        (lambda: np.broadcast_to(A, (3,)), "does not fit"),
        (lambda: np.transpose(A, (0, 0)), "given twice"),
        (lambda: x[:, None, :], "2 indices: the expression has 1 axes"),
        (lambda: np.tensordot(A, x, 2), "the arguments have fewer"),
    ],
)
def test_axes_that_are_not_there(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(eg.ShapeError, match=message):
        call()


@pytest.mark.parametrize("name", ["matvec", "vecmat"])
def test_a_vector_where_a_matrix_is_needed(name: str) -> None:
    with pytest.raises(eg.ShapeError, match=f"{name} needs a matrix"):
        UFUNCS[name](x, x)


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.reshape(A, ("n", "m")),
        lambda: np.reshape(A, (-1, -1)),
        lambda: np.tensordot(A, A, axes=-1),
        lambda: np.tensordot(A, A, axes=(0, 1, 1)),
        lambda: np.sum(A, axis=0.5),
    ],
)
def test_axes_that_do_not_fit(call: Callable[[], Any]) -> None:
    with pytest.raises(eg.EggradError):
        call()
