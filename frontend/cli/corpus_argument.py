"""The argument of commands that try rules: one expression, or a file of them."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from eggrad.frontend.cli.input import Mistake, read_text, takes_language

if TYPE_CHECKING:
    from eggrad.frontend.text.problem import Problem

__all__ = ["takes_corpus"]


def takes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the cases of a file, or a single one, in either language."""

    @click.argument("source", callback=read_text)
    @takes_language
    @click.option("--wrt", multiple=True, metavar="NAME", help="Differentiate by NAME; repeatable.")
    @wraps(command)
    def reading(
        source: str,
        *,
        read: "Callable[[str], Problem]",
        matrix: bool,
        wrt: Sequence[str],
        **options: Any,
    ) -> None:
        from eggrad.frontend.workbench.corpus import read_corpus

        def derived(text: str) -> "Problem":
            return _differentiated(read(text), wrt)

        command(read_corpus(source, derived, "matrix" if matrix else "einsum"), **options)

    return reading


def _differentiated(problem: "Problem", wrt: Sequence[str]) -> "Problem":
    """The same problem with what to differentiate by."""
    from eggrad.frontend.expression.expression import expression
    from eggrad.frontend.interface.api import wrt_variable
    from eggrad.frontend.text.problem import Problem

    if not wrt:
        return problem
    if problem.wrt is not None:
        raise Mistake("the text has 'derivative wrt' already; leave out --wrt")
    whole = expression(problem.term, problem.declared)
    arguments = tuple(wrt_variable(whole, name, problem.declared) for name in wrt)
    return Problem(problem.term, arguments, problem.declared)
