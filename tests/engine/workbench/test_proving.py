"""Proofs of laws: what is proved is true, what is false is refuted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from eggrad.engine.errors import EggradError
from eggrad.engine.laws.language import Call, Known, Law, Node, Number, Parameter, Tensor, scale
from eggrad.engine.laws.rule import Rule
from eggrad.engine.workbench.proving import Status, prove
from eggrad.engine.workbench.solver import has_solver
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.frontend.interface.own_rules import read_rules
from eggrad.rules.rejected import REJECTED
from eggrad.rules.standard import RULESETS
from tests.support.tiers import every_case, samples

FALSE = read_rules(Path(__file__).parents[2] / "data" / "false_laws.py")[0].rules
RULES = [r for s in RULESETS for r in s.rules]


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.name) for r in FALSE])
def test_a_false_law_is_refuted_and_not_proved(rule: Rule) -> None:
    assert prove(rule).status is Status.OPEN
    assert check_soundness(rule, 1000).counterexample is not None


def test_there_are_forty_false_laws() -> None:
    assert len(FALSE) >= 40


@pytest.mark.parametrize("law", [pytest.param(r, id=r.rule.name) for r in REJECTED])
def test_a_rejected_law_is_not_proved(law: object) -> None:
    assert prove(law.rule).status is Status.OPEN  # type: ignore[attr-defined]


def test_a_law_is_proved_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eggrad.engine.workbench.solver._z3", lambda: None)
    found = {r.name: prove(r) for r in RULES if r.name in ("sine_of_sum", "maximum_by_sign")}
    assert found["sine_of_sum"].status is Status.PROVED
    assert found["maximum_by_sign"].status is Status.OPEN
    assert "z3-solver" in found["maximum_by_sign"].method


# Mutants --------------------------------------------------------------------------------------

EXCHANGED = {
    "add": "subtract", "subtract": "add", "sin": "cos", "cos": "sin", "exp": "tanh", "tanh": "sin",
    "log": "exp", "abs": "relu", "relu": "abs", "sign": "abs", "floor": "ceil", "ceil": "floor",
    "maximum": "minimum", "minimum": "maximum", "greater": "greater_equal", "det": "logabsdet",
    "greater_equal": "greater", "equal": "not_equal", "log1p": "expm1", "sigmoid": "softplus",
}  # fmt: skip


def mutants(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """A rule with one mistake each: in the right side, or a condition left out."""
    law = rule.statement

    def made(what: str, changed: Law) -> tuple[str, Rule]:
        return what, replace(rule, statement=changed)

    right = law.right
    if not (isinstance(right, Node) and isinstance(right.args[0], Number) and not right.args[0]):
        yield made("another sign", replace(law, right=scale(-1, law.right)))
    for what, right in _changed(law.right):
        yield made(what, replace(law, right=right))
    for k, c in enumerate(law.conditions):
        if isinstance(c, Call | Known):
            rest = law.conditions[:k] + law.conditions[k + 1 :]
            yield made(f"without condition {k}", replace(law, conditions=rest))


def _changed(pattern: object) -> Iterator[tuple[str, object]]:
    """A side with one place changed."""
    if isinstance(pattern, Number):
        yield f"{pattern + 1} for {pattern}", pattern + 1
    elif isinstance(pattern, str) and pattern in EXCHANGED:
        yield f"{EXCHANGED[pattern]} for {pattern}", EXCHANGED[pattern]
    elif isinstance(pattern, Node):
        if pattern.constructor in EXCHANGED:
            other = EXCHANGED[pattern.constructor]
            yield f"{other} for {pattern.constructor}", Node(other, pattern.args)
        for k, a in enumerate(pattern.args):
            if isinstance(a, Node) or (isinstance(a, Parameter) and a.kind is Tensor):
                yield f"operand {k} of {pattern.constructor} alone", a
            for what, b in _changed(a):
                yield (
                    what,
                    Node(pattern.constructor, (*pattern.args[:k], b, *pattern.args[k + 1 :])),
                )


# Rules with a mutant that is neither refuted nor proved. Of eigenvectors and singular vectors it
# changes a diagonal that meets zeros; of others a condition is left out whose failure no draw has,
# or that random instances do not judge, as they pass over a left side that is undefined; or a
# change that means the same is not proved to, as any number that is not 0 for that of a condition.
UNDECIDED = {
    *(f"stacks.pull_{f}" for f in (
        "eigenvectors", "left_singular_vectors", "few_left_singular_vectors",
        "right_singular_vectors", "few_right_singular_vectors",
    )),
    *(f"reading.inverse_of_{f}" for f in (
        "scaled_rows", "scaled_columns", "turned_rows", "turned_columns",
    )),
    *("reading.product_is_divide_by_root", "presentation.product_is_divide_by_power"),
    *("reading.sign_into_function", "reading.sign_into_function_of_factor"),
    *("multiples.constant_without_entries", "linalg.inverse_of_diagonal"),
    *("stability.log_of_definite_determinant", "structured.logarithm_of_definite_determinant"),
    *("definitions.pseudoinverse_of_invertible", "definitions.pseudoinverse_of_multiple"),
    *("structured.transpose_of_skew", "structured.product_with_transpose"),
    *("branches.choice_times_indicator", "lowering.product_over_join"),
    *("order.extreme_of_increasing", "extremes.extreme_of_extreme"),
    *("order.square_of_sorted", "order.sorted_multiple", "order.sorted_scaled"),
    "extremes.extreme_of_transposed",
    *("decompositions.eigenvalues_of_shifted", "decompositions.eigenvalues_beside_multiple"),
    *("decompositions.eigenvalues_beside_identity", "decompositions.exponential_of_transpose"),
    *("structured.modulus_of_lower_determinant", "structured.modulus_of_upper_determinant"),
    *("ranges.bounded_by_infinity", "ranges.bounded_by_spread_infinity"),
    "slopes.slope_bounded_by_spread_infinity",
}  # fmt: skip


def fate(mutant: Rule) -> str:
    """What becomes of a mutant: "refuted", "refused", "proved", or "survives"."""
    try:
        if check_soundness(mutant, 300).counterexample is not None:
            return "refuted"
    except EggradError:
        return "refused"
    if prove(mutant).status is not Status.OPEN:
        return "proved"
    # What is false at a point alone is found seldom.
    return "survives" if check_soundness(mutant, 5000, 1).counterexample is None else "refuted"


@pytest.mark.skipif(not has_solver(), reason="z3-solver is not installed")
@every_case
@pytest.mark.parametrize("rule", [pytest.param(r, id=f"{r.ruleset}.{r.name}") for r in RULES])
def test_every_mutant_is_refuted_or_proved(rule: Rule) -> None:
    for what, mutant in [*mutants(rule)][: samples(3, 100)]:
        known = f"{rule.ruleset}.{rule.name}" in UNDECIDED
        assert known or fate(mutant) != "survives", f"{what}: {mutant.text}"
