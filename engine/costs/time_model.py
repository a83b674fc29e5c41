"""What a node costs in time: the kernels that compute it, at the rates of a machine."""

import json
import os
import warnings
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.metadata import version
from importlib.resources import files
from itertools import pairwise, repeat
from math import prod
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, cast

from eggrad.engine.costs.cost import DEFAULT_SIZE, Placed, Sized
from eggrad.engine.errors import EggradError
from eggrad.engine.indices.affine import resized_dims, size_form
from eggrad.engine.indices.indicator_plan import (
    Sparsity,
    plan_of,
    running_sum_of,
    selection_place,
    stored_places,
    visited_dims,
)
from eggrad.engine.indices.slices import placed_dims, views_of
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec, identified, scaling, stack_axes
from eggrad.engine.terms.functions import FUNCTIONS, LOWERED, UNKNOWN_FUNCTION, function_of, record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES, NUMERIC
from eggrad.engine.terms.term import (
    FUNCTION_NODES,
    LEAVES,
    NUMERIC_NAMES,
    Loop,
    Term,
    loop_described,
    postorder,
    term_sparsity,
)

# What NumPy's kernels take on a machine: times in picoseconds, as whole numbers.
#
# A rate is a curve: the time at some amounts of work, with straight lines between. That holds what
# matters: the price of a call (the first point), the step out of a cache, the gain from blocking.
# Times are integers, so sums are exact and choices that rest on them can be repeated.


