"""Names in formulas that could not be read."""

import pytest

from eggrad.frontend.page.names import names_in
from eggrad.frontend.page.reading import read


@pytest.mark.parametrize(
    ("text", "notation", "names"),
    [
        ("kron(A,B)", "matrix", "A B"),
        ("vec(A*X*B)'*inv(S_1)", "matrix", "A X B S_1"),
        ("e^x*pi + 2e3*norm2(x - Ab)", "matrix", "x Ab"),
        ("np.sum(np.exp(X @ w)) + x.T @ A.sum()", "numpy", "X w x"),
        (r"\frac12 \|Xw - y\|_2^2 + \frac{\lambda}{2} \|w\|^2", "latex", "X w y lambda"),
        (r"\mathbf{x}^\top \Sigma^{-1} \boldsymbol{\mu}^T", "latex", "x Sigma mu"),
        (r"\operatorname{vec}(A_1 X_{2} \beta_0) \text{ if } x_i", "latex", "A_1 X_2 beta_0 x"),
        ("x_i A_ij y1_j", "index", "x A y1"),
        (r"\beta^\top x + \gamma", "latex", "beta x gamma"),
        ("exp(beta) + y1", "matrix", "beta y1"),
        ("declare x 1 expression sin(x)", "einsum", ""),
        ("f[i<N] = x[i]", "elementwise", ""),
        ("", "matrix", ""),
    ],
)
def test_names(text: str, notation: str, names: str) -> None:
    assert names_in(text, notation) == names.split()


@pytest.mark.parametrize(
    "text",
    [
        "norm2(A*x - y)^2 + c*norm1(x)",
        r"(x - \mu)^\top \Sigma^{-1} (x - \mu)",
        r"\frac12 \|Xw - y\|_2^2 + \frac{\lambda}{2} \|w\|^2",
        "x_i A_ij y_j",
    ],
)
def test_names_are_those_that_readers_find(text: str) -> None:
    found = read(text, "detect", {}, {})
    assert {*names_in(text, found.notation)} == {v.name for v in found.variables}
