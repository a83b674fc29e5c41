"""Random programs of NumPy's functions: eggrad's values and derivatives against NumPy's.

`python -m tests.cases.random_programs COUNT SEED` runs many and prints what disagrees.
"""

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.errors import MISTAKES
from eggrad.engine.terms.binding import Array

# Arrays are of few entries, programs of few lines.
_MOST_ENTRIES = 24
_LARGEST = 1e3
_SIZES = (0, 1, 1, 2, 2, 3, 3)


@dataclass(frozen=True)
class Program:
    """Lines of Python that make `result` of arrays `x` and `y`, and values of those."""

    lines: tuple[str, ...]
    x: Any
    y: Any

    def __call__(self, x: Any, y: Any) -> Any:
        """What the lines compute."""
        names = {"np": np, "x": x, "y": y}
        exec("\n".join(self.lines), names)
        return names["result"]

    def __str__(self) -> str:
        given = [f"{n} = np.array({v.tolist()}).reshape({v.shape})" for n, v in self.arguments]
        return "\n".join(["    " + line for line in (*given, *self.lines)])

    @property
    def arguments(self) -> list[tuple[str, Any]]:
        """The names and the values of the arguments."""
        return [("x", self.x), ("y", self.y)]


# Operations ----------------------------------------------------------------------------------


class _Pool:
    """What has been computed so far: floating-point arrays, and arrays of integers."""

    def __init__(self, rng: np.random.Generator, known: dict[str, Any]) -> None:
        self.rng, self.known = rng, known

    def name(self, order: int | None = None) -> str:
        """A floating-point array, of an order if one is asked for; the last ones are likelier."""
        own = [
            n
            for n, v in self.known.items()
            if v.dtype.kind == "f" and (order is None or v.ndim == order)
        ]
        if not own:
            raise ValueError("there is none")
        weights = np.arange(1, len(own) + 1) ** 2.0
        return str(self.rng.choice(own, p=weights / weights.sum()))

    def integers(self) -> str:
        """An array of integers."""
        own = [n for n, v in self.known.items() if v.dtype.kind == "i"]
        return str(self.rng.choice(own))

    def pick(self, *choices: Any) -> Any:
        """One of some things."""
        return choices[self.rng.integers(len(choices))]

    def axis(self, name: str) -> int:
        """An axis, counted from either end."""
        order = self.known[name].ndim
        return int(self.rng.integers(-order, order))

    def places(self, size: int, shape: tuple[int, ...]) -> str:
        """A literal array of places along an axis."""
        own = self.rng.integers(-size, size, shape)
        return f"np.array({own.tolist()}, int).reshape({shape})"


def _unary(p: _Pool) -> str:
    a = p.name()
    one = p.pick(
        *("exp", "tanh", "sin", "abs", "negative", "square", "sign", "floor", "arctan", "cos"),
        *("log1p", "sqrt", "log", "reciprocal", "expm1", "cbrt"),
    )
    if one in {"log1p", "sqrt", "log", "reciprocal", "cbrt"}:
        return f"np.{one}({a}**2 + 0.5)"
    return f"np.{one}({a})"


def _binary(p: _Pool) -> str:
    a, b = p.name(), p.name()
    one = p.pick("+", "-", "*", "/", "maximum", "minimum", "logaddexp", "hypot", "arctan2", "**")
    if one in "+-*":
        return f"{a} {one} {b}"
    if one == "/":
        return f"{a} / ({b}**2 + 1)"
    if one == "**":
        return f"({a}**2 + 0.5) ** {b}"
    return f"np.{one}({a}, {b})"


def _where(p: _Pool) -> str:
    a, b, c = p.name(), p.name(), p.name()
    return f"np.where({c} {p.pick('<', '>', '<=', '>=')} {p.pick(a, b, 0, 1)}, {a}, {b})"


