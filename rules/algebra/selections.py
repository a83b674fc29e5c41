"""Selections by integers that are operands: `[i = aₖ]` is 1 where the index i is the integer aₖ."""

from eggrad.rules.notation import *

IVERSON = "Iverson's brackets (Graham, Knuth, Patashnik, Concrete Mathematics, section 2.1)"

selections = Ruleset(
    "selections", "elimination of selections", "the number of selections, then of their axes"
)


selections.state(
    IVERSON,
    selection_summed=(
        ein1(s, selection(n, a)) >> ein1(unchosen(s, n), const(1, unchosen_dims(n, dims(a))))
    ).noted("Σᵢ [i = aₖ] = 1: one index is chosen.", domain="a in range", widens=True),
    selection_times_itself=(
        ein(s, selection(n, a), selection(n, a)) >> ein1(repeated_once(s), selection(n, a))
    )
    .when(s[0] == s[1])
    .noted("[i = aₖ]·[i = aₖ] = [i = aₖ]."),
    picked_selection=(
        ein(s, indicator(n, P), selection(m, a))
        >> ein1(
            picked_places(s, m)[1],
            selection(m, ein(picked_places(s, m)[0], indicator(n, P), a)),
        )
    )
    .when(picks_one(s, n, P))
    .noted("Σⱼ [j = g(k)]·[i = aⱼ] = [i = Σⱼ [j = g(k)]·aⱼ], g always in range."),
    selection_of_one_place=(
        ein(s, selection(n, a), selection(n, a)) >> ein(told_apart(s, n), selection(n, a), delta(n))
    ).noted("[i = aₖ]·[j = aₖ] = [i = aₖ]·δᵢⱼ."),
)
