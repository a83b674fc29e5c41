"""What is printed for other programs, run or read back by them."""

import inspect
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.terms.term import variables
from eggrad.frontend.cli.expressions import LANGUAGES
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from eggrad.frontend.printing.matrix import has_notation
from tests.support.array_programs import run_julia, run_matlab
from tests.support.printed_samples import NAMES, close, sample, values_of
from tests.support.random_matrix_texts import DIMS, random_text

each_sample = pytest.mark.parametrize("name", NAMES)


def printed(language: str, f: eg.Expression) -> str:
    return format_unchanged(language, f.thin.term, f.thin.scope)


def function_in(text: str) -> Any:
    """The only function that a Python text defines, in a namespace of its own."""
    module: dict[str, Any] = {}
    exec(compile(text, "<printed>", "exec"), module)
    (found,) = (f for f in module.values() if inspect.isfunction(f) and f.__module__ is None)
    return found


def test_the_command_line_has_all_formats() -> None:
    assert {*LANGUAGES} == {*FORMATS}


# JSON --------------------------------------------------------------------------------------


@each_sample
def test_json_is_read_as_the_same_expression(name: str) -> None:
    f = sample(name).thin
    again = eg.parse_json(f.to("json"))
    assert again.term is f.term
    assert again.scope == f.scope


# Unicode -----------------------------------------------------------------------------------


@each_sample
def test_unicode_is_read_as_an_equal_expression(name: str) -> None:
    f = sample(name)
    if not has_notation(f.thin.term):
        assert printed("unicode", f) == printed("index", f)
        return
    text = printed("unicode", f)
    own = variables(f.thin.term, *f.thin.scope)
    assume = {v.name: v.assumed for v in own}
    again = eg.parse_matrix(text, {v.name: v.dims for v in own}, assume)
    for values, wanted in values_of(f):
        close(again.evaluate(values, reference=True), wanted, text)


@pytest.mark.parametrize("seed", range(200))
def test_random_texts_in_unicode(seed: int) -> None:
    f = eg.parse_matrix(random_text(Random(seed)), DIMS)
    text = printed("unicode", f)
    again = eg.parse_matrix(text, DIMS)
    rng = np.random.default_rng(seed)
    values = {
        name: rng.normal(size=[{"m": 3, "n": 4}[d] for d in own]) for name, own in DIMS.items()
    }
    close(again.evaluate(values, reference=True), f.evaluate(values, reference=True), text)
    assert printed("unicode", eg.parse_matrix(printed("unicode", again), DIMS)) == printed(
        "unicode", again
    )


# JAX and PyTorch ---------------------------------------------------------------------------


@each_sample
@pytest.mark.parametrize("library", ["jax", "torch"])
def test_functions_of_other_libraries(name: str, library: str) -> None:
    module = pytest.importorskip(library)
    if library == "jax":
        module.config.update("jax_enable_x64", True)
    f = sample(name)
    text = printed(library, f)
    function = function_in(text)
    array = module.numpy.asarray if library == "jax" else module.from_numpy
    for values, wanted in values_of(f):
        given = [array(np.asarray(values[v.name])) for v in variables(f.thin.term, *f.thin.scope)]
        found = function(*given)
        assert type(found).__module__.partition(".")[0] in (library, "jaxlib"), text
        close(found, wanted, text)


# SymPy -------------------------------------------------------------------------------------


@each_sample
def test_functions_of_sympy(name: str) -> None:
    sympy = pytest.importorskip("sympy")
    f = sample(name)
    text = printed("sympy", f)
    function = function_in(text)
    for values, wanted in values_of(f):
        given = [
            sympy.Array(values[v.name].ravel().tolist(), values[v.name].shape)
            if v.dims
            else sympy.Float(float(values[v.name]))
            for v in variables(f.thin.term, *f.thin.scope)
        ]
        found = function(*given)
        # SymPy's lists of no entries are errors.
        assert found.shape == wanted.shape if f.ndim else True
        if wanted.size:
            close(np.array(found.tolist() if f.ndim else found).astype(float), wanted, text)


# MATLAB and Julia --------------------------------------------------------------------------


@each_sample
def test_functions_of_matlab(name: str) -> None:
    f = sample(name)
    text = printed("matlab", f)
    for values, wanted in values_of(f):
        given = [values[v.name] for v in variables(f.thin.term, *f.thin.scope)]
        with np.errstate(all="ignore"):
            found = run_matlab(text, given)
        shape = (*wanted.shape, 1, 1)[: max(2, wanted.ndim)]
        while len(shape) > 2 and shape[-1] == 1:
            shape = shape[:-1]
        assert found.shape == shape, text
        close(found.reshape(wanted.shape), wanted, text)


@each_sample
def test_functions_of_julia(name: str) -> None:
    f = sample(name)
    text = printed("julia", f)
    for values, wanted in values_of(f):
        given = [
            values[v.name] if v.dims else values[v.name].item()
            for v in variables(f.thin.term, *f.thin.scope)
        ]
        with np.errstate(all="ignore"):
            found = run_julia(text, given)
        close(found, wanted, text)
