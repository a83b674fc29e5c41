"""Differences whose terms share most of their value, as quotients and products that do not cancel.

Addition theorems turn a difference of a function at two places into a product with the distance of
these places, which is read as a polynomial in other e-classes, so that what both share is gone.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Final, NamedTuple

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import Dims, hadamard
from eggrad.engine.laws.properties import NONNEGATIVE
from eggrad.engine.networks.fractions import (
    ONE,
    Polynomial,
    is_plain,
    polynomial_of,
    polynomial_term,
    times_polynomials,
)
from eggrad.engine.networks.networks import LinearForm, raised, scaled
from eggrad.engine.networks.sums_and_products import every_sum, total
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

HALF: Final = Fraction(1, 2)
# The largest numerator and denominator of an exponent for which powers are multiplied out.
MOST_ROOT: Final = 5
# The longest sums in which a root is looked for beside its base.
MOST_TERMS: Final = 6


class Places(NamedTuple):
    """Two places u and v of a function: terms, u - v, (u + v)/2, and u - v if it is a number.

    They are linear if nothing is multiplied in them. `exact` is the one that is no sum, and the
    sign of the way from it to the other; None where both are sums, or the middle is none.
    """

    u: Term
    v: Term
    distance: Term
    middle: Term
    number: Fraction | None
    is_linear: bool
    exact: tuple[Term, int] | None


def _times(*factors: Term) -> Term:
    number = prod((f.value for f in factors if f.op == "constant"), start=Fraction(1))
    rest = [f for f in factors if f.op != "constant"]
    if not rest:
        return _number(number, factors[0])
    return scaled(number, reduce(lambda a, b: terms.einsum(hadamard(a.order), a, b), rest))


def _number(c: Fraction | int, like: Term) -> Term:
    return terms.constant(c, like.dims)


def _part_of_the_way(name: str, p: Places, part: Fraction) -> Term:
    """The sine or cosine of the middle of both places, or of all of the way from the exact one.

    Far out the sum of a place and a distance is rounded by more than the distance counts.
    """
    if p.exact is None:
        place = p.middle if part == HALF else (p.u if part > 0 else p.v)
        return terms.apply(name, place)
    place, sign = p.exact
    way = scaled(part, p.distance)
    (sin, cos), (sin_way, cos_way) = (
        [terms.apply(f, x) for f in ("sin", "cos")] for x in (place, way)
    )
    if name == "sin":
        first, second = _times(sin, cos_way), _times(cos, sin_way)
        return (terms.add if sign > 0 else terms.subtract)(first, second)
    first, second = _times(cos, cos_way), _times(sin, sin_way)
    return (terms.subtract if sign > 0 else terms.add)(first, second)


def _sines(p: Places) -> Term:
    half = terms.apply("sin", scaled(HALF, p.distance))
    return scaled(Fraction(2), _times(_part_of_the_way("cos", p, HALF), half))


def _cosines(p: Places) -> Term:
    half = terms.apply("sin", scaled(HALF, p.distance))
    return scaled(Fraction(-2), _times(_part_of_the_way("sin", p, HALF), half))


def _tangents(p: Places) -> Term:
    if p.exact is None:
        below = _times(*(terms.apply("cos", x) for x in (p.u, p.v)))
    else:
        below = _times(terms.apply("cos", p.exact[0]), _part_of_the_way("cos", p, Fraction(1)))
    return _times(terms.apply("sin", p.distance), raised(below, -1))


def _arctangents(p: Places) -> Term:
    below = terms.add(_number(1, p.u), _times(p.u, p.v))
    return terms.numeric("angle_of", p.distance, below)


def _logarithms(p: Places) -> Term:
    if p.number is not None and p.is_linear:
        sign, least = (1, p.v) if p.number > 0 else (-1, p.u)
        ratio = scaled(abs(p.number), raised(least, -1))
        return scaled(Fraction(sign), terms.numeric("log1p", ratio))
    # Accurate at any distance, also of squares that overflow, and undefined where they are.
    roots = _times(*(raised(x, -HALF) for x in (p.u, p.v)))
    return scaled(Fraction(2), terms.numeric("area_sine", scaled(HALF, _times(p.distance, roots))))


# What f(u) - f(v) is, by the name of f.
THEOREMS: Final[Mapping[str, Callable[[Places], Term]]] = {
    "sin": _sines,
    "cos": _cosines,
    "tan": _tangents,
    "arctan": _arctangents,
    "log": _logarithms,
}


def _raised(x: Term, exponent: Fraction | int) -> Term:
    """A power; the only number among places is 1."""
    return x if x.op == "constant" else raised(x, exponent)


def _powers(p: Places, exponent: Fraction) -> Term | None:
    """With a = u^(1/n) and b = v^(1/n) a - b = (u - v)/Sₙ, where Sₖ(a, b) = Σ aⁱ·b^(k-1-i).

    And aᵐ - bᵐ = (a - b)·Sₘ(a, b), a⁻ᵐ - b⁻ᵐ = -(a - b)·a⁻¹·b⁻¹·Sₘ(a⁻¹, b⁻¹).
    """
    m, n = abs(exponent.numerator), exponent.denominator
    if exponent > 0 and p.number is None and p.v.op != "constant" != p.u.op:
        # Where both are 0 it would be 0/0.
        return None
    if max(m, n) > MOST_ROOT:
        return _any_powers(p, exponent) if n > 1 else None
    a, b = (_raised(x, Fraction(1, n)) for x in (p.u, p.v))
    inverse = raised(_homogeneous(a, b, n), -1)
    if exponent > 0:
        return _times(p.distance, inverse, _homogeneous(a, b, m))
    # In this order little overflows that the powers themselves do not.
    first, second = (_raised(x, Fraction(-1, n)) for x in (p.u, p.v))
    whole = _times(p.distance, inverse, first, second, _homogeneous(first, second, m))
    return scaled(Fraction(-1), whole)


def _any_powers(p: Places, exponent: Fraction) -> Term | None:
    """uᵖ - vᵖ = -gᵖ·expm1(-|p|·log1p(c/v)), where u = v + c for a c > 0, and gᵖ is the greater.

    For p > 0 it is gᵖ itself where v is 0.
    """
    if p.number is None:
        return None
    sign, least, most = (1, p.v, p.u) if p.number > 0 else (-1, p.u, p.v)
    inside = terms.apply("greater", least, _number(0, least))
    divisor = terms.apply("where", inside, least, _number(1, least)) if exponent > 0 else least
    ratio = terms.numeric("log1p", scaled(abs(p.number), raised(divisor, -1)))
    change = terms.numeric("expm1", scaled(-abs(exponent), ratio))
    if exponent < 0:
        return scaled(Fraction(sign), _times(raised(least, exponent), change))
    lost = terms.apply("where", inside, scaled(Fraction(-1), change), _number(1, least))
    return _times(scaled(Fraction(sign), raised(most, exponent)), lost)


def _homogeneous(a: Term, b: Term, k: int) -> Term:
    whole = _number(1, a)
    for j in range(1, k):
        step = a if j == 1 else _times(whole, a)
        whole = terms.add(step, _raised(b, j))
    return whole


class Call(NamedTuple):
    """A term of a sum that is a function or a power of a place; of 1, where it is a number."""

    term: int
    place: int | None

    def polynomial(self, graph: Snapshot) -> Polynomial:
        """Its place, as it is read."""
        return ONE if self.place is None else polynomial_of(graph, self.place)

    def at(self, graph: Snapshot) -> Term:
        """Its place, as a term."""
        if self.place is None:
            return terms.constant(1, graph.dims[self.term])
        return graph.term(self.place)


def _first_seen(graph: Snapshot, law: str) -> Iterator[tuple[int, LinearForm]]:
    """The sums of several terms that a law has not seen."""
    for cls, form in every_sum(graph):
        if len(form) > 1 and graph.first_time((law, cls, frozenset(form.items()))):
            yield cls, form


def differences(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The sums that have a function at two places that share a part, by its addition theorem."""
    for cls, form in _first_seen(graph, "differences"):
        left = dict(form)
        found: list[Term] = []
        for coefficient, kind, first, second in _pairs(graph, form):
            if first.term in left and second.term in left:
                places = _places(graph, first, second)
                made = _of(kind, places) if places else None
                if made is not None:
                    found.append(scaled(coefficient, made))
                    del left[first.term], left[second.term]
        if found:
            rest = [total(graph, left)] if left else []
            yield cls, reduce(terms.add, [*found, *rest])


