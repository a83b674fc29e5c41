"""What NumPy's functions on expressions refuse, and what they say."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special

import eggrad as eg
from eggrad.frontend.expression.numpy_ufuncs import UFUNCS

A, S = eg.variable("A", ("m", "n")), eg.variable("S", ("k", "k"))
T = eg.variable("T", ("m", "n", "k"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("m",))
v = eg.variable("v", (4,))

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "cumprod": (lambda: np.cumprod(x), "axis 0 has size n, .*; give the size as an integer"),
    "nextafter": (lambda: np.nextafter(y, y), "numpy.nextafter of expressions is not supported"),
    "reduceat": (lambda: np.add.reduceat(v, [0, 2]), "numpy.stack of the reductions of slices"),
    "at": (lambda: np.add.at(np.ones(4), [0], v), "expressions never change"),
    "dtype": (lambda: np.sum(x, dtype=int), "numpy.trunc or numpy.round makes whole ones"),
    "out": (lambda: np.exp(x, out=np.ones(4)), "not written into an array that is there"),
    "in place": (lambda: np.ones(4).__iadd__(v), "write y = y \\+ x for y \\+= x"),
    "where=": (lambda: np.exp(x, where=np.ones(4, bool)), "write numpy.where\\(condition"),
    "where without values": (lambda: np.where(x > 1), "write numpy.where\\(condition, a, b\\)"),
    "an option": (lambda: np.sum(x, axis=0, keepdim=True), "keepdim"),
    "float": (lambda: float(x[0]), "write numpy.sqrt, exp, ... instead of math.sqrt"),
    "int": (lambda: int(x[0]), "has no value that a number"),
    "math": (lambda: math.sqrt(x[0]), "write numpy.sqrt"),
    "branch": (lambda: 1 if x[0] > 1 else 0, "instead of a branch"),
    "min of Python": (lambda: min(v), "write numpy.maximum.a, b.*numpy.min.x"),
    "equality": (lambda: bool(x == 1), "write f is g to ask whether they are the same object"),
    "assignment": (lambda: operator.setitem(x, 0, 1), "numpy.stack of entries"),
    "deletion": (lambda: operator.delitem(x, 0), "write numpy.delete"),
    "bits": (lambda: x & 1, "join comparisons"),
    "bits of NumPy": (lambda: np.bitwise_and(x, 1), "for integers and for comparisons"),
    "vectorize": (lambda: np.vectorize(math.sin)(v), "numpy.vectorize takes .* call the function"),
    "frompyfunc": (lambda: np.frompyfunc(abs, 1, 1)(v), "call the function itself"),
    "random": (lambda: np.random.default_rng(0).normal(x), "cannot become an array"),
    "full": (lambda: np.full(3, x[0]), "numpy.full takes .* numpy.full.shape, value, like=x."),
    "histogram": (lambda: np.histogram(x), "write numpy.count_nonzero"),
    "nonzero": (lambda: np.nonzero(x), "shape of the result depends on values"),
    "unique": (lambda: np.unique(x), "shape of the result depends on values"),
    "fft": (lambda: np.fft.fft(v), "complex, expressions are real"),
    "SciPy's softmax": (
        lambda: scipy.special.softmax(v),
        "softmax takes .* eggrad.softmax",
    ),
    "SciPy's norm": (lambda: scipy.linalg.norm(v), "scipy.linalg.norm .* write numpy.linalg.norm"),
    "SciPy's ldl": (lambda: scipy.linalg.ldl(S), "scipy.linalg.ldl takes no expressions"),
    "SciPy's convolve2d": (
        lambda: scipy.signal.convolve2d(S, np.ones((2, 2))),
        "scipy.signal.convolve2d .*sliding_window_view",
    ),
    "SciPy's ufunc": (lambda: scipy.special.k0(x), "scipy.special.k0 of expressions"),
    "fill": (lambda: x.fill(0), "expressions have no fill: write numpy.full_like"),
    "tolist": (lambda: list(x.tolist()), "an expression has no values"),
    "view": (lambda: x.view(int), "expressions have no view"),
    "arguments": (lambda: np.tensordot(x), "missing"),
    "an array of expressions": (lambda: np.array([x, x]), "cannot become an array"),
    "as an array": (lambda: np.asarray(x), "cannot become an array"),
    "an array of texts": (lambda: x + np.array(["a"]), "an array has real numbers here"),
    "an array of complex numbers": (lambda: np.array([1j]) * x, "an array has real numbers here"),
    "truth": (lambda: bool(x), "neither true nor false"),
    "truth of a comparison": (lambda: bool(x > 1), "neither true nor false.*numpy.where"),
    "iteration": (lambda: list(x), "size n is not known"),
    "indexing": (lambda: x[[0.5, 2]], "integers, slices, None"),
    "einsum of a number": (lambda: np.einsum(x, 0), "a text such as 'ij,j->i', or every operand"),
    "roll by a half": (lambda: np.roll(x, 0.5), "shift is an integer"),
    "reshape": (lambda: np.reshape(A, "n"), "only axes whose sizes are integers are merged"),
    "vdot": (lambda: np.vdot(A, x), "only axes whose sizes are integers are merged"),
    "outer of matrices": (lambda: np.outer(A, x), "only axes whose sizes are integers are merged"),
    "matrix_power": (lambda: np.linalg.matrix_power(S, 0.5), "matrix_power: n is an integer"),
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


def test_methods_that_are_missing_are_attributes_that_are_missing() -> None:
    assert not hasattr(x, "sort")
    assert not hasattr(x, "sorted")
    with pytest.raises(AttributeError, match="expressions have no sorted"):
        x.sorted()
