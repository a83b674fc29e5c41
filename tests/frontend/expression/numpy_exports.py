"""What each function that NumPy and SciPy export does with expressions, found by calling it.

`python -m tests.frontend.expression.numpy_exports` writes `tests/data/numpy_exports.txt`.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from inspect import isclass, ismodule
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import scipy

import eggrad as eg
from eggrad.engine.errors import MISTAKES
from eggrad.frontend.expression.numpy_linalg import SVDResult
from tests.support.values import evaluated

FILE: Final = Path(__file__).parents[2] / "data" / "numpy_exports.txt"
LIBRARIES: Final = ("numpy", "numpy.linalg", "scipy.linalg", "scipy.special")
VERSIONS: Final = f"# NumPy {np.__version__}, SciPy {scipy.__version__}"

# What is called with settings, names, files, functions or types, and never with an array.
_WITHOUT_ARRAYS: Final = """
    numpy.array2string numpy.array_repr numpy.array_str numpy.asmatrix
    numpy.bartlett numpy.base_repr numpy.binary_repr numpy.blackman numpy.bmat
    numpy.broadcast_shapes numpy.busday_count numpy.busday_offset numpy.can_cast
    numpy.datetime_as_string numpy.datetime_data numpy.diag_indices numpy.diag_indices_from
    numpy.einsum_path numpy.empty numpy.empty_like numpy.format_float_positional
    numpy.format_float_scientific numpy.from_dlpack numpy.frombuffer numpy.fromfile
    numpy.fromfunction numpy.fromiter numpy.frompyfunc numpy.fromregex numpy.fromstring
    numpy.genfromtxt numpy.get_include numpy.get_printoptions numpy.getbufsize
    numpy.geterr numpy.geterrcall numpy.hamming numpy.hanning numpy.indices
    numpy.info numpy.is_busday numpy.isdtype numpy.isfortran numpy.isscalar numpy.issubdtype
    numpy.iterable numpy.ix_ numpy.kaiser numpy.load numpy.loadtxt numpy.mask_indices
    numpy.may_share_memory numpy.min_scalar_type numpy.mintypecode numpy.nested_iters
    numpy.printoptions numpy.promote_types numpy.put_along_axis numpy.random numpy.require
    numpy.save numpy.savetxt numpy.savez numpy.savez_compressed numpy.set_printoptions
    numpy.setbufsize numpy.seterr numpy.seterrcall numpy.shares_memory numpy.show_config
    numpy.show_runtime numpy.test numpy.tri numpy.tril_indices numpy.tril_indices_from
    numpy.triu_indices numpy.triu_indices_from numpy.typename numpy.unravel_index
    numpy.linalg.test scipy.linalg.bandwidth scipy.linalg.find_best_blas_type
    scipy.linalg.get_blas_funcs scipy.linalg.get_lapack_funcs scipy.linalg.test scipy.linalg.dft
    scipy.linalg.hadamard scipy.linalg.helmert scipy.linalg.hilbert scipy.linalg.invhilbert
    scipy.linalg.invpascal scipy.linalg.pascal scipy.linalg.clarkson_woodruff_transform
    scipy.linalg.leslie numpy.isnat numpy.packbits numpy.unpackbits
"""
WITHOUT_ARRAYS: Final = frozenset(_WITHOUT_ARRAYS.split())

# The functions of `scipy.special` that are no ufuncs take orders, but for these.
_OF_ARRAYS: Final = """
    comb factorial log_softmax logsumexp multigammaln perm polygamma sinc softmax
