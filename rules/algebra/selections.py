"""Selections by integers that are operands: `[i = aₖ]` is 1 where the index i is the integer aₖ."""

from eggrad.engine.laws.selection_primitives import (
    is_repeated,
    is_told_apart,
    leaves_choice,
    repeated_once,
    told_apart,
    unchosen,
    unchosen_dims,
)
from eggrad.rules.notation import *

IVERSON = "Iverson's brackets (Graham, Knuth, Patashnik, Concrete Mathematics, section 2.1)"

selections = Ruleset(
    "selections", "elimination of selections", "the number of selections, then of their axes"
)


@selections.rule(cite=IVERSON, domain="a in range", widens=True)
def selection_summed(s: Spec, n: Dims, a: Tensor) -> Statement:
    """Σᵢ [i = aₖ] = 1: one index is chosen."""
    ones = const(1, unchosen_dims(n, dims(a)))
    return ein1(s, selection(n, a)) >> ein1(unchosen(s, n), ones), leaves_choice(s, n)


@selections.rule(cite=IVERSON)
def selection_times_itself(s: Spec, n: Dims, a: Tensor) -> Statement:
    """[i = aₖ]·[i = aₖ] = [i = aₖ]."""
    return (
        ein(s, selection(n, a), selection(n, a)) >> ein1(repeated_once(s), selection(n, a)),
        is_repeated(s),
    )


@selections.rule(cite=IVERSON)
def selection_of_one_place(s: Spec, n: Dims, a: Tensor) -> Statement:
    """[i = aₖ]·[j = aₖ] = [i = aₖ]·δᵢⱼ."""
    return (
        ein(s, selection(n, a), selection(n, a))
        >> ein(told_apart(s, n), selection(n, a), delta(n)),
        is_told_apart(s, n),
    )
