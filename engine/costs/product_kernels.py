"""The kernels of a product: how a good lowering to NumPy computes an einsum of one or two operands.

Deltas identify indices and constants are numbers, so neither is an array. What is left is reduced
over the indices that it alone has. Then two operands are multiplied entry by entry, or their
indices form four groups: those of the *batch* (both operands and the output), of the *rows* (left
and output), of the *columns* (right and output), and *summed* ones (both, not the output).
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import pairwise

from eggrad.engine.indices.spec import Dims, Indices, Size, Spec

__all__ = ["Step", "product_steps"]

Step = tuple[str, Dims, Dims]
"""A rate, its units and its repeats."""


def product_steps(
    spec: Spec,
    args: Sequence[Dims],
    deltas: Sequence[bool],
    constants: Sequence[Fraction | None] = (),
    same: bool = False,
) -> list[Step]:
    """The kernels of a product with the sizes they work on.

    >>> product_steps(((0, 1), (0, 1), ()), [("m", "n"), ("m", "n")], [False, False])
    [('dot', ('m', 'n'), ())]
    """
    return _Product(spec, args, deltas, constants).steps(same)


class _Product:
    def __init__(
        self,
        spec: Spec,
        args: Sequence[Dims],
        deltas: Sequence[bool],
        constants: Sequence[Fraction | None],
    ) -> None:
        first = {i: i for part in spec for i in part}
        for part, is_delta in zip(spec, deltas, strict=False):
            if is_delta:
                _identify(first, part)
        self.size: dict[int, Size] = {}
        self.operands: list[Indices] = []
        # Whether a number other than 1 is left to multiply by.
        self.factor = False
        values = [*constants, *[None] * (len(args) - len(constants))]
        for part, dims, is_delta, value in zip(spec, args, deltas, values, strict=False):
            own = tuple(first[i] for i in part)
            self.size.update(zip(own, dims, strict=True))
            if value is not None:
                self.factor |= value != 1
            elif not is_delta:
                self.operands.append(tuple(dict.fromkeys(own)))
        written = tuple(first[i] for i in spec[-1])
        self.out = tuple(dict.fromkeys(written))
        self.scatter = len(self.out) < len(written)
        self.written = self.dims(written)

    def dims(self, indices: Collection[int]) -> Dims:
        return tuple(self.size[i] for i in indices)

    def steps(self, same: bool) -> list[Step]:
        found: list[Step] = []
        known = {i for part in self.operands for i in part}
        # A sum over an index that no array has is a multiplication by its length.
        factor = self.factor or bool(self.size.keys() - known - set(self.out))
        reduced: list[Indices] = []
        for k, part in enumerate(self.operands):
            others = {i for j, other in enumerate(self.operands) if j != k for i in other}
            kept = tuple(i for i in part if i in others or i in self.out)
            if len(kept) < len(part):
                found += self.reduction(part, kept)
            reduced.append(kept)
        if len(reduced) == 2:
            found += self.binary(*reduced, same=same)
        present = tuple(i for i in self.out if i in known)
        if factor and self.operands:
            found.append(("scaling" if present else "scalar", self.dims(present), ()))
        if self.scatter:
            found += [("zeros", self.written, ()), ("diagonal", self.dims(self.out), ())]
        return found or [("view", (), ())]

    def reduction(self, part: Indices, kept: Indices) -> list[Step]:
        """Sum over what is not kept; every run of the innermost loop has a price of its own."""
        entries = self.dims(part)
        if not kept:
            return [("sum", entries, ())]
        run = len(part) - 1
        while run and (part[run - 1] in kept) == (part[run] in kept):
            run -= 1
        name = "sum_leading" if part[-1] in kept else "sum_trailing"
        return [(name, entries, ()), ("row", self.dims(part[:run]), ())]

    def binary(self, left: Indices, right: Indices, same: bool) -> list[Step]:
        summed = tuple(i for i in left if i in right and i not in self.out)
        if not summed:
            return self.multiplication(left, right)
        batch = tuple(i for i in self.out if i in left and i in right)
        rows = tuple(i for i in self.out if i in left and i not in batch)
        columns = tuple(i for i in self.out if i in right and i not in batch)
        if batch and not rows and not columns:
            return self.rowwise(left, right, summed)
        copies = self.copies(left, right, summed, batch) + self.result_copy(batch, rows, columns)
        if batch:
            return self.batched(batch, rows, columns, summed) + copies
        m, k, n = self.dims(rows), self.dims(summed), self.dims(columns)
        if not rows and not columns:
            return [("dot", k, ()), *copies]
        if not rows or not columns:
            matrix = left if rows else right
            leading = next(
                p for p, i in enumerate(matrix) if (i in summed) != (matrix[0] in summed)
            )
            return [
                ("gemv", m + n + k, ()),
                ("gemv_row", self.dims(matrix[:leading]), ()),
                *copies,
            ]
        if same and self.is_symmetric(left, right, rows, columns):
            return [
                ("syrk", m + n + k, ()),
                ("matmul_operand", m + k, ()),
                ("matmul_out", m + n, ()),
            ]
        return [*self.matrix_product(rows, summed, columns), *copies]

    def matrix_product(self, rows: Indices, summed: Indices, columns: Indices) -> list[Step]:
        m, k, n = self.dims(rows), self.dims(summed), self.dims(columns)
        return [
            ("matmul", m + k + n, ()),
            ("matmul_operand", m + k, ()),
            ("matmul_operand", k + n, ()),
            ("matmul_out", m + n, ()),
        ]

    def is_symmetric(self, left: Indices, right: Indices, rows: Indices, columns: Indices) -> bool:
        """Whether one operand's axes become the other's when rows and columns are exchanged."""
        name = dict(zip(rows, columns, strict=True)) if len(rows) == len(columns) else {}
        return bool(name) and tuple(name.get(i, i) for i in left) == right

    def multiplication(self, left: Indices, right: Indices) -> list[Step]:
        """Entry by entry, with broadcasting."""
        entries = self.dims(self.out)
        if not entries:
            return [("scalar", (), ())]
        if not left or not right:
            return [("scaling", entries, ())]
        if self.out in (left + right, right + left):
            return self.matrix_product(left, (), right)
        run = len(self.out) - 1
        while run and all((self.out[run - 1] in p) == (self.out[run] in p) for p in (left, right)):
            run -= 1
        alike = len(left) == len(right) == len(self.out)
        found: list[Step] = [("arithmetic" if alike else "broadcast", entries, ())]
        if run:
            found.append(("loop", self.dims(self.out[:run]), ()))
        for part in (left, right):
            if part != tuple(i for i in self.out if i in part):
                found.append(("transposed", self.dims(part), ()))
        return found

    def rowwise(self, left: Indices, right: Indices, summed: Indices) -> list[Step]:
        """One dot product for each entry of the output."""
        joint = (*self.out, *summed)
        if left[-1] in summed and right[-1] in summed:
            found: list[Step] = [
                ("rowwise_dot", self.dims(joint), ()),
                ("loop", self.dims(self.out), ()),
            ]
        else:
            found = [("arithmetic", self.dims(joint), ()), *self.reduction(left, self.out)]
        if left != right:
            found.append(("transposed", self.dims(joint), ()))
        return found

    def batched(
        self, batch: Indices, rows: Indices, columns: Indices, summed: Indices
    ) -> list[Step]:
        b, m, k, n = (self.dims(group) for group in (batch, rows, summed, columns))
        if not rows or not columns:
            return [("batch", (), ()), ("batched_gemv", m + n + k, b)]
        return [
            ("batch", (), ()),
            ("batched_matmul", m + k + n, b),
            ("matmul_operand", b + m + k, ()),
            ("matmul_operand", b + k + n, ()),
            ("matmul_out", b + m + n, ()),
        ]

    def copies(self, left: Indices, right: Indices, summed: Indices, batch: Indices) -> list[Step]:
        """The operands that BLAS cannot read where they lie.

        It reads a matrix by rows or by columns: the groups must not be interleaved, and both
        operands must have the summed indices in one order.
        """
        bad = [part for part in (left, right) if not self.is_matrix(part, summed, batch)]
        orders = [tuple(i for i in part if i in summed) for part in (left, right)]
        if orders[0] != orders[1] and not bad:
            bad = [min((left, right), key=len)]
        return [("transposed", self.dims(part), ()) for part in bad]

    def is_matrix(self, part: Indices, summed: Indices, batch: Indices) -> bool:
        """Whether, apart from the batch, the free and the summed axes lie in one piece each."""
        if part[-1] in batch:
            return False
        kinds = [0 if i in batch else 1 if i in summed else 2 for i in part]
        own = tuple(i for i in part if i not in summed and i not in batch)
        in_order = own == tuple(i for i in self.out if i in own)
        places = [p for p, kind in enumerate(kinds) if kind]
        changes = sum(kinds[p] != kinds[q] for p, q in pairwise(places))
        # A group of several axes counts as one axis only where no axis of the batch cuts it.
        cut = len(places) > 2 and places[-1] - places[0] >= len(places)
        return in_order and changes <= 1 and not cut

    def result_copy(self, batch: Indices, rows: Indices, columns: Indices) -> list[Step]:
        """The result comes as batch, rows, columns, or with rows and columns exchanged."""
        if self.out in (batch + rows + columns, batch + columns + rows):
            return []
        return [("transposed", self.dims(self.out), ())]


def _identify(first: dict[int, int], part: Indices) -> None:
    """Let the two indices of each pair of a delta be one."""
    half = len(part) // 2
    for row, column in zip(part[:half], part[half:], strict=True):
        kept, lost = sorted((first[row], first[column]))
        for i, representative in first.items():
            if representative == lost:
                first[i] = kept
