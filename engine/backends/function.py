"""Compiled terms as functions of the arrays of any library."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from math import isnan
from typing import Any

import numpy as np

from eggrad.engine.backends.blocks import BlockPlan, plan
from eggrad.engine.backends.dask_graphs import Graph, divided_size, row_chunks
from eggrad.engine.backends.dialect import StandardDialect
from eggrad.engine.backends.kernels import kernels_of
from eggrad.engine.backends.libraries import LIBRARIES, Library, library_of
from eggrad.engine.compilation.compiled import (
    KNOWN_SHAPES,
    CompiledFunction,
    converted,
    is_plain,
)
from eggrad.engine.compilation.module import Form, Module, Target
from eggrad.engine.errors import ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import (
    IS_COMPLEX,
    check_memory,
    concrete,
    no_value,
    numeric,
    read_sizes,
    symbols,
)
from eggrad.engine.terms.functions import OwnFunction


class ArrayFunction(CompiledFunction):
    """A function of arrays of one library, by keyword or by position; `source` is its Python text.

    It returns one array, or a list where a list was compiled, of the library, dtype and device of
    the arrays given. Size symbols that no array fixes are further keywords. It is pure: what the
    library does with functions, as JAX's `vmap` and `grad`, it does with this one. Shapes are
    checked where they are new; a wrong one raises `ShapeError`.
    """

    def __init__(
        self,
        library: str,
        forms: Sequence[Form],
        *more: Any,
        jit: bool | None = None,
        **options: Any,
    ) -> None:
        """Write the code; the arguments are those of `CompiledFunction`.

        With `jit` the library compiles the whole function, where it can: by default, JAX does.
        """
        self._use(library, jit)
        super().__init__(forms, *more, **options)

    def _use(self, library: str, jit: bool | None) -> None:
        self._library, self._kind = LIBRARIES[library], library
        self._jit = self._library.compiles if jit is None else jit
        if self._jit and library not in ("jax", "torch"):
            raise UnsupportedOperation(f"backend {shown(library)} compiles nothing: jit=")
        # Raises where the library is not there.
        xp = self._library.module()
        self._xp = xp if self._library.namespace else None

    def _target(self) -> Target:
        dialect = partial(StandardDialect, einsum=self._library.einsum)
        given = () if self._library.namespace else ("xp", "own")
        return Target(dialect, in_place=False, reads_backwards=False, given=given)

    def _imports(self, module: Module) -> str:
        return self._library.imports

    def _own_function(self, function: OwnFunction) -> Callable[..., Any]:
        return own_function(function, self._kind)

    def _prepare(self, module: Module) -> None:
        self._by_shapes: dict[object, tuple[Callable[..., Any], Mapping[str, int]]] = {}
        self._compiled_forms: dict[tuple[int, tuple[int, ...]], Callable[..., Any]] = {}
        self._plans: dict[tuple[int, str], BlockPlan | None] = {}
        plain = self._every == self._names and not self._used
        if self._kind == "jax" and self._jit and plain:
            self._enter_at_once()

    def _remade(self) -> Callable[..., "ArrayFunction"]:
        return partial(ArrayFunction, self._kind, jit=self._jit)

    def _checked(self, values: dict[str, Any]) -> Any:
        for variable in self._variables:
            if variable.name not in values:
                raise no_value(variable, (*self._variables, *self._scope), values)
        given = self._given(values)
        needed = self._needed(given, values)
        # Where the result depends on no array, those given say of which kind it is.
        others = () if self._names else tuple(filter(self._library.has, values.values()))
        xp = self._xp or self._library.namespace_of([*(values[n] for n in self._names), *others])
        kernels = kernels_of(self._library.name, xp)
        named = {n: values[n] for n in (*self._names, *needed)}
        arrays = common_arrays(self._library, xp, named, self._indices)
        shapes = tuple(tuple(a.shape) for a in arrays)
        chunks = tuple(a.chunks for a in arrays) if self._library.name == "dask" else ()
        key = shapes, tuple(given.items()), tuple(needed), kernels, chunks
        found = self._by_shapes.get(key)
        if found is None:
            named = dict(zip((*self._names, *needed), shapes, strict=True))
            function, sizes = self._resolved(named, given, arrays)
            function = function if self._library.namespace else partial(function, xp, kernels)
            found = function, sizes
            if len(self._by_shapes) < KNOWN_SHAPES:
                self._by_shapes[key] = found
        function, sizes = found
        results = function(*arrays[: len(self._names)])
        kinds = [o for o in others if _inexact(xp, o)]
        if kinds:
            results = converted(results, lambda r: xp.astype(r, kinds[0].dtype))
        return self._finish(results, sizes) if self._finish else results

    def _needed(self, given: Mapping[str, int], values: Mapping[str, Any]) -> list[str]:
        """The variables that only fix sizes, where they are given or these are not."""
        known = self._defaults.keys() | given.keys()
        every = {s for v in self._variables for s in symbols(v)}
        found: list[str] = []
        for v in self._scope:
            missing = {*symbols(v)} - known - every
            if v.name in values or not missing.isdisjoint(self._used):
                if v.name not in values:
                    raise UnknownVariable(f"variable {v.name} has no value")
                found.append(v.name)
        return found

    def _resolved(
        self, shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, int], arrays: Sequence[Any]
    ) -> tuple[Callable[..., Any], Mapping[str, int]]:
        """The function for arrays of some shapes, which are checked, and all sizes."""
        variables = [v for v in (*self._variables, *self._scope) if v.name in shapes]
        for v in variables:
            if any(map(isnan, shapes[v.name])):
                raise ShapeError(
                    f"variable {v.name} has chunks of unknown sizes: compute_chunk_sizes()"
                )
        sizes = self._defaults | read_sizes(variables, shapes, given)
        self._check_sizes(sizes)
        if self._library.name != "dask":
            itemsize = getattr(arrays[0], "itemsize", 8) if arrays else 8
            check_memory([r.dims for r in self._forms[0].terms], sizes, itemsize)
        by_blocks = self._by_blocks(sizes, arrays) if self._library.name == "dask" else None
        return by_blocks or self._of_sizes(sizes), sizes

    def _by_blocks(
        self, sizes: Mapping[str, int], arrays: Sequence[Any]
    ) -> Callable[..., Any] | None:
        """The function of Dask's arrays in blocks of rows; None where these will not do."""
        dims = {v.name: v.dims for v in self._variables}
        given = dict(zip(self._names, arrays, strict=False))
        symbol = divided_size(dims, given)
        if symbol is None:
            return None
        chunks = row_chunks(dims, given, symbol)
        form = self._choose({**sizes, symbol: max(chunks)}) if self._choose else 0
        terms = self._forms[form].terms
        if (form, symbol) not in self._plans:
            self._plans[form, symbol] = plan(terms, symbol)
        block_plan = self._plans[form, symbol]
        if block_plan is None:
            return None

        def lazy(*arrays: Any) -> Any:
            graph = Graph(
                block_plan, dims, chunks, sizes, dict(zip(self._names, arrays, strict=True))
            )
            results = [graph.result(t) for t in terms]
            return results[0] if self._single else results

        return lazy

    def _of_sizes(self, sizes: Mapping[str, int]) -> Callable[..., Any]:
        form = self._choose(sizes) if self._choose else 0
        function = self._functions[form]
        used = concrete(self._used, sizes)
        # What a library has compiled is kept, however many shapes there are.
        if (form, used) not in self._compiled_forms:
            # A namespace may stand before the arrays.
            with_sizes = (lambda *given: function(*given, *used)) if used else function
            self._compiled_forms[form, used] = self._compiled(with_sizes)
        return self._compiled_forms[form, used]

    def _compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not self._jit:
            return function
        library: Any = import_module(self._library.name)
        return (library.jit if self._library.name == "jax" else library.compile)(function)

    def _enter_at_once(self) -> None:
        """Let JAX look for arrays of known shapes: what is checked is checked where it traces."""
        jax: Any = import_module("jax")
        names = (*self._names, *self._fixing)
        if not self._names or not all(map(is_plain, names)):
            return

        def traced(*given: Any) -> Any:
            named = dict(zip(names, given, strict=True))
            arrays = common_arrays(self._library, self._xp, named, self._indices)
            shapes = dict(zip(names, (tuple(a.shape) for a in arrays), strict=True))
            function, sizes = self._resolved(shapes, {}, arrays)
            results = function(*arrays[: len(self._names)])
            return self._finish(results, sizes) if self._finish else results

        # Python's numbers have no dtype until JAX has traced them.
        known = {"_arrays": (jax.Array, np.ndarray), "_function": jax.jit(traced)}
        arrays = " and ".join(f"isinstance({n}, _arrays)" for n in names)
        fast = [f"if {arrays} and not _more:", f"    return _function({', '.join(names)})"]
        self._enter(names, fast, known)


