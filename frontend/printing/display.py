"""What a terminal and a notebook show of expressions, definitions and verdicts."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final

from eggrad.engine.errors import EggradError
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.printing.formats import format_unchanged

# Longer formulas are cut; of larger terms none is written, for that takes time.
_LENGTH: Final = 72
_NODES: Final = 200


def short_formula(term: Term, scope: Sequence[Term]) -> str:
    """The formula of a term as it stands, or what it consists of, in less than a line.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> short_formula(apply("sin", variable("x", ("n",))), ())
    'sin(x)'
    """
    nodes = sum(1 for _ in postorder(term))
    if nodes <= _NODES:
        try:
            return shortened(format_unchanged("matrix", term, scope))
        except EggradError:
            pass
    names = ", ".join(v.name for v in variables(term))
    return shortened(f"{nodes} nodes of {names or 'no variables'}")


def shortened(text: str) -> str:
    """The beginning of a text, if it is long.

    >>> shortened("x + " * 100)
    'x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +…'
    """
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1].rstrip()}…"


def formula_bundle(shown: object, latex: Callable[[], str]) -> dict[str, str]:
    r"""What a notebook shows of a formula: LaTeX where it has any, else text alone.

    >>> formula_bundle("x", lambda: "x^{2}")["text/latex"]
    '$\\displaystyle x^{2}$'
    """
    bundle = {"text/plain": repr(shown)}
    try:
        bundle["text/latex"] = rf"$\displaystyle {latex()}$"
    except EggradError:
        bundle["text/plain"] = str(shown)
    return bundle


def markup(text: str) -> str:
    r"""A text as HTML and SVG have it; in place of what XML does not allow are spaces.

    >>> markup("a\0<b")
    'a &lt;b'
    """
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in text))


def html_table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of texts with a heading in each row; the caption is text as well.

    >>> html_table("equal", [("where", "x > 0")])
    '<table><caption>equal</caption><tr><th>where</th><td>x &gt; 0</td></tr></table>'
    """
    lines = (f"<tr><th>{markup(a)}</th><td>{markup(b)}</td></tr>" for a, b in rows)
    return f"<table><caption>{markup(caption)}</caption>{''.join(lines)}</table>"
