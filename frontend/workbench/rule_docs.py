"""Write `docs/rules.md`, the table of every rule.

`python -m eggrad.frontend.workbench.rule_docs` does so.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from eggrad.engine.indices.spec import Spec, format_spec
from eggrad.engine.laws.rule import BulkRule, LoopRule, Rule, Ruleset
from eggrad.engine.laws.statements import parameters_of
from eggrad.engine.saturation.schedule import STAGES
from eggrad.engine.terms.term import Term
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.rejected import REJECTED, Rejected
from eggrad.rules.standard import RULESETS, STANDARD

HEAD = """\
# Rules

Written by `python -m eggrad.frontend.workbench.rule_docs` from `rules/`; a test keeps it current.

`>>` rewrites one way, `==` both ways; what follows the law are its side conditions. Sums and
products commute: a law holds with their operands exchanged, too. Every rule is tested to be true,
on 100 random instances of its left side and more, and to fire.

*Kind* says where both sides are the same, which decides how a rule acts; *domain* says it in a
formula. The samples that test it lie on both sides of the domain's end.

| kind | where both sides are the same | how the rule acts |
|---|---|---|
| everywhere | wherever either of them is defined | it unites their classes |
| almost everywhere | but for exceptions without interior, at which one is undefined | the same |
| where known | on a part of the reals | it unites them where the condition holds of the e-class |
| one way | where the left side is defined; the right one is so at more | the same; else on terms |
| on a subspace | where what was declared of a variable holds | after the last derivative |

*On terms*: the rule is applied to what is extracted, and the result has an e-graph of its own.

*Facts* say what is known of an e-class: of its form, or of a variable as it is declared."""
REJECTED_HEAD = """\
## Rejected laws

Tempting and false. No stage runs them; a test evaluates both sides of each at its witness."""


def cell(text: str) -> str:
    """A table cell: a vertical bar would end it."""
    return text.replace("|", "\\|")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table."""
    names = list(head)
    yield f"| {' | '.join(names)} |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield f"| {' | '.join(cell(text) for text in row)} |"


def stages_of(ruleset: Ruleset) -> str:
    """The stages that run a ruleset."""
    found = ", ".join(s for s in STAGES if ruleset in STANDARD.of(s))
    return found or ("asked of given terms" if ruleset.facts else "")


def row_of(rule: Rule | BulkRule | LoopRule) -> tuple[str, ...]:
    """What the table of a ruleset says of one rule."""
    text = f"`{rule.text}`" if isinstance(rule, Rule) else rule.text
    return (f"`{rule.name}`", rule.law, text, rule.kind, domain_of(rule), rule.cite)


def domain_of(rule: Rule | BulkRule | LoopRule) -> str:
    """Where the left side is defined, or what the exceptions are."""
    return f"but for {rule.exceptions}" if rule.exceptions else rule.domain


def row_of_rejected(law: Rejected) -> tuple[str, ...]:
    """What the table of rejected laws says of one."""
    specs = {p.name for p in parameters_of(law.rule.statement.left) if p.kind == Spec}
    bound = {**law.witness, **law.values}
    shown = [f"{k} = {format_value(v, k in specs)}" for k, v in bound.items()]
    witness = ", ".join(shown) + ("; the right side is undefined" if law.undefined else "")
    return (f"`{law.rule.name}`", law.rule.law, witness, law.tempts)


def format_value(value: object, is_spec: bool) -> str:
    """What a witness binds: a spec, a term, or numbers, words and sizes."""
    if is_spec:
        return format_spec(cast(Spec, value))
    return format_term(value) if isinstance(value, Term) else str(value)


def rule_table() -> str:
    """The text of `docs/rules.md`."""
    lines = [HEAD]
    for ruleset in (*RULESETS, domains, ties):
        purpose = ruleset.purpose[0].upper() + ruleset.purpose[1:]
        lines += ["", f"## {ruleset.name}", "", f"{purpose}."]
        lines += [f"Measure: {ruleset.measure}. Stages: {stages_of(ruleset)}.", ""]
        if laws := [*ruleset.laws, *ruleset.loop_rules]:
            rows = [row_of(rule) for rule in laws]
            lines += table(("rule", "law", "text", "kind", "domain", "source"), rows)
        if ruleset.facts:
            facts = [(f"`{f.name}`", f.law, f"`{f.text}`", f.cite) for f in ruleset.facts]
            lines += table(("fact", "law", "text", "source"), facts)
    lines += ["", REJECTED_HEAD, ""]
    lines += table(("name", "law", "witness", "why it tempts"), map(row_of_rejected, REJECTED))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file that is named, or `docs/rules.md` of this checkout."""
    default = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    path.write_text(rule_table(), encoding="utf-8")


if __name__ == "__main__":
    main()
