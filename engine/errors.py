"""Every error that eggrad raises on wrong input."""

import shlex
from typing import Final

# What a mistake in somebody else's Python raises.
MISTAKES: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


def not_installed(what: str, *packages: str) -> str:
    """The message where optional packages are missing, with the command that installs them.

    It names the packages and no extra of eggrad: that works however eggrad was installed.

    >>> not_installed("Dask's arrays need", "dask[array]", "distributed")
    "Dask's arrays need dask[array] and distributed: pip install 'dask[array]' distributed"
    """
    return f"{what} {' and '.join(packages)}: {shlex.join(('pip', 'install', *packages))}"


# The most characters that a message has of a reason.
_LONGEST: Final = 400


class EggradError(Exception):
    """The base of all errors of this package."""


class ShapeError(EggradError):
    """An operation's axes do not fit: the message names the operation, the axes and both sizes."""


class UnknownVariable(EggradError):
    """A name that the expression does not contain, or a value that is missing."""


class UnsupportedOperation(EggradError):
    """An operation that the language does not have."""


class BudgetExceeded(EggradError):
    """A budget ended before there was any answer."""


class MissingRule(EggradError):
    """No rule has a derivative that is asked for; the message names the operation."""


class EngineFailure(EggradError):
    """egglog has failed in a way that it should not; what it says is in the message."""


class UnsolvableSystem(EggradError):
    """A linear system without a unique solution, or an operator that is not as it was declared."""


class AssumptionViolated(EggradError):
    """A value is not what its variable was declared to be.

    Attributes: `variable`, its name; `property`, the word; `place`, where it fails, in words.
    """

    def __init__(self, variable: str, word: str, place: str) -> None:
        """Name the variable, the property and the place."""
        super().__init__(f"variable {variable} is declared {word}: {place}")
        self.variable = variable
        self.property = word
        self.place = place

    def __reduce__(self) -> tuple[type["AssumptionViolated"], tuple[str, str, str]]:
        """Pickle by building anew."""
        return type(self), (self.variable, self.property, self.place)


class RuleError(EggradError):
    """A rule that cannot be registered: no law, an unbound variable, a name already taken."""


class UnsoundRules(EggradError):
    """A false rule: the message shows a counterexample.

    Or rules proved two different constants equal, and the message names those that fired.
    """


class ParseError(EggradError):
    """A text that cannot be read; the message shows the place and what was expected there.

    Attributes: `text`, `line` and `column` (from 1), `reason`, `expected` (a tuple of words).
    """

    def __init__(self, reason: str, text: str, offset: int, expected: tuple[str, ...] = ()) -> None:
        """Point at the character `offset` of `text`."""
        before = text[:offset]
        # A name may be as long as a text.
        if len(reason) > _LONGEST:
            reason = f"{reason[: _LONGEST // 2]} … {reason[-_LONGEST // 2 :]}"
        expected = tuple(word if len(word) < _LONGEST else f"{word[:40]}…" for word in expected)
        self.text = text
        self.reason = reason
        self.expected = expected
        self.line = before.count("\n") + 1
        self.column = offset - (before.rfind("\n") + 1) + 1
        shown = text.split("\n")[self.line - 1]
        # A long line is cut to a window around the caret, so that the caret stays in sight.
        start = max(0, self.column - 61)
        window = shown[start : start + 100]
        pointer = " " * (self.column - 1 - start) + "^"
        hint = f"\nexpected {' or '.join(expected)}" if expected else ""
        super().__init__(
            f"line {self.line}, column {self.column}: {reason}\n  {window}\n  {pointer}{hint}"
        )
