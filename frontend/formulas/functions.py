"""The functions that formulas call: one row each, for every notation."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.functions import ELEMENTWISE, UNARY, Function
from eggrad.engine.terms.functions import FUNCTIONS as RECORDS
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import numpy_functions as whole
from eggrad.frontend.expression import numpy_statistics, special
from eggrad.frontend.expression.expression import Expression, applied
from eggrad.frontend.expression.numpy_order import sort
from eggrad.frontend.expression.numpy_reductions import cumprod
from eggrad.frontend.expression.numpy_ufuncs import COMPOSED, UFUNCS, exp2, log2, square
from eggrad.frontend.formulas.advice import AdvisedShapeError
from eggrad.frontend.formulas.values import (
    Value,
    check_square,
    divide,
    entrywise,
    in_line,
    inner,
    paired,
    single,
    summed,
    times,
    transposed,
    value,
    vec,
)  # fmt: skip
from eggrad.frontend.formulas.values import square as square_matrix
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.words import MATRIX_WORDS


class Known(NamedTuple):
    """A function: what it makes of values, a sentence, and how many of them it takes.

    It may be `of_entries`, each by itself, or not; what is not may be `of_scalars` all the same.
    """

    apply: Callable[..., Value]
    sentence: str
    least: int = 1
    most: int = 1
    of_entries: bool = False
    of_scalars: bool = False


def sigmoid(a: Expression) -> Expression:
    """`1 / (1 + exp(-a))`."""
    return arithmetic.divide(1, arithmetic.add(1, language.exp(-a)))


def step(a: Any) -> Expression:
    """1 where `a > 0`, else 0."""
    return applied("greater", a, 0)


# Sums and other numbers made of all entries ------------------------------------------------


def _reduced(name: str, function: Callable[..., Expression], a: Value, axis: Any = None) -> Value:
    """The sum, say, of all entries; of a matrix also of each column, 1, or of each row, 2."""
    f = single(f"{name} of", a)
    if axis is None:
        return value(function(f))
    number = axis.expression.term
    if a.order != 2 or number.op != "constant" or number.data not in (1, 2):
        raise ShapeError(
            f"{name}: a second argument, 1 for columns or 2 for rows, goes with a matrix"
        )
    return value(function(f, int(number.value) - 1), row=number.data == 1)


def sum_of(a: Value, axis: Value | None = None) -> Value:
    """The sum of all entries; with an axis of each column, 1, or of each row, 2."""
    return summed(a) if axis is None else _reduced("sum", language.sum, a, axis)


def _extreme(name: str, a: Value, *others: Value) -> Value:
    """The greatest or the least entry; of two tensors that of each pair of entries."""
    if others:
        return _entry_by_entry(RECORDS[EXTREMES[name].of_two])(a, *others)
    return extreme(name, a, (*a.rows, *a.columns))


def extreme(name: str, a: Value, over: Sequence[str]) -> Value:
    """The greatest or the least entry along some axes."""
    axes = tuple(a.axes.index(i) for i in over)
    rest = tuple(i for i in a.axes if i not in over)
    return Value(_EXTREMES[name](a.entries, axes), rest) if axes else a


def _extreme_along(name: str, axis: int, a: Value) -> Value:
    """The greatest or the least entry of each column, or of each row."""
    if a.order != 2:
        raise ShapeError(f"{name} of columns or rows: a matrix, please")
    return extreme(name, a, (a.rows, a.columns)[axis])


_EXTREMES: Final = {"max": language.max, "min": language.min}


def logsumexp(a: Value) -> Value:
    """The logarithm of the sum of exponentials."""
    return summed(a.mapped(language.exp)).mapped(language.log)


def norm1(a: Value) -> Value:
    """The sum of absolute values."""
    return summed(a.mapped(language.abs))


def norm2(a: Value) -> Value:
    """The root of the sum of squares; of a matrix Frobenius' norm."""
    return summed(a.mapped(square)).mapped(COMPOSED["sqrt"])


