"""Formulas in any notation: which one it is, and sizes that nobody has said."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import islice
from typing import Final

from eggrad.engine.errors import EggradError, ParseError
from eggrad.engine.indices.affine import as_size, form, plus, size_form
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.formulas.guessing import Axes, Guesses
from eggrad.frontend.formulas.names import applied_names, is_greek, is_word, may_be_product
from eggrad.frontend.formulas.reader import NOT_WRITTEN
from eggrad.frontend.formulas.syntax import plain_words
from eggrad.frontend.interface.definition import parse_elementwise
from eggrad.frontend.interface.reading import NOTATIONS, Problem, parse_json, reader_of
from eggrad.frontend.text import parser as einsum
from eggrad.frontend.text import phrases
from eggrad.frontend.text.errors import TextQuestion, TextShapeQuestion, TextUnknownVariable
from eggrad.frontend.text.words import offset_of
from eggrad.frontend.typeset.parser import lines_of
from eggrad.frontend.typeset.tokens import OBJECTIVE

Dims = Mapping[str, tuple[Size, ...]]
Words = Mapping[str, Sequence[str]]
_Read = Callable[..., phrases.Problem]

_MOST_TRIES: Final = 64
_DEFINITION: Final = re.compile(r"\s*[^\W\d]\w*\s*\[[^\]]*\]\s*=")
_INDEXED: Final = re.compile(r"(?<!I)[ᵢⱼₖₗₘₙ]|[Σ∑δ]_|\bsum_|[^\W\d_]+\d*_\{?[a-z]\b(?!\()")
_LETTERS_BELOW: Final = re.compile(r"[^\W\d_]+\d*_\{?([a-z]{2,4})\b(?!\()")
_NUMPY: Final = re.compile(
    r"\b(?:np|numpy|scipy|math)\.|[^*]\*\*[^*]|\w\s*@\s*\w|\.T\b|\b[A-Za-z]\w*\.[a-z]\w*\("
    r"|^\s*(?:def\b|lambda\b[^:]*:)|\w\[(?:[^\]]*,)?\s*(?:0|-\d+|\d+:|:-?\d+)\s*[,\]]"
)
_TYPESET: Final = re.compile(
    r"[ᵀᵗ⁺⁻ˣ‖∥½¼¾√⟨⟩∑⊗Σ𝐀-𝟿ᵢⱼₖₗₘₙ]|[₀-₉ₐₑₒₓᵣᵤᵥₚₛₜ]|[⁰¹²³⁴-⁹]|\bΣ[ᵢⱼₖ]|Σ[ᵢⱼₖ]|\w\s*:\s*[A-Z]"
)
# Signs of matrix notation that are not set.
_TYPED: Final = re.compile(r"[*']|\w\[[^\[\]()/^·]*\]|\.[*/^]|[A-Za-zα-ω]+[\d_]\w*|\bnorm|\bsum\(")
_TENSOR: Final = re.compile(
    r"['ᵀ‖∥⊙]|\.[*/^]|\|\||norm|sum|mean|diag|top\b|odot|langle|⟨|∑|Σ|\\\||_(?!\s*\{?\s*\d)"
    r"|\\math|\\bold"
)
_CAPITAL: Final = re.compile(r"(?<!\\)[A-Z]|\\[A-Z](?!ig)")
# A capital in bars, by itself in an exponent or beside a slash, or with a power that is no integer.
_OF_MATRIX: Final = re.compile(
    r"\|[^|]*[A-Z]|\^\{?-?\s*[a-z]?\s*[A-Z]|exp\(\s*[A-Z]\)|[A-Z]\s*/\s*[A-Z]"
    r"|[A-Z]\)?\^(?:\{?\d\s*[/.]|\{?[^{\d])"
)
# What stands behind a number rather than a matrix.
_OF_NUMBER: Final = r"[*·]?\s*(?:\\sum|[∑Σ]|sum\b|\\\||‖|\|\|(?=\w)|norm|\\max|max\b)"
_COLUMNS: Final = frozenset(["b", "p", "q", "u", "v", "w", "x", "y", "z", "beta", "theta", "mu"])
_SIZES: Final = ("m", "n", "k", "p", "q", "r", "l", "s", "t")
_UNNAMED: Final = re.compile(r"\?|\w+_\d+$")


@dataclass(frozen=True)
class Other:
    """Another reading of a text: what it is, and what would have to be asked."""

    label: str
    text: str
    notation: str
    dims: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Reading:
    """A formula that was read: in which notation, what it says, and whether axes were guessed.

    `read_as` says in a sentence what was chosen, "" where nothing was; `others` are what else the
    text may say.
    """

    notation: str
    problem: phrases.Problem
    guessed: bool = False
    read_as: str = ""
    others: tuple[Other, ...] = ()

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

    >>> [detected(t) for t in ("x'*A*x", r"x^\top A x", "x_i A_ij x_j", "f[i] = x[i]", "xᵀAx")]
    ['matrix', 'latex', 'index', 'elementwise', 'latex']
    >>> [detected(t) for t in ("declare x 1 expression sin(x)", "e^x", "x.T @ A @ x")]
    ['einsum', 'matrix', 'numpy']
    """
    if text.lstrip().startswith("{") and '"' in text:
        return "json"
    if re.match(r"\s*(declare|expression)\b", text) or re.search(r"\*\([a-zA-Z,]*->", text):
        return "einsum"
    if _DEFINITION.match(text):
        return "elementwise"
    if re.search(r"\\[A-Za-z]{2,}|\\[|,;\[{]|(?<![\w)])\\\(|\$|\{", text):
        return "latex"
    if "numpy" in NOTATIONS and _NUMPY.search(text):
        return "numpy"
    if _TYPESET.search(text) and not _TYPED.search(text):
        return "index" if _is_indexed(text) and not re.search("[Σ∑ᵀ‖∥]", text) else "latex"
    return "index" if _is_indexed(text) else "matrix"


