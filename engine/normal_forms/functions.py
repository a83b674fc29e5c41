"""What is no sum and no product, in normal forms: atoms, known by what they are functions of."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final, cast

from eggrad.engine.extraction.snapshot import ENode
from eggrad.engine.indices.affine import form
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.constraints import canonical as canonical_constraints
from eggrad.engine.indices.linear_combinations import exact
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.indices.texts import PI, fraction_text, over_pi
from eggrad.engine.laws.properties import (
    DEFINITE,
    DIAGONAL,
    INTEGER,
    LOWER,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    POSITIVE,
    SKEW,
    UPPER,
    WITHIN_ONE,
)
from eggrad.engine.normal_forms.determinants import kronecker_factors, rank_one, scalars, shortest
from eggrad.engine.normal_forms.indicators import indicator_factor
from eggrad.engine.normal_forms.networks import (
    UNIT,
    Factor,
    Key,
    Monomial,
    Number,
    canonical,
    permuted_axes,
    pieces,
    raised,
)
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials
from eggrad.engine.normal_forms.signs import (
    by_units,
    is_complex,
    is_nonnegative,
    is_positive,
    is_unit,
)
from eggrad.engine.terms.functions import record


def leading(polynomial: Polynomial, least: bool = False) -> Monomial:
    """The monomial of the highest degree; of several the greatest, or the `least`."""

    def degree(m: Monomial) -> Number:
        return sum(abs(f.exponent) for f in m.factors)

    highest = max(map(degree, polynomial))
    several = [m for m in polynomial if degree(m) == highest]
    return (min if least else max)(several, key=lambda m: m.rank)


def of_class(forms: Polynomials, cls: int) -> Polynomial:
    """An e-class as an atom, with the exchanges of axes that its e-nodes say change nothing."""
    graph = forms.graph
    dims = graph.dims[cls]
    symmetries: list[Indices] = []
    for m in graph.members[cls]:
        if m.constructor == "ein1" and m.children == (cls,):
            source, out = cast(tuple[Indices, Indices], m.data[0])
            if len(set(source)) == len(source) and sorted(source) == sorted(out):
                symmetries.append(tuple(source.index(i) for i in out))
    square = len(dims) == 2 and dims[0] == dims[1] and dims[0] != 1
    known = structured_class(forms, cls, dims) if square else None
    if known is not None:
        return known
    factor = Factor(forms.atoms.number("class", cls, symmetries), 1, tuple(range(len(dims))))
    return forms.product([factor], dims)


def structured_class(forms: Polynomials, cls: int, dims: Dims) -> Polynomial | None:
    """A matrix that is known to be diagonal, skew or triangular, by a matrix or vector of any kind.

    A diagonal matrix is δ times its diagonal, a skew one half the difference of some matrix and its
    transpose, and a triangular one some matrix where one index is not less than the other.
    """
    graph = forms.graph
    if graph.knows(cls, DIAGONAL):
        diagonal = Factor(forms.atoms.number("diagonal", cls), 1, (0,))
        return forms.joined([], (0, 0), {0: dims[0]}, [diagonal])
    if graph.knows(cls, SKEW):
        half = forms.atoms.number("skew", cls)
        ways = [forms.product([Factor(half, 1, p)], dims) for p in ((0, 1), (1, 0))]
        return forms.sum([(ways[0], Fraction(1, 2)), (ways[1], Fraction(-1, 2))])
    for word, sign in ((LOWER, 1), (UPPER, -1)):
        if graph.knows(cls, word):
            matrix = Factor(forms.atoms.number("class", cls), 1, (0, 1))
            condition: Constraint = (">=", form([(0, sign), (1, -sign)]))
            conditions = canonical_constraints(dims, [condition])
            inside = indicator_factor(forms.atoms, (0, 1), dims, conditions)
            return forms.product([matrix, inside], dims)
    return None


def indicator_of(forms: Polynomials, dims: Dims, constraints: Constraints) -> Polynomial:
    """An indicator as a sum of products of atoms."""
    axes = tuple(range(len(dims)))
    return forms.product([indicator_factor(forms.atoms, axes, dims, constraints)], dims)


def function_of(
    forms: Polynomials,
    name: str,
    argument: Polynomial,
    dims: Dims,
    *,
    kind: str = "function",
    exponent: Number = 1,
) -> Polynomial:
    """An element-wise function of a polynomial; it has the axes alone that its argument needs."""
    kept = [k for k in range(len(dims)) if any(_uses(m, k) for m in argument)]
    inner = tuple(dims[k] for k in kept)
    restricted = _restricted(forms, argument, kept)
    atom, order, number = _atom(forms, kind, name, restricted, inner)
    factor = Factor(atom, exponent, tuple(kept[k] for k in order))
    whole = forms.product([factor], dims)
    return forms.sum([(whole, raised(number, exponent))]) if number != 1 else whole


def matrix_function(
    forms: Polynomials, name: str, argument: Polynomial, square: Dims, dims: Dims
) -> Polynomial:
    """`inv`, `det` or `adj` of a polynomial with the axes `square`; (a⁻¹)⁻¹ = a.

    Of a product of square matrices it is the product of theirs, in reversed order.
    """
    if name == "det" and square[0] in forms.written:
        return _written_out(forms, argument, cast(int, square[0]))
    chain = _chain(forms, argument)
    if chain:
        parts = [matrix_function(forms, name, p, square, dims) for p in reversed(chain)]
        if not dims:
            return forms.contract([(p, ()) for p in parts], (), {})
        sizes = dict.fromkeys(range(len(parts) + 1), square[0])
        placed = [(p, (k, k + 1)) for k, p in enumerate(parts)]
        return forms.contract(placed, (0, len(parts)), sizes)
    if name == "inv" and "inverses" in forms.laws:
        inner = _inverse(forms, argument)
        if inner is None:
            inner = _parallel(forms, argument, square)
        if inner is not None:
            return inner
    if name == "det":
        return _determinant(forms, argument, square)
    atom, order, number = _atom(forms, name, name, argument, square)
    whole = forms.product([Factor(atom, 1, order)], dims)
    return forms.sum([(whole, Fraction(1) / number)])


def _determinant(forms: Polynomials, argument: Polynomial, square: Dims) -> Polynomial:
    """A determinant without its scalars, det(b·a) = bⁿ·det a, as that of the least matrix."""
    factors = kronecker_factors(forms, argument)
    if len(factors) > 1:
        whole = cast(int, square[0])
        powers = [
            power(forms, matrix_function(forms, "det", p, (n, n), ()), whole // n, ())
            for p, n in factors
        ]
        return forms.entrywise(powers, [0] * len(powers), ())
    taken, number = scalars(argument, lambda atom: _is_positive(forms, atom))
    if taken or number != 1:
        axes, sizes = (0, 1), dict(enumerate(square))
        inverse = [f._replace(exponent=-f.exponent) for f in taken]
        rest = forms.contract([(argument, axes)], axes, sizes, inverse)
        rest = forms.sum([(rest, 1 / Fraction(number))])
        size = forms.contract([], (), {0: square[0]})
        scalar = _log(forms, forms.sum([(forms.product(taken, ()), number)]), ())
        exponent = forms.entrywise([size, scalar], [0, 0], ())
        parts = [_exp(forms, exponent, ()), _determinant(forms, rest, square)]
        return forms.entrywise(parts, [0, 0], ())
    found = rank_one(forms, argument)
    if found is not None:
        return found
    least, square = shortest(forms, argument, square)
    atom, _, _ = _atom(forms, "det", "det", least, square, axes=False)
    return forms.product([Factor(atom, 1, ())], ())


def _written_out(forms: Polynomials, argument: Polynomial, n: int) -> Polynomial:
    """A determinant as the sum over all orders of its columns, by Leibniz."""
    summands: list[tuple[Polynomial, Number]] = []
    for order in permutations(range(n)):
        inversions = sum(a > b for k, b in enumerate(order) for a in order[:k])
        entries = [entry(forms, argument, (n, n), place) for place in enumerate(order)]
        summands.append((forms.contract([(e, ()) for e in entries], (), {}), (-1) ** inversions))
    return forms.sum(summands)


def entry(
    forms: Polynomials, polynomial: Polynomial, dims: Dims, place: Sequence[int]
) -> Polynomial:
    """One entry of a tensor."""
    sizes = dict(enumerate(dims))
    chosen = [
        indicator_factor(forms.atoms, (k,), (dims[k],), (("=", form([(0, 1), ("", -index)])),))
        for k, index in enumerate(place)
        if dims[k] != 1
    ]
    return forms.contract([(polynomial, tuple(sizes))], (), sizes, chosen)


def _chain(forms: Polynomials, argument: Polynomial) -> list[Polynomial]:
    """The square matrices whose product a polynomial is; none where it is anything else."""
    ((m, c), *more) = argument.items() or [(Monomial((), (), ()), 0)]
    if more or c != 1 or len(m.factors) < 2 or len(m.out) != 2 or len(set(m.sizes)) > 1:
        return []
    found: list[Polynomial] = []
    places = [m.out[0]]
    rest = list(m.factors)
    while rest:
        here = [f for f in rest if places[-1] in f.part]
        if len(here) != 1 or len(set(here[0].part)) != 2 or here[0].exponent != 1:
            return []
        (f,) = here
        rest.remove(f)
        turned = f.part[0] != places[-1]
        factor = f._replace(part=(1, 0) if turned else (0, 1))
        found.append(forms.joined([], (0, 1), dict.fromkeys((0, 1), m.sizes[0]), [factor]))
        places.append(f.part[0] if turned else f.part[1])
    return found if places[-1] == m.out[1] and len(set(places)) == len(places) else []


def _inverse(forms: Polynomials, argument: Polynomial) -> Polynomial | None:
    """The inverse of a multiple of an inverse: what that is the inverse of."""
    ((m, c), *more) = argument.items() or [(Monomial((), (), ()), 0)]
    if more or len(m.factors) != 1 or len(m.sizes) != 2 or m.factors[0].exponent != 1:
        return None
    (factor,) = m.factors
    if forms.atoms.kind(factor.atom) != "inv":
        return None
    whole = dict(forms.atoms.function(factor.atom)[1])
    places = tuple(m.out.index(i) for i in factor.part)
    sizes = dict(zip(m.out, m.sizes, strict=True))
    turned = forms.contract([(whole, places)], (0, 1), {k: sizes[m.out[k]] for k in (0, 1)})
    return forms.sum([(turned, 1 / Fraction(c))])


def _parallel(forms: Polynomials, argument: Polynomial, square: Dims) -> Polynomial | None:
    """The inverse of c·a⁻¹ + d·b⁻¹: a·(d·a + c·b)⁻¹·b."""
    parts = [(_inverse(forms, {m: 1}), c) for m, c in argument.items()]
    if len(parts) != 2 or square[0] == 1:
        return None
    (a, c), (b, d) = parts
    if a is None or b is None:
        return None
    middle = matrix_function(forms, "inv", forms.sum([(a, d), (b, c)]), square, square)
    placed = [(p, (k, k + 1)) for k, p in enumerate((a, middle, b))]
    return forms.contract(placed, (0, 3), dict.fromkeys(range(4), square[0]))


def _atom(
    forms: Polynomials,
    kind: str,
    name: str,
    argument: Polynomial,
    dims: Dims,
    *,
    axes: bool = True,
) -> tuple[int, Indices, Number]:
    """The atom's number, its axes, and a number that was taken out of its argument.

    Of all orders of axes the one with the least polynomial is taken. `axes` says whether the
    atom has those of its argument.
    """
    sizes = dict(enumerate(dims))
    labels = tuple(sizes)
    found: list[tuple[Key, Indices, Number]] = []
    for order in permuted_axes(len(dims)) if kind != "exp" or len(dims) < 3 else [labels]:
        turned = forms.contract([(argument, labels)], order, sizes)
        number = turned[leading(turned)] if kind in ("power", "inv") and turned else 1
        monic = {m: exact(Fraction(c) / number) for m, c in turned.items()}
        found.append((tuple(sorted(monic.items(), key=_rank)), order, number))
    key, order, number = min(found, key=lambda f: ([_rank(term) for term in f[0]], f[1]))
    same = [o for k, o, _ in found if axes and k == key and o != order]
    symmetries = [tuple(order.index(k) for k in o) for o in same]
    return forms.atoms.number(kind, (name, key), symmetries), order, number


def _rank(term: tuple[Monomial, Number]) -> tuple[object, ...]:
    return term[0].rank, term[1]


def _uses(m: Monomial, axis: int) -> bool:
    """Whether a monomial is not the same along an axis."""
    i = m.out[axis]
    return i != UNIT and (m.out.count(i) > 1 or any(i in f.part for f in m.factors))


def _restricted(forms: Polynomials, polynomial: Polynomial, kept: Sequence[int]) -> Polynomial:
    """The polynomial without axes along which it is the same."""
    found: dict[Monomial, Number] = {}
    for m, c in polynomial.items():
        out = [m.out[k] for k in kept]
        needed = {i for f in m.factors for i in f.part} | set(out)
        sizes = {i: d for i, d in enumerate(m.sizes) if i in needed}
        reduced = canonical(forms.atoms, m.factors, out, sizes)
        assert reduced is not None
        found[reduced[0]] = c
    return found


# Powers of a sum that are multiplied out.
POWER: Final = 12
# Denominators that one sum is multiplied by, one after the other.
DENOMINATORS: Final = 6


def of_node(forms: Polynomials, cls: int, node: ENode, parts: Sequence[Polynomial]) -> Polynomial:
    """A function, a power or a matrix function."""
    graph = forms.graph
    dims = graph.dims[cls]
    match node.constructor:
        case "power":
            base = node.children[0]
            exponent = constant_of(parts[1])
            if exponent is not None:
                return power_of_class(forms, base, exponent)
            if "exponentials" not in forms.laws or not graph.knows(base, POSITIVE):
                return of_class(forms, cls)
            logarithm = _log(forms, parts[0], dims)
            return _exp(forms, forms.entrywise([parts[1], logarithm], [0, len(dims)], dims), dims)
        case "function":
            name = cast(str, node.data[0])

            def of(argument: Polynomial) -> Polynomial:
                found = by_units(forms, argument, dims, of)
                if found is None:
                    found = _function(forms, name, node.children[0], argument, dims)
                return found

            return of(parts[0])
        case "indicator":
            return indicator_of(forms, dims, node.constraints)
        case "inv" | "det" | "adj" as name:
            return matrix_function(forms, name, parts[0], graph.dims[node.children[0]], dims)
        case _:
            return of_class(forms, cls)


def _function(
    forms: Polynomials, name: str, operand: int, argument: Polynomial, dims: Dims
) -> Polynomial:
    """A function of an e-class, at its polynomial, or at one that it has where a unit is known."""
    graph = forms.graph
    if "exponentials" in forms.laws:
        match name:
            case "exp":
                return _exp(forms, argument, dims)
            case "log" if graph.knows(operand, POSITIVE):
                return _log(forms, argument, dims)
            case "sin" | "cos" | "tan":
                return _of_angle(forms, name, argument, dims)
            case "arccos":
                arcsine = _function(forms, "arcsin", operand, argument, dims)
                return forms.sum([(forms.number(PI / 2, dims), 1), (arcsine, -1)])
            case "arcsin" if graph.knows(operand, WITHIN_ONE):
                return _with_parity(forms, name, argument, dims, kind="arc")
            case "arctan":
                return _with_parity(forms, name, argument, dims, kind="arc")
            case _:
                pass
    if "units" in forms.laws:
        axes = [len(dims)] * 2
        match name:
            case "abs":
                unit = _unit(forms, operand, argument, dims)
                return forms.entrywise([unit, argument], axes, dims)
            case "relu":
                unit = _unit(forms, operand, argument, dims)
                modulus = forms.entrywise([unit, argument], axes, dims)
                return forms.sum([(p, Fraction(1, 2)) for p in (argument, modulus)])
            case "sign" if graph.knows(operand, NONZERO):
                return _unit(forms, operand, argument, dims)
            case _:
                pass
    return _with_parity(forms, name, argument, dims)


def _unit(forms: Polynomials, operand: int, argument: Polynomial, dims: Dims) -> Polynomial:
    """What is 1 or -1, times which an e-class's polynomial is its modulus."""
    if is_nonnegative(forms, argument) or forms.graph.knows(operand, NONNEGATIVE):
        return forms.number(1, dims)
    if forms.graph.knows(operand, NONPOSITIVE):
        return forms.number(-1, dims)
    any_atom = not is_complex(forms.atoms, argument)
    taken, rest = _content(forms, argument, dims, any_atom=any_atom)
    parts: list[tuple[Polynomial, Indices]] = []
    for f in taken:
        if f.exponent % 2 == 0 or is_positive(forms, f.atom):
            continue
        inner = tuple(dims[k] for k in f.part)
        whole = forms.product([Factor(f.atom, 1, tuple(range(len(inner))))], inner)
        if not is_unit(forms, f.atom):
            whole = function_of(forms, "", whole, inner, kind="unit")
        parts.append((whole, f.part))
    number = rest[leading(rest)] if rest else 1
    rest = forms.sum([(rest, 1 / Fraction(number))])
    axes = tuple(range(len(dims)))
    if not is_nonnegative(forms, rest):
        parts.append((function_of(forms, "", rest, dims, kind="unit"), axes))
    found = forms.contract(parts, axes, dict(enumerate(dims)))
    return forms.sum([(found, 1 if number > 0 else -1)])


