"""Tables of the architecture, read from the code: files, stages, passes, imports.

`python -m tests.docs.architecture` writes them into docs/architecture.md and the pages in
docs/architecture/, between the comments that name them.
"""

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

from eggrad.engine.compilation.passes import PASSES
from eggrad.engine.saturation.schedule import PURPOSES, STAGES
from eggrad.rules.standard import STANDARD
from tests.benchmarks.tables import placed
from tests.support.places import DOCS, ROOT

MAP = DOCS / "architecture.md"
PAGES = (MAP, *sorted((DOCS / "architecture").glob("*.md")))
LAYERS = ("frontend", "rules", "engine")
Arrows = Mapping[str, set[str]]


# The stages of each purpose.


def purposes() -> Iterator[str]:
    """A row for each purpose: its stages, in order."""
    yield "| purpose | its stages |"
    yield "|---|---|"
    for purpose, own in PURPOSES.items():
        yield f"| {purpose} | {' → '.join((*own, 'extract'))} |"


def files_of_rulesets() -> dict[str, str]:
    """The file in which each ruleset is, by its name."""
    return {
        call.args[0].value: file.relative_to(ROOT / "rules").as_posix()
        for file in sorted((ROOT / "rules").rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") == "Ruleset"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


def stages() -> Iterator[str]:
    """A table of the stages: who runs them, and their rulesets, file by file."""
    home = files_of_rulesets()
    yield "| stage | purposes | rulesets, by their files in `rules/` |"
    yield "|---|---|---|"
    for stage in STAGES:
        users = [purpose for purpose, own in PURPOSES.items() if stage in own]
        own = defaultdict[str, list[str]](list)
        for ruleset in STANDARD.of(stage):
            own[home[ruleset.name]].append(ruleset.name)
        named = "; ".join(f"`{file}`: {', '.join(names)}" for file, names in own.items())
        yield f"| {stage} | {', '.join(users) or 'differentiate'} | {named} |"


# The folders and their imports.


def folder_of(module: str, names: list[str]) -> Iterator[str]:
    """The folders of what is imported: `eggrad.engine.terms.term` is in `engine/terms`."""
    for name in names:
        path = ROOT.joinpath(*f"{module}.{name}".split(".")[1:])
        while path != ROOT:
            if path.is_dir():
                yield path.relative_to(ROOT).as_posix()
                break
            path = path.parent


def imports_of(file: Path) -> set[str]:
    """The folders that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eggrad."):
            found.update(folder_of(str(node.module), [alias.name for alias in node.names]))
    return found


def arrows() -> Arrows:
    """The folders that each folder imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for layer in LAYERS:
        for file in sorted((ROOT / layer).rglob("*.py")):
            folder = file.parent.relative_to(ROOT).as_posix()
            found[folder] |= imports_of(file) - {folder}
    imported = {end for ends in found.values() for end in ends}
    return {folder: ends for folder, ends in found.items() if ends or folder in imported}


def reached(graph: Arrows, start: str) -> set[str]:
    """The folders to which arrows lead from one, directly or by others."""
    found: set[str] = set()
    new = [start]
    while new:
        fresh = graph.get(new.pop(), set()) - found
        found |= fresh
        new += fresh
    return found


def reduced(graph: Arrows) -> Arrows:
    """The arrows that do not follow from others.

    >>> reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    {'a': {'b'}, 'b': {'c'}, 'c': set()}
    """
    reach = {folder: reached(graph, folder) for folder in graph}

    def follows(start: str, end: str) -> bool:
        between = (b for b in graph[start] - {end} if start not in reach[b])
        return any(end in reach[b] and b not in reach[end] for b in between)

    return {a: {b for b in ends if not follows(a, b)} for a, ends in graph.items()}


def folders() -> Iterator[str]:
    """A row for each folder, below those that import it, with the nearest that it imports."""
    graph = {folder: sorted(ends) for folder, ends in sorted(reduced(arrows()).items())}
    yield "| folder | the next below |"
    yield "|---|---|"
    for folder in reversed([*TopologicalSorter(graph).static_order()]):
        yield f"| {folder} | {', '.join(graph[folder])} |"


def sentence(file: Path) -> str:
    """What a file says that it is, in its first line."""
    return (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").splitlines()[0]


def packages() -> Iterator[tuple[str, Path]]:
    """The folders with files of Python, by their names, and the file that says what each is."""
    for layer in reversed(LAYERS):
        for face in sorted((ROOT / layer).rglob("__init__.py")):
            yield face.parent.relative_to(ROOT).as_posix(), face


def files() -> Iterator[str]:
    """A table of the folders, and in each of them of its files, in their own words."""
    yield "| folder | its files |"
    yield "|---|---|"
    for name, face in packages():
        own = [f for f in sorted(face.parent.glob("*.py")) if f != face]
        listed = "<br>".join(f"`{f.stem}` {sentence(f)}" for f in own)
        yield f"| **`{name}/`** {sentence(face)} | {listed} |"


def names_in(folder: Path) -> Iterator[str]:
    """What is in a folder beside its face: files of Python without their ending, others with it."""
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not (path / "__init__.py").exists() and path.name != "__pycache__":
                yield f"{path.name}/"
        elif path.name != "__init__.py":
            yield path.stem if path.suffix == ".py" else path.name


def names() -> Iterator[str]:
    """A table of the folders, with the names of what is in them."""
    yield "| folder | its files |"
    yield "|---|---|"
    for name, face in packages():
        yield f"| `{name}/` {sentence(face)} | {', '.join(names_in(face.parent))} |"


def passes() -> Iterator[str]:
    """A table of the passes from terms to code, in the order in which they run."""
    yield "| pass | what it does | where |"
    yield "|---|---|---|"
    for step in PASSES:
        yield f"| {step.name} | {step.sentence} | {step.condition} |"


TABLES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    table.__name__: table for table in (names, files, folders, purposes, stages, passes)
}
"""Every table, by the name that stands before it in a page."""


def drawn(text: str) -> str:
    """The text of a page with its tables as the code is now."""
    for name, table in TABLES.items():
        if f"<!-- {name} -->" in text:
            text = placed(text, name, "\n".join(table()))
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(drawn(page.read_text("utf-8")), "utf-8")
