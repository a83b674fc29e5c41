"""What NumPy's kernels take on a machine: times in picoseconds, as whole numbers.

A rate is a curve: the time at some amounts of work, with straight lines between. That holds what
matters: the price of a call (the first point), the step out of a cache, the gain from blocking.
Times are integers, so sums are exact and choices that rest on them can be repeated.
"""

import json
import os
import warnings
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from eggrad.engine.errors import EggradError
from eggrad.engine.terms.functions import UNKNOWN_FUNCTION

__all__ = [
    "SCHEMA",
    "Curve",
    "Rates",
    "RatesError",
    "cache_path",
    "default_rates",
    "load_rates",
    "read_rates",
    "write_rates",
]

SCHEMA: Final = 2


class RatesError(EggradError):
    """A file of rates that cannot be used: unreadable, of another kind or another version."""


@dataclass(frozen=True)
class Curve:
    """Times in picoseconds at growing amounts of work; neither ever decreases.

    >>> curve = Curve(((1, 500), (101, 1500)))
    >>> curve.at(0), curve.at(51), curve.at(101), curve.at(202)
    (500, 1000, 1500, 3000)
    """

    points: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        """Refuse what is no curve."""
        units = [u for u, _ in self.points]
        times = [t for _, t in self.points]
        grows = all(a < b for a, b in pairwise(units))
        if not self.points or not grows or sorted(times) != times or min(units + times) < 0:
            raise RatesError(f"times must grow with the amount of work: {self.points}")
        if units[-1] == 0:
            raise RatesError(f"a rate needs a point with some work: {self.points}")

    @cached_property
    def _units(self) -> list[int]:
        return [u for u, _ in self.points]

    def at(self, units: int) -> int:
        """The time of some work: by straight lines, beyond the last point in proportion."""
        place = bisect_right(self._units, units)
        if place == 0:
            return self.points[0][1]
        u, t = self.points[place - 1]
        if place == len(self.points):
            return t * units // u
        further, later = self.points[place]
        return t + (later - t) * (units - u) // (further - u)


@dataclass(frozen=True)
class Rates:
    """The curve of every kernel by name, and the version of NumPy that was measured.

    Kernels are counted in entries, except for products (multiplications) and decompositions of an
    n by n matrix (n^3).
    """

    curves: Mapping[str, Curve]
    numpy: str

    def time(self, rate: str, units: int, repeats: int = 1) -> int:
        """Picoseconds of some work; an element-wise function without a rate counts as `tanh`.

        >>> Rates({"exp": Curve(((1, 500), (101, 1500)))}, "2.0").time("exp", 51, repeats=2)
        2000
        """
        curve = self.curves.get(rate) or self.curves[UNKNOWN_FUNCTION]
        return repeats * curve.at(units)

    def to_json(self) -> str:
        """The text of a file of rates, one curve a line.

        >>> rates = Rates({"exp": Curve(((1, 500),))}, "2.0")
        >>> Rates.from_json(rates.to_json()) == rates
        True
        """
        head = {"schema": SCHEMA, "numpy": self.numpy, "unit": "picoseconds"}
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        curves = [
            f"  {json.dumps(name)}: {json.dumps([list(p) for p in curve.points])}"
            for name, curve in sorted(self.curves.items())
        ]
        return "\n".join(["{", *lines, ' "rates": {', ",\n".join(curves), " }", "}", ""])

    @classmethod
    def from_json(cls, text: str) -> "Rates":
        """Read what `to_json` writes; `RatesError` for anything else.

        >>> Rates.from_json("[]")
        Traceback (most recent call last):
        eggrad.engine.costs.rates.RatesError: not a file of rates
        """
        try:
            found: Any = json.loads(text)
            schema, numpy, rates = found["schema"], found["numpy"], found["rates"]
            if schema != SCHEMA:
                raise RatesError(f"it has format {schema!r}, this version of eggrad reads {SCHEMA}")
            curves = {str(name): _curve(points) for name, points in rates.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RatesError("not a file of rates") from error
        if not isinstance(numpy, str):
            raise RatesError("not a file of rates")
        return cls(curves, numpy)


def _curve(points: Any) -> Curve:
    for pair in points:
        if len(pair) != 2 or any(type(number) is not int for number in pair):
            raise ValueError("a point is a pair of integers")
    return Curve(tuple((u, t) for u, t in points))


def cache_path() -> Path:
    """Where `eggrad calibrate` keeps the rates of this machine.

    `eggrad/rates.json` in the folder that `XDG_CACHE_HOME` names, or else in `~/.cache`.
    """
    # The XDG base directory specification: a path that is not absolute is to be ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "eggrad" / "rates.json"


def default_rates() -> Rates:
    """The rates that come with eggrad, measured on one x86-64 core."""
    return Rates.from_json(files("eggrad.engine.costs").joinpath("rates.json").read_text("utf-8"))


def read_rates(path: Path) -> Rates:
    """The rates of a file; `RatesError` where it cannot be used with this NumPy."""
    try:
        rates = Rates.from_json(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RatesError(str(error)) from error
    missing = sorted(default_rates().curves.keys() - rates.curves.keys())
    if missing:
        raise RatesError(f"it lacks {', '.join(missing[:3])}")
    if rates.numpy != version("numpy"):
        raise RatesError(f"it was measured with NumPy {rates.numpy}, this is {version('numpy')}")
    return rates


def load_rates() -> Rates:
    """The rates of this machine where `eggrad calibrate` has measured them, else the default.

    A file that cannot be used is ignored, with a `UserWarning` that says why.
    """
    path = cache_path()
    if path.exists():
        try:
            return read_rates(path)
        except RatesError as error:
            warnings.warn(
                f"{path} is ignored: {error}; run 'eggrad calibrate' to measure anew",
                stacklevel=2,
            )
    return default_rates()


def write_rates(rates: Rates, path: Path) -> None:
    """Write a file of rates; a reader sees the old file or the new one, never a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=path.name, suffix=".part", delete=False
    ) as file:
        file.write(rates.to_json())
    try:
        Path(file.name).replace(path)
    except OSError:
        Path(file.name).unlink()
        raise
