"""`eggrad rules report`, `ablate` and `minimize`: what they print, and their mistakes."""

import json
import re
import shlex
from dataclasses import replace
from html import unescape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench import ablation
from eggrad.frontend.workbench.ablation import Ablation, Change, Effect
from eggrad.frontend.workbench.experiment import Outcome, read_corpus
from eggrad.frontend.workbench.rule_report import Findings, side_rows
from tests.frontend.cli.test_main import run

SINE = "declare x 0 expression sin(x) derivative wrt x"
SUM = "declare x 1 expression x + x - x"


def test_a_report_shows_totals_results_and_rules() -> None:
    result = run("rules", "report", SINE, "--without", "slopes.slope_sin", "--only", "constants")
    assert result.exit_code == 0
    totals, results, rules = result.stdout.rstrip("\n").split("\n\n")
    head, *rows = totals.splitlines()
    assert head.split("  ")[0] == "variant"
    assert [row.split("  ")[0].rstrip() for row in rows] == [
        "1 standard",
        "2 without slopes.slope_sin",
        "3 only constants",
    ]
    assert results.splitlines()[0] == "1 cos(x)"
    assert results.splitlines()[1].startswith("2 MissingRule: no rule has the derivative of sin")
    table = {line.split()[0]: line.split()[1:] for line in rules.splitlines()}
    assert table["rule"] == ["hits", "1", "ms", "1", "hits", "2", "ms", "2", "hits", "3", "ms", "3"]
    assert table["slopes.slope_sin"][::2] == ["1", "0", "1"]


def test_a_report_in_json_and_as_a_page(tmp_path: Path) -> None:
    corpus, page = tmp_path / "corpus.txt", tmp_path / "report.html"
    corpus.write_text(f"{SINE}\n{SUM}\n", "utf-8")
    result = run("rules", "report", str(corpus), "--json", "--html", str(page), "--without", "sums")
    (standard, without) = json.loads(result.stdout)["variants"]
    assert result.stderr == f"written to {page}\n"
    assert standard["rules"]["sums.like_terms"]["hits"] > 0
    assert "sums.like_terms" not in without["rules"]
    assert [case["text"] for case in standard["cases"]] == ["cos(x)", "x"]
    growth = standard["cases"][0]["growth"]
    assert growth[0][0] == "load"
    assert growth[-1][1] == standard["cases"][0]["enodes"]
    text = page.read_text("utf-8")
    assert text.count("<svg") == text.count("</svg>") >= 3
    assert "Σ cᵢ·t = (Σ cᵢ)·t" in text
    for outside in ("http://", "https://", "<script", "@import"):
        assert outside not in text.replace("http://www.w3.org/2000/svg", "")


LAWS = """\
from eggrad.rules.notation import *

squares = Ruleset("squares", "sums of squares", "nothing")
squares.state("geometry", law=(a + b) ** 2 + (a - b) ** 2 >> 2 * a**2 + 2 * b**2)
"""


def test_a_page_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for place in (first, second):
        place.mkdir()
    (first / "a corpus.txt").write_text(
        f"\n# <remark>\n{SINE}\ndeclare x 0 expression (x + 1)^2 + (x - 1)^2\n", "utf-8"
    )
    (first / "laws.py").write_text(LAWS, "utf-8")
    options = ["--with", "laws.py", "--ablate", "ruleset", "--html", "page.html"]
    modes = ["--mode", "forward", "--mode", "reverse"]
    monkeypatch.chdir(first)
    assert run("rules", "report", "a corpus.txt", *options, *modes).exit_code == 0
    text = (first / "page.html").read_text("utf-8")
    texts = {
        unescape(name): unescape(known)
        for name, known in re.findall(r'<pre data-name="([^"]*)">\n(.*?)</pre>', text, re.DOTALL)
    }
    results = json.loads(texts.pop("results.json"))
    assert list(texts) == ["a corpus.txt", "laws.py"]
    for name, known in texts.items():
        assert known == (first / name).read_text("utf-8")
        (second / name).write_text(known, "utf-8")
    (line,) = re.findall(r'<code id="command">(.*?)</code>', text)
    program, *words = shlex.split(unescape(line))
    assert program == "eggrad"
    monkeypatch.chdir(second)
    assert run(*words).exit_code == 0
    again = (second / "page.html").read_text("utf-8")
    (shown,) = re.findall(r'<pre data-name="results.json">\n(.*?)</pre>', again, re.DOTALL)
    assert timeless(json.loads(unescape(shown))) == timeless(results)
    for heading in ("Side by side", "By mode", "Rulesets left out in turn", "To run it again"):
        assert heading in text
    assert f'<td>egglog</td><td class="number">{version("egglog")}' in text


def timeless(results: Any) -> Any:
    """The same without what depends on the machine."""
    if isinstance(results, dict):
        return {k: timeless(v) for k, v in results.items() if k != "seconds"}
    return [timeless(r) for r in results] if isinstance(results, list) else results


