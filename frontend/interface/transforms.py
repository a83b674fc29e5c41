"""Derivatives of Python functions of arrays, as JAX spells them, and functions of many examples.

Arguments and results are arrays, numbers, and tuples, lists, dicts, named tuples and dataclasses of
such; a list of numbers alone is an array. See `grad` for what becomes of arguments.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from itertools import count, starmap
from numbers import Number
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import numbers
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.expression.functions import variable
from eggrad.frontend.interface.batching import batched
from eggrad.frontend.interface.derivatives import (
    derivative_by,
    gradients_by,
    scalar,
    wrt_variable,
)
from eggrad.frontend.interface.tiers import Optimize
from eggrad.frontend.interface.traced import (
    Argnums,
    Arguments,
    Function,
    Kind,
    Outputs,
    Plan,
    checked,
    checked_function,
    checked_places,
    outputs,
    placed,
    transformed,
)
from eggrad.frontend.interface.trees import Structure, flatten, paths, spread, unflatten

Expressions = Sequence[Expression]
Nested = Callable[[Iterator[Any]], Any]
"""What nests the next results like the arguments that are differentiated by."""


def grad(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, optimize: Optimize = "auto"
) -> Function:
    """The gradient of a function that returns a scalar, by one argument or by several.

    The gradient by an argument is nested as the argument is, with None for what is no number.
    Floating-point arrays and numbers become variables, and so do integers in the arguments
    `argnums`. All else is passed on as it is, integers and their arrays as well, so that they may
    be sizes and indices, and numbers that are given by name. With `has_aux` the function returns
    a pair, of which the second part is returned beside the gradient. Of what the function computes
    derivatives are found once; it is called again whenever what it reads may have changed.

    `optimize` says when the fastest form is looked for: "now", at the first call for arguments of
    new shapes, "never", or "auto", when calls have taken as long as looking is predicted to take.
    Until then derivatives are computed as their laws leave them, in a stable form; last digits may
    differ. `.tier` of the result says where it is: `name`, "first" or "explored", `calls`, and
    `changes_at`, the call at which it is explored.

    Raises `ShapeError` where the result is no scalar. An error in the function has a note with
    its line.

    >>> import numpy as np
    >>> grad(lambda x: np.sum(np.exp(x) * x))(np.zeros(2))
    array([1., 1.])
    >>> slope = grad(lambda p, x: p["w"] @ x + p["b"] ** 2)
    >>> slope({"w": np.ones(2), "b": 3.0}, np.ones(2))
    {'w': array([1., 1.]), 'b': np.float64(6.0)}
    >>> slope.tier.name, slope.tier.calls
    ('first', 1)
    """

    def result(found: Outputs, nested: Nested) -> Any:
        return _with_aux(nested(iter(found.derived)), found, has_aux)

    return _by_arguments(f, _GRADIENT, argnums, result, has_aux=has_aux, optimize=optimize)


def value_and_grad(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, optimize: Optimize = "auto"
) -> Function:
    """The value and the gradient of a function that returns a scalar; see `grad`.

    With `has_aux` it returns `((value, aux), gradient)`.

    >>> import numpy as np
    >>> value_and_grad(lambda x: x @ x)(np.ones(2))
    (np.float64(2.0), array([2., 2.]))
    """

    def result(found: Outputs, nested: Nested) -> Any:
        value, *slopes = found.derived
        return _with_aux(value, found, has_aux), nested(iter(slopes))

    return _by_arguments(
        f, _VALUE_AND_GRADIENT, argnums, result, has_aux=has_aux, optimize=optimize
    )


def elementwise_grad(f: Function, argnums: Argnums = 0, optimize: Optimize = "auto") -> Function:
    """The derivative of the sum of all entries of the result, as autograd has it.

    Where each entry of the result depends on its own entry of the argument alone, these are the
    derivatives of the entries. See `grad` for arguments.

    >>> import numpy as np
    >>> elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    checked_function(f)

    @wraps(f)
    def total(*args: Any, **options: Any) -> Any:
        return np.sum(f(*args, **options))

    return grad(total, argnums, optimize=optimize)


def jacobian_of(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, optimize: Optimize = "auto"
) -> Function:
    """The derivative of a function of arrays: nested as its result, then as the argument."""

    def result(found: Outputs, nested: Nested) -> Any:
        left = iter(found.derived)
        rows = [nested(left) for _ in found.traced.values]
        return _with_aux(unflatten(found.traced.structure, rows), found, has_aux)

    return _by_arguments(f, _JACOBIAN, argnums, result, has_aux=has_aux, optimize=optimize)


