"""Notebooks run from the first cell to the last, and show what is in their files."""

from pathlib import Path

import nbformat
import pytest

from tests.docs.notebooks import NOTEBOOKS, executed, shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
# What Jupyter warns of is between its parts.
@pytest.mark.filterwarnings("default")
def test_notebook(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    assert shown(executed(path, tmp_path)) == shown(nbformat.read(path, as_version=4))
