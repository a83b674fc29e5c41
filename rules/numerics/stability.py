"""Forms that lose no digits, for code to be generated from: laws on few nodes.

What holds for whole rational functions of exponentials is in `exponentials`.
"""

from eggrad.engine.networks.sums_and_products import every_network, with_units
from eggrad.rules.notation import *
from eggrad.rules.notation.reductions import spread

stability = Ruleset(
    "stability",
    "forms that lose no digits, for code to be generated from",
    "the number of sums that may cancel, and of functions that may overflow",
)

shifts = Ruleset(
    "shifts",
    "functions of sums of exponentials, for languages that have none of them",
    "the number of these functions",
)

lengths = Ruleset("lengths", "vectors divided by their norms", "none: one further member a product")


stability.state(
    BLANCHARD,
    power_of_spread=(
        ein(s, const(1, n), a) ** b
        >> ein(spread_apart(s)[1], const(1, n), ein1(spread_apart(s)[0], a) ** b)
    ).noted("(a ⊗ 1)ᵇ = aᵇ ⊗ 1.", replaces=True, cite="a power of every entry"),
    log_of_one_plus=(log(1 + a) >> log1p(a)).noted(
        domain="a > -1", cite=f"{HIGHAM}, section 1.14.1"
    ),
    log_of_quotient=(log((1 + a) * (1 + -1 * a) ** -1) >> log1p(a) + -1 * log1p(-1 * a)).noted(
        "log((1 + a)/(1 - a)) = log1p a - log1p(-a): the terms have different signs.",
        domain="-1 < a < 1",
        stable=True,
        cite=f"{HIGHAM}, section 1.14.1",
    ),
    log_of_quotient_reversed=(
        log((1 + -1 * a) * (1 + a) ** -1) >> log1p(-1 * a) + -1 * log1p(a)
    ).noted(
        "log((1 - a)/(1 + a)) = log1p(-a) - log1p a: the terms have different signs.",
        domain="-1 < a < 1",
        stable=True,
        cite=f"{HIGHAM}, section 1.14.1",
    ),
    area_sine=(log(a + (a**2 + 1) ** HALF) >> area_sine(a)).noted(
        "log(a + √(a² + 1)) = arsinh a.", stable=True, cite="DLMF 4.37.16"
    ),
    log_of_double_exponential=(log1mexp(-1 * exp(a)) >> log1mexp_exp(a)).noted(
        "log(1 - exp(-exp a)) is a where exp a is too small to count.", stable=True, cite=MAECHLER
    ),
    double_exponential_in_quotient=(
        exp(a) * expm1(exp(a)) ** -1 >> exp_difference(a, exp(a) + log1mexp_exp(a))
    ).noted(
        "exp a/(exp(exp a) - 1) = exp(a - exp a - log(1 - exp(-exp a))): neither has to be 0.",
        stable=True,
        cite=MAECHLER,
    ),
    quotient_of_square=(
        a**2 * (c + a**2) ** -1 >> (a * hypot(a, const(c, dims(a)) ** HALF) ** -1) ** 2
    )
    .when(c > 0)
    .noted(
        "a²/(c + a²) = (a/hypot(a, √c))² for c > 0: no square overflows.", stable=True, cite=BLUE
    ),
    less_log_of_sum=(a + -1 * ein(t, logsumexp(s, a), const(1, n)) >> log_softmax(s, a))
    .when(spreads_again(t, s))
    .noted(
        "a - log Σ exp a is the logarithm of a softmax: where a is large, the sum rounds it away."
    ),
    softmax_of_shifted=(softmax(s, a + -1 * ein(t, b, const(1, n))) >> softmax(s, a))
    .when(spreads_again(t, s))
    .noted(
        "softmax(a - b) = softmax a, where b is alike along its axes: the kernel shifts by itself."
    ),
    log_softmax_of_shifted=(log_softmax(s, a + -1 * ein(t, b, const(1, n))) >> log_softmax(s, a))
    .when(spreads_again(t, s))
    .noted("log softmax(a - b) = log softmax a, where b is alike along its axes."),
)


def _shifted() -> Tensor:
    """How far a is below its maximum along the axes that are summed."""
    return a - spread(s, a, extreme("max", s, a))


shifts.state(
    BLANCHARD,
    REPLACES,
    sum_of_shifted=(logsumexp(s, a) >> log(ein1(s, exp(_shifted()))) + extreme("max", s, a)).noted(
        "log Σ exp a = log Σ exp(a - m) + m, where m = max a: no exponential is above 1."
    ),
    shares_of_shifted=(
        softmax(s, a) >> exp(_shifted()) / spread(s, a, ein1(s, exp(_shifted())))
    ).noted("softmax a = exp(a - m)/Σ exp(a - m), where m = max a."),
    logarithms_of_shares_of_shifted=(
        log_softmax(s, a) >> _shifted() - spread(s, a, log(ein1(s, exp(_shifted()))))
    ).noted("log softmax a = a - m - log Σ exp(a - m), where m = max a."),
)

WHOLE = broadcast(s, dims(a), dims(b))

# How the matrix and the right side are transposed, and then the solution.
SYSTEM = linear_system(s)

