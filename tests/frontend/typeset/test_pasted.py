"""What people paste, from books, papers and forums, against NumPy."""

import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import eggrad as eg
from tests.support.places import DATA

# Each formula with its language, the axes of its variables, and its value by NumPy.
FORMULAS = json.loads((DATA / "pasted.json").read_text("utf-8"))
READERS: Final[dict[str, Callable[..., eg.Expression]]] = {
    "matrix": eg.parse_matrix,
    "latex": eg.parse_latex,
    "index": eg.parse_index,
}
# No two are equal, and entries of vectors are between 0 and 1.
LENGTHS = {"m": 5, "n": 3, "k": 4, "N": 6, "d": 2, "h": 4, "o": 7, "p": 2, "q": 6, "e": 3, "T": 8}


def values_of(dims: dict[str, list[str]], assume: dict[str, list[str]]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    found: dict[str, Any] = {}
    for name, sizes in dims.items():
        values = rng.uniform(0.1, 0.9, [LENGTHS[d] for d in sizes])
        if len(sizes) == 2 and len(set(sizes)) == 1:
            # Inverses exist, and determinants are positive.
            values = values @ values.T if name in assume else values
            values = values + 2 * np.eye(len(values))
        if name == "b" and "a" in dims:
            values = values + 2
        found[name] = values
    return found


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f["text"])
def test_value(formula: dict[str, Any]) -> None:
    assume = formula.get("assume", {})
    f = READERS[formula["language"]](formula["text"], formula["dims"], assume)
    values = values_of(formula["dims"], assume)
    names = {f"{name}_" if name == "lambda" else name: v for name, v in values.items()}
    wanted = eval(formula["numpy"], {"np": np, **LENGTHS, **names})
    found = f.evaluate({v.name: values[v.name] for v in f.variables})
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def test_there_are_enough() -> None:
    assert len(FORMULAS) >= 60
    assert {f["language"] for f in FORMULAS} == {*READERS}
