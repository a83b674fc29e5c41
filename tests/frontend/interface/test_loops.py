"""Loops of Python functions: values and derivatives as JAX has them, texts, mistakes."""

from collections.abc import Callable
from time import process_time
from typing import Any, cast

import numpy as np
import pytest

import eggrad as eg

jax = pytest.importorskip("jax")
jnp = jax.numpy
jax.config.update("jax_enable_x64", True)

RNG = np.random.default_rng(0)
N, T = 3, 5
P = {"W": RNG.normal(size=(N, N)) / 2, "U": RNG.normal(size=(N, 2)), "b": RNG.normal(size=N)}
XS = RNG.normal(size=(T, 2))
Loss = Callable[[Any, Any], Any]


def recurrent(np: Any, scan: Any) -> Loss:
    """A recurrent network that predicts the next entry."""

    def loss(p: Any, xs: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = np.tanh(p["W"] @ h + p["U"] @ x + p["b"])
            return h, h[:2] - x

        h, errors = scan(step, np.zeros(N), xs)
        return np.sum(errors**2) + h @ h

    return loss


def gated(np: Any, scan: Any) -> Loss:
    """A cell with a gate, whose carry is a dict."""

    def loss(p: Any, xs: Any) -> Any:
        def step(s: Any, x: Any) -> Any:
            z = p["W"] @ s["h"] + p["U"] @ x + p["b"]
            gate = 1 / (1 + np.exp(-z))
            cell = gate * s["c"] + (1 - gate) * np.tanh(z)
            return {"h": gate * cell, "c": cell}, None

        last, nothing = scan(step, {"h": np.zeros(N), "c": np.ones(N)}, xs)
        assert nothing is None
        return np.sum(last["h"] * last["c"])

    return loss


def kalman(np: Any, scan: Any) -> Loss:
    """The likelihood of a filter: means, covariances, inverses."""

    def loss(p: Any, xs: Any) -> Any:
        A, C = p["W"], p["U"].T

        def step(s: Any, x: Any) -> Any:
            mean, cov = s
            mean, cov = A @ mean, A @ cov @ A.T + np.eye(N)
            S = C @ cov @ C.T + np.eye(2)
            e = x - C @ mean
            K = cov @ C.T @ np.linalg.inv(S)
            cost = e @ np.linalg.solve(S, e) + np.log(np.linalg.det(S))
            return (mean + K @ e, cov - K @ C @ cov), cost

        _, costs = scan(step, (p["b"], np.eye(N)), xs)
        return np.sum(costs)

    return loss


def hidden_markov(np: Any, scan: Any) -> Loss:
    """Forward probabilities as logarithms."""

    def loss(p: Any, xs: Any) -> Any:
        table = p["W"] - np.log(np.sum(np.exp(p["W"]), axis=1, keepdims=True))

        def step(a: Any, x: Any) -> Any:
            joint = a[:, None] + table
            largest = np.max(joint)
            own = np.log(np.sum(np.exp(joint - largest), axis=0)) + largest
            return own - (p["U"] @ x) ** 2, None

        last, _ = scan(step, p["b"], xs)
        return np.log(np.sum(np.exp(last)))

    return loss


def nested(np: Any, scan: Any) -> Loss:
    """A loop in a loop, which reads what the outer one carries."""

    def loss(p: Any, xs: Any) -> Any:
        def outer(h: Any, x: Any) -> Any:
            def inner(c: Any, entry: Any) -> Any:
                c = np.tanh(p["W"] @ c + entry * h)
                return c, c @ h

            c, ys = scan(inner, h, x)
            return c, np.sum(ys)

        h, sums = scan(outer, p["b"], xs)
        return np.sum(sums) + h @ h

    return loss


def series(np: Any, scan: Any) -> Loss:
    """No array to follow: Newton's iteration for roots."""

    def loss(p: Any, xs: Any) -> Any:
        squares = np.sum(xs**2) + p["b"] ** 2
        found, seen = scan(lambda r, _: ((r + squares / r) / 2, r[0]), np.ones(N), length=4)
        return np.sum(found) + np.sum(seen)

    return loss


def embedded(np: Any, scan: Any) -> Loss:
    """A step that reads a row of a table by an integer."""
    words = np.asarray([2, 0, 1, 1, 2])

    def loss(p: Any, xs: Any) -> Any:
        def step(h: Any, word: Any) -> Any:
            h = np.tanh(p["W"] @ h + np.take(p["U"], word, axis=0).sum())
            return h, h[0]

        h, kept = scan(step, p["b"], words)
        return np.sum(kept) + np.sum(h * xs[0, 0])

    return loss


LOSSES = [recurrent, gated, kalman, hidden_markov, nested, series, embedded]


def both(loss: Any) -> tuple[Loss, Loss]:
    return loss(np, eg.scan), loss(jnp, jax.lax.scan)


def agree(found: Any, expected: Any) -> None:
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_value(loss: Any) -> None:
    ours, theirs = both(loss)
    np.testing.assert_allclose(ours(P, XS), theirs(P, XS))


@pytest.mark.parametrize("loss", LOSSES)
def test_gradient(loss: Any) -> None:
    ours, theirs = both(loss)
    value, slope = eg.value_and_grad(ours)(P, XS)
    np.testing.assert_allclose(value, theirs(P, XS))
    agree(slope, jax.grad(theirs)(P, XS))
    np.testing.assert_allclose(eg.grad(ours, 1)(P, XS), jax.grad(theirs, 1)(P, XS), atol=1e-9)


@pytest.mark.parametrize("loss", [recurrent, nested, series])
def test_hessian_vector_product(loss: Any) -> None:
    rng = np.random.default_rng(1)
    ours, theirs = both(loss)
    along = {name: rng.normal(size=a.shape) for name, a in P.items()}
    found = eg.hvp(lambda p: ours(p, XS))(P, along)
    agree(found, jax.jvp(jax.grad(lambda p: theirs(p, XS)), (P,), (along,))[1])


@pytest.mark.parametrize("loss", [recurrent, gated, nested])
def test_many_examples(loss: Any) -> None:
    rng = np.random.default_rng(1)
    ours, theirs = both(loss)
    many = rng.normal(size=(4, T, 2))
    found = eg.vmap(ours, in_axes=(None, 0))(P, many)
    np.testing.assert_allclose(found, jax.vmap(theirs, in_axes=(None, 0))(P, many))
    weights = {**P, "W": rng.normal(size=(4, N, N))}
    axes = {"W": 0, "U": None, "b": None}
    found = eg.vmap(ours, in_axes=(axes, None))(weights, XS)
    np.testing.assert_allclose(found, jax.vmap(theirs, in_axes=(axes, None))(weights, XS))


def test_reverse() -> None:
    def of(scan: Any) -> Any:
        return lambda x: scan(lambda h, a: (h * a + a, h), 0.5, x, reverse=True)

    np.testing.assert_allclose(of(eg.scan)(XS[:, 0])[1], of(jax.lax.scan)(XS[:, 0])[1])
    for k in (0, 1):
        found = eg.jacobian(lambda x, k=k: of(eg.scan)(x)[k])(XS[:, 0])
        np.testing.assert_allclose(
            found, jax.jacobian(lambda x, k=k: of(jax.lax.scan)(x)[k])(XS[:, 0])
        )


def test_symbolic_sizes() -> None:
    rng = np.random.default_rng(1)
    A, x, us = eg.variable("A", ("n", "n")), eg.variable("x", ("n",)), eg.variable("us", ("T", "n"))
    last, squares = eg.scan(lambda h, u: (A @ h + u, h @ h), x, us)
    assert (last.shape, squares.shape) == (("n",), ("T",))
    total = np.sum(squares) + last @ last
    values = {"A": P["W"], "x": P["b"], "us": rng.normal(size=(4, N))}

    def expected(A: Any) -> Any:
        last, squares = jax.lax.scan(lambda h, u: (A @ h + u, h @ h), values["x"], values["us"])
        return jnp.sum(squares) + last @ last

    slope = eg.gradient(total, "A")
    np.testing.assert_allclose(slope.evaluate(values), jax.grad(expected)(P["W"]))
    found = eg.hessian(total, "A").evaluate(values)
    np.testing.assert_allclose(found, jax.hessian(expected)(P["W"]), atol=1e-9)
    shorter = slope.evaluate({**values, "us": values["us"][:0]})
    np.testing.assert_array_equal(shorter, np.zeros((N, N)))


def test_the_number_of_steps_may_be_a_symbol() -> None:
    a = eg.variable("a")
    found, _ = eg.scan(lambda h, _: (np.cos(h) * a, None), 0.3, length="N")
    slope = eg.derivative(found, a)

    def expected(a: Any) -> Any:
        return jax.lax.scan(lambda h, _: (jnp.cos(h) * a, None), 0.3, None, length=50)[0]

    np.testing.assert_allclose(slope.evaluate({"a": 0.9, "N": 50}), jax.grad(expected)(0.9))
    np.testing.assert_allclose(eg.compile(slope)(a=0.9, N=50), jax.grad(expected)(0.9))
    assert slope.evaluate({"a": 0.9, "N": 0}) == 0


def test_a_thousand_steps_are_derived_as_one_is() -> None:
    def seconds(steps: int) -> float:
        def last(w: Any, xs: Any) -> Any:
            return eg.scan(lambda h, x: (np.tanh(w * h + x), None), 0.0, xs)[0]

        begin = process_time()
        slope = eg.grad(last)(0.5, np.ones(steps))
        assert np.isfinite(slope)
        return process_time() - begin

    seconds(2)
    assert seconds(1000) < 10 * seconds(3)


def test_substitution_and_texts() -> None:
    A, x = eg.variable("A", ("n", "n")), eg.variable("x", ("n",))
    last, _ = eg.scan(lambda h, _: (np.sin(A @ h), None), x, length=3)
    slope = eg.gradient(np.sum(last), x)
    values = {"A": P["W"], "x": P["b"]}
    expected = slope.evaluate(values)
    named: dict[str, Any] = {}
    exec(slope.to("python"), named)
    np.testing.assert_allclose(named["f"](values["A"], values["x"]), expected)
    exec(slope.to("jax"), named)
    np.testing.assert_allclose(named["f"](values["A"], values["x"]), expected)
    assert str(slope) == slope.to("python")
    assert eg.parse_json(slope.to("json")) is slope
    doubled = slope.substitute(x=2 * eg.variable("y", ("n",)))
    np.testing.assert_allclose(doubled.evaluate({"A": values["A"], "y": values["x"] / 2}), expected)
    with pytest.raises(eg.UnsupportedOperation, match=r"matrix has no loops; .* python, jax"):
        slope.to("matrix")


@pytest.mark.parametrize("backend", ["jax", "dask", "array_api"])
def test_other_libraries(backend: str) -> None:
    rng = np.random.default_rng(1)
    A, us = eg.variable("A", (N, N)), eg.variable("us", (T, N))
    last, ys = eg.scan(lambda h, u: (np.tanh(A @ h + u), h @ h), np.zeros(N), us, reverse=True)
    slope = eg.gradient(np.sum(ys) + np.sum(last), A)
    values = {"A": P["W"], "us": rng.normal(size=(T, N))}
    try:
        found = eg.compile(slope, backend=backend)
    except ImportError:
        pytest.skip(f"{backend} is not there")
    np.testing.assert_allclose(np.asarray(found(**values)), slope.evaluate(values))


def test_loops_whose_steps_simplify_to_one_are_one() -> None:
    a, x = eg.variable("a"), eg.variable("x", ("n",))
    one, _ = eg.scan(lambda h, u: (h * a + u, None), 0, x)
    other, _ = eg.scan(lambda p, v: (2 * p * a + v - p * a, None), 0, x)
    assert eg.simplify(one - other).term.op == "constant"


def test_numbers_alone() -> None:
    last, kept = eg.scan(lambda h, x: (h + x, {"h": h}), 0, np.arange(4))
    assert last == 6
    np.testing.assert_array_equal(kept["h"], [0, 0, 1, 3])
    last, kept = eg.scan(lambda h, x: (h + x, h), np.ones(2), np.zeros((0, 2)))
    np.testing.assert_array_equal(last, [1, 1])
    assert np.shape(kept) == (0, 2)


def test_none_is_no_array() -> None:
    def squares(scan: Any) -> Any:
        return lambda w, xs: scan(lambda _, x: (None, w * x[0] ** 2), None, (xs, None))[1]

    def last(scan: Any) -> Any:
        def of(w: Any, xs: Any) -> Any:
            (h, nothing), _ = scan(lambda s, x: ((s[0] * w + x, s[1]), None), (w, None), xs)
            assert nothing is None
            return h

        return of

    for of, xs in ((squares, XS), (last, XS[:, 0])):
        np.testing.assert_allclose(of(eg.scan)(1.5, xs), of(jax.lax.scan)(1.5, jnp.asarray(xs)))
        found = eg.jacobian(of(eg.scan))(1.5, xs)
        np.testing.assert_allclose(found, jax.jacobian(of(jax.lax.scan))(1.5, jnp.asarray(xs)))


def test_a_list_of_numbers_is_an_array() -> None:
    last, _ = eg.scan(lambda h, x: (2 * h + x, None), [1.0, 2.0], [0.0, 1.0])
    np.testing.assert_array_equal(last, [5, 9])


def test_a_length_of_numbers_alone_may_be_a_symbol() -> None:
    last, _ = eg.scan(lambda h, _: (2 * h, None), 3, length="n + 1")
    assert last.evaluate({"n": 2}) == 24


def test_symbols_for_the_number_of_steps_meet_numbers_and_what_fits() -> None:
    x, y = eg.variable("x", ("T", "n")), eg.variable("y", ("S", "n"))

    def steps(xs: Any, length: Any = None) -> Any:
        return eg.scan(lambda h, _: (h, h), 1.0, xs, length)[1].shape[0]

    assert steps(x, 4) == 4
    assert steps((x, np.ones((4, 2)))) == 4
    assert steps((x, eg.variable("z", (None,)))) == "T"
    for mistaken in (lambda: steps((x, y)), lambda: steps(x, "S"), lambda: steps(np.ones(2), "S")):
        with pytest.raises(eg.ShapeError, match="scan: "):
            mistaken()


def test_a_mistake_in_what_a_step_returns_shows_its_line() -> None:
    x = eg.variable("x", ("T",))
    for step in (lambda h, x: (h, "text"), lambda h, x: ([h], x), lambda h, x: (x + np.ones(2), x)):
        with pytest.raises(eg.EggradError) as error:
            eg.scan(step, 1.0, x)
        assert "for step in" in error.value.__notes__[0]


def test_the_length_may_be_the_size_of_a_variable() -> None:
    w, x = eg.variable("w"), eg.variable("x", ("T", 2))
    last, _ = eg.scan(lambda h, _: (h * w, None), 1, length=x.shape[0])
    assert eg.derivative(last, w).evaluate({"w": 2.0, "x": np.ones((3, 2))}) == 12


@pytest.mark.parametrize("language", ["python", "jax"])
def test_printed_code_imports_what_it_needs(language: str) -> None:
    h, x = eg.variable("h", ("n",)), eg.variable("x", ("T", "n"))
    last, _ = eg.scan(lambda h, x: (h / 2 + x, None), h, x)
    named: dict[str, Any] = {}
    exec(last.to(language), named)
    np.testing.assert_allclose(named["f"](np.ones(2), np.ones((2, 2))), [1.75, 1.75])


@pytest.mark.parametrize("name", ["step1", "run_loop", "f"])
def test_printed_code_of_variables_that_are_called_as_its_functions(name: str) -> None:
    h, x = eg.variable(name, ("n",)), eg.variable("x", ("T", "n"))
    last, _ = eg.scan(lambda h, x: (h / 2 + x, None), h, x)
    named: dict[str, Any] = {}
    exec((last * h).to("python"), named)
    function = next(v for k, v in named.items() if k in ("f", "f_", "f1", "f2"))
    np.testing.assert_allclose(function(np.ones(2), np.ones((2, 2))), [1.75, 1.75])


def test_steps_may_have_many_parts_that_no_state_changes() -> None:
    def last(np: Any, scan: Any) -> Any:
        def of(a: Any) -> Any:
            def step(h: Any, _: Any) -> Any:
                return sum(np.exp(-k * a) * h**k for k in range(70)), None

            return scan(step, 0.3, length=2)[0]

        return of

    a = eg.variable("a")
    found = eg.compile(last(np, eg.scan)(a))(a=1.5)
    expected = last(jnp, lambda *own, length: jax.lax.scan(*own, None, length))(1.5)
    np.testing.assert_allclose(found, expected)


def test_only_the_derivatives_that_are_needed_are_asked_for() -> None:
    product = eg.function("product", derivative=(lambda a, b: b, None), evaluate=np.multiply)
    h, x, w = eg.variable("h", (N,)), eg.variable("x", ("T", N)), eg.variable("w")

    def step(s: Any, x: Any) -> Any:
        g, other = s
        return (w * product(g, other * x), other + x), None

    (last, _), _ = eg.scan(step, (h, np.ones(N)), x)
    values = {"h": P["b"], "x": np.ones((3, N)), "w": 0.9}
    found = eg.gradient(np.sum(last), h).evaluate(values)
    np.testing.assert_allclose(found, np.full(N, 0.9**3 * 1 * 2 * 3))
    found = eg.jacobian(last, w).evaluate(values)
    np.testing.assert_allclose(found, 3 * 0.9**2 * 6 * P["b"])
    with pytest.raises(eg.MissingRule, match="derivative of product by its operand 2"):
        eg.gradient(np.sum(last), x)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda w: eg.scan(lambda h, x: h * x, w, XS[:, 0]), "returns a pair"),
        (lambda w: eg.scan(lambda h, x: (h * x, h), w, XS), r"carry has axes \(\) at first and"),
        (lambda w: eg.scan(lambda h, _: (h, h), w), "give xs, or length="),
        (lambda w: eg.scan(lambda h, x: (h, h), w, XS, length=3), "number of steps .* 5 and 3"),
        (lambda w: eg.scan(lambda h, x: (h, h), w, (XS, XS[:2])), "number of steps .* 5 and 2"),
        (lambda w: eg.scan(lambda h, x: (h, h), w, 3.0), "xs has a number"),
        (lambda w: eg.scan(lambda h, _: ((h, h), h), w, length=2), "nested in another way"),
        (lambda w: eg.scan(w, w, XS), "a function of arrays is expected"),
        (lambda w: eg.scan(lambda h, _: (h, h), w, length=cast(Any, 2.5)), "a size is .* not 2.5"),
        (lambda w: eg.scan(lambda h, _: (h, h), w, length=-1), "a size is .* not -1"),
        (lambda w: eg.scan(lambda h, x: ((w, h[0]), x), [1, 2], XS), "a list of numbers is one"),
    ],
)
def test_mistakes(call: Any, reason: str) -> None:
    for mistaken in (lambda: eg.grad(lambda w: call(w)[0])(1.5), lambda: call(1.5)):
        with pytest.raises(eg.EggradError, match=reason) as error:
            mistaken()
        assert error.value is not None


def test_a_mistake_shows_the_line_of_the_step() -> None:
    def loss(w: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            if h > 0:
                return h * x, None
            return h, None

        return eg.scan(step, w, XS[:, 0])[0]

    with pytest.raises(eg.UnsupportedOperation) as error:
        eg.grad(loss)(1.5)
    assert "if h > 0:" in error.value.__notes__[0]
