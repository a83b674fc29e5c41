"""Products in the program form: alone, several that share a matrix, and sums of outer products.

A product of two arrays is one entry by entry, an outer one or a `Contraction`, whose form passes
choose.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from eggrad.engine.compilation.program import (
    ONE,
    Atom,
    Batch,
    Block,
    Contraction,
    Instruction,
    Number,
    Source,
    Stack,
    Summand,
    System,
    Value,
)
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.spec import Indices, Size, Spec
from eggrad.engine.runtime.products import LARGE
from eggrad.engine.terms.term import Term, postorder

# Operands that are hardly ever stored: products with them have kernels of their own.
_SPARSE: Final = ("delta", "indicator", "selection")
# A product of matrices is flat if it has this many times fewer rows than columns, or the other
# way round. BLAS is up to 40% faster at few long rows, but where the product is small and the large
# matrix is read row by row: OpenBLAS multiplies so few pairs of numbers where they lie.
FLAT: Final = 4
SMALL: Final = 1_000_000
# NumPy multiplies a stack of matrices faster than it copies them from this number of entries on;
# with a vector always.
STACKED: Final = 64
# Outer products are worth one matrix product from this number on, or two for results with this many
# entries.
MANY_OUTER: Final = 4
LARGE_SUM: Final = 4096
# Products with one matrix are computed together from this number of vectors on, where the matrix
# has this number of entries.
MANY_VECTORS: Final = 3
LARGE_MATRIX: Final = 8192


# One product ------------------------------------------------------------------------------------


def product(
    spec: Spec,
    operands: Sequence[Value],
    sizes: Mapping[int, Size],
    block: Block,
    expected: Callable[[int], int],
    *,
    turns: Sequence[Callable[[Contraction], Contraction]] = (),
    in_order: bool = False,
) -> Value:
    """Lower an einsum of one or two operands; `sizes` has those of its indices.

    `expected` is the size to expect of an index; `turns` choose the form of a product of matrices.
    With `in_order` axes are in the term's order wherever there is a choice.
    Indices that an operand's delta ties are one index; what is left is a product of arrays.

    >>> from eggrad.engine.indices.spec import parse_spec
    >>> block = Block()
    >>> A, x = Value("A", (0, 1), (0, 1)), Value("x", (0,), (0,))
    >>> sizes = {0: "m", 1: "n"}
    >>> product(parse_spec("ij,j->i"), [A, x], sizes, block, lambda i: 9).labels
    (0,)
    >>> [s.instruction.kind for s in block.statements]
    ['contract']
    """
    *parts, output = spec
    tied = _tied_indices(operands, parts)
    own = [tuple(tied.get(i, i) for i in part) for part in parts]
    out = tuple(tied.get(i, i) for i in output)
    arrays: list[Atom] = []
    for v, part in zip(operands, own, strict=True):
        index = dict(zip(v.axes, part, strict=True))
        if v.labels:
            arrays.append((v.source, tuple(index[i] for i in v.labels)))
    present = {i for _, labels in arrays for i in labels}
    # Summed indices that no array has repeat the same number.
    absent = sorted({i for part in own for i in part} - present - set(out))
    computed = {i for v, part in zip(operands, own, strict=True) if not v.literal for i in part}
    known = Number()
    for v in operands:
        known = known.times(v.source) if isinstance(v.source, Number) else known
    known = known.times(Number(sizes=tuple(sizes[i] for i in absent if i not in computed)))
    factors = [v.source for v in operands if not v.labels and not v.literal]
    factors += [known] if known != ONE or not (factors or arrays) else []
    wanted = tuple(i for i in dict.fromkeys(out) if i in present)
    lowering = _Lowering(wanted, sizes, block, expected, turns, in_order)
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
    """For each index that equals an earlier one, because a delta says so, the first such."""
    first: dict[int, int] = {}

    def find(i: int) -> int:
        while i in first:
            i = first[i]
        return i

    for value, part in zip(operands, parts, strict=True):
        seen: dict[int, int] = {}
        for label, i in zip(value.axes, part, strict=True):
            a, b = sorted((find(seen.setdefault(label, i)), find(i)))
            if a != b:
                first[b] = a
    return {i: find(i) for i in first}


@dataclass(frozen=True, slots=True)
class _Lowering:
    """A product of arrays, as one whose axes are those of `wanted` in an order that costs nothing.

    `sizes` are those of all indices, `expected` gives the size to expect; `turns` choose the
    form of a product of matrices.
    """

    wanted: Indices
    sizes: Mapping[int, Size]
    block: Block
    expected: Callable[[int], int]
    turns: Sequence[Callable[[Contraction], Contraction]]
    in_order: bool

    def _emit(self, kind: str, operands: Sequence[Atom], labels: Indices, data: Any = None) -> Atom:
        lengths = tuple(map(self.expected, labels))
        own = Instruction(kind, tuple(operands), labels, data, self.sizes, lengths)
        return self.block.emit(own), labels

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
        own = tuple(dict.fromkeys(atom[1]))
        if own != atom[1]:
            made = Instruction("diagonal", (atom,), own, None, self.sizes)
            atom = self.block.alias(made), own
        rest = tuple(i for i in own if i in kept)
        return atom if rest == own else self._emit("sum", (atom,), rest)

    def contracted(self, left: Atom, right: Atom) -> Atom:
        """A product with a sum over indices of both arrays."""
        batch = tuple(i for i in self.wanted if i in left[1] and i in right[1])
        rows = tuple(i for i in left[1] if i in self.wanted and i not in batch)
        columns = tuple(i for i in right[1] if i in self.wanted and i not in batch)
        made = Contraction(left, right, batch, rows, columns, self.wanted, self.expected)
        for turn in self.turns:
            made = turn(made)
        labels = made.batch + made.stacked + made.rows + made.columns
        labels = self.wanted if made.operator == "einsum" else labels
        return self._emit("contract", (made.left, made.right), labels, made)


# The form of a product of matrices --------------------------------------------------------------


def rows_in_order(c: Contraction) -> Contraction:
    """The transposed product, where the term's axes are columns, then rows."""
    own = tuple(i for i in c.wanted if i in c.rows + c.columns)
    turned = c.rows and c.columns and own == c.columns + c.rows
    return c.exchanged() if turned else c


