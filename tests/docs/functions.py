"""The tables of functions in docs/matrix.md, read from the table that all notations call.

`python -m tests.docs.functions` writes them between the comments that name them.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from eggrad import special, variable
from eggrad.engine.errors import EggradError
from eggrad.engine.terms.functions import ELEMENTWISE
from eggrad.frontend.formulas.functions import ALIASES, ENTRYWISE, FUNCTIONS, OF_MATRICES, Known
from eggrad.frontend.formulas.values import value
from eggrad.frontend.text.words import MATRIX_WORDS
from tests.benchmarks.tables import placed
from tests.support.places import DOCS

PAGE = DOCS / "matrix.md"
OF_ENTRIES: Final = {*ENTRYWISE, *(MATRIX_WORDS.get(f, f) for f in ELEMENTWISE)}
_VECTOR: Final = value(variable("x", ("n",)))
KINDS: Final = ("entries", "numbers", "vectors", "matrices", "special")


def kind_of(name: str, known: Known) -> str:
    """The table that a function is in, by the kinds of values that it takes and gives.

    >>> [kind_of(f, FUNCTIONS[f]) for f in ("tanh", "sum", "outer", "inv", "erf")]
    ['entries', 'numbers', 'vectors', 'matrices', 'special']
    """
    if name in OF_ENTRIES:
        return "entries"
    if name in special.__all__:
        return "special"
    if name in OF_MATRICES:
        return "matrices"
    try:
        is_number = known.least == 1 and not known.apply(_VECTOR).order
    except EggradError:
        is_number = False
    return "numbers" if is_number else "vectors"


def table(kind: str) -> Iterator[str]:
    """A row for each function of a kind: how it is called, what it is, and its other names."""
    others: dict[str, list[str]] = defaultdict(list)
    for alias, name in ALIASES.items():
        others[name].append(f"`{alias}`")
    yield "| function | meaning | also |"
    yield "|---|---|---|"
    for name, known in FUNCTIONS.items():
        if kind_of(name, known) == kind:
            calls = (
                f"`{name}({', '.join('abcd'[:k])})`" for k in range(known.least, known.most + 1)
            )
            sentence = known.sentence.replace("|", "\\|")
            yield f"| {', '.join(calls)} | {sentence} | {', '.join(others[name])} |"


def drawn(page: str) -> str:
    """The page with its tables as the functions are now."""
    for kind in KINDS:
        page = placed(page, kind, "\n".join(table(kind)))
    return page


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text("utf-8")), "utf-8")
