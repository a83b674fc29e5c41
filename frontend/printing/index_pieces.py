"""Pieces of formulas in index notation, and how they are written with small letters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from eggrad.frontend.text.words import shown_name

__all__ = ["LETTERS", "Indexed", "Style", "unicode_style"]

LETTERS: Final = "ijklmnoprstuvxaeh"
_SUBSCRIPTS: Final = dict(zip(LETTERS, "ᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓₐₑₕ", strict=True))


@dataclass(frozen=True)
class Indexed:
    """A piece of text with indices below it, by number.

    The text has a place for each of the `names` that it mentions, as in `det({0})`; that of a
    condition has places for its indices before those, as in `[{0}={1}+{2}]`. With `raising` 1 an
    exponent begins here, with -1 it ends.
    """

    text: str
    indices: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    raising: int = 0

    @property
    def is_condition(self) -> bool:
        """Whether it is 1 or 0, as a condition on the indices says."""
        return self.text.startswith("[")


def unicode_style(token: Indexed, letters: Sequence[str]) -> str:
    """A piece with its indices as small letters."""
    names = map(shown_name, token.names)
    if token.is_condition:
        return token.text.format(*letters, *names)
    text = token.text.format(*names)
    if len(letters) and all(i in _SUBSCRIPTS for i in letters):
        return text + "".join(_SUBSCRIPTS[i] for i in letters)
    return text + (f"_{{{''.join(letters)}}}" if letters else "")


Style = Callable[[Indexed, Sequence[str]], str]
"""What writes a piece with the letters of its indices."""
