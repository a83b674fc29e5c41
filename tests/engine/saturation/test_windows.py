"""Large terms in windows: the same values and digits, and alike windows are looked at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.time_model import default_rates
from eggrad.engine.saturation.windows import WHOLE, in_windows
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.calculus.calculus import gradients
from eggrad.frontend.calculus.code import unexplored
from tests.support.values import evaluated

SERIES = np.random.default_rng(0).normal(size=400)


def recurrent(n: int) -> Callable[[Any], Any]:
    def f(p: Any) -> Any:
        h: Any = np.zeros(2)
        for k in range(n):
            h = np.tanh(p[:4].reshape(2, 2) @ h + p[4:6] * SERIES[k])
        return np.sum((h - 1) ** 2)

    return f


def orbit(n: int) -> Callable[[Any], Any]:
    def f(p: Any) -> Any:
        place, speed = p[:3], p[3:]
        for _ in range(n):
            speed = speed - 0.01 * place / (place @ place + 1) ** 1.5
            place = place + 0.01 * speed
        return place @ place

    return f


def forward(n: int) -> Callable[[Any], Any]:
    def f(p: Any) -> Any:
        a: Any = p[:2]
        for k in range(n):
            a = np.log(np.sum(np.exp(a[:, None] + p[2:6].reshape(2, 2)), axis=0)) * SERIES[k]
        return np.sum(a)

    return f


LOOPS = {f.__name__: f for f in (recurrent, orbit, forward)}


def derived(f: Callable[[Any], Any]) -> tuple[Any, list[Term]]:
    p = eg.variable("p", (6,))
    e = f(p)
    return e, [e.term, *gradients(e.term, [p.term], explore=False).terms]


@pytest.mark.parametrize("name", LOOPS)
def test_unrolled_loops_have_the_values_of_what_is_written(name: str) -> None:
    f = LOOPS[name](20)
    e, _ = derived(f)
    at = {"p": np.random.default_rng(1).normal(size=6)}
    value, slope = eg.value_and_grad(f, optimize="never")(at["p"])
    np.testing.assert_allclose(value, evaluated(e, at, reference=True))
    want = evaluated(eg.gradient(LOOPS[name](3)(eg.variable("p", (6,))), "p"), at, reference=True)
    short = eg.grad(LOOPS[name](3), optimize="never")(at["p"])
    np.testing.assert_allclose(short, want, rtol=1e-9)
    near = [at["p"] + 1e-6 * s * np.eye(6)[k] for k in range(6) for s in (1, -1)]
    high, low = np.reshape([f(p) for p in near], (6, 2)).T
    np.testing.assert_allclose(slope, (high - low) / 2e-6, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", LOOPS)
def test_alike_steps_are_looked_at_once(name: str) -> None:
    def looked_at(n: int) -> int:
        found: list[Term] = []

        def search(own: Sequence[Term], names: Mapping[Term, Term]) -> Sequence[Term]:
            found.extend(own)
            return own

        _, roots = derived(LOOPS[name](n))
        assert list(in_windows(roots, search)) == roots
        return len(found)

    assert looked_at(300) <= looked_at(100) + 20


def test_digits_are_kept_in_every_window() -> None:
    def f(p: Any) -> Any:
        for _ in range(30):
            p = np.log(1 + np.exp(p)) + np.log(np.sum(np.exp(p[:, None] + p), axis=1)) / 1e3
        return np.sum(p)

    def kept(p: Any) -> Any:
        for _ in range(30):
            p = np.logaddexp(0, p) + (p + np.logaddexp(*p)) / 1e3
        return np.sum(p)

    at = np.array([800.0, -800.0])
    value, slope = eg.value_and_grad(f, optimize="never")(at)
    np.testing.assert_allclose(value, kept(at))
    want = [(kept(at + h) - kept(at - h)) / 2e-2 for h in 1e-2 * np.eye(2)]
    np.testing.assert_allclose(slope, want, rtol=1e-6)


def test_small_terms_are_looked_at_whole() -> None:
    x = t.variable("x")
    for _ in range(WHOLE):
        x = t.apply("sin", x)
    looked: list[Sequence[Term]] = []

    def search(own: Sequence[Term], names: Mapping[Term, Term]) -> Sequence[Term]:
        assert not names
        looked.append(own)
        return own

    assert in_windows([x], search) == (x,)
    assert looked == [[x]]


def test_a_window_takes_no_variable_of_another() -> None:
    """Zero times anything is zero: what is found may be made of anything."""
    x, y = t.variable("x", ("n",)), t.variable("y", ("n",))
    term = x
    for k in range(100):
        other = t.apply("cos", y) if k % 9 == 0 else term
        product = t.einsum("i,i->i", t.apply("tanh", term), other)
        term = t.add(t.apply("sin", term), product)

    def search(own: Sequence[Term], names: Mapping[Term, Term]) -> Sequence[Term]:
        strange = t.variable("#99", ("n",))
        return [t.add(o, t.subtract(strange, strange)) for o in own]

    assert in_windows([term], search) == (term,)


def test_what_a_number_is_named_by_is_not_used() -> None:
    x = t.variable("x", (3,))
    zero = t.einsum("i,i->i", t.constant(0, (3,)), x)
    term: Term = zero
    for _ in range(40):
        term = t.add(t.apply("sin", x), t.einsum("i,i->i", t.apply("exp", term), zero))
        x = t.apply("tanh", t.add(x, term))
    (found,) = unexplored([term], default_rates()).terms
    assert all(v.name == "x" for v in t.variables(found))
    assert len(list(postorder(found))) < len(list(postorder(term)))
