"""Measuring the rates of this machine, in less than a minute.

Everything is measured in this process as it is: with as many BLAS threads as it uses, with the
memory allocator warm. The fastest of a few runs counts, for others only show what else ran.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil, prod
from time import perf_counter
from timeit import Timer
from typing import Any, Final

import numpy as np

from eggrad.engine.costs.time_model import Curve, Rates
from eggrad.engine.runtime.indicators import indicator_product
from eggrad.engine.runtime.matrix_functions import adjugate, inverse_from_cholesky
from eggrad.engine.runtime.stable_functions import softmax
from eggrad.engine.terms.functions import FUNCTIONS

# What calibration measures: for every rate a NumPy statement, and the amounts of work it does.


Known = tuple[str, int, int]
"""A rate, its units and its repeats."""

# Entries: within the first cache, the second, and memory.
_ENTRIES: Final = (1, 100, 1_000, 10_000, 100_000, 1_000_000, 4_000_000)
_SQUARES: Final = (2, 8, 32, 100, 250, 1000, 2000)
_MATRICES: Final = (2, 10, 30, 100, 300)

_ELEMENTWISE: Final = {
    "arithmetic": "x + y",
    "scaling": "a * x",
    "negate": "np.negative(x)",
    "divide": "x / y",
    "reciprocal": "1.0 / x",
    "power": "x ** 2.5",
    "logaddexp": "np.logaddexp(0.0, x)",
    "maximum": "np.maximum(x, 0.0)",
    "sum": "x.sum()",
    "dot": "x.dot(y)",
    "zeros": "np.zeros(len(x))",
    "sqrt": "np.sqrt(x)",
} | {
    f.name: f.code.format("x") for f in FUNCTIONS.values() if f.arity == 1 and f.rates == (f.name,)
}


@dataclass(frozen=True)
class Trial:
    """One measurement: a statement, the sizes of its arrays, and what its time consists of.

    That is `repeats` times the rate wanted at `units`, and `known`, rates measured before.
    """

    statement: str
    arrays: Callable[..., dict[str, Any]]
    shape: tuple[int, ...]
    units: int
    repeats: int = 1
    known: tuple[Known, ...] = ()


@dataclass(frozen=True)
class Probe:
    """The trials of one rate: the points of its curve, or of a `linear` one the samples.

    A linear rate has no separate price for a call: it is what the trials took together.
    """

    rate: str
    trials: tuple[Trial, ...] = field(repr=False)
    linear: bool = False


def drawn(*shape: int) -> Any:
    """Numbers in the domain of every function, the same at every call."""
    return np.random.default_rng(0).uniform(0.1, 0.9, shape)


def vectors(n: int) -> dict[str, Any]:
    """Two vectors and a number."""
    return {"x": drawn(n), "y": drawn(n), "a": 0.5}


def _scalars() -> dict[str, Any]:
    return {"s": np.float64(0.5)}


def _matrix(m: int, n: int) -> dict[str, Any]:
    return {"A": drawn(m, n), "x": drawn(n), "y": drawn(m), "column": drawn(m, 1)}


def _definite(n: int) -> dict[str, Any]:
    return {"A": drawn(n, n) * 0.1 / n + np.eye(n), "x": drawn(n)}


def _triangular(n: int) -> dict[str, Any]:
    return {"A": np.tril(_definite(n)["A"])}


def _factors(m: int, k: int, n: int) -> dict[str, Any]:
    return {"A": drawn(m, k), "B": drawn(k, n)}


def _batch(b: int, m: int, k: int, n: int) -> dict[str, Any]:
    return {"A": drawn(b, m, k), "B": drawn(b, k, n), "X": drawn(b, k, 1)}


def _empty_square(n: int) -> dict[str, Any]:
    return {"square": np.zeros((n, n)), "x": drawn(n)}


def _elementwise() -> Iterator[Probe]:
    for rate, statement in _ELEMENTWISE.items():
        yield Probe(rate, tuple(Trial(statement, vectors, (n,), n) for n in _ENTRIES))
    yield Probe("scalar", (Trial("s * s", _scalars, (), 1),))
    yield Probe("scalar_function", (Trial("np.exp(s)", _scalars, (), 1),))
    yield Probe("view", (Trial("A.T", _matrix, (2, 2), 1),))
    # Entries written every other place: what plans it takes the time.
    apart = "indicator_product(((0, 1), (1,), (0,)), (('=', (1, -2, 0)),), (8, 4), x)"
    yield Probe("indicator", (Trial(apart, vectors, (4,), 1),))


def _memory() -> Iterator[Probe]:
    """Broadcasting, reductions and copies: the price of every run of the innermost loop."""
    squares = [(n, n) for n in _SQUARES]
    yield Probe("transposed", tuple(Trial("A.T.copy()", _matrix, s, s[0] * s[1]) for s in squares))
    wide = [(4, 1), (4, 25), (4, 250), (10, 1000), (100, 1000), (1000, 1000), (2000, 2000)]
    broadcast = [Trial("column * A", _matrix, s, s[0] * s[1]) for s in wide]
    yield Probe("broadcast", tuple(broadcast))
    runs = [
        Trial(text, _matrix, (m, n), m, known=(("broadcast", m * n, 1),))
        for m, n in [(300, 3), (1000, 10)]
        for text in ("A * x", "column * A", "column * x")
    ]
    yield Probe("loop", tuple(runs), linear=True)
    for rate, axis in (("sum_leading", 0), ("sum_trailing", 1)):
        yield Probe(
            rate,
            tuple(
                Trial(f"A.sum(axis={axis})", _matrix, (m, n), m * n)
                for m, n in [(1, 1), (4, 250), (10, 1000), (100, 1000), (1000, 1000)]
            ),
        )
    squares = [(n, n) for n in (1, *_SQUARES)]
    softmaxes = tuple(Trial("softmax(A, (1,))", _matrix, s, s[0] * s[1]) for s in squares)
    yield Probe("softmax", softmaxes)
    rows = [
        Trial(f"A.sum(axis={axis})", _matrix, (m, n), m, known=((rate, m * n, 1),))
        for rate, axis in (("sum_leading", 0), ("sum_trailing", 1))
        for m, n in [(300, 3), (1000, 10)]
    ]
    yield Probe("row", tuple(rows), linear=True)
    # Five results, more than one of them in use at a time: the allocator has to ask for memory.
    chain = "a = x + y; b = a - x; c = a * b; d = c - b; e = d * a; del a, b, c, d, e"
    fresh = [
        Trial(chain, vectors, (n,), n, repeats=5, known=(("arithmetic", n, 5),))
        for n in (1_000, 30_000, 300_000, 1_000_000, 3_000_000)
    ]
    yield Probe("fresh", tuple(fresh))
    write = "square.reshape(-1)[:: len(x) + 1] = x"
    scattered = [Trial(write, _empty_square, (n,), n) for n in (1, 100, 1000)]
    yield Probe("diagonal", tuple(scattered))


def _products() -> Iterator[Probe]:
    squares = [(n, n) for n in _SQUARES]
    yield Probe("gemv", tuple(Trial("A.dot(x)", _matrix, s, s[0] * s[1]) for s in squares))
    rows = [
        Trial(text, _matrix, (m, n), m, known=(("gemv", m * n, 1),))
        for text in ("A.dot(x)", "y.dot(A)")
        for m, n in [(300, 3), (1000, 10)]
    ]
    yield Probe("gemv_row", tuple(rows), linear=True)
    dots = [
        Trial("np.einsum('ij,ij->i', A, A)", _matrix, (m, n), m * n, known=(("loop", m, 1),))
        for m, n in [(1, 1), (10, 100), (10, 1000), (100, 1000), (1000, 1000)]
    ]
    yield Probe("rowwise_dot", tuple(dots))
    yield Probe(
        "matmul",
        tuple(
            Trial("A.dot(B)", _factors, (n, n, n), n**3) for n in (2, 8, 16, 32, 64, 128, 300, 800)
        ),
    )
    # What a thin product takes beyond its multiplications. Which operand is the larger makes a
    # difference that depends on their layouts, and those are not known.
    for rate, sides in (
        (
            "matmul_operand",
            [(100, 100, 2), (2, 100, 100), (300, 300, 8), (8, 300, 300), (1000, 1000, 4),
             (4, 1000, 1000)],
        ),
        ("matmul_out", [(100, 2, 100), (300, 8, 300), (1000, 4, 1000)]),
    ):  # fmt: skip
        thin = [
            Trial("A.dot(B)", _factors, s, prod(s) // min(s), known=(("matmul", prod(s), 1),))
            for s in sides
        ]
        yield Probe(rate, tuple(thin), linear=True)
    symmetric = [
        Trial("A.T.dot(A)", _matrix, (n, n), n**3, known=_thin(n))
        for n in (2, 8, 32, 100, 300, 800)
    ]
    yield Probe("syrk", tuple(symmetric))
    yield Probe("batch", (Trial("A @ B", _batch, (1, 1, 1, 1), 1),))
    for rate, text in (("batched_matmul", "A @ B"), ("batched_gemv", "A @ X")):
        points = [
            Trial(
                text,
                _batch,
                (b, n, n, n),
                n**3 if rate == "batched_matmul" else n * n,
                repeats=b,
                known=(("batch", 1, 1), *(_thin(n, b) if rate == "batched_matmul" else ())),
            )
            for b, n in [(1000, 1), (300, 4), (100, 10), (30, 30), (10, 100), (2, 400)]
        ]
        yield Probe(rate, tuple(points))


def _thin(n: int, b: int = 1) -> tuple[Known, ...]:
    sides = ("matmul_operand",) * (1 if b == 1 else 2) + ("matmul_out",)
    return tuple((side, b * n * n, 1) for side in sides)


def _decompositions() -> Iterator[Probe]:
    for rate, statement in {
        "inv": "np.linalg.inv(A)",
        "det": "np.linalg.det(A)",
        "slogdet": "np.linalg.slogdet(A)",
        "cholesky": "np.linalg.cholesky(A)",
        "solve": "np.linalg.solve(A, x)",
        "adj": "adjugate(A)",
    }.items():
        sizes = _MATRICES if rate == "adj" else (*_MATRICES, 800)
        yield Probe(rate, tuple(Trial(statement, _definite, (n,), n**3) for n in sizes))
    # Where the blocks that are inverted become smaller than the matrix, there is a kink.
    sizes = (*_MATRICES[:3], 64, 100, 300, 800)
    inverses = (Trial("inverse_from_cholesky(A)", _triangular, (n,), n**3) for n in sizes)
    yield Probe("inverse_from_cholesky", tuple(inverses))


# In this order: what a trial knows has been measured before.
PROBES: Final = (*_elementwise(), *_memory(), *_products(), *_decompositions())


_PICO = 10**12
# Seconds of one run, and of all runs of a trial; one run at least, however long.
_RUN = 0.004
_TRIAL = 0.15
_RUNS = 9


Measure = Callable[[str, dict[str, Any]], float]
"""What gives the seconds of a statement with some arrays."""


def calibrate(progress: Callable[[str], object] = str, probes: Iterable[Probe] = PROBES) -> Rates:
    """Measure all rates; `progress` is called with the name of each before it is measured."""
    with np.errstate(all="ignore"):
        return Rates(measured_curves(progress, probes, measure), np.__version__)


def measured_curves(
    progress: Callable[[str], object], probes: Iterable[Probe], measure: Measure
) -> dict[str, Curve]:
    """The curve of each rate."""
    curves: dict[str, Curve] = {}
    for probe in probes:
        progress(probe.rate)
        curves[probe.rate] = _curve(probe, Rates(curves, ""), measure)
    return curves


def measure(statement: str, arrays: dict[str, Any]) -> float:
    """The seconds of a statement, the best of a few runs.

    >>> 0 < measure("x + x", {"x": np.ones(3)}) < 1
    True
    """
    known = {
        "np": np,
        "softmax": softmax,
        "adjugate": adjugate,
        "inverse_from_cholesky": inverse_from_cholesky,
        "indicator_product": indicator_product,
    }
    return fastest(Timer(statement, globals=known | arrays))


def fastest(timer: Timer) -> float:
    """The seconds of what is timed, the best of a few runs."""
    timer.timeit(1)
    once = timer.timeit(1)
    number = ceil(_RUN / max(once, 1e-8))
    best, began = once, perf_counter()
    for run in range(_RUNS):
        best = min(best, timer.timeit(number) / number)
        if run and perf_counter() - began > _TRIAL:
            break
    return best


def _curve(probe: Probe, measured: Rates, measure: Measure) -> Curve:
    samples = [(t.units, _time(t, measured, measure)) for t in probe.trials]
    if probe.linear:
        units, time = (sum(column) for column in zip(*samples, strict=True))
        return Curve(((0, 0), (units, time)))
    points: list[tuple[int, int]] = []
    for units, time in samples:
        # Noise must not make more work cheaper.
        points.append((units, max(time, points[-1][1] if points else 0)))
    return Curve(tuple(points))


def _time(trial: Trial, measured: Rates, measure: Measure) -> int:
    """The picoseconds of the rate that a trial is for."""
    whole = round(_PICO * measure(trial.statement, trial.arrays(*trial.shape)))
    return max(0, whole - sum(measured.time(*known) for known in trial.known)) // trial.repeats
