"""What can be wrong in one place of a Python file: a sign, an index, a condition, a number."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from string import ascii_letters
from typing import Final

KINDS: Final = ("sign", "index", "condition", "boundary", "number")
PAIRS: Final = {
    "sign": (("+", "-"), ("*", "/"), ("+=", "-="), ("min", "max")),
    "condition": (("and", "or"), ("==", "!="), ("is", "is not"), ("in", "not in")),
    "boundary": (("<", "<="), (">", ">=")),
}
SWAPS: Final = {
    old: (kind, new)
    for kind, pairs in PAIRS.items()
    for pair in pairs
    for old, new in (pair, pair[::-1])
}
SMALL: Final = 20
COMMENT: Final = re.compile(rb"#[^\n]*")
OPERATOR: Final = re.compile(rb"is\s+not|not\s+in|[^\s()\\]+")
EINSUM: Final = re.compile(r"[A-Za-z]*(,[A-Za-z]*)*->[A-Za-z]*")
COLLECTIONS: Final = (ast.Tuple, ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.JoinedStr)


@dataclass(frozen=True)
class Edit:
    """Bytes of a file from `start` to `end`, and the text that takes their place."""

    kind: str
    start: int
    end: int
    text: str


def edits(source: bytes) -> list[Edit]:
    """All edits of a file, in order of their nodes."""
    file = _File(source)
    return [edit for node in _nodes(ast.parse(source)) for edit in file.edits(node)]


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those in it, without annotations, docstrings, errors and notes of laws.

    F-strings are left out: most are messages, and Python 3.11 does not know positions in them.
    """
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Expr(ast.Constant()):
            return
        case ast.Assert(test):
            children = [test]
        case ast.Call(ast.Attribute(attr="noted") as function):
            children = [function]
        case _:
            unread = {getattr(node, name, None) for name in ("annotation", "returns")}
            children = [child for child in ast.iter_child_nodes(node) if child not in unread]
    yield node
    for child in children:
        yield from _nodes(child)


class _File:
    """A file in which the places of nodes are known."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def span(self, node: ast.expr) -> tuple[int, int]:
        """The bytes of a node, without brackets around it."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = self.lines[node.lineno - 1], self.lines[node.end_lineno - 1]
        return first + node.col_offset, last + node.end_col_offset

    def edits(self, node: ast.AST) -> Iterator[Edit]:
        """The edits of a node that are not those of a node in it."""
        match node:
            # What is put together is seldom subtracted or divided: the first run shows it.
            case ast.BinOp(left, _, right) if not isinstance(left, COLLECTIONS):
                if not isinstance(right, COLLECTIONS):
                    yield from self.operator(left, right)
            case ast.AugAssign(target, _, value):
                yield from self.operator(target, value)
            case ast.BoolOp(_, values):
                yield from self.operators(values)
            case ast.Compare(left, _, others):
                yield from self.operators([left, *others])
                for operand in (left, *others):
                    yield from self.one_more(operand)
            case ast.UnaryOp(ast.USub() | ast.Not() as op):
                start, _ = self.span(node)
                negative = isinstance(op, ast.USub)
                kind, length = ("sign", len("-")) if negative else ("condition", len("not"))
                yield Edit(kind, start, start + length, "")
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                yield from self.negated(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self.negated(test)
            case ast.Subscript(slice=ast.Constant(0) as index):
                yield Edit("index", *self.span(index), "-1")
            case ast.Subscript(slice=ast.Name(name) as index) if len(name) == 1:
                yield Edit("index", *self.span(index), f"{name} + 1")
            case ast.Call(ast.Name("min" | "max" as name) as function):
                yield Edit("sign", *self.span(function), SWAPS[name][1])
            case ast.Call(ast.Attribute(attr="when") as function, conditions):
                yield from self.without_each(conditions, 0)
                if len(conditions) == 1:
                    _, start = self.span(function)
                    yield Edit("condition", start - len(".when"), self.span(node)[1], "")
            case ast.FunctionDef(
                returns=ast.Name("Statement"), body=[*_, ast.Return(ast.Tuple(law))]
            ):
                yield from self.without_each(law, 1)
            case ast.Constant(str(spec)) if EINSUM.fullmatch(spec):
                yield from self.exchanged(node, spec)
            case ast.Constant(int() | float()) if not isinstance(node.value, bool):
                yield from self.number(node)
            case _:
                pass

    def operators(self, operands: Sequence[ast.expr]) -> Iterator[Edit]:
        """Another operator between two neighbours."""
        for left, right in pairwise(operands):
            yield from self.operator(left, right)

    def operator(self, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
        """Another operator between two operands; beside it are brackets and comments alone."""
        (_, start), (end, _) = self.span(left), self.span(right)
        gap = COMMENT.sub(lambda m: b" " * len(m[0]), self.source[start:end])
        found = OPERATOR.search(gap)
        assert found is not None
        kind, text = SWAPS.get(" ".join(found[0].decode().split()), ("", ""))
        if kind:
            yield Edit(kind, start + found.start(), start + found.end(), text)

    def negated(self, test: ast.expr) -> Iterator[Edit]:
        """One `not` more, where no other edit says the same."""
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            start, end = self.span(test)
            yield Edit("condition", start, end, f"not ({self.source[start:end].decode()})")

    def without_each(self, parts: Sequence[ast.expr], first: int) -> Iterator[Edit]:
        """All parts but one, from the first that may go; a comma goes with it."""
        for k, part in enumerate(parts[first:], first):
            start, end = self.span(part)
            if k:
                yield Edit("condition", self.span(parts[k - 1])[1], end, "")
            elif len(parts) > 1:
                yield Edit("condition", start, self.span(parts[1])[0], "")

    def number(self, node: ast.Constant) -> Iterator[Edit]:
        """0 for 1 and 1 for 0, so that `i + 1` is `i + 0`; else the negative, or one more."""
        start, end = self.span(node)
        small = _small(node)
        if small in {0, 1}:
            yield Edit("index", start, end, str(int(not small)))
        else:
            yield Edit("sign", start, start, "-")
            yield from self.one_more(node)

    def one_more(self, node: ast.expr) -> Iterator[Edit]:
        """A small number plus one."""
        small = _small(node)
        if small is not None:
            yield Edit("number", *self.span(node), str(small + 1))

    def exchanged(self, node: ast.Constant, spec: str) -> Iterator[Edit]:
        """An einsum text with two neighbours exchanged, but for a mere change of names."""
        start = self.span(node)[0] + len('"')
        for k, (i, j) in enumerate(pairwise(spec)):
            other = f"{spec[:k]}{j}{i}{spec[k + 2 :]}"
            if i.isalpha() and j.isalpha() and _renamed(other) != _renamed(spec):
                yield Edit("index", start + k, start + k + 2, j + i)


def _small(node: ast.expr) -> int | None:
    """The value of a whole number near 0."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int and value <= SMALL else None


def _renamed(spec: str) -> str:
    """An einsum text whose letters are a, b, c, ... in the order in which they occur."""
    letters = "".join(dict.fromkeys(filter(str.isalpha, spec)))
    return spec.translate(str.maketrans(letters, ascii_letters[: len(letters)]))
