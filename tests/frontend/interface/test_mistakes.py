"""Mistakes in functions that are differentiated: what the errors say, and the line that they show.

Each function has one mistake, in the line that is marked `# here`.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats

import eggrad as eg

Function = Callable[..., Any]
V, A, M = np.array([0.5, 1.5, 2.5]), np.ones((2, 3)), np.eye(3)


# Functions of several lines -----------------------------------------------------------------


def branch(x: Any) -> Any:
    if x[0] > 0:  # here
        return x @ x
    return x[1]


def branch_on_all(x: Any) -> Any:
    if (x > 0).all():  # here
        return x @ x
    return x[1]


def branch_on_an_entry(x: Any) -> Any:
    if x[0]:  # here
        return x @ x
    return x[1]


def equality(x: Any) -> Any:
    if x[0] == 0:  # here
        return x[1]
    return x @ x


def member(x: Any) -> Any:
    if 1.0 in x:  # here
        return x[1]
    return x @ x


def loop(x: Any) -> Any:
    y = x[0]
    while y < 10:  # here
        y = 2 * y
    return y


def assertion(x: Any) -> Any:
    assert np.all(x > 0)  # here
    return x @ x


def filled(x: Any) -> Any:
    out = np.zeros(3)
    for i in range(3):
        out[i] = x[i] ** 2  # here
    return out.sum()


def filled_by_a_slice(x: Any) -> Any:
    out = np.zeros((2, 3))
    out[0, :] = x  # here
    return out.sum()


def added_to_an_entry(x: Any) -> Any:
    out = np.zeros(3)
    out[0] += x[0]  # here
    return out.sum()


def added_in_place(x: Any) -> Any:
    out = np.zeros(3)
    out += x  # here
    return out.sum()


def assigned(x: Any) -> Any:
    x[0] = 1  # here
    return x.sum()


def assigned_by_a_mask(x: Any) -> Any:
    x[x > 0] = 0  # here
    return x.sum()


def reshaped_in_place(x: Any) -> Any:
    x.shape = (3, 1)  # here
    return x.sum()


def deleted(x: Any) -> Any:
    del x[0]  # here
    return x.sum()


def unpacked(x: Any) -> Any:
    a, b = x @ x  # here
    return a + b


def without_return(x: Any) -> Any:  # here
    x @ x


def choice(x: Any) -> Any:
    match x[0]:
        case 0:  # here
            return x[1]
        case _:
            return x @ x


def deep(x: Any) -> Any:
    return 2 * inner(x)


def inner(x: Any) -> Any:
    return math.exp(x @ x)  # here


LINES: dict[Function, str] = {
    branch: r"comparison .* neither true nor false: write numpy.where\(condition, a, b\)",
    branch_on_all: "neither true nor false: write numpy.where",
    branch_on_an_entry: "an expression is neither true nor false: write numpy.where",
    equality: r"neither true nor false: write numpy.where\(condition, a, b\)",
    member: r"neither true nor false: write numpy.where\(condition, a, b\)",
    loop: "neither true nor false.* a loop that ends by a value is eggrad.while_loop",
    assertion: "neither true nor false",
    filled: r"not assigned to entries of an array: .*numpy.stack\(entries\)",
    filled_by_a_slice: r"not assigned to entries of an array: .*numpy.stack\(entries\)",
    added_to_an_entry: r"not assigned to entries of an array: .*numpy.stack\(entries\)",
    added_in_place: r"write y = y \+ x for y \+= x",
    assigned: "entries of an expression are not assigned to: write numpy.where",
    assigned_by_a_mask: "entries of an expression are not assigned to: write numpy.where",
    reshaped_in_place: r"never changes.*write x = x.reshape\(shape\)",
    deleted: "write numpy.delete, or a slice",
    unpacked: "a scalar has no entries",
    without_return: "the function returns nothing; end it with return",
    choice: r"neither true nor false: write numpy.where\(condition, a, b\)",
    deep: "write numpy.sqrt, exp, ... instead of math.sqrt, exp, ...",
}


@pytest.mark.parametrize("how", [eg.grad, eg.value_and_grad, eg.hessian])
@pytest.mark.parametrize("f", LINES)
def test_the_line(f: Function, how: Function) -> None:
    with pytest.raises(eg.EggradError) as caught:
        how(f)(V)
    assert caught.match(LINES[f])
    (note,) = caught.value.__notes__
    assert "# here" in note
    assert f'{__file__}", line ' in note


# Functions of one line ----------------------------------------------------------------------

OF_VALUES: list[tuple[Function, str]] = [
    (lambda x: x[0] if x[0] > x[1] else x[1], "neither true nor false: write numpy.where"),
    (lambda x: np.where(x > 0 and x < 1, x, 0)[0], "& | ~ instead of and, or, not"),
    (lambda x: np.where(0 < x < 1, x, 0)[0], r"\(a < x\) & \(x < b\) instead of a < x < b"),
    (lambda x: np.where(not x > 0, x, 0)[0], "~ instead of and, or, not"),
    (lambda x: max(x[0], 0), r"Python's max, min and sorted write numpy.maximum\(a, b\)"),
    (lambda x: 2 * min(x), r"Python's max, min and sorted write .*numpy.min\(x\)"),
    (lambda x: sorted(x)[0], r"Python's max, min and sorted write .*numpy.sort\(x\)"),
    (lambda x: sorted(x, key=lambda t: -t)[0], r"numpy.sort\(x\)"),
    (lambda x: math.sqrt(x[0]), "write numpy.sqrt, exp, ... instead of math.sqrt"),
    (lambda x: float(x[0]), r"leave float\(\) and int\(\) out"),
    (lambda x: int(x[0]), r"leave float\(\) and int\(\) out"),
    (lambda x: float(x[0] > 0), r"numpy.where\(condition, 1, 0\)"),
    (lambda x: x[0] if f"{x[0]:.3f}" else x[1], "no digits to write: leave the format out.*aux"),
    (lambda x: x[0] if "%.3f" % x[0] else x[1], "no digits to write: leave the format out.*aux"),  # noqa: UP031
    (lambda x: sum(x[i] for i in range(x[0])), r"no number.*write an integer, such as x.shape"),
    (lambda x: np.zeros(round(x[0])).sum(), r"no number.*write an integer, such as x.shape"),
    (lambda x: [1, 2, 3][round(x[0])], r"not indexed by an expression: write numpy.asarray"),
    (lambda x: np.ones(3)[np.argmax(x)], r"numpy.asarray\(array, like=x\)\[index\]"),
    (lambda x: np.ones(3)[x > 0].sum(), r"numpy.where\(mask, array, 0\) for a mask"),
    (lambda x: x[x > 0].sum(), r"write numpy.where\(mask, x, 0\)"),
    (lambda x: np.max([t**2 for t in x]), r"numpy.max takes .* numpy.array\(entries, like=x\)"),
    (lambda x: np.linalg.det(np.array([[x[0], 1], [1, x[1]]])), r"numpy.array\(entries, like=x\)"),
    (lambda x: np.linalg.det([[x[0], 1], [1, x[1]]]), r"numpy.linalg.det takes .*entries, like=x"),
    (lambda x: np.random.normal(x).sum(), r"x \+ s \* numpy.random.normal\(size=3\)"),
    (lambda x: np.vectorize(lambda t: t**2)(x).sum(), "numpy.vectorize takes .* the function"),
    (lambda x: x.sort(), "expressions have no sort: write numpy.sort"),
    (lambda x: np.nonzero(x)[0], "the shape of the result depends on values"),
    (lambda x: np.unique(x)[0], "the shape of the result depends on values"),
    (lambda x: np.where(x > 0), r"write numpy.where\(condition, a, b\)"),
]
OF_LIBRARIES: list[tuple[Function, str]] = [
    (lambda x: np.fft.fft(x)[0], "numpy.fft.fft .* expressions are real"),
    (lambda x: scipy.fft.fft(x)[0], "scipy.fft.fft .* expressions are real"),
    (lambda x: scipy.special.softmax(x)[0], "scipy.special.softmax .* write eggrad.softmax"),
    (lambda x: scipy.special.zeta(x)[0], "scipy.special.zeta of expressions is not supported"),
    (lambda x: scipy.linalg.expm(x * np.eye(3))[0, 0], "write eggrad.linalg.expm"),
    (lambda x: scipy.linalg.sqrtm(x * np.eye(3))[0, 0], "write numpy.linalg.eigh"),
    (lambda x: scipy.signal.convolve2d(x * M, M)[0, 0], "sliding_window_view"),
    (lambda x: scipy.stats.norm.logpdf(x).sum(), "write the formula with NumPy's functions"),
    (lambda x: scipy.integrate.quad(lambda t: t * x[0], 0, 1)[0], "integrate.quad .*leggauss"),
    (
        lambda x: scipy.optimize.brentq(lambda t: t - x[0], 0, 1),
        "scipy.optimize.brentq takes no expressions, for it decides by values: write a fixed",
    ),
    (lambda x: np.linalg.eig(x * M)[0], "write numpy.linalg.eigh"),
    (lambda x: x.summ(), "expressions have no summ; near is sum"),
    (lambda x: x.tranpose(), "expressions have no tranpose; near is transpose"),
    (lambda x: x.exp().sum(), r"expressions have no exp: write numpy.exp\(x\)"),
    (lambda x: x.norm(), r"expressions have no norm: write numpy.linalg.norm\(x\)"),
    (lambda x: x.detach().sum(), "expressions have no detach: leave it out"),
    (lambda x: (x > 0).summ(), "comparisons have no summ; near is sum"),
    (lambda x: ~x, "join comparisons in brackets"),
    (lambda x: x << 2, "join comparisons in brackets"),
    (lambda x: x + "a", "expected an expression, a number or an array, not a str"),
    (lambda x: x + None, "expected an expression, a number or an array, not a NoneType"),
    (lambda x: 1j * x[0], "give the real and the imaginary part apart"),
]
OF_SHAPES: list[tuple[Function, str]] = [
    (lambda x: (A @ x[:2]).sum(), "sizes 3 and 2 would have to be equal"),
    (lambda x: (x + np.ones(2)).sum(), "sizes 3 and 2 would have to be equal; 3 is axis 0 of x"),
    (lambda x: np.sum(x, axis=3), "no axis 3, the argument has 1 axis, of which the first is 0"),
    (lambda x: x.sum(axis=0.5), "an axis is an integer, not 0.5"),
    (lambda x: x[3], "index 3 is out of range for an axis of size 3, whose entries are 0 to 2"),
    (lambda x: x[:0][0], "index 0 is out of range for an axis of size 0, which has no entry"),
    (lambda x: x[0, 0], "2 indices: the expression has 1 axes"),
    (lambda x: x[0][0], "1 indices: the expression is a scalar, which has no entries"),
    (lambda x: x[1.0], "indexed by integers, slices, .*not by a float"),
    (lambda x: x[0:1.5].sum(), r"\[0:1.5\]: the ends of a slice are integers"),
    (lambda x: len(x[0]), "a scalar has no length"),
    (lambda x: sum(t for t in x[0]), "a scalar has no entries: a loop is over"),
    (lambda x: np.linalg.inv(x * A).sum(), "inv needs a square matrix: sizes 2 and 3"),
    (lambda x: 2 * np.linalg.det(x), "det needs a square matrix, its argument has 1 axes"),
    (lambda x: np.concatenate([x, A]).sum(), r"shapes \(3,\) and \(2, 3\) do not fit"),
    (lambda x: np.concatenate([x, x[0]]).sum(), r"shapes \(3,\) and \(\) do not fit"),
    (lambda x: np.hstack([A, x]).sum(), r"shapes \(2, 3\) and \(3,\) do not fit"),
    (lambda x: np.stack([x, x[:2]]).sum(), r"shapes \(3,\) and \(2,\) do not fit"),
    (lambda x: np.einsum("ij,j->i", x, x)[0], "operand 1 has 1 axes, its index string 2"),
    (lambda x: np.einsum("i,i->j", x, x)[0], "the output has, but no operand, the index 'j'"),
    (lambda x: np.einsum("i,j", x)[0], "takes 2 operands, not 1"),
    (lambda x: np.diag(x, k=1.5).sum(), "diag: k is an integer, not 1.5"),
    (lambda x: x.reshape(2, 2).sum(), "the numbers of entries differ"),
]
OF_RESULTS: list[tuple[Function, str]] = [
    (lambda x: x, r"needs a scalar, .* axes \(3\); return a sum .* or use eggrad.jacobian"),
    (lambda x: None, "the function returns nothing; end it with return"),
    (
        lambda x: (x @ x, x),
        "a scalar is expected, the function returns a tuple of 2;.*has_aux=True",
    ),
    (lambda x: {"a": x @ x}, "a scalar is expected, the function returns a dict"),
    (lambda x: x[0] > 0, "returns a comparison, which has no derivative"),
    (lambda x: x is None, "returns a comparison, which has no derivative"),
    (lambda x: "text", "expected an expression, a number or an array, not a str"),
    (lambda x: x.sum, "expected an expression, a number or an array, not a method"),
]
ONES = [*OF_VALUES, *OF_LIBRARIES, *OF_SHAPES, *OF_RESULTS]


@pytest.mark.parametrize(("f", "message"), ONES)
def test_the_message(f: Function, message: str) -> None:
    with pytest.raises(eg.EggradError, match=message) as caught:
        eg.grad(f)(V)
    (note,) = caught.value.__notes__
    assert f'{__file__}", line ' in note
    assert "lambda" in note


# Errors of Python's own, which stay as they are -----------------------------------------------

OF_PYTHON: list[tuple[Function, Any, type[Exception]]] = [
    (lambda p: p["v"] @ p["w"], {"w": V}, KeyError),
    (lambda p: p.w @ p.w, {"w": V}, AttributeError),
    (lambda p: p[2] @ p[0], (V, V), IndexError),
    (lambda p: np.sum(p**2), [V, V], TypeError),
    (lambda x: x(0), V, TypeError),
    (lambda x: np.sum(x, dim=0), V, TypeError),
    (lambda x: x.shape[1], V, IndexError),
    (lambda x, y: x @ y, V, TypeError),
    (lambda x: undefined * x, V, NameError),  # type: ignore[name-defined] # noqa: F821
]


@pytest.mark.parametrize(("f", "argument", "error"), OF_PYTHON)
def test_errors_of_python_have_the_line(f: Function, argument: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        eg.grad(f)(argument)
    (note,) = caught.value.__notes__
    assert f'{__file__}", line ' in note
    assert "lambda" in note


def test_an_error_that_a_user_makes_of_ours_stays() -> None:
    def f(x: Any) -> Any:
        try:
            return float(x[0])
        except eg.EggradError as error:
            raise ValueError("own") from error  # here

    with pytest.raises(ValueError, match="own") as caught:
        eg.grad(f)(V)
    assert "# here" in caught.value.__notes__[0]


# Calls --------------------------------------------------------------------------------------


def square(x: Any) -> Any:  # here
    return np.sum(x * x)


CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: eg.grad(square)("text"), "argument 0 has no numbers .*not str; argnums says which"),
    (lambda: eg.grad(square)(None), "argument 0 has no numbers .*not NoneType"),
    (lambda: eg.grad(square)(np.array([True])), "argument 0 has no numbers .*an array of bool"),
    (lambda: eg.grad(square)(1j), "argument 0 is complex.*two arguments"),
    (lambda: eg.grad(square, argnums=1)(V), "argnums has 1, .* function was given are 0 alone"),
    (lambda: eg.grad(square)(x=V), "argnums has 0, .* given are none; what is given by name"),
    (lambda: eg.grad(square, has_aux=True)(V), "a pair is expected, .* returns one value"),
    (lambda: eg.hvp(square)(V), "needs a point and a vector"),
    (lambda: eg.hvp(square)(V, V[:2]), r"the vector has shape \(2,\), argument 0 has \(3,\)"),
    (lambda: eg.jvp(square)(V, V), "each is a tuple with a part for every argument"),
    (lambda: eg.jvp(square)((V,), (V, V)), "1 primals and 2 tangents"),
    (lambda: eg.vmap(square)(1.0), r"an argument has no axis 0, it has shape \(\)"),
    (lambda: eg.vmap(square, in_axes=(0, 0))(V), "for another number of arguments than 1"),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_calls(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(eg.EggradError, match=message) as caught:
        call()
    (note,) = caught.value.__notes__
    assert "def square(x: Any) -> Any:  # here" in note or "return np.sum" in note


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eg.grad(square, V), "argnums is the place of an argument"),
        (lambda: eg.hessian(square, argnums="x"), "argnums is the place of an argument"),
        (lambda: eg.value_and_grad(square, argnums=()), "argnums is empty"),
        (lambda: eg.grad(square(V)), r"write eggrad.grad\(f\)\(x\), not eggrad.grad\(f\(x\)\)"),
    ],
)
def test_what_is_wrong_before_a_call(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(eg.UnsupportedOperation, match=message):
        call()


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (sum, [1, 1, 1]),
        (lambda x: sum(map(abs, x)), [1, 1, 1]),
        (lambda x: x[0] if f"{x} {x!r}" else x[1], [1, 0, 0]),
        (lambda x: np.asarray(V, like=x)[np.argmax(x)] * x[0], [2.5, 0, 0]),
        (lambda x: np.sum(np.array([x[0], 2 * x[1]], like=x)), [1, 2, 0]),
        (lambda x: x @ (x > 1) ** 2 + np.sum(abs(x > 1) / 2), [0, 1, 1]),
    ],
)
def test_what_the_errors_advise_works(f: Function, expected: list[float]) -> None:
    np.testing.assert_allclose(eg.grad(f)(V), expected)