def _of(kind: str | Fraction, places: Places) -> Term | None:
    return THEOREMS[kind](places) if isinstance(kind, str) else _powers(places, kind)


def _pairs(
    graph: Snapshot, form: LinearForm
) -> Iterator[tuple[Fraction, str | Fraction, Call, Call]]:
    """A number and a function at two places of which its multiples are subtracted.

    Of the places that share a part with one the last is taken: not all pairs are looked at.
    """
    groups: dict[tuple[str | Fraction, Fraction], tuple[list[Call], list[Call]]] = {}
    numbers: list[tuple[Call, Fraction]] = []
    for t, c in form.items():
        for kind, place in _calls(graph, t):
            groups.setdefault((kind, abs(c)), ([], []))[c < 0].append(Call(t, place))
        number = graph.number(t)
        if number:
            numbers.append((Call(t, None), c * number))
    for call, number in numbers:
        # A number is a multiple of any power of 1.
        for (kind, size), calls in groups.items():
            if size == abs(number) and not isinstance(kind, str):
                calls[number < 0].append(call)
    for (kind, number), (plus, minus) in groups.items():
        waiting: dict[object, list[Call]] = {}
        for call in minus if plus else ():
            for part in call.polynomial(graph):
                waiting.setdefault(part, []).append(call)
        taken: set[int] = set()
        for call in plus if minus else ():
            for part in call.polynomial(graph):
                others = waiting.get(part, [])
                while others and others[-1].term in taken:
                    others.pop()
                if others and others[-1].place != call.place:
                    taken.add(others[-1].term)
                    yield number, kind, call, others[-1]
                    break


