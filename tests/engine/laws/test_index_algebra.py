"""Index algebra: what a spec computes, by NumPy's einsum; and its canonical form."""

from collections.abc import Callable

import numpy as np
import pytest

from eggrad.engine.indices.spec import Dims, Spec, canonical, format_spec, parse_spec
from eggrad.engine.laws import primitives as algebra

SEEDS = pytest.mark.parametrize("seed", range(60))
SIZES = (1, 2, 3)


def random_spec(rng: np.random.Generator, operands: int) -> tuple[Spec, list[Dims]]:
    """A spec in canonical form with sizes for its operands' axes."""
    indices = int(rng.integers(1, 5))
    size_of = [int(rng.choice(SIZES)) for _ in range(indices)]
    parts = [
        [int(i) for i in rng.integers(indices, size=int(rng.integers(0, 4)))]
        for _ in range(operands)
    ]
    used = sorted({i for part in parts for i in part})
    kept = [used[int(k)] for k in rng.permutation(len(used)) if rng.random() < 0.6]
    return canonical(parts, kept), [tuple(size_of[i] for i in part) for part in parts]


def spec_onto(rng: np.random.Generator, dims: Dims) -> Spec:
    """A unary spec for a tensor of some axes."""
    names: list[int] = []
    for k, d in enumerate(dims):
        same = [i for i, e in zip(names, dims, strict=False) if e == d]
        names.append(int(rng.choice(same)) if same and rng.random() < 0.4 else k)
    distinct = list(dict.fromkeys(names))
    kept = [distinct[int(k)] for k in rng.permutation(len(distinct)) if rng.random() < 0.7]
    return canonical([names], kept)


def product(spec: Spec, *operands: np.ndarray) -> np.ndarray:
    pairs = [x for pair in zip(operands, spec, strict=False) for x in pair]
    return np.einsum(*pairs, spec[-1])


def check_form(spec: Spec) -> None:
    assert spec == canonical(spec[:-1], spec[-1]), format_spec(spec)


@SEEDS
def test_swap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, (m, n) = random_spec(rng, 2)
    a, b = rng.normal(size=m), rng.normal(size=n)
    swapped = algebra.swap(s)
    check_form(swapped)
    np.testing.assert_allclose(product(swapped, b, a), product(s, a, b))
    assert algebra.swap(swapped) == s


@SEEDS
@pytest.mark.parametrize("operands", [1, 2])
def test_inline(seed: int, operands: int) -> None:
    rng = np.random.default_rng(seed)
    s, dims = random_spec(rng, operands)
    # Some unary spec whose output is the first operand of `s`: from more axes, in another order.
    first = dims[0]
    extra = tuple(int(d) for d in rng.choice(SIZES, size=int(rng.integers(0, 3))))
    labels = list(range(len(first) + len(extra)))
    order = [int(k) for k in rng.permutation(labels)]
    t = canonical([order], labels[: len(first)])
    all_sizes = first + extra
    a = rng.normal(size=[all_sizes[i] for i in order])
    others = [rng.normal(size=d) for d in dims[1:]]
    joined = algebra.inline(s, t)
    check_form(joined)
    np.testing.assert_allclose(product(joined, a, *others), product(s, product(t, a), *others))


@SEEDS
@pytest.mark.parametrize("operands", [1, 2])
def test_compose(seed: int, operands: int) -> None:
    rng = np.random.default_rng(seed)
    s, dims = random_spec(rng, operands)
    arrays = [rng.normal(size=d) for d in dims]
    inner = product(s, *arrays)
    t = spec_onto(rng, inner.shape)
    composed = algebra.compose(t, s)
    check_form(composed)
    np.testing.assert_allclose(product(composed, *arrays), product(t, inner), atol=1e-12)


def test_compose_takes_diagonals() -> None:
    trace = algebra.compose(parse_spec("ii->"), parse_spec("ij,jk->ik"))
    assert format_spec(trace) == "ij,ji->"


@SEEDS
@pytest.mark.parametrize("n", [(), (2,), (2, 3)])
def test_lift(seed: int, n: Dims) -> None:
    rng = np.random.default_rng(seed)
    s, (m, r) = random_spec(rng, 2)
    a, b = rng.normal(size=m + n), rng.normal(size=r)
    lifted, second = algebra.lift(s, n), algebra.lift(s, n, 1)
    check_form(lifted)
    check_form(second)
    for place in np.ndindex(*n):
        np.testing.assert_allclose(
            product(lifted, a, b)[(..., *place)], product(s, a[(..., *place)], b)
        )
    c, d = rng.normal(size=m), rng.normal(size=r + n)
    for place in np.ndindex(*n):
        np.testing.assert_allclose(
            product(second, c, d)[(..., *place)], product(s, c, d[(..., *place)])
        )


