"""Formulas of the page: their notation is seen, their sizes are found out or guessed."""

import pytest

from eggrad.engine.errors import EggradError, ParseError
from eggrad.frontend.page.reading import detected, read


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("norm2(A*x - y)^2", "matrix"),
        ("x_1 + x_2", "matrix"),
        ("A⁻¹·x", "latex"),
        (r"\frac12 \|Xw - y\|_2^2", "latex"),
        ("x^{2}", "latex"),
        ("$x + y$", "latex"),
        ("x_i A_ij x_j", "index"),
        ("Aᵢⱼ xⱼ", "index"),
        ("sum_j A_ij x_j", "index"),
        ("declare x 1 expression sin(x)", "einsum"),
        ("expression 1 + 1", "einsum"),
        ("f[i<N] = sum{k<K} (x[i + k] * w[k])", "elementwise"),
        ("x[3]*x[4]", "matrix"),
        ('{"format": "eggrad expression 1"}', "json"),
    ],
)
def test_notations_are_told_apart(text: str, notation: str) -> None:
    assert detected(text) == notation


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("norm2(A*x - y)^2 + c*norm1(x)", {"A": ("m", "n"), "x": ("n",), "y": ("m",), "c": ()}),
        ("sin(x)", {"x": ()}),
        ("a*x^2 + b*x + c", {"a": (), "x": (), "b": (), "c": ()}),
        (r"\sin x", {"x": ()}),
        (r"c \mathbf{x}", {"c": (), "x": ("n",)}),
        (r"(x - \mu)^\top \Sigma^{-1} (x - \mu)", {"x": "n", "mu": "n", "Sigma": ("n", "n")}),
        (r"\sum_{i=1}^N y_i w^\top X_i", {"y": "N", "w": "n", "X": ("N", "n")}),
        (r"\sum_{i=1}^N (y_i - w^\top x_i)^2", {"y": "N", "w": "n", "x": ("N", "n")}),
        (r"\frac12 ‖A x - b‖_2^2", {"A": ("m", "n"), "x": "n", "b": "m"}),
        ("||A x - b||^2", {"A": ("m", "n"), "x": "n", "b": "m"}),
        ("x_i A_ij y_j", {"x": "m", "A": ("m", "n"), "y": "n"}),
        ("f[i<N] = sum{k<K} (x[i + k] * w[k])", {"x": ("K + N - 1",), "w": ("K",)}),
        ("f[i<3; j<4] = exp (x[i + j])", {"x": (6,)}),
        ("m*x'*x", {"m": (), "x": ("n",)}),
        ("n*(x'*A*y)", {"n": (), "x": "m", "A": ("m", "k"), "y": "k"}),
        (r"w^T x + b", {"w": "n", "x": "n", "b": ()}),
        (r"\log(1+e^{-yw^Tx})", {"y": (), "w": "n", "x": "n"}),
        (r"x^T g", {"x": "n", "g": "n"}),
        ("x - mean(x)", {"x": "n"}),
        ("A'*A + lambda*I", {"A": ("m", "n"), "lambda": ()}),
        (r"\|\mathbf{Ax} - \mathbf{b}\|_2^2", {"A": ("m", "n"), "x": "n", "b": "m"}),
        (r"\min_{w} \frac{1}{2}\|w\|^2 + C\sum_i \xi_i", {"w": "m", "C": (), "xi": "n"}),
        ("C*sum(max(0, x))", {"C": (), "x": "n"}),
        (r"N_0 e^{-\lambda t}", {"N_0": (), "lambda": (), "t": ()}),
        ("G m M/r^2", {"G": (), "m": (), "M": (), "r": ()}),
        ("|A||B|", {"A": ("m", "m"), "B": ("n", "n")}),
        ("expm(A)", {"A": ("n", "n")}),
        (r"\theta_0 + \theta_1 x", {"theta_0": (), "theta_1": (), "x": ()}),
        ("x_max - x_min", {"x_max": (), "x_min": ()}),
        (r"\max(0,x)^2", {"x": ()}),
        ("x · Ax", {"x": "n", "A": ("n", "n")}),
        (r"A\b", {"A": ("n", "n"), "b": "n"}),
        ("sum(abs2, X*w - y)", {"X": ("m", "n"), "w": "n", "y": "m"}),
        ("g^{ij} A_i B_j", {"g": ("m", "n"), "A": "m", "B": "n"}),
        (r"k_{\nu=3/2}(r) = 1 + r/\ell", {"r": (), "ell": ()}),
        (r"\frac1n\sum_{i=1}^n \sum_{k=1}^K y_{ik} \log\hat{y}_{ik}", {"y": "nK", "y_hat": "nK"}),
        (
            r"J(\theta) = \sum_i (\theta^T x^{(i)} - y^{(i)})^2",
            {"theta": "m", "x": ("n", "m"), "y": "n"},
        ),
    ],
)
def test_axes_that_nobody_has_said(text: str, axes: dict[str, tuple[object, ...]]) -> None:
    found = read(text, "detect", {}, {})
    assert {v.name: v.dims for v in found.variables} == {n: tuple(d) for n, d in axes.items()}


@pytest.mark.parametrize(
    "text",
    [
        "e^{At}",
        "A^{1/2}",
        "2^A",
        "A/B",
        "norm(A, 2)",
        r"\|A\|_\infty",
        "tr(A) + B",
        "sum(x^2)",
        "(xtAx)/(xtx)",
        "dy/dx",
        "x''",
        "cosx + sinx",
        r"\sum_k k x_k",
        "W^{[2]} x",
        "x^2_1 + x^2_2",
        "1^T x",
        "x^T [1,2]",
    ],
)
def test_what_may_mean_something_else_is_not_guessed(text: str) -> None:
    with pytest.raises(EggradError):
        read(text, "detect", {}, {})


def test_names_that_are_declared_are_no_guesses() -> None:
    dims = {"X": ("m", "n"), "w": ("n",), "b": ()}
    assert read("sum(X*w + b)", "detect", dims, {}).problem.term.dims == ()


def test_sizes_that_are_said_are_kept_and_others_follow() -> None:
    found = read("norm2(A*x - y)^2", "detect", {"A": (3, "n")}, {})
    assert {v.name: v.dims for v in found.variables} == {"A": (3, "n"), "x": ("n",), "y": (3,)}
    assert found.guessed


def test_sizes_of_a_formula_that_was_changed_do_no_harm() -> None:
    found = read("sin(y)", "detect", {"x": ("n",), "y": ("k",)}, {})
    assert {v.name: v.dims for v in found.variables} == {"y": ("k",)}


def test_words_make_a_matrix_square() -> None:
    found = read("tr(S*A)", "detect", {}, {"S": ["symmetric"]})
    assert {v.name: v.dims for v in found.variables} == {"S": ("n", "n"), "A": ("n", "n")}


def test_many_names_are_guessed_in_bounded_time() -> None:
    names = [f"{c}{k}" for c in "abcdefgh" for k in range(9)]
    with pytest.raises(ParseError):
        read("*".join(names) + " + A + norm(x)*B", "latex", {}, {})
