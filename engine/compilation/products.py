"""Products of one or two arrays in the program form, and sums of outer products.

A product of two arrays is one entry by entry, an outer one or a `Contraction`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from eggrad.engine.compilation.program import (
    ONE,
    Atom,
    Block,
    Contraction,
    Instruction,
    Number,
    Source,
    Stack,
    Summand,
    Value,
)
from eggrad.engine.indices.spec import Indices, Size, Spec, representatives, stack_axes
from eggrad.engine.terms.term import Term, postorder

# Outer products are worth one product of matrices from this number on.
MANY_OUTER: Final = 4


def product(
    spec: Spec,
    operands: Sequence[Value],
    sizes: Mapping[int, Size],
    block: Block,
    *,
    in_order: bool = False,
) -> Value:
    """Lower an einsum of one or two operands; `sizes` has those of its indices.

    With `in_order` axes are in the term's order wherever there is a choice, and what is no product
    of two matrices or vectors is an einsum.
    Indices that an operand's delta ties are one index; what is left is a product of arrays.

    >>> from eggrad.engine.indices.spec import parse_spec
    >>> block = Block()
    >>> A, x = Value("A", (0, 1), (0, 1)), Value("x", (0,), (0,))
    >>> sizes = {0: "m", 1: "n"}
    >>> product(parse_spec("ij,j->i"), [A, x], sizes, block).labels
    (0,)
    >>> [s.instruction.kind for s in block.statements]
    ['contract']
    """
    *parts, output = spec
    tied = _tied_indices(operands, parts)
    tied_parts = [tuple(tied[i] for i in part) for part in parts]
    out = tuple(tied[i] for i in output)
    arrays: list[Atom] = []
    for v, part in zip(operands, tied_parts, strict=True):
        index = dict(zip(v.axes, part, strict=True))
        if v.labels:
            arrays.append((v.source, tuple(index[i] for i in v.labels)))
    present = {i for _, labels in arrays for i in labels}
    # Summed indices that no array has repeat the same number.
    absent = sorted({i for part in tied_parts for i in part} - present - set(out))
    computed = {
        i for v, part in zip(operands, tied_parts, strict=True) if not v.literal for i in part
    }
    known = Number()
    for v in operands:
        known = known.times(v.source) if isinstance(v.source, Number) else known
    known = known.times(Number(sizes=tuple(sizes[i] for i in absent if i not in computed)))
    factors = [v.source for v in operands if not v.labels and not v.literal]
    factors += [known] if known != ONE or not (factors or arrays) else []
    wanted = tuple(i for i in dict.fromkeys(out) if i in present)
    lowering = _Lowering(wanted, sizes, block, in_order)
    if arrays:
        made = lowering.combined(arrays)
    else:
        first, *factors = factors
        made = first, ()
    for factor in factors:
        made = lowering.scaled(factor, made)
    for i in absent:
        if i in computed:
            made = lowering.repeated(sizes[i], made)
    return Value(*made, out)


def _tied_indices(operands: Sequence[Value], parts: Sequence[Indices]) -> dict[int, int]:
    """For each index the least of those that it equals, because a delta says so."""
    pairs: list[tuple[int, int]] = []
    for value, part in zip(operands, parts, strict=True):
        seen: dict[int, int] = {}
        pairs += [(seen.setdefault(k, i), i) for k, i in zip(value.axes, part, strict=True)]
    return representatives((i for part in parts for i in part), pairs)


@dataclass(frozen=True, slots=True)
class _Lowering:
    """A product of arrays, as one whose axes are those of `wanted` in an order that costs nothing.

    `sizes` are those of all indices.
    """

    wanted: Indices
    sizes: Mapping[int, Size]
    block: Block
    in_order: bool

    def _emit(self, kind: str, operands: Sequence[Atom], labels: Indices, data: Any = None) -> Atom:
        instruction = Instruction(kind, tuple(operands), labels, data, self.sizes)
        return self.block.emit(instruction), labels

    def combined(self, arrays: Sequence[Atom]) -> Atom:
        """The product of one or two arrays."""
        if len(arrays) == 1:
            return self.reduced(arrays[0], self.wanted)
        left, right = arrays
        left = self.reduced(left, (*self.wanted, *right[1]))
        right = self.reduced(right, (*self.wanted, *left[1]))
        if not left[1] or not right[1]:
            return self.scaled(left[0], right) if right[1] else self.scaled(right[0], left)
        shared = [i for i in left[1] if i in right[1]]
        if any(i not in self.wanted for i in shared):
            return self.contracted(left, right)
        if not shared:
            # A column times a row.
            first, second = (right, left) if self.wanted[0] in right[1] else (left, right)
            order = first[1] + second[1]
            in_order = self.in_order and len(order) > 2
            return self._emit("outer", (first, second), self.wanted if in_order else order)
        # Where one array has all axes, its order costs nothing.
        full = (a[1] for a in (left, right) if len(a[1]) == len(self.wanted) and not self.in_order)
        return self._emit("multiply", (left, right), next(full, self.wanted))

    def scaled(self, factor: Source, array: Atom) -> Atom:
        """An array times a number."""
        return self._emit("scale", ((factor, ()), array), array[1])

    def repeated(self, count: Size, array: Atom) -> Atom:
        """The sum of `count` equal arrays: zeros if there are none, infinite as these may be."""
        return array if count == 1 else self._emit("repeat", (array,), array[1], count)

    def reduced(self, atom: Atom, kept: Indices) -> Atom:
        """Take diagonals, and sum over what is not kept."""
        distinct = tuple(dict.fromkeys(atom[1]))
        if distinct != atom[1]:
            made = Instruction("diagonal", (atom,), distinct, None, self.sizes)
            atom = self.block.alias(made), distinct
        rest = tuple(i for i in distinct if i in kept)
        return atom if rest == distinct else self._emit("sum", (atom,), rest)

    def contracted(self, left: Atom, right: Atom) -> Atom:
        """A product with a sum over indices of both arrays."""
        left, right = (right, left) if stack_axes(left[1], right[1]) else (left, right)
        batch = tuple(i for i in self.wanted if i in left[1] and i in right[1])
        batch = batch or stack_axes(right[1], left[1])
        rows = tuple(i for i in left[1] if i in self.wanted and i not in batch)
        columns = tuple(i for i in right[1] if i in self.wanted and i not in batch)
        made = Contraction(left, right, batch, rows, columns, self.wanted)
        made = made.exchanged() if made.is_transposed else made
        labels = batch + made.rows + made.columns
        if self.in_order and (batch or max(map(len, (rows, columns, made.summed))) > 1):
            made, labels = replace(made, operator="einsum"), self.wanted
        return self._emit("contract", (made.left, made.right), labels, made)


# Sums of outer products -------------------------------------------------------------------------

# A sum of K products `u_k v_k'` is a product of matrices whose summed axis counts the terms.


def find_stacks(roots: Sequence[Term]) -> dict[Term, Stack]:
    """The sums of matrices to be computed so."""
    nodes = list(postorder(*roots))
    uses = Counter([*roots, *(a for node in nodes for a in node.args)])
    stacks: dict[Term, Stack] = {}
    inner = set[Term]()
    for node in reversed(nodes):
        if node.op in ("add", "subtract") and node.order == 2 and node not in inner:
            summands = list(_summands(node, uses, inner))
            outer = [s for s in summands if uses[s.term] == 1 and _is_outer(s.term)]
            if len(outer) >= MANY_OUTER:
                others = tuple(s for s in summands if s not in outer)
                stacks[node] = Stack(tuple(outer), others)
    return stacks


def _summands(node: Term, uses: Counter[Term], inner: set[Term]) -> Iterator[Summand]:
    """The terms of a sum of sums; those that nothing else uses are `inner` ones."""
    waiting = [Summand(node, False)]
    while waiting:
        s = waiting.pop()
        if s.term.op in ("add", "subtract", "negate") and (s.term is node or uses[s.term] == 1):
            inner.add(s.term)
            *first, last = s.term.args
            waiting.append(Summand(last, s.negative != (s.term.op != "add")))
            waiting += (Summand(a, s.negative) for a in first)
        else:
            yield s


def _is_outer(term: Term) -> bool:
    """Whether a term is the product of two vectors that are stored."""
    vectors = term.op == "einsum" and term.spec[:-1] == ((0,), (1,)) and term.order == 2
    return vectors and all(a.op not in ("indicator", "selection") for a in term.args)
