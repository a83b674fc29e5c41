"""Derivatives of Python functions of arrays."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import minimize

import eggrad as eg

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
y = np.sign(X @ [1.0, -2.0, 0.5] + RNG.normal(size=40))


def loss(w: Any) -> Any:
    return np.sum(np.log(1 + np.exp(-y * (X @ w)))) + 0.5 * (w @ w)


def slope(w: Any) -> Any:
    return -X.T @ (y / (1 + np.exp(y * (X @ w)))) + w


def test_arrays_from_outside() -> None:
    rng = np.random.default_rng(1)
    w = rng.normal(size=3)
    np.testing.assert_allclose(eg.grad(loss)(w), slope(w), rtol=1e-12)
    value, gradient = eg.value_and_grad(loss)(w)
    np.testing.assert_allclose(value, loss(w), rtol=1e-12)
    np.testing.assert_allclose(gradient, slope(w), rtol=1e-12)
    step = 1e-6
    columns = [(slope(w + step * e) - slope(w - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(eg.hessian(loss)(w), np.array(columns), rtol=1e-7)


def test_minimize() -> None:
    """Newton's method, with SciPy's own stopping rule."""
    found = minimize(
        loss, np.zeros(3), jac=eg.grad(loss), hess=eg.hessian(loss), method="Newton-CG"
    )
    assert found.success
    assert found.nit < 20
    np.testing.assert_allclose(slope(found.x), 0, atol=1e-4)


def test_several_arguments() -> None:
    rng = np.random.default_rng(1)

    def product(A: Any, x: Any, *, scale: float = 2) -> Any:
        return scale * np.sum(A @ x)

    A, x = rng.normal(size=(2, 3)), rng.normal(size=3)
    by_matrix, by_vector = eg.grad(product, argnums=(0, 1))(A, x)
    np.testing.assert_allclose(by_matrix, 2 * np.outer(np.ones(2), x))
    np.testing.assert_allclose(by_vector, 2 * A.sum(0))
    np.testing.assert_allclose(eg.grad(product, argnums=-1)(A, x), 2 * A.sum(0))
    np.testing.assert_allclose(eg.jacobian(lambda A, x: A @ x, 1)(A, x), A)
    np.testing.assert_allclose(eg.jacobian(np.tanh)(x), np.diag(1 - np.tanh(x) ** 2))


def test_traced_once_for_each_shape() -> None:
    calls = []

    def square(x: Any) -> Any:
        calls.append(x.shape)
        return np.sum(x * x)

    gradient = eg.grad(square)
    for size in (2, 3, 2, 3):
        np.testing.assert_array_equal(gradient(np.ones(size)), np.full(size, 2.0))
    np.testing.assert_array_equal(gradient([1, 2]), [2, 4])
    assert calls == [(2,), (3,)]


def test_broadcasting_is_that_of_the_shapes() -> None:
    rng = np.random.default_rng(1)
    column, row = rng.normal(size=(3, 1)), rng.normal(size=(1, 2))
    found = eg.grad(lambda a, b: np.sum(np.exp(a * b)))(column, row)
    np.testing.assert_allclose(found, (row * np.exp(column * row)).sum(1, keepdims=True))


def test_masks_from_outside() -> None:
    mask = X > 0
    found = eg.grad(lambda x: np.sum(np.where(mask, x**2, 3 * x)))(X)
    np.testing.assert_allclose(found, np.where(mask, 2 * X, 3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: eg.grad(lambda x: x)(np.ones(2)), eg.ShapeError, "scalar"),
        (
            lambda: eg.grad(3),
            eg.UnsupportedOperation,
            "a function of arrays is expected, not a int",
        ),
        (lambda: eg.grad(eg.variable("x")), eg.UnsupportedOperation, "eggrad.gradient"),
        (lambda: eg.grad(np.sum, argnums=1)(np.ones(2)), eg.ShapeError, "argnums has 1"),
        (lambda: eg.grad(np.unique)(np.ones(2)), eg.UnsupportedOperation, "numpy.unique"),
        (lambda: eg.variable("x", (2,)) + np.arange(3), eg.ShapeError, "2|3"),
    ],
)
def test_mistakes(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_arrays_that_change() -> None:
    """A buffer has what it held at each moment; what was changed since is noticed."""
    buffer, data = np.zeros(3), np.ones(3)

    def total(w: Any) -> Any:
        found = 0
        for k in range(3):
            buffer[:] = k + 1
            found = found + w @ buffer
        return found

    np.testing.assert_array_equal(eg.grad(total)(np.ones(3)), [6, 6, 6])
    gradient = eg.grad(lambda w: w @ data)
    gradient(np.ones(3))
    data[:] = 5
    np.testing.assert_array_equal(gradient(np.ones(3)), np.full(3, 5.0))


def test_equality_is_a_condition() -> None:
    with pytest.raises(eg.UnsupportedOperation, match=r"numpy.where.*eggrad.equivalent\(f, g\)"):
        eg.grad(lambda s: 5 * s if s == 3 else s**2)(3.0)
    choice = eg.grad(lambda x, y: np.sum(np.where(x == y, 3 * x, y) * (x != 4)))
    np.testing.assert_array_equal(choice(np.array([1.0, 2, 4]), np.array([1.0, 5, 4])), [3, 0, 0])


def test_methods() -> None:
    found = eg.grad(lambda x: (x.sum(axis=0) * len(x)).dot(x.mean(axis=0)))(np.ones((2, 3)))
    np.testing.assert_allclose(found, np.full((2, 3), 4.0))


# Nested arguments, products, examples ----------------------------------------------------------

x, v = RNG.normal(size=3), RNG.normal(size=3)
A = RNG.normal(size=(2, 3))


def network(parameters: Any, X: Any, targets: Any, xp: Any = np) -> Any:
    hidden = X
    for W, b in parameters["layers"]:
        hidden = xp.tanh(hidden @ W + b)
    return parameters["scale"] * xp.mean((hidden - targets) ** 2)


LAYERS = [(RNG.normal(size=(3, 4)), RNG.normal(size=4)), (RNG.normal(size=(4, 2)), np.ones(2))]
PARAMETERS = {"layers": LAYERS, "scale": 1.5}
DIRECTION = {"layers": [(b, a) for b, a in LAYERS], "scale": 2.0}
DATA = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))


def test_network() -> None:
    """As JAX has it: nested parameters, Hessian-vector product, both products of the Jacobian."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    all_of = jax.tree.leaves

    def same(found: Any, expected: Any) -> None:
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        for a, b in zip(all_of(found), all_of(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)

    def own(parameters: Any, X: Any, targets: Any) -> Any:
        return network(parameters, X, targets, jax.numpy)

    gradient = jax.grad(own)
    same(eg.value_and_grad(network)(PARAMETERS, *DATA), jax.value_and_grad(own)(PARAMETERS, *DATA))
    along = jax.jvp(lambda p: gradient(p, *DATA), (PARAMETERS,), (DIRECTION,))[1]
    same(eg.hvp(network)(PARAMETERS, DIRECTION, *DATA), along)
    changes = (DIRECTION, *DATA)
    point = (PARAMETERS, *DATA)
    same(eg.jvp(network)(point, changes), jax.jvp(own, point, changes))
    same(eg.vjp(network)(*point)[1](2.0), jax.vjp(own, *point)[1](2.0))


def test_nested_results() -> None:
    def f(x: Any, s: Any) -> Any:
        return {"product": s * x, "parts": (x @ x, np.sin(s))}

    by_x, by_s = eg.jacobian(f, argnums=(0, 1))(x, 2.0)["product"]
    np.testing.assert_allclose(by_x, 2 * np.eye(3))
    np.testing.assert_allclose(by_s, x)
    by_x, by_s = eg.jacobian(f, argnums=(0, 1))(x, 2.0)["parts"][1]
    np.testing.assert_allclose(by_x, np.zeros(3))
    np.testing.assert_allclose(by_s, np.cos(2))
    value, change = eg.jvp(f)((x, 2.0), (v, 3.0))
    np.testing.assert_allclose(value["product"], 2 * x)
    np.testing.assert_allclose(change["product"], 3 * x + 2 * v)
    np.testing.assert_allclose(change["parts"], (2 * x @ v, 3 * np.cos(2)))
    _, pullback = eg.vjp(f)(x, 2.0)
    back_x, back_s = pullback({"product": v, "parts": (1.0, 0.0)})
    np.testing.assert_allclose(back_x, 2 * v + 2 * x)
    np.testing.assert_allclose(back_s, v @ x)


def test_hessian_of_several() -> None:
    def f(p: Any, s: Any) -> Any:
        return s * (p["a"] @ p["a"]) * p["b"]

    found = eg.hessian(f, argnums=(0, 1))({"a": x, "b": 3.0}, 2.0)
    np.testing.assert_allclose(found[0]["a"][0]["a"], 12 * np.eye(3))
    np.testing.assert_allclose(found[0]["a"][0]["b"], 4 * x)
    np.testing.assert_allclose(found[0]["b"][0]["a"], 4 * x)
    np.testing.assert_allclose(found[0]["a"][1], 6 * x)
    np.testing.assert_allclose(found[1][0]["b"], x @ x)
    np.testing.assert_allclose(found[1][1], 0)


def test_comparisons_are_numbers_without_a_slope() -> None:
    x = np.array([1.0, 3])
    assert eg.jit(lambda x: x > 2)(x).tolist() == [0, 1]
    assert eg.jacobian(lambda x: x[0] > x[1])(x).tolist() == [0, 0]
    value, pullback = eg.vjp(lambda x: x > 2)(3.0)
    assert (value, pullback(1.0)) == (1, (0,))


def test_cotangents_of_lists_are_lists_of_numbers() -> None:
    _, pullback = eg.vjp(lambda x: [x, x**2])(3.0)
    assert pullback([1.0, 2.0]) == (13,)


def test_what_is_no_number_has_no_gradient() -> None:
    parameters = {"w": x, "kind": "square", "names": ("a", None), "flag": True, "n": 2}
    found = eg.grad(lambda p: p["w"] @ p["w"] * p["n"])(parameters)
    assert {k: found[k] for k in ("kind", "names", "flag")} == {
        "kind": None,
        "names": (None, None),
        "flag": None,
    }
    np.testing.assert_allclose(found["w"], 4 * x)
    np.testing.assert_allclose(found["n"], x @ x)


def test_further_outputs() -> None:
    def f(x: Any) -> Any:
        return x @ x, {"sine": np.sin(x), "name": "f", "size": len(x)}

    (value, further), slope = eg.value_and_grad(f, has_aux=True)(x)
    np.testing.assert_allclose((value, *slope), (x @ x, *(2 * x)))
    np.testing.assert_allclose(further.pop("sine"), np.sin(x))
    assert further == {"name": "f", "size": 3}
    for transform, place in ((eg.grad, -1), (eg.hessian, -1), (eg.jacobian, -1)):
        np.testing.assert_allclose(transform(f, has_aux=True)(x)[place]["sine"], np.sin(x))
    np.testing.assert_allclose(eg.hvp(f, has_aux=True)(x, v)[0], 2 * v)
    np.testing.assert_allclose(eg.jvp(f, has_aux=True)((x,), (v,))[2]["sine"], np.sin(x))
    np.testing.assert_allclose(eg.vjp(f, has_aux=True)(x)[1](1.0)[0], 2 * x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.exp(x) * x**2),
        lambda x: np.log(np.sum(np.exp(A @ x))),
        lambda x: np.prod(np.sin(x)) / (1 + x @ x),
        np.sum,
        lambda x: 2.0,
    ],
)
def test_hessian_vector_products(f: Any) -> None:
    np.testing.assert_allclose(eg.hvp(f)(x, v), eg.hessian(f)(x) @ v, atol=1e-12)


