"""Expressions as fast functions of arrays."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, cast, get_args, overload

from eggrad.engine.backends import LIBRARIES, ArrayFactors, ArrayFunction, FollowingFunction
from eggrad.engine.compilation.checked import CheckedFunction, factors_of
from eggrad.engine.compilation.compiled import CompiledFunction, Form
from eggrad.engine.compilation.factored_code import CompiledFactors
from eggrad.engine.compilation.variants import (
    SizeVariant,
    cheapest_variant,
    explain,
    predicted_time,
)
from eggrad.engine.costs.time_model import load_rates
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.binding import checked_size
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.frontend.calculus import code
from eggrad.frontend.calculus.code import lower, unexplored
from eggrad.frontend.expression.expression import (
    Expression,
    as_expression,
    expression,
    unified,
)
from eggrad.frontend.interface.tiers import (
    EXPLORED,
    Optimize,
    Tier,
    TieredFunction,
)
from eggrad.frontend.text.doors import checked_count, checked_flag, checked_mapping, checked_word

Backend = Literal["numpy", "jax", "torch", "cupy", "dask", "array_api"]
Structure = Literal["dense", "factored"]
_Sizes = Mapping[str, int] | None
_Given = Expression | Sequence[Expression]
_Library = Literal["jax", "torch", "cupy", "dask", "array_api"]
_Numpy = Literal["numpy"]
_Dense = Literal["dense"]
_Factored = Literal["factored"]
_AtOnce = Literal["now", "never"]


@overload
def compile(
    f: _Given,
    backend: Backend = "numpy",
    sizes: _Sizes = None,
    structure: Structure = "dense",
    columns: int | None = None,
    *,
    jit: bool | None = None,
    check: Literal[True],
    optimize: _AtOnce = "now",
) -> CheckedFunction: ...
@overload
def compile(
    f: _Given,
    backend: _Numpy = "numpy",
    sizes: _Sizes = None,
    structure: _Dense = "dense",
    columns: None = None,
    *,
    jit: bool | None = None,
    check: Literal[False] = False,
    optimize: _AtOnce = "now",
) -> CompiledFunction: ...
@overload
def compile(
    f: _Given,
    backend: _Numpy = "numpy",
    sizes: _Sizes = None,
    *,
    structure: _Factored,
    columns: int | None = None,
    jit: bool | None = None,
    check: Literal[False] = False,
    optimize: _AtOnce = "now",
) -> CompiledFactors: ...
@overload
def compile(
    f: _Given,
    backend: _Library,
    sizes: _Sizes = None,
    structure: _Dense = "dense",
    columns: None = None,
    *,
    jit: bool | None = None,
    check: Literal[False] = False,
    optimize: _AtOnce = "now",
) -> ArrayFunction: ...
@overload
def compile(
    f: _Given,
    backend: _Library,
    sizes: _Sizes = None,
    *,
    structure: _Factored,
    columns: int | None = None,
    jit: bool | None = None,
    check: Literal[False] = False,
    optimize: _AtOnce = "now",
) -> ArrayFactors: ...
@overload
def compile(
    f: _Given,
    backend: None,
    sizes: _Sizes = None,
    structure: Structure = "dense",
    columns: int | None = None,
    *,
    jit: bool | None = None,
    check: Literal[False] = False,
    optimize: _AtOnce = "now",
) -> FollowingFunction: ...
@overload
def compile(
    f: _Given,
    backend: Backend | None = "numpy",
    sizes: _Sizes = None,
    structure: Structure = "dense",
    columns: int | None = None,
    *,
    jit: bool | None = None,
    check: bool = False,
    optimize: Literal["auto"],
) -> TieredFunction: ...
def compile(
    f: _Given,
    backend: Any = "numpy",
    sizes: _Sizes = None,
    structure: Structure = "dense",
    columns: int | None = None,
    *,
    jit: bool | None = None,
    check: bool = False,
    optimize: Optimize = "now",
) -> Any:
    """A fast function of keyword arrays; several expressions share their work.

    It returns one array, or a list where a list is given; a scalar is a NumPy number. Another
    `backend` than "numpy" computes with arrays of that library and returns such: "jax", "torch",
    "cupy", "dask", or "array_api" for any library of the array API standard; None follows the
    arrays given. With `jit` the library compiles the function: JAX does unless told not to,
    PyTorch where it is told to. `sizes`
    gives the sizes that no array fixes, and those at which the cheapest form is chosen; where
    none are given and it depends on them, there are up to three forms, the first call with new
    shapes chooses, and `.source` says where the choice changes.
    `structure="factored"` makes the function return `FactoredTensor`s, which keep deltas and
    outer products apart and are linear operators; the last `columns` axes of each, by default
    half of them, meet an operand. With `check` every call holds the values against what was
    declared of the variables, and raises `AssumptionViolated` where one does not fit; it needs
    NumPy's arrays. `optimize` says when the fastest form is looked for: "now", "never", which takes
    the terms as they are, in their stable form, or "auto", which does so until the calls have
    taken as long as looking is predicted to take; `.tier` then says where the function is. Raises
    `UnsupportedOperation` for a backend that is unknown or not installed or another structure,
    `ShapeError` where there are fewer columns.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> compile([x @ x, 2 * x])(x=[1, 2])
    [np.float64(5.0), array([2., 4.])]
    """
    if backend is not None:
        checked_word("compile", "backend", backend, ("numpy", *LIBRARIES))
    checked_word("compile", "structure", structure, get_args(Structure))
    if columns is not None:
        checked_count("compile", "columns", columns)
    if jit is not None:
        checked_flag("compile", "jit", jit)
    checked_word("compile", "optimize", optimize, get_args(Optimize))
    if sizes is not None:
        sizes = checked_mapping("compile", "sizes", sizes, 'a dict such as {"n": 3}')
    if checked_flag("compile", "check", check) and backend != "numpy":
        raise UnsupportedOperation("compile: check needs backend 'numpy'")
    again: Any = compile
    options: dict[str, Any] = {"sizes": sizes, "structure": structure, "columns": columns}
    options["jit"] = jit
    if optimize == "auto":
        return tiered(lambda _: f, optimize, backend=backend, check=check, **options)
    if backend is None:
        return FollowingFunction(lambda library: again(f, library, optimize=optimize, **options))
    if jit and backend == "numpy":
        raise UnsupportedOperation("backend 'numpy' compiles nothing: jit=")
    if columns is not None and structure != "factored":
        raise UnsupportedOperation('compile: columns needs structure="factored"')
    several = isinstance(f, list | tuple)
    given = [
        as_expression(e, "compile: f").thin
        for e in (cast(Sequence[Expression], f) if several else [f])
    ]
    if not given:
        raise UnsupportedOperation("compile what? give at least one expression")
    for symbol, length in (sizes or {}).items():
        checked_size(symbol, length)
    expressions = unified(given, [], "compile")
    # What only fixes sizes must be known even where lowering removes its last use.
    scope = variables(*(v for e in expressions for v in e.variables))
    rates = load_rates(backend)
    reference = [e.term for e in expressions]
    # Those of the result alone: what the derivative of a declared variable lost need not be given.
    factors = factors_of(variables(*reference)) if check and structure == "dense" else {}
    reference += factors.values()
    at_once = optimize == "never"
    variants = (unexplored(reference, rates, sizes),) if at_once else lower(reference, rates, sizes)
    if structure == "factored":
        terms, single = variants[0].terms, not several
        if backend != "numpy":
            more = (scope, sizes, columns, single)
            return ArrayFactors(backend, terms, *more, reference=reference, jit=jit)
        found = CompiledFactors(terms, scope, sizes, columns, single, reference=reference)
        return CheckedFunction(found, scope) if check else found
    choose, note, forms = None, "", [Form(variants[0].terms)]
    if len(variants) > 1:
        choose = partial(cheapest_variant, variants, rates=rates)
        note, forms = explain(variants, rates), variants
    known: dict[str, Any] = {"choose": choose, "reference": reference, "note": note}
    if backend != "numpy":
        return ArrayFunction(backend, forms, scope, sizes, not several, jit=jit, **known)
    function = CompiledFunction(forms, scope, sizes, not several and not factors, **known)
    if not check:
        return function
    return CheckedFunction(function, scope, tuple(factors), single=not several)


# What exploring and compiling take for each node, in picoseconds.
_EXPLORING: Final = 15_000_000_000


def worthwhile_call(
    terms: Sequence[Term], sizes: _Sizes = None, backend: str | None = "numpy"
) -> int:
    """The call by which a form has taken as long as exploring it; a size not given counts as 100.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> A, x = variable("A", (3000, 3000)), variable("x", (3,))
    >>> worthwhile_call([apply("exp", x)]) > 1000
    True
    >>> worthwhile_call([einsum("ij,jk->ik", A, A)])
    1
    """
    count = len(list(postorder(*terms)))
    rates = load_rates(backend or "numpy")
    one = predicted_time(SizeVariant(tuple(terms)), sizes or {}, rates)
    return -(-_EXPLORING * count // max(1, one))


def as_computed(values: Sequence[Expression]) -> list[Expression]:
    """Equal expressions that lose no digits, to be differentiated as they are computed.

    >>> from eggrad.frontend.expression.functions import exp, log, variable
    >>> x = variable("x", ("n",))
    >>> as_computed([log(1 + exp(x))])[0].term.op
    'softplus'
    """
    found = code.as_computed([v.term for v in values])
    return [expression(t, v.variables) for t, v in zip(found, values, strict=True)]


def tiered(
    found: Callable[[bool], _Given], optimize: Optimize = "auto", **options: Any
) -> TieredFunction:
    """What computes expressions, which are explored or not; `options` are those of `compile`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> function = tiered(lambda explored: [x @ x])
    >>> function(x=[1, 2]), function.tier.name
    ([np.float64(5.0)], 'first')
    """
    build: Any = partial(compile, **options)
    given = found(optimize == "now")
    every = cast(Sequence[Expression], given if isinstance(given, list | tuple) else [given])
    if not every:
        return TieredFunction(lambda **_: [], tier=Tier())
    if optimize == "now":
        return TieredFunction(build(given), tier=Tier(EXPLORED))
    function = build(given, optimize="never")
    if optimize == "never":
        return TieredFunction(function, tier=Tier())
    form = getattr(function, "form", ()) or [e.term for e in every]
    call = worthwhile_call(form, options.get("sizes"), options.get("backend", "numpy"))
    return TieredFunction(function, lambda: build(found(True)), tier=Tier(changes_at=call))
