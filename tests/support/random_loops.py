"""Random loops: steps of one or two carries, in both directions, of no, one or several steps."""

from typing import Final

import numpy as np

from eggrad.engine.terms import term as t
from eggrad.engine.terms.loops import AFTER, BEFORE, LAST, Recurrence, recurrence
from eggrad.engine.terms.term import Part, Term

PARTS: Final[tuple[Part, ...]] = (BEFORE, AFTER, LAST)
_SMOOTH: Final = ("tanh", "sin", "cos", "sigmoid")


def random_loop(rng: np.random.Generator, length: int | str = "T") -> Recurrence:
    """A loop of vectors of two entries and perhaps of a number, whose operands are variables."""
    h, x = t.variable("h", ("k", 2)), t.variable("x", ("k", 3))
    W, U, b = t.variable("W", (2, 2)), t.variable("U", (2, 3)), t.variable("b", (2,))
    whole = t.einsum("ij,kj->ki", W, h)
    if rng.random() < 0.7:
        whole = t.add(whole, t.einsum("ij,kj->ki", U, x))
    if rng.random() < 0.5:
        whole = t.add(whole, t.einsum("i,j->ij", t.constant(1, ("k",)), b))
    after = t.apply(str(rng.choice(_SMOOTH[:3])), whole)
    if rng.random() < 0.4:
        after = t.einsum("ki,ki->ki", after, h)
    results, carries = [after], {h: t.variable("start", (2,))}
    if rng.random() < 0.5:
        s = t.variable("s", ("k",))
        carries[s] = t.variable("number", ())
        results.append(t.add(t.apply("sin", s), t.einsum("ki,ki->k", h, after)))
        if rng.random() < 0.5:
            results[0] = t.einsum("ki,k->ki", after, s)
    return recurrence(
        results,
        "k",
        carries,
        {x: t.variable("xs", (length, 3))},
        {v: t.variable(f"{v.name}s", v.dims) for v in (W, U, b)},
        length=length,
        backwards=bool(rng.random() < 0.5),
    )


def random_total(rng: np.random.Generator, loop: Recurrence) -> Term:
    """A number that depends on some of the states of a loop."""
    total = t.constant(0)
    for carry in range(len(loop.starts)):
        for part in PARTS:
            states = loop.states(carry, part)
            axes = tuple(range(states.order))
            if rng.random() < 0.6:
                square = t.einsum((axes, axes, ()), states, t.apply("sin", states))
                total = t.add(total, square)
    return total


def values_of(rng: np.random.Generator, loop: Recurrence, length: int) -> dict[str, np.ndarray]:
    """Values of the variables of a loop."""
    operands = (*loop.starts, *loop.slices, *loop.constants)
    shapes = {v.name: [length if d == "T" else d for d in v.dims] for v in operands}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}  # pyright: ignore[reportArgumentType,reportCallIssue]