def test_derivatives_of_derivatives() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.sin(x) ** 2)

    third = eg.grad(lambda x: eg.grad(f)(x) @ v + eg.hvp(f)(x, v) @ v)
    expected = 2 * np.cos(2 * x) * v - 4 * np.sin(2 * x) * v * v
    np.testing.assert_allclose(third(x), expected)
    mixed = eg.grad(lambda x: eg.grad(lambda u: np.sum(u * u * x))(np.ones(3)) @ x)
    np.testing.assert_allclose(mixed(x), 4 * x)
    pulled = eg.grad(lambda x: eg.vjp(np.tanh)(x)[1](x)[0].sum())
    np.testing.assert_allclose(pulled(np.zeros(3)), np.ones(3))
    by_product = eg.grad(lambda x: eg.jvp(lambda y: y * y)((x,), (x,))[1].sum())
    np.testing.assert_allclose(by_product(x), 4 * x)


def test_names_of_jax() -> None:
    at = np.array([1.0, 2, 3])

    def model(p: Any, n: int) -> Any:
        return {"a": p["w"] ** n, "b": np.sum(p["w"])}

    found = eg.jit(model)({"w": at}, 2)
    np.testing.assert_allclose(found["a"], at**2)
    assert found["b"] == 6
    cube = eg.jit(lambda x: np.sum(x**3))
    for second in (eg.jacfwd(eg.jacrev(cube)), eg.jit(eg.hessian(cube)), eg.hessian(cube)):
        np.testing.assert_allclose(second(at), np.diag(6 * at))
    assert eg.checkpoint(model) is model


