"""The formula of every product that two operands of at most two axes can have."""

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.indices.spec import Indices
from eggrad.engine.oracle.oracle import value
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.formats import format_unchanged
from eggrad.frontend.printing.matrix import has_notation

SIZES = {"k": 2, "m": 3, "n": 4}
LETTERS = "kmn"
# Declares the sizes.
SCOPE = {letter.upper(): (letter,) for letter in LETTERS}


def operands(name: str, part: Indices) -> Iterator[Term]:
    """A variable, ones, and for two axes of one size the unit matrix."""
    dims = tuple(LETTERS[i] for i in part)
    yield terms.variable(name, dims)
    yield terms.constant(1, dims)
    if len(dims) == 2 and dims[0] == dims[1]:
        yield terms.delta(dims[:1])


PARTS = [part for order in range(3) for part in product(range(3), repeat=order)]


def shape(v: Term) -> tuple[int, ...]:
    return tuple(SIZES[str(d)] for d in v.dims)


def outputs(used: set[int]) -> Iterator[Indices]:
    for order in range(3):
        yield from permutations(sorted(used), order)


def products(first: Indices) -> Iterator[Term]:
    """All products of a first operand, alone and with any other."""
    for a in operands("A", first):
        for out in outputs({*first}):
            yield terms.einsum((first, out), a)
        for second in PARTS:
            for b in operands("B", second):
                for out in outputs({*first, *second}):
                    yield terms.einsum((first, second, out), a, b)


@pytest.mark.parametrize("first", PARTS, ids=lambda p: "".join(LETTERS[i] for i in p) or "scalar")
def test_products_are_written_as_what_they_are(first: Indices) -> None:
    rng = np.random.default_rng(1)
    for term in products(first):
        assert has_notation(term)
        variables = {v.name: v for v in terms.variables(term)}
        text = format_unchanged("matrix", term, ())
        again = eg.parse_matrix(text, SCOPE | {name: v.dims for name, v in variables.items()})
        values = {name: rng.normal(size=shape(v)) for name, v in variables.items()}
        found, wanted = (value(t, values, SIZES) for t in (again.term, term))
        np.testing.assert_allclose(found, wanted, err_msg=text)
