"""A recurrent cell tanh(Wh + Ux + b): its Jacobians, a loss, and ten cells one after the other."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, outer, without_buffers

__all__ = ["RECURRENT_BY_STATE", "RECURRENT_BY_WEIGHTS", "RECURRENT_LOSS", "RECURRENT_UNROLLED"]

STEPS = 10
# Of two vectors.
Product = Callable[[Array, Array], Array]
INPUTS = tuple(f"x{i}" for i in range(1, STEPS + 1))


def ordered(*names: str) -> Callable[[int], dict[str, Array]]:
    """The data with these names, in this order."""

    def data(n: int) -> dict[str, Array]:
        random = np.random.default_rng(n)
        found = {name: random.standard_normal((n, n)) / np.sqrt(n) for name in "WU"}
        found |= {name: random.standard_normal(n) for name in ("h", "b", "t", "x", *INPUTS)}
        return {name: found[name] for name in names}

    return data


def by_state(ops: Any, h: Any, W: Any, U: Any, x: Any, b: Any) -> Any:
    return ops.tanh(W @ h + U @ x + b)


def by_weights(ops: Any, W: Any, h: Any, U: Any, x: Any, b: Any) -> Any:
    return ops.tanh(W @ h + U @ x + b)


def loss(ops: Any, W: Any, h: Any, U: Any, x: Any, b: Any, t: Any) -> Any:
    return 0.5 * ops.sum((ops.tanh(W @ h + U @ x + b) - t) ** 2)


def unrolled(ops: Any, W: Any, h: Any, U: Any, b: Any, t: Any, *inputs: Any) -> Any:
    for x in inputs:
        h = ops.tanh(W @ h + U @ x + b)
    return 0.5 * ops.sum((h - t) ** 2)


def axes(*names: str) -> dict[str, tuple[str, ...]]:
    """W and U are matrices, all else are vectors."""
    return {name: ("n", "n") if name in ("W", "U") else ("n",) for name in names}


def cell(h: Array, W: Array, U: Array, x: Array, b: Array) -> Array:
    t = W.dot(h)
    t += U.dot(x)
    t += b
    return np.tanh(t, out=t)


def slope(t: Array) -> Array:
    """1 - t², in place of t."""
    t *= t
    return np.subtract(1, t, out=t)


def jacobian_by_state(h: Array, W: Array, U: Array, x: Array, b: Array) -> Array:
    return slope(cell(h, W, U, x, b))[:, None] * W


def broadcast(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with an outer product by broadcasting."""
    return without_buffers(partial(function, product=np.multiply.outer))


def core(W: Array, h: Array, U: Array, x: Array, b: Array, *, product: Product = outer) -> Array:
    """The entries J[i, i, j] of the Jacobian by W; all others are zero."""
    return product(slope(cell(h, W, U, x, b)), h)


def spread(core: Array, *_: Array) -> Array:
    n = len(core)
    J = np.zeros((n, n, n))
    np.einsum("iij->ij", J)[...] = core
    return J


def spread_flat(core: Array) -> Array:
    """The same by a stride of the flattened tensor."""
    n = len(core)
    J = np.zeros((n * n, n))
    J[:: n + 1] = core
    return J.reshape(n, n, n)


def loss_gradient(
    W: Array, h: Array, U: Array, x: Array, b: Array, t: Array, *, product: Product = outer
) -> tuple[float, Array]:
    y = cell(h, W, U, x, b)
    r = y - t
    value = 0.5 * r.dot(r)
    r *= slope(y)
    return value, product(r, h)


def loss_hvp(
    W: Array,
    h: Array,
    U: Array,
    x: Array,
    b: Array,
    t: Array,
    v: Array,
    *,
    product: Product = outer,
) -> Array:
    y = cell(h, W, U, x, b)
    r = y - t
    r *= y
    r *= -2
    s = slope(y)
    r += s
    r *= s
    r *= v.dot(h)
    return product(r, h)


def states(W: Array, h: Array, U: Array, b: Array, inputs: Sequence[Array]) -> Array:
    """h and the state after each step; the products with U are one."""
    C = np.stack(inputs) @ U.T
    C += b
    H = np.empty((STEPS + 1, len(h)))
    H[0] = h
    for k in range(STEPS):
        after = np.dot(W, H[k], out=H[k + 1])
        after += C[k]
        np.tanh(after, out=after)
    return H


