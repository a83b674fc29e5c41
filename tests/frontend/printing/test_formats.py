"""What is printed in each language, and what can be read back."""

import inspect
import json
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.printing.formats import format_expression, format_unchanged
from eggrad.frontend.printing.matrix import length
from tests.cases.test_derivative_cases import CASES, NAMES, instances
from tests.support.places import DATA
from tests.support.random_matrix_texts import DIMS, random_text
from tests.support.tiers import samples
from tests.support.values import evaluated

MATRIX_CASES = [c for c in CASES if c["matrix_syntax"]]
RNG = np.random.default_rng(0)
VALUES = {name: RNG.normal(size=[{"m": 3, "n": 4}[d] for d in own]) for name, own in DIMS.items()}
WRITERS = (format_unchanged, format_expression)
x, y, A = (eg.variable(name, DIMS[name]) for name in "xyA")


def dims_of(case: dict[str, Any]) -> dict[str, tuple[str | int, ...]]:
    return {
        name: tuple(int(s) if s.isdigit() else s for s in described["shape"])
        for name, described in case["vars"].items()
    }


@pytest.mark.parametrize("seed", range(600))
def test_random_matrix_texts(seed: int) -> None:
    """What is written has the same value; read and written again as it is, it stays as it is."""
    text = random_text(Random(seed))
    read = eg.parse_matrix(text, DIMS)
    unchanged, shortest = (write("matrix", read.term, read.scope) for write in WRITERS)
    settled = as_it_is(as_it_is(unchanged))
    assert as_it_is(settled) == settled
    assert length(shortest) <= length(unchanged)
    for written in (unchanged, shortest):
        found = evaluated(eg.parse_matrix(written, DIMS), VALUES)
        np.testing.assert_allclose(
            found, evaluated(read, VALUES), rtol=1e-9, atol=1e-9, err_msg=written
        )


def as_it_is(text: str) -> str:
    again = eg.parse_matrix(text, DIMS)
    return format_unchanged("matrix", again.term, again.scope)


@pytest.mark.parametrize("case", MATRIX_CASES, ids=[c["id"] for c in MATRIX_CASES])
def test_matrix_notation_of_the_cases(case: dict[str, Any]) -> None:
    """The text and its derivative, of at most two axes, are read back as what they were."""
    dims = dims_of(case)
    read = eg.parse_matrix(case["matrix_syntax"], dims)
    derivative = eg.derivative(read, *case["wrt_list"])
    for f in (read, derivative):
        if f.ndim > 2:
            assert f.to("matrix") == f.to("index")
            continue
        again = eg.parse_matrix(f.to("matrix"), dims)
        for values in instances(case):
            np.testing.assert_allclose(
                evaluated(again, values), evaluated(f, values), rtol=1e-9, atol=1e-12
            )
    for values in instances(case):
        reference = eval(case["derivative_numpy"], NAMES | values)
        np.testing.assert_allclose(evaluated(derivative, values), reference, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_python_of_the_cases(case: dict[str, Any]) -> None:
    """The derivative as a function, run with NumPy alone."""
    derivative = eg.derivative(eg.parse(case["einsum_syntax"]).expression, *case["wrt_list"])
    module: dict[str, Any] = {}
    exec(derivative.to("python"), module)
    (function,) = (f for f in module.values() if inspect.isfunction(f))
    for values in instances(case):
        arguments = {name: values[name] for name in inspect.signature(function).parameters}
        reference = eval(case["derivative_numpy"], NAMES | values)
        found = np.asarray(function(**arguments))
        assert found.shape == np.shape(reference)
        np.testing.assert_allclose(found, reference, rtol=1e-8, atol=1e-9)


GOLDEN = json.loads((DATA / "formats.json").read_text("utf-8"))


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda e: e["text"])
def test_texts(entry: dict[str, Any]) -> None:
    """Each text, or its derivative, in every language."""
    f = eg.parse_matrix(entry["text"], {**DIMS, "C": ("k", "n"), "alpha": (), "W_1": ("n", "n")})
    if entry["wrt"]:
        f = eg.derivative(f, *entry["wrt"])
    assert {language: f.to(language) for language in entry["to"]} == entry["to"]


def test_a_language_that_is_not_there() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="language is one of einsum, matrix, index"):
        x.to("maple")


def test_parts_with_three_axes_are_taken_apart_by_the_rules() -> None:
    z = eg.variable("z", DIMS["z"])
    cube = x[:, None, None] * y[None, :, None] * z
    assert eg.sum(cube, axis=2).to("matrix") in ("sum(z)*x*y'", "x*y'*sum(z)", "x*sum(z)*y'")
    T = eg.variable("T", ("m", "n", "k"))
    assert eg.sum(T).to("matrix") == "f = Σᵢⱼₖ Tᵢⱼₖ"


