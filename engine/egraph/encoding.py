"""Python values as egglog sees them: canonical text.

egglog compares Python objects by their pickled bytes, and those tell apart equal tuples that do
and do not share their parts. So every value travels as one string.
"""

from ast import literal_eval
from base64 import b64encode
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

import cloudpickle  # pyright: ignore[reportMissingTypeStubs]

from eggrad.engine.indices.numerals import fraction_of, fraction_text

__all__ = ["Encoded", "decode", "encode", "literal"]


def encode(value: object) -> str:
    """The text of a number, a word, or nested tuples of words and integers.

    >>> encode((("n", 2), 0))
    "(('n', 2), 0)"
    """
    return _encode(type(value), value)


@lru_cache(maxsize=65536)
def _encode(_: type, value: object) -> str:
    return f"q{fraction_text(value)}" if isinstance(value, Fraction) else repr(value)


@lru_cache(maxsize=65536)
def decode(text: str) -> Any:
    """The value of a text.

    >>> decode(encode((("n", 2), 0)))
    (('n', 2), 0)
    """
    return fraction_of(text[1:]) if text.startswith("q") else literal_eval(text)


class Encoded:
    """A function on values as a function on their texts."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Wrap the function; it must be one that pickle finds by name."""
        self.function = function

    def __call__(self, *texts: str) -> str:
        """Decode, apply, encode."""
        return encode(self.function(*map(decode, texts)))


def literal(value: object) -> str:
    """A Python value, or a function on values, as egglog text."""
    return _literal(type(value), value)


@lru_cache(maxsize=65536)
def _literal(_: type, value: object) -> str:
    plain = Encoded(value) if callable(value) else encode(value)
    pickled = cast(bytes, cloudpickle.dumps(plain))  # pyright: ignore[reportUnknownMemberType]
    return f'(py-object "{b64encode(pickled).decode()}")'
