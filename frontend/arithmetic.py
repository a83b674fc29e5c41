"""Python's operators on expressions and numbers, with NumPy's broadcasting."""

from collections.abc import Callable

from eggrad.engine import term as terms
from eggrad.engine.term import Term
from eggrad.frontend import broadcasting
from eggrad.frontend.expression import Expression, as_expression, combine

__all__ = ["add", "divide", "matmul", "multiply", "negative", "power", "subtract"]


def add(a: object, b: object) -> Expression:
    """`a + b`."""
    return _elementwise("+", a, b, terms.add)


def subtract(a: object, b: object) -> Expression:
    """`a - b`."""
    return _elementwise("-", a, b, terms.subtract)


def multiply(a: object, b: object) -> Expression:
    """`a * b`, entry by entry."""
    return _elementwise("*", a, b, broadcasting.multiply)


def divide(a: object, b: object) -> Expression:
    """`a / b`, entry by entry."""
    return _elementwise("/", a, b, terms.divide)


def negative(a: object) -> Expression:
    """`-a`."""
    return combine("-", [as_expression(a)], [], terms.negate)


def matmul(a: object, b: object) -> Expression:
    """`a @ b`, as NumPy's: vectors, matrices, and stacks of matrices."""
    left, right = as_expression(a), as_expression(b)
    pairs = broadcasting.matmul_pairs(left.shape, right.shape)
    return combine(_described(left, "@", right), [left, right], pairs, broadcasting.matmul)


def power(a: object, b: object) -> Expression:
    """`a ** b`; where the exponent has axes, `exp(log(a) * b)`, for a positive base."""
    base, exponent = as_expression(a), as_expression(b)
    if exponent.ndim:
        logarithm = combine("log", [base], [], lambda t: terms.apply("log", t))
        product = multiply(logarithm, exponent)
        return combine("exp", [product], [], lambda t: terms.apply("exp", t))
    return combine("**", [base, exponent], [], terms.power)


def _elementwise(
    symbol: str, a: object, b: object, build: Callable[[Term, Term], Term]
) -> Expression:
    left, right = as_expression(a), as_expression(b)

    def spread_and_build(p: Term, q: Term) -> Term:
        if symbol == "*" or (symbol == "/" and not (p.dims and q.dims)):
            return build(p, q)
        whole = broadcasting.common(p.dims, q.dims)
        return build(broadcasting.spread(p, whole), broadcasting.spread(q, whole))

    pairs = broadcasting.aligned(left.shape, right.shape)
    return combine(_described(left, symbol, right), [left, right], pairs, spread_and_build)


def _described(left: Expression, symbol: str, right: Expression) -> str:
    axes = [f"({', '.join(str(d) for d in e.shape)})" for e in (left, right)]
    return f"{symbol} of axes {axes[0]} and {axes[1]}"
