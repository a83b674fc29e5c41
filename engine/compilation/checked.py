"""Compiled functions that hold their arguments against what was declared of the variables.

That a matrix is positive definite is seen by its Cholesky factor, which the generated code returns
beside the results: where it needs the factor itself, the test costs nothing more.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.compilation.compiled import CompiledFunction, placed
from eggrad.engine.compilation.shown import ShownFunction
from eggrad.engine.errors import AssumptionViolated
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import DEFINITE, failure, least_eigenvalue
from eggrad.engine.terms.binding import Array, numeric, read_sizes
from eggrad.engine.terms.term import Term

# What the Cholesky factor says, so that no other test has to.
_BY_FACTOR: Final = frozenset({DEFINITE})


def check_values(
    variables: Iterable[Term], values: Mapping[str, Any], left_out: frozenset[str] = frozenset()
) -> None:
    """Raise `AssumptionViolated` where the value of a variable is not what it was declared to be.

    Variables without a value are not looked at, nor are the words of `left_out`.

    >>> from eggrad.engine.terms.term import variable
    >>> check_values([variable("x", ("n",), ["positive"])], {"x": [1, -2]})
    Traceback (most recent call last):
    eggrad.engine.errors.AssumptionViolated: variable x is declared positive: entry (1,) is -2
    """
    for v in variables:
        if v.assumed and v.name in values:
            value = values[v.name]
            if type(value) is not np.ndarray or value.shape[:1] * v.order != value.shape:
                # An array that is square may be tested as it is; of all others more is asked.
                value = numeric(v.name, value)
                read_sizes([v], {v.name: value.shape})
            found = failure(v.assumed, value, left_out)
            if found is not None:
                raise AssumptionViolated(v.name, *found)


def factors_of(variables: Iterable[Term]) -> dict[str, Term]:
    """The Cholesky factors, by the names of the variables that are declared positive definite."""
    definite = (v for v in variables if DEFINITE in v.assumed)
    return {v.name: terms.numeric("cholesky", v) for v in definite}


class CheckedFunction(ShownFunction):
    """A compiled function, called as it is; `AssumptionViolated` says what values do not fit.

    The last results are the Cholesky factors of the variables `factors`. A call first raises what
    the function itself raises, such as `ShapeError`.
    """

    def __init__(
        self,
        function: CompiledFunction,
        variables: Sequence[Term],
        factors: Sequence[str] = (),
        *,
        single: bool = False,
    ) -> None:
        """Take the function, and variables whose values are tested; `single` as in `compile`."""
        self._function = function
        self._variables = tuple(v for v in variables if v.assumed)
        self._factors = tuple(factors)
        self._left_out = _BY_FACTOR if factors else frozenset[str]()
        self._single = single
        self.parameters, self.source = function.parameters, function.source
        roots = function.reference[: len(function.reference) - len(self._factors)]
        self._describe("checked numpy", roots, {})

    def __call__(self, /, *args: Any, **values: Any) -> Any:
        """The value of the root, or the list of values."""
        results = self._function(*args, **values)
        given = placed(self.parameters, args) | values if args else values
        check_values(self._variables, given, self._left_out)
        if not self._factors:
            return results
        several = cast("list[Any]", results)
        count = len(several) - len(self._factors)
        for name, factor in zip(self._factors, several[count:], strict=True):
            self._check_factor(name, factor, given)
        return several[0] if self._single else several[:count]

    def _check_factor(self, name: str, factor: Array, given: Mapping[str, Any]) -> None:
        # A matrix that has none gives NaN everywhere.
        if factor.size and not np.isfinite(factor[0, 0]):
            raise AssumptionViolated(name, DEFINITE, least_eigenvalue(np.asarray(given[name])))
