"""What to write instead of functions and methods of NumPy and SciPy that expressions do not have.

By meaning: each entry says why there is no such function, or of which others it is made.
"""

from collections.abc import Mapping
from sys import _getframe as _frame  # pyright: ignore[reportPrivateUsage]
from types import FrameType, MappingProxyType
from typing import Any, Final

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
_EIGENVALUES: Final = (
    "numpy.linalg.det, slogdet, inv and solve, numpy.trace of powers, or numpy.linalg.norm"
)
_SYSTEM: Final = "numpy.linalg.solve or numpy.linalg.inv"

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
    "linalg.eig linalg.eigvals linalg.eigh linalg.eigvalsh linalg.svd linalg.svdvals linalg.cond "
    "linalg.matrix_rank linalg.qr linalg.cholesky": _EIGENVALUES,
    "linalg.lstsq linalg.pinv linalg.tensorsolve linalg.tensorinv": _SYSTEM,
    "roots polydiv": "it is found by iteration; numpy.polyval evaluates a polynomial",
    "nextafter spacing frexp": "it is about digits of floating-point numbers; leave it out",
    "sort argsort partition argpartition sort_complex median percentile quantile nanmedian "
    "nanpercentile nanquantile argmax argmin nanargmax nanargmin": (
        "numpy.max, min, maximum and minimum are what depends on the order of values"
    ),
    "take_along_axis": "numpy.take with literal indices, or x[i] with integers",
    "emath.sqrt emath.log emath.log2 emath.log10 emath.logn emath.power emath.arccos emath.arcsin "
    "emath.arctanh": "the function of the same name in numpy itself, which is real",
    "datetime_data isnat": "it is for dates",
    "require": "numpy.asarray(x, like=x)",
}
_INSTEAD: Final[Mapping[str, str]] = MappingProxyType(
    {name: text for names, text in _GROUPS.items() for name in names.split()}
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
        "norm": "numpy.linalg.norm",
        "inv": "numpy.linalg.inv",
        "det": "numpy.linalg.det",
        "solve": "numpy.linalg.solve",
        "solve_triangular": "numpy.linalg.solve",
        "cho_solve": "numpy.linalg.solve",
        "block_diag": "numpy.block of the blocks and zeros",
        "kron": "numpy.kron",
        "vectorize": "the function itself, made of NumPy's functions and numpy.where",
        "interp1d": "numpy.interp",
    }
)
_ARRAY_METHODS: Final[Mapping[str, str]] = {
    "sort": _INSTEAD["sort"],
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

METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: f"expressions have no {{name}}: {_ARRAY_METHODS.get(name) or _INSTEAD.get(name)}"
        if name in _ARRAY_METHODS or name in _INSTEAD
        else "expressions have no {name}; docs/numpy.md lists what they have"
        for name in dir(np.ndarray)
        if not name.startswith("_")
    }
)
"""What the methods of arrays that expressions lack are to be replaced by."""


class NoSuchMethod(UnsupportedOperation, AttributeError):
    """A method of NumPy's arrays that expressions do not have."""


def refusal(name: str) -> UnsupportedOperation:
    """The error for a function of NumPy, with what to write instead.

    >>> print(refusal("flatnonzero"))
    numpy.flatnonzero of expressions is not supported: the shape of the result depends on ...
    """
    reason = _INSTEAD.get(name) or _INSTEAD.get(name.rpartition(".")[2])
    return UnsupportedOperation(
        f"numpy.{name} of expressions is not supported: {reason}"
        if reason
        else f"numpy.{name} of expressions is not supported; docs/numpy.md lists what is, and "
        "numpy.einsum, numpy.where and slices make most other things"
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
    instead = _OF_SCIPY.get(name) or _INSTEAD.get(name)
    return (
        f"{module}.{name} takes no expressions, for it makes arrays of what it is given: "
        + (instead and f"write {instead}" or "write it with NumPy's functions, docs/numpy.md")
    )


def _calling_function() -> tuple[str, str] | None:
    """The module and the name of the function of NumPy or SciPy that a user has called."""
    frame: FrameType | None = _frame(2)
    found: tuple[str, str] | None = None
    while frame is not None:
        library, *parts = frame.f_globals.get("__name__", "").split(".")
        if library not in ("numpy", "scipy", "array_api_compat"):
            # Decorators are called by files of other names.
            if found or library not in ("functools", "contextlib", "eggrad"):
                break
        elif library != "array_api_compat":
            public = [p for p in parts if not p.startswith("_")][:1]
            name = _public_name(frame)
            if name and not name.startswith("_"):
                found = ".".join([library, *public]), name
        frame = frame.f_back
    return found


def _public_name(frame: FrameType) -> str:
    """The name of the function of a frame, or of the class whose method it is."""
    name = frame.f_code.co_name
    owner: Any = frame.f_locals.get("self")
    if name in ("__call__", "__init__") and owner is not None:
        return type(owner).__name__
    return "" if name.startswith("<") or "wrapper" in name else name
