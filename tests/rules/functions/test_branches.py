"""Choices: what is not selected never matters, in values, in derivatives and in compiled code."""

import warnings
from typing import Any

import numpy as np
import pytest

import eggrad as eg

x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
s = eg.variable("s")
W = eg.variable("W", ("m", "n"))
POINTS = np.array([0.0, 1.0, -2.0, 3.0])


def values(f: eg.Expression, **given: object) -> np.ndarray:
    """The value by definition, which compiled code has as well, without a warning."""
    found = f.evaluate(given, reference=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(eg.compile(f)(**given), found, rtol=1e-12)
    return found


def test_a_branch_that_is_not_chosen_may_be_undefined() -> None:
    entropy = np.where(x > 0, x * np.log(x), 0)
    np.testing.assert_allclose(values(entropy, x=POINTS), [0, 0, 0, 3 * np.log(3)])
    gradient = eg.gradient(eg.sum(entropy), x)
    np.testing.assert_allclose(values(gradient, x=POINTS), [0, 1, 0, np.log(3) + 1])
    hessian = eg.hessian(eg.sum(entropy), x)
    np.testing.assert_allclose(values(hessian, x=POINTS), np.diag([0, 1, 0, 1 / 3]))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_both_modes_leave_out_what_is_not_chosen(mode: str) -> None:
    jacobian = eg.derivative(np.where(x > 0, np.log(x), x), x, mode=mode)
    np.testing.assert_allclose(values(jacobian, x=POINTS), np.diag([1, 1, 1, 1 / 3]))


def test_the_slope_of_a_root_at_its_end() -> None:
    root = np.where(x > 0, np.sqrt(np.maximum(x, 0)), 0)
    gradient = eg.gradient(eg.sum(root), x)
    np.testing.assert_allclose(values(gradient, x=POINTS), [0, 0.5, 0, 0.5 / np.sqrt(3)])


def test_a_product_of_many_partial_factors_is_chosen_as_a_whole() -> None:
    f = np.where(x > 1, np.exp(x) * np.sqrt(x) * np.log(x) * y / (x - 1), x**2)
    gradient = eg.gradient(eg.sum(f), x)
    found = values(gradient, x=POINTS, y=np.ones(4))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[:3], 2 * POINTS[:3])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_roots_that_are_left_out_do_not_matter_in_either_mode(mode: str) -> None:
    x, y = eg.variable("x", (3,)), eg.variable("y", (3,))
    root = np.sqrt(np.select([y > x, y > 1], [y, x], 2) + 0.1)
    # Neither root is one of x where that is negative.
    at = {"x": np.array([-0.776, 1.697, 0.5]), "y": np.array([-0.642, -1.168, 1.101])}
    for f in (np.nanprod(root), np.where(np.isnan(root), 1, root)):
        jacobian = eg.derivative(f, x, mode=mode)
        given = {k: v for k, v in at.items() if k in {v.name for v in jacobian.variables}}
        np.testing.assert_array_equal(values(jacobian, **given), np.zeros(jacobian.shape))
    # What is chosen is sorted before it is multiplied by the slope of the root.
    least = np.quantile(np.nancumsum(np.sqrt(x + 0.1))[:, None] + y, 0, axis=-2)
    jacobian = eg.derivative(least, x, mode=mode)
    np.testing.assert_array_equal(values(jacobian, x=at["x"], y=at["y"])[:, 0], np.zeros(3))
    known = np.where(np.isnan(np.sqrt(x)), 0, np.sqrt(x) * y)
    np.testing.assert_allclose(
        values(eg.derivative(known, x, mode=mode), **at),
        np.diag([0, -0.584, 0.5505]) / np.sqrt([1, 1.697, 0.5]),
    )


def test_a_choice_within_a_product_of_matrices() -> None:
    f = eg.sum((W @ np.where(x > 0, np.log(x), 0)) ** 2)
    weights = np.arange(8.0).reshape(2, 4)
    logarithms = np.array([0, 0, 0, np.log(3)])
    expected = 2 * weights.T @ (weights @ logarithms) * [0, 1, 0, 1 / 3]
    np.testing.assert_allclose(values(eg.gradient(f, x), W=weights, x=POINTS), expected)


def test_a_choice_by_a_scalar() -> None:
    f = np.where(s > 0, np.log(s), s**2)
    slope = eg.derivative(f, s)
    assert values(slope, s=-3.0) == -6
    assert values(slope, s=2.0) == 0.5


def test_conditions_may_be_joined() -> None:
    inside = np.where((x > 0) & ~(x >= 3), 1, 0)
    np.testing.assert_array_equal(values(inside, x=POINTS), [0, 1, 0, 0])
    outside = np.where((x <= 0) | (x > 2), x, 0)
    np.testing.assert_array_equal(values(outside, x=POINTS), [0, 0, -2, 3])
    np.testing.assert_array_equal(values(np.where(np.equal(x, 1), 5, x), x=POINTS), [0, 5, -2, 3])


def test_a_condition_times_a_number_is_a_number() -> None:
    step = (x > 0) * 2
    np.testing.assert_array_equal(values(step, x=POINTS), [0, 2, 0, 2])
    assert eg.compile(step)(x=POINTS.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("choice", "short"),
    [
        (np.where(x > 0, x, 0), "where(x > 0, x, zeros(n))"),
        (np.where(x > 0, x, x), "x"),
        (np.where(x > 0, np.where(x > 0, x, y), y), "where(x > 0, x, y)"),
        (np.where(~(x > 0), x, y), "where(x > 0, y, x)"),
    ],
)
def test_simpler_choices(choice: eg.Expression, short: str) -> None:
    assert eg.simplify(choice).to("matrix") == short


