"""What is known of terms: properties that facts conclude, and those that are assumed.

egglog concludes facts of e-classes; this is for terms that are in no e-graph, as those of a proof.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final, NamedTuple

from eggrad.engine.laws.language import Known, Node
from eggrad.engine.laws.matching import Bound, matcher_of_terms, views
from eggrad.engine.laws.rule import Fact, Ruleset
from eggrad.engine.terms.functions import function_of
from eggrad.engine.terms.term import Term, postorder

Assumption = tuple[str, Term]
"""A property of a term."""


class Conclusion(NamedTuple):
    """A property of a term, the fact that concludes it, and the properties that it asked for.

    `form` is the number of the fact's form, -1 for one about tensors of any form; `bound` is what
    its letters stand for.
    """

    property: str
    term: Term
    fact: Fact
    premises: tuple[Assumption, ...]
    form: int
    bound: Bound


class Knowledge:
    """What facts say of terms, each looked at once, and what is assumed of some."""

    def __init__(
        self,
        rulesets: Iterable[Ruleset] = (),
        assumed: Iterable[Assumption] = (),
        usable: Callable[[Fact], bool] = lambda _: True,
        *,
        of: str = "",
    ) -> None:
        """Take the facts of some rulesets, those that are usable.

        Who asks for one property alone, `of` terms that may be large, has only those of their parts
        looked at that it depends on.
        """
        self.assumed, self._is_of_one = tuple(assumed), bool(of)
        facts = [f for s in rulesets for f in s.facts if usable(f)]
        if of:
            # Those that ask for nothing come first: what they conclude nothing has to be asked for.
            facts = sorted(_about(of, facts), key=lambda f: len(f.asked))
        self._of_form = [f for f in facts if isinstance(f.claim.tensor, Node)]
        # What a tensor is by what it is a part of, e-classes alone know.
        self._others = [f for f in facts if f.is_of_any_form]
        self._matcher = matcher_of_terms(self._asks)
        self._known: dict[Term, set[str]] = {}
        # What facts have asked for and found known, in order; and why something is known.
        self._asked: list[Assumption] = []
        self._reasons: dict[Assumption, Conclusion] = {}

    def knows(self, p: str, term: Term) -> bool:
        """Whether a term has a property."""
        if term not in self._known:
            for t in postorder(term, operands=self._asked_about):
                if t not in self._known:
                    self._learn(t)
        return p in self._known[term]

    def _asked_about(self, t: Term) -> Sequence[Term]:
        """The operands of which a property has to be known before those of a term are."""
        if t in self._known:
            return ()
        alone = set[str]()
        for constructor, arguments in views(t) if self._is_of_one else ():
            for fact in self._of_form:
                p = str(fact.claim.property)
                if fact.claim.tensor.constructor != constructor or p in alone:
                    continue
                if _HOPEFUL.concludes(fact, arguments) is not None:
                    if fact.asked:
                        return t.args
                    alone.add(p)
        return () if self._is_of_one else t.args

    def reasons(self, p: str, term: Term) -> tuple[str, ...]:
        """The facts that show a property of a term, named as `ruleset.fact`, premises first."""
        steps = self.derivation(p, term)
        return tuple(dict.fromkeys(f"{s.fact.ruleset}.{s.fact.name}" for s in steps))

    def derivation(self, p: str, term: Term) -> tuple[Conclusion, ...]:
        """What shows a property of a term, premises first; what is assumed is left out."""
        found: dict[Assumption, Conclusion] = {}
        stack: list[tuple[Assumption, bool]] = [((p, term), False)]
        seen: set[Assumption] = set()
        while stack:
            assumption, is_shown = stack.pop()
            if assumption not in self._reasons or (assumption in seen and not is_shown):
                continue
            seen.add(assumption)
            reason = self._reasons[assumption]
            if is_shown:
                found.setdefault(assumption, reason)
                continue
            stack.append((assumption, True))
            stack.extend((premise, False) for premise in reversed(reason.premises))
        return tuple(found.values())

    def _asks(self, p: str, term: Term) -> bool:
        if not self.knows(p, term):
            return False
        self._asked.append((p, term))
        return True

    def _conclude(self, fact: Fact, t: Term, form: int, bound: Bound) -> None:
        p = str(fact.claim.property)
        self._known[t].add(p)
        # A fact that holds has asked for all of its conditions last.
        count = sum(isinstance(c, Known) for c in fact.conditions)
        premises = tuple(self._asked[len(self._asked) - count :])
        self._reasons.setdefault((p, t), Conclusion(p, t, fact, premises, form, bound))
        self._asked.clear()

    def _learn(self, t: Term) -> None:
        """Conclude what follows for a term of whose operands all is known."""
        found = self._known[t] = {p for p, other in self.assumed if other is t}
        for constructor, arguments in views(t):
            for fact in self._of_form:
                is_new = str(fact.claim.property) not in found
                if is_new and fact.claim.tensor.constructor == constructor:
                    concluded = self._matcher.concludes(fact, arguments)
                    if concluded is not None:
                        self._conclude(fact, t, *concluded)
        size = -1
        while size < len(found):
            size = len(found)
            for fact in self._others:
                p = str(fact.claim.property)
                bound = None if p in found else self._matcher.follows(fact, t)
                if bound is not None:
                    self._conclude(fact, t, -1, bound)


# As if everything were known.
_HOPEFUL: Final = matcher_of_terms(lambda _p, _t: True)


def _about(p: str, facts: Sequence[Fact]) -> list[Fact]:
    """The facts that a property may follow from, by way of others."""
    wanted, size = {p}, 0
    while size < len(wanted):
        size = len(wanted)
        for fact in facts:
            if str(fact.claim.property) in wanted:
                wanted |= fact.asked
    return [f for f in facts if str(f.claim.property) in wanted]


class NumberedFacts(Container[tuple[str, int]]):
    """What is known of terms that have numbers, worked out when it is asked for."""

    def __init__(
        self, knowledge: Knowledge, terms: Iterable[Term], numbers: dict[Term, int]
    ) -> None:
        """Name the terms."""
        self._knowledge = knowledge
        self._terms = {numbers[t]: t for t in terms}

    def __contains__(self, key: object) -> bool:
        """Whether a property is known of the term with a number."""
        p, number = key if isinstance(key, tuple) else ("", -1)
        return number in self._terms and self._knowledge.knows(p, self._terms[number])


def needed(facts: Sequence[Fact], roots: Iterable[Term]) -> tuple[Assumption, ...]:
    """What has to hold for some terms to be defined, by facts about what is defined.

    What a step function multiplies may be left out where it is undefined.
    """
    terms = list(roots)
    steps = _with_steps(terms)
    return claimed(facts, postorder(*terms, operands=lambda t: _decisive(t, steps)))


def claimed(facts: Sequence[Fact], nodes: Iterable[Term]) -> tuple[Assumption, ...]:
    """What facts that begin with `defined` say of the operands of some nodes."""
    found: dict[Assumption, None] = {}
    matcher = matcher_of_terms()
    for t in nodes:
        for constructor, arguments in views(t):
            for fact in facts:
                whole = fact.conditions[0]
                assert isinstance(whole, Known)
                assert isinstance(whole.tensor, Node)
                if whole.tensor.constructor == constructor:
                    found |= dict.fromkeys(matcher.needs(fact, whole.tensor, arguments))
    return tuple(a for a in found if a[1].op != "constant")


def _with_steps(roots: Iterable[Term]) -> set[Term]:
    """The terms that have a step function in them, so that they may be 0."""
    found: set[Term] = set()
    for t in postorder(*roots):
        function = function_of(t.op, t.data)
        # What it multiplies may be left out where it is 0.
        if (function and function.vanishes) or not found.isdisjoint(t.args):
            found.add(t)
    return found


def _decisive(t: Term, steps: set[Term]) -> tuple[Term, ...]:
    """The operands without which a term is undefined if they are."""
    if t.op == "where":
        return t.args[:1]
    if t.op != "einsum" or len(t.args) < 2:
        return t.args
    a, b = t.args
    return tuple(x for x, other in ((a, b), (b, a)) if other not in steps)
