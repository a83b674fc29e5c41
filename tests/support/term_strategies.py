"""Random well-typed terms, of every operation, for properties."""

from fractions import Fraction

from hypothesis import strategies as st

from eggrad.engine.indices import affine
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    cofactors,
    constant,
    delta,
    divide,
    einsum,
    indicator,
    negate,
    power,
    size,
    subtract,
    variable,
)

SIZES = ("m", "n", "A_1", "A_2", "x_1", "n1", "two words", 2, 3)
NAMES = ("A", "B", "x", "y1", "sin", "let", "odd `name`", "t1")
ASSUMPTIONS = ("symmetric", "positive definite", "invertible", "positive", "nonnegative")
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.fractions(max_denominator=50),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
)


@st.composite
def terms(draw: st.DrawFn, steps: int = 12) -> Term:
    """Built from a pool of terms, so that parts are shared; names keep their axes."""
    draw_size = st.sampled_from(SIZES)
    draw_dims = st.lists(draw_size, max_size=3).map(tuple)
    pool: list[Term] = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        dims = draw(draw_dims)
        square = len(dims) == 2 and dims[0] == dims[1]
        known = ASSUMPTIONS if square else ASSUMPTIONS[3:]
        pool.append(variable(name, dims, draw(st.lists(st.sampled_from(known), max_size=2))))
        # The size symbols that a plain declaration stands for.
        plain = tuple(f"{name}_{axis + 1}" for axis in range(len(dims)))
        if draw(st.booleans()) and not square:
            pool[-1] = variable(name, plain)
    dims = draw(draw_dims)
    pool.append(constant(Fraction(draw(NUMBERS)), dims))
    for _ in range(draw(st.integers(0, steps))):
        pool.append(_grown(draw, pool, draw_size))
    return pool[-1]


def _grown(draw: st.DrawFn, pool: list[Term], draw_size: st.SearchStrategy[str | int]) -> Term:
    some = draw(st.sampled_from(pool))
    alike = [t for t in pool if t.dims == some.dims]
    square = [t for t in pool if t.order == 2 and t.dims[0] == t.dims[1]]
    scalars = [t for t in pool if not t.order] + [constant(draw(st.integers(-2, 2)))]
    match draw(st.integers(0, 12)):
        case 0:
            return constant(Fraction(draw(NUMBERS)), some.dims)
        case 1:
            return delta(draw(st.lists(draw_size, max_size=2)))
        case 2:
            return size(draw(draw_size))
        case 3:
            return draw(st.sampled_from([add, subtract, divide]))(
                some, draw(st.sampled_from([*alike, constant(draw(NUMBERS), some.dims)]))
            )
        case 4:
            return divide(*draw(st.permutations([some, draw(st.sampled_from(scalars))])))
        case 5:
            return power(some, draw(st.sampled_from(scalars)))
        case 6:
            return negate(some)
        case 7 if square:
            name = draw(st.sampled_from(["inv", "det", "adj"]))
            return apply(name, draw(st.sampled_from(square)))
        case 8 if square:
            return cofactors(draw(st.integers(0, 2)), draw(st.sampled_from(square)))
        case 9:
            return _product(draw, (some,))
        case 10:
            return _product(draw, (some, draw(st.sampled_from(pool))))
        case 11:
            return _indicator(draw, draw(st.lists(draw_size, max_size=3)))
        case _:
            name = draw(st.sampled_from(ELEMENTWISE))
            others = [draw(st.sampled_from(alike)) for _ in range(FUNCTIONS[name].arity - 1)]
            return apply(name, some, *others)


def _indicator(draw: st.DrawFn, dims: list[str | int]) -> Term:
    keys = st.sampled_from([*range(len(dims)), "", "n1", "A_1", "two words"])
    form = st.lists(st.tuples(keys, st.integers(-3, 3)), unique_by=lambda t: t[0], max_size=3)
    relation = st.sampled_from(["=", ">=", 2, 3])
    drawn = draw(st.lists(st.tuples(relation, form), max_size=3))
    return indicator(dims, [(r, affine.form(f)) for r, f in drawn])


def _product(draw: st.DrawFn, operands: tuple[Term, ...]) -> Term:
    """Indices at random, as long as equal ones have equal sizes."""
    sizes: list[str | int] = []
    spec: list[list[int]] = []
    for operand in operands:
        part: list[int] = []
        for own in operand.dims:
            known = [i for i, other in enumerate(sizes) if other == own]
            index = draw(st.sampled_from([*known, len(sizes)]))
            if index == len(sizes):
                sizes.append(own)
            part.append(index)
        spec.append(part)
    output = draw(st.permutations(range(len(sizes))))[: draw(st.integers(0, 4))]
    return einsum((*map(tuple, spec), tuple(output)), *operands)