def _with_parity(
    forms: Polynomials, name: str, argument: Polynomial, dims: Dims, kind: str = "function"
) -> Polynomial:
    """A function; an odd or even one of an argument whose leading coefficient is positive."""
    parity = record(name).parity
    if not parity or not argument or argument[leading(argument)] > 0:
        if kind == "arc" and argument.keys() <= forms.number(1, dims).keys():
            turns = _KNOWN_ARCS.get((name, sum(argument.values())))
            if turns is not None:
                return forms.number(turns * PI, dims)
        return function_of(forms, name, argument, dims, kind=kind)
    found = _with_parity(forms, name, forms.sum([(argument, -1)]), dims, kind)
    return forms.sum([(found, -1)]) if parity == "odd" else found


def power_of_class(forms: Polynomials, cls: int, exponent: Number) -> Polynomial:
    """An e-class to a rational exponent, entry by entry; of a product the powers of its factors."""
    dims = forms.graph.dims[cls]
    exponent = exact(exponent)
    if not isinstance(exponent, int):
        base = forms.polynomial(cls)
        if "powers" in forms.laws and forms.graph.knows(cls, NONNEGATIVE):
            return power(forms, base, exponent, dims)
        return function_of(forms, f"power {exponent}", base, dims)
    if exponent >= 0:
        return power(forms, forms.polynomial(cls), exponent, dims)
    factors = [power(forms, p, e * exponent, dims) for p, e in forms.factors(cls)]
    return forms.entrywise(factors, [len(dims)] * len(factors), dims)


