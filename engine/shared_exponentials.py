"""Sums of exponentials and the share of each in its sum: softmax beside its normalization.

`log Σ exp(x)` and `exp(x - log Σ exp(x))` need the same exponentials, as do `log(1 + exp(x))` and
its slope. Code that needs both computes them in one call.
"""

from collections.abc import Sequence

from eggrad.engine import term as terms
from eggrad.engine.term import Term, postorder, rebuild

__all__ = ["CALLS", "SHARES", "with_shared_exponentials"]

CALLS = {"logsumexp": "log_sum_exp_and_softmax", "softplus": "softplus_and_sigmoid"}
SHARES = {"logsumexp": "softmax", "softplus": "sigmoid"}


def with_shared_exponentials(roots: Sequence[Term]) -> tuple[Term, ...]:
    """The same roots; such pairs are the two results, 0 and 1, of `shared_exponentials`.

    Where the logarithm is needed for its shares alone, they are its one result, None.

    >>> x = terms.variable("x", ("n",))
    >>> log = terms.numeric("softplus", x)
    >>> found = with_shared_exponentials([log, terms.numeric("exp_difference", x, log)])
    >>> [t.data for t in found]
    [('softplus', None, 0), ('softplus', None, 1)]
    >>> with_shared_exponentials([terms.numeric("exp_difference", x, log)])[0].data
    ('softplus', None, None)
    """
    nodes = list(postorder(*roots))
    totals = {node: _total(node) for node in nodes if node.op == "exp_difference"}
    shared = {total for total in totals.values() if total}
    if not shared:
        return tuple(roots)
    needed = set(roots)
    for node in reversed(nodes):
        if node in needed:
            total = totals.get(node)
            needed.update(total.args if total else node.args)
    done: dict[Term, Term] = {}
    for node in nodes:
        total = totals.get(node) or node
        if total in shared:
            place = int(total is not node) if total in needed else None
            data = (total.op, total.data, place)
            done[node] = terms.for_code(
                "shared_exponentials", data, (done[total.args[0]],), node.dims
            )
        else:
            done[node] = rebuild(node, tuple(done[a] for a in node.args))
    return tuple(done[r] for r in roots)


def _total(share: Term) -> Term | None:
    """The logarithm of the sum that an exponential is divided by, if it is one of its terms."""
    exponent, total = share.args
    if total.op == "einsum" and len(total.args) == 2:
        total = _along(total, exponent) or total
    return total if total.op in CALLS and total.args[0] is exponent else None


def _along(repeated: Term, exponent: Term) -> Term | None:
    """What is repeated along the axes over which it is a sum."""
    *parts, out = repeated.spec
    pairs = list(zip(repeated.args, parts, strict=True))
    for (total, own), (ones, _) in (pairs, pairs[::-1]):
        if total.op == "logsumexp" and ones.op == "constant" and ones.data == 1:
            source, kept = total.spec
            if [out.index(i) for i in own] == [source.index(i) for i in kept]:
                return total if repeated.dims == exponent.dims else None
    return None
