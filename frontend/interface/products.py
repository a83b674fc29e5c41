"""Jacobians, Hessians, and their products with vectors: of expressions, and of Python functions."""

from collections.abc import Sequence
from itertools import count
from typing import Any, Unpack, overload

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.calculus.calculus import Options, thinnings
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.interface import transforms
from eggrad.frontend.interface.derivatives import (
    DerivedBy,
    derivative,
    gradient,
    scalar,
    wrt_variable,
)
from eggrad.frontend.interface.tiers import Optimize
from eggrad.frontend.interface.traced import Argnums, Function
from eggrad.frontend.text.words import format_axes


@overload
def jacobian(f: Expression, x: str | Expression, **options: Unpack[DerivedBy]) -> Expression: ...
@overload
def jacobian(
    f: Function,
    x: Argnums | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    optimize: Optimize = "auto",
) -> Function: ...
def jacobian(
    f: Any,
    x: Any = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    optimize: Optimize = "auto",
    **options: Any,
) -> Any:
    """The derivative: axes of `f`, then of `x`. Options: see `derivative`.

    Of a Python function of arrays it is such a function, by the arguments `argnums`, as `grad` has
    them; what it returns is nested as the result is, and there as the arguments are. `optimize` is
    that of `grad`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> jacobian(A @ x, x).shape
    ('m', 'n')
    >>> jacobian(lambda x: 2 * x)([1.0])
    array([[2.]])
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.jacobian(f, argnums=0, has_aux=False)", *options.values())
        return transforms.jacobian_of(f, argnums if x is None else x, has_aux, optimize)
    _check_function_alone("jacobian", optimize)
    return derivative(f, x, **options)


@overload
def hessian(f: Expression, x: str | Expression, **options: Unpack[DerivedBy]) -> Expression: ...
@overload
def hessian(
    f: Function,
    x: Argnums | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    optimize: Optimize = "auto",
) -> Function: ...
def hessian(
    f: Any,
    x: Any = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    optimize: Optimize = "auto",
    **options: Any,
) -> Any:
    """The second derivative of a scalar; raises `ShapeError` for any other.

    Options: see `derivative`. Of a Python function of arrays it is such a function, by the
    arguments `argnums`, as `grad` has them; what it returns is nested as they are, twice.
    `optimize` is that of `grad`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> hessian(x @ x, x).shape
    ('n', 'n')
    >>> hessian(lambda x: x @ x)([1.0])
    array([[2.]])
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.hessian(f, argnums=0, has_aux=False)", *options.values())
        return transforms.hessian_of(f, argnums if x is None else x, has_aux, optimize)
    _check_function_alone("hessian", optimize)
    return derivative(scalar("hessian", f), x, x, **options)


# Products of derivatives with vectors, built without the derivative itself -----------------

# Reverse mode begins with any cotangent, so `vjp` costs what a gradient costs. A `vjp` is linear
# in its cotangent, and its reverse mode with respect to that is `jvp`: the transpose of the
# transpose. The Hessian is the Jacobian of the gradient, and symmetric: `hvp` is the gradient's
# `vjp`.


@overload
def vjp(
    f: Expression, x: str | Expression, w: str | Expression, budget: Any = None
) -> Expression: ...
@overload
def vjp(f: Function, *, has_aux: bool = False) -> Function: ...
def vjp(f: Any, x: Any = None, w: Any = None, budget: Any = None, *, has_aux: bool = False) -> Any:
    """The vector-Jacobian product: the derivative, its axes of `f` contracted with `w`.

    Axes: those of `x`. `w` has the axes of `f`, or is the name of a variable that has; where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ.

    Of a Python function of arrays, `vjp(f)(*args)` is its value and a function: from a cotangent,
    nested as the value, that gives a tuple with what it is pulled back to for each argument.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> vjp(A @ x, x, "w").evaluate({"A": [[1, 2]], "w": [3]})
    array([3., 6.])
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.vjp(f)(*args)", x, w)
        return transforms.vjp_of(f, has_aux)
    f = as_expression(f, "vjp: f")
    source, cotangent, target = _agreed("vjp", f, wrt_variable(f, x), w, f.shape)
    return _pulled_back(source, target, cotangent, budget, (source, cotangent, target))


@overload
def jvp(
    f: Expression, x: str | Expression, v: str | Expression, budget: Any = None
) -> Expression: ...
@overload
def jvp(f: Function, *, has_aux: bool = False) -> Function: ...
def jvp(f: Any, x: Any = None, v: Any = None, budget: Any = None, *, has_aux: bool = False) -> Any:
    """The Jacobian-vector product: the derivative of `f` along `v`, a change of `x`.

    Axes: those of `f`. `v` has the axes of `x`, or is the name of a variable that has; where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ.

    Of a Python function of arrays, `jvp(f)(primals, tangents)` is its value and how that changes;
    both arguments are tuples with a part for each argument of `f`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> jvp(x * x, x, "v").evaluate({"x": [1, 2], "v": [1, 0]})
    array([2., 0.])
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.jvp(f)(primals, tangents)", x, v)
        return transforms.jvp_of(f, has_aux)
    f = as_expression(f, "jvp: f")
    wrt = wrt_variable(f, x)
    source, tangent, target = _agreed("jvp", f, wrt, v, wrt.dims)
    taken = {t.name for e in (source, tangent) for t in e.variables}
    name = next(n for k in count() if (n := f"w{k}") not in taken)
    cotangent = expression(terms.variable(name, source.shape))
    known = (source, tangent, target)
    back = _pulled_back(source, target, cotangent, budget, (*known, cotangent))
    return _pulled_back(back, cotangent, tangent, budget, known)


