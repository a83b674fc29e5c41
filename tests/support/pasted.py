"""Formulas as people paste them, read and judged by NumPy: `python -m tests.support.pasted`."""

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np

import eggrad as eg
from eggrad.engine.errors import EggradError
from eggrad.frontend.page.reading import read
from tests.support.places import DATA, lines_of

Row = Mapping[str, Any]
State = Literal["ok", "WRONG", "refused"]

# Formulas with where they come from, the axes of their variables and their value by NumPy. Where
# `dims` is null the reader has to find the axes, and `means` says what a person would understand;
# `scale` are factors for random values. `right` is "read", or "refuse" for what has several
# readings or none; with a value of `numpy` such a row may be read so as well. Titles of sources
# are shortened; "from memory" is what was written down for this collection.
ROWS: Final = tuple(json.loads((DATA / "pasted_formulas.json").read_text("utf-8")))
TOLERANCE: Final = 1e-9
# No two sizes of a formula are equal.
_LENGTHS: Final = dict(zip("mnkNdhpqoDJK", (5, 3, 4, 6, 2, 7, 8, 9, 10, 4, 6, 4), strict=True))
# What is typed as Unicode has no parser of its own: the page detects which one reads it.
_PARSERS: Final = {name: f"parse_{name}" for name in ("matrix", "latex", "index", "numpy")}


@dataclass(frozen=True)
class Verdict:
    """Whether a text was read as it should be, and what came."""

    state: State
    came: str = ""


def judge(row: Row) -> Verdict:
    """What the page and the language's parser make of a formula; the worse of the two."""
    found = [_judged(row, reading) for reading in _readings(row)]
    return max(found, key=lambda verdict: ("ok", "refused", "WRONG").index(verdict.state))


def judge_sentence(notation: str, text: str) -> Verdict:
    """Whether a text that is no formula is refused."""
    if notation != "page" and not hasattr(eg, _PARSERS[notation]):
        return Verdict("ok", f"nothing reads {notation} yet")
    try:
        found = read(text, "detect" if notation == "page" else notation, {}, {}).asked().expression
    except EggradError as error:
        return Verdict("ok", _first_line(error))
    return Verdict("WRONG", f"read as {found}")


def sentences() -> Iterator[tuple[str, str]]:
    """Texts that are no formulas, with their notations."""
    for line in lines_of("sentences.txt"):
        notation, _, text = line.partition(" ")
        yield notation, json.loads(text)


def wanted(row: Row) -> Any:
    """The value of a formula by NumPy, at `values`."""
    names = {f"{n}_" if n == "lambda" else n: v for n, v in values(row).items()}
    return eval(row["numpy"], {"np": np, "math": math, **_LENGTHS, **names})


def values(row: Row) -> dict[str, Any]:
    """Random values of the variables between 0 and 1; square matrices have inverses."""
    rng = np.random.default_rng(1)
    found: dict[str, Any] = {}
    for name, sizes in _meant(row).items():
        lengths = [d if isinstance(d, int) else _LENGTHS[d] for d in sizes]
        drawn = rng.uniform(0.1, 0.9, lengths) * row.get("scale", {}).get(name, 1)
        is_square = len(sizes) == 2 and sizes[0] == sizes[1]
        found[name] = drawn + 2 * np.eye(lengths[0]) if is_square else drawn
    return found


def _meant(row: Row) -> dict[str, list[str | int]]:
    return row["means"] if row["dims"] is None else row["dims"]


def _readings(row: Row) -> Iterator[Callable[[], eg.Expression]]:
    dims = {name: tuple(sizes) for name, sizes in (row["dims"] or {}).items()}
    yield lambda: read(row["text"], "detect", dims, {}).asked().expression
    name = _PARSERS.get(row["language"], "")
    if row["dims"] is not None and hasattr(eg, name):
        yield partial(getattr(eg, name), row["text"], dims)


def _judged(row: Row, reading: Callable[[], eg.Expression]) -> Verdict:
    try:
        f = reading()
    except EggradError as error:
        return Verdict("ok" if row["right"] == "refuse" else "refused", _first_line(error))
    wrong = _difference(row, f)
    return Verdict("WRONG", f"{wrong}: {f}") if wrong else Verdict("ok", str(f))


def _difference(row: Row, f: eg.Expression) -> str:
    """What is wrong with an expression, if anything."""
    if "numpy" not in row:
        return "read"
    given = {_spelt(name): value for name, value in values(row).items()}
    own = {v.name: v for v in f.variables}
    if strange := [n for n in own if _spelt(n) not in given]:
        return f"has variables {', '.join(strange)}"
    if odd := [n for n, v in own.items() if len(v.dims) != np.ndim(given[_spelt(n)])]:
        return f"other axes of {', '.join(odd)}"
    try:
        found = f.evaluate({n: given[_spelt(n)] for n in own})
    except EggradError as error:
        return _first_line(error)
    right = wanted(row)
    if np.shape(found) != np.shape(right):
        return f"axes {np.shape(found)}, not {np.shape(right)}"
    return "" if np.allclose(found, right, TOLERANCE, TOLERANCE) else "another value"


def _spelt(name: str) -> str:
    """A name without Greek letters and lowered digits: λ as lambda, x₁ as x_1."""
    letters = []
    for letter in name:
        words = unicodedata.name(letter).split()
        if words[0] == "GREEK":
            spelt = words[-1].replace("LAMDA", "LAMBDA")
            letters.append(spelt.lower() if words[1] == "SMALL" else spelt.capitalize())
        else:
            letters.append(
                letter if letter.isascii() else f"_{unicodedata.normalize('NFKC', letter)}"
            )
    return "".join(letters)


def _first_line(error: EggradError) -> str:
    return str(error).splitlines()[0]


def main() -> None:
    """A line for each formula and sentence, then the counts by language."""
    counts: dict[str, Counter[State]] = {}

    def told(kind: str, verdict: Verdict, text: str) -> None:
        counts.setdefault(kind, Counter())[verdict.state] += 1
        print(f"{verdict.state:8} {kind:16} {json.dumps(text, ensure_ascii=False)}")
        print(f"         {verdict.came[:200]}")

    for row in ROWS:
        told(f"{row['language']}, {row['right']}", judge(row), row["text"])
    for notation, text in sentences():
        told("sentences", judge_sentence(notation, text), text)
    for kind, found in sorted(counts.items()):
        print(f"{found['ok']:4} of {found.total():3} {kind}: {found['WRONG']} wrong")


if __name__ == "__main__":
    main()
