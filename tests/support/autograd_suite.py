"""The tests of autograd, https://github.com/HIPS/autograd, run with eggrad under autograd's names.

`python -m tests.support.autograd_suite FOLDER` runs those of a checkout: further arguments go to
pytest, such as `-k fft` and `--durations=9`. What is called `autograd` in them are the modules made
here, which only say what autograd's names are called in eggrad, NumPy and SciPy. `check_grads`
compares what `eg.jvp` and `eg.vjp` say, once and twice, with differences of values that the
function has at arrays, where it is NumPy's and SciPy's alone.

A test ends in one of these ways. It passed; it was refused, by an `EggradError`; it needs complex
numbers, which an `EggradError` says; it is wrong, by an `AssertionError`; or Python raised some
other error, which no mistake of a user should end in.
"""

import builtins
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import eggrad as eg
from eggrad.frontend.interface.trees import is_numbers

Function = Callable[..., Any]

# What is about autograd itself, by the tests' names, and why eggrad has nothing that is meant.
_PRIMITIVE = "autograd's own way to declare a function of arrays by its pullback"
_GRAPH = "counts how often autograd calls a function while it keeps a graph"
_CONVOLVE = "axes= and dot_axes= of autograd's own convolve, which SciPy's does not have"
_WHERE = "autograd's own where of plain numbers; NumPy's has no keywords and returns its own types"
APART: Final[Mapping[str, str]] = {
    "test_tests.py::test_check_vjp_1st_order_fail": _PRIMITIVE,
    "test_tests.py::test_check_vjp_2nd_order_fail": _PRIMITIVE,
    "test_wrappers.py::test_deprecated_defgrad_wrapper": _PRIMITIVE,
    "test_wrappers.py::test_deprecated_defvjp_wrapper": _PRIMITIVE,
    "test_wrappers.py::test_deprecated_defvjp_is_zero_wrapper": _PRIMITIVE,
    "test_logic.py::test_no_vjp_def": _PRIMITIVE,
    "test_logic.py::test_no_jvp_def": _PRIMITIVE,
    "test_logic.py::test_unimplemented_falseyness": _PRIMITIVE,
    "test_misc.py::test_const_graph": _GRAPH,
    "test_misc.py::test_const_graph_args": _GRAPH,
    "test_scipy.py::test_convolve_generalization": _CONVOLVE,
    "test_scipy.py::test_convolve_ignore": _CONVOLVE,
    "test_scipy.py::test_convolve_ignore_dot": _CONVOLVE,
    "test_wrappers.py::test_custom_where": _WHERE,
    "test_wrappers.py::test_custom_where_dtypes": _WHERE,
    "test_wrappers.py::test_dtypes": "eggrad computes with single precision at least, as it says",
    "test_wrappers.py::test_wrapped_name_and_docs": "the docstring of autograd.grad",
    "test_vspaces.py::test_array_vspace_complex": "autograd's own space of complex arrays",
    "test_list.py::test_isinstance": "a list of numbers is an array in eggrad, as it is in NumPy",
}


# Values as vectors ---------------------------------------------------------------------------


def _map(function: Function, first: Any, *others: Any) -> Any:
    """Call a function with the numbers of nested values, and nest what it returns."""
    if isinstance(first, tuple | list):
        parts = [_map(function, *parts) for parts in zip(first, *others, strict=True)]
        return type(first)(parts)
    if isinstance(first, dict):
        return {k: _map(function, v, *(o[k] for o in others)) for k, v in first.items()}
    return function(first, *others)


def _arrays(value: Any) -> list[Any]:
    """The arrays and numbers in a nested value."""
    if isinstance(value, tuple | list):
        return [a for v in value for a in _arrays(v)]
    if isinstance(value, dict):
        return [a for k in sorted(value) for a in _arrays(value[k])]
    return [value]


def _flat(value: Any) -> Any:
    """All numbers in one vector; an array is the list of its entries."""
    arrays = [np.ravel(a) for a in _arrays(value)]
    return np.concatenate(arrays) if arrays else np.zeros(0)


