"""Loops: terms of the states of a recurrence, made of one step and what it begins with and reads.

The step of a loop is no operand of its term but data, so that it is differentiated, simplified and
compiled once, by itself, however many steps there are. It is a function of its variables and sizes,
which have no names outside: `opened`, it has the sizes of the loop, and `at_operands` puts the
loop's operands in the places of its variables.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count, islice
from typing import Final, NamedTuple

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import (
    MOST_OPERANDS,
    Loop,
    LoopStep,
    Part,
    Term,
    postorder,
    rebuild,
    step_with,
    substitute_sizes,
    variables,
)
from eggrad.engine.terms.term_patterns import substituted

BEFORE: Final[Part] = "before"
AFTER: Final[Part] = "after"
LAST: Final[Part] = "last"

# The size symbol of the number of steps, in closed steps.
STEPS: Final = "steps"


class OpenStep(NamedTuple):
    """A step in the sizes of its loop; `steps` is a symbol that nothing else has."""

    steps: Size
    carries: tuple[Term, ...]
    slices: tuple[Term, ...]
    constants: tuple[Term, ...]
    results: tuple[Term, ...]


class Recurrence(NamedTuple):
    """A loop with its operands: what it starts with, what each step reads, what all read.

    `sizes` are what those of the step stand for. `length` is the number of steps; the slices have a
    first axis as long as that.
    """

    step: LoopStep
    sizes: Dims
    starts: tuple[Term, ...]
    slices: tuple[Term, ...]
    constants: tuple[Term, ...]
    length: Size
    backwards: bool

    def states(self, carry: int, part: Part) -> Term:
        """The states of a carry, before or after each step, or the last ones."""
        loop = Loop(self.step, self.sizes, carry, part, self.backwards, self.length)
        return terms.numeric("scan", *self.starts, *self.slices, *self.constants, data=loop)

    def before(self) -> list[Term]:
        """The states of all carries before each step."""
        return [self.states(k, BEFORE) for k in range(len(self.starts))]

    def opened(self, *others: Term) -> OpenStep:
        """The step in the loop's sizes; other terms do not have the symbol of its steps either."""
        step = self.step
        kinds = step.carries, step.slices, step.constants, step.results
        steps = step.steps
        if isinstance(steps, str):
            operands = self.starts, self.slices, self.constants
            steps = unused_size([*others, *(t for ts in operands for t in ts)], self.sizes)
        inside: dict[Size, Size] = dict(zip(step.sizes, self.sizes, strict=True))
        inside |= {step.steps: steps} if isinstance(step.steps, str) else {}
        found = iter(substitute_sizes([t for ts in kinds for t in ts], inside))
        return OpenStep(steps, *(tuple(islice(found, len(ts))) for ts in kinds))

    def dependent(self, step: LoopStep | OpenStep, operands: Collection[Term]) -> set[Term]:
        """The variables of the step that depend on some operands, in any step."""
        variables = *step.carries, *step.slices, *step.constants
        every = *self.starts, *self.slices, *self.constants
        found = {v for v, a in zip(variables, every, strict=True) if a in operands}
        # Each round finds a further carry, or is the last.
        while True:
            nodes = {*found}
            nodes.update(t for t in postorder(*step.results) if not nodes.isdisjoint(t.args))
            further = {c for c, r in zip(step.carries, step.results, strict=True) if r in nodes}
            if further <= found:
                return found
            found |= further

    def at_operands(
        self, step: OpenStep, roots: Iterable[Term], further: Mapping[Term, Term]
    ) -> list[Term]:
        """Terms in the variables of the opened step, of all steps at once, with what stands there.

        The carries are the states before each step; `further` says what stands for other variables.
        """
        operands = zip(
            (*step.carries, *step.slices, *step.constants),
            (*self.before(), *self.slices, *self.constants),
            strict=True,
        )
        return at_places(roots, {**dict(operands), **further}, step.steps, self.length)

    def with_step(self, step: OpenStep, results: Sequence[Term]) -> "Recurrence":
        """The loop with other results of an opened step, in the same variables."""
        kinds = step.carries, step.slices, step.constants
        operands = self.starts, self.slices, self.constants
        places = (dict(zip(vs, ts, strict=True)) for vs, ts in zip(kinds, operands, strict=True))
        arguments = results, step.steps, *places
        return recurrence(*arguments, length=self.length, backwards=self.backwards)


def recurrence_of(term: Term) -> Recurrence:
    """The loop that a term is a result of."""
    loop, args = term.loop, term.args
    first = len(loop.step.carries)
    second = first + len(loop.step.slices)
    operands = args[:first], args[first:second], args[second:]
    return Recurrence(loop.step, loop.sizes, *operands, loop.length, loop.backwards)


