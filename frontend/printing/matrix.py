"""Terms in matrix notation: products, transposes, diagonals and sums of matrices.

A vector is a column. What an index string says is written with products where it can be, and
with entrywise products, `diag`, `tr` and `sum` otherwise; only a tensor with more than two axes
has no such formula. Formulas are put together so that they read well: signs are moved to the
front, numbers as well, and transposes to where they are short. Of all equal terms that the rules
find, the one with the shortest formula is written.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count as numbers_from
from itertools import permutations
from typing import Any, Final, cast

from eggrad.engine.compilation.views import by_views, with_indicator
from eggrad.engine.costs.cost import CostModel, Placed, count, node_count
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.guard import optional
from eggrad.engine.indices import affine
from eggrad.engine.indices.constraints import solved
from eggrad.engine.indices.indicator_plan import Chosen, Sparsity
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.slices import slices
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.indices.texts import PI, SHORT
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import Function, OwnFunction, function_of
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term, assembled, postorder, variables
from eggrad.frontend.calculus.kept import kept
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.text.words import FUNCTION_NAMES, MATRIX_WORDS, format_number
from eggrad.rules.standard import AT_SYMMETRIC, system

# The transpose of longer formulas is taken as a whole.
LONG: Final = 100


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A formula: an operation with its operands, or a text. `order` is the number of axes.

    A `shared` one occurs more than once; its transpose is taken as a whole. A `symmetric` one is
    its own transpose. `function` is what a `call` applies, if it is an element-wise function.

    Operations are `name`, `number`, `constant`, `call` and `index` with a text, the operators
    `add`, `subtract`, `negate`, `times`, `multiply` (of entries), `divide`, `divide_entries`,
    `power`, `power_entries`, and `transpose`.
    """

    op: str
    args: tuple["Formula", ...] = ()
    text: str = ""
    order: int = 0
    shared: bool = False
    symmetric: bool = False
    function: Function | None = None
    weight: int = field(init=False)
    is_row: bool = field(init=False)

    def __post_init__(self) -> None:
        """Count the parts, and see whether a vector is a row."""
        object.__setattr__(self, "weight", 1 + sum(a.weight for a in self.args))
        object.__setattr__(self, "is_row", self.order == 1 and self._lies)

    @property
    def _lies(self) -> bool:
        match self.op:
            case "transpose":
                return not self.args[0].is_row
            case "index":
                return self.args[0].order == 2 and ":" not in self.text.partition(",")[0]
            case "call" if self.text in ("sum", "colmax", "colmin"):
                return self.text != "sum" or self.args[1].text == "1"
            case "times":
                a, b = self.args
                return a.is_row or (b.is_row and not a.order)
            case _:
                return any(a.is_row for a in self.args)


def negated(a: Formula) -> Formula:
    """`-a`."""
    return a.args[0] if a.op == "negate" else Formula("negate", (a,), order=a.order)


def operation(op: str, a: Formula, b: Formula, order: int) -> Formula:
    """An operation of two; a sign is that of the whole, a sum of equals a multiple of one."""
    if op in ("add", "subtract"):
        if b.op == "negate":
            return operation("subtract" if op == "add" else "add", a, b.args[0], order)
        if op == "add" and a.op == "negate":
            return operation("subtract", b, a.args[0], order)
        if op == "subtract" and b.op == "subtract" and not b.shared:
            return operation(op, operation("add", a, b.args[1], order), b.args[0], order)
        if op == "add" and a is b and a.args:
            return operation("times", number(Fraction(2)), a, order)
        return Formula(op, (a, b), order=order)
    if "negate" in (a.op, b.op):
        first, second = (f.args[0] if f.op == "negate" else f for f in (a, b))
        whole = operation(op, first, second, order)
        return negated(whole) if a.op != b.op else whole
    if op == "times":
        return _product(a, b, order)
    if op == "multiply":
        for first, second in ((a, b), (b, a)):
            if first.op == "times" and first.args[0].op == "number" and not first.shared:
                rest = (first.args[1], second) if first is a else (second, first.args[1])
                return operation("times", first.args[0], operation(op, *rest, order), order)
    if op == "divide":
        above, below = _over(a)
        if below is not None and b.op != "number":
            return operation(op, above, operation("times", below, b, 0), order)
        if below is not None and below.op != "number":
            return operation(op, above, operation("times", b, below, 0), order)
    return Formula(op, (a, b), order=order)


def _product(a: Formula, b: Formula, order: int) -> Formula:
    """A product: numbers and scalars stand in front, in one line with what is divided."""
    if "1" in (a.text, b.text):
        return a if b.text == "1" else b
    (first, below), (second, under) = _over(a), _over(b)
    by_number = below is not None and below.op == "number" and first.op != "number"
    apart = a.op == "call" or (a.op == "divide" and first.op != "number")
    if not b.order and (a.order or (b.op == "name" and apart)):
        return operation("times", b, a, order)
    inner = b.args[0] if b.op == "times" and not b.shared else b
    if inner is not b and a.op != "number" and (inner.op == "number" or a.order > inner.order == 0):
        return operation("times", inner, operation("times", a, b.args[1], order), order)
    if a.op == "divide" and below is not None and (first.text == "1" or by_number):
        return operation("divide", operation("times", first, b, order), below, order)
    if a.op == "number" and below is not None and under is not None:
        above = operation("times", first, second, order)
        return operation("divide", above, operation("times", below, under, 0), order)
    return Formula("times", (a, b), order=order)


