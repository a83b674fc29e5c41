"""Special functions, each declared by its derivative, as functions of one's own are.

Sources: NIST Digital Library of Mathematical Functions (DLMF), https://dlmf.nist.gov, by number;
Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, by number. Values are SciPy's.
"""

from collections.abc import Callable
from math import factorial, inf, pi, sqrt
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression.functions import exp, sign, softplus
from eggrad.frontend.expression.functions import log as logarithm
from eggrad.frontend.expression.own_functions import function

__all__ = [
    "arccosh", "arcsinh", "arctan2", "beta", "betaln", "digamma", "entr", "erf", "erfc",
    "erfinv", "expit", "gamma", "gammaln", "i0", "i0e", "i1", "i1e", "kl_div", "log_expit",
    "log_ndtr", "logit", "ndtr", "ndtri", "polygamma", "rel_entr", "sinc", "softplus", "xlog1py",
    "xlogy",
]  # fmt: skip


def _scipy(name: str) -> Callable[..., Any]:
    """A function of `scipy.special`, looked up when it is called."""

    def call(*args: Any) -> Any:
        try:
            from scipy import special
        except ModuleNotFoundError:
            raise UnsupportedOperation(
                f"values of {name} need SciPy: pip install 'eggrad[scipy]'"
            ) from None
        return getattr(special, name)(*args)

    call.__name__, call.__module__ = name, "scipy.special"
    return call


# Error functions and the normal distribution -----------------------------------------------

erf = function(
    "erf",
    derivative=lambda a: 2 / sqrt(pi) * exp(-a * a),
    evaluate=_scipy("erf"),
    latex=r"\operatorname{erf}",
    parity="odd",
    monotone="increasing",
    range=(-1, 1),
    source="DLMF 7.10.1",
)
erfc = function(
    "erfc",
    derivative=lambda a: -2 / sqrt(pi) * exp(-a * a),
    evaluate=_scipy("erfc"),
    latex=r"\operatorname{erfc}",
    monotone="decreasing",
    range=(0, 2),
    source="DLMF 7.10.1",
)
erfinv = function(
    "erfinv",
    derivative=lambda a: sqrt(pi) / 2 * exp(erfinv(a) ** 2),
    evaluate=_scipy("erfinv"),
    parity="odd",
    monotone="increasing",
    domain=(-1, 1),
    source="DLMF 7.17.1",
)
ndtr = function(
    "ndtr",
    derivative=lambda a: 1 / sqrt(2 * pi) * exp(-a * a / 2),
    evaluate=_scipy("ndtr"),
    latex=r"\Phi",
    monotone="increasing",
    range=(0, 1),
    source="Abramowitz, Stegun 26.2.1",
)
ndtri = function(
    "ndtri",
    derivative=lambda a: sqrt(2 * pi) * exp(ndtri(a) ** 2 / 2),
    evaluate=_scipy("ndtri"),
    latex=r"\Phi^{-1}",
    monotone="increasing",
    domain=(0, 1),
    source="Abramowitz, Stegun 26.2.1",
)


def _normal_hazard(x: Array) -> Array:
    """The density over the distribution function: √(2/π) / erfcx(-x/√2)."""
    return sqrt(2 / pi) / _scipy("erfcx")(-np.asarray(x) / sqrt(2))


# From here on the series of the hazard loses fewer digits than the difference.
FAR: Final = 30.0


def _slope_of_hazard(x: Array) -> Array:
    """The slope -h·(x + h), which cancels far below 0: there by the series of h, DLMF 7.12.1."""
    x = np.asarray(x, float)
    h = _normal_hazard(x)
    u = np.minimum(x, -FAR) ** -2
    series = -1 + u * (1 + u * (-6 + u * (50 + u * (-518 + u * 6354))))
    return np.where(x < -FAR, series, -h * (x + h))


_hazard_slope = function(
    "normal_hazard_slope",
    derivative=lambda a: -_hazard_slope(a) * (a + _hazard(a)) - _hazard(a) * (1 + _hazard_slope(a)),
    evaluate=_slope_of_hazard,
    range=(-1, 0),
    source="h' = -h (x + h)",
)
_hazard = function(
    "normal_hazard",
    derivative=_hazard_slope,
    evaluate=_normal_hazard,
    monotone="decreasing",
    range=(0, inf),
    source="Abramowitz, Stegun 26.2.1",
)
log_ndtr = function(
    "log_ndtr",
    derivative=_hazard,
    evaluate=_scipy("log_ndtr"),
    latex=r"\log\Phi",
    monotone="increasing",
    range=(-inf, 0),
    source="Abramowitz, Stegun 26.2.1",
)

