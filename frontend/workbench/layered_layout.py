"""A layered layout of a directed graph, from left to right (Sugiyama, Tagawa and Toda 1981).

Layers are longest paths from the roots, with edges that close a cycle left out. Within a layer
barycentres of neighbours give the order, and positions that are as near to them as can be.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Layout", "layered"]

Edge = tuple[int, int]
# A place: a node, or where edges to a node pass through a layer that they skip, together.
Place = tuple[int, ...]

GAP = 14.0
PASSAGE = 7.0
BETWEEN = 70.0
SWEEPS = 6


@dataclass(frozen=True)
class Layout:
    """Left upper corners of the nodes, the points between of long edges, and the whole size."""

    corners: Mapping[int, tuple[float, float]]
    bends: Mapping[Edge, Sequence[tuple[float, float]]]
    width: float
    height: float


def layered(
    sizes: Mapping[int, tuple[float, float]], edges: Iterable[Edge], last: Iterable[int] = ()
) -> Layout:
    """Place nodes of some sizes, roots on the left; those of `last` on the right, without edges.

    Edges that lead to the left, and those between nodes that are not there, count for nothing.

    >>> layered({0: (10, 10), 1: (20, 10)}, [(0, 1)]).corners
    {0: (0.0, 0.0), 1: (80.0, 0.0)}
    """
    loose = set(last)
    wanted = dict.fromkeys(
        (a, b) for a, b in edges if a != b and not {a, b} & loose and a in sizes and b in sizes
    )
    below: dict[int, list[int]] = {n: [] for n in sizes}
    for a, b in wanted:
        below[a].append(b)
    layer = _layers(below)
    end = max((layer[n] for n in sizes if n not in loose), default=-1) + 1
    layer |= dict.fromkeys(loose, end)
    forward = [(a, b) for a, b in wanted if layer[a] < layer[b]]
    rows: list[list[Place]] = [[] for _ in range(end + 1)]
    for n in sizes:
        rows[layer[n]].append((n,))
    links: dict[tuple[Place, Place], None] = {}
    for a, b in forward:
        chain: list[Place] = [(a,), *((b, k) for k in range(layer[a] + 1, layer[b])), (b,)]
        for place in chain[1:-1]:
            if place not in rows[place[1]]:
                rows[place[1]].append(place)
        links |= dict.fromkeys(pairwise(chain))
    heights = {p: sizes[p[0]][1] + GAP if len(p) == 1 else PASSAGE for row in rows for p in row}
    middles = _arranged(rows, list(links), heights)
    # A passage is a line: it has no height of its own.
    halves = {p: max(0.0, heights[p] - GAP) / 2 for p in middles}
    top = min((middles[p] - halves[p] for p in middles), default=0.0)
    widths = [max((sizes[p[0]][0] for p in row if len(p) == 1), default=0.0) for row in rows]
    lefts = [sum(widths[:k]) + BETWEEN * k for k in range(len(rows))]
    corners = {n: (lefts[layer[n]], middles[n,] - sizes[n][1] / 2 - top) for n in sizes}
    bends = {
        (a, b): [
            (lefts[k] + widths[k] * share, middles[b, k] - top)
            for k in range(layer[a] + 1, layer[b])
            for share in (0, 1)
        ]
        for a, b in forward
    }
    height = max((middles[p] + halves[p] for p in middles), default=0.0) - top
    return Layout(corners, bends, sum(widths) + BETWEEN * max(0, len(rows) - 1), height)


def _layers(below: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The longest path to each node, edges back to a node above it left out."""
    order: list[int] = []
    backward: set[Edge] = set()
    state: dict[int, bool] = {}
    for start in below:
        stack: list[tuple[int, Iterator[int]]] = []
        if start not in state:
            state[start] = False
            stack.append((start, iter(below[start])))
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                state[node] = True
                order.append(node)
                stack.pop()
            elif child not in state:
                state[child] = False
                stack.append((child, iter(below[child])))
            elif not state[child]:
                backward.add((node, child))
    layer = dict.fromkeys(below, 0)
    for node in reversed(order):
        for child in below[node]:
            if (node, child) not in backward:
                layer[child] = max(layer[child], layer[node] + 1)
    return layer


def _arranged(
    rows: list[list[Place]], links: Sequence[tuple[Place, Place]], heights: Mapping[Place, float]
) -> dict[Place, float]:
    """The middle of every place, after sweeps from both sides."""
    left: dict[Place, list[Place]] = {}
    right: dict[Place, list[Place]] = {}
    for a, b in links:
        right.setdefault(a, []).append(b)
        left.setdefault(b, []).append(a)
    middles: dict[Place, float] = {}
    for row in rows:
        middles |= _spread([0.0] * len(row), row, heights)
    for sweep in range(SWEEPS):
        both = sweep >= SWEEPS - 2
        onward = sweep % 2 == 0
        for row in rows if onward else reversed(rows):
            wish: dict[Place, float] = {}
            for place in row:
                near = left.get(place, []) if onward else right.get(place, [])
                if both:
                    near = left.get(place, []) + right.get(place, [])
                found = [middles[p] for p in near]
                wish[place] = sum(found) / len(found) if found else middles[place]
            if not both:
                row.sort(key=lambda p: wish[p])
            middles |= _spread([wish[p] for p in row], row, heights)
    return middles


def _spread(
    wish: Sequence[float], row: Sequence[Place], heights: Mapping[Place, float]
) -> dict[Place, float]:
    """Places in this order, without overlap, as near to where they wish to be as can be.

    Pooling of adjacent violators: places that would overlap move as one block.
    """
    offsets: list[float] = []
    at = 0.0
    for place in row:
        at += heights[place] / 2
        offsets.append(at)
        at += heights[place] / 2
    blocks: list[tuple[float, int]] = []
    for target, offset in zip(wish, offsets, strict=True):
        total, count = target - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            more, others = blocks.pop()
            total, count = total + more, count + others
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    return {p: s + o for p, s, o in zip(row, starts, offsets, strict=True)}
