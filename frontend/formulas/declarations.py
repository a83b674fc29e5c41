"""The dims of variables as users give them: complete, or in part, or as a number of axes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

import numpy as np

from eggrad.engine.errors import EggradError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import checked_dims, resized_dims
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.frontend.text.doors import checked_mapping, checked_words
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.sizes import unify_sizes, unknown, unknown_size
from eggrad.frontend.text.words import format_axes

_T = TypeVar("_T")
Declared = Mapping[str, Sequence[Size | None] | int]
"""The sizes of each variable's axes, None for what is not known; or how many axes it has."""

_DIMS: Final = "A: m n, x: n, c:"
_ASSUME: Final = "A: symmetric, x: positive"
MATRIX: Final = 2
"""The most axes that a variable of matrix notation has."""


def read_dims(text: str) -> dict[str, tuple[int | str, ...]]:
    """The axes of variables, from a text.

    >>> read_dims("A: m n, x: 3, c:")
    {'A': ('m', 'n'), 'x': (3,), 'c': ()}
    """
    found: dict[str, tuple[int | str, ...]] = {}
    for name, words in _parts(text, _DIMS):
        if name in found:
            raise UnsupportedOperation(f"{name} is given twice")
        found[name] = tuple(read_size(w) if w.isdecimal() else w for w in words.split())
        # Sizes are looked at where the text stands.
        checked_dims(found[name])
    return found


def read_assumptions(text: str) -> dict[str, tuple[str, ...]]:
    """What is declared of variables, from a text.

    >>> read_assumptions("A: symmetric, A: positive")
    {'A': ('symmetric', 'positive')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _parts(text, _ASSUME):
        found[name] = (*found.get(name, ()), " ".join(words.split()))
    return found


def given_dims(what: str, name: str, given: object) -> Declared:
    """The dims that a caller gives, a mapping or a text.

    >>> given_dims("parse_matrix", "dims", "x: n")
    {'x': ('n',)}
    """
    if isinstance(given, str):
        return _read(f"{what}: {name}", read_dims, given)
    wanted = 'a dict of sizes such as {"A": ("m", "n"), "x": ("n",), "c": ()}, '
    wanted += f"or a text such as {shown(_DIMS)}"
    for variable, axes in checked_mapping(what, name, given, wanted).items():
        if isinstance(axes, bool) or not isinstance(axes, int | tuple | list):
            raise ShapeError(
                f"{what}: {name} has for {shown(variable)} no tuple of sizes, such as ('m', 'n'), "
                f"but {shown(axes)}"
            )
        for d in () if isinstance(axes, int) else cast("list[Any]", axes):
            if d is not None and not isinstance(d, int | str | np.integer):
                raise ShapeError(
                    f"{what}: {name} of {shown(variable)}: a size is a name or an integer, not "
                    f"{shown(d)}"
                )
    return cast(Declared, given)


def given_assumptions(what: str, given: object) -> dict[str, tuple[str, ...]]:
    """What a caller declares of variables, a mapping or a text.

    >>> given_assumptions("parse_matrix", {"A": "symmetric"})
    {'A': ('symmetric',)}
    """
    if isinstance(given, str):
        return _read(f"{what}: assume", read_assumptions, given)
    wanted = f'a dict such as {{"A": ["symmetric"]}}, or a text such as {shown(_ASSUME)}'
    assumed = checked_mapping(what, "assume", {} if given is None else given, wanted)
    return {n: checked_words(what, f"assume of {shown(n)}", words) for n, words in assumed.items()}


def _read(what: str, reader: Callable[[str], _T], text: str) -> _T:
    """What a text says; an error says whose text it is."""
    try:
        return reader(text)
    except EggradError as error:
        raise type(error)(f"{what}: {error}") from error


def _parts(text: str, example: str) -> Iterator[tuple[str, str]]:
    """The names and what follows each."""
    for part in text.split(",") if text.strip() else ():
        name, colon, rest = part.partition(":")
        if not colon or not name.strip():
            raise UnsupportedOperation(f"{shown(part.strip())} is not of the form {shown(example)}")
        yield name.strip(), rest


def read_size(digits: str) -> int:
    """A size from its digits; `ShapeError` for one that is too large.

    >>> read_size("12")
    12
    """
    if len(digits.lstrip("0")) > len(str(MAXIMAL_SIZE)) or int(digits) > MAXIMAL_SIZE:
        raise ShapeError(f"the largest size is {MAXIMAL_SIZE}")
    return int(digits)


def completed_dims(
    dims: Declared, assume: Mapping[str, Iterable[str]], most: int = MATRIX
) -> dict[str, Dims]:
    """The dims with names for unknown sizes; what is declared symmetric, say, is square.

    >>> completed_dims({"A": 2, "x": ("n",)}, {})
    {'A': ('?A_1', '?A_2'), 'x': ('n',)}
    >>> completed_dims({"S": ("m", "n"), "y": ("m",)}, {"S": ["symmetric"]})
    {'S': ('m', 'm'), 'y': ('m',)}
    """
    for name in assume:
        if name not in dims:
            raise UnsupportedOperation(f"assume: {shown(name)} has no dims{suggestion(name, dims)}")
    found = {name: _named(name, shape, most) for name, shape in dims.items()}
    pairs: list[tuple[Size, Size]] = []
    for name, words in assume.items():
        given = {words} if isinstance(words, str) else set(words)
        axes = found[name]
        said = sorted(w for w in given if w in ASSUMPTIONS and ASSUMPTIONS[w].of_matrices)
        if said and len(axes) == 2 and axes[0] != axes[1]:
            if all(isinstance(d, int) for d in axes):
                raise ShapeError(
                    f"variable {name}: {shown(said[0])} needs a square matrix, its axes "
                    f"are {format_axes(axes)}"
                )
            # Of two sizes the known one stays, else the first.
            pairs.append((axes[1], axes[0]) if unknown(axes[0]) else (axes[0], axes[1]))
    renamed = unify_sizes(pairs, "assume") if pairs else {}
    return {name: resized_dims(axes, renamed) for name, axes in found.items()}


def _named(name: str, axes: Sequence[Size | None] | int, most: int) -> Dims:
    if isinstance(axes, str):
        raise ShapeError(f"dims is a tuple of sizes, such as ({shown(axes)},), not {shown(axes)}")
    if isinstance(axes, int):
        if not 0 <= axes <= most:
            raise ShapeError(
                f"variable {name}: a number as dims says how many axes there are, up to "
                f"{most}, not {axes}; an axis of {axes} entries is ({axes},)"
            )
        axes = (None,) * axes
    if len(axes) > most:
        raise ShapeError(f"variable {name}: a matrix has at most two axes, not {len(axes)}")
    return tuple(unknown_size(name, k) if d is None else d for k, d in enumerate(axes))
