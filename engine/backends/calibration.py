"""Measuring the rates of JAX's compiled functions on this machine.

What counts is the time within a compiled function, where XLA fuses element-wise operations into
one loop: so each kernel is measured several times in one function, and what calling a function
takes is left out. What NumPy pays for each call, for runs of the innermost loop and for fresh
memory is not there.
"""

import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from eggrad.engine.backends.dialect import WORDS
from eggrad.engine.backends.kernels import kernels_of
from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.costs.calibration import Probe, Trial, drawn, fastest, measured_curves, vectors
from eggrad.engine.costs.time_model import Curve, Rates
from eggrad.engine.terms.functions import FUNCTIONS

# How often a kernel occurs in the function that is measured.
_COPIES: Final = 8
_ENTRIES: Final = (1_000, 10_000, 100_000, 1_000_000)
_SQUARES: Final = (8, 30, 100, 300, 1000)
_MATRICES: Final = (8, 30, 100, 300)

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
    f.name: WORDS[f.name].format("x")
    for f in FUNCTIONS.values()
    if f.arity == 1 and f.rates == (f.name,) and f.name in WORDS
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
_OF_BATCHES: Final = {
    "batched_matmul": (3, "A @ B"),
    "batched_gemv": (2, "xp.einsum('bij,bj->bi', A, x)"),
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
            values = (eval(code, namespace | arrays | {first: array}) for array in several)
            return sum(values, 0.0)

        return self.jit(repeated)

    def shifted(self, statement: str, count: int) -> Callable[..., Any]:
        """The same of x and numbers added to it, which XLA does in the same loop."""
        inner = self.function(statement, "x")
        return self.jit(
            lambda _, arrays: inner([arrays["x"] + k * 1e-3 for k in range(count)], arrays)
        )

    def one(self, statement: str, arrays: Mapping[str, Any]) -> float:
        """The seconds of a statement within a function: of several, without one of them."""
        operands = {name: self.xp.asarray(value) for name, value in arrays.items()}
        times: list[float] = []
        for count in (1, _COPIES):
            several = [operands["A"] + k * 1e-9 for k in range(count)] if "A" in operands else []
            call = self.function(statement, "A") if several else self.shifted(statement, count)
            times.append(fastest(timeit.Timer(lambda c=call, s=several: self.wait(c(s, operands)))))
        return max(0.0, times[1] - times[0]) / (_COPIES - 1)


def calibrate_jax(progress: Callable[[str], object] = str) -> Rates:
    """Measure all rates; `progress` is called with the name of each before it is measured."""
    import jax

    xp = LIBRARIES["jax"].module()
    with jax.enable_x64(True):
        timer = Timer(xp, jax.jit, jax.block_until_ready)
        measured = measured_curves(progress, _probes(), timer.one)
    # No work takes no time, as what a call takes is left out.
    curves = {rate: Curve(((0, 0), *curve.points)) for rate, curve in measured.items()}
    # XLA computes exponentials and sums once for a softmax and for its logarithm.
    curves["softmax"] = curves["divide"]
    # A result that is written, or an array that is read once more.
    written = ("broadcast", "transposed", "zeros", "matmul_out")
    curves |= dict.fromkeys(written, curves["arithmetic"])
    return Rates(curves | dict.fromkeys(_FREE, Curve(((1, 0),))), jax.__version__, "jax")


def _probes() -> Iterator[Probe]:
    for rate, statement in _ELEMENTWISE.items():
        yield Probe(rate, tuple(Trial(statement, vectors, (n,), n) for n in _ENTRIES))
    for rate, (power, statement) in _OF_MATRICES.items():
        yield Probe(rate, tuple(Trial(statement, _matrices, (n,), n**power) for n in _SQUARES))
    for rate, statement in _DECOMPOSITIONS.items():
        yield Probe(rate, tuple(Trial(statement, _matrices, (n,), n**3) for n in _MATRICES))
    for rate, (power, statement) in _OF_BATCHES.items():
        sizes = _MATRICES[: 6 - power]
        trials = (Trial(statement, _batches, (n,), n**power, repeats=10) for n in sizes)
        yield Probe(rate, tuple(trials))


def _matrices(n: int) -> dict[str, Any]:
    matrix = drawn(n, n) * 0.1 / n
    return {"A": matrix + matrix.T + np.eye(n), "B": drawn(n, n), "x": drawn(n)}


def _batches(n: int) -> dict[str, Any]:
    return {"A": drawn(10, n, n), "B": drawn(10, n, n), "x": drawn(10, n)}
