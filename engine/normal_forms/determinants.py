"""Determinants of δ + m in normal forms: det(δ + a·b) = det(δ + b·a), for matrices of any sizes.

Of all matrices that a product m may begin with the one is taken that makes the least determinant.
"""

from collections.abc import Callable, Sequence

from eggrad.engine.indices.spec import Dims
from eggrad.engine.normal_forms.networks import UNIT, Factor, Monomial, Number, pieces
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials


def identity_part(argument: Polynomial) -> Monomial | None:
    """The multiple of δ among the terms of a matrix, if one is that times scalars."""
    found = [m for m in argument if m.out in ((0, 0),) and not any(f.part for f in m.factors)]
    return found[0] if len(found) == 1 and len(found[0].sizes) == 1 else None


def scalars(
    argument: Polynomial, is_positive: Callable[[int], bool]
) -> tuple[list[Factor], Number]:
    """Positive scalars, and a positive number, that a determinant is divided by.

    They are those of the multiple of δ; without one those that all terms have.
    """
    identity = identity_part(argument)
    terms = [identity] if identity is not None else [*argument]
    if not terms:
        return [], 1
    common = {f for f in terms[0].factors if not f.part and is_positive(f.atom)}
    common = common.intersection(*(m.factors for m in terms))
    number = argument[terms[0]] if len(terms) == 1 else 1
    return sorted(common), number if number > 0 else 1


def rank_one(forms: Polynomials, argument: Polynomial) -> Polynomial | None:
    """The value det(δ + u·v') = 1 + v'·u, where a matrix is that."""
    m = _beside_identity(argument)
    if m is None or UNIT in m.out:
        return None
    first, second = m.out
    for factors, _, _ in pieces(forms.atoms, m.factors, {}):
        used = {i for f in factors for i in f.part}
        if first in used and second in used:
            return None
    trace = forms.contract([({m: argument[m]}, (0, 0))], (), {0: m.sizes[first]})
    return forms.sum([(forms.number(1, ()), 1), (trace, 1)])


def shortest(forms: Polynomials, argument: Polynomial, square: Dims) -> tuple[Polynomial, Dims]:
    """The least of the matrices δ + b·a, for all ways to write a matrix as δ + a·b."""
    m = _beside_identity(argument)
    found = [(argument, square)]
    path = None if m is None else _path(m)
    if m is not None and path is not None:
        found += [_turned(forms, m, argument[m], path, cut) for cut in range(1, len(path))]
    return min(found, key=lambda f: (str(f[1]), min(_keys(forms, *f))))


def _beside_identity(argument: Polynomial) -> Monomial | None:
    """The product that is added to δ, if a matrix is δ and one product of any others."""
    identity = identity_part(argument)
    if identity is None or len(argument) != 2 or argument[identity] != 1 or identity.factors:
        return None
    (m,) = (m for m in argument if m != identity)
    return m if len(set(m.out)) == 2 else None


def _keys(forms: Polynomials, polynomial: Polynomial, dims: Dims) -> list[object]:
    """What a matrix and its transpose are ordered by."""
    sizes = dict(enumerate(dims))
    ways = (forms.contract([(polynomial, (0, 1))], out, sizes) for out in ((0, 1), (1, 0)))
    return [sorted((m.rank, c) for m, c in way.items()) for way in ways]


def _path(m: Monomial) -> list[Factor] | None:
    """The matrices, in order, whose product a monomial is; vectors and scalars are beside them."""
    matrices = [f for f in m.factors if len(f.part) > 1]
    place, end = m.out
    found: list[Factor] = []
    while place != end:
        here = [f for f in matrices if place in f.part]
        if len(here) != 1 or len(set(here[0].part)) != 2 or len(here[0].part) != 2:
            return None
        (f,) = here
        matrices.remove(f)
        found.append(f)
        place = f.part[1] if f.part[0] == place else f.part[0]
        if place == UNIT:
            return None
    return None if matrices else found


def _turned(
    forms: Polynomials, m: Monomial, number: Number, path: Sequence[Factor], cut: int
) -> tuple[Polynomial, Dims]:
    """The matrix δ + b·a, where a is the product of the first matrices of a path."""
    first, last = m.out
    (hinge,) = {*path[cut - 1].part} & {*path[cut].part}
    end = len(m.sizes)
    sizes = dict(enumerate(m.sizes)) | {end: m.sizes[hinge]}
    before = {last: first, hinge: end}

    def renamed(f: Factor, names: dict[int, int]) -> Factor:
        return f._replace(part=tuple(names.get(i, i) for i in f.part))

    others = [renamed(f, {last: first}) for f in m.factors if f not in path]
    factors = [
        *(renamed(f, before) for f in path[:cut]),
        *(renamed(f, {last: first}) for f in path[cut:]),
        *others,
    ]
    size = m.sizes[hinge]
    del sizes[last]
    product = forms.contract([], (hinge, end), sizes, factors)
    delta = forms.contract([], (0, 0), {0: size})
    return forms.sum([(delta, 1), (product, number)]), (size, size)
