"""How the values and sizes that a caller gives meet the variables of a term."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import (
    MISTAKES,
    BudgetExceeded,
    EggradError,
    ShapeError,
    UnknownVariable,
    UnsupportedOperation,
)
from eggrad.engine.indices.affine import is_simple, size_form, size_symbols, size_value
from eggrad.engine.indices.constraints import mentioned_sizes
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.term import Term, postorder

Array = np.ndarray[Any, Any]
_PLAIN: Final = (int, float)
IS_COMPLEX: Final = (
    "is complex: expressions are of real numbers; give the real and the imaginary part apart"
)


def symbols(*roots: Term) -> tuple[str, ...]:
    """The size symbols that the nodes of a DAG mention, sorted.

    >>> from eggrad.engine.terms.term import variable
    >>> symbols(variable("A", ("m", 3)), variable("x", ("n",)))
    ('m', 'n')
    """
    found: set[Size] = set()
    for node in postorder(*roots):
        found.update(node.dims)
        if node.op == "size":
            found.add(node.symbol)
        elif node.op == "indicator":
            found |= mentioned_sizes(node.constraints)
        elif node.op == "scan":
            found.update((node.loop.length, *node.loop.sizes))
    return tuple(sorted({symbol for d in found for symbol in size_symbols(d)}))


def known_sizes(roots: Iterable[Term], sizes: Mapping[str, int] | int | None) -> dict[Size, int]:
    """The sizes by their symbols; one number is the size of every symbol in some terms.

    >>> from eggrad.engine.terms.term import variable
    >>> known_sizes([variable("A", ("m", "n"))], 3)
    {'m': 3, 'n': 3}
    """
    if sizes is None:
        return {}
    if isinstance(sizes, Mapping):
        for symbol in sizes:
            if not isinstance(symbol, str):
                raise UnsupportedOperation(
                    f"sizes has symbols, which are texts, not {shown(symbol)}"
                )
        return {symbol: checked_size(symbol, number) for symbol, number in sizes.items()}
    if not isinstance(sizes, int | np.integer) or isinstance(sizes, bool):
        raise UnsupportedOperation(
            f'sizes is a dict such as {{"n": 3}}, or one integer from 0 up, not {shown(sizes)}'
        )
    return {symbol: checked_size(symbol, sizes) for symbol in symbols(*roots)}


def made_sizes(*roots: Term) -> tuple[Size, ...]:
    """The sizes that are made of others, such as `n - 1`.

    >>> from eggrad.engine.terms.term import constant
    >>> made_sizes(constant(1, ("n", "n - 1")))
    ('n - 1',)
    """
    nodes = list(postorder(*roots))
    numbers = (node.symbol for node in nodes if node.op == "size")
    every = dict.fromkeys([*(d for node in nodes for d in node.dims), *numbers])
    return tuple(d for d in every if not is_simple(d))


def enlarged(sizes: Mapping[str, int], made: Sequence[Size]) -> dict[str, int]:
    """Numbers for symbols, larger where a size that is made of others would be negative.

    >>> enlarged({"n": 1}, ["n - 3"])
    {'n': 3}
    """
    found = dict(sizes)
    # One enlarged may make another negative; sizes such as 2 - n have no end.
    for _ in range(len(made) ** 2):
        for d in made:
            missing = -size_value(d, found.__getitem__)
            added = [str(s) for s, c in size_form(d) if s and c > 0]
            if missing > 0 and added:
                found[added[0]] += missing
    return found


def concrete(dims: Sequence[Size], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of `dims` at the given sizes.

    Raises `UnknownVariable` for a symbol without a size, `ShapeError` for a negative size.

    >>> concrete(("n", "n - 1", 2), {"n": 3})
    (3, 2, 2)
    """

    def value(symbol: str) -> int:
        if symbol not in sizes:
            raise UnknownVariable(
                f"size {symbol}: no variable of the expression has an axis of it; give it as "
                f"{symbol}=..."
            )
        return sizes[symbol]

    found = tuple(size_value(d, value) for d in dims)
    for d, n in zip(dims, found, strict=True):
        if n < 0:
            known = ", ".join(f"{s} is {sizes[s]}" for s in size_symbols(d))
            raise ShapeError(f"size {d} is negative: {known}")
    return found


