"""Where `relu` makes terms zero, whatever else they are multiplied by.

A vector such as `sign(relu(a))` is a switch: where it is 0, so is what it is multiplied by.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from eggrad.engine.spec import Indices, Spec
from eggrad.engine.term import Term

__all__ = [
    "Zeros",
    "along",
    "is_same",
    "switches",
    "unused",
    "without_switches",
    "zeros",
]

# Operations that are 0 where all their operands are.
_KEEPING_ZEROS: Final = frozenset({"add", "subtract", "negate", "relu", "sign", "abs"})

Zeros = tuple[frozenset[Term], ...]
"""For each axis of a term the switches that make it 0, each by the argument of its `relu`."""


def switches(nodes: Iterable[Term]) -> dict[Term, Term]:
    """The vectors `relu(a)`, `sign(relu(a))` and `relu(sign(a))` by a, one for each.

    The sign is preferred: it may overwrite the relu.
    """
    found: dict[Term, Term] = {}
    for node in nodes:
        if a := _switched_by(node):
            found[a] = found.get(a, node) if node.op == "relu" else node
    return found


def _switched_by(node: Term) -> Term | None:
    """The argument of a switch; None for what is none."""
    if node.order == 1 and node.op in ("relu", "sign"):
        inner = node.args[0]
        if {node.op, inner.op} == {"relu", "sign"}:
            return inner.args[0]
        if node.op == "relu":
            return inner
    return None


def _is_zero_or_one(node: Term) -> bool:
    """Whether a node is a switch of which no entry differs from 0 and 1.

    >>> from eggrad.engine.term import apply, variable
    >>> step = apply("sign", apply("relu", variable("x", ("n",))))
    >>> _is_zero_or_one(step), _is_zero_or_one(step.args[0])
    (True, False)
    """
    return _switched_by(node) is not None and "sign" in (node.op, node.args[0].op)


def zeros(nodes: Iterable[Term]) -> dict[Term, Zeros]:
    """The switches that make each node 0, given operands before what needs them."""
    found: dict[Term, Zeros] = {}
    for node in nodes:
        args = [found[a] for a in node.args]
        own = _nowhere(node)
        if node.op == "einsum":
            *parts, out = cast(Spec, node.data)
            own = tuple(along(i, parts, args) for i in out)
        elif node.op in _KEEPING_ZEROS:
            own = tuple(frozenset.intersection(*same) for same in zip(*args, strict=True))
        if a := _switched_by(node):
            own = (own[0] | {a},)
        found[node] = own
    return found


def unused(
    roots: Iterable[Term], nodes: Sequence[Term], zeros: Mapping[Term, Zeros]
) -> dict[Term, Zeros]:
    """The switches by which all is multiplied that needs a node."""
    found: dict[Term, Zeros] = {r: _nowhere(r) for r in roots}
    for node in reversed(nodes):
        for place, a in enumerate(node.args):
            around = _nowhere(a)
            if node.op == "einsum":
                spec = cast(Spec, node.data)
                # What this operand is multiplied by, and what the product is.
                parts = [*spec[:place], *spec[place + 1 :]]
                others = [zeros[b] for k, b in enumerate(node.args) if k != place]
                around = tuple(along(i, parts, [*others, found[node]]) for i in spec[place])
            elif node.op in ("add", "subtract", "negate"):
                around = found[node]
            before = found.get(a, around)
            found[a] = tuple(x & y for x, y in zip(before, around, strict=True))
    return found


def _nowhere(node: Term) -> Zeros:
    return (frozenset(),) * node.order


def along(index: int, parts: Iterable[Indices], zeros: Iterable[Zeros]) -> frozenset[Term]:
    """The switches that make a product of several operands 0 along an index."""
    pairs = (p for part, z in zip(parts, zeros, strict=True) for p in zip(part, z, strict=True))
    return frozenset(a for i, own in pairs if i == index for a in own)


def is_same(switch: Term | None, other: Term) -> bool:
    """Whether two switches are zero at the same entries."""
    return switch is not None and _switched_by(switch) is _switched_by(other)


def without_switches(node: Term) -> tuple[Term, bool, list[tuple[int, Term]]]:
    """A matrix, whether it is transposed, and the axis of each switch that multiplies it.

    Such a switch has no entries but zeros and ones.

    >>> from eggrad.engine.term import apply, einsum, variable
    >>> A, x, y = variable("A", "mn"), variable("x", "m"), variable("y", "n")
    >>> left, right = (apply("sign", apply("relu", v)) for v in (x, y))
    >>> both = einsum("i,j->ij", left, right)
    >>> without_switches(einsum("ij,ij->ij", both, A)) == (
    ...     A, False, [(0, left), (1, right)]
    ... )
    True
    """
    if node.op == "einsum" and node.order == 2 and len(node.args) == 2:
        *parts, out = cast(Spec, node.data)
        pairs = list(zip(node.args, parts, strict=True))
        for (factor, own), (matrix, kept) in (pairs, pairs[::-1]):
            vectors = _outer_factors(factor, own)
            masks = {*own} <= {*out} and all(_is_zero_or_one(v) for _, v in vectors)
            if masks and vectors and sorted(kept) == sorted(out):
                return matrix, kept != out, [(out.index(i), v) for i, v in vectors]
    return node, False, []


def _outer_factors(node: Term, indices: Indices) -> list[tuple[int, Term]]:
    """The vectors of which a node is the outer product, each with its index; or none."""
    if node.order == 1:
        return [(indices[0], node)]
    if node.op != "einsum" or [a.order for a in (*node.args, node)] != [1, 1, 2]:
        return []
    *parts, out = cast(Spec, node.data)
    names = dict(zip(out, indices, strict=True))
    return [(names[part[0]], a) for part, a in zip(parts, node.args, strict=True)]
