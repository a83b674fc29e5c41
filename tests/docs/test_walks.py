"""The walks lead where docs/walks.md says."""

from pathlib import Path

import pytest

from tests.docs import walks
from tests.docs.test_pages import without_errors

WALKS = walks.walks(walks.PAGE.read_text("utf-8"))


@pytest.mark.parametrize("walk", WALKS, ids=[walk.partition("\n")[0] for walk in WALKS])
def test_a_walk_leads_where_it_says(walk: str, tmp_path: Path) -> None:
    assert without_errors(walks.walked(walk, tmp_path)) == without_errors(walk)


def test_a_step_goes_after_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = [\n    1,\n]\n", "utf-8")
    steps = "```py\n# a.py, after: 1,\n    2,\n```\n\n```py\n# a.py\ny = x\n```\n"
    walks.take_steps(steps, tmp_path)
    assert (tmp_path / "a.py").read_text("utf-8") == "x = [\n    1,\n    2,\n]\ny = x\n"
    with pytest.raises(ValueError, match=r"a\.py has 0 lines '3,'"):
        walks.take_steps("```py\n# a.py, after: 3,\n4,\n```\n", tmp_path)
