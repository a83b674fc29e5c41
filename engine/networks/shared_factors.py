"""Products that have all factors of another one, which is computed anyway.

A search for the cheapest order of some factors does not see the other products of a DAG: of
`J' diag(p) J` and `p' J`, say, with a chain of many factors for J.
"""

from collections import Counter
from collections.abc import Iterator

from eggrad.engine.extraction import extract
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.networks.contraction_order import contract_terms, scaled
from eggrad.engine.networks.networks import Network, connected_order, product_network
from eggrad.engine.networks.symmetry import MAX_FACTORS, MAX_STEPS
from eggrad.engine.terms.term import Term

__all__ = ["embedding", "made_from_others"]

# Of larger DAGs products are not compared.
MAX_CLASSES = 400


def made_from_others(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The products of the cheapest DAG that have all factors of others, made from those."""
    choice = graph.cheap_dag(graph.root_classes)
    used = extract.used(choice, graph.root_classes)
    if len(used) > MAX_CLASSES:
        return
    networks = {
        cls: product_network(graph, cls, choice[cls], MAX_FACTORS)
        for cls in _wholes(choice, used, graph.root_classes)
    }
    classes = {cls: Counter(c for c, _ in n.factors) for cls, n in networks.items()}
    for cls, large in networks.items():
        below = {*extract.used(choice, [cls])}
        for other, small in networks.items():
            if other not in below and len(small.factors) > 2 and classes[other] < classes[cls]:
                made = _made_from(graph, large, graph.term(other), small)
                if made is not None:
                    yield cls, made


def _wholes(choice: dict[int, ENode], used: list[int], roots: list[int]) -> list[int]:
    """The products of a DAG that are not merely factors of one other product."""
    products = [c for c in used if choice[c].constructor == "ein"]
    inside = Counter(c for p in products for c in choice[p].children)
    others = (choice[c] for c in used if choice[c].constructor != "ein")
    outside = {*roots, *(c for node in others for c in node.children)}
    return [c for c in products if c in outside or inside[c] > 1]


def _made_from(graph: Snapshot, large: Network, done: Term, small: Network) -> Term | None:
    """A network made from a smaller one that is computed already; None if it lacks factors."""
    found = embedding(small, large)
    if found is None:
        return None
    names, places = found
    rest = (f for k, f in enumerate(large.factors) if k not in places)
    pool = [(graph.term(c), indices) for c, indices in rest]
    pool.append((done, tuple(names[i] for i in small.out)))
    made = contract_terms(graph, large, pool, large.out, exact=True)
    return scaled(large.coefficient / small.coefficient, made)


def embedding(small: Network, large: Network) -> tuple[dict[int, int], set[int]] | None:
    """Where a network has the factors of a smaller one: its indices for theirs, and the places.

    None where it has not, or where what the smaller one sums over is needed elsewhere.

    >>> small = Network(((7, (0, 1)), (8, (1,))), (0,), {0: "m", 1: "n"})
    >>> large = Network(((8, (5,)), (7, (3, 5)), (9, (3,))), (3,), {3: "m", 5: "n"})
    >>> embedding(small, large)
    ({0: 3, 1: 5}, {0, 1})
    """
    order = connected_order(small.factors, small.out)
    stack: list[tuple[dict[int, int], tuple[int, ...]]] = [({}, ())]
    for _ in range(MAX_STEPS):
        if not stack:
            return None
        names, places = stack.pop()
        if len(places) == len(order):
            rest = (part for k, (_, part) in enumerate(large.factors) if k not in places)
            needed = {i for part in (large.out, *rest) for i in part}
            if all(i in small.out or j not in needed for i, j in names.items()):
                return names, {*places}
            continue
        cls, part = small.factors[order[len(places)]]
        for k, (other, theirs) in reversed([*enumerate(large.factors)]):
            if other == cls and k not in places:
                # An index that is there twice must be the same one twice.
                extended = dict(names)
                same = all(
                    extended.setdefault(i, j) == j for i, j in zip(part, theirs, strict=True)
                )
                if same and len({*extended.values()}) == len(extended):
                    stack.append((extended, (*places, k)))
    return None
