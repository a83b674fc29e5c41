"""Messages of missing packages name those that the project asks for."""

import re
import tomllib

import pytest

from eggrad.engine.backends.libraries import LIBRARIES
from tests.support.places import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_packages_of_a_library_are_those_of_its_extra(name: str) -> None:
    wanted = {re.split("[>=<]", package)[0] for package in EXTRAS[name]}
    assert {*LIBRARIES[name].packages} == wanted


def test_no_message_names_an_extra() -> None:
    """What `pip install 'eggrad[jax]'` would fetch from an index is not this package."""
    files = [p for layer in ("engine", "frontend", "rules") for p in (ROOT / layer).rglob("*.py")]
    assert [p for p in files if re.search(r"pip install\W+eggrad", p.read_text("utf-8"))] == []
