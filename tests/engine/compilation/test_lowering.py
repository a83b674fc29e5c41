"""Generated code against the oracle, and its text."""

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.errors import ShapeError, UnknownVariable
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from tests.support import numeric_terms
from tests.support.tiers import samples

A = t.variable("A", ("m", "n"))
B = t.variable("B", ("n", "k"))
S = t.variable("S", ("n", "n"))
T = t.variable("T", ("n", "m", "k"))
x = t.variable("x", ("n",))
y = t.variable("y", ("m",))
c = t.variable("c")
ones = t.constant(1, ("n",))


def repeated_exp(length: int) -> t.Term:
    """The sum of so many equal numbers."""
    return t.einsum("i->", t.einsum(",i->i", t.apply("exp", c), t.constant(1, (length,))))


def body(*roots: t.Term) -> str:
    """The statements between the sizes and the end, `x = ...; return x` written as `...`."""
    lines = compile_terms(roots, single=True).source.partition("def ")[2].splitlines()[1:]
    kept = [line.strip() for line in lines if ".shape[" not in line]
    text = "; ".join(kept)
    *rest, last = kept
    name = last.removeprefix("return ")
    if len(rest) == 1 and rest[0].startswith(f"{name} = "):
        return rest[0].removeprefix(f"{name} = ")
    return text


@settings(max_examples=samples(150, 600), deadline=None)
@given(
    numeric_terms.roots(),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["normal", "special"]),
)
def test_compiled_is_the_oracle(roots: list[t.Term], seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3))
    values = oracle.random_values(t.variables(*roots), sizes, rng, kind)
    with np.errstate(all="ignore"):
        results = compile_terms(roots, sizes=sizes)(**values)
    assert [r.shape for r in results] == [tuple(sizes.get(d, d) for d in r.dims) for r in roots]
    if numeric_terms.is_tame(roots, values, sizes):
        for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-7, atol=1e-7)


@settings(max_examples=samples(50, 200), deadline=None)
@given(numeric_terms.roots(), st.integers(0, 2**32 - 1))
def test_single_precision(roots: list[t.Term], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3, 5))
    values = oracle.random_values(t.variables(*roots), sizes, rng)
    with np.errstate(all="ignore"):
        function = compile_terms(roots, sizes=sizes)
        results = function(**{name: v.astype(np.float32) for name, v in values.items()})
    assert [r.shape for r in results] == [tuple(sizes.get(d, d) for d in r.dims) for r in roots]
    if numeric_terms.is_tame(roots, values, sizes):
        for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("m", [0, 3])
@pytest.mark.parametrize("value", [0.0, 2.0])
def test_a_sum_of_equal_numbers_is_0_without_any(m: int, value: float) -> None:
    """Even where the number, which is computed once, is infinite."""
    inverse = t.power(t.einsum(",ij->ij", c, t.constant(1, ("n", "m"))), t.constant(-1))
    by_row = t.einsum("ij,i->ij", inverse, x)
    roots = [t.einsum(spec, term) for term in (inverse, by_row) for spec in ("ij->", "ij->i")]
    values = {"c": value, "x": np.ones(2)}
    with np.errstate(divide="ignore"):
        found = compile_terms([*roots, inverse])(**values, m=m)[:-1]
        expected = oracle.evaluate(roots, values, {"n": 2, "m": m})
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (t.einsum("ij,j->i", A, x), "A.dot(x)"),
        (t.einsum("ij,i->j", A, y), "y.dot(A)"),
        (t.einsum("ij,jk->ik", A, B), "A.dot(B)"),
        (t.einsum("ij,jk->ki", A, B), "B.T.dot(A.T)"),
        (t.einsum("i,i->", x, x), "x.dot(x)"),
        (t.einsum("ij,ij->", A, A), "A.ravel().dot(A.ravel())"),
        (t.einsum("ijk,lk->ijl", T, B), "T.reshape(n * m, k).dot(B.T).reshape(n, m, n)"),
        (t.einsum("ij,ij->i", A, A), 'np.einsum("ij,ij->i", A, A)'),
        (t.einsum("ij,ij->ij", A, A), "A * A"),
        (t.einsum("i,ij->ij", y, A), "y[:, None] * A"),
        (t.einsum("i,j->ij", x, y), "x[:, None].dot(y[None])"),
        (t.einsum(",ij->ij", c, A), "c * A"),
        (t.einsum(",ij->ij", t.constant(2), A), "2.0 * A"),
        (t.einsum("ij->ji", A), "return A.T.copy()"),
        (t.einsum("ijk->kij", T), "return T.transpose(2, 0, 1).copy()"),
        (t.einsum("ii->i", S), 't1 = np.einsum("ii->i", S); return t1.copy()'),
        (t.einsum("ij->j", A), "A.sum(axis=0)"),
        (t.einsum("ij,j->i", A, ones), "A.sum(axis=1)"),
        (t.einsum("i,i->", x, ones), "x.sum()"),
        (t.einsum("ij,k->i", A, x), "t1 = A.sum(axis=1); t2 = x.sum(); t1 *= t2; return t1"),
        (repeated_exp(1), "np.exp(c)"),
        (repeated_exp(3), "t1 = np.exp(c); t2 = 3 * t1; return t2"),
        (repeated_exp(0), "t1 = np.exp(c); t2 = np.zeros_like(t1)[()]; return t2"),
        (t.power(x, t.constant(2)), "np.square(x)"),
        (t.power(x, t.constant(-1)), "np.reciprocal(x)"),
        (t.power(x, t.constant(t.Fraction(1, 2))), "np.sqrt(x)"),
        (t.power(x, t.constant(t.Fraction(5, 3))), f"x ** {5 / 3}"),
        (
            t.power(x, t.constant(t.Fraction(-5, 2))),
            "t1 = np.square(x); t2 = np.sqrt(x); t1 *= t2; del t2; np.reciprocal(t1, out=t1); "
            "return t1",
        ),
        (t.power(x, t.constant(3)), "t1 = np.square(x); t1 *= x; return t1"),
        (t.power(x, c), "x ** c"),
        (t.add(x, t.constant(-1, ("n",))), "x + (-1.0)"),
        (t.apply("relu", x), "np.maximum(x, 0)"),
        (t.apply("inv", S), "inverse(S)"),
        (t.delta(("n",)), 't1 = np.zeros((n, n)); np.einsum("ii->i", t1)[...] = 1.0; return t1'),
        (t.divide(t.constant(1), t.constant(0)), "np.float64(1.0) / 0.0"),
    ],
)  # fmt: skip
def test_each_product_becomes_the_plain_call(term: t.Term, text: str) -> None:
    assert body(term) == text


