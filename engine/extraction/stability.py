"""Which e-nodes of an e-graph's e-classes lose no digits, so that code is generated from those.

What a rule vouches for, and the operations that only lowered terms have, are *stable*. Exact
values are variables and numbers. Products, quotients and powers keep digits, sums may cancel,
and `exp` and `log` may overflow or round what the next operation needs. An e-class that has an
e-node built from stable and exact ones alone is never evaluated in any other way. Among the rest
the fewest exponentials win, each counted once, for one may overflow where another would have
cancelled it.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.extraction.enodes import ENode
from eggrad.engine.extraction.extract import cheapest_by
from eggrad.engine.terms.assumptions import COMPUTED
from eggrad.engine.terms.functions import FUNCTIONS, record
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import FOR_DIGITS, FOR_TIME
from eggrad.engine.terms.term import FUNCTION_NODES, LEAVES

LOSSY: Final = frozenset({"add", "subtract"})

# These are faster than what they replace, not more accurate: the cost decides.
FASTER: Final = frozenset((*STACK_FUNCTIONS, *FOR_TIME))

# The logarithm of a sum near 1 has lost what the shift by a constant has rounded away, and that of
# 1 + a what a has rounded away near -1. The difference of large numbers has lost what their
# rounding took, as x - log Σ exp x has; so may have any sum that a rule vouches for.
NEARLY_STABLE: Final = frozenset({"exp_difference", "logaddexp", "log1p"})

# How an e-node was built: from something unknown, from exact values, from what may overflow though
# it does not itself, or with a stable operation.
UNKNOWN, KEPT, GROWING, NEARLY, STABLE = range(5)


_APPLIED: Final = ("function", "numeric")
# What goes to 0 as exponentials do, and what else is no larger than 1.
SMALL: Final = frozenset({"exp_difference", "sigmoid", "softmax"})
BOUNDED: Final = SMALL | {f.name for f in FUNCTIONS.values() if f.is_within_one}
_GROWS_WITH: Final = ("scale", "negate", "add", "subtract", "ein", "ein1", "power")


def stable_members(members: Mapping[int, Sequence[ENode]]) -> dict[int, list[ENode]]:
    """The e-nodes that code may be generated from; every e-class with a finite tree keeps one."""
    levels = _Levels(members)
    kept = {cls: levels.best(nodes, cls) for cls, nodes in members.items()}
    if not levels.any_stable:
        return kept
    # A stable e-node whose operands only it can make would leave its e-class empty.
    for cls in kept.keys() - _risks(kept, levels.growth).keys():
        kept[cls] = list(members[cls])
    risks = _risks(kept, levels.growth)
    for cls, nodes in kept.items():
        if cls in risks:
            able = [m for m in nodes if all(c in risks for c in m.children)]
            counts = [levels.growth.risks(cls, m, risks).bit_count() for m in able]
            least = min(counts)
            kept[cls] = [m for m, r in zip(able, counts, strict=True) if r == least]
    return kept


def _risks(members: Mapping[int, Sequence[ENode]], growth: "_Growth") -> dict[int, int]:
    """For every e-class with a finite tree few risks that it can be computed with.

    A set of e-classes is a number, with a bit for each; what is computed once is one risk.
    """

    def worth(cls: int, m: ENode, known: Mapping[int, int]) -> tuple[int, int]:
        risks = growth.risks(cls, m, known)
        return risks.bit_count(), risks

    return cheapest_by(members, worth)[1]


class _Growth:
    """Which e-classes have values that overflow for moderate arguments, as exponentials do."""

    def __init__(
        self, members: Mapping[int, Sequence[ENode]], numbers: Mapping[int, Fraction]
    ) -> None:
        self._numbers = numbers
        self._small = {
            cls for cls, nodes in members.items() if any(_is_one_of(m, SMALL) for m in nodes)
        }
        self._grows: set[int] = set()
        self._shrinks: set[int] = set()
        users: dict[int, list[tuple[int, ENode]]] = {}
        waiting: list[int] = []
        for cls, nodes in members.items():
            if any(map(_is_growing, nodes)):
                self._grows.add(cls)
                waiting.append(cls)
            elif not any(_is_one_of(m, BOUNDED) for m in nodes):
                for m in nodes:
                    for child in m.children if m.constructor in _GROWS_WITH else ():
                        users.setdefault(child, []).append((cls, m))
        while waiting:
            for cls, m in users.get(waiting.pop(), ()):
                marked = self._shrinks if self._is_inverse(m) else self._grows
                if cls not in marked and not self.may_overflow(m):
                    marked.add(cls)
                    waiting.append(cls)

    def risks(self, cls: int, m: ENode, known: Mapping[int, int]) -> int:
        """The risks of an e-node of an e-class and those of its operands."""
        found = (self._risk(m) or self._names_what_grows(cls, m)) << cls
        for c in m.children:
            found |= known[c]
        return found

    def _risk(self, m: ENode) -> int:
        """1 for an exponential that may overflow, and for what divides by what may be 0."""
        if _is_growing(m):
            return int(not FUNCTIONS[m.data[0]].may_grow)
        if m.constructor == "divide":
            return int(m.children[1] in self._small)
        divides = m.constructor == "power" and self._numbers.get(m.children[1], 0) < 0
        return int(divides and m.children[0] in self._small)

    def _names_what_grows(self, cls: int, m: ENode) -> int:
        """1 for a name of what somebody else computes, if that is at risk."""
        named = m.constructor == "variable" and COMPUTED in m.data[0][2]
        return int(named and cls in self._grows)

    def _is_inverse(self, m: ENode) -> bool:
        if m.constructor == "power":
            return m.children[0] in self._grows and self._numbers.get(m.children[1], 0) < 0
        return m.constructor == "ein" and not any(c in self._grows for c in m.children)

    def _vanishes(self, cls: int) -> bool:
        return cls in self._shrinks or cls in self._small

    def may_overflow(self, m: ENode) -> bool:
        """Whether an e-node divides by what grows as it does, or takes the logarithm."""
        if m.constructor in ("ein", "divide"):
            first, second = m.children
            if m.constructor == "divide":
                return first in self._grows and second in self._grows
            return (first in self._grows and self._vanishes(second)) or (
                second in self._grows and self._vanishes(first)
            )
        return m.constructor in _APPLIED and m.data[0] in ("log", "log1mexp", "log1p") and (
            m.children[0] in self._grows
        )  # fmt: skip


class _Levels:
    """The best level among the e-nodes of each e-class: the least fixed point."""

    def __init__(self, members: Mapping[int, Sequence[ENode]]) -> None:
        self._lengths = {c for c, nodes in members.items() if any(map(_is_length, nodes))}
        self._numbers = {
            c: m.value for c, nodes in members.items() for m in nodes if m.constructor == "constant"
        }
        self.growth = _Growth(members, self._numbers)
        self._of = dict.fromkeys(members, UNKNOWN)
        users: dict[int, list[int]] = {}
        for cls, nodes in members.items():
            for child in {c for m in nodes for c in m.children}:
                users.setdefault(child, []).append(cls)
        waiting = dict.fromkeys(members)
        while waiting:
            cls, _ = waiting.popitem()
            best = max(map(self._level, members[cls]))
            if best > self._of[cls]:
                self._of[cls] = best
                waiting.update(dict.fromkeys(users.get(cls, ())))

    @property
    def any_stable(self) -> bool:
        """Whether there is an e-class with an e-node that a rule vouches for."""
        return max(self._of.values(), default=UNKNOWN) >= GROWING

    def best(self, nodes: Sequence[ENode], cls: int) -> list[ENode]:
        """The e-nodes at the level of their e-class, exact ones, and plain functions of those."""
        level = self._of[cls]
        if level < GROWING:
            return list(nodes)
        levels = [(m, self._level(m)) for m in nodes]
        return [m for m, n in levels if n == level or (n == KEPT and _is_plain(m))]

    def _level(self, member: ENode) -> int:
        if not member.stable and self.growth.may_overflow(member):
            return GROWING if _is_numeric(member) else UNKNOWN
        if member.stable or _is_numeric(member):
            nearly = bool(member.data) and member.data[0] in NEARLY_STABLE
            return NEARLY if nearly or member.constructor in LOSSY else STABLE
        if member.constructor in LEAVES:
            return KEPT
        if member.constructor == "function" and record(member.data[0]).damping:
            return KEPT
        lossy = member.constructor == "function" and record(member.data[0]).lossy
        if lossy or member.constructor in LOSSY or not member.children:
            return UNKNOWN
        joined = _joined(self._of.get(c, UNKNOWN) for c in member.children)
        return min(joined, NEARLY) if self._is_power_of_length(member) else joined

    def _is_power_of_length(self, member: ENode) -> bool:
        """Whether it may overflow where the length does not."""
        if member.constructor != "power":
            return False
        base, exponent = member.children
        return base in self._lengths and abs(self._numbers.get(exponent, 0)) > 1


def is_vouched(member: ENode) -> bool:
    """Whether a rule vouches for an e-node, or it is one of the operations that lose no digits."""
    return member.stable or member.operation in FOR_DIGITS


def _is_length(member: ENode) -> bool:
    return member.operation in ("norm", "hypot")


def _is_plain(member: ENode) -> bool:
    return member.constructor in FUNCTION_NODES.values() or member.constructor in LEAVES


def _is_numeric(member: ENode) -> bool:
    return bool(member.operation) and member.operation not in FASTER


def _joined(levels: Iterable[int]) -> int:
    found = set(levels)
    lowest = (level for level in (UNKNOWN, GROWING, NEARLY) if level in found)
    return next(lowest, max(found))


def _is_one_of(member: ENode, names: frozenset[str]) -> bool:
    return member.constructor in (*_APPLIED, "numeric2") and member.data[0] in names


def _is_growing(member: ENode) -> bool:
    known = FUNCTIONS.get(member.data[0]) if member.constructor in _APPLIED else None
    return known is not None and known.grows
