"""Names in element-wise definitions."""

import pytest

from eggrad.engine.errors import ParseError
from eggrad.frontend.elementwise.reader import read
from eggrad.frontend.elementwise.syntax import is_name

WORDS = (
    *("x", "x_1", "β", "if", "sum", "and", "then", "else", "max", "min", "thenx", "else1", "and_"),
    *("maxi", "_x", "2x", "x y", " x", "x ", "x\n", "", "x-y", "x[", "ᵢ", "x²", "\u2212x", "e1"),
)


@pytest.mark.parametrize("word", WORDS)
def test_names_are_those_of_the_grammar(word: str) -> None:
    try:
        found = read(f"{word}[] = {word}[]").body
        expected = found.what == "read" and found.token == word
    except ParseError:
        expected = False
    assert is_name(word) == expected