def jacfwd(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, optimize: Optimize = "auto"
) -> Function:
    """`eggrad.jacobian` of a function; whether forward or in reverse is found by cost.

    >>> jacfwd(lambda x: x * x)([1.0, 3.0])
    array([[2., 0.],
           [0., 6.]])
    """
    return jacobian_of(f, argnums, has_aux, optimize)


jacrev = jacfwd


# Of JAX's jit, about where results are computed and kept.
_OF_DEVICES = frozenset(
    ("donate_argnums", "donate_argnames", "keep_unused", "device", "backend", "inline")
)


def jit(
    f: Function,
    optimize: Optimize = "auto",
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    **of_devices: Any,
) -> Function:
    """The function itself, compiled for the shapes of its arguments when it is called with them.

    It is called again whenever what it reads may have changed; see `grad` for what becomes of
    arguments, and for `optimize`. Arguments that are `static` are passed on as they are; JAX's
    words about devices and buffers change nothing.

    >>> import numpy as np
    >>> jit(lambda x, n: np.sum(x**n))(np.array([1.0, 2.0]), 3)
    np.float64(9.0)
    """
    if unknown := sorted(of_devices.keys() - _OF_DEVICES):
        raise UnsupportedOperation(f"eggrad.jit has no {unknown[0]}: leave it out")
    places = (static_argnums,) if isinstance(static_argnums, int) else static_argnums
    names = (static_argnames,) if isinstance(static_argnames, str) else static_argnames

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        counted = (k + len(args) if k < 0 else k for k in places)
        given = Arguments(f, args, options, (), integers=False, fixed={*counted, *names})

        def result(found: Outputs) -> Any:
            return unflatten(found.traced.structure, found.derived)

        return Plan(_JIT, given, result)

    return transformed(f, plan, optimize=optimize)


def checkpoint(f: Function) -> Function:
    """The function itself: what derivatives keep and what they compute anew is found by cost.

    >>> grad(checkpoint(lambda x: x**3))(2.0)
    np.float64(12.0)
    """
    checked_function(f)
    return f


def hessian_of(
    f: Function, argnums: Argnums = 0, has_aux: bool = False, optimize: Optimize = "auto"
) -> Function:
    """The second derivative of a scalar function, nested as the argument twice."""

    def result(found: Outputs, nested: Nested) -> Any:
        left = iter(found.derived)
        # As many rows as there are arguments are asked for.
        return _with_aux(nested(nested(left) for _ in count()), found, has_aux)

    return _by_arguments(f, _HESSIAN, argnums, result, has_aux=has_aux, optimize=optimize)


def hvp_of(f: Function, has_aux: bool = False, optimize: Optimize = "auto") -> Function:
    """The product of the Hessian by the first argument with a vector, which comes second."""

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        if len(args) < 2:
            raise UnsupportedOperation(
                f"eggrad.hvp(f)(x, v, ...) needs a point and a vector, it has {len(args)} arguments"
            )
        x, v, *others = args
        given = Arguments(f, [x, *others], options, (0,))
        _check_numbers(given)

        def result(found: Outputs) -> Any:
            return _with_aux(_per_argument(given, iter(found.derived), single=True), found, has_aux)

        # The leaves of the vector, nested like the first argument, come after the leaves of that.
        count = len(given.places[0])
        order = [k if k < count else k + count for k in given.variables]
        order += [k + count for k in given.of(0)]
        alike = flatten(v)[1] == given.structures[0]
        vectors = _vectors("hvp", given, [v])
        return Plan(_HVP, given, result, order if alike else None, vectors)

    return transformed(f, plan, has_aux=has_aux, optimize=optimize)


def jvp_of(f: Function, has_aux: bool = False) -> Function:
    """The value of a function, and how it changes along a change of its arguments."""

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        if len(args) != 2:
            raise UnsupportedOperation(
                f"eggrad.jvp(f)(primals, tangents) takes two tuples, it has {len(args)} arguments"
            )
        primals, tangents = args
        for given in args:
            if not isinstance(given, tuple | list):
                raise UnsupportedOperation(
                    "eggrad.jvp(f)(primals, tangents): each is a tuple with a part for every "
                    f"argument, not a {type(given).__name__}"
                )
        arguments = Arguments(f, primals, options, range(len(primals)), integers=False)
        if len(tangents) != len(primals):
            raise ShapeError(f"jvp: {len(primals)} primals and {len(tangents)} tangents")

        def result(found: Outputs) -> Any:
            structure, count = found.traced.structure, len(found.traced.values)
            value = unflatten(structure, found.derived[:count])
            change = unflatten(structure, found.derived[count:])
            return (value, change, found.aux) if has_aux else (value, change)

        return Plan(_JVP, arguments, result, vectors=_vectors("jvp", arguments, tangents))

    return transformed(f, plan, has_aux=has_aux)


