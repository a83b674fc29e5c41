"""Generated code with indicators: slices and views instead of arrays of zeros and ones."""

import subprocess
import sys
import tracemalloc
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.affine import form
from eggrad.engine.normal_forms.index_ranges import greatest_indices
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from tests.support.values import evaluated

RNG = np.random.default_rng(0)
VALUES = {"A": RNG.normal(size=(4, 6)), "x": RNG.normal(size=6), "w": RNG.normal(size=3)}
A, x = eg.variable("A", ("m", "n")), eg.variable("x", ("n",))
X, W = eg.variable("x", (6,)), eg.variable("w", (3,))

SLICES = [
    (x[2], "x[2]"),
    (A[:, 2], "A[:, 2]"),
    (A[1], "A[1]"),
    (A[1, 2], "A[1, 2]"),
    (x[:3], "x[:3]"),
    (x[1:4], "x[1:4]"),
    (x[0:5:2], "x[:5:2]"),
    (x[::-1], "x[::-1]"),
    (A[::-1, 1:3], "A[::-1, 1:3]"),
    (np.diff(X), "x[1:]"),
]


@pytest.mark.parametrize(("f", "text"), SLICES, ids=[text for _, text in SLICES])
def test_slices(f: eg.Expression, text: str) -> None:
    compiled = eg.compile(f)
    assert text in compiled.source
    assert "indicator" not in compiled.source
    assert text in f.to("python")
    (expected,) = oracle.evaluate([f.term], VALUES, {"m": 4, "n": 6})
    np.testing.assert_allclose(evaluated(f, VALUES), expected)


SUMS = [
    (np.cumsum(x), "x.cumsum()"),
    (np.flip(np.cumsum(np.flip(x))), "x[::-1].cumsum()[::-1]"),
    (np.cumsum(A, axis=0), "A.cumsum(axis=0)"),
    (np.cumsum(A, axis=1), "A.cumsum(axis=1)"),
    (np.cumsum(A, axis=1).T, "A.cumsum(axis=1)"),
    (np.flip(np.cumsum(np.flip(A, 1), axis=1), 1), "A[:, ::-1].cumsum(axis=1)[:, ::-1]"),
]


@pytest.mark.parametrize(("f", "text"), SUMS, ids=range(len(SUMS)))
def test_running_sums(f: eg.Expression, text: str) -> None:
    compiled = eg.compile(f)
    assert text in compiled.source
    assert "indicator" not in compiled.source
    (expected,) = oracle.evaluate([f.term], VALUES, {"m": 4, "n": 6})
    np.testing.assert_allclose(compiled(**{v.name: VALUES[v.name] for v in f.variables}), expected)


def spread(array: t.Term, size: t.Size, constraint: list[tuple[int | str, int]]) -> t.Term:
    """A vector's entries in a larger one: `constraint` is 0 where (0) is at the vector's (1)."""
    place = t.indicator((size, *array.dims), [("=", tuple(constraint))])
    return t.einsum("ij,j->i", place, array)


v, z, B = t.variable("v", (3,)), t.variable("z", ("n",)), t.variable("B", ("m", "n"))
BEHIND = spread(z, "n + 1", [(0, 1), (1, -1), ("", -1)])
FIRST = spread(z, "2*n", [(0, 1), (1, -1)])
SECOND = spread(t.apply("sin", z), "2*n", [(0, 1), (1, -1), ("n", -1)])
EVERY_OTHER = spread(v, 8, [(0, 1), (1, -2), ("", -1)])
ROW = t.einsum("i,j->ij", t.indicator((4,), [("=", ((0, 1), ("", -2)))]), z)
COLUMNS = t.einsum(
    "jk,ik->ij", t.indicator(("n + 1", "n"), [("=", ((0, 1), (1, -1), ("", -1)))]), B
)
PARTS = [
    (BEHIND, "[1:] = z"),
    (t.add(t.variable("w", ("n + 1",)), BEHIND), "t1[1:] += z"),
    (t.subtract(BEHIND, t.apply("exp", t.variable("w", ("n + 1",)))), "[1:] += z"),
    (t.subtract(t.apply("exp", t.variable("w", ("n + 1",))), BEHIND), "t1[1:] -= z"),
    (t.add(FIRST, SECOND), "t2[n:] += t1"),
    (t.apply("exp", FIRST), "[:n] = z"),
    (t.negate(BEHIND), "[1:] = z"),
    (t.einsum("i,i->", BEHIND, BEHIND), "[1:] = z"),
    (EVERY_OTHER, "[1:6:2] = v"),
    (ROW, "[2] = z"),
    (t.add(COLUMNS, t.constant(1, ("m", "n + 1"))), "[:, 1:] += B"),
    (t.einsum("ij->ji", COLUMNS), "[:, 1:] = B"),
]


