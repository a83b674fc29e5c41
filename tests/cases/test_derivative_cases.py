"""Derivatives of expressions from the literature, against hand-written NumPy references.

`tests/data/derivative_cases.json` holds, for each, the variables with their shapes and properties,
the input text, and the derivative as a NumPy expression.
"""

import json
from typing import Any

import numpy as np
import pytest

import eggrad
from tests.support.places import DATA

CASES = json.loads((DATA / "derivative_cases.json").read_text("utf-8"))
# What the references may use: they are NumPy expressions from our own data file.
NAMES = {"__builtins__": {"len": len, "range": range}, "np": np}
SIZES = [
    {"n": 5, "m": 3, "k": 2, "p": 4, "q": 3, "r": 2},
    {"n": 4, "m": 4, "k": 3, "p": 5, "q": 2, "r": 3},
    {"n": 3, "m": 2, "k": 2, "p": 3, "q": 4, "r": 2},
]
# Code depends on which sizes are much smaller than others.
SKEWED = [
    {"n": 2, "m": 20, "k": 18, "p": 19, "q": 17, "r": 2},
    {"n": 18, "m": 2, "k": 20, "p": 17, "q": 2, "r": 3},
    {"n": 17, "m": 18, "k": 2, "p": 18, "q": 20, "r": 17},
]


def sample(shape: tuple[int, ...], properties: list[str], rng: np.random.Generator) -> Any:
    entries = rng.normal(size=shape)
    for word in properties:
        match word:
            case "entries positive":
                entries = rng.uniform(0.5, 1.5, shape)
            case "entries in (-0.9,0.9)":
                entries = rng.uniform(-0.9, 0.9, shape)
            case "entries nonzero":
                entries = rng.uniform(0.5, 1.5, shape) * np.sign(entries)
            case "entries +-1":
                entries = np.sign(entries)
            case "symmetric":
                entries = entries + entries.T
            case "symmetric positive definite":
                entries = entries @ entries.T / len(entries) + np.eye(len(entries))
            case "invertible":
                entries = 0.4 * entries + 1.5 * np.eye(len(entries))
            case "rows are probability vectors":
                entries = rng.uniform(0.2, 1, shape)
                entries /= entries.sum(1, keepdims=True)
            case _:
                raise ValueError(word)
    return entries


def instances(case: dict[str, Any], choices: list[dict[str, int]] = SIZES) -> list[dict[str, Any]]:
    """Values of the variables at each choice of sizes that fits the case."""
    result = []
    for trial, sizes in enumerate(choices):
        constraint = case["shape_constraint"]
        if constraint and not eval(constraint, {"__builtins__": {}}, dict(sizes)):
            continue
        values = {}
        for place, (name, described) in enumerate(case["vars"].items()):
            shape = tuple(int(s) if s.isdigit() else sizes[s] for s in described["shape"])
            rng = np.random.default_rng([trial, place])
            values[name] = sample(shape, described["properties"], rng)
        result.append(values)
    return result


def check(ours: Any, reference: Any) -> None:
    assert ours.shape == np.shape(reference)
    error = np.max(np.abs(ours - reference), initial=0.0)
    assert error <= 1e-9 * (1 + np.max(np.abs(reference), initial=0.0))


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_derivative_equals_the_reference(case: dict[str, Any], mode: str) -> None:
    problem = eggrad.parse(case["einsum_syntax"])
    derivative = eggrad.derivative(problem.expression, *case["wrt_list"], mode=mode)
    found = instances(case)
    assert found
    for values in found:
        check(derivative.evaluate(values), eval(case["derivative_numpy"], NAMES | values))


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_code_for_sizes_that_differ_much(case: dict[str, Any]) -> None:
    """Value and derivative from one function, compiled for these sizes."""
    problem = eggrad.parse(case["einsum_syntax"])
    both = [problem.expression, eggrad.derivative(problem.expression, *case["wrt_list"])]
    axes = {v.name: v.dims for e in both for v in e.variables}
    for values in instances(case, SKEWED):
        pairs = [p for name, own in axes.items() for p in zip(own, values[name].shape, strict=True)]
        sizes = {d: n for d, n in pairs if isinstance(d, str)}
        _, ours = eggrad.compile(both, sizes=sizes)(**values)
        check(ours, eval(case["derivative_numpy"], NAMES | values))
