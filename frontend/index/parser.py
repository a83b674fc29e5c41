"""Index notation in: from text to an expression.

An index is summed where a sum says so; where none is written, over the product in which it occurs
twice, as Einstein wrote. What stands on the left of an equals sign is free, and so is each index
of a summand without such a left side in which a sum is written.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, islice
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import AffineForm, form, plus, size_form, size_symbols, times
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS, Function
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import broadcast, expanded
from eggrad.frontend.expression.expression import (
    Expression,
    applied,
    as_expression,
    combine,
    expression,
    unified,
)
from eggrad.frontend.index.entries import Entries, entries, entrywise, product, shown_index, total
from eggrad.frontend.index.syntax import Line, read
from eggrad.frontend.index.tokens import heads, indices
from eggrad.frontend.matrix.declarations import Declared, completed_dims
from eggrad.frontend.matrix.functions import ENTRYWISE
from eggrad.frontend.matrix.parser import finished
from eggrad.frontend.text.errors import TextShapeError, TextUnknownVariable, suggestion
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.sizes import UNKNOWN, unknown
from eggrad.frontend.text.words import (
    MAXIMAL_DIGITS,
    MAXIMAL_ORDER,
    offset_of,
    read_number,
    unquoted,
)

Apply = tuple[Callable[..., Expression], int]
_PRODUCTS: Final = ("TIMES", "BESIDE")
_SUMS: Final = ("PLUS", "MINUS")
_COFACTORS: Final = re.compile(r"cof(\d{1,3})\Z")
_COMPARISON: Final = re.compile(r"(.+?)(=|≥|>=|≤|<=|<|>|\|)(.+)", re.DOTALL)
_COEFFICIENT: Final = re.compile(r"(\d)\s*(?=[^\W\d])")


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a text in index notation says, with nothing to differentiate by.

    See `eggrad.parse_index`; `declared` are further functions.
    """
    functions = _known_functions(declared)
    matrix = [*MATRIX_FUNCTIONS, *STACK_FUNCTIONS, "logdet", *re.findall(r"cof\d+", text)]
    defined = [unquoted(h) for h in heads(text)]
    lines = read(text, [*(dims or ()), *defined], [*functions, *matrix])
    known = completed_dims(_inferred(text, lines) if dims is None else dims, assume, MAXIMAL_ORDER)
    reader = _Reader(text, known, assume, functions)
    for line in lines[:-1]:
        reader.define(line)
    return finished(reader.result(lines[-1]), list(reader.variables.values()))


def _known_functions(declared: Sequence[Function]) -> dict[str, Apply]:
    """The functions of entries, each with the number of its arguments."""
    known: dict[str, Apply] = {f: (partial(applied, f), FUNCTIONS[f].arity) for f in ELEMENTWISE}
    known |= {name: (f, 1) for name, f in ENTRYWISE.items()}
    known |= {short: known[long] for short, long in (("max", "maximum"), ("min", "minimum"))}
    for f in declared:
        if f.name in known:
            raise UnsupportedOperation(f"{f.name!r} is a function of index notation already")
        known[f.name] = (partial(applied, f), f.arity)
    return known


def _inferred(text: str, lines: Sequence[Line]) -> dict[str, int]:
    """How many axes each name has: as many as it has indices, or those of a matrix."""
    defined = {unquoted(line.head.token) for line in lines if line.head}
    found: dict[str, int] = {}
    # Phrases, each with the number of indices that stand behind it.
    stack = [(line.body, 0) for line in reversed(lines)]
    while stack:
        phrase, behind = stack.pop()
        below = len(phrase.sizes or ()) + behind
        inside = below if phrase.what == "upper" and phrase.operands[0].what == "use" else 0
        if phrase.what == "stated" and _takes_matrix(phrase.operands[0]):
            (phrase,) = phrase.operands
            inside = 2
        elif phrase.what == "call" and _takes_matrix(phrase):
            inside = 2
        stack.extend((p, inside) for p in reversed(phrase.operands))
        name = unquoted(phrase.token)
        if phrase.what != "use" or name in defined:
            continue
        if found.setdefault(name, below) != below:
            raise ParseError(
                f"{name} has {found[name]} indices at one place and {below} here",
                text,
                offset_of(phrase.token),
            )
    return found


