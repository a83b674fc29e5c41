"""What is ambiguous or wrong in pasted formulas has a message, with the caret at the place."""

import time

import pytest

import eggrad as eg
from tests.frontend.typeset.test_pasted import READERS
from tests.support.places import DATA

DIMS: dict[str, tuple[str, ...]] = {
    **{"A": ("m", "n"), "B": ("m", "n"), "S": ("n", "n"), "X": ("N", "d"), "W_1": ("m", "n")},
    **{"x": ("n",), "y": ("m",), "z": ("n",), "c": (), "sigma": (), "w": ("d",), "t": ("N",)},
}
# Two lines a mistake: the text, with a bar at the place; its language, its kind and its message.
LINES = (DATA / "pasted_mistakes.txt").read_text("utf-8").splitlines()
MISTAKES = list(zip(LINES[::2], LINES[1::2], strict=True))
KINDS = {"text": eg.ParseError, "shape": eg.ShapeError, "name": eg.UnknownVariable}


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=LINES[::2])
def test_the_message_and_its_place(marked: str, message: str) -> None:
    before, _, after = marked.partition("¦")
    said, _, reason = message.strip().partition(": ")
    language, kind = said.split()
    with pytest.raises(eg.ParseError) as caught:
        READERS[language](before + after, DIMS)
    assert (caught.value.reason, caught.value.column) == (reason, len(before) + 1)
    assert isinstance(caught.value, KINDS[kind])


def test_there_are_enough() -> None:
    assert len({message for _, message in MISTAKES}) > 90


def test_the_place_is_in_its_line() -> None:
    with pytest.raises(eg.ShapeError) as caught:
        eg.parse_latex("x^\\top\nA z", DIMS)
    assert str(caught.value) == (
        "line 2, column 1: * of 1 x n and m x n: the left has n columns, the right m rows; "
        "the right transposed fits: write ^\\top after it\n  A z\n  ^"
    )


DEEP = 5000
HOSTILE = {
    **{f"{name} brackets": (name, "(" * DEEP) for name in READERS},
    **{f"{name} signs": (name, "-" * DEEP + "c") for name in READERS},
    **{f"{name} unknown letters": (name, "é" * DEEP) for name in READERS},
    **{f"{name} digits": (name, "1" * 30_000) for name in READERS},
    **{f"{name} other characters": (name, "c\x00\ud800") for name in READERS},
    "matrix products": ("matrix", "x'" * 2000),
    "latex products": ("latex", r"x^\top " * 2000),
    "index products": ("index", "S_ij " * 2000),
    "latex fractions": ("latex", r"\frac{" * DEEP),
    "latex stretched brackets": ("latex", r"\left(" * DEEP),
    "latex bars": ("latex", r"\|" * (DEEP + 1)),
    "latex exponents": ("latex", "c^{" * DEEP + "c"),
    "latex indices": ("latex", "c_{" * DEEP + "c" + "}" * DEEP),
    "latex sums": ("latex", r"\sum_i " * DEEP + "x_i"),
    "latex macros": ("latex", r"\foo" * DEEP),
    "latex rows": ("latex", r"\\" * DEEP),
    "latex environments": ("latex", r"\begin{" * DEEP),
    "latex sums in logarithms": ("latex", r"\log \sum_i e^{x_i + " * 1000 + "0" + "}" * 1000),
    "index sums": ("index", "sum_i " * DEEP + "x_i"),
    "index indices": ("index", "x_" + "i" * DEEP),
    "index conditions": ("index", "[" * DEEP),
    "index equations": ("index", "x_i = " * DEEP),
}


@pytest.mark.parametrize(("language", "text"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_refused_at_once(language: str, text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(eg.ParseError):
        READERS[language](text, DIMS)
    assert time.perf_counter() - began < 5


LONG = {
    "latex brackets": ("latex", "(" * DEEP + "c" + ")" * DEEP),
    "latex braces": ("latex", "{" * DEEP + "c" + "}" * DEEP),
    "latex products": ("latex", "c" * 2000),
    "latex fractions": ("latex", r"\frac{" * 1000 + "c" + "}{c}" * 1000),
    "latex sums in brackets": ("latex", r"\sum_i (x_i + " + "(" * DEEP + "c" + ")" * DEEP + ")"),
    "index brackets": ("index", "(" * DEEP + "c" + ")" * DEEP),
    "index products": ("index", "c " * 2000),
    "index functions": ("index", "exp(" * 1000 + "c" + ")" * 1000),
}


@pytest.mark.parametrize(("language", "text"), LONG.values(), ids=LONG)
def test_long_texts_are_read(language: str, text: str) -> None:
    assert READERS[language](text, DIMS).shape == ()
