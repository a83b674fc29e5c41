"""What is 1 or -1 in normal forms: labels, and the signs of what a modulus is taken of.

|p| = u·p, where the unit u is 1 for p ≥ 0 and -1 elsewhere, so that u² = 1 at all values. Of what
has a unit in it a function is f(p + u·q) = (f(p + q) + f(p - q))/2 + u·(f(p + q) - f(p - q))/2.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Final, cast

from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.laws.properties import NONNEGATIVE, POSITIVE, SIGNS
from eggrad.engine.normal_forms.networks import UNIT, Atoms, Factor, Monomial
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials
from eggrad.engine.terms.functions import FUNCTIONS

# Units of one argument: a function of them has twice as many values for each.
MOST: Final = 3
# What stands for a complex number: such an atom has no sign.
COMPLEX: Final = frozenset({"imaginary", "cis"})


def is_unit(forms: Polynomials, atom: int) -> bool:
    """Whether an atom is 1 or -1 at all values."""
    kind = forms.atoms.kind(atom)
    if kind == "class":
        return forms.graph.knows(cast(int, forms.atoms.what(atom)), SIGNS)
    return kind in ("unit", "alternating")


def shown_units(forms: Polynomials, polynomial: Polynomial) -> list[tuple[int, Indices]]:
    """The units in a polynomial whose indices are axes of it, each with these axes."""
    found: dict[tuple[int, Indices], None] = {}
    for m in polynomial:
        place = {i: k for k, i in enumerate(m.out) if i != UNIT}
        for f in m.factors:
            if all(i in place for i in f.part) and is_unit(forms, f.atom):
                found[f.atom, tuple(place[i] for i in f.part)] = None
    return list(found)


def by_units(
    forms: Polynomials,
    argument: Polynomial,
    dims: Dims,
    function: Callable[[Polynomial], Polynomial],
) -> Polynomial | None:
    """A function of every entry, by its values where a unit is 1 and where it is -1."""
    units = shown_units(forms, argument) if "units" in forms.laws else []
    if not units or len(units) > MOST:
        return None
    atom, part = units[0]
    unit = Factor(atom, 1, part)
    axes, sizes = tuple(range(len(dims))), dict(enumerate(dims))

    def has(m: Monomial) -> bool:
        return any(f.atom == atom and tuple(m.out[k] for k in part) == f.part for f in m.factors)

    kept = {m: c for m, c in argument.items() if not has(m)}
    turned = {m: c for m, c in argument.items() if has(m)}
    odd = forms.contract([(turned, axes)], axes, sizes, [unit])
    if shown_units(forms, forms.sum([(kept, 1), (odd, 1)])).count((atom, part)):
        return None
    above, below = (function(forms.sum([(kept, 1), (odd, s)])) for s in (1, -1))
    half = Fraction(1, 2)
    difference = forms.sum([(above, half), (below, -half)])
    of_unit = forms.contract([(difference, axes)], axes, sizes, [unit])
    return forms.sum([(above, half), (below, half), (of_unit, 1)])


def is_positive(forms: Polynomials, atom: int) -> bool:
    """Whether an atom is above 0, or not defined, at all values with an interior."""
    kind, what = forms.atoms.kind(atom), forms.atoms.what(atom)
    match kind:
        case "exp" | "root" | "size":
            return True
        case "class":
            known = forms.graph.knows
            return known(cast(int, what), POSITIVE) or known(cast(int, what), NONNEGATIVE)
        case "power":
            return is_nonnegative(forms, dict(forms.atoms.function(atom)[1]))
        case "function":
            function = FUNCTIONS.get(forms.atoms.function(atom)[0])
            return function is not None and function.is_never_negative
        case _:
            return False


def is_nonnegative(forms: Polynomials, polynomial: Polynomial) -> bool:
    """Whether one sees at the terms of a polynomial that it is at least 0."""

    def fits(f: Factor) -> bool:
        if forms.atoms.kind(f.atom) in COMPLEX:
            return False
        return is_positive(forms, f.atom) or (isinstance(f.exponent, int) and f.exponent % 2 == 0)

    return bool(polynomial) and all(
        c > 0 and all(map(fits, m.factors)) for m, c in polynomial.items()
    )


def is_complex(atoms: Atoms, polynomial: Polynomial) -> bool:
    """Whether complex numbers are used to write a polynomial."""
    return any(atoms.kind(f.atom) in COMPLEX for m in polynomial for f in m.factors)
