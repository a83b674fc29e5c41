"""Our own rules with one mistake each, in a sign, an index or a condition: each is refuted."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from eggrad.engine.laws.language import Call, Condition, Known, Law, Node, Number, scale
from eggrad.engine.laws.rule import Rule
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.rules.standard import RULESETS

RULES = {rule.name: rule for ruleset in RULESETS for rule in ruleset.rules}

Mutation = Callable[[Law], Law]


def negated(law: Law) -> Law:
    return replace(law, right=scale(-1, law.right))


def part(place: int) -> Mutation:
    """One operand of the right side in its place."""
    return lambda law: replace(law, right=law.right.args[place])


def with_node(old: str, new: str) -> Mutation:
    """Another operation wherever the right side has that one."""

    def renamed(pattern: object) -> object:
        if isinstance(pattern, Node):
            name = new if pattern.constructor == old else pattern.constructor
            return Node(name, tuple(map(renamed, pattern.args)))
        return pattern

    return lambda law: replace(law, right=renamed(law.right))


def with_value(old: object, new: object) -> Mutation:
    """Another number or word wherever the right side has that one."""

    def changed(pattern: object) -> object:
        if isinstance(pattern, Node):
            return Node(pattern.constructor, tuple(map(changed, pattern.args)))
        return new if type(pattern) is type(old) and pattern == old else pattern

    return lambda law: replace(law, right=changed(law.right))


def argument_for(primitive: str, place: int) -> Mutation:
    """What an index function is given in place of what it makes of it."""

    def spared(pattern: object) -> object:
        if isinstance(pattern, Call):
            own = pattern.function is not None and pattern.function.__name__ == primitive
            args = tuple(map(spared, pattern.args))
            return args[place] if own else Call(pattern.function, args)
        if isinstance(pattern, Node):
            return Node(pattern.constructor, tuple(map(spared, pattern.args)))
        return pattern

    return lambda law: replace(law, right=spared(law.right))


def without(condition: str) -> Mutation:
    """The law without a side condition."""

    def has_name(pattern: object) -> bool:
        if isinstance(pattern, Known):
            return False
        function = pattern.function
        plain = function.function if isinstance(function, Condition) else function
        return plain.__name__ == condition

    return lambda law: replace(law, conditions=tuple(c for c in law.conditions if not has_name(c)))


MUTANTS: list[tuple[str, str, Mutation]] = [
    ("d_subtract", "plus for minus", with_node("subtract", "add")),
    ("d_negate", "no minus", part(0)),
    ("pull_subtract_right", "another sign", negated),
    ("pull_negate", "another sign", negated),
    ("slope_cos", "another sign", negated),
    ("odd_function", "no minus", with_value(Number(-1), Number(1))),
    ("product_of_exp", "minus for plus", with_node("add", "subtract")),
    ("abs_parts", "another function", with_value("abs", "relu")),
    ("sine_cosine", "2 for 1", with_value(Number(1), Number(2))),
    ("slope_sin", "another function", with_value("cos", "sin")),
    ("d_product", "one summand alone", part(0)),
    ("unary_of_unary", "the inner spec alone", argument_for("inline", 1)),
    ("product_of_unary", "the outer spec alone", argument_for("inline", 0)),
    ("unary_of_product", "the product's own spec", argument_for("compose", 1)),
    ("pull_product_right", "operands not exchanged", argument_for("swap", 0)),
    ("inverse_of_transpose", "not transposed", part(1)),
    ("relu_of_multiple", "negative numbers, too", without("holds")),
    ("power_of_power", "roots, too", without("keeps_domain_twice")),
    ("power_of_product", "roots, too", without("is_integer")),
    ("unary_of_function", "sums, too", without("sums_nothing")),
    ("even_function", "all functions", without("holds")),
    ("log_of_power", "all exponents", without("keeps_sign")),
    ("product_of_exp", "all products", without("is_elementwise")),
    ("matrix_times_inverse", "all products", without("is_matrix_product")),
    ("symmetric_variable", "all matrices", without("is_declared")),
]


@pytest.mark.parametrize(
    ("name", "mutation"), [pytest.param(n, m, id=f"{n}: {what}") for n, what, m in MUTANTS]
)
def test_the_mutant_is_refuted(name: str, mutation: Mutation) -> None:
    rule: Rule = RULES[name]
    planted = replace(rule, statement=mutation(rule.statement))
    assert planted.text != rule.text
    assert check_soundness(planted).counterexample is not None
