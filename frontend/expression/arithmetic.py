"""Python's operators on expressions and numbers, with NumPy's broadcasting."""

from collections.abc import Callable
from functools import reduce

from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import Expression, as_expression, broadcasting, combine

__all__ = ["add", "applied", "divide", "matmul", "multiply", "negative", "power", "subtract"]


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


def applied(function: str | Function, *args: object) -> Expression:
    """An element-wise function of several operands, which are broadcast.

    >>> applied("maximum", as_expression(2), as_expression(3)).to("matrix")
    'max(2, 3)'
    """
    own = [as_expression(a) for a in args]
    whole: Dims = ()
    pairs: list[tuple[Size, Size]] = []
    for a in own:
        pairs += broadcasting.aligned(whole, a.shape)
        whole = broadcasting.common(whole, a.shape)

    def build(*operands: Term) -> Term:
        dims = reduce(broadcasting.common, (a.dims for a in operands))
        return terms.apply(function, *(broadcasting.spread(a, dims) for a in operands))

    name = function if isinstance(function, str) else function.name
    return combine(name, own, pairs, build)


def matmul(a: object, b: object) -> Expression:
    """`a @ b`, as NumPy's: vectors, matrices, and stacks of matrices."""
    left, right = as_expression(a), as_expression(b)
    pairs = broadcasting.matmul_pairs(left.shape, right.shape)
    return combine(_described(left, "@", right), [left, right], pairs, broadcasting.matmul)


def power(a: object, b: object) -> Expression:
    """`a ** b`, entry by entry."""
    base, exponent = as_expression(a), as_expression(b)
    if exponent.ndim:
        return applied("pow", base, exponent)
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
