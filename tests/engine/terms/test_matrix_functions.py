"""Functions of each matrix of a stack: axes, values by the oracle, and their texts."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.errors import ShapeError
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS, lesser
from eggrad.frontend.expression.functions import of_each
from eggrad.frontend.printing.formats import FORMATS

each = pytest.mark.parametrize("name", STACK_FUNCTIONS)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@each
@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (0, 0), (2, 3, 3), (0, 2, 2), (2, 1, 2, 2)])
def test_code_has_the_values_of_the_oracle(
    name: str, shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    a = rng.normal(size=shape)
    a = a @ a.swapaxes(-1, -2)
    node = terms.numeric(name, terms.variable("A", shape))
    (found,) = compile_terms([node])(A=a)
    assert found.shape == node.dims
    np.testing.assert_allclose(found, oracle.value(node, {"A": a}), rtol=1e-7, atol=1e-11)


@each
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (2, 3, 2)])
def test_of_matrices_that_are_not_square(
    name: str, shape: tuple[int, ...], rng: np.random.Generator
) -> None:
    own, A = STACK_FUNCTIONS[name], terms.variable("A", shape)
    if own.square or (own.tall and shape[-1] > shape[-2]):
        with pytest.raises(ShapeError, match=f"{name} needs"):
            terms.numeric(name, A)
        return
    node, a = terms.numeric(name, A), rng.normal(size=shape)
    (found,) = compile_terms([node])(A=a)
    np.testing.assert_allclose(found, oracle.value(node, {"A": a}), atol=1e-12)


@each
def test_texts_are_read_back(name: str) -> None:
    A = eg.variable("A", (3, 3))
    f = of_each(name, A) * 2
    assert eg.parse(f.to("einsum")).expression.term is f.term
    assert eg.parse_json(f.to("json")).term is f.term
    for language, read in (("matrix", eg.parse_matrix), ("index", eg.parse_index)):
        again = read(f.to(language), {"A": (3, 3)})
        assert eg.equivalent(again, f).status == "equal"
    stack = of_each(name, eg.variable("B", ("k", "n", "n")))
    assert eg.parse(stack.to("einsum")).expression.to("einsum") == stack.to("einsum")


@each
def test_printed_python_runs(name: str, rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, 3))
    a = a @ a.T
    f = of_each(name, eg.variable("A", ("n", "n")))
    for language in ("python", "jax"):
        if name not in (FORMATS[language].words or {}):
            continue
        if language == "jax":
            pytest.importorskip("jax").config.update("jax_enable_x64", True)
        space: dict[str, object] = {}
        exec(f.to(language), space)
        np.testing.assert_allclose(space["f"](a), f.evaluate({"A": a}), atol=1e-11)  # pyright: ignore[reportCallIssue]


def test_which_size_is_the_lesser() -> None:
    assert [lesser("n", "n"), lesser(2, 3), lesser(3, 2)] == [1, 0, 1]
    with pytest.raises(ShapeError, match="not known"):
        lesser("m", 3)
