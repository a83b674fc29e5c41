"""Every rule has two tests of its own: it is true, and it fires."""

from collections.abc import Iterator

import numpy as np
import pytest

from eggrad.engine import oracle
from eggrad.engine import term as terms
from eggrad.engine.closed import SYMBOLS, Closing
from eggrad.engine.egraph import EGraph
from eggrad.engine.instances import Instance, Reject, random_instance, random_values, sides
from eggrad.engine.language import (
    Node,
    Number,
    Spec,
    Statement,
    Tensor,
    condition,
    const,
    ein,
    scale,
)
from eggrad.engine.rule import Rule, Ruleset
from eggrad.engine.snapshot import NEVER_EXTRACTED
from eggrad.engine.spec import scaling
from eggrad.engine.term import Term
from eggrad.rules.constants import size_is_number, sum_of_constant
from eggrad.rules.forward import d_function
from eggrad.rules.standard import RULESETS

INSTANCES = 100
DRAWS = 60_000
# Differences lose digits in large values, and so do inverses of nearly singular matrices.
LARGE = 1e3

# Laws on terms without axes.
SCALAR = ("size_is_number", "delta_of_nothing")

DIRECTIONS = [
    pytest.param(rule, back, id=f"{ruleset.name}.{rule.name}{'-back' if back else ''}")
    for ruleset in RULESETS
    for rule in ruleset.rules
    for back in (False, True)[: 1 + rule.statement.both]
]


@condition
def is_scaling(s: Spec) -> bool:
    return s == scaling(len(s[-1]))


# As a term, a multiple is a product with a number.
writing = Ruleset("writing", "what makes e-nodes that no term has", "")


@writing.rule(cite="")
def multiple(s: Spec, c: Number, a: Tensor) -> Statement:
    """A product with a number is a multiple."""
    return ein(s, const(c, ()), a) >> scale(c, a), is_scaling(s)


# Laws on terms that no caller can write: rules make them first.
HELPERS: dict[str, tuple[Rule, ...]] = {
    "size_is_number": (sum_of_constant,),
    "sum_of_constant": (size_is_number,),
    "determinant_of_scaled": (size_is_number,),
    "determinant_of_multiple": (size_is_number,),
} | {rule.name: (d_function,) for r in RULESETS if r.name == "slopes" for rule in r.rules}


def instances(rule: Rule, back: bool, seed: int) -> Iterator[tuple[Instance, np.random.Generator]]:
    rng = np.random.default_rng(seed)
    for _ in range(DRAWS):
        try:
            yield random_instance(rule, rng, back), rng
        except Reject:
            continue


def swallows_nan(term: Term, values: dict[str, np.ndarray]) -> bool:
    """Whether an operand is undefined and the term is not: adj of any 1 by 1 matrix is 1."""
    found = oracle.evaluate(list(terms.postorder(term)), values, SYMBOLS)
    return not np.isnan(found[-1]).any() and any(np.isnan(v).any() for v in found)


@pytest.mark.parametrize(("rule", "back"), DIRECTIONS)
def test_is_true(rule: Rule, back: bool) -> None:
    compared = with_size_one = 0
    for instance, rng in instances(rule, back, seed=1):
        values = random_values(instance, rng)
        left, right = sides(instance, values)
        assert left.shape == right.shape, instance.bound
        defined = np.isfinite(left)
        if not defined.any() or np.abs(left[defined]).max() > LARGE:
            continue
        filled = instance.closing.fill(values)
        if swallows_nan(instance.left, filled):
            continue
        # Differences that are not to be trusted are undefined.
        if any(np.isnan(filled[name]).any() for name in instance.closing.holes):
            continue
        np.testing.assert_allclose(
            right[defined], left[defined], rtol=1e-4, atol=1e-5, err_msg=f"{rule.text}: {values}"
        )
        compared += 1
        with_size_one += any(1 in t.dims for t in terms.postorder(instance.left))
        if compared >= INSTANCES:
            break
    assert compared >= INSTANCES
    assert with_size_one or rule.name in SCALAR


@pytest.mark.parametrize(("rule", "back"), DIRECTIONS)
def test_fires(rule: Rule, back: bool) -> None:
    tried = 0
    for instance, _ in instances(rule, back, seed=2):
        if is_vacuous(rule, instance):
            continue
        check_fires(rule, instance)
        tried += 1
        if tried == 3:
            break
    assert tried


def is_vacuous(rule: Rule, instance: Instance) -> bool:
    """Whether the term that is loaded is not the left side, or is the right one already."""
    # A size that is an integer is, as a term, a constant.
    if rule.name == "d_size":
        return instance.subject.op == "constant"
    return instance.left is instance.right and rule.name != "size_is_number"


def check_fires(rule: Rule, instance: Instance) -> None:
    one = Ruleset("one", "one rule and those that it needs", "")
    one.rules = list(dict.fromkeys([rule, *HELPERS.get(rule.name, ()), *writing.rules]))
    egraph = EGraph([one])
    egraph.combine("all", ["one"])
    place, right = load_left(egraph, rule, instance)
    matches = 0
    for _ in range(4):
        matches += egraph.iterate("all").matches.get(f"one.{rule.name}", 0)
    assert matches, f"{rule.text} does not match {instance.bound}"
    if right is None:
        rows, _, _ = egraph.rows()
        left = class_of(egraph, place)
        assert any(r.output == left and r.constructor not in NEVER_EXTRACTED for r in rows)
    else:
        egraph.load(right)
        for _ in range(4):
            egraph.iterate("all")
        assert class_of(egraph, place) == class_of(egraph, egraph.name(right)), instance.bound


def load_left(egraph: EGraph, rule: Rule, instance: Instance) -> tuple[str, Term | None]:
    """Load the left side; where it is then, and the right side if that is a term without holes.

    The place is the name of a class, or the constructor of the only e-node that has it.
    """
    left, bound, subject = instance.law.left, dict(instance.bound), instance.subject
    assert isinstance(left, Node)
    if left.constructor == "pullback":
        # The engine's cotangents begin with the axes of the root, which is here the node itself.
        _, operand, cotangent = left.args
        g = bound[cotangent.name] = terms.variable("g", subject.dims + subject.dims)
        egraph.load(subject)
        place = egraph.add_adjoints(subject, subject.args[operand], g)
    elif left.constructor == "derivative":
        x = terms.variable(*bound["x"])
        egraph.load(subject, x)
        place = egraph.add_derivative(subject, x)
    elif left.constructor == "slope":
        function = terms.apply(left.args[0], subject)
        egraph.load(function)
        egraph.add_derivative(function, terms.variable("z"))
        place = "slope"
    elif left.constructor == "size":
        ones = terms.constant(1, (bound["d"],))
        egraph.load(terms.einsum("i->", ones))
        place = "size"
    else:
        egraph.load(subject)
        place = egraph.name(subject)
    closing = Closing(bound)
    right = closing.build(instance.law.right)
    return place, None if closing.holes else right


def class_of(egraph: EGraph, place: str) -> int:
    rows, _, names = egraph.rows()
    found = {r.output for r in rows if r.constructor == place}
    if place in names:
        found = {names[place]}
    (cls,) = found
    return cls
