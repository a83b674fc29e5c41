"""Terms as functions of SymPy's arrays and matrices, of numbers or symbols."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from eggrad.engine.compilation.dialect import ATOM, PRODUCT, SIGN
from eggrad.engine.compilation.program import Instruction, Number, Source
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.array_programs import EntryDialect, called, words_in
from eggrad.frontend.printing.programs import written


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
    return written(_SympyDialect, root, scope)


WORDS: Final[Mapping[str, str]] = {
    **called("sin cos tan tanh exp log sign floor sinh cosh"),
    "arcsin": "asin({})",
    "arccos": "acos({})",
    "arctan": "atan({})",
    "area_sine": "asinh({})",
    "angle_of": "atan2({}, {})",
    "relu": "Max({}, 0)",
    "abs": "Abs({})",
    "trunc": "sign({0}) * floor(Abs({0}))",
    "ceil": "ceiling({})",
    "round": "Piecewise((2 * floor({0} / 2 + S.Half), Eq(Mod({0}, 1), S.Half)),"
    " (floor({0} + S.Half), True))",
    "maximum": "Max({}, {})",
    "minimum": "Min({}, {})",
    "pow": "{} ** {}",
    "mod": "Mod({}, {})",
    "greater": "{} > {}",
    "greater_equal": "{} >= {}",
    "equal": "Eq({}, {})",
    "not_equal": "Ne({}, {})",
    "logical_not": "Not({})",
    "logical_and": "And({}, {})",
    "logical_or": "Or({}, {})",
    "where": "Piecewise(({1}, {0}), ({2}, True))",
    "expm1": "exp({}) - 1",
    "log1p": "log(1 + {})",
    "softplus": "log(1 + exp({}))",
    "sigmoid": "1 / (1 + exp(-{}))",
    "log1mexp": "log(1 - exp({}))",
    "log1mexp_exp": "log(1 - exp(-exp({})))",
    "logaddexp": "log(exp({}) + exp({}))",
    "exp_difference": "exp({} - {})",
    "hypot": "sqrt({}**2 + {}**2)",
    "inv": "{}.inv()",
    "det": "{}.det()",
    "adj": "{}.adjugate()",
    "logabsdet": "log(Abs({}.det()))",
    "signdet": "sign({}.det())",
    "cofactors": "{}.cofactor_matrix()",
    "array": "Array([{}{}], ({}))",
    "loop": " for {} in range({})",
    "between": "",
    "read": "{}[{}]",
    "sum over": "sum({}{})",
    "max over": "Max(*({}{}))",
    "min over": "Min(*({}{}))",
    "truth": "int({})",
    "nonzero": "Ne({}, 0)",
    "divisible": "({}) % {} == 0",
    "place": "int({})",
    "known": "Array({}, {})",
}
"""What operations are called in SymPy, and phrases."""
# What texts take from SymPy, and from Python.
_PYTHON: Final = frozenset({"True", "for", "in", "int", "lambda", "range", "sum"})
_SYMPY: Final = (words_in(WORDS) - _PYTHON) | {"Integer", "Matrix", "Rational", "nan", "oo"}


class _SympyDialect(EntryDialect):
    language = "SymPy"
    reserved = _SYMPY | _PYTHON
    says: Mapping[str, str] = WORDS

    def words(self, template: str) -> str:
        text = template.replace("np.inf", "oo").replace("np.nan", "nan")
        self.used |= _SYMPY.intersection(re.findall(r"\w+", text))
        return text

    def whole(self, needed: Sequence[str], functions: Sequence[str]) -> str:
        names = ", ".join(sorted(self.used))
        return super().whole([f"from sympy import {names}"] * bool(names), functions)

    def result(self, source: Source) -> str:
        if isinstance(source, Instruction) and source.labels and source.kind != "known":
            return self.comprehension(source)
        text = super().result(source)
        return self.call("S", text)[0] if self.is_number(source) else text

    def number(self, number: Number) -> Text:
        text, level = super().number(replace(number, sizes=()))
        sizes = [self.call("Integer", self.bare(d))[0] for d in number.sizes]
        if not sizes:
            return text, level
        factors = [bracketed((text, level), SIGN)] * (number.value != 1) + sizes
        return " * ".join(factors), PRODUCT if len(factors) > 1 else ATOM

    def fraction(self, value: Fraction) -> Text:
        if value.denominator > 1:
            return self.call("Rational", str(value.numerator), str(value.denominator))
        return str(value.numerator), SIGN if value < 0 else ATOM

    def _exact(self, instruction: Instruction) -> Instruction:
        """An operation on numbers, of which the first is one of SymPy's: Python's are inexact."""
        (first, labels), *others = instruction.operands
        if not all(self.is_number(source) for source, _ in instruction.operands):
            return instruction
        exact = Instruction("written", data=self.call("S", self.source(first)[0]))
        return replace(instruction, operands=((exact, labels), *others))

    def _divide(self, instruction: Instruction) -> Text:
        return super()._divide(self._exact(instruction))

    def _power(self, instruction: Instruction) -> Text:
        return super()._power(self._exact(instruction))

    def _numbers(self, instruction: Instruction) -> Text:
        return self.call(
            "Piecewise", f"(1, {self.source(instruction.operands[0][0])[0]})", "(0, True)"
        )

    def matrix(self, instruction: Instruction) -> Text:
        with self.loops(instruction.data.args[0].dims) as ((i, n), (j, _)):
            entry, _ = self.at(instruction.operands[0], {0: i, 1: j})
        return self.call("Matrix", n, n, f"lambda {i}, {j}: {entry}")
