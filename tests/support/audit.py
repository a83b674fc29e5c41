"""The audit: every e-node of every e-class has the same value, and what is known of it is so."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.laws.properties import PROPERTIES, holds
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, parts, postorder, product_parts

# An inverse of larger entries is that of a singular matrix, which rounding has made another.
HUGE: Final = 1e10


def audit(
    graph: Snapshot,
    values: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
    tolerance: float = 1e-6,
    given: Iterable[Term] = (),
) -> list[tuple[int, ENode]]:
    """The e-nodes that disagree with the first term of their e-class, wherever that is defined.

    The first term of an e-class is one of those `given` and their parts, or else the cheapest. A
    e-node has to be defined where it is; beside a constant, such as 0·log x beside 0, it need not
    be. E-nodes with operands that no term stands for are left out.
    """
    known = set(graph.classes)
    first = _first_terms(graph, given)
    found: list[tuple[int, ENode]] = []
    pairs: list[Term] = []
    for cls in graph.classes:
        for member in graph.members[cls]:
            if known.issuperset(member.children):
                args = tuple(graph.term(c) for c in member.children)
                found.append((cls, member))
                pairs += [first.get(cls) or graph.term(cls), graph.as_term(member, args)]
    results = oracle.evaluate(pairs, values, sizes)
    both = zip(found, results[::2], results[1::2], strict=True)
    return [
        place
        for place, left, right in both
        if not _agree(left, right, tolerance, strict=not graph.has(place[0], ("constant",)))
    ]


def false_properties(
    graph: Snapshot, values: Mapping[str, Any], sizes: Mapping[str, int] | None = None
) -> list[tuple[str, Term]]:
    """What is known of e-classes and not so at some values, each with the e-class's cheapest term.

    The values are as they are declared, and none that is an exception without interior.
    """
    claims = [(p, graph.term(c)) for c in graph.classes for p in PROPERTIES if graph.knows(c, p)]
    results = oracle.evaluate([t for _, t in claims], values, sizes)
    both = zip(claims, results, strict=True)
    return [(p, t) for (p, t), v in both if np.abs(v).max(initial=0) < HUGE and not holds(p, v)]


def _first_terms(graph: Snapshot, given: Iterable[Term]) -> dict[int, Term]:
    """The first of some terms, and of their parts, in each e-class."""
    places = {(m[:3]): cls for cls, members in graph.members.items() for m in members}
    classes: dict[Term, int] = {}
    found: dict[int, Term] = {}
    for t in postorder(*given):
        for constructor, data, args in (parts(t), product_parts(t)):
            if all(a in classes for a in args):
                key = (constructor, data, tuple(classes[a] for a in args))
                if key in places:
                    classes[t] = places[key]
                    found.setdefault(places[key], t)
    return found


def _agree(left: Array, right: Array, tolerance: float, *, strict: bool) -> bool:
    if left.shape != right.shape:
        return False
    finite = np.isfinite(left)
    if strict and not np.isfinite(right[finite]).all():
        return False
    finite &= np.isfinite(right)
    scale = 1 + np.max(np.abs(left[finite]), initial=0.0)
    return bool(np.all(np.abs(left[finite] - right[finite]) <= tolerance * scale))
