"""Measuring the rates of this machine, in less than a minute.

Everything is measured in this process as it is: with as many BLAS threads as it uses, with the
memory allocator warm. The fastest of a few runs counts, for others only show what else ran.
"""

from collections.abc import Callable, Iterable
from math import ceil
from time import perf_counter
from timeit import Timer
from typing import Any

import numpy as np

from eggrad.engine.costs.probes import PROBES, Probe, Trial
from eggrad.engine.costs.rates import Curve, Rates
from eggrad.engine.runtime.matrix_functions import adjugate, inverse_from_cholesky

__all__ = ["calibrate", "measure"]

_PICO = 10**12
# Seconds of one run, and of all runs of a trial; one run at least, however long.
_RUN = 0.004
_TRIAL = 0.15
_RUNS = 9


def calibrate(progress: Callable[[str], object] = str, probes: Iterable[Probe] = PROBES) -> Rates:
    """Measure all rates; `progress` is called with the name of each before it is measured."""
    curves: dict[str, Curve] = {}
    with np.errstate(all="ignore"):
        for probe in probes:
            progress(probe.rate)
            curves[probe.rate] = _curve(probe, Rates(curves, np.__version__))
    return Rates(curves, np.__version__)


def measure(statement: str, arrays: dict[str, Any]) -> float:
    """The seconds of a statement, the best of a few runs.

    >>> 0 < measure("x + x", {"x": np.ones(3)}) < 1
    True
    """
    known = {"np": np, "adjugate": adjugate, "inverse_from_cholesky": inverse_from_cholesky}
    timer = Timer(statement, globals=known | arrays)
    timer.timeit(1)
    once = timer.timeit(1)
    number = ceil(_RUN / max(once, 1e-8))
    best, began = once, perf_counter()
    for run in range(_RUNS):
        best = min(best, timer.timeit(number) / number)
        if run and perf_counter() - began > _TRIAL:
            break
    return best


def _curve(probe: Probe, measured: Rates) -> Curve:
    samples = [(t.units, _time(t, measured)) for t in probe.trials]
    if probe.linear:
        units, time = (sum(column) for column in zip(*samples, strict=True))
        return Curve(((0, 0), (units, time)))
    points: list[tuple[int, int]] = []
    for units, time in samples:
        # Noise must not make more work cheaper.
        points.append((units, max(time, points[-1][1] if points else 0)))
    return Curve(tuple(points))


def _time(trial: Trial, measured: Rates) -> int:
    """The picoseconds of the rate that a trial is for."""
    whole = round(_PICO * measure(trial.statement, trial.arrays(*trial.shape)))
    return max(0, whole - sum(measured.time(*known) for known in trial.known)) // trial.repeats
