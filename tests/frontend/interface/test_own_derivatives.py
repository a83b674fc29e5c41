"""Users' laws of derivatives: used where they are cheaper, named, checked, reported."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad.frontend.cli.main import main

LAWS = """
import eggrad as eg
from eggrad.rules.notation import *

cubed = eg.function("cubed", derivative=lambda a: 3 * a**2, evaluate=lambda a: a**3)

mine = Ruleset("mine", "derivatives of mine", "nothing", stage="differentiate")

mine.state(
    "calculus",
    slope_of_relu=(slope("relu", a) >> greater(a, 0)).noted("relu' a = [a > 0]."),
    d_tanh=(D(tanh(a), x) >> ein("A,AX->AX", cosh_squared(a), D(a, x))).noted("tanh' = 1/cosh²."),
    d_abs=(D(abs(a), x) >> D(a, x)).when(positive(a)).noted("D |a| = D a where a > 0."),
    d_cubed=(D(cubed(a), x) >> ein("A,AX->AX", 3 * a * a, D(a, x))).noted("D a³ = 3·a·a·D a."),
    d_log_det=(D(log(det(a)), x) >> ein("A,AX->X", inv(a).T, D(a, x))).noted(domain="det a > 0"),
)
""".replace("cosh_squared(a)", "4 * (exp(a) + exp(-a)) ** -2")
KINKS = """
from eggrad.rules.notation import *

mine = Ruleset("mine", "derivatives at kinks", "nothing", stage="differentiate")
mine.state("", slope_of_relu=(slope("relu", a) >> greater(a, 0)).noted("relu' a = [a > 0]."))
"""
FALSE = """
from eggrad.rules.notation import *

wrong = Ruleset("wrong", "a false derivative", "nothing", stage="differentiate")
wrong.state("", d_exp=(D(exp(a), x) >> ein("A,AX->AX", exp(-a), D(a, x))).noted("D exp a = ..."))
"""
ENDLESS = """
from eggrad.rules.notation import *

endless = Ruleset("endless", "derivatives of derivatives", "nothing", stage="differentiate")
endless.state(
    "",
    d_sin=(D(sin(a), x) >> D(sin(a + 0), x)).noted("D sin a = D sin(a + 0)."),
)
"""
ONE = """
from eggrad.rules.notation import *

own = Ruleset("own", "one law", "nothing", stage="{stage}")
own.state("", own_law=({law}).noted("A law of mine."))
"""
INCOMPLETE = """
import eggrad as eg
from eggrad.rules.notation import *

step = eg.function("step", derivative=(lambda a, b: b, None), evaluate=lambda a, b: a * b)
bare = eg.function("bare", derivative=(None, lambda a, b: a), evaluate=lambda a, b: a * b)
partial = Ruleset("partial", "by what has no derivative", "nothing", stage="differentiate")
partial.state(
    "",
    d_square=(D(a**2, x) >> D(step(a, a), x)).noted("D a² = D step(a, a)."),
    d_bare=(D(bare(a, b), x) >> D(step(a, b), x)).noted("D bare(a, b) = D step(a, b)."),
)
"""
CIRCULAR = """
import eggrad as eg
from eggrad.rules.notation import *

one = eg.function("one", derivative=(None, lambda a, b: b), evaluate=lambda a, b: a - b)
other = eg.function("other", derivative=(None, lambda a, b: b), evaluate=lambda a, b: b - a)
circular = Ruleset("circular", "each by the other", "nothing", stage="differentiate")
circular.state(
    "",
    d_one=(D(one(a, b), x) >> -D(other(a, b), x)).noted("D one = -D other."),
    d_other=(D(other(a, b), x) >> -D(one(a, b), x)).noted("D other = -D one."),
)
"""
GIVEN = """
import eggrad as eg
from eggrad.rules.notation import *

