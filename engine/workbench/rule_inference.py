"""Candidates for rules: small terms that are equal by their values and not by the rules."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.equality.equivalence import prove_at_once, search
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.oracle.law_check import is_law
from eggrad.engine.saturation.report import Budget
from eggrad.engine.saturation.stages import System
from eggrad.engine.terms.term import Term, postorder, variable, variables
from eggrad.engine.terms.term_patterns import entry_by_entry, matches, substituted
from eggrad.engine.workbench.enumeration import Pair

__all__ = ["Candidate", "candidates"]

# Samples at which a candidate is checked at the end.
SAMPLES: Final = 300
# Left sides that are simplified at once, and e-nodes for each of them.
BATCH: Final = 40
NODES: Final = 1000
# What a proof may take: small terms that are equal by the rules meet soon.
PROOF: Final = Budget(nodes=3_000, iterations=2)


@dataclass(frozen=True)
class Candidate:
    """A law that may be missing: the left side, which is dearer or larger, equals the right one.

    If it is `proved`, the rules for comparing prove it, but simplification leaves the left side
    dearer than the right one.
    """

    left: Term
    right: Term
    nodes: int
    proved: bool


def candidates(
    pairs: Iterable[Pair], simplifying: System, comparing: System
) -> Iterator[Candidate]:
    """The pairs that the rules do not prove, or do not simplify, in the order given.

    Pass pairs shortest first: one that rules prove with the help of candidates before it is
    left out, and one that states for tensors, entry by entry, what another states for numbers.
    """
    found: list[Candidate] = []
    for pair in _not_simplified(pairs, simplifying):
        left, right = pair.left, pair.right
        if not set(variables(right)) <= set(variables(left)) or not _is_new(pair, found):
            continue
        proved = _is_proved(comparing, left, right)
        if proved and _cost(simplifying.simplify([left]).term) <= _cost(right):
            continue
        if _follows(simplifying if proved else comparing, pair, found):
            continue
        if not is_law(left, right, SAMPLES):
            continue
        made = Candidate(left, right, pair.nodes, proved)
        found.append(made)
        yield made


def _not_simplified(pairs: Iterable[Pair], simplifying: System) -> Iterator[Pair]:
    """The pairs whose sides are not simplified to one term.

    Many are simplified at once, each side with variables of its own.
    """
    rest = iter(pairs)
    while batch := list(islice(rest, BATCH)):
        sides = [side for p in batch for side in (p.left, p.right)]
        names = [
            {v: variable(f"{v.name}_{k}", v.dims) for v in variables(side)}
            for k, side in enumerate(sides)
        ]
        own = [substituted(side, n) for side, n in zip(sides, names, strict=True)]
        simple = simplifying.simplify(own, Budget(nodes=BATCH * NODES)).terms
        back = [
            substituted(term, {v: k for k, v in n.items()})
            for term, n in zip(simple, names, strict=True)
        ]
        for pair, left, right in zip(batch, back[::2], back[1::2], strict=True):
            if left is not right:
                yield pair


def _is_new(pair: Pair, known: Sequence[Candidate]) -> bool:
    """Whether a pair is no instance of a candidate, also not entry by entry."""
    lowered = entry_by_entry(pair.left), entry_by_entry(pair.right)
    sides = [(pair.left, pair.right)]
    if lowered[0] is not None and lowered[1] is not None:
        sides.append((lowered[0], lowered[1]))
    return not any(_is_instance(c, left, right) for c in known for left, right in sides)


def _is_instance(law: Candidate, left: Term, right: Term) -> bool:
    return any(
        next(matches(law.right, right, bound), None) is not None
        for bound in matches(law.left, left)
    )


def _is_proved(comparing: System, left: Term, right: Term) -> bool:
    early = prove_at_once(comparing.strategy, left, right)
    return early.found or search(comparing, left, right, PROOF).found


def _follows(system: System, pair: Pair, known: Sequence[Candidate]) -> bool:
    """Whether rules prove a pair together with instances of other candidates."""
    assumed: list[tuple[Term, Term]] = []
    for part in postorder(pair.left, pair.right):
        for law in known:
            for own, other in ((law.left, law.right), (law.right, law.left)):
                if set(variables(other)) <= set(variables(own)):
                    assumed += ((part, substituted(other, b)) for b in matches(own, part))
    return bool(assumed) and search(system, pair.left, pair.right, PROOF, equal=assumed).found


def _cost(term: Term) -> int:
    """What a term costs, shared parts once."""
    graph = Snapshot(TermRows(postorder(term)), CostModel())
    return sum(graph.cost(cls, node) for cls, (node,) in graph.members.items())
