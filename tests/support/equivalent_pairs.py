"""Random pairs of terms that are equal by construction, and pairs that just miss being equal.

The laws are written here once more, as functions on terms: what is tested has no part in them.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import cast

import numpy as np

from eggrad.engine.indices.spec import canonical
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from tests.support.random_expressions import random_expression

__all__ = ["equal_pair", "near_miss"]

Law = Callable[[Term, Random], "Term | None"]


def scaled(number: Fraction | int, a: Term) -> Term:
    return t.einsum(canonical([(), range(a.order)], range(a.order)), t.constant(number), a)


def entrywise(a: Term, b: Term) -> Term:
    axes = range(a.order)
    return t.einsum(canonical([axes, axes], axes), a, b)


def regroup_sum(a: Term, _: Random) -> Term | None:
    if a.args[0].op != "add":
        return None
    (b, c), d = a.args[0].args, a.args[1]
    return t.add(b, t.add(c, d))


def swap_product(a: Term, _: Random) -> Term | None:
    if len(a.args) < 2:
        return None
    left, right, out = a.spec
    return t.einsum(canonical([right, left], out), a.args[1], a.args[0])


def regroup_product(a: Term, _: Random) -> Term | None:
    """(b c) d = b (c d), where the inner product sums nothing that is named twice."""
    if len(a.args) < 2 or a.args[0].op != "einsum" or len(a.args[0].args) < 2:
        return None
    inner = a.args[0]
    left, right, out = a.spec
    first, second, made = inner.spec
    names = {}
    for i, k in zip(made, left, strict=True):
        if names.setdefault(i, k) != k:
            return None
    top = max([*left, *right, *out, -1])
    for i in (*first, *second):
        if i not in names:
            names[i] = top = top + 1
    b, c = [tuple(names[i] for i in part) for part in (first, second)]
    kept = tuple(dict.fromkeys(i for i in (*c, *right) if i in b or i in out))
    new = t.einsum(canonical([c, right], kept), inner.args[1], a.args[1])
    return t.einsum(canonical([b, kept], out), inner.args[0], new)


def distribute(a: Term, _: Random) -> Term | None:
    if a.args[0].op not in ("add", "subtract"):
        return None
    build = t.add if a.args[0].op == "add" else t.subtract
    return build(*(t.einsum(a.spec, x, *a.args[1:]) for x in a.args[0].args))


def split(a: Term, random: Random) -> Term:
    number = Fraction(random.choice((1, 2, 3, -1)), random.choice((1, 2, 4)))
    return t.add(scaled(number, a), scaled(1 - number, a))


def add_and_subtract(a: Term, random: Random) -> Term:
    b = t.constant(random.randint(1, 3), a.dims)
    return t.subtract(t.add(a, b), b)


def turn_twice(a: Term, random: Random) -> Term | None:
    if a.order < 2:
        return None
    order = random.sample(range(a.order), a.order)
    turned = t.einsum(canonical([range(a.order)], order), a)
    return t.einsum(canonical([order], range(a.order)), turned)


def through_delta(a: Term, random: Random) -> Term | None:
    """aᵢ = Σⱼ δᵢⱼ·aⱼ, for one of the axes."""
    if not a.order:
        return None
    k = random.randrange(a.order)
    axes = list(range(a.order))
    inner = [a.order if i == k else i for i in axes]
    return t.einsum(canonical([(k, a.order), inner], axes), t.delta(a.dims[k : k + 1]), a)


def exp_of_sum(a: Term, _: Random) -> Term | None:
    if a.args[0].op != "add":
        return None
    return entrywise(*(t.apply("exp", b) for b in a.args[0].args))


def tanh_by_exp(a: Term, _: Random) -> Term:
    square, one = t.apply("exp", scaled(2, a.args[0])), t.constant(1, a.dims)
    return t.divide(t.subtract(square, one), t.add(square, one))


def square_as_product(a: Term, _: Random) -> Term | None:
    return entrywise(a.args[0], a.args[0]) if a.args[1] is t.constant(2) else None


def quotient_as_power(a: Term, _: Random) -> Term | None:
    if a.args[0].dims != a.args[1].dims:
        return None
    return entrywise(a.args[0], t.power(a.args[1], t.constant(-1)))


def inverse_of_inverse(a: Term, _: Random) -> Term | None:
    known = cast(tuple[str, tuple[str, ...]], a.data)[1]
    return t.apply("inv", t.apply("inv", a)) if "invertible" in known else None


# The operations of the terms that each is about, or none for all terms, and what it makes of one.
LAWS: dict[str, tuple[str, Law]] = {
    "swap_sum": ("add", lambda a, _: t.add(*a.args[::-1])),
    "regroup_sum": ("add", regroup_sum),
    "swap_product": ("einsum", swap_product),
    "regroup_product": ("einsum", regroup_product),
    "distribute": ("einsum", distribute),
    "split": ("", split),
    "add_and_subtract": ("", add_and_subtract),
    "turn_twice": ("", turn_twice),
    "through_delta": ("", through_delta),
    "subtract_as_sum": ("subtract", lambda a, _: t.add(a.args[0], scaled(-1, a.args[1]))),
    "negate_twice": ("", lambda a, _: t.negate(t.negate(a))),
    "exp_of_sum": ("exp", exp_of_sum),
    "log_of_exp": ("", lambda a, _: t.apply("log", t.apply("exp", a))),
    "relu_by_abs": (
        "relu",
        lambda a, _: scaled(Fraction(1, 2), t.add(a.args[0], t.apply("abs", a.args[0]))),
    ),
    "tanh_by_exp": ("tanh", tanh_by_exp),
    "square_as_product": ("power", square_as_product),
    "quotient_as_power": ("divide", quotient_as_power),
    "odd_function": (
        "sin tan arctan tanh",
        lambda a, _: t.negate(t.apply(a.op, t.negate(a.args[0]))),
    ),
    "inverse_of_inverse": ("variable", inverse_of_inverse),
}


def replaced(root: Term, old: Term, new: Term) -> Term:
    """The term with one node replaced, wherever it occurs."""
    done: dict[Term, Term] = {}
    for node in t.postorder(root):
        rebuilt = t.rebuild(node, tuple(done[a] for a in node.args)) if node.args else node
        done[node] = new if node is old else rebuilt
    return done[root]


def rewritten(root: Term, random: Random, steps: int) -> Term:
    for _ in range(steps):
        options = list(possible(root, random))
        # Each law has the same chance, wherever it applies.
        law = random.choice(sorted({name for name, _, _ in options}))
        _, old, new = random.choice([o for o in options if o[0] == law])
        root = replaced(root, old, new)
    return root


def possible(root: Term, random: Random) -> Iterator[tuple[str, Term, Term]]:
    for node in t.postorder(root):
        for name, (operations, law) in LAWS.items():
            if not operations or node.op in operations.split():
                new = law(node, random)
                if new is not None and new is not node:
                    yield name, node, new


def size_of(root: Term) -> int:
    return sum(1 for _ in t.postorder(root))


def equal_pair(random: Random, most: int = 40) -> tuple[Term, Term]:
    """A random term of up to `most` nodes, and what random true laws make of it."""
    while True:
        term, _ = random_expression(random, random.choice((6, 10, 16, 24, most)))
        if not any(np.isfinite(value).any() for value in values([term], random)):
            continue
        other = rewritten(term, random, random.randint(2, 6))
        if size_of(other) <= most + 20:
            return term, other


def values(roots: Sequence[Term], random: Random) -> Iterator[np.ndarray]:
    """The values of terms, one after the other in one array, at some random values."""
    for seed in range(6):
        rng = np.random.default_rng([seed, random.randrange(1000)])
        sizes = dict.fromkeys(symbols(*roots), 3)
        found = oracle.random_values(t.variables(*roots), sizes, rng)
        if seed % 2:
            found = {name: np.abs(a) for name, a in found.items()}
        yield np.array([v.ravel() for v in oracle.evaluate(roots, found, sizes)])


def differ(a: Term, b: Term, random: Random) -> bool:
    """Whether two terms clearly differ at some random values."""
    for left, right in values([a, b], random):
        both = np.isfinite(left) & np.isfinite(right)
        gap = np.abs(left[both] - right[both])
        if gap.size and gap.max() > 1e-3 * (1 + np.abs(left[both]).max()):
            return True
    return False


def near_miss(random: Random, most: int = 40) -> tuple[Term, Term]:
    """A pair like the above with one index, sign, coefficient or factor changed in one of them."""
    while True:
        term, other = equal_pair(random, most)
        options = [(n, new) for n in t.postorder(other) for new in changed(n, random)]
        if options:
            old, new = random.choice(options)
            missed = replaced(other, old, new)
            if differ(term, missed, random):
                return term, missed


def changed(node: Term, random: Random) -> Iterator[Term]:
    match node.op:
        case "add":
            yield t.subtract(*node.args)
        case "subtract":
            yield t.add(*node.args)
        case "constant" if node.data:
            yield t.constant(cast(Fraction, node.data) + random.choice((1, -1)), node.dims)
        case "einsum":
            spec = node.spec
            for k, part in enumerate(spec[:-1]):
                dims = node.args[k].dims
                for i, j in combinations(range(len(part)), 2):
                    if dims[i] == dims[j] and part[i] != part[j]:
                        order = list(part)
                        order[i], order[j] = order[j], order[i]
                        yield t.einsum(
                            canonical([*spec[:k], order, *spec[k + 1 : -1]], spec[-1]), *node.args
                        )
            if len(node.args) == 2 and node.args[0].dims == node.args[1].dims:
                yield t.einsum(spec, node.args[0], node.args[0])
        case "variable" | "sin" | "cos":
            yield scaled(2, node)
        case _:
            pass
