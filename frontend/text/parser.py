"""The thesis's language in: from text to a problem (thesis, sections 2.3 and 3.2).

The parser is no simplifier: `a - b` is a `subtract` and `-a` a `negate`.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from math import prod

import numpy as np
from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.constraints import resized_all
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size, Spec, canonical
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import ASSUMPTIONS, closure, contradiction
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.functions import FUNCTIONS, Function, OwnFunction
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term
from eggrad.frontend.text.constraints import read_constraints
from eggrad.frontend.text.errors import TextShapeError, TextUnknownVariable, place_words, suggestion
from eggrad.frontend.text.inference import Node, infer
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.syntax import Declaration, read
from eggrad.frontend.text.words import (
    FUNCTION_NAMES,
    MAXIMAL_DIGITS,
    MAXIMAL_ORDER,
    offset_of,
    read_number,
    unquoted,
)


def read_product(token: Token, text: str) -> Spec:
    """The spec of a product's operator, such as `*(ij,j->i)`; white space means nothing.

    Raises `ParseError` at the very character of `text` that is wrong, where that is about the
    output's indices a `ShapeError` as well.

    >>> read_product(Token("BINARY_SPEC", "* (a b,b -> a)", 0), "* (a b,b -> a)")
    ((0, 1), (1,), (0,))
    """
    start = offset_of(token)
    inside = token.index("(") + 1
    left, _, output = token[inside:-1].partition(">")
    arrow = len(left.rstrip()) - 1
    if not left.rstrip().endswith("-"):
        raise ParseError("the arrow of a product is '->'", text, start + inside + len(left))
    parts = [*left[:arrow].split(","), output]
    if len(parts) > 3:
        comma = inside + len(parts[0]) + len(parts[1]) + 1
        raise ParseError("a product has one or two operands", text, start + comma, ("'->'",))
    indices: list[str] = []
    place = start + inside
    for number, part in enumerate(parts, 1):
        if number == len(parts):
            place = start + inside + len(left) + 1
            _check_output(output, "".join(indices), text, place)
        for at, letter in enumerate(part, place):
            if not (letter.isalpha() or letter.isspace()):
                raise ParseError(f"{shown(letter)} is no index", text, at, ("a letter",))
        indices.append("".join(part.split()))
        place += len(part) + 1
    return canonical(indices[:-1], indices[-1])


def _check_output(output: str, known: str, text: str, start: int) -> None:
    seen: set[str] = set()
    for place, letter in enumerate(output, start):
        if letter.isalpha() and letter not in known:
            raise TextShapeError(f"no operand has the output index {shown(letter)}", text, place)
        if letter in seen:
            raise TextShapeError(f"the output repeats the index {shown(letter)}", text, place)
        if letter.isalpha():
            seen.add(letter)


# From syntax to terms ----------------------------------------------------------------------


# What an array has: a number of Python's, with its sign.
_ENTRY = re.compile(r"\s*-?(inf|nan|[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?)\s*\Z")

_BUILDERS = {
    "add": terms.add,
    "subtract": terms.subtract,
    "divide": terms.divide,
    "power": terms.power,
    "negate": terms.negate,
}


def parse(text: str, functions: Sequence[OwnFunction] = ()) -> Problem:
    """Read a text of the thesis's language, with its extensions (docs/language.md).

    `functions` are those that are declared, which the text may call by their names.
    Constants and deltas take the order and the sizes that fit (thesis 3.2.3, 3.2.4); the axes of
    a variable `A` are called `A_1`, `A_2`, ... and unified. Raises `ParseError`; where shapes do
    not fit it is a `ShapeError`, where a name is not declared an `UnknownVariable` as well.

    >>> problem = parse("declare A 2 x 1 expression A *(ij,j->i) x derivative wrt x")
    >>> problem.term.dims, [x.data for x in problem.wrt]
    (('A_1',), [('x', ())])
    """
    known = {f.name: f for f in functions}
    syntax = read(text, tuple(known))
    reader = _Reader(text, known)
    for declaration in syntax.declarations:
        reader.declare(declaration)
    for name, phrase in syntax.definitions:
        reader.define(name, phrase)
    root = reader.add(syntax.expression)
    dims, renamed = infer(reader.nodes, text)
    built: list[Term] = []
    for node, axes in zip(reader.nodes, dims, strict=True):
        args = tuple(built[arg] for arg in node.args)
        if node.op in known:
            built.append(terms.apply(known[node.op], *args))
        else:
            built.append(_build(node, args, axes, renamed))
    declared = tuple(built[: len(syntax.declarations)])
    wrt = tuple(reader.argument(token, declared) for token in syntax.wrt or ())
    return Problem(built[root], wrt if syntax.wrt else None, declared)


class _Reader:
    """Turns phrases into nodes, looks names up and checks what needs no shapes."""

    def __init__(self, text: str, functions: Mapping[str, Function]) -> None:
        self.text = text
        self.functions = functions
        self.nodes: list[Node] = []
        self.names: dict[str, tuple[int, Token]] = {}

    def declare(self, declaration: Declaration) -> None:
        """Add the node of a variable."""
        name = unquoted(declaration.name)
        if declaration.order is None:
            sizes = self._sizes(declaration.sizes)
        else:
            start = offset_of(declaration.order)
            order = self._order(declaration.order)
            sizes = tuple((f"{name}_{axis}", start) for axis in range(1, order + 1))
        for word, token in declaration.assumptions:
            if word not in ASSUMPTIONS and token.type != "QUOTED":
                near = suggestion(word, ASSUMPTIONS)
                raise self._fail(f"no property is called {word!r}{near}", token, (*ASSUMPTIONS,))
        words = dict(declaration.assumptions)
        clash = contradiction(words)
        if clash:
            token = next(t for w, t in words.items() if set(clash) & closure([w]))
            raise self._fail(f"nothing is both {clash[0]} and {clash[1]}", token)
        assumptions = tuple(word for word, _ in declaration.assumptions)
        data = (name, assumptions)
        start = offset_of(declaration.name)
        place = self._append(Node("variable", data, (), start, len(sizes), sizes))
        self._enter(declaration.name, place)

    def define(self, name: Token, phrase: Phrase) -> None:
        """Give a name to a part."""
        place = self.add(phrase)
        self._enter(name, place)

    def argument(self, token: Token, declared: Sequence[Term]) -> Term:
        """The variable after `wrt`; one that is not declared is a scalar (thesis, appendix)."""
        name = unquoted(token)
        if name not in self.names:
            return terms.variable(name)
        place = self.names[name][0]
        # A part may be a mere variable, so the place alone does not tell.
        if place >= len(declared) or self.nodes[place].name != name:
            raise self._fail(f"{name!r} is no variable but a part named with 'let'", token)
        return declared[place]

    def add(self, root: Phrase) -> int:
        """Add the nodes of a phrase, operands first; the place of the last one."""
        places: list[int] = []
        stack: list[tuple[Phrase, bool]] = [(root, False)]
        while stack:
            phrase, ready = stack.pop()
            if phrase.what == "use":
                places.append(self._look_up(phrase.token))
            elif not ready and phrase.operands:
                stack.append((phrase, True))
                stack.extend((operand, False) for operand in reversed(phrase.operands))
            else:
                count = len(phrase.operands)
                args = tuple(places[len(places) - count :])
                del places[len(places) - count :]
                places.append(self._append(self._node(phrase, args)))
        return places.pop()

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _enter(self, token: Token, place: int) -> None:
        name = unquoted(token)
        if name in self.names:
            where = place_words(self.text, offset_of(self.names[name][1]))
            raise self._fail(f"the name {name!r} is declared already at {where}", token)
        self.names[name] = (place, token)

    def _look_up(self, token: Token) -> int:
        name = unquoted(token)
        if name not in self.names:
            near = suggestion(name, self.names)
            reason = f"no variable is called {name!r}{near}"
            known = tuple(islice(self.names, 10))
            raise TextUnknownVariable(reason, self.text, offset_of(token), known)
        return self.names[name][0]

    def _node(self, phrase: Phrase, args: tuple[int, ...]) -> Node:
        start = offset_of(phrase.token)
        match phrase.what:
            case "number":
                value = self._number(phrase.token)
                sizes = None if phrase.sizes is None else self._sizes(phrase.sizes)
                order = None if sizes is None else len(sizes)
                return Node("constant", value, (), start, order, sizes)
            case "array":
                return self._array(phrase, start)
            case "delta" if phrase.sizes is None:
                return Node("delta", None, (), start, 2 * self._order(phrase.token))
            case "delta":
                sizes = self._sizes(phrase.sizes or ())
                return Node("delta", None, (), start, 2 * len(sizes), sizes)
            case "indicator":
                sizes = self._sizes(phrase.sizes or ())
                constraints = read_constraints(phrase.token, len(sizes), self.text)
                return Node("indicator", constraints, (), start, len(sizes), sizes)
            case "selection":
                sizes = self._sizes(phrase.sizes or ())
                return Node("selection", None, args, start, None, sizes)
            case "size":
                return Node("size", unquoted(phrase.token), (), start, 0)
            case "product":
                return Node("einsum", read_product(phrase.token, self.text), args, start)
            case "extreme":
                spec = read_product(phrase.token, self.text)
                if len({*spec[0]}) < len(spec[0]):
                    raise self._fail(f"{phrase.token} is of a diagonal", phrase.token)
                return Node(phrase.token[:3], spec, args, start)
            case "call" if (count := self._arity(phrase.token)) != len(args):
                plural = "s" * (count != 1)
                reason = f"{phrase.token} has {count} operand{plural}, not {len(args)}"
                raise self._fail(reason, phrase.token)
            case "call" if phrase.token not in (*FUNCTION_NAMES, *self.functions):
                name = phrase.token.rstrip("0123456789")
                most = MAXIMAL_ORDER if name == "argsort" else MAXIMAL_ORDER // 2
                k = self._bounded(phrase.token.removeprefix(name), phrase.token, most)
                return Node(name, k, args, start)
            case "call":
                return Node(str(phrase.token), None, args, start)
            case operation:
                return Node(operation, None, args, start)

    def _array(self, phrase: Phrase, start: int) -> Node:
        inside = phrase.token.partition("(")[2].rstrip(")")
        texts = inside.split(",") if inside.strip() else []
        wrong = next((text for text in texts if not _ENTRY.match(text)), None)
        if wrong is not None:
            reason = f"an array has numbers, {wrong.strip()!r} is none"
            raise self._fail(reason, phrase.token, ("numbers and commas",))
        numbers = [float(text) for text in texts]
        given = None if phrase.sizes is None else [self._size(token) for token in phrase.sizes]
        shape = [len(numbers)] if given is None else [d for d in given if isinstance(d, int)]
        if (given is not None and len(shape) < len(given)) or prod(shape) != len(numbers):
            count = f"{len(numbers)} number{'s' * (len(numbers) != 1)}"
            reason = f"an array of {count} has as many entries, and integers as sizes"
            raise self._fail(reason, phrase.token)
        if len(shape) > MAXIMAL_ORDER:
            raise self._fail(f"the largest order is {MAXIMAL_ORDER}", phrase.token)
        try:
            array = fixed_array(np.reshape(numbers, shape))
        except ValueError as error:
            raise self._fail(f"no array has such a shape: {error}", phrase.token) from None
        return Node("array", array, (), start, len(shape), tuple((d, start) for d in shape))

    def _arity(self, token: Token) -> int:
        known = self.functions.get(token) or FUNCTIONS.get(token)
        return known.arity if known else 1

    def _number(self, token: Token) -> Fraction:
        try:
            value = read_number(token)
        except ZeroDivisionError:
            raise self._fail("this number divides by zero", token) from None
        if value is None:
            reason = f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
            raise self._fail(reason, token)
        return value

    def _order(self, token: Token) -> int:
        return self._bounded(token, token, MAXIMAL_ORDER)

    def _bounded(self, digits: str, token: Token, most: int) -> int:
        if not digits.isdigit():
            raise self._fail(f"an order is an integer, not {str(token)!r}", token, ("an integer",))
        if len(digits.lstrip("0")) > len(str(most)) or int(digits) > most:
            raise self._fail(f"the largest order is {most}", token)
        return int(digits)

    def _sizes(self, tokens: Sequence[Token]) -> tuple[tuple[Size, int], ...]:
        return tuple((self._size(token), offset_of(token)) for token in tokens)

    def _size(self, token: Token) -> Size:
        if token.type != "NUMBER":
            return unquoted(token)
        value = self._number(token)
        if value.denominator != 1:
            raise self._fail(f"a size is a name or an integer, not {str(token)!r}", token)
        if value > MAXIMAL_SIZE:
            raise self._fail(f"the largest size is {MAXIMAL_SIZE}", token)
        return int(value)

    def _fail(self, reason: str, token: Token, expected: tuple[str, ...] = ()) -> ParseError:
        return ParseError(reason, self.text, offset_of(token), expected)


def _build(node: Node, args: tuple[Term, ...], dims: Dims, renamed: dict[Size, Size]) -> Term:
    match node.op:
        case "variable":
            return terms.variable(node.name, dims, node.assumed)
        case "constant":
            return terms.constant(node.value, dims)
        case "array":
            return terms.array(node.array)
        case "delta":
            return terms.delta(dims[: len(dims) // 2])
        case "indicator":
            return terms.indicator(dims, resized_all(node.constraints, renamed))
        case "size":
            return terms.size(renamed.get(node.symbol, node.symbol))
        case "einsum":
            return terms.einsum(node.spec, *args)
        case name if name in EXTREMES:
            return terms.numeric(name, *args, data=node.spec)
        case "selection":
            return terms.selection(dims[-len(node.sizes or ()) :], *args)
        case "argsort":
            return terms.numeric("argsort", *args, data=node.number)
        case "cofactors":
            return terms.cofactors(node.number, *args)
        case name if name in STACK_FUNCTIONS:
            return terms.numeric(name, *args)
        case name if name in _BUILDERS:
            return _BUILDERS[name](*args)
        case name:
            return terms.apply(name, *args)
