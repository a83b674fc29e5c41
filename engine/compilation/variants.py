"""Which form of an expression is the fastest depends on its sizes: a few forms, and the choice.

`A B C` is quickest from the left or from the right, by the shapes of the matrices. So the
cheapest terms are extracted at several assignments of sizes, at most three distinct ones are
kept, and a call chooses among them by predicted time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product
from math import prod
from typing import Final

from eggrad.engine.compilation.compiled import Form
from eggrad.engine.compilation.loops import hoisted
from eggrad.engine.costs.cost import DEFAULT_SIZE
from eggrad.engine.costs.size_relations import compare
from eggrad.engine.costs.time_model import Rates, TimeModel, Work, dag_work
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Size
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.loops import Recurrence, one_by_one, with_results, with_steps
from eggrad.engine.terms.term import Term

Sizes = Mapping[str, int]

LIMIT: Final = 3
SMALL_AND_LARGE: Final = (10, 1000)
MAX_ASSIGNMENTS: Final = 12
# A further form must save this share of the time at some assignment; times are no more exact.
WORTH: Final = 0.15
# The multiplications of one unit of the kernels that matter at large sizes.
_MULTIPLICATIONS: Final = {
    "matmul": Fraction(1),
    "batched_matmul": Fraction(1),
    "syrk": Fraction(1, 2),
}


@dataclass(frozen=True)
class SizeVariant(Form):
    """A form whose time can be predicted at any sizes."""

    @cached_property
    def work(self) -> tuple[tuple[int, Work], ...]:
        """The work of all nodes, equal work together with how often it occurs."""
        return tuple((n, work) for work, n in dag_work(self.terms).items())


def assignments(names: Sequence[str], fixed: Sizes | None = None) -> list[dict[str, int]]:
    """The sizes at which forms are looked for: first 100 for every symbol, then small and large.

    Up to three symbols are combined in all ways, of more one at a time is small or large. `fixed`
    gives the sizes that are known.

    >>> assignments(["n"])
    [{'n': 100}, {'n': 10}, {'n': 1000}]
    >>> assignments(["m", "n"], {"m": 5})
    [{'n': 100, 'm': 5}, {'n': 10, 'm': 5}, {'n': 1000, 'm': 5}]
    """
    known = dict(fixed or {})
    free = [s for s in names if s not in known]
    middle = dict.fromkeys(free, DEFAULT_SIZE)
    if len(free) <= 3:
        others = [
            dict(zip(free, lengths, strict=True))
            for lengths in product(SMALL_AND_LARGE, repeat=len(free))
            if free
        ]
    else:
        others = [middle | {s: n} for s in free for n in SMALL_AND_LARGE]
    return [sizes | known for sizes in islice([middle, *others], MAX_ASSIGNMENTS)]


def find_variants(
    system: System,
    roots: Sequence[Term],
    rates: Rates,
    sizes: Sizes | None = None,
    budget: Budget | None = None,
) -> tuple[SizeVariant, ...]:
    """Lower the roots for speed: the forms that are worth having, at most three.

    `sizes` gives the sizes that are known. The first form is the best where all others are 100.
    """
    tried = assignments(symbols(*roots), sizes)
    prepared = with_steps(roots, lambda loop: hoisted(loop, tried[0]))
    explored = system.explore(prepared, [_model(s, rates) for s in tried], budget, "compile")
    found = extract_variants(explored.graph, explored.classes, rates, tried)

    def lowered(results: Sequence[Term]) -> Sequence[Term]:
        return find_variants(system, results, rates, sizes)[0].terms

    def by_steps(loop: Recurrence) -> Recurrence:
        return with_results(one_by_one(loop), lowered)

    return tuple(SizeVariant(tuple(with_steps(f.terms, by_steps)), f.sizes) for f in found)


def extract_variants(
    graph: Snapshot,
    roots: Sequence[int],
    rates: Rates,
    tried: Sequence[Sizes],
    limit: int = LIMIT,
) -> tuple[SizeVariant, ...]:
    """The forms of some e-classes that are the fastest at some of the sizes `tried`.

    `tried[0]` are the sizes that matter most. At most `limit` forms are kept: those that lose
    least against the best form at each of the sizes.
    """
    found = dict.fromkeys(tuple(graph.at(_model(s, rates)).extract(roots)) for s in tried)
    forms = [SizeVariant(terms) for terms in found]
    times = [[predicted_time(form, sizes, rates) for sizes in tried] for form in forms]
    chosen = _best_subset(times, limit)
    won: dict[int, list[Sizes]] = {}
    for place, sizes in enumerate(tried):
        winner = min(chosen, key=lambda k: (times[k][place], k))
        won.setdefault(winner, []).append(sizes)
    return tuple(SizeVariant(forms[k].terms, tuple(sizes)) for k, sizes in won.items())


def _best_subset(times: Sequence[Sequence[int]], limit: int) -> tuple[int, ...]:
    """The few rows whose minimum is nearest to the minimum of all; fewer where that is as good.

    Nearest means: the mean over the columns of how many times longer it is.
    """
    # Of a form without any work the time is 0.
    best = [max(1, min(column)) for column in zip(*times, strict=True)]

    def loss(rows: Iterable[int]) -> float:
        ratios = [min(times[k][j] for k in rows) / best[j] for j in range(len(best))]
        return sum(ratios) / len(ratios)

    chosen: tuple[int, ...] = ()
    for count in range(1, min(limit, len(times)) + 1):
        found = min(combinations(range(len(times)), count), key=loss)
        worth = not chosen or any(
            min(times[k][j] for k in found) < (1 - WORTH) * min(times[k][j] for k in chosen)
            for j in range(len(best))
        )
        if not worth:
            break
        chosen = found
    return chosen


def _model(sizes: Sizes, rates: Rates) -> TimeModel:
    known: dict[Size, int] = {**sizes}
    return TimeModel(known, rates=rates)


def predicted_time(variant: SizeVariant, sizes: Sizes, rates: Rates) -> int:
    """The picoseconds that a form takes; a symbol without a size counts as 100.

    >>> from eggrad.engine.costs.time_model import Curve
    >>> from eggrad.engine.terms.term import apply, variable
    >>> rates = Rates({"exp": Curve(((1, 500), (101, 1500))), "fresh": Curve(((1, 0),))}, "2.0")
    >>> predicted_time(SizeVariant((apply("exp", variable("x", ("n",))),)), {"n": 51}, rates)
    1000
    """
    length = dict(sizes)

    def entries(dims: tuple[Size, ...]) -> int:
        return prod(d if isinstance(d, int) else max(1, length.get(d, DEFAULT_SIZE)) for d in dims)

    return sum(
        n * rates.time(work.rate, entries(work.units), entries(work.repeats))
        for n, work in variant.work
    )


def cheapest_variant(variants: Sequence[SizeVariant], sizes: Sizes, rates: Rates) -> int:
    """The index of the form that is predicted to be the fastest at some sizes.

    This is quick enough for the first call with a new shape: microseconds a node.
    """
    if len(variants) == 1:
        return 0
    return min(range(len(variants)), key=lambda k: (predicted_time(variants[k], sizes, rates), k))


def explain(variants: Sequence[SizeVariant], rates: Rates) -> str:
    """A line for every two forms that says at which sizes which of them is the faster.

    Forms are counted from 1. Where a simple relation between sizes decides, the line has it;
    else it has the size of each symbol at which the choice changes, the others being 100.

    >>> explain([SizeVariant(())], Rates({}, "2.0"))
    'one form at all sizes'
    """
    if len(variants) == 1:
        return "one form at all sizes"
    names = symbols(*(t for v in variants for t in v.terms))
    lines: list[str] = []
    for (i, a), (j, b) in combinations(enumerate(variants, 1), 2):
        text = compare(
            names,
            lambda sizes, a=a: predicted_time(a, sizes, rates),
            lambda sizes, b=b: predicted_time(b, sizes, rates),
            _difference(a, b),
        )
        lines.append(f"form {i} is faster than form {j} {text}")
    return "\n".join(lines)


def _difference(a: SizeVariant, b: SizeVariant) -> dict[tuple[str, ...], Fraction]:
    """By how many multiplications the matrix products of two forms differ."""
    found: dict[tuple[str, ...], Fraction] = {}
    for variant, sign in ((a, 1), (b, -1)):
        for count, work in variant.work:
            if work.rate in _MULTIPLICATIONS:
                sizes = (*work.units, *work.repeats)
                names = tuple(sorted(d for d in sizes if isinstance(d, str)))
                number = prod(d for d in sizes if isinstance(d, int))
                share = sign * count * number * _MULTIPLICATIONS[work.rate]
                found[names] = found.get(names, Fraction(0)) + share
    return found
