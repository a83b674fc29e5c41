"""The examples of docs/elementwise.md; `python -m tests.test_elementwise_docs` writes them."""

from pathlib import Path

from eggrad.frontend.elementwise_functions import FUNCTIONS
from tests.test_readme import BLOCK, refreshed

PAGE = Path(__file__).parent.parent / "docs" / "elementwise.md"


def test_sessions_show_what_happens() -> None:
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) == 6
    assert "Traceback" not in text
    assert refreshed(text) == text


def test_all_functions_are_described() -> None:
    text = PAGE.read_text("utf-8").partition("## The language")[2].replace("`", " ")
    assert set(FUNCTIONS) <= set(text.split())


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")
