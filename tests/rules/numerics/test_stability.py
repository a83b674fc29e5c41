"""Compiled functions lose no digits where the formula as written does."""

from collections.abc import Sequence
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.costs.time_model import load_rates
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.oracle import oracle
from eggrad.engine.runtime import stable_functions as stable
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.operations import NUMERIC, PUBLIC
from eggrad.frontend.calculus import code
from eggrad.rules.standard import system
from tests.support import numeric_terms, stability_cases
from tests.support.equivalent_pairs import near_miss
from tests.support.stability_cases import CASES, Case, worst_error
from tests.support.tiers import samples
from tests.support.values import evaluated

TOLERANCE = 1e-12


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.formula)
def test_no_digits_are_lost(case: Case) -> None:
    at = stability_cases.points(case.domain)[:: 1 if case.domain == "unit" else 3]
    at = np.concatenate([at, [1e3, 700.0, 1e-12][:: 4 if case.domain == "unit" else 1]])
    at = at[at < 1] if case.domain == "unit" else at
    expressions = stability_cases.derivatives(case)
    # Where the true value overflows, so may ours, with a warning.
    fits = stability_cases.fits(case, len(expressions), at)
    for order, values in enumerate(eg.compile(expressions)(x=fits)):
        assert worst_error(values, stability_cases.exact(case, order, fits)) < TOLERANCE
    for order, expression in enumerate(expressions):
        values = eg.compile(expression)(x=fits)
        assert worst_error(values, stability_cases.exact(case, order, fits)) < TOLERANCE


VECTORS = [[1e3, 999.0, -1e3], [-700.0, -701.0], [0.0, -50.0], [1e-12, -1e-12, 0.0], [3.0]]


def log_sum_exp(z: Sequence[Any]) -> Any:
    return mpmath.log(mpmath.fsum(mpmath.exp(v) for v in z))


@pytest.mark.parametrize("values", VECTORS, ids=str)
def test_sums_of_exponentials(values: list[float]) -> None:
    z = eg.variable("z", ("n",))
    total = eg.log(eg.sum(eg.exp(z)))
    softmax = eg.exp(z) / eg.sum(eg.exp(z))
    compiled = eg.compile([total, eg.gradient(total, z), softmax, eg.jacobian(softmax, z)])
    with mpmath.workdps(1000):
        numbers = [mpmath.mpf(v) for v in values]
        log_total = log_sum_exp(numbers)
        shares = [mpmath.exp(v - log_total) for v in numbers]
    one, gradient, share, jacobian = compiled(z=values)
    assert worst_error([one], [log_total]) < TOLERANCE
    assert worst_error(gradient, shares) < TOLERANCE
    assert worst_error(share, shares) < TOLERANCE
    for i, own in enumerate(shares):
        apart = [k for k in range(len(shares)) if k != i]
        assert worst_error(jacobian[i, apart], [-own * shares[k] for k in apart]) < TOLERANCE


MAGNITUDES = [1e-300, 1e-10, 1.0, 1e3, 1e10, 1e300]
SHARES = [[1.0, 1.0], [1.0, 1.0, 0.5], [-1.0, -1.0], [1.0, -1.0, 0.0], [1.0]]


