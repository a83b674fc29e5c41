"""Sums whose terms cancel, in forms that lose no digits, for code: quotients, products, series."""

from eggrad.engine.laws.rule import Bulk, Ruleset
from eggrad.engine.networks.differences import conjugates, differences
from eggrad.engine.networks.fractions import over_common_denominator
from eggrad.engine.networks.series import with_series
from eggrad.rules.notation import HANDBOOK, HIGHAM

cancellation = Ruleset(
    "cancellation",
    "sums whose terms cancel, as quotients and products that do not",
    "the number of such sums",
)

cancellation.state(
    f"{HIGHAM}, section 1.7",
    {"stable": True, "sizeless": True},
    difference_of_function=Bulk(differences).noted(
        "f(u) - f(v), for u and v that share a term, by the addition theorem of f, in u - v.",
        domain="for logarithms u, v > 0",
        exceptions="u = v = 0 for powers",
        cite=f"{HIGHAM}, sections 1.7 and 1.14.1; DLMF 4.21",
    ),
    root_beside_base=Bulk(conjugates).noted(
        "√w - t = (w - t²)/(√w + t), where w and t² share a term and t > 0.",
    ),
    fractions_over_common_denominator=Bulk(over_common_denominator).noted(
        "a/b + c/d = (a·d + b·c)/(b·d), where the largest or least terms above cancel.",
    ),
)

series = Ruleset(
    "series",
    "sums whose leading terms cancel near 0, by their power series there",
    "the number of sums that lose digits near 0",
)

series.state(
    f"{HANDBOOK}; {HIGHAM}, section 1.14.1",
    sum_near_zero=Bulk(with_series).noted(
        "f(z) is a polynomial where |z| is small, if the leading terms of f's parts cancel at 0.",
        exceptions="z = 0",
        stable=True,
        sizeless=True,
    ),
)
