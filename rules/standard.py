"""The standard strategy: which rulesets run in which stage, `engine/saturation/schedule.py`.

Those of `settle` run to the end after every iteration of any other, so that no rule sees what they
rewrite; `load` before terms are loaded, `present`, `reading` and `orders` on what is extracted.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from eggrad.engine.laws.rule import ADDED_STAGES, Ruleset
from eggrad.engine.saturation.schedule import Strategy
from eggrad.engine.saturation.system import System
from eggrad.rules.algebra.algebra import (
    distribution,
    exponents,
    powers,
    preprocessing,
    presentation,
    sums_of_two,
)
from eggrad.rules.algebra.constants import constants, multiples
from eggrad.rules.algebra.indicators import (
    delta_products,
    deltas,
    gathers,
    indicator_products,
    indicators,
)
from eggrad.rules.algebra.selections import selections
from eggrad.rules.algebra.sizes import sizes
from eggrad.rules.algebra.sums_and_products import (
    equal_sums,
    halves,
    long_powers,
    orders,
    products,
    quotients,
    sums,
)
from eggrad.rules.algebra.unary import short_axes, summation, unary
from eggrad.rules.calculus.extremes import extremes
from eggrad.rules.calculus.forward import forward
from eggrad.rules.calculus.loops import loops
from eggrad.rules.calculus.reverse import reverse
from eggrad.rules.calculus.slopes import slopes
from eggrad.rules.calculus.stable_forms import stable_forms
from eggrad.rules.calculus.stacks import single, stacks
from eggrad.rules.functions.branches import branches, masks
from eggrad.rules.functions.curvature import curvature, squares
from eggrad.rules.functions.decompositions import decompositions
from eggrad.rules.functions.definitions import definitions
from eggrad.rules.functions.elementwise import functions, identities, signs
from eggrad.rules.functions.linalg import linalg, symmetric
from eggrad.rules.functions.matrix_properties import matrix_properties
from eggrad.rules.functions.normal_forms import normal_forms
from eggrad.rules.functions.order import order
from eggrad.rules.functions.properties import properties
from eggrad.rules.functions.ranges import ranges
from eggrad.rules.functions.reading import names, reading
from eggrad.rules.functions.structured import structured
from eggrad.rules.functions.written_out import written_out
from eggrad.rules.numerics.cancellation import cancellation, series
from eggrad.rules.numerics.exponentials import exponentials
from eggrad.rules.numerics.lowering import entries, lowering
from eggrad.rules.numerics.stability import lengths, shifts, stability

RULESETS = (
    forward, reverse, slopes, stacks, stable_forms, loops, single, multiples, preprocessing,
    constants, sizes, deltas, delta_products, indicators, indicator_products, gathers, selections,
    short_axes, unary, sums_of_two, sums, equal_sums, exponents, powers, functions, branches, masks,
    extremes, linalg, signs, products, halves, distribution, identities, summation, presentation,
    quotients, orders, lowering, entries, stability, symmetric, names, exponentials, lengths,
    reading, definitions, decompositions, order, normal_forms, properties, ranges,
    matrix_properties, structured, long_powers, shifts, curvature, squares, written_out, series,
    cancellation,
)  # fmt: skip

STANDARD = Strategy(
    differentiate=(forward, reverse, slopes, stacks, stable_forms, loops),
    simplify=(
        preprocessing, constants, sizes, deltas, indicators, selections, unary, sums_of_two, sums,
        equal_sums, powers, functions, branches, extremes, single, linalg, signs, ranges, products,
        halves, properties,
    ),
    explore=(distribution, identities, summation, gathers),
    present=(presentation, quotients),
    settle=(multiples, exponents, short_axes, delta_products, indicator_products),
    cancel=(sums.only(["sums.like_terms"]),),
    lowering=(halves, lowering),
    entries=(entries,),
    stable=(
        constants, unary, sums_of_two, names, stability, masks, symmetric, exponentials, lengths,
        equal_sums, cancellation, series,
    ),
    reading=(
        constants, unary, sums_of_two, names, reading, exponentials, sums, equal_sums,
        products, distribution, deltas,
        linalg.only([f"linalg.diagonal_of_{p}" for p in ("inverse_times_matrix",
                                                         "matrix_times_inverse")]),
        definitions.only(["definitions.total_variable"]), properties,
    ),
    orders=(orders,),
    load=(long_powers,),
)  # fmt: skip

AT_SYMMETRIC = replace(
    STANDARD, simplify=(*STANDARD.simplify, symmetric, matrix_properties, structured)
)
"""The same for terms that nobody differentiates any more: what is declared of a matrix is used."""

EQUIVALENCE = replace(
    STANDARD,
    simplify=(*STANDARD.simplify, symmetric),
    explore=(*STANDARD.explore, definitions, decompositions, order, normal_forms),
)
"""For comparing terms, which nobody differentiates any more and nobody reads."""

EQUIVALENCE_OF_DECLARED = replace(AT_SYMMETRIC, explore=EQUIVALENCE.explore)
"""The same where something is declared of a variable that holds in a space without interior."""

CURVATURE = replace(
    EQUIVALENCE_OF_DECLARED,
    simplify=(*EQUIVALENCE_OF_DECLARED.simplify, curvature),
    explore=(*EQUIVALENCE_OF_DECLARED.explore, squares),
)
"""For terms of which it is asked whether they are convex."""


EXACT = replace(STANDARD, stable=tuple(r for r in STANDARD.stable if r is not series))
"""For programs whose numbers are exact: what a series leaves out counts there."""

BY_EXPONENTIALS = Strategy(differentiate=(), simplify=(shifts,), explore=())
"""For terms that are simplified, in languages without functions of sums of exponentials."""


def extended(strategy: Strategy, rulesets: Sequence[Ruleset]) -> Strategy:
    """A strategy with further rulesets, each in the stage that it names."""
    if not rulesets:
        return strategy
    added = {
        stage: (*strategy.of(stage), *(r for r in rulesets if r.stage == stage))
        for stage in ADDED_STAGES
    }
    return replace(strategy, **added)


def system(strategy: Strategy = STANDARD) -> System:
    """The system of a strategy, made once."""
    return _system(strategy)


@lru_cache(maxsize=8)
def _system(strategy: Strategy) -> System:
    return System(strategy)
