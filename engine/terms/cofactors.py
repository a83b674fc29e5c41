"""Derivatives of determinants by inverses, for languages that have nothing else."""

from itertools import permutations

from eggrad.engine.indices.spec import canonical, scaling
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    einsum,
    postorder,
    rebuild,
    subtract,
)


def without_higher_cofactors(root: Term) -> Term:
    """The term with determinants, and their second and higher derivatives by inverses.

    It is equal where these matrices are invertible.

    >>> from eggrad.engine.terms.term import cofactors, variable
    >>> term = without_higher_cofactors(cofactors(2, variable("X", ("n", "n"))))
    >>> [t.op for t in postorder(term) if t.op not in ("variable", "einsum")]
    ['det', 'inv', 'subtract']
    """
    done: dict[Term, Term] = {}
    for t in postorder(root):
        args = tuple(done[a] for a in t.args)
        other = t.op == "cofactors" and t.number != 1
        done[t] = _by_inverses(t.number, *args) if other else rebuild(t, args)
    return done[root]


def _by_inverses(k: int, matrix: Term) -> Term:
    """`det(X)` times the antisymmetric product of k inverses (Jacobi)."""
    if not k:
        return apply("det", matrix)
    inverse = apply("inv", matrix)
    total: Term | None = None
    for order in permutations(range(k)):
        axes = (2 * order[0] + 1, 0)
        product = inverse
        for t in range(1, k):
            part = (2 * order[t] + 1, 2 * t)
            out = (*axes, *part) if t < k - 1 else tuple(range(2 * k))
            product = einsum(canonical((axes, part), out), product, inverse)
            axes = out
        odd = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :]) % 2
        if total is None:
            total = product
        else:
            total = subtract(total, product) if odd else add(total, product)
    assert total is not None
    return einsum(scaling(2 * k), apply("det", matrix), total)
