"""Whether two expressions are equal: proved by rules, refuted by values, or left open."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from eggrad.engine.equality.difference import DIGITS, Agreement, Witness, find_difference
from eggrad.engine.equality.equivalence import (
    Proof,
    minimal_rules,
    prove,
    prove_at_once,
    search,
    smallest_part,
)
from eggrad.engine.equality.explanation import explain
from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.guard import optional
from eggrad.engine.indices.affine import is_simple
from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.properties import (
    NONZERO,
    POSITIVE,
    POSITIVE_ALMOST,
    PROPERTIES,
    TOTAL,
)
from eggrad.engine.oracle import oracle
from eggrad.engine.oracle.oracle import has_digits
from eggrad.engine.saturation.schedule import Report
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term, variables
from eggrad.frontend.calculus.calculus import has_structure
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.certificates.writing import FindSteps, equality
from eggrad.frontend.expression.expression import Expression, as_expression, unified
from eggrad.frontend.expression.special_laws import special_functions
from eggrad.frontend.interface.domain import away_from_jumps, domain_of
from eggrad.frontend.interface.own_rules import LAST, accepted
from eggrad.frontend.printing.display import html_table
from eggrad.frontend.printing.matrix import format_matrix, has_notation
from eggrad.frontend.printing.verdict import format_sides, format_steps, format_values
from eggrad.frontend.text.doors import checked_word
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.text.sizes import agreed_sizes
from eggrad.frontend.text.words import FormatName, format_axes
from eggrad.rules.standard import EQUIVALENCE, EQUIVALENCE_OF_DECLARED, extended, system

if TYPE_CHECKING:
    from eggrad.engine.equality.steps import ProofStep
    from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
    from eggrad.engine.saturation.schedule import Budget, Strategy
    from eggrad.engine.terms.binding import Array
    from eggrad.frontend.interface.own_rules import Rules

# Samples before the first look for a proof, one of each kind of values.
FEW = 5


@dataclass(frozen=True, repr=False)
class Verdict:
    """What was found about two expressions.

    `status` is "equal", "different" or "unknown", `reason` says it in words. Of different ones
    `witness` has the values of the variables, and of size symbols that the variables of one side
    do not fix, at which `left` and `right` are the two results; it is None where the axes differ
    already. Where no floating-point numbers tell them apart, these are exact fractions. `samples`
    and `digits` say how far the others agreed numerically. Equal ones are so wherever both are
    finite and what `domain` names is true, such as `x > 0`; `assumed` are the properties that the
    proof takes from there, each with its term.
    """

    status: str
    reason: str
    witness: "Mapping[str, Array | int] | None" = None
    left: "Array | None" = None
    right: "Array | None" = None
    samples: int = 0
    digits: float = 0.0
    domain: tuple[str, ...] = ()
    assumed: tuple[Assumption, ...] = ()
    _find_rules: "Callable[[], tuple[Rule | BulkRule, ...]]" = tuple
    _find_steps: "Callable[[Sequence[str]], tuple[ProofStep, ...] | None]" = lambda _: ()
    _certify: "Callable[[FindSteps], str]" = lambda _: ""
    _print_steps: "Callable[[Sequence[ProofStep], str], str]" = lambda _steps, _language: ""

    @cached_property
    @shows_progress("looking for the fewest rules")
    def laws(self) -> "tuple[Rule | BulkRule, ...]":
        """The rules of `rules`."""
        return self._find_rules()

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of rules that prove equality, none of which can be left out.

        They are looked for at the first call, by proofs with fewer and fewer rules.
        """
        return tuple(f"{r.ruleset}.{r.name}" for r in self.laws)

    @cached_property
    @shows_progress("looking for single steps")
    def steps(self) -> "tuple[ProofStep, ...] | None":
        """A chain of terms from the left side to the right one, one rule a step.

        None where none was found within the budget of the comparison.
        """
        return self._find_steps(self.rules)

    @cached_property
    @shows_progress("writing a certificate")
    def certificate(self) -> str:
        """The proof as a text that `eggrad verify` checks without an e-graph or a search.

        Raises `UnsupportedOperation` where the verdict is not "equal", or a step of the proof has
        no certificate.
        """
        if self.status != "equal":
            raise UnsupportedOperation(f"a verdict {self.status!r} has no certificate")
        return self._certify(lambda _left, _right: self.steps)

    def explain(self, language: FormatName = "matrix") -> str:
        """The chain as text, in one of the languages of `Expression.to`; see `steps`."""
        checked_word("explain", "language", language, get_args(FormatName))
        if self.steps is None:
            return "no chain of single steps was found within the budget"
        text = self._print_steps(self.steps, language)
        return f"where {', '.join(self.domain)}:\n{text}" if self.domain else text

    def __bool__(self) -> bool:
        """True if equal, False if different; an unknown verdict is neither."""
        if self.status == "unknown":
            raise UnsupportedOperation(f"whether they are equal is unknown: {self.reason}")
        return self.status == "equal"

    def __repr__(self) -> str:
        """Say it in a line, without a search for the rules."""
        domain = f", where {', '.join(self.domain)}" if self.domain else ""
        return f"<Verdict {self.status}: {self.reason}{domain}>"

    def __str__(self) -> str:
        """Say it in words, with the rules or the values."""
        rows = (f"{name}{sign} {text}" for name, sign, text in self._findings())
        return "\n".join([f"{self.status}: {self.reason}", *rows])

    def _repr_html_(self) -> str:
        """What notebooks show."""
        rows = [(name, text) for name, _, text in self._findings()]
        return html_table(f"{self.status}: {self.reason}", rows)

    def _findings(self) -> Iterator[tuple[str, str, str]]:
        """The rules or the values: a name, what stands behind it, and a text."""
        if self.status == "equal":
            yield "rules", ":", ", ".join(self.rules) or "none, they are the same"
            if self.domain:
                yield "where", ":", ", ".join(self.domain)
        for name, value in (self.witness or {}).items():
            yield name, " =", format_values(value)
        if self.witness is not None:
            for name, text in format_sides(self.left, self.right):
                yield name, " =", text


