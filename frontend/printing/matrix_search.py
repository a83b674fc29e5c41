"""The shortest formula of matrices among all equal terms that the rules find."""

import re
from fractions import Fraction
from typing import Final

from eggrad.engine.costs.cost import CostModel, node_count
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.indicator_plan import Sparsity
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term, assembled
from eggrad.frontend.printing.matrix_form import form_of, has_notation
from eggrad.frontend.printing.matrix_printer import format_matrix

__all__ = ["shortest", "words"]

# Of larger terms nobody reads the formula: they are written as they are.
MOST_NODES: Final = 60
# What a part of a text costs: more than all operations of a term at the sizes symbols stand for.
PART: Final = 10**15
# What no text can say costs more than any text.
TENSOR: Final = PART * 10**6
# An index in brackets counts as one word.
WORD: Final = re.compile(r"\w+(?:\.\d+)?|\[[^]]*\]|\.?[^\w\s]")


def shortest(term: Term) -> Term:
    """The equal term whose matrix notation is the shortest found; the term itself at a draw.

    A term stays as it is where no equal one with matrix notation was found, and beyond 60 nodes.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> x = variable("x", ("n",))
    >>> format_matrix(shortest(einsum("i,i->i", x, einsum("i,i->i", x, x))))
    'x.^3'
    """
    from eggrad.rules.standard import system

    known = has_notation(term)
    if term.order > 2 or (known and node_count([term]) > MOST_NODES):
        return term
    model = _TextModel()
    explored = system().explore([term], [CostModel(), model])
    graph = explored.graph.at(model)
    (root,) = explored.classes
    cheapest = explored.graph.extract([root])
    found = [term, *graph.extract([root]), graph.term(root), *cheapest]
    formulas = filter(has_notation, found)
    return min(formulas, key=lambda t: words(format_matrix(t)), default=term)


def words(text: str) -> int:
    """The number of names, numbers, signs and brackets in a text.

    >>> words("A'*(x[3] + 0.5)")
    9
    """
    return len(WORD.findall(text))


class _TextModel(CostModel):
    """Costs by the parts of texts; operations decide between texts with as many."""

    def node(
        self, constructor: str, data: tuple[object, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node."""
        if any(len(dims) > 2 for dims in (out, *args)):
            return TENSOR
        values = constants or (None,) * len(args)
        operands = tuple(
            _stand_in(0 if same else place, *known)
            for place, known in enumerate(zip(args, deltas, values, strict=True))
        )
        operations = super().node(constructor, data, args, out, deltas)
        return _parts(assembled(constructor, data, operands)) * PART + operations


def _stand_in(place: int, dims: Dims, known: Sparsity, value: Fraction | None) -> Term:
    """An operand of which no more is known than a cost model is told."""
    if value is not None:
        return terms.constant(value, dims)
    if known is True:
        return terms.delta(dims[: len(dims) // 2])
    return terms.indicator(dims, known) if known else terms.variable(f"a{place}", dims)


def _parts(term: Term) -> int:
    """How many parts the text of a node adds to those of its operands."""
    try:
        below = {a: form_of(a, {}) for a in term.args}
        return max(1, form_of(term, below).weight - sum(f.weight for f in below.values()))
    except UnsupportedOperation:
        return TENSOR // PART
