"""What the names of a NumPy text mean: the modules, constants and functions that it may use.

The functions are those that NumPy's own functions reach with expressions, and no others: this
table is all that a text can call.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from inspect import signature
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.terms.functions import CALLED
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import linalg, special
from eggrad.frontend.expression.expression import Expression, MergedAxes, add, as_expression
from eggrad.frontend.expression.numpy_protocols import known_call, takes_axis
from eggrad.frontend.expression.numpy_ufuncs import UFUNCS


@dataclass(frozen=True)
class Module:
    """A module by its whole name."""

    path: str


@dataclass(frozen=True)
class Known:
    """A function that a text may call, by its whole name, and how many arguments are arrays."""

    path: str
    call: Callable[..., Any]
    of_arrays: int = 0


MODULES: Final = frozenset(
    {
        *("numpy", "numpy.linalg", "numpy.lib", "numpy.lib.stride_tricks", "math"),
        *("scipy", "scipy.special", "scipy.linalg"),
        *("eggrad", "eggrad.special", "eggrad.linalg"),
    }
)
CALLED_MODULES: Final[Mapping[str, Module]] = {
    **{name: Module("numpy") for name in ("np", "numpy", "jnp", "anp")},
    **{name: Module("numpy.linalg") for name in ("linalg", "LA", "la")},
    **{name: Module("eggrad") for name in ("eg", "eggrad")},
    "math": Module("math"),
    "scipy": Module("scipy"),
    "special": Module("scipy.special"),
}
"""What modules are called where no line says it."""

FOREIGN: Final = frozenset(
    ("jax", "torch", "tf", "cp", "cupy", "autograd", "sympy", "tensorflow", "keras")
)
"""Modules that others take for NumPy."""

PARTS: Final = frozenset(
    {
        *("numpy.fft", "numpy.random", "scipy.optimize", "scipy.signal", "scipy.integrate"),
        *("scipy.stats", *(f"scipy.stats.{name}" for name in ("norm", "multivariate_normal"))),
    }
)
"""Parts of libraries of which no function is read."""

_PRODUCTS: Final = ("dot", "inner", "outer", "vdot", "vecdot", "tensordot", "kron", "cross")
_METHODS_OF_UFUNCS: Final = ("reduce", "accumulate", "outer")


def constants() -> dict[str, Any]:
    """The names that are values, with those of modules written out."""
    numbers = {
        "pi": as_expression(math.pi),
        "e": language.exp(as_expression(1)),
        "inf": math.inf,
        "euler_gamma": as_expression(np.euler_gamma),
    }
    of_numpy = {"newaxis": None, "float64": float, "float32": float, "int64": int, "bool_": bool}
    return {
        **{f"numpy.{name}": value for name, value in (numbers | of_numpy).items()},
        **{f"math.{name}": numbers[name] for name in ("pi", "e", "inf")},
        "math.tau": as_expression(2) * numbers["pi"],
        "float": float,
        "int": int,
        "bool": bool,
    }


@cache
def functions() -> Mapping[str, Known]:
    """Every function that a text may call, by its whole name.

    >>> "numpy.sum" in functions(), "numpy.save" in functions()
    (True, False)
    """
    return MappingProxyType({f.path: f for f in _functions()})


def _functions() -> Iterator[Known]:
    for library, module in (
        ("numpy", np),
        ("numpy.linalg", np.linalg),
        ("numpy.lib.stride_tricks", np.lib.stride_tricks),
    ):
        for name, function in vars(module).items():
            call = known_call(function)
            if call is not None and name[:1] != "_":
                call = checked(f"{library}.{name}", function, _with_merged(function, call))
                arrays = 2 if name in _PRODUCTS else takes_axis(function)
                yield Known(f"{library}.{name}", call, arrays)
                for method in _METHODS_OF_UFUNCS:
                    by_method = known_call(function, method)
                    if by_method is not None and isinstance(function, np.ufunc):
                        yield Known(f"{library}.{name}.{method}", by_method, 1)
    own = {name: getattr(language, name) for name in (*language.__all__, *CALLED)}
    # Variables are what the names of a text are.
    del own["variable"]
    own |= {"sigmoid": special.expit, "trace": np.trace, "norm": linalg.norm}
    of_entries = {name: getattr(special, name) for name in special.__all__}
    sums = {name: own[name] for name in ("logsumexp", "softmax", "log_softmax")}
    of_matrices = {name: getattr(linalg, name) for name in (*linalg.__all__, *STACK_FUNCTIONS)}
    for library, table in (
        ("eggrad", own),
        ("eggrad.special", of_entries),
        ("scipy.special", of_entries | sums | {"psi": special.digamma}),
        ("eggrad.linalg", of_matrices),
        ("scipy.linalg", {name: of_matrices[name] for name in linalg.__all__}),
    ):
        for name, function in table.items():
            path, arrays = f"{library}.{name}", name in ("sum", "max", "min", "norm", *sums)
            yield Known(path, checked(path, function), arrays)
    for name, ufunc in _OF_NUMBERS.items():
        yield Known(f"math.{name}", _of_number(f"math.{name}", UFUNCS[ufunc]))
    yield Known("math.log", _of_number("math.log", _logarithm))


def _with_merged(function: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy that is NumPy's of arrays whose axes are several in one."""

    def either(*args: Any, **options: Any) -> Any:
        if not any(isinstance(a, MergedAxes) for a in args):
            return call(*args, **options)
        try:
            return function(*args, **options)
        except TypeError as error:
            raise UnsupportedOperation(str(error)) from None

    return either


