"""What functions read, and whether it has changed."""

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial, wraps
from math import sqrt
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm

import eggrad as eg
from eggrad.frontend.interface.reads import changed, reads, watch

state: dict[str, Any] = {}


class Part:
    """An object of another one."""

    def __init__(self) -> None:
        self.weights = np.ones(2)


@dataclass(slots=True)
class Settings:
    """An object with slots."""

    rate: float = 2.0


class Base:
    """A class whose method is called by that of another."""

    shift = 0.0

    def loss(self, x: Any) -> Any:
        return self.shift + x @ x


class Model(Base):
    """An object with state."""

    scale = 2.0

    def __init__(self) -> None:
        self.part = Part()
        self.parts = [Part()]
        self.settings = Settings()
        self.unused = np.random.default_rng()

    @property
    def factor(self) -> float:
        return self.scale * self.settings.rate

    def penalty(self, x: Any) -> Any:
        return sum(part.weights @ x for part in self.parts)

    def loss(self, x: Any) -> Any:
        return self.factor * super().loss(x * self.part.weights) + self.penalty(x)


class Counting:
    """An object that keeps what was computed."""

    def __init__(self) -> None:
        self.calls = 0

    def loss(self, x: Any) -> Any:
        self.calls += 1
        return self.calls * x


class Random(Model):
    """An object that draws."""

    def penalty(self, x: Any) -> Any:
        return self.unused.random() * x


class Open(Model):
    """An object with attributes that are made when asked for."""

    def __getattr__(self, name: str) -> float:
        return float(len(name))


class Entries(list[float]):
    """An object that holds more than its attributes."""


class Link:
    """An object of a long chain."""

    def __init__(self, rest: Any) -> None:
        self.rest = rest


def chain(length: int) -> Link:
    found = Link(None)
    for _ in range(length):
        found = Link(found)
    return found


def reading(value: Any) -> Any:
    return lambda x: x * value


def reading_rest(value: Any) -> Any:
    return lambda x: x * value.rest


def reading_by_text(value: Any) -> Any:
    return lambda x, name="scale": x * getattr(value, name)


def of_helper(value: Any) -> Any:
    def helper(x: Any) -> Any:
        return value * x

    return lambda x: helper(x) + sqrt(2) + np.pi


@pytest.mark.parametrize("wrap", [reading, of_helper, lambda v: partial(lambda a, x: a * x, v)])
@pytest.mark.parametrize(
    "value",
    [
        2.0,
        "text",
        (1, [2.0, {"a": np.ones(2)}]),
        np.arange(3.0),
        csr_array(np.eye(2)),
        eg.variable("x"),
        np.linalg.norm,
        np.exp,
        eg.grad(np.sum),
        None,
        slice(1, 2),
    ],
)
def test_the_same(wrap: Any, value: Any) -> None:
    function = wrap(value)
    before = reads(function)
    assert before is not None
    assert changed(before, function) == set()


@pytest.mark.parametrize("wrap", [reading, of_helper])
@pytest.mark.parametrize(
    ("value", "change"),
    [
        (np.zeros(3), lambda a: a.fill(1)),
        ([np.zeros(3)], lambda a: a[0].fill(1)),
        ([1.0], lambda a: a.append(2.0)),
        ({"a": 1}, lambda a: a.update(a=2)),
        ({"a": 1}, lambda a: a.update(a=1.0)),
        (csr_array(np.eye(2)), lambda a: a.data.fill(3)),
        (np.zeros(1), lambda a: a.fill(-0.0)),
        ({"a": 0.0}, lambda a: a.update(a=-0.0)),
    ],
)
def test_changes(wrap: Any, value: Any, change: Any) -> None:
    value = deepcopy(value)
    function = wrap(value)
    before = reads(function)
    assert before is not None
    change(value)
    names = changed(before, function)
    assert names is not None
    assert len(names) == 1


def test_globals() -> None:
    def function(x: Any) -> Any:
        return state["k"] * x

    state["k"] = 1
    before = reads(function)
    assert before is not None
    state["k"] = 2
    names = changed(before, function)
    assert names is not None
    assert len(names) == 1


def even(n: int, x: Any) -> Any:
    return odd(n - 1, x) if n else state["k"] * x


def odd(n: int, x: Any) -> Any:
    return even(n - 1, x)


def test_hints_and_names_of_attributes_are_no_values() -> None:
    def f(x: Any) -> Any:
        def helper(a: Any, b: "list[int] | None" = None, *, c: list[int] | None = None) -> Any:
            return a.state * a.T

        return helper(x)

    # No attribute of an array is the global of its name.
    g = FunctionType(f.__code__, {"Any": Any, "state": Model(), "T": Model()})
    before = reads(g)
    assert before is not None
    assert changed(before, g) == set()
    h = FunctionType(f.__code__, {"Any": Entries()})
    assert reads(h) is None


def test_functions_that_call_one_another() -> None:
    state["k"] = 1
    before = reads(even)
    assert before is not None
    assert changed(before, even) == set()
    state["k"] = 3
    assert changed(before, even)


def test_a_function_around_a_derivative() -> None:
    """It has the attributes of the derivative, and reads more."""
    settings = {"k": 1}
    slope = eg.grad(np.sum)

    @wraps(slope)
    def scaled(x: Any) -> Any:
        return settings["k"] * slope(x)

    before = reads(scaled)
    assert before is not None
    settings["k"] = 2
    assert changed(before, scaled)


def test_attributes_of_functions() -> None:
    def function(x: Any) -> Any:
        return function.scale * x

    function.scale = 2.0
    slope = eg.grad(function)
    assert slope(1.0) == 2
    function.scale = 3.0
    assert slope(1.0) == 3


