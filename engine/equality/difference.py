"""Values at which two terms differ, or how far they agree where they were compared.

The oracle evaluates both; small integers come first, so that a difference can be checked by hand.

Where floating-point numbers differ, both sides are computed again with more digits, and beside
these values as well: rounding, a singular matrix or a tie is no reason to call terms different.
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
from eggrad.engine.oracle.blurred import STEADY, is_blurred
from eggrad.engine.oracle.exact_values import exact_values, is_polynomial
from eggrad.engine.terms.assumptions import are_exact, drawn
from eggrad.engine.terms.binding import MOST_AXES, Array, concrete, enlarged, made_sizes, symbols
from eggrad.engine.terms.term import Term, postorder, variables

# A difference counts from this part of the result.
CLOSE: Final = 1e-9
DIGITS: Final = (50, 75)
# How far neighbours are, in each direction.
SHIFTS: Final = (2.0**-6, 2.0**-10, 2.0**-16)
# What is known to some digits alone is moved by as much; a difference is larger than what comes of
# it, this many times.
ROUNDING: Final = 1e-12
SAFETY: Final = 10.0
# Entries that are evaluated at most for one node: sizes are reduced above that.
ENTRIES: Final = 200_000
FLAVOURS: Final = ("integers", "negative", "positive", "fractions", "normal")
# How often sizes and values are drawn.
TRIALS: Final = 20


Point = tuple[Mapping[str, Array], Mapping[str, int]]
"""Values of the variables, and the sizes of all symbols."""


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
    """How many samples agreed, and to how many digits at least; none where nothing was defined.

    At `ties` the two differ, and beside them they do not: values of the variables, and sizes.
    """

    samples: int
    digits: float
    ties: tuple[Point, ...] = ()


def find_difference(left: Term, right: Term, trials: int = TRIALS) -> Witness | Agreement:
    """Look for values at which two terms of the same dims differ where both are defined.

    A witness has neighbours that are witnesses, so the terms differ at values that have interior.

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
    ties: list[Point] = []
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
        sampled = {v.name: _sample(v, concrete(v.dims, sizes), rng, flavour) for v in known}
        values = {name: value for name, value in sampled.items() if value is not None}
        if len(values) < len(sampled):
            continue
        agreed = _compare(left, right, values, sizes)
        if isinstance(agreed, Witness):
            if not _has_neighbour(agreed, left, right, known, rng):
                ties.append((values, sizes))
            elif np.isfinite([agreed.left, agreed.right]).all():
                return agreed
            else:
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
    return partial or Agreement(samples, digits if samples else 0.0, tuple(ties))


def _as_floats(left: Array, right: Array) -> tuple[Array, Array]:
    """Exact results as floating-point numbers, if these are finite and differ."""
    a, b = (np.array([as_float(x) for x in v.flat]).reshape(v.shape) for v in (left, right))
    return (a, b) if np.isfinite([a, b]).all() and (a != b).any() else (left, right)


def _trials(
    names: Sequence[str], count: int
) -> Iterator[tuple[dict[str, int], str, np.random.Generator]]:
    """Sizes and the kind of values: integers first; small sizes that differ, or are all equal."""
    for k in range(count):
        flavour = FLAVOURS[k * len(FLAVOURS) // count]
        sizes = {s: 2 + (j + k) % 3 for j, s in enumerate(names)}
        if k % 5 == 4:
            # Some terms are defined where all sizes are equal, and nowhere else.
            sizes = dict.fromkeys(names, (1, 2, 1, 3)[k // 5 % 4])
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
    if gap > CLOSE * scale:
        return _judged(Witness(values, sizes, a, b), left, right, found)
    largest = max(float(np.abs(v[np.isfinite(v)]).max(initial=0.0)) for v in found.values())
    return 16.0 if gap == 0 else min(16.0, max(0.0, -log10(gap / largest)))


def _is_spoilt(node: Term, value: Array) -> bool:
    """Whether a number was too large or too small: what is computed from it means nothing."""
    return bool(np.isinf(value).any()) or (node.op == "exp" and bool((value == 0).any()))


# Whether a difference stands where more digits are computed, or values move a little.


def _judged(
    found: Witness, left: Term, right: Term, floats: Mapping[Term, Array]
) -> Witness | None:
    """A witness with results of many digits, where it stands; None else.

    What is declared of a variable may be true of its floats but for rounding, and some functions
    are computed in floats alone: then values move a little, and the difference has to be larger
    than what comes of it.
    """
    precise = oracle.has_digits(left) and oracle.has_digits(right)
    if precise:
        sides = _by_digits(found, left, right, floats)
        if sides is None:
            return None
        found = Witness(found.values, found.sizes, *sides)
    exact = all(are_exact(v.assumed) for v in variables(left, right))
    return found if (precise and exact) or _is_large(found, left, right) else None


def _by_digits(
    found: Witness, left: Term, right: Term, floats: Mapping[Term, Array]
) -> tuple[Array, Array] | None:
    """Both sides by many digits; None where fewer say something else, or the sides are equal."""
    less = floats
    for digits in DIGITS:
        values = oracle.evaluate([*floats], found.values, found.sizes, digits)
        more = dict(zip(floats, values, strict=True))
        a, b = more[left], more[right]
        with np.errstate(all="ignore"):
            gap, noise = abs(a - b), abs(a - less[left]) + abs(b - less[right])
            steady = not any(is_blurred(t, less, more) for t in floats)
            if steady and np.any(noise < STEADY * gap):
                return a.astype(float), b.astype(float)
        less = more
    return None


def _is_large(found: Witness, left: Term, right: Term) -> bool:
    """Whether the difference is large beside what rounding makes of the values of variables."""
    rng = np.random.default_rng(0)
    sides = (found.left, found.right)
    gap, change = np.abs(found.left - found.right), 0.0
    for _ in SHIFTS:
        moved = dict(found.values)
        for v in variables(left, right):
            value = moved[v.name]
            if "integer" not in v.assumed:
                largest = np.abs(value).max(initial=0.0)
                moved[v.name] = value + ROUNDING * largest * rng.normal(size=value.shape)
        again = oracle.evaluate([left, right], moved, found.sizes)
        for before, after in zip(sides, again, strict=True):
            change = np.fmax(change, np.abs(before - after))
    return bool(np.any(gap > SAFETY * change))


def _has_neighbour(
    found: Witness, left: Term, right: Term, known: Sequence[Term], rng: np.random.Generator
) -> bool:
    """Whether values beside those of a witness are a witness as well.

    Nobody has chosen them, so they lie in no set without interior.
    """
    for shift in SHIFTS:
        moved: dict[str, Array] = {}
        for v in known:
            value = found.values[v.name]
            steps = rng.uniform(0.5, 1, size=value.shape) * rng.choice((-1, 1), size=value.shape)
            near = drawn(v.assumed, value + shift * steps, rng)
            moved[v.name] = value if near is None else near
        if isinstance(_compare(left, right, moved, found.sizes), Witness):
            return True
    return False
