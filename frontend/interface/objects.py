"""Objects whose classes are plain: all that code can read of them is found by the names in it.

That is what they have in attributes and slots, and what their classes have by these names, or as
operators that the instructions of the code may call. Nobody knows that of a class with state in C,
with attributes made when asked for, with descriptors of somebody's own or a class of its own, nor
where code looks attributes up by texts or makes objects of a class that it asks another one for.
"""

from abc import ABCMeta
from collections.abc import Iterator
from dis import get_instructions
from functools import cached_property, lru_cache
from sys import modules
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Final, NamedTuple, cast

CONSTANT: Final = frozenset(
    {
        *("builtins", "cmath", "eggrad", "functools", "itertools", "math", "numpy", "operator"),
        *("scipy", "typing", "warnings"),
    }
)
"""Packages whose functions read nothing that changes."""

BY_TEXT: Final = frozenset(
    {
        *("getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller", "dir"),
        *("format", "format_map", "match", "type"),
        *("__class__", "__dict__", "__getattribute__", "__new__", "__subclasses__"),
    }
)
"""Names by which code reads objects without naming what it reads, or makes others like them."""

SIMPLE: Final = (int, float, bool, str, bytes, type(None))
"""The types of values that are all that they have."""

ABSENT: Final = object()
"""What a slot has that is not set."""

_COMPARED: Final = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_SHOWN: Final = ("__str__", "__repr__", "__format__")
_STORED: Final = ("__setattr__", "__delattr__")
# Instructions, and names of functions, that call methods which are called by nothing else.
_CALLED: Final = {
    **dict.fromkeys(("COMPARE_OP", "CONTAINS_OP"), _COMPARED),
    **dict.fromkeys(("max", "min", "sorted", "sort", "index", "count", "remove"), _COMPARED),
    **dict.fromkeys(("lt", "le", "eq", "ne", "ge", "gt", "contains", "countOf"), _COMPARED),
    **dict.fromkeys(("%", "%=", "mod"), _SHOWN),
    **dict.fromkeys(("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC"), _SHOWN),
    **dict.fromkeys(("CONVERT_VALUE", "str", "repr", "ascii", "print"), _SHOWN),
    **dict.fromkeys(("STORE_ATTR", "DELETE_ATTR"), _STORED),
    "MATCH_CLASS": ("match",),
}
MADE: Final = frozenset({"__init__", "__new__", "__post_init__"})
"""What making an object calls."""

# What nothing calls that computes.
_NEVER: Final = frozenset(
    {
        *("__init_subclass__", "__class_getitem__", "__del__", "__hash__", "__reduce__"),
        *("__reduce_ex__", "__getstate__", "__setstate__", "__replace__", "__annotate__"),
        "__annotate_func__",
    }
)
_ONLY_WHERE_USED: Final = frozenset({*_COMPARED, *_SHOWN, *_STORED, *MADE, *_NEVER})

_HEAP_TYPE: Final = 1 << 9
_POINTER: Final = 8
_HARMLESS_BASES: Final = frozenset({"abc", "typing"})


class _Named(NamedTuple):
    """A named tuple, for the kind of its descriptors."""

    entry: int


_INERT: Final = (MemberDescriptorType, GetSetDescriptorType, type(vars(_Named)["entry"]))


class HiddenError(Exception):
    """Something that nobody can say all of."""


def home_of(value: Any) -> str:
    """The package that a function, class or module is from, whatever it says itself."""
    if isinstance(value, FunctionType):
        name = value.__globals__.get("__name__")
        # What is evaluated with the names of a module is not of it.
        module = modules.get(name) if isinstance(name, str) else None
        if module is None or vars(module) is not value.__globals__:
            return ""
    else:
        name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return str(name or "").partition(".")[0]


@lru_cache(maxsize=1024)
def uses(code: CodeType) -> frozenset[str]:
    """The names that some code, and the functions in it, may look up in objects.

    >>> def f(model, x):
    ...     return f"{model.scale}", model == x
    >>> sorted(n for n in uses(f.__code__) if n in ("scale", "__str__", "__eq__", "__setattr__"))
    ['__eq__', '__str__', 'scale']
    """
    instructions = [*get_instructions(code)]
    found = called(*code.co_names, *(i.opname for i in instructions))
    found |= called(*(i.argrepr for i in instructions if i.argrepr[:1] == "%"))
    inner = (uses(c) for c in code.co_consts if isinstance(c, CodeType))
    return frozenset(found.union(*inner))


def called(*words: str) -> set[str]:
    """Names of functions and instructions, with the operators that they alone may call."""
    return {*words}.union(*(_CALLED.get(word, ()) for word in words))


def slots(value: object) -> tuple[MemberDescriptorType, ...] | None:
    """The slots of an object of a plain class; None for all others.

    >>> kinds = [type("Mine", bases, {"__module__": "mine"}) for bases in [(), (list,)]]
    >>> slots(kinds[0]()), slots(kinds[1]()), slots([])
    ((), None, None)
    """
    kind = type(value)
    return _slots(kind) if type(kind) in (type, ABCMeta) else None


@lru_cache(maxsize=1024)
def _slots(kind: type) -> tuple[MemberDescriptorType, ...] | None:
    *classes, _ = kind.__mro__
    if not classes or not all(c.__flags__ & _HEAP_TYPE for c in classes):
        return None
    if kind.__getattribute__ is not object.__getattribute__ or hasattr(kind, "__getattr__"):
        return None
    found: list[MemberDescriptorType] = []
    for c in classes:
        if home_of(c) in CONSTANT - _HARMLESS_BASES:
            return None
        if not isinstance(vars(c).get("__dict__"), GetSetDescriptorType | None):
            return None
        found += [v for v in vars(c).values() if isinstance(v, MemberDescriptorType)]
    # Beside its slots an object of Python's has a place for attributes and one for weak references.
    most = object.__basicsize__ + _POINTER * (len(found) + 2)
    return tuple(found) if kind.__basicsize__ <= most else None


def state(value: object) -> Iterator[tuple[str, object]]:
    """What an object of a plain class has of its own, in slots and attributes."""
    for slot in slots(value) or ():
        try:
            yield slot.__name__, slot.__get__(value)
        except AttributeError:
            yield slot.__name__, ABSENT
    yield from [*getattr(value, "__dict__", {}).items()]


def of_class(kind: type, named: frozenset[str] | set[str]) -> Iterator[tuple[str, Any]]:
    """What code that uses some names may read of a class: functions, and values.

    Raises `HiddenError` for descriptors that are neither properties nor methods.
    """
    for number, c in enumerate(kind.__mro__[:-1]):
        if not c.__flags__ & _HEAP_TYPE or home_of(c) in _HARMLESS_BASES:
            continue
        for name, value in [*vars(c).items()]:
            is_operator = name[:2] == "__" == name[-2:] and name not in _ONLY_WHERE_USED
            if name in named or (is_operator and hasattr(type(value), "__get__")):
                for k, function in enumerate(_functions_of(value)):
                    yield f"({number}.{k}){name}", function


def _functions_of(value: Any) -> tuple[Any, ...]:
    """The functions that a method or property calls; what is neither as it is."""
    kind: type = type(value)
    if kind is property:
        return value.fget, value.fset, value.fdel
    if kind is staticmethod:
        return (cast("staticmethod[..., Any]", value).__func__,)
    if kind is cached_property:
        return (cast("cached_property[Any]", value).func,)
    if isinstance(value, _INERT):
        return ()
    if hasattr(kind, "__get__") and kind is not FunctionType:
        raise HiddenError
    return (value,)
