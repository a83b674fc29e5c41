"""Functions as people write them have the values and gradients of JAX."""

from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.benchmarks.first_calls import __main__ as program
from tests.benchmarks.first_calls import measure
from tests.benchmarks.first_calls.__main__ import Calls
from tests.benchmarks.first_calls.functions import Function
from tests.benchmarks.first_calls.measure import SEED, SETS, leaves
from tests.benchmarks.frameworks.measure import TOLERANCE, error_of

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.usefixtures("jax_in_double")


def cases(library: Any) -> dict[str, tuple[Function, tuple[Any, ...]]]:
    """Function and arguments of each name, of both sets."""
    found = (module.functions(library, np.random.default_rng(SEED)) for module in SETS.values())
    return {name: (f, arguments) for name, f, arguments in chain(*found)}


OURS = cases(np)


@cache
def theirs() -> dict[str, tuple[Function, tuple[Any, ...]]]:
    """The same for JAX, whose arrays are double once the fixture says so."""
    return cases(jax.numpy)


@pytest.mark.parametrize("name", OURS)
def test_is_what_jax_has(name: str) -> None:
    ours, arguments = OURS[name]
    other, same = theirs()[name]
    found, wanted = eg.value_and_grad(ours)(*arguments), jax.jit(jax.value_and_grad(other))(*same)
    assert error_of(leaves(found), leaves(wanted)) < TOLERANCE


@pytest.mark.parametrize("name", ["eggrad", "jax"])
def test_calls_are_measured(name: str) -> None:
    library, made, ready = measure.library(name)
    arguments = [ready({"a": np.ones(2)})]
    times, results = measure.measured(made, lambda p: library.sum(p["a"] ** 2), arguments, 3)
    assert len(times) == 3
    assert [error_of(r, [2.0, [2.0, 2.0]]) for r in results] == [0, 0]


def test_lines() -> None:
    results = [[2.0, [1.0, 2.0]]]
    own, other = Calls([2.0, 1e-4, 3e-4], results), Calls([1.0, 1e-4, 2e-4], results)
    assert program.line(own, other) == (
        "first 2.00 s, JAX 1.00 s; later 100.0 µs, JAX 100.0 µs; "
        "multiples: first 2.00, later 1.00, 1 to 10 2.00, 1 to 100 2.00, 1 to 1000 2.00; "
        "longest later 0.3 ms, JAX 0.2 ms; agrees"
    )
    assert program.line(Calls(error="no"), other) == "failed, eggrad: no"
    assert not program.agree(own, Calls(results=[[2.0, [1.0, 3.0]]]))
    found = {"a": {"first": 1.0}, "b": {"first": 4.0}}
    assert program.means("ten", found) == "ten, 2 functions: first 2.00 (worst 4.00, b)"
