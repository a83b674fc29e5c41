"""Programs in languages of arrays: with their words where there are, entry by entry elsewhere."""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from typing import Any, Final, NamedTuple

from eggrad.engine.compilation.dialect import ATOM, POWER, PRODUCT, SIGN, asked_operands
from eggrad.engine.compilation.program import (
    ONE,
    Atom,
    Contraction,
    Instruction,
    Number,
    Program,
    Source,
)
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import form, format_form, plus
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import LETTERS, Indices, Size
from eggrad.engine.indices.texts import ascii_identifier
from eggrad.engine.terms.functions import EXTREMES, MATRIX_FUNCTIONS, Function
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.programs import (
    ARITHMETIC,
    WORTH_NAMING,
    PrintedDialect,
    format_condition,
)

Range = tuple[str, str]
"""An index, and the text of the size of its axis."""

# What is computed of the entries of operands, each by itself; an outer product is one of these.
_OF_ENTRIES: Final = frozenset(
    {"add", "subtract", "multiply", "scale", "divide", "negate", "repeat", "power", "function"}
    | {"numbers", "outer"}
)
# What shows the entries of its operand in other places.
_SHOWING: Final = ("transpose", "broadcast", "filled", "array", "diagonal")


class _Scope(NamedTuple):
    """The indices where a text stands, and whether it is in a sum."""

    indices: frozenset[str] = frozenset()
    summing: bool = False


class Reduction(NamedTuple):
    """What adds up a product, or takes an extreme or a norm, over all indices but those `kept`."""

    kind: str
    operands: tuple[Atom, ...]
    kept: Indices
    sizes: Mapping[int, Size]

    @property
    def gone(self) -> Indices:
        """The other indices."""
        every = dict.fromkeys(i for _, labels in self.operands for i in labels)
        return tuple(i for i in every if i not in self.kept)


def reduction(source: Source) -> Reduction | None:
    """What an instruction adds up, if it does."""
    if not isinstance(source, Instruction):
        return None
    if source.kind in ("sum", "contract"):
        return Reduction("sum", source.operands, source.labels, source.sizes)
    node = source.data
    if source.kind != "call" or node.op not in (*EXTREMES, "norm"):
        return None
    (part, out), ((array, _),) = node.spec, source.operands
    kind = "hypot" if node.op == "norm" else node.op
    return Reduction(kind, ((array, part),), out, dict(zip(part, node.args[0].dims, strict=True)))


