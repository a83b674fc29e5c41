"""All e-nodes of all e-classes agree, in real runs: no unsound merge hides behind a good answer."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.language import Claim, Statement, Tensor, fn
from eggrad.engine.laws.properties import positive
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation import schedule
from eggrad.engine.saturation.schedule import Budget, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.standard import AT_SYMMETRIC, EQUIVALENCE_OF_DECLARED, STANDARD, system
from tests.benchmarks.formulas.formula import Formula
from tests.benchmarks.formulas.tuned import TUNED
from tests.support.audit import audit, false_properties
from tests.support.partial_triples import random_triple

SIZES = {"n": 3, "m": 2}

DIMS = {"A": ("n", "n"), "X": ("m", "n"), "x": ("n",), "y": ("m",)}


def read(text: str) -> Term:
    return eg.parse_matrix(text, DIMS, {"A": ["invertible"]}).term


A, x = read("A"), read("x")
EXAMPLES: dict[str, tuple[Term, Term]] = {
    "quadratic form": (read("x'*(A*x)"), x),
    "least squares": (read("(X*x - y)'*(X*x - y)"), x),
    "logistic loss": (read("sum(log(1 + exp(X*x)))"), x),
    "softmax": (read("exp(x)/sum(exp(x))"), x),
    "log of norm": (read("log(x'*x)"), x),
    "norm": (read("(x'*x)^0.5"), x),
    "determinant": (read("det(A)"), A),
    "inverse": (read("inv(A)*x"), A),
    "trace of cube": (terms.einsum("ij,ji->", read("A*A"), A), A),
    "network": (read("X*tanh(A*x)"), x),
    "relu": (read("sum(relu(A*x))"), x),
    "product of entries": (read("x.*sin(x)"), x),
    "repeated indices": (terms.einsum("ii,i->", A, x), A),
    "exponent": (read("exp(x).^(x'*x)"), x),
}


class Recorder(Snapshot):
    """Snapshots that remember themselves, as they are before e-classes get wider e-nodes."""

    last: Snapshot

    def widen(self, _exposed: object) -> None:
        """Leave the e-classes alone: in a wider one not all e-nodes are equal."""

    def __init__(self, *args: object, focused: bool = False) -> None:
        super().__init__(*args, focused=focused)
        # Read while the e-graph is there: what is known is read when it is asked for.
        self.knows(0, "")
        Recorder.last = self


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Recorder]]:
    monkeypatch.setattr(schedule, "Snapshot", Recorder)
    yield Recorder
    del Recorder.last


def values_for(*found: Term) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return oracle.random_values(terms.variables(*found), SIZES, rng)


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_all_members_agree(name: str, mode: str, recorder: type[Recorder]) -> None:
    term, wrt = EXAMPLES[name]
    result = system().differentiate(term, wrt, mode)
    values = values_for(term, wrt)
    expected = oracle.numeric_derivative(term, wrt, values, SIZES)
    found = oracle.value(result.term, values, SIZES)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    assert len(recorder.last.classes) > 3
    assert audit(recorder.last, values, SIZES, given=[term]) == []
    assert false_properties(recorder.last, values, SIZES) == []


@pytest.mark.parametrize("formula", TUNED, ids=lambda formula: formula.name)
def test_all_members_agree_where_formulas_are_written(
    formula: Formula, recorder: type[Recorder]
) -> None:
    term = formula.derivative().term
    system(AT_SYMMETRIC).explore([term], [CostModel()], purpose="read")
    values = formula.values()
    sizes = {
        d: n
        for v in terms.variables(term)
        for d, n in zip(v.dims, values[v.name].shape, strict=True)
    }
    assert audit(recorder.last, values, sizes, given=[term]) == []


@pytest.mark.parametrize("seed", range(40))
def test_partial_functions_meet_in_one_egraph(seed: int, recorder: type[Recorder]) -> None:
    """Three terms over all reals: each e-node is judged where its e-class's own term is defined."""
    random = Random(seed)
    roots = random_triple(random)
    system().simplify(roots)
    rng = np.random.default_rng(seed)
    sizes = {"n": 2}
    for _ in range(4):
        values = oracle.random_values(terms.variables(*roots), sizes, rng, "normal")
        assert audit(recorder.last, values, sizes, given=roots) == []
        assert false_properties(recorder.last, values, sizes) == []


