"""Indexing, and NumPy's functions that pick, move and join entries, against NumPy on arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.oracle import oracle
from tests.support.tiers import samples
from tests.support.values import evaluated

RNG = np.random.default_rng(5)
VALUES: dict[str, Any] = {
    "x": RNG.normal(size=7),
    "A": RNG.normal(size=(6, 7)),
    "B": RNG.normal(size=(4, 5)),
    "v": RNG.normal(size=5),
    "w": RNG.normal(size=3),
    "S": RNG.normal(size=(4, 4)),
    "T": RNG.normal(size=(2, 3, 4)),
    "p": RNG.normal(size=7),
    "c": RNG.normal(),
}
SYMBOLIC = {"x": ("n",), "A": ("m", "n"), "p": ("n",), "c": ()}
E: dict[str, Any] = {
    name: eg.variable(name, SYMBOLIC.get(name, np.shape(value))) for name, value in VALUES.items()
}

S_ = np.s_
KEYS = [
    *(("x", k) for k in (S_[3], S_[-1], S_[:3], S_[-3:], S_[::-1], S_[2:5], S_[1:6:2])),
    *(("x", k) for k in (S_[5:2:-1], S_[2::-1], S_[:, None], S_[None, 2], S_[-3:-1], S_[-1:-4:-2])),
    *(("x", k) for k in (S_[...], S_[:], S_[..., 1], S_[3:1])),
    *(("A", k) for k in (S_[0], S_[:, 2], S_[1, 2], S_[..., 0], S_[0, ...], S_[:2, ::-1])),
    *(("A", k) for k in (S_[-2, None, 1:4], S_[::-1, ::-1], S_[1:3, 1:3])),
    *(("B", k) for k in (S_[1:], S_[:, ::2], S_[::-1, 1:], S_[-1, -2], S_[3:1], S_[:-1, 1:])),
    *(("T", k) for k in (S_[1], S_[:, 2], S_[..., 1], S_[0, :, 1:], S_[1, 2, 3], S_[:, 1, None])),
]


@pytest.mark.parametrize(("name", "key"), KEYS, ids=str)
def test_keys(name: str, key: Any) -> None:
    found, expected = E[name][key], VALUES[name][key]
    value = evaluated(found, VALUES)
    assert value.shape == np.shape(expected)
    assert (value == expected).all()
    assert eg.parse(str(found)).expression is found
    (oracled,) = oracle.evaluate([found.term], VALUES, {"m": 6, "n": 7})
    assert (oracled == expected).all()


slices = st.builds(slice, *[st.none() | st.integers(-6, 6)] * 2, st.none() | st.integers(-3, 3))
keys = st.lists(st.integers(-5, 5) | slices | st.none() | st.just(...), max_size=4).map(tuple)


@settings(max_examples=samples(150, 600), deadline=None)
@given(keys)
def test_any_key_is_numpys(key: Any) -> None:
    try:
        expected = VALUES["B"][key]
    except (IndexError, ValueError):
        with pytest.raises(eg.ShapeError):
            E["B"][key]
        return
    value = evaluated(E["B"][key], VALUES)
    assert value.shape == np.shape(expected)
    assert (value == expected).all()


CALLS: dict[str, Callable[..., Any]] = {
    "cumsum": lambda x, **_: np.cumsum(x),
    "cumsum along": lambda A, **_: np.cumsum(A, axis=1),
    "cumsum down": lambda A, **_: np.cumsum(A, axis=0),
    "cumsum middle": lambda T, **_: np.cumsum(T, axis=1),
    "cumsum backwards": lambda x, **_: np.cumsum(x[::-1])[::-1],
    "cumsum twice": lambda x, **_: np.cumsum(np.cumsum(x)),
    "cumsum weighted": lambda x, p, **_: p * np.cumsum(x * p),
    "flip": lambda A, **_: np.flip(A),
    "flip one": lambda A, **_: np.flip(A, 0),
    "fliplr": lambda A, **_: np.fliplr(A),
    "roll": lambda v, **_: np.roll(v, 2),
    "roll back": lambda B, **_: np.roll(B, -1, axis=0),
    "diff": lambda v, **_: np.diff(v),
    "diff twice": lambda B, **_: np.diff(B, 2),
    "diff down": lambda B, **_: np.diff(B, axis=0),
    "take": lambda B, **_: np.take(B, [2, 0, 2], axis=0),
    "take one": lambda x, **_: np.take(x, 2),
    "pad": lambda v, **_: np.pad(v, (1, 2)),
    "pad matrix": lambda B, **_: np.pad(B, 1),
    "prod": lambda w, **_: np.prod(w),
    "prod along": lambda B, **_: np.prod(B, axis=0),
    "prod kept": lambda B, **_: np.prod(B, axis=1, keepdims=True),
    "tril": lambda A, **_: np.tril(A),
    "tril below": lambda A, **_: np.tril(A, -1),
    "tril stack": lambda T, **_: np.tril(T, 1),
    "triu": lambda A, **_: np.triu(A),
    "triu above": lambda A, **_: np.triu(A, 2),
    "triangular product": lambda S, **_: np.tril(S) @ np.triu(S),
    "trace": lambda A, **_: np.trace(A, 1),
    "trace below": lambda A, **_: np.trace(A, offset=-2),
    "trace stack": lambda T, **_: np.trace(T, 1, 0, 2),
    "diagonal": lambda B, **_: np.diagonal(B, 2),
    "diagonal below": lambda B, **_: np.diagonal(B, -1),
    "diagonal stack": lambda T, **_: np.diagonal(T, 1, 1, 2),
    "diag": lambda w, **_: np.diag(w, 1),
    "diag below": lambda w, **_: np.diag(w, -2),
    "diag of": lambda B, **_: np.diag(B, 1),
    "concatenate": lambda v, w, **_: np.concatenate([v, w, v]),
    "concatenate columns": lambda B, **_: np.concatenate([B, B[:, :2]], axis=1),
    "stack": lambda x, p, **_: np.stack([x, 2 * p]),
    "stack columns": lambda x, p, **_: np.stack([x, p], axis=-1),
    "stack scalars": lambda x, c, **_: np.stack([x[0] * x[1], c, 3 + c]),
    "vstack": lambda x, A, **_: np.vstack([x, A[:2], x]),
    "hstack": lambda v, w, **_: np.hstack([v, w]),
    "column_stack": lambda x, p, **_: np.column_stack([x, p]),
    "split": lambda B, **_: np.split(B, 2)[1],
    "split at": lambda v, **_: np.split(v, [2, 3])[2],
    "convolve": lambda v, w, **_: np.convolve(v, w),
    "convolve same": lambda v, w, **_: np.convolve(v, w, "same"),
    "convolve valid": lambda v, w, **_: np.convolve(v, w, "valid"),
    "convolve short": lambda v, w, **_: np.convolve(w, v, "valid"),
    "correlate": lambda v, w, **_: np.correlate(v, w),
    "correlate full": lambda v, w, **_: np.correlate(v, w, "full"),
    "correlate same": lambda v, w, **_: np.correlate(v, w, "same"),
    "reshape": lambda B, **_: np.reshape(B, (2, 10)),
    "reshape to rows": lambda T, **_: np.reshape(T, (-1, 4)),
    "reshape across": lambda B, **_: np.reshape(B, (5, 2, 1, -1)),
    "ravel": lambda T, **_: np.sin(np.ravel(T)),
    "a product as a vector": lambda B, **_: np.reshape(B[:, :3].T @ B[:, :2], 6),
    "kron": lambda w, B, **_: np.kron(B[:2, :2], B[:, 2:]),
    "windows": lambda v, w, **_: np.stack([v[k : k + 3] for k in range(3)]) @ w,
    "rows": lambda B, **_: sum(row @ row for row in B),
    "differences": lambda B, **_: (B[1:] - B[:-1]) ** 2,
    "Rosenbrock": lambda v, **_: np.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2),
    "exp of a part": lambda x, **_: np.exp(x[2:5]) * np.sin(x)[:3],
    "a product of entries": lambda x, A, **_: A[1] @ x * x[-1] ** 2 / A[0, 0],
}


def arguments(call: Callable[..., Any]) -> list[str]:
    return [name for name in E if name in call.__code__.co_varnames[: call.__code__.co_argcount]]


@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str) -> None:
    call = CALLS[name]
    expected = call(**VALUES)
    found = call(**E)
    value = evaluated(found, VALUES)
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)
    compiled = eg.compile(found)
    own = {v.name: VALUES[v.name] for v in found.variables}
    np.testing.assert_allclose(compiled(**own), expected, rtol=1e-9, atol=1e-12)
    assert eg.parse(str(found)).expression is found


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str, mode: str) -> None:
    found = CALLS[name](**E)
    for variable in found.variables:
        derivative = eg.derivative(found, variable.name, mode=mode)
        value = evaluated(derivative, VALUES)
        expected = oracle.numeric_derivative(found.term, variable, VALUES)
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-7)


MISTAKES: dict[str, tuple[Callable[[], Any], type[eg.EggradError], str]] = {
    "out of range": (lambda: E["B"][4], eg.ShapeError, "index 4 is out of range"),
    "out of range from the end": (lambda: E["B"][:, -6], eg.ShapeError, "index -6"),
    "too many": (lambda: E["x"][1, 2], eg.ShapeError, "2 indices"),
    "ellipses": (lambda: E["x"][..., ...], eg.ShapeError, "ellipsis"),
    "no size with a step": (lambda: E["x"][::2], eg.UnsupportedOperation, "::2"),
    "step zero": (lambda: E["x"][::0], eg.ShapeError, "step"),
    "a truth value": (lambda: E["x"][True], eg.ShapeError, "mask"),
    "rows of a symbol": (lambda: list(E["A"]), eg.UnsupportedOperation, "size m is not known"),
    "a scalar": (lambda: list(E["c"]), eg.UnsupportedOperation, "scalar"),
    "an array": (lambda: np.array([E["x"], E["x"]]), eg.UnsupportedOperation, "numpy.stack"),
    "cumsum": (lambda: np.cumsum(E["A"]), eg.UnsupportedOperation, "sizes are integers"),
    "take": (lambda: np.take(E["x"], [0.5]), eg.UnsupportedOperation, "integer"),
    "prod": (lambda: np.prod(E["x"]), eg.UnsupportedOperation, "axis 0 has size n"),
    "stack": (lambda: np.stack([E["v"], E["w"]]), eg.ShapeError, "do not fit"),
    "stack one": (lambda: np.stack([E["x"], np.ones(1) @ [2]]), eg.ShapeError, "do not fit"),
    "split": (lambda: np.split(E["v"], 2), eg.ShapeError, "equal parts"),
    "pad": (lambda: np.pad(E["v"], 1, mode="median"), eg.UnsupportedOperation, "constant"),
    "convolve": (lambda: np.convolve(E["B"], E["w"]), eg.ShapeError, "vectors"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, words = MISTAKES[name]
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("key", [S_[7], S_[-8], S_[:8], S_[-8:], S_[5:9:3]])
def test_an_axis_that_is_too_short(key: Any) -> None:
    with pytest.raises(eg.ShapeError, match="out of range: size n is 7"):
        evaluated(E["x"][key], VALUES)


@pytest.mark.parametrize("key", [S_[7], S_[-8], S_[5:9:3]])
def test_the_gradient_of_an_entry_that_is_not_there(key: Any) -> None:
    gradient = eg.gradient((E["x"][key] ** 2).sum(), "x")
    with pytest.raises(eg.ShapeError, match="size n is 7"):
        evaluated(gradient, VALUES)


@pytest.mark.parametrize("key", [S_[:8], S_[-8:]])
def test_the_gradient_of_a_slice_of_a_shorter_axis_is_that_of_the_whole(key: Any) -> None:
    """As NumPy slices: what of the slice is not there has no part in the gradient."""
    gradient = evaluated(eg.gradient((E["x"][key] ** 2).sum(), "x"), VALUES)
    np.testing.assert_allclose(gradient, 2 * VALUES["x"])


def test_iterating_and_len() -> None:
    rows = list(E["B"])
    assert len(rows) == len(E["B"]) == 4
    assert rows[2] is E["B"][2]
    first, *_ = E["w"]
    assert first is E["w"][0]


@pytest.mark.parametrize("place", [10**30, -(10**30), 10**5000], ids=["large", "low", "long"])
def test_places_that_no_array_has(place: int) -> None:
    x, z = eg.variable("x", ("n",)), eg.variable("z", (4,))
    for f in (x, z):
        for key in (place, slice(place), slice(place, None), slice(None, None, place)):
            with pytest.raises(eg.ShapeError, match="an index is an integer up to 10"):
                f[key]


def test_differences_have_an_end() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="1000 times at most"):
        np.diff(eg.variable("x", ("n",)), 10**9)
