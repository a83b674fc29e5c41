"""Special functions, each declared by its derivative, as functions that users declare are.

Sources: NIST Digital Library of Mathematical Functions (DLMF), https://dlmf.nist.gov, by number;
Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, by number. Values are SciPy's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from importlib import import_module
from math import factorial, inf, log, pi, sqrt
from typing import Any, Final

import numpy as np

from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.errors import UnsupportedOperation, not_installed
from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression import functions
from eggrad.frontend.expression.expression import Expression, add, as_expression
from eggrad.frontend.expression.functions import exp, sign, softplus
from eggrad.frontend.expression.functions import log as logarithm
from eggrad.frontend.expression.own_functions import DeclaredFunction, function
from eggrad.frontend.text.doors import checked_integer

__all__ = [
    "arccosh", "arcsinh", "arctan2", "beta", "betainc", "betaln", "digamma", "entr", "erf", "erfc",
    "erfcinv", "erfinv", "expit", "gamma", "gammainc", "gammaincc", "gammaln", "gammasgn", "i0",
    "i0e", "i1", "i1e", "iv", "ive", "j0", "j1", "jv", "kl_div", "log_expit", "log_ndtr", "logit",
    "ndtr", "ndtri", "polygamma", "rel_entr", "rgamma", "sinc", "softplus", "xlog1py", "xlogy",
    "y0", "y1", "yv",
]  # fmt: skip

# SciPy has these beside the functions of entries.
log_softmax, logsumexp, softmax = functions.log_softmax, functions.logsumexp, functions.softmax


# Where other array libraries than NumPy, whose special functions are SciPy's, have theirs.
_MODULES: Final = {
    "numpy": "scipy.special",
    "jax": "jax.scipy.special",
    "torch": "torch.special",
    "cupy": "cupyx.scipy.special",
}
_EVERYWHERE: Final = tuple(_MODULES)
_NOT_TORCH: Final = ("numpy", "jax", "cupy")


def _found(library: str, module: str, name: str) -> Callable[..., Any]:
    """A function of a module, looked up when it is called."""

    def call(*args: Any) -> Any:
        try:
            namespace = import_module(module)
        except ModuleNotFoundError:
            packages = LIBRARIES[library].packages if library in LIBRARIES else ("scipy",)
            raise UnsupportedOperation(not_installed(f"values of {name} need", *packages)) from None
        return getattr(namespace, name)(*args)

    call.__name__, call.__module__ = name, module
    return call


def _scipy(name: str, libraries: Sequence[str] = _EVERYWHERE) -> dict[str, Callable[..., Any]]:
    """The function that SciPy and some array libraries call so."""
    return {library: _found(library, _MODULES[library], name) for library in libraries}


def _of_scipy(name: str, libraries: Sequence[str] = _EVERYWHERE, **known: Any) -> DeclaredFunction:
    """A function whose values SciPy and some array libraries have under the same name."""
    return function(name, evaluate=_scipy(name, libraries), **known)


def _standard(name: str, numpy: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """A function of the array API standard."""

    def call(*args: Any) -> Any:
        array = next(a for a in args if hasattr(a, "__array_namespace__"))
        return getattr(array.__array_namespace__(), name)(*args)

    others = {library: _found(library, module, name) for library, module in _ARRAYS.items()}
    return {"numpy": numpy, **others, "array_api": call}


_ARRAYS: Final = {"jax": "jax.numpy", "torch": "torch", "cupy": "cupy"}


def _by_others(declared: DeclaredFunction) -> DeclaredFunction:
    """A function that `special_laws` defines by others, of which comparing then speaks."""
    return DeclaredFunction(replace(declared.record, composite=True))


# Error functions and the normal distribution -----------------------------------------------

erf = _of_scipy(
    "erf",
    derivative=lambda a: 2 / sqrt(pi) * exp(-a * a),
    latex=r"\operatorname{erf}",
    parity="odd",
    monotone="increasing",
    range=(-1, 1),
    source="DLMF 7.10.1",
    sentence="The error function of every entry.",
)
erfc = _by_others(
    _of_scipy(
        "erfc",
        derivative=lambda a: -2 / sqrt(pi) * exp(-a * a),
        latex=r"\operatorname{erfc}",
        monotone="decreasing",
        range=(0, 2),
        source="DLMF 7.10.1",
        sentence="The complementary error function, 1 - erf(x), of every entry.",
    )
)
erfinv = _of_scipy(
    "erfinv",
    derivative=lambda a: sqrt(pi) / 2 * exp(erfinv(a) ** 2),
    parity="odd",
    monotone="increasing",
    domain=(-1, 1),
    source="DLMF 7.17.1",
    sentence="The inverse of the error function, of every entry.",
)


def _ndtr_of_torch(x: Any) -> Any:
    """By the complement, which keeps the digits of small values."""
    return 0.5 * _found("torch", _MODULES["torch"], "erfc")(-x / sqrt(2))


ndtr = _by_others(
    function(
        "ndtr",
        derivative=lambda a: 1 / sqrt(2 * pi) * exp(-a * a / 2),
        evaluate=_scipy("ndtr", _NOT_TORCH) | {"torch": _ndtr_of_torch},
        latex=r"\Phi",
        monotone="increasing",
        range=(0, 1),
        source="Abramowitz, Stegun 26.2.1",
        sentence="The distribution function of the standard normal distribution, at every entry.",
    )
)
ndtri = _of_scipy(
    "ndtri",
    derivative=lambda a: sqrt(2 * pi) * exp(ndtri(a) ** 2 / 2),
    latex=r"\Phi^{-1}",
    monotone="increasing",
    domain=(0, 1),
    source="Abramowitz, Stegun 26.2.1",
    sentence="The quantile of the standard normal distribution, at every entry.",
)


def _normal_hazard(library: str, x: Any) -> Any:
    """The density over the distribution function: √(2/π) / erfcx(-x/√2)."""
    return sqrt(2 / pi) / _scipy("erfcx")[library](-x / sqrt(2))


# From here on the series of the hazard loses fewer digits than the difference.
FAR: Final = 30.0


def _slope_of_hazard(library: str, x: Any) -> Any:
    """The slope -h·(x + h), which cancels far below 0: there by the series of h, DLMF 7.12.1."""
    xp = np if library == "numpy" else import_module(_ARRAYS[library])
    h = _normal_hazard(library, x)
    far = x < -FAR
    u = xp.where(far, x, -FAR) ** -2
    series = -1 + u * (1 + u * (-6 + u * (50 + u * (-518 + u * 6354))))
    return xp.where(far, series, -h * (x + h))


def _in_each(function: Callable[[str, Any], Any]) -> Mapping[str, Callable[..., Any]]:
    return {library: partial(function, library) for library in _MODULES}


_hazard_slope = function(
    "normal_hazard_slope",
    derivative=lambda a: -_hazard_slope(a) * (a + _hazard(a)) - _hazard(a) * (1 + _hazard_slope(a)),
    evaluate=_in_each(_slope_of_hazard),
    range=(-1, 0),
    source="h' = -h (x + h)",
)
_hazard = function(
    "normal_hazard",
    derivative=_hazard_slope,
    evaluate=_in_each(_normal_hazard),
    monotone="decreasing",
    range=(0, inf),
    source="Abramowitz, Stegun 26.2.1",
)
log_ndtr = _of_scipy(
    "log_ndtr",
    derivative=_hazard,
    latex=r"\log\Phi",
    monotone="increasing",
    range=(-inf, 0),
    curvature="concave",
    source="Abramowitz, Stegun 26.2.1",
    sentence="The logarithm of ndtr, at every entry.",
)

erfcinv = _of_scipy(
    "erfcinv",
    ("numpy", "cupy"),
    derivative=lambda a: -sqrt(pi) / 2 * exp(erfcinv(a) ** 2),
    monotone="decreasing",
    domain=(0, 2),
    source="DLMF 7.17.1",
    sentence="The inverse of the complementary error function, of every entry.",
)

# The gamma function ------------------------------------------------------------------------


def _polygamma_of_jax(n: Any, x: Any) -> Any:
    """The orders are whole numbers, which is what JAX asks for."""
    return _found("jax", _MODULES["jax"], "polygamma")(n.astype(int), x)


def _polygamma_of_torch(n: Any, x: Any) -> Any:
    """By Hurwitz's zeta function, DLMF 25.11.12: PyTorch has one order for all entries."""
    special, xp = import_module(_MODULES["torch"]), import_module("torch")
    others = (-1.0) ** (n + 1) * xp.exp(xp.lgamma(n + 1)) * special.zeta(n + 1, x)
    return xp.where(n == 0, xp.digamma(x), others)


