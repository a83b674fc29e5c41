"""The language's functions as Python functions: expressions in, expression out."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Dims, Size, Spec
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import ASSUMPTIONS, contradiction
from eggrad.engine.terms.functions import CALLED, FUNCTIONS, UNARY
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.axes import wanted_axes
from eggrad.frontend.expression.broadcasting import read_spec
from eggrad.frontend.expression.expression import (
    Expression,
    SizeSymbol,
    applied,
    as_expression,
    combine,
    expression,
    where,
)
from eggrad.frontend.text.doors import checked_flag, checked_text, checked_words
from eggrad.frontend.text.sizes import unknown, unknown_size
from eggrad.frontend.text.words import format_axes

__all__ = [
    "abs",
    "adj",
    "arccos",
    "arcsin",
    "arctan",
    "ceil",
    "constant",
    "cos",
    "delta",
    "det",
    "einsum",
    "exp",
    "eye",
    "floor",
    "inv",
    "log",
    "log_softmax",
    "logabsdet",
    "logsumexp",
    "max",
    "maximum",
    "min",
    "minimum",
    "mod",
    "ones",
    "relu",
    "round",
    "sign",
    "signdet",
    "sin",
    "softmax",
    "softplus",
    "sum",
    "tan",
    "tanh",
    "transpose",
    "trunc",
    "variable",
    "where",
    "zeros",
]


def variable(name: str, dims: Sequence[Size | None] = (), assume: Iterable[str] = ()) -> Expression:
    """A symbolic tensor; a size is a symbol (`"n"`), an integer, or None for one that fits.

    Two symbols are two sizes, which do not meet: `x + y` of n and of m entries is a `ShapeError`.
    A symbol becomes the number that it meets, and None whatever it meets.

    `assume` has any words of docs/properties.md: "symmetric", "positive definite" (implies
    symmetric and invertible), "positive semidefinite", "invertible", "diagonal", "lower
    triangular", "upper triangular", "orthogonal" or "skew", of square matrices; "positive",
    "nonnegative", "negative", "integer" or "signs" (1 or -1), of every entry; "probability", of
    entries that are nonnegative and whose sum is 1. Raises `ShapeError` for a wrong size or a word
    that needs other axes, and `UnsupportedOperation` for an unknown word or two that contradict
    each other.

    >>> variable("A", ("m", "n")).T.shape
    ('n', 'm')
    >>> (variable("A", ("m", "n")) @ variable("x", (None,))).variables[1].dims
    ('n',)
    """
    if not isinstance(name, str) or not name:
        raise UnsupportedOperation(f"variable: the name is a text, not {shown(name)}")
    given = _dims(f"variable {shown(name)}", dims)
    sizes = tuple(unknown_size(name, k) if d is None else d for k, d in enumerate(given))
    words = {*checked_words(f"variable {shown(name)}", "assume", assume)}
    for word in sorted(words - set(ASSUMPTIONS)):
        raise UnsupportedOperation(
            f"variable {shown(name)}: no property is called {shown(word)}; there are "
            f"{', '.join(ASSUMPTIONS)}"
        )
    if len(sizes) == 2 and any(ASSUMPTIONS[word].axes == "square" for word in words):
        known = [d for d in sizes if not unknown(d)]
        sizes = sizes if len(known) == 2 else ((known or sizes)[0],) * 2
    for word in sorted(words):
        needs = ASSUMPTIONS[word].axes
        if (needs == "square" and (len(sizes) != 2 or sizes[0] != sizes[1])) or (
            needs == "some" and not sizes
        ):
            what = "a square matrix" if needs == "square" else "at least one axis"
            raise ShapeError(
                f"variable {name}: {shown(word)} needs {what}, its axes are {format_axes(sizes)}"
            )
    clash = contradiction(words)
    if clash:
        raise UnsupportedOperation(f"variable {name}: nothing is both {clash[0]} and {clash[1]}")
    return expression(terms.variable(name, sizes, words))


def _dims(what: str, dims: object) -> tuple[Any, ...]:
    if not isinstance(dims, tuple | list):
        size = dims if isinstance(dims, str) or type(dims) is int else "n"
        example = f"({shown(size)},)"
        raise ShapeError(f"{what}: dims is a tuple of sizes, such as {example}, not {shown(dims)}")
    return tuple(int(d) if isinstance(d, np.integer) else d for d in cast("list[Any]", dims))


def constant(value: object, dims: Sequence[Size] = ()) -> Expression:
    """The tensor whose every entry is `value`; a float is the fraction that is meant by it.

    An array, or a list of numbers, is a constant by itself, with the axes that it has. In compiled
    code it has the precision of the arrays given, double precision at most.

    >>> constant([1, 2.5]).to("einsum")
    'declare expression array(1, 2.5)'
    >>> constant(0.1).term.data, constant(1 / 3).term.data
    (Fraction(1, 10), Fraction(1, 3))
    """
    dims = _dims("constant", dims)
    if not dims and isinstance(value, np.ndarray | list | tuple | float | complex | np.inexact):
        return as_expression(value)
    number = exact(value)
    if number is None:
        raise UnsupportedOperation(
            "constant: the value is a number, or an array where there are no dims, not "
            f"{shown(value)}"
        )
    return expression(terms.constant(number, dims))


def delta(dims: Sequence[Size]) -> Expression:
    """The identity on `dims`: axes `dims + dims`, for one size the identity matrix.

    >>> delta(("n",)).shape
    ('n', 'n')
    """
    return expression(terms.delta(_dims("delta", dims)))


def eye(n: Size) -> Expression:
    """The identity matrix of `n` rows; a size is a symbol or an integer.

    >>> eye("n").shape, eye(2).evaluate({}).tolist()
    (('n', 'n'), [[1.0, 0.0], [0.0, 1.0]])
    """
    return _of_sizes("eye", terms.delta, (n,))


def ones(dims: Size | Sequence[Size]) -> Expression:
    """The tensor of ones with these sizes, symbols or integers; one alone need be in no tuple.

    >>> ones(("m", 3)).shape, ones("n").shape
    (('m', 3), ('n',))
    """
    return _of_sizes("ones", partial(terms.constant, 1), dims)


def zeros(dims: Size | Sequence[Size]) -> Expression:
    """The tensor of zeros with these sizes, symbols or integers; one alone need be in no tuple.

    >>> zeros((2, 2)).evaluate({}).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    return _of_sizes("zeros", partial(terms.constant, 0), dims)


