"""What a budget cuts short is said, where the caller can see it."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import eggrad as eg
from eggrad.engine.saturation.system import Search, System
from tests.frontend.cli.test_main import run

x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
SMALL = eg.Budget(nodes=20)
F = eg.sum(eg.log(1 + eg.exp(x * y)) / (1 + x * x))

CALLS = {
    "derivative": lambda: eg.derivative(F, "x", budget=SMALL),
    "gradients": lambda: eg.gradient(F, ["x", "y"], budget=SMALL),
    "simplify": lambda: eg.simplify(F, budget=SMALL),
    "vjp": lambda: eg.vjp(F, "x", eg.variable("t"), budget=SMALL),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_search_that_is_cut_short_warns_at_the_line_that_asked(name: str) -> None:
    with pytest.warns(eg.BudgetWarning, match="budget ended first .*20 e-nodes") as caught:
        CALLS[name]()
    assert Path(caught[0].filename) == Path(__file__)


def test_an_adjoint_that_is_cut_short_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = System.derived
    monkeypatch.setattr(
        System, "derived", lambda own, origins, ask, _: derived(own, origins, ask, Search.of(SMALL))
    )
    body = "log (1 + exp (x[i] * y[i])) / (1 + x[i] ** 2)"
    f = eg.parse_elementwise(f"f[i] = {body}", {"x": (3,), "y": (3,)})
    with pytest.warns(eg.BudgetWarning, match="20 e-nodes") as caught:
        assert not f.adjoint("x").complete
    assert Path(caught[0].filename) == Path(__file__)


def test_a_search_that_ends_by_itself_does_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", eg.BudgetWarning)
        assert eg.gradient(F, "x").complete


def test_rounds_that_a_user_limits_are_a_budget_as_well() -> None:
    with pytest.warns(eg.BudgetWarning, match="0 rounds of exploration"):
        assert not eg.simplify(F, budget=eg.Budget(iterations=0)).complete


@pytest.mark.parametrize("budget", [0, -1, "x", 5.0])
def test_what_is_no_budget_is_refused(budget: Any) -> None:
    with pytest.raises(eg.UnsupportedOperation, match="a budget is eggrad"):
        eg.simplify(F, budget=budget)


@pytest.mark.parametrize("limits", [{"nodes": "a"}, {"iterations": -1}, {"seconds": "x"}])
def test_limits_are_numbers(limits: dict[str, Any]) -> None:
    with pytest.raises(eg.UnsupportedOperation, match=f"the {next(iter(limits))} of a budget"):
        eg.Budget(**limits)


def test_the_command_line_says_it_in_its_own_words() -> None:
    text = "declare x 1 expression *(i->) (log(1 + exp(x)) / (1 + x *(i,i->i) x)) derivative wrt x"
    assert "Warning" not in run("diff", text).output
