"""Python functions called with expressions, and what was derived of them remembered.

A function is called with a variable in the place of each array that it is differentiated by and of
each floating-point array and number beside those; all else is passed on as it is. What it computes
is differentiated and compiled, once for expressions that are alike, whoever asks. The compiled
function is used without calling the Python function again as long as what that reads is unchanged
(`reads.py`): else it is called again, and nothing derived unless it computes something else.
"""

import linecache
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property, wraps
from inspect import signature, unwrap
from operator import index
from threading import Lock
from types import CodeType, FrameType, MappingProxyType, MethodType
from typing import Any, Final, NamedTuple, cast, get_args
from weakref import WeakKeyDictionary

import numpy as np

from eggrad.engine.errors import MISTAKES, EggradError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.recent import Recent
from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression.expression import Condition, Expression, as_expression, tracing
from eggrad.frontend.expression.functions import variable
from eggrad.frontend.interface.entries import MISSED, Entry, Slot, entry
from eggrad.frontend.interface.objects import SIMPLE
from eggrad.frontend.interface.reads import OF_OBJECT, TRANSFORMED, Reads, changed, reads, watch
from eggrad.frontend.interface.tiers import Optimize, TieredFunction
from eggrad.frontend.interface.trees import (
    Structure,
    branches,
    flatten,
    is_numbers,
    paths,
    unflatten,
)
from eggrad.frontend.text.doors import checked_word
from eggrad.frontend.text.words import format_axes

Function = Callable[..., Any]
Argnums = int | Sequence[int]
# From values, the variables, and the vectors that products are with; explored or not.
Derive = Callable[
    [Sequence[Expression], Sequence[Expression], Sequence[Expression], bool], Sequence[Expression]
]


@dataclass(frozen=True)
class Kind:
    """What is made of a function: `derive` says how, the name and `options` tell kinds apart."""

    name: str
    derive: Derive
    options: tuple[Hashable, ...] = ()
    scalar: bool = False

    @property
    def key(self) -> Hashable:
        """What tells two kinds apart."""
        return self.name, self.options


class Traced(NamedTuple):
    """What a function has computed: values, further outputs, and the variables of each leaf."""

    values: list[Expression]
    structure: Structure
    aux: list[Any]
    aux_structure: Structure
    variables: list[Expression]
    vectors: list[Expression]


class Arguments:
    """The arguments of a call as leaves, and which of them are variables.

    `wrt` are the places of the arguments that are differentiated by.
    """

    def __init__(
        self,
        f: Function,
        args: Sequence[Any],
        options: Mapping[str, Any],
        wrt: Sequence[int],
        *,
        integers: bool = True,
        mapped: Mapping[int, int] | None = None,
        fixed: Collection[int | str] = (),
    ) -> None:
        """Take arguments apart; with `integers` those are differentiated by as well.

        `mapped` are leaves that are given entry by entry, each along an axis. `fixed` are places
        and names of arguments that are passed on as they are.
        """
        self.count, self.names, self.wrt = len(args), tuple(options), tuple(wrt)
        self.structures: list[Structure] = []
        self.leaves: list[Any] = []
        self.places: list[list[int]] = []
        # In order, to be found by their places.
        self.variables: dict[int, None] = {}
        self.function = f
        for place, value in enumerate((*args, *options.values())):
            leaves, structure = flatten(value)
            first = len(self.leaves)
            self.places.append([*range(first, first + len(leaves))])
            self.structures.append(structure)
            by, option = place in self.wrt, place >= len(args)
            passed_on = (self.names[place - len(args)] if option else place) in fixed
            for k, given in enumerate(leaves, first):
                leaf = checked(given, f"argument {place}")
                if passed_on:
                    is_one = False
                elif mapped is not None:
                    is_one = k in mapped or _is_variable(leaf, by=False, option=option)
                else:
                    is_one = _is_variable(leaf, by=by, integers=integers, option=option)
                if is_one:
                    self.variables[k] = None
                self.leaves.append(leaf)
        self._mapped = mapped
        self.is_symbolic = any(map(_is_expression, self.leaves))

    @cached_property
    def labels(self) -> list[str]:
        """What the leaves are called, as variables."""
        names = [*_names(self.function, self.count), *self.names]
        named = zip(names, self.structures, strict=True)
        return _distinct(["_".join([n, *map(str, p)]) for n, s in named for p in paths(s)])

    def of(self, place: int) -> list[int]:
        """The leaves of an argument that are variables."""
        return [k for k in self.places[place] if k in self.variables]

    @property
    def by(self) -> list[int]:
        """The leaves that are differentiated by, or mapped."""
        if self._mapped is not None:
            return list(self._mapped)
        return [k for place in self.wrt for k in self.of(place)]

    @cached_property
    def classes(self) -> list[type]:
        """The classes of arguments, as far as somebody has made them."""
        return _classes(self.structures)

    @property
    def key(self) -> Hashable | None:
        """What has to be the same for a traced function to be the same; None if nobody knows."""
        for branch in branches(*self.structures):
            # What else is a key may do other things than what is equal to it.
            if branch.kind is dict and not all(type(n) in (str, int) for n in branch.names):
                return None
        fixed: list[Hashable] = []
        for k, leaf in enumerate(self.leaves):
            if k in self.variables:
                fixed.append(np.shape(leaf))
                continue
            key = _fixed_key(leaf)
            if key is None:
                return None
            fixed.append(key)
        return self.count, self.names, tuple(self.structures), tuple(self.variables), tuple(fixed)

    def call(self, leaves: Sequence[Any]) -> Any:
        """Call the function with other leaves."""
        found = [
            unflatten(s, [leaves[k] for k in places])
            for s, places in zip(self.structures, self.places, strict=True)
        ]
        return self.function(
            *found[: self.count], **dict(zip(self.names, found[self.count :], strict=True))
        )

    def like(self, place: int, found: Mapping[int, Any]) -> Any:
        """What belongs to each leaf of an argument, in the argument's structure; None elsewhere."""
        return unflatten(self.structures[place], [found.get(k) for k in self.places[place]])


