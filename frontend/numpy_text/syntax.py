"""From text to Python's syntax tree; places in it, and what to say of what is no formula."""

import ast
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.texts import shown

LONGEST: Final = 100_000
"""Characters of a text."""
_DIGITS: Final = 4000
_LOOP: Final = "a loop is not read: write sums, products and slices of whole arrays"
_REFUSED: Final[Mapping[type[ast.AST], str]] = {
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), _LOOP),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _LOOP),
    **dict.fromkeys(
        (ast.If, ast.Match),
        "a branch is not read: write np.where(condition, a, b), or a if condition else b",
    ),
    ast.Starred: "arguments are written one by one, without '*'",
}
_POWER: Final = "a power is written with '**', and the inverse of a matrix np.linalg.inv(A)"
_KEPT: Final = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return),
    *(ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Import, ast.ImportFrom, ast.alias),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.Constant, ast.Tuple, ast.List),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.FormattedValue),
)
_TRUTH: Final = (ast.Compare, ast.BoolOp, ast.UnaryOp)


class Source:
    """A text and the places in it; Python counts bytes of a line."""

    def __init__(self, text: str) -> None:
        """Take a text as it is; ends of lines become those of Unix, one character for one."""
        self.text = text
        self.plain = text.replace("\r\n", " \n").replace("\r", "\n").replace("\f", " ")
        self._lines = self.plain.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]
        # Lines that are put before the text.
        self.shift = 0

    def offset(self, line: int, column: int) -> int:
        """The place of a line, counted from 1, and a number of bytes in it."""
        k = line - 1 - self.shift
        return self._starts[k] + len(self._lines[k].encode()[:column].decode(errors="ignore"))

    def start(self, node: ast.AST) -> int:
        """Where a part of the text begins."""
        found: ast.expr = node  # type: ignore[assignment] # what has no place is not asked for
        return self.offset(found.lineno, found.col_offset)

    def end(self, node: ast.expr) -> int:
        """The place after a part of the text."""
        return self.offset(node.end_lineno or 1, node.end_col_offset or 0)

    def after(self, node: ast.expr) -> int:
        """The place of the operator or bracket that follows a part of the text."""
        found = _BETWEEN.match(self.plain, self.end(node))
        return found.end() if found else self.end(node)

    def place(self, node: ast.AST) -> int:
        """Where a mistake in a part is shown: at its operator, bracket or name."""
        match node:
            case ast.BinOp() | ast.Compare():
                return self.after(node.left)
            case ast.Subscript():
                return self.after(node.value)
            case ast.Attribute():
                return self.end(node) - len(node.attr)
            case ast.Call():
                return self.place(node.func)
            case ast.IfExp():
                return self.after(node.body)
            case _:
                return self.start(node)

    def fail(self, reason: str, place: "int | ast.AST", *expected: str) -> ParseError:
        """The error at a place or a part."""
        offset = place if isinstance(place, int) else self.place(place)
        return ParseError(reason, self.text, offset, expected)


_BETWEEN: Final = re.compile(r"(?:[\s)\\]|#[^\n]*)*")


def read(text: str) -> tuple[Source, list[ast.stmt]]:
    """The statements of a text; raises `ParseError` for what is none or no formula.

    >>> [type(s).__name__ for s in read("r = A @ x - b; r @ r")[1]]
    ['Assign', 'Expr']
    """
    source = Source(text)
    if len(text) > LONGEST:
        raise source.fail(f"a text has at most {LONGEST:,} characters", LONGEST)
    for word in () if text.isascii() else _words(source.plain):
        # Python takes some signs for letters.
        sign = next((k for k, c in enumerate(word.text) if c in _HABITS), None)
        if sign is not None and word.kind in ("name", "other"):
            raise source.fail(_HABITS[word.text[sign]], word.start + sign)
    body = _parsed(source)
    if not body:
        raise source.fail("the expression is empty", len(source.plain.rstrip()), "an expression")
    _check(source, body)
    return source, body


