"""The HTTP interface as an application, to be served alone (`server.py`) or beside the pages (`beside_pages.py`)."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from taxocom.errors import ConflictError, DecisionError, RoleError
from taxocom.serving.addresses import ADDRESSES, Address
from taxocom.serving.asking import Asked, File, read_body
from taxocom.serving.callers import Caller, FindCaller
from taxocom.serving.limits import Limits, Line, Rate, body_of
from taxocom.serving.open_projects import OpenProjects
from taxocom.serving.openapi import description, page
from taxocom.serving.refusals import RefusalError, not_served, refused

PREFIX = "/api/v1"

log = logging.getLogger("taxocom.serving")

_NEVER_KEPT = {"cache-control": "no-store"}


class Api:
    """Answers the addresses: finds out who asks, counts, checks what is asked, and works in a thread."""

    def __init__(self, find_caller: FindCaller, limits: Limits) -> None:
        self._find_caller, self._limits = find_caller, limits
        self._projects = OpenProjects()
        self._rate, self._line = Rate(limits.per_minute), Line(limits.waiting)

    def endpoint(self, address: Address) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers one address."""

        async def answer(request: Request) -> Response:
            caller = self._let_in(request)
            read_from = {"path": request.path_params, "query": request.query_params}
            given = {each.name: each.read(read_from[each.place].get(each.name)) for each in address.parameters}
            body = read_body(await body_of(request, self._limits)) if address.body_shape else {}
            asked = Asked(self._projects, self._limits, given, body, caller.person)
            if not address.in_line:
                return await self._answered(address, asked)
            async with self._line:
                return await self._answered(address, asked)

        return answer

    def _let_in(self, request: Request) -> Caller:
        """Find out who asks and count it; who is not let in is counted too, by where they ask from."""
        try:
            caller = self._find_caller(request.headers)
        except RefusalError:
            self._rate.take(f"stranger {request.client.host if request.client else ''}")
            raise
        self._rate.take(f"caller {caller.name}")
        return caller

    async def _answered(self, address: Address, asked: Asked) -> Response:
        try:
            answer = await asyncio.to_thread(address.answer, asked)
        except RefusalError:
            raise
        except RoleError as error:
            raise RefusalError(403, str(error)) from error
        except (DecisionError, ConflictError) as error:
            raise RefusalError(409, str(error)) from error
        except Exception as error:
            # What an error says may name places on the disk, or quote a text; the log has the place in the code.
            reference = secrets.token_hex(4)
            log.exception("%s failed, reference %s", address.answer.__name__, reference)
            raise RefusalError(500, f"This could not be done. The server's log has it under {reference}.") from error
        if isinstance(answer, File):
            return Response(answer.data, media_type=answer.media_type, headers=_NEVER_KEPT)
        return JSONResponse(answer, headers=_NEVER_KEPT)


def api(find_caller: FindCaller, limits: Limits | None = None) -> Starlette:
    """Return the application: the addresses, their description, and a page about them."""
    limits = limits or Limits()
    served = Api(find_caller, limits)
    document = description(ADDRESSES, limits)
    shown = page(document)

    async def for_programs(_: Request) -> Response:
        return JSONResponse(document)

    async def for_people(_: Request) -> Response:
        return HTMLResponse(shown)

    routes = [Route(each.path, served.endpoint(each), methods=[each.method]) for each in ADDRESSES]
    return Starlette(
        routes=[Route("/", for_people), Route("/openapi.json", for_programs), *routes],
        exception_handlers={RefusalError: refused, HTTPException: not_served},
    )