def by_einsum(c: Contraction) -> Contraction:
    """An einsum, where it is no product of two matrices or vectors."""
    groups = (c.rows, c.columns, c.summed)
    simple = not c.batch and all(len(group) <= 1 for group in groups)
    return c if simple else replace(c, operator="einsum")


def few_rows_first(c: Contraction) -> Contraction:
    """Few rows and many columns; the other way round where the product is small."""
    m, n, inner = c.entries(c.rows), c.entries(c.columns), c.entries(c.summed)
    if not (c.rows and c.columns) or c.batch or FLAT * min(m, n) > min(max(m, n), inner):
        return c
    large = c.right if m < n else c.left
    few_last = m * n * inner <= SMALL and large[1][-1] in c.summed
    return c.exchanged() if few_last == (m < n) else c


def vectors_as_stored(c: Contraction) -> Contraction:
    """A vector times a matrix, or a matrix times a vector: that which transposes no matrix."""
    turned = (not c.columns and c.rows and c.left[1] == c.summed + c.rows) or (
        not c.rows and c.columns and c.right[1] == c.columns + c.summed
    )
    return c.exchanged() if turned and not c.batch else c


def summed_between(c: Contraction) -> Contraction:
    """A stack of matrices, where the summed axes lie between others: so nothing is copied."""
    for own in (c, c.exchanged()):
        labels, summed = own.right[1], own.summed
        first = labels.index(summed[0]) if summed else 0
        before, after = labels[:first], labels[first + len(summed) :]
        fits = labels == before + summed + after and before and after and not c.batch
        if fits and (not own.rows or own.entries(summed, after) >= STACKED):
            return replace(own, stacked=before, columns=after, operator="@")
    return c