class FollowingFunction:
    """A function that computes in the library of the arrays it is given."""

    def __init__(self, make: Callable[[str], Callable[..., Any]]) -> None:
        """`make` gives the function of a library."""
        self._make = make
        self._made: dict[str, Callable[..., Any]] = {}

    def __call__(self, /, *args: Any, **values: Any) -> Any:
        """The value of the root, or the list of values."""
        library = library_of((*args, *values.values()))
        if library not in self._made:
            self._made[library] = self._make(library)
        return self._made[library](*args, **values)

    def __repr__(self) -> str:
        """Say what it does."""
        return "<compiled function of arrays of any library>"


def lacks(function: OwnFunction, library: str) -> bool:
    """Whether a declared function has no values in a library; Dask's arrays are NumPy's inside."""
    return library not in function.evaluate and not (
        library == "dask" and "numpy" in function.evaluate
    )


def own_function(function: OwnFunction, library: str) -> Callable[..., Any]:
    """A declared function of a library's arrays; Dask's arrays are made of NumPy's."""
    if library in function.evaluate or lacks(function, library):
        return function.function_for(library)
    inner = function.function_for("numpy")

    def blockwise(*args: Any) -> Any:
        from dask.array import map_blocks

        return map_blocks(inner, *args, dtype=args[0].dtype)

    return blockwise


