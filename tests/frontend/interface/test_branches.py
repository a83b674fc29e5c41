"""Branches on values: against Python's own branches and loops."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg

S: Any = eg.variable("s")
X: Any = eg.variable("x", ("n",))
Function = Callable[..., Any]


def test_where_the_value_is_known_one_is_called() -> None:
    assert eg.cond(np.True_, lambda a: a, list, "text") == "text"
    assert eg.cond(np.array(0.0), list, lambda a: a, "text") == "text"


@pytest.mark.parametrize("at", [-2.0, 3.0])
def test_a_branch_inside_of_a_function(at: float) -> None:
    def then(x: Any, w: Any) -> Any:
        return {"a": x * w, "b": (None, np.sqrt(x) @ w)}

    def otherwise(x: Any, w: Any) -> Any:
        return {"a": x, "b": (None, w[0])}

    def f(t: Any, x: Any, w: Any) -> Any:
        found = eg.cond(t > 0, then, otherwise, x, w)
        assert found["b"][0] is None
        return np.sum(found["a"]) + found["b"][1]

    x, w = np.array([1.0, 4.0]), np.array([2.0, 3.0])
    expected = [w + w / (2 * np.sqrt(x)), x + np.sqrt(x)] if at > 0 else [[1, 1], [1, 0]]
    np.testing.assert_allclose(eg.grad(f, argnums=(1, 2))(at, x, w), expected)
    assert eg.grad(f)(at, x, w) == 0


def test_what_is_not_chosen_has_no_part() -> None:
    """Where it has no value or no derivative, the other one's count."""

    def safe(x: Any) -> Any:
        return eg.cond(x > 0, np.log, lambda x: x**2, x)

    assert eg.value_and_grad(safe)(-3.0) == (9, -6)
    assert eg.value_and_grad(safe)(0.0) == (0, 0)
    assert eg.hessian(safe)(0.0) == 2


def test_a_test_may_be_a_number() -> None:
    f = eg.cond(S, lambda: X, lambda: 2 * X)
    x = np.array([1.0, 3.0])
    for s, expected in ((0.0, 2 * x), (0.5, x)):
        np.testing.assert_array_equal(f.evaluate({"s": s, "x": x}), expected)


STEPS: list[tuple[Function, Function, Any]] = [
    (lambda c: c[0] < 5, lambda c: (c[0] + 1.5, c[1] * c[0]), lambda x: (x, 1 / x)),
    (lambda c: c[0] < 5, lambda c: (c[0] + 1.5, c[1] * c[0]), lambda x: (x + 5, x * x)),
    (lambda c: c[1] > 1e-9, lambda c: (c[0] + c[1], c[1] / 3), lambda x: (x, x)),
]


@pytest.mark.parametrize(("test", "step", "start"), STEPS)
def test_a_loop_is_that_of_python(test: Function, step: Function, start: Function) -> None:
    most = 12

    def by_python(x: Any) -> Any:
        carry, steps = start(x), 0
        while steps < most and test(carry):
            carry, steps = step(carry), steps + 1
        return carry[0] * carry[1]

    def ours(x: Any) -> Any:
        one, other = eg.while_loop(test, step, start(x), most)
        return one * other

    assert ours(1.7) == by_python(1.7)
    value, slope = eg.value_and_grad(ours)(1.7)
    assert value == pytest.approx(by_python(1.7), rel=1e-14)
    assert slope == pytest.approx((by_python(1.7 + 1e-6) - by_python(1.7 - 1e-6)) / 2e-6, rel=1e-7)


def test_no_step_is_computed_after_the_last_one() -> None:
    calls: list[int] = []

    def step(k: int) -> int:
        calls.append(k)
        return k + 1

    assert eg.while_loop(lambda k: k < 3, step, 0, 100) == 3
    assert calls == [0, 1, 2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: eg.cond(X > 0, np.sin, np.cos, X), eg.ShapeError, r"numpy\.where chooses"),
        (lambda: eg.cond([True, False], np.sin, np.cos, X), eg.ShapeError, r"axes \(2\)"),
        (lambda: eg.cond(S, lambda: X, lambda: S), eg.ShapeError, r"shapes \('n',\) and \(\)"),
        (lambda: eg.cond(S, lambda: X, lambda: X[:1]), eg.ShapeError, "two functions return"),
        (lambda: eg.cond(S, lambda: (X, S), lambda: [X, S]), eg.ShapeError, "not nested alike"),
        (lambda: eg.cond(S, lambda: "a", lambda: S), eg.UnsupportedOperation, "not 'a'"),
        (lambda: eg.cond(S, X, np.cos), eg.UnsupportedOperation, "a function of arrays"),
        (lambda: eg.while_loop(np.isfinite, np.sin, S, -1), eg.UnsupportedOperation, "max_steps"),
        (
            lambda: eg.while_loop(lambda x: x > 0, lambda x: X * x, S, 3),
            eg.ShapeError,
            r"shapes \('n',\) and \(\)",
        ),
    ],
)
def test_mistakes(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


INFINITE = np.array([-np.inf, 2.0])
HIDDEN: list[tuple[Function, Any]] = [
    (lambda x: np.where(np.array([True, False]), 0, x * INFINITE), [0, 2]),
    (lambda x: np.power(np.array([0.0, 2.0]), x), [0, 8 * np.log(2)]),
]


@pytest.mark.parametrize(("f", "slopes"), HIDDEN)
def test_what_a_mask_leaves_out_has_no_part_in_a_cotangent(f: Function, slopes: Any) -> None:
    """The first tier's derivatives have products with masks, which are choices."""
    x, u = np.array([1.0, 3.0]), np.array([3.0, 5.0])
    np.testing.assert_allclose(eg.vjp(f)(x)[1](u)[0], u * slopes)
    np.testing.assert_allclose(eg.jvp(f)((x,), (u,))[1], u * slopes)


NESTED: list[Function] = [
    lambda x: np.where(x > 0, np.where(np.sqrt(x) > 1, np.sin(np.sqrt(x)), np.sqrt(x)), 0.0),
    lambda x: np.where(x > 0, np.sqrt(x) * np.exp(np.sqrt(x)), 0.0),
    lambda x: np.where(x > 0, np.log(1 - np.exp(-np.sqrt(x))), 0.0),
    lambda x: np.where(x > 0, np.where(x > 4, np.log(x), 1 / x) * np.sqrt(np.log(x)), x),
]


@pytest.mark.parametrize("optimize", ["never", "now"])
@pytest.mark.parametrize("f", NESTED)
def test_sums_of_choices_meet_what_is_not_defined(f: Function, optimize: str) -> None:
    """Each part of the cotangent is 0 there, by a condition of its own."""
    slope = eg.grad(f, optimize=optimize)
    inside = 1.0 if f is NESTED[-1] else 0.0
    assert slope(-1.0) == inside
    assert eg.grad(slope)(-1.0) == 0
    for at in (1.7, 6.0):
        step = 1e-6
        np.testing.assert_allclose(slope(at), (f(at + step) - f(at - step)) / (2 * step), rtol=1e-6)
