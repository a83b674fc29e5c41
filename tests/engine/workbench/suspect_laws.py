"""Laws that are false in one place or another, and true ones that look like them."""

from eggrad.engine.indices.spec import TRANSPOSE, parse_spec
from eggrad.engine.laws.language import (
    Number,
    Statement,
    Tensor,
    add,
    adj,
    const,
    det,
    dims,
    divide,
    ein,
    ein1,
    fn,
    inv,
    negate,
    power,
    scale,
    subtract,
)
from eggrad.engine.laws.primitives import elementwise, is_square
from eggrad.engine.laws.rule import Ruleset

false_laws = Ruleset("false_laws", "laws that are false where normal numbers are not", "nothing")
true_laws = Ruleset("true_laws", "laws that look like false ones", "nothing")

PRODUCT = parse_spec("ij,jk->ik")
SUM = parse_spec("i->")


def c(number: Number | int, a: Tensor) -> Tensor:
    return const(number, dims(a))


def half(a: Tensor) -> Tensor:
    return scale(Number(1, 2), a)


def count(a: Tensor) -> Tensor:
    """The number of entries of a vector."""
    return ein1(SUM, power(fn("exp", a), 0))


def gap(a: Tensor) -> Tensor:
    """The sum of (a - a')², a matrix."""
    turned = subtract(a, ein1(TRANSPOSE, a))
    return ein1(parse_spec("ij->"), power(turned, 2))


# Far thresholds


@false_laws.rule(cite="far")
def below_threshold(a: Tensor) -> Statement:
    """relu(a - 77) = 0."""
    return fn("relu", subtract(a, c(77, a))) >> c(0, a)


@false_laws.rule(cite="far")
def above_threshold(a: Tensor) -> Statement:
    """max(a/3, -250) = a/3."""
    return fn("maximum", scale(Number(1, 3), a), c(-250, a)) >> scale(Number(1, 3), a)


@false_laws.rule(cite="far")
def never_greater(a: Tensor) -> Statement:
    """(a > 10²⁰) = 0."""
    return fn("greater", a, c(10**20, a)) >> c(0, a)


@false_laws.rule(cite="far")
def exponential_below(a: Tensor) -> Statement:
    """min(exp(2a), 10¹⁵) = exp(2a)."""
    return fn("minimum", fn("exp", scale(2, a)), c(10**15, a)) >> fn("exp", scale(2, a))


@false_laws.rule(cite="far")
def tiny_threshold(a: Tensor) -> Statement:
    """sign(exp a - 10⁻³⁰) = 1."""
    return fn("sign", subtract(fn("exp", a), c(Number(1, 10**30), a))) >> c(1, a)


@false_laws.rule(cite="far")
def far_remainder(a: Tensor) -> Statement:
    """mod(a², 5000) = a²."""
    return fn("mod", power(a, 2), c(5000, a)) >> power(a, 2)


@false_laws.rule(cite="far")
def drawn_threshold(k: Number, a: Tensor) -> Statement:
    """relu(k·a + 90) = k·a + 90."""
    return fn("relu", add(scale(k, a), c(90, a))) >> add(scale(k, a), c(90, a))


@false_laws.rule(cite="far")
def beyond_a_turn(a: Tensor) -> Statement:
    """arccos(cos(a²/40)) = a²/40."""
    inner = scale(Number(1, 40), power(a, 2))
    return fn("arccos", fn("cos", inner)) >> inner


# Slopes


@false_laws.rule(cite="slope")
def sine_of_little(a: Tensor) -> Statement:
    """sin(a/1000) = a/1000."""
    return fn("sin", scale(Number(1, 1000), a)) >> scale(Number(1, 1000), a)


@false_laws.rule(cite="slope")
def exponential_of_little(a: Tensor) -> Statement:
    """exp(a/10⁶) = 1 + a/10⁶."""
    little = scale(Number(1, 10**6), a)
    return fn("exp", little) >> add(c(1, a), little)


@false_laws.rule(cite="slope")
def nearly_one(a: Tensor) -> Statement:
    """1.000001·a = a."""
    return scale(Number(1000001, 1000000), a) >> a


@false_laws.rule(cite="slope")
def little_more(a: Tensor) -> Statement:
    """a + 10⁻⁹ = a."""
    return add(a, c(Number(1, 10**9), a)) >> a


# Windows and points


@false_laws.rule(cite="window")
def bump(a: Tensor) -> Statement:
    """relu(10⁻³ - |exp a - 7|) = 0."""
    return fn(
        "relu", subtract(c(Number(1, 1000), a), fn("abs", subtract(fn("exp", a), c(7, a))))
    ) >> c(0, a)


