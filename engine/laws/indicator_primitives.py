"""What rules about indicators compute: constraints under sums, renamings and products.

An indicator's spec part has an index for each of its axes. An index that is summed and that
nothing else has goes away where an equality gives it, or where no constraint speaks of it.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from eggrad.engine.indices.affine import AffineForm, coefficient, indices, last_index, plus, times
from eggrad.engine.indices.constraints import (
    Constraint,
    Constraints,
    canonical,
    never,
    renamed_all,
    solved,
    substituted_all,
)
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec
from eggrad.engine.indices.spec import canonical as canonical_spec
from eggrad.engine.laws.language import Name, condition, primitive
from eggrad.engine.laws.primitives import fresh, rename
from eggrad.engine.terms.functions import record


@dataclass(frozen=True)
class _Joint:
    """Conditions on the indices of a product, and where its operands and its output have them."""

    part: Indices
    constraints: Constraints
    others: tuple[Indices, ...]
    out: Indices
    size: dict[int, Size]

    @property
    def free(self) -> frozenset[int]:
        """The indices that no condition speaks of; what never holds speaks of all."""
        if never(self.constraints):
            return frozenset()
        return frozenset(self.part) - {i for _, f in self.constraints for i in indices(f)}


def _joint(s: Spec, n: Dims, p: Constraints) -> _Joint:
    """A product whose first operand is an indicator."""
    first, *others, out = s
    wanted = (*out, *(i for part in others for i in part), *first)
    part = tuple(i for i in dict.fromkeys(wanted) if i in first)
    size = dict(zip(first, n, strict=True))
    return _cleaned(_Joint(part, renamed_all(p, dict(enumerate(first))), tuple(others), out, size))


def _cleaned(joint: _Joint) -> _Joint:
    """The constraints in canonical form, the axes in the order in which they are wanted."""
    axis = {i: k for k, i in enumerate(joint.part)}
    dims = tuple(joint.size[i] for i in joint.part)
    constraints = canonical(dims, renamed_all(joint.constraints, axis))
    return replace(joint, constraints=renamed_all(constraints, dict(enumerate(joint.part))))


def _summed(joint: _Joint, gone: Collection[int]) -> _Joint:
    """The conditions when each index that may go, and that an equality gives, is summed.

    Where they never hold, each sum is 0.
    """
    if never(joint.constraints):
        return replace(joint, part=tuple(i for i in joint.part if i not in gone))
    for index in joint.part:
        given = next((f for f in _equalities(joint) if abs(coefficient(f, index)) == 1), None)
        if given is None or index not in gone:
            continue
        value = solved(given, index)
        rest = tuple(c for c in joint.constraints if c != ("=", given))
        size = joint.size[index]
        bounds = (value, plus(last_index(size), times(-1, value)))
        if isinstance(size, str) and not indices(value):
            # What is asked for by a number, along an axis whose size is a symbol, is there: where
            # it is not, an expression has no value (`engine/normal_forms/index_ranges.py`).
            bounds = tuple(f for f in bounds if dict(f).keys() <= {""})
        constraints = (*substituted_all(rest, index, value), *((">=", f) for f in bounds))
        part = tuple(i for i in joint.part if i != index)
        return _summed(_cleaned(replace(joint, part=part, constraints=constraints)), gone)
    return joint


def _equalities(joint: _Joint) -> list[AffineForm]:
    return [f for relation, f in joint.constraints if relation == "="]


# Every primitive of a rule asks for the same, and a long recursion composes few indicators often.
_REMEMBERED: Final = 4096


@lru_cache(maxsize=_REMEMBERED)
def _reduced(s: Spec, n: Dims, p: Constraints) -> _Joint:
    """An indicator in a product, without the indices that only it has and that can go."""
    joint = _renamed(_joint(s, n, p))
    elsewhere = {i for part in joint.others for i in part} | {*joint.out}
    return _summed(joint, [i for i in joint.part if i not in elsewhere])


def _renamed(joint: _Joint) -> _Joint:
    """The product where summed indices that equal another one, of the same size, have its name."""
    for f in _equalities(joint):
        match f:
            case ((int() as i, 1), (int() as j, -1)) if joint.size[i] == joint.size[j]:
                gone, kept = (j, i) if j not in joint.out else (i, j)
                if gone in joint.out:
                    continue
                names = {k: k for k in joint.part} | {gone: kept}
                constraints = renamed_all(joint.constraints, names)
                others = tuple(rename(part, {gone: kept}) for part in joint.others)
                part = tuple(k for k in joint.part if k != gone)
                left = replace(joint, part=part, constraints=constraints, others=others)
                return _renamed(_cleaned(left))
            case _:
                pass
    return joint


def _loose(joint: _Joint) -> Indices:
    """The indices for which only ones are left."""
    covered = {i for part in joint.others for i in part}
    return tuple(i for i in joint.part if i in joint.free and i not in covered)


def _kept(joint: _Joint) -> Indices:
    return tuple(i for i in joint.part if i not in joint.free)


def _dims(joint: _Joint, part: Indices) -> Dims:
    return tuple(joint.size[i] for i in part)


def _numbered(constraints: Constraints, part: Indices) -> Constraints:
    return renamed_all(constraints, {i: k for k, i in enumerate(part)})


# Products ----------------------------------------------------------------------------------


class Reduced(NamedTuple):
    """What is left of a product whose first operand is an indicator, as `Sifted` of a delta.

    `spec` is that of the product with what is left of it, which has axes `dims`; `spread` that of
    this product times ones along axes of the sizes `ones`, for which nothing else is left.
    """

    spec: Spec
    dims: Dims
    constraints: Constraints
    spread: Spec
    ones: Dims
    is_smaller: bool


@primitive
def reduced(s: Spec, n: Dims, p: Constraints) -> Reduced:
    """What is left of an indicator in a product: fewer conditions, or axes in another order."""
    return _left(_reduced(s, n, p), s, n, p)


def _left(joint: _Joint, s: Spec, n: Dims, p: Constraints) -> Reduced:
    kept, loose = _kept(joint), _loose(joint)
    out = tuple(i for i in joint.out if i not in loose)
    spec, dims = canonical_spec([kept, *joint.others], out), _dims(joint, kept)
    constraints = _numbered(joint.constraints, kept)
    spread = canonical_spec([out, loose], joint.out)
    changed = bool(p) and (spec != s or dims != n or constraints != p)
    return Reduced(spec, dims, constraints, spread, _dims(joint, loose), changed)


@primitive
def both_spec(s: Spec) -> Spec:
    """The spec of a product of indicators, on the indicator of both."""
    left, right, out = s
    return canonical_spec([left + right], out)


@primitive
def both(n: Dims, p: Constraints, m: Dims, q: Constraints) -> Constraints:
    """The conditions of two indicators, on the axes of the first and then of the second."""
    return canonical(n + m, _both((n, p), (m, q)))


def _both(first: "Described", second: "Described") -> Constraints:
    return first[1] + renamed_all(second[1], lambda k: k + len(first[0]))


# Products of products ----------------------------------------------------------------------


Described = tuple[Dims, Constraints]
"""An indicator as one value: the sizes of its axes, and its conditions."""


@primitive
def described(n: Dims, p: Constraints) -> Described:
    """An indicator as one value."""
    return n, p


@lru_cache(maxsize=_REMEMBERED)
def _composed(s: Spec, first: Described, t: Spec, second: Described) -> _Joint:
    """The indicators of `ein(s, [p], ein(t, [q], a))` as one."""
    outer, place, out = s
    names = dict(zip(t[-1], place, strict=True))
    hidden = [i for i in dict.fromkeys(t[0] + t[1]) if i not in names]
    names.update(zip(hidden, fresh(len(hidden), *s), strict=True))
    joined = (outer + rename(t[0], names), rename(t[1], names), out)
    return _reduced(joined, first[0] + second[0], _both(first, second))


@primitive
def composed(s: Spec, first: Described, t: Spec, second: Described) -> Reduced | None:
    """The indicator of both times the operand.

    None unless both speak of an index, and that of both needs none that nothing else has.
    """
    if set(s[0]).isdisjoint(s[1]):
        return None
    joint = _composed(s, first, t, second)
    known = {i for part in joint.others for i in part} | {*joint.out}
    fits = not _loose(joint) and known.issuperset(joint.part)
    return _left(joint, s, *first) if fits else None


# Functions ---------------------------------------------------------------------------------


def _picked(s: Spec, n: Dims, p: Constraints) -> _Joint | None:
    """The conditions under which an entry is picked; None where there may be more than one."""
    joint = _joint(s, n, p)
    summed = {i for part in s[:-1] for i in part} - {*joint.out}
    left = _summed(joint, summed)
    return None if summed.intersection(left.part) or not summed <= {*joint.part} else left


@condition
def picks_one(s: Spec, n: Dims, p: Constraints) -> bool:
    """Whether each entry of a product with an indicator is one entry of the other operand."""
    left = _picked(s, n, p)
    return left is not None and not left.constraints


@condition
def picks(f: Name, s: Spec, n: Dims, p: Constraints) -> bool:
    """Whether it is one entry, or at most one for a function that is 0 at 0.

    An entry at a number stays one of the function, for what else is there of it cancels with it.
    """
    left = _picked(s, n, p)
    if left is None or any(
        len(in_form := indices(form)) == 1 and isinstance(n[in_form[0]], str)
        for relation, form in p
        if relation == "="
    ):
        return False
    return not left.constraints or record(f).is_zero_at_zero


# Entries that an indicator fixes by numbers, in a product with one other operand.


def _fixed(s: Spec, n: Dims, p: Constraints) -> dict[int, Constraint]:
    """Indices of the result that both operands have and that have one value, each by a condition.

    An axis of length 1 stays as it is.
    """
    part, other, out = s
    found: dict[int, Constraint] = {}
    if len(set(other)) < len(other):
        return found
    for relation, f in p:
        axes = indices(f)
        if relation == "=" and len(axes) == 1 and abs(coefficient(f, axes[0])) == 1:
            i = part[axes[0]]
            if n[axes[0]] != 1 and i in out and other.count(i) == part.count(i) == 1:
                found[i] = (relation, f)
    return found


class Fixed(NamedTuple):
    """An indicator of axes `dims` that fixes entries of the other operand of a product.

    `spec` is that of this indicator times the operand, `rest` that of the product in which the
    operand lacks these axes.
    """

    dims: Dims
    constraints: Constraints
    spec: Spec
    rest: Spec


@primitive
def fixing(s: Spec, n: Dims, p: Constraints) -> Fixed | None:
    """What fixes entries: an indicator that is 0 but at one index of an axis of both operands."""
    fixed = _fixed(s, n, p)
    if not fixed:
        return None
    part, other, out = s
    axis = {part.index(i): k for k, i in enumerate(fixed)}
    dims = tuple(n[k] for k in axis)
    constraints = canonical(dims, renamed_all(tuple(fixed.values()), axis))
    kept = tuple(i for i in other if i not in fixed)
    return Fixed(
        dims,
        constraints,
        canonical_spec([tuple(fixed), other], kept),
        canonical_spec([part, kept], out),
    )


# Sums of entries that an indicator takes.


@primitive
def entries_first(s: Spec) -> tuple[Spec, Spec] | None:
    """The product that keeps indices that the operand beside an indicator alone has, and their sum.

    None where no such index is summed, or both operands have none in common.

    >>> entries_first(((0,), (0, 1), ()))
    (((0,), (0, 1), (1,)), ((0,), ()))
    """
    part, other, out = s
    lone = dict.fromkeys(i for i in other if i not in part and i not in out)
    if not lone or set(part).isdisjoint(other):
        return None
    whole = (*out, *lone)
    return canonical_spec([part, other], whole), canonical_spec([whole], out)


# What rules about an indicator by itself compute: conditions that are none, or make a delta.


@condition
def holds_always(p: Constraints) -> bool:
    """Whether there is no condition."""
    return not p


@condition
def holds_never(p: Constraints) -> bool:
    """Whether the conditions are known to hold nowhere."""
    return never(p)


class Paired(NamedTuple):
    """An indicator as a delta of one pair of axes, times an indicator without the second of them.

    `spec` is that of their product; `size` is that of the pair, `dims` and `constraints` say what
    the other indicator is.
    """

    spec: Spec
    size: Dims
    dims: Dims
    constraints: Constraints


@primitive
def paired(n: Dims, p: Constraints) -> Paired | None:
    """Two axes of one size whose indices are equal, and the rest; None where there are none."""
    for constraint in p:
        match constraint:
            case ("=", ((int() as i, 1), (int() as j, -1))) if n[i] == n[j]:
                kept = [k for k in range(len(n)) if k != j]
                rest = tuple(c for c in p if c != constraint)
                return Paired(
                    canonical_spec([(i, j), kept], range(len(n))),
                    (n[i],),
                    tuple(n[k] for k in kept),
                    _numbered(rest, tuple(kept)),
                )
            case _:
                pass
    return None
