"""Certificates of derivatives written, and certificates of all kinds verified."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eggrad.engine.errors import EggradError, UnsupportedOperation
from eggrad.engine.laws.matching import patterns
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term
from eggrad.frontend.certificates.arithmetic import Refused
from eggrad.frontend.certificates.checker import check
from eggrad.frontend.certificates.patterns import fact_described, law_described
from eggrad.frontend.certificates.writing import derivative
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.interface.derivatives import wrt_variable
from eggrad.frontend.interface.equivalence import equivalent
from eggrad.frontend.printing.matrix import format_matrix, has_notation
from eggrad.frontend.text.json_nodes import read_terms
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.standard import EQUIVALENCE_OF_DECLARED, RULESETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eggrad.engine.equality.steps import ProofStep


def certified_derivative(f: Expression, x: Any, found: Expression) -> str:
    """The certificate that an expression is the derivative of another by a variable.

    Raises `UnsupportedOperation` where a step has no certificate.
    """

    def steps(left: Term, right: Term) -> "Sequence[ProofStep] | None":
        return equivalent(expression(left), expression(right)).steps

    rulesets = EQUIVALENCE_OF_DECLARED.rulesets
    return derivative(rulesets, f.thin.term, wrt_variable(f, x), found.thin.term, steps)


@dataclass(frozen=True)
class Verified:
    """What a certificate proves, and of which terms; what it assumes; the laws that it uses."""

    claim: str
    terms: tuple[str, ...]
    assumed: tuple[str, ...]
    laws: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in lines."""
        lines = [f"verified: {self.claim}", *(f"  {t}" for t in self.terms)]
        lines += [f"where {a}" for a in self.assumed]
        lines.append(f"laws: {', '.join(self.laws) or 'none, arithmetic alone'}")
        return "\n".join(lines)


def verify(text: str) -> Verified:
    """What a certificate proves.

    A checker without an e-graph or a search follows its steps; its laws have to be those of this
    package. Raises `UnsupportedOperation`, with the reason, for any other text.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x")
    >>> print(verify(equivalent((x + 1) ** 2, x**2 + 2 * x + 1).certificate))
    verified: these are equal
      (x + 1)^2
      x^2 + 2*x + 1
    laws: none, arithmetic alone
    """
    try:
        whole = check(text)
        for name, law in whole["laws"].items():
            if _law(name) != law:
                raise Refused(f"the law {name} is not what this package says")
        for name, record in whole["functions"].items():
            if record != _said({a: getattr(FUNCTIONS[name], a, ...) for a in record}):
                raise Refused(f"of the function {name} something else is known")
        return _verified(whole)
    except (Refused, EggradError, KeyError) as error:
        raise UnsupportedOperation(f"the certificate is refused: {error}") from error


def _law(name: str) -> Any:
    """What the package says where a certificate names a law."""
    whole, _, number = name.partition("#")
    ruleset, _, law = whole.partition(".")
    for s in (*RULESETS, domains, ties):
        for known in (*s.laws, *s.facts) if s.name == ruleset else ():
            if known.name == law and number.isdecimal():
                if isinstance(known, Rule) and int(number) < len(patterns(known)):
                    return _said(law_described(known, int(number)))
                if isinstance(known, Fact) and int(number) < max(1, len(known.forms)):
                    return _said(fact_described(known, int(number)))
    raise Refused(f"no law of this package is called {name}")


def _said(data: Any) -> Any:
    """Data as JSON gives it back; None for what it cannot have."""
    return json.loads(json.dumps(data, default=lambda _: None))


def _verified(whole: Mapping[str, Any]) -> Verified:
    claim: Mapping[str, Any] = whole["claim"]

    every = {"terms": [*range(len(whole["terms"]))], "said": ""}
    ((terms, _),) = read_terms(json.dumps({"nodes": whole["terms"], "groups": [every]}))

    def shown(number: int) -> str:
        term = terms[number]
        return format_matrix(term) if has_notation(term) else format_term(term)

    numbers, sentence = [claim[k] for k in ("of", "term") if k in claim], ""
    match claim["kind"]:
        case "equal":
            numbers, sentence = [claim["left"], claim["right"]], "these are equal"
        case "has":
            sentence = f"this is {claim['property']}"
        case "derivative":
            numbers.append(claim["is"])
            sentence = f"the derivative of the first by {shown(claim['by'])} is the second"
        case _:
            along = ", ".join(shown(x) for x, _ in claim["along"])
            p = claim["property"]
            sentence = f"along every line of {along} the second derivative of this is {p}"
    assumed = tuple(f"{shown(t)} is {p}" for p, t in claim["assumed"])
    laws = tuple(dict.fromkeys(name.partition("#")[0] for name in whole["laws"]))
    return Verified(sentence, tuple(map(shown, numbers)), assumed, laws)
