"""Products without a sign: what stands side by side, and which letters are names by themselves.

`x'Ax` has one name, `Ax`, for the grammar. Which names there are decides what that means; so it
is found out once they are known, and the phrases that come out have signs alone.
"""

from collections.abc import Collection, Sequence
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.text.errors import TextUnknownVariable
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.words import offset_of

BESIDE: Final = "BESIDE"
# What an exponential and the number pi are called where no variable has these names.
NATURAL_POWER: Final = "natural power"
PI: Final = "pi"
_POSTFIX: Final = ("TRANSPOSE", "indexed", "POWER", "DOT_POWER")
_DIVIDING: Final = ("DIVIDE", "DOT_DIVIDE", "DOT_TIMES")
_SHOWN_DEPTH: Final = 3


def first_token(phrase: Phrase) -> Token:
    """The token with which a phrase begins, but for brackets."""
    while phrase.operands and phrase.what not in ("call", "negate"):
        phrase = phrase.operands[0]
    return phrase.token


def has_variable_e(roots: Sequence[Phrase]) -> bool:
    """Whether `e` stands elsewhere than below an exponent, where nobody says what names are.

    >>> from eggrad.frontend.matrix.syntax import read
    >>> has_variable_e([read("e^x")[0].body]), has_variable_e([read("e'*e + e^2")[0].body])
    (False, True)
    """
    stack = [*roots]
    while stack:
        phrase = stack.pop()
        if phrase.what == "use" and phrase.token == "e":
            return True
        base, *rest = phrase.operands or (None,)
        power = phrase.what in ("POWER", "DOT_POWER") and base and base.what == "use"
        stack.extend(rest if power or base is None else phrase.operands)
    return False


