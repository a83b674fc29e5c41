"""Losses as papers have them: value, gradient and Hessian-vector product, against JAX."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.cases.losses import Case, cases

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.usefixtures("jax_in_double")
CASES = list(cases())
SPECIAL = SimpleNamespace(
    **{name: getattr(eg.special, name) for name in eg.special.__all__}, logsumexp=eg.logsumexp
)


def leaves(tree: Any) -> Any:
    """All numbers of nested arrays, one after the other."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)])


@pytest.mark.parametrize("optimize", ["never", "now"])
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES])
def test_is_what_jax_has(case: Case, optimize: Any) -> None:
    def ours(p: Any, *data: Any) -> Any:
        return case.function(np, SPECIAL, eg.linalg, p, *data)

    def theirs(p: Any) -> Any:
        return case.function(jax.numpy, jax.scipy.special, jax.scipy.linalg, p, *case.data)

    rng = np.random.default_rng(1)
    at = jax.tree.map(lambda a: jax.numpy.asarray(a, float), case.parameters)
    along = jax.tree.map(lambda a: jax.numpy.asarray(rng.standard_normal(np.shape(a))), at)
    value, gradient = jax.value_and_grad(theirs)(at)
    curved = jax.jvp(jax.grad(theirs), (at,), (along,))[1]
    own_value, own_gradient = eg.value_and_grad(ours, optimize=optimize)(
        case.parameters, *case.data
    )
    vector = jax.tree.map(np.asarray, along)
    own_curved = eg.hvp(ours, optimize=optimize)(case.parameters, vector, *case.data)
    np.testing.assert_allclose(own_value, value, rtol=1e-9, atol=1e-12)
    for found, wanted in ((own_gradient, gradient), (own_curved, curved)):
        np.testing.assert_allclose(leaves(found), leaves(wanted), rtol=1e-8, atol=1e-9)


def test_distances_that_a_mask_leaves_out_do_not_matter() -> None:
    """Of a point and itself the distance has no slope: unmasked that is NaN, as everywhere."""
    at = np.random.default_rng(0).standard_normal((4, 3))
    mask = ~np.eye(4, dtype=bool)

    def masked(r: Any) -> Any:
        return np.sum(np.where(mask, np.linalg.norm(r[:, None] - r[None], axis=-1), 0))

    def unmasked(r: Any) -> Any:
        return np.sum(np.linalg.norm(r[:, None] - r[None], axis=-1))

    i, j = np.nonzero(mask)
    wanted = np.zeros_like(at)
    apart = at[i] - at[j]
    slopes = apart / np.linalg.norm(apart, axis=1, keepdims=True)
    np.add.at(wanted, i, slopes)
    np.subtract.at(wanted, j, slopes)
    np.testing.assert_allclose(eg.grad(masked)(at), wanted)
    with np.errstate(all="ignore"):
        assert np.isnan(eg.grad(unmasked)(at)).all()
