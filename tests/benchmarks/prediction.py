"""Predicted against measured time of single nodes: `python -m tests.benchmarks.prediction`.

Each node is timed as a statement written by hand, the way a good lowering computes it, and as the
generated code computes it. Rates are measured first, in the same process; with `--default` those
that come with eggrad are used. `make bench` runs this with one BLAS thread.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.costs.calibration import calibrate, measure
from eggrad.engine.costs.time_model import Rates, TimeModel, default_rates, term_work
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.functions import FUNCTIONS, UNARY
from eggrad.engine.terms.term import Term
from tests.benchmarks.tables import table as markdown

__all__ = ["CASES", "Case", "Row", "rows", "table"]

A = t.variable("A", ("m", "n"))
B = t.variable("B", ("n", "k"))
C = t.variable("C", ("m", "n"))
S = t.variable("S", ("n", "n"))
T = t.variable("T", ("b", "m", "n"))
U = t.variable("U", ("b", "n", "k"))
V = t.variable("V", ("b", "n"))
W = t.variable("W", ("m", "k", "n"))
x = t.variable("x", ("n",))
y = t.variable("y", ("m",))
z = t.variable("z", ("n",))
c = t.variable("c")

VECTOR = ({"n": 10}, {"n": 1000}, {"n": 100_000})
MATRIX = ({"m": 10, "n": 10}, {"m": 100, "n": 100}, {"m": 1000, "n": 1000})
UNEVEN = (*MATRIX, {"m": 1000, "n": 10}, {"m": 10, "n": 1000})
SQUARE = ({"n": 10}, {"n": 30}, {"n": 100}, {"n": 300})
THREE = (
    *({"m": n, "n": n, "k": n} for n in (10, 100, 300)),
    {"m": 1000, "n": 1000, "k": 3},
    {"m": 1000, "n": 3, "k": 1000},
    {"m": 3, "n": 1000, "k": 1000},
    {"m": 10, "n": 1000, "k": 10},
)
BATCH = (
    {"b": 10, "m": 10, "n": 10, "k": 10},
    {"b": 1000, "m": 10, "n": 10, "k": 10},
    {"b": 10, "m": 100, "n": 100, "k": 100},
)


@dataclass(frozen=True)
class Case:
    """A node of a term, the same by hand, and the sizes at which to time it."""

    name: str
    node: Term
    statement: str
    sizes: tuple[Mapping[str, int], ...]


def _elementwise() -> Iterator[Case]:
    for name in UNARY:
        call = FUNCTIONS[name].code.format("x")
        yield Case(name, t.apply(name, x), call, VECTOR)
    yield Case("x + z", t.add(x, z), "x + z", VECTOR)
    yield Case("x / z", t.divide(x, z), "x / z", VECTOR)
    yield Case("-x", t.negate(x), "np.negative(x)", VECTOR)
    for exponent, text in (
        (t.Fraction(2), "x * x"),
        (t.Fraction(-1), "1.0 / x"),
        (t.Fraction(1, 2), "np.sqrt(x)"),
        (t.Fraction(3, 2), "x ** 1.5"),
    ):
        yield Case(f"x ^ {exponent}", t.power(x, t.constant(exponent)), text, VECTOR)


CASES: tuple[Case, ...] = (
    *_elementwise(),
    Case("2 A", t.einsum(",ij->ij", t.constant(2), A), "2.0 * A", MATRIX),
    Case("i,i->i", t.einsum("i,i->i", x, z), "x * z", VECTOR),
    Case("ij,i->ij", t.einsum("ij,i->ij", A, y), "A * y[:, None]", UNEVEN),
    Case("ij,j->ij", t.einsum("ij,j->ij", A, x), "A * x", UNEVEN),
    Case("i,j->ij", t.einsum("i,j->ij", y, x), "y[:, None].dot(x[None])", UNEVEN),
    Case("ij,ji->ij", t.einsum("ij,ji->ij", S, S), "S * S.T", SQUARE),
    Case("ij->i", t.einsum("ij->i", A), "A.sum(axis=1)", UNEVEN),
    Case("ij->j", t.einsum("ij->j", A), "A.sum(axis=0)", UNEVEN),
    Case("ij->", t.einsum("ij->", A), "A.sum()", MATRIX),
    Case("ii->", t.einsum("ii->", S), "S.diagonal().sum()", SQUARE),
    Case("i,i->", t.einsum("i,i->", x, z), "x.dot(z)", VECTOR),
    Case("ij,ij->", t.einsum("ij,ij->", A, C), "A.reshape(-1).dot(C.reshape(-1))", MATRIX),
    Case("ij,ij->i", t.einsum("ij,ij->i", A, C), "np.einsum('ij,ij->i', A, C)", UNEVEN),
    Case("ij,j->i", t.einsum("ij,j->i", A, x), "A.dot(x)", UNEVEN),
    Case("ij,i->j", t.einsum("ij,i->j", A, y), "y.dot(A)", UNEVEN),
    Case("ij,jk->ik", t.einsum("ij,jk->ik", A, B), "A.dot(B)", THREE),
    Case("ki,kj->ij", t.einsum("ki,kj->ij", A, A), "A.T.dot(A)", UNEVEN),
    Case("ij,ikj->ik", t.einsum("ij,ikj->ik", A, W), "(W @ A[:, :, None])[:, :, 0]", THREE[:2]),
    Case("ijk,ikl->ijl", t.einsum("ijk,ikl->ijl", T, U), "T @ U", BATCH),
    Case("ijk,ik->ij", t.einsum("ijk,ik->ij", T, V), "(T @ V[:, :, None])[:, :, 0]", BATCH),
    Case(
        "ikj,lj->ikl",
        t.einsum("ikj,lj->ikl", W, C),
        "W.reshape(-1, n).dot(C.T).reshape(m, k, m)",
        THREE[:2],
    ),
    Case("diag(x)", t.einsum("i,ij->ij", x, t.delta(("n",))), "scattered(x)", SQUARE),
    Case("ij,ik->ijk", t.einsum("ij,ik->ijk", S, t.delta(("n",))), "spread(S)", SQUARE[:3]),
    Case("inv", t.apply("inv", S), "np.linalg.inv(S)", SQUARE),
    Case("det", t.apply("det", S), "np.linalg.det(S)", SQUARE),
)


@dataclass(frozen=True)
class Row:
    """The times of one node at some sizes, in seconds."""

    name: str
    sizes: Mapping[str, int]
    predicted: float
    measured: float
    generated: float

    @property
    def ratio(self) -> float:
        """Predicted by measured time."""
        return self.predicted / self.measured


def scattered(vector: Any) -> Any:
    """The diagonal matrix of a vector."""
    n = len(vector)
    result = np.zeros((n, n))
    result.reshape(-1)[:: n + 1] = vector
    return result


def spread(matrix: Any) -> Any:
    """`result[i, j, i] = matrix[i, j]`."""
    n = len(matrix)
    result = np.zeros((n, n, n))
    np.einsum("iji->ij", result)[:] = matrix
    return result


def rows(rates: Rates, cases: tuple[Case, ...] = CASES) -> Iterator[Row]:
    """Predict and measure every case."""
    for case in cases:
        for sizes in case.sizes:
            yield _row(case, sizes, rates)


def _row(case: Case, sizes: Mapping[str, int], rates: Rates) -> Row:
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        v.name: rng.uniform(0.1, 0.9, concrete(v.dims, sizes)) for v in t.variables(case.node)
    }
    names = arrays | {"scattered": scattered, "spread": spread} | sizes
    model = TimeModel({**sizes}, rates=rates)
    generated: dict[str, Any] = {}
    exec(compile_terms([case.node]).source, generated)
    call = f"compiled({', '.join(arrays)})"
    return Row(
        case.name,
        sizes,
        sum(map(model.work, term_work(case.node))) / 1e12,
        measure(case.statement, names),
        measure(call, arrays | {"compiled": generated["compiled"]}),
    )


def table(found: list[Row]) -> str:
    """How many predictions are within a factor 2, then every one of them."""
    near = sum(0.5 <= r.ratio <= 2 for r in found)
    lines: list[list[str]] = []
    for r in found:
        sizes = ", ".join(f"{symbol} = {n}" for symbol, n in r.sizes.items())
        times = [f"{1e6 * seconds:.1f}" for seconds in (r.predicted, r.measured, r.generated)]
        lines.append([f"`{r.name}`", sizes, *times[:2], f"{r.ratio:.2f}", times[2]])
    return (
        f"{near} of {len(found)} predictions ({100 * near // len(found)}%) are within a factor 2."
        "\n\n"
        + markdown("node | sizes | predicted µs | measured µs | ratio | generated µs", lines, 2)
    )


if __name__ == "__main__":
    print(table([*rows(default_rates() if "--default" in sys.argv else calibrate())]))
