"""Terms to be read as an e-graph in which no rule has run."""

from collections.abc import Iterable

from eggrad.engine.egraph.egraph import Contents, Row
from eggrad.engine.laws.constructors import parts
from eggrad.engine.laws.knowledge import Knowledge, NumberedFacts
from eggrad.engine.terms.term import Term

__all__ = ["TermRows"]


class TermRows:
    """Terms to be read as an e-graph in which nothing is equal: each is a class of its own."""

    def __init__(
        self,
        terms: Iterable[Term],
        roots: Iterable[Term] = (),
        numbers: dict[Term, int] | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        """Take terms, the operands of each before it; `numbers` are those of earlier readings.

        Without `knowledge` nothing is known of them.
        """
        self.numbers = {} if numbers is None else numbers
        self.roots = {f"root {k}": t for k, t in enumerate(roots)}
        self._terms = list(terms)
        for t in self._terms:
            self.numbers.setdefault(t, len(self.numbers))
        self._known = NumberedFacts(knowledge or Knowledge(), self._terms, self.numbers)

    def rows(self) -> Contents:
        """Every term as the only member of its class, the dims of the classes, and the roots."""
        rows: list[Row] = []
        for t in self._terms:
            constructor, data, operands = parts(t)
            children = tuple(self.numbers[a] for a in operands)
            rows.append(Row(constructor, data, children, self.numbers[t], False, False))
        names = {name: self.numbers[t] for name, t in self.roots.items()}
        dims: dict[int, tuple[object, ...]] = {self.numbers[t]: t.dims for t in self._terms}
        return Contents(rows, dims, names, self._known)
