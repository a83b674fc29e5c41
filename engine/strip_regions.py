"""Arrays too large for the cache, computed in strips: some places along one axis at a time.

Nodes that keep that axis apart are computed one after the other for a strip, which stays in the
cache from the first to the last; where a product sums over the axis, the strips' shares are
added. So a matrix is read once for all that needs it, and no intermediate result is stored whole.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Final, cast

from eggrad.engine.binding import symbols
from eggrad.engine.cost import CostModel
from eggrad.engine.functions import LOWERED
from eggrad.engine.indicator_code import by_views
from eggrad.engine.spec import Dims, Size, Spec
from eggrad.engine.stacking import find_stacks
from eggrad.engine.strip_operands import Place, StripOperands
from eggrad.engine.strips import BLOCK
from eggrad.engine.term import (
    ELEMENTWISE,
    Term,
    for_code,
    postorder,
    rebuild,
)

__all__ = ["Strips", "in_strips", "strips_of"]

# An array of so many entries leaves the cache before it is read again.
BEYOND_CACHE: Final = 1_000_000
# Beside a strip there is room for this much in the cache.
MAX_WHOLE: Final = 262_144
# A product with more multiplications an entry does not wait for memory.
MAX_MULTIPLICATIONS: Final = 64
# Of a large term the first few ways to cut it are looked at, and the best few taken.
MAX_REGIONS: Final = 40
MAX_STRIPS: Final = 10
_ALL_ENTRYWISE: Final = frozenset(
    {"add", "subtract", "divide", "power", "negate", *ELEMENTWISE, *LOWERED}
)

# The index along which each node of a region is cut.
Cuts = Mapping[Term, int]


@dataclass(frozen=True, eq=False)
class Strips:
    """What is computed in strips: `terms`, of a strip of some operands and of others whole.

    `parameters` are the variables that stand for the operands. `axes` has the axis along which
    each operand is cut, `kept` that along which the results lie side by side, and None for an
    operand that is whole and for a result that is summed. `width` has factors of the number
    of entries at one place of the axis, `sizes` are symbols of `terms` that no operand fixes.
    """

    terms: tuple[Term, ...]
    parameters: tuple[Term, ...]
    axes: tuple[int | None, ...]
    kept: tuple[int | None, ...]
    width: Dims
    sizes: tuple[str, ...]


def in_strips(roots: Sequence[Term], model: CostModel) -> tuple[Term, ...]:
    """The same roots; what is better computed in strips has become results of `Strips`."""
    for _ in range(MAX_STRIPS):
        nodes = list(postorder(*roots))
        # A sum of outer products is one product of matrices, which is computed whole.
        stacks, absorbed = find_stacks(roots, model)
        regions = list(islice(_regions(nodes, {*stacks, *absorbed}, model), MAX_REGIONS))
        saved = [_saved(cuts, _results(roots, nodes, cuts), model) for cuts in regions]
        if max(saved, default=0) <= 0:
            break
        roots = _replaced(roots, nodes, regions[saved.index(max(saved))], model)
    return tuple(roots)


def strips_of(roots: Sequence[Term]) -> list[Strips]:
    """What of some terms is computed in strips, each once, in the order in which it is needed."""
    results = (node for node in postorder(*roots) if node.op == "by_strips")
    return list(dict.fromkeys(cast(tuple[Strips, int], node.data)[0] for node in results))


def _regions(nodes: Sequence[Term], whole: Set[Term], model: CostModel) -> Iterator[Cuts]:
    """What can be computed in strips: along each index of each node that has something large."""
    users: dict[Term, list[Term]] = {}
    for node in nodes:
        for a in set(node.args):
            users.setdefault(a, []).append(node)
    met: set[tuple[Term, int]] = set()
    for node in nodes:
        spec = _spec(node)
        if spec and any(_is_large(t, model) for t in (node, *node.args)):
            for i in dict.fromkeys(i for part in spec for i in part):
                if (node, i) not in met:
                    cuts = _connected(node, i, users, model)
                    met.update(cuts.items())
                    own = {n: k for n, k in cuts.items() if n not in whole}
                    yield _computable(nodes, own, model)


def _is_large(term: Term, model: CostModel) -> bool:
    return model.entries(term.dims) >= BEYOND_CACHE


def _spec(node: Term) -> Spec | None:
    """The indices of a node's operands and result, where indices say what it does."""
    if by_views(node):
        # A view of the whole takes no memory, and a strip does not know where it begins.
        return None
    if node.op in ("einsum", "logsumexp", "norm"):
        return cast(Spec, node.data)
    if node.op in _ALL_ENTRYWISE:
        return tuple(tuple(range(t.order)) for t in (*node.args, node))
    if node.op == "product_of_pairs":
        # Index 0 is summed, 1 and 2 are the columns, each of which meets every other.
        inner = tuple(range(3, node.order + 1))
        return (0, 1), (*inner, 0), (*inner, 1, 2)
    return None


