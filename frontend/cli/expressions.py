"""`eggrad diff`, `simplify`, `convex` and `eval`: what is asked of one expression."""

import json
import sys
import time
from collections.abc import Sequence
from typing import cast, get_args

import click
import numpy as np

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.cli.commands import Mistake, OfFormulas
from eggrad.frontend.cli.input import (
    UNKNOWN,
    certificate_option,
    json_option,
    listed,
    parse_sizes,
    read_values,
    rules_option,
    takes_expression,
    write_array,
    write_page,
)
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.certificates import certified_derivative
from eggrad.frontend.interface.check import check_derivatives
from eggrad.frontend.interface.constants import CurvatureBound
from eggrad.frontend.interface.convexity import convexity
from eggrad.frontend.interface.curvature import written
from eggrad.frontend.interface.derivatives import Mode
from eggrad.frontend.interface.derivatives import simplify as simplified
from eggrad.frontend.interface.reading import Problem
from eggrad.frontend.text.words import FormatName
from eggrad.frontend.workbench import trace as tracing
from eggrad.frontend.workbench.trace import TraceStep, as_json, format_trace

_sizes = click.option(
    "--sizes",
    callback=parse_sizes,
    metavar="SIZES",
    help='Count the operations at these sizes: "m=3,n=5", or one number for all.',
)
_format = click.option(
    "--format",
    "language",
    type=click.Choice(get_args(FormatName)),
    help="The language to print; that of TEXT, where nothing is said.",
)
_mode = click.option(
    "--mode",
    type=click.Choice(["auto", "forward", "reverse"]),
    default="auto",
    show_default=True,
    help="How to differentiate.",
)


_trace = click.option(
    "--trace",
    is_flag=True,
    help="Print before it which rules fired in each iteration, and the expression then.",
)


@click.command(cls=OfFormulas)
@takes_expression
@click.option("--wrt", multiple=True, metavar="NAME", help="Differentiate by NAME; repeatable.")
@_mode
@_format
@rules_option
@click.option("--check", is_flag=True, help="Compare with central differences.")
@_trace
@certificate_option
@_sizes
@json_option
def diff(
    text: str,
    problem: Problem,
    *,
    wrt: Sequence[str],
    mode: Mode,
    language: FormatName,
    rules: tuple[str, ...],
    check: bool,
    trace: bool,
    certificate: str | None,
    sizes: dict[str, int] | int | None,
    as_json: bool,
) -> None:
    """Print the derivative of TEXT, simplified.

    The variables follow 'derivative wrt' in TEXT, or are given by --wrt. Repeating either gives
    higher derivatives.
    """
    names = _wrt(problem.wrt, wrt)
    steps = None
    if trace:
        arguments = problem.arguments(*names)
        steps = tracing.trace_derivative(problem.expression, arguments, mode, language, rules=rules)
    began = time.perf_counter()
    derivative = problem.derivative(*names, mode=mode, rules=rules).thin
    seconds = time.perf_counter() - began
    operations = None if sizes is None else derivative.cost(sizes)
    printed = derivative.to(language)
    found = None
    if check:
        lower = [problem.derivative(*names[:k], mode=mode) for k in range(1, len(names))]
        chain = [problem.expression, *lower, derivative]
        found = check_derivatives([e.term for e in chain], names)
    if as_json:
        report = _report(text, derivative, operations, seconds)
        report |= {
            "derivative": printed,
            "wrt": list(names),
            "mode": mode,
            "check": found and {"error": listed(found.error), "passed": found.passed},
        }
        click.echo(json.dumps(report | _traced(steps)))
    else:
        _show(steps)
        click.echo(printed)
        _remark(derivative, operations)
    if certificate is not None:
        before = problem.derivative(*names[:-1], mode=mode) if names[1:] else problem.expression
        write_page(certificate, certified_derivative(before, names[-1], derivative))
    if found is not None:
        click.echo(str(found), err=True)
        if not found.passed:
            sys.exit(1)


