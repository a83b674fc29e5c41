"""What the parts of a NumPy text are, and what operators make of them.

Numbers are exact until they meet an expression, and of bounded length.
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, cast

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import as_size, plus, size_form, times
from eggrad.engine.indices.texts import shown
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    MergedAxes,
    SizeSymbol,
    as_expression,
    truth,
)
from eggrad.frontend.expression.numpy_linalg import SVDResult
from eggrad.frontend.numpy_text.names import Known, Module
from eggrad.frontend.text.words import MAXIMAL_DIGITS

_BITS: Final = 3 * MAXIMAL_DIGITS
_TOO_LARGE: Final = "this number is too large"

_Operators = Mapping[type[ast.AST], Callable[[Any, Any], Any]]
_BINARY: Final[_Operators] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
}
_OF_TRUTH: Final[_Operators] = {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARED: Final[_Operators] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass
class Frame:
    """Names that lines and arguments give, the frame around, and how many calls are around."""

    around: "Frame | None" = None
    depth: int = 0
    names: dict[str, Any] = field(default_factory=dict[str, Any])

    def find(self, name: str) -> "Frame | None":
        """The innermost frame that has a name."""
        found: Frame | None = self
        while found is not None and name not in found.names:
            found = found.around
        return found


@dataclass(frozen=True)
class Own:
    """A function that the text defines."""

    name: str
    arguments: ast.arguments
    body: ast.expr | list[ast.stmt]
    frame: Frame


@dataclass(frozen=True)
class Method:
    """A method of a value, before it is called."""

    of: Any
    name: str


def is_number(value: object) -> bool:
    """Whether it is a number that is known."""
    return isinstance(value, int | Fraction | float)


def is_array(value: object) -> bool:
    """Whether it is computed with: an expression, a number or a size."""
    return isinstance(value, Expression | Condition | MergedAxes | SizeSymbol) or is_number(value)


def listed(value: object) -> Sequence[Any] | None:
    """The parts of what has several."""
    return value if isinstance(value, tuple | list | SVDResult) else None


def described(value: Any) -> str:
    """A value in words."""
    if isinstance(value, Known | Module):
        return f"the {type(value).__name__.replace('Known', 'function').lower()} {value.path}"
    if isinstance(value, Own | Method):
        return f"the {'function' if isinstance(value, Own) else 'method'} {value.name}"
    several = listed(value)
    if several is not None:
        return f"a list of {len(several)} values"
    if isinstance(value, MergedAxes):
        return "an array with axes as long as products of sizes"
    if is_array(value):
        single = "a number" if is_number(value) else "a scalar"
        return "an array" if getattr(value, "ndim", 0) else single
    return f"the text {shown(value)}" if isinstance(value, str) else shown(value)


# Arguments and indices ----------------------------------------------------------------------


def argument(value: Any) -> Any:
    """A value as functions take it: fractions are floating-point numbers, which they are read as.

    >>> argument([Fraction(1, 2), 3])
    [0.5, 3]
    """
    if isinstance(value, Fraction):
        try:
            return float(value)
        except OverflowError:
            raise UnsupportedOperation(_TOO_LARGE) from None
    if isinstance(value, list):
        return [argument(v) for v in cast(list[Any], value)]
    # Results with fields are arguments as they are.
    return tuple(map(argument, cast(Any, value))) if type(value) is tuple else value


def entries(value: Any, key: Any) -> Any:
    """What stands at the places that a key names."""
    several = listed(value)
    if several is not None:
        if type(key) is int and -len(several) <= key < len(several):
            return several[key]
        raise UnsupportedOperation(f"of {len(several)} values one is chosen by an integer")
    if not isinstance(value, Expression | Condition | MergedAxes):
        raise UnsupportedOperation(f"{described(value)} has no entries")
    for part in cast(tuple[Any, ...], key) if isinstance(key, tuple) else (key,):
        ends = (part.start, part.stop, part.step) if isinstance(part, slice) else ()
        for end in ends:
            if end is not None and type(end) is not int:
                raise UnsupportedOperation(
                    f"the ends of a slice are integers, not {described(end)}; -1 counts from the "
                    "last entry"
                )
    return cast(Any, value)[argument(key)]


# Operators ----------------------------------------------------------------------------------


def combined(kind: type[ast.operator], a: Any, b: Any) -> Any:
    """What an operator makes of two values."""
    if kind in _OF_TRUTH:
        if isinstance(a, Condition) and isinstance(b, Condition):
            return _OF_TRUTH[kind](a, b)
        raise UnsupportedOperation(
            "'&', '|' and '^' join conditions in brackets, as in (x > 0) & (x < 1)"
        )
    if kind not in _BINARY:
        raise UnsupportedOperation("expressions have real numbers and no bits")
    if is_number(a) and is_number(b) and kind is not ast.MatMult:
        return _of_numbers(kind, a, b)
    size = _size(kind, a, b)
    return _BINARY[kind](*_arrays(a, b)) if size is None else size


def check_comparison(kinds: Sequence[ast.cmpop]) -> None:
    """Raise where a comparison is not one of entries."""
    if any(type(kind) not in _COMPARED for kind in kinds):
        raise UnsupportedOperation("a comparison is one of < <= > >= == !=")


def compared(kind: type[ast.cmpop], a: Any, b: Any) -> Any:
    """Whether a comparison holds."""
    return _COMPARED[kind](*((a, b) if is_number(a) and is_number(b) else _arrays(a, b)))


def _arrays(a: Any, b: Any) -> Sequence[Any]:
    """Operands, of which lists and numbers are arrays."""
    return [v if isinstance(v, Condition | MergedAxes) else as_expression(v) for v in (a, b)]


def bounded(value: Any) -> Any:
    """A number of bounded length, so that no text fills the memory.

    >>> bounded(7)
    7
    """
    parts = (value.numerator, value.denominator) if isinstance(value, int | Fraction) else ()
    if any(part.bit_length() > _BITS for part in parts):
        raise UnsupportedOperation(_TOO_LARGE)
    return value


def _of_numbers(kind: type[ast.operator], a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        raise UnsupportedOperation("infinity is nothing to compute with")
    if kind is ast.Pow:
        exponent = Fraction(b)
        if exponent.denominator > 1:
            return as_expression(a) ** as_expression(b)
        length = max(part.bit_length() for part in (a.numerator, a.denominator))
        if length > 1 and abs(exponent) * length > _BITS:
            raise UnsupportedOperation(_TOO_LARGE)
        b = exponent.numerator
    is_inverse = kind is ast.Pow and b < 0
    if not (a if is_inverse else b or kind not in (ast.Div, ast.FloorDiv, ast.Mod)):
        raise UnsupportedOperation("a number is divided by 0")
    return bounded(_BINARY[kind](Fraction(a) if is_inverse or kind is ast.Div else a, b))


def _size(kind: type[ast.operator], a: Any, b: Any) -> Any:
    """The sum of sizes and integers, or a multiple of a size; None for all else.

    >>> n = SizeSymbol("n", ())
    >>> _size(ast.Sub, n, 1), _size(ast.Mult, 2, n), _size(ast.Pow, n, 2)
    ('n - 1', '2*n', None)
    """
    owners = [v for d in (a, b) if isinstance(d, SizeSymbol) for v in d.owners]
    if not all(isinstance(d, SizeSymbol) or type(d) is int for d in (a, b)):
        return None
    if kind in (ast.Add, ast.Sub):
        second = size_form(b)
        found = as_size(plus(size_form(a), second if kind is ast.Add else times(-1, second)))
    elif kind is ast.Mult and int in (type(a), type(b)):
        number, size = (a, b) if type(a) is int else (b, a)
        found = as_size(times(number, size_form(size)))
    else:
        return None
    return SizeSymbol(found, owners) if isinstance(found, str) else found


# Truth --------------------------------------------------------------------------------------


def both(a: Any, b: Any) -> Any:
    """That two things hold, of which Python asks whether they are true."""
    return a and b if isinstance(a, bool) and isinstance(b, bool) else one_truth(a) & one_truth(b)


def opposite(a: Any) -> Any:
    """That something does not hold."""
    return not a if isinstance(a, bool) else ~one_truth(a)


def one_truth(value: Any) -> Condition:
    """A condition that has one truth value."""
    if isinstance(value, bool):
        return Condition(truth(value))
    if not isinstance(value, Condition):
        raise UnsupportedOperation(
            f"a condition is a comparison, as x > 0 is, not {described(value)}"
        )
    if value.ndim:
        raise ShapeError(
            "an array of conditions is neither true nor false: write np.where(condition, a, b) for "
            "a choice, & | ~ for and, or, not, and (a < x) & (x < b) for a < x < b"
        )
    return value


# What a guess of axes does not allow, though NumPy does ---------------------------------------


def is_scalar(value: Any) -> bool:
    """Whether it is a number, or made of scalar variables alone."""
    f = as_expression(value) if isinstance(value, Expression | Condition) else None
    return is_number(value) if f is None else not f.ndim and not any(v.order for v in f.variables)


def check_guess(kind: type[ast.operator], a: Any, b: Any) -> None:
    """Raise for a scalar's name added to an array, an array of names as an exponent, x @ x / A."""
    orders = [getattr(v, "ndim", 0) for v in (a, b)]
    for one, order in ((a, orders[1]), (b, orders[0])):
        named = is_scalar(one) and bool(getattr(one, "variables", ()))
        if kind in (ast.Add, ast.Sub) and order and named:
            raise ShapeError("the name of a scalar is not added to an array")
    if kind is ast.Pow and orders[1] and getattr(a, "variables", ()):
        raise ShapeError("an exponent is no array")
    if kind is ast.Div and orders[1] == 2 and not orders[0] and not is_number(a):
        raise ShapeError("a scalar is not divided by a matrix")
