"""Code for other array libraries than NumPy: JAX, PyTorch, CuPy, Dask, and any of the standard."""

from eggrad.engine.backends.factored import ArrayFactors, FactoredArray
from eggrad.engine.backends.function import ArrayFunction, FollowingFunction
from eggrad.engine.backends.kernels import kernels_of
from eggrad.engine.backends.libraries import LIBRARIES, library_of

__all__ = [
    "LIBRARIES",
    "ArrayFactors",
    "ArrayFunction",
    "FactoredArray",
    "FollowingFunction",
    "kernels_of",
    "library_of",
]
