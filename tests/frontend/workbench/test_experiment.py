"""Variants of the rules, ablation and minimization."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from eggrad.engine.errors import EggradError, RuleError
from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.ablation import (
    ablate,
    ablate_pairs,
    as_html,
    as_text,
    minimize,
    mode_table,
    relevant_pairs,
)
from eggrad.frontend.workbench.experiment import (
    BASE,
    Case,
    experiment,
    in_modes,
    laws,
    read_corpus,
    rule_names,
)
from eggrad.frontend.workbench.rule_report import compare

LINES = """\
# two gradients and a simplification
declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) x) derivative wrt x

declare x 0 expression sin(x) derivative wrt x
declare x 1 expression x + x - x
"""


# Fewer rules are loaded sooner.
UNUSED = ("reverse", "products", "presentation", "identities", "linalg", "functions")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(LINES, "utf-8")
    return read_corpus(str(path), parse)


def test_a_corpus_is_read_from_lines_or_json(cases: list[Case], tmp_path: Path) -> None:
    assert [c.name for c in cases] == ["line 2", "line 4", "line 5"]
    assert [len(c.wrt) for c in cases] == [1, 1, 0]
    path = tmp_path / "corpus.json"
    texts = [{"id": c.name, "einsum_syntax": c.text} for c in cases]
    path.write_text(json.dumps(texts), "utf-8")
    assert read_corpus(str(path), parse) == cases
    path.write_text(json.dumps([c.text for c in cases]), "utf-8")
    assert [c.term for c in read_corpus(str(path), parse)] == [c.term for c in cases]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.txt", "# nothing\n", "a.txt has no expression"),
        ("a.txt", "declare x 0 expression sin(x)\ndeclare x 0 expression (x", "a.txt, line 2: "),
        ("a.json", "[", "a.json is no JSON: "),
        ("a.json", "{}", "a.json is no list of expressions"),
        ("a.json", '[{"id": "b"}]', "a.json, entry 1: no text"),
    ],
)
def test_mistakes_in_a_corpus_name_their_place(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(EggradError) as caught:
        read_corpus(str(tmp_path / name), parse)
    assert told in str(caught.value)


def test_variants_leave_out_what_they_say() -> None:
    every = set(rule_names(BASE))
    assert every - set(rule_names(BASE.without("delta_sift"))) == {"delta.delta_sift"}
    gone = every - set(rule_names(BASE.without("sums.like_terms", "products")))
    assert "sums.like_terms" in gone
    assert gone - {"sums.like_terms"} == {r for r in every if r.startswith("products.")}
    kept = {r.partition(".")[0] for r in rule_names(BASE.only("constants"))}
    assert "constants" in kept
    assert kept.isdisjoint({"sums", "products", "presentation"})
    assert {"forward", "reverse", "multiples"} <= kept
    with pytest.raises(RuleError, match="is called 'delta_sieve'"):
        BASE.without("delta_sieve")
    with pytest.raises(RuleError, match="no ruleset 'delta_sift'"):
        BASE.only("delta_sift")
    assert laws([BASE])["sums.like_terms"].startswith("Σ cᵢ·t")


def test_what_does_not_fire_does_not_matter(cases: list[Case]) -> None:
    """Ablation rests on it."""
    for case in cases[::2]:
        (full,) = experiment([case], BASE, 10)
        silent = rule_names(BASE) - full.hits.keys()
        (lean,) = experiment([case], BASE.without(*silent), 10)
        assert (lean.text, lean.enodes, lean.growth) == (full.text, full.enodes, full.growth)
        assert (lean.hits, lean.iterations) == (full.hits, full.iterations)


def test_variants_are_compared(cases: list[Case]) -> None:
    with_all, without = compare(cases, [BASE, BASE.without("like_terms")], 10)
    for seen, unseen in zip(
        with_all.outcomes, experiment(cases, BASE, 10, watched=False), strict=True
    ):
        unknown = {"classes": 0, "times": {}, "growth": (), "seconds": unseen.seconds}
        assert replace(seen, **unknown) == unseen
    assert [o.text for o in with_all.outcomes][1:] == ["cos(x)", "x"]
    assert with_all.hits["sums.like_terms"] > 0
    assert without.hits["sums.like_terms"] == 0
    assert with_all.total("nodes") == sum(o.nodes for o in with_all.outcomes)
    longest = max(len(o.growth) for o in with_all.outcomes)
    assert len(with_all.growth) == longest
    last = with_all.growth[-1]
    assert last.enodes == sum(o.growth[-1].enodes for o in with_all.outcomes)


def test_ablation_says_what_gets_worse(cases: list[Case]) -> None:
    found = ablate(cases[1:], 10, without=UNUSED)
    base = BASE.without(*UNUSED)
    effects = {e.rule: e for e in found.effects}
    assert set(effects) | set(found.silent) == rule_names(base)
    assert set(effects).isdisjoint(found.silent)
    slope = effects["slopes.slope_sin"]
    assert slope.cases(lambda c: c.fails) == ("line 4",)
    assert not [e for e in found.effects if len(e.cases(lambda c: c.fails)) > 1]
    terms = effects["sums.like_terms"]
    assert terms.matters
    assert terms.cases(lambda c: c.nodes > 0) == ("line 5",)
    assert terms.worst > 1
    harmless = next(e for e in found.effects if not e.matters)
    outcomes = experiment(cases[1:], base.without(harmless.rule), 10)
    baseline = [found.baseline[c.name] for c in cases[1:]]
    for before, after in zip(baseline, outcomes, strict=True):
        assert (after.operations, after.nodes) <= (before.operations, before.nodes)


def test_processes_share_an_ablation(cases: list[Case]) -> None:
    few = (*UNUSED, "sums")
    alone = ablate(cases[1:2], 10, without=few)
    shared = ablate(cases[1:2], 10, without=few, jobs=2)
    assert [e.rule for e in alone.effects] == [e.rule for e in shared.effects]
    for one, other in zip(alone.effects, shared.effects, strict=True):
        assert [c.after.text for c in one.changes] == [c.after.text for c in other.changes]


def test_rulesets_are_left_out_whole(cases: list[Case]) -> None:
    found = ablate(cases[1:], 10, without=UNUSED, by="ruleset")
    effects = {e.rule: e for e in found.effects}
    assert set(effects) | set(found.silent) == {
        r.partition(".")[0] for r in rule_names(BASE.without(*UNUSED))
    }
    assert effects["slopes"].cases(lambda c: c.fails) == ("line 4",)
    assert effects["sums"].matters
    (after,) = experiment(cases[2:], BASE.without(*UNUSED, "sums"), 10)
    assert [c.after.text for c in effects["sums"].changes if c.before.case == "line 5"] == [
        after.text
    ]


def test_pairs_that_are_not_relevant_are_known_from_single_rules(cases: list[Case]) -> None:
    case = cases[2]
    found = ablate([case], 10, without=UNUSED)
    pairs = {p.rules for p in relevant_pairs(found)}
    assert pairs
    alone = {e.rule: e.changes[0].after for e in found.effects}
    base = BASE.without(*UNUSED)
    for a, b in combinations(sorted(alone), 2):
        if (a, b) not in pairs and not (alone[a].failure or alone[b].failure):
            (both,) = experiment([case], base.without(a, b), 10)
            assert both.text in {alone[a].text, alone[b].text}


def test_pairs_are_worse_than_either_rule(cases: list[Case]) -> None:
    alone = ablate(cases[2:], 10, without=UNUSED)
    found = ablate_pairs(alone, 10, without=UNUSED, most=3)
    assert (found.by, len(found.effects)) == ("pair", 3)
    assert any("beyond the limit of 3" in text for text in found.left_out)
    before = {e.rule: e.changes[0].after for e in alone.effects}
    for effect in found.effects:
        known = [before.get(r, alone.baseline["line 5"]) for r in effect.rule.split(" & ")]
        (change,) = effect.changes
        assert change.before.operations == max(o.operations for o in known)
        if effect.matters and not change.fails:
            most = [max(getattr(o, w) for o in known) for w in ("operations", "nodes")]
            assert change.after.operations > most[0] or change.after.nodes > most[1]
    short = ablate_pairs(alone, 10, without=UNUSED, most=3, seconds=1e-9)
    assert any("2 pairs were not begun within 1e-09 seconds" in text for text in short.left_out)
    assert "Not tried" in as_text(short)


def test_ablation_by_mode(cases: list[Case]) -> None:
    both = in_modes(cases[1:], ["forward", "reverse"])
    assert [c.name for c in both] == ["line 4, forward", "line 4, reverse", "line 5"]
    found = ablate(both, 10, without=("products", "presentation", "linalg", "functions", "sums"))
    effects = {e.rule: e for e in found.effects}
    assert {c.before.case for c in effects["reverse.pull_function"].changes} == {"line 4, reverse"}
    head, rows = mode_table(found)
    assert head == ("without", "worse, forward", "worse, reverse")
    assert ("slopes.slope_sin", "1 of 1", "1 of 1") in rows
    assert "worse, forward" in as_text(found)
    assert "<svg" in as_html(found, "By mode")


def test_of_a_smallest_set_no_rule_can_go(cases: list[Case]) -> None:
    found = minimize(cases[2:], 10, without=(*UNUSED, "forward"), same_text=True)
    kept = BASE.without(*(rule_names(BASE) - set(found.rules)))
    for left_out in (None, *found.rules):
        variant = kept if left_out is None else kept.without(left_out)
        (after,) = experiment(cases[2:], variant, 10)
        assert (after.text == "x") == (left_out is None)
    assert len(found.rules) < found.fired
