"""Determinants of δ + m in normal forms: det(δ + a·b) = det(δ + b·a), for matrices of any sizes.

Of all matrices that a product m may begin with the one is taken that makes the least determinant.
The determinant of a Kronecker product is a product of powers of determinants.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from eggrad.engine.indices.constraints import Constraints
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
    path = None if m is None else _path(m)
    if m is None or path is None or len(path) == 1:
        return argument, square
    found = [(argument, square)]
    found += [_turned(forms, m, argument[m], path, cut) for cut in range(1, len(path))]
    return min(found, key=lambda f: (str(f[1]), min(_keys(forms, *f))))


def _beside_identity(argument: Polynomial) -> Monomial | None:
    """The product that is added to δ, if a matrix is δ and one product of any others."""
    identity = identity_part(argument)
    if identity is None or len(argument) != 2 or argument[identity] != 1 or identity.factors:
        return None
    (m,) = (m for m in argument if m != identity)
    return m if len(set(m.out)) == 2 else None


def _keys(forms: Polynomials, polynomial: Polynomial, dims: Dims) -> list[Any]:
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


def kronecker_factors(forms: Polynomials, argument: Polynomial) -> list[tuple[Polynomial, int]]:
    """Matrices whose Kronecker product a matrix is, with their sizes; none of any other matrix.

    Its rows are numbered as their rows are, one after the other, by a condition on the indices, and
    its columns likewise.
    """
    ((m, number), *more) = argument.items() or [(Monomial((), (), ()), 0)]
    if more or len(set(m.out)) != 2 or UNIT in m.out:
        return []
    numbered = [_numbered(forms, m, f) for f in m.factors]
    rows, columns = (next((n for n in numbered if n and n[0] == i), None) for i in m.out)
    if rows is None or columns is None or rows[2] != columns[2]:
        return []
    rest = [f for f, n in zip(m.factors, numbered, strict=True) if n not in (rows, columns)]
    groups = [group for group, _, _ in pieces(forms.atoms, rest, {})]
    found: list[tuple[Polynomial, int]] = []
    for i, j in zip(rows[1], columns[1], strict=True):
        inside = [g for g in groups if {i, j} & {k for f in g for k in f.part}]
        if len(inside) != 1:
            return []
        groups.remove(inside[0])
        used = {i, j, *(k for f in inside[0] for k in f.part)}
        sizes = {k: d for k, d in enumerate(m.sizes) if k in used}
        found.append((forms.contract([], (i, j), sizes, inside[0]), cast(int, m.sizes[i])))
    first, n = found[0]
    return [] if groups else [(forms.sum([(first, number)]), n), *found[1:]]


def _numbered(
    forms: Polynomials, m: Monomial, factor: Factor
) -> tuple[int, tuple[int, ...], tuple[object, ...]] | None:
    """An index, and those by which it is numbered, as 3·j + k by j and k < 3; None of no condition.

    The last says how.
    """
    if forms.atoms.kind(factor.atom) != "indicator" or factor.exponent != 1:
        return None
    dims, constraints = cast(tuple[Dims, Constraints], forms.atoms.what(factor.atom))
    if len(constraints) != 1 or constraints[0][0] != "=":
        return None
    strides = {k: c for k, c in constraints[0][1] if isinstance(k, int)}
    if sum(strides.values()) < 0:
        strides = {k: -c for k, c in strides.items()}
    whole = [k for k, c in strides.items() if c == -1]
    if len(whole) != 1 or len(strides) != len(constraints[0][1]) or len(strides) != len(dims):
        return None
    inner = sorted((k for k in strides if k != whole[0]), key=lambda k: strides[k])
    step = 1
    for k in inner:
        size = dims[k]
        if strides[k] != step or not isinstance(size, int):
            return None
        step *= size
    if step != dims[whole[0]]:
        return None
    return (
        factor.part[whole[0]],
        tuple(factor.part[k] for k in inner),
        tuple(dims[k] for k in inner),
    )
