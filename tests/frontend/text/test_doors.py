"""What callers give that is wrong is refused where it enters, in a sentence that names it."""

import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import scipy.sparse
import scipy.special

import eggrad as eg

x, a = eg.variable("x", ("n",)), eg.variable("a", ("n",))
p = eg.variable("p", (4,))
S = eg.variable("S", ("n", "n"))
V = np.array([1.0, 2.0, 3.0])
any_of: Any = eg

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a name too many": (
        lambda: x.evaluate({"x": V, "z": 1}),
        "evaluate: .* no variable 'z'; .*: x",
    ),
    "a keyword too many": (lambda: x.evaluate(x=V, z=1), "no variable 'z'"),
    "twice": (lambda: x.evaluate({"x": V}, x=V), "two values for 'x'"),
    "no dict": (lambda: x.evaluate(cast(Any, [V])), "values is a dict of arrays"),
    "a key that is no text": (lambda: x.evaluate(cast(Any, {1: V})), "names .* not 1"),
    "a flag": (lambda: x.evaluate(x=V, reference=cast(Any, "no")), "reference is True or False"),
    "an array for a flag of NumPy's": (
        lambda: np.digitize(cast(Any, x), [0.0, 1.0], right=cast(Any, V)),
        "numpy.digitize: right is True or False",
    ),
    "complex": (lambda: x.evaluate(x=V * 1j), "value of variable x is complex"),
    "complex in a list": (lambda: x.evaluate(x=[1j, 2]), "value of variable x is complex"),
    "sparse": (lambda: S.evaluate(S=scipy.sparse.eye(3)), "S is a sparse matrix"),
    "an expression": (lambda: x.evaluate(x=a), "an array is wanted; f.substitute"),
    "compiled, misspelt": (lambda: eg.compile(x)(y=V), "x .n. has no value; there is one for y"),
    "no sizes of LaTeX": (lambda: eg.parse_latex("x^T A x"), "give the dims of x, A"),
    "dims of another form": (
        lambda: eg.parse_matrix("x", "x n"),
        "parse_matrix: dims: 'x n' is not",
    ),
    "dims twice": (lambda: eg.parse_matrix("x", "x: n, x: m"), "x is given twice"),
    "dims that are none": (lambda: eg.parse_index("x_i", cast(Any, 3)), "dims is a dict of sizes"),
    "a size": (lambda: eg.parse_matrix("x", "x: 1.5"), "not the text '1.5'"),
    "a size in Python": (lambda: eg.variable("x", ("1.5",)), "not the text '1.5'"),
    "assume": (lambda: eg.parse_matrix("x", "x: n", cast(Any, 3)), "assume is a dict such as"),
    "a comparison": (lambda: eg.parse_matrix("x > 0", "x: n"), r"where\(x > y, a, b\)"),
    "a text": (lambda: any_of.parse(3), "parse: text is a text, not 3"),
    "a long name": (lambda: eg.variable("x" * 5000), "a name has at most 1000 characters"),
    "no operand": (lambda: any_of.sin("q"), "argument of sin: expected an expression.* not 'q'"),
    "an axis": (lambda: any_of.sum(x, axis="rows"), "sum: an axis is an integer, not 'rows'"),
    "operands": (lambda: eg.special.xlogy(x), "xlogy takes 2 operands, not 1"),
    "a long loop": (lambda: list(eg.variable("x", (10**9,))), "a loop over 1000000000 entries"),
    "places": (lambda: np.split(p, np.array([1.5])), "split: .* an integer, not .*1.5"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    action, message = REFUSED[case]
    with pytest.raises(eg.EggradError, match=message) as caught:
        action()
    assert len(str(caught.value)) < 1000


def test_messages_about_long_texts_are_short() -> None:
    for text in ("exp(" + "x + " * 2500 + "x", "y" * 10_000, "x + " * 2500, "x > " * 2500):
        with pytest.raises(eg.ParseError) as caught:
            eg.parse_matrix(text, "x: n")
        assert len(str(caught.value)) < 1000


def test_names_that_an_expression_was_derived_from() -> None:
    gradient = eg.gradient(a @ x, x)
    assert gradient.term is a.term
    np.testing.assert_array_equal(gradient.evaluate(a=V, x=V), V)
    hessian = eg.hessian(a @ x, x)
    assert not hessian.evaluate({"a": V, "x": V}).any()
    assert 2 * gradient.evaluate(a=V, x=V)[0] == 2
    with pytest.raises(eg.UnknownVariable, match="'z'"):
        gradient.evaluate(a=V, z=V)


def test_dims_as_a_text() -> None:
    want = eg.parse_matrix("A*x", {"A": ("m", "n"), "x": ("n",)})
    assert eg.parse_matrix("A*x", "A: m n, x: n") is want
    assert eg.parse_latex("A x", "A: m n, x: n") is want
    assert eg.parse_index("f_i = A_ij x_j", "A: m n, x: n") is want
    d = eg.parse_elementwise("f[i] = x[i] ** 2", "x: n", sizes={"i": "n"})
    np.testing.assert_array_equal(d.evaluate(x=V), V**2)
    symmetric = eg.parse_matrix("A'", "A: n n", "A: symmetric")
    assert "symmetric" in symmetric.variables[0].assumed


def test_factors_of_exponentials() -> None:
    at, w = np.array([1000.0, 1001.0, -5.0, 3.0]), np.array([1.0, 2.0, 0.0, 4.0])
    weights = eg.variable("w", (4,))
    found = eg.logsumexp(p, b=weights).evaluate(p=at, w=w)
    np.testing.assert_allclose(found, scipy.special.logsumexp(at, b=w))
    found = eg.logsumexp(p, b=w + 1).evaluate(p=at)
    np.testing.assert_allclose(found, scipy.special.logsumexp(at, b=w + 1))


def test_splits_at_an_array_of_places() -> None:
    for places in (np.array([1, 3]), [1, 3], (1, 3)):
        found = [part.evaluate(p=[1, 2, 3, 4]) for part in np.split(p, places)]
        for own, wanted in zip(found, np.split(np.arange(1, 5), places), strict=True):
            np.testing.assert_array_equal(own, wanted)
    assert len(np.array_split(p, 3)) == 3


def test_a_backend_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(eg.UnsupportedOperation, match="needs array-api-compat: pip install"):
        eg.compile(x, backend="array_api")
