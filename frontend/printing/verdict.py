"""What a comparison says: proofs, law by law, and the values at which two expressions differ."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from eggrad.engine.equality.steps import ProofStep
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.terms.functions import LOWERED
from eggrad.engine.terms.operations import NUMERIC, PUBLIC
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.printing.index import format_index
from eggrad.frontend.printing.latex import format_latex
from eggrad.frontend.printing.matrix import format_matrix, has_notation
from eggrad.frontend.text.printer import format_term

LANGUAGES = ("einsum", "matrix", "index", "latex")


def format_steps(
    left: Term,
    steps: Sequence[ProofStep],
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
    for_code = [t.op for t in postorder(*chain) if t.op in NUMERIC and t.op not in PUBLIC]
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


# Values at which two sides differ: six digits, more where these agree ----------------------


_FEW: Final = 6
_MANY: Final = 17


def format_values(value: Any, digits: int = _FEW) -> str:
    """Numbers as nested lists, with a number of digits.

    >>> format_values(np.array([[2.0, 1 / 3]])), format_values(Fraction(10**400))
    ('[[2.0, 0.333333]]', '1e+400')
    """

    def plain(v: Any) -> str:
        if isinstance(v, list):
            return f"[{', '.join(map(plain, v))}]"
        if isinstance(v, Fraction):
            return _decimal(v, digits)
        return repr(float(v)) if float(v).is_integer() else f"{v:.{digits}g}"

    return plain(np.asarray(value).tolist())


def format_sides(left: Any, right: Any) -> Iterator[tuple[str, str]]:
    """Two results that differ, in as many digits as show it; else their difference as well.

    >>> tenth = Fraction(1, 10)
    >>> list(format_sides(tenth, tenth + Fraction(1, 10**400)))
    [('left', '0.1'), ('right', '0.1'), ('right - left', '1e-400')]
    """
    for digits in (_FEW, _MANY):
        texts = [format_values(side, digits) for side in (left, right)]
        if texts[0] != texts[1]:
            break
    yield "left", texts[0]
    yield "right", texts[1]
    if texts[0] == texts[1]:
        yield "right - left", format_values(np.asarray(right) - np.asarray(left))


def _decimal(value: Fraction, digits: int) -> str:
    """A fraction of any size in a number of digits."""
    if value.denominator == 1 and abs(value) < 10**digits:
        return f"{value.numerator}.0"
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    text = f"{quotient.normalize(context):.{digits}g}"
    return text if "." in text or "e" in text else f"{text}.0"