def test_a_value_that_only_a_size_depends_on() -> None:
    f = compile_terms([t.constant(1, ("n",))], scope=[x])
    np.testing.assert_array_equal(f(x=[5, 6, 7])[0], [1, 1, 1])
    np.testing.assert_array_equal(f(n=2)[0], [1, 1])
    assert compile_terms([t.size("n")], sizes={"n": 4})() == [4.0]
    with pytest.raises(UnknownVariable, match="variable x"):
        f()
    with pytest.raises(ShapeError, match="size n is 4 by the sizes given, but 3 by variable x"):
        f(x=[5, 6, 7], n=4)


def test_wrong_input_is_named() -> None:
    f = compile_terms([t.einsum("ij,j->i", A, x)])
    with pytest.raises(UnknownVariable, match=r"variable x \(n\) has no value"):
        f(A=np.eye(2))
    with pytest.raises(ShapeError, match=r"axes \(m, n\), its value has shape \(2,\)"):
        f(A=[1, 2], x=[1, 2])
    with pytest.raises(ShapeError, match="size n is 2 by variable A, but 3 by variable x"):
        f(A=np.eye(2), x=[1, 2, 3])


def test_results_are_no_views_of_the_arguments() -> None:
    given_value = np.eye(2)
    transposed, same, spread = compile_terms(
        [t.einsum("ij->ji", S), S, t.einsum("ij,k->ijk", S, t.constant(1, ("n",)))]
    )(S=given_value)
    for result in (transposed, same, spread):
        result[...] = 7
    np.testing.assert_array_equal(given_value, np.eye(2))


def test_names_that_python_or_the_generated_code_has_taken() -> None:
    names = ["t1", "lambda", "np", "n", "a b", "compiled", "naïve", "__x"]
    terms = [t.apply("exp", t.variable(name, ("n",))) for name in names]
    f = compile_terms([*terms, t.size("n")])
    results = f(**{name: np.full(3, i) for i, name in enumerate(names)})
    np.testing.assert_allclose([r.max() for r in results], [*np.exp(np.arange(8)), 3])


def test_infinite_and_undefined_values_do_not_raise() -> None:
    zero = t.constant(0)
    roots = [t.divide(zero, zero), t.power(t.constant(-2), t.constant(t.Fraction(1, 3)))]
    with np.errstate(all="ignore"):
        assert np.isnan(compile_terms(roots)()).all()
        huge = compile_terms([t.constant(-(10**400)), t.power(zero, t.constant(-2))])()
    np.testing.assert_array_equal(huge, [-np.inf, np.inf])
    assert np.isnan(compile_terms([t.apply("inv", S)])(S=np.zeros((2, 2)))[0]).all()