# The gamma function ------------------------------------------------------------------------

polygamma = function(
    "polygamma",
    derivative=(None, lambda n, a: polygamma(n + 1, a)),
    evaluate=_scipy("polygamma"),
    latex=r"\psi^{{\left({}\right)}}\left({}\right)",
    source="DLMF 5.15.1",
)
digamma = function(
    "digamma",
    derivative=lambda a: polygamma(1, a),
    evaluate=_scipy("digamma"),
    latex=r"\psi",
    source="DLMF 5.15.1",
)
gammaln = function(
    "gammaln",
    derivative=digamma,
    evaluate=_scipy("gammaln"),
    latex=r"\log\left|\Gamma\left({}\right)\right|",
    source="DLMF 5.2.2",
)
gamma = function(
    "gamma",
    derivative=lambda a: gamma(a) * digamma(a),
    evaluate=_scipy("gamma"),
    latex=r"\Gamma",
    source="DLMF 5.2.2",
)
beta = function(
    "beta",
    derivative=(
        lambda a, b: beta(a, b) * (digamma(a) - digamma(a + b)),
        lambda a, b: beta(a, b) * (digamma(b) - digamma(a + b)),
    ),
    evaluate=_scipy("beta"),
    latex=r"\operatorname{B}",
    source="DLMF 5.12.1",
)
betaln = function(
    "betaln",
    derivative=(
        lambda a, b: digamma(a) - digamma(a + b),
        lambda a, b: digamma(b) - digamma(a + b),
    ),
    evaluate=_scipy("betaln"),
    latex=r"\log\operatorname{B}",
    source="DLMF 5.12.1",
)

# The logistic function ---------------------------------------------------------------------

expit = function(
    "expit",
    derivative=lambda a: expit(a) * expit(-a),
    evaluate=_scipy("expit"),
    latex=r"\sigma",
    monotone="increasing",
    range=(0, 1),
    source="its definition, 1 / (1 + exp(-x))",
)
logit = function(
    "logit",
    derivative=lambda a: 1 / (a * (1 - a)),
    evaluate=_scipy("logit"),
    monotone="increasing",
    domain=(0, 1),
    source="its definition, log(x / (1 - x))",
)
log_expit = function(
    "log_expit",
    derivative=lambda a: expit(-a),
    evaluate=_scipy("log_expit"),
    latex=r"\log\sigma",
    monotone="increasing",
    range=(-inf, 0),
    source="its definition, -log(1 + exp(-x))",
)


# Entropies ---------------------------------------------------------------------------------

xlogy = function(
    "xlogy",
    derivative=(lambda a, b: logarithm(b), lambda a, b: a / b),
    evaluate=_scipy("xlogy"),
    source="its definition, x log(y), and 0 for x = 0",
)
xlog1py = function(
    "xlog1py",
    derivative=(lambda a, b: logarithm(1 + b), lambda a, b: a / (1 + b)),
    evaluate=_scipy("xlog1py"),
    source="its definition, x log(1 + y), and 0 for x = 0",
)
entr = function(
    "entr",
    derivative=lambda a: -logarithm(a) - 1,
    evaluate=_scipy("entr"),
    domain=(0, inf),
    source="its definition, -x log(x), and 0 for x = 0",
)
rel_entr = function(
    "rel_entr",
    derivative=(lambda a, b: logarithm(a / b) + 1, lambda a, b: -a / b),
    evaluate=_scipy("rel_entr"),
    domain=(0, inf),
    source="its definition, x log(x / y), and 0 for x = 0",
)
kl_div = function(
    "kl_div",
    derivative=(lambda a, b: logarithm(a / b), lambda a, b: 1 - a / b),
    evaluate=_scipy("kl_div"),
    domain=(0, inf),
    range=(0, inf),
    source="its definition, x log(x / y) - x + y",
)

# Modified Bessel functions -----------------------------------------------------------------

