"""Questions answered: one pure function from a question to what the page shows of it."""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from math import isfinite
from typing import Final, get_args

import numpy as np

from eggrad.engine.costs.cost import DEFAULT_SIZE
from eggrad.engine.errors import EggradError, ShapeError, UnsupportedOperation
from eggrad.engine.laws.rule import BulkRule, Rule
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.engine.terms.binding import symbols
from eggrad.frontend.calculus.budget_warning import BudgetWarning
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.check import TOLERANCE, check_derivatives
from eggrad.frontend.interface.compile import compile
from eggrad.frontend.interface.convexity import convexity
from eggrad.frontend.interface.equivalence import equivalent
from eggrad.frontend.interface.reading import NOTATIONS as FORMULAS
from eggrad.frontend.page.guide import entries
from eggrad.frontend.page.layout import LaidOut, laid_out, order_of_axes, row, sentence_of
from eggrad.frontend.page.names import names_in
from eggrad.frontend.page.question import GUIDE, Answer, Question, mistake
from eggrad.frontend.page.reading import Reading, detected, read
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from eggrad.frontend.printing.verdict import format_sides, format_values
from eggrad.frontend.text.words import FormatName
from eggrad.frontend.workbench import graph
from eggrad.frontend.workbench.derivation import derivation
from eggrad.frontend.workbench.experiment import BASE, Case, laws
from eggrad.frontend.workbench.trace import trace_derivative

# The languages to copy from, programs first; those that fail are left out.
LANGUAGES: Final = sorted(
    (name for name in get_args(FormatName) if FORMATS[name].label),
    key=lambda name: FORMATS[name].words is None,
)
NOTATIONS: Final = ("detect", *FORMULAS, "einsum", "elementwise", "json")
"""How a formula may be read."""
MOST_NODES: Final = 40
"""The largest expression whose e-graph is drawn."""
_LIMITS: Final = graph.Limits(classes=40, members=6)
_POINTS: Final = 241
_REACH: Final = 4.0
_FIRST: Final = ("x", "w", "theta", "X")
# Of a name alone: dx for d(x).
_DIFFERENTIAL: Final = re.compile(
    r"(\\mathrm\{d\})(?:\\left)?\((\{?\\?\w+\}?(?:_\{[^{}]*\}|_\w)?)(?:\\right)?\)"
)
# A formula whose printing takes long is read by nobody.
_LONGEST_TEXT: Final = 20_000


def answer(question: Question) -> Answer:
    r"""What the page shows; a mistake in the question is an answer with an `error`.

    >>> found = answer(Question("derivative", "x'*A*x"))
    >>> found["derivative"]["latex"], found["wrt"]
    ('\\left(A + A^\\top\\right) x', ['x'])
    >>> answer(Question("derivative", "sin(x"))["error"]["column"]
    4
    """
    if question.part == GUIDE:
        return {"entries": [asdict(e) for e in entries()]}
    if question.notation not in NOTATIONS:
        return {"error": mistake(EggradError(f"there is no notation {question.notation!r}"))}
    with warnings.catch_warnings():
        # What a budget cut short is said in the answer.
        warnings.simplefilter("ignore", BudgetWarning)
        try:
            found = read(
                question.text, question.notation, dict(question.dims), dict(question.assume)
            )
        except EggradError as error:
            return {"error": mistake(error), **_wanted(question, error)}
        try:
            return _PARTS[question.part](question, found)
        except EggradError as error:
            return {"error": mistake(error), **_variables(found)}


def _variables(found: Reading) -> Answer:
    """The variables of a formula, with their sizes."""
    return {
        "variables": [
            {"name": v.name, "axes": [str(d) for d in v.dims], "words": list(v.assumed)}
            for v in found.variables
        ],
        "words": list(ASSUMPTIONS),
    }


def _wanted(question: Question, error: EggradError) -> Answer:
    """The names in a formula that cannot be read without their sizes, or with those that are said.

    Of a name of which nothing is said the axes are None.
    """
    if not (isinstance(error, ShapeError) or question.dims or question.assume):
        return {}
    said, words = dict(question.dims), dict(question.assume)
    notation = detected(question.text) if question.notation == "detect" else question.notation
    return {
        "variables": [
            {
                "name": name,
                "axes": [str(d) for d in said[name]] if name in said else None,
                "words": list(words.get(name, ())),
            }
            for name in names_in(question.text, notation)
        ],
        "words": list(ASSUMPTIONS),
    }


