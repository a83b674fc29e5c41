"""Random sums and products on which laws on whole sums and products have something to find."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from eggrad.engine.indices.affine import form
from eggrad.engine.indices.spec import canonical, scaling
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.term import Term

SIZES: Final = {"i": 2, "j": 2, "k": 3, "l": 3, "m": 1}

# Terms do not outlive e-graphs, in which arrays are names.
PLACES: Final = (fixed_array([0, 1, 1]), fixed_array([1, 0, 1]))

Factor = tuple[Term, str]


def _dims(indices: str) -> tuple[int, ...]:
    return tuple(SIZES[i] for i in indices)


def multiple(number: int, term: Term) -> Term:
    """A term times a number."""
    return terms.einsum(scaling(term.order), terms.constant(number), term)


def _shuffled(rng: np.random.Generator, items: Sequence[str]) -> str:
    return "".join(items[int(k)] for k in rng.permutation(len(items)))


def product(factors: Sequence[Factor], out: str, rng: np.random.Generator) -> Term:
    """The product, over all indices but those of `out`, of factors nested in a random order."""
    pool = list(factors)
    while len(pool) > 1:
        left, right = (pool.pop(int(rng.integers(len(pool)))) for _ in range(2))
        later = {*out, *(i for _, part in pool for i in part)}
        kept = _shuffled(rng, sorted({*left[1], *right[1]} & later)) if pool else out
        pool.append((terms.einsum(canonical([left[1], right[1]], kept), left[0], right[0]), kept))
    return pool[0][0]


def total(summands: Sequence[tuple[int, Term]], rng: np.random.Generator) -> Term:
    """The sum of multiples, nested in a random order, with random use of differences."""
    pool = [multiple(c, t) if c != 1 else t for c, t in summands]
    while len(pool) > 1:
        a, b = (pool.pop(int(rng.integers(len(pool)))) for _ in range(2))
        pool.append(terms.add(a, b) if rng.random() < 0.6 else terms.subtract(a, terms.negate(b)))
    return pool[0]


def random_factors(rng: np.random.Generator, count: int) -> list[Factor]:
    """Variables, powers of one base, deltas, numbers and a matrix with its inverse."""
    a = terms.variable("a", _dims("i"))
    matrix = terms.variable("M", _dims("kl"), ["invertible"])
    choices: list[Factor] = [
        (a, "i"),
        (a, "j"),
        (terms.power(a, terms.constant(2)), "i"),
        (terms.add(terms.power(a, terms.constant(-1)), terms.variable("g", _dims("i"))), "i"),
        (terms.apply("exp", a), "i"),
        (terms.variable("A", _dims("ij")), "ij"),
        (terms.variable("A", _dims("ij")), "ji"),
        (terms.variable("B", _dims("jk")), "jk"),
        (matrix, "kl"),
        (terms.apply("inv", matrix), "kl"),
        (terms.apply("inv", matrix), "lk"),
        (terms.apply("adj", matrix), "kl"),
        (terms.delta(_dims("i")), "ij"),
        (terms.constant(1, _dims("k")), "k"),
        (terms.variable("c"), ""),
        (terms.variable("v", _dims("km")), "km"),
    ]
    return [choices[int(k)] for k in rng.integers(len(choices), size=count)]


def random_roots(rng: np.random.Generator) -> list[Term]:
    """Two nestings each of a product and of a sum of products that may share factors."""
    factors = random_factors(rng, int(rng.integers(3, 6)))
    present = sorted({i for _, part in factors for i in part})
    out = _shuffled(rng, present)[: int(rng.integers(0, 4))]
    roots = [product(factors, out, rng), product(factors, out, rng)]
    other = terms.variable("t", _dims(out))
    summands = [(int(rng.choice([1, 2, 2, -1])), product(factors, out, rng)) for _ in range(2)]
    more = [*factors[:-1], (terms.variable("b", _dims(factors[-1][1])), factors[-1][1])]
    summands += [(int(rng.choice([1, 2])), product(more, out, rng))]
    summands += [(int(rng.choice([1, 2])), other)] * int(rng.integers(0, 2))
    sums = [total(summands, rng), total(summands, rng)]
    turned = total([(-c, t) for c, t in summands], rng)
    more_roots = [mirrored(rng), turned, triangular(rng), *bilinear(rng), pairwise_slope(rng)]
    last = [with_free_exponents(rng), of_choices(rng), centred(rng)]
    last += [with_powers_of_sum(rng), of_units(rng)]
    last += [divided_by_rest(rng), with_few_entries(rng), *with_words(rng)]
    return [*roots, *sums, *more_roots, *of_one_matrix(rng), *last]


def with_free_exponents(rng: np.random.Generator) -> Term:
    """A sum of products with powers whose exponents are one variable, and a number more."""
    base, other = (terms.variable(name, _dims("i")) for name in "yz")
    exponent = terms.variable("e")
    raised = terms.add(exponent, terms.constant(int(rng.choice([-1, 1, 2]))))
    summands = [(1, product([(terms.power(base, exponent), "i"), (other, "i")], "i", rng))]
    return total([*summands, (int(rng.choice([1, 3])), terms.power(base, raised))], rng)


def with_powers_of_sum(rng: np.random.Generator) -> Term:
    """A sum of products with two powers of one sum, of which a part cancels."""
    y = terms.variable("y", _dims("i"))
    square = terms.power(y, terms.constant(2))
    base = terms.add(square, terms.constant(3, _dims("i")))
    low = terms.Fraction(int(rng.choice([-1, -2, -3])), 2)
    powers = [terms.power(base, terms.constant(p)) for p in (low, low + 1)]
    lower = product([(square, "i"), (powers[0], "i")], "i", rng)
    return total([(-2, lower), (2, powers[1])], rng)


def divided_by_rest(rng: np.random.Generator) -> Term:
    """A scalar product of which one factor is a multiple of the inverse of the whole."""
    a, b = (terms.variable(name, _dims("k")) for name in ("over", "under"))
    inverse = terms.power(product([(a, "k"), (b, "k")], "", rng), terms.constant(-1))
    return product([(a, "k"), (b, "k"), (inverse, "")], "", rng)


def with_words(rng: np.random.Generator) -> list[Term]:
    """A mean, a base beside its power, a sum with an inverse in it, determinants of a square."""
    (i,) = _dims("i")
    entries = terms.variable("f", ("n",))
    reciprocal = terms.power(terms.size("n"), terms.constant(-1))
    a, b = (terms.variable(name, (i,)) for name in ("near", "far"))
    base = product([(a, "i"), (b, "i")], "i", rng)
    raised = terms.power(base, terms.variable("e"))
    q, r, s = (terms.variable(name, (i, i), ["invertible"]) for name in "QRS")
    inverse = terms.apply("inv", terms.einsum("ij,jk->ik", r, s))
    determinant = terms.apply("det", terms.einsum("ij,jk->ik", q, q))
    return [
        product([(entries, "k"), (reciprocal, ""), (terms.variable("c"), "")], "", rng),
        product([(a, "i"), (b, "i"), (raised, "i")], "i", rng),
        product([(total([(1, q), (1, inverse)], rng), "ij"), (r, "jk")], "ik", rng),
        terms.add(determinant, terms.apply("log", determinant)),
    ]


def of_units(rng: np.random.Generator) -> Term:
    """A sum with the unit vector in one term, times a tensor with the same axis."""
    a, b, c = (terms.variable(name, _dims("k")) for name in ("one", "rest", "beside"))
    unit = terms.indicator(_dims("k"), (("=", form([(0, 1), ("", -1)])),))
    summands = [(1, product([(unit, "k"), (a, "k")], "k", rng)), (int(rng.choice([1, -2])), b)]
    return product([(total(summands, rng), "k"), (c, "k")], "k" * int(rng.integers(2)), rng)


def of_choices(rng: np.random.Generator) -> Term:
    """A sum of multiples of choices, two of them by one condition, and of another tensor."""
    a, b, c, d = (terms.variable(name, _dims("i")) for name in "hlno")
    tests = [terms.apply("greater", a, b), terms.apply("greater_equal", c, d)]
    pairs = [(a, b), (b, terms.constant(0, _dims("i"))), (c, d)]
    chosen = [
        terms.apply("where", tests[k], *pair) for k, pair in zip((0, 0, 1), pairs, strict=True)
    ]
    return total([(int(rng.choice([1, 2, -1])), t) for t in (*chosen, d)], rng)


def of_masks(rng: np.random.Generator) -> Term:
    """A sum of choices by two conditions, each between something and 0, divided by a tensor."""
    a, b, c, d = (terms.variable(name, _dims("i")) for name in "hlno")
    zero = terms.constant(0, _dims("i"))
    first = terms.apply("where", terms.apply("greater", a, b), c, zero)
    second = terms.apply("where", terms.apply("greater", c, d), zero, b)
    masks = total([(int(rng.choice([1, 2, -1])), first), (1, second)], rng)
    divisor = terms.power(d, terms.constant(-1))
    return product([(masks, "i"), (divisor, "i")], "i" * int(rng.integers(2)), rng)


def centred(rng: np.random.Generator) -> Term:
    """A weighted sum over an axis of entries from which one number for each row is taken."""
    entries, weights = (terms.variable(name, _dims("jk")) for name in "BW")
    ones = terms.constant(1, _dims("k"))
    numbers = product([(terms.variable("a", _dims("j")), "j"), (ones, "k")], "jk", rng)
    rest = total([(1, entries), (int(rng.choice([-1, 2])), numbers)], rng)
    return product([(rest, "jk"), (weights, "jk")], "j", rng)


def of_one_matrix(rng: np.random.Generator) -> list[Term]:
    """A product that has a matrix twice, one with an inverse, and a sum with one at its end."""
    (i,) = _dims("i")
    a, b, m = (terms.variable(name, (i, i), ["invertible"]) for name in "QRS")
    u, v, d = (terms.variable(name, (i,)) for name in "pqr")
    inverse = terms.apply("inv", product([(a, "ij"), (b, "jk")], "ik", rng))
    outer: list[Factor] = [(u, "i"), (v, "k"), (m, "kj")]
    return [
        product([(m, "ij"), (m, "jk"), (a, "kl")], "il", rng),
        product([(inverse, "ij"), (a, "jk"), (m, "kl")], "il", rng),
        total(
            [(2, product([(d, "i"), (m, "ij")], "ij", rng)), (1, product(outer, "ij", rng))], rng
        ),
    ]


def mirrored(rng: np.random.Generator) -> Term:
    """A product with a mirror image, J'DJ with J a product itself, D at times a sum."""
    (i,), (k,) = _dims("i"), _dims("k")
    first, second = terms.variable("A", (i, i)), terms.variable("P", (i, k))
    d = terms.variable("d", (k,))
    left: list[Factor] = [(first, "ia"), (second, "ak")]
    if rng.random() < 0.3:
        return product([(second, "ik"), (d, "k"), (second, "jk")], "ij", rng)
    if rng.random() < 0.5:
        return product([*left, (d, "k"), (first, "jb"), (second, "bk")], "ij", rng)
    diagonal = terms.einsum("i,ij->ij", d, terms.delta((k,)))
    middle = terms.subtract(diagonal, terms.einsum("i,j->ij", d, d))
    return product([*left, (middle, "kl"), (first, "jb"), (second, "bl")], "ij", rng)


