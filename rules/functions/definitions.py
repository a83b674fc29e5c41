"""Functions by others, determinants and inverses by smaller ones: what comparing needs.

They make terms longer, so no simplification runs them.
"""

from fractions import Fraction

from eggrad.engine.laws.primitives import (
    exchanged_product,
    inner_axis,
    is_matrix,
    is_square,
    last_axis,
    multiplies_matrices,
    one_axis,
    reciprocal,
)
from eggrad.engine.laws.properties import nonpositive
from eggrad.engine.laws.properties import nonzero as nowhere_zero
from eggrad.rules.functions.branches import OF_CHOICE
from eggrad.rules.functions.linalg import SCALARS, SCALED
from eggrad.rules.notation import *

HALF = Fraction(1, 2)
INNER: Spec = ((0,), (0,), ())
OUTER: Spec = ((0,), (1,), (0, 1))
# a·b' and a'·b.
TIMES_TURNED: Spec = ((0, 1), (2, 1), (0, 2))
TURNED_TIMES: Spec = ((0, 1), (0, 2), (1, 2))

definitions = Ruleset(
    "definitions",
    "functions, determinants and inverses by others, for comparing",
    "none: ended by the budget of its stage",
)


@definitions.fact(cite="the values of variables are numbers, wherever terms are compared")
def total_variable(x: Variable) -> Claim:
    """A variable is defined."""
    return total(declared(x))


@definitions.rule(cite=f"{HANDBOOK}, equation 4.5.3")
def tanh_by_exp(a: Tensor) -> Statement:
    """tanh a = 1 - 2 / (exp(2a) + 1)."""
    ones = const(1, dims(a))
    return fn("tanh", a) >> subtract(ones, scale(2, power(add(power(fn("exp", a), 2), ones), -1)))


@definitions.rule(cite=f"{HANDBOOK}, equation 4.3.3", domain="cos a ≠ 0")
def tan_by_sine(a: Tensor) -> Statement:
    """tan a = sin a / cos a."""
    return fn("tan", a) >> ein(elementwise(dims(a)), fn("sin", a), power(fn("cos", a), -1))


@definitions.rule(cite="definition of the function")
def relu_as_mean(a: Tensor) -> Statement:
    """relu a = (a + |a|) / 2."""
    return fn("relu", a) >> scale(HALF, add(a, fn("abs", a)))


@definitions.rule(cite=f"{HANDBOOK}, equation 4.3.16")
def sine_of_sum(a: Tensor, b: Tensor) -> Statement:
    """sin(a + b) = sin a·cos b + cos a·sin b."""
    s = elementwise(dims(a))
    return fn("sin", add(a, b)) >> add(
        ein(s, fn("sin", a), fn("cos", b)), ein(s, fn("cos", a), fn("sin", b))
    )


@definitions.rule(cite=f"{HANDBOOK}, equation 4.3.17")
def cosine_of_sum(a: Tensor, b: Tensor) -> Statement:
    """cos(a + b) = cos a·cos b - sin a·sin b."""
    s = elementwise(dims(a))
    return fn("cos", add(a, b)) >> subtract(
        ein(s, fn("cos", a), fn("cos", b)), ein(s, fn("sin", a), fn("sin", b))
    )


@definitions.rule(cite=f"{HANDBOOK}, equations 4.3.24 and 4.3.25")
def sine_of_double(a: Tensor) -> Statement:
    """sin 2a = 2·sin a·cos a."""
    product = ein(elementwise(dims(a)), fn("sin", a), fn("cos", a))
    return fn("sin", scale(2, a)) >> scale(2, product)


@definitions.rule(cite=f"{HANDBOOK}, equation 4.3.25")
def cosine_of_double(a: Tensor) -> Statement:
    """cos 2a = 1 - 2·sin² a."""
    return fn("cos", scale(2, a)) >> subtract(const(1, dims(a)), scale(2, power(fn("sin", a), 2)))


@definitions.rule(cite="definition of the function")
def maximum_by_abs(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) = (a + b + |a - b|)/2."""
    return fn("maximum", a, b) >> scale(HALF, add(add(a, b), fn("abs", subtract(a, b))))


@definitions.rule(cite="definition of the function")
def minimum_by_abs(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) = (a + b - |a - b|)/2."""
    return fn("minimum", a, b) >> scale(HALF, subtract(add(a, b), fn("abs", subtract(a, b))))