bare = eg.function("bare", derivative=(lambda a, b: b, None), evaluate=lambda a, b: a * b)
given = Ruleset("given", "what a function does not declare", "nothing", stage="differentiate")
given.state(
    "", by_second=(pullback(bare(a, b), 1, g) >> ein("LA,A->LA", g, a)).noted("d(a·b)/db = a.")
)
"""


@pytest.fixture
def laws(tmp_path: Path) -> str:
    path = tmp_path / "laws.py"
    path.write_text(LAWS, "utf-8")
    return str(path)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def diff(text: str, *options: str) -> str:
    return run("diff", f"declare {text}", *options)


def test_a_law_that_is_cheaper_is_used_and_named(laws: str) -> None:
    text = "A 2 x 1 expression relu(A *(ij,j->i) x) derivative wrt x"
    assert "sign" in diff(text)
    assert "greater" in diff(text, "--rules", laws)
    assert "mine.slope_of_relu 1" in diff(text, "--rules", laws, "--trace")


def test_a_law_that_is_dearer_fires_and_is_not_used(laws: str) -> None:
    text = "x 1 expression tanh(x) derivative wrt x"
    assert "mine.d_tanh 1" in diff(text, "--rules", laws, "--trace")
    assert diff(text, "--rules", laws) == diff(text)


def test_a_law_with_a_condition_acts_where_that_is_known(laws: str) -> None:
    text = "expression abs(exp(x)) derivative wrt x"
    trace = diff(f"x 1 {text}", "--rules", laws, "--trace", "--mode", "forward")
    assert "mine.d_abs" in trace
    assert "mine.d_abs" not in diff(
        "x 1 expression abs(x) derivative wrt x", "--rules", laws, "--trace"
    )


def test_a_law_about_what_is_deeper_than_a_node(laws: str) -> None:
    A = eg.variable("A", ("n", "n"))
    f = eg.log(eg.det(A))
    assert eg.gradient(f, A, rules=laws, mode="forward").to("matrix") == "inv(A)'"
    trace = diff("S 2 expression log(det(S)) derivative wrt S", "--rules", laws, "--trace")
    assert "mine.d_log_det 1" in trace


def test_laws_of_a_function_of_ones_own(laws: str) -> None:
    found = run("rules", "check", laws, "--instances", "50")
    assert found.count("true on 50 instances") == found.count("\n  fires") == 5


def test_a_false_law_is_refuted_with_values(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(FALSE, "utf-8")
    x = eg.variable("x", ("n",))
    with pytest.raises(eg.UnsoundRules, match=r"(?s)left +D\(exp\(x\), x\)\n +=.*right"):
        eg.gradient(eg.sum(eg.exp(x)), x, rules=str(path))


def test_a_law_that_asks_for_what_no_law_has_says_so_unless_another_has_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "incomplete.py"
    path.write_text(INCOMPLETE, "utf-8")
    x = eg.variable("x", ("n",))
    found = eg.jacobian(x**2, x, rules=str(path), mode="forward")
    assert np.array_equal(found.evaluate({"x": [1.0, 3.0]}), np.diag([2.0, 6.0]))
    own = runpy.run_path(str(path))
    with pytest.raises(eg.MissingRule, match=r"no rule has .* of step by its operand 2"):
        eg.jacobian(own["bare"](x, x), x, rules=own["partial"])


def test_laws_that_lead_to_each_other_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "circular.py"
    path.write_text(CIRCULAR, "utf-8")
    own = runpy.run_path(str(path))
    x = eg.variable("x", ("n",))
    for mode in ("forward", "reverse", "auto"):
        with pytest.raises(eg.MissingRule, match=r"no rule has .* of one\b"):
            eg.jacobian(own["one"](x, x), x, rules=own["circular"], mode=mode)


def test_a_law_says_what_the_derivative_of_a_function_without_one_is(tmp_path: Path) -> None:
    path = tmp_path / "given.py"
    path.write_text(GIVEN, "utf-8")
    x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
    own = runpy.run_path(str(path))
    for mode in ("forward", "reverse", "auto"):
        found = eg.jacobian(own["bare"](x, y), y, rules=own["given"], mode=mode)
        assert np.array_equal(found.evaluate({"x": [2.0, 3.0]}), np.diag([2.0, 3.0]))


@pytest.mark.parametrize(
    ("law", "reason"),
    [
        ('slope("relu", a) >> (a >= 0)', r"left +slope\(relu\(a\), 0\)\n +=.*0.*\n.*right"),
        ('D(abs(a), x) >> ein("A,AX->AX", where(a > 0, 1, -1), D(a, x))', "is false"),
        ('pullback(fn("relu", a), 0, g) >> ein("LA,A->LA", g, a >= 0)', "is false"),
        ('slope("exp", a) >> where(equal(a, 3), 7, exp(a))', "is false"),
        ('slope("maximum", a, b) >> (a > b)', "is false"),
    ],
)
def test_a_law_that_is_false_in_one_place_is_refuted(tmp_path: Path, law: str, reason: str) -> None:
    """At kinks too: what is equal there to other laws' right sides is used for all of these."""
    path = tmp_path / "own.py"
    path.write_text(ONE.format(law=law, stage="differentiate"), "utf-8")
    x = eg.variable("x", ("n",))
    with pytest.raises(eg.UnsoundRules, match=reason):
        eg.gradient(eg.sum(eg.exp(x)), x, rules=str(path))


