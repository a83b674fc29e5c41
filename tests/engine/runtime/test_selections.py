"""Selections in generated code, against products with arrays of zeros and ones."""

import numpy as np
import pytest

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.runtime.selections import places_along, selected, selected_product, selection

SPECS = [
    ("ki", "i", "k"), ("ki", "ij", "kj"), ("ki", "ji", "jk"), ("ki", "ki", "k"), ("ki", "k", "i"),
    ("ki", "kj", "ij"), ("ki", "k", "ki"), ("ki", "kj", "jki"), ("ki", "ki", "i"), ("ki", "i", "i"),
    ("ki", "ij", "ji"), ("ki", "kij", "jk"), ("ki", "", "i"), ("ki", "", "k"), ("ki", "j", "ij"),
    ("ki", "j", "jk"), ("ki", "ki", ""), ("kli", "il", "lk"), ("kli", "kl", "i"), ("i", "ij", "j"),
    ("i", "j", "ij"), ("kli", "lj", "ijk"), ("ki", "kij", "ijk"), ("ki", "jk", "ji"),
]  # fmt: skip
OF_TWO = [
    ("kij", "ij", "k"), ("kij", "k", "ij"), ("kij", "kl", "jil"), ("kij", "ijl", "lk"),
    ("kij", "i", "kj"), ("kij", "ki", "j"), ("kij", "kij", "k"), ("ij", "ij", ""),
]  # fmt: skip
SIZES = {"k": 5, "i": 3, "j": 2, "l": 4}


@pytest.mark.parametrize("spec", [*SPECS, *OF_TWO])
@pytest.mark.parametrize("empty", ["", "k", "j"])
def test_is_the_product_with_zeros_and_ones(spec: tuple[str, str, str], empty: str) -> None:
    rng = np.random.default_rng(0)
    length = SIZES | ({empty: 0} if empty else {})
    count = 2 if spec in OF_TWO else 1
    own, other, _ = spec
    if empty in own[len(own) - count :]:
        return
    chosen = tuple(length[i] for i in own[len(own) - count :])
    rows = [length[i] for i in own[: len(own) - count]]
    along = [rng.integers(-n, n, rows) for n in chosen]
    index = np.stack(along, -1) if count > 1 else along[0]
    array = rng.standard_normal([length[i] for i in other])
    labels = tuple(tuple("kijl".index(i) for i in part) for part in spec)
    found = selected_product(labels, chosen, index.astype(float), array)
    wanted = np.einsum(selection(index, chosen), labels[0], array, labels[1], labels[2])
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    before = array.copy()
    if found.shape:
        found[...] = 0
    np.testing.assert_array_equal(array, before)
    # Integers are not looked at before, unless they are no places.
    again = selected_product(labels, chosen, index, array)
    np.testing.assert_allclose(again, wanted, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_entries_that_meet_are_added(columns: int, dtype: type) -> None:
    rng = np.random.default_rng(1)
    index = rng.integers(0, 4, 50)
    rows = rng.standard_normal((50, columns)).astype(dtype)
    found = selected_product(((0, 1), (0, 2), (1, 2)), (4,), index, rows)
    wanted = np.zeros((4, columns), dtype)
    np.add.at(wanted, index, rows)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("place", [3, -4, 1e300, float("nan")])
def test_a_place_out_of_range_is_refused(place: float) -> None:
    with pytest.raises((ShapeError, UnsupportedOperation), match="index"):
        selected(np.ones(3), 0, np.array([0.0, place]))


def test_what_is_no_integer_is_refused() -> None:
    with pytest.raises(UnsupportedOperation, match="integer"):
        places_along(np.array([0.5]), (3,))