def test_the_sign_of_a_scalar_stays() -> None:
    s = eg.variable("s")
    assert (x + (-s)).to("matrix") == "x - s"
    ones = eg.einsum(",i->i", eg.constant(1), eg.constant(1, ("n",)))
    assert (ones + x).to("matrix") == "1 + x"


def test_a_sum_inside_and_outside_has_a_sign() -> None:
    z = eg.variable("z", DIMS["z"])
    assert np.sum(np.exp(x * z) * z).to("index") == "f = Σᵢ exp(xᵢ zᵢ) zᵢ"
    assert np.sum(np.log(x * x + 1)).to("index") == "f = Σᵢ log(xᵢ xᵢ + 1)"


def test_python_of_sums_of_multiples() -> None:
    module: dict[str, Any] = {}
    exec(eg.einsum(",ij->j", eg.variable("s"), A).to("python"), module)
    np.testing.assert_allclose(module["f"](VALUES["A"], 2.0), 2 * VALUES["A"].sum(0))


@pytest.mark.parametrize("step", [lambda v: v + x, lambda v: v * x, np.sin, lambda v: x - v])
def test_deep_expressions(step: Any) -> None:
    deep = x
    # Python's functions may call each other a thousand times.
    for _ in range(samples(1100, 2000)):
        deep = step(deep)
    for language in ("matrix", "index", "latex", "dot"):
        assert deep.to(language)
    module: dict[str, Any] = {}
    exec(deep.to("python"), module)
    expected = deep.evaluate({"x": np.full(2, 0.5)})
    np.testing.assert_allclose(module["f"](np.full(2, 0.5)), expected, rtol=1e-12)


def test_names_that_are_no_words() -> None:
    """What the matrix language cannot read is written in index notation."""
    assert eg.variable("2", ("n",)).to("matrix") == "fᵢ = 2ᵢ"
    assert eg.variable("W_").to("latex") == r"\mathrm{W\_}"
    sizes = eg.variable("x", ("lambda",))
    module: dict[str, Any] = {}
    exec(np.ones_like(sizes).to("python"), module)
    np.testing.assert_array_equal(module["f"](np.zeros(3)), np.ones(3))


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (1 / 3, Fraction(1, 3)),
        (-2 / 3, Fraction(-2, 3)),
        (np.float64(1) / 7, Fraction(1, 7)),
        (np.float32(2) / np.float32(3), Fraction(2, 3)),
        (np.array(1 / 3), Fraction(1, 3)),
        (np.full((), 2 / 3, np.float32), Fraction(2, 3)),
        (0.1, Fraction(1, 10)),
        (1e-7, Fraction(1, 10**7)),
        (123456.789, Fraction("123456.789")),
        (0.30000000000000004, Fraction("0.30000000000000004")),
        (1e15 + 0.25, Fraction("1000000000000000.2")),
        (np.pi, Fraction("3.141592653589793")),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.longdouble(1) / 3, Fraction(1, 3)),
        (5e-324, Fraction("5e-324")),
        (np.bool_(True), Fraction(1)),
    ],
)
def test_the_fraction_that_a_float_means(value: Any, meant: Fraction) -> None:
    s = eg.variable("s")
    assert (s * value).term.args[1].data == meant
    assert (s**value).term.args[1].data == meant
    assert eg.constant(value[()] if isinstance(value, np.ndarray) else value).term.data == meant


def test_an_exponent_of_a_third() -> None:
    """It is a third in every text, and those that can be read say the same term."""
    s, T = eg.variable("s"), eg.variable("T", ("n", "n", "n"))
    third = s ** (1 / 3)
    assert {language: third.to(language) for language in ("matrix", "latex", "index")} == {
        "matrix": "s^(1/3)",
        "latex": "s^{1/3}",
        "index": "f = s^(1/3)",
    }
    assert third.to("python").endswith("return s ** (1 / 3)\n")
    assert eg.parse(str(third)).expression is third
    slope = eg.gradient(third, s)
    assert slope.to("matrix") == "s^(-2/3)/3"
    assert eg.parse(str(slope)).expression is slope
    assert eg.equivalent(slope, s ** (-2 / 3) / 3).status == "equal"
    assert (T ** (-1 / 3)).to("latex") == "{f}_{ijk} = {T}_{ijk}^{-1/3}"
