"""The standard strategy: which rulesets run in which stage."""

from dataclasses import replace
from functools import lru_cache

from eggrad.engine.stages import Strategy, System
from eggrad.rules.algebra import (
    distribution,
    exponents,
    powers,
    preprocessing,
    presentation,
    sums_of_two,
)
from eggrad.rules.constants import constants, multiples
from eggrad.rules.definitions import definitions
from eggrad.rules.deltas import delta_products, deltas
from eggrad.rules.elementwise import functions, identities
from eggrad.rules.exponentials import exponentials
from eggrad.rules.forward import forward
from eggrad.rules.lengths import lengths
from eggrad.rules.linalg import linalg
from eggrad.rules.lowering import lowering
from eggrad.rules.normal_forms import normal_forms
from eggrad.rules.products import orders, products
from eggrad.rules.quotients import quotients
from eggrad.rules.reverse import reverse
from eggrad.rules.signs import signs
from eggrad.rules.slopes import slopes
from eggrad.rules.stability import stability
from eggrad.rules.sums import sums
from eggrad.rules.symmetric import symmetric
from eggrad.rules.unary import summation, unary

__all__ = ["AT_SYMMETRIC", "EQUIVALENCE", "RULESETS", "STANDARD", "system"]

RULESETS = (
    forward,
    reverse,
    slopes,
    multiples,
    preprocessing,
    constants,
    deltas,
    delta_products,
    unary,
    sums_of_two,
    sums,
    exponents,
    powers,
    functions,
    linalg,
    signs,
    products,
    distribution,
    identities,
    summation,
    presentation,
    quotients,
    orders,
    lowering,
    stability,
    symmetric,
    exponentials,
    lengths,
    definitions,
    normal_forms,
)

STANDARD = Strategy(
    forward=(forward, slopes),
    reverse=(reverse, slopes),
    simplify=(
        preprocessing,
        constants,
        deltas,
        unary,
        sums_of_two,
        sums,
        powers,
        functions,
        linalg,
        signs,
        products,
    ),
    explore=(distribution, identities, summation),
    present=(presentation, quotients, orders),
    settle=(multiples, exponents, delta_products),
    lowering=(lowering,),
    stable=(constants, unary, sums_of_two, stability, symmetric, exponentials, lengths),
)


AT_SYMMETRIC = replace(STANDARD, simplify=(*STANDARD.simplify, symmetric))
"""The same for terms that nobody differentiates any more."""


EQUIVALENCE = replace(AT_SYMMETRIC, explore=(*STANDARD.explore, definitions, normal_forms))
"""For comparing terms, which nobody differentiates any more and nobody reads."""


@lru_cache(maxsize=8)
def system(strategy: Strategy = STANDARD) -> System:
    """The system of a strategy, made once."""
    return System(strategy)
