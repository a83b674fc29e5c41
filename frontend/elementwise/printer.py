"""Element-wise definitions out: of terms, and as text in Urban and van der Smagt's notation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.integer_conditions import (
    Condition,
    divisible,
    nonnegative,
    ranges,
    simplified,
    within,
    zero,
)
from eggrad.engine.indices.precedence import levels
from eggrad.engine.indices.rational_affine import Affine, Rational
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import OwnFunction, function_of
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.elementwise.syntax import (
    ZERO,
    Binary,
    Call,
    Choice,
    IndexValue,
    Negative,
    Node,
    Number,
    Read,
    Sum,
    choice,
    fresh_name,
    index_value,
    is_name,
    number,
    size_form,
)
from eggrad.frontend.text.words import format_number, shown_name

# How tightly a text binds: what stands as an operand must bind at least as its place asks.
_ANY, _SUM, _TERM, _PRODUCT, _SIGNED, _POWER, _ATOM = levels("elementwise")
_PLACES: Final = {
    "+": (_SUM, _SUM, _TERM),
    "-": (_SUM, _SUM, _TERM),
    "*": (_PRODUCT, _PRODUCT, _SIGNED),
    "/": (_PRODUCT, _PRODUCT, _SIGNED),
    "**": (_POWER, _ATOM, _SIGNED),
}


def format_definition(name: str, indices: Sequence[str], body: Node) -> str:
    """The whole definition.

    >>> format_definition("f", ["i", "j"], Read("x", (Affine.of("i") + Affine.of("j"),)))
    'f[i; j] = x[i + j]'
    """
    return f"{name}[{'; '.join(indices)}] = {format_value(body)}"


def format_form(form: Affine, name: Callable[[str], str] = str, times: str = "*") -> str:
    """An affine form; `name` writes a name, `times` stands after a coefficient.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> [format_form(f) for f in (k / 2, 3 - i, (k - 2 * i + 1) / 3)]
    ['k/2', '3 - i', '(k - 2*i + 1)/3']
    """
    divisor = form.denominator
    whole = form.integral()
    terms: list[tuple[str, Rational]] = list(whole.items())
    if whole.constant or not terms:
        terms.append(("", whole.constant))
    # A form begins without a sign where it can: 3 - i, but i - k + 3.
    first = next((at for at, t in enumerate(terms) if t[1] > 0), 0)
    terms.insert(0, terms.pop(first))
    text = ""
    for symbol, c in terms:
        factors = [str(abs(c))] if abs(c) != 1 or not symbol else []
        shown = times.join([*factors, name(symbol)] if symbol else factors)
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + shown
    if divisor == 1:
        return text
    return f"({text})/{divisor}" if len(terms) > 1 else f"{text}/{divisor}"


def format_condition(condition: Condition) -> str:
    """A condition.

    >>> from eggrad.engine.indices.integer_conditions import divisible
    >>> format_condition(divisible(Affine.of("i"), 2))
    '2 | i'
    """
    form = format_form(condition.form)
    if condition.relation == "|":
        return f"{condition.modulus} | {form}"
    return f"{form} {condition.relation} 0"


def format_value(node: Node) -> str:
    """The text of a value.

    >>> from fractions import Fraction
    >>> two = Number(Fraction(2))
    >>> format_value(Binary("**", Binary("+", Call("exp", (two,)), Negative(two)), two))
    '(exp (2) + -2) ** 2'
    """
    return _text(node, _ANY)


def _text(node: Node, place: int) -> str:
    text, level = _written(node)
    return text if level >= place else f"({text})"


def _written(node: Node) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Number(value):
            return format_number(value), _ATOM if value >= 0 else _SIGNED
        case IndexValue(form):
            return _index_value(form)
        case Read(name, indices):
            return f"{name}[{'; '.join(map(format_form, indices))}]", _ATOM
        case Call(function, arguments):
            return f"{function} ({'; '.join(_text(a, _ANY) for a in arguments)})", _ATOM
        case Negative(operand):
            # What follows a minus directly would be read as a negative number.
            return f"-{_text(operand, _ATOM if _begins_with_number(operand) else _PRODUCT)}", _TERM
        case Binary(operator, left, right):
            level, first, second = _PLACES[operator]
            return f"{_text(left, first)} {operator} {_text(right, second)}", level
        case Sum(index, span, body):
            low, high = _bound("max", span.lower), _bound("min", span.upper)
            return f"sum{{{index}}}_{low}^{high} ({_text(body, _ANY)})", _ATOM
        case Choice(conditions, then, otherwise):
            joined = " and ".join(map(format_condition, conditions))
            one, other = _text(then, _ANY), _text(otherwise, _ANY)
            return f"if {{{joined}}} then ({one}) else ({other})", _ANY


def _begins_with_number(node: Node) -> bool:
    while isinstance(node, Binary) and node.operator in ("*", "/"):
        node = node.left
    return isinstance(node, Number)


def _bound(extreme: str, forms: Sequence[Affine]) -> str:
    if len(forms) > 1:
        return f"({extreme} [{'; '.join(map(format_form, forms))}])"
    (form,) = forms
    text = format_form(form)
    return text if text.isalnum() or form.bare() else f"({text})"


def _index_value(form: Affine) -> tuple[str, int]:
    """An index, or a form of indices, as the arithmetic that it is."""
    text = format_form(form)
    if form.bare() or text.isdigit():
        return text, _ATOM
    several = len(form.names) + bool(form.constant) > 1 and form.denominator == 1
    return text, _SUM if several else _TERM if text.startswith("-") else _PRODUCT


# Terms as definitions: what an entry is, index by index ------------------------------------


OPERATORS: Final = {"add": "+", "subtract": "-", "divide": "/", "power": "**"}
LETTERS: Final = "ijklpqrstuvw"
ONE: Final = Number(Fraction(1))
# Factors that say where others count.
GATES: Final = ("delta", "indicator")
# Parts that a tensor uses twice are written twice; beyond this number nobody would read it.
MOST: Final = 2_000
# Nested operations that people can read, and Python's calls as well.
DEEPEST: Final = 200


@dataclass(frozen=True)
class Written:
    """The indices of a tensor with their sizes, the shapes of its arguments, and an entry."""

    lengths: Mapping[str, Affine]
    arguments: Mapping[str, tuple[Affine, ...]]
    body: Node


def written(term: Term) -> Written:
    """What an entry of a tensor is.

    Raises `UnsupportedOperation` for inverses and determinants, which no entry says, and for
    what would be very long.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> a, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> format_value(written(einsum("ij,j->i", a, x)).body)
    'sum{j}_0^(n - 1) (A[i; j] * x[j])'
    """
    _check_length(term)
    sizes = symbols(term)
    for name in sorted({*(v.name for v in variables(term)), *sizes}):
        if not is_name(name):
            raise UnsupportedOperation(f"{shown_name(name)} is no name in element-wise notation")
    arguments = {v.name: tuple(map(size_form, v.dims)) for v in variables(term)}
    writer = _Writer({*arguments, *sizes})
    names = [writer.fresh() for _ in term.dims]
    lengths = dict(zip(names, map(size_form, term.dims), strict=True))
    known = [f for name in names for f in within(Affine.of(name), lengths[name])]
    return Written(lengths, arguments, writer.entry(term, [*map(Affine.of, names)], known))


def format_elementwise(term: Term) -> str:
    """The definition of a tensor called `f`, with the sizes of its indices.

    >>> from eggrad.engine.terms.term import delta
    >>> format_elementwise(delta(("n",)))
    'f[i<n; j<n] = if {i - j = 0} then (1) else (0)'
    """
    found = written(term)
    head = [f"{name}<{format_form(size)}" for name, size in found.lengths.items()]
    return format_definition(fresh_name("f", {*found.arguments}), head, found.body)


def _check_length(term: Term) -> None:
    length: dict[Term, int] = {}
    depth: dict[Term, int] = {}
    for t in postorder(term):
        length[t] = 1 + sum(length[a] for a in t.args)
        depth[t] = 1 + max((depth[a] for a in t.args), default=0)
    if depth[term] > DEEPEST:
        raise UnsupportedOperation(
            f"written entry by entry this is nested {depth[term]:,} deep, of at most {DEEPEST}"
        )
    if length[term] > MOST:
        raise UnsupportedOperation(
            f"written entry by entry this has {length[term]:,} parts, of at most {MOST:,}"
        )


@dataclass
class _Writer:
    """Names that are taken, by sums in other places as well."""

    taken: set[str]

    def fresh(self) -> str:
        """The first letter that is free, or the first with a number."""
        free = (letter for letter in LETTERS if letter not in self.taken)
        name = next(free, None) or fresh_name(LETTERS[0], self.taken)
        self.taken.add(name)
        return name

    def entry(self, t: Term, at: Sequence[Affine], known: Sequence[Affine]) -> Node:
        """The entry of a term at some indices; `known` forms are not negative there."""
        match t.op:
            case "variable":
                return Read(t.name, tuple(at))
            case "constant":
                return number(t.value)
            case "size":
                return index_value(size_form(t.symbol))
            case op if op in GATES:
                return _chosen(_conditions(t, at), ONE, known)
            case "einsum":
                return self.product(t, at, known)
            case "negate":
                return Negative(self.entry(t.args[0], at, known))
            case op if op in OPERATORS:
                # A scalar is the same for every entry.
                left, right = (self.entry(a, at if a.order else (), known) for a in t.args)
                return Binary(OPERATORS[op], left, right)
            case op if function_of(op, t.data):
                declared = t.data if isinstance(t.data, OwnFunction) else None
                return Call(op, tuple(self.entry(a, at, known) for a in t.args), declared)
            case op:
                raise UnsupportedOperation(f"{op} is no function of entries one by one")

    def product(self, t: Term, at: Sequence[Affine], known: Sequence[Affine]) -> Node:
        """A product, summed: what indicators determine is put in, what they bound are ranges."""
        *parts, out = t.spec
        places = dict(zip(out, at, strict=True))
        sizes: dict[str, Size] = {}
        for a, part in zip(t.args, parts, strict=True):
            for label, size in zip(part, a.dims, strict=True):
                if label not in places:
                    name = self.fresh()
                    sizes[name], places[label] = size, Affine.of(name)
        operands = [(a, [places[i] for i in p]) for a, p in zip(t.args, parts, strict=True)]
        conditions = [
            c for a, indices in operands if a.op in GATES for c in _conditions(a, indices)
        ]
        for name, size in sizes.items():
            conditions += map(nonnegative, within(Affine.of(name), size_form(size)))
        free, values, conditions = _solved(list(sizes), conditions)
        if any(c.decided is False for c in conditions):
            return ZERO
        plain = [f for c in conditions if c.relation == ">=" for f in c.constraints()]
        outside, spans = ranges(plain, free, known)
        inner = [*known, *(f for n, r in spans.items() for f in r.constraints(n))]
        body = _times(
            self.entry(a, [f.substitute(values) for f in indices], inner)
            for a, indices in operands
            if a.op not in GATES
        )
        rest = [c for c in conditions if c.relation != ">="]
        summed = [c for c in rest if not set(free).isdisjoint(c.form.names)]
        body = _chosen(summed, body, inner)
        for name in reversed(free):
            body = Sum(name, spans[name], body)
        return _chosen(
            [*(c for c in rest if c not in summed), *map(nonnegative, outside)], body, known
        )


def _solved(
    names: Sequence[str], conditions: Sequence[Condition]
) -> tuple[list[str], dict[str, Affine], list[Condition]]:
    """The names that no equality determines, what the others are, and the conditions left."""
    left, free, values = list(conditions), list(names), dict[str, Affine]()
    while True:
        pairs = ((c, n) for c in left if c.relation == "=" for n in free if abs(c.form[n]) == 1)
        found = next(pairs, None)
        if found is None:
            return free, values, left
        equality, name = found
        value = Affine.of(name) - equality.form / equality.form[name]
        left = [c.substitute({name: value}) for c in left if c is not equality]
        values = {n: v.substitute({name: value}) for n, v in values.items()} | {name: value}
        free.remove(name)


def _conditions(t: Term, at: Sequence[Affine]) -> list[Condition]:
    """Where a delta or an indicator is 1."""
    if t.op == "delta":
        half = len(at) // 2
        return [zero(a - b) for a, b in zip(at[:half], at[half:], strict=True)]
    made = {"=": zero, ">=": nonnegative}
    found: list[Condition] = []
    for relation, f in t.constraints:
        placed = _placed(f, at)
        found.append(
            divisible(placed, relation) if isinstance(relation, int) else made[relation](placed)
        )
    return found


def _placed(f: AffineForm, at: Sequence[Affine]) -> Affine:
    """A form of an indicator's indices, at other indices."""
    result = Affine({})
    for key, c in f:
        one = at[key] if isinstance(key, int) else Affine.of(key) if key else Affine({}, 1)
        result = result + c * one
    return result


def _chosen(conditions: Iterable[Condition], body: Node, known: Sequence[Affine]) -> Node:
    """A value where all conditions hold, 0 elsewhere."""
    left = simplified(conditions, known)
    return ZERO if left is None else choice(left, body, ZERO)


def _times(factors: Iterable[Node]) -> Node:
    """The product of factors; ones go."""
    left = [f for f in factors if f != ONE] or [ONE]
    return reduce(lambda a, b: Binary("*", a, b), left)
