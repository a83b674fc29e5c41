"""Programs in languages of arrays: with their words where there are, entry by entry elsewhere."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    Program,
    Source,
)
from eggrad.engine.indices.affine import form, format_form, plus
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import LETTERS, Dims, Indices, Size
from eggrad.engine.indices.texts import ascii_identifier
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.frontend.printing.programs import ARITHMETIC, PrintedDialect, format_condition
from eggrad.frontend.printing.templates import binding, filled

Range = tuple[str, str]
"""An index, and the text of the size of its axis."""

# What is computed of the entries of operands, each by itself; an outer product is one of these.
_OF_ENTRIES: Final = (*ARITHMETIC, "function", "numbers", "outer")
# What shows the entries of its operand in other places.
_SHOWING: Final = ("transpose", "broadcast", "filled", "array", "diagonal")


def called(names: str, call: str = "{}({})") -> dict[str, str]:
    """The texts of functions that the language calls by the same names.

    >>> called("sin mod", "{}.({})")
    {'sin': 'sin.({})', 'mod': 'mod.({}, {})'}
    """
    return {name: call.format(name, FUNCTIONS[name].places) for name in names.split()}


def words_in(says: Mapping[str, str]) -> frozenset[str]:
    """The names that texts take from a language, without methods and names of arguments.

    >>> sorted(words_in({"inv": "{}.inv()", "where": "Piecewise(({1}, {0}), ({2}, True))"}))
    ['Piecewise', 'True']
    """
    return frozenset(re.findall(r"(?<![\w.])[A-Za-z]\w*\b(?!=)", " ".join(says.values())))


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
    sizes = dict(zip(part, node.args[0].dims, strict=True))
    return Reduction(node.op, ((array, part),), out, sizes)


class EntryDialect(PrintedDialect):
    """Writes the entries of arrays as texts of their indices.

    An entry of an operation is the same operation of entries, which are numbers; what has no such
    text is an array that has a name.
    """

    says: Mapping[str, str] = {}
    """Texts with places for what they are about: operations, and phrases.

    Phrases say what an array is, given an entry, the loops and the shape; a `loop`, and what stands
    between two; an entry that is `read`; a sum, an extreme or a norm `over` loops; the number that
    says the `truth`; whether a number is `nonzero` or `divisible`; the index of a `place` that
    counts from 0, or from the end if it is negative.
    """
    inline = True
    """Whether a sum can stand in an expression."""
    splits_axes = False

    def __init__(self, program: Program, taken: set[str]) -> None:
        """Write a program, with other names than those that are taken."""
        super().__init__(program, taken)
        self._scope = _Scope()
        self._stored: dict[Instruction, str] = {}

    def say(self, name: str, *args: object) -> Text:
        """One of the texts."""
        return self.words(self.word(name)).format(*args), ATOM

    def read(self, name: str, at: Sequence[str]) -> Text:
        """An entry of an array."""
        return self.say("read", name, ", ".join(at)) if at else (name, ATOM)

    def over(self, ranges: Sequence[Range]) -> str:
        """The loops over some indices."""
        return self.says["between"].join(self.says["loop"].format(i, size) for i, size in ranges)

    def has_words(self, instruction: Instruction) -> bool:
        """Whether the language has words for the whole array, if what it reads is named."""
        numbers = not instruction.labels and instruction.kind in (*_OF_ENTRIES, "array")
        of_matrix = instruction.kind == "call" and reduction(instruction) is None
        return instruction.kind in ("known", "written") or numbers or of_matrix

    # Whole arrays -------------------------------------------------------------------------------

    def text(self, instruction: Instruction) -> Text:
        """The text of what an instruction computes, or its name where there are no words."""
        found = reduction(instruction)
        again = bool(self._scope.indices) and (found is not None or instruction.kind == "call")
        if self.has_words(instruction) and not again:
            return super().text(instruction)
        if (
            instruction.labels
            or self.has_words(instruction)
            or (found is not None and not self.inline)
        ):
            return self.stored(instruction), ATOM
        return self.entry(instruction, ())

    def stored(self, instruction: Instruction) -> str:
        """The name of what an instruction computes."""
        if instruction not in self._stored:
            before, self._scope = self._scope, _Scope()
            words = self.has_words(instruction)
            name = self.named(self.text(instruction)[0]) if words else self.by_entries(instruction)
            self._stored[instruction], self._texts[instruction] = name, (name, ATOM)
            self._scope = before
        return self._stored[instruction]

    def name_of(self, source: Source) -> str:
        """The name of an array."""
        return self.stored(source) if isinstance(source, Instruction) else self.source(source)[0]

    def by_entries(self, instruction: Instruction) -> str:
        """The name of an array that is made entry by entry."""
        return self.named(self.comprehension(instruction))

    def comprehension(self, instruction: Instruction) -> str:
        """An array entry by entry."""
        with self.loops([instruction.sizes[i] for i in instruction.labels]) as ranges:
            text, _ = self.entry(instruction, [i for i, _ in ranges])
        shape = ", ".join(size for _, size in ranges) + "," * (len(ranges) == 1)
        return self.say("array", text, self.over(ranges), shape)[0] if ranges else text

    def result(self, source: Source) -> str:
        """The array to return."""
        if isinstance(source, Instruction) and source.labels and not self.has_words(source):
            return self.comprehension(source)
        return super().result(source)

    def is_long(self, instruction: Instruction) -> bool:
        """Whether a name is shorter than what an instruction computes."""
        return not self.has_words(instruction) or super().is_long(instruction)

    def once(self, text: str) -> str:
        """What stands for a text that is mentioned more than once."""
        return f"({text})" if self._scope.indices else self.named(text)

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
        if isinstance(source, Instruction) and labels:
            return self.entry(source, places)
        return self.read(source, places) if isinstance(source, str) else self.source(source)

    def entry(self, instruction: Instruction, at: Sequence[str]) -> Text:
        """An entry of what an instruction computes."""
        index = dict(zip(instruction.labels, at, strict=True))
        found = reduction(instruction)
        if (
            found is not None
            and self.inline
            and not (self.has_words(instruction) or self._scope.summing)
        ):
            (text, _), ranges = self.summed(found, at)
            return self.say(f"{found.kind} over", text, self.over(ranges))
        if instruction.kind in _OF_ENTRIES:
            return self.text(self._of_numbers(instruction, index))
        if instruction.kind in _SHOWING:
            return self.at(instruction.operands[0], index)
        write: Any = getattr(self, f"_{instruction.kind}_entry", None)
        return write(instruction, index) if write else self.read(self.stored(instruction), at)

    def summed(self, found: Reduction, at: Sequence[str]) -> tuple[Text, list[Range]]:
        """What is added up, and over which indices."""
        every = dict.fromkeys(i for _, labels in found.operands for i in labels)
        gone = [i for i in every if i not in found.kept]
        with self.loops([found.sizes[i] for i in gone], summing=True) as ranges:
            names = (*at, *(i for i, _ in ranges))
            index = dict(zip((*found.kept, *gone), names, strict=True))
            if len(found.operands) == 1:
                return self.at(found.operands[0], index), ranges
            product = Instruction("multiply", found.operands)
            return self.text(self._of_numbers(product, index)), ranges

    def _of_numbers(self, instruction: Instruction, index: Mapping[int, str]) -> Instruction:
        """The same operation, of entries."""
        entries = {
            a: Instruction("written", data=self.at(a, index)) for a in instruction.operands if a[1]
        }
        operands = tuple((entries.get(a, a[0]), ()) for a in instruction.operands)
        kind = "multiply" if instruction.kind == "outer" else instruction.kind
        return replace(instruction, kind=kind, operands=operands, labels=())

    def _written(self, instruction: Instruction) -> Text:
        return instruction.data

    def condition(self, constraint: Constraint, index: Mapping[int, str]) -> str:
        """A condition on indices, which terms count from 0."""
        relation, f = constraint
        shift = sum(c for key, c in f if isinstance(key, int)) * self.first
        shifted = relation, plus(f, form([("", -shift)]))
        return format_condition(
            shifted, index.__getitem__, self.program.size, self.says["divisible"]
        )

    def _all(self, conditions: Sequence[str], *others: Text) -> Text:
        """The product of other factors where all conditions hold, and 0 elsewhere."""
        factors = [*(self.say("truth", c) for c in conditions), *others]
        if len(factors) < 2:
            return factors[0] if factors else ("1", ATOM)
        return " * ".join(bracketed(f, SIGN) for f in factors), PRODUCT

    def _with_zeros_entry(self, instruction: Instruction, index: Mapping[int, str]) -> Text:
        value, _ = instruction.data
        first = dict[int, str]()
        pairs = [(first.setdefault(i, index[k]), index[k]) for k, i in enumerate(value.axes)]
        rest = [self.at(value.atom, first)] * (value.source != ONE)
        return self._all([f"{a} == {b}" for a, b in pairs if a != b], *rest)

    def _zeros_and_ones_entry(self, instruction: Instruction, index: Mapping[int, str]) -> Text:
        return self._all([self.condition(c, index) for c in instruction.data.constraints])

    def _selection_entry(self, instruction: Instruction, index: Mapping[int, str]) -> Text:
        """1 where the last indices are the places that integers say."""
        places, chosen = instruction.operands, instruction.data
        rows = len(instruction.labels) - len(chosen)
        conditions: list[str] = []
        for k, d in enumerate(chosen):
            along = places[k] if len(places) == len(chosen) else places[0]
            place = bracketed(self.at(along, {**index, rows: str(k + self.first)}), PRODUCT)
            behind = f"{place}{f' + {self.first}' * self.first} - {index[rows + k]}"
            conditions.append(self.says["divisible"].format(behind, self.program.size(d)))
        return self._all(conditions)

    def _selected_entry(self, instruction: Instruction, index: Mapping[int, str]) -> Text:
        """An entry of an array at a place that integers say."""
        (array, labels), (places, place_labels) = instruction.operands
        axis, at = instruction.data, [index[i] for i in instruction.labels]
        behind = axis + len(place_labels)
        inner = dict(zip(place_labels, at[axis:behind], strict=True))
        place, _ = self.say("place", self.at((places, place_labels), inner)[0])
        whole = dict(zip(labels, [*at[:axis], place, *at[behind:]], strict=True))
        return self.at((array, labels), whole)

    def _entries_entry(self, instruction: Instruction, index: Mapping[int, str]) -> Text:
        ((source, labels),) = instruction.operands
        at = iter([index[i] for i in instruction.labels])
        key = [*instruction.data, *":" * (len(labels) - len(instruction.data))]
        places = [self._within(part, next(at) if ":" in part else "") for part in key]
        return self.read(self.name_of(source), places)

    def _within(self, part: str, index: str) -> str:
        """The place along an axis that an index has in a slice of Python's."""
        start, _, rest = part.partition(":")
        step = int(rest.partition(":")[2] or 1)
        shift = self.first * (1 - step * bool(index))
        terms = [*self.start(start or ("-1" if step < 0 else "0")), (0, step * bool(index))]
        return format_form(form([*terms, ("", shift)]), lambda _: index, str, " * ")

    def start(self, text: str) -> list[tuple[int | str, int]]:
        """A place as Python counts it, as the terms of a form; from the end if it is negative."""
        if not text.removeprefix("-").isdigit():
            return [(text, 1)]
        return [("", int(text)), *[("end", 1)] * (text.startswith("-") and self.first)]

    # Functions ----------------------------------------------------------------------------------

    def operands(self, instruction: Instruction, operands: Sequence[Text]) -> Sequence[Text]:
        """The operands of a function, of which some are truth values."""
        function, asked = instruction.data
        nonzero = self.spelled(instruction, self.says["nonzero"])
        made = asked_operands(function, asked, operands, nonzero)
        if made != [*operands]:
            self.words(nonzero)
        return made

    def spelled(self, instruction: Instruction, template: str) -> str:
        """A text with places for operands, as it is for those of an instruction."""
        return template

    def applied(self, instruction: Instruction, template: str, args: Sequence[Text]) -> Text:
        """A text with places for the operands of an operation on entries."""
        return filled(self.words(self.spelled(instruction, template)), args, self.once)

    def _known(self, instruction: Instruction) -> Text:
        values = instruction.data[0].values
        if values.ndim:
            return self.known(values)
        text = self.listed(values.item())
        return text, SIGN if text.startswith("-") else ATOM

    def known(self, values: Any) -> Text:
        """An array of known numbers."""
        return self.say("known", self.listed(values.ravel().tolist()), str(values.shape))

    def _call(self, instruction: Instruction) -> Text:
        """A function of a matrix."""
        template = self.word(instruction.data.op)
        text, _ = self.matrix(instruction)
        if "{0}" in template and not text.isidentifier():
            text = self.once(text)
        return self.words(template).format(text), binding(template)

    def matrix(self, instruction: Instruction) -> Text:
        """The matrix of which something is a function."""
        return self.source(instruction.operands[0][0])


