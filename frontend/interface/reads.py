"""What a Python function reads beside its arguments, so that a change of it is noticed.

Of a function these are the variables that it closes over, the globals that it names, its defaults
and its attributes, and of the functions among them the same; of an object its attributes, and those
of its class that the functions name. Where they are numbers, texts, arrays and containers of such,
they are compared with what they were; where there is anything else, such as a generator of random
numbers, nobody can say whether it changed.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import is_dataclass
from dis import get_instructions
from functools import lru_cache, partial
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GenericAlias,
    MethodType,
    ModuleType,
    UnionType,
)
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.objects import (
    ABSENT,
    BY_TEXT,
    CONSTANT,
    MADE,
    SIMPLE,
    HiddenError,
    called,
    home_of,
    of_class,
    slots,
    state,
    uses,
)

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
_ELSEWHERE: Final = frozenset(
    {
        *("environ", "eval", "exec", "globals", "input", "random", "rvs", "time", "vars"),
        *("__import__", "__globals__"),
        *("fromfile", "genfromtxt", "load", "loadmat", "loadtxt", "memmap", "open"),
    }
)
# How code looks up a name that is no variable of its own.
_LOADS: Final = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
# In front of the name of an object's attribute.
OF_OBJECT: Final = "@"
_CONTAINERS: Final = (tuple, list, dict, set, frozenset)
_DEEPEST: Final = 9
_DEEPEST_READ: Final = 60
_MOST_PARTS: Final = 1000
# What draws numbers.
_RANDOM: Final = re.compile(r"\.(random|_?qmc)\b")
# To call a function again takes as long as to compare so much.
_MOST_VISITED: Final = 4000
_MOST_OBJECTS: Final = 60
_MOST_BYTES: Final = 1 << 22
# Arrays of at least so many bytes are not copied to be compared, where an integer has an entry.
_LARGE: Final = 1 << 14
_INTEGERS: Final = (1, 2, 4, 8)


class Read(NamedTuple):
    """A value that a function reads, or its parts where it may change."""

    value: object
    parts: list[object] | None


Reads = Mapping[str, Read]


def reads(function: object, classes: Collection[type] = ()) -> Reads | None:
    """What a function reads, by name, arrays copied; None where it may read what has no parts.

    Methods of `classes` are among it: those of its arguments.

    >>> scale, data = 2.0, np.arange(2.0)
    >>> def f(x):
    ...     return scale * (x @ data)
    >>> g = FunctionType(f.__code__, {"scale": scale, "data": data})
    >>> reads(g)[".scale"], reads(g)[".data"].parts
    (Read(value=2.0, parts=None), [array([0., 1.])])
    """
    try:
        values = _Reading(function, classes).values
        parts = {name: _parts_of(value) for name, value in values.items()}
        return {name: _as_it_is(value, parts[name]) for name, value in values.items()}
    except HiddenError:
        return None


def changed(before: Reads, function: object, classes: Collection[type] = ()) -> set[str] | None:
    """The names of what a function reads that is not as it was; None where nobody can say."""
    try:
        now = _Reading(function, classes).values
        found = {n for n, own in before.items() if n not in now or not _is_same(own, now[n])}
        return found | (now.keys() - before.keys())
    except HiddenError:
        return None


def _as_it_is(value: object, parts: list[object]) -> Read:
    """A value with its parts."""
    # Of what is its own only part, arrays alone may hold something else later.
    if len(parts) <= 2 and parts[-1] is value and type(value) is not np.ndarray:
        return Read(value, None)
    # What holds the function that reads it would never go.
    return Read(None, _copied(parts))


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
    if isinstance(value, FunctionType | CodeType | type):
        return [_reference(value)]
    return [*_parts(value)]


def _reference(value: object) -> object:
    """What tells an object from others, and does not keep it where that is possible."""
    try:
        # The same one each time, as long as somebody has it.
        return ref(value)
    except TypeError:
        return value


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
    if any(name.partition(".")[0] not in CONSTANT for name in imported):
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


def watch(function: object, classes: Collection[type] = ()) -> Callable[[], bool] | None:
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
        found = _Reading(function, classes)
        for value in found.values.values():
            if not isinstance(value, FunctionType | CodeType | type):
                watched.add(value, [*_parts(value)])
    except HiddenError:
        return None
    for own in found.functions.values():
        watched.add_function(own)
    for _, value in found.objects:
        watched.add_object(value, found.named)
    for kind in found.classes:
        watched.add_class(kind)
    return watched.unchanged


class _Watched:
    """Where values are, and what is in arrays, containers and objects."""

    def __init__(self) -> None:
        self._cells: list[tuple[CellType, object]] = []
        self._names: list[tuple[dict[str, Any], str, object]] = []
        self._functions: list[tuple[FunctionType, CodeType, object, object]] = []
        self._objects: list[tuple[object, type, object]] = []
        self._slotted: list[tuple[object, list[object]]] = []
        self._classes: list[tuple[type, tuple[type, ...]]] = []
        self._lists: list[tuple[list[Any], list[Any]]] = []
        self._dicts: list[tuple[Mapping[Any, Any], list[Any], list[Any]]] = []
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
                self._cells.append((cell, ABSENT))
        known = function.__globals__
        self._names += [(known, n, known.get(n, ABSENT)) for n in _names(code) or ()]

    def add_object(self, value: object, names: Collection[str]) -> None:
        """Watch what an object has by some names; its class is watched by itself."""
        attributes = getattr(value, "__dict__", None)
        self._objects.append((value, type(value), attributes))
        if slots(value):
            self._slotted.append((value, [v for _, v in state(value)]))
        elif attributes is not None:
            self._names += [(attributes, n, attributes.get(n, ABSENT)) for n in names]

    def add_class(self, kind: type) -> None:
        """Watch all that a class has, and those that it is made of."""
        self._classes.append((kind, kind.__mro__))
        for own in kind.__mro__[:-1]:
            self._add_dict(vars(own))

    def _add_dict(self, own: Mapping[Any, Any]) -> None:
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
            if known.get(name, ABSENT) is not value:
                return False
        for function, code, defaults, keywords in self._functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return False
            if function.__kwdefaults__ is not keywords:
                return False
        for value, kind, attributes in self._objects:
            if type(value) is not kind or getattr(value, "__dict__", None) is not attributes:
                return False
        for value, values in self._slotted:
            if not all(map(is_, values, (v for _, v in state(value)))):
                return False
        for kind, classes in self._classes:
            if kind.__mro__ is not classes:
                return False
        for own, keys, values in self._dicts:
            if len(own) != len(keys) or not all(map(is_, own, keys)):
                return False
            if not all(map(is_, own.values(), values)):
                return False
        for own, values in self._lists:
            if len(own) != len(values) or not all(map(is_, own, values)):
                return False
        for array, before in self._arrays:
            if not same_arrays(before, array):
                return False
        return all(_is_same(Read(value, parts), value) for value, parts in self._others)


class _Reading:
    """What a function reads: `values` by name, functions, objects and their classes each once.

    `named` are the names that the functions may look up in objects.
    """

    def __init__(self, function: object, classes: Collection[type] = ()) -> None:
        """Follow what a function reads, and methods of some classes."""
        self.values: dict[str, object] = {}
        self.functions: dict[int, FunctionType | partial[Any]] = {}
        self.objects: list[tuple[str, object]] = []
        self.classes: dict[type, str] = {}
        # Whoever takes an object for a mapping asks for its keys.
        self.named: set[str] = {"keys"}
        self._known: set[int] = set()
        self._depth = self._visited = self._bytes = 0
        for kind in classes:
            self._add_class("", kind)
        # They are made anew of what the function is given.
        made = {*self.classes}
        self._read("", function)
        known: tuple[int, ...] = ()
        # What one method reads may name further ones.
        while known != (known := (len(self.named), len(self.values), len(self.objects))):
            # Both grow.
            for name, value in self.objects:
                self._read_attributes(name, value)
            for kind in [*self.classes]:
                self._read_class(kind, self.named | MADE if kind in made else self.named)
        if (self.objects or made) and not self.named.isdisjoint(BY_TEXT):
            raise HiddenError

    def _read(self, name: str, value: Any) -> None:
        """Add a value, and what it reads if it is a function or an object, each of those once."""
        if self._depth > _DEEPEST_READ:
            raise HiddenError
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
                if isinstance(value, BuiltinFunctionType | type) and value.__name__ != "__new__":
                    # It may have another name here. What is made anew needs a class as well.
                    self.named |= called(value.__name__)
                if isinstance(value, type):
                    # Of somebody's class, which is refused here, objects may be made.
                    list(_parts(value))
                elif isinstance(value, BuiltinFunctionType) and not isinstance(
                    value.__self__, ModuleType | None
                ):
                    self._read(f"{name}.(self)", value.__self__)
                self._visit(name, value)
        self._depth -= 1

    def _read_function(self, name: str, function: FunctionType) -> None:
        code = function.__code__
        if id(function) in self.functions:
            return
        if vars(function).get(TRANSFORMED) is code:
            self.functions[id(function)] = function
            self._read(f"{name}.function", vars(function)["__wrapped__"])
        elif home_of(function) not in CONSTANT:
            self.functions[id(function)] = function
            self.values[name] = code
            self.named |= uses(code)
            for own, read in _variables(function):
                # Methods that call `super` close over their class, which is that of an object.
                if own != "__class__" or "super" not in code.co_names:
                    self._read(f"{name}.{own}", read)
        elif function.__closure__ and home_of(function) != "eggrad":
            # What decorates a function of somebody's calls it.
            self.functions[id(function)] = function
            for own, read in _closed_over(function):
                if callable(read) and not _is_constant(read):
                    self._read(f"{name}.{own}", read)
            if home_of(function) == "functools":
                raise HiddenError

    def _visit(self, name: str, value: Any, depth: int = 0) -> None:
        """Note an object, and those in containers."""
        kind: type = type(value)
        if kind in SIMPLE:
            return
        if depth and isinstance(value, FunctionType | MethodType | partial):
            self._read(name, value)
            return
        self._visited += 1
        if self._visited > _MOST_VISITED:
            raise HiddenError
        if kind in _CONTAINERS:
            if id(value) in self._known or depth > _DEEPEST or len(value) >= _MOST_PARTS:
                return
            self._known.add(id(value))
            self._visited += len(value)
            for number, part in enumerate([*value]):
                self._visit(f"{name}[{number}]", part, depth + 1)
            if kind is dict:
                for number, part in enumerate([*value.values()]):
                    self._visit(f"{name}[{number}].value", part, depth + 1)
        elif kind is np.ndarray:
            # Large ones take longer to compare than the function to be called again.
            self._bytes += value.nbytes * (OF_OBJECT in name)
            if self._bytes > _MOST_BYTES:
                raise HiddenError
        elif id(value) not in self._known and slots(value) is not None:
            self._known.add(id(value))
            if len(self.objects) >= _MOST_OBJECTS:
                raise HiddenError
            path = f"{name}{OF_OBJECT}"
            self.objects.append((path, value))
            self._add_class(path, kind)

    def _read_attributes(self, path: str, value: object) -> None:
        """Add what is named of an object."""
        self.values[f"{path}(class)"] = type(value)
        for name, own in state(value):
            if name in self.named and path + name not in self.values:
                self._read(path + name, own)

    def _add_class(self, path: str, kind: type) -> None:
        for base in kind.__mro__[:-1]:
            # Several may have one name.
            self.classes.setdefault(base, f"{path}({len(self.classes)}.{base.__qualname__})")

    def _read_class(self, kind: type, named: set[str]) -> None:
        """Add what is named of a class; operators act without being named."""
        for name, own in of_class(kind, named):
            place = self.classes[kind] + name
            if place not in self.values:
                self.values[place] = None
                self._read(place, own)


def _closed_over(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            yield name, None


def _variables(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function has as defaults and attributes, closes over, and names among its globals."""
    code = function.__code__
    # No variable has such a name.
    yield "(defaults)", function.__defaults__
    yield "(keywords)", function.__kwdefaults__
    for own, value in vars(function).items():
        if own != TRANSFORMED:
            yield f"({own})", value
    yield from _closed_over(function)
    names = _names(code)
    if names is None:
        raise HiddenError
    for own in names:
        if own in function.__globals__:
            yield own, function.__globals__[own]


