"""Sums and products of exponentials, read and written so that nothing overflows or cancels."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import islice, permutations, product
from math import gcd
from typing import Any, Final

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec, canonical, hadamard
from eggrad.engine.networks.networks import (
    Factor,
    Network,
    along_deltas,
    contract,
    linear_forms,
    product_network,
    read_by_operands,
    scaled,
)
from eggrad.engine.networks.sums_and_products import Placed, base_of, multiplied, numbered
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# Rational functions of one exponential, exactly: what sums and products of `exp` and `tanh` are.
#
# An element is `exp(form) * numerator(q) / denominator(q)` with `q = exp(step)`. The forms are
# linear forms over any hashable keys; the polynomials have rational coefficients, lowest first,
# a first coefficient that is not 0, and no common factor.


Form = tuple[tuple[Any, Fraction], ...]
Polynomial = tuple[Fraction, ...]

ONE: Polynomial = (Fraction(1),)
MAX_DEGREE = 12
# Results that are remembered: the same few occur in every layer of a network.
POLYNOMIALS = 1024


def form_of(items: Iterable[tuple[Hashable, Fraction]]) -> Form:
    """A linear form with its keys in order and without zeros."""
    found: dict[Hashable, Fraction] = {}
    for key, c in items:
        found[key] = found.get(key, Fraction(0)) + c
    return tuple(sorted((item for item in found.items() if item[1]), key=repr))


def plus(a: Form, b: Form, times: Fraction = Fraction(1)) -> Form:
    """`a + times * b`.

    >>> plus((("x", Fraction(1)),), (("x", Fraction(1)),), Fraction(-1))
    ()
    """
    return form_of([*a, *((key, times * c) for key, c in b)])


def ratio(a: Form, b: Form) -> Fraction | None:
    """The number k with `a = k * b`, if there is one."""
    if not b or [key for key, _ in a] != [key for key, _ in b]:
        return None
    k = a[0][1] / b[0][1]
    return k if plus(a, b, -k) == () else None


def direction(form: Form) -> Form:
    """The multiple of a form whose first coefficient is 1.

    >>> direction((("x", Fraction(2)), ("y", Fraction(-4))))
    (('x', Fraction(1, 1)), ('y', Fraction(-2, 1)))
    """
    return tuple((key, c / form[0][1]) for key, c in form)


@dataclass(frozen=True)
class Exponential:
    """An element of the field; without a `step` it is a number times `exp(form)`."""

    form: Form = ()
    step: Form = ()
    numerator: Polynomial = ONE
    denominator: Polynomial = ONE

    @property
    def is_bounded(self) -> bool:
        """Whether it is known to be between two numbers, as 1 / (1 + exp(x)) is.

        >>> x = (("x", Fraction(1)),)
        >>> Exponential((), x, (Fraction(1),), (Fraction(1),) * 2).is_bounded
        True
        >>> Exponential(x).is_bounded
        False
        """
        m = ratio(self.form, self.step) if self.form else Fraction(0)
        fits = m is not None and 0 <= m <= len(self.denominator) - len(self.numerator)
        return fits and all(c >= 0 for c in self.denominator)

    def times(self, other: "Exponential") -> "Exponential | None":
        """The product; None where the steps are of different directions, or degrees too high."""
        pair = _aligned(self, other)
        if pair is None:
            return None
        a, b = pair
        return _made(
            plus(a.form, b.form),
            a.step,
            _product(a.numerator, b.numerator),
            _product(a.denominator, b.denominator),
        )

    def power(self, p: Fraction) -> "Exponential | None":
        """A power: any of `exp(form)`, an integer one of the rest."""
        form = form_of((key, p * c) for key, c in self.form)
        if not self.step and self.numerator == ONE:
            return Exponential(form)
        if p.denominator != 1 or abs(p) > MAX_DEGREE:
            return None
        top, bottom = self.numerator, self.denominator
        if p < 0:
            top, bottom = bottom, top
        result = Exponential()
        for _ in range(abs(int(p))):
            again = result.times(Exponential((), self.step, top, bottom))
            if again is None:
                return None
            result = again
        return Exponential(plus(form, result.form), *_rest(result))

    def plus(self, other: "Exponential") -> "Exponential | None":
        """The sum; None where the quotient is no rational function of one exponential."""
        apart = plus(other.form, self.form, Fraction(-1))
        k = Fraction(0)
        a, b = self, other
        if apart:
            if not (a.step or b.step):
                first = apart[0][1]
                step = apart if first > 0 else form_of((key, -c) for key, c in apart)
                a = Exponential(a.form, step, a.numerator, a.denominator)
            pair = _aligned(a, b)
            found = pair and ratio(apart, pair[0].step)
            if pair is None or found is None:
                return None
            if found.denominator > 1:
                pair = (_refined(pair[0], found.denominator), _refined(pair[1], found.denominator))
                found *= found.denominator
            (a, b), k = pair, found
        else:
            pair = _aligned(a, b)
            if pair is None:
                return None
            a, b = pair
        left = _product(a.numerator, b.denominator)
        right = _product(b.numerator, a.denominator)
        shift = (Fraction(0),) * min(abs(int(k)), MAX_DEGREE + 1)
        left, right = (left, shift + right) if k >= 0 else (shift + left, right)
        form = a.form if k >= 0 else b.form
        return _made(form, a.step, _sum(left, right), _product(a.denominator, b.denominator))


def _rest(e: Exponential) -> tuple[Form, Polynomial, Polynomial]:
    return e.step, e.numerator, e.denominator


def _aligned(a: Exponential, b: Exponential) -> tuple[Exponential, Exponential] | None:
    """Both with the same step."""
    if a.step == b.step:
        return a, b
    if not a.step or not b.step:
        step = a.step or b.step
        return (
            Exponential(a.form, step, a.numerator, a.denominator),
            Exponential(b.form, step, b.numerator, b.denominator),
        )
    k = ratio(a.step, b.step)
    if k is None or k <= 0:
        return None
    return _refined(a, k.numerator), _refined(b, k.denominator)


def _refined(e: Exponential, n: int) -> Exponential:
    """The same element with a step n times smaller."""
    step = form_of((key, c / n) for key, c in e.step)
    return Exponential(e.form, step, _spread(e.numerator, n), _spread(e.denominator, n))


def _spread(p: Polynomial, n: int) -> Polynomial:
    gap = (Fraction(0),) * (n - 1)
    return p[:1] + tuple(c for own in p[1:] for c in (*gap, own))


def _made(
    form: Form, step: Form, numerator: Polynomial, denominator: Polynomial
) -> Exponential | None:
    """The element in lowest terms; None where it is 0 or of a high degree."""
    if not any(numerator) or max(len(numerator), len(denominator)) > 2 * MAX_DEGREE:
        return None
    low = next(k for k, c in enumerate(numerator) if c)
    numerator, denominator = _in_lowest_terms(_trimmed(numerator[low:]), denominator)
    form = plus(form, step, Fraction(low))
    if len(numerator) == len(denominator) == 1:
        step = ()
    numerator, denominator, step = _coarsened(numerator, denominator, step)
    return Exponential(form, step, numerator, denominator)


@lru_cache(maxsize=POLYNOMIALS)
def _in_lowest_terms(
    numerator: Polynomial, denominator: Polynomial
) -> tuple[Polynomial, Polynomial]:
    """The same quotient without common factors, and with 1 as the first coefficient below."""
    common = _common(numerator, denominator)
    numerator, _ = divided(numerator, common)
    denominator, _ = divided(denominator, common)
    first = denominator[0]
    return tuple(c / first for c in numerator), tuple(c / first for c in denominator)


def _coarsened(
    numerator: Polynomial, denominator: Polynomial, step: Form
) -> tuple[Polynomial, Polynomial, Form]:
    """The largest step that the element can be written in."""
    places = [k for p in (numerator, denominator) for k, c in enumerate(p) if c]
    n = gcd(*places) or 1
    return numerator[::n], denominator[::n], form_of((key, c * n) for key, c in step)


def _trimmed(p: Polynomial) -> Polynomial:
    while p and not p[-1]:
        p = p[:-1]
    return p


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    n = max(len(a), len(b))
    pad = [(*p, *((Fraction(0),) * (n - len(p)))) for p in (a, b)]
    return _trimmed(tuple(x + y for x, y in zip(*pad, strict=True)))


@lru_cache(maxsize=POLYNOMIALS)
def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    found = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def divided(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder.

    >>> divided((Fraction(-1), Fraction(0), Fraction(1)), (Fraction(1), Fraction(1)))
    ((Fraction(-1, 1), Fraction(1, 1)), ())
    """
    rest, quotient = list(a), [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + len(b) - 1] / b[-1]
        for j, c in enumerate(b):
            rest[k + j] -= quotient[k] * c
    return tuple(quotient), _trimmed(tuple(rest))


