"""Functions of element-wise definitions with NumPy."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from eggrad.engine import functions as records
from eggrad.engine import term as terms
from eggrad.engine.functions import OwnFunction
from eggrad.engine.term import Term
from eggrad.frontend.expression import expression
from eggrad.frontend.numpy_ufuncs import COMPOSED

__all__ = ["ARITIES", "FUNCTIONS", "applied"]


def _test(name: str) -> Callable[..., Any]:
    ufunc = getattr(np, name)
    return lambda *values: np.asarray(ufunc(*values), float)


_OWN: Final = [f for f in records.ELEMENTWISE if f not in ("relu", "pow", "where")]

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{f: _test(f) if records.FUNCTIONS[f].is_test else getattr(np, f) for f in _OWN},
    **{name: getattr(np, name) for name in COMPOSED},
    "relu": lambda x: np.where(x > 0, x, 0 * x),
    "pow": np.power,
    "where": lambda chosen, x, y: np.where(np.not_equal(chosen, 0), x, y),
}
"""The functions of the notation; those that a user declares are called beside them."""

ARITIES: Final = {f: records.FUNCTIONS[f].arity if f in records.FUNCTIONS else 1 for f in FUNCTIONS}
"""How many arguments each of them has."""


def applied(function: str, declared: OwnFunction | None, args: Sequence[Term]) -> Term:
    """The term of a function of some terms; what has no operation of its own is composed.

    >>> applied("sinh", None, [terms.variable("x")]).op
    'divide'
    """
    if declared is None and function in COMPOSED:
        return COMPOSED[function](*map(expression, args)).term
    return terms.apply(declared or function, *args)
