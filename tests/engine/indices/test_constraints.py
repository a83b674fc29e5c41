"""Constraints in canonical form: the same conditions, whatever they were written like."""

from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.indices.affine import AffineForm, form, greatest, least
from eggrad.engine.indices.constraints import Constraint, canonical, never, resized_all
from eggrad.engine.indices.spec import Dims
from eggrad.engine.oracle.oracle import holds

SIZES = {"n": 3, "m": 2}

dims = st.lists(st.sampled_from([0, 1, 2, 4, "n", "m"]), max_size=3).map(tuple)


@st.composite
def forms(draw: st.DrawFn, own: Dims) -> AffineForm:
    keys = [*range(len(own)), "", "n", "m"]
    return form(draw(st.lists(st.tuples(st.sampled_from(keys), st.integers(-4, 4)), max_size=4)))


@st.composite
def conditions(draw: st.DrawFn) -> tuple[Dims, list[Constraint]]:
    own = draw(dims)
    relations = st.sampled_from(["=", ">=", 2, 3, 4])
    return own, draw(st.lists(st.tuples(relations, forms(own)), max_size=4))


def shape(own: Dims) -> tuple[int, ...]:
    return tuple(d if isinstance(d, int) else SIZES[d] for d in own)


@given(conditions())
def test_the_canonical_form_holds_where_the_constraints_do(
    drawn: tuple[Dims, list[Constraint]],
) -> None:
    own, given = drawn
    found = canonical(own, given)
    expected = holds(tuple(given), shape(own), SIZES)
    assert (holds(found, shape(own), SIZES) == expected).all()
    assert not (never(found) and expected.any())


@given(conditions())
def test_it_is_its_own_canonical_form(drawn: tuple[Dims, list[Constraint]]) -> None:
    own, given = drawn
    found = canonical(own, given)
    assert canonical(own, found) == found


@given(conditions(), st.randoms())
def test_it_does_not_depend_on_order_sign_or_multiples(
    drawn: tuple[Dims, list[Constraint]], random: object
) -> None:
    own, given = drawn
    other = [
        (relation, form((k, c * (-2 if relation == "=" else 3)) for k, c in f))
        if isinstance(relation, str)
        else (relation, f)
        for relation, f in reversed(given)
    ]
    assert canonical(own, other) == canonical(own, given)


@given(conditions())
def test_sizes_can_be_filled_in(drawn: tuple[Dims, list[Constraint]]) -> None:
    own, given = drawn
    filled = tuple(SIZES.get(d, d) if isinstance(d, str) else d for d in own)
    found = canonical(filled, resized_all(canonical(own, given), SIZES))
    assert (holds(found, filled, {}) == holds(tuple(given), shape(own), SIZES)).all()


@given(st.data())
def test_bounds_hold_within_the_axes(data: st.DataObject) -> None:
    own = data.draw(dims)
    f = data.draw(forms(own))
    low, high = least(f, own), greatest(f, own)
    for bound, sign in ((low, 1), (high, -1)):
        if bound is not None:
            shifted = form([*((k, sign * c) for k, c in f), ("", -sign * bound)])
            assert holds(((">=", shifted),), shape(own), SIZES).all()
