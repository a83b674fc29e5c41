"""The search for a proof: rules matched over classes of terms until two of them are equal."""

from collections.abc import Hashable, Iterator, Sequence
from time import perf_counter

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.equality.congruence import Congruence, Equation
from eggrad.engine.equality.small_terms import smallest_terms
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.laws.matching import Instance, Matcher, Pattern, View, patterns, views
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.saturation.report import Budget
from eggrad.engine.terms.constructors import is_multiple
from eggrad.engine.terms.term import Term, postorder, rebuild

__all__ = ["ProofSearch"]

NODES = 2_500
NODES_PER_NODE = 20
ITERATIONS = 20
# Rounds of the rules that replace what they match, before any other rule looks.
SETTLING = 12
# Bulk rules see so many terms of every class, the smallest.
ALTERNATIVES = 4
MOST_TERMS = 2_000
# What the given terms consist of counts as so many nodes where what rules have made is wanted.
GIVEN_WEIGHT = 100

# Classes with these have an equal sum or product, once rules have found it.
REDUNDANT = ("subtract", "negate", "divide")


class ProofSearch:
    """Two terms, and what rules have found to be equal so far."""

    def __init__(
        self,
        left: Term,
        right: Term,
        rulesets: Sequence[Ruleset],
        budget: Budget | None = None,
        knowledge: Knowledge | None = None,
        *,
        retiring: bool = True,
        thorough: bool = False,
    ) -> None:
        """Begin with the two terms and all that they are made of.

        With `retiring`, what a rule replaces is matched by no rule again. That keeps searches
        small, and now and then from their end: two rules may replace each other's results.
        A `thorough` search matches a multiple that a rule makes as a product as well, and what
        is in one class with a constant.
        """
        limit = Budget.of(budget)
        self._retiring = retiring
        self._thorough = thorough
        self.iterations = ITERATIONS if limit.iterations is None else limit.iterations
        self.deadline = None if limit.seconds is None else perf_counter() + limit.seconds
        self.left, self.right = left, right
        rules = [r for s in rulesets for r in s.rules]
        self._replacing = [r for r in rules if r.replaces]
        self._others = [r for r in rules if not r.replaces]
        self._bulk_rules = [r for s in rulesets for r in s.bulk_rules]
        self.equal = Congruence()
        self.equal.add([left, right])
        self._given = dict.fromkeys(self.equal)
        allowed = NODES + NODES_PER_NODE * len(self._given)
        self.nodes = allowed if limit.nodes is None else limit.nodes
        self._table: dict[tuple[object, ...], Term] = {}
        self._live: list[Term] = []
        self._members: dict[tuple[Term, str], list[tuple[object, ...]]] = {}
        self._beginnings: dict[str, list[tuple[Term, tuple[object, ...]]]] = {}
        self._knowledge = knowledge or Knowledge(rulesets)
        self._matcher = Matcher(
            self._members_of, self.equal.same, seen=set(), known=self._knowledge.knows
        )
        self._retired: set[tuple[Term, str]] = set()
        self._model = CostModel()
        self._numbers: dict[Term, int] = {}
        self._taken: set[Hashable] = set()

    def run(self) -> bool:
        """Apply rules until both terms are equal, or the budget ends; whether they are."""
        self._read()
        for _ in range(self.iterations):
            for _ in range(SETTLING):
                if self._done() or not self._step(self._replacing, []):
                    break
            if self._done() or not self._step(self._others, self._bulk_rules):
                break
        return self.equal.same(self.left, self.right)

    def _done(self) -> bool:
        return self._exhausted() or self.equal.same(self.left, self.right)

    def _exhausted(self) -> bool:
        late = self.deadline is not None and perf_counter() > self.deadline
        return late or len(self.equal) > self.nodes

    def _step(self, rules: Sequence[Rule], bulk_rules: Sequence[BulkRule]) -> bool:
        """Apply rules once to the classes as they are; whether anything was news."""
        news: dict[tuple[Term, Term], Equation] = {}
        for pattern, member, found in self._instances(rules):
            sides = (found.first, found.second)
            left, right = reversed(sides) if pattern.reversed else sides
            equation = Equation(pattern.rule, left, right)
            if self._is_news(equation):
                news.setdefault(sides, equation)
            if len(news) > self.nodes:
                break
            if self._retiring and pattern.rule.replaces:
                self._retired.add((member, pattern.constructor))
        for equation in self._bulk_equations(bulk_rules):
            if self._is_news(equation):
                news.setdefault((equation.left, equation.right), equation)
        for equation in news.values():
            if self._exhausted():
                break
            self.equal.unite(equation)
        self._read()
        return bool(news)

    def _is_news(self, equation: Equation) -> bool:
        """Whether its sides are not, up to equal operands, in one class."""
        left = self._lookup(equation.left)
        return left is None or self._lookup(equation.right) is not left

    def _lookup(self, term: Term) -> Term | None:
        """What stands for the class of a term, or of one with equal operands."""
        equal = self.equal
        found: dict[Term, Term | None] = {}
        for t in postorder(term, operands=lambda t: () if t in equal else t.args):
            known = t
            if t not in equal:
                known = self._table.get((t.op, t.data, t.dims, *(found[a] for a in t.args)))
            found[t] = None if known is None else equal.find(known)
        return found[term]

    def _instances(self, rules: Sequence[Rule]) -> Iterator[tuple[Pattern, Term, Instance]]:
        """The instances of rules that match, each with the member that it begins with."""
        for rule in rules:
            for pattern in patterns(rule):
                for member, arguments in self._beginnings.get(pattern.constructor, ()):
                    for found in self._matcher.instances(pattern, arguments):
                        yield pattern, member, found

    def _bulk_equations(self, rules: Sequence[BulkRule]) -> Iterator[Equation]:
        """What bulk rules say about some terms of each class, as if nothing else was known.

        So each equation follows from the two terms alone, and not from others that are equal.
        """
        if not rules:
            return
        members, find = self._readable(), self.equal.find
        small = smallest_terms(members, find, ALTERNATIVES)[:MOST_TERMS]
        # Rules may make larger terms of all parts before a bulk rule can say anything.
        new = smallest_terms(members, find, 1, self._weight)
        found = dict.fromkeys([*small, *new[:MOST_TERMS]])
        known = dict.fromkeys([*self._given, *found])
        ends = [self.equal.find(t) for t in (self.left, self.right)]
        equal = [t for t in found if t.dims == self.left.dims and self._lookup(t) in ends]
        # Some rules look at roots alone, others take more apart where there are none.
        for roots in ([], dict.fromkeys([self.left, self.right, *equal])):
            rows = TermRows(known, roots, self._numbers, self._knowledge)
            graph = Snapshot(rows, self._model, rows.roots, self._taken)
            for rule in rules:
                for cls, term in rule.find(graph):
                    yield Equation(rule, graph.term(cls), term)

    def _weight(self, t: Term) -> int:
        """What a member counts where terms made by rules are wanted."""
        return GIVEN_WEIGHT if t.args and t in self._given else 1

    def _readable(self) -> list[Term]:
        """The members, but for differences and quotients of classes that have sums or products."""
        plain = {self.equal.find(t) for t in self._live if t.op in ("add", "einsum")}
        return [t for t in self._live if t.op not in REDUNDANT or self.equal.find(t) not in plain]

    def _members_of(self, term: Term, constructor: str) -> list[tuple[object, ...]]:
        return self._members.get((self.equal.find(term), constructor), [])

    def _views(self, t: Term, number: Term | None) -> list[View]:
        """What a member may be read as; `number` is a constant that its first operand equals."""
        if is_multiple(t):
            return list(views(t))[: None if self._thorough or t in self._given else 1]
        found = list(views(t))
        if number is not None and t.op == "einsum":
            found += [v for v in views(rebuild(t, (number, *t.args[1:]))) if v[0] == "scale"]
        return found

    def _read(self) -> None:
        """Close the classes, and list their members by constructor.

        What a rule has replaced is left out, and so is what is beside a constant.
        """
        find, key = self.equal.find, self.equal.key
        self._table = self.equal.close()
        retired = {(key(t), constructor) for t, constructor in self._retired}
        constants = {find(t): t for t in self._table.values() if t.op == "constant"}
        self._live, self._members, self._beginnings = [], {}, {}
        for own, t in self._table.items():
            if not self._thorough and t.op != "constant" and find(t) in constants:
                continue
            number = constants.get(find(t.args[0])) if t.args else None
            shown = [v for v in self._views(t, number) if (own, v[0]) not in retired]
            if shown:
                self._live.append(t)
            for constructor, arguments in shown:
                self._members.setdefault((find(t), constructor), []).append(arguments)
                self._beginnings.setdefault(constructor, []).append((t, arguments))
