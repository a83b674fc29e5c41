"""Terms as programs that compute entry by entry, for languages that have no product of tensors."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import form, format_form, plus, size_symbols, size_text
from eggrad.engine.indices.constraints import Constraint, format_comparison
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import ascii_identifier, escaped
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.cofactors import without_higher_cofactors
from eggrad.engine.terms.functions import EXTREMES, FUNCTIONS, MATRIX_FUNCTIONS
from eggrad.engine.terms.term import Term, own_functions, postorder, variables
from eggrad.frontend.printing.python import format_fraction, place_of_size, renamings

SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")
# A part that occurs again has a name if it is longer; so has what is nested deeper.
WORTH_NAMING: Final = 12
DEEP: Final = 12

# The sign, how tightly it binds, and how tightly its second operand has to.
_SIGNS: Final = {
    "add": ("+", SUM, SUM),
    "subtract": ("-", SUM, PRODUCT),
    "divide": ("/", PRODUCT, SIGN),
}

At = Callable[[Sequence[str]], Text]
"""The text of an entry, given those of its indices."""

Range = tuple[str, Size]
"""An index, and how long its axis is."""


class Program:
    """The names and sizes of a program, which is a function of variables."""

    language = ""
    words: frozenset[str] = frozenset()
    """What no variable may be called."""
    comment = "#"

    def __init__(self, root: Term, scope: Sequence[Term] = ()) -> None:
        """Give every name of a user one that the language has."""
        for f in own_functions(root):
            raise UnsupportedOperation(
                f"{f.name} is a function of your own, which has no text in {self.language}"
            )
        self.root = without_higher_cofactors(root)
        self.variables = variables(self.root, *scope)
        self.taken = {*self.words}
        self.names = {v: self.unused(v.name) for v in self.variables}
        self.size_names = {d: self.unused(d) for d in symbols(self.root)}
        self.lines: list[str] = []
        self._used: dict[str, str] = {}
        self._numbers = count(1)

    def identifier(self, name: str) -> str:
        """A name of the language, that is not taken."""
        return ascii_identifier(name, self.taken)

    def unused(self, name: str) -> str:
        """The same, taken from now on."""
        own = self.identifier(name)
        self.taken.add(own)
        return own

    def part(self) -> str:
        """A name for a part."""
        return self.unused(f"t{next(self._numbers)}")

    def size(self, d: Size) -> str:
        """The text of a size."""
        for symbol in size_symbols(d):
            if symbol not in self._used:
                v, axis, more = place_of_size(symbol, self.variables)
                self._used[symbol] = self.length(self.names[v], axis) + more
        return size_text(d, self.size_names)

    def length(self, name: str, axis: int) -> str:
        """The length of an axis of a variable."""
        raise NotImplementedError

    def sizes(self) -> list[tuple[str, str]]:
        """The names of the sizes that are used, and where they are read off."""
        return [(self.size_names[d], text) for d, text in sorted(self._used.items())]

    def comments(self) -> list[str]:
        """What the axes are, and what is not called as its user calls it."""
        used = {d: name for d, name in self.size_names.items() if d in self._used}
        shown = ", ".join(f"{own} of axes {_axes(v.dims)}" for v, own in self.names.items())
        title = f"{self.comment} Axes {_axes(self.root.dims)}{', for ' * bool(shown)}{shown}."
        return [title, *renamings(self.comment, self.names, used)]


def _axes(dims: Dims) -> str:
    return escaped(f"({', '.join(map(str, dims))}{',' * (len(dims) == 1)})")


@dataclass(frozen=True)
class Entry:
    """The entries of a node, which is perhaps an array with a `name`.

    A `reduction` adds up, or takes the extreme of, the entries `within`, over further indices.
    """

    at: At
    depth: int = 0
    reduction: str = ""
    over: Dims = ()
    within: At | None = None
    name: str = ""


class EntryProgram(Program):
    """Writes an entry as a text of its indices; some parts are arrays, which have a name."""

    first = 0
    """The first index of an axis."""
    equality = "=="
    exponent = "**"

    def body(self) -> Entry:
        """Write what has a name; the entries of the whole."""
        users = Counter(a for node in postorder(self.root) for a in node.args)
        whole = {a for t in postorder(self.root) if t.op in _OF_MATRICES for a in t.args}
        along_axes = ("einsum", "norm", *EXTREMES)
        summed = {a for t in postorder(self.root) if t.op in along_axes for a in t.args}
        done: dict[Term, Entry] = {}
        for node in postorder(self.root):
            entry = self._entry(node, [done[a] for a in node.args])
            if node is self.root and node not in whole:
                return entry
            stored = not node.args or entry.name
            if (
                (node in whole and not entry.name)
                or entry.depth > DEEP
                or (entry.reduction and (node in summed or not self.inline))
                or (users[node] > 1 and not stored and self._is_long(node, entry))
            ):
                entry = self.named(node, entry)
            done[node] = entry
        return done[self.root]

    def _is_long(self, node: Term, entry: Entry) -> bool:
        return len(entry.at(["i"] * node.order)[0]) > WORTH_NAMING

    inline = True
    """Whether a sum can stand in an expression."""

    def named(self, node: Term, entry: Entry) -> Entry:
        """The entries of an array that has a name."""
        name = self.part()
        self.store(name, node.dims, entry)
        return self.stored(name)

    def stored(self, name: str) -> Entry:
        """The entries of an array."""
        return Entry(lambda at: (self.read(name, at), ATOM), name=name)

    def store(self, name: str, dims: Dims, entry: Entry) -> None:
        """Write the statement that makes an array."""
        raise NotImplementedError

    def read(self, name: str, at: Sequence[str]) -> str:
        """An entry of an array."""
        return f"{name}[{', '.join(at)}]" if at else name

    def total(self, kind: str, text: str, ranges: Sequence[Range]) -> Text:
        """The sum, the extreme or the norm of a text over all indices in some ranges."""
        raise NotImplementedError

    def truth(self, text: str) -> Text:
        """1 where a condition holds, and 0 elsewhere."""
        raise NotImplementedError

    def divisible(self, text: str, divisor: int | str) -> str:
        """The condition that a text is a multiple of a number."""
        return f"({text}) % {divisor} == 0"

    def function(self, name: str, args: Sequence[Text]) -> Text:
        """An element-wise function of numbers."""
        raise NotImplementedError

    def matrix_function(self, name: str, operand: str, node: Term) -> str:
        """A function of a matrix that has a name."""
        raise NotImplementedError

    def literal(self, node: Term) -> str:
        """An array of known numbers."""
        raise NotImplementedError

    def number(self, value: Fraction) -> Text:
        """A number."""
        return format_fraction(value)

    def index(self) -> str:
        """A name for an index: it is taken."""
        letters = (i for i in specs.LETTERS if i not in self.taken)
        return self.unused(next(letters, "i1"))

    def ranges(self, dims: Dims) -> list[Range]:
        """New indices for axes."""
        return [(self.index(), d) for d in dims]

    def _entry(self, node: Term, args: Sequence[Entry]) -> Entry:
        depth = 1 + max((a.depth for a in args), default=-1)
        match node.op:
            case "variable":
                return self.stored(self.names[node])
            case "constant":
                return Entry(lambda at: self.number(node.value))
            case "size":
                text = self.scalar_size(node.symbol)
                return Entry(lambda at: text)
            case "array":
                name = self.part()
                self.lines.append(self.assigned(name, self.literal(node)))
                return self.stored(name)
            case "delta":
                return Entry(self._delta)
            case "indicator":
                return Entry(lambda at: self._all(self._condition(c, at) for c in node.constraints))
            case "selection":
                return Entry(lambda at: self._all(self._chosen(node, args[0], at)), depth)
            case "einsum":
                return self._product(node, args, depth)
            case name if name in EXTREMES or name == "norm":
                (source, out) = node.spec
                kind = "hypot" if name == "norm" else name
                return self._reduction(kind, [(args[0], source)], out, node.args, depth)
            case "add" | "subtract" | "divide":
                return Entry(lambda at: self._infix(node, args, at), depth)
            case "negate":
                return Entry(lambda at: (f"-{bracketed(args[0].at(at), SIGN)}", SIGN), depth)
            case "power":
                return Entry(lambda at: self.power(args[0].at(at), args[1].at(())), depth)
            case name if name in _OF_MATRICES:
                return self._of_matrix(node, args[0])
            case name if name in FUNCTIONS:
                return Entry(lambda at: self.function(name, [a.at(at) for a in args]), depth)
            case name:
                raise UnsupportedOperation(f"{name} has no text in {self.language}")

    def ratio(self, text: str) -> Text:
        """An integer that is divided by another one."""
        return text, ATOM

    def scalar_size(self, size: Size) -> Text:
        """A size as a number to compute with."""
        return self.size(size), ATOM if isinstance(size, int) or size in self.size_names else SUM

    def assigned(self, name: str, text: str) -> str:
        """An assignment."""
        return f"{name} = {text}"

    def power(self, base: Text, exponent: Text) -> Text:
        """A power of a number; roots have a function."""
        if exponent[0] in ("1 / 2", "0.5", "Rational(1, 2)"):
            return f"sqrt({base[0]})", ATOM
        return f"{bracketed(base, ATOM)} {self.exponent} {bracketed(exponent, ATOM)}", POWER

    def _infix(self, node: Term, args: Sequence[Entry], at: Sequence[str]) -> Text:
        sign, level, second = _SIGNS[node.op]
        left, right = (e.at(at if a.order else ()) for e, a in zip(args, node.args, strict=True))
        if sign == "/" and left[0].isdigit() and right[0].isdigit():
            left = self.ratio(left[0])
        if sign == "+" and right[0].startswith("-"):
            second = POWER
        return f"{bracketed(left, level)} {sign} {bracketed(right, second)}", level

    def _delta(self, at: Sequence[str]) -> Text:
        pairs = zip(at[: len(at) // 2], at[len(at) // 2 :], strict=True)
        return self._all(f"{a} {self.equality} {b}" for a, b in pairs)

    def _all(self, conditions: Iterator[str]) -> Text:
        """1 where all conditions hold."""
        found = list(conditions)
        if not found:
            return self.number(Fraction(1))
        factors = [self.truth(c) for c in found]
        text = " * ".join(bracketed(f, SIGN) for f in factors)
        return text, PRODUCT if len(factors) > 1 else factors[0][1]

    def _chosen(self, node: Term, places: Entry, at: Sequence[str]) -> Iterator[str]:
        """The conditions that the last indices are the places that integers say."""
        rows, chosen = at[: len(at) - len(node.chosen)], at[len(at) - len(node.chosen) :]
        for k, (i, d) in enumerate(zip(chosen, node.chosen, strict=True)):
            along = [str(k + self.first)] if len(chosen) > 1 else []
            place = bracketed(places.at([*rows, *along]), SUM)
            shift = f" + {self.first}" if self.first else ""
            yield self.divisible(f"{place}{shift} - {i}", self.size(d))

    def _condition(self, constraint: Constraint, at: Sequence[str]) -> str:
        relation, f = constraint
        # Indices of terms begin at 0.
        shift = sum(c for key, c in f if isinstance(key, int)) * self.first
        own = plus(f, form([("", -shift)]))
        index, size = at.__getitem__, self.size
        if isinstance(relation, int):
            return self.divisible(format_form(own, index, size, " * "), relation)
        signs = {"=": f" {self.equality} ", ">=": " >= ", "*": " * "}
        return format_comparison((relation, own), index, size, signs)

    def _product(self, node: Term, args: Sequence[Entry], depth: int) -> Entry:
        *parts, out = node.spec
        return self._reduction("sum", list(zip(args, parts, strict=True)), out, node.args, depth)

    def _reduction(
        self,
        kind: str,
        operands: Sequence[tuple[Entry, specs.Indices]],
        out: specs.Indices,
        args: Sequence[Term],
        depth: int,
    ) -> Entry:
        """A product with a sum over what is not kept, an extreme or a norm."""
        lengths: dict[int, Size] = {}
        for (_, own), a in zip(operands, args, strict=True):
            lengths.update(zip(own, a.dims, strict=True))
        gone = [i for i in lengths if i not in out]

        def within(at: Sequence[str]) -> Text:
            names = dict(zip((*out, *gone), at, strict=True))
            factors = [e.at([names[i] for i in p]) for e, p in operands]
            factors = [f for f in factors if f[0] != "1"] or [("1", ATOM)]
            if len(factors) == 1:
                return factors[0]
            left, right = factors
            return f"{bracketed(left, PRODUCT)} * {bracketed(right, SIGN)}", PRODUCT

        if not gone:
            return Entry(within, depth)
        over = tuple(lengths[i] for i in gone)

        def at(indices: Sequence[str]) -> Text:
            ranges = self.ranges(over)
            text, _ = within([*indices, *(i for i, _ in ranges)])
            # Indices of one sum may be those of another one.
            self.taken.difference_update(i for i, _ in ranges)
            return self.total(kind, text, ranges)

        return Entry(at, depth, kind, over, within)

    def _of_matrix(self, node: Term, operand: Entry) -> Entry:
        """A function of a matrix: it has a name."""
        text = self.matrix_function(node.op, operand.name, node)
        made = self.part()
        self.lines.append(self.assigned(made, text))
        return self.stored(made)


_OF_MATRICES: Final = (*MATRIX_FUNCTIONS, "cofactors")


def spelled(language: str, name: str) -> str:
    """The text of an element-wise function, with places; by default the call by its name."""
    own = FUNCTIONS[name]
    places = ", ".join(["{}"] * own.arity)
    dot = "." * (language == "julia")
    return own.spelled.get(language, f"{name}{dot}({places})")


def of_matrix(language: str, name: str) -> str:
    """The text of a function of a matrix, with a place."""
    own = MATRIX_FUNCTIONS[name]
    return {"matlab": own.matlab, "julia": own.julia, "sympy": own.sympy}[language]
