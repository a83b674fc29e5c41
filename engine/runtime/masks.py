"""What generated code calls where a mask hides what may be undefined."""

from typing import Any

import numpy as np

from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array

Parts = tuple[Indices, Indices, Indices]


def without_hidden(spec: Parts, product: Array, masked: Array, other: Array) -> Array:
    """A product in which a factor has no part where the one that a mask has made is 0.

    The `product` is that already, unless what is hidden is infinite or no number.

    >>> masked, other = np.array([2.0, 0.0]), np.array([[1.0, 3.0], [np.nan, 1.0]])
    >>> without_hidden(((0,), (0, 1), (1,)), masked @ other, masked, other)
    array([2., 6.])
    """
    return shown_product(np, spec, masked, other) if np.isnan(product).any() else product


def shown_product(xp: Any, spec: Parts, masked: Any, other: Any) -> Any:
    """The sum of the products whose first factor is not 0, in arrays of a library."""
    first, second, out = spec
    every = tuple(dict.fromkeys(out + first + second))
    left, right = (_spread(xp, x, p, every) for x, p in ((masked, first), (other, second)))
    shown = xp.where(left != 0, left * right, xp.zeros_like(left))
    return xp.sum(shown, axis=tuple(range(len(out), len(every))))


def _spread(xp: Any, x: Any, part: Indices, every: Indices) -> Any:
    """An array with an axis for each of some indices, of length 1 where it has none."""
    x = xp.permute_dims(x, tuple(part.index(i) for i in every if i in part))
    length = iter(x.shape)
    return xp.reshape(x, tuple(next(length) if i in part else 1 for i in every))