def _can_be_cut(node: Term, spec: Spec, index: int) -> bool:
    """Whether places along an index can be computed apart: always where a product is linear."""
    kept = index in spec[-1] and (node.op != "product_of_pairs" or index > 2)
    return kept or node.op == "einsum"


def _cut(part: Sequence[int], index: int) -> int | None:
    return part.index(index) if index in part else None


def _connected(
    seed: Term, index: int, users: Mapping[Term, Sequence[Term]], model: CostModel
) -> Cuts:
    """What is cut if a node is cut along an index: what it needs, and what needs it."""
    cuts: dict[Term, int] = {}
    met: set[Place] = set()
    waiting = deque([(seed, index)])
    while waiting:
        node, i = waiting.popleft()
        spec = _spec(node)
        if spec is None or node in cuts or not _can_be_cut(node, spec, i):
            continue
        cuts[node] = i
        places = [p for p in (*_operands(node, i), (node, _cut(spec[-1], i))) if p not in met]
        met.update(places)
        for term, axis in places:
            own = _spec(term)
            if axis is not None and own:
                waiting.append((term, own[-1][axis]))
            if axis is not None and (own or _is_large(term, model)):
                for user in users.get(term, ()):
                    parts = zip(_spec(user) or (), user.args, strict=False)
                    waiting += [(user, p[axis]) for p, a in parts if a is term]
    return cuts


def _computable(nodes: Sequence[Term], cuts: Cuts, model: CostModel) -> Cuts:
    """Those nodes of a region that need nothing that is there only after the last strip."""
    found: dict[Term, int] = {}
    after: set[Term] = set()
    deltas: set[Term] = set()
    for node in nodes:
        if node.op == "delta" or (node.order > 1 and not deltas.isdisjoint(node.args)):
            deltas.add(node)
        if node in cuts and deltas.isdisjoint(node.args):
            places = _operands(node, cuts[node])
            if _is_worth_it(node, cuts[node], model) and all(
                _result(a, found) == axis is not None
                if a in found
                # Columns of a large array do not lie together: it is cut along its first axis.
                else a not in after and (axis in (None, 0) or not _is_large(a, model))
                for a, axis in places
            ):
                found[node] = cuts[node]
        if node in found or not after.isdisjoint(node.args):
            after.add(node)
    return found


def _operands(node: Term, index: int) -> list[Place]:
    return [(a, _cut(p, index)) for p, a in zip(_spec(node) or (), node.args, strict=False)]


def _result(node: Term, cuts: Cuts) -> int | None:
    return _cut((_spec(node) or ((),))[-1], cuts[node])


def _is_worth_it(node: Term, index: int, model: CostModel) -> bool:
    """Whether a strip's operands and result stay in the cache, and memory holds the node up."""
    spec = cast(Spec, _spec(node))
    lengths: dict[int, Size] = {}
    for part, term in zip(spec, (*node.args, node), strict=True):
        axis = _cut(part, index)
        most = MAX_WHOLE if axis is None else BLOCK
        if part.count(index) > 1 or _width(term, axis, model) > most:
            return False
        lengths.update(zip(part, term.dims, strict=True))
    points = model.entries(tuple(lengths.values()))
    return points <= MAX_MULTIPLICATIONS * max(model.entries(t.dims) for t in (*node.args, node))


