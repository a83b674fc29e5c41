"""Unification of sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.term import add, constant, size, variable
from eggrad.frontend.text.sizes import SizeClasses, unify, unify_sizes


def test_the_first_symbol_wins() -> None:
    assert unify_sizes([("m", "n"), ("k", "n")], "+") == {"n": "m", "k": "m"}


def test_an_integer_wins() -> None:
    assert unify_sizes([("m", "n"), (4, "n")], "+") == {"m": 4, "n": 4}


def test_equal_sizes_need_nothing() -> None:
    assert unify_sizes([("m", "m"), (3, 3)], "+") == {}


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("m", 2), ("m", 3)], "A + B: size m would have to be both 2 and 3"),
        (
            [("m", 2), ("n", 3), ("m", "n")],
            "A + B: sizes m and n would have to be both 2 and 3",
        ),
        ([(2, 3)], "A + B: sizes 2 and 3 would have to be equal"),
    ],
)
def test_a_contradiction(pairs: list[tuple[Size, Size]], message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        unify_sizes(pairs, "A + B")
    assert str(caught.value) == message


def test_terms_with_their_sizes_unified() -> None:
    x, y = variable("x", ("m",)), variable("y", ("n",))
    total, number, value = unify([y, constant(1, ("n",)), size("n")], [("m", "n")], "x + y")
    assert add(x, total).dims == ("m",)
    assert number.dims == ("m",)
    assert value is size("m")
    assert unify([size("n")], [("n", 7)], "n")[0] is constant(7)


def test_what_has_no_name_gets_one_that_is_free() -> None:
    classes = SizeClasses()
    free, taken, other = classes.fresh(), classes.named("n1"), classes.fresh()
    classes.name_free()
    assert [classes.size(own) for own in (free, taken, other)] == ["n2", "n1", "n3"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_replacing_once_makes_every_pair_equal(pairs: list[tuple[str, str]]) -> None:
    found = unify_sizes(pairs, "pairs")
    assert all(found.get(a, a) == found.get(b, b) for a, b in pairs)
    assert not set(found.values()) & set(found)
