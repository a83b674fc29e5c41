"""The matrix language in: from text to an expression."""

from collections.abc import Iterable, Mapping, Sequence

from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_MATRIX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import CONSTANTS, known_functions
from eggrad.frontend.formulas.inference import inferred_orders
from eggrad.frontend.formulas.lines import check_calls, problem_of
from eggrad.frontend.formulas.reader import Reader
from eggrad.frontend.matrix.syntax import heads, read
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
    known = known_functions(declared)
    lines = read(
        text, None if dims is None else dims.keys() | heads(text), known.keys() | CONSTANTS
    )
    if dims is None:
        check_calls(text, [line.body for line in lines], known)
        dims = inferred_orders(text, lines, known)
    return problem_of(Reader(text, completed_dims(dims, assume), assume, known, IN_MATRIX), lines)
