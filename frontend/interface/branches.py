"""Branches on values: where nobody knows a value yet, both sides are traced and entries chosen."""

from collections.abc import Callable
from typing import Any

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.frontend.expression.expression import Condition, Expression, as_expression, where
from eggrad.frontend.expression.numpy_functions import check_alike
from eggrad.frontend.interface.loops import scan
from eggrad.frontend.interface.traced import checked_function, located
from eggrad.frontend.interface.trees import flatten, unflatten
from eggrad.frontend.text.doors import checked_count
from eggrad.frontend.text.words import format_axes

Branch = Callable[..., Any]


def cond(test: Any, then: Branch, otherwise: Branch, *operands: Any) -> Any:
    """`then(*operands)` where a test holds, `otherwise(*operands)` where it does not.

    The test is a number or a condition without axes. Where its value is not known, as in a function
    that is differentiated, both are computed, and a derivative has no part of what is not chosen;
    what they return is nested alike, with the same axes, or `ShapeError`. Else one is called.

    >>> from eggrad.frontend.interface.transforms import grad
    >>> f = lambda x: cond(x > 0, np.sqrt, lambda x: x**2, x)
    >>> f(4.0), grad(f)(4.0), grad(f)(-3.0)
    (np.float64(2.0), np.float64(0.25), np.float64(-6.0))
    """
    checked_function(then)
    checked_function(otherwise)
    known = not isinstance(test, Expression | Condition)
    dims = np.shape(test) if known else as_expression(test).shape
    if dims:
        raise ShapeError(
            f"cond: the test has axes {format_axes(dims)}, and a branch follows one value; "
            "numpy.where chooses entry by entry"
        )
    if known:
        return (then if test else otherwise)(*operands)
    with located(then):
        leaves, structure = flatten(then(*operands))
    with located(otherwise):
        others, nested = flatten(otherwise(*operands), structure)
    if nested != structure:
        raise ShapeError("cond: what the two functions return is not nested alike")
    return unflatten(structure, (_chosen(test, a, b) for a, b in zip(leaves, others, strict=True)))


def _chosen(test: Any, one: Any, other: Any) -> Any:
    if one is None and other is None:
        return None
    a, b = (as_expression(leaf, "what a function of cond returns") for leaf in (one, other))
    check_alike("cond: what the two functions return", [a, b])
    return where(test, a, b)


def while_loop(test: Branch, step: Branch, start: Any, max_steps: int) -> Any:
    """`step` of `start`, of the result and so on, while `test` of it holds, and not more often.

    As many steps are computed as there may be, so that a derivative knows them all: the loop is a
    `scan` whose carry stays as it is once the test fails. Of numbers no step is computed then.

    >>> from eggrad.frontend.interface.transforms import grad
    >>> halved = lambda x: while_loop(lambda x: x > 1, lambda x: x / 2, x, 20)
    >>> halved(12.0), grad(halved)(12.0)
    (0.75, np.float64(0.0625))
    """
    checked_function(test)

    def next_step(carry: Any, _: None) -> tuple[Any, None]:
        return cond(test(carry), step, lambda carry: carry, carry), None

    steps = checked_count("while_loop", "max_steps", max_steps)
    return scan(next_step, start, length=steps)[0]
