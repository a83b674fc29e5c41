"""Reverse mode: what each node passes on to its operands.

The engine asserts that the adjoint of a node is the sum of these contributions over its uses
(thesis, equation 4.1); the rules below say what one contribution is. A cotangent has the axes
of the root, then those of its node.
"""

from eggrad.engine.laws.primitives import (
    again_dims,
    gone_dims,
    irregular,
    lead_chain,
    lead_contract,
    lead_meet,
    lead_sum,
    leading,
    minors_dims,
    next_k,
    pull_known,
    regular,
    spread_again,
    spread_gone,
    to_shares,
    transposed_first,
    transposed_second,
)
from eggrad.rules.calculus.extremes import shares
from eggrad.rules.calculus.forward import ADJUGATE_AXES
from eggrad.rules.notation import *

reverse = Ruleset(
    "reverse",
    "reverse mode: contributions to the adjoints of operands",
    "the number of contributions that have no value yet",
)


def _repaired(s: Spec, lead: Dims, known: Tensor, a: Tensor) -> Tensor:
    """A cotangent for `a` on those of its indices that are known, spread over the others."""
    spread = ein(spread_gone(s, lead), known, const(1, gone_dims(s, dims(a))))
    return ein(spread_again(s, lead), spread, delta(again_dims(s, dims(a))))


@reverse.rule(cite="subgradient, equal shares where several attain it")
def pull_extreme(f: Name, s: Spec, a: Tensor, g: Tensor) -> Statement:
    """A maximum passes its cotangent to the entries that attain it; likewise a minimum."""
    return (
        pullback(extreme(f, s, a), 0, g) >> ein(to_shares(s, dims(g)), g, shares(f, s, a)),
        is_extreme(f),
    )


@reverse.rule(cite="it is constant but for jumps")
def pull_selection(n: Dims, a: Tensor, g: Tensor) -> Statement:
    """A selection passes on 0 to the indices."""
    lead = leading(dims(g), dims(selection(n, a)))
    return pullback(selection(n, a), 0, g) >> const(0, join(lead, dims(a)))


@reverse.rule(cite="it is constant but for jumps")
def pull_argsort(k: int, a: Tensor, g: Tensor) -> Statement:
    """An order passes on 0."""
    return pullback(argsort(k, a), 0, g) >> const(0, join(leading(dims(g), dims(a)), dims(a)))


