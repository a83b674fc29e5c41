"""What letters side by side are where nobody says it: a name, several names, or a word."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final

from lark import Token

from eggrad.frontend.formulas.syntax import Line, sign_of_transpose

GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩℓ",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Upsilon",
            "Phi",
            "Psi",
            "Omega",
            "ell",
        ],
        strict=True,
    )
)
"""Greek letters, and what they are called in LaTeX."""
FRACTIONS: Final = {"½": "0.5", "¼": "0.25", "¾": "0.75"}
"""Fractions of one character."""
# Words of two letters, and differentials.
_SHORT_WORDS: Final = re.compile(
    r"(?:am|an|as|at|be|by|de|do|et|go|if|im|in|is|it|la|le|me|my|no|of|on|or|so|to|up|us|we|zu|d\w|NaN|Inf)\Z"
)
_NAMES: Final = {*GREEK.values(), "lam", "eps"}


def is_greek(name: str) -> bool:
    """Whether a name is that of a Greek letter, or one; some functions are called so as well."""
    return name in _NAMES or name in GREEK


def is_word(name: str) -> bool:
    """Whether letters are rather a word of a language than the name of a variable.

    >>> [w for w in ("x", "Ax", "of", "The", "SELECT", "sigma", "x_max", "AB") if is_word(w)]
    ['of', 'The', 'SELECT']
    """
    scripts = {unicodedata.name(c, "").partition(" ")[0] for c in name}
    if name in _NAMES or not name.isalpha() or "MODIFIER" in scripts:
        return False
    foreign = bool(scripts - {"LATIN", "GREEK", "MATHEMATICAL"})
    capital = name[1:].islower() and len(name) > 2
    return (
        foreign
        or bool(_SHORT_WORDS.match(name))
        or (len(name) > 2 and name.islower())
        or capital
        or (name.isupper() and len(name) > 3)
    )


def may_be_product(name: str) -> bool:
    """Whether letters are rather a product than one name.

    >>> [w for w in ("x", "Ax", "ATAx", "xy", "of", "Theta", "loss") if may_be_product(w)]
    ['Ax', 'ATAx', 'xy']
    """
    capitals = any(c.isupper() for c in name)
    if len(name) == 2:
        return name.isalpha() and name not in _NAMES and not _SHORT_WORDS.match(name)
    letters = name.isalpha() and not _SHORT_WORDS.match(name)
    return letters and len(name) > 1 and capitals and not re.search("[a-zα-ω]{2}", name)


def splits(name: str, names: Collection[str]) -> list[list[str]]:
    """At most two ways to write a name as several names of one letter, each with its digits.

    >>> splits("x1A", {"x1", "A", "x"}), splits("ab", {"a"})
    ([['x1', 'A']], [])
    """
    short = {n for n in names if len(n.rstrip("0123456789").rstrip("_")) == 1}
    longest = max(map(len, short), default=0)
    ways: list[list[list[str]]] = [[[]]]
    for end in range(1, len(name) + 1):
        found = [
            [*way, name[start:end]]
            for start in range(max(0, end - longest), end)
            if name[start:end] in short
            for way in ways[start]
        ]
        ways.append(found[:2])
    return [way for way in ways[-1] if len(way) > 1]


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
            known = phrase.operands[:1] if sign_of_transpose(phrase) else phrase.operands
            stack.extend(reversed(known))
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
