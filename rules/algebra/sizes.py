"""The numbers of sizes that are made of others, such as n - 1."""

from fractions import Fraction

from eggrad.engine.indices.affine import Form, as_size, form, size_form
from eggrad.engine.indices.affine import times as multiple
from eggrad.engine.indices.spec import Size
from eggrad.rules.common.notation import *

sizes = Ruleset(
    "sizes", "numbers of sizes that are made of others", "the number of symbols in a size"
)


def _signed_parts(d: Size) -> tuple[Form, Form]:
    """The summands of a size, and what is taken away."""
    whole = size_form(d)
    taken = form(term for term in whole if term[1] < 0)
    return form(term for term in whole if term[1] > 0), multiple(-1, taken)


@primitive
def minuend(d: Size) -> object:
    """Of a size that is a difference, from what something is taken."""
    added, taken = _signed_parts(d)
    return as_size(added) if added and taken else None


@primitive
def subtrahend(d: Size) -> object:
    """Of a size that is a difference, what is taken away."""
    added, taken = _signed_parts(d)
    return as_size(taken) if added and taken else None


@primitive
def first_summand(d: Size) -> object:
    """Of a size that is a sum, the first summand."""
    added, taken = _signed_parts(d)
    return as_size(added[:1]) if len(added) > 1 and not taken else None


@primitive
def other_summands(d: Size) -> object:
    """Of a size that is a sum, all but the first summand."""
    added, taken = _signed_parts(d)
    return as_size(added[1:]) if len(added) > 1 and not taken else None


@primitive
def multiplier(d: Size) -> Number | None:
    """Of a size that is a multiple of a symbol, how often it is taken."""
    return Fraction(size_form(d)[0][1]) if _is_multiple(d) else None


@primitive
def multiplicand(d: Size) -> object:
    """Of a size that is a multiple of a symbol, the symbol."""
    return size_form(d)[0][0] if _is_multiple(d) else None


def _is_multiple(d: Size) -> bool:
    whole = size_form(d)
    return len(whole) == 1 and whole[0][0] != "" and whole[0][1] > 1


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_difference(d: Size) -> Statement:
    """The number of indices of an axis of size m - n is m - n."""
    return size(d) >> subtract(size(minuend(d)), size(subtrahend(d)))


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_sum(d: Size) -> Statement:
    """The number of indices of an axis of size m + n is m + n."""
    return size(d) >> add(size(first_summand(d)), size(other_summands(d)))


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_multiple(d: Size) -> Statement:
    """The number of indices of an axis of size 2n is 2n."""
    return size(d) >> scale(multiplier(d), size(multiplicand(d)))