def _over(a: Formula) -> tuple[Formula, Formula | None]:
    """What stands above and below a line: of a half the numbers, of half of something as well."""
    if a.op == "divide" and not a.shared:
        return a.args[0], a.args[1]
    if a.op == "number" and (found := Fraction(a.text)).denominator in HALVES:
        above, below = found.as_integer_ratio()
        return number(Fraction(above)), number(Fraction(below))
    if a.op == "times" and a.args[0].op == "number" and not a.shared:
        above, below = _over(a.args[0])
        return operation("times", above, a.args[1], a.order), below
    return a, None


HALVES: Final = (2, 4, 8)
"""What the numbers are multiples of that people write as fractions: halves, quarters, eighths."""


def turned(a: Formula) -> Formula:
    """The transpose: of a sum or a product of vectors also by parts, if that is as short."""
    if not a.order or a.symmetric:
        return a
    if a.op == "transpose":
        return a.args[0]
    if a.op == "negate":
        return negated(turned(a.args[0]))
    whole = Formula("transpose", (a,), order=a.order)
    if a.op not in _BY_PARTS or a.shared or a.weight > LONG:
        return whole
    first, second = map(turned, a.args)
    if a.op == "times" and first.order and second.order:
        first, second = second, first
    parts = Formula(a.op, (first, second), order=a.order)
    # Of a matrix only a multiple, or what becomes shorter.
    multiple = a.op == "times" and not (first.order and second.order)
    return parts if parts.weight <= whole.weight - (a.order == 2 and not multiple) else whole


_BY_PARTS: Final = ("add", "subtract", "times", "multiply", "divide")


def needs_no_brackets(form: Formula) -> bool:
    """Whether the second operand of a product, a product itself, may stand without brackets.

    Read from the left it has the same value, in operations of the same order at large sizes.

    >>> A, B = (Formula("name", text=name, order=2) for name in "AB")
    >>> x = Formula("name", text="x", order=1)
    >>> AB, Ax = operation("times", A, B, 2), operation("times", A, x, 1)
    >>> needs_no_brackets(operation("times", B, AB, 2))
    True
    >>> needs_no_brackets(operation("times", B, Ax, 1))
    False
    """
    first, second = form.args
    if form.op != "times" or second.op not in ("times", "divide"):
        return False
    factors: list[Formula] = []
    while second.op in ("times", "divide"):
        factors.append(second.args[1])
        second = second.args[0]
    if second.op in ("multiply", "divide_entries"):
        return False
    factors.append(second)
    left, right = _from_left([first, *reversed(factors)]), _from_left(factors[::-1])
    if left is None or right is None:
        return False
    return left[1] <= max(right[1], _degree(_sides(first), right[0]))


def _from_left(factors: Sequence[Formula]) -> tuple[tuple[int, int], int] | None:
    """The sides of a product from the left, and the power of sizes that its operations take."""
    whole, most = _sides(factors[0]), 0
    for factor in factors[1:]:
        other = _sides(factor)
        if any(whole) and any(other) and whole[1] != other[0]:
            return None
        most = max(most, _degree(whole, other))
        meets = any(whole) and any(other)
        whole = (whole[0], other[1]) if meets else (whole[0] + other[0], whole[1] + other[1])
    return whole, most


def _sides(form: Formula) -> tuple[int, int]:
    """1 for rows, 1 for columns, where there are any."""
    return int(form.order == 2 or (form.order == 1 and not form.is_row)), int(
        form.order == 2 or form.is_row
    )


def _degree(a: tuple[int, int], b: tuple[int, int]) -> int:
    return sum(a) + sum(b) - (a[1] if any(b) else 0)


# A multiple of a power of pi is never lost in constants that are multiplied out.
MOST_PIS: Final = 9


def _power_of_pi(value: Fraction) -> tuple[Fraction, int] | None:
    """A short fraction and the power of pi that make a number, if it is so made.

    >>> _power_of_pi(8 * PI**3), _power_of_pi(1 / (2 * PI)), _power_of_pi(Fraction(22, 7))
    ((Fraction(8, 1), 3), (Fraction(1, 2), -1), None)
    """
    if max(value.numerator, value.denominator) < SHORT:
        return None
    for p in (sign * k for k in range(1, MOST_PIS + 1) for sign in (1, -1)):
        rest = value / PI**p
        if max(rest.numerator, rest.denominator) < SHORT:
            return rest, p
    return None


