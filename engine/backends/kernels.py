"""What code for other array libraries calls beside the array API standard.

Written with the functions of the standard alone, for any library that has them: `xp` is its
namespace. A library that does better, or needs something else, has a subclass below.
All functions return new arrays and change none, so that they can be traced.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial, reduce
from math import log, log2, prod
from operator import mul
from typing import Any, ClassVar, Final

import numpy as np

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.indicator_plan import IndicatorPlan, RunningSum, View
from eggrad.engine.indices.spec import Dims, Indices, letters
from eggrad.engine.runtime.indicators import Numbers, holds, product_plan, summand_counts
from eggrad.engine.runtime.masks import shown_product
from eggrad.engine.runtime.matrix_functions import cofactors, products_of_others, turned_back
from eggrad.engine.runtime.selections import Sum, places_apart, selection_plan
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.term import numeric, variable


class Kernels:
    """The functions for the namespace `xp` of an array library."""

    def __init__(self, xp: Any) -> None:
        """Remember the namespace."""
        self.xp = xp

    # Arrays that are made ------------------------------------------------------------------

    def kind(self, like: Any) -> dict[str, Any]:
        """The keywords that let a new array have the dtype and the device of another one."""
        if like is None:
            return {}
        return {"dtype": like.dtype, "device": like.device}

    def place(self, like: Any) -> dict[str, Any]:
        """The keyword that puts a new array where another one is."""
        return {} if like is None else {"device": like.device}

    def number(self, value: float, like: Any) -> Any:
        """A number as an array without axes."""
        return self.xp.asarray(value, **self.kind(like))

    def array(self, values: Any, like: Any) -> Any:
        """Known numbers as a new array: a user may change what is made of it."""
        return self.xp.asarray(values, copy=True, **self.kind(like))

    def full(self, shape: tuple[int, ...], value: float, like: Any) -> Any:
        """An array of one number."""
        return self.xp.full(shape, value, **self.kind(like))

    def eye(self, n: int, like: Any) -> Any:
        """The identity matrix."""
        return self.xp.eye(n, **self.kind(like))

    def numbers(self, test: Any, like: Any) -> Any:
        """Truth values as 1 and 0."""
        return self.xp.astype(test, like.dtype if like is not None else self.xp.asarray(0.0).dtype)

    def fresh(self, x: Any) -> Any:
        """The array, or a copy where its user might change one that others have."""
        return self.xp.asarray(x, copy=True)

    def repeated(self, count: int, x: Any) -> Any:
        """The sum of `count` equal arrays: zeros if there are none."""
        return count * x if count else self.xp.zeros_like(x)

    def grid(self, shape: Sequence[int], like: Any) -> list[Any]:
        """For each axis its indices, ready to be broadcast."""
        return [
            self.xp.reshape(
                self.xp.arange(n, **self.place(like)),
                tuple(n if k == axis else 1 for k in range(len(shape))),
            )
            for axis, n in enumerate(shape)
        ]

    def with_zeros(self, x: Any, axes: Indices, shape: tuple[int, ...], like: Any) -> Any:
        """The array with axes of equal labels, which is 0 where their indices differ.

        `x` is a number, or has an axis, perhaps of length 1, for each label of `axes`; as where
        arrays are broadcast, the first ones may be missing.
        """
        grid, first = self.grid(shape, like), [axes.index(label) for label in axes]
        tests = (grid[k] == grid[place] for k, place in enumerate(first) if k != place)
        mask = reduce(self.xp.logical_and, tests)
        x = self.array(x, like) if isinstance(x, float) else x
        if x.ndim:
            places = sorted({*first})
            lengths = dict(zip(places[len(places) - x.ndim :], x.shape, strict=True))
            x = self.xp.reshape(x, tuple(lengths.get(k, 1) for k in range(len(axes))))
        zero = self.number(0.0, like)
        return self.xp.broadcast_to(self.xp.where(mask, x, zero), shape)

    def diagonal(self, x: Any, labels: Indices) -> Any:
        """The entries where axes of equal labels have equal indices; each label once."""
        current = list(labels)
        while len(set(current)) < len(current):
            last = max(k for k, i in enumerate(current) if current.index(i) < k)
            first = current.index(current[last])
            others = [k for k in range(len(current)) if k not in (first, last)]
            x = self.xp.linalg.diagonal(self.xp.permute_dims(x, (*others, first, last)))
            label = current[first]
            current = [current[k] for k in others] + [label]
        order = tuple(current.index(i) for i in dict.fromkeys(labels))
        return self.xp.permute_dims(x, order) if order != tuple(range(len(order))) else x

    # Products ------------------------------------------------------------------------------

    def without_hidden(
        self, spec: tuple[Indices, Indices, Indices], product: Any, masked: Any, other: Any
    ) -> Any:
        """A product in which a factor has no part where the one that a mask has made is 0."""
        undefined = self.xp.any(self.xp.isnan(product))
        return self.branch(
            undefined, partial(shown_product, self.xp, spec, masked, other), lambda: product
        )

    def branch(self, test: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """The first of two values where a test holds, else the second."""
        return first() if bool(test) else second()

    def einsum(self, spec: str, *operands: Any) -> Any:
        """A product of arrays with distinct labels each, two at a time from the left.

        The standard has no einsum: a product is one of stacks of matrices.
        """
        *parts, out = spec.replace("->", ",").split(",")
        x, labels = operands[0], parts[0]
        for k in range(1, len(operands)):
            kept = {*out, *"".join(parts[k + 1 :])}
            wanted = "".join(i for i in dict.fromkeys(labels + parts[k]) if i in kept)
            x = self._contracted((x, labels), (operands[k], parts[k]), wanted)
            labels = wanted
        gone = tuple(k for k, i in enumerate(labels) if i not in out)
        x = self.xp.sum(x, axis=gone) if gone else x
        labels = "".join(i for i in labels if i in out)
        return x if labels == out else self.xp.permute_dims(x, tuple(map(labels.index, out)))

    def _contracted(self, left: tuple[Any, str], right: tuple[Any, str], out: str) -> Any:
        xp = self.xp
        (a, p), (b, q) = self._alone(left, right[1] + out), self._alone(right, left[1] + out)
        size = dict(zip(p, a.shape, strict=True)) | dict(zip(q, b.shape, strict=True))
        batch = [i for i in p if i in q and i in out]
        summed = [i for i in p if i in q and i not in out]
        rows = [i for i in p if i not in q]
        columns = [i for i in q if i not in p]
        m, k, n = (prod(size[i] for i in group) for group in (rows, summed, columns))
        lengths = [size[i] for i in batch]
        a = xp.reshape(_ordered(xp, a, p, batch + rows + summed), (*lengths, m, k))
        b = xp.reshape(_ordered(xp, b, q, batch + summed + columns), (*lengths, k, n))
        found = batch + rows + columns
        whole = xp.reshape(xp.matmul(a, b), tuple(size[i] for i in found))
        return _ordered(xp, whole, "".join(found), list(out))

    def _alone(self, atom: tuple[Any, str], others: str) -> tuple[Any, str]:
        """The array summed over the labels that it alone has."""
        x, labels = atom
        gone = tuple(k for k, i in enumerate(labels) if i not in others)
        kept = "".join(i for i in labels if i in others)
        return (self.xp.sum(x, axis=gone) if gone else x), kept

    def symmetric_product(self, order: int, matrix: Any, weights: Any) -> Any:
        """`Σ w A A`, with `order` factors A, over the first axis of all."""
        inner = tuple(range(1, weights.ndim))
        outer = tuple(range(weights.ndim, weights.ndim + order))
        spec = letters((0, *inner), *((0, i) for i in outer), (*inner, *outer))
        return self.einsum(spec, weights, *[matrix] * order)

    def product_of_pairs(self, matrix: Any, weights: Any) -> Any:
        """`Σ w A A` over the last axis of w, which is A's first."""
        return self.symmetric_product(2, matrix, self.xp.moveaxis(weights, -1, 0))

    # Functions that lose no digits ----------------------------------------------------------

    def softplus(self, x: Any) -> Any:
        """`log(1 + exp(x))`."""
        xp = self.xp
        return xp.maximum(x, self.number(0.0, x)) + xp.log1p(xp.exp(-xp.abs(x)))

    def sigmoid(self, x: Any) -> Any:
        """`1 / (1 + exp(-x))`: an overflow of `exp` ends in the right zero."""
        return 1.0 / (1.0 + self.xp.exp(-x))

    def log1mexp(self, x: Any) -> Any:
        """`log(1 - exp(x))` for x < 0; what is not selected is finite, with finite derivatives."""
        xp = self.xp
        one = self.number(-1.0, x)
        near = x > -log(2)
        small, large = xp.where(near, x, one / 2), xp.where(near, one, x)
        return xp.where(near, xp.log(-xp.expm1(small)), xp.log1p(-xp.exp(large)))

    def log1mexp_exp(self, x: Any) -> Any:
        """`log(1 - exp(-exp(x)))`; what is not selected is finite, with finite derivatives."""
        xp = self.xp
        small = x < -40
        return xp.where(small, x, self.log1mexp(-xp.exp(xp.where(small, self.number(0.0, x), x))))

    def log_cosh(self, x: Any) -> Any:
        """`log(cosh(x))`; what is not selected is finite, with finite derivatives."""
        xp = self.xp
        one = self.number(1.0, x)
        near = xp.abs(x) < 1
        small, large = xp.where(near, x, 0 * one), xp.where(near, one, xp.abs(x))
        by_sinh = xp.log1p(2 * xp.sinh(small / 2) ** 2)
        return xp.where(near, by_sinh, large + xp.log1p(xp.expm1(-2 * large) / 2))

    def log_sum_exp(self, x: Any, axes: tuple[int, ...]) -> Any:
        """`log` of the sum of `exp(x)` over some axes; -inf for the sum of nothing."""
        xp = self.xp
        if not prod(x.shape):
            return xp.log(xp.sum(x, axis=axes))
        _, total, shift = self._shifted_exponentials(x, axes)
        total = xp.log(total)
        return xp.reshape(total + shift, tuple(n for k, n in enumerate(x.shape) if k not in axes))

    def softmax(self, x: Any, axes: tuple[int, ...]) -> Any:
        """`exp(x)`, divided by its sum over some axes."""
        if not prod(x.shape):
            return self.xp.exp(x)
        powers, total, _ = self._shifted_exponentials(x, axes)
        return powers / total

    def log_softmax(self, x: Any, axes: tuple[int, ...]) -> Any:
        """The logarithm of `softmax`: no difference of large numbers."""
        if not prod(x.shape):
            return self.xp.exp(x)
        _, total, shift = self._shifted_exponentials(x, axes)
        return x - shift - self.xp.log(total)

    def _shifted_exponentials(self, x: Any, axes: tuple[int, ...]) -> tuple[Any, Any, Any]:
        """Exponentials of what is at most 0, their sums, and what has been taken from x.

        A library that compiles computes them once for the softmax and the logarithm.
        """
        xp = self.xp
        largest = xp.max(x, axis=axes, keepdims=True)
        shift = xp.where(xp.isfinite(largest), largest, self.number(0.0, x))
        powers = xp.exp(x - shift)
        return powers, xp.sum(powers, axis=axes, keepdims=True), shift

    def norm(self, x: Any, axes: tuple[int, ...]) -> Any:
        """The root of the sum of squares over some axes; no square overflows."""
        xp = self.xp
        if not prod(x.shape):
            return xp.sum(x, axis=axes)
        largest = xp.max(xp.abs(x), axis=axes, keepdims=True)
        # Powers of two lose no digits, and their inverses are no subnormal numbers.
        power = int(log2(float(xp.finfo(x.dtype).max)) / 4)
        one, limit = self.number(1.0, x), 2.0**power
        scale = xp.where(largest > limit, limit**3 * one, one)
        scale = xp.where(largest < 1 / limit, one / limit**3, scale)
        size = xp.sqrt(xp.sum((x / scale) ** 2, axis=axes))
        return size * xp.reshape(scale, size.shape)

    # Functions of a matrix ------------------------------------------------------------------

    def inverse(self, matrix: Any) -> Any:
        """The inverse; nothing finite where elimination meets a zero pivot."""
        return self._or_nan(self.xp.linalg.inv, matrix)

    def determinant(self, matrix: Any) -> Any:
        """The determinant."""
        return self.xp.linalg.det(matrix)

    def sign_and_log_determinant(self, matrix: Any) -> Any:
        """The sign of the determinant, and the logarithm of its absolute value."""
        return self.xp.linalg.slogdet(matrix)

    def log_determinant(self, matrix: Any, definite: bool) -> Any:
        """`log(det(X))`; NaN where the determinant is negative."""
        if definite:
            return self.log_determinant_from_cholesky(self.cholesky(matrix))
        sign, size = self.sign_and_log_determinant(matrix)
        xp = self.xp
        negative = xp.logical_and(sign < 0, size > -xp.inf)
        return xp.where(negative, self.number(float("nan"), matrix), size)

    def cholesky(self, matrix: Any) -> Any:
        """The lower triangular L with `L L' = X`; NaN where X is not positive definite."""
        return self._or_nan(self.xp.linalg.cholesky, matrix)

    def log_determinant_from_cholesky(self, factor: Any) -> Any:
        """`log(det(L L'))`, given the lower triangular L."""
        return 2.0 * self.xp.sum(self.xp.log(self.diagonal(factor, (0, 0))))

    def inverse_from_cholesky(self, factor: Any) -> Any:
        """`inv(L L')`, given the lower triangular L."""
        inverse = self.inverse(factor)
        return self.xp.matrix_transpose(inverse) @ inverse

    def solve(self, matrix: Any, right: Any) -> Any:
        """`inv(X)` times the first axis of a tensor; nothing finite where a pivot is zero."""
        columns = self.xp.reshape(right, (right.shape[0], prod(right.shape[1:])))
        found = self._or_nan(lambda m: self.xp.linalg.solve(m, columns), matrix, columns)
        return self.xp.reshape(found, right.shape)

    def run_loop(
        self,
        step: Callable[..., Sequence[Any]],
        length: int,
        starts: Sequence[Any],
        slices: Sequence[Any],
        constants: Sequence[Any],
        *,
        backwards: bool,
    ) -> list[Any]:
        """The states before and after each step of a loop, as for NumPy."""
        kept = [[start] for start in starts]
        for k in reversed(range(length)) if backwards else range(length):
            now = (states[-1][None, ...] for states in kept)
            made = step(*now, *(a[k : k + 1, ...] for a in slices), *constants)
            for states, after in zip(kept, made, strict=True):
                states.append(after[0, ...])
        return [self.xp.stack(states[::-1] if backwards else states) for states in kept]

    def of_each(self, name: str, stack: Any) -> Any:
        """A function of each matrix of a stack, by the name of its record."""
        return OF_EACH[name](self, stack)

    def matrix_exponential(self, stack: Any) -> Any:
        """The exponential of each matrix; the array API standard has none."""
        raise UnsupportedOperation("the array API standard has no exponential of a matrix")

    def eigenvector_signs(self, stack: Any) -> Any:
        """Signs of eigenvectors; the array API standard has those of one triangle alone."""
        try:
            upper = self.xp.linalg.eigh(stack, UPLO="U")[1]
        except TypeError as error:
            raise UnsupportedOperation("the array API standard has no upper triangles") from error
        return self.xp.sign(self.xp.sum(upper * self.xp.linalg.eigh(stack)[1], axis=-2))

    def adjugate(self, matrix: Any) -> Any:
        """The adjugate: the cofactors, transposed."""
        return self.xp.matrix_transpose(self.cofactors(1, matrix))

    def cofactors(self, k: int, matrix: Any) -> Any:
        """The k-th derivative of `det`; as in `engine/runtime/matrix_functions.py`."""
        xp = self.xp
        if k == 0:
            return self.determinant(matrix)
        left, values, right = xp.linalg.svd(matrix)
        orientation = self.determinant(left) * self.determinant(right)
        others = products_of_others(xp, k, values, self.eye(values.shape[0], values))
        return turned_back(k, orientation * others, left, xp.matrix_transpose(right), self.einsum)

    def _or_nan(self, function: Callable[[Any], Any], matrix: Any, like: Any = None) -> Any:
        """The value, or NaN where the library refuses a singular matrix."""
        try:
            return function(matrix)
        except np.linalg.LinAlgError:
            return self.xp.full_like(matrix if like is None else like, float("nan"))

    # Indicators -----------------------------------------------------------------------------

    def selection(self, index: Any, sizes: tuple[int, ...], like: Any) -> Any:
        """The array that is 1 where the last indices are the places that integers say.

        A negative place counts from the end.
        """
        xp = self.xp
        count = len(sizes)
        found: Any = None
        for k, (part, n) in enumerate(zip(places_apart(index, count), sizes, strict=True)):
            places = xp.reshape(part, (*part.shape, *(1,) * count))
            axis = xp.arange(n, **self.kind(like))
            test = places % max(n, 1) == xp.reshape(axis, (n, *(1,) * (count - k - 1)))
            found = test if found is None else xp.logical_and(found, test)
        return self.numbers(found, like)

    def selected(self, x: Any, axis: int, index: Any) -> Any:
        """The entries at some places along an axis; the axes of `index` take its place."""
        places = self.xp.reshape(self._counted(index, x.shape[axis]), (-1,))
        found = self.take(x, places, axis)
        return self.xp.reshape(found, (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))

    def selected_product(
        self, spec: tuple[Indices, Indices, Indices], sizes: tuple[int, ...], index: Any, x: Any
    ) -> Any:
        """The product of a selection from axes of some sizes with an array; as for NumPy."""
        xp, count = self.xp, len(sizes)
        plan = selection_plan(spec, count)
        parts = places_apart(index, count)
        along = [self._counted(part, n) for part, n in zip(parts, sizes, strict=True)]
        rows = tuple(along[0].shape)
        x = self.number(x, parts[0]) if isinstance(x, float) else x
        if plan.read is not None:
            x = xp.permute_dims(x, plan.order)
            first, rest = x.shape[: len(plan.read)], x.shape[len(plan.read) :]
            places = xp.reshape(self._flat(plan.read, along, rows, first), (-1,))
            x = xp.reshape(x, (prod(first), *rest))
            x = xp.reshape(self.take(x, places, 0), (*rows, *rest))
        x = self._summed(plan.sums, x, rows)
        if plan.written is None:
            return x
        lengths = tuple(sizes[k] if k >= 0 else rows[~k] for k in plan.written)
        places = self._flat(plan.written, along, rows, lengths)
        inner = x.shape[plan.rows :]
        values = xp.reshape(x, (prod(rows), prod(inner)))
        flat = self.scattered(prod(lengths), xp.reshape(places, (-1,)), values)
        found = xp.reshape(flat, (*lengths, *inner))
        return xp.permute_dims(found, plan.last) if plan.last else found

    def _counted(self, places: Any, size: int) -> Any:
        """Places along an axis as integers, negative ones counted from the end."""
        if not self.xp.isdtype(places.dtype, "integral"):
            places = self.xp.astype(places, self.xp.asarray(0).dtype)
        return places % max(size, 1)

    def _flat(
        self, key: Indices, along: Sequence[Any], rows: tuple[int, ...], lengths: Sequence[int]
    ) -> Any:
        """For each row the place in a flat array; `key` is that of a `SelectionPlan`."""
        flat: Any = 0
        every = self.grid(rows, along[0])
        for k, length in zip(key, lengths, strict=True):
            flat = flat * length + (along[k] if k >= 0 else every[~k])
        return self.xp.broadcast_to(flat, rows)

    def _summed(self, sums: Sum, x: Any, rows: tuple[int, ...]) -> Any:
        xp = self.xp
        x = xp.sum(x, axis=sums.gone) if sums.gone else x
        x = xp.permute_dims(x, sums.order) if sums.order else x
        for k, _ in sums.missing:
            x = xp.expand_dims(x, axis=k)
        if sums.missing:
            known = dict(sums.missing)
            lengths = (rows[known[k]] if k in known else n for k, n in enumerate(x.shape))
            x = xp.broadcast_to(x, tuple(lengths))
        return self.repeated(prod(rows[k] for k in sums.alike), x) if sums.alike else x

    def argsort(self, x: Any, axis: int) -> Any:
        """The places in ascending order along an axis, as numbers of the array's kind."""
        return self.numbers(self.xp.argsort(x, axis=axis, stable=True), x)

    def zeros_and_ones(self, constraints: Numbers, shape: tuple[int, ...], like: Any) -> Any:
        """The array that is 1 where constraints hold."""
        mask = self._holds(constraints, shape, like)
        one = self.full(shape, 1.0, like)
        return one if mask is None else self.xp.where(mask, one, self.number(0.0, like))

    def _holds(self, constraints: Numbers, shape: tuple[int, ...], like: Any) -> Any:
        xp = self.xp
        grid = self.grid(shape, like)
        tests: list[Any] = []
        for relation, coefficients in constraints:
            test = holds(relation, coefficients, grid)
            tests.append(xp.asarray(test, **self.place(like)) if isinstance(test, bool) else test)
        return reduce(xp.logical_and, tests) if tests else None

    def indicator_product(
        self,
        spec: tuple[Indices, Indices, Indices],
        constraints: Numbers,
        shape: tuple[int, ...],
        x: Any,
    ) -> Any:
        """The product of an indicator of a shape with an array, without the indicator."""
        part, other, out = spec
        plan = product_plan(spec, constraints, shape, tuple(x.shape))
        if plan is None:
            ones = self.zeros_and_ones(constraints, shape, x)
            return self.einsum(letters(part, other, out), ones, x)
        lengths = dict(zip(part + other, (*shape, *x.shape), strict=True))
        result = tuple(lengths[i] for i in out)
        if plan.is_empty or 0 in result:
            return self.full(result, 0.0, x)
        # Free indices of the target first, in its order, then those that are summed.
        kept = len(plan.target.labels)
        labels = tuple(dict.fromkeys((*plan.target.labels, *plan.source.labels, *plan.masked)))
        value = self._read(x, plan, labels)
        if plan.running is not None:
            value = self._running_sum(value, plan.running, labels, plan.extent)
        else:
            extents = tuple(map(plan.extent, labels))
            value = self.xp.broadcast_to(value, extents)
            if plan.mask:
                mask = self._holds(plan.numbers(labels), extents, x)
                value = self.xp.where(mask, value, self.number(0.0, x))
            gone = tuple(range(kept, len(labels)))
            value = self.xp.sum(value, axis=gone) if gone else value
            value = self.repeated(plan.repetitions, value) if plan.repetitions != 1 else value
        return value if plan.is_whole else self._written(plan, value, result)

    def _read(self, x: Any, plan: IndicatorPlan, labels: Indices) -> Any:
        """The entries that are read, with an axis for each free index, of length 1 if it may be."""
        xp, view = self.xp, plan.source
        present = [i for i in labels if i in view.labels]
        if view.slices is None:
            places = xp.reshape(self._places(view, present, plan, x.shape, x), (-1,))
            x = self.take(xp.reshape(x, (-1,)), places, 0)
        else:
            key: list[slice] = []
            for i, start, step in view.slices:
                stop = start + step * (0 if i is None else plan.extent(i) - 1)
                key.append(slice(min(start, stop), max(start, stop) + 1, abs(step)))
            x = x[tuple(key)]
            turned = tuple(k for k, (_, _, step) in enumerate(view.slices) if step < 0)
            x = xp.flip(x, axis=turned) if turned else x
            along = [~k if i is None else i for k, (i, _, _) in enumerate(view.slices)]
            x = _ordered(xp, x, along, [*present, *(i for i in along if i < 0)])
        return xp.reshape(x, tuple(plan.extent(i) if i in view.labels else 1 for i in labels))

    def take(self, x: Any, places: Any, axis: int) -> Any:
        """The entries at some places along an axis."""
        return self.xp.take(x, places, axis=axis)

    def _places(
        self,
        view: View,
        labels: Sequence[int],
        plan: IndicatorPlan,
        shape: tuple[int, ...],
        like: Any,
    ) -> Any:
        """Where a view's entries lie in the flat array, with an axis for each of its labels."""
        strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
        steps = dict(zip(view.labels, view.steps, strict=True))
        grid = self.grid([plan.extent(i) for i in labels], like)
        places = (
            sum(map(mul, steps[i], strides)) * axis for i, axis in zip(labels, grid, strict=True)
        )
        return sum(places, sum(map(mul, view.start, strides)))

    def _running_sum(
        self, value: Any, running: RunningSum, labels: Indices, extent: Callable[[int], int]
    ) -> Any:
        """Σⱼ≤ᵢ aⱼ for every i, along the last axis, that of j; the axis of i has length 1."""
        xp, axis = self.xp, len(labels) - 1
        new = running.labels[running.axis]
        count, length = extent(new), value.shape[axis]
        value = xp.flip(value, axis=axis) if running.backward else value
        sums = self.cumulative(value, axis)
        if running.entries != (1, 1) or count != length:
            none = self.full((*value.shape[:axis], 1), 0.0, value)
            counts = xp.asarray(summand_counts(running, count, length), **self.place(value))
            sums = self.take(xp.concat([none, sums], axis=axis), counts, axis)
        # The axis of i takes the place of that of j.
        rest = [i for i in labels[:-1] if i != new]
        return _ordered(xp, xp.squeeze(sums, axis=labels.index(new)), [*rest, new], labels[:-1])

    def cumulative(self, x: Any, axis: int) -> Any:
        """The sums of the first entries along an axis, of one and more of them."""
        return self.xp.cumulative_sum(x, axis=axis)

    def _written(self, plan: IndicatorPlan, value: Any, shape: tuple[int, ...]) -> Any:
        """The entries where the result of a shape has them; zeros elsewhere."""
        xp, view = self.xp, plan.target
        if view.slices is not None:
            moving = [i for i, _, _ in view.slices]
            value = _ordered(xp, value, view.labels, [i for i in moving if i is not None])
            value = xp.reshape(value, tuple(1 if i is None else plan.extent(i) for i in moving))
            for axis, (_, start, step) in enumerate(view.slices):
                value = self.spread_out(value, axis, start, step, shape[axis])
            return value
        places = xp.reshape(self._places(view, view.labels, plan, shape, value), (-1,))
        flat = self.scattered(prod(shape), places, xp.reshape(value, (-1,)))
        return xp.reshape(flat, shape)

    def spread_out(self, x: Any, axis: int, start: int, step: int, length: int) -> Any:
        """Entries along an axis at places from a first one on in steps; zeros between them."""
        xp = self.xp
        if step < 0:
            x, start, step = xp.flip(x, axis=axis), start + (x.shape[axis] - 1) * step, -step
        if step > 1:
            shape = tuple(x.shape)
            wide = xp.expand_dims(x, axis=axis + 1)
            gaps = self.full((*shape[: axis + 1], step - 1, *shape[axis + 1 :]), 0.0, x)
            wide = xp.concat([wide, gaps], axis=axis + 1)
            x = xp.reshape(wide, (*shape[:axis], shape[axis] * step, *shape[axis + 1 :]))
            x = x[(*(slice(None),) * axis, slice(1 - step), ...)]
        before, after = start, length - start - x.shape[axis]
        shape = tuple(x.shape)
        parts = [self.full((*shape[:axis], n, *shape[axis + 1 :]), 0.0, x) for n in (before, after)]
        if before or after:
            x = xp.concat([parts[0], x, parts[1]], axis=axis)
        return x

    def scattered(self, length: int, places: Any, values: Any) -> Any:
        """Zeros along a first axis, with values added at some places.

        The standard has no such function: a product with zeros and ones does it, place by place.
        """
        xp = self.xp
        rows = xp.arange(length, **self.place(values))
        ones = self.numbers(rows[:, None] == places[None, :], values)
        return ones @ values


