"""Products of derivatives with vectors, built without the derivative itself.

Reverse mode begins with any cotangent, so `vjp` costs what a gradient costs. A `vjp` is linear
in its cotangent, and its own reverse mode with respect to that is `jvp`: the transpose of the
transpose. The Hessian is the Jacobian of the gradient, and symmetric: `hvp` is the gradient's
`vjp`.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.calculus.thinning import Options, thinnings
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.interface.api import gradient, wrt_variable

__all__ = ["hvp", "jvp", "vjp"]


def vjp(f: Expression, x: str | Expression, w: str | Expression, budget: Any = None) -> Expression:
    """The vector-Jacobian product: the derivative, its axes of `f` contracted with `w`.

    Axes: those of `x`. `w` has the axes of `f`, or is the name of a variable that has; where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> vjp(A @ x, x, "w").evaluate({"A": [[1, 2]], "w": [3]})
    array([3., 6.])
    """
    own = as_expression(f)
    source, cotangent, target = _agreed("vjp", own, wrt_variable(own, x), w, own.shape)
    return _pulled_back(source, target, cotangent, budget, (source, cotangent, target))


def jvp(f: Expression, x: str | Expression, v: str | Expression, budget: Any = None) -> Expression:
    """The Jacobian-vector product: the derivative of `f` along `v`, a change of `x`.

    Axes: those of `f`. `v` has the axes of `x`, or is the name of a variable that has; where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> jvp(x * x, x, "v").evaluate({"x": [1, 2], "v": [1, 0]})
    array([2., 0.])
    """
    own = as_expression(f)
    wrt = wrt_variable(own, x)
    source, tangent, target = _agreed("jvp", own, wrt, v, wrt.dims)
    taken = {t.name for e in (source, tangent) for t in (*e.variables, *e.scope)}
    name = next(n for k in count() if (n := f"w{k}") not in taken)
    cotangent = expression(terms.variable(name, source.shape))
    known = (source, tangent, target)
    back = _pulled_back(source, target, cotangent, budget, (*known, cotangent))
    return _pulled_back(back, cotangent, tangent, budget, known)


def hvp(f: Expression, x: str | Expression, v: str | Expression, budget: Any = None) -> Expression:
    """The Hessian-vector product of a scalar: its second derivative contracted with `v`.

    Axes: those of `x`, as `v` has them; `v` may also be the name of a variable that has. Where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ or `f` is no scalar. Costs about twice as many operations
    as the gradient.

    >>> from eggrad.frontend.expression.functions import sum, tanh, variable
    >>> W, x = variable("W", ("n", "n")), variable("x", ("n",))
    >>> f = sum(tanh(W @ x))
    >>> hvp(f, W, "V").cost(100) < 3 * gradient(f, W).cost(100)
    True
    """
    return vjp(gradient(f, x, budget=budget), x, v, budget)


def _agreed(
    what: str, f: Expression, x: Term, vector: str | Expression, dims: Dims
) -> tuple[Expression, Expression, Expression]:
    """`f`, the vector and the variable, the vector's axes made equal to `dims`."""
    if isinstance(vector, str):
        known = {t.name: t for t in (x, *f.scope, *f.variables)}
        other = expression(known.get(vector) or terms.variable(vector, dims))
    else:
        other = as_expression(vector)
    subject = f"{what}: the vector has axes {_listed(other.shape)}, not {_listed(dims)}"
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
    from eggrad.frontend.calculus import calculus

    found = calculus.pull_back(f.term, x.term, cotangent.term, budget)
    candidates = (v for e in known for v in (*e.variables, *e.scope))
    complete = f.term_complete and cotangent.term_complete and found.complete
    warn_of(found.report)
    return expression(found.term, candidates, complete, thinnings(found.term, Options(budget)))


def _listed(dims: Dims) -> str:
    return f"({', '.join(map(str, dims))})"
