"""Functions of data, polynomials, choices and methods: as of arrays."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.numpy_cases import M, R, check_slopes, check_values, v, w

xp = np.array([0, 0.5, 1.0, 1.7, 2.2])
fp = np.array([1.0, 3, 2, 5, 4])

Case = tuple[Callable[[Any], Any], Any]

CASES: dict[str, Case] = {
    "nanvar ddof": (lambda x: np.nanvar(x, axis=0, ddof=1), R),
    "nancumsum": (lambda x: np.nancumsum(x, axis=1), R),
    "nancumprod": (np.nancumprod, v),
    "nan_to_num": (np.nan_to_num, v),
    "nanmean where": (lambda x: np.nanmean(x, where=R > 1), R),
    "nanmax init": (lambda x: np.nanmax(x, axis=0, initial=1.5), R),
    "cov": (np.cov, R),
    "cov v": (np.cov, v),
    "cov y": (lambda x: np.cov(x, w), v),
    "cov rv": (lambda x: np.cov(x, rowvar=False), R),
    "cov bias": (lambda x: np.cov(x, bias=True), R),
    "cov ddof": (lambda x: np.cov(x, ddof=2), R),
    "cov fw": (lambda x: np.cov(x, fweights=[1, 2, 1, 3]), R),
    "cov aw": (lambda x: np.cov(x, aweights=R[0]), R),
    "cov faw": (lambda x: np.cov(x, aweights=R[0], fweights=[1, 2, 1, 3]), R),
    "corrcoef": (np.corrcoef, R),
    "corr xy": (lambda x: np.corrcoef(x, w), v),
    "gradient": (np.gradient, v),
    "gradient h": (lambda x: np.gradient(x, 0.1), v),
    "gradient c": (lambda x: np.gradient(x, np.cumsum(w)), v),
    "gradient 2": (np.gradient, R),
    "gradient ax": (lambda x: np.gradient(x, 0.5, axis=1, edge_order=2), R),
    "gradient cx": (lambda x: np.gradient(w, np.cumsum(x)), v),
    "grad c2": (lambda x: np.gradient(x, np.cumsum(w), edge_order=2), v),
    "gradient xy": (lambda x: np.gradient(x, 0.5, 2.0), R),
    "gradient tup": (lambda x: np.gradient(x, axis=(1, 0)), R),
    "gradient 1ax": (lambda x: np.gradient(x, axis=(1,)), R),
    "trapezoid": (lambda x: np.trapezoid(x**2, dx=0.1), v),
    "trapezoid x": (lambda x: np.trapezoid(x, np.cumsum(w)), v),
    "trapezoid ax": (lambda x: np.trapezoid(x, np.cumsum(R[:, 0]), axis=0), R),
    "trapezoid 2": (lambda x: np.trapezoid(R, x, axis=0), R),
    "trapezoid xx": (lambda x: np.trapezoid(w, x), v),
    "interp": (lambda x: np.interp(x, xp, fp), v),
    "interp out": (lambda x: np.interp(3 * x - 1, xp, fp), R),
    "interp lr": (lambda x: np.interp(3 * x - 1, xp, fp, left=-1.0, right=9.0), v),
    "interp fp": (lambda x: np.interp(w, np.arange(6) / 2, x), v),
    "interp xp": (lambda x: np.interp([1.0, 2.0], np.cumsum(x), fp), v[:5]),
    "interp per": (lambda x: np.interp(3 * x, xp, fp, period=2.5), v),
    "interp scal": (lambda x: np.interp(x[0], xp, fp), v),
    "unwrap": (lambda x: np.unwrap(x * 7), v),
    "unwrap ax": (lambda x: np.unwrap(x * 5, axis=0, period=3.0), R),
    "polyval": (lambda x: np.polyval([1.0, 2.0, 3.0], x), R),
    "polyval p": (lambda x: np.polyval(x, 1.5), v),
    "polyval px": (lambda x: np.polyval(x, R), v),
    "polyadd": (lambda x: np.polyadd(x, [1.0, 2.0]), v),
    "polysub": (lambda x: np.polysub([1.0, 2.0], x), v),
    "polymul": (lambda x: np.polymul(x, [1.0, 2.0]), v),
    "polyder": (np.polyder, v),
    "polyder2": (lambda x: np.polyder(x, 2), v),
    "polyint": (np.polyint, v),
    "polyint2": (lambda x: np.polyint(x, 2, k=[3.0, 4.0]), v),
    "poly": (np.poly, v[:4]),
    "polyfit": (lambda x: np.polyfit(np.arange(6), x, 2), v),
    "polyfit w": (lambda x: np.polyfit(np.arange(6), x, 2, w=w), v),
    "pp.polyval": (lambda x: np.polynomial.polynomial.polyval(x, [1.0, 2.0, 3.0]), v),
    "vander": (lambda x: np.vander(x, 3), v),
    "vander inc": (lambda x: np.vander(x, increasing=True), v[:4]),
    "cross": (lambda x: np.cross(x, w[:3]), v[:3]),
    "cross R": (lambda x: np.cross(x[:, :3], M[:3, :3]), R),
    "cross r": (lambda x: np.cross(w[:3], x), v[:3]),
    "linalg.cross": (lambda x: np.linalg.cross(x, w[:3]), v[:3]),
    "cross ax": (lambda x: np.cross(x, R, axis=0), R),
    "cross abc": (lambda x: np.cross(x, R, axisa=0, axisb=0, axisc=0), R),
    "select": (lambda x: np.select([x < 0.7, x < 1.2], [x**2, 3 * x], default=1.0), v),
    "select 0": (lambda x: np.select([x < 0.7, w < 1.2], [x**2, w]), v),
    "piecewise": (lambda x: np.piecewise(x, [x < 1, x >= 1], [lambda t: t, lambda t: t**2]), v),
    "piecewise d": (
        lambda x: np.piecewise(x, [x < 0.7, x > 1.2], [-1.0, lambda t: t**2, lambda t: t + 1]),
        v,
    ),
    "piecewise o": (
        lambda x: np.piecewise(x, [x > 0.5, x > 1], [lambda t, a: t * a, lambda t, a: t**2], 3),
        v,
    ),
    "piecewise s": (lambda x: np.piecewise(x, x > 1, [lambda t: t * 2]), v),
    "choose": (lambda x: np.choose([0, 1, 2, 1, 0, 2], [x, x**2, w]), v),
    "choose clip": (lambda x: np.choose(np.array([0, 5, 2]), [x[:3], x[3:]], mode="clip"), v),
    "searchsorted": (lambda x: np.searchsorted(xp, x) * x, v),
    "digitize": (lambda x: np.digitize(x, xp) * x, v),
    "digitize r": (lambda x: np.digitize(x, xp[::-1], right=True) * x, v),
    "round": (lambda x: np.round(x) * x, v),
    "round 1": (lambda x: np.round(x, 1) * x, v),
    "around": (lambda x: np.around(10 * x, -1) * x, v),
    "x.round": (lambda x: x.round(2) * x, v),
    "round()": (
        lambda x: round(x, 2) * x if not isinstance(x, np.ndarray) else np.round(x, 2) * x,
        v,
    ),
    "fix": (lambda x: np.fix(x - 1) * x, v),
    "real": (np.real, v),
    "imag": (lambda x: np.imag(x) + x, v),
    "angle": (lambda x: np.angle(x - 1) * x, v),
    "angle d": (lambda x: np.angle(x - 1, deg=True) * x, v),
    "x.real": (lambda x: x.real + x.imag, v),
    "x.conj": (lambda x: x.conj(), v),
    "iscomplexobj": (lambda x: x if not np.iscomplexobj(x) else 0 * x, v),
    "iscomplex": (lambda x: x[0] if np.iscomplex(np.sum(x)) else np.sum(x), v),
    "isreal": (lambda x: np.where(np.isreal(x), x, 0), v),
    "isclose": (lambda x: np.where(np.isclose(x, w, atol=0.3), x, 0), v),
    "allclose": (lambda x: np.where(np.allclose(x, x), x, 0), v),
    "array_equal": (lambda x: np.where(np.array_equal(x, w), x, 2 * x), v),
    "isin": (lambda x: np.where(np.isin(x, w), x, 2 * x), v),
    "sinc": (np.sinc, v),
    "i0": (np.i0, v),
    "size": (lambda x: x * np.size(x), v),
    "x.size": (lambda x: x * x.size, v),
    "ptp": (lambda x: np.ptp(x, axis=0), R),
    "astype": (lambda x: x.astype(float), v),
    "astype int": (lambda x: (3 * x - 2).astype(int) * x, v),
    "astype int32": (lambda x: np.astype(-3 * x, np.int32) * x, v),
    "astype bool": (lambda x: np.where(x.astype(bool), x, 0), v),
    "dtype": (lambda x: np.zeros(3, dtype=x.dtype) + x[0], v),
    "len": (lambda x: x * len(x), v),
    "iter": (lambda x: sum(k**2 for k in x), R),
    "flat": (lambda x: sum(k**2 for k in x.flat), R),
    "float32": (lambda x: np.float32(2) * x, v),
    "isposinf": (lambda x: np.where(np.isposinf(x), 1, x), v),
    "any m": (lambda x: np.where((x > 1).any(), x, 0), v),
    "x.any": (lambda x: np.where(x.any(), x, 0), v),
    "max m": (lambda x: x.max(axis=0) + x.min(axis=0), R),
    "x.std": (lambda x: x.std(axis=0, ddof=1), R),
}

SLOPES = [
    *("astype int", "astype int32", "astype bool"),
    *("nanvar ddof", "nanmax init", "cov y", "cov faw", "corrcoef", "grad c2", "gradient cx"),
    *("trapezoid 2", "trapezoid xx", "interp lr", "interp fp", "interp xp", "interp per"),
    *("unwrap ax", "polyval px", "polyint2", "polyfit w", "vander inc", "cross R"),
    *("select", "piecewise d", "choose", "digitize", "round 1", "isclose", "sinc", "x.std"),
]


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    check_values(*CASES[name])


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name: str) -> None:
    check_slopes(*CASES[name])


WITHOUT = [np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin]


@pytest.mark.parametrize("function", [*WITHOUT, np.nancumsum, np.nancumprod])
def test_what_is_not_a_number_is_left_out(function: Any) -> None:
    """Neither its value nor its derivative matters."""
    at = np.array([1.0, np.nan, 2.5, np.nan])
    check_values(function, at)
    check_values(function, R)
    slope = eg.grad(lambda x: np.sum(function(x)))(at)
    assert np.isfinite(slope).all()
    assert slope[1] == slope[3] == 0


@pytest.mark.parametrize("function", [np.nanmean, np.nanmax, np.nanmin, np.nansum])
def test_no_number_at_all(function: Any) -> None:
    with nullcontext() if function is np.nansum else pytest.warns(RuntimeWarning):
        check_values(function, np.array([np.nan, np.nan]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: np.interp(x, [1.0, 0.5], [1.0, 2.0]), "the places xp increase"),
        (lambda x: np.interp(x, [0.0, 0.5], [1.0]), "1 values at 2 places"),
        (lambda x: np.cross(x, x), "vectors have 2 or 3 entries"),
        (lambda x: np.gradient(x[:1]), "2 entries are wanted"),
        (lambda x: np.gradient(x, edge_order=3), "edge_order is an integer from 1 to 2"),
        (lambda x: np.piecewise(x, [x > 1], [1, 2, 3]), "3 functions for 1 conditions"),
        (lambda x: np.choose([0, 7], [x, x]), "an entry is none of 2 choices"),
        (lambda x: np.choose(x, [x, x]), "known before values are"),
        (lambda x: np.polyfit(x, x, 1), "known before values are"),
        (lambda x: x.astype(np.int8), "numpy.trunc"),
        (lambda x: x.astype(complex), "real numbers"),
    ],
)
def test_what_is_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        call(eg.variable("x", (6,)))
