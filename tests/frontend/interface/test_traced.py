"""What is remembered of functions, and where errors in them are."""

import gc
import math
from threading import Thread
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.interface import transforms
from tests.support.counting import counted


@pytest.fixture(name="derived")
def _derived(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each gradient that is derived."""
    return counted(monkeypatch, transforms, "gradients_by")


def test_derived_once(derived: list[int]) -> None:
    """Across wrappers, and for functions that are alike."""
    data = np.arange(3.0)

    def f(x: Any) -> Any:
        return np.sum(np.sinh(x * data))

    x = np.ones(3)
    for _ in range(3):
        np.testing.assert_allclose(eg.grad(f)(x), data * np.cosh(data))
        np.testing.assert_allclose(eg.grad(lambda x: f(x) + 0)(x), data * np.cosh(data))
    assert len(derived) == 2
    data[:] = 2
    np.testing.assert_allclose(eg.grad(f)(x), 2 * np.cosh(data))
    assert len(derived) == 2
    eg.grad(f)(np.float32(x))
    assert len(derived) == 2


class Model:
    """A loss with a state of its own."""

    def __init__(self) -> None:
        self.weight: Any = 1.0

    def loss(self, x: Any) -> Any:
        return np.sum(self.weight * x**4)


def test_what_changes_is_noticed(derived: list[int]) -> None:
    model, settings, offsets = Model(), {"scale": 1.0}, [np.zeros(2)]

    def helper(x: Any) -> Any:
        return settings["scale"] * (x - offsets[0])

    def f(x: Any) -> Any:
        return model.loss(helper(x))

    x = np.array([1.0, 2.0])
    gradient = eg.grad(f)

    def check() -> None:
        slope = 4 * model.weight * settings["scale"] ** 4 * (x - offsets[0]) ** 3
        np.testing.assert_allclose(gradient(x), slope)

    check()
    settings["scale"] = 2.0
    check()
    offsets[0][0] = 3
    check()
    offsets[0] = np.ones(2)
    check()
    model.weight = np.array([5.0, 6.0])
    check()
    before = len(derived)
    for _ in range(3):
        check()
    assert len(derived) == before


def test_arguments_that_are_constants() -> None:
    """Options, integers and their arrays are what they are; floats are variables."""
    kinds: list[Any] = []

    def f(x: Any, *rest: Any, **options: Any) -> Any:
        kinds.append((*map(type, rest), *map(type, options.values())))
        return x @ x

    x = np.ones(2)
    eg.grad(f)(x, 1, 2.0, "text", None, np.arange(2), np.ones(2), mode="a", lam=0.5, A=np.eye(2))
    expression = eg.Expression
    constants = (int, expression, str, type(None), np.ndarray, expression)
    assert kinds == [(*constants, str, float, expression)]
    power = eg.grad(lambda x, n, k=1: np.sum(x**n) * k)
    np.testing.assert_allclose(power(x, 3), [3, 3])
    np.testing.assert_allclose(power(x, 2), [2, 2])
    np.testing.assert_allclose(power(x, 2, k=5), [10, 10])
    rows = eg.grad(lambda x, places: sum(x[int(k)] ** 2 for k in places))
    np.testing.assert_allclose(rows(x, np.array([0, 0])), [4, 0])
    np.testing.assert_allclose(rows(x, np.array([0, 1])), [2, 2])


def test_precision() -> None:
    x = np.ones(2, dtype=np.float32)
    assert eg.grad(lambda x, s: s * (x @ x))(x, 0.5).dtype == np.float32
    assert eg.grad(lambda x, s: np.sum(s * x * x))(x, np.ones(2)).dtype == np.float64


def test_threads() -> None:
    found: list[Any] = []

    def f(x: Any) -> Any:
        return np.sum(np.sin(x) * x)

    def run(k: int) -> None:
        found.append(np.allclose(eg.grad(f)(np.full(3, k)), k * np.cos(k) + np.sin(k)))

    # E-graphs of other tests may not be freed in another thread.
    gc.collect()
    threads = [Thread(target=run, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 6


def inner(x: Any) -> Any:
    return x @ np.ones(7)  # a mistake


@pytest.mark.parametrize(
    ("f", "error", "place"),
    [
        (lambda x: 2 * inner(x), eg.ShapeError, "return x @ np.ones(7)  # a mistake"),
        (lambda x: np.sum(x) if x[0] > 0 else x[1], eg.UnsupportedOperation, "if x[0] > 0"),
        (lambda x: math.sqrt(x[0]), Exception, "math.sqrt"),
        (lambda x: np.sum(x) * {}["key"], KeyError, '{}["key"]'),
        (lambda x: x, eg.ShapeError, "in <lambda>"),
        (lambda x: None, eg.UnsupportedOperation, "in <lambda>"),
        (lambda x: "text", eg.UnsupportedOperation, "in <lambda>"),
        (lambda x: (x[0], x), eg.ShapeError, "in <lambda>"),
        (lambda x: eg.grad(inner)(x) @ x, eg.ShapeError, "in inner"),
    ],
)
def test_the_line_of_a_mistake(f: Any, error: type[Exception], place: str) -> None:
    with pytest.raises(error) as caught:
        eg.grad(f)(np.ones(2))
    (note,) = caught.value.__notes__
    assert place in note
    assert "test_traced.py" in note
    assert ", line " in note
