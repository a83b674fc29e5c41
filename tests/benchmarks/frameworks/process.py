"""A measuring process: its threads and environment, what it says, and the limits it must keep."""

import json
import os
import re
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.places import ROOT

__all__ = ["Limits", "environment", "messages", "peak_megabytes"]

GIBI = 1 << 30
POLL_SECONDS = 0.25


@dataclass(frozen=True)
class Limits:
    """The most bytes a process may hold, and the longest time that it may say nothing."""

    memory: int = 8 * GIBI
    silence: float = 120.0

    def broken_by(self, pid: int, silent: float) -> str:
        """The limit that a process which has said nothing for so long breaks, or nothing."""
        if silent > self.silence:
            return f"no result in {self.silence:.0f} s"
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except OSError:
            return ""
        taken = pages * os.sysconf("SC_PAGE_SIZE")
        return f"more than {self.memory / GIBI:.0f} GiB" if taken > self.memory else ""


def peak_megabytes() -> float:
    """The most memory this process has held; the kernel's other counter includes its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = re.search(r"VmHWM:\s*(\d+)", status.read_text("utf-8"))
        if kilobytes:
            return int(kilobytes[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def environment(threads: int) -> dict[str, str]:
    """The variables of a measuring process: so many threads, no accelerator, no cache."""
    own = {k: v for k, v in os.environ.items() if k != "GLIBC_TUNABLES"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        own[name] = str(threads)
    own["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=" + ("true" if threads > 1 else "false")
    own["JAX_PLATFORMS"] = "cpu"
    own["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    own["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    return own


@contextmanager
def processors(count: int) -> Iterator[None]:
    """Let a process that is started here run on so many processors alone, where that is known."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def started(
    arguments: Sequence[str], threads: int, log: Path
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that ends, by force if need be, with the block."""
    with processors(threads), log.open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.frameworks.measure", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=environment(threads),
            start_new_session=True,
        )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def messages(
    framework: str, threads: int, tasks: Sequence[Any], folder: Path, limits: Limits
) -> Iterator[dict[str, Any]]:
    """What a measuring process says; the last is "all", or "killed" with the reason."""
    with started([framework, str(folder)], threads, folder / "stderr.log") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(list(tasks)).encode())
        process.stdin.close()
        heard, unread, reason = time.monotonic(), b"", ""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not reason:
                if selector.select(POLL_SECONDS):
                    read = os.read(process.stdout.fileno(), 1 << 16)
                    if not read:
                        reason = f"ended with status {process.wait()}"
                        break
                    heard = time.monotonic()
                    *lines, unread = (unread + read).split(b"\n")
                    for message in map(json.loads, lines):
                        yield message
                        if message["event"] == "all":
                            return
                reason = limits.broken_by(process.pid, time.monotonic() - heard)
    yield {"event": "killed", "reason": reason}
