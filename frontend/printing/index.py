"""Terms in index notation, with Kronecker deltas.

The axes of the result are named on the left. All other indices are those of a sum, a maximum or a
minimum, with its sign before it. A sum is that of the whole product which follows its sign.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, count
from typing import Final

from eggrad.engine.indices.affine import indices, is_simple
from eggrad.engine.indices.constraints import Constraints, format_comparison
from eggrad.engine.indices.precedence import levels
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.text.words import format_number, shown_name

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


_SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = levels("index")
# A part that occurs again is named if it has this number of pieces.
WORTH_NAMING: Final = 5
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


Tokens = tuple[Indexed, ...]


@dataclass(frozen=True)
class _Part:
    """What stands for a node, whose axes are the indices 0, 1, ...

    A product has several `factors`; what else has one. It is the sum over the indices `summed`.
    The sign is apart.
    """

    factors: tuple[Tokens, ...]
    level: int = _ATOM
    negative: bool = False
    summed: tuple[int, ...] = ()

    def renamed(self, names: Mapping[int, int]) -> "_Part":
        """The same with other indices."""
        factors = (
            tuple(replace(t, indices=tuple(names[i] for i in t.indices)) for t in tokens)
            for tokens in self.factors
        )
        summed = tuple(names[i] for i in self.summed)
        return replace(self, factors=tuple(factors), summed=summed)

    @property
    def tokens(self) -> Tokens:
        """All pieces, without the sign; numbers stand before a sum."""
        parts = list(self.factors)
        if self.summed:
            numbers = sum(map(_is_number, parts))
            parts.insert(numbers, (Indexed("Σ", self.summed),))
        found: list[Indexed] = []
        for tokens in parts:
            found += [Indexed(" ")] * bool(found) + list(tokens)
        return tuple(found)

    @property
    def binds(self) -> int:
        """How tightly it binds: a sum of products less than these."""
        return min(self.level, _QUOTIENT) if self.summed else self.level

    def signed(self) -> Tokens:
        """All pieces."""
        if not self.negative:
            return self.tokens
        return (Indexed("-"), *self.bracketed(_QUOTIENT))

    def bracketed(self, least: int) -> Tokens:
        """The pieces without the sign, in brackets if they bind less tightly."""
        if self.binds >= least:
            return self.tokens
        return (Indexed("("), *self.tokens, Indexed(")"))

    def alone(self, least: int) -> Tokens:
        """The pieces with their sign, in brackets if they bind less tightly."""
        if self.negative:
            return (Indexed("("), *self.signed(), Indexed(")"))
        return self.bracketed(least)


def format_index(root: Term, style: Style = unicode_style) -> str:
    """A term of any order in index notation.

    Parts that occur more than once, and those whose matrix functions are taken, have names.

    >>> from eggrad.engine.terms.term import delta, einsum, variable
    >>> V = variable("V", ("m", "k"))
    >>> gram = einsum("ij,ik->jk", V, V)
    >>> format_index(einsum("ij,kl->ikjl", delta(("n",)), gram))
    'fᵢⱼₖₗ = Σₘ δᵢₖ Vₘⱼ Vₘₗ'
    """
    return _Writer(root, style).text()


class _Writer:
    def __init__(self, root: Term, style: Style) -> None:
        self._root = root
        self._style = style
        taken = {*(v.name for v in variables(root)), *symbols(root)}
        self._names = (name for k in count(1) if (name := f"t{k}") not in taken)
        wanted = chain(("f", "g", "h"), (f"f{k}" for k in count(1)))
        self._result = next(name for name in wanted if name not in taken)
        self._fresh = count(max(t.order for t in postorder(root)))
        self._lines: list[str] = []

    def text(self) -> str:
        """The definitions of parts, and the whole."""
        users = Counter(a for node in postorder(self._root) for a in _shown(node))
        whole = {t.args[0] for t in postorder(self._root) if t.op in _OF_MATRICES}
        parts: dict[Term, _Part] = {}
        for node in postorder(self._root):
            part = self._part(node, [parts[a] for a in node.args])
            often = users[node] > 1 and len(part.tokens) >= WORTH_NAMING
            if often or (node in whole and node.op != "variable"):
                name = next(self._names)
                self._define(name, node.order, part)
                part = _single(Indexed(name, tuple(range(node.order))))
            parts[node] = part
        self._define(self._result, self._root.order, parts[self._root])
        return "; ".join(self._lines)

    def _define(self, name: str, order: int, part: _Part) -> None:
        """Write a line; the axes have the first letters, all other indices the next ones."""
        axes = range(order)
        used = dict.fromkeys([*axes, *(i for t in part.tokens for i in t.indices)])
        letters = {i: _letter(k) for k, i in enumerate(used)}
        tokens = (Indexed(name, tuple(axes)), Indexed(" = "), *part.signed())
        self._lines.append("".join(self._style(t, [letters[i] for i in t.indices]) for t in tokens))

    def _part(self, node: Term, args: Sequence[_Part]) -> _Part:
        axes = tuple(range(node.order))
        match node.op:
            case "variable":
                return _single(Indexed("{0}", axes, (node.name,)))
            case "constant":
                return _number(node.value)
            case "size":
                return _single(_size(node.symbol))
            case "delta":
                half = node.order // 2
                deltas = (Indexed("δ", (k, k + half)) for k in range(half))
                return _Part(tuple((d,) for d in deltas), _PRODUCT)
            case "indicator":
                return _conditions(node.constraints)
            case "selection":
                return self._selection(node, args)
            case "argsort":
                # The index that runs along what is sorted stands below the name.
                names = [*axes[: node.number], next(self._fresh), *axes[node.number + 1 :]]
                inner = self._used(args[0], names)
                gone = (names[node.number], node.number)
                sign = Indexed("argsort", gone)
                return _single(sign, Indexed("("), *inner.signed(), Indexed(")"))
            case "einsum":
                return self._product(node, args)
            case name if name in EXTREMES:
                source, out = node.spec
                names = {i: out.index(i) if i in out else next(self._fresh) for i in source}
                inner = self._used(args[0], [names[i] for i in source])
                gone = tuple(names[i] for i in source if i not in out)
                sign = (Indexed(name, gone), Indexed(" "))
                return _Part(((*sign, *inner.bracketed(_POWER)),), _SUM)
            case "add" if node.args[0] is node.args[1]:
                twice = (*_number(Fraction(2)).factors, *_factors(args[0]))
                summed = args[0].summed if args[0].level >= _PRODUCT else ()
                return _Part(twice, _PRODUCT, args[0].negative, summed)
            case "add" | "subtract":
                left, right = (self._used(a, axes) for a in args)
                minus = right.negative != (node.op == "subtract")
                sign = Indexed(" - " if minus else " + ")
                pieces = (*left.signed(), sign, *right.bracketed(_QUOTIENT if minus else _SUM))
                return _Part((pieces,), _SUM)
            case "negate":
                return replace(args[0], negative=not args[0].negative)
            case "divide":
                left, right = (self._used(a, axes) for a in args)
                pieces = (*left.bracketed(_PRODUCT), Indexed(" / "), *right.bracketed(_POWER))
                return _Part((pieces,), _QUOTIENT, left.negative != right.negative)
            case "power":
                return _power(args[0], args[1])
            case name if name in _OF_MATRICES:
                ((token,),) = args[0].factors
                text = _OF_MATRICES[name].format(token.text, k=node.data)
                return _single(Indexed(text, axes, token.names))
            case name:
                others = (self._used(a, axes).signed() for a in args[1:])
                rest = (t for tokens in others for t in (Indexed(", "), *tokens))
                return _single(Indexed(f"{name}("), *args[0].signed(), *rest, Indexed(")"))

    def _selection(self, node: Term, places: Sequence[_Part]) -> _Part:
        """Conditions on what is chosen: `[j = yᵢ][k = zᵢ]`, or `[(j,k)ₗ = pᵢₗ]` for every l."""
        rows = node.order - len(node.chosen)
        chosen = tuple(range(rows, node.order))
        if len(places) == len(chosen):
            used = (self._used(place, range(rows)).signed() for place in places)
            pairs = zip(chosen, used, strict=True)
            parts = ((Indexed("[{0} = ", (k,)), *tokens, Indexed("]")) for k, tokens in pairs)
            return _Part(tuple(parts), _PRODUCT)
        last = next(self._fresh)
        place = self._used(places[0], [*range(rows), last])
        letters = ",".join(f"{{{k}}}" for k in range(len(chosen)))
        text = f"[({letters})_{{{len(chosen)}}} = "
        return _single(Indexed(text, (*chosen, last)), *place.signed(), Indexed("]"))

    def _used(self, part: _Part, axes: Sequence[int]) -> _Part:
        """A part with other axes, and new indices of its sums."""
        names = dict(enumerate(axes))
        for t in part.tokens:
            for i in t.indices:
                if i not in names:
                    names[i] = next(self._fresh)
        return part.renamed(names)

    def _product(self, node: Term, args: Sequence[_Part]) -> _Part:
        spec = node.spec
        names = {i: k for k, i in enumerate(spec[-1])}
        lengths: dict[int, Size] = {}
        for part, a in zip(spec, node.args, strict=False):
            for i, d in zip(part, a.dims, strict=True):
                if i not in names:
                    names[i] = next(self._fresh)
                lengths[names[i]] = d
        pairs = zip(args, spec, strict=False)
        used = [self._used(a, [names[i] for i in part]) for a, part in pairs]
        negative = sum(u.negative for u in used) % 2 == 1
        # Numbers come first.
        factors = sorted((f for u in used for f in _factors(u)), key=lambda f: not _is_number(f))
        factors = [f for f in factors if f != (Indexed("1"),)]
        mentioned = list(dict.fromkeys(i for f in factors for t in f for i in t.indices))
        over = [i for i in lengths if i >= node.order]
        factors = [*((_size(lengths[i]),) for i in over if i not in mentioned), *factors]
        gone = {*over, *(i for u in used if u.level >= _PRODUCT for i in u.summed)}
        summed = tuple(i for i in mentioned if i in gone)
        whole = _Part(tuple(factors) or ((Indexed("1"),),), _PRODUCT, negative, summed)
        return (
            replace(whole, level=_ATOM)
            if len(whole.factors) == len(whole.factors[0]) == 1
            else whole
        )


_OF_MATRICES: Final = {f: f"{f}({{}})" for f in (*MATRIX_FUNCTIONS, *STACK_FUNCTIONS)} | {
    "inv": "{}⁻¹",
    "cofactors": "cof{k}({})",
}


def _shown(node: Term) -> tuple[Term, ...]:
    """The operands as often as they are written: twice something is a multiple."""
    return node.args[: 1 if node.op == "add" and node.args[0] is node.args[1] else None]


def _single(*tokens: Indexed) -> _Part:
    return _Part((tokens,))


def _conditions(constraints: Constraints) -> _Part:
    """A factor for each constraint."""
    factors: list[Tokens] = []
    for constraint in constraints:
        axes = indices(constraint[1])
        names = tuple(str(key) for key, _ in constraint[1] if isinstance(key, str) and key)
        places = {key: f"{{{k}}}" for k, key in enumerate((*axes, *names))}
        text = format_comparison(constraint, places.__getitem__, places.__getitem__)
        factors.append((Indexed(f"[{text}]", axes, names),))
    return _Part(tuple(factors) or ((Indexed("1"),),), _PRODUCT)


def _size(size: Size) -> Indexed:
    """A size, by its name; one made of others is a text of plain words."""
    if isinstance(size, str) and is_simple(size):
        return Indexed("{0}", (), (size,))
    return Indexed(str(size))


def _factors(part: _Part) -> tuple[Tokens, ...]:
    """The factors of a part in a product, without its sign."""
    return part.factors if part.level >= _PRODUCT else (part.bracketed(_PRODUCT),)


def _is_number(factor: Tokens) -> bool:
    return len(factor) == 1 and factor[0].text[0].isdigit()


def _number(value: Fraction) -> _Part:
    text = format_number(abs(value)).replace("//", "/")
    return _Part(((Indexed(text),),), _QUOTIENT if "/" in text else _ATOM, value < 0)


def _power(base: _Part, exponent: _Part) -> _Part:
    base_tokens, raised = base.alone(_ATOM), exponent.signed()
    text = "".join(t.text for t in raised)
    if text.lstrip("-").isdigit():
        pieces = (*base_tokens, Indexed(text.translate(_SUPERSCRIPTS)))
    elif "/" not in text and (len(raised) == 1 or text.lstrip("-").replace(".", "").isdigit()):
        pieces = (*base_tokens, Indexed("^", raising=1), *raised, Indexed("", raising=-1))
    else:
        pieces = (*base_tokens, Indexed("^(", raising=1), *raised, Indexed(")", raising=-1))
    return _Part((pieces,), _POWER)


def _letter(k: int) -> str:
    return LETTERS[k] if k < len(LETTERS) else f"i{k - len(LETTERS) + 1}"
