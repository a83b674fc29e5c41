"""What the records of functions say, held against the oracle's own references."""

from fractions import Fraction

import numpy as np
import pytest

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.functions import FUNCTIONS, UNARY, Function

REALS = np.concatenate(
    [[0.0, 1.0, -1.0, 0.5, 2.5, -1.5], np.random.default_rng(0).normal(0, 2, 200)]
)
KNOWN = [f for f in FUNCTIONS.values() if f.found_in == "expressions"]


def value(f: Function, *args: np.ndarray) -> np.ndarray:
    """The oracle's value."""
    names = [f"a{k}" for k in range(f.arity)]
    own = t.apply(f.name, *(t.variable(n, (len(args[0]),)) for n in names))
    with np.errstate(all="ignore"):
        return oracle.value(own, dict(zip(names, args, strict=True)))


def inside(f: Function) -> np.ndarray:
    """Reals of its domain."""
    return REALS[(f.domain[0] <= REALS) & (f.domain[1] >= REALS)]


@pytest.mark.parametrize("f", KNOWN, ids=lambda f: f.name)
def test_the_code_is_what_the_oracle_says(f: Function) -> None:
    rng = np.random.default_rng(1)
    args = [inside(f), *(rng.permutation(inside(f)) for _ in range(f.arity - 1))]
    variables = [t.variable(f"a{k}", (len(a),)) for k, a in enumerate(args)]
    with np.errstate(all="ignore"):
        run = compile_terms([t.apply(f.name, *variables)], single=True)
        found = run(**{f"a{k}": a for k, a in enumerate(args)})
    np.testing.assert_allclose(found, value(f, *args), rtol=1e-14)


@pytest.mark.parametrize("name", UNARY)
def test_the_claims_are_true(name: str) -> None:
    f = FUNCTIONS[name]
    points = inside(f)
    found = value(f, points)
    defined = np.isfinite(found)
    assert defined.all() or name in ("log", "tan")
    assert defined.all() or not f.total
    assert ((found >= f.span[0]) & (found <= f.span[1]))[defined].all()
    if f.parity:
        sign = -1 if f.parity == "odd" else 1
        np.testing.assert_allclose(value(f, -points), sign * found, rtol=1e-14)
    if f.monotone:
        steps = np.diff(found[np.argsort(points)]) * (1 if f.monotone == "increasing" else -1)
        assert (steps[np.isfinite(steps)] >= 0).all()
    if f.keeps_sign:
        assert (found[points > 0] > 0).all()
    if f.zero_at_zero_alone:
        assert ((found == 0) == (points == 0)).all()
    if f.undone_by:
        np.testing.assert_allclose(
            value(FUNCTIONS[f.undone_by], found), points, rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("name", UNARY)
def test_exact_values_are_those_of_the_oracle(name: str) -> None:
    for c in map(Fraction, ("0", "1", "-1", "2", "1/2", "-3/2", "5/2")):
        exact = FUNCTIONS[name].exact(c)
        if exact is not None:
            assert value(FUNCTIONS[name], np.array([float(c)]))[0] == float(exact)
