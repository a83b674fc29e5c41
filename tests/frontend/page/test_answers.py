"""Answers: the derivative, and what is shown of it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pytest

from eggrad.frontend.page import answers
from eggrad.frontend.page.answers import LANGUAGES, NOTATIONS, answer
from eggrad.frontend.page.question import LAYOUTS, PARTS, Answer, Question
from eggrad.frontend.page.reading import Reading, read
from eggrad.frontend.printing.formats import FORMATS
from tests.support.places import ROOT

EXAMPLES = json.loads((ROOT / "frontend/page/static/examples.json").read_text("utf-8"))


def asked(part: str, text: str, **more: object) -> Answer:
    return answer(Question.of({"part": part, "text": text, **more}))


def pairs(text: str) -> dict[str, str]:
    parts = (part.partition(":") for part in text.split(";") if part)
    return {name.strip(): said.strip() for name, _, said in parts}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["name"])
def test_examples_are_answered_and_checked(example: dict[str, object]) -> None:
    link = {k: str(v) for k, v in example["link"].items()}  # type: ignore[attr-defined]
    more = {"wrt": link["by"].split(",")} if "by" in link else {}
    more |= {k: pairs(link[k]) for k in ("dims", "assume") if k in link}
    found = asked("derivative", link["f"], **more)
    assert found["derivative"]["latex"]
    assert found["complete"]
    assert asked("check", link["f"], **more)["check"]["passed"]
    if "other" in link:
        assert asked("compare", link["f"], other=link["other"], **more)["status"] == "equal"


def test_a_derivative_and_what_it_costs() -> None:
    found = asked("derivative", "x'*A*x", wrt=["x"])
    assert found["derivative"]["latex"] == r"\left(A + A^\top\right) x"
    assert found["derivative"]["shape"] == ["n"]
    assert found["derivative"]["operations"] == 100**2 + 100 * 199
    assert asked("derivative", "x'*A*x", wrt=["x", "x"])["derivative"]["latex"] == r"A + A^\top"


def test_what_to_differentiate_by_where_nobody_says_it() -> None:
    assert asked("derivative", "c*norm1(w)")["wrt"] == ["w"]
    text = "declare A 2 x 1 expression A *(ij,j->i) x derivative wrt A"
    assert asked("derivative", text)["wrt"] == ["A"]
    assert "no variable" in asked("derivative", "1 + 1")["error"]["message"]


def test_a_size_that_is_a_number() -> None:
    found = asked("derivative", "norm2(A*x)^2", dims={"A": "3, 5"})
    assert [v["axes"] for v in found["variables"]] == [["3", "5"], ["5"]]
    assert found["derivative"]["shape"] == ["5"]
    assert found["derivative"]["symbols"] == []


def test_code_computes_the_derivative() -> None:
    found = {c["name"]: c for c in asked("code", "x'*A*x")["code"]}
    assert found.keys() == {
        *(FORMATS[k].label for k in LANGUAGES),
        "NumPy, compiled with the value",
    }
    names: dict[str, object] = {}
    exec(found["NumPy"]["text"], names)
    a, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    assert np.allclose(names["f"](a, x), (a + a.T) @ x)  # type: ignore[operator]
    assert "remark" in {c["name"]: c for c in asked("code", "logdet(S)")["code"]}["Entry by entry"]


def test_steps_are_lines_with_their_laws() -> None:
    found = asked("steps", "sin(x)*x")
    lines = found["lines"]
    assert [line["kind"] for line in lines] == [
        *("function", "differential", "differential", "derivative")
    ]
    assert lines[1]["latex"].count("\\mathrm{d}") == 2
    assert "\\mathinner{\\mathrm{d}x}" in lines[2]["latex"]
    assert "slopes.slope_sin" in {law["name"] for law in lines[2]["laws"]}
    assert all(law["law"] for line in lines for law in line["laws"])
    assert (
        "at most 60 nodes"
        in asked("steps", "+".join(f"x^{k}" for k in range(60)))["error"]["message"]
    )


def test_the_log_has_every_round() -> None:
    found = asked("log", "sin(x)*x")
    laws = [law for step in found["steps"] for law in step["laws"]]
    assert all(law["law"] and law["times"] for law in laws)
    assert "slopes.slope_sin" in {law["name"] for law in laws}
    assert found["enodes"] > 5


@pytest.mark.parametrize(
    ("text", "wrt", "layout", "shape", "turned"),
    [
        ("x'*A*x", "x", "", ["n"], False),
        ("x'*A*x", "x", "numerator", ["1", "n"], False),
        ("x'*A*x", "x", "denominator", ["n", "1"], False),
        ("tr(A*X*B)", "X", "", ["m", "n"], False),
        ("tr(A*X*B)", "X", "numerator", ["n", "m"], True),
        ("tr(A*X*B)", "X", "denominator", ["m", "n"], False),
        ("A*exp(x)", "x", "", ["m", "n"], False),
        ("A*exp(x)", "x", "numerator", ["m", "n"], False),
        ("A*exp(x)", "x", "denominator", ["n", "m"], True),
        ("c^2*x", "c", "numerator", ["n", "1"], False),
        ("c^2*x", "c", "denominator", ["1", "n"], False),
        ("c^2*A", "c", "denominator", ["n", "m"], True),
    ],
)
def test_layouts(text: str, wrt: str, layout: str, shape: list[str], *, turned: bool) -> None:
    sizes = {"m": 2, "n": 3}
    dims = {"A": "m, n", "x": "n", "c": "", "X": "m, n", "B": "m, k"}
    dims |= {"A": "n, n"} if text.startswith("x'") else {}
    dims |= {"A": "k, m", "B": "n, k"} if text.startswith("tr") else {}
    named = {n: d for n, d in dims.items() if n in text}
    found = asked("derivative", text, wrt=[wrt], layout=layout, dims=named)
    assert found["derivative"]["shape"] == shape
    assert found["layout"].startswith(layout.capitalize() or "The axes of f come first")
    ours, plain = (
        _value(asked("code", text, wrt=[wrt], layout=chosen, dims=named), named, sizes)
        for chosen in (layout, "")
    )
    assert np.allclose(ours, plain.T if turned else plain)
    assert ours.size == np.prod([sizes.get(d, 1) for d in shape])


def _value(found: Answer, dims: dict[str, str], sizes: dict[str, int]) -> np.ndarray:
    rng = np.random.default_rng(2)
    values = {
        n: rng.uniform(1, 2, [sizes.get(a, 4) for a in d.split(", ") if a]) for n, d in dims.items()
    }
    names: dict[str, object] = {}
    exec(next(c["text"] for c in found["code"] if c["name"] == "NumPy"), names)
    f = names["f"]
    return f(**{n: values[n] for n in signature(f).parameters})  # type: ignore[operator, arg-type]


def test_a_row_is_written_as_one() -> None:
    found = asked("derivative", "x'*A*x", layout="numerator")["derivative"]["latex"]
    assert found == r"\left(\left(A + A^\top\right) x\right)^\top"
    text = "x'*x*exp(norm2(A*x)^2)"
    parts = asked("derivative", text, layout="numerator")["derivative"]["latex"]
    assert parts.count(r"\right)^\top") == 1 or r"\begin{aligned}" not in parts
    assert asked("compare", "x'*A*x", layout="numerator", other="x'*(A + A')")["status"] == "equal"


@pytest.mark.parametrize(
    ("text", "names", "dims"),
    [
        ("kron(A,B)", "AB", {"A": "2, 3", "B": "3, 2"}),
        ("vec(A*X*B)", "AXB", {"A": "2, 3", "X": "3, 2", "B": "2, 2"}),
        (r"\operatorname{vec}(\Sigma X)", ["Sigma", "X"], {"Sigma": "2, 2", "X": "2, 3"}),
    ],
)
def test_sizes_that_are_wanted_are_asked_for(
    text: str, names: list[str], dims: dict[str, str]
) -> None:
    found = asked("derivative", text)
    assert found["error"]["message"]
    assert [v["name"] for v in found["variables"]] == [*names]
    assert all(v["axes"] is None for v in found["variables"])
    assert "symmetric" in found["words"]
    first = next(iter(dims))
    some = asked("derivative", text, dims={first: dims[first]})
    assert some["variables"][0]["axes"] == dims[first].split(", ")
    done = asked("derivative", text, dims=dims)
    assert done["derivative"]["shape"]
    assert {v["name"]: ", ".join(v["axes"]) for v in done["variables"]} == dims


def test_sizes_that_do_not_fit_can_be_changed() -> None:
    found = asked("derivative", "A*x", dims={"A": "3", "x": "4"}, assume={"x": "positive"})
    assert found["error"]
    assert [(v["name"], v["axes"], v["words"]) for v in found["variables"]] == [
        ("A", ["3"], []),
        ("x", ["4"], ["positive"]),
    ]
    # Nothing is asked for where sizes are not the matter.
    assert "variables" not in asked("derivative", "sin(x")
    # What was read keeps its fields.
    assert [v["name"] for v in asked("plot", "x'*x")["variables"]] == ["x"]


def test_how_a_formula_was_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Other:
        label: str
        text: str
        notation: str
        dims: Mapping[str, str]

    @dataclass(frozen=True)
    class Chosen(Reading):
        read_as: str = "Ax is one matrix"
        others: tuple[Other, ...] = (Other("A times x", "‖A*x - b‖", "matrix", {"x": "n"}),)

    def chosen(*given: Any) -> Reading:
        found = read(*given)
        return Chosen(found.notation, found.problem, found.guessed)

    monkeypatch.setattr(answers, "read", chosen)
    found = asked("derivative", "‖Ax - b‖")
    assert found["read_as"] == "Ax is one matrix"
    assert found["others"] == [
        {"label": "A times x", "text": "‖A*x - b‖", "notation": "matrix", "dims": {"x": "n"}}
    ]
    monkeypatch.undo()
    assert asked("derivative", "x'*x")["others"] == []


def test_notations_are_those_that_are_offered() -> None:
    assert "no notation 'music'" in asked("derivative", "x", notation="music")["error"]["message"]
    page = (ROOT / "frontend/page/static/index.html").read_text("utf-8")
    select = page.partition('id="notation"')[2].partition("</select>")[0]
    offered = re.findall(r'value="(\w+)"', select)
    # NumPy's text is offered as soon as it is read.
    assert {*offered} - {"numpy"} == {*NOTATIONS} - {"numpy"}
    layouts = page.partition('id="layout"')[2].partition("</select>")[0]
    assert re.findall(r'value="(\w*)"', layouts) == [*LAYOUTS]


def test_a_formula_of_ones_own_is_compared() -> None:
    right = asked("compare", "x'*A*x", other="A*x + A'*x")
    assert (right["status"], right["domain"]) == ("equal", [])
    assert right["laws"]
    wrong = asked("compare", "x'*A*x", other="2*A*x")
    assert wrong["status"] == "different"
    assert wrong["witness"].keys() == {"A", "x"}
    somewhere = asked("compare", "x*log(x) - x", other="log(x^2)/2")
    assert somewhere["status"] == "equal"
    typed = asked("compare", "x'*A*x", other="2*A*")
    assert typed["error"]["field"] == "other"
    assert asked("compare", "x'*A*x", other=r"(A + A^\top) x")["status"] == "equal"


def test_whether_a_scalar_is_convex() -> None:
    found = asked("convexity", "log(sum(exp(x)))")
    assert (found["convexity"], found["wrt"]) == ("convex", "x")
    assert "curvature.convex_logarithm" in found["text"]
    assert asked("convexity", "sin(x)")["convexity"] == "neither"
    assert asked("convexity", "A*x", wrt=["x"])["convexity"] == ""


def test_the_picture_is_of_small_formulas() -> None:
    found = asked("picture", "x + x")
    assert all(s["svg"].startswith("<svg") for s in found["stages"])
    large = " + ".join(f"sin({k}*x)" for k in range(30))
    assert "at most 40 nodes" in asked("picture", large)["error"]["message"]


def test_a_plot_has_the_values_of_both() -> None:
    found = asked("plot", "log(x)*2")
    points = np.array(found["points"])
    inside = points > 0
    ours = np.array(found["derivative"], dtype=float)
    assert np.allclose(ours[inside], 2 / points[inside])
    assert all(v is None for v in np.array(found["function"])[~inside])
    assert "error" in asked("plot", "x'*x")


@pytest.mark.parametrize("part", PARTS)
def test_mistakes_are_shown_at_their_place(part: str) -> None:
    error = asked(part, "sin(x) +\n* y")["error"]
    assert (error["field"], error["line"], error["column"]) == ("text", 2, 1)


def test_an_empty_formula_asks_for_one() -> None:
    assert asked("derivative", "  ")["error"]["message"] == "there is no formula yet"