@pytest.mark.parametrize(
    ("choice", "other"),
    [
        (np.where(x >= 0, x, -x), abs(x)),
        (np.where(x > y, x, y), eg.maximum(x, y)),
        (np.where(x > 0, x, 0), eg.relu(x)),
    ],
)
def test_choices_that_are_functions(choice: eg.Expression, other: eg.Expression) -> None:
    assert eg.equivalent(choice, other).status == "equal"


def test_a_choice_is_another_one_where_it_has_a_value() -> None:
    assert eg.equivalent(abs(x) + np.where(x > 0, np.sqrt(x) ** 2, 0), 2 * x).status == "different"


def test_what_is_chosen_is_read_back() -> None:
    f = np.where(x > 0, x * np.log(x), 0)
    assert eg.parse(str(f)).expression is f
    assert eg.parse_matrix(f.to("matrix"), {"x": ("n",)}).to("matrix") == f.to("matrix")


def test_extremes_of_far_numbers() -> None:
    assert values(eg.maximum(s, -1e30), s=1.0) == 1
    for far in (1e17, np.inf):
        assert values(np.minimum(s, 1), s=far) == 1
    assert values(np.clip(s, 0, 1), s=1e20) == 1
    assert values(np.minimum(s, 0.3), s=1e10) == 0.3


def test_equal_shares_at_ties() -> None:
    f = eg.sum(eg.maximum(x, y))
    given = {"x": np.array([1.0, 2.0, 3.0]), "y": np.array([2.0, 2.0, 2.0])}
    np.testing.assert_array_equal(values(eg.gradient(f, x), **given), [0, 0.5, 1])
    np.testing.assert_array_equal(values(eg.gradient(f, y), **given), [1, 0.5, 0])


def test_powers_with_exponents_of_their_own() -> None:
    p = eg.variable("p", ("n",))
    f = eg.sum(x**p)
    assert values(f, x=np.array([-1.0, -2.0]), p=np.array([2.0, 3.0])) == -7
    assert values(f, x=np.zeros(2), p=np.zeros(2)) == 2
    given = {"x": np.array([0.0, 0.0, 2.0, -1.0]), "p": np.array([0.0, 2.0, 3.0, 2.0])}
    np.testing.assert_array_equal(values(eg.gradient(f, x), **given), [0, 0, 12, -2])


def test_determinants_that_overflow() -> None:
    X = eg.variable("X", ("n", "n"))
    sign, logarithm = np.linalg.slogdet(X)
    gradient = eg.gradient(logarithm, X)
    assert gradient.to("matrix") == "inv(X)'"
    large = 100 * np.eye(400)
    assert values(logarithm, X=large) == pytest.approx(400 * np.log(100), rel=1e-12)
    np.testing.assert_allclose(values(gradient, X=large), np.eye(400) / 100)
    assert values(sign, X=np.diag([-1.0, 2.0])) == -1
    assert eg.simplify(np.linalg.slogdet(X @ X)[1]).to("matrix") == "2*logabsdet(X)"
    assert eg.simplify(eg.log(eg.abs(eg.det(X)))).to("matrix") == "logabsdet(X)"


def test_printed_tests_are_numbers() -> None:
    f = eg.sum((x > 0) * 1 + (x > 1) * 1 - (y > 0) * 1) + eg.sum(np.where(x > 0, x, 0 * y))
    namespace: dict[str, object] = {}
    exec(f.to("python"), namespace)
    given = {"x": POINTS, "y": np.array([1.0, -1.0, 1.0, 1.0])}
    assert namespace["f"](**given) == f.evaluate(given) == 4  # pyright: ignore[reportCallIssue]
    assert "np.where(np.greater(x, 0), " in np.where(x > 0, x, y).to("python")


def test_missing_data_do_not_matter_where_they_are_not_chosen() -> None:
    mask = eg.variable("m", ("n",))
    given = {"m": np.array([1.0, -1.0, -1.0]), "y": np.array([2.0, np.nan, np.inf])}
    given["x"] = np.array([0.5, 1.0, 2.0])
    for f in (y * x, (y - x) ** 2, y * np.exp(x) * np.log(x)):
        chosen = eg.sum(np.where(mask > 0, f, 0))
        one = {name: value[:1] for name, value in given.items()}
        for order in (0, 1, 2):
            derivative = eg.derivative(chosen, *["x"] * order) if order else chosen
            expected = np.zeros((3,) * order)
            expected[(0,) * order] = values(derivative, **one).sum()
            np.testing.assert_allclose(values(derivative, **given), expected, rtol=1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_slopes_of_maxima_beside_what_is_undefined(mode: Any) -> None:
    s, x, z = eg.variable("s"), eg.variable("x", (2,)), eg.variable("z", (2,))
    for f, at in [
        (np.minimum(np.exp(s), 1), 800),
        (np.clip(s * s, 0, 1), np.inf),
        (np.maximum(np.log(s), 0), 0),
        (np.maximum(np.sqrt(s), 1), 0),
    ]:
        found = eg.derivative(f, "s", mode=mode)
        assert found.evaluate({"s": at}) == 0
        assert eg.compile(found)(s=float(at)) == 0
    chosen = eg.sum(np.where(x < 1, x, np.tanh(np.clip(z, -1, 1))))
    found = eg.derivative(chosen, "z", mode=mode)
    slopes = found.evaluate({"x": [0, 3], "z": [np.nan, 0.4]})
    np.testing.assert_allclose(slopes, [0, 1 - np.tanh(0.4) ** 2], rtol=1e-14)
