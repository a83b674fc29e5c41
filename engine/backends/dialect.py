"""The dialect of the array API standard: pure functions, for any library that has its words.

Nothing is written in place and no layout in memory is assumed: what a compiler gains by fusing and
ordering is left to the library. `own` has what the standard lacks (`kernels.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from eggrad.engine.backends.kernels import OF_EACH
from eggrad.engine.compilation.dialect import (
    ATOM,
    POWER,
    PRODUCT,
    SIGN,
    Dialect,
    asked_operands,
)
from eggrad.engine.compilation.lowering import detail
from eggrad.engine.compilation.program import ONE, Contraction, Instruction, Number, Program, Value
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.precedence import Text, bracketed
from eggrad.engine.indices.spec import Indices, letters
from eggrad.engine.terms.functions import Function, OwnFunction
from eggrad.engine.terms.operations import OPERATIONS
from eggrad.engine.terms.term import Term

# Exponents that are written as a power with a whole number, which libraries multiply out.
_WHOLE: Final = 16


def _in_standard(code: str) -> str:
    """What NumPy has as the standard has it, and `own` what is eggrad's."""
    return code.replace("np.", "xp.") if "np." in code else f"own.{code}"


# What the standard or `own` has by the same name, with the same arguments.
_AS_IN_NUMPY: Final = (
    *("sin", "cos", "tan", "tanh", "exp", "log", "sign", "abs", "floor", "trunc", "ceil"),
    *("maximum", "minimum", "logical_not", "logical_and", "logical_or", "where", "expm1", "log1p"),
    *("sinh", "cosh", "log_cosh", "softplus", "sigmoid", "log1mexp", "log1mexp_exp", "logaddexp"),
    *("exp_difference", "hypot", "inv", "adj", "cofactors", "logsumexp", "softmax", "log_softmax"),
    *("norm", "logdet", "solve", "symmetric_product", "product_of_pairs"),
    *("inverse_from_cholesky", "logdet_from_cholesky"),
)
WORDS: Final[Mapping[str, str]] = {
    **{name: _in_standard(OPERATIONS[name].code) for name in _AS_IN_NUMPY},
    "arcsin": "xp.asin({})",
    "arccos": "xp.acos({})",
    "arctan": "xp.atan({})",
    "area_sine": "xp.asinh({})",
    "angle_of": "xp.atan2({}, {})",
    "relu": "xp.maximum({}, 0.0)",
    "round": "xp.round({})",
    "pow": "{} ** {}",
    "mod": "xp.remainder({}, {})",
    "greater": "{} > {}",
    "greater_equal": "{} >= {}",
    "equal": "{} == {}",
    "not_equal": "{} != {}",
    "max": "xp.max({x}, axis={k})",
    "min": "xp.min({x}, axis={k})",
    **{name: f'own.of_each("{name}", {{x}})' for name in OF_EACH},
    "det": "own.determinant({x})",
    "logabsdet": "own.sign_and_log_determinant({x})[1]",
    "signdet": "own.sign_and_log_determinant({x})[0]",
    "argsort": "own.argsort({x}, {k})",
}
"""What operations are called, with places for operands as in their records."""


def _word(operation: str) -> str:
    if operation not in WORDS:
        raise UnsupportedOperation(f"{operation} has no function in the array API standard")
    return WORDS[operation]


