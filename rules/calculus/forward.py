"""Forward mode: the derivative pushed to the leaves. One derivative for each node: linear."""

from eggrad.rules.calculus.extremes import CONSTANT, shares
from eggrad.rules.notation import *

forward = Ruleset(
    "forward", "forward mode: derivatives pushed to the leaves", "the height of the term under D"
)


forward.state(
    "thesis 4.1",
    d_variable=(D(variable(y), x) >> delta(x[1]))
    .when(y[0] == x[0])
    .noted("D x / D x = δ.", cite="thesis 4.1, equation 4.2"),
    d_other_variable=(D(variable(y), x) >> const(0, dims(variable(y)) + x[1]))
    .when(y[0] != x[0])
    .noted("D y / D x = 0 for another variable y."),
    d_constant=(D(const(c, n), x) >> const(0, n + x[1])).noted("D c / D x = 0 for a constant c."),
    d_array=(D(array(E), x) >> const(0, dims(array(E)) + x[1])).noted(
        "D E / D x = 0 for an array E of numbers.", cite="thesis 4.1: it is a constant"
    ),
    d_delta=(D(delta(n), x) >> const(0, n + n + x[1])).noted("D δ / D x = 0."),
    d_indicator=(D(indicator(n, P), x) >> const(0, n + x[1])).noted(
        "D [P] / D x = 0: no condition on indices depends on an entry.",
        cite="thesis 4.1: it is a constant",
    ),
    d_size=(D(size(i), x) >> const(0, x[1])).noted("D n / D x = 0 for a size n."),
)


forward.state(
    "subgradient, equal shares where several attain it",
    d_extreme=(D(extreme(f, s, a), x) >> ein(lift(weighted(s), x[1], 1), shares(f, s, a), D(a, x)))
    .when(is_extreme(f))
    .noted("D max a = Σ (share of the entry)·D a, along the axes that go; likewise for minima."),
)


forward.state(
    CONSTANT,
    d_selection=(D(selection(n, a), x) >> const(0, dims(selection(n, a)) + x[1])).noted(
        "D [i = a] = 0: what is chosen changes in jumps alone."
    ),
    d_argsort=(D(argsort(j, a), x) >> const(0, dims(a) + x[1])).noted(
        "D argsort a = 0: an order changes in jumps alone."
    ),
)

forward.state(
    "the chain rule",
    d_add=(D(a + b, x) >> D(a, x) + D(b, x)).noted(cite=f"{LAUE}, theorem 5"),
    d_subtract=(D(a - b, x) >> D(a, x) - D(b, x)).noted(cite="thesis table 3.1 with the sum rule"),
    d_negate=(D(-a, x) >> -D(a, x)).noted(cite="thesis table 4.1"),
    d_product=(
        D(ein(s, a, b), x) >> ein(lift(s, x[1]), D(a, x), b) + ein(lift(s, x[1], 1), a, D(b, x))
    ).noted("D(a * b) = D a * b + a * D b.", cite=f"{LAUE}, theorem 5"),
    d_unary=(D(ein1(s, a), x) >> ein1(lift(s, x[1]), D(a, x))).noted(
        "D commutes with transposes, diagonals and sums.", cite="linearity"
    ),
    d_divide=(
        D(a / b, x)
        >> ein(lift(meet(dims(b), dims(a)), x[1], 1), b**-1, D(a, x))
        - ein(
            lift(meet(dims(a / b), dims(b)), x[1], 1),
            ein(meet(dims(a / b), dims(b)), a / b, b**-1),
            D(b, x),
        )
    ).noted(
        "D(a / b) = b⁻¹·D a - (a/b)·b⁻¹·D b.",
        domain="b ≠ 0",
        cite="thesis table 3.1 and table 4.1, elementwise inverse",
    ),
    d_function=(D(f(a), x) >> ein("A,AX->AX", slope(f, a), D(a, x))).noted(cite="thesis 4.2.3"),
    d_function_of_two=(
        D(f(a, b), x)
        >> ein("A,AX->AX", slope(f, a, b), D(a, x))
        + ein("A,AX->AX", slope(f, a, b, place=1), D(b, x))
    ).noted(cite="the chain rule"),
    d_function_of_three=(
        D(f(a, b, d), x)
        >> ein("A,AX->AX", slope(f, a, b, d), D(a, x))
        + ein("A,AX->AX", slope(f, a, b, d, place=1), D(b, x))
        + ein("A,AX->AX", slope(f, a, b, d, place=2), D(d, x))
    ).noted(
        "D f(a, b, d) = f₁'·D a + f₂'·D b + f₃'·D d, all slopes at (a, b, d).",
        cite="the chain rule",
    ),
    d_power=(
        D(a**b, x)
        >> ein("A,AX->AX", ein(",A->A", b, a ** (b - const(1, ()))), D(a, x))
        + ein("A,X->AX", a**b * log(a), D(b, x))
    ).noted(domain="a > 0 unless b is constant", cite="thesis table 3.1 with tables 3.2 and 4.1"),
    d_inv=(D(inv(a), x) >> -ein("ijX,jk->ikX", ein("ij,jkX->ikX", inv(a), D(a, x)), inv(a))).noted(
        domain="a invertible", cite="thesis table 4.1"
    ),
    d_det=(D(det(a), x) >> ein("A,AX->X", adj(a).T, D(a, x))).noted(
        cite="thesis table 4.1 (Jacobi's formula)"
    ),
    d_logabsdet=(D(logabsdet(a), x) >> ein("A,AX->X", inv(a).T, D(a, x))).noted(
        "D log|det a| = Σ (a⁻¹)'·D a.", domain="a invertible", cite=f"{COOKBOOK}, equation 43"
    ),
    d_signdet=(D(signdet(a), x) >> const(0, x[1])).noted(
        "D sign det a = 0.", cite="it is constant where a is invertible"
    ),
    d_adj=(
        D(adj(a), x) >> ein("ijkl,klX->ijX", ein1("ijkl->jikl", cofactors(2, a)), D(a, x))
    ).noted(
        "D adj(a) = Σ (second derivative of det)'·D a.",
        cite="the adjugate is the transposed first derivative of det",
    ),
    d_cofactors=(
        D(cofactors(j, a), x)
        >> ein(contract_last(dims(a) * j, dims(a), x[1]), cofactors(j + 1, a), D(a, x))
    ).noted(
        "D cofactors(j, a) = Σ cofactors(j + 1, a)·D a.",
        cite="cofactors(k) is the k-th derivative of det",
    ),
)