def _holds(a: Tensor) -> Tensor:
    """1 where an entry is not 0, and 0 where it is: what a condition is to a choice."""
    return fn("abs", fn("sign", a))


def _fails(a: Tensor) -> Tensor:
    """0 where an entry is not 0, and 1 where it is."""
    return subtract(const(1, dims(a)), _holds(a))


@definitions.rule(cite="definition of the function")
def comparison_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a > b] = (|s| + s)/2, where s = sign(a - b)."""
    differs, sign = _holds(subtract(a, b)), fn("sign", subtract(a, b))
    return fn("greater", a, b) >> scale(HALF, add(differs, sign)), total(a), total(b)


@definitions.rule(cite="definition of the function")
def weak_comparison_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a ≥ b] = 1 - (|s| - s)/2, where s = sign(a - b)."""
    differs, sign = _holds(subtract(a, b)), fn("sign", subtract(a, b))
    below = scale(HALF, subtract(differs, sign))
    return fn("greater_equal", a, b) >> subtract(const(1, dims(a)), below), total(a), total(b)


@definitions.rule(cite="sign is odd")
def sign_of_difference(a: Tensor, b: Tensor) -> Statement:
    """sign(a - b) = -sign(b - a)."""
    return fn("sign", add(a, scale(-1, b))) >> scale(-1, fn("sign", add(b, scale(-1, a))))


@definitions.rule(cite="definition of the function")
def equality_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a = b] = 1 - |sign(a - b)|."""
    differs = _holds(subtract(a, b))
    return fn("equal", a, b) >> subtract(const(1, dims(a)), differs), total(a), total(b)


@definitions.rule(cite="definition of the function")
def inequality_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a ≠ b] = |sign(a - b)|."""
    return fn("not_equal", a, b) >> _holds(subtract(a, b)), total(a), total(b)


@definitions.rule(cite="definition of the function")
def negation_by_sign(a: Tensor) -> Statement:
    """[not a] = 1 - |sign a|."""
    return fn("logical_not", a) >> _fails(a), total(a)


@definitions.rule(cite="definition of the function")
def conjunction_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a and b] = |sign a|·|sign b|."""
    both = ein(elementwise(dims(a)), _holds(a), _holds(b))
    return fn("logical_and", a, b) >> both, total(a), total(b)


@definitions.rule(cite="definition of the function")
def disjunction_by_sign(a: Tensor, b: Tensor) -> Statement:
    """[a or b] = 1 - (1 - |sign a|)·(1 - |sign b|)."""
    neither = ein(elementwise(dims(a)), _fails(a), _fails(b))
    return fn("logical_or", a, b) >> subtract(const(1, dims(a)), neither), total(a), total(b)


@definitions.rule(cite=OF_CHOICE)
def choice_by_sign(c: Tensor, a: Tensor, b: Tensor) -> Statement:
    """A choice is |sign c|·(a - b) + b, where both branches are defined."""
    chosen = ein(elementwise(dims(a)), _holds(c), subtract(a, b))
    return fn("where", c, a, b) >> add(chosen, b), total(c), total(a), total(b)


@definitions.rule(cite="definition of the function")
def sign_of_test(f: Name, a: Tensor) -> Statement:
    """The sign of a test is the test: 1 or 0."""
    return fn("sign", fn(f, a)) >> fn(f, a), is_test(f)


@definitions.rule(cite="definition of the function")
def sign_of_comparison(f: Name, a: Tensor, b: Tensor) -> Statement:
    """The sign of a comparison is the comparison: 1 or 0."""
    return fn("sign", fn(f, a, b)) >> fn(f, a, b), is_test(f)


@definitions.rule(cite="definition of the function")
def modulus_of_comparison(f: Name, a: Tensor, b: Tensor) -> Statement:
    """A comparison is nowhere negative."""
    return fn("abs", fn(f, a, b)) >> fn(f, a, b), is_test(f)


@definitions.rule(cite="definition of the function", domain="a ≠ 0")
def modulus_of_sign(a: Tensor) -> Statement:
    """|sign a| = 1 for what is nowhere 0."""
    return fn("abs", fn("sign", a)) >> const(1, dims(a)), nowhere_zero(a)


@definitions.rule(cite="definition of the function", domain="a ≠ 0")
def square_of_sign(a: Tensor) -> Statement:
    """(sign a)² = 1 for what is nowhere 0."""
    return power(fn("sign", a), 2) >> const(1, dims(a)), nowhere_zero(a)


@definitions.rule(cite="definition of the function")
def floor_of_negative(a: Tensor) -> Statement:
    """⌊-a⌋ = -⌈a⌉."""
    return fn("floor", scale(-1, a)) >> scale(-1, fn("ceil", a))


@definitions.rule(cite="definition of the function", domain="a no integer")
def ceiling_by_floor(a: Tensor) -> Statement:
    """⌈a⌉ = ⌊a⌋ + 1 for what is no integer."""
    floor = fn("floor", a)
    return fn("ceil", a) >> add(floor, const(1, dims(a))), nowhere_zero(subtract(a, floor))


@definitions.rule(cite="definition of the function", domain="a no integer")
def truncation_by_floor(a: Tensor) -> Statement:
    """Towards 0 is down, and one more below 0, for what is no integer."""
    floor = fn("floor", a)
    below = fn("relu", fn("sign", scale(-1, a)))
    return fn("trunc", a) >> add(floor, below), nowhere_zero(subtract(a, floor))


@definitions.rule(cite="definition of the function")
def relu_by_choice(a: Tensor, n: Dims) -> Statement:
    """What is positive, or else 0, is relu, if it is defined: a comparison is 0 where it is not."""
    choice = fn("where", fn("greater", a, const(0, n)), a, const(0, n))
    return choice >> fn("relu", a), total(a)


@definitions.rule(cite="definition of the function")
def modulus_by_choice(a: Tensor, n: Dims) -> Statement:
    """|a| is a where a ≥ 0, and -a elsewhere."""
    choice = fn("where", fn("greater_equal", a, const(0, n)), a, scale(-1, a))
    return choice >> fn("abs", a)


@definitions.rule(cite="definition of the function")
def maximum_by_choice(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) is a where a > b, and b elsewhere."""
    choice = fn("where", fn("greater", a, b), a, b)
    return choice >> fn("maximum", a, b), total(a), total(b)


