"""Chains of terms made shorter: what one rule can do at once takes no detour."""

from collections import deque
from collections.abc import Sequence

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.equality.replay import Step, licence, replacements
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.laws.matching import matcher_of_terms, patterns, views
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.terms.term import Term, postorder

__all__ = ["shortest_chain"]

AnyRule = Rule | BulkRule

# A shortcut leads over so many terms at most.
REACH = 40


def shortest_chain(
    left: Term,
    walk: Sequence[tuple[AnyRule, Term]],
    rulesets: Sequence[Ruleset],
    knowledge: Knowledge,
) -> tuple[Step, ...] | None:
    """The fewest steps between the terms of a walk, each term of which follows by its rule.

    None where a step of the walk does not stand on its own.
    """
    chain = [left, *(t for _, t in walk)]
    table = _one_step(chain, rulesets, knowledge)
    near: list[list[tuple[int, AnyRule]]] = [[] for _ in chain]
    for i, a in enumerate(chain):
        for j in range(i + 1, min(i + 1 + REACH, len(chain))):
            rule = _rule_between(table, a, chain[j]) or (walk[i][0] if j == i + 1 else None)
            if rule is not None:
                near[i].append((j, rule))
                near[j].append((i, rule))
    steps: list[Step] = []
    place = 0
    for i, rule in _shortest_path(near):
        step = _step(rule, chain[place], chain[i], knowledge)
        if step is None:
            return None
        steps.append(step)
        place = i
    return tuple(steps)


def _one_step(
    chain: Sequence[Term], rulesets: Sequence[Ruleset], knowledge: Knowledge
) -> dict[tuple[Term, Term], AnyRule]:
    """What the rules make of each part of the terms, given that no two are equal."""
    every = list(postorder(*chain))
    found: dict[tuple[Term, Term], AnyRule] = {}
    matcher = matcher_of_terms(knowledge.knows)
    for pattern in (p for s in rulesets for r in s.rules for p in patterns(r)):
        for t in every:
            for constructor, arguments in views(t):
                if constructor == pattern.constructor:
                    for instance in matcher.instances(pattern, arguments):
                        found.setdefault((instance.first, instance.second), pattern.rule)
    for roots in ([], [chain[0], chain[-1]]):
        rows = TermRows(every, roots, knowledge=knowledge)
        graph = Snapshot(rows, CostModel(), rows.roots)
        for rule in (r for s in rulesets for r in s.bulk_rules):
            for cls, term in rule.find(graph):
                found.setdefault((graph.term(cls), term), rule)
    return found


def _rule_between(
    table: dict[tuple[Term, Term], AnyRule], before: Term, after: Term
) -> AnyRule | None:
    """A rule of which an instance leads from a term to another, or back."""
    for old, new in replacements(before, after):
        rule = table.get((old, new)) or table.get((new, old))
        if rule is not None:
            return rule
    return None


def _shortest_path(near: Sequence[Sequence[tuple[int, AnyRule]]]) -> list[tuple[int, AnyRule]]:
    """The places and rules on the shortest path from the first place to the last."""
    came: dict[int, tuple[int, AnyRule]] = {}
    queue = deque([0])
    while queue:
        i = queue.popleft()
        for j, rule in near[i]:
            if j != 0 and j not in came:
                came[j] = (i, rule)
                queue.append(j)
    path: list[tuple[int, AnyRule]] = []
    place = len(near) - 1
    while place != 0:
        before, rule = came[place]
        path.append((place, rule))
        place = before
    return path[::-1]


def _step(rule: AnyRule, before: Term, after: Term, knowledge: Knowledge) -> Step | None:
    """The step between two terms by a rule, forwards if possible."""
    for backwards in (False, True):
        if licence(rule, before, after, backwards, knowledge) is not None:
            return Step(f"{rule.ruleset}.{rule.name}", backwards, after)
    return None
