"""Sums of outer products, computed as one matrix product.

A sum of K products `L_k[rows] R_k[columns]` is a matrix product whose summed axis counts the
terms: the result is written once instead of K times, and BLAS does it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from eggrad.engine.compilation.block import Value
from eggrad.engine.compilation.layout import transposed
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.term import Term, postorder

__all__ = ["Stack", "Summand", "factor_text", "find_stacks"]

# Worth it from so many terms on, or for results with so many entries.
MANY = 4
LARGE = 4096


@dataclass(frozen=True)
class Summand:
    """A term of a sum, and whether it is subtracted."""

    term: Term
    negative: bool


@dataclass(frozen=True)
class Stack:
    """A sum: the outer products in it, how they are laid out as matrices, and what else is added.

    The result's axes are those of `batch`, then rows, then columns. `sides` has for each product
    the places of its left and right factor among its operands.
    """

    products: tuple[Summand, ...]
    sides: tuple[tuple[int, int], ...]
    batch: int
    rows: int
    batched: tuple[bool, bool]
    others: tuple[Summand, ...]

    @property
    def operands(self) -> list[Term]:
        """The factors of all products."""
        return [a for s in self.products for a in s.term.args]


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
    worth = len(products) >= MANY or (len(products) >= 2 and model.entries(node.dims) >= LARGE)
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
    if (
        term.op != "einsum"
        or len(term.args) != 2
        or any(a.op in ("delta", "indicator") for a in term.args)
    ):
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


def factor_text(
    stack: Stack, side: int, operands: Mapping[Term, Value], shape: Sequence[str]
) -> str:
    """The code of the left (0) or right (1) matrix; `shape` has the sizes of the result's axes."""
    axes = tuple(range(len(shape)))
    edge = stack.batch + stack.rows
    group = axes[edge:] if side else axes[stack.batch : edge]
    batch = axes[: stack.batch] if stack.batched[side] else ()
    arrays: list[str] = []
    for s, sides in zip(stack.products, stack.sides, strict=True):
        spec = s.term.spec
        value = operands[s.term.args[sides[side]]]
        label = dict(zip(value.axes, spec[sides[side]], strict=True))
        places = tuple(spec[-1].index(label[i]) for i in value.labels)
        sign = "-" if s.negative and not side else ""
        arrays.append(sign + transposed((value.text, places), batch + group))
    listed = f"[{', '.join(arrays)}]"
    if len(group) == 1 and not batch:
        # Of vectors it takes a third of the time that `np.stack` takes.
        return f"np.array({listed})" if side else f"np.array({listed}).T"
    text = f"np.stack({listed}, axis={len(batch) if side else -1})"
    if len(group) == 1:
        return text
    flat = [" * ".join(shape[i] for i in group), str(len(arrays))]
    sizes = [*(shape[i] for i in batch), *(flat[::-1] if side else flat)]
    return f"{text}.reshape({', '.join(sizes)})"
