"""Groups of commands, and how they report a mistake."""

import re
import sys
import warnings
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from importlib import import_module
from itertools import islice
from typing import Any, Final

import click

from eggrad.engine.errors import EggradError
from eggrad.frontend.calculus.budget_warning import BudgetWarning

_INTERRUPTED = 130
ARGUMENTS: Final = "eggrad.arguments"
"""Where a context has the arguments of a command as they were given."""


class Mistake(click.ClickException):
    """A mistake in the input: its message alone, and status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the message to standard error."""
        click.echo(f"Error: {self.message}", file=file, err=True)


class OfFormulas(click.Command):
    """A command whose arguments are formulas, which may begin with a minus."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put what is no option last, behind the sign that no options follow."""
        ctx.meta[ARGUMENTS] = tuple(args)
        takes_value = {
            name: not (p.is_flag or p.count)
            for p in self.get_params(ctx)
            if isinstance(p, click.Option)
            for name in (*p.opts, *p.secondary_opts)
        }
        options: list[str] = []
        formulas: list[str] = []
        rest = iter(args)
        for word in rest:
            if word == "--":
                formulas.extend(rest)
            elif word[:1] != "-" or word == "-" or not _is_option(ctx, word, takes_value):
                formulas.append(word)
            else:
                options.append(word)
                if takes_value.get(word):
                    options.extend(islice(rest, 1))
        return super().parse_args(ctx, [*options, "--", *formulas])


def _is_option(ctx: click.Context, word: str, known: Collection[str]) -> bool:
    """Whether a word that begins with a minus is an option, rightly spelt or nearly so."""
    name = word.partition("=")[0]
    if name in known or re.fullmatch(r"--[a-z][a-z-]*", name):
        return True
    near = get_close_matches(f"-{name}", known, cutoff=0.7) if name[1:].isalpha() else []
    if near:
        raise click.NoSuchOption(word, possibilities=near, ctx=ctx)
    return False


class Commands(click.Group):
    """A group that loads the command that is called; it ends with a message, never a traceback."""

    def __init__(self, *args: Any, later: Mapping[str, Mapping[str, str]], **options: Any) -> None:
        """`later` has the sentences of commands by name, by the module that has them."""
        super().__init__(*args, **options)
        self._homes = {name: module for module, sentences in later.items() for name in sentences}
        self.sentences = {
            name: text for sentences in later.values() for name, text in sentences.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, loaded or not."""
        return sorted(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command from the module that has it."""
        if cmd_name not in self._homes:
            return None
        module = import_module(f"eggrad.frontend.cli.{self._homes[cmd_name]}")
        commands = (c for c in vars(module).values() if isinstance(c, click.Command))
        return next(c for c in commands if c.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        limit = formatter.width - 6 - max(map(len, self.sentences))
        stubs = (click.Command(name, help=text) for name, text in sorted(self.sentences.items()))
        with formatter.section("Commands"):
            formatter.write_dl([(c.name or "", c.get_short_help_str(limit)) for c in stubs])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            with warnings.catch_warnings():
                # Commands say it themselves.
                warnings.simplefilter("ignore", BudgetWarning)
                return super().invoke(ctx)
        except EggradError as error:
            raise Mistake(str(error)) from error
        except MemoryError as error:
            raise Mistake(f"the memory is not enough: {error}") from error
        except KeyboardInterrupt:
            sys.exit(_INTERRUPTED)
