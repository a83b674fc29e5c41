"""Products with indicators as views: slices where they will do, else calls.

Two arrays and an indicator are multiplied at once where that saves an intermediate result: a pass
puts the two products together.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.affine import renamed
from eggrad.engine.indices.indicator_plan import numbered, selection_place
from eggrad.engine.indices.slices import views
from eggrad.engine.indices.spec import Indices, Size, Spec
from eggrad.engine.indices.stepped_plan import stepped_plan
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, postorder, rebuild, term_sparsity

# Intermediate results with fewer entries take less time than the steps that do without them.
LARGE: Final = 10_000

# One array --------------------------------------------------------------------------------------


def by_views(node: Term) -> bool:
    """Whether a node is a product with an indicator that is not stored for it."""
    if node.op == "stepped_product":
        return True
    operands = [a.op for a in node.args]
    if node.op != "einsum" or operands.count("indicator") != 1 or "selection" in operands:
        return False
    distinct = (len(set(part)) == len(part) for part in node.spec)
    return len(node.args) == 2 and all(distinct)


def with_indicator(node: Term) -> tuple[Term, Term, Spec]:
    """The indicator and the array of a product, and its spec in this order."""
    first = node.args[0].op == "indicator"
    indicator, array = node.args if first else node.args[::-1]
    left, right, out = node.spec
    return indicator, array, (left, right, out) if first else (right, left, out)


def is_view(node: Term) -> bool:
    """Whether a node is a product with an indicator that slices read or write."""
    if node.op == "stepped_product" or not by_views(node):
        return False
    indicator, array, spec = with_indicator(node)
    return views(indicator, array.dims, spec, str) is not None


def by_selection(node: Term) -> int | None:
    """Which operand of a node is a selection that is not stored for it; None where none is."""
    if node.op != "einsum" or all(a.op != "selection" for a in node.args):
        return None
    return selection_place(node.spec, [term_sparsity(a) for a in node.args])


def stored_indicators(roots: Iterable[Term]) -> frozenset[Term]:
    """The indicators and selections that are needed as arrays of zeros and ones."""
    every = tuple(roots)
    used = set(every)
    for node in postorder(*every):
        if not by_views(node):
            left_out = by_selection(node)
            used.update(a for k, a in enumerate(node.args) if k != left_out)
    return frozenset(t for t in used if t.op in ("indicator", "selection"))


# Two arrays -------------------------------------------------------------------------------------


class _Factor(NamedTuple):
    term: Term
    indices: Indices


def with_stepped_products(roots: Sequence[Term], model: CostModel) -> tuple[Term, ...]:
    """The same roots; where it is faster two products in a row are one `stepped_product`.

    >>> x, w = terms.variable("x", (1000,)), terms.variable("w", (30,))
    >>> windows = terms.indicator((971, 30, 1000), [("=", ((0, 1), (1, 1), (2, -1)))])
    >>> seen = terms.einsum(((0, 1, 2), (2,), (0, 1)), windows, x)
    >>> (found,) = with_stepped_products([terms.einsum(((0, 1), (1,), (0,)), seen, w)], CostModel())
    >>> found.op, {*found.args} == {windows, x, w}
    ('stepped_product', True)
    """
    nodes = list(postorder(*roots))
    if all(node.op != "indicator" for node in nodes):
        return tuple(roots)
    users = Counter([*roots, *(a for node in nodes for a in node.args)])
    done: dict[Term, Term] = {}
    for node in nodes:
        is_product = node.op == "einsum" and not is_view(node)
        factors = _network(node, users, model) if is_product else []
        found = _stepped(node, factors, model, done)
        done[node] = found or rebuild(node, tuple(done[a] for a in node.args))
    return tuple(done[r] for r in roots)


def _network(node: Term, users: Counter[Term], model: CostModel) -> list[_Factor]:
    """The factors of nested products, large and for this one alone; two of them are arrays."""
    *parts, _ = node.spec
    factors = [_Factor(*pair) for pair in zip(node.args, parts, strict=True)]
    fresh = count(1 + max((i for part in parts for i in part), default=0))
    waiting = list(factors)
    while waiting:
        factor = waiting.pop()
        large = model.entries(factor.term.dims) >= LARGE
        inner = _inside(factor, fresh) if large and users[factor.term] == 1 else []
        rest = [f for f in factors if f is not factor]
        if inner and sum(f.term.op != "indicator" for f in (*rest, *inner)) <= 2:
            factors = [*rest, *inner]
            waiting += inner
    return factors


def _inside(factor: _Factor, fresh: Iterator[int]) -> list[_Factor]:
    """The factors that a factor is a product of; none if it is none, or a diagonal or a view."""
    if factor.term.op != "einsum" or is_view(factor.term):
        return []
    *parts, out = factor.term.spec
    names = dict(zip(out, factor.indices, strict=True))
    if len(names) < len(out):
        return []
    summed = dict.fromkeys(i for part in parts for i in part if i not in names)
    names |= {i: next(fresh) for i in summed}
    pairs = zip(factor.term.args, parts, strict=True)
    return [_Factor(a, tuple(names[i] for i in part)) for a, part in pairs]


def _stepped(
    node: Term, factors: Sequence[_Factor], model: CostModel, done: dict[Term, Term]
) -> Term | None:
    """The node as one product, if it is one of indicators and two arrays and that is faster."""
    indicators = [f for f in factors if f.term.op == "indicator"]
    arrays = [f for f in factors if f.term.op != "indicator"]
    if len(arrays) != 2 or not indicators:
        return None
    if any(f.term.op in ("constant", "delta", "selection") for f in arrays):
        return None
    out = node.spec[-1]
    if any(len({*indices}) < len(indices) for indices in (*(f.indices for f in factors), out)):
        return None
    sizes: dict[int, Size] = {}
    for f in factors:
        sizes.update(zip(f.indices, f.term.dims, strict=True))
    joint, part = _joined(indicators, sizes)
    if joint.op != "indicator":
        return None
    left, right = arrays
    lengths = {i: model.length(d) for i, d in sizes.items()}
    constraints = numbered(joint.constraints, part, model.length)
    plan = stepped_plan(constraints, (left.indices, right.indices), out, lengths)
    if plan is None or plan.is_plain or not plan.is_worth_it:
        return None
    spec = (part, left.indices, right.indices, out)
    args = (joint, done[left.term], done[right.term])
    return terms.for_code("stepped_product", spec, args, node.dims)


def _joined(indicators: Sequence[_Factor], sizes: dict[int, Size]) -> _Factor:
    """Several indicators as one."""
    if len(indicators) == 1:
        return indicators[0]
    part = tuple(dict.fromkeys(i for f in indicators for i in f.indices))
    places = {i: k for k, i in enumerate(part)}
    constraints = [
        (relation, renamed(form, {k: places[i] for k, i in enumerate(f.indices)}))
        for f in indicators
        for relation, form in f.term.constraints
    ]
    return _Factor(terms.indicator(tuple(sizes[i] for i in part), constraints), part)
