"""Terms as programs in languages with matrices: formulas where there are, else entry by entry."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import size_form, size_symbols
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.functions import FUNCTIONS, MATRIX_FUNCTIONS
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.printing.entries import EntryProgram, of_matrix, spelled
from eggrad.frontend.printing.matrix import Form, has_notation, written
from eggrad.frontend.printing.templates import filled

SUM, PRODUCT, POWER, TRANSPOSE, ATOM = levels("matrix")
_OPERATORS: Final = {
    "add": (SUM, "+"),
    "subtract": (SUM, "-"),
    "times": (PRODUCT, "*"),
    "multiply": (PRODUCT, ".*"),
    "divide": (PRODUCT, "/"),
    "divide_entries": (PRODUCT, "./"),
    "power": (POWER, "^"),
    "power_entries": (POWER, ".^"),
}
# Arrays that are made, and which of their arguments are sizes.
_MADE: Final = {"eye": 0, "ones": 0, "zeros": 0, "vector": 1, "matrix": 1, "unit": 0, "size": 0}


# Brackets are not nested deeper: parsers give up on many.
DEEPEST: Final = 60


def _depth(root: Term) -> int:
    """The greatest number of operations, one within the other."""
    depth: dict[Term, int] = {}
    for t in postorder(root):
        depth[t] = 1 + max((depth[a] for a in t.args), default=0)
    return depth[root]


class FormulaProgram(EntryProgram):
    """Writes formulas of matrices; a vector may be a row in between."""

    first = 1
    equality = "=="
    exponent = "^"
    key = ""
    """What records of functions call the language."""

    def formula(self, scope: Sequence[Term] = ()) -> list[tuple[str, str]] | None:
        """The lines of a formula, named parts first; None where there is no formula."""
        self._called = {v.name: own for v, own in self.names.items()}
        if _depth(self.root) > DEEPEST or not has_notation(self.root, computed=True):
            return None
        try:
            return written(self.root, self._style, scope, computed=True)
        except UnsupportedOperation:
            return None

    @abstractmethod
    def made(self, name: str, value: Text | None, sizes: Sequence[str]) -> Text:
        """An array of given entries and sizes."""

    @abstractmethod
    def along(self, kind: str, operand: str, rows: bool) -> Text:
        """The sums or extremes of rows, a column; or those of columns, a row."""

    @abstractmethod
    def call(self, form: Form, args: Sequence[Text]) -> str | None:
        """A function with a text of its own."""

    @abstractmethod
    def entries(self, array: Text, key: Sequence[str]) -> Text:
        """Some entries of an array; a row of a matrix is a row."""

    def test(self, text: str, order: int) -> Text:
        """A truth value as a number."""
        raise NotImplementedError

    def sign(self, form: Form) -> str:
        """The sign of an operation of two."""
        return _OPERATORS[form.op][1]

    def transposed(self, operand: Text) -> Text:
        """The transpose."""
        text = bracketed(operand, TRANSPOSE)
        return (text[:-1], ATOM) if operand[1] == TRANSPOSE else (f"{text}'", TRANSPOSE)

    def product(self, form: Form, args: Sequence[Text]) -> Text:
        """A product of matrices, or a multiple."""
        return self._infix_form(form, args)

    def _style(self, form: Form, args: Sequence[Text]) -> Text:
        match form.op:
            case "name":
                return self._called.get(form.text, form.text), ATOM
            case "number":
                return self.digits(form.text), ATOM
            case "call" if form.text in _MADE:
                k = _MADE[form.text]
                value = args[0] if k else None
                return self.made(form.text, value, [self._size_of(a) for a in form.args[k:]])
            case "call":
                return self._call_form(form, args)
            case "index":
                key = [self._place(part) for part in form.text[1:-1].split(",")]
                return self.entries(args[0], key)
            case "transpose":
                return self.transposed(args[0])
            case "negate":
                return f"-{bracketed(args[0], PRODUCT)}", SUM
            case "power" | "power_entries":
                base, exponent = bracketed(args[0], TRANSPOSE), bracketed(args[1], ATOM)
                return f"{base} {self.sign(form)} {exponent}", POWER
            case "times":
                return self.product(form, args)
            case operator if operator in _OPERATORS:
                return self._infix_form(form, args)
            case operator:
                raise UnsupportedOperation(f"{operator} has no text in {self.language}")

    def _infix_form(self, form: Form, args: Sequence[Text]) -> Text:
        level = _OPERATORS[form.op][0]
        left, right = args
        added = form.op == "add" and not right[0].startswith("-")
        least = level if added else level + 1
        return f"{bracketed(left, level)} {self.sign(form)} {bracketed(right, least)}", level

    def digits(self, text: str) -> str:
        """A number."""
        return text

    def _size_of(self, form: Form) -> str:
        """A size, which is a text in forms; where it is one."""
        return self.affine(form.text)

    def affine(self, text: str) -> str:
        """A size, or a place counted from one."""
        if text.isdigit():
            return text
        if not {*size_symbols(text)} <= self.size_names.keys() or not size_form(text):
            raise UnsupportedOperation(f"{text} is no size")
        return self.size(text)

    def _place(self, part: str) -> str:
        if part == ":":
            return part
        return ":".join(self.affine(end) for end in part.split(":"))

    def _call_form(self, form: Form, args: Sequence[Text]) -> Text:
        name, order = form.text, form.order
        if name in FUNCTIONS and (form.function is not None):
            return self.elementwise(name, args, order)
        own = self.call(form, args)
        if own is not None:
            return own, ATOM if re.fullmatch(r"[\w.]+\([^()]*\)", own) else PRODUCT
        if name in MATRIX_FUNCTIONS:
            return self._of_matrix_form(name, args)
        if name in ("sum", "max", "min") and len(args) == 2:
            return self.along(name, args[0][0], args[1][0] == "2")
        if name.startswith(("rowm", "colm")):
            return self.along(name[3:], args[0][0], name.startswith("row"))
        raise UnsupportedOperation(f"{name} has no text in {self.language}")

    def _of_matrix_form(self, name: str, args: Sequence[Text]) -> Text:
        template = of_matrix(self.key, name)
        whole = template.format(args[0][0])
        return whole, ATOM if template.count("(") == template.count("{") == 1 else PRODUCT

    def elementwise(self, name: str, args: Sequence[Text], order: int) -> Text:
        """A function of entries."""
        text, level = filled(self.spelled(name, order), args, lambda text: f"({text})")
        return self.test(text, order) if FUNCTIONS[name].is_test else (text, level)

    def spelled(self, name: str, order: int) -> str:
        """The text of a function, for arrays or for numbers."""
        return spelled(self.key, name)

    def function(self, name: str, args: Sequence[Text]) -> Text:
        """A function of numbers, entry by entry."""
        return self.elementwise(name, args, 0)

    def matrix_function(self, name: str, operand: str, node: Term) -> str:
        """A function of a matrix that has a name."""
        if name == "cofactors":
            return f"det({operand}) * inv({operand})'"
        return of_matrix(self.key, name).format(operand)

    def divisible(self, text: str, divisor: int | str) -> str:
        """The condition that a text is a multiple of a number."""
        return f"mod({text}, {divisor}) == 0"

    def length(self, name: str, axis: int) -> str:
        """The length of an axis of a variable."""
        return f"size({name}, {axis + 1})"

    def column_major(self, node: Term) -> list[str]:
        """The numbers of an array, the first index first."""
        return [repr(x) for x in node.array.values.ravel(order="F").tolist()]

    def sizes_of(self, dims: Sequence[Size]) -> str:
        """Sizes as arguments."""
        return ", ".join(map(self.size, dims))
