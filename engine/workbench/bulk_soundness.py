"""Whether a law on whole sums and products is true: every e-node it names, by the oracle."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.compile_rules import Relevance
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.errors import MISTAKES, RuleError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.matching import SYMBOLS, Closing
from eggrad.engine.laws.rule import BulkRule, Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder
from eggrad.engine.workbench.random_networks import (
    long_product,
    of_masks,
    random_exponentials,
    random_inverses,
    random_roots,
)
from eggrad.engine.workbench.shrinking import least, simpler_values
from eggrad.engine.workbench.soundness import Comparison, Soundness

GRAPHS: Final = 60
ITERATIONS: Final = 3
TOLERANCE: Final = 1e-7

Pair = tuple[Term, Term]


class RandomClasses:
    """E-graphs of random terms, in which some rulesets have run so that multiples are known."""

    def __init__(self, prepared: Sequence[Ruleset]) -> None:
        """Load the rules."""
        self._egraph = EGraph(
            Relevance({"all": tuple(r for ruleset in prepared for r in ruleset.rules)})
        )
        self._known: dict[int, Snapshot] = {}

    def number(self, seed: int) -> Snapshot:
        """The e-classes of the random terms of that number, which are kept."""
        if seed in self._known:
            return self._known[seed]
        rng = np.random.default_rng(seed)
        roots = random_exponentials(rng) if seed % 4 == 0 else random_roots(rng)
        roots += random_inverses(rng) if seed % 10 == 3 else []
        roots += [long_product(rng)] if seed % 10 == 7 else []
        roots += [of_masks(rng)] if seed % 10 == 9 else []
        self._known[seed] = found = self.of(roots)
        return found

    def of(self, roots: Sequence[Term]) -> Snapshot:
        """The e-classes of some terms."""
        self._egraph.push()
        self._egraph.load(*roots)
        for _ in range(ITERATIONS):
            self._egraph.iterate("all")
        self._egraph.complete_shapes()
        found = Snapshot(self._egraph, CostModel(), map(self._egraph.name, roots))
        self._egraph.pop()
        return found


def check_bulk_soundness(
    rule: BulkRule, classes: RandomClasses, instances: int = 1000
) -> Soundness:
    """Compare a number of e-nodes that a law names with their e-classes, in random graphs.

    Of laws that seldom find anything fewer are seen: there are `instances` / 10 graphs, at least
    60 of them.
    """
    graphs = max(GRAPHS, instances // 10)
    compared = with_size_one = 0
    for seed in range(graphs):
        for found in _comparisons(new_members(rule, classes.number(seed)), seed):
            compared += 1
            with_size_one += any(1 in t.dims for t in postorder(*found.sides))
            if found.flaw is not None:
                return Soundness(compared, with_size_one, _shrunk(rule, classes, found))
            if compared == instances:
                return Soundness(compared, with_size_one)
    return Soundness(compared, with_size_one)


def new_members(rule: BulkRule, graph: Snapshot) -> list[Pair]:
    """A term of each e-class in which the law finds another one, and that one."""
    try:
        found = list(rule.find(graph))
    except MISTAKES as error:
        raise RuleError(f"it raises {type(error).__name__}: {error}") from error
    pairs = ((graph.term(cls), term) for cls, term in found)
    return [(old, new) for old, new in pairs if old is not new]


def _comparisons(pairs: Sequence[Pair], seed: int) -> Iterator[Comparison]:
    """Each pair at random values, the same ones for all."""
    variables = terms.variables(*(t for pair in pairs for t in pair))
    values = oracle.random_values(variables, SYMBOLS, np.random.default_rng(seed))
    for pair in pairs:
        drawn = {v.name: values[v.name] for v in terms.variables(*pair)}
        found = _compared_pair(pair, drawn)
        if found.flaw in ("value", "undefined"):
            # Rounding is no refutation: with more digits its share disappears.
            found = _compared_pair(pair, {k: v.astype(np.longdouble) for k, v in drawn.items()})
        yield found


def _compared_pair(pair: Pair, values: Mapping[str, Array]) -> Comparison:
    left, right = oracle.evaluate(pair, values, SYMBOLS)
    return Comparison(
        pair, values, left, right, Closing({}), tolerance=TOLERANCE, absolute=TOLERANCE / 10
    )


def _shrunk(rule: BulkRule, classes: RandomClasses, found: Comparison) -> Comparison:
    """The counterexample in the smallest part of its term that has one, at plain values."""
    parts = [t for t in postorder(found.sides[0]) if t.args]
    for part in parts:
        pairs = new_members(rule, classes.of([part]))
        smaller = next((c for c in _comparisons(pairs, 0) if c.flaw == found.flaw), None)
        if smaller is not None:
            found = smaller
            break

    def plainer(known: Comparison) -> Iterator[Comparison]:
        values = simpler_values(known.values, _declared(known))
        tried = (_compared_pair(known.sides, v) for v in values)
        return (c for c in tried if c.flaw == known.flaw)

    return least(found, plainer).plain


def _declared(found: Comparison) -> list[str]:
    """The variables of which something is known."""
    data: list[Any] = [v.data for v in terms.variables(*found.sides)]
    return [name for name, assumed in data if assumed]
