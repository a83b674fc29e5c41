"""Registration: what a rule must have, and what it says of itself."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from eggrad.engine.errors import EggradError, RuleError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.language import Number, Statement, Tensor, add, const, dims, scale
from eggrad.engine.laws.properties import nonnegative
from eggrad.engine.laws.rule import Bulk, Ruleset, mirrored
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term


def refusal(register: Callable[..., object], function: Callable[..., object]) -> str:
    with pytest.raises(RuleError) as caught:
        register(function)
    return str(caught.value)


@pytest.fixture
def ruleset() -> Ruleset:
    return Ruleset("test", "rules of a test", "nothing")


def test_a_rule_is_what_its_function_says(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="arithmetic", domain="everywhere", replaces=True)
    def zero(c: Number, a: Tensor) -> Statement:
        """0·c·a = 0."""
        return scale(0, scale(c, a)) >> const(0, dims(a)), c != 0

    assert ruleset.rules == [zero]
    found = (zero.name, zero.law, zero.cite, zero.domain, zero.ruleset)
    assert found == ("zero", "0·c·a = 0.", "arithmetic", "everywhere", "test")
    assert zero.replaces
    assert zero.text == "(0 * (c * a) >> const(0, dims(a))).when(c != 0)"


def test_both_ways(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def double(a: Tensor) -> Statement:
        """a + a = 2·a."""
        return add(a, a) == scale(2, a)

    assert double.text == "a + a == 2 * a"
    assert len(list(mirrored(double.statement))) == 2


def test_operands_are_exchanged(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def nothing_added(a: Tensor, n: Dims) -> Statement:
        """a + 0 = a."""
        return add(a, const(0, n)) >> a

    assert len(list(mirrored(nothing_added.statement))) == 2


def test_a_law_must_be_stated(ruleset: Ruleset) -> None:
    def silent(a: Tensor) -> Statement:
        return add(a, a) >> scale(2, a)

    def verbose(a: Tensor) -> Statement:
        """a + a.

        It is 2·a.
        """
        return add(a, a) >> scale(2, a)

    for function in (silent, verbose):
        said = f"rule {function.__name__!r} needs a one-line docstring that states its law"
        assert refusal(ruleset.rule(cite=""), function) == said
    assert ruleset.rules == []


def test_parameters_must_be_bound_on_the_left(ruleset: Ruleset) -> None:
    def loose(a: Tensor, b: Tensor) -> Statement:
        """a + a = b."""
        return add(a, a) >> b

    def loose_condition(a: Tensor, c: Number) -> Statement:
        """a + a = a."""
        return add(a, a) >> a, c != 0

    for function, lost in ((loose, "b"), (loose_condition, "c")):
        said = f"rule {function.__name__!r}: ['{lost}'] does not occur on the left side"
        assert refusal(ruleset.rule(cite=""), function) == said


def test_both_sides_must_bind_for_both_ways(ruleset: Ruleset) -> None:
    def lost(a: Tensor, b: Tensor) -> Statement:
        """a + b = a."""
        return add(a, b) == scale(1, a)

    said = "rule 'lost': ['b'] does not occur on the right side"
    assert refusal(ruleset.rule(cite=""), lost) == said


def test_what_is_rewritten_is_a_term(ruleset: Ruleset) -> None:
    def bare(a: Tensor) -> Statement:
        """a = 1·a."""
        return a >> scale(1, a)

    def bare_back(a: Tensor) -> Statement:
        """1·a = a."""
        return scale(1, a) == a

    for function in (bare, bare_back):
        assert "would rewrite a, which is no term" in refusal(ruleset.rule(cite=""), function)


def test_names_are_taken_once(ruleset: Ruleset) -> None:
    def double(a: Tensor) -> Statement:
        """a + a = 2·a."""
        return add(a, a) >> scale(2, a)

    ruleset.rule(cite="")(double)
    for register in (ruleset.rule(cite=""), ruleset.bulk_rule(cite="")):
        assert refusal(register, double) == "ruleset 'test' has a rule called 'double' already"
    assert len(ruleset.rules) == 1
    assert issubclass(RuleError, EggradError)


def test_a_law_comes_first(ruleset: Ruleset) -> None:
    def conditions_only(a: Tensor) -> Statement:
        """A."""
        return nonnegative(a), add(a, a) >> a

    said = refusal(ruleset.rule(cite=""), conditions_only)
    assert "a condition is a comparison of numbers, a property or a test, not a + a >> a" in said


def test_rules_can_be_left_out(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def one(a: Tensor) -> Statement:
        """a + a = 2·a."""
        return add(a, a) >> scale(2, a)

    rest = ruleset.without("one")
    assert rest.rules == []
    assert rest.name == "test"
    assert ruleset.rules == [one]


def test_bulk_laws_are_rows_or_functions(ruleset: Ruleset) -> None:
    def sums(graph: Snapshot) -> Iterator[tuple[int, int]]:
        return ((cls, 7) for cls in graph.classes)

    def found(graph: Snapshot, cls: int, number: int) -> Iterator[Term]:
        yield terms.constant(cls + number)

    ruleset.state("arithmetic", row=Bulk(found, sums).noted("a = b.", cite="other", sizeless=True))

    @ruleset.bulk_rule(cite="arithmetic", each=sums)
    def function(graph: Snapshot, cls: int, number: int) -> Iterator[Term]:
        """B = a."""
        return found(graph, cls, number)

    row, other = ruleset.bulk_rules
    assert (row.law, row.cite, row.sizeless) == ("a = b.", "other", True)
    assert (other.law, other.cite, other.sizeless) == ("B = a.", "arithmetic", False)
    graph = cast(Snapshot, SimpleNamespace(classes=[1, 2]))
    expected = [(1, terms.constant(8)), (2, terms.constant(9))]
    assert list(row.find(graph)) == list(other.find(graph)) == expected
    with pytest.raises(RuleError, match="rule 'silent' needs a sentence"):
        ruleset.state("arithmetic", silent=Bulk(sums))
