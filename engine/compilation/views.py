"""Products with indicators as views: slices where they will do, else calls.

Two arrays and an indicator are multiplied at once where that saves an intermediate result: a pass
puts the two products together.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, cast

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.affine import (
    Form,
    coefficient,
    form,
    format_form,
    indices,
    last_index,
    plus,
    renamed,
    size_form,
    times,
)
from eggrad.engine.indices.constraints import solved
from eggrad.engine.indices.indicator_plan import numbered, selection_place
from eggrad.engine.indices.spec import Indices, Size, Spec
from eggrad.engine.indices.stepped_plan import stepped_plan
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, postorder, rebuild, term_sparsity

SizeText = Callable[[Size], str]

# One array --------------------------------------------------------------------------------------


def by_views(node: Term) -> bool:
    """Whether a node is a product with an indicator that is not stored for it."""
    if node.op == "stepped_product":
        return True
    operands = [a.op for a in node.args]
    if node.op != "einsum" or operands.count("indicator") != 1 or "selection" in operands:
        return False
    distinct = (len(set(part)) == len(part) for part in node.spec)
    return len(node.args) == 2 and all(distinct)


def by_selection(node: Term) -> int | None:
    """Which operand of a node is a selection that is not stored for it; None where none is."""
    if node.op != "einsum" or all(a.op != "selection" for a in node.args):
        return None
    return selection_place(node.spec, [term_sparsity(a) for a in node.args])


def stored_indicators(roots: Iterable[Term]) -> frozenset[Term]:
    """The indicators and selections that are needed as arrays of zeros and ones."""
    every = tuple(roots)
    used = set(every)
    for node in postorder(*every):
        if not by_views(node):
            left_out = by_selection(node)
            used.update(a for k, a in enumerate(node.args) if k != left_out)
    return frozenset(t for t in used if t.op in ("indicator", "selection"))


def slices(
    indicator: Term, array: Term, spec: Spec, size: SizeText | None = None
) -> list[str] | None:
    """The key where each index of the array is kept, or is fixed, or begins at some number.

    With the text of a `size` it may begin at one of these as well.
    """
    part, other, out = spec
    sliced: dict[int, tuple[int, str]] = {}
    for relation, f in indicator.constraints:
        found = _slice(f, indicator, (part, other, out), size) if relation == "=" else None
        if found is None:
            return None
        sliced[found[0]] = found[1:]
    size_of = dict(zip(other, array.dims, strict=True))
    kept: list[int] = []
    key: list[str] = []
    for i in other:
        index, text = sliced.get(i, (i, ":"))
        if isinstance(size_of[i], int) and i in sliced and not _fits(text, cast(int, size_of[i])):
            return None
        kept += [index] if index >= 0 else []
        key.append(text)
    while len(key) > 1 and key[-1] == ":":
        key.pop()
    known = {*sliced, *kept}
    return key if tuple(kept) == out and known.issuperset(part) else None


def _slice(
    f: Form, indicator: Term, spec: Spec, text: SizeText | None
) -> tuple[int, int, str] | None:
    """The array's index that an equality fixes, the output's in its place, and its slice."""
    part, other, out = spec
    here = [k for k in indices(f) if part[k] in other and part[k] not in out]
    if len(here) != 1 or abs(coefficient(f, here[0])) != 1:
        return None
    (b,) = here
    value = solved(f, b)
    number = form(term for term in value if isinstance(term[0], str))
    size = indicator.dims[b]
    start = _first(number, size, text)
    if number == value:
        return None if start is None else (part[b], -1, str(start))
    i = indices(value)[0]
    length, step = indicator.dims[i], coefficient(value, i)
    if len(indices(value)) > 1 or part[i] in other:
        return None
    if step == -1 and length == size and number == last_index(length):
        return part[b], part[i], "::-1"
    if start is None or step < 1 or length == 0 or (step > 1 and not isinstance(length, int)):
        return None
    stop = _last(form([*number, ("", 1), *times(step, last_index(length))]), size, text)
    if stop is None:
        return None
    steps = f":{step}" if step > 1 else ""
    return part[b], part[i], f"{start or ''}:{stop}{steps}"


def _first(place: Form, size: Size, text: SizeText | None) -> int | str | None:
    """A place as Python counts it, from the end if that is what it depends on."""
    if {*dict(place)} <= {""}:
        return coefficient(place, "") if coefficient(place, "") >= 0 else None
    behind = _behind(place, size)
    return behind or (_within(place, size, text) if behind is None else None)


def _last(place: Form, size: Size, text: SizeText | None) -> str | None:
    """The end of a slice; nothing for that of the axis."""
    if {*dict(place)} <= {""}:
        return str(coefficient(place, ""))
    behind = _behind(place, size)
    return _within(place, size, text) if behind is None else str(behind or "")


def _within(place: Form, size: Size, text: SizeText | None) -> str | None:
    """The text of a place that is certainly on the axis, or at its end."""
    if text is None or any(c < 0 for _, c in place) or not _is_before(place, size):
        return None
    return format_form(place, size=text, sign=" * ")


def _is_before(place: Form, size: Size) -> bool:
    """Whether a place is certainly at most a size."""
    return all(c <= 0 for _, c in plus(place, times(-1, size_form(size))))


def _behind(place: Form, size: Size) -> int | None:
    """Where a place lies, counted from the end of an axis; None if not before it."""
    distance = plus(place, times(-1, size_form(size)))
    number = coefficient(distance, "")
    return number if {*dict(distance)} <= {""} and number <= 0 else None


def places(
    indicator: Term, array: Term, spec: Spec, text: SizeText
) -> list[tuple[str, int | None]] | None:
    """Where an array lies in a larger one that is 0 elsewhere: a key, and the index along it.

    None where it is no such part, or perhaps does not fit.

    >>> from eggrad.engine.terms.term import indicator, variable
    >>> behind = indicator((5, 3), [("=", ((0, 1), (1, -1), ("", -2)))])
    >>> places(behind, variable("x", (3,)), ((0, 1), (1,), (0,)), str)
    [('2:', 1)]
    """
    part, other, out = spec
    moved: dict[int, tuple[str, int | None]] = {}
    for relation, f in indicator.constraints:
        found = _place(f, indicator, spec, text) if relation == "=" else None
        if found is None or found[0] in moved:
            return None
        moved[found[0]] = found[1:]
    key = [moved.get(i, (":", i)) for i in out]
    used = [i for _, i in key if i is not None]
    whole = sorted(used) == sorted(other) and {*moved, *used} >= {*part}
    return key if whole and moved else None


def _place(
    f: Form, indicator: Term, spec: Spec, text: SizeText
) -> tuple[int, str, int | None] | None:
    """The output's index that an equality fixes, its key, and the array's index along it."""
    part, other, out = spec
    here = [k for k in indices(f) if part[k] in out and part[k] not in other]
    if len(here) != 1 or abs(coefficient(f, here[0])) != 1:
        return None
    (b,) = here
    value = solved(f, b)
    number = form(term for term in value if isinstance(term[0], str))
    size = indicator.dims[b]
    start = _on_axis(number, form([*number, ("", 1)]), size, text)
    if number == value:
        return None if start is None else (part[b], start, None)
    i = indices(value)[0]
    length, step = indicator.dims[i], coefficient(value, i)
    if len(indices(value)) > 1 or part[i] in out or step < 1 or (step > 1 and length == 0):
        return None
    stop = form([*number, ("", 1), *times(step, last_index(length))])
    start = _on_axis(number, stop, size, text)
    if start is None:
        return None
    end = "" if stop == size_form(size) else _last(stop, size, text)
    steps = f":{step}" if step > 1 else ""
    return part[b], f"{'' if start == '0' else start}:{end}{steps}", part[i]


def _on_axis(place: Form, end: Form, size: Size, text: SizeText) -> str | None:
    """The text of a place from which on all up to an end is certainly on an axis."""
    if any(c < 0 for _, c in place) or not _is_before(end, size):
        return None
    return format_form(place, size=text, sign=" * ")


def _fits(text: str, size: int) -> bool:
    """Whether a slice stays within an axis."""
    start, _, rest = text.partition(":")
    stop = rest.partition(":")[0] or str(int(start or 0) + 1)
    return int(start or 0) >= 0 and int(stop) <= size


# Two arrays -------------------------------------------------------------------------------------


class _Factor(NamedTuple):
    term: Term
    indices: Indices


def with_indicator_products(roots: Sequence[Term]) -> tuple[Term, ...]:
    """The same roots; what an indicator chooses, and is 0 elsewhere, is a product with it.

    Code reads and writes the places that are chosen: nothing is multiplied by 0.

    >>> x = terms.variable("x", ("n",))
    >>> first, zero = terms.indicator(("n",), [("=", ((0, 1),))]), terms.constant(0, ("n",))
    >>> (found,) = with_indicator_products([terms.apply("where", first, x, zero)])
    >>> found.op, found.args == (first, x)
    ('einsum', True)
    """
    done: dict[Term, Term] = {}
    for node in postorder(*roots):
        again = rebuild(node, tuple(done[a] for a in node.args))
        done[node] = _indicator_product(again) or again
    return tuple(done[r] for r in roots)


def _indicator_product(node: Term) -> Term | None:
    if node.op != "where" or node.args[2].op != "constant" or node.args[2].data != 0:
        return None
    out = tuple(range(node.order))
    condition, chosen = (_unspread(_Factor(a, out)) for a in node.args[:2])
    if condition.term.op != "indicator":
        return None
    if {*condition.indices, *chosen.indices} != {*out}:
        chosen = _Factor(node.args[1], out)
    spec = condition.indices, chosen.indices, out
    return terms.einsum(spec, condition.term, chosen.term)


def _unspread(factor: _Factor) -> _Factor:
    """The factor before it was repeated along further axes."""
    while factor.term.op == "einsum":
        *parts, out = factor.term.spec
        pairs = list(zip(factor.term.args, parts, strict=True))
        own = [(a, part) for a, part in pairs if a.op != "constant" or a.data != 1]
        if len(own) != 1 or not all({*part} <= {*out} for part in parts):
            break
        if len({*own[0][1]}) < len(own[0][1]):
            break
        names = dict(zip(out, factor.indices, strict=True))
        factor = _Factor(own[0][0], tuple(names[i] for i in own[0][1]))
    return factor


def with_stepped_products(roots: Sequence[Term], model: CostModel) -> tuple[Term, ...]:
    """The same roots; where it is faster two products in a row are one `stepped_product`.

    >>> x, w = terms.variable("x", (1000,)), terms.variable("w", (30,))
    >>> windows = terms.indicator((971, 30, 1000), [("=", ((0, 1), (1, 1), (2, -1)))])
    >>> seen = terms.einsum(((0, 1, 2), (2,), (0, 1)), windows, x)
    >>> (found,) = with_stepped_products([terms.einsum(((0, 1), (1,), (0,)), seen, w)], CostModel())
    >>> found.op, {*found.args} == {windows, x, w}
    ('stepped_product', True)
    """
    nodes = list(postorder(*roots))
    if all(node.op != "indicator" for node in nodes):
        return tuple(roots)
    users = Counter([*roots, *(a for node in nodes for a in node.args)])
    done: dict[Term, Term] = {}
    for node in nodes:
        factors = _network(node, users) if node.op == "einsum" else []
        found = _stepped(node, factors, model, done)
        done[node] = found or rebuild(node, tuple(done[a] for a in node.args))
    return tuple(done[r] for r in roots)


def _network(node: Term, users: Counter[Term]) -> list[_Factor]:
    """The factors of nested products that nobody else needs, no more than two of them arrays."""
    *parts, _ = node.spec
    factors = [_Factor(*own) for own in zip(node.args, parts, strict=True)]
    fresh = count(1 + max((i for part in parts for i in part), default=0))
    waiting = list(factors)
    while waiting:
        factor = waiting.pop()
        inner = _inside(factor, fresh) if users[factor.term] == 1 else []
        rest = [f for f in factors if f is not factor]
        if inner and sum(f.term.op != "indicator" for f in (*rest, *inner)) <= 2:
            factors = [*rest, *inner]
            waiting += inner
    return factors


def _inside(factor: _Factor, fresh: Iterator[int]) -> list[_Factor]:
    """The factors that a factor is a product of; none if it is no product, or a diagonal one."""
    if factor.term.op != "einsum":
        return []
    *parts, out = factor.term.spec
    names = dict(zip(out, factor.indices, strict=True))
    if len(names) < len(out):
        return []
    summed = dict.fromkeys(i for part in parts for i in part if i not in names)
    names |= {i: next(fresh) for i in summed}
    pairs = zip(factor.term.args, parts, strict=True)
    return [_Factor(a, tuple(names[i] for i in part)) for a, part in pairs]


def _stepped(
    node: Term, factors: Sequence[_Factor], model: CostModel, done: dict[Term, Term]
) -> Term | None:
    """The node as one product, if it is one of indicators and two arrays and that is faster."""
    indicators = [f for f in factors if f.term.op == "indicator"]
    arrays = [f for f in factors if f.term.op != "indicator"]
    if len(arrays) != 2 or not indicators:
        return None
    if any(f.term.op in ("constant", "delta", "selection") for f in arrays):
        return None
    out = node.spec[-1]
    if any(len({*own}) < len(own) for own in (*(f.indices for f in factors), out)):
        return None
    sizes: dict[int, Size] = {}
    for f in factors:
        sizes.update(zip(f.indices, f.term.dims, strict=True))
    joint, part = _joined(indicators, sizes)
    if joint.op != "indicator":
        return None
    left, right = arrays
    lengths = {i: model.length(d) for i, d in sizes.items()}
    constraints = numbered(joint.constraints, part, model.length)
    plan = stepped_plan(constraints, (left.indices, right.indices), out, lengths)
    if plan is None or plan.is_plain or not plan.is_worth_it:
        return None
    spec = (part, left.indices, right.indices, out)
    args = (joint, done[left.term], done[right.term])
    return terms.for_code("stepped_product", spec, args, node.dims)


def _joined(indicators: Sequence[_Factor], sizes: dict[int, Size]) -> _Factor:
    """Several indicators as one."""
    if len(indicators) == 1:
        return indicators[0]
    part = tuple(dict.fromkeys(i for f in indicators for i in f.indices))
    places = {i: k for k, i in enumerate(part)}
    constraints = [
        (relation, renamed(own, {k: places[i] for k, i in enumerate(f.indices)}))
        for f in indicators
        for relation, own in f.term.constraints
    ]
    return _Factor(terms.indicator(tuple(sizes[i] for i in part), constraints), part)
