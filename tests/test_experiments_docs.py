"""The examples of docs/experiments.md; `python -m tests.test_experiments_docs` writes them."""

from pathlib import Path

from tests.test_readme import BLOCK, refreshed

PAGE = Path(__file__).parent.parent / "docs" / "experiments.md"


def test_sessions_show_what_happens() -> None:
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) == 1
    assert "Error" not in text
    assert refreshed(text) == text


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")