class Space:
    """What a nested value is one of, with the names of autograd's vector spaces."""

    def __init__(self, value: Any) -> None:
        """Take a value for its shape."""
        self.shapes = _map(np.shape, value)
        self.like = value

    @property
    def size(self) -> int:
        """How many numbers a value has."""
        return sum(int(np.size(a)) for a in _arrays(self.like))

    def __eq__(self, other: object) -> bool:
        """Whether values are nested alike, and have the same shapes."""
        return isinstance(other, Space) and self.shapes == other.shapes

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def filled(self, number: Callable[..., Any]) -> Any:
        """A value with entries that a function makes of a shape."""
        return _map(lambda a: number(np.shape(a)), self.like)

    def zeros(self) -> Any:
        """The value without anything in it."""
        return self.filled(np.zeros)

    def ones(self) -> Any:
        """The value with ones in it."""
        return self.filled(np.ones)

    def randn(self) -> Any:
        """A value with normal random numbers."""
        return self.filled(lambda shape: np.random.randn(*shape))

    def standard_basis(self) -> Iterator[Any]:
        """The values with one 1."""
        for one in np.eye(self.size):
            left = iter(one)
            yield _map(
                lambda a, left=left: np.reshape([next(left) for _ in range(np.size(a))], a.shape),
                self.zeros(),
            )

    def add(self, x: Any, y: Any) -> Any:
        """The sum of two values."""
        return _map(lambda a, b: a + b, x, y)

    def scalar_mul(self, x: Any, a: Any) -> Any:
        """A value times a number."""
        return _map(lambda b: b * a, x)

    def inner_prod(self, x: Any, y: Any) -> Any:
        """The sum of all products of entries."""
        return sum(np.sum(a * b) for a, b in zip(_arrays(x), _arrays(y), strict=True))

    def covector(self, x: Any) -> Any:
        """The value itself: it is real."""
        return x


# Derivatives that are compared with differences ----------------------------------------------

# As autograd has it.
_NEAR: Final = 1e-6
# Of differences; what is right agrees with one of them, the last where two entries almost tie.
_STEPS: Final = (1e-3, 1e-4, 1e-2, 4e-6)


def scalar_close(a: Any, b: Any) -> Any:
    """Whether two numbers are equal but for six digits."""
    return abs(a - b) < _NEAR or abs(a - b) / abs(a + b) < _NEAR


def check_equivalent(x: Any, y: Any) -> None:
    """Assert that two nested values have the same shapes, and entries that are close."""
    a, b = _flat(x), _flat(y)
    assert a.shape == b.shape, f"shapes differ: {x} and {y}"
    apart = np.abs(a - b)
    close = (apart < _NEAR) | (apart < _NEAR * np.abs(a + b))
    assert close.all(), f"values differ: {x} and {y}"


def _moved(x: Any, v: Any, step: float) -> Any:
    return _map(lambda a, b: a + step * b, x, v)


def _slope(phi: Callable[[float], Any], step: float) -> Any:
    """The derivative of a function at 0 by differences."""
    wide, narrow = ((phi(h) - phi(-h)) / (2 * h) for h in (step, step / 2))
    return (4 * narrow - wide) / 3


def _judge(what: str, f: Function, found: Any, phi: Callable[[float], Any]) -> None:
    _judge_by(what, f, found, [partial(_slope, phi, h) for h in _STEPS])


def _judge_by(what: str, f: Function, found: Any, numeric: Sequence[Callable[[], Any]]) -> None:
    """Assert that a number is one of those that differences give."""
    tried: list[Any] = []
    for difference in numeric:
        tried.append(difference())
        if scalar_close(found, tried[-1]):
            return
    name = getattr(f, "__name__", "a function")
    raise AssertionError(f"({what}) check of {name} failed: {found}, by differences {tried}")


def _second(phi: Callable[[float, float], Any], step: float) -> Any:
    """The derivative of a function at 0 by its first argument, then by its second one."""
    return _slope(lambda t: _slope(lambda s: phi(s, t), step), step)


def _pair(x: Any, y: Any) -> Any:
    """The inner product of two values of one shape, however they are nested."""
    return _flat(x) @ _flat(y)


def _real(x: Any) -> Any:
    """Whole numbers as floating-point numbers, by which derivatives are."""

    def real(a: Any) -> Any:
        whole = isinstance(a, int | np.integer) or getattr(a, "dtype", np.dtype("O")).kind in "iub"
        return np.asarray(a, float)[()] if whole else a

    return _map(real, x)


def make_vjp(f: Function, x: Any) -> tuple[Function, Any]:
    """`eg.vjp` of one argument, the pullback first."""
    value, pullback = eg.vjp(f)(_real(x))
    return lambda g: pullback(g)[0], value


def make_jvp(f: Function, x: Any) -> Function:
    """`eg.jvp` of one argument, first the point and then the direction."""
    return lambda v: eg.jvp(f)((_real(x),), (v,))


