"""Equalities of textbooks and near misses, collected before any law was written for them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

import eggrad as eg
from tests.support.places import DATA

CASES = json.loads((DATA / "textbook_equalities.json").read_text("utf-8"))
# Those that are not decided; the others have to stay so.
OPEN = frozenset({
    "trigonometry: amplitude and phase",
    "hyperbolic: Gudermann's function",
    "sorting: all but the largest",
    "Huber's loss in two ways",
    "log of a product",
    "gamma: Legendre's duplication",
})  # fmt: skip


def status(case: Mapping[str, Any]) -> str:
    left, right = (
        eg.parse_matrix(case[k], case["dims"], case["assume"]) for k in ("left", "right")
    )
    return eg.equivalent(eg.derivative(left, case["wrt"]) if "wrt" in case else left, right).status


@pytest.mark.parametrize("case", [pytest.param(c, id=c["source"]) for c in CASES])
def test_is_decided_rightly(case: Mapping[str, Any]) -> None:
    expected = {case["is"], "unknown"} if case["source"] in OPEN else {case["is"]}
    assert status(case) in expected


def test_most_are_decided() -> None:
    decided = len(CASES) - len(OPEN)
    assert decided >= 112
    assert {c["source"] for c in CASES} >= OPEN