def _classes(structures: Iterable[Structure]) -> list[type]:
    kinds = dict.fromkeys(b.kind for b in branches(*structures))
    return [kind for kind in kinds if kind not in (dict, list, tuple)]


def _is_expression(leaf: Any) -> bool:
    return isinstance(leaf, Expression)


def checked(leaf: Any, name: str) -> Any:
    """A leaf of an argument: arrays of other libraries and lists of numbers are NumPy's."""
    kind: type = type(leaf)
    if kind is float or (kind is np.ndarray and leaf.dtype.kind != "c"):
        return leaf
    if is_numbers(leaf) or (
        hasattr(leaf, "__array__") and not isinstance(leaf, Expression | np.generic | np.ndarray)
    ):
        leaf = np.asarray(leaf)
    if isinstance(leaf, complex) or (
        isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind == "c"
    ):
        raise UnsupportedOperation(
            f"{name} is complex: derivatives are those of functions of real numbers; give the "
            "real and the imaginary part as two arguments"
        )
    return leaf


def _is_variable(leaf: Any, *, by: bool, option: bool, integers: bool = False) -> bool:
    """Whether a leaf is a variable, and no constant that is passed on."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind == "f" or (by and integers and leaf.dtype.kind in "iu")
    if isinstance(leaf, Expression):
        return True
    if isinstance(leaf, bool | np.bool_):
        return False
    if isinstance(leaf, int | np.integer):
        return by and integers
    return isinstance(leaf, float | np.floating) and (by or not option)


def _fixed_key(leaf: Any) -> Hashable | None:
    """What tells constants apart."""
    kind: type = type(leaf)
    if kind is np.ndarray and not leaf.dtype.hasobject:
        return "array", leaf.shape, repr(leaf.dtype), leaf.tobytes()
    if _is_fixed(leaf):
        # Text tells 0 from -0.
        return kind, repr(leaf)
    return None


def _is_fixed(leaf: Any) -> bool:
    """Whether a leaf is a number or a text, of no class of somebody's."""
    kind: type = type(leaf)
    is_number = isinstance(leaf, np.generic) and not isinstance(leaf, np.void)
    return kind in SIMPLE or (is_number and kind.__module__ == "numpy")


def _distinct(labels: Sequence[str]) -> list[str]:
    """Names for variables, no two alike."""
    found: dict[str, None] = {}
    for label in labels:
        name = label
        while name in found:
            name += "_"
        found[name] = None
    return list(found)


