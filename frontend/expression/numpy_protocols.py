"""Calls of NumPy's functions with expressions, by the protocols of NEP 13 and NEP 18.

As NEP 18 recommends, a table says what each function does. The modules on NumPy's functions fill it
while `eggrad.frontend.expression` is imported; nothing changes it later.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

_FUNCTIONS: Final[dict[object, Callable[..., Any]]] = {}
_UFUNCS: Final[dict[str, Callable[..., Any]]] = {}
_REDUCED: Final = {"add": np.sum, "maximum": np.max, "minimum": np.min}
# Values of options that change nothing.
_DEFAULTS: Final = {"casting": "same_kind", "order": "K", "subok": True, "where": True}


def implements(
    functions: Mapping[object, Callable[..., Any]] | None = None,
    ufuncs: Mapping[str, Callable[..., Any]] | None = None,
) -> None:
    """Say what functions of NumPy, and ufuncs by their names, do to expressions.

    Modules call it at their end, and `eggrad.frontend.expression` imports them all.
    """
    _FUNCTIONS.update(functions or {})
    _UFUNCS.update(ufuncs or {})


def call_ufunc(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What a ufunc makes of expressions and numbers.

    >>> from eggrad.frontend.expression.functions import variable
    >>> np.logaddexp(variable("x", ("n",)), 0).shape
    ('n',)
    """
    name = ufunc.__name__
    if method == "reduce" and name in _REDUCED:
        return call_function(_REDUCED[name], inputs, {"axis": 0, **options})
    if method != "__call__":
        raise _unsupported(f"{name}.{method}", [], "broadcasting such as x[:, None] + y, or sum")
    if name not in _UFUNCS:
        raise _unsupported(name, _UFUNCS)
    return _called(name, _UFUNCS[name], inputs, options)


def call_function(
    function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What another function of NumPy makes of expressions.

    >>> from eggrad.frontend.expression.functions import variable
    >>> np.trace(variable("A", ("n", "n"))).shape
    ()
    """
    name = _name(function)
    if function not in _FUNCTIONS:
        raise _unsupported(name, [*map(_name, _FUNCTIONS), *_UFUNCS])
    return _called(name, _FUNCTIONS[function], args, options)


def _called(
    name: str, function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    given = {k: v for k, v in options.items() if not _is_default(k, v)}
    try:
        bound = signature(function).bind(*args, **given)
    except TypeError as error:
        unknown = [k for k in given if k not in signature(function).parameters]
        what = f"the option {unknown[0]!r}" if unknown else f"these arguments ({error})"
        raise UnsupportedOperation(f"numpy.{name} of expressions does not take {what}") from error
    return function(*bound.args, **bound.kwargs)


def _is_default(option: str, value: object) -> bool:
    """Whether an option says what holds anyway."""
    if value is None:
        # Some functions have another axis unless all are asked for.
        return option != "axis"
    if value is getattr(np, "_NoValue", None):
        return True
    if isinstance(value, tuple) and value:
        return all(v is None for v in cast(tuple[object, ...], value))
    return isinstance(value, bool | str) and value == _DEFAULTS.get(option)


def _name(function: Any) -> str:
    module = function.__module__.removeprefix("numpy").strip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def _unsupported(name: str, known: Iterable[str], instead: str = "") -> UnsupportedOperation:
    if name.startswith("fft."):
        raise UnsupportedOperation(
            f"numpy.{name} has complex numbers, and expressions are of real ones; write sums with "
            "cosines and sines, such as numpy.cos(angles) @ x for an array of angles"
        )
    near = get_close_matches(name, list(known), n=1, cutoff=0.4)
    instead = instead or (f"numpy.{near[0]}" if near else "numpy.einsum")
    return UnsupportedOperation(
        f"numpy.{name} of expressions is not supported; the nearest that is: {instead}"
    )
