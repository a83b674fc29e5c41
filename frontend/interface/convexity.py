"""Whether a function is convex, concave, affine or neither: certified, refuted, or left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eggrad.engine.equality.curvature import (
    Chord,
    broken_chord,
    directions,
    find_properties,
    in_variables,
    is_defined_convexly,
    second_derivative,
)
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.knowledge import Conclusion, needed
from eggrad.engine.laws.properties import AFFINE, CONCAVE, CONVEX, NONNEGATIVE, NONPOSITIVE
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.certificates.writing import curvature_of, property_of
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.interface.derivatives import scalar, wrt_variable
from eggrad.frontend.interface.equivalence import equivalent
from eggrad.frontend.printing.matrix import format_matrix, has_notation
from eggrad.frontend.printing.verdict import format_values
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains
from eggrad.rules.standard import CURVATURE, system

if TYPE_CHECKING:
    from eggrad.engine.equality.curvature import Found
    from eggrad.engine.equality.steps import ProofStep
    from eggrad.engine.laws.knowledge import Assumption
    from eggrad.engine.saturation.schedule import Budget
    from eggrad.engine.saturation.system import System
    from eggrad.engine.terms.binding import Array

# Sets of values that are not convex.
_NOT_CONVEX: Final = ("integer", "orthogonal", "invertible")
_BY_SIGN: Final = {NONNEGATIVE: CONVEX, NONPOSITIVE: CONCAVE}
_SIGNS: Final = {CONVEX: "nowhere negative", CONCAVE: "nowhere positive", AFFINE: "0"}


@dataclass(frozen=True, repr=False)
class Certificate:
    """Why a function is convex, concave or affine: facts of a form, each with its premises.

    `of` says whether `form` is one of the function, or of its second derivative along a line,
    whose direction of a variable x is called `x'`.
    """

    of: str
    form: Term
    conclusions: tuple[Conclusion, ...]
    scope: tuple[Term, ...] = ()
    _write: Callable[[], str] = str

    @cached_property
    def text(self) -> str:
        """The certificate as a text that `eggrad verify` checks without an e-graph or a search.

        Raises `UnsupportedOperation` where a step has no certificate.
        """
        return self._write()

    def __str__(self) -> str:
        """A line for each fact: a term, what it is known to be, and the law."""
        lines = [f"{self.of} in this form: {self._written(self.form)}"]
        for c in self.conclusions:
            name = f"{c.fact.ruleset}.{c.fact.name}"
            lines.append(f"  {self._written(c.term)} is {c.property}: {name}, {c.fact.law}")
        return "\n".join(lines)

    def _written(self, term: Term) -> str:
        return format_matrix(term, self.scope) if has_notation(term) else format_term(term)

    def __repr__(self) -> str:
        """Say how many facts there are."""
        return f"<Certificate of {self.of}, {len(self.conclusions)} facts>"


@dataclass(frozen=True, repr=False)
class Convexity:
    """What was found about a function.

    `status` is "convex", "concave", "affine", "neither" or "unknown", `reason` says it in words.
    Of the first three there is a `certificate`. Of "neither" there is a `witness`: the values at
    the two ends of a chord, `x[0]` and `x[1]` for each variable x, and of the other variables, with
    the `weight` of the first end, where the function lies above the chord. All `chords` that were
    found are named by what they refute, "convex" or "concave".
    """

    status: str
    reason: str
    certificate: Certificate | None = None
    chords: Mapping[str, Chord] = field(default_factory=dict[str, Chord])

    @property
    def witness(self) -> "Mapping[str, Array] | None":
        """The ends of a chord that the function lies above, where it is neither."""
        return self.chords[CONVEX].values if self.status == "neither" else None

    @property
    def weight(self) -> Fraction | None:
        """The weight of the first end of that chord."""
        return self.chords[CONVEX].weight if self.status == "neither" else None

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
    asked = _Asked(f.thin.term, tuple(wrt), tuple(f.variables), budget)
    laws, term = system(CURVATURE), asked.term
    found = find_properties(laws, term, (AFFINE, CONVEX, CONCAVE), budget, asked.assumed)
    if found.properties:
        return _certified(found, "laws of composition show it", found.properties[0], asked)
    refuted = ((p, broken_chord(term, wrt, sign)) for p, sign in ((CONVEX, 1), (CONCAVE, -1)))
    chords = {p: chord for p, chord in refuted if chord is not None}
    if len(chords) == 2:
        return Convexity("neither", "it lies above one chord and below another", chords=chords)
    shown = _by_second_derivative(laws, asked)
    return _open(chords) if shown is None else shown


class _Asked(NamedTuple):
    """The function that is asked about, its variables, and the names of all."""

    term: Term
    wrt: tuple[Term, ...]
    scope: tuple[Term, ...]
    budget: "Budget | None"

    @property
    def assumed(self) -> "list[Assumption]":
        """That the variables are affine, and all others constant."""
        return in_variables(self.term, self.wrt)


def _by_second_derivative(laws: "System", asked: _Asked) -> Convexity | None:
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


def _certified(found: "Found", reason: str, status: str, asked: _Asked) -> Convexity:
    if found.form is None:
        return Convexity(status, reason)
    p, form, rulesets = found.properties[0], found.form, CURVATURE.rulesets
    is_second = p in _BY_SIGN
    of = "the second derivative" if is_second else "the function"

    def steps(left: Term, right: Term) -> "Sequence[ProofStep] | None":
        return equivalent(expression(left), expression(right)).steps

    def write() -> str:
        if is_second:
            along = directions(asked.wrt)
            return curvature_of(rulesets, asked.term, along, (p, form), steps)
        return property_of(rulesets, asked.term, (p, form), steps, asked.assumed)

    return Convexity(status, reason, Certificate(of, form, found.conclusions, asked.scope, write))


def _open(chords: Mapping[str, Chord]) -> Convexity:
    """Neither certified nor refuted, or not both ways."""
    known = "".join(f"it is not {p}, and " for p in chords)
    return Convexity("unknown", f"{known}no form was found that shows more", chords=chords)