def _width(term: Term, axis: int | None, model: CostModel) -> int:
    """The entries of a term at one place of an axis; of all where there is none."""
    if term.op == "constant":
        return 1
    return model.entries(term.dims) // (1 if axis is None else model.length(term.dims[axis]))


def _results(roots: Sequence[Term], nodes: Sequence[Term], cuts: Cuts) -> list[Term]:
    """The nodes of a region that are needed outside."""
    used = {a for node in nodes if node not in cuts for a in node.args} | {*roots}
    return [node for node in cuts if node in used]


def _saved(cuts: Cuts, results: Sequence[Term], model: CostModel) -> int:
    """How many entries of large arrays need not be read or written."""
    outside = (p for node, i in cuts.items() for p in _operands(node, i) if p[0] not in cuts)
    if all(axis is None or a.op == "constant" for a, axis in outside):
        return 0
    touched: Counter[Place] = Counter()
    for node, i in cuts.items():
        if not _is_view(node):
            touched.update({_source(a, axis) for a, axis in _operands(node, i) if axis is not None})
            touched.update([(node, _result(node, cuts))])
    # Strips of a result are copied to where they belong.
    touched.subtract((node, _result(node, cuts)) for node in results)
    return sum(
        (times - 1) * model.entries(term.dims)
        for (term, _), times in touched.items()
        if _is_large(term, model)
    )


def _is_view(node: Term) -> bool:
    return node.op == "einsum" and len(node.args) == 1 and len(node.args[0].dims) == node.order


def _source(term: Term, axis: int | None) -> Place:
    """What a transposed term shows, and the axis there."""
    while _is_view(term) and axis is not None:
        spec = cast(Spec, term.data)
        term, axis = term.args[0], spec[0].index(spec[1][axis])
    return term, axis


def _replaced(
    roots: Sequence[Term], nodes: Sequence[Term], cuts: Cuts, model: CostModel
) -> list[Term]:
    """The roots, with the nodes of a region computed in strips."""
    operands = StripOperands(nodes)
    inner: dict[Term, Term] = {}
    for node, i in cuts.items():
        args = (inner.get(a) or operands.variable(a, axis) for a, axis in _operands(node, i))
        inner[node] = rebuild(node, tuple(args))
    results = _results(roots, nodes, cuts)
    made = {node: _result(node, cuts) for node in cuts if not _is_view(node)}
    terms, parameters = [inner[r] for r in results], operands.parameters.values()
    strips = Strips(
        tuple(terms),
        tuple(parameters),
        tuple(axis for _, axis in operands.parameters),
        tuple(_result(r, cuts) for r in results),
        _room([*operands.parameters], [*made.items()], model),
        tuple(sorted({*symbols(*terms)} - {*symbols(*parameters)})),
    )
    args = tuple(term for term, _ in operands.parameters)
    done = {r: for_code("by_strips", (strips, k), args, r.dims) for k, r in enumerate(results)}
    for node in nodes:
        if node not in cuts:
            done[node] = rebuild(node, tuple(done[a] for a in node.args))
    return [done[r] for r in roots]


def _room(operands: Sequence[Place], made: Sequence[Place], model: CostModel) -> Dims:
    """The factors of the number of entries at one place, of operands and one result at a time."""
    widths = {p: _width(*p, model) for p in (*operands, *made) if p[1] is not None}
    term, cut = widest = max(widths, key=lambda p: widths[p])
    wide = [p for p, width in widths.items() if 2 * width > widths[widest]]
    together = sum(p in operands for p in wide) + any(p in made for p in wide)
    return (together, *(d for k, d in enumerate(term.dims) if k != cut))
