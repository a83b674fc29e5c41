"""Conditions as sums of simpler ones, and what is equal because ranges are split."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.indices.affine import evaluate, form
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.range_splitting import split
from tests.support.tiers import samples
from tests.support.values import evaluated

Dims = tuple[Any, ...]


def holds(constraints: Constraints, place: tuple[int, ...], sizes: dict[str, int]) -> bool:
    """Whether all conditions hold at the indices of a place."""
    values = [
        (relation, evaluate(f, lambda key: place[key] if isinstance(key, int) else sizes[key]))
        for relation, f in constraints
    ]
    return all(v == 0 if r == "=" else v >= 0 if r == ">=" else v % r == 0 for r, v in values)


@st.composite
def conditions(draw: st.DrawFn) -> tuple[Dims, tuple[Constraint, ...]]:
    """One to three conditions on the indices of one to three axes."""
    dims = draw(st.lists(st.sampled_from(["n", "m", "n - 1", 1, 2, 4]), min_size=1, max_size=3))
    count = len(dims)
    found: list[Constraint] = []
    for _ in range(draw(st.integers(1, 3))):
        terms = [(k, draw(st.integers(-1, 1))) for k in range(count)]
        terms += [("n", draw(st.sampled_from([0, 0, 0, 1, -1]))), ("", draw(st.integers(-3, 3)))]
        found.append((draw(st.sampled_from(["=", ">=", ">=", 2])), form(terms)))
    return tuple(dims), tuple(found)


@settings(max_examples=samples(250, 1000), deadline=None)
@given(drawn=conditions(), known=st.booleans())
def test_splits_are_the_conditions(drawn: tuple[Dims, tuple[Constraint, ...]], known: bool) -> None:
    """At every index, for several sizes; with n >= 3 known where that is so."""
    dims, constraints = drawn
    found = split(dims, constraints, (form([("n", 1), ("", -3)]),) if known else ())
    for n in (3, 5) if known else (1, 2, 3, 5):
        sizes = {"n": n, "m": 3}
        shape = [{"n": n, "m": 3, "n - 1": n - 1}.get(d, d) for d in dims]
        for place in np.ndindex(*shape):
            total = sum(number * holds(p, place, sizes) for p, number in found.items())
            assert total == holds(constraints, place, sizes)


x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
A, B = eg.variable("A", ("n", "n")), eg.variable("B", (3, 3))
u, v = eg.variable("u", (4,)), eg.variable("v", (4,))
w = eg.variable("w", (5,))
U, V = eg.variable("U", ("n", 3)), eg.variable("V", ("m", 3))

EQUAL: dict[str, tuple[Any, Any]] = {
    "all but the first": (np.sum(x[1:]), np.sum(x) - x[0]),
    "all but the last": (np.sum(x[:-1]), np.sum(x) - x[-1]),
    "inner places": (np.sum(x[1:-1]), np.sum(x) - x[0] - x[-1]),
    "squares behind the second": (np.sum(x[2:] ** 2), x @ x - x[0] ** 2 - x[1] ** 2),
    "a place in the middle": (np.sum(x) - x[5], np.sum(x[:5]) + np.sum(x[6:])),
    "telescoping": (np.sum(np.diff(x)), x[-1] - x[0]),
    "summation by parts": (
        np.sum(x[:-1] * np.diff(y)) + np.sum(y[1:] * np.diff(x)),
        x[-1] * y[-1] - x[0] * y[0],
    ),
    "second differences": (
        np.sum(np.diff(x) ** 2),
        2 * x @ x - x[0] ** 2 - x[-1] ** 2 - 2 * np.sum(x[1:] * x[:-1]),
    ),
    "trapezoidal rule": (np.sum((x[1:] + x[:-1]) / 2), np.sum(x) - (x[0] + x[-1]) / 2),
    "rotation": (np.sum(np.roll(x, 1)), np.sum(x)),
    "a rotated sum of squares": (
        np.sum(np.diff(np.roll(y, -1)) ** 2),
        np.sum(np.diff(np.roll(np.roll(np.concatenate([y[:1], y[1:]]), -2), 1)) ** 2),
    ),
    "two pieces": (np.concatenate([x[:1], x[1:]]), x),
    "two pieces of five": (np.concatenate([w[:-1], w[-1:]]), w),
    "triangles": (np.tril(A) + np.triu(A, 1), A),
    "triangles that overlap": (np.tril(A) + np.triu(A) - np.diag(np.diag(A)), A),
    "sums of triangles": (np.sum(np.tril(A, -1)) + np.sum(np.triu(A)), np.sum(A)),
    "a transposed triangle": (np.sum(np.tril(A)), np.sum(np.triu(A.T))),
    "pairs in order": (
        2 * np.sum(np.tril(np.outer(x, x))),
        np.sum(x) ** 2 + x @ x,
    ),
    "a trace": (B[0, 0] + B[1, 1] + B[2, 2], np.trace(B)),
    "a product of entries": (sum(u[k] * v[k] for k in range(4)), u @ v),
    "a norm of entries": (np.sqrt(sum(u[k] ** 2 for k in range(4))), np.linalg.norm(u)),
    "functions of entries": (sum(np.exp(u[k]) for k in range(4)), np.sum(np.exp(u))),
    "outer products of columns": (
        sum(np.outer(U[:, k], V[:, k]) for k in range(3)),
        np.einsum("ir,jr->ij", U, V),
    ),
    "entries stacked": (np.stack([u[0], u[1], u[2], u[3]]), u),
    "a product of sums": (sum(u[k] for k in range(4)) ** 2, np.sum(np.outer(u, u))),
    "a determinant by cofactors": (
        sum(
            B[0, i]
            * (B[1, (i + 1) % 3] * B[2, (i + 2) % 3] - B[1, (i + 2) % 3] * B[2, (i + 1) % 3])
            for i in range(3)
        ),
        sum(
            B[i, 0]
            * (B[(i + 1) % 3, 1] * B[(i + 2) % 3, 2] - B[(i + 2) % 3, 1] * B[(i + 1) % 3, 2])
            for i in range(3)
        ),
    ),
}


@pytest.mark.parametrize(("f", "g"), EQUAL.values(), ids=EQUAL)
def test_ranges_are_split(f: Any, g: Any) -> None:
    assert eg.equivalent(f, g).status == "equal"
    verdict = eg.equivalent(f, 2 * g)
    assert verdict.status == "different"
    values = verdict.witness
    assert values is not None
    assert not np.allclose(evaluated(f, values), 2 * evaluated(g, values))


def slices(random: Random, depth: int) -> Any:
    """A sum over x, or a part of it, as it stands or taken apart at random."""
    a, b = sorted(random.sample(range(4), 2))
    end = random.choice([None, -1, -2])
    whole = np.sum(x[a:end] * y[a:end])
    if depth == 0:
        return whole, whole
    parts = [x[k] * y[k] for k in range(a, b)]
    rest = np.sum(y[b:end] * x[b:end])
    return whole, sum(random.sample([*parts, rest], len(parts) + 1))


@pytest.mark.parametrize("seed", range(20))
def test_sums_taken_apart_at_random(seed: int) -> None:
    random = Random(seed)
    pairs = [slices(random, random.randrange(2)) for _ in range(3)]
    f = sum(whole * (k + 1) for k, (whole, _) in enumerate(pairs))
    g = sum(parts * (k + 1) for k, (_, parts) in enumerate(reversed(pairs)))
    h = sum(parts * (3 - k) for k, (_, parts) in enumerate(reversed(pairs)))
    assert eg.equivalent(f, h).status == "equal"
    verdict = eg.equivalent(f, g)
    values = {"x": np.arange(1.0, 9.0), "y": np.arange(2.0, 10.0) ** 2}
    if verdict.status == "equal":
        assert evaluated(f, values) == evaluated(g, values)
    else:
        assert verdict.status == "different"


def test_places_that_one_side_alone_has() -> None:
    """A sum of three entries is the sum of all where there are three: elsewhere it is not."""
    verdict = eg.equivalent(np.sum(x), x[0] + x[1] + x[2])
    assert verdict.status == "different"
    assert verdict.witness is not None
    assert len(verdict.witness["x"]) > 3


@pytest.mark.parametrize(
    ("f", "g"),
    [
        (np.convolve(x, x), x * x),
        (np.concatenate([x, x[1:]]), x),
        (np.outer(x, np.concatenate([x, x[1:]])), np.outer(x, x)),
        (0 * eg.variable("C", ("m", "n")), 0 * eg.variable("C", ("m", "n")).T),
    ],
)
def test_axes_that_are_equal_at_some_sizes_alone(f: Any, g: Any) -> None:
    """2n - 1 = n has a solution, but the sizes of x are any."""
    verdict = eg.equivalent(f, g)
    assert verdict.status == "different"
    assert "axes" in verdict.reason
    # Symbols that one side alone has may be those of the other.
    assert eg.equivalent(2 * x, 2 * eg.variable("x", ("k",))).status == "equal"


def test_short_axes_do_not_take_long() -> None:
    """Where sums of products prove it, nothing is taken apart place by place."""
    a, b = eg.variable("a", (16,)), eg.variable("b", (16,))
    C, D = eg.variable("C", (16, 16)), eg.variable("D", (16, 16))
    f, g = a[0] + (a + b) @ C @ (D @ b), a[0] + a @ C @ D @ b + b @ C @ D @ b
    assert eg.equivalent(f, g).status == "equal"
