"""Every mistake in an element-wise definition has a message, with the caret where it is."""

import numpy as np
import pytest

import eggrad as eg
from tests.support.places import DATA

SHAPES: dict[str, tuple[int | str, ...]] = {"x": (4,), "y": (5, 5), "c": (), "w": ("N",)}
# Two lines a mistake: the text, with a bar at the place; its kind and its message.
LINES = DATA / "elementwise_mistakes.txt"
LINES = LINES.read_text("utf-8").splitlines()
MISTAKES = list(zip(LINES[::2], LINES[1::2], strict=True))
KINDS = {"text": eg.ParseError, "shape": eg.ShapeError, "name": eg.UnknownVariable}


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=LINES[::2])
def test_the_message_and_its_place(marked: str, message: str) -> None:
    before, _, after = marked.partition("¦")
    kind, _, reason = message.strip().partition(": ")
    with pytest.raises(eg.ParseError) as caught:
        eg.parse_elementwise(before + after, SHAPES, {"i": 4, "j": 4})
    assert (caught.value.reason, caught.value.column) == (reason, len(before) + 1)
    assert isinstance(caught.value, KINDS[kind])


def test_the_whole_message() -> None:
    with pytest.raises(eg.ShapeError) as caught:
        eg.parse_elementwise("f[i] = x[i + 1] - x[i]", {"x": (4,)})
    assert str(caught.value) == (
        "line 1, column 8: x has no such entry: i + 1 is 4 where i = 3, and there are 4 entries, "
        "from 0 on\n"
        "  f[i] = x[i + 1] - x[i]\n"
        "         ^"
    )


@pytest.mark.parametrize("body", ["(" * 500 + "1", "1" + " + 1" * 500, "-" * 500 + "c"])
def test_deep_texts_are_refused(body: str) -> None:
    with pytest.raises(eg.ParseError):
        eg.parse_elementwise(f"f[] = {body}", {"c": ()})


@pytest.mark.parametrize("shape", [(2.5,), (-1,), ("2*",), ("i j",), ("n*n",)])
def test_wrong_shapes(shape: tuple[object, ...]) -> None:
    with pytest.raises(eg.ShapeError, match="a size is a name"):
        eg.parse_elementwise("f[] = 1", {"x": shape})


def test_wrong_values() -> None:
    d = eg.parse_elementwise("f[i<N] = x[i + 1] + c", {"x": ("N + 1",), "c": ()})
    with pytest.raises(eg.UnknownVariable, match="there is no value for c"):
        d.evaluate({"x": [1.0, 2.0]})
    with pytest.raises(eg.ShapeError, match=r"x: shape \(N \+ 1,\) wanted, the value has \(2, 2\)"):
        d.evaluate({"x": np.ones((2, 2)), "c": 1})
    with pytest.raises(eg.ShapeError, match=r"wanted, the value has \(2,\)"):
        d.evaluate({"x": [1.0, 2.0], "c": 1, "N": 3})
    with pytest.raises(eg.ShapeError, match="N \\+ 1 = 0 has no solution"):
        d.evaluate({"x": [], "c": 1})
    with pytest.raises(eg.UnsupportedOperation, match="value of variable x is complex"):
        d.evaluate({"x": [1j, 2], "c": 1})
    with pytest.raises(eg.ShapeError, match="the value of variable x is not an array"):
        d.evaluate({"x": [[1], [1, 2]], "c": 1})
    with pytest.raises(eg.ShapeError, match="size N is an integer from 0 up"):
        d.evaluate({"x": [1, 2], "c": 1, "N": 1.5})
    with pytest.raises(eg.UnknownVariable, match="no shape says what N is"):
        eg.parse_elementwise("f[i<N] = c", {"c": ()}).evaluate({"c": 1})
    with pytest.raises(eg.UnknownVariable, match="f has no argument 'z'; its arguments: x, c"):
        d.adjoint("z")


def test_readings_outside_are_found_when_sizes_are() -> None:
    d = eg.parse_elementwise("f[i<N; j<M] = x[i + j]", {"x": ("N",)})
    np.testing.assert_array_equal(d.evaluate({"x": [1, 2], "M": 1}), [[1], [2]])
    with pytest.raises(eg.ShapeError) as caught:
        d.evaluate({"x": [1, 2], "M": 2})
    assert str(caught.value) == (
        "x has no such entry: x[i + j] is x[2] where i = 1, j = 1; its shape is (2,)"
    )
    halves = eg.parse_elementwise("f[i<N] = x[i/2]", {"x": ("N",)})
    with pytest.raises(eg.ShapeError, match=r"x\[i/2\] is x\[1/2\] where i = 1"):
        halves.evaluate({"x": [1, 2]})


