"""Random element-wise definitions in the notation, with arguments large enough for every reading.

Arguments are as long as the readings need: the least and the greatest place that any reading
takes within the ranges is found by looking at all points.
"""

from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np

NAMES = ("x", "y", "z")
FUNCTIONS = ("sin", "exp", "tanh", "cos")


@dataclass
class RandomDefinition:
    """A text, the sizes of its indices, and the shapes of its arguments."""

    text: str
    sizes: dict[str, int]
    shapes: dict[str, tuple[int, ...]]

    def values(self, seed: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        return {n: rng.uniform(-0.9, 0.9, s) for n, s in sorted(self.shapes.items())}


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.heads = list("ij")[: random.randint(1, 2)]
        self.sizes = {n: random.randint(1, 4) for n in self.heads}
        self.orders = {n: random.randint(1, 2) for n in NAMES}
        self.most: dict[str, list[int]] = {n: [1] * k for n, k in self.orders.items()}
        self.sums = 0

    def define(self) -> RandomDefinition:
        points = [
            dict(zip(self.heads, p, strict=True))
            for p in product(*(range(self.sizes[n]) for n in self.heads))
        ]
        body = self.value(2, points)
        if not any(f"{n}[" in body for n in NAMES):
            body = f"{body} + {self.read(points)}"
        text = f"f[{'; '.join(self.heads)}] = {body}"
        used = {n: tuple(self.most[n]) for n in NAMES if f"{n}[" in text}
        return RandomDefinition(text, self.sizes, used)

    def value(self, depth: int, points: list[dict[str, int]]) -> str:
        kind = self.random.choices(
            ("read", "call", "operator", "sum", "choice", "number"), (4, 2, 4, 3, 2, 1)
        )[0]
        if depth < 0 or kind == "read":
            return self.read(points)
        match kind:
            case "call":
                return f"{self.random.choice(FUNCTIONS)} ({self.value(depth - 1, points)})"
            case "operator":
                operator = self.random.choice("++-**")
                one, other = (self.value(depth - 1, points) for _ in range(2))
                if self.random.random() < 0.2:
                    return f"({one}) ** 2"
                return f"({one} {operator} {other})"
            case "sum":
                return self.total(depth, points)
            case "choice":
                return self.choice(depth, points)
            case _:
                return self.random.choice(("2", "0.5", "-1", *(f"{n}" for n in points[0])))

    def form(self, names: list[str]) -> dict[str, int]:
        chosen = self.random.sample(names, k=min(len(names), self.random.choice((1, 1, 2, 2, 3))))
        return {n: self.random.choice((1, 1, 1, 2, -1, -2, 3)) for n in chosen}

    def read(self, points: list[dict[str, int]]) -> str:
        name = self.random.choice(NAMES)
        names = list(points[0]) if points else self.heads
        indices: list[str] = []
        for axis in range(self.orders[name]):
            form = self.form(names)
            reached = [sum(c * p[n] for n, c in form.items()) for p in points] or [0]
            # The constant makes the least place 0, or sometimes 1.
            constant = -min(reached) + (self.random.random() < 0.2)
            self.most[name][axis] = max(self.most[name][axis], max(reached) + constant + 1)
            indices.append(written(form, constant))
        return f"{name}[{'; '.join(indices)}]"

    def total(self, depth: int, points: list[dict[str, int]]) -> str:
        index = f"k{self.sums}" if self.random.random() < 0.7 else f"k{max(0, self.sums - 1)}"
        outer = [n for n in (points[0] if points else self.heads) if n != index]
        self.sums += 1
        low, high = "0", str(self.random.randint(0, 3))
        kind = self.random.random()
        other = self.random.choice(outer)
        if kind < 0.25:
            high = other
        elif kind < 0.4:
            low, high = other, f"({other} + 2)"
        elif kind < 0.5:
            low = f"(max [0; {other} - 1])"
        inner: list[dict[str, int]] = []
        for p in points:
            bounds = {"0": 0, other: p[other], f"({other} + 2)": p[other] + 2}
            start = bounds.get(low, max(0, p[other] - 1))
            stop = bounds[high] if high in bounds else int(high)
            inner += [{**p, index: k} for k in range(start, stop + 1)]
        return f"sum{{{index}}}_{low}^{high} ({self.value(depth - 1, inner)})"

    def choice(self, depth: int, points: list[dict[str, int]]) -> str:
        names = list(points[0]) if points else self.heads
        form, constant = self.form(names), self.random.randint(-2, 2)
        text = written(form, constant)
        relation = self.random.choice((">=", ">=", "=", "|"))
        held: list[dict[str, int]] = []
        rest: list[dict[str, int]] = []
        for p in points:
            value = sum(c * p[n] for n, c in form.items()) + constant
            holds = {"=": value == 0, ">=": value >= 0, "|": value % 2 == 0}[relation]
            (held if holds else rest).append(p)
        condition = f"2 | {text}" if relation == "|" else f"{text} {relation} 0"
        then = self.value(depth - 1, held) if held else "0"
        other = self.value(depth - 1, rest) if rest else "0"
        return f"(if {{{condition}}} then ({then}) else ({other}))"


def written(form: dict[str, int], constant: int) -> str:
    return " + ".join([*(f"{c}*{n}" for n, c in form.items()), str(constant)])


def random_definition(seed: int) -> RandomDefinition:
    """A definition; the same for the same seed."""
    return _Maker(Random(seed)).define()
