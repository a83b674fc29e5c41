"""What a program computes of a term: its stable form, in operations that the language has."""

from collections.abc import Mapping
from typing import Final

from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, postorder, rebuild
from eggrad.frontend.calculus.code import program_form

# Operations that gain time alone, or for which a program would have to choose between formulas.
_NOWHERE: Final = frozenset(
    {
        *("solve", "symmetric_product", "product_of_pairs"),
        *("inverse_from_cholesky", "logdet_from_cholesky", "log_cosh"),
    }
)
_OF_EXPONENTIALS: Final = ("logsumexp", "softmax", "log_softmax")
LACKING: Final[Mapping[str, frozenset[str]]] = {
    "python": _NOWHERE,
    "jax": _NOWHERE,
    "torch": _NOWHERE,
    # The exponents of its numbers are integers of any size: nothing overflows.
    "sympy": _NOWHERE | {"norm", "logdet", *_OF_EXPONENTIALS},
    # Their own norm of a root of squares is read from the formula.
    "matlab": _NOWHERE | {"norm"},
    "julia": _NOWHERE | {"norm"},
}
"""The languages of programs, and which numeric operations each of them lacks."""


def computed(term: Term, language: str) -> Term:
    """The term as it is, or where it may overflow or lose digits an equal one that does not.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> computed(apply("log", add(constant(1), apply("exp", variable("x")))), "jax").op
    'softplus'
    """
    found = program_form(term, LACKING[language])
    return _with_largest_apart(found) if language in ("matlab", "julia") else found


def _with_largest_apart(term: Term) -> Term:
    """The term with formulas for functions of sums of exponentials: the largest is taken out."""
    done: dict[Term, Term] = {}
    for t in postorder(term):
        own = tuple(done[a] for a in t.args)
        done[t] = _formula(t, *own) if t.op in _OF_EXPONENTIALS else rebuild(t, own)
    return done[term]


def _formula(node: Term, x: Term) -> Term:
    source, kept = node.spec
    largest = terms.numeric("max", x, data=(source, kept))
    shifted = terms.subtract(x, _spread(largest, kept, source, x))
    powers = terms.apply("exp", shifted)
    total = terms.einsum((source, kept), powers)
    if node.op == "softmax":
        return terms.divide(powers, _spread(total, kept, source, x))
    if node.op == "log_softmax":
        return terms.subtract(shifted, _spread(terms.apply("log", total), kept, source, x))
    return terms.add(terms.apply("log", total), largest)


def _spread(term: Term, kept: Indices, source: Indices, like: Term) -> Term:
    """A sum over some axes of a term, repeated along these."""
    gone = tuple(i for i in source if i not in kept)
    ones = terms.constant(1, tuple(like.dims[source.index(i)] for i in gone))
    return terms.einsum(canonical([kept, gone], source), term, ones)
