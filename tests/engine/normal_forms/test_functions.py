"""Functions in normal forms: angles, moduli, labels, logarithms, determinants."""

from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.normal_forms.reading import ALL, below, forms_of
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, postorder
from eggrad.rules.standard import EQUIVALENCE_OF_DECLARED
from tests.support.tiers import samples

DIMS = {
    **dict.fromkeys(("a", "b", "c", "t", "j", "s"), ()),
    **{"x": ("n",), "z": ("n",), "y": ("n",)},
    **{
        "A": (2, 2),
        "B": (3, 3),
        "P": ("n", "n"),
        "S": ("n", "n"),
        "U": ("n", "k"),
        "V": ("k", "n"),
    },
}
WORDS = {
    "c": ["positive"],
    "j": ["integer"],
    "s": ["signs"],
    "y": ["signs"],
    "P": ["positive definite"],
    "S": ["symmetric"],
}
# Two that are equal, and one that is neither.
CASES = [
    ("cos(4*a)", "8*cos(a)^4 - 8*cos(a)^2 + 1", "8*cos(a)^4 - 8*cos(a)^2"),
    ("sin(a + pi/4)", "(sin(a) + cos(a))/sqrt(2)", "(sin(a) - cos(a))/sqrt(2)"),
    ("cos(a + pi/3)", "cos(a)/2 - sqrt(3)*sin(a)/2", "cos(a)/2 + sqrt(3)*sin(a)/2"),
    ("sin(a + 2*pi*j)", "sin(a)", "-sin(a)"),
    ("tan(a/2)", "(1 - cos(a))/sin(a)", "(1 + cos(a))/sin(a)"),
    ("1/tan(a) + 1/tan(b)", "sin(a + b)/(sin(a)*sin(b))", "sin(a - b)/(sin(a)*sin(b))"),
    ("sin(arccos(t))", "sqrt(1 - t^2)", "sqrt(1 + t^2)"),
    ("sin(3*arctan(t))", "(3*t - t^3)/(1 + t^2)^(3/2)", "(3*t + t^3)/(1 + t^2)^(3/2)"),
    ("arccos(-t)", "pi - arccos(t)", "arccos(t)"),
    ("abs(a/b)", "abs(a)/abs(b)", "a/abs(b)"),
    ("sqrt(a^2*c)", "abs(a)*sqrt(c)", "a*sqrt(c)"),
    ("exp(max(a, b))", "max(exp(a), exp(b))", "min(exp(a), exp(b))"),
    ("min(max(a, -c), c)", "(abs(a + c) - abs(a - c))/2", "(abs(a + c) + abs(a - c))/2"),
    ("sum(log(exp(x) + exp(z)))", "sum(max(x, z) + log(1 + exp(-abs(x - z))))", "sum(max(x, z))"),
    ("log(sum(exp(x))/sum(exp(z)))", "log(sum(exp(x))) - log(sum(exp(z)))", "sum(x) - sum(z)"),
    ("norm2(x*z')", "norm2(x)*norm2(z)", "norm2(x)^2"),
    ("abs(y - z)", "abs(1 - y.*z)", "abs(1 + y.*z)"),
    ("tanh(s*a)", "s*tanh(a)", "tanh(a)"),
    ("2*det(A)", "tr(A)^2 - tr(A*A)", "tr(A)^2 + tr(A*A)"),
    ("det(kron(A, B))", "det(A)^3*det(B)^2", "det(A)^2*det(B)^3"),
    ("logdet(c*P)", "logdet(P) + n*log(c)", "logdet(P) + log(c)"),
    ("det(eye(n) + c*U*V*P)", "det(eye(k) + c*V*P*U)", "det(eye(k) + V*P*U)"),
    ("norm2(cholesky(P)'*x)^2", "x'*P*x", "x'*P*P*x"),
    ("tr(S*S*S)", "sum(eigenvalues(S).^3)", "tr(S)^3"),
    ("inv(inv(P) + inv(S))", "P*inv(P + S)*S", "P*inv(P + S)*P"),
]


def read(text: str) -> eg.Expression:
    return eg.parse_matrix(text, DIMS, WORDS)


@pytest.mark.parametrize(("left", "right", "wrong"), CASES)
def test_is_decided(left: str, right: str, wrong: str) -> None:
    assert eg.equivalent(read(left), read(right)).status == "equal"
    assert eg.equivalent(read(left), read(wrong)).status == "different"


def drawn(rng: Random, depth: int) -> Any:
    """A random function of some scalars."""
    if not depth:
        return read(rng.choice(["a", "b", "c", "s", "j", "a + c", "a - c", "sum(exp(x))", "x'*z"]))
    first, second = (drawn(rng, depth - 1) for _ in range(2))
    return rng.choice([
        lambda: first + second,
        lambda: first * second,
        lambda: first * rng.choice([2, -1, 0.5, np.pi, np.pi / 4]),
        lambda: first ** rng.choice([2, -1, 0.5]),
        lambda: np.sin(first),
        lambda: np.cos(first),
        lambda: np.abs(first),
        lambda: eg.relu(first),
        lambda: np.arctan(first),
        lambda: np.exp(first),
    ])()  # fmt: skip


def test_what_has_one_normal_form_has_the_same_values() -> None:
    knowledge = Knowledge(EQUIVALENCE_OF_DECLARED.rulesets, ())
    for seed in range(samples(4, 40)):
        rng, normal = Random(seed), np.random.default_rng(seed)
        whole = read("a").thin.term
        for _ in range(40):
            whole = terms.add(whole, drawn(rng, rng.choice([1, 2])).thin.term)
        rows = TermRows(postorder(whole), (whole,), knowledge=knowledge)
        forms = forms_of(Snapshot(rows, CostModel(), rows.roots), ALL)
        groups: dict[object, list[Term]] = {}
        for cls in below(forms.graph):
            key = (forms.graph.dims[cls], frozenset(forms.polynomial(cls).items()))
            groups.setdefault(key, []).append(forms.graph.term(cls))
        found = [*groups.values()]
        for _ in range(4):
            values = oracle.random_values(terms.variables(whole), {"n": 3}, normal)
            for same in found:
                first, *others = oracle.evaluate(same, values, {"n": 3})
                for other in others:
                    both = np.isfinite(first) & np.isfinite(other) & (np.abs(first) < 1e6)
                    assert np.allclose(first[both], other[both], rtol=1e-6)
