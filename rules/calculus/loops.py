"""Loops: the derivative of a loop is a loop of the derivative of its step.

What depends on the states alone stays in the loop; all else that a derivative needs is computed for
all steps at once, as products of whole sequences, and no state of the loop is computed again. Both
laws are closed: what they make of loops are loops, so there is every derivative.
"""

from collections.abc import Collection, Mapping, Sequence

from eggrad.engine.indices.spec import Dims, canonical
from eggrad.engine.laws.rule import Derivatives, Ruleset
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.loops import AFTER, BEFORE, LAST, OpenStep, Recurrence, recurrence
from eggrad.engine.terms.term import Part, Term
from eggrad.engine.terms.term_patterns import substituted

loops = Ruleset(
    "loops",
    "loops: tangents, and what is passed on to what a loop starts with and reads",
    "the number of loops whose derivative is wanted",
)


@loops.loop_rule(cite="the chain rule; Griewank, Walther 2008, Evaluating Derivatives, chapter 3")
def push_loop(
    rules: Derivatives, loop: Recurrence, tangents: Mapping[Term, Term], wrt: Dims
) -> Recurrence:
    """The tangents of states follow from those before by the tangent of the step."""
    step = loop.opened(*tangents.values())
    moving = loop.dependent(step, tangents)
    seeds: dict[Term, Term] = {}

    def tangent(kind: str, operands: Sequence[Term], variables: Sequence[Term]) -> dict[Term, Term]:
        found: dict[Term, Term] = {}
        for k, (a, v) in enumerate(zip(operands, variables, strict=True)):
            seed = terms.variable(f"{kind} tangent {k}", (*v.dims, *wrt))
            if v in moving:
                seeds[v] = seed
            if v in moving or kind == "carry":
                found[seed] = tangents.get(a) or terms.constant(0, (*a.dims, *wrt))
        return found

    carries = tangent("carry", loop.starts, step.carries)
    slices = tangent("slice", loop.slices, step.slices)
    constants = tangent("constant", loop.constants, step.constants)
    states = dict(zip(step.carries, loop.before(), strict=True))
    known, states_after = _known(loop, step)
    return recurrence(
        [substituted(t, known) for t in rules.pushed(step.results, seeds, wrt)],
        step.steps,
        carries,
        {**states, **states_after, **dict(zip(step.slices, loop.slices, strict=True)), **slices},
        {**dict(zip(step.constants, loop.constants, strict=True)), **constants},
        length=loop.length,
        backwards=loop.backwards,
    )


@loops.loop_rule(cite="the chain rule; Griewank, Walther 2008, Evaluating Derivatives, chapter 3")
def pull_loop(
    rules: Derivatives,
    loop: Recurrence,
    cotangents: Mapping[tuple[int, Part], Term],
    lead: Dims,
    wanted: Collection[Term],
) -> list[tuple[Term, Term]]:
    """What a state passes on follows from what those after pass on, by the step's pullback."""
    step = loop.opened(*cotangents.values())
    moving = loop.dependent(step, wanted)
    # The other carries pass nothing on, and need not have a derivative.
    carries = {k: c for k, c in enumerate(step.carries) if c in moving}
    shapes = {k: (*lead, *c.dims[1:]) for k, c in carries.items()}
    # Cotangents have the axes of `lead` first, what is read by steps has them after the steps.
    given = {
        key: _turned(g, len(lead), 1)
        for key, g in cotangents.items()
        if key[1] != LAST and key[0] in carries
    }
    adjoints = {k: terms.variable(f"adjoint {k}", (step.steps, *d)) for k, d in shapes.items()}
    reads = {
        key: terms.variable(f"{key[1]} {key[0]}", (step.steps, *shapes[key[0]])) for key in given
    }

    def after(k: int, adjoint: Term, others: Mapping[tuple[int, Part], Term]) -> Term:
        """What a result gets: what the states after it pass on, and what uses it outside."""
        whole = terms.add(adjoint, others[k, AFTER]) if (k, AFTER) in others else adjoint
        return _turned(whole, 1, len(lead))

    passed = [(step.results[k], after(k, a, reads)) for k, a in adjoints.items()]
    known, states_after = _known(loop, step)
    pulled = [
        _turned(substituted(p, known), len(lead), 1)
        for p in rules.pulled(passed, [*carries.values()])
    ]
    before = [
        terms.add(p, reads[k, BEFORE]) if (k, BEFORE) in reads else p
        for k, p in zip(carries, pulled, strict=True)
    ]
    starts = {k: cotangents.get((k, LAST)) or terms.constant(0, d) for k, d in shapes.items()}
    states = dict(zip(step.carries, loop.before(), strict=True))
    slices = dict(zip(step.slices, loop.slices, strict=True))
    constants = dict(zip(step.constants, loop.constants, strict=True))
    backwards = recurrence(
        before,
        step.steps,
        {adjoints[k]: start for k, start in starts.items()},
        {**states, **states_after, **slices, **{reads[key]: g for key, g in given.items()}},
        constants,
        length=loop.length,
        backwards=not loop.backwards,
    )
    uses = {
        k: terms.variable(f"use {k}", (*lead, step.steps, *c.dims[1:])) for k, c in carries.items()
    }
    outside = {
        use: after(k, backwards.states(place, BEFORE), given)
        for place, (k, use) in enumerate(uses.items())
    }
    read = {v: a for v, a in (slices | constants).items() if v in moving}
    outside |= {r: states_after[v] for r, v in known.items()}
    found = rules.pulled([(step.results[k], use) for k, use in uses.items()], [*read])
    return [
        *((loop.starts[k], backwards.states(place, LAST)) for place, k in enumerate(carries)),
        *zip(read.values(), loop.at_operands(step, found, outside), strict=True),
    ]


def _known(loop: Recurrence, step: OpenStep) -> tuple[dict[Term, Term], dict[Term, Term]]:
    """What the loop has computed of its steps: variables for the results, and what stands there."""
    known = {
        r: (terms.variable(f"result {k}", r.dims), loop.states(k, AFTER))
        for k, r in enumerate(step.results)
        if r.args
    }
    return {r: v for r, (v, _) in known.items()}, dict(known.values())


def _turned(a: Term, first: int, second: int) -> Term:
    """A tensor with the first few axes behind the next few."""
    if not first or not second:
        return a
    axes = tuple(range(a.order))
    both = first + second
    return terms.einsum(canonical([axes], (*axes[first:both], *axes[:first], *axes[both:])), a)
