"""Homogeneous functions of exponentials over a power of a scalar: softmax and its kin.

`f(e) / sᵈ = f(e / s)` for an f of degree d. The exponentials may lie deep in sums and products,
far from the scalar. Where s is a sum of exponentials `e / s` is at most 1, and `f(e)` overflows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from eggrad.engine import term as terms
from eggrad.engine.exponential_field import Exponential
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.spec import scaling
from eggrad.engine.term import Term
from eggrad.rules.exponential_reading import Key, elements

__all__ = ["normalised", "scalars"]

PRODUCTS = ("ein", "ein1", "scale", "negate")
SUMS = ("add", "subtract")


@dataclass(frozen=True)
class _Homogeneous:
    """A class as a power of the scalar times a function of some degree, by its cheapest member.

    `inside` are the places of the operands that have a part in it; it is empty for a power of the
    scalar and for an exponential.
    """

    power: Fraction
    degree: int
    inside: tuple[int, ...] = ()


Found = Mapping[int, _Homogeneous]


def scalars(graph: Snapshot) -> list[int]:
    """The scalar exponentials of which there is a negative power."""
    found: dict[int, None] = {}
    for cls in graph.classes:
        for base, p in () if graph.dims[cls] else graph.exponents(cls).items():
            element = elements(graph).get(base)
            if p < 0 and element is not None and element.form and not element.step:
                found[base] = None
    return list(found)


def normalised(graph: Snapshot, scalar: int) -> Iterator[tuple[int, Term]]:
    """The classes in which a scalar's power takes away the degree, written without that power."""
    found = _read(graph, scalar)
    done: dict[int, Term] = {}
    for cls, own in found.items():
        if own.degree and own.degree == -own.power:
            yield cls, _written(graph, scalar, found, cls, done)


def _read(graph: Snapshot, scalar: int) -> Found:
    argument = _arguments(elements(graph)[scalar])
    found: dict[int, _Homogeneous] = {}
    # Operands come first in `choice`.
    for cls, node in graph.choice.items():
        power = graph.exponents(cls).get(scalar)
        parts = [(k, found[c]) for k, c in enumerate(node.children) if c in found]
        inside, own = tuple(k for k, _ in parts), [p for _, p in parts]
        if power is not None:
            found[cls] = _Homogeneous(power, 0)
        elif graph.dims[cls] and _is_apart(graph, cls, argument):
            found[cls] = _Homogeneous(Fraction(0), 1)
        elif parts and node.constructor in PRODUCTS:
            power = sum((p.power for p in own), Fraction(0))
            found[cls] = _Homogeneous(power, sum(p.degree for p in own), inside)
        elif len(parts) == 2 and node.constructor in SUMS:
            first, second = own
            if (first.power, first.degree) == (second.power, second.degree):
                found[cls] = _Homogeneous(first.power, first.degree, inside)
    return found


def _is_apart(graph: Snapshot, cls: int, argument: set[int]) -> bool:
    """Whether a class is a pure exponential in which the argument of the scalar has no part."""
    element = elements(graph).get(cls)
    if element is None or not element.form or element.step:
        return False
    return argument.isdisjoint(_arguments(element))


def _arguments(element: Exponential) -> set[int]:
    """The classes of which the argument of an exponential is a linear form."""
    return {cls for (cls, _), _ in cast(tuple[tuple[Key, Fraction], ...], element.form)}


def _written(graph: Snapshot, scalar: int, found: Found, cls: int, done: dict[int, Term]) -> Term:
    """A class with its exponentials divided by the scalar, and 1 for the scalar's powers."""
    stack = [cls]
    while stack:
        c = stack[-1]
        node, own = graph.choice[c], found[c]
        changed = [node.children[k] for k in own.inside]
        missing = [x for x in changed if x not in done]
        stack += missing
        if missing:
            continue
        stack.pop()
        if changed:
            args = (done[x] if x in changed else graph.term(x) for x in node.children)
            done[c] = graph.as_term(node, tuple(args))
        elif own.degree:
            term, inverse = graph.term(c), terms.constant(-1)
            factor = terms.power(graph.term(scalar), inverse)
            done[c] = terms.einsum(scaling(term.order), factor, term)
        else:
            done[c] = terms.constant(1)
    return done[cls]
