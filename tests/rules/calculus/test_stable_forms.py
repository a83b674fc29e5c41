"""Functions are differentiated in the forms that lose no digits, and lose none."""

from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.errors import MissingRule
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.operations import OF_CODE
from eggrad.engine.terms.term import Term, numeric, postorder, variable
from eggrad.frontend.calculus.code import as_computed
from eggrad.rules.calculus.stable_forms import WITH_LAW, WITHOUT_LAW, stable_forms
from eggrad.rules.standard import STANDARD

ROWS = ((0, 1), (0,))
X, Y = variable("x", ("m", "n")), variable("y", ("m", "n"))
RULES = {rule.name: rule for rule in stable_forms.rules}


def operation_of(name: str) -> str:
    """The operation that a law differentiates."""
    return name.removeprefix("pull_").removeprefix("first_of_").removeprefix("second_of_")


def applied(name: str) -> Term:
    if operation_of(name) in ("logsumexp", "softmax", "log_softmax"):
        return numeric(operation_of(name), X, data=ROWS)
    first = (Y, X) if name.startswith("pull_second") else (X, Y)
    both = name.startswith(("pull_first", "pull_second"))
    return numeric(operation_of(name), *first[: 1 + both])


@pytest.mark.parametrize("name", RULES)
def test_nothing_else_differentiates_the_operation(name: str) -> None:
    whole = applied(name)
    cotangent = variable("w", whole.dims)
    assert System(STANDARD).pull_back(whole, [X], cotangent, explore=False).term.dims == X.dims
    others = stable_forms.only([f"stable_forms.{n}" for n in RULES if n != name])
    without = STANDARD.mapped(lambda own: others if own is stable_forms else own)
    with pytest.raises(MissingRule, match=operation_of(name)):
        System(without).pull_back(whole, [X], cotangent, explore=False)


def test_forms_without_a_law_are_left_out() -> None:
    assert {operation_of(name) for name in RULES} == WITH_LAW
    assert WITH_LAW.isdisjoint(WITHOUT_LAW)
    assert {*OF_CODE} > WITHOUT_LAW
    x = eg.variable("x", ("n",))
    (found,) = as_computed([(eg.log(eg.sum(eg.exp(x))) * eg.sum(x**2) ** 0.5).term])
    names = {t.op for t in postorder(found)}
    assert "logsumexp" in names
    assert names.isdisjoint(WITHOUT_LAW)


def forward_algorithm(xp: Any, scores: Any, series: Any) -> Any:
    transition = scores - xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
    state = scores[0]
    for seen in series:
        state = (
            xp.log(xp.sum(xp.exp(state[:, None] + transition), axis=0)) - (seen - scores[1]) ** 2
        )
    return xp.log(xp.sum(xp.exp(state)))


def gated(xp: Any, weights: Any, series: Any) -> Any:
    state = weights[0]
    for seen in series:
        gate = 1 / (1 + xp.exp(-(weights @ state + seen)))
        state = gate * state + (1 - gate) * xp.tanh(weights.T @ state)
    return xp.sum(state)


def two_before(xp: Any, weights: Any, series: Any) -> Any:
    """Each state is a sum over those before it, whose exponentials are logarithms undone."""
    state, last = weights[0] + series[0], 0.5 * weights[1]
    for _ in range(12):
        state, last = xp.log(xp.exp(state) + xp.exp(last) + 1), state
    return xp.sum(state * state * weights[2])


def shares(xp: Any, weights: Any, series: Any) -> Any:
    """Each state grows by a share of unlike exponentials of the one before it."""
    state = weights[0] + series[0]
    for _ in range(20):
        own = xp.exp(state)
        state = state + own / (xp.exp(state / 2) + own + 1 + xp.exp(-state))
    return xp.sum(state * weights[1])


