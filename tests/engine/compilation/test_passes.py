"""Each pass changes the text where its condition holds, and never the values."""

from functools import reduce

import numpy as np
import pytest

from eggrad.engine.compilation import passes
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.compilation.passes import PASSES
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term

A, B = t.variable("A", ("m", "n")), t.variable("B", ("n", "k"))
x, y = t.variable("x", ("n",)), t.variable("y", ("m",))
VECTORS = [t.variable(f"x{k}", ("n",)) for k in range(4)]
WINDOWS = t.indicator((971, 30, 1000), [("=", ((0, 1), (1, 1), (2, -1)))])
SEEN = t.einsum("ijk,k->ij", WINDOWS, t.variable("s", (1000,)))

# For each pass: a term that it changes at some sizes, and a piece of the text that shows it.
CHANGED: dict[str, tuple[Term, dict[str, int], str]] = {
    "expected overflow": (t.divide(t.constant(1), t.apply("exp", t.variable("c"))), {}, "errstate"),
    "stepped products": (t.einsum("ij,j->i", SEEN, t.variable("w", (30,))), {}, "stepped_product("),
    "stacked sums": (
        t.add(t.einsum("i,j->ij", y, x), t.einsum("i,j->ij", t.apply("sin", y), VECTORS[0])),
        {"m": 64, "n": 64},
        "np.array([y, t1]).T.dot(",
    ),
    "indicator products": (
        # Rows from the third on, each of them x.
        t.apply(
            "where",
            t.einsum(
                "i,j->ij", t.indicator((4,), [(">=", ((0, 1), ("", -2)))]), t.constant(1, ("n",))
            ),
            t.einsum("j,i->ij", x, t.constant(1, (4,))),
            t.constant(0, (4, "n")),
        ),
        {},
        "(4,), x)",
    ),
    "shared matrices": (
        reduce(t.add, (t.einsum("ij,j->i", A, v) for v in VECTORS)),
        {"m": 100, "n": 100},
        "]).dot(A.T)",
    ),
    "shared systems": (
        t.einsum(
            "i,i->",
            t.numeric("solve", t.variable("S", ("n", "n")), x),
            t.numeric("solve", t.variable("S", ("n", "n")), VECTORS[0]),
        ),
        {},
        "solve_all(S, ",
    ),
    "masks": (
        t.apply("where", t.apply("greater", x, VECTORS[0]), x, VECTORS[1]),
        {},
        "np.where(t1,",
    ),
    "rows in order": (t.einsum("ij,jk->ki", A, B), {}, "B.T.dot(A.T)"),
    "few rows first": (
        t.einsum("ij,jk->ik", A, B),
        {"m": 300, "n": 300, "k": 16},
        "B.T.dot(A.T)",
    ),
    "vectors as stored": (t.einsum("ij,i->j", A, y), {}, "y.dot(A)"),
    "stacks of matrices": (
        t.einsum("kij,i->kj", t.variable("T", ("k", "m", "n")), y),
        {},
        "y @ T",
    ),
    "matmul": (t.einsum("ij,jk->ik", A, B), {"m": 1000, "k": 1000}, "A @ B"),
    "long rows": (t.einsum("ij,i->ij", A, y), {"m": 300, "n": 400}, "row_by_row(np.multiply, A, y"),
    "outer products": (t.einsum("i,j->ij", x, y), {"m": 300, "n": 400}, "outer_product(x, y)"),
    "reciprocals": (t.power(x, t.constant(-1)), {"n": 2000}, "1.0 / x"),
    "overwriting": (t.apply("exp", t.apply("sin", x)), {}, "np.exp(t1, out=t1)"),
    "deletion": (t.apply("sin", t.einsum("ij,j->i", t.apply("exp", A), x)), {}, "del t1"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changes_the_text_and_no_value(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    root, sizes, text = CHANGED[name]
    function = compile_terms([root], sizes=sizes, single=True)
    monkeypatch.setattr(passes, "PASSES", [p for p in PASSES if p.name != name])
    without = compile_terms([root], sizes=sizes, single=True)
    assert text in function.source
    assert text not in without.source
    values = oracle.random_values(
        t.variables(root), {"m": 5, "n": 4, "k": 3}, np.random.default_rng(0)
    )
    np.testing.assert_allclose(function(**values), without(**values), 1e-9, 1e-9)


def test_the_list_says_it_all() -> None:
    """Without the passes left out above there would be no code at all."""
    names = [p.name for p in PASSES]
    assert len(names) == len({*names})
    assert {*names} - {*CHANGED} == {"stored indicators", "einsums", "lowering"}
    assert all(p.sentence.endswith(".") and not p.condition.endswith(".") for p in PASSES)
