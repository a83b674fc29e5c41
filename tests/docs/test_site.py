"""The site has every page and every public name; the gallery shows what its sessions print."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import eggrad as eg
from tests.docs import gallery
from tests.docs.sessions import refreshed
from tests.support.places import DOCS, ROOT

SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))


def pages(nav: Any) -> Iterator[str]:
    """The files that the navigation of the site names."""
    match nav:
        case str():
            yield nav
        case dict() | list():
            for part in nav.values() if isinstance(nav, dict) else nav:
                yield from pages(part)


def test_every_page_is_in_the_navigation() -> None:
    named = [*pages(SITE["nav"])]
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert len(named) == len({*named})
    assert {*named} == there | {"changelog.md", "contributing.md"}


REFERENCE = (DOCS / "reference.md").read_text("utf-8")


def test_every_public_name_is_in_the_reference() -> None:
    named = [
        (name, page.stem)
        for page in (DOCS / "reference").glob("*.md")
        for name in re.findall(r"^::: eggrad\.(\w+)$", page.read_text("utf-8"), re.M)
    ]
    assert sorted(name for name, _ in named) == sorted(eg.__all__)
    links = re.findall(r"\[`(\w+)`\]\(reference/(\w+)\.md#eggrad\.(\w+)\)", REFERENCE)
    assert all(text == name for text, _, name in links)
    assert {(name, page) for _, page, name in links} == {*named}


def test_the_examples_of_the_reference_run() -> None:
    names: dict[str, object] = {}
    refreshed(REFERENCE, names)
    examples = re.findall(r"^\| \[`(\w+)`\].* \| `([^|`]+)` \|$", REFERENCE, re.M)
    assert len(examples) > 40
    for name, example in examples:
        assert f"eg.{name}" in example
        eval(example, names)


def test_the_site_opens_with_a_formula_and_its_derivative() -> None:
    page = (DOCS / "index.md").read_text("utf-8")
    given, found = re.findall(r"\$\$\n(.*?)\n\$\$\n", page, re.DOTALL)
    session = page[page.index("```python") :]
    assert f'r"{given}"' in session
    assert f"\n{found}\n" in session


def test_formulas_of_the_gallery_are_printed_by_its_sessions() -> None:
    page = gallery.PAGE.read_text("utf-8")
    sessions = "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    formulas = re.findall(r"\$\$\n(.*?)\$\$\n", page, re.DOTALL)
    assert len(formulas) == sessions.count('to("latex")')
    assert [f for f in formulas if f not in sessions] == []


def test_figures_of_the_gallery_are_drawn_from_its_sessions(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    gallery.draw_all(tmp_path)
    shown = re.findall(r"\]\(figures/(.*?)\)", gallery.PAGE.read_text("utf-8"))
    assert sorted(shown) == sorted(path.name for path in tmp_path.iterdir())
    words = re.compile("<text[^>]*>([^<]*[a-z][^<]*)</text>")
    for name in shown:
        kept = (DOCS / "figures" / name).read_text("utf-8")
        assert words.findall(kept) == words.findall((tmp_path / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, where what builds it is installed."""
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


def test_the_site_is_built_without_a_warning(built: Path) -> None:
    assert (built / "reference" / "index.html").read_text("utf-8").count("doctest") == 0
    assert (built / "changelog" / "index.html").exists()


def test_no_page_loads_anything_from_another_host(built: Path) -> None:
    loading = re.compile(
        r"""<(?:script|img|iframe|source|video)[^>]*\bsrc=["']?(?:https?:)?//"""
        r"""|<link(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//"""
        r"""|@import|url\(["']?(?:https?:)?//"""
    )
    files = [p for p in built.rglob("*") if p.suffix in (".html", ".css")]
    assert len(files) > len([*pages(SITE["nav"])])
    assert [p for p in files if loading.search(p.read_text("utf-8"))] == []
    assert not any("mermaid" in p.read_text("utf-8") for p in built.rglob("*.html"))
