"""Functions that read objects: what has changed is never missed, what nobody can say is asked."""

import gc
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partialmethod, singledispatch
from typing import Any
from weakref import ref

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import eggrad as eg

Program = tuple[Callable[..., Any], Callable[[], object]]

state: dict[str, Any] = {"scale": 2.0}


class Weight:
    """A number in an object."""

    def __init__(self, w: float) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return self.w * x


class Named:
    """An object that is written by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


def an_attribute_that_was_absent() -> Program:
    class Model(Weight):
        def loss(self, x: Any) -> Any:
            try:
                return self.w * x + self.bias * x  # pyright: ignore
            except AttributeError:
                return self.w * x

    m = Model(2.0)
    return m.loss, lambda: setattr(m, "bias", 3.0)


def an_attribute_asked_for_by_text() -> Program:
    class Model(Weight):
        def loss(self, x: Any) -> Any:
            return 5 * x if hasattr(self, "fitted_") else self.w * x

    m = Model(2.0)
    return m.loss, lambda: setattr(m, "fitted_", True)


def an_alias_of_getattr() -> Program:
    get, m = getattr, Weight(2.0)
    return lambda x, name="w": get(m, name) * x, lambda: setattr(m, "w", 3.0)


def an_alias_of_attrgetter() -> Program:
    get, m = operator.attrgetter("w"), Weight(2.0)
    return lambda x: get(m) * x, lambda: setattr(m, "w", 3.0)


def a_pattern() -> Program:
    m = Weight(2.0)

    def f(x: Any) -> Any:
        match m:
            case object(w=k):  # pyright: ignore
                return k * x
            case _:
                return x

    return f, lambda: setattr(m, "w", 3.0)


def another_reference_to_a_known_object() -> Program:
    class Net:
        def __init__(self) -> None:
            self.layers = [Weight(2.0), Weight(3.0)]
            self.head = self.layers[-1]

        def loss(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return self.head(x)

    n = Net()
    return n.loss, lambda: setattr(n, "head", n.layers[0])


def sentinels() -> Program:
    class Kind:
        pass

    relu, linear = Kind(), Kind()

    class Model:
        def __init__(self) -> None:
            self.act = relu

        def loss(self, x: Any) -> Any:
            return 2 * x if self.act is relu else 5 * x

    m = Model()
    return m.loss, lambda: setattr(m, "act", linear)


def an_operator() -> Program:
    class Model(Weight):
        def __call__(self, x: Any) -> Any:
            return self.w * x

    m = Model(2.0)
    return lambda x: 1.0 * m(x), lambda: setattr(Model, "__call__", lambda self, x: 9 * self.w * x)


def an_operator_of_a_base() -> Program:
    class Base:
        def __getitem__(self, k: int) -> float:
            return 2.0 + k

    class Model(Base):
        pass

    m = Model()
    return lambda x: m[1] * x, lambda: setattr(Model, "__getitem__", lambda _, k: 7.0 * k)


def a_partial_method_as_operator() -> Program:
    class Model(Weight):
        def run(self, scale: float, x: Any) -> Any:
            return scale * self.w * x

        __call__ = partialmethod(run, 1.0)  # pyright: ignore

    m = Model(2.0)
    return lambda x: 1.0 * m(x), lambda: setattr(m, "w", 3.0)


def a_set() -> Program:
    active = {Weight(1.0)}

    def change() -> None:
        active.clear()
        active.add(Weight(7.0))

    return lambda x: sum(t.w for t in active) * x, change


def keys() -> Program:
    t = Weight(1.0)
    coefficients = {t: 2.0}
    return lambda x: sum(c * t.w for t, c in coefficients.items()) * x, lambda: setattr(t, "w", 4.0)


def a_stored_method_of_a_dict() -> Program:
    table = {"a": Weight(2.0)}
    get = table.get
    return lambda x: get("a").w * x, lambda: setattr(table["a"], "w", 5.0)  # pyright: ignore


def a_decorated_function() -> Program:
    scale = [2.0]

    @np.errstate(all="ignore")
    def loss(x: Any) -> Any:
        return scale[0] * x

    return loss, lambda: scale.__setitem__(0, 5.0)


def a_decorated_method() -> Program:
    class Model(Weight):
        @np.errstate(all="ignore")
        def loss(self, x: Any) -> Any:
            return self.w * x

    m = Model(2.0)
    return m.loss, lambda: setattr(m, "w", 5.0)


def a_function_by_types() -> Program:
    scale = [2.0]

    @singledispatch
    def loss(x: Any) -> Any:
        return scale[0] * x

    return lambda x: 1.0 * loss(x), lambda: scale.__setitem__(0, 5.0)


def an_object_made_of_its_class() -> Program:
    scale = [2.0]

    class Vector:
        def __init__(self, v: Any) -> None:
            self.v = v * scale[0]

        def scaled(self, c: Any) -> Any:
            return type(self)(self.v * c)

    v = Vector(1.0)
    return lambda x: v.scaled(x).v, lambda: scale.__setitem__(0, 5.0)


def text_of_an_object() -> Program:
    mode, table = Named("a"), {"a": 1.0, "b": 2.0}
    return lambda x: table[f"{mode}"] * x, lambda: setattr(mode, "name", "b")


def text_by_percent() -> Program:
    mode, table = Named("a"), {"a": 1.0, "b": 2.0}
    return lambda x: table["%s" % mode] * x, lambda: setattr(mode, "name", "b")  # noqa: UP031


def a_comparison() -> Program:
    class Level(Weight):
        def __lt__(self, other: float) -> bool:
            return self.w < other

    m = Level(2.0)
    return lambda x: x if m < 3.0 else 5 * x, lambda: setattr(m, "w", 4.0)


def a_subclass_of_a_library() -> Program:
    class Operator(LinearOperator):
        def __init__(self, k: float) -> None:
            self.k = k
            super().__init__(float, (2, 2))

        def _matvec(self, v: Any) -> Any:
            return self.k * v

    op, v = Operator(2.0), np.ones(2)
    return lambda x: np.sum(op @ v) * x, lambda: setattr(op, "k", 5.0)


def attributes_as_a_whole() -> Program:
    m = Weight(2.0)
    return lambda x: m.w * x, lambda: setattr(m, "__dict__", {"w": 5.0})


def attributes_of_a_metaclass() -> Program:
    class Meta(type):
        k = 2.0

    class Model(metaclass=Meta):
        def loss(self, x: Any) -> Any:
            return type(self).k * x

    return Model().loss, lambda: setattr(Meta, "k", 5.0)


def a_property_of_its_own_kind() -> Program:
    scale = [2.0]

    class Scaled(property):
        def __get__(self, *_: Any) -> float:
            return scale[0]

    class Model:
        k = Scaled()

    m = Model()
    return lambda x: m.k * x, lambda: scale.__setitem__(0, 5.0)


def a_class_without_an_object() -> Program:
    class Model:
        scale = 2.0

        @staticmethod
        def loss(x: Any) -> Any:
            return __class__.scale * x  # pyright: ignore

    return Model.loss, lambda: setattr(Model, "scale", 5.0)


def a_number_with_attributes() -> Program:
    class Quantity(float):
        factor = 1.0

    q = Quantity(2.0)
    return lambda x: q.factor * x, lambda: setattr(q, "factor", 5.0)


def a_row_of_a_table() -> Program:
    table = np.array([(2.0,)], dtype=[("k", float)])
    row = table[0]
    return lambda x: float(row["k"]) * x, lambda: table.__setitem__("k", 5.0)


def bases() -> Program:
    class First:
        k = 2.0

    class Second:
        k = 5.0

    class Model(First):
        pass

    m = Model()
    return lambda x: m.k * x, lambda: setattr(Model, "__bases__", (Second,))


def an_object_of_a_class() -> Program:
    class Net:
        act = Weight(2.0)

        def loss(self, x: Any) -> Any:
            return self.act(x)

    net = Net()
    return net.loss, lambda: setattr(net.act, "w", 5.0)


def an_object_that_a_method_closes_over() -> Program:
    inner = Weight(2.0)

    class Net:
        def part(self) -> Weight:
            return inner

        def loss(self, x: Any) -> Any:
            return self.part().w * x

    return Net().loss, lambda: setattr(inner, "w", 5.0)


def a_derivative_in_a_dict() -> Program:
    scale = [2.0]
    forces = {"a": eg.grad(lambda x: scale[0] * x**2)}
    return lambda x: 1.0 * forces["a"](x), lambda: scale.__setitem__(0, 5.0)


def a_derivative_as_a_default() -> Program:
    scale = [2.0]

    def f(x: Any, g: Any = eg.grad(lambda x: scale[0] * x**2)) -> Any:  # noqa: B008
        return g(x)

    return f, lambda: scale.__setitem__(0, 5.0)


def an_object_made_of_a_known_class() -> Program:
    class Dual:
        eps = 2.0

        def __init__(self, a: Any, b: Any = None) -> None:
            self.a = a
            self.b = self.eps if b is None else b

        def __mul__(self, other: "Dual") -> "Dual":
            return Dual(self.a * other.a)

    d, e = Dual(1.0, 1.0), Dual(1.0, 1.0)

    def f(x: Any) -> Any:
        product = d * e
        return product.a * product.b * x

    return f, lambda: setattr(Dual, "eps", 5.0)


def subclasses() -> Program:
    class Model:
        pass

    m, made = Model(), list[type]()
    return (
        lambda x: (1.0 + len(m.__class__.__subclasses__())) * x,
        lambda: made.append(type("Further", (Model,), {})),
    )


def a_setter() -> Program:
    unit = [2.0]

    class Model:
        def __init__(self) -> None:
            self.kept = 0.0

        @property
        def w(self) -> Any:
            return self.kept

        @w.setter
        def w(self, value: Any) -> None:
            self.kept = value * unit[0]

        def loss(self, x: Any) -> Any:
            self.w = x
            return self.w

    return Model().loss, lambda: unit.__setitem__(0, 5.0)


def the_names_of_a_module() -> Program:
    names: dict[str, Any] = {**vars(np), "a": 2.0}
    return eval("lambda x: a * x", names), lambda: names.update(a=5.0)


def an_alias_of_max() -> Program:
    class Level(Weight):
        def __gt__(self, other: Any) -> bool:
            return self.w > other.w

        def __lt__(self, other: Any) -> bool:
            return self.w < other.w

    pick, a, b = max, Level(2.0), Level(1.0)

    def f(x: Any) -> Any:
        return (3.0 if pick(a, b) is a else 7.0) * x

    return f, lambda: setattr(b, "w", 4.0)


def text_by_a_variable() -> Program:
    mode, table, template = Named("a"), {"a": 1.0, "b": 2.0}, "%s"
    return lambda x: table[template % mode] * x, lambda: setattr(mode, "name", "b")


@pytest.mark.parametrize(
    "program",
    [
        an_attribute_that_was_absent,
        an_attribute_asked_for_by_text,
        an_alias_of_getattr,
        an_alias_of_attrgetter,
        a_pattern,
        another_reference_to_a_known_object,
        sentinels,
        an_operator,
        an_operator_of_a_base,
        a_partial_method_as_operator,
        a_set,
        keys,
        a_stored_method_of_a_dict,
        a_decorated_function,
        a_decorated_method,
        a_function_by_types,
        an_object_made_of_its_class,
        text_of_an_object,
        text_by_percent,
        a_comparison,
        a_subclass_of_a_library,
        attributes_as_a_whole,
        attributes_of_a_metaclass,
        a_property_of_its_own_kind,
        a_class_without_an_object,
        a_number_with_attributes,
        a_row_of_a_table,
        bases,
        an_object_of_a_class,
        an_object_that_a_method_closes_over,
        a_derivative_in_a_dict,
        a_derivative_as_a_default,
        an_object_made_of_a_known_class,
        subclasses,
        a_setter,
        the_names_of_a_module,
        an_alias_of_max,
        text_by_a_variable,
    ],
)
@pytest.mark.parametrize("calls", [1, 5])
def test_a_change_is_noticed(program: Callable[[], Program], calls: int) -> None:
    function, change = program()
    slope = eg.grad(function)
    before = [slope(1.0) for _ in range(calls)][-1]
    change()
    fresh, _ = program()
    assert before == eg.grad(fresh)(1.0)
    after = eg.grad(lambda x: 1.0 * function(x))(1.0)
    assert after != before
    assert slope(1.0) == after


@dataclass
class Parameters:
    """An argument with a method."""

    w: float

    def predict(self) -> Any:
        return state["scale"] * self.w


@pytest.mark.parametrize("calls", [1, 5])
def test_methods_of_arguments(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slope = eg.grad(lambda p: p.predict())
    for _ in range(calls):
        assert slope(Parameters(1.0)).w == 2
    monkeypatch.setitem(state, "scale", 5.0)
    assert slope(Parameters(1.0)).w == 5
    monkeypatch.setattr(Parameters, "predict", lambda self: 7 * self.w)
    assert slope(Parameters(1.0)).w == 7


def test_an_object_that_toggles() -> None:
    class Toggle:
        def __init__(self) -> None:
            self.a, self.b = Weight(1.0), Weight(2.0)
            self.current = self.a

        def loss(self, x: Any) -> Any:
            self.current = self.b if self.current is self.a else self.a
            return self.current.w * x

    slope = eg.grad(Toggle().loss)
    assert [float(slope(1.0)) for _ in range(4)] == [2, 1, 2, 1]


def test_callables_that_are_equal() -> None:
    class Model(Weight):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Model)

        def __hash__(self) -> int:
            return 0

    first, second = Model(2.0), Model(2.0)
    eg.grad(first)(1.0)
    slope = eg.grad(second)
    for _ in range(4):
        slope(1.0)
    second.w = 5.0
    assert slope(1.0) == 5


def test_keys_without_text() -> None:
    class Key:
        def __repr__(self) -> str:
            raise AttributeError

        def __eq__(self, _: object) -> bool:
            raise ValueError

        def __hash__(self) -> int:
            return 0

    known = {Key(): 2.0}
    slope = eg.grad(lambda x: sum(known.values()) * x)
    assert [slope(1.0) for _ in range(4)] == [2] * 4


def test_classes_that_cannot_be_hashed() -> None:
    class Meta(type):
        __hash__ = None  # pyright: ignore

    class Model(metaclass=Meta):
        w = 2.0

    m = Model()
    assert eg.grad(lambda x: m.w * x)(1.0) == 2


def test_circles_are_gone_through_once() -> None:
    root: dict[str, Any] = {"k": 2.0, "children": []}
    root["children"] = [{"k": 1.0, "parent": root} for _ in range(200)]
    slope = eg.grad(lambda x: root["children"][3]["k"] * x)
    assert slope(1.0) == 1
    root["children"][3]["k"] = 4.0
    assert slope(1.0) == 4


@dataclass
class Data:
    """Data of which one part is read."""

    k: float
    images: Any = field(default_factory=lambda: np.zeros(10))


def test_what_is_not_named_is_not_copied() -> None:
    from eggrad.frontend.interface.reads import reads

    data = Data(2.0)
    found = reads(lambda x: data.k * x)
    assert found is not None
    assert any(name.endswith("@k") for name in found)
    assert not any("images" in name for name in found)


def test_large_arrays_of_objects_are_not_compared() -> None:
    from eggrad.frontend.interface.reads import reads

    data = Data(2.0, np.zeros(10**6))
    assert reads(lambda x: data.images[0] * x) is None
    data.images = np.zeros(10)
    assert reads(lambda x: data.images[0] * x) is not None


def test_models_are_freed() -> None:
    class Model(Weight):
        def __init__(self) -> None:
            super().__init__(2.0)
            self.parts = [self]
            self.slope = eg.grad(self.loss)

        def loss(self, x: Any) -> Any:
            return self.w * x + len(self.parts)

    def used(model: Model) -> "ref[Model]":
        for _ in range(4):
            model.slope(1.0)
            eg.grad(model)(1.0)
        return ref(model)

    known = [used(Model()) for _ in range(3)]
    gc.collect()
    assert all(r() is None for r in known)


def test_functions_that_read_their_derivative_are_freed() -> None:
    def used() -> "ref[Any]":
        known: dict[str, Any] = {"scale": 2.0}

        def f(x: Any) -> Any:
            return known["scale"] * x

        known["slope"] = eg.grad(f)
        for _ in range(4):
            known["slope"](1.0)
        return ref(f)

    found = used()
    gc.collect()
    assert found() is None


@dataclass
class Checked:
    """An argument that looks at what it is given."""

    w: Any

    def __post_init__(self) -> None:
        self.scale = state["scale"]
        if not hasattr(self.w, "shape"):
            raise TypeError(self.w)


def test_arguments_that_look_at_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = eg.grad(lambda p: p.scale * (p.w @ p.w))
    for _ in range(4):
        assert (slope(Checked(np.ones(2))).w == 4).all()
    monkeypatch.setitem(state, "scale", 5.0)
    assert (slope(Checked(np.ones(2))).w == 10).all()


def test_methods_of_arguments_by_text(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = eg.grad(lambda p, how: getattr(p, how)())
    for _ in range(4):
        assert slope(Parameters(1.0), "predict").w == 2
    monkeypatch.setitem(state, "scale", 5.0)
    assert slope(Parameters(1.0), "predict").w == 5


def test_classes_of_one_name() -> None:
    scales = [2.0, 3.0]

    def made(k: int) -> Any:
        @dataclass
        class Params:
            w: float

            def predict(self) -> Any:
                return scales[k] * self.w

        return Params

    first, second = made(0), made(1)
    slope = eg.grad(lambda p, q: p.predict() * q.predict())
    assert slope(first(1.0), second(1.0)).w == 6
    scales[1] = 5.0
    assert slope(first(1.0), second(1.0)).w == 10
    scales[0] = 7.0
    assert slope(first(1.0), second(1.0)).w == 35


class Mode(StrEnum):
    """An option that is a text and more."""

    FAST = "fast"

    @property
    def factor(self) -> float:
        return state["scale"]


def test_options_that_do_more(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = eg.grad(lambda x, mode: mode.factor * x)
    assert [slope(1.0, Mode.FAST) for _ in range(4)] == [2] * 4
    monkeypatch.setitem(state, "scale", 5.0)
    assert slope(1.0, Mode.FAST) == 5


def test_objects_as_keys_of_arguments() -> None:
    layer = Weight(2.0)
    slope = eg.grad(lambda p: sum(key.w * x for key, x in p.items()))
    assert [slope({layer: 1.0})[layer] for _ in range(4)] == [2] * 4
    layer.w = 5.0
    assert slope({layer: 1.0})[layer] == 5


def test_what_is_returned_beside_is_the_callers() -> None:
    slope = eg.grad(lambda x: (x * x, np.zeros(2)), has_aux=True)
    for _ in range(6):
        _, aux = slope(1.0)
        assert (aux == 0).all()
        aux += 1


def test_objects_that_are_returned_beside() -> None:
    found = Parameters(1.0)
    slope = eg.grad(lambda x: (x * x, found), has_aux=True)
    for w in range(5):
        found.w = float(w)
        assert slope(1.0)[1].w == w


def test_generators_of_random_numbers_are_asked() -> None:
    slope = eg.grad(lambda x: x * np.random.Generator(np.random.PCG64()).normal())
    assert len({float(slope(1.0)) for _ in range(4)}) == 4