def number(value: Fraction) -> Formula:
    """A number; what has no decimal fraction is a quotient, and a multiple of pi has its name."""
    if value < 0:
        return negated(number(-value))
    if found := _power_of_pi(value):
        rest, p = found
        pi = Formula("constant", text="pi")
        power = pi if abs(p) == 1 else Formula("power", (pi, number(Fraction(abs(p)))))
        above, below = number(Fraction(rest.numerator)), number(Fraction(rest.denominator))
        if p > 0:
            above = operation("times", above, power, 0)
        else:
            below = operation("times", below, power, 0)
        return above if below.text == "1" else Formula("divide", (above, below))
    text = format_number(value)
    if "//" not in text:
        return Formula("number", text=text)
    return Formula("divide", tuple(Formula("number", text=part) for part in text.split("//")))


# Entries in brackets -----------------------------------------------------------------------


def key_of(node: Term) -> tuple[Term, list[str]] | None:
    """What a product with an indicator takes entries of, and the key, counted from 1."""
    if not by_views(node):
        return None
    indicator, array, spec = with_indicator(node)
    key = slices(indicator, array.dims, spec)
    if key is None or any(k.count(":") > 1 for k in key):
        return None
    whole = [*key, *[":"] * (array.order - len(key))]
    return array, [_counted(k, d) for k, d in zip(whole, array.dims, strict=True)]


def _counted(part: str, size: Size) -> str:
    """A part of a key in NumPy's writing, counted from 1.

    >>> [_counted(part, "n") for part in ("0", ":", "1:4", "1:", ":-1", "-2")]
    ['1', ':', '2:4', '2:n', '1:n - 1', 'n - 1']
    """
    start, colon, stop = part.partition(":")
    if part == ":":
        return part
    first = _from_one(int(start or 0) + 1, size, from_end=start.startswith("-"))
    return first + (colon and f":{_from_one(int(stop or 0), size, from_end=stop[:1] in ('', '-'))}")


def _from_one(place: int, size: Size, *, from_end: bool) -> str:
    return (
        str(affine.as_size(affine.plus(affine.size_form(size), affine.form([("", place)]))))
        if from_end
        else str(place)
    )


def _along(node: Term) -> tuple[str, Term] | None:
    """A vector in ascending order or its running sums, and what they are of."""
    if node.op != "einsum" or len(node.args) != 2 or node.order != 1:
        return None
    *parts, out = node.spec
    for (rows, both), (vector, axes) in permutations(zip(node.args, parts, strict=True)):
        if both != (*out, *axes) or len(axes) != 1:
            continue
        if rows.op == "indicator" and rows.constraints == _UP_TO:
            return "cumsum", vector
        in_order = rows.op == "selection" and [a.op for a in rows.args] == ["argsort"]
        if in_order and rows.args[0].args == (vector,):
            return "sort", vector
    return None


_UP_TO: Final = ((">=", affine.form([(0, 1), (1, -1)])),)


def unit_place(leaf: Term) -> tuple[tuple[Size, Size], ...] | None:
    """Of an array with a single one: the index of each axis, counted from 1, and its size."""
    found: dict[int, Size] = {}
    for relation, f in leaf.constraints:
        if relation != "=" or len(affine.indices(f)) != 1:
            return None
        (axis,) = affine.indices(f)
        place = affine.as_size(affine.plus(solved(f, axis), affine.form([("", 1)])))
        if abs(affine.coefficient(f, axis)) != 1 or (isinstance(place, int) and place < 1):
            return None
        found[axis] = place
    if len(found) < leaf.order or not 1 <= leaf.order <= 2:
        return None
    return tuple((found[k], d) for k, d in enumerate(leaf.dims))


# Terms as formulas -------------------------------------------------------------------------


def has_notation(root: Term) -> bool:
    """Whether no part has more than two axes, a name that is none, or what no formula can say."""
    named = {*_OPERATIONS, *FUNCTION_NAMES}
    nodes = list(postorder(root))
    whole = {t for t in nodes if key_of(t) or _along(t)}
    hidden = {a for t in whole for a in t.args}
    chosen = {a for t in hidden if t.op == "selection" for a in t.args}
    stored = {a for t in nodes if t not in whole and t.op != "selection" for a in t.args} | {root}
    hidden = (hidden | chosen) - stored

    def has_name(t: Term) -> bool:
        known = t.op in named or isinstance(t.data, OwnFunction)
        return known or _is_named(t) or (t.op == "cofactors" and t.data == 1)

    return all(
        (t.order <= 2 and has_name(t))
        or (t.op in _CHOOSING and t in hidden)
        or (t.op == "indicator" and unit_place(t) is not None)
        for t in nodes
    ) and (all(_NAME.match(t.name) for t in nodes if t.op == "variable") and sizes_are_names(root))


# What only chooses entries of something else.
_CHOOSING: Final = ("indicator", "selection", "argsort")


def sizes_are_names(root: Term) -> bool:
    """Whether all sizes are names that a formula may have to spell, as those of constants."""
    spelled = [t for t in postorder(root) if t.op in ("constant", "delta", "size", "indicator")]
    return all(_NAME.match(s) for s in symbols(*spelled))