def _reduced(p: _Pool) -> str:
    a = p.name()
    one = p.pick("sum", "mean", "max", "min", "prod", "var", "ptp", "median", "std")
    axis = p.pick(None, p.axis(a), p.axis(a), p.axis(a), (0, 1))
    return f"np.{one}({a}, axis={axis}, keepdims={p.pick(True, False)})"


def _quantile(p: _Pool) -> str:
    a = p.name()
    return f"np.quantile({a}, {p.pick(0, 0.25, 0.3, 0.5, 1, [0.2, 0.8])}, axis={p.axis(a)})"


def _logsumexp(p: _Pool) -> str:
    a = p.name()
    return f"np.logaddexp.reduce({a}, axis={p.axis(a)}, keepdims={p.pick(True, False)})"


def _running(p: _Pool) -> str:
    a = p.name()
    one = p.pick("np.cumsum", "np.cumprod", "np.maximum.accumulate", "np.diff", "np.flip")
    return f"{one}({a}, axis={p.axis(a)})"


def _sorted(p: _Pool) -> str:
    a = p.name()
    return f"np.sort({a}, axis={p.axis(a)})"


def _order(p: _Pool) -> str:
    a = p.name()
    one = p.pick("argsort", "argmax", "argmin")
    return f"np.{one}({a}, axis={p.axis(a)})"


def _pad(p: _Pool) -> str:
    a = p.name()
    mode = p.pick("constant", "edge", "reflect", "wrap", "symmetric", "mean", "maximum")
    return f"np.pad({a}, {p.pick(1, (0, 1), (2, 0))}, mode={mode!r})"


def _copies(p: _Pool) -> str:
    a = p.name()
    k = p.axis(a)
    size = p.known[a].shape[k]
    return p.pick(
        f"np.roll({a}, {p.pick(-1, 1, 2)}, axis={k})",
        f"np.repeat({a}, {p.pick(0, 1, 2)}, axis={k})",
        f"np.repeat({a}, np.array({p.rng.integers(0, 3, size).tolist()}, int), axis={k})",
        f"np.tile({a}, {p.pick(2, (2, 1), (1, 2), 0)})",
        f"np.delete({a}, {p.pick(0, -1, [0, -1])}, axis={k})",
    )


def _indexed(p: _Pool) -> str:
    a = p.name()
    shape = p.known[a].shape
    size = shape[0]
    new = p.pick((), (2,), (3,), (2, 2), (1,), (0,), (2, 1))
    mask = p.rng.random(size) < 0.6
    second = f", {p.places(shape[1], p.pick(new, new[-1:], ()))}" if len(shape) > 1 else ""
    keys = [
        p.places(size, new),
        f"np.array({mask.tolist()}, bool)",
        f"{a} > 5" if p.rng.random() < 0.02 else f"{p.places(size, new)}",
        f"{p.places(size, new)}{second}",
        p.pick("::-1", "1:", ":-1", "::2", "0", "-1", "None", "..., 0", "..., ::-1", "..., None"),
    ]
    if len(shape) > 1:
        whole = p.rng.random(shape) < 0.6
        keys += [
            f":, {p.places(shape[1], new)}",
            f"..., {p.places(shape[1], new)}",
            f"{p.places(size, new)}, {p.pick('0', '-1', ':', '::-1', 'None, 0')}",
            f"{p.pick('0', '-1', '1:')}, {p.places(shape[1], new)}",
            f"None, {p.places(size, new)}, None",
            f"np.array({whole.tolist()}, bool).reshape({shape})",
            f"np.arange({size}), {p.places(shape[1], (size,))}",
            f"np.arange({size})[:, None], {p.places(shape[1], (1, 2))}",
        ]
    return f"{a}[{p.pick(*keys)}]"


def _computed(p: _Pool) -> str:
    a, i = p.name(), p.integers()
    k = p.axis(a)
    return p.pick(
        f"{a}[{i}]",
        f"np.take({a}, {i}, axis={k})",
        f"np.take_along_axis({a}, {i}, axis={k})",
        f"np.take_along_axis({a}, {i}, axis={k})",
        f"{a}[np.arange(len({a})), {i}]",
        f"{a}[{i}, {i}]",
        f"{a}[..., {i}]",
    )