def _parts(value: Any, depth: int = 0) -> Iterator[object]:
    """What has to be the same for a value to be the same."""
    kind: type = type(value)
    if kind is np.ndarray and not value.dtype.hasobject:
        yield value
    elif _is_plain(value):
        yield from (kind, value)
    elif (
        isinstance(value, Expression)
        # Nothing of it changes, as of distributions.
        or (home_of(kind) == "eggrad" and _is_frozen(kind))
        or (kind is ModuleType and _is_constant(value))
        or home_of(kind) == "typing"
        or isinstance(value, GenericAlias | UnionType)
    ):
        yield value
    elif kind in _CONTAINERS and depth < _DEEPEST and len(value) < _MOST_PARTS:
        yield from (kind, len(value))
        for part in value.items() if kind is dict else value:
            yield from _parts(part, depth + 1)
    elif home_of(kind) == "scipy" and hasattr(value, "indptr"):
        yield from (kind, *value.shape, value.data, value.indices, value.indptr)
    elif isinstance(value, BuiltinFunctionType) and not isinstance(
        value.__self__, ModuleType | None
    ):
        yield from _parts(value.__self__, depth + 1)
        yield value.__name__
    elif (isinstance(value, ModuleType | type) or callable(value)) and _is_constant(value):
        # A derivative of ours may be held by what its function reads.
        yield _reference(value) if isinstance(value, FunctionType) else value
    elif value is ABSENT or isinstance(value, FunctionType) or slots(value) is not None:
        # What it has, or reads, has names of its own.
        yield _reference(value)
    else:
        raise HiddenError


def _is_frozen(kind: type) -> bool:
    """Whether nothing is set on objects of a class once they are made."""
    return is_dataclass(kind) and kind.__dataclass_params__.frozen  # pyright: ignore


def _is_plain(value: Any) -> bool:
    """Whether a value is a number or a text, without attributes, and no row of an array."""
    if type(value) in SIMPLE:
        return True
    if not isinstance(value, _PLAIN) or isinstance(value, np.void):
        return False
    return not hasattr(value, "__dict__")


def _is_constant(value: Any) -> bool:
    """Whether a module, class or function is one of those that do not change."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    if isinstance(module, str) and _RANDOM.search(module):
        return False
    if isinstance(value, ModuleType | type | FunctionType | BuiltinFunctionType):
        return home_of(value) in CONSTANT
    if isinstance(value, np.ufunc):
        # One of objects calls a function of somebody's.
        return any("O" not in types for types in value.types)
    return isinstance(value, type(np.sum)) or home_of(type(value)) == "eggrad"