def equivalent(
    f: Any, g: Any, budget: "Budget | None" = None, rules: "Rules | None" = None
) -> Verdict:
    """Whether two expressions are equal wherever both are finite.

    What holds on a part of the reals alone is equal there, and the verdict's `domain` names it:
    `exp(log(x))` and `x` are equal where `x > 0`.

    Sizes are made equal where the same variable, or the same axis of the result, has two symbols;
    where axes are equal at some sizes of their common variables alone, the two are different.
    Values are tried first; the oracle evaluates both sides at small integers and other numbers
    that have the declared properties. Where they agree, both are put into one e-graph, and the
    rules run until they are one e-class or the budget ends. `rules` adds your own, see
    `eggrad.derivative`. Raises `ShapeError` where a variable has different axes in the two.

    >>> from eggrad.frontend.expression.functions import exp, log, variable
    >>> A, x = variable("A", ("n", "n")), variable("x", ("n",))
    >>> equivalent(x @ (A + A.T) @ x / 2, x @ A @ x).status
    'equal'
    >>> equivalent(exp(x.sum()) ** 0.5, exp(x.sum() / 2)).domain
    ()
    >>> equivalent(exp(log(x)), x).domain
    ('x > 0',)
    >>> print(equivalent(exp(x).sum(), exp(x.sum())))
    different: they differ at these values
    x = [2.0, 1.0]
    left = 10.1073
    right = 20.0855
    """
    sides = [as_expression(f, "equivalent: f").thin, as_expression(g, "equivalent: g").thin]
    sides = unified(sides, (), "comparing", free=True)
    left, right = sides[0].shape, sides[1].shape
    axes = f"the left side has axes {format_axes(left)}, the right side {format_axes(right)}"
    if len(left) != len(right):
        return Verdict("different", axes)
    pairs = list(zip(left, right, strict=True))
    try:
        if _restricts(sides, agreed_sizes((), pairs, "comparing", free=True)):
            return Verdict("different", axes)
        sides = unified(sides, pairs, "comparing", free=True)
    except ShapeError as error:
        return Verdict("different", f"{axes}: {error}")
    return _decided(sides, budget, rules)


def _restricts(sides: Sequence[Expression], sizes: Mapping[Size, Size]) -> bool:
    """Whether sizes that both sides speak of would no longer be any numbers."""
    first, second = ({*symbols(*e.variables)} for e in sides)
    ends = [sizes.get(s, s) for s in first & second]
    return len({*ends}) < len(ends) or not all(isinstance(d, str) and is_simple(d) for d in ends)


def _different(found: Witness, sides: Sequence[Expression]) -> Verdict:
    free: dict[str, int] = {}
    for e in sides:
        fixed = {d for v in variables(e.term) for d in v.dims}
        free |= {s: found.sizes[s] for s in symbols(e.term) if s not in fixed}
    witness: dict[str, Any] = {**found.values, **free}
    reason = "they differ at these values" if witness else "their values differ"
    return Verdict("different", reason, witness, found.left, found.right)


