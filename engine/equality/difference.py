"""Values at which two terms differ, or how far they agree where they were compared.

The oracle evaluates both; small integers come first, so that a difference can be checked by hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10, prod
from typing import Final

import numpy as np

from eggrad.engine.indices.affine import as_size, form, size_form, size_value
from eggrad.engine.indices.texts import as_float
from eggrad.engine.normal_forms.index_ranges import greatest_indices
from eggrad.engine.oracle import oracle
from eggrad.engine.oracle.exact_values import exact_values, is_polynomial
from eggrad.engine.terms.assumptions import are_exact, drawn
from eggrad.engine.terms.binding import MOST_AXES, Array, concrete, enlarged, made_sizes, symbols
from eggrad.engine.terms.term import Term, postorder, variables

# A difference counts from this part of the result, and from this multiple of the rounding error.
CLOSE: Final = 1e-9
SAFETY: Final = 1e3
# The rounding error, as a part of the largest number that was met on the way.
SIGNIFICANT: Final = 1e-7
# Entries that are evaluated at most for one node: sizes are reduced above that.
ENTRIES: Final = 200_000
FLAVOURS: Final = ("integers", "negative", "positive", "fractions", "normal")
# How often sizes and values are drawn.
TRIALS: Final = 20


@dataclass(frozen=True)
class Witness:
    """Values, and both results there, which differ; `sizes` are those of all symbols.

    Results that differ by less than floating-point numbers say, or are beyond them, are fractions.
    """

    values: Mapping[str, Array]
    sizes: Mapping[str, int]
    left: Array
    right: Array


@dataclass(frozen=True)
class Agreement:
    """How many samples agreed, and to how many digits at least; none where nothing was defined."""

    samples: int
    digits: float


def find_difference(left: Term, right: Term, trials: int = TRIALS) -> Witness | Agreement:
    """Look for values at which two terms of the same dims differ where both are defined.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x = variable("x")
    >>> found = find_difference(x, apply("abs", x))
    >>> float(found.left), float(found.right)
    (-3.0, 3.0)
    """
    known = variables(left, right)
    if any(t.order > MOST_AXES for t in postorder(left, right)):
        return Agreement(0, 0.0)
    exactly = is_polynomial(left) and is_polynomial(right)
    exactly = exactly and all(are_exact(v.assumed) for v in known)
    samples = 0
    digits = 16.0
    partial: Witness | None = None
    made = made_sizes(left, right, *known)
    taken = greatest_indices([left, right]).items()
    least = [*made, *(as_size(form([*size_form(d), ("", -1 - index)])) for d, index in taken)]
    for k, (numbers, flavour, rng) in enumerate(_trials(symbols(left, right, *known), trials)):
        sizes = enlarged(numbers, least)
        # The least size that an index allows is not all of them.
        sizes = enlarged({s: n + k % 3 * (n > numbers[s]) for s, n in sizes.items()}, least)
        if any(size_value(d, sizes.__getitem__) < 0 for d in made):
            continue
        if _entries((left, right), sizes) > ENTRIES:
            continue
        own = {v.name: _sample(v, concrete(v.dims, sizes), rng, flavour) for v in known}
        values = {name: value for name, value in own.items() if value is not None}
        if len(values) < len(own):
            continue
        agreed = _compare(left, right, values, sizes)
        if isinstance(agreed, Witness):
            if np.isfinite([agreed.left, agreed.right]).all():
                return agreed
            # Values at which both sides are defined everywhere show more.
            partial = partial or agreed
            continue
        if exactly and flavour in ("integers", "negative"):
            found = exact_values([left, right], values, sizes)
            if found and (found[0] != found[1]).any():
                return Witness(values, sizes, *_as_floats(*found))
        if agreed is not None:
            samples += 1
            digits = min(digits, agreed)
    return partial or Agreement(samples, digits if samples else 0.0)


def _as_floats(left: Array, right: Array) -> tuple[Array, Array]:
    """Exact results as floating-point numbers, if these are finite and differ."""
    a, b = (np.array([as_float(x) for x in v.flat]).reshape(v.shape) for v in (left, right))
    return (a, b) if np.isfinite([a, b]).all() and (a != b).any() else (left, right)


def _trials(
    names: Sequence[str], count: int
) -> Iterator[tuple[dict[str, int], str, np.random.Generator]]:
    """Sizes and the kind of values: integers first; small sizes that differ, 1 now and then."""
    for k in range(count):
        flavour = FLAVOURS[k * len(FLAVOURS) // count]
        sizes = {s: 2 + (j + k) % 3 for j, s in enumerate(names)}
        if k % 5 == 4:
            sizes = dict.fromkeys(names, 1)
        yield sizes, flavour, np.random.default_rng(k)


def _entries(roots: Sequence[Term], sizes: Mapping[str, int]) -> int:
    return max(prod(concrete(t.dims, sizes)) for t in postorder(*roots))


def _sample(
    variable: Term, shape: tuple[int, ...], rng: np.random.Generator, flavour: str
) -> Array | None:
    """A value with the properties that its variable declares; None where none is found."""
    match flavour:
        case "integers":
            array = rng.integers(-3, 4, size=shape).astype(float)
        case "negative":
            array = -rng.integers(1, 4, size=shape).astype(float)
        case "positive":
            array = rng.integers(1, 4, size=shape).astype(float)
        case "fractions":
            array = rng.integers(1, 20, size=shape) / 20
        case _:
            array = np.asarray(rng.normal(size=shape))
    return drawn(variable.assumed, array, rng)


def _compare(
    left: Term, right: Term, values: Mapping[str, Array], sizes: Mapping[str, int]
) -> Witness | float | None:
    """A witness, or the digits that agree; None where nothing is defined on both sides."""
    nodes = list(postorder(left, right))
    found = dict(zip(nodes, oracle.evaluate(nodes, values, sizes), strict=True))
    a, b = found[left], found[right]
    both = np.isfinite(a) & np.isfinite(b)
    if not both.any() or any(_is_spoilt(t, v) for t, v in found.items()):
        return None
    gap = float(np.abs(a[both] - b[both]).max())
    scale = max(float(np.abs(v[both]).max()) for v in (a, b)) or 1.0
    if gap > CLOSE * scale and gap > _rounding(found, left, right, values, sizes):
        return Witness(values, sizes, a, b)
    largest = max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in found.values())
    return 16.0 if gap == 0 else min(16.0, max(0.0, -log10(gap / largest)))


def _is_spoilt(node: Term, value: Array) -> bool:
    """Whether a number was too large or too small: what is computed from it means nothing."""
    return bool(np.isinf(value).any()) or (node.op == "exp" and bool((value == 0).any()))


def _rounding(
    found: Mapping[Term, Array],
    left: Term,
    right: Term,
    values: Mapping[str, Array],
    sizes: Mapping[str, int],
) -> float:
    """A bound on what rounding makes of both sides, by what more digits change.

    Where there is no longer type than float64, by the largest number met on the way.
    """
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        finite = (np.abs(v[np.isfinite(v)]) for v in found.values())
        return SIGNIFICANT * max(float(v.max()) for v in finite if v.size)
    longer = {name: np.asarray(v, np.longdouble) for name, v in values.items()}
    again = oracle.evaluate([left, right], longer, sizes)
    changes = (np.abs(x - found[t]) for x, t in zip(again, (left, right), strict=True))
    finite = [c[np.isfinite(c)] for c in changes]
    return SAFETY * sum(float(c.max()) for c in finite if c.size)
