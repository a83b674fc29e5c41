"""The derivatives of docs/textbook.md, and that its table is what the code gives."""

import numpy as np
import pytest

import eggrad as eg
from tests.benchmarks.formulas.formula import tokens
from tests.cases.textbook import DEFINITE, DOCUMENT, ROWS, Row, table

SIZES = {"m": 4, "n": 3, "k": 2}


def values(row: Row, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    found = {}
    for name, dims in row.axes.items():
        array = rng.normal(size=[SIZES[str(d)] for d in dims])
        if name in DEFINITE:
            array = array @ array.T + np.eye(len(array))
        found[name] = np.abs(array) + 0.5 if name in ("p", "s", "c") else array
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.name} {r.text}")
def test_the_derivative_is_the_reference(row: Row) -> None:
    derivative = row.derivative
    for seed in range(3):
        own = values(row, seed)
        reference = eval(row.reference, {"np": np, **own})
        np.testing.assert_allclose(derivative.evaluate(own), reference, rtol=1e-9, atol=1e-10)
        closed = eg.parse_matrix(row.closed, row.axes).evaluate(own)
        np.testing.assert_allclose(closed, reference, rtol=1e-9, atol=1e-10)


def test_nineteen_of_twenty_texts_are_no_longer_than_those_of_books() -> None:
    longer = [r for r in ROWS if tokens(r.derivative.to("matrix")) > tokens(r.closed)]
    assert len(longer) <= len(ROWS) / 20


def test_the_table_is_up_to_date() -> None:
    assert table() in DOCUMENT.read_text("utf-8")
