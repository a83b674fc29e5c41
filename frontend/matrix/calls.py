"""Calls in the matrix language: which functions there are, and how many arguments they take."""

from collections.abc import Sequence
from typing import Final

from eggrad.engine.errors import ParseError, UnsupportedOperation
from eggrad.frontend.matrix.functions import Known
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.words import offset_of

__all__ = ["CONSTANTS", "check_call", "check_calls"]

# Constants of a size that is given, or taken from what they meet.
CONSTANTS: Final = ("vector", "matrix", "ones", "zeros", "eye", "unit", "size")


def check_calls(text: str, phrases: Sequence[Phrase], functions: Known) -> None:
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


def check_call(name: str, count: int, functions: Known) -> None:
    """Raise where no function has that name, or another number of arguments."""
    if name in ("vector", "matrix") and not count:
        raise UnsupportedOperation(f"{name} takes the value of its entries, as {name}(1)")
    if name in CONSTANTS:
        return
    if name not in functions:
        near = suggestion(name, [*functions, *CONSTANTS])
        raise UnsupportedOperation(f"no function is called {name!r}{near}")
    _, least, most = functions[name]
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        plural = "s" * (most > 1)
        raise UnsupportedOperation(f"{name} takes {wanted} argument{plural}, not {count}")
