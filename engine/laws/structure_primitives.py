"""What facts and laws about the structure of matrices ask of specs and numbers."""

from fractions import Fraction

from eggrad.engine.indices.spec import Dims, Spec
from eggrad.engine.laws.language import Number, Variable, condition
from eggrad.engine.terms.assumptions import COMPUTED
from eggrad.engine.terms.functions import record

# Functions whose values are integers, and those that are integers at integers.
_INTEGER_VALUED = frozenset({"floor", "ceil", "trunc", "round", "sign"})
_INTEGER_AT_INTEGERS = frozenset({"abs", "relu", "maximum", "minimum", "mod"})
# Words of which entries may be 0 at all values; and of which matrices may be singular so.
_SINGULAR = frozenset({"skew", "integer", COMPUTED})
_VANISHING = _SINGULAR | {"lower triangular", "upper triangular", "orthogonal"}


@condition
def is_gram(s: Spec) -> bool:
    """Whether the product of a tensor with itself is a Gram matrix, as x'x and x x' are.

    >>> is_gram(((0, 1), (0, 2), (1, 2))), is_gram(((0, 1), (1, 2), (0, 2)))
    (True, False)
    """
    first, second, out = s
    if len(first) != len(second) or len(out) != 2 or len(set(first)) < len(first):
        return False
    other = [(i, j) for i, j in zip(first, second, strict=True) if i != j]
    return len(other) == 1 and {*out} == {*other[0]} and len(set(second)) == len(second)


def _met(t: Spec) -> tuple[int, int] | None:
    """The axis of the first operand that meets a matrix, and the place of its other axis after."""
    first, matrix, out = t
    shared = set(first) & set(matrix)
    distinct = all(len(set(part)) == len(part) for part in t)
    if len(matrix) != 2 or len(shared) != 1 or not distinct:
        return None
    (c,) = shared
    (q,) = set(matrix) - shared
    if c in out or {*out} != ({*first} - {c}) | {q}:
        return None
    return first.index(c), out.index(q)


@condition
def is_congruence(t: Spec, s: Spec) -> bool:
    """Whether x times a matrix by t, times x again by s, is x'·a·x, up to transposes.

    >>> is_congruence(((0, 1), (0, 2), (1, 2)), ((0, 1), (1, 2), (0, 2)))
    True
    """
    met = _met(t)
    if met is None or len(t[0]) != 2 or len(s[1]) != 2:
        return False
    axis, place = met
    inner, again, out = s
    kept = inner[1 - place]
    r = again[1 - axis]
    return (
        inner[place] == again[axis]
        and inner[place] not in out
        and len({inner[place], kept, r}) == 3
        and {*out} == {kept, r}
        and len(out) == 2
    )


@condition
def is_quadratic_form(t: Spec, s: Spec) -> bool:
    """Whether x times a matrix by t, times x again by s, is x'·a·x for vectors x, summed or not.

    >>> is_quadratic_form(((0,), (0, 1), (1,)), ((0,), (0,), ()))
    True
    """
    met = _met(t)
    if met is None:
        return False
    axis, place = met
    inner, again, out = s
    if len(inner) != len(t[2]) or len(again) != len(t[0]) or len(set(inner)) < len(inner):
        return False
    label = dict(zip(t[2], inner, strict=True))
    wanted = [inner[place] if k == axis else label[i] for k, i in enumerate(t[0])]
    return [*again] == wanted and inner[place] not in out


@condition
def makes_diagonal(s: Spec) -> bool:
    """Whether a delta times a vector, or a scalar, is a diagonal matrix.

    >>> makes_diagonal(((0, 1), (0,), (0, 1))), makes_diagonal(((0, 1), (0,), (1,)))
    (True, False)
    """
    delta, vector, out = s
    return (
        len(delta) == len(out) == 2 == len({*delta})
        and {*delta} == {*out}
        and len(vector) <= 1
        and {*vector} <= {*delta}
    )


@condition
def is_scaled(s: Spec) -> bool:
    """Whether a product multiplies every entry of the second operand with a scalar."""
    return s[0] == () and s[1] == s[2] and len(set(s[1])) == len(s[1])


@condition
def is_diagonal_of(s: Spec, a: Dims) -> bool:
    """Whether a unary spec takes the diagonal of a matrix, or its trace."""
    return s in (((0, 0), (0,)), ((0, 0), ())) or a == (1, 1)


@condition
def is_trace_of_product(s: Spec) -> bool:
    """Whether a product of two matrices is the trace of theirs, one transposed or not."""
    return s in (((0, 1), (0, 1), ()), ((0, 1), (1, 0), ()))


@condition
def is_total_sum(s: Spec) -> bool:
    """Whether a unary spec sums all entries.

    >>> is_total_sum(((0, 1), ())), is_total_sum(((0, 0), ()))
    (True, False)
    """
    return s[1] == () and len(set(s[0])) == len(s[0]) > 0


@condition
def opposite(p: Number, q: Number) -> bool:
    """Whether two numbers add up to 0, and the first is positive."""
    return p == -q and p > 0


@condition
def is_share(s: Spec, t: Spec) -> bool:
    """Whether a product divides entries by their own sum, over the axes that t takes away.

    >>> is_share(((0, 1), (0,), (0, 1)), ((0, 1), (0,)))
    True
    """
    numerator, divisor, out = s
    kept = tuple(numerator[t[0].index(i)] for i in t[1] if i in t[0])
    distinct = len(set(numerator)) == len(numerator) and len(set(t[0])) == len(t[0]) == len(
        numerator
    )
    return distinct and numerator == out and divisor == kept and len(t[1]) < len(t[0])


@condition
def is_seldom_zero(x: Variable) -> bool:
    """Whether nothing declared of a variable makes entries of it 0."""
    return _VANISHING.isdisjoint(x[2])


@condition
def is_seldom_singular(x: Variable) -> bool:
    """Whether nothing declared of a matrix makes it singular, as a skew one may have to be."""
    return _SINGULAR.isdisjoint(x[2])


@condition
def is_unit(c: Number) -> bool:
    """Whether a number is 1 or -1."""
    return abs(Fraction(c)) == 1


@condition
def is_integer_valued(f: str) -> bool:
    """Whether all values of a function are integers."""
    return f in _INTEGER_VALUED or record(f).is_test


@condition
def rounds(f: str) -> bool:
    """Whether a function leaves integers alone, and makes integers of all else."""
    return f in _INTEGER_VALUED - {"sign"}


@condition
def keeps_integers(f: str) -> bool:
    """Whether a function of integers is an integer."""
    return f in _INTEGER_AT_INTEGERS


@condition
def is_matrix_gram(s: Spec) -> bool:
    """Whether the product of a matrix with itself is a'·a or a·a'."""
    return len(s[0]) == 2 and len(set(s[0])) == 2 and is_gram(s)
