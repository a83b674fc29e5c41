"""Whether a rule fires: on its own left side, and with the right side as its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from eggrad.engine.egraph.compile_rules import Relevance
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.laws.differentiation import Differentiation
from eggrad.engine.laws.language import Node
from eggrad.engine.laws.matching import Closing
from eggrad.engine.laws.rule import Rule
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.instances import DIFFERENTIATED, Instance
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
        if instance.law.node.constructor in DIFFERENTIATED:
            results.append(_derives(rule, prerequisites, instance))
            continue
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
    place, right = load_left(egraph, instance)
    egraph.load(*(t for _, t in instance.known))
    egraph.assume(instance.known)
    matched = 0
    for _ in range(ITERATIONS):
        matched += egraph.iterate("all")[0].matches.get(f"{rule.ruleset}.{rule.name}", 0)
    egraph.load(right)
    for _ in range(ITERATIONS):
        egraph.iterate("all")
    return matched > 0, _class_of(egraph, place) == _class_of(egraph, egraph.name(right))


def _derives(rule: Rule, prerequisites: Sequence[Rule], instance: Instance) -> tuple[bool, bool]:
    """Whether a rule of differentiation is used, and whether what it makes has the right axes."""
    own = [r for r in (rule, *prerequisites) if r.statement.node.constructor in DIFFERENTIATED]
    rules = Differentiation(dict.fromkeys(own))
    subject, node = instance.subject, instance.law.node
    args = subject.args
    match node.constructor:
        case "pullback":
            dims = subject.dims + args[node.args[1]].dims
            g = terms.variable("g", subject.dims + subject.dims)
            found = rules.passed_on(subject, node.args[1], g)
        case "derivative":
            x = terms.variable(*instance.bound[node.args[1].name])
            dims = subject.dims + x.dims
            inner = {a: terms.variable(f"D{k}", a.dims + x.dims) for k, a in enumerate(args)}
            found = rules.derivative(subject, x, inner)
        case _:
            dims = subject.dims
            found = rules.slope(subject, node.args[1])
    return bool(rules.matches[f"{rule.ruleset}.{rule.name}"]), found.dims == dims


def _widens(rule: Rule, instance: Instance) -> tuple[bool, bool]:
    """Whether the rule finds a wider e-class where nothing is known, and the right side is it."""
    egraph = EGraph(Relevance({"all": (rule,)}))
    egraph.load(instance.left)
    matched = egraph.widen().changed
    egraph.load(instance.right)
    found = egraph.rows()
    sides = tuple(found.names[egraph.name(t)] for t in (instance.left, instance.right))
    return matched, any(own[:2] == sides for own in found.wider)


def load_left(egraph: EGraph, instance: Instance) -> tuple[str, Term]:
    """Load the left side; where it is then, and the right side.

    The place is the name of an e-class; a size's is its constructor with the size.
    """
    left = instance.law.node
    right = Closing(instance.bound).build(instance.law.right)
    if left.constructor == "size":
        own = instance.bound[left.args[0].name]
        egraph.load(terms.einsum("i->", terms.constant(1, (own,))))
        return f"size {own}", right
    egraph.load(instance.subject)
    return egraph.name(instance.subject), right


def _class_of(egraph: EGraph, place: str) -> int:
    rows, _, names, *_ = egraph.rows()
    made = ((r.output, r.constructor, " ".join(map(str, (r.constructor, *r.data)))) for r in rows)
    found = {cls for cls, *texts in made if place in texts}
    if place in names:
        found = {names[place]}
    (cls,) = found
    return cls
