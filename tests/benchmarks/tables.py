"""Tables in Markdown, their files, and their places in docs/benchmarks.md."""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.support.places import DOCS

PAGE = DOCS / "benchmarks.md"
TABLES = DOCS / "data"
# Rows of a table in the page; longer ones are in their files alone.
LONGEST = 14


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


def tables_of(text: str) -> list[list[list[str]]]:
    """The rows of each table in a text, headings first, without what Markdown adds.

    >>> tables_of("Two:\\n" + table("rule | nodes", [("`a \\\\| b`", "1,200")]))
    [[['rule', 'nodes'], ['a | b', '1200']]]
    """
    found = re.findall(r"^(\|.*\n)\|[-:| ]+\n((?:\|.*(?:\n|\Z))*)", text, re.MULTILINE)
    return [[_cells(row) for row in (first + rest).splitlines()] for first, rest in found]


def _cells(row: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", row)[1:-1]
    return [_plain(cell.strip().strip("`").strip().replace("\\|", "|")) for cell in cells]


def _plain(cell: str) -> str:
    """A number without the commas between its thousands."""
    return cell.replace(",", "") if re.fullmatch(r"[+-]?[\d,.]+", cell) else cell


def write_csv(rows: Iterable[Sequence[str]], path: Path) -> None:
    """Write a table into a file of its own."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def read_csv(name: str, folder: Path = TABLES) -> list[dict[str, str]]:
    """The rows of a table that has been written, by their headings."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def shortened(text: str) -> str:
    """A text for the page, without tables that nobody reads."""
    parts = re.split(r"\n\n+", text)
    return "\n\n".join(p for p in parts if p[0] != "|" or p.count("\n") - 1 <= LONGEST)


def keep(name: str, text: str, page: Path = PAGE, folder: Path = TABLES) -> None:
    """Write the table of a text beside the page, and what is short into its place there, if any."""
    for rows in tables_of(text):
        write_csv(rows, folder / f"{name}.csv")
    document = page.read_text("utf-8")
    if f"<!-- {name} -->" in document:
        page.write_text(placed(document, name, shortened(text)), "utf-8")


def show(tables: Iterable[tuple[str, str]], write: bool) -> None:
    """Print each text of a table; `write` keeps them."""
    for name, text in tables:
        print(f"\n{name}\n{text}", flush=True)
        if write:
            keep(name, text)
