"""Terms in place of variables: what is an instance of what, and names for what is replaced."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Size, canonical, hadamard, scaling
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import function_of
from eggrad.engine.terms.term import (
    Term,
    constant,
    einsum,
    postorder,
    rebuild,
    variable,
    variables,
)

POINTWISE: Final = frozenset({"add", "subtract", "divide", "power", "negate"})

Substitution = Mapping[Term, Term]


def matches(
    pattern: Term, term: Term, bound: Substitution | None = None
) -> Iterator[dict[Term, Term]]:
    """Every way to make a term from a pattern by putting terms in place of its variables.

    Sums, and products whose operands may be exchanged, match in both orders.

    >>> from eggrad.engine.terms.term import add, apply, constant, variable
    >>> a, b = variable("a"), variable("b")
    >>> found, = matches(add(a, constant(0)), add(constant(0), apply("exp", b)))
    >>> found[a].op
    'exp'
    """
    known = dict(bound or {})
    if pattern.op == "variable":
        if pattern.dims == term.dims and known.setdefault(pattern, term) is term:
            yield known
    elif pattern.op == term.op and pattern.data == term.data:
        if not pattern.args:
            if pattern.dims == term.dims:
                yield known
            return
        orders = [term.args]
        if pattern.op == "add" or is_symmetric_product(pattern):
            orders.append(term.args[::-1])
        for args in orders:
            yield from _all_match(pattern.args, args, known)


def _all_match(
    patterns: tuple[Term, ...], terms: tuple[Term, ...], bound: Substitution
) -> Iterator[dict[Term, Term]]:
    if not patterns:
        yield dict(bound)
    elif len(patterns) == len(terms):
        for found in matches(patterns[0], terms[0], bound):
            yield from _all_match(patterns[1:], terms[1:], found)


def substituted(term: Term, bound: Substitution) -> Term:
    """A term with other terms in place of some of its nodes, its variables for instance."""
    done: dict[Term, Term] = {}
    for t in postorder(term, operands=lambda node: () if node in bound else node.args):
        done[t] = bound.get(t) or rebuild(t, tuple(done[a] for a in t.args))
    return done[term]


def replaced(roots: Sequence[Term], found: Substitution) -> list[Term]:
    """Terms with others in place of some nodes, inside of what is put in as well.

    >>> from eggrad.engine.terms.term import add, apply, variable
    >>> x, y, z = map(variable, "xyz")
    >>> whole = add(apply("exp", x), x)
    >>> replaced([whole], {x: y, whole: apply("sin", x)})[0] is apply("sin", y)
    True
    """
    done: dict[Term, Term] = {}
    stack = list(roots)
    while stack:
        term = stack[-1]
        chosen = found.get(term, term)
        missing = [a for a in chosen.args if a not in done]
        stack += missing
        if not missing:
            done[term] = rebuild(chosen, tuple(done[a] for a in chosen.args))
            stack.pop()
    return [done[r] for r in roots]


def entry_by_entry(term: Term) -> Term | None:
    """What a term of element-wise operations does to each entry; None for other terms.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> entry_by_entry(apply("exp", variable("x", ("n",)))) is apply("exp", variable("x"))
    True
    """
    done: dict[Term, Term] = {}
    for t in postorder(term):
        match t.op:
            case "variable":
                done[t] = variable(t.name)
            case "constant":
                done[t] = constant(t.value)
            case "einsum" if t.data == scaling(t.order) or t.data == hadamard(t.order):
                done[t] = einsum(",->", *(done[a] for a in t.args))
            case op if op in POINTWISE or function_of(op, t.data):
                done[t] = rebuild(t, tuple(done[a] for a in t.args))
            case _:
                return None
    return done[term]


def is_symmetric_product(t: Term) -> bool:
    """Whether a node is a product whose operands may be exchanged.

    >>> from eggrad.engine.terms.term import variable
    >>> x, y = variable("x", ("n",)), variable("y", ("n",))
    >>> [is_symmetric_product(einsum(s, x, y)) for s in ("i,i->", "i,j->ij")]
    [True, False]
    """
    if t.op != "einsum" or len(t.args) != 2:
        return False
    first, second, out = t.spec
    return canonical([second, first], out) == t.data


def apart(
    replaced: Sequence[Term], inside: Sequence[Term], outside: Sequence[Term]
) -> tuple[dict[Term, Term], dict[Size, Size]]:
    """New names for variables that are replaced, and for the sizes that no other ones have.

    `inside` are the terms in which they are replaced, variables among them, `outside` what has
    names that are taken too.

    >>> x, y = variable("x", ("n",)), variable("y", ("m",))
    >>> places, sizes = apart([x], [einsum("i,j->ij", x, y), x, y], [])
    >>> places[x].data, sizes
    (('x_', ()), {'n': 'n_'})
    """
    every = variables(*inside, *outside)
    names, taken = {v.name for v in every}, {*symbols(*inside, *outside)}
    places = {v: variable(_unused(v.name, names), v.dims, v.assumed) for v in replaced}
    kept = symbols(*(v for v in variables(*inside) if v not in places))
    local = {s for v in replaced for d in v.dims for s in size_symbols(d)} - {*kept}
    return places, {s: _unused(s, taken) for s in sorted(local)}


def _unused(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