SCHEMA: Final = 2
# The libraries with rates of their own; others have NumPy's.
MEASURED: Final = ("numpy", "jax")


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
    """The curve of every kernel by name, and the version of the library that was measured.

    Kernels are counted in entries, except for products (multiplications) and decompositions of an
    n by n matrix (n^3).
    """

    curves: Mapping[str, Curve]
    version: str
    library: str = "numpy"

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
        head = {"schema": SCHEMA, self.library: self.version, "unit": "picoseconds"}
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
        eggrad.engine.costs.time_model.RatesError: not a file of rates
        """
        try:
            found: Any = json.loads(text)
            library = next((name for name in MEASURED if name in found), "numpy")
            schema, measured, rates = found["schema"], found[library], found["rates"]
            if schema != SCHEMA:
                raise RatesError(f"it has format {schema!r}, this version of eggrad reads {SCHEMA}")
            curves = {str(name): _curve(points) for name, points in rates.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RatesError("not a file of rates") from error
        if not isinstance(measured, str):
            raise RatesError("not a file of rates")
        return cls(curves, measured, library)


def _curve(points: Any) -> Curve:
    for pair in points:
        if len(pair) != 2 or any(type(number) is not int for number in pair):
            raise ValueError("a point is a pair of integers")
    return Curve(tuple((u, t) for u, t in points))


def _file(library: str) -> str:
    return "rates.json" if library == "numpy" else f"rates_{library}.json"


def cache_path(library: str = "numpy") -> Path:
    """Where `eggrad calibrate` keeps the rates of this machine.

    `eggrad/rates.json`, for another library than NumPy `eggrad/rates_jax.json`, in the folder that
    `XDG_CACHE_HOME` names, or else in `~/.cache`.
    """
    # The XDG base directory specification: a path that is not absolute is to be ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "eggrad" / _file(library)


def default_rates(library: str = "numpy") -> Rates:
    """The rates that come with eggrad, measured on one x86-64 core."""
    file = files("eggrad.engine.costs").joinpath(_file(library))
    return Rates.from_json(file.read_text("utf-8"))


def read_rates(path: Path, library: str = "numpy") -> Rates:
    """The rates of a file; `RatesError` where it cannot be used with this version of a library."""
    try:
        rates = Rates.from_json(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RatesError(str(error)) from error
    if rates.library != library:
        raise RatesError(f"it has the rates of {rates.library}, not of {library}")
    missing = sorted(default_rates(library).curves.keys() - rates.curves.keys())
    if missing:
        raise RatesError(f"it lacks {', '.join(missing[:3])}")
    if rates.version != version(library):
        name = "NumPy" if library == "numpy" else "JAX"
        raise RatesError(f"it was measured with {name} {rates.version}, this is {version(library)}")
    return rates


def load_rates(library: str = "numpy") -> Rates:
    """The rates of this machine where `eggrad calibrate` has measured them, else the default.

    A library without rates of its own has NumPy's. A file that cannot be used is ignored, with a
    `UserWarning` that says why.
    """
    library = library if library in MEASURED else "numpy"
    try:
        path = cache_path(library)
        is_there = path.exists()
    except (OSError, RuntimeError):
        # The user has no folder that can be read, or none at all.
        return default_rates(library)
    if is_there:
        try:
            return read_rates(path, library)
        except RatesError as error:
            warnings.warn(
                f"{path} is ignored: {error}; run 'eggrad calibrate' to measure anew",
                stacklevel=2,
            )
    return default_rates(library)


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


# The kernels of a product: how a good lowering to NumPy computes an einsum of one or two operands.
#
# Deltas identify indices and constants are numbers, so neither is an array. What is left is reduced
# over the indices that it alone has. Then two operands are multiplied entry by entry, or their
# indices form four groups: those of the *batch* (both operands and the output), of the *rows* (left
# and output), of the *columns* (right and output), and *summed* ones (both, not the output).


WorkStep = tuple[str, Dims, Dims]
"""A rate, its units and its repeats."""


def product_steps(
    spec: Spec,
    args: Sequence[Dims],
    deltas: Sequence[bool],
    constants: Sequence[Fraction | None] = (),
    same: bool = False,
) -> list[WorkStep]:
    """The kernels of a product with the sizes they work on.

    >>> product_steps(((0, 1), (0, 1), ()), [("m", "n"), ("m", "n")], [False, False])
    [('dot', ('m', 'n'), ())]
    """
    return _Product(spec, args, deltas, constants).steps(same)


class _Product:
    def __init__(
        self,
        spec: Spec,
        args: Sequence[Dims],
        deltas: Sequence[bool],
        constants: Sequence[Fraction | None],
    ) -> None:
        first = identified(spec, deltas)
        self.size: dict[int, Size] = {}
        self.operands: list[Indices] = []
        # Whether a number other than 1 is left to multiply by.
        self.factor = False
        values = [*constants, *[None] * (len(args) - len(constants))]
        for part, dims, is_delta, value in zip(spec, args, deltas, values, strict=False):
            indices = tuple(first[i] for i in part)
            self.size.update(zip(indices, dims, strict=True))
            if value is not None:
                self.factor |= value != 1
            elif not is_delta:
                self.operands.append(tuple(dict.fromkeys(indices)))
        written = tuple(first[i] for i in spec[-1])
        self.out = tuple(dict.fromkeys(written))
        self.scatter = len(self.out) < len(written)
        self.written = self.dims(written)

    def dims(self, indices: Collection[int]) -> Dims:
        return tuple(self.size[i] for i in indices)

    def steps(self, same: bool) -> list[WorkStep]:
        found: list[WorkStep] = []
        known = {i for part in self.operands for i in part}
        # A sum over an index that no array has is a multiplication by its length.
        factor = self.factor or bool(self.size.keys() - known - set(self.out))
        reduced: list[Indices] = []
        for k, part in enumerate(self.operands):
            others = {i for j, other in enumerate(self.operands) if j != k for i in other}
            kept = tuple(i for i in part if i in others or i in self.out)
            if len(kept) < len(part):
                found += self.reduction(part, kept)
            reduced.append(kept)
        if len(reduced) == 2:
            found += self.binary(*reduced, same=same)
        present = tuple(i for i in self.out if i in known)
        if factor and self.operands:
            found.append(("scaling" if present else "scalar", self.dims(present), ()))
        if self.scatter:
            found += [("zeros", self.written, ()), ("diagonal", self.dims(self.out), ())]
        return found or [("view", (), ())]

    def reduction(self, part: Indices, kept: Indices) -> list[WorkStep]:
        """Sum over what is not kept; every run of the innermost loop has a price."""
        entries = self.dims(part)
        if not kept:
            return [("sum", entries, ())]
        run = len(part) - 1
        while run and (part[run - 1] in kept) == (part[run] in kept):
            run -= 1
        name = "sum_leading" if part[-1] in kept else "sum_trailing"
        return [(name, entries, ()), ("row", self.dims(part[:run]), ())]

    def binary(self, left: Indices, right: Indices, same: bool) -> list[WorkStep]:
        summed = tuple(i for i in left if i in right and i not in self.out)
        if not summed:
            return self.multiplication(left, right)
        batch = tuple(i for i in self.out if i in left and i in right)
        rows = tuple(i for i in self.out if i in left and i not in batch)
        columns = tuple(i for i in self.out if i in right and i not in batch)
        if batch and not rows and not columns:
            return self.rowwise(left, right, summed)
        for large, other in ((left, right), (right, left)):
            stack = stack_axes(large, other)
            if stack:
                after = large[len(stack + other) :]
                b, k, n = map(self.dims, (stack, other, after))
                copy = self.result_copy(stack, (), after)
                # All of it may be too large for a cache in which one matrix is read fast.
                return [("batch", (), ()), ("gemv", b + k + n, ()), ("gemv_row", b + k, ()), *copy]
        copies = self.copies(left, right, summed, batch) + self.result_copy(batch, rows, columns)
        if batch:
            return self.batched(batch, rows, columns, summed) + copies
        m, k, n = self.dims(rows), self.dims(summed), self.dims(columns)
        if not rows and not columns:
            return [("dot", k, ()), *copies]
        if not rows or not columns:
            matrix = left if rows else right
            leading = next(
                p for p, i in enumerate(matrix) if (i in summed) != (matrix[0] in summed)
            )
            return [
                ("gemv", m + n + k, ()),
                ("gemv_row", self.dims(matrix[:leading]), ()),
                *copies,
            ]
        if same and self.is_symmetric(left, right, rows, columns):
            return [
                ("syrk", m + n + k, ()),
                ("matmul_operand", m + k, ()),
                ("matmul_out", m + n, ()),
            ]
        return [*self.matrix_product(rows, summed, columns), *copies]

    def matrix_product(self, rows: Indices, summed: Indices, columns: Indices) -> list[WorkStep]:
        m, k, n = self.dims(rows), self.dims(summed), self.dims(columns)
        return [
            ("matmul", m + k + n, ()),
            ("matmul_operand", m + k, ()),
            ("matmul_operand", k + n, ()),
            ("matmul_out", m + n, ()),
        ]

    def is_symmetric(self, left: Indices, right: Indices, rows: Indices, columns: Indices) -> bool:
        """Whether one operand's axes become the other's when rows and columns are exchanged."""
        name = dict(zip(rows, columns, strict=True)) if len(rows) == len(columns) else {}
        return bool(name) and tuple(name.get(i, i) for i in left) == right

    def multiplication(self, left: Indices, right: Indices) -> list[WorkStep]:
        """Entry by entry, with broadcasting."""
        entries = self.dims(self.out)
        if not entries:
            return [("scalar", (), ())]
        if not left or not right:
            return [("scaling", entries, ())]
        if self.out in (left + right, right + left):
            return self.matrix_product(left, (), right)
        run = len(self.out) - 1
        while run and all((self.out[run - 1] in p) == (self.out[run] in p) for p in (left, right)):
            run -= 1
        alike = len(left) == len(right) == len(self.out)
        found: list[WorkStep] = [("arithmetic" if alike else "broadcast", entries, ())]
        if run:
            found.append(("loop", self.dims(self.out[:run]), ()))
        for part in (left, right):
            if part != tuple(i for i in self.out if i in part):
                found.append(("transposed", self.dims(part), ()))
        return found

    def rowwise(self, left: Indices, right: Indices, summed: Indices) -> list[WorkStep]:
        """One dot product for each entry of the output."""
        joint = (*self.out, *summed)
        if left[-1] in summed and right[-1] in summed:
            found: list[WorkStep] = [
                ("rowwise_dot", self.dims(joint), ()),
                ("loop", self.dims(self.out), ()),
            ]
        else:
            found = [("arithmetic", self.dims(joint), ()), *self.reduction(left, self.out)]
        if left != right:
            found.append(("transposed", self.dims(joint), ()))
        return found

    def batched(
        self, batch: Indices, rows: Indices, columns: Indices, summed: Indices
    ) -> list[WorkStep]:
        b, m, k, n = (self.dims(group) for group in (batch, rows, summed, columns))
        if not rows or not columns:
            return [("batch", (), ()), ("batched_gemv", m + n + k, b)]
        return [
            ("batch", (), ()),
            ("batched_matmul", m + k + n, b),
            ("matmul_operand", b + m + k, ()),
            ("matmul_operand", b + k + n, ()),
            ("matmul_out", b + m + n, ()),
        ]

    def copies(
        self, left: Indices, right: Indices, summed: Indices, batch: Indices
    ) -> list[WorkStep]:
        """The operands that BLAS cannot read where they lie.

        It reads a matrix by rows or by columns: the groups must not be interleaved, and both
        operands must have the summed indices in one order.
        """
        bad = [part for part in (left, right) if not self.is_matrix(part, summed, batch)]
        orders = [tuple(i for i in part if i in summed) for part in (left, right)]
        if orders[0] != orders[1] and not bad:
            bad = [min((left, right), key=len)]
        return [("transposed", self.dims(part), ()) for part in bad]

    def is_matrix(self, part: Indices, summed: Indices, batch: Indices) -> bool:
        """Whether, apart from the batch, the free and the summed axes lie in one piece each."""
        if part[-1] in batch:
            return False
        kinds = [0 if i in batch else 1 if i in summed else 2 for i in part]
        free = tuple(i for i in part if i not in summed and i not in batch)
        in_order = free == tuple(i for i in self.out if i in free)
        places = [p for p, kind in enumerate(kinds) if kind]
        changes = sum(kinds[p] != kinds[q] for p, q in pairwise(places))
        # A group of several axes counts as one axis only where no axis of the batch cuts it.
        cut = len(places) > 2 and places[-1] - places[0] >= len(places)
        return in_order and changes <= 1 and not cut

    def result_copy(self, batch: Indices, rows: Indices, columns: Indices) -> list[WorkStep]:
        """The result comes as batch, rows, columns, or with rows and columns exchanged."""
        if self.out in (batch + rows + columns, batch + columns + rows):
            return []
        return [("transposed", self.dims(self.out), ())]


# Which NumPy kernels compute a node, and how much each of them has to do.
#
# A node's work is a sum of terms `repeats * rate(units)`: the rate is the measured time of one
# kernel, units and repeats are products of sizes. So work is found once for an
# expression and timed at any sizes. The layout of an operand is not known: results are taken to be
# in C order, and what a kernel wants in another order is copied.


Constants = tuple[Fraction | None, ...]

# Element-wise operations by the kernels that they call.
_COMPOSED: Final[dict[str, tuple[str, ...]]] = {f.name: f.rates for f in FUNCTIONS.values()} | {
    "add": ("arithmetic",),
    "subtract": ("arithmetic",),
    "multiply": ("arithmetic",),
    "square": ("arithmetic",),
}
# The exponents whose powers are products, up to a square root and a reciprocal: `pow` takes as long
# as some twenty multiplications.
MOST_MULTIPLIED: Final = 16


def multiplications(exponent: Fraction) -> tuple[str, ...] | None:
    """What makes a power, one after the other, without `pow`; None where that takes it.

    A `square` is one of what is there, `base` multiplies it by the base, `root` by its square root.

    >>> multiplications(Fraction(-7, 2))
    ('square', 'base', 'root', 'reciprocal')
    """
    whole, half = divmod(abs(exponent), 1)
    if half not in (0, Fraction(1, 2)) or whole > MOST_MULTIPLIED:
        return None
    found: list[str] = []
    for digit in f"{whole:b}"[1:]:
        found += ["square", "base"] if digit == "1" else ["square"]
    found += ["root"] if half else []
    return (*found, "reciprocal") if exponent < 0 else tuple(found)


def _power_rates(exponent: Fraction) -> tuple[str, ...]:
    steps = multiplications(exponent)
    if steps is None:
        return ("power",)
    rates = {"root": ("sqrt",) if abs(exponent) < 1 else ("sqrt", "arithmetic")}
    rates["reciprocal"] = ("reciprocal",)
    return tuple(rate for step in steps for rate in rates.get(step, ("arithmetic",)))


# How long an axis is taken to be that others are shorter by.
SHORT: Final = 10

# What one operation on a NumPy scalar counts as.
_SCALAR: Final = frozenset({"arithmetic", "scaling", "negate", "divide", "reciprocal", "power"})
# What is neither entry by entry nor by the places that integers say.
_REDUCING: Final = frozenset(NUMERIC).difference(LOWERED, ("selection", "scan"))


@dataclass(frozen=True, slots=True)
class Work:
    """`repeats` times the time that the kernel `rate` takes for `units`; both products of sizes.

    >>> Work.of("matmul", ("n", 2, "m", 3))
    Work(rate='matmul', units=(6, 'm', 'n'), repeats=())
    """

    rate: str
    units: Dims = ()
    repeats: Dims = ()

    @classmethod
    def of(cls, rate: str, units: Iterable[Size] = (), repeats: Iterable[Size] = ()) -> "Work":
        """The work with its products in canonical form, so that equal work is equal."""
        return cls(rate, _product(units), _product(repeats))


def _product(sizes: Iterable[Size]) -> Dims:
    factors = tuple(sizes)
    # A size of 0 counts as 1, as everywhere in costs.
    number = prod(max(1, d) for d in factors if isinstance(d, int))
    symbols = sorted(d for d in factors if isinstance(d, str))
    return (*([number] if number != 1 else []), *symbols)


def node_work(
    constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
    deltas: tuple[Sparsity, ...], *, same: bool = False, constants: Constants = (),
    placed: Placed = (),
) -> tuple[Work, ...]:  # fmt: skip
    """The work of one e-node.

    `args` and `out` are the dims of its operands and of itself, `deltas` says which operands are
    deltas, `constants` which are constant and of what value, `same` that both operands are one,
    `placed` which are zeros but for entries along some axes: these are written where they go.

    >>> spec = ((0, 1), (1,), (0,))
    >>> work = node_work("ein", (spec,), (("m", "n"), ("n",)), ("m",), (False, False))
    >>> [(w.rate, w.units) for w in work]
    [('gemv', ('m', 'n')), ('gemv_row', ('m',)), ('fresh', ('m',))]
    """
    if constructor in LEAVES or data[:1] == ("selection",):
        return ()
    if data[:1] == ("scan",):
        return tuple(_of_steps(loop_described(data[1])))
    zeros = [k for k, axes in enumerate(placed) if axes is not None]
    # Where entries are is a view, which takes a call.
    entries: list[WorkStep] = [("arithmetic", placed[k] or (), ()) for k in zeros]
    entries += [("scalar_function", (), ()) for _ in zeros]
    if zeros and constructor in ("add", "subtract"):
        written = [("zeros", out, ()), ("fresh", out, ())] if len(zeros) > 1 else []
        return tuple(Work.of(*step) for step in (*entries, *written))
    if constructor == "ein" and placed_dims(data[0], args, deltas) is not None:
        steps: list[WorkStep] = [("view", (), ())]
    elif constructor in ("ein", "ein1"):
        steps = _product_steps(data[0], args, deltas, constants, same)
    elif constructor == "scale":
        factors: Constants = (data[0], *constants)
        steps = _product_steps(scaling(len(out)), ((), *args), (False, *deltas), factors, False)
    elif constructor in MATRIX_FUNCTIONS or constructor == "cofactors":
        steps = _matrix_steps(constructor, data, args, out)
    elif constructor in NUMERIC_NAMES and data[0] in _REDUCING:
        steps = _reducing_steps(data[0], data[1], args, out)
    else:
        names = _elementwise_rates(constructor, data, constants)
        steps = [(name if out else _on_scalars(name), out, ()) for name in names]
        # An element-wise operation needs every entry of a delta.
        for dims, is_delta in zip(args, deltas, strict=False):
            if is_delta is True and dims:
                steps += [("zeros", dims, ()), ("diagonal", dims[len(dims) // 2 :], ())]
        steps = steps or [("view", (), ())]
    if all(rate != "view" for rate, _, _ in steps):
        # An indicator that is needed as an array.
        spec = data[0] if constructor in ("ein", "ein1") else None
        places = stored_places(spec, args, deltas, _lengths(args))
        steps += [("zeros", args[k], ()) for k in places]
    for k in zeros:
        steps += [("zeros", args[k], ()), ("fresh", args[k], ())]
    steps += entries
    # A result of some size lies in memory that the process did not have a moment ago.
    if out and all(rate != "view" for rate, _, _ in steps):
        steps.append(("fresh", out, ()))
    return tuple(Work.of(*step) for step in steps)


def _of_steps(loop: Loop) -> Iterator[Work]:
    """The work of each step of a loop, as often as there are steps."""
    one: dict[Size, Size] = {**loop.inside, loop.step.steps: 1}
    for work, n in dag_work(loop.step.results).items():
        units, repeats = (resized_dims(dims, one) for dims in (work.units, work.repeats))
        yield from repeat(Work.of(work.rate, units, (*repeats, loop.length)), n)


@lru_cache(maxsize=1024)
def _lengths(args: tuple[Dims, ...]) -> Callable[[Size], int]:
    """Lengths that tell which axes are longer; what a size is less by is taken to be short.

    >>> windows = _lengths((("n - k + 1", "n", "k"),))
    >>> windows("n"), windows("n - k + 1"), windows("k")
    (100, 91, 10)
    """
    every = [size_form(d) for dims in args for d in dims]
    less = {str(key) for f in every for key, c in f if c < 0}

    def length(size: Size) -> int:
        lengths = (
            (c, 1 if not key else SHORT if key in less else DEFAULT_SIZE)
            for key, c in size_form(size)
        )
        return max(1, sum(c * n for c, n in lengths))

    return length


def _product_steps(
    spec: Spec,
    args: tuple[Dims, ...],
    deltas: tuple[Sparsity, ...],
    constants: Constants,
    same: bool,
) -> list[WorkStep]:
    """The steps of a product; one with an indicator reads or writes entries through a view."""
    length = _lengths(args)
    if selection_place(spec, deltas) is not None:
        visited = tuple(visited_dims(spec, args, deltas, length).values())
        return [("scalar_function", (), ()), ("transposed", visited, ())]
    planned = plan_of(spec, args, deltas, length)
    if planned is not None:
        # What is no view takes a call that plans it.
        called = [] if views_of(spec, args, deltas) else [("indicator", (), ())]
        if planned.is_view:
            return called or [("view", (), ())]
        if running_sum_of(spec, args, deltas):
            # Each entry waits for the one before: that takes as long as an exponential of each.
            summed = (d for d, known in zip(args, deltas, strict=True) if known in (False, True))
            return [("exp", next(summed), ())]
        visited = tuple(visited_dims(spec, args, deltas, length).values())
        return [*called, ("arithmetic", visited, ())]
    return product_steps(spec, args, [known is True for known in deltas], constants, same)


def _elementwise_rates(
    constructor: str, data: tuple[Any, ...], constants: Constants
) -> tuple[str, ...]:
    if constructor == "power":
        exponent = constants[1] if len(constants) > 1 else None
        return ("power",) if exponent is None else _power_rates(exponent)
    if constructor == "divide" and constants and constants[0] is not None:
        return ("reciprocal",)
    if constructor in FUNCTION_NODES.values():
        return record(data[0]).rates
    name = data[0] if constructor in NUMERIC_NAMES else constructor
    return _COMPOSED.get(name, (name,))


def _on_scalars(name: str) -> str:
    return "scalar" if name in _SCALAR else "scalar_function"


def _matrix_steps(
    constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims
) -> list[WorkStep]:
    n = args[0][0]
    cube = (n, n, n)
    if constructor != "cofactors":
        return [(MATRIX_FUNCTIONS[constructor].rates[0], cube, ())]
    order = data[0]
    return [("adj" if order else "det", cube, ()), *[("arithmetic", out, ())] * (order > 1)]


def _reducing_steps(name: str, known: object, args: tuple[Dims, ...], out: Dims) -> list[WorkStep]:
    """The steps of an operation of lowered terms that is not element-wise."""
    whole = args[0]
    match name:
        case "logdet":
            decomposition = "cholesky" if known == "positive definite" else "slogdet"
            return [(decomposition, (whole[0],) * 3, ()), ("log", whole[:1], ()), ("sum", (), ())]
        case "cholesky" | "inverse_from_cholesky" if len(whole) == 2:
            return [(name, (whole[0],) * 3, ())]
        case name if name in STACK_FUNCTIONS:
            shorter = min(whole[-2:], key=_lengths((whole,)))
            repeats = (STACK_FUNCTIONS[name].inversions, *whole[:-2])
            return [("inv", (*whole[-2:], shorter), repeats)]
        case "logdet_from_cholesky":
            return [("log", whole[:1], ()), ("sum", whole[:1], ()), ("scalar", (), ())]
        case "solve":
            return [("solve", (whole[0],) * 3, ()), ("matmul", (*whole, *args[1][1:]), ())]
        case "symmetric_product":
            return _symmetric_steps(cast(int, known), whole, args[1][1:])
        case "product_of_pairs":
            # A product with half as many columns takes as long as a symmetric one of all.
            (m, n), inner = whole, args[1][:-1]
            product = ("syrk", (*inner, m, n, n), ())
            return [("transposed", (m, n, n), ()), product, ("broadcast", out, ())]
        case "argsort":
            return [(rate, whole, ()) for rate in ("exp", "exp", "exp")]
        case name if name in EXTREMES:
            return [(EXTREMES[name].rates[0], whole, ())]
        case "softmax" | "log_softmax":
            return [("softmax", whole, ())]
        case "norm":
            return [("dot", whole, ()), ("sqrt", out, ()), *[("scalar_function", (), ())] * 4]
        case _:
            passes = [(rate, whole, ()) for rate in ("sum", "arithmetic", "exp", "sum")]
            return [*passes, ("sum", out, ()), ("log", out, ()), ("arithmetic", out, ())]


def _symmetric_steps(order: int, matrix: Dims, inner: Dims) -> list[WorkStep]:
    """A symmetric product of scaled rows for every weight, and for a cube for every column."""
    m, n = matrix
    copies = (*inner, *(n,) * (order - 2))
    slices = [("arithmetic", matrix, copies), ("syrk", (m, n, n), copies)]
    return [*slices, *[("scalar_function", (), copies)] * 6]


def term_work(term: Term) -> tuple[Work, ...]:
    """The work of one node of a term, its operands given.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> term_work(apply("exp", variable("x", ("n",))))[0]
    Work(rate='exp', units=('n',), repeats=())
    """
    constructor, data = term.op, (term.data,)
    if term.op == "einsum":
        constructor = "ein" if len(term.args) == 2 else "ein1"
    elif function := function_of(term.op, term.data):
        constructor, data = FUNCTION_NODES[len(term.args)], (function.key,)
    elif term.op in NUMERIC:
        constructor, data = "numeric", (term.op, term.data)
    return node_work(
        constructor,
        data,
        tuple(a.dims for a in term.args),
        term.dims,
        tuple(term_sparsity(a) for a in term.args),
        same=len(term.args) == 2 and term.args[0] is term.args[1],
        constants=tuple(a.value if a.op == "constant" else None for a in term.args),
        placed=tuple(map(_term_placed, term.args)),
    )


def _term_placed(term: Term) -> Dims | None:
    if term.op != "einsum":
        return None
    known = tuple(map(term_sparsity, term.args))
    return placed_dims(term.spec, tuple(a.dims for a in term.args), known)


def dag_work(roots: Iterable[Term]) -> dict[Work, int]:
    """All work of a DAG, each shared node once, with how often it occurs."""
    found: dict[Work, int] = {}
    for node in postorder(*roots):
        for work in term_work(node):
            found[work] = found.get(work, 0) + 1
    return found


@dataclass(frozen=True)
class TimeModel(Sized):
    """What nodes cost in picoseconds; it can take the place of `CostModel`."""

    rates: Rates = field(kw_only=True)
    # Thousands of e-nodes are alike in all that counts.
    _known: dict[object, int] = field(
        default_factory=dict[object, int], init=False, repr=False, compare=False
    )

    def work(self, work: Work) -> int:
        """The picoseconds of some work."""
        return self.rates.time(work.rate, self.entries(work.units), self.entries(work.repeats))

    def node(
        self, constructor: str, data: tuple[object, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (), leaves: tuple[bool, ...] = (),
        placed: Placed = (),
    ) -> int:  # fmt: skip
        """The picoseconds of one e-node, its operands given; see `kernels.node_work`.

        At least 1, so that of two terms that take as long the one with fewer nodes wins.
        """
        key = (constructor, data, args, out, deltas, same, constants, placed)
        found = self._known.get(key)
        if found is None:
            works = node_work(
                constructor, data, args, out, deltas, same=same, constants=constants, placed=placed
            )
            # Of two deltas the one with fewer axes serves better.
            least = 1 + len(out) if constructor == "delta" else 1
            found = self._known[key] = least + sum(self.work(w) for w in works)
        return found
