"""Functions that users declare: one call, and all languages and orders know them."""

import mpmath
import numpy as np
import pytest
import scipy.special

import eggrad as eg
from eggrad.engine.errors import MissingRule, UnsoundRules, UnsupportedOperation
from eggrad.engine.laws.declared_slopes import slope_rules
from eggrad.engine.workbench.soundness import check_soundness

dawson = eg.function(
    "dawson",
    derivative=lambda a: 1 - 2 * a * dawson(a),
    evaluate=scipy.special.dawsn,
    latex="F",
    parity="odd",
    range=(-0.55, 0.55),
    source="DLMF 7.2.5",
)
length = eg.function(
    "length",
    derivative=(lambda a, b: a / length(a, b), lambda a, b: b / length(a, b)),
    evaluate=np.hypot,
)
x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
s = eg.variable("s")
POINTS = (-3.0, -0.2, 0.0, 0.7, 2.5)


def third_of_dawson(v: float) -> float:
    """The third derivative, by its own recurrence, to 30 digits."""
    with mpmath.workdps(30):
        t = mpmath.mpf(v)
        f = mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-t * t) * mpmath.erfi(t)
        first = 1 - 2 * t * f
        second = -2 * f - 2 * t * first
        return float(-4 * first - 2 * t * second)


def test_the_third_derivative_of_a_function_whose_slope_mentions_it() -> None:
    third = eg.derivative(dawson(s), "s", "s", "s")
    compiled = eg.compile(third)
    for v in POINTS:
        expected = third_of_dawson(v)
        assert third.evaluate({"s": v}) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert compiled(s=v) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_it_is_read_in_the_languages_that_are_told_of_it() -> None:
    matrix = eg.parse_matrix("sum(dawson(x))", {"x": ("n",)}, functions=[dawson])
    text = eg.parse("declare x 1 expression *(i->) dawson(x)", functions=[dawson]).expression
    assert eg.equivalent(matrix, text).status == "equal"
    assert str(eg.parse(str(matrix), functions=[dawson]).expression) == str(matrix)
    for read in (eg.parse_matrix, eg.parse):
        with pytest.raises(eg.ParseError, match="no function is called 'dawson'"):
            read("dawson(x)" if read is eg.parse_matrix else "declare x 1 expression dawson(x)")


def test_it_is_written_in_all_languages() -> None:
    gradient = eg.gradient(eg.sum(dawson(x)), x)
    assert gradient.to("matrix") == "1 - 2*x.*dawson(x)"
    assert gradient.to("latex") == r"1 - 2 x \odot F\left(x\right)"
    assert gradient.to("index") == "fᵢ = 1 - 2 xᵢ dawson(xᵢ)"
    namespace: dict[str, object] = {}
    exec(gradient.to("python"), namespace)
    found = namespace["f"](np.array(POINTS))  # pyright: ignore[reportCallIssue]
    np.testing.assert_allclose(found, gradient.evaluate({"x": POINTS}, reference=True), rtol=1e-12)


def test_what_is_declared_of_it_simplifies() -> None:
    assert eg.simplify(dawson(-x) + dawson(x)).to("matrix") == "zeros(n)"
    assert eg.equivalent(dawson(-x), dawson(x)).status == "different"


def test_both_modes_agree() -> None:
    A = eg.variable("A", ("n", "n"))
    f = eg.sum(dawson(A @ x) * length(x, y))
    values = {"A": np.eye(2) + 0.1, "x": [0.3, -0.4], "y": [1.0, 2.0]}
    for name in ("A", "x", "y"):
        forward, reverse = (eg.derivative(f, name, mode=m) for m in ("forward", "reverse"))
        np.testing.assert_allclose(forward.evaluate(values), reverse.evaluate(values), rtol=1e-12)


def test_a_function_of_two_has_slopes_by_both() -> None:
    gradient = eg.gradient(eg.sum(length(x, y)), "y")
    assert gradient.to("matrix") == "y./length(x, y)"
    assert length.check() > 1000


def test_its_slopes_are_rules_that_are_true() -> None:
    for rule in (*slope_rules(dawson.record), *slope_rules(length.record)):
        found = check_soundness(rule, 50)
        assert found.compared == 50
        assert found.counterexample is None


