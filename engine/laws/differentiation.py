"""Differentiation: each node of a DAG is taken once, by the rule for what it is made by.

A rule of forward mode says what the derivative of a node is, given those of its operands; one of
reverse mode what a node passes on to an operand, given its own cotangent; one of slopes what the
derivative of an element-wise function is. There is one rule for each, so there is nothing to
search for: an e-graph finds the same term in ten times the time.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

from eggrad.engine.errors import MissingRule, UnsupportedOperation
from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.language import (
    SLOPE_NODES,
    Law,
    Literal,
    Node,
    Parameter,
    Tensor,
    Wrt,
    add,
    const,
    dims,
    divide,
    ein,
    fn,
    negate,
    power,
    slope,
    subtract,
)
from eggrad.engine.laws.matching import Closing, Reject
from eggrad.engine.laws.primitives import elementwise
from eggrad.engine.laws.rule import LoopRule, Rule
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction, function_of
from eggrad.engine.terms.loops import Recurrence, recurrence_of
from eggrad.engine.terms.term import Term, own_functions, parts, postorder, product_parts

# The slopes of declared functions as rules.


# The ruleset that the rules join.
RULESET: Final = "slopes"

_OPERATIONS = {"add": add, "subtract": subtract, "divide": divide, "negate": negate}


def slope_terms(function: OwnFunction) -> tuple[Term | None, ...]:
    """The derivative by each operand, of scalars called `a1`, `a2`, ..."""
    operands = [terms.variable(f"a{k + 1}") for k in range(function.arity)]
    return tuple(None if s is None else s(*operands) for s in function.slopes)


def check_slopes(root: Term, *wrt: Term) -> None:
    """Raise where a declared function has no derivative by an operand in which a variable is."""
    below = {*wrt}
    for t in postorder(root):
        found = [k for k, a in enumerate(t.args) if a in below]
        if found:
            below.add(t)
        if found and t.op == "scan":
            own = recurrence_of(t)
            moving = own.dependent(own.step, below)
            for r in own.step.results:
                check_slopes(r, *moving)
        if isinstance(t.data, OwnFunction):
            for k in found:
                if t.data.slopes[k] is None:
                    which = f"operand {k + 1}"
                    raise UnsupportedOperation(f"{t.op} has no derivative by its {which}")


def rules_of_functions(*roots: Term) -> tuple[Rule, ...]:
    """The slopes of the declared functions in some terms, and of those that they mention."""
    known: dict[str, OwnFunction] = {}
    waiting = list(own_functions(*roots))
    for own in waiting:
        if known.setdefault(own.name, own) is not own:
            raise UnsupportedOperation(f"two different functions are called {own.name!r}")
        slopes = own_functions(*(t for t in slope_terms(own) if t is not None))
        waiting += [f for f in slopes if known.get(f.name) is not f]
    return tuple(r for own in known.values() for r in slope_rules(own))


def slope_rules(function: OwnFunction) -> tuple[Rule, ...]:
    """A rule for each operand by which a function has a derivative."""
    found: list[Rule] = []
    for place, own in enumerate(slope_terms(function)):
        if own is not None:
            found.append(_slope_rule(function, place, own))
    return tuple(found)


def _slope_rule(function: OwnFunction, place: int, own: Term) -> Rule:
    parameters = [Parameter(f"a{k + 1}", Tensor) for k in range(function.arity)]
    by = f"{place + 1}" * (function.arity > 1)
    left = slope(function.key, *parameters, place=place)
    return Rule(
        f"slope_{function.name}{by}",
        f"{function.name}'{by}, as it is declared.",
        function.cite,
        "",
        RULESET,
        Law(left, _pattern(function, own, parameters)),
    )


def _pattern(function: OwnFunction, root: Term, parameters: list[Parameter]) -> Tensor:
    """A term of scalars as a pattern, in which all have the axes of the function's operands."""
    shape = dims(parameters[0])
    known: dict[str, Tensor] = {p.name: p for p in parameters}
    done: dict[Term, Tensor] = {}
    for t in postorder(root):
        args = [done[a] for a in t.args]
        own = function_of(t.op, t.data)
        match t.op:
            case "variable" if t.name in known and not t.dims:
                done[t] = known[t.name]
            case "constant" if not t.dims:
                done[t] = const(t.value, shape)
            case "einsum" if len(args) == 2 and not t.args[0].dims:
                done[t] = ein(elementwise(shape), *args)
            case "add" | "subtract" | "divide" | "negate" as name:
                done[t] = _OPERATIONS[name](*args)
            case "power" if t.args[1].op == "constant":
                done[t] = power(args[0], t.args[1].value)
            case _ if own is not None:
                done[t] = fn(own.key, *args)
            case name:
                raise UnsupportedOperation(
                    f"the derivative of {function.name} has {name}; it is a formula of its"
                    " operands, with functions of one entry or of several alone"
                )
    return done[root]


