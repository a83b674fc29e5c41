"""The matrix language in: from text to an expression."""

from collections.abc import Iterable, Mapping, Sequence

from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_MATRIX
from eggrad.frontend.formulas.declarations import Declared
from eggrad.frontend.formulas.functions import known_functions
from eggrad.frontend.formulas.lines import read_lines
from eggrad.frontend.matrix.syntax import read
from eggrad.frontend.text.phrases import Problem


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a text of the matrix language says, with nothing to differentiate by.

    See `eggrad.parse_matrix`; `declared` are further functions.
    """
    return read_lines(text, read(text), dims, assume, known_functions(declared), IN_MATRIX)