def test_a_law_of_a_half_space_is_found(recorder: type[Recorder]) -> None:
    wrong = Ruleset("wrong", "a law of a half-space", "")

    @wrong.rule(cite="")
    def exponential_of_logarithm(a: Tensor) -> Statement:
        """exp log a = a."""
        return fn("exp", fn("log", a)) >> a

    others = STANDARD.mapped(lambda ruleset: ruleset.without("exp_of_log"))
    strategy = replace(others, explore=(wrong,))
    term = terms.apply("abs", terms.apply("exp", terms.apply("log", x)))
    roots = [terms.apply("abs", x), term]
    System(strategy).simplify(roots, Budget(iterations=2))
    found = audit(recorder.last, {"x": np.array([-1.0, 2.0, 3.0])}, SIZES, given=roots)
    assert found


def test_an_unsound_rule_is_found(recorder: type[Recorder]) -> None:
    wrong = Ruleset("wrong", "a false law", "")

    @wrong.rule(cite="")
    def sine_is_cosine(a: Tensor) -> Statement:
        """sin = cos."""
        return fn("sin", a) >> fn("cos", a)

    strategy = replace(STANDARD, explore=(wrong,))
    System(strategy).simplify([terms.apply("sin", x)], Budget(iterations=1))
    found = audit(recorder.last, values_for(x), SIZES)
    assert {member.constructor for _, member in found} == {"function"}


def test_a_second_derivative_agrees(recorder: type[Recorder]) -> None:
    term, wrt = EXAMPLES["logistic loss"]
    gradient = system().differentiate(term, wrt).term
    system().differentiate(gradient, wrt)
    assert audit(recorder.last, values_for(term, wrt), SIZES) == []


def test_the_inverse_of_zero_unites_no_others() -> None:
    texts = ("inv(A - A)*((A - A)*x)", "inv(A - A)*(A - A)*x", "(A - A)*x", "A*x")
    _, _, nothing, product = system().simplify([*map(read, texts)]).terms
    assert oracle.value(nothing, values_for(A, x), SIZES).any() == np.False_
    assert product is read("A*x")


DECLARED = {
    "definite": "log(det(S)) + x'*S*x + tr(inv(S)) + abs(x'*S*x)",
    "semidefinite": "abs(x'*P*x) + sqrt(tr(P)) + abs(det(P)) + sum(diag(P + X'*X))",
    "orthogonal": "Q'*Q + inv(Q) + abs(det(Q))*Q + Q*S*Q'",
    "skew": "K' + K*K + inv(eye(n) + K'*K) + abs(det(K))*K",
    "triangular": "L*L + inv(L) + L' + exp(L)",
    "diagonal": "D*D + inv(D) + D.*S + D'",
    "integer": "floor(x + z) + round(z) + abs(z).*z",
    "probability": "log(p) + sum(p)*abs(p) + relu(p)",
    "signs": "s.^2 + abs(s).*x + sign(s) + s.^3 + x./s",
    "negative": "abs(v) + relu(v) + sign(v) + max(v, x)",
}
WORDS = {
    "S": "positive definite",
    "P": "positive semidefinite",
    "Q": "orthogonal",
    "K": "skew",
    "L": "lower triangular",
    "D": "diagonal",
    "z": "integer",
    "p": "probability",
    "s": "signs",
    "v": "negative",
}


@pytest.mark.parametrize("name", DECLARED)
@pytest.mark.parametrize("strategy", [AT_SYMMETRIC, EQUIVALENCE_OF_DECLARED], ids=["thin", "equal"])
def test_what_is_declared_is_used_soundly(
    name: str, strategy: Strategy, recorder: type[Recorder]
) -> None:
    text = DECLARED[name]
    used = [w for w in (*WORDS, "X", "x") if re.search(rf"\b{w}\b", text)]
    shapes = {w: DIMS.get(w, ("n", "n") if w.isupper() else ("n",)) for w in used}
    words = {w: [WORDS[w]] for w in used if w in WORDS}
    term = eg.parse_matrix(text, shapes, words).term
    purpose = "compare" if strategy is EQUIVALENCE_OF_DECLARED else "simplify"
    system(strategy).explore([term], [CostModel()], Budget(iterations=2), purpose)
    for seed in range(3):
        values = oracle.random_values(terms.variables(term), SIZES, np.random.default_rng(seed))
        assert audit(recorder.last, values, SIZES, given=[term]) == []
        assert false_properties(recorder.last, values, SIZES) == []


def test_a_false_property_is_found(recorder: type[Recorder]) -> None:
    wrong = Ruleset("wrong", "a false fact", "")

    @wrong.fact(cite="")
    def positive_sine(a: Tensor) -> Claim:
        """sin a > 0."""
        return positive(fn("sin", a))

    strategy = replace(STANDARD, simplify=(*STANDARD.simplify, wrong))
    sine = terms.apply("sin", x)
    System(strategy).simplify([terms.apply("abs", sine)])
    found = false_properties(recorder.last, {"x": np.array([-1.0, -2.0, 1.0])}, SIZES)
    assert ("positive", sine) in found
