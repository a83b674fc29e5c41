"""Derivatives of Python functions of arrays, found by calling them with expressions."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from operator import index
from typing import Any

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.frontend.expression.expression import Expression, as_expression, tracing
from eggrad.frontend.expression.functions import variable

__all__ = ["Argnums", "Function", "transformed"]

Function = Callable[..., Any]
Argnums = int | Sequence[int]


def transformed(
    f: Function, argnums: Argnums, derivative: Callable[..., Expression], *, alone: bool
) -> Function:
    """A function that computes derivatives, with the value before them unless they are `alone`.

    `derivative` makes an expression of the value and of the variable of an argument.
    """
    if not callable(f):
        hint = "; eggrad.gradient differentiates expressions" if isinstance(f, Expression) else ""
        what = type(f).__name__
        raise UnsupportedOperation(f"a function of arrays is expected, not a {what}{hint}")
    single = hasattr(argnums, "__index__")
    given: Any = [argnums] if single else argnums
    try:
        places = tuple(map(index, given))
    except TypeError:
        raise UnsupportedOperation(
            f"argnums is the place of an argument or several, not {argnums!r}"
        ) from None
    compiled: dict[object, Function] = {}

    @wraps(f)
    def computed(*args: Any, **options: Any) -> Any:
        if options:
            raise UnsupportedOperation(
                f"give {next(iter(options))!r} by its place, not by its name"
            )
        arrays = [np.asarray(a) for a in args]
        shapes = tuple(a.shape for a in arrays)
        if shapes not in compiled:
            compiled[shapes] = _compiled(f, shapes, places, derivative, alone)
        found = compiled[shapes](arrays)
        slopes = found[-1] if single else tuple(found if alone else found[1:])
        return slopes if alone else (found[0], slopes)

    return computed


def _compiled(
    f: Function,
    shapes: Sequence[tuple[int, ...]],
    places: Sequence[int],
    derivative: Callable[..., Expression],
    alone: bool,
) -> Function:
    """The derivatives of a function, after its value, for arguments of some shapes."""
    names = _names(f, len(shapes))
    variables = [variable(name, shape) for name, shape in zip(names, shapes, strict=True)]
    for place in places:
        if not -len(variables) <= place < len(variables):
            raise ShapeError(f"argnums has {place}, the function was given {len(variables)}")
    with tracing(set(names)) as outside:
        value = as_expression(f(*variables))
        found = [derivative(value, variables[place]) for place in places]
    # The compiler is loaded by whoever computes something.
    from eggrad.frontend.interface.compile import compile

    function = compile(found if alone else [value, *found])

    def call(arrays: Sequence[Any]) -> list[Any]:
        return function(**dict(zip(names, arrays, strict=True)), **outside.values)

    return call


def _names(f: Function, count: int) -> list[str]:
    """The names of the arguments, as far as the function says them."""
    try:
        known = [p.name for p in signature(f).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        known = []
    return [*known, *(f"argument{k}" for k in range(len(known) + 1, count + 1))][:count]
