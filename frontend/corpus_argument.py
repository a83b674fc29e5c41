"""The argument of commands that try rules: one expression, or a file of them."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from eggrad.frontend.cli_input import Mistake, parse_assumptions, parse_dims, read_text

__all__ = ["takes_corpus"]


def takes_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the cases of a file, or a single one, in either language."""

    @click.argument("source", callback=read_text)
    @click.option("--matrix", is_flag=True, help="SOURCE is in the matrix language; see --dims.")
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
    @click.option("--wrt", multiple=True, metavar="NAME", help="Differentiate by NAME; repeatable.")
    @wraps(command)
    def reading(
        source: str,
        *,
        matrix: bool,
        dims: "dict[str, tuple[int | str, ...]]",
        assume: dict[str, list[str]],
        wrt: Sequence[str],
        **options: Any,
    ) -> None:
        from eggrad.frontend.corpus import read_corpus
        from eggrad.frontend.matrix_parser import read_problem
        from eggrad.frontend.problem import Problem
        from eggrad.frontend.text_parser import parse

        if not matrix and (dims or assume):
            raise Mistake("--dims and --assume belong to the matrix language; add --matrix")

        def read(text: str) -> Problem:
            problem = read_problem(text, dims or None, assume) if matrix else parse(text)
            return _differentiated(problem, wrt)

        command(read_corpus(source, read, "matrix" if matrix else "einsum"), **options)

    return reading


def _differentiated(problem: Any, wrt: Sequence[str]) -> Any:
    """The same problem with what to differentiate by."""
    from eggrad.frontend.api import wrt_variable
    from eggrad.frontend.expression import expression
    from eggrad.frontend.problem import Problem

    if not wrt:
        return problem
    if problem.wrt is not None:
        raise Mistake("the text has 'derivative wrt' already; leave out --wrt")
    whole = expression(problem.term, problem.declared)
    arguments = tuple(wrt_variable(whole, name, problem.declared) for name in wrt)
    return Problem(problem.term, arguments, problem.declared)
