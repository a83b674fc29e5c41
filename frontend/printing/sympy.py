"""Terms as functions of SymPy's arrays and matrices, of numbers or symbols."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.indices.precedence import Text
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import identifier
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.entries import (
    ATOM,
    SIGN,
    Entry,
    EntryProgram,
    Range,
    of_matrix,
    spelled,
)
from eggrad.frontend.printing.templates import filled

# What the text may take from SymPy, beside element-wise functions.
_SYMPY: Final = (
    *("Abs", "Array", "And", "Eq", "Integer", "Matrix", "Max", "Min", "Mod", "Ne", "Or"),
    *("Piecewise", "Rational", "S", "acos", "asin", "atan", "ceiling", "cos", "exp", "floor"),
    *("log", "nan", "oo", "sign", "sin", "sinh", "cosh", "sqrt", "tan", "tanh"),
)


def format_sympy(root: Term, scope: Sequence[Term] = ()) -> str:
    """A function of arrays, or of matrices, that have shapes of numbers.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> print(format_sympy(einsum("ij,j->i", A, x)))
    from sympy import Array
    <BLANKLINE>
    <BLANKLINE>
    def f(A, x):
        \"\"\"Axes (m,), for A of axes (m, n), x of axes (n,).\"\"\"
        m = A.shape[0]
        n = A.shape[1]
        return Array([sum(A[i, j] * x[j] for j in range(n)) for i in range(m)], (m,))
    <BLANKLINE>
    """
    return _Program(root, scope).text()


class _Program(EntryProgram):
    language = "SymPy"
    words = frozenset({*_SYMPY, "sum", "range", "int", "lambda"})

    def identifier(self, name: str) -> str:
        return identifier(name, self.taken)

    def text(self) -> str:
        """The whole text."""
        name = self.unused("f")
        entry = self.body()
        self.lines.append(f"return {self._array(self.root.dims, entry)}")
        title, *others = self.comments()
        sizes = [f"{size} = {place}" for size, place in self.sizes()]
        lines = [f'"""{title[2:]}"""', *others, *sizes, *self.lines]
        head = f"def {name}({', '.join(self.names.values())}):"
        used = {*re.findall(r"\w+", "\n".join(self.lines))}
        imported = ", ".join(sorted(used.intersection(_SYMPY)))
        imports = [f"from sympy import {imported}", "", ""] if imported else []
        return "\n".join([*imports, head, *(f"    {line}" for line in lines), ""])

    def length(self, name: str, axis: int) -> str:
        return f"{name}.shape[{axis}]"

    def _array(self, dims: Dims, entry: Entry) -> str:
        ranges = self.ranges(dims)
        text, _ = entry.at([i for i, _ in ranges])
        self.taken.difference_update(i for i, _ in ranges)
        if not dims:
            return f"S({text})" if not self.names else text
        shape = ", ".join(self.size(d) for d in dims) + "," * (len(dims) == 1)
        return f"Array([{text}{self._loops(ranges)}], ({shape}))"

    def _loops(self, ranges: Sequence[Range]) -> str:
        return "".join(f" for {i} in range({self.size(d)})" for i, d in ranges)

    def store(self, name: str, dims: Dims, entry: Entry) -> None:
        self.lines.append(f"{name} = {self._array(dims, entry)}")

    def total(self, kind: str, text: str, ranges: Sequence[Range]) -> Text:
        loops = self._loops(ranges)
        if kind == "sum":
            return f"sum({text}{loops})", ATOM
        return f"{kind.title()}(*({text}{loops}))", ATOM

    def truth(self, text: str) -> Text:
        return f"int({text})", ATOM

    def scalar_size(self, size: Size) -> Text:
        return f"Integer({self.size(size)})", ATOM

    def ratio(self, text: str) -> Text:
        return f"S({text})", ATOM

    def number(self, value: Fraction) -> Text:
        if value.denominator > 1:
            return f"Rational({value.numerator}, {value.denominator})", ATOM
        return str(value.numerator), SIGN if value < 0 else ATOM

    def function(self, name: str, args: Sequence[Text]) -> Text:
        text, level = filled(spelled("sympy", name), args, lambda text: f"({text})")
        return (
            (f"Piecewise((1, {text}), (0, True))", ATOM)
            if FUNCTIONS[name].is_test
            else (text, level)
        )

    def matrix_function(self, name: str, operand: str, node: Term) -> str:
        n = self.size(node.args[0].dims[0])
        (i, _), (j, _) = ranges = self.ranges(node.args[0].dims)
        self.taken.difference_update(i for i, _ in ranges)
        matrix = f"Matrix({n}, {n}, lambda {i}, {j}: {operand}[{i}, {j}])"
        return (
            f"{matrix}.cofactor_matrix()"
            if name == "cofactors"
            else of_matrix("sympy", name).format(matrix)
        )

    def literal(self, node: Term) -> str:
        values = node.array.values
        numbers = re.sub(r"\binf\b", "oo", repr(values.ravel().tolist()))
        return f"Array({numbers}, {tuple(values.shape)})"
