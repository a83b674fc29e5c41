"""Facts on how tensors depend on variables: each is used, and no chord contradicts it."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import eggrad as eg
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.language import Known, Parameter
from eggrad.engine.laws.properties import (
    AFFINE,
    CONCAVE,
    CONSTANT,
    CONVEX,
    LOG_CONCAVE,
    LOG_CONVEX,
    ROOT_CONVEX,
)
from eggrad.engine.networks.networks import scaled
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.assumptions import drawn
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.rules.functions.curvature import curvature
from eggrad.rules.standard import CURVATURE
from tests.support.tiers import samples

Array = NDArray[Any]
Property = tuple[Callable[[Array], Array], tuple[int, ...]]

# What is asked of chords: of which function of the values, and that it lies below or above them.
PROPERTIES: Final[dict[str, Property]] = {
    AFFINE: (np.asarray, (1, -1)),
    CONVEX: (np.asarray, (1,)),
    CONCAVE: (np.asarray, (-1,)),
    LOG_CONVEX: (np.log, (1,)),
    LOG_CONCAVE: (np.log, (-1,)),
    ROOT_CONVEX: (np.sqrt, (1,)),
}
DIMS: Final = {
    **dict.fromkeys("xyuv", ("n",)),
    **dict.fromkeys("abcd", ("n",)),
    **dict.fromkeys("pqh", ("n",)),
    **dict.fromkeys("stkl", ()),
    **dict.fromkeys("MPXABS", ("n", "n")),
}
WORDS: Final = {
    **{name: ["positive"] for name in "pqlcv"},
    "h": ["negative"],
    "P": ["positive definite"],
    "X": ["positive definite"],
    "S": ["positive semidefinite"],
}
# The variables; all else is constant.
WRT: Final = ("x", "y", "u", "v", "s", "t", "q", "X", "M")
TEXTS: Final = (
    *("k*s - 3*l", "x - y./c + p.*x", "A*x - b", "sum(x)", "x'*a", "M'*a + B*x", "eye(n)*l"),
    *("where(a > b, x, y)", "where(a > b, exp(x), y)", "where(a > b, log(q), y)", "sin(a)*l"),
    *("max(x)", "min(x)", "max(x, y)", "min(x, y)", "max(exp(x), abs(y))", "min(sqrt(q), y)"),
    *(
        "max(a, 1)",
        "max(a)",
        "inv(B)*a",
        "det(B)*s",
        "det(B)",
        "length(a)*s",
        "a.^c",
        "l^k",
        "a[1]",
    ),
    *("exp(A*x)", "log(q)", "abs(x)", "abs(exp(x))", "relu(x)", "exp(exp(x))", "log(sqrt(q))"),
    *("exp(x)*l", "-exp(x)", "3*exp(x)", "-log(q)", "2*log(q)", "exp(x)'*p", "log(q)'*p"),
    *(
        "-p.*exp(x)",
        "-p.*log(q)",
        "sum(exp(x))",
        "sum(log(q))",
        "exp(s)/l",
        "log(l*v)",
        "log(q)./c",
    ),
    *("x.^2", "x.^1.5", "exp(x).^3", "exp(x).^1.5", "sqrt(q)", "sqrt(log(q))", "1./q", "q.^-2"),
    *("q.^-0.5", "x.^-0.5", "q.*log(q)", "q'*log(q)", "x.*log(x)", "x'*x", "sum(exp(x).*exp(x))"),
    *("exp(x)'*exp(x)", "relu(x)'*relu(x)", "x'*S*x", "sqrt(x'*S*x)", "sqrt(x'*x)", "(x'*x)^3"),
    *("sqrt(exp(x)'*exp(x))", "x'*x/v[1]", "(k*s)^2/(l + 3*v[1])", "sqrt(1 + s^2)", "sqrt(2*s^4)"),
    *("sqrt(sum(x.^2))", "sqrt(l*s^2)", "sqrt(s^2/l)", "sqrt(exp(s)^2.5 + l)", "sqrt(p'*x.^2)"),
    *(
        "log(1 + exp(s))",
        "log(sum(exp(x)))",
        "log(2*exp(s) + l)",
        "log(p'*exp(x))",
        "log(exp(s)^2)",
    ),
    *("log(1/v[1] + exp(s))", "log(exp(s)/v[1])", "1/(exp(-s^2))", "exp(-s^2)*l", "exp(-s^2)^2"),
    *("log(v.*exp(-x.^2))", "(1 + exp(s))^-1", "exp(-s^2)/exp(t)", "log(1/(1 + exp(s)))", "3*v"),
    *("log(det(X))", "tr(inv(X))", "diag(inv(X))", "y'*inv(X)*y", "max(eigenvalues(M + M'))"),
    *("min(eigenvalues(M + M'))", "log(exp(x).*exp(y))", "log(3*exp(x))", "-1*log(2*v)"),
    *(
        "entr(q)",
        "kl_div(q, v)",
        "kl_div(q, exp(x))",
        "log_ndtr(x)",
        "log_ndtr(log(q))",
        "diag(a)*x",
    ),
    *("where(a > b, c, a)'*x", "(a + b)'*x", "(a./c)'*x", "sum(a)*s", "h.*log(q)", "h.*exp(x)"),
    *("(1/(1 + exp(s)))^-1.5", "max(singular_values(M))", "sum(singular_values(M))"),
)


@cache
def made() -> tuple[Term, ...]:
    """Terms that no formula says: arrays, entries at known places, multiples, own functions."""
    s = eg.variable("s")
    falling = eg.function(
        "falling",
        derivative=lambda a: -np.exp(-a),
        evaluate=lambda a: np.exp(-a),
        monotone="decreasing",
        curvature="convex",
    )
    bending = eg.function(
        "bending",
        derivative=lambda a: -np.exp(a),
        evaluate=lambda a: -np.exp(a),
        monotone="decreasing",
        curvature="concave",
    )
    k = eg.variable("place", (), ["integer"])
    a, x = eg.variable("a", ("n",)), eg.variable("x", ("n",))
    return (
        (np.array([1.0, -2.0]) * s).sum().term,
        (a[k] * s).term,
        scaled(Fraction(-2), np.exp(x).term),
        falling(np.log(eg.variable("v", (), ["positive"]))).term,
        bending(np.exp(s)).term,
    )


@cache
def conclusions() -> dict[str, dict[Assumption, None]]:
    """What each fact concludes of the terms of some formulas."""
    found: dict[str, dict[Assumption, None]] = {f.name: {} for f in curvature.facts}
    general = [f for f in curvature.facts if f.is_of_any_form]
    for f in (*(eg.parse_matrix(text, DIMS, WORDS).term for text in TEXTS), *made()):
        assumed = [(AFFINE if v.name in WRT else CONSTANT, v) for v in variables(f)]
        knowledge = Knowledge(CURVATURE.rulesets, assumed)
        for t in postorder(f):
            for fact in general:
                asked = [c.property for c in fact.conditions if isinstance(c, Known)]
                if all(knowledge.knows(str(p), t) for p in asked):
                    found[fact.name][str(fact.claim.property), t] = None
            for p in (CONSTANT, *PROPERTIES):
                if knowledge.knows(p, t):
                    for step in knowledge.derivation(p, t):
                        if step.fact.ruleset == "curvature":
                            found[step.fact.name][step.property, step.term] = None
    return found


@pytest.mark.parametrize("name", [f.name for f in curvature.facts])
def test_no_chord_contradicts_it(name: str) -> None:
    fact = next(f for f in curvature.facts if f.name == name)
    if isinstance(fact.claim.tensor, Parameter) and not fact.is_of_any_form:
        pytest.skip("of e-classes alone")
    used = [*conclusions()[name]]
    assert used, "no formula uses it"
    for p, t in used[:4]:
        for seed in range(samples(20, 100)):
            assert not _contradicts(p, t, np.random.default_rng(seed)), (p, str(t), seed)


def _contradicts(p: str, t: Term, rng: np.random.Generator) -> bool:
    sizes = {"n": int(rng.integers(1, 4))}
    ends = [_values(t, sizes, rng) for _ in range(2)]
    first = ends[0]
    second = {n: ends[1][n] if n in WRT else v for n, v in first.items()}
    w = rng.choice([0.5, 0.2, 0.9])
    between = {n: w * first[n] + (1 - w) * second[n] for n in first}
    a, b, middle = (oracle.value(t, v, sizes) for v in (first, second, between))
    if p == CONSTANT:
        return not np.array_equal(a, b, equal_nan=True)
    of, signs = PROPERTIES[p]
    with np.errstate(all="ignore"):
        a, b, middle = of(a), of(b), of(middle)
        gap = w * a + (1 - w) * b - middle
        noise = 1e-8 * (1e-9 + abs(a) + abs(b) + abs(middle))
    known = np.isfinite(a) & np.isfinite(b) & np.isfinite(middle)
    return any(bool((sign * gap[known] < -noise[known]).any()) for sign in signs)


def _values(t: Term, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for v in variables(t):
        shape = tuple(sizes[str(d)] for d in v.dims)
        value = drawn(v.assumed, 2 * rng.normal(size=shape), rng)
        assert value is not None
        found[v.name] = value
    return found
