"""Reverse mode: what each node passes on to its operands.

The engine asserts that the adjoint of a node is the sum of these contributions over its uses
(thesis, equation 4.1); the rules below say what one contribution is. A cotangent has the axes
of the root, then those of its node.
"""

from eggrad.rules.calculus.extremes import CONSTANT, shares
from eggrad.rules.notation import *

reverse = Ruleset(
    "reverse",
    "reverse mode: contributions to the adjoints of operands",
    "the number of contributions that have no value yet",
)


def _repaired(s: Spec, node: Tensor, a: Tensor, *others: Tensor) -> Tensor:
    """What a product passes to its first operand `a`, some indices of which are not `regular`.

    The cotangent times the other operands has the indices that `a` shares with those or the output;
    ones spread it along indices that `a` alone has, and a delta ties those that repeat.
    """
    lead = leading(dims(g), dims(node))
    shared = ein(pull_shared(s, lead), g, *others) if others else ein1(pull_shared(s, lead), g)
    spread = ein(spread_along_lone(s, lead), shared, const(1, lone_dims(s, dims(a))))
    return ein(tie_repeated(s, lead), spread, delta(repeated_dims(s, dims(a))))


reverse.state(
    "subgradient, equal shares where several attain it",
    pull_extreme=(
        pullback(extreme(f, s, a), 0, g)
        >> ein(
            pull_shared(weighted(s), leading(dims(g), dims(extreme(f, s, a)))), g, shares(f, s, a)
        )
    )
    .when(is_extreme(f))
    .noted("A maximum passes its cotangent to the entries that attain it; likewise a minimum."),
)


reverse.state(
    CONSTANT,
    pull_selection=(
        pullback(selection(n, a), 0, g)
        >> const(0, leading(dims(g), dims(selection(n, a))) + dims(a))
    ).noted("A selection passes on 0 to the indices."),
    pull_argsort=(
        pullback(argsort(j, a), 0, g) >> const(0, leading(dims(g), dims(a)) + dims(a))
    ).noted("An order passes on 0."),
)

reverse.state(
    f"{LAUE}, theorem 9; thesis 4.2.1",
    pull_add_left=(pullback(a + b, 0, g) >> g).noted(
        "A sum passes its cotangent to its left operand."
    ),
    pull_add_right=(pullback(a + b, 1, g) >> g).noted(
        "A sum passes its cotangent to its right operand."
    ),
    pull_subtract_left=(pullback(a - b, 0, g) >> g).noted(
        "A difference passes its cotangent to its left operand.", cite="thesis table 3.1 with 4.2.1"
    ),
    pull_subtract_right=(pullback(a - b, 1, g) >> -g).noted(
        "A difference passes the negative of its cotangent to its right operand.",
        cite="thesis table 3.1 with 4.2.1 and table 4.1",
    ),
    pull_negate=(pullback(-a, 0, g) >> -g).noted(
        "A negative passes on the negative of its cotangent.", cite="thesis table 4.1"
    ),
    pull_product_left=(
        pullback(ein(s, a, b), 0, g)
        >> ein(pull_shared(s, leading(dims(g), dims(ein(s, a, b)))), g, b)
    )
    .when(regular(s))
    .noted(
        "A product passes its cotangent times the right operand to the left one.",
        cite=f"{LAUE}, theorem 8; thesis 4.2.2",
    ),
    pull_product_right=(
        pullback(ein(s, a, b), 1, g)
        >> ein(pull_shared(swap(s), leading(dims(g), dims(ein(s, a, b)))), g, a)
    )
    .when(regular(swap(s)))
    .noted(
        "A product passes its cotangent times the left operand to the right one.",
        cite=f"{LAUE}, theorem 8; thesis 4.2.2",
    ),
)


reverse.state(
    "thesis 4.6 (the repaired product rule); diagonals by a delta",
    pull_product_left_repaired=(pullback(ein(s, a, b), 0, g) >> _repaired(s, ein(s, a, b), a, b))
    .when(~regular(s))
    .noted(
        "Where the left operand alone has an index, or one twice, ones and a delta make up for it."
    ),
    pull_product_right_repaired=(
        pullback(ein(s, a, b), 1, g) >> _repaired(swap(s), ein(s, a, b), b, a)
    )
    .when(~regular(swap(s)))
    .noted(
        "Where the right operand alone has an index, or one twice, ones and a delta make up for it."
    ),
    pull_unary=(pullback(ein1(s, a), 0, g) >> _repaired(s, ein1(s, a), a)).noted(
        "A transpose passes its cotangent back transposed; sums spread it, diagonals place it.",
        cite="linearity; thesis 4.6 for summed indices",
    ),
)


