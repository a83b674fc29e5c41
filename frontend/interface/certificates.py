"""Certificates of derivatives written, and certificates of all kinds verified."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from eggrad.engine.errors import EggradError, UnsupportedOperation
from eggrad.engine.indices.spec import format_spec
from eggrad.engine.laws.matching import patterns
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, einsum, variable, variables
from eggrad.frontend.certificates.arithmetic import Refused
from eggrad.frontend.certificates.checker import RECIPROCAL, Checker, check
from eggrad.frontend.certificates.patterns import fact_described, law_described
from eggrad.frontend.certificates.writing import derivative
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.interface.derivatives import wrt_variable
from eggrad.frontend.interface.equivalence import equivalent
from eggrad.frontend.printing.matrix import format_matrix, has_notation, shortest
from eggrad.frontend.text.json_nodes import read_terms
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.standard import EQUIVALENCE_OF_DECLARED, RULESETS

if TYPE_CHECKING:
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
        for p in (*(p for p, _ in whole["claim"]["assumed"]), *_claimed(whole["claim"])):
            if p not in _words():
                raise Refused(f"no property of this package is called {p}")
        for name, record in whole["functions"].items():
            if record != _said({a: getattr(FUNCTIONS[name], a, ...) for a in record}):
                raise Refused(f"of the function {name} something else is known")
        return _verified(whole)
    except (Refused, EggradError, KeyError) as error:
        raise UnsupportedOperation(f"the certificate is refused: {error}") from error


def _known(name: str) -> Rule | Fact:
    """The law or fact of this package that a certificate names."""
    whole, _, number = name.partition("#")
    ruleset, _, law = whole.partition(".")
    for s in (*RULESETS, domains, ties):
        for known in (*s.laws, *s.facts) if s.name == ruleset else ():
            if known.name == law and number in map(str, range(_variants(known))):
                assert isinstance(known, Rule | Fact)
                return known
    raise Refused(f"no law of this package is called {name}")


def _variants(known: object) -> int:
    """The number of ways in which a law is read."""
    if isinstance(known, Rule):
        return len(patterns(known))
    return max(1, len(known.forms)) if isinstance(known, Fact) else 0


def _law(name: str) -> Any:
    """What the package says where a certificate names a law."""
    known, number = _known(name), int(name.partition("#")[2])
    described = law_described if isinstance(known, Rule) else fact_described
    return _said(described(known, number))  # pyright: ignore[reportArgumentType]


@cache
def _words() -> frozenset[str]:
    """The properties that facts are about."""
    return frozenset(str(f.claim.property) for s in (*RULESETS, domains, ties) for f in s.facts)


def _claimed(claim: Mapping[str, Any]) -> tuple[str, ...]:
    return (claim["property"],) if "property" in claim else ()


def _said(data: Any) -> Any:
    """Data as JSON gives it back; None for what it cannot have."""
    return json.loads(json.dumps(data, default=lambda _: None))


def steps(text: str) -> str:
    """Every step of a certificate that is verified, for people: terms, laws and conditions.

    Raises `UnsupportedOperation` as `verify` does.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x")
    >>> print(steps(equivalent(1 / (x * (1 + x)), 1 / x - 1 / (1 + x)).certificate))
    1/(x*(1 + x))
      = by arithmetic: multiplied out, the difference of both is the sum of
        1 times Z/x
          where Z is the difference of both sides of reciprocal: a·a⁻¹ = 1; a = x*(1 + x)
        -1 times Z/(1 + x)
          where Z is the difference of both sides of reciprocal: a·a⁻¹ = 1; a = x*(1 + x)
        1 times Z/(1 + x)
          where Z is the difference of both sides of reciprocal: a·a⁻¹ = 1; a = 1 + x
    1/x - 1/(1 + x)
    """
    _ = verify(text)
    checker = Checker(json.loads(text))
    return "\n".join(_Shown(checker, checker.checked()).lines())


class _Shown:
    """The lines of a certificate."""

    def __init__(self, checker: Checker, whole: Mapping[str, Any]) -> None:
        """Read its terms, and those that its laws make."""
        self._checker, self._whole = checker, whole
        data = {checker.given[k]: d["data"] for k, d in enumerate(whole["terms"])}
        nodes = [
            {"op": op, "data": data.get(k, said), "args": args, "dims": dims}
            for k, (op, said, args, dims) in enumerate(checker.terms.nodes)
        ]
        self._terms = _read(nodes)

    def lines(self) -> Iterator[str]:
        """What is known, and each chain."""
        whole = self._whole
        for p, t in whole["claim"]["assumed"]:
            yield f"{self._term(self._checker.given[t])} is {p}: assumed"
        for fact in whole["facts"]:
            law = whole["laws"][fact["law"]]
            bound = self._checker.bound(law, fact["bound"])
            t = self._checker.build(law["of"], bound)
            yield f"{self._term(t)} is {law['property']}: {self._by(fact)}"
        claim = whole["claim"]
        if claim["kind"] in ("derivative", "curved"):
            times = "" if claim["kind"] == "derivative" else " twice"
            along = claim.get("along") if times else [[claim["by"], claim["along"]]]
            moves = ", ".join(
                " by ".join(self._term(self._checker.given[t]) for t in pair) for pair in along
            )
            laws = sorted({name for names in whole["slopes"].values() for name in names})
            by = [
                "sums, products and quotients",
                *(self._by({"law": n, "bound": {}}) for n in laws),
            ]
            f = self._term(self._checker.given[claim["of"]])
            yield f"the differential{times} of {f}, which changes with {moves}, by {'; '.join(by)}:"
        for chain in whole["chains"]:
            before = self._checker.given[chain["from"]]
            yield self._term(before)
            for step in chain["steps"]:
                yield from self._step(step)
                yield self._term(self._checker.given[step["to"]])

    def _step(self, step: Mapping[str, Any]) -> Iterator[str]:
        if step["by"] == "law":
            way = ", from its right side to its left" if step["backwards"] else ""
            yield f"  = by {self._by(step)}{way}"
        elif not step["parts"]:
            yield "  = by arithmetic: multiplied out, both are the same"
        else:
            yield "  = by arithmetic: multiplied out, the difference of both is the sum of"
            for part in step["parts"]:
                left, _ = self._checker.instance(part, "")
                z = variable(self._free_name(), self._terms[left].dims)
                times = self._terms[self._checker.given[part["times"]]]
                spec = tuple(map(tuple, part["spec"]))
                whole = _formatted(shortest(einsum(spec, times, z)))
                yield f"    {part['number']} times {whole}"
                yield f"      where {z.name} is the difference of both sides of {self._by(part)}"

    def _free_name(self) -> str:
        """The name of what is 0."""
        names = {v.name for v in variables(*self._terms)}
        return next(
            name for name in map("Z{}".format, ("", *range(len(names)))) if name not in names
        )

    def _by(self, said: Mapping[str, Any]) -> str:
        """A law, with what its letters stand for."""
        name = said["law"]
        law = "a·a⁻¹ = 1" if name == RECIPROCAL else _known(name).law.rstrip(".")
        shown = (f"{k} = {self._value(*v)}" for k, v in said["bound"].items() if v[0] != "other")
        return "; ".join([f"{name.partition('#')[0]}: {law}", *shown])

    def _value(self, kind: str, value: Any) -> str:
        match kind:
            case "term":
                return self._term(self._checker.given[value])
            case "spec":
                return format_spec(value)
            case _:
                return str(value)

    def _term(self, number: int) -> str:
        return _formatted(self._terms[number])


def _read(nodes: Sequence[Mapping[str, Any]]) -> Sequence[Term]:
    every = {"terms": [*range(len(nodes))], "said": ""}
    ((terms, _),) = read_terms(json.dumps({"nodes": nodes, "groups": [every]}))
    return terms


def _formatted(term: Term) -> str:
    return format_matrix(term) if has_notation(term) else format_term(term)


def _verified(whole: Mapping[str, Any]) -> Verified:
    claim: Mapping[str, Any] = whole["claim"]
    terms = _read(whole["terms"])

    def shown(number: int) -> str:
        return _formatted(terms[number])

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
    declared = [f"{v.name} is {p}" for v in variables(*terms) for p in v.assumed]
    said = [f"{shown(t)} is {p}" for p, t in claim["assumed"]]
    assumed = tuple(dict.fromkeys((*said, *declared)))
    laws = tuple(dict.fromkeys(name.partition("#")[0] for name in whole["laws"]))
    return Verified(sentence, tuple(map(shown, numbers)), assumed, laws)
