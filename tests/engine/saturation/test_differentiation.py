"""Derivatives asked for of an e-graph: cuts, transposition, places, and what a rule lacks."""

import gc
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.cost import count
from eggrad.engine.errors import MissingRule
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation import system as systems
from eggrad.engine.saturation.differentiation import cuts, dominators
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import concrete, symbols
from eggrad.engine.terms.term import Term, postorder, rebuild, variables
from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.experiment import BASE
from eggrad.rules.standard import STANDARD, system
from tests.support.elimination import Network, random_network
from tests.support.needed_rules import NEEDED

NETWORKS = [random_network(Random(seed)) for seed in range(40)]
# Some of those whose cheapest order is below both modes: it is not reached in all of them.
CROSS_COUNTRY = (6, 9, 16, 34, 35, 38)


def entries(dims: tuple[int | str, ...]) -> int:
    return int(np.prod([int(d) for d in dims]))


def without(root: Term, gone: Term) -> Term:
    """A term with a variable of its own in the place of a node."""
    done: dict[Term, Term] = {}
    for node in postorder(root):
        args = tuple(done[a] for a in node.args)
        done[node] = t.variable("gone", node.dims) if node is gone else rebuild(node, args)
    return done[root]


@pytest.mark.parametrize("network", NETWORKS[:20])
def test_dominators_are_what_separates_a_variable_from_the_root(network: Network) -> None:
    root, x = network.root, network.x
    expected = {n for n in postorder(root) if x not in {*postorder(without(root, n))}}
    assert {*dominators(root, x)} == expected


@pytest.mark.parametrize("network", NETWORKS[:20])
def test_cuts_are_narrower_than_what_is_beside_them(network: Network) -> None:
    found = [network.x, *cuts(network.root, network.x, entries), network.root]
    through = dominators(network.root, network.x)
    for low, cut, high in zip(found, found[1:], found[2:], strict=False):
        between = through[through.index(low) + 1 : through.index(high)]
        assert min(entries(n.dims) for n in between) <= entries(cut.dims)
        assert entries(cut.dims) < max(entries(network.x.dims), entries(network.root.dims))


@pytest.mark.parametrize("seed", range(40))
def test_values_of_derivatives_through_cuts(seed: int) -> None:
    network = NETWORKS[seed]
    rng = np.random.default_rng(seed)
    found = system().differentiate(network.root, network.x).term
    values = {
        v.name: 0.3 * rng.normal(size=tuple(map(int, v.dims)))
        for v in variables(network.root, network.x)
    }
    expected = oracle.numeric_derivative(network.root, network.x, values, {}, 1e-4)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(oracle.value(found, values, {}), expected, atol=1e-5 * scale)


@pytest.mark.parametrize("seed", CROSS_COUNTRY)
def test_orders_below_both_modes_are_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network = NETWORKS[seed]
    alone = [
        count([system().differentiate(network.root, network.x, mode).term], {})
        for mode in ("forward", "reverse")
    ]
    best = network.best({})
    assert best < min(alone)
    own = System(STANDARD)
    assert count([own.differentiate(network.root, network.x).term], {}) <= best
    monkeypatch.setattr(systems, "cuts", lambda *_: [])
    uncut = count([System(STANDARD).differentiate(network.root, network.x).term], {})
    assert uncut > best


def test_cotangents_belong_to_places() -> None:
    """In a + 3b with a = b they are 1 and 3."""
    x = eg.variable("x", ("n",))
    f = eg.sum(eg.exp(x)) + 3 * eg.sum(eg.exp(0 - (0 - x)))
    at = np.array([-1.0, 0.0, 2.0])
    found = eg.gradient(f, x, mode="reverse").evaluate({"x": at})
    np.testing.assert_allclose(found, 4 * np.exp(at))


@pytest.mark.parametrize("name", ["cut 1", "cut 2", "('cut', 1)", "direction", "(named 3)"])
def test_no_name_of_a_variable_means_anything(name: str) -> None:
    x, scale = eg.variable("x", (9,)), eg.variable(name, (2,))
    A, B = eg.variable("A", (2, 9)), eg.variable("B", (8, 2))
    f = B @ eg.sin((A @ x) * scale)
    at = {"x": np.arange(9) / 9, "A": np.ones((2, 9)), "B": np.ones((8, 2)), name: np.array([1, 2])}
    slope = np.cos((at["A"] @ at["x"]) * at[name]) * at[name]
    found = eg.jacobian(f, x).evaluate(at)
    np.testing.assert_allclose(found, at["B"] @ (slope[:, None] * at["A"]))


@pytest.mark.parametrize("name", ["adjoint of operand 0", "tangent of operand 0"])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_no_name_of_a_loops_operand_means_anything(name: str, mode: Any) -> None:
    start = eg.variable(name)
    last, _ = eg.scan(lambda h, u: (h * u + start, None), start, np.array([2.0, 3.0]))
    # (s·2 + s)·3 + s = 10·s
    assert float(eg.gradient(last, start, mode=mode).evaluate({name: 5})) == 10


