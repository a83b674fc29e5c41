"""Whether two terms agree wherever the left one is defined, as the sides of a rule do."""

from typing import Final

import numpy as np

from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term, variables

__all__ = ["is_law"]

# What the entries of a sample are multiplied by.
_WIDTHS: Final = (1, 1, 0.2, 1, 1, 5, 30)
# Larger results are inaccurate.
_LARGE: Final = 1e6


def is_law(left: Term, right: Term, samples: int = 16) -> bool:
    """Whether two terms agree at many values wherever the left one is defined.

    Half of the samples have zeros, ones and ties; some are wide, some narrow.

    >>> from eggrad.engine.terms.term import apply, constant, power, variable
    >>> a = variable("a")
    >>> square = power(a, constant(2))
    >>> is_law(apply("abs", square), square), is_law(apply("sign", square), constant(1))
    (True, False)
    """
    known = variables(left, right)
    names = symbols(left, right)
    for k in range(samples):
        rng = np.random.default_rng(k)
        sizes = dict.fromkeys(names, 1 + k % 4)
        drawn = oracle.random_values(known, sizes, rng, ("normal", "special")[k % 2])
        values = {name: _WIDTHS[k % len(_WIDTHS)] * value for name, value in drawn.items()}
        own, other = oracle.evaluate([left, right], values, sizes)
        counts = np.abs(own) < _LARGE
        if not np.allclose(own[counts], other[counts], rtol=1e-5, atol=1e-7):
            return False
    return True
