"""The shim for autograd's tests counts how tests end, and sees what is wrong."""

from pathlib import Path

import numpy as np
import pytest

import eggrad as eg
from tests.support import autograd_suite
from tests.support.autograd_suite import Space, check_equivalent, check_grads, run

TESTS = """
import pytest
import autograd.numpy as np
import autograd.numpy.random as npr
from autograd import grad
from autograd.test_util import check_grads

def test_right():
    check_grads(lambda x, y: x * y, order=1)(2.0, 3.0)

def test_raised():
    with pytest.raises(TypeError):
        grad(lambda x: 1.0 if x > 0 else x)(1.0)

def test_complex():
    check_grads(np.sin)(1.0 + 1j)

def test_refused():
    check_grads(lambda x: x if x > 0 else -x)(1.0)

def test_wrong():
    assert grad(lambda x: x**2)(3.0) == 5

def test_error():
    raise KeyError("x")

@pytest.mark.skip(reason="none")
def test_skipped():
    pass
"""


def test_how_tests_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_few_of_autograd.py").write_text(TESTS)
    found = run(tmp_path)
    capsys.readouterr()
    names = {end: {t.rpartition("_")[2] for t, _ in tests} for end, tests in found.ends.items()}
    assert names == {
        "passed": {"right", "raised"},
        "complex": {"complex"},
        "refused": {"refused"},
        "wrong": {"wrong"},
        "python": {"error"},
        "skipped": {"skipped"},
    }
    assert "passed: 2\nrefused: 1\nwrong: 1\npython: 1\ncomplex: 1\n" in str(found)
    assert "1 KeyError: 'x'" in str(found)


def test_a_wrong_derivative_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    f = eg.function("f", derivative=lambda a: 2.1 * a, evaluate=lambda x: x * x)

    def square(x: float) -> object:
        return f(x) if isinstance(x, eg.Expression) else x * x

    for mode in ("fwd", "rev"):
        with pytest.raises(AssertionError, match=f"{'JVP' if mode == 'fwd' else 'VJP'}.*square"):
            check_grads(square, modes=[mode], order=1)(1.5)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_wrong_second_derivative_is_seen(mode: str) -> None:
    slope = eg.function("g", derivative=lambda a: 2.1 + 0 * a, evaluate=lambda x: 2 * x)
    f = eg.function("f", derivative=slope, evaluate=lambda x: x * x)

    def square(x: float) -> object:
        return f(x) if isinstance(x, eg.Expression) else x * x

    check_grads(square, modes=[mode], order=1)(1.5)
    with pytest.raises(AssertionError, match=r"of (jvp|vjp)\) check of square"):
        check_grads(square, modes=[mode])(1.5)


def test_what_is_compared() -> None:
    check_equivalent({"a": [1.0, np.ones(2)]}, {"a": (1.0, np.ones(2))})
    for other in (np.ones(3), np.array([1.0, 1.001])):
        with pytest.raises(AssertionError):
            check_equivalent(np.ones(2), other)
    space = Space((1.0, {"a": np.ones((2, 1))}))
    assert space.size == 3
    assert space == Space(space.randn())
    assert sum(space.inner_prod(e, space.ones()) for e in space.standard_basis()) == 3


def test_names_of_tests_are_looked_up() -> None:
    known = autograd_suite.APART
    assert all(".py::test_" in name and reason for name, reason in known.items())
