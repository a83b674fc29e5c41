"""Random well-typed terms that have a derivative, for the fuzzer and for properties."""

from fractions import Fraction
from random import Random
from typing import Any

from eggrad.engine.indices.spec import canonical
from eggrad.engine.terms import term as t
from eggrad.engine.terms.functions import UNARY
from eggrad.engine.terms.term import Term

# Size symbols, and integers now and then.
SIZES = ("m", "n", "m", "n", "n", 2)
ORDERS = {"c": 0, "x": 1, "y": 1, "A": 2, "B": 2, "T": 3, "Q": 4}
NAMES = ("c", "x", "x", "y", "A", "A", "B", "S", "S", "T", "Q")
SMOOTH = ("sin", "cos", "arctan", "tanh", "exp", "relu", "abs", "sign", "tan", "log")
INVERSE = ("arcsin", "arccos")
MATRIX_FUNCTIONS = ("inv", "det", "adj")
ROUNDED = ("floor", "ceil", "trunc", "round")
# What else is added to the language.
SMOOTH += tuple(f for f in UNARY if f not in (*SMOOTH, *INVERSE, *ROUNDED, "logical_not"))
EXTREMES = ("maximum", "minimum", "mod", "pow")
TESTS = ("greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or")
EXPONENTS = (2, 3, 2, 3, 1, 0, -1, -2, *map(Fraction, ("1/2", "-1/2", "3/2", "5/3", "1/3")))
NUMBERS = (0, 1, -1, 2, 3, -2, *map(Fraction, ("1/2", "1/3", "-3/4", "0.1")))
MAX_ORDER = 4
MAX_JOINT = 6


def random_expression(random: Random, most: int = 12, *, kinked: bool = False) -> tuple[Term, Term]:
    """A term of 3 to `most` nodes, and a variable that occurs in it.

    With `kinked`, maxima, remainders, roundings, tests and choices occur as well.

    >>> term, x = random_expression(Random(0))
    >>> x in t.variables(term)
    True
    """
    while True:
        pool = _variables(random)
        for _ in range(random.randint(1, most)):
            new = _grown(random, pool, kinked)
            if new.order <= MAX_ORDER:
                pool.append(new)
        root = pool[-1]
        found = t.variables(root)
        if found and 3 <= sum(1 for _ in t.postorder(root)) <= most:
            return root, random.choice(found)


def _variables(random: Random) -> list[Term]:
    names = {random.choice(NAMES) for _ in range(random.randint(1, 3))}
    pool: list[Term] = []
    for name in sorted(names):
        if name == "S":
            size = random.choice(SIZES)
            assume = random.choice(([], ["invertible"], ["positive definite"]))
            pool.append(t.variable(name, (size, size), assume))
        else:
            dims = [random.choice(SIZES) for _ in range(ORDERS[name])]
            pool.append(t.variable(name, dims, random.choice(([], [], ["positive"]))))
    return pool


def _grown(random: Random, pool: list[Term], kinked: bool) -> Term:
    """A new term, most often of the newest one, so that functions are nested."""
    a = pool[-1] if random.random() < 0.6 else random.choice(pool)
    square = [b for b in pool if b.order == 2 and b.dims[0] == b.dims[1]]
    scalars = [b for b in pool if not b.dims]
    if kinked and random.random() < 0.12:
        return _kinked(random, pool, a)
    kind = random.choices(
        ("product", "function", "sum", "unary", "power", "quotient", "matrix", "number", "other"),
        (30, 20, 16, 8, 8, 8, 9, 4, 4),
    )[0]
    match kind:
        case "function":
            return _function(random, a)
        case "sum":
            return random.choice((t.add, t.subtract))(
                *_shuffled(random, a, _alike(random, pool, a))
            )
        case "unary":
            return _product(random, [a])
        case "power":
            if scalars and random.random() < 0.15:
                return t.power(a, random.choice(scalars))
            return t.power(a, t.constant(random.choice(EXPONENTS)))
        case "quotient":
            return _quotient(random, pool, a)
        case "matrix" if square:
            return _matrix_function(random, random.choice(square))
        case "number":
            number = t.constant(random.choice(NUMBERS))
            return t.einsum(canonical([(), range(a.order)], range(a.order)), number, a)
        case "other":
            return random.choice(
                (t.negate(a), _product(random, [a, t.delta(_some_dims(random, a))]))
            )
        case _:
            return _product(random, _shuffled(random, a, random.choice(pool)))


