"""Predicted time: which kernels compute a node, their rates, and the calibration of these."""

import json
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.costs.calibration import PROBES, Probe, Trial, calibrate
from eggrad.engine.costs.time_model import (
    Curve,
    Rates,
    RatesError,
    TimeModel,
    Work,
    cache_path,
    dag_work,
    default_rates,
    load_rates,
    node_work,
    read_rates,
    term_work,
    write_rates,
)
from eggrad.engine.errors import EggradError
from eggrad.engine.indices.spec import parse_spec
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from tests.support.term_strategies import terms
from tests.support.tiers import samples

DEFAULT = default_rates()


def operand(name: str, letters: str) -> Term:
    """A variable whose axes have sizes called like the indices."""
    return t.variable(name, letters)


def product(spec: str) -> Term:
    parts = spec.partition("->")[0].split(",")
    return t.einsum(spec, *(operand(name, p) for name, p in zip("AB", parts, strict=False)))


def kernels(node: Term) -> str:
    """The rates of a node with their units, `x` repeats where there are any.

    All but the price of the memory for the result.
    """
    work = (w for w in term_work(node) if w.rate != "fresh")
    parts = ([w.rate, *w.units, *(("x", *w.repeats) if w.repeats else ())] for w in work)
    return ", ".join(" ".join(map(str, own)) for own in parts)


def gemm(points: str, left: str, right: str, out: str) -> str:
    return f"matmul {points}, matmul_operand {left}, matmul_operand {right}, matmul_out {out}"


GEMM = gemm("i j k", "i j", "j k", "i k")
OUTER = gemm("i j", "i", "j", "i j")
BATCH = "batch, batched_" + gemm("i j k x b", "b i j", "b j k", "b i k")

PRODUCTS = {
    # Entry by entry.
    ",->": "scalar",
    ",ij->ij": "scaling i j",
    "ij,ij->ij": "arithmetic i j",
    "ij,ij->ji": "arithmetic i j, transposed i j, transposed i j",
    "i,ij->ij": "broadcast i j, loop i",
    "ij,j->ij": "broadcast i j, loop i",
    "i,ijk->ijk": "broadcast i j k, loop i",
    "i,j->ij": OUTER,
    "i,j->ji": OUTER,
    "i,jk->jik": "broadcast i j k, loop i j",
    "ji,ik->ijk": "broadcast i j k, loop i j, transposed i j",
    # One operand is a vector.
    "i,i->": "dot i",
    "ij,ij->": "dot i j",
    "ij,ji->": "dot i j, transposed i j",
    "ij,j->i": "gemv i j, gemv_row i",
    "ij,i->j": "gemv i j, gemv_row i",
    "ijk,jk->i": "gemv i j k, gemv_row i",
    "ijk,j->ik": "batch, gemv i j k, gemv_row i j",
    # Matrices.
    "ij,jk->ik": GEMM,
    "ij,kj->ik": GEMM,
    "ji,jk->ik": GEMM,
    "ij,jk->ki": GEMM,
    "ijk,kl->ijl": gemm("i j k l", "i j k", "k l", "i j l"),
    "ikj,kl->ijl": gemm("i j k l", "i j k", "k l", "i j l") + ", transposed i j k",
    "ik,jkl->ijl": gemm("i j k l", "i k", "j k l", "i j l") + ", transposed j k l",
    # One product for each entry of a batch.
    "bij,bjk->bik": BATCH,
    "ibj,bjk->bik": BATCH,
    "bij,bj->bi": "batch, batched_gemv i j x b",
    "ijb,bj->bi": "batch, batched_gemv i j x b, transposed b i j",
    "bi,bi->b": "rowwise_dot b i, loop b",
    "ib,ib->b": "arithmetic b i, sum_leading b i, row i",
    # An operand is reduced over the indices that it alone has.
    "ij,j->j": "sum_leading i j, row i, arithmetic j",
    "ij,k->ik": "sum_trailing i j, row i, " + gemm("i k", "i", "k", "i k"),
    "ij,kl->": "sum i j, sum k l, scalar",
    # One operand.
    "ij->ji": "view",
    "ii->i": "view",
    "ij->i": "sum_trailing i j, row i",
    "ij->j": "sum_leading i j, row i",
    "ijk->j": "sum_trailing i j k, row i j",
    "ij->": "sum i j",
    "ii->": "sum i",
}


