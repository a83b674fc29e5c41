"""The pages of the architecture: their tables are current, the places that they name are there."""

import re
from collections.abc import Iterator

import pytest

from tests.docs import architecture
from tests.support.places import DOCS, ROOT

PAGES = {page.relative_to(DOCS).as_posix(): page for page in architecture.PAGES}
# What a reader gets through at one sitting, in bytes.
MOST_BYTES = 22_000
# A file or a folder, perhaps several by `*`; a name alone is in the folder that was named before.
PLACE = re.compile(r"`((?:[\w.*-]+/)*(?:[\w*-]+\.(?:py|lark|json|md|txt|toml))?)`")


def missing_places(text: str) -> Iterator[str]:
    """The places that a text names outside its tables, and that are not there."""
    written = re.sub(r"<!-- (?!end).*?<!-- end -->", "", text, flags=re.DOTALL)
    for part in re.split(r"\n\n|\n\|", written):
        folder = ROOT
        for place in filter(None, PLACE.findall(part)):
            if "/" in place:
                if not any(ROOT.glob(place.rstrip("/"))):
                    yield place
                folder = ROOT / place if place.endswith("/") else (ROOT / place).parent
            elif folder == ROOT:
                if not any(ROOT.glob(f"*/**/{place}")) and not (ROOT / place).exists():
                    yield place
            elif not (folder / place).exists():
                yield f"{place} in {folder.relative_to(ROOT)}"


def test_tables_are_made_from_the_code() -> None:
    texts = {name: page.read_text("utf-8") for name, page in PAGES.items()}
    assert {name: architecture.drawn(text) for name, text in texts.items()} == texts


def test_every_table_has_one_place() -> None:
    texts = [page.read_text("utf-8") for page in PAGES.values()]
    places = {name: sum(t.count(f"<!-- {name} -->") for t in texts) for name in architecture.TABLES}
    assert set(places.values()) == {1}


@pytest.mark.parametrize("page", PAGES)
def test_places_are_there(page: str) -> None:
    assert [*missing_places(PAGES[page].read_text("utf-8"))] == []


def test_places_that_are_not_there_are_found() -> None:
    text = "`engine/terms/term.py`, `loops.py`, `reverse.py`\n| `rules/algebra/*.py` | `nowhere/`"
    assert [*missing_places(text)] == ["reverse.py in engine/terms", "nowhere/"]


def test_the_map_can_be_read_at_one_sitting() -> None:
    assert architecture.MAP.stat().st_size <= MOST_BYTES


def test_every_word_is_there_once() -> None:
    text = architecture.MAP.read_text("utf-8")
    table = text.partition("## Words")[2].partition("## Folders")[0]
    words = [w for row in re.findall(r"^\| (.*?) \|", table, re.M)[1:] for w in row.split(", ")]
    assert len(words) == len({*words}) > 40
