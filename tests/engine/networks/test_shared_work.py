"""Products made from others that are computed anyway: fewer operations, the same values."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.networks.networks import Network
from eggrad.engine.networks.shared_work import embedding
from eggrad.engine.oracle import oracle
from tests.support.values import evaluated

SIZES = {"n": 400}


def matrices(names: str) -> list[eg.Expression]:
    return [eg.variable(name, ("n", "n")) for name in names]


def compiled(*roots: eg.Expression) -> eg.CompiledFunction:
    function = eg.compile(list(roots), sizes=SIZES)
    variables = dict.fromkeys(v for root in roots for v in root.variables)
    arrays = oracle.random_values([*variables], {"m": 3, "n": 5}, np.random.default_rng(0))
    for found, root in zip(function(**arrays), roots, strict=True):
        np.testing.assert_allclose(found, evaluated(root, arrays, reference=True), 1e-10)
    return function


def test_a_vector_times_a_chain_that_is_computed() -> None:
    A, B, C = matrices("ABC")
    p = eg.variable("p", ("n",))
    chain = A @ B @ C
    assert compiled(chain, p @ A @ B @ C).source.count(".dot(") == 3
    assert compiled(p @ A @ B @ C).source.count(".dot(") == 3


@pytest.mark.parametrize("given", [True, False])
def test_a_large_tensor_meets_once_the_vector_that_two_products_have(given: bool) -> None:
    """Alone either product may begin with its own vector; a multiple of one is no other vector."""
    W = eg.variable("W", ("m", "n", "n"))
    x, y, t = (eg.variable(name, (size,)) for name, size in zip("xyt", "nnm", strict=True))
    z = eg.tanh(np.einsum("kij,i,j->k", W, x, y)) - t
    source = compiled(eg.sum(z * z), eg.gradient(eg.sum(z * z), x if given else y)).source
    assert source.count("W") == 1 + source.count("W.shape") + source.count("compiled(W")


def test_a_hessian_has_the_jacobian_of_a_network_once() -> None:
    W = [eg.variable(f"W{k}", ("n", "n")) for k in range(5)]
    z = eg.variable("x", ("n",))
    for weights in W[:-1]:
        z = eg.relu(weights @ z)
    f = eg.log(eg.sum(eg.exp(W[-1] @ z)))
    source = eg.compile(eg.hessian(f, W[0]), sizes=SIZES, structure="factored").source
    # The layers, the Jacobian of all but the first, its square, and the softmax times it.
    assert source.count(".dot(") - source.count("[:, None].dot(") == len(W) + (len(W) - 2) + 2


def test_where_all_layers_are_switched_it_is_squared() -> None:
    W = [eg.variable(f"W{k}", ("n", "n")) for k in range(5)]
    z = eg.variable("x", ("n",))
    for weights in W:
        z = eg.relu(weights @ z)
    f = eg.log(eg.sum(eg.exp(z)))
    source = eg.compile(eg.hessian(f, W[0]), sizes=SIZES, structure="factored").source
    assert source.count(".dot(") - source.count("[:, None].dot(") == len(W) + (len(W) - 2) + 2


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (("ii,i,i->", "Axy"), ("ij,j,j,i->", "Axyz")),
        (("ii,ij,jk->ik", "ABC"), ("li,ij,jk,l->ik", "ABCx")),
        (("ij,jk,kl->il", "AAB"), ("ij,jk,kl,l->i", "ABAx")),
        (("ij,jk,i->ik", "ABx"), ("ij,jk,i,i,k->j", "ABxxy")),
    ],
)
def test_diagonals_and_factors_that_are_there_twice(
    small: tuple[str, str], large: tuple[str, str]
) -> None:
    known = {v: eg.variable(v, ("n",) * (2 if v.isupper() else 1)) for v in "ABCxyz"}
    compiled(*(eg.einsum(spec, *(known[v] for v in names)) for spec, names in (small, large)))


CHAIN = ((7, (0, 1)), (8, (1, 2)), (9, (2, 3)))


@pytest.mark.parametrize(
    ("factors", "out", "expected"),
    [
        (((9, (5, 6)), (8, (4, 5)), (7, (3, 4)), (6, (3,))), (6,), {0, 1, 2}),
        (((7, (3, 4)), (8, (4, 5)), (7, (4, 3)), (9, (5, 6))), (3, 6), None),
        (((7, (3, 4)), (8, (4, 5)), (9, (5, 6))), (3, 4, 6), None),
        (((7, (3, 4)), (8, (4, 4)), (9, (4, 6)), (6, (3,))), (6,), None),
        (((7, (3, 4)), (7, (3, 5)), (8, (5, 6)), (9, (6, 1))), (4, 1), {1, 2, 3}),
    ],
)
def test_embedding(
    factors: tuple[tuple[int, tuple[int, ...]], ...],
    out: tuple[int, ...],
    expected: set[int] | None,
) -> None:
    sizes = dict.fromkeys(range(7), "n")
    found = embedding(Network(CHAIN, (0, 3), sizes), Network(factors, out, sizes))
    assert (found and found[1]) == expected


def test_a_diagonal_is_no_matrix() -> None:
    sizes = dict.fromkeys(range(2), "n")
    diagonal = Network(((7, (0, 0)), (8, (0,)), (9, (0,))), (), sizes)
    matrix = Network(((7, (0, 1)), (8, (1,)), (9, (1,)), (6, (0,))), (), sizes)
    assert embedding(diagonal, matrix) is None
    assert embedding(diagonal, diagonal) == ({0: 0}, {0, 1, 2})
