"""Patterns of reductions, beside what they reduce."""

from eggrad.rules.notation import *


def spread(s: Spec, a: Tensor, b: Tensor) -> Tensor:
    """A reduction b of a, on the axes of a."""
    return ein(spread_back(s), b, const(1, summed_dims(s, dims(a))))
