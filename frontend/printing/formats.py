"""The languages in which an expression can be written."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import Term, postorder, rebuild, steps_of, variable, variables
from eggrad.frontend.elementwise.printer import format_elementwise
from eggrad.frontend.printing.array_libraries import format_jax, format_torch
from eggrad.frontend.printing.dot import format_dot
from eggrad.frontend.printing.index import format_index
from eggrad.frontend.printing.julia import format_julia
from eggrad.frontend.printing.latex import format_latex
from eggrad.frontend.printing.matlab import format_matlab
from eggrad.frontend.printing.matrix import format_matrix, has_notation, shortest
from eggrad.frontend.printing.program_forms import LACKING, computed
from eggrad.frontend.printing.python import format_python
from eggrad.frontend.printing.sympy import format_sympy
from eggrad.frontend.printing.unicode import format_unicode
from eggrad.frontend.text.doors import checked_word
from eggrad.frontend.text.json_nodes import format_json
from eggrad.frontend.text.printer import format_problem, format_term


def _matrix(term: Term, scope: Sequence[Term]) -> str:
    return format_matrix(term, scope) if has_notation(term) else format_index(term)


def _unicode(term: Term, scope: Sequence[Term]) -> str:
    return format_unicode(term, scope) if has_notation(term) else format_index(term)


FORMATS: Final[dict[str, Callable[[Term, Sequence[Term]], str]]] = {
    "einsum": format_problem,
    "matrix": _matrix,
    "index": lambda term, _: format_index(term),
    "unicode": _unicode,
    "latex": lambda term, _: format_latex(term),
    "python": format_python,
    "elementwise": lambda term, _: format_elementwise(term),
    "jax": format_jax,
    "torch": format_torch,
    "sympy": format_sympy,
    "matlab": format_matlab,
    "julia": format_julia,
    "json": format_json,
    "dot": lambda term, _: format_dot(term),
}
"""What writes a term in each language, given variables that fix its sizes."""

_WITH_NUMBERS: Final = ("einsum", "python", "jax", "torch", "sympy", "matlab", "julia", "json")
"""The languages that write the numbers of an array; the others give it a name."""

_WITH_LOOPS: Final = ("python", "jax", "torch", "json", "dot")

SHORTENED: Final = ("matrix", "unicode", "latex")
FORMULAS: Final = ("einsum", "matrix", "unicode", "index", "latex")
"""The languages in which a term is a formula, not a definition, a program or a picture."""


def format_expression(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term in one of the languages.

    Formulas of matrices are the shortest found; programs compute what neither overflows nor loses
    digits, as `eggrad.compile` does.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_expression("matrix", einsum("i,i->i", x, einsum("i,i->i", x, x)), ())
    'x.^3'
    """
    if language in LACKING:
        term = computed(term, language)
    elif language in SHORTENED and not steps_of(term):
        term = shortest(term)
    return format_unchanged(language, term, scope)


def _with_named_arrays(term: Term) -> Term:
    """The term with variables array1, array2, ... for arrays of known numbers."""
    taken = {v.name for v in variables(term)}
    unused = (name for k in count(1) if (name := f"array{k}") not in taken)
    done: dict[Term, Term] = {}
    for t in postorder(term):
        operands = tuple(done[a] for a in t.args)
        done[t] = variable(next(unused), t.dims) if t.op == "array" else rebuild(t, operands)
    return done[term]


def format_unchanged(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term as it is, without a search for a shorter one.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_unchanged("matrix", einsum("i,i->i", x, einsum("i,i->i", x, x)), ())
    'x.*(x.*x)'
    """
    checked_word("to", "language", language, FORMATS)
    if language not in _WITH_LOOPS and steps_of(term):
        known = ", ".join(_WITH_LOOPS)
        raise UnsupportedOperation(f"{language} has no loops; the formats that have: {known}")
    written = term if language in _WITH_NUMBERS else _with_named_arrays(term)
    return FORMATS[language](written, scope)


def format_formula(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The formula of a term as it is, without declarations.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> format_formula("einsum", apply("sin", variable("x", ("n",))), ())
    'sin(x)'
    """
    if language == "einsum":
        return format_term(term)
    return format_unchanged(language, term, scope)
