"""Rational functions of exponentials, and their logarithms, without overflow and cancellation."""

from functools import partial

from eggrad.engine.laws.rule import Bulk, Ruleset
from eggrad.engine.networks.exponential_logarithms import logarithms_of_mixed, over_mixed_first
from eggrad.engine.networks.exponential_polynomials import polynomials_first, written_polynomials
from eggrad.engine.networks.exponential_products import (
    bounded_terms_first,
    exponential_sums,
    exponentials_first,
    exponentials_out,
    over_their_sum_first,
    with_whole_exponentials,
    without_common_base,
)
from eggrad.engine.networks.exponential_writing import (
    logarithms_of_elements,
    written,
    written_in_tangents,
    written_products,
    written_sums,
    written_tangents,
)
from eggrad.engine.networks.homogeneous import divided_by_exponentials
from eggrad.engine.networks.sums_and_products import distributed_where, every_network, every_sum
from eggrad.rules.notation import BLANCHARD, HIGHAM, MAECHLER

FUNCTIONS = f"{HIGHAM}, section 1.14"


exponentials = Ruleset(
    "exponentials",
    "rational functions of exponentials, without overflow and cancellation",
    "none: a few further e-nodes of each e-class",
)

exponentials.state(
    FUNCTIONS,
    tangent_of_half=Bulk(partial(written, way=written_tangents)).noted(
        "(exp z - 1) / (exp z + 1) = tanh(z / 2), and powers of it.",
        cite="definition of the hyperbolic tangent",
        stable=True,
        sizeless=True,
    ),
    exponential_fraction=Bulk(partial(written, way=written_products)).noted(
        "A rational function of exp z is a product of powers of exp z, exp z - 1 and exp z + 1.",
        cite=f"{FUNCTIONS}; {BLANCHARD}",
        sizeless=True,
    ),
    exponential_polynomial=Bulk(partial(written, way=written_sums)).noted(
        "A polynomial in exp z over a power of 1 + exp z is a sum of terms that are at most 1.",
        stable=True,
        sizeless=True,
    ),
    tangent_polynomial=Bulk(partial(written, way=written_in_tangents)).noted(
        "Such a polynomial is one in tanh(z/2), times a power of cosh(z/2), if no end cancels.",
        stable=True,
        sizeless=True,
    ),
    logarithm_of_fraction=Bulk(logarithms_of_elements).noted(
        "The log of such a product is a sum of terms of one sign: log(1 + exp z) and the like.",
        cite=f"{BLANCHARD}; {MAECHLER}",
        stable=True,
        sizeless=True,
    ),
)

exponentials.state(
    "associativity and commutativity of the product",
    exponentials_together=Bulk(exponentials_first, every_network).noted(
        "The exponentials among the factors of a product are multiplied first."
    ),
    exponentials_over_sum=Bulk(over_their_sum_first, every_network).noted(
        "Exponentials among the factors of a product are divided by their own sum first."
    ),
)

exponentials.state(
    "ring axioms",
    exponential_into_sum=Bulk(
        distributed_where(without_common_base, with_whole_exponentials), every_network
    ).noted(
        "e·(a·f + b·g) = a·e·f + b·e·g, for exponentials e, f and g, where f and g are not alike."
    ),
    homogeneous_function=Bulk(divided_by_exponentials).noted(
        "f(e) / sᵈ = f(e / s), for an f of degree d in exponentials e, and an exponential s.",
        cite=f"{BLANCHARD}; ring axioms",
        sizeless=True,
    ),
    exponential_out_of_sum=Bulk(exponentials_out, every_sum).noted(
        "a·sᵖ + b·s^q = sᵖ·(a + b·s^(q-p)), for an exponential s that all terms have as a factor."
    ),
    exponential_summands=Bulk(exponential_sums, every_sum).noted(
        "a·f + a·g = a·(f + g), where f and g are rational functions of the same exponential."
    ),
    exponential_coefficients=Bulk(written_polynomials).noted(
        "Σ fₖ·mₖ, with rational functions fₖ of one exponential, is written with stable fₖ.",
        cite=f"{FUNCTIONS}; ring axioms",
        sizeless=True,
    ),
)

exponentials.state(
    "associativity and commutativity of the product",
    exponential_coefficients_together=Bulk(polynomials_first, every_network).noted(
        "The factors of a product that have exponentials and the same axes are multiplied first."
    ),
    logarithm_of_positive_sum=Bulk(logarithms_of_mixed).noted(
        "log(a + b) = logaddexp(log a, log b), for a and b made of exponentials; a/b likewise.",
        cite=BLANCHARD,
        stable=True,
        sizeless=True,
    ),
    quotients_of_positive_sums_together=Bulk(over_mixed_first, every_network).noted(
        "What is divided by a sum of exponentials is multiplied by its positive factors first."
    ),
    bounded_exponentials_added_first=Bulk(bounded_terms_first, every_sum).noted(
        "a + f + g = a + (f + g), for bounded rational functions f and g of the same exponential.",
        cite="ring axioms",
        stable=True,
    ),
)
