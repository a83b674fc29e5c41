"""Whatever runs is the same stable form: `evaluate`, compiled functions and printed programs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from tests.frontend.printing.test_languages import run
from tests.support.extremes import EXTREMES, Extreme, check, expression

PROGRAMS = [name for name, known in FORMATS.items() if known.words is not None]
# SymPy's numbers have exponents of any size, but 15 digits: what is as small as 1e-400 beside 1 is
# lost.
BEYOND = {"sympy": ("log(1 - exp(-exp(a)))", "log(exp(exp(a)) - 1)", "1 - tanh(a)^2")}


def given(case: Extreme) -> dict[str, Any]:
    f = expression(case).thin
    names = [v.name for v in f.variables]
    return {name: case.values[name] for name in names}


def by_jax(f: eg.Expression, values: dict[str, Any]) -> Any:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return eg.compile(f, backend="jax")(**{k: jax.numpy.asarray(v) for k, v in values.items()})


def by_the_standard(f: eg.Expression, values: dict[str, Any]) -> Any:
    xp = pytest.importorskip("array_api_strict")
    return eg.compile(f, backend="array_api")(**{k: xp.asarray(v) for k, v in values.items()})


WAYS: dict[str, Callable[[eg.Expression, dict[str, Any]], Any]] = {
    "evaluate": lambda f, values: f.evaluate(values),
    "compile": lambda f, values: eg.compile(f)(**values),
    "jax": by_jax,
    "array_api": by_the_standard,
}


@pytest.mark.parametrize("case", EXTREMES, ids=lambda case: case.name)
def test_values_at_extremes(case: Extreme) -> None:
    values = given(case)
    with np.errstate(all="ignore"):
        for way in WAYS.values():
            check(way(expression(case), values), case)


@pytest.mark.parametrize("language", [language for language in PROGRAMS if language != "torch"])
@pytest.mark.parametrize("case", EXTREMES, ids=lambda case: case.name)
def test_programs_at_extremes(case: Extreme, language: str) -> None:
    if any(text in case.text for text in BEYOND.get(language, ())):
        pytest.skip("beyond the digits or the range")
    if language == "jax":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    text = expression(case).to(language)
    with np.errstate(all="ignore"):
        found = run(language, text, [np.asarray(v) for v in given(case).values()])
    check(found, case, 1e-9)


def test_what_loses_nothing_is_printed_as_it_is() -> None:
    A, x = eg.variable("A", ("m", "n")), eg.variable("x", ("n",))
    f = x @ A.T @ (A @ x) + eg.sum(x + x)
    for language in PROGRAMS:
        assert f.to(language) == format_unchanged(language, f.term, f.scope)


def test_languages_have_functions_of_their_own() -> None:
    x = eg.variable("x", ("n",))
    softplus = eg.log(1 + eg.exp(x))
    assert "np.logaddexp(0, x)" in softplus.to("python")
    assert "jax.nn.softplus(x)" in softplus.to("jax")
    assert "torch.nn.functional.softplus(x, threshold=40)" in softplus.to("torch")
    assert "jax.nn.logsumexp(x)" in eg.logsumexp(x).to("jax")
    assert "torch.logsumexp(x, 0)" in eg.logsumexp(x).to("torch")
    assert "np.expm1(x)" in (eg.exp(x) - 1).to("python")
    assert "log1p.(x)" in eg.log(1 + x).to("julia")
    assert "log1p(x)" in eg.log(1 + x).to("matlab")
