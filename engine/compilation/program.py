"""The program form: instructions over labelled arrays, between terms and text.

An array of a program has labelled axes. A `Value` says which array stands for a term, and how the
labels of that array's axes are those of the term's axes. So no instruction is needed for what
labels can say: a transposed term has its labels in another order, a constant along an axis has a
label there that its array lacks, and a delta repeats a label.

A `Program` is a list of statements `name = instruction` in the order in which they run, together
with the terms that it computes and what passes over these terms have decided. `passes.py` has the
list of all passes; dialects (`dialect.py`) say what instructions are called in a library.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import Any, Union

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.affine import is_simple, size_symbols, size_text
from eggrad.engine.indices.slices import Axis
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.term import LoopStep, Term

# Values -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is known when arrays' shapes are: a constant, times sizes."""

    value: Fraction = Fraction(1)
    sizes: tuple[Size, ...] = ()

    def times(self, other: "Number") -> "Number":
        """The product of two, in which sizes that are numbers are multiplied out."""
        sizes = (*self.sizes, *other.sizes)
        known = prod(d for d in sizes if isinstance(d, int))
        return Number(
            self.value * other.value * known, tuple(d for d in sizes if not isinstance(d, int))
        )


ONE = Number()
Source = Union[str, Number, "Instruction"]
"""The name of an array, a number, or what is computed where it is used."""
Atom = tuple[Source, Indices]
"""An array or a number, and the labels of its axes."""
Steps = Mapping[LoopStep, tuple[str, tuple[str, ...]]]
"""What the functions of the steps of loops are called, and the sizes that each is given last."""


@dataclass(frozen=True, slots=True)
class Value:
    """The array `source`, whose axes are called `labels`; the term's axes are called `axes`.

    With a `place`, which says of each axis of the term where it is, the array is a part of the
    term's, which is 0 elsewhere; `axes` are then what the axes of this part are called.
    """

    source: Source
    labels: Indices = ()
    axes: Indices = ()
    place: tuple[Axis, ...] = ()

    @property
    def dense(self) -> bool:
        """Whether every entry of the term may differ from 0: no two axes share a label."""
        return len(set(self.axes)) == len(self.axes) and not self.place

    @property
    def literal(self) -> bool:
        """Whether it is a number of Python's."""
        return isinstance(self.source, Number)

    @property
    def atom(self) -> Atom:
        """The array and its labels, without those of the term."""
        return self.source, self.labels


def number(value: Number, order: int = 0) -> Value:
    """A number as the value of a term with `order` axes."""
    return Value(value, (), tuple(range(order)))


# Statements -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """What a statement computes: `kind` is the method of dialects that writes it.

    `operands` are arrays and numbers, `labels` those of the result's axes; where a dialect needs
    them, `sizes` has the size of each label, and `data` what else there is to know.
    """

    kind: str
    operands: tuple[Atom, ...] = ()
    labels: Indices = ()
    data: Any = None
    sizes: Mapping[int, Size] = field(default_factory=dict[int, Size])

    @property
    def names(self) -> Iterator[str]:
        """The names of the arrays that it reads."""
        for source, _ in self.operands:
            yield from names_in(source)


def names_in(source: Source) -> Iterator[str]:
    """The names of the arrays that are read where something is computed."""
    if isinstance(source, str):
        yield source
    elif isinstance(source, Instruction):
        yield from source.names


@dataclass(slots=True)
class Statement:
    """`target` is what the instruction computes.

    `uses` are the arrays of the program that it reads. `over` is the operand whose buffer takes the
    result, if one does; `deleted` are the arrays that nothing reads any more.
    """

    target: str
    instruction: Instruction
    uses: frozenset[str]
    over: str = ""
    deleted: tuple[str, ...] = ()


class Block:
    """Statements in the order in which they run."""

    def __init__(self) -> None:
        """Make an empty block."""
        self.statements: list[Statement] = []
        self._owners: dict[str, str] = {}

    def emit(self, instruction: Instruction) -> Source:
        """Compute something; return its name."""
        return self._add(instruction, None)

    def alias(self, instruction: Instruction) -> Source:
        """Name what may be a view of the first array that it reads, or an array that others have.

        What shows the memory of an argument, or of nothing here, is never written to.
        """
        return self._add(instruction, self.owner(next(instruction.names, "")))

    def kept(self, node: Term, source: Source) -> Source:
        """What stands for a node wherever it is used."""
        return source

    def owner(self, name: str) -> str:
        """The array whose memory a name shows; the name itself where it shows no other's."""
        return self._owners.get(name, name)

    def owns(self, source: Source) -> bool:
        """Whether a name is that of an array with memory of its own; arguments are callers'."""
        return isinstance(source, str) and self._owners.get(source) == source

    def _add(self, instruction: Instruction, owner: str | None) -> str:
        name = f"t{len(self._owners) + 1}"
        self._owners[name] = name if owner is None else owner
        names = [n for n in instruction.names if n in self._owners]
        uses = frozenset([*names, *(self._owners[u] for u in names)]) & self._owners.keys()
        self.statements.append(Statement(name, instruction, uses))
        return name

    def dying(self, returned: Iterable[Source]) -> list[set[str]]:
        """For each statement the names that it is the last to read."""
        kept = {self.owner(name) for source in returned for name in names_in(source)}
        last: dict[str, int] = {}
        for k, s in enumerate(self.statements):
            last.update(dict.fromkeys(s.uses, k))
        return [
            {u for u in s.uses if last[u] == k and u not in kept}
            for k, s in enumerate(self.statements)
        ]


