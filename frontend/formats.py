"""The languages in which an expression can be written."""

from collections.abc import Callable, Sequence
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.term import Term

__all__ = ["FORMATS", "format_expression"]


def _einsum(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.text_printer import format_problem

    return format_problem(term, scope)


def _matrix(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.matrix_printer import format_matrix

    flat = _flat(term)
    return _index(term, scope) if flat is None else format_matrix(flat, scope)


def _flat(term: Term) -> Term | None:
    """An equal term that has matrix notation; None where none was found."""
    from eggrad.frontend.matrix_form import has_notation
    from eggrad.frontend.matrix_search import without_tensors

    if has_notation(term) or term.order > 2:
        return term if term.order <= 2 else None
    found = without_tensors(term)
    return found if has_notation(found) else None


def _index(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.index_printer import format_index

    return format_index(term)


def _python(term: Term, scope: Sequence[Term]) -> str:
    from eggrad.frontend.python_printer import format_python

    return format_python(term, scope)


def _latex(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.latex_printer import format_latex

    return format_latex(_flat(term) or term)


def _elementwise(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.elementwise_writing import format_elementwise

    return format_elementwise(term)


def _dot(term: Term, _scope: Sequence[Term]) -> str:
    from eggrad.frontend.dot_printer import format_dot

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


def format_expression(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term in one of the languages.

    >>> from eggrad.engine.term import apply, variable
    >>> format_expression("matrix", apply("sin", variable("x", ("n",))), ())
    'sin(x)'
    """
    if language not in FORMATS:
        known = ", ".join(FORMATS)
        raise UnsupportedOperation(f"there is no format {language!r}; the formats are: {known}")
    return FORMATS[language](term, scope)
