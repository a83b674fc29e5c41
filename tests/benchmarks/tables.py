"""Tables in Markdown, and their places in the documents."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.support.places import DOCS

PAGE = DOCS / "benchmarks.md"


def table(heading: str | Sequence[str], rows: Iterable[Sequence[object]], words: int = 1) -> str:
    """A table whose first columns are words; all others are aligned as numbers.

    >>> print(table("case | ms", [("one", 1.5)]))
    | case | ms |
    |---|---:|
    | one | 1.5 |
    """
    names = heading.split(" | ") if isinstance(heading, str) else heading
    aligned = f"|{'---|' * words}{'---:|' * (len(names) - words)}"
    first, *lines = (f"| {' | '.join(map(str, row))} |" for row in (names, *rows))
    return "\n".join([first, aligned, *lines])


def counted(names: Sequence[str]) -> str:
    """How many there are, and which."""
    return f"{len(names)}{': ' if names else ''}{', '.join(names)}"


def placed(page: str, name: str, text: str) -> str:
    """The page with one table replaced; `ValueError` where it has no place for it."""
    pattern = rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)"
    made, places = re.subn(pattern, lambda _: text + "\n", page, count=1, flags=re.DOTALL)
    if not places:
        raise ValueError(f"the page has no <!-- {name} --> that ends with <!-- end -->")
    return made


def show(tables: Iterable[tuple[str, str]], write: bool, page: Path = PAGE) -> None:
    """Print each table; `write` puts them into the page."""
    document = page.read_text("utf-8")
    for name, text in tables:
        print(f"\n{name}\n{text}", flush=True)
        document = placed(document, name, text)
    if write:
        page.write_text(document, "utf-8")
