"""How far densities of eggrad.stats and their derivatives are from those of mpmath.

python -m tests.support.densities             # a line for each distribution
python -m tests.support.densities gamma beta  # for these alone
"""

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
import scipy.stats

import eggrad as eg
from eggrad import stats
from eggrad.engine.terms.binding import Array
from tests.support.cancellation import SMALLEST, bits_lost, evaluated, generator, truth
from tests.support.jets import Jet
from tests.support.places import lines_of

# Arguments are doubles, on whose last digits a result depends: more bits than so are lost.
MOST = 10
POINTS = 50
DIGITS = (100, 400)
FARTHEST = -14


@dataclass(frozen=True)
class Density:
    """A distribution, its density in the standard form, and the ranges of its parameters."""

    name: str
    text: str
    ranges: Mapping[str, tuple[float, float]]

    @property
    def discrete(self) -> bool:
        """Whether it is one of integers, by which nothing is differentiated."""
        return not hasattr(getattr(scipy.stats, self.name), "pdf")

    @property
    def wrt(self) -> list[str]:
        """The arguments by which it is differentiated."""
        spread = [name for name, (low, high) in self.ranges.items() if low < high]
        return spread if self.discrete else ["x", *self.ranges, "loc", "scale"]

    def ours(self, **given: Any) -> Any:
        """The package's logarithm of the density."""
        own = getattr(stats, self.name)
        if self.discrete:
            return own.logpmf(given.pop("x"), **given)
        return own.logpdf(**given)

    def true(self, **given: Any) -> Any:
        """The logarithm of the density by the formula."""
        loc, scale = given.pop("loc", 0), given.pop("scale", 1)
        return np.log(formula(self.text, z=(given.pop("x") - loc) / scale, **given) / scale)


def _read(line: str) -> Density:
    name, text, ranges = (part.strip() for part in line.split(" |"))
    rows = (own.split() for own in ranges.split(",") if own)
    return Density(name, text, {key: (float(a), float(b)) for key, a, b in rows})


# The formulas' functions -------------------------------------------------------------------------


def _gamma(x: Any) -> Jet:
    x = PI.lifted(x)
    v = x.value
    return x.through(mp.loggamma(v), mp.psi(0, v), mp.psi(1, v)).applied("exp")


def _beta(a: Any, b: Any) -> Any:
    return _gamma(a) * _gamma(b) / _gamma(a + b)


def _phi(x: Jet) -> Jet:
    return (-x * x / 2).applied("exp") / (2 * PI).applied("sqrt")


def _normal(x: Jet) -> Jet:
    v = x.value
    slope = mp.npdf(v)
    return x.through(mp.erfc(-v / mp.sqrt(2)) / 2, slope, -v * slope)


def _i0(x: Jet) -> Jet:
    zero, one, two = (mp.besseli(k, x.value) for k in range(3))
    return x.through(zero, one, (zero + two) / 2)


def formula(text: str, **given: Any) -> Any:
    """A formula of the table at Jets."""
    return evaluated(text, {**FUNCTIONS, **given}, exactly=True)


with mp.workdps(2 * DIGITS[-1]):
    PI = Jet(+mp.pi)
FUNCTIONS: dict[str, Any] = {
    "pi": PI, "gamma": _gamma, "beta": _beta, "phi": _phi, "normal": _normal, "i0": _i0,
    "choose": lambda n, k: _gamma(n + 1) / (_gamma(k + 1) * _gamma(n - k + 1)),
}  # fmt: skip
DENSITIES = {own.name: own for own in map(_read, lines_of("densities.txt"))}


# Points ------------------------------------------------------------------------------------------


