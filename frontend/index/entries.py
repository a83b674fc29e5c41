"""Tensors whose axes have names, as in `A_ij`, and what is computed with their entries.

Axes of one name meet. Sizes that begin with `?` are not known yet and become what they meet.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression.axes import expanded, permuted
from eggrad.frontend.expression.expression import Expression, combine, unified
from eggrad.frontend.text.sizes import unknown


@dataclass(frozen=True, eq=False)
class Entries:
    """An expression, and the name of the index of each axis; no two are the same."""

    expression: Expression
    indices: tuple[str, ...] = ()

    def sizes(self) -> dict[str, Size]:
        """The length of each index."""
        return dict(zip(self.indices, self.expression.shape, strict=True))

    def ordered(self, indices: Sequence[str]) -> Expression:
        """The expression with its axes in another order."""
        return permuted(self.expression, [self.indices.index(i) for i in indices])


def shown_index(index: str) -> str:
    """An index as users call it; those of sums have a number behind it.

    >>> shown_index("i"), shown_index("j#2")
    ('i', 'j')
    """
    return index.partition("#")[0]


def entries(f: Expression, indices: Sequence[str]) -> Entries:
    """The entries at some indices; those where two of them are equal are a diagonal.

    >>> from eggrad.frontend.expression.functions import variable
    >>> entries(variable("A", ("n", "n")), "ii").expression.shape
    ('n',)
    """
    distinct = tuple(dict.fromkeys(indices))
    if len(distinct) == len(indices):
        return Entries(f, distinct)
    sizes: dict[str, list[Size]] = {}
    for i, d in zip(indices, f.shape, strict=True):
        sizes.setdefault(i, []).append(d)
    (met,) = unified([f], _pairs(sizes), "indices")
    spec = canonical((indices,), distinct)
    return Entries(combine("diagonal", [met], [], lambda a: terms.einsum(spec, a)), distinct)


def product(factors: Sequence[Entries], summed: Collection[str] = ()) -> Entries:
    """The product, summed over some indices; each sum is taken as soon as it can be.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> product([Entries(A, ("i", "j")), Entries(x, ("j",))], "j").indices
    ('i',)
    """
    last = {i: k for k, f in enumerate(factors) for i in f.indices}
    found = factors[0]
    if len(factors) == 1:
        return total(found, summed)
    for k, factor in enumerate(factors[1:], 1):
        left, right = met([found, factor])
        joint = dict.fromkeys((*found.indices, *factor.indices))
        kept = tuple(i for i in joint if i not in summed or last[i] > k)
        spec = canonical((found.indices, factor.indices), kept)
        made = combine("*", [left, right], [], lambda p, q, s=spec: terms.einsum(s, p, q))
        found = Entries(made, kept)
    return found


def total(a: Entries, summed: Collection[str]) -> Entries:
    """The sum over some indices."""
    kept = tuple(i for i in a.indices if i not in summed)
    if kept == a.indices:
        return a
    spec = canonical((a.indices,), kept)
    return Entries(combine("sum", [a.expression], [], lambda p: terms.einsum(spec, p)), kept)


def entrywise(operands: Sequence[Entries], build: Callable[..., Expression]) -> Entries:
    """A function of the entries; an operand that lacks an index is the same for all of it."""
    indices = tuple(dict.fromkeys(i for a in operands for i in a.indices))
    spread: list[Expression] = []
    for a, expression in zip(operands, met(operands), strict=True):
        order = [i for i in indices if i in a.indices]
        missing = [k for k, i in enumerate(indices) if i not in a.indices]
        placed = Entries(expression, a.indices).ordered(order)
        spread.append(expanded(placed, missing) if order else placed)
    return Entries(build(*spread), indices)


def met(operands: Sequence[Entries]) -> list[Expression]:
    """The expressions, with one size for each index; `ShapeError` where it has several."""
    sizes: dict[str, list[Size]] = {}
    for a in operands:
        for i, d in a.sizes().items():
            sizes.setdefault(i, []).append(d)
    return unified([a.expression for a in operands], _pairs(sizes), "indices")


def _pairs(sizes: dict[str, list[Size]]) -> list[tuple[Size, Size]]:
    """The sizes that become equal: for each index all of them."""
    pairs: list[tuple[Size, Size]] = []
    for i, lengths in sizes.items():
        known = [d for d in dict.fromkeys(lengths) if not unknown(d)]
        if len(known) > 1:
            raise ShapeError(
                f"the index {shown_index(i)} has {known[0]} values at one place and {known[1]} "
                "at another"
            )
        first = (known or lengths)[0]
        pairs += [(first, d) for d in lengths if d != first]
    return pairs
