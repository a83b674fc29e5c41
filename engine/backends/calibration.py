"""Measuring the rates of JAX's compiled functions on this machine.

What counts is the time within a compiled function, where XLA fuses element-wise operations into
one loop: so each kernel is measured several times in one function, and what calling a function
takes is left out. What NumPy pays for each call, for runs of the innermost loop and for fresh
memory is not there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final

from eggrad.engine.backends.kernels import kernels_of
from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.costs.time_model import Curve, Rates
from eggrad.engine.terms.functions import FUNCTIONS

# How often a kernel occurs in the function that is measured.
_COPIES: Final = 8
_ENTRIES: Final = (1_000, 10_000, 100_000, 1_000_000)
_SQUARES: Final = (8, 30, 100, 300, 1000)
_MATRICES: Final = (8, 30, 100, 300)
_PICO: Final = 10**12
_SECONDS: Final = 0.15
_RUNS: Final = 5

_ELEMENTWISE: Final = {
    "arithmetic": "x + y",
    "scaling": "0.5 * x",
    "negate": "-x",
    "divide": "y / x",
    "reciprocal": "1.0 / x",
    "power": "x ** 2.5",
    "logaddexp": "xp.logaddexp(x, y)",
    "maximum": "xp.maximum(x, y)",
    "sqrt": "xp.sqrt(x)",
} | {
    f.name: f.standard.format("x")
    for f in FUNCTIONS.values()
    if f.arity == 1 and f.rates == (f.name,)
}
# The units of a kernel at n, its statement, the shapes of its arrays.
_OF_MATRICES: Final = {
    "matmul": (3, "A @ B"),
    "syrk": (3, "A.T @ A"),
    "gemv": (2, "A @ x"),
    "dot": (2, "xp.einsum('ij,ij->', A, B)"),
    "rowwise_dot": (2, "xp.einsum('ij,ij->i', A, B)"),
    "sum": (2, "xp.sum(A)"),
    "sum_leading": (2, "xp.sum(A, axis=0)"),
    "sum_trailing": (2, "xp.sum(A, axis=1)"),
}
_DECOMPOSITIONS: Final = {
    "inv": "own.inverse(A)",
    "det": "own.determinant(A)",
    "slogdet": "xp.linalg.slogdet(A)[1]",
    "cholesky": "own.cholesky(A)",
    "solve": "own.solve(A, x)",
    "adj": "own.adjugate(A)",
    "inverse_from_cholesky": "own.inverse_from_cholesky(A)",
}
# What XLA does together with something else.
_FREE: Final = (
    "scalar", "scalar_function", "view", "indicator", "loop", "row", "gemv_row", "fresh", "batch",
    "diagonal", "matmul_operand",
)  # fmt: skip


@dataclass(frozen=True)
class Timer:
    """Times statements within compiled functions."""

    xp: Any
    jit: Callable[..., Any]
    wait: Callable[[Any], Any]

    def function(self, statement: str, first: str) -> Callable[..., Any]:
        """A compiled function that computes a statement once for each of several arrays `first`."""
        namespace = {"xp": self.xp, "own": kernels_of("jax", self.xp)}
        code = compile(statement, "<calibration>", "eval")

        def repeated(several: Sequence[Any], arrays: dict[str, Any]) -> Any:
            # Operands differ, or XLA would compute one of them alone.
            values = (eval(code, namespace | arrays | {first: own}) for own in several)
            return sum(values, 0.0)

        return self.jit(repeated)

    def shifted(self, statement: str, count: int) -> Callable[..., Any]:
        """The same of x and numbers added to it, which XLA does in the same loop."""
        inner = self.function(statement, "x")
        return self.jit(
            lambda _, arrays: inner([arrays["x"] + k * 1e-3 for k in range(count)], arrays)
        )

    def seconds(self, call: Callable[[], Any]) -> float:
        """The seconds of a call, the best of a few."""
        self.wait(call())
        began = perf_counter()
        self.wait(call())
        once = perf_counter() - began
        number = max(1, int(_SECONDS / _RUNS / max(once, 1e-7)))
        best = once
        for _ in range(_RUNS):
            began = perf_counter()
            for _ in range(number):
                self.wait(call())
            best = min(best, (perf_counter() - began) / number)
        return best

    def one(self, statement: str, arrays: dict[str, Any], fused: bool = False) -> float:
        """The seconds of a statement within a function: of several, without one of them."""
        times: list[float] = []
        for count in (1, _COPIES):
            several = [] if fused else [arrays["A"] + k * 1e-9 for k in range(count)]
            own = self.shifted(statement, count) if fused else self.function(statement, "A")
            times.append(self.seconds(partial(own, several, arrays)))
        return max(0.0, times[1] - times[0]) / (_COPIES - 1)


def calibrate_jax(progress: Callable[[str], object] = str) -> Rates:
    """Measure all rates; `progress` is called with the name of each before it is measured."""
    import jax

    xp = LIBRARIES["jax"].module()
    with jax.enable_x64(True):
        timer = Timer(xp, jax.jit, jax.block_until_ready)
        curves = _measured(timer, progress)
    return Rates(curves, jax.__version__, "jax")


def _measured(timer: Timer, progress: Callable[[str], object]) -> dict[str, Curve]:
    curves: dict[str, Curve] = {}
    for rate, statement in _ELEMENTWISE.items():
        progress(rate)
        times = [timer.one(statement, _vectors(timer.xp, n), fused=True) for n in _ENTRIES]
        curves[rate] = _curve(_ENTRIES, times)
    for rate, (power, statement) in _OF_MATRICES.items():
        progress(rate)
        times = [timer.one(statement, _matrices(timer.xp, n)) for n in _SQUARES]
        curves[rate] = _curve([n**power for n in _SQUARES], times)
    for rate, statement in _DECOMPOSITIONS.items():
        progress(rate)
        times = [timer.one(statement, _matrices(timer.xp, n)) for n in _MATRICES]
        curves[rate] = _curve([n**3 for n in _MATRICES], times)
    progress("batched_matmul")
    batches = [timer.one("A @ B", _batches(timer.xp, n)) for n in _MATRICES[:3]]
    curves["batched_matmul"] = _curve([n**3 for n in _MATRICES[:3]], [t / 10 for t in batches])
    batches = [timer.one("xp.einsum('bij,bj->bi', A, x)", _batches(timer.xp, n)) for n in _MATRICES]
    curves["batched_gemv"] = _curve([n**2 for n in _MATRICES], [t / 10 for t in batches])
    # XLA computes exponentials and sums once for a softmax and for its logarithm.
    curves["softmax"] = curves["divide"]
    arithmetic = curves["arithmetic"]
    # A result that is written, or an array that is read once more.
    written = {"broadcast", "transposed", "zeros", "matmul_out"}
    return curves | dict.fromkeys(written, arithmetic) | dict.fromkeys(_FREE, Curve(((1, 0),)))


def _curve(units: Sequence[int], seconds: Sequence[float]) -> Curve:
    points: list[tuple[int, int]] = []
    for n, time in zip(units, seconds, strict=True):
        # Noise must not make more work cheaper.
        points.append((n, max(round(_PICO * time), points[-1][1] if points else 0)))
    return Curve(((0, 0), *points))


def _random(xp: Any, *shape: int) -> Any:
    import numpy as np

    return xp.asarray(np.random.default_rng(0).uniform(0.1, 0.9, shape))


def _vectors(xp: Any, n: int) -> dict[str, Any]:
    return {"x": _random(xp, n), "y": _random(xp, n)}


def _matrices(xp: Any, n: int) -> dict[str, Any]:
    own = _random(xp, n, n) * 0.1 / n
    return {"A": own + own.T + xp.eye(n), "B": _random(xp, n, n), "x": _random(xp, n)}


def _batches(xp: Any, n: int) -> dict[str, Any]:
    return {"A": _random(xp, 10, n, n), "B": _random(xp, 10, n, n), "x": _random(xp, 10, n)}
