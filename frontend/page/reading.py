"""Formulas in any notation: which one it is, and sizes that nobody has said."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import count
from typing import Final

from eggrad.engine.errors import EggradError, ParseError, UnknownVariable
from eggrad.engine.indices.affine import as_size, form, plus, size_form
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.index import parser as index
from eggrad.frontend.interface.definition import parse_elementwise
from eggrad.frontend.interface.reading import Problem, parse_json
from eggrad.frontend.matrix import parser as matrix
from eggrad.frontend.text import parser as einsum
from eggrad.frontend.text import phrases
from eggrad.frontend.typeset import parser as latex

Dims = Mapping[str, tuple[Size, ...]]
Words = Mapping[str, Sequence[str]]
_Axes = Mapping[str, tuple[Size, ...] | int]
_Read = Callable[[_Axes], phrases.Problem]

# Notations whose texts do not declare variables.
FORMULAS: Final = {
    "matrix": matrix.read_problem,
    "latex": latex.read_problem,
    "index": index.read_problem,
}
_MOST_TRIES: Final = 64
_DEFINITION: Final = re.compile(r"\s*[^\W\d]\w*\s*\[[^\]]*\]\s*=")
_INDEXED: Final = re.compile(r"[^\W\d_]+\d*_\{?[a-z]{1,4}\b(?!\()|[ᵢⱼₖₗₘₙ]|[Σ∑δ]_|\bsum_")
_TENSOR: Final = re.compile(
    r"[A-Z'ᵀ‖⊙]|\.[*/^]|\|\||norm|sum|max|min|diag|top\b|odot|langle|\\\||_|\\math|\\bold"
)
_COLUMNS: Final = frozenset(["b", "p", "q", "u", "v", "w", "x", "y", "z", "beta", "theta", "mu"])
_SIZES: Final = ("m", "n", "k", "p", "q", "r", "l", "s", "t")
_UNNAMED: Final = re.compile(r"\?|\w+_\d+$")
_UNKNOWN: Final = re.compile(r"no variable is called '(\w+)'")


@dataclass(frozen=True)
class Reading:
    """A formula that was read: in which notation, what it says, and whether axes were guessed."""

    notation: str
    problem: phrases.Problem
    guessed: bool = False

    @property
    def variables(self) -> tuple[Term, ...]:
        """The declared variables that the formula has, or differentiates by."""
        problem = self.problem
        used = {t for t in postorder(problem.term) if t.op == "variable"} | {*(problem.wrt or ())}
        return tuple(v for v in problem.declared if v in used)

    def asked(self) -> Problem:
        """The same as users of Python hold it."""
        return Problem(self.problem)


def detected(text: str) -> str:
    r"""The notation that a text is in, by how it looks.

    >>> [detected(t) for t in ("x'*A*x", r"x^\top A x", "x_i A_ij x_j", "f[i] = x[i]")]
    ['matrix', 'latex', 'index', 'elementwise']
    >>> [detected(t) for t in ("declare x 1 expression sin(x)", "e^x")]
    ['einsum', 'matrix']
    """
    if text.lstrip().startswith("{"):
        return "json"
    if re.match(r"\s*(declare|expression)\b", text) or re.search(r"\*\([a-zA-Z,]*->", text):
        return "einsum"
    if _DEFINITION.match(text):
        return "elementwise"
    if re.search(r"\\[A-Za-z|,;\[({]|\$|[_^]\{", text):
        return "latex"
    return "index" if _INDEXED.search(text) else "matrix"


def read(text: str, notation: str, dims: Dims, assume: Words) -> Reading:
    """Read a formula; what `dims` does not say of its variables is found out or guessed.

    >>> found = read("x'*A*x", "detect", {}, {})
    >>> found.notation, [(v.name, v.dims) for v in found.variables]
    ('matrix', [('x', ('n',)), ('A', ('n', 'n'))])
    """
    if not text.strip():
        raise ParseError("there is no formula yet", text, 0)
    known = detected(text) if notation == "detect" else notation
    if known == "einsum":
        return Reading(known, einsum.parse(text))
    if known == "json":
        found = parse_json(text)
        declared = (*found.variables, *found.scope)
        return Reading(known, phrases.Problem(found.term, None, declared))
    if known == "elementwise":
        shapes = _shapes(text)
        given = {name: axes for name, axes in dims.items() if name in shapes}
        made = parse_elementwise(text, shapes | given).expression
        declared = (*made.variables, *made.scope)
        return Reading(
            known, phrases.Problem(made.term, None, declared), shapes.keys() > given.keys()
        )

    def reading(axes: _Axes) -> phrases.Problem:
        words = {name: said for name, said in assume.items() if name in axes}
        return FORMULAS[known](text, axes, words)

    problem, guessed = _with_axes(reading, known, text, dims, assume)
    return Reading(known, _with_size_names(reading, problem, text), guessed)


def _with_axes(
    reading: _Read, notation: str, text: str, dims: Dims, assume: Words
) -> tuple[phrases.Problem, bool]:
    """The problem, with as many axes for each name as make sense; whether that is a guess."""
    if not dims and not assume and notation != "latex":
        try:
            return FORMULAS[notation](text, None, {}), False
        except ParseError as error:
            if notation == "index" or "declare the dims" not in error.reason:
                raise
    tries = count()
    scalars = notation != "index" and not _TENSOR.search(text)

    def search(axes: dict[str, tuple[Size, ...] | int]) -> phrases.Problem:
        try:
            return reading(axes)
        except UnknownVariable as error:
            unknown = _UNKNOWN.search(str(error))
            if unknown is None or unknown[1] in axes:
                raise
            first: EggradError | None = None
            for order in _orders(unknown[1], scalars):
                try:
                    return search(axes | {unknown[1]: order})
                except EggradError as failed:
                    first = first or failed
                if next(tries) > _MOST_TRIES:
                    break
            raise first or error from None

    problem = search(dict(dims))
    return problem, len(problem.declared) > len(dims)


def _orders(name: str, scalars: bool) -> tuple[int, ...]:
    """How many axes a name may have, the likeliest first."""
    if scalars:
        return 0, 1
    if name[0].isupper():
        return 2, 1
    # Of x_i, rows of a matrix, the whole is called x.
    return (1, 0, 2) if name.split("_", maxsplit=1)[0] in _COLUMNS else (0, 1)


def _with_size_names(reading: _Read, problem: phrases.Problem, text: str) -> phrases.Problem:
    """The same with m, n, … for sizes that are called after variables, such as `x_1`."""
    symbols = dict.fromkeys(d for v in problem.declared for d in v.dims if isinstance(d, str))
    unnamed = [s for s in symbols if _UNNAMED.match(s)]
    taken = {*symbols, *re.findall(r"[^\W\d_]\w*", text), *(v.name for v in problem.declared)}
    free = [s for s in _SIZES if s not in taken]
    wanted = free[1:] if len(unnamed) == 1 and free[:1] == ["m"] else free
    if not unnamed or len(wanted) < len(unnamed):
        return problem
    names = dict(zip(unnamed, wanted, strict=False))
    dims = {v.name: tuple(names.get(str(d), d) for d in v.dims) for v in problem.declared}
    return reading(dims)


# Element-wise definitions: the axes of what is read, by the indices that read it -----------


def _shapes(text: str) -> dict[str, tuple[Size, ...]]:
    """The axes of each argument: as long as indices of known ranges reach.

    >>> _shapes("f[i<N] = sum{k<K} (x[i + k] * w[k])")
    {'x': ('K + N - 1',), 'w': ('K',)}
    """
    _, _, body = text.partition("=")
    ends = dict(re.findall(r"([^\W\d]\w*)\s*<\s*(\w+)", text))
    found: dict[str, tuple[Size, ...]] = {}
    for name, places in re.findall(r"([^\W\d]\w*)\s*\[([^\[\]]*)\]", body):
        if name not in ("max", "min"):
            indices = re.split(r"[;,]", places) if places.strip() else []
            found.setdefault(
                name, tuple(_reach(p, ends, f"{name}_{k}") for k, p in enumerate(indices))
            )
    return found


def _reach(place: str, ends: Mapping[str, str], unnamed: str) -> Size:
    """One more than the largest value of a sum of indices."""
    parts = [p.strip() for p in place.split("+")]
    if not all(p in ends or p.isdecimal() for p in parts):
        return unnamed
    known = [ends.get(p, p) for p in parts]
    lengths = [size_form(int(d) if d.isdecimal() else d) for d in known]
    # The largest index is one less than its range is long, a number is itself.
    return as_size(reduce(plus, lengths, form([("", 1 - sum(p in ends for p in parts))])))