def _common(a: Polynomial, b: Polynomial) -> Polynomial:
    """The greatest common divisor, by Euclid."""
    while b:
        a, b = b, divided(a, b)[1]
    return a


@lru_cache(maxsize=POLYNOMIALS)
def roots_taken(p: Polynomial, root: Fraction) -> tuple[Polynomial, int]:
    """A polynomial without the factors `q - root`, and how many there were.

    >>> roots_taken((Fraction(-1), Fraction(0), Fraction(1)), Fraction(1))
    ((Fraction(1, 1), Fraction(1, 1)), 1)
    """
    count = 0
    while len(p) > 1:
        quotient, rest = divided(p, (-root, Fraction(1)))
        if rest:
            break
        p, count = quotient, count + 1
    return p, count


# Reading the e-classes of an e-graph as rational functions of one exponential.

# By what exp -u is multiplied.
HYPERBOLIC: Final = {"cosh": Fraction(1), "sinh": Fraction(-1)}


def elements(graph: Snapshot) -> dict[int, Exponential]:
    """The e-classes that are rational functions of one exponential."""
    return graph.remember("exponentials", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Exponential]:
    def element(cls: int, found: Mapping[int, Exponential]) -> Exponential | None:
        ways = (_element(graph, cls, m, found) for m in graph.members[cls])
        return next((e for e in ways if e is not None), None)

    return read_by_operands(graph, element)


def exponential(graph: Snapshot, cls: int) -> Exponential | None:
    """An e-class as a rational function of one exponential; None for numbers and all else."""
    element = elements(graph).get(cls)
    return element if is_exponential(element) else None


def is_exponential(element: Exponential | None) -> bool:
    """Whether an element is more than a number."""
    return element is not None and bool(element.form or element.step)


