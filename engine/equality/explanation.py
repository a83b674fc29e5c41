"""Proofs that people can follow: a chain of terms, each from the one before by one rule."""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import product
from time import perf_counter

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.equality.congruence import Congruence, Edge, Equation
from eggrad.engine.equality.steps import ProofStep, licence, replacements
from eggrad.engine.errors import BudgetExceeded
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.matching import (
    Instance,
    Matcher,
    Pattern,
    View,
    matcher_of_terms,
    patterns,
    views,
)
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.terms.term import Term, is_multiple, postorder, rebuild

# The smallest terms of every e-class: some alternatives, fewest nodes first.


def smallest_terms(
    members: Collection[Term],
    find: Callable[[Term], Term],
    count: int,
    weight: Callable[[Term], int] = lambda _: 1,
) -> list[Term]:
    """Up to `count` terms of each e-class, operands first.

    `members` are the e-classes' e-nodes; `find` is the term that stands for a term's e-class, and
    `weight` says as how many nodes an e-node counts.
    """
    users: dict[Term, list[Term]] = {}
    found: dict[Term, list[Term]] = {}
    size: dict[Term, int] = {}
    heap: list[tuple[int, int, Term]] = []
    for m in members:
        for cls in dict.fromkeys(find(a) for a in m.args):
            users.setdefault(cls, []).append(m)

    def offer(t: Term, member: Term) -> None:
        if t not in size:
            size[t] = weight(member) + sum(size[a] for a in t.args)
            class_of[t] = find(member)
            heappush(heap, (size[t], len(size), t))

    class_of: dict[Term, Term] = {}
    for m in members:
        if not m.args:
            offer(m, m)
    order: list[Term] = []
    while heap:
        _, _, t = heappop(heap)
        cls = class_of[t]
        terms = found.setdefault(cls, [])
        if len(terms) == count:
            continue
        terms.append(t)
        order.append(t)
        for m in users.get(cls, ()):
            if len(found.get(find(m), ())) == count:
                continue
            below = [found.get(find(a), []) for a in m.args]
            for place, a in enumerate(m.args):
                if find(a) is cls:
                    choices = [[t] if k == place else b for k, b in enumerate(below)]
                    for args in product(*choices):
                        offer(rebuild(m, args), m)
    return order


# The search for a proof: rules matched over e-classes of terms until two of them are equal.


NODES = 2_500
NODES_PER_NODE = 20
ITERATIONS = 20
# Rounds of the rules that replace what they match, before any other rule looks.
SETTLING = 12
# The number of smallest terms of an e-class that bulk rules see.
ALTERNATIVES = 4
MOST_TERMS = 2_000
# The weight in nodes of what the given terms consist of, where what rules have made is wanted.
GIVEN_WEIGHT = 100