def norm(a: Value, which: Value | str = "") -> Value:
    """The norm of a vector that a number says, 2 where none does; a matrix has several."""
    if isinstance(which, Value):
        number = which.expression.term
        which = str(number.data) if number.op == "constant" else "?"
    if which not in ("", "1", "2", "F", "*", "infty", "max"):
        raise UnsupportedOperation(f"no norm is known by {which!r}; there are 1, 2, F, *, \\infty")
    if not a.order:
        return a.mapped(language.abs)
    if which == "max" or (which == "infty" and a.order == 1):
        return _extreme("max", a.mapped(language.abs))
    if which == "*":
        if a.order == 1:
            raise ShapeError(f"the nuclear norm of {a.shape}: the argument has to be a matrix")
        f = language.of_each("singular_values", single("the nuclear norm of", a))
        return value(language.sum(f))
    if a.order == 1 or which == "F":
        return norm1(a) if which == "1" else norm2(a)
    if which:
        raise AdvisedShapeError(
            f"the norm of {a.shape} with {which} below: that of the matrix as a map, or of its "
            "entries",
            "norms of matrices",
        )
    raise AdvisedShapeError(
        f"norm of {a.shape}: Frobenius' norm or the spectral norm of a matrix", "Frobenius"
    )


def _length(a: Value) -> Value:
    """The number of entries."""
    f = single("length of", a)
    return value(ax.size_of(f, range(f.ndim)))


def _softmax(a: Value) -> Value:
    """The exponentials of a vector, divided by their sum."""
    _vector("softmax", a)
    exponentials = a.mapped(language.exp)
    return divide(exponentials, summed(exponentials))


# Vectors and matrices ----------------------------------------------------------------------


def _vector(what: str, a: Value) -> Expression:
    if a.order != 1:
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a vector")
    return single(f"{what} of", a)


def _of_vector(name: str, function: Callable[[Any], Expression]) -> Callable[[Value], Value]:
    return lambda a: value(function(_vector(name, a)), a.is_row)


def _of_square(name: str, function: Callable[[Any], Expression]) -> Callable[[Value], Value]:
    return lambda a: value(function(square_matrix(name, a)))


def trace(a: Value) -> Value:
    """The sum of the diagonal; a scalar's is itself."""
    if not a.order:
        return a
    check_square("tr", a)
    met = dict(zip(a.columns, a.rows, strict=True))
    names = [met.get(i, i) for i in a.axes]
    letters = {i: chr(ord("a") + k) for k, i in enumerate(dict.fromkeys(names))}
    spec = "".join(letters[i] for i in names) + "->" + "".join(letters[i] for i in a.free)
    return Value(language.einsum(spec, a.entries), a.free)


def bars(a: Value) -> Value:
    """Between bars: the determinant of a matrix, the absolute value of a scalar."""
    if a.order == 1:
        raise AdvisedShapeError(
            f"bars around {a.shape}: the absolute values of entries, or the length",
            "absolute values",
        )
    return _of_square("det", language.det)(a) if a.order else a.mapped(language.abs)


def log_of_bars(a: Value) -> Value:
    """The logarithm of what `bars` are."""
    return bars(a).mapped(language.log)


def _logdet(a: Expression) -> Expression:
    return language.log(language.det(a))


def _of_each(name: str, a: Value) -> Value:
    """A function of a matrix, by the name of its record."""
    record = STACK_FUNCTIONS[name]
    if a.order != 2:
        check_square(name, a)
    f = square_matrix(name, a) if record.square else single(f"{name} of", a)
    return value(language.of_each(name, f))


def diag(a: Value) -> Value:
    """The matrix with a vector on its diagonal; the diagonal of a matrix as a column."""
    if a.order == 1:
        return value(ax.diagonal_matrix(single("diag of", a)))
    return value(ax.diagonal(square_matrix("diag", a), 0, 1))


