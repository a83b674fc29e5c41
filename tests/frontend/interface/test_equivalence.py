"""Equal by rules, different at values, or unknown: what `eggrad.equivalent` says."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import expression
from eggrad.rules.standard import EQUIVALENCE
from tests.support import matrix_pairs, tie_pairs
from tests.support.equivalent_pairs import equal_pair, near_miss
from tests.support.near_misses import check_pair, false_equality
from tests.support.near_misses import near_miss as near_miss_in_corners
from tests.support.partial_triples import random_triple
from tests.support.places import DATA
from tests.support.replay import replay
from tests.support.textbook_identities import IDENTITIES, WITHOUT_STEPS, Identity
from tests.support.tiers import samples
from tests.support.values import values_of_terms

CASES = json.loads((DATA / "equivalences.json").read_text("utf-8"))
PROPERTIES = {
    "symmetric": "symmetric",
    "symmetric positive definite": "positive definite",
    "entries positive": "positive",
    "invertible": "invertible",
}
PAIRS = samples(20, 100)

A, B = eg.variable("A", ("n", "n")), eg.variable("B", ("n", "n"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("m",))


def read(case: dict[str, Any]) -> list[Any]:
    """Both sides, in NumPy's functions; at some sizes where the text asks for their numbers."""
    symbols = sorted({d for v in case["vars"].values() for d in v["shape"] if not d.isdigit()})
    try:
        return read_at(case, {})
    except eg.UnsupportedOperation as error:
        if "a number was asked for" not in str(error):
            raise
    return read_at(case, {d: k for k, d in enumerate(symbols, 3)})


