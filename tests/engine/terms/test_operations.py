"""Every operation has one record, a reference in the oracle, a derivative, and words or none."""

import re
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.backends import kernels_of
from eggrad.engine.backends.dialect import WORDS
from eggrad.engine.terms.functions import Function
from eggrad.engine.terms.operation import Operation
from eggrad.engine.terms.operations import OPERATIONS, result_dims
from eggrad.frontend.printing.formats import FORMATS, format_unchanged
from tests.engine.backends.test_operations import operations
from tests.support.places import DATA, ROOT

TABLES = {name: known.words for name, known in FORMATS.items() if known.words is not None}
TABLES["array API"] = WORDS
EVERY = [o for o in OPERATIONS.values() if o.found_in != "formulas"]
LACKING = DATA / "operations_without_words.txt"


def lacking() -> dict[str, str]:
    """The languages that have no word for an operation, for each of which some have none."""
    found = {
        o.name: [t for t, words in TABLES.items() if {o.name, f"{o.name} over"}.isdisjoint(words)]
        for o in EVERY
        if o.code
    }
    return {name: ", ".join(languages) for name, languages in found.items() if languages}


@pytest.mark.parametrize("operation", EVERY, ids=lambda o: o.name)
def test_the_oracle_has_a_definition_of_its_own(operation: Operation) -> None:
    text = (ROOT / "engine" / "oracle" / "oracle.py").read_text("utf-8")
    assert f'"{operation.name}"' in text


@pytest.mark.parametrize("operation", EVERY, ids=lambda o: o.name)
def test_a_law_has_its_derivative(operation: Operation) -> None:
    """Unless it is constant but for jumps, or occurs in code, which nobody differentiates."""
    is_stepwise = isinstance(operation, Function) and operation.stepwise
    laws = [file.read_text("utf-8") for file in (ROOT / "rules" / "calculus").glob("*.py")]
    name = {"scan": "loop"}.get(operation.name, operation.name)
    named = any(re.search(rf"(\b|_){name}\b", text) for text in laws)
    assert named or is_stepwise or operation.found_in == "code"


def test_what_languages_have_no_words_for() -> None:
    lines = LACKING.read_text("utf-8").splitlines()
    assert dict(line.split(": ") for line in lines) == lacking()


@pytest.mark.parametrize("language", [name for name in TABLES if name in FORMATS])
def test_what_has_no_words_is_refused_by_name(language: str) -> None:
    for name, term in operations():
        if language in lacking().get(term.op, ""):
            with pytest.raises(eg.UnsupportedOperation, match=rf"{name}( over)? has no text in"):
                format_unchanged(language, term, ())
        elif term.op != "scan":
            assert format_unchanged(language, term, ())


@pytest.mark.parametrize(("table", "module"), [("python", "np"), ("array API", "xp")])
def test_words_are_those_of_the_library(table: str, module: str) -> None:
    library: Any = np if module == "np" else pytest.importorskip("array_api_strict")
    own = kernels_of("array_api", library)
    for name, word in TABLES[table].items():
        for path in re.findall(rf"\b(?:{module}|own)[.][\w.]*\w", word):
            place, _, rest = path.partition(".")
            assert attrgetter(rest)(own if place == "own" else library), name


@pytest.mark.parametrize(
    ("name", "data", "operands", "expected"),
    [
        ("maximum", None, (("n",), ("m",)), "one operand has axes"),
        ("det", None, ((2, "m", "m"),), "det needs a square matrix"),
        ("determinants", None, (("m", "n"),), "determinants needs a square matrix"),
        ("solve", None, (("m", "n"), ("n",)), "solve needs a square matrix"),
        ("orthonormal_factor", None, ((2, 3),), "as many rows as columns"),
        ("symmetric_product", 2, (("m", "n"), ("n",)), "cannot have weights"),
        ("product_of_pairs", None, (("m", "n"), ("n",)), "cannot have weights"),
        ("selection", ("m", "n"), (("k", 3),), "2 axes need as many places"),
        ("selection", ("m", "n"), (("k",), ("j",)), "have different axes"),
        ("argsort", 1, (("n",),), "there is no axis 1"),
    ],
)
def test_operands_that_do_not_fit(
    name: str, data: object, operands: tuple[tuple[int | str, ...], ...], expected: str
) -> None:
    with pytest.raises(eg.ShapeError, match=expected):
        result_dims(name, data, *operands)
