"""Fractions in lowest terms: their texts, and their values by NumPy."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.networks.fractions import in_lowest_terms
from eggrad.engine.terms.term import Term
from eggrad.rules.standard import STANDARD, system

DIMS = {"a": (), "b": (), "c": (), "x": ("n",), "y": ("n",)}
VALUES = {"a": 0.7, "b": 1.3, "c": 2.1}
VALUES |= {"x": np.array([0.3, 0.6, 1.7]), "y": np.array([2.1, 1.1, 0.4])}

# What a fraction is, and the shortest text.
LOWEST = [
    ("1/(1 + a/b)/b", "1/(a + b)"),
    ("a/b - (a - b)/b", "1"),
    ("(a^2 - b^2)/(a - b) + c/(a - b) - c/(a - b)", "a + b"),
    ("4*x.^2./(1 - x.^2).^2 + 2./(1 - x.^2)", "2*(1 + x.^2)./(1 - x.^2).^2"),
    ("(2*(y - x) - (x - y).^2./y)./y", "1 - x.^2./y.^2"),
    ("(a^2 - a*b)/(a - b)", "a"),
    ("a/(a + b) + b/(a + b)", "1"),
    ("c*x./(c + c*x)", "x./(1 + x)"),
]


@pytest.mark.parametrize(("text", "shortest"), LOWEST)
def test_lowest_terms(text: str, shortest: str) -> None:
    f = eg.parse_matrix(text, DIMS)
    found = f.to("matrix")
    again = eg.parse_matrix(found, DIMS)
    assert len(found) <= len(shortest)
    used = {v.name for v in again.variables}
    known = {n: v for n, v in VALUES.items() if n in used}
    reference = eval(
        text.replace(".^", "**").replace("^", "**").replace(".*", "*").replace("./", "/"),
        {**VALUES},
    )
    np.testing.assert_allclose(again.evaluate(known), reference)


def found_in(term: Term) -> list[Term]:
    explored = system(STANDARD).explore([term], [CostModel()], purpose="choose")
    return [t for _, t in in_lowest_terms(explored.graph)]


def test_nothing_is_found_where_nothing_is_divided() -> None:
    assert not found_in(eg.parse_matrix("(a + b)*(a - c)", DIMS).term)


def test_it_is_looked_for_once() -> None:
    term = eg.parse_matrix("1/(1 + a/b)", DIMS).term
    graph = system(STANDARD).explore([term], [CostModel()], purpose="choose").graph
    assert list(in_lowest_terms(graph))
    assert not list(in_lowest_terms(graph))