def test_a_long_chain_is_computed_in_one_buffer() -> None:
    node = x
    for _ in range(10_000):
        node = t.apply("sin", node)
    f = compile_terms([node])
    assert f.source.count("np.sin(t1, out=t1)") == 9_999
    np.testing.assert_allclose(f(x=[1.0])[0], oracle.value(node, {"x": [1.0]}))


def test_the_text_does_not_depend_on_what_was_compiled_before() -> None:
    def build() -> t.Term:
        return t.add(t.einsum("ij,j->i", A, x), t.apply("exp", y))

    first = compile_terms([build()]).source
    alive = weakref.ref(build())
    del alive
    assert compile_terms([build()]).source == first


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_is_that_of_the_arrays(dtype: type) -> None:
    rng = np.random.default_rng(0)
    given_arrays = {"A": rng.random((2, 3)).astype(dtype), "x": rng.random(3).astype(dtype)}
    doubled = t.einsum(",i->i", t.constant(2), x)
    diagonal = t.einsum("ij,j->ij", t.delta(("n",)), x)
    shifted = t.add(diagonal, t.constant(1, ("n", "n")))
    roots = [t.einsum("ij,j->i", A, t.apply("exp", doubled)), diagonal, shifted, ones]
    results = compile_terms(roots)(**given_arrays)
    assert [r.dtype for r in results] == [dtype] * 4
    assert compile_terms([doubled])(x=[1, 2])[0].dtype == np.float64
    assert compile_terms([t.einsum(",i->i", c, x)])(c=2, x=given_arrays["x"])[0].dtype == dtype
    by_size = t.einsum("ij,j->i", t.einsum(",ij->ij", t.size("n"), A), x)
    assert compile_terms([by_size])(**given_arrays)[0].dtype == dtype


def test_diagonals_are_not_filled_with_zeros() -> None:
    scaled = t.einsum("ij,i->ij", t.delta(("n",)), x)
    roots = [t.add(scaled, S), t.einsum("ij,ij->", t.add(scaled, S), S)]
    function = compile_terms(roots)
    assert "np.zeros" not in function.source
    values = {"S": np.arange(9.0).reshape(3, 3), "x": np.arange(3.0)}
    for result, root in zip(function(**values), roots, strict=True):
        np.testing.assert_allclose(result, oracle.value(root, values))


@pytest.mark.parametrize("kind", ["fortran", "strided", "read-only", "broadcast"])
def test_any_layout_of_the_arguments_serves_and_none_is_written_to(kind: str) -> None:
    rng = np.random.default_rng(1)
    square = rng.random((4, 4))
    given_value = {
        "fortran": np.asfortranarray(square),
        "strided": rng.random((8, 12))[::2, ::-3],
        "read-only": square,
        "broadcast": np.broadcast_to(rng.random(4), (4, 4)),
    }[kind]
    before = given_value.copy()
    if kind != "broadcast":
        given_value.flags.writeable = kind != "read-only"
    roots = [
        t.apply("exp", t.add(S, t.einsum("ij->ji", S))),
        t.einsum("ij,kj->ki", S, S),
        t.power(t.subtract(t.negate(S), S), t.constant(2)),
        t.einsum("ii->i", S),
    ]
    for result, root in zip(compile_terms(roots)(S=given_value), roots, strict=True):
        np.testing.assert_allclose(result, oracle.value(root, {"S": before}))
        result[...] = 7
    np.testing.assert_array_equal(given_value, before)


@pytest.mark.parametrize("name", ["hypot", "logaddexp"])
def test_functions_of_two_fill_in_the_zeros_of_a_delta(name: str) -> None:
    root = t.numeric(name, S, t.delta(("n",)))
    values = {"S": np.array([[1.0, 2.0], [3.0, 4.0]])}
    expected = oracle.evaluate([root], values, {"n": 2})[0]
    np.testing.assert_allclose(compile_terms([root], single=True)(**values), expected)


@pytest.mark.parametrize("name", ["log_cosh", "log1mexp"])
def test_a_scalar_result_is_a_number(name: str) -> None:
    assert type(compile_terms([t.numeric(name, c)], single=True)(c=-0.5)) is np.float64


@pytest.mark.parametrize("dims", [("n",), (3,), ()])
def test_a_result_without_arrays_has_the_dtype_of_those_given(dims: tuple[str | int, ...]) -> None:
    x = eg.variable("x", dims)
    constant = eg.compile(eg.hessian(eg.sum(x * x), x))
    for dtype in (np.float32, np.float64):
        values = {"x": np.ones([3] * x.ndim, dtype)}
        assert constant(**values).dtype == dtype
    assert constant(n=3, unknown="no array").dtype == np.float64