MODES = ("forward", "reverse")
# In forward mode nothing else says what the derivative of these leaves is.
LEAVES = {f"forward.d_{name}" for name in ("array", "delta", "indicator", "size")}
MODAL = sorted(rule for rule in NEEDED if rule.partition(".")[0] in MODES)


@pytest.mark.parametrize("rule", MODAL)
def test_what_one_mode_lacks_the_other_has(rule: str) -> None:
    """Without a law there is an answer by the transpose of the other mode's."""
    case = NEEDED[rule]
    problem = parse(case.text)
    assert problem.wrt is not None
    term, x = problem.term, problem.wrt[0]
    own = System(BASE.without(rule).standard)
    rng = np.random.default_rng(0)
    sizes = dict.fromkeys(symbols(term), 2)
    shapes = {v.name: concrete(v.dims, sizes) for v in variables(term)}
    values = {name: rng.uniform(0.5, 1.5, shape) for name, shape in shapes.items()}
    expected = oracle.numeric_derivative(term, x, values, sizes)
    for mode in (*MODES, "auto"):
        if rule in LEAVES and mode == "forward":
            with pytest.raises(MissingRule, match=f"derivative of {rule.rpartition('_')[2]}"):
                own.differentiate(term, x, mode)
            continue
        found = own.differentiate(term, x, mode).term
        value = oracle.value(found, values, sizes)
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["inv", "det", "tanh", "negate"])
def test_without_either_law_the_error_names_the_operation(name: str) -> None:
    A, x = t.variable("A", ("n", "n")), t.variable("x", ("n",))
    subject = {"inv": A, "det": A, "tanh": x, "negate": x}[name]
    node = t.negate(subject) if name == "negate" else t.apply(name, subject)
    gone = ("slope_tanh",) if name == "tanh" else (f"d_{name}", f"pull_{name}")
    own = System(BASE.without(*gone).standard)
    for mode in (*MODES, "auto"):
        with pytest.raises(MissingRule, match=f"no rule has the derivative of {name}"):
            own.differentiate(node, subject, mode)


def test_sizes_decide_what_is_cheap() -> None:
    C, A, B = (eg.variable(n, tuple(d)) for n, d in {"C": "nn", "A": "nk", "B": "kn"}.items())
    x = eg.variable("x", ("n",))
    f = eg.tanh(C @ eg.sin(A @ eg.tanh(B @ eg.sin(C @ x))))
    sizes = {"n": 60, "k": 2}
    assert eg.jacobian(f, x).cost(sizes) > 400_000
    assert eg.jacobian(f, x, sizes=sizes).cost(sizes) < 60_000


def test_a_cut_at_the_result_of_a_loop() -> None:
    x, w = eg.variable("x", (5,)), eg.variable("w", (4,))
    h, _ = eg.scan(lambda h, u: (eg.sin(h * u), None), 0.3, x)
    values = {"x": np.arange(1.0, 6.0) / 5, "w": np.ones(4)}
    found = [eg.jacobian(w * h, x, mode=m).evaluate(values) for m in (*MODES, "auto")]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    np.testing.assert_allclose(found[0], found[2], rtol=1e-12)


def test_forward_mode_asks_for_no_slope_of_what_the_variable_does_not_reach() -> None:
    product = eg.function("prod", derivative=(None, lambda a, b: a), evaluate=lambda a, b: a * b)
    x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
    values = {"x": [2.0, 3.0], "y": [4.0, 5.0]}
    found = eg.jacobian(product(x, y) + product(x, x), y, mode="forward")
    np.testing.assert_array_equal(found.evaluate({"x": values["x"]}), np.diag([2.0, 3.0]))
    with pytest.raises(MissingRule, match="no rule has the derivative of prod by its operand 1"):
        eg.jacobian(product(x, y), x, mode="forward")


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_an_error_may_be_dropped_by_another_thread() -> None:
    product = eg.function("prod", derivative=(lambda a, b: b, None), evaluate=lambda a, b: a * b)
    x = eg.variable("x", ("n",))
    errors: list[eg.EggradError] = []

    def fail() -> None:
        try:
            eg.jacobian(product(x, x), x)
        except eg.EggradError as error:
            errors.append(error)

    thread = Thread(target=fail)
    thread.start()
    thread.join()
    assert len(errors) == 1
    errors.clear()
    gc.collect()


def test_a_cotangent_may_be_a_long_term() -> None:
    x, v = eg.variable("x", ("n",)), eg.variable("v", ("n",))
    for _ in range(1000):
        v = eg.sin(v)
    assert len({*postorder(eg.vjp(eg.exp(x), x, v).term)}) > 1000
