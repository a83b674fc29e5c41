"""The quick way into a function that was called before: the same results, and every change seen."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.interface import traced
from tests.support.counting import counted


class Layer(NamedTuple):
    weight: Any
    bias: Any


@dataclass
class Model:
    layers: Any
    name: str = "model"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An entry for each call that had to look at its arguments."""
    return counted(monkeypatch, traced, "outputs")


A, W = np.arange(6.0).reshape(2, 3), np.array([[1.0, -1.0, 0.5], [2.0, 0.0, 1.0]])
ARGUMENTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "an array": (lambda w: np.sum(w**2), (W,), {}),
    "a number": (lambda w: w**3, (2.5,), {}),
    "a dict": (lambda p: np.sum(p["w"] @ p["x"]) ** 2, ({"w": W, "x": np.ones(3)},), {}),
    "a list in a dict": (lambda p: np.sum(p["l"][0] * p["l"][1]), ({"l": [W, 2 * W]},), {}),
    "a named tuple": (lambda p: np.sum(p.weight**2) * p.bias, (Layer(W, 3.0),), {}),
    "a dataclass": (
        lambda m: np.sum(m.layers[0].weight ** 2 * len(m.name)), (Model((Layer(W, None),)),), {}
    ),
    "data beside": (lambda w, a, k: np.sum((a * w) ** k), (W, A, 2), {}),
    "by name": (lambda w, *, a, scale: np.sum((a * w) ** 2) * scale, (W,), {"a": A, "scale": 0.5}),
    "places": (lambda w, k: np.sum(w[k] ** 2), (W, np.array([0, 1, 1])), {}),
    "nothing": (lambda w, *rest: np.sum(w) + len(rest), (W, (), {}), {}),
}  # fmt: skip


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return [*a] == [*b] and all(map(alike, a.values(), b.values()))
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, Model):
        return alike(a.layers, b.layers) and a.name == b.name
    if not isinstance(a, np.ndarray | float):
        return a is b
    return type(a) is type(b) and np.array_equal(a, b)


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("make", [eg.grad, eg.value_and_grad, eg.hessian])
def test_the_result_is_the_same(name: str, make: Any, slow: list[int]) -> None:
    f, args, options = ARGUMENTS[name]
    transformed = make(f)
    first, *others = (transformed(*args, **options) for _ in range(5))
    assert all(alike(first, own) for own in others)
    assert len(slow) == 2


def test_products_with_vectors(slow: list[int]) -> None:
    product = eg.hvp(lambda p, a: np.sum(a * p["w"] ** 3))
    for k in range(4):
        found = product({"w": W}, {"w": np.full(W.shape, k)}, A)
        np.testing.assert_allclose(found["w"], 6 * A * W * k)
        # One array may be both.
        found = product({"w": W}, {"w": W}, A)
        np.testing.assert_allclose(found["w"], 6 * A * W * W)
    assert len(slow) < 8


def test_other_arguments_are_noticed() -> None:
    f = eg.grad(lambda w, k, s: np.sum(s * w**k))
    for _ in range(3):
        np.testing.assert_allclose(f(W, 2, 1.0), 2 * W)
    np.testing.assert_allclose(f(W, 3, 1.0), 3 * W**2)
    np.testing.assert_allclose(f(W, 2, np.float64(3.0)), 6 * W)
    np.testing.assert_allclose(f(W[:1], 2, 1.0), 2 * W[:1])
    np.testing.assert_allclose(f(np.float32(W), 2, 1.0), np.float32(2 * W))
    np.testing.assert_allclose(f(W.tolist(), 2, 1.0), 2 * W)
    np.testing.assert_allclose(f(W.T, 2, 1.0), 2 * W.T)
    np.testing.assert_allclose(f(W, k=2, s=1.0), 2 * W)
    with pytest.raises(eg.UnsupportedOperation):
        f(W + 1j, 2, 1.0)
    places = np.array([0, 1])
    g = eg.grad(lambda w, k: np.sum(w[k] ** 2))
    for _ in range(3):
        np.testing.assert_allclose(g(W, places), 2 * W)
    places[0] = 1
    np.testing.assert_allclose(g(W, places), [0 * W[0], 4 * W[1]])


