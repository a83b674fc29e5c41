"""Public functions called with wrong arguments: each says which one is wrong, or gives an answer.

    python -m tests.support.fuzz_calls N SEED [INDEX]

N calls, made of right ones by one or two mutations; one of them alone, with its traceback, where
INDEX is given. Each is made from the seed and its number. A call fails if it raises another error
than an `EggradError`, Python's `TypeError` for a wrong signature, or what a function of the caller
raises itself; if a mistake within was turned into an `EggradError`; and if it takes too long or too
much memory.
"""

import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from random import Random
from types import TracebackType
from typing import Any, Final

import numpy as np
import scipy.sparse

import eggrad as eg
from eggrad.engine.errors import EngineFailure
from eggrad.engine.guard import SearchFailure
from tests.support import right_calls
from tests.support.right_calls import B, C, Call, P, Q, X, Y, right_call

SECONDS: Final = 20
MEMORY: Final = 6 * 2**30
# Calls of a process: what was derived is remembered, and takes memory.
TASKS: Final = 500
# What Python says of a wrong signature.
_SIGNATURE: Final = (
    "positional argument",
    "keyword argument",
    "no arguments",
    "multiple values",
    "takes exactly",
)
_WITHIN: Final = (LookupError, AttributeError, AssertionError, RecursionError, ArithmeticError)


# Mutations ------------------------------------------------------------------------------------


class Odd:
    """An object of the caller's."""

    def __repr__(self) -> str:
        return "<odd>"


def _cyclic() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


WRONG: Final[tuple[Any, ...]] = (
    # Numbers.
    None, True, False, 0, 1, -1, 3, 7, -5, 2**70, -(2**70), 10**30, 1.5, -0.5, 1e308, 1j,
    float("nan"), float("inf"), -float("inf"), Fraction(1, 3), Fraction(10) ** 400,
    np.int64(2), np.float32(0.5), np.complex128(1j), np.bool_(True),
    # Texts.
    "", "x", "y", "A", "n", "zz", "é", "\0", "a b", "n - 1", "1.5", "-1", "\n", "\ud800", "'", "{}",
    "%s", "x" * 5000, "lambda", b"x",
    # Containers.
    [], (), {}, set(), [None], [[1], [2, 3]], [1, "x"], ("n", "m"), ("n", None), (0,), (-1,),
    (2**70,), (1.5,), (None,), {"x": None}, {"x": "n"}, {1: 2}, {"n": -1}, {"n": 2**70},
    {"n": 10**9, "m": 10**9}, {"x": ("n", "n", "n")}, {"x": {"x": 1}}, {None: ()},
    # Arrays.
    np.array([]), np.array(1.0), np.array("x"), np.array([1j, 2]), np.array([np.nan, 1, 2]),
    np.array([np.inf, 0, 1]), np.ones((2, 3, 4)), np.zeros((0, 3)), np.ones(2), np.ones(7),
    np.array([None, "x"], dtype=object), np.array(["2020-01-01"], dtype="datetime64[D]"),
    np.arange(3), np.array([True, False, True]), np.ma.array([1, 2, 3]),
    np.zeros(3, dtype=[("a", float)]), scipy.sparse.eye(3),
    # Other objects.
    Odd(), Odd, object, int, len, np.sum, lambda: 0, lambda *a, **k: a, slice(None),
    slice(None, None, 2), slice("a"), ..., range(3), NotImplemented, iter([1]), np, eg,
    eg.Budget(), ValueError("x"), memoryview(b"x"),
    # Expressions.
    X, B, C, P, Q, X > 0, X == Y, X.shape[0], eg.parse("declare x 1 expression x"),
)  # fmt: skip
_OPTIONS: Final = ("axis", "sizes", "check", "budget", "zz", "f", "x", "mode", "dims")
_PIECES: Final = (
    *"()*'^_{}\\-,:[]=<. 1xAé\0\n",
    *("", "->", "9" * 30),
)


def wrong(rng: Random) -> Any:
    if rng.random() < 0.02:
        return _cyclic()
    return rng.choice(WRONG)


def mutated_text(text: str, rng: Random) -> str:
    """A text with one or a few characters changed."""
    for _ in range(rng.randint(1, 3)):
        k = rng.randint(0, len(text))
        piece = rng.choice(_PIECES)
        text = text[:k] + piece + text[min(len(text), k + rng.randint(0, 2)) :]
    return text


def mutated_value(value: Any, rng: Random) -> Any:
    """Something else in place of a value, or of a part of it."""
    if isinstance(value, str) and rng.random() < 0.5:
        return mutated_text(value, rng)
    if isinstance(value, dict) and value and rng.random() < 0.7:
        changed = dict(value)
        key = rng.choice(list(changed))
        match rng.randint(0, 3):
            case 0:
                changed[key] = mutated_value(changed[key], rng)
            case 1:
                del changed[key]
            case 2:
                changed[rng.choice(("zz", "n", "", 3, None, "x"))] = wrong(rng)
            case _:
                changed[rng.choice(("zz", "y", "é"))] = changed.pop(key)
        return changed
    if isinstance(value, list | tuple) and value and rng.random() < 0.6:
        parts = list(value)
        k = rng.randrange(len(parts))
        match rng.randint(0, 2):
            case 0:
                parts[k] = mutated_value(parts[k], rng)
            case 1:
                del parts[k]
            case _:
                parts.insert(k, wrong(rng))
        return type(value)(parts) if type(value) in (list, tuple) else parts
    if isinstance(value, np.ndarray) and value.ndim and rng.random() < 0.4:
        return _mutated_array(value, rng)
    return wrong(rng)