def _products(p: _Pool) -> str:
    a, b = p.name(), p.name()
    return p.pick(
        f"{a} @ {b}",
        f"{a} @ {b}.T",
        f"{a}.T @ {b}",
        f"np.outer({a}, {b})",
        f"np.dot({a}, {b})",
        f"np.einsum('ij,ij->i', {a}, {b})",
        f"np.einsum('ij,kj->kij', {a}, {b})",
        f"np.einsum('i,j,i->ji', {a}, {b}, {a})",
        f"np.einsum('ij,ji->i', {a}, {b})",
        f"np.trace({a})",
        f"np.tensordot({a}, {b}, 1)",
    )


def _matrices(p: _Pool) -> str:
    a = p.name(2)
    square = f"({a} @ {a}.T + 3 * np.eye({p.known[a].shape[0]}))"
    return p.pick(
        f"np.linalg.inv{square}",
        f"np.linalg.det{square}",
        f"np.linalg.cholesky{square}",
        f"np.linalg.eigvalsh{square}",
        f"np.linalg.slogdet{square}[1]",
        f"np.linalg.solve({square}, {p.name()})",
        f"np.linalg.norm({a}, axis={p.pick(None, 0, 1)})",
        f"np.linalg.det({a})",
        f"np.linalg.matrix_power({a}, {p.pick(0, 2, 3)})",
    )


def _arranged(p: _Pool) -> str:
    a, b = p.name(), p.name()
    shape = p.known[a].shape
    return p.pick(
        f"{a}.T",
        f"{a}.ravel()",
        f"{a}.reshape({shape[::-1]})",
        f"np.stack([{a}, {b}], axis={p.axis(a)})",
        f"np.concatenate([{a}, {b}], axis={p.axis(a)})",
        f"np.triu({p.name(2)})",
        f"np.diag({a})",
        f"np.diagonal({a}, {p.pick(-1, 0, 1)})",
        f"np.expand_dims({a}, {p.axis(a)})",
        f"np.squeeze({a})",
        f"np.append({a}, {b})",
        f"np.broadcast_to({a}, {(2, *shape)})",
        f"np.convolve({a}, {b})",
        f"np.rot90({a})",
        f"np.clip({a}, -0.5, {p.pick(0.7, b)})",
    )


_OPERATIONS: tuple[Callable[[_Pool], str], ...] = (
    *(_unary, _binary, _where, _reduced, _quantile, _logsumexp, _running, _sorted, _order, _pad),
    *(_copies, _indexed, _indexed, _computed, _computed, _products, _matrices, _arranged),
)


def program(rng: np.random.Generator) -> Program:
    """A random program of two to five operations, which NumPy computes."""
    shapes = [tuple(map(int, rng.choice(_SIZES, rng.integers(1, 3)))) for _ in range(2)]
    if rng.random() < 0.4:
        shapes[1] = shapes[0]
    x, y = (rng.normal(size=s).round(3) for s in shapes)
    known: dict[str, Any] = {"x": x, "y": y}
    pool = _Pool(rng, known)
    lines: list[str] = []
    wanted = int(rng.integers(2, 6))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(100):
            try:
                line = _OPERATIONS[rng.integers(len(_OPERATIONS))](pool)
                value = np.asarray(eval(line, {"np": np}, known))
            except (ValueError, IndexError, TypeError, np.linalg.LinAlgError):
                continue
            # Too large a number has derivatives that differences do not see.
            if value.size > _MOST_ENTRIES or not (np.abs(value) < _LARGEST).all():
                continue
            known[f"t{len(lines)}"] = value
            lines.append(f"t{len(lines)} = {line}")
            if len(lines) >= wanted and value.dtype.kind == "f":
                break
    last = next(n for n in reversed(known) if known[n].dtype.kind == "f")
    return Program((*lines, f"result = {last}"), x, y)


# Comparison ----------------------------------------------------------------------------------


