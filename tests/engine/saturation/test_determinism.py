"""The same text in every process, whatever the seed of Python's hashes."""

import os
import subprocess
import sys

import pytest

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
"""


def derivatives(seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=PROBLEMS,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


@pytest.fixture(scope="module")
def expected() -> str:
    found = derivatives("0")
    assert len(found.splitlines()) >= 15
    return found


@pytest.mark.parametrize("seed", ["1", "42", "4294967295", "random"])
def test_derivatives_do_not_depend_on_the_hash_seed(expected: str, seed: str) -> None:
    assert derivatives(seed) == expected
