"""`eggrad rules report`, `ablate` and `minimize`: experiments with the rules."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from eggrad.frontend.cli.corpus_argument import takes_corpus
from eggrad.frontend.cli.input import Mistake, json_option, parse_sizes
from eggrad.frontend.workbench.html_page import write_page

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.frontend.workbench.corpus import Case

__all__ = ["EXPERIMENTS", "ablate", "minimize", "report"]


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Sizes and budget, the same for all experiments."""
    sizes = click.option(
        "--sizes",
        callback=parse_sizes,
        default="100",
        show_default=True,
        metavar="SIZES",
        help='Count operations at these sizes: "m=3,n=5", or one number for all.',
    )
    seconds = click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=60.0,
        show_default=True,
        help="End the exploration of a case after so long.",
    )
    return sizes(seconds(command))


def _budget(seconds: float) -> "Budget":
    from eggrad.engine.saturation.schedule import Budget

    return Budget(seconds=seconds)


_without = click.option(
    "--without",
    default="",
    metavar="NAMES",
    help="Leave out these rules or rulesets from the start, with commas between them.",
)


@click.command(short_help="Compare variants of the rules.")
@takes_corpus
@click.option(
    "--without",
    multiple=True,
    metavar="NAMES",
    help="A variant without rules or rulesets; repeatable. Commas join several in one variant.",
)
@click.option(
    "--with",
    "added",
    multiple=True,
    metavar="FILES",
    help="A variant with the rules of Python files as well, which are executed: trust them "
    "first; repeatable, commas join.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="RULESETS",
    help="A variant that simplifies by these rulesets alone; repeatable, commas join.",
)
@click.option("--html", metavar="FILE", help="Write a page with plots as well.")
@_options
@json_option
def report(
    cases: "list[Case]",
    *,
    without: tuple[str, ...],
    added: tuple[str, ...],
    only: tuple[str, ...],
    html: str | None,
    sizes: "dict[str, int] | int",
    seconds: float,
    as_json: bool,
) -> None:
    """Say what the rules do to SOURCE, and what variants of them do.

    SOURCE is an expression or the name of a file: one expression a line, or a JSON list of them.
    The first variant is the standard strategy.
    """
    from eggrad.frontend.workbench import rule_report
    from eggrad.frontend.workbench.rule_files import accepted
    from eggrad.frontend.workbench.rule_report_page import report_page
    from eggrad.frontend.workbench.variant import BASE, laws

    variants = [BASE, *(BASE.without(*_names(w)) for w in without)]
    variants += [BASE.adding(files, accepted(_names(files))) for files in added]
    variants += [BASE.only(*_names(o)) for o in only]
    found = list(rule_report.compare(cases, variants, sizes, _budget(seconds)))
    if html is not None:
        write_page(html, report_page(found, cases, laws(variants)))
    if as_json:
        click.echo(json.dumps(rule_report.as_json(found), ensure_ascii=False))
    else:
        click.echo(rule_report.as_text(found))


@click.command(short_help="Leave out each rule in turn.")
@takes_corpus
@_without
@click.option("--markdown", is_flag=True, help="Print a table for a document.")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at work."
)
@_options
@json_option
def ablate(
    cases: "list[Case]",
    *,
    without: str,
    markdown: bool,
    jobs: int,
    sizes: "dict[str, int] | int",
    seconds: float,
    as_json: bool,
) -> None:
    """Leave out each rule in turn and say what gets worse in SOURCE, and which never matter.

    A rule matters if a case has no answer without it, takes more operations or nodes, or is cut
    short by the budget. Rules that only compilation uses are not tried.
    """
    from eggrad.frontend.workbench import ablation, ablation_table

    found = ablation.ablate(
        cases, sizes, _budget(seconds), without=_names(without), jobs=jobs, progress=_progress
    )
    if as_json:
        click.echo(json.dumps(ablation_table.as_json(found), ensure_ascii=False))
    else:
        click.echo((ablation_table.as_markdown if markdown else ablation_table.as_text)(found))


@click.command(short_help="Find a smallest set of rules with the same results.")
@takes_corpus
@_without
@click.option("--same-text", is_flag=True, help="Let results be the same to the letter.")
@_options
@json_option
def minimize(
    cases: "list[Case]",
    *,
    without: str,
    same_text: bool,
    sizes: "dict[str, int] | int",
    seconds: float,
    as_json: bool,
) -> None:
    """Find a set of rules with the same results for SOURCE, of which none can be left out.

    The results are the same if none takes more operations or nodes and none is cut short.
    """
    from eggrad.frontend.workbench import minimization

    found = minimization.minimize(
        cases,
        sizes,
        _budget(seconds),
        without=_names(without),
        same_text=same_text,
        progress=_progress,
    )
    if as_json:
        shown: dict[str, Any] = {"rules": list(found.rules), "fired": found.fired}
        click.echo(json.dumps(shown | {"tries": found.tries}))
        return
    for rule in found.rules:
        click.echo(rule)
    click.echo(
        f"{len(found.rules)} rules do what {found.fired} did; {found.tries} sets were tried",
        err=True,
    )


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")] if text else []
    if not all(names):
        raise Mistake(f"expected names with commas between them, not {text!r}")
    return names


def _progress(line: str) -> None:
    click.echo(line, err=True)


EXPERIMENTS = (report, ablate, minimize)
"""What the group `rules` gets from here."""