@pytest.mark.parametrize("magnitude", MAGNITUDES)
@pytest.mark.parametrize("values", SHARES, ids=str)
def test_softmax_of_any_magnitude(values: list[float], magnitude: float) -> None:
    """Where entries are large, the logarithm of the sum is rounded away: no term subtracts it."""
    z, t = eg.variable("z", ("n",)), eg.variable("t", ("n",))
    softmax = eg.exp(z) / eg.sum(eg.exp(z))
    losses = [eg.sum((softmax - t) ** 2), -eg.sum(t * eg.log(softmax))]
    with_gradients = [g for f in losses for g in (f, eg.gradient(f, z))]
    at = [magnitude * v for v in values]
    targets = [k / 4 for k in range(1, len(at) + 1)]
    found = eg.compile([softmax, eg.log(softmax), *with_gradients])(z=at, t=targets)
    with mpmath.workdps(700):
        numbers = [mpmath.mpf(v) for v in at]
        largest = max(numbers)
        log_total = log_sum_exp([v - largest for v in numbers])
        logs = [v - largest - log_total for v in numbers]
        shares = [mpmath.exp(v) for v in logs]
        rests = [p - y for p, y in zip(shares, targets, strict=True)]
        mean = mpmath.fsum(p * r for p, r in zip(shares, rests, strict=True))
        exact = [
            shares,
            logs,
            [mpmath.fsum(r * r for r in rests)],
            [2 * p * (r - mean) for p, r in zip(shares, rests, strict=True)],
            [-mpmath.fsum(y * v for y, v in zip(targets, logs, strict=True))],
            [sum(targets) * p - y for p, y in zip(shares, targets, strict=True)],
        ]
        for own, true in zip(found, exact, strict=True):
            scale = max(map(abs, true))
            pairs = zip(np.atleast_1d(own), true, strict=True)
            assert all(abs(mpmath.mpf(float(v)) - w) <= 1e-15 + 1e-14 * scale for v, w in pairs)


