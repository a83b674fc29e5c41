"""False laws are refuted, by small counterexamples; rounding and what is undefined do not count."""

from collections.abc import Iterator

import numpy as np
import pytest

from eggrad.engine.errors import RuleError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Dims, Spec, parse_spec
from eggrad.engine.laws.language import (
    D,
    Number,
    Statement,
    Tensor,
    Wrt,
    add,
    condition,
    const,
    dims,
    divide,
    ein,
    ein1,
    fn,
    inv,
    negate,
    power,
    scale,
    subtract,
)
from eggrad.engine.laws.matching import SYMBOLS
from eggrad.engine.laws.rule import Rule, Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.bulk_soundness import RandomClasses, check_bulk_soundness
from eggrad.engine.workbench.firing import check_firing, telling_instances
from eggrad.engine.workbench.instances import IllTyped
from eggrad.engine.workbench.precision import steady_values
from eggrad.engine.workbench.shrinking import shrink
from eggrad.engine.workbench.soundness import Comparison, check_soundness, compare
from eggrad.engine.workbench.trials import Trial
from eggrad.rules.prerequisites import BEFORE_BULK_RULES
from eggrad.rules.rejected import REJECTED, Rejected

EACH = pytest.mark.parametrize("law", [pytest.param(r, id=r.rule.name) for r in REJECTED])


@pytest.fixture
def ruleset() -> Ruleset:
    return Ruleset("test", "rules of a test", "nothing")


def smallest(rule: Rule) -> Comparison:
    found = shrink(rule)
    assert isinstance(found, Comparison)
    return found


@EACH
def test_counterexamples_are_small(law: Rejected) -> None:
    found = smallest(law.rule)
    assert all(array.size <= 4 for array in found.values.values())
    assert sum(array.size for array in found.values.values()) <= 8
    entries = [float(e) for array in found.values.values() for e in array.flat]
    assert all(e == round(e, 1) and abs(e) <= 3 for e in entries)
    again = oracle.evaluate(found.sides, found.closing.fill(found.values), SYMBOLS)
    assert not np.allclose(*again, equal_nan=True)


