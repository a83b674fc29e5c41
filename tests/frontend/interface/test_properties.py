"""What is known of expressions, and that what holds on a subspace is not differentiated."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.laws.properties import holds
from eggrad.engine.oracle import oracle
from tests.support.values import evaluated

n2 = ("n", "n")
WORDS = {
    "S": "positive definite",
    "P": "positive semidefinite",
    "K": "skew",
    "Q": "orthogonal",
    "L": "lower triangular",
    "D": "diagonal",
    "M": "symmetric",
}
V = {name: eg.variable(name, n2, [word]) for name, word in WORDS.items()}
S, P, K, Q, L, D, M = V.values()
A, X = eg.variable("A", n2), eg.variable("X", ("m", "n"))
x = eg.variable("x", ("n",))
p = eg.variable("p", ("n",), ["probability"])
EYE = eg.delta(("n",))

KNOWN = {
    "gram": (X.T @ X, {"symmetric", "positive semidefinite"}),
    "ridge": (X.T @ X + EYE, {"positive definite", "invertible"}),
    "congruence": (X @ S @ X.T, {"positive semidefinite"}),
    "sum": (P + S, {"positive definite"}),
    "multiple": (3 * P + P / 2, {"positive semidefinite"}),
    "inverse": (eg.inv(S), {"positive definite"}),
    "difference": (X.T @ X - X.T @ X, {"symmetric"}),
    "triangular": (L @ L + 2 * eg.inv(L), {"lower triangular"}),
    "transposed": (L.T, {"upper triangular"}),
    "orthogonal": (Q @ Q.T @ Q, {"orthogonal", "invertible"}),
    "skew": (K + 2 * K - K.T, {"skew"}),
    "skew part": (2 * eg.sin(A - A.T), {"skew"}),
    "diagonal": (D @ D + EYE, {"diagonal", "symmetric"}),
    "form": (x @ P @ x, {"nonnegative"}),
    "determinant": (eg.det(S), {"positive"}),
    "softmax": (eg.softmax(x), {"nonnegative", "at most 1"}),
    "sigmoid": (1 / (1 + eg.exp(-x)), {"positive", "at most 1"}),
    "cosh": (np.cosh(x), {"at least 1"}),
    "bell": (eg.exp(-(x * x)), {"positive", "at most 1"}),
    "entropy": (-p * eg.log(p), {"nonnegative"}),
    "rounded": (eg.floor(x) * 2 + 1, {"integer"}),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_follows_and_is_so(name: str) -> None:
    f, wanted = KNOWN[name]
    found = eg.properties(f)
    assert wanted <= set(found)
    assert all(found[word] and all("." in rule for rule in found[word]) for word in found)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        values = oracle.random_values(f.variables, {"m": 2, "n": 3}, rng)
        value = f.evaluate(values, reference=True)
        assert all(holds(word, value) for word in found)


def test_nothing_is_said_of_what_may_be_anything() -> None:
    assert len(eg.properties(eg.variable("A", n2) @ x)) == 0
    assert eg.properties(eg.variable("A", n2)).range == "(-inf, inf)"
    assert "positive definite" not in eg.properties(X.T @ X)
    assert "positive definite" not in eg.properties(P)
    assert "lower triangular" not in eg.properties(L @ L.T)
    assert "skew" not in eg.properties(K @ K)


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (np.cosh(x), "[1, inf)"),
        (1 / (1 + eg.exp(-x)), "(0, 1]"),
        (eg.sin(x), "[-1, 1]"),
        (-eg.exp(x), "(-inf, 0)"),
        (eg.log(p), "(-inf, 0]"),
        (p, "[0, 1]"),
    ],
)
def test_range(f: eg.Expression, wanted: str) -> None:
    assert eg.properties(f).range == wanted


def test_structure_is_not_used_before_the_last_derivative() -> None:
    rng = np.random.default_rng(0)
    values = oracle.random_values([v.term for v in (*V.values(), x)], {"n": 3}, rng)
    one = eg.simplify(np.trace(K))
    assert one.to("matrix") == "0"
    assert eg.gradient(one, K).to("matrix") == "eye(n)"
    for f, X_, wanted in (
        (x @ K @ x, K, np.outer(values["x"], values["x"])),
        (eg.sum(Q.T @ Q), Q, 2 * np.tile(values["Q"].sum(1)[:, None], 3)),
        (eg.sum(D), D, np.ones((3, 3))),
        (eg.sum(L), L, np.ones((3, 3))),
    ):
        for own in (f, eg.simplify(f)):
            found = evaluated(eg.gradient(own, X_), values)
            np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert eg.gradient(eg.sum(p), p).evaluate({"p": [0.5, 0.5]}).tolist() == [1.0, 1.0]
    whole = eg.variable("z", ("n",), ["integer"])
    assert eg.gradient(eg.sum(eg.floor(whole)), whole).evaluate({"z": [1.0]}).tolist() == [0.0]


def test_words_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="nothing is both"):
        eg.variable("A", n2, ["skew", "positive definite"])
    with pytest.raises(eg.ShapeError, match="square"):
        eg.variable("A", ("m", "n"), ["diagonal"])
    with pytest.raises(eg.ShapeError, match="axis"):
        eg.variable("p", (), ["probability"])


def test_small_and_empty_sizes() -> None:
    for n in (0, 1):
        own = eg.variable("K", (n, n), ["skew"])
        assert eg.equivalent(np.trace(own), 0).status == "equal"
        found = eg.simplify(np.trace(own)).evaluate({"K": np.zeros((n, n))})
        assert found == 0
    assert eg.simplify(eg.det(Q) ** 2).evaluate({"Q": np.zeros((0, 0))}) == 1


def test_what_cancels_is_not_said_to_be_defined_everywhere() -> None:
    c, K = eg.variable("c", ()), eg.variable("K", ("n", "n"), ["skew"])
    assert "defined everywhere" not in eg.properties(eg.log(c) * 0)
    assert "defined everywhere" not in eg.properties(eg.log(c) * eg.einsum("ii->", K))
