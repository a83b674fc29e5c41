"""The benchmark's figures: growth is linear, and as many operations as by hand."""

import re
from pathlib import Path

import numpy as np
import pytest

from eggrad.engine.costs.time_model import default_rates
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.term import variables
from tests.benchmarks import case_times as bench_cases
from tests.benchmarks import growth as bench_growth
from tests.benchmarks import plots
from tests.benchmarks import prediction as bench_prediction
from tests.benchmarks import stability as bench_stability
from tests.benchmarks.tables import PAGE, keep, placed, read_csv, table
from tests.support.cancellation import FORMULAS
from tests.support.losses_at_extremes import LOSSES
from tests.support.places import DOCS
from tests.support.stability_cases import Case


def test_a_layer_costs_the_same_at_every_depth() -> None:
    few, many = bench_growth.measure(20), bench_growth.measure(60)
    further = (many.operations - few.operations) / 40
    assert abs(further / bench_growth.by_hand(bench_growth.WIDTH) - 1) <= 0.05
    for one, other in ((few.enodes, many.enodes), (few.nodes, many.nodes)):
        assert abs(other / 60 / (one / 20) - 1) <= 0.3
    assert few.complete
    assert many.complete


def test_operations_by_hand() -> None:
    assert bench_growth.by_hand(100) == 4 * 100**2 + 4 * 100


def test_tables_name_what_they_show() -> None:
    times = bench_cases.Times("some", {"a": 0.5, "b": 0.1, "c": 0.2})
    assert times.quantile(0.5) == 0.2
    assert times.quantile(1) == 0.5
    assert "| some | 3 | 200.0 | 500.0 | 500.0 | 10.00 | a 500 ms" in (
        bench_cases.times_table([times], 0.02)
    )


def test_every_table_of_the_page_ends_before_the_next_begins() -> None:
    marks = re.findall("<!-- (.+?) -->", PAGE.read_text("utf-8"))
    assert marks[1::2] == ["end"] * (len(marks) // 2)
    assert {"times", "growth", "prediction", "means_1"} <= set(marks[::2])


def test_a_table_takes_its_place_in_the_page() -> None:
    page = "<!-- one -->\nold\n<!-- end -->\n<!-- two -->\n<!-- end -->\n"
    assert placed(page, "two", "new").endswith("<!-- two -->\nnew\n<!-- end -->\n")
    assert placed(page, "two", "new").startswith("<!-- one -->\nold\n")
    assert "old" not in placed(page, "one", "a\\1b")
    empty = page.replace("old\n", "")
    assert placed(empty, "one", "new") == page.replace("old", "new")
    other = "<!-- two -->\n<!-- end -->\n<!-- one -->\nold\n<!-- end -->\n"
    assert "old" in placed(other, "two", "new")


def test_long_tables_are_kept_beside_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- one -->\n<!-- end -->\n<!-- two -->\n<!-- end -->\n", "utf-8")
    long, short = ([(f"`{k}|`".replace("|", r"\|"), 1000 * k) for k in range(n)] for n in (99, 3))
    keep("one", "In words.\n\n" + table("rule | nodes", long), page, tmp_path)
    keep("two", table("rule | nodes", short), page, tmp_path)
    keep("three", table("rule | nodes", short), page, tmp_path)
    text = page.read_text("utf-8")
    assert text.startswith(
        "<!-- one -->\nIn words.\n<!-- end -->\n<!-- two -->\n| rule | nodes |\n"
    )
    assert [len(read_csv(name, tmp_path)) for name in ("one", "two", "three")] == [99, 3, 3]
    assert read_csv("one", tmp_path)[98] == {"rule": "98|", "nodes": "98000"}


def test_plots_are_drawn_from_the_tables(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for path in plots.draw_all(tmp_path):
        assert f"](figures/{path.name})" in PAGE.read_text("utf-8")
        words = re.compile("<text[^>]*>([^<]*[a-z][^<]*)</text>")
        kept = DOCS / "figures" / path.name
        assert words.findall(kept.read_text("utf-8")) == words.findall(path.read_text("utf-8"))


@pytest.mark.parametrize("case", bench_prediction.CASES, ids=lambda case: case.name)
def test_a_statement_by_hand_computes_its_node(case: bench_prediction.Case) -> None:
    sizes = {symbol: k + 2 for k, symbol in enumerate(case.sizes[0])}
    arrays = oracle.random_values(variables(case.node), sizes, np.random.default_rng(0))
    values = {name: np.abs(array) % 1 for name, array in arrays.items()}
    names = vars(bench_prediction) | values | sizes
    found = eval(case.statement, names)
    np.testing.assert_allclose(found, oracle.value(case.node, values, sizes), rtol=1e-12)


def test_predictions_are_compared() -> None:
    case = bench_prediction.Case(
        "x + z",
        next(c.node for c in bench_prediction.CASES if c.name == "x + z"),
        "x + z",
        ({"n": 10},),
    )
    (row,) = bench_prediction.rows(default_rates(), (case,))
    assert min(row.predicted, row.measured, row.generated) > 0
    text = bench_prediction.table([bench_prediction.Row("f", {"n": 10}, 2e-6, 4e-6, 5e-6)])
    assert text.startswith("1 of 1 predictions (100%) are within a factor 2.")
    assert text.endswith("| `f` | n = 10 | 2.0 | 4.0 | 0.50 | 5.0 |")


def test_the_table_of_digits() -> None:
    case = Case("log(1 + x)", "positive", 1)
    text = bench_stability.table(bench_stability.rows((case,)))
    first, second = text.splitlines()[2:]
    assert first.startswith("| `log(1 + x)` | 0 | 9e-05 |")
    assert first.endswith("e-17 |")
    assert second.startswith("|  | 1 | ")
    assert bench_stability.shown(float("inf")) == "lost"
    assert bench_stability.shown(None) == ""


def test_tables_of_lost_bits() -> None:
    formulas = [f for f in FORMULAS if f.name in {"expm1", "planck"}]
    kept, _, *rows = bench_stability.digits(formulas).splitlines()
    assert kept == "Kept: hamming 1 of 1, ours 1 of 1, derivatives 2 of 2."
    assert rows[2].startswith("| `exp(x) - 1` | 0 | 52.0 | 0.")
    assert [row.split(" | ")[1] for row in rows[2:]] == ["0", "0", "1", "2"]
    kept, _, *rows = bench_stability.losses(LOSSES[:1]).splitlines()
    assert kept == "Kept: 1 of 1."
    assert rows[2].startswith("| `sum((x - y)**2)/2` | ")