def triangular(rng: np.random.Generator) -> Term:
    """A product with two running sums at once: of what is at neither of two places, say."""
    both = [(">=", ((0, 1), (2, -1))), (">=", ((1, 1), (2, -1)))]
    triangles = terms.indicator(_dims("ijk"), both)
    weights = terms.variable("d", _dims("k"))
    factors: list[Factor] = [(triangles, "ijk"), (weights, "k"), (terms.variable("a", (2,)), "i")]
    return product(factors, _shuffled(rng, "ij"), rng)


def pairwise_slope(rng: np.random.Generator) -> Term:
    """What the derivative of a function of the differences of a vector's entries looks like."""
    (i,) = _dims("i")
    weights, delta = terms.variable("W", (i, i)), terms.delta((i,))
    slopes: list[Factor] = [(weights, "ij"), (terms.variable("A", (i, i)), "ij")]
    left, right = (product([(delta, f"{a}k"), *slopes[:1]], "ijk", rng) for a in "ij")
    return product([(terms.subtract(left, right), "ijk"), *slopes[1:]], _shuffled(rng, "ik"), rng)


def with_few_entries(rng: np.random.Generator) -> Term:
    """Entries at pairs of places, whose places are known or neighbours of one another."""
    weights = terms.variable("d", _dims("k"))
    if rng.random() < 0.5:
        places = [terms.array(PLACES[int(k)]) for k in rng.permutation(2)]
        first, second = (terms.numeric("selection", place, data=_dims("i")) for place in places)
    else:
        shifts = [form([(0, 1), (1, -1), ("", int(k))]) for k in rng.permutation(2)]
        first, second = (terms.indicator((3, 4), [("=", f)]) for f in shifts)
    summands = [(1, first), (int(rng.choice([1, -2])), second)]
    both = total(summands[: int(rng.integers(1, 3))], rng)
    return product([(both, "ki"), (weights, "k"), (second, "kj")], _shuffled(rng, "ij"), rng)


