"""E-classes read as rational functions of one exponential."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Dims, Indices, Spec
from eggrad.engine.networks.exponential_field import (
    Exponential,
    Form,
    form_of,
)
from eggrad.engine.networks.networks import (
    linear_forms,
    read_by_operands,
)

# By what exp -u is multiplied.
HYPERBOLIC: Final = {"cosh": Fraction(1), "sinh": Fraction(-1)}


def elements(graph: Snapshot) -> dict[int, Exponential]:
    """The e-classes that are rational functions of one exponential."""
    return graph.remember("exponentials", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Exponential]:
    def element(cls: int, found: Mapping[int, Exponential]) -> Exponential | None:
        ways = (_element(graph, cls, m, found) for m in graph.members[cls])
        return next((e for e in ways if e is not None), None)

    return read_by_operands(graph, element)


def exponential(graph: Snapshot, cls: int) -> Exponential | None:
    """An e-class as a rational function of one exponential; None for numbers and all else."""
    element = elements(graph).get(cls)
    return element if is_exponential(element) else None


def is_exponential(element: Exponential | None) -> bool:
    """Whether an element is more than a number."""
    return element is not None and bool(element.form or element.step)


def _element(
    graph: Snapshot, cls: int, member: ENode, found: Mapping[int, Exponential]
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


def in_result(spec: Spec) -> tuple[Indices, Indices]:
    """Where the result of a product has the axes of each operand."""
    left, right, out = spec
    return tuple(map(out.index, left)), tuple(map(out.index, right))


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
    """An e-class as a linear form over e-classes that are no sums or multiples."""
    forms = linear_forms(graph, cls)
    if forms:
        found = forms[0][0]
    else:
        base, number = cls, Fraction(1)
        # Each of two opposites is a multiple of the other: the cheaper one is the base.
        while multiples := [m for m in graph.members[base] if _is_of_cheaper(graph, base, m)]:
            number *= multiples[0].value if multiples[0].data else -1
            base = multiples[0].children[0]
        found = {base: number}
    axes = tuple(range(len(graph.dims[cls])))
    return form_of(((c, axes), number) for c, number in found.items())


def _is_of_cheaper(graph: Snapshot, cls: int, m: ENode) -> bool:
    """Whether an e-node of an e-class is a multiple of a cheaper e-class."""
    if m.constructor not in ("scale", "negate"):
        return False
    own, other = ((graph.tree_cost.get(c, 0), c) for c in (cls, m.children[0]))
    return other < own


def sums_by_form(graph: Snapshot) -> Mapping[tuple[Form, Dims], int]:
    """The e-classes of sums, each by its linear form and axes."""

    def read() -> Mapping[tuple[Form, Dims], int]:
        sums = (cls for cls in reversed(graph.classes) if linear_forms(graph, cls))
        return {(linear(graph, cls), graph.dims[cls]): cls for cls in sums}

    return graph.remember("sums by form", read)
