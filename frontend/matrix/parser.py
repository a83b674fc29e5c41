"""The matrix language in: from text to an expression."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_MATRIX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import CONSTANTS, known_functions
from eggrad.frontend.formulas.guessing import the_only_axes
from eggrad.frontend.formulas.reader import Guessed, Reader, check_calls
from eggrad.frontend.formulas.syntax import Formulas, Spelling
from eggrad.frontend.matrix.tokens import heads, tokens
from eggrad.frontend.text.phrases import Problem

FORMULAS: Final = Formulas(
    Spelling(
        operand=("a number", "a name", "'('", "'-'"),
        operator=("'+'", "'-'", "'*'", "'.*'", "'/'", "'./'", "'^'", "'.^'", '"\'"'),
        sign_missing="; a product is written with '*'",
    )
)


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
    guessed: Guessed = "",
) -> Problem:
    """What a text of the matrix language says, with nothing to differentiate by.

    See `eggrad.parse_matrix`; `declared` are further functions, `guessed` see `Reader`.
    """
    known = known_functions(declared)
    names = None if dims is None else dims.keys() | heads(text)
    lines = FORMULAS.read(text, tokens(text, names, known.keys() | CONSTANTS))

    def read(axes: Declared, guessed: Guessed, said: Mapping[str, Iterable[str]]) -> Problem:
        shapes = completed_dims(axes, said)
        reader = Reader(text, shapes, said, known, words=IN_MATRIX, guessed=guessed)
        return reader.problem(lines)

    def tried(axes: Declared) -> Problem:
        return read(axes, "strict", {n: w for n, w in assume.items() if n in axes})

    if dims is not None:
        return read(dims, guessed, assume)
    check_calls(text, [line.body for line in lines], known)
    return read(the_only_axes(text, tried), "strict", assume)
