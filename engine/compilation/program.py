"""Straight-line Python over NumPy arrays: statements, and who reads an array last.

A `Value` is an array with labelled axes, and the labels of the axes of the term it stands for. So
no code is written for what a view can say: a transposed term has its labels in another order, a
constant along an axis has a label there that its array lacks, and a delta repeats a label.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.numerals import as_float
from eggrad.engine.indices.spec import Indices

__all__ = [
    "Atom",
    "Block",
    "Length",
    "Value",
    "add_entries",
    "dense",
    "grouped",
    "letters",
    "literal",
    "number",
    "spread",
    "transposed",
    "wrapped",
]

_TEMPORARY: Final = re.compile(r"\bt\d+\b")


@dataclass(frozen=True, slots=True)
class Value:
    """The array `text`, whose axes are called `labels`; the term's axes are called `axes`."""

    text: str
    labels: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    literal: bool = False

    @property
    def dense(self) -> bool:
        """Whether every entry of the term may differ from 0: no two axes share a label."""
        return len(set(self.axes)) == len(self.axes)


def number(text: str, order: int = 0) -> Value:
    """A Python number as the value of a term with `order` axes.

    >>> number("2.0", 1)
    Value(text='2.0', labels=(), axes=(0,), literal=True)
    """
    return Value(text, (), tuple(range(order)), literal=True)


def literal(value: Fraction) -> str:
    """A number in code, in brackets if it is negative; infinite beyond the greatest float.

    >>> literal(Fraction(-1, 2)), literal(Fraction(10**400))
    ('(-0.5)', 'np.inf')
    """
    text = repr(as_float(value)).replace("inf", "np.inf")
    return f"({text})" if text.startswith("-") else text


@dataclass(frozen=True, slots=True)
class Statement:
    """`targets = text`, or `text` alone; `reuse` has texts that write into an operand instead.

    `orders` has the number of axes of each target.
    """

    targets: tuple[str, ...]
    text: str
    uses: frozenset[str]
    reuse: tuple[tuple[str, str], ...] = ()
    orders: tuple[int, ...] = (0,)

    @property
    def written(self) -> str:
        """The statement where no operand is overwritten."""
        return f"{self.targets[0]} = {self.text}" if self.targets else self.text


class Block:
    """Collects statements; `lines` writes them out.

    An operand that nobody reads again gives its buffer to the result where a statement offers
    that. Where it does not, it is deleted if it has at least two axes.
    """

    def __init__(self, reuse: bool = True) -> None:
        """Make an empty block; without `reuse` nothing overwrites an operand."""
        self._reuse = reuse
        self._statements: list[Statement] = []
        self._temporaries: dict[str, str] = {}

    def emit(
        self,
        text: str,
        uses: Iterable[str] = (),
        order: int = 0,
        reuse: Iterable[tuple[str, str]] = (),
    ) -> str:
        """Compute something; return its name. `reuse`: (operand, statement that overwrites it)."""
        name = self._fresh()
        # A scalar is a NumPy number, which has no buffer.
        allowed = self._reuse and order > 0
        offered = tuple(r for r in reuse if allowed and self._temporaries.get(r[0]) == r[0])
        self._statements.append(Statement((name,), text, self._own(uses), offered, (order,)))
        return name

    def _fresh(self, owner: str | None = None) -> str:
        """A new name, for memory of its own or for that of an owner."""
        name = f"t{len(self._temporaries) + 1}"
        self._temporaries[name] = owner or name
        return name

    def alias(self, text: str, source: str) -> str:
        """Name a view of an array."""
        name = self._fresh(self.owner(source))
        self._statements.append(Statement((name,), text, self._own([source])))
        return name

    def effect(self, text: str, uses: Iterable[str]) -> None:
        """Write into an array."""
        self._statements.append(Statement((), text, self._own(uses)))

    def owner(self, name: str) -> str:
        """The array whose memory a name shows; the name itself where that is its own."""
        return self._temporaries.get(name, name)

    def _own(self, uses: Iterable[str]) -> frozenset[str]:
        names = [u for u in uses if u in self._temporaries]
        return frozenset([*names, *(self._temporaries[u] for u in names)]) & set(self._temporaries)

    def lines(self, returned: Sequence[str], single: bool = False) -> list[str]:
        """All statements, and the return of some texts, or of a single one."""
        kept = {self.owner(t) for text in returned for t in _TEMPORARY.findall(text)}
        last: dict[str, int] = {}
        for k, s in enumerate(self._statements):
            last.update(dict.fromkeys(s.targets, k))
            last.update(dict.fromkeys(s.uses, k))
        names: dict[str, str] = {}
        fresh = 0
        found: list[str] = []
        orders = {t: n for s in self._statements for t, n in zip(s.targets, s.orders, strict=False)}
        for k, s in enumerate(self._statements):
            dying = {u for u in s.uses if last[u] == k and u not in kept}
            over = next((r for r in s.reuse if r[0] in dying), None)
            text = over[1] if over else s.written
            if over:
                names[s.targets[0]] = names[over[0]]
                dying -= {over[0]}
            else:
                for target in s.targets:
                    fresh += 1
                    names[target] = f"t{fresh}"
            if text:
                found.append(_TEMPORARY.sub(lambda m: names[m.group()], text))
            gone = sorted(d for d in dying if orders[d] > 1 and self.owner(d) == d)
            if gone and k + 1 < len(self._statements):
                found.append(f"del {', '.join(dict.fromkeys(names[d] for d in gone))}")
        text = f"return {returned[0]}" if single else f"return [{', '.join(returned)}]"
        return [*found, _TEMPORARY.sub(lambda m: names[m.group()], text)]