# Products ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contraction:
    """A product of two arrays, summed over indices of both: a product of matrices.

    The result's axes are those of `batch`, which both arrays have or a stack that one vector is
    multiplied with, of `rows`, which are the left one's, and of `columns`, the right one's.
    `wanted` has them in the order of the term, which costs nothing as axes are labelled. `operator`
    is `dot` or `einsum`.
    """

    left: Atom
    right: Atom
    batch: Indices
    rows: Indices
    columns: Indices
    wanted: Indices
    operator: str = "dot"

    @property
    def summed(self) -> Indices:
        """The indices of the sum, in the order of the array with more axes."""
        longer = max(self.left, self.right, key=lambda a: len(a[1]))
        both = {*self.left[1]} & {*self.right[1]}
        return tuple(i for i in longer[1] if i in both and i not in self.wanted)

    @property
    def is_transposed(self) -> bool:
        """Whether the term's axes are columns, then rows, or a vector's matrix lies transposed."""
        if self.rows and self.columns:
            axes = tuple(i for i in self.wanted if i not in self.batch)
            return axes == self.columns + self.rows
        stored = self.columns + self.summed if self.columns else self.summed + self.rows
        matrix = self.right if self.columns else self.left
        return bool(self.rows or self.columns) and not self.batch and matrix[1] == stored

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
    """A sum: its outer products of two vectors, and what else is added."""

    products: tuple[Summand, ...]
    others: tuple[Summand, ...]

    @property
    def vectors(self) -> list[Term]:
        """The factors of all products, one that lies along the rows after one along the columns."""
        specs = [(s.term.spec[-1], s.term.args) for s in self.products]
        return [args[i] for out, args in specs for i in out]


# Programs ---------------------------------------------------------------------------------------


@dataclass
class Program:
    """Some terms, `roots`, on their way to text.

    `names`, `sizes` and `fixed` say what variables, size symbols and arrays of known numbers are
    called, `like` is an array whose dtype, and device, those that are made have, if there is one.
    `model` has the sizes to expect. `in_place` says that kernels run one by one and write into
    arrays, as NumPy's do; other libraries compile pure functions. `alone` is code that calls
    nothing of eggrad's, and `reads_backwards` says whether slices may have negative steps,
    `splits_axes` whether an axis is read as several. `steps` says what the functions of the steps
    of loops are called, and which sizes these are given.
    """

    roots: tuple[Term, ...]
    model: CostModel
    names: Mapping[str, str]
    sizes: Mapping[str, str]
    fixed: Mapping[FixedArray, str]
    like: str
    in_place: bool = True
    alone: bool = False
    reads_backwards: bool = True
    splits_axes: bool = True
    steps: Steps = field(default_factory=dict[LoopStep, tuple[str, tuple[str, ...]]])

    # The terms that say places and nothing else, in the dtype that they come in.
    indices: frozenset[Term] = frozenset()

    # What passes over terms decide: whether overflow is expected, sums that are one product,
    # indicators that are stored as arrays, tests that are only asked for.
    silent: bool = False
    stacks: Mapping[Term, Stack] = field(default_factory=dict[Term, Stack])
    stored: frozenset[Term] = frozenset()
    masks: set[Term] = field(default_factory=set[Term])
    # Products with a mask that hides what may be undefined, and its place among their operands.
    hiding: Mapping[Term, int] = field(default_factory=dict[Term, int])

    # What lowering writes: statements, what is returned, the size symbols that are used, and the
    # axes of all arrays that are made.
    block: Block = field(default_factory=Block)
    returned: list[Source] = field(default_factory=list[Source])
    used: set[str] = field(default_factory=set[str])
    made: set[Dims] = field(default_factory=set[Dims])

    def operands(self, node: Term) -> Sequence[Term]:
        """The terms whose values a node needs."""
        stack = self.stacks.get(node)
        return [*stack.vectors, *(s.term for s in stack.others)] if stack else node.args

    def size(self, d: Size) -> str:
        """The text of a size."""
        if isinstance(d, int):
            return str(d)
        self.used.update(size_symbols(d))
        text = size_text(d, self.sizes)
        return text if is_simple(d) else f"({text})"