@pytest.mark.parametrize("spec", PRODUCTS)
def test_kernels_of_a_product(spec: str) -> None:
    assert kernels(product(spec)) == PRODUCTS[spec]


@pytest.mark.parametrize("spec", ["ki,kj->ij", "ik,jk->ij", "ki,kj->ji"])
def test_an_operand_times_itself_is_a_symmetric_product(spec: str) -> None:
    a = t.variable("A", ("m", "m"))
    assert kernels(t.einsum(spec, a, a)).startswith("syrk ")
    found = kernels(t.einsum(spec, a, t.variable("B", ("m", "m"))))
    assert found == gemm("m m m", "m m", "m m", "m m")


def test_a_square_is_no_symmetric_product() -> None:
    a = t.variable("A", ("m", "m"))
    assert kernels(t.einsum("ij,jk->ik", a, a)).startswith("matmul m m m,")


SCATTERS = [
    ("i,ij->ij", "i", "i", "zeros i i, diagonal i"),
    ("ij,jk->ik", "ij", "j", "view"),
    ("ij,ij->", "ii", "i", "sum i"),
    ("ij,kl->ijkl", "ij", "k", "zeros i j k k, diagonal i j k"),
    ("ij,ik->ijk", "ij", "i", "zeros i i j, diagonal i j"),
    ("ij,jk->jk", "ij", "j", "sum_leading i j, row i, zeros j j, diagonal j"),
]


@pytest.mark.parametrize(("spec", "left", "half", "expected"), SCATTERS)
def test_a_delta_is_a_scatter_or_a_change_of_index(
    spec: str, left: str, half: str, expected: str
) -> None:
    assert kernels(t.einsum(spec, operand("A", left), t.delta(half))) == expected


def test_constants_are_numbers() -> None:
    a = operand("A", "ij")
    ones = t.constant(1, ("j",))
    assert kernels(t.einsum("ij,j->i", a, ones)) == kernels(t.einsum("ij->i", a))
    assert kernels(t.einsum(",ij->ij", t.constant(1), a)) == "view"
    assert kernels(t.einsum(",ij->ij", t.constant(2), a)) == "scaling i j"
    # The sum of n ones.
    assert kernels(t.einsum("i,j->ij", t.variable("x", "i"), t.constant(3, "j"))) == "scaling i"
    assert kernels(t.einsum("i,j->i", t.variable("x", "i"), t.constant(1, "j"))) == "scaling i"


@pytest.mark.parametrize(
    ("exponent", "rates"),
    [
        (2, ["arithmetic"]), (3, ["arithmetic"] * 2), (-1, ["reciprocal"]), (1, ["view"]),
        (Fraction(1, 2), ["sqrt"]), (Fraction(-1, 2), ["sqrt", "reciprocal"]),
        (7, ["arithmetic"] * 4), (17, ["power"]),
        (Fraction(-5, 2), ["arithmetic", "sqrt", "arithmetic", "reciprocal"]),
    ],
)  # fmt: skip
def test_powers(exponent: int | Fraction, rates: list[str]) -> None:
    node = t.power(t.variable("x", ("n",)), t.constant(exponent))
    assert [kernel.split()[0] for kernel in kernels(node).split(", ")] == rates