polygamma = function(
    "polygamma",
    derivative=(None, lambda n, a: polygamma(n + 1, a)),
    evaluate=_scipy("polygamma", ("numpy", "cupy"))
    | {"jax": _polygamma_of_jax, "torch": _polygamma_of_torch},
    latex=r"\psi^{{\left({}\right)}}\left({}\right)",
    source="DLMF 5.15.1",
    sentence="The derivative of digamma of order a, at every entry b.",
)
digamma = _of_scipy(
    "digamma",
    derivative=lambda a: polygamma(1, a),
    latex=r"\psi",
    source="DLMF 5.15.1",
    sentence="The slope of gammaln, the digamma function, of every entry.",
)
gammaln = _of_scipy(
    "gammaln",
    derivative=digamma,
    latex=r"\log\left|\Gamma\left({}\right)\right|",
    source="DLMF 5.2.2",
    sentence="The logarithm of the absolute value of the gamma function, of every entry.",
)
gamma = _of_scipy(
    "gamma",
    _NOT_TORCH,
    derivative=lambda a: gamma(a) * digamma(a),
    latex=r"\Gamma",
    source="DLMF 5.2.2",
    sentence="The gamma function of every entry.",
)
rgamma = _of_scipy(
    "rgamma",
    ("numpy", "cupy"),
    derivative=lambda a: -rgamma(a) * digamma(a),
    latex=r"\frac{{1}}{{\Gamma\left({}\right)}}",
    source="DLMF 5.2.2",
    sentence="1 / gamma(x) of every entry.",
)
gammasgn = _of_scipy(
    "gammasgn",
    ("numpy", "cupy"),
    derivative=lambda a: 0 * a,
    range=(-1, 1),
    source="steps, at the poles of the gamma function",
    sentence="The sign of the gamma function of every entry.",
)
gammainc = _of_scipy(
    "gammainc",
    _NOT_TORCH,
    derivative=(None, lambda a, b: exp(xlogy(a - 1, b) - b - gammaln(a))),
    latex=r"P\left({},{}\right)",
    range=(0, 1),
    source="DLMF 8.2.4 and 8.8.13",
    sentence="The regularized lower incomplete gamma function of order a, at every entry b.",
)
gammaincc = _of_scipy(
    "gammaincc",
    _NOT_TORCH,
    derivative=(None, lambda a, b: -exp(xlogy(a - 1, b) - b - gammaln(a))),
    latex=r"Q\left({},{}\right)",
    range=(0, 1),
    source="DLMF 8.2.4 and 8.8.13",
    sentence="The regularized upper incomplete gamma function of order a, at every entry b.",
)
beta = _by_others(
    _of_scipy(
        "beta",
        _NOT_TORCH,
        derivative=(
            lambda a, b: beta(a, b) * (digamma(a) - digamma(a + b)),
            lambda a, b: beta(a, b) * (digamma(b) - digamma(a + b)),
        ),
        latex=r"\operatorname{B}",
        source="DLMF 5.12.1",
        sentence="The beta function of each pair of entries.",
    )
)
betaln = _by_others(
    _of_scipy(
        "betaln",
        _NOT_TORCH,
        derivative=(
            lambda a, b: digamma(a) - digamma(a + b),
            lambda a, b: digamma(b) - digamma(a + b),
        ),
        latex=r"\log\operatorname{B}",
        source="DLMF 5.12.1",
        sentence="The logarithm of the absolute value of beta, of each pair of entries.",
    )
)
betainc = _of_scipy(
    "betainc",
    _NOT_TORCH,
    derivative=(
        None,
        None,
        lambda a, b, c: exp(xlogy(a - 1, c) + xlog1py(b - 1, -c) - betaln(a, b)),
    ),
    latex=r"\operatorname{{I}}_{{{2}}}\left({0},{1}\right)",
    range=(0, 1),
    source="DLMF 8.17.2",
    sentence="The regularized incomplete beta function of orders a and b, at every entry c.",
)

