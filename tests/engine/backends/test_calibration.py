"""Rates of JAX's compiled functions: what comes with eggrad, and how they are measured."""

import numpy as np
import pytest

from eggrad.engine.costs.time_model import Rates, RatesError, default_rates, load_rates, read_rates


def test_jax_has_a_rate_for_every_kernel_of_numpy() -> None:
    own = default_rates("jax")
    assert own.library == "jax"
    assert own.curves.keys() == default_rates().curves.keys()
    assert Rates.from_json(own.to_json()) == own
    assert load_rates("torch") == load_rates()


def test_element_wise_operations_are_fused() -> None:
    numpy, jax = default_rates(), default_rates("jax")
    assert jax.time("arithmetic", 1_000_000) < numpy.time("arithmetic", 1_000_000)
    assert jax.time("view", 1_000_000) == 0


def test_rates_of_another_library_are_refused(tmp_path) -> None:
    path = tmp_path / "rates.json"
    path.write_text(default_rates("jax").to_json(), "utf-8")
    with pytest.raises(RatesError, match="it has the rates of jax, not of numpy"):
        read_rates(path)


def test_more_work_takes_longer() -> None:
    jax = pytest.importorskip("jax")
    from eggrad.engine.backends.calibration import Timer

    timer = Timer(jax.numpy, jax.jit, jax.block_until_ready)
    x = jax.numpy.asarray(np.linspace(0.1, 0.9, 30_000))
    arrays = {"x": x, "y": x}
    assert timer.one("xp.sin(x)", arrays) > timer.one("x + y", arrays)
