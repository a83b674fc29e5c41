"""The functions of the matrix language, and how many arguments they take."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from eggrad.engine.errors import ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.functions import ELEMENTWISE, UNARY, Function
from eggrad.engine.terms.functions import FUNCTIONS as RECORDS
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import functions as sums
from eggrad.frontend.expression import numpy_ufuncs as elementwise
from eggrad.frontend.expression.axes import merged
from eggrad.frontend.expression.expression import Expression, add, applied, divide, power
from eggrad.frontend.formulas.values import (
    MatrixValue,
    check_alike,
    check_square,
    paired,
    single,
    square,
    times,
    transposed,
)
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.sizes import unknown
from eggrad.frontend.text.words import MATRIX_WORDS, offset_of


def sigmoid(a: Expression) -> Expression:
    """`1 / (1 + exp(-a))`."""
    return divide(1, add(1, language.exp(-a)))


ENTRYWISE: Final[dict[str, Callable[[Any], Expression]]] = {
    **{f: partial(applied, f) for f in UNARY},
    **elementwise.COMPOSED,
    "sigmoid": sigmoid,
    "softplus": sums.softplus,
}
"""The functions of every entry that have one argument."""


def sum_of(a: MatrixValue, axis: MatrixValue | None = None) -> MatrixValue:
    """The sum of all entries; of a matrix also of each column, 1, or of each row, 2."""
    if axis is None:
        return MatrixValue(language.sum(a.expression))
    number = axis.expression.term
    single("sum of", a)
    if a.order != 2 or number.op != "constant" or number.data not in (1, 2):
        raise ShapeError("sum: a second argument, 1 for columns or 2 for rows, goes with a matrix")
    return MatrixValue(language.sum(a.expression, int(number.value) - 1), number.data == 1)


def _extreme(name: str, a: MatrixValue, *others: MatrixValue) -> MatrixValue:
    """The greatest or the least entry; of two tensors that of each pair of entries."""
    if others:
        return _applied(RECORDS[EXTREMES[name].of_two])(a, *others)
    return MatrixValue(_REDUCED[name](a.expression))


def _extreme_along(name: str, axis: int, a: MatrixValue) -> MatrixValue:
    """The greatest or the least entry of each column, or of each row."""
    single(f"{name} of columns or rows of", a)
    if a.order != 2:
        raise ShapeError(f"{name} of columns or rows: a matrix, please")
    return MatrixValue(_REDUCED[name](a.expression, axis), axis == 0)


_REDUCED: Final = {"max": language.max, "min": language.min}
EXTREME_FUNCTIONS: Final = {name: EXTREMES[name].of_two for name in _REDUCED}
"""The functions of two entries that are called as the extremes of many are."""


def trace(a: MatrixValue) -> MatrixValue:
    """The sum of the diagonal."""
    if not a.is_blocked:
        return MatrixValue(language.einsum("ii->", square("tr", a)))
    check_square("tr", a)
    letters = "abcdefgh"[: a.rows]
    return MatrixValue(language.einsum(f"{letters * 2}->", a.expression))


def det(a: MatrixValue) -> MatrixValue:
    """The determinant."""
    return MatrixValue(language.det(square("det", a)))


def logdet(a: MatrixValue) -> MatrixValue:
    """The logarithm of the determinant, of a matrix whose determinant is positive."""
    return MatrixValue(language.log(language.det(square("logdet", a))))


def _of_each(name: str, a: MatrixValue) -> MatrixValue:
    """A function of a matrix, by the name of its record."""
    if STACK_FUNCTIONS[name].square:
        return MatrixValue(language.of_each(name, square(name, a)))
    return MatrixValue(language.of_each(name, a.expression))


def inv(a: MatrixValue) -> MatrixValue:
    """The inverse."""
    return MatrixValue(language.inv(square("inv", a)))


def adj(a: MatrixValue) -> MatrixValue:
    """The adjugate."""
    return MatrixValue(language.adj(square("adj", a)))


def diag(a: MatrixValue) -> MatrixValue:
    """The matrix with a vector on its diagonal; the diagonal of a matrix as a column."""
    if a.order == 1:
        return MatrixValue(ax.diagonal_matrix(single("diag of", a)))
    return MatrixValue(ax.diagonal(square("diag", a), 0, 1))


def outer(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """The product of a column and a row, given two vectors."""
    for v in (a, b):
        if v.order != 1:
            raise ShapeError(f"outer of {v.shape}: the argument has to be a vector")
    return times(MatrixValue(a.base, False, a.split), MatrixValue(b.base, True, b.split))


def vec(a: MatrixValue) -> MatrixValue:
    """The columns of a matrix one below the other."""
    if a.order != 2:
        raise ShapeError(f"vec of {a.shape}: the argument has to be a matrix")
    entries = transposed(a).expression
    return _in_line("vec", MatrixValue(entries, split=entries.ndim))


def kron(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """The matrix of all multiples of b by entries of a; a column has one column."""
    return _in_line("kron", paired(a, b) if a.order and b.order else times(a, b))


def _in_line(what: str, a: MatrixValue) -> MatrixValue:
    """One index of rows and one of columns, where their numbers are known."""
    if any(unknown(d) for d in a.base.shape):
        raise ShapeError(f"{what}: the sizes of its arguments have to be given")
    if not a.is_blocked or not all(isinstance(d, int) for d in a.base.shape):
        return a
    rows = merged(a.base, 0, a.rows)
    columns = rows.ndim - 1
    return MatrixValue(merged(rows, 1, columns) if columns > 1 else rows, a.turned)


def norm1(a: MatrixValue) -> MatrixValue:
    """The sum of absolute values."""
    return MatrixValue(language.sum(language.abs(a.expression)))


def norm2(a: MatrixValue) -> MatrixValue:
    """The root of the sum of squares; of a matrix Frobenius' norm."""
    return MatrixValue(elementwise.sqrt(language.sum(power(a.expression, 2))))


