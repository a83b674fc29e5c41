"""Terms as the e-graph has them: a constructor, its data, its operands."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from eggrad.engine.indices.spec import scaling
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.fixed_arrays import fixed_array_called
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS, function_of, record
from eggrad.engine.terms.term import NUMERIC, Term

__all__ = ["FUNCTION_NODES", "Parts", "assembled", "is_multiple", "parts", "product_parts"]

# The constructors of element-wise functions, by the number of operands.
FUNCTION_NODES: Final = {1: "function", 2: "function2", 3: "function3"}

_MAKERS: Final = {
    make.__name__: make
    for make in (
        terms.add, terms.delta, terms.divide, terms.indicator, terms.negate, terms.power,
        terms.size, terms.subtract,
    )
}  # fmt: skip

Parts = tuple[str, tuple[object, ...], tuple[Term, ...]]


def is_multiple(t: Term) -> bool:
    """Whether a term is a number times a tensor: `scale` in the e-graph."""
    return t.op == "einsum" and t.data == scaling(t.order) and t.args[0].op == "constant"


def parts(t: Term) -> Parts:
    """The constructor of a term, its data and its operands.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> parts(apply("exp", variable("x")))[:2]
    ('function', ('exp',))
    """
    if is_multiple(t):
        return "scale", (t.args[0].data,), t.args[1:]
    match t.op:
        case "variable":
            return "variable", ((t.name, t.dims, t.assumed),), ()
        case "constant":
            return "constant", (t.data, t.dims), ()
        case "array":
            return "array", (t.array.entries,), ()
        case "delta":
            return "delta", (t.dims[: t.order // 2],), ()
        case "indicator":
            return "indicator", (t.dims, t.data), ()
        case "size" | "cofactors":
            return t.op, (t.data,), t.args
        case "einsum":
            return product_parts(t)
        case op if function := function_of(op, t.data):
            return FUNCTION_NODES[len(t.args)], (function.key,), t.args
        case op if op in NUMERIC:
            return "numeric" if len(t.args) == 1 else "numeric2", (op, t.data), t.args
        case op:
            return op, (), t.args


def product_parts(t: Term) -> Parts:
    """A product as it stands, be it a multiple or not."""
    return "ein" if len(t.args) == 2 else "ein1", (t.data,), t.args


def assembled(constructor: str, data: Sequence[Any], args: tuple[Term, ...]) -> Term:
    """The term with these parts.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> term = apply("exp", variable("x"))
    >>> assembled(*parts(term)) is term
    True
    """
    match constructor:
        case "variable":
            name, dims, assume = data[0]
            return terms.variable(name, dims, assume)
        case "constant":
            return terms.constant(Fraction(data[0]), data[1])
        case "array":
            return terms.array(fixed_array_called(data[0][2]))
        case "delta" | "indicator" | "size" as name:
            return _MAKERS[name](*data)
        case "ein" | "ein1":
            return terms.einsum(data[0], *args)
        case "scale":
            return terms.einsum(scaling(args[0].order), terms.constant(Fraction(data[0])), *args)
        case "cofactors":
            return terms.cofactors(int(data[0]), *args)
        case _ if constructor in FUNCTION_NODES.values():
            return terms.apply(record(data[0]), *args)
        case "numeric" | "numeric2":
            return terms.numeric(data[0], *args, data=data[1])
        case name if name in MATRIX_FUNCTIONS:
            return terms.apply(name, *args)
        case name:
            return _MAKERS[name](*args)
