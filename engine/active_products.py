"""Products of matrices of which `relu` switches rows or columns off: the others are multiplied.

An index of a product is switched where an operand is 0 with a switch, and where all that needs
the product multiplies it by the switch. A chain of such products is one call, in which the
matrices between have no zeros.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from eggrad.engine import term as terms
from eggrad.engine.cost import CostModel
from eggrad.engine.spec import Indices, Spec, parse_spec
from eggrad.engine.switches import (
    along,
    is_same,
    switches,
    unused,
    without_switches,
    zeros,
)
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
    chains = _Chains(Counter([*roots, *(a for node in nodes for a in node.args)]), model)
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

    def ends(self, indices: Indices) -> Indices:
        """The indices of its rows and of its columns, given those of the term."""
        return indices[::-1] if self.turned else indices

    def reversed(self) -> "_Chain":
        """The same term, from the other end."""
        matrices = map(_transposed, reversed(self.matrices))
        return _Chain(tuple(matrices), self.switches[::-1], not self.turned)


class _Chains:
    """What becomes of each node: `done`."""

    def __init__(self, users: Mapping[Term, int], model: CostModel) -> None:
        """Begin with no node; `users` says how often each is needed."""
        self.done: dict[Term, Term] = {}
        self._users = users
        self._model = model
        self._chains: dict[Term, _Chain] = {}

    def add(self, node: Term, found: Mapping[int, Term]) -> None:
        """Add a node; if it is a product of matrices, `found` has the switches of its indices."""
        if not found:
            matrix, turned = self._switched(node)
            if matrix:
                self.done[node] = _transposed(self.done[matrix], turned)
            else:
                self.done[node] = rebuild(node, tuple(self.done[a] for a in node.args))
            return
        chain = self._chains[node] = self._chain(node, found)
        if symmetric := _symmetric(chain):
            self.done[node] = terms.for_code(
                "symmetric_product_of_active", None, symmetric, node.dims
            )
            return
        given = tuple(s is not None for s in chain.switches)
        args = (*chain.matrices, *(self.done[s] for s in chain.switches if s))
        dims = node.dims[::-1] if chain.turned else node.dims
        made = terms.for_code("product_of_active", given, args, dims)
        self.done[node] = _transposed(made, chain.turned)

    def _chain(self, node: Term, found: Mapping[int, Term]) -> _Chain:
        """The product of two operands, of which one may be a chain that goes on with the other."""
        *parts, out = cast(Spec, node.data)
        pairs = list(zip(node.args, parts, strict=True))
        if out[0] not in parts[0]:
            pairs.reverse()
        (summed,) = {*parts[0]} & {*parts[1]}
        row, last = out[0], pairs[1]
        matrix = self._matrix(pairs[0], row, found)
        first = _Chain((matrix,), (found.get(row), found.get(summed)))
        for one, other in (pairs, pairs[::-1]):
            begun = self._begun(one, summed, found)
            if begun:
                (row,) = {*one[1]} - {summed}
                first, last = begun, other
                break
        rest = self._rest(last, summed, found, first)
        switches = first.switches + rest.switches[1:]
        return _Chain(first.matrices + rest.matrices, switches, row != out[0])

    def _rest(
        self, operand: tuple[Term, Indices], summed: int, found: Mapping[int, Term], first: _Chain
    ) -> _Chain:
        """What a chain goes on with: a matrix, or all of a chain where that takes no longer."""
        indices = operand[1]
        (column,) = {*indices} - {summed}
        matrix = self._matrix(operand, summed, found)
        alone = _Chain((matrix,), (found.get(summed), found.get(column)))
        chain = self._whole(operand, found)
        if not chain:
            return alone
        own = chain if chain.ends(indices)[0] == summed else chain.reversed()
        # Both chains, and the product of their results.
        apart = [first.matrices, chain.matrices, first.matrices[:1] + alone.matrices]
        whole = self._multiplications(first.matrices + own.matrices)
        return own if whole <= sum(map(self._multiplications, apart)) else alone

    def _multiplications(self, matrices: Sequence[Term]) -> int:
        """Those of a chain that is computed from left to right."""
        rows = matrices[0].dims[0]
        return sum(self._model.entries((rows, *m.dims)) for m in matrices[1:])

    def _begun(
        self, operand: tuple[Term, Indices], summed: int, found: Mapping[int, Term]
    ) -> _Chain | None:
        """The chain that an operand is, if it ends with the index that is summed."""
        chain = self._whole(operand, found)
        if not chain:
            return None
        if chain.ends(operand[1])[0] == summed and len(chain.matrices) == 2:
            chain = chain.reversed()
        return chain if chain.ends(operand[1])[1] == summed else None

    def _whole(self, operand: tuple[Term, Indices], found: Mapping[int, Term]) -> _Chain | None:
        """The chain that an operand is, if nothing else needs it or switches it otherwise."""
        node, indices = operand
        product, turned = (node, False) if node in self._chains else self._switched(node)
        if not product or self._users[node] > 1 or self._users[product] > 1:
            return None
        chain = self._chains[product]
        chain = replace(chain, turned=chain.turned != turned)
        switches = [chain.switches[0], chain.switches[-1]]
        return chain if switches == [*map(found.get, chain.ends(indices))] else None

    def _switched(self, node: Term) -> tuple[Term | None, bool]:
        """The product that a node is, whose switches it is multiplied by once more.

        And whether the node is that transposed.
        """
        matrix, turned, switches = without_switches(node)
        chain = self._chains.get(matrix)
        if not chain or matrix is node:
            return None, False
        ends = chain.switches[0], chain.switches[-1]
        own = ends[::-1] if chain.turned != turned else ends
        same = all(is_same(own[axis], s) for axis, s in switches)
        return (matrix, turned) if same else (None, False)

    def _matrix(self, operand: tuple[Term, Indices], first: int, found: Mapping[int, Term]) -> Term:
        """An operand with that index first, as it is before it is multiplied by its switches."""
        node, indices = operand
        matrix, turned, switches = without_switches(node)
        if not all(is_same(found.get(indices[axis]), s) for axis, s in switches):
            matrix, turned = node, False
        return _transposed(self.done[matrix], turned == (indices[0] == first))


def _transposed(matrix: Term, turned: bool = True) -> Term:
    return terms.einsum(_TRANSPOSITION, matrix) if turned else matrix


def _symmetric(chain: _Chain) -> tuple[Term, Term, Term] | None:
    """A, w and s where a chain is A' diag(w) A, with the switch s on its rows and columns."""
    if len(chain.matrices) != 2:
        return None
    rows, summed, columns = chain.switches
    if summed or not rows or rows is not columns:
        return None
    left, right = chain.matrices
    one, other = _unweighted(left, turned=True), _unweighted(right, turned=False)
    weights = one.weights + other.weights
    if one.matrix is not other.matrix or one.turned != other.turned or len(weights) != 1:
        return None
    return _transposed(one.matrix, one.turned), weights[0], rows


@dataclass(frozen=True)
class _Unweighted:
    """A matrix, transposed where it is `turned`, and the vectors that multiply its rows."""

    matrix: Term
    turned: bool
    weights: tuple[Term, ...] = ()


def _unweighted(matrix: Term, *, turned: bool) -> _Unweighted:
    """A matrix, whose columns count as rows where it is `turned`, apart from its weights."""
    if matrix.data == _TRANSPOSITION:
        return _unweighted(matrix.args[0], turned=not turned)
    if matrix.op == "einsum" and sorted(a.order for a in matrix.args) == [1, 2]:
        *parts, out = cast(Spec, matrix.data)
        pairs = sorted(zip(matrix.args, parts, strict=True), key=lambda p: p[0].order)
        (vector, index), (inner, own) = pairs
        if own == out and index == (out[1:] if turned else out[:1]):
            rest = _unweighted(inner, turned=turned)
            return replace(rest, weights=(vector, *rest.weights))
    return _Unweighted(matrix, turned)
