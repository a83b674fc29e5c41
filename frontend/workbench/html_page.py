"""Self-contained HTML pages: no script, no font and no image from elsewhere."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import click

from eggrad.frontend.cli.input import Mistake

__all__ = ["markup", "page", "table", "tabs", "write_page"]

_STYLE = """\
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff;
  margin: 2rem auto; max-width: 72rem; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p.note { color: #57606a; margin: .3rem 0 .8rem; max-width: 60rem; }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .25rem .7rem; text-align: left; border-bottom: 1px solid #d8dee4;
  vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
details { margin: .8rem 0; }
summary { cursor: pointer; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { display: inline-block; padding: .35rem .8rem; margin: 0 .15rem .6rem 0;
  border: 1px solid #d0d7de; border-radius: 6px; cursor: pointer; }
.tabs > input:checked + label { background: #0b5394; border-color: #0b5394; color: #fff; }
.tabs > input:focus-visible + label { outline: 2px solid #d55e00; outline-offset: 2px; }
.tabs > section { display: none; }
"""
# The browser itself sees to it that nothing is fetched.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, *parts: str) -> str:
    """A whole page; the parts are HTML, the title is text.

    The icon is empty, or the browser would ask for one.

    >>> page("a < b", "<p>c</p>").count("a &lt; b")
    2
    """
    body = "\n".join(parts)
    shown = markup(title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<link rel="icon" href="data:,">\n'
        f"<title>{shown}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{shown}</h1>\n{body}\n</body>\n</html>\n"
    )


def markup(text: str) -> str:
    r"""A text as HTML and SVG have it; in place of what XML does not allow are spaces.

    >>> markup("a\0<b")
    'a &lt;b'
    """
    return escape("".join(c if c.isprintable() or c == "\n" else " " for c in text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; all columns but the first are numbers.

    >>> table(["rule", "hits"], [["x < y", "3"]]).count("<tr>")
    2
    """
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f'<div class="wide"><table>\n{"".join(lines)}</table></div>'


def _row(tag: str, cells: Sequence[str]) -> str:
    first, *others = (markup(c) for c in cells)
    rest = "".join(f'<{tag} class="number">{c}</{tag}>' for c in others)
    return f"<tr><{tag}>{first}</{tag}>{rest}</tr>\n"


def tabs(sections: Sequence[tuple[str, str]]) -> str:
    """Sections of which one is seen at a time: their names, as text, and their HTML.

    >>> tabs([("load", "<p>a</p>"), ("simplify", "<p>b</p>")]).count("<section")
    2
    """
    buttons, bodies, rules = [], [], []
    for k, (name, body) in enumerate(sections):
        checked = " checked" if k == 0 else ""
        buttons.append(
            f'<input type="radio" name="tab" id="tab{k}"{checked}>'
            f'<label for="tab{k}">{markup(name)}</label>'
        )
        bodies.append(f'<section id="part{k}">\n{body}\n</section>')
        rules.append(f"#tab{k}:checked ~ #part{k}")
    style = f"<style>{', '.join(rules)} {{ display: block; }}</style>"
    return f'{style}\n<div class="tabs">\n' + "\n".join([*buttons, *bodies]) + "\n</div>"


def write_page(path: str, text: str) -> None:
    """Write a page or picture, and say where it is."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Mistake(f"cannot write {path}: {error.strerror or error}") from error
    click.echo(f"written to {path}", err=True)
