"""Conditions on the indices of a tensor's axes, for indicators: tensors of zeros and ones.

A constraint is a relation and an affine form: "=" says that the form is 0, ">=" that it is not
negative, and an integer from 2 up that it is a multiple of that.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from eggrad.engine.indices import affine
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.spec import LETTERS, Dims, Indices, Size

Relation = str | int
Constraint = tuple[Relation, AffineForm]
Constraints = tuple[Constraint, ...]

_NEVER: Constraints = ((">=", (("", -1),)),)


def never(constraints: Constraints) -> bool:
    """Whether canonical constraints are known to hold nowhere."""
    return constraints == _NEVER


def canonical(dims: Dims, constraints: Iterable[Constraint]) -> Constraints:
    """The same conditions with common divisors, tautologies and repetitions taken out.

    An index that an equality determines does not occur in the others; an equality's first
    coefficient is positive. What holds nowhere, as far as that is seen, is one constraint.

    >>> canonical(("n",), [("=", ((0, -2), ("", 6))), (">=", ((0, 1),))])
    (('=', ((0, 1), ('', -3))),)
    >>> never(canonical((3,), [("=", ((0, 1), ("", -3)))]))
    True
    >>> canonical(("m", "n", "k"), [("=", ((0, 1), (1, -1), (2, 1))), (">=", ((0, -1), (1, 1)))])
    (('=', ((0, 1), (1, -1), (2, 1))),)
    """
    if 0 in dims:
        return ()
    found = _joined(_normalized(dims, tuple(constraints)))
    # Each pass replaces an index for good, or makes the set smaller.
    for _ in range(2 * len(dims) + len(found or ()) + 2):
        before = found
        if found is None:
            return _NEVER
        found = _joined(_normalized(dims, _eliminated(found)))
        if found == before:
            break
    if found is None:
        return _NEVER
    equalities = [f for relation, f in found if relation == "="]
    return tuple(c for c in found if c[0] != ">=" or not _follows(c[1], equalities, dims))


def _follows(f: AffineForm, equalities: Iterable[AffineForm], dims: Dims) -> bool:
    """Whether a form is not negative, for an equality says it by an index in the range of its axis.

    Where k = j - i, it is said of j - i that k ≥ 0.
    """
    for equality in equalities:
        for index in affine.indices(equality):
            if abs(affine.coefficient(equality, index)) == 1 and affine.coefficient(f, index):
                low = affine.least(affine.substituted(f, index, solved(equality, index)), dims)
                if low is not None and low >= 0:
                    return True
    return False


def _normalized(dims: Dims, constraints: Constraints) -> list[Constraint] | None:
    """Each constraint by itself; None where one cannot hold."""
    result: list[Constraint] = []
    for relation, f in constraints:
        # The only index of an axis of length 1 is 0.
        reduced = affine.form((k, c) for k, c in f if not (isinstance(k, int) and dims[k] == 1))
        if isinstance(relation, int):
            constraint = _multiple(relation, reduced)
        elif relation == "=":
            constraint = _equality(reduced, dims)
        else:
            constraint = _inequality(reduced, dims)
        if constraint is None:
            return None
        parts = _digits(constraint[1], dims) if constraint[0] == "=" else [constraint[1]]
        result += [(constraint[0], part) for part in parts if part]
    return result


def _digits(f: AffineForm, dims: Dims) -> list[AffineForm]:
    """An equality of numbers in a mixed radix as those of their digits: 3i + j = 3k + l, j, l < 3.

    What is below a radix has to be a multiple of it, of which there may be only one in range.
    """
    for radix in sorted({abs(c) for key, c in f if key != "" and abs(c) > 1}):
        low = affine.form(term for term in f if term[0] == "" or term[1] % radix)
        high = affine.form((k, c // radix) for k, c in f if k != "" and not c % radix)
        first, last = affine.least(low, dims), affine.greatest(low, dims)
        if not affine.indices(low) or first is None or last is None:
            continue
        multiple = -(-first // radix)
        if multiple <= last // radix < multiple + 1:
            below = affine.plus(low, affine.form([("", -radix * multiple)]))
            return [below, affine.plus(high, affine.form([("", multiple)]))]
    return [f]


def _multiple(divisor: int, f: AffineForm) -> Constraint | None:
    reduced = affine.form((k, c % divisor) for k, c in f)
    common = affine.content((*reduced, (0, divisor)))
    if affine.coefficient(reduced, "") % common:
        return None
    divisor //= common
    both = [affine.form((k, s * c // common % divisor) for k, c in reduced) for s in (1, -1)]
    return divisor, min(both, key=lambda g: [(str(k), c) for k, c in g])


def _equality(f: AffineForm, dims: Dims) -> Constraint | None:
    common, number = affine.content(f), affine.coefficient(f, "")
    if not common:
        return None if number else ("=", ())
    low, high = affine.least(f, dims), affine.greatest(f, dims)
    if number % common or (low is not None and low > 0) or (high is not None and high < 0):
        return None
    sign = 1 if _positive(f) else -1
    return "=", affine.form((k, sign * c // common) for k, c in f)


def _inequality(f: AffineForm, dims: Dims) -> Constraint | None:
    low, high = affine.least(f, dims), affine.greatest(f, dims)
    if low is not None and low >= 0:
        return ">=", ()
    if high is not None and high < 0:
        return None
    common = affine.content(f)
    return ">=", affine.form((k, c // common) for k, c in f)


def _eliminated(constraints: Constraints) -> Constraints:
    """The constraints with each index that an equality determines in that equality alone."""
    found = list(constraints)
    for place, (relation, f) in enumerate(constraints):
        index = determined(f) if relation == "=" and found[place] == (relation, f) else None
        if index is not None:
            value = solved(f, index)
            for k, (other, g) in enumerate(found):
                if k != place:
                    found[k] = other, affine.substituted(g, index, value)
    return tuple(found)


def determined(f: AffineForm) -> int | None:
    """The last index that the equality of a form with 0 determines; None where there is none."""
    return next(
        (k for k in reversed(affine.indices(f)) if abs(affine.coefficient(f, k)) == 1), None
    )


def solved(f: AffineForm, index: int) -> AffineForm:
    """What an index of coefficient 1 or -1 is where a form is 0.

    >>> solved(((0, 2), (1, -1), ("", 3)), 1)
    ((0, 2), ('', 3))
    """
    rest = affine.form(term for term in f if term[0] != index)
    return affine.times(-affine.coefficient(f, index), rest)


def _joined(constraints: list[Constraint] | None) -> Constraints | None:
    """Each constraint once, sorted; of parallel inequalities the sharpest, of opposite ones one."""
    if constraints is None:
        return None
    bounds: dict[AffineForm, int] = {}
    kept: set[Constraint] = set()
    for relation, f in constraints:
        if relation == ">=":
            slope = affine.form(term for term in f if term[0] != "")
            number = affine.coefficient(f, "")
            bounds[slope] = min(number, bounds.get(slope, number))
        else:
            kept.add((relation, f))
    for slope, number in bounds.items():
        opposite = affine.times(-1, slope)
        room = number + bounds.get(opposite, 0)
        if opposite in bounds and room < 0:
            return None
        f = affine.plus(slope, affine.form([("", number)]))
        if opposite in bounds and room == 0:
            # One of the two is enough; the sign of an equality is set in the next pass.
            kept.add(("=", max(f, affine.times(-1, f), key=_positive)))
        else:
            kept.add((">=", f))
    return tuple(sorted(kept, key=_order))


def _positive(f: AffineForm) -> bool:
    return next(c for key, c in f if key != "") > 0


def _order(constraint: Constraint) -> tuple[str, list[tuple[str, int]]]:
    relation, f = constraint
    return str(relation), [(str(key), c) for key, c in f]


def renamed_all(
    constraints: Constraints, names: Mapping[int, int] | Callable[[int], int]
) -> Constraints:
    """The constraints on other indices."""
    return tuple((relation, affine.renamed(f, names)) for relation, f in constraints)


def substituted_all(constraints: Constraints, index: int, value: AffineForm) -> Constraints:
    """The constraints with an index replaced by a form."""
    return tuple((relation, affine.substituted(f, index, value)) for relation, f in constraints)


def resized_all(constraints: Constraints, sizes: Mapping[Size, Size]) -> Constraints:
    """The constraints with size symbols replaced."""
    return tuple((relation, affine.resized(f, sizes)) for relation, f in constraints)


def mentioned_sizes(constraints: Constraints) -> frozenset[str]:
    """The size symbols that occur."""
    return frozenset(k for _, f in constraints for k, _ in f if isinstance(k, str) and k)


def format_constraint(
    constraint: Constraint,
    index: Callable[[int], str] = LETTERS.__getitem__,
    size: Callable[[str], str] = str,
) -> str:
    """The text of a constraint.

    >>> format_constraint((3, ((0, 1), ("", 1)))), format_constraint((">=", ((0, 1), (1, -1))))
    ('3|i+1', 'i-j>=0')
    """
    relation, f = constraint
    text = affine.format_form(f, index, size)
    return f"{relation}|{text}" if isinstance(relation, int) else f"{text}{relation}0"


def format_comparison(
    constraint: Constraint,
    index: Callable[[int], str] = LETTERS.__getitem__,
    size: Callable[[str], str] = str,
    signs: Mapping[str, str] | None = None,
) -> str:
    """The text of a constraint as a comparison without minus signs; `signs` are other spellings.

    >>> format_comparison(("=", ((0, 1), (1, -1), ("", 1)))), format_comparison((3, ((0, 1),)))
    ('i+1=j', '3|i')
    """
    relation, f = constraint
    spelt = {"=": "=", ">=": "≥", "|": "|", "*": ""} | dict(signs or {})
    if isinstance(relation, int):
        return f"{relation}{spelt['|']}{affine.format_form(f, index, size, spelt['*'])}"
    left, right = (
        affine.format_form(
            affine.form((k, s * c) for k, c in f if s * c > 0), index, size, spelt["*"]
        )
        for s in (1, -1)
    )
    return f"{left}{spelt[relation]}{right}"


# In which order an indicator's axes are listed says nothing: one order is the first of all.


# Axes of which all orders are tried.
MOST: Final = 5


class Ordered(NamedTuple):
    """An indicator with its axes in their first order.

    `axes` has the place of each of them before; `symmetries` are the orders that change nothing.
    """

    dims: Dims
    constraints: Constraints
    axes: Indices
    symmetries: tuple[Indices, ...]


@lru_cache(maxsize=4096)
def in_first_order(dims: Dims, constraints: Constraints) -> Ordered:
    """The same indicator whatever the order of its axes is, for up to five of them.

    >>> in_first_order(("n", "m"), ((">=", ((0, 1), (1, -1))),))[:3]
    (('m', 'n'), (('>=', ((0, -1), (1, 1))),), (1, 0))
    """
    count = len(dims)
    orders = permutations(range(count)) if count <= MOST else [tuple(range(count))]
    found: dict[tuple[Dims, Constraints], list[Indices]] = {}
    for axes in orders:
        sizes = tuple(dims[k] for k in axes)
        places = {k: place for place, k in enumerate(axes)}
        renamed = canonical(sizes, renamed_all(constraints, places))
        found.setdefault((sizes, renamed), []).append(axes)
    first = min(found, key=repr)
    axes, *others = found[first]
    return Ordered(*first, axes, tuple(tuple(axes.index(k) for k in other) for other in others))
