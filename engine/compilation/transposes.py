"""Transposes taken out of what is computed entry by entry, so that equal arrays are one.

`cosh(A')` is `cosh(A)'`, and a product whose axes come in another order is the product, transposed.
A transpose is no statement, so that costs nothing; and what occurs both ways is computed once.
"""

from collections.abc import Sequence

from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import FUNCTIONS, function_of
from eggrad.engine.terms.term import Term, postorder, rebuild

_ARITHMETIC = ("add", "subtract", "divide", "negate", "power")

Transposed = tuple[Term, Indices]
"""A term, and for each axis of another one the axis of it which that is."""


def without_transposes(roots: Sequence[Term]) -> tuple[Term, ...]:
    """Equal terms, in which no element-wise operation or product has a transposed operand.

    >>> A = terms.variable("A", ("m", "n"))
    >>> turned = terms.apply("exp", terms.einsum("ij->ji", A))
    >>> both = terms.einsum("ij,ji->", terms.apply("exp", A), turned)
    >>> (found,) = without_transposes([both])
    >>> found is terms.einsum("ij,ij->", terms.apply("exp", A), terms.apply("exp", A))
    True
    """
    done: dict[Term, Transposed] = {}
    products: dict[object, Transposed] = {}
    for node in postorder(*roots):
        done[node] = _taken_out(node, [done[a] for a in node.args], products)
    return tuple(_written(done[r]) for r in roots)


def _taken_out(
    node: Term, args: Sequence[Transposed], products: dict[object, Transposed]
) -> Transposed:
    if node.op == "einsum":
        return _product(node, args, products)
    if node.order > 1 and _is_elementwise(node):
        return _elementwise(node, args)
    return rebuild(node, tuple(map(_written, args))), _plain(node)


def _is_elementwise(node: Term) -> bool:
    return (
        node.op in _ARITHMETIC
        or node.op in FUNCTIONS
        or function_of(node.op, node.data) is not None
    )


def _elementwise(node: Term, args: Sequence[Transposed]) -> Transposed:
    """The operation on what the first operand with axes is the transpose of."""
    axes = next((p for t, p in args if len(p) == node.order and t.op != "constant"), _plain(node))
    place = sorted(range(node.order), key=axes.__getitem__)
    own = [
        _written((t, tuple(p[k] for k in place))) if len(p) == node.order else t for t, p in args
    ]
    return rebuild(node, tuple(own)), axes


def _product(
    node: Term, args: Sequence[Transposed], products: dict[object, Transposed]
) -> Transposed:
    *parts, out = node.spec
    own: list[Indices] = []
    for part, (term, axes) in zip(parts, args, strict=True):
        index = dict(zip(axes, part, strict=True))
        own.append(tuple(index[k] for k in range(term.order)))
    if len(args) == 1 and len({*own[0]}) == len(own[0]) == len(out):
        return args[0][0], tuple(own[0].index(i) for i in out)
    spec = canonical(own, out)
    *parts, out = spec
    operands = tuple(t for t, _ in args)
    made: Transposed = terms.einsum(spec, *operands), tuple(range(len(out)))
    if len({*out}) < len(out):
        return made
    # The first of the products that differ in the order of their axes alone.
    first, known = products.setdefault((operands, tuple(parts), frozenset(out)), (made[0], out))
    return first, tuple(known.index(i) for i in out)


def _plain(node: Term) -> Indices:
    return tuple(range(node.order))


def _written(found: Transposed) -> Term:
    term, axes = found
    every = _plain(term)
    if axes == every:
        return term
    if term.op == "constant":
        return terms.constant(term.value, tuple(term.dims[k] for k in axes))
    return terms.einsum((every, axes), term)
