"""What is asked for of an e-graph: derivatives and adjoints as e-nodes, before any rule runs.

Cotangents belong to places of a term, never to e-classes: in `a + 3b`, where a = b may be found
later, they are 1 and 3. So the adjoint of a node is stated as the sum of what its uses pass on
(thesis, equation 4.1), and each of these is an e-node: what an operation of such operands passes
on to one of them. Laws say what it is. A whole loop is one operation, whose law makes a loop.

Where something is differentiated by a place of a term, a *seed* stands there: a leaf of which no
law knows anything. It becomes what it stands for when all derivatives are known.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, cast

from eggrad.engine.egraph.compile_rules import NAMED
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.extraction.snapshot import Row, Snapshot
from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.language import SLOPE_NODES, pullback_node
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.loops import Recurrence, recurrence_of
from eggrad.engine.terms.term import Part, Term, parts_as_written, postorder, variables


@dataclass(frozen=True)
class Loops:
    """The laws on loops, by their names, and how what they make is simplified: each by itself."""

    derive: Callable[..., Any]
    simplify: Callable[[Sequence[Term]], Sequence[Term]]


By = tuple[object, Dims]
"""What is differentiated by: a variable's name, or what no variable is called, and the axes."""


class Derivation:
    """Some terms in an e-graph, and what is asked for of them; some places of them are seeds."""

    def __init__(
        self, egraph: EGraph, loops: Loops, roots: Iterable[Term], places: Iterable[Term] = ()
    ) -> None:
        """Load terms, with seeds in some places."""
        self._egraph = egraph
        self._loops = loops
        # The e-graph has the keys of their steps alone.
        self.made: list[Term] = []
        # Seeds with what they stand for, and what was asked for with how to do without its law.
        self._seeds: dict[str, Term | str] = {}
        # Not by bound methods: in a cycle, what egglog has might be dropped by another thread.
        self._asked: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {}
        # Names of what is one, found in several ways.
        self.alike: list[list[str]] = []
        self._segments: list[Derivation] = []
        self._given = {t: self._seed(t.dims, t) for t in places}
        self._names = egraph.load(*roots, given=self._given)
        self._taken = {v.name for v in variables(*roots)}

    def name(self, t: Term) -> str:
        """The name of a term's e-class, seeds in its places."""
        return self._names[t]

    def _seed(self, dims: Dims, stands_for: Term | str) -> str:
        name = self._egraph.add_seed(dims)
        self._seeds[name] = stands_for
        return name

    def _operands(self, t: Term) -> Sequence[Term]:
        """The operands of a term, none of those behind a seed."""
        return () if t in self._given else t.args

    @property
    def _every(self) -> tuple["Derivation", ...]:
        """What is asked of the whole, and of the segments between cuts."""
        return (self, *self._segments)

    def close(self) -> bool:
        """Let seeds be what they stand for, when laws have said all; whether there are any."""
        self._egraph.end_differentiating()
        every = {seed: meaning for q in self._every for seed, meaning in q._seeds.items()}
        for seed, meaning in every.items():
            name = meaning if isinstance(meaning, str) else self._egraph.load(meaning)[meaning]
            self._egraph.unite_names(name, seed)
        return bool(every)

    def seeds(self, classes: Mapping[str, int]) -> set[int]:
        """The e-classes of seeds."""
        return {classes[name] for q in self._every for name in q._seeds}

    def transpose(self, unknown: Iterable[str]) -> bool:
        """Ask by transposition for what no law has said; whether there is any, the first time."""
        names = set(unknown)
        found = False
        for q in self._every:
            for name in [name for name in q._asked if name in names]:
                make, arguments = q._asked.pop(name)
                make(q, *arguments)
                found = True
        return found

    def pushed(
        self, roots: Sequence[Term], wrt: By, tangents: Mapping[Term, str] | None = None
    ) -> list[str]:
        """The names of derivatives, given those of seeds: axes of a root, then those of `wrt`."""
        given = tangents or {}
        self._egraph.occur({"derivative", *SLOPE_NODES.values()})
        found: dict[Term, str] = {}
        loops: dict[Recurrence, Recurrence] = {}
        reached = {*given} or {t for t in postorder(*roots) if _is(t, wrt)}
        for t in postorder(*roots, operands=self._operands):
            if any(a in reached for a in self._operands(t)):
                reached.add(t)
            dims = t.dims + wrt[1]
            found[t] = name = self._egraph.add("derivative", (self._names[t], wrt), dims)
            if t.args:
                self._asked[name] = Derivation._by_pullbacks, (t, wrt, found, reached)
            if t in given:
                self._egraph.unite_names(name, given[t])
            elif t.op == "scan" and t not in reached:
                self._egraph.unite_names(name, self._total([], dims))
            elif t.op == "scan":
                self._egraph.unite_names(name, self._pushed_loop(t, wrt, found, reached, loops))
        return [found[r] for r in roots]

    def through_cuts(self, root: Term, x: Term, cuts: Sequence[Term]) -> str:
        """The name of the derivative as a product of those between cuts, each by both modes.

        Cuts are nodes through which all ways from the root to the variable lead, the lowest first.
        """
        whole, top = "", x
        for bottom, top in pairwise([x, *cuts, root]):
            segment = Derivation(self._egraph, self._loops, [top], [bottom])
            self._segments.append(segment)
            one, other = (self.one(t.dims) for t in (bottom, top))
            wrt = ("cut", len(self._segments)), bottom.dims
            forward = segment.pushed([top], wrt, {bottom: one})[0]
            reverse = segment.pulled([(top, other)], [bottom], top.dims)[0]
            self.alike.append([forward, reverse])
            if whole:
                whole = self._product(forward, top.dims, bottom.dims, whole, x.dims)
            whole = whole or forward
        return whole

    def one(self, dims: Dims) -> str:
        """The name of the identity on some axes."""
        one = terms.delta(dims) if dims else terms.constant(1)
        return self._egraph.load(one)[one]

    def _by_pullbacks(
        self, t: Term, wrt: By, found: Mapping[Term, str], reached: Collection[Term]
    ) -> None:
        """A derivative is the sum of what a node passes on of the cotangent δ, times its own."""
        cotangent = self.one(t.dims)
        summands: list[str] = []
        for k, a in enumerate(t.args):
            if a in reached:
                jacobian = self._passed_on(t, k, cotangent, t.dims)
                summands.append(self._product(jacobian, t.dims, a.dims, found[a], wrt[1]))
        self._egraph.unite_names(found[t], self._total(summands[::-1], t.dims + wrt[1]))

    def _by_derivative(self, t: Term, place: int, adjoint: str, lead: Dims, name: str) -> None:
        """What a node passes on is its cotangent times its derivative, seeds in all operands."""
        constructor, data, operands = parts_as_written(t)
        wrt = ("operand", place, name), operands[place].dims
        seeds = [self._seed(a.dims, self._names[a]) for a in operands]
        for k, (a, seed) in enumerate(zip(operands, seeds, strict=True)):
            dims = a.dims + wrt[1]
            tangent = self._egraph.add("derivative", (seed, wrt), dims)
            value = self.one(a.dims) if k == place else self._total([], dims)
            self._egraph.unite_names(tangent, value)
        node = self._egraph.add(constructor, (*data, *seeds), t.dims)
        derivative = self._egraph.add("derivative", (node, wrt), t.dims + wrt[1])
        self._egraph.unite_names(name, self._product(adjoint, lead, t.dims, derivative, wrt[1]))

    def _product(self, first: str, lead: Dims, inner: Dims, second: str, last: Dims) -> str:
        """The name of a product that sums over the inner axes."""
        p, q, r = accumulate(map(len, (lead, inner, last)))
        spec = tuple(range(q)), tuple(range(p, r)), (*range(p), *range(q, r))
        return self._egraph.add("ein", (spec, first, second), lead + last)

    def _pushed_loop(
        self,
        t: Term,
        wrt: By,
        found: Mapping[Term, str],
        reached: set[Term],
        loops: dict[Recurrence, Recurrence],
    ) -> str:
        """The name of the derivative of a loop's states; all of one loop are made by one."""
        recurrence = recurrence_of(t)
        moving = [a for a in dict.fromkeys(t.args) if a in reached]
        stands = {a: self._stand_in("tangent", k, a.dims + wrt[1]) for k, a in enumerate(moving)}
        if recurrence not in loops:
            loops[recurrence] = self._loops.derive("push_loop", recurrence, stands, wrt[1])
        states = self._loops.simplify([loops[recurrence].states(t.loop.carry, t.loop.part)])
        self.made += states
        given = {v: found[a] for a, v in stands.items()}
        return self._egraph.load(*states, given=given)[states[0]]

    def _stand_in(self, kind: str, number: int, dims: Dims) -> Term:
        """A variable in a loop's law for what the e-graph has a name of alone."""
        name = f"{kind} of operand {number}"
        while name in self._taken:
            name += "'"
        return terms.variable(name, dims)

    def pulled(
        self, roots: Sequence[tuple[Term, str]], wrt: Sequence[Term], lead: Dims
    ) -> list[str]:
        """The names of the adjoints of some nodes, given those of roots: `lead`, then own axes."""
        reaches = set(wrt)
        passed: dict[Term, list[str]] = {}
        # The results of one loop, whose operands get something when all of them have it.
        loops: dict[Recurrence, list[Term]] = {}
        for t in postorder(*(r for r, _ in roots), operands=self._operands):
            if t in reaches or any(a in reaches for a in self._operands(t)):
                reaches.add(t)
                passed[t] = []
                if t.op == "scan" and t not in self._given:
                    loops.setdefault(recurrence_of(t), []).append(t)
        for root, adjoint in roots:
            if root in passed:
                passed[root].append(adjoint)
        pullbacks = {pullback_node(parts_as_written(t)[0]) for t in passed if t.args}
        self._egraph.occur(pullbacks.union(SLOPE_NODES.values()))
        found: dict[Term, str] = {}
        for t in reversed(passed):
            found[t] = self._total(passed[t], lead + t.dims)
            if t.op != "scan":
                for place, a in enumerate(self._operands(t)):
                    if a in passed:
                        passed[a].append(self._passed_on(t, place, found[t], lead))
            elif t not in self._given and t is loops[recurrence := recurrence_of(t)][0]:
                self._pull_loop(recurrence, loops[recurrence], found, passed, lead)
        return [found[x] if x in found else self._total([], lead + x.dims) for x in wrt]

    def _total(self, summands: Sequence[str], dims: Dims) -> str:
        """A sum; what the first use passes on comes first, as in the product rule."""
        if not summands:
            return self._egraph.add("constant", (Fraction(0), dims), dims)
        *rest, total = summands
        for other in reversed(rest):
            total = self._egraph.add("add", (total, other), dims)
        return total

    def _passed_on(self, t: Term, place: int, adjoint: str, lead: Dims) -> str:
        constructor, data, operands = parts_as_written(t)
        names = (self._names[a] for a in operands)
        dims = lead + operands[place].dims
        name = self._egraph.add(pullback_node(constructor), (place, *data, *names, adjoint), dims)
        self._asked[name] = Derivation._by_derivative, (t, place, adjoint, lead, name)
        return name

    def _pull_loop(
        self,
        recurrence: Recurrence,
        results: Sequence[Term],
        found: Mapping[Term, str],
        passed: Mapping[Term, list[str]],
        lead: Dims,
    ) -> None:
        """Pass on what some results of a loop have got."""
        stands = {t: self._stand_in("adjoint", k, lead + t.dims) for k, t in enumerate(results)}
        got: dict[tuple[int, Part], Term] = {
            (t.loop.carry, t.loop.part): v for t, v in stands.items()
        }
        wanted = {a for a in results[0].args if a in passed}
        given = {v: found[t] for t, v in stands.items()}
        made = self._loops.derive("pull_loop", recurrence, got, lead, wanted)
        adjoints = self._loops.simplify([adjoint for _, adjoint in made])
        self.made += adjoints
        names = self._egraph.load(*adjoints, given=given)
        for (a, _), adjoint in zip(made, adjoints, strict=True):
            if a in wanted:
                passed[a].append(names[adjoint])


