"""Factored tensors of other libraries' arrays: the same tensors, as operators too."""

import pickle

import numpy as np
import pytest

import eggrad as eg
from tests.support.array_libraries import converter, each

T, U, V = (
    eg.variable(name, dims)
    for name, dims in {"T": ("n", "m"), "U": ("n", "k"), "V": ("m", "k")}.items()
)
x = eg.variable("x", ("n",))
softmax = eg.exp(x) / eg.sum(eg.exp(x))
L, R = eg.variable("L", ("n", 2)), eg.variable("R", ("n", 2))
TENSORS = {
    "factorisation": eg.hessian(eg.sum((T - U @ V.T) ** 2), U),
    "softmax": eg.jacobian(softmax, x),
    "low rank": eg.jacobian(L @ (R.T @ x), x),
    "identity": eg.jacobian(3 * x, x),
    "whole": eg.jacobian(U.T @ x, x),
    "third": eg.derivative(eg.sum(x**3), "x", "x", "x"),
}


def values() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = {"T": (5, 4), "U": (5, 2), "V": (4, 2), "x": (5,), "L": (5, 2), "R": (5, 2)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


@each()
@pytest.mark.parametrize("name", TENSORS)
def test_the_tensor_and_the_operator_are_those_of_numpy(library: str, name: str) -> None:
    convert, given = converter(library), values()
    own = {name: convert(a) for name, a in given.items()}
    factored = eg.compile(TENSORS[name], backend=library, structure="factored", jit=False)
    h = pickle.loads(pickle.dumps(factored))(**own)
    want = eg.compile(TENSORS[name], structure="factored")(**given)
    dense = want.todense()
    assert h.shape == dense.shape
    assert len(h.parts) == len(want.parts)
    np.testing.assert_allclose(np.asarray(h.todense()), dense, atol=1e-12)
    columns = dense.shape[dense.ndim - h.columns :]
    rows = dense.shape[: dense.ndim - h.columns]
    v = np.random.default_rng(1).normal(size=columns)
    product = np.tensordot(dense, v, len(columns))
    np.testing.assert_allclose(np.asarray(h @ convert(v)), product, atol=1e-12)
    np.testing.assert_allclose(
        np.asarray(h(convert(v.ravel()))).ravel(), product.ravel(), atol=1e-12
    )
    several = np.random.default_rng(3).normal(size=(v.size, 3))
    products = dense.reshape(-1, v.size) @ several
    np.testing.assert_allclose(np.asarray(h @ convert(several)), products, atol=1e-12)
    w = np.random.default_rng(2).normal(size=rows)
    turned = np.tensordot(w, dense, len(rows))
    np.testing.assert_allclose(np.asarray(h.transposed() @ convert(w)), turned, atol=1e-12)
    linear = h.aslinearoperator()
    np.testing.assert_allclose(linear @ v.ravel(), product.ravel(), atol=1e-12)
    np.testing.assert_allclose(linear @ several, products, atol=1e-12)
    np.testing.assert_allclose(linear.rmatvec(w.ravel()), turned.ravel(), atol=1e-12)
    with pytest.raises(eg.ShapeError, match="@: the operand has shape"):
        h @ convert(np.ones((1, 2, 3, 4)))


@each(["jax"])
def test_jax_solves_with_the_operator(library: str) -> None:
    convert = converter(library)
    import jax

    given = {name: convert(a) for name, a in values().items()}
    h = eg.compile(TENSORS["factorisation"], backend="jax", structure="factored")(**given)
    b = jax.numpy.ones(h.shape[:2])
    solve = jax.jit(lambda h, b: jax.scipy.sparse.linalg.cg(h, b)[0])
    np.testing.assert_allclose(h @ solve(h, b), b, rtol=1e-5)
