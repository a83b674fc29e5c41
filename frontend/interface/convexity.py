"""Whether a function is convex, concave, affine or neither: certified, refuted, or left open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from eggrad.engine.equality.curvature import (
    broken_chord,
    in_variables,
    is_defined_convexly,
    find_properties,
    second_derivative,
)
from eggrad.engine.equality.difference import Witness
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.knowledge import needed
from eggrad.engine.laws.properties import AFFINE, CONCAVE, CONVEX, NONNEGATIVE, NONPOSITIVE
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.interface.derivatives import scalar, wrt_variable
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains
from eggrad.rules.standard import CURVATURE, system

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.engine.terms.binding import Array
    from eggrad.frontend.expression.expression import Expression


@dataclass(frozen=True)
class Convexity:
    """What was found of a function."""

    status: str
    reason: str
    witness: "Mapping[str, Array | int] | None" = None
    weight: Fraction | None = None


@shows_progress("looking for convexity")
def convexity(f: Any, x: Any, budget: "Budget | None" = None) -> Convexity:
    """Whether a scalar is convex, concave, affine or neither in a variable, or in several."""
    f = scalar("convexity", f)
    wrt = [wrt_variable(f, w) for w in (x if isinstance(x, list | tuple) else [x])]
    laws = system(CURVATURE)
    term = f.thin.term
    assumed = in_variables(term, wrt)
    found = find_properties(laws, term, (AFFINE, CONVEX, CONCAVE), budget, assumed)
    if found.properties:
        return Convexity(found.properties[0], f"facts of composition {found.form} {found.facts}")
    chords = {p: broken_chord(term, wrt, sign) for p, sign in ((CONVEX, 1), (CONCAVE, -1))}
    if all(chords.values()):
        return Convexity("neither", "chords", chords[CONVEX][0].values, chords[CONVEX][1])
    second = second_derivative(laws, term, wrt)
    needs = needed(domains.facts, (term,))
    if second is not None and (
        is_defined_convexly(laws, needs, assumed, budget)
        or is_defined_convexly(
            laws, needed(domains.facts, laws.simplify([term]).terms), assumed, budget
        )
    ):
        sign = find_properties(laws, second, (NONNEGATIVE, NONPOSITIVE), budget, needs)
        signs = sign.properties
        if len(signs) == 2:
            return Convexity(AFFINE, "second derivative")
        if signs:
            return Convexity({NONNEGATIVE: CONVEX, NONPOSITIVE: CONCAVE}[signs[0]], f"second {sign}")
    return Convexity("unknown", f"not {[p for p, c in chords.items() if c]} {second and format_term(second)}")
