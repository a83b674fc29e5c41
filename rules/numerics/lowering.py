"""Forms that take less time as code, if not less space on paper."""

from collections.abc import Iterator
from fractions import Fraction

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.networks.few_entries import entries_apart, selections_joined
from eggrad.engine.networks.networks import scaled
from eggrad.engine.networks.shared_work import expanded, symmetric_products_of
from eggrad.engine.networks.sums_and_products import conditions_split, every_network, every_sum
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import *

# Of larger terms no products are taken apart.
MAX_CLASSES = 300

lowering = Ruleset(
    "lowering",
    "forms that take less time as code, if not less space on paper",
    "none: ended by the budget of its stage",
)


lowering.state(
    RING,
    product_over_sum=(ein(s, a + b, d) >> ein(s, a, d) + ein(s, b, d))
    .when(shrinks(s))
    .noted("(a + b)·d = a·d + b·d, where the products are smaller than the sum of matrices."),
    product_over_join=(
        ein(s, ein(t, indicator(n, P), a) + b, d)
        >> ein(s, ein(t, indicator(n, P), a), d) + ein(s, b, d)
    )
    .when(lengthens(t))
    .noted("(join of a and b)·d = join of a·d and b·d: blocks are multiplied before they meet."),
)


@lowering.bulk_rule(cite=RING)
def opposite_sums(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """b - a = -(a - b), where both are there: sums of the opposite multiples of the same terms."""
    known: dict[object, int] = {}
    for cls, form in every_sum(graph):
        known.setdefault((frozenset(form.items()), graph.dims[cls]), cls)
        turned = frozenset((t, -c) for t, c in form.items())
        first = known.get((turned, graph.dims[cls]), cls)
        if first != cls:
            yield cls, scaled(Fraction(-1), graph.term(first))


@lowering.bulk_rule(cite="BLAS: a symmetric product takes half the operations")
def symmetric_products(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σ w·A·A, on one summed index, is symmetric in the others: half of it is computed."""
    classes = dict.fromkeys([*graph.root_classes, *graph.users])
    if len(classes) > MAX_CLASSES:
        return
    for cls in classes:
        if len(graph.dims[cls]) >= 2 and graph.choice[cls].constructor == "ein":
            networks = expanded(graph, cls)
            for product in symmetric_products_of(graph, networks) if networks else ():
                yield cls, product


lowering.state(
    "definition of the choice; 0^p = 0 for p > 0",
    choice_of_power=(where(e, a**p, const(0, n)) >> where(e, a, const(0, n)) ** p)
    .when(p > 0)
    .noted("A choice between a^p and 0 is a power of one between a and 0, which others may need."),
)

lowering.state(
    "Iverson's brackets; associativity of the product",
    conditions_apart=Bulk(conditions_split, every_network).noted(
        "[P and Q]·a·b = ([P]·a)·([Q]·b), for conditions on different indices: running sums of "
        "both factors, not of the product; blocks that are placed after they are multiplied."
    ),
    selections_together=Bulk(selections_joined, every_network).noted(
        "[i = aₖ]·[j = bₖ] = [(i, j) = (aₖ, bₖ)]: entries of a matrix are read at pairs of places."
    ),
)

entries = Ruleset("entries", "bands and other places as sums", "none: once, of what is extracted")
entries.state(
    RING,
    entries_apart=Bulk(entries_apart).noted(
        "(a + b)·(c + d) = a·c + a·d + b·c + b·d, for tensors that are 0 but for few entries."
    ),
)
