"""`eggrad calibrate`: measure how fast NumPy's or JAX's kernels are here, and keep it."""

from pathlib import Path

import click

from eggrad.engine.backends.calibration import calibrate_jax
from eggrad.engine.costs.calibration import calibrate as measured
from eggrad.engine.costs.time_model import MEASURED, Rates, cache_path, write_rates
from eggrad.frontend.cli.commands import Mistake

_AMOUNTS = (1, 1_000, 1_000_000)
_PICOSECONDS = 10**6


@click.command(short_help="Measure how fast NumPy is on this machine.")
@click.option(
    "--backend", type=click.Choice(MEASURED), default="numpy", help="Measure this library."
)
@click.option("--out", metavar="FILE", help="Write FILE instead of the one that eggrad reads.")
@click.option("--dry-run", is_flag=True, help="Write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the file instead of a table.")
def calibrate(*, backend: str, out: str | None, dry_run: bool, as_json: bool) -> None:
    """Measure how fast NumPy's kernels are on this machine, in less than a minute.

    With --backend jax it is what XLA compiles, in one or two minutes, kept in rates_jax.json.

    The times decide which of several equal forms is compiled. They are those of this process: set
    OPENBLAS_NUM_THREADS (or what your BLAS reads) as you will when you compute. They are kept in
    the user's cache folder, eggrad/rates.json; remove it to go back to the default.
    """
    measure = measured if backend == "numpy" else calibrate_jax
    rates = measure(lambda name: click.echo(f"measuring {name}", err=True))
    click.echo(rates.to_json() if as_json else rates_table(rates), nl=not as_json)
    if dry_run:
        return
    path = Path(out) if out is not None else cache_path(backend)
    try:
        write_rates(rates, path)
    except OSError as error:
        raise Mistake(f"cannot write {path}: {error.strerror or error}") from error
    click.echo(f"written to {path}", err=True)


def rates_table(rates: Rates) -> str:
    """The microseconds of each kernel for one unit of work, a thousand and a million.

    >>> from eggrad.engine.costs.time_model import Curve, Rates
    >>> print(rates_table(Rates({"exp": Curve(((1, 250_000), (1000, 1_000_000)))}, "2.0")))
    kernel (µs)                     1       1,000   1,000,000
    exp                         0.250       1.000    1000.000
    """
    head = "".join(f"{amount:>12,}" for amount in _AMOUNTS)
    lines = [f"{'kernel (µs)':21}{head}"]
    for name in rates.curves:
        times = (rates.time(name, amount) / _PICOSECONDS for amount in _AMOUNTS)
        lines.append(f"{name:21}" + "".join(f"{time:12.3f}" for time in times))
    return "\n".join(lines)
