"""Random well-typed terms, of every operation, for properties."""

from fractions import Fraction

from hypothesis import strategies as st

from eggrad.engine.indices import affine
from eggrad.engine.terms import term as t
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS
from eggrad.engine.terms.term import Term

SIZES = ("m", "n", "A_1", "A_2", "x_1", "n1", "two words", 2, 3)
NAMES = ("A", "B", "x", "y1", "sin", "let", "odd `name`", "t1")
OF_ENTRIES = ("positive", "nonnegative", "integer")
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
        known = (*(w for w, a in ASSUMPTIONS.items() if a.of_matrices), *OF_ENTRIES)
        known = known if square else OF_ENTRIES
        pool.append(t.variable(name, dims, draw(st.lists(st.sampled_from(known), max_size=2))))
        # The size symbols that a plain declaration stands for.
        plain = tuple(f"{name}_{axis + 1}" for axis in range(len(dims)))
        if draw(st.booleans()) and not square:
            pool[-1] = t.variable(name, plain)
    dims = draw(draw_dims)
    pool.append(t.constant(Fraction(draw(NUMBERS)), dims))
    for _ in range(draw(st.integers(0, steps))):
        pool.append(_grown(draw, pool, draw_size))
    return pool[-1]


def _grown(draw: st.DrawFn, pool: list[Term], draw_size: st.SearchStrategy[str | int]) -> Term:
    some = draw(st.sampled_from(pool))
    alike = [p for p in pool if p.dims == some.dims]
    square = [p for p in pool if p.order == 2 and p.dims[0] == p.dims[1]]
    scalars = [p for p in pool if not p.order] + [t.constant(draw(st.integers(-2, 2)))]
    match draw(st.integers(0, 12)):
        case 0:
            return t.constant(Fraction(draw(NUMBERS)), some.dims)
        case 1:
            return t.delta(draw(st.lists(draw_size, max_size=2)))
        case 2:
            return t.size(draw(draw_size))
        case 3:
            return draw(st.sampled_from([t.add, t.subtract, t.divide]))(
                some, draw(st.sampled_from([*alike, t.constant(draw(NUMBERS), some.dims)]))
            )
        case 4:
            return t.divide(*draw(st.permutations([some, draw(st.sampled_from(scalars))])))
        case 5:
            return t.power(some, draw(st.sampled_from(scalars)))
        case 6:
            return t.negate(some)
        case 7 if square:
            name = draw(st.sampled_from(["inv", "det", "adj"]))
            return t.apply(name, draw(st.sampled_from(square)))
        case 8 if square:
            return t.cofactors(draw(st.integers(0, 2)), draw(st.sampled_from(square)))
        case 9:
            return _product(draw, (some,))
        case 10:
            return _product(draw, (some, draw(st.sampled_from(pool))))
        case 11:
            return _indicator(draw, draw(st.lists(draw_size, max_size=3)))
        case _:
            name = draw(st.sampled_from(ELEMENTWISE))
            others = [draw(st.sampled_from(alike)) for _ in range(FUNCTIONS[name].arity - 1)]
            return t.apply(name, some, *others)


def _indicator(draw: st.DrawFn, dims: list[str | int]) -> Term:
    keys = st.sampled_from([*range(len(dims)), "", "n1", "A_1", "two words"])
    form = st.lists(st.tuples(keys, st.integers(-3, 3)), unique_by=lambda pair: pair[0], max_size=3)
    relation = st.sampled_from(["=", ">=", 2, 3])
    drawn = draw(st.lists(st.tuples(relation, form), max_size=3))
    return t.indicator(dims, [(r, affine.form(f)) for r, f in drawn])


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
    return t.einsum((*map(tuple, spec), tuple(output)), *operands)
