"""LaTeX and typeset Unicode in: from text to an expression."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.functions import Function
from eggrad.frontend.formulas.advice import IN_LATEX
from eggrad.frontend.formulas.declarations import Declared, completed_dims
from eggrad.frontend.formulas.functions import known_functions
from eggrad.frontend.formulas.names import names_of
from eggrad.frontend.formulas.reader import Guessed, Reader
from eggrad.frontend.formulas.sums import Sums, are_sums_understood
from eggrad.frontend.formulas.syntax import Formulas, Line, Spelling
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.words import MAXIMAL_ORDER
from eggrad.frontend.typeset.functions import ASKED, OF_ENTRIES
from eggrad.frontend.typeset.tokens import tokens

FORMULAS: Final = Formulas(
    Spelling(
        operand=("a number", "a name", "'('"),
        operator=(r"'\cdot'",),
        sign_missing=r"; a product is \cdot",
        times=" ",
        macro="\\",
        brackets=r"write \frac{}{} or brackets",
        nested="powers of powers need braces, as in {a^b}^c or a^{b^c}",
        after_function="the argument of {} is missing",
    )
)


def lines_of(
    text: str, names: Collection[str] | None, declared: Sequence[Function] = ()
) -> list[Line]:
    r"""The lines of a formula with variables of these names, None where nobody says them.

    >>> lines_of(r"\frac12 x^\top A x", ["A", "x"])[0].body.what
    'TIMES'
    """
    functions = known_functions(declared) | OF_ENTRIES
    return FORMULAS.read(text, tokens(text, names or (), functions))


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
    guessed: Guessed = "",
) -> Problem:
    """What a formula in LaTeX says, with nothing to differentiate by.

    See `eggrad.parse_latex`; `declared` are further functions, `guessed` see `Reader`.
    """
    if dims is None:
        names = ", ".join(names_of(lines_of(text, None, declared)))
        if names:
            raise UnsupportedOperation(
                f"LaTeX says of no name how many axes it has: give the dims of {names}, such as "
                '"A: m n, x: n, c:"'
            )
    shapes = completed_dims(dims or {}, assume, MAXIMAL_ORDER)
    known = known_functions(declared) | ASKED | OF_ENTRIES
    reader = Reader(text, shapes, assume, known, words=IN_LATEX, guessed=guessed)
    lines = lines_of(text, shapes, declared)
    if are_sums_understood(lines):
        orders = {name: len(axes) for name, axes in shapes.items()}
        sums = Sums(text, orders, reader.sizes)
        lines = [sums.line(line) for line in lines]
    return reader.problem(lines)