OF_EACH: Final[Mapping[str, Callable[[Kernels, Any], Any]]] = {
    "cholesky": lambda kernels, x: kernels.cholesky(x),
    "eigenvalues": lambda kernels, x: kernels.xp.linalg.eigvalsh(x),
    "eigenvectors": lambda kernels, x: kernels.xp.linalg.eigh(x)[1],
    "eigenvector_signs": lambda kernels, x: kernels.eigenvector_signs(x),
    "singular_values": lambda kernels, x: kernels.xp.linalg.svdvals(x),
    "left_singular_vectors": lambda kernels, x: kernels.xp.linalg.svd(x, full_matrices=False)[0],
    "right_singular_vectors": lambda kernels, x: kernels.xp.matrix_transpose(
        kernels.xp.linalg.svd(x, full_matrices=False)[2]
    ),
    "pseudoinverse": lambda kernels, x: kernels.xp.linalg.pinv(x),
    "orthonormal_factor": lambda kernels, x: kernels.xp.linalg.qr(x)[0],
    "matrix_exponential": lambda kernels, x: kernels.matrix_exponential(x),
    "inverses": lambda kernels, x: kernels.inverse(x),
    "determinants": lambda kernels, x: kernels.determinant(x),
    "logabsdets": lambda kernels, x: kernels.sign_and_log_determinant(x)[1],
    "signdets": lambda kernels, x: kernels.sign_and_log_determinant(x)[0],
}
"""Functions of each matrix of a stack, by their names."""


