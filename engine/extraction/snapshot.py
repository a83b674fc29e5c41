"""The e-classes of an e-graph at one moment, in Python: e-nodes, sizes, and the cheapest terms."""

from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
    Set,
)
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeVar, cast

from eggrad.engine.costs.cost import Model
from eggrad.engine.errors import UnsoundRules
from eggrad.engine.extraction import exact, extract
from eggrad.engine.extraction.enodes import ENode
from eggrad.engine.extraction.exact import Solved
from eggrad.engine.extraction.stability import stable_members
from eggrad.engine.indices.indicator_plan import Sparsity
from eggrad.engine.indices.slices import placed_dims
from eggrad.engine.indices.spec import TRANSPOSE, Dims
from eggrad.engine.terms.term import LEAVES, Term, assembled

T = TypeVar("T")

# E-nodes up to which all e-classes of a focused snapshot are explored.
MOST_NODES: Final = 400


class Row(NamedTuple):
    """An e-node as egglog holds it: constructor, decoded arguments, e-class of the result."""

    constructor: str
    data: tuple[object, ...]
    children: tuple[int, ...]
    output: int
    subsumed: bool
    stable: bool


class Contents(NamedTuple):
    """An e-graph at one moment: e-nodes, the dims of every e-class, the e-class of every name.

    `known` are properties of e-classes, `wider` pairs of e-classes of which the second is defined
    at more values than the first, and equal to it where that one is defined; and whether that is
    for code alone.
    """

    rows: list[Row]
    dims: dict[int, tuple[object, ...]]
    names: dict[str, int]
    known: Container[tuple[str, int]] = frozenset()
    wider: Sequence[tuple[int, int, bool]] = ()


class Readable(Protocol):
    """What a snapshot is taken of."""

    def rows(self) -> Contents:
        """What there is to read."""
        ...


