"""The list of what NumPy and SciPy export says what each function does with expressions."""

import pytest

from tests.frontend.expression.numpy_exports import FILE, VERSIONS, classified, exported, listed

EXPORTED = exported()
# Of other versions the list says what is in both.
SAME = FILE.read_text().startswith(VERSIONS + "\n")


@pytest.mark.skipif(not SAME, reason="the list is of other versions of NumPy and SciPy")
def test_every_function_is_in_the_list() -> None:
    """`python -m tests.frontend.expression.numpy_exports` writes it."""
    assert sorted(listed()) == sorted(EXPORTED)


@pytest.mark.parametrize("name", [name for name in listed() if name in EXPORTED])
def test_class(name: str) -> None:
    found, said = classified(name, EXPORTED[name]), listed()[name]
    assert (found if SAME else found.split(":")[0]) == (said if SAME else said.split(":")[0])
