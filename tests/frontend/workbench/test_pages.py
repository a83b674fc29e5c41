"""The report and the pictures of e-graphs open in a browser, without errors and by themselves."""

from pathlib import Path

import pytest

from tests.frontend.cli.test_main import run
from tests.support.browser import CHROMIUM, visit

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

TEXT = "declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) x) derivative wrt x"


def test_the_browser_tells_of_mistakes(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><title>a</title><img src='http://example.invalid/a.png'>"
        "<script>nothing_of_that_name()</script>",
        "utf-8",
    )
    seen = visit(page, tmp_path)
    assert seen.requests == ("http://example.invalid/a.png",)
    assert "nothing_of_that_name is not defined" in seen.console[0]


@pytest.mark.parametrize(
    ("name", "command", "marks"),
    [
        ("report.html", ["rules", "report", "--only", "constants,delta", "--html"], ["<polyline"]),
        ("graph.html", ["graph", "--out"], ["<section", "<path"]),
        ("graph.svg", ["graph", "--out"], ["<path"]),
    ],
)
def test_pages_stand_alone(tmp_path: Path, name: str, command: list[str], marks: list[str]) -> None:
    made = run(*command, str(tmp_path / name), TEXT)
    assert made.exit_code == 0, made.output
    seen = visit(tmp_path / name, tmp_path)
    assert (seen.console, seen.requests) == ((), ())
    assert all(mark in seen.document for mark in marks)