@pytest.mark.parametrize("shape", [(2, 3), (3, 4), (30, 40), ("m", 3), ("m", "n")], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_of_any_size_do_not_overflow(shape: tuple[Any, ...], axis: int) -> None:
    """A row's sum may be written by its exponentials once more, where that costs no more."""
    z = eg.variable("Z", shape)
    softmax = eg.softmax(z, axis)
    loss = -eg.sum(eg.log(softmax)[:, 0])
    sizes = [n if isinstance(n, int) else 3 for n in shape]
    at = np.random.default_rng(0).normal(size=sizes)
    at[0, 0] = at.max() + 1
    f = eg.compile([softmax, eg.log(softmax), loss, eg.gradient(loss, z)])
    expected = scipy.special.softmax(1e4 * at, axis)
    share, logs, value, gradient = f(Z=1e4 * at)
    np.testing.assert_allclose(share, expected, rtol=1e-11, atol=1e-300)
    true = scipy.special.log_softmax(1e4 * at, axis)
    np.testing.assert_allclose(logs, true, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(value, -true[:, 0].sum(), rtol=1e-12)
    chosen = np.zeros(sizes)
    chosen[:, 0] = 1
    slope = expected * chosen.sum(axis, keepdims=True) - chosen
    np.testing.assert_allclose(gradient, slope, rtol=1e-11, atol=1e-14)


def test_a_softmax_and_its_logarithm_share_their_exponentials() -> None:
    z = eg.variable("Z", ("m", "n"))
    f = eg.compile([eg.logsumexp(z, 1), eg.softmax(z, 1)])
    assert "softmax_and_log_sum_exp" in f.source
    for shape in [(0, 2), (2, 0), (1, 1), (3, 4), (40, 5), (5, 40)]:
        at = 100 * np.random.default_rng(0).normal(size=shape)
        total, share = f(Z=at)
        np.testing.assert_allclose(total, stable.log_sum_exp(at, (1,)))
        np.testing.assert_allclose(share, stable.softmax(at, (1,)))
        # Both may be written to, and have memory of their own.
        total[...] = 0
        share[...] = 0


def test_scores_that_are_shifted_by_hand() -> None:
    """The derivative has no trace of the maximum, whose terms add up to 0."""
    z, v, t = (
        eg.variable("Z", ("m", "n")),
        eg.variable("V", ("n", "k")),
        eg.variable("T", ("m", "k")),
    )
    exponentials = np.exp(z - np.max(z, axis=1, keepdims=True))
    shares = exponentials / np.sum(exponentials, axis=1, keepdims=True)
    f = eg.compile(eg.gradient(eg.sum((shares @ v - t) ** 2), z))
    assert "softmax(Z" in f.source
    assert "max(Z" not in f.source.replace("softmax", "")
    rng = np.random.default_rng(0)
    at = {
        "Z": 1e3 * rng.normal(size=(3, 4)),
        "V": rng.normal(size=(4, 2)),
        "T": rng.normal(size=(3, 2)),
    }
    own = scipy.special.softmax(at["Z"], 1)
    slope = 2 * (own @ at["V"] - at["T"]) @ at["V"].T
    expected = own * (slope - (own * slope).sum(1, keepdims=True))
    np.testing.assert_allclose(f(**at), expected, rtol=1e-10, atol=1e-12)


def test_softmax_of_nothing_and_of_infinities() -> None:
    z = eg.variable("z", ("n",))
    softmax = eg.exp(z) / eg.sum(eg.exp(z))
    f = eg.compile([softmax, eg.log(softmax)])
    for own in f(z=np.zeros(0)):
        assert own.shape == (0,)
    share, logs = f(z=[-np.inf, 0.0, 0.0])
    np.testing.assert_allclose(share, [0, 0.5, 0.5])
    np.testing.assert_allclose(logs, [-np.inf, -np.log(2), -np.log(2)])
    # Of infinities that divide each other there is no limit.
    for undefined in ([np.inf, np.inf], [-np.inf, -np.inf], [np.nan, 0.0]):
        assert all(np.isnan(own).all() for own in f(z=undefined))


def test_hessian_of_a_softmax_behind_a_layer() -> None:
    """The exponentials lie deep in products, far from the sum that divides them."""
    A, B, x = eg.variable("A", ("k", "m")), eg.variable("B", ("m", "n")), eg.variable("x", ("n",))
    hessian = eg.hessian(eg.log(eg.sum(eg.exp(A @ eg.tanh(B @ x)))), x)
    rng = np.random.default_rng(0)
    a, b, c = 1000 * rng.normal(size=(5, 4)), rng.normal(size=(4, 3)), rng.normal(size=3)
    h = np.tanh(b @ c)
    z = a @ h
    p = np.exp(z - z.max())
    p /= p.sum()
    J = a * (1 - h * h) @ b
    curved = b.T * (p @ a * -2 * h * (1 - h * h)) @ b
    expected = J.T * p @ J - np.outer(p @ J, p @ J) + curved
    found = eg.compile(hessian)(A=a, B=b, x=c)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_a_weighted_sum_of_exponentials_over_an_axis() -> None:
    z, v = eg.variable("Z", ("m", "k")), eg.variable("V", ("k", "n"))
    attention = eg.einsum("ij,i->ij", eg.exp(z), 1 / eg.sum(eg.exp(z), axis=1)) @ v
    low, high = np.array([[0.0, 1.0, -2.0]]), np.array([[1000.0, 1001.0, 998.0]])
    values = np.arange(6.0).reshape(3, 2)
    f = eg.compile([attention, eg.derivative(attention, z)])
    for near, far in zip(f(Z=low, V=values), f(Z=high, V=values), strict=True):
        np.testing.assert_allclose(far, near, rtol=1e-11)


def test_logistic_regression_at_large_margins() -> None:
    x, w, y = eg.variable("X", ("m", "n")), eg.variable("w", ("n",)), eg.variable("y", ("m",))
    loss = eg.sum(eg.log(1 + eg.exp(-y * (x @ w))))
    f = eg.compile([loss, eg.gradient(loss, w), eg.hessian(loss, w)])
    for t in (-800.0, -700.0, -30.0, 0.0, 30.0, 700.0):
        value, gradient, hessian = f(X=[[t]], w=[1.0], y=[1.0])
        with mpmath.workdps(1000):
            s = 1 / (1 + mpmath.exp(mpmath.mpf(t)))
            true = [-mpmath.log(1 - s), -s * t, s * (1 - s) * t * t]
        assert worst_error([value, gradient[0], hessian[0, 0]], true) < TOLERANCE


def test_multinomial_regression_does_not_overflow() -> None:
    x, w = eg.variable("X", ("m", "n")), eg.variable("W", ("n", "k"))
    loss = eg.sum(eg.log(eg.sum(eg.exp(x @ w), axis=1)))
    gradient = eg.gradient(loss, w)
    f = eg.compile([loss, gradient, eg.derivative(gradient, w)])
    rows, weights = np.array([[1.0, 2.0], [-1.0, 0.5]]), np.array([[3.0, 1.0, 2.0], [1.0, 0, 4]])
    # Adding a multiple of ones to a row of weights changes no share.
    near, far = (f(X=rows, W=weights + shift) for shift in (0.0, np.array([[1000.0], [-800.0]])))
    np.testing.assert_allclose(far[1], near[1], rtol=1e-10)
    np.testing.assert_allclose(far[2], near[2], rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("scale", [1e200, 1.0, 1e-200])
def test_norms_of_large_and_small_vectors(scale: float) -> None:
    x = eg.variable("x", ("n",))
    length = (x @ x) ** 0.5
    f = eg.compile([length, eg.gradient(length, x), x / length, eg.hessian(length, x)])
    value, gradient, unit, hessian = f(x=[3 * scale, -4 * scale])
    np.testing.assert_allclose(value / scale, 5, rtol=1e-15)
    np.testing.assert_allclose([gradient, unit], [[0.6, -0.8]] * 2, rtol=1e-15)
    np.testing.assert_allclose(hessian * scale, [[0.128, 0.096], [0.096, 0.072]], rtol=1e-12)


def test_norms_of_rows_and_of_two_numbers() -> None:
    x, a, b = eg.variable("X", ("m", "n")), eg.variable("a"), eg.variable("b")
    rows = eg.compile(eg.einsum("ij,ij->i", x, x) ** 0.5)
    np.testing.assert_allclose(rows(X=[[3e200, 4e200], [0.0, 0.0]]), [5e200, 0.0])
    assert rows(X=np.zeros((2, 0))).tolist() == [0.0, 0.0]
    radius = (a**2 + b**2) ** 0.5
    value, slope = eg.compile([radius, eg.gradient(radius, a)])(a=3e200, b=4e200)
    np.testing.assert_allclose([value / 1e200, slope], [5.0, 0.6])


def test_random_terms_keep_their_values() -> None:
    random = Random(12)
    rng, sizes = np.random.default_rng(12), {"m": 2, "n": 3}
    judged = 0
    rounds = samples(15, 80)
    for _ in range(rounds):
        for term in near_miss(random):
            own = [term, code.stable_form(term)]
            if all(map(oracle.has_digits, own)):
                values = oracle.random_values(terms.variables(term), sizes, rng)
                # With 50 digits no rounding excuses a difference.
                before, after = map(np.atleast_1d, oracle.evaluate(own, values, sizes, 50))
                steady = np.abs(before.astype(float)) < 1e12
                assert (np.abs((after - before)[steady].astype(float)) < 1e-20).all()
                judged += bool(steady.any())
    assert judged > 0.75 * rounds


def test_unit_vectors_beside_norms_above_and_below() -> None:
    b, values = eg.variable("B", (2, "m")), np.array([[2.0, 1.0], [0.0, -2.0]])
    squares = eg.einsum("ij,ij->", b, b)
    columns = eg.einsum("ij,->j", b, squares)
    total = eg.einsum("i,->", columns, squares) / squares
    product = eg.einsum("ij,j->", b, columns) * total
    # 9 · B (2, -1) = (27, 18), and 9 · 9 · (2 - 1).
    np.testing.assert_allclose(evaluated(product, {"B": values}), 45 * 81 / 9)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("assume", ["positive definite", "invertible"])
def test_log_of_a_determinant(scale: float, assume: str) -> None:
    matrix = eg.variable("A", ("n", "n"), assume=[assume])
    f = eg.compile(eg.log(eg.det(matrix)))
    assert ("True" in f.source) == (assume == "positive definite")
    values = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]])
    expected = np.log(np.linalg.det(values)) + 3 * np.log(scale)
    np.testing.assert_allclose(f(A=scale * values), expected, rtol=1e-14)
    assert np.isnan(f(A=np.diag([1.0, -1.0, 1.0])))