def outer(a: Value, b: Value) -> Value:
    """The product of a column and a row, given two vectors."""
    for v in (a, b):
        if v.order != 1:
            raise ShapeError(f"outer of {v.shape}: the argument has to be a vector")
    return times(transposed(a) if a.is_row else a, b if b.is_row else transposed(b))


def dot(a: Value, *others: Value) -> Value:
    """The sum of the products of the entries of two vectors, the second times a matrix or not."""
    *between, b = others
    for v in (a, b):
        if v.order == 2:
            raise ShapeError(f"dot of {v.shape}: the argument has to be a vector")
    a, b = (transposed(v) if v.is_row else v for v in (a, b))
    return inner(a, times(between[0], b) if between else b)


def solved(a: Value, b: Value) -> Value:
    """The solution of a system: the inverse of a square matrix times what stands on the right."""
    if a.order != 2:
        raise ShapeError(f"\\ of {a.shape}: on the left stands a square matrix")
    return times(value(language.inv(square_matrix("\\", a))), b)


def cross(a: Value, b: Value) -> Value:
    """The cross product of two vectors of three entries."""
    f, g = (_vector("cross", v) for v in (a, b))
    for v in (f, g):
        if v.shape != (3,):
            raise ShapeError(f"cross of {v.shape[0]} x 1: the argument has 3 entries")
    return value(numpy_statistics.cross(f, g), a.is_row)


def kron(a: Value, b: Value) -> Value:
    """The matrix of all multiples of b by entries of a; a column has one column."""
    return in_line("kron", paired(a, b) if a.order and b.order else times(a, b))


def _kronecker(a: Value, b: Value) -> Value:
    """The sign for `kron`; between vectors it has a second meaning."""
    if a.order == 1 and b.order == 1 and a.is_row == b.is_row:
        raise AdvisedShapeError(
            f"\\otimes of {a.shape} and {b.shape}: the outer product, or the Kronecker product",
            "outer or Kronecker",
        )
    return kron(a, b)


# Rows --------------------------------------------------------------------------------------


def _entry_by_entry(function: Function) -> Callable[..., Value]:
    """A function of the entries of values of one shape, or of scalars beside them."""
    name = MATRIX_WORDS.get(function.name, function.name)
    return lambda *args: entrywise(name, partial(applied, function), *args)


def _declared(function: Function, sentence: str) -> Known:
    """The row of a function of entries that has a record."""
    apply = _entry_by_entry(function)
    return Known(apply, sentence, function.arity, function.arity, of_entries=True)


def _each(function: Callable[..., Any]) -> Callable[..., Value]:
    """The same for a function of expressions."""
    name = getattr(function, "__name__", "a function")
    return lambda *args: entrywise(name, function, *args)


ENTRYWISE: Final[Mapping[str, tuple[Callable[..., Any], str]]] = {
    **{f: (partial(applied, f), RECORDS[f].sentence) for f in UNARY},
    "sinh": (COMPOSED["sinh"], "The hyperbolic sine of every entry."),
    "cosh": (COMPOSED["cosh"], "The hyperbolic cosine of every entry."),
    "sqrt": (COMPOSED["sqrt"], "The square root of every entry."),
    "arctanh": (COMPOSED["arctanh"], "The inverse hyperbolic tangent of every entry."),
    "log1p": (COMPOSED["log1p"], "log(1 + x) of every entry, without loss of digits."),
    "expm1": (COMPOSED["expm1"], "exp(x) - 1 of every entry, without loss of digits."),
    "sigmoid": (sigmoid, "The logistic function of every entry, 1/(1 + exp(-x))."),
    "softplus": (language.softplus, "log(1 + exp(x)) of every entry."),
    "log2": (log2, "The logarithm to the base 2 of every entry."),
    "log10": (UFUNCS["log10"], "The logarithm to the base 10 of every entry."),
    "exp2": (exp2, "2 to the power of every entry."),
    "square": (square, "The square of every entry."),
    "cbrt": (UFUNCS["cbrt"], "The cube root of every entry."),
    "step": (step, "1 for every entry that is greater than 0, else 0."),
}
"""The functions of every entry that have one argument, each with its sentence."""


