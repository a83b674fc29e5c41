"""A failing search never costs the answer: it is given as it stands, with a warning."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.errors import EngineFailure
from eggrad.engine.guard import SearchFailure, optional
from eggrad.engine.saturation.schedule import Run
from eggrad.engine.terms.term import apply, variable
from eggrad.frontend.printing.formats import format_expression
from tests.support.values import evaluated

# The searches for these are nowhere remembered.
x = eg.variable("failing_search", ("n",))
AT = {x.variables[0].name: np.array([0.25, 0.5])}


def _fails(*_: object, **__: object) -> NoReturn:
    raise KeyError("a mistake of eggrad's")


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Any]] = {
    "derivative": (
        lambda: eg.gradient(eg.sum(eg.sin(x)), x),
        lambda f: evaluated(f, AT),
        np.cos(AT[x.variables[0].name]),
    ),
    "hvp": (
        lambda: eg.hvp(eg.sum(eg.sin(x) * x), x, "v"),
        lambda f: f.evaluate({**AT, "v": [0.0, 0.0]}),
        np.zeros(2),
    ),
    "simplify": (lambda: eg.simplify(x * x), lambda f: evaluated(f, AT), [0.0625, 0.25]),
    "evaluate": (lambda: evaluated(x * x + 1, AT), np.asarray, [1.0625, 1.25]),
    "compile": (lambda: eg.compile(x * x + 2), lambda f: f(**AT), [2.0625, 2.25]),
    "matrix": (lambda: (x + x).to("matrix"), str, "failing_search + failing_search"),
    "equivalent": (lambda: eg.equivalent(eg.exp(x * x), x).status, str, "different"),
    "proof": (
        lambda: eg.equivalent(eg.sin(x) ** 2 + eg.cos(x) ** 2, x**0).status,
        str,
        "unknown",
    ),
    "properties": (lambda: eg.properties(eg.exp(x) + 3).range, str, "[1, inf)"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_answer_stands(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, read, expected = CASES[case]
    monkeypatch.setattr(Run, "finish", _fails)
    monkeypatch.setattr("eggrad.frontend.interface.equivalence.prove_at_once", _fails)
    monkeypatch.setattr("eggrad.frontend.interface.equivalence.search", _fails)
    if case == "equivalent":
        found = asked()
    else:
        with pytest.warns(SearchFailure, match="KeyError.*please report"):
            found = asked()
    monkeypatch.undo()
    if isinstance(expected, str):
        assert read(found) == expected
    else:
        np.testing.assert_allclose(read(found), expected)


def test_the_warning_names_the_line_that_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "finish", _fails)
    with pytest.warns(SearchFailure) as caught:
        eg.simplify(x * x * x)
    assert caught[0].filename == __file__


def test_errors_for_users_and_interrupts_pass() -> None:
    for error in (eg.BudgetExceeded("no"), eg.UnsupportedOperation("no"), KeyboardInterrupt()):

        def search(error: BaseException = error) -> NoReturn:
            raise error

        with pytest.raises(type(error)):
            optional("searching", search, lambda: 1)


@pytest.mark.parametrize("error", [EngineFailure("egglog failed"), eg.ShapeError("an axis")])
def test_what_no_user_can_have_caused_is_a_failure(error: eg.EggradError) -> None:
    def search() -> NoReturn:
        raise error

    with pytest.warns(SearchFailure, match=f"{type(error).__name__}: {error}"):
        assert optional("searching", search, lambda: 1) == 1


def test_a_text_is_written_as_the_term_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eggrad.frontend.printing.matrix.system", _fails)
    term = apply("exp", variable("x"))
    with pytest.warns(SearchFailure, match="shortest formula failed"):
        assert format_expression("matrix", term, ()) == "exp(x)"
