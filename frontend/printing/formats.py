"""The languages in which an expression can be written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import count
from types import MappingProxyType
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import Term, postorder, rebuild, steps_of, variable, variables
from eggrad.frontend.elementwise.printer import format_elementwise
from eggrad.frontend.printing import array_libraries as libraries
from eggrad.frontend.printing import julia, matlab, python, sympy
from eggrad.frontend.printing.dot import format_dot
from eggrad.frontend.printing.index import format_index
from eggrad.frontend.printing.latex import format_latex
from eggrad.frontend.printing.matrix import format_matrix, has_notation, shortest
from eggrad.frontend.printing.program_forms import form_in
from eggrad.frontend.printing.unicode import format_unicode
from eggrad.frontend.text.doors import checked_word
from eggrad.frontend.text.json_nodes import format_json
from eggrad.frontend.text.printer import format_problem, format_term


def _matrix(term: Term, scope: Sequence[Term]) -> str:
    return format_matrix(term, scope) if has_notation(term) else format_index(term)


def _unicode(term: Term, scope: Sequence[Term]) -> str:
    return format_unicode(term, scope) if has_notation(term) else format_index(term)


@dataclass(frozen=True)
class Format:
    """A language in which an expression can be written.

    `write` makes its text of a term, given variables that fix its sizes. The page offers it by its
    `label`. A `formula` is one, no definition, program or picture; it may be the `shortest` equal
    one that is found. A program has `words` for operations, and is written in a form that neither
    overflows nor loses digits; its numbers may be `exact`. It writes `numbers` of arrays, which
    have names elsewhere, and `loops`.
    """

    write: Callable[[Term, Sequence[Term]], str]
    label: str = ""
    _: KW_ONLY
    formula: bool = False
    shortest: bool = False
    words: Mapping[str, str] | None = None
    exact: bool = False
    numbers: bool = False
    loops: bool = False


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "einsum": Format(format_problem, "eggrad's language", formula=True, numbers=True),
        "matrix": Format(_matrix, "Matrix notation", formula=True, shortest=True),
        "index": Format(lambda term, _: format_index(term), "Index notation", formula=True),
        "unicode": Format(_unicode, "Unicode", formula=True, shortest=True),
        "latex": Format(lambda term, _: format_latex(term), "LaTeX", formula=True, shortest=True),
        "python": Format(
            python.format_python, "NumPy", words=python.WORDS, numbers=True, loops=True
        ),
        "elementwise": Format(lambda term, _: format_elementwise(term), "Entry by entry"),
        "jax": Format(
            libraries.format_jax, "JAX", words=libraries.IN_JAX, numbers=True, loops=True
        ),
        "torch": Format(
            libraries.format_torch, "PyTorch", words=libraries.IN_TORCH, numbers=True, loops=True
        ),
        "sympy": Format(sympy.format_sympy, "SymPy", words=sympy.WORDS, exact=True, numbers=True),
        "matlab": Format(matlab.format_matlab, "MATLAB", words=matlab.WORDS, numbers=True),
        "julia": Format(julia.format_julia, "Julia", words=julia.WORDS, numbers=True),
        "json": Format(format_json, "JSON", numbers=True, loops=True),
        "dot": Format(write=lambda term, _: format_dot(term), loops=True),
    }
)
"""Every language, by the name that `to` takes."""


def format_expression(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The text of a term in one of the languages.

    Formulas of matrices are the shortest found; programs compute what neither overflows nor loses
    digits, as `eggrad.compile` does.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_expression("matrix", einsum("i,i->i", x, einsum("i,i->i", x, x)), ())
    'x.^3'
    """
    known = FORMATS[language]
    if known.words is not None:
        term = form_in(known.words, term, exact=known.exact)
    elif known.shortest and not steps_of(term):
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
    known = FORMATS[checked_word("to", "language", language, FORMATS)]
    if not known.loops and steps_of(term):
        others = ", ".join(name for name, other in FORMATS.items() if other.loops)
        raise UnsupportedOperation(f"{language} has no loops; the formats that have: {others}")
    return known.write(term if known.numbers else _with_named_arrays(term), scope)


def format_formula(language: str, term: Term, scope: Sequence[Term]) -> str:
    """The formula of a term as it is, without declarations.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> format_formula("einsum", apply("sin", variable("x", ("n",))), ())
    'sin(x)'
    """
    if language == "einsum":
        return format_term(term)
    return format_unchanged(language, term, scope)
