"""Indexing in matrix notation, there and back, and what vec and kron make."""

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

DIMS = {"A": ("m", "n"), "x": ("n",), "y": ("m",), "B": (3, 4), "C": (2, 2), "c": ()}
RNG = np.random.default_rng(3)
VALUES = {
    **{"A": RNG.normal(size=(3, 5)), "x": RNG.normal(size=5), "y": RNG.normal(size=3)},
    **{"B": RNG.normal(size=(3, 4)), "C": RNG.normal(size=(2, 2)), "c": 0.3},
}
A, x, y, B, C, c = (np.asarray(VALUES[name]) for name in "AxyBCc")

# The text, its value, and how it is written.
TEXTS: list[tuple[str, object, str]] = [
    ("A[1,2]", A[0, 1], "A[1,2]"),
    ("A[ 2 , : ]", A[1], "A[2,:]'"),
    ("A[:,2]", A[:, 1], "A[:,2]"),
    ("x[3]", x[2], "x[3]"),
    ("x[2:4]", x[1:4], "x[2:4]"),
    ("x'[3]", x[2], "x[3]"),
    ("A[1:2,:]", A[:2], "A[1:2,:]"),
    ("B[2:3,1]", B[1:3, 0], "B[2:3,1]"),
    ("B[1,2:3]", B[0, 1:3], "B[1,2:3]'"),
    ("A[1,:]*x", A[0] @ x, "A[1,:]*x"),
    ("A*A[1,:]'", A @ A[0], "A*A[1,:]'"),
    ("(A*x)[2]", A[1] @ x, "A[2,:]*x"),
    ("A'[1,:]", A[:, 0], "A[:,1]"),
    ("x[1]*y + A[:,1]", x[0] * y + A[:, 0], "x[1]*y + A[:,1]"),
    ("c*unit(2, n)", c * np.eye(5)[1], "c*unit(2, n)"),
    ("unit(1, m)*x'", np.outer(np.eye(3)[0], x), "unit(1, m)*x'"),
    ("A*unit(2)", A[:, 1], "A[:,2]"),
    ("exp(x[1:2])'*C", np.exp(x[:2]) @ C, "C'*exp(x[1:2])"),
]


@pytest.mark.parametrize(("text", "value", "written"), TEXTS, ids=[t for t, *_ in TEXTS])
def test_there_and_back(text: str, value: object, written: str) -> None:
    found = eg.parse_matrix(text, DIMS)
    np.testing.assert_allclose(evaluated(found, VALUES), value, rtol=1e-12)
    assert found.to("matrix") == written
    again = eg.parse_matrix(written, DIMS)
    np.testing.assert_allclose(evaluated(again, VALUES), value, rtol=1e-12)
    assert again.to("matrix") == written


@pytest.mark.parametrize(
    ("text", "wrt", "written"),
    [
        ("A[1,2]", "A", "unit(1, m)*unit(2, n)'"),
        ("x[3]^2", "x", "2*unit(3, n)*unit(3, n)'*x"),
        ("(A*x)[2]", "x", "A[2,:]'"),
        ("(A*x)[2]", "A", "unit(2, m)*x'"),
        ("norm2(A[:,1] - y)^2", "y", "2*(y - A[:,1])"),
        ("norm2(A[:,1] - y)^2", "A", "2*(A[:,1] - y)*unit(1, n)'"),
    ],
)
def test_gradients(text: str, wrt: str, written: str) -> None:
    found = eg.gradient(eg.parse_matrix(text, DIMS), wrt).to("matrix")
    value = evaluated(eg.parse_matrix(found, DIMS), VALUES)
    np.testing.assert_allclose(value, evaluated(eg.parse_matrix(written, DIMS), VALUES), rtol=1e-12)
    assert len(found) <= len(written)


def test_kinds_without_dims() -> None:
    assert eg.parse_matrix("A[1,:]*x + y[2]").shape == ()
    assert eg.parse_matrix("A[:,1] + y").variables[1].order == 1


def test_vec_and_kron() -> None:
    vec = eg.parse_matrix("vec(B)", DIMS)
    assert (evaluated(vec, VALUES) == B.T.ravel()).all()
    kron = eg.parse_matrix("kron(B, C)", DIMS)
    np.testing.assert_allclose(evaluated(kron, VALUES), np.kron(B, C))
    gradient = eg.gradient(eg.parse_matrix("norm2(kron(B, C))^2", DIMS), "C")
    np.testing.assert_allclose(evaluated(gradient, VALUES), 2 * (B**2).sum() * C)
    # As many operations as 2 |B|² C by hand, and not those of a product of 12 by 4.
    assert gradient.cost({}) < 40


SYMBOLIC = {"A": ("m", "m"), "X": ("n", "n"), "B": ("m", "n"), "C": ("m", "n"), "x": ("n",)}
NUMBERS = {"m": 3, "n": 2}


@pytest.mark.parametrize(
    "text",
    [
        "tr(kron(A, X))",
        "tr(kron(A, X)'*kron(A, kron(X, 2)))",
        "vec(B)'*vec(C)",
        "norm2(vec(B) - 2*vec(C))^2",
        "vec(B)'*kron(X, A)*vec(B)",
        "vec(A*B*X')'*vec(C) - vec(C)'*(kron(X, A)*vec(B))",
        "sum(exp(kron(A, B)).*kron(A, B))",
        "tr(outer(vec(B), vec(C)))",
        "vec(kron(A, X))'*vec(kron(A, X))",
        "kron(x, x)'*kron(X, X)*kron(x, x)",
        "kron(x', B)*kron(x, x)",
        "logsumexp(vec(B'))",
        "t = vec(B); t'*t/sum(t)",
        "kron(x, 2)'*x",
    ],
)
def test_vec_and_kron_of_symbolic_sizes(text: str) -> None:
    rng = np.random.default_rng(0)
    values = {name: rng.normal(size=[NUMBERS[d] for d in own]) for name, own in SYMBOLIC.items()}
    numbers = {name: tuple(NUMBERS[d] for d in own) for name, own in SYMBOLIC.items()}
    found, expected = (eg.parse_matrix(text, dims) for dims in (SYMBOLIC, numbers))
    np.testing.assert_allclose(evaluated(found, values), evaluated(expected, values), atol=1e-12)


def test_latex() -> None:
    assert eg.parse_matrix("A[1,:]*x", DIMS).to("latex") == "{A}_{1,:} x"
    assert eg.parse_matrix("2*unit(1, n)", DIMS).to("latex") == "2 e_{1}"
