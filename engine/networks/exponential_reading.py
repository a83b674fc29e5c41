"""E-classes read as rational functions of one exponential."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Generic, TypeVar

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Dims, Indices, Spec
from eggrad.engine.networks.exponential_field import Exponential, Exponents, form_of, multiple
from eggrad.engine.networks.networks import linear_forms, read_by_operands

T = TypeVar("T")

# By what exp -u is multiplied.
HYPERBOLIC: Final = {"cosh": Fraction(1), "sinh": Fraction(-1)}


def elements(graph: Snapshot) -> dict[int, Exponential]:
    """The e-classes that are rational functions of one exponential."""
    return graph.remember("exponentials", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Exponential]:
    def element(cls: int, found: Mapping[int, Exponential]) -> Exponential | None:
        ways = (_element(graph, m, found) for m in graph.members[cls])
        return next((e for e in ways if e is not None), None)

    return read_by_operands(graph, element)


def exponential(graph: Snapshot, cls: int) -> Exponential | None:
    """An e-class as a rational function of one exponential; None for numbers and all else."""
    element = elements(graph).get(cls)
    return element if is_exponential(element) else None


def is_exponential(element: Exponential | None) -> bool:
    """Whether an element is more than a number."""
    return element is not None and bool(element.form or element.step)


def is_call(member: ENode, name: str) -> bool:
    """Whether an e-node is an element-wise function of that name."""
    return member.constructor == "function" and member.data[0] == name


def _element(
    graph: Snapshot, member: ENode, found: Mapping[int, Exponential]
) -> Exponential | None:
    match member.constructor:
        case "constant":
            return _number(member.value) if member.value else None
        case "function" if member.data[0] == "exp":
            return Exponential(linear(graph, member.children[0]))
        case "function" if member.data[0] == "tanh":
            return _tanh(linear(graph, member.children[0]))
        case "numeric" if member.data[0] in HYPERBOLIC:
            return _hyperbolic(member.data[0], linear(graph, member.children[0]))
        case _:
            return _FIELD.read(graph, member, found, found)


def _number(c: Fraction) -> Exponential:
    return Exponential(numerator=(c,))


def _hyperbolic(name: str, form: Exponents) -> Exponential | None:
    """Cosh u = (exp u + exp -u) / 2, and sinh."""
    down = Exponential(multiple(form, -1), numerator=(HYPERBOLIC[name],))
    both = Exponential(form).plus(down) if form else None
    return both and both.times(_number(Fraction(1, 2)))


def _tanh(form: Exponents) -> Exponential | None:
    """Tanh u = (exp 2u - 1) / (exp 2u + 1)."""
    if not form:
        return None
    sign = 1 if form[0][1] > 0 else -1
    numerator = (Fraction(-sign), Fraction(sign))
    return Exponential((), multiple(form, 2 * sign), numerator, (Fraction(1), Fraction(1)))


def broadcast(element: Exponential, part: Indices, out: Indices) -> Exponential:
    """An operand's element in the axes of a product."""
    if part == tuple(range(len(out))) == out:
        return element

    def moved(form: Exponents) -> Exponents:
        return form_of(
            ((cls, tuple(out.index(part[k]) for k in axes)), c) for (cls, axes), c in form
        )

    return replace(element, form=moved(element.form), step=moved(element.step))


@dataclass(frozen=True)
class Arithmetic(Generic[T]):
    """How sums, products and powers of what e-classes are read as are computed; None for failure.

    `broadcast` takes an operand, and where each of its axes is among those of the result.
    """

    number: Callable[[Fraction], T | None]
    plus: Callable[[T, T], T | None]
    times: Callable[[T, T], T | None]
    power: Callable[[T, Fraction], T | None]
    broadcast: Callable[[T, Indices, Indices], T]

    def read(
        self,
        graph: Snapshot,
        node: ENode,
        found: Mapping[int, T],
        exponents: Mapping[int, Exponential],
    ) -> T | None:
        """A sum, product, quotient or power entry by entry, from what its operands were read as."""
        operands = node.children[:1] if node.constructor == "power" else node.children
        if not operands or any(c not in found for c in operands):
            return None
        a, b = found[operands[0]], found[operands[-1]]
        match node.constructor:
            case "scale" | "negate":
                return self._multiple(a, node.value)
            case "add":
                return self.plus(a, b)
            case "subtract":
                negative = self._multiple(b, Fraction(-1))
                return None if negative is None else self.plus(a, negative)
            case "ein" if _is_broadcast(node.spec):
                *parts, out = node.spec
                left, right = (tuple(map(out.index, part)) for part in parts)
                every = tuple(range(len(out)))
                return self.times(self.broadcast(a, left, every), self.broadcast(b, right, every))
            case "divide":
                inverse = self.power(b, Fraction(-1))
                left, right = (tuple(range(len(graph.dims[c]))) for c in operands)
                every = max(left, right, key=len)
                above = self.broadcast(a, left, every)
                return inverse and self.times(above, self.broadcast(inverse, right, every))
            case "power":
                p = exponents.get(node.children[1])
                return None if p is None or is_exponential(p) else self.power(a, p.numerator[0])
            case _:
                return None

    def _multiple(self, a: T, c: Fraction) -> T | None:
        number = self.number(c)
        return None if number is None else self.times(a, number)


_FIELD: Final = Arithmetic(
    _number, Exponential.plus, Exponential.times, Exponential.power, broadcast
)


def _is_broadcast(spec: Spec) -> bool:
    """Whether a product sums nothing and one of its operands has all axes of the result."""
    left, right, out = spec
    distinct = len(set(left)) == len(left) and len(set(right)) == len(right)
    return distinct and {*left, *right} == set(out) and set(out) in (set(left), set(right))


def linear(graph: Snapshot, cls: int) -> Exponents:
    """An e-class as a linear form over e-classes that are no sums or multiples."""
    forms = linear_forms(graph, cls)
    if forms:
        found = forms[0][0]
    else:
        base, number = cls, Fraction(1)
        # Each of two opposites is a multiple of the other: the cheaper one is the base.
        while multiples := [m for m in graph.members[base] if _is_of_cheaper(graph, base, m)]:
            number *= multiples[0].value
            base = multiples[0].children[0]
        found = {base: number}
    axes = tuple(range(len(graph.dims[cls])))
    return form_of(((c, axes), number) for c, number in found.items())


def _is_of_cheaper(graph: Snapshot, cls: int, m: ENode) -> bool:
    """Whether an e-node of an e-class is a multiple of a cheaper e-class."""
    if m.constructor not in ("scale", "negate"):
        return False
    whole, operand = ((graph.tree_cost.get(c, 0), c) for c in (cls, m.children[0]))
    return operand < whole


def sums_by_form(graph: Snapshot) -> Mapping[tuple[Exponents, Dims], int]:
    """The e-classes of sums, each by its linear form and axes."""

    def read() -> Mapping[tuple[Exponents, Dims], int]:
        sums = (cls for cls in reversed(graph.classes) if linear_forms(graph, cls))
        return {(linear(graph, cls), graph.dims[cls]): cls for cls in sums}

    return graph.remember("sums by form", read)
