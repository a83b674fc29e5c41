"""The files and sessions of docs/writing_rules.md; `python -m tests.test_writing_rules_docs`."""

from pathlib import Path

from eggrad.rules import notation
from tests.test_readme import BLOCK, FILE, refreshed

PAGE = Path(__file__).parent.parent / "docs" / "writing_rules.md"


def test_sessions_show_what_happens() -> None:
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) == 7
    assert len(FILE.findall(text)) == 3
    assert "Traceback" not in text
    assert refreshed(text) == text


def test_all_names_of_the_notation_are_there() -> None:
    assert len(notation.__all__) == len({*notation.__all__})
    assert all(hasattr(notation, name) for name in notation.__all__)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")
