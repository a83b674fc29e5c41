"""The fuzzer itself works, and its first cases pass; `make fuzz` runs ten thousand."""

from random import Random

import numpy as np
import pytest

from eggrad.engine.terms import term as t
from eggrad.engine.terms.functions import ELEMENTWISE
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from tests.support import fuzz, fuzz_calls, right_calls
from tests.support.random_expressions import random_expression
from tests.support.trusted_points import Point, differs, trusted_derivative

SEED = 2022
x = t.variable("x", ("n",))


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_derivatives(first: int) -> None:
    outcomes = [fuzz.check_expression(SEED, i) for i in range(first, first + 10)]
    assert [(o.text, o.failure) for o in outcomes if o.failure] == []


@pytest.mark.parametrize("first", range(0, 24, 4))
def test_partial_functions_over_all_reals(first: int) -> None:
    outcomes = [fuzz.check_partial_functions(SEED, i) for i in range(first, first + 4)]
    assert [(o.text, o.failure) for o in outcomes if o.failure] == []


def test_mutated_texts() -> None:
    outcomes = [fuzz.check_text(SEED, i) for i in range(300)]
    assert [(o.text, o.failure) for o in outcomes if o.failure] == []


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_wrong_calls_say_what_is_wrong(first: int) -> None:
    outcomes = [fuzz_calls.check(SEED, i) for i in range(first, first + 50)]
    assert [(o.index, o.call, o.failure) for o in outcomes if o.failure] == []
    assert sum(bool(o.message) for o in outcomes) > 25


def test_failures_of_calls_are_noticed() -> None:
    def missing(*_: object) -> None:
        raise KeyError("within")

    def escaped() -> str:
        try:
            exec(compile("missing()", "/site/eggrad/engine/x.py", "exec"), {"missing": missing})
        except KeyError as error:
            call = right_calls.Call("f", missing, [], {})
            return fuzz_calls.judged(error, call)
        return ""

    assert escaped().startswith("KeyError")


def test_a_case_can_be_repeated() -> None:
    assert str(fuzz.random_case(Random("1/2"))) == str(fuzz.random_case(Random("1/2")))


def test_expressions_are_of_every_kind() -> None:
    found = [random_expression(Random(seed), kinked=True)[0] for seed in range(1200)]
    operations = {node.op for root in found for node in t.postorder(root)}
    assert operations >= {*ELEMENTWISE, *MATRIX_FUNCTIONS, "cofactors", "delta", "power"}
    assert {root.order for root in found} == {0, 1, 2, 3, 4}


def test_a_wrong_derivative_is_noticed() -> None:
    point = Point({"x": np.array([0.5, -1.0])}, {"n": 2})
    expected = trusted_derivative(t.apply("sin", x), x, point)
    assert expected is not None
    wrong = t.einsum("ij,j->ij", t.delta(("n",)), t.apply("sin", x))
    assert "expected" in fuzz.compared(t.apply("sin", x), wrong, x, point, expected)
    assert differs(expected * np.nan, expected)
    assert differs(expected[0], expected)


@pytest.mark.parametrize("function", ["abs", "sign", "relu", "log"])
def test_kinks_and_rims_are_left_out(function: str) -> None:
    point = Point({"x": np.array([0.0, 1.0])}, {"n": 2})
    assert trusted_derivative(t.apply(function, x), x, point) is None


def test_whole_powers_are_judged_at_zero() -> None:
    point = Point({"x": np.array([0.0, 1.0])}, {"n": 2})
    assert trusted_derivative(t.power(x, t.constant(2)), x, point) is not None
    assert trusted_derivative(t.power(x, t.constant(-1)), x, point) is None
