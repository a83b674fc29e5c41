"""The page's server in a thread, on a free port, and what it answers."""

import gc
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from time import sleep
from typing import Any

import uvicorn

from eggrad.frontend.page.server import application
from eggrad.frontend.page.workers import Pool


@dataclass(frozen=True)
class Reply:
    """What a server says to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A server that runs, by its address."""

    url: str
    pool: Pool

    def request(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        asked = urllib.request.Request(self.url + path, body, dict(headers or {}))
        try:
            with urllib.request.urlopen(asked, timeout=120) as found:
                return Reply(found.status, dict(found.headers), found.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, dict(error.headers), error.read())

    def ask(self, **question: Any) -> Any:
        """The answer to a question of the page."""
        sent = json.dumps(question).encode()
        return self.request("/answer", sent, {"content-type": "application/json"}).json


@contextmanager
def serving(pool: Pool) -> Iterator[Served]:
    """A server with these workers, which it ends."""
    # An e-graph may be freed by the thread alone that made it, not by one of the server's.
    gc.collect()
    config = uvicorn.Config(
        application(pool, ["127.0.0.1"]), port=0, log_level="warning", lifespan="on"
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    while not server.started:
        sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Served(f"http://127.0.0.1:{port}", pool)
    finally:
        server.should_exit = True
        thread.join()
