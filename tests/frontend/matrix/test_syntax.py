"""Every mistake in matrix notation has a message, with the caret where the mistake is."""

import pytest

import eggrad as eg
from tests.support.places import DATA

DIMS: dict[str, tuple[str, ...]] = {
    **{"A": ("m", "n"), "B": ("m", "n"), "S": ("n", "n"), "W1": ("m", "n")},
    **{"x": ("n",), "y": ("m",), "z": ("n",), "c": (), "alpha": (), "k": ()},
}
# Two lines a mistake: the text, with a bar at the place; its kind and its message.
LINES = (DATA / "matrix_mistakes.txt").read_text("utf-8").splitlines()
MISTAKES = list(zip(LINES[::2], LINES[1::2], strict=True))
KINDS = {"text": eg.ParseError, "shape": eg.ShapeError, "name": eg.UnknownVariable}


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=LINES[::2])
def test_the_message_and_its_place(marked: str, message: str) -> None:
    before, _, after = marked.partition("¦")
    kind, _, reason = message.strip().partition(": ")
    with pytest.raises(eg.ParseError) as caught:
        eg.parse_matrix(before + after, DIMS)
    assert (caught.value.reason, caught.value.column) == (reason, len(before) + 1)
    assert isinstance(caught.value, KINDS[kind])


def test_there_are_enough() -> None:
    assert len({message for _, message in MISTAKES}) > 50


def test_the_whole_message() -> None:
    with pytest.raises(eg.ShapeError) as caught:
        eg.parse_matrix("norm2(A*y)", DIMS)
    assert str(caught.value) == (
        "line 1, column 8: * of m x n and m x 1: the left has n columns, the right m rows; "
        "the left transposed fits: write ' after it\n"
        "  norm2(A*y)\n"
        "         ^"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"A": "n"},), "dims has for 'A' no tuple of sizes"),
        (({"A": 3},), "a number as dims says how many axes there are"),
        (
            ({"A": (3, "n"), "x": (4, "n")}, {w: ["symmetric"] for w in "Ax"}),
            "n would have to be both 4 and 3",
        ),
        (({"A": ("n", "n")}, {"B": ["symmetric"]}), "'B' has no dims"),
        (({"A": ("n", "n")}, {"A": ["symetric"]}), "no property is called 'symetric'"),
        (({"A": (3, 4)}, {"A": ["symmetric"]}), "needs a square matrix, its axes are .3, 4."),
        (({"A": ("n", "n", "n")},), "a matrix has at most two axes"),
    ],
)
def test_dims_and_assume(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        eg.parse_matrix("A", *arguments)