def power(forms: Polynomials, base: Polynomial, exponent: Number, dims: Dims) -> Polynomial:
    """A polynomial to a rational exponent, entry by entry."""
    exponent = exact(exponent)
    ones = forms.number(1, dims)
    axes = tuple(range(len(dims)))
    if isinstance(exponent, int) and 0 <= exponent <= POWER:
        whole = ones
        for _ in range(exponent):
            whole = forms.entrywise([whole, base], [len(dims)] * 2, dims)
        return whole
    split = by_units(forms, base, dims, lambda p: power(forms, p, exponent, dims))
    if split is not None:
        return split
    if isinstance(exponent, int) and base.keys() == ones.keys():
        (value,) = base.values()
        return forms.number(Fraction(raised(value, exponent)), dims)
    if "powers" not in forms.laws:
        return function_of(forms, f"power {fraction_text(Fraction(exponent))}", base, dims)
    parts = _separate(forms, base, dims, any_sign=isinstance(exponent, int))
    if parts:
        powers = [power(forms, p, exponent, d) for p, d in parts]
        return forms.entrywise(powers, [len(d) for _, d in parts], dims)
    taken, rest = _content(forms, base, dims, any_atom=isinstance(exponent, int) or _is_atom(base))
    factors = [f._replace(exponent=exact(f.exponent * exponent)) for f in taken]
    if rest == ones:
        return forms.product(factors, dims)
    if not isinstance(exponent, int) and "units" in forms.laws:
        squares, other = _squares(forms, rest, dims, exponent)
        if squares:
            parts = [(p, part) for p, part in squares] + [
                (power(forms, other, exponent, dims), axes)
            ]
            return forms.contract(parts, axes, dict(enumerate(dims)), factors)
    kind = "power" if base and isinstance(exponent, int) else "root"
    root = function_of(forms, "", rest, dims, kind=kind, exponent=exponent)
    return forms.contract([(root, axes)], axes, dict(enumerate(dims)), factors)


