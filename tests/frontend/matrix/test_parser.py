"""The matrix language against NumPy."""

from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

DIMS: dict[str, tuple[str, ...]] = {
    "A": ("m", "n"),
    "B": ("m", "n"),
    "S": ("n", "n"),
    "x": ("n",),
    "y": ("m",),
    "c": (),
    "β_1": (),
}
SIZES = {"m": 3, "n": 4}
RNG = np.random.default_rng(0)
V = {name: RNG.random([SIZES[d] for d in dims]) + 0.1 for name, dims in DIMS.items()}
V["S"] += 3 * np.eye(4)
A, B, S, x, y, c, beta = V.values()

READINGS = {
    "A*x": A @ x,
    "A'*y": A.T @ y,
    "y'*A": y @ A,
    "x'*x": x @ x,
    "x*y'": np.outer(x, y),
    "(x*y')*y": np.outer(x, y) @ y,
    "y'*A*x": y @ A @ x,
    "A*B'": A @ B.T,
    "A'*B": A.T @ B,
    "A'*B'": None,
    "(B'*A)'": (B.T @ A).T,
    "S'": S.T,
    "S''": S,
    "S^T*x": S.T @ x,
    "Sᵀ*x": S.T @ x,
    "S^2": S @ S,
    "S^3*x": S @ S @ S @ x,
    "S^-1*x": np.linalg.inv(S) @ x,
    "S^-2": np.linalg.inv(S) @ np.linalg.inv(S),
    "c^2": c**2,
    "c^-1": 1 / c,
    "-c^2": -(c**2),
    "2^-c": 2**-c,
    "c^β_1": c**beta,
    "x.^2": x**2,
    "x.^-0.5": x**-0.5,
    "2.^x": 2**x,
    "x.^x": x**x,
    "-x.^2'*x": -(x**2) @ x,
    "A.*B": A * B,
    "A⊙B": A * B,
    "A ⊘ B": A / B,
    "S²": S @ S,
    "S⁻¹·x": np.linalg.inv(S) @ x,
    "c⁻²": c**-2,
    "-c²": -(c**2),
    "x⊙²": x**2,
    "A⊙⁻¹": 1 / A,
    "|c - 2|": abs(c - 2),
    "|c - |c - 3||": abs(c - abs(c - 3)),
    "|S|": np.linalg.det(S),
    "log|S|": np.log(np.linalg.det(S)),
    "log|S²| + log|c|": np.log(np.linalg.det(S @ S)) + np.log(abs(c)),
    "‖x‖": np.sqrt(x @ x),
    "‖x‖_1": np.sum(np.abs(x)),
    "‖A·x‖₂²": np.sum((A @ x) ** 2),
    "||A*x - y||_2^2 + 2*||x||_1": np.sum((A @ x - y) ** 2) + 2 * np.sum(np.abs(x)),
    "||A||_F^2 + || x ||": np.sum(A**2) + np.sqrt(x @ x),
    "||c| - 3|": abs(abs(c) - 3),
    "‖A·x - ‖y‖·y‖²": np.sum((A @ x - np.sqrt(y @ y) * y) ** 2),
    "∑(A)": A.sum(),
    "∑(A, 1)·x": A.sum(0) @ x,
    "√(c)": np.sqrt(c),
    "A.*(y*x')": A * np.outer(y, x),
    "A'.*B'": A.T * B.T,
    "A'.*(B'+1)": A.T * (B.T + 1),
    "A./B": A / B,
    "1./x": 1 / x,
    "1 ./ x": 1 / x,
    "2.*x": 2 * x,
    "x/2": x / 2,
    "x/c": x / c,
    "c*A": c * A,
    "A*c": A * c,
    "c*A'": c * A.T,
    "x + 1": x + 1,
    "1 - A": 1 - A,
    "x + c": x + c,
    "x' - c": x - c,
    "x + vector(1)": x + 1,
    "A + matrix(2)": A + 2,
    "S + c*eye(n)": S + c * np.eye(4),
    "S + eye": None,
    "vector(c, n)'*x": c * x.sum(),
    "A*ones(n)": A.sum(1),
    "ones(m, n) - zeros(m, n)": np.ones((3, 4)),
    "A*vector(1)": A.sum(1),
    "sin(x)": np.sin(x),
    "sinh(x) + cosh(x)": np.exp(x),
    "sqrt(c)": np.sqrt(c),
    "sigmoid(x')": 1 / (1 + np.exp(-x)),
    "softplus(-x)": np.log1p(np.exp(-x)),
    "relu(x - 0.5)": np.maximum(x - 0.5, 0),
    "max(x, 0.5)": np.maximum(x, 0.5),
    "min(A, B)": np.minimum(A, B),
    "abs(-x)": x,
    "exp(S)": np.exp(S),
    "logsumexp(x)": np.log(np.exp(x).sum()),
    "softmax(x)": np.exp(x) / np.exp(x).sum(),
    "softmax(x')*x": np.exp(x) @ x / np.exp(x).sum(),
    "norm1(x)": np.abs(x).sum(),
    "norm2(x)": np.linalg.norm(x),
    "norm2(A)^2": (A**2).sum(),
    "normF(A)": np.linalg.norm(A),
    "sum(A)": A.sum(),
    "sum(A, 1)": A.sum(0),
    "sum(A, 2)": A.sum(1),
    "sum(A, 1)*x": A.sum(0) @ x,
    "tr(S)": np.trace(S),
    "tr(A*B')": np.trace(A @ B.T),
    "det(S)": np.linalg.det(S),
    "logdet(S)": np.log(np.linalg.det(S)),
    "inv(S')": np.linalg.inv(S.T),
    "adj(S)/det(S)": np.linalg.inv(S),
    "diag(x)": np.diag(x),
    "diag(S)": np.diag(S),
    "diag(x')*x": x * x,
    "outer(x, y)": np.outer(x, y),
    "outer(x', y')": np.outer(x, y),
    "β_1*.5e1": beta * 5,
    "+x": x,
    " ( x ) ": x,
    "norm(A x - y)^2": np.sum((A @ x - y) ** 2),
    "2x + 2 c x": 2 * x + 2 * c * x,
    "x'Sx": x @ S @ x,
    "x' S x - 2y'Ax": x @ S @ x - 2 * y @ A @ x,
    "(A x)'(B x)": (A @ x) @ (B @ x),
    "A(x + x)": 2 * A @ x,
    "(Sx)'": S @ x,
    "x^T Sx": x @ S @ x,
    "c x'Sx^2": None,
    "A'A": A.T @ A,
    "S^-1x": np.linalg.inv(S) @ x,
    "y'Ax*Ax": y @ A @ x * (A @ x),
    "exp(x)'x": np.exp(x) @ x,
    "e^-c e.^x": np.exp(-c) * np.exp(x),
    "e^x": np.exp(x),
    "2pi c": 2 * np.pi * c,
    "log(e)": 1.0,
    "c·x \N{MINUS SIGN} x": c * x - x,
}