def _is_indexed(text: str) -> bool:
    """Whether letters below names are indices, rather than words: `A_ij x_j`, not `x_max`."""
    if re.search(r"\^\{?T\b", text):
        return False
    below = _LETTERS_BELOW.findall(text)
    met = "".join(below) + "".join(re.findall(r"_\{?([a-z])\b", text))
    neighbours = any(ord(max(w)) - ord(min(w)) < len(w) for w in below)
    return (
        bool(_INDEXED.search(text))
        or neighbours
        or (
            bool(below)
            and all(re.fullmatch("[a-dg-np-t]+", w) for w in below)
            and any(met.count(i) > 1 for i in met)
        )
    )


def read(text: str, notation: str, dims: Dims, assume: Words) -> Reading:
    """Read a formula; what `dims` does not say of its variables is found out or guessed.

    >>> found = read("x'*A*x", "detect", {}, {})
    >>> found.notation, [(v.name, v.dims) for v in found.variables]
    ('matrix', [('x', ('n',)), ('A', ('n', 'n'))])
    >>> read("||Ax - b||^2", "detect", {}, {}).read_as
    'Ax is the product A*x'
    """
    if not text.strip():
        raise ParseError("there is no formula yet", text, 0)
    if is_word(text.strip()) and text.strip() not in dims:
        raise ParseError(f"no function or variable is called {text.strip()!r}", text, 0)
    known = detected(text) if notation == "detect" else notation
    if known == "einsum":
        return Reading(known, einsum.parse(text))
    if known == "json":
        found = parse_json(text)
        declared = found.variables
        return Reading(known, phrases.Problem(found.term, None, declared))
    if known == "elementwise":
        shapes = _shapes(text)
        given = {name: axes for name, axes in dims.items() if name in shapes}
        made = parse_elementwise(text, shapes | given).expression
        declared = made.variables
        return Reading(
            known, phrases.Problem(made.term, None, declared), shapes.keys() > given.keys()
        )
    try:
        return _formula(text, known, dims, assume)
    except ParseError as error:
        is_set = re.search(r"\\(?:math|text|bold|bm)|\^\{?T", text)
        if known == "latex" and "belongs to no sum" in error.reason and not is_set:
            with suppress(EggradError):
                return _formula(text, "index", dims, assume)
        is_typed = re.search(r"[*'@]|\.\^", text) or not re.search("[−∑Σᵢⱼₖ]", text)
        bare = "stands in brackets" in error.reason
        typed = known in ("matrix", "index") and notation == "detect"
        if typed and (bare or not is_typed):
            # `sin x`, as it is set.
            with suppress(EggradError):
                return _formula(text, "latex", dims, assume)
        raise