def _of_sizes(what: str, made: Callable[[Dims], Term], dims: Any) -> Expression:
    """What is made of sizes; those of a shape know the variables that fix them."""
    sizes = _dims(what, dims if isinstance(dims, tuple | list) else (dims,))
    owners = [v for d in sizes if isinstance(d, SizeSymbol) for v in d.owners]
    return expression(made(sizes), owners)


def transpose(f: Expression) -> Expression:
    """The axes in reverse order.

    >>> transpose(variable("A", ("m", "n"))).shape
    ('n', 'm')
    """
    return as_expression(f, "the argument of transpose").T


def sum(f: Expression, axis: int | Sequence[int] | None = None) -> Expression:
    """The sum over one axis, over several, or over all.

    Raises `ShapeError` for an axis that is not there.

    >>> sum(variable("A", ("m", "n")), axis=0).shape
    ('n',)
    """
    operand, spec = _reduction("sum", f, axis)
    if len(spec[0]) == len(spec[1]):
        return operand
    return combine("sum", [operand], [], lambda a: terms.einsum(spec, a))


def _reduction(what: str, f: Expression, axis: Any) -> tuple[Expression, Spec]:
    """An expression, and the spec that takes some of its axes away."""
    operand = as_expression(f, f"the argument of {what}")
    gone = wanted_axes(what, axis, operand.ndim)
    kept = [k for k in range(operand.ndim) if k not in gone]
    return operand, specs.canonical([range(operand.ndim)], kept)


