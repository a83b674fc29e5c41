"""Fourier-Motzkin elimination against all points of a small box."""

from itertools import product
from random import Random

import pytest

from eggrad.engine.indices.integer_conditions import (
    Condition,
    divisible,
    implied,
    infeasible,
    irredundant,
    nonnegative,
    ranges,
    simplified,
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
