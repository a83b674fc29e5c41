"""Maxima and minima of what is shifted, scaled or increasing, and sums of sorted entries."""

from eggrad.rules.notation import *

SORTING = "sorting is a permutation"

order = Ruleset(
    "order",
    "maxima, minima and sorting, for comparing",
    "none: ended by the budget of its stage",
)

KEPT = result_dims(s, dims(a))


order.state(
    ORDER,
    extreme_of_shifted=(
        extreme(f, s, a + ein(t, b, const(1, m)))
        >> extreme(f, s, a) + ein(scaled_as(s), b, const(1, KEPT))
    )
    .when(is_extreme(f), is_scaled(t))
    .noted("max(a + b) = max a + b, for a scalar b; likewise for minima."),
    extreme_of_shifted_by_multiple=(
        extreme(f, s, a + c * ein(t, b, const(1, m)))
        >> extreme(f, s, a) + c * ein(scaled_as(s), b, const(1, KEPT))
    )
    .when(is_extreme(f), is_scaled(t))
    .noted("max(a + c·b) = max a + c·b, for a scalar b; likewise for minima."),
    extreme_of_shifted_rows=(extreme(f, s, a + ein(t, b, const(1, m))) >> extreme(f, s, a) + b)
    .when(is_extreme(f), is_spread_back(t, s))
    .noted("max(a + b) = max a + b, for a b that is the same along the axes of the maximum."),
    extreme_of_rows_shifted_by_multiple=(
        extreme(f, s, a + c * ein(t, b, const(1, m))) >> extreme(f, s, a) + c * b
    )
    .when(is_extreme(f), is_spread_back(t, s))
    .noted("max(a + c·b) = max a + c·b, for a b that is the same along the axes of the maximum."),
    extreme_beside_number=(
        extreme(f, s, a + const(c, n)) >> extreme(f, s, a) + const(c, result_dims(s, n))
    )
    .when(is_extreme(f))
    .noted("max(a + c) = max a + c; likewise for minima."),
    extreme_of_positive_multiple=(extreme(f, s, c * a) >> c * extreme(f, s, a))
    .when(is_extreme(f), c > 0)
    .noted("max(c·a) = c·max a for c > 0; likewise for minima."),
    extreme_of_negative_multiple=(extreme(f, s, c * a) >> c * extreme(other_extreme(f), s, a))
    .when(is_extreme(f), c < 0)
    .noted("max(c·a) = c·min a for c < 0, and the other way round."),
    extreme_of_scaled=(extreme(f, s, ein(t, b, a)) >> ein(scaled_as(s), b, extreme(f, s, a)))
    .when(is_extreme(f), is_scaled(t), nonnegative(b))
    .noted("max(b·a) = b·max a, for a scalar b ≥ 0; likewise for minima.", domain="b ≥ 0"),
    extreme_of_scaled_down=(
        extreme(f, s, ein(t, b, a)) >> ein(scaled_as(s), b, extreme(other_extreme(f), s, a))
    )
    .when(is_extreme(f), is_scaled(t), nonpositive(b))
    .noted("max(b·a) = b·min a, for a scalar b ≤ 0, and the other way round.", domain="b ≤ 0"),
    extreme_of_increasing=(extreme(f, s, h(a)) >> h(extreme(f, s, a)))
    .when(is_extreme(f), h.total, h.monotone == "increasing")
    .noted("max h(a) = h(max a), for an h that never falls; likewise for minima."),
    maximum_of_moduli=(
        extreme(f, s, abs(a)) >> maximum(extreme(f, s, a), -1 * extreme(other_extreme(f), s, a))
    )
    .when(is_greatest(f))
    .noted("max |a| is the greater one of max a and -min a."),
    maximum_of_maxima=(extreme(f, s, maximum(a, b)) >> maximum(extreme(f, s, a), extreme(f, s, b)))
    .when(is_greatest(f))
    .noted("The maximum of entries of a and b is that of their maxima."),
    minimum_of_minima=(extreme(f, s, minimum(a, b)) >> minimum(extreme(f, s, a), extreme(f, s, b)))
    .when(is_extreme(f), ~is_greatest(f))
    .noted("The minimum of entries of a and b is that of their minima."),
)


def _sorted(a: Tensor, b: Tensor) -> Tensor:
    """Entries of a vector a in the order of those of b."""
    return ein("ij,j->i", selection(n, argsort(0, b)), a)


order.state(
    SORTING,
    sum_of_sorted=(ein(s, selection(n, argsort(0, e)), a) >> ein(unplaced(s, 0), const(1, n), a))
    .when(one_axis(n), n == dims(e))
    .noted("A sum over sorted entries is the sum over all entries."),
    function_of_sorted=(f(_sorted(a, e)) >> _sorted(f(a), e))
    .when(n == dims(e), f.total)
    .noted("A function of sorted entries sorts the values of the function alike."),
    square_of_sorted=(_sorted(a, e) ** 2 >> _sorted(a**2, e))
    .when(n == dims(e))
    .noted("Squares of sorted entries are the sorted squares alike."),
    sorted_increasing=(_sorted(f(a), f(a)) >> f(_sorted(a, a)))
    .when(n == dims(a), f.monotone == "increasing")
    .noted("What is sorted after a function that never falls is the function of what is sorted."),
    sorted_multiple=(_sorted(a, c * a) >> _sorted(a, a))
    .when(n == dims(a), c > 0)
    .noted("c·a is in the order of a, for c > 0."),
    sorted_scaled=(_sorted(a, ein(",i->i", b, a)) >> _sorted(a, a))
    .when(n == dims(a), positive(b))
    .noted("b·a is in the order of a, for a scalar b > 0.", domain="b > 0"),
    sorted_shifted=(
        _sorted(a + ein(",i->i", b, const(1, n)), a + ein(",i->i", b, const(1, n)))
        >> _sorted(a, a) + ein(",i->i", b, const(1, n))
    ).noted("a + b is in the order of a, for a scalar b."),
    sorted_beside_number=(
        _sorted(a + const(c, n), a + const(c, n)) >> _sorted(a, a) + const(c, n)
    ).noted("a + c is in the order of a."),
)
