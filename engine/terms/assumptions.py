"""What may be declared of a variable: what it implies, needs, says of values, and how it is drawn.

Every word has one record in `ASSUMPTIONS`, from which all lists of words are read. A word is *thin*
where it holds in a space without interior, as symmetry does: a law that uses it has no part in a
derivative, which looks beside that space.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DEFINITE: Final = "positive definite"

COMPUTED: Final = "computed"
"""What a name stands for may be any term, such as 0: nothing is true of it but for exceptions."""

Array = NDArray[Any]
Generator = np.random.Generator

# Rows that are compared at once: of a few hundred all, for each call takes its time.
_BLOCK: Final = 512
# A matrix times its inverse has a larger norm where rounding may have made it regular.
_SINGULAR: Final = 0.1
# What a random matrix's least eigenvalue, or singular value, is at least.
_REGULAR: Final = 0.1


def tolerance(values: Array) -> float:
    """How far values may be from what they are declared to be, as a part of the largest.

    >>> tolerance(np.zeros(2, np.float32)) > tolerance(np.zeros(2))
    True
    """
    exact = values.dtype.kind not in "fc"
    return 0.0 if exact else sqrt(float(np.finfo(values.dtype).eps))


def _allowed(values: Array) -> float:
    """The difference between two entries that is taken for rounding."""
    finite = np.abs(values[np.isfinite(values)])
    return tolerance(values) * float(finite.max(initial=0.0))


def _exact(values: Array) -> Array:
    """Integers as floats: their differences would overflow."""
    return values.astype(float) if values.dtype.kind in "biu" else values


def _entry(place: Iterable[Any], value: object) -> str:
    indices = tuple(map(int, place))
    return f"entry {indices} is {value:g}" if indices else f"it is {value:g}"


def _first(wrong: Array, values: Array) -> str | None:
    """The first entry that is wrong, in words."""
    if not wrong.any():
        return None
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return _entry(place, values[place])


def _entrywise(least: float, most: float, *, strict: bool = False) -> Callable[[Array], str | None]:
    """A test that entries are in an interval, or inside of it; NaN is nowhere."""

    def failure(values: Array) -> str | None:
        if not values.size:
            return None
        low, high = values.min(), values.max()
        if (least < low and high < most) if strict else (least <= low and high <= most):
            return None
        inside = (
            (values > least) & (values < most) if strict else (values >= least) & (values <= most)
        )
        return _first(~inside, values)

    return failure


def _not_whole(values: Array) -> str | None:
    if values.dtype.kind in "biu":
        return None
    return _first(~np.isfinite(values) | (values != np.rint(values)), values)


def _no_signs(values: Array) -> str | None:
    return _first((values != 1) & (values != -1), values)


def _no_distribution(values: Array) -> str | None:
    wrong = _entrywise(0, np.inf)(values)
    total = float(values.sum())
    if wrong is None and abs(total - 1) > tolerance(values):
        wrong = f"the sum of its entries is {total:g}"
    return wrong


def _mirrored(sign: int) -> Callable[[Array], str | None]:
    """A test that a matrix is its transpose times a sign, up to rounding; block by block."""

    def failure(values: Array) -> str | None:
        values = _exact(values)
        n = len(values)
        allowed: float | None = None
        for start in range(0, n, _BLOCK):
            rows = values[start : start + _BLOCK, start:]
            columns = values[start:, start : start + _BLOCK].T
            if (rows == (columns if sign > 0 else -columns)).all():
                continue
            if allowed is None:
                allowed = _allowed(values)
            far = ~(np.abs(rows - sign * columns) <= allowed)
            if far.any():
                i, j = np.unravel_index(int(np.argmax(far)), far.shape)
                i, j = int(i) + start, int(j) + start
                return f"{_entry((i, j), values[i, j])}, {_entry((j, i), values[j, i])}"
        return None

    return failure


def _zero(above: bool, below: bool) -> Callable[[Array], str | None]:
    """A test that all entries above the diagonal, below it, or both are 0, up to rounding."""

    def failure(values: Array) -> str | None:
        values = _exact(values)
        allowed: float | None = None
        for start in range(0, len(values), _BLOCK):
            rows = values[start : start + _BLOCK]
            other = np.zeros(rows.shape, bool)
            if above:
                other |= np.triu(rows != 0, start + 1)
            if below:
                other |= np.tril(rows != 0, start - 1)
            if not other.any():
                continue
            if allowed is None:
                allowed = _allowed(values)
            far = other & ~(np.abs(rows) <= allowed)
            if far.any():
                i, j = np.unravel_index(int(np.argmax(far)), far.shape)
                return _entry((int(i) + start, int(j)), rows[i, j])
        return None

    return failure


def _not_orthogonal(values: Array) -> str | None:
    if not np.isfinite(values).all():
        return _first(~np.isfinite(values), values)
    values = _exact(values)
    gap = np.abs(values.T @ values - np.eye(len(values)))
    far = gap > tolerance(values)
    if not far.any():
        return None
    i, j = map(int, np.unravel_index(int(np.argmax(far)), far.shape))
    overlap = float((values[:, i] * values[:, j]).sum().real)
    return f"the product of columns {i} and {j} is {overlap:g}"


def _singular(values: Array) -> str | None:
    if not values.size:
        return None
    if not np.isfinite(values).all():
        return _first(~np.isfinite(values), values)
    matrix = values if values.dtype.kind in "fc" else values.astype(float)
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return "it is singular"
    condition = float(np.linalg.norm(matrix, 1) * np.linalg.norm(inverse, 1))
    singular = not condition * float(np.finfo(matrix.dtype).eps) < _SINGULAR
    return f"its condition number is {condition:.2g}" if singular else None


def indefinite(values: Array) -> str | None:
    """Where a symmetric matrix is not positive definite, in words; by Cholesky's factor.

    >>> indefinite(-np.eye(2))
    'its least eigenvalue is -1'
    """
    if not values.size:
        return None
    try:
        factor = np.linalg.cholesky(values)
    except np.linalg.LinAlgError:
        return least_eigenvalue(values)
    return None if np.isfinite(np.diagonal(factor)).all() else least_eigenvalue(values)


def least_eigenvalue(values: Array) -> str:
    """The least eigenvalue of a symmetric matrix in words, or an entry that is no number."""
    wrong = _first(~np.isfinite(values), values)
    return wrong or f"its least eigenvalue is {np.linalg.eigvalsh(values).min():g}"


def _below_zero(values: Array) -> str | None:
    """Where a symmetric matrix has an eigenvalue below 0, by more than rounding."""
    if not values.size or not np.isfinite(values).all():
        return _first(~np.isfinite(values), values)
    least = float(np.linalg.eigvalsh(values).min())
    return f"its least eigenvalue is {least:g}" if least < -_allowed(values) else None


# How values are drawn ----------------------------------------------------------------------------


Words = Collection[str]
Draw = Callable[[Array, Words, Generator], Array]


def _as_drawn(array: Array, _words: Words, _rng: Generator) -> Array:
    return array


def _draw_integer(array: Array, _words: Words, _rng: Generator) -> Array:
    return np.rint(2 * array)


def _are_whole(array: Array) -> bool:
    """Whether all entries are integers, so that what is drawn of them should be as well."""
    return bool((array == np.rint(array)).all())


def _draw_positive(array: Array, _words: Words, _rng: Generator) -> Array:
    return np.where(np.abs(array) < 0.1, 1.0 if _are_whole(array) else 0.5, np.abs(array))


def _draw_negative(array: Array, words: Words, rng: Generator) -> Array:
    return -_draw_positive(array, words, rng)


def _draw_nonnegative(array: Array, _words: Words, _rng: Generator) -> Array:
    return np.abs(array)


def _draw_probability(array: Array, words: Words, rng: Generator) -> Array:
    if not array.size:
        return array
    if "integer" in words:
        found = np.zeros(array.shape)
        found.flat[rng.integers(array.size)] = 1.0
        return found
    total = array.sum()
    return array / total if total > 0 else np.full(array.shape, 1 / array.size)


def _draw_skew(array: Array, _words: Words, _rng: Generator) -> Array:
    return array - array.T


def _draw_symmetric(array: Array, _words: Words, _rng: Generator) -> Array:
    return array + array.T if _are_whole(array) else (array + array.T) / 2


def _draw_lower(array: Array, _words: Words, _rng: Generator) -> Array:
    return np.tril(array)


def _draw_upper(array: Array, _words: Words, _rng: Generator) -> Array:
    return np.triu(array)


def _draw_semidefinite(array: Array, words: Words, rng: Generator) -> Array:
    if "positive definite" in words:
        return array
    if "diagonal" in words:
        return np.abs(array)
    factor = array.copy()
    if array.size and "positive" not in words and rng.random() < 0.5:
        # Singular, as a semidefinite matrix may be.
        factor[:, -1] = 0
    return factor @ factor.T


def _draw_definite(array: Array, _words: Words, _rng: Generator) -> Array:
    while array.size and np.linalg.eigvalsh(array).min() < _REGULAR:
        array = array + np.eye(len(array))
    return array


def _draw_orthogonal(array: Array, words: Words, rng: Generator) -> Array:
    n = len(array)
    identity = np.eye(n)
    if "positive definite" in words or not n:
        return identity
    if "diagonal" in words:
        return identity if "nonnegative" in words else np.diag(rng.choice([-1.0, 1.0], n))
    if "skew" in words:
        return np.kron(np.eye(n // 2), [[0.0, 1.0], [-1.0, 0.0]]) if n % 2 == 0 else array
    if {"nonnegative", "integer"}.intersection(words):
        found = identity[::-1] if "symmetric" in words else identity[rng.permutation(n)]
        return found if "nonnegative" in words else found * rng.choice([-1.0, 1.0])
    if "symmetric" in words:
        v = array[:, :1] if np.abs(array[:, 0]).sum() > 0 else np.ones((n, 1))
        return identity - 2 * v @ v.T / (v.T @ v)
    return np.linalg.qr(array)[0]


def _draw_invertible(array: Array, words: Words, _rng: Generator) -> Array:
    # Adding to the diagonal keeps every other property that is drawn before this one.
    thin = {"orthogonal", "skew"}.intersection(words)
    while not thin and array.size and np.linalg.norm(array, -2) < _REGULAR:
        array = array + np.eye(len(array)) * (-1 if "negative" in words else 1)
    return array


def _draw_signs(array: Array, words: Words, _rng: Generator) -> Array:
    found = np.where(array < 0, -1.0, 1.0)
    return found[:, :1] * found[:, :1].T if "positive semidefinite" in words else found


# The words ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assumption:
    """What may be declared of a variable.

    `failure` says in words where values are not so, or returns None; `draw` makes it true of
    random values and keeps what the words before it say. `implies` are words that follow from it,
    `excludes` words that no value has beside it. `axes` is what it needs: "square" matrices,
    "some" axes, or "any" tensor. Values have a `rounded` one but for rounding.
    """

    name: str
    sentence: str
    failure: Callable[[Array], str | None]
    draw: Draw = _as_drawn
    implies: frozenset[str] = field(default=frozenset())
    excludes: frozenset[str] = field(default=frozenset())
    axes: str = "square"
    thin: bool = False
    rounded: bool = False

    @property
    def of_matrices(self) -> bool:
        """Whether it is about square matrices alone."""
        return self.axes == "square"


# In the order in which values are drawn.
_ALL: Final = (
    Assumption("integer", "Every entry is an integer.", _not_whole, _draw_integer,
               axes="any", thin=True),
    Assumption("positive", "Every entry is above 0.", _entrywise(0, np.inf, strict=True),
               _draw_positive, frozenset({"nonnegative"}), frozenset({"negative", "skew"}), "any"),
    Assumption("negative", "Every entry is below 0.", _entrywise(-np.inf, 0, strict=True),
               _draw_negative, excludes=frozenset({"nonnegative", "skew", "positive semidefinite"}),
               axes="any"),
    Assumption("nonnegative", "Every entry is at least 0.", _entrywise(0, np.inf),
               _draw_nonnegative, axes="any"),
    Assumption("skew", "The matrix is the negative of its transpose.", _mirrored(-1), _draw_skew,
               excludes=frozenset({"positive definite"}), thin=True),
    Assumption("symmetric", "The matrix is its transpose.", _mirrored(1), _draw_symmetric,
               thin=True),
    Assumption("lower triangular", "Every entry above the diagonal is 0.",
               _zero(above=True, below=False), _draw_lower, thin=True),
    Assumption("upper triangular", "Every entry below the diagonal is 0.",
               _zero(above=False, below=True), _draw_upper, thin=True),
    Assumption("diagonal", "Every entry beside the diagonal is 0.", _zero(above=True, below=True),
               implies=frozenset({"lower triangular", "upper triangular", "symmetric"}), thin=True),
    Assumption("positive semidefinite",
               "The matrix is symmetric, and no eigenvalue of it is below 0.", _below_zero,
               _draw_semidefinite, frozenset({"symmetric"}), thin=True),
    Assumption("positive definite", "The matrix is symmetric, and every eigenvalue is above 0.",
               indefinite, _draw_definite,
               frozenset({"symmetric", "invertible", "positive semidefinite"}), thin=True),
    Assumption("orthogonal", "The columns are orthogonal, and their length is 1.", _not_orthogonal,
               _draw_orthogonal, frozenset({"invertible"}), thin=True, rounded=True),
    Assumption("invertible", "The matrix has an inverse.", _singular, _draw_invertible),
    Assumption("probability", "No entry is below 0, and their sum is 1.", _no_distribution,
               _draw_probability, frozenset({"nonnegative"}), frozenset({"skew"}),
               axes="some", thin=True, rounded=True),
    Assumption("signs", "Every entry is 1 or -1.", _no_signs, _draw_signs,
               frozenset({"integer"}), frozenset({"skew"}), axes="any", thin=True),
)  # fmt: skip

ASSUMPTIONS: Final[Mapping[str, Assumption]] = {a.name: a for a in _ALL}
"""Every word that may be declared, in the order in which values are drawn."""

# What follows from several words together.
_TOGETHER: Final = (
    (frozenset({"lower triangular", "upper triangular"}), "diagonal"),
    (frozenset({"lower triangular", "symmetric"}), "diagonal"),
    (frozenset({"upper triangular", "symmetric"}), "diagonal"),
    (frozenset({"lower triangular", "skew"}), "diagonal"),
    (frozenset({"upper triangular", "skew"}), "diagonal"),
    (frozenset({"lower triangular", "orthogonal"}), "diagonal"),
    (frozenset({"upper triangular", "orthogonal"}), "diagonal"),
    (frozenset({"positive semidefinite", "invertible"}), "positive definite"),
)


def closure(words: Iterable[str]) -> frozenset[str]:
    """Some words and all that follows from them.

    >>> sorted(closure(["lower triangular", "upper triangular"]))
    ['diagonal', 'lower triangular', 'symmetric', 'upper triangular']
    """
    found = set(words)
    size = -1
    while size < len(found):
        size = len(found)
        for word in sorted(found):
            if word in ASSUMPTIONS:
                found |= ASSUMPTIONS[word].implies
        found.update(word for premises, word in _TOGETHER if premises <= found)
    return frozenset(found)


def stated(words: Iterable[str]) -> tuple[str, ...]:
    """As few of some words as the others follow from, sorted.

    >>> stated(["invertible", "positive definite", "symmetric"])
    ('positive definite',)
    """
    kept = sorted(words)
    # What implies most goes last, so that it stays.
    for word in sorted(kept, key=lambda w: (len(closure([w])), w)):
        rest = [w for w in kept if w != word]
        if word in closure(rest):
            kept = rest
    return tuple(kept)


def contradiction(words: Iterable[str]) -> tuple[str, str] | None:
    """Two of some words that no value has together.

    >>> contradiction(["positive definite", "skew"])
    ('positive definite', 'skew')
    """
    found = sorted(closure(words))
    for word in found:
        for other in sorted(ASSUMPTIONS[word].excludes) if word in ASSUMPTIONS else ():
            if other in found:
                first, second = sorted((word, other))
                return first, second
    return None


def are_thin(words: Iterable[str]) -> bool:
    """Whether some words hold in a space without interior.

    >>> are_thin(["positive"]), are_thin(["diagonal"])
    (False, True)
    """
    return any(ASSUMPTIONS[w].thin for w in words if w in ASSUMPTIONS)


def are_exact(words: Iterable[str]) -> bool:
    """Whether floating-point numbers may have some properties exactly.

    >>> are_exact(["symmetric"]), are_exact(["orthogonal"])
    (True, False)
    """
    return not any(ASSUMPTIONS[w].rounded for w in words if w in ASSUMPTIONS)


def failure(
    words: Iterable[str], values: Array, left_out: frozenset[str] = frozenset()
) -> tuple[str, str] | None:
    """The first of some words that values do not fit, and where; None where they fit.

    What is implied by others is tested first: a definite matrix has to be symmetric. Words of
    `left_out` are not tested.

    >>> failure(["symmetric"], np.array([[1.0, 2.0], [3.0, 4.0]]))
    ('symmetric', 'entry (0, 1) is 2, entry (1, 0) is 3')
    """
    if values.dtype.kind == "c":
        if np.imag(values).any():
            return stated(words)[0], _first(np.imag(values) != 0, values) or ""
        values = np.real(values)
    for test in _tests(tuple(words), left_out):
        wrong = test.failure(values)
        if wrong is not None:
            return test.name, wrong
    return None


# Words, and those that their tests include.
_INCLUDED: Final = (
    ("positive", {"nonnegative"}),
    ("probability", {"nonnegative"}),
    ("signs", {"integer"}),
    ("diagonal", {"lower triangular", "upper triangular", "symmetric"}),
    ("positive definite", {"invertible", "positive semidefinite"}),
    ("orthogonal", {"invertible"}),
)


@lru_cache(maxsize=256)
def _tests(words: tuple[str, ...], left_out: frozenset[str]) -> tuple[Assumption, ...]:
    """What to test of all that holds: nothing that another test includes."""
    implied = closure(words)
    spared = {
        weaker for stronger, several in _INCLUDED if stronger in implied for weaker in several
    }
    return tuple(a for w, a in ASSUMPTIONS.items() if w in implied - spared - left_out)


def drawn(words: Iterable[str], array: Array, rng: Generator) -> Array | None:
    """Random values that fit some words, made of others; None where these find none.

    >>> drawn(["diagonal"], np.ones((2, 2)), np.random.default_rng(0))
    array([[2., 0.],
           [0., 2.]])
    """
    implied = closure(words)
    known = [word for word in ASSUMPTIONS if word in implied]
    found = array
    for word in known:
        found = ASSUMPTIONS[word].draw(found, implied, rng)
    return found if failure(known, found) is None else None