def _names(f: Function, count: int) -> list[str]:
    """The names of the arguments, as far as the function says them."""
    try:
        parameters = signature(f).parameters.values()
        known = [
            p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        known = []
    return [*known, *(f"argument{k}" for k in range(len(known) + 1, count + 1))][:count]


# Calling a function with expressions ---------------------------------------------------------

_depth: Final[ContextVar[int]] = ContextVar("depth", default=0)


@contextmanager
def deeper() -> Iterator[int]:
    """Count how many functions are being called in one another."""
    token = _depth.set(_depth.get() + 1)
    try:
        yield _depth.get()
    finally:
        _depth.reset(token)


def trace(
    kind: Kind,
    given: Arguments,
    leaves: Sequence[Any],
    vectors: Sequence[Expression],
    *,
    has_aux: bool,
) -> Traced:
    """Call a function with expressions among the leaves of its arguments."""
    with located(given.function):
        value = given.call(leaves)
        aux: Any = ()
        if has_aux:
            if not isinstance(value, tuple) or len(cast("tuple[Any, ...]", value)) != 2:
                raise UnsupportedOperation(
                    f"{kind.name} with has_aux=True: a pair is expected, what is differentiated "
                    f"and what is not; the function {_returned(value)}"
                )
            value, aux = cast("tuple[Any, Any]", value)
        values, structure = flatten(value)
        if value is None:
            raise UnsupportedOperation(
                f"{kind.name}: the function returns nothing; end it with return and the value"
            )
        if kind.scalar and isinstance(value, bool | np.bool_ | Condition):
            raise UnsupportedOperation(
                f"{kind.name}: the function returns a comparison, which has no derivative; return "
                "a number, such as numpy.where(condition, a, b)"
            )
        if kind.scalar and structure is not None:
            raise ShapeError(
                f"{kind.name}: a scalar is expected, the function {_returned(value)}; what is not "
                "differentiated comes second in a pair, with has_aux=True"
            )
        expressions = [as_expression(v) for v in values]
        if kind.scalar and {*expressions[0].shape} == {1}:
            expressions = [expressions[0].item()]
        if kind.scalar and expressions[0].ndim:
            raise ShapeError(
                f"{kind.name} needs a scalar, the function returns axes "
                f"{format_axes(expressions[0].shape)}; return a sum or one entry, or use "
                "eggrad.jacobian"
            )
    further, aux_structure = flatten(aux)
    by = [leaves[k] for k in given.by]
    return Traced(expressions, structure, further, aux_structure, by, [*vectors])


def _returned(value: Any) -> str:
    """What a function returned."""
    if isinstance(value, tuple | list):
        return f"returns a {type(value).__name__} of {len(cast('Sequence[Any]', value))}"
    if isinstance(value, Expression):
        return "returns one value"
    return f"returns a {type(value).__name__}"


@contextmanager
def located(f: Function) -> Iterator[None]:
    """Add the line of the user's function to an error, or where that begins."""
    try:
        yield
    except (EggradError, *MISTAKES) as error:
        note = _where(error) or _beginning(f)
        reported = _hidden(error) or error
        if note and not getattr(reported, "__notes__", ()):
            reported.add_note(note)
        if reported is not error:
            raise reported from None
        raise


# What NumPy says where a function is not for arrays of objects.
_OF_OBJECTS: Final = ("dtype('O')", "type object is unsupported", "for the input types")


def _hidden(error: BaseException) -> EggradError | None:
    """The error of ours that compiled code has turned into another one, out of anybody's sight."""
    cause = error.__cause__
    if isinstance(error, TypeError) and any(word in str(error) for word in _OF_OBJECTS):
        return UnsupportedOperation(
            f"{error}; this function takes no array that numpy.array made of expressions: write "
            "numpy.array(entries, like=x), where x is an expression, for numpy.array(entries); "
            "random numbers are drawn without expressions, as x + s * numpy.random.normal(size=3)"
        )
    if isinstance(error, EggradError) or not isinstance(cause, EggradError):
        return None
    trace = cause.__traceback__
    return cause if trace and _is_library(trace.tb_frame) else None


def _beginning(f: Function) -> str:
    """Where a function is defined."""
    code = getattr(unwrap(f), "__code__", None)
    if not isinstance(code, CodeType) or _home(getattr(f, "__module__", "")) in _LIBRARIES:
        return ""
    number = code.co_firstlineno
    while linecache.getline(code.co_filename, number).lstrip().startswith("@"):
        number += 1
    return _line(code, number, {})


def _line(code: CodeType, number: int, names: dict[str, Any]) -> str:
    """A line of a function, and its text where there is a source."""
    text = linecache.getline(code.co_filename, number, names).strip()
    place = f'in {code.co_name}, "{code.co_filename}", line {number}'
    return f"{place}: {text}" if text else place


def _is_library(frame: FrameType) -> bool:
    """Whether a frame is none of the user's."""
    return _home(frame.f_globals.get("__name__")) in _LIBRARIES


def _home(module: object) -> str:
    """The package that a module is in."""
    return str(module).partition(".")[0]


_LIBRARIES: Final = ("eggrad", "numpy", "scipy")


def _where(error: BaseException) -> str:
    """The line of the user's code, the innermost one, at which an error was raised."""
    found, trace = "", error.__traceback__
    while trace:
        frame, number = trace.tb_frame, trace.tb_lineno
        if not _is_library(frame):
            found = _line(frame.f_code, number, frame.f_globals)
        trace = trace.tb_next
    return found


# What is remembered --------------------------------------------------------------------------

# Functions of terms, at most, and calls of each Python function.
_MOST_DERIVED: Final = 256
_MOST_CALLS: Final = 64


class Call(NamedTuple):
    """A traced call: what computes the outputs, and what was read when it was traced."""

    function: TieredFunction
    names: list[str]
    outside: Mapping[str, Array]
    traced: Traced
    read: Reads
    # Whether all that was read is compared at each call.
    watched: bool = False

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """The outputs, from the values of the variables."""
        return self.function(**dict(zip(self.names, values, strict=True)), **self.outside)


@dataclass
class _Calls:
    """The calls of one Python function; what it changes itself is not watched."""

    known: Recent[Hashable, Call] = field(default_factory=lambda: Recent(_MOST_CALLS))
    unwatched: frozenset[str] = frozenset()


_derived: Final[Recent[Hashable, TieredFunction]] = Recent(_MOST_DERIVED)
_calls: Final[WeakKeyDictionary[Any, _Calls]] = WeakKeyDictionary()
_calls_lock: Final = Lock()


def _calls_of(f: Function) -> _Calls | None:
    """The calls that are remembered of a function."""
    if getattr(type(f), "__eq__", None) is not object.__eq__ and type(f) is not MethodType:
        # It may be equal to another one that reads something else.
        return None
    try:
        with _calls_lock:
            return _calls.get(f) or _calls.setdefault(f, _Calls())
    except TypeError:
        return None


# Outputs -------------------------------------------------------------------------------------


class Outputs(NamedTuple):
    """What a transformed function has to return, in parts."""

    derived: list[Any]
    aux: Any
    traced: Traced
    # What computed them from arrays.
    call: "Call | None" = None


class Plan(NamedTuple):
    """What a call of a transformed function computes, and what it returns of the outputs.

    `vectors` are what the kind needs beside the arguments; `shapes` are those of variables, where
    they are others than those of the leaves. `order` has the places of the variables, and then of
    the vectors, among the leaves of all that is given, where they are taken from there as they are.
    """

    kind: Kind
    given: Arguments
    result: Callable[[Outputs], Any]
    order: Sequence[int] | None = None
    vectors: Sequence[Any] = ()
    shapes: Mapping[int, tuple[Any, ...]] = MappingProxyType({})


def outputs(f: Function, plan: Plan, *, has_aux: bool, optimize: Optimize) -> Outputs:
    """What a kind of derivative is at some arguments: arrays, or expressions for expressions."""
    kind, given, vectors = plan.kind, plan.given, plan.vectors
    symbolic = given.is_symbolic or any(isinstance(v, Expression) for v in vectors)
    # Within a function that is being traced, what it closes over may be expressions.
    if symbolic or _depth.get():
        return _symbolic(plan, has_aux=has_aux)
    calls, given_key = _calls_of(f), given.key
    key = kind.key, has_aux, optimize, given.wrt, given_key, tuple(map(np.shape, vectors))
    call = calls.known.get(key) if calls is not None else None
    if calls is not None and call is not None:
        names = changed(call.read, f, given.classes)
        call = None if names is None or names - calls.unwatched else call
    if call is None:
        known = calls is not None and given_key is not None
        read = reads(f, given.classes) if known else None
        call = _call(plan, has_aux=has_aux, optimize=optimize)
        names = changed(read, f, given.classes) if read is not None else None
        # What a function keeps in an object, or returns of its own, it may do at every call.
        if names is not None and any(OF_OBJECT in name for name in names):
            names = None
        if not _is_repeated(call.traced):
            names = None
        if calls is not None and read is not None and names is not None:
            calls.unwatched |= names
            call = call._replace(read=read, watched=not calls.unwatched)
            calls.known.put(key, call)
    found = call([_value(given.leaves[k]) for k in given.variables] + [*map(_value, vectors)])
    derived = len(found) - sum(map(_is_expression, call.traced.aux))
    return Outputs(found[:derived], _aux(call.traced, found[derived:]), call.traced, call)


def _is_repeated(traced: Traced) -> bool:
    """Whether what a function returned beside the values can be returned again."""
    known = (type(a) is np.ndarray or _is_expression(a) or _is_fixed(a) for a in traced.aux)
    return all(known) and not _classes([traced.aux_structure])


def _call(plan: Plan, *, has_aux: bool, optimize: Optimize) -> Call:
    """Call a function with variables, and compile the derivatives unless they are known."""
    kind, given, vectors = plan.kind, plan.given, plan.vectors
    leaves = [*given.leaves]
    for k in given.variables:
        leaves[k] = variable(given.labels[k], plan.shapes.get(k, np.shape(leaves[k])))
    labels = _distinct([*given.labels, *(f"v_{k}" for k in range(len(vectors)))])
    names = [given.labels[k] for k in given.variables] + labels[len(given.labels) :]
    directions = [
        variable(name, np.shape(v))
        for name, v in zip(labels[len(given.labels) :], vectors, strict=True)
    ]
    with tracing(set(labels)) as outside, deeper():
        traced = trace(kind, given, leaves, directions, has_aux=has_aux)
        further = [a for a in traced.aux if isinstance(a, Expression)]
        by, other = tuple(traced.variables), tuple(directions)
        key = kind.key, optimize, tuple(traced.values), tuple(further), by, other
        function = _derived.get(key)
        if function is None:

            def derived(explore: bool) -> list[Expression]:
                values = as_computed(traced.values)
                return [*kind.derive(values, traced.variables, directions, explore), *further]

            # The compiler is loaded by whoever computes something.
            from eggrad.frontend.interface.compile import as_computed, tiered

            with located(given.function):
                function = tiered(derived, optimize)
            _derived.put(key, function)
    return Call(function, names, outside.values, traced, {})


def _value(leaf: Any) -> Any:
    """The value of a variable, in floating point."""
    if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype.kind != "f":
        return np.asarray(leaf, dtype=float)
    return float(leaf) if isinstance(leaf, int) else leaf


def _symbolic(plan: Plan, *, has_aux: bool) -> Outputs:
    """Derivatives at expressions: by variables of the same axes, which they then replace."""
    kind, given, vectors = plan.kind, plan.given, plan.vectors
    leaves, replaced = [*given.leaves], dict[Expression, Expression]()
    with deeper() as depth:
        for k in dict.fromkeys(given.by):
            value = as_expression(leaves[k])
            shape = plan.shapes.get(k, value.term.dims)
            leaves[k] = variable(f"{given.labels[k]}#{depth}", shape)
            replaced[leaves[k]] = value
        fresh = [
            variable(f"v_{k}#{depth}", as_expression(v).term.dims) for k, v in enumerate(vectors)
        ]
        replaced |= dict(zip(fresh, map(as_expression, vectors), strict=True))
        traced = trace(kind, given, leaves, fresh, has_aux=has_aux)
        with located(given.function):
            found = kind.derive(traced.values, traced.variables, fresh, True)
    by_name = {v.term.name: value for v, value in replaced.items()}

    def back(e: Any) -> Any:
        if not isinstance(e, Expression):
            return e
        return e.substitute({n: value for n, value in by_name.items() if n in e.known})

    aux = unflatten(traced.aux_structure, map(back, traced.aux))
    return Outputs([back(e) for e in found], aux, traced)


def _aux(traced: Traced, computed: Sequence[Any]) -> Any:
    """The further outputs, expressions among them computed; arrays are the caller's to change."""
    left = iter(computed)
    leaves = [
        next(left) if isinstance(a, Expression) else a.copy() if type(a) is np.ndarray else a
        for a in traced.aux
    ]
    return unflatten(traced.aux_structure, leaves)


# Functions of functions ----------------------------------------------------------------------


def checked_function(f: Any) -> None:
    """Refuse what is no function."""
    if not callable(f):
        hint = (
            "eggrad.gradient differentiates expressions"
            if isinstance(f, Expression)
            else "write eggrad.grad(f)(x), not eggrad.grad(f(x))"
        )
        what = type(f).__name__
        raise UnsupportedOperation(f"a function of arrays is expected, not a {what}; {hint}")


def checked_places(argnums: Argnums) -> tuple[bool, tuple[int, ...]]:
    """Whether one argument is meant, and the places."""
    single = hasattr(argnums, "__index__")
    given: Any = [argnums] if single else argnums
    try:
        places = tuple(map(index, given))
    except TypeError:
        raise UnsupportedOperation(
            "argnums is the place of an argument, counted from 0, or a tuple of places, not "
            f"{shown(argnums)}"
        ) from None
    if not places:
        raise UnsupportedOperation("argnums is empty: name the place of one argument at least")
    return single, places


def placed(places: Sequence[int], count: int) -> tuple[int, ...]:
    """Places counted from the front."""
    for place in places:
        if not -count <= place < count:
            given = "0 alone" if count == 1 else f"0 to {count - 1}" if count else "none"
            raise ShapeError(
                f"argnums has {place}, and the arguments that the function was given are {given}; "
                "what is given by name is not among them"
            )
    return tuple(place % count for place in places)


class _Ways:
    """The quick ways into a transformed function, the newest first."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.entries: tuple[Entry, ...] = ()
        # Calls that went the slow way, and how often.
        self._slow: Recent[int, tuple[Call, int]] = Recent(_MOST_WAYS)

    def add(
        self, args: tuple[Any, ...], options: dict[str, Any], plan: Plan, found: Outputs
    ) -> None:
        """Remember how a call like this one goes, unless that has turned out to be in vain."""
        call = found.call
        if call is None or not call.watched or plan.order is None:
            return
        _, times = self._slow.get(id(call)) or (call, 0)
        self._slow.put(id(call), (call, times + 1))
        if times + 1 not in _AT:
            return
        # Results are made of slots first, which a class may refuse.
        structures = [*plan.given.structures, call.traced.structure]
        # How a container of another library is taken apart only that library knows.
        if any(branch.builder is not None for branch in branches(*structures)):
            return
        if not all(map(_is_only_filled, _classes(structures))):
            return
        unchanged = watch(self.function, plan.given.classes)
        if unchanged is None or changed(call.read, self.function, plan.given.classes):
            return
        places = dict(zip(call.names, plan.order, strict=True))
        parameters: Sequence[str] = getattr(call.function.function, "parameters", ())
        known = [places.get(n, call.outside.get(n)) for n in parameters]
        if any(k is None for k in known):
            return
        derived = len(found.derived)
        further = [*map(_is_expression, call.traced.aux)]
        aux = _aux(call.traced, [Slot(k) for k in range(derived, derived + sum(further))])
        slots = Outputs([*map(Slot, range(derived))], aux, call.traced)
        result = plan.result(slots)
        given = args, options
        way = entry(given, plan.order, call.function, known, result=result, unchanged=unchanged)
        if way is not None:
            self.entries = (way, *self.entries[: _MOST_WAYS - 1])


def _is_only_filled(kind: type) -> bool:
    """Whether objects of a class of arguments are made without a look at what they hold."""
    if is_dataclass(kind):
        return not hasattr(kind, "__post_init__") and kind.__dataclass_params__.init  # pyright: ignore
    return kind.__new__ is kind.__mro__[-3].__new__


_MOST_WAYS: Final = 8
# At which slow calls a way is made: what reads other objects at each call has none that lasts.
_AT: Final = (2, 3, 100)


def transformed(
    f: Function,
    plan: Callable[[tuple[Any, ...], dict[str, Any]], Plan],
    *,
    has_aux: bool = False,
    optimize: Optimize = "auto",
) -> Function:
    """A function with the name and the documentation of another one, by a plan for its arguments.

    Its attribute `tier` is that of the last call; None before the first.
    """
    checked_function(f)
    checked_word("a function's derivative", "optimize", optimize, get_args(Optimize))
    ways = _Ways(f)

    def called(*args: Any, **options: Any) -> Any:
        if not _depth.get():
            for way in ways.entries:
                result = way(args, options)
                if result is not MISSED:
                    return result
        with located(f):
            planned = plan(args, options)
            found = outputs(f, planned, has_aux=has_aux, optimize=optimize)
            if found.call is not None:
                made.tier = found.call.function.tier
            ways.add(args, options, planned, found)
            return planned.result(found)

    made: Any = wraps(f)(called)
    made.tier = None
    # A function to which somebody copies the attribute has another code.
    setattr(made, TRANSFORMED, made.__code__)
    return made
