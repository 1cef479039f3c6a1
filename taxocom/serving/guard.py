"""Who may talk to a server of ours: pages that it served itself, and programs that name it rightly.

Any web page may point a name of its own at this machine and then read what answers under that name, or open a websocket
from elsewhere. So a request must name a host that we go by, and a browser that says where the request comes from must
say: from here. Connections from other machines are refused until the admin has said otherwise.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

HOSTS = "TAXOCOM_HOSTS"
OPEN = "TAXOCOM_OPEN"
YES = "i-know"
LOOPBACK = ("localhost", "127.0.0.1", "::1")

log = logging.getLogger("taxocom.serving")

_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's page starts with a script inside it, and components are modules made in the page.
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


def added_hosts() -> tuple[str, ...]:
    """Return the names besides those of loopback that an admin gave the app, in small letters."""
    return tuple(name.strip().lower().rstrip(".") for name in os.environ.get(HOSTS, "").split(",") if name.strip())


def is_open() -> bool:
    """Tell whether the admin let other machines reach the app, in as many words."""
    return os.environ.get(OPEN, "").strip() == YES


def host_allowed(host: str | None, added: Iterable[str]) -> bool:
    """Tell whether a Host header names us: a name of loopback, or one that was added (`*.` stands for any part)."""
    name = _name_of(f"//{host}") if host else None
    return name is not None and (name in LOOPBACK or _among(name, added))


def origin_allowed(origin: str | None, host: str | None) -> bool:
    """Tell whether a request comes from a page of ours; a program that is no browser does not say where from.

    Another port of this machine is another app, so the port counts too: a proxy must pass the host on as it came.
    """
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == (host or "").lower()
    except ValueError:
        return False


def _among(name: str, added: Iterable[str]) -> bool:
    return any(name == known or (known.startswith("*.") and name.endswith(known[1:])) for known in added)


def _name_of(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # reading it checks it
        odd = parts.username is not None or parts.path or parts.query or parts.fragment
        name = parts.hostname
    except ValueError:
        return None
    return None if odd or not name else name.lower().rstrip(".")


class Guard:
    """Refuse requests that name a foreign host or come from a foreign page; add the headers that a browser heeds."""

    def __init__(self, app: Application, with_sign_in: Callable[[], bool] = lambda: False) -> None:
        self._app = app
        self._added = added_hosts()
        self._is_open = is_open() or with_sign_in()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        said = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = said.get(b"host"), said.get(b"origin")
        several = sum(name.lower() == b"host" for name, _ in scope["headers"]) > 1
        if not self._is_open and not is_loopback(_own_address(scope)):
            # Whatever the settings say, this is where the connection came in.
            await _refuse(scope, send, 403, f"This app answers its own machine only. Its admin can say {OPEN}={YES}.")
        elif several or not host_allowed(host, self._added):
            await _refuse(scope, send, 421, f"This app does not go by that name. Its admin can add it to {HOSTS}.")
        elif not _reads_only(scope) and not origin_allowed(origin, host):
            await _refuse(scope, send, 403, "This app answers its own pages only.")
        else:
            await self._app(scope, receive, _with_headers(send))


def _reads_only(scope: Message) -> bool:
    # What a foreign page fetches so it cannot see, since we send it no permission to.
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _with_headers(send: Send) -> Send:
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    names = {name for name, _ in added}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in names]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return sending


async def _refuse(scope: Message, send: Send, status: int, words: str) -> None:
    log.info("%s request refused with %d", scope["type"], status)
    if scope["type"] == "websocket":
        # Closing before accepting is answered with 403.
        await send({"type": "websocket.close", "code": 1008, "reason": words})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await _with_headers(send)({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode()})


def _own_address(scope: Message) -> str:
    """Return the address of this machine that a connection came in by."""
    address = scope.get("server")
    return str(address[0]) if address else ""


def is_loopback(address: str) -> bool:
    """Tell whether an address is one of this machine alone."""
    if address == "localhost":
        return True
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return ((found.ipv4_mapped if found.version == 6 else None) or found).is_loopback