class Differentiation:
    """Rules of forward mode, of reverse mode and of slopes, and how often each was used."""

    def __init__(self, rules: Iterable[Rule], loops: Iterable[LoopRule] = ()) -> None:
        """Sort the rules by what they are about."""
        self.matches: Counter[str] = Counter()
        self._of_loops = {rule.name: rule for rule in loops}
        self._rules: dict[tuple[object, ...], list[Rule]] = {}
        for rule in rules:
            self._rules.setdefault(_subject(rule.statement.node), []).append(rule)

    def forward(self, root: Term, x: Term) -> Term:
        """The derivative by a variable: axes of the root, then those of the variable."""
        known: dict[Term, Term] = {}
        self._push(postorder(root), x, known, {x})
        return known[root]

    def pushed(self, roots: Sequence[Term], tangents: Mapping[Term, Term], wrt: Dims) -> list[Term]:
        """The tangents of some terms, given those of variables: axes of a term, then `wrt`."""
        known = dict(tangents)
        nodes = (t for t in postorder(*roots) if t not in tangents)
        self._push(nodes, terms.variable("direction", wrt), known, {*tangents})
        return [known[r] for r in roots]

    def _push(
        self, nodes: Iterable[Term], x: Term, known: dict[Term, Term], reached: set[Term]
    ) -> None:
        """Add the derivatives of nodes to those of their operands; `reached` depend on x."""
        loops: dict[Recurrence, Recurrence] = {}
        for t in nodes:
            if any(a in reached for a in t.args):
                reached.add(t)
            if t.op != "scan":
                known[t] = self.derivative(t, x, known)
                continue
            own = recurrence_of(t)
            if own not in loops:
                tangents = {a: known[a] for a in t.args if a in reached}
                loops[own] = self._of_loop("push_loop", own, tangents, x.dims)
            known[t] = loops[own].states(t.loop.carry, t.loop.part)

    def derivative(self, t: Term, x: Term, known: Mapping[Term, Term]) -> Term:
        """The derivative of a node, given those of its operands."""
        constructor, arguments = _read(t)
        return self._apply(("derivative", constructor), (*arguments, (x.name, x.dims)), known)

    def _of_loop(self, name: str, *given: object) -> Any:
        rule = self._of_loops.get(name)
        if rule is None:
            raise MissingRule("no rule has derivatives of loops")
        self.matches[f"{rule.ruleset}.{name}"] += 1
        return rule.derive(self, *given)

    def reverse(self, root: Term, wrt: Sequence[Term], cotangent: Term) -> list[Term]:
        """The cotangents of some nodes, given that of the root: any axes, then those of it."""
        return self.pulled([(root, cotangent)], wrt)

    def pulled(self, roots: Sequence[tuple[Term, Term]], wrt: Sequence[Term]) -> list[Term]:
        """The cotangents of some nodes, given those of roots: any axes, then those of a term.

        The cotangent of a node is the sum of what its uses pass on (thesis, equation 4.1).
        """
        reaches = set(wrt)
        passed: dict[Term, list[Term]] = {}
        # The results of one loop, whose operands get something when all of them have it.
        loops: dict[Recurrence, list[Term]] = {}
        for t in postorder(*(r for r, _ in roots)):
            if t in reaches or any(a in reaches for a in t.args):
                reaches.add(t)
                passed[t] = []
                if t.op == "scan":
                    loops.setdefault(recurrence_of(t), []).append(t)
        for root, cotangent in roots:
            if root in passed:
                passed[root].append(cotangent)
        for t in reversed(passed):
            # What the first use passes on comes first, as in the product rule.
            passed[t] = [reduce(terms.add, reversed(passed[t]))]
            if t.op != "scan":
                for place, a in enumerate(t.args):
                    if a in passed:
                        passed[a].append(self.passed_on(t, place, *passed[t]))
            elif t is loops[own := recurrence_of(t)][0]:
                self._pull_loop(own, loops[own], passed)
        first, cotangent = roots[0]
        lead = cotangent.dims[: cotangent.order - first.order]
        return [passed[x][0] if x in passed else terms.constant(0, lead + x.dims) for x in wrt]

    def _pull_loop(
        self, own: Recurrence, results: Sequence[Term], passed: Mapping[Term, list[Term]]
    ) -> None:
        """Pass on what some results of a loop have got."""
        got = {(t.loop.carry, t.loop.part): passed[t][0] for t in results}
        some = results[0]
        lead = passed[some][0].dims[: passed[some][0].order - some.order]
        wanted = {a for a in some.args if a in passed}
        for a, cotangent in self._of_loop("pull_loop", own, got, lead, wanted):
            if a in wanted:
                passed[a].append(cotangent)

    def passed_on(self, t: Term, place: int, cotangent: Term) -> Term:
        """What a node passes on to an operand, given its own cotangent."""
        constructor, arguments = _read(t)
        return self._apply(("pullback", constructor, place), (*arguments, cotangent))

    def slope(self, function: Term, place: int) -> Term:
        """The derivative of an element-wise function by an operand, at every entry."""
        _, (name, *_), operands = parts(function)
        return self._apply((SLOPE_NODES[len(operands)], place), (name, *operands))

    def _apply(
        self,
        key: tuple[object, ...],
        arguments: tuple[object, ...],
        known: Mapping[Term, Term] = MappingProxyType({}),
    ) -> Term:
        """What the first rule says that applies; `known` are derivatives of operands."""
        for rule in self._rules.get(key, ()):
            bound = _bound(_arguments(rule.statement.node), arguments)
            if bound is not None:
                found = _Derived(bound, self, known).right(rule)
                if found is not None:
                    self.matches[f"{rule.ruleset}.{rule.name}"] += 1
                    return found
        subject = arguments[0] if key[0] in SLOPE_NODES.values() else key[1]
        raise MissingRule(f"no rule has the derivative of {subject}")


