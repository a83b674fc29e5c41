"""Certificates of convexity: facts of a form of a function, or of its second derivative."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from eggrad.engine.equality.curvature import directions, in_variables
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.knowledge import Assumption, Conclusion
from eggrad.engine.terms.term import Term, variable, variables
from eggrad.engine.terms.term_patterns import substituted
from eggrad.frontend.certificates.writing import FindSteps, curvature_of
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.interface.equivalence import equivalent
from eggrad.frontend.printing.matrix import format_matrix, has_notation
from eggrad.frontend.text.printer import format_term
from eggrad.rules.standard import CURVATURE

if TYPE_CHECKING:
    from eggrad.engine.equality.steps import ProofStep
    from eggrad.engine.saturation.schedule import Budget


class Asked(NamedTuple):
    """The function that is asked about, its variables, and the names of all."""

    term: Term
    wrt: tuple[Term, ...]
    scope: tuple[Term, ...]
    budget: "Budget | None"

    @property
    def assumed(self) -> list[Assumption]:
        """That the variables are affine, and all others constant."""
        return in_variables(self.term, self.wrt)


@dataclass(frozen=True, repr=False)
class Certificate:
    """Why a function is convex, concave or affine: facts of a form, each with its premises.

    `of` says whether `form` is one of the function, or of a second derivative along a line, whose
    direction of a variable x is called `dx`.
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

    @property
    def is_complete(self) -> bool:
        """Whether each step has a certificate, which was checked."""
        try:
            return bool(self.text)
        except UnsupportedOperation:
            return False

    def __str__(self) -> str:
        """A line for each fact: a term, what it is known to be, and the law."""
        lines = [f"{self.of} in this form: {written(self.form, self.scope)}"]
        for c in self.conclusions:
            name = f"{c.fact.ruleset}.{c.fact.name}"
            lines.append(f"  {written(c.term, self.scope)} is {c.property}: {name}, {c.fact.law}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Say how many facts there are."""
        return f"<Certificate of {self.of}, {len(self.conclusions)} facts>"


def written(term: Term, scope: Sequence[Term] = ()) -> str:
    """A term in matrix notation, if it has that, with `dx` for directions `x'`."""
    named = {v.name for v in (*variables(term), *scope)}
    moved = {v: v.name.removesuffix("'") for v in variables(term) if v.name.endswith("'")}
    fresh = {v: variable(f"d{x}", v.dims) for v, x in moved.items() if f"d{x}" not in named}
    shown = substituted(term, fresh)
    return format_matrix(shown, scope) if has_notation(shown) else format_term(shown)


def steps_between(left: Term, right: Term) -> "Sequence[ProofStep] | None":
    """The steps of a proof that two terms are equal, if one is found."""
    return equivalent(expression(left), expression(right)).steps


def of_second_derivative(
    asked: Asked,
    shown: Assumption,
    conclusions: tuple[Conclusion, ...],
    function: str = "",
    steps: FindSteps = steps_between,
) -> Certificate:
    """The certificate of a sign of the second derivative of a function, by a form of it."""

    def write() -> str:
        along = directions(asked.wrt)
        return curvature_of(CURVATURE.rulesets, asked.term, along, shown, steps)

    of = "the second derivative" + (f" of {function}" if function else "")
    return Certificate(of, shown[1], conclusions, asked.scope, write)
