"""How many random pairs are decided, and how long that takes.

True pairs are rewritten at random by true laws, near misses have one index, sign, number or factor
changed; every difference is shown by NumPy. Then products of twelve factors and sums of thirty
terms, permuted and nested at random; identities of matrix algebra at matrices that are nearly
singular, and near misses of those; and pairs that differ at ties or patched poles alone, which are
equal where the domain says, or else false ones.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from statistics import median
from time import process_time

import eggrad as eg
from eggrad.frontend.expression.expression import expression
from tests.frontend.interface.test_equivalence import (
    check_witness,
    random_network,
    shuffled_product,
)
from tests.support import matrix_pairs
from tests.support.equivalent_pairs import equal_pair, near_miss
from tests.support.near_misses import false_equality
from tests.support.tie_pairs import differing, tie_pair

Pair = tuple[eg.Expression, eg.Expression]


def products(random: Random, count: int, names: int = 40) -> Iterable[Pair]:
    """Pairs of products of twelve factors on six indices."""
    for _ in range(count):
        factors = random_network(random, 12, names)
        out = "".join(sorted({i for _, part in factors for i in part})[:2])
        yield shuffled_product(factors, out, random), shuffled_product(factors, out, random)


def sums(random: Random, count: int, names: int = 4) -> Iterable[Pair]:
    """Pairs of sums of thirty small products."""
    ones = eg.constant(1, ("n",))
    for _ in range(count):
        networks = [random_network(random, random.choice((1, 2, 3)), names) for _ in range(30)]
        pair: list[eg.Expression] = []
        for _ in range(2):
            pool = [
                (k % 5 - 2.5) * shuffled_product([*n, (ones, "a")], "", random)
                for k, n in enumerate(networks)
            ]
            while len(pool) > 1:
                a, b = (pool.pop(random.randrange(len(pool))) for _ in range(2))
                pool.append(a + b)
            pair.append(pool[0])
        yield pair[0], pair[1]


def decided(name: str, pairs: Iterable[Pair]) -> str:
    """What is said of some pairs, judged by values, and the times."""
    said: Counter[str] = Counter()
    times: list[float] = []
    for f, g in pairs:
        began = process_time()
        verdict = eg.equivalent(f, g)
        times.append(process_time() - began)
        said[f"{verdict.status}, with a domain" if verdict.domain else verdict.status] += 1
        if verdict.status == "different":
            check_witness(f, g, verdict)
        wrong = false_equality(Random(0), f.term, g.term, verdict)
        assert not wrong, wrong
    counts = ", ".join(f"{n} {status}" for status, n in sorted(said.items()))
    return f"{name}: {counts}; median {median(times) * 1e3:.1f} ms, most {max(times) * 1e3:.0f} ms"


def main(seed: int, count: int) -> None:
    """Print a line for each kind of pair."""
    kinds: dict[str, Callable[[Random], Iterable[Pair]]] = {
        "true pairs": lambda r: (_pair(*equal_pair(r)) for _ in range(count)),
        "near misses": lambda r: (_pair(*near_miss(r)) for _ in range(count)),
        "twelve factors": lambda r: products(r, 20),
        "thirty terms": lambda r: sums(r, 5),
        "matrix forms": lambda r: (matrix_pairs.matrix_pair(r).read() for _ in range(count)),
        "their near misses": lambda r: (matrix_pairs.near_miss(r).read() for _ in range(count)),
        "ties alone": lambda r: (tie_pair(r) for _ in range(count // 5)),
        "more than ties": lambda r: (differing(r) for _ in range(count // 5)),
    }
    for name, make in kinds.items():
        print(decided(name, make(Random(seed))), flush=True)


def _pair(a: object, b: object) -> Pair:
    return expression(a), expression(b)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:])) if sys.argv[1:] else main(2, 200)
