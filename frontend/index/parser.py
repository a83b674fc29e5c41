"""Index notation in: from text to an expression."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import Function
from eggrad.frontend.expression.expression import combine
from eggrad.frontend.formulas.advice import IN_INDEX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import Known, known_functions
from eggrad.frontend.formulas.lines import problem_of
from eggrad.frontend.formulas.names import is_word
from eggrad.frontend.formulas.reader import Reader
from eggrad.frontend.formulas.syntax import Line
from eggrad.frontend.formulas.values import Value, column, square
from eggrad.frontend.index.sums import COFACTORS, OF_MATRICES, Sums, takes_matrix
from eggrad.frontend.index.syntax import read
from eggrad.frontend.index.tokens import heads
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.words import MAXIMAL_ORDER, offset_of, unquoted


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
    lines = read(text, [*(dims or ()), *defined], called)
    known = completed_dims(
        _inferred(text, lines, functions) if dims is None else dims, assume, MAXIMAL_ORDER
    )
    sizes = {s for axes in known.values() for d in axes for s in size_symbols(d)}
    variables = {n: axes for n, axes in known.items() if n not in defined}
    sums = Sums(text, {n: len(axes) for n, axes in variables.items()}, sizes)
    reader = Reader(text, known, assume, functions, IN_INDEX, defined)
    return problem_of(reader, [sums.line(line) for line in lines])


def _cofactors(text: str) -> dict[str, Known]:
    """The functions `cof2(A)_ijkl` that a text calls: cofactors of some order."""

    def applied(k: int, a: Value) -> Value:
        whole = square(f"cof{k}", a)
        return column(combine("cofactors", [whole], [], partial(terms.cofactors, k)))

    names = {name for name in re.findall(r"cof\d+", text) if COFACTORS.match(name)}
    return {n: Known(partial(applied, int(n[3:])), "Cofactors of a matrix.") for n in names}


def _inferred(text: str, lines: Sequence[Line], functions: Collection[str]) -> dict[str, int]:
    """How many axes each name has: as many as it has indices, or those of a matrix."""
    defined = {unquoted(line.head.token) for line in lines if line.head}
    found: dict[str, int] = {}
    # Phrases, each with the number of indices that stand behind it.
    stack = [(line.body, 0) for line in reversed(lines)]
    while stack:
        phrase, behind = stack.pop()
        below = len(phrase.sizes or ()) + behind
        inside = below if phrase.what == "upper" and phrase.operands[0].what == "use" else 0
        if phrase.what == "stated" and takes_matrix(phrase.operands[0]):
            (phrase,) = phrase.operands
            inside = 2
        elif phrase.what == "call" and takes_matrix(phrase):
            inside = 2
        stack.extend((p, inside) for p in reversed(phrase.operands))
        name = unquoted(phrase.token)
        if phrase.what != "use" or name in defined:
            continue
        if not below and is_word(name):
            reason = f"no function or variable is called {name!r}{suggestion(name, functions)}"
            raise ParseError(reason, text, offset_of(phrase.token))
        if found.setdefault(name, below) != below:
            raise ParseError(
                f"{name} has {found[name]} indices at one place and {below} here",
                text,
                offset_of(phrase.token),
            )
    return found