def _takes_matrix(phrase: Phrase) -> bool:
    """Whether a phrase is a function of a whole matrix: `inv(A)`, or `A⁻¹` without indices."""
    if phrase.what == "power" and not phrase.sealed:
        base, exponent = phrase.operands
        bare = base.what == "use" and not base.sizes and exponent.what == "number"
        return bare and exponent.token == "-1"
    name = str(phrase.token).removeprefix("\\")
    known = (*MATRIX_FUNCTIONS, *STACK_FUNCTIONS, "logdet")
    return phrase.what == "call" and bool(name in known or _COFACTORS.match(name))


@dataclass(frozen=True)
class _Scope:
    """What indices are called where a phrase stands, and which of them are not to be summed."""

    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    declared: frozenset[str] = frozenset()
    # Whether the phrase is one of the summands of a line without a left side.
    top: bool = False
    # Whether each index that nobody declares is free.
    explicit: bool = False
    # Whether the line has a left side, which has all free indices.
    headed: bool = False

    def is_free(self, label: str) -> bool:
        return self.explicit or label in self.declared


@dataclass(frozen=True, eq=False)
class _Part:
    """A value, and the places of those of its indices that may still be summed."""

    value: Entries
    places: Mapping[str, tuple[Token, ...]] = field(default_factory=dict[str, tuple[Token, ...]])
    # The indices that were summed inside without a sign.
    gone: frozenset[str] = frozenset()
    has_indices: bool = False


