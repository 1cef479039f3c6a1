"""Answers that are no answer: what is wrong with a request, in words a person can act on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

_READ_PAST_BYTES = 16_000_000
_READ_PAST_SECONDS = 5.0


class RefusalError(Exception):
    """A request that gets no answer, with the status of HTTP and the words that say why."""

    def __init__(self, status: int, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status = status
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """Return what the asker gets."""
        return JSONResponse({"error": str(self)}, self.status, headers=self.headers)


async def refused(request: Request, error: Exception) -> Response:
    """Answer a refusal, for Starlette."""
    assert isinstance(error, RefusalError)
    response = error.response()
    if request.method == "POST":
        await _read_past(request)
        response.headers["connection"] = "close"
    return response


async def _read_past(request: Request) -> None:
    """Let a program send the rest of what it began, since most read no answer before; but not without end."""
    left = _READ_PAST_BYTES
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(_READ_PAST_SECONDS):
            async for part in request.stream():
                left -= len(part)
                if left < 0:
                    return


_WORDS = {
    404: "There is nothing at this address. openapi.json lists the addresses.",
    405: "This address is not asked in this way. openapi.json says how.",
}


def not_served(_: Request, error: Exception) -> Response:
    """Answer what the router has no address for, in the same form."""
    assert isinstance(error, HTTPException)
    words = _WORDS.get(error.status_code, error.detail)
    return JSONResponse({"error": words}, error.status_code, headers=error.headers)