# The logistic function ---------------------------------------------------------------------

expit = _by_others(
    _of_scipy(
        "expit",
        derivative=lambda a: expit(a) * expit(-a),
        latex=r"\sigma",
        monotone="increasing",
        range=(0, 1),
        source="its definition, 1 / (1 + exp(-x))",
        sentence="The logistic function 1/(1 + exp(-x)) of every entry.",
    )
)
logit = _by_others(
    _of_scipy(
        "logit",
        derivative=lambda a: 1 / (a * (1 - a)),
        monotone="increasing",
        domain=(0, 1),
        source="its definition, log(x / (1 - x))",
        sentence="The inverse of the logistic function, log(x/(1 - x)), of every entry.",
    )
)
log_expit = _by_others(
    function(
        "log_expit",
        derivative=lambda a: expit(-a),
        evaluate=_scipy("log_expit", ("numpy", "cupy"))
        | {
            "jax": _found("jax", "jax.nn", "log_sigmoid"),
            "torch": _found("torch", "torch.nn.functional", "logsigmoid"),
        },
        latex=r"\log\sigma",
        monotone="increasing",
        range=(-inf, 0),
        curvature="concave",
        source="its definition, -log(1 + exp(-x))",
        sentence="The logarithm of the logistic function of every entry.",
    )
)


