"""Two addresses for monitoring: does the process answer, and can work be done?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from taxocom.jobs.readiness import failing_parts

_KEPT_SECONDS = 30.0
_PATIENCE = 10.0
_NEVER_KEPT = {"cache-control": "no-store"}


async def alive(_: Request) -> Response:
    """Answer, which is all that is asked."""
    return PlainTextResponse("ok", headers=_NEVER_KEPT)


class Readiness:
    """Say which parts that work needs are failing, without letting the askers keep the server busy.

    One attempt runs at a time and its answer is kept for a while, since a worker is started for it. One that hangs, on
    a disk that does not answer, holds one thread and not one for each who asks.
    """

    def __init__(self, check: Callable[[], tuple[str, ...]] = failing_parts) -> None:
        self._check = check
        self._asked: asyncio.Task[tuple[str, ...]] | None = None
        self._at = 0.0

    async def ready(self, _: Request) -> Response:
        """Answer 200 if work can be done, else 503 with the parts that fail."""
        if self._asked is None or (self._asked.done() and time.monotonic() - self._at > _KEPT_SECONDS):
            self._asked = asyncio.create_task(asyncio.to_thread(self._check))
            self._at = time.monotonic()
        await asyncio.wait({self._asked}, timeout=_PATIENCE)
        failing = self._asked.result() if self._asked.done() else ("an answer in time",)
        body = {"ready": not failing, "failing": list(failing)}
        return JSONResponse(body, 503 if failing else 200, headers=_NEVER_KEPT)


def routes() -> list[Route]:
    """Return the addresses, to be served beside the pages."""
    return [Route("/healthz", alive), Route("/readyz", Readiness().ready)]
