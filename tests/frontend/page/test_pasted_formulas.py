"""Formulas as people paste them, and texts that are none: nothing is misread, most is read."""

from typing import Any

import numpy as np
import pytest

from tests.support.pasted import (
    ROWS,
    judge,
    judge_sentence,
    sentences,
    wanted,
)

LANGUAGES = {"latex", "unicode", "matrix", "numpy", "index"}
SENTENCES = tuple(sentences())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_nothing_is_misread(row: dict[str, Any]) -> None:
    verdict = judge(row)
    assert verdict.state != "WRONG", verdict.came


def test_nine_of_ten_are_read() -> None:
    states = {row["text"]: judge(row).state for row in ROWS if row["right"] == "read"}
    unread = [text for text, state in states.items() if state != "ok"]
    assert len(unread) <= 0.1 * len(states), unread


@pytest.mark.parametrize(("notation", "text"), SENTENCES, ids=str)
def test_sentences_are_refused(notation: str, text: str) -> None:
    verdict = judge_sentence(notation, text)
    assert verdict.state == "ok", verdict.came


def test_there_are_enough() -> None:
    assert len(ROWS) >= 250
    assert len(SENTENCES) == 100
    assert {row["language"] for row in ROWS} == LANGUAGES


@pytest.mark.parametrize("row", [r for r in ROWS if "numpy" in r], ids=lambda r: r["source"])
def test_values_are_finite(row: dict[str, Any]) -> None:
    assert np.all(np.isfinite(wanted(row)))
