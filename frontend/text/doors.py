"""What callers give that is no tensor, checked at the door: each message names the argument."""

from collections.abc import Collection, Mapping
from operator import index
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import EggradError, UnsupportedOperation
from eggrad.engine.indices.texts import shown


def checked_text(what: str, name: str, value: object) -> str:
    """A text, such as a formula.

    >>> checked_text("parse", "text", 3)
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: parse: text is a text, not 3
    """
    if not isinstance(value, str):
        raise UnsupportedOperation(f"{what}: {name} is a text, not {shown(value)}")
    return str(value)


def checked_flag(what: str, name: str, value: object) -> bool:
    """True or False.

    >>> checked_flag("compile", "check", "no")
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: compile: check is True or False, not 'no'
    """
    if not isinstance(value, bool | np.bool_):
        raise UnsupportedOperation(f"{what}: {name} is True or False, not {shown(value)}")
    return bool(value)


def checked_word(what: str, name: str, value: object, words: Collection[str]) -> str:
    """One of some words.

    >>> checked_word("derivative", "mode", "fast", ["forward", "reverse"])
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: derivative: mode is one of forward, ..., not 'fast'
    """
    if not isinstance(value, str) or value not in words:
        known = ", ".join(word or "''" for word in words)
        raise UnsupportedOperation(f"{what}: {name} is one of {known}, not {shown(value)}")
    return str(value)


def checked_integer(what: str, name: str, value: object) -> int:
    """An integer.

    >>> checked_integer("item", "a place", 1.5)
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: item: a place is an integer, not 1.5
    """
    try:
        return index(cast(Any, value))
    except (TypeError, EggradError):
        raise UnsupportedOperation(f"{what}: {name} is an integer, not {shown(value)}") from None


def checked_count(
    what: str, name: str, value: object, least: int = 0, most: int | None = None
) -> int:
    """An integer from some number on.

    >>> checked_count("check", "samples", 0, 1)
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: check: samples is an integer from 1 on, not 0
    """
    number = int(value) if isinstance(value, int | np.integer) else least - 1
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        bounds = f"from {least} on" if most is None else f"from {least} to {most}"
        raise UnsupportedOperation(f"{what}: {name} is an integer {bounds}, not {shown(value)}")
    return number


def checked_mapping(what: str, name: str, value: object, wanted: str) -> Mapping[str, Any]:
    """A mapping by names; `wanted` says what it has.

    >>> checked_mapping("compile", "sizes", [3], 'a dict such as {"n": 3}')
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: compile: sizes is a dict such as {"n": 3}, not [3]
    """
    if not isinstance(value, Mapping):
        raise UnsupportedOperation(f"{what}: {name} is {wanted}, not {shown(value)}")
    for key in cast("Mapping[Any, Any]", value):
        if not isinstance(key, str) or not key:
            raise UnsupportedOperation(f"{what}: the names in {name} are texts, not {shown(key)}")
    return cast("Mapping[str, Any]", value)


def checked_words(what: str, name: str, value: object) -> tuple[str, ...]:
    """Some texts; a text alone is one.

    >>> checked_words("variable", "assume", "symmetric")
    ('symmetric',)
    """
    several = (value,) if isinstance(value, str) else value
    if not isinstance(several, list | tuple | set | frozenset) or not all(
        isinstance(word, str) for word in cast("Collection[object]", several)
    ):
        raise UnsupportedOperation(f"{what}: {name} is a list of texts, not {shown(value)}")
    return tuple(map(str, cast("Collection[object]", several)))
