"""JAX in double precision for the tests of a module, and not for others."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def jax_in_double() -> Iterator[Any]:
    """JAX, which forgets afterwards what it has compiled: tens of megabytes a case."""
    jax: Any = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)
    jax.clear_caches()
