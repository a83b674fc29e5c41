"""Exact values of what is made of sums, products, deltas and numbers alone: no rounding decides."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.texts import exact
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array, concrete
from eggrad.engine.terms.term import LEAVES, Term, postorder

# What is done for the values of some terms: additions of fractions, in bits.
WORK: Final = 200_000
LONG: Final = 1024

POLYNOMIAL: Final = LEAVES | {"einsum", "add", "subtract", "negate"}


def is_polynomial(term: Term) -> bool:
    """Whether a term has sums, products, deltas, numbers, and powers that are products.

    >>> from eggrad.engine.terms.term import apply, constant, power, variable
    >>> x = variable("x")
    >>> is_polynomial(power(x, constant(2))), is_polynomial(apply("exp", x))
    (True, False)
    """
    return all(t.op in POLYNOMIAL or _is_product(t) for t in postorder(term))


def _is_product(t: Term) -> bool:
    if t.op == "divide":
        return t.args[1].op == "constant" and t.args[1].data != 0
    if t.op != "power" or t.args[1].op != "constant":
        return False
    exponent = t.args[1].value
    return exponent.denominator == 1 and 0 <= exponent <= 16


def exact_values(
    roots: Sequence[Term], values: Mapping[str, Array], sizes: Mapping[str, int]
) -> list[Array] | None:
    """The values of polynomial terms as arrays of fractions; those of variables are read exactly.

    None where a number is infinite or none, and where that is more work than `WORK`, as for a
    square of a square, sixty times over. The numbers of an array are the fractions that are meant.

    >>> import numpy as np
    >>> from eggrad.engine.terms.term import constant, divide, variable
    >>> x = variable("x", ("n",))
    >>> found, = exact_values([divide(x, constant(3))], {"x": np.ones(1)}, {"n": 1})
    >>> found.item()
    Fraction(1, 3)
    """
    done: dict[Term, Array] = {}
    bits: dict[Term, int] = {}
    left = WORK
    for node in postorder(*roots):
        if node.op == "array" and "finite" not in node.array.words:
            return None
        args = [done[a] for a in node.args]
        left -= _work(node, [bits[a] for a in node.args], sizes)
        if left < 0:
            return None
        done[node] = _value(node, args, values, sizes)
        bits[node] = max(map(_bits, done[node].flat), default=0)
    return [done[r] for r in roots]


def _work(node: Term, bits: Sequence[int], sizes: Mapping[str, int]) -> int:
    """The work of a node, in additions of small fractions, given the bits of its operands.

    Multiplying and reducing fractions takes time with the square of their length.
    """
    dims = node.dims
    if node.op == "einsum":
        spec = node.spec
        lengths = specs.sizes(spec, *(a.dims for a in node.args))
        dims = tuple(lengths.values())
    made = sum(bits)
    if node.op == "power":
        made = bits[0] * int(node.args[1].value)
    return prod(concrete(dims, sizes)) * (1 + (made // LONG) ** 2)


def _bits(number: Fraction) -> int:
    return number.numerator.bit_length() + number.denominator.bit_length()


def _value(
    node: Term, args: list[Array], values: Mapping[str, Array], sizes: Mapping[str, int]
) -> Array:
    shape = concrete(node.dims, sizes)
    match node.op:
        case "variable":
            found: Any = values[node.name]
        case "array":
            numbers = [exact(x) for x in node.array.values.ravel().tolist()]
            found = np.array(numbers, object).reshape(shape)
        case "constant":
            found = np.full(shape, node.value, object)
        case _:
            found = oracle.applied(node, args, shape, sizes)
    return np.asarray(_FRACTIONS(found), object)


def _fraction(number: Any) -> Fraction:
    return number if isinstance(number, Fraction) else Fraction(float(number))


_FRACTIONS: Final = np.frompyfunc(_fraction, 1, 1)
