"""What a Python function reads beside its arguments, so that a change of it is noticed.

Of a function these are the variables that it closes over, the globals that it names, its defaults
and its attributes, and of the functions among them the same; of an object its attributes, and those
of its class that the functions name. Where they are numbers, texts, arrays and containers of such,
they are compared with what they were; where there is anything else, such as a generator of random
numbers, nobody can say whether it changed.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dis import get_instructions
from functools import cached_property, lru_cache, partial
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GenericAlias,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    UnionType,
)
from typing import Any, Final, NamedTuple, cast

import numpy as np

from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression.expression import Expression

# The attribute of functions that are made of a function, which they read and nothing else.
TRANSFORMED: Final = "_transformed_by_eggrad"
_PLAIN: Final = (
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type(...),
    slice,
    range,
    np.dtype,
    np.generic,
)
# Their functions read nothing that changes.
_CONSTANT: Final = frozenset(
    {
        *("builtins", "cmath", "eggrad", "functools", "itertools", "math", "numpy", "operator"),
        *("scipy", "typing"),
    }
)
_ELSEWHERE: Final = frozenset(
    {
        *("environ", "eval", "exec", "globals", "input", "random", "rvs", "time", "vars"),
        *("__import__", "__globals__"),
        *("fromfile", "genfromtxt", "load", "loadmat", "loadtxt", "memmap", "open"),
    }
)
# How code looks up a name that is no variable of its own.
_LOADS: Final = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
# What looks up attributes by texts.
_BY_TEXT: Final = frozenset({"getattr", "attrgetter", "methodcaller", "__dict__"})
# What is called by its name alone, if at all.
_UNCALLED: Final = frozenset(
    {
        *("__init__", "__new__", "__post_init__", "__init_subclass__", "__del__", "__hash__"),
        *("__repr__", "__str__", "__format__", "__reduce__", "__getstate__", "__setstate__"),
    }
)
# In front of the name of an object's attribute.
OF_OBJECT: Final = "@"
_HEAP_TYPE: Final = 1 << 9
_POINTER: Final = 8
_CONTAINERS: Final = (tuple, list, dict, set, frozenset)
_DEEPEST: Final = 9
_DEEPEST_READ: Final = 60
_MOST_PARTS: Final = 1000
# Arrays of at least so many bytes are not copied to be compared, where an integer has an entry.
_LARGE: Final = 1 << 14
_INTEGERS: Final = (1, 2, 4, 8)


class Read(NamedTuple):
    """A value that a function reads, and its parts; none of a value that cannot change."""

    value: object
    parts: list[object] | None


Reads = Mapping[str, Read]


class _UnknownError(Exception):
    """Something whose changes cannot be noticed."""


def reads(function: object) -> Reads | None:
    """What a function reads, by name, arrays copied; None where it may read what has no parts.

    >>> scale, data = 2.0, np.arange(2.0)
    >>> def f(x):
    ...     return scale * (x @ data)
    >>> g = FunctionType(f.__code__, {"scale": scale, "data": data})
    >>> reads(g)[".scale"], reads(g)[".data"].parts
    (Read(value=2.0, parts=None), [array([0., 1.])])
    """
    try:
        return {name: _as_it_is(value) for name, value in _values(function).items()}
    except _UnknownError:
        return None


def changed(before: Reads, function: object) -> set[str] | None:
    """The names of what a function reads that is not as it was; None where nobody can say."""
    try:
        now = _values(function)
        found = {n for n, own in before.items() if n not in now or not _is_same(own, now[n])}
        return found | (now.keys() - before.keys())
    except _UnknownError:
        return None


def _as_it_is(value: object) -> Read:
    """A value with its parts."""
    parts = _parts_of(value)
    # Of what is its own only part, arrays alone may hold something else later.
    if len(parts) <= 2 and parts[-1] is value and type(value) is not np.ndarray:
        return Read(value, None)
    return Read(value, _copied(parts))


def _copied(parts: list[object]) -> list[object]:
    return [p.copy() if isinstance(p, np.ndarray) else p for p in parts]


def _is_same(before: Read, value: object) -> bool:
    if before.parts is None and before.value is value:
        return True
    a = _parts_of(before.value) if before.parts is None else before.parts
    b = _parts_of(value)
    return len(a) == len(b) and all(map(_same_parts, a, b))


def _parts_of(value: object) -> list[object]:
    """What has to be the same; what a function reads has names of its own."""
    return [value] if isinstance(value, FunctionType | CodeType) else [*_parts(value)]


def _same_parts(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and same_arrays(a, b)
    # Text tells 0 from -0.
    return a is b or (type(a) is type(b) and isinstance(a, _PLAIN) and repr(a) == repr(b))


def same_arrays(a: Array, b: Array) -> bool:
    """Whether two arrays have the same shape, dtype and bits.

    >>> same_arrays(np.zeros(2), np.zeros(2)), same_arrays(np.zeros(2), -np.zeros(2))
    (True, False)
    """
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.nbytes < _LARGE or a.itemsize not in _INTEGERS:
        return a.tobytes() == b.tobytes()
    bits = f"u{a.itemsize}"
    return bool((a.view(bits) == b.view(bits)).all())


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> frozenset[str] | None:
    """The names that some code may look up, with those of the functions in it.

    None where it reads what has no name here: what is drawn or read anew at every call, what
    other modules have.
    """
    instructions = [*get_instructions(code)]
    imported = {i.argval for i in instructions if i.opname == "IMPORT_NAME"}
    if not _ELSEWHERE.isdisjoint(code.co_names):
        return None
    if any(name.partition(".")[0] not in _CONSTANT for name in imported):
        return None
    # Attributes are among the names of the code, too.
    found = frozenset(i.argval for i in instructions if i.opname in _LOADS)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            own = _names(inner)
            if own is None:
                return None
            found |= own
    return found


@lru_cache(maxsize=1024)
def _attributes(code: CodeType) -> frozenset[str]:
    """The names that some code and the functions in it may look up in objects."""
    inner = (_attributes(c) for c in code.co_consts if isinstance(c, CodeType))
    return frozenset(code.co_names).union(*inner)


@lru_cache(maxsize=1024)
def _slots(kind: type) -> tuple[MemberDescriptorType, ...] | None:
    """The slots of objects that have no state beside these and attributes; None of all others.

    >>> class Model:
    ...     pass
    >>> _slots(Model), _slots(list), _slots(type("Names", (list,), {}))
    ((), None, None)
    """
    *classes, _ = kind.__mro__
    looked_up = kind.__getattribute__ is not object.__getattribute__ or hasattr(kind, "__getattr__")
    of_python = all(c.__flags__ & _HEAP_TYPE for c in classes)
    if looked_up or not classes or not of_python or _home(kind) in _CONSTANT:
        return None
    own = [v for c in classes for v in vars(c).values() if isinstance(v, MemberDescriptorType)]
    # Beside its slots an object of Python's has a place for attributes and one for weak references.
    most = object.__basicsize__ + _POINTER * (len(own) + 2)
    return tuple(own) if kind.__basicsize__ <= most else None


def _state(value: object) -> Iterator[tuple[str, object]]:
    """What an object has of its own, in slots and else."""
    for slot in _slots(type(value)) or ():
        try:
            yield slot.__name__, slot.__get__(value)
        except AttributeError:
            yield slot.__name__, _ABSENT
    yield from getattr(value, "__dict__", {}).items()


def watch(function: object) -> Callable[[], bool] | None:
    """What says quickly whether all that a function reads is as it is now.

    It says no where something has been replaced, also by what is equal; None where nobody can say.

    >>> data = np.arange(2.0)
    >>> f = FunctionType((lambda x: x @ data).__code__, {"data": data})
    >>> unchanged = watch(f)
    >>> unchanged()
    True
    >>> data[0] = 1.0
    >>> unchanged()
    False
    """
    watched = _Watched()
    try:
        found = _Reading(function)
        for value in found.values.values():
            if not isinstance(value, FunctionType | CodeType):
                watched.add(value, [*_parts(value)])
    except _UnknownError:
        return None
    for own in found.functions.values():
        watched.add_function(own)
    for _, value in found.objects:
        watched.add_object(value, found.named)
    return watched.unchanged


class _Watched:
    """Where values are, and what is in arrays and containers."""

    def __init__(self) -> None:
        self._cells: list[tuple[CellType, object]] = []
        self._names: list[tuple[Mapping[str, Any], str, object]] = []
        self._functions: list[tuple[FunctionType, CodeType, object, object]] = []
        self._slotted: list[tuple[object, list[object]]] = []
        self._lists: list[tuple[list[Any], list[Any]]] = []
        self._dicts: list[tuple[dict[Any, Any], list[Any], list[Any]]] = []
        self._arrays: list[tuple[Array, Array]] = []
        self._others: list[tuple[object, list[object]]] = []

    def add_function(self, function: "FunctionType | partial[Any]") -> None:
        """Watch what a function has, closes over, and names."""
        if isinstance(function, partial):
            self._add_dict(function.keywords)
            return
        code, attributes = function.__code__, vars(function)
        self._functions.append((function, code, function.__defaults__, function.__kwdefaults__))
        if attributes.get(TRANSFORMED) is code:
            self._names.append((attributes, "__wrapped__", attributes["__wrapped__"]))
            return
        self._add_dict(attributes)
        for cell in function.__closure__ or ():
            try:
                self._cells.append((cell, cell.cell_contents))
            except ValueError:
                self._cells.append((cell, _ABSENT))
        known = function.__globals__
        self._names += [(known, n, known.get(n, _ABSENT)) for n in _names(code) or ()]

    def add_object(self, value: object, names: Collection[str]) -> None:
        """Watch the attributes of an object, and which of its classes has what is named."""
        if _slots(type(value)):
            self._slotted.append((value, [v for _, v in _state(value)]))
        places = [getattr(value, "__dict__", {}), *map(vars, type(value).__mro__)]
        for name in names:
            # Where one of them has it, another one may get it before, and call it by `super`.
            if any(name in own for own in places):
                self._names += [(own, name, own.get(name, _ABSENT)) for own in places]

    def _add_dict(self, own: dict[Any, Any]) -> None:
        self._dicts.append((own, [*own], [*own.values()]))

    def add(self, value: Any, parts: list[object]) -> None:
        """Watch what may change within a value."""
        kind: type = type(value)
        if kind is np.ndarray:
            self._arrays.append((value, value.copy()))
        elif kind in (dict, list, tuple):
            if kind is dict:
                self._add_dict(value)
            elif kind is list:
                self._lists.append((value, [*value]))
            for part in value.values() if kind is dict else value:
                self.add(part, [*_parts(part)])
        elif parts[-1] is not value:
            self._others.append((value, _copied(parts)))

    def unchanged(self) -> bool:
        """Whether all is as it was."""
        try:
            for cell, value in self._cells:
                if cell.cell_contents is not value:
                    return False
        except ValueError:
            return False
        for known, name, value in self._names:
            if known.get(name, _ABSENT) is not value:
                return False
        for function, code, defaults, keywords in self._functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
            if function.__kwdefaults__ is not keywords:
                return False
        for own, keys, values in self._dicts:
            if [*own] != keys or not all(map(is_, own.values(), values)):
                return False
        for value, values in self._slotted:
            if not all(map(is_, values, (v for _, v in _state(value)))):
                return False
        for own, values in self._lists:
            if len(own) != len(values) or not all(map(is_, own, values)):
                return False
        for array, before in self._arrays:
            if not same_arrays(before, array):
                return False
        return all(_is_same(Read(value, parts), value) for value, parts in self._others)


_ABSENT: Final = object()


def _values(function: object) -> dict[str, object]:
    """The values that a function reads, as they are now, by name."""
    return _Reading(function).values


class _Reading:
    """What a function reads: `values` by name, functions and objects each once.

    `named` are the names that the functions may look up in objects.
    """

    def __init__(self, function: object) -> None:
        """Follow what a function reads."""
        self.values: dict[str, object] = {}
        self.functions: dict[int, FunctionType | partial[Any]] = {}
        self.objects: list[tuple[str, object]] = []
        self._known: set[int] = set()
        # Whoever takes an object for a mapping asks for its keys.
        self.named: set[str] = {"keys"}
        self._depth = 0
        self._read("", function)
        named = -1
        # What one method reads may name further ones.
        while named < len(self.named):
            named = len(self.named)
            # The list grows.
            for name, value in self.objects:
                self._read_attributes(name, value)
        if self.objects and not self.named.isdisjoint(_BY_TEXT):
            raise _UnknownError

    def _read(self, name: str, value: Any) -> None:
        """Add a value, and what it reads if it is a function or an object, each of those once."""
        if self._depth > _DEEPEST_READ or len(self.objects) > _MOST_PARTS:
            raise _UnknownError
        self._depth += 1
        if isinstance(value, MethodType):
            self._read(f"{name}.(self)", value.__self__)
            value = value.__func__
        if isinstance(value, partial):
            self.functions[id(value)] = value
            for key, own in (*enumerate(value.args), *value.keywords.items()):
                self._read(f"{name}.({key})", own)
            self._read(f"{name}.function", value.func)
        else:
            self.values[name] = value
            if isinstance(value, FunctionType):
                self._read_function(name, value)
            else:
                self._find_objects(name, value)
        self._depth -= 1

    def _read_function(self, name: str, function: FunctionType) -> None:
        code = function.__code__
        if id(function) in self.functions:
            return
        if vars(function).get(TRANSFORMED) is code:
            self.functions[id(function)] = function
            self._read(f"{name}.function", vars(function)["__wrapped__"])
        elif _home(function) not in _CONSTANT:
            self.functions[id(function)] = function
            self.values[name] = code
            self.named |= _attributes(code)
            for own, read in _variables(function):
                self._read(f"{name}.{own}", read)

    def _find_objects(self, name: str, value: Any, depth: int = 0) -> None:
        """Note an object, and those in containers."""
        kind: type = type(value)
        if kind in _CONTAINERS and depth < _DEEPEST and len(value) < _MOST_PARTS:
            for key, part in value.items() if kind is dict else enumerate(value):
                self._find_objects(f"{name}[{key!r}]", part, depth + 1)
        elif id(value) not in self._known and _slots(kind) is not None:
            self._known.add(id(value))
            self.objects.append((f"{name}{OF_OBJECT}", value))

    def _read_attributes(self, path: str, value: object) -> None:
        """Add what is named of an object and its classes; operators act without being named."""
        for name, own in _state(value):
            if name in self.named and path + name not in self.values:
                self._read(path + name, own)
        for number, kind in enumerate(type(value).__mro__[:-1]):
            for name, own in vars(kind).items():
                is_operator = name[:2] == "__" == name[-2:] and isinstance(own, FunctionType)
                place = f"{path}({number}){name}"
                if place not in self.values and (
                    name in self.named or (is_operator and name not in _UNCALLED)
                ):
                    self.values[place] = None
                    self._read_of_class(place, own)

    def _read_of_class(self, name: str, value: Any) -> None:
        if isinstance(value, property):
            self._read(name, value.fget)
        elif isinstance(value, staticmethod | classmethod):
            self._read(name, cast("staticmethod[..., Any]", value).__func__)
        elif isinstance(value, cached_property):
            self._read(name, cast("cached_property[Any]", value).func)
        elif not isinstance(value, MemberDescriptorType):
            self._read(name, value)


def _variables(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function has as defaults and attributes, closes over, and names among its globals."""
    code = function.__code__
    # No variable has such a name.
    yield "(defaults)", function.__defaults__
    yield "(keywords)", function.__kwdefaults__
    for own, value in vars(function).items():
        if own != TRANSFORMED:
            yield f"({own})", value
    for own, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if own == "__class__":
            # The class of a method that calls `super`: read as that of its objects.
            continue
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
    elif isinstance(value, _PLAIN):
        yield from (kind, value)
    elif (
        isinstance(value, Expression)
        or (kind is ModuleType and _is_constant(value))
        or _home(kind) == "typing"
        or isinstance(value, GenericAlias | UnionType)
    ):
        yield value
    elif kind in _CONTAINERS and depth < _DEEPEST and len(value) < _MOST_PARTS:
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
    elif value is _ABSENT or _slots(kind) is not None:
        # The attributes of an object have names of their own.
        yield kind
    else:
        raise _UnknownError


def _is_constant(value: Any) -> bool:
    """Whether a module, class or function is one of those that do not change."""
    if isinstance(value, ModuleType) and ".random" in value.__name__:
        return False
    if isinstance(value, ModuleType | type | FunctionType | BuiltinFunctionType):
        return _home(value) in _CONSTANT
    if isinstance(value, np.ufunc):
        # One of objects calls a function of somebody's.
        return any("O" not in types for types in value.types)
    return isinstance(value, type(np.sum)) or _home(type(value)) == "eggrad"
