"""The unseen problems: eggrad's values are those by hand, and the command measures them."""

from itertools import pairwise
from pathlib import Path

import pytest

from tests.benchmarks.frameworks import with_eggrad
from tests.benchmarks.frameworks.measure import TOLERANCE, error_of
from tests.benchmarks.problems.problem import Problem
from tests.benchmarks.unseen import figures, operations
from tests.benchmarks.unseen.catalog import HALVES, HELD_OUT, ROUNDS, TUNED, UNSEEN, drawn
from tests.benchmarks.unseen.figures import AgainstJax, Figure, Found, Options

N = 7

each = pytest.mark.parametrize("problem", UNSEEN.values(), ids=UNSEEN)


@each
def test_by_eggrad(problem: Problem) -> None:
    for quantity, own in problem.quantities.items():
        data = problem.arguments(quantity, N)
        derivative = with_eggrad.derivative(problem, quantity)
        shapes = {name: a.shape for name, a in data.items()}
        found = with_eggrad.compiled(derivative, quantity, shapes)(**data)
        for name, by_hand in own.by_hand.items():
            assert error_of(found, by_hand(*data.values())) < TOLERANCE, (quantity, name)


@each
@pytest.mark.parametrize("n", [N, 60])
def test_by_hand(problem: Problem, n: int) -> None:
    for quantity, own in problem.quantities.items():
        data = problem.arguments(quantity, n)
        found = [by_hand(*data.values()) for by_hand in own.by_hand.values()]
        for one, other in pairwise(found):
            assert error_of(one, other) < TOLERANCE, quantity
        if quantity == "gradient":
            value = problem.function(operations.with_numpy(), *data.values())
            assert error_of(found[0][0], value) < TOLERANCE


def test_arguments_stay_as_they_are() -> None:
    for problem in UNSEEN.values():
        for quantity, own in problem.quantities.items():
            before, data = problem.arguments(quantity, N), problem.arguments(quantity, N)
            for by_hand in own.by_hand.values():
                by_hand(*data.values())
            assert all((data[name] == before[name]).all() for name in before), problem.name


def test_chance_held_out_one_half() -> None:
    assert set(HELD_OUT) == drawn()
    assert len(TUNED) == len(HELD_OUT)
    assert not set(TUNED) & set(HELD_OUT)
    assert set(TUNED | HELD_OUT) == {name for names, _ in ROUNDS for name in names}
    for half, problems in HALVES.items():
        for functions in problems.values():
            for problem in functions:
                folder = f"unseen.{half.replace('-', '_')}."
                assert folder in problem.data.__module__, problem.name


def test_figures(tmp_path: Path) -> None:
    found = Found()
    chosen = Options(sizes=(30,), budget=0.0)
    figures.measured("tuned", UNSEEN["tensor_factorization"], chosen, tmp_path, found)
    assert [(f.quantity, f.size) for f in found.figures] == [("gradient", 30), ("hessian", 30)]
    assert not found.failures
    for figure in found.figures:
        assert min(figure.seconds, figure.ratio, figure.derive, figure.compile, figure.memory) > 0
        assert figure.error < TOLERANCE


def test_summary() -> None:
    def figure(problem: str, ratio: float, memory: float, error: float = 0.0) -> Figure:
        jax = AgainstJax(1e-3, 0.5, None)
        large = 1 << 20
        return Figure(
            "tuned", problem, "hessian", 30, 1e-4, ratio, 0.1, 0.2, memory, large, error, jax
        )

    found = Found([figure("a", 1.0, 2.0), figure("b", 4.0, 1.0, 1.0)], ["c, hessian: no"])
    assert found.figures[0].line() == (
        "a, hessian, 30: 1.00 of 100.0 µs, derive 100 ms, compile 200 ms, "
        "memory 2.00 of 1024 KiB; 0.50 of JAX's 1000.0 µs"
    )
    assert figures.summary(found).splitlines() == [
        "tuned: 2 figures, mean 2.000 (beyond 1.25), worst 4.00 (beyond 2.5): b, hessian, 30; "
        "1 beyond 2.5",
        "tuned, memory from 64 KiB on: 2 figures, worst 2.00 (beyond 1.5): a, hessian, 30; "
        "1 beyond 1.5",
        "Hessians, eggrad's NumPy code by jitted JAX above 20 µs: 2 figures, mean 0.500, "
        "worst 0.50, 0 beyond 1.1, 0 beyond 1.3",
        "wrong: b, hessian, 30",
        "failed: c, hessian: no",
    ]


def test_options() -> None:
    found = figures.options(["--half", "held-out", "--sizes", "30,300", "--jax"])
    assert found == Options(("held-out",), (), (30, 300), jax=True)
    with pytest.raises(SystemExit):
        figures.options(["--problems", "nonsense"])
