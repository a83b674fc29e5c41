"""An interrupt is answered soon, and everything can be used afterwards."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType

import pytest

import eggrad as eg

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


class Interrupted(KeyboardInterrupt):
    """What Ctrl-C raises, told apart from a real one."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def derive_for_ever(name: str) -> None:
    x = eg.variable(name, ("n",))
    f = eg.sum(x)
    for k in count():
        f = f + eg.sum(eg.exp(eg.variable(f"a{k}", ("n",)) * x))
        eg.hessian(f, x)


@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.2])
def test_an_interrupt_ends_a_derivation_and_nothing_else(seconds: float) -> None:
    with pytest.raises(Interrupted), interrupted_after(seconds):
        derive_for_ever(f"x{round(1000 * seconds)}")
    y = eg.variable("y", ("n",))
    assert str(eg.gradient(eg.sum(y * y), y)) == "declare y[n] expression y + y"
