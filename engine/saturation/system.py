"""Which rulesets run when, and to what budget: load, differentiate, simplify, explore, extract."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock, local
from typing import Final

from eggrad.engine.costs.cost import CostModel, Model
from eggrad.engine.egraph.compile_rules import DECLARED, KNOWN, Relevance, symbols_of
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.errors import MissingRule
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.guard import optional
from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.differentiation import Differentiation, check_slopes, rules_of_functions
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.properties import (
    DEFINITE,
    DIAGONAL,
    LOWER,
    NONNEGATIVE,
    ORTHOGONAL,
    POSITIVE,
    PROBABILITY,
    SKEW,
    TOTAL,
    UPPER,
)
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.saturation.schedule import (
    PURPOSES,
    Budget,
    Derived,
    Explored,
    Observer,
    Report,
    Result,
    Run,
    Strategy,
    solver_seconds,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.loops import with_results, with_steps
from eggrad.engine.terms.term import Term
from eggrad.engine.terms.term_patterns import replaced

# Above this many nodes `auto` differentiates in one mode only.
BOTH_MODES = 40
# What extraction asks of e-classes with tests or indicators; normal forms ask for signs.
TESTS: Final = frozenset({"where", "indicator", *(f.name for f in FUNCTIONS.values() if f.is_test)})
ASKED: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "compare": {
        **dict.fromkeys((KNOWN + POSITIVE, KNOWN + NONNEGATIVE), frozenset[str]()),
        **{
            KNOWN + p: frozenset({DECLARED + p})
            for p in (DEFINITE, SKEW, DIAGONAL, LOWER, UPPER, ORTHOGONAL, PROBABILITY)
        },
    }
}
# Answers that are remembered.
ANSWERS = 256
# How often wider terms are looked for in what was extracted.
WIDENINGS = 8


@dataclass(frozen=True)
class _Search:
    """How to look for the cheapest term: the budget, the sizes, and whether by a solver."""

    budget: Budget
    sizes: tuple[tuple[Size, int], ...] = ()
    exact: bool = False

    @classmethod
    def of(
        cls, budget: Budget | None, sizes: Mapping[Size, int] | None = None, *, exact: bool = False
    ) -> "_Search":
        """A search by the arguments of who asks."""
        known = tuple(sorted((sizes or {}).items(), key=repr))
        return cls(Budget.of(budget), known, exact)

    @property
    def models(self) -> list[CostModel]:
        """What is cheap, anew for every search, for a model keeps what it has worked out."""
        return [CostModel(dict(self.sizes))]

    @property
    def seconds(self) -> float | None:
        """What the solver may take, if there is to be one."""
        return solver_seconds(self.budget) if self.exact else None


class _ThreadGraphs(local):
    """The e-graphs of a thread that nobody uses."""

    def __init__(self) -> None:
        self.free: list[EGraph] = []


class System:
    """A strategy with its rules loaded as they are needed, to be kept: loading takes long."""

    def __init__(self, strategy: Strategy, observer: Observer | None = None) -> None:
        """Prepare; an observer is told of every iteration."""
        self.strategy = strategy
        self.observer = observer
        self._relevance: dict[str, Relevance] = {}
        # egglog's e-graphs may be used, and dropped, in the thread that made them only.
        self._of_thread = _ThreadGraphs()
        self._answers: OrderedDict[Hashable, Result] = OrderedDict()
        self._asking = Lock()

    @contextmanager
    def session(self, purpose: str, *terms: Term) -> Iterator[EGraph]:
        """An empty e-graph for a purpose, with the rules for some terms.

        It is not used again after an error: it may lack matches.
        """
        free, relevance = self._of_thread.free, self._relevance_for(purpose)
        egraph = free.pop() if free else EGraph(relevance)
        egraph.push(symbols_of(*terms), relevance)
        yield egraph
        egraph.pop()
        free.append(egraph)

    def _relevance_for(self, purpose: str) -> Relevance:
        found = self._relevance.get(purpose)
        if found is None:
            stages = PURPOSES[purpose]
            laws = {s: self.strategy.laws_of(s) for s in stages}
            asked = {KNOWN + TOTAL: TESTS, **ASKED.get(purpose, {})}
            found = self._relevance[purpose] = Relevance(laws, asked, self._facts)
        return found

    @cached_property
    def _facts(self) -> tuple[Fact, ...]:
        """All facts: e-graphs, which serve every purpose, have one rule of what follows at once."""
        return tuple(f for r in self.strategy.rulesets for f in r.facts)

    def differentiate(
        self,
        term: Term,
        x: Term,
        mode: str = "auto",
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
    ) -> Result:
        """The derivative of a term with respect to a variable: axes of `term`, then of `x`.

        With `exact` the cheapest of all that was found, by integer programming; needs SciPy.
        """
        search = _Search.of(budget, sizes, exact=exact)
        return self._answer(self._differentiate, search, term, x, mode)

    def _answer(
        self, answer: Callable[..., Result], search: _Search, *question: Hashable
    ) -> Result:
        """An answer, remembered unless it depends on time or somebody looks on."""
        if self.observer or search.exact or search.budget.seconds is not None:
            return answer(search, *question)
        key = (answer.__name__, search, *question)
        found = self._answers.get(key) or answer(search, *question)
        with self._asking:
            self._answers[key] = found
            self._answers.move_to_end(key)
            if len(self._answers) > ANSWERS:
                self._answers.popitem(last=False)
        return found

    def _differentiate(self, search: _Search, term: Term, x: Term, mode: str) -> Result:
        check_slopes(term, x)
        models, seconds = search.models, search.seconds
        roots, rules = self._derivatives(term, x, mode)
        derived = Derived((term,), rules.matches, alike=True)

        def cheapest() -> Result:
            found = self._explored(roots, models, search.budget, derived=derived)
            return self.widened(found, found.cheapest(seconds), search.budget, models, seconds)

        return self._or_as_it_stands(cheapest, roots[:1])

    def _derivatives(self, term: Term, x: Term, mode: str) -> tuple[list[Term], Differentiation]:
        """The derivative as each mode gives it, and the rules that were used."""
        rules = self.derivative_rules(term)
        # The cotangent of a scalar is 1, so that most terms need no rule about deltas.
        cotangent = terms.delta(term.dims) if term.order else terms.constant(1, ())
        ways = {
            "forward": lambda: rules.forward(term, x),
            "reverse": lambda: rules.reverse(term, [x], cotangent)[0],
        }
        found: list[Term] = []
        lacking: MissingRule | None = None
        chosen = {"auto": choose_modes(term, x), "both": tuple(ways)}.get(mode, (mode,))
        # A mode may do without what no rule of another says.
        for name in (*chosen, *(n for n in ways if mode == "auto" and n not in chosen)):
            if name in chosen or not found:
                try:
                    found.append(ways[name]())
                except MissingRule as error:
                    lacking = error
        if lacking and not found:
            raise lacking
        return found, rules

    def derivative_rules(self, *roots: Term) -> Differentiation:
        """The rules of differentiation, with those of the functions declared in some terms."""
        rules = (*self._of_differentiation, *rules_of_functions(*roots))
        return Differentiation(rules, self.strategy.loop_rules_of("reverse"))

    @cached_property
    def _of_differentiation(self) -> tuple[Rule, ...]:
        own = self.strategy.rules_of("forward"), self.strategy.rules_of("reverse")
        return tuple(dict.fromkeys(r for rules in own for r in rules))

    def pull_back(
        self, term: Term, wrt: Sequence[Term], cotangent: Term, budget: Budget | None = None
    ) -> Result:
        """A cotangent of a term, contracted with its derivative by each of some variables.

        The cotangent may depend on them; it is not differentiated. All share what they can.
        """
        return self._answer(self._pull_back, _Search.of(budget), term, cotangent, *wrt)

    def _pull_back(self, search: _Search, term: Term, cotangent: Term, *wrt: Term) -> Result:
        check_slopes(term, *wrt)
        rules = self.derivative_rules(term)
        adjoints = rules.reverse(term, wrt, cotangent)
        return self.refined(adjoints, Derived((term,), rules.matches), search.budget)

    def refined(self, roots: Sequence[Term], derived: Derived, budget: Budget | None) -> Result:
        """Derivatives as the rules have left them, simplified together."""
        models = [CostModel()]

        def cheapest() -> Result:
            found = self._explored(roots, models, budget, derived=derived)
            return self.widened(found, found.cheapest(), budget, models)

        return self._or_as_it_stands(cheapest, roots)

    @staticmethod
    def _or_as_it_stands(search: Callable[[], Result], roots: Sequence[Term]) -> Result:
        """The cheapest terms, or the roots, which are right without a search."""
        return optional("simplifying", search, lambda: Result(tuple(roots), Report()))

    def simplify(
        self,
        roots: Sequence[Term],
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
    ) -> Result:
        """Equal, cheaper terms; several share what they can. `exact` as for `differentiate`."""
        return self._answer(self._simplify, _Search.of(budget, sizes, exact=exact), *roots)

    def _simplify(self, search: _Search, *roots: Term) -> Result:
        models, seconds = search.models, search.seconds

        def cheapest() -> Result:
            found = self._explored(roots, models, search.budget)
            result = found.cheapest(seconds)
            if result.terms == roots:
                return result
            return self.widened(found, result, search.budget, models, seconds)

        return self._or_as_it_stands(cheapest, roots)

    def widened(
        self,
        found: Explored,
        result: Result,
        budget: Budget | None,
        models: Sequence[Model],
        seconds: float | None = None,
    ) -> Result:
        """A result, simplified again as long as some of it may have become wider.

        What equals the wider terms may not equal the narrower ones, so they have an e-graph of
        their own.
        """
        for _ in range(WIDENINGS):
            if not found.is_wider:
                break
            found = self._explored(result.terms, models, budget)
            again = found.cheapest(seconds)
            report = result.report.joined(again.report)
            if again.terms == result.terms:
                return Result(result.terms, report)
            result = Result(again.terms, report)
        return result

    def explore(
        self,
        roots: Sequence[Term],
        models: Sequence[Model],
        budget: Budget | None = None,
        purpose: str = "simplify",
        lacking: Collection[str] = (),
    ) -> Explored:
        """All terms found equal to some roots, among them those that are cheap by each model.

        `purpose` is one of `PURPOSES`. Terms that are lowered to code are first replaced by wider
        ones, which are defined at more values, where these are cheaper.
        Operations that are `lacking` are left out where there is another form.
        """
        found = self._explored(roots, models, budget, purpose=purpose, lacking=lacking)
        if "lowering" in PURPOSES[purpose] and found.is_wider:
            wider = self.simplify(roots, budget).terms
            if wider != tuple(roots):
                return self._explored(wider, models, budget, purpose=purpose, lacking=lacking)
        return found

    def _explored(
        self,
        roots: Sequence[Term],
        models: Sequence[Model],
        budget: Budget | None,
        *,
        purpose: str = "simplify",
        derived: Derived | None = None,
        lacking: Collection[str] = (),
    ) -> Explored:
        """Explore some roots; `derived` says what they are derivatives of."""
        roots, matches = self._collected(self._with_simple_steps(roots, budget), models[0])
        with self.session(purpose, *roots) as egraph:
            own = Budget.of(budget)
            run = Run(
                self.strategy, egraph, own, models, purpose, observer=self.observer, lacking=lacking
            )
            if derived:
                run.derived(derived)
            run.report.matches.update(matches)
            egraph.load(*roots)
            names = [egraph.name(t) for t in roots]
            if derived and derived.alike:
                for other in names[1:]:
                    egraph.unite_names(names[0], other)
                names = names[:1]
            run.begin(names, "differentiate" if derived else "load")
            egraph.assume(nonzero_sums(roots))
            return replace(run.finish(names, () if derived else roots), loaded=roots)

    def _collected(
        self, roots: Sequence[Term], model: Model
    ) -> tuple[Sequence[Term], Counter[str]]:
        """Terms in which the bulk rules of `load` have replaced what they find, and their uses."""
        matches: Counter[str] = Counter()
        for ruleset in self.strategy.load:
            for rule in ruleset.bulk_rules:
                rows = TermRows(terms.postorder(*roots), roots)
                own = {number: term for term, number in rows.numbers.items()}
                graph = Snapshot(rows, model, rows.roots)
                found = {own[cls]: term for cls, term in rule.find(graph)}
                if found:
                    roots = replaced(roots, found)
                    matches[f"{ruleset.name}.{rule.name}"] += len(found)
        return roots, matches

    def _with_simple_steps(self, roots: Sequence[Term], budget: Budget | None) -> Sequence[Term]:
        """Terms whose loops have simplified steps: each is an expression of its own."""
        if not any(t.op == "scan" for t in terms.postorder(*roots)):
            return roots

        def simple(results: Sequence[Term]) -> Sequence[Term]:
            return self.simplify(results, budget).terms

        return with_steps(roots, lambda own: with_results(own, simple))


def choose_modes(term: Term, x: Term) -> tuple[str, ...]:
    """Both for small terms; for large ones reverse if the output is the smaller side.

    >>> v = terms.variable("v", ("n",))
    >>> choose_modes(terms.apply("exp", v), v)
    ('forward', 'reverse')
    """
    nodes = set(terms.postorder(term))
    if not term.order or x not in nodes:
        return ("reverse",)
    if len(nodes) <= BOTH_MODES:
        return ("forward", "reverse")
    return ("reverse",) if term.order <= x.order else ("forward",)


# Adjoints through functions of functions that no term has as a whole, at once.


@dataclass(frozen=True)
class Level:
    """A scalar term, and the variables in it whose adjoints are wanted.

    `above` is the number of an earlier level and the variable there whose value the term is;
    None for the first level alone.
    """

    term: Term
    wrt: tuple[Term, ...]
    above: tuple[int, Term] | None = None


def pull_back_levels(
    system: System, levels: Sequence[Level], cotangent: Term, budget: Budget | None = None
) -> Result:
    """The adjoints of all variables of all levels, given that of the first level's term.

    The adjoint of a level's term is that of the variable above it, so a chain of levels
    multiplies derivatives. Terms are in the order of the levels and of their variables.
    """
    for level in levels:
        check_slopes(level.term, *level.wrt)
    rules = system.derivative_rules(*(level.term for level in levels))
    found: list[dict[Term, Term]] = []
    for level in levels:
        adjoint = cotangent
        if level.above is not None:
            place, variable = level.above
            adjoint = found[place][variable]
        adjoints = rules.reverse(level.term, level.wrt, adjoint)
        found.append(dict(zip(level.wrt, adjoints, strict=True)))
    roots = [t for level in found for t in level.values()]
    return system.refined(roots, Derived((cotangent,), rules.matches), budget)