def _shuffled(random: Random, a: Term, b: Term) -> list[Term]:
    return [a, b] if random.random() < 0.5 else [b, a]


def _some_dims(random: Random, a: Term) -> list[Any]:
    return random.sample(a.dims, min(a.order, random.randint(0, 2))) or [random.choice(SIZES)]


def _alike(random: Random, pool: list[Term], a: Term) -> Term:
    """A term with the same axes: one that is there, a number, a delta, or a scalar spread out."""
    half = a.order // 2
    choices = [b for b in pool if b.dims == a.dims]
    choices.append(t.constant(random.choice(NUMBERS), a.dims))
    if a.order and a.dims[:half] == a.dims[half:]:
        choices.append(t.delta(a.dims[:half]))
    return random.choice(choices)


def _function(random: Random, a: Term) -> Term:
    """A function of every entry; those with a domain often get an argument that is inside."""
    one = t.constant(1, a.dims)
    match random.randint(0, 11):
        case 0:
            return t.apply(random.choice(INVERSE), a)
        case 1:
            return t.apply(random.choice(INVERSE), t.apply("tanh", a))
        case 2:
            return t.apply("log", t.add(one, t.apply("exp", a)))
        case 3:
            return t.apply("log", t.add(t.power(a, t.constant(2)), one))
        case _:
            return t.apply(random.choice(SMOOTH), a)


def _kinked(random: Random, pool: list[Term], a: Term) -> Term:
    """A rounding, an extreme, a test, a choice, or what is logarithmic or a sign of a matrix."""
    b = _alike(random, pool, a)
    square = [c for c in pool if c.order == 2 and c.dims[0] == c.dims[1]]
    match random.randint(0, 4):
        case 0:
            return t.apply(random.choice(ROUNDED), a)
        case 1:
            return t.apply(random.choice(EXTREMES), a, b)
        case 2:
            return t.apply(random.choice(TESTS), a, b)
        case 3 if square:
            return t.apply(random.choice(("logabsdet", "signdet")), random.choice(square))
        case _:
            test = t.apply(random.choice(TESTS), b, t.constant(random.choice(NUMBERS), a.dims))
            if random.random() < 0.3:
                test = t.apply("logical_not", test)
            return t.apply("where", test, a, _alike(random, pool, a))


def _quotient(random: Random, pool: list[Term], a: Term) -> Term:
    scalars = [b for b in pool if not b.dims]
    match random.randint(0, 3):
        case 0:
            squares = t.power(a, t.constant(2))
            return t.divide(a, t.add(t.constant(1, a.dims), squares))
        case 1 if scalars:
            return t.divide(*_shuffled(random, a, random.choice(scalars)))
        case _:
            return t.divide(*_shuffled(random, a, _alike(random, pool, a)))


def _matrix_function(random: Random, a: Term) -> Term:
    if random.random() < 0.1:
        return t.cofactors(random.randint(0, 2), a)
    if random.random() < 0.3:
        # Diagonally dominant, where entries are moderate.
        three = t.einsum(canonical([(), (0, 1)], (0, 1)), t.constant(4), t.delta(a.dims[:1]))
        a = t.add(three, a)
    return t.apply(random.choice(MATRIX_FUNCTIONS), a)


def _product(random: Random, operands: list[Term]) -> Term:
    """Indices at random: equal, repeated in one operand, summed, and in any order."""
    sizes: list[Any] = []
    spec: list[list[int]] = []
    fresh = random.choice((0.2, 0.6))
    for operand in operands:
        part: list[int] = []
        for own in operand.dims:
            known = [i for i, other in enumerate(sizes) if other == own]
            if not known or (len(sizes) < MAX_JOINT and random.random() < fresh):
                known = [len(sizes)]
                sizes.append(own)
            part.append(random.choice(known))
        spec.append(part)
    kept = random.sample(range(len(sizes)), random.randint(0, min(MAX_ORDER, len(sizes))))
    return t.einsum(canonical(spec, kept), *operands)