def max(f: Expression, axis: int | Sequence[int] | None = None) -> Expression:
    """The maximum along one axis, along several, or of all entries.

    Its derivative goes to the entries that attain it, by equal shares. Raises `ShapeError` for an
    axis that is not there; NumPy refuses values whose axes have no entries.

    >>> A = variable("A", ("m", "n"))
    >>> max(A, axis=0).evaluate({"A": [[1, 4], [3, 2]]})
    array([3., 4.])
    """
    return _extreme("max", f, axis)


def min(f: Expression, axis: int | Sequence[int] | None = None) -> Expression:
    """The minimum along one axis, along several, or of all entries; see `max`.

    >>> float(min(variable("x", ("n",))).evaluate({"x": [3, 1, 2]}))
    1.0
    """
    return _extreme("min", f, axis)


def _extreme(name: str, f: Expression, axis: int | Sequence[int] | None) -> Expression:
    operand, spec = _reduction(name, f, axis)
    if len(spec[0]) == len(spec[1]):
        return operand
    return combine(name, [operand], [], lambda a: terms.numeric(name, a, data=spec))


def einsum(spec: str, *operands: Expression) -> Expression:
    """A product as `numpy.einsum` writes it, for any number of operands, multiplied in turn.

    Without `->` the output has the indices that occur once, sorted. An ellipsis stands for axes
    that are broadcast. Raises `ShapeError` where the spec does not fit.

    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> einsum("i,ij,j", variable("y", ("m",)), A, x).shape
    ()
    """
    factors = [as_expression(f, f"einsum: operand {k}") for k, f in enumerate(operands, 1)]
    parts, output = read_spec(checked_text("einsum", "spec", spec), [f.shape for f in factors])
    known: dict[str, Size] = {}
    pairs: list[tuple[Size, Size]] = []
    for part, f in zip(parts, factors, strict=True):
        for i, d in zip(part, f.shape, strict=True):
            pairs.append((known.setdefault(i, d), d))
    return combine(f"einsum {spec!r}", factors, pairs, lambda *a: _product(parts, output, a))


def _product(parts: list[str], output: str, operands: Sequence[Term]) -> Term:
    if len(operands) == 1:
        return terms.einsum(specs.canonical(parts, output), operands[0])
    result, labels = operands[0], parts[0]
    for place in range(1, len(operands)):
        last = place == len(operands) - 1
        needed = output if last else output + "".join(parts[place + 1 :])
        joint = dict.fromkeys(labels + parts[place])
        kept = output if last else "".join(i for i in joint if i in needed)
        spec = specs.canonical((labels, parts[place]), kept)
        result, labels = terms.einsum(spec, result, operands[place]), kept
    return result


OF_STACKS: Final = {
    "inv": "inverses",
    "det": "determinants",
    "logabsdet": "logabsdets",
    "signdet": "signdets",
}
"""Functions of a matrix, and those of each matrix of a stack."""


def of_each(name: str, f: Expression) -> Expression:
    """A function of each matrix of a stack, by the name of its record; other functions call it.

    >>> of_each("eigenvalues", variable("A", ("k", "n", "n"))).shape
    ('k', 'n')
    """
    operand = as_expression(f, f"the argument of {name}")
    square = STACK_FUNCTIONS[name].square and operand.ndim > 1
    pairs = [(operand.shape[-2], operand.shape[-1])] if square else []
    return combine(name, [operand], pairs, lambda a: terms.numeric(name, a))


def _function(name: str) -> Callable[[Expression], Expression]:
    def function(f: Expression) -> Expression:
        operand = as_expression(f, f"the argument of {name}")
        square = name in MATRIX_FUNCTIONS and operand.ndim == 2
        pairs = [cast(tuple[Size, Size], operand.shape)] if square else []
        return combine(name, [operand], pairs, lambda a: terms.apply(name, a))

    function.__name__ = function.__qualname__ = name
    if name in FUNCTIONS:
        function.__doc__ = _documented(FUNCTIONS[name].sentence, f'{name}(variable("x", ("n",)))')
    else:
        sentence = f"{MATRIX_FUNCTIONS[name].sentence} Raises `ShapeError` for other tensors."
        shape = () if MATRIX_FUNCTIONS[name].is_scalar else ("n", "n")
        function.__doc__ = _documented(sentence, f'{name}(variable("A", ("n", "n")))', shape)
    return function


