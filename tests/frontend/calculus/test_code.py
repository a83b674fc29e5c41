"""What generated code must not do: each test is a problem that was seen to do it."""

import re

import numpy as np

import eggrad as eg


def sizes_made(source: str) -> set[int]:
    """The sizes of axes that occur in calls that make arrays, or are planned when they run."""
    lines = [line for line in source.splitlines() if re.search(r"np\.zeros|_product\(", line)]
    return {int(n) for line in lines for n in re.findall(r"\b\d+\b", line)}


def test_parts_of_a_flat_vector_are_not_spread_over_the_observations() -> None:
    def loss(t: eg.Expression, X: eg.Expression, y: eg.Expression) -> eg.Expression:
        W, b, w = t[:128].reshape(8, 16), t[128:144], t[144:160]
        r = np.tanh(X @ W + b) @ w + t[160] - y
        return eg.sum(r * r) / 300 + 1e-3 * eg.sum(t * t)

    t, X, y = (eg.variable(n, d) for n, d in {"t": (161,), "X": (300, 8), "y": (300,)}.items())
    f = loss(t, X, y)
    source = eg.compile([f, eg.gradient(f, t)]).source
    assert not any({161, 300} <= sizes_made(line) for line in source.splitlines())


def autoregression(x: eg.Expression, Z: eg.Expression) -> eg.Expression:
    A, B, c = x[:16].reshape(4, 4), x[16:32].reshape(4, 4), x[32:]
    return eg.sum((Z[2:] - Z[1:-1] @ A.T - Z[:-2] @ B.T - c) ** 2)


def test_matrices_in_a_flat_vector_are_views() -> None:
    x, Z = eg.variable("x", (36,)), eg.variable("Z", ("n", 4))
    f = autoregression(x, Z)
    for wanted in ([f, eg.gradient(f, x)], [eg.hessian(f, x)]):
        source = eg.compile(wanted).source
        assert "_product(" not in source
        assert ".reshape((4, 4" in source
        # Blocks are multiplied before they meet.
        assert not re.search(r"np\.zeros\(.*n", source)


def test_a_triangle_in_a_flat_vector_is_one_factor() -> None:
    """A Gaussian by a Cholesky factor: one inverse, and no array of more axes than two."""
    places = np.full((3, 3), 6)
    places[np.diag_indices(3)], places[np.tril_indices(3, -1)] = range(3), range(3, 6)
    t, X = eg.variable("t", (9,)), eg.variable("X", (50, 3))
    entries = np.concatenate([np.exp(t[3:6]), t[6:9], 0 * t[:1]])
    Z = np.linalg.solve(entries[places], (X - t[:3]).T)
    f = 0.5 * eg.sum(Z * Z) + 50 * eg.sum(t[3:6])
    source = eg.compile([f, eg.gradient(f, t)]).source
    assert source.count("inverse(") == 1
    assert not re.search(r"\((\d+, ){3}\d+\)", source)


def test_a_mask_on_rows_stays_on_rows() -> None:
    sizes = {"w": (5,), "X": ("n", 5), "y": ("n",)}
    w, X, y = (eg.variable(name, dims) for name, dims in sizes.items())
    f = eg.sum(np.where(y > 0, (X @ w - y) ** 2, 0))
    for wanted in ([f, eg.gradient(f, w)], [eg.hvp(f, w, "v")]):
        source = eg.compile(wanted).source
        assert source.count("np.where(") == 1
        assert "[:, None]" not in source


def test_rows_that_a_mask_hides_have_no_part_in_derivatives() -> None:
    sizes = {"w": (3,), "X": ("n", 3), "y": ("n",)}
    w, X, y = (eg.variable(name, dims) for name, dims in sizes.items())
    f = eg.sum(np.where(y > 0, (X @ w - y) ** 2, 0))
    random = np.random.default_rng(0)
    values = {"w": random.normal(size=3), "v": random.normal(size=3)}
    for n in (6, 200):
        shown = random.normal(size=(n, 3))
        values |= {"y": np.where(np.arange(n) % 3, 1.0, -1.0)}
        hidden = np.where(values["y"][:, None] > 0, shown, np.resize([np.nan, np.inf], (n, 1)))
        for wanted in ([f, eg.gradient(f, w)], [eg.hvp(f, w, "v")], [eg.hessian(f, w)]):
            compiled = eg.compile(wanted)
            expected, found = (
                compiled(
                    **{k: v for k, v in (values | {"X": X}).items() if k in compiled.parameters}
                )
                for X in (shown, hidden)
            )
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other)


def test_differences_of_neighbours_are_slices() -> None:
    c = eg.variable("c", (20,))
    penalty = eg.sum((c[2:] - 2 * c[1:-1] + c[:-2]) ** 2)
    source = eg.compile([penalty, eg.gradient(penalty, c)]).source
    assert "indicator_product" not in source


def test_entries_are_taken_before_what_may_overflow() -> None:
    t = eg.variable("t", (4,))
    f = eg.compile(np.concatenate([np.exp(t[2:]), t[:2]]))
    with np.errstate(all="raise"):
        found = f(t=np.array([1e4, 2e4, 1.0, 2.0]))
    np.testing.assert_allclose(found, [np.e, np.e**2, 1e4, 2e4])


def test_gathers_in_other_libraries_are_no_products() -> None:
    X, i = eg.variable("X", (9, 3)), eg.variable("i", (20,), ["integer"])
    f = eg.sum(X[i] ** 3)
    source = eg.compile([f, eg.gradient(f, X)], backend="array_api").source
    assert "own.selected(" in source
    assert "own.selection(" not in source
