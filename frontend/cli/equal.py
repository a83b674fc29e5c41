"""The commands `eggrad equal` and `eggrad classes`: which expressions are equal."""

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from eggrad.engine.errors import EggradError
from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.cli.commands import Mistake, OfFormulas
from eggrad.frontend.cli.input import (
    UNKNOWN,
    certificate_option,
    json_option,
    listed,
    read_file,
    read_text,
    rules_option,
    takes_language,
    write_page,
)
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.equivalence import Verdict, equivalent
from eggrad.frontend.interface.reading import Problem
from eggrad.frontend.text import phrases
from eggrad.frontend.text.words import FormatName

STATUS: Final = {"equal": 0, "different": 1, "unknown": UNKNOWN}

Read = Callable[[str], phrases.Problem]


@click.command(cls=OfFormulas)
@click.argument("left", callback=read_text)
@click.argument("right", callback=read_text)
@takes_language
@click.option("--nodes", type=click.IntRange(1), help="E-nodes that the search may use.")
@click.option("--rounds", type=click.IntRange(0), help="Rounds of the search.")
@rules_option
@click.option("--steps", is_flag=True, help="Print the proof step by step.")
@certificate_option
@json_option
def equal(
    *,
    left: str,
    right: str,
    read: Read,
    nodes: int | None,
    rounds: int | None,
    rules: tuple[str, ...],
    steps: bool,
    certificate: str | None,
    notation: FormatName,
    as_json: bool,
) -> None:
    """Say whether LEFT and RIGHT are equal, by which rules, or at which values they differ.

    The status is 0 if they are equal, 1 if they differ, and 3 if that was not found out.
    """
    budget = Budget(nodes=nodes, iterations=rounds)
    verdict = equivalent(_plain(read(left)), _plain(read(right)), budget, rules)
    if as_json:
        click.echo(json.dumps(_report(verdict)))
    else:
        click.echo(str(verdict))
        if steps and verdict.status == "equal":
            click.echo("\n" + verdict.explain(notation))
        if verdict.status == "unknown":
            click.echo("more --nodes or --rounds may decide it", err=True)
    if certificate is not None and verdict.status == "equal":
        write_page(certificate, verdict.certificate)
    sys.exit(STATUS[verdict.status])


@click.command(cls=OfFormulas)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@takes_language
@json_option
def classes(*, file: str, read: Read, as_json: bool, **_: Any) -> None:
    """Group the expressions in FILE, one a line, into those that are equal.

    Empty lines and lines that begin with # are left out. What is equal on a part of the reals
    alone, as exp(log(x)) and x, is in two groups; that, and what was not found out, is reported.
    """
    text = read_file(file)
    lines = [(k, s) for k, s in enumerate(map(str.strip, text.splitlines()), 1) if s]
    known: list[tuple[str, Expression]] = []
    for k, line in lines:
        if not line.startswith("#"):
            try:
                known.append((line, _plain(read(line))))
            except EggradError as error:
                raise Mistake(f"line {k} of {file}:\n{error}") from error
    groups, open_pairs = _grouped([f for _, f in known])
    texts = [[known[k][0] for k in group] for group in groups]
    unknown = [(known[a][0], known[b][0]) for a, b, domain in open_pairs if not domain]
    partly = [(known[a][0], known[b][0], list(domain)) for a, b, domain in open_pairs if domain]
    if as_json:
        click.echo(json.dumps({"classes": texts, "unknown": unknown, "partly": partly}))
        return
    click.echo("\n\n".join("\n".join(group) for group in texts))
    for a, b, domain in partly:
        click.echo(f"equal where {', '.join(domain)}:\n  {a}\n  {b}", err=True)
    for a, b in unknown:
        click.echo(f"not found out whether equal:\n  {a}\n  {b}", err=True)


# Two expressions by number, and where they are equal; without that it was not found out.
_Open = tuple[int, int, tuple[str, ...]]


def _grouped(known: Sequence[Expression]) -> tuple[list[list[int]], list[_Open]]:
    """Groups of equal expressions, by number, and the pairs that are equal in part or unknown."""
    groups: list[list[int]] = []
    others: list[_Open] = []
    for k, f in enumerate(known):
        home: list[int] | None = None
        for group in groups:
            verdict = equivalent(known[group[0]], f)
            if verdict.status == "equal" and not verdict.domain:
                home = group
                break
            if verdict.status != "different":
                others.append((group[0], k, verdict.domain))
        if home is None:
            groups.append([k])
        else:
            home.append(k)
    return groups, others


def _plain(read: phrases.Problem) -> Expression:
    """The expression, or the derivative that its text asks for."""
    problem = Problem(read)
    return problem.expression if problem.wrt is None else problem.derivative()


def _report(verdict: Verdict) -> dict[str, Any]:
    found = {"status": verdict.status, "reason": verdict.reason, "samples": verdict.samples}
    found["digits"] = verdict.digits
    if verdict.status == "equal":
        found |= {"rules": list(verdict.rules), "domain": list(verdict.domain)}
    if verdict.witness is not None:
        values = {name: listed(value) for name, value in verdict.witness.items()}
        found |= {"witness": values, "left": listed(verdict.left), "right": listed(verdict.right)}
    return found
