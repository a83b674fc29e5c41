"""The walks of docs/walks.md, taken in a copy of the project.

`python -m tests.docs.walks` writes anew what their commands print.
"""

import contextlib
import re
import shutil
import tempfile
from pathlib import Path

from tests.docs.sessions import BLOCK, shell_session
from tests.support.places import DOCS, ROOT

PAGE = DOCS / "walks.md"
# `# FILE` or `# FILE, after: LINE`, then what is added there.
STEP = re.compile(
    r"^```(?:py|text)\n# (\S+?)(?:, after: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
FOLDERS = ("engine", "rules", "frontend", "src", "tests", "docs", ".ci")


def walks(page: str) -> list[str]:
    """The sections of the page, each a walk."""
    return page.split("\n## ")[1:]


def take_steps(walk: str, folder: Path) -> None:
    """Change the files in a folder as the blocks of a walk say."""
    for name, line, body in STEP.findall(walk):
        path = folder / name
        text = path.read_text("utf-8") if path.exists() else ""
        place = len(text)
        if line:
            ends = [m.end() for m in re.finditer(rf"^ *{re.escape(line)}\n", text, re.MULTILINE)]
            if len(ends) != 1:
                raise ValueError(f"{name} has {len(ends)} lines {line!r}")
            (place,) = ends
        path.write_text(text[:place] + body + text[place:], "utf-8")


def copy_project(folder: Path) -> None:
    """Put what git has of the project into a folder, but for its history."""
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, folder)


def walked(walk: str, folder: Path) -> str:
    """The walk with what its commands print after its steps, in a copy of the project."""
    copy_project(folder)
    take_steps(walk, folder)
    environment = {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    with contextlib.chdir(folder):
        return BLOCK.sub(lambda m: f"{m[1]}\n{shell_session(m[2], environment)}", walk)


def main() -> None:
    """Write the page anew."""
    head, *found = PAGE.read_text("utf-8").split("\n## ")
    for k, walk in enumerate(found):
        with tempfile.TemporaryDirectory() as folder:
            found[k] = walked(walk, Path(folder))
    PAGE.write_text("\n## ".join([head, *found]), "utf-8")


if __name__ == "__main__":
    main()