def test_elementwise_functions() -> None:
    def rates(name: str, out: tuple[str, ...] = ("n",)) -> list[str]:
        work = node_work("function", (name,), (out,), out, (False,))
        return [w.rate for w in work if w.rate != "fresh"]

    assert rates("exp") == ["exp"]
    assert rates("relu") == ["maximum"]
    assert rates("softplus") == ["maximum", "exp", "log1p"]
    assert rates("sigmoid") == ["negate", "exp", "arithmetic", "divide"]
    assert rates("exp", ()) == ["scalar_function"]
    a, b = t.variable("a", ("n",)), t.variable("b", ("n",))
    assert kernels(t.add(a, b)) == "arithmetic n"
    assert kernels(t.divide(a, b)) == "divide n"
    assert kernels(t.divide(t.constant(1), b)) == "reciprocal n"


def test_a_delta_in_a_sum_is_written_out() -> None:
    node = t.add(t.variable("A", ("n", "n")), t.delta(("n",)))
    assert kernels(node) == "arithmetic n n, zeros n n, diagonal n"


def test_matrix_functions() -> None:
    a = t.variable("A", ("n", "n"))
    for name in ("inv", "det", "adj"):
        assert kernels(t.apply(name, a)) == f"{name} n n n"
    assert kernels(t.cofactors(0, a)) == "det n n n"
    assert kernels(t.cofactors(2, a)) == "adj n n n, arithmetic n n n n"
    out = ("n", "k")
    work = node_work("numeric2", ("solve", None), (("n", "n"), out), out, (False, False))
    assert [(w.rate, w.units) for w in work] == [
        ("solve", ("n", "n", "n")), ("matmul", ("k", "n", "n")), ("fresh", ("k", "n")),
    ]  # fmt: skip


def test_equal_work_is_counted() -> None:
    x = t.variable("x", ("n",))
    found = dag_work([t.add(x, t.add(x, x))])
    assert found == {Work("arithmetic", ("n",)): 2, Work("fresh", ("n",)): 2}


@pytest.mark.parametrize("spec", PRODUCTS)
def test_what_is_written_needs_memory(spec: str) -> None:
    node = product(spec)
    found = [w.units for w in term_work(node) if w.rate == "fresh"]
    writes = bool(node.dims) and kernels(node) != "view"
    assert found == [tuple(sorted(map(str, node.dims)))] * writes


@settings(max_examples=samples(150, 600), deadline=None)
@given(terms(), st.data())
def test_every_term_has_a_time_that_grows_with_sizes(root: Term, data: st.DataObject) -> None:
    work = dag_work([root])
    assert {w.rate for w in work} <= DEFAULT.curves.keys()
    names = symbols(root)
    small = {s: data.draw(st.integers(0, 2000)) for s in names}
    large = {s: n + data.draw(st.integers(0, 500)) for s, n in small.items()}
    few, many = (TimeModel({**sizes}, rates=DEFAULT) for sizes in (small, large))
    for w in work:
        assert type(few.work(w)) is int
        assert 0 <= few.work(w) <= many.work(w)
    assert dag_work([root]) == work


def test_a_node_costs_at_least_one_picosecond() -> None:
    model = TimeModel(rates=DEFAULT)
    assert model.node("variable", (("x", ("n",), ()),), (), ("n",), ()) == 1
    spec = parse_spec("ij,j->i")
    args = (("m", "n"), ("n",))
    time = sum(DEFAULT.time(*own) for own in [("gemv", 10**4), ("gemv_row", 100), ("fresh", 100)])
    assert model.node("ein", (spec,), args, ("m",), (False, False)) == 1 + time
    assert model.length("n") == 100
    assert model.length(0) == 1
    assert model.entries(("n", 3)) == 300


# Rates -------------------------------------------------------------------------------------

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
    changed = Rates({**HERE.curves, "exp": Curve(((1, 7),))}, HERE.version)
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
    assert rates.version == np.__version__
    assert [u for u, _ in rates.curves["call"].points] == [1, 1000]
    # What is known took longer than the whole: nothing is left.
    assert rates.curves["more"].points == ((0, 0), (3, 0))
    assert Rates.from_json(rates.to_json()) == rates
