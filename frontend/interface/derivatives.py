"""Derivatives and simplification of expressions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_args, overload

from eggrad.engine.errors import ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import known_sizes
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.calculus.budget_warning import warn_of
from eggrad.frontend.calculus.calculus import Options, thinnings
from eggrad.frontend.expression.expression import Expression, as_expression, expression
from eggrad.frontend.text.doors import checked_flag, checked_word
from eggrad.frontend.text.words import format_axes

if TYPE_CHECKING:
    from eggrad.engine.laws.rule import Ruleset
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.frontend.interface.own_rules import Rules

Mode = Literal["auto", "forward", "reverse"]
Entries = Literal["independent", "pairs"]


class DerivedBy(TypedDict, total=False):
    """The options of `derivative`."""

    mode: Mode
    budget: "Budget | None"
    exact: bool
    entries: Entries
    rules: "Rules | None"
    sizes: "Mapping[str, int] | int | None"


WITHOUT_VARIABLE = "derivative with respect to what? name at least one variable"


def derivative(
    f: Expression,
    *wrt: str | Expression,
    mode: Mode = "auto",
    budget: "Budget | None" = None,
    exact: bool = False,
    entries: Entries = "independent",
    rules: "Rules | None" = None,
    sizes: Mapping[str, int] | int | None = None,
) -> Expression:
    """The derivative with respect to each variable in turn, simplified.

    Axes: those of `f`, then those of each variable. A variable is given by its name, or as an
    expression, which `f` need not contain. Raises `UnknownVariable` for a name that `f` does not
    contain. `.complete` is False where the budget cut the simplification short.

    `exact` takes the cheapest of all the forms that were found, by integer programming, where
    else a heuristic search looks for it. It needs SciPy, without which `UnsupportedOperation` is
    raised. The solver may take a minute, or the seconds of the budget once more; `.complete` is
    False where that was too short to be certain.

    `entries` is about matrices that are declared symmetric, skew, diagonal or triangular:
    "independent", or "pairs" for the derivative by the entries that may be chosen, those at (i, j)
    and (j, i) at once. What is declared is used where the result is printed, evaluated, compiled
    or compared, never in what is differentiated again.

    `sizes` maps size symbols to the numbers at which forms are compared, or is the size of every
    symbol: what is cheapest depends on which sizes are small. Without it all symbols are alike.

    `rules` adds your own rules (docs/writing_rules.md): a Python file, a `Ruleset`, or a list of
    such. A file is executed, as any Python is: give only files that you trust. Each rule is
    checked on random instances first; `UnsoundRules` shows a counterexample to one that is false,
    `RuleError` says what is wrong with a file.

    >>> from eggrad.frontend.expression.functions import sin, variable
    >>> x = variable("x")
    >>> float(derivative(sin(x), "x").evaluate({"x": 0}))
    1.0
    """
    f = as_expression(f, "derivative: f")
    arguments = tuple(wrt_variable(f, w) for w in wrt)
    return derivative_by(
        f, arguments, mode, budget, exact=exact, entries=entries, rules=rules, sizes=sizes
    )


@overload
def gradient(f: Expression, x: str | Expression, **options: Unpack[DerivedBy]) -> Expression: ...
@overload
def gradient(
    f: Expression,
    x: list[str] | list[Expression] | tuple[str | Expression, ...],
    **options: Unpack[DerivedBy],
) -> tuple[Expression, ...]: ...
def gradient(
    f: Any,
    x: Any,
    *,
    mode: Mode = "auto",
    budget: "Budget | None" = None,
    exact: bool = False,
    entries: Entries = "independent",
    rules: "Rules | None" = None,
    sizes: Mapping[str, int] | int | None = None,
) -> Any:
    """The derivative of a scalar; raises `ShapeError` for any other. Options: see `derivative`.

    By a list of variables it is a tuple of derivatives, found together: they share what they can.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x, y = variable("x", ("n",)), variable("y", ("n",))
    >>> gradient(x @ x, x).shape
    ('n',)
    >>> [g.to("matrix") for g in gradient(x @ y, [x, y])]
    ['y', 'x']
    """
    f = scalar("gradient", f)

    def by(w: str | Expression) -> Expression:
        return derivative(
            f, w, mode=mode, budget=budget, exact=exact, entries=entries, rules=rules, sizes=sizes
        )

    if not isinstance(x, list | tuple):
        return by(x)
    several: Sequence[Any] = x
    wrt = [wrt_variable(f, w) for w in several]
    if not wrt:
        raise UnsupportedOperation(WITHOUT_VARIABLE)
    if (mode, exact, entries) == ("auto", False, "independent"):
        return gradients_by(f, wrt, budget, rules, sizes)
    return tuple(by(expression(w)) for w in wrt)


def simplify(
    f: Expression,
    budget: "Budget | None" = None,
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
    f = as_expression(f, "simplify: f")
    checked_flag("simplify", "exact", exact)
    more, at = _accepted(rules), known_sizes([f.term], sizes)
    found = calculus.simplify(f.term, budget, more, sizes, exact=exact)
    later = thinnings(found.term, Options(budget, more, tuple(at.items()), exact), f.term)
    complete = f.term_complete and found.complete
    warn_of(found.report)
    return expression(found.term, f.variables, complete, later, f.known)


# How ---------------------------------------------------------------------------------------


def wrt_variable(f: Expression, wrt: str | Expression, declared: Iterable[Term] = ()) -> Term:
    """The variable that a derivative's argument names, with the sizes that it has in `f`."""
    known = {v.name: v for v in (*declared, *f.variables)}
    if isinstance(wrt, str):
        if wrt not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownVariable(
                f"the expression has no variable {shown(wrt)}; its variables: {names}"
            )
        return known[wrt]
    term = as_expression(wrt, "derivative: the variable").term
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
    entries: str = "independent",
    rules: "Rules | None" = None,
    sizes: Mapping[str, int] | int | None = None,
    explore: bool = True,
) -> Expression:
    """The derivative with respect to variables in turn; options as in `derivative`.

    Without `explore` it is as the laws of derivatives leave it.
    """
    checked_word("derivative", "mode", mode, get_args(Mode))
    checked_word("derivative", "entries", entries, get_args(Entries))
    checked_flag("derivative", "exact", exact)
    if not wrt:
        raise UnsupportedOperation(WITHOUT_VARIABLE)
    pairs = entries == "pairs"
    rulesets, at = _accepted(rules), known_sizes((f.term, *wrt), sizes)
    found = calculus.differentiate(
        f.term,
        wrt,
        mode,
        budget,
        exact=exact,
        pairs=pairs,
        rules=rulesets,
        sizes=at,
        explore=explore,
    )
    candidates = (*f.variables, *wrt)
    later = thinnings(found.term, Options(budget, rulesets, tuple(at.items()), exact), others=wrt)
    warn_of(found.report)
    lost = f.known.union(v.name for v in wrt)
    return expression(found.term, candidates, f.term_complete and found.complete, later, lost)