class Snapshot:
    """E-classes are numbers. A snapshot does not change when the e-graph goes on.

    Extraction tries what is `given` as well: e-nodes of the terms that were there at first.

    Bulk rules look at all `classes`. In a large e-graph that is `focused` these are those of the
    cheapest terms alone: each further e-node brings new e-classes, in which bulk rules find
    further ones, so that the e-graph would grow without end.

    `memory` is for what rules work out about its e-classes and want to keep, `done` for what they
    need not do again at the next snapshots, where an e-class has the same number.
    """

    def __init__(
        self,
        egraph: Readable,
        model: Model,
        roots: Iterable[str] = (),
        done: set[Hashable] | None = None,
        *,
        focused: bool = False,
    ) -> None:
        """Read the e-graph; `roots` names the e-classes that will be extracted."""
        rows, dims, names, self.known, self.wider = egraph.rows()
        self.model = model
        self.focused = focused
        self.names = names
        self.roots = tuple(roots)
        self.dims = cast(dict[int, Dims], dims)
        self.members: dict[int, list[ENode]] = {}
        for row in rows:
            node = ENode(row.constructor, row.data, row.children, row.subsumed, row.stable)
            self.members.setdefault(row.output, []).append(node)
        self.size = len(rows)
        self.memory: dict[object, Any] = {}
        self.given: dict[int, ENode] = {}
        self.narrow: Snapshot | None = None
        self.done: set[Hashable] = set() if done is None else done
        self._terms: dict[int, Term] = {}
        self._costs: dict[int, int] = {}

    def at(self, model: Model) -> "Snapshot":
        """The same e-classes at another model; the e-graph is not read again."""
        found = copy(self)
        found.model, found.memory, found._terms, found._costs = model, {}, {}, {}
        found._choose_again()
        return found

    def _choose_again(self) -> None:
        """Forget what depends on the cheapest trees."""
        for name in ("_trees", "users", "classes"):
            self.__dict__.pop(name, None)

    def prefer_stable(self) -> None:
        """Extract what loses no digits wherever there is a choice."""
        self.members = stable_members(self.members)

    def hide(self, names: Collection[str]) -> None:
        """Leave out e-nodes of some constructors or numeric operations, and what needs them.

        E-classes that no term is left of keep all that they have.
        """
        rest = {
            c: [m for m in nodes if m.constructor not in names and m.operation not in names]
            for c, nodes in self.members.items()
        }
        found = extract.cheapest_trees(rest, self.cost)
        trees = found[1]
        for cls, members in rest.items():
            if cls in trees:
                self.members[cls] = [m for m in members if all(c in trees for c in m.children)]
        self._choose_again()
        if len(trees) == len(rest):
            # What is left is what these are the trees of.
            self._trees = found

    def keep_numbers(self) -> None:
        """Leave out names of what is a number: they may stand for terms of other variables."""
        for cls in self._constants:
            self.members[cls] = [m for m in self.members[cls] if m.constructor != "variable"]
        self._choose_again()

    def check_constants(self, fired: Iterable[str]) -> None:
        """Raise when rules have proved two different constants equal that have entries."""
        for cls, members in self.members.items():
            if 0 in self.dims[cls]:
                continue
            values = {m.data[0] for m in members if m.constructor == "constant"}
            if len(values) > 1:
                shown = " = ".join(str(v) for v in sorted(cast(set[Fraction], values)))
                raise UnsoundRules(
                    f"the rules prove {shown}: one of them is unsound. "
                    f"Rules that fired: {', '.join(sorted(set(fired)))}"
                )

    @property
    def root_classes(self) -> list[int]:
        """The e-classes that will be extracted."""
        return [self.names[r] for r in self.roots]

    @property
    def choice(self) -> dict[int, ENode]:
        """The e-node that the cheapest tree of each e-class begins with."""
        return self._trees[0]

    @property
    def tree_cost(self) -> dict[int, int]:
        """The cost of the cheapest tree of each e-class."""
        return self._trees[1]

    @property
    def tree_price(self) -> int:
        """What the cheapest trees of the roots cost."""
        return sum(self.tree_cost.get(c, 0) for c in self.root_classes)

    @property
    def dag_price(self) -> int:
        """What these trees cost when what they share is counted once."""
        known = [c for c in self.root_classes if c in self.choice]
        return extract.dag_cost(self.choice, self.cost, known)

    @cached_property
    def _trees(self) -> tuple[dict[int, ENode], dict[int, int]]:
        return extract.cheapest_trees(self.members, self.cost)

    def cost(self, cls: int, node: ENode) -> int:
        """The cost of one e-node, its operands not included."""
        # E-nodes live as long as the snapshot, so their identity is a key; hashing them is slow.
        found = self._costs.get(id(node))
        if found is None:
            args = tuple(self.dims[c] for c in node.children)
            deltas = tuple(self.sparsity.get(c, False) for c in node.children)
            found = self._costs[id(node)] = self.model.node(
                node.constructor,
                node.data,
                args,
                self.dims[cls],
                deltas,
                same=len(node.children) == 2 and node.children[0] == node.children[1],
                constants=tuple(self._constants.get(c) for c in node.children),
                leaves=tuple(c in self._named for c in node.children),
                placed=tuple(self.placed.get(c) for c in node.children),
            )
        return found

    @cached_property
    def classes(self) -> list[int]:
        """The e-classes that a term of the roots may be made of; if `focused`, few of many."""
        found = [c for c in self.choice if c in self.reachable]
        if not self.focused or self.size <= MOST_NODES:
            return found
        used = {*self.users, *self.root_classes}
        return [c for c in found if c in used]

    @cached_property
    def reachable(self) -> set[int]:
        """The e-classes that a term of the roots may be made of."""
        return self.below(self.root_classes)

    def below(self, classes: Iterable[int]) -> set[int]:
        """Some e-classes, and those that a term of them may be made of."""

        def operands(cls: int) -> Iterable[int]:
            # What else a constant may be made of, nobody asks.
            members = self.members[cls] if cls not in self._constants else ()
            return (c for m in members for c in m.children)

        return set(extract.reached(classes, operands))

    @cached_property
    def unknown(self) -> set[int]:
        """The e-classes that have a name or a user, and no e-node."""
        used = {c for nodes in self.members.values() for m in nodes for c in m.children}
        return used.union(self.names.values()).difference(self.members)

    def leave_out_unfounded(self, given: Collection[int] = ()) -> Collection[int]:
        """Keep what terms can be made of, if those of some e-classes are given; return these."""
        leaf = ENode("seed", (), (), False, False)
        founded = {**{c: [leaf] for c in given}, **self.members}
        known = extract.cheapest_trees(founded, lambda *_: 1)[1].keys()
        kept = {c: members for c, members in self.members.items() if c in known}
        self.members = {
            c: [m for m in members if all(child in known for child in m.children)]
            for c, members in kept.items()
        }
        return known

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, worked out once for these e-classes and this model."""
        if key not in self.memory:
            self.memory[key] = make()
        return cast(T, self.memory[key])

    def first_time(self, step: Hashable) -> bool:
        """Whether a step is taken for the first time at this model: from now on it is not."""
        # Models live as long as the run that `done` belongs to, so their identity is a key.
        key = (id(self.model), step)
        new = key not in self.done
        self.done.add(key)
        return new

    def has(self, cls: int, constructors: tuple[str, ...]) -> bool:
        """Whether an e-class has an e-node of one of some constructors."""
        return any(m.constructor in constructors for m in self.members[cls])

    def number(self, cls: int) -> Fraction | None:
        """The value of an e-class that is a constant."""
        return self._constants.get(cls)

    def bases(self, cls: int) -> frozenset[object]:
        """What a factor may be joined by: its base, its argument, or that it is an exponential."""
        found: set[object] = {cls}
        for m in self.members[cls]:
            if m.constructor in ("power", "function"):
                found.add(m.children[0])
            if m.constructor == "function" and m.data[0] == "exp":
                found.add("exp")
        return frozenset(found)

    def exponents(self, cls: int) -> Mapping[int, Fraction]:
        """The e-classes of which an e-class is a power, with the exponents; of itself the first."""

        def read() -> dict[int, Fraction]:
            powers = [m.children for m in self.members[cls] if m.constructor == "power"]
            known = ((base, self._constants.get(exponent)) for base, exponent in powers)
            return {cls: Fraction(1)} | {base: number for base, number in known if number}

        return self.remember(("exponents", cls), read)

    @cached_property
    def symmetric(self) -> set[int]:
        """The e-classes of matrices that are their own transposes."""
        transposed = {
            c
            for c, members in self.members.items()
            if any(
                m.constructor == "ein1" and m.children == (c,) and m.spec == TRANSPOSE
                for m in members
            )
        }
        return transposed | {
            c for c, known in self.sparsity.items() if known is True and len(self.dims[c]) == 2
        }

    def over_determinant(self, a: int, b: int) -> bool:
        """Whether one e-class is an adjugate, and the other divides by its matrix's determinant."""
        matrices = {m.children[0] for m in self.members[a] if m.constructor == "adj"}
        divided = [c for c, p in self.exponents(b).items() if p < 0] if matrices else []
        return any(
            m.constructor == "det" and m.children[0] in matrices
            for c in divided
            for m in self.members[c]
        )

    def inverts(self, cls: int) -> bool:
        """Whether an e-class is an inverse or an adjugate of some other one."""
        return cls in self._inverted

    def inverse_of(self, a: int, b: int) -> bool:
        """Whether an e-class has the inverse or adjugate of another among its e-nodes."""
        return b in self._inverted.get(a, ())

    @cached_property
    def _inverted(self) -> dict[int, set[int]]:
        """What e-classes are inverses or adjugates of."""
        found: dict[int, set[int]] = {}
        for cls, members in self.members.items():
            for m in members:
                if m.constructor in ("inv", "adj"):
                    found.setdefault(cls, set()).add(m.children[0])
        return found

    def widen(self, exposed: Set[ENode]) -> None:
        """Let e-classes have the e-nodes of wider ones: what is extracted may be defined at more.

        Those that are `exposed`, products that may be undefined where a choice is not, are left out
        where there are others. From here on an e-class is no longer one value; nothing but
        extraction may follow. In `narrow` they are as they were, but for what is for code alone.
        """
        self.narrow = self.at(self.model)
        for_code = [widening for widening in self.wider if widening[2]]
        if for_code:
            self.narrow._reach(for_code, exposed)
        self._reach(self.wider, exposed)

    def _reach(self, wider: Sequence[tuple[int, int, bool]], exposed: Set[ENode]) -> None:
        """Give e-classes the e-nodes of the wider ones that they lead to."""
        above: dict[int, list[int]] = {}
        for narrow, wide, _ in wider:
            if wide in self.members:
                above.setdefault(narrow, []).append(wide)
        before = self.members
        self.members = dict(before)
        changed = [c for c, nodes in before.items() if c in above or not exposed.isdisjoint(nodes)]
        for cls in changed:
            reached = dict.fromkeys([cls])
            stack = [cls]
            while stack:
                for wide in above.get(stack.pop(), ()):
                    if wide not in reached:
                        reached[wide] = None
                        stack.append(wide)
            rest = [m for m in before[cls] if m not in exposed]
            every = [m for w in reached if w != cls for m in before.get(w, ()) if m not in exposed]
            # A choice is dearer than a product with a test, but may be the only one defined, beside
            # entries that are written into zeros.
            if every and len(rest) < len(before[cls]):
                rest = [m for m in rest if m.constructor == "ein" and self._placed(m)]
            every += rest
            self.members[cls] = list(dict.fromkeys(every)) or before[cls]
        self._choose_again()
        # What is wider may be made of the e-class itself, or be had by exposed ones alone.
        lost = {c for c in before if c not in self.choice}
        for cls, members in self.members.items() if lost else ():
            kept = [m for m in members if lost.isdisjoint(m.children)]
            self.members[cls] = before[cls] if cls in lost else kept
        self._choose_again()

    def knows(self, cls: int, p: str) -> bool:
        """Whether an e-class is known to have a property."""
        return (p, cls) in self.known

    @cached_property
    def sparsity(self) -> dict[int, Sparsity]:
        """The e-classes of deltas, of indicators and of selections."""
        return {
            c: sparsity
            for c, members in self.members.items()
            for m in reversed(members)
            if (sparsity := m.sparsity)
        }

    @cached_property
    def placed(self) -> dict[int, Dims]:
        """The e-classes that are zeros but for entries that a view says, with the axes of these."""
        indicators = {c for c, known in self.sparsity.items() if isinstance(known, tuple)}
        return {
            c: axes
            for c, members in self.members.items()
            for m in members
            if m.constructor == "ein" and not indicators.isdisjoint(m.children)
            if (axes := self._placed(m)) is not None
        }

    def _placed(self, m: ENode) -> Dims | None:
        """The axes of the entries that a product writes into zeros."""
        known = tuple(self.sparsity.get(c, False) for c in m.children)
        return placed_dims(m.spec, tuple(self.dims[c] for c in m.children), known)

    @cached_property
    def _named(self) -> set[int]:
        """The e-classes of what a name or a number stands for."""
        return {
            c
            for c, members in self.members.items()
            if any(m.constructor in LEAVES for m in members)
        }

    @cached_property
    def _constants(self) -> dict[int, Fraction]:
        """The value of every class that is a constant."""
        return {
            c: m.value
            for c, members in self.members.items()
            for m in members
            if m.constructor == "constant"
        }

    @cached_property
    def users(self) -> dict[int, int]:
        """How many e-classes of the cheapest trees below the roots use each e-class."""
        counts: dict[int, int] = {}
        stack = self.root_classes
        while stack:
            for child in dict.fromkeys(self.choice[stack.pop()].children):
                if child not in counts:
                    stack.append(child)
                counts[child] = counts.get(child, 0) + 1
        return counts

    def cheap_dag(self, roots: list[int]) -> dict[int, ENode]:
        """An e-node for each e-class; those below the roots are a cheap DAG, sharing counted."""
        return extract.cheapest_dag(self.members, self.cost, self.choice, roots, self.given)

    def extract(self, roots: Iterable[int]) -> list[Term]:
        """A cheap DAG that contains all roots, as terms."""
        wanted = list(roots)
        key = ("extracted", *wanted)
        return self.remember(key, lambda: self._terms_of(wanted, self.cheap_dag(wanted)))

    def smallest(self, roots: Iterable[int]) -> list[Term]:
        """The terms of the fewest e-nodes, whatever these cost."""
        wanted = list(roots)
        return self._terms_of(wanted, extract.cheapest_trees(self.members, lambda *_: 1)[0])

    def extract_exactly(self, roots: Iterable[int], seconds: float) -> tuple[list[Term], Solved]:
        """The cheapest DAG that contains all roots, as terms, and what the solver did."""
        wanted = list(roots)
        choice, solved = exact.cheapest_dag_exactly(
            self.members, self.cost, self.cheap_dag(wanted), wanted, seconds
        )
        return self._terms_of(wanted, choice), solved

    def _terms_of(self, roots: list[int], choice: dict[int, ENode]) -> list[Term]:
        found: dict[int, Term] = {}
        self._build(roots, choice, found)
        return [found[r] for r in roots]

    def term(self, cls: int) -> Term:
        """Some cheap term of an e-class, the same one at every call."""
        if cls not in self._terms:
            self._build([cls], self.choice, self._terms)
        return self._terms[cls]

    def _build(self, roots: list[int], choice: dict[int, ENode], found: dict[int, Term]) -> None:
        for c in extract.operands_first(roots, lambda c: choice[c].children, found):
            found[c] = self.as_term(choice[c], tuple(found[x] for x in choice[c].children))

    def as_term(self, node: ENode, args: tuple[Term, ...]) -> Term:
        """The term of an e-node, given those of its operands."""
        return assembled(node.constructor, node.data, args)