@shows_progress("comparing")
def _decided(
    sides: Sequence[Expression], budget: "Budget | None", rules: "Rules | None"
) -> Verdict:
    """A few values, what is seen at once, more values, and then the e-graph."""
    a, b = (e.term for e in sides)
    declared = has_structure(a, b)
    strategy = extended(
        EQUIVALENCE_OF_DECLARED if declared else EQUIVALENCE,
        (special_functions, *accepted(rules)),
    )
    assumed = domain_of(a, b, strategy)
    jumps: tuple[Assumption, ...] = ()
    agreed = find_difference(a, b, FEW)
    if isinstance(agreed, Witness):
        return _different(agreed, sides)
    proof = _proof(lambda: prove_at_once(strategy, a, b, assumed))
    if not proof.found or agreed.ties:
        agreed = find_difference(a, b)
        if isinstance(agreed, Witness):
            return _different(agreed, sides)
        if not agreed.ties:
            proof = _proof(lambda: search(system(strategy), a, b, budget, assumed))
        if not proof.found or agreed.ties:
            jumps = away_from_jumps(a, b, strategy, assumed)
            if jumps:
                both = (*assumed, *jumps)
                proof = _proof(lambda: search(system(strategy), a, b, budget, both))
    if proof.found:
        every = (*assumed, *jumps)
        used = _used(
            lambda part: _proof(lambda: prove(system(strategy), a, b, budget, part)).found, every
        )
        if all(_excludes(used, *point) for point in agreed.ties):
            named = [u for u in used if u in jumps or not _is_thin(*u, strategy)]
            scope = [v for e in sides for v in e.variables]
            return Verdict(
                "equal",
                "the rules make them one e-class",
                samples=agreed.samples,
                digits=agreed.digits,
                domain=tuple(dict.fromkeys(_named(p, t, scope) for p, t in named)),
                assumed=tuple(used),
                _find_rules=lambda: minimal_rules(strategy, a, b, budget, LAST, assumed=used) or (),
                _find_steps=lambda names: explain(a, b, _rulesets(strategy, names), budget, used),
                _certify=lambda find: equality(strategy.rulesets, a, b, find, used),
                _print_steps=lambda steps, language: format_steps(
                    a, steps, strategy.rulesets, language, scope
                ),
            )
    return _open(agreed, proof)


def _open(agreed: Agreement, proof: Proof) -> Verdict:
    """Neither equal nor different, and how far the values go."""
    samples, digits = agreed.samples, agreed.digits
    seen = f"{samples} samples agree to {digits:.0f} digits" if samples else "no sample is defined"
    if agreed.ties:
        seen += ", they differ at values that have no interior"
    ended = "; ".join(proof.report.notes) or "the rules find nothing more"
    return Verdict("unknown", f"{seen}, but {ended}", samples=samples, digits=digits)


def _excludes(
    used: "Sequence[Assumption]", values: "Mapping[str, Array]", sizes: Mapping[str, int]
) -> bool:
    """Whether an assumption is not true of some values."""
    terms = [t for _, t in used]
    found = oracle.evaluate(terms, values, sizes, DIGITS[0] if all(map(has_digits, terms)) else 0)
    return not all(
        PROPERTIES[p].holds(v.astype(float)) for (p, _), v in zip(used, found, strict=True)
    )


def _proof(search: Callable[[], Proof]) -> Proof:
    """What a search finds; where it fails, nothing is proved."""
    failed = Proof(False, Report(notes=["the search failed"]))
    return optional("looking for a proof", search, lambda: failed)


def _rulesets(strategy: "Strategy", names: Sequence[str]) -> "list[Ruleset]":
    """The rulesets of a strategy with the named rules alone; those that lose all are left out."""
    return [s for s in strategy.only(names).rulesets if s.laws or s.facts]


def _used(
    proves: "Callable[[Sequence[Assumption]], bool]", assumed: "Sequence[Assumption]"
) -> "list[Assumption]":
    """The assumptions of a proof of which none can be left out; most proofs need none."""
    if not assumed or proves(()):
        return []
    return smallest_part(assumed, proves)


def _is_thin(p: str, t: Term, strategy: "Strategy") -> bool:
    """Whether exceptions to a property have no interior: nothing is defined there."""
    if p in (NONZERO, TOTAL):
        return True
    return p == POSITIVE and Knowledge(strategy.rulesets).knows(POSITIVE_ALMOST, t)


def _named(p: str, t: Term, scope: Sequence[Term]) -> str:
    """A property of a term in words, such as `x > 0`."""
    text = format_matrix(t, scope) if has_notation(t) else format_term(t)
    return PROPERTIES[p].domain.format(text)
