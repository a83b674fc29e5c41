"""Terms differentiated and simplified with the standard rules, and the thin forms of results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from eggrad.engine.indices.affine import form
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.saturation.schedule import Budget, Report, Result, Strategy
from eggrad.engine.saturation.system import Search, System
from eggrad.engine.terms.assumptions import are_thin
from eggrad.engine.terms.binding import known_sizes
from eggrad.engine.terms.term import (
    Term,
    add,
    delta,
    einsum,
    indicator,
    substitute_sizes,
    subtract,
    variables,
)
from eggrad.engine.terms.term_patterns import substituted
from eggrad.frontend.calculus.kept import kept_result
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.rules.standard import AT_SYMMETRIC, STANDARD, extended, system


@shows_progress("differentiating")
def differentiate(
    term: Term,
    wrt: Sequence[Term],
    mode: str = "auto",
    budget: Budget | None = None,
    *,
    exact: bool = False,
    pairs: bool = False,
    rules: Sequence[Ruleset] = (),
    sizes: Mapping[Size, int] | None = None,
    explore: bool = True,
    systems: Callable[[Strategy], System] = system,
) -> Result:
    """The derivative of a term with respect to each variable in turn.

    Every order starts again from the extracted derivative before it, in a fresh e-graph. `exact`
    is about the last one. The entries of a matrix are taken for independent, or with `pairs` as
    what is declared of it has them, those on both sides of a symmetric one's diagonal for the same.
    What is declared is not used else, so the result may be differentiated again; `thinned` uses
    it. `rules` are added to the standard ones, `sizes` are those at which forms are compared.
    Without `explore` it is as the laws of derivatives leave it. `systems` gives the system of a
    strategy.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x = variable("x")
    >>> differentiate(apply("exp", x), [x, x]).term is apply("exp", x)
    True
    """
    report = Report()
    standard = systems(extended(STANDARD, rules))
    for order, x in enumerate(wrt, 1):
        at_last = exact and order == len(wrt)
        ask = partial(
            standard.differentiate, term, x, mode, budget, sizes, exact=at_last, explore=explore
        )
        search = Search.of(budget, sizes, exact=at_last, explore=explore)
        result = _answer(
            ask, search, "derivative", (term, x), mode, foreign=rules or systems is not system
        )
        term = _by_free_entries(result.term, x.assumed) if pairs else result.term
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
    if not has_structure(found.term, *wrt):
        return found
    last = thinned(found.term, budget, systems=systems)
    return Result(last.terms, found.report.joined(last.report))


def _by_free_entries(term: Term, words: Sequence[str]) -> Term:
    """A derivative by the entries of a matrix that may be chosen, of which others follow.

    On the last two axes it is `G + G' - G∘δ` for a symmetric matrix, `G - G'` for a skew one: entry
    (i, j) is the derivative by (i, j) and (j, i) at once. Of a diagonal or triangular matrix the
    entries that are 0 have no derivative.
    """
    axes = tuple(range(term.order))
    if len(axes) < 2:
        return term
    *rest, row, column = axes
    if "diagonal" in words:
        diagonal = canonical([axes, (row, column)], axes)
        return einsum(diagonal, term, delta(term.dims[-1:]))
    if "symmetric" in words:
        turned = einsum(canonical([(*rest, column, row)], axes), term)
        diagonal = canonical([axes, (row, column)], axes)
        return subtract(add(term, turned), einsum(diagonal, term, delta(term.dims[-1:])))
    if "skew" in words:
        return subtract(term, einsum(canonical([(*rest, column, row)], axes), term))
    for word, sign in (("lower triangular", 1), ("upper triangular", -1)):
        if word in words:
            inside = indicator(term.dims[-2:], [(">=", form([(0, sign), (1, -sign)]))])
            return einsum(canonical([axes, (row, column)], axes), term, inside)
    return term


@shows_progress("differentiating")
def gradients(
    term: Term,
    wrt: Sequence[Term],
    budget: Budget | None = None,
    rules: Sequence[Ruleset] = (),
    sizes: Mapping[Size, int] | None = None,
    *,
    explore: bool = True,
) -> Result:
    """The derivatives of a scalar by several variables, which share what they can.

    Without `explore` they are as the laws of derivatives leave them.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x, y = variable("x"), variable("y")
    >>> [t.op for t in gradients(apply("exp", add(x, y)), [x, y]).terms]
    ['exp', 'exp']
    """
    standard = system(extended(STANDARD, rules))
    ask = partial(standard.pull_back, term, wrt, delta(()), budget, sizes, explore=explore)
    search = Search.of(budget, sizes, explore=explore)
    return _answer(ask, search, "gradients", (term, *wrt), foreign=rules)


@shows_progress("differentiating")
def pull_back(term: Term, x: Term, cotangent: Term, budget: Budget | None = None) -> Result:
    """The product of a cotangent, with axes of `term`, and the derivative with respect to `x`.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> x, w = variable("x"), variable("w")
    >>> pull_back(apply("exp", x), x, w).term.op
    'einsum'
    """
    ask = partial(system().pull_back, term, [x], cotangent, budget)
    return _answer(ask, Search.of(budget), "pullback", (term, x, cotangent))


@shows_progress("simplifying")
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
    at = known_sizes([term], sizes)
    return _simplified(STANDARD, term, Search.of(budget, at, exact=exact), rules, systems)


@shows_progress("simplifying")
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
    strategy = AT_SYMMETRIC if has_structure(term) else STANDARD
    return _simplified(strategy, term, Search.of(budget, sizes, exact=exact), rules, systems)


def _simplified(
    strategy: Strategy,
    term: Term,
    search: Search,
    rules: Sequence[Ruleset],
    systems: Callable[[Strategy], System],
) -> Result:
    """Simplify a term by a strategy."""
    simplifier = systems(extended(strategy, rules))
    ask = partial(
        simplifier.simplify, [term], search.budget, dict(search.sizes), exact=search.exact
    )
    known = "thin" if strategy is AT_SYMMETRIC else ""
    return _answer(
        ask, search, "simplified", (term,), known, foreign=rules or systems is not system
    )


def _answer(
    ask: Callable[[], Result],
    search: Search,
    name: str,
    given: Sequence[Term],
    how: str = "",
    *,
    foreign: object = False,
) -> Result:
    """What a system answers, kept unless it depends on time, or on a `foreign` system or rules."""
    if foreign or search.exact or search.budget.seconds is not None:
        return ask()

    return kept_result(name, given, (search, how), ask)


# What a result becomes where it is printed, compiled or compared ---------------------------

# That `S' = S` for a matrix declared symmetric is true at symmetric matrices alone, and derivatives
# look beside them. So a result keeps the term that was found without that law, and with it how to
# find its thin form: an equal term at symmetric matrices, simplified once more with that law.


@dataclass(frozen=True)
class Options:
    """How the thin form is looked for: like the result that it is the form of."""

    budget: Budget | None = None
    rules: tuple[Ruleset, ...] = ()
    sizes: tuple[tuple[Size, int], ...] = ()
    exact: bool = False


@dataclass(frozen=True)
class Thinning:
    """A term that may still be differentiated, and its thin form, found when it is asked for.

    The thin form is simplified from `source`, which is equal to `term`; without options it is
    the `source` itself.
    """

    term: Term
    source: Term
    options: Options | None

    @cached_property
    def found(self) -> Result:
        """The thin form, and whether a budget cut the search for it short."""
        if self.options is None:
            return Result((self.source,), Report())

        options, sizes = self.options, dict(self.options.sizes)
        return thinned(self.source, options.budget, options.rules, sizes, exact=options.exact)

    @property
    def settled(self) -> "Thinning":
        """The same, the thin form found: no rules are needed to find it again."""
        return Thinning(self.term, self.found.term, None)

    def resized(self, sizes: Mapping[Size, Size]) -> "Thinning":
        """The same with size symbols replaced."""
        term, source = substitute_sizes([self.term, self.source], sizes)
        options = self.options
        counted = options and replace(
            options, sizes=tuple((sizes.get(s, s), n) for s, n in options.sizes)
        )
        return Thinning(term, source, counted)


def thinnings(
    term: Term, options: Options, source: Term | None = None, others: Iterable[Term] = ()
) -> frozenset[Thinning]:
    """How a result is thinned: not at all, if neither it nor `others` have symmetric matrices.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> thinnings(apply("exp", variable("x")), Options())
    frozenset()
    """
    if not term.args or not has_structure(term, *others):
        return frozenset()
    return frozenset([Thinning(term, source or term, options)])


def has_structure(*terms: Term) -> bool:
    """Whether something is declared of a variable that holds in a space without interior.

    >>> from eggrad.engine.terms.term import variable
    >>> has_structure(variable("S", ("n", "n"), ["positive definite"]))
    True
    """
    return any(are_thin(v.assumed) for v in variables(*terms))


def thin_term(term: Term, parts: Iterable[Thinning]) -> Term:
    """A term with the thin forms of some parts of it in their places.

    >>> from eggrad.engine.terms.term import add, apply, negate, variable
    >>> x = variable("x")
    >>> part = Thinning(apply("exp", x), x, None)
    >>> thin_term(negate(part.term), [part]) is negate(x)
    True
    """
    return substituted(term, {p.term: p.found.term for p in parts})
