"""Values of many small terms at a few samples: terms that agree there may be equal."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np

from eggrad.engine.indices.spec import Dims
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array, concrete
from eggrad.engine.terms.term import Term, rebuild, substitute_sizes, variable

# Sizes of the samples: entries between 0 and 1, any numbers, small integers.
_FRACTIONS: Final = (3, 2)
_ANY: Final = (3, 2, 3)
_INTEGERS: Final = (3, 2)
_SIZES: Final = (*_FRACTIONS, *_ANY, *_INTEGERS)
_WIDTHS: Final = (1.0, 2.0, 5.0)
# Larger numbers come from poles and singular matrices.
_LARGE: Final = 1e8
_DIGITS: Final = 7
_TINY: Final = 1e-9


class Samples:
    """Values of some variables whose axes all have one size: fractions first.

    A term's *values* are one vector, its entries at all samples; what is undefined is NaN.
    """

    def __init__(self, variables: Sequence[Term], size: str) -> None:
        """Draw the values, the same ones every time."""
        rng = np.random.default_rng(0)
        self._size = size
        self._own: dict[Term, Array] = {}
        for place, v in enumerate(variables):
            shapes = self._shapes(v.dims)
            drawn = [np.asarray(rng.uniform(0.1, 0.9, next(shapes))) for _ in _FRACTIONS]
            drawn += [np.asarray(rng.normal(0, w, next(shapes))) for w in _WIDTHS]
            for k, shape in enumerate(shapes):
                # Each scalar is zero in one of them, its neighbour in another.
                whole = rng.integers(-1, 3, shape) if shape else 2 * ((place + k) % 2)
                drawn.append(np.asarray(whole, float))
            self._own[v] = np.concatenate([a.ravel() for a in drawn])
        self._nodes: dict[object, tuple[list[Term], list[list[str]]]] = {}

    def values(self, t: Term, args: Sequence[Array]) -> Array:
        """The values of a term, given those of its operands."""
        if t in self._own:
            return self._own[t]
        nodes, names = self._placed(t)
        given: dict[str, Array] = {}
        for operand_names, a, values in zip(names, t.args, args, strict=True):
            given |= zip(operand_names, self._parts(a.dims, values), strict=True)
        whole = np.concatenate([v.ravel() for v in oracle.evaluate(nodes, given)])
        with np.errstate(invalid="ignore"):
            return np.where(np.abs(whole) < _LARGE, whole, np.nan)

    def fractions(self, dims: Dims) -> int:
        """How many of the values come from samples between 0 and 1."""
        shapes = islice(self._shapes(dims), len(_FRACTIONS))
        return sum(int(np.prod(shape, dtype=int)) for shape in shapes)

    def _placed(self, t: Term) -> tuple[list[Term], list[list[str]]]:
        """The operation of a term at every sample, on variables, and the names of those."""
        key = (t.op, t.data, t.dims, *(a.dims for a in t.args))
        if key not in self._nodes:
            nodes: list[Term] = []
            names: list[list[str]] = [[] for _ in t.args]
            for k, n in enumerate(_SIZES):
                operands = tuple(
                    variable(f"operand_{place}_{k}", concrete(a.dims, {self._size: n}))
                    for place, a in enumerate(t.args)
                )
                for place, v in enumerate(operands):
                    names[place].append(v.name)
                nodes.append(
                    rebuild(t, operands) if operands else substitute_sizes([t], {self._size: n})[0]
                )
            self._nodes[key] = nodes, names
        return self._nodes[key]

    def _shapes(self, dims: Dims) -> Iterator[tuple[int, ...]]:
        return (concrete(dims, {self._size: n}) for n in _SIZES)

    def _parts(self, dims: Dims, values: Array) -> list[Array]:
        parts: list[Array] = []
        start = 0
        for shape in self._shapes(dims):
            end = start + int(np.prod(shape, dtype=int))
            parts.append(values[start:end].reshape(shape))
            start = end
        return parts


def fingerprint(values: Array) -> bytes:
    """Values rounded to some digits, as a key.

    >>> import numpy as np
    >>> fingerprint(np.array([1 / 3, 0.0])) == fingerprint(np.array([1 / 3 + 1e-12, -1e-17]))
    True
    """
    plain = np.where(np.abs(values) < _TINY, 0.0, values)
    mantissa, exponent = np.frexp(plain)
    return (np.ldexp(np.round(mantissa, _DIGITS), exponent) + 0.0).tobytes()
