"""What may be declared: drawn values have it, others are refused, and words imply each other."""

from itertools import combinations

import numpy as np
import pytest

from eggrad.engine.terms.assumptions import (
    ASSUMPTIONS,
    closure,
    contradiction,
    drawn,
    failure,
    stated,
)

# Words that some sizes have no values for, together: a triangular matrix has zeros.
IMPOSSIBLE = [
    {"probability", "negative"},
    {"probability", "orthogonal"},
    *({w, t} for w in ("positive", "negative") for t in ("lower triangular", "upper triangular")),
    *({w, "diagonal"} for w in ("positive", "negative")),
    *({w, "orthogonal"} for w in ("positive", "negative", "skew")),
    *({"skew", w} for w in ("nonnegative", "invertible")),
    *({"signs", w} for w in ("lower triangular", "upper triangular", "diagonal")),
    *({"signs", w} for w in ("positive definite", "orthogonal", "probability")),
]


@pytest.mark.parametrize("word", ASSUMPTIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 600])
def test_drawn_values_have_what_they_are_drawn_for(word: str, n: int) -> None:
    if word == "probability" and not n:
        pytest.skip("the sum of no entries is 0")
    rng = np.random.default_rng(n)
    for array in (rng.normal(size=(n, n)), rng.integers(-3, 4, (n, n)).astype(float)):
        # An odd skew matrix is drawn as well; definite ones of 600 rows take long.
        found = drawn([word], array if n < 600 or word in ("symmetric", "skew") else array / n, rng)
        assert found is not None
        assert failure([word], found) is None
        assert all(failure([w], found) is None for w in closure([word]))


@pytest.mark.parametrize("words", [*combinations(ASSUMPTIONS, 2)], ids="-".join)
def test_two_words_are_drawn_together_or_contradict_each_other(words: tuple[str, str]) -> None:
    rng = np.random.default_rng(0)
    possible = not any(own <= closure(words) for own in IMPOSSIBLE)
    if contradiction(words) is None and possible:
        assert drawn(words, rng.normal(size=(3, 3)), rng) is not None


@pytest.mark.parametrize(
    ("word", "values", "place"),
    [
        ("symmetric", [[1, 2], [3, 4]], "entry (0, 1) is 2, entry (1, 0) is 3"),
        ("skew", [[0, 1], [1, 0]], "entry (0, 1) is 1, entry (1, 0) is 1"),
        ("skew", [[1, 0], [0, 0]], "entry (0, 0) is 1, entry (0, 0) is 1"),
        ("diagonal", [[1, 0], [5, 1]], "entry (1, 0) is 5"),
        ("lower triangular", [[1, 5], [0, 1]], "entry (0, 1) is 5"),
        ("upper triangular", [[1, 0], [5, 1]], "entry (1, 0) is 5"),
        ("positive definite", [[-1, 0], [0, -1]], "its least eigenvalue is -1"),
        ("positive definite", [[1, 0], [0, 0]], "its least eigenvalue is 0"),
        ("positive semidefinite", [[1, 2], [2, 1]], "its least eigenvalue is -1"),
        ("orthogonal", [[1, 1], [0, 1]], "the product of columns 0 and 1 is 1"),
        ("invertible", [[1, 2], [2, 4]], "it is singular"),
        ("positive", [1, 0], "entry (1,) is 0"),
        ("positive", 0, "it is 0"),
        ("nonnegative", [1, -2], "entry (1,) is -2"),
        ("negative", [-1, 0], "entry (1,) is 0"),
        ("integer", [1, 0.5], "entry (1,) is 0.5"),
        ("probability", [0.5, 0.6], "the sum of its entries is 1.1"),
        ("probability", [1.5, -0.5], "entry (1,) is -0.5"),
        ("probability", [], "the sum of its entries is 0"),
        ("signs", [1, 0], "entry (1,) is 0"),
    ],
)
def test_what_does_not_fit_is_named(word: str, values: object, place: str) -> None:
    assert failure([word], np.array(values, float)) == (word, place)


@pytest.mark.parametrize("word", ASSUMPTIONS)
def test_what_is_no_number_fits_nothing(word: str) -> None:
    assert failure([word], np.full((2, 2), np.nan)) is not None


def test_rounding_is_allowed_and_no_more() -> None:
    matrix = np.array([[1.0, 1.0 + 1e-12], [1.0, 2.0]])
    assert failure(["symmetric"], matrix) is None
    other = matrix + np.array([[0, 1e-5], [0, 0]])
    assert failure(["symmetric"], other) is not None
    assert failure(["symmetric"], other.astype(np.float32)) is None


def test_an_entry_far_from_the_diagonal_is_found() -> None:
    matrix = np.eye(1100)
    matrix[1099, 3] = 1
    for word in ("symmetric", "diagonal", "upper triangular"):
        assert failure([word], matrix) is not None
    assert failure(["lower triangular"], matrix) is None


def test_as_few_words_are_stated_as_say_all() -> None:
    for words in combinations(ASSUMPTIONS, 2):
        assert closure(stated(closure(words))) == closure(words)
    assert stated(closure(["diagonal"])) == ("diagonal",)


def test_closure_is_what_values_say() -> None:
    """All that follows from two words is so at values that have both."""
    rng = np.random.default_rng(1)
    for words in combinations(ASSUMPTIONS, 2):
        found = drawn(words, rng.normal(size=(3, 3)), rng)
        if found is not None:
            assert failure(closure(words), found) is None


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("symmetric", np.array([[0, 64], [-64, 0]], np.int8)),
        ("symmetric", np.array([[0, 2**62], [-(2**62), 0]])),
        ("skew", np.array([[0, 200], [56, 0]], np.uint8)),
        ("diagonal", np.array([[1, -128], [0, 1]], np.int8)),
        ("diagonal", np.array([[np.inf, 3], [0, 1]])),
    ],
)
def test_differences_of_integers_do_not_overflow_nor_does_an_infinity_allow_all(
    word: str, values: np.ndarray
) -> None:
    assert ASSUMPTIONS[word].failure(values) is not None
