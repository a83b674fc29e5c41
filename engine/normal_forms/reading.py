"""The e-classes of a snapshot by their normal forms."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import cast

from eggrad.engine.costs.cost import NormalModel
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.networks.sums_and_products import united
from eggrad.engine.normal_forms.functions import entry
from eggrad.engine.normal_forms.networks import TooLarge
from eggrad.engine.normal_forms.normal_form import NormalForms
from eggrad.engine.terms.term import Term

ENTRYWISE = ("exponentials", "powers", "denominators", "units")
ALL = (*ENTRYWISE, "inverses")


def forms_of(
    graph: Snapshot,
    laws: Sequence[str],
    *,
    least: bool = False,
    by_places: bool = False,
    written_out: bool = False,
) -> NormalForms:
    """The normal forms of a snapshot; made once, the e-classes are read once."""
    at = graph.remember("at normal forms", lambda: graph.at(NormalModel()))
    return graph.remember(
        ("normal forms", laws, least, by_places, written_out),
        lambda: NormalForms(at, laws, least=least, by_places=by_places, written_out=written_out),
    )


def same_sums(graph: Snapshot, laws: Sequence[str]) -> Iterator[tuple[int, Term]]:
    """E-classes with the same normal form, if need be with short axes place by place."""
    yield from same_forms(forms_of(graph, laws))
    forms = forms_of(graph, laws, by_places=True)
    if forms.singled:
        yield from same_forms(forms)


def same_forms(forms: NormalForms) -> Iterator[tuple[int, Term]]:
    """For each e-class below the roots a term of the first one with the same normal form."""
    at = forms.graph
    return united(at, ((cls, frozenset(forms.polynomial(cls).items())) for cls in below(at)))


def has_inverse(graph: Snapshot) -> bool:
    """Whether there is an inverse that a relation could be about."""
    at = forms_of(graph, ALL).graph
    return any(at.choice[cls].constructor == "inv" for cls in below(at))


def roots_of(graph: Snapshot) -> list[int]:
    """The e-classes that are asked about; where none is, all."""
    return list(dict.fromkeys(graph.root_classes or graph.classes))


def below(graph: Snapshot) -> list[int]:
    """The e-classes of the cheapest trees of the roots, each once; without roots, all."""
    found: dict[int, None] = {}
    stack = roots_of(graph)[::-1]
    while stack:
        cls = stack.pop()
        if cls not in found:
            found[cls] = None
            stack.extend(reversed(graph.choice[cls].children))
    return list(found)


def inverses_found(forms: NormalForms) -> Iterator[tuple[int, Term]]:
    """E-classes whose product with the argument of an inverse is the identity."""
    graph = forms.graph
    classes = below(graph)
    for cls in classes:
        dims = graph.dims[cls]
        for argument in [m.children[0] for m in graph.members[cls] if m.constructor == "inv"]:
            identity = forms.contract([], (0, 0), {0: dims[0]})
            for other in classes:
                fits = graph.dims[other] == dims and other != cls
                if fits and forms.matrix_product(argument, other) == identity:
                    yield cls, graph.term(other)


def intertwined(forms: NormalForms, a: int, b: int, c: int, *, turned: bool) -> bool:
    """Whether a·b = b·c, where b is a matrix or, if it is `turned`, the transpose of one."""
    whole = forms.matrix_product(a, b, "right" * turned)
    return whole is not None and whole == forms.matrix_product(b, c, "left" * turned)


# Inverses that a difference is multiplied by what they are inverses of, on each side.
SIDES = 4


def vanishes_beside(forms: NormalForms, cls: int, other: int) -> bool:
    """Whether the difference of two matrices is 0 times what inverses are of, on one side or both.

    Of vectors the first axis alone is multiplied.
    """
    graph = forms.graph
    dims = graph.dims[cls]
    if not 1 <= len(dims) <= 2:
        return False
    arguments = dict.fromkeys(
        m.children[0] for c in below(graph) for m in graph.members[c] if m.constructor == "inv"
    )
    difference = forms.sum([(forms.polynomial(cls), 1), (forms.polynomial(other), -1)])
    sides = [[None, *(a for a in arguments if graph.dims[a] == (d, d))][: 1 + SIDES] for d in dims]
    for chosen in product(*sides):
        placed = [(difference, tuple(range(len(dims))))]
        out, sizes = list(range(len(dims))), dict(enumerate(dims))
        for k, a in enumerate(chosen):
            if a is not None:
                out[k] = len(dims) + k
                sizes[out[k]] = dims[k]
                placed.append((forms.polynomial(a), (out[k], k) if k == 0 else (k, out[k])))
        if any(a is not None for a in chosen) and forms.vanishes(placed, tuple(out), sizes):
            return True
    return False


# Entries of which each is compared by itself.
ENTRIES = 16


def same_entries(forms: NormalForms, cls: int, other: int) -> bool:
    """Whether two tensors of few entries are the same in each of them."""
    dims = forms.graph.dims[cls]
    if not (dims or forms.written) or not forms.singled.issuperset(d for d in dims if d != 1):
        return False
    short = [range(cast(int, d)) for d in dims]
    if prod(map(len, short)) > ENTRIES:
        return False
    difference = forms.sum([(forms.polynomial(cls), 1), (forms.polynomial(other), -1)])
    forms.products = 0
    try:
        return not any(entry(forms, difference, dims, place) for place in product(*short))
    except TooLarge:
        return False
