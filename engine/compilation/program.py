"""The intermediate form: statements over labelled arrays, between terms and text.

An array in generated code has labelled axes. A `Value` says which array stands for a term, and how
the labels of that array's axes are those of the term's axes. So no code is written for what labels
can say: a transposed term has its labels in another order, a constant along an axis has a label
there that its array lacks, and a delta repeats a label.

A `Program` is a list of statements `t = text` in the order in which they run, together with the
terms that it computes and what passes over these terms have decided. `passes.py` has the list of
all passes: those over terms, lowering, which writes the statements, and those over statements.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.indices.texts import as_float
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.term import Step, Term

_TEMPORARY: Final = re.compile(r"\bt\d+\b")

Atom = tuple[str, Indices]
"""The text of an array, and the labels of its axes."""
Length = Callable[[int], str]
"""The text of an index's size."""
Steps = Mapping[Step, tuple[str, tuple[str, ...]]]
"""What the functions of the steps of loops are called, and the sizes that each is given last."""

# Values -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Value:
    """The array `text`, whose axes are called `labels`; the term's axes are called `axes`.

    With a `place`, which has a slice or an index for each axis of the term, the array is a part of
    the term's, which is 0 elsewhere; an index takes no axis of the array.
    """

    text: str
    labels: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    literal: bool = False
    place: tuple[str, ...] = ()

    @property
    def dense(self) -> bool:
        """Whether every entry of the term may differ from 0: no two axes share a label."""
        return len(set(self.axes)) == len(self.axes) and not self.place


def number(text: str, order: int = 0) -> Value:
    """A Python number as the value of a term with `order` axes.

    >>> number("2.0", 1)
    Value(text='2.0', labels=(), axes=(0,), literal=True, place=())
    """
    return Value(text, (), tuple(range(order)), literal=True)


def literal(value: Fraction) -> str:
    """A number in code, in brackets if it is negative; infinite beyond the greatest float.

    >>> literal(Fraction(-1, 2)), literal(Fraction(10**400))
    ('(-0.5)', 'np.inf')
    """
    text = repr(as_float(value)).replace("inf", "np.inf")
    return f"({text})" if text.startswith("-") else text


# Statements -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operation:
    """What a statement computes, where passes know several kernels for it.

    It is a NumPy function of one or two arrays, `operands`, which are ready to be broadcast.
    `labels` has the labels of each, `order` those of the result; `lengths` are the sizes to expect
    of the result's axes.
    """

    function: str
    operands: tuple[str, ...]
    labels: tuple[Indices, ...]
    order: Indices
    lengths: tuple[int, ...]

    @property
    def entries(self) -> int:
        """The number of entries to expect of the result."""
        return prod(self.lengths)


@dataclass(slots=True)
class Statement:
    """`target = text`, or `text` alone, which writes into an array.

    `uses` are the program's own arrays that it reads, `order` is the number of axes of the target.
    `reuse` offers, for an operand, a statement that writes the result into that operand's buffer;
    `over` is the operand where that is done. `deleted` are the arrays that nothing reads any more.
    """

    target: str
    text: str
    uses: frozenset[str]
    order: int = 0
    reuse: tuple[tuple[str, str], ...] = ()
    operation: Operation | None = None
    over: str = ""
    deleted: tuple[str, ...] = ()


class Block:
    """Statements in the order in which they run."""

    def __init__(self) -> None:
        """Make an empty block."""
        self.statements: list[Statement] = []
        self._owners: dict[str, str] = {}

    def emit(
        self,
        text: str,
        uses: Iterable[str] = (),
        order: int = 0,
        reuse: Iterable[tuple[str, str]] = (),
        operation: Operation | None = None,
    ) -> str:
        """Compute something; return its name. `reuse`: (operand, statement that overwrites it)."""
        name = self._fresh()
        # A scalar is a NumPy number, which has no buffer; arguments belong to the caller.
        offered = tuple(r for r in reuse if order > 0 and self._owners.get(r[0]) == r[0])
        self._add(Statement(name, text, self._own(uses), order, offered, operation))
        return name

    def alias(self, text: str, source: str) -> str:
        """Name a view of an array."""
        name = self._fresh(self.owner(source))
        self._add(Statement(name, text, self._own([source])))
        return name

    def effect(self, text: str, uses: Iterable[str]) -> None:
        """Write into an array."""
        self._add(Statement("", text, self._own(uses)))

    def owner(self, name: str) -> str:
        """The array whose memory a name shows; the name itself where that is its own."""
        return self._owners.get(name, name)

    def _add(self, statement: Statement) -> None:
        self.statements.append(statement)

    def _fresh(self, owner: str | None = None) -> str:
        """A new name, for memory of its own or for that of an owner."""
        name = f"t{len(self._owners) + 1}"
        self._owners[name] = owner or name
        return name

    def _own(self, uses: Iterable[str]) -> frozenset[str]:
        """The names among some texts that are the block's, and the owners of their memory."""
        names = [u for u in uses if u in self._owners]
        return frozenset([*names, *(self._owners[u] for u in names)]) & self._owners.keys()

    def dying(self, returned: Sequence[str]) -> list[set[str]]:
        """For each statement the names that it is the last to read."""
        kept = {self.owner(t) for text in returned for t in _TEMPORARY.findall(text)}
        last: dict[str, int] = {}
        for k, s in enumerate(self.statements):
            last.update(dict.fromkeys(s.uses, k))
        return [
            {u for u in s.uses if last[u] == k and u not in kept}
            for k, s in enumerate(self.statements)
        ]

    def lines(self, returned: Sequence[str], single: bool = False) -> list[str]:
        """The text of all statements, and of the return of some texts, or of a single one.

        Names are numbered anew, so that what is overwritten keeps its name.
        """
        names: dict[str, str] = {}
        found: list[str] = []
        fresh = 0

        def named(text: str) -> str:
            return _TEMPORARY.sub(lambda m: names[m.group()], text)

        for s in self.statements:
            if s.over:
                names[s.target] = names[s.over]
            elif s.target:
                fresh += 1
                names[s.target] = f"t{fresh}"
            text = f"{s.target} = {s.text}" if s.target and not s.over else s.text
            found += [named(text)] if text else []
            if s.deleted:
                found.append(f"del {', '.join(dict.fromkeys(map(named, s.deleted)))}")
        result = returned[0] if single else f"[{', '.join(returned)}]"
        return [*found, named(f"return {result}")]