def _calls(graph: Snapshot, cls: int) -> Iterator[tuple[str | Fraction, int]]:
    for m in graph.members[cls]:
        if m.constructor == "function" and m.data[0] in THEOREMS:
            yield m.data[0], m.children[0]
        elif m.constructor == "power":
            p = graph.number(m.children[1])
            if p is not None and (p < 0 or p.denominator > 1):
                yield p, m.children[0]


def _places(graph: Snapshot, u: Call, v: Call) -> Places | None:
    first, second = (call.polynomial(graph) for call in (u, v))
    distance = _combined(first, second, Fraction(-1))
    if not distance or not is_plain(graph, first) or not is_plain(graph, second):
        return None
    dims = graph.dims[u.term]
    middle = _combined(first, second, Fraction(1))
    (monomial, coefficient), *_ = distance
    number = coefficient if len(distance) == 1 and not monomial else None
    single = [(u, -1)] * (len(first) == 1) + [(v, 1)] * (len(second) == 1)
    return Places(
        u.at(graph),
        v.at(graph),
        polynomial_term(graph, dims, distance) if number is None else terms.constant(number, dims),
        scaled(HALF, polynomial_term(graph, dims, middle)) if middle else terms.constant(0, dims),
        number,
        all(sum(p for _, _, p in m) <= 1 for m, _ in (*first, *second)),
        (single[0][0].at(graph), single[0][1]) if len(single) == 1 and len(middle) > 1 else None,
    )


def _combined(a: Polynomial, b: Polynomial, sign: Fraction) -> Polynomial:
    return tuple(sorted(collected([*a, *((m, sign * c) for m, c in b)]).items()))


