"""What is kept between processes: found again, and never wrong."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.costs.time_model import default_rates, load_rates
from eggrad.engine.guard import SearchFailure
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.term import Term, apply, numeric, variable
from eggrad.frontend.calculus import code, kept
from eggrad.frontend.calculus.kept import Group
from eggrad.frontend.text.json_nodes import format_terms, read_terms
from eggrad.rules.notation import Ruleset, a
from tests.support.programs import python
from tests.support.random_expressions import random_expression

X = variable("x", ("n",))
ANSWER: list[Group] = [((apply("sin", X), numeric("softplus", X)), ["a note"])]
PROGRAM = """
import numpy as np
import eggrad as eg
from eggrad.rules.standard import system

print(eg.grad(lambda x: np.log(np.sum(np.exp(x))))(np.ones(2)))
print(eg.gradient(eg.sum(eg.exp(eg.variable("x", ("n",))) ** 2), "x"))
print(len(system()._of_thread.free), "e-graphs")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, in which nothing has been found."""
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "found"))
    return tmp_path / "found"


def asked(name: str = "example", options: object = ()) -> tuple[Sequence[Group], int]:
    """What is found as in a new process, and how often it had to be looked for."""
    count = 0

    def find() -> Sequence[Group]:
        nonlocal count
        count += 1
        return ANSWER

    kept.forget()
    return kept.kept(name, [X], options, find), count


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*"))


def test_is_found_once(folder: Path) -> None:
    assert asked() == (ANSWER, 1)
    assert asked() == (ANSWER, 0)
    assert asked("another") == (ANSWER, 1)
    assert asked(options=2) == (ANSWER, 1)
    assert len(files_of(folder)) == 3


@pytest.mark.parametrize("length", [0, 1, 64, 65, 200, -1])
def test_what_is_cut_is_written_anew(folder: Path, length: int) -> None:
    asked()
    (file,) = files_of(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    assert asked() == (ANSWER, 1)
    assert file.read_bytes() == whole
    assert asked() == (ANSWER, 0)


def test_what_is_changed_or_foreign_is_written_anew(folder: Path) -> None:
    asked()
    asked("another")
    one, other = files_of(folder)
    whole = one.read_bytes()
    for content in (other.read_bytes(), whole.replace(b"sin", b"cos"), b"\xff" * 99, b"{}\n{}"):
        one.write_bytes(content)
        asked()
        asked("another")
        assert one.read_bytes() == whole
    # What nobody has written, though it is whole.
    key = one.stem.encode()
    for nodes in (b"{", b'{"nodes": [{"op": "norm"}], "groups": []}', b"[]"):
        rest = key + b"\n" + nodes
        one.write_bytes(kept._checksum(rest) + b"\n" + rest)
        asked()
        asked("another")
        assert one.read_bytes() == whole


def test_another_version_finds_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked()
    monkeypatch.setattr(kept, "_edition", lambda: "another")
    assert asked() == (ANSWER, 1)
    assert len(files_of(folder)) == 2


def test_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for own in (str(file), str(file / "below"), "/dev/null", "0"):
        monkeypatch.setenv(kept.VARIABLE, own)
        assert asked() == asked() == (ANSWER, 1)
    assert file.read_text() == ""


def test_a_user_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: object = None) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(kept.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert asked() == asked() == (ANSWER, 1)
    assert load_rates() == default_rates()


def test_declared_functions_are_of_one_process(folder: Path) -> None:
    bump = eg.function("bump", derivative=lambda a: -2 * a)
    assert eg.gradient(eg.sum(bump(eg.variable("x", ("n",)))), "x").node_count
    assert not files_of(folder)


def test_the_folder_stays_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 20 * 4096)
    monkeypatch.setattr(kept, "_OFTEN", 1)
    for n in range(40):
        asked(options=n)
        asked(options="kept in use")
    assert 10 <= len(files_of(folder)) <= 20
    assert asked(options="kept in use") == (ANSWER, 0)


def test_files_of_others_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 20 * 4096)
    monkeypatch.setattr(kept, "_OFTEN", 1)
    others = [folder / name for name in ("ml/data.bin", "ab/notes.json", "go/src/main.go")]
    for other in others:
        other.parent.mkdir(parents=True)
        other.write_bytes(bytes(99 * 4096))
        os.utime(other, (0, 0))
    for n in range(40):
        asked(options=n)
    assert all(other.exists() for other in others)
    assert len([*folder.glob("*/*.json")]) <= 21


def test_what_has_failed_is_looked_for_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise MemoryError

    x = eg.variable("x", ("n",))
    f = eg.sum(eg.log(1 + eg.exp(x)))
    kept.forget()
    with monkeypatch.context() as patch:
        patch.setattr(System, "explore", fails)
        patch.setattr(System, "_explored", fails)
        with pytest.warns(SearchFailure):
            assert code.lower([f.term], default_rates())[0].terms == (f.term,)
        with pytest.warns(SearchFailure):
            assert code.stable_form(f.term) is f.term
        with pytest.warns(SearchFailure):
            eg.simplify(f + f)
    assert not files_of(folder)
    assert code.stable_form(f.term) is not f.term
    assert eg.simplify(f + f) is eg.simplify(2 * f)


def test_writers_at_once(folder: Path) -> None:
    def write(n: int) -> Sequence[Group]:
        return kept._on_disk(folder, ("example", str(n % 3), (X,)), lambda: ANSWER)

    with ThreadPoolExecutor(8) as pool:
        assert all(own == ANSWER for own in pool.map(write, range(200)))
    assert len(files_of(folder)) == 3


def test_a_second_process_does_not_search(folder: Path) -> None:
    on = {kept.VARIABLE: str(folder)}
    first, second = (python("-c", PROGRAM, environment=on).stdout for _ in range(2))
    assert first.endswith("1 e-graphs\n")
    assert second == first.replace("1 e-graphs", "0 e-graphs")


def test_user_rules_and_time_are_not_kept(folder: Path) -> None:
    x = eg.variable("x", ("n",))
    eg.simplify(x + x, budget=eg.Budget(seconds=60))
    own = Ruleset("own", "sums of two", "the number of sums")
    own.state("arithmetic", twice=a + a >> 2 * a)
    eg.simplify(x + x, rules=own)
    assert not files_of(folder)


@pytest.mark.parametrize("seed", range(30))
def test_terms_are_read_as_they_were(seed: int) -> None:
    term, x = random_expression(Random(seed), kinked=True)
    own = [term, *code.lower([term, x], default_rates())[0].terms]
    assert read_terms(format_terms([(own, None), ([x], seed)])) == [(own, None), ([x], seed)]


def test_loops_and_arrays_are_read_as_they_were() -> None:
    def f(x: np.ndarray) -> object:
        carry, _ = eg.scan(lambda c, t: (np.tanh(c * t), None), x, np.arange(3.0))
        return np.sum(carry[np.array([1, 0])] * np.array([-0.0, np.pi]))

    term = f(eg.variable("x", (2,))).term
    terms: list[Term] = [term, *code.lower([term], default_rates())[0].terms]
    assert read_terms(format_terms([(terms, [])])) == [(terms, [])]
