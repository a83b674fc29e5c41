"""The files of the package in which a line is executed by a warm gradient, and by compiling it.

`python -m tests.benchmarks.executed_files [--names]` prints their numbers, or their names as well.
The function is that of logistic regression; nothing is remembered of it, but all that is loaded
once has been.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import eggrad as eg
from eggrad.engine import errors

PACKAGE = Path(errors.__file__).parents[1]


def logistic(names: str) -> tuple[eg.Expression, eg.Expression]:
    """The loss of logistic regression in three variables so called, and its weights."""
    data, labels, weights = names
    X, y = eg.variable(data, ("m", "n")), eg.variable(labels, ("m",))
    w = eg.variable(weights, ("n",))
    return eg.sum(eg.log(1 + eg.exp(-y * (X @ w)))), w


def executed(call: Callable[[], object]) -> set[str]:
    """The files of the package in which a line is executed, beside those of generated code.

    >>> executed(lambda: eg.variable("x", ("n",))) >= {"engine/terms/term.py"}
    True
    """
    found: set[str] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        found.add(frame.f_code.co_filename)

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    inside = (Path(name) for name in found if name.startswith(str(PACKAGE)))
    return {path.relative_to(PACKAGE).as_posix() for path in inside}


def main(arguments: list[str]) -> None:
    """Print both numbers."""
    for names in ("Xyw", "Abc"):
        loss, weights = logistic(names)
        eg.compile(eg.gradient(loss, weights))
    loss, weights = logistic("Dlv")
    gradients: list[eg.Expression] = []
    steps = {
        "gradient": lambda: gradients.append(eg.gradient(loss, weights)),
        "compile": lambda: eg.compile(gradients[0]),
    }
    for name, step in steps.items():
        files = sorted(executed(step))
        print(f"{name}: {len(files)} files")
        if "--names" in arguments:
            print(*(f"  {file}" for file in files), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