@pytest.mark.parametrize("optimize", ["now", "never"])
def test_what_derivatives_take_for_a_constant(optimize: Any) -> None:
    at = np.array([1.2, 2.6, -3.1])
    held = eg.stop_gradient
    for f, slope in [
        (lambda x: np.sum(x * held(x)), at),
        (lambda x: np.sum((x + held(np.round(x) - x)) ** 2), 2 * np.round(at)),
        (lambda x: np.sum(held(np.exp(x))), 0 * at),
        (lambda x: held(np.max(x)) + np.log(np.sum(np.exp(x - held(np.max(x))))), None),
    ]:
        wanted = np.exp(at) / np.exp(at).sum() if slope is None else slope
        value, found = eg.value_and_grad(f, optimize=optimize)(at)
        np.testing.assert_allclose(found, wanted, atol=1e-14)
    assert np.isclose(value, np.log(np.exp(at).sum()))
    second = eg.hessian(lambda x: np.sum(x**2 * held(x)), optimize=optimize)(at)
    np.testing.assert_allclose(second, np.diag(2 * at))
    s = eg.variable("s")
    assert eg.convexity(-(held(s) ** 2), s).status != "affine"


def test_names_that_are_missing_say_what_to_write() -> None:
    for name, message in [
        ("custom_vjp", "eggrad.function"),
        ("fori_loop", "eggrad.scan"),
        ("lax", "NumPy's functions"),
        ("nothing", "no attribute 'nothing'$"),
    ]:
        with pytest.raises(AttributeError, match=message):
            getattr(eg, name)


