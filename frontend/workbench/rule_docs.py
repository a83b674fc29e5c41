"""Write `docs/rules.md` and the pages in `docs/rules/`: every law, by subject.

`python -m eggrad.frontend.workbench.rule_docs` does so.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, cast

from eggrad.engine.indices.spec import Spec, format_spec
from eggrad.engine.laws.rule import BulkRule, LoopRule, Rule, Ruleset
from eggrad.engine.laws.statements import parameters_of
from eggrad.engine.saturation.schedule import STAGES
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.special_laws import special_functions
from eggrad.frontend.text.printer import format_term
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.rejected import REJECTED, Rejected
from eggrad.rules.standard import RULESETS, STANDARD


class Subject(NamedTuple):
    """A page of laws: its file, title and introduction, and its rulesets in order."""

    page: str
    title: str
    introduction: str
    rulesets: tuple[str, ...]


SUBJECTS: Final = (
    Subject(
        "derivatives",
        "Derivatives",
        """\
What differentiation is made of. `D(a, x)` is the derivative of a tensor `a` by a variable `x`, with
the axes of `a`, then those of `x`: forward mode pushes it to the leaves. In reverse mode
`pullback(l, k, g)` is what a node `l` passes on to its operand number `k` when it is given the
cotangent `g`. Both modes take the slope `f'` of an element-wise function from one table.""",
        ("forward", "reverse", "slopes", "stacks", "stable_forms", "loops"),
    ),
    Subject(
        "sums_and_products",
        "Sums, products and powers",
        """\
The arithmetic of tensors. Sums and products are rewritten as wholes, whatever their order and
nesting: like terms are collected, equal factors become powers, and products are contracted in the
cheapest order. Numbers are exact fractions.""",
        (
            *("multiples", "constants", "sizes", "preprocessing", "sums_of_two", "sums"),
            *("equal_sums", "exponents", "powers", "products", "halves", "distribution"),
            *("quotients", "presentation", "orders", "long_powers"),
        ),
    ),
    Subject(
        "indices",
        "Indices, deltas and transposes",
        """\
What happens to indices. A Kronecker delta, `δ`, is 1 where two indices are equal; an indicator,
`[P]`, is 1 where the condition `P` on its indices holds; a selection picks the entries that
integers name. Each disappears where its index is summed. A product of one operand transposes, takes
a diagonal, or sums.""",
        (
            *("unary", "short_axes", "summation", "delta", "delta_products", "indicator"),
            *("indicator_products", "gather", "selections"),
        ),
    ),
    Subject(
        "functions",
        "Element-wise functions and choices",
        """\
Identities of `exp`, `log`, `sin`, `tanh`, `abs` and the others, choices between branches, and
maxima along axes.""",
        ("functions", "signs", "identities", "branches", "masks", "extremes"),
    ),
    Subject(
        "matrices",
        "Matrices",
        """\
Inverses, determinants and adjugates, and what holds for matrices that are symmetric, orthogonal,
triangular or diagonal.""",
        ("linalg", "single", "structured", "symmetric"),
    ),
    Subject(
        "numerics",
        "Fast code without lost digits",
        """\
Laws that are used for code alone. Their right sides neither overflow on the way nor lose digits,
such as `log1p(a)` for `log(1 + a)`, or take less time. [Numerical stability](../stability.md)
says how a form is chosen.""",
        (
            *("stability", "exponentials", "cancellation", "series", "lengths", "shifts"),
            *("lowering", "entries"),
        ),
    ),
    Subject(
        "reading",
        "Formulas that people read",
        """\
Laws that are used for formulas alone. They bring in names such as `sigmoid`, `softmax` and `norm2`,
and the order in which people write factors and signs.""",
        ("names", "reading"),
    ),
    Subject(
        "comparing",
        "Comparing",
        """\
Laws that are used to prove that two expressions are equal: functions by others, decompositions of
matrices, the order of entries, normal forms. The facts at the end say where a term is defined, and
where it jumps, so that a proof can say where it holds.""",
        (
            *(
                "definitions",
                "written_out",
                "decompositions",
                "order",
                "special_functions",
                "normal_forms",
            ),
            *("domains", "ties"),
        ),
    ),
    Subject(
        "facts",
        "Facts: signs, zeros and ranges",
        """\
What is known of a tensor by its form or by what is declared of its variables: that it is positive,
never 0, within an interval, or an invertible matrix. Laws whose conditions say `positive(a)` ask
for these facts.""",
        ("properties", "ranges"),
    ),
    Subject(
        "matrix_facts",
        "Facts: the structure of matrices",
        """\
What is known of a matrix by its form or by what is declared: that it is symmetric, definite,
diagonal, triangular, orthogonal or skew.""",
        ("matrix_properties",),
    ),
    Subject(
        "convexity",
        "Facts: convexity",
        """\
How a tensor depends on the variables of a question, entry by entry: what is constant, affine,
convex or concave, also after a logarithm or a root. [`eg.convexity`](../convexity.md) asks for
these facts, and for sums of squares.""",
        ("curvature", "sums_of_squares"),
    ),
)
"""The pages, in the order of the table of contents; every ruleset is on one of them."""

HEAD = """\
# The laws

<!-- Written by `python -m eggrad.frontend.workbench.rule_docs` from `rules/`. -->