def _squares(
    forms: Polynomials, polynomial: Polynomial, dims: Dims, exponent: Number
) -> tuple[list[tuple[Polynomial, Indices]], Polynomial]:
    """The powers of moduli that even powers of factors give by a fraction, and what is left.

    The exponents of the moduli are whole numbers: (x²·p)^(1/2) = |x|·p^(1/2).
    """
    if is_complex(forms.atoms, polynomial):
        return [], polynomial
    taken, _ = _content(forms, polynomial, dims, any_atom=True)
    found: list[tuple[Polynomial, Indices]] = []
    inverse: list[Factor] = []
    for f in taken:
        whole = exact(f.exponent * exponent)
        if f.exponent % 2 or not isinstance(whole, int):
            continue
        inner = tuple(dims[k] for k in f.part)
        atom = forms.product([Factor(f.atom, 1, tuple(range(len(inner))))], inner)
        unit = function_of(forms, "", atom, inner, kind="unit", exponent=abs(whole) % 2)
        if is_positive(forms, f.atom) or is_unit(forms, f.atom) or whole % 2 == 0:
            unit = forms.number(1, inner)
        modulus = forms.entrywise([unit, power(forms, atom, whole, inner)], [len(inner)] * 2, inner)
        found.append((modulus, f.part))
        inverse.append(f._replace(exponent=-f.exponent))
    axes = tuple(range(len(dims)))
    rest = forms.contract([(polynomial, axes)], axes, dict(enumerate(dims)), inverse)
    return found, rest if inverse else polynomial