def conjugates(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """√w - t = (w - t²)/(√w + t), where w and t² share a part, for the sign of t that cancels.

    And 1 - t/√w as (√w - t)/√w.
    """
    for cls, form in _first_seen(graph, "conjugates"):
        if len(form) <= MOST_TERMS and any(_is_root(graph, t) for t in form):
            found = next(_conjugated(graph, cls, form), None)
            if found is not None:
                yield cls, found


def _is_root(graph: Snapshot, cls: int) -> bool:
    """Whether an e-class is a root, or divided by one."""
    factors = (c for m in graph.members[cls] if m.constructor == "ein" for c in m.children)
    return bool(_bases(graph, cls, HALF)) or any(_bases(graph, c, -HALF) for c in factors)


def _bases(graph: Snapshot, cls: int, exponent: Fraction) -> list[int]:
    return [base for base, p in graph.exponents(cls).items() if p == exponent]


def _conjugated(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    dims = graph.dims[cls]
    for root, q in form.items():
        others = {t: c for t, c in form.items() if t != root}
        for base in _bases(graph, root, HALF):
            for part in dict.fromkeys([tuple(others), *((t,) for t in others)]):
                # Differences of roots are those of a function; sums of positive terms lose nothing.
                if any(graph.knows(t, NONNEGATIVE) or _bases(graph, t, HALF) for t in part):
                    continue
                beside = _linear(graph, {t: others[t] for t in part})
                found = _over_conjugate(graph, dims, base, q, beside)
                if found is not None:
                    rest = {t: c for t, c in others.items() if t not in part}
                    yield terms.add(found, total(graph, rest)) if rest else found
        number = _linear(graph, others)
        if len(number) == 1 and not number[0][0]:
            for base, above in _over_roots(graph, root):
                beside = tuple((m, q * c) for m, c in above)
                found = _over_conjugate(graph, dims, base, number[0][1], beside)
                if found is not None:
                    yield _times(found, raised(graph.term(base), -HALF))


def _linear(graph: Snapshot, form: LinearForm) -> Polynomial:
    """A sum as a polynomial."""
    read = (_combined((), polynomial_of(graph, t), c) for t, c in form.items())
    return reduce(lambda a, b: _combined(a, b, Fraction(1)), read, ())


def _over_roots(graph: Snapshot, cls: int) -> Iterator[tuple[int, Polynomial]]:
    """The e-classes by whose roots an e-class is divided, each with what is divided."""
    polynomial = polynomial_of(graph, cls)
    if len(polynomial) == 1:
        ((monomial, c),) = polynomial
        axes = tuple(range(len(graph.dims[cls])))
        for factor in monomial:
            if factor[1:] == (axes, -HALF) and graph.dims[factor[0]] == graph.dims[cls]:
                yield factor[0], ((tuple(f for f in monomial if f != factor), c),)


def _over_conjugate(
    graph: Snapshot, dims: Dims, base: int, q: Fraction, beside: Polynomial
) -> Term | None:
    """A multiple of a root and something beside it, as a quotient where their signs differ."""
    square = times_polynomials(beside, beside)
    scaled_base = tuple((m, q * q * c) for m, c in polynomial_of(graph, base))
    above = _combined(scaled_base, square, Fraction(-1))
    if not above or set(square).isdisjoint(scaled_base):
        return None
    sign = Fraction(1 if q > 0 else -1)
    length = scaled(abs(q), raised(graph.term(base), HALF))
    (monomial, number), *_ = beside
    if len(beside) == 1 and not monomial:
        if sign * number > 0:
            return None
        whole = terms.add(length, terms.constant(abs(number), dims))
        return scaled(sign, _over(graph, dims, above, whole))
    other = scaled(sign, polynomial_term(graph, dims, beside))
    whole = terms.add(length, terms.apply("abs", other))
    cancels = terms.apply("greater", terms.constant(0, dims), other)
    divisor = terms.apply("where", cancels, whole, terms.constant(1, dims))
    quotient = _over(graph, dims, above, divisor)
    return scaled(sign, terms.apply("where", cancels, quotient, whole))


def _over(graph: Snapshot, dims: Dims, above: Polynomial, divisor: Term) -> Term:
    """A quotient; of a square, which may overflow, one of its roots is divided first."""
    inverse = raised(divisor, -1)
    (monomial, number), *others = above
    if others or not monomial or any(p % 2 for _, _, p in monomial):
        return _times(polynomial_term(graph, dims, above), inverse)
    root = polynomial_term(
        graph, dims, ((tuple((c, axes, p / 2) for c, axes, p in monomial), Fraction(1)),)
    )
    return scaled(number, _times(root, inverse, root))
