"""Newton's method over more rows than memory holds: Dask, worker processes, Zarr on disk.

`python -m tests.benchmarks.distributed --rows 20_000_000 --columns 50 --workers 2 --memory 3GB`
makes data in chunks on disk, fits a logistic regression, and says for each pass over the data how
long it took, and for each worker process how much memory it had at most. `--kill` fits once more
and kills a worker process in the middle of the second pass; `--scaling` fits with one worker too,
and says by a model of measured constants how long passes take with more. The chunks are dropped
from the system's cache before each pass, so that they are read from the disk, unless `--warm`.
"""

import argparse
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import psutil
import zarr
from distributed import Client, LocalCluster

import eggrad as eg

MB = 1e6
# Larger ones are slower with two workers here: the system zeroes the memory of each array anew.
CHUNK_BYTES = 10e6
MAXIMAL_PASSES = 15
TOLERANCE = 1e-8


# The data ---------------------------------------------------------------------------------------


def make_data(folder: Path, rows: int, columns: int, seed: int = 0) -> None:
    """Features and labels of -1 and 1 by a known model, chunk by chunk."""
    length = min(rows, max(1, int(CHUNK_BYTES / 8 / columns)))
    features = zarr.create_array(
        folder / "X", shape=(rows, columns), chunks=(length, columns), dtype="f8", compressors=None
    )
    labels = zarr.create_array(
        folder / "y", shape=(rows,), chunks=(length,), dtype="f8", compressors=None
    )
    true = np.random.default_rng(seed).normal(size=columns) / np.sqrt(columns)
    for k, start in enumerate(range(0, rows, length)):
        rng = np.random.default_rng([seed, k])
        x = rng.normal(size=(min(length, rows - start), columns))
        above = rng.random(len(x)) < 1 / (1 + np.exp(-x @ true))
        features[start : start + len(x)] = x
        labels[start : start + len(x)] = np.where(above, 1.0, -1.0)


def forget(folder: Path) -> None:
    """Drop files from the system's cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


# The fit ----------------------------------------------------------------------------------------


@dataclass
class Pass:
    """A pass over the data: its time, that of the workers' processors, and the gradient's norm.

    `relative` is the norm's ratio to the first one.
    """

    seconds: float
    processor: float
    gradient: float
    relative: float


@dataclass
class Fit:
    """The coefficients, the passes, and the peak memory of each process in bytes."""

    coefficients: Any
    passes: list[Pass] = field(default_factory=list)
    peaks: dict[int, float] = field(default_factory=dict)


def expressions() -> list[eg.Expression]:
    """The loss of logistic regression, its gradient and its Hessian."""
    X, y, w = eg.variable("X", ("n", "d")), eg.variable("y", ("n",)), eg.variable("w", ("d",))
    loss = eg.sum(eg.log(1 + eg.exp(-y * (X @ w))))
    return [loss, eg.gradient(loss, w), eg.hessian(loss, w)]


def newton(folder: Path, before_pass: Callable[[int], None], processor: Callable[[], float]) -> Fit:
    """Newton's method to a relative norm of the gradient; a step that does not help is halved."""
    X, y = da.from_zarr(folder / "X"), da.from_zarr(folder / "y")
    function = eg.compile(expressions(), backend="dask")
    w = np.zeros(X.shape[1])
    fit = Fit(w)
    first = best = np.inf
    step = w
    for number in range(1, MAXIMAL_PASSES + 1):
        before_pass(number)
        start, used = time.perf_counter(), processor()
        value, gradient, hessian = dask.compute(*function(X=X, w=w, y=y))
        seconds, used = time.perf_counter() - start, processor() - used
        norm = float(np.linalg.norm(gradient))
        first = norm if number == 1 else first
        fit.passes.append(Pass(seconds, used, norm, norm / first))
        print(
            f"  pass {number}: {seconds:6.1f} s ({used:.1f} s of processors), "
            f"|gradient| {norm:.3e} ({norm / first:.1e})",
            flush=True,
        )
        if norm <= TOLERANCE * first:
            break
        if value > best + 1e-9 * abs(best):
            step = step / 2
        else:
            best, step = value, np.linalg.solve(hessian, gradient)
            fit.coefficients = w
        w = fit.coefficients - step
    fit.coefficients = w
    return fit


