"""The audit: every member of every class has the same value, by the oracle."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eggrad.engine import oracle
from eggrad.engine.binding import Array
from eggrad.engine.snapshot import ENode, Snapshot
from eggrad.engine.term import Term

__all__ = ["audit"]


def audit(
    graph: Snapshot,
    values: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
    tolerance: float = 1e-6,
) -> list[tuple[int, ENode]]:
    """The members that disagree with the cheapest term of their class.

    An entry counts where both are finite, for a rule may lead from an undefined side to a
    defined one. Members with operands that no term stands for are left out.
    """
    known = set(graph.classes)
    found: list[tuple[int, ENode]] = []
    pairs: list[Term] = []
    for cls in graph.classes:
        for member in graph.members[cls]:
            if known.issuperset(member.children):
                args = tuple(graph.term(c) for c in member.children)
                found.append((cls, member))
                pairs += [graph.term(cls), graph.as_term(member, args)]
    results = oracle.evaluate(pairs, values, sizes)
    both = zip(found, results[::2], results[1::2], strict=True)
    return [place for place, left, right in both if not _agree(left, right, tolerance)]


def _agree(left: Array, right: Array, tolerance: float) -> bool:
    if left.shape != right.shape:
        return False
    finite = np.isfinite(left) & np.isfinite(right)
    scale = 1 + np.max(np.abs(left[finite]), initial=0.0)
    return bool(np.all(np.abs(left[finite] - right[finite]) <= tolerance * scale))