def vjp_of(f: Function, has_aux: bool = False) -> Function:
    """The value of a function, and a function that takes a cotangent of it back to arguments."""

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        given = Arguments(f, args, options, range(len(args)), integers=False)
        # Whoever changes the arrays later does not change what is pulled back.
        given.leaves = [a.copy() if isinstance(a, np.ndarray) else a for a in given.leaves]

        def result(found: Outputs) -> Any:
            structure = found.traced.structure

            def pullback(cotangent: Any) -> tuple[Any, ...]:
                shapes = [
                    np.shape(x) if not isinstance(x, Expression) else x.shape for x in found.derived
                ]
                cotangents = _fitting("vjp", "value", structure, shapes, cotangent)
                back = Plan(_VJP, given, lambda pulled: pulled.derived, vectors=cotangents)
                pulled = outputs(f, back, has_aux=has_aux, optimize="auto")
                return _per_argument(given, iter(pulled.derived), single=False)

            value = unflatten(structure, found.derived)
            return (value, pullback, found.aux) if has_aux else (value, pullback)

        return Plan(_VALUE, given, result)

    return transformed(f, plan, has_aux=has_aux)


def vmap(f: Function, in_axes: Any = 0, out_axes: Any = 0) -> Function:
    """A function of many examples at once: that of one, at each place along an axis.

    `in_axes` says along which axis of an argument the examples lie, None where they share it: one
    for all arguments, or a tuple with one for each, which may be nested like the argument. Arrays
    that are given by name have examples along their first axis. `out_axes` says likewise where
    the new axis of the results is. Raises `ShapeError` where there are not as many examples.

    >>> import numpy as np
    >>> vmap(lambda w, x: np.tanh(w @ x), in_axes=(None, 0))(np.ones(2), np.zeros((3, 2)))
    array([0., 0., 0.])
    """

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        axes = _mapped_axes(in_axes, args, options)
        plain = Arguments(f, args, options, ())
        examples = {k: _in_front(plain.leaves[k], axis) for k, axis in axes.items()}
        size, shapes = _examples(examples)
        given = Arguments(f, args, options, (), mapped=dict.fromkeys(examples, 0))
        kind = Kind("vmap", _mapped, (size,))

        def result(found: Outputs) -> Any:
            places = spread(out_axes, found.traced.structure)
            if places is None:
                raise UnsupportedOperation(
                    f"vmap: out_axes {shown(out_axes)} is not nested as the result"
                )
            moved = starmap(_moved, zip(found.derived, places, strict=True))
            return unflatten(found.traced.structure, moved)

        return Plan(kind, given, result, vectors=[*examples.values()], shapes=shapes)

    return transformed(f, plan)


# How each kind is derived ----------------------------------------------------------------------


def _slopes(values: Expressions, wrt: Expressions, _: Expressions, explore: bool) -> Expressions:
    value = scalar("gradient", *values)
    return gradients_by(value, [wrt_variable(value, x) for x in wrt], explore=explore)


def _value_and_gradient(
    values: Expressions, wrt: Expressions, _: Expressions, explore: bool
) -> Expressions:
    return [*values, *_slopes(values, wrt, (), explore)]


def _jacobian(values: Expressions, wrt: Expressions, _: Expressions, explore: bool) -> Expressions:
    return [_derivative(value, x, explore) for value in values for x in wrt]


def _derivative(f: Expression, x: Expression, explore: bool) -> Expression:
    return derivative_by(f, (wrt_variable(f, x),), "auto", None, exact=False, explore=explore)


def _hessian(values: Expressions, wrt: Expressions, _: Expressions, explore: bool) -> Expressions:
    slopes = _slopes(values, wrt, (), explore)
    return [_derivative(slope, x, explore) for slope in slopes for x in wrt]


def _hvp(values: Expressions, wrt: Expressions, vectors: Expressions, explore: bool) -> Expressions:
    return _vjp(_slopes(values, wrt, (), explore), wrt, vectors, explore)


