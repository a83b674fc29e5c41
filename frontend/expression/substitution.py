"""Expressions in place of the variables of an expression."""

from collections.abc import Container, Mapping

from eggrad.engine.errors import ShapeError, UnknownVariable
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term, substitute_sizes
from eggrad.engine.terms.term_patterns import substituted
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.text.words import format_axes


def substitute(f: Expression, values: Mapping[str, object]) -> Expression:
    """The expression with others in place of variables, all at once.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x, y = variable("x", ("n",)), variable("y", ("n",))
    >>> substitute(x - 2 * y, {"x": y, "y": x}).to("matrix")
    'y - 2*x'
    """
    known = {v.name: v for v in (*f.scope, *f.variables)}
    given: dict[Term, Expression] = {}
    for name, value in values.items():
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownVariable(
                f"the expression has no variable {name!r}; its variables: {names}"
            )
        own = given[known[name]] = as_expression(value)
        if own.ndim != known[name].order:
            raise ShapeError(
                f"substitute: {name} has axes {format_axes(known[name].dims)}, what replaces it "
                f"has axes {format_axes(own.term.dims)}"
            )
    if not given:
        return f
    places, sizes = _apart(f, given)
    # Symmetric matrices, for instance, may be replaced by others: their law holds no longer.
    later = frozenset(p for p in f.thinnings if substituted(p.term, places) is p.term)
    later = frozenset(p.resized(sizes) for p in later)
    root, *fixing = substitute_sizes(
        [substituted(t, places) for t in (f.term, *f.variables, *f.scope)], sizes
    )
    before = expression(root, fixing, f.term_complete, later)
    variables = [expression(t) for t in substitute_sizes([places[v] for v in given], sizes)]
    pairs = [
        pair
        for v, e in zip(variables, given.values(), strict=True)
        for pair in zip(e.term.dims, v.term.dims, strict=True)
    ]
    what = f"substitute {', '.join(values)}"
    after, *both = unified([before, *variables, *given.values()], pairs, what)
    replaced = {v.term: e for v, e in zip(both, both[len(given) :], strict=False)}
    candidates = [v for v in (*after.variables, *after.scope) if v not in replaced]
    candidates += [v for e in replaced.values() for v in (*e.variables, *e.scope)]
    term = substituted(after.term, {v: e.term for v, e in replaced.items()})
    complete = after.term_complete and all(e.term_complete for e in replaced.values())
    return expression(
        term, candidates, complete, after.thinnings.union(*(e.thinnings for e in replaced.values()))
    )


def _apart(
    f: Expression, given: Mapping[Term, Expression]
) -> tuple[dict[Term, Term], dict[Size, Size]]:
    """New names for the variables that are replaced, and for the sizes that no other ones have."""
    every = [v for e in (f, *given.values()) for v in (*e.variables, *e.scope)]
    names, sizes = {v.name for v in every}, {*symbols(f.term, *every)}
    places = {v: terms.variable(_unused(v.name, names), v.dims, v.assumed) for v in given}
    others = [v for v in (*f.variables, *f.scope) if v not in given]
    local = {s for v in given for d in v.dims for s in size_symbols(d)} - {*symbols(*others)}
    return places, {s: _unused(s, sizes) for s in sorted(local)}


def _unused(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
