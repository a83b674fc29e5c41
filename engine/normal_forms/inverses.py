"""The relation p·inv(p) = δ between the atoms of normal forms.

With p = l + r and a leading monomial l, l·inv(p) = δ - r·inv(p). Where the inverse of what l ends
with is there as well, r goes first: x⁻¹·r·inv(p) = x⁻¹ - x⁻¹·l·inv(p), in which x⁻¹ meets l.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from eggrad.engine.normal_forms.atoms import leading
from eggrad.engine.normal_forms.networks import UNIT, Atoms, Factor, Monomial, Number

if TYPE_CHECKING:
    from eggrad.engine.normal_forms.normal_form import NormalForms, Polynomial

__all__ = ["inverted"]


def inverted(
    forms: "NormalForms", monomial: Monomial, rest: Sequence[Factor], factor: Factor
) -> "Polynomial | None":
    """Use l·inv(p) = δ - r·inv(p), or the same from the right."""
    base = dict(forms.atoms.function(factor.atom)[1])
    if not base:
        # Zero has no inverse that a relation could be about.
        return None
    first = leading(base, forms.least)
    others = {m: c for m, c in base.items() if m != first}
    patterns = [first, *([leading(others, forms.least)] if others else [])]
    for pattern, near in product(patterns, (0, 1)):
        inner, outer = factor.part[near], factor.part[1 - near]
        if UNIT in (inner, outer):
            return None
        for end, left in _meets(forms.atoms, monomial, rest, pattern, (inner, near)):
            hidden = inner in monomial.out or inner == outer or any(inner in f.part for f in left)
            if end != inner and hidden:
                continue
            if pattern is first or _cancels(forms, left, first, (near, end)):
                return _cancelled(forms, monomial, left, factor, (pattern, near, end))
    return None


def _cancels(
    forms: "NormalForms", left: Sequence[Factor], first: Monomial, ends: tuple[int, int]
) -> bool:
    """Whether the inverse of the factor that a leading monomial ends with is at an index."""
    near, end = ends
    last = {f.atom for f in first.factors if len(f.part) == 2 and f.part[near] == first.out[near]}
    for f in left:
        if forms.atoms.kind(f.atom) == "inv" and f.part[1 - near] == end:
            inverse_of = forms.atoms.function(f.atom)[1]
            if len(inverse_of) == 1 and {g.atom for g in inverse_of[0][0].factors} <= last:
                return True
    return False


def _cancelled(
    forms: "NormalForms",
    monomial: Monomial,
    left: Sequence[Factor],
    factor: Factor,
    met: tuple[Monomial, int, int],
) -> "Polynomial":
    """What remains when a monomial of its argument, from the index `end` on, meets the inverse."""
    pattern, near, end = met
    base = dict(forms.atoms.function(factor.atom)[1])
    inner, outer = factor.part[near], factor.part[1 - near]
    sizes = dict(enumerate(monomial.sizes))
    kept = {i for f in left for i in f.part} | set(monomial.out) | {end, outer}
    identity = Monomial((), (0, 0), (sizes[end],))
    own = {i: d for i, d in sizes.items() if i in kept}
    terms: list[tuple[Polynomial, Number]] = [
        (forms.joined([(identity, (end, outer))], monomial.out, own, left), 1)
    ]
    number = Fraction(base[pattern])
    # Where the leading monomial is diagonal, the index of the inverse is still there.
    hinge = max(sizes) + 1 if end == inner else inner
    wide = own | {hinge: sizes[inner]}
    again = factor._replace(part=(hinge, outer) if near == 0 else (outer, hinge))
    for m, c in base.items():
        if m != pattern:
            axes = (end, hinge) if near == 0 else (hinge, end)
            terms.append((forms.joined([(m, axes)], monomial.out, wide, [*left, again]), -c))
    return forms.sum((p, Fraction(c) / number) for p, c in terms)


def _meets(
    atoms: Atoms,
    monomial: Monomial,
    factors: Sequence[Factor],
    first: Monomial,
    meeting: tuple[int, int],
) -> Iterator[tuple[int, list[Factor]]]:
    """Where the factors contain `first` on the index `inner` of an inverse, its axis `near`.

    Yields the index of its other axis and the factors that are left. Indices that `first` sums
    occur nowhere else.
    """
    inner, near = meeting
    # p·inv(p): the columns of p meet the rows of its inverse, and the other way round.
    close, away = first.out[1 - near], first.out[near]
    start: tuple[int, list[Factor], dict[int, int]] = (0, list(factors), {close: inner, UNIT: UNIT})
    pattern = _connected(first, close)
    stack: list[tuple[int, list[Factor], dict[int, int]]] = [start]
    while stack:
        place, left, names = stack.pop()
        if place == len(pattern):
            summed = {names[i] for i in range(len(first.sizes)) if i not in first.out}
            busy = {i for f in left for i in f.part} | set(monomial.out)
            if away in names and not summed & (busy | {names[away], inner}):
                yield names[away], left
            continue
        wanted = pattern[place]
        for k, f in enumerate(left):
            if f.atom == wanted.atom and f.exponent == wanted.exponent:
                for part in atoms.alike(f.atom, f.part):
                    extended = _extended(names, wanted.part, part)
                    if extended is not None:
                        stack.append((place + 1, [*left[:k], *left[k + 1 :]], extended))


def _connected(first: Monomial, start: int) -> list[Factor]:
    """The factors in an order in which each has an index of those before, where there is one."""
    known = {start}
    waiting = list(first.factors)
    ordered: list[Factor] = []
    while waiting:
        chosen = next((f for f in waiting if known & set(f.part)), waiting[0])
        waiting.remove(chosen)
        ordered.append(chosen)
        known |= set(chosen.part)
    return ordered


def _extended(
    names: Mapping[int, int], wanted: Sequence[int], part: Sequence[int]
) -> dict[int, int] | None:
    extended = dict(names)
    for i, k in zip(wanted, part, strict=True):
        if extended.setdefault(i, k) != k:
            return None
    return extended
