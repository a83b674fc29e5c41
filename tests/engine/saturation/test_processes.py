"""The same answers in every process and thread, on any number of cores, and after an interrupt."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

import eggrad as eg
from eggrad.engine.terms import term as terms
from tests.support.programs import python, raised_after

PROGRAM = """
import sys, eggrad
for text in sys.stdin.read().splitlines():
    for mode in ("forward", "reverse", "auto"):
        print(eggrad.parse(text).derivative(mode=mode))
"""

PROBLEMS = """\
declare A 2 x 1 expression x *(i,i->) (A *(ij,j->i) x) derivative wrt x wrt x
declare X 2 w 1 y 1 expression 1 *(,i->) log(exp(-y *(i,i->i) (X *(ij,j->i) w)) + 1) \
derivative wrt w wrt w
declare X 2 expression log(det(X)) derivative wrt X
declare a 1 b 1 c 1 d 1 expression a *(i,i->) b + a *(i,i->) c + d *(i,i->) a derivative wrt a
declare x 1 expression tanh(exp(x) / (x ^ 2 + 1)) *(i,i->) sin(x) derivative wrt x
declare X 2 w 1 y 1 expression *(i->)((X *(ij,j->i) w - y) ^ 2) / (w *(i,i->) w) derivative wrt w
"""


def derivatives(variable: str, value: str) -> str:
    """What a process prints where a variable of its environment has some value."""
    own = {variable: value}
    return python("-c", PROGRAM, environment=own, input=PROBLEMS, timeout=120).stdout


@pytest.fixture(scope="module")
def expected() -> str:
    found = derivatives("PYTHONHASHSEED", "0")
    assert len(found.splitlines()) >= 18
    return found


@pytest.mark.parametrize("seed", ["1", "42", "4294967295", "random"])
def test_derivatives_do_not_depend_on_the_hash_seed(expected: str, seed: str) -> None:
    assert derivatives("PYTHONHASHSEED", seed) == expected


def test_the_number_of_cores_does_not_matter(expected: str) -> None:
    assert {derivatives("RAYON_NUM_THREADS", cores) for cores in ("1", "2", "16")} == {expected}


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads that take turns after a microsecond."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def work(number: int) -> list[str]:
    """What is found for variables of one's own, for answers are remembered, called x and A."""
    x, A = eg.variable(f"x{number}", ("n",)), eg.variable(f"A{number}", ("n", "n"))
    f = eg.sum(eg.log(1 + eg.exp(-(A @ x)))) + (number % 2) * (x @ x)
    gradient = eg.gradient(f, x)
    found = [
        gradient.to("matrix"),
        str(eg.simplify(gradient * f - f)),
        eg.equivalent(f, f + 0).status,
        eg.compile([f, gradient]).source,
    ]
    return [text.replace(f"x{number}", "x").replace(f"A{number}", "A") for text in found]


@pytest.mark.usefixtures("impatient")
def test_threads_find_what_one_finds() -> None:
    alone = [work(k) for k in (8, 9)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(8))) == alone * 4


@pytest.mark.usefixtures("impatient")
def test_threads_make_one_term() -> None:
    def make(_: int) -> list[terms.Term]:
        names = (terms.variable(f"v{k}", ("n",)) for k in range(300))
        return [terms.apply("exp", terms.add(v, v)) for v in names]

    with ThreadPoolExecutor(8) as threads:
        first, *others = threads.map(make, range(8))
    assert all(a is b for other in others for a, b in zip(first, other, strict=True))


class Interrupted(KeyboardInterrupt):
    """What Ctrl-C raises, told apart from a real one."""


def derive_for_ever(name: str) -> None:
    x = eg.variable(name, ("n",))
    f = eg.sum(x)
    for k in count():
        f = f + eg.sum(eg.exp(eg.variable(f"a{k}", ("n",)) * x))
        eg.hessian(f, x)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.2])
def test_an_interrupt_ends_a_derivation_and_nothing_else(seconds: float) -> None:
    with pytest.raises(Interrupted), raised_after(seconds, Interrupted()):
        derive_for_ever(f"x{round(1000 * seconds)}")
    y = eg.variable("y", ("n",))
    assert str(eg.gradient(eg.sum(y * y), y)) == "declare y[n] expression y + y"
