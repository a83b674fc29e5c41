"""Tensors with few entries that are not 0: products with indicators, deltas and selections, summed.

Banded matrices are such sums, and Hessians of what reads its argument at places.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from typing import Final

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.affine import indices
from eggrad.engine.indices.indicator_plan import Chosen
from eggrad.engine.indices.spec import Indices
from eggrad.engine.networks.networks import (
    MAX_FACTORS,
    Network,
    Placed,
    contract_terms,
    like_terms_added,
    read_by_operands,
    scaled,
    unscaled_key,
    with_product,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# A sum of more products is left as it is.
MOST_SUMMANDS: Final = 32

Sum = Sequence[Network]


def entries_apart(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Tensors with few entries, some factors of which are sums, as sums of products."""
    known = read_by_operands(graph, partial(_read, graph)) if graph.sparsity else {}
    inside = {c for cls in known for c in graph.choice[cls].children}
    whole = {*graph.root_classes, *(graph.users.keys() - inside)}
    for cls, summands in known.items():
        if cls in whole and len(summands) > 1 and graph.first_time(("entries apart", cls)):
            yield cls, reduce(terms.add, [_written(graph, s) for s in summands])


def _read(graph: Snapshot, cls: int, known: Mapping[int, Sum]) -> Sum | None:
    """The products that an e-class is the sum of, if all of them have few entries."""
    dims, node = graph.dims[cls], graph.choice[cls]
    out = tuple(range(len(dims)))
    found: list[Network] = []
    if len(dims) < 2:
        return None
    if graph.sparsity.get(cls):
        found = [Network(((cls, out),), out, dict(zip(out, dims, strict=True)))]
    elif node.constructor in ("ein", "ein1", "scale", "negate"):
        found = _product(graph, cls, known)
    elif node.constructor in ("add", "subtract") and all(c in known for c in node.children):
        first, second = (known[c] for c in node.children)
        sign = -1 if node.constructor == "subtract" else 1
        others = (replace(s, coefficient=sign * s.coefficient) for s in second)
        found = like_terms_added([*first, *others], unscaled_key)
    few = 0 < len(found) <= MOST_SUMMANDS and all(_is_sparse(graph, s) for s in found)
    return found if few else None


def _product(graph: Snapshot, cls: int, known: Mapping[int, Sum]) -> list[Network]:
    """A product as the sum of those of its factors' summands."""
    node, order = graph.choice[cls], len(graph.dims[cls])
    same = tuple(range(order))
    spec = node.spec if node.constructor in ("ein", "ein1") else (same, same)
    name = {i: k for k, i in enumerate(dict.fromkeys([*spec[-1], *sum(spec, ())]))}
    *parts, out = (tuple(name[i] for i in part) for part in spec)
    factors = tuple(zip(node.children, parts, strict=True))
    sizes = {i: d for c, part in factors for i, d in zip(part, graph.dims[c], strict=True)}
    number = node.value if node.constructor in ("scale", "negate") else Fraction(1)
    found = [Network(factors, out, sizes, number)]
    for place in reversed(range(len(factors))):
        inner = known.get(node.children[place], ())
        if inner and len(inner) * len(found) <= MOST_SUMMANDS:
            found = [network.with_factor(place, s) for network in found for s in inner]
    return found


def _is_sparse(graph: Snapshot, network: Network) -> bool:
    """Whether places along an axis tell those along others, so that few indices are free."""
    free, fixed = {*network.out}, 0
    for c, part in network.factors:
        free.update(part)
        match graph.sparsity.get(c):
            case Chosen(count):
                fixed += count
            case tuple() as conditions:
                fixed += sum(r == "=" and len({*indices(f)}) > 1 for r, f in conditions)
            case known:
                fixed += len(part) // 2 if known else 0
    return len(free) - fixed < len(network.out) and len(network.factors) <= MAX_FACTORS


def _written(graph: Snapshot, network: Network) -> Term:
    """The product whose indicators are multiplied first, which makes them one, as do selections.

    A number is multiplied with a factor beside them, which has fewer entries.
    """
    places = [k for k, (c, _) in enumerate(network.factors) if graph.sparsity.get(c)]
    beside = [f for k, f in enumerate(network.factors) if k not in places]
    pool = [(graph.term(c), part) for c, part in beside]
    needed = {*network.out, *(i for _, part in beside for i in part)}
    sparse = [(graph.term(c), part) for c, part in sorted(network.factors[k] for k in places)]
    chosen = [f for f in sparse if f[0].op == "selection"]
    whole = _joined(chosen) if len({t for t, _ in chosen}) > 1 else None
    sparse = [f for f in sparse if f not in chosen] + [whole] if whole else sparse
    kept = tuple(dict.fromkeys(i for _, part in sparse for i in part if i in needed))
    pool.append((contract_terms(graph, network, sparse, kept), kept))
    first, part = pool[0]
    pool[0] = scaled(network.coefficient, first), part
    return contract_terms(graph, network, pool, network.out)


# Selections with the same rows as one, which chooses from the axes of both.


def selections_joined(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """The product in which one selection stands for different ones that have the same rows."""
    groups: dict[Indices, list[int]] = {}
    for k, (c, part) in enumerate(network.factors):
        if isinstance(graph.sparsity.get(c), Chosen):
            groups.setdefault(part[:-1], []).append(k)
    for places in (group for group in groups.values() if len(group) > 1):
        whole = _joined([(graph.term(c), p) for c, p in sorted(network.factors[k] for k in places)])
        if whole is not None and graph.first_time(("selections", cls, network, *places)):
            yield with_product(graph, network, places, whole)


def _joined(selections: Sequence[Placed]) -> Placed | None:
    """Different selections with the same rows as one of all their axes; None where they are not."""
    distinct = len({term for term, _ in selections}) == len(selections)
    if not distinct or any(
        term.op != "selection" or len(term.chosen) > 1 for term, _ in selections
    ):
        return None
    rows = selections[0][1][:-1]
    whole = (*rows, *(part[-1] for _, part in selections))
    if any(part[:-1] != rows for _, part in selections) or len({*whole}) < len(whole):
        return None
    sizes = tuple(term.chosen[0] for term, _ in selections)
    return terms.numeric("selection", *(term.args[0] for term, _ in selections), data=sizes), whole