@reverse.rule(cite=f"{LAUE}, theorem 9; thesis 4.2.1")
def pull_add_left(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A sum passes its cotangent to its left operand."""
    return pullback(add(a, b), 0, g) >> g


@reverse.rule(cite=f"{LAUE}, theorem 9; thesis 4.2.1")
def pull_add_right(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A sum passes its cotangent to its right operand."""
    return pullback(add(a, b), 1, g) >> g


@reverse.rule(cite="thesis table 3.1 with 4.2.1")
def pull_subtract_left(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A difference passes its cotangent to its left operand."""
    return pullback(subtract(a, b), 0, g) >> g


@reverse.rule(cite="thesis table 3.1 with 4.2.1 and table 4.1")
def pull_subtract_right(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A difference passes the negative of its cotangent to its right operand."""
    return pullback(subtract(a, b), 1, g) >> negate(g)


@reverse.rule(cite="thesis table 4.1")
def pull_negate(a: Tensor, g: Tensor) -> Statement:
    """A negative passes on the negative of its cotangent."""
    return pullback(negate(a), 0, g) >> negate(g)


@reverse.rule(cite=f"{LAUE}, theorem 8; thesis 4.2.2")
def pull_product_left(s: Spec, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A product passes its cotangent times the right operand to the left one."""
    return pullback(ein(s, a, b), 0, g) >> ein(
        pull_known(s, leading(dims(g), dims(ein(s, a, b)))), g, b
    ), regular(s)


@reverse.rule(cite=f"{LAUE}, theorem 8; thesis 4.2.2")
def pull_product_right(s: Spec, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A product passes its cotangent times the left operand to the right one."""
    return pullback(ein(s, a, b), 1, g) >> ein(
        pull_known(swap(s), leading(dims(g), dims(ein(s, a, b)))), g, a
    ), regular(swap(s))


@reverse.rule(cite="thesis 4.6 (the repaired product rule); diagonals by a delta")
def pull_product_left_repaired(s: Spec, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """Where an index of the left operand disappears or repeats, ones and deltas spread it."""
    lead = leading(dims(g), dims(ein(s, a, b)))
    known = ein(pull_known(s, lead), g, b)
    return pullback(ein(s, a, b), 0, g) >> _repaired(s, lead, known, a), irregular(s)


@reverse.rule(cite="thesis 4.6 (the repaired product rule); diagonals by a delta")
def pull_product_right_repaired(s: Spec, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """Where an index of the right operand disappears or repeats, ones and deltas spread it."""
    lead, turned = leading(dims(g), dims(ein(s, a, b))), swap(s)
    known = ein(pull_known(turned, lead), g, a)
    return pullback(ein(s, a, b), 1, g) >> _repaired(turned, lead, known, b), irregular(turned)


@reverse.rule(cite="linearity; thesis 4.6 for summed indices")
def pull_unary(s: Spec, a: Tensor, g: Tensor) -> Statement:
    """A transpose passes its cotangent back transposed; sums spread it, diagonals place it."""
    lead = leading(dims(g), dims(ein1(s, a)))
    return pullback(ein1(s, a), 0, g) >> _repaired(s, lead, ein1(pull_known(s, lead), g), a)


@reverse.rule(cite="thesis table 3.1 and table 4.1", domain="b ≠ 0")
def pull_divide_left(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A quotient passes its cotangent over the denominator to its numerator."""
    return pullback(divide(a, b), 0, g) >> ein(
        lead_meet(dims(g), dims(divide(a, b)), dims(a), dims(b)), g, power(b, -1)
    )


@reverse.rule(cite="thesis table 3.1 and table 4.1", domain="b ≠ 0")
def pull_divide_right(a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A quotient passes minus its cotangent times itself over the denominator to that."""
    return pullback(divide(a, b), 1, g) >> negate(
        ein(
            lead_sum(dims(g), dims(divide(a, b)), dims(b)),
            g,
            ein(meet(dims(divide(a, b)), dims(b)), divide(a, b), power(b, -1)),
        )
    )


@reverse.rule(cite=f"{LAUE}, theorem 10; thesis 4.2.3")
def pull_function(f: Name, a: Tensor, g: Tensor) -> Statement:
    """An element-wise function passes on its cotangent times its slope."""
    return pullback(fn(f, a), 0, g) >> ein(lead_chain(dims(g), dims(a)), g, slope(f, a))


@reverse.rule(cite="the chain rule")
def pull_first_of_two(f: Name, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A function of two passes its cotangent times one slope to its first operand."""
    return pullback(fn(f, a, b), 0, g) >> ein(lead_chain(dims(g), dims(a)), g, slope(f, a, b))


@reverse.rule(cite="the chain rule")
def pull_second_of_two(f: Name, a: Tensor, b: Tensor, g: Tensor) -> Statement:
    """A function of two passes its cotangent times the other slope to its second operand."""
    own = slope(f, a, b, place=1)
    return pullback(fn(f, a, b), 1, g) >> ein(lead_chain(dims(g), dims(a)), g, own)


@reverse.rule(cite="the chain rule")
def pull_first_of_three(f: Name, a: Tensor, b: Tensor, c: Tensor, g: Tensor) -> Statement:
    """A function of three passes its cotangent times the first slope to its first operand."""
    own = slope(f, a, b, c, place=0)
    return pullback(fn(f, a, b, c), 0, g) >> ein(lead_chain(dims(g), dims(a)), g, own)


@reverse.rule(cite="the chain rule")
def pull_second_of_three(f: Name, a: Tensor, b: Tensor, c: Tensor, g: Tensor) -> Statement:
    """A function of three passes its cotangent times the second slope to its second operand."""
    own = slope(f, a, b, c, place=1)
    return pullback(fn(f, a, b, c), 1, g) >> ein(lead_chain(dims(g), dims(a)), g, own)


@reverse.rule(cite="the chain rule")
def pull_third_of_three(f: Name, a: Tensor, b: Tensor, c: Tensor, g: Tensor) -> Statement:
    """A function of three passes its cotangent times the third slope to its third operand."""
    own = slope(f, a, b, c, place=2)
    return pullback(fn(f, a, b, c), 2, g) >> ein(lead_chain(dims(g), dims(a)), g, own)


@reverse.rule(cite="thesis table 3.1 with table 4.1")
def pull_base(a: Tensor, p: Tensor, g: Tensor) -> Statement:
    """A power passes its cotangent times p·aᵖ⁻¹ to its base."""
    return pullback(power(a, p), 0, g) >> ein(
        lead_chain(dims(g), dims(a)),
        g,
        ein(meet((), dims(a)), p, power(a, subtract(p, const(1, ())))),
    )


@reverse.rule(cite="thesis table 3.1 with table 4.1", domain="a > 0")
def pull_exponent(a: Tensor, p: Tensor, g: Tensor) -> Statement:
    """A power passes the sum of its cotangent times aᵖ·log a to its exponent."""
    return pullback(power(a, p), 1, g) >> ein(
        lead_sum(dims(g), dims(a), ()),
        g,
        ein(elementwise(dims(a)), power(a, p), fn("log", a)),
    )


@reverse.rule(cite="thesis table 4.1", domain="a invertible")
def pull_inv(a: Tensor, g: Tensor) -> Statement:
    """An inverse passes on -inv(a)'·g·inv(a)'."""
    lead = leading(dims(g), dims(a))
    return pullback(inv(a), 0, g) >> negate(
        ein(transposed_second(lead), ein(transposed_first(lead), g, inv(a)), inv(a))
    )


@reverse.rule(cite="thesis table 4.1 (Jacobi's formula)")
def pull_det(a: Tensor, g: Tensor) -> Statement:
    """A determinant passes on its cotangent times the transposed adjugate."""
    return pullback(det(a), 0, g) >> ein(
        lead_contract(dims(g), (), dims(a)), g, ein1(((0, 1), (1, 0)), adj(a))
    )


@reverse.rule(cite=f"{COOKBOOK}, equation 43", domain="a invertible")
def pull_logabsdet(a: Tensor, g: Tensor) -> Statement:
    """The logarithm of a determinant passes on its cotangent times the transposed inverse."""
    return pullback(logabsdet(a), 0, g) >> ein(
        lead_contract(dims(g), (), dims(a)), g, ein1(((0, 1), (1, 0)), inv(a))
    )


@reverse.rule(cite="it is constant where a is invertible")
def pull_signdet(a: Tensor, g: Tensor) -> Statement:
    """The sign of a determinant passes on 0."""
    return pullback(signdet(a), 0, g) >> const(0, join(leading(dims(g), ()), dims(a)))


@reverse.rule(cite="the adjugate is the transposed first derivative of det")
def pull_adj(a: Tensor, g: Tensor) -> Statement:
    """An adjugate contracts its cotangent with the second derivative of det."""
    return pullback(adj(a), 0, g) >> ein(
        lead_contract(dims(g), dims(a), dims(a)), g, ein1(ADJUGATE_AXES, cofactors(2, a))
    )


@reverse.rule(cite="cofactors(k) is the k-th derivative of det")
def pull_cofactors(k: int, a: Tensor, g: Tensor) -> Statement:
    """The k-th derivative of det contracts its cotangent with the next one."""
    return pullback(cofactors(k, a), 0, g) >> ein(
        lead_contract(dims(g), minors_dims(k, dims(a)), dims(a)), g, cofactors(next_k(k), a)
    )