@pytest.mark.parametrize(("root", "text"), PARTS, ids=range(len(PARTS)))
def test_parts_of_an_array_are_written_into_it(root: t.Term, text: str) -> None:
    compiled = compile_terms([root, root], sizes={"n": 4})
    assert text in compiled.source
    assert "indicator" not in compiled.source
    sizes = {"m": 2, "n": 4}
    values = oracle.random_values(t.variables(root), sizes, np.random.default_rng(1))
    before = {name: own.copy() for name, own in values.items()}
    (expected,) = oracle.evaluate([root], values, sizes)
    for found in compiled(**values):
        np.testing.assert_allclose(found, expected)
    for name, own in values.items():
        np.testing.assert_array_equal(own, before[name])


def test_a_part_that_may_not_fit_is_not_written_so() -> None:
    """A vector of three entries goes into one of n entries by a call."""
    root = spread(v, "n", [(0, 1), (1, -1), ("", -1)])
    compiled = compile_terms([root], (t.variable("z", ("n",)),))
    assert "indicator_product" in compiled.source
    (found,) = compiled(v=np.ones(3), z=np.ones(6))
    np.testing.assert_array_equal(found, [0, 1, 1, 1, 0, 0])


SIZES: list[t.Size] = [1, 2, 3, 4, 8, "n", "n", "n + 1", "n - 1", "2*n", "4*n"]


def random_product(random: Random) -> t.Term:
    """An indicator of a shift, a count, a place or a bound or two, times an array."""
    sizes = [random.choice(SIZES) for _ in range(random.randint(2, 5))]
    every = range(len(sizes))
    other, out = (tuple(random.sample(every, random.randint(1, min(3, len(sizes))))) for _ in "ab")
    more = {*random.sample(every, random.randint(1, len(sizes)))}
    part = tuple(sorted({*every} - ({*other} & {*out}) | more))
    constraints: list[tuple[str, Any]] = []
    for _ in range(random.randint(1, 2)):
        own = random.sample(range(len(part)), min(len(part), random.choice([1, 2, 2, 3])))
        number = random.choice([("", c) for c in (0, 0, 0, 1, 2, -1)] + [("n", 1), ("n", -1)])
        relation, signs = "=", [1, -1]
        if len(own) == 1:
            relation, signs = random.choice(["=", ">="]), [random.choice([1, -1])]
        elif len(own) == 3:
            fast = sizes[part[own[1]]]
            signs = [fast if isinstance(fast, int) else 4, 1, -1]
        constraints.append((relation, form([*zip(own, signs, strict=True), number])))
    indicator = t.indicator(tuple(sizes[i] for i in part), constraints)
    array = t.variable("x", tuple(sizes[i] for i in other))
    return t.einsum((part, other, out), indicator, array)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_random_views_have_the_values_of_the_oracle(n: int) -> None:
    """Where an index is out of range both refuse; of what is left some take no call."""
    seen = [0, 0]
    for seed in range(400):
        root = random_product(Random(seed))
        given = [v for v in t.variables(root) if v.name == "x"]
        scope = (t.variable("w", root.dims), t.variable("z", ("n",)))
        compiled = compile_terms([root, t.add(root, scope[0])], scope)
        variables = dict.fromkeys([*given, *scope])
        values = oracle.random_values([*variables], {"n": n}, np.random.default_rng(seed))
        try:
            found = compiled(**values)
        except ShapeError:
            continue
        (expected,) = oracle.evaluate([root], values, {"n": n})
        np.testing.assert_allclose(found[0], expected, rtol=1e-12)
        np.testing.assert_allclose(found[1], expected + values["w"], rtol=1e-12)
        seen["indicator" in compiled.source] += 1
    assert min(seen) > 30


