"""Index notation in: from text to an expression."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import Function
from eggrad.frontend.expression.expression import combine
from eggrad.frontend.formulas.advice import IN_INDEX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import Known, known_functions
from eggrad.frontend.formulas.names import is_word
from eggrad.frontend.formulas.reader import Reader
from eggrad.frontend.formulas.sums import COFACTORS, OF_MATRICES, Sums, takes_matrix
from eggrad.frontend.formulas.syntax import Formulas, Line, Spelling
from eggrad.frontend.formulas.values import Value, column, square
from eggrad.frontend.index.tokens import heads, tokens
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.words import MAXIMAL_ORDER, offset_of, unquoted
from eggrad.frontend.typeset.parser import lines_of

FORMULAS: Final = Formulas(
    Spelling(
        operand=("a number", "a name", "'('", "a sum"),
        operator=("'+'", "'-'", "'*'", "'/'", "'^'"),
        sign_missing="",
    )
)


_AS_LATEX: Final = re.compile(r"\\[dt]?frac|\\sqrt")


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a text in index notation says, with nothing to differentiate by.

    See `eggrad.parse_index`; `declared` are further functions.
    """
    functions = known_functions(declared) | _cofactors(text)
    defined = [unquoted(h) for h in heads(text)]
    called = [*functions, *OF_MATRICES]
    if _AS_LATEX.search(text):
        lines = lines_of(text, dims, declared)
    else:
        lines = FORMULAS.read(text, tokens(text, [*(dims or ()), *defined], called))
    axes = _inferred(text, lines, functions) if dims is None else dims
    known = completed_dims(axes, assume, MAXIMAL_ORDER)
    sizes = {s for axes in known.values() for d in axes for s in size_symbols(d)}
    variables = {n: axes for n, axes in known.items() if n not in defined}
    sums = Sums(text, {n: len(axes) for n, axes in variables.items()}, sizes)
    reader = Reader(text, known, assume, functions, words=IN_INDEX, defined=defined)
    return reader.problem([sums.line(line) for line in lines])


def _cofactors(text: str) -> dict[str, Known]:
    """The functions `cof2(A)_ijkl` that a text calls: cofactors of some order."""

    def applied(k: int, a: Value) -> Value:
        whole = square(f"cof{k}", a)
        return column(combine("cofactors", [whole], [], partial(terms.cofactors, k)))

    names = {name for name in re.findall(r"cof\d+", text) if COFACTORS.match(name)}
    return {n: Known(partial(applied, int(n[3:])), "Cofactors of a matrix.") for n in names}


def _inferred(text: str, lines: Sequence[Line], functions: Collection[str]) -> dict[str, int]:
    """How many axes each name has: as many as it has indices, or those of a matrix."""
    defined = {unquoted(line.name) for line in lines if line.name}
    found: dict[str, int] = {}
    stack = [line.body for line in reversed(lines)]
    while stack:
        phrase = stack.pop()
        base, below = phrase, 0
        while base.what in ("below", "upper") and base.operands[0].what in (
            "use",
            "below",
            "upper",
        ):
            below += len(base.sizes or ())
            base = base.operands[0]
        matrix = takes_matrix(phrase)
        whole = phrase.operands[0] if phrase.what == "below" else phrase
        names = whole.operands[:1] if matrix else (base,) if base.what == "use" else ()
        if not names:
            stack.extend(reversed(phrase.operands))
        for use in names:
            count = 2 if matrix else below
            name = unquoted(use.token)
            if use.what != "use" or name in defined:
                continue
            if re.fullmatch("d[A-Za-z]", name):
                raise ParseError("derivatives are not read", text, offset_of(use.token))
            if not count and is_word(name):
                reason = f"no function or variable is called {name!r}{suggestion(name, functions)}"
                raise ParseError(reason, text, offset_of(use.token))
            if found.setdefault(name, count) != count:
                raise ParseError(
                    f"{name} has {found[name]} indices at one place and {count} here",
                    text,
                    offset_of(use.token),
                )
    return found