# Entropies ---------------------------------------------------------------------------------

xlogy = _by_others(
    _of_scipy(
        "xlogy",
        derivative=(lambda a, b: logarithm(b), lambda a, b: a / b),
        source="its definition, x log(y), and 0 for x = 0",
        sentence="x log(y) of each pair of entries; 0 where x is 0.",
    )
)
xlog1py = _by_others(
    _of_scipy(
        "xlog1py",
        derivative=(lambda a, b: logarithm(1 + b), lambda a, b: a / (1 + b)),
        source="its definition, x log(1 + y), and 0 for x = 0",
        sentence="x log(1 + y) of each pair of entries; 0 where x is 0.",
    )
)
entr = _by_others(
    _of_scipy(
        "entr",
        derivative=lambda a: -logarithm(a) - 1,
        domain=(0, inf),
        curvature="concave",
        source="its definition, -x log(x), and 0 for x = 0",
        sentence="The entropy -x log(x) of every entry; 0 at 0.",
    )
)
rel_entr = _by_others(
    _of_scipy(
        "rel_entr",
        _NOT_TORCH,
        derivative=(lambda a, b: logarithm(a / b) + 1, lambda a, b: -a / b),
        domain=(0, inf),
        curvature="convex",
        source="its definition, x log(x / y), and 0 for x = 0",
        sentence="The relative entropy x log(x/y) of each pair of entries; 0 where x is 0.",
    )
)
kl_div = _by_others(
    _of_scipy(
        "kl_div",
        _NOT_TORCH,
        derivative=(lambda a, b: logarithm(a / b), lambda a, b: 1 - a / b),
        domain=(0, inf),
        range=(0, inf),
        curvature="convex",
        source="its definition, x log(x / y) - x + y",
        sentence="x log(x/y) - x + y of each pair of entries, a summand of a divergence.",
    )
)

