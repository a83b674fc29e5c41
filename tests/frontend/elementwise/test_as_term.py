"""Definitions as expressions: the same values, and derivatives by the rules of expressions."""

import re
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import postorder, variables
from eggrad.frontend.expression.expression import expression
from tests.frontend.elementwise.test_adjoint import CASES, definition, values
from tests.support.elementwise_brute_force import brute_force, central_difference
from tests.support.random_definitions import random_definition
from tests.support.random_expressions import random_expression
from tests.support.tiers import samples
from tests.support.values import evaluated


def near(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, 1e-6, 1e-7)


@pytest.mark.parametrize(
    ("text", "shapes", "sizes"),
    [
        ("f[i] = x[i + 1] - x[i]", {"x": ("n",)}, {"i": "n - 1"}),
        ("f[i] = x[2*i]*x[2*i + 1]", {"x": ("2*n",)}, {"i": "n"}),
        ("f[] = sum{k}_0^n (k*x[k]**2)", {"x": ("n + 1",)}, {}),
        ("f[i] = sum{k}_i^n (x[k]*x[k - i])", {"x": ("n + 1",)}, {"i": "n - 2"}),
    ],
)
def test_sizes_made_of_others(text: str, shapes: dict[str, Any], sizes: dict[str, Any]) -> None:
    d = eg.parse_elementwise(text, shapes, sizes)
    x = np.random.default_rng(0).normal(size=8)
    near(d.expression.evaluate({"x": x}), d.evaluate({"x": x}))
    jacobian = eg.jacobian(d.expression, "x").evaluate({"x": x})
    near(jacobian, d.jacobian("x").evaluate({"x": x}))


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES])
def test_cases_of_the_literature(case: dict[str, Any]) -> None:
    d = definition(case)
    near(d.expression.evaluate(values(case)), d.evaluate(values(case)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_definitions(seed: int) -> None:
    random = random_definition(seed)
    d, env = eg.parse_elementwise(random.text, random.shapes, random.sizes), random.values(seed)
    near(evaluated(d.expression, env), brute_force(random.text, random.sizes, env))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_derivatives_by_the_rules(seed: int) -> None:
    random = random_definition(seed)
    d, env = eg.parse_elementwise(random.text, random.shapes, random.sizes), random.values(seed)
    weights = np.random.default_rng(seed).normal(size=list(random.sizes.values()))
    for x in random.shapes:
        jacobian = eg.compile(eg.jacobian(d.expression, x))(**env)
        want = central_difference(
            lambda moved, x=x: brute_force(random.text, random.sizes, {**env, x: moved}),
            env[x],
            weights,
        )
        near(np.tensordot(weights, jacobian, weights.ndim), want)


@pytest.mark.parametrize(
    ("text", "shapes", "sizes"),
    [
        ("f[i] = sum{k}_0^2 (w[k]*x[i + k])", {"x": (6,), "w": (3,)}, {"i": 4}),
        ("f[i] = x[2*i + 1]", {"x": (9,)}, {"i": 4}),
        ("f[i; j] = x[i + j]", {"x": (6,)}, {"i": 3, "j": 4}),
        ("f[i] = sum{k}_0^i (x[k])", {"x": (5,)}, {"i": 5}),
        ("f[i] = x[i]**2", {"x": ("n",)}, {"i": "n"}),
    ],
)
def test_both_ways_to_differentiate_agree(
    text: str, shapes: dict[str, Any], sizes: dict[str, Any]
) -> None:
    d = eg.parse_elementwise(text, shapes, sizes)
    assert eg.equivalent(eg.jacobian(d.expression, "x"), d.jacobian("x").expression)


@pytest.mark.parametrize(
    "text",
    [
        "f[i] = sum{k}_0^(i - 1) (x[k])",
        "f[i] = sum{k}_(i + 1)^(n - 1) (x[k])",
        "f[i] = sum{k}_1^i (x[k - 1])",
        "f[i] = sum{k}_((i + 1)/2)^i (x[k])",
        "f[i] = i*x[i]",
    ],
)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_ranges_and_symbols(text: str, n: int) -> None:
    x = np.arange(1.0, n + 1)
    d = eg.parse_elementwise(text, {"x": ("n",)}, {"i": "n"})
    near(d.expression.evaluate({"x": x}), d.evaluate({"x": x}))
    back = eg.Definition.of(d.expression)
    near(back.evaluate({"x": x}), d.evaluate({"x": x}))
    near(back.expression.evaluate({"x": x}), d.evaluate({"x": x}))


def test_a_causal_softmax_does_not_overflow() -> None:
    d = eg.parse_elementwise(
        "f[i] = sum{k}_0^i (exp (s[i; k])*v[k]) / sum{k}_0^i (exp (s[i; k]))",
        {"s": ("N", "N"), "v": ("N",)},
    )
    near(d.expression.evaluate({"s": [[0, 1000], [0, 0]], "v": [1, 3]}), [1, 2])


def test_strided_adjoints_there_and_back() -> None:
    d = eg.parse_elementwise("f[i<2] = x[2*i]", {"x": (4,)})
    gradient = eg.gradient(eg.sum(d.expression**2), "x")
    x = np.array([1.0, 2, 4, 8])
    near(eg.Definition.of(gradient).evaluate({"x": x}), [2, 0, 8, 0])
    f = eg.parse_elementwise(
        "f[i<3; j<3] = sum{p<2} (sum{q<3} (x[2*i + p; j + 2*q]*w[p; q]))",
        {"x": (6, 7), "w": (2, 3)},
    ).adjoint("x")
    rng = np.random.default_rng(0)
    env = {"w": rng.normal(size=(2, 3)), "df": rng.normal(size=(3, 3))}
    near(f.expression.evaluate(env), f.evaluate(env))


def test_sizes_that_only_a_sum_has() -> None:
    d = eg.Definition.of(eg.einsum("ii->", eg.delta(("n",))))
    assert d.evaluate({"n": 2}) == 2


@pytest.mark.parametrize("name", ["max", "then", "and", "_x"])
def test_names_that_the_notation_has_not(name: str) -> None:
    with pytest.raises(eg.UnsupportedOperation, match=f"{name} is no name"):
        eg.variable(name, ("n",)).to("elementwise")


def test_definitions_and_matrices_in_one_function() -> None:
    d = eg.parse_elementwise(
        "f[i] = sum{k}_0^2 (w[k]*x[i + k])", {"x": ("n",), "w": (3,)}, sizes={"i": "m"}
    )
    target, matrix = eg.variable("y", ("m",)), eg.variable("A", ("m", "m"))
    loss = eg.sum((matrix @ d.expression - target) ** 2)
    run = eg.compile([loss, eg.gradient(loss, "w")])
    rng = np.random.default_rng(0)
    x, w, y, a = rng.normal(size=6), rng.normal(size=3), rng.normal(size=4), rng.normal(size=(4, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, 3)
    rest = a @ windows @ w - y
    value, slope = run(x=x, w=w, y=y, A=a)
    near(value, rest @ rest)
    near(slope, 2 * (a @ windows).T @ rest)


@pytest.mark.parametrize(
    "text",
    [
        "f[i; j] = if {i - j >= 1} then (x[i]/(x[i] - x[j])) else (i + 2*j)",
        "f[i; j] = if {i - j = 0} then (0) else (log(abs(x[i] - x[j])))",
        "f[i; j] = if {i - j >= 1} then (sqrt(x[i - j - 1] + i - j - 1)) else (x[j])",
        "f[i; j] = if {i - j = 0} then (1) else ((i - j)**(-2)*x[i])",
        "f[i; j] = sum{k}_0^i (log(x[i - k] + k)*x[j])",
        "f[i; j] = sum{k}_0^i (exp(1000*(k - i))*x[j])",
    ],
)
def test_branches_are_not_evaluated_where_they_do_not_count(text: str) -> None:
    d = eg.parse_elementwise(text, {"x": (4,)}, sizes={"i": 4, "j": 4})
    x = np.array([0.5, 1.5, 2.0, 3.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near(d.expression.evaluate({"x": x}), d.evaluate({"x": x}))
        near(eg.compile(eg.jacobian(d.expression, "x"))(x=x), d.jacobian("x").evaluate({"x": x}))


@pytest.mark.parametrize(
    ("text", "shapes", "sizes", "told"),
    [
        ("f[i] = x[i]", {"x": ("n",)}, {"i": "n/2"}, "the index i has the size n/2"),
        ("f[] = sum{k}_0^(n/2) (x[k])", {"x": ("n",)}, {}, "k has up to (n + 2)/2 terms"),
    ],
)
def test_what_no_expression_says(
    text: str, shapes: dict[str, Any], sizes: dict[str, Any], told: str
) -> None:
    d = eg.parse_elementwise(text, shapes, sizes)
    with pytest.raises(eg.EggradError, match=re.escape(told)):
        _ = d.expression


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES])
def test_there_and_back(case: dict[str, Any]) -> None:
    d = definition(case)
    back = eg.Definition.of(d.expression, d.name)
    assert eg.parse_elementwise(str(back), back.shapes, back.sizes) == back
    near(back.evaluate(values(case)), d.evaluate(values(case)))


@settings(max_examples=samples(20, 100), deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
@example(117)
def test_random_expressions_entry_by_entry(seed: int) -> None:
    term, _ = random_expression(Random(seed), most=9)
    rng, sizes = np.random.default_rng(seed), {"m": 3, "n": 4}
    values_of = {
        v.data[0]: rng.uniform(0.5, 2, [sizes.get(d, d) for d in v.dims]) for v in variables(term)
    }
    f = expression(term)
    try:
        d = eg.Definition.of(f)
    except eg.UnsupportedOperation:
        assert {t.op for t in postorder(term)} & {*MATRIX_FUNCTIONS, "cofactors"}
        return
    with np.errstate(all="ignore"):
        (want,) = oracle.evaluate([term], values_of, sizes)
        # Where a division by 0 cancels, the definition has a value that the term has not.
        defined = np.isfinite(want)
        near(evaluated(d, {**sizes, **values_of})[defined], want[defined])


def test_what_is_determined_is_put_in() -> None:
    x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
    gradient = eg.gradient(eg.sum(np.cumsum(x) * y), x)
    assert gradient.to("elementwise") == "f[i<n] = sum{j}_i^(n - 1) (y[j])"
    hessian = eg.hessian(eg.sum(x * y * x), "x")
    assert hessian.to("elementwise") == "f[i<n; j<n] = if {i - j = 0} then (y[i] + y[i]) else (0)"
    assert eg.Definition.of(x, "x").name == "x1"
    with pytest.raises(eg.UnsupportedOperation, match="inv is no function of entries"):
        eg.Definition.of(eg.inv(eg.variable("A", ("n", "n"))))
    long = x
    for _ in range(12):
        long = eg.sin(long) * long
    with pytest.raises(eg.UnsupportedOperation, match="has 12,286 parts, of at most 2,000"):
        long.to("elementwise")
    deep = x
    for _ in range(300):
        deep = eg.sin(deep)
    with pytest.raises(eg.UnsupportedOperation, match="nested 301 deep, of at most 200"):
        deep.to("elementwise")


def test_latex() -> None:
    d = eg.parse_elementwise(
        "f[i; j] = if {2 | i and i >= j} then (W1[i/2]**2 / 2 - abs(i - 1)) else (-sqrt(3*x[j]))",
        {"W1": (4,), "x": (8,)},
        {"i": 8, "j": 8},
    )
    assert d.to("latex") == (
        r"f_{i, j} = \begin{cases} \frac{{W_{1}}_{\frac{i}{2}}^{2}}{2} - \left|i - 1\right| & "
        r"\text{if } 2 \mid i \text{ and } i \ge j \\ -\sqrt{3 \, x_{j}} & "
        r"\text{otherwise} \end{cases}, \quad 0 \le i < 8, \; 0 \le j < 8"
    )
    g = eg.parse_elementwise(
        "g[i<9] = sum{k}_(max [0; i/2 - 3])^(min [4; i/2]) ((x[i] - 2)*3*x[k])*-1.5", {"x": (9,)}
    )
    assert g.to("latex") == (
        r"g_{i} = \left(\sum_{k = \max(0, \lceil \frac{i - 6}{2} \rceil)}"
        r"^{\min(4, \lfloor \frac{i}{2} \rfloor)} \left(x_{i} - 2\right) \cdot 3 \, x_{k}"
        r"\right) \cdot \left(-1.5\right), \quad 0 \le i < 9"
    )
    h = eg.parse_elementwise(
        "h[i<7] = 2*(3/x[i]) + (if {i > 3} then (1) else (2)) * -sum{k}_0^2 (x[i - k + 2])",
        {"x": (9,)},
    )
    assert h.to("latex") == (
        r"h_{i} = 2 \cdot \frac{3}{x_{i}} + \left(\begin{cases} 1 & \text{if } i \ge 4 \\ 2 & "
        r"\text{otherwise} \end{cases}\right) \, \left(-\sum_{k = 0}^{2} x_{i - k + 2}\right), "
        r"\quad 0 \le i < 7"
    )
