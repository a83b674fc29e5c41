"""The languages in which an expression can be written."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import Term, postorder, rebuild, variable, variables

__all__ = ["FORMATS", "FORMULAS", "format_expression", "format_formula", "format_unchanged"]


def _einsum(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.text.printer import format_problem

    return format_problem(term, scope)


def _matrix(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.printing.matrix_form import has_notation
    from eggrad.frontend.printing.matrix_printer import format_matrix

    return format_matrix(term, scope) if has_notation(term) else _index(term, scope)


def _index(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.printing.index_printer import format_index

    return format_index(term)


def _python(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.printing.python_printer import format_python

    return format_python(term, scope)


def _latex(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.printing.latex_printer import format_latex

    return format_latex(term)


def _elementwise(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.elementwise.writing import format_elementwise

    return format_elementwise(term)


def _dot(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.printing.dot_printer import format_dot

    return format_dot(term)


FORMATS: Final[dict[str, Callable[[Term, Sequence[Term]], str]]] = {
    "einsum": _einsum,
    "matrix": _matrix,
    "index": _index,
    "latex": _latex,
    "python": _python,
    "elementwise": _elementwise,
    "dot": _dot,
}
"""What writes a term in each language, given variables that fix its sizes."""

_WITH_NUMBERS: Final = ("einsum", "python")
"""The languages that write the numbers of an array; the others give it a name."""

SHORTENED: Final = ("matrix", "latex")
FORMULAS: Final = ("einsum", "matrix", "index", "latex")
"""The languages in which a term is a formula, not a definition, a program or a picture."""


def format_expression(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term in one of the languages; formulas of matrices are the shortest found.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_expression("matrix", einsum("i,i->i", x, einsum("i,i->i", x, x)), ())
    'x.^3'
    """
    from eggrad.frontend.printing.matrix_search import shortest

    return format_unchanged(language, shortest(term) if language in SHORTENED else term, scope)


def _with_named_arrays(term: Term) -> Term:
    """The term with variables array1, array2, ... for arrays of known numbers."""
    taken = {v.name for v in variables(term)}
    unused = (name for k in count(1) if (name := f"array{k}") not in taken)
    done: dict[Term, Term] = {}
    for t in postorder(term):
        own = tuple(done[a] for a in t.args)
        done[t] = variable(next(unused), t.dims) if t.op == "array" else rebuild(t, own)
    return done[term]


def format_unchanged(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term as it is, without a search for a shorter one.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_unchanged("matrix", einsum("i,i->i", x, einsum("i,i->i", x, x)), ())
    'x.*(x.*x)'
    """
    if language not in FORMATS:
        known = ", ".join(FORMATS)
        raise UnsupportedOperation(f"there is no format {language!r}; the formats are: {known}")
    own = term if language in _WITH_NUMBERS else _with_named_arrays(term)
    return FORMATS[language](own, scope)


def format_formula(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The formula of a term as it is, without declarations.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> format_formula("einsum", apply("sin", variable("x", ("n",))), ())
    'sin(x)'
    """
    if language == "einsum":
        from eggrad.frontend.text.printer import format_term

        return format_term(term)
    return format_unchanged(language, term, scope)