@pytest.mark.parametrize(
    ("law", "stage", "reason"),
    [
        ("D(tanh(D(a, x)), x) >> D(a, x)", "differentiate", "on the left this stands outside"),
        ("D(exp(a), x) >> D(D(a, x), x)", "differentiate", "derivatives are of terms, not of"),
        ("pullback(D(a, x), 0, g) >> g", "differentiate", "derivatives are of terms, not of"),
        ("pullback(exp(a), 1, g) >> g", "differentiate", "there is no operand number 1"),
        ('slope("exp", a, place=1) >> exp(a)', "differentiate", "there is no operand number 1"),
        ('slope("exp", a) >> exp(a)', "explore", 'its ruleset has stage="differentiate"'),
    ],
)
def test_a_law_that_says_nothing_of_a_derivative_is_refused(
    tmp_path: Path, law: str, stage: str, reason: str
) -> None:
    path = tmp_path / "own.py"
    path.write_text(ONE.format(law=law, stage=stage), "utf-8")
    x = eg.variable("x", ("n",))
    with pytest.raises(eg.RuleError, match=reason):
        eg.gradient(eg.sum(eg.exp(x)), x, rules=str(path))


def test_laws_that_lead_on_and_on_come_to_an_end(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS, "utf-8")
    x = eg.variable("x", ("n",))
    with pytest.raises(eg.BudgetExceeded, match=r"lead on and on, such as endless\.d_sin"):
        eg.jacobian(eg.sin(x), x, rules=str(path))


def test_reports_compare_with_and_without_them(laws: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("declare x 1 expression relu(x) derivative wrt x\n", "utf-8")
    assert "slope_of_relu" in run("rules", "report", str(corpus), "--with", laws)


def test_they_are_drawn_ablated_and_minimised(tmp_path: Path) -> None:
    path = tmp_path / "kinks.py"
    path.write_text(KINKS, "utf-8")
    laws = str(path)
    text = "declare x 1 expression relu(x) derivative wrt x"
    picture = tmp_path / "picture.svg"
    run("graph", text, "--out", str(picture), "--rules", laws)
    assert "greater" in picture.read_text("utf-8")
    options = (
        "--rules",
        laws,
        "--without",
        "reverse,products,sums,distribution,unary,presentation",
    )
    ablated = run("rules", "ablate", text, *options).splitlines()
    assert any(line.startswith("mine.slope_of_relu") for line in ablated)
    assert "mine.slope_of_relu" in run("rules", "minimize", text, *options).splitlines()
