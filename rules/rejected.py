"""Tempting laws that are false, each with a witness that refutes it.

They are data: no strategy loads them. A test evaluates both sides at the witness, and another
sees to it that no ruleset states one of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from eggrad.engine import term as terms
from eggrad.engine.index_algebra import lift, lift_second, matrix_transpose
from eggrad.engine.language import (
    D,
    Dims,
    Name,
    Number,
    Spec,
    Statement,
    Tensor,
    Wrt,
    add,
    adj,
    const,
    delta,
    det,
    dims,
    divide,
    ein,
    ein1,
    fn,
    inv,
    power,
    scale,
    slope,
    subtract,
)
from eggrad.engine.rule import Rule, Ruleset
from eggrad.engine.spec import parse_spec
from eggrad.rules.constants import result_dims1, times

__all__ = ["REJECTED", "Rejected"]

rejected = Ruleset("rejected", "tempting laws that are false", "")

DOT = parse_spec("i,i->")
ENTRIES = parse_spec("i,i->i")
MATRICES = parse_spec("ij,jk->ik")
SCALARS = parse_spec(",->")


@dataclass(frozen=True)
class Rejected:
    """A false law, why it tempts, and where it fails.

    The witness gives a value for every parameter that is no tensor, and numbers for every one
    that is. `undefined` says that there the left side is defined and the right side is not.
    """

    rule: Rule
    tempts: str
    witness: Mapping[str, Any]
    undefined: bool = False


REJECTED: list[Rejected] = []


def refuted(
    *, tempts: str, undefined: bool = False, **witness: Any
) -> Callable[[Callable[..., Statement]], Rejected]:
    """Record the law that the decorated function states, with the witness against it."""

    def register(function: Callable[..., Statement]) -> Rejected:
        made = Rejected(rejected.rule(cite="")(function), tempts, witness, undefined)
        REJECTED.append(made)
        return made

    return register
