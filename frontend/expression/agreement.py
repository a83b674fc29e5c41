"""What operands of one operation have to agree on: sizes, and variables of one name."""

from collections.abc import Iterable

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms.term import Term
from eggrad.frontend.text.sizes import unify_sizes

__all__ = ["agreed_sizes"]


def agreed_sizes(
    variables: Iterable[Term], pairs: Iterable[tuple[Size, Size]], what: str
) -> dict[Size, Size]:
    """The replacements that make each pair equal, and the axes of variables of one name.

    Raises `ShapeError`, which begins with `what`, where that cannot be.

    >>> from eggrad.engine.terms.term import variable
    >>> agreed_sizes([variable("x", ("m",)), variable("x", ("n",))], [("n", 3)], "x + x")
    {'n': 3, 'm': 3}
    """
    wanted = [(p, q) for p, q in pairs if p != q]
    known: dict[str, Term] = {}
    for v in variables:
        first = known.setdefault(v.name, v)
        if first is v:
            continue
        if first.order != v.order or first.data != v.data:
            raise ShapeError(
                f"{what}: {_described(first)} and {_described(v)} are two variables of one name; "
                "they need as many axes and the same assumptions"
            )
        wanted += [(p, q) for p, q in zip(first.dims, v.dims, strict=True) if p != q]
    return unify_sizes(wanted, what) if wanted else {}


def _described(variable: Term) -> str:
    assumed = variable.assumed
    words = "".join(f", {word}" for word in assumed)
    return f"{variable.name} with axes ({', '.join(str(d) for d in variable.dims)}){words}"