def _change(f: Function) -> Function:
    def jvp(x: Any, v: Any) -> Any:
        return eg.jvp(f)((x,), (v,))[1]

    return jvp


def _pulled(f: Function) -> Function:
    def vjp(x: Any, g: Any) -> Any:
        return eg.vjp(f)(x)[1](g)[0]

    return vjp


def _of_pair(f: Function) -> Function:
    def of_pair(pair: tuple[Any, Any]) -> Any:
        return f(*pair)

    return of_pair


def _check_of_one(f: Function, x: Any, modes: Sequence[str] | None = None, order: int = 2) -> None:
    modes = ["fwd", "rev"] if modes is None else modes
    assert all(m in ("fwd", "rev") for m in modes)
    x = _real(x)
    v, u, w = (Space(x).randn() for _ in range(3))
    if "fwd" in modes:
        value, change = eg.jvp(f)((x,), (v,))
        at_x = f(x)
        check_equivalent(value, at_x)
        g = Space(at_x).randn()
        _judge("JVP", f, _pair(g, change), lambda s: _pair(g, f(_moved(x, v, s))))
    if "rev" in modes:
        value, pullback = eg.vjp(f)(x)
        at_x = f(x)
        check_equivalent(value, at_x)
        g = Space(at_x).randn()
        (pulled,) = pullback(g)
        assert [*map(np.shape, _arrays(_as_arrays(pulled)))] == [
            *map(np.shape, _arrays(_as_arrays(x)))
        ], "a pullback has another shape than the argument"
        _judge("VJP", f, _pair(pulled, v), lambda s: _pair(g, f(_moved(x, v, s))))
    if order == 1:
        return
    at_x = f(x)
    g, z = Space(at_x).randn(), Space(at_x).randn()
    if "fwd" in modes:

        def along(s: float, t: float) -> Any:
            return _pair(g, f(_moved(_moved(x, u, t), _moved(v, w, t), s)))

        numeric = [partial(_second, along, h) for h in _STEPS]
        _check_twice(f, _change(f), modes, ((x, v), (u, w), g), numeric)
    if "rev" in modes:

        def across(s: float, t: float) -> Any:
            return _pair(_moved(g, z, t), f(_moved(_moved(x, u, t), v, s)))

        numeric = [partial(_second, across, h) for h in _STEPS]
        _check_twice(f, _pulled(f), modes, ((x, g), (u, z), v), numeric)
    # What has been compared with differences of values serves for the next order.
    derived = [(_change(f), v)] * ("fwd" in modes) + [(_pulled(f), g)] * ("rev" in modes)
    for function, other in derived if order > 2 else ():
        _check_of_one(_of_pair(function), (x, other), modes, order - 1)


def _check_twice(
    f: Function,
    derived: Function,
    modes: Sequence[str],
    points: tuple[Any, Any, Any],
    numeric: Sequence[Callable[[], Any]],
) -> None:
    """Compare the derivative of a derivative along vectors, in the same modes.

    Where entries almost tie, differences of values have too few digits left for it; those of the
    derivative, which has been compared with values, have enough.
    """
    at, along, across = points
    nearest = partial(_slope, lambda t: _pair(across, derived(*_moved(at, along, t))), _STEPS[-1])
    numeric = [*numeric, nearest]
    if "fwd" in modes:
        _, change = eg.jvp(derived)(at, along)
        _judge_by(f"JVP of {derived.__name__}", f, _pair(across, change), numeric)
    if "rev" in modes:
        _, pullback = eg.vjp(derived)(*at)
        _judge_by(f"VJP of {derived.__name__}", f, _pair(pullback(across), along), numeric)


def _as_arrays(value: Any) -> Any:
    """Lists of numbers alone as the arrays that they are in eggrad."""
    if is_numbers(value):
        return np.array(value)
    if isinstance(value, tuple | list):
        return [_as_arrays(v) for v in value]
    return {k: _as_arrays(v) for k, v in value.items()} if isinstance(value, dict) else value


def unary_to_nary(of_one: Function) -> Function:
    """What is said of a function of one argument, of one with several: by one, or by a tuple."""

    def of_many(f: Function, argnum: Any = 0, *more: Any, **options: Any) -> Function:
        def called(*args: Any, **named: Any) -> Any:
            single = isinstance(argnum, int)
            places = [argnum] if single else argnum

            def one(x: Any) -> Any:
                given = [*args]
                for place, value in zip(places, [x] if single else x, strict=True):
                    given[place] = value
                return f(*given, **named)

            one.__name__ = getattr(f, "__name__", "f")
            x = args[argnum] if single else tuple(args[k] for k in argnum)
            return of_one(one, x, *more, **options)

        return called

    of_many.__name__, of_many.__doc__ = of_one.__name__, of_one.__doc__
    return of_many