def gradients_by(
    f: Expression,
    wrt: Sequence[Term],
    budget: Any = None,
    rules: "Rules | None" = None,
    sizes: Mapping[str, int] | int | None = None,
    *,
    explore: bool = True,
) -> tuple[Expression, ...]:
    """The derivatives of a scalar by several variables; options as in `derivative_by`."""
    rulesets, at = _accepted(rules), known_sizes((f.term, *wrt), sizes)
    found = calculus.gradients(f.term, wrt, budget, rulesets, at, explore=explore)
    complete, how = f.term_complete and found.complete, Options(budget, rulesets, tuple(at.items()))
    candidates = (*f.variables, *wrt)
    warn_of(found.report)
    lost = f.known.union(v.name for v in wrt)
    return tuple(
        expression(t, candidates, complete, thinnings(t, how, others=wrt), lost)
        for t in found.terms
    )


def _accepted(rules: "Rules | None") -> "tuple[Ruleset, ...]":
    if rules is None:
        return ()
    from eggrad.frontend.interface.own_rules import accepted

    return accepted(rules)


def scalar(what: str, f: Expression) -> Expression:
    """An expression without axes, or the only entry of one; `ShapeError` for any other."""
    f = as_expression(f, f"{what}: f")
    if {*f.shape} == {1}:
        return f.item()
    if f.ndim:
        raise ShapeError(
            f"{what} needs a scalar, the expression has axes {format_axes(f.shape)}; "
            "use jacobian or derivative"
        )
    return f