# Functions that only formulas have, and their names in matrix notation.
_OF_ENTRIES: Final = ("sigmoid", "softplus", "cosh", "sinh", "log_cosh", "log1p", "expm1", "step")
_OF_VECTORS: Final = ("softmax", "logsumexp", "norm", "norm1", "mean")
_NAMES: Final = {name: name for name in (*_OF_ENTRIES, *_OF_VECTORS)} | {"norm": "norm2"}


def _is_named(t: Term) -> bool:
    """Whether what only formulas have is one that matrix notation has a name for."""
    if t.op in _OF_VECTORS:
        return not t.spec[1] and (t.args[0].order == 1 or t.op == "norm")
    return t.op in _OF_ENTRIES or t.op == "matrix_power"


# What the matrix language reads as a name.
_NAME: Final = re.compile(r"[^\W\dᵀ⁰¹²³⁴-⁹][^\Wᵀ⁰¹²³⁴-⁹]*\Z")
_OPERATIONS: Final = (
    *("variable", "constant", "delta", "size", "einsum"),
    *("add", "subtract", "divide", "negate", "power", *EXTREMES),
)

Operand = tuple[Formula, Indices]


def form_of(node: Term, forms: Mapping[Term, Formula]) -> Formula:
    """The formula of a node, given those of all that it is made of."""
    args = [forms[a] for a in node.args]
    if node.op in _CHOOSING[1:]:
        return Formula("name")
    picked = key_of(node)
    if (along := _along(node)) is not None:
        return Formula("call", (forms[along[1]],), along[0], 1)
    if picked is None and any(f.op == "name" and not f.text for f in args):
        raise UnsupportedOperation("conditions on indices have no matrix notation")
    if node.order > 2 and node.op != "indicator":
        raise UnsupportedOperation(f"a tensor with {node.order} axes has no matrix notation")
    match node.op:
        case "variable":
            known = "symmetric" in node.assumed
            return Formula("name", text=node.name, order=node.order, symmetric=known)
        case "constant":
            return _constant(node.value, node.dims)
        case "delta":
            eye = tuple(map(_size, node.dims[:1]))
            return Formula("call", eye, "eye", 2) if eye else number(Fraction(1))
        case "indicator":
            return _unit(node)
        case "size":
            return Formula("call", (_size(node.symbol),), "size")
        case "einsum" if picked is not None:
            array, key = picked
            entries = Formula("index", (forms[array],), f"[{','.join(key)}]", node.order)
            is_row = array.order == 2 and node.order == 1 and ":" not in key[0]
            return turned(entries) if is_row else entries
        case "einsum":
            return _einsum(node, forms)
        case "add" | "subtract" | "divide":
            op = "divide_entries" if node.op == "divide" and node.args[1].order else node.op
            softmax = node.order == 1 and _summed(node.args[1], "exp") is node.args[0]
            if node.op == "divide" and softmax:
                return Formula("call", (forms[node.args[0].args[0]],), "softmax", node.order)
            first, second = _unspread(node, forms)
            return operation(op, first, second, node.order)
        case "negate":
            return negated(args[0])
        case "power":
            return _power(node, forms)
        case "matrix_power":
            return Formula("power", (args[0], number(Fraction(node.number))), order=2)
        case "log_cosh":
            inner = Formula("call", tuple(args), "cosh", node.order)
            return Formula("call", (inner,), "log", node.order)
        case "log1p":
            inner = operation("add", number(Fraction(1)), args[0], node.order)
            return Formula("call", (inner,), "log", node.order)
        case "expm1":
            inner = Formula("call", tuple(args), "exp", node.order)
            return operation("subtract", inner, number(Fraction(1)), node.order)
        case name if name in _NAMES and _is_named(node):
            return Formula("call", tuple(args), _NAMES[name], node.order)
        case "cofactors" if node.data == 1:
            return turned(Formula("call", tuple(args), "adj", 2))
        case name if name in EXTREMES:
            source, out = node.spec
            if not out:
                return Formula("call", (args[0],), name)
            of_rows = source[0] in out
            whole = Formula("call", (args[0],), f"{'row' if of_rows else 'col'}{name}", 1)
            return whole if of_rows else turned(whole)
        case name if name in FUNCTION_NAMES or isinstance(node.data, OwnFunction):
            return _function(node, forms)
        case name:
            raise UnsupportedOperation(f"{name} has no matrix notation")


def _unit(node: Term) -> Formula:
    """The array with a single one; nothing where only entries are taken with it."""
    places = unit_place(node)
    if places is None:
        return Formula("name")
    units = [
        Formula("call", (Formula("number", text=str(k)), _size(d)), "unit", 1) for k, d in places
    ]
    return units[0] if len(units) == 1 else operation("times", units[0], turned(units[1]), 2)


