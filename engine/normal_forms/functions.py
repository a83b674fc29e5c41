"""Powers, exponentials and logarithms of polynomials, in normal forms."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, cast

from eggrad.engine.extraction.snapshot import ENode
from eggrad.engine.indices.numerals import fraction_text
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.laws.properties import NONNEGATIVE, POSITIVE
from eggrad.engine.normal_forms.atoms import function_of, indicator_of, matrix_function, of_class
from eggrad.engine.normal_forms.networks import UNIT, Factor, Monomial, Number, exact, raised

if TYPE_CHECKING:
    from eggrad.engine.normal_forms.normal_form import NormalForms, Polynomial

__all__ = ["cleared", "constant_of", "of_node", "power", "power_of_class"]

# Powers of a sum that are multiplied out.
POWER: Final = 12
# Denominators that one sum is multiplied by, one after the other.
DENOMINATORS: Final = 6


def of_node(
    forms: "NormalForms", cls: int, node: ENode, parts: Sequence["Polynomial"]
) -> "Polynomial":
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
            if "exponentials" in forms.laws and name == "exp":
                return _exp(forms, parts[0], dims)
            positive = graph.knows(node.children[0], POSITIVE)
            if "exponentials" in forms.laws and name == "log" and positive:
                return _log(forms, parts[0], dims)
            return function_of(forms, name, parts[0], dims)
        case "indicator":
            return indicator_of(forms, dims, node.constraints)
        case "inv" | "det" | "adj" as name:
            return matrix_function(forms, name, parts[0], graph.dims[node.children[0]], dims)
        case _:
            return of_class(forms, cls)


def power_of_class(forms: "NormalForms", cls: int, exponent: Number) -> "Polynomial":
    """A class to a rational exponent, entry by entry; of a product the powers of its factors."""
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


def power(forms: "NormalForms", base: "Polynomial", exponent: Number, dims: Dims) -> "Polynomial":
    """A polynomial to a rational exponent, entry by entry."""
    exponent = exact(exponent)
    axes = tuple(range(len(dims)))
    if isinstance(exponent, int) and 0 <= exponent <= POWER:
        whole = forms.number(1, dims)
        for _ in range(exponent):
            whole = forms.entrywise([whole, base], [len(dims)] * 2, dims)
        return whole
    (ones,) = _ones(forms, dims)
    if isinstance(exponent, int) and [*base] == [ones]:
        return forms.number(Fraction(raised(base[ones], exponent)), dims)
    if "powers" not in forms.laws:
        return function_of(forms, f"power {fraction_text(Fraction(exponent))}", base, dims)
    taken, rest = _content(forms, base, dims, any_atom=isinstance(exponent, int) or _is_atom(base))
    factors = [f._replace(exponent=exact(f.exponent * exponent)) for f in taken]
    sizes = dict(zip(axes, dims, strict=True))
    if rest == _ones(forms, dims):
        return forms.joined([], axes, sizes, factors)
    kind = "power" if base and isinstance(exponent, int) else "root"
    root = function_of(forms, "", rest, dims, kind=kind, exponent=exponent)
    return forms.sum((forms.joined([(m, axes)], axes, sizes, factors), c) for m, c in root.items())


def _ones(forms: "NormalForms", dims: Dims) -> "Polynomial":
    return forms.number(1, dims)


def _is_atom(polynomial: "Polynomial") -> bool:
    """Whether a polynomial is one atom and nothing else."""
    ((m, c), *more) = polynomial.items() or [(Monomial((), (), ()), 0)]
    return not more and c == 1 and len(m.factors) == 1 and m.factors[0].exponent == 1


def _content(
    forms: "NormalForms", polynomial: "Polynomial", dims: Dims, *, any_atom: bool
) -> tuple[list[Factor], "Polynomial"]:
    """The factors on the output's axes that all terms have, and what is left of the polynomial.

    Negative exponents are taken out of the terms that lack them as well. Without `any_atom` only
    atoms that are positive.
    """
    axes = tuple(range(len(dims)))
    sizes = dict(zip(axes, dims, strict=True))
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
    least = {key: min(own.get(key, 0) for own in found) for own in found for key in own}
    taken = [Factor(atom, e, part) for (atom, part), e in least.items() if e]
    if not taken:
        return [], polynomial
    inverse = [f._replace(exponent=-f.exponent) for f in taken]
    rest = forms.sum(
        (forms.joined([(m, axes)], axes, sizes, inverse), c) for m, c in polynomial.items()
    )
    return taken, rest


def constant_of(polynomial: "Polynomial") -> Number | None:
    """The value of a scalar polynomial that is a number."""
    if not polynomial:
        return 0
    if len(polynomial) > 1:
        return None
    ((m, c),) = polynomial.items()
    return None if m.factors or m.out else c


def _exp(forms: "NormalForms", argument: "Polynomial", dims: Dims) -> "Polynomial":
    """The exponential of a sum, as the product of those of its terms."""
    factors = [forms.number(1, dims)]
    for m, c in argument.items():
        if _is_logarithm(forms, m):
            (f,) = m.factors
            places = tuple(m.out.index(i) for i in f.part)
            own = power(
                forms, dict(forms.atoms.function(f.atom)[1]), c, tuple(dims[k] for k in places)
            )
            sizes = dict(enumerate(dims))
            factors.append(forms.contract([(own, places)], tuple(sizes), sizes))
            continue
        factors.append(function_of(forms, "", {m: 1}, dims, kind="exp", exponent=c))
    return forms.entrywise(factors, [len(dims)] * len(factors), dims)


def _is_logarithm(forms: "NormalForms", m: Monomial) -> bool:
    """Whether a monomial is the logarithm of something on the same axes, or on some of them."""
    if len(m.factors) != 1 or m.factors[0].exponent != 1 or not _is_entrywise(m):
        return False
    return forms.atoms.kind(m.factors[0].atom) == "log"


def _is_entrywise(m: Monomial) -> bool:
    """Whether a monomial sums nothing and is no delta."""
    shown = [i for i in m.out if i != UNIT]
    return len(set(shown)) == len(shown) == len(m.sizes)


def _log(forms: "NormalForms", argument: "Polynomial", dims: Dims) -> "Polynomial":
    """The logarithm; positive factors of all terms have their own logarithms."""
    taken, rest = _content(forms, argument, dims, any_atom=False)
    axes = tuple(range(len(dims)))
    sizes = dict(zip(axes, dims, strict=True))
    summands: list[tuple[Polynomial, Number]] = []
    for f in taken:
        inner = tuple(dims[k] for k in f.part)
        if forms.atoms.kind(f.atom) == "exp":
            own = dict(forms.atoms.function(f.atom)[1])
        else:
            alone = Factor(f.atom, 1, tuple(range(len(inner))))
            whole = forms.joined([], alone.part, dict(enumerate(inner)), [alone])
            own = function_of(forms, "", whole, inner, kind="log")
        summands.append((forms.contract([(own, f.part)], axes, sizes), f.exponent))
    if rest != _ones(forms, dims):
        summands.append((function_of(forms, "", rest, dims, kind="log"), 1))
    return forms.sum(summands)


def _is_positive(forms: "NormalForms", atom: int) -> bool:
    kind = forms.atoms.kind(atom)
    what = forms.atoms.what(atom)
    return kind == "exp" or (kind == "class" and forms.graph.knows(cast(int, what), POSITIVE))


def cleared(forms: "NormalForms", polynomial: "Polynomial", dims: Dims) -> "Polynomial":
    """A polynomial times its denominators on the output's axes: zero if and only if it was."""
    axes = tuple(range(len(dims)))
    sizes = dict(zip(axes, dims, strict=True))
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
        polynomial = forms.sum(
            (forms.joined([(m, axes)], axes, sizes, [factor]), c) for m, c in polynomial.items()
        )
    return polynomial
