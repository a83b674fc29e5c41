"""Sums of products as sums of squares, so that one sees that they are nowhere negative.

The Gram matrix method (Choi, Lam, Reznick 1995) with one Gram matrix: a summand that is a square
has a root, any other summand is twice the product of two roots, and the matrix of the
coefficients is taken apart, L·D·L', with rational numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.properties import NONNEGATIVE
from eggrad.engine.networks.networks import Network, contract_terms, raised, scaled
from eggrad.engine.normal_forms.functions import function_of, power
from eggrad.engine.normal_forms.networks import Factor, Key, Monomial, Number, TooLarge, pieces
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials
from eggrad.engine.normal_forms.reading import forms_of, roots_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term

MOST: Final = 12

Letter = tuple[object, ...]
"""A part of products: factors that indices connect, with the sizes of these; the last says
whether it has an entry for each place of an axis that is summed in the end."""
Powers = Mapping[Letter, Fraction]


@dataclass(frozen=True)
class _Product:
    """A monomial: the powers of letters, and the size of the axis that it is summed over."""

    powers: tuple[tuple[Letter, Fraction], ...]
    axis: Size | None


def sums_of_squares(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """For each scalar that is asked about a sum of squares that it is, where one is found."""
    forms = forms_of(graph, ())
    for cls in roots_of(forms.graph):
        if forms.graph.dims[cls]:
            continue
        for sign in (1, -1):
            polynomial = forms.sum([(forms.polynomial(cls), sign)])
            forms.products = 0
            try:
                found = _as_squares(forms, polynomial) or _as_fraction(forms, polynomial)
            except TooLarge:
                found = None
            if found is not None:
                yield cls, scaled(Fraction(sign), found)
                break


def _as_fraction(forms: Polynomials, polynomial: Polynomial) -> Term | None:
    """A sum of fractions over their common denominator, with a sum of squares above."""
    read: list[tuple[Monomial, Number, dict[Key, Fraction]]] = []
    lowest: dict[Key, Fraction] = {}
    for m, c in polynomial.items():
        kept: list[Factor] = []
        exponents: dict[Key, Fraction] = {}
        for f in m.factors:
            name, argument = _function(forms, f.atom)
            if f.part or len(argument) < 2 or not name.startswith("power "):
                kept.append(f)
                continue
            e = Fraction(name.removeprefix("power ")) * Fraction(f.exponent)
            exponents[argument] = exponents.get(argument, Fraction(0)) + e
            lowest[argument] = min(lowest.get(argument, Fraction(0)), exponents[argument])
        read.append((m._replace(factors=tuple(kept)), c, exponents))
    below = {a: e for a, e in lowest.items() if e < 0}
    above: list[tuple[Polynomial, Number]] = []
    for m, c, exponents in read:
        rest = {a: exponents.get(a, Fraction(0)) - lowest[a] for a in lowest}
        if any(e.denominator > 1 for e in rest.values()):
            return None
        factors = [power(forms, dict(a), int(e), ()) for a, e in rest.items()]
        above.append((forms.entrywise([{m: 1}, *factors], [0] * (1 + len(factors)), ()), c))
    found = _as_squares(forms, forms.sum(above)) if below else None
    if found is None:
        return None
    for argument, e in below.items():
        whole = _class_of(forms, argument)
        if whole is None:
            return None
        found = terms.einsum(",->", found, raised(forms.graph.term(whole), e))
    return found


def _as_squares(forms: Polynomials, polynomial: Polynomial) -> Term | None:
    groups: dict[Size | None, dict[_Product, Fraction]] = {}
    for m, c in polynomial.items():
        product = _read(forms, m)
        if product is None:
            return None
        found = groups.setdefault(product.axis, {})
        found[product] = found.get(product, Fraction(0)) + Fraction(c)
    parts = [
        _group(forms, axis, {p: c for p, c in found.items() if c}) for axis, found in groups.items()
    ]
    if not parts or any(p is None for p in parts):
        return None
    return reduce(terms.add, cast(list[Term], parts))


def _read(forms: Polynomials, m: Monomial) -> _Product | None:
    """The powers of a monomial's letters; None where it has atoms that no e-class is."""
    if any(_atom(forms, f.atom) is None for f in m.factors):
        return None
    powers: dict[Letter, Fraction] = {}
    axis: Size | None = None
    found = [(factors, key) for factors, key, _ in pieces(forms.atoms, m.factors, {})]
    keys = [key for _, key in found]
    for factors, key in found:
        indices = {i for f in factors for i in f.part}
        if not indices:
            letters = _letters(forms, factors)
        elif len(indices) == 1 and keys.count(key) == 1 and axis is None:
            (i,) = indices
            if any(f.part != (i,) for f in factors):
                return None
            axis = m.sizes[i]
            letters = _letters(forms, factors)
        else:
            names = {i: k for k, i in enumerate(sorted(indices))}
            sizes = tuple(m.sizes[i] for i in sorted(indices))
            parts = (Factor(f.atom, f.exponent, tuple(names[i] for i in f.part)) for f in factors)
            letters = {(key, (*sorted(parts),), sizes, False): Fraction(1)}
        for letter, e in letters.items():
            powers[letter] = powers.get(letter, Fraction(0)) + e
    return _Product(tuple(sorted(((x, e) for x, e in powers.items() if e), key=repr)), axis)