def test_a_variable_named_like_what_a_function_has() -> None:
    defaults = 2.0

    def function(x: Any, scale: Any = (1.0,)) -> Any:
        return defaults * scale[0] * x

    slope = eg.grad(function)
    assert slope(1.0) == 2
    function.__defaults__ = ((3.0,),)
    assert slope(1.0) == 6


def test_minus_zero_is_another_number() -> None:
    slope = eg.grad(lambda x, by: x * np.copysign(1, by))
    assert [slope(1.0, by=by) for by in (0.0, -0.0)] == [1, -1]


def imports(x: Any) -> Any:
    import json

    return x * len(json.dumps(1))


@pytest.mark.parametrize(
    "function",
    [
        Random().loss,
        reading(Open()),
        reading(Entries()),
        reading_rest(chain(2000)),
        reading_by_text(Model()),
        reading(Model),
        reading(np.random.default_rng()),
        reading(np.array([None])),
        reading(pytest),
        lambda x: x * np.random.normal(),
        reading(np.random),
        reading(np.frompyfunc(len, 1, 1)),
        lambda x: x * len(__import__("json").dumps(1)),
        lambda x: x * globals()["state"],
        lambda x: x * np.load("weights.npy"),
        lambda x: x * norm.rvs(),
        imports,
        reading([[]] * 2000),
    ],
)
def test_unknown(function: Any) -> None:
    assert reads(function) is None


def test_large_arrays_by_their_bits() -> None:
    """A NaN is itself, and minus zero another number."""
    data = np.full(5000, np.nan)
    function = reading(data)
    before = reads(function)
    assert before is not None
    assert changed(before, function) == set()
    data[-1] = 0
    before = reads(function)
    assert before is not None
    data[-1] = -0.0
    assert changed(before, function)


def test_another_object_of_the_same_value() -> None:
    state["k"] = float("1.5")
    before = reads(even)
    assert before is not None
    state["k"] = float("1.5")
    assert changed(before, even) == set()


def test_functions_of_one_code_that_take_each_others_places() -> None:
    one, other = reading(1.0), reading(2.0)
    pair = {"first": one, "second": other, "again": one}
    function = FunctionType((lambda x: first(x) + second(x) + again(x)).__code__, pair)  # noqa: F821 # pyright: ignore
    before = reads(function)
    assert before is not None
    assert changed(before, function) == set()
    pair["again"] = other
    assert changed(before, function)


@pytest.mark.parametrize(
    "change",
    [
        lambda model, _: model.part.weights.fill(2.0),
        lambda model, _: setattr(model.part, "weights", np.full(2, 3.0)),
        lambda model, _: setattr(model, "part", Part2()),
        lambda model, _: model.parts.append(Part()),
        lambda model, _: setattr(model.parts[0], "weights", np.zeros(2)),
        lambda model, _: setattr(model.settings, "rate", 5.0),
        lambda model, _: setattr(model, "scale", 3.0),
        lambda model, _: setattr(model, "penalty", lambda x: 3 * x[0]),
        lambda _, patch: patch.setattr(Model, "scale", 4.0),
        lambda _, patch: patch.setattr(Base, "shift", np.ones(2), raising=True),
        lambda _, patch: patch.setattr(Model, "shift", np.ones(2), raising=False),
        lambda _, patch: patch.setattr(Model, "factor", 7.0),
        lambda _, patch: patch.setattr(Base, "loss", lambda _, x: 2 * (x @ x)),
        lambda model, _: setattr(model, "__class__", Base),
    ],
)
def test_changes_of_objects(
    change: Callable[[Any, Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, x = Model(), np.arange(2.0)
    slope = eg.grad(lambda x: eg.sum(model.loss(x)))
    slope(x)
    before, unchanged = reads(model.loss), watch(model.loss)
    assert before is not None
    assert unchanged is not None
    assert unchanged()
    assert changed(before, model.loss) == set()
    change(model, monkeypatch)
    assert not unchanged()
    assert changed(before, model.loss)
    again = eg.grad(lambda x: eg.sum(model.loss(x)))
    assert (slope(x) == again(x)).all()


class Part2(Part):
    """An object that takes the place of another."""

    def __init__(self) -> None:
        self.weights = np.arange(2.0)


def test_chains_of_objects() -> None:
    links = chain(50)
    before, unchanged = reads(reading_rest(links)), watch(reading_rest(links))
    assert before is not None
    assert unchanged is not None
    links.rest.rest.rest = None
    assert not unchanged()
    assert changed(before, reading_rest(links))


def test_what_nobody_names_may_change() -> None:
    model = Model()
    before, unchanged = reads(model.loss), watch(model.loss)
    assert before is not None
    assert unchanged is not None
    model.unused = np.random.default_rng()
    assert unchanged()
    assert changed(before, model.loss) == set()


def test_an_object_that_counts_is_asked_each_time() -> None:
    counting = Counting()
    slope = eg.grad(counting.loss)
    assert [slope(1.0) for _ in range(3)] == [1, 2, 3]


def test_functions_in_a_list_and_distributions() -> None:
    weight = np.ones(2)

    def penalty(x: Any) -> Any:
        return weight @ x

    parts, density = [penalty, np.sum], eg.stats.norm

    def loss(x: Any) -> Any:
        warnings.simplefilter("default", FutureWarning)
        return sum(part(x) for part in parts) + np.sum(density.logpdf(x))

    before, unchanged = reads(loss), watch(loss)
    assert before is not None
    assert unchanged is not None
    assert changed(before, loss) == set()
    assert unchanged()
    weight[0] = 2.0
    assert changed(before, loss)
    assert not unchanged()
    weight[0] = 1.0
    parts[1] = np.mean
    assert changed(before, loss)
    assert not unchanged()
