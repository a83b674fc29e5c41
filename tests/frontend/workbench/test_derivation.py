"""Derivations: every line is the same change of the function, as differences have it."""

import re
from collections.abc import Mapping

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.errors import UnsupportedOperation
from eggrad.frontend.workbench.derivation import MOST_NODES, derivation
from eggrad.frontend.workbench.experiment import BASE, laws

SIZES = {"m": 3, "n": 2}
STEP = 1e-5
TEXTBOOK = [
    ("norm2(A*x - y)^2 + c*norm1(x)", {"A": "mn", "x": "n", "y": "m", "c": ""}, ["x"]),
    ("sum(log(1 + exp(-y.*(A*x))))", {"A": "mn", "x": "n", "y": "m"}, ["x", "x"]),
    ("logdet(S) + x'*inv(S)*x", {"S": "nn", "x": "n"}, ["S"]),
    ("tr(S*X*S'*X')", {"S": "nn", "X": "nn"}, ["X"]),
    ("sin(c)^2/c", {"c": ""}, ["c"]),
    ("softmax(x)", {"x": "n"}, ["x"]),
    ("max(x)*sum(A*x)", {"A": "mn", "x": "n"}, ["x"]),
    ("x'*S*x", {"S": "nn", "x": "n"}, ["x", "x"]),
]
Values = Mapping[str, np.ndarray]


def value(text: str, dims: Mapping[str, str], values: Values, change: Values) -> np.ndarray:
    """The value of a line, with what each `d(...)` in it is by differences."""
    dims, values = dict(dims), dict(values)
    parts, _, formula = text.rpartition("; ")
    while found := re.search(r"\bd\(", formula):
        inner = _in_brackets(formula, found.end())
        whole = f"{parts}; {inner}" if parts else inner
        name = f"change{len(dims)}"
        values[name] = (
            _evaluated(whole, dims, values, change, STEP)
            - _evaluated(whole, dims, values, change, -STEP)
        ) / (2 * STEP)
        dims[name] = "".join(_size(k) for k in values[name].shape)
        end = found.end() + len(inner) + 1
        formula = f"{formula[: found.start()]}{name}{formula[end:]}"
    return _evaluated(f"{parts}; {formula}" if parts else formula, dims, values, {}, 0)


def _size(k: int) -> str:
    return next(name for name, size in SIZES.items() if size == k)


def _in_brackets(text: str, start: int) -> str:
    depth = 1
    for k, c in enumerate(text[start:], start):
        depth += (c == "(") - (c == ")")
        if not depth:
            return text[start:k]
    raise AssertionError(text)


def _evaluated(
    text: str, dims: Mapping[str, str], values: Values, change: Values, step: float
) -> np.ndarray:
    named = {n: tuple(d) for n, d in dims.items() if re.search(rf"\b{n}\b", text)}
    f = eg.parse_matrix(text, named)
    moved = {n: values[n] + step * change.get(n, 0) for n in named}
    return np.asarray(f.evaluate({v.name: moved[v.name] for v in f.variables}))


@pytest.mark.parametrize(("text", "dims", "wrt"), TEXTBOOK, ids=str)
def test_every_line_is_the_change_of_the_line_before(
    text: str, dims: dict[str, str], wrt: list[str]
) -> None:
    f = eg.parse_matrix(text, {n: tuple(d) for n, d in dims.items()})
    lines = derivation(f, [next(v for v in f.variables if v.name == n) for n in wrt])
    rng = np.random.default_rng(3)
    values = {n: rng.uniform(0.5, 1.5, [SIZES[a] for a in d]) for n, d in dims.items()}
    values |= {n: v + 2 * np.eye(2) for n, v in values.items() if dims[n] == "nn"}
    assert [line.kind for line in lines].count("derivative") == len(wrt)
    function = lines[0].text
    for line in lines[1:]:
        by = wrt[line.order - 1]
        change = {by: rng.normal(size=values[by].shape)}
        right = value(f"d({function})", dims, values, change)
        if line.kind == "differential":
            ours = value(line.text, dims, values, change)
        else:
            derivative = _evaluated(line.text, dims, values, {}, 0)
            ours = np.tensordot(derivative, change[by], values[by].ndim)
            function = line.text
        assert np.allclose(ours, right, rtol=1e-6), line.text


@pytest.mark.parametrize(("text", "dims", "wrt"), TEXTBOOK, ids=str)
def test_a_textbook_case_has_a_dozen_lines(text: str, dims: dict[str, str], wrt: list[str]) -> None:
    f = eg.parse_matrix(text, {n: tuple(d) for n, d in dims.items()})
    lines = derivation(f, [next(v for v in f.variables if v.name == n) for n in wrt])
    assert 3 <= len(lines) <= 13
    assert len({line.text for line in lines}) == len(lines)
    known = laws([BASE])
    for line in lines:
        assert line.kind != "differential" or line.laws
        assert all(law in known for law in line.laws)


def test_laws_stand_above_the_lines_that_they_make() -> None:
    f = eg.parse_matrix("logdet(S)", {"S": ("n", "n")})
    steps = {line.text: line.laws for line in derivation(f, f.variables)}
    assert steps["d(det(S))/det(S)"] == ("forward.d_function", "slopes.slope_log")
    assert steps["tr(d(S)*inv(S))"] == ("forward.d_det",)


def test_what_does_not_depend_on_the_variable_has_no_differential() -> None:
    f = eg.parse_matrix("x'*x", {"x": ("n",)})
    y = eg.variable("y").variables[0]
    assert [line.kind for line in derivation(f, [y])] == ["function", "derivative"]
    assert derivation(f, [y])[-1].text == "0"


def test_large_formulas_are_left_to_the_log() -> None:
    text = " + ".join(f"sin({k}*x)" for k in range(MOST_NODES))
    f = eg.parse_matrix(text, {"x": ()})
    with pytest.raises(UnsupportedOperation, match="at most 60 nodes"):
        derivation(f, f.variables)
