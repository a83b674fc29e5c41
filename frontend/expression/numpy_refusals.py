"""What to write instead of functions and methods of NumPy and SciPy that expressions do not have.

By meaning: each entry says why there is no such function, or of which others it is made.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import BuiltinFunctionType, MappingProxyType
from typing import Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

_IN_PLACE: Final = "expressions never change; write numpy.where(condition, a, b) or numpy.stack"
_BY_VALUES: Final = "the shape of the result depends on values; write numpy.where(condition, x, 0)"
_COMPLEX: Final = (
    "expressions are real; write the sums of cosines and sines out, as products with "
    "numpy.cos(angles) and numpy.sin(angles)"
)
_INTEGERS: Final = "it is for integers; expressions have real numbers"
_CONSTANT: Final = "compute it of arrays, before expressions are made of them"
_TEXT: Final = "an expression has no values to write; str(x) and x.to(...) write the formula"

_NO_VALUES: Final = "leave it out; an expression is used as an array is, and has no values"
_LISTED: Final = "docs/numpy.md lists what they have"

_GROUPS: Final[Mapping[str, str]] = {
    "copyto fill_diagonal place put put_along_axis putmask": _IN_PLACE,
    "argwhere flatnonzero nonzero trim_zeros unique unique_all unique_counts unique_inverse "
    "unique_values intersect1d setdiff1d setxor1d union1d": _BY_VALUES,
    "fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.rfft2 fft.rfftn "
    "fft.irfft2 fft.irfftn fft.hfft fft.ihfft fft.fftshift fft.ifftshift": _COMPLEX,
    "gcd lcm left_shift right_shift bitwise_count packbits unpackbits bincount ravel_multi_index "
    "unravel_index": _INTEGERS,
    "array2string array_repr array_str save savetxt savez savez_compressed": _TEXT,
    "einsum_path min_scalar_type can_cast busday_count busday_offset is_busday datetime_as_string "
    "histogram_bin_edges lexsort may_share_memory shares_memory": _CONSTANT,
    "histogram histogram2d histogramdd": (
        "counts have no derivative, and bins depend on values; write "
        "numpy.count_nonzero((x >= a) & (x < b)) for each bin"
    ),
    "roots polydiv": "it is found by iteration; numpy.polyval evaluates a polynomial",
    "nextafter spacing frexp": "it is about digits of floating-point numbers; leave it out",
    "nanmedian nanpercentile nanquantile nanargmax nanargmin": (
        "how many entries are numbers depends on values; numpy.median, percentile, quantile, "
        "argmax and argmin are of all entries"
    ),
    "lib.scimath.sqrt lib.scimath.log lib.scimath.log2 lib.scimath.log10 lib.scimath.logn "
    "lib.scimath.power lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh": (
        "expressions are real; write the function of the same name in numpy itself"
    ),
    "sort_complex": "numpy.sort; expressions are real",
    "full": "numpy.full_like, or numpy.broadcast_to(x, shape)",
    "frompyfunc vectorize": (
        "call the function itself, and write numpy.where instead of branches in it"
    ),
    "ndenumerate ndindex nditer": "write a loop over range(x.shape[0]), or x.flat",
    "logspace geomspace": "numpy.exp of numpy.linspace",
    "isnat": "it is for dates",
}
_INSTEAD: Final[Mapping[str, str]] = MappingProxyType(
    {name: text for names, text in _GROUPS.items() for name in names.split()}
)
_OF_MATRICES: Final = (
    *("cho_factor", "cho_solve", "cholesky", "det", "eigh", "eigvalsh", "expm", "inv", "lstsq"),
    *("pinv", "qr", "solve", "solve_triangular", "svd", "svdvals"),
)
_BY_EIGENVALUES: Final = (
    "numpy.linalg.eigh of a symmetric matrix, and the function of its eigenvalues"
)
_DENSITIES: Final = (
    "the formula with NumPy's functions; eggrad.special has ndtr, log_ndtr, gammaln and betaln"
)
_QUADRATURE: Final = (
    "numpy.sum of weights times values at the nodes of numpy.polynomial.legendre.leggauss"
)
_STEPS: Final = "a fixed number of steps of Newton's method as a loop"
_OF_SCIPY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "logsumexp": "eggrad.logsumexp",
        "softmax": "eggrad.softmax",
        "log_softmax": "eggrad.log_softmax",
        "polygamma": "eggrad.special.polygamma",
        "multigammaln": "a sum of eggrad.special.gammaln",
        "sinc": "eggrad.special.sinc",
        "comb": "exp of differences of eggrad.special.gammaln",
        "perm": "exp of differences of eggrad.special.gammaln",
        "factorial": "eggrad.special.gamma(x + 1)",
        "trapezoid": "numpy.trapezoid",
        "simpson": "numpy.einsum or @ with the weights of Simpson's rule",
        "cumulative_trapezoid": "numpy.cumsum of (y[1:] + y[:-1]) / 2 * dx",
        "convolve": "numpy.convolve, of vectors",
        "fftconvolve": "numpy.convolve, of vectors",
        "correlate": "numpy.correlate, of vectors",
        "convolve2d": (
            "numpy.einsum of numpy.lib.stride_tricks.sliding_window_view(x, kernel.shape) and "
            "kernel[::-1, ::-1]"
        ),
        "correlate2d": (
            "numpy.einsum of numpy.lib.stride_tricks.sliding_window_view(x, kernel.shape) and "
            "the kernel"
        ),
        "cdist": "numpy.sqrt(numpy.sum((x[:, None] - y) ** 2, axis=-1))",
        "pdist": "numpy.sqrt(numpy.sum((x[:, None] - x) ** 2, axis=-1))",
        **{name: f"eggrad.linalg.{name}" for name in _OF_MATRICES},
        "norm": "numpy.linalg.norm",
        "block_diag": "numpy.block of the blocks and zeros",
        "kron": "numpy.kron",
        "interp1d": "numpy.interp",
        **dict.fromkeys(("logm", "sqrtm", "funm", "eig", "eigvals"), _BY_EIGENVALUES),
        **dict.fromkeys(("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"), _DENSITIES),
        **dict.fromkeys(("quad", "fixed_quad", "quad_vec"), _QUADRATURE),
        **dict.fromkeys(("brentq", "bisect", "newton", "fsolve", "root", "root_scalar"), _STEPS),
        **dict.fromkeys(("minimize", "minimize_scalar", "least_squares"), _STEPS),
        **dict.fromkeys(("solve_ivp", "odeint"), "the steps of a Runge-Kutta method as a loop"),
    }
)
_ARRAY_METHODS: Final[Mapping[str, str]] = {
    "sort": "numpy.sort, which makes a new one",
    "fill": "numpy.full_like",
    "put": _IN_PLACE,
    "itemset": _IN_PLACE,
    "resize": "numpy.resize, which makes a new one",
    "setfield": _IN_PLACE,
    "setflags": _IN_PLACE,
    "nonzero": _BY_VALUES,
    "tolist": "list(x), of expressions; an expression has no values, evaluate() computes them",
    **dict.fromkeys(("numpy", "detach", "cpu", "to_numpy", "values"), _NO_VALUES),
    **dict.fromkeys(("tobytes", "tofile", "dump", "dumps", "data", "ctypes"), _TEXT),
}


def _phrase(text: str) -> str:
    """A reason as it is; what is to be written, as advice."""
    advice = text.startswith(("numpy.", "eggrad.", "list(")) or text in _OF_SCIPY.values()
    return f"write {text}" if advice else text


class NoSuchMethod(UnsupportedOperation, AttributeError):
    """A method or a property that expressions do not have."""


def no_method(owner: str, name: str, known: Iterable[str]) -> str:
    """What to write instead of a method or a property that is missing, of the known ones.

    >>> no_method("expressions", "summ", ["sum", "mean"]), no_method("expressions", "exp", [])
    ('expressions have no summ; near is sum', 'expressions have no exp: write numpy.exp(x)')
    """
    what = f"{owner} have no {name}"
    reason = _ARRAY_METHODS.get(name) or _INSTEAD.get(name)
    if reason:
        return f"{what}: {_phrase(reason)}"
    for library, text in ((np, "numpy"), (np.linalg, "numpy.linalg")):
        function = getattr(library, name, None)
        if callable(function) and not isinstance(function, type | BuiltinFunctionType):
            return f"{what}: write {text}.{name}(x)"
    if name in _OF_SCIPY:
        return f"{what}: {_phrase(_OF_SCIPY[name])}"
    near = get_close_matches(name.lower(), [k for k in known if k[:1] != "_"], 2, 0.7)
    return f"{what}; " + (f"near is {' and '.join(near)}" if near else _LISTED)


def refusal(name: str, library: str = "numpy") -> UnsupportedOperation:
    """The error for a function of NumPy, or of another library, with what to write instead.

    >>> print(refusal("flatnonzero"))
    numpy.flatnonzero of expressions is not supported: the shape of the result depends on ...
    """
    if name.endswith("(vectorized)"):
        library, name = "numpy", "frompyfunc"
    reason = _INSTEAD.get(name) or _OF_SCIPY.get(name)
    what = f"{library}.{name} of expressions is not supported"
    return UnsupportedOperation(
        f"{what}: {_phrase(reason)}"
        if reason
        else f"{what}; docs/numpy.md lists what is, of which most others can be made, and "
        "eggrad.function declares a function of one's own"
    )


def instead_of(library: str, name: str) -> str:
    """What to write instead of a function that asks for arrays or numbers.

    >>> instead_of("scipy.special", "softmax")
    'write eggrad.softmax'
    """
    known = [_INSTEAD.get(f"{m}{name}") for m in ("", "fft.", "linalg.")]
    if library.startswith("scipy"):
        known.insert(0, _OF_SCIPY.get(name))
        known.append("write it with those functions of NumPy that docs/numpy.md lists")
    else:
        known.append(
            "numpy.array(entries, like=x) of a list of entries, or numpy.stack, where x is an "
            "expression"
        )
    return _phrase(next(filter(None, known)))