stability.state(
    f"{HIGHAM}, section 1.7",
    double_exponential_in_complement=(
        exp(a) * expm1(-1 * exp(a)) ** -1 >> -1 * exp_difference(a, log1mexp_exp(a))
    ).noted(
        "exp a/(exp(-exp a) - 1) = -exp(a - log(1 - exp(-exp a))): neither has to be 0.",
        stable=True,
        cite=MAECHLER,
    ),
    exponential_beside_sigmoid=(
        ein(s, exp(a), sigmoid(b))
        >> ein1(
            WHOLE.rest,
            exp_difference(
                ein(WHOLE.left, a, const(1, WHOLE.left_ones)),
                ein(WHOLE.right, softplus(-1 * b), const(1, WHOLE.right_ones)),
            ),
        )
    ).noted(
        "exp a · sigmoid b = exp(a - log(1 + exp(-b))): nothing infinite is multiplied by 0.",
        stable=True,
        cite=MAECHLER,
    ),
    log_of_entry=(
        log(ein(t, indicator(n, P), softmax(s, a))) >> ein(t, indicator(n, P), log_softmax(s, a))
    )
    .when(picks_one(t, n, P))
    .noted(
        "The logarithm of an entry of a softmax is that entry of the logarithm.", cite=BLANCHARD
    ),
    exponential_of_entry=(ein(s, indicator(n, P), exp(a)) >> exp(ein(s, indicator(n, P), a)))
    .when(picks_one(s, n, P))
    .noted(
        "An entry of exp a is exp of the entry: what is divided by others of them is a softmax.",
        cite="element-wise functions act on entries",
    ),
    entries_before_sum=(
        ein(s, indicator(n, P), a)
        >> ein1(entries_first(s)[1], ein(entries_first(s)[0], indicator(n, P), a))
    ).noted(
        "Σᵢⱼ [j = k]·aᵢⱼ = Σᵢ (Σⱼ [j = k]·aᵢⱼ): indices of the indicator are summed first.",
        cite="linearity",
    ),
    one_minus_cosine=(1 + -1 * cos(a) >> 2 * sin(HALF * a) ** 2).noted(stable=True),
    log_of_square=(log(a**2) >> 2 * log(abs(a))).noted(
        domain="a ≠ 0", stable=True, cite="logarithm of a power"
    ),
    one_minus_square=(
        const(1, n) + -1 * declared(X) ** 2
        >> ein(elementwise(n), const(1, n) + -1 * declared(X), const(1, n) + declared(X))
    ).noted(
        "1 - X² = (1 - X)·(1 + X), for a variable: it has no rounding error that X² would hide.",
        stable=True,
        cite=f"{HIGHAM}, section 1.7; Kahan: x² - y² as a product",
    ),
    root_of_two_squares=((a**2 + b**2) ** p >> hypot(a, b) ** doubled(p)).noted(
        "(a² + b²)ᵖ = hypot(a, b)²ᵖ, for p = ±1/2, ±3/2, ….",
        domain="not both 0 where the exponent is negative",
        cite=BLUE,
    ),
    log_of_determinant=(log(det(a)) >> logdet("", a)).noted(
        "log det a is summed over the pivots: their product may overflow.",
        domain="det a > 0",
        cite=f"{HIGHAM}, section 14.6",
    ),
    log_of_definite_determinant=(log(det(declared(X))) >> logdet("positive definite", declared(X)))
    .when(is_declared(X, "positive definite"))
    .noted(
        "log det X is twice the sum over the diagonal of its Cholesky factor.",
        cite=f"{HIGHAM}, sections 10.1 and 14.6",
    ),
    log_of_positive_determinant=(logabsdet(declared(X)) >> logdet("positive definite", declared(X)))
    .when(is_declared(X, "positive definite"))
    .noted(
        "log |det X| is log det X where X is positive definite, by Cholesky's factor.",
        cite=f"{HIGHAM}, sections 10.1 and 14.6",
    ),
    log_determinant_by_cholesky=(
        logdet("positive definite", declared(X)) >> logdet_from_cholesky(cholesky(declared(X)))
    )
    .when(is_declared(X, "positive definite"))
    .noted(
        "log det X is twice the sum of log Lᵢᵢ, with the Cholesky factor L at hand.",
        cite=f"{HIGHAM}, sections 10.1 and 14.6",
    ),
    inverse_by_cholesky=(inv(declared(X)) >> inverse_from_cholesky(cholesky(declared(X))))
    .when(is_declared(X, "positive definite"))
    .noted("X⁻¹ = L⁻ᵀ·L⁻¹, with the Cholesky factor L.", cite=f"{HIGHAM}, section 14.3"),
    inverse_times_tensor=(
        ein(s, inv(a), b)
        >> ein1(SYSTEM.solution, solve(ein1(SYSTEM.matrix, a), ein1(SYSTEM.right, b)))
    ).noted(
        "a⁻¹·b, along an axis of b, is the x of a·x = b, or of a'·x = b: no inverse is needed.",
        domain="a invertible",
        cite=f"{HIGHAM}, section 14.1",
    ),
)

lengths.state(
    BLUE,
    unit_vectors=Bulk(with_units, every_network).noted(
        "a·a·(Σ a²)ᵖ = u·u·‖a‖²ᵖ⁺² with the unit vector u = a/‖a‖, for a half p < 0.",
        exceptions="a = 0",
        stable=True,
    ),
)
