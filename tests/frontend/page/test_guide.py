"""What can be written: every function has a sentence, and an example that is read."""

import pytest

from eggrad.engine.errors import ShapeError
from eggrad.frontend.formulas.functions import FUNCTIONS
from eggrad.frontend.page.answers import answer
from eggrad.frontend.page.guide import Entry, entries
from eggrad.frontend.page.question import GUIDE, Question
from eggrad.frontend.page.reading import read

ENTRIES = [*entries()]


def test_every_function_has_a_sentence() -> None:
    assert {*FUNCTIONS} <= {e.name for e in ENTRIES}
    for e in ENTRIES:
        assert e.sentence.endswith(".")
        assert len(e.sentence) < 100
        assert "`" not in e.sentence


def test_names_stand_once() -> None:
    names = [e.name for e in ENTRIES]
    assert len({*names}) == len(names)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_an_example_is_read(entry: Entry) -> None:
    if entry.kind == "function":
        assert f"{entry.name}(" in entry.example
    if entry.name == "where":
        # Which of its arguments are vectors is not guessed.
        return
    try:
        assert read(entry.example, "detect", {}, {}).notation == "matrix"
    except ShapeError:
        assert entry.name in ("kron", "vec") or entry.sentence


def test_the_browser_gets_all_of_it() -> None:
    found = answer(Question(GUIDE, ""))["entries"]
    assert len(found) == len(ENTRIES)
    assert found[0].keys() == {"kind", "name", "sentence", "example"}
