"""The tiers of the tests: `make quick`, `make test` and `make thorough`, by `--tier` of pytest.

The thorough tier has every case of every test. In the standard tier, which a bare `pytest` runs, a
test of many slow cases has fewer: one that would take four times as long takes twice as long. The
quick tier has a few cases of each test that is not slow. `make rest` runs what the standard tier
leaves out of the thorough one: the other cases, and all of the tests that draw more samples there.

`tests/data/slow_tests.txt` has the seconds of a case of each test that is slow.
`python -m tests.support.tiers` measures the standard tier, in a quarter of an hour, and writes that
file anew; with paths, as pytest takes them, it measures these alone.
"""

import ast
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from functools import cache
from itertools import starmap
from math import ceil, sqrt
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.places import DATA, lines_of

SLOW = "slow_tests.txt"
TIERS = ("quick", "standard", "thorough", "rest")
# In the quick tier a test has at most so many cases, and takes no more seconds.
CASES = 3
SECONDS = 0.4
# In the standard tier a test that takes less has all cases.
WHOLE = 0.2
# Multiples of the golden section are spread evenly, and in step with no period of the cases.
GOLDEN = (sqrt(5) - 1) / 2

# A law's tests of truth, firing and need: in the standard tier they have all cases.
every_case = pytest.mark.every_case

_tier = "standard"


def samples(standard: int, thorough: int) -> int:
    """How many random samples a test draws in this tier."""
    return thorough if _tier in ("thorough", "rest") else standard


def name(item: pytest.Item) -> str:
    """The test of a case."""
    return item.nodeid.partition("[")[0]


def slow_tests() -> dict[str, float]:
    """The seconds of a case of each slow test."""
    rows = (line.split(maxsplit=1) for line in lines_of(SLOW))
    return {test: float(seconds) for seconds, test in rows}


def left_out(seconds: float, cases: int = CASES) -> bool:
    """Whether a test of as many cases is too slow for the quick tier."""
    return seconds * min(CASES, cases) > SECONDS


def wanted(tier: str, cases: int, seconds: float, whole: bool) -> int:
    """How many cases of a test a tier has, one of which takes as many seconds."""
    if tier == "quick":
        return 0 if left_out(seconds, cases) else CASES
    if tier == "thorough" or whole or cases * seconds <= WHOLE:
        return cases
    return min(cases, ceil(sqrt(cases * WHOLE / seconds)))


def by_test(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[name(item)].append(item)
    return tests


def chosen(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases of this tier, in order, spread from the first case of each test to its last."""
    slow, found = slow_tests(), set[pytest.Item]()
    for test, cases in by_test(items).items():
        whole = cases[0].get_closest_marker(every_case.name) is not None
        spread = [cases[i] for i in sorted(range(len(cases)), key=lambda i: i * GOLDEN % 1)]
        size = len(cases), slow.get(test, 0), whole
        if _tier != "rest":
            found.update(spread[: wanted(_tier, *size)])
        elif test.rpartition("::")[2] in drawing(cases[0].path):
            found.update(cases)
        else:
            found.update(spread[wanted("standard", *size) :])
    return [item for item in items if item in found]


@cache
def drawing(path: Path) -> frozenset[str]:
    """The functions and constants of a file that ask how many samples to draw, or lead to one."""
    mentioned: dict[str, set[str]] = {}
    for statement in ast.parse(path.read_text("utf-8")).body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        own = getattr(statement, "name", None)
        defined = [own] if own else [n.id for n in names if isinstance(n.ctx, ast.Store)]
        mentioned |= {key: {n.id for n in names} for key in defined}
    found = {samples.__name__}
    while more := {one for one, others in mentioned.items() if others & found} - found:
        found |= more
    return frozenset(found)


# What pytest calls -------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--tier", choices=TIERS, default=_tier, help="how many cases of each test")


def pytest_configure(config: pytest.Config) -> None:
    """Set the tier, before tests ask for it."""
    global _tier  # noqa: PLW0603
    _tier = str(config.getoption("tier"))
    # No test is timed: the first example may import what all others have.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")
    config.addinivalue_line("markers", "every_case: the standard tier has all cases of this test")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the cases of the tier, of those that are asked for."""
    kept = chosen(items)
    config.hook.pytest_deselected(items=[*{*items} - {*kept}])
    items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count what is skipped, by reasons."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(r.longrepr[2].removeprefix("Skipped: ") for r in reports)
    if reasons:
        terminalreporter.section("skipped")
    for reason, number in reasons.most_common():
        terminalreporter.line(f"{number:5} {reason}")


# Measuring ---------------------------------------------------------------------------------------


class Times:
    """Processor time of each test, that of its child processes included, and how many cases."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.cases: dict[str, int] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count the cases of each test."""
        self.cases = {test: len(cases) for test, cases in by_test(items).items()}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure a case, with its setup."""
        before = sum(os.times()[:4])
        result = yield
        self.seconds[name(item)].append(sum(os.times()[:4]) - before)
        return result


def main(paths: list[str]) -> None:
    """Measure tests, and write those that are slow into the file."""
    times = Times()
    # hypothesis is imported already.
    ignored = "ignore::pytest.PytestAssertRewriteWarning"
    pytest.main(["-q", "-W", ignored, *paths], plugins=[times])
    slow = {t: s for t, s in slow_tests().items() if paths and t not in times.seconds}
    for test, measured in times.seconds.items():
        seconds, cases = sum(measured) / len(measured), times.cases[test]
        if left_out(seconds, cases) or cases * seconds > WHOLE:
            slow[test] = seconds
    rows = starmap("{1:.3f} {0}".format, sorted(slow.items()))
    (DATA / SLOW).write_text("\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
