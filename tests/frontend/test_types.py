# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Typical use with exact types, which `make lint` checks; it is run here as well."""

from typing import assert_type

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.backends import ArrayFactors, ArrayFunction, FollowingFunction
from eggrad.engine.compilation.checked import CheckedFunction
from eggrad.engine.compilation.factored_code import CompiledFactors

A = eg.variable("A", ("m", "n"))
x = eg.variable("x", ("n",))
f = eg.sum((A @ x) ** 2)


def test_expressions_stay_expressions() -> None:
    assert_type(A @ x, eg.Expression)
    assert_type(2 * x + 1, eg.Expression)
    assert_type(x.sum(), eg.Expression)
    assert_type(eg.exp(x), eg.Expression)
    assert_type(x.to("matrix"), str)
    assert_type(x.shape, tuple[int | str, ...])


def test_derivatives() -> None:
    assert_type(eg.derivative(f, x, "A", mode="reverse"), eg.Expression)
    assert_type(eg.gradient(f, x), eg.Expression)
    assert_type(eg.gradient(f, [x, A]), tuple[eg.Expression, ...])
    assert_type(
        eg.gradient(f, ["x", "A"], budget=eg.Budget(nodes=5_000)), tuple[eg.Expression, ...]
    )
    assert_type(eg.hessian(f, x, exact=False), eg.Expression)
    assert_type(eg.simplify(f), eg.Expression)


def test_compiled_functions() -> None:
    assert_type(eg.compile(f), eg.CompiledFunction)
    assert_type(eg.compile([f, eg.gradient(f, x)], sizes={"n": 3}), eg.CompiledFunction)
    assert_type(eg.compile(f, check=True), CheckedFunction)
    assert_type(eg.compile(eg.hessian(f, x), structure="factored"), CompiledFactors)
    assert_type(eg.compile(f, "array_api"), ArrayFunction)
    assert_type(eg.compile(eg.hessian(f, x), "array_api", structure="factored"), ArrayFactors)
    assert_type(eg.compile(f, None), FollowingFunction)


def test_verdicts_and_texts() -> None:
    assert_type(eg.equivalent(f, f), eg.Verdict)
    assert_type(eg.equivalent(f, f).rules, tuple[str, ...])
    assert_type(eg.parse("declare x 1 expression sin(x)").expression, eg.Expression)
    assert_type(eg.parse_matrix("A*x", {"A": ("m", "n"), "x": ("n",)}), eg.Expression)


def test_what_there_is_not_is_an_error_for_both() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="not 'backward'"):
        eg.derivative(f, x, mode="backward")  # pyright: ignore[reportArgumentType]
    with pytest.raises(eg.UnsupportedOperation, match="not 'maple'"):
        f.to("maple")  # pyright: ignore[reportArgumentType]
    with pytest.raises(eg.UnsupportedOperation, match="not 'tensorflow'"):
        eg.compile(f, "tensorflow")  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_values_are_arrays() -> None:
    found = eg.gradient(f, x).evaluate({"A": np.eye(2), "x": [1.0, 2.0]})
    assert found.tolist() == [2.0, 4.0]
