"""One summand of a factored tensor: arrays, and which axes deltas tie."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eggrad.engine.indices.spec import Indices, canonical, format_spec
from eggrad.engine.terms.binding import Array

__all__ = ["Part", "diagonal_view", "spread"]


@dataclass(frozen=True, eq=False)
class Part:
    """An entry is the product of the cores' entries, or 0 where the indices of tied axes differ.

    `labels` names every axis of the tensor: by its own number, or by that of the first axis that
    it is tied to. `axes` has the labels of each core's axes, all different. Along a label that no
    core has the entries do not change; one that no axis of the tensor has is summed over.

    >>> Part((np.eye(2),), ((1, 3),), (0, 1, 0, 3))
    <Part ij->kikj>
    """

    cores: tuple[Array, ...]
    axes: tuple[Indices, ...]
    labels: Indices

    @property
    def deltas(self) -> tuple[Indices, ...]:
        """The groups of axes that deltas tie.

        >>> Part((np.ones(()),), ((),), (0, 1, 0, 1)).deltas
        ((0, 2), (1, 3))
        """
        groups = {i: tuple(k for k, own in enumerate(self.labels) if own == i) for i in self.labels}
        return tuple(g for g in groups.values() if len(g) > 1)

    def __repr__(self) -> str:
        """Show the cores' axes and the tensor's: a letter that stands twice there is a delta."""
        return f"<Part {format_spec(canonical(self.axes, self.labels))}>"

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether there is a core, and tied axes and the cores' have the sizes of `shape`."""
        return (
            bool(self.cores)
            and tuple(shape[i] for i in self.labels) == shape
            and self._lengths() <= {*enumerate(shape)} | {*self._summed().items()}
        )

    def _lengths(self) -> set[tuple[int, int]]:
        """The labels of the cores' axes, with the sizes that they have."""
        pairs = zip(self.cores, self.axes, strict=True)
        return {pair for core, own in pairs for pair in zip(own, core.shape, strict=True)}

    def _summed(self) -> dict[int, int]:
        """The labels that are summed over, with their sizes."""
        return {i: n for i, n in sorted(self._lengths()) if i not in self.labels}

    def used(self) -> set[int]:
        """The labels that a core has."""
        return {i for own in self.axes for i in own}

    def operands(self) -> Iterator[Any]:
        """The cores with their labels, as `np.einsum` takes them."""
        for core, own in zip(self.cores, self.axes, strict=True):
            yield core
            yield own

    def renamed(self, names: dict[int, int], labels: Indices) -> "Part":
        """The part with other labels of axes; where two become one, the diagonal."""
        axes = tuple(tuple(names.get(i, i) for i in own) for own in self.axes)
        return Part(self.cores, axes, labels)

    def add_to(self, array: Array) -> None:
        """Add the entries that may differ from zero, through a view of their places."""
        order = tuple(dict.fromkeys(self.labels))
        wanted = tuple(i for i in order if i in self.used())
        view = diagonal_view(array, self.labels)
        thin = tuple(n if i in wanted else 1 for i, n in zip(order, view.shape, strict=True))
        entries = np.einsum(*self.operands(), wanted, optimize=bool(self._summed()))
        view += entries.reshape(thin)


def diagonal_view(array: Array, labels: Indices) -> Array:
    """A writeable view of the entries whose indices agree on axes of one label.

    >>> a = np.zeros((2, 2))
    >>> diagonal_view(a, (0, 0))[...] = 1
    >>> a
    array([[1., 0.],
           [0., 1.]])
    """
    order = tuple(dict.fromkeys(labels))
    return array if order == labels else np.einsum(array, labels, order)


def spread(array: Array, own: Indices, labels: Indices, shape: tuple[int, ...]) -> Array:
    """An array with labels `own` as one with axes `labels`: 0 off the diagonals.

    >>> spread(np.array([1.0, 2.0]), (5,), (5, 5), (2, 2))
    array([[1., 0.],
           [0., 2.]])
    """
    if own == labels:
        return array
    result = np.zeros(shape, array.dtype)
    Part((array,), (own,), labels).add_to(result)
    return result
