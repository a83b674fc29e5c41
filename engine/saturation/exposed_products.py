"""Products with tests whose other factor may be undefined where the test is 0.

Such a product is undefined there, and the choice that it stands for is not.
"""

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.laws.properties import TOTAL
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.functions import Function, record

__all__ = ["exposed_classes"]


def exposed_classes(graph: Snapshot) -> set[int]:
    """The classes with a product of a test, or of what is 0 unless chosen, and a partial factor."""
    masks = {c for c, nodes in graph.members.items() if any(_is_mask(m, graph) for m in nodes)}
    if not masks:
        return set()

    def is_exposed(m: ENode) -> bool:
        if m.constructor != "ein":
            return False
        a, b = m.children
        of_a, of_b = (not graph.knows(c, TOTAL) for c in m.children)
        return (a in masks and of_b) or (b in masks and of_a)

    return {c for c, nodes in graph.members.items() if any(map(is_exposed, nodes))}


def _is_mask(m: ENode, graph: Snapshot) -> bool:
    own = _function(m)
    if own is None or own.name != "where":
        return own is not None and own.is_test
    zeros = graph.members.get(m.children[2], ())
    return any(z.constructor == "constant" and z.data[0] == 0 for z in zeros)


def _function(m: ENode) -> Function | None:
    return record(str(m.data[0])) if m.constructor in FUNCTION_NODES.values() else None