reverse.state(
    "the chain rule",
    pull_divide_left=(
        pullback(a / b, 0, g) >> ein(lead_meet(dims(g), dims(a / b), dims(a), dims(b)), g, b**-1)
    ).noted(
        "A quotient passes its cotangent over the denominator to its numerator.",
        domain="b ≠ 0",
        cite="thesis table 3.1 and table 4.1",
    ),
    pull_divide_right=(
        pullback(a / b, 1, g)
        >> -ein(
            lead_meet(dims(g), dims(a / b), dims(b), dims(a / b)),
            g,
            ein(meet(dims(a / b), dims(b)), a / b, b**-1),
        )
    ).noted(
        "A quotient q = a/b passes -g·q/b to its denominator, summed over axes that b lacks.",
        domain="b ≠ 0",
        cite="thesis table 3.1 and table 4.1",
    ),
    pull_function=(pullback(f(a), 0, g) >> ein("LA,A->LA", g, slope(f, a))).noted(
        "An element-wise function passes on its cotangent times its slope.",
        cite=f"{LAUE}, theorem 10; thesis 4.2.3",
    ),
    pull_first_of_two=(pullback(f(a, b), 0, g) >> ein("LA,A->LA", g, slope(f, a, b))).noted(
        "A function of two passes its cotangent times one slope to its first operand."
    ),
    pull_second_of_two=(
        pullback(f(a, b), 1, g) >> ein("LA,A->LA", g, slope(f, a, b, place=1))
    ).noted("A function of two passes its cotangent times the other slope to its second operand."),
    pull_first_of_three=(pullback(f(a, b, d), 0, g) >> ein("LA,A->LA", g, slope(f, a, b, d))).noted(
        "A function of three passes its cotangent times the first slope to its first operand."
    ),
    pull_second_of_three=(
        pullback(f(a, b, d), 1, g) >> ein("LA,A->LA", g, slope(f, a, b, d, place=1))
    ).noted(
        "A function of three passes its cotangent times the second slope to its second operand."
    ),
    pull_third_of_three=(
        pullback(f(a, b, d), 2, g) >> ein("LA,A->LA", g, slope(f, a, b, d, place=2))
    ).noted("A function of three passes its cotangent times the third slope to its third operand."),
    pull_base=(
        pullback(a**b, 0, g) >> ein("LA,A->LA", g, ein(",A->A", b, a ** (b - const(1, ()))))
    ).noted(
        "A power passes its cotangent times b·aᵇ⁻¹ to its base.",
        cite="thesis table 3.1 with table 4.1",
    ),
    pull_exponent=(pullback(a**b, 1, g) >> ein("LA,A->L", g, a**b * log(a))).noted(
        "A power passes the sum of its cotangent times aᵇ·log a to its exponent.",
        domain="a > 0",
        cite="thesis table 3.1 with table 4.1",
    ),
    pull_inv=(
        pullback(inv(a), 0, g) >> -ein("Lij,kj->Lik", ein("Lij,ik->Lkj", g, inv(a)), inv(a))
    ).noted(
        "An inverse passes on -inv(a)'·g·inv(a)'.", domain="a invertible", cite="thesis table 4.1"
    ),
    pull_det=(pullback(det(a), 0, g) >> ein("L,A->LA", g, adj(a).T)).noted(
        "A determinant passes on its cotangent times the transposed adjugate.",
        cite="thesis table 4.1 (Jacobi's formula)",
    ),
    pull_logabsdet=(pullback(logabsdet(a), 0, g) >> ein("L,A->LA", g, inv(a).T)).noted(
        "The logarithm of a determinant passes on its cotangent times the transposed inverse.",
        domain="a invertible",
        cite=f"{COOKBOOK}, equation 43",
    ),
    pull_signdet=(pullback(signdet(a), 0, g) >> const(0, leading(dims(g), ()) + dims(a))).noted(
        "The sign of a determinant passes on 0.", cite="it is constant where a is invertible"
    ),
    pull_adj=(
        pullback(adj(a), 0, g) >> ein("Lij,ijkl->Lkl", g, ein1("ijkl->jikl", cofactors(2, a)))
    ).noted(
        "An adjugate contracts its cotangent with the second derivative of det.",
        cite="the adjugate is the transposed first derivative of det",
    ),
    pull_cofactors=(
        pullback(cofactors(j, a), 0, g)
        >> ein(
            contract_last(leading(dims(g), dims(a) * j), dims(a) * j, dims(a)),
            g,
            cofactors(j + 1, a),
        )
    ).noted(
        "The j-th derivative of det contracts its cotangent with the next one.",
        cite="cofactors(k) is the k-th derivative of det",
    ),
)
