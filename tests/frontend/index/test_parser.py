"""Index notation: what is written is read back, and what indices without a sum mean."""

import json
import re
import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.index.tokens import heads
from tests.support.places import DATA
from tests.support.random_expressions import random_expression

SIZES = {"m": 3, "n": 4}
FORMATS = json.loads((DATA / "formats.json").read_text("utf-8"))


def read_back(f: Expression) -> Expression:
    """What the text of an expression says; its own axes are declared as well."""
    text = f.to("index")
    known = f.variables
    dims: dict[str, Any] = {v.name: v.dims for v in known} | {heads(text)[-1]: f.shape}
    return eg.parse_index(text, dims, {v.name: v.assumed for v in known if v.assumed})


def assert_equal_values(f: Expression, g: Expression, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values: dict[str, Any] = {}
    for v in (*f.variables, *g.variables):
        shape = [d if isinstance(d, int) else SIZES.setdefault(d, 3) for d in v.dims]
        values.setdefault(v.name, rng.uniform(0.5, 1.5, shape))
        if "symmetric" in v.assumed:
            values[v.name] = values[v.name] @ values[v.name].T
    found = [e.evaluate({v.name: values[v.name] for v in e.variables}) for e in (f, g)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_is_read_back(seed: int) -> None:
    term, variable = random_expression(Random(seed), 12, kinked=seed % 2 == 0)
    f = expression(term, [variable])
    text = f.to("index")
    if re.search(r"δ(.)\1", text):
        # The trace of a delta may say nowhere how long its axis is.
        return
    g = read_back(f)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert_equal_values(f, g, seed)


@pytest.mark.parametrize("text", [f["to"]["index"] for f in FORMATS])
def test_what_the_formats_show_is_read(text: str) -> None:
    f = eg.parse_index(text) if "δ" not in text and " n" not in text else None
    if f is not None:
        assert len(heads(text)[-1]) > 0
        assert read_back(f).shape == f.shape


def einsum(spec: str, *names: str) -> Expression:
    return eg.einsum(spec, *(eg.variable(name, DIMS[name]) for name in names))


DIMS: dict[str, tuple[str, ...]] = {
    **{"A": ("m", "n"), "S": ("n", "n"), "T": ("n", "n", "n"), "x": ("n",), "y": ("m",), "c": ()},
    "my_var": ("n",),
}
SAME: dict[str, tuple[str, ...]] = {
    "A_ij x_j": ("ij,j->i", "A", "x"),
    "A_{ij} x_{j}": ("ij,j->i", "A", "x"),
    "A_{i, j} * x_j": ("ij,j->i", "A", "x"),
    "Aᵢⱼ xⱼ": ("ij,j->i", "A", "x"),
    "A^i_j x^j": ("ij,j->i", "A", "x"),
    r"\sum_{j} A_{ij} \, x_{j}": ("ij,j->i", "A", "x"),
    "sum_j A_ij x_j": ("ij,j->i", "A", "x"),
    "f_i = A_ij x_j": ("ij,j->i", "A", "x"),
    "S_ji": ("ij->ji", "S"),
    "f_ji = S_ij": ("ij->ji", "S"),
    "S_ii": ("ii->", "S"),
    "f_i = S_ii": ("ii->i", "S"),
    "T_iij": ("iij->j", "T"),
    "x_i my_var_i": ("i,i->", "x", "my_var"),
    "f_i = x_i my_var_i": ("i,i->i", "x", "my_var"),
    "(x_i my_var_i)_i": ("i,i->i", "x", "my_var"),
    "y_i x_j": ("i,j->ij", "y", "x"),
    "x_j y_i": ("j,i->ij", "x", "y"),
    "sum_i x_i S_ij": ("i,ij->j", "x", "S"),
    "f = sum_i x_j S_ij": ("j,ij->", "x", "S"),
}


@pytest.mark.parametrize("text", SAME)
def test_products_and_sums(text: str) -> None:
    f, g = eg.parse_index(text, DIMS), einsum(*SAME[text])
    assert f.shape == g.shape
    assert_equal_values(f, g, 0)


@pytest.mark.parametrize("sign", ["sum_", "Σ_", "∑_", r"\sum_"])
def test_explicit_sums_leave_the_other_indices_free(sign: str) -> None:
    f = eg.parse_index(f"{sign}j S_ij x_j x_i", DIMS)
    assert f.shape == ("n",)
    assert_equal_values(f, einsum("ij,j,i->i", "S", "x", "x"), 0)


def test_without_dims_indices_say_how_many_axes_there_are() -> None:
    f = eg.parse_index("x_i A_ij y_j + log(c)")
    assert {v.name: v.order for v in f.variables} == {"A": 2, "c": 0, "x": 1, "y": 1}


def test_the_left_side_declares_axes_that_nothing_else_does() -> None:
    f = eg.parse_index("f_ij = x_i", {"x": ("n",), "f": ("n", 3)})
    assert f.shape == ("n", 3)


def test_a_number_divided_by_zero_is_a_quotient() -> None:
    f = eg.parse_index("f_i = (1/0) x_i", DIMS)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(f.evaluate({"x": [1.0, -1.0]}), [np.inf, -np.inf])


def test_declared_functions_are_read() -> None:
    twice = eg.function("twice", derivative=lambda x: 2, evaluate=lambda x: 2 * x)
    f = eg.parse_index("twice(x_i)", {"x": ("n",)}, functions=[twice])
    np.testing.assert_array_equal(f.evaluate({"x": [1.0, 2.0]}), [2.0, 4.0])


def test_properties_are_those_of_the_variable() -> None:
    f = eg.parse_index("x_i S_ij x_j", {"x": ("n",), "S": ("m", "n")}, {"S": ["symmetric"]})
    assert eg.gradient(f, "x").thin.to("matrix") == "2*S*x"
