"""What follows for an expression from its form and what is declared: sign, range, structure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.guard import optional
from eggrad.engine.laws import properties as known
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.saturation.schedule import REDUNDANT
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus.progress import shows_progress
from eggrad.frontend.expression.expression import as_expression
from eggrad.frontend.printing.display import html_table
from eggrad.rules.functions.matrix_properties import matrix_properties
from eggrad.rules.functions.properties import properties as forms
from eggrad.rules.functions.ranges import ranges
from eggrad.rules.standard import AT_SYMMETRIC, system

# Said of every tensor of numbers that are defined, or but for exceptions: not worth a line.
_LEFT_OUT: Final = frozenset(
    {
        known.NONZERO_ALMOST,
        known.POSITIVE_ALMOST,
        known.INVERTIBLE_ALMOST,
        known.DEFINED,
    }
)
_BELOW: Final = ((known.POSITIVE, "(0"), (known.NONNEGATIVE, "[0"))
_ABOVE: Final = ((known.NEGATIVE, "0)"), (known.NONPOSITIVE, "0]"), (known.AT_MOST_ONE, "1]"))


@dataclass(frozen=True)
class Properties(Mapping[str, tuple[str, ...]]):
    """What is known of an expression: each property with the names of the rules that show it."""

    found: Mapping[str, tuple[str, ...]]

    def __getitem__(self, word: str) -> tuple[str, ...]:
        """The rules that show a property, named as `ruleset.rule`."""
        return self.found[word]

    def __iter__(self) -> Iterator[str]:
        """The properties, in the order of their list."""
        return iter(self.found)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.found)

    @property
    def range(self) -> str:
        """The interval that all entries are in, `(0` without its end and `[0` with it."""
        below = next((text for word, text in _BELOW if word in self.found), "(-inf")
        if known.AT_LEAST_ONE in self.found:
            below = "[1"
        elif below == "(-inf" and known.WITHIN_ONE in self.found:
            below = "[-1"
        above = next((text for word, text in _ABOVE if word in self.found), "inf)")
        return f"{below}, {above}"

    def __str__(self) -> str:
        """A line for each: what it says, and the rules that show it."""
        return "\n".join(f"{word}: {text}" for word, text in self._findings())

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return html_table("properties", self._findings())

    def _findings(self) -> list[tuple[str, str]]:
        return [("range", self.range), *((w, ", ".join(rules)) for w, rules in self.found.items())]


@shows_progress("looking for properties")
def properties(f: Any) -> Properties:
    """What follows for an expression from its form, and from what is declared of its variables.

    A mapping from words, those of `assume=` and a few more (docs/properties.md), to the names of
    the rules that show them; `.range` is the interval that all entries are in. What is not named
    is not known: nothing is said of values. The form is looked at as it is written and simplified.

    >>> from eggrad.frontend.expression.functions import exp, variable
    >>> X = variable("X", ("m", "n"))
    >>> properties(X.T @ X)["symmetric"]
    ('matrix_properties.semidefinite_gram', 'matrix_properties.semidefinite_is_symmetric')
    >>> properties(1 / (1 + exp(variable("x")))).range
    '(0, 1]'
    """
    expression = as_expression(f, "properties: f")
    knowledge = Knowledge((forms, ranges, matrix_properties))
    found: dict[str, tuple[str, ...]] = {}
    equal = optional(
        "looking at equal forms", lambda: _in_sums_and_products(expression.thin.term), tuple
    )
    for term in dict.fromkeys((expression.term, *equal)):
        for word in known.PROPERTIES:
            # What is simplified may be defined at more values.
            narrower = word == known.TOTAL and term is not expression.term
            if word in _LEFT_OUT or word in found or narrower:
                continue
            if knowledge.knows(word, term):
                found[word] = knowledge.reasons(word, term)
    return Properties({word: found[word] for word in known.PROPERTIES if word in found})


def _in_sums_and_products(term: Term) -> tuple[Term, ...]:
    """Equal terms as facts read them, by the rules: a cheap DAG, and the cheapest tree.

    Differences, negatives and quotients are sums and products there.
    """
    explored = system(AT_SYMMETRIC).explore([term], [CostModel()], purpose="compare")
    explored.graph.hide(REDUNDANT)
    # The cheapest e-nodes are chosen anew.
    graph = explored.graph.at(CostModel())
    return (*graph.extract(explored.classes), *map(graph.term, explored.classes))
