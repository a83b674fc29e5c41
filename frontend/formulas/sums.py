"""Sums that are understood: from phrases of index notation to such with every sum written.

An index is summed where a sum says so; where none is written, over the product in which it occurs
twice, as Einstein wrote. What stands on the left of an equals sign is free, and so is each index
of a summand without such a left side in which a sum is written.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.frontend.formulas.syntax import Line, call, factors_of, first_token, sign_of_transpose
from eggrad.frontend.text.errors import TextShapeError
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.words import offset_of, unquoted

COFACTORS: Final = re.compile(r"cof(\d{1,3})\Z")
OF_MATRICES: Final = (*MATRIX_FUNCTIONS, *STACK_FUNCTIONS, "logdet")
_SUMS: Final = ("PLUS", "MINUS")
_INDEXED: Final = ("use", "below", "delta")
_Places = Mapping[str, tuple[Token, ...]]


def takes_matrix(phrase: Phrase) -> bool:
    """Whether a phrase is a function of a whole matrix: `inv(A)`, or `A⁻¹` with indices behind."""
    if phrase.what == "below":
        (inner,) = phrase.operands
        if inner.what == "POWER":
            base, exponent = inner.operands
            return base.what == "use" and exponent.token == "-1"
        return takes_matrix(inner)
    name = str(phrase.token)
    return phrase.what == "call" and bool(name in OF_MATRICES or COFACTORS.match(name))


def are_sums_understood(lines: Sequence[Line]) -> bool:
    """Whether lines have indices that no sum and no left side has: `A_ij x_j`."""
    declared = {str(i) for line in lines for i in line.below or ()}
    letters: list[str] = []
    stack = [line.body for line in lines]
    while stack:
        phrase = stack.pop()
        if phrase.what in ("sum", "extreme", "TRANSPOSE", "norm") or sign_of_transpose(phrase):
            # What is transposed is a vector: its index says which one.
            return False
        if phrase.what in ("below", "upper", "delta"):
            letters += [str(i) for i in phrase.sizes or () if not i.isdecimal()]
        stack.extend(phrase.operands)
    return any(letters.count(i) > 1 for i in letters if i not in declared)


@dataclass(frozen=True)
class _Scope:
    """Which indices are not to be summed where a phrase stands."""

    declared: frozenset[str] = frozenset()
    # Whether the phrase is one of the summands of a line without a left side.
    top: bool = False
    # Whether each index that nobody declares is free.
    explicit: bool = False
    # Whether the line has a left side, which has all free indices.
    headed: bool = False

    def is_free(self, index: str) -> bool:
        return self.explicit or index in self.declared


@dataclass(frozen=True)
class _Part:
    """A phrase, its indices, and the places of those that may still be summed."""

    phrase: Phrase
    indices: frozenset[str] = frozenset()
    places: _Places = field(default_factory=dict[str, tuple[Token, ...]])
    # The indices that were summed inside without a sign.
    gone: frozenset[str] = frozenset()
    has_indices: bool = False


class Sums:
    """Writes the sums of lines; it knows how many axes names have."""

    def __init__(self, text: str, orders: Mapping[str, int], sizes: Collection[object]) -> None:
        """`sizes` are names of sizes, which may be exponents and stand for numbers."""
        self._text = text
        self._orders = dict(orders)
        self._sizes = sizes

    def line(self, line: Line) -> Line:
        """The same with the indices of the result on its left, and with all sums written."""
        if line.head is None or line.name is None:
            part = self._part(line.body, _Scope(top=True))
            free = sorted(part.indices, key=_in_order)
            token = Token("NAME", "", first_token(line.body).start_pos)
            found = [part.places.get(i, (Token("INDEX", i, token.start_pos),))[0] for i in free]
            return Line(Phrase("below", token, (Phrase("use", token),), tuple(found)), part.phrase)
        name = Token.new_borrow_pos("NAME", unquoted(line.name), line.name)
        below = line.below or ()
        declared = frozenset(map(str, below))
        if len(declared) < len(below):
            raise ParseError(
                "the indices on the left are different ones", self._text, offset_of(name)
            )
        part = self._part(line.body, _Scope(declared=declared, headed=True))
        for i in sorted(part.indices - declared):
            raise ParseError(
                f"the index {i} stands once, and not on the left",
                self._text,
                offset_of(part.places[i][0]),
                ("a sum", "another factor with that index"),
            )
        self._orders[str(name)] = len(below)
        return Line(Phrase("below", name, (Phrase("use", name),), below), part.phrase)

    def _part(self, root: Phrase, scope: _Scope) -> _Part:
        """What a phrase becomes, operands first; texts may be deeper than Python's stack."""
        done: list[_Part] = []
        stack: list[tuple[Phrase, _Scope, list[tuple[Phrase, _Scope]] | None]] = [
            (root, scope, None)
        ]
        while stack:
            phrase, local, operands = stack.pop()
            if operands is None:
                operands = self._operands(phrase, local)
                stack.append((phrase, local, operands))
                stack.extend((p, s, None) for p, s in reversed(operands))
                continue
            args = done[len(done) - len(operands) :]
            del done[len(done) - len(operands) :]
            done.append(self._joined(phrase, local, args))
        return self._closed(done.pop())

    def _operands(self, phrase: Phrase, scope: _Scope) -> list[tuple[Phrase, _Scope]]:
        """The phrases within, and which indices are free there."""
        inner = replace(scope, top=False)
        if scope.top and phrase.what not in (*_SUMS, "negate"):
            inner = replace(inner, explicit=_has_sums(phrase))
        match phrase.what:
            case "negate" | "PLUS" | "MINUS":
                return [(p, scope) for p in phrase.operands]
            case "TIMES":
                return [(p, inner) for p in factors_of(phrase)]
            case "sum" | "extreme":
                over = {str(i) for i in phrase.sizes or () if i.type == "INDEX"}
                inside = replace(inner, declared=scope.declared | over)
                return [(phrase.operands[0], inside)]
            case "group":
                return [(phrase.operands[0], scope)]
            case "below" if self._is_stated(phrase):
                free = frozenset(map(str, phrase.sizes or ()))
                return [(phrase.operands[0], replace(inner, declared=scope.declared | free))]
            case "upper" if self._is_exponent(phrase):
                return [(phrase.operands[0], inner)]
            case "below" | "upper":
                return []
            case "call" if takes_matrix(phrase):
                return []
            case _:
                return [(p, inner) for p in phrase.operands]

    def _joined(self, phrase: Phrase, scope: _Scope, args: Sequence[_Part]) -> _Part:
        match phrase.what:
            case "use" | "delta":
                return self._leaf(phrase, phrase.sizes or (), scope)
            case "upper" if args:
                name = phrase.token.strip("^{}\\ ")
                exponent = Phrase("use", Token.new_borrow_pos("NAME", name, phrase.token))
                return self._power(phrase, scope, [self._closed(args[0]), _Part(exponent)])
            case "upper":
                if phrase.token.startswith("^"):
                    raise self._error(
                        f"{phrase.token} is no index and no scalar; a transpose has its indices in "
                        "the other order",
                        phrase,
                    )
                (base,) = phrase.operands
                before = base.sizes or ()
                base = base.operands[0] if base.what == "below" else base
                return self._leaf(base, (*before, *(phrase.sizes or ())), scope)
            case "indicator":
                return self._condition(phrase, scope)
            case "sum" | "extreme":
                return self._over(phrase, self._closed(args[0]))
            case "below" if args:
                return self._stated(phrase, scope, self._closed(args[0]))
            case "below":
                (base,) = phrase.operands
                base = self._matrix(phrase) if takes_matrix(phrase) else base
                return self._leaf(base, phrase.sizes or (), scope)
            case "call" if takes_matrix(phrase):
                return _Part(self._matrix(phrase))
            case "TIMES":
                return self._product(phrase, args)
            case "POWER":
                return self._power(phrase, scope, [self._closed(a) for a in args])
            case _:
                closed = [self._closed(a) for a in args]
                if phrase.what in _SUMS:
                    self._check_alike(phrase, scope, *closed)
                if phrase.what == "DIVIDE":
                    self._check_quotient(*closed)
                return _made(phrase, closed)

    def _closed(self, part: _Part) -> _Part:
        """With the sums that are understood: over each index that stands twice."""
        summed = [i for i, places in part.places.items() if len(places) == 2]
        for i, places in part.places.items():
            if len(places) > 2:
                raise ParseError(
                    f"the index {i} stands {len(places)} times in a product",
                    self._text,
                    offset_of(places[2]),
                    (f"sum_{i}", f"an equals sign with {i} on its left"),
                )
        if not summed:
            return part
        over = tuple(part.places[i][0] for i in summed)
        return replace(
            part,
            phrase=Phrase("sum", part.phrase.token, (part.phrase,), over),
            indices=part.indices - {*summed},
            places={i: places for i, places in part.places.items() if i not in summed},
            gone=part.gone | {*summed},
        )

    def _product(self, phrase: Phrase, args: Sequence[_Part]) -> _Part:
        places: dict[str, tuple[Token, ...]] = {}
        for part in args:
            for i, tokens in part.places.items():
                places[i] = (*places.get(i, ()), *tokens)
        gone = {i for part in args for i in part.gone}
        for i, tokens in places.items():
            if i in gone:
                raise ParseError(
                    f"the index {i} stands here, and is summed within brackets of this product",
                    self._text,
                    offset_of(tokens[0]),
                    ("another index",),
                )
        found = args[0].phrase
        for part in args[1:]:
            found = Phrase("TIMES", phrase.token, (found, part.phrase))
        return self._closed(replace(_made(phrase, args), phrase=found, places=places))

    def _check_alike(self, phrase: Phrase, scope: _Scope, left: _Part, right: _Part) -> None:
        """Raise where summands have other free indices, though nobody has said which are free."""
        if scope.headed or not (left.has_indices and right.has_indices):
            return
        one, other = (p.indices - scope.declared for p in (left, right))
        if one != other:
            shown = [", ".join(sorted(s)) or "none" for s in (one, other)]
            raise ParseError(
                f"the summands have other free indices: {shown[0]} on the left, {shown[1]} on "
                "the right",
                self._text,
                offset_of(phrase.token),
                ("the same free indices",),
            )

    def _check_quotient(self, above: _Part, under: _Part) -> None:
        for i in above.places:
            if i in under.places:
                raise ParseError(
                    f"the index {i} above and below a fraction is summed, or is free",
                    self._text,
                    offset_of(under.places[i][0]),
                    (f"sum_{i}", f"an equals sign with {i} on its left"),
                )

    def _power(self, phrase: Phrase, scope: _Scope, args: Sequence[_Part]) -> _Part:
        base, exponent = args
        for i, places in base.places.items():
            if not scope.headed and not scope.explicit:
                raise ParseError(
                    f"a power of what has the index {i} is a product in which {i} is summed, or "
                    "the power of each entry",
                    self._text,
                    offset_of(places[0]),
                    (f"sum_{i}", f"an equals sign with {i} on its left"),
                )
        power = Phrase("POWER", phrase.token, (base.phrase, exponent.phrase))
        return replace(_made(phrase, args), phrase=power)

    def _is_exponent(self, phrase: Phrase) -> bool:
        """Whether what stands above is the name of a scalar, or of a size."""
        name = phrase.token.strip("^{}\\ ")
        scalar = self._orders.get(name) == 0
        return scalar or name in self._sizes or phrase.operands[0].what not in _INDEXED

    def _over(self, phrase: Phrase, part: _Part) -> _Part:
        over = {str(i) for i in phrase.sizes or () if i.type == "INDEX"}
        found = Phrase(phrase.what, phrase.token, (part.phrase,), phrase.sizes)
        return replace(part, phrase=found, indices=part.indices - over)

    def _stated(self, phrase: Phrase, scope: _Scope, part: _Part) -> _Part:
        """Brackets with their free indices behind them."""
        stated = {str(i): i for i in phrase.sizes or ()}
        for label, token in stated.items():
            if label not in part.indices:
                reason = f"the brackets have no free index {token}"
                raise ParseError(reason, self._text, offset_of(token))
        missing = sorted(part.indices - scope.declared - {*stated})
        if missing and not scope.explicit:
            raise self._error(f"the brackets have another free index: {', '.join(missing)}", phrase)
        free = {i: (t,) for i, t in stated.items() if not scope.is_free(i)}
        return replace(part, places={**part.places, **free})

    # Leaves --------------------------------------------------------------------------------

    def _leaf(self, base: Phrase, below: Sequence[Token], scope: _Scope) -> _Part:
        """The entries of a name, of a delta or of a function of a matrix."""
        if base.what == "use":
            name = unquoted(base.token).removeprefix("\\")
            base = Phrase("use", Token.new_borrow_pos("NAME", name, base.token))
            order = self._orders.get(name, len(below))
            if order != len(below):
                axes, count = "axis" if order == 1 else "axes", len(below)
                indices = "index" if count == 1 else "indices"
                raise TextShapeError(
                    f"{name} has {order} {axes}, but {count} {indices}",
                    self._text,
                    offset_of(below[order] if count > order else base.token),
                )
        what = "delta" if base.what == "delta" else "below"
        operands = () if base.what == "delta" else (base,)
        phrase = Phrase(what, base.token, operands, tuple(below)) if below else base
        return self._indexed(phrase, below, scope)

    def _indexed(self, phrase: Phrase, below: Sequence[Token], scope: _Scope) -> _Part:
        places: dict[str, tuple[Token, ...]] = {}
        for i in below:
            if i.isdecimal():
                raise ParseError(
                    f"the index {i} is a number",
                    self._text,
                    offset_of(i),
                    ("a letter", "a condition, which counts from 0, as in [i=0] x_i"),
                )
            if not scope.is_free(str(i)):
                places[str(i)] = (*places.get(str(i), ()), i)
        return _Part(phrase, frozenset(map(str, below)), places, has_indices=bool(below))

    def _condition(self, phrase: Phrase, scope: _Scope) -> _Part:
        names = [n for n in re.findall(r"[^\W\d]\w*", phrase.token) if n not in self._sizes]
        at = offset_of(phrase.token)
        below = [Token("INDEX", n, at + phrase.token.find(n)) for n in dict.fromkeys(names)]
        return self._indexed(phrase, below, scope)

    @staticmethod
    def _is_stated(phrase: Phrase) -> bool:
        """Whether indices behind brackets say which ones are free in them."""
        return phrase.operands[0].what not in ("use", "upper") and not takes_matrix(phrase)

    def _matrix(self, phrase: Phrase) -> Phrase:
        """The call of a function of a whole matrix."""
        inner = phrase.operands[0] if phrase.what == "below" else phrase
        name = "inv" if inner.what == "POWER" else str(inner.token)
        argument = inner.operands[0] if inner.operands else None
        bare = argument is not None and argument.what == "use"
        if argument is None or not bare or (inner.what == "call" and len(inner.operands) > 1):
            raise self._error(
                f"the argument of {name} is the name of a matrix without indices, as in {name}(A)",
                inner,
            )
        matrix = Token.new_borrow_pos("NAME", unquoted(argument.token), argument.token)
        return call(name, phrase.token, Phrase("use", matrix))

    def _error(self, reason: str, phrase: Phrase) -> ParseError:
        return ParseError(reason, self._text, offset_of(phrase.token))


def _made(phrase: Phrase, args: Sequence[_Part]) -> _Part:
    """The same phrase of other operands; each index of a sum counts once."""
    operands = tuple(a.phrase for a in args)
    return _Part(
        Phrase(phrase.what, phrase.token, operands, phrase.sizes, phrase.sealed),
        frozenset[str]().union(*(a.indices for a in args)),
        {i: tokens[:1] for part in reversed(args) for i, tokens in part.places.items()},
        frozenset[str]().union(*(a.gone for a in args)),
        any(a.has_indices for a in args),
    )


def _has_sums(root: Phrase) -> bool:
    """Whether a sum is written somewhere in a phrase."""
    stack = [root]
    while stack:
        phrase = stack.pop()
        if phrase.what == "sum":
            return True
        stack.extend(phrase.operands)
    return False


def _in_order(index: str) -> tuple[str, int]:
    """Letters as in an alphabet, those with numbers behind them by the number."""
    stem = index.rstrip("0123456789")
    return stem, int(index[len(stem) :] or -1)
