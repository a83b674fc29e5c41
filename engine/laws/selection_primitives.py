"""What rules about selections compute: specs in which the chosen indices are summed or tied."""

from eggrad.engine.indices.spec import Dims, Indices, Spec, canonical
from eggrad.engine.laws.language import primitive
from eggrad.engine.terms.operations import places_dims


def _chosen(s: Spec, n: Dims) -> Indices:
    """The indices that a selection, the first operand of a product, chooses."""
    return s[0][len(s[0]) - len(n) :]


@primitive
def unchosen(s: Spec, n: Dims) -> Spec | None:
    """The product without the indices that the selection chooses; None where others have them.

    >>> unchosen(((0, 1), (0,), (0,)), ("n",)), unchosen(((0, 1), (1,), (0,)), ("n",))
    (((0,), (0,), (0,)), None)
    """
    chosen, rows = _chosen(s, n), s[0][: len(s[0]) - len(n)]
    elsewhere = {i for part in (rows, *s[1:]) for i in part}
    alone = len({*chosen}) == len(chosen) and elsewhere.isdisjoint(chosen)
    return canonical([rows, *s[1:-1]], s[-1]) if alone else None


@primitive
def unchosen_dims(n: Dims, a: Dims) -> Dims:
    """The axes of the places at which integers of axes `a` choose from axes `n`."""
    return places_dims(n, a)


@primitive
def repeated_once(s: Spec) -> Spec:
    """The product of a tensor of zeros and ones with itself, by one of them."""
    return canonical([s[0]], s[2])


@primitive
def told_apart(s: Spec, n: Dims) -> Spec | None:
    """The product of one selection with the delta of what both choose by the same integers.

    None unless they have the same places, and chosen indices apart.

    >>> told_apart(((0, 1), (0, 2), (0, 1, 2)), ("n",))
    ((0, 1), (1, 2), (0, 1, 2))
    """
    first, second = (part[: len(part) - len(n)] for part in s[:2])
    chosen = _chosen(s, n) + s[1][len(second) :]
    if first != second or len({*chosen}) < len(chosen) or {*chosen} & {*first}:
        return None
    return canonical([s[0], chosen], s[2])


@primitive
def picked_places(s: Spec, n: Dims) -> tuple[Spec, Spec] | None:
    """A product with a selection's integers in its place, and how the chosen axes come after it.

    None where the first operand has a chosen index, or a sum is over one.

    >>> picked_places(((0,), (0, 1), (1,)), ("n",))
    (((0,), (0,), ()), ((0,), (0,)))
    """
    first, choosing, out = s
    rows, chosen = choosing[: len(choosing) - len(n)], choosing[len(choosing) - len(n) :]
    if len(n) != 1 or chosen[0] in (*first, *rows) or chosen[0] not in out:
        return None
    kept = [i for i in out if i not in chosen]
    return canonical([first, rows], kept), canonical([[*kept, *chosen]], out)


@primitive
def unplaced(s: Spec, j: int) -> Spec | None:
    """A product that sums the places along an axis that is sorted, without them.

    What is chosen there is each entry once. None where something else has these places.

    >>> unplaced(((0, 1), (1,), ()), 0)
    ((0,), (0,), ())
    """
    choosing, other, out = s
    place = choosing[j]
    if place in (*choosing[:j], *choosing[j + 1 :], *other, *out):
        return None
    return canonical([choosing[:j] + choosing[j + 1 :], other], out)