check_grads = unary_to_nary(_check_of_one)


def combo_check(f: Function, *args: Any, **options: Any) -> Function:
    """`check_grads` for all combinations of some arguments."""

    def check(*choices: Any, **named: Any) -> None:
        for given in product(*choices):
            for values in product(*named.values()):
                check_grads(f, *args, **options)(*given, **dict(zip(named, values, strict=True)))

    return check


def quick_grad_check(f: Function, x: Any, others: Sequence[Any] = (), **_: Any) -> None:
    """`check_grads` by the first argument."""
    check_grads(f)(x, *others)


# autograd's derivatives ------------------------------------------------------------------------


def _by_argnum(derivative: Function) -> Function:
    """A function of eggrad, which says `argnums` where autograd says `argnum`."""

    def of(f: Function, argnum: Any = 0) -> Function:
        return derivative(f, tuple(argnum) if isinstance(argnum, list) else argnum)

    return of


def _elementwise(f: Function, x: Any) -> Any:
    pullback, value = make_vjp(f, x)
    return pullback(Space(value).ones() if not isinstance(value, eg.Expression) else 0 * value + 1)


def _deriv(f: Function, x: Any) -> Any:
    return make_jvp(f, x)(1.0 + 0 * _real(x))[1]


def _tensor_jacobian_product(f: Function, argnum: int = 0) -> Function:
    def product_of(*args: Any) -> Any:
        *given, vector = args
        return eg.jacobian(lambda *a: np.tensordot(vector, f(*a), np.ndim(vector)), argnum)(*given)

    return product_of


def _half_square(y: Any) -> Any:
    return np.sum(y**2, axis=-1) / 2


def _make_ggnvp(f: Function, g: Function = _half_square, f_argnum: int = 0) -> Function:
    def of_one(h: Function, x: Any) -> Function:
        def times(v: Any) -> Any:
            value, change = make_jvp(h, x)(v)
            return make_vjp(h, x)[0](eg.hvp(g)(value, change))

        return times

    return unary_to_nary(of_one)(f, f_argnum)


def _flatten(value: Any) -> tuple[Any, Function]:
    """All numbers in one vector, and what nests a vector like that: the vector's pullback."""
    pullback, flat = make_vjp(_flat, value)
    return flat, pullback


def _isinstance(value: Any, kinds: Any) -> bool:
    """Whether a value is of a type; expressions are arrays."""
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    array = isinstance(value, eg.Expression) and np.ndarray in wanted
    return array or builtins.isinstance(value, kinds)


def _not_there(name: str) -> Function:
    """What eggrad has nothing for; tests that call it are among those that are counted apart."""

    def call(*_: Any, **__: Any) -> Any:
        raise eg.UnsupportedOperation(f"autograd's {name} means nothing in eggrad")

    return call


# Modules -----------------------------------------------------------------------------------------


_METHODS: Final = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf")


def _either(of_arrays: Function, of_expressions: Function) -> Function:
    """A function that SciPy has of arrays, and eggrad of expressions."""

    def call(*args: Any, **options: Any) -> Any:
        given = [*args, *options.values()]
        symbolic = any(isinstance(a, eg.Expression) for v in given for a in _arrays(v))
        return (of_expressions if symbolic else of_arrays)(*args, **options)

    return call


def _module(name: str, names: Mapping[str, Any], rest: Any = None) -> ModuleType:
    """A module with some names, and those that another one has."""
    module = ModuleType(name)
    module.__path__ = []
    vars(module).update({**(vars(rest) if rest is not None else {}), **names, "__name__": name})
    return module


def _of_scipy(name: str, library: Any, *own: Any) -> ModuleType:
    """A module of SciPy; expressions go to eggrad's functions of the same names."""
    names: dict[str, Any] = {}
    for of_arrays in (name for name in dir(library) if name[0] != "_"):
        known = [getattr(m, of_arrays) for m in own if hasattr(m, of_arrays)]
        known = known if not isinstance(getattr(library, of_arrays), np.ufunc) else []
        if known:
            names[of_arrays] = _either(getattr(library, of_arrays), known[0])
    return _module(name, names, library)