def test_no_inverse_where_a_solution_is_wanted() -> None:
    a, p = eg.variable("A", ("n", "n")), eg.variable("P", ("n", "n"), assume=["positive definite"])
    b, t = eg.variable("b", ("n",)), eg.variable("T", ("m", "n"))
    form = b @ eg.inv(p) @ b
    roots = [eg.inv(a) @ b, b @ eg.inv(a), t @ eg.inv(a), form, eg.gradient(form, b)]
    rng = np.random.default_rng(0)
    values: dict[str, Any] = {"A": rng.normal(size=(3, 3)), "b": rng.normal(size=3)}
    values |= {"T": rng.normal(size=(2, 3)), "P": np.diag([1.0, 2.0, 3.0]) + 0.1}
    for root in roots:
        f = eg.compile(root, sizes={"n": 1000, "m": 10})
        assert "solve" in f.source
        assert "inverse(" not in f.source.partition("def ")[2]
        np.testing.assert_allclose(f(**values), evaluated(root, values, reference=True), rtol=1e-12)
    assert "inverse(" in eg.compile([eg.inv(a), eg.inv(a) @ b]).source
    assert np.isnan(eg.compile(eg.inv(a) @ b)(A=np.zeros((2, 2)), b=[1.0, 2.0])).all()


def test_what_has_no_such_pattern_is_compiled_as_before() -> None:
    x, a = eg.variable("x", ("n",)), eg.variable("A", ("n", "n"))
    for f in (x @ a @ x, eg.sin(x) * eg.exp(x), eg.sum(eg.tanh(a @ x)), eg.hessian(x @ a @ x, x)):
        assert "stable." not in eg.compile(f).source.partition("def ")[2]


