"""What to write instead of functions and methods of NumPy and SciPy that expressions do not have.

By meaning: each entry says why there is no such function, or of which others it is made.
"""

import sys
from collections.abc import Mapping
from types import FrameType, MappingProxyType
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

_GROUPS: Final[Mapping[str, str]] = {
    "copyto fill_diagonal place put put_along_axis putmask": _IN_PLACE,
    "argwhere flatnonzero nonzero trim_zeros unique unique_all unique_counts unique_inverse "
    "unique_values intersect1d setdiff1d setxor1d union1d": _BY_VALUES,
    "fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.rfft2 fft.rfftn "
    "fft.irfft2 fft.irfftn fft.hfft fft.ihfft fft.fftshift fft.ifftshift sort_complex": _COMPLEX,
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
    "full": "numpy.full_like, or numpy.broadcast_to(x, shape)",
    "frompyfunc": "call the function itself, made of NumPy's functions and numpy.where",
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
        "vectorize": "the function itself, made of NumPy's functions and numpy.where",
        "interp1d": "numpy.interp",
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
    **dict.fromkeys(("tobytes", "tofile", "dump", "dumps", "data", "ctypes"), _TEXT),
}


def _phrase(text: str) -> str:
    """A reason as it is; what is to be written, as advice."""
    advice = text.startswith(("numpy.", "eggrad.", "list(")) or text in _OF_SCIPY.values()
    return f"write {text}" if advice else text


METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: f"expressions have no {name}: {_phrase(text)}"
        if (text := _ARRAY_METHODS.get(name) or _INSTEAD.get(name, ""))
        else f"expressions have no {name}; docs/numpy.md lists what they have"
        for name in dir(np.ndarray)
        if not name.startswith("_")
    }
)
"""What the methods of arrays that expressions lack are to be replaced by."""


class NoSuchMethod(UnsupportedOperation, AttributeError):
    """A method of NumPy's arrays that expressions do not have."""


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


def no_array() -> str:
    """Why an expression is not made an array, of which there is a function that asked for one."""
    called = _calling_function()
    if called is None:
        return (
            "an expression cannot become an array: numpy.stack joins expressions in a list, "
            "numpy.asarray(x, like=x) leaves one as it is, and evaluate() computes an array from "
            "values"
        )
    module, name = called
    known = (_OF_SCIPY.get(name), *(_INSTEAD.get(f"{m}{name}") for m in ("", "fft.", "linalg.")))
    instead = next(filter(None, known), None)
    return (
        f"{module}.{name} takes no expressions, for it makes arrays of what it is given: "
        + _phrase(instead or "write it with those functions of NumPy that docs/numpy.md lists")
    )


def _calling_function() -> tuple[str, str] | None:
    """The module and the name of the function of NumPy or SciPy that a user has called."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    found: tuple[str, str] | None = None
    while frame is not None:
        module, name = _named(frame)
        library, *parts = module.split(".")
        if library not in _LIBRARIES and (found or library not in _BETWEEN):
            break
        if library in _LIBRARIES and "array_api_compat" not in parts and name[:1] not in ("", "_"):
            public = [p for p in parts if not p.startswith("_")][:1]
            top = callable(getattr(sys.modules.get(library), name, None))
            found = library if top else ".".join([library, *public]), name
        frame = frame.f_back
    return found


_LIBRARIES: Final = ("numpy", "scipy")
_BETWEEN: Final = ("eggrad", "functools", "contextlib")


def _named(frame: FrameType) -> tuple[str, str]:
    """The module and the name of what is called: a function, a class, what a decorator is on."""
    module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
    owner = frame.f_locals.get("self")
    if name in ("__call__", "__init__") and owner is not None:
        return module, type(owner).__name__
    if "wrap" in name:
        own = frame.f_locals.get("f") or frame.f_locals.get("func")
        return getattr(own, "__module__", module), getattr(own, "__name__", "")
    return module, "" if name.startswith("<") else name
