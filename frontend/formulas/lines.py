"""Lines of phrases to a problem: what names there are, how many axes they have, and the result."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lark import Token

from eggrad.engine.errors import ParseError, UnsupportedOperation
from eggrad.frontend.formulas.functions import Known, check_call
from eggrad.frontend.formulas.names import may_be_product
from eggrad.frontend.formulas.reader import Reader
from eggrad.frontend.formulas.syntax import Line
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.words import offset_of


def problem_of(reader: Reader, lines: Sequence[Line]) -> Problem:
    """The problem of lines whose products have signs: named parts, and an expression."""
    *parts, last = lines
    for line in parts:
        if not line.name:
            raise ParseError(
                "a name stands before a part, as in t = …; the last one is the expression",
                reader.text,
                offset_of(line.body.token),
            )
        reader.define(line.name, line.body, below=_below(line))
    if last.name and (str(last.name) in reader.names or may_be_product(last.name)):
        reason = "an equation is no expression; write one side of it"
        raise ParseError(reason, reader.text, offset_of(last.name))
    return reader.problem(last.body, _below(last), last.name)


def _below(line: Line) -> Sequence[Any] | None:
    return line.head.sizes if line.head is not None and line.head.what == "below" else None


def check_calls(text: str, phrases: Sequence[Phrase], functions: Mapping[str, Known]) -> None:
    """Raise where a function is not known or takes other arguments, before kinds are looked at."""
    stack = [*phrases]
    while stack:
        phrase = stack.pop()
        stack.extend(phrase.operands)
        if phrase.what == "call":
            try:
                check_call(str(phrase.token), len(phrase.operands), functions)
            except UnsupportedOperation as error:
                raise ParseError(str(error), text, offset_of(phrase.token)) from error


def names_of(lines: Sequence[Line]) -> list[str]:
    """The names that lines use and do not define, in their order."""
    found: dict[str, None] = {}
    defined: set[str] = set()
    for line in lines:
        stack = [line.body]
        while stack:
            phrase = stack.pop()
            if phrase.what == "use" and str(phrase.token) not in defined:
                found[str(phrase.token)] = None
            stack.extend(reversed(phrase.operands))
        defined.add(str(line.name))
    return list(found)


# Letters that are functions before brackets, whatever stands in them.
_FUNCTIONS: Final = ("f", "g", "h", "F", "G", "H", "phi", "varphi", "psi")


def applied_names(lines: Sequence[Line]) -> list[Token]:
    """The names that stand before brackets in which there are names alone, as functions do."""
    found: list[Token] = []
    stack = [line.body for line in lines]
    while stack:
        phrase = stack.pop()
        stack.extend(phrase.operands)
        if (
            phrase.what != "TIMES"
            or phrase.sealed
            or phrase.operands[1].what not in ("group", "list")
        ):
            continue
        name, brackets = phrase.operands
        while name.what == "TIMES" and not name.sealed:
            name = name.operands[1]
        name = name.operands[0] if name.what == "below" else name
        inside = [o.operands[0] if o.what == "below" else o for o in brackets.operands]
        called = name.what == "use" and name.token in _FUNCTIONS
        if called or (name.what == "use" and all(o.what == "use" for o in inside)):
            found.append(name.token)
    return found
