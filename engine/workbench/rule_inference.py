"""Candidates for rules: small terms that are equal by their values and not by the rules."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Final

import numpy as np

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.equality.equivalence import prove_at_once, search
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.oracle.fingerprints import Samples, fingerprint
from eggrad.engine.oracle.oracle import is_law
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import FUNCTIONS, UNARY, function_of
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    negate,
    postorder,
    power,
    subtract,
    variable,
    variables,
)
from eggrad.engine.terms.term_patterns import (
    entry_by_entry,
    is_symmetric_product,
    matches,
    substituted,
)

# What small terms are made of: variables, constants, and operations that apply to some operands.
#
# A workload is the grammar of one inference (Pal et al. 2023, "Equality Saturation Theory
# Exploration à la Carte").


SIZE: Final = "n"
"""The size of every axis."""

NESTED: Final = 2
"""How many functions are applied one after the other: of three, laws are seldom wanted."""

_NUMBERS: Final = (Fraction(0), Fraction(1), Fraction(2), Fraction(-1), Fraction(1, 2))
_EXPONENTS: Final = (Fraction(2), Fraction(-1), Fraction(1, 2))
# Sums, transposes and diagonals by the order of the operand.
_UNARY: Final = {0: (), 1: ("i->",), 2: ("ij->ji", "ii->", "ii->i", "ij->", "ij->i", "ij->j")}
# Products by the orders of the operands; those of equal orders, entry by entry, come first.
_BINARY: Final = {
    (0, 0): (",->",),
    (0, 1): (",i->i",),
    (0, 2): (",ij->ij",),
    (1, 1): ("i,i->i", "i,i->", "i,j->ij"),
    (2, 1): ("ij,j->i", "ij,i->j", "ij,i->ij", "ij,j->ij"),
    (2, 2): ("ij,ij->ij", "ij,ij->", "ij,jk->ik"),
}


@dataclass(frozen=True)
class Workload:
    """Variables whose axes all have the size `n`, and the functions that are applied.

    `functions` are element-wise, `matrix_functions` those of square matrices; sums, products,
    quotients, transposes, diagonals, traces and small powers apply wherever the axes allow.
    """

    name: str
    variables: tuple[Term, ...]
    functions: tuple[str, ...] = ()
    matrix_functions: tuple[str, ...] = ()

    def leaves(self) -> list[Term]:
        """Terms of one node: numbers, variables, zeros and ones of their axes, the identity."""
        axes = sorted({v.dims for v in self.variables} - {()}, key=len)
        filled = [constant(c, d) for d in axes for c in (0, 1)]
        identity = [delta((SIZE,))] if (SIZE, SIZE) in axes else []
        return [*map(constant, _NUMBERS), *self.variables, *filled, *identity]

    def unary(self, a: Term) -> Iterator[Term]:
        """Every operation on one operand."""
        yield negate(a)
        for spec in _UNARY[a.order]:
            yield einsum(spec, a)
        if _nesting(a) < NESTED:
            for name in self.functions:
                yield apply(name, a)
        if a.order == 2:
            for name in self.matrix_functions:
                yield apply(name, a)

    def powers(self, a: Term) -> Iterator[Term]:
        """Small powers, entry by entry; a delta has no reciprocal."""
        for p in _EXPONENTS:
            if p > 0 or a.op != "delta":
                yield power(a, constant(p))

    def binary(self, a: Term, b: Term) -> Iterator[Term]:
        """Every operation on two operands in that order; what commutes, in one order only."""
        if a.dims == b.dims:
            yield subtract(a, b)
        if (a.dims == b.dims or not a.dims or not b.dims) and b.op != "delta":
            yield divide(a, b)
        for spec in _BINARY.get((a.order, b.order), ()):
            made = einsum(spec, a, b)
            if not is_symmetric_product(made):
                yield made

    def commutative(self, a: Term, b: Term) -> Iterator[Term]:
        """Every operation on two operands for which their order does not matter."""
        if a.dims == b.dims:
            yield add(a, b)
            for spec in _BINARY[a.order, b.order]:
                made = einsum(spec, a, b)
                if is_symmetric_product(made):
                    yield made


def _nesting(t: Term) -> int:
    """How many element-wise functions are applied one after the other."""
    return max(map(_nesting, t.args), default=0) + (function_of(t.op, t.data) is not None)


def workloads() -> tuple[Workload, ...]:
    """Those inferred from where nothing else is said: functions, vectors, matrices.

    Laws of element-wise functions are the same for numbers and for the entries of a tensor, so
    tensors have four functions only.
    """
    a, b = variable("a"), variable("b")
    x, y = variable("x", (SIZE,)), variable("y", (SIZE,))
    left, right = variable("A", (SIZE, SIZE)), variable("B", (SIZE, SIZE))
    return (
        Workload("functions", (a, b), tuple(f for f in UNARY if not FUNCTIONS[f].stepwise)),
        Workload("vectors", (a, x, y), ("abs", "sign", "exp")),
        Workload("matrices", (a, x, left, right), (), tuple(MATRIX_FUNCTIONS)),
    )


# Small terms grouped by their values: pairs of equal ones are candidates for laws.
#
# The method is Ruler's (Nandi et al. 2021, "Rewrite Rule Inference Using Equality Saturation"):
# one term of every group is used to build larger ones, and no instance of a law found before is
# looked at again.


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
    """All terms of a workload with that many nodes, shortest first; `limit` are evaluated at most.

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
        """The terms of a number of nodes whose operands are first terms of groups."""
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
    defined = ~np.isnan(values)
    return bool(np.allclose(values[defined], others[defined], rtol=1e-6, atol=1e-9))


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
        renamed = [substituted(side, n) for side, n in zip(sides, names, strict=True)]
        simple = simplifying.simplify(renamed, Budget(nodes=BATCH * NODES)).terms
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
            for pattern, result in ((law.left, law.right), (law.right, law.left)):
                if set(variables(result)) <= set(variables(pattern)):
                    assumed += ((part, substituted(result, b)) for b in matches(pattern, part))
    return bool(assumed) and search(system, pair.left, pair.right, PROOF, equal=assumed).found


def _cost(term: Term) -> int:
    """What a term costs, shared parts once."""
    graph = Snapshot(TermRows(postorder(term)), CostModel())
    return sum(graph.cost(cls, node) for cls, (node,) in graph.members.items())