"""
OF_ARRAYS: Final = frozenset(_OF_ARRAYS.split())

RNG: Final = np.random.default_rng(0)
VALUES: Final = {"x": RNG.uniform(0.2, 0.8, 6), "M": RNG.uniform(0.2, 0.8, (4, 4)) + np.eye(4)}
E: Final = {name: eg.variable(name, value.shape) for name, value in VALUES.items()}

Arguments = Callable[[Any, Any], tuple[Any, ...]]

# Tried in turn, until NumPy takes one.
PATTERNS: Final[list[Arguments]] = [
    lambda x, M: (M,),
    lambda x, M: (x,),
    lambda x, M: (M, M[::-1] + 0.3),
    lambda x, M: (M, M[0]),
    lambda x, M: (x, x[::-1] + 0.3),
    lambda x, M: (2, x),
    lambda x, M: (x, 2),
    lambda x, M: (x > 0.5,),
    lambda x, M: ([M, M],),
    lambda x, M: (x, x, x),
    lambda x, M: (2, x, x),
    lambda x, M: (x, x, x, x),
    lambda x, M: (2, 0.5, x),
    lambda x, M: (2, 3, x),
    lambda x, M: (2, 1, 0.5, x),
    lambda x, M: (x, 0.5, 0.3, 0.2, 0.1),
]
ARGUMENTS: Final[Mapping[str, Arguments]] = {
    "numpy.apply_along_axis": lambda x, M: (np.sum, 0, M),
    "numpy.apply_over_axes": lambda x, M: (np.sum, M, [0]),
    "numpy.argpartition": lambda x, M: (x, 2),
    "numpy.astype": lambda x, M: (x, float),
    "numpy.array_split": lambda x, M: (x, 4),
    "numpy.bincount": lambda x, M: ([0, 1, 1, 2, 0, 1], x),
    "numpy.bitwise_and": lambda x, M: (x > 0.5, x < 0.7),
    "numpy.bitwise_or": lambda x, M: (x > 0.5, x < 0.7),
    "numpy.bitwise_xor": lambda x, M: (x > 0.5, x < 0.7),
    "numpy.broadcast_to": lambda x, M: (x, (2, 6)),
    "numpy.choose": lambda x, M: ([0, 1, 0, 1, 1, 0], [x, 2 * x]),
    "numpy.clip": lambda x, M: (x, 0.3, 0.7),
    "numpy.compress": lambda x, M: ([True, False, True], x),
    "numpy.copyto": lambda x, M: (np.zeros(6), x),
    "numpy.correlate": lambda x, M: (x, x[:2]),
    "numpy.cross": lambda x, M: (x[:3], x[3:]),
    "numpy.delete": lambda x, M: (x, 1),
    "numpy.digitize": lambda x, M: (x, [0.3, 0.5]),
    "numpy.dsplit": lambda x, M: (M[:, :, None], [0]),
    "numpy.einsum": lambda x, M: ("ij,j->i", M, M[0]),
    "numpy.expand_dims": lambda x, M: (x, 0),
    "numpy.extract": lambda x, M: ([True, False, True, True, True, False], x),
    "numpy.fill_diagonal": lambda x, M: (M, 0.0),
    "numpy.full_like": lambda x, M: (M, x[0]),
    "numpy.geomspace": lambda x, M: (x[0], x[1], 3),
    "numpy.hsplit": lambda x, M: (M, 2),
    "numpy.insert": lambda x, M: (x, 1, 2.0),
    "numpy.interp": lambda x, M: (x, [0.0, 0.5, 1.0], [1.0, 3.0, 2.0]),
    "numpy.isin": lambda x, M: (x, [0.5]),
    "numpy.ldexp": lambda x, M: (x, np.arange(6)),
    "numpy.lexsort": lambda x, M: ((x, x),),
    "numpy.linspace": lambda x, M: (x[0], x[1], 3),
    "numpy.logspace": lambda x, M: (x[0], x[1], 3),
    "numpy.moveaxis": lambda x, M: (M, 0, 1),
    "numpy.partition": lambda x, M: (x, 2),
    "numpy.percentile": lambda x, M: (x, 30),
    "numpy.nanpercentile": lambda x, M: (x, 30),
    "numpy.piecewise": lambda x, M: (x, [x < 0.5], [lambda t: t**2, 1.0]),
    "numpy.place": lambda x, M: (np.zeros(6), x > 0.5, [1.0]),
    "numpy.polyfit": lambda x, M: (np.arange(6), x, 2),
    "numpy.put": lambda x, M: (x, [0], [1.0]),
    "numpy.putmask": lambda x, M: (np.zeros(6), x > 0.5, 1.0),
    "numpy.quantile": lambda x, M: (x, 0.3),
    "numpy.nanquantile": lambda x, M: (x, 0.3),
    "numpy.ravel_multi_index": lambda x, M: ((x, x), (2, 3)),
    "numpy.repeat": lambda x, M: (x, 2),
    "numpy.reshape": lambda x, M: (x, (2, 3)),
    "numpy.resize": lambda x, M: (x, (2, 5)),
    "numpy.roll": lambda x, M: (x, 2),
    "numpy.rollaxis": lambda x, M: (M, 1),
    "numpy.searchsorted": lambda x, M: (np.arange(3) / 3, x),
    "numpy.select": lambda x, M: ([x < 0.5], [x]),
    "numpy.split": lambda x, M: (x, 2),
    "numpy.swapaxes": lambda x, M: (M, 0, 1),
    "numpy.take": lambda x, M: (x, [0, 2]),
    "numpy.take_along_axis": lambda x, M: (x, np.array([0, 2]), 0),
    "numpy.tensordot": lambda x, M: (M, M, 1),
    "numpy.tile": lambda x, M: (x, 2),
    "numpy.trapezoid": lambda x, M: (x,),
    "numpy.vander": lambda x, M: (x, 3),
    "numpy.vecmat": lambda x, M: (M[0], M),
    "numpy.vsplit": lambda x, M: (M, 2),
    "numpy.where": lambda x, M: (x > 0.5, x, 0),
    "numpy.linalg.cholesky": lambda x, M: (M @ M.T,),
    "numpy.linalg.cross": lambda x, M: (x[:3], x[3:]),
    "numpy.linalg.matrix_power": lambda x, M: (M, 3),
    "numpy.linalg.multi_dot": lambda x, M: ([M, M, M],),
    "numpy.linalg.vecmat": lambda x, M: (M[0], M),
    "numpy.linalg.tensorinv": lambda x, M: (M, 1),
    "scipy.linalg.cdf2rdf": lambda x, M: (M[0], M),
    "scipy.linalg.cho_solve": lambda x, M: ((M, True), M[0]),
    "scipy.linalg.cho_solve_banded": lambda x, M: ((M, True), M[0]),
    "scipy.linalg.lu_solve": lambda x, M: ((M, [0, 1, 2, 3]), M[0]),
    "scipy.linalg.solve_banded": lambda x, M: ((1, 2), M, M[0]),
    "scipy.linalg.fractional_matrix_power": lambda x, M: (M, 0.5),
    "scipy.linalg.funm": lambda x, M: (M, np.exp),
    "scipy.linalg.fiedler_companion": lambda x, M: (x,),
    "scipy.linalg.cossin": lambda x, M: (M, 2, 2),
    "scipy.linalg.cholesky": lambda x, M: (M @ M.T,),
    "scipy.linalg.cho_factor": lambda x, M: (M @ M.T,),
    "scipy.linalg.diagsvd": lambda x, M: (x, 6, 6),
    "scipy.linalg.eigh_tridiagonal": lambda x, M: (x, x[1:]),
    "scipy.linalg.eigvalsh_tridiagonal": lambda x, M: (x, x[1:]),
    "scipy.linalg.qr_delete": lambda x, M: (M, M, 0),
    "scipy.linalg.qr_insert": lambda x, M: (M, M, M[0], 0),
    "scipy.linalg.qr_update": lambda x, M: (M, M, M[0], M[0]),
    "scipy.linalg.solve_continuous_are": lambda x, M: (M, M, M, M),
    "scipy.linalg.solve_discrete_are": lambda x, M: (M, M, M, M),
    "scipy.linalg.solve_sylvester": lambda x, M: (M, M, M),
    "scipy.special.comb": lambda x, M: (x, 2),
    "scipy.special.factorial": lambda x, M: (x,),
    "scipy.special.multigammaln": lambda x, M: (x + 1, 2),
    "scipy.special.perm": lambda x, M: (x, 2),
    "scipy.special.polygamma": lambda x, M: (1, x),
    # What has no derivative by its orders.
    **{
        f"scipy.special.{name}": lambda x, M: (2, x)
        for name in ("jn", "jv", "yn", "yv", "iv", "ive", "gammainc", "gammaincc")
    },
    "scipy.special.betainc": lambda x, M: (1, 2, x / 9),
}
# Those that take no array make expressions where one is given as `like`.
LIKE: Final[Mapping[str, tuple[Any, ...]]] = {
    "numpy.arange": (2, 9, 3),
    "numpy.eye": (3, 4, 1),
    "numpy.full": ((2, 3), 0.5),
    "numpy.identity": (3,),
    "numpy.ones": ((2, 3),),
    "numpy.zeros": (4,),
}


def exported() -> dict[str, Callable[..., Any]]:
    """The functions that the libraries export, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for library in LIBRARIES:
        module = import_module(library)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if callable(value) and not isclass(value) and not ismodule(value):
                found[f"{library}.{name}"] = value
    return found


