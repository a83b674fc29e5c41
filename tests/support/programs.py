"""Programs in processes of their own, and errors that are raised after a time."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from tests.support.places import ROOT


def python(
    *arguments: object,
    folder: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    check: bool = True,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """A Python process that has ended, with what it printed; `check` raises where it failed.

    >>> python("-c", "print(6 * 7)").stdout
    '42\\n'
    """
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=check,
        **options,
    )


@contextmanager
def raised_after(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise an error in what takes longer.

    It is raised again each second: what is raised in a callback of the garbage collector or of a
    weak reference is lost.
    """

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