def large_by_matmul(c: Contraction) -> Contraction:
    """`@` for large results, which `dot` fills with zeros before BLAS writes them."""
    large = c.entries(c.batch, c.rows, c.columns) >= LARGE
    return replace(c, operator="@") if large else c


# Sums of outer products -------------------------------------------------------------------------

# A sum of K products `L_k[rows] R_k[columns]` is a matrix product whose summed axis counts the
# terms: the result is written once instead of K times, and BLAS does it.


def find_stacks(roots: Sequence[Term], model: CostModel) -> tuple[dict[Term, Stack], set[Term]]:
    """The sums to be computed so, and the nodes that are not computed by themselves then."""
    nodes = list(postorder(*roots))
    uses = Counter(a for n in nodes for a in n.args) + Counter(roots)
    stacks: dict[Term, Stack] = {}
    absorbed: set[Term] = set()
    for node in reversed(nodes):
        if node.op in ("add", "subtract") and node.order >= 2 and node not in absorbed:
            inner, summands = _summands(node, uses)
            stack = _stack(node, summands, uses, model)
            if stack:
                stacks[node] = stack
                absorbed |= inner | {s.term for s in stack.products}
    return stacks, absorbed


def _summands(node: Term, uses: Counter[Term]) -> tuple[set[Term], list[Summand]]:
    """The terms of a sum of sums, and the inner nodes that nothing else uses."""
    inner: set[Term] = set()
    found: list[Summand] = []
    stack = [Summand(node, False)]
    while stack:
        s = stack.pop()
        own = s.term is node or uses[s.term] == 1
        if own and s.term.op in ("add", "subtract", "negate"):
            inner.add(s.term)
            signs = (s.negative,) if s.term.op != "negate" else (not s.negative,)
            if len(s.term.args) == 2:
                signs = (s.negative, s.negative != (s.term.op == "subtract"))
            stack += [
                Summand(a, n) for a, n in reversed(list(zip(s.term.args, signs, strict=True)))
            ]
        else:
            found.append(s)
    return inner - {node}, found


def _stack(
    node: Term, summands: Sequence[Summand], uses: Counter[Term], model: CostModel
) -> Stack | None:
    products = [s for s in summands if uses[s.term] == 1 and _is_outer(s.term)]
    worth = len(products) >= MANY_OUTER or (
        len(products) >= 2 and model.entries(node.dims) >= LARGE_SUM
    )
    if not worth:
        return None
    for batch in range(node.order - 1):
        for rows in range(1, node.order - batch):
            layout = _layout([s.term for s in products], batch, rows)
            if layout:
                others = tuple(s for s in summands if s not in products)
                return Stack(tuple(products), layout[0], batch, rows, layout[1], others)
    return None


def _is_outer(term: Term) -> bool:
    """Whether a term is the product of two smaller arrays, with no sum and no delta."""
    if term.op != "einsum" or len(term.args) != 2 or any(a.op in _SPARSE for a in term.args):
        return False
    spec = term.spec
    plain = all(len(set(part)) == len(part) and 0 < len(part) < term.order for part in spec[:-1])
    return plain and {i for part in spec[:-1] for i in part} == set(spec[-1])


def _layout(
    products: Iterable[Term], batch: int, rows: int
) -> tuple[tuple[tuple[int, int], ...], tuple[bool, bool]] | None:
    """Which operand is the left and which the right factor, or None where one is neither."""
    sides: list[tuple[int, int]] = []
    batched: set[tuple[bool, bool]] = set()
    for term in products:
        *parts, out = term.spec
        first, left, right = out[:batch], out[batch : batch + rows], out[batch + rows :]
        for a, b in ((0, 1), (1, 0)):
            own = _covers(parts[a], left, first), _covers(parts[b], right, first)
            if None not in own and (not batch or True in own):
                sides.append((a, b))
                batched.add(cast(tuple[bool, bool], own))
                break
        else:
            return None
    return (tuple(sides), batched.pop()) if len(batched) == 1 else None