class MatrixDialect(EntryDialect):
    """Writes formulas of matrices, in which each vector is a column.

    What languages say is also the sum, an extreme or the norm of all entries, or the sums `along`
    an axis; arrays that are `full`, `known` or `permuted`, `eye` and what is on a `diagonal`.
    """

    identifier = staticmethod(ascii_identifier)
    first = 1
    length = "size({}, {})"
    exponent = ("^", ATOM)
    between = "\n"

    def translated(self, template: str) -> str:
        """The same without a note."""
        return template.replace("np.inf", "Inf").replace("np.nan", "NaN")

    def shape(self, dims: Dims) -> str:
        """The sizes, as arguments."""
        return ", ".join(map(self.bare, dims))

    def has_words(self, instruction: Instruction) -> bool:
        """Whether there are words for the whole array, if what it reads is named."""
        small = (
            max(len(labels) for _, labels in (("", instruction.labels), *instruction.operands)) <= 2
        )
        found = reduction(instruction)
        match instruction.kind:
            case "selection" | "selected" | "zeros_and_ones":
                return False
            case "outer" | "with_zeros" | "diagonal":
                return small
            case kind if kind not in (*_OF_ENTRIES, "broadcast", "transpose") and found is None:
                return True
            case _ if not instruction.labels and found is None:
                return True
            case _ if any(self._is_entry(source, found) for source, _ in instruction.operands):
                return False
            case "transpose":
                return True
            case "contract" if not _is_sum(instruction.data):
                return instruction.data.operator != "einsum"
            case _ if found is not None:
                return not instruction.labels or (small and found.kind != "norm")
            case _:
                parts = [
                    tuple(i for i in instruction.labels if i in part)
                    for _, part in instruction.operands
                ]
                return small or all(part == instruction.labels[: len(part)] for part in parts)

    def _is_entry(self, source: Source, user: Reduction | None) -> bool:
        """Whether something has no words, and stands where it is used; sums do so but in sums."""
        if not isinstance(source, Instruction) or self.has_words(source):
            return False
        return reduction(source) is None or (self.inline and user is None)

    def is_long(self, instruction: Instruction) -> bool:
        """Whether a name is shorter than what an instruction computes, or spares much work."""
        much = instruction.kind in ("call", "function") or reduction(instruction) is not None
        return (much and self.has_words(instruction)) or super().is_long(instruction)

    def sign(self, instruction: Instruction, sign: str) -> str:
        """The sign of an operation of two; a point says that it is one of entries."""
        arrays = [bool(labels) for _, labels in instruction.operands]
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
            order = ", ".join(str(labels.index(i) + 1) for i in wanted)
            return self.say("permuted", text[0], order)
        whole = self.turned(text)
        if not isinstance(source, Instruction) or source in self._stored:
            return whole
        if source.kind not in ARITHMETIC:
            return whole
        # The same of transposed operands, where that is no longer.
        parts = self.text(replace(source, labels=source.labels[::-1]))
        return min(parts, whole, key=lambda text: len(text[0]))

    def turned(self, text: Text) -> Text:
        """The transpose, of which that is the array itself."""
        if text[1] == POWER and text[0].endswith("'"):
            return text[0][:-1], ATOM
        return f"{bracketed(text, ATOM)}'", POWER

    def spread(self, atom: Atom, wanted: Indices) -> Text:
        """An array with its axes where `wanted` has them; a vector along the second is a row."""
        source, labels = atom
        if len(wanted) == 2 and labels == wanted[1:]:
            return self.turned(self.source(source))
        return self.transposed(atom, tuple(i for i in wanted if i in labels))

    # Products and sums --------------------------------------------------------------------------

    def _sum(self, instruction: Instruction) -> Text:
        ((source, _),) = instruction.operands
        if isinstance(source, Instruction) and not instruction.labels:
            inner = [array for array, _ in source.operands]
            if source.kind == "diagonal":
                return self.say("trace", self.source(inner[0])[0])
            if source.kind == "multiply" and len(source.labels) == 1:
                return self.dot(*map(self.source, inner))
        return self._reduced(instruction)

    def _reduced(self, instruction: Instruction) -> Text:
        """What is added up along an axis, or as a whole."""
        found = reduction(instruction)
        assert found is not None
        source, labels = found.operands[0]
        if instruction.kind == "contract":
            source = Instruction("multiply", found.operands, labels, None, found.sizes)
        if not found.kept:
            return self.whole_of(found.kind, self.source(source)[0], len(labels))
        return self.along(found.kind, self.source(source)[0], 2 - labels.index(found.kept[0]))

    def whole_of(self, kind: str, operand: str, order: int) -> Text:
        """The sum, an extreme or the norm of all entries."""
        return self.say(kind, operand)

    def along(self, kind: str, operand: str, axis: int) -> Text:
        """The sums or extremes of a matrix along an axis."""
        return self.say(f"{kind} along", operand, axis)

    def _contract(self, instruction: Instruction) -> Text:
        c: Contraction = instruction.data
        if _is_sum(c):
            return self._reduced(instruction)
        if not c.rows and not c.columns:
            return self.dot(self.source(c.left[0]), self.source(c.right[0]))
        c = c if c.rows else c.exchanged()
        first = self.transposed(c.left, c.rows + c.summed)
        second = self.transposed(c.right, c.summed + c.columns)
        return f"{bracketed(first, PRODUCT)} * {bracketed(second, SIGN)}", PRODUCT

    def dot(self, left: Text, right: Text) -> Text:
        """The product of two vectors."""
        return self.say("dot", left[0], right[0])

    def _outer(self, instruction: Instruction) -> Text:
        column, row = (self.source(source) for source, _ in instruction.operands)
        return f"{bracketed(column, PRODUCT)} * {self.turned(row)[0]}", PRODUCT

    def _call(self, instruction: Instruction) -> Text:
        return (
            super()._call(instruction)
            if reduction(instruction) is None
            else self._reduced(instruction)
        )

    # Zeros, and some entries --------------------------------------------------------------------

    def known(self, values: Any) -> Text:
        """An array of known numbers."""
        if not values.size:
            return self.zeros(values.shape)
        name = "vector" if values.ndim == 1 else "known"
        return self.say(name, self.listed(values.ravel("F").tolist()), self.shape(values.shape))

    def _numbers(self, instruction: Instruction) -> Text:
        return self.say(
            "truths" if instruction.labels else "truth", self.source(instruction.operands[0][0])[0]
        )

    def _diagonal(self, instruction: Instruction) -> Text:
        return self.call("diag", self.source(instruction.operands[0][0])[0])

    def _with_zeros(self, instruction: Instruction) -> Text:
        value, dims = instruction.data
        if value.labels:
            return self.say("diagonal", self.source(value.source)[0])
        eye = self.say("eye", self.bare(dims[0]))
        if value.source == ONE:
            return eye
        return f"{bracketed(self.source(value.source), PRODUCT)} * {eye[0]}", PRODUCT

    def _entries(self, instruction: Instruction) -> Text:
        ((_, labels),) = instruction.operands
        key = [*map(self._slice, instruction.data), *":" * (len(labels) - len(instruction.data))]
        return self.read(self.name_of(instruction.operands[0][0]), key)

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
