"""Limits for each caller: requests a minute, bytes a request, and requests answered at a time."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

from taxocom.serving.refusals import RefusalError

_ASKERS_REMEMBERED = 1000


@dataclass(frozen=True)
class Limits:
    """What the server gives.

    `per_minute` requests from one asker, `body_bytes` in one of them, `texts` to tag at once, `body_seconds` to send
    it all, `waiting` requests in line for the one tagging that goes on at a time (it uses every core there is).
    """

    per_minute: int = 120
    body_bytes: int = 4_000_000
    body_seconds: float = 30.0
    texts: int = 1000
    waiting: int = 8
    page: int = 1000


class Rate:
    """Allows each caller a number of requests at once, and the same number again every minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._clock = float(per_minute), clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, asker: str) -> None:
        """Count a request; one too many is a RefusalError that says when to come back."""
        now = self._clock()
        left, at = self._left.get(asker, (self._size, now))
        left = min(self._size, left + (now - at) * self._size / 60.0)
        granted = left >= 1.0
        self._left[asker] = (left - 1.0 if granted else left, now)
        self._left.move_to_end(asker)
        while len(self._left) > _ASKERS_REMEMBERED:
            self._left.popitem(last=False)
        if not granted:
            seconds = math.ceil((1.0 - left) * 60.0 / self._size)
            raise RefusalError(
                429,
                f"More than {self._size:.0f} requests a minute. Ask again in {seconds} s.",
                {"retry-after": str(seconds)},
            )


async def body_of(request: Request, limits: Limits) -> bytes:
    """Read the body of a request, within limits on bytes and seconds."""
    too_large = RefusalError(413, f"At most {limits.body_bytes:,} bytes can be sent at once. Send fewer texts.")
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > limits.body_bytes:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for part in request.stream():
                body += part
                if len(body) > limits.body_bytes:
                    raise too_large
    except TimeoutError as error:
        raise RefusalError(408, f"The request was not sent whole within {limits.body_seconds:.0f} s.") from error
    except ClientDisconnect as error:
        raise RefusalError(400, "The request was not sent whole.") from error
    return bytes(body)


class Line:
    """One at a time; who would be too many in line is sent away instead of holding a connection."""

    def __init__(self, waiting: int) -> None:
        self._waiting, self._n = waiting, 0
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> None:
        if self._n > self._waiting:
            raise RefusalError(503, "The server is busy tagging for others. Ask again soon.", {"retry-after": "5"})
        self._n += 1
        try:
            await self._turn.acquire()
        except BaseException:
            self._n -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self._turn.release()
        self._n -= 1
