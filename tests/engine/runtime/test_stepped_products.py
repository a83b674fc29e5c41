"""Products of an indicator with two arrays, step by step: the values of the dense product."""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.indices import stepped_plan
from eggrad.engine.indices.spec import Indices
from eggrad.engine.runtime import stepped_products
from eggrad.engine.runtime.indicators import Numbers, zeros_and_ones
from eggrad.engine.runtime.stepped_products import stepped_product
from eggrad.engine.terms.binding import Array
from tests.benchmarks import elementwise as bench_elementwise
from tests.support.values import evaluated

SIZES = (0, 1, 1, 2, 3, 4, 7)
RELATIONS = ("=", "=", ">=", ">=", 2, 3)


class _Drawn(NamedTuple):
    spec: tuple[Indices, Indices, Indices, Indices]
    constraints: Numbers
    lengths: Sequence[int]
    imaginary: bool


@st.composite
def _products(draw: st.DrawFn) -> _Drawn:
    axes = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.sampled_from(SIZES), min_size=6, max_size=6))
    coefficients = st.lists(st.integers(-2, 2), min_size=axes, max_size=axes)
    constraints: list[tuple[str | int, tuple[int, ...]]] = []
    for _ in range(draw(st.integers(1, 3))):
        own, relation = draw(coefficients), draw(st.sampled_from(RELATIONS))
        constraints.append((relation, (*own, draw(st.integers(-3, 6)))))
        if relation == ">=" and draw(st.booleans()):
            constraints.append((relation, (*(-c for c in own), draw(st.integers(-1, 6)))))
    indices = st.lists(st.integers(0, 5), max_size=4, unique=True).map(tuple)
    part, left, right = tuple(range(axes)), draw(indices), draw(indices)
    known = sorted({*part, *left, *right})
    out = tuple(draw(st.lists(st.sampled_from(known), max_size=3, unique=True)))
    return _Drawn((part, left, right, out), tuple(constraints), lengths, draw(st.booleans()))


@given(_products())
@example(_Drawn(((0, 1, 2, 3), (0,), (), (3, 0)), (("=", (1, 2, 2, 0, 0)),), [1, 2, 2, 0], False))
def test_values(drawn: _Drawn) -> None:
    _compare(drawn)


