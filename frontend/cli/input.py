"""What commands read and write, and the options that several of them have."""

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar, cast
from zipfile import BadZipFile

import click
import numpy as np

from eggrad.engine.errors import EggradError
from eggrad.engine.terms.binding import Array
from eggrad.frontend.cli.commands import Mistake
from eggrad.frontend.formulas.declarations import read_assumptions, read_dims, read_size
from eggrad.frontend.interface import reading as texts
from eggrad.frontend.interface.reading import NOTATIONS, reader_of
from eggrad.frontend.text.parser import parse
from eggrad.frontend.text.phrases import Problem
from eggrad.frontend.text.words import FormatName, format_number

_T = TypeVar("_T")

UNKNOWN: Final = 3
"""The status of a command that did not find out; 2 is for mistakes in the input."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
certificate_option = click.option(
    "--certificate",
    metavar="FILE",
    help="Write a certificate into FILE, which eggrad verify checks.",
)
rules_option = click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Use a Python file of rules as well; repeatable. The file is executed: trust it first.",
)


def read_text(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """The text itself, or standard input where it is `-`."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"standard input is not UTF-8 text: byte {error.start}") from error


Command = Callable[..., None]


# In which formats formulas of a notation are answered, and shown in steps, where not in its own.
_ANSWERED: Final[Mapping[str, FormatName]] = {"numpy": "python"}
_SHOWN: Final[Mapping[str, FormatName]] = {"numpy": "matrix"}


def takes_language(command: Command) -> Command:
    """Let a command be told the language of its texts.

    It gets `read`, which reads one, and `notation`, the format in which formulas are shown.
    """

    @click.option("--matrix", is_flag=True, help="Read the matrix language; see --dims.")
    @click.option("--latex", is_flag=True, help="Read a formula in LaTeX; see --dims.")
    @click.option("--index", is_flag=True, help="Read index notation; see --dims.")
    @click.option("--numpy", is_flag=True, help="Read what is written with NumPy; see --dims.")
    @click.option(
        "--dims",
        callback=parse_dims,
        metavar="DIMS",
        help='The axes of the variables: "A: m n, x: n, c:".',
    )
    @click.option(
        "--assume",
        callback=parse_assumptions,
        metavar="PROPERTIES",
        help='What is known of variables: "A: symmetric, x: positive".',
    )
    @wraps(command)
    def reading(
        *texts: str,
        dims: dict[str, tuple[int | str, ...]],
        assume: dict[str, tuple[str, ...]],
        **options: Any,
    ) -> None:
        chosen = [name for name in NOTATIONS if options.pop(name)]
        if len(chosen) > 1:
            raise Mistake(f"a text is in one language, not in {' and '.join(chosen)}")
        if not chosen and (dims or assume):
            raise Mistake(
                "--dims and --assume belong to the matrix language, LaTeX, index notation and "
                "NumPy; add --matrix, --latex, --index or --numpy"
            )
        notation = chosen[0] if chosen else "einsum"

        def read(text: str) -> Problem:
            return reader_of(notation)(text, dims or None, assume) if chosen else parse(text)

        if "language" in options:
            options["language"] = options["language"] or _ANSWERED.get(notation, notation)
        command(*texts, read=read, notation=_SHOWN.get(notation, notation), **options)

    return reading


def takes_expression(command: Command) -> Command:
    """Let a command take an expression in any language: its text, and what was read."""

    @click.argument("text", callback=read_text)
    @takes_language
    @wraps(command)
    def reading(
        text: str, *, read: Callable[[str], Problem], notation: str, **options: Any
    ) -> None:
        command(text, texts.Problem(read(text)), **options)

    return reading


def parse_sizes(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> dict[str, int] | int | None:
    """Sizes by symbol, or one for all, from `m=3,n=5` or `4`."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return _said(read_size, text.strip())
    sizes: dict[str, int] = {}
    for part in text.split(","):
        symbol, equals, number = (piece.strip() for piece in part.partition("="))
        if not (symbol and equals and number.isdecimal()):
            raise click.BadParameter(f"{part.strip()!r} is not of the form n=5")
        if symbol in sizes:
            raise click.BadParameter(f"{symbol} is given twice")
        sizes[symbol] = _said(read_size, number)
    return sizes


def _option(read: Callable[[str], _T]) -> Callable[[Any, Any, str | None], _T]:
    """What an option says whose text is read so."""
    return lambda _context, _parameter, text: _said(read, text or "")


def _said(read: Callable[[str], _T], text: str) -> _T:
    try:
        return read(text)
    except EggradError as error:
        raise click.BadParameter(str(error)) from error


# Axes by name, from `A: m n, x: n, c:`, and properties, from `A: symmetric, x: positive`.
parse_dims, parse_assumptions = _option(read_dims), _option(read_assumptions)


def read_values(path: str) -> dict[str, Array]:
    """Every array of a `.npz` file, by name."""
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            raise Mistake(f"{path} holds one array without a name; save them by numpy.savez")
        with found:
            return {name: found[name] for name in found.files}
    except OSError as error:
        _unusable("read", path, error)
    except (ValueError, BadZipFile, EOFError) as error:
        raise Mistake(f"{path} is not a .npz file of plain arrays") from error


def write_array(path: str, array: Array) -> None:
    """Write a `.npy` file of exactly that name."""
    try:
        # An open file keeps its name; numpy would append a suffix to a path.
        with Path(path).open("wb") as file:
            np.save(file, array, allow_pickle=False)
    except OSError as error:
        _unusable("write", path, error)


def write_page(path: str, text: str) -> None:
    """Write a page or picture, and say where it is."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        _unusable("write", path, error)
    click.echo(f"written to {path}", err=True)


def _unusable(verb: str, path: str, error: OSError) -> NoReturn:
    raise Mistake(f"cannot {verb} {path}: {error.strerror or error}") from error


def listed(value: Any) -> Any:
    """Nested lists of what JSON has: exact fractions are texts, null is what is not finite."""
    if isinstance(value, list):
        return [listed(v) for v in cast(list[object], value)]
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return format_number(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    return listed(value.tolist())


def read_file(file: str) -> str:
    """The text of a file, or of standard input where it is `-`."""
    try:
        read = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"{file} is not UTF-8 text: byte {error.start}") from error
    except OSError as error:
        raise Mistake(f"cannot read {file}: {error.strerror or error}") from error
