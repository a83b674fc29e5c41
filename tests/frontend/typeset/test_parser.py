"""LaTeX that we write is read back; names, dims and functions are what they are elsewhere."""

import json
from typing import Any

import pytest

import eggrad as eg
from tests.support.places import DATA

FORMATS = json.loads((DATA / "formats.json").read_text("utf-8"))
DIMS: dict[str, tuple[str, ...]] = {"A": ("m", "n"), "S": ("n", "n"), "x": ("n",), "c": ()}


def written() -> dict[str, str]:
    """The formulas in matrix notation that the formats show, by their text in LaTeX."""
    pairs = [(f["to"]["latex"], f["to"]["matrix"]) for f in FORMATS]
    return {latex: matrix for latex, matrix in pairs if "{f}_" not in latex}


@pytest.mark.parametrize("text", written())
def test_what_is_written_is_read_back(text: str) -> None:
    matrix = written()[text]
    dims: dict[str, Any] = {
        **{"A": ("m", "n"), "B": ("m", "n"), "S": ("n", "n"), "W_1": ("n", "n"), "x": ("n",)},
        **{"y": ("m",), "alpha": (), "C": ("k", "n"), "a": (), "z": ("n",)},
    }
    assert bool(eg.equivalent(eg.parse_latex(text, dims), eg.parse_matrix(matrix, dims)))


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        (r"x^T S x", "x'*S*x"),
        (r"x^{T} S x", "x'*S*x"),
        (r"x^\mathsf{T} S x", "x'*S*x"),
        (r"x^{\mathrm T} S x", "x'*S*x"),
        (r"x^\intercal S x", "x'*S*x"),
        (r"x^{\prime} S x", "x'*S*x"),
        (r"x' S x", "x'*S*x"),
        (r"\log(c)^2", "log(c)^2"),
        (r"\log c^2", "log(c^2)"),
        (r"\sin^2 c", "sin(c)^2"),
        (r"\log \det S^{-1}", "log(det(inv(S)))"),
        (r"\sin c \cos c", "sin(c)*cos(c)"),
        (r"x \odot A^\top A x", "x.*(A'*A*x)"),
        (r"x^{\odot 2} \oslash x", "x.^2./x"),
        (r"\tfrac12 c", "0.5*c"),
        (r"\frac c2", "c/2"),
        (r"c^23", None),
        (r"2\,c \; c ~ c \quad c", "2*c*c*c*c"),
        (r"\mathbf{1}_{n \times n} x", "ones(n, n)*x"),
        (r"\mathbf 0_n + x", "zeros(n) + x"),
        (r"I_{n \times n} x", "eye(n)*x"),
        (r"n c", "size(n)*c"),
        (r"e^{-c} + e", "exp(-c) + e"),
        (r"\{[(c)]\}", "c"),
        (r"\Bigl\{ c \Bigr\}", "c"),
        (r"|{-c}|", "abs(-c)"),
        (r"| |c| - 1 |", "abs(abs(c) - 1)"),
        (r"\max_i x_i + \max(c, 2)", "max(x) + max(c, 2)"),
        (r"\log_{10} c", "log(c)/log(10)"),
        (r"\sum_{i=1}^{2} x_i", "x[1] + x[2]"),
        (r"\sum_i x_i \sum_j x_j", "sum(x)^2"),
        (r"\sum_i (Ax)_i^2", "norm2(A*x)^2"),
        (r"\sum_i S_{ii}", "tr(S)"),
        (r"\sum_{ij} S_{ij}^2", "norm2(S)^2"),
    ],
)
def test_notation(text: str, matrix: str | None) -> None:
    if matrix is None:
        with pytest.raises(eg.ParseError):
            eg.parse_latex(text, DIMS)
    else:
        left, right = eg.parse_latex(text, DIMS), eg.parse_matrix(matrix, DIMS)
        assert left is right or bool(eg.equivalent(left, right)), (str(left), str(right))


def test_names() -> None:
    dims = {"W_1": (), "b2": (), "x_max": (), "y_hat": (), "loss": (), "alpha": (), "β": ()}
    text = r"W_1 + b_{2} + x_{\mathrm{max}} + \hat{y} + \mathrm{loss} + \alpha + \beta"
    f = eg.parse_latex(text, dims)
    assert {v.name for v in f.variables} == {*dims}


def test_sigma_is_the_logistic_function_where_no_variable_has_the_name() -> None:
    assert eg.parse_latex(r"\sigma(c)", {"c": ()}) is eg.parse_matrix("sigmoid(c)", {"c": ()})
    with pytest.raises(eg.ParseError, match="a product, or the logistic function"):
        eg.parse_latex(r"\sigma(c)", {"c": (), "sigma": ()})
    product = eg.parse_latex(r"\sigma \cdot (c)", {"c": (), "sigma": ()})
    assert product is eg.parse_matrix("sigma*c", {"c": (), "sigma": ()})


def test_e_and_pi_are_variables_where_they_are_declared() -> None:
    f = eg.parse_latex(r"e^2 \pi", {"e": (), "pi": ()})
    assert f is eg.parse_matrix("e^2*pi", {"e": (), "pi": ()})


def test_declared_functions_are_read() -> None:
    twice = eg.function("twice", derivative=lambda x: 2, evaluate=lambda x: 2 * x)
    f = eg.parse_latex(r"\operatorname{twice}(x)^\top x", {"x": ("n",)}, functions=[twice])
    assert float(f.evaluate({"x": [1.0, 2.0]})) == 10


def test_properties_make_matrices_square() -> None:
    dims = {"x": ("n",), "S": ("m", "n")}
    f = eg.parse_latex(r"x^\top S x", dims, {"S": ["positive definite"]})
    assert eg.gradient(f, "x").thin.to("latex") == "2 S x"
