"""Certificates written: from chains of steps, and from facts with their premises."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Final

from eggrad.engine.equality.curvature import CONVEX_WHERE, in_variables
from eggrad.engine.equality.steps import ProofStep, instance, replacements
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import MATRIX_PRODUCT
from eggrad.engine.indices.texts import fraction_text
from eggrad.engine.laws.knowledge import Assumption, Knowledge, needed
from eggrad.engine.laws.language import Known, Node, Parameter
from eggrad.engine.laws.matching import Closing, matcher_of_terms, patterns, views
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.properties import DIAGONAL, NONZERO, ORTHOGONAL, PROBABILITY, SIGNS, SKEW
from eggrad.engine.laws.rule import Rule, Ruleset
from eggrad.engine.laws.statements import parameters_of
from eggrad.engine.terms.functions import FUNCTIONS, record
from eggrad.engine.terms.term import Term, constant, einsum, postorder, power, subtract, variable
from eggrad.frontend.certificates.arithmetic import Refused, frozen
from eggrad.frontend.certificates.checker import NOT_ZERO, RECIPROCAL, VERSION, Checker, check
from eggrad.frontend.certificates.combinations import Combinations, Part, Relation
from eggrad.frontend.certificates.expansions import Expansion, Move
from eggrad.frontend.certificates.patterns import (
    fact_described,
    is_described,
    law_described,
    value_described,
)
from eggrad.frontend.text.json_nodes import described, read_terms
from eggrad.rules.calculus.slopes import slopes
from eggrad.rules.functions.elementwise import functions, identities
from eggrad.rules.functions.properties import domains
from eggrad.rules.functions.written_out import written_out

JSON = dict[str, Any]
Bound = Mapping[str, Any]
FindSteps = Callable[[Term, Term], Sequence[ProofStep] | None]
"""How a chain of single steps from a term to another is found, where arithmetic does not do."""

# Rulesets whose laws are about the parts of products.
RELATIONS: Final = ("symmetric", "structured", "functions", "powers")


# Laws on what has some property, by property, with what letters beside it stand for.
OF_MATRICES: Final = (
    (SKEW, "structured.transpose_of_skew", {}),
    (ORTHOGONAL, "structured.product_with_transpose", {"s": ((0, 1), (0, 2), (1, 2))}),
    (ORTHOGONAL, "structured.product_with_transpose", {"s": ((0, 1), (2, 1), (0, 2))}),
    (DIAGONAL, "written_out.diagonal_matrix", {"n": ()}),
    (PROBABILITY, "structured.sum_of_probability", {"s": ()}),
)


class Writer:
    """A certificate while it is written; some properties of terms are assumed."""

    def __init__(self, rulesets: Sequence[Ruleset], assumed: Sequence[Assumption]) -> None:
        """Begin without chains."""
        self._rules = {f"{s.name}.{r.name}": r for s in (*rulesets, written_out) for r in s.laws}
        self._knowledge = Knowledge(rulesets, assumed, is_described)
        self._may_be_assumed = dict.fromkeys(assumed)
        self._assumed: dict[tuple[str, int], None] = {}
        self._checker = Checker(
            {
                "format": VERSION,
                "functions": _records(FUNCTIONS, ["total"]),
                "laws": {},
                "terms": [],
            }
        )
        self._terms = self._checker.terms
        self._arithmetic = Combinations(self._terms)
        self._numbers: dict[Term, int] = {}
        self._term_of: dict[int, Term] = {}
        self._data: dict[Any, Any] = {}
        self._laws: dict[str, JSON] = {}
        self._slopes: dict[str, list[str]] = {}
        self._facts: dict[Assumption, JSON] = {}
        self._chains: list[JSON] = []

    def number(self, term: Term) -> int:
        """The number of a term in the certificate."""
        if term not in self._numbers:
            nodes, places = described(term)
            if any(d["op"] in ("function", "scan") for d in nodes):
                raise UnsupportedOperation("a certificate has no declared functions and no loops")
            numbers = self._terms.read(nodes)
            self._data |= {(d["op"], frozen(d["data"])): d["data"] for d in nodes}
            self._numbers |= {t: numbers[k] for t, k in places.items()}
            self._term_of |= {numbers[k]: t for t, k in places.items()}
        return self._numbers[term]

    def chain(
        self,
        first: Term,
        last: Term,
        find_steps: Callable[[], Sequence[ProofStep] | None],
    ) -> None:
        """Add a chain; raises `UnsupportedOperation` where a step cannot be certified."""
        found = self._at_once(first, last)
        if found is None:
            steps, found, before = find_steps(), list[JSON](), first
            if steps is None:
                raise UnsupportedOperation("no chain of single steps was found")
            for step in steps:
                found += self._step(before, step)
                before = step.term
        if found:
            self._chains.append({"from": self.number(first), "steps": found})

    def know(self, p: str, term: Term) -> None:
        """Add the facts that show a property of a term, or that it is assumed."""
        if not self._knowledge.knows(p, term):
            raise UnsupportedOperation(f"nothing shows that a term is {p}")
        for c in self._knowledge.derivation(p, term):
            if (c.property, c.term) not in self._facts:
                form = max(c.form, 0)
                name = f"{c.fact.ruleset}.{c.fact.name}#{form}"
                self._laws.setdefault(name, fact_described(c.fact, form))
                for premise in c.premises:
                    self._assume(premise)
                self._facts[c.property, c.term] = {"law": name, "bound": self._bound(name, c.bound)}
        self._assume((p, term))

    def differential(self, f: Term, along: Mapping[Term, Term]) -> Term:
        """What a term changes by where some variables change by others."""
        for t in postorder(f):
            self._slopes |= {t.op: self._slopes_of(t.op)} if t.op in FUNCTIONS else {}
            if t.op in ("maximum", "minimum"):
                # Where both are the same, no slope is that of one of them.
                apart = subtract(*t.args)
                self._know_nonzero(apart)
                self._checker.known.add((NONZERO, self.number(apart)))
        self._checker.laws = {**self._laws}
        self._checker.whole["slopes"] = self._slopes
        moved = {self.number(x): self.number(dx) for x, dx in along.items()}
        return self._term(self._checker.differential(self.number(f), moved))

    def _slopes_of(self, function: str) -> list[str]:
        """The laws on slopes of a function, by place."""
        found: list[str] = []
        for rule in slopes.rules:
            node = patterns(rule)[0].law.node
            named = node.args[0] if isinstance(node.args[0], str) else ""
            if node.constructor.startswith("slope") and named == function:
                found.append(f"slopes.{rule.name}#0")
                self._laws.setdefault(found[-1], law_described(rule, 0))
        return found

    def _term(self, number: int) -> Term:
        """The term with a number."""
        if number not in self._term_of:
            nodes = [self._node(*node) for node in self._terms.nodes[: number + 1]]
            ((found, _),) = read_terms(
                json.dumps({"nodes": nodes, "groups": [{"terms": [number], "said": 0}]})
            )
            self._term_of[number] = found[0]
            self._numbers[found[0]] = number
        return self._term_of[number]

    def know_one_of(self, properties: Iterable[str], term: Term) -> bool:
        """Add the facts that show the first property that a term has, if it has one."""
        known = next((p for p in properties if self._knowledge.knows(p, term)), None)
        if known is not None:
            self.know(known, term)
        return known is not None

    def text(self, kind: str, **claim: Any) -> str:
        """The certificate of a claim; raises `UnsupportedOperation` if the checker refuses it."""
        if _refusal(self._whole(kind, claim)) is not None:
            self._know_divisors()
        whole = self._whole(kind, claim)
        reason = _refusal(whole)
        if reason is not None:
            raise UnsupportedOperation(f"no certificate was found: {reason}")
        _leave_out(whole)
        blocks = (f" {json.dumps(k)}: {_block(v)}" for k, v in whole.items())
        return "{\n" + ",\n".join(blocks) + "\n}\n"

    def _know_divisors(self) -> None:
        """Add facts that show of what is divided by that it is not 0, or that this is assumed."""
        for number in self._arithmetic.divisors():
            self._know_nonzero(self._term(number))

    def _know_nonzero(self, term: Term) -> None:
        """Add facts that show that a term is not 0 almost everywhere, or assume it."""
        if not self.know_one_of(NOT_ZERO, term):
            for assumption in nonzero_sums([power(term, constant(-1))]):
                self._may_be_assumed[assumption] = None
                self._assume(assumption)

    def _whole(self, kind: str, claim: Mapping[str, Any]) -> JSON:
        said = {k: self.number(v) if isinstance(v, Term) else v for k, v in claim.items()}
        parts = [p for law in self._laws.values() for p in _parts(law)]
        asked = sorted({"analytic", "total"} | {p[1] for p in parts if p[0] == "record"})
        named = {p[2] for p in parts if p[:2] == ["value", "name"]}
        named |= {op for op, *_ in self._terms.nodes}
        known = sorted(n for n in named if isinstance(n, str) and n in FUNCTIONS)
        return {
            "format": VERSION,
            "claim": {"kind": kind, **said, "assumed": [*map(list, self._assumed)]},
            "laws": self._laws,
            "functions": _records(known, asked),
            "slopes": self._slopes,
            "facts": [*self._facts.values()],
            "chains": self._chains,
            "terms": [self._node(*node) for node in self._terms.nodes],
        }

    def _node(self, op: str, data: Any, args: Sequence[int], dims: Sequence[Any]) -> JSON:
        return {"op": op, "data": self._data.get((op, data), data), "args": args, "dims": dims}

    def _assume(self, assumption: Assumption) -> None:
        p, term = assumption
        if assumption in self._may_be_assumed and assumption not in self._facts:
            self._assumed[p, self.number(term)] = None

    def _step(self, before: Term, step: ProofStep) -> list[JSON]:
        rule = self._rules[step.rule]
        if isinstance(rule, Rule) and self._differ(before, step.term):
            for old, new in replacements(before, step.term):
                sides = (new, old) if step.backwards else (old, new)
                found = instance(rule, *sides, self._knowledge)
                if found is not None:
                    return [self._by_law((rule, *found), step.backwards, step.term)]
        found = self._at_once(before, step.term)
        if found is None:
            raise UnsupportedOperation(f"a step by {step.rule} has no certificate")
        return found

    def _by_law(self, law: tuple[Rule, int, Bound], backwards: bool, after: Term) -> JSON:
        """A step by a law."""
        said = self._instance(*law)
        return {"by": "law", **said, "backwards": backwards, "to": self.number(after)}

    def _at_once(self, before: Term, after: Term) -> list[JSON] | None:
        """Steps without a search for laws: by arithmetic, of both terms or both written out."""
        whole = self._by_arithmetic(before, after)
        return [whole] if whole else self._written_out(before, after)

    def _written_out(self, before: Term, after: Term) -> list[JSON] | None:
        """Steps to what both terms are if functions are written out; None if they then differ."""
        expansion = Expansion(self._arithmetic, self.number, self._term, self._knowledge.knows)
        ends = before, after
        try:
            expansion.read(*ends)
            first, second = ([*expansion.moves(t)] for t in ends)
            left, right = (m[-1][1] if m else t for m, t in zip((first, second), ends, strict=True))
            middle = self._by_arithmetic(left, right) if first or second else None
        except Refused:
            return None
        if middle is None:
            return None
        wholes = [after, *(whole for _, whole in second)][-2::-1]
        back = zip(second[::-1], wholes, strict=True)
        return [
            *(self._moved(move, move.backwards, whole) for move, whole in first),
            middle,
            *(self._moved(move, not move.backwards, whole) for (move, _), whole in back),
        ]

    def _moved(self, move: Move, backwards: bool, after: Term) -> JSON:
        if move.law is None:
            return {"by": "arithmetic", "parts": [], "to": self.number(after)}
        return self._by_law(move.law, backwards, after)

    def _differ(self, before: Term, after: Term) -> bool:
        """Whether two terms are different sums of products."""
        try:
            return bool(self._arithmetic.difference(self.number(before), self.number(after)))
        except Refused:
            return True

    def _by_arithmetic(self, before: Term, after: Term) -> JSON | None:
        """A step by arithmetic, if there is one."""
        ends = self.number(before), self.number(after)
        found = self._arithmetic.parts(*ends, self._relations(before, after))
        if found is None:
            return None
        return {
            "by": "arithmetic",
            "parts": [*map(self._combined, found)],
            "to": self.number(after),
        }

    def _relations(self, *roots: Term) -> Iterator[Relation]:
        """Instances of laws about parts of products, where these or their functions occur."""
        parts = [*postorder(*roots)]
        matcher = matcher_of_terms(self._knowledge.knows)
        for t in parts:
            if t.op == "inv":
                for name in ("inverse_times_matrix", "matrix_times_inverse"):
                    yield self._relation(f"linalg.{name}", {"s": MATRIX_PRODUCT, "a": t.args[0]})
            if t.op == "variable" and SIGNS in t.assumed:
                yield self._relation("structured.even_power_of_signs", {"a": t, "p": Fraction(2)})
            for name in _about(t.op):
                yield self._relation(name, {"a": t.args[0]})
            for p, name, more in OF_MATRICES if t.op == "variable" else ():
                if self._knowledge.knows(p, t):
                    own = {"n": t.dims[:1], "s": (tuple(range(t.order)), ())}
                    bound = {k: v or own[k] for k, v in more.items()}
                    yield self._relation(name, {"a": t, **bound})
        for rule in self._rules.values():
            if isinstance(rule, Rule) and rule.ruleset in RELATIONS:
                for k, pattern in enumerate(patterns(rule)):
                    for t in () if pattern.reversed else parts:
                        for constructor, arguments in views(t):
                            if constructor == pattern.constructor:
                                for found in matcher.instances(pattern, arguments):
                                    sides = self.number(found.first), self.number(found.second)
                                    yield Relation(*sides, (rule, k, found.bound))

    def _relation(self, name: str, bound: Bound) -> Relation:
        rule = self._rules[name]
        assert isinstance(rule, Rule)
        closing, law = Closing(bound), patterns(rule)[0].law
        left, right = (self.number(closing.build(side)) for side in (law.left, law.right))
        return Relation(left, right, (rule, 0, bound))

    def _combined(self, part: Part) -> JSON:
        law = part.relation.law
        said = {"law": RECIPROCAL, "bound": {"a": ["term", part.relation.of]}}
        said = self._instance(*law) if law else said
        number = fraction_text(part.number)
        return {"number": number, "times": part.factor, "spec": part.spec, **said}

    def _instance(self, rule: Rule, variant: int, bound: Bound) -> JSON:
        name = f"{rule.ruleset}.{rule.name}#{variant}"
        self._laws.setdefault(name, law_described(rule, variant))
        for c in patterns(rule)[variant].law.conditions:
            if isinstance(c, Known):
                closing = Closing(bound)
                self.know(closing.build(c.property), closing.build(c.tensor))
        return {"law": name, "bound": self._bound(name, bound)}

    def _bound(self, law: str, bound: Bound) -> JSON:
        """What the letters of a law stand for, each with its kind."""
        found: JSON = {}
        for name, kind in self._laws[law]["letters"].items():
            value = bound[name]
            if isinstance(value, Term):
                self.number(value)
            described_as, said = value_described(value, self._numbers)
            # Conditions on indices look like specs.
            found[name] = ["other" if kind == "other" else described_as, said]
        return found


def _refusal(whole: JSON) -> str | None:
    """Why the checker refuses a certificate, if it does."""
    try:
        check(json.dumps(whole))
    except Refused as error:
        return str(error)
    return None


def _leave_out(whole: JSON) -> None:
    """Leave out the facts, assumptions and laws that a certificate does not need."""
    for parts in (whole["facts"], whole["claim"]["assumed"]):
        for k in range(len(parts) - 1, -1, -1):
            part = parts.pop(k)
            if _refusal(whole) is not None:
                parts.insert(k, part)
    steps = [step for chain in whole["chains"] for step in chain["steps"]]
    parts = [*whole["facts"], *steps, *(p for step in steps for p in step.get("parts", ()))]
    used = {part.get("law") for part in parts} | {
        n for names in whole["slopes"].values() for n in names
    }
    whole["laws"] = {name: law for name, law in whole["laws"].items() if name in used}


def _records(names: Iterable[str], asked: Iterable[str]) -> JSON:
    return {n: {a: getattr(record(n), a) for a in asked} for n in sorted(names)}


@cache
def _about(function: str) -> tuple[str, ...]:
    """The laws that say something of products of functions of one tensor, this among them."""
    return tuple(
        f"{r.ruleset}.{r.name}"
        for s in (functions, identities)
        for r in s.rules
        if not r.statement.conditions
        and {p.name for p in parameters_of(r.statement.left)} == {"a"}
        and function in _functions(r.statement.left)
    )


def _functions(pattern: object) -> Iterator[str]:
    if isinstance(pattern, Node):
        if pattern.constructor == "function" and isinstance(pattern.args[-1], Parameter):
            yield str(pattern.args[0])
        for a in pattern.args:
            yield from _functions(a)


def _block(value: Any) -> str:
    """JSON with a line for each part of it."""
    match value:
        case [_, *_]:
            return "[\n" + ",\n".join(f"  {json.dumps(v)}" for v in value) + "]"
        case {"kind": _}:
            return json.dumps(value)
        case dict() if value:
            rows = (f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            return "{\n" + ",\n".join(rows) + "}"
        case _:
            return json.dumps(value)


def _parts(p: Any) -> Iterator[list[Any]]:
    """The patterns that a described law is made of."""
    for part in p.values() if isinstance(p, dict) else p if isinstance(p, list) else ():
        if isinstance(part, list) and part and isinstance(part[0], str):
            yield part
        yield from _parts(part)


def equality(
    rulesets: Sequence[Ruleset],
    left: Term,
    right: Term,
    find_steps: FindSteps,
    assumed: Iterable[Assumption] = (),
) -> str:
    """The certificate that two terms are equal where they are defined and what is assumed holds."""
    writer = Writer(rulesets, [*assumed, *_of_domains(left, right)])
    writer.chain(left, right, lambda: find_steps(left, right))
    return writer.text("equal", left=left, right=right)


def derivative(
    rulesets: Sequence[Ruleset],
    f: Term,
    x: Term,
    g: Term,
    find_steps: FindSteps,
) -> str:
    """The certificate that a term is the derivative of another by a variable."""
    dx = variable(f"d{x.name}", x.dims)
    df = Writer(rulesets, ()).differential(f, {x: dx})
    # Where f is defined its differential may not be: that of a root is not where it is of 0.
    writer = Writer(rulesets, _of_domains(f, g, df))
    _ = writer.differential(f, {x: dx})
    axes = tuple(range(g.order))
    along = einsum((axes, axes[f.order :], axes[: f.order]), g, dx)
    writer.chain(df, along, lambda: find_steps(df, along))
    return writer.text("derivative", of=f, by=x, along=dx, **{"is": g})


def property_of(
    rulesets: Sequence[Ruleset],
    term: Term,
    shown: Assumption,
    find_steps: FindSteps,
    assumed: Iterable[Assumption],
) -> str:
    """The certificate that a term has a property that is shown of a form of it."""
    p, form = shown
    writer = Writer(rulesets, [*assumed, *_of_domains(term)])
    writer.chain(term, form, lambda: find_steps(term, form))
    writer.know(p, form)
    return writer.text("has", term=term, form=form, property=p)


def curvature_of(
    rulesets: Sequence[Ruleset],
    f: Term,
    along: Mapping[Term, Term],
    shown: Assumption,
    find_steps: FindSteps,
) -> str:
    """The certificate that the second derivative along lines has a sign that a form of it has."""
    p, form = shown
    needs = needed(domains.facts, (f,))
    writer = Writer(rulesets, [*in_variables(f, [*along]), *_of_domains(f)])
    for q, t in needs:
        writer.know_one_of(CONVEX_WHERE.get(q, ()), t)
    second = writer.differential(writer.differential(f, along), along)
    writer.chain(second, form, lambda: find_steps(second, form))
    writer.know(p, form)
    directions = [[writer.number(x), writer.number(dx)] for x, dx in along.items()]
    return writer.text("curved", of=f, form=form, property=p, along=directions)


def _of_domains(*terms: Term) -> list[Assumption]:
    """What holds wherever some terms are defined."""
    return [*needed(domains.facts, terms), *nonzero_sums([*terms])]
