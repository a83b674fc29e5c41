"""Equalities that need a property of a variable: proved with it, and not without."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

import eggrad as eg
from tests.support.places import DATA

CASES = json.loads((DATA / "properties_equalities.json").read_text("utf-8"))
EACH = pytest.mark.parametrize("case", [pytest.param(c, id=c["left"]) for c in CASES])


def compared(case: Mapping[str, Any], assume: Mapping[str, Any]) -> eg.Verdict:
    sides = (eg.parse_matrix(case[k], case["dims"], assume) for k in ("left", "right"))
    return eg.equivalent(*sides)


@EACH
def test_is_proved_with_the_property(case: Mapping[str, Any]) -> None:
    found = compared(case, case["assume"])
    assert found.status == "equal", found
    assert found.domain == ()


@EACH
def test_is_not_proved_without_it(case: Mapping[str, Any]) -> None:
    """What holds on a part of the reals is proved there alone, and the verdict names the part."""
    found = compared(case, {})
    assert found.status != "equal" or found.domain


def test_there_are_many() -> None:
    assert len(CASES) >= 30
