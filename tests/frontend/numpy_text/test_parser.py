"""Texts in NumPy's notation, judged by NumPy, which runs them."""

import ast
import math
import re
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import scipy
from scipy import special

import eggrad as eg
from tests.support.places import DATA
from tests.support.values import evaluated

DIMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("A", "B", "X"), ("m", "n")),
    **{"S": ("n", "n"), "W2": ("k", "m"), "x": ("n",), "z": ("n",), "w": ("n",)},
    **{"y": ("m",), "b": ("m",), "t": (), "c": (), "lam": ()},
}
SIZES = {"m": 3, "n": 4, "k": 2}
RNG = np.random.default_rng(0)
VALUES = {name: RNG.random([SIZES[d] for d in dims]) + 0.1 for name, dims in DIMS.items()}
VALUES["S"] += 3 * np.eye(4)
# Axes that integers have to be.
NUMBERS = {name: tuple(SIZES[d] for d in dims) for name, dims in DIMS.items()}
TEXTS = (DATA / "numpy_texts.txt").read_text("utf-8").splitlines()
LINES = [
    "r = X @ w - y\nr @ r",
    "r = X @ w\nr -= y\nr @ r / 2",
    "loss = np.sum((X @ w - y)**2)",
    "import numpy as np\nfrom numpy import linalg as L\n\nL.norm(x - z)  # distance",
    "from scipy.special import expit as sigmoid\nsigmoid(X @ w) @ y",
    "from numpy import *\nsum(A**2)",
    "import scipy.special as sp\nsp.gammaln(x).sum()",
    "from math import log, pi\nlog(2*pi*t)",
    "lambda w: np.sum((X @ w - y)**2)",
    "def f(w):\n    return np.sum((X @ w - y)**2)",
    'def loss(w, X, y):\n    """Squares."""\n    r = X @ w - y\n    return 0.5 * r @ r',
    "def f(w: np.ndarray) -> float:\n    n = len(w)\n    return w @ w / n\n",
    "def g(u):\n    return u**2\n\ndef f(w):\n    return np.sum(g(w) + g(2*w))",
    "sq = lambda u: u @ u\nsq(X @ w - y) + lam * sq(w)",
    "def f(w, scale=2.0):\n    return scale * w @ w",
    "    r = x - z\n    return r @ r",
    "(\n    x @ S\n    @ x\n)",
    "D, V = np.linalg.eigh(S + S.T)\nnp.sum(D**2)",
    "sign, logdet = np.linalg.slogdet(S)\nlogdet",
    "np.linalg.eigh(S + S.T).eigenvalues",
    "f = np.exp\nf(x) @ z",
    "a: float = 2.0\na * t",
    "x = x - x.mean()\nx @ x",
    "x @ S @ x;",
    "n = x.size\nnp.sum(x) / n - np.sum(x) / (n - 1)",
    "e = X @ w - y\ne @ e",
]


def names(text: str) -> dict[str, Any]:
    """What a text means by its names: with `np.` before others `sum` is Python's."""
    star = not re.search(r"\b(np|numpy)\.", text) and not re.search(r"\b(max|min)\(\w+, ", text)
    found: dict[str, Any] = dict(vars(np)) if star else {}
    found |= {"norm": np.linalg.norm, "inv": np.linalg.inv, "logsumexp": special.logsumexp}
    found |= {"np": np, "numpy": np, "math": math, "scipy": scipy, "special": special}
    return found | {"erf": special.erf, "e": np.e, "pi": np.pi} | VALUES


def run_by_numpy(text: str) -> Any:
    """The value of a text; of a function that of the variables called as its arguments."""
    block = text.startswith(" ")
    body = ast.parse("if 1:\n" + text.replace("return ", "") if block else text).body
    body = body[0].body if block else body  # type: ignore[attr-defined]
    last = body[-1]
    if isinstance(last, ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name("__", ast.Store())], last.value), last)
    space = names(text)
    exec(compile(ast.fix_missing_locations(ast.Module(body, [])), "text", "exec"), space)
    match last:
        case ast.FunctionDef():
            found = space[last.name]
        case ast.Assign(targets=[ast.Name(name)]):
            found = space[name]
        case _:
            found = space["__"]
    if isinstance(found, FunctionType):
        defaults = len(found.__defaults__ or ())
        count = found.__code__.co_argcount
        found = found(*(VALUES[n] for n in found.__code__.co_varnames[: count - defaults]))
    return found


@pytest.mark.parametrize("text", [*TEXTS, *LINES])
def test_texts_mean_what_numpy_computes(text: str) -> None:
    expected = np.asarray(run_by_numpy(text), float)
    try:
        value = evaluated(eg.parse_numpy(text, DIMS), VALUES)
    except eg.EggradError:
        # What depends on how long an axis is needs a number.
        value = evaluated(eg.parse_numpy(text, NUMBERS), VALUES)
    assert value.shape == expected.shape
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)


def test_there_are_enough() -> None:
    assert len({*TEXTS, *LINES}) > 200


WRITTEN = [
    text for text in TEXTS if not re.search("sort|eig|svd|cholesky|gammaln|erf|interp", text)
]


@pytest.mark.parametrize("text", WRITTEN[::4])
def test_printed_programs_are_read(text: str) -> None:
    """What `to("python")` writes is NumPy text as well, where it calls NumPy alone."""
    f = eg.parse_numpy(text, NUMBERS)
    program = f.to("python")
    again = eg.parse_numpy(program, {v.name: v.dims for v in f.variables})
    np.testing.assert_allclose(evaluated(again, VALUES), evaluated(f, VALUES), rtol=1e-9)