def bilinear(rng: np.random.Generator) -> list[Term]:
    """Two products that have a tensor and a vector in common, perhaps a multiple of it."""
    # Large, so that it matters beside all else.
    size = "n"
    tensor = terms.variable("T", (size, size, size))
    first, second, other = (terms.variable(name, (size,)) for name in "xyz")
    common: list[Factor] = [(tensor, "jkl"), (first, "l")]
    twice = multiple(2, first) if rng.random() < 0.5 else first
    return [
        product([*common, (second, "k")], "j", rng),
        product([(tensor, "jkl"), (twice, "l"), (other, "j")], "k", rng),
    ]


def random_exponentials(rng: np.random.Generator) -> list[Term]:
    """Products, sums and logarithms of rational functions of exponentials, and unit vectors."""
    x, b = terms.variable("x", _dims("i")), terms.variable("b", _dims("i"))
    one = terms.constant(1, _dims("i"))
    plus, minus = terms.apply("exp", x), terms.apply("exp", terms.negate(x))
    pool = [plus, minus, terms.add(one, plus), terms.add(plus, minus), terms.subtract(plus, minus)]
    pool += [terms.add(plus, terms.constant(3, _dims("i"))), terms.apply("tanh", x), b]
    total_of_exp = terms.einsum("i->", plus)
    inverse = [terms.power(t, terms.constant(-1)) for t in (*pool[2:4], total_of_exp)]

    def drawn(count: int) -> Term:
        factors: list[Factor] = [(pool[int(k)], "i") for k in rng.integers(len(pool), size=count)]
        return product([*factors, (inverse[int(rng.integers(3))], "i")], "i", rng)

    inverse[2] = terms.einsum("i,->i", one, inverse[2])
    squares = terms.einsum("i,i->", x, x)
    half = terms.constant(terms.Fraction(-1, 2))
    unit = product([(x, "i"), (b, "i"), (terms.power(squares, half), "")], "i", rng)
    shared = [product([(inverse[2], "i"), (b, "i"), (t, "i")], "i", rng) for t in (x, plus)]
    summands = [(1, drawn(1)), (int(rng.choice([1, -1])), drawn(1))]
    logs = [terms.apply("log", t) for t in (*pool[:4], drawn(1))]
    same = [(1, product([(b, "i"), (t, "i")], "i", rng)) for t in (plus, minus)]
    fraction = product([(total(summands, rng), "i"), (inverse[0], "i")], "i", rng)
    quadratic = terms.add(terms.add(one, plus), terms.power(plus, terms.constant(2)))
    cubic = product([(quadratic, "i"), *[(inverse[0], "i")] * 3], "i", rng)
    signs = [terms.apply(f, t) for f in ("abs", "sign") for t in (squares, pool[2], b)]
    signs += [terms.add(terms.constant(3, _dims("i")), terms.subtract(b, one))]
    share = product([(plus, "i"), (inverse[0], "i")], "i", rng)
    rest = terms.subtract(one, share)
    variance = product([(b, "i"), (b, "i"), (share, "i"), (rest, "i")], "i", rng)
    apart = total([(1, b), (1, one), (1, pool[6])], rng)
    matrix = terms.variable("C", _dims("ij"))
    labelled = total([(1, product([(b, "i"), (inverse[0], "i")], "i", rng)), (1, plus)], rng)
    unlike = total([(1, one), (2, plus), (1, terms.apply("exp", b))], rng)
    under = terms.power(unlike, terms.constant(-1))
    logs.append(terms.apply("log", unlike))
    apart_from_matrix = [
        product([(vector, "i"), (plus, "i"), (matrix, "ij")], "j", rng)
        for vector in (labelled, under)
    ]
    known = [
        *apart_from_matrix,
        drawn(2),
        fraction,
        cubic,
        total(same, rng),
        terms.add(*shared),
        unit,
        *logs,
        *signs,
    ]
    return [*known, variance, apart, vanishing(rng), cancelling(rng)]