def test_readable_text_keeps_the_form_as_written() -> None:
    x = eg.variable("x")
    f = eg.log(1 + eg.exp(x))
    eg.compile(f)
    assert str(eg.gradient(f, x)) == "declare x 0 expression exp(x) / (1 + exp(x))"


def test_the_stage_stays_small() -> None:
    x = eg.variable("x", ("n",))
    fraction = (eg.exp(x) - eg.exp(-x)) / (eg.exp(x) + eg.exp(-x))
    second = eg.derivative(eg.derivative(fraction, x), x)
    for f in (fraction, second):
        explored = system().explore([f.term], [CostModel()], purpose="compile")
        assert explored.report.enodes < 1500


@given(st.data())
def test_log_sum_exp_over_any_axes(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3), label="shape")
    every = range(len(shape))
    axes = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True), label="axes")
    seed = data.draw(st.integers(0, 100), label="seed")
    x = np.random.default_rng(seed).normal(size=shape, scale=data.draw(st.sampled_from([1, 300])))
    order = data.draw(st.permutations(every), label="memory")
    x = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    before = x.copy()
    found = stable.log_sum_exp(x, axes)
    largest = x.max(tuple(axes), keepdims=True)
    expected = np.log(np.exp(x - largest).sum(tuple(axes), keepdims=True)) + largest
    expected = expected.squeeze(tuple(axes))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(x, before)
    assert np.shape(found) == np.shape(expected)


def test_exponentials_of_integers() -> None:
    np.testing.assert_allclose(stable.log_sum_exp(np.array([0, 0]), (0,)), np.log(2))
    np.testing.assert_allclose(stable.softmax(np.array([0, 0]), (0,)), 0.5)
    for count in (3, 300):
        twos = np.full(count, 2)
        np.testing.assert_allclose(stable.softplus(twos), np.log1p(np.exp(2)) * np.ones(count))
        np.testing.assert_allclose(stable.sigmoid(twos), np.ones(count) / (1 + np.exp(-2)))


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e5, 1e200])
def test_losses_of_scores_that_keep_an_axis(scale: float) -> None:
    """Reductions with an axis of size 1 in place of the one that goes are stable as others are."""
    z, y = eg.variable("z", ("m", "n")), eg.variable("y", ("m",), assume="integer")
    logs = z - eg.logsumexp(z, axis=1, keepdims=True)
    picked = np.take_along_axis(logs, y[:, None], axis=1)[:, 0]
    loss = np.mean((1 - np.exp(picked)) ** 2 * picked + 0.1 * logs.mean(axis=1))
    length = np.sqrt(np.sum(z**2, axis=1, keepdims=True))
    at = {"z": scale * np.array([[1.0, -2.0, 0.5], [3.0, 3.0, 3.0]]), "y": np.array([1, 2])}
    found = eg.compile([loss, z / length])(**at)
    own = at["z"] - at["z"].max(axis=1, keepdims=True)
    own = own - np.log(np.exp(own).sum(axis=1, keepdims=True))
    chosen = own[[0, 1], at["y"]]
    expected = np.mean((1 - np.exp(chosen)) ** 2 * chosen + 0.1 * own.mean(axis=1))
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    units = at["z"] / scale
    units /= np.sqrt(np.sum(units**2, axis=1, keepdims=True))
    np.testing.assert_allclose(found[1], units, rtol=1e-13)
    written = np.sum(np.log(np.exp(z) / np.sum(np.exp(z), axis=1)[:, None]))
    np.testing.assert_allclose(evaluated(written, at), own.sum(), rtol=1e-12)


