"""Mutants are drawn evenly, and each differs from the source; `make mutants` runs tests on them."""

import asyncio
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.support.mutants import FOLDERS, UNASKED, Mutant, does, drawn, failure, mutant, stages
from tests.support.places import ROOT
from tests.support.source_edits import KINDS, edits

SEED = 5

FUNCTION = '''"""What is said of 1 + 1 and of "ij,jk->ik"."""
__all__ = ["f"]
from a import b

def f(x: Literal[1], y: int = 7) -> Literal[0]:
    """ij->i"""
    if not (x and y) or x is None:
        raise ValueError("ij->ji" if x < 1 else f"{y - 1}")
    assert x == y, 1 + 1
    λ = "Σ" and (x[i])  # + is no operator here
    λ -= (y + x
        - x[0])
    return min(λ, 0.5) <= y
'''

LAWS = """
laws.state("ij->i", first=(ein("ij,jk->ik", a, b) >> c * a).when(c > 0, total(a)).noted("a", k=1))
laws.state("ij->", second=(ein1("ij->", a) >> b).when(is_square(a)))

@laws.rule(cite="1")
def third(a: Tensor) -> Statement:
    return a >> b, total(a), total(b)
"""


@cache
def sample() -> list[Mutant]:
    return drawn(40, SEED)


def lines(text: str, kind: str) -> set[tuple[str, str]]:
    """The lines before and after each edit of a kind."""
    source = text.encode()
    mutants = [mutant("", source, edit) for edit in edits(source) if edit.kind == kind]
    return {(m.before, m.after) for m in mutants if does(m.source) is not None}


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(12, SEED) == sample()[:12]
    assert drawn(12, SEED + 1) != sample()[:12]


def test_all_kinds_and_folders_are_drawn_evenly() -> None:
    counts = Counter((m.kind, m.file.partition("/")[0]) for m in sample())
    assert counts == {(kind, folder): 4 for kind in KINDS for folder in FOLDERS}


def test_mutants_are_programs_that_differ_in_one_place() -> None:
    for m in sample():
        source = (ROOT / m.file).read_bytes()
        assert does(m.source) not in {None, does(source)}, m
        old, new = (text.decode().splitlines() for text in (source, m.source))
        first = next(k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        assert first == m.line - 1, m
        assert m.before != m.after


def test_signs_and_numbers() -> None:
    value, last = "λ -= (y + x", "return min(λ, 0.5) <= y"
    head = "def f(x: Literal[1], y: int = {}) -> Literal[0]:"
    assert lines(FUNCTION, "sign") == {
        (head.format(7), head.format(-7)),
        (value, "λ += (y + x"),
        (value, "λ -= (y - x"),
        ("- x[0])", "+ x[0])"),
        (last, "return max(λ, 0.5) <= y"),
        (last, "return min(λ, -0.5) <= y"),
    }
    assert lines(FUNCTION, "number") == {(head.format(7), head.format(8))}
    assert lines(FUNCTION, "boundary") == {(last, "return min(λ, 0.5) < y")}


def test_indices() -> None:
    named = 'λ = "Σ" and (x[{}]) # + is no operator here'
    assert lines(FUNCTION, "index") == {
        (named.format("i"), named.format("i + 1")),
        ("- x[0])", "- x[1])"),
        ("- x[0])", "- x[-1])"),
    }
    specs = {after.split('"')[3] for _, after in lines(LAWS, "index") if '"' in after}
    assert specs == {"ij,jk->ik", "ji,jk->ik", "ij,kj->ik", "ij,jk->ki"}


def test_conditions() -> None:
    test = "if {}:"
    whole = test.format("not (x and y) or x is None")
    assert lines(FUNCTION, "condition") == {
        (whole, test.format("not (not (x and y) or x is None)")),
        (whole, test.format("not (x and y) and x is None")),
        (whole, test.format("(x and y) or x is None")),
        (whole, test.format("not (x or y) or x is None")),
        (whole, test.format("not (x and y) or x is not None")),
        ("assert x == y, 1 + 1", "assert x != y, 1 + 1"),
        ('λ = "Σ" and (x[i]) # + is no operator here', 'λ = "Σ" or (x[i]) # + is no operator here'),
    }
    left = {after.partition(" >> ")[2] for _, after in lines(LAWS, "condition")}
    assert left == {
        'c * a).when(total(a)).noted("a", k=1))',
        'c * a).when(c > 0).noted("a", k=1))',
        "b))",
        "b, total(b)",
        "b, total(a)",
    }


def test_what_python_refuses_or_does_alike() -> None:
    assert does(b"a + b") == does(b"\n(a +  b)  # why")
    assert does(b"a + 0") != does(b"a + 0.0")
    assert does(b"a is 0") is None
    assert does(b"(a") is None


def test_the_nearest_tests_come_first() -> None:
    assert stages("rules/calculus/loops.py") == [
        ["src/eggrad/rules/calculus/loops.py", "tests/rules/calculus"],
        ["tests/rules", "--deselect=tests/rules/calculus/"],
        [
            "tests",
            "--deselect=tests/rules/",
            "src/eggrad",
            "--deselect=src/eggrad/rules/calculus/loops.py",
        ],
    ]
    assert stages("rules/algebra/sizes.py")[0] == [
        "src/eggrad/rules/algebra/sizes.py",
        "tests/rules",
    ]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("exit 0", ""),
        ("exit 5", ""),
        ("echo 'ERROR    a log'; echo 'FAILED a.py::b[c d] - e'; exit 1", "a.py::b[c d]"),
        ("echo 'ERROR a.py'; exit 2", "a.py"),
        ("echo no such test; exit 4", "UNCLEAR: no such test"),
        ("kill -9 $$", "signal 9"),
        ("sleep 60 & sleep 60", "time"),
    ],
)
def test_how_tests_end(script: str, found: str, tmp_path: Path) -> None:
    limit = 0.2 if found == "time" else 60
    assert asyncio.run(failure(["sh", "-c", script], tmp_path, limit)) == found


def test_what_is_not_asked_is_a_test() -> None:
    file, name = UNASKED.split("::")
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")
