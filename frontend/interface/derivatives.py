"""Derivatives and simplification: of expressions, and of Python functions of arrays."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, overload

from eggrad.engine.errors import ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import known_sizes
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.calculus.calculus import Options, thinnings
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.interface.traced import Argnums, Function
from eggrad.frontend.text.words import format_axes

if TYPE_CHECKING:
    from eggrad.engine.laws.rule import Ruleset
    from eggrad.frontend.interface.own_rules import Rules

MODES = ("auto", "forward", "reverse")
ENTRIES = ("independent", "pairs")
# The options with which derivatives by several variables are found together.
TOGETHER = frozenset({"budget", "rules"})
WITHOUT_VARIABLE = "derivative with respect to what? name at least one variable"


def derivative(
    f: Expression,
    *wrt: str | Expression,
    mode: str = "auto",
    budget: Any = None,
    exact: bool = False,
    entries: str = "independent",
    rules: "Rules | None" = None,
) -> Expression:
    """The derivative with respect to each variable in turn, simplified.

    Axes: those of `f`, then those of each variable. A variable is given by its name, or as an
    expression, which `f` need not contain. Raises `UnknownVariable` for a name that `f` does not
    contain. `.complete` is False where the budget cut the simplification short.

    `exact` takes the cheapest of all the forms that were found, by integer programming, where
    else a heuristic search looks for it. It needs SciPy (`pip install 'eggrad[scipy]'`), without
    which `UnsupportedOperation` is raised. The solver may take a minute, or the seconds of
    the budget once more; `.complete` is False where that was too short to be certain.

    `entries` is about matrices that are declared symmetric, skew, diagonal or triangular:
    "independent", or "pairs" for the derivative by the entries that may be chosen, those at (i, j)
    and (j, i) at once. What is declared is used where the result is printed, evaluated, compiled
    or compared, never in what is differentiated again.

    `rules` adds your own rules (docs/writing_rules.md): a Python file, a `Ruleset`, or a list of
    such. A file is executed, as any Python is: give only files that you trust. Each rule is
    checked on random instances first; `UnsoundRules` shows a counterexample to one that is false,
    `RuleError` says what is wrong with a file.

    >>> from eggrad.frontend.expression.functions import sin, variable
    >>> x = variable("x")
    >>> float(derivative(sin(x), "x").evaluate({"x": 0}))
    1.0
    """
    own = as_expression(f)
    arguments = tuple(wrt_variable(own, w) for w in wrt)
    return derivative_by(own, arguments, mode, budget, exact=exact, entries=entries, rules=rules)


@overload
def gradient(f: Expression, x: str | Expression, **options: Any) -> Expression: ...
@overload
def gradient(
    f: Expression, x: Sequence[str | Expression], **options: Any
) -> tuple[Expression, ...]: ...
def gradient(f: Any, x: Any, **options: Any) -> Any:
    """The derivative of a scalar; raises `ShapeError` for any other. Options: see `derivative`.

    By a list of variables it is a tuple of derivatives, found together: they share what they can.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x, y = variable("x", ("n",)), variable("y", ("n",))
    >>> gradient(x @ x, x).shape
    ('n',)
    >>> [g.to("matrix") for g in gradient(x @ y, [x, y])]
    ['y', 'x']
    """
    own = _scalar("gradient", f)
    if not isinstance(x, list | tuple):
        return derivative(own, x, **options)
    several: Sequence[Any] = x
    wrt = [wrt_variable(own, w) for w in several]
    if not wrt:
        raise UnsupportedOperation(WITHOUT_VARIABLE)
    if TOGETHER.issuperset(options):
        return _gradients(own, wrt, **options)
    return tuple(derivative(own, expression(w), **options) for w in wrt)


@overload
def jacobian(f: Expression, x: str | Expression, **options: Any) -> Expression: ...
@overload
def jacobian(
    f: Function, x: Argnums | None = None, argnums: Argnums = 0, has_aux: bool = False
) -> Function: ...
def jacobian(
    f: Any, x: Any = None, argnums: Argnums = 0, has_aux: bool = False, **options: Any
) -> Any:
    """The derivative: axes of `f`, then of `x`. Options: see `derivative`.

    Of a Python function of arrays it is such a function, by the arguments `argnums`, as `grad` has
    them; what it returns is nested as the result is, and there as the arguments are.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> jacobian(A @ x, x).shape
    ('m', 'n')
    >>> jacobian(lambda x: 2 * x)([1.0])
    array([[2.]])
    """
    if not isinstance(f, Expression) and callable(f):
        return _of_function().jacobian_of(f, argnums if x is None else x, has_aux)
    return derivative(f, x, **options)


@overload
def hessian(f: Expression, x: str | Expression, **options: Any) -> Expression: ...
@overload
def hessian(
    f: Function, x: Argnums | None = None, argnums: Argnums = 0, has_aux: bool = False
) -> Function: ...
def hessian(
    f: Any, x: Any = None, argnums: Argnums = 0, has_aux: bool = False, **options: Any
) -> Any:
    """The second derivative of a scalar; raises `ShapeError` for any other.

    Options: see `derivative`. Of a Python function of arrays it is such a function, by the
    arguments `argnums`, as `grad` has them; what it returns is nested as they are, twice.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> hessian(x @ x, x).shape
    ('n', 'n')
    >>> hessian(lambda x: x @ x)([1.0])
    array([[2.]])
    """
    if not isinstance(f, Expression) and callable(f):
        return _of_function().hessian_of(f, argnums if x is None else x, has_aux)
    return derivative(_scalar("hessian", f), x, x, **options)


def simplify(
    f: Expression,
    budget: Any = None,
    rules: "Rules | None" = None,
    sizes: Mapping[str, int] | int | None = None,
    exact: bool = False,
) -> Expression:
    """An equal expression that costs no more; `.complete` is False where the budget ended first.

    `sizes` are those at which the cost is compared. `rules` and `exact`: see `derivative`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> simplify(x + 0) is x
    True
    """
    own = as_expression(f)
    more, at = _accepted(rules), known_sizes(own.term, sizes)
    found = calculus.simplify(own.term, budget, more, sizes, exact=exact)
    later = thinnings(found.term, Options(budget, more, tuple(at.items()), exact), own.term)
    complete = own.term_complete and found.complete
    warn_of(found.report)
    return expression(found.term, (*own.variables, *own.scope), complete, later)


# Products of derivatives with vectors, built without the derivative itself -----------------

# Reverse mode begins with any cotangent, so `vjp` costs what a gradient costs. A `vjp` is linear
# in its cotangent, and its own reverse mode with respect to that is `jvp`: the transpose of the
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
        return _of_function().vjp_of(f, has_aux)
    own = as_expression(f)
    source, cotangent, target = _agreed("vjp", own, wrt_variable(own, x), w, own.shape)
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
        return _of_function().jvp_of(f, has_aux)
    own = as_expression(f)
    wrt = wrt_variable(own, x)
    source, tangent, target = _agreed("jvp", own, wrt, v, wrt.dims)
    taken = {t.name for e in (source, tangent) for t in (*e.variables, *e.scope)}
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
def hvp(f: Function, *, has_aux: bool = False) -> Function: ...
def hvp(f: Any, x: Any = None, v: Any = None, budget: Any = None, *, has_aux: bool = False) -> Any:
    """The Hessian-vector product of a scalar: its second derivative contracted with `v`.

    Axes: those of `x`, as `v` has them; `v` may also be the name of a variable that has. Where it
    contains `x` it is not differentiated. `x` and `budget` are as in `derivative`. Raises
    `ShapeError` where axes differ or `f` is no scalar. Costs about twice as many operations
    as the gradient.

    Of a Python function of arrays, `hvp(f)(x, v, *args)` is the product at `f(x, *args)`, with `v`
    nested as `x` is.

    >>> from eggrad.frontend.expression.functions import sum, tanh, variable
    >>> W, x = variable("W", ("n", "n")), variable("x", ("n",))
    >>> f = sum(tanh(W @ x))
    >>> hvp(f, W, "V").cost(100) < 3 * gradient(f, W).cost(100)
    True
    """
    if not isinstance(f, Expression) and callable(f):
        _check_alone("eggrad.hvp(f)(x, v)", x, v)
        return _of_function().hvp_of(f, has_aux)
    return vjp(gradient(f, x, budget=budget), x, v, budget)


def _of_function() -> Any:
    """What makes derivatives of Python functions, of those of expressions."""
    from eggrad.frontend.interface import transforms

    return transforms


def _check_alone(wanted: str, *others: object) -> None:
    if any(other is not None for other in others):
        raise UnsupportedOperation(f"of a Python function, write {wanted}")


# How ---------------------------------------------------------------------------------------


def wrt_variable(f: Expression, wrt: str | Expression, declared: Iterable[Term] = ()) -> Term:
    """The variable that a derivative's argument names, with the sizes that it has in `f`."""
    known = {v.name: v for v in (*declared, *f.scope, *f.variables)}
    if isinstance(wrt, str):
        if wrt not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownVariable(f"the expression has no variable {wrt!r}; its variables: {names}")
        return known[wrt]
    term = as_expression(wrt).term
    if term.op != "variable":
        raise UnsupportedOperation(
            f"a derivative is with respect to variables, this is a {term.op} with axes {term.dims}"
        )
    found = known.get(term.name, term)
    if found.order != term.order:
        raise ShapeError(
            f"variable {term.name} has {found.order} axes in the expression, {term.order} as "
            "the argument of the derivative"
        )
    return found


