"""Random well-typed terms, and whether their values are tame enough to compare two evaluators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from eggrad.engine.indices.spec import canonical
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS

SIZES: Sequence[Any] = ("m", "n", 2)
# These jump, or end, where rounding may differ: they are applied to variables only.
ABRUPT = ("sign", "arcsin", "arccos", "log", "tan")
SMOOTH = ("sin", "cos", "arctan", "tanh", "exp", "relu", "abs")
EXPONENTS = (-2, -1, 0, 1, 2, 3, t.Fraction(1, 2), t.Fraction(-1, 2), t.Fraction(5, 3))


def leaves(draw: st.DrawFn) -> list[t.Term]:
    dims = st.lists(st.sampled_from(SIZES), max_size=2)
    found = [t.variable(name, draw(dims)) for name in ("A", "B", "x", "lambda", "t1")]
    found.append(t.variable("S", ("n", "n"), ["invertible"]))
    found.append(t.delta(draw(dims)))
    found.append(t.constant(t.Fraction(draw(st.sampled_from((0, 1, -1, 2, "1/3")))), draw(dims)))
    found.append(t.size(draw(st.sampled_from(SIZES))))
    found += [t.apply(draw(st.sampled_from(ABRUPT)), draw(st.sampled_from(found[:5])))]
    return found


def random_einsum(draw: st.DrawFn, args: list[t.Term]) -> t.Term:
    labels: list[tuple[Any, int]] = []
    parts = []
    for a in args:
        own = [(d, draw(st.integers(0, 2))) for d in a.dims]
        parts.append(own)
        labels += [i for i in own if i not in labels]
    kept = draw(st.lists(st.sampled_from(labels), unique=True, max_size=4)) if labels else []
    return t.einsum(canonical(parts, kept), *args)


def grown(draw: st.DrawFn, pool: list[t.Term]) -> t.Term:
    a = draw(st.sampled_from(pool))
    alike = [b for b in pool if b.dims == a.dims]
    scalars = [b for b in pool if not b.dims]
    square = [b for b in pool if b.order == 2 and b.dims[0] == b.dims[1]]
    match draw(st.integers(0, 14)):
        case 0:
            return t.add(a, draw(st.sampled_from(alike)))
        case 1:
            return t.subtract(a, draw(st.sampled_from(alike)))
        case 2:
            return t.divide(a, draw(st.sampled_from(alike + scalars)))
        case 3:
            return t.power(a, t.constant(draw(st.sampled_from(EXPONENTS))))
        case 4 if scalars:
            return t.power(a, draw(st.sampled_from(scalars)))
        case 5:
            return t.apply(draw(st.sampled_from(SMOOTH)), a)
        case 6 if square:
            name = draw(st.sampled_from(tuple(MATRIX_FUNCTIONS)))
            return t.apply(name, draw(st.sampled_from(square)))
        case 7 if square:
            return t.cofactors(draw(st.integers(0, 2)), draw(st.sampled_from(square)))
        case 8:
            return random_einsum(draw, [a])
        case _:
            return random_einsum(draw, [a, draw(st.sampled_from(pool))])


@st.composite
def roots(draw: st.DrawFn, steps: int = 8) -> list[t.Term]:
    """One or two random terms that may share nodes."""
    pool = leaves(draw)
    for _ in range(draw(st.integers(1, steps))):
        new = grown(draw, pool)
        if new.order <= 5:
            pool.append(new)
    return [pool[-1], *draw(st.lists(st.sampled_from(pool), max_size=1))]


def is_tame(terms: Sequence[t.Term], values: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
    """Whether rounding cannot grow much: no node is infinite, huge, or tiny but not zero.

    Nor is a determinant of which the logarithm or the sign is taken.
    """
    nodes = list(t.postorder(*terms))
    found = dict(zip(nodes, oracle.evaluate(nodes, values, sizes), strict=True))
    if not all(np.isfinite(v).all() for v in found.values()):
        return False
    dets = [np.linalg.det(found[n.args[0]]) for n in nodes if n.op in _OF_DETERMINANTS]
    return all((det != 0).all() for det in dets) and all(
        (np.abs(v) < 1e4).all() and (np.abs(v[v != 0]) > 1e-7).all()
        for v in (*found.values(), *dets)
    )


_OF_DETERMINANTS = ("logabsdet", "signdet", "logabsdets", "signdets")
