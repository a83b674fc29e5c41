"""Terms over data in blocks of rows: one function for a block, sums of its results, and the rest.

Where arrays are divided along one axis into blocks, as Dask's are, a term falls apart into three
kinds of nodes. *Rows* have that axis, and a row of theirs needs no other row: they exist block by
block alone. *Totals* lose it, by a sum, a maximum or the like: each block gives a part of them, and
the parts are put together. All else is *small*, and computed once. Totals that others depend on are
computed in an earlier pass over the blocks: sums of what is shifted by a mean take two.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from eggrad.engine.compilation.compiled import CompiledFunction, Form
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Spec
from eggrad.engine.terms.functions import FUNCTIONS, function_of
from eggrad.engine.terms.term import Term, postorder, rebuild, variable, variables

_ENTRYWISE: Final = frozenset({"add", "subtract", "divide", "negate", "power"})
# How the parts of a total are put together, by a function of NumPy's of two arrays.
_TOGETHER: Final[Mapping[str, str]] = {
    "einsum": "add",
    "symmetric_product": "add",
    "product_of_pairs": "add",
    "max": "maximum",
    "min": "minimum",
    "logsumexp": "logaddexp",
    "norm": "hypot",
}
# Small nodes that code does better with than with their values.
_KEPT: Final = frozenset({"variable", "constant", "array", "delta", "indicator"})


@dataclass(frozen=True)
class Stage:
    """A function, what it computes, and what it reads.

    `read` are the names by which it knows results of earlier stages, `variables` those that it
    reads beside.
    """

    function: CompiledFunction
    results: tuple[Term, ...]
    read: tuple[tuple[str, Term], ...]
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Pass:
    """One pass over the blocks: what is small before it, then a function of a block.

    The first of the block's results are parts of totals, put together by the NumPy functions
    `together`; the others are rows.
    """

    before: Stage | None
    block: Stage
    together: tuple[str, ...]


@dataclass(frozen=True)
class BlockPlan:
    """The passes over blocks along the axes whose size is `symbol`, and what is left to do."""

    symbol: str
    passes: tuple[Pass, ...]
    last: Stage | None


class _Unsuited(Exception):
    """A row of a node needs other rows of its operands."""


def plan(roots: tuple[Term, ...], symbol: str) -> BlockPlan | None:
    """How to compute the roots from blocks along a size; None where rows need one another.

    >>> from eggrad.engine.terms.term import apply, einsum
    >>> X, w = variable("X", ("n", "d")), variable("w", ("d",))
    >>> one = plan((einsum("ij,i->j", X, apply("exp", einsum("ij,j->i", X, w))),), "n")
    >>> [(len(p.block.results), p.together) for p in one.passes]
    [(1, ('add',))]
    >>> plan((einsum("ij,kj->ik", X, X),), "n") is None
    True
    """
    try:
        return _Planner(roots, symbol).plan()
    except _Unsuited:
        return None


class _Planner:
    def __init__(self, roots: tuple[Term, ...], symbol: str) -> None:
        self._roots, self._symbol = roots, symbol
        taken = {v.name for v in variables(*roots)}
        self._rows: set[Term] = set()
        # For each total its kind, and for each node how many passes come before it.
        self._totals: dict[Term, str] = {}
        self._level: dict[Term, int] = {}
        self._called: dict[Term, Term] = {}
        self._prefix = next(p for k in range(len(taken) + 1) if _free(p := f"known{k}_", taken))
        for node in postorder(*roots):
            self._read(node)

    def _read(self, node: Term) -> None:
        level = max((self._level[a] for a in node.args), default=0)
        below = any(a in self._rows for a in node.args)
        places = [k for k, d in enumerate(node.dims) if d == self._symbol]
        made = any(d != self._symbol and self._symbol in size_symbols(d) for d in node.dims)
        if made or len(places) > 1 or (places and node.op in ("delta", "indicator", "array")):
            raise _Unsuited
        if places:
            if not self._is_by_row(node):
                raise _Unsuited
            self._rows.add(node)
        elif below:
            if not self._is_total(node):
                raise _Unsuited
            self._totals[node] = _TOGETHER[node.op]
            level += 1
        self._level[node] = level

    def _is_by_row(self, node: Term) -> bool:
        """Whether each row of a node needs that row of its operands alone."""
        match node.op:
            case "variable" | "constant":
                return True
            case op if op in _ENTRYWISE or function_of(op, node.data) or op in FUNCTIONS:
                return True
            case "einsum" | "max" | "min" | "logsumexp" | "norm":
                return len(self._along(node)) == 1
            case "softmax" | "log_softmax":
                kept = cast(Spec, node.data)[-1]
                return {*kept} >= self._along(node)
            case "solve":
                return node.args[0] not in self._rows
            case _:
                return False

    def _is_total(self, node: Term) -> bool:
        """Whether a node that loses the axis is made of a part for each block."""
        match node.op:
            case "einsum" | "max" | "min" | "logsumexp" | "norm":
                return len(self._along(node)) == 1
            case "symmetric_product":
                matrix, weights = node.args
                return matrix.dims[0] == weights.dims[0] == self._symbol
            case "product_of_pairs":
                matrix, weights = node.args
                return matrix.dims[0] == weights.dims[-1] == self._symbol
            case _:
                return False

    def _along(self, node: Term) -> set[int]:
        """The indices of a node's spec that run over the axis."""
        lengths = specs.sizes(cast(Spec, node.data), *(a.dims for a in node.args))
        return {i for i, d in lengths.items() if d == self._symbol}

    # The stages -----------------------------------------------------------------------------

    def plan(self) -> BlockPlan:
        last = max((self._level[r] + (r in self._rows) for r in self._roots), default=0)
        # What later stages need: from the end to the beginning.
        targets: list[list[Term]] = []
        rows = [r for r in self._roots if r in self._rows]
        for level in range(last):
            wanted = [
                t for t, depth in self._level.items() if t in self._totals and depth == level + 1
            ]
            targets.append([*wanted, *(r for r in rows if self._level[r] == level)])
        given = [self._needed(terms) for terms in targets]
        passes: list[Pass] = []
        known: set[Term] = set()
        for level, terms in enumerate(targets):
            if level:
                known |= {t for t in targets[level - 1] if t in self._totals}
            before = [t for t in given[level] if t not in known]
            first = self._stage(before, known) if before else None
            known |= {*before}
            kinds = tuple(self._totals[t] for t in terms if t in self._totals)
            passes.append(Pass(first, self._stage(terms, known), kinds))
        if targets:
            known |= {t for t in targets[-1] if t in self._totals}
        small = [r for r in dict.fromkeys(self._roots) if r not in self._rows]
        return BlockPlan(self._symbol, tuple(passes), self._stage(small, known) if small else None)

    def _needed(self, targets: Iterable[Term]) -> list[Term]:
        """The small nodes that rows are made of, the largest ones."""
        found: dict[Term, None] = {}
        goals = {*targets}

        def operands(node: Term) -> Sequence[Term]:
            if node in self._rows or node in goals:
                return node.args
            if node.op not in _KEPT:
                found[node] = None
            return ()

        for _ in postorder(*targets, operands=operands):
            pass
        return [*found]

    def _stage(self, targets: Sequence[Term], known: Iterable[Term]) -> Stage:
        """The function of some terms, given others."""
        given = {*known}
        done: dict[Term, Term] = {}
        read: dict[str, Term] = {}
        for node in postorder(*targets, operands=lambda t: () if t in given else t.args):
            if node in given:
                called = self._called.setdefault(
                    node, variable(f"{self._prefix}{len(self._called)}", node.dims)
                )
                read[called.name] = node
                done[node] = called
            else:
                done[node] = rebuild(node, tuple(done[a] for a in node.args))
        terms = tuple(done[t] for t in targets)
        names = tuple(v.name for v in variables(*terms) if v.name not in read)
        return Stage(CompiledFunction([Form(terms)]), tuple(targets), tuple(read.items()), names)


def _free(prefix: str, taken: set[str]) -> bool:
    return not any(name.startswith(prefix) for name in taken)