def test_one_entry_along_axes_is_a_scalar() -> None:
    at, weights = np.array([1.0, 2, 3]), np.array([[0.5], [1], [2]])
    value, slope = eg.value_and_grad(lambda x: (x @ weights) ** 2)(at)
    assert value.shape == ()
    np.testing.assert_allclose(slope, 17 * weights[:, 0])
    assert eg.hessian(lambda x: (x @ weights)[None] ** 2)(at).shape == (3, 3)
    x = eg.variable("x", (3,))
    assert eg.gradient(x @ weights, x).shape == (3,)


def test_of_expressions() -> None:
    """Symbolic sizes as well."""
    u, W = eg.variable("u", ("n",)), eg.variable("W", ("m", "n"))
    assert eg.grad(lambda x: x @ x / 2)(W @ u) is W @ u
    assert eg.hessian(lambda x: np.sum(np.exp(x)))(u).shape == ("n", "n")
    assert eg.vmap(lambda row: row @ u)(W).to("matrix") == "W*u"
    value, pullback = eg.vjp(lambda W, x: W @ x)(W, u)
    assert value is W @ u
    assert [e.to("matrix") for e in pullback(eg.variable("w", ("m",)))] == ["w*u'", "W'*w"]


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "L-BFGS-B"])
def test_minimize_with_arguments(method: str) -> None:
    def f(w: Any, data: Any, signs: Any, penalty: Any) -> Any:
        return np.sum(np.log(1 + np.exp(-signs * (data @ w)))) + penalty * (w @ w)

    given: dict[str, Any] = {"jac": eg.grad(f), "hessp": eg.hvp(f)}
    if method == "L-BFGS-B":
        given = {"jac": True}
    start = eg.value_and_grad(f) if method == "L-BFGS-B" else f
    for penalty in (0.5, 1):
        found = minimize(start, np.zeros(3), args=(X, y, penalty), method=method, **given)
        assert found.success
        np.testing.assert_allclose(eg.grad(f)(found.x, X, y, penalty), 0, atol=1e-3)


