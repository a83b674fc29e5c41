"""Element-wise definitions, against direct calls by hand: `python -m tests.benchmarks.elementwise`.

Correlations, their adjoints, bands and triangles; convolutions with channels against PyTorch,
where that is installed. `make bench` runs this with one thread.
"""

import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import quantiles
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import convolve2d, correlate2d

import eggrad as eg
from eggrad.engine.costs.calibration import measure
from tests.benchmarks.tables import table as markdown
from tests.frontend.elementwise.test_adjoint import CASES, definition

__all__ = ["Case", "Row", "adjoints_table", "cases", "table"]

Array = NDArray[Any]
BAND = 3


@dataclass(frozen=True)
class Case:
    """A definition, values, and a function by hand of the same values."""

    name: str
    definition: eg.Definition
    values: Mapping[str, Array]
    by_hand: Callable[[], Array]
    hand: str


@dataclass(frozen=True)
class Row:
    """Seconds of a case by hand, evaluated and compiled, and bytes beyond the operands."""

    case: Case
    by_hand: float
    evaluated: float
    compiled: float
    memory: float


def cases(scale: int = 1, torch: bool = False) -> Iterator[Case]:
    """Every case, its sizes divided by `scale`."""
    rng = np.random.default_rng(0)
    yield from _one_axis(rng, 10_000 // scale, 32 // scale)
    yield from _two_axes(rng, 128 // scale, 5)
    yield from _parts_of_matrices(rng, 1000 // scale)
    if torch:
        yield from _channels(rng, (8 // scale, 16 // scale, 32 // scale), 34 // scale, 3)


def _correlation(
    name: str,
    text: str,
    values: Mapping[str, Array],
    sizes: Mapping[str, int],
    by_hand: Mapping[str, Callable[[], Any]],
) -> Iterator[Case]:
    """The definition and its adjoints by signal and weights, each with what it is by hand."""
    shapes = {n: a.shape for n, a in values.items() if n != "df"}
    f = eg.parse_elementwise(text, shapes, sizes)
    made = {name: f}
    for x, of in (("x", "signal"), ("w", "weights")):
        made[f"{name}, adjoint of the {of}"] = f.adjoint(x)
    for (own, d), (hand, call) in zip(made.items(), by_hand.items(), strict=True):
        yield Case(own, d, values, call, hand)


def _one_axis(rng: Any, n: int, k: int) -> Iterator[Case]:
    x, w, df = rng.normal(size=n + k - 1), rng.normal(size=k), rng.normal(size=n)
    values = {"x": x, "w": w, "df": df}
    text = f"f[i] = sum{{k}}_0^{k - 1} (x[i + k]*w[k])"
    by_hand = {
        "np.correlate(x, w)": lambda: np.correlate(x, w),
        "np.convolve(df, w)": lambda: np.convolve(df, w),
        "np.correlate(x, df)": lambda: np.correlate(x, df),
    }
    yield from _correlation(f"{n:,} by {k}", text, values, {"i": n}, by_hand)


def _two_axes(rng: Any, n: int, k: int) -> Iterator[Case]:
    m = n - k + 1
    x, w, df = rng.normal(size=(n, n)), rng.normal(size=(k, k)), rng.normal(size=(m, m))
    values = {"x": x, "w": w, "df": df}
    inner = f"sum{{q}}_0^{k - 1} (x[i + p; j + q]*w[p; q])"
    text = f"f[i; j] = sum{{p}}_0^{k - 1} ({inner})"
    by_hand = {
        "SciPy's correlate2d(x, w)": lambda: correlate2d(x, w, "valid"),
        "SciPy's convolve2d(df, w)": lambda: convolve2d(df, w),
        "SciPy's correlate2d(x, df)": lambda: correlate2d(x, df, "valid"),
    }
    yield from _correlation(f"{n} by {n}, {k} by {k}", text, values, {"i": m, "j": m}, by_hand)


def _parts_of_matrices(rng: Any, n: int) -> Iterator[Case]:
    A, x, B = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=(n, n))
    band = f"f[i] = sum{{j}}_(max [0; i - {BAND}])^(min [{n - 1}; i + {BAND}]) (A[i; j]*x[j])"
    d = eg.parse_elementwise(band, {"A": A.shape, "x": x.shape}, {"i": n})
    yield Case("a band", d, {"A": A, "x": x}, lambda: banded(A, x), "diagonal by diagonal")
    d = eg.parse_elementwise(
        "f[i] = sum{j}_0^i (A[i; j]*x[j])", {"A": A.shape, "x": x.shape}, {"i": n}
    )
    yield Case("a triangle times a vector", d, {"A": A, "x": x}, lambda: np.tril(A) @ x, "np.tril")
    m = n * 3 // 10
    C, D = A[:m, :m].copy(), B[:m, :m].copy()
    text = "f[i; k] = sum{j}_0^i (A[i; j]*B[j; k])"
    d = eg.parse_elementwise(text, {"A": (m, m), "B": (m, m)}, {"i": m, "k": m})
    yield Case("a triangle times a matrix", d, {"A": C, "B": D}, lambda: np.tril(C) @ D, "np.tril")


def banded(matrix: Array, vector: Array) -> Array:
    """A banded matrix times a vector, a diagonal at a time."""
    n = len(vector)
    result = np.zeros(n)
    for k in range(-BAND, BAND + 1):
        rows, columns = slice(max(0, -k), n - max(0, k)), slice(max(0, k), n - max(0, -k))
        result[rows] += matrix.diagonal(k) * vector[columns]
    return result


def _channels(rng: Any, sizes: tuple[int, int, int], n: int, k: int) -> Iterator[Case]:
    torch = import_module("torch")
    gradients = import_module("torch.nn.grad")
    torch.set_num_threads(1)
    b, c, o = sizes
    m = n - k + 1
    x, w = rng.normal(size=(b, c, n, n)), rng.normal(size=(o, c, k, k))
    values = {"x": x, "w": w, "df": rng.normal(size=(b, o, m, m))}
    tx, tw, tdf = map(torch.from_numpy, values.values())
    sums = f"sum{{c}}_0^{c - 1} (sum{{p}}_0^{k - 1} (sum{{q}}_0^{k - 1} ("
    text = f"f[b; o; i; j] = {sums}x[b; c; i + p; j + q]*w[o; c; p; q])))"
    by_hand: dict[str, Callable[[], Any]] = {
        "PyTorch's conv2d": lambda: torch.nn.functional.conv2d(tx, tw).numpy(),
        "PyTorch's conv2d_input": lambda: gradients.conv2d_input(x.shape, tw, tdf).numpy(),
        "PyTorch's conv2d_weight": lambda: gradients.conv2d_weight(tx, w.shape, tdf).numpy(),
    }
    yield from _correlation("channels", text, values, {"b": b, "o": o, "i": m, "j": m}, by_hand)


def row(case: Case) -> Row:
    """Check that all three ways give the same, then time them."""
    compiled = eg.compile(case.definition.expression)
    own = {n: a for n, a in case.values.items() if n in case.definition.arguments}

    def evaluated() -> Array:
        return case.definition.evaluate(own)

    def called() -> Array:
        return compiled(**own)

    want = case.by_hand()
    for way in (evaluated, called):
        np.testing.assert_allclose(way(), want, 1e-9, 1e-9)
    tracemalloc.start()
    result = called()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    operands = sum(a.nbytes for a in own.values()) + result.nbytes
    hand, own_time, code = (measure("f()", {"f": f}) for f in (case.by_hand, evaluated, called))
    return Row(case, hand, own_time, code, peak / operands)


def table(rows: list[Row]) -> str:
    """Ratios to what is written by hand."""
    lines: list[list[str]] = []
    for r in rows:
        ratios = (f"{seconds / r.by_hand:.2f}" for seconds in (r.compiled, r.evaluated))
        by_hand = f"{1e6 * r.by_hand:.0f}"
        lines.append([r.case.name, r.case.hand, by_hand, *ratios, f"{r.memory:.1f}"])
    return markdown("definition | by hand | µs | compiled | `evaluate` | memory", lines, 2)


def adjoints_table() -> str:
    """How long all adjoints of each public case take to derive, after one that loads the rules."""
    times: list[float] = []
    for case in (CASES[0], *CASES):
        f = definition(case)
        began = perf_counter()
        for x in f.arguments:
            f.adjoint(x)
        times.append(1000 * (perf_counter() - began))
    cuts = quantiles(times[1:], n=20, method="inclusive")
    return (
        f"All adjoints of a definition, {len(CASES)} definitions: median {cuts[9]:.1f} ms, "
        f"p95 {cuts[18]:.1f} ms."
    )


if __name__ == "__main__":
    print(table([row(case) for case in cases(torch=find_spec("torch") is not None)]))
    print()
    print(adjoints_table())
