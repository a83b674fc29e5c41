"""Compiled functions that hold values against what was declared."""

import pickle

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

n2 = ("n", "n")
S = eg.variable("S", n2, ["positive definite"])
x = eg.variable("x", ("n",), ["positive"])
f = x @ eg.inv(S) @ x + eg.log(eg.det(S))
GOOD = {"S": np.array([[2.0, 1.0], [1.0, 3.0]]), "x": np.array([1.0, 2.0])}


@pytest.mark.parametrize("structure", ["dense", "factored"])
def test_good_values_give_the_same_results(structure: str) -> None:
    roots = [f, eg.gradient(f, S), eg.gradient(f, x)]
    plain = eg.compile(roots, structure=structure)(**GOOD)
    checked = eg.compile(roots, structure=structure, check=True)(**GOOD)
    assert len(plain) == len(checked) == 3
    for a, b in zip(plain, checked, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("S", -np.eye(2), "positive definite"),
        ("S", np.array([[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
        ("S", np.zeros((2, 2)), "positive definite"),
        ("S", np.array([[1.0, 2.0], [3.0, 9.0]]), "symmetric"),
        ("S", np.full((2, 2), np.nan), "symmetric"),
        ("x", np.array([1.0, 0.0]), "positive"),
        ("x", [1, -1], "positive"),
    ],
)
@pytest.mark.parametrize("way", ["compile", "list", "factored", "evaluate"])
def test_what_does_not_fit_is_refused(name: str, value: object, word: str, way: str) -> None:
    values = GOOD | {name: value}
    calls = {
        "compile": lambda: eg.compile(f, check=True)(**values),
        "list": lambda: eg.compile([f, eg.gradient(f, x)], check=True)(**values),
        "factored": lambda: eg.compile(f, structure="factored", check=True)(**values),
        "evaluate": lambda: f.evaluate(values, check=True),
    }
    with pytest.raises(eg.AssumptionViolated) as found:
        calls[way]()
    assert (found.value.variable, found.value.property) == (name, word)
    assert pickle.loads(pickle.dumps(found.value)).args == found.value.args


def test_without_a_check_nothing_is_tested() -> None:
    assert eg.compile(x.sum())(x=[-1.0, 2.0]) == 1.0
    assert type(eg.compile(f)) is not type(eg.compile(f, check=True))


def test_a_checked_function_is_called_as_another_one() -> None:
    checked = eg.compile(f, check=True)
    assert checked.parameters == eg.compile(f).parameters
    assert "cholesky" in checked.source
    by_place = checked(*(GOOD[name] for name in checked.parameters))
    assert by_place == pickle.loads(pickle.dumps(checked))(**GOOD) == checked(**GOOD)
    with pytest.raises(eg.ShapeError):
        checked(S=np.ones((2, 3)), x=[1.0, 1.0])
    with pytest.raises(eg.UnknownVariable):
        checked(S=np.eye(2))


def test_empty_matrices_fit() -> None:
    assert eg.compile(f, check=True)(S=np.zeros((0, 0)), x=np.zeros(0)) == 0
    assert f.evaluate({"S": np.zeros((0, 0)), "x": np.zeros(0)}, check=True) == 0


def test_a_variable_that_is_gone_is_tested_where_it_fixes_a_size() -> None:
    slope = eg.gradient(x @ S @ x, S)
    assert evaluated(slope, GOOD, check=True).shape == (2, 2)
    with pytest.raises(eg.AssumptionViolated):
        slope.evaluate(GOOD | {"x": [-1.0, 2.0]}, check=True)


def test_other_backends_have_no_check() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="numpy"):
        eg.compile(f, backend="array_api", check=True)
