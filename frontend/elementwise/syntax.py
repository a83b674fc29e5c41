"""Element-wise definitions as data: immutable nodes, indices as affine forms."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from eggrad.engine.indices import affine
from eggrad.engine.indices.integer_conditions import Condition, Range
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.functions import OwnFunction
from eggrad.frontend.text.words import format_number


@dataclass(frozen=True)
class Number:
    """A number with a finite decimal fraction."""

    value: Fraction


@dataclass(frozen=True)
class IndexValue:
    """An index or a size as a number."""

    form: Affine


@dataclass(frozen=True)
class Read:
    """An entry of an argument; the indices are integers wherever the entry is needed."""

    name: str
    indices: tuple[Affine, ...]


@dataclass(frozen=True)
class Call:
    """A function of some numbers; `declared` if it is a user's."""

    function: str
    arguments: tuple["Node", ...]
    declared: OwnFunction | None = None


@dataclass(frozen=True)
class Negative:
    """A value with the other sign."""

    operand: "Node"


@dataclass(frozen=True)
class Binary:
    """Two values and an operator between them: one of `+ - * / **`."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Sum:
    """A sum over a range; no index of the same name is in scope around it."""

    index: str
    range: Range
    body: "Node"


@dataclass(frozen=True)
class Choice:
    """One value where all conditions hold, another elsewhere."""

    conditions: tuple[Condition, ...]
    then: "Node"
    otherwise: "Node"


Node = Number | IndexValue | Read | Call | Negative | Binary | Sum | Choice

Opaque = IndexValue | Read | Sum | Choice
"""What depends on indices, and is no operation on numbers."""

ZERO: Final = Number(Fraction(0))
# Words that the grammar has for itself where a bracket follows.
_NAME: Final = re.compile(r"(?!(?:then|else|and|max|min)\Z)[^\W\d_]\w*\Z")


def is_name(text: str) -> bool:
    """Whether arguments and sizes may be called so.

    >>> is_name("x_1"), is_name("max"), is_name("2x")
    (True, False, False)
    """
    return _NAME.match(text) is not None


def number(value: Fraction) -> Node:
    """A number; what has no decimal fraction is a quotient.

    >>> number(Fraction(1, 2)), number(Fraction(1, 3)).operator
    (Number(value=Fraction(1, 2)), '/')
    """
    if value.denominator == 1 or "." in format_number(abs(value)):
        return Number(value)
    return binary("/", *(Number(Fraction(n)) for n in (value.numerator, value.denominator)))


def size_form(size: Size) -> Affine:
    """A size as an affine form.

    >>> size_form("n - 1")
    Affine({'n': 1}, -1)
    """
    form = dict(affine.size_form(size))
    constant = form.pop("", 0)
    return Affine({str(name): c for name, c in form.items()}, constant)


def index_value(form: Affine) -> Node:
    """A form of indices and sizes as a number; without any it is one."""
    return Number(Fraction(form.constant)) if form.is_constant else IndexValue(form)


def negative(operand: Node) -> Node:
    """The negative; that of an index is a form again, so that every form has one spelling."""
    return IndexValue(-operand.form) if isinstance(operand, IndexValue) else Negative(operand)


def binary(operator: str, left: Node, right: Node) -> Node:
    """Two values and an operator; forms of indices are joined to forms, if these are short.

    >>> binary("+", IndexValue(Affine.of("i")), Number(Fraction(1))).form
    Affine({'i': 1}, 1)
    """
    match operator, left, right:
        case (("+" | "-"), (IndexValue() | Number()), (IndexValue() | Number())):
            other = _form(right)
            joined = _form(left) + (other if operator == "+" else -other)
        case "*", Number(factor), IndexValue(form):
            joined = form * factor
        case (("*" | "/"), IndexValue(form), Number(factor)) if factor:
            joined = form * (factor if operator == "*" else 1 / factor)
        case _:
            return Binary(operator, left, right)
    is_form = isinstance(left, IndexValue) or isinstance(right, IndexValue)
    return index_value(joined) if is_form and joined.is_short else Binary(operator, left, right)


def _form(node: IndexValue | Number) -> Affine:
    return node.form if isinstance(node, IndexValue) else Affine({}, node.value)


def choice(conditions: tuple[Condition, ...], then: Node, otherwise: Node) -> Node:
    """One value where all conditions hold, another elsewhere; what is decided is no choice."""
    if any(c.decided is False for c in conditions):
        return otherwise
    open_ones = tuple(dict.fromkeys(c for c in conditions if c.decided is None))
    return Choice(open_ones, then, otherwise) if open_ones else then


def greatest(forms: Iterable[Affine]) -> tuple[Affine, ...]:
    """The forms of a lower bound, each once, and of numbers the greatest alone.

    >>> len(greatest([Affine({}, 0), Affine.of("i"), Affine({}, 2), Affine.of("i")]))
    2
    """
    forms = tuple(dict.fromkeys(forms))
    numbers = [f for f in forms if f.is_constant]
    most = max(numbers, key=lambda f: f.constant) if numbers else None
    return tuple(f for f in forms if f is most or not f.is_constant)


def least(forms: Iterable[Affine]) -> tuple[Affine, ...]:
    """The forms of an upper bound, each once, and of numbers the least alone."""
    return tuple(-f for f in greatest(-f for f in forms))


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text.

    >>> [type(n).__name__ for n in walk(Negative(Number(Fraction(1))))]
    ['Negative', 'Number']
    """
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(parts(node))


