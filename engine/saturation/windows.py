"""Large terms in parts: what is near each other is looked at together, and what is alike once.

The nodes of a term, operands first, are cut into windows. Each is looked at with its operands
opened a few levels deep; what is deeper is a variable there. Where a window ends depends on the
nodes around alone, so that the steps of a loop that was unrolled have the same windows, and windows
that differ in names alone are one. So rules work on shallow terms, however deep a term is, and the
work grows with what is different in it. What another window computes has a name that costs nothing,
unless it may overflow.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Final
from zlib import crc32

from eggrad.engine.terms.assumptions import COMPUTED
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, postorder, rebuild, variable

# From terms, and names of terms that are computed elsewhere, equal terms.
Search = Callable[[Sequence[Term], Mapping[Term, Term]], Sequence[Term]]

# Terms of so many nodes are looked at whole.
WHOLE: Final = 64
# A window ends after so many nodes: at the least, at the most, and in the mean beyond the least.
LEAST, MOST, MEAN = 24, 64, 12
# What overflows, and operations that it overflows through.
_GROWING: Final = frozenset(f.name for f in FUNCTIONS.values() if f.grows)
_ARITHMETIC: Final = frozenset({"add", "subtract", "negate", "divide", "power", "einsum", "where"})
# How deep the operands of a window are opened, and those that may overflow.
DEPTH: Final = 2
DEPTH_OF_LARGE: Final = 4
# A number with a larger denominator is no number that laws know of; of so many not even the sign
# is kept, for they are data.
_ARBITRARY: Final = 1 << 20
_DATA: Final = 16


def in_windows(roots: Sequence[Term], search: Search) -> tuple[Term, ...]:
    """Terms equal to some roots, by a search that gives terms equal to those of all windows.

    >>> from eggrad.engine.terms.term import add, apply
    >>> looked_at = []
    >>> x = variable("x")
    >>> for _ in range(1000):
    ...     x = apply("sin", add(x, x))
    >>> (found,) = in_windows([x], lambda terms, names: looked_at.extend(terms) or terms)
    >>> found is x, len(looked_at) < 9
    (True, True)
    """
    nodes = [t for t in postorder(*roots) if t.args]
    if len(nodes) <= WHOLE:
        return tuple(search(roots, {}))
    large = _large(nodes)
    windows = [_Window(part, large) for part in _cut(nodes)]
    needed = {*roots}.union(*(window.needed for window in windows))
    names: dict[Term, Term] = {}
    numbers = {a for t in nodes for a in t.args if _is_arbitrary(a)}
    data = numbers if len(numbers) > _DATA else set[Term]()
    for window in windows:
        window.rename(needed, names, data, large)
    wanted = [*dict.fromkeys(t for window in windows for t in window.renamed)]
    known = dict(zip(wanted, search(wanted, names), strict=True))
    meanings = {name: t for t, name in names.items()}
    done: dict[Term, Term] = {}
    for window in windows:
        window.replace(known, meanings, done)
    return tuple(done.get(r, r) for r in roots)


def _large(nodes: Sequence[Term]) -> set[Term]:
    """What may overflow or vanish where a quotient or a logarithm of it does not.

    It has no name: a quotient of it would be taken for nothing, and no stable form found.
    """
    found = set[Term]()
    for t in nodes:
        if t.op in _GROWING or (t.op in _ARITHMETIC and not found.isdisjoint(t.args)):
            found.add(t)
    return found


def _cut(nodes: Sequence[Term]) -> Iterator[list[Term]]:
    """The nodes of each window."""
    window = list[Term]()
    for k, t in enumerate(nodes, 1):
        window.append(t)
        ends = len(window) >= LEAST and _mark(t) % MEAN == 0
        if ends or len(window) >= MOST or k == len(nodes):
            yield window
            window = []


def _mark(t: Term) -> int:
    """A number that depends on what a node and its operands do, and not on names."""
    data = t.spec if t.op == "einsum" else None
    signature = t.op, data, t.dims, [(a.op, a.dims, [b.op for b in a.args]) for a in t.args]
    return crc32(repr(signature).encode())


class _Window:
    """Some nodes of a term, and operands of theirs, a few levels deep.

    What may overflow is opened deeper, down to what does not if that is near.
    """

    def __init__(self, nodes: Sequence[Term], large: Collection[Term]) -> None:
        self._nodes, inside = nodes, {*nodes}
        self._opened, level = {*nodes}, {*nodes}
        for depth in range(DEPTH_OF_LARGE):
            level = {a for t in level for a in t.args if a.args} - self._opened
            if depth >= DEPTH:
                level.intersection_update(large)
            self._opened |= level
        self.needed = {a for t in self._opened for a in t.args if a.args} - inside
        """What other windows have to say what it is equal to."""

    def rename(
        self,
        needed: Collection[Term],
        names: dict[Term, Term],
        data: Collection[Term],
        large: Collection[Term],
    ) -> None:
        """Call what is not opened by numbers; what is outside and opened gets a name."""
        self._outputs = [t for t in self._nodes if t in needed]
        exponents = {t.args[1] for t in self._opened if t.op == "power"}
        opened, renamed, numbers = self._opened, dict[Term, Term](), count()
        for t in postorder(*self._outputs, operands=lambda t: t.args if t in opened else ()):
            if t in opened:
                renamed[t] = rebuild(t, tuple(renamed[a] for a in t.args))
                if t in self.needed and t not in large:
                    names.setdefault(renamed[t], variable(f"={len(names)}", t.dims, [COMPUTED]))
            elif t.args or t.op == "variable" or (_is_arbitrary(t) and t not in exponents):
                words = [COMPUTED] if t in data else _words(t)
                renamed[t] = variable(f"#{next(numbers)}", t.dims, words)
            else:
                renamed[t] = t
        self.renamed = [renamed[t] for t in self._outputs]
        """What has to be found, by these names."""
        inside = {*self._nodes}
        self._meanings = {n: t for t, n in renamed.items() if t not in inside}
        self._meanings |= {names[n]: t for n, t in self._meanings.items() if n in names}

    def replace(
        self, known: Mapping[Term, Term], meanings: Mapping[Term, Term], done: dict[Term, Term]
    ) -> None:
        """Say what the nodes are that others need, given what is `done` of those before.

        A name of another window's has its meaning, by the names of this one.
        """

        def operands(t: Term) -> Sequence[Term]:
            if t in self._meanings:
                return ()
            return [meanings[t]] if t in meanings else t.args

        def is_strange(t: Term) -> bool:
            return t.op == "variable" and t not in self._meanings and t not in meanings

        # What is the same for all values of a variable may have one that only other windows have.
        pairs = ((n, known[n]) for n in self.renamed)
        found = [
            n if any(map(is_strange, postorder(f, operands=operands))) else f for n, f in pairs
        ]
        restored: dict[Term, Term] = {}
        for t in postorder(*found, operands=operands):
            outside = self._meanings.get(t)
            if outside is not None:
                restored[t] = done.get(outside, outside)
            elif t in meanings:
                restored[t] = restored[meanings[t]]
            else:
                restored[t] = rebuild(t, tuple(restored[a] for a in t.args)) if t.args else t
        done.update((t, restored[f]) for t, f in zip(self._outputs, found, strict=True))


def _is_arbitrary(t: Term) -> bool:
    return t.op == "constant" and t.value.denominator > _ARBITRARY


def _words(t: Term) -> Sequence[str]:
    """What is declared of the variable for a term."""
    if t.op == "variable":
        return t.assumed
    if t.op == "constant":
        return ["positive" if t.value > 0 else "negative"]
    return [COMPUTED]
