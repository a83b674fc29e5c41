"""Laws that normal forms apply to whole sums, one at a time: what certificates write out."""

from eggrad.rules.notation import *

written_out = Ruleset(
    "written_out",
    "what normal forms do, one law at a time, for certificates",
    "none: no e-graph runs them",
)


written_out.state(
    HANDBOOK,
    power_by_logarithm=(a**b >> exp(ein(scaled_as(elementwise(dims(a))), b, log(a))))
    .when(positive(a))
    .noted("aᵇ = exp(b·log a), for a positive a.", domain="a > 0"),
    diagonal_matrix=(ein("ij,i->ij", delta(n), ein1("ii->i", a)) >> a)
    .when(one_axis(n), diagonal(a))
    .noted("δᵢⱼ·aᵢᵢ = aᵢⱼ for what is diagonal.", domain="a diagonal", thin=True, cite=DEFINITION),
    modulus_of_product=(abs(ein(s, a, b)) >> ein(s, abs(a), abs(b)))
    .when(sums_nothing(s))
    .noted("|a·b| = |a|·|b|, where nothing is summed.", cite=DEFINITION),
)
