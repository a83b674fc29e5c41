"""Dask's arrays in blocks of rows: right, in few passes, and never together in one place."""

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.backends.blocks import plan
from eggrad.engine.backends.dask_graphs import Graph
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term
from tests.support import numeric_terms
from tests.support.tiers import samples

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytest.importorskip("array_api_compat")

CHUNKS = (100,) * 10 + (3,)
ROWS = sum(CHUNKS)
SIZES = {"n": ROWS, "d": 6, "k": 3, "h": 4}
LARGEST = 100 * 6


def variable(name: str, *dims: str) -> eg.Expression:
    return eg.variable(name, dims)


X, y, w, v = variable("X", "n", "d"), variable("y", "n"), variable("w", "d"), variable("v", "d")
Y, W, V = variable("Y", "n", "k"), variable("W", "d", "k"), variable("V", "d", "k")
A, b, c = variable("A", "d", "h"), variable("b", "h"), variable("c", "h")
P, Q = variable("P", "n", "k"), variable("Q", "d", "k")


def with_derivatives(loss: eg.Expression, x: eg.Expression) -> list[eg.Expression]:
    return [loss, eg.gradient(loss, x), eg.hessian(loss, x)]


def logistic() -> eg.Expression:
    return eg.sum(eg.log(1 + eg.exp(-y * (X @ w))))


def softmax() -> eg.Expression:
    z = X @ W
    return eg.sum(eg.log(eg.sum(eg.exp(z), axis=1))) - eg.sum(Y * z)


def network() -> eg.Expression:
    return eg.sum((eg.tanh(X @ A + b) @ c - y) ** 2)


def gauss_newton() -> list[eg.Expression]:
    residual = eg.tanh(X @ w) - y
    jacobian = eg.jacobian(residual, w)
    return [jacobian.T @ residual, jacobian.T @ jacobian, jacobian.T @ (jacobian @ v)]


def factorization() -> list[eg.Expression]:
    loss = eg.sum((X - P @ Q.T) ** 2)
    return [loss, eg.gradient(loss, P), eg.gradient(loss, Q)]


def shifted() -> list[eg.Expression]:
    centred = X - eg.sum(X, axis=0) / X.shape[0]
    loss = eg.sum(eg.exp(centred @ w))
    return [loss, eg.gradient(loss, w), centred @ w]


MODELS = {
    "logistic": lambda: with_derivatives(logistic(), w),
    "poisson": lambda: with_derivatives(eg.sum(eg.exp(X @ w) - y * (X @ w)), w),
    "softmax": lambda: with_derivatives(softmax(), W),
    "softmax's product": lambda: [softmax(), eg.hvp(softmax(), W, "V")],
    "network": lambda: [network(), *(eg.gradient(network(), p) for p in (A, b, c))],
    "gauss-newton": gauss_newton,
    "factorization": factorization,
    "extremes": lambda: [eg.max(X, axis=0), eg.min(X, axis=0), eg.max(X, axis=1)],
    "large exponents": lambda: [
        eg.log(eg.sum(eg.exp(800 * X), axis=0)),
        eg.sum((1e200 * y) ** 2) ** 0.5,
    ],
    "what is small": lambda: [W.T @ W, eg.sum(w), eg.sum(X) * eg.exp(w)],
}