def read_at(case: dict[str, Any], sizes: dict[str, int]) -> list[Any]:
    env = {
        name: eg.variable(
            name,
            [int(d) if d.isdigit() else sizes.get(d, d) for d in v["shape"]],
            [PROPERTIES[p] for p in v["properties"] if p in PROPERTIES],
        )
        for name, v in case["vars"].items()
    }
    return [
        eval(case[side], {"np": np, "range": range, "len": len, "sum": sum, **env})
        for side in ("lhs_numpy", "rhs_numpy")
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_recorded_pairs(case: dict[str, Any]) -> None:
    verdict = eg.equivalent(*read(case))
    assert bool(verdict) == case["equal"]


def check_witness(f: eg.Expression, g: eg.Expression, verdict: eg.Verdict) -> None:
    """The values show a difference, by the oracle."""
    assert verdict.witness is not None
    assert verdict.left is not None
    left, right = values_of_terms([f.term, g.term], verdict.witness)
    differences = np.asarray(left - right, float)
    left, right = left.astype(float), right.astype(float)
    both = np.isfinite(left) & np.isfinite(right)
    largest = max(np.abs(left[both]).max(), np.abs(right[both]).max())
    np.testing.assert_allclose(left, verdict.left, rtol=1e-6, atol=1e-9 * largest)
    assert np.abs(differences[both]).max() > 1e-12 * largest


def test_random_true_pairs_are_proved() -> None:
    random = Random(5)
    said = [eg.equivalent(*map(expression, equal_pair(random))).status for _ in range(PAIRS)]
    assert "different" not in said
    assert said.count("equal") >= 0.98 * PAIRS


def test_random_near_misses_have_a_witness() -> None:
    random = Random(6)
    for _ in range(PAIRS):
        f, g = map(expression, near_miss(random))
        verdict = eg.equivalent(f, g)
        assert verdict.status == "different"
        check_witness(f, g, verdict)


@pytest.mark.parametrize("identity", [*IDENTITIES, *WITHOUT_STEPS], ids=lambda i: i.name)
def test_textbook_identities(identity: Identity) -> None:
    assert eg.equivalent(identity.left, identity.right).status == "equal"


def shuffled_product(factors: list[tuple[Any, str]], out: str, random: Random) -> eg.Expression:
    """A network of factors, permuted and nested at random, its indices renamed."""
    names = sorted({i for _, part in factors for i in part})
    renamed = dict(zip(names, random.sample(names, len(names)), strict=True))
    pool = [(f, "".join(renamed[i] for i in part)) for f, part in factors]
    wanted = "".join(renamed[i] for i in out)
    while len(pool) > 1:
        (a, p), (b, q) = (pool.pop(random.randrange(len(pool))) for _ in range(2))
        needed = {*wanted, *(i for _, part in pool for i in part)}
        kept = sorted({*p, *q} & needed, key=lambda _: random.random())
        made = wanted if not pool else "".join(kept)
        pool.append((eg.einsum(f"{p},{q}->{made}", a, b), made))
    return pool[0][0]


def random_network(random: Random, count: int, names: int) -> list[tuple[Any, str]]:
    parts = ["".join(random.choices("abcdef", k=random.choice((1, 2, 2, 3)))) for _ in range(count)]
    return [(eg.variable(f"T{random.randrange(names)}{len(p)}", ("n",) * len(p)), p) for p in parts]


@pytest.mark.parametrize("names", [1, 3, 40])
def test_products_of_twelve_factors_are_decided(names: int) -> None:
    random = Random(names)
    for _ in range(5):
        factors = random_network(random, 12, names)
        out = "".join(sorted({i for _, part in factors for i in part})[:2])
        f, g = (shuffled_product(factors, out, random) for _ in range(2))
        assert eg.equivalent(f, g)
        # One index of one factor changed: still the same factors.
        k = next(k for k, (_, part) in enumerate(factors) if len(part) > 1)
        turned = factors[k][1][::-1]
        other = [*factors[:k], (factors[k][0], turned), *factors[k + 1 :]]
        h = shuffled_product(other, out, random)
        verdict = eg.equivalent(f, h)
        if verdict.status == "different":
            check_witness(f, h, verdict)
        else:
            assert verdict.status == "equal"
            known = terms.variables(f.term, h.term)
            values = oracle.random_values(known, {"n": 3}, np.random.default_rng(7))
            np.testing.assert_allclose(f.evaluate(values), h.evaluate(values))


@pytest.mark.parametrize("names", [1, 4])
def test_sums_of_thirty_terms_are_decided(names: int) -> None:
    random = Random(names)
    networks = [random_network(random, random.choice((1, 2, 3)), names) for _ in range(12)]

    ones = eg.constant(1, ("n",))

    def total(changed: int = -1) -> eg.Expression:
        pool = [
            (k % 5 - 2.5 + (k == changed)) * shuffled_product([*n, (ones, "a")], "", random)
            for k, n in enumerate(networks)
        ]
        while len(pool) > 1:
            a, b = (pool.pop(random.randrange(len(pool))) for _ in range(2))
            pool.append(a + b)
        return pool[0]

    assert eg.equivalent(total(), total())
    f, g = total(), total(changed=random.randrange(30))
    verdict = eg.equivalent(f, g)
    assert verdict.status == "different"
    check_witness(f, g, verdict)


def test_unknown_says_how_far_they_agree() -> None:
    # Gudermann's function, which no rule knows.
    z = eg.variable("z")
    verdict = eg.equivalent(2 * np.arctan(np.tanh(z / 2)), np.arctan(np.sinh(z)))
    assert verdict.status == "unknown"
    assert verdict.samples > 10
    assert verdict.digits > 10
    assert "samples agree" in str(verdict)
    with pytest.raises(eg.UnsupportedOperation, match="unknown"):
        bool(verdict)


def test_axes_that_differ_are_said() -> None:
    verdict = eg.equivalent(x, A)
    assert not verdict
    assert verdict.reason == "the left side has axes (n), the right side (n, n)"
    assert verdict.witness is None
    assert (
        "would have to be equal"
        in eg.equivalent(eg.variable("u", (2,)), eg.variable("v", (3,))).reason
    )


def test_a_variable_has_the_same_axes_on_both_sides() -> None:
    with pytest.raises(eg.ShapeError, match="two variables of one name"):
        eg.equivalent(x, eg.variable("x", ("n", "n")).sum(0))


def test_sizes_unify_across_both_sides() -> None:
    B = eg.variable("A", ("p", "p"))
    assert eg.equivalent(np.trace(A), np.trace(B.T))


def test_declared_properties_are_used_and_respected() -> None:
    p = eg.variable("p", ("n",), ["positive"])
    assert eg.equivalent(np.abs(p), p).status != "different"
    assert eg.equivalent(np.abs(x), x).status == "different"
    S = eg.variable("S", ("n", "n"), ["symmetric"])
    assert eg.equivalent(S.T @ x, S @ x)
    assert not eg.equivalent(A.T @ x, A @ x)


def test_values_that_are_undefined_decide_nothing() -> None:
    assert eg.equivalent(x / x, np.ones_like(x))
    assert eg.equivalent(np.exp(np.log(x)), x)
    # Singular: n rows, but m < n columns.
    wide = eg.variable("W", (2, 3))
    verdict = eg.equivalent(np.linalg.inv(wide.T @ wide), np.linalg.inv(wide.T @ wide) + 0)
    assert verdict.status != "different"


def test_overflow_is_no_difference() -> None:
    assert eg.equivalent(np.log(np.exp(1000 * x)), 1000 * x).status == "equal"
    # 1/log(exp(1000 x)) is 0 where the exponential overflows.
    assert eg.equivalent(1 / np.log(np.exp(1000 * x)), 1 / (1000 * x)).status == "equal"


def test_small_differences_of_polynomials_are_exact() -> None:
    verdict = eg.equivalent(x @ x, (1 + 1e-15) * x @ x)
    assert verdict.status == "different"


def test_the_rules_of_a_proof_suffice_and_are_all_needed() -> None:
    from eggrad.engine.equality.equivalence import prove
    from eggrad.engine.saturation.system import System
    from eggrad.rules.standard import EQUIVALENCE

    f, g = (A @ B).T, B.T @ A.T
    verdict = eg.equivalent(f, g)
    assert verdict.rules
    for left_out in range(-1, len(verdict.rules)):
        own = [r for k, r in enumerate(verdict.rules) if k != left_out]
        found = prove(System(EQUIVALENCE.only(own)), f.term, g.term).found
        assert found == (left_out == -1)


def test_a_proof_says_where_it_holds() -> None:
    verdict = eg.equivalent(np.exp(np.log(x)), x)
    assert verdict.rules == ("functions.exp_of_log",)
    assert verdict.domain == ("x > 0",)


def test_a_budget_that_ends_is_said() -> None:
    from eggrad.engine.saturation.schedule import Budget

    f, g = np.floor(-x), -np.ceil(x)
    verdict = eg.equivalent(f, g, budget=Budget(nodes=1))
    assert verdict.status == "unknown"
    assert "might exceed 1 e-nodes" in verdict.reason


def test_witnesses_have_the_sizes_that_no_variable_fixes() -> None:
    f, g = eg.sum(eg.delta(("n",))), eg.sum(eg.delta(("n",))) ** 2
    verdict = eg.equivalent(f, g)
    assert verdict.status == "different"
    assert set(verdict.witness or ()) == set(symbols(f.term))
    values = {name: int(v) for name, v in (verdict.witness or {}).items()}
    assert oracle.value(f.term, {}, values) != oracle.value(g.term, {}, values)


def test_a_witness_fixes_the_sizes_of_either_side() -> None:
    """The right side has an axis that only a variable of the left side has."""
    f = eg.einsum("i->", y)
    g = eg.einsum("i->", eg.constant(2, ("m",)))
    verdict = eg.equivalent(f, g)
    assert verdict.status == "different"
    assert verdict.witness is not None
    assert "m" in verdict.witness
    check_witness(f, g, verdict)


def test_a_witness_is_defined_everywhere_where_it_can_be() -> None:
    """The first values drawn have a zero; at others both sides are defined in all entries."""
    verdict = eg.equivalent(x / np.abs(x), 2 * x / np.abs(x))
    assert verdict.left is not None
    assert np.isfinite(verdict.left).all()


def test_a_witness_with_undefined_entries_is_printed() -> None:
    """Off the diagonal both sides are 0 / 0 at all values."""
    delta = eg.delta((2,))
    f = eg.variable("B", (2, 2)) * delta / delta
    verdict = eg.equivalent(f, 2 * f)
    assert verdict.status == "different"
    assert "nan" in str(verdict)


# What is called equal is equal, where the verdict says: pairs that differ in corners alone.


@pytest.mark.parametrize("seed", range(60))
def test_no_verdict_is_false(seed: int) -> None:
    failure, _ = check_pair(Random(seed))
    assert failure == ""


@pytest.mark.parametrize("seed", range(20))
def test_every_step_is_true_where_the_verdict_says(seed: int) -> None:
    random = Random(seed)
    if seed % 2:
        left = random_triple(random)[0]
        right = calculus.simplify(left).term
    else:
        left, right = near_miss_in_corners(random)
    scope = t.variables(left, right)
    verdict = eg.equivalent(expression(left, scope), expression(right, scope))
    if verdict.status != "equal" or verdict.steps is None:
        return
    assert replay(left, verdict.steps, EQUIVALENCE.rulesets, assumed=verdict.assumed) is right
    chain = [left, *(s.term for s in verdict.steps)]
    for before, after in pairwise(chain):
        assert false_equality(random, before, after, verdict) == ""


# Nearly singular matrices, and ties: more pairs are in tests/benchmarks/equivalence.py.


def test_matrix_forms_that_are_nearly_singular() -> None:
    random = Random(2)
    said = [eg.equivalent(*matrix_pairs.matrix_pair(random).read()).status for _ in range(12)]
    assert "different" not in said
    assert said.count("equal") >= 0.9 * len(said)
    for _ in range(12):
        f, g = matrix_pairs.near_miss(random).read()
        verdict = eg.equivalent(f, g)
        assert verdict.status == "different"
        check_witness(f, g, verdict)


@pytest.mark.parametrize("form", tie_pairs.FORMS[::2], ids=lambda f: f.__name__[1:])
def test_what_differs_at_ties_alone(form: tie_pairs.Form) -> None:
    random = Random(7)
    operands = tie_pairs.operands(random)
    f, g = form(random, *operands)
    verdict = eg.equivalent(f, g)
    assert verdict.status == "equal"
    assert len(verdict.domain) == 1
    assert verdict.domain[0].endswith(" != 0")
    assert false_equality(random, f.term, g.term, verdict) == ""
    assert eg.equivalent(f, g + eg.relu(tie_pairs.x[0])).status == "different"


def test_ties_are_named() -> None:
    W, v = eg.variable("W", ("m", "n")), eg.variable("v", ("m",))
    gradient = eg.gradient(v @ eg.relu(W @ x), x)
    assert eg.equivalent(gradient, W.T @ (v * (W @ x > 0))).domain == ()
    verdict = eg.equivalent(gradient, W.T @ (v * (W @ x >= 0)))
    assert verdict.domain == ("W*x != 0",)
    verdict = eg.equivalent(eg.sign(x) ** 2 + (x > 0), 1 + (x >= 0))
    assert verdict.domain == ("x != 0",)


def test_a_proof_but_at_ties_is_replayed() -> None:
    f, g = np.floor(x) + 1, np.ceil(x)
    verdict = eg.equivalent(f, g)
    assert verdict.steps
    end = replay(f.term, verdict.steps, EQUIVALENCE.rulesets, assumed=verdict.assumed)
    assert end is g.term
    assert verdict.explain().startswith("where x - floor(x) != 0:")


def test_what_differs_on_an_open_set_is_not_assumed_away() -> None:
    """relu(W x) is 0 at values with interior, where the two differ."""
    W = eg.variable("W", ("n", "n"))
    dead = eg.relu(W @ x)
    assert eg.equivalent((dead > 0) * x, (dead >= 0) * x).status == "different"
    assert eg.equivalent(eg.sign(dead) ** 2, 1 + 0 * x).status == "different"


def test_ties_without_a_proof_are_said() -> None:
    verdict = eg.equivalent(-np.floor(1 - 2 * x), np.floor(2 * x - 1) + 1)
    assert verdict.status == "unknown"
    assert "they differ at values that have no interior" in verdict.reason


def test_singular_matrices_are_no_witness() -> None:
    X = eg.variable("X", ("m", "n"))
    pseudoinverse = np.linalg.pinv(X)
    verdict = eg.equivalent(np.linalg.inv(X.T @ X) @ X.T, pseudoinverse)
    assert verdict.domain == ("X'*X invertible",)
    assert eg.equivalent(np.linalg.pinv(A) @ A, eg.delta(("n",))).domain == ("A invertible",)


# Comparing what has more digits than floats: answers, exact witnesses, and an end.


FAR = [
    ("1e400*c", "2e400*c", "2e+400", "4e+400"),
    ("1e-400*c", "2e-400*c", "2e-400", "4e-400"),
    ("c + 1e-400", "c", "2.0", "2.0\nright - left = -1e-400"),
    ("1e400*c", "1e400*c + c", "2e+400", "2e+400\nright - left = 2.0"),
    ("1e20000*c", "2e20000*c", "2e+20000", "4e+20000"),
    ("(1e300*c)^2", "2e600*c^2", "4e+600", "8e+600"),
]


@pytest.mark.parametrize(("f", "g", "left", "right"), FAR)
def test_a_witness_beyond_the_range_of_floats(f: str, g: str, left: str, right: str) -> None:
    """Both results are exact; what six digits do not show is said."""
    verdict = eg.equivalent(*(eg.parse_matrix(text, {"c": ()}) for text in (f, g)))
    assert verdict.status == "different"
    assert str(verdict).split("\nc = 2.0\n")[1] == f"left = {left}\nright = {right}"
    assert isinstance(verdict.left.item(), Fraction)


@pytest.mark.parametrize(
    ("f", "g"),
    [
        ("1e400*exp(c)", "2e400*exp(c)"),
        ("2^(10^9)*c", "3^(10^9)*c"),
        ("c^1e5000", "c^2e5000"),
        ("((((1e20000)^64)^64)^64)^64*c", "c"),
        ("((((3^16)^16)^16)^16)^16*c", "c"),
        ("(2*c + 2)^-1000000007", "2*(c + 1)^-1000000007"),
    ],
)
def test_numbers_of_too_many_digits_have_an_answer(f: str, g: str) -> None:
    verdict = eg.equivalent(*(eg.parse_matrix(text, {"c": ()}) for text in (f, g)))
    assert verdict.status in ("different", "unknown")


@pytest.mark.parametrize("square", [lambda t: t * t, lambda t: t**2], ids=["product", "power"])
def test_iterated_squares(square: Callable[[eg.Expression], eg.Expression]) -> None:
    """Ten have a power of 1024, which is decided; sixty have one of 10^18."""
    powers = [eg.variable("s")]
    for _ in range(60):
        powers.append(square(powers[-1]))
    verdict = eg.equivalent(powers[10], 2 * powers[10])
    assert verdict.status == "different"
    assert str(verdict) == (
        "different: they differ at these values\ns = 2.0\nleft = 1.79769e+308\nright = 3.59539e+308"
    )
    assert eg.equivalent(powers[60], powers[59]).status == "unknown"
    assert eg.equivalent(powers[60], square(powers[59])).status == "equal"


def test_iterated_squares_of_sums_and_matrices() -> None:
    s, M = eg.variable("s"), eg.variable("M", ("n", "n"))
    for base, square in (
        (s + 1, lambda f: f**2),
        (2 * s + 1, lambda f: f * f),
        (M, lambda f: f @ f),
    ):
        powers = [base]
        for _ in range(40):
            powers.append(square(powers[-1]))
        assert eg.equivalent(powers[40], powers[39]).status in ("different", "unknown")


def test_what_the_declaration_excludes_is_not_assumed() -> None:
    g, c = eg.variable("g", (), ["negative"]), eg.variable("c", ())
    assert eg.equivalent((g * g) ** c, g ** (2 * c)).status != "equal"
    assert eg.equivalent(eg.log(g * g), 2 * eg.log(g)).status != "equal"
