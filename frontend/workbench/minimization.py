"""Minimization: a set of rules with the same results, of which none can be left out.

Delta debugging (Zeller and Hildebrandt 2002): halves of the rules are left out where that changes
no result, then quarters, and so on to single rules, until none of them can go. A case is derived
again only where a rule that fired in it is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eggrad.engine.equality.equivalence import smallest_part
from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.workbench.ablation import Change
from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.experiment import Outcome, Sizes, experiment
from eggrad.frontend.workbench.variant import BASE, Variant, rule_names

__all__ = ["Minimum", "minimize"]


@dataclass(frozen=True)
class Minimum:
    """The rules that are left of those that fired, and how many sets were tried."""

    rules: tuple[str, ...]
    fired: int
    tries: int


def minimize(
    cases: Sequence[Case],
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    without: Sequence[str] = (),
    same_text: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Minimum:
    """A smallest set of rules: without any one of them some result is worse than with all rules.

    Worse is a result that takes more operations or nodes, that a budget cuts short, or that is
    not there; with `same_text` any that is written otherwise. The budget holds for each case.
    The rules and rulesets of `without` are left out from the start.

    >>> from eggrad.frontend.workbench.corpus import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> minimize(read_corpus("declare x 0 expression x + 0", parse), 100).rules
    ('multiples.add_zero',)
    """
    search = _Search(cases, sizes, budget, BASE.without(*without), same_text)
    fired = search.fired()
    progress(f"{len(fired)} rules fire in {len(cases)} cases")

    def suffices(rest: Sequence[str]) -> bool:
        enough = search.suffices(rest)
        progress(f"{len(rest)} rules {'do' if enough else 'do not'}")
        return enough

    rules = smallest_part(fired, suffices)
    return Minimum(tuple(rules), len(fired), search.tries)


class _Search:
    """The rules that are still needed, and the outcomes with them."""

    def __init__(
        self,
        cases: Sequence[Case],
        sizes: Sizes,
        budget: Budget | None,
        base: Variant,
        same_text: bool,
    ) -> None:
        self.sizes = sizes
        self.budget = budget
        self.same_text = same_text
        self.tries = 0
        found = experiment(cases, base, sizes, budget, watched=False)
        self.wanted = dict(zip(cases, found, strict=True))
        self.current = self.wanted.copy()

    def fired(self) -> list[str]:
        """The rules that fire with the last set that was enough; the others change nothing."""
        return sorted({rule for outcome in self.current.values() for rule in outcome.hits})

    def suffices(self, rules: Sequence[str]) -> bool:
        """Whether no case is worse with these rules alone, some of those tried with success."""
        dropped = set(self.fired()).difference(rules)
        touched = [c for c, o in self.current.items() if not o.hits.keys().isdisjoint(dropped)]
        if not touched:
            return True
        self.tries += 1
        variant = BASE.without(*(rule_names(BASE) - set(rules)))
        found: dict[Case, Outcome] = {}
        outcomes = experiment(touched, variant, self.sizes, self.budget, watched=False)
        for case, outcome in zip(touched, outcomes, strict=True):
            if self._is_worse(Change(self.wanted[case], outcome)):
                # What failed now is likely to fail again: it comes first from now on.
                self.current = {case: self.current[case]} | self.current
                return False
            found[case] = outcome
        self.current |= found
        return True

    def _is_worse(self, change: Change) -> bool:
        if change.worse:
            return True
        return self.same_text and change.before.text != change.after.text