@contextmanager
def _in_steps(module: ModuleType, name: str, value: float) -> Iterator[None]:
    """Nothing is stored, and one of the limits is another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stepped_plan, "is_small", lambda *_: False)
        patch.setattr(module, name, value)
        stepped_products._cheaper_way.cache_clear()
        yield
    stepped_products._cheaper_way.cache_clear()


def _steps_share_products() -> AbstractContextManager[None]:
    """Every product is much larger than its operands."""
    return _in_steps(stepped_products, "MUCH_LARGER", 1e-9)


def _rows_become_columns() -> AbstractContextManager[None]:
    """All rows are long."""
    return _in_steps(stepped_products, "LONG", 0)


@given(_products(), st.sampled_from([_steps_share_products, _rows_become_columns]))
def test_values_of_products_of_matrices(
    drawn: _Drawn, settings: Callable[[], AbstractContextManager[None]]
) -> None:
    with settings():
        _compare(drawn)


def _compare(drawn: _Drawn) -> None:
    spec, constraints, lengths, imaginary = drawn
    part, left, right, out = spec
    rng = np.random.default_rng(0)
    one, other = (rng.normal(size=[lengths[i] for i in own]) for own in (left, right))
    if imaginary:
        one, other = one + 1j, other - 2j
    shape = tuple(lengths[i] for i in part)
    ones = zeros_and_ones(constraints, shape)
    want = np.einsum(ones, [*part], one, [*left], other, [*right], [*out])
    got = stepped_product(spec, constraints, shape, one, other)
    assert np.shape(got) == want.shape
    np.testing.assert_allclose(got, want, 1e-12, 1e-12)


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from([-3, -2, -1, 1, 2, 3]), st.booleans())
def test_correlations_of_vectors(n: int, k: int, step: int, opposite: bool) -> None:
    """Each of the three arrays may be the one that is seen through a window."""
    other = -step if opposite else step
    start = max(0, -step * (n - 1)) + max(0, -other * (k - 1))
    length = start + max(0, step * (n - 1)) + max(0, other * (k - 1)) + 2
    window = (("=", (-1, step, other, start)),)
    shape = (length, n, k)
    rng = np.random.default_rng(0)
    arrays = {0: rng.normal(size=length), 1: rng.normal(size=n), 2: 1j * rng.normal(size=k)}
    for left, right, out in ((0, 2, 1), (2, 0, 1), (0, 1, 2), (1, 2, 0), (2, 1, 0)):
        spec = ((0, 1, 2), (left,), (right,), (out,))
        plan = stepped_plan.stepped_plan(
            (("=", ((0, -1), (1, step), (2, other), ("", start))),),
            ((left,), (right,)),
            (out,),
            dict(enumerate(shape)),
        )
        assert plan is not None
        assert plan.direct or 1 in (n, k)
        got = stepped_product(spec, window, shape, arrays[left], arrays[right])
        ones = zeros_and_ones(window, shape)
        want = np.einsum(ones, [0, 1, 2], arrays[left], [left], arrays[right], [right], [out])
        np.testing.assert_allclose(got, want, 1e-12, 1e-12)


def test_no_large_intermediate_result() -> None:
    """Neither windows nor scattered products are stored."""
    rng = np.random.default_rng(0)
    values = {"x": rng.normal(size=(90, 90)), "w": rng.normal(size=(9, 9))}
    text = "f[i; j] = sum{p}_0^8 (sum{q}_0^8 (x[i + p; j + q]*w[p; q]))"
    f = eg.parse_elementwise(text, {"x": (90, 90), "w": (9, 9)}, {"i": 82, "j": 82})
    values["df"] = f.evaluate(values)
    for d in (f, f.adjoint("x"), f.adjoint("w")):
        compiled = eg.compile(d.expression)
        own = {n: a for n, a in values.items() if n in d.arguments}
        for evaluate in (partial(compiled, **own), partial(d.evaluate, own)):
            evaluate()
            tracemalloc.start()
            result = evaluate()
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 4 * (sum(a.nbytes for a in own.values()) + result.nbytes)


@pytest.mark.parametrize("case", [*bench_elementwise.cases(scale=8)], ids=lambda case: case.name)
def test_what_is_timed_has_the_same_values(case: bench_elementwise.Case) -> None:
    want = case.by_hand()
    np.testing.assert_allclose(evaluated(case.definition, case.values), want, 1e-9, 1e-9)


def test_another_way_may_be_larger_than_the_memory() -> None:
    """A long signal and a short window: the matrix with the window in each row has 8 TB."""
    x, w = np.random.default_rng(0).normal(size=10**6), np.array([1.0, 2.0, 4.0])
    spec, shape = ((0, 1, 2), (1,), (2,), (0,)), (x.size - 2, x.size, 3)
    found = stepped_product(spec, (("=", (1, -1, -1, 2)),), shape, x, w)
    want = np.convolve(x, w, "valid")
    np.testing.assert_allclose(found, want, atol=1e-9)
    signal, window = eg.variable("x", ("n",)), eg.variable("w", ("k",))
    loss = np.sum(np.convolve(signal, window, "valid") ** 2)
    gradient = eg.compile(eg.gradient(loss, signal))(x=x, w=w)
    np.testing.assert_allclose(gradient, np.convolve(2 * want, w[::-1]), atol=1e-9)


def test_beside_what_else_is_decided_when_code_is_written() -> None:
    """Rows that `relu` makes zero, functions that lose no digits."""
    n = 200
    values = {"W": (n, n), "V": (n, n), "x": (n + 4,), "w": (5,)}
    W, V, x, w = (eg.variable(name, shape) for name, shape in values.items())
    hidden = np.correlate(x, w)
    loss = np.sum(np.log(1 + np.exp(V @ eg.relu(W @ hidden))))
    rng = np.random.default_rng(0)
    env = {name: rng.normal(size=shape) / 20 for name, shape in values.items()}
    results = [loss, eg.gradient(loss, x), eg.gradient(loss, w)]
    compiled = eg.compile(results)
    for name in ("stepped_product", "softplus"):
        assert name in compiled.source
    for got, f in zip(compiled(**env), results, strict=True):
        np.testing.assert_allclose(got, f.evaluate(env), 1e-9, 1e-12)


def test_zeros_of_an_intermediate_result_do_not_meet_infinities() -> None:
    """The weights are scattered there, and most of what `x` has does not count."""
    text = "f[i; l; m] = sum{k}_0^5 (w[k; l]*x[i + k; m])"
    d = eg.parse_elementwise(text, {"w": (6, 2), "x": (15, 70)}, {"i": 10, "l": 2, "m": 70})
    x = np.ones((15, 70))
    x[0, 0] = np.inf
    found = d.evaluate({"w": np.ones((6, 2)), "x": x})[:, 0, 0]
    np.testing.assert_array_equal(found, [np.inf, *[6] * 9])


def test_a_number_comes_before_the_sum() -> None:
    d = eg.parse_elementwise(
        "f[i] = sum{k}_0^2 (0.001*x[i + k]*w[k])", {"x": (9,), "w": (3,)}, {"i": 7}
    )
    found = eg.compile(d.expression)(x=np.full(9, 1e200), w=np.full(3, 1e109))
    np.testing.assert_allclose(found, np.full(7, 3e306))


def test_steps_are_made_for_the_cheapest_way_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three windows can be solved in 27 ways."""
    made: list[stepped_plan.ViewStep] = []
    own = stepped_plan.ViewStep

    def counted(*args: tuple[tuple[int, ...], ...]) -> stepped_plan.ViewStep:
        made.append(own(*args))
        return made[-1]

    monkeypatch.setattr(stepped_plan, "ViewStep", counted)
    windows = tuple(("=", ((k, 1), (k + 1, -1), (k + 2, -1))) for k in (0, 3, 6))
    lengths = dict(enumerate((8, 6, 3) * 3))
    found = stepped_plan.stepped_plan(windows, ((1, 4, 7), (2, 5, 8)), (0, 3, 6), lengths)
    assert found is not None
    assert len(made) == len(found.steps) == 27


