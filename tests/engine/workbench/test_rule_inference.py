"""Rules are inferred from the values of small terms: what is missing is found, and no more."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.oracle.oracle import is_law
from eggrad.engine.saturation.schedule import STAGES, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.functions import FUNCTIONS, UNARY
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import (
    add,
    apply,
    constant,
    einsum,
    negate,
    power,
    subtract,
    variable,
    variables,
)
from eggrad.engine.terms.term_patterns import entry_by_entry, matches, substituted
from eggrad.engine.workbench.rule_inference import Pair, Workload, candidates, enumerate_terms
from eggrad.frontend.cli.main import main
from eggrad.frontend.text.printer import format_term
from eggrad.rules.standard import EQUIVALENCE, STANDARD, system

a, b = variable("a"), variable("b")
x, y, A = variable("x", ("n",)), variable("y", ("n",)), variable("A", ("n", "n"))
SMALL = Workload("small", (a,), ("exp", "log", "abs", "relu"))


def without(strategy: Strategy, *names: str) -> System:
    """A system that lacks some rules."""
    stages = {s: tuple(r.without(*names) for r in strategy.of(s)) for s in STAGES}
    kept = {r.name: r for own in stages.values() for r in own}
    return System(replace(strategy, **{s: tuple(kept[r.name] for r in stages[s]) for s in STAGES}))


def texts(pairs: Sequence[Pair]) -> set[str]:
    return {f"{format_term(p.left)} = {format_term(p.right)}" for p in pairs}


def inferred(pairs: Sequence[Pair], *missing: str) -> list[str]:
    if missing:
        systems = without(STANDARD, *missing), without(EQUIVALENCE, *missing)
    else:
        systems = system(STANDARD), system(EQUIVALENCE)
    return [f"{format_term(c.left)} = {format_term(c.right)}" for c in candidates(pairs, *systems)]


def test_terms_of_equal_values_are_pairs() -> None:
    found = texts(enumerate_terms(SMALL, 3).pairs)
    assert {"log(exp(a)) = a", "abs(relu(a)) = relu(a)", "-(-a) = a"} <= found
    # The left side may be undefined where the right one is not, and not the other way round.
    assert "exp(log(a)) = a" in found
    assert not any(pair.startswith("a =") for pair in found)


@pytest.mark.parametrize(
    "workload",
    [
        Workload("functions", (a,), tuple(f for f in UNARY if not FUNCTIONS[f].stepwise)),
        Workload("vectors", (a, x), ("abs", "exp")),
        Workload("matrices", (x, A), (), tuple(MATRIX_FUNCTIONS)),
    ],
    ids=lambda w: w.name,
)
def test_pairs_are_true(workload: Workload) -> None:
    rng = np.random.default_rng(5)
    found = enumerate_terms(workload, 3)
    assert len(found.pairs) > 20
    for pair in found.pairs:
        known = variables(pair.left, pair.right)
        compared = 0
        for _ in range(20):
            values = {v.name: rng.uniform(-0.9, 1.9, (4,) * v.order) for v in known}
            left, right = oracle.evaluate([pair.left, pair.right], values, {"n": 4})
            defined = np.isfinite(left)
            compared += bool(defined.any())
            np.testing.assert_allclose(left[defined], right[defined], rtol=1e-6, atol=1e-9)
        assert compared, format_term(pair.left)


def test_larger_terms_are_built_of_first_terms_alone() -> None:
    """Neither exp(a + 0) nor any other instance of a shorter pair is looked at."""
    found = enumerate_terms(Workload("sums", (a,), ("exp",)), 4)
    assert "0 + a = a" in texts(found.pairs)
    assert not any("0 + " in left for left in texts(found.pairs) - {"0 + a = a"})
    assert found.instances > 0


def test_a_limit_on_terms_is_said() -> None:
    found = enumerate_terms(SMALL, 5, limit=50)
    assert found.terms == 50
    assert not found.complete


def test_the_same_on_every_run() -> None:
    first, second = (enumerate_terms(SMALL, 3).pairs for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("missing", "law"),
    [
        ("log_of_exp", "log(exp(a)) = a"),
        ("exp_of_log", "exp(log(a)) = a"),
    ],
)
def test_a_missing_rule_is_found(missing: str, law: str) -> None:
    pairs = [p for p in enumerate_terms(SMALL, 3).pairs if f"{format_term(p.left)} =" in law]
    assert law in texts(pairs)
    assert law not in inferred(pairs)
    assert law in inferred(pairs, missing)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("declare x 1 expression *(i->)(x^2)", "x *(i,i->) x"),
        ("declare x 1 expression abs(x *(i,i->) x)", "x *(i,i->) x"),
        ("declare x 1 expression x / abs(x)", "sign(x)"),
        ("declare x 1 expression sign(exp(x) + abs(x))", "1[x_1]"),
        ("declare a 0 expression 1 - (2 - a)", "a + -1"),
        ("declare a 0 b 0 expression (a *(,->) b) / a", "b"),
        ("declare A 2 expression A *(ij,jk->ik) adj(A)", "det(A) *(,ij->ij) delta[A_1]"),
        ("declare A 2 a 0 expression inv(a *(,ij->ij) inv(A))", "a ^ -1 *(,ij->ij) A"),
    ],
)
def test_what_was_adopted_is_used(text: str, simple: str) -> None:
    found = eg.simplify(eg.parse(text).expression)
    assert format_term(found.term) == simple


def test_what_follows_from_another_candidate_is_left_out() -> None:
    known = Pair(apply("log", apply("exp", a)), a, 3)
    sum_of_known = Pair(add(apply("log", apply("exp", a)), b), add(a, b), 5)
    entries = Pair(apply("log", apply("exp", x)), x, 3)
    assert inferred([known, sum_of_known, entries], "log_of_exp") == ["log(exp(a)) = a"]


def test_a_law_false_in_a_corner_is_none() -> None:
    assert not is_law(apply("sign", power(a, constant(2))), constant(1))
    assert not is_law(power(power(a, constant(2)), constant(1)), a)
    # True where the left side is defined; false the other way round.
    logarithm = apply("log", power(a, constant(2)))
    double = einsum(",->", constant(2), apply("log", a))
    assert is_law(double, logarithm)
    assert not is_law(logarithm, double)


def test_instances_match() -> None:
    pattern = add(a, negate(a))
    e = apply("exp", b)
    assert [m[a] for m in matches(pattern, add(negate(e), e))] == [e]
    assert not list(matches(pattern, add(negate(e), b)))
    assert not list(matches(a, x))
    dot = einsum("i,i->", x, apply("exp", y))
    (found,) = matches(dot, einsum("i,i->", apply("exp", x), y))
    assert substituted(dot, found) is einsum("i,i->", y, apply("exp", x))


def test_what_happens_to_each_entry() -> None:
    assert entry_by_entry(einsum("i,i->i", x, y)) is einsum(",->", variable("x"), variable("y"))
    assert entry_by_entry(subtract(x, constant(1, ("n",)))) is subtract(variable("x"), constant(1))
    assert entry_by_entry(einsum("i,i->", x, y)) is None


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["rules", "infer", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_command() -> None:
    status, out, err = run("--nodes", "3", "--variables", "a", "--functions", "exp,abs")
    assert status == 0
    assert out.startswith("not proved (")
    assert "proved, but not simplified (" in out
    assert err.startswith("given: ")
    status, out, _ = run("--nodes", "2", "--variables", "a, x:1", "--json")
    assert status == 0
    report = json.loads(out)
    assert report["workloads"][0]["complete"]
    assert report["unproved"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--variables", "x:3"], "not of the form x:1"),
        (["--variables", " "], "names no variable"),
        (["--variables", "a", "--functions", "expp"], "no function is called 'expp'"),
        (["--functions", "exp"], "needs --variables"),
        (["--variables", "a", "--workload", "vectors"], "exclude each other"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert message in err
