"""Small terms grouped by their values: pairs of equal ones are candidates for laws.

The method is Ruler's (Nandi et al. 2021, "Rewrite Rule Inference Using Equality Saturation"):
one term of every group is used to build larger ones, and no instance of a law found before is
looked at again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from eggrad.engine.oracle.fingerprints import Samples, fingerprint
from eggrad.engine.oracle.law_check import is_law
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, variables
from eggrad.engine.terms.term_patterns import matches
from eggrad.engine.workbench.workload import SIZE, Workload

__all__ = ["Enumeration", "Pair", "enumerate_terms"]


@dataclass(frozen=True)
class Pair:
    """Two terms that agree wherever the left one is defined; the right one is not larger."""

    left: Term
    right: Term
    nodes: int


@dataclass
class Enumeration:
    """What was enumerated: how many terms, in how many groups, and the pairs found.

    `instances` counts the terms that were passed over as instances of pairs found before. It is
    not `complete` where the limit on terms ended it.
    """

    pairs: list[Pair] = field(default_factory=list[Pair])
    terms: int = 0
    groups: int = 0
    instances: int = 0
    complete: bool = True


def enumerate_terms(workload: Workload, nodes: int, limit: int = 1_000_000) -> Enumeration:
    """All terms of a workload with so many nodes, shortest first; at most `limit` are evaluated.

    >>> from eggrad.engine.terms.term import variable
    >>> found = enumerate_terms(Workload("tiny", (variable("a"),), ("abs",)), 3)
    >>> len(found.pairs), found.complete
    (21, True)
    """
    search = _Search(workload)
    for term in workload.leaves():
        search.consider(term, 1)
    for size in range(2, nodes + 1):
        for term in search.terms_of(size):
            if search.found.terms == limit:
                search.found.complete = False
                return search.found
            search.consider(term, size)
    return search.found


class _Search:
    """The groups found so far, each with its first term."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.found = Enumeration()
        self._samples = Samples(workload.variables, SIZE)
        self._values: dict[Term, Array] = {}
        self._by_size: dict[int, list[Term]] = {}
        # First terms of groups by their dims and their values at fractions.
        self._groups: dict[object, list[Term]] = {}
        # Left sides by operation and operands' axes.
        self._patterns: dict[object, list[Term]] = {}

    def terms_of(self, size: int) -> Iterator[Term]:
        """The terms with so many nodes whose operands are first terms of groups."""
        known = self._by_size
        for a in known.get(size - 1, ()):
            yield from self.workload.unary(a)
        for a in known.get(size - 2, ()):
            yield from self.workload.powers(a)
        for first in range(1, size - 1):
            for a in known.get(first, ()):
                for k, b in enumerate(known.get(size - 1 - first, ())):
                    yield from self.workload.binary(a, b)
                    if 2 * first < size - 1 or (
                        2 * first == size - 1 and a in known[first][: k + 1]
                    ):
                        yield from self.workload.commutative(a, b)

    def consider(self, term: Term, size: int) -> None:
        """Find the group of a term, or begin one with it."""
        if size > 1 and not variables(term):
            return
        if self._is_instance(term):
            self.found.instances += 1
            return
        self.found.terms += 1
        values = self._samples.values(term, [self._values[a] for a in term.args])
        if np.isnan(values).all():
            return
        share = self._samples.fractions(term.dims)
        group = self._groups.setdefault((term.dims, fingerprint(values[:share])), [])
        for other in group:
            if _agree(values, self._values[other]) and is_law(term, other):
                self.found.pairs.append(Pair(term, other, size))
                self._patterns.setdefault(_key(term), []).append(term)
                return
        group.append(term)
        self.found.groups += 1
        self._values[term] = values
        self._by_size.setdefault(size, []).append(term)

    def _is_instance(self, term: Term) -> bool:
        patterns = self._patterns.get(_key(term), ())
        return any(next(matches(p, term), None) is not None for p in patterns)


def _key(t: Term) -> object:
    return (t.op, t.data, t.dims)


def _agree(values: Array, others: Array) -> bool:
    """Whether two terms agree wherever the first is defined."""
    own = ~np.isnan(values)
    return bool(np.allclose(values[own], others[own], rtol=1e-6, atol=1e-9))