def exists(module: str, name: str) -> bool:
    """Whether NumPy has a name, whether or not a text may use it.

    >>> exists("numpy", "savetxt"), exists("numpy", "summ")
    (True, False)
    """
    libraries = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft}
    return module in libraries and name in dir(libraries[module])


def checked(
    name: str, function: Callable[..., Any], call: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function, or what is called in its place, that refuses other arguments than it takes.

    >>> checked("exp", language.exp)(1, 2)
    Traceback (most recent call last):
    eggrad.engine.errors.UnsupportedOperation: exp does not take these arguments: too many ...
    """
    try:
        known = signature(function)
    except ValueError:
        # Some functions of NumPy do not say what they take; what stands for them does.
        return call or function

    def bound(*args: Any, **options: Any) -> Any:
        try:
            known.bind(*args, **options)
        except TypeError as error:
            reason = f"{name} does not take these arguments: {error}"
            raise UnsupportedOperation(reason) from None
        return (call or function)(*args, **options)

    return bound


# Python's own functions ---------------------------------------------------------------------

_OF_NUMBERS: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in (
            *("sqrt", "exp", "exp2", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan"),
            *("sinh", "cosh", "tanh", "fabs", "floor", "ceil", "trunc", "hypot", "erf", "erfc"),
            *("gamma", "copysign", "fmod", "degrees", "radians", "cbrt"),
        )
    },
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")},
    "pow": "power",
    "lgamma": "gammaln",
}
"""The functions of `math`, by the ufuncs that do the same to scalars."""


def _logarithm(a: Any, base: Any = None) -> Expression:
    """`math.log`."""
    log = language.log(as_expression(a))
    return log if base is None else log / language.log(as_expression(base))


def _of_number(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes scalars alone."""
    of_any = checked(name, function)

    def call(*args: Any, **options: Any) -> Any:
        for a in args:
            if getattr(a, "ndim", 0):
                own = name.rpartition(".")[2]
                raise ShapeError(
                    f"{name} is of a number, the argument has axes ({', '.join(map(str, a.shape))})"
                    f"; NumPy's {_OF_NUMBERS.get(own, own)} is of every entry"
                )
        return of_any(*args, **options)

    return call


def _length(a: Any) -> Any:
    shape = a.shape if hasattr(a, "shape") else (len(a),) if isinstance(a, tuple | list) else ()
    if not shape:
        raise ShapeError("len of a scalar, which has no entries")
    return shape[0]


def _extreme(name: str) -> Callable[..., Any]:
    """Python's `max` or `min` of several numbers; NumPy's of an array."""
    whole, of_two = functions()[f"numpy.{name}"], functions()[f"numpy.{name}imum"]

    def call(*args: Any, **options: Any) -> Any:
        if len(args) < 2 or options:
            return whole.call(*args, **options)
        if any(getattr(a, "ndim", 0) for a in args):
            raise ShapeError(
                f"{name} of several arguments is of numbers; write np.{name}imum(a, b) of every "
                f"entry, np.{name}(x, axis=0) along an axis"
            )
        return reduce(of_two.call, args)

    return call


def _sum(whole: bool) -> Callable[..., Any]:
    """NumPy's sum of all entries; Python's is along the first axis."""
    of_numpy = functions()["numpy.sum"]

    def call(*args: Any, **options: Any) -> Any:
        if whole or len(args) != 1 or options:
            return of_numpy.call(*args, **options)
        if isinstance(args[0], tuple | list):
            return reduce(add, args[0], as_expression(0))
        return of_numpy.call(args[0], axis=0)

    return call


@cache
def bare_functions(of_numpy: bool) -> Mapping[str, Known]:
    """The functions that are called by their names alone, as after `from numpy import *`.

    Where a text writes `np.` before others, and so has not imported all, `sum` is Python's
    unless `of_numpy`.

    >>> bare_functions(True)["norm"].path, bare_functions(True)["expit"].path
    ('numpy.linalg.norm', 'scipy.special.expit')
    """
    found: dict[str, Known] = {}
    for library in ("numpy", "numpy.linalg", "scipy.special", "scipy.linalg", "eggrad"):
        for path, function in functions().items():
            module, _, name = path.rpartition(".")
            if module == library:
                found.setdefault(name, function)
    found["sum"] = Known("sum", _sum(of_numpy), 1)
    found["max"], found["min"] = (Known(n, _extreme(n)) for n in ("max", "min"))
    found["len"] = Known("len", checked("len", _length), 1)
    found["pow"] = found["power"]
    found["float"] = Known("float", checked("float", as_expression))
    return MappingProxyType(found)


METHODS: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in (
            *("all", "any", "argmax", "argmin", "argsort", "clip", "conj", "cumprod", "cumsum"),
            *("diagonal", "dot", "max", "mean", "min", "prod", "ptp", "ravel", "repeat", "round"),
            *("squeeze", "std", "sum", "swapaxes", "take", "trace", "var"),
        )
    },
    "conjugate": "conj",
    "flatten": "ravel",
}
"""The methods of arrays that are functions of NumPy."""

OWN_METHODS: Final = ("reshape", "transpose", "astype", "copy", "item", "compress")
"""Other methods of arrays, as expressions have them."""

PROPERTIES: Final = ("T", "mT", "shape", "ndim", "size", "real", "imag")