class Products:
    """Rewrites phrases so that every product has a sign."""

    def __init__(
        self, text: str, names: Collection[str] | None, functions: Collection[str]
    ) -> None:
        """`names` are those of variables and parts, None where nobody has said them."""
        self._text = text
        self._names = names or ()
        self._functions = functions

    def signed(self, root: Phrase) -> Phrase:
        """The same with signs; raises `ParseError` where that may be done in two ways."""
        done: list[Phrase] = []
        stack: list[tuple[Phrase, bool]] = [(root, False)]
        # Products that had no sign and are in no brackets: what follows is about their last factor.
        bare: dict[int, Phrase] = {}
        while stack:
            phrase, ready = stack.pop()
            if phrase.operands and not ready:
                stack.append((phrase, True))
                stack.extend((o, False) for o in reversed(phrase.operands))
                continue
            args = done[len(done) - len(phrase.operands) :]
            del done[len(done) - len(phrase.operands) :]
            found = self._signed(phrase, args, bare)
            if phrase.sealed:
                bare.pop(id(found), None)
            done.append(found)
        return done.pop()

    def _signed(self, phrase: Phrase, args: Sequence[Phrase], bare: dict[int, Phrase]) -> Phrase:
        first, last = (args[0], args[-1]) if args else (phrase, phrase)
        loose = [id(a) in bare for a in args]
        match phrase.what:
            case "use":
                return self._name(phrase, bare)
            case "call":
                return self._call(phrase, args, bare)
            case what if what in ("POWER", "DOT_POWER") and loose[1]:
                raise self._unclear(phrase.token, phrase.operands, "^", "*")
            case what if what in ("POWER", "DOT_POWER") and self._is_e(first):
                return Phrase(NATURAL_POWER, phrase.token, (args[1],))
            case what if what in _POSTFIX and loose[0]:
                left, right = first.operands
                inner = Phrase(what, phrase.token, (right, *args[1:]))
                return _marked(_times(first.token, left, inner), bare)
            case what if what in _DIVIDING and loose[1]:
                raise self._unclear(phrase.token, phrase.operands, phrase.token, "*")
            case what if what == BESIDE:
                return self._beside(phrase, args, bare)
            case "TIMES" if loose[1]:
                return _joined(phrase.token, first, last)
            case what:
                return Phrase(what, phrase.token, tuple(args), phrase.sizes, phrase.sealed)

    def _beside(self, phrase: Phrase, args: Sequence[Phrase], bare: dict[int, Phrase]) -> Phrase:
        left, right = phrase.operands
        if left.what in _DIVIDING and not left.sealed:
            inside = (*left.operands, right)
            raise self._unclear(phrase.token, inside, left.token, "*")
        self._check_function(left, phrase.token)
        first, second = args
        join = _joined if id(second) in bare else _times
        return join(phrase.token, first, second)

    def _check_function(self, left: Phrase, token: Token) -> None:
        """Raise where what stands on the left is the name of a function."""
        while left.what == BESIDE and not left.sealed:
            left = left.operands[1]
        name = str(left.token)
        if left.what == "use" and name in self._functions and name not in self._names:
            reason = f"the argument of {name} stands in brackets"
            raise ParseError(reason, self._text, offset_of(token), ("'('",))

    def _name(self, phrase: Phrase, bare: dict[int, Phrase]) -> Phrase:
        name = str(phrase.token)
        if name in self._names or name in self._functions:
            return phrase
        if name == "pi":
            return Phrase(PI, phrase.token)
        ways = _splits(name, self._names)
        if len(ways) > 1:
            readings = " or ".join("*".join(way) for way in ways)
            raise TextUnknownVariable(
                f"{name!r} is {readings}; write the signs", self._text, offset_of(phrase.token)
            )
        if not ways:
            return phrase
        start = offset_of(phrase.token)
        found: Phrase | None = None
        for part in ways[0]:
            token = Token("NAME", part, start, phrase.token.line, start + 1)
            use = Phrase("use", token)
            found = use if found is None else _times(token, found, use)
            start += len(part)
        assert found is not None
        return _marked(found, bare)

    def _call(self, phrase: Phrase, args: Sequence[Phrase], bare: dict[int, Phrase]) -> Phrase:
        """A call, or a variable in front of brackets."""
        name = str(phrase.token)
        if name in self._functions or len(args) != 1:
            return Phrase("call", phrase.token, tuple(args))
        front = self._name(Phrase("use", phrase.token), bare)
        if front.what == "use" and name not in self._names:
            return Phrase("call", phrase.token, tuple(args))
        (inner,) = args
        if inner.what == "number":
            reason = f"{name}({inner.token}) is a product, or an entry; write {name}*{inner.token}"
            raise ParseError(
                f"{reason} or {name}[{inner.token}]", self._text, offset_of(phrase.token)
            )
        return _marked(_times(phrase.token, front, inner), bare)

    def _is_e(self, base: Phrase) -> bool:
        return base.what == "use" and base.token == "e" and "e" not in self._names

    def _unclear(self, token: Token, parts: Sequence[Phrase], sign: str, other: str) -> ParseError:
        a, *rest = map(shown, parts)
        if len(rest) == 1:
            # A name of several letters is the second part.
            ways = _splits(rest[0], self._names) if rest[0].isidentifier() else []
            rest = ways[0] if ways else [rest[0], "…"]
        b, c = rest[0], other.join(rest[1:])
        reason = (
            f"{a}{sign}{b} {c} is ({a}{sign}{b}){other}{c} or {a}{sign}({b}{other}{c}); "
            "write brackets"
        )
        return ParseError(reason, self._text, offset_of(token))


def _marked(phrase: Phrase, bare: dict[int, Phrase]) -> Phrase:
    bare[id(phrase)] = phrase
    return phrase


def _times(token: Token, left: Phrase, right: Phrase) -> Phrase:
    return Phrase("TIMES", token, (left, right))


def _joined(token: Token, left: Phrase, right: Phrase) -> Phrase:
    """A product with all factors of another one, from the left."""
    factors: list[tuple[Token, Phrase]] = []
    while right.what == "TIMES":
        right, last = right.operands[0], right
        factors.append((last.token, last.operands[1]))
    found = _times(token, left, right)
    for sign, factor in reversed(factors):
        found = _times(sign, found, factor)
    return found


def _splits(name: str, names: Collection[str]) -> list[list[str]]:
    """At most two ways to write a name as several names of one letter, each with its digits."""
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


def shown(phrase: Phrase, depth: int = _SHOWN_DEPTH) -> str:
    """A short text for a phrase; what is long is left out."""
    inner = [shown(o, depth - 1) for o in phrase.operands] if depth else []
    match phrase.what:
        case "use" | "number" | "pi":
            return str(phrase.token)
        case "TRANSPOSE" if depth:
            return f"{inner[0]}'"
        case "indexed" if depth:
            return f"{inner[0]}{phrase.token}"
        case "call" if depth:
            return f"{phrase.token}({', '.join(inner)})"
        case "POWER" | "DOT_POWER" if depth:
            return f"{inner[0]}{phrase.token}{inner[1]}"
        case "TIMES" | "BESIDE" if depth and not phrase.sealed:
            return " ".join(inner)
        case _:
            return "(…)"
