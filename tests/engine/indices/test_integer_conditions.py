"""Fourier-Motzkin elimination against all points of a small box."""

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
    implied,
    infeasible,
    irredundant,
    nonnegative,
    ranges,
    simplified,
    solve,
    tightened,
    zero,
)
from eggrad.engine.indices.rational_affine import Affine

NAMES = ("i", "j", "k")
BOX = list(product(range(-3, 4), repeat=3))
X, Y, N = Affine.of("i"), Affine.of("j"), Affine.of("n")


def random_form(random: Random) -> Affine:
    return Affine({n: random.randint(-3, 3) for n in NAMES}, random.randint(-5, 5))


def holds(forms: list[Affine], point: tuple[int, ...]) -> bool:
    values = dict(zip(NAMES, point, strict=True))
    return all(f.substitute(values).constant >= 0 for f in forms)


def in_box(bound: int = 3) -> list[Affine]:
    return [f for n in NAMES for f in (Affine.of(n) + bound, bound - Affine.of(n))]


@pytest.mark.parametrize("seed", range(40))
def test_what_is_proved_is_true(seed: int) -> None:
    random = Random(seed)
    forms = [random_form(random) for _ in range(random.randint(1, 4))] + in_box()
    points = [p for p in BOX if holds(forms, p)]
    if infeasible(forms):
        assert not points
    own = random_form(random)
    if implied(own, forms):
        assert all(holds([own], p) for p in points)
    kept = irredundant(forms, [])
    # The box is part of the forms, so a larger one has no further points.
    around = product(range(-4, 5), repeat=3)
    assert {p for p in around if holds(kept, p)} == set(points)


def test_much_is_proved() -> None:
    """Of random implications that hold at every point of a box, nearly all are proved."""
    random = Random(0)
    true, proved = 0, 0
    for _ in range(120):
        forms = [random_form(random) for _ in range(3)] + in_box()
        own = random_form(random) + 6
        if all(holds([own], p) for p in BOX if holds(forms, p)):
            true += 1
            proved += implied(own, forms)
    assert true > 20
    assert proved > 0.9 * true


def test_nothing_redundant_is_kept() -> None:
    assert irredundant([X, X + 1, 5 - X, N - X], [3 - X, N - 3]) == [X]
    _, found = ranges([X, N - 1 - X, Y, X - Y, N - Y], ["i", "j"], [N - 1])
    assert [f.constant for f in found["i"].lower] == [0]
    assert found["i"].upper == (N - 1,)
    assert (found["j"].lower, found["j"].upper) == ((Affine({}, 0),), (X,))


def test_bounds_are_tight() -> None:
    """0 <= j <= 2 and 0 <= k - j <= 4: the range of j is what some k allows."""
    k = Affine.of("k")
    conditions, found = ranges([Y, 2 - Y, k - Y, 4 - k + Y], ["j"], [k, 6 - k])
    assert conditions == []
    assert found["j"].lower == (Affine({}, 0), k - 4)
    assert found["j"].upper == (Affine({}, 2), k)


def test_rounding() -> None:
    assert tightened(2 * X - 3) == X - 2
    assert tightened(X / 2 - N / 3) == 3 * X - 2 * N
    assert implied(X - 2, [2 * X - 3])
    assert not implied(X - 3, [2 * X - 3])


def test_what_multiples_imply() -> None:
    """2 | k and k < 2n, so k/2 <= n - 1: as rationals k/2 could be n - 1/2."""
    k = Affine.of("k")
    asked = [divisible(k, 2), nonnegative(2 * N - 2 - k)]
    assert simplified(asked, [k, 2 * N - 1 - k]) == (divisible(k, 2),)


CONDITIONS = [
    zero(2 * X - 4), zero(2 * X - 3), zero(X / 2 - Y / 2), zero(Affine({}, 0)),
    nonnegative(3 * X - 4), nonnegative(X / 2 - 1), nonnegative(Affine({}, -1)),
    divisible(3 * X + Y + 7, 4), divisible(2 * X + 1, 2), divisible(6 * X + 3 * Y, 9),
    divisible(X / 2 + Y / 2, 2), divisible(5 * X, 5),
]  # fmt: skip
MEANINGS = [
    lambda i, j: 2 * i == 4, lambda i, j: False, lambda i, j: i == j, lambda i, j: True,
    lambda i, j: 3 * i >= 4, lambda i, j: i >= 2, lambda i, j: False,
    lambda i, j: (3 * i + j + 7) % 4 == 0, lambda i, j: False,
    lambda i, j: (6 * i + 3 * j) % 9 == 0, lambda i, j: (i + j) % 4 == 0, lambda i, j: True,
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(CONDITIONS)))
def test_conditions_in_lowest_terms(at: int) -> None:
    own: Condition = CONDITIONS[at]
    for i, j in product(range(-6, 7), repeat=2):
        values = {"i": i, "j": j}
        assert own.holds(values) == MEANINGS[at](i, j)
        if own.decided is None:
            assert [n.holds(values) for n in own.negations()].count(True) == (not own.holds(values))
        moved = own.substitute({"i": X + 1, "j": 2 * X})
        assert moved.holds({"i": i}) == own.holds({"i": i + 1, "j": 2 * i})


# What the solutions of integer systems enumerate and describe.
#
# Brute force judges at every point; isl for all sizes at once, where islpy is installed
# (`pip install islpy`).


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
