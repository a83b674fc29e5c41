"""Calls of NumPy's functions with expressions, by the protocols of NEP 13 and NEP 18.

As NEP 18 recommends, a table says what each function does. The modules on NumPy's functions fill it
while `eggrad.frontend.expression` is imported; nothing changes it later.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.frontend.expression.refusals import refusal
from eggrad.frontend.text.doors import checked_flag, checked_text

_FUNCTIONS: Final[dict[object, Callable[..., Any]]] = {}
_UFUNCS: Final[dict[str, Callable[..., Any]]] = {}
_METHODS: Final[dict[str, Callable[..., Any]]] = {}
# Values of options that change nothing.
_DEFAULTS: Final = {"casting": "same_kind", "order": "K", "subok": True, "where": True}
# Options that are words.
_WORDS: Final = frozenset({"mode", "method", "kind", "side", "UPLO", "indexing", "order"})
_NO_METHOD: Final = {
    "at": "expressions never change; add numpy.where(condition, y, 0), or a product of y with an "
    "array of zeros and ones",
    "reduceat": "write numpy.stack of the reductions of slices, such as numpy.sum(x[2:5])",
}


def implements(
    functions: Mapping[object, Callable[..., Any]] | None = None,
    ufuncs: Mapping[str, Callable[..., Any]] | None = None,
    methods: Mapping[str, Callable[..., Any]] | None = None,
) -> None:
    """Say what functions of NumPy, ufuncs by their names, and methods of ufuncs do to expressions.

    What a method does takes the name of the ufunc first. Modules call this at their end, and
    `eggrad.frontend.expression` imports them all.
    """
    _FUNCTIONS.update(functions or {})
    _UFUNCS.update(ufuncs or {})
    _METHODS.update(methods or {})


def by_name(*functions: Callable[..., Any], library: Any = np) -> dict[object, Callable[..., Any]]:
    """Functions, by those of NumPy that are called so.

    >>> from eggrad.frontend.expression.numpy_functions import trace
    >>> by_name(trace) == {np.trace: trace}
    True
    """
    return {getattr(library, f.__name__): f for f in functions}


def call_ufunc(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What a ufunc makes of expressions and numbers.

    >>> from eggrad.frontend.expression.functions import variable
    >>> np.logaddexp(variable("x", ("n",)), 0).shape
    ('n',)
    """
    name = ufunc.__name__
    if name not in _UFUNCS:
        # Those of SciPy that its functions of Python call are called otherwise.
        library = "numpy" if hasattr(np, name) else "scipy.special"
        raise refusal(name.removeprefix("_riemann").lstrip("_"), library)
    if method == "__call__":
        if "where" in options and not _is_default("where", options["where"]):
            raise UnsupportedOperation(
                f"numpy.{name} with where: what is elsewhere is not said; write "
                f"numpy.where(condition, numpy.{name}(...), value)"
            )
        return _called(name, _UFUNCS[name], inputs, options)
    if method not in _METHODS:
        raise UnsupportedOperation(
            f"numpy.{name}.{method} of expressions is not supported: {_NO_METHOD.get(method)}"
        )
    return _called(f"{name}.{method}", _METHODS[method], (name, *inputs), options)


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
        raise refusal(name)
    return _called(name, _FUNCTIONS[function], args, options)


def known_call(function: object, method: str = "__call__") -> Callable[..., Any] | None:
    """A function of NumPy as expressions take it, whatever it is given; None for others.

    >>> known_call(np.sqrt)(4).to("matrix"), known_call(np.savetxt)
    ('sqrt(4)', None)
    """
    if isinstance(function, np.ufunc):
        known = function.__name__ in _UFUNCS and method in ("__call__", *_METHODS)
        return (lambda *a, **o: call_ufunc(function, method, a, o)) if known else None
    if not callable(function) or method != "__call__" or function not in _FUNCTIONS:
        return None
    return lambda *a, **o: call_function(cast("Callable[..., Any]", function), a, o)


def takes_axis(function: object) -> bool:
    """Whether a function of NumPy is along an axis, so that a scalar is not what it is for.

    >>> takes_axis(np.sum), takes_axis(np.outer)
    (True, False)
    """
    return function in _FUNCTIONS and "axis" in signature(_FUNCTIONS[function]).parameters


def check_dtype(what: str, dtype: Any, kinds: str = "f") -> str:
    """The kind of a type of values; raise for others than those of floating-point numbers.

    Those say nothing: arrays that are given decide on the precision that is computed in. Short
    integers, which overflow, are none of `kinds`.
    """
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        found = np.dtype(object)
    if found.kind not in kinds or (found.kind == "i" and found.itemsize < _LONG):
        raise UnsupportedOperation(
            f"{what} with dtype {shown(dtype)}: expressions have real numbers; numpy.trunc or "
            "numpy.round makes whole ones, a comparison such as x != 0 by numpy.not_equal truth "
            "values"
        )
    return found.kind


# Bytes of an integer that whole numbers of people fit in.
_LONG: Final = 4


def _called(
    name: str, function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    parameters = signature(function).parameters
    # None may be more than what holds anyway, as an axis that is 0 without it.
    given = {
        k: v for k, v in options.items() if not _is_default(k, v) or (v is None and k in parameters)
    }
    if "out" in given:
        raise UnsupportedOperation(
            f"numpy.{name}: an expression is not written into an array that is there; write "
            "y = y + x for y += x, and leave out= out"
        )
    if given.get("dtype") is not None and "dtype" not in parameters:
        check_dtype(f"numpy.{name}", given.pop("dtype"))
    try:
        bound = signature(function).bind(*args, **given)
    except TypeError as error:
        unknown = [k for k in given if k not in parameters]
        what = f"the option {unknown[0]!r}" if unknown else f"these arguments ({error})"
        raise UnsupportedOperation(f"numpy.{name} of expressions does not take {what}") from error
    for option, value in bound.arguments.items():
        if isinstance(parameters[option].default, bool):
            checked_flag(f"numpy.{name}", option, value)
    for option in _WORDS.intersection(bound.arguments):
        if bound.arguments[option] is not None:
            checked_text(f"numpy.{name}", option, bound.arguments[option])
    return function(*bound.args, **bound.kwargs)


def _is_default(option: str, value: object) -> bool:
    """Whether an option says what holds anyway."""
    if value is None or value is getattr(np, "_NoValue", None):
        return True
    if isinstance(value, tuple) and value:
        return all(v is None for v in cast(tuple[object, ...], value))
    return isinstance(value, bool | str) and value == _DEFAULTS.get(option)


def _name(function: Any) -> str:
    module = function.__module__.removeprefix("numpy").strip(".")
    return f"{module}.{function.__name__}" if module else function.__name__