def bars(a: MatrixValue) -> MatrixValue:
    """Between bars: the determinant of a matrix, the absolute value of a scalar."""
    if a.order == 1:
        raise ShapeError(f"| | of {a.shape}: write abs(x) for the absolute values of entries")
    return det(a) if a.order else a.mapped(language.abs)


def log_of_bars(a: MatrixValue) -> MatrixValue:
    """The logarithm of what `bars` are."""
    return bars(a).mapped(language.log)


def norm(a: MatrixValue) -> MatrixValue:
    """The root of the sum of squares, of a vector; a matrix has several norms."""
    if a.order == 2:
        raise ShapeError(
            f"norm of {a.shape}: Frobenius' norm or the spectral norm of a matrix; the first is "
            "written normF"
        )
    return norm2(a)


def logsumexp(a: MatrixValue) -> MatrixValue:
    """The logarithm of the sum of exponentials."""
    return MatrixValue(sums.logsumexp(a.expression))


def softmax(a: MatrixValue) -> MatrixValue:
    """The exponentials of a vector, divided by their sum."""
    _vector("softmax", a)
    exponentials = language.exp(a.expression)
    return MatrixValue(divide(exponentials, language.sum(exponentials)), a.turned)


def _vector(what: str, a: MatrixValue) -> Expression:
    if a.order != 1:
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a vector")
    return single(f"{what} of", a)


def _applied(function: Function) -> Callable[..., MatrixValue]:
    """A declared function of the entries of values of one shape, or of scalars beside them."""

    def call(*args: MatrixValue) -> MatrixValue:
        if len(args) == 1:
            return args[0].mapped(lambda e: applied(function, e))
        whole = next((a for a in args if a.order), args[0])
        for a in args:
            if a.order and whole.order:
                check_alike(MATRIX_WORDS.get(function.name, function.name), whole, a)
        return whole.like(applied(function, *(a.expression for a in args)))

    return call