class _Reader:
    """Looks names up and computes with entries, each at its place in the text."""

    def __init__(
        self,
        text: str,
        dims: Mapping[str, Dims],
        assume: Mapping[str, Iterable[str]],
        functions: Mapping[str, Apply],
    ) -> None:
        self._text = text
        self._functions = functions
        self._dims = dims
        defined = {unquoted(h) for h in heads(text)}
        self.variables = {
            name: language.variable(name, d, assume.get(name, ()))
            for name, d in dims.items()
            if name not in defined
        }
        self._names = dict(self.variables)
        known = [d for d in (d for shape in dims.values() for d in shape) if not unknown(d)]
        self._sizes = {s for d in known for s in size_symbols(d)}
        self._fresh = count(1)
        # The places of what has a size that nobody has said, by that size.
        self._unknown: dict[str, Token] = {}

    # Lines ---------------------------------------------------------------------------------

    def define(self, line: Line) -> None:
        """Give a name to a part."""
        if line.head is None:
            raise self._error("a name stands before the first part, as in t_i = …", line.body)
        name = unquoted(line.head.token)
        if name in self._names:
            raise self._error(f"the name {name!r} is taken already", line.head)
        self._names[name] = self._line(line)

    def result(self, line: Line) -> Expression:
        """The expression of the whole text."""
        found = self._line(line)
        for size in symbols(found.term):
            if size in self._unknown:
                token = self._unknown[size]
                raise TextShapeError(
                    f"nothing says how long the axis of {token} is; dims of the name on the left "
                    "of an equals sign do",
                    self._text,
                    offset_of(token),
                )
        return found

    def _line(self, line: Line) -> Expression:
        if line.head is None:
            part = self._value(line.body, _Scope(top=True))
            found = part.value
            return found.ordered(sorted(found.indices, key=_in_order))
        below = [str(i) for i in line.head.sizes or ()]
        if len(set(below)) < len(below):
            raise self._error("the indices on the left are different ones", line.head)
        part = self._value(line.body, _Scope(declared=frozenset(below), headed=True))
        for i in part.value.indices:
            if i not in below:
                token = part.places[i][0]
                raise ParseError(
                    f"the index {i} stands once, and not on the left",
                    self._text,
                    offset_of(token),
                    ("a sum", "another factor with that index"),
                )
        return self._spread(line.head, below, part.value)

    def _spread(self, head: Phrase, below: Sequence[str], found: Entries) -> Expression:
        """The value with an axis for each index on the left, of the sizes that are declared."""
        name = unquoted(head.token)
        dims = self._dims.get(name)
        if dims is not None and len(dims) != len(below):
            raise self._error(self._wrong_number(name, len(dims), len(below)), head, shape=True)
        sizes = found.sizes()
        place = {str(t): t for t in head.sizes or ()}
        for k, i in enumerate(below):
            if i not in sizes:
                sizes[i] = dims[k] if dims else self._unknown_size(place[i])
        present = [i for i in below if i in found.indices]
        value = found.ordered(present)
        if len(present) < len(below):
            missing = [k for k, i in enumerate(below) if i not in found.indices]
            value = expanded(value, missing) if present else value
            value = broadcast(value, [sizes[i] for i in below])
        if dims is None:
            return value
        for i, d, p in zip(below, value.shape, dims, strict=True):
            if d != p and not (unknown(d) or unknown(p)):
                reason = f"the index {i} has {p} values on the left and {d} on the right"
                raise self._error(reason, head, shape=True)
        pairs = [(d, p) if unknown(p) else (p, d) for d, p in zip(value.shape, dims, strict=True)]
        return unified([value], pairs, "indices")[0]

    # Phrases -------------------------------------------------------------------------------

    def _value(self, root: Phrase, scope: _Scope) -> _Part:
        """The value of a phrase, operands first; texts may be deeper than Python's stack."""
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
            try:
                done.append(self._applied(phrase, local, operands, args))
            except ShapeError as error:
                if isinstance(error, ParseError):
                    raise
                place = offset_of(phrase.token)
                raise TextShapeError(str(error), self._text, place) from error
            except UnsupportedOperation as error:
                raise ParseError(str(error), self._text, offset_of(phrase.token)) from error
        return self._closed(done.pop())

    def _operands(self, phrase: Phrase, scope: _Scope) -> list[tuple[Phrase, _Scope]]:
        """What has a value before a phrase has one, and what indices mean there."""
        inner = replace(scope, top=False)
        if scope.top and phrase.what not in (*_SUMS, "negate"):
            inner = replace(inner, explicit=_has_sums(phrase))
        match phrase.what:
            case "negate" | "PLUS" | "MINUS":
                return [(p, scope) for p in phrase.operands]
            case what if what in _PRODUCTS:
                return [(p, inner) for p in _factors(phrase)]
            case "sum" | "extreme":
                labels, declared = dict(scope.labels), set(scope.declared)
                for i in _over_indices(phrase):
                    if str(i) in labels or str(i) in scope.declared:
                        reason = f"the index {i} is taken already outside of this {phrase.token}"
                        raise ParseError(reason, self._text, offset_of(i))
                    labels[str(i)] = f"{i}#{next(self._fresh)}"
                    declared.add(labels[str(i)])
                inside = replace(inner, labels=labels, declared=frozenset(declared))
                (body,) = phrase.operands
                # A sum of a product is one contraction.
                whole = phrase.what == "sum" and body.what in _PRODUCTS
                return [(p, inside) for p in (_factors(body) if whole else (body,))]
            case "stated" if not self._of_matrix(phrase):
                free = {scope.labels.get(str(i), str(i)) for i in phrase.sizes or ()}
                return [(phrase.operands[0], replace(inner, declared=scope.declared | free))]
            case "upper" if self._is_exponent(phrase):
                return [(phrase.operands[0], inner)]
            case "stated" | "upper":
                return []
            case "call" if self._of_matrix(phrase):
                return []
            case _:
                return [(p, inner) for p in phrase.operands]

    def _applied(
        self,
        phrase: Phrase,
        scope: _Scope,
        operands: Sequence[tuple[Phrase, _Scope]],
        args: Sequence[_Part],
    ) -> _Part:
        match phrase.what:
            case "number":
                return _Part(Entries(as_expression(self._number(phrase.token))))
            case "use":
                return self._use(phrase.token, phrase.sizes or (), scope)
            case "upper" if args:
                return self._raised(phrase, scope, operands[0][1], args[0])
            case "upper":
                if not indices(phrase.token):
                    raise UnsupportedOperation(
                        f"{phrase.token} is no index and no scalar; a transpose has its indices in "
                        "the other order"
                    )
                base, above = phrase.operands[0], tuple(phrase.sizes or ())
                if base.what == "delta":
                    return self._delta(base.token, (*(base.sizes or ()), *above), scope)
                # What follows an upper index was written after it.
                return self._use(base.token, (*(base.sizes or ()), *above), scope)
            case "delta":
                return self._delta(phrase.token, phrase.sizes or (), scope)
            case "condition":
                return self._condition(phrase.token, scope)
            case "negate":
                part = self._closed(args[0])
                return replace(part, value=Entries(-part.value.expression, part.value.indices))
            case "sum" | "extreme":
                return self._over(phrase, operands[0][1], args)
            case "stated" if args:
                return self._stated(phrase, scope, self._closed(args[0]))
            case "stated":
                return self._use(phrase.token, phrase.sizes or (), scope, self._matrix(phrase))
            case "call" if self._of_matrix(phrase):
                return self._use(phrase.token, (), scope, self._matrix(phrase))
            case what if what in _PRODUCTS:
                return self._product(args)
            case what if what in _SUMS:
                return self._sum(phrase, scope, [self._closed(a) for a in args])
            case "DIVIDE":
                return self._quotient(phrase, [self._closed(a) for a in args])
            case "power":
                base, exponent = (self._closed(a) for a in args)
                return self._power(phrase, scope, base, exponent)
            case _:
                return self._call(phrase, [self._closed(a) for a in args])

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
        rest = {i: places for i, places in part.places.items() if i not in summed}
        return replace(
            part, value=total(part.value, summed), places=rest, gone=part.gone | {*summed}
        )

    def _product(self, args: Sequence[_Part], over: Collection[str] = ()) -> _Part:
        """The product, summed over some indices and over those that stand twice."""
        places: dict[str, list[Token]] = {}
        for part in args:
            for i, tokens in part.places.items():
                places.setdefault(i, []).extend(tokens)
        gone = [i for part in args for i in part.gone]
        for i, tokens in places.items():
            if i in gone:
                raise ParseError(
                    f"the index {i} stands here, and is summed within brackets of this product",
                    self._text,
                    offset_of(tokens[0]),
                    ("another index",),
                )
        summed = {i for i, tokens in places.items() if len(tokens) == 2}
        if any(len(tokens) > 2 for tokens in places.values()):
            summed = set[str]()
        value = product([part.value for part in args], summed.union(over))
        rest = {i: tuple(tokens) for i, tokens in places.items() if i not in summed}
        found = _joined(value, args, rest)
        return self._closed(replace(found, gone=found.gone | summed))

    def _sum(self, phrase: Phrase, scope: _Scope, args: Sequence[_Part]) -> _Part:
        left, right = args
        self._check_alike(phrase, scope, left, right)
        build = arithmetic.add if phrase.what == "PLUS" else arithmetic.subtract
        return _joined(entrywise([left.value, right.value], build), args, _places(args))

    def _check_alike(self, phrase: Phrase, scope: _Scope, left: _Part, right: _Part) -> None:
        """Raise where summands have other free indices, though nobody has said which are free."""
        if scope.headed or not (left.has_indices and right.has_indices):
            return
        one, other = ({*p.value.indices} - scope.declared for p in (left, right))
        if one != other:
            shown = [", ".join(sorted(map(shown_index, s))) or "none" for s in (one, other)]
            raise ParseError(
                f"the summands have other free indices: {shown[0]} on the left, {shown[1]} on "
                "the right",
                self._text,
                offset_of(phrase.token),
                ("the same free indices",),
            )

    def _quotient(self, phrase: Phrase, args: Sequence[_Part]) -> _Part:
        for i in args[0].places:
            if i in args[1].places:
                raise ParseError(
                    f"the index {i} above and below a fraction is summed, or is free",
                    self._text,
                    offset_of(args[1].places[i][0]),
                    (f"sum_{i}", f"an equals sign with {i} on its left"),
                )
        value = entrywise([a.value for a in args], arithmetic.divide)
        return _joined(value, args, _places(args))

    def _power(self, phrase: Phrase, scope: _Scope, base: _Part, exponent: _Part) -> _Part:
        for i, places in base.places.items():
            if not scope.headed and not scope.explicit:
                raise ParseError(
                    f"a power of what has the index {i} is a product in which {i} is summed, or "
                    "the power of each entry",
                    self._text,
                    offset_of(places[0]),
                    (f"sum_{i}", f"an equals sign with {i} on its left"),
                )
        value = entrywise([base.value, exponent.value], arithmetic.power)
        return _joined(value, [base, exponent], _places([base, exponent]))

    def _raised(self, phrase: Phrase, scope: _Scope, inner: _Scope, base: _Part) -> _Part:
        """A power whose exponent is a name above."""
        name = phrase.token.strip("^{}\\ ")
        exponent = self._use(Token.new_borrow_pos("NAME", name, phrase.token), (), inner)
        return self._power(phrase, scope, self._closed(base), exponent)

    def _is_exponent(self, phrase: Phrase) -> bool:
        """Whether what stands above is the name of a scalar, or of a size."""
        name = phrase.token.strip("^{}\\ ")
        scalar = name in self._names and not self._names[name].ndim
        return scalar or name in self._sizes or phrase.operands[0].what not in ("use", "delta")

    def _call(self, phrase: Phrase, args: Sequence[_Part]) -> _Part:
        name = str(phrase.token).removeprefix("\\")
        if name not in self._functions:
            raise UnsupportedOperation(f"the argument of {name} is the name of a matrix")
        build, arity = self._functions[name]
        if len(args) != arity:
            plural = "s" * (arity > 1)
            raise UnsupportedOperation(f"{name} takes {arity} argument{plural}, not {len(args)}")
        # The index of several arguments goes over their entries together.
        places: dict[str, tuple[Token, ...]] = {}
        for part in args:
            places |= {i: tokens for i, tokens in part.places.items() if i not in places}
        return _joined(entrywise([a.value for a in args], build), args, places)

    def _over(self, phrase: Phrase, inner: _Scope, args: Sequence[_Part]) -> _Part:
        """The sum or the extreme of a part, or the sum of the product of several."""
        over = _over_indices(phrase)
        labels = [inner.labels[str(i)] for i in over]
        sizes = {i: d for part in args for i, d in part.value.sizes().items()}
        for i, label in zip(over, labels, strict=True):
            if label not in sizes:
                raise ParseError(
                    f"the index {i} of this {phrase.token} does not stand behind it",
                    self._text,
                    offset_of(i),
                )
        if len(args) > 1:
            self._check_ends(phrase, [sizes[label] for label in labels])
            return self._product(args, labels)
        part = self._closed(args[0])
        if phrase.what == "sum":
            self._check_ends(phrase, [sizes[label] for label in labels])
            value = total(part.value, labels)
        else:
            axes = tuple(part.value.indices.index(i) for i in labels)
            reduce = language.max if "max" in phrase.token else language.min
            rest = tuple(i for i in part.value.indices if i not in labels)
            value = Entries(reduce(part.value.expression, axes), rest)
        return replace(part, value=value)

    def _check_ends(self, phrase: Phrase, sizes: Sequence[Size]) -> None:
        """Raise where a sum ends before or behind its axis."""
        for end in phrase.sizes or ():
            for size in sizes:
                if end.type == "END" and str(size) != end and not unknown(size):
                    raise TextShapeError(
                        f"the sum goes to {end}, its index has {size} values",
                        self._text,
                        offset_of(end),
                    )

    def _stated(self, phrase: Phrase, scope: _Scope, part: _Part) -> _Part:
        """Brackets with their free indices behind them."""
        stated = {scope.labels.get(str(i), str(i)): i for i in phrase.sizes or ()}
        inside = {*part.value.indices} - scope.declared
        for label, token in stated.items():
            if label not in part.value.indices:
                reason = f"the brackets have no free index {token}"
                raise ParseError(reason, self._text, offset_of(token))
        missing = sorted(map(shown_index, inside - {*stated}))
        if missing and not scope.explicit:
            raise ParseError(
                f"the brackets have another free index: {', '.join(missing)}",
                self._text,
                offset_of(phrase.token),
            )
        free = {i: (t,) for i, t in stated.items() if not scope.is_free(i)}
        return replace(part, places={**part.places, **free})

    # Leaves --------------------------------------------------------------------------------

    def _use(
        self,
        token: Token,
        below: Sequence[Token],
        scope: _Scope,
        whole: Expression | None = None,
    ) -> _Part:
        """The entries of a variable or a part, or of a given tensor."""
        name = unquoted(token).removeprefix("\\")
        if whole is None:
            whole = self._look_up(name, token, below)
        if whole.ndim != len(below):
            place = below[whole.ndim] if len(below) > whole.ndim else token
            reason = self._wrong_number(name, whole.ndim, len(below))
            raise TextShapeError(reason, self._text, offset_of(place))
        return self._at(whole, below, scope)

    def _at(self, whole: Expression, below: Sequence[Token], scope: _Scope) -> _Part:
        for i in below:
            if i.isdecimal():
                raise ParseError(
                    f"the index {i} is a number",
                    self._text,
                    offset_of(i),
                    ("a letter", "a condition, which counts from 0, as in [i=0] x_i"),
                )
        labels = [scope.labels.get(str(i), str(i)) for i in below]
        places: dict[str, tuple[Token, ...]] = {}
        for label, token in zip(labels, below, strict=True):
            if not scope.is_free(label):
                places[label] = (*places.get(label, ()), token)
        return _Part(entries(whole, labels), places, has_indices=bool(below))

    def _look_up(self, name: str, token: Token, below: Sequence[Token]) -> Expression:
        if name in self._names:
            return self._names[name]
        if name in self._sizes and not below:
            return expression(terms.size(name))
        if token.startswith("\\"):
            reason = f"{token} has no meaning here"
            if name in ("frac", "sqrt", "top", "mathbf", "mathrm", "partial"):
                reason += "; index notation is plain text, eggrad.parse_latex reads LaTeX"
            raise ParseError(reason, self._text, offset_of(token))
        near = suggestion(name, self._names)
        known = tuple(islice(self._names, 10))
        raise TextUnknownVariable(
            f"no variable is called {name!r}{near}", self._text, offset_of(token), known
        )

    @staticmethod
    def _wrong_number(name: str, right: int, found: int) -> str:
        axes, below = "axis" if right == 1 else "axes", "index" if found == 1 else "indices"
        return f"{name} has {right} {axes}, but {found} {below}"

    def _delta(self, token: Token, below: Sequence[Token], scope: _Scope) -> _Part:
        if not below or len(below) % 2:
            reason = f"{token} has two indices, not {len(below)}"
            raise ParseError(reason, self._text, offset_of(token))
        half = len(below) // 2
        sizes = [self._unknown_size(token) for _ in range(half)]
        return self._at(language.delta(sizes), below, scope)

    def _condition(self, token: Token, scope: _Scope) -> _Part:
        """What is 1 where a condition on indices holds, and 0 elsewhere."""
        found = _COMPARISON.fullmatch(token[1:-1])
        if found is None:
            raise UnsupportedOperation(f"{token} is no condition, such as [i+1=j] or [2|i]")
        left, sign, right = found.groups()
        texts = (_COEFFICIENT.sub(r"\1*", part.strip()) for part in (left, right))
        one, other = (dict(self._numeric(size_form(t))) for t in texts)
        names = [str(key) for key in {**one, **other} if key]
        below = [
            Token("INDEX", n, offset_of(token) + max(0, token.find(n)), token.line)
            for n in names
            if n not in self._sizes
        ]
        if not below:
            raise UnsupportedOperation(f"{token} speaks of no index")
        axis = {str(n): k for k, n in enumerate(below)}
        first, second = (
            form((axis.get(str(key), key) if key else "", c) for key, c in f.items())
            for f in (one, other)
        )
        relation: str | int = {"=": "="}.get(sign, ">=")
        if sign == "|":
            divisor = dict(first)
            if set(divisor) != {""} or divisor[""] < 1:
                raise UnsupportedOperation(f"{token}: a number stands before the bar, as in [2|i]")
            relation, difference = divisor[""], second
        else:
            above = first if sign in ("=", "≥", ">=", ">") else second
            under = second if above is first else first
            difference = plus(above, times(-1, under))
            if sign in ("<", ">"):
                difference = plus(difference, form([("", -1)]))
        sizes = [self._unknown_size(t) for t in below]
        whole = expression(terms.indicator(sizes, [(relation, difference)]))
        return self._at(whole, below, scope)

    @staticmethod
    def _numeric(f: AffineForm) -> AffineForm:
        """A form in which a text of digits is a number."""
        return form(
            ("", c * int(key)) if isinstance(key, str) and key.isdecimal() else (key, c)
            for key, c in f
        )

    def _of_matrix(self, phrase: Phrase) -> bool:
        """Whether a phrase is a function of a whole matrix, or its inverse."""
        inner = phrase.operands[0] if phrase.what == "stated" else phrase
        if inner.what == "power" and phrase.what != "stated":
            return False
        return _takes_matrix(inner) and str(inner.token) not in self._functions

    def _matrix(self, phrase: Phrase) -> Expression:
        """The value of a function of a whole matrix."""
        inner = phrase.operands[0] if phrase.what == "stated" else phrase
        name = "inv" if inner.what == "power" else str(inner.token).removeprefix("\\")
        argument = inner.operands[0] if inner.operands else None
        bare = argument is not None and argument.what == "use" and not argument.sizes
        if argument is None or not bare or (inner.what == "call" and len(inner.operands) > 1):
            raise UnsupportedOperation(
                f"the argument of {name} is the name of a matrix without indices, as in {name}(A)"
            )
        a = self._look_up(unquoted(argument.token), argument.token, ())
        if a.ndim != 2:
            raise ShapeError(f"{name} of {a.ndim} axes: the argument has to be a square matrix")
        if name in STACK_FUNCTIONS and not STACK_FUNCTIONS[name].square:
            return language.of_each(name, a)
        rows, columns = a.shape
        if rows != columns and not (unknown(rows) or unknown(columns)):
            raise ShapeError(
                f"{name} of {rows} x {columns}: the argument has to be a square matrix"
            )
        pair = (columns, rows) if unknown(rows) else (rows, columns)
        (square,) = unified([a], [pair], name)
        cofactors = _COFACTORS.match(name)
        if cofactors:
            k = int(cofactors[1])
            return combine(name, [square], [], lambda t: terms.cofactors(k, t))
        if name == "logdet":
            return language.log(language.det(square))
        if name in STACK_FUNCTIONS:
            return language.of_each(name, square)
        return combine(name, [square], [], lambda t: terms.apply(name, t))

    def _number(self, token: Token) -> object:
        value = read_number(token)
        if value is None:
            raise UnsupportedOperation(
                f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
            )
        return value

    def _unknown_size(self, token: Token) -> str:
        size = f"{UNKNOWN}{next(self._fresh)}"
        self._unknown[size] = token
        return size

    def _error(self, reason: str, phrase: Phrase, shape: bool = False) -> ParseError:
        kind = TextShapeError if shape else ParseError
        return kind(reason, self._text, offset_of(phrase.token))


