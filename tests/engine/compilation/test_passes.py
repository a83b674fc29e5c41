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

A, x = t.variable("A", ("m", "n")), t.variable("x", ("n",))
WINDOWS = t.indicator((971, 30, 1000), [("=", ((0, 1), (1, 1), (2, -1)))])
SEEN = t.einsum("ijk,k->ij", WINDOWS, t.variable("s", (1000,)))

# For each pass: a term that it changes at some sizes, and a piece of the text that shows it.
CHANGED: dict[str, tuple[Term, dict[str, int], str]] = {
    "expected overflow": (t.divide(t.constant(1), t.apply("exp", t.variable("c"))), {}, "errstate"),
    "stepped products": (t.einsum("ij,j->i", SEEN, t.variable("w", (30,))), {}, "stepped_product("),
    "stacked sums": (
        reduce(t.add, (t.einsum("i,j->ij", t.variable(f"y{k}", ("m",)), x) for k in range(4))),
        {},
        "np.array([y0, y1, y2, y3]).T.dot(",
    ),
    "masks": (
        t.apply("where", t.apply("greater", x, t.variable("y", ("n",))), x, t.negate(x)),
        {},
        "np.where(t1,",
    ),
    "hidden values": (
        t.einsum(
            "ij,i->j",
            t.variable("B", ("n", "m")),
            t.apply(
                "where", t.apply("greater", x, t.constant(0, ("n",))), x, t.constant(0, ("n",))
            ),
        ),
        {},
        "without_hidden(",
    ),
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
    assert {*names} - {*CHANGED} == {"stored indicators", "lowering"}
    assert all(p.sentence.endswith(".") and not p.condition.endswith(".") for p in PASSES)