def _separate(
    forms: Polynomials, polynomial: Polynomial, dims: Dims, *, any_sign: bool
) -> list[tuple[Polynomial, Dims]]:
    """The sums, each of its own indices, whose product a polynomial is, and the rest, with axes.

    Without `any_sign` only sums that are nowhere negative. None where there is nothing to separate.
    """
    ((m, c), *more) = polynomial.items() or [(Monomial((), (), ()), 0)]
    if more or len(m.sizes) == len(set(m.out)):
        return []
    parts: list[tuple[Polynomial, Dims]] = []
    rest: list[Factor] = []
    sizes = dict(enumerate(m.sizes))
    for factors, _, _ in pieces(forms.atoms, m.factors, {i: i for i in m.out}):
        used = {i for f in factors for i in f.part} - {UNIT}
        if used and used.isdisjoint(m.out):
            part = forms.contract([], (), {i: sizes[i] for i in used}, factors)
            if any_sign or is_nonnegative(forms, part):
                parts.append((part, ()))
                continue
        rest += factors
    kept = {i: d for i, d in sizes.items() if i in m.out or any(i in f.part for f in rest)}
    other = forms.sum([(forms.contract([], m.out, kept, rest), c)])
    whole = other == forms.number(1, dims)
    if not parts or (whole and len(parts) == 1 and not dims):
        return []
    return parts if whole and not dims else [*parts, (other, dims)]


