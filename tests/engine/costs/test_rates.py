"""Rates: curves, files, what is read when, and calibration with a few probes."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.costs.calibration import PROBES, Probe, Trial, calibrate
from eggrad.engine.costs.time_model import (
    Curve,
    Rates,
    RatesError,
    cache_path,
    default_rates,
    load_rates,
    read_rates,
    write_rates,
)
from eggrad.engine.errors import EggradError

DEFAULT = default_rates()
HERE = Rates(DEFAULT.curves, np.__version__)

curves = st.lists(
    st.tuples(st.integers(0, 10**9), st.integers(0, 10**12)), min_size=1, max_size=6,
    unique_by=lambda p: p[0],
).map(
    lambda points: tuple(
        zip(sorted(u + 1 for u, _ in points), sorted(t for _, t in points), strict=True)
    )
)  # fmt: skip


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "eggrad" / "rates.json"


@given(curves, st.lists(st.integers(0, 10**10), min_size=2))
def test_a_curve_grows(points: tuple[tuple[int, int], ...], units: list[int]) -> None:
    curve = Curve(points)
    times = [curve.at(u) for u in sorted(units)]
    assert times == sorted(times)
    assert all(type(time) is int for time in times)
    assert [curve.at(u) for u, _ in points] == [t for _, t in points]


@pytest.mark.parametrize(
    "points", [(), ((0, 1),), ((2, 1), (1, 2)), ((1, 2), (2, 1)), ((1, -1),), ((1, 1), (1, 2))]
)
def test_what_is_no_curve(points: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(RatesError):
        Curve(points)


def test_a_function_that_was_never_measured_counts_as_tanh() -> None:
    assert DEFAULT.time("erf", 1000) == DEFAULT.time("tanh", 1000)


def test_the_default_has_every_rate() -> None:
    assert DEFAULT.curves.keys() == {probe.rate for probe in PROBES}
    assert DEFAULT.to_json() == Rates.from_json(DEFAULT.to_json()).to_json()


def test_a_file_reads_back(cache: Path) -> None:
    assert cache_path() == cache
    write_rates(HERE, cache)
    assert read_rates(cache) == load_rates() == HERE
    changed = Rates({**HERE.curves, "exp": Curve(((1, 7),))}, HERE.numpy)
    write_rates(changed, cache)
    assert load_rates() == changed
    assert list(cache.parent.iterdir()) == [cache]


def test_without_a_file_the_default_counts(cache: Path) -> None:
    assert not cache.exists()
    assert load_rates() == DEFAULT


def test_a_cache_folder_that_is_not_absolute_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_path() == Path("/home/someone/.cache/eggrad/rates.json")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_path() == Path("/home/someone/.cache/eggrad/rates.json")


def changed(**entries: object) -> str:
    return json.dumps(json.loads(HERE.to_json()) | entries)


FOREIGN = {
    "not JSON": ("{", "not a file of rates"),
    "no object": ("[]", "not a file of rates"),
    "nested too deeply": ("[" * 100_000, "not a file of rates"),
    "another format": (changed(schema=0), "it has format 0, this version of eggrad reads 2"),
    "another NumPy": (
        changed(numpy="0.1"),
        f"it was measured with NumPy 0.1, this is {np.__version__}",
    ),
    "no version": (changed(numpy=None), "not a file of rates"),
    "a rate is missing": (changed(rates={"exp": [[1, 2]]}), "it lacks abs, adj, arccos"),
    "rates are a list": (changed(rates=[1]), "not a file of rates"),
    "times are no integers": (changed(rates={"exp": [[1, 2.5]]}), "not a file of rates"),
    "points are no pairs": (changed(rates={"exp": [[1, 2, 3]]}), "not a file of rates"),
    "times fall": (changed(rates={"exp": [[1, 2], [2, 1]]}), "times must grow"),
    "not text": (b"\xff\xfe\xff", "invalid start byte"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_file_that_cannot_be_used_is_ignored_with_a_warning(case: str, cache: Path) -> None:
    content, reason = FOREIGN[case]
    cache.parent.mkdir()
    cache.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.warns(UserWarning, match="run 'eggrad calibrate' to measure anew") as caught:
        assert load_rates() == DEFAULT
    assert f"{cache} is ignored: " in str(caught[0].message)
    assert reason in str(caught[0].message)
    with pytest.raises(EggradError):
        read_rates(cache)


def test_a_folder_in_place_of_the_file(cache: Path) -> None:
    cache.mkdir(parents=True)
    with pytest.warns(UserWarning, match="is ignored"):
        assert load_rates() == DEFAULT
    with pytest.raises(OSError, match="rates"):
        write_rates(HERE, cache)
    assert list(cache.parent.iterdir()) == [cache]


def test_every_probe_runs_and_knows_what_was_measured_before() -> None:
    measured: set[str] = set()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        for probe in PROBES:
            for trial in probe.trials:
                assert {rate for rate, _, _ in trial.known} <= measured
            smallest = min(probe.trials, key=lambda trial: trial.units * trial.repeats)
            calibrate(probes=[_once(probe, smallest)])
            measured.add(probe.rate)


def _once(probe: Probe, trial: Trial) -> Probe:
    """The probe with one trial, without what it knows."""
    return Probe(
        probe.rate, (Trial(trial.statement, trial.arrays, trial.shape, max(1, trial.units)),)
    )


def test_calibration_measures_curves_and_linear_rates() -> None:
    def arrays(n: int) -> dict[str, object]:
        return {"x": np.ones(n)}

    seen: list[str] = []
    rates = calibrate(
        seen.append,
        [
            Probe("call", tuple(Trial("x + x", arrays, (n,), n) for n in (1, 1000))),
            Probe("more", (Trial("x + x", arrays, (9,), 3, known=(("call", 10**9, 1),)),), True),
        ],
    )
    assert seen == ["call", "more"]
    assert rates.numpy == np.__version__
    assert [u for u, _ in rates.curves["call"].points] == [1, 1000]
    # What is known took longer than the whole: nothing is left.
    assert rates.curves["more"].points == ((0, 0), (3, 0))
    assert Rates.from_json(rates.to_json()) == rates
