"""Laws of special functions, by which terms are compared."""

from eggrad.engine.indices.texts import PI
from eggrad.frontend.expression.special import (
    arccosh,
    arcsinh,
    beta,
    betaln,
    digamma,
    entr,
    erf,
    erfc,
    erfinv,
    expit,
    gamma,
    gammaln,
    kl_div,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    rel_entr,
    sinc,
    xlog1py,
    xlogy,
)
from eggrad.rules.notation import (
    HALF,
    Number,
    Ruleset,
    Tensor,
    a,
    at_most_one,
    b,
    c,
    const,
    cos,
    dims,
    exp,
    log,
    n,
    nonzero,
    positive,
    sin,
    within_one,
)

special_functions = Ruleset(
    "special_functions",
    "special functions by each other, for comparing",
    "none: ended by the budget of its stage",
)

NUMBER = const(c, n)


def _reciprocal(a: Tensor) -> Tensor:
    return a**-1


def _like(c: Number | int, a: Tensor) -> Tensor:
    """The number at every entry that a tensor has."""
    return const(c, dims(a))


special_functions.state(
    "DLMF 5.5.1",
    gamma_of_next=(gamma(a + NUMBER) >> (a + const(c + -1, n)) * gamma(a + const(c + -1, n)))
    .when(c >= 1, positive(a))
    .noted("Γ(a + 1) = a·Γ(a)."),
    gamma_of_previous=(gamma(a + NUMBER) >> gamma(a + const(c + 1, n)) * _reciprocal(a + NUMBER))
    .when(c < 0)
    .noted("Γ(a) = Γ(a + 1) / a.", exceptions="a is an integer below 1"),
    gammaln_of_next=(
        gammaln(a + NUMBER) >> log(abs(a + const(c + -1, n))) + gammaln(a + const(c + -1, n))
    )
    .when(c >= 1, positive(a))
    .noted("log |Γ(a + 1)| = log |a| + log |Γ(a)|."),
    digamma_of_next=(
        digamma(a + NUMBER) >> _reciprocal(a + const(c + -1, n)) + digamma(a + const(c + -1, n))
    )
    .when(c >= 1, positive(a))
    .noted("ψ(a + 1) = 1/a + ψ(a).", cite="DLMF 5.5.2"),
    product_with_gamma=(a * gamma(a) >> gamma(a + 1)).noted(
        "a·Γ(a) = Γ(a + 1).", exceptions="a = 0"
    ),
    sum_with_gammaln=(log(abs(a)) + gammaln(a) >> gammaln(a + 1)).noted(
        "log |a| + log |Γ(a)| = log |Γ(a + 1)|.", exceptions="a = 0"
    ),
    sum_with_digamma=(_reciprocal(a) + digamma(a) >> digamma(a + 1)).noted(
        "1/a + ψ(a) = ψ(a + 1).", cite="DLMF 5.5.2", exceptions="a = 0"
    ),
    gamma_of_complement=(
        gamma(a) * gamma(1 + -1 * a) >> _like(PI, a) * _reciprocal(sin(PI * a))
    ).noted("Γ(a)·Γ(1 - a) = π / sin(π·a).", cite="DLMF 5.5.3", exceptions="a is an integer"),
    digamma_of_complement=(
        digamma(1 + -1 * a) + -1 * digamma(a) >> PI * (cos(PI * a) * _reciprocal(sin(PI * a)))
    ).noted("ψ(1 - a) - ψ(a) = π·cot(π·a).", cite="DLMF 5.5.4", exceptions="a is an integer"),
    gamma_of_double=(
        gamma(a) * gamma(a + HALF)
        >> exp(log(_like(2, a)) * (1 + -2 * a)) * (_like(PI, a) ** HALF * gamma(2 * a))
    ).noted(
        "Γ(a)·Γ(a + 1/2) = 2¹⁻²ᵃ·√π·Γ(2·a).",
        cite="DLMF 5.5.5",
        exceptions="2·a is an integer below 1",
    ),
    logarithm_of_gamma=(log(abs(gamma(a))) >> gammaln(a)).noted(
        "log |Γ(a)| is a function of its own.", cite="DLMF 5.2.1"
    ),
    beta_by_gamma=(beta(a, b) >> gamma(a) * (gamma(b) * _reciprocal(gamma(a + b))))
    .when(positive(a), positive(b))
    .noted(
        "B(a, b) = Γ(a)·Γ(b) / Γ(a + b).",
        cite="DLMF 5.12.1",
    ),
    betaln_by_gammaln=(betaln(a, b) >> gammaln(a) + (gammaln(b) + -1 * gammaln(a + b)))
    .when(positive(a), positive(b))
    .noted(
        "log |B(a, b)| = log |Γ(a)| + log |Γ(b)| - log |Γ(a + b)|.",
        cite="DLMF 5.12.1",
    ),
)