def _vjp(values: Expressions, wrt: Expressions, vectors: Expressions, explore: bool) -> Expressions:
    """The gradient of the inner product with the cotangents."""
    if not wrt:
        return []
    pairs = zip(values, vectors, strict=True)
    total = sum((np.sum(value * w) for value, w in pairs), start=as_expression(0))
    return _slopes([total], wrt, (), explore)


def _jvp(values: Expressions, wrt: Expressions, vectors: Expressions, explore: bool) -> Expressions:
    """A pullback is linear in the cotangents; the pullback of that is the change of the values."""
    cotangents = [variable(f"w_{k}#", value.term.dims) for k, value in enumerate(values)]
    pulled = _vjp(values, wrt, cotangents, explore)
    return [*values, *_vjp(pulled, cotangents, vectors, explore)]


def _mapped(values: Expressions, wrt: Expressions, vectors: Expressions, _: bool) -> Expressions:
    """Values at all examples, which are the vectors, in place of the variables of one."""

    def many(value: Expression) -> Expression:
        known = {v.name: v for v in value.variables}
        pairs = [(known.get(x.term.name, x.term), v) for x, v in zip(wrt, vectors, strict=True)]
        sizes = [pair for x, v in pairs for pair in zip(x.dims, v.term.dims[1:], strict=True)]
        sizes += [(vectors[0].term.dims[0], v.term.dims[0]) for v in vectors]
        after, *examples = unified([value, *vectors], sizes, "vmap")
        by_name = {x.name: e.term for (x, _), e in zip(pairs, examples, strict=True)}
        inside = {v: by_name[v.name] for v in after.variables if v.name in by_name}
        fixing = [v for e in examples for v in e.variables]
        fixing += [v for v in after.variables if v.name not in by_name]
        term = batched(after.term, inside, examples[0].term.dims[0])
        return expression(term, fixing, all(e.term_complete for e in (after, *examples)))

    return [*map(many, values)]


_GRADIENT = Kind("grad", _slopes, scalar=True)
_VALUE_AND_GRADIENT = Kind("value_and_grad", _value_and_gradient, scalar=True)
_JACOBIAN = Kind("jacobian", _jacobian)
_HESSIAN = Kind("hessian", _hessian, scalar=True)
_HVP = Kind("hvp", _hvp, scalar=True)
_JVP = Kind("jvp", _jvp)
_VJP = Kind("vjp", _vjp)
_JIT = Kind("jit", lambda values, *_: values)
_VALUE = Kind("vjp", lambda values, *_: values, ("value",))


# Arguments and results -------------------------------------------------------------------------


def _by_arguments(
    f: Function,
    kind: Kind,
    argnums: Argnums,
    result: Callable[[Outputs, Nested], Any],
    *,
    has_aux: bool,
    optimize: Optimize,
) -> Function:
    """A function that computes derivatives by some arguments, nested like these."""
    single, places = checked_places(argnums)

    def plan(args: tuple[Any, ...], options: dict[str, Any]) -> Plan:
        given = Arguments(f, args, options, placed(places, len(args)))
        _check_numbers(given)
        nested = partial(_per_argument, given, single=single)
        return Plan(kind, given, lambda found: result(found, nested), [*given.variables])

    return transformed(f, plan, has_aux=has_aux, optimize=optimize)


def _with_aux(value: Any, found: Outputs, has_aux: bool) -> Any:
    return (value, found.aux) if has_aux else value


def _check_numbers(given: Arguments) -> None:
    for place in given.wrt:
        if not given.of(place):
            raise UnsupportedOperation(
                f"argument {place} has no numbers to differentiate by: give an array, a number, or "
                f"a tuple, list or dict of such, not {_kind(given, place)}; argnums says which "
                "arguments are differentiated by"
            )


def _kind(given: Arguments, place: int) -> str:
    """What an argument is, in words."""
    leaves = [given.leaves[k] for k in given.places[place]]
    if given.structures[place] is None and isinstance(leaves[0], np.ndarray):
        return f"an array of {leaves[0].dtype}"
    return ", ".join(dict.fromkeys(type(leaf).__name__ for leaf in leaves)) or "an empty one"


def _per_argument(given: Arguments, left: Iterator[Any], *, single: bool) -> Any:
    """The next results, nested like the arguments that are differentiated by."""
    found = [given.like(p, {k: next(left) for k in given.of(p)}) for p in given.wrt]
    return found[0] if single else tuple(found)


