"""Tempting laws that are false, each with a witness that refutes it.

They are data: no strategy loads them. A test evaluates both sides at the witness, and another
sees to it that no ruleset states one of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from eggrad.engine.laws.language import Law, Row
from eggrad.engine.terms import term as terms
from eggrad.rules.notation import *

rejected = Ruleset("rejected", "tempting laws that are false", "")

DOT = parse_spec("i,i->")
SUM = parse_spec("i->")
MATRICES = parse_spec("ij,jk->ik")
SCALARS = parse_spec(",->")


@dataclass(frozen=True)
class Rejected:
    """A false law, why it tempts, and where it fails.

    The witness binds every parameter; a tensor parameter may be bound to its numbers, or to a
    term in variables that `values` gives. `undefined` says that there the left side is defined
    and the right side is not.
    """

    rule: Rule
    tempts: str
    witness: Mapping[str, object]
    values: Mapping[str, object]
    undefined: bool = False


REJECTED: Final[list[Rejected]] = []


def tempting(
    row: Law | Row,
    tempts: str,
    /,
    undefined: bool = False,
    values: Mapping[str, object] | None = None,
    **witness: object,
) -> Callable[[str], Rejected]:
    """A false law, why it tempts, and the witness against it, to be called by a name."""

    def named(name: str) -> Rejected:
        rejected.state("refuted by its witness", **{name: row})
        return Rejected(rejected[name], tempts, witness, values or {}, undefined)

    return named


def refuted(**laws: Callable[[str], Rejected]) -> None:
    """Record the laws of a table by their names."""
    REJECTED.extend(law(name) for name, law in laws.items())


# Powers, logarithms, exponentials ----------------------------------------------------------

refuted(
    root_of_square=tempting(
        (a**2) ** HALF >> a, "It holds for a ≥ 0, where most roots are taken.", a=-1
    ),
    power_of_any_power=tempting(
        ((a**p) ** q >> a ** times(p, q)).noted("(aᵖ)^q = a^(p·q), for all rationals."),
        "It holds for a > 0, and for integers.",
        a=-1, p=Number(2), q=HALF,
    ),
    any_power_of_product=tempting(
        (ein(s, a, b) ** p >> ein(s, a**p, b**p)).noted("(a·b)ᵖ = aᵖ·bᵖ, for all rationals."),
        "It holds for integers, and for positive a and b.",
        undefined=True, s=SCALARS, a=-1, b=-1, p=HALF,
    ),
    root_of_sum=tempting(
        (a + b) ** HALF >> a**HALF + b**HALF,
        "Roots distribute over products, so why not over sums.",
        a=9, b=16,
    ),
    number_out_of_power=tempting(
        (c * a) ** p >> c * a**p,
        "Numbers move out of everything else.",
        c=Number(3), a=1, p=Number(2),
    ),
    zeroth_power_is_quotient=tempting(
        a**0 >> a / a,
        "The quotient is 1 wherever it is defined, which is not at 0.",
        undefined=True, a=0,
    ),
    log_of_product=tempting(
        (log(ein(s, a, b)) >> log(a) + log(b)).noted("log(a·b) = log a + log b, for all reals."),
        "It holds for positive a and b.",
        undefined=True, s=SCALARS, a=-1, b=-1,
    ),
    log_of_square=tempting(
        log(a**2) >> 2 * log(a), "It holds for a > 0, and for odd exponents.", undefined=True, a=-1
    ),
    exp_of_product=tempting(
        exp(ein(s, a, b)) >> ein(s, exp(a), exp(b)),
        "exp turns sums into products, not products into products.",
        s=SCALARS, a=1, b=2,
    ),
)  # fmt: skip

# Signs and other element-wise functions ----------------------------------------------------

refuted(
    square_of_sign=tempting(
        (ein(s, sign(a), sign(a)) >> const(1, dims(a))).noted("sign(a)² = 1."),
        "It holds everywhere but at 0.",
        s=SCALARS, a=0,
    ),
    relu_of_sum=tempting(
        relu(a + b) >> relu(a) + relu(b), "It holds where a and b have one sign.", a=1, b=-1
    ),
    abs_of_sum=tempting(
        abs(a + b) >> abs(a) + abs(b), "It holds where a and b have one sign.", a=1, b=-1
    ),
    abs_of_any_multiple=tempting(
        (abs(c * a) >> c * abs(a)).noted("|c·a| = c·|a|, for all c."),
        "It holds for c ≥ 0.",
        c=Number(-1), a=1,
    ),
    relu_is_odd=tempting(
        relu(-1 * a) >> -1 * relu(a), "sin, tan and tanh are odd, and relu looks like a line.", a=1
    ),
    arcsin_of_sin=tempting(
        arcsin(sin(a)) >> a,
        "sin arcsin a = a, but arcsin has values between -π/2 and π/2 only.",
        a=4,
    ),
    function_of_sum=tempting(
        (f(ein1(s, a)) >> ein1(s, f(a))).noted("f(Σ a) = Σ f(a)."),
        "Transposes and diagonals go through; sums do not.",
        f="exp", s=SUM, a=[0, 0],
    ),
)  # fmt: skip

# Products, deltas, sums over axes ----------------------------------------------------------

refuted(
    matrices_commute=tempting(
        (ein(s, a, b) >> ein(s, b, a)).noted("a·b = b·a, for matrices."),
        "Products commute when their spec is exchanged with them.",
        s=MATRICES, a=[[0, 1], [0, 0]], b=[[0, 0], [1, 0]],
    ),
    sum_of_products=tempting(
        (ein(DOT, a, b) >> ein(SCALARS, ein1(SUM, a), ein1(SUM, b))).noted(
            "Σᵢ aᵢ·bᵢ = Σᵢ aᵢ·Σᵢ bᵢ."
        ),
        "It holds for axes of size 1.",
        a=[1, 1], b=[1, 1],
    ),
    kept_delta_goes=tempting(
        (ein(s, delta(n), a) >> ein(s, const(1, n + n), a)).noted("δᵢⱼ·aᵢ = aᵢ, for all i and j."),
        "A delta goes where one of its indices is summed; here both are kept.",
        s=parse_spec("ij,i->ij"), n=(2,), a=[1, 1],
    ),
    sum_of_constant_is_constant=tempting(
        (ein1(s, const(c, n)) >> const(c, result_dims(s, n))).noted(
            "Σᵢ c = c, whatever the size of the axis."
        ),
        "It holds for axes of size 1.",
        s=SUM, c=Number(1), n=(3,),
    ),
    function_of_shifted=tempting(
        (cos(ein(s, indicator(n, P), a)) >> ein(s, indicator(n, P), cos(a))).noted(
            "cos(Σⱼ [j = i + 1]·aⱼ) = Σⱼ [j = i + 1]·cos(aⱼ)."
        ),
        "It holds where the index is in range; beyond it cos(0) is 1.",
        s=parse_spec("ij,j->i"), n=(2, 2), P=(("=", ((0, 1), (1, -1), ("", 1))),), a=[1, 1],
    ),
)  # fmt: skip

# Matrix functions --------------------------------------------------------------------------

ONE = [[1, 0], [0, 1]]

refuted(
    inverse_of_sum=tempting(inv(a + b) >> inv(a) + inv(b), "It looks linear.", a=ONE, b=ONE),
    inverse_of_product=tempting(
        inv(ein(s, a, b)) >> ein(s, inv(a), inv(b)),
        "It holds for matrices that commute; in general the order turns.",
        s=MATRICES, a=[[1, 1], [0, 1]], b=[[1, 0], [1, 1]],
    ),
    determinant_of_sum=tempting(
        det(a + b) >> det(a) + det(b), "The trace is linear; det is not.", a=ONE, b=ONE
    ),
    determinant_of_multiple=tempting(
        det(c * a) >> c * det(a), "It holds for 1 by 1 matrices.", c=Number(2), a=ONE
    ),
    adjugate_by_inverse=tempting(
        (adj(a) >> ein(",ij->ij", det(a), inv(a))).noted("adj(a) = det a·a⁻¹, for all matrices."),
        "It holds for invertible matrices; the others have an adjugate too.",
        undefined=True, a=[[1, 0], [0, 0]],
    ),
)  # fmt: skip

# Derivatives -------------------------------------------------------------------------------

VARIABLE, MATRIX = terms.variable("x"), terms.variable("A", (2, 2))

refuted(
    derivative_of_product=tempting(
        D(ein(SCALARS, a, b), x) >> ein(SCALARS, D(a, x), D(b, x)),
        "The derivative of a sum is the sum of derivatives.",
        values={"x": 3}, a=VARIABLE, b=VARIABLE, x=("x", ()),
    ),
    chain_rule_without_chain=tempting(
        D(f(a), x) >> slope(f, a),
        "It holds where a is the variable itself.",
        values={"x": 0}, f="sin", a=terms.add(VARIABLE, VARIABLE), x=("x", ()),
    ),
    slope_of_tanh=tempting(
        (slope("tanh", a) >> const(1, dims(a)) - tanh(a)).noted("tanh' = 1 - tanh."),
        "The square is easily lost: tanh' = 1 - tanh².",
        a=1,
    ),
    symmetric_derivative=tempting(
        (D(a.T, x) >> D(a, x)).noted("D(a') = D a, at a symmetric a."),
        "a' = a at symmetric matrices; derivatives look beside them.",
        values={"A": [[1, 2], [2, 3]]}, a=MATRIX, x=("A", (2, 2)),
    ),
)  # fmt: skip
