"""How each framework computes each quantity.

Nothing here imports a framework before it is used. A *method* is one way to ask a framework for
a quantity; the fastest counts. A builder makes a call without arguments from a task's arrays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem

__all__ = ["FRAMEWORKS", "Built", "available", "build", "methods", "operations", "version"]

# The package that each framework is.
FRAMEWORKS = {
    "numpy": "numpy",
    "eggrad": "eggrad",
    "jax": "jax",
    "torch": "torch",
    "torch_compile": "torch",
    "autograd": "autograd",
}

METHODS = {
    "eggrad": dict.fromkeys(("gradient", "hessian", "jacobian", "third", "hvp"), ("compile",))
    | dict.fromkeys(("hessian_factored", "jacobian_factored"), ("compile, factored",)),
    "jax": {
        "gradient": ("value_and_grad",),
        "hessian": ("jacfwd(jacrev)", "jacrev(jacrev)"),
        "jacobian": ("jacfwd", "jacrev"),
        "third": ("jacfwd(hessian)", "jacrev(hessian)"),
        "hvp": ("jvp(grad)", "grad(vdot(grad, v))"),
    },
    "torch": {
        "gradient": ("autograd.grad", "func.grad_and_value"),
        "hessian": ("func.hessian", "functional.hessian", "functional.hessian, vectorized"),
        "jacobian": ("func.jacfwd", "func.jacrev", "functional.jacobian"),
        "third": ("func.jacfwd(hessian)",),
        "hvp": ("func.jvp(grad)", "functional.hvp"),
    },
    "torch_compile": {
        "gradient": ("grad_and_value",),
        "hessian": ("hessian",),
        "jacobian": ("jacrev",),
        "third": ("jacfwd(hessian)",),
        "hvp": ("jvp(grad)",),
    },
    "autograd": {
        "gradient": ("value_and_grad",),
        "hessian": ("hessian",),
        "jacobian": ("jacobian",),
        "third": ("jacobian(hessian)",),
        "hvp": ("hessian_vector_product",),
    },
}


@dataclass(frozen=True)
class Built:
    """A call, how its result becomes NumPy arrays, and seconds of compilation."""

    call: Callable[[], Any]
    converted: Callable[[Any], Any] = lambda result: result
    seconds: Mapping[str, float] = field(default_factory=dict)


def available(framework: str) -> bool:
    """Whether the framework is installed."""
    return find_spec(FRAMEWORKS[framework]) is not None


def version(framework: str) -> str:
    """The version of the framework's package."""
    from importlib.metadata import version as installed

    return installed(FRAMEWORKS[framework])


def methods(framework: str, problem: Problem, quantity: str) -> Iterable[str]:
    """The names of all ways to compute the quantity; none where it is not offered."""
    if framework == "numpy":
        return tuple(problem.quantities[quantity].by_hand)
    return METHODS[framework].get(quantity, ())


def operations(framework: str) -> Any:
    """The functions that `Problem.function` needs, as the framework spells them."""
    if framework == "jax":
        import jax
        import jax.numpy as jnp

        return _namespace(jnp, jnp.linalg, jax.nn.relu, jax.nn.logsumexp)
    if framework == "autograd":
        import autograd.numpy as anp
        from autograd.scipy.special import logsumexp

        return _namespace(anp, anp.linalg, lambda x: anp.maximum(x, 0.0), logsumexp)
    if framework.startswith("torch"):
        import torch

        return _namespace(torch, torch.linalg, torch.relu, torch.logsumexp)
    return _namespace(np, np.linalg, lambda x: np.maximum(x, 0.0), _logsumexp)


def _namespace(
    functions: Any, linear_algebra: Any, relu: Callable[..., Any], logsumexp: Callable[..., Any]
) -> SimpleNamespace:
    found = {name: getattr(functions, name) for name in ("exp", "log", "tanh", "sum")}
    found |= {name: getattr(linear_algebra, name) for name in ("solve", "slogdet")}
    return SimpleNamespace(**found, relu=relu, logsumexp=logsumexp)


def _logsumexp(a: Array, axis: int) -> Array:
    largest = a.max(axis)
    return np.log(np.exp(a - np.expand_dims(largest, axis)).sum(axis)) + largest


def build(
    framework: str, problem: Problem, quantity: str, method: str, data: Mapping[str, Array]
) -> Built:
    """Whatever can be done before the first call, done; for a framework other than eggrad."""
    arrays = tuple(data.values())
    if framework == "numpy":
        function = problem.quantities[quantity].by_hand[method]
        return Built(lambda: function(*arrays))
    ops = operations(framework)

    def f(*values: Any) -> Any:
        return problem.function(ops, *values)

    if framework == "jax":
        from tests.benchmarks.frameworks import with_jax

        return with_jax.build(f, quantity, method, arrays)
    if framework == "autograd":
        return _with_autograd(f, quantity, arrays)
    from tests.benchmarks.frameworks import with_torch

    return with_torch.build(f, quantity, method, arrays, framework == "torch_compile")


def _with_autograd(f: Callable[..., Any], quantity: str, arrays: tuple[Array, ...]) -> Built:
    import autograd

    if quantity == "hvp":
        x, *rest, v = arrays
        product = autograd.hessian_vector_product(lambda x: f(x, *rest))
        return Built(lambda: product(x, v))
    derivative = {
        "gradient": autograd.value_and_grad,
        "hessian": autograd.hessian,
        "jacobian": autograd.jacobian,
        "third": lambda f: autograd.jacobian(autograd.hessian(f)),
    }[quantity](f)
    return Built(lambda: derivative(*arrays))