def _function(forms: Polynomials, atom: int) -> tuple[str, Key]:
    """The name and the argument of an atom that is a function."""
    return forms.atoms.function(atom) if forms.atoms.kind(atom) == "function" else ("", ())


def _class_of(forms: Polynomials, argument: Key) -> int | None:
    """The e-class of an argument, if there is one."""
    return next((c for c, p in forms.done.items() if p.items() == {*argument}), None)


def _atom(forms: Polynomials, atom: int) -> tuple[Term, bool] | None:
    """The term of an atom, and whether it is nowhere negative; None for one that no e-class is."""
    graph, atoms = forms.graph, forms.atoms
    if atoms.kind(atom) == "class":
        cls = cast(int, atoms.what(atom))
        return graph.term(cls), graph.knows(cls, NONNEGATIVE)
    if atoms.kind(atom) != "function":
        return None
    name, argument = atoms.function(atom)
    whole = _class_of(forms, argument)
    if whole is None:
        return None
    if name.startswith("power "):
        p = Fraction(name.removeprefix("power "))
        return raised(graph.term(whole), p), p % 2 == 0 or graph.knows(whole, NONNEGATIVE)
    function = FUNCTIONS.get(name)
    if function is None:
        return None
    return terms.apply(name, graph.term(whole)), function.is_never_negative


def _letters(forms: Polynomials, factors: Sequence[Factor]) -> dict[Letter, Fraction]:
    """The powers of letters in a product of scalars, or of vectors on one index."""
    found: dict[Letter, Fraction] = {}
    for f in factors:
        part = (0,) if f.part else ()
        for atom, e in _bases(forms, f):
            letter = (Factor(atom, 1, part), bool(part))
            found[letter] = found.get(letter, Fraction(0)) + e
    return found


def _bases(forms: Polynomials, factor: Factor) -> list[tuple[int, Fraction]]:
    """A factor as a product of powers, entry by entry: of the factors of what it is a power of."""
    exponent = Fraction(factor.exponent)
    name, argument = _function(forms, factor.atom)
    if name == "exp" and len(argument) == 1 and not factor.part:
        ((inner, c),) = argument
        ((one, _),) = function_of(forms, name, {inner: 1}, ()).items()
        if all(_atom(forms, f.atom) for f in one.factors):
            return [(f.atom, Fraction(c) * exponent) for f in one.factors]
    # A power of a sum, or of 0, is an atom.
    if name.startswith("power ") and len(argument) == 1:
        p, ((inner, c),) = Fraction(name.removeprefix("power ")), argument
        alike = all(len(f.part) == len(inner.out) for f in inner.factors)
        entrywise = len(inner.sizes) == len(inner.out) == len(factor.part) and alike
        known = [_atom(forms, f.atom) for f in inner.factors]
        if c == 1 and entrywise and all(k and (p.denominator == 1 or k[1]) for k in known):
            return [(a, e * p * exponent) for f in inner.factors for a, e in _bases(forms, f)]
    return [(factor.atom, exponent)]


