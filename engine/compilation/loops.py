"""Loops on their way to code: what no state changes leaves them, and each step is lowered."""

from collections.abc import Mapping
from math import prod

from eggrad.engine.costs.cost import DEFAULT_SIZE
from eggrad.engine.indices.affine import Lengths
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.loops import Recurrence, recurrence
from eggrad.engine.terms.term import Term, postorder
from eggrad.engine.terms.term_patterns import substituted


def hoisted(loop: Recurrence, sizes: Mapping[str, int]) -> Recurrence:
    """The same loop, where what depends on no state is computed before it, for all steps at once.

    What then has an entry for each step is no larger than a state or slice, at sizes to expect.
    """
    step = loop.opened()
    model = Lengths({**sizes, step.steps: 1}, DEFAULT_SIZE)

    def entries(t: Term) -> int:
        return prod(map(model.__getitem__, t.dims))

    moving, reading = {*step.carries}, {*step.slices}
    for t in postorder(*step.results):
        for group in (moving, reading):
            if not group.isdisjoint(t.args):
                group.add(t)
    largest = max(map(entries, (*step.carries, *step.slices)))
    slices, constants = dict[Term, Term](), dict[Term, Term]()
    # Those next to what depends on states; of what is too large its operands may still be moved.
    waiting, seen = [*step.results], set[Term]()
    while waiting:
        t = waiting.pop()
        if t in seen or not t.args:
            continue
        seen.add(t)
        new = terms.variable(f"hoisted {len(slices) + len(constants)}", t.dims)
        if t in moving:
            waiting += t.args
        elif t in reading and t.dims[:1] == (step.steps,) and entries(t) <= largest:
            slices[t] = new
        elif t not in reading and step.steps not in t.dims:
            constants[t] = new
        else:
            waiting += t.args
    places = {**slices, **constants}
    operands = (*step.carries, *step.slices, *step.constants)
    if not places or len(operands) + len(places) > terms.MOST_OPERANDS:
        return loop
    found = dict(zip(places, loop.at_operands(step, places, {}), strict=True))
    return recurrence(
        [substituted(r, places) for r in step.results],
        step.steps,
        dict(zip(step.carries, loop.starts, strict=True)),
        {
            **dict(zip(step.slices, loop.slices, strict=True)),
            **{new: found[t] for t, new in slices.items()},
        },
        {
            **dict(zip(step.constants, loop.constants, strict=True)),
            **{new: found[t] for t, new in constants.items()},
        },
        length=loop.length,
        backwards=loop.backwards,
    )
