"""Whatever the text, `parse` reads it or raises an error of this package."""

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.errors import EggradError
from eggrad.frontend.text.parser import parse
from tests.support.places import DATA

EXTENDED = (
    "declare A[m,3]{symmetric, positive definite} x 1 `a b` 0 let t1 = sin(x) let t2 = t1 *(i,i->) "
    "t1 expression t2 + size(x_1) / det(A) - cofactors2(A) *(ijkl->) 1//3 + delta[n] *(ij,ij->) "
    "1[n,n] ^ -2.5e-3 derivative wrt x wrt `a b`"
)
APPENDIX = json.loads((DATA / "appendix.json").read_text())
TEXTS = [EXTENDED, *(example["input"] for example in APPENDIX)]
TOKENS = (
    "declare", "expression", "derivative", "wrt", "let", "size", "delta", "sin", "inv",
    "cofactors2", "t", "x", "A", "0", "1", "2.5", "1e9", "1e999999", "1//0", "(", ")", "[", "]",
    "{", "}", ",", "=", "+", "-", "*", "/", "^", "*(ij,j->i)", "*(ij->ji)", "*(", "->", ">", "`",
    "`b`", ".", "?", "é", "\0", "\ud800", "\n",
)  # fmt: skip


def reads_or_refuses(text: str) -> None:
    try:
        parse(text)
    except EggradError:
        return


def mutated(random: Random) -> str:
    text = random.choice(TEXTS)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(text) + 1)
        match random.randrange(4):
            case 0:
                text = text[:place] + text[place + random.randint(1, 6) :]
            case 1:
                text = f"{text[:place]}{random.choice(TOKENS)}{text[place:]}"
            case 2:
                words = text.split(" ")
                words[random.randrange(len(words))] = random.choice(TOKENS)
                text = " ".join(words)
            case _:
                other = random.choice(TEXTS)
                text = text[:place] + other[random.randrange(len(other)) :]
    return text


def test_mutations() -> None:
    random = Random(20)
    for _ in range(3000):
        reads_or_refuses(mutated(random))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=30))
def test_any_sequence_of_words(words: list[str]) -> None:
    reads_or_refuses(" ".join(words))
    reads_or_refuses("declare x 1 A 2 expression " + " ".join(words))


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    reads_or_refuses(text)
    reads_or_refuses("declare x 1 expression x " + text)