def _distributions() -> dict[str, ModuleType]:
    """SciPy's distributions; expressions go to eggrad's of the same names."""
    found: dict[str, ModuleType] = {}
    for name in eg.stats.__all__:
        of_arrays, of_expressions = getattr(scipy.stats, name), getattr(eg.stats, name)
        names = {method: getattr(of_arrays, method) for method in dir(of_arrays)}
        for method in _METHODS:
            if method in names and hasattr(of_expressions, method):
                names[method] = _either(names[method], getattr(of_expressions, method))
        module = f"autograd.scipy.stats.{name}"
        found[module] = _module(module, {m: f for m, f in names.items() if m[0] != "_"})
    return found


def array(entries: Any, *args: Any, **options: Any) -> Any:
    """NumPy's array of numbers; of expressions as eggrad's users write it."""
    like = next((a for a in _arrays(entries) if isinstance(a, eg.Expression)), None)
    if like is not None:
        options["like"] = like
    return np.array(entries, *args, **options)


def make_diagonal(d: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Diagonal matrices of vectors, by NumPy, which has no name for it."""
    assert (offset, axis1, axis2) == (0, -1, -2)
    return d[..., None] * np.eye(d.shape[-1])


def modules() -> dict[str, Any]:
    """What is imported under autograd's names."""
    own: dict[str, Any] = {
        "dict": dict,
        "isinstance": _isinstance,
        "list": list,
        "tuple": tuple,
        "type": type,
    }
    primitives = {
        name: _not_there(name)
        for name in ("primitive", "notrace_primitive", "defvjp", "defjvp", "defvjp_argnum")
    }
    operators: dict[str, Any] = {
        "checkpoint": eg.checkpoint,
        "deriv": unary_to_nary(_deriv),
        "elementwise_grad": unary_to_nary(_elementwise),
        "grad": _by_argnum(eg.grad),
        "grad_and_aux": lambda f, argnum=0: eg.grad(f, argnum, has_aux=True),
        "hessian": _by_argnum(eg.hessian),
        "hessian_tensor_product": eg.hvp,
        "hessian_vector_product": eg.hvp,
        "holomorphic_grad": _by_argnum(eg.grad),
        "jacobian": _by_argnum(eg.jacobian),
        "make_ggnvp": _make_ggnvp,
        "make_hvp": unary_to_nary(lambda f, x: (lambda v: eg.hvp(f)(x, v), eg.grad(f)(x))),
        "make_jvp": unary_to_nary(make_jvp),
        "make_vjp": unary_to_nary(make_vjp),
        "tensor_jacobian_product": _tensor_jacobian_product,
        "value_and_grad": _by_argnum(eg.value_and_grad),
        "vector_jacobian_product": _tensor_jacobian_product,
    }
    testing: dict[str, Any] = {
        "check_equivalent": check_equivalent,
        "check_grads": check_grads,
        "combo_check": combo_check,
        "scalar_close": scalar_close,
    }
    core = {"make_jvp": make_jvp, "make_vjp": make_vjp, "vspace": Space, "primitive_vjps": {}}
    graphs = {"const_graph": _not_there("const_graph"), "flatten": _flatten}
    found: dict[str, Any] = {
        "autograd": _module("autograd", {**operators, **own, "primitive": primitives["primitive"]}),
        "autograd.builtins": _module("autograd.builtins", own),
        "autograd.core": _module("autograd.core", {**core, **primitives}),
        "autograd.extend": _module("autograd.extend", {**primitives, "vspace": Space}),
        "autograd.misc": _module("autograd.misc", graphs),
        "autograd.numpy": _module(
            "autograd.numpy", {"array": array, "make_diagonal": make_diagonal}, np
        ),
        "autograd.numpy.fft": np.fft,
        "autograd.numpy.linalg": _module(
            "autograd.numpy.linalg", {"T": np.matrix_transpose, "_dot": np.matmul}, np.linalg
        ),
        "autograd.numpy.random": np.random,
        "autograd.scipy": _module("autograd.scipy", {}),
        "autograd.scipy.integrate": scipy.integrate,
        "autograd.scipy.linalg": _of_scipy("autograd.scipy.linalg", scipy.linalg, eg.linalg),
        "autograd.scipy.signal": _module(
            "autograd.scipy.signal", {"convolve": _either(scipy.signal.convolve, np.convolve)}
        ),
        "autograd.scipy.special": _of_scipy(
            "autograd.scipy.special", scipy.special, eg.special, eg
        ),
        "autograd.scipy.stats": _module("autograd.scipy.stats", {}, scipy.stats),
        **_distributions(),
        "autograd.test_util": _module("autograd.test_util", testing),
        "autograd.tracer": _module(
            "autograd.tracer",
            {**primitives, "isbox": lambda x: isinstance(x, eg.Expression)},
        ),
        "autograd.util": _module("autograd.util", {"quick_grad_check": quick_grad_check}),
        "autograd.wrap_util": _module("autograd.wrap_util", {"unary_to_nary": unary_to_nary}),
    }
    for name, module in found.items():
        parent, _, last = name.rpartition(".")
        # NumPy's and SciPy's own objects stay as they are.
        if parent and getattr(found[parent], "__name__", "").startswith("autograd"):
            setattr(found[parent], last, module)
    return found


# Running -----------------------------------------------------------------------------------------


class Counts:
    """A plugin of pytest that says how tests end."""

    def __init__(self) -> None:
        """Begin with none."""
        self.ends: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is about autograd itself."""
        for item in items:
            if _reason(item.nodeid):
                self.ends["apart"].append((item.nodeid, _reason(item.nodeid)))
        items[:] = [item for item in items if not _reason(item.nodeid)]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that cannot be read among Python's errors."""
        if report.failed:
            self.ends["python"].append((report.nodeid, report.longreprtext.splitlines()[-1]))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        """Count a test by what it ended in."""
        report: Any = yield
        error = call.excinfo.value if call.excinfo is not None else None
        if report.skipped:
            self.ends["skipped"].append((item.nodeid, str(error)))
        elif error is not None:
            self.ends[ended(error)].append((item.nodeid, f"{type(error).__name__}: {error}"))
        elif call.when == "call":
            self.ends["passed"].append((item.nodeid, ""))
        return report

    def __str__(self) -> str:
        """Say how many there are of each kind, and the messages of those that did not pass."""
        lines = [f"{name}: {len(self.ends[name])}" for name in _ENDS]
        for name in _ENDS[1:]:
            kinds = Counter(kind(message) for _, message in self.ends[name])
            lines += ["", f"{name}, by what they say:"] if kinds else []
            lines += [f"  {count:4} {message}" for message, count in kinds.most_common()]
        for name in ("refused", "wrong", "python"):
            lines += ["", f"{name}:"] if self.ends[name] else []
            lines += [f"  {test}: {kind(message)}" for test, message in self.ends[name]]
        return "\n".join(lines)


_ENDS: Final = ("passed", "refused", "wrong", "python", "complex", "apart", "skipped")


def _reason(test: str) -> str:
    """Why a test is counted apart, if it is."""
    return APART.get(test.rpartition("/")[2].partition("[")[0], "")


def ended(error: BaseException) -> str:
    """How a test ends with an error."""
    if isinstance(error, eg.EggradError):
        return "complex" if "complex" in str(error) else "refused"
    return "wrong" if isinstance(error, AssertionError) else "python"


def kind(message: str) -> str:
    """The beginning of a message, which many share."""
    return message.splitlines()[0][:160] if message else message


def _raises(raises: Function, expected: Any, *args: Any, **options: Any) -> Any:
    """`pytest.raises`, where what autograd raises is an error of eggrad's."""
    kinds = expected if isinstance(expected, tuple) else (expected,)
    return raises((*kinds, eg.EggradError), *args, **options)


def run(folder: Path, options: Sequence[str] = ()) -> Counts:
    """Run the tests of a folder, and count how they end."""
    counts, raises, standing_in = Counts(), pytest.raises, modules()
    before = {name: sys.modules[name] for name in standing_in if name in sys.modules}
    sys.modules.update(standing_in)
    pytest.raises = partial(_raises, raises)
    try:
        root = folder if folder.is_dir() else folder.parent
        command = [str(folder), "-q", "--no-header", "--tb=no", "-W", "ignore"]
        command += ["-c", os.devnull, "--rootdir", str(root), "-p", "no:cacheprovider"]
        pytest.main([*command, *options], plugins=[counts])
    finally:
        pytest.raises = raises
        for name in standing_in:
            del sys.modules[name]
        sys.modules.update(before)
    return counts


def main() -> None:
    """Run the tests of the checkout, or of the file, that the command line names."""
    given, *options = sys.argv[1:]
    folder = Path(given) / "tests"
    print(run(folder if folder.is_dir() else Path(given), options))


if __name__ == "__main__":
    main()