def _element(
    graph: Snapshot, cls: int, member: ENode, found: Mapping[int, Exponential]
) -> Exponential | None:
    parts = [found.get(c) for c in member.children]
    order = len(graph.dims[cls])
    match member.constructor, parts:
        case "constant", _:
            number = member.value
            return Exponential(numerator=(number,)) if number else None
        case "function", _ if member.data[0] == "exp":
            return Exponential(linear(graph, member.children[0]))
        case "function", _ if member.data[0] == "tanh":
            return _tanh(linear(graph, member.children[0]))
        case "numeric", _ if member.data[0] in HYPERBOLIC:
            return _hyperbolic(member.data[0], linear(graph, member.children[0]))
        case "scale", [Exponential() as a]:
            return a.times(Exponential(numerator=(member.value,)))
        case "negate", [Exponential() as a]:
            return a.times(Exponential(numerator=(Fraction(-1),)))
        case "add", [Exponential() as a, Exponential() as b]:
            return a.plus(b)
        case "subtract", [Exponential() as a, Exponential() as b]:
            negative = b.times(Exponential(numerator=(Fraction(-1),)))
            return negative and a.plus(negative)
        case "power", [Exponential() as a, Exponential(form=(), step=(), numerator=p)]:
            return a.power(p[0])
        case "ein", [Exponential() as a, Exponential() as b]:
            spec = member.spec
            if not spreads(spec):
                return None
            return spread_over(a, spec[0], spec[2]).times(spread_over(b, spec[1], spec[2]))
        case "divide", [Exponential() as a, Exponential() as b]:
            inverse = b.power(Fraction(-1))
            axes = tuple(range(order))
            own = [axes if graph.dims[c] else () for c in member.children]
            return inverse and spread_over(a, own[0], axes).times(
                spread_over(inverse, own[1], axes)
            )
        case _:
            return None


def _hyperbolic(name: str, form: Form) -> Exponential | None:
    """Cosh u = (exp u + exp -u) / 2, and sinh."""
    if not form:
        return None
    down = form_of((key, -c) for key, c in form)
    both = Exponential(form).plus(Exponential(down, numerator=(HYPERBOLIC[name],)))
    return both and both.times(Exponential(numerator=(Fraction(1, 2),)))


def _tanh(form: Form) -> Exponential | None:
    """Tanh u = (exp 2u - 1) / (exp 2u + 1)."""
    if not form:
        return None
    sign = 1 if form[0][1] > 0 else -1
    step = form_of((key, 2 * sign * c) for key, c in form)
    numerator = (Fraction(-sign), Fraction(sign))
    return Exponential((), step, numerator, (Fraction(1), Fraction(1)))


def spreads(spec: Spec) -> bool:
    """Whether a product sums nothing and one of its operands has all axes of the result."""
    left, right, out = spec
    distinct = len(set(left)) == len(left) and len(set(right)) == len(right)
    return distinct and {*left, *right} == set(out) and set(out) in (set(left), set(right))


def in_result(spec: Spec) -> tuple[Indices, Indices]:
    """Where the result of a product has the axes of each operand."""
    left, right, out = spec
    return tuple(map(out.index, left)), tuple(map(out.index, right))


def spread_over(element: Exponential, part: Indices, out: Indices) -> Exponential:
    """An operand's element in the axes of a product."""
    if part == tuple(range(len(out))) == out:
        return element

    def moved(form: Form) -> Form:
        return form_of(
            ((cls, tuple(out.index(part[k]) for k in axes)), c) for (cls, axes), c in form
        )

    return Exponential(
        moved(element.form), moved(element.step), element.numerator, element.denominator
    )


def linear(graph: Snapshot, cls: int) -> Form:
    """An e-class as a linear form over e-classes that are no sums or multiples."""
    forms = linear_forms(graph, cls)
    if forms:
        found = forms[0][0]
    else:
        base, number = cls, Fraction(1)
        # Each of two opposites is a multiple of the other: the cheaper one is the base.
        while multiples := [m for m in graph.members[base] if _is_of_cheaper(graph, base, m)]:
            number *= multiples[0].value if multiples[0].data else -1
            base = multiples[0].children[0]
        found = {base: number}
    axes = tuple(range(len(graph.dims[cls])))
    return form_of(((c, axes), number) for c, number in found.items())


def _is_of_cheaper(graph: Snapshot, cls: int, m: ENode) -> bool:
    """Whether an e-node of an e-class is a multiple of a cheaper e-class."""
    if m.constructor not in ("scale", "negate"):
        return False
    own, other = ((graph.tree_cost.get(c, 0), c) for c in (cls, m.children[0]))
    return other < own


def _sums_by_form(graph: Snapshot) -> Mapping[tuple[Form, Dims], int]:
    """The e-classes of sums, each by its linear form and axes."""

    def read() -> Mapping[tuple[Form, Dims], int]:
        sums = (cls for cls in reversed(graph.classes) if linear_forms(graph, cls))
        return {(linear(graph, cls), graph.dims[cls]): cls for cls in sums}

    return graph.remember("sums by form", read)