def recurrence(
    results: Sequence[Term],
    steps: Size,
    carries: Mapping[Term, Term],
    slices: Mapping[Term, Term],
    constants: Mapping[Term, Term],
    *,
    length: Size,
    backwards: bool = False,
) -> Recurrence:
    """A loop, from the results of a step in variables of any names, and what those stand for.

    Variables that no result has are left out. But for the constants they have a first axis of size
    `steps`: a symbol that nothing else has, or 1 where the step is that of one at a time.

    >>> from eggrad.engine.terms.term import add, variable
    >>> h, x = variable("h", ("k",)), variable("x", ("k",))
    >>> start, xs = variable("start"), variable("xs", (9,))
    >>> recurrence([add(h, x)], "k", {h: start}, {x: xs}, {}, length=9).states(0, "after").dims
    (9,)
    """
    used = dict.fromkeys(variables(*results))
    for v in used.keys() - carries.keys() - slices.keys() - constants.keys():
        raise UnsupportedOperation(f"a step has the variable {v.name}, which it is not given")
    read, fixed = ({v: t for v, t in given.items() if v in used} for given in (slices, constants))
    step = OpenStep(steps, tuple(carries), tuple(read), tuple(fixed), tuple(results))
    starts, rest = tuple(carries.values()), (tuple(read.values()), tuple(fixed.values()))
    _check(step, (starts, *rest), length)
    return Recurrence(*_closed(step), starts, *rest, length, backwards)


def _closed(step: OpenStep) -> tuple[LoopStep, Dims]:
    """The step by names that depend on nothing but its form, and what its sizes stand for."""
    kinds = step.carries, step.slices, step.constants
    old = [v for vs in kinds for v in vs]
    seen = dict.fromkeys(s for v in old for d in v.dims for s in size_symbols(d))
    sizes = [s for s in dict.fromkeys([*seen, *symbols(*step.results)]) if s != step.steps]
    names = {s: f"size{k}" for k, s in enumerate(sizes, 1)}
    # The new names of symbols may be among the old ones, and those of variables: all at once.
    steps = STEPS if isinstance(step.steps, str) else step.steps
    renamed: dict[Size, Size] = {**names, **({step.steps: steps} if steps == STEPS else {})}
    resized = substitute_sizes([*old, *step.results], renamed)
    called = [
        f"{kind}{k}"
        for kind, vs in zip(("carry", "slice", "constant"), kinds, strict=True)
        for k in range(1, len(vs) + 1)
    ]
    # What is declared of a variable need not hold of what will stand there.
    new = [terms.variable(n, v.dims) for n, v in zip(called, resized, strict=False)]
    places = dict(zip(resized, new, strict=False))
    results = tuple(substituted(r, places) for r in resized[len(old) :])
    left = iter(new)
    split = [tuple(islice(left, len(vs))) for vs in kinds]
    return step_with(steps, tuple(names.values()), *split, results), tuple(sizes)


def unused_size(roots: Iterable[Term], dims: Iterable[Size] = ()) -> str:
    """A size symbol that neither some terms nor some sizes have."""
    taken = {*symbols(*roots), *(s for d in dims for s in size_symbols(d))}
    return next(name for k in count() if (name := f"{STEPS}{k or ''}") not in taken)


def at_places(
    roots: Iterable[Term], places: Mapping[Term, Term], steps: Size, length: Size
) -> list[Term]:
    """Terms of all steps at once, with what stands in the places of some of their nodes.

    A node and what stands there have the same axes, but for the number of steps.
    """
    resized = substitute_sizes([*roots, *places], {steps: length})
    number = len(resized) - len(places)
    put = dict(zip(resized[number:], places.values(), strict=True))
    return [substituted(r, put) for r in resized[:number]]


def _check(step: OpenStep, operands: Sequence[tuple[Term, ...]], length: Size) -> None:
    """Raise where operands do not fit, or are too many."""
    every = sum(map(len, operands))
    if every > MOST_OPERANDS:
        raise UnsupportedOperation(
            f"a loop has at most {MOST_OPERANDS} arrays that it starts with and reads, not {every};"
            " put several into one"
        )
    expected = [
        *(c.dims[1:] for c in step.carries),
        *((length, *s.dims[1:]) for s in step.slices),
        *(c.dims for c in step.constants),
    ]
    for dims, t in zip(expected, (t for ts in operands for t in ts), strict=True):
        if t.dims != dims:
            raise ShapeError(f"a loop needs axes {dims} where it has {t.dims}")
    for c, r in zip(step.carries, step.results, strict=True):
        if c.dims != r.dims:
            raise ShapeError(f"a step leads from axes {c.dims[1:]} to others, {r.dims[1:]}")


def with_steps(roots: Sequence[Term], change: Callable[[Recurrence], Recurrence]) -> list[Term]:
    """Terms with the loops in them changed; each is asked for once."""
    known: dict[Recurrence, Recurrence] = {}
    done: dict[Term, Term] = {}
    for t in postorder(*roots):
        done[t] = rebuild(t, tuple(done[a] for a in t.args)) if t.args else t
        if t.op == "scan":
            loop = recurrence_of(done[t])
            if loop not in known:
                known[loop] = change(loop)
            done[t] = known[loop].states(t.loop.carry, t.loop.part)
    return [done[r] for r in roots]


def with_results(
    loop: Recurrence, change: Callable[[tuple[Term, ...]], Sequence[Term]]
) -> Recurrence:
    """The same loop, with equal results of its step."""
    step = loop.opened()
    return loop.with_step(step, change(step.results))


def one_by_one(loop: Recurrence) -> Recurrence:
    """The same loop, whose step says what one step does: axes of size 1 for those of all steps."""
    step = loop.opened()
    one: dict[Size, Size] = {step.steps: 1}
    carries, slices, constants, results = (substitute_sizes(ts, one) for ts in step[1:])
    return loop.with_step(OpenStep(1, carries, slices, constants, results), results)
