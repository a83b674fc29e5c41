"""The formula of every product that two operands of at most two axes can have."""

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.indices.spec import Indices
from eggrad.engine.oracle.oracle import value
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.formats import format_unchanged
from eggrad.frontend.printing.matrix import has_notation

SIZES = {"k": 2, "m": 3, "n": 4}
LETTERS = "kmn"
# Declares the sizes.
SCOPE = {letter.upper(): (letter,) for letter in LETTERS}


def operands(name: str, part: Indices) -> Iterator[Term]:
    """A variable, ones, and for two axes of one size the unit matrix."""
    dims = tuple(LETTERS[i] for i in part)
    yield terms.variable(name, dims)
    yield terms.constant(1, dims)
    if len(dims) == 2 and dims[0] == dims[1]:
        yield terms.delta(dims[:1])


PARTS = [part for order in range(3) for part in product(range(3), repeat=order)]


def shape(v: Term) -> tuple[int, ...]:
    return tuple(SIZES[str(d)] for d in v.dims)


def outputs(used: set[int]) -> Iterator[Indices]:
    for order in range(3):
        yield from permutations(sorted(used), order)


def products(first: Indices) -> Iterator[Term]:
    """All products of a first operand, alone and with any other."""
    for a in operands("A", first):
        for out in outputs({*first}):
            yield terms.einsum((first, out), a)
        for second in PARTS:
            for b in operands("B", second):
                for out in outputs({*first, *second}):
                    yield terms.einsum((first, second, out), a, b)


@pytest.mark.parametrize("first", PARTS, ids=lambda p: "".join(LETTERS[i] for i in p) or "scalar")
def test_products_are_written_as_what_they_are(first: Indices) -> None:
    rng = np.random.default_rng(1)
    for term in products(first):
        assert has_notation(term)
        variables = {v.name: v for v in terms.variables(term)}
        text = format_unchanged("matrix", term, ())
        again = eg.parse_matrix(text, SCOPE | {name: v.dims for name, v in variables.items()})
        values = {name: rng.normal(size=shape(v)) for name, v in variables.items()}
        found, wanted = (value(t, values, SIZES) for t in (again.term, term))
        np.testing.assert_allclose(found, wanted, err_msg=text)


VALUES = {
    **{name: np.random.default_rng(k).uniform(0.5, 1.5, (3, 3)) for k, name in enumerate("ABC")},
    **{name: np.random.default_rng(k).uniform(0.5, 1.5, 3) for k, name in enumerate("xyp")},
    **{"c": 0.7, "d": 1.3},
}


def texts(text: str) -> dict[str, str]:
    dims = {name: ("n",) * np.ndim(v) for name, v in VALUES.items()}
    f = eg.parse_matrix(text, dims)
    found = {language: f.to(language) for language in ("matrix", "unicode", "latex")}
    for language, read in (("unicode", eg.parse_matrix), ("latex", eg.parse_latex)):
        again = read(found[language], dims)
        known = {n: v for n, v in VALUES.items() if n in {v.name for v in again.variables}}
        np.testing.assert_allclose(
            again.evaluate(known),
            f.evaluate({n: v for n, v in VALUES.items() if n in {v.name for v in f.variables}}),
        )
    return found


# Matrix notation, Unicode, LaTeX.
WRITTEN = [
    ("0.5*c*x'*x", "0.5*c*x'*x", "½·c·xᵀ·x", r"\frac{1}{2} c x^\top x"),
    ("0.75*c", "0.75*c", "¾·c", r"\frac{3}{4} c"),
    ("0.1*c", "0.1*c", "0.1·c", "0.1 c"),
    ("c^1.5*d", "c^1.5*d", "c^(3/2)·d", "c^{3/2} d"),
    ("c/d^2/2", "c/(2*d^2)", "c/(2·d²)", r"\frac{c}{2 d^{2}}"),
    ("c/d^2/(c + d)", "c/(d^2*(c + d))", "c/(d²·(c + d))", r"\frac{c}{d^{2} \left(c + d\right)}"),
    ("(2*pi)^3*c", "(2*pi)^3*c", "(2·π)³·c", r"\left(2 \pi\right)^{3} c"),
    ("c/(2*pi)", "c/(2*pi)", "c/(2·π)", r"\frac{c}{2 \pi}"),
    ("log(pi^2/6)*c", "c*log(pi^2/6)", "c·log(π²/6)", r"c \log\left(\frac{\pi^{2}}{6}\right)"),
    ("inv(A)'*x", "inv(A)'*x", "A⁻¹ᵀ·x", r"A^{-\top} x"),
    ("A*(B*(C*x))", "A*(B*(C*x))", "A·(B·(C·x))", r"A \left(B \left(C x\right)\right)"),
    ("A*(B*(C*c))", "c*A*B*C", "c·A·B·C", "c A B C"),
    ("x*(x'*y)", "x'*y*x", "xᵀ·y·x", r"x^\top y x"),
    ("norm1(x)*c", "c*norm1(x)", "c·‖x‖₁", r"c \left\lVert x \right\rVert_1"),
    ("sum(A.*B', 2)", "diag(A*B)", "diag(A·B)", r"\operatorname{diag}\left(A B\right)"),
    ("x - (y - p)", "x + p - y", "x + p \N{MINUS SIGN} y", "x + p - y"),
]


@pytest.mark.parametrize(("text", "matrix", "unicode", "latex"), WRITTEN)
def test_what_people_write(text: str, matrix: str, unicode: str, latex: str) -> None:
    assert texts(text) == {"matrix": matrix, "unicode": unicode, "latex": latex}


def test_a_variable_that_is_called_pi() -> None:
    """It is no number: that has its digits then."""
    f = eg.variable("pi") * np.pi
    assert f.to("matrix") == "3.141592653589793*pi"


def test_what_is_written_by_a_name() -> None:
    x = eg.variable("x", ("n",))
    assert np.sort(x).to("matrix") == "sort(x)"
    assert np.cumsum(x**2).to("latex") == r"\operatorname{cumsum}\left(x^{\odot 2}\right)"
    assert eg.gradient(np.sum(np.maximum(x, 0)), x).to("matrix") == "0.5*(1 + sign(x))"
    assert eg.gradient(np.sum(eg.relu(x)), x).to("latex") == r"\left[x > 0\right]"
