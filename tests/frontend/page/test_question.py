"""Questions: what is accepted of what a browser sends."""

from typing import Any

import pytest

from eggrad.engine.errors import EggradError
from eggrad.frontend.page.question import LONGEST, Question, axes


def test_a_question_is_read_whole() -> None:
    sent = {
        "part": "compare",
        "text": "x'*S*x",
        "notation": "matrix",
        "dims": {"S": "3 3", "x": "3"},
        "assume": {"S": "symmetric, invertible"},
        "wrt": ["x"],
        "other": "2*S*x",
    }
    assert Question.of(sent) == Question(
        part="compare",
        text="x'*S*x",
        notation="matrix",
        dims=(("S", (3, 3)), ("x", (3,))),
        assume=(("S", ("symmetric", "invertible")),),
        wrt=("x",),
        other="2*S*x",
    )


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("", ()),
        ("n", ("n",)),
        (" m ,n ", ("m", "n")),
        ("2 k", (2, "k")),
        ("n - 1", ("n - 1",)),
        ("(3, 4)", (3, 4)),
        ("3 x 4", (3, 4)),
        ("3x4", (3, 4)),
        ("m\N{MULTIPLICATION SIGN}n", ("m", "n")),
        ("x", ("x",)),
    ],
)
def test_sizes_as_they_are_typed(typed: str, read: tuple[object, ...]) -> None:
    assert axes(typed) == read


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ([], "a question is a JSON object"),
        ({"part": "everything"}, "no part 'everything'"),
        ({"part": "code", "layout": "mine"}, "no layout 'mine'"),
        ({"part": "code", "text": 3}, "'text' is a text"),
        ({"part": "code", "text": "x" * (LONGEST + 1)}, "at most 2,000 characters"),
        ({"part": "code", "text": "\ud800"}, "not Unicode"),
        ({"part": "code", "wrt": "x"}, "a list of names"),
        ({"part": "code", "wrt": ["x"] * 5}, "up to 4 times"),
        ({"part": "code", "dims": ["x"]}, "an object of texts"),
        ({"part": "code", "dims": {"x": 3}}, "'x' is a text"),
        ({"part": "code", "dims": {"x": "9" * 10}}, "at most 9 digits"),
        ({"part": "code", "dims": {"x": "1e5"}}, "or made of them as n - 1, not '1e5'"),
        ({"part": "code", "dims": {"x": "²"}}, "a size is a number, a name"),
        ({"part": "code", "dims": {f"x{k}": "n" * 90 for k in range(30)}}, "longer than 2000"),
    ],
)
def test_what_the_page_never_sends_is_refused(sent: Any, message: str) -> None:
    with pytest.raises(EggradError, match=message):
        Question.of(sent)
