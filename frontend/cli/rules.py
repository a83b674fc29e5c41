"""`eggrad rules list`, `show`, `check`, `prove`, `infer`: the laws, and questions about them."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import click

from eggrad.engine.laws.rule import BulkRule, Fact, LoopRule, Rule
from eggrad.engine.terms.functions import UNARY
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import variable
from eggrad.engine.workbench.rule_inference import (
    SIZE,
    Candidate,
    Pair,
    Workload,
    candidates,
    enumerate_terms,
    workloads,
)
from eggrad.frontend.cli.commands import Mistake
from eggrad.frontend.cli.input import json_option, rules_option
from eggrad.frontend.interface.own_rules import (
    Checker,
    Findings,
    format_findings,
    laws_named,
    near_names,
    plain_findings,
    read_rules,
    rules_to_check,
)
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.workbench.proofs import Judgement, judged
from eggrad.rules.rejected import rejected
from eggrad.rules.standard import EQUIVALENCE, RULESETS, STANDARD, system


@click.command("list")
@json_option
def list_rules(*, as_json: bool) -> None:
    """List every ruleset with its laws."""
    if as_json:
        click.echo(json.dumps({s.name: [_rule(r) for r in s.every_law] for s in RULESETS}))
        return
    for ruleset in RULESETS:
        click.echo(f"{ruleset.name} ({len(ruleset.every_law)}): {ruleset.purpose}")
        for law in ruleset.every_law:
            click.echo(f"  {law.name}: {law.law}")


@click.command()
@click.argument("name")
@rules_option
@json_option
def show(name: str, *, rules: tuple[str, ...], as_json: bool) -> None:
    """Show the law NAME, or every law of the ruleset NAME.

    A law is called RULE or, as reports print it, RULESET.RULE.
    """
    own = [ruleset for path in rules for ruleset in read_rules(path)]
    found = laws_named(name, own)
    if not found:
        near = near_names(name, [*RULESETS, *own])
        raise Mistake(f"no rule and no ruleset is called {name!r}{near}")
    if as_json:
        click.echo(json.dumps([_rule(r) for _, r in found]))
        return
    whole = [s for s, _ in found[:1] if s.name in (name, rejected.name)]
    blocks = [f"{s.name}: {s.purpose}\n  measure: {s.measure or 'none'}" for s in whole]
    for _, law in found:
        known = _rule(law)
        domain = f"\n  where: {known['domain']}" if known["domain"] else ""
        blocks.append(f"{law.name}: {law.law}\n  source: {law.cite}{domain}\n  written: {law.text}")
    click.echo("\n\n".join(blocks))


def _instances_of_rules(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the rules that it is about, and the random instances that are drawn."""
    for option in (
        click.option("--seed", default=0, show_default=True, help="Draw other instances."),
        click.option(
            "--instances",
            type=click.IntRange(1),
            default=1000,
            show_default=True,
            help="The number of random instances at which both sides are compared.",
        ),
        click.argument("subject", metavar="[NAME | FILE]", required=False),
    ):
        command = option(command)
    return command


@click.command()
@_instances_of_rules
@json_option
def check(subject: str | None, *, instances: int, seed: int, as_json: bool) -> None:
    """Check the rule or ruleset NAME, the rules of FILE, or all rules.

    Is a rule true, on random instances of its left side? Does it fire? Does it follow from other
    rules? Does it come to an end, alone and with its ruleset? A rule that is false is shown with
    a small counterexample, one that cannot be checked with what is wrong; the others are checked
    all the same, and the exit status is 1.

    FILE is Python and is executed: check only files that you trust.
    """
    chosen = rules_to_check(subject)
    rulesets = dict.fromkeys(s for s, _ in chosen if s not in (*RULESETS, rejected))
    checker = Checker([*rulesets], instances, seed)
    found: list[Findings] = []
    for ruleset, rule in chosen:
        found.append(checker.findings(rule, ruleset))
        if not as_json:
            click.echo(format_findings(found[-1]))
    if as_json:
        click.echo(json.dumps([plain_findings(f) for f in found]))
    false = [f.rule.name for f in found if f.soundness.counterexample is not None]
    wrong = [f.rule.name for f in found if f.mistake]
    for names, what in ((false, "false"), (wrong, "not checked")):
        if names:
            click.echo(f"{len(names)} of {len(found)} rules {what}: {', '.join(names)}", err=True)
    if false or wrong:
        sys.exit(1)


@click.command()
@_instances_of_rules
@json_option
def prove(subject: str | None, *, instances: int, seed: int, as_json: bool) -> None:
    """Prove or refute the rule or ruleset NAME, the rules of FILE, or all rules.

    A law is proved for all values, checked to a bound (at every instance up to a number of axes and
    their lengths, each for all values), refuted with values, or open with the reason. The exit
    status is 1 where one is refuted or cannot be checked. More is proved where the package
    z3-solver is installed.

    FILE is Python and is executed: prove only files that you trust.
    """
    checker = Checker((), instances, seed)
    found: list[Judgement] = []
    for _, rule in rules_to_check(subject):
        found.append(judged(rule, checker))
        if not as_json:
            click.echo(found[-1].text)
    if as_json:
        click.echo(json.dumps([j.plain for j in found]))
    counts = Counter(j.verdict for j in found)
    click.echo(", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())), err=True)
    if counts["refuted"] or counts["not checked"]:
        sys.exit(1)


def _rule(law: Rule | BulkRule | LoopRule | Fact) -> dict[str, str]:
    known = {"name": law.name, "ruleset": law.ruleset, "law": law.law, "cite": law.cite}
    return known | {"domain": "" if isinstance(law, Fact) else law.domain, "text": law.text}


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


def _workload(variables: str, functions: str) -> Workload:
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


def _law(found: Candidate) -> dict[str, Any]:
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
