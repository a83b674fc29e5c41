"""`eggrad graph`: a picture of the e-graph after each stage."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eggrad.frontend.cli.corpus_argument import takes_corpus
from eggrad.frontend.cli.input import Mistake
from eggrad.frontend.workbench.html_page import write_page

if TYPE_CHECKING:
    from eggrad.frontend.workbench.corpus import Case

__all__ = ["graph"]


def _most(option: str, default: int, what: str) -> Callable[[Callable[..., None]], Any]:
    return click.option(
        option,
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help=f"Show so many {what}.",
    )


@click.command(short_help="Draw the e-graph after each stage.")
@takes_corpus
@click.option("--out", required=True, metavar="FILE", help="A .svg file, or a .html page.")
@_most("--classes", 120, "classes, those nearest to the root")
@_most("--members", 8, "members of a class")
def graph(cases: "list[Case]", *, out: str, classes: int, members: int) -> None:
    """Draw the e-graph of SOURCE after each stage.

    Classes of equal terms are boxes, the extracted term is highlighted. What is larger than
    --classes and --members allow is folded, and the picture says so; the extracted term is never
    folded.
    """
    from eggrad.frontend.workbench import graph_stages
    from eggrad.frontend.workbench.graph_boxes import Limits

    kind = Path(out).suffix
    if kind not in (".svg", ".html"):
        raise Mistake(f"--out takes a file that ends with .svg or .html, not {out}")
    if len(cases) > 1:
        raise Mistake(f"a picture shows one expression, this file has {len(cases)}")
    (case,) = cases
    stages, result = graph_stages.stages_of(case, Limits(classes, members))
    if kind == ".svg":
        write_page(out, graph_stages.as_svg(stages))
    else:
        write_page(out, graph_stages.as_page(stages, case, result))
