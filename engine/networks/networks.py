"""Whole products as contraction networks, with the orders to multiply in; sums as linear forms."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations, islice, permutations, product
from math import inf, prod
from typing import Any, Final, Literal, TypeVar, cast

import opt_einsum

from eggrad.engine.costs.cost import Model
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import (
    Indices,
    Size,
    Spec,
    canonical,
    identified,
    output_dims,
    scaling,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

MAX_FACTORS = 8
MAX_LABELLINGS = 120
MAX_ORDERS = 24
PRODUCTS = ("ein", "ein1", "scale")

Factor = tuple[int, Indices]
Placed = tuple[Term, Indices]
T = TypeVar("T")


@dataclass(frozen=True)
class Network:
    """`coefficient` times the sum, over the indices not in `out`, of the product of factors.

    `price` is what the nodes cost that it was read from, its factors not included.
    """

    factors: tuple[Factor, ...]
    out: Indices
    sizes: dict[int, Size] = field(compare=False)
    coefficient: Fraction = Fraction(1)
    price: int = field(default=0, compare=False)

    def with_factor(self, place: int, inner: "Network") -> "Network":
        """The network with the factor at a place replaced by a product that it is.

        >>> whole = Network(((7, (0,)),), (0,), {0: "n"})
        >>> whole.with_factor(0, Network(((8, (0,)), (9, (0,))), (0,), {0: "n"})).factors
        ((8, (0,)), (9, (0,)))
        """
        part = self.factors[place][1]
        fresh = max(self.sizes, default=-1) + 1
        names = {i: fresh + i for i in inner.sizes} | dict(zip(inner.out, part, strict=True))
        factors = tuple((c, tuple(names[i] for i in indices)) for c, indices in inner.factors)
        return Network(
            (*self.factors[:place], *factors, *self.factors[place + 1 :]),
            self.out,
            {names[i]: d for i, d in inner.sizes.items()} | self.sizes,
            self.coefficient * inner.coefficient,
            self.price + inner.price,
        )


def product_network(
    graph: Snapshot,
    cls: int,
    member: ENode,
    limit: int = MAX_FACTORS,
    quotients: Literal["", "by scalars", "all"] = "",
) -> Network:
    """Flatten an e-node of an e-class through operands whose cheapest e-node is a product.

    With `quotients` also through those whose cheapest e-node is one of these.
    """
    dims = graph.dims
    out = tuple(range(len(dims[cls])))
    sizes: dict[int, Size] = dict(zip(out, dims[cls], strict=True))
    coefficient = Fraction(1)
    price = 0
    factors: list[Factor] = []
    # The next one is the last.
    waiting: list[tuple[int, Indices, ENode | None]] = [(cls, out, member)]
    while waiting:
        c, part, chosen = waiting.pop()
        node = chosen or _as_product(graph, c, quotients)
        room = node.constructor != "ein" or len(factors) + len(waiting) + 2 <= limit
        if node.constructor not in PRODUCTS or not room:
            factors.append((c, part))
        elif node.constructor == "scale":
            coefficient *= node.value
            waiting.append((node.children[0], part, None))
        else:
            price += graph.cost(c, node)
            spec = node.spec
            names = dict(zip(spec[-1], part, strict=True))
            for child, indices in zip(node.children, spec, strict=False):
                for i, size in zip(indices, dims[child], strict=True):
                    if i not in names:
                        names[i] = len(sizes)
                        sizes[len(sizes)] = size
            for child, indices in zip(reversed(node.children), spec[-2::-1], strict=True):
                waiting.append((child, tuple([names[i] for i in indices]), None))
    return Network(_oriented(graph, factors, out), out, sizes, coefficient, price)


def _oriented(graph: Snapshot, factors: Sequence[Factor], out: Indices) -> tuple[Factor, ...]:
    """The factors, the indices of symmetric matrices in one order whatever way they came in."""
    if not any(c in graph.symmetric for c, _ in factors):
        return tuple(factors)
    places: dict[int, list[tuple[int, int]]] = {i: [(-1, k)] for k, i in enumerate(out)}
    for c, part in factors:
        for place, i in enumerate(part):
            known = -1 if c in graph.symmetric else place
            places.setdefault(i, []).append((c, known))
    return tuple(
        (c, tuple(sorted(part, key=lambda i: sorted(places[i]))) if c in graph.symmetric else part)
        for c, part in factors
    )


def along_deltas(graph: Snapshot, network: Network) -> Network:
    """The network with one index for each two that a delta makes equal, but in deltas."""
    deltas = [part for c, part in network.factors if graph.sparsity.get(c) is True]
    parts = tuple(part for _, part in network.factors)
    names = identified(parts, [part in deltas for part in parts])
    factors = tuple(
        (c, part if part in deltas else tuple(names[i] for i in part))
        for c, part in network.factors
    )
    return replace(network, factors=factors)


def constants_in_coefficient(graph: Snapshot, network: Network) -> Network:
    """The network with constants in its coefficient, except over axes that only they have."""
    coefficient = network.coefficient
    factors = list(network.factors)
    for factor in network.factors:
        number = graph.number(factor[0])
        others = {i for f in factors if f is not factor for i in f[1]}
        if number is not None and others.union(network.out).issuperset(factor[1]):
            coefficient *= number
            factors.remove(factor)
    return replace(network, factors=tuple(factors), coefficient=coefficient)


def connected_order(factors: Sequence[Factor], start: Iterable[int]) -> list[int]:
    """The places of some factors, each after one that it shares an index with.

    `start` are indices of what comes before them.

    >>> connected_order([(7, (0, 1)), (8, (2,)), (9, (2, 1))], [0])
    [0, 2, 1]
    """
    known = set(start)
    rest = dict.fromkeys(range(len(factors)))
    order: list[int] = []
    while rest:
        k = next((k for k in rest if known.intersection(factors[k][1])), next(iter(rest)))
        del rest[k]
        order.append(k)
        known.update(factors[k][1])
    return order


def _as_product(graph: Snapshot, cls: int, quotients: str) -> ENode:
    """The cheapest e-node; for one of the quotients a product that it equals, if there is one."""
    node = graph.choice[cls]
    if node.constructor != "divide" or not quotients:
        return node
    if graph.dims[node.children[1]] and quotients != "all":
        return node
    members = (m for m in graph.members[cls] if m.constructor == "ein" and not m.subsumed)
    return next(members, node)


@lru_cache(maxsize=4096)
def network_key(network: Network) -> tuple[object, ...]:
    """The same for two networks that differ in order and names of summed indices only.

    Equal factors are tried in every order, up to a bound; beyond it equal networks may have
    different keys, different ones never the same.
    """

    def colour(factor: Factor) -> tuple[object, ...]:
        cls, part = factor
        return (cls, tuple(i if i in network.out else -1 - part.index(i) for i in part))

    groups: dict[tuple[object, ...], list[Factor]] = {}
    for f in sorted(network.factors, key=lambda f: repr(colour(f))):
        groups.setdefault(colour(f), []).append(f)
    # `product` stores what it draws from: each group's orders are cut first.
    orders = product(*(islice(permutations(g), MAX_ORDERS) for g in groups.values()))
    best: tuple[object, ...] | None = None
    for order in islice(orders, MAX_LABELLINGS):
        flat = [f for group in order for f in group]
        names = {i: i for i in network.out}
        parts: list[tuple[int, Indices]] = []
        for cls, part in flat:
            for i in part:
                names.setdefault(i, len(names))
            parts.append((cls, tuple(names[i] for i in part)))
        key = tuple(parts)
        if best is None or key < best:
            best = key
    return (best, network.out, network.coefficient)


def unscaled_key(network: Network) -> object:
    """The key of a network without its coefficient: of all its multiples the same."""
    return network_key(replace(network, coefficient=Fraction(1)))


def like_terms_added(
    networks: Iterable[Network], key: Callable[[Network], Hashable]
) -> list[Network]:
    """A sum of networks as the sum of the first of each key, with the sums of coefficients."""
    keyed = [(key(n), n) for n in networks]
    first = dict(reversed(keyed))
    numbers = collected((k, n.coefficient) for k, n in keyed)
    return [replace(first[k], coefficient=c) for k, c in numbers.items()]


# Contraction paths: in which order the factors of a network are multiplied, two at a time.
#
# A path has the numbers of the two that each product multiplies; the factors have the first
# numbers, each product the next. A product costs a multiplication for each point of its indices,
# and an addition for each point but one of every sum.


# Factors for which the cheapest of all paths is found in 2 ms; one more takes three times that.
MAX_EXACT: Final = 8
# Factors for which dynamic programming takes milliseconds; twice as many take up to a minute.
MAX_PROGRAMMED: Final = 18

IndexSet = frozenset[int]
Path = list[tuple[int, int]]
Search = Callable[[Sequence[IndexSet], IndexSet, Mapping[int, int]], Path]


def cheap_path(factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int]) -> Path:
    """A cheap path, the one that opt_einsum finds.

    The searches of opt_einsum 3.4 do not see what it is worth to multiply vectors on one index
    before a matrix meets them: their paths cost up to a hundred times more than the cheapest.
    """
    search: Any = opt_einsum.paths.greedy
    if len(factors) <= MAX_PROGRAMMED:
        small = len(factors) <= 4
        search = opt_einsum.paths.optimal if small else opt_einsum.paths.dynamic_programming
    left = list(range(len(factors)))
    path: Path = []
    for step in search(factors, out, lengths):
        # One operand alone, which the path would sum over some axes, only goes to the end.
        chosen = [left[k] for k in sorted(step)]
        left = [operand for k, operand in enumerate(left) if k not in step]
        if len(chosen) == 2:
            path.append((chosen[0], chosen[1]))
            chosen = [len(factors) + len(path) - 1]
        left += chosen
    return path


def smallest_first(factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int]) -> Path:
    """The path that multiplies the two whose product has the fewest entries, again and again."""
    left = dict(enumerate(factors))
    path: Path = []

    def product_of(i: int, j: int) -> IndexSet:
        return (left[i] | left[j]) & out.union(*(f for k, f in left.items() if k not in (i, j)))

    def price(pair: tuple[int, int]) -> tuple[int, int]:
        both = (product_of(*pair), left[pair[0]] | left[pair[1]])
        entries, points = (prod(lengths[i] for i in indices) for indices in both)
        return entries, points

    while len(left) > 1:
        i, j = min(combinations(left, 2), key=price)
        path.append((i, j))
        rest = {k: f for k, f in left.items() if k not in (i, j)}
        left = {len(factors) + len(path) - 1: product_of(i, j)} | rest
    return path


def cheapest_path(factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int]) -> Path:
    """The cheapest path of all, of few factors; else the cheap one.

    Sets of factors, small ones first, are split in two every way. A set is a number, with a bit
    for each factor.

    >>> vector, matrix, lengths = frozenset({1}), frozenset({0, 1}), {0: 100, 1: 100}
    >>> cheapest_path([vector, vector, matrix], frozenset({0}), lengths)
    [(0, 1), (2, 3)]
    """
    count = len(factors)
    if count > MAX_EXACT:
        return cheap_path(factors, out, lengths)
    every = range(1 << count)
    inside = [IndexSet().union(*(f for k, f in enumerate(factors) if m >> k & 1)) for m in every]
    kept = [inside[m] & (inside[~m] | out) for m in every]
    price: list[float] = [inf for _ in every]
    for k, factor in enumerate(factors):
        kept[1 << k], price[1 << k] = factor, 0
    halves: dict[int, int] = {}
    sizes: dict[IndexSet, int] = {}

    def size(indices: IndexSet) -> int:
        if indices not in sizes:
            sizes[indices] = prod(lengths[i] for i in indices)
        return sizes[indices]

    for whole in every:
        half = (whole - 1) & whole
        while half > whole ^ half:
            below = price[half] + price[whole ^ half]
            if below < price[whole]:
                points = kept[half] | kept[whole ^ half]
                total = below + 2 * size(points) - size(kept[whole])
                if total < price[whole]:
                    price[whole], halves[whole] = total, half
            half = (half - 1) & whole
    return _numbered(halves, count)


def _numbered(halves: Mapping[int, int], count: int) -> Path:
    """The path that splits all factors, and their parts, as is said."""
    path: Path = []

    def number(whole: int) -> int:
        if whole not in halves:
            return whole.bit_length() - 1
        second, first = number(whole ^ halves[whole]), number(halves[whole])
        path.append((min(first, second), max(first, second)))
        return count + len(path) - 1

    number((1 << count) - 1)
    return path


# The order in which the factors of a network are multiplied, two at a time.


def contract(
    graph: Snapshot,
    network: Network,
    factors: Sequence[Factor],
    out: Indices,
) -> Term:
    """The product of some factors as a term with axes `out`, in a cheap order."""
    return contract_terms(graph, network, [(graph.term(c), part) for c, part in factors], out)


def contract_terms(
    graph: Snapshot,
    network: Network,
    pool: Sequence[Placed],
    out: Indices,
    search: Search = cheap_path,
) -> Term:
    """The product of some terms on a network's indices, repeated along axes that none of them has.

    `search` is for the order in which they are multiplied.
    """
    present = {i for _, part in pool for i in part}
    missing = tuple(i for i in out if i not in present)
    if missing or not pool:
        ones = terms.constant(1, tuple(network.sizes[i] for i in missing))
        pool = [*pool, (ones, missing)]
    if len(pool) == 1:
        ((only, part),) = pool
        return only if part == out else terms.einsum(canonical([part], out), only)
    made = [t for t, _ in pool]
    parts = tuple(part for _, part in pool)
    for i, j, spec in _products(parts, out, _lengths(graph.model, network, parts), search):
        made.append(terms.einsum(spec, made[i], made[j]))
    return made[-1]


def as_term(
    graph: Snapshot,
    network: Network,
    pool: Sequence[Placed] | None = None,
    search: Search = cheap_path,
) -> Term:
    """A network as a term, with a `pool` of terms in place of its factors if there is one."""
    if pool is None:
        pool = [(graph.term(c), part) for c, part in network.factors]
    whole = contract_terms(graph, network, pool, network.out, search)
    return scaled(network.coefficient, whole)


def with_product(
    graph: Snapshot, network: Network, places: Collection[int], product: Placed
) -> Term:
    """A network as a term in which a product stands for the factors at some places."""
    rest = [(graph.term(c), p) for k, (c, p) in enumerate(network.factors) if k not in places]
    return as_term(graph, network, [*rest, product], cheapest_path)


@lru_cache(maxsize=4096)
def _products(
    parts: tuple[Indices, ...], out: Indices, lengths: tuple[tuple[int, int], ...], search: Search
) -> tuple[tuple[int, int, Spec], ...]:
    """The products of two: the numbers of both, and their spec.

    The operands have the first numbers; each product has the next.
    """
    left = dict(enumerate(parts))
    found: list[tuple[int, int, Spec]] = []
    sets = [frozenset(p) for p in parts]
    for i, j in search(sets, frozenset(out), dict(lengths)):
        a, b = left.pop(i), left.pop(j)
        kept = _kept(a + b, {x for part in left.values() for x in part}, out) if left else out
        left[len(parts) + len(found)] = kept
        found.append((i, j, canonical([a, b], kept)))
    return tuple(found)


def _kept(indices: Indices, later: set[int], out: Indices) -> Indices:
    """Indices that are still needed: those of the output in its order, then the others."""
    distinct = [i for i in dict.fromkeys(indices) if i in later or i in out]
    return tuple([i for i in out if i in distinct] + [i for i in distinct if i not in out])


def order_price(graph: Snapshot, network: Network, search: Search) -> int:
    """What the products cost that `contract` makes of all factors; equal ones cost once.

    It is worked out once for networks whose factors have the same sizes and are equal in the same
    places.
    """
    numbers: dict[int, int] = {}
    factors = tuple(
        (numbers.setdefault(c, len(numbers)), part, graph.dims[c], graph.sparsity.get(c, False))
        for c, part in network.factors
    )

    def price() -> int:
        parts = tuple(part for _, part, _, _ in factors)
        made = [(number, dims, sparsity) for number, _, dims, sparsity in factors]
        known: dict[tuple[int, int, Spec], int] = {}
        total = 0
        lengths = _lengths(graph.model, network, parts)
        for i, j, spec in _products(parts, network.out, lengths, search):
            (a, left, first), (b, right, second) = made[i], made[j]
            out = output_dims(spec, left, right)
            if (a, b, spec) not in known:
                known[a, b, spec] = len(factors) + len(known)
                total += graph.model.node("ein", (spec,), (left, right), out, (first, second))
            made.append((known[a, b, spec], out, False))
        return total

    return graph.remember(("order price", search, factors, network.out), price)


def _lengths(
    model: Model, network: Network, parts: Iterable[Indices]
) -> tuple[tuple[int, int], ...]:
    used = sorted({i for part in parts for i in part})
    return tuple((i, model.length(network.sizes[i])) for i in used)


def scaled(coefficient: Fraction, term: Term) -> Term:
    """A rational multiple of a term."""
    if coefficient == 1:
        return term
    return terms.einsum(scaling(term.order), terms.constant(coefficient), term)


def raised(term: Term, p: Fraction | int) -> Term:
    """A rational power of a term, entry by entry."""
    return term if p == 1 else terms.power(term, terms.constant(p))


# Parts of networks: one split in two, and what two of them have in common.


def split(graph: Snapshot, network: Network, chosen: Sequence[int]) -> Term:
    """The network as the product of two parts: the factors at some places, and the rest."""
    first = [f for k, f in enumerate(network.factors) if k in chosen]
    rest = [f for k, f in enumerate(network.factors) if k not in chosen]
    left = {i for _, part in first for i in part}
    right = {i for _, part in rest for i in part}
    first_out = first[0][1] if len(first) == 1 else interface(left, right, network.out)
    rest_out = interface(right, left, network.out, first_out)
    a = contract(graph, network, first, first_out)
    b = contract(graph, network, rest, rest_out)
    return as_term(graph, network, [(a, first_out), (b, rest_out)])


def interface(inside: set[int], other: set[int], out: Indices, guide: Indices = ()) -> Indices:
    """The indices that a part shows: the output's in their order, then the shared ones.

    The order of the shared ones follows the other part, so that two splits with the same other
    part have the same spec.
    """
    shown = [i for i in out if i in inside]
    shared = [i for i in dict.fromkeys(guide) if i in inside and i not in out]
    rest = sorted(i for i in inside & other if i not in out and i not in shared)
    return tuple(shown + shared + rest)


def factored(graph: Snapshot, networks: Sequence[Network], free: bool = False) -> Term | None:
    """The sum of some networks as their common factors times the sum of the cofactors.

    None where they have no factor in common, or where the cofactors have different axes. With
    `free` the common factors are those whose indices are all in the output.
    """
    first, *others = networks
    factors = enumerate(first.factors)
    shared = [k for k, (_, part) in factors if not free or set(part) <= set(first.out)]
    for other in others:
        shared = [shared[i] for i, _ in common_part(_restricted(first, shared), other)]
    if not shared:
        return None
    common = [first.factors[i] for i in shared]
    inside = {i for _, part in common for i in part}
    rests: list[tuple[Network, list[Factor]]] = []
    sizes = dict(first.sizes)
    for network in networks:
        places = dict(common_part(_restricted(first, shared), network))
        names = dict(zip(network.out, first.out, strict=True))
        for i, j in places.items():
            names.update(zip(network.factors[j][1], common[i][1], strict=True))
        fresh = max(sizes, default=-1) + 1
        names = {i: names.get(i, fresh + i) for i in network.sizes}
        sizes = {names[i]: d for i, d in network.sizes.items()} | sizes
        left = [f for k, f in enumerate(network.factors) if k not in places.values()]
        rests.append((network, [(c, tuple(names[i] for i in part)) for c, part in left]))
    shown = [
        interface({i for _, part in rest for i in part}, inside, first.out)
        for _, rest in rests
        if rest
    ]
    axes = _axes_of_cofactors(graph, common, first.out, shown)
    if axes is None:
        return None
    summands: list[Term] = []
    for network, rest in rests:
        summands.append(as_term(graph, Network(tuple(rest), axes, sizes, network.coefficient)))
    kept = interface(inside, set(axes), first.out)
    whole = contract(graph, Network((), kept, sizes), common, kept)
    return terms.einsum(canonical([kept, axes], first.out), whole, reduce(terms.add, summands))


def _axes_of_cofactors(
    graph: Snapshot, common: Sequence[Factor], out: Indices, shown: Sequence[Indices]
) -> Indices | None:
    """The axes of a sum of cofactors; None where they differ, unless a delta keeps it small.

    `δᵢⱼ·xₖ - δᵢⱼ·yᵢ` has k entries for every i, `δᵢⱼ·(xₖ - yᵢ)` as many, and no j in between.
    """
    if not shown or all(s == shown[0] for s in shown):
        return shown[0] if shown else None
    deltas = [part for c, part in common if graph.sparsity.get(c) is True]
    found = {i for part in shown for i in part}
    axes = tuple(i for i in out if i in found)
    pairs = (pair for part in deltas for pair in zip(part, part[len(part) // 2 :], strict=False))
    separate = all(not {*pair} <= found for pair in pairs)
    return axes if deltas and separate and found <= {*out} else None


def _restricted(network: Network, places: Sequence[int]) -> Network:
    """The network with some of its factors alone."""
    return replace(network, factors=tuple(network.factors[i] for i in places))


def common_part(a: Network, b: Network) -> list[tuple[int, int]]:
    """Places of factors that two networks with the same output share, index by index."""
    best: list[tuple[int, int]] = []
    tries = 0
    start: list[tuple[int, int]] = []
    stack: list[tuple[int, list[tuple[int, int]], dict[int, int]]] = [
        (0, start, {i: i for i in a.out})
    ]
    while stack and tries < 300:
        tries += 1
        k, pairs, names = stack.pop()
        if len(pairs) > len(best):
            best = pairs
        if k == len(a.factors) or len(pairs) + len(a.factors) - k <= len(best):
            continue
        stack.append((k + 1, pairs, names))
        cls, part = a.factors[k]
        taken = {j for _, j in pairs}
        for j, (other, theirs) in reversed(list(enumerate(b.factors))):
            if other == cls and j not in taken:
                extended = matched(part, theirs, names)
                if extended is not None:
                    stack.append((k + 1, [*pairs, (k, j)], extended))
    return best


def matched(
    part: Indices, theirs: Indices, names: Mapping[int, int], *, apart: bool = True
) -> dict[int, int] | None:
    """Other indices for some that take one factor to another, if there are such.

    Different ones for each where they have to be `apart`.
    """
    extended = dict(names)
    for i, j in zip(part, theirs, strict=True):
        if extended.setdefault(i, j) != j:
            return None
    return None if apart and len({*extended.values()}) < len(extended) else extended


# Sums as linear forms: rational multiples of e-classes that are no sums themselves.


LinearForm = dict[int, Fraction]

# In terms of at most this many e-classes every sum within a sum is flattened.
SMALL = 60
# Terms of a linear form, in small terms and in large ones.
MAX_TERMS = 64
MAX_TERMS_OF_WHOLE = 10_000
# The signs of the operands.
SIGNS: Mapping[str, tuple[int, ...]] = {"add": (1, 1), "subtract": (1, -1), "negate": (-1,)}
SUMS = (*SIGNS, "scale")


def linear_forms(graph: Snapshot, cls: int) -> list[tuple[LinearForm, int]]:
    """The distinct linear forms of an e-class's sums, each with the number of terms it collects.

    First as it stands; then with terms flattened whose cheapest e-node is a sum; then with all
    terms flattened that have a sum as an e-node. In a large term a sum that is a part of another
    one has none: what is to be found there is found in the whole.
    """
    return graph.remember(("linear forms", cls), lambda: list(_forms(graph, cls)))


def _forms(graph: Snapshot, cls: int) -> Iterator[tuple[LinearForm, int]]:
    seen: set[frozenset[tuple[int, Fraction]]] = set()
    if cls in graph.remember("nested sums", lambda: _nested_sums(graph)):
        return
    for member in graph.members[cls]:
        if member.constructor in ("add", "subtract") and not member.subsumed:
            for sum_of in (_no_sum, _cheapest_sum, _any_sum):
                found = _flattened(graph, cls, member, sum_of)
                if found is not None:
                    key = frozenset(found[0].items())
                    if key not in seen:
                        seen.add(key)
                        yield found


def _no_sum(graph: Snapshot, cls: int) -> ENode | None:
    return None


def _cheapest_sum(graph: Snapshot, cls: int) -> ENode | None:
    node = graph.choice[cls]
    return node if node.constructor in SUMS else None


def _any_sum(graph: Snapshot, cls: int) -> ENode | None:
    members = [m for m in graph.members[cls] if m.constructor in SUMS and not m.subsumed]
    return min(members, key=lambda m: m.constructor not in ("add", "subtract"), default=None)


def _nested_sums(graph: Snapshot) -> set[int]:
    """In a large term the sums that nothing but another sum uses."""
    if len(graph.users) <= SMALL:
        return set()
    return {
        child
        for c in graph.users
        if graph.choice[c].constructor in SUMS
        for child in graph.choice[c].children
        if graph.users.get(child, 0) == 1 and graph.choice[child].constructor in SUMS
    }


def _flattened(
    graph: Snapshot, cls: int, member: ENode, sum_of: Callable[[Snapshot, int], ENode | None]
) -> tuple[LinearForm, int] | None:
    """The linear form of one e-node; None where an e-class contains itself or the form is long.

    Each e-class is read once, however many sums it is a term of. In a large term only a sum that
    nothing else uses is flattened: else every sum of a chain of sums would be as long as the chain.
    """
    small = len(graph.users) <= SMALL
    most = MAX_TERMS if small else MAX_TERMS_OF_WHOLE
    nodes: dict[int, ENode | None] = {cls: member}
    ended: list[int] = []
    terms: list[int] = []
    above: set[int] = set()
    seen: set[int] = set()
    stack = [(cls, False)]
    while stack:
        c, done = stack.pop()
        node = nodes[c]
        if done:
            above.discard(c)
            ended.append(c)
        elif c not in seen:
            seen.add(c)
            # Each term may be a multiple and have a sum above it.
            if len(seen) > 3 * most:
                return None
            if node is None:
                terms.append(c)
                continue
            above.add(c)
            stack.append((c, True))
            for child in reversed(node.children):
                if child in above:
                    return None
                if child not in nodes:
                    inside = small or graph.users.get(child, 0) <= 1
                    nodes[child] = sum_of(graph, child) if inside else None
                stack.append((child, False))
    if len(terms) > most:
        return None
    factor = dict.fromkeys(nodes, Fraction(0)) | {cls: Fraction(1)}
    number = dict.fromkeys(nodes, 0) | {cls: 1}
    for c in reversed(ended):
        node = cast(ENode, nodes[c])
        signs = SIGNS.get(node.constructor) or (node.value,)
        for child, sign in zip(node.children, signs, strict=True):
            factor[child] += factor[c] * sign
            number[child] += number[c]
    form = {c: factor[c] for c in terms if factor[c]}
    return form, sum(number[c] for c in terms)


# E-classes that are read from their operands.


def read_by_operands(
    graph: Snapshot, read: Callable[[int, Mapping[int, T]], T | None]
) -> dict[int, T]:
    """What can be read of e-classes, given what was read of others.

    Operands come first in `choice`, but for those of e-nodes that are not the cheapest: an e-class
    is read again when an operand of any of its e-nodes has been.
    """
    users: dict[int, dict[int, None]] = {}
    for cls in graph.choice:
        for child in {c for m in graph.members[cls] for c in m.children}:
            users.setdefault(child, {})[cls] = None
    place = {cls: k for k, cls in enumerate(graph.choice)}
    found: dict[int, T] = {}
    waiting = list(graph.choice)
    while waiting:
        again: set[int] = set()
        for cls in waiting:
            result = read(cls, found)
            if result is not None:
                found[cls] = result
                again.update(c for c in users.get(cls, ()) if c not in found)
        waiting = sorted(again - found.keys(), key=place.__getitem__)
    return found
