"""What small terms are made of: variables, constants, and operations that apply to some operands.

A workload is the grammar of one inference (Pal et al. 2023, "Equality Saturation Theory
Exploration à la Carte").
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.terms.functions import FUNCTIONS, MATRIX_FUNCTIONS, UNARY, function_of
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    negate,
    power,
    subtract,
    variable,
)
from eggrad.engine.terms.term_patterns import is_symmetric_product

__all__ = ["SIZE", "Workload", "workloads"]

SIZE: Final = "n"
"""The size of every axis."""

NESTED: Final = 2
"""How many functions are applied one after the other: of three, laws are seldom wanted."""

_NUMBERS: Final = (Fraction(0), Fraction(1), Fraction(2), Fraction(-1), Fraction(1, 2))
_EXPONENTS: Final = (Fraction(2), Fraction(-1), Fraction(1, 2))
# Sums, transposes and diagonals by the order of the operand.
_UNARY: Final = {0: (), 1: ("i->",), 2: ("ij->ji", "ii->", "ii->i", "ij->", "ij->i", "ij->j")}
# Products by the orders of the operands; those of equal orders, entry by entry, come first.
_BINARY: Final = {
    (0, 0): (",->",),
    (0, 1): (",i->i",),
    (0, 2): (",ij->ij",),
    (1, 1): ("i,i->i", "i,i->", "i,j->ij"),
    (2, 1): ("ij,j->i", "ij,i->j", "ij,i->ij", "ij,j->ij"),
    (2, 2): ("ij,ij->ij", "ij,ij->", "ij,jk->ik"),
}


@dataclass(frozen=True)
class Workload:
    """Variables whose axes all have the size `n`, and the functions that are applied.

    `functions` are element-wise, `matrix_functions` those of square matrices; sums, products,
    quotients, transposes, diagonals, traces and small powers apply wherever the axes allow.
    """

    name: str
    variables: tuple[Term, ...]
    functions: tuple[str, ...] = ()
    matrix_functions: tuple[str, ...] = ()

    def leaves(self) -> list[Term]:
        """Terms of one node: numbers, variables, zeros and ones of their axes, the identity."""
        axes = sorted({v.dims for v in self.variables} - {()}, key=len)
        filled = [constant(c, d) for d in axes for c in (0, 1)]
        identity = [delta((SIZE,))] if (SIZE, SIZE) in axes else []
        return [*map(constant, _NUMBERS), *self.variables, *filled, *identity]

    def unary(self, a: Term) -> Iterator[Term]:
        """Every operation on one operand."""
        yield negate(a)
        for spec in _UNARY[a.order]:
            yield einsum(spec, a)
        if _nesting(a) < NESTED:
            for name in self.functions:
                yield apply(name, a)
        if a.order == 2:
            for name in self.matrix_functions:
                yield apply(name, a)

    def powers(self, a: Term) -> Iterator[Term]:
        """Small powers, entry by entry; a delta has no reciprocal."""
        for p in _EXPONENTS:
            if p > 0 or a.op != "delta":
                yield power(a, constant(p))

    def binary(self, a: Term, b: Term) -> Iterator[Term]:
        """Every operation on two operands in that order; what commutes, in one order only."""
        if a.dims == b.dims:
            yield subtract(a, b)
        if (a.dims == b.dims or not a.dims or not b.dims) and b.op != "delta":
            yield divide(a, b)
        for spec in _BINARY.get((a.order, b.order), ()):
            made = einsum(spec, a, b)
            if not is_symmetric_product(made):
                yield made

    def commutative(self, a: Term, b: Term) -> Iterator[Term]:
        """Every operation on two operands for which their order does not matter."""
        if a.dims == b.dims:
            yield add(a, b)
            for spec in _BINARY[a.order, b.order]:
                made = einsum(spec, a, b)
                if is_symmetric_product(made):
                    yield made


def _nesting(t: Term) -> int:
    """How many element-wise functions are applied one after the other."""
    return max(map(_nesting, t.args), default=0) + (function_of(t.op, t.data) is not None)


def workloads() -> tuple[Workload, ...]:
    """Those inferred from where nothing else is said: functions, vectors, matrices.

    Laws of element-wise functions are the same for numbers and for the entries of a tensor, so
    tensors have four functions only.
    """
    a, b = variable("a"), variable("b")
    x, y = variable("x", (SIZE,)), variable("y", (SIZE,))
    left, right = variable("A", (SIZE, SIZE)), variable("B", (SIZE, SIZE))
    return (
        Workload("functions", (a, b), tuple(f for f in UNARY if not FUNCTIONS[f].stepwise)),
        Workload("vectors", (a, x, y), ("abs", "sign", "exp")),
        Workload("matrices", (a, x, left, right), (), tuple(MATRIX_FUNCTIONS)),
    )
