"""Rules that others need when they are run alone, to be checked."""

from collections.abc import Mapping
from typing import Final

from eggrad.rules.algebra.algebra import preprocessing
from eggrad.rules.algebra.constants import constants, multiples
from eggrad.rules.algebra.sizes import sizes
from eggrad.rules.algebra.unary import unary
from eggrad.rules.calculus.forward import forward
from eggrad.rules.calculus.reverse import reverse
from eggrad.rules.calculus.slopes import slopes
from eggrad.rules.calculus.stacks import stacks
from eggrad.rules.functions.linalg import linalg
from eggrad.rules.functions.reading import names
from eggrad.rules.notation import *
from eggrad.rules.numerics.stability import stability

writing = Ruleset("writing", "what makes e-nodes that no term has", "numbers that are factors")


writing.state(
    "as a term, a multiple is a product with a number",
    multiple=(ein(s, const(c, ()), a) >> c * a)
    .when(is_scaled(s))
    .noted("c·a, a product with a number, is a multiple."),
)


_SUM, _SIZE = (constants[name] for name in ("sum_of_constant", "size_is_number"))

# Laws on what no caller can write: other rules make it first. Derivatives are made of slopes, those
# of functions of each matrix of what reverse mode passes on.
_MAKERS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "size_is_number": (_SUM,),
    **{rule.name: (_SUM, _SIZE) for rule in sizes.rules},
    "sum_of_constant": (_SIZE,),
    "determinant_of_scaled": (_SIZE,),
    "determinant_of_multiple": (_SIZE,),
    "determinant_with_scaled_identity": (_SIZE,),
} | {rule.name: (*slopes.rules, *stacks.rules) for rule in (*forward.rules, *reverse.rules)}

# What random terms are rewritten by, three times, before laws on whole sums and products look.
BEFORE_BULK_RULES: Final = (
    preprocessing, multiples, constants, unary, names, stability,
    linalg.only({"linalg.inverse_of_product"}),
)  # fmt: skip


def prerequisites_of(rule: Rule) -> tuple[Rule, ...]:
    """The rules that make the e-nodes on which a rule works."""
    return (*_MAKERS.get(rule.name, ()), writing["multiple"])
