"""Operations of our derivatives, extracted quickly and exactly, and of forms written by hand.

`python -m tests.benchmarks.extraction [CASE ...]` prints the table.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.tables import counted
from tests.benchmarks.tables import table as markdown
from tests.support.counting_array import Counter
from tests.support.places import DATA

__all__ = ["CASES", "Measured", "hand_operations", "measure", "quick_operations", "table"]

CASES = json.loads((DATA / "derivative_cases.json").read_text("utf-8"))
SIZE = 100
PROPERTIES = {
    "symmetric": "symmetric",
    "symmetric positive definite": "positive definite",
    "invertible": "invertible",
}


@dataclass(frozen=True)
class Measured:
    """Operations at n = 100 of one derivative, and what exact extraction took and saved.

    `written` is the form by hand as NumPy runs it, `distinct` the same with each repeated
    expression computed once. `excess` is the share by which the quick extraction costs more than
    the exact one, in the units of the cost that both minimize.
    """

    name: str
    written: int
    distinct: int
    quick: int
    exact: int
    excess: float
    seconds: float
    certain: bool


def hand_operations(case: Mapping[str, Any], size: int = SIZE) -> Counter:
    """The operations of the case's own NumPy expression."""
    counter = Counter()
    arrays = {
        name: counter.array(tuple(int(s) if s.isdigit() else size for s in v["shape"]), name)
        for name, v in case["vars"].items()
    }
    eval(case["derivative_numpy"], {"__builtins__": {"len": len}, "np": np} | arrays)
    return counter


def declared(case: Mapping[str, Any]) -> str:
    """The case's text, with the properties of matrices that the form by hand may use."""
    head, word, rest = case["einsum_syntax"].partition(" expression ")
    for name, described in case["vars"].items():
        known = [PROPERTIES[p] for p in described["properties"] if p in PROPERTIES]
        if known:
            head = head.replace(f" {name} 2", f" {name} 2{{{', '.join(known)}}}")
    return head + word + rest


def quick_operations(case: Mapping[str, Any]) -> int:
    """The operations of our derivative."""
    import eggrad

    f = eggrad.parse(declared(case)).expression
    return eggrad.derivative(f, *case["wrt_list"]).cost(SIZE)


def measure(case: Mapping[str, Any]) -> Measured:
    """Both extractions from the same e-graph, that of the last derivative."""
    import eggrad
    from eggrad.engine.costs.cost import count
    from eggrad.frontend.calculus import calculus

    f = eggrad.parse(declared(case)).expression
    variables = {v.data[0]: v for v in f.variables}
    *before, last = (variables[name] for name in case["wrt_list"])
    term = calculus.differentiate(f.term, before).term if before else f.term
    quick, exact = (calculus.differentiate(term, [last], exact=e) for e in (False, True))
    solved = exact.report.solved
    assert solved is not None
    hand = hand_operations(case)
    return Measured(
        case["id"],
        hand.as_written,
        hand.distinct,
        count(quick.terms, SIZE),
        count(exact.terms, SIZE),
        solved.start / solved.cost - 1,
        solved.seconds,
        solved.certain,
    )


def table(found: Iterable[Measured]) -> str:
    """A line a case, and what they come to."""
    rows = list(found)
    heading = "case | by hand | repeats once | ours | ours, exact | quick costs more by | solver ms"
    lines: list[list[str]] = []
    for m in rows:
        operations = (f"{n:,}" for n in (m.written, m.distinct, m.quick, m.exact))
        solver = f"{1000 * m.seconds:.0f}{'' if m.certain else ' (stopped)'}"
        lines.append([m.name, *operations, f"{100 * m.excess:.2f}%", solver])
    fewer = sum(m.quick < m.written for m in rows)
    more = counted([m.name for m in rows if m.quick > m.written])
    above = counted([m.name for m in rows if m.quick > m.distinct])
    return (
        f"{markdown(heading, lines)}\n\n"
        f"Of {len(rows)}, ours take fewer operations than the form by hand in {fewer}, more in "
        f"{more}; more than the form by hand with each repeated expression computed once in "
        f"{above}. The quick extraction is the cheapest in {sum(m.excess == 0 for m in rows)}, at "
        f"worst {100 * max(m.excess for m in rows):.2f}% dearer."
    )


if __name__ == "__main__":
    chosen = [c for c in CASES if not sys.argv[1:] or c["id"] in sys.argv[1:]]
    print(table(measure(c) for c in chosen))
