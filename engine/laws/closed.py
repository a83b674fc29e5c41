"""Patterns whose parameters are all bound, as terms: what a law says at one instance.

Derivatives, slopes and pullbacks are no terms. They become *holes*: variables whose values
follow from those of the others by numeric differentiation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import MISTAKES, RuleError
from eggrad.engine.indices.spec import Dims, scaling
from eggrad.engine.laws.language import (
    SLOPE_NODES,
    Call,
    Condition,
    Known,
    Literal,
    Node,
    Parameter,
    Wrt,
)
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.fixed_arrays import fixed_array_called
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS, record
from eggrad.engine.terms.term import Term

__all__ = ["SYMBOLS", "Closing", "Hole", "Reject", "node_term"]

# The value of every size symbol that an instance may have.
SYMBOLS: Mapping[str, int] = {"n": 2}

Values = Mapping[str, Array]


class Reject(Exception):
    """The law does not apply to what its parameters are bound to."""


@dataclass(frozen=True)
class Hole:
    """What is no term: the constructor and its arguments, and how its value follows."""

    constructor: str
    args: tuple[object, ...]
    value: Callable[[Values], Array]


@dataclass
class Closing:
    """What the parameters of a law are bound to, and the holes met so far."""

    bound: Mapping[str, Any]
    holes: dict[str, Hole] = field(default_factory=dict[str, Hole])

    def build(self, pattern: object) -> Any:
        """The term or value of a pattern; `Reject` where a primitive does not apply."""
        match pattern:
            case Parameter(name=name):
                return self.bound[name]
            case Literal(value=value):
                return value
            case Node(constructor="derivative", args=(a, x)):
                return self._derivative(self.build(a), self.build(x))
            case Node(constructor=name, args=(f, place, *args)) if name in SLOPE_NODES.values():
                own = terms.apply(record(self.build(f)), *map(self.build, args))
                return self._slope(own, place)
            case Node(constructor="pullback", args=(node, place, cotangent)):
                return self._pullback(self.build(node), place, self.build(cotangent))
            case Node(constructor=name, args=args):
                return node_term(name, tuple(self.build(a) for a in args))
            case Known(property=p):
                # Whether the values have it is for those to say who know them.
                return self.build(p)
            case Call(function=None, args=args):
                return self.build(args[0]).dims
            case Call(function=function, args=args):
                plain = function.function if isinstance(function, Condition) else function
                return self._call(cast(Callable[..., Any], plain), [self.build(a) for a in args])
            case _:
                return pattern

    def _call(self, function: Callable[..., Any], args: list[Any]) -> Any:
        try:
            found = function(*args)
        except MISTAKES as error:
            shown = f"{function.__name__}({', '.join(map(repr, args))})"
            raise RuleError(f"{shown} raises {type(error).__name__}: {error}") from error
        if found is None:
            raise Reject
        return found

    def fill(self, values: Values) -> Values:
        """The values, with those of the holes; a hole may depend on those before it."""
        filled = dict(values)
        for name, hole in self.holes.items():
            filled[name] = hole.value(filled)
        return filled

    def _hole(self, dims: Dims, hole: Hole) -> Term:
        name = f"hole{len(self.holes)}"
        self.holes[name] = hole
        return terms.variable(name, dims)

    def _derivative(self, a: Term, x: Wrt) -> Term:
        wrt = terms.variable(x[0], x[1])
        hole = Hole("derivative", (a, wrt), lambda v: _derivative(a, wrt, v))
        return self._hole(a.dims + x[1], hole)

    def _slope(self, function: Term, place: int) -> Term:
        def value(values: Values) -> Array:
            args = [oracle.value(a, values, SYMBOLS) for a in function.args]
            return _slope_value(function, place, args)

        hole = Hole("slope", (function.op, function.data, place, *function.args), value)
        return self._hole(function.dims, hole)

    def _pullback(self, node: Term, place: int, g: Term) -> Term:
        lead = g.dims[: g.order - node.order]
        dims = lead + node.args[place].dims
        hole = Hole("pullback", (node, place, g), lambda v: _pulled(node, place, v[g.name], v))
        return self._hole(dims, hole)


def node_term(name: str, args: tuple[Any, ...]) -> Term:
    """The term of an e-graph constructor."""
    match name:
        case "ein" | "ein1":
            return terms.einsum(args[0], *args[1:])
        case "constant":
            return terms.constant(*args)
        case "scale":
            return terms.einsum(scaling(args[1].order), terms.constant(args[0]), args[1])
        case _ if name in FUNCTION_NODES.values():
            return terms.apply(record(args[0]), *args[1:])
        case "numeric" | "numeric2":
            return terms.numeric(args[0], *args[2:], data=args[1])
        case _ if name in MATRIX_FUNCTIONS:
            return terms.apply(name, *args)
        case "variable":
            return terms.variable(*args[0])
        case "array":
            return terms.array(fixed_array_called(args[0][2]))
        case _:
            return getattr(terms, name)(*args)


def _derivative(a: Term, wrt: Term, values: Values) -> Array:
    """The derivative by differences; undefined near kinks and poles, where steps disagree."""
    wide, narrow = (
        oracle.numeric_derivative(a, wrt, values, SYMBOLS, step) for step in (1e-3, 1e-4)
    )
    with np.errstate(invalid="ignore"):
        agree = np.abs(wide - narrow) <= 1e-5 * (1 + np.abs(narrow))
    return np.where(agree, wide, np.nan)


def _slope_value(function: Term, place: int, args: Sequence[Array]) -> Array:
    """The derivative of an element-wise function by central differences, entry by entry."""
    shape, n = args[place].shape, args[place].size
    probes = [terms.variable(f"probe{k}", tuple(shape)) for k in range(len(args))]
    values = {f"probe{k}": a for k, a in enumerate(args)}
    jacobian = _derivative(terms.rebuild(function, tuple(probes)), probes[place], values)
    return jacobian.reshape(n, n)[np.arange(n), np.arange(n)].reshape(shape)


def _pulled(node: Term, place: int, g: Array, values: Values) -> Array:
    """The cotangent of a node, contracted with the node's Jacobian in one operand."""
    probes = [terms.variable(f"operand{k}", a.dims) for k, a in enumerate(node.args)]
    inner = {f"operand{k}": oracle.value(a, values, SYMBOLS) for k, a in enumerate(node.args)}
    again = terms.rebuild(node, tuple(probes))
    jacobian = _derivative(again, probes[place], inner)
    return np.tensordot(g, jacobian, axes=node.order)