class Exactly:
    """NumPy's functions of arrays of mpmath's numbers."""

    exp, log, tanh = (
        staticmethod(np.vectorize(f, otypes=[object]))
        for f in (mpmath.exp, mpmath.log, mpmath.tanh)
    )
    sum = staticmethod(np.sum)


def slopes(f: Any, at: Any, series: Any) -> Any:
    """The gradient by central differences, with digits enough."""
    found = np.zeros_like(at)
    with mpmath.workdps(900):
        exact, step = np.vectorize(mpmath.mpf, otypes=[object])(at), mpmath.mpf(10) ** -300
        for k in np.ndindex(at.shape):
            ends = []
            for sign in (1, -1):
                moved = exact.copy()
                moved[k] += sign * step
                ends.append(f(Exactly, moved, series))
            found[k] = float((ends[0] - ends[1]) / (2 * step))
    return found


@pytest.mark.parametrize("f", [forward_algorithm, gated, two_before, shares])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 300.0, 1000.0])
@pytest.mark.parametrize("optimize", ["never", "now"])
def test_long_chains_keep_their_digits(f: Any, scale: float, optimize: Any) -> None:
    rng = np.random.default_rng(5)
    at, series = scale * rng.normal(size=(3, 3)), rng.normal(size=4)
    found = eg.grad(lambda p: f(np, p, series), optimize=optimize)(at)
    wanted = slopes(f, at, series)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-13 * np.abs(wanted).max())


# What overflows on the way to its derivatives, in functions of NumPy or mpmath.
OVERFLOWING: dict[str, Any] = {
    "1/(exp(x) - 1)": lambda xp, x: 1 / (xp.exp(x) - 1),
    "x^3/expm1(x)": lambda xp, x: x**3 / xp.expm1(x),
    "log(1 - exp(-x))": lambda xp, x: xp.log(1 - xp.exp(-x)),
    "log(1 - exp(-x^2))": lambda xp, x: xp.log(1 - xp.exp(-x * x)),
    "log(sinh(x))": lambda xp, x: xp.log(xp.sinh(x)),
    "1/cosh(x)": lambda xp, x: 1 / xp.cosh(x),
    "log(1 + exp(x))^2": lambda xp, x: xp.log(1 + xp.exp(x)) ** 2,
}


@pytest.mark.parametrize("f", OVERFLOWING.values(), ids=OVERFLOWING)
@pytest.mark.parametrize("at", [0.3, 5.0, 30.0, 400.0, 800.0])
@pytest.mark.parametrize("optimize", ["never", "now"])
def test_what_overflows_has_two_derivatives(f: Any, at: float, optimize: Any) -> None:
    exactly = SimpleNamespace(
        **{n: getattr(mpmath, n) for n in ("exp", "log", "sinh", "cosh", "expm1")}
    )
    with mpmath.workdps(800):
        wanted = [float(mpmath.diff(lambda x: f(exactly, x), mpmath.mpf(at), k)) for k in (1, 2)]
    first = eg.grad(lambda x: f(np, x), optimize=optimize)(at)
    second = eg.hvp(lambda x: f(np, x), optimize=optimize)(at, 1.0)
    np.testing.assert_allclose([first, second], wanted, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("steps", [3, 20])
def test_second_derivatives_of_undone_logarithms(steps: int) -> None:
    """The logarithm of a number that is its own exponential's vouches for nothing."""

    def f(x: Any) -> Any:
        state, last = x, 0.5 * x
        for _ in range(steps):
            state, last = np.log(np.exp(state) + np.exp(last) + 1), state
        return np.sum(state * state)

    at, along = np.array([427.0, 208.0, -1232.0, 0.3]), np.array([-0.3, -0.5, 1.7, 0.0])
    found = eg.hvp(f, optimize="never")(at, along)
    # Where one term is by far the largest the state is it, but for a number.
    np.testing.assert_allclose(found[:2], 2 * along[:2], rtol=1e-12)
    np.testing.assert_allclose(found[2:], 0, atol=1e-12)
