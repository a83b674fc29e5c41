"""What a result becomes where it is printed, compiled or compared.

That `S' = S` for a matrix declared symmetric is true at symmetric matrices alone, and derivatives
look beside them. So a result keeps the term that was found without that law, and with it how to
find its thin form: an equal term at symmetric matrices, simplified once more with that law.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from eggrad.engine.indices.spec import Size
from eggrad.engine.saturation.schedule import Budget, Report, Result
from eggrad.engine.terms.term import Term, substitute_sizes, variables

if TYPE_CHECKING:
    from eggrad.engine.laws.rule import Ruleset

__all__ = ["Options", "Thinning", "has_symmetric", "thin_term", "thinnings"]


@dataclass(frozen=True)
class Options:
    """How the thin form is looked for: like the result that it is the form of."""

    budget: Budget | None = None
    rules: "tuple[Ruleset, ...]" = ()
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
        from eggrad.frontend.calculus import calculus

        own, sizes = self.options, dict(self.options.sizes)
        return calculus.thinned(self.source, own.budget, own.rules, sizes, exact=own.exact)

    @property
    def settled(self) -> "Thinning":
        """The same, the thin form found: no rules are needed to find it again."""
        return Thinning(self.term, self.found.term, None)

    def resized(self, sizes: Mapping[Size, Size]) -> "Thinning":
        """The same with size symbols replaced."""
        term, source = substitute_sizes([self.term, self.source], sizes)
        own = self.options
        counted = own and replace(own, sizes=tuple((sizes.get(s, s), n) for s, n in own.sizes))
        return Thinning(term, source, counted)


def thinnings(
    term: Term, options: Options, source: Term | None = None, others: Iterable[Term] = ()
) -> frozenset[Thinning]:
    """How a result is thinned: not at all, if neither it nor `others` have symmetric matrices.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> thinnings(apply("exp", variable("x")), Options())
    frozenset()
    """
    if not term.args or not has_symmetric(term, *others):
        return frozenset()
    return frozenset([Thinning(term, source or term, options)])


def has_symmetric(*terms: Term) -> bool:
    """Whether a variable is declared symmetric.

    >>> from eggrad.engine.terms.term import variable
    >>> has_symmetric(variable("S", ("n", "n"), ["positive definite"]))
    True
    """
    known = (v.assumed for v in variables(*terms))
    return any("symmetric" in words for words in known)


def thin_term(term: Term, parts: Iterable[Thinning]) -> Term:
    """A term with the thin forms of some parts of it in their places.

    >>> from eggrad.engine.terms.term import add, apply, negate, variable
    >>> x = variable("x")
    >>> part = Thinning(apply("exp", x), x, None)
    >>> thin_term(negate(part.term), [part]) is negate(x)
    True
    """
    from eggrad.engine.terms.term_patterns import substituted

    return substituted(term, {p.term: p.found.term for p in parts})