def _wrt(question: Question, found: Reading) -> tuple[str, ...]:
    """What to differentiate by: as asked, as the text says, or the likeliest name."""
    names = [v.name for v in found.variables]
    asked = question.wrt or found.asked().wrt or ()
    if asked:
        return asked
    if not names:
        raise UnsupportedOperation("the formula has no variable to differentiate by")
    return (next((n for n in _FIRST if n in names), names[0]),)


def _derived(question: Question, found: Reading) -> tuple[tuple[str, ...], LaidOut]:
    """What is differentiated by, and the derivative in the layout that is asked for."""
    wrt = _wrt(question, found)
    problem = found.asked()
    by = [len(x.dims) for x in problem.arguments(*wrt)]
    axes = order_of_axes(question.layout, problem.expression.ndim, by)
    return wrt, laid_out(problem.derivative(*wrt), axes)


def _derivative(question: Question, found: Reading) -> Answer:
    wrt, (result, is_row) = _derived(question, found)
    f = found.asked().expression
    derivative = _written(result, result.to("latex"))
    if is_row and derivative["latex"]:
        derivative |= {"latex": row(derivative["latex"]), "shape": ["1", *derivative["shape"]]}
    elif question.layout and result.ndim == 1:
        derivative["shape"] += ["1"]
    return {
        "notation": found.notation,
        "guessed": found.guessed,
        **_variables(found),
        **_choice(found),
        "wrt": list(wrt),
        "layout": sentence_of(question.layout, f.ndim, len(wrt)),
        "plotted": _is_plotted(f),
        # As it was read, while the derivative is the shortest formula.
        "function": _written(f, format_unchanged("latex", f.term, f.scope)),
        "derivative": derivative,
        "complete": result.complete,
    }


def _choice(found: Reading) -> Answer:
    """How a formula was read where that was a choice, and what else it may mean."""
    return {
        "read_as": found.read_as,
        "others": [
            {
                "label": other.label,
                "text": other.text,
                "notation": other.notation,
                "dims": dict(other.dims),
            }
            for other in found.others
        ],
    }


def _written(f: Expression, latex: str) -> Answer:
    """A formula to be typeset, its axes and what it costs."""
    return {
        "latex": latex if len(latex) <= _LONGEST_TEXT else "",
        "shape": [str(d) for d in f.shape],
        "operations": f.cost(DEFAULT_SIZE),
        "symbols": list(symbols(f.thin.term, *f.variables)),
    }


def _code(question: Question, found: Reading) -> Answer:
    _, (result, _) = _derived(question, found)
    f = found.asked().expression
    both = partial(compile, [f, result])
    writers: dict[str, Callable[[], str]] = {
        FORMATS[language].label: partial(result.to, language) for language in LANGUAGES
    }
    writers["NumPy, compiled with the value"] = lambda: both().source
    return {"code": [_text(name, write) for name, write in writers.items()]}


def _text(name: str, write: Callable[[], str]) -> Answer:
    try:
        return {"name": name, "text": write()}
    except EggradError as error:
        return {"name": name, "text": "", "remark": str(error)}


def _check(question: Question, found: Reading) -> Answer:
    wrt = _wrt(question, found)
    problem = found.asked()
    lower = [problem.derivative(*wrt[:k]) for k in range(1, len(wrt) + 1)]
    seen = check_derivatives([e.term for e in (problem.expression, *lower)], wrt)
    return {"check": {"passed": seen.passed, "text": str(seen), "tolerance": TOLERANCE}}


def _convexity(question: Question, found: Reading) -> Answer:
    """Whether a scalar is convex in what it is first differentiated by; "" for what is none."""
    f = found.asked().expression
    if f.shape:
        return {"convexity": ""}
    wrt = _wrt(question, found)[0]
    seen = convexity(f, wrt)
    return {"convexity": seen.status, "wrt": wrt, "text": str(seen)}