Every step that eggrad takes is one of these laws: a rule with a name, a sentence and a source. A
test holds each against random values, on both sides of the end of its domain, and sees that it
fires. `eggrad rules show exp_of_log` prints a law, `eggrad rules list` all of them.
"""
KINDS = """\
## How to read them

A law comes with its sentence, then as it is written in the code: `>>` rewrites one way, `==` both
ways, and conditions follow. Sums and products commute: a law holds with their operands exchanged,
too. [Writing rules](writing_rules.md) explains the letters.

The two sides of most laws are equal wherever one of them is defined; their *domain* says where that
is. A law of another *kind* says so:

| kind | where both sides are the same | how the rule acts |
|---|---|---|
| everywhere | wherever either of them is defined | it unites their e-classes |
| almost everywhere | but for exceptions without interior, at which one is undefined | the same |
| where known | on a part of the reals | it unites them where the condition is known |
| one way | where the left side is defined; the right one is so at more | the same; else on terms |
| on a subspace | where what was declared of a variable holds | after the last derivative |

*On terms*: the rule is applied to the extracted term, and the result has an e-graph of its own.

A ruleset has a *measure*, which each of its rules shrinks, so that it ends; where there is none,
a budget or the number of iterations ends it. [Stages](architecture/stages.md) says when it runs.
"""
REJECTED_HEAD = """\
# Rejected laws

Tempting and false. No stage runs them; a test evaluates both sides of each at its witness.
"""


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


def row_of(rule: Rule | BulkRule | LoopRule) -> tuple[str, str]:
    """What the table of a ruleset says of one rule."""
    text = f"`{rule.text}`" if isinstance(rule, Rule) else rule.text
    domain = f"all but {rule.exceptions}" if rule.exceptions else rule.domain
    kind = "" if rule.kind == "everywhere" else rule.kind
    return said(rule.name, rule.law, text, Domain=domain, Kind=kind, Source=rule.cite)


def said(name: str, law: str, text: str, **notes: str) -> tuple[str, str]:
    """A row: the name of a law, its sentence, its text, and what there is to note."""
    noted = " ".join(f"{word}: {note}." for word, note in notes.items() if note)
    return f"`{name}`", "<br>".join((law, text, noted))


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


def section(ruleset: Ruleset) -> Iterator[str]:
    """The part of a page that a ruleset has."""
    purpose = ruleset.purpose[0].upper() + ruleset.purpose[1:]
    yield from ("", f"## {ruleset.name}", "", f"{purpose}.")
    measure = "" if ruleset.measure.startswith("none") else f"Measure: {ruleset.measure}. "
    if stages := stages_of(ruleset):
        measure += f"Stages: {stages}."
    yield from (measure.rstrip(), "")
    if laws := [*ruleset.laws, *ruleset.loop_rules]:
        yield from table(("rule", "law"), map(row_of, laws))
    if ruleset.facts:
        if laws:
            yield ""
        facts = (said(f.name, f.law, f"`{f.text}`", Source=f.cite) for f in ruleset.facts)
        yield from table(("fact", "law"), facts)


def counted(rulesets: Iterable[Ruleset]) -> int:
    """How many laws some rulesets have."""
    return sum(len((*r.laws, *r.loop_rules, *r.facts)) for r in rulesets)


def pages() -> dict[str, str]:
    """The text of `docs/rules.md` and of the pages in `docs/rules/`, by their paths in `docs/`.

    Raises `ValueError` where a ruleset is on no page, or on two.
    """
    known = {r.name: r for r in (*RULESETS, special_functions, domains, ties)}
    listed = [name for subject in SUBJECTS for name in subject.rulesets]
    if sorted(listed) != sorted(known):
        stray = {*listed} ^ {*known} or {n for n in listed if listed.count(n) > 1}
        raise ValueError(
            f"SUBJECTS has each ruleset once; it differs in {', '.join(sorted(stray))}"
        )
    found: dict[str, str] = {}
    contents: list[tuple[str, str, str]] = []
    for subject in SUBJECTS:
        rulesets = [known[name] for name in subject.rulesets]
        links = ", ".join(f"[{r.name}](rules/{subject.page}.md#{r.name})" for r in rulesets)
        page = f"rules/{subject.page}.md"
        contents.append((f"[{subject.title}]({page})", str(counted(rulesets)), links))
        lines = [f"# {subject.title}", "", subject.introduction]
        lines.append("[How to read these tables](../rules.md#how-to-read-them).")
        lines += [line for ruleset in rulesets for line in section(ruleset)]
        found[page] = "\n".join(lines).rstrip() + "\n"
    contents.append(
        ("[Rejected laws](rules/rejected.md)", str(len(REJECTED)), "tempting and false")
    )
    rejected = table(("name", "law", "witness", "why it tempts"), map(row_of_rejected, REJECTED))
    found["rules/rejected.md"] = "\n".join((REJECTED_HEAD, *rejected)) + "\n"
    index = table(("subject", "laws", "rulesets"), contents)
    found["rules.md"] = "\n".join((HEAD, *index, "", KINDS.rstrip())) + "\n"
    return found


def main() -> None:
    """Write the pages into the folder that is named, or into `docs/` of this checkout."""
    default = Path(__file__).resolve().parents[2] / "docs"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
