"""Whether a fact is true, and whether it is concluded: tests that every fact has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from eggrad.engine.egraph.compile_rules import KNOWN, Relevance
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.errors import ShapeError
from eggrad.engine.laws.language import Known, Node
from eggrad.engine.laws.matching import SYMBOLS, Closing, Reject, views
from eggrad.engine.laws.properties import (
    INVERTIBLE_ALMOST,
    NONZERO_ALMOST,
    POSITIVE_ALMOST,
    PROPERTIES,
    holds,
)
from eggrad.engine.laws.rule import Fact
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, variables
from eggrad.engine.workbench.drawing import Drawing
from eggrad.engine.workbench.instances import with_properties
from eggrad.engine.workbench.precision import steady_values
from eggrad.engine.workbench.trials import Trial, trial

DRAWS: Final = 10_000
# The range of some values: what is bounded on both sides needs narrow ones.
WIDTHS: Final = (1.0, 0.3, 3.0)
HUGE: Final = 1e10
# How often a fact is tried where its term could break.
TRIED: Final = 0.4
# What is so but for exceptions without interior.
ALMOST: Final = frozenset({NONZERO_ALMOST, POSITIVE_ALMOST, INVERTIBLE_ALMOST})


@dataclass(frozen=True)
class FactCheck:
    """At how many values a fact's conditions held, and the first at which the fact did not."""

    compared: int
    counterexample: Mapping[str, Array] | None = None


@dataclass(frozen=True)
class _Instance:
    """The term of which something is concluded, and what has to be known of others."""

    term: Term
    needed: tuple[tuple[str, Term], ...]


def check_fact(fact: Fact, instances: int = 100, seed: int = 0) -> FactCheck:
    """Evaluate random instances of a fact at values for which its conditions hold.

    What is so almost everywhere is not asked for at values that may be exceptions.
    """
    rng = np.random.default_rng(seed)
    claimed = str(fact.claim.property)
    almost = {claimed, *(p for c in fact.conditions for p in _property(c))} & ALMOST
    compared = 0
    for instance in _instances(fact, rng):
        given = _trial(instance, rng)
        if given.special and almost:
            continue
        every = [instance.term, *(t for _, t in instance.needed)]
        found = oracle.evaluate(every, given.values, SYMBOLS)
        verdict = _verdict(claimed, instance, dict(zip(every, found, strict=True)))
        if verdict is False and all(map(oracle.has_digits, every)):
            # Rounding is no refutation, nor is what floats have no room for.
            steady = steady_values(every, given.values)
            verdict = steady and _verdict(claimed, instance, steady)
        if verdict is None:
            continue
        compared += 1
        if not verdict:
            return FactCheck(compared, given.values)
        if compared == instances:
            break
    return FactCheck(compared)


def _property(condition: object) -> list[str]:
    return [str(condition.property)] if isinstance(condition, Known) else []


def _verdict(claimed: str, instance: _Instance, done: Mapping[Term, Array]) -> bool | None:
    """Whether values have what is claimed; None where they say nothing."""
    own = done[instance.term]
    finite = own[np.isfinite(own)]
    # A singular matrix that rounding makes invertible has an inverse of huge entries.
    if not finite.size or np.abs(finite).max() > HUGE:
        return None
    with np.errstate(all="ignore"):
        if not all(PROPERTIES[p].holds(done[t]) for p, t in instance.needed):
            return None
        return holds(claimed, own)


def is_concluded(fact: Fact, seed: int = 0) -> bool:
    """Whether an e-graph with that fact alone concludes it of three random instances."""
    rng = np.random.default_rng(seed)
    tried = 0
    for instance in _instances(fact, rng):
        tried += 1
        if not _is_concluded_of(fact, instance):
            return False
        if tried == 3:
            break
    return tried > 0


def _is_concluded_of(fact: Fact, instance: _Instance) -> bool:
    claimed = str(fact.claim.property)
    everywhere = replace(fact, decides=frozenset())
    egraph = EGraph(Relevance({"conclude": [everywhere]}, {KNOWN + claimed: frozenset()}))
    egraph.load(instance.term, *(t for _, t in instance.needed), as_written=False)
    egraph.assume(instance.needed)
    while egraph.iterate("conclude")[0].changed:
        pass
    found = egraph.rows()
    return (claimed, found.names[egraph.name(instance.term)]) in found.known


def _instances(fact: Fact, rng: np.random.Generator) -> Iterator[_Instance]:
    """Random terms of which a fact says something, if what it asks for is known."""
    for _ in range(DRAWS):
        drawing = Drawing(rng, conditions=fact.conditions)
        form = fact.claim.tensor
        try:
            drawing.draw(form, want=None if isinstance(form, Node) else _square_now_and_then(rng))
            closing = Closing(drawing.bound)
            plain = [c for c in fact.conditions if not isinstance(c, Known)]
            if all(closing.build(c) for c in plain):
                needed = tuple(
                    (closing.build(c.property), closing.build(c.tensor))
                    for c in fact.conditions
                    if isinstance(c, Known)
                )
                term = closing.build(form)
                # A size that is a number is, as a term, a constant.
                if not isinstance(form, Node) or form.constructor in dict(views(term)):
                    yield _Instance(term, needed)
        except (Reject, ShapeError):
            continue


def _square_now_and_then(rng: np.random.Generator) -> Any:
    return (2, 2) if rng.random() < 0.5 else None


def _trial(instance: _Instance, rng: np.random.Generator) -> Trial:
    """Values where the term could break; else normal numbers or positive ones of some widths."""
    known = variables(instance.term)
    if rng.random() < TRIED:
        found = trial(known, [instance.term], (), rng)
        return replace(found, values=with_properties(instance.needed, found.values, rng))
    values = oracle.random_values(known, SYMBOLS, rng, "normal")
    width = WIDTHS[rng.integers(len(WIDTHS))]
    positive = rng.random() < 0.5
    plain = {v.name: not v.assumed for v in known}
    moved = {
        name: (np.abs(v) if positive else v) * width if plain.get(name) else v
        for name, v in values.items()
    }
    return Trial(with_properties(instance.needed, moved, rng))