def _differences(p: Program, step: float) -> Array:
    """The derivative by x, by central differences."""
    flat = p.x.ravel()
    columns = []
    for k in range(flat.size):
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[k] += sign * step
            ends.append(np.asarray(p(moved.reshape(p.x.shape), p.y), float))
        columns.append((ends[0] - ends[1]) / (2 * step))
    shape = np.shape(p(p.x, p.y))
    table = np.stack(columns, -1) if columns else np.zeros((*shape, 0))
    return table.reshape(*shape, *p.x.shape)


def _is_close(a: Any, b: Any, tolerance: float) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def disagreements(p: Program) -> list[str]:
    """What differs between eggrad's values and derivatives, and NumPy's."""
    x, y = eg.variable("x", p.x.shape), eg.variable("y", p.y.shape)
    values = {"x": p.x, "y": p.y}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        f = p(x, y)
        if not isinstance(f, eg.Expression):
            return []
        expected = np.asarray(p(p.x, p.y))
        given = {n: v for n, v in values.items() if n in {w.name for w in f.variables}}
        found: dict[str, Any] = {
            "value": f.evaluate(given),
            "compiled value": eg.compile(f)(**given),
        }
        wrong = [
            f"{what}: {np.asarray(v).tolist()} instead of {expected.tolist()}"
            for what, v in found.items()
            if not _is_close(v, expected, 1e-8)
        ]
        modes = {m: eg.derivative(f, x, mode=m) for m in ("forward", "reverse")}
        slopes: dict[str, Any] = {}
        for mode, d in modes.items():
            given = {n: v for n, v in values.items() if n in {w.name for w in d.variables}}
            slopes[mode] = d.evaluate(given)
            slopes[f"compiled {mode}"] = eg.compile(d)(**given)
        fine, coarse = _differences(p, 1e-6), _differences(p, 1e-5)
        # Where differences of two steps differ there is a kink or a jump.
        if _is_close(fine, coarse, 1e-4) and np.isfinite(fine).all():
            slopes = {"differences": fine, **slopes}
        (first, reference), *others = slopes.items()
        wrong += [
            f"{what}: {np.asarray(v).tolist()}, by {first} {np.asarray(reference).tolist()}"
            for what, v in others
            if not _is_close(v, reference, 1e-4 if first == "differences" else 1e-7)
        ]
        function = eg.jacobian(p)(p.x, p.y)
        if not _is_close(function, slopes["reverse"], 1e-7):
            wrong.append(f"eggrad.jacobian: {np.asarray(function).tolist()}")
    return wrong


def _run(count: int, seed: int) -> None:
    refused: dict[str, int] = {}
    wrong, slowest = 0, 0.0
    begun = time.perf_counter()
    for k in range(count):
        p = program(np.random.default_rng((seed, k)))
        started = time.perf_counter()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = disagreements(p)
            found += [f"warned: {w.message}" for w in caught if "Budget" in w.category.__name__]
        except eg.EggradError as error:
            name = f"{type(error).__name__}: {str(error)[:90]}"
            refused[name] = refused.get(name, 0) + 1
            if refused[name] == 1:
                print(f"--- {seed} {k}: {name}\n{p}", flush=True)
            continue
        except (*MISTAKES, RecursionError) as error:
            found = [f"{type(error).__name__}: {error}"]
        taken = time.perf_counter() - started
        if taken > 20:
            found.append(f"took {taken:.0f} s")
        slowest = max(slowest, taken)
        if k % 100 == 99:
            print(f"{k + 1} programs, {wrong} disagree", flush=True)
        if found:
            wrong += 1
            print(f"=== {seed} {k}\n{p}", *found, sep="\n", flush=True)
    taken = time.perf_counter() - begun
    print(f"{count} programs, {wrong} disagree, {taken:.0f} s, the slowest {slowest:.1f} s")
    for name, times in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"{times:5} refused: {name}")


if __name__ == "__main__":
    _run(*map(int, (*sys.argv[1:], "0")[:2]))