def slopes_of(H: Array) -> Array:
    S = H[1:] * H[1:]
    return np.subtract(1, S, out=S)


def adjoints(W: Array, S: Array, last: Array) -> tuple[Array, Array]:
    """The loss's derivatives by each step's argument of tanh, and by each state."""
    E, L = np.empty_like(S), np.empty_like(S)
    L[-1] = last
    for k in range(STEPS - 1, 0, -1):
        np.multiply(L[k], S[k], out=E[k])
        np.dot(E[k], W, out=L[k - 1])
    np.multiply(L[0], S[0], out=E[0])
    return E, L


def unrolled_gradient(
    W: Array, h: Array, U: Array, b: Array, t: Array, *inputs: Array
) -> tuple[float, Array]:
    H = states(W, h, U, b, inputs)
    r = H[-1] - t
    E, _ = adjoints(W, slopes_of(H), r)
    return 0.5 * r.dot(r), E.T @ H[:-1]


def unrolled_hvp(W: Array, h: Array, U: Array, b: Array, t: Array, *rest: Array) -> Array:
    """Forward over reverse; what does not depend on the step before is one product."""
    *inputs, v = rest
    H = states(W, h, U, b, inputs)
    S, Vh = slopes_of(H), H[:-1] @ v.T
    D = np.zeros_like(H)
    np.multiply(Vh[0], S[0], out=D[1])
    for k in range(1, STEPS):
        d = np.dot(W, D[k], out=D[k + 1])
        d += Vh[k]
        d *= S[k]
    E, L = adjoints(W, S, H[-1] - t)
    L *= H[1:]
    L *= D[1:]
    L *= -2
    Ev = E @ v
    both = np.empty((2 * STEPS, len(h)))
    both[STEPS:] = E
    dl = D[STEPS]
    for k in range(STEPS - 1, -1, -1):
        de = np.multiply(dl, S[k], out=both[k])
        de += L[k]
        if k:
            dl = de.dot(W)
            dl += Ev[k]
    return both.T @ np.concatenate([H[:-1], D[:-1]])


SIZES = (10, 30, 100, 300, 1000)
STATE_NAMES = ("h", "W", "U", "x", "b")
WEIGHT_NAMES = ("W", "h", "U", "x", "b")
LOSS_NAMES = (*WEIGHT_NAMES, "t")
UNROLLED_NAMES = ("W", "h", "U", "b", "t", *INPUTS)

RECURRENT_BY_STATE = Problem(
    "recurrent_by_state",
    "tanh(Wh + Ux + b) by h",
    ordered(*STATE_NAMES),
    axes(*STATE_NAMES),
    by_state,
    {
        "jacobian": Quantity(
            (*SIZES, 3000),
            {
                "rows of W": jacobian_by_state,
                "without buffers": without_buffers(jacobian_by_state),
            },
        )
    },
)

RECURRENT_BY_WEIGHTS = Problem(
    "recurrent_by_weights",
    "tanh(Wh + Ux + b) by W",
    ordered(*WEIGHT_NAMES),
    axes(*WEIGHT_NAMES),
    by_weights,
    {
        "jacobian": Quantity(
            (10, 30, 100, 300),
            {
                "diagonal": lambda *a: spread(core(*a)),
                "stride": lambda *a: spread_flat(core(*a)),
            },
        ),
        "jacobian_factored": Quantity(
            SIZES, {"outer product": core, "broadcast": broadcast(core)}, spread
        ),
    },
)

RECURRENT_LOSS = Problem(
    "recurrent_loss",
    "half the squared distance of a cell from t, by W",
    ordered(*LOSS_NAMES),
    axes(*LOSS_NAMES),
    loss,
    {
        "gradient": Quantity(
            (*SIZES, 3000), {"closed form": loss_gradient, "broadcast": broadcast(loss_gradient)}
        ),
        "hvp": Quantity(
            (*SIZES, 3000), {"closed form": loss_hvp, "broadcast": broadcast(loss_hvp)}
        ),
    },
)

RECURRENT_UNROLLED = Problem(
    "recurrent_unrolled",
    "the same after ten cells, by W",
    ordered(*UNROLLED_NAMES),
    axes(*UNROLLED_NAMES),
    unrolled,
    {
        "gradient": Quantity(SIZES, {"backpropagation": unrolled_gradient}),
        "hvp": Quantity(SIZES, {"forward over reverse": unrolled_hvp}),
    },
)