special_functions.state(
    "DLMF 7.2.2",
    complementary_error_function=(erfc(a) >> 1 + -1 * erf(a)).noted("erfc a = 1 - erf a."),
    normal_distribution=(ndtr(a) >> HALF * (1 + erf(a * _like(2, a) ** -HALF))).noted(
        "Φ(a) = (1 + erf(a/√2))/2.", cite="Abramowitz, Stegun 1964, equation 26.2.29"
    ),
    logarithm_of_normal_distribution=(log(ndtr(a)) >> log_ndtr(a)).noted(
        "log Φ(a) is a function of its own.", cite="its definition"
    ),
    error_function_of_inverse=(erf(erfinv(a)) >> a)
    .when(within_one(a))
    .noted("erf(erf⁻¹ a) = a.", domain="-1 ≤ a ≤ 1", widens=True),
    inverse_of_error_function=(erfinv(erf(a)) >> a).noted("erf⁻¹(erf a) = a."),
    distribution_of_quantile=(ndtr(ndtri(a)) >> a)
    .when(positive(a), at_most_one(a))
    .noted("Φ(Φ⁻¹ a) = a.", domain="0 < a ≤ 1", widens=True),
    quantile_of_distribution=(ndtri(ndtr(a)) >> a).noted("Φ⁻¹(Φ a) = a."),
)

special_functions.state(
    "definition of the function",
    logistic_function=(expit(a) >> _reciprocal(1 + exp(-1 * a))).noted("1/(1 + exp(-a))."),
    logarithm_of_logistic_function=(log_expit(a) >> -1 * log(1 + exp(-1 * a))).noted(
        "log of the logistic function of a is -log(1 + exp(-a))."
    ),
    log_odds=(logit(a) >> log(a) + -1 * log(1 + -1 * a)).noted("logit a = log a - log(1 - a)."),
    inverse_hyperbolic_sine=(arcsinh(a) >> log(a + (a**2 + 1) ** HALF)).noted(
        "arsinh a = log(a + √(a² + 1)).", cite="DLMF 4.37.16"
    ),
    positive_sum_with_length=positive(a + (a**2 + 1) ** HALF).noted(
        "a + √(a² + 1) > 0, for the root is longer than a."
    ),
    inverse_hyperbolic_cosine=(arccosh(a) >> log(a + (a**2 + -1) ** HALF)).noted(
        "arcosh a = log(a + √(a² - 1)).", cite="DLMF 4.37.19", domain="a ≥ 1"
    ),
    product_with_logarithm=(xlogy(a, b) >> a * log(b))
    .when(nonzero(a))
    .noted("a·log b, but for a = 0."),
    product_with_logarithm_of_next=(xlog1py(a, b) >> a * log(1 + b))
    .when(nonzero(a))
    .noted("a·log(1 + b), but for a = 0."),
    entropy=(entr(a) >> -1 * (a * log(a))).when(positive(a)).noted("-a·log a, but for a = 0."),
    relative_entropy=(rel_entr(a, b) >> a * (log(a) + -1 * log(b)))
    .when(positive(a), positive(b))
    .noted("a·(log a - log b), but for a = 0."),
    divergence=(kl_div(a, b) >> a * (log(a) + -1 * log(b)) + (b + -1 * a))
    .when(positive(a), positive(b))
    .noted("a·(log a - log b) - a + b, but for a = 0."),
    cardinal_sine=(sinc(a) >> sin(PI * a) * _reciprocal(PI * a))
    .when(nonzero(PI * a))
    .noted("sin(π·a) / (π·a), but for a = 0."),
)