Known = Mapping[str, tuple[Callable[..., MatrixValue], int, int]]

FUNCTIONS: Final[Known] = {
    **{name: (lambda a, f=f: a.mapped(f), 1, 1) for name, f in ENTRYWISE.items()},
    **{
        MATRIX_WORDS.get(f, f): (_applied(RECORDS[f]), RECORDS[f].arity, RECORDS[f].arity)
        for f in ELEMENTWISE
        if f not in UNARY
    },
    "sum": (sum_of, 1, 2),
    **{name: (partial(_extreme, name), 1, 2) for name in _REDUCED},
    **{f"col{name}": (partial(_extreme_along, name, 0), 1, 1) for name in _REDUCED},
    **{f"row{name}": (partial(_extreme_along, name, 1), 1, 1) for name in _REDUCED},
    "tr": (trace, 1, 1),
    "trace": (trace, 1, 1),
    "det": (det, 1, 1),
    "logabsdet": (lambda a: MatrixValue(language.logabsdet(square("logabsdet", a))), 1, 1),
    "signdet": (lambda a: MatrixValue(language.signdet(square("signdet", a))), 1, 1),
    "logdet": (logdet, 1, 1),
    "inv": (inv, 1, 1),
    "adj": (adj, 1, 1),
    **{name: (partial(_of_each, name), 1, 1) for name in STACK_FUNCTIONS},
    "diag": (diag, 1, 1),
    "outer": (outer, 2, 2),
    "vec": (vec, 1, 1),
    "kron": (kron, 2, 2),
    "norm": (norm, 1, 1),
    "norm1": (norm1, 1, 1),
    "norm2": (norm2, 1, 1),
    "normF": (norm2, 1, 1),
    "logsumexp": (logsumexp, 1, 1),
    "softmax": (softmax, 1, 1),
}
"""Each function, with the least and the greatest number of arguments."""

SIGNS: Final[Known] = {
    "∑": FUNCTIONS["sum"],
    "√": FUNCTIONS["sqrt"],
    "‖": FUNCTIONS["norm2"],
    "|": (bars, 1, 1),
    "log|": (log_of_bars, 1, 1),
}
"""The signs that stand for functions, likewise: before brackets, or on both sides."""


def known_functions(declared: Sequence[Function]) -> Known:
    """Those of the language, and those that are declared, whose names are other ones."""
    for f in declared:
        if f.name in FUNCTIONS:
            raise UnsupportedOperation(f"{shown(f.name)} is a function of matrix notation already")
    return {**FUNCTIONS, **SIGNS, **{f.name: (_applied(f), f.arity, f.arity) for f in declared}}


# Calls checked -----------------------------------------------------------------------------


# Constants of a size that is given, or taken from what they meet.
CONSTANTS: Final = ("vector", "matrix", "ones", "zeros", "eye", "unit", "size")


def check_calls(text: str, phrases: Sequence[Phrase], functions: Known) -> None:
    """Raise where a function is not known or takes other arguments, before kinds are looked at."""
    stack = [*phrases]
    while stack:
        phrase = stack.pop()
        stack.extend(phrase.operands)
        if phrase.what == "call":
            try:
                check_call(str(phrase.token), len(phrase.operands), functions)
            except UnsupportedOperation as error:
                raise ParseError(str(error), text, offset_of(phrase.token)) from error


def check_call(name: str, count: int, functions: Known) -> None:
    """Raise where no function has that name, or another number of arguments."""
    if name in ("vector", "matrix") and not count:
        raise UnsupportedOperation(f"{name} takes the value of its entries, as {name}(1)")
    if name in CONSTANTS:
        return
    if name not in functions:
        near = suggestion(name, [*functions, *CONSTANTS])
        raise UnsupportedOperation(f"no function is called {shown(name)}{near}")
    _, least, most = functions[name]
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        plural = "s" * (most > 1)
        raise UnsupportedOperation(f"{name} takes {wanted} argument{plural}, not {count}")