@false_laws.rule(cite="window")
def narrow(a: Tensor) -> Statement:
    """relu(10⁻⁶ - |3a + 17/9|) = 0."""
    inner = add(scale(3, a), c(Number(17, 9), a))
    return fn("relu", subtract(c(Number(1, 10**6), a), fn("abs", inner))) >> c(0, a)


@false_laws.rule(cite="window")
def window_of_two(a: Tensor, b: Tensor) -> Statement:
    """relu(1/50 - |a·b - 11|) = 0."""
    inner = fn("abs", subtract(ein(elementwise(dims(a)), a, b), c(11, a)))
    return fn("relu", subtract(c(Number(1, 50), a), inner)) >> c(0, a)


@false_laws.rule(cite="one point")
def never_there(a: Tensor) -> Statement:
    """|sign(3a - 1)| = 1."""
    return fn("abs", fn("sign", subtract(scale(3, a), c(1, a)))) >> c(1, a)


@false_laws.rule(cite="one point")
def never_equal(a: Tensor) -> Statement:
    """(a ≠ 22/7) = 1."""
    return fn("not_equal", a, c(Number(22, 7), a)) >> c(1, a)


@false_laws.rule(cite="one point")
def never_both(a: Tensor, b: Tensor) -> Statement:
    """sign((a - b)²) = 1, which ties refute."""
    return fn("sign", power(subtract(a, b), 2)) >> c(1, a)


@false_laws.rule(cite="one point")
def logarithm_never_two(a: Tensor) -> Statement:
    """sign((a² - 9)²) = 1."""
    return fn("sign", power(subtract(power(a, 2), c(9, a)), 2)) >> c(1, a)


# Integers and halves


@false_laws.rule(cite="integers")
def between(a: Tensor) -> Statement:
    """a - floor a = 1 - (-a - floor(-a))."""
    return subtract(a, fn("floor", a)) >> subtract(
        c(1, a), subtract(negate(a), fn("floor", negate(a)))
    )


@false_laws.rule(cite="integers")
def never_whole(a: Tensor) -> Statement:
    """(a/4 = floor(a/4)) = 0."""
    quarter = scale(Number(1, 4), a)
    return fn("equal", quarter, fn("floor", quarter)) >> c(0, a)


@false_laws.rule(cite="halves")
def rounded_up(a: Tensor) -> Statement:
    """ceil(a - 1/2) = round a."""
    return fn("ceil", subtract(a, c(Number(1, 2), a))) >> fn("round", a)


@false_laws.rule(cite="halves")
def rounded_third(a: Tensor) -> Statement:
    """floor(3a + 1/2) = round(3a)."""
    inner = scale(3, a)
    return fn("floor", add(inner, c(Number(1, 2), a))) >> fn("round", inner)


# Sizes and matrices


@false_laws.rule(cite="n >= 5")
def at_most_four(a: Tensor) -> Statement:
    """relu(n - 4) = 0, for n entries."""
    return fn("relu", subtract(count(a), const(4, ()))) >> const(0, ())


@false_laws.rule(cite="n >= 4")
def three_rows(a: Tensor) -> Statement:
    """min(tr(1), 3) = tr(1), for square matrices."""
    ones = ein1(parse_spec("ii->"), power(fn("exp", a), 0))
    return fn("minimum", ones, const(3, ())) >> ones


@false_laws.rule(cite="n = 3 alone")
def scaled_adjugate(a: Tensor) -> Statement:
    """adj(2a) = 4·adj(a)."""
    return adj(scale(2, a)) >> scale(4, adj(a))


@false_laws.rule(cite="symmetric alone")
def never_symmetric(a: Tensor) -> Statement:
    """sign(Σ(a - a')² + relu(2 - n)) = 1: a symmetric matrix refutes, a number does not."""
    rows = ein1(parse_spec("ii->"), power(fn("exp", a), 0))
    more = fn("relu", subtract(const(2, ()), rows))
    return fn("sign", add(gap(a), more)) >> const(1, ())


@false_laws.rule(cite="square alone")
def commuting(a: Tensor, b: Tensor) -> Statement:
    """a·b = b·a."""
    return ein(PRODUCT, a, b) >> ein(PRODUCT, b, a)


@false_laws.rule(cite="singular alone")
def never_singular(a: Tensor) -> Statement:
    """sign(det(a)²) = 1."""
    return fn("sign", power(det(a), 2)) >> const(1, ())


# True laws that look like these


