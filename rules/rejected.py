"""Tempting laws that are false, each with a witness that refutes it.

They are data: no strategy loads them. A test evaluates both sides at the witness, and another
sees to it that no ruleset states one of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

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


REJECTED: list[Rejected] = []


def refuted(
    *,
    tempts: str,
    undefined: bool = False,
    values: Mapping[str, object] | None = None,
    **witness: object,
) -> Callable[[Callable[..., Statement]], Rejected]:
    """Record the law that the decorated function states, with the witness against it."""

    def register(function: Callable[..., Statement]) -> Rejected:
        rule = rejected.rule(cite="refuted by its witness")(function)
        made = Rejected(rule, tempts, witness, values or {}, undefined)
        REJECTED.append(made)
        return made

    return register


# Powers, logarithms, exponentials ----------------------------------------------------------


@refuted(a=-1, tempts="It holds for a ≥ 0, where most roots are taken.")
def root_of_square(a: Tensor) -> Statement:
    """√(a²) = a."""
    return power(power(a, 2), Fraction(1, 2)) >> a


@refuted(a=-1, p=Fraction(2), q=Fraction(1, 2), tempts="It holds for a > 0, and for integers.")
def power_of_any_power(a: Tensor, p: Number, q: Number) -> Statement:
    """(aᵖ)^q = a^(p·q), for all rationals."""
    return power(power(a, p), q) >> power(a, times(p, q))


@refuted(s=SCALARS, a=-1, b=-1, p=Fraction(1, 2), undefined=True,
         tempts="It holds for integers, and for positive a and b.")  # fmt: skip
def any_power_of_product(s: Spec, a: Tensor, b: Tensor, p: Number) -> Statement:
    """(a·b)ᵖ = aᵖ·bᵖ, for all rationals."""
    return power(ein(s, a, b), p) >> ein(s, power(a, p), power(b, p))


@refuted(a=9, b=16, tempts="Roots distribute over products, so why not over sums.")
def root_of_sum(a: Tensor, b: Tensor) -> Statement:
    """√(a + b) = √a + √b."""
    half = Fraction(1, 2)
    return power(add(a, b), half) >> add(power(a, half), power(b, half))


@refuted(c=Fraction(3), a=1, p=Fraction(2), tempts="Numbers move out of everything else.")
def number_out_of_power(c: Number, a: Tensor, p: Number) -> Statement:
    """(c·a)ᵖ = c·aᵖ."""
    return power(scale(c, a), p) >> scale(c, power(a, p))


@refuted(a=0, undefined=True, tempts="The quotient is 1 wherever it is defined, which is not at 0.")
def zeroth_power_is_quotient(a: Tensor) -> Statement:
    """a⁰ = a / a."""
    return power(a, 0) >> divide(a, a)


@refuted(s=SCALARS, a=-1, b=-1, undefined=True, tempts="It holds for positive a and b.")
def log_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """log(a·b) = log a + log b, for all reals."""
    return fn("log", ein(s, a, b)) >> add(fn("log", a), fn("log", b))


@refuted(a=-1, undefined=True, tempts="It holds for a > 0, and for odd exponents.")
def log_of_square(a: Tensor) -> Statement:
    """log(a²) = 2·log a."""
    return fn("log", power(a, 2)) >> scale(2, fn("log", a))


@refuted(s=SCALARS, a=1, b=2, tempts="exp turns sums into products, not products into products.")
def exp_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """exp(a·b) = exp a·exp b."""
    return fn("exp", ein(s, a, b)) >> ein(s, fn("exp", a), fn("exp", b))


# Signs and other element-wise functions ----------------------------------------------------


@refuted(s=SCALARS, a=0, tempts="It holds everywhere but at 0.")
def square_of_sign(s: Spec, a: Tensor) -> Statement:
    """sign(a)² = 1."""
    return ein(s, fn("sign", a), fn("sign", a)) >> const(1, dims(a))


@refuted(a=1, b=-1, tempts="It holds where a and b have one sign.")
def relu_of_sum(a: Tensor, b: Tensor) -> Statement:
    """relu(a + b) = relu a + relu b."""
    return fn("relu", add(a, b)) >> add(fn("relu", a), fn("relu", b))


@refuted(a=1, b=-1, tempts="It holds where a and b have one sign.")
def abs_of_sum(a: Tensor, b: Tensor) -> Statement:
    """|a + b| = |a| + |b|."""
    return fn("abs", add(a, b)) >> add(fn("abs", a), fn("abs", b))


@refuted(c=Fraction(-1), a=1, tempts="It holds for c ≥ 0.")
def abs_of_any_multiple(c: Number, a: Tensor) -> Statement:
    """|c·a| = c·|a|, for all c."""
    return fn("abs", scale(c, a)) >> scale(c, fn("abs", a))


@refuted(a=1, tempts="sin, tan and tanh are odd, and relu looks like a line.")
def relu_is_odd(a: Tensor) -> Statement:
    """relu(-a) = -relu a."""
    return fn("relu", scale(-1, a)) >> scale(-1, fn("relu", a))


@refuted(a=4, tempts="sin arcsin a = a, but arcsin has values between -π/2 and π/2 only.")
def arcsin_of_sin(a: Tensor) -> Statement:
    """arcsin sin a = a."""
    return fn("arcsin", fn("sin", a)) >> a


@refuted(f="exp", s=parse_spec("i->"), a=[0, 0],
         tempts="Transposes and diagonals go through; sums do not.")  # fmt: skip
def function_of_sum(f: Name, s: Spec, a: Tensor) -> Statement:
    """f(Σ a) = Σ f(a)."""
    return fn(f, ein1(s, a)) >> ein1(s, fn(f, a))


# Products, deltas, sums over axes ----------------------------------------------------------


@refuted(s=MATRICES, a=[[0, 1], [0, 0]], b=[[0, 0], [1, 0]],
         tempts="Products commute when their spec is exchanged with them.")  # fmt: skip
def matrices_commute(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """a·b = b·a, for matrices."""
    return ein(s, a, b) >> ein(s, b, a)


@refuted(a=[1, 1], b=[1, 1], tempts="It holds for axes of size 1.")
def sum_of_products(a: Tensor, b: Tensor) -> Statement:
    """Σᵢ aᵢ·bᵢ = Σᵢ aᵢ·Σᵢ bᵢ."""
    return ein(DOT, a, b) >> ein(SCALARS, ein1(SUM, a), ein1(SUM, b))


@refuted(s=parse_spec("ij,i->ij"), n=(2,), a=[1, 1],
         tempts="A delta goes where one of its indices is summed; here both are kept.")  # fmt: skip
def kept_delta_goes(s: Spec, n: Dims, a: Tensor) -> Statement:
    """δᵢⱼ·aᵢ = aᵢ, for all i and j."""
    return ein(s, delta(n), a) >> ein(s, const(1, n + n), a)


@refuted(s=SUM, c=Fraction(1), n=(3,), tempts="It holds for axes of size 1.")
def sum_of_constant_is_constant(s: Spec, c: Number, n: Dims) -> Statement:
    """Σᵢ c = c, whatever the size of the axis."""
    return ein1(s, const(c, n)) >> const(c, result_dims(s, n))


@refuted(s=parse_spec("ij,j->i"), n=(2, 2), p=(("=", ((0, 1), (1, -1), ("", 1))),), a=[1, 1],
         tempts="It holds where the index is in range; beyond it cos(0) is 1.")  # fmt: skip
def function_of_shifted(s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """cos(Σⱼ [j = i + 1]·aⱼ) = Σⱼ [j = i + 1]·cos(aⱼ)."""
    return fn("cos", ein(s, indicator(n, p), a)) >> ein(s, indicator(n, p), fn("cos", a))


# Matrix functions --------------------------------------------------------------------------


@refuted(a=[[1, 0], [0, 1]], b=[[1, 0], [0, 1]], tempts="It looks linear.")
def inverse_of_sum(a: Tensor, b: Tensor) -> Statement:
    """(a + b)⁻¹ = a⁻¹ + b⁻¹."""
    return inv(add(a, b)) >> add(inv(a), inv(b))


@refuted(s=MATRICES, a=[[1, 1], [0, 1]], b=[[1, 0], [1, 1]],
         tempts="It holds for matrices that commute; in general the order turns.")  # fmt: skip
def inverse_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """(a·b)⁻¹ = a⁻¹·b⁻¹."""
    return inv(ein(s, a, b)) >> ein(s, inv(a), inv(b))


@refuted(a=[[1, 0], [0, 1]], b=[[1, 0], [0, 1]], tempts="The trace is linear; det is not.")
def determinant_of_sum(a: Tensor, b: Tensor) -> Statement:
    """det(a + b) = det a + det b."""
    return det(add(a, b)) >> add(det(a), det(b))


@refuted(c=Fraction(2), a=[[1, 0], [0, 1]], tempts="It holds for 1 by 1 matrices.")
def determinant_of_multiple(c: Number, a: Tensor) -> Statement:
    """det(c·a) = c·det a."""
    return det(scale(c, a)) >> scale(c, det(a))


@refuted(a=[[1, 0], [0, 0]], undefined=True,
         tempts="It holds for invertible matrices; the others have an adjugate too.")  # fmt: skip
def adjugate_by_inverse(a: Tensor) -> Statement:
    """adj(a) = det a·a⁻¹, for all matrices."""
    return adj(a) >> ein(((), (0, 1), (0, 1)), det(a), inv(a))


# Derivatives -------------------------------------------------------------------------------


@refuted(a=terms.variable("x"), b=terms.variable("x"), x=("x", ()), values={"x": 3},
         tempts="The derivative of a sum is the sum of derivatives.")  # fmt: skip
def derivative_of_product(a: Tensor, b: Tensor, x: Wrt) -> Statement:
    """D(a·b) = D a·D b."""
    return D(ein(SCALARS, a, b), x) >> ein(SCALARS, D(a, x), D(b, x))


@refuted(f="sin", a=terms.add(terms.variable("x"), terms.variable("x")), x=("x", ()),
         values={"x": 0}, tempts="It holds where a is the variable itself.")  # fmt: skip
def chain_rule_without_chain(f: Name, a: Tensor, x: Wrt) -> Statement:
    """D f(a) = f'(a)."""
    return D(fn(f, a), x) >> slope(f, a)


@refuted(a=1, tempts="The square is easily lost: tanh' = 1 - tanh².")
def slope_of_tanh(a: Tensor) -> Statement:
    """tanh' = 1 - tanh."""
    return slope("tanh", a) >> subtract(const(1, dims(a)), fn("tanh", a))


@refuted(a=terms.variable("A", (2, 2)), x=("A", (2, 2)), values={"A": [[1, 2], [2, 3]]},
         tempts="a' = a at symmetric matrices; derivatives look beside them.")  # fmt: skip
def symmetric_derivative(a: Tensor, x: Wrt) -> Statement:
    """D(a') = D a, at a symmetric a."""
    return D(a.T, x) >> D(a, x)
