"""Networks of factors in a canonical form: equal up to order and names of summed indices is equal.

A monomial is a network whose factors are atoms to exponents. Its indices are numbered, those of
the output first. An output that repeats an index is a Kronecker delta there, and one that no
factor has is an axis of ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final, NamedTuple, cast

from eggrad.engine.indices.linear_combinations import Rational as Number
from eggrad.engine.indices.linear_combinations import exact
from eggrad.engine.indices.spec import Indices, Size

UNIT: Final = -1
"""The index of every axis of size 1: it has one entry, so all of them are the same index."""

# Summed indices are numbered from here on while a piece is labelled.
FREE: Final = 1 << 20
# Refinement leaves a choice only where factors are alike; this many choices are tried at most.
# Where there are more, what is equal may be told apart, never the reverse.
LEAVES: Final = 400
# Axes of a tensor whose permutations are tried.
PERMUTED: Final = 3


# Numbers in polynomials are not longer, in bits: they are exact, and squares of squares are long.
BITS: Final = 1 << 17


class TooLarge(Exception):
    """A polynomial would have too many terms, or too long numbers."""


def length(value: Number) -> int:
    """The bits of a number, above and below; none for 1 and -1, whose powers are as short.

    >>> length(-1), length(Fraction(4, 3))
    (0, 3)
    """
    return max(0, value.numerator.bit_length() - 1) + value.denominator.bit_length() - 1


def raised(number: Number, exponent: Number) -> Number:
    """A number to an integer exponent, exactly; raises `TooLarge` for a long one."""
    if length(number) * abs(exponent) > BITS:
        raise TooLarge
    return cast(Number, Fraction(number) ** exponent)


class Factor(NamedTuple):
    """An atom to an exponent, entry by entry, on some indices."""

    atom: int
    exponent: Number
    part: Indices


class Monomial(NamedTuple):
    """The sum over all indices that are not in `out` of a product; `sizes` has each index's."""

    factors: tuple[Factor, ...]
    out: Indices
    sizes: tuple[Size, ...]

    @property
    def rank(self) -> tuple[object, ...]:
        """What monomials are ordered by: symbols and integers have no common order."""
        return self.factors, self.out, tuple(map(str, self.sizes))


Key = tuple[tuple[Monomial, Number], ...]
"""A polynomial's monomials with their coefficients, sorted."""


class Atoms:
    """Numbers for atoms, each known by what it is, and the exchanges of axes that leave it alike.

    >>> atoms = Atoms()
    >>> atoms.number("class", 7), atoms.number("class", 8), atoms.number("class", 7)
    (0, 1, 0)
    """

    def __init__(self) -> None:
        """Begin without atoms."""
        self._numbers: dict[tuple[str, object], int] = {}
        self._known: list[tuple[str, object]] = []
        self._symmetries: list[tuple[Indices, ...]] = []

    def number(self, kind: str, what: object, symmetries: Iterable[Indices] = ()) -> int:
        """The number of an atom; `symmetries` are those of its axes, the identity left out."""
        key = (kind, what)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._known)
            self._known.append(key)
            self._symmetries.append(tuple(symmetries))
        return found

    def function(self, atom: int) -> tuple[str, "Key"]:
        """The name of an atom that is a function, and its argument's monomials and numbers."""
        return cast(tuple[str, Key], self.what(atom))

    def symmetries(self, atom: int) -> tuple[Indices, ...]:
        """The exchanges of axes that leave an atom alike."""
        return self._symmetries[atom]

    def kind(self, atom: int) -> str:
        """What kind of atom a number stands for."""
        return self._known[atom][0]

    def what(self, atom: int) -> object:
        """What it is known by."""
        return self._known[atom][1]

    def alike(self, atom: int, part: Sequence[int]) -> list[Indices]:
        """The index tuples that mean the same for an atom."""
        indices = tuple(part)
        return [indices, *(tuple(indices[k] for k in s) for s in self._symmetries[atom])]

    def least(self, atom: int, part: Sequence[int]) -> Indices:
        """The least of them."""
        return min(self.alike(atom, part))

    def orbit(self, atom: int, place: int) -> int:
        """The first axis of an atom that one may be exchanged with."""
        return min([place, *(s[place] for s in self._symmetries[atom])])


def permuted_axes(order: int) -> list[Indices]:
    """The permutations of axes that are tried, the identity first."""
    return list(permutations(range(order))) if order <= PERMUTED else [tuple(range(order))]