def values_of(roots: Sequence[eg.Expression]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    own = {u.name: u.dims for r in roots for u in r.variables}
    shapes = {name: tuple(SIZES[str(d)] for d in dims) for name, dims in sorted(own.items())}
    return {name: rng.normal(size=shape) / 3 for name, shape in shapes.items()}


class Source:
    """An array on disk, as far as Dask knows; a file has a line for each block that is read."""

    def __init__(self, values: Any, log: Path, name: str) -> None:
        self.values, self.log, self.name = values, log, name
        self.shape, self.dtype, self.ndim = values.shape, values.dtype, values.ndim

    def __getitem__(self, key: Any) -> Any:
        with self.log.open("a") as lines:
            lines.write(f"{self.name} {key}\n")
        return self.values[key]


def divided(values: dict[str, Any], log: Path) -> dict[str, Any]:
    """The arrays with rows as Dask's, read block by block."""
    return {
        name: da.from_array(
            Source(x, log, name),
            chunks=(CHUNKS, *x.shape[1:]),
            name=f"source-{name}",
            meta=np.empty((0,) * x.ndim),
        )
        if x.shape[:1] == (ROWS,)
        else x
        for name, x in values.items()
    }


class Largest(dask.callbacks.Callback):
    """The entries of the largest array that a task gives."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = 0

    def _posttask(self, key: object, result: Any, *_: object) -> None:
        every = result if isinstance(result, tuple | list) else [result]
        arrays = [r.size for r in every if isinstance(r, np.ndarray)]
        self.entries = max([self.entries, *arrays])


def computed(results: Sequence[Any]) -> Any:
    return dask.compute(*results, scheduler="sync")


def assert_equal(found: Sequence[Any], expected: Sequence[Any]) -> None:
    for one, other in zip(found, expected, strict=True):
        scale = 1e-10 * (1 + np.max(np.abs(other)))
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=scale)


@pytest.mark.parametrize("model", MODELS)
def test_blocks_give_numpys_values_from_one_pass(model: str, tmp_path: Path) -> None:
    roots = MODELS[model]()
    values, log = values_of(roots), tmp_path / "log"
    lazy = eg.compile(roots, backend="dask")(**divided(values, log))
    assert not log.exists()
    with Largest() as largest:
        found = computed(lazy)
    assert_equal(found, eg.compile(roots)(**values))
    reads = Counter(log.read_text().splitlines())
    assert {*reads.values()} == {1}
    assert len(reads) == len(CHUNKS) * sum(x.shape[:1] == (ROWS,) for x in values.values())
    if not any(ROWS in x.shape for x in lazy):
        assert largest.entries <= LARGEST


def test_one_task_reads_and_computes_a_block(tmp_path: Path) -> None:
    roots = MODELS["logistic"]()
    lazy = eg.compile(roots, backend="dask")(**divided(values_of(roots), tmp_path / "log"))
    graph = dict(dask.optimize(*lazy)[0].__dask_graph__())
    assert len(graph) < 2 * len(CHUNKS) + 5


def test_what_needs_a_mean_reads_twice_and_keeps_nothing(tmp_path: Path) -> None:
    roots = shifted()
    values, log = values_of(roots), tmp_path / "log"
    lazy = eg.compile(roots[:2], backend="dask")(**divided(values, log))
    with Largest() as largest:
        found = computed(lazy)
    assert_equal(found, eg.compile(roots[:2])(**values))
    assert {*Counter(log.read_text().splitlines()).values()} == {2}
    assert largest.entries <= LARGEST
    rows = eg.compile(roots, backend="dask")(**divided(values, log))[2]
    assert rows.chunks == (CHUNKS,)
    assert_equal(computed([rows]), [eg.compile(roots[2])(**values)])


@pytest.mark.parametrize("model", ["logistic", "softmax", "factorization", "extremes"])
def test_columns_may_be_divided_too(model: str) -> None:
    roots = MODELS[model]()
    values = values_of(roots)
    lazy = eg.compile(roots, backend="dask")(**values | {"X": da.from_array(values["X"], (100, 4))})
    assert_equal(computed(lazy), eg.compile(roots)(**values))


@pytest.mark.filterwarnings("ignore:Increasing number of chunks")
def test_rows_that_need_one_another() -> None:
    root = eg.sum(eg.exp(X @ X.T) @ y)
    assert plan((root.term,), "n") is None
    values = values_of([root])
    lazy = eg.compile(root, backend="dask")(**values | {"X": da.from_array(values["X"], (300, 6))})
    assert_equal(computed([lazy]), [eg.compile(root)(**values)])


def test_arrays_are_divided_alike() -> None:
    roots = MODELS["logistic"]()
    values = values_of(roots)
    given = {"X": da.from_array(values["X"], (97, 6)), "y": da.from_array(values["y"], 400)}
    lazy = eg.compile(roots, backend="dask")(**values | given)
    assert_equal(computed(lazy), eg.compile(roots)(**values))


def test_single_precision_stays() -> None:
    roots = MODELS["gauss-newton"]()
    values = {name: x.astype("float32") for name, x in values_of(roots).items()}
    lazy = eg.compile(roots, backend="dask")(**values | {"X": da.from_array(values["X"], (100, 6))})
    found = computed(lazy)
    assert {x.dtype for x in (*lazy, *found)} == {np.dtype("float32")}
    for one, other in zip(found, eg.compile(roots)(**values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_the_same_call_has_the_same_keys(tmp_path: Path) -> None:
    roots = MODELS["logistic"]()
    values = divided(values_of(roots), tmp_path / "log")
    function = eg.compile(roots, backend="dask")
    once, again = function(**values), eg.compile(roots, backend="dask")(**values)
    assert [x.name for x in once] == [x.name for x in again]
    other = function(**values | {"w": np.ones(6)})
    assert {x.name for x in once}.isdisjoint(x.name for x in other)


@settings(max_examples=samples(150, 600), deadline=None)
@given(numeric_terms.roots(), st.integers(0, 2**32 - 1), st.sampled_from(["m", "n"]))
def test_random_terms_in_blocks(roots: list[Term], seed: int, symbol: str) -> None:
    own = plan(tuple(roots), symbol)
    variables = t.variables(*roots)
    sizes, chunks = {"m": 5, "n": 5}, (2, 2, 1)
    if own is None or not any(symbol in u.dims for u in variables):
        return
    values = oracle.random_values(variables, sizes, np.random.default_rng(seed))
    dims = {u.name: u.dims for u in variables}
    arrays = {name: da.from_array(np.asarray(x, float)) for name, x in values.items()}
    graph = Graph(own, dims, chunks, sizes, arrays)
    lazy = [graph.result(r) for r in roots]
    with np.errstate(all="ignore"):
        found = computed(lazy)
    assert [x.shape for x in lazy] == [x.shape for x in found]
    if numeric_terms.is_tame(roots, values, sizes):
        for one, other in zip(found, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)


def test_threads_give_the_same() -> None:
    roots = MODELS["logistic"]()
    values = values_of(roots)
    lazy = eg.compile(roots, backend="dask")(**values | {"X": da.from_array(values["X"], (10, 6))})
    found = dask.compute(*lazy, scheduler="threads", num_workers=4)
    assert_equal(found, eg.compile(roots)(**values))


def test_blocks_without_rows() -> None:
    root = eg.max(X, axis=0)
    x = np.arange(12.0).reshape(6, 2)
    lazy = eg.compile(root, backend="dask")(X=da.from_array(x, ((3, 0, 3), (2,))))
    assert lazy.compute(scheduler="sync").tolist() == [10, 11]


def test_names_do_not_clash() -> None:
    n, known = variable("n", "n", "d"), variable("known0_0", "d")
    root = eg.sum(eg.exp(n @ eg.exp(known))) + eg.sum(known)
    values = {"n": np.ones((10, 2)), "known0_0": np.array([0.5, -0.5])}
    lazy = eg.compile(root, backend="dask")(**values | {"n": da.ones((10, 2), chunks=(3, 2))})
    assert_equal(computed([lazy]), [eg.compile(root)(**values)])


def slow(x: Any) -> Any:
    time.sleep(0.05)
    return x


def test_a_lost_worker_costs_time_alone() -> None:
    distributed = pytest.importorskip("distributed")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    roots = MODELS["logistic"]()
    values = values_of(roots)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # A worker is started anew; what it had is computed again.
        x = da.from_array(values["X"], (25, 6)).map_blocks(slow, dtype=float, meta=np.empty((0, 0)))
        lazy = eg.compile(roots, backend="dask")(**values | {"X": x})
        pid = next(iter(client.run(os.getpid).values()))
        futures = client.compute(lazy)
        time.sleep(0.5)
        os.kill(pid, signal.SIGKILL)
        assert_equal(client.gather(futures), eg.compile(roots)(**values))
        assert pid not in client.run(os.getpid).values()
