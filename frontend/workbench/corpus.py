"""A corpus: expressions to try rules on, from one text or from a file of them."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eggrad.engine.errors import EggradError
from eggrad.engine.terms.term import Term
from eggrad.frontend.cli.input import Mistake
from eggrad.frontend.printing.formats import format_formula
from eggrad.frontend.text.problem import Problem

__all__ = ["Case", "read_corpus"]

# What the text of a case is called in JSON.
_KEYS = ("text", "input", "einsum_syntax")


@dataclass(frozen=True)
class Case:
    """A term to be differentiated by some variables, or to be simplified where there are none.

    `mode` is that of the differentiation: "auto", "forward" or "reverse".
    """

    name: str
    text: str
    term: Term
    wrt: tuple[Term, ...]
    declared: tuple[Term, ...]
    language: str = "einsum"
    mode: str = "auto"

    def written(self, term: Term) -> str:
        """A result as it is, in the case's language, without the declarations."""
        return format_formula(self.language, term, (*self.declared, *self.wrt))


def read_corpus(
    source: str, parse: Callable[[str], Problem], language: str = "einsum"
) -> list[Case]:
    """The cases of a file, if there is one of that name, or the only one that a text states.

    A file has one expression a line, lines that begin with # are remarks; or it is a JSON list
    of texts, or of objects with a text (called "text", "input" or "einsum_syntax") and an "id".
    Raises `Mistake` where there is none, or one cannot be read.

    >>> from eggrad.frontend.text.parser import parse
    >>> [c.name for c in read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)]
    ['expression']
    """
    path = Path(source)
    if not _is_file(path):
        return [_case("expression", source, parse, language)]
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"cannot read {source}: {error}") from error
    cases: list[Case] = []
    for name, line in _from_json(source, text) if path.suffix == ".json" else _lines(text):
        try:
            cases.append(_case(name, line, parse, language))
        except EggradError as error:
            raise Mistake(f"{source}, {name}: {error}") from error
    if not cases:
        raise Mistake(f"{source} has no expression")
    return cases


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # No name of a file is as long as an expression may be.
        return False


def _case(name: str, text: str, parse: Callable[[str], Problem], language: str) -> Case:
    problem = parse(text)
    return Case(name, text, problem.term, problem.wrt or (), problem.declared, language)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield f"line {number}", line


def _from_json(source: str, text: str) -> Sequence[tuple[str, str]]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise Mistake(f"{source} is no JSON: {error}") from error
    if not isinstance(found, list):
        raise Mistake(f"{source} is no list of expressions")
    entries = cast("list[Any]", found)
    return [_entry(source, place, e) for place, e in enumerate(entries, 1)]


def _entry(source: str, place: int, entry: Any) -> tuple[str, str]:
    known = cast("dict[str, Any]", entry if isinstance(entry, dict) else {"text": entry})
    text = next((known[k] for k in _KEYS if isinstance(known.get(k), str)), None)
    if text is None:
        raise Mistake(f"{source}, entry {place}: no text; it is expected as one of {_KEYS}")
    return str(known.get("id", f"entry {place}")), text
