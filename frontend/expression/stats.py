"""Distributions by SciPy's names: log-densities and distribution functions, made of functions.

Each row is a short formula in the standard form of its distribution, which `loc` and `scale` shift
and stretch, as in SciPy. The formulas are those of scipy.stats' documentation; where several
are equal, it is the one that keeps its digits in the tails. Parameters are taken to be valid ones:
of others there is no check.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, pi, sqrt
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.frontend.expression.expression import (
    Expression,
    as_expression,
    equal,
    greater,
    greater_equal,
    where,
)
from eggrad.frontend.expression.functions import exp, floor, softplus, sum
from eggrad.frontend.expression.functions import log as ln
from eggrad.frontend.expression.special import (
    arcsinh,
    arctan2,
    betainc,
    betaln,
    erf,
    gammainc,
    gammaincc,
    gammaln,
    i0e,
    log_ndtr,
    ndtr,
    xlog1py,
    xlogy,
)
from eggrad.frontend.text.doors import checked_flag

__all__ = [
    "arcsine", "bernoulli", "beta", "betabinom", "betaprime", "binom", "burr", "burr12", "cauchy",
    "chi", "chi2", "dgamma", "dirichlet", "dlaplace", "dweibull", "expon", "exponnorm",
    "exponweib", "f", "fisk", "gamma", "gengamma", "genlogistic", "gennorm", "geom", "gompertz",
    "gumbel_l", "gumbel_r", "halfcauchy", "halflogistic", "halfnorm", "hypergeom", "hypsecant",
    "invgamma", "invgauss", "invweibull", "johnsonsb", "johnsonsu", "laplace",
    "laplace_asymmetric", "levy", "loggamma", "logistic", "loglaplace", "lognorm", "logser",
    "loguniform", "lomax", "maxwell", "moyal", "multinomial", "multivariate_normal",
    "multivariate_t", "nakagami", "nbinom", "norm", "pareto", "planck", "poisson", "powerlaw",
    "randint", "rayleigh", "semicircular", "skewnorm", "t", "truncexpon", "truncnorm", "uniform",
    "vonmises", "wald", "weibull_max", "weibull_min", "yulesimon",
]  # fmt: skip

_Formula = Callable[..., Any]
_LINE: Final = (-inf, inf)
_ABOVE: Final = (0, inf)
_UNIT: Final = (0, 1)
# log √(2π), with which densities of normal distributions begin.
_ROOT: Final = 0.5 * log(2 * pi)
_LOG_2: Final = log(2)


@dataclass(frozen=True)
class _Distribution:
    """A row: the logarithm of a density, its support, and what is known of the tails.

    An open support is without its ends, where the formula has no value. What is not given of the
    tails follows from what is.
    """

    name: str
    parameters: str
    density: _Formula
    support: tuple[Any, Any] | Callable[..., tuple[Any, Any]] = _LINE
    open: bool = False
    below: _Formula | None = None  # the distribution function
    above: _Formula | None = None  # its complement
    log_below: _Formula | None = None
    log_above: _Formula | None = None

    def __repr__(self) -> str:
        return f"eggrad.stats.{self.name}"

    def cdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The distribution function; parameters as in `scipy.stats`.

        >>> norm.cdf(0.0, scale=2.0).evaluate({})
        array(0.5)
        """
        return self._tail(self._cdf, "cdf", (0, 1), x, args, given)

    def sf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """1 - cdf, with all digits where that is small.

        >>> norm.sf(0.0).evaluate({})
        array(0.5)
        """
        return self._tail(self._sf, "sf", (1, 0), x, args, given)

    def logcdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of the distribution function, finite where that underflows.

        >>> expon.logcdf(-1.0).evaluate({})
        array(-inf)
        """
        return self._tail(self._logcdf, "logcdf", (-inf, 0), x, args, given)

    def logsf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of 1 - cdf, finite where that underflows.

        >>> expon.logsf(1000.0).evaluate({})
        array(-1000.)
        """
        return self._tail(self._logsf, "logsf", (0, -inf), x, args, given)

    def _tail(  # noqa: PLR0917
        self, formula: _Formula, what: str, ends: Any, x: Any, args: Any, given: Any
    ) -> Expression:
        if not (self.below or self.above or self.log_below or self.log_above):
            raise UnsupportedOperation(
                f"{self.name}.{what}: no function with a derivative computes it"
            )
        z, shapes, _ = self._read(what, x, args, given)
        z = self._place(z)
        low, high = self._ends(shapes)
        found = as_expression(formula(z, *shapes))
        if not _is(high, inf):
            found = where(z >= high, ends[1], found)
        # Where a support begins the function is 0, unless there is a mass at that place.
        if not _is(low, -inf):
            found = where(self._within(z, low), found, ends[0])
        return found

    def _place(self, z: Expression) -> Expression:
        return z

    def _within(self, z: Any, low: Any) -> Any:
        return greater(z, low)

    def _ends(self, shapes: Any) -> tuple[Any, Any]:
        return self.support(*shapes) if callable(self.support) else self.support

    def _read(self, what: str, x: Any, args: Any, given: Any) -> tuple[Any, list[Any], Any]:
        """The place in the standard form, the parameters, and the scale if there is one."""
        names = [*self.parameters.split(), *self._moved]
        if (extra := len(args) - len(names)) > 0:
            raise TypeError(f"{self.name}.{what} takes x, {', '.join(names)}; {extra} too many")
        values = dict(zip(names, args, strict=False))
        for name, value in given.items():
            if name not in names or name in values:
                found = "is given twice" if name in values else "is no parameter"
                raise TypeError(f"{self.name}.{what}: {name} {found}; it has {', '.join(names)}")
            values[name] = value
        missing = [name for name in self.parameters.split() if name not in values]
        if missing:
            raise TypeError(f"{self.name}.{what}: missing {', '.join(missing)}")
        values = {name: _operand(value) for name, value in values.items()}
        z, scale = _operand(x), values.get("scale")
        z = z - values["loc"] if "loc" in values else z
        z = z / scale if scale is not None else z
        return z, [values[name] for name in self.parameters.split()], scale

    _moved = ("loc", "scale")

    def _logcdf(self, *at: Any) -> Any:
        if self.log_below:
            return self.log_below(*at)
        return _log(self.below, self.log_above, self._sf, at)

    def _logsf(self, *at: Any) -> Any:
        if self.log_above:
            return self.log_above(*at)
        return _log(self.above, self.log_below, self._cdf, at)

    def _cdf(self, *at: Any) -> Any:
        if self.below:
            return self.below(*at)
        if self.log_below:
            return exp(self.log_below(*at))
        return 1 - (self.above(*at) if self.above else exp(self._logsf(*at)))

    def _sf(self, *at: Any) -> Any:
        if self.above:
            return self.above(*at)
        if self.log_above:
            return exp(self.log_above(*at))
        return 1 - (self.below(*at) if self.below else exp(self._logcdf(*at)))

    def _log_density(self, what: str, x: Any, args: Any, given: Any) -> Expression:
        z, shapes, scale = self._read(what, x, args, given)
        low, high = self._ends(shapes)
        found = as_expression(self.density(z, *shapes))
        found = found if scale is None else found - ln(scale)
        within = greater if self.open else greater_equal
        if not _is(high, inf):
            found = where(within(high, z), found, -inf)
        if not _is(low, -inf):
            found = where(within(z, low), found, -inf)
        return found


