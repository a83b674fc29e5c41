"""Tiers: which one answers which call, that all compute the same, and that one thread explores."""

from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.interface.compile import tiered, worthwhile_call
from eggrad.frontend.interface.tiers import Tier, TieredFunction

x = eg.variable("x", ("n",))


def loss(w: Any) -> Any:
    return np.sum(np.log(1 + np.exp(w))) + w @ w


@pytest.mark.parametrize(
    ("optimize", "names"),
    [("auto", ["first", "first", "explored"]), ("now", ["explored"] * 3), ("never", ["first"] * 3)],
)
def test_the_tier_of_each_call(
    monkeypatch: pytest.MonkeyPatch, optimize: Any, names: list[str]
) -> None:
    monkeypatch.setattr("eggrad.frontend.interface.compile.worthwhile_call", lambda *_: 3)
    slope = eg.grad(lambda w: loss(w) + 0, optimize=optimize)
    assert slope.tier is None
    w = np.array([0.5, -800.0, 800.0])
    want = [1 / (1 + np.exp(-0.5)) + 1, -1600, 1601]
    found: list[str] = []
    for k in range(3):
        np.testing.assert_allclose(slope(w), want)
        found.append(slope.tier.name)
        assert slope.tier.calls == k + 1
        assert slope.tier.changes_at == (3 if optimize == "auto" and k < 2 else None)
    assert found == names


def test_each_shape_has_a_tier_of_its_own() -> None:
    slope = eg.grad(loss)
    for n, calls in ((2, 3), (4, 2)):
        for _ in range(calls):
            slope(np.ones(n))
        assert slope.tier.calls == calls


def test_a_call_that_is_dear_enough_is_explored_at_once() -> None:
    large, small = eg.variable("A", (3000, 3000)), eg.variable("a", (3, 3))
    assert worthwhile_call([(large @ large @ large).term]) == 1
    assert worthwhile_call([(small @ small @ small).term]) > 1000


@pytest.mark.parametrize(
    "make", [eg.grad, eg.value_and_grad, eg.hessian, eg.jacobian], ids=lambda make: make.__name__
)
def test_every_transform_has_tiers(make: Any) -> None:
    w = np.array([0.3, -2.0])
    found = {o: make(loss, optimize=o)(w) for o in ("auto", "now", "never")}
    for own in found.values():
        for a, b in zip(own, found["now"], strict=True):
            np.testing.assert_allclose(a, b)
    products = [eg.hvp(loss, optimize=o)(w, np.ones(2)) for o in ("now", "never")]
    np.testing.assert_allclose(*products)
    with pytest.raises(eg.UnsupportedOperation, match="auto, now, never"):
        make(loss, optimize="soon")


def test_expressions_are_explored_anyway() -> None:
    for make in (eg.hessian, eg.jacobian):
        with pytest.raises(eg.UnsupportedOperation, match="functions of arrays"):
            make(x @ x, x, optimize="now")


def test_compiled_expressions_have_tiers() -> None:
    values = {"x": np.array([1.0, 800.0])}
    f = eg.sum(eg.log(1 + eg.exp(x)))
    for optimize, name in (("auto", "first"), ("never", None), ("now", None)):
        function: Any = eg.compile(f, optimize=optimize)
        np.testing.assert_allclose(function(**values), 800 + np.log1p(np.e))
        assert "def compiled" in function.source
        assert name is None or function.tier.name == name


def test_one_thread_explores_while_others_keep_the_first_tier() -> None:
    exploring, others = Event(), Event()

    def better() -> Any:
        exploring.set()
        assert others.wait(30)
        return lambda: "explored"

    function = TieredFunction(lambda: "first", better, tier=Tier(changes_at=1))
    found: list[str] = []
    thread = Thread(target=lambda: found.append(function()))
    thread.start()
    assert exploring.wait(30)
    assert function() == "first"
    others.set()
    thread.join()
    assert [*found, function()] == ["explored", "explored"]
    assert function.tier == Tier("explored", 3, None)


def test_what_a_search_fails_at_is_computed_as_before() -> None:
    def fails() -> Any:
        raise eg.BudgetExceeded("too many")

    function = TieredFunction(lambda: "first", fails, tier=Tier(changes_at=2))
    assert [function() for _ in range(3)] == ["first"] * 3
    assert function.tier == Tier("first", 3, None)


def test_nothing_to_compute() -> None:
    assert tiered(lambda _: [])() == []
