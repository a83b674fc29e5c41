"""How many axes the names of a NumPy text have where nobody says it, and what becomes of sizes."""

import time

import numpy as np
import pytest

import eggrad as eg

# The names of vectors and of matrices; all others are scalars.
READINGS = {
    "x.T @ A @ x": "x A",
    "np.sum(np.exp(X @ w))": "X w",
    "2**x": "",
    "np.exp(x)": "",
    "x**2 + 3*x": "",
    "e**x": "",
    "np.exp(-(x - mu)**2 / (2*sigma**2))": "",
    "np.linalg.norm(A @ x - b)**2": "A x b",
    "0.5 * np.sum((y - X.dot(w))**2)": "X y w",
    "np.sum((X @ w - y)**2) + lam * np.sum(w**2)": "X w y",
    "np.mean((y - X @ w)**2)": "X y w",
    "np.sum((X @ w - y)**2) / N": "X w y",
    "np.sum((X @ w - y)**2) / (2*m)": "X w y",
    "np.log(1 + np.exp(-t * (x @ w)))": "x w",
    "np.sum(np.maximum(0, 1 - np.exp(x)))": "x",
    "W2 @ np.tanh(W1 @ x + b1) + b2": "W1 W2 x b1 b2",
    "np.tanh(X @ W + b)": "X W b",
    "x / np.linalg.norm(x)": "x",
    "np.exp(x) / np.sum(np.exp(x))": "x",
    "x - x.mean()": "x",
    "A - A.mean(axis=0)": "A",
    "np.trace(A @ B)": "A B",
    "A * B": "A B",
    "np.log(np.linalg.det(S))": "S",
    "x[1:] - x[:-1]": "x",
    "A[:, 0] @ x": "A x",
    "np.outer(u, v)": "u v",
    "u @ v / np.sqrt(u @ u)": "u v",
    "1 if t > 0 else 0": "",
    "np.sum(x**p)": "x",
    "r = X @ w - y\nr @ r": "X w y",
    "def loss(w):\n    return np.sum((X @ w - y)**2) + np.sum(w**2)": "X w y",
    "f = lambda u: u @ u\nf(x - z)": "x z",
    "np.einsum('ij,j->i', A, x)": "A x",
    "(1 - a)**2 + 100*(b - a**2)**2": "",
    "np.ones(len(x)) @ x": "x",
    "alpha * np.sum(x) + beta": "x",
    "gamma * np.log(q)": "",
    "I @ e": "I e",
}


@pytest.mark.parametrize("text", READINGS)
def test_the_only_reading_is_found(text: str) -> None:
    found = {v.name: v.order for v in eg.parse_numpy(text).variables}
    assert {n for n, order in found.items() if order} == {*READINGS[text].split()}
    assert all(order == (2 if name[0].isupper() else 1) for name, order in found.items() if order)


AMBIGUOUS = {
    "np.sum(x*y)": ["x a scalar, y a vector", "x a vector, y a scalar", "x a vector, y a vector"],
    "1/N * np.sum((X @ w - y)**2)": ["N a matrix, X a matrix", "N a scalar, X a matrix"],
    "np.sum(x * y * z)": ["and 3 more"],
}


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_several_readings_are_listed(text: str) -> None:
    with pytest.raises(eg.ParseError) as caught:
        eg.parse_numpy(text)
    assert caught.value.reason.startswith("declare the dims: this can be read with ")
    for reading in AMBIGUOUS[text]:
        assert reading in caught.value.reason


def test_what_cannot_be_read() -> None:
    with pytest.raises(eg.ParseError, match="declare the dims: where capital letters"):
        eg.parse_numpy("x @ c + x[0, 0, 0]")
    with pytest.raises(eg.ShapeError, match=r"column 21: @ of axes \(A_1, 3\) and \(2\)"):
        eg.parse_numpy("A @ np.ones((2, 3)) @ np.ones(2)")


def test_small_letters_are_matrices_where_nothing_else_can_be_read() -> None:
    rows = eg.parse_numpy("np.sqrt(np.sum(x*x, axis=1))")
    assert [v.order for v in rows.variables] == [2]


def test_many_names_are_not_tried_without_end() -> None:
    began = time.process_time()
    with pytest.raises(eg.ParseError, match="too many readings"):
        eg.parse_numpy(" * ".join(f"x{k}" for k in range(30)))
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("text", "dims", "shapes"),
    [
        ("A @ x - b", None, {"A": ("A_1", "A_2"), "x": ("A_2",), "b": ("A_1",)}),
        ("x @ S @ x", None, {"S": ("S_2", "S_2"), "x": ("S_2",)}),
        ("A @ x", {"A": (3, "n"), "x": (None,)}, {"A": (3, "n"), "x": ("n",)}),
        ("A @ x", {"A": 2, "x": 1}, {"A": ("A_1", "A_2"), "x": ("A_2",)}),
        ("T[0] @ x", {"T": ("k", "m", "n"), "x": 1}, {"T": ("k", "m", "n"), "x": ("n",)}),
        ("x + [1, 2, 3]", {"x": ("n",)}, {"x": (3,)}),
    ],
)
def test_sizes_become_what_they_meet(text: str, dims: object, shapes: object) -> None:
    f = eg.parse_numpy(text, dims)  # type: ignore[arg-type]
    assert {v.name: v.dims for v in f.variables} == shapes


def test_the_rest_of_the_names_is_declared_too() -> None:
    with pytest.raises(eg.UnknownVariable, match="no variable is called 'w'"):
        eg.parse_numpy("X @ w - y", {"X": ("m", "n"), "y": ("m",)})


def test_a_size_is_a_number_of_entries() -> None:
    f = eg.parse_numpy("np.sum(x) / n + np.ones(n - 1) @ x[1:]", {"x": ("n",)})
    assert float(f.evaluate({"x": [1, 2, 6]})) == 11


def test_variables_are_called_as_functions_are() -> None:
    dims = {"gamma": (), "beta": ("n",)}
    f = eg.parse_numpy("gamma * np.sum(beta)", dims)
    assert float(f.evaluate({"gamma": 2, "beta": [1, 2]})) == 6


def test_what_is_assumed() -> None:
    f = eg.parse_numpy("x @ S @ x", {"S": ("n", "n"), "x": ("n",)}, {"S": ["symmetric"]})
    assert eg.gradient(f, "x").to("matrix") == "2*S*x"
    assert eg.parse_numpy("x @ S @ x", assume="S: symmetric").variables[0].assumed == ("symmetric",)
    with pytest.raises(eg.EggradError, match="'Q' has no dims"):
        eg.parse_numpy("x @ x", assume={"Q": ["symmetric"]})


def test_functions_of_ones_own() -> None:
    cube = eg.function("cube", derivative=lambda a: 3 * a**2, evaluate=lambda a: a**3)
    f = eg.parse_numpy("np.sum(cube(x))", functions=[cube])
    assert float(f.evaluate({"x": [1.0, 2.0]})) == 9
    with pytest.raises(eg.ParseError, match="cube takes 1 arguments, not 2"):
        eg.parse_numpy("cube(x, x)", {"x": ("n",)}, functions=[cube])


def test_sums_are_pythons_where_numpys_have_a_prefix() -> None:
    values = {"A": np.arange(6.0).reshape(2, 3)}
    assert float(eg.parse_numpy("sum(A)", {"A": 2}).evaluate(values)) == 15
    along = eg.parse_numpy("sum(A) + 0*np.pi", {"A": 2})
    np.testing.assert_array_equal(along.evaluate(values), [3, 5, 7])
