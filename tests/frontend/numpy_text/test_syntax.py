"""Every mistake in a NumPy text has a message, with the caret where it is; nothing is executed."""

import ast
import builtins
import random
import re
import sys
import time
from typing import Any

import pytest

import eggrad as eg
from eggrad.frontend.numpy_text.syntax import LONGEST
from tests.frontend.numpy_text.test_parser import DIMS, LINES, NUMBERS, TEXTS
from tests.support.places import DATA

# Two lines a mistake: the text, with a bar at the place; its kind and its message.
MARKED = (DATA / "numpy_text_mistakes.txt").read_text("utf-8").splitlines()
MISTAKES = list(zip(MARKED[::2], MARKED[1::2], strict=True))
KINDS = {"text": eg.ParseError, "shape": eg.ShapeError, "name": eg.UnknownVariable}


@pytest.mark.parametrize(("marked", "message"), MISTAKES, ids=MARKED[::2])
def test_the_message_and_its_place(marked: str, message: str) -> None:
    before, _, after = marked.partition("¦")
    kind, _, reason = message.strip().partition(": ")
    with pytest.raises(eg.ParseError) as caught:
        eg.parse_numpy(before + after, DIMS)
    assert (caught.value.reason, caught.value.column) == (reason, len(before) + 1)
    assert isinstance(caught.value, KINDS[kind])


def test_there_are_enough() -> None:
    assert len({message for _, message in MISTAKES}) > 100


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("r = X @ w\nr @ q", 2, 5, "no variable is called 'q'"),
        ("r = X @ w\r\nr @ q", 2, 5, "no variable is called 'q'"),
        ("ψ = x @ x; ψ * é", 1, 16, "no variable is called 'é'"),
        ("r = X @ w\n  r @ r\n   r", 3, 4, "all lines begin at the same column"),
        ("  r = X @ w\nr @ r", 2, 1, "all lines begin at the same column"),
        ("r = (X @ w\nr @ r", 1, 5, "this bracket is never closed"),
        ("def f(w):\nw", 2, 1, "the lines of a function are missing, which begin with blanks"),
        ("def f(w):\n    r = X @ w", 2, 5, "a function ends with 'return ...'"),
        ("def f(w):\n    return w\n    w = x", 3, 5, "nothing is read after a return"),
        ("def f(u):\n    return A @ u\nf(y)", 2, 14, None),
        ("r = x\nr += y\nr", 2, 3, None),
        ("x +\nz", 1, 4, "an operand is missing before the end of the line, after '+'"),
        ("", 1, 1, "the expression is empty"),
        ("# nothing\n", 1, 10, "the expression is empty"),
        ("@f\ndef g(x): return x", 1, 2, "functions are read plain"),
    ],
)
def test_places_in_several_lines(text: str, line: int, column: int, reason: str | None) -> None:
    with pytest.raises(eg.ParseError) as caught:
        eg.parse_numpy(text, DIMS)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason is None or caught.value.reason == reason


# Bounds ---------------------------------------------------------------------------------------

DEEP = 100_000
LARGE = {
    "brackets": "(" * DEEP + "t" + ")" * DEEP,
    "some brackets": "(" * 150 + "t" + ")" * 150,
    "signs": "-" * DEEP + "t",
    "some signs": "-" * 900 + "t",
    "a sum": "+".join(["t"] * 30_000),
    "a shorter sum": "+".join(["t"] * 900),
    "calls": "np.exp(" * 150 + "t" + ")" * 150,
    "lambdas": "lambda: " * 5000 + "t",
    "attributes": "x" + ".T" * 5000,
    "length": "t" + " " * LONGEST,
    "digits": "9" * 5000,
    "hexadecimal digits": "0x" + "f" * 50_000,
    "powers": "9**9**9**9",
    "powers of fractions": "0.1**-(10**6)",
    "squares": "a = 7\n" + "a = a * a\n" * 100 + "a * t",
    "functions of functions": "f0 = lambda u: u + u\n"
    + "".join(f"f{k + 1} = lambda u: f{k}(f{k}(u))\n" for k in range(40))
    + "f40(t)",
    "names": " + ".join(f"v{k} * x{k}" for k in range(40)),
    "a list": "[" * 150 + "t" + "]" * 150,
}


@pytest.mark.parametrize("dims", [DIMS, None], ids=["dims", "none"])
@pytest.mark.parametrize("name", LARGE)
def test_large_texts_end_soon(name: str, dims: Any) -> None:
    began = time.process_time()
    message = ""
    try:
        eg.parse_numpy(LARGE[name], dims)
    except eg.ParseError as error:
        message = str(error)
    assert len(message) < 1500
    assert time.process_time() - began < 20


