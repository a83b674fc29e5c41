"""Reading the classes of an e-graph as rational functions of one exponential.

A class is read as an element of the field of `engine/networks/exponential_field.py`. The keys of
its linear forms are (class, axes): the class, spread over those axes of the result that it has not.
"""

from fractions import Fraction
from typing import Final

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices, Spec
from eggrad.engine.networks.exponential_field import (
    Exponential,
    Form,
    form_of,
)
from eggrad.engine.networks.linear import linear_forms

__all__ = ["Key", "elements", "exponential", "is_exponential", "linear", "spread_over"]

Key = tuple[int, Indices]
# By what exp -u is multiplied.
HYPERBOLIC: Final = {"cosh": Fraction(1), "sinh": Fraction(-1)}


def elements(graph: Snapshot) -> dict[int, Exponential]:
    """The classes that are rational functions of one exponential."""
    return graph.remember("exponentials", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Exponential]:
    # Operands come first in `choice`; those of other members may come later.
    found: dict[int, Exponential] = {}
    known = -1
    while known < len(found):
        known = len(found)
        for cls in graph.choice:
            if cls not in found:
                elements_here = (_element(graph, cls, m, found) for m in graph.members[cls])
                element = next((e for e in elements_here if e is not None), None)
                if element is not None:
                    found[cls] = element
    return found


def exponential(graph: Snapshot, cls: int) -> Exponential | None:
    """A class as a rational function of one exponential; None where it is a number or no such."""
    element = elements(graph).get(cls)
    return element if is_exponential(element) else None


def is_exponential(element: Exponential | None) -> bool:
    """Whether an element is more than a number."""
    return element is not None and bool(element.form or element.step)


def _element(
    graph: Snapshot, cls: int, member: ENode, found: dict[int, Exponential]
) -> Exponential | None:
    parts = [found.get(c) for c in member.children]
    order = len(graph.dims[cls])
    match member.constructor, parts:
        case "constant", _:
            number = member.value
            return Exponential(numerator=(number,)) if number else None
        case "function", _ if member.data[0] == "exp":
            return Exponential(linear(graph, member.children[0]))
        case "function", _ if member.data[0] == "tanh":
            return _tanh(linear(graph, member.children[0]))
        case "numeric", _ if member.data[0] in HYPERBOLIC:
            return _hyperbolic(member.data[0], linear(graph, member.children[0]))
        case "scale", [Exponential() as a]:
            return a.times(Exponential(numerator=(member.value,)))
        case "negate", [Exponential() as a]:
            return a.times(Exponential(numerator=(Fraction(-1),)))
        case "add", [Exponential() as a, Exponential() as b]:
            return a.plus(b)
        case "subtract", [Exponential() as a, Exponential() as b]:
            negative = b.times(Exponential(numerator=(Fraction(-1),)))
            return negative and a.plus(negative)
        case "power", [Exponential() as a, Exponential(form=(), step=(), numerator=p)]:
            return a.power(p[0])
        case "ein", [Exponential() as a, Exponential() as b]:
            spec = member.spec
            if not spreads(spec):
                return None
            return spread_over(a, spec[0], spec[2]).times(spread_over(b, spec[1], spec[2]))
        case "divide", [Exponential() as a, Exponential() as b]:
            inverse = b.power(Fraction(-1))
            axes = tuple(range(order))
            own = [axes if graph.dims[c] else () for c in member.children]
            return inverse and spread_over(a, own[0], axes).times(
                spread_over(inverse, own[1], axes)
            )
        case _:
            return None


def _hyperbolic(name: str, form: Form) -> Exponential | None:
    """Cosh u = (exp u + exp -u) / 2, and sinh."""
    if not form:
        return None
    down = form_of((key, -c) for key, c in form)
    both = Exponential(form).plus(Exponential(down, numerator=(HYPERBOLIC[name],)))
    return both and both.times(Exponential(numerator=(Fraction(1, 2),)))


def _tanh(form: Form) -> Exponential | None:
    """Tanh u = (exp 2u - 1) / (exp 2u + 1)."""
    if not form:
        return None
    sign = 1 if form[0][1] > 0 else -1
    step = form_of((key, 2 * sign * c) for key, c in form)
    numerator = (Fraction(-sign), Fraction(sign))
    return Exponential((), step, numerator, (Fraction(1), Fraction(1)))


def spreads(spec: Spec) -> bool:
    """Whether a product sums nothing and one of its operands has all axes of the result."""
    left, right, out = spec
    distinct = len(set(left)) == len(left) and len(set(right)) == len(right)
    return distinct and {*left, *right} == set(out) and set(out) in (set(left), set(right))


def spread_over(element: Exponential, part: Indices, out: Indices) -> Exponential:
    """An operand's element in the axes of a product."""
    if part == tuple(range(len(out))) == out:
        return element

    def moved(form: Form) -> Form:
        return form_of(
            ((cls, tuple(out.index(part[k]) for k in axes)), c) for (cls, axes), c in form
        )

    return Exponential(
        moved(element.form), moved(element.step), element.numerator, element.denominator
    )


def linear(graph: Snapshot, cls: int) -> Form:
    """A class as a linear form over classes that are no sums or multiples."""
    forms = linear_forms(graph, cls)
    if forms:
        found = forms[0][0]
    else:
        found = {cls: Fraction(1)}
        for _ in range(4):
            ((c, number),) = found.items()
            multiples = [m for m in graph.members[c] if m.constructor in ("scale", "negate")]
            if not multiples:
                break
            m = multiples[0]
            factor = m.value if m.data else Fraction(-1)
            found = {m.children[0]: number * factor}
    axes = tuple(range(len(graph.dims[cls])))
    return form_of(((c, axes), number) for c, number in found.items())
