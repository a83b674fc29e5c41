"""The comparison with other frameworks runs, keeps its limits and reports what it found."""

import dataclasses
import json
from pathlib import Path

import pytest

from tests.benchmarks import figures, harness, paired, report
from tests.benchmarks.frameworks import measure, with_eggrad
from tests.benchmarks.frameworks.process import Limits
from tests.benchmarks.harness import Options
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.tables import TABLES, keep, tables_of
from tests.support.programs import python

SMALL = Options(("quadratic",), ("numpy", "eggrad"), (3, 10), (1,), rounds=1, budget=1e-3)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> report.Results:
    file = tmp_path_factory.mktemp("benchmarks") / "results.jsonl"
    harness.run(dataclasses.replace(SMALL, results=file))
    return report.read(file)


def test_every_task_is_measured(results: report.Results) -> None:
    lines = [
        line for found in results.measured.values() for each in found.values() for line in each
    ]
    variants = sum(len(q.by_hand) for q in PROBLEMS["quadratic"].quantities.values())
    assert [line["status"] for line in lines] == ["ok"] * 2 * (variants + 2)
    assert {line["status"] for line in results.derivatives.values()} == {"ok"}


def test_tables(results: report.Results) -> None:
    found = report.sections(results)
    assert "| quadratic, Hessian | 3 |" in found["ratios_1"]
    assert "| quadratic, Hessian | 10 |" in found["ratios_1"]
    assert "| eggrad |" in found["means_1"]
    assert "(4) |" in found["means_1"]
    assert "| quadratic, value and gradient |" in found["compilation"]
    assert found["frameworks"].startswith("NumPy by hand ")


def test_a_missing_framework_is_said_to_be_missing(results: report.Results) -> None:
    versions = results.versions | {"jax": None}
    found = report.sections(dataclasses.replace(results, versions=versions))
    assert "JAX, jitted not installed" in found["frameworks"]
    assert "JAX" not in found["means_1"]


def test_figures(results: report.Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = figures.draw(results, tmp_path)
    before = [p.read_bytes() for p in paths]
    assert [p.name for p in paths] == ["gradient_1.svg", "hessian_1.svg"]
    assert [p.read_bytes() for p in figures.draw(results, tmp_path)] == before


def test_every_table_has_its_file(results: report.Results, tmp_path: Path) -> None:
    found = report.sections(results)
    page = tmp_path / "page.md"
    page.touch()
    for name, text in found.items():
        keep(name, text, page, tmp_path)
    tables = {name for name, text in found.items() if tables_of(text)}
    assert {file.stem for file in tmp_path.glob("*.csv")} == tables == found.keys() - {"frameworks"}
    assert tables <= {file.stem for file in TABLES.glob("*.csv")}


def test_a_process_that_takes_too_much_memory_ends(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    chosen = dataclasses.replace(
        SMALL, frameworks=("numpy",), results=file, limits=Limits(memory=1)
    )
    harness.run(chosen)
    (found,) = report.read(file).measured.values()
    statuses = {where[3]: {line["status"] for line in lines} for where, lines in found.items()}
    assert statuses == {n: {"more than 0 GiB"} for n in (3, 10)}


def test_a_wrong_value_is_noticed() -> None:
    assert measure.error_of([1.0, 2.0], [1.0, 2.0]) == 0
    assert measure.error_of([1.0, 2.0], [1.0, 2.1]) > measure.TOLERANCE
    assert measure.error_of([[1.0, 2.0]], [1.0, 2.0]) == float("inf")
    assert measure.error_of([float("nan"), 2.0], [1.0, 2.0]) == float("inf")


def test_the_measured_process_has_no_egraph(tmp_path: Path) -> None:
    with_eggrad.prepared(PROBLEMS["quadratic"], "gradient", tmp_path, [3])
    program = (
        "import json, sys; from pathlib import Path\n"
        "from tests.benchmarks.frameworks import measure\n"
        f"task = json.loads({json.dumps(harness.tasks_of('eggrad', 'quadratic', SMALL)[0])!r})\n"
        f"print(measure.measure('eggrad', task, Path({str(tmp_path)!r}))['status'])\n"
        "print(sorted({'egglog', 'lark', 'jax', 'torch'} & set(sys.modules)))"
    )
    done = python("-c", program, check=False)
    assert (done.stdout, done.stderr) == ("ok\n[]\n", "")


def test_options() -> None:
    arguments = "--problems network,quadratic --sizes 10,30 --threads 1 --frameworks numpy"
    found = harness.options(arguments.split())
    assert found.problems == ("network", "quadratic")
    assert found.sizes == (10, 30)
    sizes = {task["size"] for task in harness.tasks_of("numpy", "network", found)}
    assert sizes == {10, 30}
    with pytest.raises(SystemExit):
        harness.options(["--problems", "nonsense"])


def test_pairs_by_turns(tmp_path: Path) -> None:
    pairs = paired.measured("quadratic", SMALL, tmp_path)
    assert [(p.quantity, p.size) for p in pairs] == [
        (quantity, n) for quantity in ("gradient", "hessian") for n in (3, 10)
    ]
    assert all(p.seconds > 0 and p.ratio > 0 for p in pairs)


def test_only_the_fastest_by_hand_counts() -> None:
    counts = dict.fromkeys(("ours", "fast", "slow"), 0)

    def call(name: str, work: int) -> None:
        counts[name] += 1
        sum(range(work))

    by_hand = {"fast": lambda: call("fast", 1000), "slow": lambda: call("slow", 30_000)}
    paired.by_turns(lambda: call("ours", 1000), by_hand, budget=0)
    assert counts["ours"] == counts["fast"] > counts["slow"]


def test_summary_of_pairs() -> None:
    pairs = [
        paired.Pair("p", "hessian", 10, 5e-6, 1.9),
        paired.Pair("p", "hessian", 300, 5e-3, 1.3),
        paired.Pair("p", "hessian_factored", 10, 1e-6, 1.0),
    ]
    assert paired.summary(pairs).splitlines() == [
        "dense: 2 cases, mean 1.572, 1 beyond the aims",
        "factored: 1 cases, mean 1.000, 0 beyond the aims",
        "  p, hessian, 300: 5000.0 µs by hand, 1.30",
    ]