@pytest.mark.parametrize("text", [t for t, value in READINGS.items() if value is not None])
def test_value(text: str) -> None:
    value = evaluated(eg.parse_matrix(text, DIMS), V)
    np.testing.assert_allclose(value, READINGS[text], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("text", [t for t, value in READINGS.items() if value is None])
def test_what_does_not_fit(text: str) -> None:
    with pytest.raises(eg.ParseError):
        eg.parse_matrix(text, DIMS)


def test_one_spelling_of_a_vector_times_a_matrix() -> None:
    assert eg.parse_matrix("y'*A", DIMS) is eg.parse_matrix("A'*y", DIMS)


def test_properties_are_those_of_the_variable() -> None:
    S = eg.parse_matrix("S", {"S": ("n", "n")}, assume={"S": ["symmetric"]})
    assert S is eg.variable("S", ("n", "n"), assume=["symmetric"])


def test_a_scalar_called_t_is_an_exponent() -> None:
    assert float(eg.parse_matrix("c^T", {"c": (), "T": ()}).evaluate({"c": 2, "T": 3})) == 8
    transposed = eg.parse_matrix("A^T", {"A": ("m", "n"), "T": ("m", "n")})
    assert transposed.term is eg.parse_matrix("A'", {"A": ("m", "n")}).term


def test_deep_texts_are_read() -> None:
    assert eg.parse_matrix("(" * 3000 + "c" + ")" * 3000, DIMS) is eg.parse_matrix("c", DIMS)
    assert eg.parse_matrix(" + ".join(["c"] * 3000), DIMS).shape == ()


def test_a_name_is_split_where_no_variable_has_it() -> None:
    f = eg.parse_matrix("Ax", {"A": ("m", "n"), "x": ("n",), "Ax": ()})
    assert f.term is eg.variable("Ax").term
    f = eg.parse_matrix("x1A'x2", {"A": ("n", "m"), "x1": (), "x2": ("n",)})
    assert f is eg.parse_matrix("x1*A'*x2", {"A": ("n", "m"), "x1": (), "x2": ("n",)})


def test_e_and_pi_are_variables_where_they_are_declared() -> None:
    assert eg.parse_matrix("e'e", {"e": ("n",)}) is eg.parse_matrix("e'*e", {"e": ("n",)})
    assert eg.parse_matrix("pi e^2", {"pi": (), "e": ()}).evaluate({"pi": 2, "e": 3}) == 18


def test_long_products_without_signs_are_read() -> None:
    assert eg.parse_matrix("c " * 2000, DIMS) is eg.parse_matrix("*".join(["c"] * 2000), DIMS)
    assert eg.parse_matrix("c" * 2000, DIMS) is eg.parse_matrix("*".join(["c"] * 2000), DIMS)
    assert eg.parse_matrix("c(" * 2000 + "c" + ")" * 2000, DIMS).shape == ()


SQUARE = [
    ("x'*S*x", None),
    ("x'*S*x", {"x": ("n",), "S": ("m", "n")}),
    ("x'*S*x", {"x": 1, "S": 2}),
    ("x'*S*x", {"x": (None,), "S": (3, None)}),
]


@pytest.mark.parametrize(("text", "dims"), SQUARE)
def test_a_matrix_that_is_declared_symmetric_is_square(text: str, dims: Any) -> None:
    f = eg.parse_matrix(text, dims, assume={"S": ["positive definite"]})
    (S,) = (v for v in f.variables if v.name == "S")
    assert S.dims[0] == S.dims[1]
    assert eg.gradient(f, "x").thin.to("matrix") == "2*S*x"


def test_gradient_of_least_squares() -> None:
    f = eg.parse_matrix("norm2(A*x - y)^2", DIMS)
    gradient = evaluated(eg.gradient(f, "x"), V)
    np.testing.assert_allclose(gradient, 2 * A.T @ (A @ x - y), rtol=1e-12)


INFERRED: dict[str, dict[str, int]] = {
    "norm2(A*x - y)^2 + c*norm1(x)": {"A": 2, "c": 0, "x": 1, "y": 1},
    "x'*A*y": {"A": 2, "x": 1, "y": 1},
    "sum(log(1 + exp(-y.*(X*w))))": {"X": 2, "w": 1, "y": 1},
    "logdet(A + X'*X)": {"A": 2, "X": 2},
    "(x'*y)^2": {"x": 1, "y": 1},
    "t = A*x; t'*t": {"A": 2, "x": 1},
    "A^T*diag(x)*A^-1": {"A": 2, "x": 1},
    "c*softmax(x) + max(z, 0)": {"c": 0, "x": 1, "z": 1},
    "eye(3)*A + outer(x, y)": {"A": 2, "x": 1, "y": 1},
    "e'*e": {"e": 1},
    "e^(x'*x)": {"x": 1},
    "A x + 2pi y": {"A": 2, "x": 1, "y": 1},
}


@pytest.mark.parametrize("text", INFERRED)
def test_inference(text: str) -> None:
    f = eg.parse_matrix(text)
    assert {v.data[0]: v.order for v in f.variables} == INFERRED[text]


def test_inferred_sizes_are_called_after_variables() -> None:
    f = eg.parse_matrix("norm2(A*x - y)^2")
    assert [v.dims for v in f.variables] == [("y_1", "x_1"), ("x_1",), ("y_1",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c*x", "this can be read with c a scalar, x a scalar; c a scalar, x a column"),
        ("exp(x)", "x a scalar; x a column"),
        ("A + x*y", "where capital letters are matrices .* this cannot be read"),
        ("+".join(f"x{k}" for k in range(20)), "this can be read with"),
        ("a + b + c + d + e + 0*(a+b)", "this can be read with"),
    ],
)
def test_what_cannot_be_inferred(text: str, message: str) -> None:
    with pytest.raises(eg.ParseError, match=message):
        eg.parse_matrix(text)
