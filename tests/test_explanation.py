"""Proofs step by step: found, checked by replay, judged by the oracle."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from eggrad.engine import oracle
from eggrad.engine.explanation import Step, explain
from eggrad.engine.language import Statement, Tensor, fn
from eggrad.engine.matching import matcher_of_terms, patterns, views
from eggrad.engine.replay import InvalidStep, replay
from eggrad.engine.report import Budget
from eggrad.engine.rule import Rule, Ruleset
from eggrad.engine.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    negate,
    postorder,
    power,
    rebuild,
    size,
    subtract,
    variable,
    variables,
)
from eggrad.rules.standard import RULESETS, system
from tests.random_expressions import random_expression

n, m = "n", "m"
x, y, z = (variable(name, (n,)) for name in "xyz")
A, B = variable("A", (n, m)), variable("B", (m, n))
C, E = variable("C", (n, n)), variable("E", (n, n))
Q = variable("Q", (n, n), ["invertible"])
ones = constant(1, (n,))
tanh, exp = apply("tanh", x), apply("exp", x)


def product(a: Term, b: Term) -> Term:
    return einsum("ij,jk->ik", a, b)


def applied(a: Term, v: Term) -> Term:
    return einsum("ij,j->i", a, v)


def dot(a: Term, b: Term) -> Term:
    return einsum("i,i->", a, b)


def entries(a: Term, b: Term) -> Term:
    return einsum("i,i->i", a, b)


def transposed(a: Term) -> Term:
    return einsum("ij->ji", a)


def trace(a: Term) -> Term:
    return einsum("ii->", a)


def multiple(number: int, a: Term) -> Term:
    return einsum(",i->i", constant(number), a)


def power_of(a: Term, exponent: int | Fraction) -> Term:
    return power(a, constant(exponent))


# Both sides, and rules that suffice, of which none can be left out.
IDENTITIES: dict[str, tuple[Term, Term, str]] = {
    "log exp": (apply("log", exp), x, "log_of_exp"),
    "cyclic trace": (
        trace(product(A, B)),
        trace(product(B, A)),
        "unary_of_product same_network",
    ),
    "cyclic trace of three": (
        trace(product(product(C, E), Q)),
        trace(product(Q, product(C, E))),
        "unary_of_product same_network",
    ),
    "transpose of a product": (
        transposed(product(A, B)),
        product(transposed(B), transposed(A)),
        "product_of_unary unary_of_product",
    ),
    "transpose of three": (
        transposed(product(product(C, E), Q)),
        product(transposed(Q), product(transposed(E), transposed(C))),
        "unary_of_product same_network",
    ),
    "product with the identity": (product(delta((n,)), C), C, "delta_sift unary_identity"),
    "trace by a delta": (einsum("ij,ij->", delta((n,)), C), trace(C), "delta_sift"),
    "product of deltas": (
        product(delta((n,)), delta((n,))),
        delta((n,)),
        "delta_times_delta delta_alone product_with_constant unary_identity scale_by_one",
    ),
    "product with a diagonal matrix": (
        product(einsum("ij,j->ij", delta((n,)), x), C),
        einsum("i,ij->ij", x, C),
        "factor_apart delta_sift unary_of_product",
    ),
    "trace of the identity": (
        trace(delta((n,))),
        size(n),
        "delta_alone delta_of_nothing unary_identity scale_by_one product_with_constant "
        "sum_of_constant",
    ),
    "distributivity": (
        entries(add(x, y), apply("exp", z)),
        add(entries(x, apply("exp", z)), entries(y, apply("exp", z))),
        "common_factors same_network",
    ),
    "distributivity of matrices": (
        product(add(C, E), Q),
        add(product(C, Q), product(E, Q)),
        "common_factors same_network",
    ),
    "exp of a sum": (
        entries(exp, apply("exp", y)),
        apply("exp", add(y, x)),
        "product_of_exp same_sum",
    ),
    "one over exp": (
        power_of(exp, -1),
        apply("exp", negate(x)),
        "power_of_exp negate_is_scale",
    ),
    "tanh' by a square": (
        subtract(ones, entries(tanh, tanh)),
        subtract(ones, power_of(tanh, 2)),
        "square_is_product",
    ),
    "tanh' without a difference": (
        subtract(ones, power_of(tanh, 2)),
        add(negate(entries(tanh, tanh)), ones),
        "square_is_product same_sum",
    ),
    "inverse beside its matrix": (
        product(apply("inv", Q), product(Q, C)),
        C,
        "factors_together inverse_times_matrix delta_sift unary_identity unary_of_unary",
    ),
    "solution of a system": (
        applied(Q, applied(apply("inv", Q), x)),
        x,
        "factors_together matrix_times_inverse delta_sift unary_identity",
    ),
    "inverse of an inverse": (
        apply("inv", transposed(apply("inv", Q))),
        transposed(Q),
        "inverse_of_transpose inverse_of_inverse",
    ),
    "determinant of an inverse": (
        apply("det", transposed(apply("inv", Q))),
        divide(constant(1), apply("det", Q)),
        "divide_is_product det_of_transpose det_of_inverse scale_by_one",
    ),
    "adjugate": (
        product(apply("adj", Q), Q),
        einsum(",ij->ij", apply("det", Q), delta((n,))),
        "adjugate_times_matrix",
    ),
    "what is added and subtracted": (add(x, subtract(y, x)), y, "like_terms"),
    "like terms": (add(multiple(2, x), multiple(3, x)), multiple(5, x), "like_terms"),
    "like terms after a rewrite": (
        add(multiple(2, x), apply("log", apply("exp", multiple(-2, x)))),
        constant(0, (n,)),
        "log_of_exp like_terms",
    ),
    "odd function": (
        apply("sin", negate(x)),
        negate(apply("sin", x)),
        "negate_is_scale odd_function",
    ),
    "tangent": (
        divide(apply("sin", x), apply("cos", x)),
        apply("tan", x),
        "divide_is_product sine_over_cosine",
    ),
    "parts of relu": (
        subtract(apply("relu", x), apply("relu", negate(x))),
        x,
        "negate_is_scale relu_parts",
    ),
    "quadratic form": (
        dot(x, applied(C, x)),
        dot(applied(transposed(C), x), x),
        "same_network",
    ),
    "outer product applied": (
        applied(einsum("i,j->ij", x, y), z),
        einsum(",i->i", dot(y, z), x),
        "same_network",
    ),
    "both operands at once": (entries(tanh, tanh), power_of(tanh, 2), "square_is_product"),
    "everything cancels": (
        entries(negate(negate(x)), negate(negate(x))),
        entries(x, x),
        "negate_is_scale scale_scale scale_by_one",
    ),
}


def chosen(names: str | Sequence[str]) -> list[Ruleset]:
    """The rulesets with the named rules alone."""
    wanted = names.split() if isinstance(names, str) else list(names)
    found: list[Ruleset] = []
    for full in RULESETS:
        every = [r.name for r in (*full.rules, *full.bulk_rules)]
        found.append(full.without(*(name for name in every if name not in wanted)))
    assert len(set(wanted)) == sum(len(s.rules) + len(s.bulk_rules) for s in found)
    return found


def assert_proved(
    left: Term, right: Term, steps: tuple[Step, ...] | None, rules: list[Ruleset]
) -> None:
    """The chain leads from one to the other, by steps of the rules that keep the value."""
    assert steps is not None
    assert replay(left, steps, rules) is right
    chain = [left, *(s.term for s in steps)]
    assert len(set(chain)) == len(chain)
    rng = np.random.default_rng(7)
    sizes = oracle.random_sizes(chain, rng)
    values = oracle.random_values(variables(*chain), sizes, rng)
    first, *others = oracle.evaluate(chain, values, sizes)
    for other in others:
        both = np.isfinite(first) & np.isfinite(other)
        np.testing.assert_allclose(other[both], first[both], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_explained(name: str) -> None:
    left, right, names = IDENTITIES[name]
    rules = chosen(names)
    assert_proved(left, right, explain(left, right, rules), rules)
    assert_proved(right, left, explain(right, left, rules), rules)


@pytest.mark.parametrize("name", IDENTITIES)
def test_no_rule_can_be_left_out(name: str) -> None:
    left, right, names = IDENTITIES[name]
    for one in names.split():
        assert explain(left, right, chosen([n for n in names.split() if n != one])) is None, one


def test_all_places_change_in_one_step() -> None:
    left, _, names = IDENTITIES["everything cancels"]
    steps = explain(left, entries(x, x), chosen(names))
    assert steps is not None
    assert [s.rule.partition(".")[2] for s in steps] == [
        "negate_is_scale",
        "negate_is_scale",
        "scale_scale",
        "scale_by_one",
    ]
    assert all(s.term.args[0] is s.term.args[1] for s in steps)


def test_nothing_to_do() -> None:
    assert explain(x, x, chosen("same_sum")) == ()


def test_what_differs_has_no_proof() -> None:
    assert explain(x, y, chosen("same_sum like_terms same_network")) is None
    assert explain(x, A, chosen("same_sum")) is None


def test_a_budget_ends_the_search() -> None:
    left, right, names = IDENTITIES["inverse of an inverse"]
    assert explain(left, right, chosen(names), Budget(iterations=2)) is not None
    assert explain(left, right, chosen(names), Budget(iterations=1)) is None
    assert explain(left, right, chosen(names), Budget(nodes=5)) is None
    assert explain(left, right, chosen(names), Budget(seconds=0)) is None


def test_deep_terms() -> None:
    def nested(inner: Term) -> Term:
        for _ in range(2_000):
            inner = apply("sin", inner)
        return inner

    rules = chosen("log_of_exp")
    steps = explain(nested(apply("log", exp)), nested(x), rules)
    assert_proved(nested(apply("log", exp)), nested(x), steps, rules)


# Random proofs ---------------------------------------------------------------------------------


def rewrites(term: Term, rules: Sequence[Rule]) -> list[tuple[Rule, Term]]:
    """Every term that one rule makes of a term at one place."""
    matcher = matcher_of_terms()
    found: list[tuple[Rule, Term]] = []
    for pattern in (p for r in rules for p in patterns(r)):
        for part in postorder(term):
            for constructor, arguments in views(part):
                if constructor == pattern.constructor:
                    for instance in matcher.instances(pattern, arguments):
                        if instance.second is not part:
                            changed = replaced(term, part, instance.second)
                            found.append((pattern.rule, changed))
    return found


def replaced(term: Term, old: Term, new: Term) -> Term:
    done: dict[Term, Term] = {}
    for t in postorder(term):
        done[t] = new if t is old else rebuild(t, tuple(done[a] for a in t.args))
    return done[term]


@pytest.mark.parametrize("seed", range(40))
def test_random_rewrites_are_explained(seed: int) -> None:
    random = Random(seed)
    rules = [r for s in RULESETS if s.name not in ("stability", "symmetric") for r in s.rules]
    left, _ = random_expression(random, most=12)
    right = left
    used: list[str] = []
    for _ in range(random.randint(1, 4)):
        choices = rewrites(right, rules)
        if choices:
            # Every rule as often as any other, however often it matches.
            rule = random.choice(list(dict.fromkeys(r for r, _ in choices)))
            right = random.choice([t for r, t in choices if r is rule])
            used.append(rule.name)
    limited = chosen(list(dict.fromkeys(used)))
    steps = explain(left, right, limited)
    assert steps is not None
    assert replay(left, steps, limited) is right


@pytest.mark.parametrize("seed", range(200, 225))
def test_simplified_terms_are_explained(seed: int) -> None:
    left, _ = random_expression(Random(seed), most=12)
    result = system().simplify([left])
    known = {r.name for s in RULESETS for r in (*s.rules, *s.bulk_rules)}
    rules = chosen([name for k in result.report.matches if (name := k.split(".")[1]) in known])
    steps = explain(left, result.term, rules)
    assert steps is not None
    assert replay(left, steps, rules) is result.term


# What replay refuses ---------------------------------------------------------------------------


def test_replay_knows_the_rules() -> None:
    with pytest.raises(InvalidStep, match=r"step 1: there is no rule 'functions\.nonsense'"):
        replay(x, [Step("functions.nonsense", False, y)], RULESETS)


LOG_EXP = apply("log", exp)


@pytest.mark.parametrize(
    ("left", "step"),
    [
        (LOG_EXP, Step("functions.log_of_exp", True, x)),
        (LOG_EXP, Step("functions.exp_of_log", False, x)),
        (LOG_EXP, Step("functions.log_of_exp", False, y)),
        (LOG_EXP, Step("functions.log_of_exp", False, LOG_EXP)),
        (add(LOG_EXP, power_of(LOG_EXP, 1)), Step("functions.log_of_exp", False, add(x, x))),
        (apply("cos", multiple(-1, x)), Step("functions.odd_function", False, multiple(-1, x))),
        (product(A, B), Step("products.same_network", False, product(C, E))),
        (add(x, y), Step("sums.same_sum", False, add(x, z))),
        (multiple(2, x), Step("sums.like_terms", True, add(x, y))),
    ],
)  # fmt: skip
def test_replay_refuses(left: Term, step: Step) -> None:
    with pytest.raises(InvalidStep, match="step 1 is no instance of"):
        replay(left, [step], RULESETS)


def test_replay_minds_conditions() -> None:
    wrong = multiple(-1, apply("cos", x))
    step = Step("functions.odd_function", False, wrong)
    with pytest.raises(InvalidStep, match="no instance"):
        replay(apply("cos", multiple(-1, x)), [step], RULESETS)
    right = Step("functions.odd_function", False, multiple(-1, apply("sin", x)))
    assert replay(apply("sin", multiple(-1, x)), [right], RULESETS) is right.term


def test_replay_lets_the_oracle_judge() -> None:
    wrong = Ruleset("wrong", "a false law", "")

    @wrong.rule(cite="")
    def sine_is_cosine(a: Tensor) -> Statement:
        """sin = cos."""
        return fn("sin", a) >> fn("cos", a)

    left, right = apply("sin", x), apply("cos", x)
    steps = explain(left, right, [wrong])
    assert steps == (Step("wrong.sine_is_cosine", False, right),)
    with pytest.raises(InvalidStep, match=r"step 1, by wrong\.sine_is_cosine, changes the value"):
        replay(left, steps, [wrong])
