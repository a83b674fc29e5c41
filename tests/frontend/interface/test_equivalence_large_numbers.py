"""Comparing what has more digits than floats: answers, exact witnesses, and an end."""

from collections.abc import Callable
from fractions import Fraction

import pytest

import eggrad as eg

FAR = [
    ("1e400*c", "2e400*c", "2e+400", "4e+400"),
    ("1e-400*c", "2e-400*c", "2e-400", "4e-400"),
    ("c + 1e-400", "c", "2.0", "2.0\nright - left = -1e-400"),
    ("1e400*c", "1e400*c + c", "2e+400", "2e+400\nright - left = 2.0"),
    ("1e20000*c", "2e20000*c", "2e+20000", "4e+20000"),
    ("(1e300*c)^2", "2e600*c^2", "4e+600", "8e+600"),
]


@pytest.mark.parametrize(("f", "g", "left", "right"), FAR)
def test_a_witness_beyond_the_range_of_floats(f: str, g: str, left: str, right: str) -> None:
    """Both results are exact; what six digits do not show is said."""
    verdict = eg.equivalent(*(eg.parse_matrix(text, {"c": ()}) for text in (f, g)))
    assert verdict.status == "different"
    assert str(verdict).split("\nc = 2.0\n")[1] == f"left = {left}\nright = {right}"
    assert isinstance(verdict.left.item(), Fraction)


@pytest.mark.parametrize(
    ("f", "g"),
    [
        ("1e400*exp(c)", "2e400*exp(c)"),
        ("2^(10^9)*c", "3^(10^9)*c"),
        ("c^1e5000", "c^2e5000"),
        ("((((1e20000)^64)^64)^64)^64*c", "c"),
        ("((((3^16)^16)^16)^16)^16*c", "c"),
        ("(2*c + 2)^-1000000007", "2*(c + 1)^-1000000007"),
    ],
)
def test_numbers_of_too_many_digits_have_an_answer(f: str, g: str) -> None:
    verdict = eg.equivalent(*(eg.parse_matrix(text, {"c": ()}) for text in (f, g)))
    assert verdict.status in ("different", "unknown")


@pytest.mark.parametrize("square", [lambda t: t * t, lambda t: t**2], ids=["product", "power"])
def test_iterated_squares(square: Callable[[eg.Expression], eg.Expression]) -> None:
    """Ten have a power of 1024, which is decided; sixty have one of 10^18."""
    powers = [eg.variable("s")]
    for _ in range(60):
        powers.append(square(powers[-1]))
    verdict = eg.equivalent(powers[10], 2 * powers[10])
    assert verdict.status == "different"
    assert str(verdict) == (
        "different: they differ at these values\ns = 2.0\nleft = 1.79769e+308\nright = 3.59539e+308"
    )
    assert eg.equivalent(powers[60], powers[59]).status == "unknown"
    assert eg.equivalent(powers[60], square(powers[59])).status == "equal"


def test_iterated_squares_of_sums_and_matrices() -> None:
    s, M = eg.variable("s"), eg.variable("M", ("n", "n"))
    for base, square in (
        (s + 1, lambda f: f**2),
        (2 * s + 1, lambda f: f * f),
        (M, lambda f: f @ f),
    ):
        powers = [base]
        for _ in range(40):
            powers.append(square(powers[-1]))
        assert eg.equivalent(powers[40], powers[39]).status in ("different", "unknown")