def _is_atom(polynomial: Polynomial) -> bool:
    """Whether a polynomial is one atom and nothing else."""
    ((m, c), *more) = polynomial.items() or [(Monomial((), (), ()), 0)]
    return not more and c == 1 and len(m.factors) == 1 and m.factors[0].exponent == 1


def _content(
    forms: Polynomials, polynomial: Polynomial, dims: Dims, *, any_atom: bool
) -> tuple[list[Factor], Polynomial]:
    """The factors on the output's axes that all terms have, and what is left of the polynomial.

    Negative exponents are taken out of the terms that lack them as well. Without `any_atom` only
    atoms that are positive.
    """
    sizes = dict(enumerate(dims))
    found: list[dict[tuple[int, Indices], Number]] = []
    for m in polynomial:
        place = {i: k for k, i in enumerate(m.out) if i != UNIT}
        if len(place) + m.out.count(UNIT) < len(m.out):
            return [], polynomial
        found.append(
            {
                (f.atom, tuple(place[i] for i in f.part)): f.exponent
                for f in m.factors
                if all(i in place for i in f.part) and (any_atom or _is_positive(forms, f.atom))
            }
        )
    least = {
        key: min(exponents.get(key, 0) for exponents in found)
        for exponents in found
        for key in exponents
    }
    taken = [Factor(atom, e, part) for (atom, part), e in least.items() if e]
    if not taken:
        return [], polynomial
    inverse = [f._replace(exponent=-f.exponent) for f in taken]
    axes = tuple(sizes)
    return taken, forms.contract([(polynomial, axes)], axes, sizes, inverse)


def constant_of(polynomial: Polynomial) -> Number | None:
    """The value of a scalar polynomial that is a number."""
    if not polynomial:
        return 0
    if len(polynomial) > 1:
        return None
    ((m, c),) = polynomial.items()
    return None if m.factors or m.out else c


def _exp(forms: Polynomials, argument: Polynomial, dims: Dims) -> Polynomial:
    """The exponential of a sum, as the product of those of its terms."""
    factors = [forms.number(1, dims)]
    for m, c in argument.items():
        if _is_logarithm(forms, m):
            (f,) = m.factors
            places = tuple(m.out.index(i) for i in f.part)
            factor = power(
                forms, dict(forms.atoms.function(f.atom)[1]), c, tuple(dims[k] for k in places)
            )
            sizes = dict(enumerate(dims))
            factors.append(forms.contract([(factor, places)], tuple(sizes), sizes))
            continue
        factors.append(function_of(forms, "", {m: 1}, dims, kind="exp", exponent=c))
    return forms.entrywise(factors, [len(dims)] * len(factors), dims)