def test_a_product_of_running_sums_is_not_summed_in_three_axes() -> None:
    """The Hessian of a sum up to each place: sums of n x n entries, never of n x n x n."""
    rng = np.random.default_rng(1)
    f = eg.sum(np.log(np.cumsum(np.exp(x))))
    hessian = eg.compile(eg.hessian(f, x))
    given = rng.normal(size=400)
    hessian(x=given[:9])
    tracemalloc.start()
    found = hessian(x=given)
    assert tracemalloc.get_traced_memory()[1] < 8 * found.nbytes
    tracemalloc.stop()
    (expected,) = oracle.evaluate([eg.hessian(f, x).term], {"x": given[:9]}, {"n": 9})
    np.testing.assert_allclose(hessian(x=given[:9]), expected, rtol=1e-10)


def test_a_result_shares_no_memory_with_what_was_given() -> None:
    given = np.ones(6)
    for f in (x[1:4], x[::-1], np.reshape(X, (2, 3))):
        assert not np.shares_memory(eg.compile(f)(x=given), given)


def test_nobody_writes_to_an_argument() -> None:
    """What is added to a view is added elsewhere."""
    given = VALUES["x"].copy()
    f = eg.compile((2 * x[1:4] + x[:3]) * x[1:4] + 1)
    f(x=given)
    assert (given == VALUES["x"]).all()


def test_arrays_of_ones_are_nobodys() -> None:
    f = compile_terms([t.indicator((3,), [("=", ((0, 1), ("", -1)))])], single=True)
    first = f()
    first[:] = 7
    assert (f() == [0, 1, 0]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes(dtype: type) -> None:
    for f in (x[1:4], np.cumsum(x), np.pad(X, 1), eg.gradient(np.cumsum(x) @ x, x)):
        value = eg.compile(f)(x=VALUES["x"].astype(dtype))
        assert value.dtype == dtype


def test_a_correlation_and_its_gradients_need_no_indicator() -> None:
    rng = np.random.default_rng(1)
    n, k = 3000, 32
    signal, kernel = eg.variable("x", (n,)), eg.variable("w", (k,))
    loss = np.sum(np.correlate(signal, kernel) ** 2)
    v, u = rng.normal(size=n), rng.normal(size=k)
    windows = np.lib.stride_tricks.sliding_window_view(v, k)
    residual = 2 * (windows @ u)
    for wrt, expected in (("w", windows.T @ residual), ("x", np.convolve(residual, u))):
        compiled = eg.compile(eg.gradient(loss, wrt))
        tracemalloc.start()
        value = compiled(x=v, w=u)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-9)
        # The windows, or one product with each of their entries; no array of n times n.
        assert peak < 3 * 8 * n * k


def test_a_cumulative_sum_takes_no_triangle() -> None:
    rng = np.random.default_rng(1)
    compiled = eg.compile(eg.gradient(np.sum(np.cumsum(x) ** 2), x))
    v = rng.normal(size=100_000)
    value = compiled(x=v)
    np.testing.assert_allclose(value, 2 * np.cumsum(np.cumsum(v)[::-1])[::-1], rtol=1e-9)


def test_greatest_indices() -> None:
    assert greatest_indices([(x[3] * x[-5] + x[:2].sum()).term]) == {"n": 4}
    assert greatest_indices([np.cumsum(x).term, x[::-1].term]) == {}


PYTHON = [x[2] * A[:, 1], np.tril(A), np.cumsum(x), np.correlate(X, W), np.pad(X, 1), A[::-1, 1:3]]


@pytest.mark.parametrize("k", range(len(PYTHON)))
def test_python_text_runs_alone(k: int) -> None:
    f = PYTHON[k]
    names = [v.data[0] for v in f.variables]
    given = ", ".join(f"{n}=np.array({VALUES[n].tolist()})" for n in names)
    program = f"import numpy as np\n{f.to('python')}\nprint(f({given}).tolist())"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(eval(ran.stdout), evaluated(f, VALUES, reference=True), atol=1e-12)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (x[2], "f = Σᵢ [i=2] xᵢ"),
        (np.tril(A), "fᵢⱼ = [i≥j] Aᵢⱼ"),
        (x[::-1], "fᵢ = Σⱼ [i+j+1=n] xⱼ"),
        (np.sum(x[:3]), "f = Σᵢⱼ [i=j] xⱼ"),
    ],
)
def test_index_notation(f: eg.Expression, text: str) -> None:
    assert f.to("index") == text
    assert f.to("latex")
    assert f.to("dot").startswith("digraph")