def _constant(value: Fraction, dims: Dims) -> Formula:
    """An array of equal entries."""
    if not dims:
        return number(value)
    sizes = tuple(map(_size, dims))
    if value in (0, 1):
        return Formula("call", sizes, "ones" if value else "zeros", len(dims))
    return Formula(
        "call", (number(value), *sizes), "vector" if len(dims) == 1 else "matrix", len(dims)
    )


def _size(size: Size) -> Formula:
    return Formula("name", text=str(size))


def _power(node: Term, forms: Mapping[Term, Formula]) -> Formula:
    base, exponent = (forms[a] for a in node.args)
    entries = "_entries" if node.order else ""
    known = node.args[1].data
    if known == -1:
        return operation(f"divide{entries}", number(Fraction(1)), base, node.order)
    if known == Fraction(1, 2):
        squares = _summed(node.args[0], "power")
        if squares and squares.args[1].data == 2:
            return Formula("call", (forms[squares.args[0]],), "norm2")
        return Formula("call", (base,), "sqrt", node.order)
    return Formula(f"power{entries}", (base, exponent), order=node.order)


def _summed(node: Term, op: str) -> Term | None:
    """The operation whose entries a node adds up, all of them."""
    if node.op != "einsum" or len(node.args) != 1 or node.order or node.args[0].op != op:
        return None
    indices = node.spec[0]
    return node.args[0] if len(set(indices)) == len(indices) else None


def _function(node: Term, forms: Mapping[Term, Formula]) -> Formula:
    """A function, or a composition that has a name."""
    if len(node.args) != 1:
        args = tuple(
            _unspread(node, forms) if len(node.args) == 2 else (forms[a] for a in node.args)
        )
        return Formula("call", args, node.op, node.order, function=function_of(node.op, node.data))
    inner: Term = node.args[0]
    if node.op == "log" and inner.op == "det":
        return Formula("call", (forms[inner.args[0]],), "logdet")
    if node.op == "log" and (exponentials := _summed(inner, "exp")):
        return Formula("call", (forms[exponentials.args[0]],), "logsumexp")
    operand = forms[inner]
    return Formula(
        "call",
        (operand,),
        node.op,
        node.order,
        symmetric=operand.symmetric and node.order == 2 and node.op not in STACK_FUNCTIONS,
        function=function_of(node.op, node.data),
    )


def _unspread(node: Term, forms: Mapping[Term, Formula]) -> Iterator[Formula]:
    """The operands of an operation on entries, where a scalar meets every entry of the other."""
    a, b = node.args
    first = _spread_scalar(a, forms) if b.order else None
    second = _spread_scalar(b, forms) if a.order and not first else None
    yield first or forms[a]
    yield second or forms[b]


def _spread_scalar(node: Term, forms: Mapping[Term, Formula]) -> Formula | None:
    """The scalar that a constant or a product of a scalar and ones repeats."""
    if not node.order:
        return None
    if node.op == "constant":
        return number(node.value)
    if node.op == "einsum" and len(node.args) == 2:
        for scalar, ones in permutations(node.args):
            if not scalar.order and ones.order == node.order and ones.op == "constant":
                return forms[scalar] if ones.data == 1 else None
    return None


# Products ----------------------------------------------------------------------------------


def _einsum(node: Term, forms: Mapping[Term, Formula]) -> Formula:
    args = [forms[a] for a in node.args]
    *parts, out = node.spec
    if (vector := _on_diagonal(node)) is not None:
        return Formula("call", (forms[vector],), "diag", 2)
    known = [i for part in parts for i in set(part)]
    reduced = [
        _reduced(form, part, [i for i in dict.fromkeys(part) if i in out or known.count(i) > 1])
        for form, part in zip(args, parts, strict=True)
    ]
    if len(reduced) == 1:
        return _laid_out(*reduced[0], out)
    if not all(indices for _, indices in reduced):
        axes = reduced[0][1] or reduced[1][1]
        return _laid_out(operation("times", reduced[0][0], reduced[1][0], len(axes)), axes, out)
    scalars = [_spread_scalar(a, forms) for a in node.args]
    if any(scalars) and set(parts[0]) == set(parts[1]) == set(out):
        (a, p), (b, q) = reduced
        first, axes = (scalars[0], q) if scalars[0] else (a, p)
        product = operation(
            "times", first, b if scalars[0] else cast(Formula, scalars[1]), len(out)
        )
        return _laid_out(product, axes, out)
    if any(i in reduced[1][1] and i not in out for i in reduced[0][1]):
        same = node.args[0] is node.args[1]
        return _contracted(reduced[0], reduced[1], out, same)
    return _spread_out(reduced[0], reduced[1], out)


def _on_diagonal(node: Term) -> Term | None:
    """The vector that a product with a delta puts onto the diagonal of a matrix."""
    *parts, out = node.spec
    for (vector, axes), (delta, both) in permutations(zip(node.args, parts, strict=True), 2):
        spans = len(out) == 2 and set(both) == set(out)
        if vector.order == 1 and delta.op == "delta" and spans and axes[0] in both:
            return vector
    return None