# Angles --------------------------------------------------------------------------------------

# Inverse functions at a number, as parts of pi; DLMF 4.23.
_KNOWN_ARCS: Final[Mapping[tuple[str, Number], Fraction]] = {
    ("arctan", 1): Fraction(1, 4),
    ("arcsin", 1): Fraction(1, 2),
    ("arcsin", Fraction(1, 2)): Fraction(1, 6),
}
# Multiples of angles that are taken apart.
TURNS: Final = 12


def _of_angle(forms: Polynomials, name: str, argument: Polynomial, dims: Dims) -> Polynomial:
    """A sine, cosine or tangent by Euler's formula, with cis a = cos a + i·sin a."""
    ways = [_cis(forms, forms.sum([(argument, s)]), dims) for s in (1, -1)]
    cosine = forms.sum([(p, Fraction(1, 2)) for p in ways])
    if name == "cos":
        return cosine
    over = forms.sum([(ways[0], Fraction(-1, 2)), (ways[1], Fraction(1, 2))])
    axes = tuple(range(len(dims)))
    sine = forms.contract([(over, axes)], axes, dict(enumerate(dims)), [_imaginary(forms)])
    if name == "sin":
        return sine
    return forms.entrywise([sine, power(forms, cosine, -1, dims)], [len(dims)] * 2, dims)


def _imaginary(forms: Polynomials) -> Factor:
    return Factor(forms.atoms.number("imaginary", None), 1, ())


def _cis(forms: Polynomials, argument: Polynomial, dims: Dims) -> Polynomial:
    """The number cis a = cos a + i·sin a of a sum a, as the product of those of its terms."""
    factors = [forms.number(1, dims)]
    for m, c in argument.items():
        turns = over_pi(Fraction(c))
        known = None
        if _is_entrywise(m) and len(m.factors) == 1 and m.factors[0].exponent == 1:
            known = _cis_of_arc(forms, m, c, dims)
        elif not m.factors and turns is not None and (12 * turns).denominator == 1:
            known = _root_of_unity(forms, int(12 * turns), dims)
        if turns is not None and turns.denominator == 1 and _is_whole(forms, m):
            known = function_of(forms, "", {m: 1}, dims, kind="alternating", exponent=int(turns))
        if known is None:
            known = function_of(forms, "", {m: 1}, dims, kind="cis", exponent=c)
        factors.append(known)
    return forms.entrywise(factors, [len(dims)] * len(factors), dims)


def _is_whole(forms: Polynomials, m: Monomial) -> bool:
    """Whether a monomial that is no number is an integer, for its atoms are."""
    return bool(m.factors) and all(
        isinstance(f.exponent, int)
        and f.exponent > 0
        and forms.atoms.kind(f.atom) == "class"
        and forms.graph.knows(cast(int, forms.atoms.what(f.atom)), INTEGER)
        for f in m.factors
    )


def _root_of_unity(forms: Polynomials, twelfths: int, dims: Dims) -> Polynomial:
    """The number cis(k·pi/12), by cis(pi/3) = (1 + i·√3)/2 and cis(pi/4) = (1 + i)/√2."""
    i = _imaginary(forms)
    one, turned = forms.number(1, dims), forms.product([i], dims)
    root = [power(forms, forms.number(n, dims), Fraction(1, 2), dims) for n in (2, 3)]
    orders = [len(dims)] * 2
    half = Fraction(1, 2)
    sixth = forms.sum([(one, half), (forms.entrywise([turned, root[1]], orders, dims), half)])
    eighth = forms.entrywise([forms.sum([(one, half), (turned, half)]), root[0]], orders, dims)
    # 4·k - 3·k = k: so many sixths of a turn less so many eighths.
    thirds, quarters = twelfths % 6, -twelfths % 8
    parts = [*([sixth] * thirds), *([eighth] * quarters)]
    return forms.entrywise([one, *parts], [len(dims)] * (1 + len(parts)), dims)