# Modified Bessel functions -----------------------------------------------------------------

iv = _of_scipy(
    "iv",
    ("numpy", "cupy"),
    derivative=(None, lambda n, a: (iv(n - 1, a) + iv(n + 1, a)) / 2),
    latex=r"I_{{{}}}\left({}\right)",
    source="DLMF 10.29.1",
    sentence="The modified Bessel function of the first kind of order a, at every entry b.",
)
ive = _of_scipy(
    "ive",
    ("numpy", "cupy"),
    derivative=(
        None,
        lambda n, a: (ive(n - 1, a) + ive(n + 1, a)) / 2 - sign(a) * ive(n, a),
    ),
    source="DLMF 10.29.1, and the factor exp(-|x|)",
    sentence="exp(-|b|) iv(a, b) of each pair of entries.",
)
i1 = _of_scipy(
    "i1",
    derivative=lambda a: (i0(a) + iv(2, a)) / 2,
    latex="I_1",
    parity="odd",
    monotone="increasing",
    source="DLMF 10.29.1",
    sentence="The modified Bessel function of the first kind of order 1, of every entry.",
)
i0 = _of_scipy(
    "i0",
    derivative=i1,
    latex="I_0",
    parity="even",
    range=(1, inf),
    source="DLMF 10.29.3",
    sentence="The modified Bessel function of the first kind of order 0, of every entry.",
)
i0e = _of_scipy(
    "i0e",
    derivative=lambda a: i1e(a) - sign(a) * i0e(a),
    parity="even",
    range=(0, 1),
    source="DLMF 10.29.3, and the factor exp(-|x|)",
    sentence="exp(-|x|) i0(x) of every entry.",
)
i1e = _of_scipy(
    "i1e",
    derivative=lambda a: (i0e(a) + ive(2, a)) / 2 - sign(a) * i1e(a),
    parity="odd",
    range=(-1, 1),
    source="DLMF 10.29.1, and the factor exp(-|x|)",
    sentence="exp(-|x|) i1(x) of every entry.",
)

# Bessel functions --------------------------------------------------------------------------

jv = _of_scipy(
    "jv",
    ("numpy", "cupy"),
    derivative=(None, lambda n, a: (jv(n - 1, a) - jv(n + 1, a)) / 2),
    latex=r"J_{{{}}}\left({}\right)",
    source="DLMF 10.6.1",
    sentence="The Bessel function of the first kind of order a, at every entry b.",
)
yv = _of_scipy(
    "yv",
    ("numpy", "cupy"),
    derivative=(None, lambda n, a: (yv(n - 1, a) - yv(n + 1, a)) / 2),
    latex=r"Y_{{{}}}\left({}\right)",
    source="DLMF 10.6.1",
    sentence="The Bessel function of the second kind of order a, at every entry b.",
)


def _bessel(name: str, **known: Any) -> DeclaredFunction:
    """A Bessel function, which PyTorch calls otherwise."""
    kind, order = {"j": "first", "y": "second"}[name[0]], name[1]
    torch = _found("torch", _MODULES["torch"], f"bessel_{name}")
    return function(
        name,
        evaluate=_scipy(name, ("numpy", "cupy")) | {"torch": torch},
        latex=f"{name[0].upper()}_{order}",
        sentence=f"The Bessel function of the {kind} kind of order {order}, of every entry.",
        **known,
    )