def _ordered(xp: Any, x: Any, labels: Sequence[Any], wanted: Sequence[Any]) -> Any:
    """An array with axes of some labels in another order."""
    order = tuple(labels.index(i) for i in wanted)
    return x if order == tuple(range(len(order))) else xp.permute_dims(x, order)


class _WithEinsum(Kernels):
    """For libraries that have an einsum, called with `options`."""

    options: ClassVar[Mapping[str, Any]] = {}

    def einsum(self, spec: str, *operands: Any) -> Any:
        return self.xp.einsum(spec, *operands, **self.options)


class _Immutable(_WithEinsum):
    """For libraries whose arrays nobody writes to, and that place them themselves."""

    def kind(self, like: Any) -> dict[str, Any]:
        return {} if like is None else {"dtype": like.dtype}

    def place(self, like: Any) -> dict[str, Any]:
        return {}

    def fresh(self, x: Any) -> Any:
        return x


class _JaxKernels(_Immutable):
    """For JAX."""

    # JAX and PyTorch know the derivatives of these at all arguments.

    def softplus(self, x: Any) -> Any:
        return self.xp.logaddexp(x, 0.0)

    def sigmoid(self, x: Any) -> Any:
        from jax.nn import sigmoid

        return sigmoid(x)

    def run_loop(
        self,
        step: Callable[..., Sequence[Any]],
        length: int,
        starts: Sequence[Any],
        slices: Sequence[Any],
        constants: Sequence[Any],
        *,
        backwards: bool,
    ) -> list[Any]:
        from jax.lax import scan

        dtype = self.xp.result_type(*starts, *slices, *constants)
        first = [self.xp.asarray(start, dtype) for start in starts]

        def one(carry: Any, x: Any) -> Any:
            made = step(*(c[None] for c in carry), *(a[None] for a in x), *constants)
            after = [a[0] for a in made]
            return after, after

        _, found = scan(one, first, [*slices], length, reverse=backwards)
        ends = [(a, b[None])[:: 1 if backwards else -1] for a, b in zip(found, first, strict=True)]
        return [self.xp.concatenate(both) for both in ends]

    def matrix_exponential(self, stack: Any) -> Any:
        from jax.scipy.linalg import expm

        return expm(stack)

    def inverse_from_cholesky(self, factor: Any) -> Any:
        from jax.scipy.linalg import solve_triangular

        inverse = solve_triangular(factor, self.eye(factor.shape[0], factor), lower=True)
        return inverse.T @ inverse

    def branch(self, test: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        from jax.lax import cond

        return cond(test, first, second)

    def scattered(self, length: int, places: Any, values: Any) -> Any:
        return self.xp.zeros((length, *values.shape[1:]), values.dtype).at[places].add(values)


class _TorchKernels(_WithEinsum):
    """For PyTorch, whose decompositions raise other errors."""

    def fresh(self, x: Any) -> Any:
        return x.clone()

    def softplus(self, x: Any) -> Any:
        # Beyond the threshold, where the difference is lost in rounding, it is x.
        return self.xp.nn.functional.softplus(x, threshold=40)

    def sigmoid(self, x: Any) -> Any:
        return self.xp.sigmoid(x)

    def inverse(self, matrix: Any) -> Any:
        inverse, wrong = self.xp.linalg.inv_ex(matrix)
        return self._unless(wrong, inverse)

    def cholesky(self, matrix: Any) -> Any:
        factor, wrong = self.xp.linalg.cholesky_ex(matrix)
        return self._unless(wrong, factor)

    def solve(self, matrix: Any, right: Any) -> Any:
        columns = self.xp.reshape(right, (right.shape[0], prod(right.shape[1:])))
        solution, wrong = self.xp.linalg.solve_ex(matrix, columns)
        return self.xp.reshape(self._unless(wrong, solution), right.shape)

    def matrix_exponential(self, stack: Any) -> Any:
        return self.xp.linalg.matrix_exp(stack)

    def _unless(self, wrong: Any, x: Any) -> Any:
        return self.xp.where(wrong != 0, self.number(float("nan"), x), x)

    def scattered(self, length: int, places: Any, values: Any) -> Any:
        zeros = self.full((length, *values.shape[1:]), 0.0, values)
        return self.xp.index_add(zeros, 0, places, values)


class _CupyKernels(_WithEinsum):
    """For CuPy."""

    def scattered(self, length: int, places: Any, values: Any) -> Any:
        found = self.xp.zeros((length, *values.shape[1:]), dtype=values.dtype)
        self.xp.add.at(found, places, values)
        return found


class _DaskKernels(_Immutable):
    """For Dask's arrays: functions of a matrix are NumPy's, of a matrix in one piece."""

    def array(self, values: Any, like: Any) -> Any:
        return self.xp.asarray(values, **self.kind(like))

    def branch(self, test: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        # To know the test all data would have to be read.
        return second()

    options: ClassVar = {"optimize": True}

    def _at_once(self, function: Callable[..., Any], shape: Dims, matrix: Any) -> Any:
        """NumPy's function of a matrix that is brought together."""
        from dask.array import from_delayed
        from dask.delayed import delayed

        return from_delayed(delayed(function)(matrix), shape, matrix.dtype)

    def of_each(self, name: str, stack: Any) -> Any:
        shape = STACK_FUNCTIONS[name].dims(None, stack.shape)
        return self._at_once(partial(_of_each, name), shape, stack)

    def inverse(self, matrix: Any) -> Any:
        return self.of_each("inverses", matrix)

    def determinant(self, matrix: Any) -> Any:
        return self.of_each("determinants", matrix)

    def sign_and_log_determinant(self, matrix: Any) -> Any:
        return self.of_each("signdets", matrix), self.of_each("logabsdets", matrix)

    def cholesky(self, matrix: Any) -> Any:
        return self.of_each("cholesky", matrix)

    def cofactors(self, k: int, matrix: Any) -> Any:
        return self._at_once(partial(cofactors, k), (matrix.shape[0],) * (2 * k), matrix)

    def take(self, x: Any, places: Any, axis: int) -> Any:
        # Places are known when the graph is made.
        return self.xp.take(x, places.compute(), axis=axis)

    def cumulative(self, x: Any, axis: int) -> Any:
        return self.xp.cumsum(x, axis=axis)

    def solve(self, matrix: Any, right: Any) -> Any:
        return self.xp.tensordot(self.inverse(matrix), right, axes=1)


def _of_each(name: str, stack: Any) -> Any:
    """What NumPy's code gives."""
    return compile_terms([numeric(name, variable("x", stack.shape))])(x=stack)[0]


_CLASSES: Final[Mapping[str, type[Kernels]]] = {
    "jax": _JaxKernels,
    "torch": _TorchKernels,
    "cupy": _CupyKernels,
    "dask": _DaskKernels,
}


@lru_cache(maxsize=32)
def kernels_of(library: str, xp: Any) -> Kernels:
    """The functions for a library, given its namespace."""
    return _CLASSES.get(library, Kernels)(xp)
