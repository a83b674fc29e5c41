"""Looking on while a system runs changes nothing, and sees every iteration."""

from collections import Counter

import numpy as np
import pytest

from eggrad.engine.errors import MissingRule
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation.schedule import Moment
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.experiment import BASE, rule_names

TEXT = "declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) exp(x)) derivative wrt x wrt x"


def test_nothing_depends_on_who_looks_on() -> None:
    problem = parse(TEXT)
    assert problem.wrt is not None
    moments: list[Moment] = []
    cheapest: list[Term | None] = []
    classes: list[int] = []

    def look(moment: Moment) -> None:
        moments.append(moment)
        cheapest.append(moment.cheapest())
        reading, _ = moment.read()
        classes.append(len({row.output for row in reading.rows().rows}))

    alone = calculus.differentiate(problem.term, problem.wrt, systems=BASE.systems())
    watched = calculus.differentiate(problem.term, problem.wrt, systems=BASE.systems(look))
    assert watched.term is alone.term is cheapest[-1]
    seen = sum((Counter(m.matches) for m in moments), Counter[str]())
    assert seen == alone.report.matches == watched.report.matches
    stages = [m.stage for m in moments]
    assert stages.count("load") == len(problem.wrt)
    assert alone.report.iterations == sum(s not in ("load", "bulk") for s in stages)
    assert moments[-1].enodes == watched.report.enodes
    assert moments[-1].classes == classes[-1]
    known = rule_names(BASE)
    assert all(r in known or r.startswith(("shapes.", "settle.")) for r in seen)
    assert sum(m.seconds for m in moments) > 0


def test_phases_are_in_order() -> None:
    moments: list[Moment] = []
    System(BASE.standard, moments.append).differentiate(parse(TEXT).term, variable_x(), "both")
    phases = list(dict.fromkeys(m.phase for m in moments))
    assert phases == ["load", "differentiate", "simplify", "explore", "present"]
    assert "bulk" in [m.stage for m in moments if m.phase == "explore"]
    assert max(m.times.get("products.contraction_order", 0.0) for m in moments) > 0


def variable_x() -> Term:
    """The variable that the text differentiates by."""
    return next(v for v in terms.variables(parse(TEXT).term) if v.order == 1)


def test_a_derivative_that_no_rule_takes_is_an_error() -> None:
    x = terms.variable("x", ("n",))
    without = System(BASE.without("d_negate", "pull_negate").standard)
    with pytest.raises(MissingRule, match="no rule has the derivative of negate"):
        without.differentiate(terms.negate(terms.apply("exp", x)), x)


def test_one_mode_is_enough_where_the_other_lacks_a_rule() -> None:
    text = "declare x 1 y 1 expression -(x *(i,i->) y) + exp(x *(i,i->) y) derivative wrt x"
    problem = parse(text)
    assert problem.wrt is not None
    values = {"x": np.array([0.5, -1.0]), "y": np.array([2.0, 0.25])}
    right = np.exp(values["x"] @ values["y"]) * values["y"] - values["y"]
    for rule in ("d_negate", "pull_negate"):
        systems = BASE.without(rule).systems()
        found = calculus.differentiate(problem.term, problem.wrt, systems=systems).term
        np.testing.assert_allclose(oracle.value(found, values, {"x_1": 2}), right)