j1 = _bessel("j1", derivative=lambda a: (j0(a) - jv(2, a)) / 2, parity="odd", source="DLMF 10.6.1")
j0 = _bessel("j0", derivative=lambda a: -j1(a), parity="even", source="DLMF 10.6.3")
y1 = _bessel(
    "y1", derivative=lambda a: (y0(a) - yv(2, a)) / 2, domain=(0, inf), source="DLMF 10.6.1"
)
y0 = _bessel("y0", derivative=lambda a: -y1(a), domain=(0, inf), source="DLMF 10.6.3")

# Inverse hyperbolic functions, angles, sinc ------------------------------------------------

arcsinh = _by_others(
    function(
        "arcsinh",
        derivative=lambda a: (1 + a**2) ** -0.5,
        evaluate=_standard("asinh", np.arcsinh),
        latex=r"\operatorname{arsinh}",
        parity="odd",
        monotone="increasing",
        source="DLMF 4.40.17",
        sentence="The inverse hyperbolic sine of every entry.",
    )
)
arccosh = _by_others(
    function(
        "arccosh",
        derivative=lambda a: ((a - 1) * (a + 1)) ** -0.5,
        evaluate=_standard("acosh", np.arccosh),
        latex=r"\operatorname{arcosh}",
        monotone="increasing",
        range=(0, inf),
        domain=(1, inf),
        source="DLMF 4.40.18",
        sentence="The inverse hyperbolic cosine of every entry.",
    )
)
arctan2 = function(
    "arctan2",
    derivative=(lambda a, b: b / (a**2 + b**2), lambda a, b: -a / (a**2 + b**2)),
    evaluate=_standard("atan2", np.arctan2),
    range=(-pi, pi),
    source="the slopes of the angle of the point (b, a)",
    sentence="The angle of the point (b, a), for each pair of entries.",
)


def _sinc_derivative(order: Array, x: Array) -> Array:
    """The derivative of sin(πx)/(πx): ∫₀¹ (πt)ⁿ cos(πxt + nπ/2) dt, by parts, or by its series."""
    n, z = np.broadcast_arrays(np.asarray(order, float), pi * np.asarray(x, float))
    result = np.zeros(z.shape)
    for k in np.unique(n).astype(int):
        of_order = n == k
        near = of_order & (np.abs(z) < k + 3)
        result[near] = pi**k * _sinc_series(k, z[near])
        result[of_order & ~near] = pi**k * _sinc_by_parts(k, z[of_order & ~near])
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
sinc = _by_others(
    function(
        "sinc",
        derivative=lambda a: _sinc_n(1, a),
        evaluate={"numpy": np.sinc}
        | {library: _found(library, module, "sinc") for library, module in _ARRAYS.items()},
        parity="even",
        range=(-0.22, 1),
        source="its definition, sin(πx) / (πx)",
        sentence="sin(πx)/(πx) of every entry.",
    )
)


def multigammaln(a: Any, d: int) -> Expression:
    """`scipy.special.multigammaln`: log Γ of symmetric matrices of d rows, at every entry.

    >>> multigammaln(3.0, 1).evaluate({}).round(4)
    np.float64(0.6931)
    """
    d = checked_integer("multigammaln", "d", d)
    if d < 1:
        raise UnsupportedOperation(f"multigammaln: d is an integer from 1 up, not {d}")
    terms = [gammaln(as_expression(a) - k / 2) for k in range(d)]
    return reduce(add, terms, as_expression(d * (d - 1) / 4 * log(pi)))


# What has the values of its operand and another derivative --------------------------------

_held = function(
    "stop_gradient",
    derivative=lambda a: 0 * a,
    evaluate=_standard("positive", np.positive),
    parity="odd",
    monotone="increasing",
    source="its definition",
    sentence="Every entry itself, which derivatives take for a constant.",
)


def stop_gradient(f: Any) -> Expression:
    """The same values, which derivatives take for a constant, as `jax.lax.stop_gradient` does.

    >>> from eggrad.frontend.interface.transforms import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    np.float64(3.0)
    """
    return _held(as_expression(f, "the argument of stop_gradient"))
