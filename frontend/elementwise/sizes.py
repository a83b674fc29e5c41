"""Values of the arguments of an element-wise definition, and the sizes that their shapes fix."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eggrad.engine.errors import ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.terms.binding import Array, checked_size, numeric
from eggrad.frontend.elementwise.printer import format_form

__all__ = ["arrays_of", "numbers_of"]

Shapes = Mapping[str, Sequence[Affine]]


def arrays_of(shapes: Shapes, values: Mapping[str, Any], needed: Iterable[str]) -> dict[str, Array]:
    """The values of arguments as arrays; those that are not needed may be missing.

    >>> arrays_of({"x": (Affine.of("n"),)}, {"x": [1, 2]}, ["x"])
    {'x': array([1., 2.])}
    """
    for name in sorted(needed):
        if name not in values:
            raise UnknownVariable(f"there is no value for {name}")
    arrays: dict[str, Array] = {}
    for name, shape in shapes.items():
        if name in values:
            array = _real(name, values[name])
            if array.ndim != len(shape):
                raise ShapeError(f"{name}: {_shown(shape)} wanted, the value has {array.shape}")
            arrays[name] = array
    return arrays


def numbers_of(
    symbols: Iterable[str], shapes: Shapes, arrays: Mapping[str, Array], values: Mapping[str, Any]
) -> dict[str, int]:
    """The number that each size is, from the shapes of arrays or from values of that name.

    >>> import numpy as np
    >>> n = Affine.of("n")
    >>> numbers_of({"n"}, {"x": (2 * n - 1,)}, {"x": np.zeros(5)}, {})
    {'n': 3}
    """
    wanted = sorted(symbols)
    found = {n: checked_size(n, values[n]) for n in wanted if n in values and n not in arrays}
    waiting = [
        (name, form, length)
        for name, array in arrays.items()
        for form, length in zip(shapes[name], array.shape, strict=True)
    ]
    while waiting:
        # Every round takes an axis whose size has at most one symbol that is not known yet.
        now = [(name, form, form.substitute(found), length) for name, form, length in waiting]
        at = next((i for i, (_, _, form, _) in enumerate(now) if len(form.names) < 2), None)
        if at is None:
            break
        waiting.pop(at)
        name, given, form, length = now[at]
        rest = length - form.constant
        if form.is_constant and rest:
            raise ShapeError(
                f"{name}: {_shown(shapes[name])} wanted, the value has {arrays[name].shape}"
            )
        for symbol, c in form.items():
            number = rest / c
            if number != int(number) or number < 0:
                raise ShapeError(f"{name}: {format_form(given)} = {length} has no solution")
            found[symbol] = int(number)
    for symbol in wanted:
        if symbol not in found:
            raise UnknownVariable(f"no shape says what {symbol} is; give it among the values")
    return found


def _real(name: str, value: object) -> Array:
    array = numeric(name, value)
    if array.dtype.kind == "c":
        raise UnsupportedOperation(
            f"the value of {name} is not an array of real numbers: its dtype is {array.dtype}"
        )
    return array.astype(float, copy=False)


def _shown(shape: Sequence[Affine]) -> str:
    return f"shape ({', '.join(map(format_form, shape))}{',' * (len(shape) == 1)})"