@overload
def hvp(
    f: Expression, x: str | Expression, v: str | Expression, budget: Any = None
) -> Expression: ...
@overload
def hvp(f: Function, *, has_aux: bool = False, optimize: Optimize = "auto") -> Function: ...
def hvp(
    f: Any,
    x: Any = None,
    v: Any = None,
    budget: Any = None,
    *,
    has_aux: bool = False,
    optimize: Optimize = "auto",
) -> Any:
    """The Hessian-vector product of a scalar: its second derivative contracted with `v`.

    Axes: those of `x`, as `v` has them; `v` may also be the name of a variable that has. Where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ or `f` is no scalar. Costs about twice as many operations
    as the gradient.

    Of a Python function of arrays, `hvp(f)(x, v, *args)` is the product at `f(x, *args)`, with `v`
    nested as `x` is; `optimize` is that of `grad`.

    >>> from eggrad.frontend.expression.functions import sum, tanh, variable
    >>> W, x = variable("W", ("n", "n")), variable("x", ("n",))
    >>> f = sum(tanh(W @ x))
    >>> hvp(f, W, "V").cost(100) < 3 * gradient(f, W).cost(100)
    True
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.hvp(f)(x, v)", x, v)
        return transforms.hvp_of(f, has_aux, optimize)
    _check_function_alone("hvp", optimize)
    return vjp(gradient(f, x, budget=budget), x, v, budget)


# How ---------------------------------------------------------------------------------------


def _check_alone(wanted: str, *others: object) -> None:
    if any(other is not None for other in others):
        raise UnsupportedOperation(f"of a Python function, write {wanted}")


def _check_function_alone(what: str, optimize: str) -> None:
    if optimize != "auto":
        raise UnsupportedOperation(
            f"{what}: optimize= is for functions of arrays; eggrad.compile has it for expressions"
        )


def _agreed(
    what: str, f: Expression, x: Term, vector: str | Expression, dims: Dims
) -> tuple[Expression, Expression, Expression]:
    """`f`, the vector and the variable, the vector's axes made equal to `dims`."""
    if isinstance(vector, str):
        known = {t.name: t for t in (x, *f.variables)}
        other = expression(known.get(vector) or terms.variable(vector, dims))
    else:
        other = as_expression(vector, f"{what}: the vector")
    subject = f"{what}: the vector has axes {format_axes(other.shape)}, not {format_axes(dims)}"
    if other.ndim != len(dims):
        raise ShapeError(subject)
    pairs = zip(other.shape, dims, strict=True)
    source, found, target = unified([f, other, expression(x)], pairs, subject)
    return source, found, target


def _pulled_back(
    f: Expression,
    x: Expression,
    cotangent: Expression,
    budget: Any,
    known: Sequence[Expression],
) -> Expression:
    """What reverse mode makes of a cotangent of `f`; the variables of `known` may fix sizes."""
    found = calculus.pull_back(f.term, x.term, cotangent.term, budget)
    candidates = (v for e in known for v in e.variables)
    complete = f.term_complete and cotangent.term_complete and found.complete
    warn_of(found.report)
    lost = {name for e in known for name in e.known}
    later = thinnings(found.term, Options(budget))
    return expression(found.term, candidates, complete, later, lost)
