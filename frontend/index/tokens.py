"""Index notation cut into tokens: names, the indices above and below, signs of sums.

Where a name ends and its indices begin follows from the names that there are: `my_var_i` is
`my_var` at i, if that is a variable.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError

_BELOW: Final = "ᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓₐₑₕᵦᵧᵨᵩᵪ₀₁₂₃₄₅₆₇₈₉"
_ABOVE: Final = "ⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵃᵇᶜᵈᵉᶠᵍʰ"
_RAISED: Final = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN: Final = {
    **dict(
        zip(
            _BELOW,
            "ijklmnoprstuvxaehβ\N{GREEK SMALL LETTER GAMMA}\N{GREEK SMALL LETTER RHO}φχ0123456789",
            strict=True,
        )
    ),
    **dict(zip(_ABOVE, "ijklmnoprstuvwxyzabcdefgh", strict=True)),
    **dict(zip(_RAISED, "-0123456789", strict=True)),
}
_LETTER: Final = rf"[^\W\d_{_BELOW}{_ABOVE}{_RAISED}]"
_PART: Final = rf"[^\W{_BELOW}{_ABOVE}{_RAISED}]"
_WORD: Final = re.compile(rf"∑|{_LETTER}{_PART}*")
# An index is a small letter, with digits or not; its place in a tensor may be a number.
_SMALL: Final = "a-z\N{GREEK SMALL LETTER ALPHA}-ω"
_INDEX: Final = rf"(?:\\?(?:[{_SMALL}]+\d*)+|\d+)"
_SINGLE: Final = re.compile(rf"\\[a-z]+|[{_SMALL}]\d*|\d+")
_NAMED_SIGNS: Final = {
    **{"Σ": "SUM", "∑": "SUM", "sum": "SUM", "δ": "DELTA", "delta": "DELTA"},
    **{"max": "EXTREME", "min": "EXTREME"},
}
_PATTERNS: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("", r"\s+|\\[,;:!> ]|\\q?quad\b|~|&|\\left\b|\\right\b|\\limits\b"),
        ("LOWER", rf"_\{{[^{{}}]*\}}|_{_INDEX}|[{_BELOW}]+"),
        ("UPPER", rf"\^\{{\s*(?:\\?[^\W\d_]+\d*[\s,]*)+\}}|\^\\?{_LETTER}+\d*|[{_ABOVE}]+"),
        ("RAISED", rf"⁻?[{_RAISED[1:]}]+"),
        ("NUMBER", r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?"),
        ("CONDITION", r"\[[^\[\]]*\]"),
        ("NAME", r"`(?:[^`]|``)*`"),
        ("POWER", r"\^|\*\*"),
        ("PLUS", r"\+"),
        ("MINUS", "[-\N{MINUS SIGN}]"),
        ("TIMES", r"[*·⋅]|\\cdot\b|\\times\b"),
        ("DIVIDE", "/"),
        ("LPAR", r"[({]"),
        ("RPAR", r"[)}]"),
        ("COMMA", ","),
        ("SEMICOLON", ";"),
        ("EQUAL", ":?="),
    )
)
_HEAD: Final = re.compile(
    rf"\s*(`(?:[^`]|``)*`|{_LETTER}(?:{_PART}(?<!_))*)(?:\{{[^{{}}=]*\}}|[^;=\[\]{{}}])*:?="
)


def heads(text: str) -> list[str]:
    """The names on the left of an equals sign.

    >>> heads("t1ᵢ = exp(xᵢ); fᵢ = t1ᵢ yᵢ")
    ['t1', 'f']
    """
    return [match[1] for part in text.split(";") if (match := _HEAD.match(part))]


def tokens(text: str, names: Collection[str], functions: Collection[str]) -> list[Token]:
    """The tokens; raises `ParseError` for a character that begins none.

    >>> [t.type for t in tokens("x_i Aᵢⱼ", ["x", "A"], [])]
    ['NAME', 'LOWER', 'NAME', 'LOWER']
    """
    return list(_tokens(text, names, functions))


def _tokens(text: str, names: Collection[str], functions: Collection[str]) -> Iterator[Token]:
    place = 0
    while place < len(text):
        found = ((kind, m[0]) for kind, p in _PATTERNS if (m := p.match(text, place)))
        kind, written = next(found, None) or _word(text, place, names, functions)
        if kind:
            yield Token(kind, written, place)
        place += len(written)


def _word(
    text: str, place: int, names: Collection[str], functions: Collection[str]
) -> tuple[str, str]:
    """The name at a place, as long a one as is known, and its kind."""
    start = place + text.startswith("\\", place)
    match = _WORD.match(text, start)
    if match is None:
        raise ParseError(f"the character {text[place]!r} has no meaning here", text, place)
    word = match[0]
    ends = [k for k in range(len(word), 0, -1) if k == len(word) or word[k] == "_"]
    known = [word[:k] for k in ends if word[:k] in names]
    # Small letters are indices of the whole word before them.
    whole = text[match.end() : match.end() + 1] in {*_BELOW}
    name = known[0] if known else word if whole else word.partition("_")[0]
    if name not in names and name in _NAMED_SIGNS:
        called = name in ("max", "min") and text[start + len(name) :].lstrip().startswith("(")
        kind = "FUNCTION" if called else _NAMED_SIGNS[name]
        return kind, text[place : start + len(name)]
    applied = [word[:k] for k in ends if word[:k] in functions]
    if not known and applied:
        return "FUNCTION", text[place : start + len(applied[0])]
    return "NAME", text[place : start + len(name)]


def indices(written: str) -> tuple[tuple[str, int], ...]:
    """The indices of a token, and where each begins in it; empty where it has something else.

    >>> indices("_ij"), indices("_{i, 12}"), indices("ᵢⱼ")
    ((('i', 1), ('j', 2)), (('i', 2), ('12', 5)), (('i', 0), ('j', 1)))
    """
    plain = "".join(_PLAIN.get(c, c) for c in written)
    begin = len(plain) - len(plain.lstrip("_^{"))
    found: list[tuple[str, int]] = []
    while begin < len(plain) and plain[begin] != "}":
        match = _SINGLE.match(plain, begin)
        if match:
            found.append((match[0].removeprefix("\\"), begin))
            begin = match.end()
        elif plain[begin] in " ,":
            begin += 1
        else:
            return ()
    return tuple(found)


def raised_number(written: str) -> str:
    """The number of an exponent in small digits.

    >>> raised_number("⁻¹²")
    '-12'
    """
    return "".join(_PLAIN[c] for c in written)