def _reduced(form: Formula, part: Indices, kept: Sequence[int]) -> Operand:
    """An operand with each index once, and summed over what nothing else has."""
    if len(set(part)) < len(part):
        return Formula("call", (form,), "diag" if kept else "tr", len(kept)), tuple(kept)
    if len(kept) == len(part):
        return form, part
    if not kept and form.op == "multiply" and form.order == 1:
        first, second = form.args
        return operation("times", turned(first), second, 0), ()
    if not kept:
        return Formula("call", (form,), "sum"), ()
    along = 2 if part[0] == kept[0] else 1
    total = Formula("call", (form, number(Fraction(along))), "sum", 1)
    return (total if along == 2 else turned(total)), tuple(kept)


def _contracted(first: Operand, second: Operand, out: Indices, same: bool) -> Formula:
    """A product with a sum over one index, or over both of two matrices."""
    (a, p), (b, q) = first, second
    shared = [i for i in p if i in q]
    summed = next(i for i in shared if i not in out)
    if len(shared) == 2:
        wanted = (*(i for i in p if i in out), *(i for i in p if i not in out))
        entries = operation("multiply", _laid_out(a, p, wanted), _laid_out(b, q, wanted), 2)
        orders = ((first, second), (second, first))
        pairs = ((_laid_out(*x, wanted), _laid_out(*y, wanted[::-1])) for x, y in orders)
        product = operation("times", *min(pairs, key=_brackets), 2)
        if product.weight <= entries.weight + bool(out):
            return Formula("call", (product,), "diag" if out else "tr", len(out))
        along = (number(Fraction(2)),) if out else ()
        return Formula("call", (entries, *along), "sum", len(out))
    if not out:
        pairs = ((a, b), (b, a))
        return operation("times", *min(((turned(x), y) for x, y in pairs), key=_brackets), 0)
    if out[0] not in p:
        (a, p), (b, q) = second, first
    left = _laid_out(a, p, (out[0], summed))
    right = _laid_out(b, q, (summed, *out[1:]))
    if same and left is right:
        return Formula("power", (left, number(Fraction(2))), order=2)
    return operation("times", left, right, len(out))


def _brackets(parts: Sequence[Formula]) -> tuple[int, int]:
    """How long parts are, and how many of them are transposed products or sums."""
    composite = (p.op == "transpose" and p.args[0].op in _OPERATORS for p in parts)
    return sum(p.weight for p in parts), sum(composite)


def _spread_out(first: Operand, second: Operand, out: Indices) -> Formula:
    """A product without a sum: of entries, of a column and a row, or with a diagonal matrix."""
    (a, p), (b, q) = first, second
    if set(p) == set(q):
        return operation("multiply", _laid_out(a, p, out), _laid_out(b, q, out), len(out))
    if len(p) == len(q):
        column, row = (a, b) if p == out[:1] else (b, a)
        return operation("times", column, turned(row), 2)
    (matrix, axes), (vector, (i,)) = sorted((first, second), key=lambda o: -len(o[1]))
    diagonal = Formula("call", (vector,), "diag", 2)
    laid = _laid_out(matrix, axes, out)
    return operation("times", *((diagonal, laid) if i == out[0] else (laid, diagonal)), 2)


def _laid_out(form: Formula, axes: Indices, wanted: Indices) -> Formula:
    return form if axes == wanted else turned(form)


# Formulas as texts -------------------------------------------------------------------------

_SUM, _PRODUCT, _POWER, _TRANSPOSE, _ATOM = levels("matrix")
# How tightly each operator binds, and its sign.
_OPERATORS: Final = {
    "add": (_SUM, " + "),
    "subtract": (_SUM, " - "),
    "times": (_PRODUCT, "*"),
    "multiply": (_PRODUCT, ".*"),
    "divide": (_PRODUCT, "/"),
    "divide_entries": (_PRODUCT, "./"),
    "power": (_POWER, "^"),
    "power_entries": (_POWER, ".^"),
}
_PRODUCTS: Final = ("times", "multiply", "divide", "divide_entries")
# A part that occurs again is named where that saves this number of letters.
WORTH_NAMING: Final = 6


