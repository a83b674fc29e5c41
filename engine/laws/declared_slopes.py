"""The slopes of declared functions as rules."""

from collections.abc import Iterable
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.language import (
    Law,
    Node,
    Parameter,
    Tensor,
    const,
    dims,
    ein,
    fn,
    power,
    slope,
)
from eggrad.engine.laws.primitives import elementwise
from eggrad.engine.laws.rule import Rule
from eggrad.engine.laws.statements import nodes_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction, function_of, record
from eggrad.engine.terms.term import FUNCTION_NODES, Term, own_functions, postorder

# The ruleset that the rules join.
RULESET: Final = "slopes"


def slope_terms(function: OwnFunction) -> tuple[Term | None, ...]:
    """The derivative by each operand, of scalars called `a1`, `a2`, ..."""
    operands = [terms.variable(f"a{k + 1}") for k in range(function.arity)]
    return tuple(None if s is None else s(*operands) for s in function.slopes)


def functions_made(rules: Iterable[Rule]) -> tuple[OwnFunction, ...]:
    """The declared functions on the right sides of some rules."""
    nodes = (node for rule in rules for node in nodes_of(rule.statement.right))
    names = (node.args[0] for node in nodes if node.constructor in FUNCTION_NODES.values())
    found = (record(name) for name in names if isinstance(name, str))
    return tuple(dict.fromkeys(f for f in found if isinstance(f, OwnFunction)))


def rules_of_functions(functions: Iterable[OwnFunction]) -> tuple[Rule, ...]:
    """The slopes of some declared functions, and of those that they mention."""
    known: dict[str, OwnFunction] = {}
    waiting = list(functions)
    for function in waiting:
        if known.setdefault(function.name, function) is not function:
            raise UnsupportedOperation(f"two different functions are called {function.name!r}")
        slopes = own_functions(*(t for t in slope_terms(function) if t is not None))
        waiting += [f for f in slopes if known.get(f.name) is not f]
    return tuple(r for function in known.values() for r in slope_rules(function))


def slope_rules(function: OwnFunction) -> tuple[Rule, ...]:
    """A rule for each operand by which a function has a derivative."""
    slopes = enumerate(slope_terms(function))
    return tuple(_slope_rule(function, k, s) for k, s in slopes if s is not None)


def _slope_rule(function: OwnFunction, place: int, derivative: Term) -> Rule:
    parameters = [Parameter(f"a{k + 1}", Tensor) for k in range(function.arity)]
    by = f"{place + 1}" * (function.arity > 1)
    left = slope(function.key, *parameters, place=place)
    return Rule(
        f"slope_{function.name}{by}",
        f"{function.name}'{by}, as it is declared.",
        function.cite,
        "",
        RULESET,
        Law(left, _pattern(function, derivative, parameters)),
    )


def _pattern(function: OwnFunction, root: Term, parameters: list[Parameter]) -> Tensor:
    """A term of scalars as a pattern, in which all have the axes of the function's operands."""
    shape = dims(parameters[0])
    known: dict[str, Tensor] = {p.name: p for p in parameters}
    done: dict[Term, Tensor] = {}
    for t in postorder(root):
        args = [done[a] for a in t.args]
        applied = function_of(t.op, t.data)
        match t.op:
            case "variable" if t.name in known and not t.dims:
                done[t] = known[t.name]
            case "constant" if not t.dims:
                done[t] = const(t.value, shape)
            case "einsum" if len(args) == 2 and not t.args[0].dims:
                done[t] = ein(elementwise(shape), *args)
            case "add" | "subtract" | "divide" | "negate" as name:
                done[t] = Node(name, tuple(args))
            case "power" if t.args[1].op == "constant":
                done[t] = power(args[0], t.args[1].value)
            case _ if applied is not None:
                done[t] = fn(applied.key, *args)
            case name:
                raise UnsupportedOperation(
                    f"the derivative of {function.name} has {name}; it is a formula of its"
                    " operands, with functions of one entry or of several alone"
                )
    return done[root]
