"""Random programs of NumPy's functions: eggrad's values and derivatives against NumPy's.

`python -m tests.cases.random_programs COUNT SEED` runs many and prints what disagrees, what is
refused, and what takes 20 seconds or ends with a `BudgetWarning`.

Of every program the compiled value is compared with NumPy's; and with central differences, where
those to both sides agree, and else with each other, the derivative by forward mode, evaluated as it
was found, and that by reverse mode, compiled. Of every fourth program, and in tests, also the value
evaluated, each mode in the other way, and the function that `eggrad.jacobian` makes, which chooses
among what both modes find.
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
# One program of so many is compared in every way.
_THOROUGH = 4
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
        *("rint", "sinc", "arcsinh", "log2", "exp2", "deg2rad", "nan_to_num", "trunc", "sinh"),
    )
    if one in {"log1p", "sqrt", "log", "reciprocal", "cbrt", "log2"}:
        return f"np.{one}({a}**2 + 0.5)"
    return f"np.{one}({a})"


def _binary(p: _Pool) -> str:
    a, b = p.name(), p.name()
    one = p.pick(
        *("+", "-", "*", "/", "maximum", "minimum", "logaddexp", "hypot", "arctan2", "**"),
        *("fmax", "fmin", "copysign", "heaviside", "mod", "floor_divide", "fmod"),
    )
    if one in "+-*":
        return f"{a} {one} {b}"
    if one == "/":
        return f"{a} / ({b}**2 + 1)"
    if one == "**":
        return f"({a}**2 + 0.5) ** {b}"
    return f"np.{one}({a}, {b})"


def _where(p: _Pool) -> str:
    a, b, c = p.name(), p.name(), p.name()
    test = f"{c} {p.pick('<', '>', '<=', '>=')} {p.pick(a, b, 0, 1)}"
    return p.pick(
        f"np.where({test}, {a}, {b})",
        f"np.where({test}, {a}, {b})",
        f"np.select([{test}, {a} > 1], [{a}, {b}], 2)",
        f"({test}) * {a}",
        f"np.sum({a}, axis={p.axis(a)}, where={a} > {p.pick(0, b)})",
        f"np.max({a}, axis={p.axis(a)}, where={a} > {p.pick(0, b)}, initial={p.pick(0, -9)})",
    )


def _reduced(p: _Pool) -> str:
    a = p.name()
    one = p.pick("sum", "mean", "max", "min", "prod", "var", "ptp", "median", "std")
    axis = p.pick(None, p.axis(a), p.axis(a), p.axis(a), (0, 1))
    return f"np.{one}({a}, axis={axis}, keepdims={p.pick(True, False)})"


def _without_nan(p: _Pool) -> str:
    a = p.name()
    one = p.pick("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nancumsum")
    # Not at 0, where slopes are infinite.
    return f"np.{one}(np.{p.pick('sqrt', 'log')}({a} + {p.pick(0.1, -0.1)}), axis={p.axis(a)})"


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
    mode = p.pick("constant", "edge", "reflect", "wrap", "symmetric", "mean", "maximum", "minimum")
    known = p.pick("", f", constant_values={p.pick(2, (1, -1))}") if mode == "constant" else ""
    widths = [p.pick((0, 0), (1, 0), (0, 2)) for _ in p.known[a].shape]
    return f"np.pad({a}, {p.pick(1, (0, 1), (2, 0), widths)}, mode={mode!r}{known})"


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
        f"np.insert({a}, {p.pick(0, -1, [0, 0])}, {p.pick(5, a)}, axis={k})",
        f"np.compress({[bool(b) for b in p.rng.random(size) < 0.6]}, {a}, axis={k})",
        f"np.resize({a}, {p.pick(3, (2, 3), 5)})",
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
        f"np.einsum('ii->i', {a})",
        f"np.einsum('ij,jk,k->i', {a}, {b}, {p.name()})",
        f"np.einsum('...i,...i', {a}, {b})",
        f"np.einsum('i,j,k->kji', {a}, {b}, {a})",
        f"np.kron({a}, {b})",
        f"np.vecdot({a}, {b})",
        f"np.cross({a}, {b})",
        f"np.inner({a}, {b})",
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
        f"np.linalg.slogdet({a})[1]",
        f"np.linalg.eigh{square}[0]",
        f"np.linalg.svd({a}, compute_uv=False)",
        f"np.linalg.pinv({a})",
        f"np.linalg.norm({a}, {p.pick('None', '1', '2', 'np.inf', repr('fro'), repr('nuc'))})",
        f"np.cov({a}{p.pick('', ', rowvar=False', ', bias=True')})",
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
        f"np.swapaxes({a}, 0, -1)",
        f"np.vstack([{a}, {b}])",
        f"np.hstack([{a}, {b}])",
        f"np.array_split({a}, 2, axis={p.axis(a)})[{p.pick(0, 1)}]",
        f"np.tril({p.name(2)}, {p.pick(-1, 1)})",
    )


def _sampled(p: _Pool) -> str:
    """Functions of samples along an axis."""
    a, b = p.name(), p.name()
    k = p.axis(a)
    return p.pick(
        f"np.interp({a}, [-1, 0, 0.5], {p.pick([3, 1, 2], [0, 0, 1])})",
        f"np.trapezoid({a}, axis={k})",
        f"np.gradient({a}, axis={k})",
        f"np.average({a}, axis={k}, weights={b}**2 + 1)",
        f"np.polyval({a}, {b})",
        f"np.ediff1d({a})",
        f"np.vander({a}, {p.pick(0, 2, 3)})",
        f"np.correlate({a}, {b}, {p.pick('full', 'same', 'valid')!r})",
        f"np.searchsorted([-1, 0, 0.5], {a})",
        f"np.argsort(np.rint({a}), axis={k})",
        f"np.sort(np.rint({a}), axis={k})",
        f"np.max(np.rint({a}) * {b}, axis={k})",
        f"np.count_nonzero({a} > 0, axis={k})",
    )


_OPERATIONS: tuple[Callable[[_Pool], str], ...] = (
    *(_unary, _binary, _where, _reduced, _quantile, _logsumexp, _running, _sorted, _order, _pad),
    *(_copies, _indexed, _indexed, _computed, _computed, _products, _matrices, _arranged),
    *(_without_nan, _sampled),
)


def program(rng: np.random.Generator) -> Program:
    """A random program of two to five operations, which NumPy computes."""
    shapes = [tuple(map(int, rng.choice(_SIZES, rng.integers(1, 3)))) for _ in range(2)]
    if rng.random() < 0.4:
        shapes[1] = shapes[0]
    # Of whole numbers some are equal.
    digits = 0 if rng.random() < 0.15 else 3
    x, y = (rng.normal(size=s).round(digits) + 0.0 for s in shapes)
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
            except (ValueError, IndexError, TypeError, ArithmeticError):
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


def _differences(p: Program, step: float) -> tuple[Array, Array]:
    """The derivative by x, by central differences; and how far those of the two sides differ."""
    flat = p.x.ravel()
    middle = np.asarray(p(p.x, p.y), float)
    columns: list[Array] = [np.zeros((*middle.shape, 0))]
    bends = [*columns]
    for k in range(flat.size):
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[k] += sign * step
            ends.append(np.asarray(p(moved.reshape(p.x.shape), p.y), float))
        columns.append(((ends[0] - ends[1]) / (2 * step))[..., None])
        bends.append(((ends[0] + ends[1] - 2 * middle) / step)[..., None])
    shape = (*middle.shape, *p.x.shape)
    return np.concatenate(columns, -1).reshape(shape), np.concatenate(bends, -1).reshape(shape)


def _is_close(a: Any, b: Any, tolerance: float) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def disagreements(p: Program, thorough: bool = True) -> list[str]:
    """What differs between values and derivatives of eggrad and NumPy; `thorough` as said above."""
    x, y = eg.variable("x", p.x.shape), eg.variable("y", p.y.shape)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        f = p(x, y)
        if not isinstance(f, eg.Expression):
            return []
        expected = np.asarray(p(p.x, p.y))
        found = {"compiled value": _compiled(f, p)}
        if thorough:
            found["value"] = f.evaluate(_given(f, p))
        wrong = [
            f"{what}: {np.asarray(v).tolist()} instead of {expected.tolist()}"
            for what, v in found.items()
            if not _is_close(v, expected, 1e-8)
        ]
        forward, reverse = (eg.derivative(f, x, mode=m) for m in ("forward", "reverse"))
        slopes: dict[str, Any] = {
            "forward": forward.evaluate(_given(forward, p)),
            "compiled reverse": _compiled(reverse, p),
        }
        if thorough:
            slopes["reverse"] = reverse.evaluate(_given(reverse, p))
            slopes["compiled forward"] = _compiled(forward, p)
            slopes["eggrad.jacobian"] = eg.jacobian(p)(p.x, p.y)
        central, bends = _differences(p, 1e-6)
        # Where the two sides differ there is a kink, a tie or a jump.
        if _is_close(bends, 0 * central, 1e-4 * (1 + np.abs(central).max(initial=0))):
            slopes = {"differences": central, **slopes}
        (first, reference), *others = slopes.items()
        wrong += [
            f"{what}: {np.asarray(v).tolist()}, by {first} {np.asarray(reference).tolist()}"
            for what, v in others
            if not _is_close(v, reference, 1e-4 if first == "differences" else 1e-7)
        ]
    return wrong


def _given(f: eg.Expression, p: Program) -> dict[str, Any]:
    """The values of the variables of an expression."""
    names = {v.name for v in f.variables}
    return {n: v for n, v in p.arguments if n in names}


def _compiled(f: eg.Expression, p: Program) -> Any:
    return eg.compile(f)(**_given(f, p))


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
                found = disagreements(p, thorough=k % _THOROUGH == 0)
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
