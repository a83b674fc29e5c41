"""Dask's graphs of terms over blocks of rows: a task for each block, a tree of sums, and the rest.

The blocks are computed by NumPy's code. Of a block nothing outlives its task but parts of totals
and rows that were asked for; where reading the block is a task that nobody else needs, Dask makes
it one with this. All graphs are made by Dask's public functions, so schedulers, progress bars and
what is done about lost workers are Dask's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from itertools import count
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.backends.blocks import BlockPlan, Stage
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term

# Dask's name of the axis along which there are blocks; other axes count from 1 on.
_ROW: Final = 0
# As many parts of totals are put together at a time.
_PARTS: Final = 8


def divided_size(variables: Mapping[str, Dims], arrays: Mapping[str, Any]) -> str | None:
    """The one size symbol along whose axes arrays have several blocks; None if there is no such."""
    divided = {
        d
        for name, dims in variables.items()
        for d, blocks in zip(dims, arrays[name].numblocks, strict=True)
        if blocks > 1
    }
    if len(divided) != 1:
        return None
    (symbol,) = divided
    if not isinstance(symbol, str) or size_symbols(symbol) != (symbol,):
        return None
    # Blocks of other libraries are no work for NumPy's code.
    suited = all(isinstance(a._meta, np.ndarray | np.generic) and a.size for a in arrays.values())
    return symbol if suited else None


def row_chunks(
    variables: Mapping[str, Dims], arrays: Mapping[str, Any], symbol: str
) -> tuple[int, ...]:
    """The lengths of the blocks: those of the largest array that is divided."""
    pairs = [(arrays[n], dims.index(symbol)) for n, dims in variables.items() if symbol in dims]
    divided = [(x.nbytes, x.chunks[axis]) for x, axis in pairs if x.numblocks[axis] > 1]
    # A block without rows has no maximum.
    return tuple(n for n in max(divided)[1] if n)


@dataclass(frozen=True)
class Task:
    """What a task calls: a stage's function of arrays and of tuples of earlier results.

    The function is sent as bytes, and a process reads these once. `names` are those of the arrays
    that come first, of which it takes `wanted`; `reads` say which entry of which tuple behind them
    has a name; `row` is the symbol of the rows, and which axis of which array says how many there
    are.
    """

    function: bytes
    names: tuple[str, ...]
    wanted: tuple[str, ...]
    reads: tuple[tuple[str, int, int], ...]
    sizes: Mapping[str, int]
    row: tuple[str, int, int] | None
    dtype: str

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        """The results of the stage."""
        arrays = [_alone(a) for a in given[: len(self.names)]]
        earlier = given[len(self.names) :]
        values: dict[str, Any] = dict(self.sizes)
        if self.row is not None:
            symbol, place, axis = self.row
            values[symbol] = arrays[place].shape[axis]
        values |= {n: a for n, a in zip(self.names, arrays, strict=True) if n in self.wanted}
        values |= {name: _alone(earlier[k])[entry] for name, k, entry in self.reads}
        results = _loaded(self.function)(**values)
        return tuple(np.asarray(r).astype(self.dtype, copy=False)[()] for r in results)


@lru_cache(maxsize=64)
def _loaded(payload: bytes) -> Callable[..., Sequence[Any]]:
    import cloudpickle

    return cloudpickle.loads(payload)


def _alone(value: Any) -> Any:
    """What Dask gives in lists, a list for each axis that the result does not have."""
    while isinstance(value, list):
        (value,) = value
    return value


def _same(blocks: Any, **_: Any) -> Any:
    return blocks


def together(functions: Sequence[str], blocks: Any, **_: Any) -> tuple[Any, ...]:
    """The parts of some blocks put together, each by a function of NumPy's.

    >>> together(["add", "maximum"], [(1, 2, "rows"), (3, 4, "rows")])
    (np.int64(4), np.int64(4))
    """
    parts = [*_leaves(blocks)]
    return tuple(
        reduce(getattr(np, function), (p[k] for p in parts)) for k, function in enumerate(functions)
    )


def _leaves(blocks: Any) -> Iterator[Any]:
    """What there is in nested lists."""
    if isinstance(blocks, list):
        for part in cast("list[Any]", blocks):
            yield from _leaves(part)
    else:
        yield blocks


def _item(results: Any, k: int) -> Any:
    return _alone(results)[k]


class Graph:
    """The lazy arrays of a plan, given those of its variables."""

    def __init__(
        self,
        plan: BlockPlan,
        variables: Mapping[str, Dims],
        chunks: tuple[int, ...],
        sizes: Mapping[str, int],
        arrays: Mapping[str, Any],
    ) -> None:
        """Build the graph; nothing is computed."""
        import dask.array as da

        self._da, self._plan, self._sizes = da, plan, sizes
        self._dtype = next(iter(arrays.values())).dtype
        self._axes: dict[str, tuple[int, ...]] = {}
        self._arrays: dict[str, Any] = {}
        for name, dims in variables.items():
            array = arrays[name]
            if plan.symbol in dims:
                array = array.rechunk({dims.index(plan.symbol): chunks})
            self._arrays[name] = array
            others = count(_ROW + 1)
            self._axes[name] = tuple(_ROW if d == plan.symbol else next(others) for d in dims)
        # The arrays of tuples of results, and for each term where it is.
        self._tuples: list[Any] = []
        self._found: dict[Term, tuple[int, int]] = {}
        self._rows: dict[Term, tuple[Any, int]] = {}
        for number, one in enumerate(plan.passes):
            if number:
                self._read_again(number)
            if one.before:
                self._once(one.before)
            self._over_blocks(one.block, one.together)
        if plan.last:
            self._once(plan.last)

    def _keep(self, results: Any, terms: Iterable[Term]) -> None:
        self._found |= {t: (len(self._tuples), k) for k, t in enumerate(terms)}
        self._tuples.append(results)

    def _read_again(self, number: int) -> None:
        """Let a further pass read the blocks anew, so that none is kept in memory until then.

        This is done where blocks are read and changed entry by entry; Dask copies no other graph.
        """
        from dask.blockwise import Blockwise
        from dask.graph_manipulation import clone

        for name, axes in self._axes.items():
            array = self._arrays[name]
            layers = getattr(array.__dask_graph__(), "layers", {}).values()
            simple = all(isinstance(layer, Blockwise) or len(layer) == 1 for layer in layers)
            if _ROW in axes and layers and simple:
                self._arrays[name] = clone(array, seed=f"eggrad-{number}-{array.name}")

    def _call(self, stage: Stage, rows: bool) -> Any:
        """An array of tuples: one for each block, or one alone."""
        import cloudpickle

        names = list(stage.variables)
        by_row = {n: self._axes[n].index(_ROW) for n in self._axes if _ROW in self._axes[n]}
        if rows and not any(n in by_row for n in names):
            names.append(min(by_row, key=lambda n: self._arrays[n].nbytes))
        used = list(dict.fromkeys(self._found[t][0] for _, t in stage.read))
        found = ((name, *self._found[t]) for name, t in stage.read)
        reads = tuple((name, used.index(k), entry) for name, k, entry in found)
        row = None
        if rows:
            first = next(n for n in names if n in by_row)
            row = self._plan.symbol, names.index(first), by_row[first]
        function = cloudpickle.dumps(stage.function)
        task = Task(
            function, tuple(names), stage.variables, reads, self._sizes, row, self._dtype.str
        )
        pairs = [(self._arrays[n], self._axes[n]) for n in names]
        pairs += [(self._tuples[k], ()) for k in used]
        if not pairs:
            # Dask wants an array, which the task does not read.
            pairs = [(self._da.zeros((), dtype=self._dtype), ())]
        # Along all axes but that of the rows there is one block, however long. Dask makes reading a
        # block and computing with it one task if the result has all axes of the block.
        axes = max(len(indices) + (_ROW not in indices) for _, indices in pairs) if rows else 0
        return self._da.blockwise(
            task,
            range(axes),
            *(x for pair in pairs for x in pair),
            dtype=object,
            meta=np.empty((0,) * axes, object),
            token="eggrad-block" if rows else "eggrad-small",
            align_arrays=False,
        )

    def _once(self, stage: Stage) -> None:
        self._keep(self._call(stage, rows=False), stage.results)

    def _over_blocks(self, stage: Stage, functions: Sequence[str]) -> None:
        blocks = self._call(stage, rows=True)
        totals = stage.results[: len(functions)]
        if totals:
            put = partial(together, tuple(functions))
            whole = self._da.reduction(
                blocks,
                chunk=_same,
                combine=put,
                aggregate=put,
                axis=tuple(range(blocks.ndim)),
                split_every=dict.fromkeys(range(blocks.ndim), 1) | {_ROW: _PARTS},
                concatenate=False,
                dtype=object,
                meta=np.empty((), object),
                name="eggrad-total",
            )
            self._keep(whole, totals)
        for k, term in enumerate(stage.results[len(functions) :], len(functions)):
            self._rows[term] = (blocks, k)

    def result(self, term: Term) -> Any:
        """The lazy array of a root."""
        axes = tuple(range(1, term.order + 1))
        shape = concrete(term.dims, self._sizes)
        if term in self._rows:
            blocks, k = self._rows[term]
            inner = (_ROW, *range(-1, -blocks.ndim, -1))
            indices = tuple(
                _ROW if d == self._plan.symbol else i for i, d in zip(axes, term.dims, strict=True)
            )
        else:
            place, k = self._found[term]
            blocks, indices, inner = self._tuples[place], axes, ()
        lengths = {i: n for i, n in zip(indices, shape, strict=True) if i != _ROW}
        return self._da.blockwise(
            _item,
            indices,
            blocks,
            inner,
            k,
            None,
            new_axes=lengths,
            align_arrays=False,
            dtype=self._dtype,
            meta=np.empty((0,) * term.order, self._dtype),
        )
