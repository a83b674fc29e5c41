"""Index notation cut into tokens: names, the indices above and below, signs of sums.

Where a name ends and its indices begin follows from the names that there are: `my_var_i` is
`my_var` at i, if that is a variable.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.names import FRACTIONS, GREEK

_BELOW: Final = "ᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓₐₑₕᵦᵧᵨᵩᵪ₀₁₂₃₄₅₆₇₈₉"
_ABOVE: Final = "ⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵃᵇᶜᵈᵉᶠᵍʰ"
_RAISED: Final = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN: Final = str.maketrans(
    _BELOW + _ABOVE + _RAISED,
    "ijklmnoprstuvxaehβ\N{GREEK SMALL LETTER GAMMA}\N{GREEK SMALL LETTER RHO}φχ0123456789"
    "ijklmnoprstuvwxyzabcdefgh-0123456789",
)
_LETTER: Final = rf"[^\W\d_{_BELOW}{_ABOVE}{_RAISED}]"
_PART: Final = rf"[^\W{_BELOW}{_ABOVE}{_RAISED}]"
_WORD: Final = re.compile(rf"∑|{_LETTER}{_PART}*")
# An index is a small letter, with digits or not; its place in a tensor may be a number.
_SMALL: Final = "a-z\N{GREEK SMALL LETTER ALPHA}-ω"
_INDEX: Final = rf"(?:\\?(?:[{_SMALL}]+\d*)+|\d+)"
_SINGLE: Final = re.compile(rf"\\?[a-z]+(?<=\\[a-z])[a-z]*|[{_SMALL}]\d*|\d+")
_NAMED_SIGNS: Final = {
    **{"Σ": "SUM", "∑": "SUM", "sum": "SUM", "δ": "DELTA", "delta": "DELTA"},
    **{"max": "FUNCTION", "min": "FUNCTION"},
}
_PATTERNS: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("", r"\s+|\.\s*\Z|\\[,;:!> ]|\\q?quad\b|~|&|\\left\b|\\right\b|\\limits\b"),
        ("SUB", rf"_\{{[^{{}}]*\}}|_{_INDEX}|[{_BELOW}]+"),
        ("UPPER", rf"\^\{{\s*(?:\\?[^\W\d_]+\d*[\s,]*)+\}}|\^\\?{_LETTER}+\d*|[{_ABOVE}]+"),
        ("RAISED", rf"⁻?[{_RAISED[1:]}]+"),
        ("NUMBER", r"[½¼¾]|[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?"),
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
# What stands below and above a sum: its indices, and where they begin and end.
_OVER: Final = re.compile(
    rf"\s*(?P<below>_\{{[^{{}}]*\}}|_{_INDEX}|[{_BELOW}]+)"
    rf"(?:\s*(?P<above>\^\{{[^{{}}]*\}}|\^\w+|[{_ABOVE}{_RAISED}]+))?"
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
    ['NAME', 'SUB', 'NAME', 'SUB']
    """
    return list(_tokens(text, names, functions))


def _tokens(text: str, names: Collection[str], functions: Collection[str]) -> Iterator[Token]:
    place = 0
    while place < len(text):
        found = ((kind, m[0]) for kind, p in _PATTERNS if (m := p.match(text, place)))
        kind, written = next(found, None) or _word(text, place, names, functions)
        end = place + len(written)
        if kind == "SUM":
            over = _OVER.match(text, end)
            if over is None:
                reason = f"after {written!r} come the indices that it goes over, as in {written}_i"
                raise ParseError(reason, text, place, ("'_'",))
            below, first = over["below"].strip("_{}").partition("=")[::2]
            at = over.start("below") + over["below"].index(below)
            ends = f"={first}" if first else ""
            above = (over["above"] or "").strip("^{}").translate(_PLAIN)
            yield Token("SUM", f"{_plain(text, below, at)}{ends}^{above}", at)
            end = over.end()
        elif kind == "RAISED":
            digits = written.translate(_PLAIN)
            yield Token("POWER", written, place)
            if digits[0] == "-":
                yield Token("MINUS", "-", place)
            yield Token("NUMBER", digits.lstrip("-"), place)
        elif kind == "SUB" or (kind == "UPPER" and _indices(written)):
            start = place + len(written) - len(written.lstrip("_{^")) if kind == "SUB" else place
            yield Token(kind, _plain(text, written, start), start)
        elif kind == "FUNCTION":
            follows = text[end:].lstrip()[:1]
            name = written.removeprefix("\\")
            if (
                name in ("max", "min")
                and follows != "("
                and not re.match(rf"[_{_BELOW}]", follows or " ")
            ):
                reason = f"after {name!r} come the indices that it goes over, as in {name}_i"
                raise ParseError(reason, text, place, ("'_'",))
            if follows not in ("(", "{") and name not in ("max", "min"):
                at = end + len(text[end:]) - len(text[end:].lstrip())
                reason = f"the argument of {name} stands in brackets"
                raise ParseError(reason, text, at, ("'('",))
            yield Token("FUNCTION", name, place)
        elif kind:
            yield Token(kind, FRACTIONS.get(written, written), place)
        place = end


def _plain(text: str, written: str, place: int) -> str:
    """The indices of a text below or above, with commas where some have digits."""
    found = _indices(written)
    if not found:
        shown = written.strip("_^{}")
        raise ParseError(
            f"{shown!r} is no list of indices: they are small letters, or numbers from 1 up",
            text,
            place,
        )
    plain = written.translate(_PLAIN).strip("_^{}")
    if all(len(i) == 1 for i in found):
        return plain
    return ",".join(f"\\{i}" if len(i) > 1 and i.isalpha() else i for i in found)


def _indices(written: str) -> list[str]:
    """The indices of a token; none where it has something else.

    >>> _indices("_ij"), _indices("_{i, 12}"), _indices("ᵢⱼ")
    (['i', 'j'], ['i', '12'], ['i', 'j'])
    """
    plain = written.translate(_PLAIN).strip("_^{} ")
    parts = [p for p in re.split(r"[\s,]+", plain) if p]
    found = [m.removeprefix("\\") for p in parts for m in _SINGLE.findall(p)]
    return found if "".join(found) == "".join(parts).replace("\\", "") else []


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
    strange = start > place and name not in (*names, *functions, *_NAMED_SIGNS, *GREEK.values())
    if strange:
        reason = f"\\{name} has no meaning here"
        if name in ("top", "mathbf", "mathrm", "partial"):
            reason += "; index notation is plain text, eggrad.parse_latex reads LaTeX"
        raise ParseError(reason, text, place)
    if name not in names and name in _NAMED_SIGNS:
        return _NAMED_SIGNS[name], text[place : start + len(name)]
    applied = [word[:k] for k in ends if word[:k] in functions]
    if not known and applied:
        return "FUNCTION", text[place : start + len(applied[0])]
    return "NAME", text[place : start + len(name)]
