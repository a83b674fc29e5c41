"""What the solutions of integer systems enumerate and describe.

Brute force judges at every point; isl for all sizes at once, where islpy is installed
(`pip install 'eggrad[isl]'`).
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import ceil, floor
from random import Random

import pytest

from eggrad.engine.indices.integer_conditions import (
    Condition,
    Problem,
    Range,
    Solutions,
    divisible,
    nonnegative,
    solve,
    zero,
)
from eggrad.engine.indices.rational_affine import Affine

UNKNOWNS = ("i", "j", "k")
SIZE_SYMBOLS = ("I", "J", "K")
HEADS = ("a", "b", "c")


class Map:
    """A random map from a domain of integers to integers."""

    def __init__(self, random: Random) -> None:
        self.unknowns = UNKNOWNS[: random.randint(1, 3)]
        rows = random.randint(1, 3)
        self.maps = [
            Affine({n: random.randint(-3, 3) for n in self.unknowns}, random.randint(-2, 2))
            for _ in range(rows)
        ]
        self.sizes = {s: random.randint(1, 4) for s in SIZE_SYMBOLS}
        symbolic = random.random() < 0.3
        triangular = random.random() < 0.3
        self.domain: list[Condition] = []
        for at, (name, size) in enumerate(zip(self.unknowns, SIZE_SYMBOLS, strict=False)):
            own = Affine.of(name)
            length = Affine.of(size) if symbolic else Affine({}, self.sizes[size])
            self.domain += [nonnegative(own), nonnegative(length - own - 1)]
            if triangular and at:
                other = Affine.of(random.choice(self.unknowns[:at]))
                slope = random.choice((1, 1, -1, 2))
                self.domain.append(nonnegative(slope * other + random.randint(0, 2) - own))
        if random.random() < 0.15:
            self.domain.append(divisible(sum(map(Affine.of, self.unknowns), Affine({}, 1)), 2))
        self.heads = HEADS[:rows]
        # Constraints on parameters that are known, and repeated nowhere.
        self.known = [Affine.of(s) - 1 for s in SIZE_SYMBOLS] if symbolic else []

    def brute_force(self) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
        found: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for point in product(range(4), repeat=len(self.unknowns)):
            values = self.sizes | dict(zip(self.unknowns, point, strict=True))
            if all(c.holds(values) for c in self.domain):
                image = tuple(int(m.substitute(values).constant) for m in self.maps)
                found.setdefault(image, set()).add(point)
        return found

    def solutions(self) -> Solutions | None:
        equations = [zero(m - Affine.of(h)) for m, h in zip(self.maps, self.heads, strict=True)]
        conditions = (*equations, *self.domain)
        return solve(Problem(self.unknowns, conditions, tuple(self.known), self.unknowns))


def enumerated(found: Solutions, names: dict[str, int]) -> Iterator[dict[str, int]]:
    """The values of all names in the ranges."""
    if all(c.holds(names) for c in found.conditions):
        yield from nested(list(found.ranges.items()), names)


def nested(ranges: list[tuple[str, Range]], names: dict[str, int]) -> Iterator[dict[str, int]]:
    if not ranges:
        yield names
        return
    (name, own), *inner = ranges
    low = max(ceil(f.substitute(names).constant) for f in own.lower)
    high = min(floor(f.substitute(names).constant) for f in own.upper)
    for value in range(low, high + 1):
        yield from nested(inner, {**names, name: value})


@pytest.mark.parametrize("seed", range(30))
def test_ranges_enumerate_the_preimages(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        own = Map(random)
        wanted = own.brute_force()
        found = own.solutions()
        if found is None:
            assert not wanted
            continue
        # The images, their neighbours, and points that need not have any preimage.
        images = {*wanted, *(tuple(x + 1 for x in image) for image in wanted)}
        images |= {tuple(random.randint(-9, 9) for _ in own.heads) for _ in range(5)}
        for image in images:
            names = own.sizes | dict(zip(own.heads, image, strict=True))
            points = [
                tuple(found.values[n].substitute(v).constant for n in own.unknowns)
                for v in enumerated(found, names)
            ]
            assert len(points) == len(set(points))
            assert set(points) == wanted.get(image, set())


def whole(form: Affine) -> str:
    own = form.integral()
    return " + ".join([str(own.constant), *(f"{c} * {name}" for name, c in own.items())])


def written(condition: Condition) -> str:
    if condition.relation == "|":
        return f"({whole(condition.form)}) mod {condition.modulus} = 0"
    return f"{whole(condition.form)} {condition.relation} 0"


def relation(own: Map, conditions: Iterable[str], free: Iterable[str] = ()) -> str:
    inner = " and ".join([*conditions, *(written_known(f) for f in own.known)])
    names = [f"_{n}" for n in own.unknowns] if free else own.unknowns
    quantified = f"exists ({', '.join(free)} : {inner})" if free else inner
    return (
        f"[{', '.join(SIZE_SYMBOLS)}] -> "
        f"{{ [{', '.join(own.heads)}] -> [{', '.join(names)}] : {quantified or '1 = 1'} }}"
    )


def written_known(form: Affine) -> str:
    return f"{whole(form)} >= 0"


def asked(own: Map) -> str:
    images = [f"{whole(m)} = {h}" for m, h in zip(own.maps, own.heads, strict=True)]
    return relation(own, [*images, *map(written, own.domain)])


def answered(own: Map, found: Solutions) -> str:
    said = [written(c) for c in found.conditions]
    for name, bounds in found.ranges.items():
        for f in bounds.lower:
            said.append(f"{whole(f)} <= {f.denominator} * {name}")
        for f in bounds.upper:
            said.append(f"{f.denominator} * {name} <= {whole(f)}")
    for name in own.unknowns:
        f = found.values[name]
        said.append(f"{f.denominator} * _{name} = {whole(f)}")
    return relation(own, said, [*found.ranges, "unused"])


@pytest.mark.parametrize("seed", range(10))
def test_the_same_points_for_all_sizes(seed: int) -> None:
    isl = pytest.importorskip("islpy")
    random = Random(1000 + seed)
    for _ in range(50):
        own = Map(random)
        wanted = isl.Map(asked(own))
        found = own.solutions()
        if found is None:
            assert wanted.is_empty()
        else:
            assert wanted.is_equal(isl.Map(answered(own, found)))
