"""Rational functions of an exponential written as terms that neither overflow nor cancel.

Beside (e-class, axes), the keys of linear forms are terms here: the logarithms that this makes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from typing import Any, Final

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Dims, Indices, canonical, hadamard
from eggrad.engine.networks.exponential_field import (
    ONE,
    Exponential,
    Exponents,
    Polynomial,
    form_of,
    multiple,
    plus,
    polynomial_product,
    polynomial_sum,
    roots_taken,
)
from eggrad.engine.networks.exponential_reading import (
    elements,
    exponential,
    is_call,
    is_exponential,
    linear,
    sums_by_form,
)
from eggrad.engine.networks.networks import raised, scaled
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

HALF = Fraction(1, 2)


class Writer:
    """Terms of one shape."""

    def __init__(self, graph: Snapshot, dims: Dims) -> None:
        """Write terms with axes `dims`."""
        self.graph = graph
        self.dims = dims

    def number(self, c: Fraction) -> Term:
        """The tensor of equal entries."""
        return terms.constant(c, self.dims)

    def log_of(self, c: Fraction) -> Exponents:
        """The logarithm of a number as a linear form."""
        return () if c == 1 else ((terms.apply("log", self.number(c)), Fraction(1)),)

    def key(self, key: Any) -> Term:
        """An e-class, spread over the axes that it has not."""
        if isinstance(key, Term):
            return key
        cls, axes = key
        return self.spread(self.graph.term(cls), axes)

    def spread(self, term: Term, axes: Indices) -> Term:
        """A term, repeated along the axes that it has not."""
        every = tuple(range(len(self.dims)))
        if axes == every:
            return term
        rest = tuple(k for k in every if k not in axes)
        if not rest:
            return terms.einsum(canonical([axes], every), term)
        ones = terms.constant(1, tuple(self.dims[k] for k in rest))
        return terms.einsum(canonical([axes, rest], every), term, ones)

    def total(self, form: Exponents) -> Term:
        """A linear form: the sum that is there already, or a new one, positive terms first."""
        known = sums_by_form(self.graph).get((form, self.dims))
        if known is not None:
            return self.graph.term(known)
        summands = [scaled(c, self.key(key)) for key, c in sorted(form, key=lambda i: i[1] < 0)]
        return reduce(terms.add, summands) if summands else self.number(Fraction(0))

    def product(self, factors: Sequence[Term]) -> Term:
        """An element-wise product."""
        whole = [f for f in factors if not (f.op == "constant" and f.data == 1)]
        times = partial(terms.einsum, hadamard(len(self.dims)))
        return reduce(times, whole) if whole else self.number(Fraction(1))

    def at_half(self, name: str, form: Exponents) -> Term:
        """The hyperbolic function of that name, of half a linear form."""
        half = self.total(multiple(form, HALF))
        return terms.apply(name, half) if name == "tanh" else terms.numeric(name, half)

    def softplus(self, form: Exponents) -> Exponents:
        """`log(1 + exp(form))` as a linear form."""
        return ((terms.numeric("softplus", self.total(form)), Fraction(1)),)

    def log_of_sum(self, e: Exponential, p: Polynomial, shift: Exponents = ()) -> Exponents:
        """The logarithm of a polynomial in q with positive coefficients, times `exp(shift)`."""
        logs = [plus(plus(shift, e.step, j), self.log_of(c)) for j, c in enumerate(p) if c]
        added = partial(terms.numeric, "logaddexp")
        return logs[0] if len(logs) == 1 else ((reduce(added, map(self.total, logs)), Fraction(1)),)

    def difference(self, form: Exponents) -> Term:
        """The exponential of a linear form that is never above 0."""
        low = [(key, -c) for key, c in form if c < 0]
        high = [(key, c) for key, c in form if c > 0]
        return terms.numeric("exp_difference", self.total(tuple(high)), self.total(tuple(low)))


@dataclass(frozen=True)
class Factored:
    """`number * exp(rest) * q^m * (q - 1)^a * (q + 1)^b * others(q)`, with `q = exp(z)`."""

    number: Fraction
    rest: Exponents
    z: Exponents
    m: Fraction
    a: int
    b: int
    others: Polynomial


def factored(writer: Writer, e: Exponential) -> Factored | None:
    """The element by its zeros and poles at 1 and -1, after scaling q so that they are there."""
    top, bottom = e.numerator, e.denominator
    scale = _scale_of(bottom if len(bottom) > 1 else top)
    top, bottom = (tuple(c * scale**k for k, c in enumerate(p)) for p in (top, bottom))
    (others, a1), (below, a2) = (roots_taken(p, Fraction(1)) for p in (top, bottom))
    (others, b1), (below, b2) = (roots_taken(p, Fraction(-1)) for p in (others, below))
    if len(below) != 1:
        return None
    key, c = e.step[0] if e.step else (None, Fraction(1))
    m = dict(e.form).get(key, Fraction(0)) / c
    if scale != 1 and m.denominator != 1:
        return None
    number = others[-1] / below[0] * (scale ** int(m) if scale != 1 else 1)
    z = plus(e.step, writer.log_of(scale), -1) if e.step else ()
    rest = plus(e.form, e.step, -m)
    return Factored(number, rest, z, m, a1 - a2, b1 - b2, tuple(c / others[-1] for c in others))


def _scale_of(p: Polynomial) -> Fraction:
    """The absolute value that all roots may have; 1 where 1 or -1 is a root."""
    one, minus = (roots_taken(p, Fraction(r))[1] for r in (1, -1))
    k = len(p) - 1
    if one or minus or k < 1 or not p[k - 1]:
        return Fraction(1)
    return abs(p[k - 1] / (k * p[k]))


def written(
    graph: Snapshot, way: Callable[[Writer, Exponential], Iterator[Term]]
) -> Iterator[tuple[int, Term]]:
    """What one of the functions below makes of each class that is no mere number."""
    for cls, element in elements(graph).items():
        if is_exponential(element):
            yield from ((cls, term) for term in way(Writer(graph, graph.dims[cls]), element))


def stable_terms(writer: Writer, element: Exponential) -> Iterator[Term]:
    """Forms of a rational function of one exponential that neither overflow nor cancel."""
    ways = (written_tangents, written_products, written_in_tangents, written_sums)
    return chain.from_iterable(way(writer, element) for way in ways)


def written_products(writer: Writer, e: Exponential) -> Iterator[Term]:
    """Forms of an element that neither overflow on the way nor cancel."""
    f = factored(writer, e)
    if f is None:
        return
    if not e.step:
        if f.rest and (_is_bounded(writer.graph, f.rest) or f.number != 1 or len(f.rest) > 1):
            yield scaled(f.number, writer.product(_exponentials(writer, f.rest)))
        return
    m, a, b = f.m, f.a, f.b
    if len(f.others) > 1:
        return
    factors: list[Term] = []
    if a * b < 0:
        pairs = min(abs(a), abs(b))
        sign = 1 if a > 0 else -1
        factors.append(raised(writer.at_half("tanh", f.z), sign * pairs))
        a, b = a - sign * pairs, b + sign * pairs
    paired = [*factors]
    number = f.number
    if a < 0 or (a > 0 and b == 0):
        # exp(z) - 1 = -exp(z) * (exp(-z) - 1): as many of one sign as there are exponentials.
        sign = 1 if a > 0 else -1
        turned = int(min(max(-sign * m, 0), abs(a))) if m.denominator == 1 else 0
        for count, k in ((abs(a) - turned, 1), (turned, -1)):
            if count:
                base = terms.numeric("expm1", writer.total(multiple(f.z, k)))
                factors.append(raised(base, sign * count))
        if 2 * m == -a and b == 0:
            both = raised(writer.at_half("sinh", f.z), a)
            whole = writer.product([*paired, both, *_exponentials(writer, f.rest)])
            yield scaled(f.number * Fraction(2) ** a, whole)
        number *= (-1) ** turned
        m, a = m + sign * turned, 0
    if b > 0 or a:
        if a == 0 and 2 * m == -b and not (factors or f.rest):
            both = raised(writer.at_half("cosh", f.z), b)
            yield scaled(number * Fraction(2) ** b, both)
        return
    for term in _fractions(writer, f, m, -b):
        yield scaled(number, writer.product([*factors, term]))


def written_tangents(writer: Writer, e: Exponential) -> Iterator[Term]:
    """An element that is a multiple of a power of `tanh(z / 2)`."""
    f = factored(writer, e)
    if f is not None and f.a == -f.b != 0 and not (f.m or f.rest or len(f.others) > 1):
        yield scaled(f.number, raised(writer.at_half("tanh", f.z), f.a))


def written_sums(writer: Writer, e: Exponential) -> Iterator[Term]:
    """An element with other zeros or poles than 1 and -1, as a sum of terms that are at most 1."""
    f = factored(writer, e)
    if f is None:
        yield from _over_logarithm(writer, e)
        return
    if len(f.others) == 1 or f.b >= 0 or f.a < 0:
        return
    others = f.others
    for _ in range(f.a):
        others = tuple(x - y for x, y in zip((Fraction(0), *others), (*others, 0), strict=True))
    if f.m >= 0 and f.m + len(others) - 1 <= -f.b:
        summands = [
            scaled(f.number * c, next(_fractions(writer, f, f.m + j, -f.b)))
            for j, c in enumerate(others)
            if c
        ]
        yield reduce(terms.add, summands)


def _over_logarithm(writer: Writer, e: Exponential) -> Iterator[Term]:
    """An element over a sum of exponentials, by the logarithm of that sum."""
    if min(e.denominator) >= 0:
        low = plus((), writer.log_of_sum(e, e.denominator), -1)
        summands = [
            scaled(c, writer.difference(plus(plus(low, e.form), e.step, j)))
            for j, c in enumerate(e.numerator)
            if c
        ]
        yield reduce(terms.add, summands)


# A polynomial in tanh keeps its digits where it is not much smaller than its terms at both ends.
MAX_TANGENTS: Final = 4
MOST_CANCELLED: Final = 8


def written_in_tangents(writer: Writer, e: Exponential) -> Iterator[Term]:
    """An element with other zeros than 1 and -1 as a polynomial in `t = tanh(z / 2)`.

    Where it goes to 0 at both ends alike, a power of `cosh(z / 2)` takes it there.
    """
    f = factored(writer, e)
    if f is None or f.a < 0 or f.rest or not 1 < len(f.others) <= MAX_TANGENTS + 1:
        return
    if f.m < 0 or 2 * f.m + f.a + len(f.others) - 1 != -f.b:
        return
    coefficients = in_tangents(f.others)
    least = min(abs(f.others[0]), abs(f.others[-1]))
    if sum(map(abs, coefficients)) > MOST_CANCELLED * least:
        return
    t = writer.at_half("tanh", f.z)
    summands = [
        scaled(c, raised(t, k)) if k else writer.number(c) for k, c in enumerate(coefficients) if c
    ]
    factors = [raised(t, f.a)] if f.a else []
    if f.m:
        factors.append(raised(writer.at_half("cosh", f.z), -2 * f.m))
    number = f.number * HALF ** int(2 * f.m)
    yield scaled(number, writer.product([*factors, reduce(terms.add, summands)]))


def in_tangents(p: Polynomial) -> Polynomial:
    """The polynomial in `t = (q - 1) / (q + 1)` that is `p(q) / (q + 1)^d`, of degree d as p is.

    >>> [int(c) for c in in_tangents((Fraction(8), Fraction(-32), Fraction(8)))]
    [-4, 0, 12]
    """
    high, low, degree = (HALF, HALF), (HALF, -HALF), len(p) - 1
    powers = ([high] * j + [low] * (degree - j) for j in range(degree + 1))
    terms_of = (
        reduce(polynomial_product, factors, (c,)) for c, factors in zip(p, powers, strict=True)
    )
    return reduce(polynomial_sum, terms_of, ())


def _exponentials(writer: Writer, rest: Exponents) -> list[Term]:
    return [_exponential(writer, rest, Fraction(0), 0, ())] if rest else []


def _fractions(writer: Writer, f: Factored, m: Fraction, k: int) -> Iterator[Term]:
    """`exp(rest) * q^m / (1 + q)^k`."""
    if not k and not m and not f.rest:
        yield writer.number(Fraction(1))
        return
    if not f.rest and k and m.denominator == 1 and 0 <= m <= k:
        # These have a value at infinity too, where exp(m z - k log(1 + exp z)) has none.
        powers = [(s, p) for s, p in ((1, int(m)), (-1, k - int(m))) if p]
        shares = [(terms.numeric("sigmoid", writer.total(multiple(f.z, s))), p) for s, p in powers]
        yield writer.product([raised(share, p) for share, p in shares])
    else:
        yield _exponential(writer, f.rest, m, k, f.z)
        if k:
            yield _exponential(writer, f.rest, k - m, k, multiple(f.z, -1))
    if not f.rest and k and 2 * m == k:
        yield scaled(HALF**k, raised(writer.at_half("cosh", f.z), -k))


def _exponential(writer: Writer, rest: Exponents, m: Fraction, k: int, z: Exponents) -> Term:
    """`exp(rest + m * z - k * softplus(z))`, as a difference where it is known to be at most 1."""
    form = plus(rest, multiple(z, m))
    if k:
        form = plus(form, writer.softplus(z), -k)
    if 0 <= m <= k and (not rest or _is_bounded(writer.graph, rest)):
        return writer.difference(form)
    return terms.apply("exp", writer.total(form))


def _is_bounded(graph: Snapshot, form: Exponents) -> bool:
    """Whether a form is a sum of multiples of `a - log(sum(exp(a)))`."""
    rest = form
    for key, c in form:
        if c < 0 and not isinstance(key, Term):
            cls, axes = key
            for member in graph.members[cls]:
                if member.constructor == "numeric" and member.data[0] == "logsumexp":
                    source, kept = member.data[1]
                    if tuple(range(len(source))) != source:
                        continue
                    inner = linear(graph, member.children[0])
                    moved = _placed(inner, rest, dict(zip(kept, axes, strict=True)))
                    if moved is not None:
                        rest = plus(rest, ((key, c),), -1)
                        rest = plus(rest, moved, c)
    return bool(form) and not rest


def _placed(inner: Exponents, rest: Exponents, kept: dict[int, int]) -> Exponents | None:
    """What is under a sum, on axes that agree with those kept, if the rest has it there."""
    for (first, _), _ in inner[:1]:
        for key, _ in rest:
            if isinstance(key, Term):
                continue
            cls, axes = key
            if cls == first and all(axes[i] == k for i, k in kept.items()):
                return form_of(
                    ((c, tuple(axes[i] for i in part)), number) for (c, part), number in inner
                )
    return None


def logarithms_of_elements(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The logarithms of rational functions of one exponential, without overflow."""
    for cls in graph.classes:
        for member in graph.members[cls]:
            element = exponential(graph, member.children[0]) if is_call(member, "log") else None
            # That log a = log exp log a vouches for nothing.
            if element is not None and (element.step or element.form != linear(graph, cls)):
                for term in _logarithms(Writer(graph, graph.dims[cls]), element):
                    yield cls, term