# Rational functions of an exponential written as terms that neither overflow nor cancel.
#
# Beside (e-class, axes), the keys of linear forms are terms here: the logarithms that this makes.


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

    def log_of(self, c: Fraction) -> Form:
        """The logarithm of a number as a linear form."""
        return () if c == 1 else ((terms.apply("log", self.number(c)), Fraction(1)),)

    def key(self, key: Any) -> Term:
        """An e-class, spread over the axes that it has not."""
        if isinstance(key, Term):
            return key
        cls, axes = key
        return self.spread(self.graph.term(cls), axes)

    def spread(self, own: Term, axes: Indices) -> Term:
        """A term, repeated along the axes that it has not."""
        every = tuple(range(len(self.dims)))
        if axes == every:
            return own
        rest = tuple(k for k in every if k not in axes)
        if not rest:
            return terms.einsum(canonical([axes], every), own)
        ones = terms.constant(1, tuple(self.dims[k] for k in rest))
        return terms.einsum(canonical([axes, rest], every), own, ones)

    def total(self, form: Form) -> Term:
        """A linear form: the sum that is there already, or one in an order of its own."""
        known = _sums_by_form(self.graph).get((form, self.dims))
        if known is not None:
            return self.graph.term(known)
        summands = [scaled(c, self.key(key)) for key, c in sorted(form, key=lambda i: i[1] < 0)]
        return reduce(terms.add, summands) if summands else self.number(Fraction(0))

    def product(self, factors: Sequence[Term]) -> Term:
        """An element-wise product."""
        spec = hadamard(len(self.dims))
        whole = [f for f in factors if not (f.op == "constant" and f.data == 1)]
        if not whole:
            return self.number(Fraction(1))
        return reduce(lambda a, b: terms.einsum(spec, a, b), whole)

    def power(self, base: Term, p: Fraction | int) -> Term:
        """A power; the base itself for exponent 1."""
        return base if p == 1 else terms.power(base, terms.constant(p))

    def at_half(self, name: str, form: Form) -> Term:
        """The hyperbolic function of that name, of half a linear form."""
        half = self.total(multiple(form, HALF))
        return terms.apply(name, half) if name == "tanh" else terms.numeric(name, half)

    def softplus(self, form: Form) -> Form:
        """`log(1 + exp(form))` as a linear form."""
        return ((terms.numeric("softplus", self.total(form)), Fraction(1)),)

    def log_of_sum(self, e: Exponential, p: Polynomial, shift: Form = ()) -> Form:
        """The logarithm of a polynomial in q with positive coefficients, times `exp(shift)`."""
        logs = [
            plus(plus(shift, e.step, Fraction(j)), self.log_of(c)) for j, c in enumerate(p) if c
        ]
        if len(logs) == 1:
            return logs[0]
        whole = reduce(
            lambda a, b: terms.numeric("logaddexp", a, b), [self.total(form) for form in logs]
        )
        return ((whole, Fraction(1)),)

    def difference(self, form: Form) -> Term:
        """The exponential of a linear form that is never above 0."""
        low = [(key, -c) for key, c in form if c < 0]
        high = [(key, c) for key, c in form if c > 0]
        return terms.numeric("exp_difference", self.total(tuple(high)), self.total(tuple(low)))


def multiple(form: Form, k: Fraction | int) -> Form:
    """A multiple of a linear form."""
    return form_of((key, k * c) for key, c in form)


@dataclass(frozen=True)
class Factored:
    """`number * exp(rest) * q^m * (q - 1)^a * (q + 1)^b * others(q)`, with `q = exp(z)`."""

    number: Fraction
    rest: Form
    z: Form
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
    z = plus(e.step, writer.log_of(scale), Fraction(-1)) if e.step else ()
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
    graph: Snapshot, write: Callable[[Snapshot, Dims, Exponential], Iterator[Term]]
) -> Iterator[tuple[int, Term]]:
    """What one of the functions below makes of each class that is no mere number."""
    for cls, element in elements(graph).items():
        if is_exponential(element):
            yield from ((cls, term) for term in write(graph, graph.dims[cls], element))


def written_products(graph: Snapshot, dims: Dims, e: Exponential) -> Iterator[Term]:
    """Forms of an element that neither overflow on the way nor cancel."""
    writer = Writer(graph, dims)
    f = factored(writer, e)
    if f is None:
        return
    if not e.step:
        if f.rest and (_is_bounded(graph, f.rest) or f.number != 1 or len(f.rest) > 1):
            yield scaled(f.number, writer.product(_exponentials(writer, f.rest)))
        return
    m, a, b = f.m, f.a, f.b
    if len(f.others) > 1:
        return
    factors: list[Term] = []
    if a * b < 0:
        pairs = min(abs(a), abs(b))
        sign = 1 if a > 0 else -1
        factors.append(writer.power(writer.at_half("tanh", f.z), sign * pairs))
        a, b = a - sign * pairs, b + sign * pairs
    paired = bool(factors)
    number = f.number
    if a < 0 or (a > 0 and b == 0):
        # exp(z) - 1 = -exp(z) * (exp(-z) - 1): as many of one sign as there are exponentials.
        sign = 1 if a > 0 else -1
        turned = int(min(max(-sign * m, 0), abs(a))) if m.denominator == 1 else 0
        for count, k in ((abs(a) - turned, 1), (turned, -1)):
            if count:
                base = terms.numeric("expm1", writer.total(multiple(f.z, k)))
                factors.append(writer.power(base, sign * count))
        if 2 * m == -a and b == 0 and not paired:
            both = writer.power(writer.at_half("sinh", f.z), a)
            whole = writer.product([both, *_exponentials(writer, f.rest)])
            yield scaled(f.number * Fraction(2) ** a, whole)
        number *= (-1) ** turned
        m, a = m + sign * turned, 0
    if b > 0 or a:
        if a == 0 and 2 * m == -b and not (factors or f.rest):
            both = writer.power(writer.at_half("cosh", f.z), b)
            yield scaled(number * Fraction(2) ** b, both)
        return
    for term in _fractions(writer, f, m, -b):
        yield scaled(number, writer.product([*factors, term]))


def written_tangents(graph: Snapshot, dims: Dims, e: Exponential) -> Iterator[Term]:
    """An element that is a multiple of a power of `tanh(z / 2)`."""
    writer = Writer(graph, dims)
    f = factored(writer, e)
    if f is not None and f.a == -f.b != 0 and not (f.m or f.rest or len(f.others) > 1):
        yield scaled(f.number, writer.power(writer.at_half("tanh", f.z), f.a))


