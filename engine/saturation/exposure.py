"""Products with masks whose other factor may be undefined where the mask is 0.

Such a product is undefined there, and the choice that it stands for is not.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from eggrad.engine.extraction.extract import cheapest_trees
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.slices import views_of
from eggrad.engine.indices.spec import Indices
from eggrad.engine.laws.properties import TOTAL
from eggrad.engine.terms.functions import FUNCTIONS, Function, record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import FUNCTION_NODES


def exposed_nodes(graph: Snapshot, *, for_code: bool) -> set[ENode]:
    """The products and quotients of a masked tensor and a factor that may be undefined.

    Masked tensors are made of tests, of choices whose other branch is 0, and of indicators. Code
    takes entries where they lie; in `hiding_products` it sees to what a mask hides.
    """
    chosen = _masked(graph, _is_test_or_choice_of_zero)
    picked = _masked(graph, lambda m, _: m.constructor == "indicator")
    stored = {c: axes for c, axes in picked.items() if not graph.has(c, ("indicator",))}
    finite = _finite_where_variables_are(graph) if chosen or picked else ()
    whole = _WHOLE if for_code else ()
    readable = _finite_where_variables_are(graph, whole=whole) if picked else ()
    # With what integers select, too, entries are read and written at their places.
    selections = {c for c, nodes in graph.members.items() if any(map(_is_selection, nodes))}

    def is_exposed(m: ENode) -> bool:
        if m.constructor == "divide":
            return m.children[0] in chosen or m.children[0] in picked
        if m.operation in ("symmetric_product", "product_of_pairs"):
            return m.children[1] in chosen and not graph.knows(m.children[0], TOTAL)
        if m.constructor != "ein":
            return False
        by_views = all(len({*part}) == len(part) for part in m.spec)

        def is_picked(a: int, b: int, first: Indices, second: Indices) -> bool:
            # Entries that an indicator picks are read where they lie, and not multiplied by 0:
            # what is not needed may be undefined, but is not computed for nothing.
            alone = by_views and (b in readable or (for_code and takes_all(a, b, first, second)))
            masks = stored if alone else picked
            # An entry that is picked has been taken before where the mask has no such axis.
            return any(first[k] in second for k in masks.get(a, ()))

        def takes_all(a: int, b: int, first: Indices, second: Indices) -> bool:
            dims, known = (graph.dims[a], graph.dims[b]), (graph.sparsity.get(a), False)
            seen = views_of((first, second, m.spec[-1]), dims, known)
            return seen is not None and all(axis.key == ":" for axis in seen.source)

        pairs = zip(m.children, m.children[::-1], m.spec, m.spec[1::-1], strict=False)
        by_places = selections if by_views else ()
        return any(
            not graph.knows(b, TOTAL)
            and b not in by_places
            # In a square both factors are masked.
            and (a, first) != (b, second)
            and (
                (a in chosen and not _is_spread(m, place, chosen, finite))
                or is_picked(a, b, first, second)
            )
            for place, (a, b, first, second) in enumerate(pairs)
        )

    known = chosen or picked
    return {m for nodes in graph.members.values() for m in nodes if known and is_exposed(m)}


def hiding_products(graph: Snapshot) -> dict[int, int]:
    """The e-classes of products and quotients with a mask, and its place among the operands.

    They are those that no law has made choices: where the other operand may be undefined, and where
    the mask is not spread. As in autodiff a cotangent is masked before it meets an array of more
    axes, which is finite where variables are: what a mask hides of these may not be.
    """
    chosen = _masked(graph, _is_test_or_choice_of_zero)
    finite = _finite_where_variables_are(graph) if chosen else ()
    defined = _defined_where_variables_are(graph) if chosen else ()

    def hides(m: ENode, place: int) -> bool:
        mask, other = m.children[place], m.children[1 - place]
        if mask in chosen and other not in chosen and other not in defined:
            return m.constructor == "ein" or place == 0
        return m.constructor == "ein" and _is_spread(m, place, chosen, finite)

    products = ((c, m) for c, nodes in graph.members.items() for m in nodes)
    return {
        c: place
        for c, m in products
        if m.constructor in ("ein", "divide")
        for place in range(2)
        if hides(m, place) and not graph.has(m.children[1 - place], ("constant",))
    }


def _is_spread(
    m: ENode, place: int, chosen: Mapping[int, frozenset[int]], finite: Collection[int]
) -> bool:
    """Whether a sum over a mask would spread it over further axes of what it multiplies."""
    mask, factor = m.children[place], m.children[1 - place]
    first, second = m.spec[place], m.spec[1 - place]
    if mask not in chosen or factor not in finite or any(len({*p}) < len(p) for p in m.spec):
        return False
    masked = {first[k] for k in chosen[mask]}
    # Where nothing is summed a choice takes no longer.
    return not {*second} <= masked and not masked <= {*m.spec[-1]}


def _is_selection(m: ENode) -> bool:
    return m.data[:1] == ("selection",)


def _finite_where_variables_are(graph: Snapshot, whole: Collection[str] = ()) -> Collection[int]:
    """The e-classes with a term of functions that are defined everywhere and do not overflow.

    The functions `whole` need all entries of what they are given, which is not looked at.
    """

    def is_harmless(m: ENode) -> bool:
        if m.constructor == "power" or m.constructor in FUNCTION_NODES.values():
            function = _function(m)
            return not _may_be_undefined(m, graph) and (function is None or not function.grows)
        return not m.children or m.constructor in _FINITE or _is_selection(m)

    kept = {
        c: [m._replace(children=()) for m in nodes if {m.constructor, m.operation} & {*whole}]
        or [m for m in nodes if is_harmless(m)]
        for c, nodes in graph.members.items()
    }
    return cheapest_trees(kept, lambda *_: 1)[1].keys()


def _defined_where_variables_are(graph: Snapshot) -> Collection[int]:
    """The e-classes with a term whose element-wise operations are defined everywhere."""
    kept = {
        c: [m for m in nodes if not _may_be_undefined(m, graph)]
        for c, nodes in graph.members.items()
    }
    return cheapest_trees(kept, lambda *_: 1)[1].keys()


def _may_be_undefined(m: ENode, graph: Snapshot) -> bool:
    """Whether an element-wise operation is not defined at all numbers."""
    if m.constructor == "power":
        exponent = graph.number(m.children[1])
        return exponent is None or exponent < 0 or exponent.denominator > 1
    function = _function(m)
    return m.constructor == "divide" if function is None else not function.total


def _masked(
    graph: Snapshot, begins: Callable[[ENode, Snapshot], bool]
) -> dict[int, frozenset[int]]:
    """The e-classes of masked tensors, each with the axes of its mask.

    A mask says which entries are 0. `begins` says which e-nodes are masks themselves, such as
    tests. A product with a masked tensor is masked, unless it sums over an axis of the mask.
    """
    users: dict[int, list[tuple[int, ENode]]] = {}
    found: dict[int, frozenset[int]] = {}
    for c, nodes in graph.members.items():
        for m in nodes:
            if m.constructor in _KEEP_MASKS or _is_choice(m) or _is_positive_power(m, graph):
                for child in m.children:
                    users.setdefault(child, []).append((c, m))
            if begins(m, graph):
                found[c] = frozenset(range(len(graph.dims[c])))
    stack = list(found)
    while stack:
        for c, m in users.get(stack.pop(), ()):
            axes = _mask_axes(m, found)
            if axes is not None and (c not in found or axes < found[c]):
                found[c] = axes
                stack.append(c)
    return found


# Every entry of what these give needs all that they are given.
_WHOLE: Final = (*MATRIX_FUNCTIONS, "logsumexp", "softmax", "log_softmax")
_FINITE: Final = ("ein", "ein1", "negate", "scale", "add", "subtract")
_KEEP_MASKS: Final = ("ein", "ein1", "negate", "scale", "divide", "add", "subtract")


def _mask_axes(m: ENode, known: Mapping[int, frozenset[int]]) -> frozenset[int] | None:
    """The axes of the mask of a node, given those of its operands; None where it has none."""
    operands = [known.get(child) for child in m.children]
    if m.constructor in ("add", "subtract"):
        return None if None in operands else frozenset().union(*filter(None, operands))
    if _is_choice(m):
        branches = [axes for axes in operands[1:] if axes is not None]
        return frozenset[int]().union(*branches) if branches else None
    if m.constructor not in ("ein", "ein1"):
        return operands[0]
    *parts, output = m.spec
    for part, axes in zip(parts, operands, strict=True):
        if axes is not None and all(part[k] in output for k in axes):
            return frozenset(output.index(part[k]) for k in axes)
    return None


def _is_test_or_choice_of_zero(m: ENode, graph: Snapshot) -> bool:
    function = _function(m)
    if _is_choice(m):
        return any(graph.number(branch) == 0 for branch in m.children[1:])
    return function is not None and function.is_test


def _is_positive_power(m: ENode, graph: Snapshot) -> bool:
    exponent = graph.number(m.children[1]) if m.constructor == "power" else None
    return exponent is not None and exponent > 0


def _is_choice(m: ENode) -> bool:
    return m.data[:1] == ("where",)


def _function(m: ENode) -> Function | None:
    """The element-wise function that an e-node applies; some are found in code alone."""
    if m.constructor in FUNCTION_NODES.values():
        return record(str(m.data[0]))
    return FUNCTIONS.get(m.operation)
