"""What searches have found, kept for this process and the next: terms, by what was asked.

A folder of the user's has a file for each question, as terms in JSON: nothing in it is run. A
question is asked again by its terms and options, under the same version of everything that
searches. A file that is cut, foreign or changed is no answer, and is written anew.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import numpy as np

from eggrad.engine.costs.time_model import cache_path
from eggrad.engine.errors import ParseError
from eggrad.engine.recent import Recent
from eggrad.engine.saturation.schedule import Report, Result
from eggrad.engine.terms.term import Term, fixed_arrays, own_functions
from eggrad.frontend.text.json_nodes import format_terms, read_terms

VARIABLE: Final = "EGGRAD_CACHE"
"""The environment variable that names the folder; "0" for none."""
MOST_BYTES: Final = 64 << 20
"""What the folder may take; what nobody has asked for longest goes."""
# The share of the folder that one file may take, and what is left of it when it is too large.
_ONE: Final = 1 / 16
_LEFT: Final = 3 / 4
# One of so many files, when it is written, has the folder looked at.
_OFTEN: Final = 64
# What a file takes at the least.
_BLOCK: Final = 4096
# What the files are called, and those that nobody has finished.
_OURS: Final = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62}\.json|eggrad-\w+\.new)")
# The numbers of arrays that a question or an answer has at the most.
_MOST_NUMBERS: Final = 1 << 14

Group = tuple[tuple[Term, ...], Any]
"""Terms, and what is said of them in the words of JSON."""


def kept(
    name: str,
    given: Sequence[Term],
    options: object,
    find: Callable[[], Sequence[Group]],
) -> Sequence[Group]:
    """What `find` returns, which depends on what is given, and on nothing else.

    Declared functions are known to one process alone: what is found of them ends with it. Nothing
    is kept of what raises an error.

    >>> from eggrad.engine.terms.term import constant
    >>> one = constant(1)
    >>> found = kept("example", [one], (), lambda: [((one,), "a note")])
    >>> kept("example", [one], (), lambda: []) is found
    True
    """
    question = name, repr(options), tuple(given)
    found = _recent.get(question)
    if found is None:
        folder = _folder() if _can_be_kept(given) else None
        found = find() if folder is None else _on_disk(folder, question, find)
        _recent.put(question, found)
    return found


def kept_result(
    name: str, given: Sequence[Term], options: object, ask: Callable[[], Result]
) -> Result:
    """What a system answers, unless it has failed: the terms, and what cut it short.

    >>> from eggrad.engine.terms.term import constant
    >>> kept_result("another example", [], (), lambda: Result((constant(1),), Report())).complete
    True
    """

    def find() -> Sequence[Group]:
        result = ask()
        if result.report.failed:
            raise _FailedError(result)
        return [(result.terms, result.report.notes)]

    try:
        ((terms, notes),) = kept(name, given, options, find)
    except _FailedError as error:
        return error.result
    return Result(terms, Report(notes=[*notes]))


class _FailedError(Exception):
    """A search has failed: what it leaves is right, and not worth keeping."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


_recent: Final = Recent[object, Sequence[Group]](256)


def forget() -> None:
    """Be as a process that has not asked anything."""
    _recent.clear()


def _can_be_kept(terms: Sequence[Term]) -> bool:
    """Whether terms mean the same in another process, and are said in few words."""
    numbers = sum(a.values.size for a in fixed_arrays(*terms))
    return numbers <= _MOST_NUMBERS and not own_functions(*terms)


def _on_disk(
    folder: Path, question: tuple[str, str, tuple[Term, ...]], find: Callable[[], Sequence[Group]]
) -> Sequence[Group]:
    name, options, given = question
    asked = "\n".join((_edition(), name, options, format_terms([(given, None)])))
    key = sha256(asked.encode()).hexdigest()
    path = folder / key[:2] / f"{key}.json"
    found = _read(path, key)
    if found is None:
        found = find()
        if _can_be_kept([t for terms, _ in found for t in terms]):
            _write(folder, path, f"{key}\n{format_terms(found)}".encode())
    return found


def _read(path: Path, key: str) -> Sequence[Group] | None:
    """What a file has, None unless it is whole and answers the question."""
    try:
        check, _, rest = path.read_bytes().partition(b"\n")
        if check != _checksum(rest):
            return None
        kept_key, _, text = rest.decode().partition("\n")
        if kept_key != key:
            return None
        found = read_terms(text)
    except (OSError, UnicodeDecodeError, ParseError):
        return None
    with suppress(OSError):
        # What was asked for last goes last.
        os.utime(path)
    return [(tuple(terms), said) for terms, said in found] or None


def _write(folder: Path, path: Path, content: bytes) -> None:
    """Write a file at once, whoever else does; nothing where that cannot be done."""
    if len(content) > MOST_BYTES * _ONE:
        return
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(
            dir=path.parent, prefix="eggrad-", suffix=".new", delete=False
        ) as file:
            file.write(_checksum(content) + b"\n" + content)
        new = Path(file.name)
        try:
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        # Names are as random as a die: so no process has to count.
        if int(path.stem, 16) % _OFTEN == 0:
            _make_room(folder)
    except OSError:
        return


def _checksum(content: bytes) -> bytes:
    return sha256(content).hexdigest().encode()


def _make_room(folder: Path) -> None:
    """Remove what nobody has asked for longest, if all takes too much."""
    found: list[tuple[float, int, Path]] = []
    # Other files may be there as well.
    for path in folder.glob("??/*"):
        if _OURS.fullmatch(f"{path.parent.name}/{path.name}"):
            status = path.stat()
            found.append((status.st_mtime, max(status.st_size, _BLOCK), path))
    total = sum(size for _, size, _ in found)
    if total > MOST_BYTES:
        for _, size, path in sorted(found):
            path.unlink(missing_ok=True)
            total -= size
            if total <= MOST_BYTES * _LEFT:
                break


def _folder() -> Path | None:
    """Where files are kept, if they are to be."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given) if given != "0" else None
    try:
        return cache_path().parent / "found"
    except RuntimeError:
        # Nobody knows the user's folder.
        return None


@cache
def _edition() -> str:
    """What answers depend on: the libraries that search, and the package's files."""
    root = Path(str(files("eggrad")))
    found = [sys.version, np.__version__, version("egglog"), version("opt_einsum")]
    # In a checkout the folders of the package are links.
    for folder, _, names in os.walk(root, followlinks=True):
        for name in names:
            if name.endswith((".py", ".json", ".lark")):
                status = (Path(folder) / name).stat()
                found.append(f"{folder} {name} {status.st_size} {status.st_mtime_ns}")
    found.sort()
    return sha256("\n".join(found).encode()).hexdigest()