def _parsed(source: Source) -> list[ast.stmt]:
    plain = source.plain
    first, _, rest = plain.partition("\n")
    margin = re.match(r"[ \t]+", rest)
    if (
        margin
        and first[:1].strip()
        and not first.rstrip().endswith((":", "(", "[", "{", ",", "\\"))
    ):
        # The first line was copied without its margin.
        plain = f"{first}\n{re.sub(rf'^{margin[0]}', '', rest, flags=re.MULTILINE)}"
    indented = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]+[^\s#]", plain)
    # Lines of the body of a function are read as those of a block.
    source.shift = int(bool(indented))
    try:
        tree = ast.parse("if 1:\n" * source.shift + plain)
    except SyntaxError as error:
        raise _diagnosis(source, error) from None
    except (RecursionError, MemoryError):
        raise source.fail("this is nested too deeply, or too long a sum", 0) from None
    except ValueError:
        place = next((k for k, c in enumerate(plain) if c == "\0" or "\ud800" <= c <= "\udfff"), 0)
        raise source.fail("this character has no meaning here", place) from None
    if not source.shift:
        return tree.body
    block = tree.body[0]
    assert isinstance(block, ast.If)
    if len(tree.body) > 1 or block.orelse:
        raise source.fail("all lines begin at the same column", (tree.body + block.orelse)[1])
    return block.body


def _check(source: Source, body: Sequence[ast.stmt]) -> None:
    """Raise for the first part that is no part of a formula."""
    wrong: list[tuple[int, str]] = []
    nodes = [node for statement in body for node in ast.walk(statement)]
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            if not isinstance(node.left, _TRUTH) and not isinstance(node.right, _TRUTH):
                turned = isinstance(node.right, ast.Name) and node.right.id == "T"
                wrong.append((source.place(node), _TRANSPOSE if turned else _POWER))
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, bytes)
        ):
            wrong.append((source.start(node) + 1, _TRANSPOSE))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Starred):
            wrong.append((source.start(node), "an operand is missing before '*'"))
        elif isinstance(node, ast.FunctionDef) and node.decorator_list:
            wrong.append((source.start(node.decorator_list[0]), "functions are read plain"))
        elif not isinstance(node, _KEPT) and hasattr(node, "lineno"):
            reason = _REFUSED.get(type(node), f"{_said(source, node)} is no part of a formula")
            wrong.append((source.start(node), reason))
    if wrong:
        place, reason = min(wrong)
        raise source.fail(reason, place)


def _said(source: Source, node: ast.AST) -> str:
    """The first word of a part."""
    start = source.start(node)
    word = re.compile(r"\w+|\S").match(source.plain, start)
    return repr(word[0]) if word else "this"


# What is no Python ----------------------------------------------------------------------

