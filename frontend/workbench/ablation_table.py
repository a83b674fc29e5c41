"""What leaving out each rule does, as tables and as JSON."""

from collections.abc import Sequence
from typing import Any

from eggrad.frontend.workbench.ablation import Ablation, Change, Effect
from eggrad.frontend.workbench.tables import aligned, grouped

__all__ = ["as_json", "as_markdown", "as_text"]

_HEAD = (
    "without",
    "cases",
    "no answer",
    "more operations",
    "factor at worst",
    "more nodes",
    "cut short",
    "e-nodes",
    "other text",
)
_NAMED = 3


def _row(effect: Effect, name: str) -> tuple[str, ...]:
    counts = (
        len(effect.changes),
        len(effect.cases(lambda c: c.fails)),
        len(effect.cases(lambda c: c.operations > 0)),
        len(effect.cases(lambda c: c.nodes > 0)),
        len(effect.cases(lambda c: c.cut_short)),
        len(effect.cases(lambda c: not c.fails and c.before.text != c.after.text)),
    )
    cases, fails, dearer, longer, cut, other = (grouped(n) if n else "" for n in counts)
    worst = f"{effect.worst:,.2f}" if dearer else ""
    enodes = f"{effect.enodes:+,}" if effect.enodes else ""
    return name, cases, fails, dearer, worst, longer, cut, enodes, other


def _groups(found: Ablation) -> tuple[list[Effect], list[str], list[str]]:
    """The rules that matter, that only change how a result is written, and that do nothing."""
    rest = [e for e in found.effects if not e.matters]
    return (
        [e for e in found.effects if e.matters],
        [e.rule for e in rest if e.rewrites],
        [e.rule for e in rest if not e.rewrites],
    )


def _lists(found: Ablation) -> list[tuple[str, Sequence[str]]]:
    _, written, nothing = _groups(found)
    return [
        ("Without these, results are written otherwise, but none is worse", written),
        ("These fire and never matter: without any one of them all results are the same", nothing),
        ("These fire in no case", found.silent),
    ]


def as_text(found: Ablation) -> str:
    """A row for each rule that matters, then the names of the others."""
    rows = [_row(e, e.rule) for e in _groups(found)[0]]
    parts = [aligned(_HEAD, rows)]
    for title, rules in _lists(found):
        parts.append(f"{title} ({len(rules)}):\n" + "\n".join(f"  {r}" for r in rules))
    return "\n\n".join(parts)


def as_markdown(found: Ablation) -> str:
    """The same for a document; the worst cases are named."""
    lines = [
        f"| {' | '.join(_HEAD)} | worst in |",
        "|---|" + "---:|" * (len(_HEAD) - 1) + "---|",
    ]
    for effect in _groups(found)[0]:
        row = (*_row(effect, f"`{effect.rule}`"), ", ".join(_worst(effect)))
        lines.append(f"| {' | '.join(row)} |")
    for title, rules in _lists(found):
        lines += ["", f"{title} ({len(rules)}): {', '.join(f'`{r}`' for r in rules)}."]
    return "\n".join(lines)


def _worst(effect: Effect) -> list[str]:
    """The names of a few cases: without an answer, then those that grow most."""
    worse = sorted((c for c in effect.changes if c.worse), key=_badness)
    more = len(worse) - _NAMED
    return [c.before.case for c in worse[:_NAMED]] + ([f"{more} more"] if more > 0 else [])


def _badness(change: Change) -> tuple[object, ...]:
    factor = change.after.operations / max(1, change.before.operations)
    return (not change.fails, -factor, -change.nodes, change.before.case)


def as_json(found: Ablation) -> dict[str, Any]:
    """Everything, for other programs: numbers are what a case takes more."""
    return {
        "cases": [c.name for c in found.cases],
        "rules": {
            e.rule: {
                "matters": e.matters,
                "rewrites": e.rewrites,
                "cases": {c.before.case: _change(c) for c in e.changes},
            }
            for e in found.effects
        },
        "silent": list(found.silent),
    }


def _change(change: Change) -> dict[str, Any]:
    if change.fails:
        return {"failure": change.after.failure}
    return {
        "operations": change.operations,
        "nodes": change.nodes,
        "enodes": change.after.enodes - change.before.enodes,
        "cut_short": change.cut_short,
        "text": change.after.text,
    }
