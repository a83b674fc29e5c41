"""Products of matrices of which `relu` switches rows or columns off: the others are multiplied.

An index of a product is switched where an operand is 0 with a switch, and where all that needs
the product multiplies it by the switch. A chain of such products is one call, in which the
matrices between have no zeros.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from eggrad.engine import term as terms
from eggrad.engine.cost import CostModel
from eggrad.engine.spec import Indices, Spec, parse_spec
from eggrad.engine.switches import along, is_zero_or_one, switched_by, switches, unused, zeros
from eggrad.engine.term import Term, postorder, rebuild

__all__ = ["with_active_products"]

# With fewer multiplications it takes longer to pick what is active.
WORTH_PICKING: Final = 500_000
_TRANSPOSITION: Final = parse_spec("ij->ji")


def with_active_products(roots: Sequence[Term], model: CostModel) -> tuple[Term, ...]:
    """The same roots; large products with switched indices have become `product_of_active`."""
    vectors = switches(postorder(*roots))
    if not vectors:
        return tuple(roots)
    # Each switch comes before all that is not needed to compute it.
    nodes = list(postorder(*vectors.values(), *roots))
    off = zeros(nodes)
    needless = unused(roots, nodes, off)
    chains = _Chains(Counter([*roots, *(a for node in nodes for a in node.args)]))
    for node in nodes:
        found: dict[int, Term] = {}
        if _is_large_matrix_product(node, model):
            spec = cast(Spec, node.data)
            around = [*(off[a] for a in node.args), needless[node]]
            known = {a: v for a, v in vectors.items() if v in chains.done}
            for i in {*spec[0], *spec[1]}:
                here = along(i, spec, around)
                found.update([(i, v) for a, v in known.items() if a in here][:1])
        chains.add(node, found)
    return tuple(chains.done[r] for r in roots)


def _is_large_matrix_product(node: Term, model: CostModel) -> bool:
    """Whether it takes long to multiply two matrices along one index."""
    if node.op != "einsum" or [a.order for a in (*node.args, node)] != [2, 2, 2]:
        return False
    spec = cast(Spec, node.data)
    # Three indices, each in two of the three places.
    if any(sum(i in part for part in spec) != 2 for part in spec for i in part):
        return False
    pairs = (zip(part, a.dims, strict=True) for part, a in zip(spec, node.args, strict=False))
    lengths = {i: d for pair in pairs for i, d in pair}
    return model.entries(tuple(lengths.values())) >= WORTH_PICKING


@dataclass(frozen=True)
class _Chain:
    """A product of matrices from left to right, or the transposed one where it is `turned`.

    `switches` are those of the rows of the first, of each index that is summed and of the columns
    of the last; None where there is none.
    """

    matrices: tuple[Term, ...]
    switches: tuple[Term | None, ...]
    turned: bool = False

    def reversed(self) -> "_Chain":
        """The same term, from the other end."""
        matrices = (terms.einsum(_TRANSPOSITION, m) for m in reversed(self.matrices))
        return _Chain(tuple(matrices), self.switches[::-1], not self.turned)


class _Chains:
    """What becomes of each node: `done`."""

    def __init__(self, users: Mapping[Term, int]) -> None:
        """Begin with no node; `users` says how often each is needed."""
        self.done: dict[Term, Term] = {}
        self._users = users
        self._chains: dict[Term, _Chain] = {}

    def add(self, node: Term, found: Mapping[int, Term]) -> None:
        """Add a node; if it is a product of matrices, `found` has the switches of its indices."""
        if not found:
            self.done[node] = rebuild(node, tuple(self.done[a] for a in node.args))
            return
        chain = self._chains[node] = self._chain(node, found)
        given = tuple(s is not None for s in chain.switches)
        args = (*chain.matrices, *(self.done[s] for s in chain.switches if s))
        dims = node.dims[::-1] if chain.turned else node.dims
        made = terms.for_code("product_of_active", given, args, dims)
        self.done[node] = terms.einsum(_TRANSPOSITION, made) if chain.turned else made

    def _chain(self, node: Term, found: Mapping[int, Term]) -> _Chain:
        """The product of two operands, of which one may be a chain that goes on with the other."""
        *parts, out = cast(Spec, node.data)
        pairs = list(zip(node.args, parts, strict=True))
        if out[0] not in parts[0]:
            pairs.reverse()
        (summed,) = {*parts[0]} & {*parts[1]}
        row, last = out[0], pairs[1]
        first = _Chain((self._matrix(pairs[0], row),), (found.get(row), found.get(summed)))
        for one, other in (pairs, pairs[::-1]):
            begun = self._begun(one, summed, found)
            if begun:
                (row,) = {*one[1]} - {summed}
                first, last = begun, other
                break
        (column,) = {*out} - {row}
        matrices = (*first.matrices, self._matrix(last, summed))
        return _Chain(matrices, (*first.switches, found.get(column)), row != out[0])

    def _begun(
        self, operand: tuple[Term, Indices], summed: int, found: Mapping[int, Term]
    ) -> _Chain | None:
        """The chain that an operand is, if it ends with the index that is summed."""
        node, indices = operand
        chain = self._chains.get(node) or self._masked(node)
        if not chain or self._users[node] > 1:
            return None
        start, end = indices[::-1] if chain.turned else indices
        if start == summed and len(chain.matrices) == 2:
            start, end, chain = end, start, chain.reversed()
        switches = (chain.switches[0], chain.switches[-1])
        return chain if end == summed and switches == (found.get(start), found.get(end)) else None

    def _masked(self, node: Term) -> _Chain | None:
        """The chain that a node multiplies once more by one of its own switches."""
        if node.op != "einsum" or sorted(a.order for a in node.args) != [1, 2]:
            return None
        *parts, out = cast(Spec, node.data)
        pairs = zip(node.args, parts, strict=True)
        (vector, (index,)), (matrix, own) = sorted(pairs, key=lambda p: p[0].order)
        chain = self._chains.get(matrix)
        if not chain or self._users[matrix] > 1 or own != out or not is_zero_or_one(vector):
            return None
        switch = chain.switches[0 if (index == out[0]) != chain.turned else -1]
        return chain if switch and switched_by(switch) is switched_by(vector) else None

    def _matrix(self, operand: tuple[Term, Indices], first: int) -> Term:
        """An operand with that index first."""
        node, indices = operand
        matrix = self.done[node]
        return matrix if indices[0] == first else terms.einsum(_TRANSPOSITION, matrix)
