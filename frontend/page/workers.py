"""Processes that answer questions, with limits on time and memory; answers are remembered."""

import os
import signal
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Final

from eggrad.engine.errors import EggradError
from eggrad.frontend.page.question import Answer, Question, mistake

SECONDS: Final = 10.0
MEGABYTES: Final = 1024
# A process that derives for hours slows down, see docs/roadmap.md.
ANSWERS: Final = 200
REMEMBERED: Final = 32_000_000
# Of each notation one formula, with laws that many others need.
WARMING: Final = (
    "norm2(A*x - y)^2 + sum(log(1 + exp(x)))",
    r"\log\det S + x^\top S^{-1} x",
    "f_i = A_ij exp(x_j)",
    "f[i<N] = sum{k<K} (x[i + k] * w[k])",
)
_STARTING: Final = 60.0
_PATIENCE: Final = 2.0
# What is loaded with the first answers, in megabytes.
_LOADING: Final = 512
WAITING: Final = 10.0
# Questions that may wait; more are refused at once.
_MOST_WAITING: Final = 30


class Remembered:
    """The answers that were asked for last."""

    def __init__(self, most: int = REMEMBERED) -> None:
        """Keep so many characters of them and their questions."""
        self._most = most
        self._size = 0
        self._answers: OrderedDict[Question, tuple[Answer, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, question: Question) -> Answer | None:
        """The answer, which counts as asked for again."""
        with self._lock:
            if question not in self._answers:
                return None
            self._answers.move_to_end(question)
            return self._answers[question][0]

    def keep(self, question: Question, found: Answer) -> None:
        """Remember an answer, and forget the oldest where they are too long together."""
        size = len(str(question)) + len(str(found))
        with self._lock:
            _, before = self._answers.pop(question, (None, 0))
            self._answers[question] = found, size
            self._size += size - before
            while self._size > self._most:
                _, (_, gone) = self._answers.popitem(last=False)
                self._size -= gone


class Ended(EggradError):
    """A process that had to be ended, or ended by itself, before it answered."""


class Worker:
    """A process that answers one question after the other."""

    def __init__(self, megabytes: int, patience: float = 0.0) -> None:
        """Start it; it loads what answers need, and gives some for itself until it is asked.

        For so many seconds of `patience` it waits for a question before it loads anything.
        """
        # A fresh interpreter: a fork would share locks with the server's threads.
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, megabytes, patience), daemon=True, name="eggrad-page"
        )
        self._process.start()
        theirs.close()
        self._ready = False
        self.answered = 0

    def ask(self, question: Question, seconds: float) -> Answer:
        """Its answer; raises `Ended` where there is none in time."""
        try:
            self._connection.send(question)
            if not self._ready:
                if not self._connection.poll(_STARTING):
                    raise Ended("the process that answers did not start; please try again")
                self._connection.recv()
                self._ready = True
            if not self._connection.poll(seconds):
                raise Ended(
                    f"this takes longer than the {seconds:g} seconds that this page allows; try a "
                    "smaller formula, or eggrad on your own machine"
                )
            found = self._connection.recv()
        except (EOFError, OSError) as error:
            raise Ended(self._end()) from error
        self.answered += 1
        return found

    @property
    def is_ready(self) -> bool:
        """Whether it has loaded what answers need."""
        return self._ready or self._connection.poll()

    def _end(self) -> str:
        """Why the process is gone: an error in Python is told from what the system ended."""
        self._process.join(1)
        if self._process.exitcode == 1:
            return "eggrad failed here, which it should not; the server's log says more"
        return (
            "this takes more memory than this page allows; try a smaller formula, or eggrad on "
            "your own machine"
        )

    def stop(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()


def busy() -> Answer:
    """What is said where no worker is free for long."""
    message = "other questions are being answered; please try again in a few seconds"
    return {"error": mistake(EggradError(message))}


def _work(connection: Connection, megabytes: int, patience: float) -> None:
    """What a worker runs until the server is gone."""
    # The server ends its workers when somebody presses Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection.poll(patience)
    # Here alone: the server listens while this is loaded.
    from eggrad.frontend.calculus import progress
    from eggrad.frontend.page.answers import answer

    # Several would write into one line of the terminal.
    os.environ[progress.VARIABLE] = "0"
    _limit_memory(_LOADING + megabytes)
    warming = [Question(part, text) for text in WARMING for part in ("derivative", "code")]
    try:
        connection.send(None)
        while True:
            # Nobody waits until all is warm.
            while warming and not connection.poll():
                answer(warming.pop(0))
                if not warming:
                    _limit_memory(megabytes)
            connection.send(_answered(answer, connection.recv()))
    except (EOFError, OSError):
        return


def _answered(answer: Callable[[Question], Answer], question: Question) -> Answer:
    try:
        return answer(question)
    except RecursionError:
        return {"error": mistake(EggradError("the formula is nested too deeply for this page"))}
    except MemoryError:
        message = "this takes more memory than this page allows; try a smaller formula"
        return {"error": mistake(EggradError(message))}


def _limit_memory(megabytes: int) -> None:
    """Let the process take so much more than it has; only Linux keeps such limits."""
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


class Pool:
    """Several workers, those that ended replaced, and the answers that they gave."""

    def __init__(
        self,
        workers: int | None = None,
        *,
        seconds: float = SECONDS,
        megabytes: int = MEGABYTES,
        answers: int = ANSWERS,
        waiting: float = WAITING,
    ) -> None:
        """Start the workers, one for each core and two at least.

        An answer may take so many seconds and megabytes, after as many seconds of `waiting` for a
        worker; after so many answers a worker is replaced.
        """
        # Cores are shared by workers, not by the threads of one.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self.remembered = Remembered()
        self._seconds = seconds
        self._megabytes = megabytes
        self._answers = answers
        self._waiting = waiting
        count = workers or max(2, os.cpu_count() or 1)
        # Each thread waits for one worker: questions are answered in the order in which they came.
        self._threads = ThreadPoolExecutor(count)
        # The first has the machine for itself, so that the first answer comes soon.
        self._choosing = Lock()
        self._idle = deque(Worker(megabytes, _PATIENCE if k else 0.0) for k in range(count))
        self.most = count + _MOST_WAITING
        """Questions that are answered or wait at one time; for more there is `busy`."""

    def answer(self, question: Question) -> Answer:
        """An answer by one of the workers, or a message why there is none."""
        known = self.remembered.get(question)
        if known is not None:
            return known
        coming = self._threads.submit(self._ask, question)
        if not wait([coming], self._waiting).done and coming.cancel():
            return busy()
        return coming.result()

    def _ask(self, question: Question) -> Answer:
        """What the worker that has been idle for longest answers, one that has loaded if any."""
        with self._choosing:
            worker = min(self._idle, key=lambda w: not w.is_ready)
            self._idle.remove(worker)
        try:
            found = worker.ask(question, self._seconds)
            self.remembered.keep(question, found)
        except Ended as error:
            worker.answered = self._answers
            found = {"error": mistake(error)}
        finally:
            if worker.answered >= self._answers:
                worker.stop()
                worker = Worker(self._megabytes)
            self._idle.append(worker)
        return found

    def close(self) -> None:
        """End all workers, those at work when they have answered."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._idle:
            worker.stop()
