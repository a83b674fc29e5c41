"""`eggrad serve`: the page on which one types a formula and reads its derivative."""

import socket

import click

from eggrad.engine.errors import not_installed
from eggrad.frontend.cli.commands import Mistake

_LOOPBACK = ("127.0.0.1", "localhost")


@click.command(short_help="Open a page to type formulas into.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Listen at this address; at 0.0.0.0 everybody who reaches this machine may ask.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes that answer; one for each core and two at least where nothing is said.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="The most that an answer may take.",
)
def serve(*, port: int, host: str, workers: int | None, seconds: float) -> None:
    """Start the page on this machine, until Ctrl-C is pressed.

    One types a formula in any notation and reads its derivative, code for it, its cost, the laws
    that were used, and whether a formula of one's own is the same. Nothing is sent elsewhere.
    """
    try:
        import uvicorn

        from eggrad.frontend.page.server import application
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("uvicorn", "starlette"):
            raise
        raise Mistake(not_installed("the page needs", "starlette", "uvicorn")) from error
    from eggrad.frontend.page.workers import Pool

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Mistake(f"cannot listen at {host}, port {port}: {reason}; see --port") from error
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"eggrad's page is at http://{shown}:{port} (Ctrl-C ends it)", err=True)
    hosts = [*_LOOPBACK] if host in _LOOPBACK else ["*"]
    app = application(Pool(workers, seconds=seconds), hosts)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    server.run(sockets=[listening])
