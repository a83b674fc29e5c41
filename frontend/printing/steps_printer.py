"""Proofs as text: every expression on a line, and between two of them the law that joins them."""

from collections.abc import Callable, Iterable, Sequence

from eggrad.engine.equality.replay import Step
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.terms.functions import EXTREMES, LOWERED, NUMERIC
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.printing.index_printer import format_index
from eggrad.frontend.printing.latex_printer import format_latex
from eggrad.frontend.printing.matrix_form import has_notation
from eggrad.frontend.printing.matrix_printer import format_matrix
from eggrad.frontend.text.printer import format_term

__all__ = ["LANGUAGES", "format_steps"]

LANGUAGES = ("einsum", "matrix", "index", "latex")


def format_steps(
    left: Term,
    steps: Sequence[Step],
    rulesets: Iterable[Ruleset],
    language: str = "matrix",
    scope: Sequence[Term] = (),
) -> str:
    """A proof that begins with a term, in "einsum", "matrix", "index" or "latex" notation.

    Between two expressions stand the rule, its law, and where it holds: `→` where the law was
    read from left to right, `←` from right to left. Steps that the notation does not show, such
    as the transpose of a transpose, follow one another without an expression between them. Where
    one of the terms does not have the notation all are in index notation. `scope` are further
    variables that fix sizes. Raises `UnsupportedOperation` for another language, and where rules
    that are meant for generated code have made what no notation has.

    >>> from eggrad.engine.equality.explanation import explain
    >>> from eggrad.engine.terms.term import apply, variable
    >>> from eggrad.rules.functions.elementwise import functions
    >>> x = variable("x", ("n",))
    >>> term = apply("log", apply("exp", apply("abs", x)))
    >>> steps = explain(term, apply("abs", x), [functions])
    >>> print(format_steps(term, steps, [functions]))
    log(exp(abs(x)))
      = → functions.log_of_exp: log exp a = a.
    abs(x)
    """
    laws = {f"{r.ruleset}.{r.name}": r for s in rulesets for r in s.laws}
    write = _writer([left, *(s.term for s in steps)], language, scope)
    shown = write(left)
    lines = [shown]
    for step in steps:
        arrow = "←" if step.backwards else "→"
        lines.append(f"  = {arrow} {step.rule}: {_law(laws[step.rule])}")
        text = write(step.term)
        if text != shown or step is steps[-1]:
            lines.append(text)
        shown = text
    return "\n".join(lines)


def _law(rule: Rule | BulkRule) -> str:
    return f"{rule.law} ({rule.domain})" if rule.domain else rule.law


def _writer(chain: Sequence[Term], language: str, scope: Sequence[Term]) -> Callable[[Term], str]:
    """What writes a term as it stands, without a search for a better form."""
    for_code = [t.op for t in postorder(*chain) if t.op in NUMERIC and t.op not in EXTREMES]
    if not set(for_code) <= set(LOWERED):
        strange = next(op for op in for_code if op not in LOWERED)
        raise UnsupportedOperation(
            f"a step of the proof makes {strange}, which is for generated code and has no notation"
        )
    match language:
        case "einsum" if not for_code:
            return format_term
        case "matrix" if all(map(has_notation, chain)):
            return lambda t: format_matrix(t, scope)
        case "einsum" | "matrix" | "index":
            return format_index
        case "latex":
            return format_latex
        case _:
            raise UnsupportedOperation(
                f"a proof cannot be written as {language!r}; known are: {', '.join(LANGUAGES)}"
            )