def test_the_cotangent_has_a_name_of_its_own() -> None:
    """Three derivatives by one argument: the third cotangent cannot be called like the second."""
    d = eg.parse_elementwise("f[i] = exp (x[i])", {"x": (3,)})
    first = d.adjoint("x")
    second = first.adjoint("x")
    assert (d.cotangent, first.cotangent, second.cotangent) == ("df", "ddx", "dddx")
    third = second.adjoint("x")
    x = np.array([0.1, 0.2, 0.3])
    ones = dict.fromkeys(("df", "ddx", "dddx"), np.ones(3))
    np.testing.assert_allclose(third.evaluate({"x": x, **ones}), np.exp(x))
    named = eg.parse_elementwise(
        "f[i] = x[i] * dx[i] * df[i]", dict.fromkeys(("x", "dx", "df"), (3,))
    )
    assert (named.cotangent, named.adjoint("x").name) == ("ddf", "ddx")
    assert named.adjoint("df").name == "dddf"
    for d in (named.adjoint("x"), named.adjoint("df"), named.jacobian("dx")):
        assert eg.parse_elementwise(str(d), d.shapes, d.sizes) == d


def test_nothing_to_enumerate() -> None:
    d = eg.parse_elementwise("f[i<N] = x[i] + sum{k<K} (x[i] * w[k])", {"x": ("N",), "w": ("K",)})
    empty = np.zeros(0)
    assert d.evaluate({"x": empty, "w": [1.0]}).shape == (0,)
    np.testing.assert_array_equal(d.evaluate({"x": [1, 2], "w": empty}), [1, 2])
    np.testing.assert_array_equal(
        d.adjoint("w").evaluate({"x": empty, "df": empty, "K": 2}), [0, 0]
    )
    huge = eg.parse_elementwise("f[] = 1e400 * c + 0 / c", {"c": ()})
    assert np.isnan(huge.evaluate({"c": 0.0}))


def test_an_unread_argument() -> None:
    d = eg.parse_elementwise("f[i] = sign (x[i]) + y[0]", {"x": (3,), "y": (2,), "z": (4,)})
    assert str(d.adjoint("x")) == "dx[i] = 0"
    assert str(d.adjoint("z")) == "dz[i] = 0"
    assert str(d.adjoint("y")) == "dy[j] = if {j = 0} then (sum{i}_0^2 (df[i])) else (0)"
    np.testing.assert_array_equal(d.adjoint("z").evaluate({}), np.zeros(4))
    constant = eg.parse_elementwise("f[i<3] = i ** 2", {"x": (3,)})
    assert str(constant.adjoint("x")) == "dx[i] = 0"


LARGE = [
    "f[i<n] = x[i*1e-12]",
    "f[i<n] = x[i/1000000007/1000000009]",
    "f[i<n] = x[1e30*i]",
    "f[i<n] = x[i + 1e30]",
    "f[i<n] = x[i*9223372036854775808]",
    "f[i<n] = sum{j}_0^(1e300*i) x[j]",
    "f[i<n] = if{ 7 | i*1e-20000 } then x[i] else 0",
    "f[i<n] = if{ i*1e20000 >= 0 } then x[i] else 0",
]


@pytest.mark.parametrize("text", LARGE)
def test_numbers_that_no_index_has(text: str) -> None:
    with pytest.raises(eg.ParseError, match="an index has numbers up to 1000000000"):
        eg.parse_elementwise(text, {"x": ("n",)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f[i<n] = if{ 7 | i/1000000 } then x[i] else 0", [1, 0, 0]),
        ("f[i<n] = if{ 1000000 | i } then 0 else x[i]", [0, 2, 3]),
        ("f[i<n] = x[i] + 1e30*i", [1, 1e30, 2e30]),
        ("f[i<n] = x[i] + i*1e-20000", [1, 2, 3]),
        ("f[i<n] = x[i] * (i*9223372036854775807)", [0, 2 * 2.0**63, 6 * 2.0**63]),
        ("f[i<n] = sum{j}_(999999999*i)^2 x[j]", [6, 0, 0]),
    ],
)
def test_large_numbers_that_values_and_conditions_have(text: str, expected: list[float]) -> None:
    definition = eg.parse_elementwise(text, {"x": ("n",)})
    values = {"x": [1.0, 2.0, 3.0]}
    np.testing.assert_allclose(definition.evaluate(values), expected)
    np.testing.assert_allclose(definition.expression.evaluate(values), expected)
    assert str(definition)
    assert definition.to("latex")


def test_sums_and_results_without_end() -> None:
    long = eg.parse_elementwise("f[] = sum{j}_0^(1e17) log(j)", {})
    with pytest.raises(eg.BudgetExceeded, match="an array of 100000000000000001 entries"):
        long.evaluate({})
    wide = eg.parse_elementwise("f[i<n; j<n] = i + j", {})
    with pytest.raises(eg.BudgetExceeded, match="an array of 1000000000 x 1000000000 entries"):
        wide.evaluate({"n": 10**9})