def written_sums(graph: Snapshot, dims: Dims, e: Exponential) -> Iterator[Term]:
    """An element with other zeros or poles than 1 and -1, as a sum of terms that are at most 1."""
    writer = Writer(graph, dims)
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
        low = plus((), writer.log_of_sum(e, e.denominator), Fraction(-1))
        summands = [
            scaled(c, writer.difference(plus(plus(low, e.form), e.step, Fraction(j))))
            for j, c in enumerate(e.numerator)
            if c
        ]
        yield reduce(terms.add, summands)


# A polynomial in tanh keeps its digits where it is not much smaller than its terms at both ends.
MAX_TANGENTS: Final = 4
MOST_CANCELLED: Final = 8


def written_in_tangents(graph: Snapshot, dims: Dims, e: Exponential) -> Iterator[Term]:
    """An element with other zeros than 1 and -1 as a polynomial in `t = tanh(z / 2)`.

    Where it goes to 0 at both ends alike, a power of `cosh(z / 2)` takes it there.
    """
    writer = Writer(graph, dims)
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
        scaled(c, writer.power(t, k)) if k else writer.number(c)
        for k, c in enumerate(coefficients)
        if c
    ]
    factors = [writer.power(t, f.a)] if f.a else []
    if f.m:
        factors.append(writer.power(writer.at_half("cosh", f.z), -2 * f.m))
    number = f.number * HALF ** int(2 * f.m)
    yield scaled(number, writer.product([*factors, reduce(terms.add, summands)]))


def in_tangents(p: Polynomial) -> Polynomial:
    """The polynomial in `t = (q - 1) / (q + 1)` that is `p(q) / (q + 1)^d`, of degree d as p is.

    >>> [int(c) for c in in_tangents((Fraction(8), Fraction(-32), Fraction(8)))]
    [-4, 0, 12]
    """
    total: Polynomial = ()
    high, low = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), Fraction(-1, 2))
    for j, c in enumerate(p):
        own: Polynomial = (c,)
        for k in range(len(p) - 1):
            own = _product(own, high if k < j else low)
        total = _sum(total, own)
    return total


def _exponentials(writer: Writer, rest: Form) -> list[Term]:
    return [_exponential(writer, rest, Fraction(0), Fraction(0), ())] if rest else []


def _fractions(writer: Writer, f: Factored, m: Fraction, k: int) -> Iterator[Term]:
    """`exp(rest) * q^m / (1 + q)^k`."""
    if not k and not m and not f.rest:
        yield writer.number(Fraction(1))
        return
    if not f.rest and k and m.denominator == 1 and 0 <= m <= k:
        # These have a value at infinity too, where exp(m z - k log(1 + exp z)) has none.
        powers = [(s, p) for s, p in ((1, int(m)), (-1, k - int(m))) if p]
        shares = [(terms.numeric("sigmoid", writer.total(multiple(f.z, s))), p) for s, p in powers]
        yield writer.product([writer.power(share, p) for share, p in shares])
    else:
        yield _exponential(writer, f.rest, m, Fraction(k), f.z)
        if k:
            yield _exponential(writer, f.rest, k - m, Fraction(k), multiple(f.z, -1))
    if not f.rest and k and 2 * m == k:
        yield scaled(HALF**k, writer.power(writer.at_half("cosh", f.z), -k))


def _exponential(writer: Writer, rest: Form, m: Fraction, k: Fraction, z: Form) -> Term:
    """`exp(rest + m * z - k * softplus(z))`, as a difference where it is known to be at most 1."""
    form = plus(rest, multiple(z, m))
    if k:
        form = plus(form, writer.softplus(z), -k)
    if 0 <= m <= k and (not rest or _is_bounded(writer.graph, rest)):
        return writer.difference(form)
    return terms.apply("exp", writer.total(form))


def _is_bounded(graph: Snapshot, form: Form) -> bool:
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
                        rest = plus(rest, ((key, c),), Fraction(-1))
                        rest = plus(rest, moved, c)
    return bool(form) and not rest


def _placed(inner: Form, rest: Form, kept: dict[int, int]) -> Form | None:
    """What is under a sum, on axes that agree with those kept, if the rest has it there."""
    for (first, _), _ in inner[:1]:
        for key, _ in rest:
            if isinstance(key, Term):
                continue
            cls, axes = key
            if cls == first and all(axes[i] == k for i, k in kept.items()):
                return form_of(
                    ((c, tuple(axes[i] for i in own)), number) for (c, own), number in inner
                )
    return None


def written_logarithms(graph: Snapshot, dims: Dims, e: Exponential) -> Iterator[Term]:
    """Forms of the logarithm of an element that neither overflow on the way nor cancel."""
    writer = Writer(graph, dims)
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
            yield writer.total(plus(writer.log_of_sum(e, top, e.form), low, Fraction(-1)))
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
                    form = plus(form, writer.softplus(multiple(f.z, s)), Fraction(k))
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


# Products and sums with rational functions of exponentials among their factors and terms.


# The terms of a sum that is looked at.
MAX_SUMMANDS = 6


def opened(graph: Snapshot, network: Network) -> Network:
    """The network with one factor that is a sum replaced by a product that it is as well."""
    for place, (cls, _) in enumerate(network.factors):
        if graph.choice[cls].constructor == "add":
            for m in graph.members[cls]:
                if m.constructor == "ein" and any(exponential(graph, c) for c in m.children):
                    return network.with_factor(place, product_network(graph, cls, m))
    return network


