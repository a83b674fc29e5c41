"""The smallest counterexample to a law: few axes, small sizes, plain terms and small integers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.matching import SYMBOLS, Reject
from eggrad.engine.laws.rule import Rule
from eggrad.engine.terms.binding import Array, concrete
from eggrad.engine.terms.term import Term, postorder, substitute_sizes
from eggrad.engine.workbench.drawing import EVERYTHING, Scope
from eggrad.engine.workbench.instances import IllTyped, Instance, close, random_trial
from eggrad.engine.workbench.soundness import Comparison, compare, random_instances
from eggrad.engine.workbench.trials import Trial

# Small instances come up more often where there is no other size and no further axis.
SCOPES: Final = (
    *(Scope((1,), axes) for axes in (0, 1, 2)),
    *(Scope((1, 2), axes) for axes in (1, 2, 3)),
    EVERYTHING,
)
DRAWS: Final = 1500
COMPARED: Final = 100
NUMBERS: Final = tuple(map(Fraction, ("0", "1", "-1", "2", "-2", "3", "-3", "1/2", "-1/2")))

Refutation = tuple[Instance, Comparison]
T = TypeVar("T")


def shrink(rule: Rule, seed: int = 0) -> Comparison | IllTyped | None:
    """A smallest counterexample to a law, as far as some hundred instances of each size show.

    Values that differ tell more than a right side without axes.

    >>> from eggrad.engine.laws.language import Statement, Tensor, fn
    >>> from eggrad.engine.laws.rule import Ruleset
    >>> example = Ruleset("example", "one law", "nothing")
    >>> @example.rule(cite="false below 0")
    ... def absolute(a: Tensor) -> Statement:
    ...     '''|a| = a.'''
    ...     return fn("abs", a) >> a
    >>> found = shrink(absolute)
    >>> found.values, found.left, found.right
    ({'a': array(-1.)}, array(1.), array(-1.))
    """
    rng = np.random.default_rng(seed)
    ill_typed: list[IllTyped] = []
    for scope in SCOPES:
        found = list(_refutations(rule, rng, scope, ill_typed))
        if found:
            return _simplified(*min(found, key=_size))
    return ill_typed[0] if ill_typed else None


def _refutations(
    rule: Rule, rng: np.random.Generator, scope: Scope, ill_typed: list[IllTyped]
) -> Iterator[Refutation]:
    """Instances at which the sides differ; others where the right one has no axes are noted."""
    for back in (False, True)[: 1 + rule.statement.both]:
        compared = 0
        for instance in random_instances(rule, rng, DRAWS, back, scope):
            if isinstance(instance, IllTyped):
                ill_typed.append(instance)
                continue
            found = compare(instance, random_trial(instance, rng))
            compared += found is not None
            if found is not None and found.flaw is not None:
                yield instance, found
            if compared == COMPARED:
                break


def _size(refutation: Refutation) -> tuple[Any, ...]:
    """What is made small, the most important first."""
    instance, found = refutation
    nodes = list(postorder(*found.sides))
    numbers = [n for n in instance.bound.values() if isinstance(n, Fraction)]
    entries = sum(array.size for array in found.values.values())
    return found.flaw == "axes", sum(t.order for t in nodes), entries, len(nodes), _rank(numbers)


def _rank(numbers: Iterable[Fraction]) -> int:
    """How far from plain numbers are."""
    return sum(NUMBERS.index(n) if n in NUMBERS else len(NUMBERS) for n in numbers)


def _simplified(instance: Instance, found: Comparison) -> Comparison:
    """The same with plainer bindings, then with plainer values."""
    instance, found = least((instance, found), lambda pair: _plainer(*pair))
    return least(found, partial(_with_plainer_values, instance)).plain


def least(found: T, smaller: Callable[[T], Iterator[T]]) -> T:
    """Where the first of what is smaller leads to, again and again.

    >>> least(40, lambda n: iter([n // 2] if n % 2 == 0 else []))
    5
    """
    while (best := next(smaller(found), None)) is not None:
        found = best
    return found


def _plainer(instance: Instance, found: Comparison) -> Iterator[Refutation]:
    """Counterexamples of the same kind at which one size or one parameter is plainer."""
    for bound in (*_smaller_bindings(instance), *_plainer_bindings(instance)):
        again = _closed(instance, bound)
        if again is None:
            continue
        values = {
            name: found.values[name][tuple(map(slice, concrete(v.dims, SYMBOLS)))]
            for v in again.variables
            if (name := v.name) in found.values
        }
        other = _refuted(again, values, found.flaw)
        if other is not None:
            yield again, other


def _smaller_bindings(instance: Instance) -> Iterator[dict[str, Any]]:
    """The same bindings with one size made smaller throughout."""
    sizes = sorted({d for v in instance.variables for d in v.dims}, key=str)
    for old in sizes:
        for new in range(1, SYMBOLS[old] + 1 if isinstance(old, str) else old):
            yield {name: _resized(v, old, new) for name, v in instance.bound.items()}


def _resized(value: Any, old: Size, new: Size) -> Any:
    """A term, or axes wherever they are, with a size replaced; a spec has no sizes."""
    match value:
        case Term():
            return substitute_sizes([value], {old: new})[0]
        case (str(name), tuple(dims), *words):
            return (name, _resized(dims, old, new), *words)
        case tuple() if not any(isinstance(d, tuple) for d in value):
            return tuple(new if d == old else d for d in value)
        case _:
            return value


def _plainer_bindings(instance: Instance) -> Iterator[dict[str, Any]]:
    """The same bindings with one number or one term made plainer."""
    for name, value in instance.bound.items():
        plainer: Iterable[object] = ()
        if isinstance(value, Fraction) and value in NUMBERS:
            plainer = NUMBERS[: NUMBERS.index(value)]
        elif isinstance(value, Term):
            plainer = (t for t in postorder(value) if t is not value and t.dims == value.dims)
        yield from ({**instance.bound, name: other} for other in plainer)


def _closed(instance: Instance, bound: Mapping[str, Any]) -> Instance | None:
    try:
        return close(instance.rule, bound, instance.law)
    except (Reject, ShapeError):
        return None


def _with_plainer_values(instance: Instance, found: Comparison) -> Iterator[Comparison]:
    """Counterexamples of the same kind with one array, or one entry, that is plainer."""
    declared = {v.name for v in instance.variables if v.assumed}
    # At zero are the kinks, where differences may agree on what is no derivative.
    zero = not instance.is_differentiated
    for values in simpler_values(found.values, declared, zero):
        other = _refuted(instance, values, found.flaw)
        if other is not None:
            yield other


def _refuted(
    instance: Instance, values: Mapping[str, Array], flaw: str | None
) -> Comparison | None:
    """The comparison at some values, if it shows the same flaw."""
    found = compare(instance, Trial(values))
    return found if found is not None and found.flaw == flaw else None


def simpler_values(
    values: Mapping[str, Array], declared: Iterable[str] = (), zero: bool = True
) -> Iterator[dict[str, Array]]:
    """The same values with one array or entry replaced by a plainer number, at times `zero`.

    Of a `declared` variable something is known that other numbers might not have.
    """
    numbers = [float(n) for n in NUMBERS if n or zero]
    for name in sorted(values.keys() - {*declared}):
        array = values[name]
        whole: list[Array] = [np.full(array.shape, n, float) for n in numbers[:2]]
        if array.ndim == 2 and zero:
            whole.insert(1, np.eye(*array.shape))
        for other in whole:
            if _effort(other) < _effort(array):
                yield {**values, name: other}
        for place in np.ndindex(array.shape):
            for number in (*numbers, float(np.round(array[place], 1))):
                other = np.array(array, float)
                other[place] = number
                if _effort(other) < _effort(array):
                    yield {**values, name: other}


def _effort(array: Array) -> float:
    """How much there is to read: plain numbers count little, others by their digits."""
    plain = [float(n) for n in NUMBERS]
    found = 0.0
    for entry in map(float, array.flat):
        if entry in plain:
            found += plain.index(entry)
        else:
            found += 20 if entry == round(entry, 1) else 100
    return found
