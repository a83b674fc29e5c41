"""Equal terms none of whose parts has more than two axes, found by the rules."""

from fractions import Fraction

from eggrad.engine.cost import CostModel
from eggrad.engine.sparsity import Sparsity
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term

__all__ = ["without_tensors"]

# More than any term of matrices costs at the sizes that symbols stand for.
TENSOR = 10**15


class _MatrixModel(CostModel):
    """Costs by which anything with more than two axes is dear."""

    def node(
        self, constructor: str, data: tuple[object, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node."""
        own = super().node(constructor, data, args, out, deltas, same=same, constants=constants)
        return own + TENSOR * (len(out) > 2)


def without_tensors(term: Term) -> Term:
    """The equal term with the fewest parts of more than two axes that was found.

    >>> from eggrad.engine.term import einsum, postorder, variable
    >>> x, y, z = (variable(name, ("n",)) for name in "xyz")
    >>> cube = einsum("ij,k->ijk", einsum("i,j->ij", x, y), z)
    >>> max(node.order for node in postorder(without_tensors(einsum("ijk->ij", cube))))
    2
    """
    from eggrad.rules.standard import system

    return system().explore([term], [_MatrixModel()]).cheapest().term