def canonical(
    atoms: Atoms, factors: Iterable[Factor], out: Sequence[int], sizes: Mapping[int, Size]
) -> tuple[Monomial, int] | None:
    """A network in canonical form and a whole number that it is multiplied by; None for zero.

    Equal factors are joined; a summed index that no factor has gives its size.
    """
    alias = {i: UNIT if sizes[i] == 1 else i for i in sizes} | {UNIT: UNIT}
    joined: dict[tuple[int, Indices], Number] = {}
    for atom, exponent, part in factors:
        key = (atom, atoms.least(atom, [alias[i] for i in part]))
        joined[key] = exact(joined.get(key, 0) + exponent)
    shown = tuple(alias[i] for i in out)
    used = {i for (_, part), e in joined.items() if e for i in part} | set(shown)
    number = 1
    for i, size in sizes.items():
        if alias[i] == UNIT or i in shown:
            continue
        if size == 0:
            return None
        if i not in used and isinstance(size, int):
            number *= size
        elif i not in used:
            key = (atoms.number("size", size), ())
            joined[key] = exact(joined.get(key, 0) + 1)
    kept = [Factor(a, e, part) for (a, part), e in joined.items() if e]
    labels: dict[int, int] = {UNIT: UNIT}
    for i in shown:
        labels.setdefault(i, len(labels) - 1)
    names = [sizes[i] for i in labels if i != UNIT]
    ordered: list[Factor] = []
    for _, piece, order in sorted(
        (key, piece, order) for piece, key, order in pieces(atoms, kept, labels)
    ):
        numbers = labels | {i: len(names) + k for k, i in enumerate(order)}
        names += [sizes[i] for i in order]
        ordered += sorted(
            Factor(f.atom, f.exponent, atoms.least(f.atom, [numbers[i] for i in f.part]))
            for f in piece
        )
    return Monomial(tuple(ordered), tuple(labels[i] for i in shown), tuple(names)), number


Written = tuple[tuple[int, Number, Indices], ...]


def pieces(
    atoms: Atoms, factors: Sequence[Factor], fixed: Mapping[int, int]
) -> list[tuple[list[Factor], Written, Indices]]:
    """The parts of a network that no index but the `fixed` ones connects.

    Each with its canonical key, in which fixed indices have the labels given, and the order in
    which its other indices are numbered there.
    """
    owner: dict[int, int] = {}
    parent = list(range(len(factors)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = k = parent[parent[k]]
        return k

    for k, f in enumerate(factors):
        for i in f.part:
            if i not in fixed:
                parent[root(k)] = root(owner.setdefault(i, k))
    groups: dict[int, list[Factor]] = {}
    for k, f in enumerate(factors):
        groups.setdefault(root(k), []).append(f)
    return [(group, *_labelled(atoms, group, fixed)) for group in groups.values()]


def _labelled(
    atoms: Atoms, factors: Sequence[Factor], fixed: Mapping[int, int]
) -> tuple[Written, Indices]:
    """The least way to write factors with their free indices numbered, and that numbering.

    Colours of indices are refined by the factors that they are in (McKay, Piperno 2014,
    Practical graph isomorphism); where that leaves several alike, each is tried as the first.
    """
    free = tuple(dict.fromkeys(i for f in factors for i in f.part if i not in fixed))
    if not free:
        return _written(atoms, factors, fixed), ()
    best: tuple[Written, Indices] | None = None
    waiting = [dict.fromkeys(free, 0)]
    leaves = 0
    while waiting and leaves < LEAVES:
        colours = _refined(atoms, factors, fixed, waiting.pop())
        cells: dict[int, list[int]] = {}
        for i, colour in colours.items():
            cells.setdefault(colour, []).append(i)
        open_cells = sorted(c for c, members in cells.items() if len(members) > 1)
        if open_cells:
            first = open_cells[0]
            for chosen in cells[first]:
                # Ahead of the others of its cell, behind all before them.
                waiting.append(
                    {i: 2 * c + (c == first and i != chosen) for i, c in colours.items()}
                )
            continue
        leaves += 1
        order = tuple(sorted(free, key=colours.__getitem__))
        names = {**fixed, **{i: FREE + k for k, i in enumerate(order)}}
        found = (_written(atoms, factors, names), order)
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    return best


def _written(atoms: Atoms, factors: Iterable[Factor], names: Mapping[int, int]) -> Written:
    return tuple(
        sorted(
            (f.atom, f.exponent, atoms.least(f.atom, [names[i] for i in f.part])) for f in factors
        )
    )


def _refined(
    atoms: Atoms, factors: Sequence[Factor], fixed: Mapping[int, int], colours: Mapping[int, int]
) -> dict[int, int]:
    """The coarsest finer colouring in which indices of a colour are in the same factors."""
    current = dict(colours)
    while True:
        seen = {**fixed, **{i: FREE + c for i, c in current.items()}}
        uses: dict[int, list[tuple[object, int]]] = {i: [] for i in current}
        for f in factors:
            mark = (f.atom, f.exponent, atoms.least(f.atom, [seen[i] for i in f.part]))
            for place, i in enumerate(f.part):
                if i in uses:
                    uses[i].append((mark, atoms.orbit(f.atom, place)))
        marks = {i: (current[i], tuple(sorted(uses[i]))) for i in current}
        ranks = {m: k for k, m in enumerate(sorted(set(marks.values())))}
        finer = {i: ranks[m] for i, m in marks.items()}
        if len(ranks) == len(set(current.values())):
            return finer
        current = finer