def _cis_of_arc(forms: Polynomials, m: Monomial, c: Number, dims: Dims) -> Polynomial | None:
    """The function cis of a multiple of arctan p or arcsin p, by p: DLMF 4.24."""
    (f,) = m.factors
    if forms.atoms.kind(f.atom) != "arc" or not isinstance(c, int) or abs(c) > TURNS:
        return None
    name, key = forms.atoms.function(f.atom)
    places = tuple(m.out.index(i) for i in f.part)
    axes = tuple(range(len(dims)))
    p = forms.contract([(dict(key), places)], axes, dict(enumerate(dims)))
    one, orders = forms.number(1, dims), [len(dims)] * 2
    square = forms.entrywise([p, p], orders, dims)
    turned = forms.contract([(p, axes)], axes, dict(enumerate(dims)), [_imaginary(forms)])
    sign = 1 if c > 0 else -1
    if name == "arctan":
        length = power(forms, forms.sum([(one, 1), (square, 1)]), Fraction(-abs(c), 2), dims)
        unit, rest = forms.sum([(one, 1), (turned, sign)]), [length]
    else:
        cosine = power(forms, forms.sum([(one, 1), (square, -1)]), Fraction(1, 2), dims)
        unit, rest = forms.sum([(cosine, 1), (turned, sign)]), []
    parts = [one, *([unit] * abs(c)), *rest]
    return forms.entrywise(parts, [len(dims)] * len(parts), dims)


def _is_logarithm(forms: Polynomials, m: Monomial) -> bool:
    """Whether a monomial is the logarithm of something on the same axes, or on some of them."""
    if len(m.factors) != 1 or m.factors[0].exponent != 1 or not _is_entrywise(m):
        return False
    return forms.atoms.kind(m.factors[0].atom) == "log"


def _is_entrywise(m: Monomial) -> bool:
    """Whether a monomial sums nothing and is no delta."""
    shown = [i for i in m.out if i != UNIT]
    return len(set(shown)) == len(shown) == len(m.sizes)


def _log(forms: Polynomials, argument: Polynomial, dims: Dims) -> Polynomial:
    """The logarithm; that of each positive factor of all terms by itself."""
    parts = _separate(forms, argument, dims, any_sign=False)
    if parts:
        logarithms = [_log(forms, p, d) for p, d in parts]
        axes = tuple(range(len(dims)))
        spread = (
            forms.contract([(p, axes[: len(d)])], axes, dict(enumerate(dims)))
            for p, (_, d) in zip(logarithms, parts, strict=True)
        )
        return forms.sum((p, 1) for p in spread)
    taken, rest = _content(forms, argument, dims, any_atom=False)
    sizes = dict(enumerate(dims))
    summands: list[tuple[Polynomial, Number]] = []
    for f in taken:
        inner = tuple(dims[k] for k in f.part)
        if forms.atoms.kind(f.atom) == "exp":
            logarithm = dict(forms.atoms.function(f.atom)[1])
        else:
            whole = forms.product([Factor(f.atom, 1, tuple(range(len(inner))))], inner)
            logarithm = function_of(forms, "", whole, inner, kind="log")
        summands.append((forms.contract([(logarithm, f.part)], tuple(sizes), sizes), f.exponent))
    if rest != forms.number(1, dims):
        summands.append((function_of(forms, "", rest, dims, kind="log"), 1))
    return forms.sum(summands)


def _is_positive(forms: Polynomials, atom: int) -> bool:
    if forms.atoms.kind(atom) == "det":
        matrix = class_of_argument(forms, atom)
        return matrix is not None and forms.graph.knows(matrix, DEFINITE)
    return is_positive(forms, atom)


def class_of_argument(forms: Polynomials, atom: int) -> int | None:
    """The e-class that a function is of, where its argument is one as it stands."""
    argument = dict(forms.atoms.function(atom)[1])
    if not _is_atom(argument):
        return None
    (monomial,) = argument
    (factor,) = monomial.factors
    whole = len(monomial.sizes) == len({*factor.part})
    if not whole or forms.atoms.kind(factor.atom) != "class":
        return None
    return cast(int, forms.atoms.what(factor.atom))


def cleared(forms: Polynomials, polynomial: Polynomial, dims: Dims) -> Polynomial:
    """A polynomial times its denominators on the output's axes: zero if and only if it was."""
    sizes = dict(enumerate(dims))
    axes = tuple(sizes)
    for _ in range(DENOMINATORS):
        poles: dict[tuple[int, Indices], Number] = {}
        for m in polynomial:
            place = {i: k for k, i in enumerate(m.out) if i != UNIT}
            for f in m.factors:
                if f.exponent < 0 and all(i in place for i in f.part):
                    key = (f.atom, tuple(place[i] for i in f.part))
                    poles[key] = min(f.exponent, poles.get(key, 0))
        if not poles:
            break
        (atom, part), exponent = min(poles.items())
        factor = Factor(atom, -exponent, part)
        polynomial = forms.contract([(polynomial, axes)], axes, sizes, [factor])
    return polynomial
