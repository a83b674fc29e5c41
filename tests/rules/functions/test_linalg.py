"""Derivatives by symmetric matrices, in both conventions, against differences."""

from collections.abc import Callable

import numpy as np
import pytest

import eggrad as eg

DIMS = {"S": ("n", "n"), "A": ("n", "n"), "x": ("n",)}
TEXTS = [
    "tr(A*S)",
    "x'*S*x",
    "logdet(S)",
    "x'*inv(S)*x",
    "norm2(S)^2",
    "tr(S*S*A)",
    "tr(A*inv(S'))*logdet(S)",
    "sum(exp(S)) + x'*S'*A*x",
]
RNG = np.random.default_rng(0)
VALUES = {"A": RNG.normal(size=(3, 3)), "x": RNG.normal(size=3)}
ROOT = RNG.normal(size=(3, 3))
SPD = ROOT @ ROOT.T + np.eye(3)
STEP = 1e-5


def parsed(text: str, *assume: str) -> eg.Expression:
    return eg.parse_matrix(text, DIMS, {"S": assume} if assume else {})


def difference(f: Callable[[np.ndarray], np.ndarray], both: bool) -> np.ndarray:
    """The derivative by each entry, or by an entry and its mirror image at once."""
    found = np.empty((*np.shape(f(SPD)), 3, 3))
    for i in range(3):
        for j in range(3):
            E = np.zeros((3, 3))
            E[i, j] = STEP
            if both:
                E[j, i] = STEP
            found[..., i, j] = (f(SPD + E) - f(SPD - E)) / (2 * STEP)
    return found


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("entries", ["independent", "pairs"])
def test_gradient_and_hessian(text: str, entries: str) -> None:
    both = entries == "pairs"
    plain, f = parsed(text), parsed(text, "symmetric")
    options = {"entries": entries}

    def value(S: np.ndarray) -> np.ndarray:
        return plain.evaluate(VALUES | {"S": S})

    gradient = eg.gradient(f, "S", **options).evaluate(VALUES | {"S": SPD})
    np.testing.assert_allclose(gradient, difference(value, both), rtol=1e-6, atol=1e-6)

    unstructured = eg.gradient(plain, "S")

    def slope(S: np.ndarray) -> np.ndarray:
        G = unstructured.evaluate(VALUES | {"S": S})
        return G + G.T - np.diag(np.diag(G)) if both else G

    hessian = eg.hessian(f, "S", **options).evaluate(VALUES | {"S": SPD})
    np.testing.assert_allclose(hessian, difference(slope, both), rtol=1e-5, atol=1e-5)


def test_texts() -> None:
    f = parsed("x'*S*x", "symmetric")
    assert eg.gradient(f, "x").to("matrix") == "2*S*x"
    assert eg.gradient(f, "S").to("matrix") == "x*x'"
    assert eg.simplify(parsed("S'*A - S*A", "symmetric")).to("matrix") == "zeros(n, n)"


def test_another_word_for_the_entries() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="one of independent, pairs"):
        eg.gradient(parsed("tr(S)"), "S", entries="both")