def leaves(value: Any) -> Iterator[Any]:
    """What a result is made of."""
    if isinstance(value, tuple | list | SVDResult):
        yield from chain.from_iterable(map(leaves, cast("list[Any]", value)))
    else:
        yield value


def classified(name: str, function: Callable[..., Any]) -> str:
    """The class of a function; `AssertionError` for a wrong value or an error that is none of ours.

    The first arguments count that the library takes as arrays.
    """
    library, _, last = name.rpartition(".")
    of_orders = library == "scipy.special" and not isinstance(function, np.ufunc)
    if name in WITHOUT_ARRAYS or (of_orders and last not in OF_ARRAYS):
        return "refused: it takes no array"
    if name in LIKE:
        made = function
        function = lambda like: made(*LIKE[name], like=like)  # noqa: E731
    patterns = [ARGUMENTS[name]] if name in ARGUMENTS else PATTERNS
    if last.startswith(("obl_", "pro_")):
        # SciPy's spheroidal functions may crash where an order is none.
        return "refused: there is no rule"
    refusals: list[str] = []
    # Of arguments that NumPy does not take either, as real numbers where integers are wanted.
    doubtful: list[str] = []
    for arguments in patterns:
        count = len(arguments(*E.values()))
        if isinstance(function, np.ufunc) and count != function.nin:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                # Some change what they are given.
                expected = function(*arguments(*(a.copy() for a in VALUES.values())))
            except MISTAKES:
                expected = None
            known = expected is not None or name in ARGUMENTS
            try:
                result = function(*arguments(*E.values()))
            except eg.EggradError as error:
                if known and not isinstance(error, eg.ShapeError):
                    return f"refused: {reason(name, str(error))}"
                (refusals if known else doubtful).append(str(error))
                continue
            except MISTAKES:
                if known:
                    raise
                continue
            if known:
                return compared(name, result, expected)
    refusals = refusals or doubtful
    assert refusals, f"{name}: no arguments are known that it takes"
    return f"refused: {reason(name, refusals[0])}"


