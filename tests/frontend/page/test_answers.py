"""Answers: the derivative, and what is shown of it."""

import json

import numpy as np
import pytest

from eggrad.frontend.page.answers import LANGUAGES, Answer, answer
from eggrad.frontend.page.question import PARTS, Question
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


def test_steps_have_their_laws() -> None:
    found = asked("steps", "sin(x)*x")
    laws = [law for step in found["steps"] for law in step["laws"]]
    assert laws
    assert all(law["law"] and law["times"] for law in laws)
    assert "slopes.slope_sin" in {law["name"] for law in laws}


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
