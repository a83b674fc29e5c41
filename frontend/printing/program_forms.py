"""What a program computes of a term: its stable form, in operations that the language has."""

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
_IN_EXACT_NUMBERS: Final = _NOWHERE | {"norm", "logdet", *OF_EXPONENTIALS}


def stable(term: Term) -> Term:
    """The term as it is, or where it may overflow or lose digits an equal one that does not.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> stable(apply("log", add(constant(1), apply("exp", variable("x"))))).op
    'softplus'
    """
    return program_form(term, _NOWHERE)


def stable_by_exponentials(term: Term) -> Term:
    """The same for languages without functions of sums of exponentials."""
    return by_exponentials(stable(term))


def in_exact_numbers(term: Term) -> Term:
    """The same where exponents of numbers are integers of any size: nothing overflows."""
    return program_form(term, _IN_EXACT_NUMBERS)