def bind(
    variables: Sequence[Term],
    values: Mapping[str, object],
    sizes: Mapping[str, int] | None = None,
    indices: Collection[str] = (),
) -> tuple[dict[str, Array], dict[str, int]]:
    """Check the values of `variables`, and read the size symbols off their shapes.

    Returns the values as arrays of one inexact dtype by name, and every size symbol's value. The
    dtype is NumPy's result of theirs, at least float32; integers count as float64, and Python's
    numbers do not count beside arrays; the values of `indices` neither count nor are converted.
    `sizes` gives further symbols. Raises `UnknownVariable` for a missing value, `ShapeError` for a
    wrong shape or two values of one symbol, `UnsupportedOperation` for a value that is not numeric.

    >>> from eggrad.engine.terms.term import variable
    >>> bind([variable("x", ("n",))], {"x": [1, 2]})
    ({'x': array([1., 2.])}, {'n': 2})
    """
    own_values = _given(variables, values)
    arrays = {name: numeric(name, value) for name, value in own_values.items()}
    found = read_sizes(variables, {name: a.shape for name, a in arrays.items()}, sizes)
    rest = {name: array for name, array in arrays.items() if name not in indices}
    pairs = ((own_values[name], array) for name, array in rest.items())
    dtype = common_dtype([v if type(v) in _PLAIN else array for v, array in pairs])
    known = {name: array.astype(dtype, copy=False) for name, array in rest.items()}
    return arrays | known, found


def _given(variables: Iterable[Term], values: Mapping[str, object]) -> dict[str, object]:
    """The values of variables by name; `UnknownVariable` where one is missing."""
    listed = tuple(variables)
    for variable in listed:
        if variable.name not in values:
            raise no_value(variable, listed, values)
    return {v.name: values[v.name] for v in listed}


def no_value(
    variable: Term, variables: Iterable[Term], values: Mapping[str, object]
) -> UnknownVariable:
    """What to say of a variable without a value: names that no variable has may be misspelt ones.

    >>> from eggrad.engine.terms.term import variable
    >>> x = variable("x", ("n",))
    >>> str(no_value(x, [x], {"y": 1}))
    'variable x (n) has no value; there is one for y, as no variable is called'
    """
    listed = tuple(variables)
    known = {*(v.name for v in listed), *symbols(*listed)}
    others = ", ".join(name for name in values if name not in known)
    hint = f"; there is one for {others}, as no variable is called" if others else ""
    return UnknownVariable(f"variable {variable.name} {_dims(variable)} has no value{hint}")


