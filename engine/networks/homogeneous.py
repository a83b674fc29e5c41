"""Homogeneous functions of exponentials over a power of an exponential: softmax and its kin.

`f(e) / sᵈ = f(e / s)` for an f of degree d. The exponentials may lie deep in sums and products,
far from the divisor s, whose axes go through all of them. Where s is a sum of exponentials
`e / s` is at most 1, and `f(e)` overflows.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import islice, permutations, product

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import Dims, Indices, canonical, identified
from eggrad.engine.networks.exponential_field import Exponential
from eggrad.engine.networks.exponential_reading import elements
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

PRODUCTS = ("ein", "ein1", "scale", "negate")
SUMS = ("add", "subtract")
_OPENED = (*PRODUCTS, *SUMS, "power")


@dataclass(frozen=True)
class _Homogeneous:
    """An e-class that is `sᵈ` times itself with `e / s` for each exponential e, and 1 for s.

    `degree` is d, and `node` the e-node that shows it. Of its operands those at the places
    `inside` are such themselves, with the axes of each that are the divisor's; a power of s and an
    exponential have none. `exponential` says that there is an e in it, `divided` a power of s.
    """

    degree: Fraction
    exponential: bool
    node: ENode
    inside: tuple[tuple[int, Indices], ...] = ()
    divided: bool = False

    @property
    def is_trivial(self) -> bool:
        """Whether it has nothing that overflows: degree 0, and no power of the divisor."""
        return not self.degree and not self.divided


# For each e-class, and for each choice of axes that may be those of the divisor; no axes where
# they have been summed.
Found = Mapping[int, Mapping[Indices, _Homogeneous]]


def _divisors(graph: Snapshot) -> list[int]:
    """The exponentials of which there is a negative power: scalars, and sums over axes."""
    found: dict[int, None] = {}
    for cls in graph.classes:
        for base, p in graph.exponents(cls).items():
            element = elements(graph).get(base)
            pure = element is not None and element.form and not element.step
            if p < 0 and pure and (not graph.dims[base] or _sums(graph, base)):
                found[base] = None
    return list(found)


def _sums(graph: Snapshot, cls: int) -> list[ENode]:
    """The e-nodes of an e-class that sum axes."""
    return [
        m
        for m in graph.members[cls]
        if m.constructor in ("ein", "ein1")
        and {i for part in m.spec for i in part} != {*m.spec[-1]}
    ]


def divided_by_exponentials(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The e-classes of degree 0, every exponential divided, without powers of the divisor."""
    for divisor in _divisors(graph):
        found = _read_homogeneous(graph, divisor)
        done: dict[tuple[int, Indices], Term] = {}
        for cls, ways in found.items():
            for axes, way in ways.items():
                if way.exponential and not way.degree:
                    yield cls, _written(graph, divisor, found, (cls, axes), done)


def _read_homogeneous(graph: Snapshot, divisor: int) -> Found:
    """The homogeneous e-classes with a power of the divisor in them, and what they are made of."""
    made_of = graph.remember(_users, lambda: _users(graph))
    order = graph.remember("order", lambda: {c: k for k, c in enumerate(graph.choice)})
    argument, units = _arguments(elements(graph)[divisor]), _units(graph, divisor)
    lead = graph.dims[divisor]

    def is_numerator(cls: int) -> bool:
        return len(graph.dims[cls]) > len(lead) and _is_numerator(graph, cls, argument)

    def operands(cls: int) -> list[int]:
        if divisor in graph.exponents(cls) or is_numerator(cls):
            return []
        every = (c for m in graph.members[cls] if m.constructor in _OPENED for c in m.children)
        return [c for c in every if c in order and order[c] < order[cls] and c not in found]

    def ways(cls: int) -> dict[Indices, _Homogeneous]:
        node, exponents = graph.choice[cls], graph.exponents(cls)
        if divisor in exponents:
            power = _Homogeneous(exponents[divisor], False, node, divided=True)
            return {tuple(range(len(lead))): power}
        if is_numerator(cls):
            whole = _Homogeneous(_degree(graph, cls, units), True, node)
            return dict.fromkeys(_placements(lead, graph.dims[cls]), whole)
        # The sum that divides may be written as a sum once more, where that costs no more.
        first: dict[Indices, _Homogeneous] = {}
        for m in (node, *graph.members[cls]):
            by_axes = _of_node(graph, cls, m, found)
            first = first or by_axes
            if any(w.divided for w in by_axes.values()):
                return by_axes
        return first

    found: dict[int, dict[Indices, _Homogeneous]] = {}
    powers = (c for c in (divisor, *made_of.get(divisor, ())) if divisor in graph.exponents(c))
    waiting = [order[c] for c in powers if c in order]
    seen, classes = {*waiting}, [*order]
    heapify(waiting)
    while waiting:
        cls = classes[heappop(waiting)]
        stack = [cls]
        while stack:
            missing = operands(stack[-1])
            stack += missing
            if not missing:
                ready = stack.pop()
                if ready not in found:
                    found[ready] = ways(ready)
        if any(w.divided for w in found[cls].values()):
            above = {order[c] for c in made_of.get(cls, ()) if c in order and order[c] > order[cls]}
            for k in sorted(above - seen):
                heappush(waiting, k)
            seen |= above
    return {c: found[c] for c in sorted(found, key=order.__getitem__) if found[c]}


def _users(graph: Snapshot) -> dict[int, dict[int, None]]:
    """The e-classes that have an e-node with an e-class among its operands."""
    found: dict[int, dict[int, None]] = {}
    for cls, members in graph.members.items():
        for m in members:
            for c in m.children:
                found.setdefault(c, {})[cls] = None
    return found


