"""Random closed instances of a law: what its tests judge it by."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.laws.language import DIFFERENTIATED, SLOPE_NODES, Known, Law
from eggrad.engine.laws.matching import SYMBOLS, Closing, Reject
from eggrad.engine.laws.properties import PROPERTIES, THIN, drawn_with
from eggrad.engine.laws.rule import Rule
from eggrad.engine.normal_forms.index_ranges import check_indices, greatest_indices
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import record
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.drawing import EVERYTHING, Drawing, Scope, with_empty
from eggrad.engine.workbench.trials import Trial, trial

# What has properties is made of numbers of this size at most.
MODEST = 10.0


class IllTyped(ShapeError):
    """A right side that has no axes where the left side has some: at what, and why."""

    def __init__(self, reason: str, closing: Closing, left: Term) -> None:
        """Keep what the law's parameters are bound to, and the left side."""
        super().__init__(reason)
        self.closing = closing
        self.left = left


@dataclass(frozen=True)
class Instance:
    """A law of a rule, what its parameters are bound to, and both its sides with holes."""

    rule: Rule
    law: Law
    bound: Mapping[str, Any]
    left: Term
    right: Term
    closing: Closing

    @property
    def variables(self) -> tuple[Term, ...]:
        """What needs a value: the variables of the bound terms and the one differentiated by."""
        tensors = [t for t in self.bound.values() if isinstance(t, Term)]
        tensors += [terms.variable(*t) for t in self.bound.values() if _is_variable(t)]
        return terms.variables(*tensors)

    @property
    def known(self) -> tuple[tuple[str, Term], ...]:
        """What the law asks to be known, and of what."""
        closing = Closing(self.bound)
        return tuple(
            (closing.build(c.property), closing.build(c.tensor))
            for c in self.law.conditions
            if isinstance(c, Known)
        )

    @property
    def is_differentiated(self) -> bool:
        """Whether the left side is a derivative, a slope or a pullback."""
        return self.law.node.constructor in DIFFERENTIATED

    @property
    def subject(self) -> Term:
        """The left side; where that is no term, the term under it."""
        node = self.law.node
        if not self.is_differentiated:
            return self.left
        closing = Closing(self.bound)
        if node.constructor in SLOPE_NODES.values():
            name, _, *args = node.args
            return terms.apply(record(closing.build(name)), *map(closing.build, args))
        return closing.build(node.args[0])


def _is_variable(value: object) -> bool:
    return isinstance(value, tuple) and len(value) in (2, 3) and isinstance(value[1], tuple) and (
        isinstance(value[0], str)
    )  # fmt: skip


def close(rule: Rule, bound: Mapping[str, Any], law: Law | None = None) -> Instance:
    """A rule's law, or the same the other way round, at the given bindings.

    `Reject` where it does not apply to them. Raises `IllTyped` where its right side has no axes.
    """
    law = law or rule.statement
    closing = Closing(bound)
    for c in law.conditions:
        if not closing.build(c):
            raise Reject
    left = closing.build(law.left)
    # What asks for an entry that is not there has no value.
    check_indices(greatest_indices([left]), SYMBOLS)
    try:
        return Instance(rule, law, bound, left, closing.build(law.right), closing)
    except ShapeError as error:
        raise IllTyped(str(error), closing, left) from error


def random_instance(
    rule: Rule, rng: np.random.Generator, back: bool = False, scope: Scope = EVERYTHING
) -> Instance:
    """A random instance of a law's left side (or, for a law both ways, of its right side).

    `Reject` where the draw fails; most laws need a few. `IllTyped` as for `close`.
    """
    law = rule.statement
    if back:
        law = Law(law.right, law.left, conditions=law.conditions)
    # Values seldom have the structure that a thin law asks for: no draw of a spec is in vain.
    full_scope = with_empty(scope, law.conditions)
    drawing = Drawing(rng, full_scope, law.conditions if rule.thin else ())
    try:
        drawing.draw_left(law.node)
        return close(rule, drawing.bound, law)
    except IllTyped:
        raise
    except ShapeError as error:
        raise Reject from error


def random_trial(instance: Instance, rng: np.random.Generator) -> Trial:
    """Values at which a law is tried, ordinary ones and those where it could break."""
    # Differences say nothing at kinks.
    smooth = instance.is_differentiated and instance.closing.derive is None
    sides = (instance.subject, instance.right)
    numbers = [n for n in instance.bound.values() if isinstance(n, Fraction)]
    found = trial(instance.variables, sides, numbers, rng, smooth=smooth)
    return replace(found, values=with_properties(instance.known, found.values, rng, share=0.7))


def with_properties(
    known: Iterable[tuple[str, Term]],
    values: Mapping[str, Array],
    rng: np.random.Generator,
    share: float = 1,
) -> dict[str, Array]:
    """Values in which variables have what is known of them, where normal numbers seldom have it.

    That is so for a share of the draws.
    """
    wanted: dict[str, list[str]] = {}
    for p, t in known:
        if t.op == "variable":
            wanted.setdefault(t.name, [*t.assumed]).append(p)
    seldom = {n: w for n, w in wanted.items() if any(p in THIN or PROPERTIES[p].drawn for p in w)}
    found = dict(values)
    if seldom and rng.random() < share:
        for name, properties in seldom.items():
            drawn = drawn_with(properties, np.clip(found[name], -MODEST, MODEST), rng)
            found[name] = found[name] if drawn is None else drawn
    return found


def sides(instance: Instance, values: Mapping[str, Array]) -> tuple[Array, Array]:
    """The values of both sides: the oracle's word, not the rule's."""
    filled = instance.closing.fill(values)
    left, right = oracle.evaluate([instance.left, instance.right], filled, SYMBOLS)
    return left, right
