"""Entries joined, repeated, padded, inserted and deleted: as of arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.numpy_cases import M, R, T, check_slopes, check_values, v, w

windows = np.lib.stride_tricks.sliding_window_view

Case = tuple[Callable[[Any], Any], Any]

CASES: dict[str, Case] = {
    "rot90 ax": (lambda x: np.rot90(x, 1, (2, 0)), T),
    "fftshift": (np.fft.fftshift, v),
    "fftshift R": (np.fft.fftshift, R[:, :3]),
    "fftshift ax": (lambda x: np.fft.fftshift(x, axes=(0, -1)), T),
    "ifftshift": (np.fft.ifftshift, R),
    "ifftshift ax": (lambda x: np.fft.ifftshift(x, 0), R),
    "diagflat": (lambda x: np.diagflat(x, 1), M),
    "append": (lambda x: np.append(x, 1.0), v),
    "append ax": (lambda x: np.append(x, R[:1], axis=0), R),
    "append n": (lambda x: np.append(x, R), R),
    "dstack": (lambda x: np.dstack([x, R]), R),
    "dstack v": (lambda x: np.dstack([x, x]), v),
    "block": (lambda x: np.block([[x, M], [np.zeros((1, 4)), x[:1]]]), M),
    "block1": (lambda x: np.block([x, 1.0, x]), v),
    "block v": (lambda x: np.block([[x], [x]]), v),
    "array_split": (lambda x: np.array_split(x, 4), v),
    "array_split ax": (lambda x: np.array_split(x, 3, axis=1), R),
    "hsplit": (lambda x: np.hsplit(x, 2), R),
    "hsplit v": (lambda x: np.hsplit(x, [1, 3]), v),
    "vsplit": (lambda x: np.vsplit(x, 3), R),
    "dsplit": (lambda x: np.dsplit(x, 2), T),
    "unstack": (lambda x: np.unstack(x, axis=1), R),
    "delete": (lambda x: np.delete(x, 2), v),
    "delete -": (lambda x: np.delete(x, -1), v),
    "delete l": (lambda x: np.delete(x, [0, 3]), v),
    "delete ax": (lambda x: np.delete(x, 1, axis=1), R),
    "delete sl": (lambda x: np.delete(x, slice(1, 3)), R),
    "delete mask": (lambda x: np.delete(x, np.array([True, False, False, True, False, True])), v),
    "insert": (lambda x: np.insert(x, 2, 7.0), v),
    "insert l": (lambda x: np.insert(x, [1, 3], [7.0, 8.0]), v),
    "insert mask": (
        lambda x: np.insert(x, np.array([True, False, False, True, False, True]), 7.0),
        v,
    ),
    "insert v": (lambda x: np.insert(x, 1, [7.0, 8.0, 9.0]), v),
    "insert ax": (lambda x: np.insert(x, 1, 5.0, axis=1), R),
    "insert axv": (lambda x: np.insert(x, 1, x[:, 0] * 2, axis=1), R),
    "insert row": (lambda x: np.insert(x, 0, R[0], axis=0), R),
    "insert [1] 2d": (lambda x: np.insert(x, [1], R[:, :2], axis=1), R),
    "insert none": (lambda x: np.insert(x, -1, 1.0), R),
    "insert sl": (lambda x: np.insert(x, slice(0, 4, 2), 1.0), v),
    "compress": (lambda x: np.compress([True, False, True], x, axis=0), R),
    "x.compress": (lambda x: x.compress([True, False, True], axis=0), R),
    "extract": (lambda x: np.extract(R > 1, x), R),
    "ediff1d": (np.ediff1d, v),
    "ediff1d2": (lambda x: np.ediff1d(x, to_begin=0.0, to_end=[1.0, 2.0]), R),
    "apply": (lambda x: np.apply_along_axis(lambda r: r**2, 1, x), R),
    "apply 0": (lambda x: np.apply_along_axis(lambda r: np.sum(r**2), 0, x), R),
    "apply T": (lambda x: np.apply_along_axis(lambda r: np.outer(r, r), 1, x), T),
    "apply args": (lambda x: np.apply_along_axis(lambda r, a, b=1: r[:2] * a + b, 0, x, 3, b=2), R),
    "apply v": (lambda x: np.apply_along_axis(np.cumsum, 0, x), v),
    "apply_over": (lambda x: np.apply_over_axes(np.sum, x, [0, 2]), T),
    "sliding": (lambda x: windows(x, 3), v),
    "sliding 2": (lambda x: windows(x, (2, 3)), R),
    "sliding ax": (lambda x: windows(x, 2, axis=0), R),
    "sliding T": (lambda x: windows(x, (2, 2), axis=(1, 1)), R),
    "conv2d": (lambda x: np.einsum("ijkl,kl->ij", windows(x, (2, 2)), M[:2, :2]), M),
    "array_split 2": (lambda x: np.array_split(x, [1, 2]), v),
    "insert multi same": (lambda x: np.insert(x, [2, 2], [7.0, 8.0]), v),
    "copy": (np.copy, R),
    "x.copy": (lambda x: x.copy(), R),
    "asarray like": (lambda x: np.asarray(x, like=x), R),
    "array list like": (lambda x: np.array([[x[0], 1.0], [x[1], x[2]]], like=x), v),
    "repeat": (lambda x: np.repeat(x, 3), v),
    "repeat ax": (lambda x: np.repeat(x, 2, axis=1), R),
    "repeat none": (lambda x: np.repeat(x, 2), R),
    "repeat cnt": (lambda x: np.repeat(x, [1, 0, 3], axis=0), R),
    "x.repeat": (lambda x: x.repeat(2, axis=0), R),
    "repeat 0": (lambda x: np.repeat(x, 0) + 0, v),
    "tile": (lambda x: np.tile(x, 2), v),
    "tile2": (lambda x: np.tile(x, (2, 3)), v),
    "tile 3": (lambda x: np.tile(x, (2, 1, 2)), R),
    "tile R": (lambda x: np.tile(x, 2), R),
    "resize": (lambda x: np.resize(x, (2, 5)), v),
    "resize less": (lambda x: np.resize(x, 4), R),
    "bc arrays": (lambda x: np.broadcast_arrays(x, R[0]), M),
    "meshgrid": (lambda x: np.meshgrid(x, w[:3]), v),
    "meshgrid ij": (lambda x: np.meshgrid(x, w[:3], indexing="ij"), v),
    "meshgrid 3": (lambda x: np.meshgrid(x[:2], w[:3], x[2:]), v),
    "meshgrid sp": (lambda x: np.meshgrid(x, w[:3], sparse=True), v),
    "atleast_1d": (lambda x: np.atleast_1d(x[0]), v),
    "atleast_2d": (np.atleast_2d, v),
    "atleast_3d": (np.atleast_3d, v),
    "atleast_3d R": (lambda x: np.atleast_3d(x, x[0]), R),
    "rollaxis": (lambda x: np.rollaxis(x, 2), T),
    "rollaxis2": (lambda x: np.rollaxis(x, 0, 3), T),
    "permute_dims": (lambda x: np.permute_dims(x, (1, 0)), R),
}

if not hasattr(np, "unstack"):
    # Since NumPy 2.1.
    del CASES["unstack"]

MODES: list[tuple[str, dict[str, Any]]] = [
    ("constant", {}),
    ("constant", {"constant_values": 2.0}),
    ("constant", {"constant_values": ((1.0, 2.0),)}),
    ("edge", {}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("wrap", {}),
    ("linear_ramp", {}),
    ("linear_ramp", {"end_values": (3.0, 4.0)}),
    ("mean", {}),
    ("mean", {"stat_length": 2}),
    ("maximum", {}),
    ("minimum", {"stat_length": (1, 2)}),
]
WIDTHS: list[tuple[Any, Any]] = [(2, v), ((1, 3), v), (((1, 2), (0, 2)), R), (9, v), (1, T)]
LISTS = {
    "einsum": lambda x: np.einsum(x, [0, 1], M, [1, 2], [2, 0]),
    "einsum, implicit": lambda x: np.einsum(x, (3, 1), M[0], np.array([1])),
    "einsum, ellipsis": lambda x: np.einsum(x, [..., 0], M, [0, 51], [..., 51], optimize=True),
    "einsum, operands turned": lambda x: np.einsum(x, range(1, -1, -1)),
    "einsum, options": lambda x: np.einsum("ij->ji", x, order="C", casting="safe"),
    "tensordot along arrays": lambda x: np.tensordot(x, M, axes=(np.array([1]), np.array([0]))),
    "average and weights": lambda x: np.average(x, 1, [1, 2, 3, 4], returned=True),
    "average of all": lambda x: np.average(x, returned=True),
    "roll": lambda x: np.roll(x, -5),
    "roll, two shifts": lambda x: np.roll(x, (1, 2)),
    "roll, two axes": lambda x: np.roll(x, (1, -2), axis=(0, 1)),
    "roll, one shift": lambda x: np.roll(x, 1, axis=(0, 1)),
    "roll, one axis": lambda x: np.roll(x, np.array([1, 2]), axis=1),
    "column_stack": np.column_stack,
    "column_stack of a vector": lambda x: np.column_stack(x[0]),
    "column_stack of numbers": lambda x: np.column_stack((x[0, 0], 2.0)),
    "split at an array": lambda x: np.split(x, np.array([1, 3]), axis=1),
    "hsplit at an array": lambda x: np.hsplit(x, np.array([1, 3])),
    "array_split at a list": lambda x: np.array_split(x[0], [1, -1]),
    "where with integers": lambda x: np.where(np.array([2, 0, 1, 0]), x, x**2),
    "where with a list": lambda x: np.where([[True], [False], [True]], x, x**2),
    "where with numbers": lambda x: np.where(np.array([0.5, 0, 1, 0]), x, x**2),
    "where with a number": lambda x: np.where(1, x, x**2),
    "sum where": lambda x: np.sum(x, where=[True, False, True, True]),
}
CASES |= {name: (f, R) for name, f in LISTS.items()}

SLOPES = [
    *LISTS,
    *("repeat cnt", "tile", "resize less", "meshgrid 3", "rot90 ax", "block", "append ax"),
    *("array_split ax", "delete ax", "insert axv", "ediff1d2", "apply 0", "sliding 2", "conv2d"),
]


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    check_values(*CASES[name])


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name: str) -> None:
    check_slopes(*CASES[name])


@pytest.mark.parametrize("at", WIDTHS, ids=lambda a: str(a[0]))
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_pad(mode: tuple[str, dict[str, Any]], at: tuple[Any, Any]) -> None:
    check_values(lambda x: np.pad(x, at[0], mode[0], **mode[1]), at[1])


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_slopes_of_pad(mode: tuple[str, dict[str, Any]]) -> None:
    check_slopes(lambda x: np.pad(x, (1, 2), mode[0], **mode[1]), v)


@pytest.mark.parametrize("turns", [1, 2, 3, -1, 4])
def test_rot90(turns: int) -> None:
    check_values(lambda x: np.rot90(x, turns), R)


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: np.repeat(x, 2), ("2*n",)),
        (lambda x: np.tile(x, 3), ("3*n",)),
        (lambda x: np.pad(x, 2, "edge"), ("n + 4",)),
        (lambda x: np.pad(x, 2, "reflect"), ("n + 4",)),
        (lambda x: np.pad(x, (2, 1), "wrap"), ("n + 3",)),
        (lambda x: np.pad(x, (0, 2), "mean"), ("n + 2",)),
        (lambda x: np.delete(x, -2), ("n - 1",)),
        (lambda x: windows(x, 3), ("n - 2", 3)),
        (lambda x: np.meshgrid(x, x)[0], ("n", "n")),
    ],
)
def test_sizes_that_are_symbols(function: Callable[[Any], Any], shape: tuple[Any, ...]) -> None:
    found = function(eg.variable("x", ("n",)))
    assert found.shape == shape
    np.testing.assert_allclose(found.evaluate({"x": v}), function(v))


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.repeat(x, 2),
        lambda x: np.tile(x, 2),
        lambda x: np.pad(x, 1),
        lambda x: np.append(x, x),
        lambda x: np.delete(x, []),
        lambda x: np.insert(x, 0, [1.0, 2.0]),
    ],
)
def test_few_entries(function: Callable[[Any], Any], length: int) -> None:
    check_values(function, np.ones(length))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: np.pad(x, 1, "median"), "the mode is one of edge, wrap"),
        (lambda x: np.pad(x, 1, "edge", stat_length=2), "has no option 'stat_length'"),
        (lambda x: np.pad(x, -1), "widths are integers from 0 up"),
        (lambda x: np.repeat(x, x), "known before values are"),
        (lambda x: np.repeat(x, [1, 2]), "2 numbers of copies for 6 entries"),
        (lambda x: np.delete(x, 9), "delete: index 9 is out of bounds"),
        (lambda x: np.insert(x, [1, 2], [1, 2, 3]), "at 2 places"),
        (lambda x: np.compress(x > 0, x), "known before values are"),
        (lambda x: windows(x, 9), "no window of 9 entries"),
        (lambda x: np.block([[x], x]), "nested equally deep"),
        (lambda x: np.hsplit(x[0], 2), "1 axes are wanted"),
    ],
)
def test_what_is_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(eg.EggradError, match=message):
        call(eg.variable("x", (6,)))


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda x, n: np.eye(n, like=x), np.eye(6)),
        (lambda x, n: np.eye(n, 3, -2, like=x), np.eye(6, 3, -2)),
        (lambda x, n: np.eye(3, 4, 9, like=x), np.zeros((3, 4))),
        (lambda x, n: np.identity(n, like=x), np.eye(6)),
        (lambda x, n: np.ones((2, n), like=x), np.ones((2, 6))),
        (lambda x, n: np.zeros((2, 3), like=x), np.zeros((2, 3))),
        (lambda x, n: np.full(n, x[0], like=x), np.full(6, v[0])),
        (lambda x, n: np.arange(n, like=x), np.arange(6)),
        (lambda x, n: np.arange(7, -1, -3, like=x), np.arange(7, -1, -3)),
        (lambda x, n: eg.eye(n) + eg.ones((n, n)) - eg.zeros((n, n)), np.eye(6) + 1),
    ],
)
def test_arrays_like_an_expression(made: Callable[..., Any], wanted: Any) -> None:
    """Sizes are symbols and integers; what is made knows the variable that fixes its size."""
    x = eg.variable("x", ("n",))
    found = made(x, x.shape[0])
    np.testing.assert_array_equal(found.evaluate({"x": v} if "x" in found.known else {}), wanted)


@pytest.mark.parametrize("bad", [(0.5,), (1, 2, 0), (10**12,), (1, 10**30)])
def test_ranges_that_are_none(bad: tuple[Any, ...]) -> None:
    with pytest.raises(eg.EggradError, match="arange: "):
        np.arange(*bad, like=eg.variable("x", ("n",)))
