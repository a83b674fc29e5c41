"""Laws matched against terms, in Python: which instances of a law begin with a term.

egglog matches laws faster; this is for proofs, which have to know every instance they use.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from eggrad.engine.laws.closed import Closing, Reject
from eggrad.engine.laws.language import Call, Differ, Known, Law, Literal, Node, Parameter, Tensor
from eggrad.engine.laws.mirror import Same, mirrored
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.terms.constructors import is_multiple, parts, product_parts
from eggrad.engine.terms.term import Term

__all__ = ["Instance", "Matcher", "Pattern", "View", "matcher_of_terms", "patterns", "views"]

Bound = Mapping[str, Any]
Arguments = tuple[object, ...]
View = tuple[str, Arguments]
"""A constructor that a term may be read as, with its arguments."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """A variant of a rule's law; a `reversed` one leads from its right side to its left."""

    rule: Rule
    law: Law
    reversed: bool

    @property
    def constructor(self) -> str:
        """What the side that is matched begins with."""
        return self.law.node.constructor


@lru_cache(maxsize=4096)
def patterns(rule: Rule) -> tuple[Pattern, ...]:
    """Every variant of a rule's law, as `mirrored` makes them."""
    left = rule.statement.left
    return tuple(Pattern(rule, law, law.right is left) for law in mirrored(rule.statement))


@dataclass(frozen=True, eq=False)
class Instance:
    """Both sides of a law at some bindings: the first is the one that was matched."""

    pattern: Pattern
    first: Term
    second: Term


def views(t: Term) -> Iterator[View]:
    """The constructors that a term may be read as: a multiple is a product as well."""
    constructor, data, operands = parts(t)
    yield constructor, data + operands
    if is_multiple(t):
        constructor, data, operands = product_parts(t)
        yield constructor, data + operands


@dataclass(frozen=True)
class Matcher:
    """What a pattern is matched in: the members of a term's class, and whether two are equal.

    What was `seen` at earlier calls is left out, if they are to be remembered. `known` says
    whether a term has a property.
    """

    members: Callable[[Term, str], Iterable[Arguments]]
    same: Callable[[Term, Term], bool]
    seen: set[Hashable] | None = None
    known: Callable[[str, Term], bool] = lambda _p, _t: False

    def instances(self, pattern: Pattern, arguments: Arguments) -> Iterator[Instance]:
        """The instances of a law whose matched side has its constructor with these arguments."""
        left = pattern.law.node
        pairs = tuple(zip(left.args, arguments, strict=True))
        for bound, computed in self._extend(pairs, {}, ()):
            key = (pattern, *bound.items()) if self.seen is not None else None
            if self.seen is not None and key in self.seen:
                continue
            found = self._close(pattern, bound, computed)
            # What is not known yet may be so later.
            if self.seen is not None and (found or not pattern.rule.is_conditional):
                self.seen.add(key)
            if found is not None:
                yield found

    def concludes(self, fact: Fact, arguments: Arguments) -> bool:
        """Whether a fact says something of what its constructor makes of some arguments."""
        pairs = tuple(zip(fact.claim.tensor.args, arguments, strict=True))
        matches = self._extend(pairs, {}, ())
        return any(self._hold(fact.conditions, bound) for bound, _ in matches)

    def follows(self, fact: Fact, t: Term) -> bool:
        """Whether a fact concludes a property of a term from others that it has."""
        return self._hold(fact.conditions, {fact.claim.tensor.name: t})

    def needs(self, fact: Fact, whole: Node, arguments: Arguments) -> Iterator[tuple[str, Term]]:
        """What a fact says of operands, given that what is made of them is defined."""
        pairs = tuple(zip(whole.args, arguments, strict=True))
        for bound, _ in self._extend(pairs, {}, ()):
            if self._hold(fact.conditions[1:], bound):
                yield fact.claim.property, Closing(bound).build(fact.claim.tensor)

    def _hold(self, conditions: Iterable[Tensor], bound: Bound) -> bool:
        closing = Closing(bound)
        try:
            return all(
                self.known(closing.build(c.property), closing.build(c.tensor))
                if isinstance(c, Known)
                else closing.build(c)
                for c in conditions
            )
        except Reject:
            return False

    def _extend(
        self,
        pairs: tuple[tuple[object, object], ...],
        bound: Bound,
        computed: tuple[tuple[Call, object], ...],
    ) -> Iterator[tuple[Bound, tuple[tuple[Call, object], ...]]]:
        """Match patterns with values, one after the other; computed values are left for later."""
        for k, (pattern, value) in enumerate(pairs):
            match pattern:
                case Parameter(name=name):
                    if name not in bound:
                        bound = {**bound, name: value}
                    elif not self._equal(bound[name], value):
                        return
                case Node(constructor=constructor, args=args):
                    for found in self.members(cast(Term, value), constructor):
                        inner = tuple(zip(args, found, strict=True))
                        yield from self._extend(inner + pairs[k + 1 :], bound, computed)
                    return
                case Call():
                    computed = (*computed, (pattern, value))
                case Literal(value=wanted):
                    if wanted != value:
                        return
                case wanted:
                    if wanted != value:
                        return
        yield bound, computed

    def _equal(self, a: object, b: object) -> bool:
        return self.same(a, b) if isinstance(a, Term) and isinstance(b, Term) else a == b

    def _close(
        self, pattern: Pattern, found: Bound, computed: tuple[tuple[Call, object], ...]
    ) -> Instance | None:
        """Both sides, if the conditions hold."""
        bound = dict(found)
        closing = Closing(bound)
        try:
            for c in pattern.law.conditions:
                if isinstance(c, Same):
                    value = closing.build(c.value)
                    if not self._equal(bound.setdefault(c.parameter.name, value), value):
                        return None
                elif isinstance(c, Known):
                    if not self.known(closing.build(c.property), closing.build(c.tensor)):
                        return None
                elif isinstance(c, Differ):
                    if self.same(closing.build(c.first), closing.build(c.second)):
                        return None
                elif not closing.build(c):
                    return None
            if any(closing.build(call) != value for call, value in computed):
                return None
            return Instance(
                pattern, closing.build(pattern.law.left), closing.build(pattern.law.right)
            )
        except Reject:
            return None


def matcher_of_terms(known: Callable[[str, Term], bool] = lambda _p, _t: False) -> Matcher:
    """The matcher that sees terms as they stand: nothing is equal to anything else."""

    def members(t: Term, constructor: str) -> Iterator[Arguments]:
        return (arguments for name, arguments in views(t) if name == constructor)

    return Matcher(members, lambda a, b: a is b, known=known)