def _logarithms(writer: Writer, e: Exponential) -> Iterator[Term]:
    """Forms of the logarithm of an element that neither overflow on the way nor cancel."""
    top, bottom = e.numerator, e.denominator
    is_sum_of_two = bottom == ONE and len(top) == 2 and top[0] > 0 and top[1] > 0
    if is_sum_of_two:
        low = plus(e.form, writer.log_of(top[0]))
        high = plus(plus(e.form, e.step), writer.log_of(top[1]))
        if not low or not high:
            yield terms.numeric("softplus", writer.total(low or high))
        else:
            yield terms.numeric("logaddexp", writer.total(low), writer.total(high))
    f = factored(writer, e)
    if f is None or len(f.others) > 1:
        if min(top) >= 0 and min(bottom) >= 0:
            low = writer.log_of_sum(e, bottom)
            yield writer.total(plus(writer.log_of_sum(e, top, e.form), low, -1))
        return
    outside = plus(f.rest, writer.log_of(abs(f.number)) if f.number else ())
    if f.a == 0 and f.number > 0:
        if f.b and 2 * f.m == -f.b and f.number == HALF**f.b and not f.rest:
            yield scaled(Fraction(f.b), writer.at_half("log_cosh", f.z))
        up, down = f.b + f.m, -f.m
        # a + log(1 + exp(b - a)) has lost b where a is large: log(exp(a) + exp(b)) does without.
        if f.b and up * down >= 0 and not (is_sum_of_two and e.form):
            form = outside
            for k, s in ((up, 1), (down, -1)):
                if k:
                    form = plus(form, writer.softplus(multiple(f.z, s)), k)
            yield writer.total(form)
        elif not f.b and f.rest:
            yield writer.total(outside)
    if f.a == 1 and f.b == 0:
        sign = 1 if f.number < 0 else -1
        inside = multiple(f.z, sign)
        exponent = f.m if sign == 1 else f.m + 1
        form = plus(outside, multiple(f.z, exponent))
        yield writer.total(
            plus(form, ((terms.numeric("log1mexp", writer.total(inside)), Fraction(1)),))
        )
