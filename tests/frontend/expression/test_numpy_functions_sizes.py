"""Sizes that are made of others, such as n - 1: slices, joins, convolutions, definitions."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.oracle import oracle
from tests.support.values import evaluated

SHAPES = {"x": ("n",), "y": ("n",), "w": ("k",), "A": ("m", "n"), "S": ("p", "p")}
NUMBERS = {"n": 6, "k": 3, "m": 4, "p": 5}
RNG = np.random.default_rng(0)
VALUES = {name: RNG.normal(size=[NUMBERS[d] for d in own]) for name, own in SHAPES.items()}
E = {name: eg.variable(name, own) for name, own in SHAPES.items()}

CALLS: dict[str, Callable[..., Any]] = {
    "from the second": lambda x, **_: x[1:],
    "but the last": lambda x, **_: x[:-1] ** 2,
    "middle": lambda x, **_: x[2:] - 2 * x[1:-1] + x[:-2],
    "backwards": lambda x, **_: x[:0:-1],
    "backwards from the last but one": lambda x, **_: x[-2::-1],
    "from both ends": lambda x, **_: x[1:5] * x[-4:],
    "of a slice": lambda x, **_: x[1:][1:][::-1],
    "rows": lambda A, x, **_: A[1:] @ x,
    "rows and columns": lambda A, x, **_: A[:-1, 1:] @ x[1:],
    "minor": lambda S, x, **_: np.linalg.inv(S[1:, 1:]) @ S[1:, 0],
    "entries": lambda x, **_: x[1:][2] * x[:-1][-1],
    "diff": lambda x, **_: np.diff(x),
    "diff twice": lambda A, **_: np.diff(A, n=2),
    "diff of rows": lambda A, **_: np.diff(A, axis=0),
    "variation": lambda x, **_: np.sum(np.diff(x) ** 2) + np.mean(np.diff(x)),
    "roll": lambda x, **_: np.roll(x, 1) * x,
    "roll back": lambda A, **_: np.roll(A, -2, axis=1),
    "concatenate": lambda x, w, **_: np.concatenate([x, w, x]),
    "join again": lambda x, **_: np.concatenate([x[2:], x[:2]]),
    "split": lambda x, **_: np.split(x, [2])[1],
    "pad": lambda x, **_: np.pad(x, (1, 2)),
    "diag": lambda x, **_: np.diag(x, 1),
    "diagonal": lambda S, **_: np.diagonal(S, -2),
    "convolve": lambda x, w, **_: np.convolve(x, w),
    "convolve valid": lambda x, w, **_: np.convolve(x, w, "valid"),
    "correlate": lambda x, w, **_: np.correlate(x, w),
    "correlate full": lambda x, w, **_: np.correlate(x, w, "full"),
    "softmax of a part": lambda x, **_: np.exp(x[1:]) / np.sum(np.exp(x[1:])),
    "variance": lambda x, **_: np.var(x[1:]),
    "other sizes": lambda x, w, **_: np.concatenate([x, w])[1:] + np.concatenate([w, x])[:-1],
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str) -> None:
    expected, found = CALLS[name](**VALUES), CALLS[name](**E)
    np.testing.assert_allclose(evaluated(found, VALUES), expected, rtol=1e-9, atol=1e-12)
    assert eg.parse(str(found)).expression is found
    module: dict[str, Any] = {}
    exec(found.to("python"), module)
    function = module["f"]
    arguments = [VALUES[own] for own in inspect.signature(function).parameters]
    np.testing.assert_allclose(function(*arguments), expected, rtol=1e-9, atol=1e-12)
    own = {v.name: v.dims for v in found.variables}
    text = found.to("matrix")
    assert found.to("latex")
    if "ᵢ" not in text:
        again = evaluated(eg.parse_matrix(text, own), VALUES)
        np.testing.assert_allclose(again, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str, mode: str) -> None:
    found = CALLS[name](**E)
    for variable in found.variables:
        value = evaluated(eg.derivative(found, variable.name, mode=mode), VALUES)
        expected = oracle.numeric_derivative(found.term, variable, VALUES)
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "minor"])
def test_definitions(name: str) -> None:
    found = CALLS[name](**E)
    definition = eg.Definition.of(found)
    expected = evaluated(found, VALUES)
    np.testing.assert_allclose(evaluated(definition, VALUES), expected, rtol=1e-9, atol=1e-12)
    back = evaluated(definition.expression, VALUES)
    np.testing.assert_allclose(back, expected, rtol=1e-9, atol=1e-12)


def test_definitions_of_any_size_are_expressions() -> None:
    shapes = {"x": ("n",), "w": ("k",)}
    d = eg.parse_elementwise("f[i<n - k + 1] = sum{j<k} (x[i + j]*w[j])", shapes)
    assert eg.equivalent(d.expression, np.correlate(E["x"], E["w"])).status == "equal"
    hessian = eg.derivative(eg.sum(d.expression**2), "w", "w")
    windows = np.lib.stride_tricks.sliding_window_view(VALUES["x"], NUMBERS["k"])
    np.testing.assert_allclose(evaluated(hessian, VALUES), 2 * windows.T @ windows)


TRUE = [
    (np.diff(E["x"]), E["x"][1:] - E["x"][:-1]),
    (np.convolve(E["x"], E["w"]), np.convolve(E["w"], E["x"])),
    (np.sum(np.convolve(E["x"], E["w"])), np.sum(E["x"]) * np.sum(E["w"])),
    (np.mean(E["x"][1:]), np.sum(E["x"][1:]) / (E["x"].shape[0] - 1)),
    (np.exp(E["x"])[1:], np.exp(E["x"][1:])),
    (np.flip(np.flip(E["x"])[1:]), E["x"][:-1]),
    (E["x"][1:][1:], E["x"][2:]),
]


@pytest.mark.parametrize("pair", TRUE, ids=lambda pair: str(pair[0]))
def test_equal(pair: tuple[eg.Expression, eg.Expression]) -> None:
    assert eg.equivalent(*pair).status == "equal"


def test_different() -> None:
    verdict = eg.equivalent(np.diff(E["x"]), E["x"][1:] + E["x"][:-1])
    assert verdict.status == "different"
    assert verdict.witness is not None
    assert len(verdict.witness["x"]) >= 1


def test_views() -> None:
    """Slices are slices in generated code."""
    assert "t1 = x[1:]\n    t2 = x[:-1]\n    t3 = t1 - t2" in eg.compile(np.diff(E["x"])).source
    assert "[1:]" in eg.compile(E["A"][1:] @ E["x"]).source


def test_arguments_may_have_such_sizes() -> None:
    z = eg.variable("z", (" 1+n-2",))
    assert z.shape == ("n - 1",)
    total = eg.sum(z * E["x"][1:])
    value = total.evaluate({"x": [1, 2, 3], "z": [4, 5]})
    assert value == 2 * 4 + 3 * 5
    assert eg.gradient(total, "x").shape == ("n",)
    # The size of z says what n is.
    ones = z * eg.sum(eg.constant(1, ("n",)))
    np.testing.assert_allclose(ones.evaluate({"z": [4, 5]}), [12, 15])
    with pytest.raises(eg.ShapeError, match="size n - 1 is 3 by variable z, but 2 for n = 3"):
        total.evaluate({"x": [1, 2, 3], "z": [4, 5, 6]})
    with pytest.raises(eg.ShapeError, match=r"no n makes size 2\*n 3"):
        (eg.variable("u", ("2*n",)) * eg.sum(eg.constant(1, ("n",)))).evaluate({"u": [1, 2, 3]})


def test_only_such_sizes() -> None:
    """A symbol is read off an axis that is longer or shorter by a number."""
    z = eg.variable("z", ("n - 1",))
    np.testing.assert_array_equal(
        eg.gradient(eg.sum(z), "z").evaluate({"z": [1, 2, 3]}), np.ones(3)
    )
    assert z.mean().evaluate({"z": [1, 3]}) == 2
    module: dict[str, Any] = {}
    exec(np.mean(z[::-1] * z).to("python"), module)
    assert module["f"](np.array([1.0, 3.0])) == 3
    u = eg.variable("u", ("m + n",))
    assert eg.sum(u).evaluate({"u": [1, 2, 3]}) == 6
    with pytest.raises(eg.ShapeError, match="size n - 2 is negative: n is 1"):
        (E["x"][2:].size * eg.sum(E["x"])).evaluate({"x": [5.0]})
    part = E["x"][:0:-1]
    assert eg.equivalent(part, 2 * part).status == "different"


def test_slices_that_no_size_says() -> None:
    for key in (np.s_[2:-3:-1], np.s_[-4:3], np.s_[::2]):
        with pytest.raises(eg.UnsupportedOperation, match="a length that no size says"):
            E["x"][key]


def test_the_text_language() -> None:
    """Sizes made of others follow their symbols; they are not solved for."""
    text = "declare x[n] y[4] expression (x *(i,i->) y) *(,i->i) 1[`n - 1`]"
    assert eg.parse(text).expression.shape == (3,)
    again = "declare y[m] x[n] expression indicator[i-j-1=0][`n - 1`,n] *(ij,j->i) (y + x)"
    assert eg.parse(again).expression.shape == ("m - 1",)
    for wrong in (
        "declare z[`n - 1`] y[n] expression z + y",
        "declare z[`2*n`] y[3] expression z + y",
    ):
        with pytest.raises(eg.ShapeError, match="axis 1 of the left side has size"):
            eg.parse(wrong)


def test_multiples_are_made_equal() -> None:
    a, b = eg.variable("a", ("2*p",)), eg.variable("b", (None,))
    assert (a + b).variables[1].dims == ("2*p",)
    with pytest.raises(eg.ShapeError, match=r"sizes 2\*p and 2\*q would have to be equal"):
        _ = a + eg.variable("c", ("2*q",))


def test_sizes_are_made_equal() -> None:
    z = eg.variable("z", (None,))
    assert (E["x"][1:] + z).variables[1].dims == ("n - 1",)
    assert (z + E["x"][1:]).variables[1].dims == ("n - 1",)
    assert (E["x"][2:] + eg.variable("u", (4,))).variables[1].dims == (6,)
    with pytest.raises(eg.ShapeError, match="sizes n - 1 and n would have to be equal"):
        E["x"][1:] + E["x"]
    with pytest.raises(eg.ShapeError, match="would have to be equal"):
        E["x"][3:] + np.concatenate([E["x"], eg.variable("u", (2,))])


def test_too_short() -> None:
    with pytest.raises(eg.ShapeError, match="size n - 2 is negative: n is 1"):
        E["x"][2:].evaluate({"x": [1.0]})
    with pytest.raises(eg.ShapeError, match="index 3 is out of range: size n - 1 is 2"):
        E["x"][1:][3].evaluate({"x": [1.0, 2.0, 3.0]})
    assert E["x"][1:].evaluate({"x": [1.0]}).shape == (0,)
    assert eg.gradient(eg.sum(np.diff(E["x"]) ** 2), "x").evaluate({"x": [1.0]}) == [0.0]


MATRIX = [
    ("x[2:n] - x[1:n-1]", "x[2:n] - x[1:n - 1]", VALUES["x"][1:] - VALUES["x"][:-1]),
    ("x[2:end]", "x[2:n]", VALUES["x"][1:]),
    ("x[end-1]*x[n]", "x[n]*x[n - 1]", VALUES["x"][-2] * VALUES["x"][-1]),
    ("A[2:m,:]*x", "A[2:m,:]*x", VALUES["A"][1:] @ VALUES["x"]),
    ("A[m,:]*x", "A[m,:]*x", VALUES["A"][-1] @ VALUES["x"]),
    ("unit(n, n)", "unit(n, n)", np.eye(6)[5]),
    ("ones(2*n - 1)", "ones(2*n - 1)", np.ones(11)),
    ("x[1:n]", "x", VALUES["x"]),
]


@pytest.mark.parametrize(("text", "written", "value"), MATRIX, ids=[text for text, *_ in MATRIX])
def test_matrix_notation(text: str, written: str, value: Any) -> None:
    f = eg.parse_matrix(text, SHAPES)
    np.testing.assert_allclose(evaluated(f, VALUES), value)
    assert f.to("matrix") in (written, "x[n - 1]*x[n]")
    np.testing.assert_allclose(evaluated(eg.parse_matrix(written, SHAPES), VALUES), value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[2:n+1]", r"'n\+1' is no place among n: they count from 1, or back from n, as in 2:n"),
        ("x[2:m]", "'m' is no place among n"),
        ("x[n:2]", "has a length that no size says"),
        ("x[n:n-1]", "an empty range"),
        ("ones(2 - 3)", "a size is not -1"),
        ("unit(n + 1, n)", r"place n \+ 1 is not within n entries"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        evaluated(eg.parse_matrix(text, SHAPES), VALUES)
