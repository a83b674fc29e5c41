"""Matrix factorization with and without a mask; the Hessian by U is zero off a diagonal."""

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, triangle

__all__ = ["MATRIX_FACTORIZATION", "MATRIX_FACTORIZATION_UNMASKED"]

RANK = 5
AXES = {"U": ("m", "k"), "V": ("n", "k"), "T": ("m", "n")}


def unmasked_data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    shapes = {"U": (n, RANK), "V": (n, RANK), "T": (n, n)}
    return {name: random.standard_normal(shape) for name, shape in shapes.items()}


def data(n: int) -> dict[str, Array]:
    mask = np.random.default_rng(n + 1).random((n, n)) < 0.5
    return unmasked_data(n) | {"O": mask.astype(float)}


def gradient(U: Array, V: Array, T: Array, O: Array) -> tuple[float, Array]:
    R = U.dot(V.T)
    np.subtract(T, R, out=R)
    R *= O
    value = np.vdot(R, R)
    R *= O
    g = R.dot(V)
    g *= -2
    return value, g


def gradient_by_rows(U: Array, V: Array, T: Array, O: Array) -> tuple[float, Array]:
    value, g, size = 0.0, np.empty_like(U), 64
    for i in range(0, len(U), size):
        R = U[i : i + size] @ V.T
        np.subtract(T[i : i + size], R, out=R)
        R *= O[i : i + size]
        value += np.vdot(R, R)
        R *= O[i : i + size]
        np.matmul(R, V, out=g[i : i + size])
    g *= -2
    return value, g


def unmasked_gradient(U: Array, V: Array, T: Array) -> tuple[float, Array]:
    R = U.dot(V.T)
    R -= T
    value = np.vdot(R, R)
    g = R.dot(V)
    g *= 2
    return value, g


def squares(V: Array) -> Array:
    """2 V[l, a] V[l, b], a row for each l."""
    W = V[:, :, None] * V[:, None, :]
    W *= 2
    return W.reshape(len(V), -1)


def core(U: Array, V: Array, T: Array, O: Array) -> Array:
    return (O * O).dot(squares(V)).reshape(len(U), RANK, RANK)


def core_transposed(U: Array, V: Array, T: Array, O: Array) -> Array:
    return (squares(V).T @ (O * O).T).reshape(RANK, RANK, -1).transpose(2, 0, 1)


def core_by_rows(U: Array, V: Array, T: Array, O: Array) -> Array:
    W, size = squares(V), 64
    C = np.empty((len(U), RANK * RANK))
    for i in range(0, len(U), size):
        rows = O[i : i + size]
        np.matmul(rows * rows, W, out=C[i : i + size])
    return C.reshape(-1, RANK, RANK)


def core_symmetric(U: Array, V: Array, T: Array, O: Array) -> Array:
    a, b, place = triangle(RANK)
    W = V[:, a] * V[:, b]
    W *= 2
    return ((O * O) @ W)[:, place]


def spread(core: Array, m: int) -> Array:
    """The Hessian: zeros that the system hands out untouched, and the core on the diagonal."""
    H = np.zeros((m, RANK, m, RANK))
    np.einsum("iaib->iab", H)[...] = core
    return H


def unmasked_core(U: Array, V: Array, T: Array) -> Array:
    C = V.T.dot(V)
    C *= 2
    return C


SIZES = (10, 30, 100, 300, 1000)
CORES = {
    "product": core,
    "product of 15 columns": core_symmetric,
    "row blocks": core_by_rows,
    "product, transposed": core_transposed,
}

MATRIX_FACTORIZATION = Problem(
    "matrix_factorization",
    "sum((O (T - UV'))²) by U, rank 5, mask O",
    data,
    AXES | {"O": ("m", "n")},
    lambda ops, U, V, T, O: ops.sum((O * (T - U @ V.T)) ** 2),
    {
        "gradient": Quantity((*SIZES, 3000), {"plain": gradient, "row blocks": gradient_by_rows}),
        "hessian": Quantity(
            SIZES,
            {
                "product": lambda U, *rest: spread(core(U, *rest), len(U)),
                "product of 15 columns": lambda U, *rest: spread(core_symmetric(U, *rest), len(U)),
            },
        ),
        "hessian_factored": Quantity(
            (*SIZES, 3000), CORES, lambda core, U, *rest: spread(core, len(U))
        ),
    },
)

MATRIX_FACTORIZATION_UNMASKED = Problem(
    "matrix_factorization_unmasked",
    "sum((T - UV')²) by U, rank 5",
    unmasked_data,
    AXES,
    lambda ops, U, V, T: ops.sum((T - U @ V.T) ** 2),
    {
        "gradient": Quantity((*SIZES, 3000), {"plain": unmasked_gradient}),
        "hessian": Quantity(
            SIZES, {"2V'V": lambda U, V, T: spread(unmasked_core(U, V, T), len(U))}
        ),
        "hessian_factored": Quantity(
            (*SIZES, 3000),
            {"2V'V": unmasked_core},
            lambda core, U, *rest: spread(core, len(U)),
        ),
    },
)
