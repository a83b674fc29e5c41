"""Every rejected law is false, where its witness says, and no ruleset states it."""

import numpy as np
import pytest

from eggrad.engine.laws.language import Parameter, Tensor
from eggrad.engine.laws.rule import parameters_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.instances import close, sides
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.rules.rejected import REJECTED, Rejected
from eggrad.rules.standard import RULESETS

EACH = pytest.mark.parametrize("law", [pytest.param(r, id=r.rule.name) for r in REJECTED])


def parameters(law: Rejected) -> dict[str, Parameter]:
    statement = law.rule.statement
    return {p.name: p for p in parameters_of(statement.left)}


@EACH
def test_the_witness_refutes(law: Rejected) -> None:
    bound, values = dict(law.witness), dict(law.values)
    for name, parameter in parameters(law).items():
        if parameter.kind is Tensor and not isinstance(bound[name], Term):
            values[name] = np.asarray(bound[name], float)
            bound[name] = terms.variable(name, values[name].shape)
    left, right = sides(close(law.rule, bound), values)
    assert left.shape == right.shape
    assert np.isfinite(left).all()
    assert np.isfinite(right).all() != law.undefined
    assert not np.allclose(left, right)


@EACH
def test_the_witness_binds_each_parameter(law: Rejected) -> None:
    assert set(law.witness) == set(parameters(law))
    assert law.tempts.endswith(".")


@EACH
def test_random_instances_refute_too(law: Rejected) -> None:
    found = check_soundness(law.rule)
    assert found.counterexample is not None
    assert found.compared < 100


def test_no_ruleset_states_a_rejected_law() -> None:
    registered = {r.text for s in RULESETS for r in s.rules}
    assert not registered & {law.rule.text for law in REJECTED}
    assert len(REJECTED) >= 14