def test_the_order_of_a_dict_is_that_of_the_argument() -> None:
    f = eg.grad(lambda p: np.sum(p["a"]) * p["b"])
    for _ in range(3):
        assert [*f({"a": W, "b": 2.0})] == ["a", "b"]
    found = f({"b": 2.0, "a": W})
    assert [*found] == ["b", "a"]
    np.testing.assert_allclose(found["b"], W.sum())


SCALE = 2.0


def test_what_a_function_reads_is_watched(slow: list[int]) -> None:
    state: dict[str, Any] = {"data": np.ones(3), "many": [np.ones(3), {"deep": np.ones(3)}]}
    power = 2
    offset = np.zeros(3)
    module: Any = sys.modules[__name__]

    def helper(x: Any, factor: Any = 1.0) -> Any:
        return factor * (x - offset) ** power

    def f(x: Any) -> Any:
        many = state["many"][0] * state["many"][1]["deep"]
        return SCALE * np.sum(state["data"] * many * helper(x))

    x = np.array([1.0, 2.0, 3.0])
    slope = eg.grad(f)

    def check() -> None:
        many = state["many"][0] * state["many"][1]["deep"]
        (factor,) = helper.__defaults__ or ()
        want = SCALE * state["data"] * many * factor * power * (x - offset) ** (power - 1)
        for _ in range(4):
            np.testing.assert_allclose(slope(x), want)

    check()
    assert len(slow) == 2
    offset[1] = 5
    check()
    offset = offset + 1
    check()
    power = 3
    check()
    state["data"] = 2 * state["data"]
    check()
    state["data"][:] = 7
    check()
    state["many"][0] = np.arange(3.0)
    check()
    state["many"][1]["deep"] = np.full(3, 4.0)
    check()
    helper.__defaults__ = (3.0,)
    check()
    module.SCALE = 5.0
    check()
    module.SCALE = 2.0
    helper.__code__ = (lambda x, factor=1.0: factor * (x - offset) ** power + 0 * SCALE).__code__
    check()


def test_partial_functions_and_attributes_are_watched() -> None:
    def f(x: Any, scale: Any) -> Any:
        return np.sum(scale * f.power * x**2)

    f.power = 1.0
    own = partial(f, scale=2.0)
    slope = eg.grad(own)
    for _ in range(3):
        np.testing.assert_allclose(slope(W), 4 * W)
    f.power = 3.0
    np.testing.assert_allclose(slope(W), 12 * W)
    own.keywords["scale"] = 1.0
    np.testing.assert_allclose(slope(W), 6 * W)


def test_a_name_that_comes_to_be_is_seen() -> None:
    own: dict[str, Any] = {"np": np, "__name__": "somewhere"}
    exec("def f(x):\n    return abs(x) * x", own)
    slope = eg.grad(own["f"])
    for _ in range(3):
        assert slope(-2.0) == 4
    own["abs"] = lambda x: 3 * x
    assert slope(-2.0) == -12


def test_errors_have_the_line_of_the_function() -> None:
    f = eg.grad(lambda x, k: np.sum(x[k] ** 2))
    places = np.array([0, 1])
    for _ in range(3):
        f(np.ones(2), places)
    with pytest.raises(eg.ShapeError) as caught:
        f(np.ones(1), places)
    assert "np.sum(x[k] ** 2)" in caught.value.__notes__[0]


def test_auxiliary_outputs(slow: list[int]) -> None:
    f = eg.value_and_grad(lambda w: (np.sum(w**2), {"mean": np.mean(w), "text": "kept"}), 0, True)
    for k in range(4):
        (value, aux), slope = f(W + k)
        np.testing.assert_allclose((value, aux["mean"]), (np.sum((W + k) ** 2), np.mean(W + k)))
        np.testing.assert_allclose(slope, 2 * (W + k))
        assert aux["text"] == "kept"
    assert len(slow) == 2


def test_functions_within_functions() -> None:
    """A function that is traced by another one is not entered."""
    inner = eg.grad(lambda x: np.sum(x**3))
    for _ in range(3):
        np.testing.assert_allclose(inner(W), 3 * W**2)
    outer = eg.grad(lambda y: np.sum(inner(y) * inner(W)))
    for _ in range(3):
        np.testing.assert_allclose(outer(W), 18 * W**3)
