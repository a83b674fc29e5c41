"""Rows and columns that `relu` makes zero, where other numbers are none, infinite or too large."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t

A, B = (t.variable(name, ("n", "n")) for name in "AB")
a, b = (t.variable(name, ("n",)) for name in "ab")
STEP = t.apply("sign", t.apply("relu", a))
OUTER = t.einsum("i,j->ij", STEP, STEP)


def rows(matrix: t.Term, vector: t.Term) -> t.Term:
    return t.einsum("ij,i->ij", matrix, vector)


def columns(matrix: t.Term, vector: t.Term) -> t.Term:
    return t.einsum("ij,j->ij", matrix, vector)


def dot(left: t.Term, right: t.Term) -> t.Term:
    return t.einsum("ij,jk->ik", left, right)


MASKED = {
    "rows of a result": rows(dot(A, B), STEP),
    "columns of a result": columns(dot(A, B), STEP),
    "rows": dot(rows(A, STEP), B),
    "columns": dot(A, columns(B, STEP)),
    "inside": dot(columns(A, STEP), B),
    "symmetric": t.einsum("ij,ij->ij", OUTER, t.einsum("ki,kj->ij", A, rows(A, b))),
}
SIGNS = np.repeat([-1.0, 1.0], 5)
# Values of A, and of what decides which rows count.
VALUES = {
    "infinite": (np.where(np.arange(100).reshape(10, 10) == 0, np.inf, 1.0), SIGNS),
    "no number": (np.ones((10, 10)), np.r_[np.nan, SIGNS[1:]]),
    "large": (np.full((10, 10), 1e200), SIGNS),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("root", MASKED.values(), ids=MASKED)
def test_masks(root: t.Term, kind: str) -> None:
    """Zero times infinity is no number, and what overflows is zero where it does not count."""
    matrix, signs = VALUES[kind]
    values = {"A": matrix, "B": matrix, "a": signs, "b": np.ones(10)}
    values = {name: values[name] for name in (v.name for v in t.variables(root))}
    with np.errstate(invalid="ignore", over="ignore"):
        (expected,) = oracle.evaluate([root], values, {"n": 10})
        (found,) = compile_terms([root], sizes={"n": 100})(**values)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("layers", [4, 6])
def test_the_hessian_of_a_network(layers: int) -> None:
    """By the first weights; all layers but the last have rows that are zero."""
    weights = [eg.variable(f"W{k}", ("n", "n")) for k in range(layers)]
    h = eg.variable("x", ("n",))
    for W in weights[:-1]:
        h = eg.relu(W @ h)
    hessian = eg.hessian(eg.log(eg.sum(eg.exp(weights[-1] @ h))), "W0")
    rng = np.random.default_rng(1)
    values = {"x": rng.normal(size=5)} | {f"W{k}": rng.normal(size=(5, 5)) for k in range(layers)}
    expected = hessian.evaluate(values, reference=True)
    dense = eg.compile(hessian, sizes={"n": 100})(**values)
    factored = eg.compile(hessian, sizes={"n": 100}, structure="factored")(**values)
    np.testing.assert_allclose(dense, expected, 1e-9, 1e-12)
    np.testing.assert_allclose(factored.todense(), expected, 1e-9, 1e-12)