def vanishing(rng: np.random.Generator) -> Term:
    """The difference of two functions that are alike near 0, over a power of their operand."""
    dims = _dims("i")
    one = terms.constant(1, dims)
    z = terms.einsum(",i->i", terms.constant(terms.Fraction(1, 4)), terms.variable("x", dims))
    alike = [z, *(terms.apply(f, z) for f in ("sin", "tan", "tanh", "arctan"))]
    alike += [terms.subtract(terms.apply("exp", z), one), terms.apply("log", terms.add(one, z))]
    first, second = (alike[int(k)] for k in rng.choice(len(alike), size=2, replace=False))
    over = terms.power(z, terms.constant(int(rng.integers(-2, 1))))
    return product([(terms.subtract(first, second), "i"), (over, "i")], "i", rng)


def cancelling(rng: np.random.Generator) -> Term:
    """The difference of a function at two places, or of a root and a part of what it is of.

    Or of three fractions.
    """
    dims = _dims("i")
    x, y = (terms.variable(name, dims) for name in "xy")
    way = terms.constant(int(rng.integers(1, 3)), dims) if rng.random() < 0.5 else y
    if rng.random() < 0.3:
        squared = terms.power(x, terms.constant(2))
        root = terms.power(terms.add(squared, way), terms.constant(terms.Fraction(1, 2)))
        return terms.subtract(root, x) if rng.random() < 0.5 else terms.add(x, root)
    places = [terms.add(x, way), x]
    if rng.random() < 0.3:
        below = [*places, terms.subtract(x, way)]
        parts = [terms.power(place, terms.constant(-1)) for place in below]
        return total(list(zip((1, -2, 1), parts, strict=True)), rng)
    exponents = [terms.Fraction(*p) for p in ((-1, 1), (-2, 1), (1, 2), (-1, 2), (2, 3), (1, 7))]
    if rng.random() < 0.5:
        p = terms.constant(exponents[int(rng.integers(len(exponents)))])
        first, second = (terms.power(place, p) for place in places)
    else:
        name = ("sin", "cos", "tan", "arctan", "log")[int(rng.integers(5))]
        first, second = (terms.apply(name, place) for place in places)
    return terms.subtract(first, second) if rng.random() < 0.5 else terms.subtract(second, first)


