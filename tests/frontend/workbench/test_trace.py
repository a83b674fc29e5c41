"""`--trace`: the rules of each iteration, and expressions that are equal to the result."""

import json
from pathlib import Path

import numpy as np

import eggrad
from eggrad.frontend.workbench.trace import format_trace, trace_derivative, trace_simplification
from eggrad.rules.standard import system
from tests.frontend.cli.test_main import run

TEXT = "declare A 2 x 1 expression exp(x *(i,i->) (A *(ij,j->i) x)) derivative wrt x"

OWN = '''
from eggrad.rules.notation import Ruleset, Statement, Tensor, fn

mine = Ruleset("mine", "what arctan leaves alone", "the number of functions")


@mine.rule(cite="the arctangent is odd and grows")
def sign_of_arctan(a: Tensor) -> Statement:
    """sign arctan a = sign a."""
    return fn("sign", fn("arctan", a)) >> fn("sign", a)
'''


def test_every_expression_of_a_trace_is_the_result() -> None:
    problem = eggrad.parse(TEXT)
    steps = trace_derivative(problem.expression, problem.arguments())
    values = {"A": np.array([[0.5, 1.0], [-0.25, 0.0]]), "x": np.array([0.5, -1.0])}
    right = problem.derivative().evaluate(values)
    declared = "declare A[n,n] x[n] expression "
    shown = list(dict.fromkeys(s.text for s in steps[1:] if s.text))
    assert len(shown) > 2
    for text in shown:
        found = eggrad.parse(declared + text).expression
        np.testing.assert_allclose(found.evaluate(values), right)
    assert steps[0].stage == "load"
    assert {"load", "differentiate", "simplify", "explore"} <= {s.stage for s in steps}


def test_a_trace_counts_what_the_report_counts() -> None:
    problem = eggrad.parse(TEXT)
    (x,) = problem.arguments()
    report = system().differentiate(problem.expression.term, x).report
    steps = trace_derivative(problem.expression, [x])
    for rule in ("forward.d_product", "delta.delta_sift", "products.same_network"):
        assert sum(dict(s.rules).get(rule, 0) for s in steps) == report.matches[rule]


def test_intermediate_expressions_are_not_rewritten_for_matrix_notation() -> None:
    f = eggrad.parse_matrix("norm2(A*x)^2", {"A": ("m", "n"), "x": ("n",)})
    steps = trace_derivative(f, f.variables[1:], language="matrix")
    assert steps[0].text == "norm2(A*x)^2"
    assert steps[-1].text == "2*A'*(A*x)"
    texts = "\n".join(s.text for s in steps if s.stage == "differentiate")
    assert "ones(m)" in texts


def test_the_command_prints_the_trace_first() -> None:
    text = "declare x 1 expression x + x - x"
    steps = trace_simplification(eggrad.parse(text).expression)
    shown = run("simplify", "--trace", text)
    assert shown.stdout == f"{format_trace(steps)}\ndeclare x 1 expression x\n"
    report = json.loads(run("diff", "--trace", "--json", TEXT).stdout)
    assert report["derivative"] == run("diff", TEXT).stdout.rstrip()
    assert report["trace"][0] == {
        "stage": "load",
        "rules": {},
        "enodes": 5,
        "text": "exp(x *(i,i->) (A *(ij,j->i) x))",
    }


def test_a_trace_and_a_report_with_rules_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN, "utf-8")
    text = "declare x 1 expression sign(arctan(x))"
    shown = run("simplify", text, "--trace", "--rules", str(file)).stdout
    assert "mine.sign_of_arctan 1" in shown
    assert shown.endswith("declare x 1 expression sign(x)\n")
    result = run("rules", "report", text, "--with", str(file), "--json")
    standard, own = json.loads(result.stdout)["variants"]
    assert (standard["name"], own["name"]) == ("standard", f"with {file}")
    assert own["cases"][0]["text"] == "sign(x)"
    assert standard["cases"][0]["text"] != "sign(x)"
    assert own["rules"]["mine.sign_of_arctan"]["hits"] > 0