def test_sizes_are_numbers() -> None:
    def f(M: Any) -> Any:
        rows = [row @ np.ones(M.shape[1]) for row in M]
        rows.append(np.sum(M @ np.eye(M.shape[1]) + np.zeros(M.shape)))
        entries = [M[k, 0] * k for k in range(len(M))]
        return sum(rows) + np.sum(np.stack(entries)) + M.shape[0] / 2 * M[0, 0]

    expected = np.full((2, 3), 2.0)
    expected[:, 0] += [1, 1]
    np.testing.assert_allclose(eg.grad(f)(np.ones((2, 3))), expected)


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "dia_array"])
def test_sparse_matrices(kind: str) -> None:
    rng = np.random.default_rng(1)
    D = A * (A > 0)
    S = getattr(scipy.sparse, kind)(D)
    w = rng.normal(size=2)
    for f, at, expected in (
        (lambda x: np.sum((S @ x) ** 2), x, 2 * D.T @ D @ x),
        (lambda w: np.sum((w @ S) ** 2), w, 2 * D @ D.T @ w),
        (lambda w: np.sum((S.T @ w) ** 2), w, 2 * D @ D.T @ w),
        (lambda x: np.sum(np.dot(S, x) ** 2), x, 2 * D.T @ D @ x),
        (lambda M: np.sum((M - S) ** 2 + (S + M) ** 2), A, 4 * A),
    ):
        np.testing.assert_allclose(eg.grad(f)(at), expected, atol=1e-12)
    assert (S @ eg.variable("x", (3,))).shape == (2,)


stack, weights = RNG.normal(size=(4, 3)), RNG.normal(size=4)
matrices = RNG.normal(size=(4, 3, 3)) + 3 * np.eye(3)


