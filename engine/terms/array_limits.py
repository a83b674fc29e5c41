"""How large arrays may be: their entries are counted before any is made.

Systems promise more memory than they have, so an array that is too large is no error where it is
made; the process is killed when it writes to it.
"""

import os
from collections.abc import Iterable, Mapping
from functools import cache
from math import prod
from pathlib import Path
from typing import Final

from eggrad.engine.errors import BudgetExceeded, ShapeError
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.binding import concrete

__all__ = ["MOST_AXES", "check_memory", "check_shape", "memory"]

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
