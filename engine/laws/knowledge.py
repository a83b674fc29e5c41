"""What is known of terms: properties that facts conclude, and those that are assumed.

egglog concludes facts of e-classes; this is for terms that are in no e-graph, as those of a proof.
"""

from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import cast

from eggrad.engine.indices.spec import Spec, scaling
from eggrad.engine.laws.language import Known, Node, Parameter
from eggrad.engine.laws.matching import Arguments, matcher_of_terms, views
from eggrad.engine.laws.primitives import compose, inline, swap
from eggrad.engine.laws.rule import Fact, Ruleset
from eggrad.engine.terms.functions import function_of
from eggrad.engine.terms.term import Term, add, constant, einsum, postorder, power, rebuild

Assumption = tuple[str, Term]
"""A property of a term."""


class Knowledge:
    """What facts say of terms, each looked at once, and what is assumed of some."""

    def __init__(
        self, rulesets: Iterable[Ruleset] = (), assumed: Iterable[Assumption] = ()
    ) -> None:
        """Take the facts of some rulesets."""
        self.assumed = tuple(assumed)
        facts = [f for s in rulesets for f in s.facts]
        self._of_form = [f for f in facts if isinstance(f.claim.tensor, Node)]
        self._others = [f for f in facts if isinstance(f.claim.tensor, Parameter)]
        self._matcher = matcher_of_terms(self._asks)
        self._known: dict[Term, set[str]] = {}
        # What facts have asked for and found known, in order; and why something is known.
        self._asked: list[Assumption] = []
        self._reasons: dict[Assumption, tuple[Fact, tuple[Assumption, ...]]] = {}

    def knows(self, p: str, term: Term) -> bool:
        """Whether a term has a property."""
        if term not in self._known:
            for t in postorder(term, operands=lambda t: () if t in self._known else t.args):
                if t not in self._known:
                    self._learn(t)
        return p in self._known[term]

    def reasons(self, p: str, term: Term) -> tuple[str, ...]:
        """The facts that show a property of a term, named as `ruleset.fact`, premises first."""
        found: dict[str, None] = {}
        stack: list[tuple[Assumption, bool]] = [((p, term), False)]
        seen: set[Assumption] = set()
        while stack:
            own, is_shown = stack.pop()
            if own not in self._reasons or (own in seen and not is_shown):
                continue
            seen.add(own)
            fact, premises = self._reasons[own]
            if is_shown:
                found[f"{fact.ruleset}.{fact.name}"] = None
                continue
            stack.append((own, True))
            stack.extend((premise, False) for premise in reversed(premises))
        return tuple(found)

    def _asks(self, p: str, term: Term) -> bool:
        if not self.knows(p, term):
            return False
        self._asked.append((p, term))
        return True

    def _conclude(self, fact: Fact, t: Term) -> None:
        p = str(fact.claim.property)
        self._known[t].add(p)
        # A fact that holds has asked for all of its conditions last.
        count = sum(isinstance(c, Known) for c in fact.conditions)
        premises = tuple(self._asked[len(self._asked) - count :])
        self._reasons.setdefault((p, t), (fact, premises))
        self._asked.clear()

    def _learn(self, t: Term) -> None:
        """Conclude what follows for a term of whose operands all is known."""
        found = self._known[t] = {p for p, other in self.assumed if other is t}
        for constructor, arguments in views(t):
            for fact in self._of_form:
                if self._says(fact, constructor, arguments):
                    self._conclude(fact, t)
        size = -1
        while size < len(found):
            size = len(found)
            for fact in self._others:
                p = str(fact.claim.property)
                if p not in found and self._matcher.follows(fact, t):
                    self._conclude(fact, t)

    def _says(self, fact: Fact, constructor: str, arguments: Arguments) -> bool:
        form = fact.claim.tensor
        fits = isinstance(form, Node) and form.constructor == constructor
        return fits and self._matcher.concludes(fact, arguments)


def in_sums_and_products(root: Term) -> Term:
    """An equal term as facts read it: without differences, quotients and transposed operands.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A = variable("A", ("m", "n"))
    >>> in_sums_and_products(einsum("ij,jk->ik", einsum("ij->ji", A), A)).data
    ((0, 1), (0, 2), (1, 2))
    """
    found: dict[Term, Term] = {}
    for t in postorder(root):
        found[t] = _in_sums_and_products(t, tuple(found[a] for a in t.args))
    return found[root]


def _in_sums_and_products(t: Term, args: tuple[Term, ...]) -> Term:
    match t.op:
        case "negate":
            return _times(-1, args[0])
        case "subtract":
            return add(args[0], _times(-1, args[1]))
        case "divide":
            a, b = args
            if b.op == "constant" and b.data:
                return _times(1 / cast(Fraction, b.data), a)
            inverse = power(b, constant(-1))
            if a.op == "constant" and a.data == 1 and (b.dims or not a.dims):
                return inverse
            parts = [tuple(range(f.order)) for f in (a, inverse)]
            return einsum((*parts, tuple(range(t.order))), a, inverse)
        case "einsum":
            return _without_transposes(t.spec, args)
        case _:
            return rebuild(t, args) if args else t


def _times(number: Fraction | int, a: Term) -> Term:
    return einsum(scaling(a.order), constant(number), a)


def _without_transposes(spec: Spec, args: Sequence[Term]) -> Term:
    """A product on what its operands are transposes of."""
    operands = [*args]
    if len(operands) == 1 and operands[0].op == "einsum" and _is_permutation_of(spec):
        return einsum(compose(spec, operands[0].spec), *operands[0].args)
    for _ in range(len(operands) if len(operands) == 2 else 0):
        if _is_permutation(operands[0]):
            spec = inline(spec, operands[0].spec)
            operands[0] = operands[0].args[0]
        spec, operands = swap(spec), operands[::-1]
    return einsum(spec, *operands)


def _is_permutation_of(spec: Spec) -> bool:
    source, out = spec
    return len(set(source)) == len(source) and sorted(source) == sorted(out)


def _is_permutation(t: Term) -> bool:
    """Whether a term is another one with its axes in some order."""
    return t.op == "einsum" and len(t.args) == 1 and _is_permutation_of(t.spec)


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
    own = list(roots)
    steps = _with_steps(own)
    found: dict[Assumption, None] = {}
    matcher = matcher_of_terms()
    for t in postorder(*own, operands=lambda t: _decisive(t, steps)):
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
        own = function_of(t.op, t.data)
        # What it multiplies may be left out where it is 0.
        if (own and own.vanishes) or not found.isdisjoint(t.args):
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
