"""What more digits change: a value that is a matter of rounding, and no difference counts there."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import function_of
from eggrad.engine.terms.term import Term

# What both precisions say of a value agrees to this part of it, or the value means nothing.
STEADY: Final = 1e-9


def is_blurred(node: Term, less: Mapping[Term, Array], more: Mapping[Term, Array]) -> bool:
    """Whether more digits change a value, or on which side of a jump an operand is.

    `less` and `more` have the values of a node and its operands: in numbers of some digits, or
    floats for the less.
    """
    if _moves(less[node], more[node], 1.0):
        return True
    first, second = (_edge(node, [found[a] for a in node.args]) for found in (less, more))
    return first is not None and second is not None and _moves(first, second, 0.0)


def _moves(less: Array, more: Array, floor: float) -> bool:
    first, second = map(_defined, (less, more))
    changed = abs(more - less) > STEADY * np.maximum(abs(more), floor)
    return bool(np.any(np.where(first & second, changed, first != second)))


def _defined(values: Array) -> Array:
    # Arithmetic on arrays without axes returns their entry.
    array = np.asarray(values)
    if array.dtype != object:
        return np.isfinite(array)
    return np.array([x.is_finite for x in array.flat], bool).reshape(array.shape)


def _edge(node: Term, args: Sequence[Array]) -> Array | None:
    """What is 0 where a function jumps; None for one that does not."""
    function = function_of(node.op, node.data)
    if node.op in ("sign", "where"):
        return args[0]
    if node.op in ("signdet", "signdets"):
        return oracle.OPERATIONS["determinants"](args[0])
    if function is None or not function.stepwise:
        return None
    if function.is_test:
        return args[0] - args[1] if len(args) > 1 else args[0]
    shifted = args[0] + 0.5 if node.op == "round" else args[0]
    return shifted - np.rint(shifted)