# Each with the axes of both operands and the product as NumPy's einsum writes it.
KNOWN: list[tuple[Callable[..., Spec], tuple[Dims, ...], str]] = [
    (algebra.contract_last, ((2,), (3, 4), (5,)), "abc,bcx->ax"),
    (algebra.contract_last, ((), (3,), ()), "b,b->"),
    (algebra.elementwise, ((2, 3),), "ab,ab->ab"),
    (algebra.meet, ((2, 3), (2, 3)), "ab,ab->ab"),
    (algebra.meet, ((2, 3), ()), "ab,->ab"),
    (algebra.meet, ((), (2, 3)), ",ab->ab"),
    (algebra.meet, ((), ()), ",->"),
    (algebra.grouped, ("A,AX->AX", (2, 3), (2, 3, 4)), "ab,abx->abx"),
    (algebra.grouped, ("A,AX->AX", (), (4,)), ",x->x"),
    (algebra.grouped, ("A,X->AX", (2, 3), (4,)), "ab,x->abx"),
    (algebra.grouped, ("A,X->AX", (), ()), ",->"),
    (algebra.grouped, ("ij,jkX->ikX", (2, 3), (3, 2, 4, 5)), "ij,jkxy->ikxy"),
    (algebra.grouped, ("Lij,ik->Lkj", (4, 5, 2, 3), (2, 6)), "xyij,ik->xykj"),
    (algebra.grouped, ("LA,A->L", (4, 2, 3), (2, 3)), "xab,ab->x"),
]


@pytest.mark.parametrize(("function", "dims", "expected"), KNOWN)
def test_known_products(
    function: Callable[..., Spec], dims: tuple[Dims, ...], expected: str
) -> None:
    spec = function(*dims)
    check_form(spec)
    assert spec == parse_spec(expected)


@SEEDS
def test_conditions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = spec_onto(rng, tuple(int(d) for d in rng.choice(SIZES, size=int(rng.integers(0, 4)))))
    source, output = s
    assert algebra.sums_nothing(s) == (set(source) == set(output))
    assert algebra.is_identity(s) == (source == output == tuple(range(len(source))))
    t, _ = random_spec(rng, 2)
    once_and_elsewhere = len(set(t[0])) == len(t[0]) and set(t[0]) <= {*t[1], *t[2]}
    assert algebra.regular(t) == once_and_elsewhere


def test_axes() -> None:
    assert algebra.leading((2, 3, 4), (4,)) == (2, 3)
    assert algebra.leading((2, 3), ()) == (2, 3)
    s = parse_spec("iijk,j->j")
    assert algebra.lone_dims(s, (2, 2, 3, 4)) == (2, 4)
    assert algebra.repeated_dims(s, (2, 2, 3, 4)) == (2,)


@SEEDS
def test_pullback_of_a_product(seed: int) -> None:
    """Cotangent, ones and deltas contract to what every entry of the operand adds to the root."""
    rng = np.random.default_rng(seed)
    s, (m, n) = random_spec(rng, 2)
    a, b = rng.normal(size=m), rng.normal(size=n)
    node = product(s, a, b)
    lead: Dims = (2,) if seed % 2 else ()
    g = rng.normal(size=lead + node.shape)
    known = product(algebra.pull_shared(s, lead), g, b)
    ones = np.ones(algebra.lone_dims(s, m))
    spread = product(algebra.spread_along_lone(s, lead), known, ones)
    again = algebra.repeated_dims(s, m)
    delta = np.eye(int(np.prod(again, dtype=int))).reshape(again + again)
    pulled = product(algebra.tie_repeated(s, lead), spread, delta)
    assert pulled.shape == lead + a.shape
    expected = np.empty_like(pulled)
    for place in np.ndindex(*a.shape):
        unit = np.zeros_like(a)
        unit[place] = 1
        # The product is linear in `a`.
        expected[(..., *place)] = np.tensordot(g, product(s, unit, b), axes=node.ndim)
    np.testing.assert_allclose(pulled, expected, atol=1e-12)
