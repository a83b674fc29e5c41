"""Normal forms: sums of products that are equal up to their form are one e-class.

They are for comparing terms; nothing gets shorter by them.
"""

from collections.abc import Iterator
from functools import partial
from itertools import combinations, permutations, product

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.normal_forms.reading import (
    ALL,
    ENTRYWISE,
    below,
    forms_of,
    has_inverse,
    intertwined,
    inverses_found,
    roots_of,
    same_entries,
    same_forms,
    same_sums,
    vanishes_beside,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

normal_forms = Ruleset(
    "normal_forms", "sums of products in normal form", "the number of classes: they only unite"
)
# They read two terms alone as well as an e-graph, whatever the sizes are.
comparing = partial(normal_forms.bulk_rule, sizeless=True, of_terms=True)


@comparing(cite="polynomial rings; contraction networks up to isomorphism")
def same_polynomial(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Sums of products that are the same when multiplied out are equal, deltas contracted."""
    return same_sums(graph, ())


@comparing(
    cite="exp(a + b) = exp a · exp b; log(a·b) = log a + log b; Euler 1748; fields of fractions",
    exceptions="a denominator is 0",
)
def same_rational_function(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """So with p·p⁻¹ = 1, aᵖ = exp(p·log a), logs of products, 2·cos a = eⁱᵃ + e⁻ⁱᵃ, |a|² = a²."""
    return same_sums(graph, ENTRYWISE)


@comparing(cite="tensors are equal if all entries are; Leibniz formula")
def same_entry_by_entry(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Tensors of few entries are equal where their entries are, determinants written out."""
    forms = forms_of(graph, ENTRYWISE, by_places=True, written_out=True)
    for cls, other in combinations(roots_of(graph), 2) if forms.singled else ():
        if graph.dims[cls] == graph.dims[other] and same_entries(forms, cls, other):
            yield cls, graph.term(other)


@comparing(cite="fields of fractions", exceptions="a denominator is 0")
def same_over_denominators(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Sums of fractions are equal if their difference is zero over the common denominator."""
    forms = forms_of(graph, ENTRYWISE)
    for cls, other in combinations(roots_of(graph), 2):
        if graph.dims[cls] == graph.dims[other]:
            known = [(forms.polynomial(cls), 1), (forms.polynomial(other), -1)]
            if not forms.cleared(forms.sum(known), graph.dims[cls]):
                yield cls, graph.term(other)


@comparing(
    cite="Petersen, Pedersen 2012, The Matrix Cookbook, equation 145",
    exceptions="a singular matrix",
)
def same_with_inverses(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """So are rational functions of matrices, with p·inv(p) = δ for a sum p as well."""
    if has_inverse(graph):
        yield from same_forms(forms_of(graph, ALL))
        yield from same_forms(forms_of(graph, ALL, least=True))


@comparing(cite="the inverse of a matrix is unique", exceptions="a singular matrix")
def unique_inverse(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """b = a⁻¹ where a·b = δ, for square matrices."""
    for least in (False, True) if has_inverse(graph) else ():
        yield from inverses_found(forms_of(graph, ALL, least=least))


@comparing(
    cite="multiplied by both inverses; push-through identity", exceptions="a singular matrix"
)
def intertwined_inverses(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a⁻¹·b = b·c⁻¹ where a·b = b·c."""
    forms = forms_of(graph, ALL)
    classes = below(forms.graph)
    inverses = {
        c: m.children[0] for c in classes for m in graph.members[c] if m.constructor == "inv"
    }
    for (first, a), (second, c) in permutations(inverses.items(), 2):
        outer = (graph.dims[first][0], graph.dims[second][0])
        for b, turned in product(classes, (False, True)):
            fits = graph.dims[b] == (outer[::-1] if turned else outer)
            if fits and intertwined(forms, a, b, c, turned=turned):
                whole = forms.matrix_product(first, b, "right" * turned)
                spec = "ji,jk->ik" if turned else "ij,jk->ik"
                for cls in classes:
                    if graph.dims[cls] == outer and forms.polynomial(cls) == whole:
                        yield cls, terms.einsum(spec, graph.term(b), graph.term(second))


@comparing(cite="multiplied by what was inverted", exceptions="a singular matrix")
def same_beside_inverses(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Matrices p and q are equal if a·(p - q)·b = 0, for the arguments a and b of inverses."""
    forms = forms_of(graph, ALL)
    for cls, other in combinations(roots_of(graph), 2) if has_inverse(graph) else ():
        if graph.dims[cls] == graph.dims[other] and vanishes_beside(forms, cls, other):
            yield cls, graph.term(other)