def points(own: Density, number: int = POINTS) -> dict[str, Array]:
    """Places from one tail to the other, each with parameters of its own."""
    random = generator(own.name)
    family = getattr(scipy.stats, own.name)
    given = {name: random.uniform(*ends, number) for name, ends in own.ranges.items()}
    if own.discrete:
        # What does not vary is an integer.
        counts = {name: int(low) for name, (low, high) in own.ranges.items() if low == high}
        x = family.rvs(**{**given, **counts}, size=number, random_state=random)
        return {"x": x.astype(float), **given}
    given |= {"loc": random.normal(size=number), "scale": random.uniform(0.3, 4, number)}
    # Without the middle, where some have a kink.
    u = 10 ** random.uniform(FARTHEST, np.log10(0.45), number)
    frozen = family(**given)
    x = np.where(np.arange(number) % 2, frozen.ppf(u), frozen.isf(u))
    low, high = frozen.support()
    # At an end rounding decides.
    inside = np.isfinite(x) & (low < x) & (x < high)
    return {name: values[inside] for name, values in {"x": x, **given}.items()}


# Judged ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lost:
    """Bits that an entry has lost beyond what a digit of the arguments changes, and where."""

    bits: float
    entry: str
    at: Mapping[str, float]

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {float(value)!r}" for name, value in self.at.items())
        return f"{self.bits:.1f} bits of {self.entry} at {place}"


def derivatives(own: Density, wrt: Sequence[str], **options: Any) -> Callable[..., list[float]]:
    """The value, the gradient and the Hessian, entry by entry."""
    names = [*dict.fromkeys(["x", *own.ranges, *wrt])]

    def f(*args: Any) -> Any:
        return own.ours(**dict(zip(names, args, strict=True)))

    places = tuple(names.index(name) for name in wrt)
    gradient = eg.value_and_grad(f, argnums=places, **options)
    hessian = eg.hessian(f, argnums=places, **options)

    def at(**point: float) -> list[float]:
        args = [point[name] for name in names]
        value, slopes = gradient(*args)
        return [value, *slopes, *(entry for row in hessian(*args) for entry in row)]

    return at


def lost(own: Density, number: int = POINTS, **options: Any) -> list[Lost]:
    """What each entry has lost at each point."""
    wrt, found = own.wrt, list[Lost]()
    functions = derivatives(own, wrt, **options) if wrt else None
    at = points(own, number)
    entries = ["value", *(f"by {a}" for a in wrt), *(f"by {a} and {b}" for a in wrt for b in wrt)]
    for k in range(len(at["x"])):
        here = {name: values[k] for name, values in at.items()}
        known = truth(own.true, here, wrt, tries=DIGITS)
        ours = functions(**here) if functions else [float(own.ours(**here).evaluate({}))]
        conditions = [max(1.0, c) for part in known for c in part.conditions]
        # A curve that is 0 is what is left of rounding.
        true = [v if abs(v) > SMALLEST else mp.mpf(0) for part in known for v in part.entries]
        units = _units(true, len(wrt))
        found += [
            Lost(bits_lost(float(v), t, u) - float(np.log2(c)), entry, here)
            for entry, v, t, u, c in zip(entries, ours, true, units, conditions, strict=False)
            if mp.isfinite(t)
        ]
    return found


def _units(true: Sequence[Any], size: int) -> list[Any]:
    """What entries are compared with beside themselves, which is for a Hessian's off its diagonal.

    These are the roots of their row's and column's diagonal entries, whatever the units of the
    arguments are: beside them what is much smaller changes no step of Newton's.
    """
    first = 1 + size
    diagonal = true[first :: size + 1]
    units = [mp.sqrt(abs(a * b)) for a in diagonal for b in diagonal]
    units[:: size + 1] = [0] * size
    return [*[0] * first, *units]


def main(names: list[str]) -> None:
    """Print a line for each distribution, and how many keep their digits."""
    kept = 0
    for own in DENSITIES.values():
        if names and own.name not in names:
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = lost(own)
        worst = max(found, key=lambda entry: entry.bits)
        kept += worst.bits <= MOST
        word = "kept" if worst.bits <= MOST else "LOST"
        print(f"{word} {own.name:18} of {len(found)} entries the worst: {worst}", flush=True)
    print(f"{kept} of {len(names or DENSITIES)} keep their digits")


if __name__ == "__main__":
    main(sys.argv[1:])
