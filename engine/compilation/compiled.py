"""Compiled terms: the Python text of a module, and a fast function of keyword arrays around it.

The text has one function for each form of the terms (`module.py`). A `CompiledFunction` checks and
converts arguments where it has to, chooses the form, and calls it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from keyword import iskeyword
from typing import Any, Final, Self, cast
from unicodedata import normalize

import numpy as np

from eggrad.engine import runtime
from eggrad.engine.compilation.module import Form, Module, Target
from eggrad.engine.compilation.numpy_dialect import NumpyDialect
from eggrad.engine.compilation.shown import ShownFunction
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.texts import escaped
from eggrad.engine.normal_forms.index_ranges import check_indices, greatest_indices
from eggrad.engine.terms.binding import (
    bind,
    check_memory,
    common_dtype,
    concrete,
    made_sizes,
    symbols,
)
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import (
    Term,
    only_indices,
    own_functions,
    variables,
)

# The function -----------------------------------------------------------------------------------

Function = Callable[..., Any]
# The number of the form to use at some sizes.
Choice = Callable[[Mapping[str, int]], int]

_MISSING: Final = object()

# Shapes that are known to fit, at most; arrays of others are checked at every call.
KNOWN_SHAPES: Final = 256


class CompiledFunction(ShownFunction):
    """A function of arrays, by keyword or in the order of `parameters`; `source` is its text.

    It returns one array, or a list where a list was compiled; a scalar is a NumPy number. Size
    symbols that no array fixes are further keywords; names that the terms do not contain are
    ignored. Where the fastest form depends on the sizes, it has up to three, and the first call
    with arrays of new shapes chooses. A call raises `UnknownVariable` for a missing value or size,
    `ShapeError` for a wrong shape, and `BudgetExceeded` where an array would be larger than the
    memory. Floating-point warnings are NumPy's. It may be pickled: another process then needs
    neither rules nor e-graph.
    """

    source: str
    _kind = "numpy"
    # What becomes of the generated code's results and the sizes; nothing where there is none.
    _finish: Callable[[Any, Mapping[str, int]], Any] | None = None

    def __init__(
        self,
        forms: Sequence[Form],
        scope: Iterable[Term] = (),
        sizes: Mapping[str, int] | None = None,
        single: bool = False,
        *,
        choose: Choice | None = None,
        reference: Sequence[Term] | None = None,
        note: str = "",
        wanted: Iterable[str] = (),
    ) -> None:
        """Generate and compile.

        `scope`, `sizes` and `single` are those of `compile_terms`. `choose` gives the number of
        the form to use at some sizes, `note` says how it does, for the text. `reference` are the
        terms as they were before lowering. `wanted` are size symbols that are needed even if no
        form has them.
        """
        self._forms, self._single, self._choose, self._note = tuple(forms), single, choose, note
        self.reference = tuple(reference or forms[0].terms)
        terms = [t for f in forms for t in f.terms]
        self._variables = variables(*terms)
        self._scope = tuple(v for v in variables(*scope) if v not in self._variables)
        self._defaults = dict(sizes or {})
        self._wanted = tuple(sorted(wanted))
        self._taken = greatest_indices(self.reference)
        # What is made of other sizes may come out negative.
        self._made = made_sizes(*self.reference)
        present = symbols(*self._variables, *terms, *self._scope)
        mentioned = sorted({*present, *self._wanted})
        names = {v.name for v in (*self._variables, *self._scope)}
        self._sizes = tuple(s for s in mentioned if s not in names)
        self._names = tuple(dict.fromkeys(v.name for v in self._variables))
        indices = only_indices(*self.reference, *terms)
        self._indices = frozenset(t.name for t in indices if t.op == "variable")
        target = self._target()
        module = Module(
            target,
            forms,
            self._variables,
            mentioned,
            single,
            sizes=self._defaults,
            indices=self._indices if target.in_place else frozenset(),
        )
        comment = "".join(f"# {escaped(line)}\n" for line in note.splitlines())
        self.source = comment + module.text(self._imports(module))
        self._used = module.parameters
        namespace: dict[str, Any] = {
            f.name: self._own_function(f) for f in own_functions(*self.reference, *terms)
        }
        namespace |= module.arrays
        exec(compile(self.source, "<eggrad>", "exec"), namespace)
        self._functions: list[Function] = [namespace[f] for f in module.functions]
        alone = (size_symbols(d) for v in self._variables for d in v.dims)
        self._fixed = {group[0] for group in alone if len(group) == 1}
        needed = {*self._used, *self._wanted} - self._fixed
        self._fixing = tuple(v.name for v in self._scope if not needed.isdisjoint(symbols(v)))
        # Who gives arguments in order need not know which variables lowering has done without.
        every = variables(*self.reference, *self._variables)
        self._every = tuple(dict.fromkeys(v.name for v in every))
        self.parameters = (*self._every, *(s for s in self._used if s not in self._fixed))
        form = forms[choose(self._defaults) if choose and self._defaults else 0]
        self._describe(self._kind, self.reference, self._defaults, form.terms)
        self._prepare(module)

    # What libraries differ in ---------------------------------------------------------------

    def _target(self) -> Target:
        return Target(NumpyDialect)

    def _imports(self, module: Module) -> str:
        """The lines that the text begins with."""
        names = ", ".join(sorted(module.called.intersection(runtime.__all__)))
        lines = [f"from eggrad.engine.runtime import {names}"] if names else []
        return "\n".join(["import numpy as np", *lines])

    def _own_function(self, function: OwnFunction) -> Callable[..., Any]:
        """A declared function of the library's arrays."""
        return function.function_for("numpy")

    def _prepare(self, module: Module) -> None:
        """What is to be done before the first call."""
        self._arrays_made = module.made
        # For the shapes of the arrays: the function, the sizes that it is called with, all sizes.
        self._known: dict[object, tuple[Function, tuple[int, ...], Mapping[str, int]]] = {}
        words = (*self._names, *self._fixing, *self._sizes)
        # Names that are no plain words, or that the entry may use itself, take the slow way.
        if self._names and self._every == self._names and all(map(is_plain, words)):
            self._enter_by_shapes(words)

    def _remade(self) -> Callable[..., "CompiledFunction"]:
        """What makes such a function of other forms."""
        return partial(CompiledFunction, wanted=self._wanted)

    def __reduce__(self) -> tuple[Callable[..., "CompiledFunction"], tuple[Any, ...]]:
        """Pickle the terms; generate the same code anew."""
        make = partial(
            self._remade(), choose=self._choose, reference=self.reference, note=self._note
        )
        return make, (self._forms, self._scope, self._defaults, self._single)

    def __call__(self, /, *args: Any, **values: Any) -> Any:
        """The value of the root, or the list of values."""
        given = placed(self.parameters, args)
        twice = given.keys() & values.keys()
        if twice:
            raise UnsupportedOperation(f"two values are given for {', '.join(sorted(twice))}")
        return self._checked(given | values)

    def _given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The sizes that are given: an array by the name of a size is meant for somebody else."""
        return {s: values[s] for s in self._sizes if s in values and not np.ndim(values[s])}

    def _check_sizes(self, sizes: Mapping[str, int]) -> None:
        """Raise where one that is made of others is negative, or an index is out of range."""
        concrete([d for d in self._made if sizes.keys() >= {*size_symbols(d)}], sizes)
        check_indices(self._taken, sizes)

    def _checked(self, values: dict[str, Any]) -> Any:
        """Check and convert the arguments, and call."""
        given = self._given(values)
        known = self._defaults.keys() | given.keys()
        # A variable that only fixes sizes need not have a value where the sizes are given.
        needed = [v for v in self._scope if v.name in values or not known.issuperset(symbols(v))]
        arrays, found = bind((*self._variables, *needed), values, given, self._indices)
        all_sizes = self._defaults | found
        # Raises where one is missing, or negative.
        concrete(self._wanted, all_sizes)
        self._check_sizes(all_sizes)
        sizes = concrete(self._used, all_sizes)
        form = self._choose(all_sizes) if self._choose else 0
        function = self._functions[form]
        inputs = [arrays[name] for name in self._names]
        itemsize = max((a.itemsize for a in inputs), default=8)
        check_memory(self._arrays_made[form], all_sizes, itemsize)
        if not given and len(self._known) < KNOWN_SHAPES:
            others = (arrays[n].shape if n in arrays else None for n in self._fixing)
            shapes = (*(a.shape for a in inputs), *others)
            self._known[shapes] = function, sizes, all_sizes
        results = function(*inputs, *sizes)
        if not inputs:
            dtype = common_dtype(values.values())
            results = converted(results, lambda r: np.asarray(r).astype(dtype, copy=False)[()])
        return self._finish(results, all_sizes) if self._finish else results

    def _enter_by_shapes(self, words: Sequence[str]) -> None:
        """Let arrays of known shapes go straight to the generated code."""
        names, fixing, sizes = self._names, self._fixing, self._sizes
        # Python's numbers give way to the precision of arrays: the slow way gets them as they are.
        scalars = {v.name: f"_array_{k}" for k, v in enumerate(self._variables) if not v.dims}
        lines = [
            f"{a} = _array({n}) if {n}.__class__ in _numbers else {n}" for n, a in scalars.items()
        ]
        names = tuple(scalars.get(n, n) for n in names)
        places = {scalars.get(n, n) for n in self._indices}
        tests = [
            " is ".join([*(f"{n}.__class__" for n in names), "_ndarray"]),
            " is ".join([*(f"{n}.dtype" for n in names if n not in places), "_float64"]),
            *(f'{n}.dtype.kind in "iuf"' for n in names if n in places),
            *(f"({n} is _missing or {n}.__class__ is _ndarray)" for n in fixing),
            *([" is ".join([*sizes, "_missing"])] if sizes else []),
        ]
        shapes = [f"{n}.shape" for n in names]
        shapes += [f"None if {n} is _missing else {n}.shape" for n in fixing]
        test, key, given = " and ".join(tests), f"({', '.join(shapes)},)", ", ".join(names)
        # Where nothing else is to be found out for known shapes, that they are known is enough.
        if len(self._functions) == 1 and not self._used and not self._finish:
            lines += [f"if {test} and {key} in _known:", f"    return _function({given})"]
        else:
            result = f"_found[0]({given}, *_found[1])"
            lines += [
                f"if {test}:",
                f"    _found = _known.get({key})",
                "    if _found is not None:",
                f"        return {f'_finish({result}, _found[2])' if self._finish else result}",
            ]
        known = {
            "_array": np.asarray,
            "_numbers": (float, int, np.float64),
            "_ndarray": np.ndarray,
            "_float64": np.dtype(np.float64),
            "_known": self._known,
            "_function": self._functions[0],
            "_finish": self._finish,
        }
        self._enter(words, lines, known)

    def _enter(self, words: Sequence[str], fast: Sequence[str], known: Mapping[str, Any]) -> None:
        """Let Python itself find out which argument has which name.

        The lines `fast` return a result where no argument is to be checked. They know what is
        `known`, `_missing` for what is not given, and `_more`, arguments behind the arrays.
        """
        count = len(self._names)
        parameters = [f"{n}=_missing" for n in words]
        parameters.insert(count, "*_more")
        text = "\n    ".join(
            [
                f"def __call__(_self, /, {', '.join(parameters)}, **_others):",
                *fast,
                f"_given = {{{', '.join(f'{n!r}: {n}' for n in words)}}}",
                "_given = {_k: _a for _k, _a in _given.items() if _a is not _missing}",
                f"_more = _placed(_self.parameters, (_missing,) * {count} + _more)",
                "return _self._checked(_given | _more | _others)",
            ]
        )
        namespace: dict[str, Any] = {**known, "_missing": _MISSING, "_placed": placed}
        exec(compile(text, "<eggrad>", "exec"), namespace)
        # Python looks for `__call__` in the class alone.
        methods = {"__call__": namespace["__call__"]}
        self.__class__ = cast("type[Self]", type(type(self).__name__, (type(self),), methods))


def converted(results: Any, convert: Callable[[Any], Any]) -> Any:
    """A result, or each one of a list, in another dtype.

    What depends on no array has the dtype of those that are given all the same.
    """
    if isinstance(results, list):
        return [convert(r) for r in cast("list[Any]", results)]
    return convert(results)


def placed(parameters: Sequence[str], args: Sequence[Any]) -> dict[str, Any]:
    """Arguments by the names of the parameters in their places.

    >>> placed(("A", "x"), (1,))
    {'A': 1}
    """
    if len(args) > len(parameters):
        raise UnsupportedOperation(
            f"{len(args)} arguments, and {len(parameters)} parameters: {', '.join(parameters)}"
        )
    return {n: a for n, a in zip(parameters, args, strict=False) if a is not _MISSING}


def is_plain(name: str) -> bool:
    """Whether a name stands for itself as a parameter, and is none that the entry uses."""
    plain = name.isidentifier() and not iskeyword(name) and name[0] != "_"
    return plain and normalize("NFKC", name) == name


def compile_terms(
    roots: Sequence[Term],
    scope: Iterable[Term] = (),
    sizes: Mapping[str, int] | None = None,
    single: bool = False,
    *,
    reference: Sequence[Term] | None = None,
) -> CompiledFunction:
    r"""A function that evaluates all roots and shares their work.

    `scope` has further variables, whose shapes fix sizes that the roots mention; `sizes` gives
    the sizes that are then still open; a `single` root's value is returned by itself.
    `reference` are the roots before they were lowered, where they were.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> f = compile_terms([einsum("ij,j->i", variable("A", ("m", "n")), variable("x", ("n",)))])
    >>> print(f.source.partition("\n\n\n")[2])
    def compiled(A, x):
        t1 = A.dot(x)
        return [t1]
    <BLANKLINE>
    >>> f(A=[[1, 2], [3, 4]], x=[1, 0])
    [array([1., 3.])]
    """
    return CompiledFunction([Form(tuple(roots))], scope, sizes, single, reference=reference)
