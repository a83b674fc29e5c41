"""Sums of exponentials along axes, as SciPy has them; compiled code does not overflow."""

from collections.abc import Sequence

import numpy as np

from eggrad.frontend.expression.expression import Expression, as_expression
from eggrad.frontend.expression.functions import exp, log

__all__ = ["log_softmax", "logsumexp", "softmax", "softplus"]

Axis = int | Sequence[int] | None


def logsumexp(f: Expression, axis: Axis = None, keepdims: bool = False) -> Expression:
    """The logarithm of the sum of exponentials along some axes, or of all entries.

    Raises `ShapeError` for an axis that is not there.

    >>> from eggrad.frontend.expression.functions import variable
    >>> logsumexp(variable("A", ("m", "n")), axis=1).shape
    ('m',)
    """
    return log(_total(as_expression(f), axis, keepdims))


def softmax(f: Expression, axis: Axis = None) -> Expression:
    """The exponentials, divided by their sum along some axes, or by that of all entries.

    >>> from eggrad.frontend.expression.functions import variable
    >>> softmax(variable("A", ("m", "n")), axis=1).shape
    ('m', 'n')
    """
    own = as_expression(f)
    return exp(own) / _total(own, axis, True)


def log_softmax(f: Expression, axis: Axis = None) -> Expression:
    """The logarithm of `softmax`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> float(log_softmax(variable("x", (1,))).evaluate({"x": [2]})[0])
    0.0
    """
    own = as_expression(f)
    return own - logsumexp(own, axis, True)


def softplus(f: Expression) -> Expression:
    """`log(1 + exp(f))` of every entry, a smooth ramp.

    >>> from eggrad.frontend.calculus.compilation import compile
    >>> from eggrad.frontend.expression.functions import variable
    >>> float(compile(softplus(variable("x")))(x=1000))
    1000.0
    """
    return log(1 + exp(as_expression(f)))


def _total(f: Expression, axis: Axis, keepdims: bool) -> Expression:
    along = tuple(axis) if isinstance(axis, Sequence) else axis
    return np.sum(exp(f), axis=along, keepdims=keepdims)
