"""The array libraries that are here, and how NumPy's arrays become theirs and theirs NumPy's."""

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from eggrad.engine.backends import LIBRARIES


def _jax() -> Callable[[Any], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray


def _torch() -> Callable[[Any], Any]:
    import torch

    return torch.asarray


def _dask() -> Callable[[Any], Any]:
    from dask.array import from_array

    # Chunks of two, the last of one where that is left.
    return lambda a: from_array(np.asarray(a), chunks=2 if np.ndim(a) else ())


def _array_api() -> Callable[[Any], Any]:
    import array_api_strict

    return array_api_strict.asarray


_PACKAGES = {"jax": "jax", "torch": "torch", "dask": "dask", "array_api": "array_api_strict"}
_CONVERTERS = {"jax": _jax, "torch": _torch, "dask": _dask, "array_api": _array_api}


def each(libraries: Iterable[str] = _CONVERTERS) -> pytest.MarkDecorator:
    """Let a test run with each `library`, skipped where it is not installed."""
    return pytest.mark.parametrize(
        "library",
        [
            pytest.param(
                name,
                marks=pytest.mark.skipif(
                    find_spec(_PACKAGES[name]) is None or find_spec("array_api_compat") is None,
                    reason=f"{_PACKAGES[name]} is not installed",
                ),
            )
            for name in libraries
        ],
    )


def converter(library: str) -> Callable[[Any], Any]:
    """What makes an array of a library of NumPy's."""
    assert library in LIBRARIES
    return _CONVERTERS[library]()