def _of_node(graph: Snapshot, cls: int, node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """The ways of an e-node by those of its operands."""
    if node.constructor in PRODUCTS:
        return _of_product(graph, node, found)
    if node.constructor in SUMS:
        return _of_sum(node, found)
    if node.constructor == "power":
        return _of_power(graph.exponents(cls), node, found)
    return {}


def _placements(lead: Dims, dims: Dims) -> list[Indices]:
    """The axes of some dims that may be those of the divisor."""
    return [
        axes
        for axes in permutations(range(len(dims)), len(lead))
        if all(dims[k] == d for k, d in zip(axes, lead, strict=True))
    ]


def _of_product(graph: Snapshot, node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """Degrees are added where the divisor's axes are the same in all factors."""
    axes = tuple(range(len(graph.dims[node.children[0]])))
    spec = node.spec if node.constructor in ("ein", "ein1") else (axes, axes)
    same = identified(spec, [graph.sparsity.get(c) is True for c in node.children])
    factors = [
        (c, tuple(same[i] for i in part)) for c, part in zip(node.children, spec, strict=False)
    ]
    shared = dict.fromkeys(
        tuple(part[k] for k in along) for c, part in factors for along in found.get(c, ())
    )
    result: dict[Indices, _Homogeneous] = {}
    for indices in shared:
        inside: list[tuple[int, Indices]] = []
        for place, (c, part) in enumerate(factors):
            here = (along for along in _places(indices, part) if along in found.get(c, ()))
            inside += [(place, along) for along in islice(here, 1)]
        parts = [found[node.children[place]][along] for place, along in inside]
        whole = _Homogeneous(
            sum((p.degree for p in parts), Fraction(0)),
            any(p.exponential for p in parts),
            node,
            tuple(inside),
            any(p.divided for p in parts),
        )
        if whole.is_trivial:
            continue
        ways = [*_places(indices, tuple(same[i] for i in spec[-1]))]
        if not ways and whole.exponential and not whole.degree:
            ways = [()]  # the divisor's axes are summed, and nothing of it is left beyond
        result |= dict.fromkeys(ways, whole)
    return result


def _places(indices: Indices, part: Indices) -> Iterator[Indices]:
    """The axes, each another one, that have some indices."""
    for axes in product(*([k for k, j in enumerate(part) if j == i] for i in indices)):
        if len(set(axes)) == len(axes):
            yield axes


def _of_sum(node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """Both summands have the same degree."""
    first, second = (found.get(c, {}) for c in node.children)
    return {
        axes: _Homogeneous(
            way.degree,
            way.exponential or second[axes].exponential,
            node,
            ((0, axes), (1, axes)),
            way.divided or second[axes].divided,
        )
        for axes, way in first.items()
        if axes in second and way.degree == second[axes].degree
    }


def _of_power(
    exponents: Mapping[int, Fraction], node: ENode, found: Found
) -> dict[Indices, _Homogeneous]:
    """The degree is multiplied."""
    base = node.children[0]
    if base not in exponents:
        return {}
    return {
        axes: replace(way, degree=way.degree * exponents[base], node=node, inside=((0, axes),))
        for axes, way in found.get(base, {}).items()
    }


def _units(graph: Snapshot, divisor: int) -> Mapping[int, Fraction]:
    """The arguments, with their coefficients, of an exponential that the divisor is a sum of."""
    for member in _sums(graph, divisor):
        known = filter(None, map(elements(graph).get, member.children))
        found = collected(pair for element in known for pair in _arguments(element).items())
        if found:
            return found
    return {}


def _degree(graph: Snapshot, cls: int, units: Mapping[int, Fraction]) -> Fraction:
    """How often an exponential has that of the divisor in it; an unrelated one counts as one."""
    arguments = _arguments(elements(graph)[cls])
    return next((arguments[c] / unit for c, unit in units.items() if c in arguments), Fraction(1))


def _is_numerator(graph: Snapshot, cls: int, argument: Collection[int]) -> bool:
    """Whether an e-class is an exponential of anything but the argument of the divisor."""
    element = elements(graph).get(cls)
    if element is None or not element.form or element.step:
        return False
    return not any(c in argument for c in _arguments(element))


def _arguments(element: Exponential) -> dict[int, Fraction]:
    """The e-classes of which the argument of an exponential is a linear form, with coefficients."""
    return {cls: c for (cls, _), c in element.form}


def _written(
    graph: Snapshot,
    divisor: int,
    found: Found,
    root: tuple[int, Indices],
    done: dict[tuple[int, Indices], Term],
) -> Term:
    """An e-class with its exponentials divided by the divisor, and 1 for the divisor's powers."""
    stack = [root]
    while stack:
        cls, axes = stack[-1]
        way = found[cls][axes]
        changed = {place: (way.node.children[place], inner) for place, inner in way.inside}
        missing = [x for x in changed.values() if x not in done]
        stack += missing
        if missing:
            continue
        stack.pop()
        if changed:
            args = tuple(
                done[changed[k]] if k in changed else graph.term(c)
                for k, c in enumerate(way.node.children)
            )
            done[cls, axes] = graph.as_term(way.node, args)
        elif way.exponential:
            term = graph.term(cls)
            every = tuple(range(term.order))
            inverse = terms.power(graph.term(divisor), terms.constant(-way.degree))
            done[cls, axes] = terms.einsum(canonical([axes, every], every), inverse, term)
        else:
            done[cls, axes] = terms.constant(1, graph.dims[divisor])
    return done[root]