@pytest.mark.parametrize(
    ("f", "args", "axes"),
    [
        (lambda a, b: a @ b, (stack, stack), (0, 0)),
        (lambda w, a: np.tanh(w @ a), (x, stack), (None, 0)),
        (lambda a: np.outer(a, a), (stack.T,), (-1,)),
        (lambda a, b: np.abs(a) ** b, (stack, weights), (0, 0)),
        (lambda a, b: np.abs(a) ** b, (x, weights), (None, 0)),
        (lambda a, b: a / b - b / a, (stack, weights), (0, 0)),
        (lambda a, b: a / b - b / a, (x, weights), (None, 0)),
        (lambda a: np.max(a) + np.min(a * a) + a[1] * a[0], (stack,), (0,)),
        (lambda M: np.max(M, axis=0) - np.cumsum(M[0]), (matrices,), (2,)),
        (lambda a, b: np.where(a > b, a * b, np.exp(b)), (stack, weights), (0, 0)),
        (np.linalg.solve, (matrices, stack), (0, 0)),
        (lambda M: np.linalg.det(M) * np.linalg.inv(M), (matrices,), (0,)),
        (lambda a: np.arange(3.0), (stack,), (0,)),
        (lambda M: np.linalg.det(M @ M.T + 3 * np.eye(3)), (matrices,), (0,)),
        (eg.grad(lambda M: np.linalg.det(M @ M.T + 3 * np.eye(3))), (matrices,), (0,)),
        (lambda M: np.sort(M, axis=0), (matrices,), (0,)),
        (lambda M: np.argsort(M, axis=0), (matrices,), (2,)),
        (lambda a: a[np.argmax(a)] - a[[0, 0]], (stack,), (0,)),
        (lambda M: M[[0, 1, 1], [1, 0, 1]], (matrices,), (0,)),
        (lambda M: np.linalg.eigvalsh(M + M.T), (matrices,), (0,)),
        (lambda M: np.linalg.pinv(M[:, :1]) * np.linalg.cond(M), (matrices,), (0,)),
        (lambda M: np.linalg.slogdet(np.stack([M, 2 * M]))[1], (matrices,), (0,)),
        (lambda k, a: k * a, (np.arange(4), stack), (0, 0)),
        (np.sum, (np.zeros((0, 3)),), (0,)),
        (np.sum, (np.ones((1, 3)),), (0,)),
    ],
)
def test_examples(f: Any, args: Any, axes: Any) -> None:
    """What is computed at once is what is computed one by one."""
    count = next(a.shape[k] for a, k in zip(args, axes, strict=True) if k is not None)

    def one(k: int) -> Any:
        own = zip(args, axes, strict=True)
        return f(*(a if axis is None else np.take(a, k, axis) for a, axis in own))

    expected = np.array([one(k) for k in range(count)])
    np.testing.assert_allclose(eg.vmap(f, in_axes=axes)(*args), expected, rtol=1e-9)