@click.command(cls=OfFormulas)
@takes_expression
@click.option("--wrt", multiple=True, metavar="NAME", help="Convex in NAME; repeatable.")
@click.option("--nodes", type=click.IntRange(1), help="E-nodes that each search may use.")
@click.option("--constants", is_flag=True, help="Say how strongly convex and how smooth it is.")
@certificate_option
@json_option
def convex(
    text: str,
    problem: Problem,
    *,
    wrt: Sequence[str],
    nodes: int | None,
    constants: bool,
    certificate: str | None,
    as_json: bool,
) -> None:
    """Say whether TEXT is convex, concave, affine or neither, and why.

    It is judged in the variables of --wrt together; all others are parameters. The status is 3 if
    that was not found out, else 0.
    """
    names = _wrt(problem.wrt, wrt, "convex in what?")
    found = convexity(problem.expression, list(names), Budget(nodes=nodes))
    if as_json:
        report: dict[str, object] = {"status": found.status, "reason": found.reason}
        if found.certificate is not None:
            report["certificate"] = str(found.certificate).splitlines()
        report["chords"] = {
            refuted: {
                "values": {name: listed(value) for name, value in chord.values.items()},
                "weight": listed(chord.weight),
            }
            for refuted, chord in found.chords.items()
        }
        if constants:
            bounds = {"strongly convex": found.strong_convexity, "smooth": found.smoothness}
            report |= {kind: b and _bound(b) for kind, b in bounds.items()}
        click.echo(json.dumps(report))
    else:
        click.echo(str(found))
        if constants:
            click.echo(f"\n{found.strong_convexity or 'strongly convex: no constant was found'}")
            click.echo(f"\n{found.smoothness or 'smooth: no constant was found'}")
    if certificate is not None and found.certificate is not None:
        write_page(certificate, found.certificate.text)
    sys.exit(UNKNOWN if found.status == "unknown" else 0)


def _bound(bound: CurvatureBound) -> dict[str, object]:
    """A constant for JSON."""
    value = written(bound.value.term, bound.value.scope)
    return {"value": value, "certificates": [str(c).splitlines() for c in bound.certificates]}


@click.command(cls=OfFormulas)
@takes_expression
@_format
@rules_option
@_trace
@_sizes
@json_option
def simplify(
    text: str,
    problem: Problem,
    *,
    language: FormatName,
    rules: tuple[str, ...],
    trace: bool,
    sizes: dict[str, int] | int | None,
    as_json: bool,
) -> None:
    """Print an expression equal to TEXT that costs less."""
    if problem.wrt is not None:
        raise Mistake(
            "simplify takes a text without 'derivative wrt'; use 'eggrad diff' for a derivative"
        )
    steps = None
    if trace:
        steps = tracing.trace_simplification(problem.expression, language, rules=rules)
    began = time.perf_counter()
    found = simplified(problem.expression, rules=rules).thin
    seconds = time.perf_counter() - began
    operations = None if sizes is None else found.cost(sizes)
    printed = found.to(language)
    if as_json:
        report = _report(text, found, operations, seconds)
        click.echo(json.dumps(report | {"simplified": printed} | _traced(steps)))
    else:
        _show(steps)
        click.echo(printed)
        _remark(found, operations)


@click.command(
    "eval", short_help="Evaluate TEXT, or its derivative, at given values.", cls=OfFormulas
)
@takes_expression
@click.option("--data", required=True, metavar="FILE", help="A .npz file with every variable.")
@click.option("--out", metavar="FILE", help="Write a .npy file instead of printing.")
@_mode
@json_option
def evaluate(
    text: str, problem: Problem, *, data: str, out: str | None, mode: Mode, as_json: bool
) -> None:
    """Evaluate TEXT, or its derivative where it has 'derivative wrt', at the values in FILE."""
    expression = problem.expression if problem.wrt is None else problem.derivative(mode=mode)
    # A file may have the values for other questions as well.
    values = {name: a for name, a in read_values(data).items() if name in expression.known}
    result = expression.evaluate(values)
    if out is not None:
        write_array(out, result)
    elif as_json:
        click.echo(json.dumps({"shape": list(result.shape), "value": listed(result)}))
    else:
        with np.printoptions(threshold=sys.maxsize, linewidth=100):
            click.echo(str(result))


def _wrt(
    in_text: Sequence[str] | None, given: Sequence[str], question: str = "differentiate by what?"
) -> Sequence[str]:
    if in_text and given:
        raise Mistake("the text has 'derivative wrt' already; leave out --wrt")
    if not in_text and not given:
        raise Mistake(f"{question} End the text with 'derivative wrt NAME', or give --wrt NAME")
    return given or cast(Sequence[str], in_text)


def _report(
    text: str, found: Expression, operations: int | None, seconds: float
) -> dict[str, object]:
    return {
        "input": text,
        "nodes": found.node_count,
        "operations": operations,
        "complete": found.complete,
        "seconds": round(seconds, 6),
    }


def _show(steps: Sequence[TraceStep] | None) -> None:
    if steps is not None:
        click.echo(format_trace(steps))


def _traced(steps: Sequence[TraceStep] | None) -> dict[str, object]:
    return {} if steps is None else {"trace": as_json(steps)}


def _remark(found: Expression, operations: int | None) -> None:
    if operations is not None:
        click.echo(f"{found.node_count} nodes, {operations} operations", err=True)
    if not found.complete:
        click.echo("the budget ended first: a shorter form may exist", err=True)
