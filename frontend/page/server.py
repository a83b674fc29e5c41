"""The server of the page: files, and answers as JSON; nothing is loaded from elsewhere."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eggrad.engine.errors import EggradError
from eggrad.frontend.page.question import Question, mistake
from eggrad.frontend.page.workers import Pool, busy

STATIC: Final = Path(__file__).with_name("static")
LARGEST: Final = 32_768
"""Bytes of a question."""
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def application(pool: Pool, hosts: list[str]) -> Starlette:
    """The page for readers who call it by one of some host names; `*` allows all.

    Other names are refused, so that no site can read from a page on the user's machine. The
    application closes the pool when it ends.
    """
    # Separate threads: files are sent, and answers that are known, while others wait.
    threads = CapacityLimiter(pool.most)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await to_thread.run_sync(pool.close)

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def answer(request: Request) -> Response:
        # Only JSON: what other sites' forms can send is something else.
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _refused("a question is JSON", 415)
        try:
            question = Question.of(json.loads(await _body(request)))
        except EggradError as error:
            return JSONResponse({"error": mistake(error)})
        except (ValueError, RecursionError):
            return _refused("a question is JSON", 400)
        except ClientDisconnect:
            return Response(status_code=400)
        found = pool.remembered.get(question)
        if found is None and threads.available_tokens:
            found = await to_thread.run_sync(pool.answer, question, limiter=threads)
        return JSONResponse(found or busy())

    return Starlette(
        routes=[
            Route("/", index),
            Route("/answer", answer, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[
            Middleware(_Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        ],
        lifespan=lifespan,
    )


async def _body(request: Request) -> bytes:
    found = b""
    async for chunk in request.stream():
        found += chunk
        if len(found) > LARGEST:
            raise EggradError(f"a question has at most {LARGEST:,} bytes")
    return found


def _refused(message: str, status: int) -> Response:
    return JSONResponse({"error": mistake(EggradError(message))}, status)


class _Headers:
    """Adds to every response what browsers are told: nothing but this server's files runs."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does, with more headers."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [(k.encode(), v.encode()) for k, v in _HEADERS.items()]
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        await self._app(scope, receive, sending)
