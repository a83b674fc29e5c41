"""Which tests draw samples, and so run in `make rest` with all of their cases."""

from pathlib import Path

from tests.support.tiers import drawing

FILE = """
NUMBER = samples(1, 2)

def made(): return [NUMBER]

@given(samples(1, 2))
def test_by_decorator(): pass

def test_by_helper(): assert made()

def test_none(): assert other()
"""


def test_what_draws_is_found_through_constants_and_helpers(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text(FILE, "utf-8")
    found = {"NUMBER", "made", "test_by_decorator", "test_by_helper"}
    assert drawing(path) == {"samples", *found}
