"""The thesis's language out: from a term to text that reads back as the very same term."""

from collections.abc import Sequence

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.constraints import mentioned_sizes
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.term import Term, implied, variables
from eggrad.frontend.text.inference import Node, infer
from eggrad.frontend.text.layout import Layout
from eggrad.frontend.text.words import ASSUMPTIONS, MAXIMAL_ORDER, format_name, format_sizes, quoted

__all__ = ["format_problem", "format_term"]


def format_term(term: Term, limit: int = 10_000) -> str:
    """The expression alone, every part written out; after `limit` characters an ellipsis.

    Sizes of constants are written where their use does not show them.

    >>> from eggrad.engine.terms.term import apply, negate, power, constant, variable
    >>> format_term(negate(power(apply("sin", variable("x", ("n",))), constant(2))))
    '-(sin(x) ^ 2)'
    """
    layout = Layout(term, variables(term))
    annotated = _annotated(layout)
    bits: list[str] = []
    length = 0
    for bit in layout.text(layout.root, annotated, {}):
        bits.append(bit)
        length += len(bit)
        if length > limit:
            return "".join(bits)[:limit] + "…"
    return "".join(bits)


def format_problem(term: Term, scope: Sequence[Term] = (), wrt: Sequence[Term] = ()) -> str:
    """A whole text that `parse` reads back as this very term.

    The variables of `scope` are declared first, in that order, whether they occur or not; `wrt`
    are those of `derivative wrt`. Long parts that occur more than once are named with `let`.
    Raises `ShapeError` where two different variables have the same name.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> a, x = variable("A", ("A_1", "A_2")), variable("x", ("A_2",))
    >>> format_problem(einsum("ij,j->i", a, x))
    'declare A 2 x 1 expression A *(ij,j->i) x'
    """
    declared = _declared(term, (*scope, *wrt))
    layout = Layout(term, declared)
    annotated = _annotated(layout)
    parts = ["declare"]
    for place, own in enumerate(declared):
        name, assumptions = own.name, own.assumed
        shape = format_sizes(own.dims) if place in annotated else f" {own.order}"
        parts.append(f" {format_name(name)}{shape}{_assumed(assumptions)}")
    separator = "\n" if layout.names else " "
    for place, name in layout.names.items():
        parts.append(f"{separator}let {name} = ")
        parts.extend(layout.text(place, annotated, layout.names))
    parts.append(f"{separator}expression ")
    parts.extend(layout.text(layout.root, annotated, layout.names))
    if wrt:
        parts.append(f"{separator}derivative")
        parts.extend(f" wrt {format_name(_name(own))}" for own in wrt)
    return "".join(parts)


def _assumed(assumptions: Sequence[str]) -> str:
    stated = [word for word in assumptions if word not in implied(assumptions)]
    words = (word if word in ASSUMPTIONS else quoted(word) for word in stated)
    return "{" + ", ".join(words) + "}" if assumptions else ""


def _declared(term: Term, scope: Sequence[Term]) -> list[Term]:
    """Every variable once: those of `scope`, then the others.

    A variable whose axes have another's sizes comes after that one, so that its plain
    declaration means the same sizes.
    """
    found = dict.fromkeys(scope)
    names = {_name(own): own for own in variables(term)}
    owners = {f"{name}_{i + 1}": own for name, own in names.items() for i in range(own.order)}
    stack = [(own, False) for own in reversed(variables(term))]
    begun = set(found)
    while stack:
        own, ready = stack.pop()
        if ready:
            found[own] = None
        elif own not in begun:
            begun.add(own)
            stack.append((own, True))
            stack.extend((owners[size], False) for size in own.dims if size in owners)
    if len({_name(own) for own in found}) < len(found):
        names = [_name(own) for own in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise ShapeError(f"two different variables are called {twice!r}")
    return list(found)


def _annotated(layout: Layout) -> set[int]:
    """The leaves whose sizes must be written, because reading would infer others."""
    terms = layout.terms
    leaves = [place for place, term in enumerate(terms) if not term.args]
    annotated = {place for place in leaves if terms[place].order > MAXIMAL_ORDER}
    for _ in range(2):
        nodes = [
            node if term.args else _given(term, place in annotated)
            for place, (node, term) in enumerate(zip(layout.nodes, terms, strict=True))
        ]
        dims, renamed = infer(nodes, "")
        wrong = {
            place
            for place in leaves
            if dims[place] != terms[place].dims or not _mentioned(terms[place]).isdisjoint(renamed)
        }
        if not wrong:
            return annotated
        annotated |= wrong
    return annotated.union(place for place in leaves if terms[place].dims)


def _mentioned(leaf: Term) -> frozenset[object]:
    """The size symbols that a leaf's text has beside its axes."""
    if leaf.op == "indicator":
        return frozenset[object](mentioned_sizes(leaf.constraints))
    return frozenset([leaf.data] if leaf.op == "size" else [])


def _given(term: Term, annotated: bool) -> Node:
    """What the text of a leaf tells the inference."""
    order = term.order if annotated or term.op != "constant" else None
    sizes: Dims | None = None
    if annotated or term.op in ("array", "indicator"):
        sizes = term.dims[: term.order // 2] if term.op == "delta" else term.dims
    elif term.op == "variable":
        sizes = tuple(f"{_name(term)}_{axis}" for axis in range(1, term.order + 1))
    placed = None if sizes is None else tuple((size, 0) for size in sizes)
    return Node(term.op, term.data, (), 0, order, placed)


def _name(own: Term) -> str:
    return own.name