@dataclass(frozen=True)
class _Adjoint:
    """That of a correlation with channels, by its signal; its operands and its value."""

    expression: eg.Expression
    df: Array
    w: Array
    value: Array

    @classmethod
    def of(cls, channels: int, steps: int) -> "_Adjoint":
        length = 39 + steps
        f = eg.parse_elementwise(
            f"f[b,o,i] = sum{{c<{channels}}} (sum{{k<{steps}}} (x[b,c,i + k]*w[o,c,k]))",
            {"x": (4, channels, length), "w": (5, channels, steps)},
            {"b": 4, "o": 5, "i": 40},
        )
        rng = np.random.default_rng(0)
        df, w = rng.normal(size=(4, 5, 40)), rng.normal(size=(5, channels, steps))
        value = np.zeros((4, channels, length))
        for k in range(steps):
            value[:, :, k : k + 40] += np.einsum("boi,oc->bci", df, w[:, :, k])
        return cls(f.adjoint("x").expression, df, w, value)


@pytest.mark.parametrize("steps", [2, 5])
@pytest.mark.parametrize("transposed", [False, True])
def test_steps_with_a_small_matrix_share_a_product(steps: int, transposed: bool) -> None:
    """Each shift adds rows of one product."""
    adjoint = _Adjoint.of(3, steps)
    df = np.asfortranarray(adjoint.df) if transposed else adjoint.df
    with _steps_share_products():
        found = eg.compile(adjoint.expression)(df=df, w=adjoint.w)
    np.testing.assert_allclose(found, adjoint.value, 1e-12, 1e-12)


@pytest.mark.parametrize("channels", [15, 16])
def test_long_rows_come_last_in_memory(channels: int) -> None:
    """Each shift adds a part of the signal, all channels of it."""
    adjoint = _Adjoint.of(channels, 5)
    with _in_steps(stepped_products, "LONG", 16):
        found = eg.compile(adjoint.expression)(df=adjoint.df, w=adjoint.w)
    np.testing.assert_allclose(found, adjoint.value, 1e-12, 1e-12)
    assert found.swapaxes(1, 2).flags.c_contiguous == (channels == 16)
