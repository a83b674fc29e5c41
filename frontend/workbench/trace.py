"""The derivation, iteration by iteration: which rules fired, and the cheapest expression then."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from eggrad.engine.saturation.schedule import Moment, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.own_rules import Rules, accepted
from eggrad.frontend.printing.formats import FORMATS, format_formula
from eggrad.frontend.workbench.experiment import BASE, Variant, rule_names


@dataclass(frozen=True)
class TraceStep:
    """One iteration: its stage, how often each rule fired, and the size of the e-graph then.

    `text` is the cheapest expression then, or empty where there is none yet: as long as a
    derivative is still to be taken.
    """

    stage: str
    rules: tuple[tuple[str, int], ...]
    enodes: int
    text: str


def trace_derivative(
    f: Expression,
    wrt: Sequence[Term],
    mode: str = "auto",
    language: str = "einsum",
    *,
    rules: Rules | None = None,
) -> list[TraceStep]:
    """The iterations of a derivative with respect to each variable in turn.

    `rules` are added to the standard ones, as for `eggrad.derivative`.

    >>> from eggrad.frontend.expression.functions import sin, variable
    >>> f = sin(variable("x"))
    >>> [step.text for step in trace_derivative(f, f.variables)][-1]
    'cos(x)'
    """
    return _traced(
        (*f.variables, *wrt),
        language,
        BASE.adding("rules", accepted(rules)),
        lambda systems: calculus.thinned_derivative(f.term, wrt, mode, systems=systems),
    )


def trace_simplification(
    f: Expression, language: str = "einsum", *, rules: Rules | None = None
) -> list[TraceStep]:
    """The iterations of a simplification; `rules` are added to the standard ones.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x")
    >>> [step.text for step in trace_simplification(x + x - x)][-1]
    'x'
    """
    return _traced(
        f.variables,
        language,
        BASE.adding("rules", accepted(rules)),
        lambda systems: calculus.thinned(f.term, systems=systems),
    )


def _traced(
    scope: Sequence[Term],
    language: str,
    variant: Variant,
    run: Callable[[Callable[[Strategy], System]], object],
) -> list[TraceStep]:
    known = rule_names(variant)
    steps: list[TraceStep] = []

    notation = language if language in FORMATS and FORMATS[language].formula else "einsum"

    def look(moment: Moment) -> None:
        fired = {rule: n for rule, n in moment.matches.items() if rule in known}
        rules = tuple(sorted(fired.items(), key=lambda pair: (-pair[1], pair[0])))
        found = moment.cheapest()
        text = "" if found is None else format_formula(notation, found, scope)
        step = TraceStep(moment.phase, rules, moment.enodes, text)
        if rules or moment.stage == "load" or text != steps[-1].text:
            steps.append(step)

    run(variant.systems(look))
    return steps


def format_trace(steps: Iterable[TraceStep]) -> str:
    """A line for each iteration, and one for the expression where it is another than before.

    >>> loaded = TraceStep("load", (), 2, "x + 0")
    >>> print(format_trace([loaded, TraceStep("simplify", (("a", 2),), 1, "x")]))
    load: 2 e-nodes
        x + 0
    simplify: a 2; 1 e-nodes
        x
    """
    lines: list[str] = []
    before = ""
    for step in steps:
        fired = ", ".join(f"{rule} {n}" for rule, n in step.rules)
        lines.append(f"{step.stage}: {fired + '; ' if fired else ''}{step.enodes} e-nodes")
        if step.text not in ("", before):
            lines.append(f"    {step.text}")
        before = step.text or before
    return "\n".join(lines)


def as_json(steps: Iterable[TraceStep]) -> list[dict[str, Any]]:
    """The same for other programs."""
    return [
        {"stage": s.stage, "rules": dict(s.rules), "enodes": s.enodes, "text": s.text or None}
        for s in steps
    ]
