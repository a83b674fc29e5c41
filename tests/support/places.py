"""Where the repository, its documents and the data of tests are."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "tests" / "data"
DOCS: Final = ROOT / "docs"


def lines_of(name: str) -> list[str]:
    """The lines of a data file, without comments and empty ones."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and line[0] != "#"]
