"""The command `eggrad rules infer`: laws that small terms obey and that the rules lack."""

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from eggrad.frontend.cli.input import Mistake, json_option

if TYPE_CHECKING:
    from eggrad.engine.workbench.rule_inference import Candidate, Pair, Workload

__all__ = ["infer"]

NAMES = ("functions", "vectors", "matrices")


@click.command()
@click.option(
    "--nodes",
    type=click.IntRange(1, 9),
    default=5,
    show_default=True,
    help="The nodes of the largest terms, numbers included.",
)
@click.option(
    "--workload",
    "names",
    type=click.Choice(NAMES),
    multiple=True,
    help="Terms to look at; repeatable. All, where none is named.",
)
@click.option(
    "--variables",
    metavar="NAMES",
    help='Look at terms of these variables instead, with their orders: "a, x:1, A:2".',
)
@click.option("--functions", metavar="NAMES", help='Functions for them: "exp, log, inv".')
@click.option(
    "--terms",
    "limit",
    type=click.IntRange(1),
    default=200_000,
    show_default=True,
    help="Terms that are evaluated at most.",
)
@json_option
def infer(
    *,
    nodes: int,
    names: Sequence[str],
    variables: str | None,
    functions: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Propose rules: small terms that have the same values, and that the rules do not prove equal.

    The second list has those that are proved equal, but that simplification leaves dear. Each
    law was checked at many values: where its left side is defined, so is the right one.
    """
    from eggrad.engine.workbench.rule_inference import candidates, enumerate_terms, workloads
    from eggrad.rules.standard import EQUIVALENCE, STANDARD, system

    if functions is not None and variables is None:
        raise Mistake("--functions needs --variables")
    if variables is not None and names:
        raise Mistake("--variables and --workload exclude each other")
    chosen = [w for w in workloads() if not names or w.name in names]
    if variables is not None:
        chosen = [_workload(variables, functions or "")]
    statistics: list[dict[str, Any]] = []
    pairs: list[Pair] = []
    for workload in chosen:
        began = time.perf_counter()
        found = enumerate_terms(workload, nodes, limit)
        pairs += found.pairs
        statistics.append(
            {
                "workload": workload.name,
                "terms": found.terms,
                "groups": found.groups,
                "instances": found.instances,
                "pairs": len(found.pairs),
                "complete": found.complete,
                "seconds": round(time.perf_counter() - began, 1),
            }
        )
        click.echo(_line(statistics[-1]), err=True)
    pairs.sort(key=lambda p: p.nodes)
    began = time.perf_counter()
    known = list(candidates(pairs, system(STANDARD), system(EQUIVALENCE)))
    seconds = round(time.perf_counter() - began, 1)
    click.echo(f"{len(known)} candidates among {len(pairs)} pairs, {seconds} s", err=True)
    unproved = [_law(c) for c in known if not c.proved]
    dear = [_law(c) for c in known if c.proved]
    if as_json:
        report = {"unproved": unproved, "not simplified": dear}
        click.echo(json.dumps({"workloads": statistics, "seconds": seconds, **report}))
        return
    for title, laws in (("not proved", unproved), ("proved, but not simplified", dear)):
        click.echo(f"{title} ({len(laws)}):")
        for law in laws:
            click.echo(f"  {law['left']} = {law['right']}")


def _workload(variables: str, functions: str) -> "Workload":
    from eggrad.engine.terms.functions import MATRIX_FUNCTIONS, UNARY
    from eggrad.engine.terms.term import variable
    from eggrad.engine.workbench.rule_inference import SIZE, Workload

    known = dict[str, int]()
    for part in _parts(variables):
        name, _, order = part.partition(":")
        if not name.strip().isidentifier() or order.strip() not in ("", "0", "1", "2"):
            raise Mistake(f"--variables: {part!r} is not of the form x:1, with an order up to 2")
        known[name.strip()] = int(order.strip() or 0)
    if not known:
        raise Mistake("--variables names no variable")
    chosen = _parts(functions)
    for name in chosen:
        if name not in UNARY and name not in MATRIX_FUNCTIONS:
            raise Mistake(f"--functions: no function is called {name!r}")
    return Workload(
        "given",
        tuple(variable(name, (SIZE,) * order) for name, order in known.items()),
        tuple(f for f in chosen if f in UNARY),
        tuple(f for f in chosen if f in MATRIX_FUNCTIONS),
    )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _law(found: "Candidate") -> dict[str, Any]:
    from eggrad.frontend.text.printer import format_term

    return {
        "nodes": found.nodes,
        "left": format_term(found.left),
        "right": format_term(found.right),
    }


def _line(found: dict[str, Any]) -> str:
    ended = "" if found["complete"] else "; the limit on terms ended it: see --terms"
    return (
        f"{found['workload']}: {found['terms']} terms in {found['groups']} groups, "
        f"{found['instances']} instances passed over, {found['pairs']} pairs, "
        f"{found['seconds']} s{ended}"
    )
