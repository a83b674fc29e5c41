"""Index notation: a sign for every sum, and entries of inverses."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.printing.latex import format_latex_index

x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
A = eg.variable("A", ("n", "n"))


@pytest.mark.parametrize(
    ("f", "text", "latex"),
    [
        (A @ x, "fᵢ = Σⱼ Aᵢⱼ xⱼ", r"{f}_{i} = \sum_{j} {A}_{ij} \, {x}_{j}"),
        (
            y - A @ x,
            "fᵢ = yᵢ - Σⱼ Aᵢⱼ xⱼ",
            r"{f}_{i} = {y}_{i} - \sum_{j} {A}_{ij} \, {x}_{j}",
        ),
        (
            -2 * (A @ x),
            "fᵢ = -2 Σⱼ Aᵢⱼ xⱼ",
            r"{f}_{i} = -2 \, \sum_{j} {A}_{ij} \, {x}_{j}",
        ),
        ((x @ y) ** 2, "f = (Σᵢ xᵢ yᵢ)²", r"f = (\sum_{i} {x}_{i} \, {y}_{i})^{2}"),
        (
            x / (x @ y),
            "fᵢ = xᵢ / (Σⱼ xⱼ yⱼ)",
            r"{f}_{i} = {x}_{i} / (\sum_{j} {x}_{j} \, {y}_{j})",
        ),
        (eg.sum(A), "f = Σᵢⱼ Aᵢⱼ", r"f = \sum_{i, j} {A}_{ij}"),
        (
            x @ (A @ x) * y,
            "fᵢ = Σⱼₖ xⱼ Aⱼₖ xₖ yᵢ",
            r"{f}_{i} = \sum_{j, k} {x}_{j} \, {A}_{jk} \, {x}_{k} \, {y}_{i}",
        ),
        (
            np.exp(A @ x),
            "fᵢ = exp(Σⱼ Aᵢⱼ xⱼ)",
            r"{f}_{i} = \exp(\sum_{j} {A}_{ij} \, {x}_{j})",
        ),
        (eg.inv(A), "fᵢⱼ = A⁻¹ᵢⱼ", r"{f}_{ij} = \left(A^{-1}\right)_{ij}"),
        (1 / A, "fᵢⱼ = 1 / Aᵢⱼ", r"{f}_{ij} = 1 / {A}_{ij}"),
        (A**-1, "fᵢⱼ = Aᵢⱼ⁻¹", r"{f}_{ij} = {A}_{ij}^{-1}"),
        (
            eg.adj(A),
            "fᵢⱼ = adj(A)ᵢⱼ",
            r"{f}_{ij} = \left(\operatorname{adj}\left(A\right)\right)_{ij}",
        ),
        (eg.det(A), "f = det(A)", r"f = \det\left(A\right)"),
    ],
)
def test_texts(f: eg.Expression, text: str, latex: str) -> None:
    assert f.to("index") == text
    assert format_latex_index(f.term) == latex
