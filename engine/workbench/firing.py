"""Whether a rule fires: on its left side, and with the right side as its result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from eggrad.engine.egraph.compile_rules import Relevance
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.laws.language import SLOPE_NODES, Node, pullback_node
from eggrad.engine.laws.matching import Closing, Hole
from eggrad.engine.laws.rule import Rule
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, parts_as_written
from eggrad.engine.workbench.instances import Instance
from eggrad.engine.workbench.soundness import random_instances

DRAWS: Final = 60_000
ITERATIONS: Final = 4


@dataclass(frozen=True)
class Firing:
    """On how many instances a rule was tried, on how many it matched, and gave the right side."""

    tried: int
    matched: int
    joined: int

    @property
    def fires(self) -> bool:
        """Whether it did what it says on every instance tried."""
        return 0 < self.tried == self.matched == self.joined


def check_firing(
    rule: Rule, prerequisites: Sequence[Rule] = (), seed: int = 0, back: bool = False
) -> Firing:
    """Load three random left sides in an e-graph with that rule alone, and run it.

    `prerequisites` are rules that make the e-nodes which this one works on. A rule that widens is
    tried where its conditions are known and where they are not.
    """
    tried = telling_instances(rule, 3, seed, back)
    results: list[tuple[bool, bool]] = []
    for instance in tried:
        ways = (
            [_run(rule, prerequisites, instance)] if rule.is_conditional or not rule.widens else []
        )
        ways += [_widens(rule, instance)] if rule.widens else []
        results.append((all(m for m, _ in ways), all(j for _, j in ways)))
    return Firing(len(tried), sum(m for m, _ in results), sum(j for _, j in results))


def telling_instances(rule: Rule, count: int, seed: int, back: bool = False) -> list[Instance]:
    """Random instances whose sides differ, and whose left side is loaded as it is written."""
    found: list[Instance] = []
    for instance in random_instances(rule, np.random.default_rng(seed), DRAWS, back):
        if isinstance(instance, Instance) and not _is_vacuous(instance):
            found.append(instance)
        if len(found) == count:
            break
    return found


def _is_vacuous(instance: Instance) -> bool:
    """Whether the term that is loaded is not the left side, or is the right one already."""
    left = instance.law.node
    inner = left.args[0] if left.constructor == "derivative" else None
    # A size that is an integer is, as a term, a constant.
    if isinstance(inner, Node) and inner.constructor == "size":
        return instance.subject.op == "constant"
    return instance.left is instance.right and left.constructor != "size"


def _run(rule: Rule, prerequisites: Sequence[Rule], instance: Instance) -> tuple[bool, bool]:
    """Whether the rule matched, and whether the left side got the right one as an e-node."""
    egraph = EGraph(Relevance({"all": tuple(dict.fromkeys([rule, *prerequisites]))}))
    place, right, given = load_left(egraph, instance)
    egraph.load(*(t for _, t in instance.known))
    egraph.assume(instance.known)
    matched = 0
    for _ in range(ITERATIONS):
        matched += egraph.iterate("all")[0].matches.get(f"{rule.ruleset}.{rule.name}", 0)
    name = egraph.load(right, given=given)[right]
    for _ in range(ITERATIONS):
        egraph.iterate("all")
    if not instance.is_differentiated:
        return matched > 0, _class_of(egraph, place) == _class_of(egraph, name)
    return matched > 0, egraph.are_equal(place, name)


def _widens(rule: Rule, instance: Instance) -> tuple[bool, bool]:
    """Whether the rule finds a wider e-class where nothing is known, and the right side is it."""
    egraph = EGraph(Relevance({"all": (rule,)}))
    egraph.load(instance.left)
    matched = egraph.widen().changed
    egraph.load(instance.right)
    found = egraph.rows()
    sides = tuple(found.names[egraph.name(t)] for t in (instance.left, instance.right))
    return matched, any(widening[:2] == sides for widening in found.wider)


def load_left(egraph: EGraph, instance: Instance) -> tuple[str, Term, Mapping[Term, str]]:
    """Load the left side; where it is then, the right side, and the names of holes in it.

    The place is the name of an e-class; a size's is its constructor with the size.
    """
    left = instance.law.node
    if left.constructor == "size":
        size = instance.bound[left.args[0].name]
        egraph.load(terms.einsum("i->", terms.constant(1, (size,))))
        return f"size {size}", instance.right, {}
    egraph.load(instance.subject)
    given = load_holes(egraph, instance.closing)
    return given.get(instance.left) or egraph.name(instance.left), instance.right, given


def load_holes(egraph: EGraph, closing: Closing) -> Mapping[Term, str]:
    """Ask for what is no term; the names of its e-classes, by the variables that stand for it."""
    given: dict[Term, str] = {}
    for name, hole in closing.holes.items():
        loaded = egraph.load(*(a for a in hole.args if isinstance(a, Term)), given=given)
        constructor, arguments = _asked(hole, loaded)
        given[terms.variable(name, hole.dims)] = egraph.add(constructor, arguments, hole.dims)
    return given


def _asked(hole: Hole, names: Mapping[Term, str]) -> tuple[str, Sequence[object]]:
    """The constructor and the arguments of what is no term, given the names of its terms."""
    node, *rest = hole.args
    constructor, data, operands = parts_as_written(cast(Term, node))
    inner = [names[a] for a in operands]
    match hole.constructor, rest:
        case "slope", [place]:
            return SLOPE_NODES[len(inner)], (*data, place, *inner)
        case "pullback", [place, Term() as g]:
            return pullback_node(constructor), (place, *data, *inner, names[g])
        case _, [Term() as x]:
            return "derivative", (names[cast(Term, node)], (x.name, x.dims))
        case _:
            raise ValueError(hole.constructor)


def _class_of(egraph: EGraph, place: str) -> int:
    rows, _, names, *_ = egraph.rows()
    made = ((r.output, r.constructor, " ".join(map(str, (r.constructor, *r.data)))) for r in rows)
    found = {cls for cls, *texts in made if place in texts}
    if place in names:
        found = {names[place]}
    (cls,) = found
    return cls
