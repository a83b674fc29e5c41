"""`eggrad rules`: the laws, and what can be asked about them."""

import json
import sys
from typing import TYPE_CHECKING

import click

from eggrad.frontend.cli.input import Commands, Mistake, json_option
from eggrad.frontend.cli.rules_infer import infer

if TYPE_CHECKING:
    from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
    from eggrad.frontend.workbench.rule_check import Findings

__all__ = ["rules"]


@click.group(cls=Commands)
def rules() -> None:
    """Show the laws that every step of a simplification follows."""


rules.add_command(infer)


@rules.command("list")
@json_option
def list_rules(*, as_json: bool) -> None:
    """List every ruleset with its rules."""
    from eggrad.rules.standard import RULESETS

    if as_json:
        click.echo(json.dumps({s.name: [_rule(r) for r in _laws(s)] for s in RULESETS}))
        return
    for ruleset in RULESETS:
        laws = _laws(ruleset)
        click.echo(f"{ruleset.name} ({len(laws)}): {ruleset.purpose}")
        for rule in laws:
            click.echo(f"  {rule.name}: {rule.law}")


@rules.command()
@click.argument("name")
@json_option
def show(name: str, *, as_json: bool) -> None:
    """Show the rule NAME, or every rule of the ruleset NAME."""
    from eggrad.rules.standard import RULESETS

    named = [s for s in RULESETS if s.name == name]
    found = [r for s in RULESETS for r in _laws(s) if name in (r.name, s.name)]
    if not named and not found:
        raise Mistake(f"no rule and no ruleset is called {name!r}; see 'eggrad rules list'")
    if as_json:
        click.echo(json.dumps([_rule(r) for r in found]))
        return
    blocks = [f"{s.name}: {s.purpose}\n  measure: {s.measure}" for s in named]
    for rule in found:
        domain = f"\n  where: {rule.domain}" if rule.domain else ""
        blocks.append(
            f"{rule.name}: {rule.law}\n  source: {rule.cite}{domain}\n  written: {rule.text}"
        )
    click.echo("\n\n".join(blocks))


@rules.command()
@click.argument("subject", metavar="[NAME | FILE]", required=False)
@click.option(
    "--instances",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Compare both sides at so many random instances.",
)
@click.option("--seed", default=0, show_default=True, help="Draw other instances.")
@json_option
def check(subject: str | None, *, instances: int, seed: int, as_json: bool) -> None:
    """Check the rule or ruleset NAME, the rules of FILE, or all rules.

    Is a rule true, on random instances of its left side? Does it fire? Does it follow from other
    rules? Does it come to an end, alone and with its ruleset? A rule that is false is shown with
    a small counterexample, and the exit status is 1.

    FILE is Python and is executed: check only files that you trust.
    """
    from eggrad.frontend.workbench.findings_printer import format_findings, plain_findings
    from eggrad.frontend.workbench.rule_check import Checker
    from eggrad.frontend.workbench.rule_files import rules_to_check
    from eggrad.rules.rejected import rejected
    from eggrad.rules.standard import RULESETS

    chosen = rules_to_check(subject)
    own = dict.fromkeys(s for s, _ in chosen if s not in (*RULESETS, rejected))
    checker = Checker([*own], instances, seed)
    found: list[Findings] = []
    for ruleset, rule in chosen:
        found.append(checker.findings(rule, ruleset))
        if not as_json:
            click.echo(format_findings(found[-1]))
    if as_json:
        click.echo(json.dumps([plain_findings(f) for f in found]))
    false = [f.rule.name for f in found if f.soundness.counterexample is not None]
    if false:
        click.echo(f"{len(false)} of {len(found)} rules false: {', '.join(false)}", err=True)
        sys.exit(1)


def _laws(ruleset: "Ruleset") -> "list[Rule | BulkRule]":
    return ruleset.laws


def _rule(rule: "Rule | BulkRule") -> dict[str, str]:
    known = {"name": rule.name, "ruleset": rule.ruleset, "law": rule.law, "cite": rule.cite}
    return known | {"domain": rule.domain, "text": rule.text}
