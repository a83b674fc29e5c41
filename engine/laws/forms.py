"""Whether a law is well formed: names of functions that there are, specs that fit, tensors."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from eggrad.engine.errors import EggradError, RuleError
from eggrad.engine.indices import spec as specs
from eggrad.engine.laws.language import (
    CONSTRUCTORS,
    DIFFERENTIATED,
    SLOPE_NODES,
    Literal,
    Node,
    Parameter,
    Tensor,
)
from eggrad.engine.laws.rule import Rule
from eggrad.engine.laws.spelling import spelled
from eggrad.engine.laws.statements import nodes_of, parameters_of
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS, record
from eggrad.engine.terms.term import FUNCTION_NODES


def check_form(rule: Rule) -> None:
    """Raise `RuleError` for a law in whose sides no values can be put.

    >>> from eggrad.engine.laws.language import Statement, Tensor, fn
    >>> from eggrad.engine.laws.rule import Ruleset
    >>> example = Ruleset("example", "one law", "nothing")
    >>> @example.rule(cite="a name that NumPy has")
    ... def rounded(a: Tensor) -> Statement:
    ...     '''rint a = a.'''
    ...     return fn("rint", a) >> a
    >>> check_form(rounded)
    Traceback (most recent call last):
        ...
    eggrad.engine.errors.RuleError: fn('rint', a): no element-wise function of 1 operand is \
called 'rint'; there are abs, arccos, ...
    """
    law = rule.statement
    for side in (law.left, law.right):
        for node in nodes_of(side):
            for flaw in _flaws(node):
                raise RuleError(f"{spelled(node)}: {flaw}")
    nodes = [*nodes_of(law.left)]
    for node in nodes[1:]:
        if node.constructor in DIFFERENTIATED:
            raise RuleError(f"{spelled(node)}: on the left this stands outside all else")
    bound = {a.name for node in nodes for a in node.args if isinstance(a, Parameter)}
    for node in nodes:
        loose = {p.name for p in parameters_of(node)} - bound
        if loose:
            names = ", ".join(sorted(loose))
            raise RuleError(f"{spelled(node)}: {names} is only computed with, never matched")


def _flaws(node: Node) -> Iterator[str]:
    """What is wrong with a constructor's arguments."""
    name = node.constructor
    args = [a.value if isinstance(a, Literal) else a for a in node.args]
    if name in (*FUNCTION_NODES.values(), *SLOPE_NODES.values()):
        first = 2 if name in SLOPE_NODES.values() else 1
        yield from _flaws_of_name(args[0], len(args) - first)
        if first == 2 and args[1] not in range(len(args) - 2):
            yield f"there is no operand number {args[1]}; the first is 0"
    if name in ("derivative", "pullback") and isinstance(args[0], Node):
        if args[0].constructor in DIFFERENTIATED:
            yield "derivatives are of terms, not of derivatives, slopes or pullbacks"
        elif name == "pullback":
            operands = CONSTRUCTORS.get(args[0].constructor, ()).count("Tensor")
            if args[1] not in range(operands):
                yield f"there is no operand number {args[1]}; the first is 0"
    if name in ("ein", "ein1"):
        yield from _flaws_of_spec(args[0], len(args) - 1)
    if name in ("constant", "scale") and not isinstance(args[0], Fraction | Tensor):
        yield f"{args[0]!r} is no exact number such as 2 or Number(1, 2)"
    for sort, a in zip(CONSTRUCTORS.get(name, ()), args, strict=False):
        if sort == "Tensor" and not isinstance(a, Tensor):
            yield f"{a!r} is no tensor: numbers are const(c, dims(a))"


def _flaws_of_name(name: Any, arity: int) -> Iterator[str]:
    if isinstance(name, Tensor):
        return
    try:
        function = record(name)
    except EggradError:
        function = None
    if function is None or function.arity != arity:
        known = sorted(f for f in ELEMENTWISE if FUNCTIONS[f].arity == arity)
        operands = f"{arity} operand{'s' * (arity > 1)}"
        yield f"no element-wise function of {operands} is called {name!r}; there are " + (
            ", ".join(known)
        )


def _flaws_of_spec(spec: Any, operands: int) -> Iterator[str]:
    if isinstance(spec, Tensor):
        return
    parts = isinstance(spec, tuple) and all(isinstance(part, tuple) for part in spec)
    if not parts or not all(isinstance(i, int) for part in spec for i in part):
        yield f"{spec!r} is no spec; it is written parse_spec('ij,jk->ik')"
    elif len(spec) != operands + 1:
        yield f"the spec {specs.format_spec(spec)!r} takes {len(spec) - 1} operands, not {operands}"
    else:
        try:
            specs.check(spec)
        except EggradError as error:
            yield str(error)
