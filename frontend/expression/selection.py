"""Entries of expressions chosen by conditions on indices: products with an indicator."""

from collections.abc import Iterable, Sequence

from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import Form, form, indices, renamed, times
from eggrad.engine.indices.constraints import Constraint, renamed_all
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import Expression, combine

__all__ = ["placed", "selected"]


def selected(
    what: str, f: Expression, new: Dims, constraints: Iterable[Constraint], out: Sequence[int]
) -> Expression:
    """The sum of the entries whose indices meet the constraints, for the axes `out`.

    Index `k` is that of axis `k` of `f`; those after belong to new axes of sizes `new`. What is
    not in `out` is summed.

    >>> from eggrad.frontend.expression.functions import variable
    >>> from eggrad.engine.indices.affine import form
    >>> fourth = ("=", form([(0, 1), ("", -3)]))
    >>> selected("x[3]", variable("x", ("n",)), (), [fourth], ()).shape
    ()
    """
    own = tuple(constraints)

    def build(a: Term) -> Term:
        whole: tuple[Size, ...] = (*a.dims, *new)
        mentioned = {i for _, g in own for i in indices(g)}
        met = [i for i in dict.fromkeys((*out, *range(len(whole)))) if i in mentioned]
        if not met:
            return terms.einsum(specs.canonical([range(a.order)], out), a)
        conditions = renamed_all(own, {i: k for k, i in enumerate(met)})
        indicator = terms.indicator([whole[i] for i in met], conditions)
        return terms.einsum(specs.canonical([met, range(a.order)], out), indicator, a)

    return combine(what, [f], [], build)


def placed(what: str, f: Expression, axis: int, size: Size, places: Sequence[Form]) -> Expression:
    """One axis replaced by another, where entry `i` of the old one is at each of the `places`.

    A place is a form in index 0; entries that meet are added, places outside of the new axis
    are left out.
    """
    order = f.ndim
    out = [order if k == axis else k for k in range(order)]
    summands = [
        selected(what, f, (size,), [("=", _difference(order, axis, place))], out)
        for place in places
    ]
    total = summands[0]
    for other in summands[1:]:
        total = total + other
    return total


def _difference(new: int, old: int, place: Form) -> Form:
    return form([(new, 1), *times(-1, renamed(place, {0: old}))])