def _special() -> dict[str, Known]:
    """The special functions, by SciPy's names."""
    found: dict[str, Known] = {}
    for name in special.__all__:
        declared = getattr(special, name)
        record = getattr(declared, "record", None)
        if name not in ENTRYWISE and record is not None:
            sentence = f"{declared.__doc__.splitlines()[0]}"
            found[name] = _declared(record, sentence)
    return found


# Numbers made of all entries, or of those of a column or a row.
_OF_ENTRIES: Final = {
    "mean": (whole.mean, "The mean"),
    "var": (whole.var, "The variance (by n)"),
    "std": (whole.std, "The root of the variance"),
}
_OF_VECTORS: Final[Mapping[str, tuple[Callable[[Any], Expression], str]]] = {
    "cumsum": (whole.cumsum, "The running sums of a vector."),
    "cumprod": (cumprod, "The running products of a vector."),
    "sort": (sort, "The entries of a vector, the least first."),
    "prod": (whole.prod, "The product of the entries of a vector."),
}
_SQUARES: Final[Mapping[str, tuple[Callable[[Any], Expression], str]]] = {
    "det": (language.det, "The determinant."),
    "logdet": (_logdet, "The logarithm of the determinant."),
    "logabsdet": (language.logabsdet, "The logarithm of the determinant's size."),
    "signdet": (language.signdet, "The sign of the determinant: -1, 0 or 1."),
    "inv": (language.inv, "The inverse of a matrix."),
    "adj": (language.adj, "The adjugate: the determinant times the inverse."),
}
_PAIRS: Final = "of two tensors that of each pair of entries."
_PARTS: Final = "with 1 of each column, with 2 of each row."


def _row(apply: Callable[..., Value], count: int = 1, of_scalars: bool = False) -> Known:
    """The row of a function whose docstring says what it is."""
    sentence = (apply.__doc__ or "").splitlines()[0]
    return Known(apply, sentence, count, count, of_scalars=of_scalars)


FUNCTIONS: Final[Mapping[str, Known]] = {
    **{
        name: Known(_each(f), sentence, of_entries=True)
        for name, (f, sentence) in ENTRYWISE.items()
    },
    **{
        MATRIX_WORDS.get(f, f): _declared(RECORDS[f], RECORDS[f].sentence)
        for f in ELEMENTWISE
        if f not in UNARY
    },
    **_special(),
    "sum": Known(sum_of, f"The sum of all entries; {_PARTS}", 1, 2),
    **{
        name: Known(partial(_reduced, name, f), f"{what} of all entries; {_PARTS}", 1, 2)
        for name, (f, what) in _OF_ENTRIES.items()
    },
    **{
        name: Known(partial(_extreme, name), f"The {which} entry; {_PAIRS}", 1, 2)
        for name, which in (("max", "greatest"), ("min", "least"))
    },
    **{
        f"{line}{name}": Known(
            partial(_extreme_along, name, axis), f"The {which} entry of each {what}."
        )
        for name, which in (("max", "greatest"), ("min", "least"))
        for axis, line, what in ((0, "col", "column"), (1, "row", "row"))
    },
    "length": _row(_length),
    "norm": Known(norm, "The length of a vector; norm(x, 1) is norm1(x).", 1, 2),
    "norm1": _row(norm1),
    "norm2": _row(norm2),
    "normF": Known(norm2, "Frobenius' norm, the root of the sum of squares."),
    "logsumexp": _row(logsumexp),
    "softmax": _row(_softmax),
    "dot": Known(
        dot, "The sum of the products of the entries of two vectors; dot(x, A, y) is x'*A*y.", 2, 3
    ),
    "outer": _row(outer, 2),
    "cross": _row(cross, 2),
    "kron": _row(kron, 2),
    "vec": _row(vec),
    "diag": _row(diag),
    "transpose": Known(transposed, "The transpose.", of_scalars=True),
    "tr": _row(trace),
    **{name: Known(_of_vector(name, f), sentence) for name, (f, sentence) in _OF_VECTORS.items()},
    **{name: Known(_of_square(name, f), sentence) for name, (f, sentence) in _SQUARES.items()},
    **{name: Known(partial(_of_each, name), f.sentence) for name, f in STACK_FUNCTIONS.items()},
}
"""Each function, by its name in matrix notation."""

