"""Products with few columns, sums of outer products, and products that share a matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.compilation.products import find_batches, scheduled
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from tests.support.tiers import samples

SIZES = ("k", "l", "m", "n")


@pytest.mark.parametrize("spec", ["ij,jk->ik", "ij,kj->ki", "ji,jk->ik", "ji,kj->ki", "ij,jk->ki"])
@pytest.mark.parametrize("columns", [2, 16, 50])
def test_few_columns_come_first(spec: str, columns: int) -> None:
    """Unless the product is small, and the large matrix is read by rows."""
    names = {"i": "n", "j": "n", "k": "s"}
    parts = spec.partition("->")[0].split(",")
    left, right = (
        t.variable(name, [names[i] for i in own]) for name, own in zip("AB", parts, strict=True)
    )
    root = t.einsum(spec, left, right)
    sizes = {"n": 300, "s": columns}
    function = compile_terms([root], sizes=sizes)
    by_rows = parts[0] == "ij"
    assert ("A.dot" in function.source) == (by_rows and columns == 2)
    values = oracle.random_values([left, right], sizes, np.random.default_rng(0))
    (expected,) = oracle.evaluate([root], values, sizes)
    np.testing.assert_allclose(function(**values)[0], expected, 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("kij,i->kj", "B @ A"),
        ("ij,kjl->kil", "A @ B"),
        ("ji,kjl->kil", "A.T @ B"),
        ("kijl,ij->kl", "(B.ravel() @ A.reshape(k, n * n, l))"),
        ("kijl,ijm->kml", "(B.reshape(n * n, m).T @ A.reshape(k, n * n, l))"),
        ("klijm,i->kljm", "(B @ A.reshape(k * l, n, n * m)).reshape(k, l, n, m)"),
    ],
)
def test_what_is_summed_between_other_axes_is_not_copied(spec: str, text: str) -> None:
    sizes = {"i": "n", "j": "n", "k": "k", "l": "l", "m": "m"}
    parts = spec.partition("->")[0].split(",")
    left, right = (
        t.variable(name, [sizes[i] for i in own]) for name, own in zip("AB", parts, strict=True)
    )
    root = t.einsum(spec, left, right)
    function = compile_terms([root], sizes={"n": 9, "k": 8, "l": 9, "m": 7})
    assert text in function.source or f"{text[1:-1]}" in function.source
    numbers = {"n": 4, "k": 3, "l": 2, "m": 5}
    values = oracle.random_values([left, right], numbers, np.random.default_rng(0))
    (expected,) = oracle.evaluate([root], values, numbers)
    np.testing.assert_allclose(function(**values)[0], expected, 1e-9, 1e-9)


def test_systems_with_one_matrix_are_solved_together() -> None:
    """But for one whose right side is the solution of another."""
    matrix, b = t.variable("M", ("n", "n")), t.variable("b", ("n",))
    columns = t.variable("C", ("n", "k", "m"))
    first, second = (t.numeric("solve", matrix, right) for right in (b, columns))
    third = t.numeric("solve", matrix, t.apply("sin", first))
    function = compile_terms([first, second, third, t.apply("exp", first)])
    assert function.source.count("solve_all(M") == 1
    assert function.source.count("solve(M") == 1
    sizes = {"n": 4, "k": 2, "m": 3}
    values = oracle.random_values([matrix, b, columns], sizes, np.random.default_rng(0))
    expected = oracle.evaluate([first, second, third, t.apply("exp", first)], values, sizes)
    for found, own in zip(function(**values), expected, strict=True):
        np.testing.assert_allclose(found, own, 1e-9, 1e-9)


# Sums of outer products -------------------------------------------------------------------------


@st.composite
def sums(draw: st.DrawFn) -> t.Term:
    """A sum of outer products of one order, with signs, and at times something else in it."""
    order = draw(st.integers(2, 4))
    dims = SIZES[:order]
    summands: list[t.Term] = []
    for k in range(draw(st.integers(2, 6))):
        left = draw(st.sets(st.integers(0, order - 1), min_size=1, max_size=order - 1))
        axes = [draw(st.permutations(sorted(left)))]
        axes.append(draw(st.permutations([i for i in range(order) if i not in left])))
        factors = [
            t.variable(f"{name}{k}", tuple(dims[i] for i in part))
            for name, part in zip("ab", axes, strict=True)
        ]
        summands.append(t.einsum((*map(tuple, axes), tuple(range(order))), *factors))
    if draw(st.booleans()):
        summands.append(draw(st.sampled_from([t.variable("T", dims), t.constant(2, dims)])))
    while len(summands) > 1:
        a, b = summands.pop(), summands.pop(draw(st.integers(0, len(summands) - 1)))
        build = draw(st.sampled_from([t.add, t.subtract, lambda x, y: t.add(t.negate(x), y)]))
        summands.append(build(a, b))
    return summands[0]


@settings(max_examples=samples(75, 300), deadline=None)
@given(sums(), st.integers(0, 2**32 - 1))
def test_a_sum_of_outer_products_is_the_oracle(term: t.Term, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes([term], rng, choices=(0, 1, 2, 3))
    values = oracle.random_values(t.variables(term), sizes, rng)
    result = compile_terms([term], sizes=dict.fromkeys(SIZES, 100) | sizes, single=True)(**values)
    np.testing.assert_allclose(result, oracle.value(term, values, sizes), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("count", "stacked"), [(2, False), (4, True)])
def test_a_few_small_outer_products_are_added_as_they_are(count: int, stacked: bool) -> None:
    term = t.constant(0, (3, 3))
    for k in range(count):
        u, v = t.variable(f"u{k}", (3,)), t.variable(f"v{k}", (3,))
        term = t.add(term, t.einsum("i,j->ij", u, v))
    assert ("np.array([" in compile_terms([term]).source) is stacked


# Products that share a matrix -------------------------------------------------------------------

A, B = (t.variable(name, ("n", "n")) for name in "AB")
VECTORS = [t.variable(f"x{k}", ("n",)) for k in range(4)]


def times(matrix: t.Term, vector: t.Term) -> t.Term:
    return t.einsum("ij,j->i", matrix, vector)


def tanh(term: t.Term) -> t.Term:
    return t.apply("tanh", term)


def check(roots: list[t.Term], n: int = 100) -> str:
    """Compare with the oracle; return the code."""
    values = oracle.random_values(t.variables(*roots), {"n": n}, np.random.default_rng(0))
    compiled = compile_terms(roots, sizes={"n": n})
    for found, expected in zip(compiled(**values), oracle.evaluate(roots, values), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    return compiled.source


@pytest.mark.parametrize("spec", ["ij,j->i", "ij,i->j", "j,ij->i"])
def test_products_with_one_matrix(spec: str) -> None:
    order = 1 if spec.startswith("j,") else -1
    source = check([tanh(t.einsum(spec, *(A, x)[::-order])) for x in VECTORS])
    assert source.count(".dot(") == 1
    assert "np.array([x0, x1, x2, x3])" in source


def test_vectors_that_are_computed() -> None:
    source = check([times(A, tanh(times(B, x))) for x in VECTORS])
    assert source.count(".dot(") == 2


def test_a_vector_that_needs_another_product_is_left_out() -> None:
    products = [times(A, x) for x in VECTORS]
    later = times(A, tanh(products[0]))
    batches = find_batches([*products, later], CostModel())
    assert set(batches) == set(products)
    assert check([*products, later]).count(".dot(") == 2


def test_two_matrices_do_not_wait_for_each_other() -> None:
    first = times(A, VECTORS[0])
    second = times(B, VECTORS[1])
    rest = [times(m, x) for m in (A, B) for x in VECTORS[2:]]
    roots = [*rest, times(B, tanh(first)), times(A, tanh(second)), first, second]
    order = list(scheduled(roots, find_batches(roots, CostModel())))
    place = {node: k for k, node in enumerate(order)}
    assert all(place[a] < place[node] for node in order for a in node.args)
    check(roots)


@pytest.mark.parametrize("spec", ["ii,i->i", "i,ii->i", "ii,j->j", "ij,j->ij"])
def test_what_is_no_product_of_matrix_and_vector(spec: str) -> None:
    order = 1 if spec.index(",") == 2 else -1
    roots = [t.einsum(spec, *(A, x)[::order]) for x in VECTORS]
    assert find_batches(roots, CostModel()) == {}
    check([*roots, *(times(A, x) for x in VECTORS)])


def test_small_matrices_and_few_vectors_stay_as_they_are() -> None:
    assert find_batches([times(A, x) for x in VECTORS[:2]], CostModel()) == {}
    assert find_batches([times(A, x) for x in VECTORS], CostModel({"n": 50})) == {}


@pytest.mark.parametrize("n", [0, 1, 3])
def test_other_sizes_than_expected(n: int) -> None:
    roots = [times(A, x) for x in VECTORS]
    compiled = compile_terms(roots)
    assert "np.array" in compiled.source
    values = oracle.random_values(t.variables(*roots), {"n": n}, np.random.default_rng(0))
    for found, expected in zip(compiled(**values), oracle.evaluate(roots, values), strict=True):
        np.testing.assert_allclose(found, expected)


SPECS = (*["ij,j->i"] * 4, "ij,i->j", "j,ij->i", "ii,i->i", "ij,ij->i", "ij,jk->ik", "ji,kj->ik")


@st.composite
def programs(draw: st.DrawFn) -> list[t.Term]:
    """Products of a few matrices and vectors with each other, and functions of them."""
    # One matrix is drawn more often than others.
    pool = [A, A, A, B, t.delta(("n",)), *VECTORS]
    for _ in range(draw(st.integers(4, 14))):
        spec = draw(st.sampled_from(SPECS))
        orders = [len(part) for part in spec.partition("->")[0].split(",")]
        args = [draw(st.sampled_from([node for node in pool if node.order == k])) for k in orders]
        pool.append(draw(st.sampled_from([tanh, lambda node: node]))(t.einsum(spec, *args)))
    return pool[9:]


@settings(max_examples=samples(75, 300), deadline=None)
@given(programs(), st.integers(0, 4), st.sampled_from([np.float64, np.complex128]))
def test_random_programs(roots: list[t.Term], n: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    values = oracle.random_values(t.variables(*roots), {"n": n}, rng)
    values = {name: v.astype(dtype) for name, v in values.items()}
    scope = t.variables(*roots)
    compiled = compile_terms(roots, scope, {"n": n} if "n" not in values else None)
    expected = oracle.evaluate(roots, values, {"n": n})
    for found, value in zip(compiled(**values), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)
