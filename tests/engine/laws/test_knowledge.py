"""What is known of terms, and how much is looked at for it."""

import pytest
from hypothesis import given

from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.terms import term as t
from eggrad.rules.functions.matrix_properties import matrix_properties
from tests.support.numeric_terms import roots

FACTS = (matrix_properties,)
x = t.variable("x", ("n",))


@pytest.mark.parametrize("p", ["integer", "symmetric", "nonnegative", "signs"])
@given(terms=roots())
def test_one_property_is_known_of_the_same_terms(p: str, terms: list[t.Term]) -> None:
    every = Knowledge(FACTS)
    for term in t.postorder(*terms):
        assert Knowledge(FACTS, of=p).knows(p, term) is every.knows(p, term)


def test_what_a_property_does_not_depend_on_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[str] = []
    learn = Knowledge._learn
    monkeypatch.setattr(
        Knowledge, "_learn", lambda self, term: looked_at.append(term.op) or learn(self, term)
    )
    places = t.add(t.apply("floor", t.apply("exp", t.add(x, x))), t.apply("sign", x))
    assert Knowledge(FACTS, of="integer").knows("integer", places)
    assert sorted(looked_at) == ["add", "floor", "sign", "variable"]
