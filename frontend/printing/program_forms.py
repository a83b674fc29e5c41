"""What a program computes of a term: its stable form, in operations that the language has."""

from collections.abc import Collection

from eggrad.engine.terms.operations import OF_CODE
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.code import OF_EXPONENTIALS, by_exponentials, program_form


def form_in(words: Collection[str], term: Term, *, exact: bool = False) -> Term:
    """The term as it is, or where it may overflow or lose digits an equal one that does not.

    It is written with operations that there are `words` for. Sums of exponentials without a word
    are made of exponentials whose largest is taken out, unless numbers are `exact`: then nothing
    overflows, and a series would lose digits.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> term = apply("log", add(constant(1), apply("exp", variable("x"))))
    >>> form_in({"softplus"}, term).op, form_in({}, term).op
    ('softplus', 'log')
    """
    lacking = {name for name in OF_CODE if name not in words}
    if exact or lacking.isdisjoint(OF_EXPONENTIALS):
        return program_form(term, lacking, exact=exact)
    return by_exponentials(program_form(term, lacking.difference(OF_EXPONENTIALS)))