def _over_indices(phrase: Phrase) -> list[Token]:
    """The indices that a sum or an extreme goes over."""
    return [i for i in phrase.sizes or () if i.type != "END"]


def _factors(root: Phrase) -> list[Phrase]:
    """The factors of a product that are in no brackets."""
    found: list[Phrase] = []
    phrase = root
    while phrase.what in _PRODUCTS and (phrase is root or not phrase.sealed):
        phrase, last = phrase.operands
        found.append(last)
    return [phrase, *reversed(found)]


def _has_sums(root: Phrase) -> bool:
    """Whether a sum is written somewhere in a phrase."""
    stack = [root]
    while stack:
        phrase = stack.pop()
        if phrase.what == "sum":
            return True
        stack.extend(phrase.operands)
    return False


def _places(args: Sequence[_Part]) -> dict[str, tuple[Token, ...]]:
    """The places of the indices of summands, or of a quotient: each index counts once."""
    return {i: tokens[:1] for part in reversed(args) for i, tokens in part.places.items()}


def _joined(
    value: Entries, args: Sequence[_Part], places: Mapping[str, tuple[Token, ...]]
) -> _Part:
    gone = frozenset[str]().union(*(a.gone for a in args))
    return _Part(value, places, gone, any(a.has_indices for a in args))


def _in_order(index: str) -> tuple[str, int]:
    """Letters as in an alphabet, those with numbers behind them by the number."""
    stem = index.rstrip("0123456789")
    return stem, int(index[len(stem) :] or -1)
