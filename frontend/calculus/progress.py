"""A line about what takes more than a second: on standard error, where somebody sees it."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from shutil import get_terminal_size
from time import perf_counter
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from eggrad.engine.saturation.schedule import PROGRESS

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Run

# Seconds before the first line, and between two.
_FIRST: Final = 1.0
_NEXT: Final = 0.2
# "1" asks for the line wherever standard error leads to, "0" for none.
VARIABLE: Final = "EGGRAD_PROGRESS"

_P = ParamSpec("_P")
_R = TypeVar("_R")


def shows_progress(doing: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function that runs rules say how far they are, unless what has called it does.

    >>> @shows_progress("adding")
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> add(1, 2)
    3
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def call(*args: _P.args, **options: _P.kwargs) -> _R:
            if PROGRESS.get() is not None or not _is_seen():
                return function(*args, **options)
            line = _Line(doing)
            token = PROGRESS.set(line.tell)
            try:
                return function(*args, **options)
            finally:
                PROGRESS.reset(token)
                line.write("")

        return call

    return decorate


def _is_seen() -> bool:
    """Whether somebody sees standard error: in a terminal, or in a notebook."""
    asked = os.environ.get(VARIABLE)
    if asked:
        return asked != "0"
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


class _Line:
    """A line that each text takes from the one before."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._began = perf_counter()
        self._due = self._began + _FIRST
        self._length = 0

    def tell(self, stage: str, run: "Run") -> None:
        """Say where a run is, if it is time to."""
        now = perf_counter()
        if now < self._due:
            return
        self._due = now + _NEXT
        rounds = f", round {run.round}" if run.round else ""
        size = f"{run.egraph.size():,} e-nodes, {run.report.iterations} iterations"
        self.write(f"{self._doing}: {stage}{rounds}, {size}, {now - self._began:.1f} s")

    def write(self, text: str) -> None:
        """Replace the text before, which may have been none."""
        shown = text[: get_terminal_size().columns - 1]
        if self._length:
            sys.stderr.write(f"\r{' ' * self._length}\r")
        if shown or self._length:
            sys.stderr.write(shown)
            sys.stderr.flush()
        self._length = len(shown)
