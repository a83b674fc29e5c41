"""How many threads BLAS takes: what is best for one is often not for several."""

import os
from functools import lru_cache
from typing import Final

__all__ = ["blas_threads"]

_NAMES: Final = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


@lru_cache
def blas_threads() -> int:
    """How many threads OpenBLAS takes, by what the environment says, or else by the cores."""
    given = (os.environ.get(name, "") for name in _NAMES)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return next((int(text) for text in given if text.isdecimal() and int(text)), cores or 1)
