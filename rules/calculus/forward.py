"""Forward mode: the derivative pushed to the leaves. One derivative for each node: linear."""

from eggrad.engine.laws.primitives import (
    by_shares,
    chain,
    contract_last,
    is_of_each,
    lift,
    lift_second,
    matrix_first,
    matrix_second,
    minors_dims,
    next_k,
    other_variable,
    same_variable,
    wrt_dims,
)
from eggrad.rules.calculus.extremes import shares
from eggrad.rules.notation import *

# adj(a)[i,j] is the derivative of det at [j,i]: the first two axes of the second one, exchanged.
ADJUGATE_AXES: Spec = ((0, 1, 2, 3), (1, 0, 2, 3))

forward = Ruleset(
    "forward",
    "forward mode: derivatives pushed to the leaves",
    "the height of the term under D",
)


@forward.rule(cite="thesis 4.1, equation 4.2")
def d_variable(y: Wrt, x: Wrt) -> Statement:
    """D x / D x = δ."""
    return D(variable(y), x) >> delta(wrt_dims(x)), same_variable(y, x)


@forward.rule(cite="thesis 4.1")
def d_other_variable(y: Wrt, x: Wrt) -> Statement:
    """D y / D x = 0 for another variable y."""
    return (
        D(variable(y), x) >> const(0, join(dims(variable(y)), wrt_dims(x))),
        other_variable(y, x),
    )


@forward.rule(cite="thesis 4.1")
def d_constant(c: Number, n: Dims, x: Wrt) -> Statement:
    """D c / D x = 0 for a constant c."""
    return D(const(c, n), x) >> const(0, join(n, wrt_dims(x)))


@forward.rule(cite="thesis 4.1: it is a constant")
def d_array(c: Entries, x: Wrt) -> Statement:
    """D c / D x = 0 for an array c of numbers."""
    return D(array(c), x) >> const(0, join(dims(array(c)), wrt_dims(x)))


@forward.rule(cite="thesis 4.1")
def d_delta(n: Dims, x: Wrt) -> Statement:
    """D δ / D x = 0."""
    return D(delta(n), x) >> const(0, join(join(n, n), wrt_dims(x)))


@forward.rule(cite="thesis 4.1: it is a constant")
def d_indicator(n: Dims, p: Constraints, x: Wrt) -> Statement:
    """D [p] / D x = 0: no condition on indices depends on an entry."""
    return D(indicator(n, p), x) >> const(0, join(n, wrt_dims(x)))


@forward.rule(cite="thesis 4.1")
def d_size(d: object, x: Wrt) -> Statement:
    """D n / D x = 0 for a size n."""
    return D(size(d), x) >> const(0, wrt_dims(x))


@forward.rule(cite="subgradient, equal shares where several attain it")
def d_extreme(f: Name, s: Spec, a: Tensor, x: Wrt) -> Statement:
    """D max a = Σ (share of the entry)·D a, along the axes that go; likewise for minima."""
    return (
        D(extreme(f, s, a), x) >> ein(by_shares(s, wrt_dims(x)), shares(f, s, a), D(a, x)),
        is_extreme(f),
    )


@forward.rule(cite="it is constant but for jumps")
def d_selection(n: Dims, a: Tensor, x: Wrt) -> Statement:
    """D [i = a] = 0: what is chosen changes in jumps alone."""
    return D(selection(n, a), x) >> const(0, join(dims(selection(n, a)), wrt_dims(x)))


@forward.rule(cite="it is constant but for jumps")
def d_argsort(k: int, a: Tensor, x: Wrt) -> Statement:
    """D argsort a = 0: an order changes in jumps alone."""
    return D(argsort(k, a), x) >> const(0, join(dims(a), wrt_dims(x)))


@forward.rule(cite="the chain rule; its Jacobian is what reverse mode passes on")
def d_of_each(f: Name, a: Tensor, x: Wrt) -> Statement:
    """D f(a) = Σ (Jacobian of f)·D a, for functions of each matrix of a stack."""
    own = of_each(f, a)
    jacobian = pullback(own, 0, delta(dims(own)))
    return (
        D(own, x) >> ein(contract_last(dims(own), dims(a), wrt_dims(x)), jacobian, D(a, x)),
        is_of_each(f),
    )


