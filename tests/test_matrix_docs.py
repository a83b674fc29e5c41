"""The examples of the pages on languages; `python -m tests.test_matrix_docs` writes them."""

from pathlib import Path

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend import matrix_functions
from eggrad.frontend.matrix_calls import CONSTANTS
from tests.test_readme import BLOCK, refreshed

DOCUMENTS = Path(__file__).parent.parent / "docs"
PAGES = ["matrix.md", "numpy.md", "equivalence.md"]


@pytest.mark.parametrize("page", PAGES)
def test_sessions_show_what_happens(page: str) -> None:
    text = (DOCUMENTS / page).read_text("utf-8")
    assert len(BLOCK.findall(text)) >= 2
    assert "Traceback" not in text
    assert refreshed(text) == text


def test_all_functions_are_described() -> None:
    text = (DOCUMENTS / "matrix.md").read_text("utf-8").partition("## Where")[0]
    described = {word.strip("`,;.()") for word in text.replace("(", " ").split()}
    assert {*matrix_functions.FUNCTIONS, *CONSTANTS} - {"trace"} <= described


def test_the_order_of_vec() -> None:
    """What docs/matrix.md says of the Hessian and of vec, by a linear function of a matrix."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 3)), rng.normal(size=(4, 5))
    f = eg.parse_matrix("A*X*B", {"A": ("p", "m"), "X": ("m", "n"), "B": ("n", "q")})
    H = eg.derivative(f, "X").evaluate({"A": A, "B": B})
    p, q, m, n = H.shape
    matrix = H.transpose(1, 0, 3, 2).reshape(p * q, m * n)
    np.testing.assert_allclose(matrix, np.kron(B.T, A))


if __name__ == "__main__":
    for page in PAGES:
        path = DOCUMENTS / page
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
