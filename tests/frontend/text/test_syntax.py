"""Every mistake has a sentence of its own, with the caret where the mistake is."""

import pytest

from eggrad.engine.errors import ParseError, ShapeError, UnknownVariable
from eggrad.frontend.text.parser import parse
from tests.support.places import DATA

# Two lines a mistake: the text, with a bar at the place and `\n` for a new line; its message.
LINES = (DATA / "text_mistakes.txt").read_text().splitlines()
MISTAKES = list(zip(LINES[::2], LINES[1::2], strict=True))
KINDS = {"text": ParseError, "shape": ShapeError, "name": UnknownVariable}


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=LINES[::2])
def test_the_message_and_its_place(marked: str, message: str) -> None:
    before, _, after = marked.replace("\\n", "\n").partition("¦")
    kind, _, reason = message.strip().partition(": ")
    with pytest.raises(ParseError) as caught:
        parse(before + after)
    error = caught.value
    assert error.reason == reason
    assert (error.line, error.column) == (
        before.count("\n") + 1,
        len(before) - before.rfind("\n"),
    )
    assert isinstance(error, KINDS[kind])
    assert kind != "text" or not isinstance(error, (ShapeError, UnknownVariable))
    assert error.__context__ is None or error.__suppress_context__


def test_no_two_kinds_of_mistake_share_a_sentence() -> None:
    assert len({reason for _, reason in MISTAKES}) > 60


FULL = [
    (
        "declare x 1 alpha 1\nexpression x +\n  alhpa",
        "line 3, column 3: no variable is called 'alhpa', did you mean 'alpha'?\n"
        "    alhpa\n"
        "    ^\n"
        "expected x or alpha",
    ),
    (
        "declare x[3] y[4] expression x + y",
        "line 1, column 32: +: axis 1 of the left side has size 3 (line 1, column 11), "
        "of the right side size 4 (line 1, column 16)\n"
        "  declare x[3] y[4] expression x + y\n"
        "                                 ^",
    ),
    (
        "declare x 1 expression (x + sin(x)",
        "line 1, column 24: this bracket is never closed\n"
        "  declare x 1 expression (x + sin(x)\n"
        "                         ^",
    ),
    (
        "declare x 1 expression x +",
        "line 1, column 27: an operand is missing before the end\n"
        "  declare x 1 expression x +\n"
        "                            ^\n"
        "expected a number or a name or a function or '(' or '-'",
    ),
    (
        "declare x 1 expression 2 * x",
        "line 1, column 26: a product needs index strings, "
        "as in A *(ij,j->i) x or 2 *(,i->i) x\n"
        "  declare x 1 expression 2 * x\n"
        "                           ^\n"
        "expected '*(...,...->...)'",
    ),
    (
        "",
        "line 1, column 1: a text begins with the keyword 'declare'\n"
        "  \n"
        "  ^\n"
        "expected 'declare'",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FULL)
def test_the_whole_message(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_long_numbers() -> None:
    digits = "123" * 5000
    term = parse(f"declare expression {digits}").term
    assert term is parse(f"declare expression {digits}.0").term
    for number in ("1" * 30_000, "1e999999", "1e" + "9" * 10_000, "1//" + "1" * 30_000):
        with pytest.raises(ParseError, match="a number has at most 20000 digits"):
            parse(f"declare expression {number}")