def _formula(text: str, notation: str, dims: Dims, assume: Words) -> Reading:
    def reading(axes: Axes, **options: str) -> phrases.Problem:
        words = {name: said for name, said in assume.items() if name in axes}
        return reader_of(notation)(text, axes, words, **options)

    is_told = notation != "latex" and not (notation == "matrix" and _has_numbers(text))
    if is_told and not dims and not assume:
        try:
            problem = reader_of(notation)(text, None, {})
            return _noted(Reading(notation, _with_size_names(reading, problem, text)), text)
        except (TextQuestion, TextShapeQuestion):
            pass
        except ParseError as error:
            if notation != "matrix" or "declare the dims" not in error.reason:
                raise
    problem = _searched(reading, text, notation, dims)
    if notation == "latex":
        _check_applied(text, problem, dims)
    found = Reading(notation, _with_size_names(reading, problem, text))
    return _noted(replace(found, guessed=len(problem.declared) > len(dims)), text)


def _searched(reading: _Read, text: str, notation: str, dims: Dims) -> phrases.Problem:
    """The problem, with as many axes for each name as make sense: a sum is a number, if it can."""
    if dims:
        with suppress(TextUnknownVariable):
            return reading(dims)
    scalars = notation != "index" and not _TENSOR.search(text) and _are_numbers(text)

    def options(name: str, axes: Axes) -> Iterator[tuple[str, int]]:
        if notation != "latex" or not is_word(name):
            for part in _read_as(name, axes, notation, text):
                yield from ((part, order) for order in _orders(part, axes, scalars, text))

    wants_number = re.search(r"\\sum|[∑Σ]_|[∑Σ][ᵢⱼₖ]", text)
    failed: list[EggradError] = []
    first: phrases.Problem | None = None
    for guessed in ("strict", "lax") if notation in ("matrix", "latex") else ("",):
        said = {"guessed": guessed} if guessed else {}
        guesses = Guesses(partial(reading, **said), options, _MOST_TRIES)
        try:
            for _, problem in guesses.readings(dict(dims)):
                if not wants_number or not problem.term.dims:
                    return problem
                first = first or problem
        except TextShapeQuestion:
            if first is None:
                raise
        if first is not None and not wants_number:
            return first
        failed += guesses.failed
    if first is not None:
        return first
    raise next((e for e in failed if NOT_WRITTEN not in str(e)), failed[0])


def _are_numbers(text: str) -> bool:
    """Whether capital letters, if any, are numbers, as in `N e^{-kt}`: no matrix is divided so."""
    body = text.partition("=")[2] or text
    if not _CAPITAL.search(body):
        return True
    # Vectors have no powers, and nothing is divided by them.
    others = re.sub(r"[a-z]\s*(?=\^\s*\{?-?\d|[²³])|(?<=/)[a-z]", " ", body)
    names = re.findall(r"\\?[a-z]{2,}|(?<![A-Za-z\\])[a-z]", others)
    columns = _COLUMNS.intersection(name.removeprefix("\\") for name in names)
    divided = re.search(r"(?<![a-z])e\^|\bexp\b|/|\\frac", text)
    return not columns and bool(divided) and not _OF_MATRIX.search(body)


def _has_numbers(text: str) -> bool:
    """Whether a capital letter is a number, as in `C*sum(x)`."""
    factor = re.search(rf"(?<![A-Za-z\\|])[A-Z]\w*\s*{_OF_NUMBER}", text)
    return bool(factor) or (bool(_CAPITAL.search(text)) and _are_numbers(text))


def _check_applied(text: str, problem: phrases.Problem, dims: Dims) -> None:
    """Raise where a name that nobody declares stands like a function, as in `g(x)`."""
    for token in applied_names(lines_of(text, [v.name for v in problem.declared])):
        if str(token) not in dims:
            raise ParseError(
                f"nothing says what {token} is, a function or a factor; a factor has a sign",
                text,
                offset_of(token),
            )


def _read_as(name: str, axes: Axes, notation: str, text: str) -> Iterator[str]:
    """The names that a name may be: the next of its letters, and itself."""
    if notation != "latex" and _GLUED.fullmatch(name):
        return
    if notation == "matrix" and may_be_product(name):
        if len(name) > _LONGEST_PRODUCT or "T" in name[1:]:
            # A letter may be the sign of a transpose.
            return
        if len(name) > 2 and re.search(rf"\*\s*{name}\b|\b{name}\s*\*", text):
            # Beside a sign of a product stands a name.
            yield name
        yield next(letter for letter in name if letter not in axes)
    yield name


