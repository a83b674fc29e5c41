"""Signs: laws of `sign`, and what it, `abs` and `relu` are where a sign is known by form."""

from collections.abc import Iterator

from eggrad.engine import term as terms
from eggrad.engine.language import Spec, Statement, Tensor, ein, fn, power
from eggrad.engine.rule import Ruleset
from eggrad.engine.signs import known_signs
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.term import Term
from eggrad.rules.algebra import is_elementwise
from eggrad.rules.elementwise import DEFINITION

signs = Ruleset(
    "signs",
    "signs, and functions of what is positive by its form",
    "the number of element-wise functions",
)


@signs.rule(cite=DEFINITION, domain="a ≠ 0, where the left side is defined")
def quotient_by_abs(s: Spec, a: Tensor) -> Statement:
    """a / |a| = sign a."""
    return ein(s, a, power(fn("abs", a), -1)) >> fn("sign", a), is_elementwise(s)


@signs.rule(cite=DEFINITION, domain="a ≠ 0, where the left side is defined")
def abs_over_itself(s: Spec, a: Tensor) -> Statement:
    """|a| / a = sign a."""
    return ein(s, fn("abs", a), power(a, -1)) >> fn("sign", a), is_elementwise(s)


@signs.bulk_rule(cite=DEFINITION, sizeless=True)
def abs_of_nonnegative(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """|a| = a for what is nonnegative by its form: squares, exp b, sums of such."""
    return _operands(graph, "abs")


@signs.bulk_rule(cite=DEFINITION, sizeless=True)
def relu_of_nonnegative(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """relu a = a for what is nonnegative by its form: squares, exp b, sums of such."""
    return _operands(graph, "relu")


@signs.bulk_rule(cite=DEFINITION, sizeless=True)
def sign_of_positive(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """sign a = 1 for what is positive by its form: exp b, positive variables, sums of such."""
    for cls, operand in _found(graph, "sign"):
        if operand in known_signs(graph).positive:
            yield cls, terms.constant(1, graph.dims[cls])


def _operands(graph: Snapshot, name: str) -> Iterator[tuple[int, Term]]:
    for cls, operand in _found(graph, name):
        if operand in known_signs(graph).nonnegative:
            yield cls, graph.term(operand)


def _found(graph: Snapshot, name: str) -> Iterator[tuple[int, int]]:
    """The classes that have a function as a member, and its operand's classes."""
    for cls in graph.classes:
        for m in graph.members[cls]:
            if m.constructor == "function" and m.data[0] == name:
                yield cls, m.children[0]
