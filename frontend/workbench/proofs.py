"""Write `docs/proofs.md`: what is proved of every law, and how.

`python -m eggrad.frontend.workbench.proofs` does so; it takes minutes.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eggrad.engine.laws.rule import BulkRule, Fact, LoopRule, Rule, Ruleset
from eggrad.engine.workbench.proving import Proof, Status, prove
from eggrad.engine.workbench.solver import has_solver
from eggrad.frontend.interface.own_rules import Checker, format_counterexample
from eggrad.frontend.workbench.rule_docs import table
from eggrad.rules.functions.properties import domains
from eggrad.rules.standard import RULESETS

HEAD: Final = """\
# What is proved of the laws

<!-- Written by `python -m eggrad.frontend.workbench.proofs`. -->

Each law is held against random values by the tests. Beyond that, `eggrad rules prove` looks for a
proof, without floating-point numbers: both sides become exact polynomials in symbols, of which
some stand for functions with the relations that they have, such as exp(a + b) = exp a exp b
(`engine/workbench/symbols.py`). Two sides are equal where their difference is the polynomial 0, or
where the SMT solver [Z3](https://github.com/Z3Prover/z3) finds no real numbers at which they differ
or at which one of them alone is defined (`engine/workbench/solver.py`). Operands are real numbers,
so that every operand is defined, and none overflows. sin, cos and tan are defined by exponentials,
tanh by exp, the inverse functions by what they undo, and derivatives by the chain rule from those
of exp and log; that these definitions are right is assumed.

| status | what it means |
|---|---|
| proved | for all values, numbers and axes: it is said of every entry, and proved of scalars |
| checked to a bound | proved for all values at every instance up to a number of axes and their \
lengths, or at every number of a list |
| tested | true at random instances, and no proof was found; the reason follows |

Beyond its bound a law on indices is not proved here. There is an argument for it: what its right
side computes of a spec asks of an index only which operands and which output have it, and an
instance with more axes has no index of another kind than those within the bound.
"""


@dataclass(frozen=True)
class Judgement:
    """What is known of a law of a user: its counterexample as text, its proof, or a mistake."""

    name: str
    law: str
    verdict: str
    detail: str

    @property
    def text(self) -> str:
        """The judgement for people."""
        return f"{self.name}: {self.law}\n  {self.verdict.upper()}{self._rest}"

    @property
    def _rest(self) -> str:
        if self.verdict == "refuted":
            return f"\n{self.detail}"
        return f": {self.detail}"

    @property
    def plain(self) -> dict[str, Any]:
        """The judgement for JSON."""
        return {"name": self.name, "law": self.law, "verdict": self.verdict, "detail": self.detail}


def judged(rule: Rule | BulkRule, checker: Checker) -> Judgement:
    """A law refuted with values, proved, or open; random instances are tried first.

    >>> from eggrad.rules.rejected import REJECTED
    >>> judged(REJECTED[0].rule, Checker(instances=50)).verdict
    'refuted'
    """
    found = checker.findings_of_truth(rule)
    if isinstance(found, str):
        return Judgement(rule.name, rule.law, "not checked", found)
    if found.counterexample is not None:
        shown = format_counterexample(found.counterexample, rule)
        return Judgement(rule.name, rule.law, "refuted", shown)
    proof = prove(rule)
    detail = proof.method
    if proof.status is Status.OPEN:
        detail += f" (true on {found.compared} random instances)"
    return Judgement(rule.name, rule.law, proof.status.value, detail)


def laws() -> Iterator[tuple[Ruleset, Rule | BulkRule | LoopRule | Fact]]:
    """All laws and facts, with their rulesets; where functions jump is no law."""
    for ruleset in (*RULESETS, domains):
        for law in (*ruleset.laws, *ruleset.loop_rules, *ruleset.facts):
            yield ruleset, law


def row(ruleset: Ruleset, law: Rule | BulkRule | LoopRule | Fact, proof: Proof) -> tuple[str, ...]:
    """What the table says of a law."""
    status = "tested" if proof.status is Status.OPEN else proof.status.value
    return f"`{ruleset.name}.{law.name}`", law.law, status, proof.method


def page(rows: Iterable[tuple[str, ...]]) -> str:
    """The text of the page."""
    found = list(rows)
    counts = Counter(r[2] for r in found)
    statuses = [Status.PROVED.value, Status.CHECKED.value, "tested"]
    counted = table(("status", "laws"), [(s, str(counts[s])) for s in statuses])
    total = f"| all | {len(found)} |"
    lines = (HEAD, *counted, total, "", *table(("law", "says", "status", "how, or why not"), found))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page into the folder that is named, or into `docs/` of this checkout."""
    if not has_solver():
        sys.exit("the table is made with Z3, which the package z3-solver has")
    default = Path(__file__).resolve().parents[2] / "docs"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    text = page(row(s, law, prove(law)) for s, law in laws())
    (folder / "proofs.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
