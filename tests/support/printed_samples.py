"""Expressions that are printed in every language, with values that their texts are judged by.

They are derivatives: those of the thesis's appendix, some of the public cases, and of random
expressions.
"""

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.oracle.oracle import random_values
from eggrad.engine.terms.binding import enlarged, made_sizes, symbols
from eggrad.engine.terms.term import postorder, variables
from eggrad.frontend.expression.expression import expression
from tests.support.places import DATA
from tests.support.random_expressions import random_expression

SIZES = (0, 1, 3)
_EXAMPLES = {e["id"]: e for e in json.loads((DATA / "appendix.json").read_text("utf-8"))}
_CASES = {e["id"]: e for e in json.loads((DATA / "derivative_cases.json").read_text("utf-8"))}
RANDOM = 80
NAMES = (
    *(f"appendix-{k}" for k in _EXAMPLES),
    *(f"case-{k}" for k in [*_CASES][:45]),
    *(f"random-{seed}" for seed in range(RANDOM)),
)


@cache
def sample(name: str) -> eg.Expression:
    """The expression that a name stands for."""
    kind, _, key = name.partition("-")
    if kind == "random":
        random = Random(int(key))
        while True:
            term, _ = random_expression(random, most=10, kinked=True)
            if {*symbols(term)} == {*symbols(*variables(term))}:
                return expression(term)
    text = _EXAMPLES[key]["input"] if kind == "appendix" else _CASES[key]["einsum_syntax"]
    return eg.parse(text).derivative()


def values_of(f: eg.Expression) -> Iterator[tuple[dict[str, Any], Any]]:
    """Values of the variables at each size, and the value of the expression by the oracle.

    Roots and logarithms of negative numbers are errors in some languages, and complex in others:
    where there is one, the values are positive.
    """
    own = [*f.thin.variables, *f.thin.scope]
    terms = [f.thin.term, *own]
    for size in SIZES:
        fixed = dict.fromkeys(symbols(*terms), size)
        sizes = enlarged(fixed, made_sizes(*terms))
        if size == 0 and any(t.op in ("max", "min", "det", "inv") for t in postorder(*terms)):
            # The extreme of nothing is an error; what a 0 x 0 matrix is, libraries differ about.
            continue
        rng = np.random.default_rng(size)
        values = random_values(own, sizes, rng)
        try:
            found = f.evaluate(values, reference=True)
        except eg.ShapeError:
            # There is no entry that is asked for.
            assert size < 3
            continue
        if not np.isfinite(found).all():
            values = {
                name: np.abs(v) + (0.1 if v.ndim != 2 else 0.1 + np.eye(*v.shape))
                for name, v in values.items()
            }
            found = f.evaluate(values, reference=True)
        if np.isfinite(found).all():
            yield values, found


def close(found: Any, wanted: Any, text: str, rtol: float = 1e-8) -> None:
    """Whether a printed text has the value that it should have."""
    scale = 1 + np.max(np.abs(wanted), initial=0.0)
    found = np.asarray(found, float)
    assert found.shape == np.shape(wanted), text
    assert np.max(np.abs(found - wanted), initial=0.0) <= rtol * scale, text
