"""Users' laws of derivatives: used where they are cheaper, named, checked, reported."""

from pathlib import Path

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
INCOMPLETE = """
import eggrad as eg
from eggrad.rules.notation import *

step = eg.function("step", derivative=(lambda a, b: b, None), evaluate=lambda a, b: a * b)
partial = Ruleset("partial", "by what has no derivative", "nothing", stage="differentiate")
partial.state(
    "", d_square=(D(a**2, x) >> D(step(a, a), x)).noted("D a² = D step(a, a).")
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


def test_a_law_that_asks_for_what_no_law_has_says_so(tmp_path: Path) -> None:
    path = tmp_path / "incomplete.py"
    path.write_text(INCOMPLETE, "utf-8")
    x = eg.variable("x", ("n",))
    with pytest.raises(eg.EggradError, match="no rule has the derivative of step"):
        eg.jacobian(x**2, x, rules=str(path), mode="forward")


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