class EntryDialect(PrintedDialect):
    """Writes the entries of arrays as texts of their indices.

    An entry of an operation is the same operation of entries, which are numbers; what has no such
    text is an array that has a name.
    """

    first = 0
    """The first index of an axis."""
    divisible = "({}) % {} == 0"
    place = "int({})"
    """An index, given a number that counts from 0, or from the end if it is negative."""
    nonzero = "({} != 0)"
    inline = True
    """Whether a sum can stand in an expression."""
    of_matrices: Mapping[str, str] = {}
    """Functions of matrices beside those that have records."""

    def __init__(self, program: Program, taken: set[str]) -> None:
        """Write a program, with other names than those that are taken."""
        super().__init__(program, taken)
        self._scope = _Scope()
        self._stored: dict[Instruction, str] = {}

    @abstractmethod
    def array(self, text: str, ranges: Sequence[Range]) -> str:
        """An array, given the text of its entries and their indices."""

    @abstractmethod
    def total(self, kind: str, text: str, ranges: Sequence[Range]) -> Text:
        """The sum, the extreme or the norm of a text over all indices in some ranges."""

    @abstractmethod
    def truth(self, text: str) -> Text:
        """1 where a condition holds, and 0 elsewhere."""

    def read(self, name: str, at: Sequence[str]) -> str:
        """An entry of an array."""
        return f"{name}[{', '.join(at)}]" if at else name

    def has_words(self, own: Instruction) -> bool:
        """Whether the language has words for the whole array, if what it reads is named."""
        numbers = not own.labels and own.kind in (*_OF_ENTRIES, "array")
        of_matrix = own.kind == "call" and reduction(own) is None
        return own.kind in ("known", "written") or numbers or of_matrix

    # Whole arrays -------------------------------------------------------------------------------

    def text(self, own: Instruction) -> Text:
        """The text of what an instruction computes, or its name where there are no words."""
        found = reduction(own)
        again = bool(self._scope.indices) and (found is not None or own.kind == "call")
        if self.has_words(own) and not again:
            return super().text(own)
        if own.labels or self.has_words(own) or (found is not None and not self.inline):
            return self.stored(own), ATOM
        return self.entry(own, ())

    def stored(self, own: Instruction) -> str:
        """The name of what an instruction computes."""
        if own not in self._stored:
            before, self._scope = self._scope, _Scope()
            if self.has_words(own):
                self._stored[own] = self.named(self.text(own)[0])
            else:
                self._stored[own] = self.by_entries(own)
            self._texts[own] = self._stored[own], ATOM
            self._scope = before
        return self._stored[own]

    def name_of(self, source: Source) -> str:
        """The name of an array."""
        return self.stored(source) if isinstance(source, Instruction) else self.source(source)[0]

    def by_entries(self, own: Instruction) -> str:
        """The name of an array that is made entry by entry."""
        return self.named(self.comprehension(own))

    def comprehension(self, own: Instruction) -> str:
        """An array entry by entry."""
        with self.loops([own.sizes[i] for i in own.labels]) as ranges:
            text, _ = self.entry(own, [i for i, _ in ranges])
        return self.array(text, ranges) if ranges else text

    def result(self, source: Source) -> str:
        """The array to return."""
        if isinstance(source, Instruction) and source.labels and not self.has_words(source):
            return self.comprehension(source)
        return super().result(source)

    def is_long(self, own: Instruction) -> bool:
        """Whether a name is shorter than what an instruction computes."""
        if self.has_words(own):
            return super().is_long(own)
        with self.loops([own.sizes[i] for i in own.labels]) as ranges:
            return len(self.entry(own, [i for i, _ in ranges])[0]) > WORTH_NAMING

    def once(self, text: str) -> str:
        """What stands for a text that is mentioned more than once."""
        return f"({text})" if self._scope.indices else super().once(text)

    @contextmanager
    def loops(self, dims: Sequence[Size], summing: bool = False) -> Iterator[list[Range]]:
        """New indices, and how long their axes are."""
        before = self._scope
        every = chain(LETTERS, (f"i{k}" for k in count(1)))
        unused = (i for i in every if i not in self._taken and i not in before.indices)
        ranges = [(i, self.program.size(d)) for d, i in zip(dims, unused, strict=False)]
        names = before.indices.union(i for i, _ in ranges)
        self._scope = _Scope(names, summing or before.summing)
        yield ranges
        self._scope = before

    # Entries ------------------------------------------------------------------------------------

    def at(self, atom: Atom, index: Mapping[int, str]) -> Text:
        """An entry of an array, given the indices of its axes; or a number."""
        source, labels = atom
        places = [index[i] for i in labels]
        if isinstance(source, str):
            return self.read(source, places), ATOM
        if isinstance(source, Number):
            return self.number(source)
        return self.entry(source, places) if labels else self.text(source)

    def entry(self, own: Instruction, at: Sequence[str]) -> Text:
        """An entry of what an instruction computes."""
        index = dict(zip(own.labels, at, strict=True))
        found = reduction(own)
        if found is not None and self.inline and not (self.has_words(own) or self._scope.summing):
            with self.loops([found.sizes[i] for i in found.gone], summing=True) as ranges:
                names = (*at, *(i for i, _ in ranges))
                text = self.product(
                    found, dict(zip((*found.kept, *found.gone), names, strict=True))
                )
            return self.total(found.kind, text[0], ranges)
        if own.kind in _OF_ENTRIES:
            return self.text(self._of_numbers(own, index))
        if own.kind in _SHOWING:
            return self.at(own.operands[0], index)
        write: Any = getattr(self, f"_{own.kind}_entry", None)
        return write(own, index) if write else (self.read(self.stored(own), at), ATOM)

    def product(self, found: Reduction, index: Mapping[int, str]) -> Text:
        """What is added up, at some indices."""
        if len(found.operands) == 1:
            return self.at(found.operands[0], index)
        return self.text(self._of_numbers(Instruction("multiply", found.operands), index))

    def _of_numbers(self, own: Instruction, index: Mapping[int, str]) -> Instruction:
        """The same operation, of entries."""
        entries = {a: self._number(a, index) for a in own.operands}
        operands = tuple(entries[a] for a in own.operands)
        kind = "multiply" if own.kind == "outer" else own.kind
        return replace(own, kind=kind, operands=operands, labels=())

    def _number(self, atom: Atom, index: Mapping[int, str]) -> Atom:
        source = Instruction("written", data=self.at(atom, index)) if atom[1] else atom[0]
        return source, ()

    def _written(self, own: Instruction) -> Text:
        return own.data

    def condition(self, constraint: Constraint, index: Mapping[int, str]) -> str:
        """A condition on indices, which terms count from 0."""
        relation, f = constraint
        shift = sum(c for key, c in f if isinstance(key, int)) * self.first
        own = relation, plus(f, form([("", -shift)]))
        return format_condition(own, index.__getitem__, self.program.size, self.divisible)

    def _factors(self, factors: Sequence[Text]) -> Text:
        if len(factors) == 1:
            return factors[0]
        return " * ".join(bracketed(f, SIGN) for f in factors), PRODUCT

    def _with_zeros_entry(self, own: Instruction, index: Mapping[int, str]) -> Text:
        value, _ = own.data
        first = dict[int, str]()
        pairs = [(first.setdefault(i, index[k]), index[k]) for k, i in enumerate(value.axes)]
        factors = [self.truth(f"{a} == {b}") for a, b in pairs if a != b]
        return self._factors(factors + [self.at(value.atom, first)] * (value.source != ONE))

    def _zeros_and_ones_entry(self, own: Instruction, index: Mapping[int, str]) -> Text:
        conditions = [self.condition(c, index) for c in own.data.constraints]
        return self._factors([*map(self.truth, conditions)] or [("1", ATOM)])

    def _selection_entry(self, own: Instruction, index: Mapping[int, str]) -> Text:
        """1 where the last indices are the places that integers say."""
        ((source, labels),), chosen = own.operands, own.data
        rows = len(own.labels) - len(chosen)
        truths: list[Text] = []
        for k, d in enumerate(chosen):
            known = {**index, rows: str(k + self.first)}
            place = bracketed(self.at((source, labels), known), PRODUCT)
            shift = f" + {self.first}" * bool(self.first)
            behind = f"{place}{shift} - {index[rows + k]}"
            truths.append(self.truth(self.divisible.format(behind, self.program.size(d))))
        return self._factors(truths)

    def _entries_entry(self, own: Instruction, index: Mapping[int, str]) -> Text:
        ((source, labels),) = own.operands
        name = self.name_of(source)
        at = iter([index[i] for i in own.labels])
        key = [*own.data, *":" * (len(labels) - len(own.data))]
        places = [self._within(part, next(at) if ":" in part else "") for part in key]
        return self.read(name, places), ATOM

    def _within(self, part: str, index: str) -> str:
        """The place along an axis that an index has in a slice of Python's."""
        start, _, rest = part.partition(":")
        step = int(rest.partition(":")[2] or 1)
        start = start or ("-1" if step < 0 else "0")
        shift = self.first * (1 - step * bool(index))
        terms = [*self.start(start), (0, step * bool(index)), ("", shift)]
        return format_form(form(terms), lambda _: index, str, " * ")

    def start(self, text: str) -> list[tuple[int | str, int]]:
        """A place as Python counts it, as the terms of a form; from the end if it is negative."""
        if not text.removeprefix("-").isdigit():
            return [(text, 1)]
        return [("", int(text)), *[("end", 1)] * (text.startswith("-") and self.first)]

    def _selected_entry(self, own: Instruction, index: Mapping[int, str]) -> Text:
        """An entry of an array at a place that integers say."""
        (array, labels), (places, own_labels) = own.operands
        axis, at = own.data, [index[i] for i in own.labels]
        behind = axis + len(own_labels)
        inner = dict(zip(own_labels, at[axis:behind], strict=True))
        place = self.place.format(self.at((places, own_labels), inner)[0])
        whole = dict(zip(labels, [*at[:axis], place, *at[behind:]], strict=True))
        return self.at((array, labels), whole)

    # Functions ----------------------------------------------------------------------------------

    def operands(self, own: Instruction, operands: Sequence[Text]) -> Sequence[Text]:
        """The operands of a function, of which some are truth values."""
        function, asked = own.data
        made = asked_operands(function, asked, operands, self.spelled(own, self.nonzero))
        if made != [*operands]:
            self.words(self.nonzero)
        return made

    def spelled(self, own: Instruction, template: str) -> str:
        """A text with places for operands, as it is for those of an instruction."""
        return template

    def applied(self, own: Instruction, template: str, args: Sequence[Text]) -> Text:
        """A text with places for the operands of an operation on entries."""
        return super().applied(own, self.spelled(own, template), args)

    def template(self, own: Function) -> str:
        """The text of a function, with places for its operands."""
        return own.spelled.get(self.records) or f"{own.name}({', '.join(['{}'] * own.arity)})"

    def _known(self, own: Instruction) -> Text:
        values = own.data[0].values
        if values.ndim:
            return self.known(values)
        text = self.listed(values.item())
        return text, SIGN if text.startswith("-") else ATOM

    @abstractmethod
    def known(self, values: Any) -> Text:
        """An array of known numbers."""

    def _call(self, own: Instruction) -> Text:
        """A function of a matrix."""
        node: Term = own.data
        name = "cofactors" if node.op == "cofactors" and node.data == 1 else node.op
        found = MATRIX_FUNCTIONS.get(name)
        template = getattr(found, self.records) if found else self.of_matrices.get(name, "")
        if not template:
            raise UnsupportedOperation(f"{node.op} has no text in {self.language}")
        text, level = self.matrix(own)
        if template.count("{0}") > 1 and level < ATOM:
            text = self.once(text)
        whole = self.words(template).format(text)
        return whole, PRODUCT if " * " in template else ATOM

    def matrix(self, own: Instruction) -> Text:
        """The matrix of which something is a function."""
        return self.source(own.operands[0][0])


