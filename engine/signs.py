"""Which classes of an e-graph are positive, and which are nonnegative, by the forms they have."""

from fractions import Fraction
from typing import Final, NamedTuple, cast

from eggrad.engine.snapshot import ENode, Snapshot
from eggrad.engine.spec import Spec

__all__ = ["Signs", "known_signs"]

# Functions that are nonnegative whatever their operand is.
NONNEGATIVE: Final = frozenset({"exp", "abs", "relu", "arccos"})
# Functions that are positive, or nonnegative, where their operand is.
KEEPING: Final = frozenset({"abs", "relu", "sign", "tanh", "arctan", "arcsin"})


class Signs(NamedTuple):
    """The classes that are above zero, and those that are not below zero, in every entry."""

    positive: frozenset[int]
    nonnegative: frozenset[int]


def known_signs(graph: Snapshot) -> Signs:
    """What members and their operands say; nothing else is found, such as that of x² - 2x + 1."""
    return graph.remember("signs", lambda: _signs(graph))


def _signs(graph: Snapshot) -> Signs:
    positive: set[int] = set()
    nonnegative: set[int] = set()
    changed = True
    while changed:
        changed = False
        for cls, members in graph.members.items():
            if cls not in positive and any(_is_positive(m, positive, nonnegative) for m in members):
                positive.add(cls)
                nonnegative.add(cls)
                changed = True
            elif cls not in nonnegative and any(
                _is_nonnegative(graph, m, nonnegative) for m in members
            ):
                nonnegative.add(cls)
                changed = True
    return Signs(frozenset(positive), frozenset(nonnegative))


def _is_positive(node: ENode, positive: set[int], nonnegative: set[int]) -> bool:
    children = node.children
    match node.constructor:
        case "variable":
            return "positive" in _assumed(node)
        case "constant":
            return cast(Fraction, node.data[0]) > 0
        case "function":
            return node.data[0] == "exp" or (node.data[0] in KEEPING and children[0] in positive)
        case "scale":
            return cast(Fraction, node.data[0]) > 0 and children[0] in positive
        case "power":
            return children[0] in positive
        case "add":
            return nonnegative.issuperset(children) and not positive.isdisjoint(children)
        case "ein" | "ein1":
            # A sum over no entry is zero.
            return positive.issuperset(children) and _sums_nothing(cast(Spec, node.data[0]))
        case _:
            return False


def _is_nonnegative(graph: Snapshot, node: ENode, nonnegative: set[int]) -> bool:
    children = node.children
    match node.constructor:
        case "variable":
            return "nonnegative" in _assumed(node)
        case "constant":
            return node.data[0] == 0
        case "delta" | "size":
            return True
        case "function":
            name = node.data[0]
            return name in NONNEGATIVE or (name in KEEPING and children[0] in nonnegative)
        case "scale":
            return cast(Fraction, node.data[0]) > 0 and children[0] in nonnegative
        case "power":
            return children[0] in nonnegative or _is_even(graph, children[1])
        case "ein":
            first, second, _ = cast(Spec, node.data[0])
            is_square = children[0] == children[1] and first == second
            return is_square or nonnegative.issuperset(children)
        case "add" | "ein1":
            return nonnegative.issuperset(children)
        case _:
            return False


def _assumed(node: ENode) -> tuple[str, ...]:
    return cast(tuple[object, object, tuple[str, ...]], node.data[0])[2]


def _is_even(graph: Snapshot, exponent: int) -> bool:
    """Whether an exponent is an even integer."""
    numbers = [m.data[0] for m in graph.members[exponent] if m.constructor == "constant"]
    return any(cast(Fraction, p) % 2 == 0 for p in numbers)


def _sums_nothing(s: Spec) -> bool:
    return {i for part in s[:-1] for i in part} == set(s[-1])
