"""Differentiation and simplification with the standard rules: rules and engine brought together."""

from collections.abc import Callable, Mapping, Sequence

from eggrad.engine.compilation.variants import SizeVariant, find_variants
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.costs.time_model import Rates
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.saturation.system import Budget, Report, Result, Strategy, System
from eggrad.engine.terms.binding import known_sizes
from eggrad.engine.terms.term import Term, add, delta, einsum, subtract
from eggrad.frontend.calculus.thinning import has_symmetric
from eggrad.rules.standard import AT_SYMMETRIC, STANDARD, extended, system

__all__ = [
    "Budget",
    "differentiate",
    "gradients",
    "lower",
    "pull_back",
    "simplify",
    "stable_form",
    "thinned",
    "thinned_derivative",
]


def differentiate(
    term: Term,
    wrt: Sequence[Term],
    mode: str = "auto",
    budget: Budget | None = None,
    *,
    exact: bool = False,
    pairs: bool = False,
    rules: Sequence[Ruleset] = (),
    systems: Callable[[Strategy], System] = system,
) -> Result:
    """The derivative of a term with respect to each variable in turn.

    Every order starts again from the extracted derivative before it, in a fresh e-graph. `exact`
    is about the last one. The entries of a symmetric matrix are taken for independent, or with
    `pairs` those on both sides of the diagonal for the same. That the matrix is symmetric is not
    used, so the result may be differentiated again; `thinned` uses it. `rules` are added to the
    standard ones; `systems` gives the system of a strategy.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x = variable("x")
    >>> differentiate(apply("exp", x), [x, x]).term is apply("exp", x)
    True
    """
    report = Report()
    standard = systems(extended(STANDARD, rules))
    for order, x in enumerate(wrt, 1):
        last = order == len(wrt)
        result = standard.differentiate(term, x, mode, budget, exact=exact and last)
        term = _by_pairs(result.term) if pairs and has_symmetric(x) else result.term
        report = report.joined(result.report)
    return Result((term,), report)


def thinned_derivative(
    term: Term,
    wrt: Sequence[Term],
    mode: str = "auto",
    budget: Budget | None = None,
    *,
    systems: Callable[[Strategy], System] = system,
) -> Result:
    """The derivative where nobody differentiates it any more; options as in `differentiate`.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> S = variable("S", ("n", "n"), ["symmetric"])
    >>> x = variable("x", ("n",))
    >>> thinned_derivative(einsum("ij,i->j", S, x), [x]).term is S
    True
    """
    found = differentiate(term, wrt, mode, budget, systems=systems)
    if not has_symmetric(found.term, *wrt):
        return found
    last = thinned(found.term, budget, systems=systems)
    return Result(last.terms, found.report.joined(last.report))


def _by_pairs(term: Term) -> Term:
    """A derivative by a symmetric matrix whose entries (i, j) and (j, i) are one.

    `G + G' - G∘δ` on the last two axes; entry (i, j) is the derivative by both at once.
    """
    axes = tuple(range(term.order))
    *rest, row, column = axes
    turned = einsum(canonical([(*rest, column, row)], axes), term)
    diagonal = einsum(canonical([axes, (row, column)], axes), term, delta(term.dims[-1:]))
    return subtract(add(term, turned), diagonal)


def gradients(
    term: Term, wrt: Sequence[Term], budget: Budget | None = None, rules: Sequence[Ruleset] = ()
) -> Result:
    """The derivatives of a scalar by several variables, which share what they can.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x, y = variable("x"), variable("y")
    >>> [t.op for t in gradients(apply("exp", add(x, y)), [x, y]).terms]
    ['exp', 'exp']
    """
    return system(extended(STANDARD, rules)).pull_back(term, wrt, delta(()), budget)


def pull_back(term: Term, x: Term, cotangent: Term, budget: Budget | None = None) -> Result:
    """The product of a cotangent, with axes of `term`, and the derivative with respect to `x`.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x, w = variable("x"), variable("w")
    >>> pull_back(apply("exp", x), x, w).term.op
    'einsum'
    """
    return system().pull_back(term, [x], cotangent, budget)


def simplify(
    term: Term,
    budget: Budget | None = None,
    rules: Sequence[Ruleset] = (),
    sizes: Mapping[str, int] | int | None = None,
    *,
    exact: bool = False,
    systems: Callable[[Strategy], System] = system,
) -> Result:
    """An equal, cheaper term; `rules` are added to the standard ones.

    `sizes` maps size symbols, or is the size of every symbol. `systems` as in `differentiate`.
    The result may be differentiated again.

    >>> from eggrad.engine.terms.term import add, constant, variable
    >>> x = variable("x")
    >>> simplify(add(x, constant(0))).term is x
    True
    """
    at = known_sizes(term, sizes)
    return systems(extended(STANDARD, rules)).simplify([term], budget, at, exact=exact)


def thinned(
    term: Term,
    budget: Budget | None = None,
    rules: Sequence[Ruleset] = (),
    sizes: Mapping[Size, int] | None = None,
    *,
    exact: bool = False,
    systems: Callable[[Strategy], System] = system,
) -> Result:
    """An equal, cheaper term that nobody differentiates any more; options as in `simplify`.

    That matrices are symmetric is used here, and nowhere before. `sizes` maps size symbols.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> S = variable("S", ("n", "n"), ["symmetric"])
    >>> thinned(einsum("ij->ji", S)).term is S
    True
    """
    strategy = AT_SYMMETRIC if has_symmetric(term) else STANDARD
    return systems(extended(strategy, rules)).simplify([term], budget, sizes, exact=exact)


def stable_form(term: Term) -> Term:
    """An equal term that neither overflows on the way nor loses digits, as code can compute it.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> stable_form(apply("log", add(constant(1), apply("exp", variable("x"))))).op
    'softplus'
    """
    return system().explore([term], [CostModel()], purpose="evaluate").cheapest().terms[0]


def lower(
    roots: Sequence[Term], rates: Rates, sizes: Mapping[str, int] | None = None
) -> tuple[SizeVariant, ...]:
    """Equal terms to generate code from, predicted to be the fastest; `sizes` are known sizes.

    >>> from eggrad.engine.costs.time_model import default_rates
    >>> from eggrad.engine.terms.term import apply, constant, subtract, variable
    >>> x = variable("x")
    >>> (form,) = lower([subtract(apply("exp", x), constant(1))], default_rates())
    >>> form.terms[0].op
    'expm1'
    """
    return find_variants(system(), roots, rates, sizes)
