"""What generated code calls for loops: one step after the other, and the states kept."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eggrad.engine.terms.binding import Array


def run_loop(
    step: Callable[..., Sequence[Any]],
    length: int,
    starts: Sequence[Any],
    slices: Sequence[Array],
    constants: Sequence[Any],
    *,
    backwards: bool,
) -> list[Array]:
    """The states before and after each step, `length` + 1 of each carry; backwards from the end.

    A step is given states and slices with a first axis of size 1, and gives its results so.

    >>> run_loop(lambda h, x: [h + x], 3, [np.array(1.0)], [np.arange(3.0)], [], backwards=False)
    [array([1., 1., 2., 4.])]
    """
    kept: list[Array] = []
    for start in map(np.asarray, starts):
        dtype = np.result_type(start, *slices, *constants)
        states = np.empty((length + 1, *start.shape), dtype)
        states[-1 if backwards else 0] = start
        kept.append(states)
    now = [states[-1:] if backwards else states[:1] for states in kept]
    read = [a[:, None] for a in slices]
    places = reversed(range(length)) if backwards else range(length)
    for k in places:
        made = step(*now, *(a[k] for a in read), *constants)
        after = k if backwards else k + 1
        for j, states in enumerate(kept):
            now[j] = state = states[after : after + 1]
            state[...] = made[j]
    return kept
