"""Which rules can match at all: those whose left sides are made of symbols that occur.

A symbol is a constructor, the name of a function, or a property. What occurs is what terms are
made of that are loaded, and what rules that have matched put on their right sides. A rule that is
left out would not have matched, so nothing depends on it; but every rule costs time in each
iteration, and in each copy of the e-graph.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from eggrad.engine.laws.language import CONSTRUCTORS, Known, Literal, Parameter
from eggrad.engine.laws.rule import Fact, Rule, nodes_of
from eggrad.engine.terms.constructors import FUNCTION_NODES, Parts, parts
from eggrad.engine.terms.term import Term, postorder

__all__ = ["KNOWN", "Relevance", "Selection", "symbols_of", "symbols_of_parts"]

# Constructors whose first argument is the name of an operation.
NAMED: Final = frozenset({*FUNCTION_NODES.values(), "numeric", "numeric2"})
# Begins the symbol of a property.
KNOWN: Final = "known "
# Stands for all names, or all properties, where a pattern computes one.
ANY: Final = "*"
# For so many sets of symbols it is remembered which rules can match.
REMEMBERED: Final = 256

Symbols = frozenset[str]
L = TypeVar("L", Rule, Fact)


@dataclass(frozen=True)
class Selection:
    """The laws of each stage that can match, and those that lead to wider classes."""

    stages: Mapping[str, Sequence[Rule | Fact]]
    widening: Sequence[Rule] = ()


def symbols_of(*roots: Term) -> Symbols:
    """The symbols that some terms are made of.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> sorted(symbols_of(apply("exp", variable("x"))))
    ['exp', 'function', 'variable']
    """
    return frozenset(s for t in postorder(*roots) for s in symbols_of_parts(parts(t)))


def symbols_of_parts(known: Parts) -> tuple[str, ...]:
    """The symbols of an e-node: its constructor, and the name of the operation where it has one."""
    constructor, data, _ = known
    return (constructor, str(data[0])) if constructor in NAMED else (constructor,)


class _Law(Generic[L]):
    """A law with what has to occur for it to match, in one of its directions, and what it makes."""

    def __init__(self, law: L) -> None:
        directions = [_of_fact(law)] if isinstance(law, Fact) else list(_of_rule(law))
        self.law = law
        self.needs = tuple(
            (frozenset(n for n in needs if not _is_known(n)), frozenset(filter(_is_known, needs)))
            for needs, _ in directions
        )
        self.gives = frozenset(s for _, gives in directions for s in gives)


class Relevance:
    """The rules and facts of some stages; `select` says which of them can match.

    `asked` are properties that others than rules ask for, where one of some symbols occurs; where
    none is named, always.
    """

    def __init__(
        self,
        stages: Mapping[str, Sequence[Rule | Fact]],
        asked: Mapping[str, Symbols] | None = None,
    ) -> None:
        """Read the symbols of all laws."""
        self.stages = stages
        self.asked = asked or {}
        laws = dict.fromkeys(law for own in stages.values() for law in own)
        self.facts = [f for f in laws if isinstance(f, Fact)]
        self.fact_names = {f"{f.ruleset}.{f.name}" for f in self.facts}
        self._rules = [_Law(r) for r in laws if isinstance(r, Rule)]
        self._facts = [_Law(f) for f in self.facts]
        self._gives = {
            f"{m.law.ruleset}.{m.law.name}": m.gives for m in (*self._rules, *self._facts)
        }
        self._known: OrderedDict[Symbols, Selection] = OrderedDict()

    def made_by(self, laws: Iterable[str]) -> set[str]:
        """The symbols on the right sides of some laws, named as `ruleset.rule`."""
        return {s for name in laws for s in self._gives.get(name, ())}

    def select(self, symbols: Symbols) -> Selection:
        """The rules that can match where some symbols occur."""
        found = self._known.get(symbols)
        if found is None:
            found = self._known[symbols] = self._select(symbols)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

    def _select(self, symbols: Symbols) -> Selection:
        asked = {p for p, causes in self.asked.items() if not causes or causes & symbols}
        chosen: set[tuple[str, str]] = set()
        widening: list[Rule] = []
        for law in self._rules:
            rule = law.law
            ready = [known for needs, known in law.needs if _occur(needs, symbols)]
            asked = asked.union(*ready)
            if any(_occur(known, symbols) for known in ready):
                chosen.add((rule.ruleset, rule.name))
            if ready and rule.widens:
                widening.append(rule)
        chosen.update((f.ruleset, f.name) for f in self._answering(asked, symbols))
        stages = {
            n: tuple(law for law in own if (law.ruleset, law.name) in chosen)
            for n, own in self.stages.items()
        }
        return Selection(stages, tuple(widening))

    def _answering(self, asked: set[str], symbols: Symbols) -> tuple[Fact, ...]:
        """The facts that conclude what is asked for, or what those ask for in turn."""
        able = [f for f in self._facts if any(_occur(needs, symbols) for needs, _ in f.needs)]
        found: set[_Law[Fact]] = set()
        while True:
            fresh = [f for f in able if f not in found and _may_answer(f.gives, asked)]
            if not fresh:
                return tuple(f.law for f in able if f in found)
            found.update(fresh)
            asked = asked.union(*(known for f in fresh for _, known in f.needs))


def _may_answer(gives: Symbols, asked: set[str]) -> bool:
    every = KNOWN + ANY
    return not gives.isdisjoint(asked) or (bool(asked) and (every in asked or every in gives))


def _occur(needs: Symbols, symbols: Symbols) -> bool:
    return needs <= symbols or all(s in symbols or _is_computed(s, symbols) for s in needs)


def _is_computed(symbol: str, symbols: Symbols) -> bool:
    """Whether a name or a property may occur because a pattern computes one."""
    if _is_known(symbol):
        return KNOWN + ANY in symbols or (symbol == KNOWN + ANY and any(map(_is_known, symbols)))
    return ANY in symbols and symbol not in CONSTRUCTORS


def _of_rule(rule: Rule) -> Iterator[tuple[Symbols, Symbols]]:
    law = rule.statement
    conditions = frozenset(s for c in law.conditions for s in _symbols(c))
    sides = [(law.left, law.right)] + ([(law.right, law.left)] if law.both else [])
    for left, right in sides:
        yield frozenset(_symbols(left)) | conditions, frozenset(_symbols(right))


def _of_fact(fact: Fact) -> tuple[Symbols, Symbols]:
    needs = [s for c in (fact.claim.tensor, *fact.conditions) for s in _symbols(c)]
    return frozenset(needs), frozenset({_property(fact.claim)})


def _is_known(symbol: str) -> bool:
    return symbol.startswith(KNOWN)


def _property(known: Known) -> str:
    return KNOWN + (known.property if isinstance(known.property, str) else ANY)


def _symbols(pattern: object) -> Iterator[str]:
    """The symbols of a pattern; a parameter for a name stands for one that occurs already."""
    if isinstance(pattern, Known):
        yield _property(pattern)
    for node in nodes_of(pattern):
        yield node.constructor
        if node.constructor in NAMED:
            name = node.args[0].value if isinstance(node.args[0], Literal) else node.args[0]
            if isinstance(name, str):
                yield name
            elif not isinstance(name, Parameter):
                yield ANY
