"""Everything works from any thread, several at a time, and on any number of cores."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import eggrad as eg
from eggrad.engine.terms import term as terms

PROGRAM = """
import eggrad as eg
X, w, y = eg.variable("X", ("m", "n")), eg.variable("w", ("n",)), eg.variable("y", ("m",))
print(eg.hessian(eg.sum(eg.log(1 + eg.exp(-y * (X @ w)))), w))
print(eg.gradient(eg.sum((X @ w - y) ** 2) / (w @ w), w))
"""


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


def test_the_number_of_cores_does_not_matter() -> None:
    texts = set[str]()
    for cores in ("1", "2", "16"):
        environment = {**os.environ, "RAYON_NUM_THREADS": cores}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        texts.add(done.stdout)
    assert len(texts) == 1
