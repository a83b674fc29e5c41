"""numpy.linalg on expressions, and eggrad.linalg: values by NumPy and SciPy, derivatives by JAX."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import eggrad as eg
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS

L: Any = np.linalg
RNG = np.random.default_rng(0)
M = RNG.uniform(0.3, 2, (3, 3)) + 3 * np.eye(3)
N = RNG.uniform(0.3, 2, (3, 3))
R = RNG.uniform(0.3, 2, (2, 3))
C = R.T.copy()
V = RNG.uniform(-2, 2, 4)
STACK = np.stack([M, N])
WEIGHTS = RNG.normal(size=(4, 3, 3))


def weighted(a: Any) -> Any:
    """A sum to which each entry contributes in its own way."""
    return (
        np.sum(a * WEIGHTS[0, 0, : a.shape[0]])
        if a.ndim == 1
        else np.sum(a * WEIGHTS[0, : a.shape[-2], : a.shape[-1]])
    )


def reduced(x: Any) -> Any:
    """The singular value decomposition with as many vectors as singular values."""
    return L.svd(x, full_matrices=False)


def rebuilt(x: Any) -> Any:
    """A function of all that a decomposition gives."""
    left, values, right = reduced(x)
    return (left * values**2) @ right


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = (
    {
        "cholesky": (lambda x: weighted(L.cholesky(x @ x.T)), M),
        "cholesky of a triangle": (lambda x: weighted(L.cholesky(x)), M @ M.T),
        "cholesky upper": (lambda x: weighted(L.cholesky(x, upper=True)), M @ M.T),
        "cholesky of a stack": (lambda x: weighted(L.cholesky(x @ x.mT)), STACK),
        "eigh values": (lambda x: weighted(L.eigh(x @ x.T)[0]), M),
        "eigh vectors of the upper triangle": (lambda x: weighted(L.eigh(x, "U").eigenvectors), M),
        "eigh vectors": (lambda x: weighted(L.eigh(x @ x.T).eigenvectors ** 2), M),
        "eigvalsh": (lambda x: weighted(L.eigvalsh(x)), M),
        "eigvalsh of the other triangle": (lambda x: weighted(L.eigvalsh(x, UPLO="U")), M),
        "eigvalsh of a stack": (lambda x: np.sum(L.eigvalsh(x) ** 3), STACK),
        "svd values": (lambda x: weighted(L.svd(x)[1]), R),
        "svdvals": (lambda x: weighted(L.svdvals(x)), M),
        "svd without vectors": (lambda x: weighted(L.svd(x, compute_uv=False)), C),
        "svd left": (lambda x: weighted(reduced(x)[0] ** 2), C),
        "svd right": (lambda x: weighted(reduced(x).Vh ** 2), R),
        "svd of a square matrix": (lambda x: weighted(L.svd(x)[0] ** 2), M),
        "svd of all": (lambda x: weighted(rebuilt(x)), R),
        "svd of a stack": (lambda x: weighted(L.svd(x)[1]), STACK),
        "qr Q": (lambda x: weighted(L.qr(x)[0]), C),
        "qr R": (lambda x: weighted(L.qr(x).R), M),
        "qr r": (lambda x: weighted(L.qr(x, mode="r")), C),
        "qr of a wide matrix": (lambda x: weighted(L.qr(x)[1]), R),
        "pinv of a wide matrix": (lambda x: weighted(L.pinv(x)), R),
        "pinv of a tall matrix": (lambda x: weighted(L.pinv(x)), C),
        "lstsq": (lambda x: weighted(L.lstsq(x, V[:3])[0]), C),
        "lstsq of least length": (lambda x: weighted(L.lstsq(x, V[:2], rcond=None)[0]), R),
        "lstsq residuals": (lambda x: np.sum(L.lstsq(x, V[:3])[1]), C),
        "cond": (L.cond, M),
        "cond -2": (lambda x: L.cond(x, -2), M),
        "cond 1": (lambda x: L.cond(x, 1), M),
        "cond fro": (lambda x: L.cond(x, "fro"), M),
        "matrix_power": (lambda x: weighted(L.matrix_power(x, -2)), M),
        "matrix_power of a stack": (lambda x: weighted(L.matrix_power(x, 3)), STACK),
        "tensorinv": (lambda x: np.sum(L.tensorinv(x.reshape(3, 1, 3), 2) ** 2), M),
        "tensorsolve": (lambda x: np.sum(L.tensorsolve(x.reshape(3, 1, 3), N[:, :1])), M),
        "inv of a stack": (lambda x: weighted(L.inv(x)), STACK),
        "inv of matrices joined": (lambda x: np.sum(L.inv(np.stack([x, x @ N])) ** 2), M),
        "det of a stack": (lambda x: weighted(L.det(x)), STACK),
        "slogdet of a stack": (lambda x: weighted(L.slogdet(x)[1] * L.slogdet(x).sign), STACK),
        "solve with a stack": (lambda x: weighted(L.solve(x, C)), STACK),
        "norm of columns": (lambda x: weighted(L.norm(x, 3, axis=0)), R),
        "norm of rows, kept": (lambda x: weighted(L.norm(x, 2, axis=1, keepdims=True) * x), R),
        "norm of matrices": (lambda x: weighted(L.norm(x, "nuc", axis=(0, 2))), STACK),
        "norm of matrices, kept": (
            lambda x: np.sum(L.norm(x, 2, (1, -1), keepdims=True) * x),
            STACK,
        ),
        "matrix_norm": (lambda x: weighted(L.matrix_norm(x, ord=1)), STACK),
        "a single entry": (
            lambda x: np.sum(L.cholesky(x) + L.eigh(x)[1] * L.svdvals(x)),
            M[:1, :1],
        ),
    }
    | {
        f"norm {ord} of a matrix": ((lambda x, ord=ord: L.norm(x, ord)), R)
        for ord in (None, "fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)
    }
    | {
        f"norm {ord} of a vector": ((lambda x, ord=ord: L.norm(x, ord)), V)
        for ord in (None, 0, 1, 2, 3, 2.5, -1, np.inf, -np.inf)
    }
)


def differences(f: Callable[[Any], Any], x: Any, step: float = 1e-6) -> Any:
    result = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        shift = np.zeros_like(x)
        shift[place] = step
        result[place] = (f(x + shift) - f(x - shift)) / (2 * step)
    return result


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_numpys_and_gradients_are_differences(name: str) -> None:
    f, x = FUNCTIONS[name]
    value, gradient = eg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-10)
    np.testing.assert_allclose(gradient, differences(f, x), rtol=2e-5, atol=1e-6)


OWN: dict[str, Callable[[Any, Any], Any]] = {
    "expm": lambda x, own: weighted(own.expm(x / 10)),
    "solve_triangular": lambda x, own: weighted(own.solve_triangular(x, V[:3])),
    "lower": lambda x, own: weighted(own.solve_triangular(x, V[:3], trans="T", lower=True)),
    "ones": lambda x, own: weighted(own.solve_triangular(x, V[:3], unit_diagonal=True)),
    "cho_solve": lambda x, own: weighted(own.cho_solve(own.cho_factor(x, lower=True), V[:3])),
    "cholesky": lambda x, own: weighted(own.cholesky(x)),
    "eigh": lambda x, own: weighted(own.eigh(x, lower=False, eigvals_only=True)),
    "eigvalsh": lambda x, own: weighted(own.eigvalsh(x)),
    "qr": lambda x, own: weighted(own.qr(x, mode="economic")[1]),
    "svd": lambda x, own: weighted(own.svd(x)[1] * own.svdvals(x)),
    "pinv": lambda x, own: weighted(own.pinv(x)),
    "others": lambda x, own: own.det(x) + own.norm(x) + np.sum(own.inv(x) + own.solve(x, N)),
    "lstsq": lambda x, own: weighted(own.lstsq(x, V[:3])[0]),
}


@pytest.mark.parametrize("name", OWN)
def test_linalg_is_scipys(name: str) -> None:
    import scipy.linalg

    f, x = OWN[name], M @ M.T
    value, gradient = eg.value_and_grad(lambda x: f(x, eg.linalg))(x)
    np.testing.assert_allclose(value, f(x, scipy.linalg), rtol=1e-10)
    expected = differences(lambda x: f(x, scipy.linalg), x)
    np.testing.assert_allclose(gradient, expected, rtol=2e-5, atol=1e-6)


def test_linalg_has_a_stack_of_exponentials() -> None:
    import scipy.linalg

    f = eg.compile(eg.linalg.expm(eg.variable("X", ("k", "n", "n"))))
    np.testing.assert_allclose(f(X=STACK), scipy.linalg.expm(STACK))
    assert np.isnan(f(X=STACK * np.array([1, np.nan])[:, None, None])[1]).all()


TWICE: dict[str, Callable[[Any, Any], Any]] = {
    "eigvalsh": lambda x, of: of("eigvalsh")(x + x.T) ** 3,
    "cholesky": lambda x, of: of("cholesky")(x @ x.T) ** 2,
    "svdvals": lambda x, of: of("svdvals")(x) ** 3,
    "pinv": lambda x, of: of("pinv")(x) ** 3,
    "qr": lambda x, of: of("qr")(x)[1] ** 2,
    "expm": lambda x, of: of("expm")(x / 5) ** 2,
}


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_are_jaxs(name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, x = TWICE[name], M[:2, :2]

    def others(function: str) -> Any:
        if function == "expm":
            return jax.scipy.linalg.expm
        return getattr(jax.numpy.linalg, function)

    def own(function: str) -> Any:
        return eg.linalg.expm if function == "expm" else getattr(L, function)

    want = jax.hessian(lambda x: f(x, others).sum())(x)
    got = eg.hessian(lambda x: np.sum(f(x, own)))(x)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-11)


def test_the_third_derivative_of_an_exponential() -> None:
    x = eg.variable("x")
    f = np.sum(eg.linalg.expm(x * N[:2, :2]))
    third = eg.gradient(eg.gradient(eg.gradient(f, x), x), x)
    want = np.sum(L.matrix_power(N[:2, :2], 3) @ eg.linalg.expm(N[:2, :2] / 2).evaluate({}))
    np.testing.assert_allclose(third.evaluate({"x": 0.5}), want)


A, S = eg.variable("A", ("m", "n")), eg.variable("S", ("n", "n"))
x = eg.variable("x", ("n",))
T = eg.variable("T", (2, 3))

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "eig": (lambda: L.eig(S), "write numpy.linalg.eigh"),
    "eigvals": (lambda: L.eigvals(S), "write numpy.linalg.eigvalsh"),
    "matrix_rank": (lambda: L.matrix_rank(S), "no derivative; numpy.linalg.svdvals"),
    "sizes": (lambda: L.svdvals(A), "which of the sizes m and n is the lesser"),
    "vectors": (lambda: L.svd(T)[2], "full_matrices=False"),
    "unpacked": (lambda: list(L.svd(T)), "full_matrices=False"),
    "hermitian": (lambda: L.svd(S, hermitian=True), "numpy.linalg.eigh"),
    "mode": (lambda: L.qr(T, mode="raw"), "the mode is 'reduced' or 'r'"),
    "triangle": (lambda: L.eigh(S, UPLO="X"), "'L' or 'U'"),
    "not square": (lambda: L.cholesky(T), "sizes 2 and 3 would have to be equal"),
    "a vector": (lambda: L.pinv(x), "pinv needs a matrix"),
    "rcond": (lambda: L.lstsq(S, x, 0.1), "rcond is None"),
    "cutoff": (lambda: L.pinv(S, rcond=0.1), "does not take the option 'rcond'"),
    "norm of a vector": (lambda: L.norm(x, "fro"), "of vectors with ord='fro'"),
    "norm of a matrix": (lambda: L.norm(T, 3), "of matrices with ord=3; supported are"),
    "norm of more": (lambda: L.norm(eg.variable("B", (2, 2, 2)), 2), "along one axis or two"),
    "power": (lambda: L.matrix_power(S, 0.5), "matrix_power: n is an integer"),
    "tensorinv": (lambda: L.tensorinv(T, 3), "ind is from 1 to 2"),
    "tensorsolve": (lambda: L.tensorsolve(T, x), "as many equations as unknowns"),
    "trans": (lambda: eg.linalg.solve_triangular(S, x, trans=2), "trans is 0, 1"),
    "scipy": (lambda: scipy.linalg.expm(S), "write eggrad.linalg.expm"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_write(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((eg.UnsupportedOperation, eg.ShapeError), match=message):
        call()


def test_a_decomposition_is_computed_once() -> None:
    values, vectors = L.eigh(eg.variable("S", ("n", "n"), ["symmetric"]))
    compiled: Any = eg.compile(vectors * np.exp(values))
    source = compiled.source
    assert source.count("eigen_decomposition(") == 1
    assert "eigenvalues(" not in source


def test_what_is_known_to_be_symmetric_is_taken_as_a_whole() -> None:
    symmetric = eg.variable("S", ("n", "n"), ["symmetric"])
    gradient = eg.gradient(np.sum(L.eigvalsh(symmetric) ** 2), symmetric)
    assert gradient.to("matrix") == "t1 = eigenvectors(S); t1*diag(2*eigenvalues(S))*t1'"


def test_symbolic_sizes() -> None:
    for f in (L.cholesky, L.eigvalsh, L.svdvals, L.pinv, eg.linalg.expm):
        gradient = eg.compile(eg.gradient(np.sum(f(S) ** 2), S))
        want = eg.grad(lambda x, f=f: np.sum(f(x) ** 2))(M @ M.T / 30)
        np.testing.assert_allclose(gradient(S=M @ M.T / 30), want, rtol=1e-9, atol=1e-12)


def test_singular_matrices_are_undefined_alone() -> None:
    f = eg.compile(L.inv(eg.variable("X", (2, 3, 3))))
    found = f(X=STACK * np.array([1.0, 0.0])[:, None, None])
    np.testing.assert_allclose(found[0], L.inv(M))
    assert np.isnan(found[1]).all()
    assert np.isnan(eg.compile(L.cholesky(S))(S=-np.eye(2))).all()
    assert np.isnan(eg.compile(L.eigvalsh(S))(S=np.full((2, 2), np.nan))).all()


def test_nothing_of_a_stack() -> None:
    for f in (L.inv, L.eigvalsh, L.svdvals, L.pinv, L.cholesky):
        assert eg.compile(f(eg.variable("X", ("k", 2, 2))))(X=np.zeros((0, 2, 2))).shape[0] == 0


@pytest.mark.parametrize("name", STACK_FUNCTIONS)
def test_functions_of_stacks_are_called_by_the_names_of_their_records(name: str) -> None:
    function = getattr(eg.linalg, name)
    assert function.__name__ == name
    assert function.__doc__
    assert getattr(eg.linalg, name) is pickle.loads(pickle.dumps(function)) is function
    assert name in str(function(eg.variable("A", (2, 3, 3))))
    with pytest.raises(TypeError, match=name):
        function()
    assert not hasattr(eg.linalg, f"{name}_")