@forward.rule(cite=f"{LAUE}, theorem 5")
def d_add(a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D(a + b) = D a + D b."""
    return D(add(a, b), x) >> add(D(a, x), D(b, x))


@forward.rule(cite="thesis table 3.1 with the sum rule")
def d_subtract(a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D(a - b) = D a - D b."""
    return D(subtract(a, b), x) >> subtract(D(a, x), D(b, x))


@forward.rule(cite="thesis table 4.1")
def d_negate(a: Tensor, x: Wrt) -> Statement:
    """D(-a) = -D a."""
    return D(negate(a), x) >> negate(D(a, x))


@forward.rule(cite=f"{LAUE}, theorem 5")
def d_product(s: Spec, a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D(a * b) = D a * b + a * D b."""
    return D(ein(s, a, b), x) >> add(
        ein(lift(s, wrt_dims(x)), D(a, x), b),
        ein(lift_second(s, wrt_dims(x)), a, D(b, x)),
    )


@forward.rule(cite="linearity")
def d_unary(s: Spec, a: Tensor, x: Wrt) -> Statement:
    """D commutes with transposes, diagonals and sums."""
    return D(ein1(s, a), x) >> ein1(lift(s, wrt_dims(x)), D(a, x))


@forward.rule(cite="thesis table 3.1 and table 4.1, elementwise inverse", domain="b ≠ 0")
def d_divide(a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D(a / b) = b⁻¹·D a - (a/b)·b⁻¹·D b."""
    return D(divide(a, b), x) >> subtract(
        ein(lift_second(meet(dims(b), dims(a)), wrt_dims(x)), power(b, -1), D(a, x)),
        ein(
            lift_second(meet(dims(divide(a, b)), dims(b)), wrt_dims(x)),
            ein(meet(dims(divide(a, b)), dims(b)), divide(a, b), power(b, -1)),
            D(b, x),
        ),
    )


@forward.rule(cite="thesis 4.2.3")
def d_function(f: Name, a: Tensor, x: Wrt) -> Statement:
    """D f(a) = f'(a)·D a."""
    return D(fn(f, a), x) >> ein(chain(dims(a), wrt_dims(x)), slope(f, a), D(a, x))


@forward.rule(cite="the chain rule")
def d_function_of_two(f: Name, a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D f(a, b) = f₁'(a, b)·D a + f₂'(a, b)·D b."""
    s = chain(dims(a), wrt_dims(x))
    return D(fn(f, a, b), x) >> add(
        ein(s, slope(f, a, b), D(a, x)), ein(s, slope(f, a, b, place=1), D(b, x))
    )


@forward.rule(cite="the chain rule")
def d_function_of_three(f: Name, a: Tensor, b: Tensor, c: Tensor, x: Wrt) -> Statement:
    """D f(a, b, c) = f₁'·D a + f₂'·D b + f₃'·D c, all slopes at (a, b, c)."""
    s = chain(dims(a), wrt_dims(x))
    return D(fn(f, a, b, c), x) >> add(
        add(
            ein(s, slope(f, a, b, c), D(a, x)),
            ein(s, slope(f, a, b, c, place=1), D(b, x)),
        ),
        ein(s, slope(f, a, b, c, place=2), D(c, x)),
    )


@forward.rule(cite="thesis table 3.1 with tables 3.2 and 4.1", domain="a > 0 unless p is constant")
def d_power(a: Tensor, p: Tensor, x: Wrt) -> Statement:
    """D aᵖ = p·aᵖ⁻¹·D a + aᵖ·log a·D p."""
    return D(power(a, p), x) >> add(
        ein(
            chain(dims(a), wrt_dims(x)),
            ein(meet((), dims(a)), p, power(a, subtract(p, const(1, ())))),
            D(a, x),
        ),
        ein(
            outer(dims(a), wrt_dims(x)),
            ein(meet(dims(a), dims(a)), power(a, p), fn("log", a)),
            D(p, x),
        ),
    )


@forward.rule(cite="thesis table 4.1", domain="a invertible")
def d_inv(a: Tensor, x: Wrt) -> Statement:
    """D a⁻¹ = -a⁻¹·D a·a⁻¹."""
    return D(inv(a), x) >> negate(
        ein(matrix_second(wrt_dims(x)), ein(matrix_first(wrt_dims(x)), inv(a), D(a, x)), inv(a))
    )


@forward.rule(cite="thesis table 4.1 (Jacobi's formula)")
def d_det(a: Tensor, x: Wrt) -> Statement:
    """D det a = Σ adj(a)'·D a."""
    return D(det(a), x) >> ein(
        contract_last((), dims(a), wrt_dims(x)), ein1(matrix_transpose(), adj(a)), D(a, x)
    )


@forward.rule(cite=f"{COOKBOOK}, equation 43", domain="a invertible")
def d_logabsdet(a: Tensor, x: Wrt) -> Statement:
    """D log|det a| = Σ (a⁻¹)'·D a."""
    return D(logabsdet(a), x) >> ein(
        contract_last((), dims(a), wrt_dims(x)), ein1(matrix_transpose(), inv(a)), D(a, x)
    )


@forward.rule(cite="it is constant where a is invertible")
def d_signdet(a: Tensor, x: Wrt) -> Statement:
    """D sign det a = 0."""
    return D(signdet(a), x) >> const(0, wrt_dims(x))


@forward.rule(cite="the adjugate is the transposed first derivative of det")
def d_adj(a: Tensor, x: Wrt) -> Statement:
    """D adj(a) = Σ (second derivative of det)'·D a."""
    return D(adj(a), x) >> ein(
        contract_last(dims(a), dims(a), wrt_dims(x)),
        ein1(ADJUGATE_AXES, cofactors(2, a)),
        D(a, x),
    )


@forward.rule(cite="cofactors(k) is the k-th derivative of det")
def d_cofactors(k: int, a: Tensor, x: Wrt) -> Statement:
    """D cofactors(k, a) = Σ cofactors(k + 1, a)·D a."""
    return D(cofactors(k, a), x) >> ein(
        contract_last(minors_dims(k, dims(a)), dims(a), wrt_dims(x)),
        cofactors(next_k(k), a),
        D(a, x),
    )
