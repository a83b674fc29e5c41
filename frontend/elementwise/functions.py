"""The functions of element-wise definitions, as terms."""

from collections.abc import Sequence
from typing import Final

from eggrad.engine.terms import functions as records
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.expression.numpy_ufuncs import COMPOSED

__all__ = ["ARITIES", "applied"]


ARITIES: Final = {
    **{f: records.FUNCTIONS[f].arity for f in records.ELEMENTWISE},
    **dict.fromkeys(COMPOSED, 1),
}
"""The functions of the notation and how many arguments each has; users declare further ones."""


def applied(function: str, declared: OwnFunction | None, args: Sequence[Term]) -> Term:
    """The term of a function of some terms; what has no operation of its own is composed.

    >>> applied("sinh", None, [terms.variable("x")]).op
    'divide'
    """
    if declared is None and function in COMPOSED:
        return COMPOSED[function](*map(expression, args)).term
    return terms.apply(declared or function, *args)