def _mutated_array(value: np.ndarray, rng: Random) -> Any:
    ways: list[Callable[[], Any]] = [
        lambda: value[:-1],
        lambda: value[..., None],
        lambda: np.full(value.shape, np.nan),
        lambda: value + 1j,
        lambda: value.astype(str),
        value.tolist,
        lambda: value.astype(object),
        lambda: value != 0,
    ]
    return rng.choice(ways)()


def mutated(call: Call, rng: Random) -> Call:
    """A call with one of its arguments changed, left out or added."""
    args, options = list(call.args), dict(call.options)
    places: list[Any] = [*range(len(args)), *options]
    how = rng.random()
    if places and how < 0.8:
        place = rng.choice(places)
        where: Any = options if isinstance(place, str) else args
        where[place] = mutated_value(where[place], rng)
    elif places and how < 0.87:
        place = rng.choice(places)
        del (options if isinstance(place, str) else args)[place]
    elif how < 0.93:
        args.append(wrong(rng))
    else:
        options[rng.choice(_OPTIONS)] = wrong(rng)
    return Call(call.name, call.function, args, options)


def random_call(seed: int, index: int) -> Call:
    """The call of a number: a right one, with one or two mutations."""
    rng = Random(f"{seed}/{index}")
    call = right_call(rng)
    for _ in range(rng.choice((1, 1, 1, 2))):
        call = mutated(call, rng)
    return call


# Judging ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What became of a call: the failure, if it is one, else the message, if there was one."""

    index: int
    call: str
    failure: str
    message: str
    seconds: float


class LateError(BaseException):
    """A call has taken too long."""


def _late(*_: object) -> None:
    raise LateError


def _frames(trace: TracebackType | None) -> list[str]:
    found = []
    while trace:
        found.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return found


def _package(file: str) -> bool:
    """Whether a file is one of ours, or the text of a compiled function."""
    own = any(f"/{part}/" in file for part in ("engine", "frontend", "rules"))
    return (own and "/tests/" not in file) or file == "<eggrad>"


def judged(error: BaseException, call: Call) -> str:
    """Why an error is a failure; nothing for one that users may get."""
    frames = _frames(error.__traceback__)
    if isinstance(error, LateError):
        return f"more than {SECONDS} seconds"
    if isinstance(error, eg.EggradError):
        cause = error.__cause__
        if isinstance(error, EngineFailure):
            return f"EngineFailure: {error}"
        if isinstance(cause, _WITHIN) and not isinstance(cause, eg.EggradError):
            files = _frames(cause.__traceback__)
            if files and _package(files[-1]):
                return f"{type(cause).__name__} turned into {type(error).__name__}: {error}"
        text = str(error)
        return f"a message of {len(text)} characters: {text[:300]}" if len(text) > 2000 else ""
    if frames[-1] in (__file__, right_calls.__file__) and len(frames) > 2:
        # A function of the caller's own.
        return ""
    if not any(map(_package, frames)):
        # NumPy refuses before it asks.
        return ""
    signature_is_wrong = any(words in str(error) for words in _SIGNATURE) or len(frames) == 2
    if isinstance(error, TypeError) and signature_is_wrong:
        return ""
    return f"{type(error).__name__}: {str(error)[:300]}"


def check(seed: int, index: int, *, show: bool = False) -> Outcome:
    """Make a call and say what became of it."""
    failure = message = ""
    began = time.perf_counter()
    call: Any = "?"
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        call = random_call(seed, index)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", SearchFailure)
            _made(call)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        failure = judged(error, call)
        message = f"{type(error).__name__}: {error}"
        if show:
            traceback.print_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return Outcome(index, str(call), failure, message, time.perf_counter() - began)


def _made(call: Call) -> None:
    found = call.function(*call.args, **call.options)
    # What comes is shown, and an expression is written.
    repr(found)
    if isinstance(found, eg.Expression) and found.node_count < 30:
        found.to("einsum")


# Many calls -------------------------------------------------------------------------------------


def _alone(job: tuple[int, int]) -> Outcome:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    return check(*job)


def outcomes(count: int, seed: int, first: int = 0) -> Iterator[Outcome]:
    """Many calls, in a process that is replaced every now and then."""
    jobs = [(seed, k) for k in range(first, first + count)]
    with get_context("spawn").Pool(1, maxtasksperchild=TASKS) as pool:
        yield from pool.imap(_alone, jobs)


def main(args: Sequence[str]) -> int:
    count, seed = int(args[0]), int(args[1])
    if len(args) > 2:
        found = check(seed, int(args[2]), show=True)
        print(found.call, found.failure or "fine", sep="\n")
        return bool(found.failure)
    kinds: Counter[str] = Counter()
    slowest: list[Outcome] = []
    failures = 0
    for found in outcomes(count, seed):
        kinds["failed" if found.failure else "refused" if found.message else "answered"] += 1
        slowest = sorted([*slowest, found], key=lambda o: -o.seconds)[:5]
        if found.failure:
            failures += 1
            print(f"{found.index}: {found.call}\n    {found.failure}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    print("slowest: " + "; ".join(f"{o.index} {o.seconds:.1f} s" for o in slowest))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
