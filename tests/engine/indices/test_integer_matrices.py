"""The Smith normal form, against its definition and brute force."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as points
from math import gcd

from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.indices.integer_matrices import Matrix, Smith, smith, with_simple_rows
from tests.support.tiers import samples

ENTRY = st.integers(-6, 6)


def product(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> Matrix:
    """The product of two matrices; `b` has as many rows as `a` has columns."""
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(r, c, strict=True)) for c in columns] for r in a]


def pseudo_inverse(form: Smith) -> list[list[Fraction]]:
    """A matrix with `A inverse A = A`."""
    pairs = zip(form.diagonal, form.U, strict=False)
    scaled = [[Fraction(u, d) for u in row] for d, row in pairs]
    columns = list(zip(*scaled, strict=True)) if scaled else [()] * len(form.U)
    return [
        [sum((v * x for v, x in zip(row, c, strict=False)), Fraction(0)) for c in columns]
        for row in form.V
    ]


def solves(form: Smith, b: Sequence[int]) -> bool:
    """Whether `A x = b` has an integer solution."""
    image = [sum(u * x for u, x in zip(row, b, strict=True)) for row in form.U]
    divisible = all(y % d == 0 for y, d in zip(image, form.diagonal, strict=False))
    return divisible and not any(image[form.rank :])


@st.composite
def matrices(draw: st.DrawFn, most: int = 4) -> Matrix:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    row = st.lists(ENTRY, min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


def determinant(a: Matrix) -> int:
    if not a:
        return 1
    minors = ([row[:j] + row[j + 1 :] for row in a[1:]] for j in range(len(a)))
    pairs = zip(a[0], minors, strict=True)
    return sum((-1) ** j * x * determinant(m) for j, (x, m) in enumerate(pairs))


@settings(max_examples=samples(50, 200), deadline=None)
@given(matrices())
def test_the_definition(a: Matrix) -> None:
    form = smith(a)
    found = product(product(form.U, a), form.V)
    for i, row in enumerate(found):
        for j, entry in enumerate(row):
            assert entry == (form.diagonal[i] if i == j and i < form.rank else 0)
    assert abs(determinant(form.U)) == abs(determinant(form.V)) == 1
    assert all(d > 0 for d in form.diagonal)
    pairs = zip(form.diagonal, form.diagonal[1:], strict=False)
    assert all(larger % smaller == 0 for smaller, larger in pairs)


@settings(max_examples=80, deadline=None)
@given(matrices())
def test_the_first_invariant_is_the_common_divisor(a: Matrix) -> None:
    common = gcd(*(x for row in a for x in row))
    assert smith(a).diagonal[:1] == ((common,) if common else ())


@settings(max_examples=80, deadline=None)
@given(matrices())
def test_kernel_cokernel_and_inverse(a: Matrix) -> None:
    form = smith(a)
    assert not any(x for row in product(form.U[form.rank :], a) for x in row)
    assert not any(x for row in product(a, form.kernel) for x in row)
    assert len(form.kernel[0]) == len(a[0]) - form.rank
    inverse = pseudo_inverse(form)
    columns = list(zip(*a, strict=True))
    once = [[sum(r * c for r, c in zip(row, col, strict=True)) for col in columns]
            for row in inverse]  # fmt: skip
    back = list(zip(*once, strict=True))
    again = [[sum(Fraction(x) * y for x, y in zip(row, col, strict=True)) for col in back]
             for row in a]  # fmt: skip
    assert again == a


@settings(max_examples=30, deadline=None)
@given(matrices(2), st.lists(st.integers(-3, 3), min_size=2, max_size=2))
def test_solvability(a: Matrix, right: list[int]) -> None:
    """Any solution of a small system has one near zero; the search is wide enough for it."""
    b = right[: len(a)]
    if len(b) < len(a):
        return
    near = points(range(-40, 41), repeat=len(a[0]))
    solvable = any(
        all(
            sum(x * y for x, y in zip(row, p, strict=True)) == z
            for row, z in zip(a, b, strict=True)
        )
        for p in near
    )
    assert solves(smith(a), b) == solvable


@settings(max_examples=80, deadline=None)
@given(matrices())
def test_another_basis_of_the_kernel(a: Matrix) -> None:
    kernel = smith(a).kernel
    if not kernel[0]:
        return
    basis, rows = with_simple_rows(kernel, range(len(kernel)))
    for column, row in enumerate(rows):
        assert basis[row][column] > 0
        assert not any(basis[row][column + 1 :])
    # The same lattice: each basis is an integer combination of the other.
    for one, other in ((kernel, basis), (basis, kernel)):
        assert all(solves(smith(one), list(column)) for column in zip(*other, strict=True))


def test_large_numbers_are_exact() -> None:
    big = 10**40
    assert smith([[big, big + 1]]).diagonal == (1,)
    assert pseudo_inverse(smith([[2 * big, 4 * big]]))[0] == [Fraction(1, 2 * big)]
    assert smith([], 2).kernel == [[1, 0], [0, 1]]
    assert smith([[0, 0]]).diagonal == ()