def read_sizes(
    variables: Iterable[Term],
    shapes: Mapping[str, tuple[int, ...]],
    sizes: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Check the shapes of the values of `variables`, and read the size symbols off them.

    `sizes` gives further symbols. Raises `ShapeError` for a wrong shape or two values of one
    symbol.

    >>> from eggrad.engine.terms.term import variable
    >>> read_sizes([variable("A", ("m", "n"))], {"A": (2, 3)})
    {'m': 2, 'n': 3}
    """
    origin: dict[Size, str] = {}
    found: dict[Size, int] = {}
    for symbol, number in (sizes or {}).items():
        found[symbol] = checked_size(symbol, number)
        origin[symbol] = "the sizes given"
    for variable in variables:
        name = variable.name
        shape = shapes[name]
        expected = tuple(d if isinstance(d, int) else -1 for d in variable.dims)
        if len(shape) != len(expected) or any(
            e not in (-1, n) for e, n in zip(expected, shape, strict=True)
        ):
            raise ShapeError(
                f"variable {name} has axes {_dims(variable)}, its value has shape {shape}"
            )
        for d, n in zip(variable.dims, shape, strict=True):
            if isinstance(d, str) and found.setdefault(d, n) != n:
                raise ShapeError(
                    f"size {d} is {found[d]} by {origin.get(d)}, but {n} by variable {name} with "
                    f"axes {_dims(variable)}, whose value has shape {shape}"
                )
            if isinstance(d, str):
                origin.setdefault(d, f"variable {name}")
    return _symbols_of(found, origin)


def _symbols_of(found: Mapping[Size, int], origin: Mapping[Size, str]) -> dict[str, int]:
    """The symbols alone, with those that only sizes made of them fix."""
    known = {str(d): n for d, n in found.items() if is_simple(d)}
    made = [(d, n) for d, n in found.items() if not is_simple(d)]
    while made:
        left = [(d, n) for d, n in made if not known.keys() >= {*size_symbols(d)}]
        for d, n in made:
            if (d, n) not in left and concrete((d,), known) != (n,):
                raise ShapeError(
                    f"size {d} is {n} by {origin[d]}, but {concrete((d,), known)[0]} for "
                    + " and ".join(f"{s} = {known[s]}" for s in size_symbols(d))
                )
        made = left
        fixed = next((pair for d, n in left if (pair := _fixed(d, n, known))), None)
        if fixed is None:
            break
        known |= dict([fixed])
    return known


def _fixed(size: Size, number: int, known: Mapping[str, int]) -> tuple[str, int] | None:
    """The only symbol of a size that is not known, and what it has to be."""
    unknown = [s for s in size_symbols(size) if s not in known]
    if len(unknown) != 1:
        return None
    (symbol,) = unknown
    base = size_value(size, lambda s: known.get(s, 0))
    step = size_value(size, lambda s: known.get(s, 1)) - base
    value, rest = divmod(number - base, step)
    if rest or value < 0:
        raise ShapeError(f"no {symbol} makes size {size} {number}")
    return symbol, value


def common_dtype(given: Collection[object]) -> np.dtype[Any]:
    """The dtype to compute with, as `bind` has it; what is no array is left out.

    >>> common_dtype([np.float32(1), 2]), common_dtype([np.arange(3)])
    (dtype('float32'), dtype('float64'))
    """
    arrays = [v.dtype for v in given if isinstance(v, np.ndarray | np.generic)]
    strong = [k if k.kind == "f" else np.dtype(np.float64) for k in arrays if k.kind in "biuf"]
    return np.result_type(np.float32 if strong else np.float64, *strong)


def _dims(term: Term) -> str:
    return f"({', '.join(str(d) for d in term.dims)})"


def numbers(what: str, value: object) -> Array:
    """What somebody gives as an array of real numbers; `UnsupportedOperation` for other values.

    >>> numbers("the operand", [1, 2])
    array([1, 2])
    >>> numbers("the operand", 1j)
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: the operand is complex: expressions are of real ...
    """
    if type(value).__module__.startswith("scipy.sparse"):
        raise UnsupportedOperation(f"{what} is a sparse matrix; give an array of all its entries")
    try:
        array = np.asarray(value)
    except EggradError as error:
        raise UnsupportedOperation(
            f"{what} is an expression, and an array is wanted; f.substitute puts expressions in "
            "place of variables"
        ) from error
    except MISTAKES as error:
        raise ShapeError(f"{what} is not an array: {error}") from error
    if array.dtype.kind == "c":
        raise UnsupportedOperation(f"{what} {IS_COMPLEX}")
    if array.dtype.kind not in "biuf":
        raise UnsupportedOperation(f"{what} is not an array of numbers: its dtype is {array.dtype}")
    return array


def numeric(name: str, value: object) -> Array:
    """The value of a variable as an array of numbers."""
    return numbers(f"the value of variable {name}", value)


def checked_size(symbol: str, number: object) -> int:
    """The number a size symbol stands for; `ShapeError` unless it is an integer from 0 up."""
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 0:
        raise ShapeError(f"size {symbol} is an integer from 0 up, not {shown(number)}")
    if number > MAXIMAL_SIZE:
        raise ShapeError(f"size {symbol} is at most {MAXIMAL_SIZE}")
    return int(number)


# How large arrays may be: their entries are counted before any is made.
#
# Systems promise more memory than they have, so an array that is too large is no error where it is
# made; the process is killed when it writes to it.


# Where a system does not say how much memory it has.
_FALLBACK: Final = 16 * 2**30
# What a container may take, in bytes; "max" where there is no limit.
_CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")
MOST_AXES: Final = 64


@cache
def memory() -> int:
    """The bytes of memory that this process may have: the machine's, or those of its container."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        found = _FALLBACK
    try:
        limit = _CONTAINER.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        limit = "max"
    return min(found, int(limit)) if limit.isdigit() else found


def check_memory(
    arrays: Iterable[Dims], sizes: Mapping[str, int], itemsize: int = 8, together: bool = False
) -> None:
    """Raise `BudgetExceeded` where an array with these axes, or all of them, take more memory.

    Axes of sizes that are not known are left out: who needs them says so.

    >>> check_memory([("n", "n")], {"n": 10**9})
    Traceback (most recent call last):
    eggrad.engine.errors.BudgetExceeded: an array of 1000000000 x 1000000000 entries needs ...
    """
    whole = 0
    for dims in arrays:
        if all(s in sizes for d in dims for s in size_symbols(d)):
            shape = concrete(dims, sizes)
            check_shape(shape, itemsize)
            whole += prod(shape) * itemsize
    if together and whole > memory():
        raise BudgetExceeded(f"the arrays need {_shown(whole)} of memory together, {_limit()}")


def check_shape(shape: tuple[int, ...], itemsize: int = 8) -> None:
    """Raise `BudgetExceeded` where one array would need more than the memory."""
    if len(shape) > MOST_AXES:
        raise ShapeError(f"NumPy's arrays have at most {MOST_AXES} axes, this has {len(shape)}")
    needed = prod(shape) * itemsize
    if needed > memory():
        entries = " x ".join(map(str, shape))
        raise BudgetExceeded(
            f"an array of {entries} entries needs {_shown(needed)} of memory, {_limit()}"
        )


def _limit() -> str:
    return f"this machine has {_shown(memory())}"


def _shown(number: int) -> str:
    return f"{number / 1e9:.3g} GB" if number < 10**300 else "more than 1e+291 GB"