COMPARISONS: Final = {"greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
"""The signs between what is compared; where such a text is no operand of a call, in brackets."""
COMPARED: Final = _SUM - 1


Style = Callable[[Formula, Sequence[Text]], Text]
"""What writes a form, given the texts of its operands."""

Line = tuple[str, str]
"""The name of a part, and its text."""


def format_matrix(root: Term, scope: Sequence[Term] = ()) -> str:
    """A term of at most two axes; a vector is a column.

    Parts that occur more than once have names where that is shorter. Raises
    `UnsupportedOperation` for a term that has a part with more than two axes.

    >>> from eggrad.engine.terms.term import einsum, subtract, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> residual = subtract(einsum("ij,j->i", A, x), variable("y", ("m",)))
    >>> format_matrix(einsum("ij,i->j", A, residual))
    "A'*(A*x - y)"
    """
    return _in_one_line(written(root, _joined, scope))


def _in_one_line(lines: Iterable[Line]) -> str:
    return "".join(f"{name} = {text}; " if name else text for name, text in lines)


def written(root: Term, style: Style, scope: Sequence[Term] = ()) -> list[Line]:
    """The lines in which a style writes a term: named parts first, the whole without a name.

    `scope` are further variables, whose names no part gets. Parts have names where that is
    shorter.
    """
    users = Counter(a for node in postorder(root) for a in node.args)
    forms: dict[Term, Formula] = {}
    for node in postorder(root):
        form = form_of(node, forms)
        forms[node] = replace(form, shared=True) if users[node] > 1 and form.args else form
    if root.op == "indicator" and not forms[root].text and not forms[root].args:
        raise UnsupportedOperation("conditions on indices have no matrix notation")
    taken = {*(v.name for v in variables(root, *scope)), *symbols(root)}
    return _lines(forms[root], taken, style)


def _lines(root: Formula, taken: Set[str], style: Style) -> list[Line]:
    """The definitions of named parts, and the text of a form."""
    # A loop, because forms are as deep as terms.
    order: list[Formula] = []
    uses: Counter[int] = Counter()
    stack = [(root, False)]
    while stack:
        form, ready = stack.pop()
        if ready:
            order.append(form)
            continue
        uses[id(form)] += 1
        if uses[id(form)] == 1:
            stack.append((form, True))
            stack.extend((a, False) for a in reversed(form.args))
    names = (name for k in numbers_from(1) if (name := f"t{k}") not in taken)
    done: dict[int, Text] = {}
    definitions: list[Line] = []
    for form in order:
        hidden = form.op == "constant" and not taken.isdisjoint(("pi", "π"))
        shown = Formula("number", text=format_number(PI)) if hidden else form
        text, level = style(shown, [done[id(a)] for a in form.args])
        if form is root:
            text = bracketed((text, level), _SUM)
        times = uses[id(form)]
        shorter = (times - 1) * len(text) > 2 * times + WORTH_NAMING
        if form.args and shorter:
            text = bracketed((text, level), _SUM)
            name = next(names)
            definitions.append((name, text))
            text, level = style(Formula("name", text=name), ())
        done[id(form)] = text, level
    return [*definitions, ("", done[id(root)][0])]


def _joined(form: Formula, args: Sequence[Text]) -> Text:
    match form.op:
        case "name" | "number" | "constant":
            return form.text, _ATOM
        case "call" if form.text in COMPARISONS:
            return f" {COMPARISONS[form.text]} ".join(text for text, _ in args), COMPARED
        case "call":
            name = MATRIX_WORDS.get(form.text, form.text)
            return f"{name}({', '.join(text for text, _ in args)})", _ATOM
        case "index":
            return f"{bracketed(args[0], _ATOM)}{form.text}", _ATOM
        case "transpose":
            return f"{bracketed(args[0], _TRANSPOSE)}'", _TRANSPOSE
        case "negate":
            return f"-{bracketed(args[0], _PRODUCT)}", _SUM
        case "power" | "power_entries":
            level, sign = _OPERATORS[form.op]
            return f"{bracketed(args[0], _TRANSPOSE)}{sign}{_exponent(args[1])}", level
        case _:
            return infix(form, args, _OPERATORS)


def infix(
    form: Formula, args: Sequence[Text], signs: Mapping[str, tuple[int, str]], minus: str = "-"
) -> Text:
    """Two operands with a sign between them, which binds as tightly as its level says.

    >>> a, b = ("a", _ATOM), ("b - c", _SUM)
    >>> infix(Formula("times", (Formula("name"), Formula("subtract"))), [a, b], _OPERATORS)[0]
    'a*(b - c)'
    """
    level, sign = signs[form.op]
    left, right = args
    # A sum within a sum needs no brackets, and a multiple's number none around the rest.
    whole = form.op == "times" and form.args[0].op == "number" and right[1] == _PRODUCT
    whole = whole or needs_no_brackets(form)
    added = form.op == "add" and not right[0].startswith(minus)
    least = level if added or whole else level + 1
    return f"{bracketed(left, level)}{sign}{bracketed(right, least)}", level


def _exponent(part: Text) -> str:
    text, level = part
    atom = level == _ATOM or (text.startswith("-") and text[1:].replace(".", "").isdigit())
    return text if atom else f"({text})"


# The shortest formula ----------------------------------------------------------------------

# Of larger terms nobody reads the formula: they are written as they are.
MOST_NODES: Final = 60
# Operations of the same order: at most so many times as many, where all symbols are so large.
MORE: Final = 4
LARGE: Final = 10**4
# What a part of a text costs, and a letter: more than all operations of a term at the sizes that
# symbols stand for.
PART: Final = 10**18
LETTER: Final = 10**14
# What brackets around an operand that is no name are likely to cost: less than a call.
BRACKETS: Final = 1000
# What no text can say costs more than any text.
TENSOR: Final = PART * 10**6
# Functions that are hardly met in formulas count as many words more.
RARE: Final = re.compile(r"\b(?:cosh|sinh)\(")
MANY: Final = 7
# Names, numbers, signs, of which those of entries have two, and pairs of brackets.
WORD: Final = re.compile(r"\w+(?:\.\d+)?|[<>=!]=?|[.^*/+'(-]")


@shows_progress("looking for the shortest formula")
def shortest(term: Term) -> Term:
    """The equal term whose matrix notation is the shortest found.

    It takes operations of the same order at large sizes, where of a product in `tr` or `diag` no
    more than the diagonal is computed. A term stays as it is where no
    equal one with matrix notation was found, and beyond 60 nodes.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_matrix(shortest(einsum("i,i->i", x, einsum("i,i->i", x, x))))
    'x.^3'
    """
    known = has_notation(term)
    if term.order > 2 or (known and node_count([term]) > MOST_NODES):
        return term

    def search() -> Term:
        (((found,), _),) = kept("shortest", [term], (), lambda: [((_shortest(term),), None)])
        return found

    return optional("looking for the shortest formula", search, lambda: term)


def _shortest(term: Term) -> Term:
    model, operations = _TextModel(), CostModel()
    explored = system(AT_SYMMETRIC).explore([term], [model, operations], purpose="read")
    graph = explored.graph
    (root,) = explored.classes
    cheapest = graph.at(operations).extract([root])
    found = [*graph.extract([root]), graph.term(root), term, *cheapest]
    most = MORE * count([term], LARGE)
    formulas = [t for t in dict.fromkeys(found) if has_notation(t)]
    fast = [t for t in formulas if count([t], LARGE) <= most]
    return min(fast or formulas, key=lambda t: length(format_matrix(t)), default=term)


def length(text: str) -> tuple[int, int]:
    """How long a text is to a reader: names, numbers, signs and pairs of brackets; then letters.

    >>> length("A'*(x + 0.5)")
    (7, 12)
    """
    return len(WORD.findall(text)) + MANY * len(RARE.findall(text)), len(text)


_Key = tuple[
    str, tuple[Any, ...], tuple[Dims, ...], Dims, tuple[Sparsity, ...], bool,
    tuple[Fraction | None, ...], tuple[bool, ...],
]  # fmt: skip


class _TextModel(CostModel):
    """Costs by the parts of texts, then by letters; operations decide between equal ones.

    Names and numbers count in what shows them: each place where they stand counts.
    """

    def node(
        self, constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (), leaves: tuple[bool, ...] = (),
        placed: Placed = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node."""
        key = (constructor, data, args, out, deltas, same, constants, leaves)
        if key not in self._products:
            self._products[key] = self._text(key) + super().node(
                constructor, data, args, out, deltas
            )
        return self._products[key]

    def _text(self, key: _Key) -> int:
        """The cost of what a node adds to the texts of its operands."""
        constructor, data, args, out, deltas, same, constants, leaves = key
        if any(len(dims) > 2 for dims in (out, *args)) or any(
            isinstance(known, Chosen) for known in deltas
        ):
            return TENSOR
        if not args:
            return 0
        values = constants or (None,) * len(args)
        shown = leaves or (True,) * len(args)
        operands = [
            _stand_in(0 if same else place, *known)
            for place, known in enumerate(zip(args, deltas, values, strict=True))
        ]
        below = [a for a, is_shown in zip(operands, shown, strict=True) if not is_shown]
        try:
            node = assembled(constructor, data, tuple(operands))
            # A multiple's number is no operand.
            forms = {a: form_of(a, {}) for a in node.args}
            whole = form_of(node, forms)
        except UnsupportedOperation:
            return TENSOR
        parts, letters = length(_text_of(whole))
        for a in below:
            known_parts, known_letters = length(_text_of(forms[a]))
            parts, letters = parts - known_parts, letters - known_letters
        if same:
            # What both operands are is written twice: a double is a multiple, a square a power.
            parts, letters = parts + 2 * (constructor == "add"), letters + len(data)
        composite = [forms[a] for a in below]
        return (
            max(1, parts) * PART + max(0, letters) * LETTER + _opened(whole, composite) * BRACKETS
        )


def _opened(form: Formula, composite: Sequence[Formula]) -> int:
    """How many operands of a product are likely to stand in brackets, given those that may."""
    if form.op not in _PRODUCTS:
        return 0
    turned_parts = [a.args[0] for a in form.args if a.op == "transpose"]
    return sum(a is b for a in (*turned_parts, form.args[1]) for b in composite)


def _text_of(form: Formula) -> str:
    return _in_one_line(_lines(form, frozenset(), _joined))


def _stand_in(place: int, dims: Dims, known: Sparsity, value: Fraction | None) -> Term:
    """An operand of which no more is known than a cost model is told."""
    if value is not None:
        return terms.constant(value, dims)
    if known is True:
        return terms.delta(dims[: len(dims) // 2])
    return (
        terms.indicator(dims, known)
        if isinstance(known, tuple) and known
        else terms.variable(f"a{place}", dims)
    )