@true_laws.rule(cite="far")
def difference_of_relus(a: Tensor) -> Statement:
    """relu(a - 77) - relu(77 - a) = a - 77."""
    inner = subtract(a, c(77, a))
    return subtract(fn("relu", inner), fn("relu", negate(inner))) >> inner


@true_laws.rule(cite="far")
def shifted_floor(a: Tensor) -> Statement:
    """floor(a + 10⁶) = floor a + 10⁶."""
    return fn("floor", add(a, c(10**6, a))) >> add(fn("floor", a), c(10**6, a))


@true_laws.rule(cite="far")
def minimum_of_exponentials(a: Tensor) -> Statement:
    """min(exp(2a), exp(a + 50)) = exp(min(2a, a + 50))."""
    two, more = scale(2, a), add(a, c(50, a))
    return fn("minimum", fn("exp", two), fn("exp", more)) >> fn("exp", fn("minimum", two, more))


@true_laws.rule(cite="far")
def absorbed(a: Tensor, b: Tensor) -> Statement:
    """(a + b) - a = b."""
    return subtract(add(a, b), a) >> b


@true_laws.rule(cite="far")
def positive_exponential(a: Tensor) -> Statement:
    """sign(exp a) = 1."""
    return fn("sign", fn("exp", a)) >> c(1, a)


@true_laws.rule(cite="far")
def hyperbolic(a: Tensor) -> Statement:
    """(exp a - exp(-a)) / (exp a + exp(-a)) = tanh a."""
    plus_, minus = fn("exp", a), fn("exp", negate(a))
    return divide(subtract(plus_, minus), add(plus_, minus)) >> fn("tanh", a)


@true_laws.rule(cite="slope")
def triple_angle(a: Tensor) -> Statement:
    """sin(a/1000) = 3·sin(a/3000) - 4·sin(a/3000)³."""
    third = fn("sin", scale(Number(1, 3000), a))
    return fn("sin", scale(Number(1, 1000), a)) >> subtract(
        scale(3, third), scale(4, power(third, 3))
    )


@true_laws.rule(cite="window")
def same_bump(a: Tensor) -> Statement:
    """relu(1/1000 - |a - 7|) = min(relu(a - 6.999), relu(7.001 - a)), where that is positive."""
    left = fn("relu", subtract(c(Number(1, 1000), a), fn("abs", subtract(a, c(7, a)))))
    low = fn("relu", subtract(a, c(Number(6999, 1000), a)))
    high = fn("relu", subtract(c(Number(7001, 1000), a), a))
    return left >> fn("minimum", low, high)


@true_laws.rule(cite="integers")
def ceiling(a: Tensor) -> Statement:
    """ceil(3a) = -floor(-3a)."""
    return fn("ceil", scale(3, a)) >> negate(fn("floor", scale(-3, a)))


@true_laws.rule(cite="integers")
def thrice(a: Tensor) -> Statement:
    """floor(a + a + a) = floor(3a)."""
    return fn("floor", add(add(a, a), a)) >> fn("floor", scale(3, a))


@true_laws.rule(cite="halves")
def odd_rounding(a: Tensor) -> Statement:
    """round(-a/3) = -round(a/3)."""
    return fn("round", scale(Number(-1, 3), a)) >> negate(fn("round", scale(Number(1, 3), a)))


@true_laws.rule(cite="one point")
def sign_of_square(a: Tensor) -> Statement:
    """sign((3a - 1)²) = |sign(3a - 1)|."""
    inner = subtract(scale(3, a), c(1, a))
    return fn("sign", power(inner, 2)) >> fn("abs", fn("sign", inner))


@true_laws.rule(cite="matrices", exceptions="det(a·b) = 0")
def inverse_of_product(a: Tensor, b: Tensor) -> Statement:
    """inv(a·b) = inv(b)·inv(a), for square ones."""
    law = inv(ein(PRODUCT, a, b)) >> ein(PRODUCT, inv(b), inv(a))
    return law, is_square(dims(a)), is_square(dims(b))


@true_laws.rule(cite="matrices")
def determinant_of_multiple(a: Tensor) -> Statement:
    """det(a)² = det(a'·a)."""
    return power(det(a), 2) >> det(ein(PRODUCT, ein1(TRANSPOSE, a), a))


@true_laws.rule(cite="ties")
def sum_of_extremes(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) + min(a, b) = a + b."""
    return add(fn("maximum", a, b), fn("minimum", a, b)) >> add(a, b)


@true_laws.rule(cite="ties")
def signed(a: Tensor) -> Statement:
    """sign(a - 64)·|a - 64| = a - 64."""
    inner = subtract(a, c(64, a))
    return ein(elementwise(dims(a)), fn("sign", inner), fn("abs", inner)) >> inner
