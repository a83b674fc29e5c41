"""What is no sum and no product, in normal forms: atoms known by what they are functions of."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.normal_forms.indicators import indicator_factor
from eggrad.engine.normal_forms.networks import (
    UNIT,
    Factor,
    Key,
    Monomial,
    Number,
    canonical,
    exact,
    permuted_axes,
    raised,
)

if TYPE_CHECKING:
    from eggrad.engine.normal_forms.normal_form import NormalForms, Polynomial

__all__ = ["function_of", "indicator_of", "leading", "matrix_function", "of_class"]

# Matrix functions of a transposed matrix are the transposed ones, or the same numbers.
TRANSPOSABLE = ("inv", "det", "adj")


def leading(polynomial: "Polynomial", least: bool = False) -> Monomial:
    """The monomial of the highest degree; of several the greatest, or the `least`."""

    def degree(m: Monomial) -> Number:
        return sum(abs(f.exponent) for f in m.factors)

    highest = max(map(degree, polynomial))
    several = [m for m in polynomial if degree(m) == highest]
    return (min if least else max)(several, key=lambda m: m.rank)


def of_class(forms: "NormalForms", cls: int) -> "Polynomial":
    """A class as an atom, with the exchanges of axes that its members say change nothing."""
    graph = forms.graph
    dims = graph.dims[cls]
    symmetries: list[Indices] = []
    for m in graph.members[cls]:
        if m.constructor == "ein1" and m.children == (cls,):
            source, out = cast(tuple[Indices, Indices], m.data[0])
            if len(set(source)) == len(source) and sorted(source) == sorted(out):
                symmetries.append(tuple(source.index(i) for i in out))
    axes = tuple(range(len(dims)))
    factor = Factor(forms.atoms.number("class", cls, symmetries), 1, axes)
    return forms.joined([], axes, dict(zip(axes, dims, strict=True)), [factor])


def indicator_of(forms: "NormalForms", dims: Dims, constraints: Constraints) -> "Polynomial":
    """An indicator as a sum of products of atoms."""
    axes = tuple(range(len(dims)))
    factor = indicator_factor(forms.atoms, axes, dims, constraints)
    return forms.joined([], axes, dict(zip(axes, dims, strict=True)), [factor])


def function_of(
    forms: "NormalForms",
    name: str,
    argument: "Polynomial",
    dims: Dims,
    *,
    kind: str = "function",
    exponent: Number = 1,
) -> "Polynomial":
    """An element-wise function of a polynomial; it has the axes alone that its argument needs."""
    kept = [k for k in range(len(dims)) if any(_uses(m, k) for m in argument)]
    inner = tuple(dims[k] for k in kept)
    own = _restricted(forms, argument, kept)
    atom, order, number = _atom(forms, kind, name, own, inner)
    factor = Factor(atom, exponent, tuple(kept[k] for k in order))
    axes = tuple(range(len(dims)))
    whole = forms.joined([], axes, dict(zip(axes, dims, strict=True)), [factor])
    return forms.sum([(whole, raised(number, exponent))]) if number != 1 else whole


def matrix_function(
    forms: "NormalForms", name: str, argument: "Polynomial", square: Dims, dims: Dims
) -> "Polynomial":
    """`inv`, `det` or `adj` of a polynomial with the axes `square`; (a⁻¹)⁻¹ = a.

    Of a product of square matrices it is the product of theirs, in reversed order.
    """
    chain = _chain(forms, argument)
    if chain:
        parts = [matrix_function(forms, name, p, square, dims) for p in reversed(chain)]
        if not dims:
            return forms.contract([(p, ()) for p in parts], (), {})
        sizes = dict.fromkeys(range(len(parts) + 1), square[0])
        placed = [(p, (k, k + 1)) for k, p in enumerate(parts)]
        return forms.contract(placed, (0, len(parts)), sizes)
    inner = _inverse(forms, argument) if name == "inv" and "inverses" in forms.laws else None
    if inner is not None:
        return inner
    atom, order, number = _atom(forms, name, name, argument, square, axes=bool(dims))
    axes = tuple(range(len(dims)))
    factor = Factor(atom, 1, order if dims else ())
    whole = forms.joined([], axes, dict(zip(axes, dims, strict=True)), [factor])
    return forms.sum([(whole, Fraction(1) / number)])


def _chain(forms: "NormalForms", argument: "Polynomial") -> "list[Polynomial]":
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
        own = f._replace(part=(1, 0) if turned else (0, 1))
        found.append(forms.joined([], (0, 1), dict.fromkeys((0, 1), m.sizes[0]), [own]))
        places.append(f.part[0] if turned else f.part[1])
    return found if places[-1] == m.out[1] and len(set(places)) == len(places) else []


def _inverse(forms: "NormalForms", argument: "Polynomial") -> "Polynomial | None":
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


def _atom(
    forms: "NormalForms",
    kind: str,
    name: str,
    argument: "Polynomial",
    dims: Dims,
    *,
    axes: bool = True,
) -> tuple[int, Indices, Number]:
    """The atom's number, its axes, and a number that was taken out of its argument.

    Of all orders of axes the one with the least polynomial is taken. `axes` says whether the
    atom has those of its argument.
    """
    own = tuple(range(len(dims)))
    sizes = dict(zip(own, dims, strict=True))
    found: list[tuple[Key, Indices, Number]] = []
    for order in permuted_axes(len(dims)) if kind != "exp" or len(dims) < 3 else [own]:
        turned = forms.contract([(argument, own)], order, sizes)
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


def _restricted(
    forms: "NormalForms", polynomial: "Polynomial", kept: Sequence[int]
) -> "Polynomial":
    """The polynomial without axes along which it is the same."""
    found: dict[Monomial, Number] = {}
    for m, c in polynomial.items():
        out = [m.out[k] for k in kept]
        needed = {i for f in m.factors for i in f.part} | set(out)
        sizes = {i: d for i, d in enumerate(m.sizes) if i in needed}
        own = canonical(forms.atoms, m.factors, out, sizes)
        assert own is not None
        found[own[0]] = c
    return found
