"""Quotients of lowered terms: for products that simplification no longer looks at."""

from collections.abc import Iterator

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import hadamard
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

quotients = Ruleset(
    "quotients",
    "quotients, where a product of multiples hides them from `presentation`",
    "none: each class gets those of its members once",
)


@quotients.bulk_rule(cite="definition of powers", domain="b ≠ 0", sizeless=True)
def product_as_quotient(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b⁻ᵖ = a / bᵖ, entry by entry, where no other quotient is known."""
    for cls in graph.classes:
        members = graph.members[cls]
        if all(m.constructor != "divide" for m in members):
            yield from ((cls, t) for m in members for t in quotients_of(graph, m))


def quotients_of(graph: Snapshot, product: ENode) -> Iterator[Term]:
    """The element-wise products with a negative power as quotients."""
    if product.constructor == "ein":
        a, b = product.children
        if product.data[0] == hadamard(len(graph.dims[a])):
            for above, below in ((a, b), (b, a)):
                for base, p in graph.exponents(below).items():
                    if p < 0:
                        divisor = graph.term(base)
                        if p != -1:
                            divisor = terms.power(divisor, terms.constant(-p))
                        yield terms.divide(graph.term(above), divisor)
