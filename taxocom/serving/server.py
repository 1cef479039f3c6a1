"""The HTTP interface as a server of its own, for machines that run no app."""

from __future__ import annotations

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from taxocom.errors import SettingsError
from taxocom.serving.api import PREFIX, api
from taxocom.serving.callers import by_token
from taxocom.serving.guard import OPEN, YES, Guard, is_loopback, is_open
from taxocom.serving.limits import Limits

_CONNECTIONS = 64
"""More at once are answered with 503, so that open connections do not pile up."""


def application(token: str, limits: Limits) -> Starlette:
    """Return the interface behind the guard, with a way from the root to its page."""

    async def to_page(_: Request) -> Response:
        return RedirectResponse(f"{PREFIX}/")

    return Starlette(
        routes=[Route("/", to_page), Mount(PREFIX, app=api(by_token(token), limits))],
        middleware=[Middleware(Guard)],
    )


def serve(address: str, port: int, token: str, limits: Limits) -> None:
    """Answer until the process is told to end."""
    if not is_loopback(address) and not is_open():
        raise SettingsError(
            f"On {address} other machines could ask, and what they send is not encrypted. Leave it at 127.0.0.1 and "
            "put a proxy before it (deploy/README.md). Or, if only people you trust can reach that address, set "
            f"{OPEN}={YES}."
        )
    uvicorn.run(
        application(token, limits),
        host=address,
        port=port,
        log_level="warning",
        access_log=False,
        limit_concurrency=_CONNECTIONS,
        server_header=False,
    )
