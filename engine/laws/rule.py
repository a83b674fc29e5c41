"""Rules and rulesets: laws with a name, a sentence, a source and conditions."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from inspect import getdoc
from itertools import product
from types import FunctionType, MappingProxyType
from typing import Any, Final, Protocol, cast

from eggrad.engine.errors import RuleError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Dims, Spec
from eggrad.engine.laws.language import (
    Call,
    Claim,
    Known,
    Law,
    Literal,
    Node,
    Parameter,
    Row,
    Statable,
    Statement,
    Tensor,
)
from eggrad.engine.laws.primitives import swap
from eggrad.engine.laws.sentences import sentence_of
from eggrad.engine.laws.spelling import spelled, spelled_row
from eggrad.engine.laws.statements import check_row, completed, parameters_of, row_of
from eggrad.engine.terms.term import Term

# Mirrored forms of a law: sums and products commute, so a law written once holds either way.


def mirrored(law: Law, *, again: bool = False) -> Iterator[Law]:
    """Every variant of a law, in both directions where it goes both ways, operands exchanged.

    A node is not exchanged where that only renames the law's variables; with `again` it is where
    one of them occurs elsewhere as well.
    """
    sides = [(law.left, law.right)] + ([(law.right, law.left)] if law.both else [])
    for left, right in sides:
        pairs = [*_of_two(left, ())]
        places = [p for p, (spec, a, b) in pairs if _differ(spec, a, b)]
        if again:
            others = (
                p
                for p, (_, *operands) in pairs
                if _has_others(operands, law.node) or _are_told_apart(operands, law.conditions)
            )
            places += [p for p in others if p not in places]
        for flips in product((False, True), repeat=len(places)):
            chosen = {p for p, flip in zip(places, flips, strict=True) if flip}
            conditions: list[Tensor] = []
            turned = _turn(left, (), chosen, conditions)
            yield Law(turned, right, conditions=(*conditions, *law.conditions))


def _of_two(
    pattern: object, place: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[object, object, object]]]:
    """The places of products and sums of two, with the spec of a product and their operands."""
    if isinstance(pattern, Node):
        if pattern.constructor in ("ein", "add"):
            spec = pattern.args[0] if pattern.constructor == "ein" else None
            yield place, (spec, *pattern.args[-2:])
        for k, a in enumerate(pattern.args):
            yield from _of_two(a, (*place, k))


def _differ(spec: object, a: object, b: object) -> bool:
    """Whether a law says something else where the operands of a product or sum are exchanged."""
    one_sided = isinstance(spec, tuple) and swap(cast(Spec, spec)) != spec
    return one_sided or _skeleton(a) != _skeleton(b)


def _has_others(operands: Sequence[object], whole: Node) -> bool:
    """Whether a letter for a tensor in two different operands occurs elsewhere in the whole."""
    a, b = operands
    counts, totals = Counter([*_tensors(a), *_tensors(b)]), Counter(_tensors(whole))
    return a is not b and any(totals[name] > count for name, count in counts.items())


def _are_told_apart(operands: Sequence[object], conditions: Sequence[Tensor]) -> bool:
    """Whether conditions ask for another thing of one of two letters than of the other."""
    a, b = operands
    if not (isinstance(a, Parameter) and isinstance(b, Parameter)):
        return False
    exchanged = {repr(a): repr(b), repr(b): repr(a)}
    either = re.compile("|".join(map(re.escape, exchanged)))
    texts = [*map(repr, conditions)]
    return sorted(texts) != sorted(either.sub(lambda m: exchanged[m[0]], t) for t in texts)


def _tensors(pattern: object) -> Iterator[str]:
    """The letters for tensors, with repetitions."""
    if isinstance(pattern, Parameter) and pattern.kind is Tensor:
        yield pattern.name
    elif isinstance(pattern, Node):
        for a in pattern.args:
            yield from _tensors(a)


def _skeleton(pattern: object) -> object:
    match pattern:
        case Parameter(kind=kind):
            return repr(kind)
        case Node(constructor=name, args=args):
            return (name, *map(_skeleton, args))
        case Call(function=function, args=args):
            return (function, *map(_skeleton, args))
        case Literal(value=value):
            return value
        case _:
            return pattern


def _turn(
    pattern: object,
    place: tuple[int, ...],
    chosen: set[tuple[int, ...]],
    conditions: list[Tensor],
) -> Tensor:
    if not isinstance(pattern, Node):
        return cast(Tensor, pattern)
    args: list[object] = [
        _turn(a, (*place, k), chosen, conditions) for k, a in enumerate(pattern.args)
    ]
    if place in chosen:
        args[-2:] = [args[-1], args[-2]]
        if pattern.constructor == "ein":
            spec = args[0]
            if isinstance(spec, Parameter):
                turned = Parameter(f"{spec.name}_{len(conditions)}", Spec)
                conditions.append(Same(spec, swap(cast(Spec, turned))))
                args[0] = turned
            else:
                args[0] = swap(cast(Spec, spec))
    return Node(pattern.constructor, tuple(args))


class Same(Tensor):
    """A condition that a parameter has a computed value; it may bind the parameter."""

    def __init__(self, parameter: Parameter, value: object) -> None:
        """State the equality."""
        self.parameter = parameter
        self.value = value


# The stages that a strategy can be given further rulesets for.
ADDED_STAGES = ("differentiate", "simplify", "explore")

# No options.
NOTHING: Final = MappingProxyType[str, str | bool]({})

# What a bulk rule looks at one by one: e-classes, each with what else is read of it.
Parts = Callable[[Snapshot], Iterable[tuple[Any, ...]]]


@dataclass(frozen=True)
class Bulk(Statable):
    """A law in Python, as a row of a table: `find` names terms that e-classes are equal to.

    It is given a snapshot of the e-graph and yields e-classes with terms. With `each`, such as
    `every_sum`, it is given each e-class and what else that yields, and yields terms alone.
    """

    find: Callable[..., Iterable[Any]]
    each: Parts | None = None

    def __call__(self, graph: Snapshot) -> Iterator[tuple[int, Term]]:
        """The e-classes with the terms that they are equal to."""
        if self.each is None:
            yield from self.find(graph)
        else:
            for cls, *arguments in self.each(graph):
                for term in self.find(graph, cls, *arguments):
                    yield cls, term


class Kind(StrEnum):
    """Where the two sides of a law are the same, which decides when it may unite their e-classes.

    Equality of an e-class has to be transitive. So both sides are defined at the same values, but
    for some that have no interior; a law that is narrower acts where its condition is known.
    """

    EVERYWHERE = "everywhere"
    ALMOST = "almost everywhere"
    KNOWN = "where known"
    ONE_WAY = "one way"
    SUBSPACE = "on a subspace"


@dataclass(frozen=True)
class Rule:
    """A law between patterns; `domain` says where its left side is defined, if not everywhere.

    `exceptions` are values, without interior, at which one side alone is defined.

    A rule that `widens` has a right side that is defined at more values than its left side, but at
    the same ones where the conditions hold. Where these are known it unites the e-classes of both
    sides; elsewhere the right side replaces the left one in terms that are extracted. A `thin` rule
    holds on a subspace.
    A rule that `replaces` has a right side that serves every purpose better: no rule matches
    its left side again. (It stays an e-node of its e-class, so that no e-class is left empty.)
    The right side of a `stable` rule loses no digits: code is generated from it, if from any.
    `place` is the file and the line where it is stated.
    """

    name: str
    law: str
    cite: str
    domain: str
    ruleset: str
    statement: Law
    exceptions: str = ""
    replaces: bool = False
    stable: bool = False
    widens: bool = False
    thin: bool = False
    place: str = field(default="", compare=False)

    @property
    def is_conditional(self) -> bool:
        """Whether something has to be known before it unites e-classes."""
        return any(isinstance(c, Known) for c in self.statement.conditions)

    @property
    def kind(self) -> Kind:
        """Where both sides are the same."""
        if self.thin:
            return Kind.SUBSPACE
        if self.widens:
            return Kind.ONE_WAY
        if self.is_conditional:
            return Kind.KNOWN
        return Kind.ALMOST if self.exceptions else Kind.EVERYWHERE

    @property
    def text(self) -> str:
        """The law as it is written in its file."""
        return spelled_row(self.statement, self.statement.conditions)


@dataclass(frozen=True)
class Fact:
    """A law that concludes a property of a tensor from its form, and from properties of others."""

    name: str
    law: str
    cite: str
    ruleset: str
    claim: Known
    conditions: tuple[Tensor, ...]
    decides: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The law as it is written in its file."""
        return spelled_row(self.claim, self.conditions)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The properties of tensors that it is concluded from."""
        return frozenset(str(c.property) for c in self.conditions if isinstance(c, Known))

    @cached_property
    def is_of_any_form(self) -> bool:
        """Whether it follows from other properties of the same tensor."""
        asked = (c.tensor for c in self.conditions if isinstance(c, Known))
        tensor = self.claim.tensor
        return isinstance(tensor, Parameter) and all(t is tensor for t in asked)

    @cached_property
    def forms(self) -> tuple[tuple[Node, tuple[Tensor, ...]], ...]:
        """The form that it is about, operands exchanged in every way, each with its conditions.

        None where it is about a tensor of any form.
        """
        tensor = self.claim.tensor
        if not isinstance(tensor, Node):
            return ()
        # What is asked of other tensors comes last: it binds nothing, and may take long.
        conditions = tuple(sorted(self.conditions, key=lambda c: isinstance(c, Known)))
        laws = mirrored(Law(tensor, tensor, conditions=conditions), again=True)
        return tuple((law.node, law.conditions) for law in laws)


@dataclass(frozen=True)
class BulkRule:
    """A law that is applied to whole sums or products at once.

    `find` reads a snapshot of the e-graph and names, for some e-classes, a further e-node. Laws
    on any number of operands in any order go this way: matched pair by pair they cost 3^n.
    One that is `sizeless` finds the same at all sizes, one `of_terms` something even where no
    rule has run.
    """

    name: str
    law: str
    cite: str
    domain: str
    ruleset: str
    find: Bulk
    exceptions: str = ""
    stable: bool = False
    sizeless: bool = False
    of_terms: bool = False
    text: str = "(applied to whole sums or products)"

    @property
    def kind(self) -> Kind:
        """Where both sides are the same."""
        return Kind.ALMOST if self.exceptions else Kind.EVERYWHERE


class Derivatives(Protocol):
    """What a law on loops asks of the other rules of differentiation, about the step."""

    def pushed(self, roots: Sequence[Term], tangents: Mapping[Term, Term], wrt: Dims) -> list[Term]:
        """The tangents of some terms, given those of variables: axes of a term, then `wrt`."""
        ...

    def pulled(self, roots: Sequence[tuple[Term, Term]], wrt: Sequence[Term]) -> list[Term]:
        """The cotangents of some nodes, given those of roots: any axes, then those of a term."""
        ...


@dataclass(frozen=True)
class LoopRule:
    """A law on a whole loop, whose step it has differentiated by the other rules.

    `derive` is given these rules, the loop, and the tangents of operands or the cotangents of
    results; what it makes of them is a loop of tangents, or operands with their cotangents, those
    that are wanted among them.
    """

    name: str
    law: str
    cite: str
    ruleset: str
    derive: Callable[..., Any]
    domain: str = ""
    exceptions: str = ""
    text: str = "(applied to whole loops)"
    kind: Kind = Kind.EVERYWHERE


class Ruleset:
    """Rules that belong together; a stage runs whole rulesets.

    `measure` says what every rule of the set shrinks, or that a budget ends it. `stage` is where
    a ruleset that is added to a strategy runs: "differentiate", for laws of derivatives,
    "simplify", to the end, or "explore". Its facts are looked for in e-graphs where one of the
    functions occurs that they decide; where none is named, in all.
    """

    def __init__(
        self,
        name: str,
        purpose: str,
        measure: str,
        stage: str = "explore",
        decides: Iterable[str] = (),
    ) -> None:
        """Make an empty ruleset."""
        if stage not in ADDED_STAGES:
            *first, last = map(repr, ADDED_STAGES)
            known = f"{', '.join(first)} or {last}"
            raise RuleError(f"ruleset {name!r}: its stage is {known}, not {stage!r}")
        self.name = name
        self.purpose = purpose
        self.measure = measure
        self.stage = stage
        self.decides = frozenset(decides)
        self.rules: list[Rule] = []
        self.bulk_rules: list[BulkRule] = []
        self.loop_rules: list[LoopRule] = []
        self.facts: list[Fact] = []
        # The module that states the laws, with the functions that it declares.
        self.module: object = None

    def rule(
        self, *, cite: str, **options: str | bool
    ) -> Callable[[Callable[..., Statement]], Rule]:
        """Register the law that the decorated function states; its docstring is the sentence.

        Options are those of `Row.noted`.
        """
        return self._registering(cite, lambda f, said: replace(row_of(f, said), options=options))

    def fact(self, *, cite: str) -> Callable[[Callable[..., Claim]], Fact]:
        """Register the fact that the decorated function states; its docstring is the sentence."""
        return self._registering(cite, row_of)

    def state(
        self, cite: str, shared: Mapping[str, str | bool] = NOTHING, /, **rows: Row | Law | Tensor
    ) -> None:
        """Register the laws and facts of a table, by their names; all have one source.

        A row is a law or a claim, `when` conditions hold, `noted` with a sentence and options; or
        a `Bulk` law with its sentence. Options that all rows have are `shared`.

        >>> from eggrad.engine.laws.language import fn, tensors
        >>> (a,) = tensors("a")
        >>> logarithms = Ruleset("logarithms", "of exponentials", "the number of functions")
        >>> logarithms.state("arithmetic", log_of_exp=fn("log", fn("exp", a)) >> a)
        >>> logarithms.rules[0].law
        'log exp a = a.'
        """
        frame = sys._getframe(1)
        place = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        for name, statement in rows.items():
            self._unused(name)
            row = statement if isinstance(statement, Row) else Row(statement)
            self._add(name, replace(row, options={**shared, **row.options}), cite, place)

    def _add(self, name: str, row: Row, cite: str, place: str = "") -> Rule | Fact | BulkRule:
        settings: dict[str, Any] = {"cite": cite, "domain": "", **row.options}
        if isinstance(row.statement, Bulk):
            if not row.sentence:
                raise RuleError(f"rule {name!r} needs a sentence that states its law")
            bulk = BulkRule(name, row.sentence, ruleset=self.name, find=row.statement, **settings)
            self.bulk_rules.append(bulk)
            return bulk
        check_row(name, row)
        statement, conditions = completed(row)
        sentence = row.sentence or sentence_of(statement, conditions)
        if isinstance(statement, Known):
            decides = self.decides
            fact = Fact(name, sentence, settings["cite"], self.name, statement, conditions, decides)
            self.facts.append(fact)
            return fact
        law = replace(statement, conditions=conditions)
        _check_bound(name, law)
        rule = Rule(name, sentence, ruleset=self.name, statement=law, place=place, **settings)
        self.rules.append(rule)
        return rule

    def bulk_rule(
        self, *, cite: str, each: Parts | None = None, **options: str | bool
    ) -> Callable[[Callable[..., Iterable[Any]]], BulkRule]:
        """Register a law on whole sums or products; options are those of `BulkRule`."""
        return self._registering(cite, lambda f, said: Bulk(f, each).noted(said, **options))

    def _registering(
        self, cite: str, row: Callable[[Callable[..., Any], str], Row]
    ) -> Callable[[Callable[..., Any]], Any]:
        """Register the row that is made of the decorated function and its docstring."""

        def register(function: Callable[..., Any]) -> Rule | Fact | BulkRule:
            name, sentence = self._entry(function)
            code = cast(FunctionType, function).__code__
            place = f"{code.co_filename}, line {code.co_firstlineno}"
            return self._add(name, row(function, sentence), cite, place)

        return register

    def loop_rule(self, *, cite: str) -> Callable[[Callable[..., Any]], LoopRule]:
        """Register a law on whole loops."""

        def register(function: Callable[..., Any]) -> LoopRule:
            name, law = self._entry(function)
            made = LoopRule(name, law, cite, self.name, function)
            self.loop_rules.append(made)
            return made

        return register

    def __getitem__(self, name: str) -> Rule:
        """The rule of that name."""
        return next(r for r in self.rules if r.name == name)

    @property
    def laws(self) -> "list[Rule | BulkRule]":
        """All rules of e-graphs, of both kinds."""
        return [*self.rules, *self.bulk_rules]

    @property
    def every_law(self) -> "list[Rule | BulkRule | LoopRule | Fact]":
        """All that the ruleset states: the rules of e-graphs, those on loops, and the facts."""
        return [*self.laws, *self.loop_rules, *self.facts]

    def only(self, names: Iterable[str]) -> "Ruleset":
        """The same ruleset with some rules alone, named as `ruleset.rule`."""
        kept = set(names)
        rules = (*self.laws, *self.loop_rules)
        return self.without(*(r.name for r in rules if f"{self.name}.{r.name}" not in kept))

    def without(self, *names: str) -> "Ruleset":
        """The same ruleset with some rules left out."""
        rest = copy(self)
        rest.rules = [r for r in self.rules if r.name not in names]
        rest.bulk_rules = [r for r in self.bulk_rules if r.name not in names]
        rest.loop_rules = [r for r in self.loop_rules if r.name not in names]
        return rest

    def _entry(self, function: Callable[..., Any]) -> tuple[str, str]:
        name = function.__name__
        law = getdoc(function)
        if not law or len(law.splitlines()) != 1:
            raise RuleError(f"rule {name!r} needs a one-line docstring that states its law")
        self._unused(name)
        return name, law

    def _unused(self, name: str) -> None:
        if name in {r.name for r in self.every_law}:
            raise RuleError(f"ruleset {self.name!r} has a rule called {name!r} already")


def _check_bound(name: str, law: Law) -> None:
    for side in (law.left, law.right)[: 1 + law.both]:
        if not isinstance(side, Node):
            raise RuleError(f"rule {name!r} would rewrite {spelled(side)}, which is no term")
    left, right = ({p.name for p in parameters_of(side)} for side in (law.left, law.right))
    used = right | {p.name for c in law.conditions for p in parameters_of(c)}
    for what, loose in (("left", used - left), ("right", (left - right) if law.both else set())):
        if loose:
            raise RuleError(f"rule {name!r}: {sorted(loose)} does not occur on the {what} side")
