"""A derivation as people write it: the differential, taken one law at a time.

`d u` is what a part u changes by when the variable changes by dx. From `d f` on, the differential
of the outermost part is replaced by what a law makes of it, until dx alone is left: what it is
multiplied by is the derivative.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.language import Tensor
from eggrad.engine.laws.rule import Rule
from eggrad.engine.laws.statements import parameters_of
from eggrad.engine.saturation.schedule import Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term, postorder, rebuild, variables
from eggrad.engine.terms.term_patterns import substituted
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.interface.derivatives import derivative_by
from eggrad.frontend.printing.formats import format_expression, format_unchanged
from eggrad.frontend.text.words import FormatName
from eggrad.frontend.workbench.experiment import BASE
from eggrad.rules.standard import STANDARD

MOST_NODES: Final = 60
"""The largest expression that is derived so."""
# As a function of entries it passes transposes and copies, as differentials do; rules know no more.
DIFFERENTIAL: Final = OwnFunction("d", "The differential.", latex=r"\mathrm{d}")
_LINEAR: Final = frozenset({"add", "subtract", "negate"})


@dataclass(frozen=True)
class Line:
    """A formula of a derivation, and the laws that it comes by, as `ruleset.rule`.

    It is the `function`, a `differential` of it, or the `derivative` of some order by `wrt`.
    """

    kind: str
    order: int
    wrt: str
    text: str
    laws: tuple[str, ...] = ()


def derivation(f: Expression, wrt: Sequence[Term], language: FormatName = "matrix") -> list[Line]:
    """The lines from a function to its derivative with respect to each variable in turn.

    >>> from eggrad.frontend.expression.functions import exp, variable
    >>> f = exp(variable("x") ** 2)
    >>> [(line.kind, line.text) for line in derivation(f, f.variables)][1:]
    [('differential', 'exp(x^2)*d(x^2)'), ('differential', ...), ('derivative', '2*x*exp(x^2)')]
    """
    if f.node_count > MOST_NODES:
        raise UnsupportedOperation(
            f"formulas of at most {MOST_NODES} nodes are derived line by line; the log has every "
            "round of larger ones"
        )
    systems = BASE.systems()
    lines = [Line("function", 0, "", format_unchanged(language, f.term, f.scope))]
    for order, x in enumerate(wrt, 1):
        for term, laws in _differentials(calculus.simplify(f.term).term, x, systems):
            text = format_expression(language, term, f.scope)
            # What no law has changed to the eye is no line.
            if text != lines[-1].text:
                lines.append(Line("differential", order, x.name, text, laws))
        f = derivative_by(f, (x,), "auto", None, exact=False)
        lines.append(Line("derivative", order, x.name, f.to(language)))
    return lines


def _differentials(
    f: Term, x: Term, systems: Callable[[Strategy], System]
) -> Iterator[tuple[Term, tuple[str, ...]]]:
    """The differential of a term, with ever smaller parts that are not differentiated yet.

    One law is applied at a time, or all linear ones that follow each other.
    """
    found = terms.apply(DIFFERENTIAL, f)
    waiting = _outermost(found, x)
    while waiting:
        named: dict[str, None] = {}
        linear = _is_linear(waiting.args[0], x)
        while waiting and linear == _is_linear(waiting.args[0], x):
            step, laws = _taken(waiting.args[0], x, systems)
            named |= dict.fromkeys(laws)
            found = substituted(found, {waiting: step})
            waiting = _outermost(found, x)
            if not linear:
                break
        found = calculus.simplify(found).term
        waiting = _outermost(found, x)
        yield found, tuple(named)


def _outermost(term: Term, x: Term) -> Term | None:
    """The differential that is in no other's part; None where there is that of x alone."""
    every = [t for t in postorder(term) if t.data is DIFFERENTIAL and _moves(t.args[0], x)]
    # An operand comes before what it is an operand of.
    return next((t for t in reversed(every) if t.args[0] is not x), None)


def _moves(term: Term, x: Term) -> bool:
    return x in variables(term)


def _is_linear(term: Term, x: Term) -> bool:
    """Whether the differential is the same operation, of differentials."""
    moving = [_moves(a, x) for a in term.args]
    if term.op == "divide":
        return not moving[1]
    return term.op in _LINEAR or (term.op == "einsum" and sum(moving) == 1)


def _taken(
    term: Term, x: Term, systems: Callable[[Strategy], System]
) -> tuple[Term, tuple[str, ...]]:
    """The differential of a node by those of its operands, and the laws that say so."""
    places = {
        k: terms.variable(f"operand {k + 1}", a.dims)
        for k, a in enumerate(term.args)
        if _moves(a, x)
    }
    node = rebuild(term, tuple(places.get(k, a) for k, a in enumerate(term.args)))
    total = terms.constant(0, term.dims)
    laws: dict[str, int] = {}
    for k, place in places.items():
        result = calculus.differentiate(node, [place], "forward", explore=False, systems=systems)
        laws |= result.report.matches
        own, every = range(term.order), range(term.order + place.order)
        product = (tuple(every), tuple(every[term.order :]), tuple(own))
        change = terms.apply(DIFFERENTIAL, term.args[k])
        total = terms.add(total, terms.einsum(product, result.term, change))
    operands = {place: term.args[k] for k, place in places.items()}
    return substituted(total, operands), tuple(law for law in _OF_OPERATIONS if law in laws)


def _is_of_operation(rule: Rule) -> bool:
    """Whether a law of derivatives is about an operation, not about a leaf."""
    return any(p.kind is Tensor for p in parameters_of(rule.statement.left))


# In the order of their files: the chain rule, then slopes.
_OF_OPERATIONS: Final = tuple(
    f"{ruleset.name}.{rule.name}"
    for ruleset in STANDARD.differentiate
    for rule in ruleset.rules
    if _is_of_operation(rule)
)
