"""Findings about rules out: text for people, plain values for JSON."""

import re
from collections.abc import Iterator
from math import isnan
from typing import Any, cast

from numpy import isfinite

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import format_spec
from eggrad.engine.laws.language import Dims, Spec, Variable, Wrt
from eggrad.engine.laws.matching import SYMBOLS, Closing
from eggrad.engine.laws.rule import BulkRule, Rule, parameters_of
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.instances import IllTyped
from eggrad.engine.workbench.soundness import Comparison
from eggrad.engine.workbench.termination import Growth
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.workbench.rule_check import Findings

__all__ = ["format_counterexample", "format_findings", "plain_findings"]


def format_counterexample(found: Comparison | IllTyped, rule: Rule | BulkRule) -> str:
    """What the parameters are, both sides as text, and their values.

    >>> from eggrad.frontend.workbench.rule_check import Checker
    >>> from eggrad.rules.rejected import REJECTED
    >>> law = REJECTED[0].rule
    >>> print(format_counterexample(Checker().soundness(law).counterexample, law))
      where  a = -1
      left   (a ^ 2) ^ 0.5
             = 1
      right  a
             = -1
    """
    known = list(_where(found, rule))
    lines = [f"  {'' if k else 'where':5}  {text}" for k, text in enumerate(known)]
    if isinstance(found, IllTyped):
        left = f"  left   {_side(found.left, found.closing)}"
        return "\n".join([*lines, left, f"  right  has no axes: {found}"])
    named = (("left", found.left), ("right", found.right))
    for (name, value), side in zip(named, found.sides, strict=True):
        lines += [f"  {name:5}  {_side(side, found.closing)}", f"         = {_numbers(value)}"]
    if found.flaw == "axes":
        lines.append(f"  the left side has shape {found.left.shape}, the right {found.right.shape}")
    if found.flaw == "undefined" and not isfinite(found.left).all():
        lines.append(
            "  the right side is defined at more values: say widens=True, or exceptions=... where "
            "those have no interior"
        )
    return "\n".join(lines)


def _where(found: Comparison | IllTyped, rule: Rule | BulkRule) -> Iterator[str]:
    """What the parameters are bound to, and the values of the variables."""
    kinds: dict[str, object] = {}
    if isinstance(rule, Rule):
        kinds = {p.name: p.kind for p in parameters_of(rule.statement.left)}
    for name, value in found.closing.bound.items():
        if isinstance(found, IllTyped) and isinstance(value, Term):
            yield f"{name} has axes {_axes(value.dims)}"
        elif text := _binding(name, value, kinds.get(name)):
            yield f"{name} = {text}"
    if isinstance(found, IllTyped):
        return
    for name, value in sorted(found.values.items()):
        yield f"{name} = {_numbers(value)}"
    if any(d in SYMBOLS for side in found.sides for d in side.dims):
        yield from (f"{symbol} = {size}" for symbol, size in SYMBOLS.items())


def _binding(name: str, value: object, kind: object) -> str:
    """What a parameter is bound to; nothing for a variable of its own name."""
    if isinstance(value, Term):
        own = value.op == "variable" and value.name == name
        return "" if own else format_term(value)
    if kind == Spec:
        return format_spec(cast(Spec, value))
    if kind == Dims:
        return _axes(cast(Dims, value))
    if kind in (Wrt, Variable):
        variable, dims, *_ = cast(tuple[str, Dims], value)
        return f"the variable {variable} with axes {_axes(dims)}"
    return str(value)


def _axes(dims: Dims) -> str:
    return f"({', '.join(map(str, dims))})"


def _side(side: Term, closing: Closing) -> str:
    """A side as text, with what stands for no term written as its rule writes it."""
    try:
        text = format_term(side)
    except UnsupportedOperation:
        return f"(a term with {side.op}, which no text has)"

    def meaning(match: re.Match[str]) -> str:
        hole = closing.holes[match.group()]
        args = [_side(a, closing) if isinstance(a, Term) else str(a) for a in hole.args]
        name = "D" if hole.constructor == "derivative" else hole.constructor
        return f"{name}({', '.join(args)})"

    return re.sub(r"\bhole\d+\b", meaning, text)


def _numbers(array: Array) -> str:
    """Numbers in brackets by axis, as Python writes them, with six digits at most."""
    if array.ndim:
        return f"[{', '.join(_numbers(row) for row in array)}]"
    number = float(array)
    return "undefined" if isnan(number) else f"{number:.6g}"


def format_findings(found: Findings) -> str:
    """What was found out about a rule."""
    rule, soundness = found.rule, found.soundness
    lines = [f"{rule.name}: {rule.law}"]
    if soundness.counterexample is not None:
        lines.append(f"  FALSE, by instance {soundness.compared}; the smallest found:")
        return "\n".join([*lines, format_counterexample(soundness.counterexample, rule)])
    if not soundness.compared:
        return "\n".join([*lines, "  no instance of its left side was found"])
    lines.append(f"  true on {soundness.compared} instances")
    lines.append("  fires" if found.fires else "  DOES NOT FIRE on its own left side")
    lines += [f"  {text}" for text in _further(found)]
    return "\n".join(lines)


def _further(found: Findings) -> Iterator[str]:
    if found.follows_from is not None:
        yield f"follows from {', '.join(found.follows_from) or 'nothing but the terms themselves'}"
    elif isinstance(found.rule, Rule) and found.fires:
        yield "does not follow from the others, as far as the budget reaches"
    for growth, what in ((found.alone, "alone"), (found.together, "with its ruleset")):
        if growth is not None:
            yield f"{what}: {_growth(growth)}"


def _growth(growth: Growth) -> str:
    shown = ", ".join(map(str, growth.sizes[-4:]))
    iterations = len(growth.sizes) - 1
    if growth.ended:
        return f"ends after {iterations} iterations, {growth.sizes[-1]} e-nodes"
    return f"STILL GROWS after {iterations} iterations: {shown} e-nodes"


def plain_findings(found: Findings) -> dict[str, Any]:
    """The same for JSON."""
    rule, example = found.rule, found.soundness.counterexample
    return {
        "name": rule.name,
        "ruleset": rule.ruleset,
        "instances": found.soundness.compared,
        "sound": example is None,
        "counterexample": None if example is None else format_counterexample(example, rule),
        "fires": found.fires,
        "follows_from": found.follows_from,
        "ends": found.alone and found.alone.ended,
        "ends_with_ruleset": found.together and found.together.ended,
    }
