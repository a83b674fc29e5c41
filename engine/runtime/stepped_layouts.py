"""Where the views of a stepped product lie in contiguous arrays, and in which order axes do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from eggrad.engine.indices.spec import Indices
from eggrad.engine.indices.stepped_plan import Step, SteppedPlan
from eggrad.engine.runtime.view_kernels import Order

__all__ = ["Layout", "Place", "along_one_axis", "axes_as_written", "whole_labels"]

Place = tuple[tuple[int, ...], int, tuple[int, ...]]
"""A view of a contiguous array: its shape, where it begins, and its strides, both in bytes."""


def whole_labels(plan: SteppedPlan, shape: tuple[int, ...]) -> dict[int, int]:
    """The labels that take a whole axis of the target at every step, and the length of each."""
    found: dict[int, int] = {}
    for place, (label, moves) in enumerate(zip(plan.labels, plan.moves[2], strict=True)):
        axes = [k for k, step in enumerate(moves) if step]
        if len(axes) == 1 and all(s.extents[place] == shape[axes[0]] for s in plan.steps):
            found[label] = shape[axes[0]]
    return found


def axes_as_written(plan: SteppedPlan, order: Order, count: int) -> tuple[int, ...]:
    """The axes of the target, so many, in the order in which a kernel writes them.

    As they are, where there is one along which only steps lead.
    """
    moves = dict(zip(plan.labels, plan.moves[2], strict=True))
    along = [k for i in order if i is not None for k, step in enumerate(moves[i]) if step]
    every = tuple(range(count))
    return tuple(dict.fromkeys(along)) if {*along} == {*every} else every


@dataclass(frozen=True)
class Layout:
    """How many bytes each label moves in a contiguous array, the first or second or result."""

    operand: int
    labels: Indices
    moves: Mapping[int, int]
    strides: tuple[int, ...]

    @classmethod
    def of(
        cls,
        plan: SteppedPlan,
        operand: int,
        shape: tuple[int, ...],
        size: int,
        axes: Sequence[int] | None = None,
    ) -> "Layout":
        """Find it for an array of a shape, of entries of a size, its axes in some order."""
        order = range(len(shape)) if axes is None else axes
        inside = {k: order[place + 1 :] for place, k in enumerate(order)}
        strides = tuple(size * prod(shape[i] for i in inside[k]) for k in range(len(shape)))
        own = zip(plan.labels, plan.moves[operand], strict=True)
        moves = {i: sum(map(int.__mul__, m, strides)) for i, m in own if any(m)}
        return cls(operand, plan.labels, moves, strides)

    def start(self, step: Step) -> int:
        """Where the first entry is."""
        return sum(map(int.__mul__, step.starts[self.operand], self.strides))

    def places(self, plan: SteppedPlan, order: Order) -> tuple[Place, ...]:
        """The view at every step, its labels in some order; equal ones are one object."""
        strides = tuple(0 if i is None else self.moves.get(i, 0) for i in order)
        same: dict[Place, Place] = {}
        found: list[Place] = []
        for step in plan.steps:
            extents = dict(zip(plan.labels, step.extents, strict=True))
            shape = tuple(1 if i is None else extents[i] for i in order)
            found.append((shape, self.start(step), strides))
        return tuple(same.setdefault(p, p) for p in found)


def along_one_axis(plan: SteppedPlan, layouts: Sequence[Layout]) -> tuple[tuple[Place], ...]:
    """One view of each of three vectors, of which one has two labels along its only axis."""
    (step,) = plan.steps
    lengths = dict(zip(plan.labels, step.extents, strict=True))
    (both,) = (own for own in layouts if len(own.moves) == 2)
    first, second = both.moves
    turned = both.moves[first] != both.moves[second]
    found: list[tuple[Place]] = []
    for own in layouts:
        start, moves = own.start(step), dict(own.moves)
        if turned and second in moves:
            # Counted from its end, the second label moves as the first does.
            start += moves[second] * (lengths[second] - 1)
            moves[second] *= -1
        length = sum(lengths[i] - 1 for i in moves) + 1
        found.append((((length,), start, tuple(moves.values())[:1]),))
    return tuple(found)
