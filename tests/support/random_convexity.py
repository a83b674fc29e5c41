"""Random scalar functions, and chords that contradict what is said of them."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.frontend.interface.convexity import Convexity

_UNARY: Final[tuple[Callable[[Any], Any], ...]] = (
    np.exp,
    np.log,
    np.sqrt,
    np.square,
    np.abs,
    lambda a: np.maximum(a, 0),
    lambda a: 1 / a,
    lambda a: a**1.5,
    lambda a: a**-0.5,
    lambda a: a**3,
    lambda a: np.log(1 + np.exp(a)),
    lambda a: 1 / (1 + np.exp(-a)),
    np.tanh,
    np.sin,
)
_BINARY: Final[tuple[Callable[[Any, Any], Any], ...]] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: np.log(np.exp(a) + np.exp(b)),
    lambda a, b: np.sqrt(a**2 + b**2),
    np.maximum,
    np.minimum,
)
_WORDS: Final = ((), ("positive",), ("nonnegative",))


def random_function(rng: np.random.Generator) -> tuple[eg.Expression, list[eg.Expression]]:
    """A scalar made of two variables, which may be declared positive, and of numbers."""
    words = _WORDS[int(rng.integers(len(_WORDS)))]
    known = [eg.variable(name, (), words) for name in "xy"]

    def made(depth: int) -> Any:
        if depth == 0 or rng.random() < 0.15:
            a, b = (int(k) for k in rng.integers(-2, 4, size=2))
            x = known[int(rng.integers(2))]
            return x if rng.random() < 0.5 else a * x + b
        if rng.random() < 0.5:
            return _UNARY[int(rng.integers(len(_UNARY)))](made(depth - 1))
        left, right = made(depth - 1), made(depth - 1)
        return _BINARY[int(rng.integers(len(_BINARY)))](left, right)

    f = made(int(rng.integers(1, 4)))
    return f, known


def contradiction(
    f: eg.Expression,
    known: list[eg.Expression],
    found: Convexity,
    rng: np.random.Generator,
    count: int = 200,
) -> str:
    """A chord that says otherwise, if there is one."""
    positive = bool(known[0].term.assumed)
    f_of = eg.compile(f)

    def at(point: np.ndarray[Any, Any], of: Callable[..., Any] = f_of) -> float:
        named: dict[str, Any] = dict(zip("xy", point, strict=True))
        with np.errstate(all="ignore"):
            return float(of(**{v.name: named[v.name] for v in f.variables}))

    def literally(**values: Any) -> Any:
        return oracle.value(f.term, {name: np.asarray(v) for name, v in values.items()})

    for _ in range(count):
        scale = 10.0 ** rng.integers(-2, 2)
        ends = rng.normal(size=(2, 2)) * scale + rng.normal(size=2)
        ends = np.abs(ends) + 1e-3 if positive else ends
        w = float(rng.choice([0.5, 0.1, 0.9, rng.uniform()]))
        a, b, middle = at(ends[0]), at(ends[1]), at(w * ends[0] + (1 - w) * ends[1])
        gap = w * a + (1 - w) * b - middle
        noise = 1e-7 * (abs(a) + abs(b) + abs(middle) + 1e-12)
        if not np.isfinite([a, b, middle]).all() or abs(gap) < noise:
            continue
        if (gap < 0 and found.status in ("convex", "affine")) or (
            gap > 0 and found.status in ("concave", "affine")
        ):
            # Code may be defined at more values than what was written.
            points = (ends[0], ends[1], w * ends[0] + (1 - w) * ends[1])
            if not np.isfinite([at(p, literally) for p in points]).all():
                continue
            return f"{found.status}, but at {ends.tolist()} with {w} the gap is {gap}"
    return ""
