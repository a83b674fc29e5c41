"""`eggrad rules report`, `ablate`, `minimize` and `eggrad graph`: experiments with the rules."""

import json
import shlex
from collections.abc import Callable, Collection, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final

import click

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.cli.commands import ARGUMENTS, Mistake, OfFormulas
from eggrad.frontend.cli.input import (
    json_option,
    parse_sizes,
    read_text,
    rules_option,
    takes_language,
    write_page,
)
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.interface.derivatives import wrt_variable
from eggrad.frontend.interface.own_rules import accepted
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.workbench import ablation, rule_report
from eggrad.frontend.workbench import graph as pictures
from eggrad.frontend.workbench.ablation import Ablation
from eggrad.frontend.workbench.experiment import (
    BASE,
    Case,
    Variant,
    in_modes,
    is_file,
    laws,
    read_corpus,
)
from eggrad.frontend.workbench.graph import Limits
from eggrad.frontend.workbench.origin import Origin
from eggrad.frontend.workbench.origin import section as origin_section
from eggrad.frontend.workbench.pages import page
from eggrad.frontend.workbench.rule_report import report_page

_SOURCE: Final = "eggrad.source"


def takes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the cases of a file, or a single one, in any language."""

    @click.argument("source", callback=read_text)
    @takes_language
    @click.option("--wrt", multiple=True, metavar="NAME", help="Differentiate by NAME; repeatable.")
    @click.option(
        "--mode",
        "modes",
        type=click.Choice(["auto", "forward", "reverse"]),
        multiple=True,
        help="How to differentiate; repeatable: every derivative in each of these modes.",
    )
    @wraps(command)
    def reading(
        source: str,
        *,
        read: Callable[[str], Problem],
        notation: str,
        wrt: Sequence[str],
        modes: Sequence[str],
        **options: Any,
    ) -> None:
        def derived(text: str) -> Problem:
            return _differentiated(read(text), wrt)

        click.get_current_context().meta[_SOURCE] = source
        cases = read_corpus(source, derived, notation)
        command(in_modes(cases, tuple(dict.fromkeys(modes))), **options)

    return reading


def _differentiated(problem: Problem, wrt: Sequence[str]) -> Problem:
    """The same problem with what to differentiate by."""
    if not wrt:
        return problem
    if problem.wrt is not None:
        raise Mistake("the text has 'derivative wrt' already; leave out --wrt")
    whole = expression(problem.term, problem.declared)
    arguments = tuple(wrt_variable(whole, name, problem.declared) for name in wrt)
    return Problem(problem.term, arguments, problem.declared)


def _most(option: str, default: int, what: str) -> Callable[[Callable[..., None]], Any]:
    return click.option(
        option,
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help=f"The number of {what} to show.",
    )


@click.command(short_help="Draw the e-graph after each stage.", cls=OfFormulas)
@takes_corpus
@click.option("--out", required=True, metavar="FILE", help="A .svg file, or a .html page.")
@_most("--classes", 120, "classes, those nearest to the root")
@_most("--members", 8, "e-nodes of an e-class")
@rules_option
def graph(
    cases: list[Case], *, out: str, classes: int, members: int, rules: tuple[str, ...]
) -> None:
    """Draw the e-graph of SOURCE after each stage.

    E-classes of equal terms are boxes, the extracted term is highlighted. What is larger than
    --classes and --members allow is folded, and the picture says so; the extracted term is never
    folded.
    """
    kind = Path(out).suffix
    if kind not in (".svg", ".html"):
        raise Mistake(f"--out takes a file that ends with .svg or .html, not {out}")
    if len(cases) > 1:
        raise Mistake(f"a picture shows one expression, this file has {len(cases)}")
    (case,) = cases
    stages, result = pictures.stages_of(case, Limits(classes, members), _variant(rules))
    if kind == ".svg":
        write_page(out, pictures.as_svg(stages))
    else:
        write_page(out, pictures.as_page(stages, case, result))


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


_without = click.option(
    "--without",
    default="",
    metavar="NAMES",
    help="Leave out these rules or rulesets from the start, with commas between them.",
)


UNITS: Final = ("rule", "ruleset", "pair")
_html = click.option("--html", metavar="FILE", help="Write a page with plots as well.")
_jobs = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes at work."
)


def _pairs(command: Callable[..., None]) -> Callable[..., None]:
    """How many pairs of rules are left out at most, and how long."""
    most = click.option(
        "--pairs",
        type=click.IntRange(min=1),
        default=ablation.PAIRS,
        show_default=True,
        help="Of pairs, try the first so many: those of which one rule does what the other did.",
    )
    seconds = click.option(
        "--pair-seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=ablation.PAIR_SECONDS,
        show_default=True,
        help="Begin no further pair after so long.",
    )
    return most(seconds(command))


@click.command(short_help="Compare variants of the rules.", cls=OfFormulas)
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
@click.option(
    "--ablate",
    "units",
    type=click.Choice(UNITS),
    multiple=True,
    help="On the page, leave out rules, rulesets or pairs in turn as well; repeatable.",
)
@_pairs
@_jobs
@_html
@_options
@json_option
def report(
    cases: list[Case],
    *,
    without: tuple[str, ...],
    added: tuple[str, ...],
    only: tuple[str, ...],
    units: tuple[str, ...],
    pairs: int,
    pair_seconds: float,
    jobs: int,
    html: str | None,
    sizes: dict[str, int] | int,
    seconds: float,
    as_json: bool,
) -> None:
    """Say what the rules do to SOURCE, and what variants of them do.

    SOURCE is an expression or the name of a file: one expression a line, or a JSON list of them.
    The first variant is the standard strategy.
    """
    variants = [BASE, *(BASE.without(*_names(w)) for w in without)]
    variants += [BASE.adding(files, accepted(_names(files))) for files in added]
    variants += [BASE.only(*_names(o)) for o in only]
    if units and html is None:
        raise Mistake("--ablate adds to a page: give --html FILE, or use 'eggrad rules ablate'")
    budget = Budget(seconds=seconds)
    found = list(rule_report.compare(cases, variants, sizes, budget))
    shown = rule_report.as_json(found)
    if html is not None:
        most = partial(ablation.ablate_pairs, most=pairs, seconds=pair_seconds)
        # What is added is what is asked about; otherwise it is the standard strategy.
        sets = [_names(files) for files in added] or [[]]
        tried = {
            f"{unit.capitalize()}s left out in turn: {name}": result
            for files in sets
            for name in [f"with {', '.join(files)}" if files else "standard"]
            for unit, result in _ablated(
                cases, sizes, budget, units, jobs=jobs, rules=files, pairs=most
            ).items()
        }
        sections = [ablation.as_html(a, title) for title, a in tried.items()]
        shown["ablations"] = {title: ablation.as_json(a) for title, a in tried.items()}
        origin = _origin([name for files in added for name in _names(files)])
        made = origin_section(origin, shown)
        write_page(html, report_page(found, cases, laws(variants), *sections, made))
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        click.echo(rule_report.as_text(found, rule_report.by_mode(found, cases)))


@click.command(short_help="Leave out each rule in turn.", cls=OfFormulas)
@takes_corpus
@_without
@rules_option
@click.option(
    "--by",
    type=click.Choice(UNITS),
    default="rule",
    show_default=True,
    help="What is left out in turn: each rule, each ruleset, or two rules at once.",
)
@_pairs
@click.option("--markdown", is_flag=True, help="Print a table for a document.")
@_html
@_jobs
@_options
@json_option
def ablate(
    cases: list[Case],
    *,
    without: str,
    rules: tuple[str, ...],
    by: str,
    pairs: int,
    pair_seconds: float,
    markdown: bool,
    html: str | None,
    jobs: int,
    sizes: dict[str, int] | int,
    seconds: float,
    as_json: bool,
) -> None:
    """Leave out each rule in turn and say what gets worse in SOURCE, and which never matter.

    A rule matters if a case has no answer without it, takes more operations or nodes, or is cut
    short by the budget. Rules that only compilation uses are not tried.
    """
    most = partial(ablation.ablate_pairs, most=pairs, seconds=pair_seconds)
    budget = Budget(seconds=seconds)
    found = _ablated(
        cases, sizes, budget, [by], jobs=jobs, rules=rules, pairs=most, without=_names(without)
    )[by]
    if html is not None:
        title = f"{by.capitalize()}s left out in turn"
        made = origin_section(_origin(rules), ablation.as_json(found))
        write_page(html, page("What rules are needed for", ablation.as_html(found, title), made))
    if as_json:
        click.echo(json.dumps(ablation.as_json(found), ensure_ascii=False))
    else:
        click.echo((ablation.as_markdown if markdown else ablation.as_text)(found))


@click.command(short_help="Find a smallest set of rules with the same results.", cls=OfFormulas)
@takes_corpus
@_without
@rules_option
@click.option("--same-text", is_flag=True, help="Let results be the same to the letter.")
@_options
@json_option
def minimize(
    cases: list[Case],
    *,
    without: str,
    rules: tuple[str, ...],
    same_text: bool,
    sizes: dict[str, int] | int,
    seconds: float,
    as_json: bool,
) -> None:
    """Find a set of rules with the same results for SOURCE, of which none can be left out.

    The results are the same if none takes more operations or nodes and none is cut short.
    """
    found = ablation.minimize(
        cases,
        sizes,
        Budget(seconds=seconds),
        without=_names(without),
        same_text=same_text,
        progress=_progress,
        variant=partial(_variant, rules),
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


def _ablated(
    cases: Sequence[Case],
    sizes: dict[str, int] | int,
    budget: Budget,
    units: Collection[str],
    *,
    jobs: int,
    rules: Sequence[str],
    pairs: Callable[..., Ablation],
    without: Sequence[str] = (),
) -> dict[str, Ablation]:
    """An ablation for each of some units."""
    given: dict[str, Any] = {
        "without": without,
        "jobs": jobs,
        "progress": _progress,
        "variant": partial(_variant, tuple(rules)),
    }
    found: dict[str, Ablation] = {}
    if "rule" in units or "pair" in units:
        found["rule"] = ablation.ablate(cases, sizes, budget, **given)
    if "ruleset" in units:
        found["ruleset"] = ablation.ablate(cases, sizes, budget, by="ruleset", **given)
    if "pair" in units:
        found["pair"] = pairs(found["rule"], sizes, budget, **given)
    return {unit: a for unit, a in found.items() if unit in units}


def _origin(rules: Sequence[str]) -> Origin:
    """The command that runs, and the files that it read."""
    context = click.get_current_context()
    words = ["eggrad", *context.command_path.split()[1:], *context.meta[ARGUMENTS]]
    source = context.meta[_SOURCE]
    if "-" in context.meta[ARGUMENTS]:
        texts = {"standard input": source}
    else:
        texts = {source: Path(source).read_text("utf-8")} if is_file(Path(source)) else {}
    texts |= {name: Path(name).read_text("utf-8") for name in rules}
    return Origin(shlex.join(words), texts)


def _variant(files: Sequence[str]) -> Variant:
    """The standard strategy, with the rules of some files."""
    return BASE.adding(", ".join(files), accepted(files)) if files else BASE


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")] if text else []
    if not all(names):
        raise Mistake(f"expected names with commas between them, not {text!r}")
    return names


def _progress(line: str) -> None:
    click.echo(line, err=True)
