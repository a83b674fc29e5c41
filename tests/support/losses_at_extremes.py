"""How many bits compiled losses, their gradients and Hessians lose at small and large numbers.

What a digit of the variables changes, by the condition of an entry, is not counted as lost.

python -m tests.support.losses_at_extremes        # a line for each loss
python -m tests.support.losses_at_extremes huber  # for this one alone
"""

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import log2
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.terms.binding import Array
from tests.support.cancellation import (
    Measured,
    bits_lost,
    counts,
    draw,
    evaluated,
    generator,
    kinds_of,
    truth,
)
from tests.support.places import lines_of

POINTS = 20
MOST = log2(1e8)


@dataclass(frozen=True)
class Loss:
    """A loss of vectors in NumPy's names, the kinds of its variables, and its parameters."""

    name: str
    text: str
    kinds: Mapping[str, str]
    parameters: tuple[str, ...]


def _read(line: str) -> Loss:
    name, text, kinds, parameters = line.split(" | ")
    return Loss(name, text, kinds_of(kinds), tuple(parameters.split()))


LOSSES = tuple(map(_read, lines_of("losses_at_extremes.txt")))


def points(loss: Loss, number: int = POINTS) -> list[dict[str, Array]]:
    """Values of the variables, of three to five entries."""
    random = generator(loss.name)
    return [
        {name: draw(random, kind, 3 + k % 3, MOST) for name, kind in loss.kinds.items()}
        for k in range(number)
    ]


def expressions(loss: Loss) -> list[eg.Expression]:
    """The value, the gradients, and the blocks of the Hessian on and above its diagonal."""
    given = {
        name: eg.variable(name, ("n",), ["positive"] * (kind in {"positive", "share"}))
        for name, kind in loss.kinds.items()
    }
    value = evaluated(loss.text, given)
    gradients = {name: eg.gradient(value, given[name]) for name in loss.parameters}
    pairs = combinations_with_replacement(loss.parameters, 2)
    blocks = [eg.derivative(gradients[one], given[other]) for one, other in pairs]
    return [value, *gradients.values(), *blocks]


def joined(loss: Loss, found: list[Array]) -> list[Array]:
    """Value, gradient and Hessian by all parameters together, of the values of the expressions."""
    count = len(loss.parameters)
    value, gradients, rest = found[0], found[1 : count + 1], found[count + 1 :]
    pairs = combinations_with_replacement(range(count), 2)
    blocks = dict(zip(pairs, rest, strict=True))
    rows = [
        [blocks[i, j] if i <= j else blocks[j, i].T for j in range(count)] for i in range(count)
    ]
    return [np.ravel(own) for own in (value, np.concatenate(gradients), np.block(rows))]


def measured(loss: Loss, number: int = POINTS) -> list[Measured]:
    """What is lost of the value, the gradient and the Hessian, entry by entry."""
    code = eg.compile(expressions(loss))
    lost: list[list[tuple[float, str]]] = [[], [], []]
    for at in points(loss, number):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = joined(loss, [np.asarray(own) for own in code(**at)])
        for k, true in enumerate(truth(loss.text, at, loss.parameters)):
            every = zip(found[k], true.entries, true.conditions, strict=True)
            lost[k] += [
                (max(bits_lost(own, exact) - log2(max(condition, 1)), 0.0), shown(i, at))
                for i, (own, exact, condition) in enumerate(every)
                # What is 0 for every argument would hide the others.
                if counts(exact, condition) and (exact or own)
            ]
    return [Measured(np.array([b for b, _ in own]), max(own)[1] if own else "") for own in lost]


def shown(place: int, at: Mapping[str, Array]) -> str:
    """An entry by its place, and the values of the variables."""
    values = (f"{name} = {values.tolist()}" for name, values in at.items())
    return f"entry {place} at {', '.join(values)}"


def together(parts: list[Measured]) -> Measured:
    """Value, gradient and Hessian as one."""
    worst = max(parts, key=lambda own: max(own.lost, default=0))
    return Measured(np.concatenate([own.lost for own in parts]), worst.worst)


def main(names: list[str]) -> None:
    """Print a line for each loss, and how many keep their digits."""
    kept: list[bool] = []
    for loss in LOSSES:
        if names and loss.name not in names:
            continue
        parts = measured(loss)
        kept.append(all(own.kept for own in parts))
        bits: list[Any] = [f"{own.at_most:.1f}/{len(own.lost)}" for own in parts]
        print(
            f"{'kept' if kept[-1] else 'LOST'} {loss.name:26} bits at 99% of value, gradient, "
            f"Hessian/entries: {', '.join(bits)}; worst {together(parts).worst}",
            flush=True,
        )
    print(f"{sum(kept)} of {len(kept)} keep their digits")


if __name__ == "__main__":
    main(sys.argv[1:])
