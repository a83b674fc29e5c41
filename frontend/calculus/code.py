"""Terms lowered to what code computes fast and without losing digits, and compiled."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from eggrad.engine.compilation.compiled import CompiledFunction, compile_terms
from eggrad.engine.compilation.known_values import with_known_values
from eggrad.engine.compilation.variants import SizeVariant, find_variants
from eggrad.engine.costs.cost import CostModel, Model
from eggrad.engine.costs.time_model import Rates, TimeModel
from eggrad.engine.guard import optional
from eggrad.engine.indices.spec import Size
from eggrad.engine.saturation.schedule import Strategy
from eggrad.engine.saturation.windows import in_windows
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.loops import with_results, with_steps
from eggrad.engine.terms.term import Term, postorder
from eggrad.frontend.calculus.kept import Group, kept
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.rules.calculus.stable_forms import WITH_LAW, WITHOUT_LAW
from eggrad.rules.standard import BY_EXPONENTIALS, EXACT, STANDARD, system

# Functions whose compositions may overflow or lose digits.
_UNSTABLE: Final = frozenset({"log", *(f.name for f in FUNCTIONS.values() if f.grows)})
# Functions of sums of exponentials.
OF_EXPONENTIALS: Final = ("logsumexp", "softmax", "log_softmax")


def evaluator(term: Term, scope: Sequence[Term], *, as_written: bool) -> CompiledFunction:
    """What computes the value of a term: its stable form, or what is written.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> float(evaluator(apply("exp", variable("x")), (), as_written=True)(x=0))
    1.0
    """
    form = term if as_written else stable_form(term)
    return compile_terms([form], scope, single=True, reference=[term])


@shows_progress("compiling")
def stable_form(term: Term) -> Term:
    """An equal term that neither overflows on the way nor loses digits, as code can compute it.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> stable_form(apply("log", add(constant(1), apply("exp", variable("x"))))).op
    'softplus'
    """
    return _kept_form("stable", [term], (), lambda: _stable([term], model=CostModel()))[0]


@shows_progress("compiling")
def unexplored(
    roots: Sequence[Term], rates: Rates, sizes: Mapping[str, int] | None = None
) -> SizeVariant:
    """Equal terms to generate code from, found at once: their stable form, and what is folded.

    >>> from eggrad.engine.costs.time_model import default_rates
    >>> from eggrad.engine.terms.term import add, apply, constant, subtract, variable
    >>> x = variable("x")
    >>> roots = [subtract(apply("exp", x), constant(1)), add(x, constant(0))]
    >>> [t.op for t in unexplored(roots, default_rates()).terms]
    ['expm1', 'variable']
    """
    known: dict[Size, int] = {**sizes} if sizes else {}

    def found() -> Sequence[Term]:
        stable = partial(_stable, model=TimeModel(known, rates=rates))
        return with_known_values(in_windows(roots, stable), _value)

    options = rates, tuple(sorted(known.items(), key=repr))
    return SizeVariant(_kept_form("unexplored", roots, options, found))


@shows_progress("differentiating")
def as_computed(roots: Sequence[Term]) -> Sequence[Term]:
    """The forms of terms in which they are computed, to be differentiated as such.

    So code never meets the derivative of what it does not compute. Terms without sums of
    exponentials, and powers of such, are as they were.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> [t.op for t in as_computed([apply("log", add(constant(1), apply("exp", variable("x"))))])]
    ['softplus']
    """
    if not any(t.op in _UNSTABLE for t in postorder(*roots)):
        return roots

    stable = partial(_stable, model=CostModel(), lacking=WITHOUT_LAW)
    found = _kept_form("computed", roots, (), lambda: in_windows(roots, stable))
    return found if any(t.op in WITH_LAW for t in postorder(*found)) else roots


@shows_progress("printing")
def program_form(term: Term, lacking: Collection[str] = (), *, exact: bool = False) -> Term:
    """The stable form without some operations; the term as it is where no rule vouches for any.

    For numbers that are `exact` it has no series.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> one, x = constant(1), variable("x")
    >>> program_form(apply("log", add(one, apply("exp", x)))).op
    'softplus'
    >>> program_form(add(x, x)).op
    'add'
    """

    def found() -> Sequence[Term]:
        strategy = EXACT if exact else STANDARD
        model = CostModel()
        return _stable([term], model=model, lacking=lacking, if_vouched=True, strategy=strategy)

    return _kept_form("program", [term], (*sorted(lacking), exact), found)[0]


def by_exponentials(term: Term) -> Term:
    """A program's form without functions of sums of exponentials: the largest is taken out.

    >>> from eggrad.engine.terms.term import numeric, variable
    >>> by_exponentials(numeric("logsumexp", variable("x", ("n",)), data=((0,), ()))).op
    'add'
    """
    if not any(t.op in OF_EXPONENTIALS for t in postorder(term)):
        return term
    found = system(BY_EXPONENTIALS).explore([term], [CostModel()], lacking=OF_EXPONENTIALS)
    return found.cheapest().term


def _stable(
    roots: Sequence[Term],
    names: Mapping[Term, Term] = MappingProxyType({}),
    *,
    model: Model,
    lacking: Collection[str] = (),
    if_vouched: bool = False,
    strategy: Strategy = STANDARD,
) -> Sequence[Term]:
    again = partial(_stable, model=model, lacking=lacking, if_vouched=if_vouched, strategy=strategy)
    found = system(strategy).explore(
        roots, [model], purpose="evaluate", lacking=lacking, names=names
    )
    forms = found.cheapest().terms if not if_vouched or found.is_vouched else roots
    return with_steps(forms, lambda loop: with_results(loop, again))


@shows_progress("compiling")
def lower(
    roots: Sequence[Term], rates: Rates, sizes: Mapping[str, int] | None = None
) -> tuple[SizeVariant, ...]:
    """Equal terms to generate code from, predicted to be the fastest; `sizes` are known sizes.

    >>> from eggrad.engine.costs.time_model import default_rates
    >>> from eggrad.engine.terms.term import apply, constant, subtract, variable
    >>> x = variable("x")
    >>> (form,) = lower([subtract(apply("exp", x), constant(1))], default_rates())
    >>> form.terms[0].op
    'expm1'
    """

    def found() -> Sequence[Group]:
        forms = find_variants(system(), roots, rates, sizes)
        return [(tuple(with_known_values(f.terms, _value)), [*f.sizes]) for f in forms]

    options = rates, tuple(sorted((sizes or {}).items()))
    groups = optional(
        "looking for fast forms",
        lambda: kept("variants", roots, options, found),
        lambda: [(tuple(roots), ())],
    )
    return tuple(SizeVariant(terms, tuple(at)) for terms, at in groups)


def _kept_form(
    name: str, roots: Sequence[Term], options: object, find: Callable[[], Sequence[Term]]
) -> tuple[Term, ...]:
    """The only form of some terms that is looked for; the terms where that fails."""

    def search() -> tuple[Term, ...]:
        ((found, _),) = kept(name, roots, options, lambda: [(tuple(find()), None)])
        return found

    return optional("looking for a form that loses no digits", search, lambda: tuple(roots))


@np.errstate(all="ignore")
def _value(term: Term) -> Any:
    return compile_terms([term], single=True)()
