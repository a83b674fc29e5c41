"""New names for what is replaced in a term, so that what replaces it may have the old ones."""

from collections.abc import Container, Sequence

from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term


def apart(
    replaced: Sequence[Term], inside: Sequence[Term], outside: Sequence[Term]
) -> tuple[dict[Term, Term], dict[Size, Size]]:
    """New names for variables that are replaced, and for the sizes that no other ones have.

    `inside` are the terms in which they are replaced, variables among them, `outside` what has
    names that are taken too.

    >>> x, y = terms.variable("x", ("n",)), terms.variable("y", ("m",))
    >>> places, sizes = apart([x], [terms.einsum("i,j->ij", x, y), x, y], [])
    >>> places[x].data, sizes
    (('x_', ()), {'n': 'n_'})
    """
    every = terms.variables(*inside, *outside)
    names, taken = {v.name for v in every}, {*symbols(*inside, *outside)}
    places = {v: terms.variable(_unused(v.name, names), v.dims, v.assumed) for v in replaced}
    kept = symbols(*(v for v in terms.variables(*inside) if v not in places))
    local = {s for v in replaced for d in v.dims for s in size_symbols(d)} - {*kept}
    return places, {s: _unused(s, taken) for s in sorted(local)}


def _unused(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