# Products ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contraction:
    """A product of two arrays, summed over indices of both: a product of matrices.

    The result's axes are those of `batch`, which both arrays have, of `rows`, which are the left
    one's, and of `columns`, the right one's. `wanted` has them in the order of the term, which
    costs nothing as axes are labelled. `expected` is the size to expect of an index; `operator` is
    `dot` or `@`. With `stacked` the right array is a stack of matrices along these axes, which come
    first in the result, and the left one multiplies each of them.
    """

    left: Atom
    right: Atom
    batch: Indices
    rows: Indices
    columns: Indices
    wanted: Indices
    expected: Callable[[int], int]
    operator: str = "dot"
    stacked: Indices = ()

    @property
    def summed(self) -> Indices:
        """The indices of the sum, in the order of the array with more axes."""
        longer = max(self.left, self.right, key=lambda a: len(a[1]))
        both = {*self.left[1]} & {*self.right[1]}
        return tuple(i for i in longer[1] if i in both and i not in self.wanted)

    def entries(self, *groups: Indices) -> int:
        """The number of values to expect of some groups of indices."""
        return prod(self.expected(i) for group in groups for i in group)

    def exchanged(self) -> "Contraction":
        """The transposed product: its columns come before its rows."""
        return replace(self, left=self.right, right=self.left, rows=self.columns, columns=self.rows)


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


@dataclass(frozen=True)
class Batch:
    """Products `matrix @ v`, or `v @ matrix` where it is `transposed`, by their vectors v."""

    matrix: Term
    transposed: bool
    vectors: Mapping[Term, Term]


@dataclass(frozen=True)
class System:
    """Solutions of systems with one matrix, by their right sides, here called `vectors`."""

    matrix: Term
    vectors: Mapping[Term, Term]


# Programs ---------------------------------------------------------------------------------------


@dataclass
class Program:
    """Some terms, `roots`, on their way to text.

    `names`, `sizes` and `fixed` say what variables, size symbols and arrays of known numbers are
    called, `dtype` is the text of the dtype of all arrays, `model` has the sizes to expect. `real`
    says that no array is complex. `steps` says what the functions of the steps of loops are called,
    and which sizes they are given.
    """

    roots: tuple[Term, ...]
    model: CostModel
    names: Mapping[str, str]
    sizes: Mapping[str, str]
    fixed: Mapping[FixedArray, str]
    dtype: str
    real: bool = True
    steps: Steps = field(default_factory=dict[Step, tuple[str, tuple[str, ...]]])

    # The terms that say places and nothing else, in the dtype that they come in.
    indices: frozenset[Term] = frozenset()

    # What passes over terms decide: whether overflow is expected, sums that are one product and
    # the nodes in them, products and systems that share a matrix, indicators that are stored as
    # arrays, tests that are only asked for.
    silent: bool = False
    stacks: Mapping[Term, Stack] = field(default_factory=dict[Term, Stack])
    absorbed: set[Term] = field(default_factory=set[Term])
    batches: Mapping[Term, Batch | System] = field(default_factory=dict[Term, Batch | System])
    stored: frozenset[Term] = frozenset()
    masks: set[Term] = field(default_factory=set[Term])
    # What lowering asks, in order, before it writes a product of matrices.
    turns: list[Callable[[Contraction], Contraction]] = field(
        default_factory=list[Callable[[Contraction], Contraction]]
    )

    # What lowering writes: statements, the texts of the roots' values, the size symbols that are
    # used, and the axes of all arrays that are made.
    block: Block = field(default_factory=Block)
    returned: list[str] = field(default_factory=list[str])
    used: set[str] = field(default_factory=set[str])
    made: set[Dims] = field(default_factory=set[Dims])


# Texts of arrays --------------------------------------------------------------------------------


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
