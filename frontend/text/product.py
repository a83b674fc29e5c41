"""The index strings of a product."""

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.spec import Spec, canonical
from eggrad.frontend.text.errors import TextShapeError
from eggrad.frontend.text.words import offset_of

__all__ = ["read_product"]


def read_product(token: Token, text: str) -> Spec:
    """The spec of a product's operator, such as `*(ij,j->i)`; white space means nothing.

    Raises `ParseError` at the very character of `text` that is wrong, where that is about the
    output's indices a `ShapeError` as well.

    >>> read_product(Token("BINARY_SPEC", "* (a b,b -> a)", 0), "* (a b,b -> a)")
    ((0, 1), (1,), (0,))
    """
    start = offset_of(token)
    inside = token.index("(") + 1
    left, _, output = token[inside:-1].partition(">")
    arrow = len(left.rstrip()) - 1
    if not left.rstrip().endswith("-"):
        raise ParseError("the arrow of a product is '->'", text, start + inside + len(left))
    parts = [*left[:arrow].split(","), output]
    if len(parts) > 3:
        comma = inside + len(parts[0]) + len(parts[1]) + 1
        raise ParseError("a product has one or two operands", text, start + comma, ("'->'",))
    indices: list[str] = []
    place = start + inside
    for number, part in enumerate(parts, 1):
        if number == len(parts):
            place = start + inside + len(left) + 1
            _check_output(output, "".join(indices), text, place)
        for at, letter in enumerate(part, place):
            if not (letter.isalpha() or letter.isspace()):
                raise ParseError(f"{letter!r} is no index", text, at, ("a letter",))
        indices.append("".join(part.split()))
        place += len(part) + 1
    return canonical(indices[:-1], indices[-1])


def _check_output(output: str, known: str, text: str, start: int) -> None:
    seen: set[str] = set()
    for place, letter in enumerate(output, start):
        if letter.isalpha() and letter not in known:
            raise TextShapeError(f"no operand has the output index {letter!r}", text, place)
        if letter in seen:
            raise TextShapeError(f"the output repeats the index {letter!r}", text, place)
        if letter.isalpha():
            seen.add(letter)
