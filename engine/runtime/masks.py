"""What generated code calls where a mask hides what may be undefined."""

import numpy as np

from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array


def without_hidden(
    spec: tuple[Indices, Indices, Indices], product: Array, masked: Array, other: Array
) -> Array:
    """A product in which a factor has no part where the one that a mask has made is 0.

    The `product` is that already, unless what is hidden is infinite or no number.

    >>> masked, other = np.array([2.0, 0.0]), np.array([[1.0, 3.0], [np.nan, 1.0]])
    >>> without_hidden(((0,), (0, 1), (1,)), masked @ other, masked, other)
    array([2., 6.])
    """
    if not np.isnan(product).any():
        return product
    first, second, out = spec
    every = tuple(dict.fromkeys(out + first + second))
    left, right = (
        np.einsum(array, [*part], [i for i in every if i in part])[
            tuple(slice(None) if i in part else None for i in every)
        ]
        for array, part in ((masked, first), (other, second))
    )
    none = np.zeros(np.broadcast(left, right).shape, product.dtype)
    shown = np.multiply(left, right, where=left != 0, out=none)
    return shown.sum(axis=tuple(range(len(out), len(every))))