def joinable(graph: Snapshot, network: Network) -> Iterable[tuple[int, ...]]:
    """The places of exponential factors within the axes of the largest whose product is one.

    They are functions of exp z, with one z or with multiples of it: with q = exp z, the product of
    q / (1 + q) and tanh z is no product of powers of q and q ± 1, though each of them is one.
    """
    own: dict[int, Exponential] = {}
    for k, (cls, part) in enumerate(network.factors):
        element = exponential(graph, cls)
        if element and len(set(part)) == len(part):
            own[k] = element
    largest = max((network.factors[k][1] for k in own), key=len, default=())
    own = {
        k: spread_over(e, network.factors[k][1], largest)
        for k, e in own.items()
        if set(network.factors[k][1]) <= set(largest)
    }
    plain = [k for k, e in own.items() if not e.step]
    groups: dict[object, list[int]] = {}
    for k, e in own.items():
        if e.step:
            groups.setdefault(("of z", e.step), [*plain]).append(k)
            groups.setdefault(("of multiples of z", direction(e.step)), [*plain]).append(k)
    return dict.fromkeys(tuple(sorted(ks)) for ks in groups.values() or [plain])


def joined(graph: Snapshot, network: Network, chosen: Sequence[int]) -> Term:
    """The product of some factors times the rest, or summed where there is no rest."""
    largest = max((network.factors[k][1] for k in chosen), key=len)
    inner = contract(graph, network, [network.factors[k] for k in chosen], largest)
    rest = [(graph.term(c), i) for k, (c, i) in enumerate(network.factors) if k not in chosen]
    whole = multiplied(graph.model, [(inner, largest), *rest], network.out, network.sizes)
    return scaled(network.coefficient, whole)


def unlike(bases: Sequence[set[int]]) -> bool:
    """Whether there are some in every set, and none is in all."""
    first = bases[0] if bases else set[int]()
    return all(bases) and bool(first) and not any(all(b in own for own in bases) for b in first)


def put_in(graph: Snapshot, outer: Network, place: int, cls: int, number: Fraction) -> Network:
    """A network with a multiple of an e-class at some place; an exponential is not taken apart."""
    if not exponential(graph, cls):
        return along_deltas(graph, outer.with_factor(place, numbered(graph, cls, number)))
    part = outer.factors[place][1]
    factors = (*outer.factors[:place], (cls, part), *outer.factors[place + 1 :])
    return replace(outer, factors=factors, coefficient=outer.coefficient * number)


def meeting(graph: Snapshot, outer: Network, place: int, product: Network) -> list[set[int]]:
    """The bases of exponentials that were put in at a place and meet one beside it.

    There is one set, or one for each term of a sum among the factors that were put in.
    """
    end = len(product.factors) - len(outer.factors) + place + 1
    inside = product.factors[place:end]
    beside = [
        set(part)
        for cls, part in (*product.factors[:place], *product.factors[end:])
        if exponential(graph, cls)
    ]
    found = [set[int]()]
    for cls, part in inside:
        if any(other.issubset(part) or other.issuperset(part) for other in beside):
            found = [own | more for own in found for more in bases_of(graph, cls)]
    return found


def bases_of(graph: Snapshot, cls: int) -> list[set[int]]:
    """The base of an exponential; of a sum, those of the exponentials in each of its terms."""
    own = bases_in(graph, [cls])
    for form, _ in linear_forms(graph, cls)[-1:]:
        if not own and len(form) <= MAX_SUMMANDS:
            products = [[c for c, _ in numbered(graph, t, n).factors] for t, n in form.items()]
            pairs = zip(form, products, strict=True)
            return [bases_in(graph, [t]) or bases_in(graph, factors) for t, factors in pairs]
    return [own]


def bases_in(graph: Snapshot, classes: Iterable[int]) -> set[int]:
    """The bases of those of some e-classes that are exponentials."""
    return {base_of(graph, c)[0] for c in classes if exponential(graph, c)}


def exponential_powers(graph: Snapshot, network: Network) -> dict[Factor, Fraction]:
    """The exponentials on free indices of a product, with their exponents."""
    found: dict[Factor, Fraction] = {}
    for cls, part in network.factors:
        if set(part) <= set(network.out) and exponential(graph, cls):
            base, p = base_of(graph, cls)
            found[base, part] = found.get((base, part), Fraction(0)) + p
    return found


def pulled_out(graph: Snapshot, parts: list[Network], base: Factor, p: Fraction) -> Term:
    """Some products, each divided by a power of a base, added up, times that power."""
    cls, part = base
    out = parts[0].out
    summands: list[Term] = []
    for n in parts:
        own = [f for f in n.factors if f[1] == part and base_of(graph, f[0])[0] == cls]
        rest = [(graph.term(c), i) for c, i in n.factors if (c, i) not in own]
        q = sum((base_of(graph, c)[1] for c, _ in own), -p)
        if q:
            rest.append((terms.power(graph.term(cls), terms.constant(q)), part))
        summands.append(scaled(n.coefficient, spread(graph, rest, out, n.sizes)))
    factor = terms.power(graph.term(cls), terms.constant(p))
    return terms.einsum(canonical([part, out], out), factor, reduce(terms.add, summands))


def spread(graph: Snapshot, factors: list[Placed], out: Indices, sizes: dict[int, Size]) -> Term:
    """The product of some terms, spread over the axes that none of them has."""
    missing = tuple(i for i in out if all(i not in part for _, part in factors))
    if missing or not factors:
        ones = terms.constant(1, tuple(sizes[i] for i in missing))
        factors = [*factors, (ones, missing)]
    return multiplied(graph.model, factors, out, sizes)