def _term_of(forms: Polynomials, atom: int) -> Term:
    return cast(tuple[Term, bool], _atom(forms, atom))[0]


def _group(
    forms: Polynomials, axis: Size | None, found: Mapping[_Product, Fraction]
) -> Term | None:
    """A sum of products over one axis, or of scalars, as a sum of squares."""
    roots: list[Powers] = []
    gram: dict[tuple[int, int], Fraction] = {}
    crossed: list[tuple[_Product, Fraction]] = []
    for p, c in found.items():
        root = _root(forms, p) if c > 0 else None
        if root is None:
            crossed.append((p, c))
        else:
            gram[len(roots), len(roots)] = c
            roots.append(root)
    if len(roots) > MOST:
        return None
    for p, c in crossed:
        pair = _pair(roots, dict(p.powers))
        if pair is None:
            return None
        gram[pair] = gram.get(pair, Fraction(0)) + c / 2
    taken = _taken_apart(gram, len(roots))
    if taken is None:
        return None
    dims = () if axis is None else (axis,)
    squares = [
        _square(d, reduce(terms.add, [scaled(c, _term(forms, roots[k], dims)) for k, c in row]))
        for d, row in taken
    ]
    return reduce(terms.add, squares) if squares else terms.constant(0)


def _square(d: Fraction, t: Term) -> Term:
    axes = tuple(range(t.order))
    return scaled(d, terms.einsum((axes, axes, ()), t, t))


def _root(forms: Polynomials, p: _Product) -> Powers | None:
    """What a product is the square of; None where it may be none."""
    found: dict[Letter, Fraction] = {}
    for letter, e in p.powers:
        if e % 2 and not _is_nonnegative(forms, letter):
            return None
        found[letter] = e / 2
    return found


def _is_nonnegative(forms: Polynomials, letter: Letter) -> bool:
    factor = letter[0]
    if not isinstance(factor, Factor):
        return False
    return cast(tuple[Term, bool], _atom(forms, factor.atom))[1]


def _pair(roots: Sequence[Powers], powers: Powers) -> tuple[int, int] | None:
    """Two different roots of which a product is the product."""
    for j, a in enumerate(roots):
        for k in range(j):
            joined = {
                x: a.get(x, Fraction(0)) + roots[k].get(x, Fraction(0)) for x in {*a, *roots[k]}
            }
            if {x: e for x, e in joined.items() if e} == powers:
                return k, j
    return None


def _taken_apart(
    gram: Mapping[tuple[int, int], Fraction], count: int
) -> list[tuple[Fraction, list[tuple[int, Fraction]]]] | None:
    """Positive numbers and linear forms whose squares a quadratic form is the sum of; or None."""
    left = [
        [gram.get((min(j, k), max(j, k)), Fraction(0)) for k in range(count)] for j in range(count)
    ]
    found: list[tuple[Fraction, list[tuple[int, Fraction]]]] = []
    for p in range(count):
        d = left[p][p]
        row = left[p][:]
        if d < 0 or (d == 0 and any(row)):
            return None
        if d == 0:
            continue
        found.append((d, [(k, row[k] / d) for k in range(p, count) if row[k]]))
        for j in range(count):
            for k in range(count):
                left[j][k] -= row[j] * row[k] / d
    return found


def _term(forms: Polynomials, powers: Powers, dims: tuple[Size, ...]) -> Term:
    """A product of powers of letters, with the axis that it is summed over if it has one."""
    graph = forms.graph
    placed: list[tuple[Term, tuple[int, ...]]] = []
    for letter, e in powers.items():
        if isinstance(letter[0], Factor):
            placed.append((raised(_term_of(forms, letter[0].atom), e), letter[0].part))
        else:
            _, factors, sizes, _ = letter
            pool = [
                (raised(_term_of(forms, f.atom), f.exponent), f.part)
                for f in cast(tuple[Factor, ...], factors)
            ]
            inner = Network((), (), dict(enumerate(cast(tuple[Size, ...], sizes))))
            placed.append((raised(contract_terms(graph, inner, pool, ()), e), ()))
    out = tuple(range(len(dims)))
    return contract_terms(graph, Network((), out, dict(enumerate(dims))), placed, out)