def test_nested_examples() -> None:
    found = eg.vmap(lambda p, a: {"s": p["w"] @ a + p["b"]}, in_axes=({"w": None, "b": 0}, 0))
    values = found({"w": x, "b": weights}, stack)["s"]
    np.testing.assert_allclose(values, stack @ x + weights)
    first, last = eg.vmap(lambda a: (a, a.sum()), out_axes=(1, 0))(stack)
    np.testing.assert_allclose(first, stack.T)
    np.testing.assert_allclose(last, stack.sum(1))
    table = eg.vmap(eg.vmap(lambda a, b: a @ b, in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_allclose(table(stack, stack), stack @ stack.T)
    each = eg.vmap(eg.grad(lambda w, a: np.sin(w @ a)), in_axes=(None, 0))
    np.testing.assert_allclose(each(x, stack), np.cos(stack @ x)[:, None] * stack)
    total = eg.grad(lambda w: np.sum(eg.vmap(lambda a: np.sin(w @ a))(stack)))
    np.testing.assert_allclose(total(x), np.cos(stack @ x) @ stack)
    named = eg.vmap(lambda a, *, c: a * c)(stack, c=weights)
    np.testing.assert_allclose(named, stack * weights[:, None])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: eg.grad(lambda x: x)("a"), eg.UnsupportedOperation, "argument 0 has no numbers"),
        (
            lambda: eg.grad(np.sum)(x + 1j),
            eg.UnsupportedOperation,
            "complex: derivatives are those",
        ),
        (eg.grad(lambda x: x @ x), eg.ShapeError, "the function was given 0"),
        (lambda: eg.grad(lambda x: (x @ x, 1))(x), eg.ShapeError, "has_aux=True"),
        (lambda: eg.grad(np.sum, has_aux=True)(x), eg.UnsupportedOperation, "a pair is expected"),
        (lambda: eg.grad(lambda x: 1j * x.sum())(x), eg.UnsupportedOperation, "1j is complex"),
        (
            lambda: eg.grad(lambda x: np.fft.fft(x)[0])(x),
            eg.UnsupportedOperation,
            "expressions are real",
        ),
        (lambda: eg.hvp(np.sum)(x), eg.UnsupportedOperation, "a point and a vector"),
        (lambda: eg.hvp(np.sum)(x, v[:2]), eg.ShapeError, r"shape \(2,\), argument 0 has \(3,\)"),
        (lambda: eg.hvp(np.sum)(x, (v,)), eg.ShapeError, "not nested as argument 0"),
        (lambda: eg.hvp(np.sum, x, v), eg.UnsupportedOperation, r"write eggrad.hvp\(f\)"),
        (lambda: eg.jvp(np.sum)(x, v), eg.UnsupportedOperation, "each is a tuple"),
        (lambda: eg.jvp(np.sum)((x,), (v, v)), eg.ShapeError, "1 primals and 2 tangents"),
        (lambda: eg.vjp(np.sum)(x)[1](v), eg.ShapeError, r"shape \(3,\), value has \(\)"),
        (lambda: eg.vmap(np.add)(x, v[:2]), eg.ShapeError, "different numbers of examples"),
        (lambda: eg.vmap(np.sum)(1.0), eg.ShapeError, "no axis 0"),
        (
            lambda: eg.vmap(np.sum, in_axes=(0, 0))(x),
            eg.UnsupportedOperation,
            "number of arguments",
        ),
        (lambda: eg.vmap(np.sum, in_axes=None)(x), eg.UnsupportedOperation, "no argument"),
        (lambda: eg.vmap(np.sum, in_axes="a")(x), eg.UnsupportedOperation, "integers and None"),
        (lambda: eg.vmap(np.sum, out_axes=1)(A), eg.ShapeError, "no axis of a result"),
        (lambda: eg.vmap(3), eg.UnsupportedOperation, "a function of arrays"),
    ],
)
def test_mistakes_of_calls(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_dict_keeps_its_order() -> None:
    def first(d: Any, x: Any) -> Any:
        return x * next(iter(d.values())) ** 2

    given = {"b": 2.0, "a": 1.0}
    assert eg.grad(first, argnums=1)(given, 3.0) == 4
    assert list(eg.grad(first)(given, 3.0).items()) == [("b", 12.0), ("a", 0.0)]
    along = {"a": 5.0, "b": 1.0}
    assert eg.hvp(first)(given, along, 3.0) == {"b": 6.0, "a": 0.0}


def test_elementwise_grad_is_the_derivative_of_the_sum() -> None:
    x, y = np.array([0.3, 0.7]), np.array([2.0, 3.0])
    f = eg.elementwise_grad(lambda x, y: x**2 * y, 1)
    assert np.allclose(f(x, y), x**2)
    # In a function that is differentiated, with expressions.
    outer = eg.grad(lambda x: np.sum(eg.elementwise_grad(lambda z: z**3)(x)))
    assert np.allclose(outer(x), 6 * x)


def test_jit_takes_the_words_of_jax() -> None:
    x = np.array([1.0, 2.0])
    # A branch by a number that is fixed, and by one that is given by name.
    f = eg.jit(lambda a, x, b=0.0: x * a if a > b else x, static_argnums=0, static_argnames="b")
    assert np.allclose(f(2.0, x), 2 * x)
    assert np.allclose(f(2.0, x, b=3.0), x)
    assert np.allclose(f(0.5, x, b=0.25), x / 2)
    last = eg.jit(lambda x, a: x if a > 1 else -x, static_argnums=(-1,), backend="cpu")
    assert np.allclose(last(x, 0.5), -x)
    with pytest.raises(eg.UnsupportedOperation, match="jit has no static: leave"):
        eg.jit(lambda x: x, static=0)  # type: ignore[call-arg]