@definitions.rule(cite="definition of the function")
def maximum_by_weak_choice(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) is a where a ≥ b, and b elsewhere."""
    choice = fn("where", fn("greater_equal", a, b), a, b)
    return choice >> fn("maximum", a, b), total(a), total(b)


@definitions.rule(cite=f"{COOKBOOK}, equation 19")
def determinant_of_scaled(c: Tensor, a: Tensor) -> Statement:
    """det(c·a) = cⁿ·det a, for a scalar c and n rows."""
    return det(ein(SCALED, c, a)) >> ein(SCALARS, power(c, size(first_size(dims(a)))), det(a))


@definitions.rule(cite=f"{COOKBOOK}, equation 19")
def determinant_of_multiple(c: Number, a: Tensor) -> Statement:
    """det(c·a) = cⁿ·det a, for a number c and n rows."""
    return det(scale(c, a)) >> ein(SCALARS, power(const(c, ()), size(first_size(dims(a)))), det(a))


@definitions.rule(cite="Sylvester 1851; Harville 1997, corollary 18.1.2")
def determinant_with_identity(n: Dims, s: Spec, u: Tensor, v: Tensor) -> Statement:
    """det(δ + u·v) = det(δ + v·u), where the second δ has the other size."""
    exchanged = ein(exchanged_product(s), v, u)
    return (
        det(add(delta(n), ein(s, u, v))) >> det(add(delta(inner_axis(s, dims(u))), exchanged)),
        one_axis(n),
        multiplies_matrices(s),
    )


@definitions.rule(cite="Harville 1997, theorem 18.1.1", domain="a invertible")
def determinant_out_of_sum(a: Tensor, b: Tensor) -> Statement:
    """det(a + b) = det a·det(δ + a⁻¹·b), for an a that is known to be invertible."""
    rest = add(delta(last_axis(dims(a))), ein(MATRIX_PRODUCT, inv(a), b))
    return det(add(a, b)) >> ein(SCALARS, det(a), det(rest)), invertible(a)


@definitions.rule(cite="Harville 1997, corollary 18.1.3")
def determinant_with_outer_product(n: Dims, u: Tensor, v: Tensor) -> Statement:
    """det(δ + u·v') = 1 + v'·u, for vectors."""
    whole = add(const(1, ()), ein(INNER, u, v))
    return det(add(delta(n), ein(OUTER, u, v))) >> whole, one_axis(n)


@definitions.rule(cite=f"{HANDBOOK}, equation 4.4.3", domain="a > 0")
def arctangent_of_reciprocal(a: Tensor) -> Statement:
    """arctan a⁻¹ = 2·arctan 1 - arctan a, for a > 0."""
    right = subtract(scale(2, fn("arctan", const(1, dims(a)))), fn("arctan", a))
    return fn("arctan", power(a, -1)) >> right, positive(a)


@definitions.rule(cite="definition of the function", domain="a ≤ 0")
def modulus_of_nonpositive(a: Tensor) -> Statement:
    """|a| = -a for what is at most 0."""
    return fn("abs", a) >> scale(-1, a), nonpositive(a)


# Pseudoinverses of one matrix ----------------------------------------------------------------

PSEUDOINVERSE = "Penrose 1955, A generalized inverse for matrices"


def _pinv(a: Tensor) -> Tensor:
    return of_each("pseudoinverse", a)


@definitions.rule(cite=PSEUDOINVERSE, domain="a invertible")
def pseudoinverse_of_invertible(a: Tensor) -> Statement:
    """The pseudoinverse of an invertible matrix is the inverse."""
    return _pinv(a) >> inv(a), is_square(dims(a)), invertible(a)


@definitions.rule(cite=PSEUDOINVERSE, domain="a'·a invertible")
def pseudoinverse_by_columns(a: Tensor) -> Statement:
    """a⁺ = (a'·a)⁻¹·a', where the columns are independent."""
    gram = ein(TURNED_TIMES, a, a)
    return _pinv(a) >> ein(TIMES_TURNED, inv(gram), a), is_matrix(dims(a)), invertible(gram)


@definitions.rule(cite=PSEUDOINVERSE, domain="a·a' invertible")
def pseudoinverse_by_rows(a: Tensor) -> Statement:
    """a⁺ = a'·(a·a')⁻¹, where the rows are independent."""
    gram = ein(TIMES_TURNED, a, a)
    return _pinv(a) >> ein(TURNED_TIMES, a, inv(gram)), is_matrix(dims(a)), invertible(gram)


@definitions.rule(cite=PSEUDOINVERSE)
def pseudoinverse_of_transpose(a: Tensor) -> Statement:
    """(a')⁺ = (a⁺)'."""
    return _pinv(ein1(TRANSPOSE, a)) >> ein1(TRANSPOSE, _pinv(a))


@definitions.rule(cite=PSEUDOINVERSE)
def pseudoinverse_of_pseudoinverse(a: Tensor) -> Statement:
    """(a⁺)⁺ = a."""
    return _pinv(_pinv(a)) >> a


@definitions.rule(cite=PSEUDOINVERSE)
def pseudoinverse_of_multiple(c: Number, a: Tensor) -> Statement:
    """(c·a)⁺ = c⁻¹·a⁺, for c ≠ 0."""
    return _pinv(scale(c, a)) >> scale(reciprocal(c), _pinv(a)), nonzero(c)


@definitions.rule(cite=PSEUDOINVERSE)
def pseudoinverse_between(a: Tensor) -> Statement:
    """a·a⁺·a = a."""
    return ein(MATRIX_PRODUCT, ein(MATRIX_PRODUCT, a, _pinv(a)), a) >> a


@definitions.rule(cite=PSEUDOINVERSE)
def pseudoinverse_around(a: Tensor) -> Statement:
    """a⁺·a·a⁺ = a⁺."""
    return ein(MATRIX_PRODUCT, ein(MATRIX_PRODUCT, _pinv(a), a), _pinv(a)) >> _pinv(a)


@definitions.rule(cite=PSEUDOINVERSE)
def projection_on_columns(s: Spec, a: Tensor) -> Statement:
    """a·a⁺ is symmetric."""
    whole = ein(MATRIX_PRODUCT, a, _pinv(a))
    return ein1(s, whole) >> whole, is_transpose(s)


@definitions.rule(cite=PSEUDOINVERSE)
def projection_on_rows(s: Spec, a: Tensor) -> Statement:
    """a⁺·a is symmetric."""
    whole = ein(MATRIX_PRODUCT, _pinv(a), a)
    return ein1(s, whole) >> whole, is_transpose(s)
