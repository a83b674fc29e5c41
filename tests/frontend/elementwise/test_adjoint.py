"""Element-wise definitions of the literature, with values and derivatives from elsewhere."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.saturation.schedule import Report, Result
from eggrad.engine.saturation.system import Level, pull_back_levels
from eggrad.frontend.elementwise import adjoint as elementwise_adjoint
from eggrad.rules.standard import system
from tests.support.elementwise_brute_force import brute_force, central_difference
from tests.support.places import DATA
from tests.support.random_definitions import RandomDefinition, random_definition
from tests.support.tiers import samples
from tests.support.values import evaluated

CASES: list[dict[str, Any]] = json.loads((DATA / "elementwise.json").read_text("utf-8"))
BY_NAME = {case["name"]: case for case in CASES}
# What the paper prints in section 6, of which two can be read as cases.
PAPER = {
    "a": BY_NAME["paper_output/section6_da"]["expr"],
    "b": BY_NAME["paper_output/section6_db"]["expr"],
    "c": "dc[dc_0; dc_1] = if {dc_0 + -dc_1 = 0} then (sum{dc_z1}_0^4 (sum{dc_z0}_0^3 "
    "(((a[dc_1; dc_z1] + b[dc_z0; dc_z1]) ** 2 * (-(df[dc_1; dc_z0] * exp (-sum{k}_0^4 "
    "(((a[dc_1; k] + b[dc_z0; k]) ** 2 * c[dc_1; dc_1] + d[dc_1 + k] ** 3))))))))) else (0)",
    "d": "dd[dd_0] = sum{dd_z1}_(max [0; -2 + dd_0])^(min [4; dd_0]) (sum{dd_z0}_0^3 "
    "(((-(df[dd_0 + -dd_z1; dd_z0] * exp (-sum{k}_0^4 (((a[dd_0 + -dd_z1; k] + b[dd_z0; k]) ** 2 "
    "* c[dd_0 + -dd_z1; dd_0 + -dd_z1] + d[dd_0 + -dd_z1 + k] ** 3))))) * 3 * d[dd_0] ** "
    "(3 - 1))))",
}


def values(case: dict[str, Any]) -> dict[str, np.ndarray]:
    return {n: np.array(a["value"], float).reshape(a["shape"]) for n, a in case["args"].items()}


def definition(case: dict[str, Any]) -> eg.Definition:
    shapes = {n: tuple(a["shape"]) for n, a in case["args"].items()}
    return eg.parse_elementwise(case["expr"], shapes, {**case["sizes"], **case["params"]})


def near(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, np.reshape(np.array(want, float), np.shape(got)), 1e-7, 1e-9)


def reads_back(d: eg.Definition) -> None:
    assert eg.parse_elementwise(str(d), d.shapes, d.sizes) == d


@pytest.mark.parametrize("name", BY_NAME)
def test_values_and_adjoints(name: str) -> None:
    case = BY_NAME[name]
    f, env = definition(case), values(case)
    reads_back(f)
    near(f.evaluate(env), case["value"])
    near(brute_force(str(f), {n: int(s) for n, s in f.sizes.items()}, env), case["value"])
    env[case["df_name"]] = np.reshape(np.array(case["df"], float), case["shape"])
    for x, want in case["vjp"].items():
        adjoint = f.adjoint(x)
        reads_back(adjoint)
        assert adjoint.name == f"d{x}"
        near(adjoint.evaluate(env), want)
        near(brute_force(str(adjoint), {n: int(s) for n, s in adjoint.sizes.items()}, env), want)


@pytest.mark.parametrize("name", [n for n, case in BY_NAME.items() if "second_order" in case])
def test_second_derivatives(name: str) -> None:
    case = BY_NAME[name]
    second, env = case["second_order"], values(case)
    env[case["df_name"]] = np.reshape(np.array(case["df"], float), case["shape"])
    first = definition(case).adjoint(second["gradient_of"])
    shape = env[second["gradient_of"]].shape
    env[first.cotangent] = np.reshape(np.array(second["cotangent"], float), shape)
    for x, want in second["vjp"].items():
        adjoint = first.adjoint(x)
        reads_back(adjoint)
        near(adjoint.evaluate(env), want)


@pytest.mark.parametrize("name", [n for n, case in BY_NAME.items() if "sym_sizes" in case])
def test_symbolic_sizes(name: str) -> None:
    case = BY_NAME[name]
    env = values(case)
    f = eg.parse_elementwise(case["expr"], case["sym_shapes"], case["sym_sizes"])
    reads_back(f)
    near(f.evaluate(env), case["value"])
    env[case["df_name"]] = np.array(case["df"], float)
    for x, want in case["vjp"].items():
        adjoint = f.adjoint(x)
        reads_back(adjoint)
        near(adjoint.evaluate(env), want)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_jacobian_is_what_adjoints_contract(name: str) -> None:
    case = BY_NAME[name]
    f, env = definition(case), values(case)
    df = np.reshape(np.array(case["df"], float), case["shape"])
    for x, want in case["vjp"].items():
        jacobian = f.jacobian(x)
        reads_back(jacobian)
        found = jacobian.evaluate(env)
        assert found.shape == (*df.shape, *env[x].shape)
        near(np.tensordot(df, found, df.ndim), want)


@pytest.mark.parametrize("x", PAPER)
def test_the_derivatives_that_the_paper_prints(x: str) -> None:
    """Equal, and no longer in characters."""
    case = BY_NAME["paper/section6"]
    env = values(case)
    env["df"] = np.array(case["df"], float)
    adjoint = definition(case).adjoint(x)
    shapes: dict[str, Any] = {n: a.shape for n, a in env.items()}
    head = PAPER[x].partition("[")[2].partition("]")[0].split("; ")
    theirs = eg.parse_elementwise(PAPER[x], shapes, dict(zip(head, env[x].shape, strict=True)))
    near(adjoint.evaluate(env), theirs.evaluate(env))
    assert len(str(adjoint)) <= len(PAPER[x])


def test_ours_beside_the_paper() -> None:
    f = definition(BY_NAME["paper/section6"])
    assert str(f.adjoint("d")) == (
        "dd[l] = sum{j}_0^3 (sum{k}_(max [0; l - 2])^(min [4; l]) (-3 * df[l - k; j] * "
        "d[l] ** 2 / exp (sum{k1}_0^4 ((a[l - k; k1] + b[j; k1]) ** 2 * "
        "c[l - k; l - k] + d[l - k + k1] ** 3))))"
    )


INTRODUCTION = {
    "f[i] = sin (x[i])": "dx[i] = df[i] * cos (x[i])",
    "f[i; j] = x[i] ** 2": "dx[i] = sum{j}_0^2 (2 * x[i] * df[i; j])",
    "f[i] = x[i; i] ** 3": "dx[i; j] = if {i - j = 0} then (3 * x[i; i] ** 2 * df[i]) else (0)",
    "f[i; j] = exp (x[3*i + j])": "dx[k] = sum{i}_((k - 2)/3)^(k/3) (df[i; k - 3*i] * exp (x[k]))",
    "f[i; j] = x[2*i + 2*j]": "dx[k] = if {2 | k} then "
    "(sum{i}_(max [0; (k - 4)/2])^(min [2; k/2]) (df[i; (k - 2*i)/2])) else (0)",
}


@pytest.mark.parametrize(("text", "want"), INTRODUCTION.items())
def test_what_is_printed(text: str, want: str) -> None:
    shapes: dict[str, Any] = {"x": (9,) if "j]" in text.partition("=")[2] else (3,)}
    if "x[i; i]" in text:
        shapes = {"x": (3, 3)}
    assert str(eg.parse_elementwise(text, shapes, {"i": 3, "j": 3}).adjoint("x")) == want


def test_a_derivative_that_a_budget_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    f = definition(BY_NAME["occurrences/softmax_rows"])
    assert f.adjoint("x").complete
    assert f.jacobian("x").complete

    def cut_short(levels: Any, cotangent: Any) -> Result:
        found = pull_back_levels(system(), [Level(*own) for own in levels], cotangent)
        return Result(found.terms, Report(notes=["the budget ended"]))

    monkeypatch.setattr(elementwise_adjoint, "_derivatives", cut_short)
    again = definition(BY_NAME["occurrences/softmax_rows"])
    short = again.adjoint("x")
    assert not short.complete
    assert not again.jacobian("x").complete
    monkeypatch.undo()
    assert not short.adjoint("x").complete


# Random element-wise definitions: brute force judges values, differences judge derivatives.


SEEDS = st.integers(0, 10**6)


def parsed(d: RandomDefinition) -> eg.Definition:
    return eg.parse_elementwise(d.text, d.shapes, d.sizes)


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, 1e-6, 1e-7)


@settings(max_examples=samples(50, 200), deadline=None, derandomize=True)
@given(SEEDS)
def test_values(seed: int) -> None:
    d = random_definition(seed)
    f, env = parsed(d), d.values(seed)
    want = brute_force(d.text, d.sizes, env)
    close(f.evaluate(env), want)
    assert eg.parse_elementwise(str(f), f.shapes, f.sizes) == f
    close(brute_force(str(f), d.sizes, env), want)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(SEEDS)
def test_adjoints(seed: int) -> None:
    d = random_definition(seed)
    f, env = parsed(d), d.values(seed)
    env["df"] = np.random.default_rng(seed).normal(size=list(d.sizes.values()))
    for x in d.shapes:
        adjoint = f.adjoint(x)
        assert eg.parse_elementwise(str(adjoint), adjoint.shapes, adjoint.sizes) == adjoint
        want = central_difference(
            lambda moved, x=x: brute_force(d.text, d.sizes, {**env, x: moved}), env[x], env["df"]
        )
        close(evaluated(adjoint, env), want)
        jacobian = evaluated(f.jacobian(x), env)
        close(np.tensordot(env["df"], jacobian, len(d.sizes)), want)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(SEEDS)
def test_second_derivatives_of_random_definitions(seed: int) -> None:
    d = random_definition(seed)
    env = d.values(seed)
    rng = np.random.default_rng(seed)
    env["df"] = rng.normal(size=list(d.sizes.values()))
    x = min(d.shapes)
    first = parsed(d).adjoint(x)
    cotangent = rng.normal(size=env[x].shape)
    for y in first.shapes:
        adjoint = first.adjoint(y)
        assert eg.parse_elementwise(str(adjoint), adjoint.shapes, adjoint.sizes) == adjoint
        want = central_difference(
            lambda moved, y=y: first.evaluate({**env, y: moved}), env[y], cotangent
        )
        close(adjoint.evaluate({**env, first.cotangent: cotangent}), want)
