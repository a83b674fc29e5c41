"""What a program computes of a term: its stable form, in operations that the language has."""

from collections.abc import Mapping
from typing import Final

from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.code import OF_EXPONENTIALS, by_exponentials, program_form

# Operations that gain time alone, or for which a program would have to choose between formulas.
_NOWHERE: Final = frozenset(
    {
        *("solve", "symmetric_product", "product_of_pairs"),
        *("inverse_from_cholesky", "logdet_from_cholesky", "log_cosh"),
    }
)
LACKING: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("python", "jax", "torch", "matlab", "julia"), _NOWHERE),
    # The exponents of its numbers are integers of any size: nothing overflows.
    "sympy": _NOWHERE | {"norm", "logdet", *OF_EXPONENTIALS},
}
"""The languages of programs, and which numeric operations each of them lacks."""


def computed(term: Term, language: str) -> Term:
    """The term as it is, or where it may overflow or lose digits an equal one that does not.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> computed(apply("log", add(constant(1), apply("exp", variable("x")))), "jax").op
    'softplus'
    """
    found = program_form(term, LACKING[language])
    return by_exponentials(found) if language in ("matlab", "julia") else found