_iv = function(
    "iv",
    derivative=(None, lambda n, a: (_iv(n - 1, a) + _iv(n + 1, a)) / 2),
    evaluate=_scipy("iv"),
    latex=r"I_{{{}}}\left({}\right)",
    source="DLMF 10.29.1",
)
_ive = function(
    "ive",
    derivative=(
        None,
        lambda n, a: (_ive(n - 1, a) + _ive(n + 1, a)) / 2 - sign(a) * _ive(n, a),
    ),
    evaluate=_scipy("ive"),
    source="DLMF 10.29.1, and the factor exp(-|x|)",
)
i1 = function(
    "i1",
    derivative=lambda a: (i0(a) + _iv(2, a)) / 2,
    evaluate=_scipy("i1"),
    latex="I_1",
    parity="odd",
    monotone="increasing",
    source="DLMF 10.29.1",
)
i0 = function(
    "i0",
    derivative=i1,
    evaluate=_scipy("i0"),
    latex="I_0",
    parity="even",
    range=(1, inf),
    source="DLMF 10.29.3",
)
i0e = function(
    "i0e",
    derivative=lambda a: i1e(a) - sign(a) * i0e(a),
    evaluate=_scipy("i0e"),
    parity="even",
    range=(0, 1),
    source="DLMF 10.29.3, and the factor exp(-|x|)",
)
i1e = function(
    "i1e",
    derivative=lambda a: (i0e(a) + _ive(2, a)) / 2 - sign(a) * i1e(a),
    evaluate=_scipy("i1e"),
    parity="odd",
    range=(-1, 1),
    source="DLMF 10.29.1, and the factor exp(-|x|)",
)

# Inverse hyperbolic functions, angles, sinc ------------------------------------------------

arcsinh = function(
    "arcsinh",
    derivative=lambda a: (1 + a**2) ** -0.5,
    evaluate=np.arcsinh,
    latex=r"\operatorname{arsinh}",
    parity="odd",
    monotone="increasing",
    source="DLMF 4.40.17",
)
arccosh = function(
    "arccosh",
    derivative=lambda a: ((a - 1) * (a + 1)) ** -0.5,
    evaluate=np.arccosh,
    latex=r"\operatorname{arcosh}",
    monotone="increasing",
    range=(0, inf),
    domain=(1, inf),
    source="DLMF 4.40.18",
)
arctan2 = function(
    "arctan2",
    derivative=(lambda a, b: b / (a**2 + b**2), lambda a, b: -a / (a**2 + b**2)),
    evaluate=np.arctan2,
    range=(-pi, pi),
    source="the slopes of the angle of the point (b, a)",
)


def _sinc_derivative(order: Array, x: Array) -> Array:
    """The derivative of sin(πx)/(πx): ∫₀¹ (πt)ⁿ cos(πxt + nπ/2) dt, by parts, or by its series."""
    n, z = np.broadcast_arrays(np.asarray(order, float), pi * np.asarray(x, float))
    result = np.zeros(z.shape)
    for k in np.unique(n).astype(int):
        own = n == k
        near = own & (np.abs(z) < k + 3)
        result[near] = pi**k * _sinc_series(k, z[near])
        result[own & ~near] = pi**k * _sinc_by_parts(k, z[own & ~near])
    return result


def _sinc_series(order: int, z: Array) -> Array:
    """Σ (-1)^j z^(2j - n) (2j)! / ((2j - n)! (2j + 1)!), from the first power that is left."""
    total = np.zeros_like(z)
    for j in range((order + 1) // 2, order + 30):
        power = 2 * j - order
        total += (-1) ** j * z**power / (factorial(power) * (2 * j + 1))
    return total


def _sinc_by_parts(order: int, z: Array) -> Array:
    """d_n = (sin(z + nπ/2) - n d_(n-1)) / z, from d_0 = sin(z) / z."""
    found = np.sin(z) / z
    for k in range(1, order + 1):
        found = (np.sin(z + k * pi / 2) - k * found) / z
    return found


_sinc_n = function(
    "sinc_n",
    derivative=(None, lambda n, a: _sinc_n(n + 1, a)),
    evaluate=_sinc_derivative,
    latex=r"\operatorname{{sinc}}^{{\left({}\right)}}\left({}\right)",
    source="DLMF 10.49.3, derivatives of the spherical Bessel function of order 0",
)
sinc = function(
    "sinc",
    derivative=lambda a: _sinc_n(1, a),
    evaluate=np.sinc,
    parity="even",
    range=(-0.22, 1),
    source="its definition, sin(πx) / (πx)",
)