def parts(node: Node) -> tuple[Node, ...]:
    """The nodes right below one.

    >>> parts(Negative(Number(Fraction(1))))
    (Number(value=Fraction(1, 1)),)
    """
    match node:
        case Call(_, arguments):
            return arguments
        case Negative(a) | Sum(_, _, a):
            return (a,)
        case Binary(_, a, b) | Choice(_, a, b):
            return a, b
        case _:
            return ()


def _forms(node: Node) -> Iterator[Affine]:
    """The affine forms of a node itself."""
    match node:
        case IndexValue(form):
            yield form
        case Read(_, indices):
            yield from indices
        case Sum(_, span, _):
            yield from (*span.lower, *span.upper)
        case Choice(conditions, _, _):
            yield from (c.form for c in conditions)
        case _:
            pass


def names_within(node: Node) -> set[str]:
    """Every name in a node: of arguments, indices and sizes."""
    found: set[str] = set()
    for n in walk(node):
        found.update(name for form in _forms(n) for name in form.names)
        if isinstance(n, Read):
            found.add(n.name)
        elif isinstance(n, Sum):
            found.add(n.index)
    return found


def free_names(node: Node) -> set[str]:
    """The indices and sizes in a node that no sum in it introduces.

    >>> i, n = Affine.of("i"), Affine.of("n")
    >>> sorted(free_names(Sum("k", Range((i,), (n,)), Read("x", (Affine.of("k"),)))))
    ['i', 'n']
    """
    within = set[str]().union(*map(free_names, parts(node)))
    if isinstance(node, Sum):
        within.discard(node.index)
    return within.union(*(form.names for form in _forms(node)))


def fresh_name(name: str, taken: "set[str] | frozenset[str]") -> str:
    """A name like the given one that is not taken.

    >>> fresh_name("k", {"i"}), fresh_name("k", {"k", "k1"}), fresh_name("k1", {"k1"})
    ('k', 'k2', 'k2')
    """
    if name not in taken:
        return name
    stem, number = name.rstrip("0123456789"), 1
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def substitute(node: Node, values: Mapping[str, Affine], scope: frozenset[str]) -> Node:
    """The node with indices replaced; sums whose index is in `scope` get another one.

    `scope` has the names of all indices around the node, once they are replaced.
    """

    def form(f: Affine) -> Affine:
        return f.substitute(values)

    match node:
        case Number():
            return node
        case IndexValue(f):
            return index_value(form(f))
        case Read(name, indices):
            return Read(name, tuple(map(form, indices)))
        case Call(_, arguments):
            replaced = tuple(substitute(a, values, scope) for a in arguments)
            return replace(node, arguments=replaced)
        case Negative(a):
            return negative(substitute(a, values, scope))
        case Binary(operator, a, b):
            return binary(operator, substitute(a, values, scope), substitute(b, values, scope))
        case Sum(index, bounds, body):
            span = Range(greatest(map(form, bounds.lower)), least(map(form, bounds.upper)))
            taken = scope | names_within(body) - {index}
            name = fresh_name(index, taken) if index in scope else index
            inner = {n: v for n, v in values.items() if n != index}
            if name != index:
                inner[index] = Affine.of(name)
            return Sum(name, span, substitute(body, inner, scope | {name}))
        case Choice(conditions, a, b):
            holding = tuple(c.substitute(values) for c in conditions)
            return choice(holding, substitute(a, values, scope), substitute(b, values, scope))


def settled(node: Node, known: frozenset[Condition]) -> Node:
    """The node where some conditions are known to hold, without the choices that they make."""
    match node:
        case Call(_, arguments):
            return replace(node, arguments=tuple(settled(a, known) for a in arguments))
        case Negative(a):
            return negative(settled(a, known))
        case Binary(operator, a, b):
            return binary(operator, settled(a, known), settled(b, known))
        case Sum(_, _, body):
            return replace(node, body=settled(body, known))
        case Choice(conditions, a, b):
            opposites = [c.negations()[0] for c in conditions if c.alternatives == 1]
            if any(opposite in known for opposite in opposites):
                return settled(b, known)
            left = tuple(c for c in conditions if c not in known)
            return choice(left, settled(a, known), settled(b, known))
        case _:
            return node