class StandardDialect(Dialect):
    """Writes code in the words of the array API standard; `einsum` is what products call."""

    module, prefix = "xp", "own."

    def __init__(self, program: Program, einsum: str) -> None:
        """Write a program."""
        super().__init__(program)
        self._einsum = einsum
        self._like = program.like or "None"

    def like(self) -> str:
        """The array whose dtype and device what is made has."""
        return f", {self._like}"

    def _number(self, text: str) -> str:
        return f"own.number({text}{self.like()})"

    # Arrays that are made -----------------------------------------------------------------------

    def _known(self, instruction: Instruction) -> Text:
        return f"own.array({self.program.fixed[instruction.data[0]]}{self.like()})", ATOM

    def _array(self, instruction: Instruction) -> Text:
        return self._number(self.atoms(instruction)[0]), ATOM

    def _filled(self, instruction: Instruction) -> Text:
        shape, (value,) = self.shape(instruction.data), self.atoms(instruction)
        return f"own.full({shape}, {value}{self.like()})", ATOM

    def _copy(self, instruction: Instruction) -> Text:
        return f"own.fresh({self.atoms(instruction)[0]})", ATOM

    def _with_zeros(self, instruction: Instruction) -> Text:
        value: Value
        value, dims = instruction.data
        if value.source == ONE and len(dims) == 2:
            return f"own.eye({self.program.size(dims[0])}{self.like()})", ATOM
        unique = tuple(dict.fromkeys(value.axes))
        text = self.spread(value.atom, unique)[0]
        return f"own.with_zeros({text}, {value.axes}, {self.shape(dims)}{self.like()})", ATOM

    # Entry by entry -----------------------------------------------------------------------------

    def broadcast_operands(self, instruction: Instruction) -> list[Text]:
        """The operands; functions of the standard take arrays, operators at least one."""
        texts = super().broadcast_operands(instruction)
        literal = [isinstance(source, Number) for source, _ in instruction.operands]
        if instruction.kind != "function" and not all(literal):
            return texts
        return [
            (self._number(text[0]), ATOM) if known else text
            for text, known in zip(texts, literal, strict=True)
        ]

    def permuted(self, array: Text, order: Indices) -> str:
        """An array with its axes in some order."""
        return f"xp.permute_dims({array[0]}, {order})"

    def _function(self, instruction: Instruction) -> Text:
        function: Function
        function, asked = instruction.data
        texts = asked_operands(function, asked, self.broadcast_operands(instruction))
        word = function.code if isinstance(function, OwnFunction) else _word(function.name)
        return word.format(*(bracketed(text, ATOM) for text in texts)), ATOM

    def _numbers(self, instruction: Instruction) -> Text:
        return f"own.numbers({self.atoms(instruction)[0]}{self.like()})", ATOM

    def _negate(self, instruction: Instruction) -> Text:
        return f"-{bracketed(self.broadcast_operands(instruction)[0], SIGN)}", SIGN

    def _scale(self, instruction: Instruction) -> Text:
        factor, array = instruction.operands
        if factor[0] == Number(-ONE.value):
            return f"-{bracketed(self.source(array[0]), SIGN)}", SIGN
        return super()._scale(instruction)

    def _power(self, instruction: Instruction) -> Text:
        base, exponent = self.broadcast_operands(instruction)
        known = instruction.data
        if known is None or known.denominator > 2 or abs(known) > _WHOLE:
            return f"{bracketed(base, ATOM)} ** {bracketed(exponent, SIGN)}", POWER
        if isinstance(instruction.operands[0][0], Number):
            base = self._number(base[0]), ATOM
        if known.denominator == 1:
            size = abs(known)
            text = (f"{bracketed(base, ATOM)} ** {size}", POWER) if size > 1 else base
        elif abs(known.numerator) == 1:
            text = f"xp.sqrt({base[0]})", ATOM
        else:
            return f"{bracketed(base, ATOM)} ** {bracketed(exponent, SIGN)}", POWER
        return (f"1.0 / {bracketed(text, ATOM)}", PRODUCT) if known < 0 else text

    # Products and sums --------------------------------------------------------------------------

    def _repeat(self, instruction: Instruction) -> Text:
        count, (array,) = self.program.size(instruction.data), self.atoms(instruction)
        return f"own.repeated({count}, {array})", ATOM

    def _diagonal(self, instruction: Instruction) -> Text:
        ((_, labels),) = instruction.operands
        return f"own.diagonal({self.atoms(instruction)[0]}, {labels})", ATOM

    def _sum(self, instruction: Instruction) -> Text:
        ((_, labels),) = instruction.operands
        gone = tuple(k for k, i in enumerate(labels) if i not in instruction.labels)
        axis = f", axis={gone[0] if len(gone) == 1 else gone}" if instruction.labels else ""
        return f"xp.sum({self.atoms(instruction)[0]}{axis})", ATOM

    def _outer(self, instruction: Instruction) -> Text:
        return self._multiply(instruction)

    def _contract(self, instruction: Instruction) -> Text:
        c: Contraction = instruction.data
        if c.operator != "einsum":
            return self.matrices(c)
        spec = letters(c.left[1], c.right[1], instruction.labels)
        return f'{self._einsum}("{spec}", {", ".join(self.atoms(instruction))})', ATOM

    # Views, gathers and scatters ----------------------------------------------------------------

    def _entries(self, instruction: Instruction) -> Text:
        ((source, labels),) = instruction.operands
        more = ["..."] if len(instruction.data) < len(labels) else []
        return f"{self.atom((source, labels))}[{', '.join([*instruction.data, *more])}]", ATOM

    def _reshape(self, instruction: Instruction) -> Text:
        (array,) = self.atoms(instruction)
        return f"{self.module}.reshape({array}, {self.shape(instruction.data)})", ATOM

    def key(self, places: Sequence[str]) -> str:
        """What stands in brackets: the standard wants all axes."""
        return ", ".join([*places, "..."])

    # Whole arrays -------------------------------------------------------------------------------

    def _call(self, instruction: Instruction) -> Text:
        node: Term = instruction.data
        arrays = self.atoms(instruction)
        return _word(node.op).format(x=arrays[0], y=arrays[-1], k=detail(node)), ATOM
