"""What rules about selections compute: specs in which the chosen indices are summed or tied."""

from eggrad.engine.indices.spec import Dims, Indices, Spec, canonical
from eggrad.engine.laws.language import condition, primitive
from eggrad.engine.terms.operations import places_dims


def _chosen(s: Spec, n: Dims) -> Indices:
    """The indices that a selection, the first operand of a product, chooses."""
    return s[0][len(s[0]) - len(n) :]


@condition
def leaves_choice(s: Spec, n: Dims) -> bool:
    """Whether the indices that a selection chooses occur nowhere else.

    >>> leaves_choice(((0, 1), (0,), (0,)), ("n",)), leaves_choice(((0, 1), (1,), (0,)), ("n",))
    (True, False)
    """
    elsewhere = [i for part in (s[0][: len(s[0]) - len(n)], *s[1:]) for i in part]
    chosen = _chosen(s, n)
    return len({*chosen}) == len(chosen) and not {*chosen} & {*elsewhere}


@primitive
def unchosen(s: Spec, n: Dims) -> Spec:
    """The product without the indices that the selection chooses.

    >>> unchosen(((0, 1), (0,), (0,)), ("n",))
    ((0,), (0,), (0,))
    """
    return canonical([s[0][: len(s[0]) - len(n)], *s[1:-1]], s[-1])


@primitive
def unchosen_dims(n: Dims, a: Dims) -> Dims:
    """The axes of the places at which integers of axes `a` choose from axes `n`."""
    return places_dims(n, a)


@primitive
def repeated_once(s: Spec) -> Spec:
    """The product of a tensor of zeros and ones with itself, by one of them."""
    return canonical([s[0]], s[2])


@condition
def is_told_apart(s: Spec, n: Dims) -> bool:
    """Whether two selections by the same integers have the same places, and chosen indices apart.

    >>> is_told_apart(((0, 1), (0, 2), (0, 1, 2)), ("n",))
    True
    """
    first, second = (part[: len(part) - len(n)] for part in s[:2])
    chosen = s[0][len(first) :] + s[1][len(second) :]
    return first == second and len({*chosen}) == len(chosen) and not {*chosen} & {*first}


@primitive
def told_apart(s: Spec, n: Dims) -> Spec:
    """The product of one selection with the delta of both chosen indices."""
    return canonical([s[0], (*_chosen(s, n), *s[1][len(s[1]) - len(n) :])], s[2])