def _peak(pid: int) -> float:
    """The most memory that a process had, in bytes; 0 where it is gone."""
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return 0.0
    found = [line.split()[1] for line in text.splitlines() if line.startswith("VmHWM")]
    return 1024.0 * int(found[0]) if found else 0.0


def _processor_time(pid: int) -> float:
    """The seconds that a process has computed; 0 where it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


@contextmanager
def workers(count: int, memory: str) -> Iterator[tuple[Client, dict[int, float]]]:
    """Worker processes of one thread, and the peak of each one's memory, sampled."""
    for name in ("OPENBLAS", "OMP", "MKL"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    peaks: dict[int, float] = {}
    done = threading.Event()
    with (
        LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):

        def sample() -> None:
            while not done.wait(0.1):
                for nanny in list(cluster.workers.values()):
                    pid = nanny.pid
                    if pid:
                        peaks[pid] = max(peaks.get(pid, 0.0), _peak(pid))

        thread = threading.Thread(target=sample, daemon=True)
        thread.start()
        try:
            yield client, peaks
        finally:
            done.set()
            thread.join()


def measured(
    folder: Path, count: int, memory: str, before_pass: Callable[[], None], *, kill: bool = False
) -> Fit:
    """A fit by so many workers; one of them may be killed in the second pass."""
    with workers(count, memory) as (client, peaks):
        started = time.perf_counter()
        took = [0.0]

        def before(number: int) -> None:
            took.append(time.perf_counter() - started)
            before_pass()
            if kill and number == 2:
                pid = next(iter(client.run(os.getpid).values()))
                own = threading.Timer((took[2] - took[1]) / 2, os.kill, (pid, signal.SIGKILL))
                own.start()
                print(f"  (process {pid} is killed in {own.interval:.1f} s)")

        def processor() -> float:
            return sum(map(_processor_time, peaks))

        fit = newton(folder, before, processor)
    fit.peaks = peaks
    shown = ", ".join(f"{pid}: {peak / MB:.0f} MB" for pid, peak in peaks.items())
    print(f"  {len(fit.passes)} passes; peak memory of process {shown}", flush=True)
    return fit


# The model of time ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """Constants of a pass, in seconds.

    A worker takes `read` and `compute` for a chunk; the storage gives one chunk in `storage`,
    however many read at once; the scheduler takes `task` for each of `tasks` tasks a chunk.
    """

    chunks: int
    read: float
    compute: float
    storage: float
    task: float
    tasks: float

    def seconds(self, workers: int, *, shared: bool) -> float:
        """The time of a pass by so many workers, which share the storage or have one each."""
        each = (self.read + self.compute) / workers
        scheduled = self.tasks * self.task
        return self.chunks * (max(each, self.storage if shared else 0.0) + scheduled)


def _sample(folder: str, places: Sequence[int]) -> tuple[float, float]:
    """Seconds to read and to compute a chunk, on a worker: the means over some chunks."""
    X, y = zarr.open_array(f"{folder}/X"), zarr.open_array(f"{folder}/y")
    function = eg.compile(expressions())
    w = np.zeros(X.shape[1])
    times: list[tuple[float, float]] = []
    for k in places:
        rows = slice(k * X.chunks[0], (k + 1) * X.chunks[0])
        start = time.perf_counter()
        x, labels = np.asarray(X[rows]), np.asarray(y[rows])
        middle = time.perf_counter()
        function(X=x, w=w, y=labels)
        times.append((middle - start, time.perf_counter() - middle))
    read, compute = np.mean(np.array(times[1:] or times), axis=0)
    return float(read), float(compute)


def constants(folder: Path, count: int, memory: str, before: Callable[[], None]) -> Model:
    """The constants of this machine, measured by one worker and by some of them."""
    X, y = da.from_zarr(folder / "X"), da.from_zarr(folder / "y")
    chunks = X.numblocks[0]
    function = eg.compile(expressions(), backend="dask")
    graph = dask.optimize(*function(X=X, w=np.zeros(X.shape[1]), y=y))[0].__dask_graph__()
    some = min(chunks // count, 60)
    with workers(count, memory) as (client, _):
        task = 0.0
        for length in (100, 2000):
            nothing = da.zeros(length, chunks=1) + 1
            start = time.perf_counter()
            dask.compute(nothing)
            task = (time.perf_counter() - start) / len(dict(nothing.__dask_graph__()))
        names = list(client.run(os.getpid))
        before()
        parts = [range(k * some, (k + 1) * some) for k in range(count)]
        every = [
            client.submit(_sample, str(folder), part, workers=[name])
            for part, name in zip(parts, names, strict=True)
        ]
        storage = float(np.mean([f.result()[0] for f in every])) / count
        before()
        read, compute = client.submit(_sample, str(folder), parts[0], workers=names[:1]).result()
    return Model(chunks, read, compute, storage, task, len(dict(graph)) / chunks)


def report_scaling(
    folder: Path, fits: dict[int, Fit], memory: str, before: Callable[[], None]
) -> None:
    """Measured and expected times of a pass."""
    own = constants(folder, max(fits), memory, before)
    megabytes = zarr.open_array(folder / "X").nbytes / own.chunks / MB
    print(
        f"model: {own.chunks} chunks of {megabytes:.0f} MB; one worker reads "
        f"{megabytes / own.read:.0f} MB/s, all together {megabytes / own.storage:.0f} MB/s; "
        f"a chunk is computed in {1e3 * own.compute:.1f} ms; a task costs {1e3 * own.task:.2f} ms, "
        f"{own.tasks:.2f} tasks a chunk"
    )
    for count, fit in sorted(fits.items()):
        seconds, used = np.median([(p.seconds, p.processor) for p in fit.passes[1:]], axis=0)
        print(
            f"  {count} workers: {seconds:.1f} s a pass, {used:.1f} s of processors, "
            f"by the model {own.seconds(count, shared=True):.1f} s"
        )
    for count in (4, 16, 64):
        apart, alike = own.seconds(count, shared=False), own.seconds(count, shared=True)
        print(
            f"  {count} workers: {apart:.1f} s a pass expected where each has a core and storage "
            f"of its own, {alike:.1f} s where all share this storage"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="3GB", help="the limit of each worker")
    parser.add_argument("--kill", action="store_true", help="kill a worker in the second pass")
    parser.add_argument("--scaling", action="store_true", help="measure one worker too")
    parser.add_argument("--keep", type=Path, help="the folder for the data, which stay there")
    parser.add_argument("--warm", action="store_true", help="leave files in the system's cache")
    own = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = own.keep or Path(temporary)
        before = (lambda: None) if own.warm else partial(forget, folder)
        if not (folder / "y").exists():
            start = time.perf_counter()
            make_data(folder, own.rows, own.columns)
            size = own.rows * (own.columns + 1) * 8 / 1e9
            print(f"made {size:.2f} GB in {time.perf_counter() - start:.0f} s", flush=True)
        print(f"{own.workers} workers of {own.memory}:")
        fit = measured(folder, own.workers, own.memory, before)
        if own.kill:
            print(f"{own.workers} workers, one of them killed:")
            other = measured(folder, own.workers, own.memory, before, kill=True)
            apart = float(np.max(np.abs(other.coefficients - fit.coefficients)))
            print(f"  largest difference of a coefficient: {apart:.1e}")
            assert apart < 1e-10
        if own.scaling:
            print("1 worker:")
            fits = {own.workers: fit, 1: measured(folder, 1, own.memory, before)}
            report_scaling(folder, fits, own.memory, before)


if __name__ == "__main__":
    main()
