"""Neither depth nor sharing is a limit: no walk over a term or a text is recursive."""

from collections.abc import Callable

import pytest

from eggrad.engine.errors import ParseError
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    divide,
    einsum,
    negate,
    power,
    subtract,
    variable,
)
from eggrad.frontend.text.parser import parse
from eggrad.frontend.text.printer import format_problem, format_term

X = variable("x", ("n",))
M = variable("M", ("n", "n"))
DEPTH = 10_000


@pytest.mark.parametrize(
    ("leaf", "step"),
    [
        (X, lambda t: apply("sin", t)),
        (X, negate),
        (X, lambda t: add(t, X)),
        (X, lambda t: add(X, t)),
        (X, lambda t: subtract(X, t)),
        (X, lambda t: einsum("i,i->i", X, t)),
        (X, lambda t: divide(constant(1), t)),
        (constant(1, ("p",)), lambda t: divide(t, constant(2))),
        (X, lambda t: power(t, constant(2))),
        (M, lambda t: einsum("ij->ji", t)),
        (M, lambda t: apply("inv", t)),
        (constant(2, ("n", "n")), lambda t: apply("inv", t)),
    ],
    ids=[
        "sin", "negate", "left sum", "right sum", "subtract", "product", "quotient of one",
        "quotient of a constant", "power", "transpose", "inverse", "constant",
    ],
)  # fmt: skip
def test_a_deep_chain(leaf: Term, step: Callable[[Term], Term]) -> None:
    term = leaf
    for _ in range(DEPTH):
        term = step(term)
    assert parse(format_problem(term)).term is term


@pytest.mark.parametrize("squarings", [1, 60, 2000])
def test_a_chain_of_squarings(squarings: int) -> None:
    term = X
    for _ in range(squarings):
        term = einsum("i,i->i", term, term)
    text = format_problem(term)
    assert len(text) < 100 + 50 * squarings
    assert parse(text).term is term
    assert len(format_term(term, 1000)) <= 1001


def test_deep_brackets() -> None:
    text = f"declare x 0 expression {'(' * DEPTH}x{')' * DEPTH}"
    assert parse(text).term.op == "variable"
    with pytest.raises(ParseError, match="this bracket is never closed"):
        parse(text[:-1])
    with pytest.raises(ParseError, match=r"this \) closes no bracket"):
        parse(text + ")")


def test_a_long_declaration() -> None:
    names = " ".join(f"x{i} 1" for i in range(DEPTH))
    total = " + ".join(f"x{i}" for i in range(DEPTH))
    problem = parse(f"declare {names} expression {total}")
    assert {own.dims for own in problem.declared} == {("x0_1",)}
