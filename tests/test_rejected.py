"""Every rejected law is false, where its witness says, and no ruleset states it."""

import numpy as np
import pytest

from eggrad.engine import term as terms
from eggrad.engine.closed import Reject
from eggrad.engine.instances import close, random_instance, random_values, sides
from eggrad.engine.language import Parameter, Tensor
from eggrad.engine.rule import parameters_of
from eggrad.engine.term import Term
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
    left, right = sides(close(law.rule.statement, bound), values)
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
    """What the tests of the rules do would find these."""
    rng = np.random.default_rng(3)
    for _ in range(2000):
        try:
            instance = random_instance(law.rule, rng)
        except Reject:
            continue
        left, right = sides(instance, random_values(instance, rng))
        if left.shape != right.shape:
            return
        defined = np.isfinite(left)
        if not np.allclose(left[defined], right[defined], rtol=1e-4, atol=1e-5):
            return
    pytest.fail("no random instance is a counterexample")


def test_no_ruleset_states_a_rejected_law() -> None:
    registered = {r.text for s in RULESETS for r in s.rules}
    assert not registered & {law.rule.text for law in REJECTED}
    assert len(REJECTED) >= 14
