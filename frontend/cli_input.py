"""What the command line reads and writes, and how it reports a mistake."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from zipfile import BadZipFile

import click

from eggrad.engine.errors import EggradError

if TYPE_CHECKING:
    from eggrad.engine.binding import Array

__all__ = ["Commands", "Mistake", "parse_sizes", "read_text", "read_values", "write_array"]

_INTERRUPTED = 130


class Mistake(click.ClickException):
    """A mistake in the input: its message alone, and status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message to standard error."""
        click.echo(f"Error: {self.message}", file=file, err=True)


class Commands(click.Group):
    """A group whose commands end quietly: with a message, never with a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except EggradError as error:
            raise Mistake(str(error)) from error
        except KeyboardInterrupt:
            sys.exit(_INTERRUPTED)


def read_text(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """The text itself, or standard input where it is `-`."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mistake(f"standard input is not UTF-8 text: byte {error.start}") from error


def parse_sizes(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> dict[str, int] | int | None:
    """Sizes by symbol, or one for all, from `m=3,n=5` or `4`."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return int(text)
    sizes: dict[str, int] = {}
    for part in text.split(","):
        symbol, equals, number = (piece.strip() for piece in part.partition("="))
        if not (symbol and equals and number.isdecimal()):
            raise click.BadParameter(f"{part.strip()!r} is not of the form n=5")
        if symbol in sizes:
            raise click.BadParameter(f"{symbol} is given twice")
        sizes[symbol] = int(number)
    return sizes


def read_values(path: str) -> "dict[str, Array]":
    """Every array of a `.npz` file, by name."""
    import numpy as np

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


def write_array(path: str, array: "Array") -> None:
    """Write a `.npy` file of exactly that name."""
    import numpy as np

    try:
        # An open file keeps its name; numpy would append a suffix to a path.
        with Path(path).open("wb") as file:
            np.save(file, array, allow_pickle=False)
    except OSError as error:
        _unusable("write", path, error)


def _unusable(verb: str, path: str, error: OSError) -> NoReturn:
    raise Mistake(f"cannot {verb} {path}: {error.strerror or error}") from error