def test_a_side_that_loses_its_value_is_a_finding(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def quotient_is_one(a: Tensor) -> Statement:
        """1 = a / a."""
        return power(a, 0) >> divide(a, a)

    @ruleset.rule(cite="", exceptions="a = 0")
    def one_is_quotient(a: Tensor) -> Statement:
        """a / a = 1."""
        return divide(a, a) >> const(1, dims(a))

    found = smallest(quotient_is_one)
    assert found.flaw == "undefined"
    assert found.values == {"a": 0}
    assert check_soundness(one_is_quotient, 500).counterexample is None


def test_both_directions_are_judged(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="", exceptions="a = 0")
    def quotient_and_power(a: Tensor) -> Statement:
        """a / a = a⁰, and the other way round."""
        return divide(a, a) == power(a, 0)

    @ruleset.rule(cite="")
    def odd(a: Tensor) -> Statement:
        """sin(-a) = -sin a."""
        return fn("sin", negate(a)) == negate(fn("sin", a))

    found = check_soundness(quotient_and_power, 200)
    assert found.compared > 200
    assert isinstance(found.counterexample, Comparison)
    assert found.counterexample.flaw == "undefined"
    assert check_soundness(odd, 50).compared == 100


def test_rounding_is_no_refutation(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def cancelled(a: Tensor) -> Statement:
        """10⁷·10⁷·((1 + 10⁻¹⁴·a) - 1) = a."""
        one = const(1, dims(a))
        rest = subtract(add(one, scale(Number(1, 10**14), a)), one)
        return scale(10**7, scale(10**7, rest)) >> a

    found = check_soundness(cancelled, 200)
    assert (found.compared, found.counterexample) == (200, None)


def test_singular_matrices_have_no_inverse(ruleset: Ruleset) -> None:
    """Rounding gives some one, whose inverse is no longer the matrix."""

    @ruleset.rule(cite="")
    def inverse_of_inverse(a: Tensor) -> Statement:
        """inv inv a = a."""
        return inv(inv(a)) >> a

    (instance,) = telling_instances(inverse_of_inverse, 1, 0)
    n = [2 if d == "n" else d for d in instance.left.dims]
    tie = np.full(n, -0.24255993)
    found = compare(instance, Trial({"a": tie}))
    assert found is None or found.flaw is None


def test_a_right_side_without_axes_is_a_finding(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def sum_of_sums(s: Spec, a: Tensor, b: Tensor) -> Statement:
        """Without the condition that s changes no axes: s(a + b) + a = a + s(a) + s(b)."""
        return ein1(s, add(a, b)) >> add(a, ein1(s, b))

    found = check_soundness(sum_of_sums).counterexample
    assert isinstance(found, IllTyped)
    assert "the left side has axes" in str(found)


def test_only_well_typed_sides_are_refuted_by_axes(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def lost_axis(a: Tensor, b: Tensor) -> Statement:
        """A - b = 0, a scalar."""
        return subtract(a, b) >> const(0, ())

    assert smallest(lost_axis).flaw == "value"


def test_derivatives_are_judged_beside_kinks(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def slope_of_relu(a: Tensor, x: Wrt) -> Statement:
        """D relu(a) = D a."""
        return D(fn("relu", a), x) >> D(a, x)

    found = smallest(slope_of_relu)
    assert float(np.asarray(found.left)) == 0
    assert abs(float(np.asarray(found.right))) >= 1


def test_what_a_primitive_raises_is_a_mistake_in_the_rule(ruleset: Ruleset) -> None:
    @condition
    def broken(n: Dims) -> bool:
        return n.nothing

    @ruleset.rule(cite="")
    def guarded(a: Tensor) -> Statement:
        """--a = a."""
        return negate(negate(a)) >> a, broken(dims(a))

    with pytest.raises(RuleError, match=r"broken\(.*\) raises AttributeError"):
        check_soundness(guarded)


def test_a_rule_that_never_matches_does_not_fire(ruleset: Ruleset) -> None:
    @condition
    def seven_rows(n: Dims) -> bool:
        return n == (7,)

    @ruleset.rule(cite="")
    def no_instances(a: Tensor) -> Statement:
        """Where there are seven: a a' = a a'."""
        return ein(parse_spec("i,j->ij"), a, a) >> ein(parse_spec("j,i->ij"), a, a), seven_rows(
            dims(a)
        )

    assert check_soundness(no_instances, 5).compared == 0
    assert not check_firing(no_instances).fires


@pytest.fixture(scope="module")
def classes() -> RandomClasses:
    return RandomClasses(BEFORE_BULK_RULES)


def test_false_bulk_rules_are_refuted(ruleset: Ruleset, classes: RandomClasses) -> None:
    @ruleset.bulk_rule(cite="")
    def sums_are_differences(graph: Snapshot) -> Iterator[tuple[int, Term]]:
        """a + b = a - b."""
        for cls in graph.classes:
            for m in graph.members[cls]:
                if m.constructor == "add":
                    a, b = (graph.term(c) for c in m.children)
                    yield cls, terms.subtract(a, b)

    found = check_bulk_soundness(sums_are_differences, classes).counterexample
    assert isinstance(found, Comparison)
    assert found.flaw == "value"
    assert {float(e) for array in found.values.values() for e in array.flat} <= {0, 1}


def test_bulk_rules_that_raise_are_mistakes(ruleset: Ruleset, classes: RandomClasses) -> None:
    @ruleset.bulk_rule(cite="")
    def broken(graph: Snapshot) -> Iterator[tuple[int, Term]]:
        """Nothing."""
        yield from graph.nothing

    with pytest.raises(RuleError, match="it raises AttributeError"):
        check_bulk_soundness(broken, classes)


def test_what_is_beyond_all_digits_refutes_nothing() -> None:
    """The exponential of 10¹²⁵ has no value of any digits, though it is defined."""
    powers = terms.apply("exp", terms.variable("a", (2,)))
    assert steady_values([powers], {"a": np.array([1e125, 0])}) is None
    assert steady_values([powers], {"a": np.array([10.0, 0])}) is not None
