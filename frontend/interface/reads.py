"""What a Python function reads beside its arguments, so that a change of it is noticed.

Of a function these are the variables that it closes over, the globals that it names, its defaults
and its attributes, and of the functions among them the same. Where they are numbers, texts, arrays
and containers of such, they are compared with what they were; where there is anything else, such as
an object with state, nobody can say whether it changed.
"""

from collections.abc import Iterator, Mapping
from dis import get_instructions
from functools import lru_cache, partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression.expression import Expression

# The attribute of functions that are made of a function, which they read and nothing else.
TRANSFORMED: Final = "_transformed_by_eggrad"
_PLAIN: Final = (int, float, complex, str, bytes, type(None), type(...), slice, range, np.dtype)
# Their functions read nothing that changes.
_CONSTANT: Final = frozenset(
    {"builtins", "cmath", "eggrad", "functools", "itertools", "math", "numpy", "operator", "scipy"}
)
_ELSEWHERE: Final = frozenset(
    {
        *("environ", "eval", "exec", "globals", "input", "random", "rvs", "time", "vars"),
        *("fromfile", "genfromtxt", "load", "loadmat", "loadtxt", "memmap", "open"),
    }
)
_MOST_PARTS: Final = 1000
# By name: a part for every value that it holds.
Reads = Mapping[str, list[object]]


class _UnknownError(Exception):
    """Something whose changes cannot be noticed."""


def reads(function: object) -> Reads | None:
    """What a function reads, by name; None where it may read what cannot be compared.

    >>> scale, data = 2.0, np.arange(2.0)
    >>> def f(x):
    ...     return scale * (x @ data)
    >>> g = FunctionType(f.__code__, {"scale": scale, "data": data})
    >>> reads(g)[".scale"], reads(g)[".data"]
    ([<class 'float'>, 2.0], [array([0., 1.])])
    """
    found: dict[str, list[object]] = {}
    try:
        _read("", function, found, set())
    except _UnknownError:
        return None
    return found


def kept(values: Reads) -> Reads:
    """The same, the arrays copied."""
    return {
        name: [p.copy() if isinstance(p, np.ndarray) else p for p in parts]
        for name, parts in values.items()
    }


def changed(before: Reads, now: Reads) -> set[str]:
    """The names of what is not as it was."""
    both = before.keys() & now.keys()
    return (before.keys() ^ now.keys()) | {n for n in both if not _same(before[n], now[n])}


def _same(a: list[object], b: list[object]) -> bool:
    return len(a) == len(b) and all(map(_is_same, a, b))


def _is_same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and _same_arrays(a, b)
    # Text tells 0 from -0.
    return a is b or (
        type(a) is type(b) and isinstance(a, (*_PLAIN, np.generic)) and repr(a) == repr(b)
    )


def _same_arrays(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> frozenset[str] | None:
    """The names that some code may look up, with those of the functions in it.

    None where it reads what has no name here: what is drawn or read anew at every call, what
    other modules have.
    """
    imported = {i.argval for i in get_instructions(code) if i.opname == "IMPORT_NAME"}
    if not _ELSEWHERE.isdisjoint(code.co_names):
        return None
    if any(name.partition(".")[0] not in _CONSTANT for name in imported):
        return None
    found = frozenset(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            own = _names(inner)
            if own is None:
                return None
            found |= own
    return found


def _read(name: str, value: Any, found: dict[str, list[object]], seen: set[int]) -> None:
    """Add what a value consists of, and what it reads if it is a function, each of those once."""
    if isinstance(value, MethodType):
        _read(f"{name}.(self)", value.__self__, found, seen)
        value = value.__func__
    if isinstance(value, partial):
        _read(f"{name}.(arguments)", (value.args, value.keywords), found, seen)
        _read(f"{name}.function", value.func, found, seen)
    elif isinstance(value, FunctionType) and id(value) in seen:
        found[name] = [value]
    elif isinstance(value, FunctionType) and vars(value).get(TRANSFORMED) is value.__code__:
        seen.add(id(value))
        found[name] = [value]
        _read(f"{name}.function", vars(value)["__wrapped__"], found, seen)
    elif isinstance(value, FunctionType) and _home(value) not in _CONSTANT:
        seen.add(id(value))
        found[name] = [value.__code__]
        for own, read in _variables(value):
            _read(f"{name}.{own}", read, found, seen)
    else:
        found[name] = [*_parts(value)]


def _variables(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function has as defaults and attributes, closes over, and names among its globals."""
    code = function.__code__
    # No variable has such a name.
    yield "(defaults)", (function.__defaults__, function.__kwdefaults__)
    for own, value in vars(function).items():
        if own != TRANSFORMED:
            yield f"({own})", value
    for own, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield own, cell.cell_contents
        except ValueError:
            yield own, None
    names = _names(code)
    if names is None:
        raise _UnknownError
    for own in names:
        if own in function.__globals__:
            yield own, function.__globals__[own]


def _home(value: Any) -> str:
    """The package that a function, class or module is from, whatever it says itself."""
    if isinstance(value, FunctionType):
        name = value.__globals__.get("__name__")
    else:
        name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return str(name or "").partition(".")[0]


def _parts(value: Any, depth: int = 0) -> Iterator[object]:
    """What has to be the same for a value to be the same."""
    kind: type = type(value)
    if kind is np.ndarray and value.dtype != object:
        yield value
    elif isinstance(value, (*_PLAIN, np.generic)):
        yield from (kind, value)
    elif isinstance(value, Expression):
        yield value
    elif kind in (tuple, list, dict, set, frozenset) and depth < 9 and len(value) < _MOST_PARTS:
        yield from (kind, len(value))
        for part in value.items() if kind is dict else value:
            yield from _parts(part, depth + 1)
    elif hasattr(value, "indptr") and _home(kind) == "scipy":
        yield from (kind, *value.shape, value.data, value.indices, value.indptr)
    elif isinstance(value, BuiltinFunctionType) and not isinstance(
        value.__self__, ModuleType | None
    ):
        yield from _parts(value.__self__, depth + 1)
        yield value.__name__
    elif (isinstance(value, ModuleType | type) or callable(value)) and _is_constant(value):
        yield value
    else:
        raise _UnknownError


def _is_constant(value: Any) -> bool:
    """Whether a module, class or function is one of those that do not change."""
    if isinstance(value, ModuleType | type | FunctionType | BuiltinFunctionType):
        return _home(value) in _CONSTANT
    return isinstance(value, np.ufunc | type(np.sum)) or _home(type(value)) == "eggrad"
