"""Lines of phrases to a problem: what names there are, how many axes they have, and the result."""

from collections.abc import Mapping, Sequence
from typing import Any

from eggrad.engine.errors import ParseError, UnsupportedOperation
from eggrad.frontend.formulas.functions import Known, check_call
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
    if last.name and str(last.name) in reader.names:
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