def common_arrays(
    library: Library, xp: Any, named: Mapping[str, Any], indices: Collection[str] = ()
) -> list[Any]:
    """The values as arrays of one floating dtype: that of the arrays, if they have one.

    Integers that are `indices` and nothing else stay integers: a float32 is exact up to 2^24.

    Integers and truth values count as the library's default dtype; Python's numbers do not count
    beside arrays. Raises `UnsupportedOperation` for what is no array of numbers, or of a library
    that is neither this one nor NumPy.
    """
    values = [*named.values()]
    of_library = values and all(map(library.has, values))
    if of_library and len({v.dtype for v in values}) == 1 and _inexact(xp, values[0]):
        return values
    arrays = [v if hasattr(v, "dtype") and hasattr(v, "ndim") else None for v in values]
    made = [_array(library, xp, name, v) for name, v in named.items()]
    places = {n for n, m in zip(named, made, strict=True) if n in indices and not _inexact(xp, m)}
    if 0 < len(places) < len(named) and library.name != "dask":
        rest = {n: v for n, v in named.items() if n not in places}
        floating = dict(zip(rest, common_arrays(library, xp, rest), strict=True))
        return [floating.get(n, m) for n, m in zip(named, made, strict=True)]
    strong = [
        m.dtype for m, a in zip(made, arrays, strict=True) if a is not None and _inexact(xp, m)
    ]
    default = xp.asarray(1.0).dtype
    every = strong or [default]
    if any(a is not None and not _inexact(xp, m) for m, a in zip(made, arrays, strict=True)):
        every.append(default)
    dtype = every[0]
    if any(d != dtype for d in every):
        dtype = xp.result_type(*every)
    return [m if m.dtype == dtype else xp.astype(m, dtype) for m in made]


def _array(library: Library, xp: Any, name: str, value: Any) -> Any:
    """A value as an array of the library."""
    if library.has(value):
        if _is_of(xp, value.dtype, "complex floating"):
            raise UnsupportedOperation(f"the value of variable {name} {IS_COMPLEX}")
        return value
    numpys = isinstance(value, np.ndarray | np.generic)
    if not numpys and hasattr(value, "dtype") and hasattr(value, "ndim"):
        kind = f"{type(value).__module__}.{type(value).__name__}"
        raise UnsupportedOperation(
            f"variable {name}: backend {library.name!r} takes arrays of its own and of NumPy, not "
            f"of {kind}"
        )
    # Not every library reads arrays backwards.
    return xp.asarray(np.asarray(numeric(name, value), order="C"))


def _inexact(xp: Any, array: Any) -> bool:
    return _is_of(xp, array.dtype, "real floating")


@lru_cache(maxsize=256)
def _is_of(xp: Any, dtype: Any, kind: str) -> bool:
    return xp.isdtype(dtype, kind)
