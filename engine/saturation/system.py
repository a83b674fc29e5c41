"""Which rulesets run when, and to what budget: load, differentiate, simplify, explore, extract."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import local
from types import MappingProxyType
from typing import Any, Final

from eggrad.engine.costs.cost import CostModel, Model
from eggrad.engine.egraph.compile_rules import DECLARED, KNOWN, Relevance, symbols_of
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.errors import MissingRule
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.guard import optional
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.laws.declared_slopes import (
    functions_made,
    rules_of_functions,
)
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.properties import (
    AFFINE,
    CONCAVE,
    CONVEX,
    DEFINITE,
    DIAGONAL,
    INVERTIBLE,
    LOWER,
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    ORTHOGONAL,
    POSITIVE,
    PROBABILITY,
    SKEW,
    TOTAL,
    UPPER,
    WITHIN_ONE,
)
from eggrad.engine.laws.rule import Fact, LoopRule, Rule
from eggrad.engine.recent import Recent
from eggrad.engine.saturation.differentiation import Derivation, Loops, cuts
from eggrad.engine.saturation.schedule import (
    PURPOSES,
    Budget,
    Explored,
    Observer,
    Report,
    Result,
    Run,
    Strategy,
    solver_seconds,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import FUNCTIONS, OwnFunction
from eggrad.engine.terms.loops import Recurrence, with_results, with_steps
from eggrad.engine.terms.term import LoopStep, Term, own_functions
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
    },
    "convexity": dict.fromkeys(
        (
            *(KNOWN + p for p in (CONVEX, CONCAVE, AFFINE, NONNEGATIVE, NONPOSITIVE, POSITIVE)),
            *(KNOWN + p for p in (NEGATIVE, NONZERO, WITHIN_ONE, DEFINITE, INVERTIBLE, TOTAL)),
        ),
        frozenset[str](),
    ),
}
MODES: Final = ("forward", "reverse")
# Answers that are remembered.
ANSWERS = 256
# How often wider terms are looked for in what was extracted.
WIDENINGS = 8


# Names of each of some derivatives or adjoints, asked for in several ways.
Groups = list[list[str]]


@dataclass(frozen=True)
class Search:
    """How to look for the cheapest term: the budget, the sizes, and whether by a solver.

    Without `explore` there is no search: terms are as laws leave them.
    """

    budget: Budget
    sizes: tuple[tuple[Size, int], ...] = ()
    exact: bool = False
    explore: bool = True

    @classmethod
    def of(
        cls,
        budget: Budget | None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
        explore: bool = True,
    ) -> "Search":
        """A search by the arguments of who asks."""
        known = tuple(sorted((sizes or {}).items(), key=repr))
        return cls(Budget.of(budget), known, exact, explore)

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
        self._answers = Recent[Hashable, Result](ANSWERS)

    @contextmanager
    def session(self, purpose: str, *terms: Term) -> Iterator[EGraph]:
        """An empty e-graph for a purpose, with the rules for some terms.

        It is not used again after an error: it may lack matches.
        """
        free, relevance = self._of_thread.free, self._relevance_for(purpose)
        egraph = free.pop() if free else EGraph(relevance)
        egraph.push(symbols_of(*terms), relevance)
        whole = False
        try:
            yield egraph
            whole = not egraph.abandoned
        finally:
            if not whole:
                egraph.drop()
        if whole:
            egraph.pop()
            free.append(egraph)

    def _relevance_for(self, purpose: str) -> Relevance:
        found = self._relevance.get(purpose)
        if found is None:
            stages = PURPOSES[purpose]
            laws = {s: self.strategy.laws_of(s) for s in stages}
            derivatives = laws.get("differentiate", ())
            if any(isinstance(law, Rule) and law.is_conditional for law in derivatives):
                laws["differentiate"] = (*derivatives, *self._facts)
            asked = {KNOWN + TOTAL: TESTS, **ASKED.get(purpose, {})}
            facts = self._facts
            if purpose == "convexity":
                # Ranges are asked for themselves.
                facts = tuple(replace(f, decides=frozenset[str]()) for f in facts)
            found = self._relevance[purpose] = Relevance(laws, asked, facts)
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
        explore: bool = True,
    ) -> Result:
        """The derivative of a term with respect to a variable: axes of `term`, then of `x`.

        With `exact` the cheapest of all that was found, by integer programming; needs SciPy.
        Without `explore` it is as the laws of derivatives leave it.
        """
        search = Search.of(budget, sizes, exact=exact, explore=explore)
        return self._answer(self._differentiate, search, term, x, mode)

    def _answer(self, answer: Callable[..., Result], search: Search, *question: Hashable) -> Result:
        """An answer, remembered unless it depends on time or somebody looks on."""
        if self.observer or search.exact or search.budget.seconds is not None:
            return answer(search, *question)
        key = (answer.__name__, search, *question)
        found = self._answers.get(key) or answer(search, *question)
        if not found.report.failed:
            self._answers.put(key, found)
        return found

    def _differentiate(self, search: Search, term: Term, x: Term, mode: str) -> Result:
        # A law of a user's may be about what a mode has no place for.
        small = BOTH_MODES if search.explore else 0
        auto = MODES if self._has_own_derivatives else choose_modes(term, x, small)
        chosen = {"auto": auto, "both": MODES}.get(mode, (mode,))

        def push(derivation: Derivation, root: Term) -> list[str]:
            return derivation.pushed([root], (x.name, x.dims))

        def pull(derivation: Derivation, root: Term) -> list[str]:
            return derivation.pulled([(root, derivation.one(root.dims))], [x], root.dims)

        def cut(derivation: Derivation, root: Term) -> list[str]:
            narrow = cuts(root, x, search.models[0].entries)
            return [derivation.through_cuts(root, x, narrow)] if narrow else []

        by_mode = {"forward": push, "reverse": pull}
        ways = [*map(by_mode.__getitem__, chosen), *([cut] if len(chosen) > 1 else [])]
        # What is tried where all of these lack a law.
        others = [by_mode[m] for m in MODES if mode == "auto" and m not in chosen]

        def ask(derivation: Derivation, egraph: EGraph, roots: Sequence[Term]) -> Groups:
            (root,) = roots
            names: list[str] = []
            lacking: list[MissingRule] = []
            for way in (*ways, *others):
                if names and way in others:
                    break
                try:
                    names += way(derivation, root)
                except MissingRule as error:
                    # Of a loop: its law differentiates the step at once.
                    lacking.append(error)
            if not names:
                raise lacking[0]
            return [names]

        return self.derived([term], ask, search)

    def derived(
        self,
        origins: Sequence[Term],
        ask: Callable[[Derivation, EGraph, Sequence[Term]], Groups],
        search: Search,
    ) -> Result:
        """The cheapest terms of derivatives or adjoints, each asked for in some ways."""
        budget, models, seconds = search.budget, search.models, search.seconds
        simple = self._with_simple_steps(origins, budget) if search.explore else origins
        roots, matches = self._collected(simple, models[0])
        with self._differentiating(search, models, *roots) as (run, derivation):
            run.report.matches.update(matches)
            asked = ask(derivation, run.egraph, roots)
            ways = [*asked, *derivation.alike]
            known, alone = run.differentiate(ways, derivation)
            ways = [[n for n in group if n in known] for group in ways]
            as_found = tuple(known[first] for first, *_ in ways[: len(asked)])
            if not search.explore:
                return Result(self._chosen(as_found, models), run.report)
            derived, matches = self._collected([*known.values()], models[0])
            if matches or not alone:
                run.report.matches.update(matches)
                reloaded = run.egraph.restart(*derived)
                again = {n: reloaded[t] for n, t in zip(known, derived, strict=True)}
                ways = [[again[n] for n in group] for group in ways]
            answers = [first for first, *_ in ways[: len(asked)]]
            alike = [group for group in ways if len(group) > 1]
            run.begin(answers, "differentiate")

            def explored() -> Explored:
                facts = nonzero_sums(derived)
                run.egraph.load(*(t for _, t in facts))
                run.egraph.assume(facts)
                found = run.finish(answers, alike=alike)
                return replace(found, loaded=[*roots, *derivation.made])

            found = optional("simplifying", explored, run.egraph.abandon)
        if found is None:
            return Result(as_found, Report(failed=True))

        def cheapest() -> Result:
            return self.widened(found, found.cheapest(seconds), budget, models, seconds)

        return self._or_as_it_stands(cheapest, as_found)

    @contextmanager
    def _differentiating(
        self,
        search: Search,
        models: Sequence[Model],
        *roots: Term,
        places: Sequence[Term] = (),
    ) -> Iterator[tuple[Run, Derivation]]:
        """A run in which derivatives of some terms may be asked for, with seeds in some places."""
        purpose, budget = "differentiate" if search.explore else "derive", search.budget
        with self.session(purpose, *roots) as egraph:
            run = Run(self.strategy, egraph, budget, models, purpose, observer=self.observer)
            egraph.declare(rules_of_functions([*own_functions(*roots), *self._own_functions]))
            steps = {t.loop.step for t in terms.postorder(*roots) if t.op == "scan"}
            simple = partial(self._with_simple_steps, budget=budget, kept=steps)
            loops = Loops(self._of_loop, simple if search.explore else tuple)
            derivation = Derivation(egraph, loops, roots, places)
            run.begin([derivation.name(t) for t in roots])
            yield run, derivation

    def _of_loop(self, name: str, *given: object) -> Any:
        """What a law on loops makes of one, by the other rules of differentiation."""
        rule = self._loop_rules.get(name)
        if rule is None:
            raise MissingRule(f"no rule has the derivative of loops, such as {name}")
        return rule.derive(self, *given)

    @cached_property
    def _own_functions(self) -> tuple[OwnFunction, ...]:
        """The declared functions that laws of derivatives lead to."""
        return functions_made(self.strategy.rules_of("differentiate"))

    @cached_property
    def _has_own_derivatives(self) -> bool:
        return any(s.stage == "differentiate" and s.rules for s in self.strategy.differentiate)

    @cached_property
    def _loop_rules(self) -> Mapping[str, LoopRule]:
        return {rule.name: rule for rule in self.strategy.loop_rules_of("differentiate")}

    def pushed(self, roots: Sequence[Term], tangents: Mapping[Term, Term], wrt: Dims) -> list[Term]:
        """The tangents of some terms, given those of variables: axes of a term, then `wrt`."""

        def ask(derivation: Derivation, egraph: EGraph) -> list[str]:
            given = egraph.load(*tangents.values())
            names = {v: given[t] for v, t in tangents.items()}
            return derivation.pushed(roots, ("direction", wrt), names)

        return self._as_laws_leave_them(roots, ask, places=[*tangents])

    def pulled(self, roots: Sequence[tuple[Term, Term]], wrt: Sequence[Term]) -> list[Term]:
        """The cotangents of some nodes, given those of roots: any axes, then those of a term."""
        (first, cotangent), *_ = roots
        lead = cotangent.dims[: cotangent.order - first.order]

        def ask(derivation: Derivation, egraph: EGraph) -> list[str]:
            given = egraph.load(*(t for _, t in roots))
            return derivation.pulled([(r, given[t]) for r, t in roots], wrt, lead)

        return self._as_laws_leave_them([r for r, _ in roots], ask)

    def _as_laws_leave_them(
        self,
        roots: Sequence[Term],
        ask: Callable[[Derivation, EGraph], list[str]],
        places: Sequence[Term] = (),
    ) -> list[Term]:
        """Derivatives or adjoints that are not simplified, with seeds in some places."""
        search = Search.of(None)
        with self._differentiating(search, search.models, *roots, places=places) as (
            run,
            derivation,
        ):
            asked = ask(derivation, run.egraph)
            known, _ = run.differentiate([[n] for n in asked], derivation)
            return [known[n] for n in asked]

    def pull_back(
        self,
        term: Term,
        wrt: Sequence[Term],
        cotangent: Term,
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        explore: bool = True,
    ) -> Result:
        """A cotangent of a term, contracted with its derivative by each of some variables.

        The cotangent may depend on them; it is not differentiated. All share what they can.
        Without `explore` they are as the laws of derivatives leave them.
        """
        search = Search.of(budget, sizes, explore=explore)
        return self._answer(self._pull_back, search, term, cotangent, *wrt)

    def _pull_back(self, search: Search, term: Term, cotangent: Term, *wrt: Term) -> Result:
        lead = cotangent.dims[: cotangent.order - term.order]

        def ask(derivation: Derivation, egraph: EGraph, roots: Sequence[Term]) -> Groups:
            (root,) = roots
            found = derivation.pulled([(root, egraph.load(cotangent)[cotangent])], wrt, lead)
            return [[name] for name in found]

        return self.derived([term], ask, search)

    @staticmethod
    def _or_as_it_stands(search: Callable[[], Result], roots: Sequence[Term]) -> Result:
        """The cheapest terms, or the roots, which are right without a search."""
        return optional("simplifying", search, lambda: Result(tuple(roots), Report(failed=True)))

    def simplify(
        self,
        roots: Sequence[Term],
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
    ) -> Result:
        """Equal, cheaper terms; several share what they can. `exact` as for `differentiate`."""
        return self._answer(self._simplify, Search.of(budget, sizes, exact=exact), *roots)

    def _simplify(self, search: Search, *roots: Term) -> Result:
        models, seconds = search.models, search.seconds

        def cheapest() -> Result:
            found = self._explored(roots, models, search.budget)
            result = found.cheapest(seconds)
            if result.terms == roots:
                return result
            return self.widened(found, result, search.budget, models, seconds)

        return self._or_as_it_stands(cheapest, roots)

    def _chosen(self, roots: Sequence[Term], models: Sequence[Model]) -> tuple[Term, ...]:
        """Terms in which what a choice leaves out has no part; all others as they are."""
        # Indicators are read where they lie: no number is multiplied by them.
        if not any(t.op in TESTS and t.op != "indicator" for t in terms.postorder(*roots)):
            return tuple(roots)
        found = self._explored(roots, models, None, purpose="choose")
        return self.widened(found, found.cheapest(), None, models, purpose="choose").terms

    def widened(
        self,
        found: Explored,
        result: Result,
        budget: Budget | None,
        models: Sequence[Model],
        seconds: float | None = None,
        *,
        purpose: str = "simplify",
    ) -> Result:
        """A result, simplified again as long as some of it may have become wider.

        What equals the wider terms may not equal the narrower ones, so they get a new
        e-graph.
        """
        for _ in range(WIDENINGS):
            if not found.is_wider:
                break
            found = self._explored(result.terms, models, budget, purpose=purpose)
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
        *,
        names: Mapping[Term, Term] = MappingProxyType({}),
    ) -> Explored:
        """All terms found equal to some roots, among them those that are cheap by each model.

        `purpose` is one of `PURPOSES`. Terms that are explored for code are first replaced by wider
        ones, which are defined at more values, where these are cheaper.
        Operations that are `lacking` are left out where there is another form. `names` are
        variables for terms whose values somebody else computes.
        """
        found = self._explored(roots, models, budget, purpose=purpose, lacking=lacking, names=names)
        if {"lowering", "explore"}.issubset(PURPOSES[purpose]) and found.is_worth_wider:
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
        lacking: Collection[str] = (),
        names: Mapping[Term, Term] = MappingProxyType({}),
    ) -> Explored:
        """Explore some roots."""
        roots, matches = self._collected(self._with_simple_steps(roots, budget), models[0])
        with self.session(purpose, *roots) as egraph:
            limit = Budget.of(budget)
            run = Run(
                self.strategy,
                egraph,
                limit,
                models,
                purpose,
                observer=self.observer,
                lacking=lacking,
            )
            run.report.matches.update(matches)
            egraph.load(*roots, *names)
            root_names = [egraph.name(t) for t in roots]
            run.begin(root_names)
            egraph.assume(nonzero_sums(roots))
            return replace(run.finish(root_names, roots, elsewhere=names), loaded=roots)

    def _collected(
        self, roots: Sequence[Term], model: Model
    ) -> tuple[Sequence[Term], Counter[str]]:
        """Terms in which the bulk rules of `load` have replaced what they find, and their uses."""
        matches: Counter[str] = Counter()
        for ruleset in self.strategy.load:
            for rule in ruleset.bulk_rules:
                rows = TermRows(terms.postorder(*roots), roots)
                by_number = {number: term for term, number in rows.numbers.items()}
                graph = Snapshot(rows, model, rows.roots)
                found = {by_number[cls]: term for cls, term in rule.find(graph)}
                if found:
                    roots = replaced(roots, found)
                    matches[f"{ruleset.name}.{rule.name}"] += len(found)
        return roots, matches

    def _with_simple_steps(
        self, roots: Sequence[Term], budget: Budget | None, kept: Collection[LoopStep] = ()
    ) -> Sequence[Term]:
        """Terms whose loops have simplified steps, some as they are: each is an expression."""
        if not any(t.op == "scan" for t in terms.postorder(*roots)):
            return roots

        def simple(recurrence: Recurrence) -> Recurrence:
            if recurrence.step in kept:
                return recurrence
            return with_results(recurrence, lambda results: self.simplify(results, budget).terms)

        return with_steps(roots, simple)


def choose_modes(term: Term, x: Term, small: int = BOTH_MODES) -> tuple[str, ...]:
    """Both for small terms; for large ones reverse if the output is the smaller side.

    >>> v = terms.variable("v", ("n",))
    >>> choose_modes(terms.apply("exp", v), v)
    ('forward', 'reverse')
    """
    nodes = set(terms.postorder(term))
    if not term.order or x not in nodes:
        return ("reverse",)
    if len(nodes) <= small:
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

    def ask(derivation: Derivation, egraph: EGraph, roots: Sequence[Term]) -> Groups:
        names = egraph.load(cotangent)
        found: list[dict[Term, str]] = []
        for level, root in zip(levels, roots, strict=True):
            adjoint = names[cotangent]
            if level.above is not None:
                place, variable = level.above
                adjoint = found[place][variable]
            adjoints = derivation.pulled([(root, adjoint)], level.wrt, ())
            found.append(dict(zip(level.wrt, adjoints, strict=True)))
        return [[name] for level in found for name in level.values()]

    return system.derived([level.term for level in levels], ask, Search.of(budget))
