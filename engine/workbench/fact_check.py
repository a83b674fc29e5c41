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
from eggrad.engine.laws.properties import PROPERTIES, holds
from eggrad.engine.laws.rule import Fact
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, variables
from eggrad.engine.workbench.drawing import Drawing
from eggrad.engine.workbench.instances import with_properties

DRAWS: Final = 10_000
# The range of some values: what is bounded on both sides needs narrow ones.
WIDTHS: Final = (1.0, 0.3, 3.0)
HUGE: Final = 1e10


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

    The values are normal numbers or positive ones: exceptions without interior are not met.
    """
    rng = np.random.default_rng(seed)
    claimed = str(fact.claim.property)
    compared = 0
    for instance in _instances(fact, rng):
        values = _values(instance, rng)
        every = [instance.term, *(t for _, t in instance.needed)]
        own, *others = oracle.evaluate(every, values, SYMBOLS)
        needed = zip(instance.needed, others, strict=True)
        known = all(PROPERTIES[p].holds(v) for (p, _), v in needed)
        finite = own[np.isfinite(own)]
        # A singular matrix that rounding makes invertible has an inverse of huge entries.
        if not finite.size or np.abs(finite).max() > HUGE or not known:
            continue
        compared += 1
        if not holds(claimed, own):
            return FactCheck(compared, values)
        if compared == instances:
            break
    return FactCheck(compared)


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


def _values(instance: _Instance, rng: np.random.Generator) -> Mapping[str, Array]:
    known = variables(instance.term)
    values = oracle.random_values(known, SYMBOLS, rng, "normal")
    width = WIDTHS[rng.integers(len(WIDTHS))]
    positive = rng.random() < 0.5
    plain = {v.name: not v.assumed for v in known}
    found = {
        name: (np.abs(v) if positive else v) * width if plain.get(name) else v
        for name, v in values.items()
    }
    return with_properties(instance.needed, found, rng)