# E-classes with these have an equal sum or product, once rules have found it.
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
        is in one e-class with a constant.
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
        self._subsumed: set[tuple[Term, str]] = set()
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
        """Apply rules once to the e-classes as they are; whether anything was news."""
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
                self._subsumed.add((member, pattern.constructor))
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
        """Whether its sides are not, up to equal operands, in one e-class."""
        left = self._lookup(equation.left)
        return left is None or self._lookup(equation.right) is not left

    def _lookup(self, term: Term) -> Term | None:
        """What stands for the e-class of a term, or of one with equal operands."""
        equal = self.equal
        found: dict[Term, Term | None] = {}
        for t in postorder(term, operands=lambda t: () if t in equal else t.args):
            known = t
            if t not in equal:
                known = self._table.get((t.op, t.data, t.dims, *(found[a] for a in t.args)))
            found[t] = None if known is None else equal.find(known)
        return found[term]

    def _instances(self, rules: Sequence[Rule]) -> Iterator[tuple[Pattern, Term, Instance]]:
        """The instances of rules that match, each with the e-node that it begins with."""
        for rule in rules:
            for pattern in patterns(rule):
                for member, arguments in self._beginnings.get(pattern.constructor, ()):
                    for found in self._matcher.instances(pattern, arguments):
                        yield pattern, member, found

    def _bulk_equations(self, rules: Sequence[BulkRule]) -> Iterator[Equation]:
        """What bulk rules say about some terms of each e-class, as if nothing else was known.

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
        """What an e-node counts where terms made by rules are wanted."""
        return GIVEN_WEIGHT if t.args and t in self._given else 1

    def _readable(self) -> list[Term]:
        """The e-nodes, without differences and quotients where e-classes have sums or products."""
        plain = {self.equal.find(t) for t in self._live if t.op in ("add", "einsum")}
        return [t for t in self._live if t.op not in REDUNDANT or self.equal.find(t) not in plain]

    def _members_of(self, term: Term, constructor: str) -> list[tuple[object, ...]]:
        return self._members.get((self.equal.find(term), constructor), [])

    def _views(self, t: Term, number: Term | None) -> list[View]:
        """What an e-node may be read as; `number` is a constant that its first operand equals."""
        if is_multiple(t):
            return list(views(t))[: None if self._thorough or t in self._given else 1]
        found = list(views(t))
        if number is not None and t.op == "einsum":
            found += [v for v in views(rebuild(t, (number, *t.args[1:]))) if v[0] == "scale"]
        return found

    def _read(self) -> None:
        """Close the e-classes, and list their e-nodes by constructor.

        What a rule has replaced is left out, and so is what is beside a constant.
        """
        find, key = self.equal.find, self.equal.key
        self._table = self.equal.close()
        subsumed = {(key(t), constructor) for t, constructor in self._subsumed}
        constants = {find(t): t for t in self._table.values() if t.op == "constant"}
        self._live, self._members, self._beginnings = [], {}, {}
        for table_key, t in self._table.items():
            if not self._thorough and t.op != "constant" and find(t) in constants:
                continue
            number = constants.get(find(t.args[0])) if t.args else None
            shown = [v for v in self._views(t, number) if (table_key, v[0]) not in subsumed]
            if shown:
                self._live.append(t)
            for constructor, arguments in shown:
                self._members.setdefault((find(t), constructor), []).append(arguments)
                self._beginnings.setdefault(constructor, []).append((t, arguments))


# Chains of terms made shorter: what one rule can do at once takes no detour.


AnyRule = Rule | BulkRule

# Terms that a shortcut leads over, at most.
REACH = 40


def shortest_chain(
    left: Term,
    walk: Sequence[tuple[AnyRule, Term]],
    rulesets: Sequence[Ruleset],
    knowledge: Knowledge,
) -> tuple[ProofStep, ...] | None:
    """The fewest steps between the terms of a walk, each term of which follows by its rule.

    None where a step of the walk does not stand on its own.
    """
    chain = [left, *(t for _, t in walk)]
    table = _one_step(chain, rulesets, knowledge)
    near: list[list[tuple[int, AnyRule]]] = [[] for _ in chain]
    for i, a in enumerate(chain):
        for j in range(i + 1, min(i + 1 + REACH, len(chain))):
            rule = _rule_between(table, a, chain[j]) or (walk[i][0] if j == i + 1 else None)
            if rule is not None:
                near[i].append((j, rule))
                near[j].append((i, rule))
    steps: list[ProofStep] = []
    place = 0
    for i, rule in _shortest_path(near):
        step = _step(rule, chain[place], chain[i], knowledge)
        if step is None:
            return None
        steps.append(step)
        place = i
    return tuple(steps)


def _one_step(
    chain: Sequence[Term], rulesets: Sequence[Ruleset], knowledge: Knowledge
) -> dict[tuple[Term, Term], AnyRule]:
    """What the rules make of each part of the terms, given that no two are equal."""
    every = list(postorder(*chain))
    found: dict[tuple[Term, Term], AnyRule] = {}
    matcher = matcher_of_terms(knowledge.knows)
    for pattern in (p for s in rulesets for r in s.rules for p in patterns(r)):
        for t in every:
            for constructor, arguments in views(t):
                if constructor == pattern.constructor:
                    for instance in matcher.instances(pattern, arguments):
                        found.setdefault((instance.first, instance.second), pattern.rule)
    for roots in ([], [chain[0], chain[-1]]):
        rows = TermRows(every, roots, knowledge=knowledge)
        graph = Snapshot(rows, CostModel(), rows.roots)
        for rule in (r for s in rulesets for r in s.bulk_rules):
            for cls, term in rule.find(graph):
                found.setdefault((graph.term(cls), term), rule)
    return found


def _rule_between(
    table: dict[tuple[Term, Term], AnyRule], before: Term, after: Term
) -> AnyRule | None:
    """A rule of which an instance leads from a term to another, or back."""
    for old, new in replacements(before, after):
        rule = table.get((old, new)) or table.get((new, old))
        if rule is not None:
            return rule
    return None


def _shortest_path(near: Sequence[Sequence[tuple[int, AnyRule]]]) -> list[tuple[int, AnyRule]]:
    """The places and rules on the shortest path from the first place to the last."""
    came: dict[int, tuple[int, AnyRule]] = {}
    queue = deque([0])
    while queue:
        i = queue.popleft()
        for j, rule in near[i]:
            if j != 0 and j not in came:
                came[j] = (i, rule)
                queue.append(j)
    path: list[tuple[int, AnyRule]] = []
    place = len(near) - 1
    while place != 0:
        before, rule = came[place]
        path.append((place, rule))
        place = before
    return path[::-1]


def _step(rule: AnyRule, before: Term, after: Term, knowledge: Knowledge) -> ProofStep | None:
    """The step between two terms by a rule, forwards if possible."""
    for backwards in (False, True):
        if licence(rule, before, after, backwards, knowledge) is not None:
            return ProofStep(f"{rule.ruleset}.{rule.name}", backwards, after)
    return None


# A longer chain is of no use to anyone.
MAX_STEPS = 1_000
# What a search may do, the smallest first: see `ProofSearch`.
SEARCHES = ((True, False), (False, False), (False, True))

Walk = list[tuple[Edge, Term]]


def explain(
    left: Term,
    right: Term,
    rulesets: Sequence[Ruleset],
    budget: Budget | None = None,
    assumed: Sequence[Assumption] = (),
) -> tuple[ProofStep, ...] | None:
    """A chain of terms from one to another, each from the one before by one rule.

    A step rewrites one part of the term, at one place or at several, by an instance of a rule of
    the rulesets, in either direction. A budget counts terms and iterations, and seconds if it has
    any; None where no chain was found within it. Some properties of terms are `assumed`. See egg's
    `explain.rs`.

    >>> from eggrad.engine.laws.language import Statement, Tensor, fn
    >>> from eggrad.engine.terms.term import apply, variable
    >>> functions = Ruleset("functions", "element-wise functions", "their number")
    >>> @functions.rule(cite="definition of the logarithm")
    ... def log_of_exp(a: Tensor) -> Statement:
    ...     "log exp a = a."
    ...     return fn("log", fn("exp", a)) >> a
    >>> x = variable("x", ("n",))
    >>> [s.rule for s in explain(apply("log", apply("exp", x)), x, [functions])]
    ['functions.log_of_exp']
    """
    knowledge = Knowledge(rulesets, [*assumed, *nonzero_sums([left, right])])
    equal = _proof(left, right, rulesets, Budget.of(budget), knowledge)
    if equal is None:
        return None
    try:
        walk = _Walks(equal).between(left, right)
    except BudgetExceeded:
        return None
    rewrites = [(e.equation.rule, t) for e, t in walk if e.equation]
    return shortest_chain(left, rewrites, rulesets, knowledge)


def _proof(
    left: Term, right: Term, rulesets: Sequence[Ruleset], budget: Budget, knowledge: Knowledge
) -> Congruence | None:
    """E-classes in which both terms are equal; None where no search found them so."""
    if left.dims != right.dims:
        return None
    started = perf_counter()
    for retiring, thorough in SEARCHES:
        rest = budget
        if budget.seconds is not None:
            rest = replace(budget, seconds=max(0, budget.seconds - (perf_counter() - started)))
        search = ProofSearch(
            left, right, rulesets, rest, knowledge, retiring=retiring, thorough=thorough
        )
        if search.run():
            return search.equal
    return None


class _Walks:
    """Paths between equal terms, with equal operands explained as well."""

    def __init__(self, equal: Congruence) -> None:
        self._equal = equal
        self._known: dict[tuple[Term, Term], Walk] = {}

    def between(self, start: Term, end: Term) -> Walk:
        """The rewrites that lead from a term to an equal one, each with the term after it."""
        waiting = [(start, end)]
        while waiting:
            pair = waiting[-1]
            if pair in self._known:
                waiting.pop()
                continue
            path = self._equal.path(*pair)
            missing = [p for e in path if e.equation is None for p in self._open_pairs(e)]
            if not missing:
                self._known[waiting.pop()] = self._joined(pair[0], path)
            waiting += missing
        return self._known[start, end]

    def _open_pairs(self, edge: Edge) -> list[tuple[Term, Term]]:
        """The operands of both ends of which no walk is known yet."""
        pairs = zip(edge.start.args, edge.end.args, strict=True)
        return [p for p in pairs if p not in self._known]

    def _joined(self, start: Term, path: Sequence[Edge]) -> Walk:
        walk: Walk = []
        for edge in path:
            walk += [(edge, edge.end)] if edge.equation else self._operands(edge)
            if len(walk) > MAX_STEPS:
                raise BudgetExceeded(f"a chain of more than {MAX_STEPS} steps")
        return _without_cycles(start, walk)

    def _operands(self, edge: Edge) -> Walk:
        """One operand after the other; what happens to several of them happens at once."""
        pairs = zip(edge.start.args, edge.end.args, strict=True)
        waiting = [self._known[p][::-1] for p in pairs]
        args = list(edge.start.args)
        walk: Walk = []
        while any(waiting):
            step = next(w[-1][0] for w in waiting if w)
            for place, rest in enumerate(waiting):
                if rest and (rest[-1][0].start, rest[-1][0].end) == (step.start, step.end):
                    args[place] = rest.pop()[1]
            walk.append((step, rebuild(edge.start, tuple(args))))
        return walk


def _without_cycles(start: Term, walk: Walk) -> Walk:
    """The walk without what leads back to a term that was there before."""
    seen = {start: 0}
    kept: Walk = []
    for edge, term in walk:
        if term in seen:
            for _, gone in kept[seen[term] :]:
                del seen[gone]
            del kept[seen[term] :]
        else:
            kept.append((edge, term))
            seen[term] = len(kept)
    return kept