def _documented(sentence: str, call: str, shape: Dims = ("n",)) -> str:
    return f"{sentence}\n\n    >>> {call}.shape\n    {shape}\n    "


def _function_of_several(name: str) -> Callable[..., Expression]:
    def function(*operands: Expression) -> Expression:
        return applied(name, *operands)

    function.__name__ = function.__qualname__ = name
    sentence = f"{FUNCTIONS[name].sentence} Operands are broadcast, else it is a `ShapeError`."
    numbers = ", ".join(["2"] * (FUNCTIONS[name].arity - 1))
    function.__doc__ = _documented(sentence, f'{name}(variable("x", ("n",)), {numbers})')
    return function


OfTwo = Callable[[Expression, Expression], Expression]

sin = _function("sin")
cos = _function("cos")
tan = _function("tan")
arcsin = _function("arcsin")
arccos = _function("arccos")
arctan = _function("arctan")
tanh = _function("tanh")
exp = _function("exp")
log = _function("log")
sign = _function("sign")
relu = _function("relu")
floor = _function("floor")
ceil = _function("ceil")
trunc = _function("trunc")
round = _function("round")
maximum: OfTwo = _function_of_several("maximum")
minimum: OfTwo = _function_of_several("minimum")
mod: OfTwo = _function_of_several("mod")
abs = _function("abs")
inv = _function("inv")
det = _function("det")
adj = _function("adj")
logabsdet = _function("logabsdet")
signdet = _function("signdet")
# What has a record has a function, also where no type checker has to know its name.
for _name in CALLED:
    globals().setdefault(_name, (_function if _name in UNARY else _function_of_several)(_name))


# Sums of exponentials along axes, as SciPy has them; compiled code does not overflow -----

Axis = int | Sequence[int] | None


def logsumexp(
    f: Expression, axis: Axis = None, keepdims: bool = False, b: Any = None
) -> Expression:
    """The logarithm of the sum of exponentials along some axes, or of all entries.

    `b` are factors of the exponentials, as in SciPy, from 0 up. Raises `ShapeError` for an axis
    that is not there.

    >>> logsumexp(variable("A", ("m", "n")), axis=1).shape
    ('m',)
    """
    # Added to the exponents, factors cannot make anything overflow.
    exponents = as_expression(f) if b is None else as_expression(f) + log(as_expression(b))
    return log(_total("logsumexp", exponents, axis, keepdims))


def softmax(f: Expression, axis: Axis = None) -> Expression:
    """The exponentials, divided by their sum along some axes, or by that of all entries.

    >>> softmax(variable("A", ("m", "n")), axis=1).shape
    ('m', 'n')
    """
    operand = as_expression(f)
    return exp(operand) / _total("softmax", operand, axis, True)


def log_softmax(f: Expression, axis: Axis = None) -> Expression:
    """The logarithm of `softmax`.

    >>> float(log_softmax(variable("x", (1,))).evaluate({"x": [2]})[0])
    0.0
    """
    operand = as_expression(f)
    return operand - log(_total("log_softmax", operand, axis, True))


def softplus(f: Expression) -> Expression:
    """`log(1 + exp(f))` of every entry, a smooth ramp.

    >>> from eggrad.frontend.interface.compile import compile
    >>> float(compile(softplus(variable("x")))(x=1000))
    1000.0
    """
    return log(1 + exp(as_expression(f)))


def _total(what: str, f: Expression, axis: Axis, keepdims: bool) -> Expression:
    gone = wanted_axes(what, axis, f.ndim)
    return np.sum(exp(f), axis=gone, keepdims=checked_flag(what, "keepdims", keepdims))
