"""What to write instead of what expressions do not have: functions, methods, values.

Each entry of the tables says why there is no such function of NumPy or SciPy, or of which others it
is made. Where Python, NumPy or SciPy asks an expression for its value, the function that asked is
looked for among the callers, and else what Python was doing when it asked, which its instruction
says.
"""

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from dis import get_instructions
from types import BuiltinFunctionType, FrameType, MappingProxyType
from typing import Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

_IN_PLACE: Final = "expressions never change; write numpy.where(condition, a, b) or numpy.stack"
_BY_VALUES: Final = "the shape of the result depends on values; write numpy.where(condition, x, 0)"
_COMPLEX: Final = (
    "the values are complex, expressions are real; write the sums of cosines and sines out, as "
    "products with numpy.cos(angles) and numpy.sin(angles)"
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
    "fft.irfft2 fft.irfftn fft.hfft fft.ihfft": _COMPLEX,
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
    "full": "numpy.full(shape, value, like=x), where x is an expression",
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
_DENSITIES: Final = "eggrad.stats, which has distributions by SciPy's names: norm, gamma and others"
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
        "multigammaln": "eggrad.special.multigammaln",
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
        **dict.fromkeys(
            ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf"), _DENSITIES
        ),
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
    known = _reasons(name)
    if library.startswith("scipy"):
        known.insert(0, _OF_SCIPY.get(name))
        known.append("write it with those functions of NumPy that docs/numpy.md lists")
    else:
        known.append(
            "numpy.array(entries, like=x) of a list of entries, or numpy.stack, where x is an "
            "expression"
        )
    return _phrase(next(filter(None, known)))


def _reasons(name: str) -> list[str | None]:
    """What to write instead of a function of NumPy, by the modules that it may be in."""
    return [_INSTEAD.get(f"{m}{name}") for m in ("", "fft.", "linalg.")]


# Values that are asked for.

_ASSIGNED: Final = (
    "an expression is not assigned to entries of an array: collect the entries in a list and write "
    "numpy.stack(entries), or numpy.concatenate of parts"
)
_INDEX: Final = (
    "an array or a list is not indexed by an expression: write numpy.asarray(array, like=x)[index] "
    "for an index as numpy.argmax(x) has it, and numpy.where(mask, array, 0) for a mask"
)
FORMATTED: Final = (
    "an expression has no digits to write: leave the format out, f'{x}' writes the formula; to see "
    "values in a function given to eggrad.grad, return them as well, with has_aux=True"
)


def is_calling() -> bool:
    """Whether a function was called that asks for an attribute, and nobody wrote it."""
    return _doing() == "called"


# The most entries that NumPy's functions compute with one by one, and that lists are joined of.
_MOST_COMPUTED: Final = 300
_MOST_JOINED: Final = 10_000


def most_entries() -> int:
    """Of how many entries an array of scalars is made for what asks, which NumPy may compute with.

    There are none where something else is to be written.
    """
    if _doing() in ("assigned", "indexed"):
        return 0
    called = _calling_function(3)
    if called is None:
        return _MOST_JOINED
    module, name = called
    return _MOST_COMPUTED if module.startswith("numpy") and not any(_reasons(name)) else 0


def no_array() -> str:
    """Why an expression is not made an array, of which there is a function that asked for one."""
    return _called("for it makes arrays of what it is given") or {
        "assigned": _ASSIGNED,
        "indexed": _INDEX,
    }.get(
        _doing(),
        "an expression cannot become an array: numpy.array(entries, like=x) and numpy.stack join "
        "expressions in a list, numpy.asarray(x, like=x) leaves one as it is; random numbers are "
        "drawn without expressions, as in x + s * numpy.random.normal(size=3); evaluate() computes "
        "an array from values",
    )


def no_number() -> str:
    """Why an expression is not made a number."""
    return _called("for it computes with numbers") or {
        "assigned": _ASSIGNED,
        "formatted": FORMATTED,
    }.get(
        _doing(),
        "an expression has no value that a number could be made of: write numpy.sqrt, exp, ... "
        "instead of math.sqrt, exp, ..., leave float() and int() out, and join expressions by "
        "numpy.stack",
    )


def no_integer() -> str:
    """Why an expression is not made an integer."""
    if _doing() == "indexed":
        return _INDEX
    return (
        "an expression is no number, as a length, an index or the end of a range is: write an "
        "integer, such as x.shape[0]; where sizes are symbols, einsum and sums instead of loops, "
        'slices such as x[:-1], eggrad.constant(0, ("n - 1",)) instead of numpy.zeros(n - 1)'
    )


def no_truth(what: str) -> str:
    """Why what has no value is neither true nor false."""
    called = _called("for it decides by values")
    if called:
        return called
    neither = f"{what} is neither true nor false"
    if _doing() == "called":
        return (
            f"{neither}: instead of Python's max, min and sorted write numpy.maximum(a, b), "
            "numpy.minimum(a, b), numpy.max(x), numpy.min(x) and numpy.sort(x); numpy.where("
            "condition, a, b) is there for other choices"
        )
    return (
        f"{neither}: write numpy.where(condition, a, b) instead of a branch, or of functions "
        "eggrad.cond(condition, f, g, x), & | ~ instead of and, or, not, and (a < x) & (x < b) "
        "instead of a < x < b; a loop that ends by a value is "
        "eggrad.while_loop(test, step, start, max_steps)"
    )


def _doing() -> str:
    """What the caller of the method that asks was doing."""
    frame = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]
    done = [i for i in get_instructions(frame.f_code) if i.offset <= frame.f_lasti]
    if not done:
        return ""
    name, written = done[-1].opname, done[-1].argrepr
    if name == "STORE_SUBSCR":
        return "assigned"
    if name == "BINARY_SUBSCR" or written == "[]":
        return "indexed"
    if written in ("%", "%="):
        return "formatted"
    return "called" if name.startswith("CALL") else ""


def _called(reason: str) -> str:
    """That the function of NumPy or SciPy that a user has called takes no expressions."""
    called = _calling_function(4)
    if called is None:
        return ""
    module, name = called
    return f"{module}.{name} takes no expressions, {reason}: {instead_of(module, name)}"


def _calling_function(depth: int) -> tuple[str, str] | None:
    """The module and the name of the function of NumPy or SciPy that a user has called."""
    frame: FrameType | None = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]
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
        wrapped = frame.f_locals.get("f") or frame.f_locals.get("func")
        return getattr(wrapped, "__module__", module), getattr(wrapped, "__name__", "")
    return module, "" if name.startswith("<") else name
