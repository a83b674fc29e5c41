"""Operation counts, each against a number worked out by hand."""

import pytest

from eggrad.engine.costs.cost import count, node_count
from eggrad.engine.errors import UnknownVariable
from eggrad.engine.terms import term as t

A = t.variable("A", ("m", "n"))
S = t.variable("S", ("n", "n"))
x = t.variable("x", ("n",))
y = t.variable("y", ("m",))
c = t.variable("c")
SIZES = {"m": 10, "n": 7}


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (x, 0),
        (t.delta(("n",)), 0),
        (t.constant(2, ("n",)), 0),
        (t.size("n"), 0),
        (t.einsum("ij,j->i", A, x), 70 + 60),
        (t.einsum("ij,i->ij", A, y), 70),
        (t.einsum("i,i->", x, x), 7 + 6),
        (t.einsum("i,j->ij", x, y), 70),
        (t.einsum(",i->i", c, x), 7),
        (t.einsum("ij,jk->ik", A, S), 490 + 420),
        (t.einsum("ij->ji", A), 0),
        (t.einsum("ii->i", S), 0),
        (t.einsum("ii->", S), 6),
        (t.einsum("ij->i", A), 60),
        (t.einsum("ij->", A), 69),
        # diag(x): n entries, not n squared; a delta contracted away: n; A times delta: m n n.
        (t.einsum("i,ij->ij", x, t.delta(("n",))), 7),
        (t.einsum("ij,j->i", t.delta(("n",)), x), 7),
        (t.einsum("ij,kl->ikjl", A, t.delta(("n",))), 490),
        (t.einsum("ijkl,kl->ij", t.delta(("m", "n")), A), 70),
        (t.apply("exp", A), 70),
        (t.power(A, c), 70),
        (t.add(A, A), 70),
        (t.negate(A), 70),
        (t.divide(A, c), 70),
        (t.divide(c, A), 70),
        (t.apply("inv", S), 686),
        (t.apply("det", S), 228),
        (t.apply("adj", S), 1029),
        (t.cofactors(0, S), 228),
        (t.cofactors(1, S), 1029),
        (t.cofactors(2, S), 1029 + 4 * 7**4),
    ],
)
def test_count_of_one_node(node: t.Term, expected: int) -> None:
    assert count([node], SIZES) == expected


def test_shared_nodes_count_once() -> None:
    e = t.apply("exp", x)
    assert count([t.add(e, e), t.negate(e)], SIZES) == 21
    assert node_count([t.add(e, e), t.negate(e)]) == 4


def test_one_integer_is_every_size() -> None:
    assert count([t.einsum("ij,j->i", A, x)], 10) == 190


def test_sums_over_nothing_cost_nothing() -> None:
    assert count([t.einsum("ij,j->i", A, x)], {"m": 3, "n": 0}) == 0


def test_a_missing_size_is_named() -> None:
    with pytest.raises(UnknownVariable, match="size m"):
        count([t.apply("exp", A)], {"n": 2})


def test_deep_chains_are_walked_by_a_loop() -> None:
    node = x
    for _ in range(10_000):
        node = t.apply("sin", node)
    assert count([node], 2) == 20_000
    assert node_count([node]) == 10_001