def long_product(rng: np.random.Generator) -> Term:
    """A product of a few vectors and a matrix, each of them many times."""
    u, v = (terms.variable(name, _dims("i")) for name in ("left", "right"))
    factors = [((u, v)[int(rng.integers(2))], "i") for _ in range(10)]
    return product([(terms.variable("between", _dims("ik")), "ik"), *factors], "ik", rng)


def random_inverses(rng: np.random.Generator) -> list[Term]:
    """The parallel sum and the push-through identity, both sides in some order."""
    (k,), (m,) = _dims("k"), _dims("i")
    a, b = (terms.variable(name, (k, k), ["invertible"]) for name in "MN")
    u, v = terms.variable("U", (m, k)), terms.variable("V", (k, m))

    def inverse(*summands: Term) -> Term:
        return terms.apply("inv", total([(1, t) for t in summands], rng))

    parallel = inverse(inverse(a), inverse(b))
    wide = inverse(terms.delta((m,)), product([(u, "ik"), (v, "kj")], "ij", rng))
    narrow = inverse(terms.delta((k,)), product([(v, "ki"), (u, "il")], "kl", rng))
    return [
        parallel,
        product([(a, "ik"), (inverse(a, b), "kl"), (b, "lm")], "im", rng),
        product([(wide, "ij"), (u, "jk")], "ik", rng),
        product([(u, "ik"), (narrow, "kl")], "il", rng),
    ]
