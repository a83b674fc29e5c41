"""Where one function of sizes is less than another, in words: `where m < n/2`.

Both are compared at many sizes; then simple relations are tried, the simplest first, until one
agrees with nearly all comparisons that are not close. The last one tried is what the difference of
two polynomials says.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, permutations
from math import exp, gcd, lcm, log, prod
from random import Random
from typing import Final

from eggrad.engine.costs.cost import DEFAULT_SIZE

Sizes = Mapping[str, int]
Time = Callable[[Sizes], int]
Polynomial = Mapping[tuple[str, ...], Fraction]
"""The coefficient of each product of symbols, which are sorted."""

SMALLEST: Final = 2
LARGEST: Final = 2000
SAMPLES: Final = 300
# Comparisons closer than this are left to either side; of the others this share must agree.
CLOSE: Final = 0.15
AGREEMENT: Final = 0.97
FACTORS: Final = tuple(
    Fraction(*pair)
    for pair in [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2), (1, 4), (4, 1), (3, 4),
                 (4, 3), (1, 10), (10, 1)]
)  # fmt: skip
# Of a polynomial that is shown.
MAX_TERMS: Final = 4


@dataclass(frozen=True)
class _Relation:
    text: str
    holds: Callable[[Sizes], bool]


def compare(
    names: Sequence[str], first: Time, second: Time, difference: Polynomial | None = None
) -> str:
    """Where `first` is less than `second`, as the end of a sentence.

    `difference` is what both differ in for the most part, first minus second.

    >>> compare(["m", "n"], lambda s: 2 * s["m"], lambda s: s["n"])
    'where m < n/2'
    >>> compare(["n"], lambda s: s["n"] + 100, lambda s: 2 * s["n"])
    'where n > 100'
    >>> compare(["n"], lambda s: s["n"], lambda s: 2 * s["n"])
    'at all sizes'
    """
    found = relation(names, first, second, difference)
    if found is not None:
        return found
    places = [found.text for found in _thresholds(names, first, second)]
    others = f", with all other sizes {DEFAULT_SIZE}" if len(names) > 1 else ""
    return f"where {', or '.join(places)}{others}" if places else "by no simple rule"


def relation(
    names: Sequence[str], first: Time, second: Time, difference: Polynomial | None = None
) -> str | None:
    """The simplest relation that says where `first` is less than `second`; None without one."""
    decided: list[tuple[Sizes, bool]] = []
    for sizes in _samples(names):
        a, b = first(sizes), second(sizes)
        if abs(a - b) > CLOSE * max(a, b):
            decided.append((sizes, a < b))
    if all(less for _, less in decided):
        return "at all sizes" if decided else f"at no sizes by more than {CLOSE:.0%}"
    if not any(less for _, less in decided):
        return "at no sizes"
    wrong = (1 - AGREEMENT) * len(decided)
    for candidate in chain(
        _proportions(names),
        _thresholds(names, first, second),
        _sums_and_products(names),
        _of_polynomial(difference or {}),
    ):
        missed = 0
        for sizes, less in decided:
            missed += candidate.holds(sizes) != less
            if missed > wrong:
                break
        else:
            return f"where {candidate.text}"
    return None


def boundary(name: str, names: Sequence[str], first: Time, second: Time) -> tuple[int, bool] | None:
    """The size of one symbol at which the comparison changes, all others being 100.

    With it comes whether `first` is less below that size. None where it does not change between
    2 and 2000.

    >>> boundary("m", ["m", "n"], lambda s: 2 * s["m"], lambda s: s["n"])
    (50, True)
    """
    middle = dict.fromkeys(names, DEFAULT_SIZE)

    def less(size: int) -> bool:
        sizes = middle | {name: size}
        return first(sizes) < second(sizes)

    low, high = SMALLEST, LARGEST
    below = less(low)
    if less(high) == below:
        return None
    while high - low > 1:
        half = (low + high) // 2
        low, high = (half, high) if less(half) == below else (low, half)
    return high, below


def _samples(names: Sequence[str]) -> Iterator[Sizes]:
    """Sizes of every order of magnitude, the same at every call."""
    random = Random(0)
    for _ in range(SAMPLES):
        yield {s: round(exp(random.uniform(log(SMALLEST), log(LARGEST)))) for s in names}


def _proportions(names: Sequence[str]) -> Iterator[_Relation]:
    """A size is less than a multiple of another."""
    for factor in FACTORS:
        for s, t in permutations(names, 2):
            yield _Relation(f"{s} < {_times(factor, t)}", _ratio((s,), (t,), factor))


def _thresholds(names: Sequence[str], first: Time, second: Time) -> Iterator[_Relation]:
    """A size is on one side of the place where the choice changes, all others being 100."""
    for s in names:
        place = boundary(s, names, first, second)
        if place is not None:
            size, below = place
            yield _Relation(
                f"{s} < {size}" if below else f"{s} > {size - 1}",
                lambda v, s=s, size=size, below=below: (v[s] < size) == below,
            )


def _sums_and_products(names: Sequence[str]) -> Iterator[_Relation]:
    """The sum or the product of two sizes against a third, the product of two against others."""
    for factor in FACTORS:
        for s, t in combinations(names, 2):
            for u in names:
                if u not in (s, t):
                    both = f"{_times(factor, u)}"
                    yield _Relation(f"{s} + {t} < {both}", _sum(s, t, u, factor, True))
                    yield _Relation(f"{s} + {t} > {both}", _sum(s, t, u, factor, False))
    for factor in FACTORS:
        for pair in combinations(names, 2):
            for u in names:
                if u not in pair:
                    left, right = " ".join(pair), _times(factor, u)
                    yield _Relation(f"{left} < {right}", _ratio(pair, (u,), factor))
                    yield _Relation(f"{left} > {right}", _ratio((u,), pair, 1 / factor))
            for other in combinations(names, 2):
                if not set(pair) & set(other):
                    text = f"{' '.join(pair)} < {_times(factor, ' '.join(other))}"
                    yield _Relation(text, _ratio(pair, other, factor))


def _of_polynomial(difference: Polynomial) -> Iterator[_Relation]:
    """That a polynomial is negative, common factors left out and all signs positive."""
    terms = {symbols: c for symbols, c in difference.items() if c}
    if not 2 <= len(terms) <= MAX_TERMS:
        return
    common = list(min(terms, key=len))
    for symbols in terms:
        shared = Counter(common) & Counter(symbols)
        common = sorted(shared.elements())
    scale = Fraction(lcm(*(c.denominator for c in terms.values())))
    scale /= gcd(*((c * scale).numerator for c in terms.values()))
    reduced: dict[tuple[str, ...], int] = {}
    for symbols, c in terms.items():
        rest = list(symbols)
        for s in common:
            rest.remove(s)
        reduced[tuple(rest)] = int(c * scale)
    left = {symbols: c for symbols, c in reduced.items() if c > 0}
    right = {symbols: -c for symbols, c in reduced.items() if c < 0}
    if left and right:
        yield _Relation(
            f"{_written(left)} < {_written(right)}",
            lambda v: sum(c * prod(v[s] for s in symbols) for symbols, c in reduced.items()) < 0,
        )


def _written(side: Mapping[tuple[str, ...], int]) -> str:
    return " + ".join(
        " ".join([*([str(c)] if c != 1 or not symbols else []), *symbols])
        for symbols, c in sorted(side.items())
    )


def _times(factor: Fraction, name: str) -> str:
    top = name if factor.numerator == 1 else f"{factor.numerator} {name}"
    return top if factor.denominator == 1 else f"{top}/{factor.denominator}"


def _ratio(small: Sequence[str], large: Sequence[str], factor: Fraction) -> Callable[[Sizes], bool]:
    p, q = factor.numerator, factor.denominator
    return lambda v: q * prod(v[s] for s in small) < p * prod(v[s] for s in large)


def _sum(s: str, t: str, u: str, factor: Fraction, below: bool) -> Callable[[Sizes], bool]:
    p, q = factor.numerator, factor.denominator
    return lambda v: (q * (v[s] + v[t]) < p * v[u]) == below
