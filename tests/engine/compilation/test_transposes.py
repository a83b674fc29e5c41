"""Transposes taken out of terms: the same values, and each array once."""

import numpy as np
import pytest

from eggrad.engine.compilation.transposes import without_transposes
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import postorder

A = t.variable("A", (3, 4))
B = t.variable("B", (4, 3))
T = t.variable("T", (3, 4, 2))
x = t.variable("x", (4,))
TURNED = t.einsum("ij->ji", A)
MOVED = t.einsum("ijk->kij", T)

TERMS = [
    t.add(t.apply("exp", TURNED), t.einsum("ij->ji", t.apply("exp", A))),
    t.divide(B, t.power(TURNED, t.constant(-2))),
    t.add(TURNED, t.constant(2, (4, 3))),
    t.add(t.constant(2, (4, 3)), TURNED),
    t.subtract(t.delta((3,)), t.einsum("ij,jk->ki", A, B)),
    t.einsum("ij,jk->", t.apply("sin", TURNED), t.einsum("ij->ji", t.apply("sin", TURNED))),
    t.add(t.einsum("ijk,j->ik", T, x), t.einsum("ik->ki", t.einsum("ijk,j->ki", T, x))),
    t.apply("exp", t.einsum("ijk->jki", MOVED)),
    t.einsum("kij,j->ik", t.apply("tanh", MOVED), x),
    t.apply("where", t.apply("greater", TURNED, B), TURNED, t.constant(0, (4, 3))),
    t.einsum("ii->i", t.einsum("ij,jk->ki", A, B)),
    t.einsum("i,i->i", x, x),
    t.apply("inv", t.einsum("ij,jk->ki", A, B)),
    t.einsum("ij->ji", t.constant(2, (4, 3))),
]


@pytest.mark.parametrize("root", TERMS, ids=range(len(TERMS)))
def test_has_the_same_value(root: t.Term) -> None:
    (found,) = without_transposes([root])
    assert found.dims == root.dims
    values = oracle.random_values([A, B, T, x], {}, np.random.default_rng(0))
    expected, own = oracle.evaluate([root, found], values, {})
    np.testing.assert_allclose(own, expected)


def test_what_differs_by_a_transpose_is_one() -> None:
    roots = [
        t.apply("exp", A),
        t.apply("exp", TURNED),
        t.einsum("ijk,j->ik", T, x),
        t.einsum("ijk,j->ki", T, x),
    ]
    nodes = list(postorder(*without_transposes(roots)))
    assert sum(n.op == "exp" for n in nodes) == 1
    assert sum(n.op == "einsum" and len(n.args) == 2 for n in nodes) == 1


def test_terms_without_transposes_are_kept() -> None:
    roots = (t.einsum("ij,j->i", t.apply("exp", A), x), t.add(t.delta((3,)), t.constant(1, (3, 3))))
    assert without_transposes(roots) == roots