SHAPES = [(), (0,), (1,), (3,), (2, 0), (2, 3)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
# Loops have tests of their own.
@pytest.mark.parametrize(
    "name", [n for n in NUMERIC if (n not in PUBLIC or n == "cholesky") and n != "scan"]
)
def test_numeric_operations_are_the_oracle(name: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    if name == "symmetric_product":
        a, b = terms.variable("a", (4, *shape[:1])), terms.variable("b", (4, *shape[1:]))
        roots = [terms.numeric(name, a, b, data=order) for order in (2, 3)] if shape else []
        values: dict[str, Any] = {"a": rng.normal(size=a.dims), "b": rng.normal(size=b.dims)}
    elif name == "selection":
        a, b = terms.variable("a", shape), terms.variable("b", (*shape, 2))
        roots = [terms.numeric(name, a, data=(3,)), terms.numeric(name, b, data=(3, 2))]
        values = {"a": rng.integers(-3, 3, shape), "b": rng.integers(-2, 2, (*shape, 2))}
    elif name == "argsort":
        a = terms.variable("a", shape)
        roots = [terms.numeric(name, a, data=axis) for axis in range(len(shape))]
        values = {"a": rng.integers(0, 3, shape)}
    elif name == "product_of_pairs":
        a, b = terms.variable("a", (4, 3)), terms.variable("b", (*shape, 4))
        roots = [terms.numeric(name, a, b)]
        values = {"a": rng.normal(size=a.dims), "b": rng.normal(size=b.dims)}
    elif name in ("logdet", "solve", "cholesky", "inverse_from_cholesky", "logdet_from_cholesky"):
        n = shape[0] if shape else 1
        matrix = rng.normal(size=(n, n)) + 5 * np.eye(n)
        definite = matrix @ matrix.T
        a = terms.variable("a", (n, n))
        roots = (
            [terms.numeric("logdet", a, data=known) for known in ("", "positive definite")]
            if name == "logdet"
            else [terms.numeric("solve", a, terms.variable("b", (n, *shape[1:])))]
            if name == "solve"
            else [terms.numeric(name, a)]
        )
        if name.endswith("from_cholesky"):
            definite = np.linalg.cholesky(definite)
        values = {"a": definite, "b": rng.normal(size=(n, *shape[1:]))}
    else:
        a, b = terms.variable("a", shape), terms.variable("b", shape)
        axes = tuple(range(len(shape)))
        if name in ("logsumexp", "softmax", "log_softmax", "norm"):
            roots = [terms.numeric(name, a, data=(axes, axes[:k])) for k in range(len(axes) + 1)]
        else:
            binary = FUNCTIONS[name].arity == 2
            roots = [terms.numeric(name, a, b) if binary else terms.numeric(name, a)]
        values = {"a": rng.normal(size=shape), "b": rng.normal(size=shape) + 3}
        if name == "log1mexp":
            values["a"] = -np.abs(values["a"])
        if name == "log1p":
            values["a"] = np.abs(values["a"])
    found = compile_terms(roots)(**values)
    for result, expected in zip(found, oracle.evaluate(roots, values), strict=True):
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-14)
    assert all(terms.rebuild(r, r.args) is r for r in roots)


@settings(max_examples=samples(40, 200), deadline=None)
@given(numeric_terms.roots(), st.integers(0, 2**32 - 1))
def test_lowered_terms_have_the_same_value(roots: list[terms.Term], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3))
    values = oracle.random_values(terms.variables(*roots), sizes, rng)
    lowered = code.lower(roots, load_rates(), sizes)[0].terms
    with np.errstate(all="ignore"):
        results = compile_terms(lowered, terms.variables(*roots), sizes)(**values)
    if numeric_terms.is_tame([*roots, *lowered], values, sizes):
        for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)


