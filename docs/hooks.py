"""What `make site` adds to the pages: see mkdocs.yml.

Two pages from the root of the repository, KaTeX from the page of `eggrad serve`, and fences around
the examples in docstrings.
"""

import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGES = ("CHANGELOG.md", "CONTRIBUTING.md")
# From a prompt to the next empty line that no prompt follows.
SESSION = re.compile(r"^>>> .*?(?=\n\s*\n(?!>>> )|\Z)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages at the root, with links as from docs/, and KaTeX."""
    root = Path(config.config_file_path).parent
    for name in PAGES:
        text = (
            (root / name)
            .read_text("utf-8")
            .replace("](docs/", "](")
            .replace("](CHANGELOG.md", "](changelog.md")
        )
        files.append(File.generated(config, name.lower(), content=text))
    static = root / "frontend" / "page" / "static"
    for path in sorted(static.joinpath("katex").rglob("*.*")):
        name = path.relative_to(static).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Sessions of Python told apart from its files, for the colours."""
    return markdown.replace("```python\n>>> ", "```pycon\n>>> ")


class Sessions(griffe.Extension):
    """Fences the sessions in docstrings, which Markdown takes for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object, where it has one."""
        if obj.docstring:
            obj.docstring.value = SESSION.sub(
                lambda m: f"```pycon\n{m[0].rstrip()}\n```", obj.docstring.value
            )
