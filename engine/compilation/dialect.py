"""Dialects: what the instructions of a program are called in a library of arrays.

A dialect has a method for each kind of instruction, called so, which returns the text and how
tightly it binds. Here are those that are the same in all Python: operators, names, views by labels.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from eggrad.engine.compilation.program import (
    Atom,
    Contraction,
    Instruction,
    Number,
    Program,
    Source,
    Statement,
)
from eggrad.engine.indices.affine import coefficient, form, format_form
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.indices.texts import as_float
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.loops import BEFORE, LAST, Recurrence
from eggrad.engine.terms.term import Loop, Term

SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")


class Dialect:
    """Writes the statements of a program."""

    module = "np"
    """What the library is called."""
    prefix = ""
    """What stands before the names of functions of eggrad's."""

    def __init__(self, program: Program) -> None:
        """Write a program, whose size symbols are noted as they are used."""
        self.program = program
        self.called: set[str] = set()
        self._names: dict[str, str] = {}

    def lines(self, single: bool = False) -> list[str]:
        """The text of all statements, and of the return of the results, or of a single one.

        Names are numbered anew, so that what is overwritten keeps its name.
        """
        found: list[str] = []
        fresh = 0
        for s in self.program.block.statements:
            if s.over:
                self._names[s.target] = self._names[s.over]
            else:
                fresh += 1
                self._names[s.target] = f"t{fresh}"
            found += self.statement(s)
            if s.deleted:
                names = dict.fromkeys(self._names[d] for d in s.deleted)
                found.append(f"del {', '.join(names)}")
        results = [self.source(r)[0] for r in self.program.returned]
        returned = results[0] if single else f"[{', '.join(results)}]"
        return [*found, f"return {returned}"]

    def statement(self, statement: Statement) -> list[str]:
        """The lines of a statement."""
        name = self._names[statement.target]
        return [f"{name} = {self.text(statement.instruction)[0]}"]

    def text(self, instruction: Instruction) -> Text:
        """The text of what an instruction computes; what it calls is noted."""
        text = getattr(self, f"_{instruction.kind}")(instruction)
        self.called.add(text[0].partition("(")[0])
        return text

    # Operands -----------------------------------------------------------------------------------

    def source(self, source: Source) -> Text:
        """The text of an array or a number."""
        if isinstance(source, str):
            return self._names.get(source, source), ATOM
        return self.number(source) if isinstance(source, Number) else self.text(source)

    def atom(self, atom: Atom) -> str:
        """The text of an operand that stands for itself."""
        return bracketed(self.source(atom[0]), ATOM)

    def atoms(self, instruction: Instruction) -> list[str]:
        """The texts of all operands."""
        return [self.source(source)[0] for source, _ in instruction.operands]

    def number(self, number: Number) -> Text:
        """A number of Python's."""
        sizes = " * ".join(map(self.program.size, number.sizes))
        if sizes and number.value == 1:
            # Sizes alone are integers.
            return f"float({sizes})", ATOM
        text = self.literal(number.value)
        return (f"({text} * {sizes})", ATOM) if sizes else (text, ATOM)

    def literal(self, value: Fraction) -> str:
        """A number in code, in brackets if it is negative; infinite beyond the greatest float."""
        text = repr(as_float(value)).replace("inf", f"{self.module}.inf")
        return f"({text})" if text.startswith("-") else text

    def transposed(self, atom: Atom, wanted: Indices) -> Text:
        """An array with its axes in another order."""
        source, labels = atom
        text = self.source(source)
        if labels == wanted:
            return text
        if labels == wanted[::-1]:
            return f"{bracketed(text, ATOM)}.T", ATOM
        order = tuple(labels.index(i) for i in wanted)
        return self.permuted(text, order), ATOM

    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""
        raise NotImplementedError

    def spread(self, atom: Atom, wanted: Indices) -> Text:
        """An array with its axes where `wanted` has them, ready to be broadcast."""
        labels = tuple(i for i in wanted if i in atom[1])
        text = self.transposed(atom, labels)
        present = [i in labels for i in wanted[wanted.index(labels[0]) :]] if labels else []
        if all(present):
            return text
        key = ", ".join(":" if p else "None" for p in present)
        return f"{bracketed(text, ATOM)}[{key}]", ATOM

    def shape(self, dims: Dims) -> str:
        """A tuple of sizes."""
        return as_tuple(map(self.program.size, dims))

    def like(self) -> str:
        """The argument that gives an array that is made its kind; with a comma before it."""
        return ""

    # Instructions of all dialects ---------------------------------------------------------------

    def _infix(self, instruction: Instruction, sign: str, level: int, least: int) -> Text:
        left, right = self.broadcast_operands(instruction)
        return f"{bracketed(left, level)} {sign} {bracketed(right, least)}", level

    def broadcast_operands(self, instruction: Instruction) -> list[Text]:
        """The operands of an operation on entries; not all are numbers of Python's."""
        return [self.spread(a, instruction.labels) for a in instruction.operands]

    def _add(self, instruction: Instruction) -> Text:
        """A sum."""
        return self._infix(instruction, "+", SUM, SUM)

    def _subtract(self, instruction: Instruction) -> Text:
        """A difference."""
        return self._infix(instruction, "-", SUM, PRODUCT)

    def _multiply(self, instruction: Instruction) -> Text:
        """A product, entry by entry."""
        return self._infix(instruction, "*", PRODUCT, SIGN)

    def _scale(self, instruction: Instruction) -> Text:
        """A number times an array."""
        return self._infix(instruction, "*", PRODUCT, SIGN)

    def _divide(self, instruction: Instruction) -> Text:
        """A quotient."""
        return self._infix(instruction, "/", PRODUCT, SIGN)

    def matrices(self, c: Contraction) -> Text:
        """A product of two matrices or vectors by `@`."""
        first = self.transposed(c.left, c.rows + c.summed)
        second = self.transposed(c.right, c.summed + c.columns)
        return f"{bracketed(first, PRODUCT)} @ {bracketed(second, SIGN)}", PRODUCT

    def _transpose(self, instruction: Instruction) -> Text:
        """An array with its axes in another order."""
        return self.transposed(instruction.operands[0], instruction.labels)

    def _reshape(self, instruction: Instruction) -> Text:
        """An array whose axes are split."""
        return f"{self.atom(instruction.operands[0])}.reshape({self.shape(instruction.data)})", ATOM

    def _broadcast(self, instruction: Instruction) -> Text:
        text = self.spread(instruction.operands[0], instruction.labels)[0]
        return f"{self.module}.broadcast_to({text}, {self.shape(instruction.data)})", ATOM

    def _zeros_and_ones(self, instruction: Instruction) -> Text:
        return f"{self.prefix}zeros_and_ones({self.described(instruction.data)}{self.like()})", ATOM

    def _selection(self, instruction: Instruction) -> Text:
        index = _along(self.atoms(instruction))
        return f"{self.prefix}selection({index}, {self.shape(instruction.data)}{self.like()})", ATOM

    def _indicator_product(self, instruction: Instruction) -> Text:
        spec, indicator = instruction.data
        described, (array,) = self.described(indicator), self.atoms(instruction)
        return f"{self.prefix}indicator_product({spec}, {described}, {array})", ATOM

    def _selected(self, instruction: Instruction) -> Text:
        array, index = self.atoms(instruction)
        return f"{self.prefix}selected({array}, {instruction.data}, {index})", ATOM

    def _selected_product(self, instruction: Instruction) -> Text:
        spec, chosen = instruction.data
        array, *places = self.atoms(instruction)
        described = f"{spec}, {self.shape(chosen)}, {_along(places)}, {array}"
        return f"{self.prefix}selected_product({described})", ATOM

    def _without_hidden(self, instruction: Instruction) -> Text:
        arrays = ", ".join(self.atoms(instruction))
        return f"{self.prefix}without_hidden({instruction.data}, {arrays})", ATOM

    def _loop(self, instruction: Instruction) -> Text:
        return f"{self.prefix}run_loop({self.loop_arguments(instruction)})", ATOM

    def _part(self, instruction: Instruction) -> Text:
        """One of several arrays that are computed at once."""
        return f"{self.atom(instruction.operands[0])}[{instruction.data}]", ATOM

    def _states(self, instruction: Instruction) -> Text:
        """The states that a term is, of those before and after each step of each carry."""
        loop: Loop = instruction.data
        if loop.part == LAST:
            place = "0" if loop.backwards else "-1"
        else:
            place = ":-1" if (loop.part == BEFORE) != loop.backwards else "1:"
        return f"{self.atom(instruction.operands[0])}[{loop.carry}][{self.key([place])}]", ATOM

    def key(self, places: Sequence[str]) -> str:
        """What stands in brackets to read entries along the first axes."""
        return ", ".join(places)

    def loop_arguments(self, instruction: Instruction) -> str:
        """What a function that runs a loop is given: the step, how often, what it starts with."""
        recurrence: Recurrence
        recurrence, loop = instruction.data
        step, sizes = self.program.steps[recurrence.step]
        first = len(recurrence.starts)
        second = first + len(recurrence.slices)
        arrays = self.atoms(instruction)
        inside = [self.program.size(loop.inside[s]) for s in sizes]
        parts = arrays[:first], arrays[first:second], (*arrays[second:], *inside)
        groups = (f"({''.join(f'{text}, ' for text in part).rstrip()})" for part in parts)
        length = self.program.size(recurrence.length)
        return f"{step}, {length}, {', '.join(groups)}, backwards={recurrence.backwards}"

    def described(self, indicator: Term) -> str:
        """The conditions of an indicator and its shape, as what is called takes them."""
        size = self.program.size
        listed: list[str] = []
        for relation, f in indicator.constraints:
            numbers = [str(coefficient(f, k)) for k in range(indicator.order)]
            known = form(term for term in f if isinstance(term[0], str))
            numbers.append(format_form(known, size=size, sign=" * "))
            listed.append(f"({relation!r}, {as_tuple(numbers)})")
        return f"{as_tuple(listed)}, {self.shape(indicator.dims)}"


def asked_operands(
    function: Function, asked: Sequence[bool], operands: Sequence[Text], nonzero: str = "({} != 0)"
) -> list[Text]:
    """The operands of a function, where what is only asked for has to be a truth value."""
    logical = function.name.startswith("logical_")
    return [
        (nonzero.format(bracketed(text, SUM)), ATOM)
        if not asked[k] and (logical or (function.name == "where" and k == 0))
        else text
        for k, text in enumerate(operands)
    ]


def _along(places: Sequence[str]) -> str:
    """The places along some axes: one array, or one for each axis."""
    return places[0] if len(places) == 1 else as_tuple(places)


def as_tuple(texts: Iterable[str]) -> str:
    """A tuple in Python's text.

    >>> as_tuple(["n"]), as_tuple(["m", "n"])
    ('(n,)', '(m, n)')
    """
    listed = list(texts)
    return f"({', '.join(listed)}{',' * (len(listed) == 1)})"
