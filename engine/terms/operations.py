"""All operations that have a record, by their names, and those that are found in some terms alone.

Here are those along axes, of order, of whole arrays, and what only lowered terms have: forms that
lose no digits or take less time in generated code.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, Final, cast

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Spec, output_dims
from eggrad.engine.terms.functions import FUNCTIONS, LOWERED
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operation import Operation


@dataclass(frozen=True)
class Extreme(Operation):
    """The greatest or the least entry along some axes.

    `of_two` is the function of two tensors, entry by entry, that gives the same of each pair.
    """

    _: KW_ONLY
    of_two: str


def _reduced(_: Operation, spec: object, a: Dims) -> Dims:
    return output_dims(cast(Spec, spec), a)


def _of_square_matrix(operation: Operation, _: object, a: Dims, *others: Dims) -> Dims:
    if len(a) != 2 or a[0] != a[1]:
        raise ShapeError(f"{operation.name} needs a square matrix, its argument has axes {a}")
    return others[-1] if others else a


def _cofactors(operation: Operation, order: object, a: Dims) -> Dims:
    return _of_square_matrix(operation, order, a) * cast(int, order)


def _logdet(operation: Operation, known: object, a: Dims) -> Dims:
    _of_square_matrix(operation, known, a)
    return ()


def _symmetric_product(operation: Operation, order: object, a: Dims, weights: Dims) -> Dims:
    if len(a) != 2 or weights[:1] != a[:1]:
        raise ShapeError(f"{operation.name}: a matrix {a} cannot have weights {weights}")
    return weights[1:] + a[1:] * cast(int, order)


def _product_of_pairs(operation: Operation, _: object, a: Dims, weights: Dims) -> Dims:
    if len(a) != 2 or weights[-1:] != a[:1]:
        raise ShapeError(f"{operation.name}: a matrix {a} cannot have weights {weights}")
    return weights[:-1] + a[1:] * 2


def places_dims(chosen: Dims, *indices: Dims) -> Dims:
    """The axes of the places that a selection looks at.

    Where it chooses from several axes, it has an operand for each, or the last axis of its only
    operand has the index along each.

    >>> places_dims(("n",), ("k",)), places_dims(("m", "n"), ("k", 2))
    (('k',), ('k',))
    >>> places_dims(("m", "n"), ("k",), ("k",))
    ('k',)
    """
    return indices[0][:-1] if len(indices) < len(chosen) else indices[0]


def _selection(operation: Operation, data: object, *args: Dims) -> Dims:
    chosen, name = cast(Dims, data), operation.name
    if len(args) not in (1, len(chosen)):
        raise ShapeError(f"{name}: {len(args)} operands for {len(chosen)} axes")
    if len({*args}) > 1:
        raise ShapeError(f"{name}: places along axes have different axes, {args}")
    if len(args) < len(chosen) and args[0][-1:] != (len(chosen),):
        raise ShapeError(f"{name}: {len(chosen)} axes need as many places, not {args[0][-1:]}")
    return (*places_dims(chosen, *args), *chosen)


def _argsort(operation: Operation, axis: object, a: Dims) -> Dims:
    if not 0 <= cast(int, axis) < len(a):
        raise ShapeError(f"{operation.name}: there is no axis {axis}, the argument has axes {a}")
    return a


def _scan(_: Operation, data: object, *args: Dims) -> Dims:
    # What the e-graph has of a loop says them last.
    return cast("tuple[Any, ...]", data)[-1]


# fmt: off
_ALONG_AXES: Final = (
    Extreme("max", "The greatest entry along some axes.", shape=_reduced,
        code="np.max({x}, {k})", rates=("sum",), price=1, of_two="maximum"),
    Extreme("min", "The least entry along some axes.", shape=_reduced,
        code="np.min({x}, {k})", rates=("sum",), price=1, of_two="minimum"),
)
_OF_ARRAYS: Final = (
    Operation("selection", "1 where the last indices are the places that integers say; its data "
        "are the sizes of the axes that it chooses from.", shape=_selection),
    Operation("argsort", "The places of entries in their order along the axis that is its data.",
        shape=_argsort, code='np.argsort({x}, {k}, kind="stable")', price=30),
    Operation("scan", "A result of a loop; its data are the loop, and which it is.", shape=_scan),
)
# The data of `logsumexp`, `norm`, `norm1` and `mean` are unary specs as those of extremes, those of
# a softmax the spec of the sum by which it divides; those of `logdet` what is known of the matrix.
_FOR_DIGITS: Final = (
    Operation("logsumexp", "The logarithm of the sum of exponentials along some axes.",
        shape=_reduced, code="log_sum_exp({x}, {k})", price=14, found_in="code"),
    Operation("softmax", "Exponentials divided by their sum along some axes.",
        code="softmax({x}, {k})", price=16, found_in="code"),
    Operation("log_softmax", "The logarithm of a softmax.",
        code="log_softmax({x}, {k})", price=16, found_in="code"),
    Operation("norm", "The root of the sum of squares along some axes.",
        shape=_reduced, code="norm({x}, {k})", price=3, found_in="code"),
    Operation("logdet", "The logarithm of a positive determinant.",
        shape=_logdet, code="log_determinant({x}, {k})", found_in="code"),
    Operation("logdet_from_cholesky", "A determinant's logarithm, from the Cholesky factor.",
        shape=_logdet, code="log_determinant_from_cholesky({x})", found_in="code"),
)
_FOR_TIME: Final = (
    Operation("solve", "The product of a square matrix's inverse with an array.",
        shape=_of_square_matrix, code="solve({x}, {y})", found_in="code"),
    Operation("symmetric_product", "A product of rows with themselves, as often as its data say, "
        "and weights.", shape=_symmetric_product, code="symmetric_product({k}, {x}, {y})",
        found_in="code"),
    Operation("product_of_pairs", "Products of pairs of rows' entries with weights of the rows.",
        shape=_product_of_pairs, code="product_of_pairs({x}, {y})", found_in="code"),
    Operation("inverse_from_cholesky", "The inverse of a matrix, from its Cholesky factor.",
        shape=_of_square_matrix, code="inverse_from_cholesky({x})", found_in="code"),
)
_OTHERS: Final = (
    Operation("cofactors", "The derivative of `det` at a square matrix, of the order of its data.",
        shape=_cofactors, code="cofactors({k}, {x})"),
    Operation("matrix_power", "A power of a matrix, with the exponent that is its data.",
        shape=_of_square_matrix, found_in="formulas"),
    Operation("step", "1 where the entry is positive, 0 elsewhere.", found_in="formulas"),
    Operation("mean", "The mean along some axes.", shape=_reduced, found_in="formulas"),
    Operation("norm1", "The sum of absolute values along some axes.", shape=_reduced,
        found_in="formulas"),
)
# fmt: on

EXTREMES: Final[Mapping[str, Extreme]] = MappingProxyType({f.name: f for f in _ALONG_AXES})
"""The reductions of expressions that are no sums, by their names."""

OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType(
    {
        **FUNCTIONS,
        **MATRIX_FUNCTIONS,
        **STACK_FUNCTIONS,
        **{o.name: o for o in (*_ALONG_AXES, *_OF_ARRAYS, *_FOR_DIGITS, *_FOR_TIME, *_OTHERS)},
    }
)
"""The record of every operation beside arithmetic and products, by its name."""

# What loses no digits.
FOR_DIGITS: Final = (*LOWERED, *(o.name for o in _FOR_DIGITS))
# What takes less time.
FOR_TIME: Final = tuple(o.name for o in _FOR_TIME)
# What no expression has, only code.
OF_CODE: Final = tuple(o.name for o in OPERATIONS.values() if o.found_in == "code")
# Those that expressions have, and that are one kind of e-node with all that code has.
PUBLIC: Final = (*EXTREMES, *STACK_FUNCTIONS)
NUMERIC: Final = (*PUBLIC, *(o.name for o in _OF_ARRAYS), *OF_CODE)
# What only formulas have, for people to read.
FOR_READING: Final = tuple(o.name for o in OPERATIONS.values() if o.found_in == "formulas")
# Ways to compute that are chosen when code is written.
FOR_CODE: Final = ("stepped_product",)


def result_dims(name: str, data: object, *args: Dims) -> Dims:
    """The axes of an operation's result, as the e-graph asks for them.

    >>> result_dims("symmetric_product", 2, ("m", "n"), ("m", "k"))
    ('k', 'n', 'n')
    """
    return OPERATIONS[name].dims(data, *args)