def cuts(root: Term, x: Term, entries: Callable[[Dims], int]) -> list[Term]:
    """The nodes at which a derivative is cut, the lowest first.

    All ways from the root to the variable lead through them; each has the fewest entries between
    two others, or the ends, and fewer than both.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> x, A, B = (variable(n, d) for n, d in {"x": (9,), "A": (2, 9), "B": (8, 2)}.items())
    >>> inner = einsum("ij,j->i", A, x)
    >>> [t.op for t in cuts(einsum("ij,j->i", B, apply("exp", inner)), x, lambda dims: dims[0])]
    ['einsum']
    """
    through = dominators(root, x)
    widths = [entries(t.dims) for t in through]
    found: list[int] = []
    waiting = [(0, len(through) - 1)]
    while waiting:
        low, high = waiting.pop()
        least = min(range(low, high + 1), key=widths.__getitem__, default=low)
        if low < least < high and widths[least] < widths[high]:
            found.append(least)
            waiting += [(least, high), (low, least)]
    return [through[k] for k in sorted(found)]


def dominators(root: Term, x: Term) -> list[Term]:
    """The nodes through which all ways from a root to a variable lead, from the lowest on.

    >>> from eggrad.engine.terms.term import add, apply, variable
    >>> x = variable("x")
    >>> [t.op for t in dominators(apply("exp", add(x, apply("sin", x))), x)]
    ['variable', 'add', 'exp']
    """
    place = {x: 0}
    for t in postorder(root):
        if any(a in place for a in t.args):
            place[t] = len(place)
    # How many edges pass by a node: each begins to do so after one and ends before another.
    passing = [0] * (len(place) + 1)
    for t, k in place.items():
        for a in {*t.args} & place.keys():
            passing[place[a] + 1] += 1
            passing[k] -= 1
    return [t for t, by in zip(place, accumulate(passing), strict=False) if not by]


def missing(graph: Snapshot, rows: Iterable[Row]) -> str:
    """What to say of derivatives, slopes and pullbacks that no rule has."""
    found = dict.fromkeys(_subject(graph, row) for row in rows)
    return f"no rule has the derivative of {' or of '.join(found)}"


def _subject(graph: Snapshot, row: Row) -> str:
    """The operation that a derivative, slope or pullback is of."""
    constructor, data = row.constructor.removeprefix(pullback_node("")), row.data
    if constructor == "derivative":
        first = graph.members.get(row.children[0])
        if not first:
            return "another derivative"
        constructor, data = first[0][:2]
    elif constructor != row.constructor:
        data = data[1:]
    if constructor not in NAMED:
        return constructor
    # The e-graph calls a declared function by its name and a number.
    name = str(data[0]).partition(" ")[0]
    several = constructor in SLOPE_NODES.values() and len(row.children) > 1
    return f"{name} by its operand {cast(int, data[1]) + 1}" if several else name


def _is(t: Term, wrt: By) -> bool:
    return t.op == "variable" and (t.name, t.dims) == wrt