_TRANSPOSE: Final = "a transpose is written with '.T', as in x.T"
_HABITS: Final[Mapping[str, str]] = {
    ".*": "a product entry by entry is written with '*', that of matrices with '@'",
    "./": "a quotient entry by entry is written with '/'",
    ".^": "powers of entries are written with '**'",
    ".'": _TRANSPOSE,
    "||": "a norm is written np.linalg.norm(x)",
    "‖": "a norm is written np.linalg.norm(x)",
    "ᵀ": _TRANSPOSE,
    "\N{DOWN TACK}": _TRANSPOSE,
    "√": "a square root is written np.sqrt(x)",
    "∑": "a sum is written np.sum(x)",
    **dict.fromkeys(
        "\N{MIDDLE DOT}\N{DOT OPERATOR}\N{MULTIPLICATION SIGN}",
        "a product is written with '*' entry by entry, with '@' of matrices",
    ),
    "⊙": "a product entry by entry is written with '*'",
    "⊗": "a Kronecker product is written np.kron(A, B)",
    "\N{MINUS SIGN}": "a minus is written with '-'",
    "≤": "write '<='",
    "≥": "write '>='",
    "≠": "write '!='",
    "\\": "a system is solved by np.linalg.solve(A, b); LaTeX is read by eggrad.parse_latex",
    "&&": "two conditions are joined by '&', in brackets",
    "$": "LaTeX is read by eggrad.parse_latex",
    "?": "a choice is written np.where(condition, a, b)",
    **dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "a power is written with '**'"),
}
_OPERATORS: Final = ("'+'", "'-'", "'*'", "'@'", "'/'", "'**'")
_OPERAND: Final = ("a number", "a name", "'('", "'-'")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_PATTERN: Final = re.compile(
    r"""(?P<space>[ \t]+|\\\n|\#[^\n]*)|(?P<line>\n)
    |(?P<number>(?:0[xXoObB][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.(?![*/^'])[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?))
    |(?P<name>[^\W\d]\w*)
    |(?P<text>\"\"\".*?\"\"\"|\"[^\"\n]*\"|'[^'\n]*')
    |(?P<operator>\*\*=|//=|>>=|<<=|->|:=|\.\.\.|\.[*/^']|\|\||&&|\*\*|//|<<|>>|[<>=!]=|[-+*/%@&|^]=
    |[-+*/%@&|^~<>=.,:;()\[\]{}])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class _Word(NamedTuple):
    """A word of a text, what kind it is, and where it begins and ends."""

    text: str
    kind: str
    start: int
    end: int

    @property
    def ends_operand(self) -> bool:
        """Whether an operator may follow."""
        return self.kind in ("number", "name", "text") or self.text in (")", "]", "}", "...")

    @property
    def begins_operand(self) -> bool:
        """Whether it stands where an operand does."""
        return self.kind in ("number", "name", "text")


def _words(text: str) -> Iterator[_Word]:
    open_brackets = 0
    for found in _PATTERN.finditer(text):
        kind, word = str(found.lastgroup), found[0]
        if kind == "operator":
            open_brackets += (word in _CLOSING) - (word in _CLOSING.values())
        if kind == "name" and keyword.iskeyword(word):
            kind = "name" if word in ("None", "True", "False") else "keyword"
        if kind == "line" and open_brackets <= 0:
            yield _Word("the end of the line", "end", found.start(), found.end())
        elif kind not in ("space", "line"):
            yield _Word(word, kind, found.start(), found.end())
    end = len(text.rstrip())
    yield _Word("the end", "end", end, end)


def _diagnosis(source: Source, error: SyntaxError) -> ParseError:
    """What to say of a text that Python does not read: the first thing that cannot be."""
    words = list(_words(source.plain))
    for before, word, after in zip([None, *words], words, [*words[1:], words[-1]], strict=False):
        found = _habit(source, before, word, after)
        if found:
            return found
    found = _open_bracket(source, words) or _missing(source, words)
    if found:
        return found
    place = source.offset(max(1 + source.shift, error.lineno or 1), 0)
    if isinstance(error, IndentationError):
        reason = "all lines begin at the same column"
        if str(error.msg).startswith("expected"):
            reason = "the lines of a function are missing, which begin with blanks"
        blanks = re.compile(r"[ \t]*").match(source.plain, place)
        return source.fail(reason, blanks.end() if blanks else place)
    place = min(place + max(0, (error.offset or 1) - 1), len(source.plain))
    return source.fail(f"Python does not read this: {shown(str(error.msg))[1:-1]}", place)


def _habit(source: Source, before: _Word | None, word: _Word, after: _Word) -> ParseError | None:
    """What other notations write, and Python does not."""
    quote = word.text[0] in "'\""
    if quote and before and before.ends_operand and before.end == word.start:
        return source.fail(_TRANSPOSE, word.start)
    if word.kind == "number" and len(word.text) > _DIGITS:
        return source.fail(f"a number has at most {_DIGITS} digits", word.start)
    if word.text in _HABITS and (word.kind == "other" or word.text in (".*", "./", ".^", ".'")):
        return source.fail(_HABITS[word.text], word.start)
    if word.text in ("||", "&&") or (word.text == "|" and not (before and before.ends_operand)):
        return source.fail(
            _HABITS.get(word.text, "an absolute value is written np.abs(x)"), word.start
        )
    if word.text == "=" and before and before.text in (")", "]") and after.text != "=":
        return source.fail(
            "left of '=' stands a name; a function is written def f(x): return ...", word.start
        )
    if word.kind == "other" and not quote:
        return source.fail(f"the character {word.text!r} has no meaning here", word.start)
    return (
        source.fail("this text is never closed", word.start, word.text)
        if (word.kind == "other")
        else None
    )


def _open_bracket(source: Source, words: Sequence[_Word]) -> ParseError | None:
    opened: list[_Word] = []
    for word in words:
        if word.kind == "operator" and word.text in _CLOSING:
            opened.append(word)
        elif word.kind == "operator" and word.text in _CLOSING.values():
            if not opened:
                return source.fail("this bracket closes nothing", word.start)
            opener = opened.pop()
            if _CLOSING[opener.text] != word.text:
                return source.fail(
                    f"this bracket does not fit the {opener.text!r} before it", word.start
                )
    return source.fail("this bracket is never closed", opened[-1].start) if opened else None


def _missing(source: Source, words: Sequence[_Word]) -> ParseError | None:
    """The first operator or operand that is missing."""
    first = words[0]
    if first.text in ("*", "/", "@", "**", "%", "==", ",", "=", "."):
        return source.fail(f"an operand is missing before {first.text!r}", first.start)
    for word, after in pairwise(words):
        shown_word = after.text if after.kind == "end" else repr(after.text)
        if word.ends_operand and after.begins_operand:
            if word.kind == "number" and word.end == after.start:
                reason = f"{word.text}{after.text} is no number; a product is written "
                return source.fail(f"{reason}{word.text} * {after.text}", after.start, *_OPERATORS)
            reason = f"an operator is missing before {shown_word}"
            return source.fail(reason, after.start, *_OPERATORS)
        if word.text == "." and after.kind != "name":
            return source.fail("the name of an attribute follows '.'", after.start)
        if word.text == ":=":
            return source.fail("a name is given by '=', in a line of its own", word.start)
        if word.kind != "operator" or word.ends_operand or word.text in (":", ";", "."):
            continue
        opens = word.text in _CLOSING or word.text == ","
        if after.text in (",", "*", "/", "@", "**", "%", "=") or (
            not opens and (after.kind == "end" or after.text in (")", "]"))
        ):
            reason = f"an operand is missing before {shown_word}, after {word.text!r}"
            return source.fail(reason, after.start, *_OPERAND)
    kinds = {w.text: w.start for w in words if w.kind == "keyword"}
    if "if" in kinds and "else" not in kinds:
        return source.fail("a choice has two values: a if condition else b", kinds["if"])
    for known in ("lambda", "def"):
        if known in kinds and ":" not in {w.text for w in words}:
            form = {"lambda": "lambda x: x @ x", "def": "def f(x): return x @ x"}[known]
            return source.fail(f"a function is written {form}", kinds[known])
    return None
