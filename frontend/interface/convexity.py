"""Whether a function is convex, concave, affine or neither: certified, refuted, or left open."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from eggrad.engine.equality.curvature import (
    Chord,
    broken_chord,
    find_properties,
    is_defined_convexly,
    second_derivative,
)
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.knowledge import needed
from eggrad.engine.laws.properties import AFFINE, CONCAVE, CONVEX, NONNEGATIVE, NONPOSITIVE
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.certificates.writing import property_of
from eggrad.frontend.interface.constants import (
    CurvatureBound,
    Smooth,
    smooth,
    smoothness,
    strong_convexity,
)
from eggrad.frontend.interface.curvature import (
    Asked,
    Certificate,
    of_second_derivative,
    steps_between,
)
from eggrad.frontend.interface.derivatives import scalar, wrt_variable
from eggrad.frontend.printing.verdict import format_values
from eggrad.rules.functions.properties import domains
from eggrad.rules.standard import CURVATURE, system

if TYPE_CHECKING:
    from eggrad.engine.equality.curvature import Found
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.engine.saturation.system import System
    from eggrad.engine.terms.binding import Array

# Sets of values that are not convex.
_NOT_CONVEX: Final = ("integer", "orthogonal", "invertible")
_BY_SIGN: Final = {NONNEGATIVE: CONVEX, NONPOSITIVE: CONCAVE}
_SIGNS: Final = {CONVEX: "nowhere negative", CONCAVE: "nowhere positive", AFFINE: "0"}


@dataclass(frozen=True, repr=False)
class Convexity:
    """What was found about a function.

    `status` is "convex", "concave", "affine", "neither" or "unknown", `reason` says it in words.
    Of the first three there is a `certificate`. Of "neither" there is a `witness`: the values at
    the two ends of a chord, `x[0]` and `x[1]` for each variable x, and of the other variables, with
    the `weight` of the first end, where the function lies above the chord. All `chords` that were
    found are named by what they refute, "convex" or "concave".

    Constants of `strong_convexity` and `smoothness` are looked for when they are asked for.
    """

    status: str
    reason: str
    certificate: Certificate | None = None
    chords: Mapping[str, Chord] = field(default_factory=dict[str, Chord])
    _asked: Asked | None = None

    @property
    def witness(self) -> "Mapping[str, Array] | None":
        """The ends of a chord that the function lies above, where it is neither."""
        return self.chords[CONVEX].values if self.status == "neither" else None

    @property
    def weight(self) -> Fraction | None:
        """The weight of the first end of that chord."""
        return self.chords[CONVEX].weight if self.status == "neither" else None

    @cached_property
    def _smooth(self) -> Smooth | None:
        return None if self._asked is None else smooth(self._asked)

    @cached_property
    def strong_convexity(self) -> CurvatureBound | None:
        """With which constant m it is strongly convex, if that is found: f - m/2·|x|² convex.

        |x|² is the sum of the squares of all entries of the variables. The constant is known to be
        at least 0; it may be 0 for some values of the parameters.
        """
        if self._smooth is None or self.status not in (CONVEX, "unknown"):
            return None
        return strong_convexity(self._smooth)

    @cached_property
    def smoothness(self) -> CurvatureBound | None:
        """With which constant L it is smooth, if that is found: L/2·|x|² ± f convex.

        Its gradient changes by no more than L times the distance. It need not be convex.
        """
        if self._smooth is None:
            return None
        return smoothness(self._smooth, self.status)

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"<Convexity {self.status}: {self.reason}>"

    def __str__(self) -> str:
        """Say it in words, with the facts or the values."""
        lines = [f"{self.status}: {self.reason}"]
        if self.certificate is not None:
            lines.append(str(self.certificate))
        for refuted, chord in self.chords.items():
            side = "above" if refuted == CONVEX else "below"
            lines.append(f"not {refuted}: it lies {side} the chord between [0] and [1] where")
            lines += [f"  {name} = {format_values(v)}" for name, v in chord.values.items()]
            lines.append(f"  weight of [0] = {chord.weight}")
        return "\n".join(lines)

    def __bool__(self) -> bool:
        """Nothing: a status is no truth value."""
        raise UnsupportedOperation("a verdict of convexity has a .status, and is not true or false")


@shows_progress("looking for convexity")
def convexity(f: Any, x: Any, budget: "Budget | None" = None) -> Convexity:
    """Whether a scalar is convex, concave, affine or neither, in one variable or in several.

    `x` is a variable or its name, or a list of such, in which the function is judged together.
    All other variables are parameters, with any values that they are declared to have. The
    function is judged where it is finite, at values of the variables that have what is declared of
    them: `1/x` is convex where x is declared positive. A form of the function is looked for that
    facts of composition show to be convex (Boyd, Vandenberghe 2004, section 3.2), or one of its
    second derivative that is nowhere negative, where the function is smooth. It is refuted by a
    chord. What neither shows is "unknown".

    Raises `ShapeError` for an expression with axes, `UnsupportedOperation` for variables whose
    values are not a convex set, such as orthogonal matrices.

    >>> from eggrad.frontend.expression.functions import exp, log, variable
    >>> x, y = variable("x"), variable("y")
    >>> convexity(log(1 + exp(x)), x).status, convexity(x * y, [x, y]).status
    ('convex', 'neither')
    >>> convexity(x**2 - 2 * x * y + y**2, [x, y])
    <Convexity convex: laws of composition show it>
    >>> print(convexity(log(1 + exp(x)) - 2 * x, x).certificate.conclusions[-1].fact.law)
    a + b is convex if a and b are.
    """
    f = scalar("convexity", f)
    wrt = [wrt_variable(f, w) for w in (x if isinstance(x, list | tuple) else [x])]
    for v in wrt:
        word = next((w for w in v.assumed if w in _NOT_CONVEX), None)
        if word is not None and "positive definite" not in v.assumed:
            raise UnsupportedOperation(
                f"{v.name} is declared {word}: such values are no convex set. "
                f"{ASSUMPTIONS[word].sentence}"
            )
    asked = Asked(f.thin.term, tuple(wrt), tuple(f.variables), budget)
    return replace(_judged(asked), _asked=asked)


def _judged(asked: Asked) -> Convexity:
    laws, term = system(CURVATURE), asked.term
    found = find_properties(laws, term, (AFFINE, CONVEX, CONCAVE), asked.budget, asked.assumed)
    if found.properties:
        return _certified(found, "laws of composition show it", found.properties[0], asked)
    refuted = ((p, broken_chord(term, asked.wrt, sign)) for p, sign in ((CONVEX, 1), (CONCAVE, -1)))
    chords = {p: chord for p, chord in refuted if chord is not None}
    if len(chords) == 2:
        return Convexity("neither", "it lies above one chord and below another", chords=chords)
    shown = _by_second_derivative(laws, asked)
    return _open(chords) if shown is None else shown


def _by_second_derivative(laws: "System", asked: Asked) -> Convexity | None:
    """What the sign of the second derivative along a line says, if it has one."""
    # A simpler form may be defined at more values.
    for form in dict.fromkeys((asked.term, laws.simplify([asked.term]).term)):
        second = second_derivative(laws, form, asked.wrt)
        needs = needed(domains.facts, (form,))
        if second is None or not is_defined_convexly(laws, needs, asked.assumed, asked.budget):
            continue
        found = find_properties(laws, second, (NONNEGATIVE, NONPOSITIVE), asked.budget, needs)
        if found.properties:
            status = AFFINE if len(found.properties) == 2 else _BY_SIGN[found.properties[0]]
            reason = f"along every line the second derivative is {_SIGNS[status]}"
            return _certified(found, reason, status, asked)
    return None


def _certified(found: "Found", reason: str, status: str, asked: Asked) -> Convexity:
    if found.form is None:
        return Convexity(status, reason)
    p, form, rulesets = found.properties[0], found.form, CURVATURE.rulesets
    if p in _BY_SIGN:
        certificate = of_second_derivative(asked, (p, form), found.conclusions)
        return Convexity(status, reason, certificate)

    def write() -> str:
        return property_of(rulesets, asked.term, (p, form), steps_between, asked.assumed)

    certificate = Certificate("the function", form, found.conclusions, asked.scope, write)
    return Convexity(status, reason, certificate)


def _open(chords: Mapping[str, Chord]) -> Convexity:
    """Neither certified nor refuted, or not both ways."""
    known = "".join(f"it is not {p}, and " for p in chords)
    return Convexity("unknown", f"{known}no form was found that shows more", chords=chords)
