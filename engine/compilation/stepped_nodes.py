"""Where code multiplies two arrays and an indicator at once, without an intermediate result."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.affine import renamed
from eggrad.engine.indices.indicator_plan import numbered
from eggrad.engine.indices.spec import Indices, Size
from eggrad.engine.indices.stepped_plan import stepped_plan
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, postorder, rebuild

__all__ = ["with_stepped_products"]


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
        factors = _network(node, users) if node.op == "einsum" else []
        found = _stepped(node, factors, model, done)
        done[node] = found or rebuild(node, tuple(done[a] for a in node.args))
    return tuple(done[r] for r in roots)


def _network(node: Term, users: Counter[Term]) -> list[_Factor]:
    """The factors of nested products that nobody else needs, no more than two of them arrays."""
    *parts, _ = node.spec
    factors = [_Factor(*own) for own in zip(node.args, parts, strict=True)]
    fresh = count(1 + max((i for part in parts for i in part), default=0))
    waiting = list(factors)
    while waiting:
        factor = waiting.pop()
        inner = _inside(factor, fresh) if users[factor.term] == 1 else []
        rest = [f for f in factors if f is not factor]
        if inner and sum(f.term.op != "indicator" for f in (*rest, *inner)) <= 2:
            factors = [*rest, *inner]
            waiting += inner
    return factors


def _inside(factor: _Factor, fresh: Iterator[int]) -> list[_Factor]:
    """The factors that a factor is a product of; none if it is no product, or a diagonal one."""
    if factor.term.op != "einsum":
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
    if any(f.term.op in ("constant", "delta") for f in arrays):
        return None
    out = node.spec[-1]
    if any(len({*own}) < len(own) for own in (*(f.indices for f in factors), out)):
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
        (relation, renamed(own, {k: places[i] for k, i in enumerate(f.indices)}))
        for f in indicators
        for relation, own in f.term.constraints
    ]
    return _Factor(terms.indicator(tuple(sizes[i] for i in part), constraints), part)
