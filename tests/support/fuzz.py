"""Random derivatives against central differences, partial functions, and mutated texts.

    python -m tests.support.fuzz N SEED [INDEX]

N random expressions, one of them alone where INDEX is given, then N triples of expressions with
partial functions over all reals, and ten times as many mutated texts. Each case is made from the
seed and its number, so a report can be repeated.
"""

import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import TimeoutError as MultiprocessingTimeout
from multiprocessing import get_context
from random import Random
from typing import Any

import numpy as np

from eggrad.engine.errors import EggradError
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.text.parser import parse
from tests.frontend.text.test_parser import mutated
from tests.support.partial_triples import check_triple, random_triple, shown
from tests.support.programs import raised_after
from tests.support.random_expressions import random_expression
from tests.support.trusted_points import Point, differs, random_point, trusted_derivative
from tests.support.values import evaluated

WORKERS = 2
SLOW = 3.0
# Seconds that a case may take; an iteration of egglog cannot be interrupted, so the parent
# watches the clock as well.
EXPRESSION_SECONDS = 60
TEXT_SECONDS = 10
HANG = 300
TEXTS_EACH = 10
# After some 30,000 derivations a process has 2 GB, and freeing memory takes most of its time.
TASKS = 200
POINTS = 2
DRAWS = 8


@dataclass(frozen=True)
class Outcome:
    """What became of one case: its number, the report of a failure if any, and the time."""

    index: int
    failure: str
    text: str
    seconds: float


@dataclass(frozen=True)
class Case:
    """An expression, what to differentiate by and how, and points with numeric derivatives."""

    term: Term
    x: Term
    mode: str
    points: list[tuple[Point, np.ndarray[Any, Any]]]
    order: int

    def __str__(self) -> str:
        """Write it as a text that `eggrad diff` reads."""
        wrt = f" wrt {self.x.name}" * self.order
        return f"{expression(self.term, [self.x])} derivative{wrt}"


def random_case(random: Random) -> Case:
    """An expression with at least one point that can be judged."""
    while True:
        term, x = random_expression(random, kinked=random.random() < 0.5)
        points = list(judged_points(random, term, x))
        if points:
            mode = random.choice(("auto", "forward", "reverse"))
            small = term.order + 2 * x.order <= 5
            return Case(term, x, mode, points, 2 if small and random.random() < 0.3 else 1)


def judged_points(
    random: Random, term: Term, x: Term
) -> Iterator[tuple[Point, np.ndarray[Any, Any]]]:
    """Up to two points, with the numeric derivatives there."""
    found = 0
    for _ in range(DRAWS):
        point = random_point(random, term, x)
        expected = trusted_derivative(term, x, point)
        if expected is not None:
            yield point, expected
            found += 1
        if found == POINTS:
            return


def check_expression(seed: int, index: int) -> Outcome:
    """Differentiate one random expression and compare."""
    case = random_case(Random(f"{seed}/{index}"))
    shown = f"{case}  (mode {case.mode})"
    return attempted(index, shown, EXPRESSION_SECONDS, lambda: compare(case))


def attempted(index: int, shown: str, seconds: float, check: Callable[[], str]) -> Outcome:
    """The outcome of a check: what it found, or the traceback of what it raised."""
    began = time.perf_counter()
    try:
        with raised_after(seconds, TimeoutError(f"more than {seconds} s")):
            failure = check()
    except BaseException as error:  # egglog's panics are no Exceptions
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        failure = traceback.format_exc(limit=-3)
    return Outcome(index, failure, shown, time.perf_counter() - began)


def compare(case: Case) -> str:
    """What is wrong with the derivatives of a case, if anything is."""
    first = calculus.differentiate(case.term, [case.x], case.mode).term
    for point, expected in case.points:
        if failure := compared(case.term, first, case.x, point, expected):
            return failure
    if case.order == 2:
        second = calculus.differentiate(first, [case.x], case.mode).term
        for point, _ in case.points:
            expected = trusted_derivative(first, case.x, point)
            if expected is None:
                continue
            if failure := compared(first, second, case.x, point, expected):
                return failure
    return ""


