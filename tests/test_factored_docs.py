"""The examples of docs/factored.md; `python -m tests.test_factored_docs` writes what they show."""

import tracemalloc
from pathlib import Path

from tests.test_readme import BLOCK, refreshed

PAGE = Path(__file__).parent.parent / "docs" / "factored.md"


def test_sessions_show_what_happens() -> None:
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) == 5
    assert "Traceback" not in text
    tracemalloc.start()
    try:
        assert refreshed(text) == text
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The Hessian of the first example would have 200 MB; T has 8, its difference from UV' as many.
    assert peak < 60e6


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")