def test_a_wrong_slope_is_found() -> None:
    wrong = eg.function(
        "wrong", derivative=lambda a: 1 - 3 * a * wrong(a), evaluate=scipy.special.dawsn
    )
    with pytest.raises(UnsoundRules, match=r"wrong: the derivative is .* differences give"):
        wrong.check()
    assert dawson.check() > 500


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"parity": "even"}, "is not even"),
        ({"range": (0.0, 1.0)}, "is out of range"),
        ({"monotone": "increasing"}, "is not increasing"),
    ],
)
def test_a_wrong_claim_is_found(options: dict[str, object], reason: str) -> None:
    made = eg.function("sine", derivative=eg.cos, evaluate=np.sin, **options)  # type: ignore
    with pytest.raises(UnsoundRules, match=reason):
        made.check()


def test_two_functions_of_one_name_do_not_meet() -> None:
    other = eg.function("dawson", derivative=lambda a: 2 * a, evaluate=np.square)
    assert eg.gradient(eg.sum(other(x)), x).to("matrix") == "2*x"
    with pytest.raises(UnsupportedOperation, match="two different functions are called 'dawson'"):
        eg.gradient(eg.sum(other(x) + dawson(x)), x)


def test_functions_that_are_known_alike_are_not_the_same() -> None:
    first = eg.function("raised", derivative=lambda a: 2 * a, evaluate=lambda a: a**2)
    second = eg.function("raised", derivative=lambda a: 3 * a**2, evaluate=lambda a: a**3)
    assert first(s).term is not second(s).term
    assert first(s).evaluate({"s": 3}) == 9
    assert second(s).evaluate({"s": 3}) == 27


def test_what_has_no_slope_is_not_differentiated_by_it() -> None:
    of_order = eg.function(
        "of_order", derivative=(None, lambda n, a: of_order(n - 1, a)), evaluate=scipy.special.jv
    )
    assert eg.derivative(of_order(2, s), "s").to("matrix") == "of_order(1, s)"
    with pytest.raises(MissingRule, match="derivative of of_order by its operand 1"):
        eg.derivative(of_order(s, 2), "s")


@pytest.mark.parametrize(
    ("name", "derivative", "reason"),
    [
        ("two words", lambda a: a, "a function's name has letters and digits"),
        ("sin", lambda a: a, "'sin' is a word of the language"),
        ("power", lambda a: a, "'power' is a word of the language"),
        ("softplus", lambda a: a, "'softplus' is a word of the language"),
        ("f", lambda a, b: a, "a derivative takes all operands"),
        ("f", (None, None), "a derivative takes all operands"),
    ],
)
def test_mistakes_in_declarations(name: str, derivative: object, reason: str) -> None:
    with pytest.raises(UnsupportedOperation, match=reason):
        eg.function(name, derivative=derivative)  # type: ignore


def test_a_name_of_matrix_notation_is_taken_there() -> None:
    total = eg.function("norm2", derivative=lambda a: 2 * a)
    with pytest.raises(UnsupportedOperation, match="'norm2' is a function of matrix notation"):
        eg.parse_matrix("norm2(x)", {"x": ("n",)}, functions=[total])


def test_values_need_a_function_of_arrays() -> None:
    formal = eg.function("formal", derivative=lambda a: 2 * formal(a))
    assert eg.derivative(formal(s), "s").to("matrix") == "2*formal(s)"
    with pytest.raises(UnsupportedOperation, match="formal has no function of numpy arrays"):
        formal(s).evaluate({"s": 1})


def test_a_slope_is_a_formula_of_the_operands() -> None:
    strange = eg.function("strange", derivative=lambda a: eg.sum(x) * a, evaluate=np.square)
    with pytest.raises(UnsupportedOperation, match="the derivative of strange has"):
        eg.derivative(strange(s), "s")


def test_latex_with_places_for_operands() -> None:
    made = eg.function("bar", derivative=lambda a: a, latex=r"\overline{{{}}}")
    assert made(s).to("latex") == r"\overline{s}"
    with pytest.raises(UnsupportedOperation, match="other braces doubled"):
        eg.function("bar", derivative=lambda a: a, latex=r"\hat{F}{}")


def test_the_greater_of_increasing_functions_is_that_of_the_greater() -> None:
    erf = eg.special.erf
    assert eg.simplify(eg.maximum(erf(x), erf(y))).to("matrix") == "erf(max(x, y))"
    assert eg.equivalent(eg.maximum(dawson(x), dawson(y)), dawson(eg.maximum(x, y))).status == (
        "different"
    )


@pytest.mark.parametrize("name", ["class", "None", "np", "t1", "array1", "zeros_and_ones"])
def test_names_that_generated_code_uses(name: str) -> None:
    with pytest.raises(UnsupportedOperation, match="is a name that Python or generated code uses"):
        eg.function(name, derivative=lambda x: x)