OF_MATRICES: Final = frozenset((*_SQUARES, *STACK_FUNCTIONS, "tr", "diag", "vec", "normF")) | {
    *("colmax", "colmin", "rowmax", "rowmin"),
}
"""Those that are shown with a matrix."""

ALIASES: Final[Mapping[str, str]] = {
    **{"trace": "tr", "Tr": "tr", "Trace": "tr", "Det": "det", "Diag": "diag", "Vec": "vec"},
    **{"expm": "matrix_exponential", "pinv": "pseudoinverse"},
    **{"ln": "log", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sgn": "sign"},
    **{"arsinh": "arcsinh", "asinh": "arcsinh", "arcosh": "arccosh", "acosh": "arccosh"},
    **{"artanh": "arctanh", "atanh": "arctanh", "ReLU": "relu", "SoftMax": "softmax"},
    **{"logistic": "sigmoid", "LSE": "logsumexp", "lse": "logsumexp", "lgamma": "gammaln"},
    **{
        "abs2": "square",
        "maximum": "max",
        "minimum": "min",
        "psi": "digamma",
        "σ": "sigmoid",
        "sigma": "sigmoid",
        "numel": "length",
        "Γ": "gamma",
        "heaviside": "step",
    },
}
"""Other names of functions."""

SIGNS: Final[Mapping[str, Known]] = {
    "∑": FUNCTIONS["sum"],
    "√": FUNCTIONS["sqrt"],
    "‖": FUNCTIONS["norm2"],
    "|": _row(bars, of_scalars=True),
    "log|": _row(log_of_bars, of_scalars=True),
    "⊗": Known(_kronecker, "The Kronecker product.", 2, 2),
    "⟨⟩": Known(inner, "The sum of the products of entries.", 2, 2),
    "\\": _row(solved, 2),
}  # fmt: skip
"""The signs that stand for functions: before brackets, around or between operands."""

CONSTANTS: Final = frozenset(("vector", "matrix", "ones", "zeros", "eye", "unit", "size"))
"""Constants of a size that is given, or taken from what they meet."""


def known_functions(declared: Sequence[Function]) -> dict[str, Known]:
    """Those of all notations, and those that are declared, whose names are other ones."""
    for f in declared:
        if f.name in FUNCTIONS and f.name not in special.__all__:
            raise UnsupportedOperation(f"{shown(f.name)} is a function of matrix notation already")
    further = {f.name: _declared(f, f.sentence) for f in declared}
    aliases = {name: FUNCTIONS[f] for name, f in ALIASES.items()}
    return {**aliases, **FUNCTIONS, **SIGNS, **further}


def check_call(name: str, count: int, functions: Mapping[str, Known]) -> None:
    """Raise where no function has that name, or another number of arguments."""
    if name in ("vector", "matrix") and not count:
        raise UnsupportedOperation(f"{name} takes the value of its entries, as {name}(1)")
    if name in CONSTANTS:
        return
    if name not in functions:
        near = suggestion(name, [*functions, *CONSTANTS])
        raise UnsupportedOperation(f"no function is called {shown(name)}{near}")
    least, most = functions[name].least, functions[name].most
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        plural = "s" * (most > 1)
        raise UnsupportedOperation(f"{name} takes {wanted} argument{plural}, not {count}")
