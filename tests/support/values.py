"""Values that several expressions share, of which each takes those that it has."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.oracle.oracle import evaluate, has_digits
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.merged import Merged


def evaluated(f: Any, values: Mapping[str, Any], **options: Any) -> Any:
    """The value of an expression, of an array with merged axes, or of a definition."""
    if isinstance(f, Merged):
        known = f.entries.known
    else:
        known = f.expression.known if isinstance(f, eg.Definition) else f.known
    return f.evaluate({n: v for n, v in values.items() if n in known}, **options)


def values_of_terms(terms: list[Term], values: Mapping[str, Any], digits: int = 50) -> list[Any]:
    """The values of terms, to so many digits where the oracle has them; sizes are among `values`.

    Near a singular matrix doubles have no digit of what a witness shows.
    """
    sizes = {n: v for n, v in values.items() if isinstance(v, int)}
    arrays = {n: v for n, v in values.items() if not isinstance(v, int)}
    exact = all(map(has_digits, terms))
    return [np.asarray(v) for v in evaluate(terms, arrays, sizes, digits if exact else 0)]
