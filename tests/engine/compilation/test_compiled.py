"""What callers give to compiled functions: complex numbers, odd names, sizes that are none."""

import pickle
from typing import Any

import numpy as np
import pytest

import eggrad as eg

A = eg.variable("A", ("n", "n"))
x = eg.variable("x", ("n",))


@pytest.mark.parametrize("backend", ["numpy", "jax"])
@pytest.mark.parametrize("value", [1j, [1, 1j], np.array([1, 1j])])
def test_complex_numbers_are_refused(backend: str, value: Any) -> None:
    if backend == "jax":
        pytest.importorskip("jax")
    f = eg.compile(eg.exp(eg.variable("y", ("n",) if np.ndim(value) else ())), backend=backend)
    f(y=np.abs(value))
    with pytest.raises(
        eg.UnsupportedOperation, match="value of variable y is complex: expressions"
    ):
        f(y=value)


def test_names_that_generated_code_uses_or_that_python_thinks_are_one() -> None:
    own = eg.variable("float", ("n",))
    first, second = eg.compile([own, eg.sum(eg.constant(1, ("n",)))])(**{"float": np.ones(2)})
    assert list(first) == [1, 1]
    assert second == 2
    ligature = eg.variable("\ufb01", ("n",)) * eg.variable("fi", ("n",))
    assert list(eg.compile(ligature)(**{"\ufb01": np.ones(2), "fi": np.full(2, 3.0)})) == [3, 3]


def test_arguments_may_be_given_by_position() -> None:
    f = eg.compile(A @ x * eg.sum(eg.constant(1, ("k",))))
    assert f.parameters == ("A", "x", "k")
    first = np.ones(2)
    for given in ((np.eye(2), first, 3), (np.eye(2), first)):
        for _ in range(2):
            assert list(f(*given, **({} if len(given) == 3 else {"k": 3}))) == [3, 3]
    with pytest.raises(eg.UnsupportedOperation, match="4 arguments, and 3 parameters: A, x, k"):
        f(np.eye(2), first, 3, 4)


def test_an_array_by_the_name_of_a_size_is_ignored() -> None:
    assert list(eg.compile(2 * x)(x=np.ones(2), n=np.ones((2, 2)))) == [2, 2]


def test_what_only_sizes_determine_is_no_integer() -> None:
    ones = eg.sum(eg.constant(1, ("m", "m")), axis=0)
    assert eg.compile(ones)(m=3).dtype == np.float64


def test_nothing_and_sizes_that_are_none_are_refused() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="compile what"):
        eg.compile([])
    for size in (2.5, "3", -1):
        with pytest.raises(eg.ShapeError, match="size n is an integer from 0 up"):
            eg.compile(x, sizes={"n": size})


def test_a_compiled_function_may_be_pickled() -> None:
    f = pickle.loads(pickle.dumps(eg.compile([A @ x, eg.exp(x), x[-1]])))
    product, powers, last = f(A=np.eye(2), x=[0.0, 1.0])
    assert last == 1
    assert list(product) == [0, 1]
    np.testing.assert_allclose(powers, np.exp([0, 1]))


def test_cumulative_sums_keep_the_precision_of_the_arrays() -> None:
    single = np.ones((2, 2), np.float32)
    f = eg.sum(np.cumsum(A @ A, axis=0), axis=0)
    assert eg.compile(f)(A=single).dtype == np.float32
    y = eg.variable("y", ("n",))
    g = eg.sum(np.convolve(x, np.flip(y)) ** 2)
    assert eg.compile(g)(x=single[0], y=single[0]).dtype == np.float32


def test_python_numbers_go_straight_to_the_code() -> None:
    """They give way to the precision of arrays; NumPy's do not."""
    x, b = eg.variable("x", ("n",)), eg.variable("b")
    f = eg.compile(x * b)
    for number in (2.0, 2, np.float64(2)):
        for _ in range(2):
            np.testing.assert_array_equal(f(x=np.ones(3), b=number), [2, 2, 2])
    assert f(x=np.ones(3, np.float32), b=2.0).dtype == np.float32
    assert f(x=np.ones(3, np.float32), b=np.float64(2)).dtype == np.float64


def slow(monkeypatch: pytest.MonkeyPatch, f: Any) -> list[int]:
    """The calls that do not go straight to the code."""
    found: list[int] = []
    own = type(f)._checked

    def counted(self: Any, values: Any) -> Any:
        found.append(len(values))
        return own(self, values)

    monkeypatch.setattr(type(f), "_checked", counted)
    return found


def test_what_is_an_index_alone_does_not_decide_the_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    t, y = eg.variable("t", ("k", "d")), eg.variable("y", ("n",), ["integer"])
    value = np.sum(t[y] ** 2)
    f = eg.compile([value, eg.gradient(value, t)])
    table, places = np.arange(12.0).reshape(4, 3), np.array([3, 0, 3])
    calls = slow(monkeypatch, f)
    for kind in (np.int64, np.int8, np.uint16, np.float32, np.float64):
        wanted = np.sum(table[places] ** 2)
        for precision in (np.float32, np.float64):
            own, slope = f(t=table.astype(precision), y=places.astype(kind))
            assert own == wanted
            assert own.dtype == slope.dtype == precision
            np.testing.assert_array_equal(slope, np.array([[2], [0], [0], [4]]) * table)
    del calls[:]
    f(t=table, y=places)
    assert not calls
    with pytest.raises(eg.UnsupportedOperation, match="an index is an integer"):
        f(t=table, y=places + 0.5)
    with pytest.raises(eg.ShapeError, match="out of range"):
        f(t=table, y=places + 1)


def test_an_index_that_is_a_number_as_well_decides_the_precision() -> None:
    t, y = eg.variable("t", ("k",)), eg.variable("y", ("n",), ["integer"])
    f = eg.compile(np.sum(t[y]) + np.sum(y))
    assert f(t=np.ones(3, np.float32), y=np.array([1, 2])).dtype == np.float64


def test_an_order_that_is_an_index_alone_stays_integer() -> None:
    x, w = eg.variable("x", ("n",)), eg.variable("w", ("n",))
    assert "astype" not in eg.compile(np.sort(x) @ w).source
    assert "astype(float)" in eg.compile(np.argsort(x) @ w).source