class MatrixDialect(EntryDialect):
    """Writes formulas of matrices, in which each vector is a column."""

    first = 1
    divisible = "mod({}, {}) == 0"
    exponent = ("^", ATOM)
    of_matrices: Mapping[str, str] = {"cofactors": "det({0}) * inv({0})'"}
    diagonal, trace = "diag", "tr"

    @staticmethod
    def identifier(name: str, taken: Collection[str]) -> str:
        """A name of the language like the given one, that is not taken."""
        return ascii_identifier(name, taken)

    def length(self, name: str, axis: int) -> str:
        """The length of an axis of a variable."""
        return f"size({name}, {axis + 1})"

    @abstractmethod
    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""

    @abstractmethod
    def whole_of(self, kind: str, operand: Text, order: int) -> Text:
        """The sum, an extreme or the norm of all entries."""

    @abstractmethod
    def along(self, kind: str, operand: str, axis: int) -> str:
        """The sums or extremes of a matrix along an axis, which stays."""

    @abstractmethod
    def column(self, text: str, axis: int) -> Text:
        """What `along` says, as a vector."""

    @abstractmethod
    def reads(self, own: Instruction) -> bool:
        """Whether there are words for the entries in slices."""

    def has_words(self, own: Instruction) -> bool:
        """Whether there are words for the whole array, if what it reads is named."""
        small = max([len(own.labels), *(len(labels) for _, labels in own.operands)]) <= 2
        found = reduction(own)
        match own.kind:
            case "contract":
                shown = any(self._lacks_words(source, _SHOWING) for source, _ in own.operands)
                product = _is_sum(own.data) or own.data.operator != "einsum"
                return small and product and not shown
            case "sum":
                ((array, _),) = own.operands
                return (small or not own.labels) and not self._lacks_words(array)
            case "call" if found is not None:
                return (small and found.kind != "hypot") or not own.labels
            case "outer" | "with_zeros" | "diagonal":
                return small
            case "transpose":
                return not self._lacks_words(own.operands[0][0])
            case "broadcast":
                return self._stands(own.operands[0], own)
            case "selection" | "selected" | "zeros_and_ones":
                return False
            case "entries":
                return self.reads(own)
            case kind if kind in _OF_ENTRIES:
                return not own.labels or all(self._stands(a, own) for a in own.operands)
            case _:
                return True

    def _stands(self, atom: Atom, own: Instruction) -> bool:
        """Whether the entries of an operand meet those of a result by themselves."""
        source, labels = atom
        if self._lacks_words(source):
            return False
        wanted = tuple(i for i in own.labels if i in labels)
        return len(own.labels) <= 2 or wanted == own.labels[: len(wanted)]

    def _lacks_words(self, source: Source, kinds: Collection[str] = ()) -> bool:
        """Whether something is written entry by entry where it is used; if it is of some kind."""
        if not isinstance(source, Instruction) or self.has_words(source):
            return False
        named = not self.inline and reduction(source) is not None
        return not named and (not kinds or source.kind in kinds)

    def is_long(self, own: Instruction) -> bool:
        """Whether a name is shorter than what an instruction computes, or spares much work."""
        much = own.kind in ("call", "function") or reduction(own) is not None
        return (much and self.has_words(own)) or super().is_long(own)

    def sign(self, own: Instruction, sign: str) -> str:
        """The sign of an operation of two; a point says that it is one of entries."""
        arrays = [bool(labels) for _, labels in own.operands]
        dotted = {"*": all(arrays), "/": arrays[-1], "^": any(arrays)}
        return "." * dotted.get(sign, False) + sign

    # Axes ---------------------------------------------------------------------------------------

    def transposed(self, atom: Atom, wanted: Indices) -> Text:
        """An array with its axes in another order."""
        source, labels = atom
        text = self.source(source)
        if labels == wanted:
            return text
        if len(labels) > 2:
            return self.permuted(text, tuple(labels.index(i) for i in wanted)), ATOM
        whole = self._turned(text)
        if not isinstance(source, Instruction) or source in self._stored:
            return whole
        if source.kind not in ARITHMETIC:
            return whole
        # The same of transposed operands, where that is no longer.
        parts = self.text(replace(source, labels=source.labels[::-1]))
        return min(parts, whole, key=lambda text: len(text[0]))

    def _turned(self, text: Text) -> Text:
        return f"{bracketed(text, ATOM)}'", POWER

    def spread(self, atom: Atom, wanted: Indices) -> Text:
        """An array with its axes where `wanted` has them; a vector along the second is a row."""
        source, labels = atom
        if len(wanted) != 2 or len(labels) != 1:
            return self.transposed(atom, tuple(i for i in wanted if i in labels))
        if wanted.index(labels[0]):
            return self.row(source)
        sums = self._sums(source)
        return (sums[0], ATOM) if sums is not None and sums[1] == 2 else self.source(source)

    def row(self, source: Source) -> Text:
        """A vector as a row."""
        sums = self._sums(source)
        if sums is not None and sums[1] == 1:
            return sums[0], ATOM
        return self._turned(self.source(source))

    # Products and sums --------------------------------------------------------------------------

    def _operand(self, own: Instruction, found: Reduction) -> tuple[Text, Indices]:
        """What is added up, and its axes."""
        source, labels = found.operands[0]
        if own.kind != "contract":
            return self.source(source), labels
        product = Instruction("multiply", found.operands, labels, None, found.sizes)
        return self.text(product), labels

    def _sums(self, source: Source) -> tuple[str, int] | None:
        """What a matrix is reduced to along an axis, which stays, and this axis."""
        found = reduction(source)
        if found is None or not isinstance(source, Instruction) or source in self._stored:
            return None
        products = source.kind == "contract" and not _is_sum(source.data)
        if products or len(found.kept) != 1 or not self.has_words(source):
            return None
        operand, labels = self._operand(source, found)
        axis = 2 - labels.index(found.kept[0])
        return self.along(found.kind, operand[0], axis), axis

    def _sum(self, own: Instruction) -> Text:
        ((source, _),) = own.operands
        if isinstance(source, Instruction) and not own.labels:
            inner = [array for array, _ in source.operands]
            if source.kind == "diagonal":
                return self.call(self.trace, self.source(inner[0])[0])
            if source.kind == "multiply" and len(source.labels) == 1:
                return self.dot(inner[0], inner[1])
        return self._reduced(own)

    def _reduced(self, own: Instruction) -> Text:
        sums, found = self._sums(own), reduction(own)
        if sums is not None:
            return self.column(*sums)
        assert found is not None
        operand, labels = self._operand(own, found)
        return self.whole_of(found.kind, operand, len(labels))

    def _contract(self, own: Instruction) -> Text:
        c: Contraction = own.data
        if _is_sum(c):
            return self._reduced(own)
        return self.matrices(c.exchanged() if c.columns and not c.rows else c)

    def matrices(self, c: Contraction) -> Text:
        """A product of two matrices, or of a matrix and a column; or of two vectors."""
        if not c.rows:
            return self.dot(c.left[0], c.right[0])
        first = self.transposed(c.left, c.rows + c.summed)
        second = self.transposed(c.right, c.summed + c.columns)
        return f"{bracketed(first, PRODUCT)} * {bracketed(second, SIGN)}", PRODUCT

    @abstractmethod
    def dot(self, left: Source, right: Source) -> Text:
        """The product of two vectors."""

    def _outer(self, own: Instruction) -> Text:
        (column, _), (row, _) = own.operands
        return f"{bracketed(self.source(column), PRODUCT)} * {self.row(row)[0]}", PRODUCT

    def _call(self, own: Instruction) -> Text:
        return super()._call(own) if reduction(own) is None else self._reduced(own)

    # Zeros, and some entries --------------------------------------------------------------------

    @abstractmethod
    def eye(self, size: Size) -> Text:
        """An identity matrix."""

    def _diagonal(self, own: Instruction) -> Text:
        return self.call("diag", self.source(own.operands[0][0])[0])

    def _with_zeros(self, own: Instruction) -> Text:
        value, dims = own.data
        if value.labels:
            return self.call(self.diagonal, self.source(value.source)[0])
        if value.source == ONE:
            return self.eye(dims[0])
        factor = bracketed(self.source(value.source), PRODUCT)
        return f"{factor} * {self.eye(dims[0])[0]}", PRODUCT

    def slices(self, own: Instruction) -> str:
        """What stands in brackets to read the entries in slices."""
        ((_, labels),) = own.operands
        return ", ".join([*map(self._slice, own.data), *":" * (len(labels) - len(own.data))])

    def _slice(self, part: str) -> str:
        """A part of a key of Python's, counted from 1.

        The last place of a slice is that before which Python's ends.
        """
        start, colon, rest = part.partition(":")
        stop, _, step = rest.partition(":")
        if step.startswith("-"):
            return f"end:{step}:1"
        first = format_form(form([*self.start(start or "0"), ("", 1)]))
        if not colon or part == ":":
            return part if colon else first
        last = format_form(form(self.start(stop))) if stop else "end"
        return ":".join([first, *[step] * bool(step), last])


def _is_sum(c: Contraction) -> bool:
    """Whether it is a sum of a product of entries, of matrices or vectors."""
    return max(len(c.left[1]), len(c.right[1])) <= 2 and len(c.summed) + len(c.batch) == 2
