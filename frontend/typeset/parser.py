"""LaTeX and typeset Unicode in: from text to an expression."""

from collections.abc import Iterable, Mapping, Sequence

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_LATEX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import known_functions
from eggrad.frontend.formulas.lines import names_of, problem_of
from eggrad.frontend.formulas.reader import Reader
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.words import MAXIMAL_ORDER
from eggrad.frontend.typeset.functions import ASKED, OF_ENTRIES
from eggrad.frontend.typeset.syntax import read


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a formula in LaTeX says, with nothing to differentiate by.

    See `eggrad.parse_latex`; `declared` are further functions.
    """
    known = known_functions(declared) | ASKED | OF_ENTRIES
    if dims is None:
        names = ", ".join(names_of(read(text, (), known, (), guessing=True)))
        if names:
            raise UnsupportedOperation(
                f"LaTeX says of no name how many axes it has: give the dims of {names}, such as "
                '"A: m n, x: n, c:"'
            )
    shapes = completed_dims(dims or {}, assume, MAXIMAL_ORDER)
    scalars = [name for name, sizes in shapes.items() if not sizes]
    lines = read(text, shapes, known, scalars)
    return problem_of(Reader(text, shapes, assume, known, IN_LATEX), lines)
