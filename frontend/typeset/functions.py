r"""Functions that LaTeX writes of matrices with another meaning: `\\exp(X)` is a question there."""

from collections.abc import Callable
from functools import partial
from typing import Final

from eggrad.frontend.formulas.advice import AdvisedShapeError
from eggrad.frontend.formulas.functions import FUNCTIONS, Known
from eggrad.frontend.formulas.values import Value, may_be_square

_OF_MATRICES: Final = ("exp", "log", "sqrt", "sin", "cos")


def _asked(name: str, a: Value) -> Value:
    """A function of every entry, of what is no square matrix."""
    if may_be_square(a):
        raise AdvisedShapeError(
            rf"\{name} of {a.shape}: the function of the matrix, or of its entries",
            "exponential of a matrix" if name == "exp" else "function of entries",
        )
    return FUNCTIONS[name].apply(a)


def _row(name: str, apply: Callable[..., Value]) -> Known:
    return FUNCTIONS[name]._replace(apply=apply)


OF_ENTRIES: Final = {f"{name}⊙": FUNCTIONS[name] for name in _OF_MATRICES}
r"""The functions of entries as `\exp_\odot(X)` writes them, by their names with a sign."""

ASKED: Final = {name: _row(name, partial(_asked, name)) for name in _OF_MATRICES}
"""The same where nothing is said about entries."""