def compared(name: str, result: Any, expected: Any) -> str:
    """Whether a result, whose value has to be that of arrays, has a derivative."""
    pairs = list(zip(leaves(result), leaves(expected), strict=True))
    slopes = False
    for found, wanted in pairs:
        own = found.astype(float) if hasattr(found, "test") else found
        if isinstance(own, np.ndarray) and own.dtype == object:
            own = np.asarray(own, like=E["x"])
        if not isinstance(own, eg.Expression):
            # The rank that lstsq does not say is None.
            assert own is None or own is wanted or own == wanted, name
            continue
        value = evaluated(own, VALUES)
        assert value.shape == np.shape(wanted), name
        np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-9, err_msg=name)
        weighted = np.sum(own * RNG.uniform(1, 2, value.shape))
        for variable in own.variables:
            slopes |= bool(np.any(evaluated(eg.gradient(weighted, variable.name), VALUES)))
    return "supported" if slopes else "no derivative"


def reason(name: str, message: str) -> str:
    """The reason of a refusal, without the name of the function."""
    if "of expressions is not supported: " in message:
        return message.partition("of expressions is not supported: ")[2]
    if " takes no expressions, for it " in message:
        return message.partition(" takes no expressions, ")[2].partition(": ")[2]
    if "docs/numpy.md" in message:
        return "there is no rule"
    own = message.removeprefix(f"{name} of expressions: ")
    return own.removeprefix(f"{name.rpartition('.')[2]}: ")


def lines() -> list[str]:
    """The file's lines, found anew."""
    return [f"{name}: {classified(name, function)}" for name, function in exported().items()]


def listed() -> dict[str, str]:
    """The classes that the file says."""
    pairs = (line.split(": ", 1) for line in FILE.read_text().splitlines() if line[:1] != "#")
    return {line[0]: line[1] for line in pairs}


if __name__ == "__main__":
    FILE.write_text("\n".join([VERSIONS, *lines()]) + "\n")
