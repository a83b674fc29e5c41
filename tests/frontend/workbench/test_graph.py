"""Pictures of e-graphs: the layout, what is folded, and that all of it is there."""

import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.experiment import read_corpus
from eggrad.frontend.workbench.graph import GAP, Limits, Stage, as_page, as_svg, layered, stages_of
from tests.frontend.cli.test_main import run

TEXT = "declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) x) derivative wrt x"

nodes = st.integers(0, 12)
graphs = st.tuples(
    st.dictionaries(nodes, st.tuples(st.floats(10, 90), st.floats(10, 90)), min_size=1),
    st.lists(st.tuples(nodes, nodes), max_size=30),
    st.sets(nodes, max_size=2),
)


@given(graphs)
# An edge that passes below all boxes.
@example((dict.fromkeys((0, 1, 3), (10.0, 10.0)), [(0, 1), (0, 3), (1, 3)], set()))
def test_boxes_never_overlap_and_operands_stand_to_the_right(
    graph: tuple[dict[int, tuple[float, float]], list[tuple[int, int]], set[int]],
) -> None:
    sizes, edges, last = graph
    last &= sizes.keys()
    found = layered(sizes, edges, last)
    assert found.corners.keys() == sizes.keys()
    for a, b in combinations(sizes, 2):
        (ax, ay), (bx, by) = found.corners[a], found.corners[b]
        apart = ax + sizes[a][0] <= bx + 1e-6 or bx + sizes[b][0] <= ax + 1e-6
        gap = max(by - ay - sizes[a][1], ay - by - sizes[b][1])
        assert apart or gap >= GAP - 1e-6
    for node, (x, y) in found.corners.items():
        assert -1e-6 <= x <= found.width - sizes[node][0] + 1e-6
        assert -1e-6 <= y <= found.height - sizes[node][1] + 1e-6
    for (a, b), points in found.bends.items():
        assert found.corners[a][0] + sizes[a][0] < found.corners[b][0]
        assert all(0 <= y + 1e-6 <= found.height + 2e-6 for _, y in points)


def test_only_edges_of_a_cycle_lead_back() -> None:
    sizes = dict.fromkeys(range(4), (10.0, 10.0))
    chain = [(0, 1), (1, 2), (2, 3), (0, 3)]
    assert set(layered(sizes, chain).bends) == set(chain)
    assert len(layered(sizes, chain).bends[0, 3]) == 4
    assert set(layered(sizes, [*chain, (3, 1)]).bends) == set(chain)


@pytest.fixture(scope="module")
def stages() -> list[Stage]:
    (case,) = read_corpus(TEXT, parse)
    return stages_of(case, Limits())[0]


def test_every_stage_has_a_picture(stages: list[Stage]) -> None:
    assert [s.name for s in stages] == ["load", "differentiate", "simplify", "explore", "present"]
    load, *_, last = (s.boxes for s in stages)
    texts = [line.text for box in load.boxes.values() for line in box.lines]
    assert texts == ["x *(i,i->) c2", "A *(ij,j->i) x"]
    assert load.remarks == ("4 e-nodes in 4 classes.",)
    chosen = [line.text for box in last.boxes.values() for line in box.lines if line.chosen]
    assert len(chosen) == sum(b.chosen for b in last.boxes.values())
    assert "(" in chosen[0]


def test_what_is_folded_is_told() -> None:
    (case,) = read_corpus(TEXT, parse)
    stages, result = stages_of(case, Limits(classes=1, members=1))
    last = stages[-1]
    assert all(box.chosen for box in last.boxes.boxes.values())
    assert all(len(box.lines) == 1 for box in last.boxes.boxes.values())
    assert any("Folded: the " in r for r in last.boxes.remarks)
    assert any(" members of " in r for r in last.boxes.remarks)
    assert "… " in as_page(stages, case, result)


def test_pictures_are_well_formed_and_deterministic(stages: list[Stage]) -> None:
    (case,) = read_corpus(TEXT, parse)
    text = as_svg(stages)
    root = ET.fromstring(text)
    drawn = "".join(root.itertext())
    for stage in stages:
        assert stage.name in drawn
        for box in stage.boxes.boxes.values():
            assert box.title in drawn
    again, _ = stages_of(case, Limits())
    assert as_svg(again) == text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--out", "a.png", TEXT], "--out takes a file that ends with .svg or .html, not a.png"),
        (["--out", "a.svg", "declare x"], "line 1"),
        (["--out", "missing/a.svg", TEXT], "cannot write missing/a.svg: No such file"),
        (["--out", "a.svg", "--wrt", "x", TEXT], "the text has 'derivative wrt' already"),
    ],
)
def test_mistakes(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("graph", *arguments)
    assert result.exit_code == 2
    assert told in result.stderr