def _steps(question: Question, found: Reading) -> Answer:
    """The differential, one law at a time."""
    problem = found.asked()
    lines = derivation(problem.expression, problem.arguments(*_wrt(question, found)), "latex")
    sentences = laws([BASE])
    return {
        "lines": [
            {
                "kind": line.kind,
                "order": line.order,
                "wrt": line.wrt,
                "latex": _DIFFERENTIAL.sub(r"\\mathinner{\1\2}", line.text),
                "laws": [{"name": name, "law": sentences[name]} for name in line.laws],
            }
            for line in lines
        ]
    }


def _log(question: Question, found: Reading) -> Answer:
    """Every round of the search, with the laws that fired."""
    problem = found.asked()
    arguments = problem.arguments(*_wrt(question, found))
    steps = trace_derivative(problem.expression, arguments, language="latex")
    sentences = laws([BASE])
    shown = [
        {
            "stage": s.stage,
            "latex": s.text if i == 0 or s.text != steps[i - 1].text else "",
            "laws": [{"name": name, "times": n, "law": sentences[name]} for name, n in s.rules],
        }
        for i, s in enumerate(steps)
    ]
    return {"steps": shown, "enodes": steps[-1].enodes}


def _compare(question: Question, found: Reading) -> Answer:
    _, (result, _) = _derived(question, found)
    dims = {v.name: v.dims for v in found.variables}
    words = {v.name: v.assumed for v in found.variables}
    try:
        other = read(question.other, "detect", dims, words).asked().expression
        verdict = equivalent(result, other)
    except EggradError as error:
        return {"error": mistake(error, "other")}
    witness = {name: format_values(value) for name, value in (verdict.witness or {}).items()}
    sides = format_sides(verdict.left, verdict.right) if witness else ()
    return {
        "status": verdict.status,
        "reason": verdict.reason,
        "laws": list(map(_law, verdict.laws)) if verdict.status == "equal" else [],
        "domain": list(verdict.domain),
        "witness": witness,
        "sides": [f"{name} = {text}" for name, text in sides],
    }


def _law(rule: Rule | BulkRule) -> Answer:
    return {"name": f"{rule.ruleset}.{rule.name}", "law": rule.law}


def _picture(question: Question, found: Reading) -> Answer:
    problem = found.problem
    if found.asked().expression.node_count > MOST_NODES:
        raise UnsupportedOperation(
            f"e-graphs are drawn of formulas of at most {MOST_NODES} nodes; 'eggrad graph' draws "
            "larger ones"
        )
    wrt = found.asked().arguments(*_wrt(question, found))
    case = Case("", question.text, problem.term, wrt, problem.declared)
    stages, _ = graph.stages_of(case, _LIMITS)
    return {
        "legend": graph.LEGEND,
        "stages": [{"name": s.name, "remark": s.remark, "svg": s.picture().svg} for s in stages],
    }


def _is_plotted(f: Expression) -> bool:
    return not f.shape and len(f.variables) == 1 and not f.variables[0].dims


def _plot(question: Question, found: Reading) -> Answer:
    wrt, (result, _) = _derived(question, found)
    f = found.asked().expression
    if not _is_plotted(f):
        raise UnsupportedOperation("a scalar function of one scalar variable is plotted")
    (variable,) = f.variables
    points = np.linspace(-_REACH, _REACH, _POINTS)

    def sampled(g: Expression) -> list[float | None]:
        with np.errstate(all="ignore"):
            values = [float(g.evaluate({variable.name: p})) for p in points]
        return [v if isfinite(v) else None for v in values]

    return {
        "variable": variable.name,
        "order": len(wrt),
        "points": points.tolist(),
        "function": sampled(f),
        "derivative": sampled(result),
    }


_PARTS: Final[Mapping[str, Callable[[Question, Reading], Answer]]] = {
    "derivative": _derivative,
    "code": _code,
    "check": _check,
    "convexity": _convexity,
    "steps": _steps,
    "log": _log,
    "compare": _compare,
    "picture": _picture,
    "plot": _plot,
}
