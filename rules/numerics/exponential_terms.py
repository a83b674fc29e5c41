"""Linear forms, powers and products as terms of one shape."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Dims, canonical, hadamard
from eggrad.engine.networks.contraction_order import scaled
from eggrad.engine.networks.exponential_field import Form, form_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["Writer", "multiple"]


class Writer:
    """Terms of one shape."""

    def __init__(self, graph: Snapshot, dims: Dims) -> None:
        """Write terms with axes `dims`."""
        self.graph = graph
        self.dims = dims

    def number(self, c: Fraction) -> Term:
        """The tensor of equal entries."""
        return terms.constant(c, self.dims)

    def log_of(self, c: Fraction) -> Form:
        """The logarithm of a number as a linear form."""
        return () if c == 1 else ((terms.apply("log", self.number(c)), Fraction(1)),)

    def key(self, key: Any) -> Term:
        """A class, spread over the axes that it has not."""
        if isinstance(key, Term):
            return key
        cls, axes = key
        own, every = self.graph.term(cls), tuple(range(len(self.dims)))
        if axes == every:
            return own
        rest = tuple(k for k in every if k not in axes)
        if not rest:
            return terms.einsum(canonical([axes], every), own)
        ones = terms.constant(1, tuple(self.dims[k] for k in rest))
        return terms.einsum(canonical([axes, rest], every), own, ones)

    def total(self, form: Form) -> Term:
        """A linear form."""
        summands = [scaled(c, self.key(key)) for key, c in sorted(form, key=lambda i: i[1] < 0)]
        return reduce(terms.add, summands) if summands else self.number(Fraction(0))

    def product(self, factors: Sequence[Term]) -> Term:
        """An element-wise product."""
        spec = hadamard(len(self.dims))
        whole = [f for f in factors if not (f.op == "constant" and f.data == 1)]
        if not whole:
            return self.number(Fraction(1))
        return reduce(lambda a, b: terms.einsum(spec, a, b), whole)

    def power(self, base: Term, p: Fraction | int) -> Term:
        """A power; the base itself for exponent 1."""
        return base if p == 1 else terms.power(base, terms.constant(p))

    def softplus(self, form: Form) -> Form:
        """`log(1 + exp(form))` as a linear form."""
        return ((terms.numeric("softplus", self.total(form)), Fraction(1)),)

    def difference(self, form: Form) -> Term:
        """The exponential of a linear form that is never above 0."""
        low = [(key, -c) for key, c in form if c < 0]
        high = [(key, c) for key, c in form if c > 0]
        return terms.numeric("exp_difference", self.total(tuple(high)), self.total(tuple(low)))


def multiple(form: Form, k: Fraction | int) -> Form:
    """A multiple of a linear form."""
    return form_of((key, k * c) for key, c in form)
