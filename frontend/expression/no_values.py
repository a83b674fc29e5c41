"""What to write instead where Python, NumPy or SciPy asks an expression for its value.

By meaning: the function of NumPy or SciPy that asked is looked for among the callers, and else what
Python was doing when it asked, which its instruction says.
"""

import sys
from dis import get_instructions
from types import FrameType
from typing import Final

from eggrad.frontend.expression.numpy_refusals import instead_of

_ASSIGNED: Final = (
    "an expression is not assigned to entries of an array: collect the entries in a list and write "
    "numpy.stack(entries), or numpy.concatenate of parts"
)
_INDEX: Final = (
    "an array or a list is not indexed by an expression: write numpy.asarray(array, like=x)[index] "
    "for an index as numpy.argmax(x) has it, and numpy.where(mask, array, 0) for a mask"
)
_FORMATTED: Final = (
    "an expression has no digits to write: leave the format out, f'{x}' writes the formula; to see "
    "values in a function given to eggrad.grad, return them as well, with has_aux=True"
)


def no_array() -> str:
    """Why an expression is not made an array, of which there is a function that asked for one."""
    return _called("for it makes arrays of what it is given") or {
        "assigned": _ASSIGNED,
        "indexed": _INDEX,
    }.get(
        _doing(),
        "an expression cannot become an array: numpy.array(entries, like=x) and numpy.stack join "
        "expressions in a list, numpy.asarray(x, like=x) leaves one as it is; random numbers are "
        "drawn without expressions, as in x + s * numpy.random.normal(size=3); evaluate() computes "
        "an array from values",
    )


def no_number() -> str:
    """Why an expression is not made a number."""
    return _called("for it computes with numbers") or {
        "assigned": _ASSIGNED,
        "formatted": _FORMATTED,
    }.get(
        _doing(),
        "an expression has no value that a number could be made of: write numpy.sqrt, exp, ... "
        "instead of math.sqrt, exp, ..., leave float() and int() out, and join expressions by "
        "numpy.stack",
    )


def no_integer() -> str:
    """Why an expression is not made an integer."""
    if _doing() == "indexed":
        return _INDEX
    return (
        "an expression is no number, as a length, an index or the end of a range is: write an "
        "integer, such as x.shape[0]; where sizes are symbols, einsum and sums instead of loops, "
        'slices such as x[:-1], eggrad.constant(0, ("n - 1",)) instead of numpy.zeros(n - 1)'
    )


def no_truth(what: str) -> str:
    """Why what has no value is neither true nor false."""
    called = _called("for it decides by values")
    if called:
        return called
    neither = f"{what} is neither true nor false"
    if _doing() == "called":
        return (
            f"{neither}: instead of Python's max, min and sorted write numpy.maximum(a, b), "
            "numpy.minimum(a, b), numpy.max(x), numpy.min(x) and numpy.sort(x); numpy.where("
            "condition, a, b) is there for other choices"
        )
    return (
        f"{neither}: write numpy.where(condition, a, b) instead of a branch, & | ~ instead of "
        "and, or, not, and (a < x) & (x < b) instead of a < x < b; a loop has a number of steps "
        "that is known"
    )


def no_format() -> str:
    """Why an expression has no digits."""
    return _FORMATTED


def _doing() -> str:
    """What the caller of the method that asks was doing."""
    frame = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]
    done = [i for i in get_instructions(frame.f_code) if i.offset <= frame.f_lasti]
    if not done:
        return ""
    name, written = done[-1].opname, done[-1].argrepr
    if name == "STORE_SUBSCR":
        return "assigned"
    if name == "BINARY_SUBSCR" or written == "[]":
        return "indexed"
    if written in ("%", "%="):
        return "formatted"
    return "called" if name.startswith("CALL") else ""


def _called(reason: str) -> str:
    """That the function of NumPy or SciPy that a user has called takes no expressions."""
    called = _calling_function()
    if called is None:
        return ""
    module, name = called
    return f"{module}.{name} takes no expressions, {reason}: {instead_of(module, name)}"


def _calling_function() -> tuple[str, str] | None:
    """The module and the name of the function of NumPy or SciPy that a user has called."""
    frame: FrameType | None = sys._getframe(4)  # pyright: ignore[reportPrivateUsage]
    found: tuple[str, str] | None = None
    while frame is not None:
        module, name = _named(frame)
        library, *parts = module.split(".")
        if library not in _LIBRARIES and (found or library not in _BETWEEN):
            break
        if library in _LIBRARIES and "array_api_compat" not in parts and name[:1] not in ("", "_"):
            public = [p for p in parts if not p.startswith("_")][:1]
            top = callable(getattr(sys.modules.get(library), name, None))
            found = library if top else ".".join([library, *public]), name
        frame = frame.f_back
    return found


_LIBRARIES: Final = ("numpy", "scipy")
_BETWEEN: Final = ("eggrad", "functools", "contextlib")


def _named(frame: FrameType) -> tuple[str, str]:
    """The module and the name of what is called: a function, a class, what a decorator is on."""
    module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
    owner = frame.f_locals.get("self")
    if name in ("__call__", "__init__") and owner is not None:
        return module, type(owner).__name__
    if "wrap" in name:
        wrapped = frame.f_locals.get("f") or frame.f_locals.get("func")
        return getattr(wrapped, "__module__", module), getattr(wrapped, "__name__", "")
    return module, "" if name.startswith("<") else name
