"""The search for a proof: rules matched over classes of terms until two of them are equal."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from time import perf_counter

from eggrad.engine.congruence import Congruence, Equation
from eggrad.engine.constructors import TermRows
from eggrad.engine.cost import CostModel
from eggrad.engine.matching import Arguments, Matcher, patterns, views
from eggrad.engine.report import Budget
from eggrad.engine.rule import Rule, Ruleset
from eggrad.engine.small_terms import smallest_terms
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.term import Term, postorder

__all__ = ["ProofSearch"]

NODES = 4_000
ITERATIONS = 12
# Bulk rules see so many terms of every class, the smallest.
ALTERNATIVES = 4


class ProofSearch:
    """Two terms, and what rules have found to be equal so far."""

    def __init__(
        self, left: Term, right: Term, rulesets: Sequence[Ruleset], budget: Budget | None
    ) -> None:
        """Begin with the two terms and all that they are made of."""
        limit = budget or Budget()
        self.nodes = NODES if limit.nodes is None else limit.nodes
        self.iterations = ITERATIONS if limit.iterations is None else limit.iterations
        self.deadline = None if limit.seconds is None else perf_counter() + limit.seconds
        self.left, self.right = left, right
        self.rules = [r for s in rulesets for r in s.rules]
        self.bulk_rules = [r for s in rulesets for r in s.bulk_rules]
        self.equal = Congruence()
        self.equal.add([left, right])
        self._table: dict[tuple[object, ...], Term] = {}
        self._live: list[Term] = []
        self._members: dict[tuple[Term, str], list[Arguments]] = {}
        self._arguments: dict[str, list[Arguments]] = {}
        self._retired: set[Term] = set()
        self._model = CostModel()
        self._numbers: dict[Term, int] = {}
        self._done: set[Hashable] = set()

    def run(self) -> bool:
        """Apply rules until both terms are equal, or the budget ends; whether they are."""
        self._read()
        for _ in range(self.iterations):
            if self.equal.same(self.left, self.right) or self._exhausted():
                break
            if not self._apply(self._equations()):
                break
            self._read()
        return self.equal.same(self.left, self.right)

    def _exhausted(self) -> bool:
        late = self.deadline is not None and perf_counter() > self.deadline
        return late or len(self.equal) > self.nodes

    def _apply(self, equations: Iterable[Equation]) -> bool:
        """Unite the sides of the equations that are news; whether any was."""
        news = {(e.left, e.right): e for e in equations if self._is_news(e)}
        for e in news.values():
            if self._exhausted():
                break
            self.equal.unite(e)
            if isinstance(e.rule, Rule) and e.rule.replaces:
                self._retired.add(e.left)
        return bool(news)

    def _is_news(self, equation: Equation) -> bool:
        """Whether its sides are not, up to equal operands, in one class."""
        left = self._lookup(equation.left)
        return left is None or self._lookup(equation.right) is not left

    def _lookup(self, term: Term) -> Term | None:
        """What stands for the class of a term, or of one with equal operands."""
        found: dict[Term, Term | None] = {}
        for t in postorder(term):
            if t in self.equal:
                found[t] = self.equal.find(t)
            else:
                below = [found[a] for a in t.args]
                known = self._table.get((t.op, t.data, t.dims, *below))
                found[t] = None if known is None else self.equal.find(known)
        return found[term]

    def _equations(self) -> Iterator[Equation]:
        """What the rules say about the classes as they are."""
        matcher = Matcher(self._members_of, self.equal.same)
        for rule in self.rules:
            for pattern in patterns(rule):
                for arguments in self._arguments.get(pattern.constructor, ()):
                    for found in matcher.instances(pattern, arguments):
                        sides = (found.first, found.second)
                        left, right = reversed(sides) if pattern.reversed else sides
                        yield Equation(rule, left, right)
        yield from self._bulk_equations()

    def _bulk_equations(self) -> Iterator[Equation]:
        """What bulk rules say about some terms of each class, as if nothing else was known.

        So each equation follows from the two terms alone, and not from others that are equal.
        """
        if not self.bulk_rules:
            return
        found = smallest_terms(self._live, self.equal.find, ALTERNATIVES)
        rows = TermRows(found, self._numbers)
        graph = Snapshot(rows, self._model, done=self._done)
        for rule in self.bulk_rules:
            for cls, term in rule.find(graph):
                yield Equation(rule, graph.term(cls), term)

    def _members_of(self, term: Term, constructor: str) -> list[Arguments]:
        return self._members.get((self.equal.find(term), constructor), [])

    def _read(self) -> None:
        """Close the classes, and list their members by constructor.

        What a rule has replaced is left out, and so is all else beside a constant.
        """
        find = self.equal.find
        self._table = self.equal.close()
        retired = {self.equal.key(t) for t in self._retired}
        constants = {find(t) for t in self._table.values() if t.op == "constant"}
        self._live, self._members, self._arguments = [], {}, {}
        for key, t in self._table.items():
            if key in retired or (t.op != "constant" and find(t) in constants):
                continue
            self._live.append(t)
            for constructor, arguments in views(t):
                self._members.setdefault((find(t), constructor), []).append(arguments)
                self._arguments.setdefault(constructor, []).append(arguments)