def derivative_by(
    f: Expression,
    wrt: tuple[Term, ...],
    mode: str,
    budget: Any,
    *,
    exact: bool,
    entries: str = ENTRIES[0],
    rules: "Rules | None" = None,
) -> Expression:
    """The derivative with respect to variables in turn; options as in `derivative`."""
    if mode not in MODES:
        raise UnsupportedOperation(f"there is no mode {mode!r}; the modes are: {', '.join(MODES)}")
    if entries not in ENTRIES:
        known = ", ".join(ENTRIES)
        raise UnsupportedOperation(f"entries are no {entries!r}; they are one of: {known}")
    if not wrt:
        raise UnsupportedOperation(WITHOUT_VARIABLE)
    pairs = entries == "pairs"
    own = _accepted(rules)
    found = calculus.differentiate(f.term, wrt, mode, budget, exact=exact, pairs=pairs, rules=own)
    candidates = (*f.variables, *f.scope, *wrt)
    later = thinnings(found.term, Options(budget, own, exact=exact), others=wrt)
    warn_of(found.report)
    return expression(found.term, candidates, f.term_complete and found.complete, later)


def _gradients(
    f: Expression, wrt: Sequence[Term], budget: Any = None, rules: "Rules | None" = None
) -> tuple[Expression, ...]:
    own = _accepted(rules)
    found = calculus.gradients(f.term, wrt, budget, own)
    complete = f.term_complete and found.complete
    candidates = (*f.variables, *f.scope, *wrt)
    warn_of(found.report)
    return tuple(
        expression(t, candidates, complete, thinnings(t, Options(budget, own), others=wrt))
        for t in found.terms
    )


def _accepted(rules: "Rules | None") -> "tuple[Ruleset, ...]":
    if not rules:
        return ()
    from eggrad.frontend.interface.own_rules import accepted

    return accepted(rules)


def _scalar(what: str, f: Expression) -> Expression:
    own = as_expression(f)
    if own.ndim:
        raise ShapeError(
            f"{what} needs a scalar, the expression has axes {format_axes(own.shape)}; "
            "use jacobian or derivative"
        )
    return own


def _agreed(
    what: str, f: Expression, x: Term, vector: str | Expression, dims: Dims
) -> tuple[Expression, Expression, Expression]:
    """`f`, the vector and the variable, the vector's axes made equal to `dims`."""
    if isinstance(vector, str):
        known = {t.name: t for t in (x, *f.scope, *f.variables)}
        other = expression(known.get(vector) or terms.variable(vector, dims))
    else:
        other = as_expression(vector)
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
    candidates = (v for e in known for v in (*e.variables, *e.scope))
    complete = f.term_complete and cotangent.term_complete and found.complete
    warn_of(found.report)
    return expression(found.term, candidates, complete, thinnings(found.term, Options(budget)))