def _covers(part: Indices, group: Indices, batch: Indices) -> bool | None:
    """Whether the indices are those of a group and the batch; None if they are neither."""
    if set(part) == set(group):
        return False
    return True if set(part) == {*group, *batch} else None


# Products that share a matrix -------------------------------------------------------------------

# Each product of a matrix with a vector reads the matrix. Vectors that do not depend on any of the
# products are laid below each other, for one matrix product.


def find_batches(roots: Sequence[Term], model: CostModel) -> dict[Term, Batch]:
    """For each product that is computed with others, its batch."""
    candidates: dict[tuple[Term, bool], dict[Term, Term]] = {}
    for node in postorder(*roots):
        found = _matrix_and_vector(node)
        if found:
            key, vector = found
            candidates.setdefault(key, {})[node] = vector
    batches: dict[Term, Batch] = {}
    for (matrix, turned), products in candidates.items():
        if len(products) < MANY_VECTORS or model.entries(matrix.dims) < LARGE_MATRIX:
            continue
        after = _users(roots, batches, products)
        vectors = {p: v for p, v in products.items() if v not in after}
        if len(vectors) >= MANY_VECTORS:
            batches |= dict.fromkeys(vectors, Batch(matrix, turned, vectors))
    return batches


def find_systems(
    roots: Sequence[Term], batches: Mapping[Term, Batch | System]
) -> dict[Term, System]:
    """For each solution of a system whose matrix others have, all of them."""
    candidates: dict[Term, dict[Term, Term]] = {}
    for node in postorder(*roots):
        if node.op == "solve":
            candidates.setdefault(node.args[0], {})[node] = node.args[1]
    systems: dict[Term, System] = {}
    for matrix, solutions in candidates.items():
        if len(solutions) > 1:
            after = _users(roots, {**batches, **systems}, solutions)
            vectors = {s: right for s, right in solutions.items() if right not in after}
            if len(vectors) > 1:
                systems |= dict.fromkeys(vectors, System(matrix, vectors))
    return systems


# The product of a matrix and a vector by its spec: the place of the matrix, whether its first axis
# is the one that is summed.
_PRODUCTS: Final[dict[Spec, tuple[int, bool]]] = {
    ((0, 1), (1,), (0,)): (0, False),
    ((0, 1), (0,), (1,)): (0, True),
    ((0,), (1, 0), (1,)): (1, False),
    ((0,), (0, 1), (1,)): (1, True),
}


def _matrix_and_vector(node: Term) -> tuple[tuple[Term, bool], Term] | None:
    """What a product multiplies with a vector, and the vector."""
    known = _PRODUCTS.get(node.spec) if node.op == "einsum" else None
    if known is None or any(a.op in _SPARSE for a in node.args):
        return None
    place, transposed = known
    return (node.args[place], transposed), node.args[1 - place]


def _users(
    roots: Sequence[Term], batches: Mapping[Term, Batch | System], products: Mapping[Term, Term]
) -> set[Term]:
    """Some products, and the nodes that need one of them."""
    after = set(products)
    for node in scheduled(roots, batches):
        if any(a in after for a in _needed(node, batches)):
            after.add(node)
    return after


def scheduled(roots: Sequence[Term], batches: Mapping[Term, Batch | System]) -> Iterator[Term]:
    """Every node once, after its operands; products of a batch after all of its vectors."""
    return postorder(*roots, operands=lambda node: _needed(node, batches))


def _needed(node: Term, batches: Mapping[Term, Batch | System]) -> tuple[Term, ...]:
    batch = batches.get(node)
    return (*node.args, *(batch.vectors.values() if batch else ()))
