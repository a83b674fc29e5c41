"""Nested tuples, lists and dicts of arrays: taken apart, and put together again.

Other classes are containers if optree or JAX knows how to take them apart, as those who use these
libraries tell them by `register_pytree_node`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from sys import modules
from typing import Any, Final, NamedTuple, Protocol, cast

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

LEAF = None
# The types of most leaves.
_LEAVES = (np.ndarray, float, int)
# Where they are loaded, they may know of more containers.
_REGISTRIES: Final = ("optree", "jax.tree_util")


class _Builder(Protocol):
    """What a registry knows of a container beside its parts."""

    def unflatten(self, leaves: Any, /) -> Any:
        """The container with other parts."""
        ...


class Branch(NamedTuple):
    """A container: its type, what its parts are called, and how each is built."""

    kind: type
    names: tuple[Hashable, ...]
    parts: "tuple[Structure, ...]"
    builder: _Builder | None = None


Structure = Branch | None
"""How a value is nested; None is a value that is no container."""


def branches(*structures: Structure) -> Iterator[Branch]:
    """The containers of some values, and those in them.

    >>> [b.kind.__name__ for b in branches(flatten({"a": (np.ones(2), [np.ones(1)])})[1])]
    ['dict', 'tuple', 'list']
    """
    waiting = [*structures]
    while waiting:
        structure = waiting.pop()
        if structure is not None:
            yield structure
            waiting += structure.parts


class _Opened(NamedTuple):
    """A container's type, the names of its parts, and the parts."""

    kind: type
    names: tuple[Hashable, ...]
    parts: list[Any]
    builder: _Builder | None = None


def is_numbers(value: object) -> bool:
    """Whether a list has numbers alone, in lists of one length: NumPy takes it for an array.

    >>> is_numbers([[1, 2.5], [3, 4]]), is_numbers([[1, 2], [3]]), is_numbers([np.ones(2)])
    (True, False, False)
    """
    if not isinstance(value, list) or not value:
        return False
    parts = cast("list[object]", value)
    if all(isinstance(p, int | float | np.number) for p in parts):
        return True
    lengths = {len(cast("list[object]", p)) if isinstance(p, list) else -1 for p in parts}
    return len(lengths) == 1 and all(map(is_numbers, parts))


def flatten(value: Any, like: Structure = LEAF) -> tuple[list[Any], Structure]:
    """The leaves of a tuple, list, dict, named tuple, dataclass and the like, and how it is nested.

    A dict keeps its order, or has that of the dict which is there in `like`. A list of numbers
    alone is a leaf, the array that NumPy makes of it, unless `like` has a list there.

    >>> leaves, structure = flatten({"b": (1, "two"), "a": [3.0, 4.0]})
    >>> leaves, unflatten(structure, leaves)
    ([1, 'two', [3.0, 4.0]], {'b': (1, 'two'), 'a': [3.0, 4.0]})
    >>> flatten({"a": 3, "b": (1, 2)}, structure)[0]
    [1, 2, 3]
    """
    try:
        return _flattened(value, like)
    except RecursionError:
        raise UnsupportedOperation(
            "an argument contains itself, or lists, tuples and dicts in it are nested too deep"
        ) from None


def _flattened(value: Any, like: Structure) -> tuple[list[Any], Structure]:
    opened = None if type(value) in _LEAVES else _ordered(_opened(value, like), like)
    if opened is None:
        return [value], LEAF
    kind, names, parts, builder = opened
    leaves: list[Any] = []
    structures: list[Structure] = []
    inside = like.parts if like is not None and like.names == names else (LEAF,) * len(parts)
    for part, part_like in zip(parts, inside, strict=True):
        part_leaves, structure = _flattened(part, part_like)
        leaves += part_leaves
        structures.append(structure)
    return leaves, Branch(kind, names, tuple(structures), builder)


def _ordered(opened: _Opened | None, like: Structure) -> _Opened | None:
    """What is opened, a dict in the order of another with the same keys."""
    if opened is None or like is None or opened.kind is not dict or like.kind is not dict:
        return opened
    if {*opened.names} != {*like.names}:
        return opened
    of_name = dict(zip(opened.names, opened.parts, strict=True))
    return opened._replace(names=like.names, parts=[of_name[n] for n in like.names])


def _opened(value: Any, like: Structure = LEAF) -> _Opened | None:
    """A container's type, the names of its parts, and the parts.

    A list of numbers is one where `like` is a list.
    """
    kind: type = type(value)
    if kind is dict:
        return _Opened(kind, tuple(value), [*cast("dict[Hashable, Any]", value).values()])
    listed = like is not None and like.kind is list
    if kind is tuple or (kind is list and (listed or not is_numbers(value))):
        return _Opened(kind, tuple(range(len(value))), list(value))
    # What NumPy's functions take, as comparisons of expressions, is an array.
    if kind is list or value is None or hasattr(kind, "__array_ufunc__"):
        return None
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        names: tuple[str, ...] = cast(Any, kind)._fields
        return _Opened(kind, names, [*cast("tuple[Any, ...]", value)])
    if (registered := _registered(value)) is not None:
        return registered
    if is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in fields(value) if f.init)
        return _Opened(kind, names, [getattr(value, n) for n in names])
    return None


def _registered(value: Any) -> _Opened | None:
    """What a registry takes apart."""
    for registry in filter(None, map(modules.get, _REGISTRIES)):
        parts, builder = registry.tree_flatten(value, is_leaf=lambda part: part is not value)
        if len(parts) != 1 or parts[0] is not value:
            return _Opened(type(value), tuple(range(len(parts))), [*parts], builder)
    return None


def unflatten(structure: Structure, leaves: Iterable[Any]) -> Any:
    """What has these leaves, nested so."""
    return _built(structure, iter(leaves))


def _built(structure: Structure, leaves: Iterator[Any]) -> Any:
    if structure is None:
        return next(leaves)
    kind, names, structures, builder = structure
    parts = [_built(s, leaves) for s in structures]
    if builder is not None:
        return builder.unflatten(parts)
    if kind is dict:
        return dict(zip(names, parts, strict=True))
    if kind is tuple or kind is list:
        return kind(parts)
    made: Callable[..., Any] = kind
    return made(**dict(zip(map(str, names), parts, strict=True)))


def paths(structure: Structure) -> list[tuple[Hashable, ...]]:
    """The names that lead to each leaf.

    >>> paths(flatten({"w": 1, "layers": (2, 3)})[1])
    [('w',), ('layers', 0), ('layers', 1)]
    """
    if structure is None:
        return [()]
    named = zip(structure.names, structure.parts, strict=True)
    return [(name, *rest) for name, part in named for rest in paths(part)]


def spread(prefix: Any, structure: Structure) -> list[Any] | None:
    """For each leaf, what a tree says that ends where `structure` may go on; None if it differs.

    >>> spread((0, None), flatten(([np.ones(1), 2.0], {"a": 3.0}))[1])
    [0, 0, None]
    """
    if structure is None:
        return None if _opened(prefix) else [prefix]
    opened = _ordered(_opened(prefix), structure)
    if opened is None:
        return [prefix] * len(paths(structure))
    if opened.kind is not structure.kind or opened.names != structure.names:
        return None
    found = [spread(p, s) for p, s in zip(opened.parts, structure.parts, strict=True)]
    return None if None in found else [x for leaves in found if leaves is not None for x in leaves]
