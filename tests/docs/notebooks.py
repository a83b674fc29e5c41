"""Notebooks are run, and their outputs are what is shown now.

`python -m tests.docs.notebooks` runs all of `docs/notebooks` and writes their outputs.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.support.places import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """The notebook after its cells have run in a folder; an error in one is raised."""
    notebook = nbformat.read(path, as_version=4)
    own: Any = {"kernel_name": "python3", "record_timing": False, "coalesce_streams": True}
    client = NotebookClient(notebook, timeout=300, **own)
    client.execute(cwd=str(folder))
    return notebook


def shown(notebook: Any) -> list[list[dict[str, Any]]]:
    """The outputs of each cell; progress and other texts on standard error are not compared."""
    return [
        [dict(o) for o in cell.outputs if o.get("name") != "stderr"]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def main() -> None:
    """Write the outputs anew."""
    for path in NOTEBOOKS:
        found = executed(path, path.parent)
        for cell in found.cells:
            if cell.cell_type == "code":
                cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
        # Which Python ran it is of no interest.
        found.metadata.get("language_info", {}).pop("version", None)
        nbformat.write(found, path)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
