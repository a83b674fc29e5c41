"""An autoregressive model of six lags whose shocks are Student's t, by its coefficients."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

LAGS, NU = 6, 4.0


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    a = np.array([0.5, -0.3, 0.2, 0.1, -0.1, 0.05])
    y = random.standard_t(NU, n + LAGS)
    for t in range(LAGS, n + LAGS):
        y[t] += a @ y[t - LAGS : t][::-1]
    return {"a": a + 0.05 * random.standard_normal(LAGS), "y": y}


def function(ops: Any, a: Any, y: Any) -> Any:
    e = y[LAGS:] - sum(a[k] * y[LAGS - 1 - k : -1 - k] for k in range(LAGS))
    return ops.xp.sum(ops.xp.log(1 + e**2 / NU))


def by_correlation(a: Array, y: Array) -> tuple[float, Array]:
    """NumPy correlates by one dot product for each result, where one operand is short."""
    past = y[:-1]
    e = y[LAGS:] - np.correlate(past, a[::-1])
    q = e * e
    q /= NU
    q += 1
    e /= q
    value = np.add.reduce(np.log(q, out=q))
    g = np.correlate(past, e)[::-1]
    return value, g * (-2 / NU)


def lagged(y: Array) -> Array:
    """The values before, a lag a row, copied; `sliding_window_view` takes 8 µs more."""
    n = len(y) - LAGS
    step = y.itemsize
    return np.ndarray((LAGS, n), y.dtype, y, step * (LAGS - 1), (-step, step)).copy()


def by_windows(a: Array, y: Array) -> tuple[float, Array]:
    """Products of matrices."""
    W = lagged(y)
    e = y[LAGS:] - a.dot(W)
    q = e * e
    q /= NU
    q += 1
    e /= q
    g = W.dot(e)
    g *= -2 / NU
    return np.add.reduce(np.log(q, out=q)), g


def by_slices(a: Array, y: Array) -> tuple[float, Array]:
    """A dot product with each lagged slice."""
    n = len(y) - LAGS
    e = y[LAGS:] - np.correlate(y[:-1], a[::-1])
    q = e * e
    q += NU
    d = e / q
    g = np.array([d.dot(y[LAGS - 1 - k : LAGS - 1 - k + n]) for k in range(LAGS)])
    g *= -2
    q /= NU
    return np.add.reduce(np.log(q, out=q)), g


def hessian(a: Array, y: Array) -> Array:
    W = lagged(y)
    e = a.dot(W)
    np.subtract(y[LAGS:], e, out=e)
    e *= e
    q = e + NU
    np.subtract(NU, e, out=e)
    e /= q
    e /= q
    e *= 2
    return (W * e).dot(W.T)


def hessian_by_correlation(a: Array, y: Array) -> Array:
    """The rows of W are slices of y; for each lag one correlation with weighted values."""
    past = y[:-1]
    n = len(y) - LAGS
    e = np.correlate(past, a[::-1])
    np.subtract(y[LAGS:], e, out=e)
    e *= e
    q = e + NU
    np.subtract(NU, e, out=e)
    e /= q
    e /= q
    e *= 2
    H = np.empty((LAGS, LAGS))
    for k in range(LAGS):
        start = LAGS - 1 - k
        H[k] = np.correlate(past, e * past[start : start + n])[::-1]
    return H


SIZES = (30, 100, 300, 1000)

AUTOREGRESSIVE = unseen(
    "autoregressive",
    "autoregression with Student's t, six lags",
    data,
    {"a": (LAGS,), "y": ("n",)},
    function,
    {
        "gradient": Quantity(
            SIZES,
            {"correlation": by_correlation, "windows": by_windows, "slices": by_slices},
        ),
        "hessian": Quantity(SIZES, {"windows": hessian, "correlation": hessian_by_correlation}),
    },
)
