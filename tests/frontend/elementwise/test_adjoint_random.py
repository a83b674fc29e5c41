"""Random element-wise definitions: brute force judges values, differences judge derivatives."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from tests.support.elementwise_brute_force import brute_force, central_difference
from tests.support.random_definitions import RandomDefinition, random_definition

SEEDS = st.integers(0, 10**6)


def parsed(d: RandomDefinition) -> eg.Definition:
    return eg.parse_elementwise(d.text, d.shapes, d.sizes)


def near(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, 1e-6, 1e-7)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(SEEDS)
def test_values(seed: int) -> None:
    d = random_definition(seed)
    f, env = parsed(d), d.values(seed)
    want = brute_force(d.text, d.sizes, env)
    near(f.evaluate(env), want)
    assert eg.parse_elementwise(str(f), f.shapes, f.sizes) == f
    near(brute_force(str(f), d.sizes, env), want)


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
        near(adjoint.evaluate(env), want)
        near(np.tensordot(env["df"], f.jacobian(x).evaluate(env), len(d.sizes)), want)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(SEEDS)
def test_second_derivatives(seed: int) -> None:
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
        near(adjoint.evaluate({**env, first.cotangent: cotangent}), want)
