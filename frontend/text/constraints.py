"""The constraints of an indicator as text: `indicator[i-2j-1=0,i-j>=0,3|i+j]`.

The axes have letters, from `i` on as those of a product; `3|` says that 3 divides what follows,
and a size is written `size(n)`.
"""

import re
from typing import TYPE_CHECKING, Final

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.affine import AffineForm, Key, form
from eggrad.engine.indices.constraints import Constraint, Constraints, format_constraint
from eggrad.engine.indices.spec import letter
from eggrad.frontend.text.words import format_name, offset_of, unquoted

if TYPE_CHECKING:
    from lark import Token

_NAME: Final = r"`(?:[^`]|``)*`"
_SPLIT: Final = re.compile(rf"((?:{_NAME}|[^,`])+)(?:,|\Z)")
_RELATION: Final = re.compile(
    rf"\s*(?:(?P<divisor>[0-9]+)\s*\|)?(?P<form>(?:{_NAME}|[^=|>`])*?)(?:(?P<sign>>?=)\s*0\s*)?\Z"
)
_PART: Final = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?P<number>[0-9]+)\s*\*?\s*)?"
    rf"(?:size\s*\(\s*(?P<size>{_NAME}|[A-Za-z_]\w*)\s*\)|(?P<index>[^\W\d_]))?\s*"
)
# More digits than this are no index of an array.
_DIGITS: Final = 18


def format_constraints(constraints: Constraints) -> str:
    """The text of an indicator's constraints.

    >>> format_constraints((("=", ((0, 1), (1, -1), ("", 1), ("n", -1))),))
    'indicator[i-j-size(n)+1=0]'
    """

    def size(symbol: str) -> str:
        return f"size({format_name(symbol)})"

    listed = (format_constraint(c, letter, size) for c in constraints)
    return f"indicator[{','.join(listed) or '0=0'}]"


def read_constraints(token: "Token", order: int, text: str) -> Constraints:
    """The constraints that `indicator[...]` says of that many axes.

    Raises `ParseError` at the constraint of `text` that is wrong.

    >>> from lark import Token
    >>> read_constraints(Token("INDICATOR", "indicator[i - 2*j = 0]", 0), 2, "")
    (('=', ((0, 1), (1, -2))),)
    """
    start = offset_of(token)
    inside = token.index("[") + 1
    found: list[Constraint] = []
    for part in _SPLIT.finditer(token[inside:-1]):
        place = start + inside + part.start()
        found.append(_constraint(part.group(1), order, text, place))
    return tuple(found)


def _constraint(part: str, order: int, text: str, place: int) -> Constraint:
    match = _RELATION.match(part)
    divisor = match and match["divisor"]
    if match is None or bool(divisor) == bool(match["sign"]):
        expected = ("'i-j=0'", "'i-j>=0'", "'2|i-j'")
        raise ParseError("a constraint compares with 0, or divides", text, place, expected)
    if divisor and (len(divisor) > _DIGITS or int(divisor) < 1):
        raise ParseError("a divisor is an integer from 1 up", text, place)
    parsed = _form(match["form"], order, text, place + match.start("form"))
    return (int(divisor) if divisor else match["sign"]), parsed


def _form(part: str, order: int, text: str, start: int) -> AffineForm:
    letters = {letter(k): k for k in range(order)}
    summands: list[tuple[Key, int]] = []
    place = 0
    while place < len(part) or not summands:
        match = _PART.match(part, place)
        empty = match is None or not (match["number"] or match["size"] or match["index"])
        if match is None or empty or (place and not match["sign"]):
            expected = ("a number", "an index", "size(n)")
            raise ParseError("a sum of multiples of indices", text, start + place, expected)
        if len(match["number"] or "") > _DIGITS:
            raise ParseError(f"a number has at most {_DIGITS} digits", text, start + place)
        key: Key = unquoted(match["size"]) if match["size"] else ""
        if match["index"]:
            if match["index"] not in letters:
                known = ", ".join(letters) or "none"
                reason = f"no axis has the index {match['index']!r}; those of the axes are {known}"
                raise ParseError(reason, text, start + match.start("index"))
            key = letters[match["index"]]
        number = int(match["number"] or 1)
        summands.append((key, -number if match["sign"] == "-" else number))
        place = match.end()
    return form(summands)
