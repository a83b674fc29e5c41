"""Wide, repeated and deep expressions: one derivation each, in a warm process of its own."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any, NamedTuple

import numpy as np

import eggrad as eg
from tests.benchmarks.case_times import yardstick
from tests.benchmarks.tables import table as markdown
from tests.support.programs import python

__all__ = ["ROWS", "Row", "derivation", "measure", "table"]

Derivation = Callable[[], Any]

x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
M = eg.variable("M", ("m", "n"))


class Row(NamedTuple):
    """What is derived, how wide or deep it is, and how many yardsticks it may take."""

    kind: str
    size: int
    aim: float | None = None


def rows(kind: str, aims: Mapping[int, float]) -> list[Row]:
    """Rows of several sizes; their aims are seconds of a machine whose yardstick is 30 ms."""
    return [Row(kind, size, aim / 0.03) for size, aim in aims.items()]


ROWS = [
    *rows("terms", {10: 0.2, 100: 0.4, 1000: 4}),
    *rows("terms, Hessian", {10: 0.6, 100: 2}),
    *rows("linear terms", {1000: 2}),
    *rows("trace of a power", {8: 0.2, 12: 0.4, 20: 0.8}),
    *rows("factors", {8: 0.4, 16: 0.9}),
    *rows("orders of a quotient", {1: 0.15, 3: 0.8, 5: 2.5}),
    *rows("all layers", {20: 0.5}),
    *rows("residual network", {100: 0.8, 400: 2.5}),
    *rows("Hessian-vector product of a network", {10: 0.4}),
    *rows("Python's sum", {6: 0.2}),
    *rows("numpy.prod", {6: 0.2}),
    *rows("Runge-Kutta", {5: 1}),
    *[Row("products of sums", n) for n in (8, 16, 32)],
    *[Row("sums of quotients", n) for n in (8, 16, 32)],
    *[Row("choices", n) for n in (8, 16, 32)],
]


def vectors(count: int) -> list[eg.Expression]:
    return [eg.variable(f"a{k}", ("n",)) for k in range(count)]


def total(summands: Iterable[eg.Expression]) -> eg.Expression:
    return reduce(add, summands)


def network(depth: int, residual: bool = False) -> eg.Expression:
    layer = x
    for weights in (eg.variable(f"W{k}", ("n", "n")) for k in range(depth)):
        z = eg.tanh(weights @ layer)
        layer = layer + z if residual else z
    return layer


def pendulum(steps: int) -> Callable[[Any], Any]:
    def slope(s: Any) -> Any:
        return np.stack([s[1], -np.sin(s[0])])

    def end(s: Any) -> Any:
        for _ in range(steps):
            a = slope(s)
            b = slope(s + 0.05 * a)
            c = slope(s + 0.05 * b)
            d = slope(s + 0.1 * c)
            s = s + 0.1 / 6 * (a + 2 * b + 2 * c + d)
        return s[0]

    return end


def derivation(kind: str, n: int) -> Derivation:
    """A derivation of a kind, of which everything is built but the derivative."""
    W0, X = eg.variable("W0", ("n", "n")), eg.variable("X", ("n", "n"))
    gradients: dict[str, Callable[[], eg.Expression]] = {
        "terms": lambda: total(eg.sum(eg.exp(a * x)) for a in vectors(n)),
        "linear terms": lambda: total(a @ x for a in vectors(n)),
        "factors": lambda: eg.sum(reduce(mul, (eg.tanh(a * x) for a in vectors(n)), x)),
        "products of sums": lambda: eg.sum(reduce(mul, (x + a for a in vectors(n)))),
        "sums of quotients": lambda: total(eg.sum(x / (a + x * x)) for a in vectors(n)),
        "choices": lambda: total(eg.sum(eg.where(a > x, x * a, x)) for a in vectors(n)),
    }
    if kind in gradients:
        f = gradients[kind]()
        return lambda: eg.gradient(f, x)
    match kind:
        case "terms, Hessian":
            f = gradients["terms"]()
            return lambda: eg.hessian(f, x)
        case "trace of a power":
            f = np.trace(reduce(lambda a, _: a @ X, range(n - 1), X))
            return lambda: eg.gradient(f, X)
        case "orders of a quotient":
            f = eg.sum(x / (1 + x * x))
            return lambda: reduce(lambda e, _: eg.jacobian(e, x), range(n), f)
        case "all layers":
            f = eg.sum((network(n) - y) ** 2)
            return lambda: eg.gradient(f, [f"W{k}" for k in range(n)])
        case "residual network":
            h = network(n, residual=True)
            return lambda: eg.gradient(h @ h, W0)
        case "Hessian-vector product of a network":
            f = eg.sum((network(n) - y) ** 2)
            return lambda: eg.hvp(f, W0, "V")
        case "Python's sum":
            return lambda: eg.value_and_grad(lambda v: sum(v**2))(np.ones(n))
        case "numpy.prod":
            return lambda: eg.value_and_grad(np.prod)(np.ones(n))
        case "Runge-Kutta":
            return lambda: eg.value_and_grad(pendulum(n))(np.array([1.0, 0.2]))
        case _:
            raise ValueError(kind)


def measure(kind: str, size: int) -> float:
    """Yardsticks that a derivation takes in this process, after small ones."""
    derive = derivation(kind, size)
    eg.hessian(x @ x, x)
    unit = yardstick()
    began = time.perf_counter()
    derive()
    return (time.perf_counter() - began) / unit


def measured_apart(row: Row) -> float:
    return float(json.loads(python("-m", "tests.benchmarks.breadth", *row[:2]).stdout))


def table(rows: Iterable[Row], yardsticks: Callable[[Row], float]) -> str:
    """The rows in Markdown.

    >>> print(table([Row("terms", 10, 6.7)], lambda row: 3.3))
    | derivation | size | yardsticks | aim |
    |---|---:|---:|---:|
    | terms | 10 | 3.3 | 6.7 |
    """
    return markdown(
        "derivation | size | yardsticks | aim",
        [
            (r.kind, r.size, f"{yardsticks(r):.1f}", "" if r.aim is None else f"{r.aim:.1f}")
            for r in rows
        ],
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        print(table(ROWS, measured_apart))
