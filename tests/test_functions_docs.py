"""The example of docs/functions.md; `python -m tests.test_functions_docs` writes what it shows."""

from pathlib import Path

from eggrad import special
from tests.test_readme import BLOCK, refreshed

PAGE = Path(__file__).parent.parent / "docs" / "functions.md"


def test_sessions_show_what_happens() -> None:
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) == 1
    assert "Traceback" not in text
    assert refreshed(text) == text


def test_all_special_functions_are_listed() -> None:
    assert set(special.__all__) <= set(PAGE.read_text("utf-8").replace("`", " ").split())


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")
