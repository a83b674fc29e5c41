"""Products with indicators in generated code: slices where they will do, else calls."""

from collections.abc import Callable, Iterable
from typing import cast

from eggrad.engine.indices.affine import (
    Form,
    coefficient,
    form,
    format_form,
    indices,
    last_index,
    plus,
    size_form,
    times,
)
from eggrad.engine.indices.constraints import solved
from eggrad.engine.indices.spec import Indices, Size, Spec
from eggrad.engine.terms.term import Term, postorder

__all__ = ["by_views", "constraints_text", "product_text", "slices", "stored_indicators"]

SizeText = Callable[[Size], str]


def by_views(node: Term) -> bool:
    """Whether a node is a product with an indicator that is not stored for it."""
    if node.op == "stepped_product":
        return True
    if node.op != "einsum" or [a.op for a in node.args].count("indicator") != 1:
        return False
    distinct = (len(set(part)) == len(part) for part in node.spec)
    return len(node.args) == 2 and all(distinct)


def stored_indicators(roots: Iterable[Term]) -> frozenset[Term]:
    """The indicators that are needed as arrays of zeros and ones."""
    every = tuple(roots)
    used = {a for node in postorder(*every) if not by_views(node) for a in node.args}
    return frozenset(t for t in (*every, *used) if t.op == "indicator")


def constraints_text(indicator: Term, size: SizeText) -> str:
    """The arguments of `indicators.zeros_and_ones` that describe an indicator."""
    listed: list[str] = []
    for relation, f in indicator.constraints:
        numbers = [str(coefficient(f, k)) for k in range(indicator.order)]
        numbers.append(_number(f, size))
        listed.append(f"({relation!r}, ({', '.join(numbers)}{',' * (len(numbers) == 1)}))")
    shape = [size(d) for d in indicator.dims]
    return f"{_tuple(listed)}, {_tuple(shape)}"


def product_text(indicator: Term, array: tuple[str, Term], spec: Spec, size: SizeText) -> str:
    """The product of an indicator with an array (its text and term); `spec` has them in order.

    >>> from eggrad.engine.terms.term import indicator, variable
    >>> entry = indicator(("n",), [("=", ((0, 1), ("", -2)))])
    >>> product_text(entry, ("x", variable("x", ("n",))), ((0,), (0,), ()), str)
    'x[2]'
    """
    text, term = array
    key = slices(indicator, term, spec)
    if key is not None:
        return f"{text}[{', '.join(key)}]"
    return f"indicator_product({spec}, {constraints_text(indicator, size)}, {text})"


def slices(indicator: Term, array: Term, spec: Spec) -> list[str] | None:
    """The key where each index of the array is kept, or is fixed, or begins at some number."""
    part, other, out = spec
    sliced: dict[int, tuple[int, str]] = {}
    for relation, f in indicator.constraints:
        found = _slice(f, indicator, part, other, out) if relation == "=" else None
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
    f: Form, indicator: Term, part: Indices, other: Indices, out: Indices
) -> tuple[int, int, str] | None:
    """The array's index that an equality fixes, the output's in its place, and its slice."""
    here = [k for k in indices(f) if part[k] in other and part[k] not in out]
    if len(here) != 1 or abs(coefficient(f, here[0])) != 1:
        return None
    (b,) = here
    value = solved(f, b)
    number = form(term for term in value if isinstance(term[0], str))
    size = indicator.dims[b]
    start = _first(number, size)
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
    stop = _last(form([*number, ("", 1), *times(step, last_index(length))]), size)
    if stop is None:
        return None
    steps = f":{step}" if step > 1 else ""
    return part[b], part[i], f"{start or ''}:{stop}{steps}"


def _first(place: Form, size: Size) -> int | None:
    """A place as Python counts it, from the end if that is what it depends on."""
    if {*dict(place)} <= {""}:
        return coefficient(place, "") if coefficient(place, "") >= 0 else None
    behind = _behind(place, size)
    return behind or None


def _last(place: Form, size: Size) -> str | None:
    """The end of a slice; nothing for that of the axis."""
    if {*dict(place)} <= {""}:
        return str(coefficient(place, ""))
    behind = _behind(place, size)
    return None if behind is None else str(behind or "")


def _behind(place: Form, size: Size) -> int | None:
    """Where a place lies, counted from the end of an axis; None if not before it."""
    distance = plus(place, times(-1, size_form(size)))
    number = coefficient(distance, "")
    return number if {*dict(distance)} <= {""} and number <= 0 else None


def _fits(text: str, size: int) -> bool:
    """Whether a slice stays within an axis."""
    start, _, rest = text.partition(":")
    stop = rest.partition(":")[0] or str(int(start or 0) + 1)
    return int(start or 0) >= 0 and int(stop) <= size


def _number(f: Form, size: SizeText) -> str:
    """The part of a form without indices, as an expression."""
    number = form(term for term in f if isinstance(term[0], str))
    return format_form(number, size=size, sign=" * ")


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