class Continuous(_Distribution):
    """A distribution with a density, of SciPy's name and parameters, then `loc` and `scale`.

    >>> from eggrad.frontend.interface.derivatives import gradient
    >>> from eggrad.frontend.expression.functions import variable
    >>> gradient(norm.logpdf(variable("x"), variable("m"), variable("s")), "x").to("matrix")
    '(m - x)/s^2'
    """

    def logpdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of the density; parameters as in `scipy.stats`.

        >>> laplace.logpdf(1000.0, scale=0.5).evaluate({})
        array(-2000.)
        """
        return self._log_density("logpdf", x, args, given)

    def pdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The density.

        >>> uniform.pdf([1.0, 3.0], scale=2.0).evaluate({}).tolist()
        [0.5, 0.0]
        """
        return exp(self._log_density("pdf", x, args, given))


class Discrete(_Distribution):
    """A distribution on integers, of SciPy's name and parameters, then `loc`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> poisson.logpmf(0, variable("m")).evaluate({"m": 2.0})
    array(-2.)
    """

    _moved = ("loc",)

    def logpmf(self, k: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of the probability; parameters as in `scipy.stats`.

        >>> bernoulli.logpmf([1, 2], 1.0).evaluate({})
        array([  0., -inf])
        """
        found = self._log_density("logpmf", k, args, given)
        place = self._read("logpmf", k, args, given)[0]
        return found if _whole(place) else where(equal(place, floor(place)), found, -inf)

    def pmf(self, k: Any, *args: Any, **given: Any) -> Expression:
        """The probability.

        >>> geom.pmf([0, 1, 2], 0.5).evaluate({}).tolist()
        [0.0, 0.5, 0.25]
        """
        return exp(self.logpmf(k, *args, **given))

    def _place(self, z: Expression) -> Expression:
        return z if _whole(z) else floor(z)

    def _within(self, z: Any, low: Any) -> Any:
        return greater_equal(z, low)


def _operand(value: Any) -> Expression:
    return as_expression(value, "an argument of eggrad.stats")


def _is(end: Any, number: float) -> bool:
    return isinstance(end, int | float) and end == number


def _whole(z: Expression) -> bool:
    """Whether it is known to be integers: a variable that is declared so, or numbers."""
    match z.term.op:
        case "variable":
            return "integer" in z.term.assumed
        case "constant":
            return cast("Fraction", z.term.data).denominator == 1
        case "array":
            return bool(np.all(cast("FixedArray", z.term.data).values % 1 == 0))
    return False


def _log(tail: _Formula | None, log_other: _Formula | None, other: _Formula, at: Any) -> Any:
    """The logarithm of a tail, of which the other one is known: by the smaller of both."""
    if tail is None and log_other:
        return ln(1 - exp(log_other(*at)))
    near_one = ln(1 - (exp(log_other(*at)) if log_other else other(*at)))
    found = tail(*at) if tail else 1 - other(*at)
    return where(found > 0.5, near_one, ln(found))


def _row(name: str, parameters: str, density: _Formula, support: Any = _LINE, **known: Any) -> Any:
    return Continuous(name, parameters, density, support, **known)


def _even(name: str, density: _Formula, below: _Formula, log_below: _Formula | None = None) -> Any:
    """A distribution without parameters that is the same on both sides of 0."""
    above, log_above = _mirrored(below), log_below and _mirrored(log_below)
    return Continuous(
        name, "", density, below=below, above=above, log_below=log_below, log_above=log_above
    )


def _mirrored(formula: _Formula) -> _Formula:
    return lambda z, *shapes: formula(-z, *shapes)


def _normal_of(inside: _Formula, slope: _Formula) -> dict[str, Any]:
    """The row of a function of the place that has a normal distribution, by it and its slope's log.

    The function grows.
    """
    return {
        "density": lambda *at: slope(*at) - inside(*at) ** 2 / 2 - _ROOT,
        "below": lambda *at: ndtr(inside(*at)),
        "above": lambda *at: ndtr(-inside(*at)),
        "log_below": lambda *at: log_ndtr(inside(*at)),
        "log_above": lambda *at: log_ndtr(-inside(*at)),
    }


def _t_below(z: Any, df: Any) -> Any:
    """The distribution function of t, by that of its square."""
    half = betainc(df / 2, 0.5, df / (df + z**2)) / 2
    return where(greater(z, 0), 1 - half, half)


def _of_gamma(order: _Formula, place: _Formula) -> dict[str, Any]:
    """The row of what is a gamma distribution's at a place that grows."""
    return {
        "below": lambda *at: gammainc(order(*at), place(*at)),
        "above": lambda *at: gammaincc(order(*at), place(*at)),
    }


def _logit(z: Any) -> Any:
    return ln(z) - ln(1 - z)


def _log_normal_mass(a: Any, b: Any) -> Any:
    """log(ndtr(b) - ndtr(a)), of the tail in which both are small."""
    right = greater(a, 0)
    low, high = log_ndtr(where(right, -b, a)), log_ndtr(where(right, -a, b))
    return high + ln(1 - exp(low - high))


# On the line ---------------------------------------------------------------------------------

norm = _row("norm", "", **_normal_of(lambda z: z, lambda z: 0))
laplace = _even(
    "laplace",
    lambda z: -abs(z) - _LOG_2,
    # exp(-|z|) overflows on neither side.
    lambda z: where(greater(z, 0), 1 - exp(-abs(z)) / 2, exp(-abs(z)) / 2),
    lambda z: where(greater(z, 0), ln(1 - exp(-abs(z)) / 2), -abs(z) - _LOG_2),
)
logistic = _even(
    "logistic",
    lambda z: -softplus(z) - softplus(-z),
    lambda z: exp(-softplus(-z)),
    lambda z: -softplus(-z),
)
cauchy = _even("cauchy", lambda z: -log(pi) - ln(1 + z**2), lambda z: arctan2(1, -z) / pi)
hypsecant = _even(
    "hypsecant",
    lambda z: log(2 / pi) - ln(exp(z) + exp(-z)),
    lambda z: 2 / pi * arctan2(exp(z / 2), exp(-z / 2)),
)
t = _row(
    "t",
    "df",
    lambda z, df: -betaln(df / 2, 0.5) - ln(df) / 2 - (df + 1) / 2 * ln(1 + z**2 / df),
    below=_t_below,
    above=_mirrored(_t_below),
)
gumbel_r = _row("gumbel_r", "", lambda z: -z - exp(-z), log_below=lambda z: -exp(-z))
gumbel_l = _row("gumbel_l", "", lambda z: z - exp(z), log_above=lambda z: -exp(z))
genlogistic = _row(
    "genlogistic",
    "c",
    lambda z, c: ln(c) - z - (c + 1) * softplus(-z),
    log_below=lambda z, c: -c * softplus(-z),
)
loggamma = _row(
    "loggamma",
    "c",
    lambda z, c: c * z - exp(z) - gammaln(c),
    **_of_gamma(lambda z, c: c, lambda z, c: exp(z)),
)
skewnorm = _row("skewnorm", "a", lambda z, a: _LOG_2 - _ROOT - z**2 / 2 + log_ndtr(a * z))
exponnorm = _row(
    "exponnorm",
    "K",
    lambda z, k: 1 / (2 * k**2) - z / k - ln(k) + log_ndtr(z - 1 / k),
)
gennorm = _row(
    "gennorm", "beta", lambda z, beta: ln(beta) - _LOG_2 - gammaln(1 / beta) - abs(z) ** beta
)
moyal = _row(
    "moyal",
    "",
    lambda z: -(z + exp(-z)) / 2 - _ROOT,
    above=lambda z: erf(exp(-z / 2) / sqrt(2)),
    log_below=lambda z: where(
        z > 0, ln(1 - erf(exp(-z / 2) / sqrt(2))), _LOG_2 + log_ndtr(-exp(-z / 2))
    ),
)
johnsonsu = _row(
    "johnsonsu",
    "a b",
    **_normal_of(lambda z, a, b: a + b * arcsinh(z), lambda z, a, b: ln(b) - ln(1 + z**2) / 2),
)
laplace_asymmetric = _row(
    "laplace_asymmetric",
    "kappa",
    lambda z, k: where(greater(z, 0), -z * k, z / k) - ln(k + 1 / k),
)
dgamma = _row("dgamma", "a", lambda z, a: xlogy(a - 1, abs(z)) - abs(z) - _LOG_2 - gammaln(a))
dweibull = _row("dweibull", "c", lambda z, c: ln(c) - _LOG_2 + xlogy(c - 1, abs(z)) - abs(z) ** c)
loglaplace = _row(
    "loglaplace",
    "c",
    lambda z, c: ln(c) - _LOG_2 - ln(z) - c * abs(ln(z)),
    _ABOVE,
    open=True,
)
vonmises = _row(
    "vonmises",
    "kappa",
    lambda z, kappa: -2 * kappa * np.sin(z / 2) ** 2 - log(2 * pi) - ln(i0e(kappa)),
)

# Above a place -------------------------------------------------------------------------------

expon = _row("expon", "", lambda z: -z, _ABOVE, log_above=lambda z: -z)
gamma = _row(
    "gamma",
    "a",
    lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
    _ABOVE,
    **_of_gamma(lambda z, a: a, lambda z, a: z),
)
gengamma = _row(
    "gengamma",
    "a c",
    lambda z, a, c: ln(abs(c)) + xlogy(c * a - 1, z) - z**c - gammaln(a),
    _ABOVE,
)
chi2 = _row(
    "chi2",
    "df",
    lambda z, df: xlogy(df / 2 - 1, z) - z / 2 - gammaln(df / 2) - _LOG_2 * df / 2,
    _ABOVE,
    **_of_gamma(lambda z, df: df / 2, lambda z, df: z / 2),
)
chi = _row(
    "chi",
    "df",
    lambda z, df: xlogy(df - 1, z) - z**2 / 2 - gammaln(df / 2) - _LOG_2 * (df / 2 - 1),
    _ABOVE,
    **_of_gamma(lambda z, df: df / 2, lambda z, df: z**2 / 2),
)
nakagami = _row(
    "nakagami",
    "nu",
    lambda z, nu: _LOG_2 + nu * ln(nu) - gammaln(nu) + xlogy(2 * nu - 1, z) - nu * z**2,
    _ABOVE,
    **_of_gamma(lambda z, nu: nu, lambda z, nu: nu * z**2),
)
maxwell = _row(
    "maxwell",
    "",
    lambda z: _LOG_2 - _ROOT + 2 * ln(z) - z**2 / 2,
    _ABOVE,
    open=True,
    **_of_gamma(lambda z: 1.5, lambda z: z**2 / 2),
)
rayleigh = _row(
    "rayleigh",
    "",
    lambda z: ln(z) - z**2 / 2,
    _ABOVE,
    open=True,
    log_above=lambda z: -(z**2) / 2,
)
invgamma = _row(
    "invgamma",
    "a",
    lambda z, a: -(a + 1) * ln(z) - gammaln(a) - 1 / z,
    _ABOVE,
    open=True,
    below=lambda z, a: gammaincc(a, 1 / z),
    above=lambda z, a: gammainc(a, 1 / z),
)
invgauss = _row(
    "invgauss",
    "mu",
    lambda z, mu: -_ROOT - 1.5 * ln(z) - ((z - mu) / mu) ** 2 / (2 * z),
    _ABOVE,
    open=True,
)
wald = _row(
    "wald",
    "",
    lambda z: -_ROOT - 1.5 * ln(z) - (z - 1) ** 2 / (2 * z),
    _ABOVE,
    open=True,
)
levy = _row(
    "levy",
    "",
    lambda z: -_ROOT - 1.5 * ln(z) - 1 / (2 * z),
    _ABOVE,
    open=True,
    above=lambda z: erf((2 * z) ** -0.5),
    log_below=lambda z: _LOG_2 + log_ndtr(-(z**-0.5)),
)
lognorm = _row(
    "lognorm",
    "s",
    support=_ABOVE,
    open=True,
    **_normal_of(lambda z, s: ln(z) / s, lambda z, s: -ln(s) - ln(z)),
)
halfnorm = _row(
    "halfnorm",
    "",
    lambda z: _LOG_2 - _ROOT - z**2 / 2,
    _ABOVE,
    below=lambda z: erf(z / sqrt(2)),
    above=lambda z: 2 * ndtr(-z),
    log_above=lambda z: _LOG_2 + log_ndtr(-z),
)
halfcauchy = _row(
    "halfcauchy",
    "",
    lambda z: log(2 / pi) - ln(1 + z**2),
    _ABOVE,
    below=lambda z: 2 / pi * arctan2(z, 1),
    above=lambda z: 2 / pi * arctan2(1, z),
)
halflogistic = _row(
    "halflogistic",
    "",
    lambda z: _LOG_2 - softplus(z) - softplus(-z),
    _ABOVE,
    below=lambda z: np.tanh(z / 2),
    log_above=lambda z: _LOG_2 - softplus(z),
)
weibull_min = _row(
    "weibull_min",
    "c",
    lambda z, c: ln(c) + xlogy(c - 1, z) - z**c,
    _ABOVE,
    log_above=lambda z, c: -(z**c),
)
weibull_max = _row(
    "weibull_max",
    "c",
    lambda z, c: ln(c) + xlogy(c - 1, -z) - (-z) ** c,
    (-inf, 0),
    log_below=lambda z, c: -((-z) ** c),
)
invweibull = _row(
    "invweibull",
    "c",
    lambda z, c: ln(c) - (c + 1) * ln(z) - z**-c,
    _ABOVE,
    open=True,
    log_below=lambda z, c: -(z**-c),
)
exponweib = _row(
    "exponweib",
    "a c",
    lambda z, a, c: ln(a) + ln(c) + (a - 1) * ln(1 - exp(-(z**c))) + (c - 1) * ln(z) - z**c,
    _ABOVE,
    open=True,
    log_below=lambda z, a, c: a * ln(1 - exp(-(z**c))),
)
gompertz = _row(
    "gompertz",
    "c",
    lambda z, c: ln(c) + z - c * (exp(z) - 1),
    _ABOVE,
    log_above=lambda z, c: -c * (exp(z) - 1),
)
lomax = _row(
    "lomax",
    "c",
    lambda z, c: ln(c) - (c + 1) * ln(1 + z),
    _ABOVE,
    log_above=lambda z, c: -c * ln(1 + z),
)
pareto = _row(
    "pareto",
    "b",
    lambda z, b: ln(b) - (b + 1) * ln(z),
    (1, inf),
    log_above=lambda z, b: -b * ln(z),
)
fisk = _row(
    "fisk",
    "c",
    lambda z, c: ln(c) - ln(z) - softplus(c * ln(z)) - softplus(-c * ln(z)),
    _ABOVE,
    open=True,
    log_below=lambda z, c: -softplus(-c * ln(z)),
    log_above=lambda z, c: -softplus(c * ln(z)),
)
burr = _row(
    "burr",
    "c d",
    lambda z, c, d: ln(c) + ln(d) - (c + 1) * ln(z) - (d + 1) * softplus(-c * ln(z)),
    _ABOVE,
    open=True,
    log_below=lambda z, c, d: -d * softplus(-c * ln(z)),
)
burr12 = _row(
    "burr12",
    "c d",
    lambda z, c, d: ln(c) + ln(d) + (c - 1) * ln(z) - (d + 1) * softplus(c * ln(z)),
    _ABOVE,
    open=True,
    log_above=lambda z, c, d: -d * softplus(c * ln(z)),
)
f = _row(
    "f",
    "dfn dfd",
    lambda z, m, n: (
        ln(m / n) * m / 2
        + xlogy(m / 2 - 1, z)
        - (m + n) / 2 * ln(1 + m * z / n)
        - betaln(m / 2, n / 2)
    ),
    _ABOVE,
    below=lambda z, m, n: betainc(m / 2, n / 2, m * z / (n + m * z)),
    above=lambda z, m, n: betainc(n / 2, m / 2, n / (n + m * z)),
)
betaprime = _row(
    "betaprime",
    "a b",
    lambda z, a, b: xlogy(a - 1, z) - (a + b) * ln(1 + z) - betaln(a, b),
    _ABOVE,
    below=lambda z, a, b: betainc(a, b, z / (1 + z)),
    above=lambda z, a, b: betainc(b, a, 1 / (1 + z)),
)

# Between two places --------------------------------------------------------------------------

uniform = _row(
    "uniform",
    "",
    lambda z: 0 * z,
    _UNIT,
    below=lambda z: z,
    above=lambda z: 1 - z,
    log_below=ln,
    log_above=lambda z: ln(1 - z),
)
beta = _row(
    "beta",
    "a b",
    lambda z, a, b: xlogy(a - 1, z) + xlog1py(b - 1, -z) - betaln(a, b),
    _UNIT,
    below=lambda z, a, b: betainc(a, b, z),
    above=lambda z, a, b: betainc(b, a, 1 - z),
)
powerlaw = _row(
    "powerlaw",
    "a",
    lambda z, a: ln(a) + xlogy(a - 1, z),
    _UNIT,
    log_below=lambda z, a: a * ln(z),
)
arcsine = _row(
    "arcsine",
    "",
    lambda z: -log(pi) - (ln(z) + ln(1 - z)) / 2,
    _UNIT,
    below=lambda z: 2 / pi * arctan2(z**0.5, (1 - z) ** 0.5),
    above=lambda z: 2 / pi * arctan2((1 - z) ** 0.5, z**0.5),
)
johnsonsb = _row(
    "johnsonsb",
    "a b",
    support=_UNIT,
    open=True,
    **_normal_of(lambda z, a, b: a + b * _logit(z), lambda z, a, b: ln(b) - ln(z) - ln(1 - z)),
)
semicircular = _row(
    "semicircular", "", lambda z: log(2 / pi) + (ln(1 - z) + ln(1 + z)) / 2, (-1, 1), open=True
)
loguniform = _row(
    "loguniform",
    "a b",
    lambda z, a, b: -ln(z) - ln(ln(b / a)),
    lambda a, b: (a, b),
    below=lambda z, a, b: ln(z / a) / ln(b / a),
    above=lambda z, a, b: ln(b / z) / ln(b / a),
)
truncexpon = _row(
    "truncexpon",
    "b",
    lambda z, b: -z - ln(1 - exp(-b)),
    lambda b: (0, b),
    log_below=lambda z, b: ln(1 - exp(-z)) - ln(1 - exp(-b)),
)
truncnorm = _row(
    "truncnorm",
    "a b",
    lambda z, a, b: -(z**2) / 2 - _ROOT - _log_normal_mass(a, b),
    lambda a, b: (a, b),
    log_below=lambda z, a, b: _log_normal_mass(a, z) - _log_normal_mass(a, b),
    log_above=lambda z, a, b: _log_normal_mass(z, b) - _log_normal_mass(a, b),
)

# Of integers ---------------------------------------------------------------------------------


def _log_choose(n: Any, k: Any) -> Any:
    """The logarithm of a binomial coefficient; the beta function keeps digits for large n."""
    return -betaln(1 + n - k, 1 + k) - ln(n + 1)


poisson = Discrete(
    "poisson",
    "mu",
    lambda k, mu: xlogy(k, mu) - gammaln(k + 1) - mu,
    _ABOVE,
    below=lambda k, mu: gammaincc(k + 1, mu),
    above=lambda k, mu: gammainc(k + 1, mu),
)
binom = Discrete(
    "binom",
    "n p",
    lambda k, n, p: _log_choose(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    lambda n, p: (0, n),
    below=lambda k, n, p: betainc(n - k, k + 1, 1 - p),
    above=lambda k, n, p: betainc(k + 1, n - k, p),
)
bernoulli = Discrete(
    "bernoulli",
    "p",
    lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    _UNIT,
    below=lambda k, p: 1 - p + 0 * k,
    above=lambda k, p: p + 0 * k,
)
nbinom = Discrete(
    "nbinom",
    "n p",
    lambda k, n, p: gammaln(k + n) - gammaln(k + 1) - gammaln(n) + n * ln(p) + xlog1py(k, -p),
    _ABOVE,
    below=lambda k, n, p: betainc(n, k + 1, p),
    above=lambda k, n, p: betainc(k + 1, n, 1 - p),
)
geom = Discrete(
    "geom",
    "p",
    lambda k, p: xlog1py(k - 1, -p) + ln(p),
    (1, inf),
    log_above=lambda k, p: xlog1py(k, -p),
)
logser = Discrete("logser", "p", lambda k, p: xlogy(k, p) - ln(k) - ln(-ln(1 - p)), (1, inf))
planck = Discrete(
    "planck",
    "lambda_",
    lambda k, rate: ln(1 - exp(-rate)) - rate * k,
    _ABOVE,
    log_above=lambda k, rate: -rate * (k + 1),
)
dlaplace = Discrete("dlaplace", "a", lambda k, a: ln(np.tanh(a / 2)) - a * abs(k))
randint = Discrete(
    "randint",
    "low high",
    lambda k, low, high: 0 * k - ln(high - low),
    lambda low, high: (low, high - 1),
    below=lambda k, low, high: (k + 1 - low) / (high - low),
    above=lambda k, low, high: (high - k - 1) / (high - low),
)
yulesimon = Discrete(
    "yulesimon", "alpha", lambda k, alpha: ln(alpha) + betaln(k, alpha + 1), (1, inf)
)
betabinom = Discrete(
    "betabinom",
    "n a b",
    lambda k, n, a, b: _log_choose(n, k) + betaln(k + a, n - k + b) - betaln(a, b),
    lambda n, a, b: (0, n),
)
hypergeom = Discrete(
    "hypergeom",
    "M n N",
    lambda k, all, n, m: _log_choose(n, k) + _log_choose(all - n, m - k) - _log_choose(all, m),
    lambda all, n, m: (np.maximum(0, m - (all - n)), np.minimum(n, m)),
)


# Of vectors ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OfVectors:
    """A row: the logarithm of a density, with SciPy's arguments."""

    name: str
    density: _Formula

    def __repr__(self) -> str:
        return f"eggrad.stats.{self.name}"


class Multivariate(_OfVectors):
    """A distribution of vectors with a density, of SciPy's name and arguments.

    >>> multivariate_normal.pdf([0.0, 0.0], [0.0, 0.0]).evaluate({}).round(3)
    np.float64(0.159)
    """

    def logpdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of the density; arguments as in `scipy.stats`.

        >>> multivariate_normal.logpdf([0.0, 30.0], [0.0, 0.0], 2.0).evaluate({}).round(2)
        np.float64(-227.53)
        """
        return self.density(x, *args, **given)

    def pdf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The density.

        >>> dirichlet.pdf([0.25, 0.75], [2.0, 1.0]).evaluate({}).round(6)
        np.float64(0.5)
        """
        return exp(self.density(x, *args, **given))


class MultivariateDiscrete(_OfVectors):
    """A distribution of vectors of integers, of SciPy's name and arguments.

    >>> multinomial.pmf([1, 1], 2, [0.5, 0.5]).evaluate({}).round(6)
    np.float64(0.5)
    """

    def logpmf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The logarithm of the probability; arguments as in `scipy.stats`.

        >>> multinomial.logpmf([2, 0], 2, [1.0, 0.0]).evaluate({})
        array(0.)
        """
        return self.density(x, *args, **given)

    def pmf(self, x: Any, *args: Any, **given: Any) -> Expression:
        """The probability.

        >>> multinomial.pmf([2, 0], 2, [0.5, 0.5]).evaluate({}).round(6)
        np.float64(0.25)
        """
        return exp(self.density(x, *args, **given))


def _vectors(name: str, x: Any, mean: Any, cov: Any) -> tuple[Expression, Any]:
    """The vectors from their mean, along the last axis, and how long they are.

    As in SciPy the mean says how long, or else the matrix; where neither does, they have one entry
    each, and so have they in a vector or a number.
    """
    place, spread = _operand(x), _operand(cov)
    centre = None if mean is None else _operand(mean)
    if centre is not None:
        length = centre.shape[0] if centre.ndim else 1
    else:
        length = spread.shape[0] if spread.ndim == 2 else 1
    if not place.ndim or (place.ndim == 1 and length == 1):
        place = place[..., None]
    for what, given in (("x", place), ("the covariances", spread)):
        size = given.shape[-1] if given.ndim else length
        if type(size) is type(length) is int and size != length:
            raise ShapeError(
                f"{name}: {what} would have {length} entries along the last axis, as the mean or "
                f"the matrix says, not {size}"
            )
    return place if centre is None else place - centre, place.shape[-1]


def _squares(d: Expression, size: Any, cov: Any) -> tuple[Any, Any]:
    """The squares of Mahalanobis distances, and the logarithm of the determinant.

    As in SciPy a number is that multiple of the identity, and a vector its diagonal.
    """
    spread = _operand(cov)
    match spread.ndim:
        case 0:
            return sum(d**2, -1) / spread, size * ln(spread)
        case 1:
            return sum(d**2 / spread, -1), sum(ln(spread))
    return sum((d @ np.linalg.inv(spread)) * d, -1), np.linalg.slogdet(spread)[1]


def _multivariate_normal(
    x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False
) -> Expression:
    if checked_flag("multivariate_normal", "allow_singular", allow_singular):
        raise UnsupportedOperation(
            "multivariate_normal: allow_singular=True leaves eigenvalues out by a threshold; write "
            "the density of the components that vary"
        )
    d, size = _vectors("multivariate_normal", x, mean, cov)
    squares, logdet = _squares(d, size, cov)
    # As SciPy's, results have no axes of length 1.
    return np.squeeze(-(squares + logdet) / 2 - size * _ROOT)


def _multivariate_t(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Expression:
    d, size = _vectors("multivariate_t", x, loc, shape)
    df = _operand(df)
    squares, logdet = _squares(d, size, shape)
    together = (df + size) / 2
    return np.squeeze(
        gammaln(together)
        - gammaln(df / 2)
        - (size * ln(df * pi) + logdet) / 2
        - together * ln(1 + squares / df)
    )


def _dirichlet(x: Any, alpha: Any) -> Expression:
    x, alpha = _operand(x), _operand(alpha)
    # The axis of the vectors is the first one, as in SciPy.
    of_each = xlogy(alpha - 1, x.T)
    return sum(of_each, -1).T - sum(gammaln(alpha)) + gammaln(sum(alpha))


def _multinomial(x: Any, n: Any, p: Any) -> Expression:
    x, n, p = _operand(x), _operand(n), _operand(p)
    found = gammaln(n + 1) + sum(xlogy(x, p) - gammaln(x + 1), -1)
    found = where(equal(sum(x, -1), n), found, -inf)
    return found if _whole(x) else where(equal(sum(abs(x - floor(x)), -1), 0), found, -inf)


multivariate_normal = Multivariate("multivariate_normal", _multivariate_normal)
multivariate_t = Multivariate("multivariate_t", _multivariate_t)
dirichlet = Multivariate("dirichlet", _dirichlet)
multinomial = MultivariateDiscrete("multinomial", _multinomial)
