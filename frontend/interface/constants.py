"""Constants of strong convexity and of smoothness, which say how long steps may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, NamedTuple

from eggrad.engine.equality.constants import (
    Bound,
    as_term,
    greatest,
    length,
    product,
    upper_bound,
)
from eggrad.engine.equality.curvature import (
    directions,
    is_defined_convexly,
    second_derivative,
)
from eggrad.engine.laws.knowledge import Knowledge, needed
from eggrad.engine.laws.properties import AFFINE, CONCAVE, CONVEX, NONNEGATIVE
from eggrad.engine.networks.networks import scaled
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.interface.curvature import (
    Asked,
    Certificate,
    of_second_derivative,
    written,
)
from eggrad.rules.functions.properties import domains
from eggrad.rules.standard import CURVATURE, system

STRONGLY_CONVEX: Final = "strongly convex"
SMOOTH: Final = "smooth"
HALF: Final = Fraction(1, 2)
# Sums stay as they were written, so that the steps of a certificate are short.
AS_IT_IS: Final = Budget(iterations=0)


@dataclass(frozen=True, repr=False)
class CurvatureBound:
    """How strongly a function is curved at least, or at most: a constant of it.

    `kind` is "strongly convex" or "smooth". A function f of x is strongly convex with the constant
    m if f - m/2·|x|² is convex, and smooth with L if both L/2·|x|² - f and L/2·|x|² + f are: where
    it has second derivatives, the eigenvalues of its Hessian are at least m, and between -L and L.
    `value` is the constant, an expression in the parameters, and `certificates` say why those
    functions are convex. Of a convex f, which has a certificate of its own, L/2·|x|² - f is enough.
    """

    kind: str
    value: Expression
    certificates: tuple[Certificate, ...]

    def __str__(self) -> str:
        """Say it in words, with the certificates."""
        lines = [f"{self._claim} = {self._written}", *map(str, self.certificates)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"<CurvatureBound {self._claim} = {self._written}>"

    @property
    def _claim(self) -> str:
        return f"{self.kind} with {'L' if self.kind == SMOOTH else 'm'}"

    @property
    def _written(self) -> str:
        return written(self.value.term, self.value.scope)


class Smooth(NamedTuple):
    """A question about a smooth function with a convex domain, and its second derivative.

    The function may be a form of the one that was asked about.
    """

    asked: Asked
    second: Term


def strong_convexity(f: Smooth) -> CurvatureBound | None:
    """The constant of strong convexity; None where none is found that is known not to be negative.

    Of a part such as |X·w|² it is used that it is convex; where that leaves nothing, what the least
    eigenvalue says.
    """
    asked, second = f
    for least in (False, True):
        bound = upper_bound(system(CURVATURE), second, _along(asked), -1, asked.budget, least=least)
        value = as_term({t: -c for t, c in bound.number.items()}) if bound else terms.constant(0)
        if bound and value is not terms.constant(0) and _is_nonnegative(value):
            found = _certified(asked, bound.number, bound, f"f - m/2*{_squares(asked)}")
            if found is not None:
                return CurvatureBound(STRONGLY_CONVEX, expression(value, asked.scope), (found,))
    return None


def smoothness(f: Smooth, status: str) -> CurvatureBound | None:
    """The constant of smoothness of a function whose status is known."""
    asked, second = f
    functions = {1: f"L/2*{_squares(asked)} - f", -1: f"L/2*{_squares(asked)} + f"}
    signs = {CONVEX: [1], CONCAVE: [-1], AFFINE: list[int]()}.get(status, [1, -1])
    found = {
        s: upper_bound(system(CURVATURE), second, _along(asked), s, asked.budget) for s in signs
    }
    bounds = {s: bound for s, bound in found.items() if bound is not None}
    number = greatest([*bounds.values()])
    made = (_certified(asked, number, b, functions[s]) for s, b in bounds.items())
    certificates = tuple(c for c in made if c is not None)
    if len(certificates) < len(signs):
        return None
    return CurvatureBound(SMOOTH, expression(as_term(number), asked.scope), certificates)


def _along(asked: Asked) -> dict[Term, Term]:
    return directions(asked.wrt)


def smooth(asked: Asked) -> Smooth | None:
    """The question about a form that is smooth and has a convex domain, if there is one.

    A simpler form may be defined at more values.
    """
    laws = system(CURVATURE)
    for form in dict.fromkeys((asked.term, laws.simplify([asked.term], AS_IT_IS).term)):
        needs = needed(domains.facts, (form,))
        second = second_derivative(laws, form, asked.wrt, AS_IT_IS)
        if second is not None and is_defined_convexly(laws, needs, asked.assumed, asked.budget):
            return Smooth(asked._replace(term=form), second)
    return None


def _squares(asked: Asked) -> str:
    """The sum of the squares of all entries of the variables, in words."""
    squares = [f"|{x.name}|^2" for x in asked.wrt]
    return squares[0] if len(squares) == 1 else f"({' + '.join(squares)})"


def _is_nonnegative(t: Term) -> bool:
    return Knowledge(CURVATURE.rulesets).knows(NONNEGATIVE, t)


def _certified(
    asked: Asked, number: Mapping[Term, Fraction], bound: Bound, function: str
) -> Certificate | None:
    """The certificate that the sum of a number's half times |x|² and a function is convex.

    The function is the one that is asked about, or its opposite, of which the bound is.
    """
    whole, along = as_term(number), _along(asked)
    more = {t: c - bound.number.get(t, Fraction(0)) for t, c in number.items()}
    parts = [*bound.rest]
    if any(more.values()):
        parts.append(product(as_term(more), length(along.values())))
    form = reduce(terms.add, parts) if parts else terms.constant(0)
    knowledge = Knowledge(CURVATURE.rulesets)
    f = scaled(Fraction(-bound.sign), asked.term)
    term = terms.add(scaled(HALF, product(whole, length(asked.wrt))), f)
    shown = (NONNEGATIVE, form)
    if not knowledge.knows(*shown):
        return None
    # What arithmetic does not show is not looked for: that may take long.
    certificate = of_second_derivative(
        asked._replace(term=term), shown, knowledge.derivation(*shown), function, lambda *_: None
    )
    return certificate if certificate.is_complete else None