_LONGEST_PRODUCT: Final = 3
# Letters that are neither a word nor an abbreviation of one: xtx, xtAx.
_GLUED: Final = re.compile(r"[b-df-hj-np-tv-z]{3,}|[a-z]{1,2}[A-Z][a-z]?")


def _noted(found: Reading, text: str) -> Reading:
    """With what was chosen about letters side by side, and what else they may be."""
    if found.notation == "latex" and (objective := OBJECTIVE.match(text)):
        below = plain_words(objective["below"])
        if not re.fullmatch("[i-n](,[i-n])*", below):
            return replace(found, read_as=f"the objective behind {objective['sign']}")
    if found.notation != "matrix":
        return found
    names = {v.name for v in found.problem.declared}
    for word in dict.fromkeys(re.findall(r"[^\W\d_]{2,}", text)):
        signs = "*".join(word)
        if word not in names and may_be_product(word) and {*word} <= names:
            kinds = ("m, n", "n") if word[0].isupper() else ("", "n")
            said, label = f"{word} is the product {signs}", f"{word} is one name"
            others = [Other(label, text, "matrix", {word: sizes}) for sizes in kinds]
        elif word in names and len(word) == 2 and not is_greek(word):
            apart = re.sub(rf"\b{word}\b", signs, text)
            others = [Other(f"{word} is the product {signs}", apart, "matrix")]
            said = f"{word} is one name"
        else:
            continue
        return replace(found, read_as=said, others=tuple(islice(filter(_is_read, others), 1)))
    return found


def _is_read(other: Other) -> bool:
    """Whether another reading is one."""
    dims = {name: tuple(sizes.replace(",", " ").split()) for name, sizes in other.dims.items()}

    def reading(axes: Axes, **options: str) -> phrases.Problem:
        return reader_of(other.notation)(other.text, axes, {}, **options)

    try:
        _searched(reading, other.text, other.notation, dims)
    except EggradError:
        return False
    return True


def _orders(name: str, axes: Axes, scalars: bool, text: str) -> tuple[int, ...]:
    """How many axes a name may have, the likeliest first."""
    # `y_hat` is \hat{y}.
    written = re.escape(re.sub(r"_(hat|bar|tilde|dot)$", "", name))
    here = rf"(?<![A-Za-z]){written}\}}?\s*"
    sign = r"(?:T(?![a-z])|\\(?:top|intercal|math\w+)\b)"
    turned = rf"{here}(?:\^\s*\{{?\s*{sign}|['ᵀ⊤])"
    if scalars is False and name[0].islower() and re.search(turned, text):
        return 1, 2
    letter = r"(?:\\[a-z]+|[a-z])"
    if indices := re.search(rf"{here}([_^])\s*\{{((?:\s*{letter}\s*,?){{2,4}})\}}", text):
        found = re.findall(letter, indices[2])
        if indices[1] == "_" or all(
            re.search(rf"_\{{?[^{{}}]*{re.escape(i)}", text) for i in found
        ):
            return (len(found),)
    bold = rf"\\(?:mathbf|boldsymbol|bm|vec)\s*\{{?\\?{re.escape(name)}\b"
    if name[0].islower() and re.search(bold, text):
        return 1, 2
    if scalars:
        return 0, 1
    indexed = re.search(rf"{here}(?:_\s*\{{?\s*[a-z]|\^\s*\{{?\s*\([a-z]|[ᵢⱼₖₗₘₙ])", text)
    if family := re.match(r"(.+_)\d+\Z", name):
        like = [a for n, a in axes.items() if n.startswith(family[1]) and isinstance(a, int)]
        if like:
            return (like[0],)
    if name[0].isupper():
        factor = re.search(rf"(?<!\|){here}{_OF_NUMBER}", text)
        # What stands below may be a label.
        labelled = re.search(r"_[a-z0-9]", name)
        return (2, 1) if indexed else (0, 2) if factor else (2, 0) if labelled else (2,)
    if re.search(rf"['ᵀ]\s*\*\s*{written}\s*\*", text):
        # Between a row and a column stands a matrix, whatever its letter.
        return 0, 1, 2
    # Of x_i, rows of a matrix, the whole is called x.
    return (1, 0, 2) if indexed else (1, 0) if name in _COLUMNS else (0, 1)


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
