"""The matrix language in: from text to an expression."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_MATRIX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import CONSTANTS, known_functions
from eggrad.frontend.formulas.guessing import the_only_axes
from eggrad.frontend.formulas.reader import Reader, check_calls
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
) -> Problem:
    """What a text of the matrix language says, with nothing to differentiate by.

    See `eggrad.parse_matrix`; `declared` are further functions.
    """
    known = known_functions(declared)
    names = None if dims is None else dims.keys() | heads(text)
    lines = FORMULAS.read(text, tokens(text, names, known.keys() | CONSTANTS))

    def read(axes: Declared, strict: bool = False) -> Problem:
        said = {n: w for n, w in assume.items() if n in axes} if strict else assume
        shapes = completed_dims(axes, said)
        reader = Reader(text, shapes, said, known, words=IN_MATRIX, strict=strict)
        return reader.problem(lines)

    if dims is None:
        check_calls(text, [line.body for line in lines], known)
        dims = the_only_axes(text, partial(read, strict=True))
    return read(dims)
