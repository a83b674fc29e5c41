"""Derivatives by PyTorch on the processor, eager or compiled."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.frameworks.frameworks import Built
from tests.benchmarks.problems.problem import Array

__all__ = ["build"]


def build(
    f: Callable[..., Any],
    quantity: str,
    method: str,
    arrays: tuple[Array, ...],
    compiled: bool,
) -> Built:
    """The derivative as a call; `compiled` says whether `torch.compile` has it first."""
    import torch

    values = [torch.from_numpy(np.array(a)) for a in arrays]
    if compiled:
        return _compiled(f, quantity, values)
    return Built(_eager(f, quantity, method, values), _to_numpy)


def _to_numpy(result: Any) -> Any:
    if isinstance(result, tuple | list):
        return tuple(_to_numpy(part) for part in result)
    return result.detach().numpy()


def _compiled(f: Callable[..., Any], quantity: str, values: list[Any]) -> Built:
    import torch

    torch._dynamo.reset()
    derivative = torch.compile(_functional(f, quantity), dynamic=False)
    began = time.perf_counter()
    derivative(*values)
    seconds = {"compile": time.perf_counter() - began}
    if quantity == "gradient":
        return Built(lambda: derivative(*values)[::-1], _to_numpy, seconds)
    return Built(lambda: derivative(*values), _to_numpy, seconds)


def _functional(f: Callable[..., Any], quantity: str) -> Callable[..., Any]:
    import torch

    def product(x: Any, *rest: Any) -> Any:
        *others, v = rest
        return torch.func.jvp(lambda z: torch.func.grad(f)(z, *others), (x,), (v,))[1]

    if quantity == "hvp":
        return product
    return {
        "gradient": torch.func.grad_and_value,
        "hessian": torch.func.hessian,
        "jacobian": torch.func.jacrev,
        "third": lambda f: torch.func.jacfwd(torch.func.hessian(f)),
    }[quantity](f)


def _eager(
    f: Callable[..., Any], quantity: str, method: str, values: list[Any]
) -> Callable[[], Any]:
    import torch
    from torch.autograd import functional

    x, *rest = values

    def of_x(z: Any) -> Any:
        return f(z, *rest)

    def value_and_gradient() -> tuple[Any, Any]:
        z = x.detach().requires_grad_()
        value = f(z, *rest)
        return value.detach(), torch.autograd.grad(value, z)[0]

    return {
        "autograd.grad": value_and_gradient,
        "func.grad_and_value": lambda: torch.func.grad_and_value(f)(*values)[::-1],
        "func.hessian": lambda: torch.func.hessian(f)(*values),
        "functional.hessian": lambda: functional.hessian(of_x, x),
        "functional.hessian, vectorized": lambda: functional.hessian(of_x, x, vectorize=True),
        "func.jacfwd": lambda: torch.func.jacfwd(f)(*values),
        "func.jacrev": lambda: torch.func.jacrev(f)(*values),
        "functional.jacobian": lambda: functional.jacobian(of_x, x),
        "func.jacfwd(hessian)": lambda: torch.func.jacfwd(torch.func.hessian(f))(*values),
        "func.jvp(grad)": lambda: _functional(f, quantity)(*values),
        "functional.hvp": lambda: functional.hvp(lambda z: f(z, *rest[:-1]), x, values[-1])[1],
    }[method]
