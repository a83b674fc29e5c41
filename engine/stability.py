"""Which members of an e-graph's classes lose no digits, so that code is generated from those.

What a rule vouches for, and the operations that only lowered terms have, are *stable*. Exact
values are variables and numbers. Products, quotients and powers keep digits, sums may cancel,
and `exp` and `log` may overflow or round what the next operation needs. A class that has a member
built from stable and exact ones alone is never evaluated in any other way. Among the rest the
fewest exponentials win, for one may overflow where another would have cancelled it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from eggrad.engine.extract import cheapest_trees

__all__ = ["stable_members"]

EXACT: Final = frozenset({"variable", "constant", "delta", "size"})
LOSSY: Final = frozenset({"add", "subtract"})
LOSSY_FUNCTIONS: Final = frozenset({"exp", "log"})
# A relative error of the argument is not larger in the value.
DAMPING: Final = frozenset({"tanh", "arctan"})
# What may overflow where a factor would have made the product moderate.
UNBOUNDED: Final = frozenset({"exp", "expm1", "sinh"})

# These are faster than what they replace, not more accurate: the cost decides.
FASTER: Final = frozenset({"solve", "symmetric_product", "cholesky", "inverse_from_cholesky"})

# The logarithm of a sum near 1 has lost what the shift by a constant has rounded away.
NEARLY_STABLE: Final = frozenset({"logaddexp"})

# How a member was built: from something unknown, from exact values, or with a stable operation.
UNKNOWN, KEPT, NEARLY, STABLE = range(4)


class Member(Protocol):
    """What this needs to know of an e-node."""

    @property
    def constructor(self) -> str:
        """Its constructor."""
        ...

    @property
    def data(self) -> tuple[Any, ...]:
        """What else identifies it."""
        ...

    @property
    def children(self) -> tuple[int, ...]:
        """The classes of its operands."""
        ...

    @property
    def stable(self) -> bool:
        """Whether a rule vouches for it."""
        ...


M = TypeVar("M", bound=Member)


def stable_members(members: Mapping[int, Sequence[M]]) -> dict[int, list[M]]:
    """The members that code may be generated from; every class with a finite tree keeps one."""
    lengths = frozenset(c for c, nodes in members.items() if any(map(_is_length, nodes)))
    levels = _levels(members, lengths)
    kept = {cls: list(nodes) for cls, nodes in members.items()}
    if max(levels.values(), default=UNKNOWN) < NEARLY:
        return kept
    for cls, nodes in kept.items():
        if levels[cls] >= NEARLY:
            kept[cls] = [m for m in nodes if _is_preferred(m, levels, levels[cls], lengths)]
    # A stable member whose operands only it can make would leave its class empty.
    for cls in kept.keys() - cheapest_trees(kept, _exponentials)[1].keys():
        kept[cls] = list(members[cls])
    fewest = cheapest_trees(kept, _exponentials)[1]
    for cls, nodes in kept.items():
        if cls in fewest:
            kept[cls] = [m for m in nodes if _count(m, fewest) == fewest[cls]]
    return kept


def _is_length(member: Member) -> bool:
    return member.constructor in ("numeric", "numeric2") and member.data[0] in ("norm", "hypot")


def _levels(members: Mapping[int, Sequence[Member]], lengths: frozenset[int]) -> dict[int, int]:
    """The best level among the members of each class: the least fixed point."""
    users: dict[int, list[int]] = {}
    for cls, nodes in members.items():
        for child in {c for m in nodes for c in m.children}:
            users.setdefault(child, []).append(cls)
    levels = dict.fromkeys(members, UNKNOWN)
    waiting = dict.fromkeys(members)
    while waiting:
        cls, _ = waiting.popitem()
        best = max(_level(m, levels, lengths) for m in members[cls])
        if best > levels[cls]:
            levels[cls] = best
            waiting.update(dict.fromkeys(users.get(cls, ())))
    return levels


def _level(member: Member, levels: Mapping[int, int], lengths: frozenset[int]) -> int:
    if member.stable or _is_numeric(member):
        nearly = bool(member.data) and member.data[0] in NEARLY_STABLE
        return NEARLY if nearly else STABLE
    if member.constructor in EXACT:
        return KEPT
    if member.constructor == "function" and member.data[0] in DAMPING:
        return KEPT
    lossy = member.constructor == "function" and member.data[0] in LOSSY_FUNCTIONS
    if lossy or member.constructor in LOSSY or not member.children:
        return UNKNOWN
    joined = _joined(levels.get(c, UNKNOWN) for c in member.children)
    # The square of a length may overflow where the length does not.
    power_of_length = member.constructor == "power" and member.children[0] in lengths
    return min(joined, NEARLY) if power_of_length else joined


def _is_preferred(
    member: Member, levels: Mapping[int, int], best: int, lengths: frozenset[int]
) -> bool:
    """Whether a member may stand beside the best ones: it is one, exact, or a plain function."""
    level = _level(member, levels, lengths)
    plain = member.constructor == "function" or member.constructor in EXACT
    return level == best or (level == KEPT and plain)


def _is_numeric(member: Member) -> bool:
    return member.constructor in ("numeric", "numeric2") and member.data[0] not in FASTER


def _joined(levels: Iterable[int]) -> int:
    found = set(levels)
    return UNKNOWN if UNKNOWN in found else NEARLY if NEARLY in found else max(found)


def _exponentials(_: int, member: Member) -> int:
    named = member.constructor in ("function", "numeric")
    return int(named and member.data[0] in UNBOUNDED)


def _count(member: Member, fewest: Mapping[int, int]) -> int | None:
    if any(c not in fewest for c in member.children):
        return None
    return _exponentials(0, member) + sum(fewest[c] for c in member.children)
