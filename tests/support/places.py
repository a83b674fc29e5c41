"""Where the repository, its documents and the data of tests are."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "tests" / "data"
DOCS: Final = ROOT / "docs"
