"""Derivatives by JAX, jitted, on the processor and in double precision."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.frameworks.frameworks import Built
from tests.benchmarks.problems.problem import Array


def build(
    f: Callable[..., Any],
    quantity: str,
    method: str,
    arrays: tuple[Array, ...],
    most_bytes: int | None = None,
) -> Built:
    """The jitted derivative, compiled; every call waits for its result.

    Raises `MemoryError` where intermediate results of a call would take more than `most_bytes`.
    """
    import jax

    jax.config.update("jax_enable_x64", True)
    values = [jax.numpy.asarray(a) for a in arrays]
    derivative = jax.jit(_derivative(f, quantity, method))
    began = time.perf_counter()
    lowered = derivative.lower(*values)
    middle = time.perf_counter()
    compiled = lowered.compile()
    seconds = {"lower": middle - began, "compile": time.perf_counter() - middle}
    needed = compiled.memory_analysis().temp_size_in_bytes
    if most_bytes is not None and needed > most_bytes:
        raise MemoryError(f"{needed / 2**30:.1f} GiB")
    return Built(
        lambda: jax.block_until_ready(derivative(*values)),
        lambda result: jax.tree.map(np.asarray, result),
        seconds,
    )


def _derivative(f: Callable[..., Any], quantity: str, method: str) -> Callable[..., Any]:
    import jax

    def product(x: Any, *rest: Any) -> Any:
        *others, v = rest

        def gradient(z: Any) -> Any:
            return jax.grad(f)(z, *others)

        if method == "jvp(grad)":
            return jax.jvp(gradient, (x,), (v,))[1]
        return jax.grad(lambda z: jax.numpy.vdot(gradient(z), v))(x)

    if quantity == "hvp":
        return product
    return {
        "value_and_grad": jax.value_and_grad,
        "jacfwd(jacrev)": jax.hessian,
        "jacrev(jacrev)": lambda f: jax.jacrev(jax.jacrev(f)),
        "jacfwd": jax.jacfwd,
        "jacrev": jax.jacrev,
        "jacfwd(hessian)": lambda f: jax.jacfwd(jax.hessian(f)),
        "jacrev(hessian)": lambda f: jax.jacrev(jax.hessian(f)),
    }[method](f)
