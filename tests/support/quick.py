"""The fast tier of the tests, `make quick`: pytest with `-p tests.support.quick`.

It takes a few cases of each test, and leaves out the tests of `tests/data/slow_tests.txt`.
`python -m tests.support.quick` measures all tests, in some minutes, and writes that list anew.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable

import pytest

from tests.support.places import DATA

SLOW = DATA / "slow_tests.txt"
CASES = 3
# What is slow: a test whose cases in the fast tier take more, in seconds of processor time.
SECONDS = 0.4


def name(item: pytest.Item) -> str:
    """The test of a case."""
    return item.nodeid.partition("[")[0]


def sampled(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """A few cases of each test, from its first to its last alike."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[name(item)].append(item)
    return [item for cases in tests.values() for item in cases[:: -(-len(cases) // CASES)]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the fast tier alone."""
    slow = set(SLOW.read_text("utf-8").splitlines())
    kept = [item for item in sampled(items) if name(item) not in slow]
    config.hook.pytest_deselected(items=[*{*items} - {*kept}])
    items[:] = kept


class Times:
    """Processor time of each test, that of its child processes included."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep a few cases of each test."""
        items[:] = sampled(items)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure a case, with its setup."""
        before = sum(os.times()[:4])
        result = yield
        self.seconds[name(item)] += sum(os.times()[:4]) - before
        return result


def main() -> None:
    """Write the list of slow tests; the quickest of each folder is not in it."""
    times = Times()
    pytest.main(["-q"], plugins=[times])
    folders: dict[str, list[str]] = defaultdict(list)
    for test in times.seconds:
        folders[test.partition("::")[0].rpartition("/")[0]].append(test)
    quickest = {min(tests, key=lambda test: times.seconds[test]) for tests in folders.values()}
    slow = sorted(t for t, s in times.seconds.items() if s > SECONDS and t not in quickest)
    SLOW.write_text("\n".join(slow) + "\n", "utf-8")


if __name__ == "__main__":
    main()