def compared(
    before: Term, after: Term, x: Term, point: Point, expected: np.ndarray[Any, Any]
) -> str:
    """Both evaluators' values of a derivative against the numeric one."""
    compiled = evaluated(expression(after, [before, x]), {**point.sizes, **point.values})
    by_oracle = oracle.value(after, point.values, point.sizes)
    for name, ours in (("compiled", compiled), ("by the oracle", by_oracle)):
        if differs(np.asarray(ours), expected):
            values = {name: array.tolist() for name, array in point.values.items()}
            return (
                f"of         {expression(before, [x])}\n"
                f"derivative {expression(after, [before, x])}\n"
                f"values     {values}\nsizes      {point.sizes}\n"
                f"ours, {name}\n{ours}\nexpected\n{expected}\n"
            )
    return ""


def check_text(seed: int, index: int) -> Outcome:
    """Read one mutated text: it parses, or raises an error of this package."""
    text = mutated(Random(f"{seed}/text/{index}"))

    def read() -> str:
        with contextlib.suppress(EggradError):
            parse(text)
        return ""

    return attempted(index, repr(text), TEXT_SECONDS, read)


def check_partial_functions(seed: int, index: int) -> Outcome:
    """Simplify, compile and differentiate three expressions, each judged where it is defined."""
    name = f"{seed}/partial/{index}"
    text = shown(random_triple(Random(name)))
    return attempted(index, text, EXPRESSION_SECONDS, lambda: check_triple(Random(name)))


CHECKS = {
    "expression": check_expression,
    "triple": check_partial_functions,
    "text": check_text,
}


def _check(job: tuple[str, int, Sequence[int]]) -> list[Outcome]:
    kind, seed, indices = job
    return [CHECKS[kind](seed, i) for i in indices]


def run(kind: str, seed: int, indices: Sequence[int], show: Callable[[str], None]) -> list[Outcome]:
    """All cases of one kind, by several processes; the failed and the slow ones are shown."""
    batch = 100 if kind == "text" else 1
    jobs = [(kind, seed, indices[i : i + batch]) for i in range(0, len(indices), batch)]
    done: list[Outcome] = []
    began = time.perf_counter()
    # A forked process would share the locks of libraries that have threads already.
    with get_context("spawn").Pool(WORKERS, maxtasksperchild=TASKS) as pool:
        results = pool.imap_unordered(_check, jobs)
        for _ in jobs:
            try:
                found = results.next(HANG)
            except MultiprocessingTimeout:
                still = sorted(set(indices) - {o.index for o in done})[:WORKERS]
                found = [Outcome(i, f"no answer in {HANG} s", "still open", HANG) for i in still]
            done += found
            for outcome in found:
                if outcome.failure or outcome.seconds > SLOW:
                    what = "FAILED" if outcome.failure else f"slow, {outcome.seconds:.1f} s"
                    show(f"{what}: {kind} {outcome.index} of seed {seed}: {outcome.text}")
                    show(outcome.failure)
            if found[0].seconds == HANG:
                break
            if sys.stdout.isatty():
                pace = len(done) / (time.perf_counter() - began)
                print(f"\r{len(done)} of {len(indices)} {kind}s, {pace:.0f}/s ", end="", flush=True)
    if sys.stdout.isatty():
        print("\r", end="")
    return sorted(done, key=lambda o: o.index)


def summary(kind: str, outcomes: list[Outcome]) -> str:
    """The closing line of one kind."""
    failed = [o.index for o in outcomes if o.failure]
    times = sorted(o.seconds for o in outcomes)
    middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
    timing = f"median {1000 * middle:.1f} ms, p95 {1000 * late:.1f} ms, worst {times[-1]:.1f} s"
    which = f": {failed}" if failed else ""
    return f"{kind}s ({timing}): {len(times) - len(failed)} passed, {len(failed)} failed{which}"


def main(arguments: list[str]) -> int:
    """Run everything; 1 where anything failed."""
    number, seed, *alone = map(int, arguments)
    print(f"seed {seed}", flush=True)

    def show(text: str) -> None:
        if text:
            print(text, flush=True)

    indices = alone or range(number)
    outcomes = run("expression", seed, indices, show)
    lines = [summary("expression", outcomes)]
    if not alone:
        triples = run("triple", seed, range(number), show)
        lines.append(summary("triple", triples))
        outcomes += triples
        texts = run("text", seed, range(TEXTS_EACH * number), show)
        lines.append(summary("text", texts))
        outcomes += texts
    failed = sum(1 for o in outcomes if o.failure)
    print(*lines, f"{len(outcomes) - failed} passed, {failed} failed", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