def test_an_unknown_operation_is_named() -> None:
    with pytest.raises(UnsupportedOperation, match="no numeric operation is called 'sinc'"):
        terms.numeric("sinc", terms.variable("x"))


def test_infinite_and_undefined_arguments() -> None:
    for x in (-np.inf, 0.0, np.inf):
        np.testing.assert_array_equal(stable.softplus(np.array(x)), np.logaddexp(0, x))
    with np.errstate(invalid="ignore"):
        assert np.isnan(stable.softplus(np.array([np.nan, 1.0]))[0])
    np.testing.assert_array_equal(stable.log_sum_exp(np.array([-np.inf, -np.inf]), (0,)), -np.inf)
    np.testing.assert_array_equal(stable.log_sum_exp(np.array([np.inf, 0.0]), (0,)), np.inf)
    np.testing.assert_array_equal(stable.norm(np.array([np.inf, 1.0]), (0,)), np.inf)
    assert np.isnan(stable.log_determinant(-np.eye(1), True))


S, T, U = (eg.variable(name) for name in "stu")
INF = np.inf
EXTREME: list[tuple[eg.Expression, dict[str, float], float]] = [
    (1 + (1 + eg.exp(S)) * (eg.tanh(T) - eg.tanh(S)), {"s": 40, "t": 40}, 1),
    (1 + (1 + eg.exp(T)) * (eg.tanh(U) + eg.tanh(T)), {"t": 72.5, "u": -3500}, 1),
    (eg.log(eg.exp(S) + eg.exp(T)), {"s": -INF, "t": -INF}, -INF),
    (eg.log(eg.exp(S) + eg.exp(T)), {"s": INF, "t": -INF}, INF),
    (eg.log(eg.exp(S) + eg.exp(T)), {"s": 1e16, "t": 1}, 1e16),
    (eg.log(eg.exp(S) + eg.exp(T)), {"s": 1, "t": -1e17}, 1),
    (eg.where(eg.log(eg.exp(S) + eg.exp(T)) < -5, 1, 2), {"s": -INF, "t": -INF}, 1),
    (eg.log(eg.exp(S) + eg.exp(1 - S)), {"s": INF}, INF),
    (eg.derivative((1 + eg.exp(-S)) ** -3, S), {"s": INF}, 0),
    (eg.tanh(S) * eg.tanh(S) - (eg.tanh(S) + 2), {"s": INF}, -2),
    (eg.exp(-S / 2) * T, {"s": 800, "t": 1}, float(np.exp(-400))),
    (1 + eg.exp(S / 2), {"s": 1000}, float(np.exp(500))),
    (eg.exp(S / 2) * eg.exp(T / 2), {"s": 800, "t": 0}, float(np.exp(400))),
]


@pytest.mark.parametrize(("f", "values", "expected"), EXTREME, ids=str)
def test_values_at_extremes(f: eg.Expression, values: dict[str, float], expected: float) -> None:
    for value in (f.evaluate(values), eg.compile(f)(**values)):
        np.testing.assert_allclose(value, expected, 1e-14)


def test_halves_of_exponents_stay_in_arrays() -> None:
    x = eg.variable("x", ("n",))
    got = eg.compile(eg.exp(-x / 2))(x=np.array([800.0, 0.0]))
    np.testing.assert_allclose(got, np.exp([-400.0, 0.0]), 1e-14)
