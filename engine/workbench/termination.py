"""What a rule adds: whether it follows from the others, and whether rules come to an end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, cast

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.equality.equivalence import fewest, prove
from eggrad.engine.errors import MissingRule
from eggrad.engine.laws.knowledge import Assumption
from eggrad.engine.laws.language import SLOPE_NODES
from eggrad.engine.laws.rule import Rule, Ruleset
from eggrad.engine.saturation.schedule import Budget, Run, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.firing import load_left, telling_instances
from eggrad.engine.workbench.instances import Instance

NODES: Final = 3000
ITERATIONS: Final = 25


@dataclass(frozen=True)
class Growth:
    """The e-nodes after each iteration, and whether the rules came to an end."""

    sizes: tuple[int, ...]
    ended: bool


def check_growth(
    ruleset: Ruleset, instances: Sequence[Instance], settle: Sequence[Ruleset] = ()
) -> Growth:
    """Run a ruleset on both sides of each instance, to the end or to a budget: the worst of them.

    That rules ended here is no proof that they always do. `settle` are the rulesets that run
    after every iteration.
    """
    beside = tuple(s for s in settle if s.name != ruleset.name)
    strategy = Strategy(differentiate=(), simplify=(ruleset,), explore=(), settle=beside)
    system = System(strategy)
    found = [_growth_on(instance, system) for instance in instances]
    return max(found, key=lambda growth: (not growth.ended, growth.sizes[-1]))


def _growth_on(instance: Instance, system: System) -> Growth:
    with system.session("simplify", instance.subject) as egraph:
        _, right, given = load_left(egraph, instance)
        egraph.load(right, given=given)
        run = Run(system.strategy, egraph, Budget(nodes=NODES), [CostModel()])
        run.begin(())
        sizes = [egraph.size()]
        ended = False
        while not (ended or run.exhausted() or len(sizes) > ITERATIONS):
            ended = not run.step("simplify")
            sizes.append(egraph.size())
    return Growth(tuple(sizes), ended)


# Whether a rule follows from the others: both sides of its instances meet without it.


DRAWN: Final = 40


@dataclass(frozen=True)
class Goal:
    """Two terms that are to be proved equal; without a second one, a derivative to be found.

    Of the two, some properties of terms are `assumed`. The derivative is that of the first term by
    `wrt`, in one `mode`: no term has a derivative in it, so that of a law on derivatives nothing
    but an answer can be asked for.
    """

    left: Term
    right: Term | None = None
    wrt: Term | None = None
    mode: str = "forward"
    assumed: tuple[Assumption, ...] = ()

    def reached(self, system: System) -> Iterable[str] | None:
        """The names of the rules that fired, where the goal was reached."""
        if self.right is not None:
            proof = prove(system, self.left, self.right, assumed=self.assumed)
            return proof.report.matches if proof.found else None
        try:
            result = system.differentiate(self.left, cast(Term, self.wrt), self.mode)
        except MissingRule:
            return None
        return result.report.matches


def goals_of(rule: Rule, count: int = 4, seed: int = 0) -> list[Goal]:
    """What has to be reached for a rule to follow: random instances, as general as possible."""
    drawn = sorted(telling_instances(rule, DRAWN, seed), key=_degeneracy)
    goals = [_goal_of(instance) for instance in drawn[:count]]
    # A size that is an integer is, as a term, that constant: there is nothing to be shown.
    return [goal for goal in goals if goal.left is not goal.right]


def _degeneracy(instance: Instance) -> int:
    """How much in an instance is 0, 1, -1 or has no axes: there more laws hold than elsewhere."""
    numbers = [n for n in instance.bound.values() if isinstance(n, Fraction)]
    tensors = [t for t in instance.bound.values() if isinstance(t, Term)]
    sizes = [d for t in tensors for d in t.dims]
    empty = sum(value == () for value in instance.bound.values())
    scalars = sum(not t.dims for t in tensors)
    return sum(n in (0, 1, -1) for n in numbers) + sizes.count(1) + scalars + empty


def _goal_of(instance: Instance) -> Goal:
    node, subject = instance.law.node, instance.subject
    match node.constructor:
        case "derivative":
            bound = instance.bound[node.args[1].name]
            return Goal(subject, wrt=terms.variable(*bound))
        case name if name in SLOPE_NODES.values():
            return Goal(subject, wrt=subject.args[node.args[1]])
        case "pullback":
            return Goal(subject, wrt=subject.args[node.args[1]], mode="reverse")
        case _:
            return Goal(instance.left, instance.right, assumed=instance.known)


def derive(
    goals: Sequence[Goal], strategy: Strategy, without: str, last: Sequence[str] = ()
) -> list[str] | None:
    """A smallest set of rules that reaches all goals, or None where not even all others do.

    Both sides of a goal are in the e-graph from the start: what follows may yet be of use, since
    it finds one side from the other.

    Rules are called by ruleset and name: "sums.like_terms". Rulesets named in `last` are used only
    where the others do not suffice.
    """
    every = (f"{s.name}.{r.name}" for s in strategy.rulesets for r in s.laws)
    rest = strategy.only(name for name in every if name != without)

    def fired(system: System) -> set[str] | None:
        found: set[str] = set()
        for goal in goals:
            matches = goal.reached(system)
            if matches is None:
                return None
            found |= {*matches}
        return found

    # Most laws do not follow: one search with all rules shows it.
    if not goals or fired(System(rest)) is None:
        return None
    return fewest(rest, fired, last)