def apart(graph: Snapshot, network: Network) -> tuple[Network, Exponential]:
    """The element-wise exponential factors of a product, and the rest of it without its number."""
    product = Exponential(numerator=(network.coefficient,))
    rest: list[Factor] = []
    for cls, part in network.factors:
        element = elements(graph).get(cls)
        again = product.times(element) if element and part == network.out else None
        if again is None:
            rest.append((cls, part))
        else:
            product = again
    return replace(network, factors=tuple(rest), coefficient=Fraction(1)), product


def sum_of(summands: list[Exponential]) -> Exponential | None:
    """The sum of some elements, if it is one."""
    total: Exponential | None = summands[0]
    for element in summands[1:]:
        total = total and total.plus(element)
    return total


def multiples(graph: Snapshot, rest: Network, element: Exponential) -> Iterator[Term]:
    """An element times a network."""
    own = {i for _, part in rest.factors for i in part}
    shown = tuple(i for i in rest.out if i in own)
    first = contract(graph, rest, rest.factors, shown)
    dims = tuple(rest.sizes[i] for i in rest.out)
    for term in written_products(graph, dims, element):
        yield terms.einsum(canonical([shown, rest.out], rest.out), first, term)


# Homogeneous functions of exponentials over a power of an exponential: softmax and its kin.
#
# `f(e) / sᵈ = f(e / s)` for an f of degree d. The exponentials may lie deep in sums and products,
# far from the divisor s, whose axes go through all of them. Where s is a sum of exponentials
# `e / s` is at most 1, and `f(e)` overflows.


PRODUCTS = ("ein", "ein1", "scale", "negate")
SUMS = ("add", "subtract")


@dataclass(frozen=True)
class _Homogeneous:
    """An e-class as a power of the divisor times itself with `e / s` for e and 1 for s.

    `node` is the e-node that it is read in, and `inside` are the places of the operands that have
    a part in it, and which of their axes are those of the divisor; they are empty for a power of
    the divisor and for an exponential. `exponential` says that there is an e in it, `divided` a
    power of the divisor.
    """

    degree: Fraction
    exponential: bool
    node: ENode
    inside: tuple[tuple[int, Indices], ...] = ()
    divided: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether it stays as it is: divided everywhere, it would have lost nothing."""
        return not self.degree and not self.divided


# For each e-class, and for each choice of axes that may be those of the divisor; no axes where
# they have been summed.
Found = Mapping[int, Mapping[Indices, _Homogeneous]]


def divisors(graph: Snapshot) -> list[int]:
    """The exponentials of which there is a negative power: scalars, and sums over axes."""
    found: dict[int, None] = {}
    for cls in graph.classes:
        for base, p in graph.exponents(cls).items():
            element = elements(graph).get(base)
            pure = element is not None and element.form and not element.step
            if p < 0 and pure and (not graph.dims[base] or _sums(graph, base)):
                found[base] = None
    return list(found)


def _sums(graph: Snapshot, cls: int) -> list[ENode]:
    """The e-nodes of an e-class that sum axes."""
    return [
        m
        for m in graph.members[cls]
        if m.constructor in ("ein", "ein1")
        and {i for part in m.spec for i in part} != {*m.spec[-1]}
    ]


def normalised(graph: Snapshot, divisor: int) -> Iterator[tuple[int, Term]]:
    """The e-classes of degree 0, every exponential divided, without the divisor's powers."""
    found = _read_homogeneous(graph, divisor)
    done: dict[tuple[int, Indices], Term] = {}
    for cls, ways in found.items():
        for axes, own in ways.items():
            if own.exponential and not own.degree:
                yield cls, _written(graph, divisor, found, (cls, axes), done)


def _read_homogeneous(graph: Snapshot, divisor: int) -> Found:
    argument = _arguments(elements(graph)[divisor])
    units = _units(graph, divisor)
    lead = graph.dims[divisor]
    found: dict[int, dict[Indices, _Homogeneous]] = {}
    # Operands come first in `choice`.
    for cls, node in graph.choice.items():
        exponents = graph.exponents(cls)
        dims = graph.dims[cls]
        if divisor in exponents:
            power = _Homogeneous(exponents[divisor], False, node, divided=True)
            ways = {tuple(range(len(lead))): power}
        elif len(dims) > len(lead) and _is_apart(graph, cls, argument):
            degree = _degree(graph, cls, units)
            ways = dict.fromkeys(_placements(lead, dims), _Homogeneous(degree, True, node))
        else:
            read = (_of_node(graph, cls, m, found) for m in (node, *graph.members[cls]))
            ways = _divided_first(read)
        if ways:
            found[cls] = ways
    return found


def _divided_first(read: Iterable[dict[Indices, _Homogeneous]]) -> dict[Indices, _Homogeneous]:
    """The first ways with a power of the divisor in them, else the first of all.

    The sum that divides may be written as a sum once more, where that costs no more.
    """
    first: dict[Indices, _Homogeneous] = {}
    for ways in read:
        if any(own.divided for own in ways.values()):
            return ways
        first = first or ways
    return first