def _vectors(what: str, given: Arguments, trees: Sequence[Any]) -> list[Any]:
    """A vector for each leaf that is differentiated by, from trees like the arguments."""
    found: list[Any] = []
    for place, tree in zip(given.wrt, trees, strict=True):
        places = given.places[place]
        shapes = [_shape(given.leaves[k]) for k in places]
        leaves = _fitting(what, f"argument {place}", given.structures[place], shapes, tree)
        found += [leaf for k, leaf in zip(places, leaves, strict=True) if k in given.variables]
    return found


def _fitting(
    what: str,
    subject: str,
    structure: Structure,
    shapes: Sequence[Any],
    tree: Any,
) -> list[Any]:
    """The leaves of a tree of vectors, which has the structure and the shapes of something else."""
    leaves, found = flatten(tree, structure)
    if found != structure:
        raise ShapeError(f"{what}: the vector is not nested as {subject} is")
    names = ["".join(f"[{shown(p)}]" for p in path) for path in paths(structure)]
    for name, leaf, shape in zip(names, leaves, shapes, strict=True):
        if leaf is not None and len(_shape(leaf)) != len(shape):
            raise ShapeError(
                f"{what}: the vector{name} has shape {_shape(leaf)}, {subject}{name} has {shape}"
            )
        fixed = zip(_shape(leaf), shape, strict=False)
        if any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in fixed):
            raise ShapeError(
                f"{what}: the vector{name} has shape {_shape(leaf)}, {subject}{name} has {shape}"
            )
    return [checked(leaf, "the vector") for leaf in leaves]


def _shape(leaf: Any) -> tuple[Any, ...]:
    """The shape of an array or a number; that of a number for what is neither."""
    if isinstance(leaf, Expression):
        return leaf.shape
    given: Any = leaf
    return np.shape(given) if isinstance(leaf, np.ndarray | list | Number) else ()


# Examples --------------------------------------------------------------------------------------


def _mapped_axes(in_axes: Any, args: Sequence[Any], options: dict[str, Any]) -> dict[int, int]:
    """The axis along which each leaf has examples, for those that have."""
    if isinstance(in_axes, list):
        in_axes = tuple(cast("list[Any]", in_axes))
    if isinstance(in_axes, tuple) and len(cast("tuple[Any, ...]", in_axes)) != len(args):
        raise UnsupportedOperation(
            f"vmap: in_axes {shown(in_axes)} is for another number of arguments than {len(args)}"
        )
    _, structure = flatten(tuple(args))
    axes = spread(in_axes, structure)
    if axes is None:
        raise UnsupportedOperation(
            f"vmap: in_axes {shown(in_axes)} is not nested as the arguments are"
        )
    named, _ = flatten(tuple(options.values()))
    axes += [0 if np.ndim(leaf) else None for leaf in named]
    if not all(axis is None or isinstance(axis, int) for axis in axes):
        raise UnsupportedOperation(f"vmap: in_axes are integers and None, not {shown(in_axes)}")
    found = {k: axis for k, axis in enumerate(axes) if axis is not None}
    if not found:
        raise UnsupportedOperation("vmap: in_axes has no argument along which there are examples")
    return found


def _in_front(leaf: Any, axis: int) -> Any:
    """An array of examples with their axis moved to the front."""
    order = len(_shape(leaf))
    if not -order <= axis < order:
        raise ShapeError(f"vmap: an argument has no axis {axis}, it has shape {_shape(leaf)}")
    array: Any = leaf if isinstance(leaf, Expression) else numbers("vmap: an argument", leaf)
    return np.moveaxis(array, axis, 0)


def _examples(found: dict[int, Any]) -> tuple[Any, dict[int, tuple[Any, ...]]]:
    """How many examples there are, and the shapes of one."""
    shapes = {k: e.term.dims if isinstance(e, Expression) else e.shape for k, e in found.items()}
    sizes = {shape[0] for shape in shapes.values()}
    if len({n for n in sizes if isinstance(n, int)}) > 1:
        raise ShapeError(
            f"vmap: the arguments have different numbers of examples: {sorted(map(str, sizes))}"
        )
    return next(iter(sizes)), {k: shape[1:] for k, shape in shapes.items()}


def _moved(value: Any, axis: Any) -> Any:
    if not isinstance(axis, int) or not -len(_shape(value)) <= axis < len(_shape(value)):
        raise ShapeError(
            f"vmap: out_axes {shown(axis)} is no axis of a result of shape {_shape(value)}"
        )
    return value if axis == 0 else np.moveaxis(value, 0, axis)