# Nothing is executed --------------------------------------------------------------------------

_TOKEN = re.compile(r"\w+|\*\*|//|\s+|.", re.DOTALL)
_WORDS = """
    ' " ^ .* é ² __class__ __import__('os').system('exit') lambda ( (( [[ ) ] { } 0 -1 1e400 9**9**9
    None True 'fro' axis=0 axis=5 axis='a' keepdims=True * ** = == := await yield # ; ... @ ~ 1j \\
    np.inf 0.0 1/0 np.nan dtype=int out=x where=x f'{x}' b'x' [] () x, [x,z] 10**30 np.newaxis np.e
    print exec eval open('x','w') globals() .__init__ np.load('x') np.save('x',x) np.random.rand()
    np.fromfunction(f,3) np.vectorize(f) np.ctypeslib x.tofile('x') x.dump('x') np.apply_along_axis
"""
_FOUND = [t for text in (*TEXTS, *LINES) for t in _TOKEN.findall(text)]
PIECES = [*_FOUND, *_WORDS.split(), "\0", "\ud800"]
# What Python reports of code that runs, of files and of processes.
_EVENTS = ("exec", "open", "import", "os.", "subprocess.", "ctypes.", "socket.")
WATCHED: list[str] = []
watching: list[bool] = []


def watch(event: str, args: tuple[Any, ...]) -> None:
    # Of a text that is no Python its parser looks for the file, whose name it is not told.
    if watching and event.startswith(_EVENTS) and args[:1] != ("<unknown>",):
        WATCHED.append(f"{event} {args}")


def mutated(rng: random.Random) -> str:
    """A text, changed in a few places."""
    words = _TOKEN.findall(rng.choice((*TEXTS, *LINES)))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        k = rng.randrange(len(words) + 1)
        match rng.randrange(4):
            case 0:
                del words[k : k + 1]
            case 1:
                words.insert(k, rng.choice(PIECES))
            case 2:
                words[k : k + 1] = [rng.choice(PIECES)]
            case _:
                words[k:k] = words[k : k + rng.randrange(6)] * rng.choice((1, 3, 40))
    return "".join(words)


def outcome(text: str, dims: Any) -> str:
    """The expression, or the message; nothing else is raised."""
    try:
        return str(eg.parse_numpy(text, dims).term)
    except eg.ParseError as error:
        return f"ParseError: {error}"


@pytest.mark.parametrize("seed", range(3))
def test_mutated_texts_are_read_or_refused_and_never_run(seed: int) -> None:
    rng = random.Random(seed)
    texts = [(mutated(rng), rng.choice((None, DIMS, NUMBERS))) for _ in range(600)]
    # What is loaded at first use is loaded the first time.
    first = [outcome(*text) for text in texts]
    sys.addaudithook(watch)
    watching.append(True)
    again = [outcome(*text) for text in texts]
    watching.clear()
    assert WATCHED == []
    assert again == first
    assert sum(not found.startswith("ParseError") for found in first) > 30


@pytest.mark.parametrize("name", sorted(set(dir(builtins)) - {"True", "False", "None"}))
def test_no_name_of_python_runs_it(name: str) -> None:
    known = {"abs", "all", "any", "float", "len", "max", "min", "pow", "round", "sum", "divmod"}
    if not ast.parse(name).body or name.startswith("__debug"):
        return
    with pytest.raises(eg.ParseError):
        eg.parse_numpy(f"{name}('x')" if name not in known else f"{name}.__self__", {})


@pytest.mark.parametrize(
    "text",
    [
        "x.__class__.__mro__",
        "np.__builtins__",
        "np.linalg.__loader__.exec_module",
        "np.sum.__globals__",
        "np.core",
        "np.lib.npyio",
        "np.testing",
        "(lambda: 0).__code__",
        "x.T.term",
        "x.substitute(x=0)",
        "x.evaluate({})",
        "x.to('python')",
        "eg.variable('q', (3,)) @ x[:3]",
        "eg.grad(x)",
        "eg.function('f')",
        "eg.compile(x)",
        "math.factorial(3)",
        "x.shape.__class__",
        "x.shape[0].owners",
        "'{0.__class__}'.format(x)",
        "f'{x.__class__}'",
        "from os import system; system('exit')",
        "import os.path as p; p.exists('x')",
        "import subprocess; subprocess.run('x')",
    ],
)
def test_other_attributes_are_refused(text: str) -> None:
    with pytest.raises(eg.ParseError):
        eg.parse_numpy(text, DIMS)
