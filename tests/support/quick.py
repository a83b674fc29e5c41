"""The fast tier of the tests, `make quick`: pytest with `-p tests.support.quick`.

It leaves out tests that are marked as slow, and of a test with many cases it takes a few.
"""

from collections import defaultdict

import pytest

CASES = 3


def sample(cases: list[pytest.Item]) -> list[pytest.Item]:
    """A few cases, from the first to the last alike."""
    return cases[:: -(-len(cases) // CASES)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the fast tier alone."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    kept = {
        item
        for cases in tests.values()
        if not cases[0].get_closest_marker("slow")
        for item in sample(cases)
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
