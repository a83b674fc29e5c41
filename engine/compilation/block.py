"""Straight-line Python over NumPy arrays: statements, and who reads an array last.

A `Value` is an array with labelled axes, and the labels of the axes of the term it stands for. So
no code is written for what a view can say: a transposed term has its labels in another order, a
constant along an axis has a label there that its array lacks, and a delta repeats a label.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.indices.texts import as_float

__all__ = ["Block", "Value", "literal", "number"]

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
