"""Expressions in JSON: what is read, and what is said of texts that are none."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.terms.term import cofactors, variable
from eggrad.frontend.text.json_nodes import format_json, read_json

x = eg.variable("x", ("n",))
A = eg.variable("A", ("n", "n"), ["positive definite"])


def placed(**changes: Any) -> dict[str, Any]:
    """What `x` is in JSON, with other parts."""
    whole: dict[str, Any] = json.loads(x.to("json"))
    whole["nodes"][0] |= changes
    return whole


@pytest.mark.parametrize(
    "f",
    [
        eg.inv(A) @ x / 3,
        x[1:] - x[:-1],
        np.array([[np.nan, np.inf], [-np.inf, 0.1]]) @ eg.variable("w", (2,)),
        np.array(np.zeros((0, 3))) @ eg.variable("w", (3,)),
        eg.max(A, axis=1) * x.shape[0],
        x * 10**5000 + Fraction(1, 7),
        eg.gradient(eg.sum(x), x),
        eg.derivative(x * x, x),
        eg.variable('"\\\n\u2028', ("two words", 3)),
        eg.where(x > 0, eg.sin(x), x**x),
    ],
)
def test_what_is_read_is_the_same_expression(f: eg.Expression) -> None:
    again = eg.parse_json(f.to("json"))
    assert again is f.thin
    assert again.scope == f.thin.scope
    assert json.loads(f.to("json"))["format"] == "eggrad expression 1"


def test_derivatives_of_determinants() -> None:
    term = cofactors(2, variable("X", ("n", "n")))
    assert read_json(format_json(term))[0] is term


def test_deep_expressions() -> None:
    deep = x
    for _ in range(3000):
        deep = np.sin(deep)
    assert eg.parse_json(deep.to("json")) is deep


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "no JSON"),
        ("{]", 2, "no JSON"),
        ('{"format": 1', 13, "no JSON"),
        ("[" * 100_000, 1, "nested too deep"),
        ("[]", 1, "an object with the keys format, nodes, root, scope"),
        ('{"format": "eggrad expression 1", "nodes": []}', 1, "the key 'root' is missing"),
        ('{"format": "a", "format": "b"}', 1, "the key 'format' is there twice"),
        ('{"format": NaN}', 1, "JSON has no number NaN"),
    ],
)
def test_what_is_no_json(text: str, column: int, reason: str) -> None:
    with pytest.raises(eg.ParseError, match=reason) as error:
        eg.parse_json(text)
    assert error.value.column == column


@pytest.mark.parametrize(
    ("changes", "shown", "reason"),
    [
        ({"op": "eval"}, '"eval"', "no operation 'eval'"),
        ({"op": 1}, "1", "a text is expected"),
        ({"op": "sigmoid"}, '"sigmoid"', "no operation 'sigmoid'"),
        ({"more": 1}, "1", "the keys are op, data, args, dims, not 'more'"),
        ({"data": None}, "null", "an object with the keys name, assume"),
        ({"data": {"name": 3, "assume": []}}, "3", "a text is expected"),
        ({"args": [0]}, "[0]", "the number of a node"),
        ({"args": [True]}, "[true]", "an integer is expected"),
        ({"dims": [1.5]}, "[1.5]", "a size is a name or an integer"),
        ({"dims": [-1]}, "{", "node 0: a size is a name or an integer"),
        ({"dims": ["n + n"]}, '["n + n"]', "variable has the dims"),
        ({"op": "constant", "data": "1/0"}, '"1/0"', "a constant is a fraction"),
        ({"op": "constant", "data": "0x1"}, '"0x1"', "a constant is a fraction"),
        ({"op": "array", "data": [1], "dims": [2]}, "[1]", "1 numbers do not fill"),
        ({"op": "array", "data": ["one"], "dims": [1]}, '"one"', "a number is expected here"),
        ({"op": "delta", "data": None}, '["n"]', "a delta has its axes twice"),
        ({"op": "delta", "data": 1}, "1", "delta has no data"),
        ({"op": "indicator", "data": [["<", []]]}, '"<"', "a relation is"),
        ({"op": "indicator", "data": [["=", [[1, 1]]]]}, "1", "a number multiplies an axis"),
        ({"op": "einsum", "data": [[0], [0]]}, "[[0], [0]]", "a spec has the indices"),
        ({"op": "sin", "data": None}, "[]", "node 0: sin has 1 operand, not 0"),
        ({"op": "function", "data": "f"}, '"f"', "no function is called 'f'"),
        ({"op": "add", "data": None}, "[]", "add has 2 operands, not 0"),
        ({"op": "cofactors", "data": 1}, "[]", "cofactors has 1 operands, not 0"),
    ],
)
def test_places_of_mistakes(changes: dict[str, Any], shown: str, reason: str) -> None:
    text = json.dumps(placed(**changes))
    with pytest.raises(eg.ParseError, match=reason) as error:
        eg.parse_json(text)
    found = text[error.value.column - 1 :]
    assert found.startswith((shown, shown.removeprefix("["), "{")), found[:40]


def test_two_variables_of_one_name() -> None:
    text = (
        (x + eg.variable("y", ("n",)))
        .to("json")
        .replace('"y"', '"x"')
        .replace("[]}", '["positive"]}', 1)
    )
    with pytest.raises(eg.ParseError, match="two variables 'x'"):
        eg.parse_json(text)


def test_the_format_of_another_version() -> None:
    with pytest.raises(eg.ParseError, match="the format is 'eggrad expression 1'"):
        eg.parse_json(x.to("json").replace("expression 1", "expression 2"))


def test_what_was_read_back_has_the_derivatives_that_it_had() -> None:
    p = eg.variable("p", ("n",), ["probability"])
    slope = eg.gradient(p.sum() ** 2, p)
    again = eg.parse_json(slope.to("json"))
    values = {"p": np.array([0.25, 0.75])}
    second = eg.derivative(again, p).evaluate(values)
    np.testing.assert_allclose(second, eg.derivative(slope, p).evaluate(values))
    np.testing.assert_allclose(second, np.full((2, 2), 2.0))