class _Derived(Closing):
    """The right side of a derivative rule, in which derivatives and slopes are terms."""

    def __init__(
        self, bound: Mapping[str, Any], rules: Differentiation, known: Mapping[Term, Term]
    ) -> None:
        super().__init__(bound)
        self._rules = rules
        self._known = known

    def right(self, rule: Rule) -> Term | None:
        """The term, if the rule's conditions hold."""
        try:
            holds = all(self.build(c) for c in rule.statement.conditions)
            return self.build(rule.statement.right) if holds else None
        except Reject:
            return None

    def _derivative(self, a: Term, x: Wrt) -> Term:
        return self._known[a]

    def _slope(self, function: Term, place: int) -> Term:
        return self._rules.slope(function, place)

    def _pullback(self, node: Term, place: int, g: Term) -> Term:
        return self._rules.passed_on(node, place, g)


def _read(t: Term) -> tuple[str, tuple[object, ...]]:
    """The constructor of a term with its arguments: of a multiple as well, that of a product."""
    constructor, data, operands = product_parts(t) if t.op == "einsum" else parts(t)
    return constructor, data + operands


def _subject(left: Node) -> tuple[object, ...]:
    """What a rule is about."""
    if left.constructor in ("derivative", "pullback"):
        node, *between, _ = left.args
        return left.constructor, node.constructor, *between
    _, place, *_ = left.args
    return left.constructor, place


def _arguments(left: Node) -> tuple[object, ...]:
    """The patterns of what a rule is about, in the order in which `Differentiation` applies it."""
    if left.constructor in ("derivative", "pullback"):
        node, *_, last = left.args
        return *node.args, last
    name, _, *operands = left.args
    return name, *operands


def _bound(patterns: Sequence[object], values: Sequence[object]) -> dict[str, Any] | None:
    """What parameters stand for, if the other patterns are the values."""
    bound: dict[str, Any] = {}
    for pattern, value in zip(patterns, values, strict=True):
        if isinstance(pattern, Parameter):
            bound[pattern.name] = value
        elif (pattern.value if isinstance(pattern, Literal) else pattern) != value:
            return None
    return bound