def _of_node(graph: Snapshot, cls: int, node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """The ways of an e-node by those of its operands."""
    if node.constructor in PRODUCTS:
        return _of_product(graph, node, found)
    if node.constructor in SUMS:
        return _of_sum(node, found)
    if node.constructor == "power":
        return _of_power(graph.exponents(cls), node, found)
    return {}


def _placements(lead: Dims, dims: Dims) -> list[Indices]:
    """The axes of some dims that may be those of the divisor."""
    return [
        axes
        for axes in permutations(range(len(dims)), len(lead))
        if all(dims[k] == d for k, d in zip(axes, lead, strict=True))
    ]


def _of_product(graph: Snapshot, node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """Degrees are added where the divisor's axes are the same in all factors."""
    axes = tuple(range(len(graph.dims[node.children[0]])))
    spec = node.spec if node.constructor in ("ein", "ein1") else (axes, axes)
    same = _linked(graph, node.children, spec)
    factors = [
        (c, tuple(same[i] for i in part)) for c, part in zip(node.children, spec, strict=False)
    ]
    shared = dict.fromkeys(
        tuple(part[k] for k in own) for c, part in factors for own in found.get(c, ())
    )
    result: dict[Indices, _Homogeneous] = {}
    for indices in shared:
        inside: list[tuple[int, Indices]] = []
        for place, (c, part) in enumerate(factors):
            here = (own for own in _places(indices, part) if own in found.get(c, ()))
            inside += [(place, own) for own in islice(here, 1)]
        parts = [found[node.children[place]][own] for place, own in inside]
        whole = _Homogeneous(
            sum((p.degree for p in parts), Fraction(0)),
            any(p.exponential for p in parts),
            node,
            tuple(inside),
            any(p.divided for p in parts),
        )
        if whole.is_apart:
            continue
        ways = [*_places(indices, tuple(same[i] for i in spec[-1]))]
        if not ways and whole.exponential and not whole.degree:
            ways = [()]  # the divisor's axes are summed, and nothing of it is left beyond
        result |= dict.fromkeys(ways, whole)
    return result


def _linked(graph: Snapshot, operands: Sequence[int], spec: Spec) -> dict[int, int]:
    """The same number for indices that a delta makes equal."""
    same = {i: i for part in spec for i in part}
    for c, part in zip(operands, spec, strict=False):
        if graph.sparsity.get(c) is True:
            half = len(part) // 2
            for i, j in zip(part[:half], part[half:], strict=True):
                same = {k: same[i] if own == same[j] else own for k, own in same.items()}
    return same


def _places(indices: Indices, part: Indices) -> Iterator[Indices]:
    """The axes, each another one, that have some indices."""
    for axes in product(*([k for k, own in enumerate(part) if own == i] for i in indices)):
        if len(set(axes)) == len(axes):
            yield axes


def _of_sum(node: ENode, found: Found) -> dict[Indices, _Homogeneous]:
    """Both summands have the same degree."""
    first, second = (found.get(c, {}) for c in node.children)
    return {
        axes: _Homogeneous(
            own.degree,
            own.exponential or second[axes].exponential,
            node,
            ((0, axes), (1, axes)),
            own.divided or second[axes].divided,
        )
        for axes, own in first.items()
        if axes in second and own.degree == second[axes].degree
    }


def _of_power(
    exponents: Mapping[int, Fraction], node: ENode, found: Found
) -> dict[Indices, _Homogeneous]:
    """The degree is multiplied."""
    base = node.children[0]
    if base not in exponents:
        return {}
    return {
        axes: replace(own, degree=own.degree * exponents[base], node=node, inside=((0, axes),))
        for axes, own in found.get(base, {}).items()
    }


def _units(graph: Snapshot, divisor: int) -> Mapping[int, Fraction]:
    """The arguments, with their coefficients, of an exponential that the divisor is a sum of."""
    for member in _sums(graph, divisor):
        total: dict[int, Fraction] = {}
        for element in map(elements(graph).get, member.children):
            for cls, c in _arguments(element).items() if element else ():
                total[cls] = total.get(cls, Fraction(0)) + c
        if any(total.values()):
            return {cls: c for cls, c in total.items() if c}
    return {}


def _degree(graph: Snapshot, cls: int, units: Mapping[int, Fraction]) -> Fraction:
    """How often an exponential has that of the divisor in it; an unrelated one counts as one."""
    own = _arguments(elements(graph)[cls])
    return next((own[c] / unit for c, unit in units.items() if c in own), Fraction(1))


def _is_apart(graph: Snapshot, cls: int, argument: Collection[int]) -> bool:
    """Whether an e-class is a pure exponential in which the argument of the divisor has no part."""
    element = elements(graph).get(cls)
    if element is None or not element.form or element.step:
        return False
    return not any(c in argument for c in _arguments(element))


def _arguments(element: Exponential) -> dict[int, Fraction]:
    """The e-classes of which the argument of an exponential is a linear form, with coefficients."""
    return {cls: c for (cls, _), c in element.form}


def _written(
    graph: Snapshot,
    divisor: int,
    found: Found,
    root: tuple[int, Indices],
    done: dict[tuple[int, Indices], Term],
) -> Term:
    """An e-class with its exponentials divided by the divisor, and 1 for the divisor's powers."""
    stack = [root]
    while stack:
        cls, axes = stack[-1]
        own = found[cls][axes]
        changed = {place: (own.node.children[place], inner) for place, inner in own.inside}
        missing = [x for x in changed.values() if x not in done]
        stack += missing
        if missing:
            continue
        stack.pop()
        if changed:
            args = tuple(
                done[changed[k]] if k in changed else graph.term(c)
                for k, c in enumerate(own.node.children)
            )
            done[cls, axes] = graph.as_term(own.node, args)
        elif own.exponential:
            term = graph.term(cls)
            every = tuple(range(term.order))
            inverse = terms.power(graph.term(divisor), terms.constant(-own.degree))
            done[cls, axes] = terms.einsum(canonical([axes, every], every), inverse, term)
        else:
            done[cls, axes] = terms.constant(1, graph.dims[divisor])
    return done[root]