def test_two_sets_of_rules_side_by_side() -> None:
    good, bad = (Outcome(c, text="x", nodes=1, operations=1, enodes=5) for c in "ab")
    worse = replace(good, text="x + 0", nodes=3, operations=2, enodes=4)
    left = Findings("left", (good, bad))
    right = Findings("right", (worse, Outcome("b", failure="MissingRule: none")))
    assert side_rows([left, right]) == [
        ("1 left | 2 right", "1", "0", "1", "0", "1", "0", "0", "1", "1")
    ]


def test_ablation_of_pairs_as_a_page(tmp_path: Path) -> None:
    path = tmp_path / "pairs.html"
    fewer = ["--without", "forward,reverse,products,presentation,linalg,identities"]
    options = ["--by", "pair", "--pairs", "2", "--html", str(path), "--json", *fewer]
    result = run("rules", "ablate", SUM, *options)
    found = json.loads(result.stdout)
    assert (found["by"], len(found["rules"])) == ("pair", 2)
    assert any("beyond the limit of 2" in text for text in found["left_out"])
    text = path.read_text("utf-8")
    assert "Pairs left out in turn" in text
    assert "beyond the limit of 2" in text


def test_a_report_of_matrix_notation() -> None:
    known = ["--matrix", "--dims", "A: m n, x: n", "--wrt", "x", "--json"]
    result = run("rules", "report", "norm2(A*x)^2", *known)
    (standard,) = json.loads(result.stdout)["variants"]
    assert standard["cases"][0]["text"] == "2*A'*(A*x)"


def test_ablation_as_text_markdown_and_json() -> None:
    fewer = ["--without", "reverse,products,presentation,linalg,sums,identities,functions"]
    result = run("rules", "ablate", SINE, "--json", *fewer)
    assert ": without slopes.slope_sin, 1 cases" in result.stderr
    found = json.loads(result.stdout)
    assert found["rules"]["slopes.slope_sin"]["matters"] is True
    assert "failure" in found["rules"]["slopes.slope_sin"]["cases"]["expression"]
    assert "distribution.scale_over_sum" in found["silent"]
    (case,) = read_corpus(SINE, parse)
    before = Outcome("expression", text="cos(x)", nodes=2, operations=1, enodes=9)
    fails = Change(before, Outcome("expression", failure="BudgetExceeded: none"))
    longer = Change(before, replace(before, text="-(-cos(x))", nodes=4, operations=3, enodes=7))
    effects = (
        Effect("slopes.slope_sin", (fails,)),
        Effect("constants.a", (longer,)),
        Effect("constants.b", (Change(before, replace(before, text="(cos(x))")),)),
        Effect("constants.c", (Change(before, before),)),
    )
    made = Ablation((case,), {"expression": before}, effects, ("sums.like_terms",))
    lines = ablation.as_text(made).splitlines()
    assert lines[1].split() == ["slopes.slope_sin", "1", "1"]
    assert lines[2].split() == ["constants.a", "1", "1", "3.00", "1", "-2", "1"]
    assert [x for x in lines[3:] if x.startswith("  ")] == [
        "  constants.b",
        "  constants.c",
        "  sums.like_terms",
    ]
    marked = ablation.as_markdown(made).splitlines()
    assert marked[2] == "| `slopes.slope_sin` | 1 | 1 |  |  |  |  |  |  | expression |"
    assert marked[-1] == "These fire in no case (1): `sums.like_terms`."


def test_minimization_prints_the_rules() -> None:
    fewer = ["--without", "forward,reverse,products,presentation,linalg,sums,identities"]
    result = run("rules", "minimize", "declare x 0 expression x + 0", *fewer)
    assert result.stdout == "multiples.add_zero\n"
    assert result.stderr.splitlines()[-1].endswith(" sets were tried")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["report", SINE, "--without", "no_such"], "is called 'no_such'; see 'eggrad rules list'"),
        (["report", SINE, "--without", "a,,b"], "expected names with commas between them"),
        (["report", SINE, "--only", "slope_sin"], "there is no ruleset 'slope_sin'"),
        (["report", "declare x 1 expression (x"], "line 1, column 24"),
        (["report", "--dims", "x: n", SINE], "add --matrix"),
        (["report", SINE, "--html", "missing/a.html"], "cannot write missing/a.html"),
        (["report", SINE, "--sizes", "n"], "'n' is not of the form n=5"),
        (["report", SINE, "--ablate", "pair"], "--ablate adds to a page: give --html FILE"),
        (["ablate", SINE, "--mode", "sideways"], "'sideways' is not one of 'auto', 'forward'"),
        (["ablate", SINE, "--seconds", "0"], "0.0 is not in the range"),
        (["minimize", "declare x 1 expression y"], "line 1"),
    ],
)
def test_mistakes(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("rules", *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
