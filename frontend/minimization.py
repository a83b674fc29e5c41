"""Minimization: a set of rules with the same results, of which none can be left out.

Delta debugging (Zeller and Hildebrandt 2002): halves of the rules are left out where that changes
no result, then quarters, and so on to single rules, until none of them can go. A case is derived
again only where a rule that fired in it is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eggrad.engine.report import Budget
from eggrad.frontend.ablation import Change
from eggrad.frontend.corpus import Case
from eggrad.frontend.experiment import Outcome, Sizes, experiment
from eggrad.frontend.variant import BASE, Variant, rule_names

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

    >>> from eggrad.frontend.corpus import read_corpus
    >>> from eggrad.frontend.text_parser import parse
    >>> minimize(read_corpus("declare x 0 expression x + 0", parse), 100).rules
    ('multiples.add_zero',)
    """
    search = _Search(cases, sizes, budget, BASE.without(*without), same_text)
    fired = search.kept
    progress(f"{len(fired)} rules fire in {len(cases)} cases")
    size, shrunk = len(fired), True
    while size > 1 or shrunk:
        size = max(1, size // 2)
        shrunk = search.drop_parts(size)
        progress(f"{len(search.kept)} rules are left; tried to leave out {size} at a time")
    return Minimum(tuple(sorted(search.kept)), len(fired), search.tries)


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
        self.kept = self._fired()

    def _fired(self) -> list[str]:
        """The rules that fire now; what does not changes nothing, and is left out for good."""
        return sorted({rule for outcome in self.current.values() for rule in outcome.hits})

    def drop_parts(self, size: int) -> bool:
        """Leave out so many rules at a time where that does no harm; whether it ever did none."""
        before = len(self.kept)
        parts = [self.kept[k : k + size] for k in range(0, before, size)]
        for part in parts:
            rest = set(self.kept).difference(part)
            found = self._outcomes(rest, part) if len(rest) < len(self.kept) else None
            if found is not None:
                self.current |= found
                self.kept = self._fired()
        return len(self.kept) < before

    def _outcomes(self, kept: set[str], dropped: Sequence[str]) -> dict[Case, Outcome] | None:
        """What becomes of the cases in which some rules fire without them; None if worse."""
        self.tries += 1
        variant = BASE.without(*(rule_names(BASE) - kept))
        touched = [c for c, o in self.current.items() if not o.hits.keys().isdisjoint(dropped)]
        found: dict[Case, Outcome] = {}
        outcomes = experiment(touched, variant, self.sizes, self.budget, watched=False)
        for case, outcome in zip(touched, outcomes, strict=True):
            if self._is_worse(Change(self.wanted[case], outcome)):
                # What failed now is likely to fail again: it comes first from now on.
                self.current = {case: self.current[case]} | self.current
                return None
            found[case] = outcome
        return found

    def _is_worse(self, change: Change) -> bool:
        if change.worse:
            return True
        return self.same_text and change.before.text != change.after.text
