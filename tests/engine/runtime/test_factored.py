"""Factored tensors against their own entries, written out by plain NumPy."""

from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.runtime.factored import FactoredTensor, Part
from tests.support.tiers import samples


def entries(tensor: FactoredTensor) -> np.ndarray:
    """Each entry by itself, as the definition has it."""
    result = np.zeros(tensor.shape, tensor.dtype)
    for part in tensor.parts:
        pairs = list(zip(part.cores, part.axes, strict=True))
        length = {i: n for core, own in pairs for i, n in zip(own, core.shape, strict=True)}
        summed = {i: n for i, n in length.items() if i >= tensor.ndim}
        for place in np.ndindex(*tensor.shape, *summed.values()):
            index = dict(zip((*range(tensor.ndim), *summed), place, strict=True))
            if all(index[k] == index[i] for k, i in enumerate(part.labels)):
                values = [core[tuple(index[i] for i in own)] for core, own in pairs]
                result[place[: tensor.ndim]] += prod(values)
    return result


def as_matrix(tensor: FactoredTensor) -> np.ndarray:
    rows = tensor.shape[: tensor.ndim - tensor.columns]
    return entries(tensor).reshape(prod(rows), tensor.size // prod(rows) if tensor.size else 0)


def random_part(draw: st.DrawFn, shape: tuple[int, ...], rng: np.random.Generator) -> Part:
    labels: list[int] = []
    for axis, n in enumerate(shape):
        alike = [i for i in labels if shape[i] == n]
        labels.append(draw(st.sampled_from([axis, *alike])))
    axes: list[list[int]] = [[] for _ in range(draw(st.integers(1, 2)))]
    for i in dict.fromkeys(labels):
        # In the first core, in the second, in all, in none.
        for own in draw(st.sampled_from([axes[:1], axes[-1:], axes, []])):
            own.append(i)
    length = dict(enumerate(shape))
    if len(axes) == 2 and draw(st.booleans()):
        # The cores are multiplied as matrices are.
        length[len(shape)] = draw(st.integers(0, 2))
        for own in axes:
            own.append(len(shape))
    cores = [rng.normal(size=[length[i] for i in own]) for own in axes]
    if draw(st.integers(0, 9)) == 0:
        cores[0] = cores[0] + 1j * rng.normal(size=cores[0].shape)
    return Part(tuple(cores), tuple(map(tuple, axes)), tuple(labels))


@st.composite
def tensors(draw: st.DrawFn, square: bool = False) -> FactoredTensor:
    """One to three random parts, now and then with an identity that makes them regular."""
    sizes = st.lists(st.sampled_from((0, 1, 2, 2, 3)), max_size=2)
    rows = draw(sizes)
    columns = draw(st.permutations(rows)) if square else draw(sizes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (*rows, *columns)
    parts = [random_part(draw, shape, rng) for _ in range(draw(st.integers(1, 3)))]
    if rows == columns and draw(st.booleans()):
        parts.append(Part((np.array(3.0),), ((),), tuple(range(len(rows))) * 2))
    return FactoredTensor(parts, shape, len(columns))


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8)


@settings(max_examples=samples(100, 400), deadline=None)
@given(tensors())
def test_entries(tensor: FactoredTensor) -> None:
    expected = entries(tensor)
    for found in (tensor.todense(), tensor.toarray(), np.asarray(tensor)):
        assert found.shape == tensor.shape
        assert found.dtype == tensor.dtype
        close(found, expected)
    assert (tensor.size, tensor.ndim) == (expected.size, expected.ndim)
    assert tensor.nbytes == sum(core.nbytes for core in tensor.cores)
    rows, columns = expected.ndim - tensor.columns, tensor.columns
    turned = tensor.transposed()
    assert turned.columns == rows
    close(turned.todense(), expected.transpose(*range(rows, rows + columns), *range(rows)))


@settings(max_examples=samples(100, 400), deadline=None)
@given(tensors(), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_products(tensor: FactoredTensor, several: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = (
        tensor.shape[: tensor.ndim - tensor.columns],
        tensor.shape[tensor.ndim - tensor.columns :],
    )
    matrix = as_matrix(tensor).reshape(prod(rows), prod(columns))
    v = rng.normal(size=columns)
    w = rng.normal(size=rows)
    close(tensor @ v, (matrix @ v.reshape(-1)).reshape(rows))
    close(w @ tensor, (w.reshape(-1) @ matrix).reshape(columns))
    # A flat operand may look like a tensor of the axes; then it is taken as one.
    flat = v.reshape(-1)
    close((tensor @ flat).reshape(-1), matrix @ flat)
    left = w.reshape(-1)
    close((left @ tensor).reshape(-1), left @ matrix)
    some = rng.normal(size=(prod(columns), several))
    if some.shape != columns:
        close(tensor @ some, matrix @ some)
    others = rng.normal(size=(several, prod(rows)))
    if others.shape != rows and others.shape[::-1] != rows:
        close(others @ tensor, others @ matrix)


@settings(max_examples=samples(150, 600), deadline=None)
@given(tensors(square=True), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_systems(tensor: FactoredTensor, several: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = tensor.shape[: tensor.ndim // 2], tensor.shape[tensor.ndim // 2 :]
    matrix = as_matrix(tensor).reshape(prod(rows), prod(columns))
    singular = matrix.size and np.linalg.cond(matrix) > 1e6
    if singular:
        # Exactly singular or nearly: a plain solver does not always notice either.
        with suppress(eg.UnsolvableSystem):
            tensor.solve(np.zeros(rows))
        return
    b = rng.normal(size=rows)
    expected = np.linalg.solve(matrix, b.reshape(-1))
    close(tensor.solve(b), expected.reshape(columns))
    close(tensor.solve(b.reshape(-1)).reshape(-1), expected)
    some = rng.normal(size=(prod(rows), several))
    if some.shape != rows:
        close(tensor.solve(some), np.linalg.solve(matrix, some))


@settings(max_examples=samples(100, 400), deadline=None)
@given(tensors(square=True), st.integers(0, 2**32 - 1))
def test_definite_systems(tensor: FactoredTensor, seed: int) -> None:
    rows, columns = tensor.shape[: tensor.ndim // 2], tensor.shape[tensor.ndim // 2 :]
    assume(rows == columns)
    turned = tensor.transposed()
    hermitian = FactoredTensor(
        [
            *tensor.parts,
            *(Part(tuple(c.conj() for c in p.cores), p.axes, p.labels) for p in turned.parts),
        ],
        tensor.shape,
    )
    matrix = as_matrix(hermitian).reshape(prod(rows), prod(rows))
    smallest = np.linalg.eigvalsh(matrix).min(initial=1)
    assume(abs(smallest) > 1e-3)
    b = np.random.default_rng(seed).normal(size=rows)
    if smallest > 0:
        expected = np.linalg.solve(matrix, b.reshape(-1))
        close(hermitian.solve(b, assume="positive definite"), expected.reshape(rows))
    else:
        with pytest.raises(eg.UnsolvableSystem, match="not positive definite"):
            hermitian.solve(b, assume="positive definite")


@settings(max_examples=samples(50, 200), deadline=None)
@given(tensors(square=True))
def test_diagonal(tensor: FactoredTensor) -> None:
    rows, columns = tensor.shape[: tensor.ndim // 2], tensor.shape[tensor.ndim // 2 :]
    if rows == columns:
        matrix = as_matrix(tensor).reshape(prod(rows), prod(rows))
        close(tensor.diagonal(), np.diagonal(matrix).reshape(rows))
    else:
        with pytest.raises(eg.ShapeError, match="diagonal: rows have axes"):
            tensor.diagonal()


@settings(max_examples=samples(50, 200), deadline=None)
@given(tensors(), st.integers(0, 2**32 - 1))
def test_scipys_operator(tensor: FactoredTensor, seed: int) -> None:
    pytest.importorskip("scipy")
    matrix = as_matrix(tensor)
    assume(matrix.size)
    operator = tensor.aslinearoperator()
    rng = np.random.default_rng(seed)
    assert operator.shape == matrix.shape
    for count in ((), (1,), (3,)):
        v = rng.normal(size=(matrix.shape[1], *count))
        w = rng.normal(size=(matrix.shape[0], *count))
        close(operator @ v, matrix @ v)
        close(operator.H @ w, matrix.conj().T @ w)


def test_each_core_is_solved_alone() -> None:
    """Blocks, one for each tied index, a diagonal, a Kronecker product, a sum of two parts."""
    rng = np.random.default_rng(1)
    n, k = 60, 4
    a, b = rng.normal(size=(n, n)), rng.normal(size=(k, k))
    for parts in (
        [Part((b,), ((1, 3),), (0, 1, 0, 3))],
        [Part((rng.normal(size=(n, k, k)),), ((0, 1, 3),), (0, 1, 0, 3))],
        [Part((rng.uniform(1, 2, size=(n, k)),), ((0, 1),), (0, 1, 0, 1))],
        [Part((a, b), ((0, 2), (1, 3)), (0, 1, 2, 3))],
        [Part((b,), ((1, 3),), (0, 1, 0, 3)), Part((np.ones(n),), ((0,),), (0, 1, 0, 1))],
        [Part((b,), ((1, 3),), (0, 1, 2, 3)), Part((np.array(2.0),), ((),), (0, 1, 0, 1))],
    ):
        tensor = FactoredTensor(parts, (n, k, n, k))
        x = rng.normal(size=(n, k))
        close(tensor.solve(tensor @ x), x)


def test_a_delta_on_more_axes_than_another() -> None:
    rng = np.random.default_rng(1)
    both = [
        Part((np.array(c),), ((),), labels) for c, labels in ((2.0, (0,) * 4), (3.0, (0, 1) * 2))
    ]
    x = rng.normal(size=(4, 4))
    close(FactoredTensor(both, (4,) * 4).solve(3 * x + 2 * np.diag(np.diag(x))), x)


def test_large_definite_matrices() -> None:
    rng = np.random.default_rng(1)
    n = 150
    a = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    positive = a @ a.conj().T + np.eye(n)
    b = rng.normal(size=(2, n))
    for matrix in (positive, positive.real):
        for cores in ((matrix,), (-matrix, np.array(-1.0))):
            axes = ((1, 3), ())[: len(cores)]
            tensor = FactoredTensor([Part(cores, axes, (0, 1, 0, 3))], (2, n, 2, n))
            found = tensor.solve(b, assume="positive definite")
            close(found, np.linalg.solve(matrix, b.T).T)
    turned = FactoredTensor([Part((1j * positive, np.array(-1j)), ((0, 1), ()), (0, 1))], (n, n))
    found = turned.solve(b.T, assume="positive definite")
    close(found, np.linalg.solve(positive, b.T))
    for matrix in (-positive, a + a.conj().T):
        tensor = FactoredTensor([Part((matrix,), ((1, 3),), (0, 1, 0, 3))], (2, n, 2, n))
        with pytest.raises(eg.UnsolvableSystem, match="not positive definite"):
            tensor.solve(b, assume="positive definite")


def test_shown() -> None:
    tensor = FactoredTensor([Part((np.eye(2),), ((1, 3),), (0, 1, 0, 3))], (5, 2, 5, 2))
    assert repr(tensor) == (
        "<FactoredTensor of axes (5, 2, 5, 2), ij->kikj: 4 numbers for 100 entries>"
    )
    assert tensor.parts[0].deltas == ((0, 2),)


def test_errors() -> None:
    tensor = FactoredTensor([Part((np.eye(2),), ((1, 3),), (0, 1, 0, 3))], (3, 2, 3, 2))
    with pytest.raises(eg.ShapeError, match=r"@: .*shape \(2, 3\).*\(3, 2\), or \(6,\).*\(6, k\)"):
        tensor @ np.ones((2, 3))
    with pytest.raises(eg.ShapeError, match="solve: the operand has shape"):
        tensor.solve(np.ones(5))
    with pytest.raises(eg.UnsupportedOperation, match="positive definite' or None, not 'spd'"):
        tensor.solve(np.ones(6), assume="spd")
    wide = FactoredTensor(tensor.parts, tensor.shape, columns=1)
    with pytest.raises(eg.ShapeError, match=r"rows have axes \(3, 2, 3\), columns \(2,\)"):
        wide.solve(np.ones((3, 2, 3)))
    with pytest.raises(ValueError, match="only by being copied"):
        np.asarray(tensor, copy=False)
    with pytest.raises(TypeError):
        np.exp(tensor)
    for core in (np.zeros((2, 2)), np.ones((2, 2))):
        with pytest.raises(eg.UnsolvableSystem, match="singular"):
            FactoredTensor([Part((core,), ((1, 3),), (0, 1, 0, 3))], (3, 2, 3, 2)).solve(np.ones(6))
    with pytest.raises(eg.UnsolvableSystem, match="a zero on a diagonal"):
        FactoredTensor([Part((np.array([1.0, 0.0]),), ((0,),), (0, 0))], (2, 2)).solve([1, 1])
    for parts in ([], [Part((), (), (0, 1))], [Part((np.eye(2),), ((0, 1),), (0, 1))]):
        with pytest.raises(eg.ShapeError, match=r"axes \(2, 3\) needs parts with those axes"):
            FactoredTensor(parts, (2, 3))
    indefinite = FactoredTensor([Part((np.array([[1.0, 2], [2, 1]]),), ((0, 1),), (0, 1))], (2, 2))
    with pytest.raises(eg.UnsolvableSystem, match="not positive definite"):
        indefinite.solve([1, 1], assume="positive definite")
