"""The e-graph after each stage: load, differentiate, simplify, explore, present."""

from collections.abc import Sequence
from dataclasses import dataclass

from eggrad.engine.egraph.reading import Reading
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.saturation.schedule import Moment
from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.experiment import derive
from eggrad.frontend.workbench.graph_boxes import Boxes, Limits, read_boxes
from eggrad.frontend.workbench.graph_picture import Picture, draw, stacked
from eggrad.frontend.workbench.html_page import markup, page, tabs
from eggrad.frontend.workbench.variant import BASE

__all__ = ["Stage", "as_page", "as_svg", "stages_of"]

LEGEND = (
    "Every box is a class of equal terms, the root on the left; variables and numbers are called "
    "by their names. The extracted term is blue, what no rule matches any more is grey. Lines lead "
    "to operands, dashed ones back to the left."
)


@dataclass(frozen=True)
class Stage:
    """The e-graph at the end of a stage, and the result where it is the last one."""

    name: str
    boxes: Boxes

    @property
    def remark(self) -> str:
        """How large it is, and what is folded."""
        return " ".join(self.boxes.remarks)

    def picture(self) -> Picture:
        """The classes and their members."""
        return draw(self.boxes)


def stages_of(case: Case, limits: Limits) -> tuple[list[Stage], str]:
    """The e-graphs of a case at the end of each stage, and its result.

    A derivative of higher order has one e-graph after the other; their stages are numbered.
    """
    found: dict[tuple[int, str], tuple[Reading, Snapshot, Sequence[str]]] = {}
    order = 0

    def look(moment: Moment) -> None:
        nonlocal order
        order += moment.stage == "load"
        found[order, moment.phase] = (*moment.read(), list(moment.roots))

    result = derive(case, BASE.systems(look), None)
    names = {key: f"{key[0]}. {key[1]}" if order > 1 else key[1] for key in found}
    stages = [Stage(names[key], read_boxes(*seen, limits)) for key, seen in found.items()]
    return stages, case.written(result.term)


def as_svg(stages: list[Stage]) -> str:
    """One picture, the stages below each other."""
    return stacked([(s.name, s.remark, s.picture()) for s in stages])


def as_page(stages: list[Stage], case: Case, result: str) -> str:
    """A page with a tab for each stage."""
    sections = [
        (s.name, f'<p class="note">{markup(s.remark)}</p><div class="wide">{s.picture().svg}</div>')
        for s in stages
    ]
    style = "<style>body { max-width: none; } .wide svg { max-width: none; }</style>"
    return page(
        "The e-graph, stage by stage",
        style,
        f"<p><code>{markup(case.text)}</code><br>= <code>{markup(result)}</code></p>",
        f'<p class="note">{LEGEND}</p>',
        tabs(sections),
    )