# The axes of arrays in generated code: transposed, spread out to be broadcast, grouped, diagonal.
#
# An `Atom` is the name of an array and the labels of its axes.


Atom = tuple[str, Indices]
Length = Callable[[int], str]


def wrapped(values: Sequence[Value]) -> list[str]:
    """The texts; the first as a NumPy number if all are Python's, which raise on overflow.

    >>> wrapped([Value("1.0", literal=True), Value("0.0", literal=True)])
    ['np.float64(1.0)', '0.0']
    """
    texts = [v.text for v in values]
    if all(v.literal for v in values):
        texts[0] = f"np.float64({texts[0]})"
    return texts


def letters(*parts: Indices) -> str:
    """The einsum spec of some labels, the last of them the output's.

    >>> letters((4, 4), (4,))
    'ii->i'
    """
    return specs.format_spec(specs.canonical(parts[:-1], parts[-1]))


def transposed(atom: Atom, wanted: Indices) -> str:
    """The array with its axes in another order.

    >>> transposed(("A", (0, 1)), (1, 0)), transposed(("B", (0, 1, 2)), (1, 0, 2))
    ('A.T', 'B.transpose(1, 0, 2)')
    """
    text, labels = atom
    if labels == wanted:
        return text
    if labels == wanted[::-1]:
        return f"{text}.T"
    return f"{text}.transpose({', '.join(str(labels.index(i)) for i in wanted)})"


def spread(atom: Atom, wanted: Indices) -> str:
    """The array with its axes where `wanted` has them, ready to be broadcast.

    >>> spread(("A", (0, 2)), (2, 1, 0))
    'A.T[:, None, :]'
    """
    own = tuple(i for i in wanted if i in atom[1])
    text = transposed(atom, own)
    present = [i in own for i in wanted[wanted.index(own[0]) :]] if own else []
    if all(present):
        return text
    return f"{text}[{', '.join(':' if p else 'None' for p in present)}]"


def grouped(atom: Atom, batch: Indices, groups: Sequence[Indices], length: Length) -> str:
    """The array with the axes of `batch`, then one axis for each group that is not empty.

    >>> grouped(("A", (0, 1, 2)), (), [(0,), (1, 2)], "nmk".__getitem__)
    'A.reshape(n, m * k)'
    >>> grouped(("A", (0, 1, 2)), (), [(2,), (0, 1)], "nmk".__getitem__)
    'A.reshape(n * m, k).T'
    """
    swapped = tuple(i for g in reversed(groups) for i in g)
    if not batch and all(groups) and atom[1] == swapped and len(groups) == 2 < len(swapped):
        # A view, where to transpose first would make a copy.
        return f"{grouped(atom, (), groups[::-1], length)}.T"
    text = transposed(atom, batch + tuple(i for g in groups for i in g))
    if all(len(g) <= 1 for g in groups):
        return text
    if not batch and sum(map(bool, groups)) == 1:
        return f"{text}.ravel()"
    shape = [length(i) for i in batch] + [" * ".join(map(length, g)) for g in groups if g]
    return f"{text}.reshape({', '.join(shape)})"


def _diagonal(name: str, axes: Indices, size: str = "") -> str:
    """The entries of an array where axes of equal labels have equal positions, as a view.

    `size` is the length of the axes of a matrix in C order.

    >>> _diagonal("H", (0, 1, 0, 1)), _diagonal("H", (0, 0), "n")
    ('np.einsum("ijij->ij", H)[...]', 'H.reshape(-1)[::n + 1]')
    """
    if size and axes == (axes[0], axes[0]):
        return f"{name}.reshape(-1)[::{size} + 1]"
    return f'np.einsum("{letters(axes, tuple(dict.fromkeys(axes)))}", {name})[...]'


def dense(value: Value, block: Block, sizes: Sequence[str], dtype: str) -> Value:
    """The value with a delta's zeros written out: an array of zeros, and its other entries."""
    if value.dense:
        return value
    order = len(sizes)
    axes = tuple(range(order))
    if value.text == "1.0" and order == 2:
        name = block.emit(f"np.eye({sizes[0]}{dtype and f', dtype={dtype}'})", [], order)
    else:
        name = block.emit(f"np.zeros(({', '.join(sizes)}){dtype and f', {dtype}'})", [], order)
        _write(_diagonal(name, value.axes, sizes[0]), "=", name, value, block)
    return Value(name, axes, axes)


def add_entries(name: str, value: Value, block: Block, sign: str) -> None:
    """Add a value with deltas to an array (`+=`) or subtract it, touching no other entries."""
    _write(_diagonal(name, value.axes), sign, name, value, block)


def _write(target: str, sign: str, name: str, value: Value, block: Block) -> None:
    own = tuple(dict.fromkeys(value.axes))
    entries = spread((value.text, value.labels), own) if value.labels else value.text
    block.effect(f"{target} {sign} {entries}", [name, value.text])
