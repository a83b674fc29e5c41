"""Sums as linear forms: rational multiples of classes that are no sums themselves."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from eggrad.engine.extraction.snapshot import ENode, Snapshot

__all__ = ["LinearForm", "linear_forms"]

LinearForm = dict[int, Fraction]

# Where every sum is taken apart, and where a sum is only with the one that uses it.
MAX_TERMS = 64
MAX_TERMS_OF_WHOLE = 10_000
# In terms of at most this many classes every sum is taken apart.
SMALL = 60
SUMS = ("add", "subtract", "negate", "scale")


def linear_forms(graph: Snapshot, cls: int) -> list[tuple[LinearForm, int]]:
    """The distinct linear forms of a class's sums, each with the number of terms it collects.

    First as it stands; then with terms taken apart whose cheapest member is a sum; then with all
    terms taken apart that have a sum as a member. In a large term a sum that is a part of another
    one has none: what is to be found there is found in the whole.
    """
    return graph.remember(("linear forms", cls), lambda: list(_forms(graph, cls)))


def _forms(graph: Snapshot, cls: int) -> Iterator[tuple[LinearForm, int]]:
    seen: set[frozenset[tuple[int, Fraction]]] = set()
    if cls in graph.remember("parts of sums", lambda: _parts_of_sums(graph)):
        return
    for member in graph.members[cls]:
        if member.constructor in ("add", "subtract") and not member.retired:
            for expand in (_never, _cheapest, _any):
                found = _flatten(graph, cls, member, expand)
                if found is not None:
                    key = frozenset(found[0].items())
                    if key not in seen:
                        seen.add(key)
                        yield found


def _never(graph: Snapshot, cls: int) -> ENode | None:
    return None


def _cheapest(graph: Snapshot, cls: int) -> ENode | None:
    node = graph.choice[cls]
    return node if node.constructor in SUMS and _may_open(graph, cls) else None


def _any(graph: Snapshot, cls: int) -> ENode | None:
    if not _may_open(graph, cls):
        return None
    members = [m for m in graph.members[cls] if m.constructor in SUMS and not m.retired]
    sums = [m for m in members if m.constructor in ("add", "subtract")]
    return (sums or members or [None])[0]


def _may_open(graph: Snapshot, cls: int) -> bool:
    """Whether a sum may be taken apart into the sum that uses it.

    In a large term only one that nothing else uses: else every sum of a chain of sums would be as
    long as the chain.
    """
    return len(graph.users) <= SMALL or graph.users.get(cls, 0) <= 1


def _parts_of_sums(graph: Snapshot) -> set[int]:
    """In a large term the sums that nothing but another sum uses, of which they are a part."""
    if len(graph.users) <= SMALL:
        return set()
    return {
        child
        for c in graph.users
        if graph.choice[c].constructor in SUMS
        for child in graph.choice[c].children
        if graph.users.get(child, 0) == 1 and graph.choice[child].constructor in SUMS
    }


def _flatten(
    graph: Snapshot, cls: int, member: ENode, expand: Callable[[Snapshot, int], ENode | None]
) -> tuple[LinearForm, int] | None:
    """The linear form of one member; None where a class contains itself or the form is long."""
    form: LinearForm = {}
    leaves = 0
    most = MAX_TERMS if len(graph.users) <= SMALL else MAX_TERMS_OF_WHOLE
    stack: list[tuple[int, Fraction, ENode | None, tuple[int, ...]]] = [
        (cls, Fraction(1), member, ())
    ]
    while stack:
        c, k, node, above = stack.pop()
        if node is None or c in above or leaves + len(stack) > most:
            form[c] = form.get(c, Fraction(0)) + k
            leaves += 1
            continue
        inside = (*above, c)
        if node.constructor == "scale":
            signs = [k * node.value]
        elif node.constructor == "negate":
            signs = [-k]
        else:
            signs = [k, k if node.constructor == "add" else -k]
        for child, sign in reversed(list(zip(node.children, signs, strict=True))):
            stack.append((child, sign, expand(graph, child), inside))
    if cls in form:
        return None
    return {c: k for c, k in form.items() if k}, leaves
